from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from classroom import register
from classroom.grading.errors import GradingError
from classroom.grading.release import is_kept_back, released_files, write_release
from classroom.judge.homework import homework_of
from classroom.register import ROOT, Release, Solutions
from classroom.solutions import ARCHIVE, worked
from classroom.stubs import blocks, definitions_text

COURSE = register.load(ROOT)
WHOLE = [homework for lesson in COURSE.lessons if (homework := homework_of(lesson)) is not None]
pytestmark = pytest.mark.skipif(
    not any(one.folder.joinpath("judge").is_dir() for one in WHOLE), reason="this copy of the course holds no solutions"
)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that students of a graded class get: no solutions."""
    graded = replace(COURSE, release=Release(Solutions.NONE))
    folder, _, count = write_release(graded, tmp_path_factory.mktemp("release"))
    assert count > 100
    return folder


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for those who learn by themselves: solutions for reveal."""
    folder, _, _ = write_release(
        replace(COURSE, release=Release(Solutions.ANY_TIME)), tmp_path_factory.mktemp("public")
    )
    return folder


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


@pytest.fixture(scope="module")
def texts(released: Path) -> dict[str, str]:
    """Every file that students get -> its text without what formatting changes."""
    return {name: squeezed(data.decode("utf-8", "replace")) for name, data in contents(released) if b"\0" not in data}


def squeezed(text: str) -> str:
    """The text without what formatting changes."""
    return "".join(text.split())


def bodies(solution: str, stub: str) -> Iterator[str]:
    """What the worked solution adds to the stub: for each function that differs, its statements after the docstring."""
    for name in blocks(solution):
        source = definitions_text(solution, [name])
        if source == definitions_text(stub, [name]):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                rest = node.body[1:] if ast.get_docstring(node) is not None else node.body
                yield "\n".join(ast.get_source_segment(source, one) or "" for one in rest)


def test_no_file_of_a_judge_s_folder_gets_in(released: Path) -> None:
    secrets = {path.read_bytes() for one in WHOLE for path in (one.folder / "judge").iterdir() if path.is_file()}
    assert len(secrets) >= 4 * len(WHOLE)
    for name, data in contents(released):
        assert "judge" not in PurePosixPath(name).parts or name.startswith("classroom/judge/"), name
        assert data not in secrets, name


@pytest.mark.slow
def test_no_text_of_a_solution_gets_in(texts: dict[str, str]) -> None:
    checked = 0
    for homework in WHOLE:
        stub, solution = (path.read_text(encoding="utf-8") for path in (homework.stub, homework.solution))
        for name in blocks(solution):
            source = definitions_text(solution, [name])
            if source != definitions_text(stub, [name]):
                assert not [where for where, text in texts.items() if squeezed(source) in text], name
        for body in map(squeezed, bodies(solution, stub)):
            if len(body) > 120:  # a line or two may stand in a lesson, as hints give them
                assert not [where for where, text in texts.items() if body in text], body
                checked += 1
    assert checked >= 8


@pytest.mark.slow
def test_no_hidden_test_and_no_mutant_gets_in(texts: dict[str, str]) -> None:
    for homework in WHOLE:
        hidden = {one: (homework.folder / "judge" / f"{one}.py").read_text(encoding="utf-8") for one in homework.judged}
        for test in homework.hidden:
            source = squeezed(definitions_text(hidden[test.exercise], [test.name]))
            assert not [where for where, text in texts.items() if source in text], test.name
        for mutant in homework.mutants:
            if len(mutant.why) > 30:
                assert not [where for where, text in texts.items() if squeezed(mutant.why) in text], mutant.name


@pytest.mark.slow
def test_the_archive_for_reveal_holds_solutions_and_explanations_and_nothing_else(public: Path, released: Path) -> None:
    more = dict(contents(public))
    del more[f"homework/{ARCHIVE}"]
    assert more == dict(contents(released))
    expected = {}
    for one in WHOLE:
        solved = worked(one.lesson)
        expected[f"{one.folder.name}/solution.py"] = solved.source.encode()
        expected[f"{one.folder.name}/explanation.md"] = solved.explanation.encode()
        assert "<solution" not in solved.source
        assert all(f": {exercise.id}\n" in solved.explanation for exercise in one.exercises)
    with zipfile.ZipFile(public / "homework" / ARCHIVE) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == expected


@pytest.mark.slow
def test_what_is_released_again_from_a_students_copy_is_the_same(public: Path, tmp_path: Path) -> None:
    course = register.load(public)
    again, _, _ = write_release(course, tmp_path / "again")
    assert (again / "homework" / ARCHIVE).read_bytes() == (public / "homework" / ARCHIVE).read_bytes()
    graded, _, _ = write_release(replace(course, release=Release(Solutions.NONE)), tmp_path / "graded")
    assert not (graded / "homework" / ARCHIVE).exists()


SAID = {
    'solutions = "none"': "without hidden tests and worked solutions",
    'solutions = "after-pass"': "without hidden tests, with the worked solutions for `reveal` after the pass",
    'solutions = "any-time"': "without hidden tests, with the worked solutions for `reveal` at any time",
}


@pytest.mark.parametrize("setting", SAID)
def test_release_says_whether_solutions_are_in(teacher: Any, mini: Any, tmp_path: Path, setting: str) -> None:
    mini.set("[release]", setting)
    said = " ".join(mini.run("release", str(tmp_path / "handout")).output.split())
    assert SAID[setting] in said
    assert "deadlines" not in said
    mini.set("[grading.deadlines]", "01_numbers = 2027-03-01T23:59:00+01:00")
    said = " ".join(mini.run("release", str(tmp_path / "handout")).output.split())
    assert ("deadlines" in said) is ("none" not in setting)


@pytest.mark.skipif(os.name == "nt", reason="files are not marked there")
def test_what_is_marked_as_a_program_says_what_runs_it(released: Path) -> None:
    marked = [path for path in released.rglob("*") if path.is_file() and path.stat().st_mode & 0o111]
    assert [path.name for path in marked] == ["course.py"]
    assert marked[0].read_bytes().startswith(b"#!/usr/bin/env python3\n")


def test_stubs_public_tests_worksheets_lessons_and_models_are_there(released: Path) -> None:
    for homework in WHOLE:
        for name in (homework.stub.name, "public.py", "worksheet.ipynb", "README.md"):
            assert (released / "homework" / homework.folder.name / name).is_file()
        assert any((released / "lessons" / homework.folder.name).glob("*.ipynb"))
    for name in ("course.py", "course.toml", "pyproject.toml", "homework/stubs.zip", "models/digits/digits.pnnx.bin"):
        assert (released / name).is_file()


def test_what_the_released_files_import_of_the_course_is_released(released: Path) -> None:
    """A test that a student runs must find what it tests."""
    imported = set()
    for path in released.rglob("*.py"):
        found = re.findall(r"^ *(?:from|import) ([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        imported |= {(name, path) for name in found}
    own = {path.name for path in ROOT.iterdir() if any(path.glob("*.py"))}
    wanted = {(name, path) for name, path in imported if name.partition(".")[0] in own - {"tests"}}
    assert len(wanted) > 500
    allowed = {"classroom.dev", "classroom.cli.dev"}
    for name, path in wanted:
        place = released.joinpath(*name.split("."))
        there = place.with_suffix(".py").is_file() or place.is_dir()
        assert there or any(name.startswith(one) for one in allowed), f"{path.name} imports {name}"


def test_nothing_untracked_and_nothing_private_gets_in(released: Path) -> None:
    tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
    if tracked.returncode:
        pytest.skip("asks git, which does not know this folder")
    names = {name for name, _ in contents(released)}
    assert names <= set(tracked.stdout.decode().split("\0"))
    for part in (".git", ".venv", ".course", "__pycache__", ".ci", "dev"):
        assert not [name for name in names if part in PurePosixPath(name).parts[:-1]]


@pytest.mark.slow
def test_the_public_checks_run_in_the_released_folder(released: Path) -> None:
    def course(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"COLUMNS": "80"}
        command = [sys.executable, "-m", "classroom", *arguments]
        return subprocess.run(command, cwd=released, env=environment, capture_output=True, text=True, check=False)

    assert "not started" in course("check", "axby").stdout
    assert "holds no worked solutions" in course("reveal", "axby").stderr
    file = released / "homework" / "01_first_tests" / "hw01_numpy.py"
    stub = file.read_text(encoding="utf-8")
    try:
        solved = stub.replace('raise NotImplementedError("axby: TODO")', "return w @ x + b.reshape(len(w), -1)")
        file.write_text(solved, encoding="utf-8")
        done = course("check", "axby")
        assert done.returncode == 0, done.stderr
        assert "public tests passed" in done.stdout
    finally:
        file.write_text(stub, encoding="utf-8")
    refused = course("grade", str(released), "--out", str(released.parent / "results"))
    assert refused.returncode == 2
    assert "holds no hidden tests" in refused.stderr
    refused = course("dev", "check")
    assert refused.returncode == 2
    assert "neither solutions" in refused.stderr


def test_the_same_course_gives_the_same_bytes(mini: Any, tmp_path: Path) -> None:
    archives = []
    for name in ("a", "b"):
        _, archive, _ = write_release(register.load(mini.root), tmp_path / name)
        archives.append(archive.read_bytes())
        for path in mini.root.rglob("*"):
            os.utime(path, (1e9, 1e9))
    assert archives[0] == archives[1]
    with zipfile.ZipFile(tmp_path / "a" / "course.zip") as archive:
        assert sorted(archive.namelist()) == archive.namelist()
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert "course/course.toml" in archive.namelist()


def test_without_git_what_tools_have_made_stays_out(teacher: Any) -> None:
    for name in (".venv/x.py", ".course/progress.json", "kuiper/__pycache__/a.pyc", "x.egg-info/PKG-INFO", ".env"):
        path = teacher.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("private", encoding="utf-8")
    names = {path.as_posix() for path in released_files(teacher.course)}
    assert names == {
        "course.toml",
        "homework/stubs.zip",
        "homework/01_numbers/hw01_numbers.py",
        "homework/01_numbers/public.py",
        "homework/01_numbers/worksheet.ipynb",
    }


def test_a_stub_that_was_worked_on_stops_the_release(mini: Any, tmp_path: Path) -> None:
    mini.solve()
    said = mini.run("release", str(tmp_path / "release"))
    assert said.exit_code == 2
    assert "hw01_numbers.py is not as homework/stubs.zip has it" in said.stderr
    assert not (tmp_path / "release" / "course").exists()


def test_what_is_no_release_is_never_overwritten(mini: Any, tmp_path: Path) -> None:
    (tmp_path / "release" / "course").mkdir(parents=True)
    (tmp_path / "release" / "course" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(GradingError, match="no release"):
        write_release(register.load(mini.root), tmp_path / "release")
    with pytest.raises(GradingError, match="no release"):
        write_release(register.load(mini.root), mini.root.parent)
    assert (tmp_path / "release" / "course" / "thesis.txt").exists()
    assert mini.file.exists()
    for _ in (1, 2):
        write_release(register.load(mini.root), tmp_path / "other")


@pytest.mark.parametrize("name", ["homework/x/judge/a/b.py", "homework/mutation.md", "classroom/dev/cli.py", ".ci/run"])
def test_these_are_kept_back(name: str) -> None:
    assert is_kept_back(PurePosixPath(name))
    assert not is_kept_back(PurePosixPath("x") / name)
