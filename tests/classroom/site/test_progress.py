"""What pages get for guesses and ticks: the register of lessons, the cells' ids, the place of what is kept."""

from __future__ import annotations

import json
from pathlib import PurePosixPath as P

from classroom.lesson_words import PREDICT
from classroom.site import progress
from classroom.site.build import pages_of
from classroom.site.pages_lessons import write_lessons
from classroom.site.sphinx_settings import SOME, settings
from classroom.site.tree import Tree, has_exercises, lesson_page


def test_the_register_in_the_pages_is_that_of_the_course(tree: Tree) -> None:
    text = (tree.folder / progress.REGISTER).read_text(encoding="utf-8")
    lessons = json.loads(text.removeprefix("window.KuiperCourse = ").rstrip(";\n"))["lessons"]
    assert [one["folder"] for one in lessons] == [lesson.folder for lesson in tree.course.lessons]
    for one, lesson in zip(lessons, tree.course.lessons, strict=True):
        known = [(exercise.id, exercise.stretch) for exercise in lesson.exercises] if has_exercises(lesson) else []
        assert [(exercise["id"], exercise["bonus"]) for exercise in one["exercises"]] == known
        for page in filter(None, (one["page"], one["homework"])):
            pages = [tree.folder / P(page).with_suffix(kind) for kind in (".ipynb", ".md")]
            assert any(path.is_file() for path in pages), page


def test_a_lesson_without_exercises_has_no_page_for_them(small: Tree) -> None:
    text = progress.register_script(small.course)
    second = json.loads(text.partition(" = ")[2].rstrip(";\n"))["lessons"][1]
    assert second == {
        "number": 2,
        "folder": "02_two",
        "page": "lessons/02_two/index.html",
        "homework": "",
        "exercises": [],
    }


def test_a_cell_to_be_foreseen_takes_its_id_into_the_page_and_others_do_not(tree: Tree) -> None:
    count = 0
    for lesson in tree.course.lessons:
        cells = json.loads((tree.folder / lesson_page(lesson)).read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            tags = cell["metadata"].get("tags", [])
            ids = [tag for tag in tags if tag.startswith(progress.GUESS)]
            assert ids == ([f"{progress.GUESS}{cell['id']}"] if PREDICT in tags else [])
            count += len(ids)
    assert count > 100


def test_a_cell_without_an_id_stays_folded_as_it_is(small: Tree) -> None:
    small.pages.update(pages_of(small))
    write_lessons(small)
    cells = json.loads((small.folder / "lessons/01_one/01_one.ipynb").read_text(encoding="utf-8"))["cells"]
    assert cells[2]["metadata"]["tags"] == ["predict", "hide-output"]


def test_the_list_of_lessons_has_the_place_of_what_is_kept_and_says_that_nothing_is_sent(tree: Tree) -> None:
    text = (tree.folder / "lessons/index.md").read_text(encoding="utf-8")
    assert "## Your progress" in text
    assert 'class="progress-shelf"' in text
    assert "sent to nobody" in text


def test_the_scripts_come_before_those_that_ask_them(tree: Tree) -> None:
    names = [name for name, _ in settings(tree)["html_js_files"]]
    order = [progress.REGISTER.name, *progress.SCRIPTS, "live-start.js"]
    assert [name for name in names if name in order] == [
        progress.REGISTER.name,
        *(name for name in names if name in progress.SCRIPTS),
        "live-start.js",
    ]
    everywhere = [name for name in progress.SCRIPTS if name not in SOME]
    assert [name for name in names if name in progress.SCRIPTS] == everywhere


def test_no_script_asks_for_anything_and_each_has_one_prefix() -> None:
    for path in progress.assets():
        text = path.read_text(encoding="utf-8")
        assert path.name.startswith("progress")
        for word in ("fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket", "import(", "http://", "https://"):
            assert word not in text, (path.name, word)
