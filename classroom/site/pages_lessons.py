"""The lessons' pages: the notebooks with their stored outputs, each below a box with prerequisites and material."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any

from classroom.lesson_words import ANSWER, FACTS, PREDICT, needs_words, points_words, time_words, without_region
from classroom.register import Lesson
from classroom.site import lesson_facts, moving_places, progress
from classroom.site.links import relinked, slug
from classroom.site.live.places import lesson_place
from classroom.site.pages_api import api_page
from classroom.site.tree import Tree, has_exercises, homework_page, lesson_page, way
from classroom.started import DOCUMENTED

KEPT = (
    "Your ticks, guesses, changed cells and answers are kept in this browser, and sent to nobody. A lesson is ticked "
    "by you, or by itself once its exercises, but for a bonus, are solved. To take all of it to another browser, save "
    "it to a file."
)


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
    predicts = any(PREDICT in cell["metadata"].get("tags", ()) for cell in notebook["cells"])
    said = heading = ""
    for number, cell in enumerate(notebook["cells"]):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if number == 0:
                text = f"{without_region(text, FACTS)}\n\n{info_box(lesson, tree, predicts)}"
            linked = relinked(text, file, page, tree)
            cell["source"], heading = moving_places.with_pictures(linked, pictures, heading)
            if number == 0:
                cell["source"] += f"\n\n{moving_places.raw(lesson_place(lesson, page))}\n"
            said = text
        else:
            _dress(cell, last_words(said))
    for place in pictures:
        words = f" and under it {place.after!r}" * bool(place.after)
        tree.warnings.append(
            f"{file}: expected the heading {place.heading!r}{words} for the moving picture {place.name}"
        )
    tree.add(notebook_file(lesson), path.read_bytes())
    notebook["metadata"]["language_info"] = {"name": "python"}
    tree.write(page, json.dumps(notebook, ensure_ascii=False))


def notebook_file(lesson: Lesson) -> PurePosixPath:
    """Where the site has a lesson's notebook to take away."""
    return PurePosixPath("download", f"{lesson.folder}.ipynb")


def last_words(text: str) -> str:
    """The last paragraph of a Markdown text as plain text: it describes the cell below.

    >>> last_words("# A\\n\\nOne.\\n\\n**Guess**, then run: what\\nis [`x`](x.md)?")
    'Guess, then run: what is x?'
    """
    last = text.strip().split("\n\n")[-1]
    return " ".join(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", last).replace("*", "").replace("`", "").split())


def _dress(cell: dict[str, Any], said: str) -> None:
    """Fold the output of a cell that is to be foreseen and an answer to one that the reader fills in; alt texts.

    The alt text is the picture's own, or the text above the cell.
    """
    tags = cell["metadata"].setdefault("tags", [])
    if PREDICT in tags:
        tags += ["hide-output", *([f"{progress.GUESS}{cell['id']}"] if cell.get("id") else [])]
    if ANSWER in tags:
        tags.append("hide-input")
        cell["metadata"]["mystnb"] = {"code_prompt_show": "Stuck? Show one answer", "code_prompt_hide": "Hide it"}
    for output in cell["outputs"]:
        kind = next((kind for kind in output.get("data", {}) if kind.startswith("image/")), "")
        if kind:
            label = re.search(r'aria-label="([^"]*)"', "".join(output["data"][kind]))
            own = label[1] if label else output.get("metadata", {}).get(kind, {}).get("alt")
            cell["metadata"]["mystnb"] = {"image": {"alt": own or said or "What the cell draws"}}


def info_box(lesson: Lesson, tree: Tree, predicts: bool) -> str:
    """The box under a lesson's title; links are relative to the notebook's folder."""
    up, page = "../..", lesson_page(lesson)
    lines = [
        f"- **Open it:** `{DOCUMENTED} lab {lesson.number}` opens this page as a notebook in JupyterLab, where "
        f"you run and change its cells ([first steps]({up}/first_steps.md)). "
        f'Or <a href="{up}/{notebook_file(lesson)}" download>take the notebook</a>: it runs in the course\'s folder.',
        f"- **Read before:** {needs_words(lesson, tree.course, lambda one: way(page, lesson_page(one)))}.",
    ]
    if lesson.time:
        lines.append(f"- **Time:** {time_words(lesson)}.")
    lines += _material(lesson, tree, up)
    if predicts:
        lines.append(
            "- Where it says *Predict, then run*, guess first: the answer, and the text up to the next heading, "
            "wait for it."
            '<span class="gate-count"></span>'
        )
    return ":::{admonition} About this lesson\n:class: lesson-box\n\n" + "\n".join(lines) + "\n:::"


def _material(lesson: Lesson, tree: Tree, up: str) -> list[str]:
    """Lines on modules, exercises and tests, as far as they exist."""
    lines = []
    modules = [module for module in lesson.modules if api_page(module) in tree.pages]
    if modules:
        links = [f"[{module}]({up}/{api_page(module)})" for module in modules]
        lines.append(f"- **Modules it builds:** {', '.join(links)}.")
    if has_exercises(lesson):
        names = ", ".join(f"`{one.id}` ({points_words(one)})" for one in lesson.exercises)
        lines.append(f"- **Exercises:** [homework {lesson.number}]({up}/{homework_page(lesson)}): {names}.")
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
    return (
        f"# Lessons\n\n{words}\n\n{rows}\n\n## Your progress\n\n{KEPT}\n\n{moving_places.raw(progress.SHELF.strip())}\n"
    )


def lesson_rows(tree: Tree, page: PurePosixPath, minutes: bool = False) -> str:
    """The table of lessons: number, title, optionally duration, and exercises."""
    time = " time |" if minutes else ""
    rows = [f"| no. | lesson | what it is about |{time} exercises |", f"|--:|---|---|{'---|' * minutes}---|"]
    for lesson in tree.course.lessons:
        points = f"[{lesson.points} points]({way(page, homework_page(lesson))})" if has_exercises(lesson) else ""
        link = f"[{lesson.title}]({way(page, lesson_page(lesson))})"
        time = f" {f'{lesson.time} min' if lesson.time else ''} |" if minutes else ""
        rows.append(f"| {lesson.number} | {link} | {lesson.summary} |{time} {points} |")
    return "\n".join(rows)


def section_link(lesson: Lesson, section: str, page: PurePosixPath) -> str:
    """A Markdown link from a page to a section of a lesson; only its name if there is no notebook."""
    if not lesson.notebook() or not section:
        return section
    return f"[{section}]({way(page, lesson_page(lesson))}#{slug(section)})"
