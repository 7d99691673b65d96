"""The front page, the first steps, the page to look at a network, and the menu."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from classroom.site import viewer
from classroom.site.front import exhibits, network, pictures
from classroom.site.links import relinked
from classroom.site.pages_lessons import lesson_rows
from classroom.site.tree import Tree, has_exercises, homework_page, lesson_page

WORDS_FOLDER = Path(__file__).with_name("words")
INDEX, FIRST_STEPS = PurePosixPath("index.md"), PurePosixPath("first_steps.md")
NETWORK, SHARED = PurePosixPath("front/digits-network.js"), PurePosixPath("front/shared.png")
LINE = "Build a deep-learning inference framework in Python, lesson by lesson, and run real networks on your own code."
"""What the site is: above the front page, on the picture that goes with a link to it, and to search engines."""
DOWNLOAD = PurePosixPath("download/course.zip")
NAMES = {"lessons/index.md": "All lessons </lessons/index>", "homework/index.md": "All exercises </homework/index>"}
"""Menu entries with a title other than their page's."""


def menu(tree: Tree) -> dict[str, list[str]]:
    """The menu: heading -> pages."""
    lessons = tree.course.lessons
    models = sorted({str(page) for page in tree.pages.values() if page.match("models/*/README.md")})
    guides = sorted({str(page) for page in tree.pages.values() if page.match("docs/*.md")})
    guides = [page for page in guides if page != "docs/operators.md"]
    found = {
        "Start": ["first_steps.md"],
        "Lessons": ["lessons/index.md", *(str(lesson_page(lesson)) for lesson in lessons)],
        "Exercises": ["homework/index.md", *(str(homework_page(one)) for one in lessons if has_exercises(one))],
        "Look up": ["lessons/glossary.md", "framework.md", "api/index.md", "docs/operators.md"],
        "Networks and speed": [
            "models/README.md",
            *models,
            str(viewer.PAGE),
            "benchmarks/RESULTS.md",
            "benchmarks/RESULTS-AVX2.md",
            "benchmarks/README.md",
        ],
        "Teach": ["teach.md", *guides, "homework/README.md"],
        "Take part": ["CONTRIBUTING.md", "CHANGELOG.md"],
    }
    there = {str(page) for page in tree.pages.values()}
    return {heading: [page for page in pages if page in there] for heading, pages in found.items()}


def menu_pages(tree: Tree) -> set[PurePosixPath]:
    """All pages in the menu."""
    return {PurePosixPath(page) for pages in menu(tree).values() for page in pages}


def write_front(tree: Tree, download: int) -> None:
    """Write the front page with its exhibits and menu, the first steps, and the page to look at a network.

    `download` : size of course.zip, or 0.
    """
    parts = {"COURSE": _where(download), "OWN": exhibits.raw(viewer.OWN), **_exhibits(tree, download)}
    for page in (INDEX, FIRST_STEPS, viewer.PAGE):
        text = (WORDS_FOLDER / page).read_text(encoding="utf-8")
        text = relinked(text, page, page, tree)
        for name, part in parts.items():
            text = text.replace(f"<!-- {name} -->", part)
        tree.write(page, text + (_menu(tree) if page == INDEX else ""))


def _exhibits(tree: Tree, download: int) -> dict[str, str]:
    """What the front page shows, by its place in the text; its files are added to the site."""
    model = tree.root / "models/digits"
    tree.add(NETWORK, network.script(model).encode())
    detection, mask = pictures.detection(), pictures.mask()
    seen = []
    for shown, caption in ((detection, "What the detector finds"), (mask, "What the segmenter finds")):
        file = PurePosixPath("front", f"{shown.name}.jpg")
        tree.add(file, shown.jpeg())
        seen.append((shown, file, f"{caption} in a photograph that it was not trained on"))
    tree.add(SHARED, pictures.shared("Kuiper", LINE, detection))
    first = lesson_page(tree.course.lesson(1)).with_suffix(".html")
    operators, parameters = network.counts(model)
    return {
        "LINE": LINE,
        "START": exhibits.doors(tree.course, str(first), str(DOWNLOAD), download),
        "DIGIT": exhibits.digit(NETWORK),
        "OPERATORS": str(operators),
        "PARAMETERS": f"{parameters:,}",
        "SEEN": exhibits.seen(seen),
        "LESSONS": lesson_rows(tree, INDEX),
    }


def _where(download: int) -> str:
    if download:
        size = f"{download / 1e6:.0f} MB"
        return f'Take <a href="{DOWNLOAD}" download>course.zip</a> ({size}) from this site and unpack it.'
    return "Take `course.zip` from whoever gave you this site, or clone the repository."


def _menu(tree: Tree) -> str:
    trees = []
    for heading, pages in menu(tree).items():
        entries = "\n".join(NAMES.get(page, f"/{page}") for page in pages)
        trees.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{entries}\n```")
    return "\n" + "\n\n".join(trees) + "\n"
