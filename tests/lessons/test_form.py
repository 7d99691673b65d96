"""The form of every lesson's notebook: what a reader can count on."""

from __future__ import annotations

import ast
import itertools
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from classroom import register
from classroom.register import Lesson

ROOT = register.ROOT
COURSE = register.load()
LESSONS = [lesson for lesson in COURSE.lessons if any((ROOT / "lessons" / lesson.folder).glob("*"))]
PROSE = range(1200, 1801)
LONGEST_CELL = 12
LOADERS = ("kuiper.load", "kuiper.RuntimeGraph", "pnnx.read")
ONLY_READ = ("03_pnnx",)
"""Lessons of which the subject is the file of a network."""
SECTIONS = ("Summary", "Exercises", "Further reading")
PRIVATE = re.compile(
    r"(?<![\w.])/(home|tmp|usr|opt|root|work|var|private|Users|mnt)/"  # a path on somebody's machine
    r"|\b[A-Z]:\\\\?\w"
    r"| at 0x[0-9a-f]{6,}"
    r"|\b\d\d:\d\d:\d\d\b"
    r"|\b\d+\.\d+ ?(ms|µs|us|ns|s|seconds)\b"
)

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.folder)


@cache
def cells_of(lesson: Lesson) -> list[dict[str, Any]]:
    """The cells of the lesson's notebook, their sources in one piece."""
    path = ROOT / "lessons" / lesson.folder / f"{lesson.folder}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


def prose_of(lesson: Lesson) -> list[str]:
    return [cell["source"] for cell in cells_of(lesson) if cell["cell_type"] == "markdown"]


def code_of(lesson: Lesson) -> list[dict[str, Any]]:
    return [cell for cell in cells_of(lesson) if cell["cell_type"] == "code"]


def tokens_of(text: str) -> list[Token]:
    """All tokens of a Markdown text, those inside paragraphs too."""
    return [inner for token in MarkdownIt("commonmark").parse(text) for inner in (token, *(token.children or ()))]


def headings(text: str) -> list[str]:
    parsed = MarkdownIt("commonmark").parse(text)
    return [after.content for token, after in itertools.pairwise(parsed) if token.type == "heading_open"]


def anchors(path: Path) -> set[str]:
    """What a link into the file may point at: its headings as GitHub names them, and ids given by hand."""
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    else:
        text = path.read_text(encoding="utf-8")
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(text)}
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def outputs_text(cell: dict[str, Any]) -> str:
    parts = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        parts += [
            output.get("text", ""),
            *output.get("traceback", ()),
            *(data[kind] for kind in data if "text" in kind),
        ]
    return "\n".join("".join(part) for part in parts)


def shows_something(source: str) -> bool:
    """Whether the cell prints, or ends in a value that is more than a call (which may give None)."""
    body = ast.parse(source).body
    if not body or source.rstrip().endswith(";"):
        return False
    calls = (
        node
        for statement in body
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    )
    if any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls):
        return True
    return isinstance(body[-1], ast.Expr) and not isinstance(body[-1].value, (ast.Call, ast.Constant))


def networks_in(source: str) -> tuple[set[str], bool]:
    """(names of trained networks that the code loads from models/, whether it runs one of them)."""
    nodes = list(ast.walk(ast.parse(source)))
    texts = {
        node.targets[0].id: node.value.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    paths = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and not is_loader(node.value) and names_a_model(node.value, texts, set())
    }
    loaded = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and is_loader(node.value) and names_a_model(node.value, texts, paths)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    runners = [func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func for func in called]
    return loaded, any(isinstance(runner, ast.Name) and runner.id in loaded for runner in runners)


def is_loader(node: ast.expr) -> bool:
    """Whether the expression is a call that loads a network."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in LOADERS


def names_a_model(node: ast.expr, texts: dict[str, object], paths: set[str]) -> bool:
    """Whether the expression holds the path of a network that is there, or one of the names of such a path."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in paths:
            return True
        text = inner.value if isinstance(inner, ast.Constant) else None
        if isinstance(inner, ast.JoinedStr):
            text = "".join(str(written(part, texts)) for part in inner.values)
        if isinstance(text, str) and text.startswith("../../models/") and text.endswith(".param"):
            return (ROOT / "lessons" / "any" / text).resolve().is_file()
    return False


def written(part: ast.expr, texts: dict[str, object]) -> object:
    """A part of an f-string: its text, that of a name which stands for one, else nothing."""
    if isinstance(part, ast.FormattedValue):
        return texts.get(part.value.id, "") if isinstance(part.value, ast.Name) else ""
    return part.value if isinstance(part, ast.Constant) else ""


def test_there_are_lessons() -> None:
    assert LESSONS


@every_lesson
def test_a_lesson_is_one_notebook_that_bears_its_folder_s_name(lesson: Lesson) -> None:
    names = [path.name for path in (ROOT / "lessons" / lesson.folder).glob("*.ipynb")]
    assert names == [f"{lesson.folder}.ipynb"]


@every_lesson
def test_it_takes_one_sitting(lesson: Lesson) -> None:
    texts = (re.sub(r"```.*?```", "", text, flags=re.DOTALL) for text in prose_of(lesson))
    words = sum(len(re.findall(r"[A-Za-z][A-Za-z'-]*", text)) for text in texts)
    assert words in PROSE


@every_lesson
def test_code_comes_in_small_pieces(lesson: Lesson) -> None:
    long = {cell["id"]: n for cell in code_of(lesson) if (n := len(cell["source"].splitlines())) > LONGEST_CELL}
    assert not long


@every_lesson
def test_it_has_a_title_and_ends_with_summary_exercises_and_reading(lesson: Lesson) -> None:
    parsed = MarkdownIt("commonmark").parse("\n\n".join(prose_of(lesson)))
    found = [(token.tag, after.content) for token, after in itertools.pairwise(parsed) if token.type == "heading_open"]
    assert found[0][0] == "h1"
    assert [tag for tag, _ in found].count("h1") == 1
    assert [name for tag, name in found if tag == "h2"][-len(SECTIONS) :] == list(SECTIONS)


@every_lesson
def test_every_code_cell_has_been_run_in_order(lesson: Lesson) -> None:
    counts = [cell["execution_count"] for cell in code_of(lesson)]
    assert counts == list(range(1, len(counts) + 1))


@every_lesson
def test_what_a_cell_shows_is_stored(lesson: Lesson) -> None:
    silent = [cell["id"] for cell in code_of(lesson) if shows_something(cell["source"]) and not cell["outputs"]]
    assert not silent


@every_lesson
def test_no_cell_ends_in_an_error_or_a_warning(lesson: Lesson) -> None:
    outputs = [(cell["id"], output) for cell in code_of(lesson) for output in cell["outputs"]]
    assert not [name for name, output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]


@every_lesson
def test_outputs_are_the_same_on_every_machine(lesson: Lesson) -> None:
    found = {cell["id"]: match[0] for cell in code_of(lesson) if (match := PRIVATE.search(outputs_text(cell)))}
    assert not found


@every_lesson
def test_pictures_are_there_and_say_what_is_seen(lesson: Lesson) -> None:
    images = [token for text in prose_of(lesson) for token in tokens_of(text) if token.type == "image"]
    assert images
    for image in images:
        source = str(image.attrs["src"])
        assert len(image.content.split()) >= 3, f"{source}: expected a text that says what is seen"
        assert (ROOT / "lessons" / lesson.folder / source).is_file(), f"{source} is not there"


@every_lesson
def test_links_lead_somewhere(lesson: Lesson) -> None:
    links = [str(t.attrs["href"]) for text in prose_of(lesson) for t in tokens_of(text) if t.type == "link_open"]
    dead = []
    for link in links:
        if re.match(r"https?://", link):
            continue
        place, _, anchor = link.partition("#")
        name = place or f"{lesson.folder}.ipynb"
        path = (ROOT / "lessons" / lesson.folder / name).resolve()
        inside = path.is_relative_to(ROOT) and path.exists()
        if not inside or (anchor and anchor not in anchors(path)):
            dead.append(link)
    assert not dead


@every_lesson
def test_it_runs_a_real_network(lesson: Lesson) -> None:
    loaded, run = networks_in("\n".join(cell["source"] for cell in code_of(lesson)))
    assert loaded, 'expected a cell such as graph = kuiper.load("../../models/digits/digits.pnnx.param")'
    assert run or lesson.folder in ONLY_READ, f"expected a call of {' or '.join(sorted(loaded))}, which were loaded"


LOADED = 'graph = kuiper.load("../../models/digits/digits.pnnx.param")\n'


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("# models", (set(), False)),
        ("models = kuiper.load", (set(), False)),
        ('# graph = kuiper.load("../../models/digits/digits.pnnx.param"); graph(x)', (set(), False)),
        ('x = np.load("../../models/digits/heldout.npz")\nx(1)', (set(), False)),
        ('graph = kuiper.load("../../models/digits/none.pnnx.param")\ngraph(x)', (set(), False)),
        (LOADED, ({"graph"}, False)),
        (LOADED + "other(x)\ngraph.operators", ({"graph"}, False)),
        (LOADED + "(y,) = graph(x)", ({"graph"}, True)),
        (LOADED + "graph.forward(x)", ({"graph"}, True)),
        (
            'folder = "../../models/digits"\ng = kuiper.RuntimeGraph(f"{folder}/digits.pnnx.param")\ng(x)',
            ({"g"}, True),
        ),
    ],
)
def test_a_network_is_run_where_what_was_loaded_is_called(source: str, found: tuple[set[str], bool]) -> None:
    assert networks_in(source) == found


@every_lesson
def test_it_names_the_exercises_that_course_toml_has(lesson: Lesson) -> None:
    text = "\n".join(prose_of(lesson))
    known = {exercise.id for one in COURSE.lessons for exercise in one.exercises}
    named = {name for line in re.findall(r"course(?:\.py)? check +([\w ]+)", text) for name in line.split()[:1]}
    numbers = {str(one.number) for one in COURSE.lessons} | {f"{one.number:02}" for one in COURSE.lessons}
    assert named <= known | numbers
    if lesson.exercises:
        assert named
        assert not [exercise.id for exercise in lesson.exercises if exercise.id not in text]


@every_lesson
def test_every_exercise_belongs_to_a_section_that_is_there(lesson: Lesson) -> None:
    found = headings("\n\n".join(prose_of(lesson)))
    assert not [exercise.id for exercise in lesson.exercises if exercise.section not in found]
