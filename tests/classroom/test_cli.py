from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from classroom.cli import lab_reset_reveal, tools
from classroom.doctor import PACKAGES
from classroom.started import COMMAND

ROOT = Path(__file__).resolve().parents[2]
OWN_HELP = ("next", "map", "demo", "mine", "lab", "check", "watch", "hint", "reset", "reveal", "doctor")
GRADING = ("release", "grade", "regrade", "override", "merge", "extend", "nbgrader",
           "comment", "feedback", "report", "forget")  # fmt: skip
COMMANDS = {*OWN_HELP, *GRADING, "setup", "test", "site", "dev"}
WITHOUT = "import sys\nfor name in ('typer', 'rich'):\n    sys.modules[name] = None\n"


def course(*arguments: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **variables}
    command = [sys.executable, "-m", "classroom", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture(scope="module")
def main_job(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is printed without a command, whatever the folder in which it is typed."""
    done = course(cwd=tmp_path_factory.mktemp("elsewhere"))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def overview() -> str:
    """What --help prints."""
    return course("--help").stdout


@pytest.fixture
def without_packages(tmp_path: Path) -> dict[str, str]:
    """Variables for a Python that has neither typer nor rich."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    return {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}


def test_without_a_command_the_main_job_the_map_and_the_next_step_come(main_job: str) -> None:
    places = [main_job.find(part) for part in ("handwritten digits", "read correctly", "Homework", "Next: ")]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.slow
def test_the_main_job_needs_neither_typer_nor_rich(without_packages: dict[str, str]) -> None:
    done = course(**without_packages)
    assert done.returncode == 0, done.stderr
    assert "read correctly" in done.stdout
    assert 'pip install -e ".[cli]"' in done.stdout


@pytest.mark.parametrize("arguments", [("map",), ("--help",), ("test", "-k", "x")])
def test_every_other_command_says_what_to_install(without_packages: dict[str, str], arguments: tuple[str, ...]) -> None:
    done = course(*arguments, **without_packages)
    assert done.returncode == 2
    assert 'pip install -e ".[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_main_job_is_pure_ascii_on_an_ascii_terminal() -> None:
    done = course(PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "?" not in done.stdout


def test_a_file_gets_no_colour_codes(main_job: str) -> None:
    assert "\x1b" not in main_job


def test_the_help_names_every_command_and_nothing_more(overview: str) -> None:
    assert named_in(overview) == COMMANDS


def test_a_command_more_or_less_in_the_help_is_seen(overview: str) -> None:
    row = next(line for line in overview.splitlines() if line.startswith("│ watch "))
    assert named_in(overview.replace(row, "")) == COMMANDS - {"watch"}
    assert named_in(overview.replace(row, row.replace("watch", "dance") + "\n" + row)) == COMMANDS | {"dance"}


def named_in(text: str) -> set[str]:
    """The commands of a help text: what stands first in the rows of its panels, but for options."""
    return set(re.findall(r"(?m)^│ ([a-z]+) ", text))


@pytest.mark.parametrize("command", OWN_HELP)
def test_every_command_explains_itself_within_eighty_columns(command: str, mini: Any) -> None:
    result = mini.run(command, "--help")
    assert result.exit_code == 0
    assert f"Usage: course {command}" in result.output or f"Usage: root {command}" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize("command", ["check", "watch", "hint", "reset", "reveal", "lab", "demo"])
def test_the_help_of_a_command_has_an_example(command: str, mini: Any) -> None:
    assert "Example" in mini.run(command, "--help").output


def test_an_unknown_command_is_refused_in_a_sentence() -> None:
    done = course("dmeo")
    assert done.returncode == 2
    assert "dmeo" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_pytest_runs_what_was_selected() -> None:
    passed = course("test", "-q", "tests/classroom/test_page.py", "-k", "side_by_side")
    assert passed.returncode == 0, passed.stdout
    assert "1 passed" in passed.stdout


@pytest.mark.slow
def test_pytest_gets_the_arguments_and_its_exit_code_comes_back() -> None:
    nothing = course("test", "-q", "tests/classroom/test_page.py", "-k", "no_such_test")
    assert nothing.returncode == 5


@pytest.mark.slow
def test_the_main_job_loads_neither_matplotlib_nor_networkx() -> None:
    code = (
        "import sys\nfrom classroom import cli\nfrom classroom.gallery.show import show_piece\nshow_piece()\n"
        "print({'matplotlib', 'networkx', 'IPython', 'PIL'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "set()", done.stderr


@pytest.mark.slow
def test_the_doctor_names_versions_and_the_blas() -> None:
    done = course("doctor")
    assert done.returncode == 0, done.stderr
    assert sys.version.split()[0] in done.stdout
    assert "BLAS" in done.stdout


def test_the_doctor_says_of_each_missing_package_whether_it_is_needed(
    mini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in PACKAGES else find(name))
    told = dict(line.split(maxsplit=1) for line in mini.run("doctor").output.splitlines())
    assert told["torch"].startswith("not installed, not needed: ")
    assert told["numba"].startswith("not installed, not needed: ")
    assert told["jupyterlab"] == f"not installed, not needed before `lab`: {COMMAND} setup --lessons"
    assert told["typer"].startswith("not installed, needed by every command")
    assert all("needed" in told[name] for name in PACKAGES)


@pytest.mark.slow
def test_the_doctor_names_homework_that_cannot_be_imported(mini: Any) -> None:
    assert "hw01_numbers.py can be imported" in mini.run("doctor").output
    mini.write(double="return (x")
    assert "hw01_numbers.py: line 9 is not Python" in mini.run("doctor").output
    mini.file.write_text("1 / 0")
    assert "ZeroDivisionError" in mini.run("doctor").output


@pytest.mark.slow
def test_the_doctor_tells_the_state_of_the_progress_and_changes_nothing(mini: Any) -> None:
    assert "nothing kept yet" in mini.run("doctor").output
    assert not (mini.root / ".course").exists()
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    assert "1 exercises solved" in mini.run("doctor").output
    file = mini.root / ".course" / "progress.json"
    file.write_text("{")
    assert "is damaged" in mini.run("doctor").output
    assert file.read_text() == "{"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would have been started."""
    commands: list[list[str]] = []

    def call(command: list[str], **_: Any) -> int:
        commands.append(command[1:])
        return 0

    monkeypatch.setattr(tools.subprocess, "call", call)
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda _: True)
    return commands


def notebook(mini: Any, folder: str) -> None:
    path = mini.root / "lessons" / folder / f"{folder}.ipynb"
    path.parent.mkdir(parents=True)
    path.touch()


def test_lab_opens_the_lesson_of_the_next_exercise_and_passes_options_on(mini: Any, started: list[list[str]]) -> None:
    notebook(mini, "01_numbers")
    assert mini.run("lab", "--no-browser", "--port", "9999").exit_code == 0
    (command,) = started
    assert command[:2] == ["-m", "jupyterlab"]
    assert command[-3:] == ["--no-browser", "--port", "9999"]
    assert "--LabApp.default_url=/lab/tree/lessons/01_numbers/01_numbers.ipynb" in command
    assert f"--ServerApp.root_dir={mini.root}" in command


def test_lab_opens_the_lesson_of_that_number(mini: Any, started: list[list[str]]) -> None:
    notebook(mini, "02_nothing")
    assert mini.run("lab", "2", "--no-browser").exit_code == 0
    assert "--LabApp.default_url=/lab/tree/lessons/02_nothing/02_nothing.ipynb" in started[0]
    assert "2" not in started[0]


@pytest.mark.parametrize(
    ("root", "options", "code", "told"),
    [
        (True, [], 1, True),
        (True, ["--allow-root"], 1, False),
        (True, ["--ServerApp.allow_root=True"], 1, False),
        (True, [], 0, False),
        (False, [], 1, False),
    ],
)
def test_lab_says_what_root_can_do_where_jupyterlab_did_not_start(
    mini: Any, monkeypatch: pytest.MonkeyPatch, root: bool, options: list[str], code: int, told: bool
) -> None:
    notebook(mini, "01_numbers")
    commands: list[list[str]] = []
    monkeypatch.setattr(lab_reset_reveal, "is_root", lambda: root)
    monkeypatch.setattr(tools.subprocess, "call", lambda command, **_: commands.append(command) or code)
    result = mini.run("lab", "1", "--no-browser", *options)
    said = " ".join(result.output.split())
    assert (f"{COMMAND} lab 1 --no-browser --allow-root" in said) is told
    assert ("ordinary user" in said) is told
    assert result.exit_code == (2 if told else code)
    assert commands[0][-1] == (["--no-browser", *options])[-1]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("1", "lesson 1 has no notebook yet"),
        ("7", "lessons 1 to 2"),
        ("graph", "graph is neither a lesson's number nor a file"),
    ],
)
def test_lab_refuses_a_lesson_that_is_not_there(
    mini: Any, started: list[list[str]], number: str, sentence: str
) -> None:
    result = mini.run("lab", number)
    assert result.exit_code == 2
    assert sentence in result.output
    assert started == []


def test_next_is_the_first_open_exercise_with_its_commands(mini: Any) -> None:
    output = mini.run("next").output
    assert "Next: double" in output
    assert "0 of 5 points" in output
    mini.write(double="return 2 * x")
    mini.run("check", "double")
    output = mini.run("next").output
    assert "Next: turn" in output
    assert "2 of 5 points" in output


def test_a_register_that_cannot_be_read_is_a_sentence_for_every_command(mini: Any) -> None:
    (mini.root / "course.toml").write_text("title = ")
    for command in (("map",), ("next",), ("check",), ("hint", "double"), ("reset", "double"), ("reveal", "double")):
        result = mini.run(*command)
        assert result.exit_code == 2
        assert "course.toml" in result.output


@pytest.mark.slow
def test_a_students_copy_without_the_workshop_has_no_command_dev(tmp_path: Path) -> None:
    assert " dev " in course("--help").stdout
    shutil.copytree(ROOT / "classroom", tmp_path / "classroom", ignore=shutil.ignore_patterns("dev", "__pycache__"))
    done = course("--help", cwd=tmp_path, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 0, done.stderr
    assert " check " in done.stdout
    assert " dev " not in done.stdout
