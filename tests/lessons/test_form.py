"""The form of every lesson, as dev check asks for it; and every rule of it can fail, in a sentence."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import fields
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from classroom import register
from classroom.dev import figure_form, lesson_form, lesson_regions
from classroom.dev.cli import app
from classroom.dev.lesson_book import Book, Cell
from classroom.dev.lesson_form import networks_in
from classroom.register import Lesson
from classroom.tables import KEY

COURSE = register.load()
NAME = "lessons/01_one/01_one.ipynb"
LOADED = 'graph = kuiper.load("../../models/digits/digits.pnnx.param")\n'
RUNS = "`python3 course.py dev notebooks 1`"
every_lesson = pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.folder)


@pytest.mark.slow
@every_lesson
def test_a_lesson_has_the_form_that_readers_can_count_on(lesson: Lesson) -> None:
    assert list(lesson_form.lesson_faults(lesson, COURSE)) == []


@every_lesson
def test_no_cell_below_a_prediction_says_the_same_in_other_characters(lesson: Lesson) -> None:
    path = lesson.notebook()
    assert path is not None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    for cell, below in pairwise(codes):
        if "predict" in cell["metadata"].get("tags", []):
            alike = SequenceMatcher(None, "".join(cell["source"]), "".join(below["source"])).ratio()
            assert alike < 0.8, "".join(below["source"])


def test_what_the_lessons_have_in_common_is_as_course_toml_gives_it() -> None:
    assert list(lesson_form.problems(COURSE, [])) == []


def test_the_made_up_lesson_has_no_fault(small: Any) -> None:
    assert small.faults() == []


# case: (cell, key, its new value or (old, new) in it, what is told)
CHANGES: dict[str, tuple[int, str, Any, str]] = {
    "a placeholder": (2, "source", ("word word", "TODO: write it"), "cell 2: write what stands as 'TODO: write it"),
    "no title": (1, "source", ("# Lesson 1: One", "Words"), f"{NAME}: expected the heading # Lesson 1: One first"),
    "another title": (1, "source", ("One", "Two"), "the heading # Lesson 1: One first, found Lesson 1: Two"),
    "a second title": (2, "source", ("## How?", "## How?\n\n# More"), "found another, More: give it ##"),
    "sections": (5, "source", ("## Summary", "## The end"), "expected the last sections ## Summary, ## Exercises, ##"),
    "no facts": (
        1,
        "source",
        ("<!-- facts -->", ""),
        "the lines <!-- facts --> and <!-- /facts --> once, found them 0",
    ),
    "no end": (
        1,
        "source",
        ("<!-- /facts -->", ""),
        "cell 1: expected the line <!-- /facts --> once, found it nowhere",
    ),
    "other facts": (
        1,
        "source",
        ("about 60", "about 50"),
        f"cell 1: what is built there is not what course.toml gives: {RUNS}",
    ),
    "other points": (
        5,
        "source",
        ("2 points", "3 points"),
        "cell 5: what is built there is not what course.toml gives",
    ),
    "few words": (2, "source", ("word " * 200, ""), "expected 1200 to 1800 words of prose, found 127: write more"),
    "many words": (2, "source", ("## How?", "## How?\n\n" + "word " * 600), "shorten it, or make two lessons"),
    "long code": (
        4,
        "source",
        ("print", "1\n" * 11 + "print"),
        "cell 4 (In [1]): expected at most 12 lines of code, found 13",
    ),
    "not run": (4, "execution_count", None, f"In [1] to In [7], found [None, 2, 3, 4, 5, 6, 7]: {RUNS} runs them"),
    "nothing stored": (4, "outputs", [], f"cell 4 (In [1]): expected its output, found none: {RUNS} stores it"),
    "an error": (4, "outputs", [{"output_type": "error", "ename": "E", "traceback": []}], "found an error, E: mend"),
    "a warning": (4, "outputs", [{"output_type": "stream", "name": "stderr", "text": "!"}], "found a warning: mend"),
    "a path": (4, "outputs", [{"output_type": "stream", "text": "in /home/ann"}], "on every machine, found '/home/'"),
    "a duration": (4, "outputs", [{"output_type": "stream", "text": ["1.5 ms"]}], "every machine, found '1.5 ms'"),
    "an address": (
        4,
        "outputs",
        [{"output_type": "execute_result", "data": {"text/plain": "<X at 0x7f00112233>"}}],
        "on every machine, found 'at 0x7f00112233'",
    ),
    "no picture": (2, "source", ("![What is seen here]", "[What]"), f"{NAME}: expected a picture, found none"),
    "a figure that is not shown": (2, "source", ("a.svg", "b.svg"), "figures/a.svg: expected a cell that shows it"),
    "no such figure": (
        2,
        "source",
        ("a.svg", "aa.svg"),
        "aa.svg is not there (did you mean figures/a.svg?): let draw()",
    ),
    "a picture in few words": (
        2,
        "source",
        ("What is seen here", "A picture"),
        "what is seen, in 3 words or more, found",
    ),
    "a dead link": (
        2,
        "source",
        ("(#how)", "(../02_two/)"),
        "cell 2: expected behind the link ../02_two/ a file of the",
    ),
    "a link out": (2, "source", ("(#how)", "(../../../)"), "cell 2: expected behind the link ../../../ a file of the"),
    "a dead anchor": (
        2,
        "source",
        ("(#how)", "(#hov)"),
        "the heading #hov in 01_one.ipynb, found none (did you mean how",
    ),
    "no network": (4, "source", ("kuiper.load", "print"), "expected a cell that loads a trained network, such as"),
    "no pass": (4, "source", ("graph(x)", "graph"), "expected a call of graph, the network that it loads, found none"),
    "no such exercise": (
        2,
        "source",
        ("`check double`", "`course.py check doubel`"),
        "exercise doubel (did you mean doub",
    ),
    "no section": (2, "source", ("## How?", "## Why?"), "1 (One), double: expected its section to be a heading of"),
    "no prediction": (
        4,
        "metadata",
        {},
        "cell 4 (In [1]): expected the tag predict, since cell 3 asks for a prediction",
    ),
    "nothing foreseen": (
        4,
        "metadata",
        {},
        f"{NAME}: expected a code cell with the tag predict, whose result the text",
    ),
    "not folded": (
        4,
        "metadata",
        {"tags": ["predict"]},
        "cell 4 (In [1]): expected jupyter.outputs_hidden in the metadata of a cell tagged predict, found none",
    ),
    "nothing asked": (3, "source", ("**Predict, then run:** what", "What"), "expected a question, **Predict, then run"),
    "foreseen text": (
        2,
        "metadata",
        {"tags": ["predict"]},
        "cell 2: expected a result under the tag predict, found no",
    ),
    "given away": (
        5,
        "source",
        ("## Summary", "So 1,729.\n\n## Summary"),
        "cell 5: expected nothing that gives away the result of cell 4 before the next heading, found 1729: fold it",
    ),
    "a cell too few": (6, "metadata", {}, f"{NAME}: expected 3 to 5 cells with the tag yours, which the reader fills"),
    "nothing is checked": (6, "source", ("check(a", "print(a"), "cell 6 (In [2]): expected under the tag yours a func"),
    "filled in": (
        6,
        "outputs",
        [{"output_type": "stream", "name": "stdout", "text": ["a: right, 1 of 1\n"]}],
        "cell 6 (In [2]): expected that a is left open",
    ),
    "no answer": (
        7,
        "source",
        ("def a", "def e"),
        "cell 6 (In [2]): expected directly below it a cell with the tag ans",
    ),
    "an unfolded answer": (7, "metadata", {}, "cell 6 (In [2]): expected directly below it a cell with the tag answer"),
    "a question without": (
        5,
        "source",
        ("details", "p"),
        "expected below each of the 1 questions of the section Exerc",
    ),
    "no question": (5, "source", ("1. Why?", "Why?"), "expected questions to think about, numbered, in the section"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_every_rule_for_notebooks_can_fail(small: Any, case: str) -> None:
    number, key, change, told = CHANGES[case]
    cells = small.stored()
    cell = cells[number - 1]
    if isinstance(change, tuple):
        old, new = change
        assert old in cell[key]
        change = cell[key].replace(old, new)
    cell[key] = change
    small.store(cells)
    found = small.faults()
    assert any(told in sentence for sentence in found), found


def test_every_rule_is_broken_by_some_change(small: Any) -> None:
    sound, broken = small.stored(), set()
    course = register.load(small.root)
    for number, key, change, _ in CHANGES.values():
        cells = copy.deepcopy(sound)
        cell = cells[number - 1]
        cell[key] = cell[key].replace(*change) if isinstance(change, tuple) else change
        small.store(cells)
        reading = lesson_form.read_book(course.lesson(1), course)
        with pytest.raises(StopIteration) as done:
            next(reading)
        broken |= {rule for rule in lesson_form.RULES if any(rule(done.value.value))}
    assert [rule.__name__ for rule in lesson_form.RULES if rule not in broken] == []


def entry(old: str, new: str) -> Callable[[Any], None]:
    """Changes a line of course.toml."""

    def change(small: Any) -> None:
        text = (small.root / "course.toml").read_text(encoding="utf-8")
        assert old in text
        small.write("course.toml", text.replace(old, new))

    return change


def renamed(old: str, new: str) -> Callable[[Any], None]:
    """Renames a file or folder."""
    return lambda small: (small.root / old).rename(small.root / new) and None


def written(path: str, content: str) -> Callable[[Any], None]:
    """Writes a file."""
    return lambda small: small.write(path, content)


SECOND = "[[lesson]]\nnumber = 2\ntitle = 'Two'\nsummary = 'More'\nfolder = '02_two'\nmodules = []\n"
LEFT = (
    "no lesson in course.toml has folder = '01_one' (did you mean 01_onne?): rename the folder, or write its [[lesson]]"
)
DIFFERS = "is not what course.toml gives: `python3 course.py dev build` writes it"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (entry('"01_one"', '"01_onne"'), f"lessons/01_one: {LEFT}"),
        (entry('"01_one"', '"01_onne"'), f"homework/01_one: {LEFT}"),
        (
            entry('"01_one"', '"01_onne"'),
            "there is no lessons/01_onne (did you mean 01_one?): correct it in course.toml",
        ),
        (entry('"01_one"', '"01_onne"'), "it has exercises, and there is no homework/01_onne: make the folder, or"),
        (entry('"01_one"', '"02_one"'), "expected a folder named 01_ and small letters, digits or _, found '02_one'"),
        (entry('"01_one"', '"01-One"'), "expected a folder named 01_ and small letters, digits or _, found '01-One'"),
        (entry("The first", " "), "write the summary of lesson 1 in course.toml, found ' '"),
        (entry("The first", "TODO: what?"), "write the summary of lesson 1 in course.toml, found 'TODO: what?'"),
        (
            entry("time = 60\n", ""),
            "(One): expected the minutes that the notebook takes, found none: write a line such as",
        ),
        (
            entry("kuiper.one", "kuiper.onne"),
            "names kuiper.onne, and there is no such file or folder (did you mean one?)",
        ),
        (entry("The first", "The very first"), f"lessons/README.md {DIFFERS}"),
        (entry('"Twice"', '"Two times"'), "cell 5: what is built there is not what course.toml gives"),
        (written("docs/map.svg", ""), f"docs/map.svg {DIFFERS}"),
        (written("lessons/README.md", ""), "README.md: expected the line <!-- lessons --> once, found it nowhere"),
        (written("lessons/07_seven/07_seven.ipynb", ""), "lessons/07_seven: no lesson in course.toml has folder"),
        (
            written("lessons/01_one/more.ipynb", ""),
            "expected one notebook, 01_one.ipynb, found 01_one.ipynb, more.ipynb",
        ),
        (
            renamed(NAME, "lessons/01_one/one.ipynb"),
            "lessons/01_one: expected one notebook, 01_one.ipynb, found one.ipynb",
        ),
        (written(NAME, "{}"), f"{NAME}: expected a notebook, found something else (KeyError 'cells')"),
        (written(NAME, "["), f"{NAME}: expected a notebook, found something else (JSONDecodeError"),
        (
            renamed("lessons/01_one/figures/a.svg", "lessons/01_one/figures/b.svg"),
            "a.svg is missing: `python3 course.py dev",
        ),
        (renamed("lessons/01_one/figures/a.svg", "lessons/01_one/figures/a.png"), "a.png: expected only .svg here"),
        (
            renamed("lessons/01_one/figures.py", "lessons/01_one/figure.py"),
            "expected lessons/01_one/figures.py, which draws",
        ),
        (
            written("lessons/01_one/figures/b.svg", ""),
            "01_one/figures: draw() gives no b.svg: let it draw that one, or",
        ),
        (
            written("lessons/01_one/figures.py", "def draw():\n    return {}\n"),
            "01_one/figures.py: draw() gives no picture",
        ),
        (written("lessons/01_one/figures/a.svg", "<svg/>"), "figures/a.svg: expected the element svg of http://www.w3"),
    ],
)
def test_every_rule_for_folders_and_course_toml_can_fail(small: Any, change: Callable[[Any], None], told: str) -> None:
    change(small)
    found = small.faults()
    assert any(told in sentence for sentence in found), found


def test_a_missing_list_of_lessons_is_told(small: Any) -> None:
    (small.root / "lessons" / "README.md").unlink()
    (told,) = small.faults()
    assert "README.md: expected a file with the lines <!-- lessons --> and <!-- /lessons -->, found none" in told


def test_a_lesson_after_the_first_says_what_to_read_before(small: Any) -> None:
    small.write("course.toml", (small.root / "course.toml").read_text(encoding="utf-8") + SECOND)
    needs = "expected the lessons to read before, found none: write a line such as needs = [{ lesson = 1 }]"
    assert any(needs in sentence for sentence in small.faults())


def test_a_lesson_that_only_reads_a_network_runs_none(small: Any) -> None:
    cells = small.stored()
    cells[3]["source"] = cells[3]["source"].replace("graph(x)", "graph")
    small.store(cells)
    entry("time = 60\n", "time = 60\nonly_reads = true\n")(small)
    assert small.faults() == []


def test_what_is_built_does_not_count_as_prose(small: Any) -> None:
    entry('"Twice"', json.dumps("Twice " * 700))(small)
    small.notebook(small.stored())
    assert not [sentence for sentence in small.faults() if "words of prose" in sentence]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("# models", (set(), False)),
        ("models = kuiper.load", (set(), False)),
        ('# graph = kuiper.load("../../models/digits/digits.pnnx.param"); graph(x)', (set(), False)),
        ('x = np.load("../../models/digits/heldout.npz")\nx(1)', (set(), False)),
        ('graph = kuiper.load("../../models/digits/none.pnnx.param")\ngraph(x)', (set(), False)),
        ("graph = (", (set(), False)),
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
    book = Book(COURSE.lesson(1), COURSE, (Cell(1, "code", source, (), 1, ()),))
    assert networks_in(book) == found


def dev(small: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.setattr(register, "ROOT", small.root)
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})


def test_the_command_tells_what_is_wrong_with_a_lesson_without_homework(
    small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (small.root / "course.toml").read_text(encoding="utf-8").partition("homework")[0]
    small.write("course.toml", text)
    (small.root / "homework" / "01_one" / "README.md").unlink()
    small.notebook([{**cell, "source": cell["source"].replace("`check double`", "")} for cell in small.stored()])
    lesson_regions.write(register.load(small.root))
    done = dev(small, monkeypatch, "check", "1")
    assert (done.exit_code, "All of it holds" in done.output) == (0, True), done.output
    small.write("course.toml", text.replace("time = 60\n", ""))
    done = dev(small, monkeypatch, "check")
    assert done.exit_code == 1
    assert "01_one: course.toml, lesson 1 (One): expected the minutes that the notebook takes" in done.output
    assert "3 problems" in done.output


def test_what_the_lessons_have_in_common_is_written_by_build(small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (small.root / "course.toml").read_text(encoding="utf-8").partition("homework")[0]
    small.write("course.toml", text.replace("The first", "The very first"))
    (small.root / "homework" / "01_one" / "README.md").unlink()
    done = dev(small, monkeypatch, "build", "1")
    assert "lessons/README.md: written" in done.output
    assert "The very first" in (small.root / "lessons/README.md").read_text(encoding="utf-8")
    assert not [sentence for sentence in small.faults() if "dev build" in sentence]


SECTION = (register.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## A new lesson")[1].split("\n## ")[0]


@pytest.mark.parametrize("key", [key for one in fields(Lesson) if (key := one.metadata.get(KEY, one.name))])
def test_what_an_author_writes_of_a_lesson_is_described(key: str) -> None:
    named = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in SECTION.splitlines() if line.startswith("|")))
    assert key in (*named, "exercise"), "homework/README.md describes the exercises"


def test_the_limits_that_authors_are_told_are_those_that_are_held() -> None:
    said = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?= to| words| lines| pixels)", SECTION)]
    longest = lesson_form.PROSE.stop - 1
    assert said == [lesson_form.PROSE.start, longest, lesson_form.LONGEST_CELL, figure_form.WIDEST]
