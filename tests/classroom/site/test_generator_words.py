"""What the site's own texts claim is what happens."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from classroom import explain, register
from classroom.check import check
from classroom.gallery import share
from classroom.site.build import SiteError, build
from classroom.site.pages_front import FIRST_STEPS, INDEX, WORDS_FOLDER
from classroom.site.tree import Tree
from classroom.started import COMMAND, DOCUMENTED
from classroom.tasks import find_one

ROOT = Path(__file__).resolve().parents[3]
TODO = '    # TODO axby (Task 1.1)\n    raise NotImplementedError("axby: TODO")'


def shown_for(body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `check axby` says of a function with this body, on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    home = folder / "homework" / "01_first_tests"
    shutil.copytree(ROOT / "homework" / "01_first_tests", home, ignore=shutil.ignore_patterns("judge"))
    settings = (ROOT / "course.toml").read_text(encoding="utf-8")
    (folder / "course.toml").write_text(re.sub("public_share = .*", "public_share = 0.3", settings), encoding="utf-8")
    stub = home / "hw01_numpy.py"
    stub.write_text(stub.read_text(encoding="utf-8").replace(TODO, f"    {body}"), encoding="utf-8")
    (result,) = check([find_one(register.load(folder), "axby")])
    return explain.report(result).replace(COMMAND, DOCUMENTED)


def box(beginning: str) -> str:
    """The block of the first steps that begins like this."""
    text = (WORDS_FOLDER / FIRST_STEPS).read_text(encoding="utf-8")
    return next(one for one in re.findall(r"^```text\n(.*?)^```", text, re.M | re.S) if one.startswith(beginning))


@pytest.mark.slow
def test_the_wrong_answer_of_the_first_steps_is_told_in_these_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = shown_for("return w * x + b", tmp_path, monkeypatch)
    place = 0
    for part in box("axby (task 1.1): not right yet").split("  ...\n"):
        found = said.find(part.rstrip(), place)
        assert found >= 0, f"{part}\nis not in\n{said}"
        place = found


@pytest.mark.slow
def test_the_right_answer_of_the_first_steps_is_told_in_these_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = shown_for("return w @ x + b.reshape(len(w), -1)", tmp_path, monkeypatch)
    change = share.changes(["axby"], ["axby"])["digits"]
    monkeypatch.setenv("COLUMNS", "80")
    told = explain.labelled("in digits", f"{change} See `{DOCUMENTED} demo digits --mine`")
    assert box("axby (task 1.1): public tests passed").startswith(f"{said}\n\n{told}\n\nNext: ")


def test_the_first_steps_show_the_first_stub(tree: Tree) -> None:
    stub = (ROOT / "homework/01_first_tests/hw01_numpy.py").read_text(encoding="utf-8")
    assert TODO in (WORDS_FOLDER / FIRST_STEPS).read_text(encoding="utf-8")
    assert TODO in stub


def test_every_command_of_the_first_steps_exists() -> None:
    from typer.main import get_command

    from classroom.cli import app

    known = set(get_command(app).commands)  # type: ignore[attr-defined]
    texts = "".join((WORDS_FOLDER / page).read_text(encoding="utf-8") for page in (FIRST_STEPS, INDEX))
    assert {name for name in re.findall(r"python3 course\.py ([a-z]+)", texts)} <= known


def test_the_course_is_on_the_site_or_the_reader_is_told_where_it_is(tree: Tree) -> None:
    text = (tree.folder / FIRST_STEPS).read_text(encoding="utf-8")
    assert '<a href="download/course.zip" download>course.zip</a> (19 MB)' in text


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SiteError, match="expected an empty folder"):
        build(register.load(ROOT), tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_the_command_says_what_is_missing_and_what_is_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from classroom.cli import app

    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    if importlib.util.find_spec("sphinx") is not None:
        done = CliRunner().invoke(app, ["site", "--out", str(tmp_path)])
        assert done.exit_code == 2
        assert "expected an empty folder" in done.output
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["site", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert f"{COMMAND} setup --site" in done.output
