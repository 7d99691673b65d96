"""`course site` in a student's folder, where homework is solved."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import register, stubs
from classroom.cli import app
from classroom.site import build
from classroom.site.tree import Tree

pytest.importorskip("sphinx", reason="needs Sphinx: python3 course.py setup --site")

STUB = '"""Write here."""\n\n\ndef double(x):\n    # TODO double\n    raise NotImplementedError("double: TODO")\n'
SOLVED = STUB.replace('# TODO double\n    raise NotImplementedError("double: TODO")', "return 2 * x")


@pytest.fixture
def student(small: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder with the first exercise solved, and pages that are made at once -> the homework file."""
    file = small.root / "homework/01_one/hw01.py"
    shutil.rmtree(file.parent / "judge")
    file.write_text(STUB, encoding="utf-8")
    file.with_name("public.py").write_text('"""Public tests."""\n', encoding="utf-8")
    (small.root / "homework" / stubs.ARCHIVE).write_bytes(stubs.packed_stubs({"01_one/hw01.py": STUB}))
    file.write_text(SOLVED, encoding="utf-8")
    monkeypatch.setattr(register, "ROOT", small.root)

    def pages(tree: Tree, work: Path) -> list[str]:
        (work / "html").mkdir()
        (work / "html" / "index.html").write_text("the front page", encoding="utf-8")
        return []

    monkeypatch.setattr(build, "fill", lambda course, folder, download: small)
    monkeypatch.setattr(build, "_sphinx", pages)
    return file


def test_solved_homework_is_left_alone_and_goes_out_as_it_was_handed_out(student: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    said = " ".join(CliRunner().invoke(app, ["site", "--out", str(out)]).output.split())
    assert (out / "index.html").is_file(), said
    assert "reset" not in said
    assert "put it back" not in said
    assert "course.zip has the exercises as they were handed out, without your hw01.py" in said
    with zipfile.ZipFile(io.BytesIO((out / "download/course.zip").read_bytes())) as archive:
        assert archive.read("course/homework/01_one/hw01.py").decode() == STUB
    assert student.read_text(encoding="utf-8") == SOLVED


def test_without_the_stubs_the_site_is_built_and_says_what_it_lacks(student: Path, tmp_path: Path) -> None:
    (student.parents[1] / "stubs.zip").unlink()
    out = tmp_path / "site"
    said = " ".join(CliRunner().invoke(app, ["site", "--out", str(out)]).output.split())
    assert (out / "index.html").is_file(), said
    assert "The site has no course.zip to download" in said
    assert "stubs.zip" in said
    assert not (out / "download").exists()
    assert "reset" not in said
