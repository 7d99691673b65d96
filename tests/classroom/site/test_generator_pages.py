"""The pages: order, boxes, hints, what is folded, and what is not on them."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from pathlib import PurePosixPath as P

import pytest

from classroom.grading.release import is_kept_back
from classroom.site import lesson_facts, pages_front, pages_homework, pages_lessons, pages_operators
from classroom.site.build import fill, pages_of
from classroom.site.docstrings import restructured
from classroom.site.pages_api import modules, summary
from classroom.site.tree import Tree, has_exercises, homework_page, lesson_page


def text_of(tree: Tree, page: P) -> str:
    """A page's text: of a notebook, that of its cells."""
    text = (tree.folder / page).read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


@pytest.mark.slow
def test_menu_and_list_have_the_lessons_in_the_order_of_the_register(tree: Tree) -> None:
    pages = [str(lesson_page(lesson)) for lesson in tree.course.lessons]
    menu = pages_front.menu(tree)
    assert menu["Lessons"] == ["lessons/index.md", *pages]
    done = [str(homework_page(one)) for one in tree.course.lessons if has_exercises(one)]
    assert menu["Exercises"] == ["homework/index.md", *done]
    for page in (P("index.md"), P("lessons/index.md")):
        table = "\n".join(row for row in text_of(tree, page).splitlines() if row.startswith("| "))
        found = re.findall(r"\]\(((?:lessons/)?[\w]+/[\w]+\.(?:ipynb|md))\)", table)
        assert [one for one in found if one.removeprefix("lessons/") in {p.removeprefix("lessons/") for p in pages}]
        order = [f"lessons/{one.removeprefix('lessons/')}" for one in found]
        assert [one for one in order if one in pages] == pages


def test_every_listed_page_is_there_and_listed_once(tree: Tree) -> None:
    pages = [page for entries in pages_front.menu(tree).values() for page in entries]
    assert len(pages) == len(set(pages))
    assert all((tree.folder / page).is_file() for page in pages)


def test_a_lesson_says_how_to_open_it_what_to_read_before_how_long_it_takes_and_links_its_things(tree: Tree) -> None:
    for lesson in tree.course.lessons:
        text = text_of(tree, lesson_page(lesson))
        if lesson.notebook():
            assert f"`python3 course.py lab {lesson.number}`" in text
            assert "- **Read before:** " in text
            assert f"- **Time:** about {lesson.time} minutes" in text
            assert text.count(":class: lesson-box") == 1
            assert "**You need:**" not in text, "the box says it"
        for module in lesson.modules:
            assert f"[{module}](../../api/{module}.rst)" in text
        if has_exercises(lesson):
            assert f"[homework {lesson.number}](../../homework/{lesson.folder}/README.md)" in text
            assert f"source/homework/{lesson.folder}/public.py.html" in text
            assert all(f"`{exercise.id}`" in text for exercise in lesson.exercises)


def test_a_lesson_leads_to_the_tests_of_its_modules(tree: Tree) -> None:
    led = 0
    for lesson in tree.course.lessons:
        text = text_of(tree, lesson_page(lesson))
        for module in lesson.modules:
            if path := lesson_facts.module_tests(module, tree):
                assert f'<a href="../../source/{path}.html">{path}</a>' in text
                led += 1
    assert led


def test_a_lesson_without_a_notebook_says_that_it_is_to_come(small: Tree) -> None:
    small.pages.update(pages_of_lessons(small))
    pages_lessons.write_lessons(small)
    text = text_of(small, P("lessons/02_two/index.md"))
    assert text.startswith("# Lesson 2: Two\n\nThe second.")
    assert "is to come" in text


def test_only_what_comes_out_of_a_predicted_cell_is_folded(small: Tree) -> None:
    small.pages.update(pages_of_lessons(small))
    pages_lessons.write_lessons(small)
    cells = json.loads((small.folder / "lessons/01_one/01_one.ipynb").read_text(encoding="utf-8"))["cells"]
    assert [cell["metadata"].get("tags") for cell in cells if cell["cell_type"] == "code"] == [
        ["predict", "hide-output"],
        [],
    ]
    assert [cell["outputs"][0]["text"] for cell in cells if cell["cell_type"] == "code"] == ["2", "4"]


def test_a_picture_that_a_cell_draws_has_words_of_its_own_or_of_the_text_above(tree: Tree) -> None:
    kinds = set()
    for lesson in tree.course.lessons:
        if lesson.notebook():
            for cell in json.loads((tree.folder / lesson_page(lesson)).read_text(encoding="utf-8"))["cells"]:
                for output in cell.get("outputs", ()):
                    drawn = {kind for kind in output.get("data", {}) if kind.startswith("image/")}
                    kinds |= drawn
                    for kind in drawn:
                        alt = cell["metadata"]["mystnb"]["image"]["alt"]
                        assert len(alt) > 20
                        assert output.get("metadata", {}).get(kind, {}).get("alt", alt) == alt
    assert {"image/svg+xml", "image/jpeg", "image/png"} <= kinds


def test_what_is_said_above_a_cell_is_its_last_paragraph_without_marks() -> None:
    text = "# A\n\nOne.\n\n**Predict**, then run: what is [`x`](x.md)\nand ![y](y.svg)?\n"
    assert pages_lessons.last_words(text) == "Predict, then run: what is x and y?"
    assert pages_lessons.last_words("") == ""


def test_the_list_of_lessons_says_how_long_each_takes_and_the_front_page_does_not(tree: Tree) -> None:
    rows = [row for row in text_of(tree, P("lessons/index.md")).splitlines() if re.match(r"\| \d", row)]
    assert len(rows) == len(tree.course.lessons)
    for lesson, row in zip(tree.course.lessons, rows, strict=True):
        assert f"| {lesson.time} min |" in row
        assert f"- **Time:** about {lesson.time} minutes" in text_of(tree, lesson_page(lesson))
    assert " min |" not in text_of(tree, P("index.md"))


def test_the_stored_outputs_are_those_of_the_notebook(tree: Tree) -> None:
    for lesson in tree.course.lessons:
        path = lesson.notebook()
        if path:
            pair = [json.loads(one.read_text(encoding="utf-8")) for one in (path, tree.folder / lesson_page(lesson))]
            stored, shown = [[cell.get("outputs") for cell in notebook["cells"]] for notebook in pair]
            assert stored == shown


def test_hints_are_folded_each_by_itself(tree: Tree) -> None:
    for lesson in tree.course.lessons:
        if has_exercises(lesson):
            text = text_of(tree, homework_page(lesson))
            assert text.count("<details") == sum(len(exercise.hints) for exercise in lesson.exercises)
            assert "<details open" not in text
            outside = re.sub(r"<details.*?</details>", "", text, flags=re.S)
            for exercise in lesson.exercises:
                for hint in exercise.hints:
                    shown = html.escape(hint, quote=False).replace("`", "")
                    assert shown in re.sub("</?code>", "", text)
                    assert hint not in outside


def test_a_hint_means_what_it_says(small: Tree) -> None:
    text = pages_homework.folded(small.course.lesson(1).exercises[0])
    assert "<p>Is a &lt; b?</p>" in text
    assert "<p>Use <code>2 * x</code>.</p>" in text


def lines_of(path: Path) -> set[str]:
    """The lines of a file without the blanks around them; of a notebook, those of its cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return {line.strip() for line in text.splitlines()}


def test_nothing_that_students_do_not_get_is_on_any_page(tree: Tree) -> None:
    judges = sorted(tree.root.glob("homework/*/judge/*.py"))
    if not judges:
        pytest.skip("this copy of the course has no solutions")
    folders = ("kuiper", "lessons", "homework", "tests", "models", "benchmarks", "classroom")
    given = lines_of(tree.root / "course.toml")
    for path in (path for folder in folders for path in (tree.root / folder).rglob("*")):
        if path.suffix in (".py", ".ipynb", ".md") and not is_kept_back(P(path.relative_to(tree.root).as_posix())):
            given |= lines_of(path)
    hints = "".join(given & lines_of(tree.root / "course.toml"))
    own = {line for path in judges for line in lines_of(path) - given if len(line) >= 25 and line not in hints}
    assert len(own) > 500
    shown = [path for path in tree.folder.rglob("*") if path.suffix in (".md", ".rst", ".ipynb")]
    shown += [tree.root / path for path in tree.sources if (tree.root / path).is_file()]
    for path in shown:
        assert not own & lines_of(path), path
    assert not any(is_kept_back(path) for path in tree.sources)


def test_the_first_steps_do_not_solve_the_first_exercise(tree: Tree) -> None:
    text = text_of(tree, P("first_steps.md"))
    assert "return w * x + b" in text
    assert "return w @ x + b" not in text


def test_the_box_of_a_lesson_stands_where_the_notebook_has_what_it_says(small: Tree) -> None:
    small.pages.update(pages_of_lessons(small))
    pages_lessons.write_lessons(small)
    text = text_of(small, P("lessons/01_one/01_one.ipynb"))
    assert "all of it" not in text
    assert "- **Time:** about 45 minutes, and about 20 for the exercises.\n" in text
    assert "- **Read before:** nothing but Python.\n" in text
    assert text.count("guess first") == 1


def test_a_lesson_without_predictions_and_time_says_nothing_of_them(small: Tree) -> None:
    small.pages.update(pages_of_lessons(small))
    box = pages_lessons.info_box(small.course.lesson(2), small, predicts=False)
    assert "- **Read before:** [lesson 1](../01_one/01_one.ipynb) (twice).\n" in box
    assert "Time" not in box
    assert "guess first" not in box


def test_every_operator_type_is_on_the_page_once_and_can_be_searched(tree: Tree) -> None:
    stored = (tree.root / pages_operators.FILE).read_text(encoding="utf-8")
    cells = [pages_operators.CELL.split(line)[1] for line in stored.splitlines() if line.startswith("| `")]
    types = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    found = re.findall(r"\{operator\}`([^`]+)`", text_of(tree, pages_operators.FILE))
    assert sorted(found) == sorted(types)
    assert "nn.SiLU" in found


def test_the_api_has_every_public_module_in_the_order_of_the_lessons(tree: Tree) -> None:
    index = text_of(tree, P("api/index.md"))
    rooms = re.findall(r"^\| \[(kuiper\.\w+)\]", index, re.M)
    assert len(rooms) == len(set(rooms))
    taught = [".".join(module.split(".")[:2]) for lesson in tree.course.lessons for module in lesson.modules]
    there = [one for one in dict.fromkeys(taught) if one in rooms]
    assert rooms[: len(there)] == there
    folders = {path.parent.name for path in (tree.root / "kuiper").glob("*/__init__.py")} - {"cli"}
    assert {f"kuiper.{name}" for name in folders} <= set(rooms)
    assert (tree.folder / "api/kuiper.graph.order.rst").is_file()


@pytest.mark.slow
def test_a_module_says_it_is_of_a_lesson_only_where_the_register_does(tree: Tree) -> None:
    taught = [(lesson.number, f"{module}.") for lesson in tree.course.lessons for module in lesson.modules]
    said = 0
    for name in modules(tree):
        found = re.search(r"\b[Ll]essons? (\d+)(?: and (\d+))?", summary(name, tree))
        numbers = {int(number) for number in found.groups() if number} if found else set()
        near = {number for number, one in taught if one.startswith(f"{name}.") or f"{name}.".startswith(one)}
        assert numbers <= near, name
        said += bool(numbers)
    assert said > 15


@pytest.mark.parametrize(
    ("module", "found"),
    [
        ("kuiper.graph.order", "tests/graph/test_order.py"),
        ("kuiper.graph", "tests/graph"),
        ("kuiper.tensor", "tests/test_tensor.py"),
        ("kuiper.layers.image.deep.order", "tests/layers/image/test_order.py"),
        ("kuiper.layers.image.order", "tests/layers/image/test_order.py"),
        ("kuiper.layers.image.other", "tests/layers/image"),
        ("kuiper.layers.linear.other", "tests/layers"),
        ("kuiper.nothing", None),
        ("kuiper", "tests"),
    ],
)
def test_the_tests_of_a_module_are_found_at_any_depth(small: Tree, module: str, found: str | None) -> None:
    for path in ("graph/test_order.py", "test_tensor.py", "layers/image/test_order.py"):
        file = small.root / "tests" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('"""Tests."""\n', encoding="utf-8")
    assert lesson_facts.module_tests(module, small) == (None if found is None else P(found))


def test_every_module_in_a_sub_folder_has_a_page_that_its_folder_lists(tree: Tree) -> None:
    deep = [name for name in modules(tree) if name.count(".") > 2]
    assert "kuiper.layers.image.convolution" in deep
    for name in deep:
        page = text_of(tree, P(f"api/{name}.rst"))
        folder = name.rpartition(".")[0]
        assert f"`{folder.rpartition('.')[2]} <{folder}.html>`__" in page
        assert f":doc:`{name} </api/{name}>`" in text_of(tree, P(f"api/{folder}.rst"))


def test_docstrings_keep_their_examples_and_lose_their_markup() -> None:
    text = restructured(["y = x*w_ in `code`s, see https://a.org/b_.html.", "", ">>> f(*x)", "1", "", "    a  b"])
    assert text == [
        r"y = x\*w\_ in ``code``\ s, see `https://a.org/b\_.html <https://a.org/b\_.html>`__\ .",
        *("", ">>> f(*x)", "1", "", "::", "", "    a  b", ""),
    ]


def pages_of_lessons(tree: Tree) -> dict[P, P]:
    """What write_lessons needs to know of the pages."""
    return {
        P("first_steps.md"): P("first_steps.md"),
        **{lesson_page(one): lesson_page(one) for one in tree.course.lessons},
    }


@pytest.mark.slow
def test_filling_twice_gives_the_same(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    again = fill(tree.course, tmp_path_factory.mktemp("again"), download=19_400_000)
    assert again.sources == tree.sources
    assert pages_of(again) == again.pages
    for path in tree.folder.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (again.folder / path.relative_to(tree.folder)).read_bytes(), path
