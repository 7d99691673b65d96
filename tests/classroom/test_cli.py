from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = "import sys\nfor name in ('typer', 'rich'):\n    sys.modules[name] = None\n"


def course(*arguments: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **variables}
    command = [sys.executable, "-m", "classroom", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture
def without_packages(tmp_path: Path) -> dict[str, str]:
    """Variables for a Python that has neither typer nor rich."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    return {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}


def test_without_a_command_the_main_job_the_map_and_the_next_step_come(tmp_path: Path) -> None:
    done = course(cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    places = [done.stdout.find(part) for part in ("handwritten digits", "read correctly", "Homework", "Next: ")]
    assert -1 not in places
    assert places == sorted(places)


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


def test_the_main_job_is_pure_ascii_on_an_ascii_terminal() -> None:
    done = course(PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "?" not in done.stdout


def test_a_file_gets_no_colour_codes() -> None:
    assert "\x1b" not in course().stdout


def test_the_help_names_every_command_and_nothing_more() -> None:
    help_text = course("--help").stdout
    for command in ("demo", "map", "lab", "test", "setup", "doctor"):
        assert command in help_text
        assert course(command, "--help").returncode == 0


def test_an_unknown_command_is_refused_in_a_sentence() -> None:
    done = course("dmeo")
    assert done.returncode == 2
    assert "dmeo" in done.stderr
    assert "Traceback" not in done.stderr


def test_pytest_gets_the_arguments_and_its_exit_code_comes_back() -> None:
    passed = course("test", "-q", "tests/classroom/test_page.py", "-k", "side_by_side")
    assert passed.returncode == 0, passed.stdout
    assert "1 passed" in passed.stdout
    nothing = course("test", "-q", "tests/classroom/test_page.py", "-k", "no_such_test")
    assert nothing.returncode == 5


def test_the_main_job_loads_neither_matplotlib_nor_networkx() -> None:
    code = (
        "import sys\nfrom classroom import cli, demo\ndemo.show()\n"
        "print({'matplotlib', 'networkx', 'IPython', 'PIL'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "set()", done.stderr


def test_the_doctor_names_versions_and_the_blas() -> None:
    done = course("doctor")
    assert done.returncode == 0, done.stderr
    assert sys.version.split()[0] in done.stdout
    assert "BLAS" in done.stdout
