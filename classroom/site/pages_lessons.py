"""The lessons' pages: the notebooks with their stored outputs, each below a box with prerequisites and material."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any

from classroom.register import Lesson
from classroom.site import lesson_facts, moving_places
from classroom.site.links import relinked, slug
from classroom.site.pages_api import api_page
from classroom.site.tree import Tree, has_exercises, homework_page, lesson_page, way
from classroom.started import DOCUMENTED

PREDICT = "**predict, then run"
HEADING = re.compile(r"^#{1,3} +(.+?)\s*$", re.M)
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$", re.M | re.S)


def write_lessons(tree: Tree) -> None:
    """Write a page per lesson in course.toml, and their index."""
    for lesson in tree.course.lessons:
        if lesson.notebook():
            _write_notebook(lesson, tree)
        else:
            _write_to_come(lesson, tree)
    tree.write(PurePosixPath("lessons/index.md"), _index(tree))


def _write_notebook(lesson: Lesson, tree: Tree) -> None:
    page, path = lesson_page(lesson), lesson.notebook()
    assert path is not None
    notebook = json.loads(path.read_text(encoding="utf-8"))
    file = PurePosixPath(path.relative_to(tree.root).as_posix())
    pictures = moving_places.wanted(page)
    predicted, said = False, ""
    for number, cell in enumerate(notebook["cells"]):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if number == 0:
                begun = lesson_facts.opening(text)
                text = f"{begun.text}\n\n{info_box(lesson, begun, notebook, tree)}"
            cell["source"] = with_pictures(relinked(text, file, page, tree), pictures)
            predicted, said = PREDICT in text.lower(), text
        else:
            _dress(cell, predicted, last_words(said))
            predicted = False
    if pictures:
        tree.warnings.append(f"{file}: expected the heading {next(iter(pictures))!r} for a moving picture")
    notebook["metadata"]["language_info"] = {"name": "python"}
    tree.write(page, json.dumps(notebook, ensure_ascii=False))


def with_pictures(text: str, pictures: dict[str, str]) -> str:
    """Insert each animation at the end of its heading's text in a cell; inserted ones are removed from `pictures`."""
    hidden = FENCE.sub(lambda found: "\0" * len(found[0]), text)
    headings = list(HEADING.finditer(hidden))
    for place in reversed(range(len(headings))):
        snippet = pictures.pop(headings[place][1], None)
        if snippet is not None:
            end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
            text = f"{text[:end].rstrip()}\n\n{moving_places.raw(snippet)}\n\n{text[end:]}"
    return text


def last_words(text: str) -> str:
    """The last paragraph of a Markdown text as plain text: it describes the cell below.

    >>> last_words("# A\\n\\nOne.\\n\\n**Guess**, then run: what\\nis [`x`](x.md)?")
    'Guess, then run: what is x?'
    """
    last = text.strip().split("\n\n")[-1]
    return " ".join(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", last).replace("*", "").replace("`", "").split())


def _dress(cell: dict[str, Any], predicted: bool, said: str) -> None:
    """Fold the output of a cell that asks for a prediction, and give pictures alt text.

    The alt text is the picture's own, or the text above the cell.
    """
    tags = cell["metadata"].setdefault("tags", [])
    if predicted and cell["outputs"]:
        tags.append("hide-output")
    for output in cell["outputs"]:
        kind = next((kind for kind in output.get("data", {}) if kind.startswith("image/")), "")
        if kind:
            label = re.search(r'aria-label="([^"]*)"', "".join(output["data"][kind]))
            own = label[1] if label else output.get("metadata", {}).get(kind, {}).get("alt")
            cell["metadata"]["mystnb"] = {"image": {"alt": own or said or "What the cell draws"}}


def info_box(lesson: Lesson, begun: lesson_facts.Opening, notebook: dict, tree: Tree) -> str:
    """The box under a lesson's title; links are relative to the notebook's folder."""
    up = "../.."
    lines = [
        f"- **Open it:** `{DOCUMENTED} lab {lesson.number}` opens this page as a notebook in JupyterLab, where "
        f"you run and change its cells ([first steps]({up}/first_steps.md)).",
        f"- **Read before:** {linked_needs(begun.needs, lesson, tree) or _before(lesson, tree)}.",
        f"- **Time:** {lesson_facts.lesson_time(begun.time, notebook, lesson)}.",
        *_material(lesson, tree, up),
    ]
    if any(PREDICT in "".join(cell["source"]).lower() for cell in notebook["cells"]):
        lines.append("- Where it says *Predict, then run*, the answer is folded: guess first.")
    return ":::{admonition} About this lesson\n:class: lesson-box\n\n" + "\n".join(lines) + "\n:::"


def linked_needs(needs: str, lesson: Lesson, tree: Tree) -> str:
    """The lesson's prerequisites, with lesson numbers as links unless the notebook has links."""
    if "](" in needs or not needs.lower().startswith("lesson"):
        return needs
    pages = {str(one.number): way(lesson_page(lesson), lesson_page(one)) for one in tree.course.lessons}

    def link(found: re.Match[str]) -> str:
        return f"[{found[0]}]({pages[found[0]]})" if found[0] in pages else found[0]

    parts = re.split(r"(`[^`]*`|\([^()]*\))", needs)
    return "".join(part if part.startswith(("`", "(")) else re.sub(r"\b\d+\b", link, part) for part in parts)


def _before(lesson: Lesson, tree: Tree) -> str:
    if lesson.number == 1:
        return "nothing: Python is all you need"
    before = tree.course.lesson(lesson.number - 1)
    return f"[lesson {before.number}]({way(lesson_page(lesson), lesson_page(before))})"


def _material(lesson: Lesson, tree: Tree, up: str) -> list[str]:
    """Lines on modules, exercises and tests, as far as they exist."""
    lines = []
    modules = [module for module in lesson.modules if api_page(module) in tree.pages]
    if modules:
        links = [f"[{module}]({up}/{api_page(module)})" for module in modules]
        lines.append(f"- **Modules it builds:** {', '.join(links)}.")
    if has_exercises(lesson):
        names = ", ".join(f"`{one.id}` ({one.points}{', a bonus' * one.stretch})" for one in lesson.exercises)
        lines.append(
            f"- **Exercises:** [homework {lesson.number}]({up}/{homework_page(lesson)}), with their points: {names}."
        )
    tests = list(dict.fromkeys(path for module in modules if (path := lesson_facts.module_tests(module, tree))))
    links = [f"[{path}]({up}/{path})" for path in tests]
    if has_exercises(lesson):
        links.append(f"[the exercises' public tests]({up}/homework/{lesson.folder}/public.py)")
    if links:
        lines.append(f"- **Tests:** {', '.join(links)}.")
    return lines


def _write_to_come(lesson: Lesson, tree: Tree) -> None:
    page = lesson_page(lesson)
    material = _material(lesson, tree, "../..")
    text = [
        f"# Lesson {lesson.number}: {lesson.title}",
        f"{lesson.summary}.",
        "The notebook of this lesson is to come.",
    ]
    if material:
        text += ["What is there already:", "\n".join(material)]
    tree.write(page, relinked("\n\n".join(text) + "\n", page, page, tree))


def _index(tree: Tree) -> str:
    """The index of lessons."""
    rows = lesson_rows(tree, PurePosixPath("lessons/index.md"), minutes=True)
    words = (
        "Each builds one stage of the framework. The time is for the notebook alone: at the top of each lesson stands "
        "how long its exercises take, and what to read before."
    )
    return f"# Lessons\n\n{words}\n\n{rows}\n"


def lesson_rows(tree: Tree, page: PurePosixPath, minutes: bool = False) -> str:
    """The table of lessons: number, title, optionally duration, and exercises."""
    time = " time |" if minutes else ""
    rows = [f"| no. | lesson | what it is about |{time} exercises |", f"|--:|---|---|{'---|' * minutes}---|"]
    for lesson in tree.course.lessons:
        points = f"[{lesson.points} points]({way(page, homework_page(lesson))})" if has_exercises(lesson) else ""
        link = f"[{lesson.title}]({way(page, lesson_page(lesson))})"
        time = f" {_minutes(lesson)} |" if minutes else ""
        rows.append(f"| {lesson.number} | {link} | {lesson.summary} |{time} {points} |")
    return "\n".join(rows)


def _minutes(lesson: Lesson) -> str:
    """The duration of a lesson's notebook, such as "75 min"; "" if there is none."""
    path = lesson.notebook()
    if path is None:
        return ""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    said = lesson_facts.opening("".join(notebook["cells"][0]["source"])).time
    found = re.search(r"\d+(?= minutes)", lesson_facts.lesson_time(said, notebook, lesson))
    return f"{found[0]} min" if found else ""


def section_link(lesson: Lesson, section: str, page: PurePosixPath) -> str:
    """A Markdown link from a page to a section of a lesson; only its name if there is no notebook."""
    if not lesson.notebook() or not section:
        return section
    return f"[{section}]({way(page, lesson_page(lesson))}#{slug(section)})"
