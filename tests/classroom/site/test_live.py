"""What the site takes along for Python in the page: verified files, the course without its secrets, places in pages."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from classroom import register
from classroom.site.live import archive, places, runtime
from classroom.site.live.build import STATIC
from classroom.site.tree import SiteError, homework_page, lesson_page
from classroom.stubs import handed_out

COURSE = register.load()


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive.course_archive(COURSE))) as archived:
        return {name: archived.read(name) for name in archived.namelist()}


@pytest.mark.slow
def test_no_hidden_test_and_no_solution_is_in_a_page(packed: dict[str, bytes]) -> None:
    kept = [name for name in packed if "/judge/" in name and not name.startswith("course/classroom/judge/")]
    assert kept == []
    assert not [name for name in packed if "solution" in name.rpartition("/")[2] and "classroom" not in name]
    for lesson in COURSE.lessons:
        solution = lesson.root / "homework" / lesson.folder / "judge" / "solution.py"
        if solution.is_file():
            assert solution.read_bytes() not in packed.values()


def test_stubs_are_those_that_were_handed_out_whatever_is_solved_here(packed: dict[str, bytes]) -> None:
    for lesson in COURSE.lessons:
        if lesson.homework_file:
            name = f"course/homework/{lesson.folder}/{lesson.homework_file}"
            assert packed[name].decode() == handed_out(lesson)
            assert f"course/homework/{lesson.folder}/public.py" in packed


@pytest.mark.slow
def test_the_kernel_of_a_page_finds_all_that_it_imports(packed: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in packed.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    program = (
        "import sys; sys.path[:0] = ['course', 'packages']\n"
        "import classroom.live.kernel, kuiper\n"
        "print(classroom.live.kernel.__file__, kuiper.__file__)"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count(str(Path("course"))) == 2


def test_packages_of_others_come_with_their_licences(packed: dict[str, bytes]) -> None:
    tops = {name.split("/")[1] for name in packed if name.startswith("packages/")}
    licences = [name for name in packed if "LICENSE" in name.upper() or "COPYING" in name.upper()]
    assert {"rich", "IPython"} <= tops
    assert len([name for name in licences if name.startswith("packages/")]) >= 2


@pytest.mark.slow
def test_every_network_is_an_archive_of_its_own() -> None:
    models = archive.model_archives(COURSE)
    assert {"digits", "writer"} <= set(models)
    with zipfile.ZipFile(io.BytesIO(models["digits"])) as archived:
        assert "course/models/digits/digits.pnnx.bin" in archived.namelist()


def test_a_file_of_the_runtime_that_is_missing_or_another_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=r"pyodide\.mjs: expected this file of Pyodide"):
        runtime.verified(tmp_path)
    (tmp_path / "pyodide.mjs").write_text("export default 1", encoding="utf-8")
    with pytest.raises(SiteError, match=r"expected sha256 6f1d60f7.* found [0-9a-f]{64}: it is another file"):
        runtime.verified(tmp_path)


def test_a_file_leaves_its_scripts_as_it_was() -> None:
    content = bytes(range(256)) * 30_000
    texts = [text for _, text in runtime.scripts("wasm", content, packed=True)]
    assert len(texts) > 1
    pieces = [re.fullmatch(r'KuiperLive\.deliver\("wasm", (\d+), "([^"]*)"\);\n', text) for text in texts]
    assert [int(piece[1]) for piece in pieces if piece] == list(range(len(texts)))
    assert base64.b64decode("".join(piece[2] for piece in pieces if piece)) == content
    ((_, text),) = runtime.scripts("asm", b"x" * 99, packed=False)
    assert gzip.decompress(base64.b64decode(text.split('"')[3])) == b"x" * 99


def test_what_a_browser_compares_is_the_table() -> None:
    for file, there in zip(runtime.FILES, runtime.on_servers(), strict=True):
        assert base64.b64decode(there["integrity"].removeprefix("sha256-")).hex() == file.sha256
        assert there["url"].startswith("https://cdn.jsdelivr.net/")
        assert runtime.VERSION in there["url"]


def test_a_lesson_names_the_networks_that_it_loads() -> None:
    assert "&quot;models&quot;: [&quot;digits&quot;]" in places.lesson_place(
        COURSE.lesson(2), lesson_page(COURSE.lesson(2))
    )


def test_a_homework_says_where_its_exercises_begin() -> None:
    import html

    from classroom.site.tree import Tree

    lesson = COURSE.lesson(2)
    text = places.homework_place(lesson, Tree(COURSE, Path()), homework_page(lesson))
    data = json.loads(html.unescape(text.split('"')[3]))
    assert [one["id"] for one in data["exercises"]] == [one.id for one in lesson.exercises]
    assert all(f"def {one['names'][0]}(" in data["stub"] for one in data["exercises"])
    assert data["root"] == "../../"


def test_nothing_but_the_table_names_an_address() -> None:
    for path in STATIC.iterdir():
        found = re.findall(r"https?://[^\s\"'`]+", path.read_text(encoding="utf-8"))
        assert [one for one in found if not one.startswith("https://here.invalid/")] == [], path.name
