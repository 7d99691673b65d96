"""The command that messages print is the one that started the course."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from classroom import started

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(os.name == "nt", reason="what a shell other than Windows' hands over")
@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["python3", "course.py"], "python3 course.py"),
        (["python", "course.py", "check", "flatten"], "python course.py"),
        (["python3.12", "-X", "utf8", "../course.py", "next"], "python3.12 -X utf8 ../course.py"),
        (["/usr/bin/python3.12", "course.py"], "/usr/bin/python3.12 course.py"),
        (["python3", "/home/ada/my course/course.py"], "python3 '/home/ada/my course/course.py'"),
    ],
)
def test_the_command_is_what_was_typed_up_to_the_launcher(words: list[str], command: str) -> None:
    script = next(word for word in words if word.endswith("course.py"))
    assert started.typed(script, words) == command


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_long_path_to_the_interpreter_gives_way_to_a_name_on_the_path_for_the_same_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "a" / ("very-" * 20 + "long") / "python3.12"
    real.parent.mkdir(parents=True)
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert started.typed("course.py", [str(real), "course.py"]) == f"{real} course.py"
    (tmp_path / "bin" / "python3").symlink_to(real)
    assert started.typed("course.py", [str(real), "course.py"]) == "python3 course.py"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_of_several_names_on_the_path_the_interpreters_own_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / ("very-" * 20 + "long") / "python3.12"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (real.parent / "python3").symlink_to(real)
    monkeypatch.setenv("PATH", str(real.parent))
    assert started.typed("course.py", [str(real), "course.py"]) == "python3.12 course.py"


@pytest.mark.skipif(os.name == "nt", reason="what a shell other than Windows' hands over")
def test_the_environments_program_is_named_by_its_path_unless_it_is_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my course" / "bin" / "course"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "my course")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert started.typed("bin/course", ["python3", "bin/course", "next"]) == "bin/course"
    assert started.typed(str(program), ["python3", str(program), "next"]) == f"'{program}'"
    assert started.named(str(program)) == f"'{program}'"
    assert started.named("py course.py") == "py course.py"
    monkeypatch.setenv("PATH", str(program.parent))
    assert started.typed(str(program), ["python3", str(program), "next"]) == "course"
    assert started.named(str(program)) == "course"
    assert started.typed("away/course", ["python3", "away/course"]) == ""


@pytest.mark.parametrize(("there", "command"), [("py", "py course.py"), (None, "python course.py")])
def test_on_windows_it_is_py_where_that_is_there(there: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(started.os, "name", "nt")
    monkeypatch.setattr(started.shutil, "which", lambda name: name if name == there else None)
    words = [r"C:\Users\ada\AppData\Local\Programs\Python\Python312\python.exe", "course.py", "check"]
    assert started.typed("course.py", words) == command


def messages(*arguments: str, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != started.VARIABLE}
    command = [sys.executable, "-m", "classroom", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**kept, **variables}, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.slow
def test_messages_and_help_print_the_command_of_the_launcher_or_course() -> None:
    given = {started.VARIABLE: "py course.py"}
    assert "`py course.py map` lists them" in messages("check", "nothing", **given)
    assert "py course.py check --help" in messages("--help", **given)
    assert "Usage: py course.py check" in messages("check", "--help", **given)
    assert "`course map` lists them" in messages("check", "nothing")
    assert "Usage: course check" in messages("check", "--help")


@pytest.mark.slow
def test_no_module_of_the_classroom_spells_the_command_out() -> None:
    guilty = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
        for path in sorted((ROOT / "classroom").rglob("*.py"))
        if path != Path(started.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and started.DOCUMENTED in node.value
    ]
    assert guilty == [], "messages print classroom.started.COMMAND, written pages DOCUMENTED"
