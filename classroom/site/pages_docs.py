"""Pages from the course's Markdown: models, benchmarks, glossary, the guides, and sections of README.md."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from classroom.site import moving_places
from classroom.site.links import relinked
from classroom.site.tree import Tree

FOLDERS = ("docs", "models", "benchmarks", "kuiper", "homework", "lessons")
"""Folders whose Markdown files are on the site, beside the top folder's."""
PAGES_ELSEWHERE = ("lessons/README.md", "docs/operators.md")
"""Files with pages written by other modules."""
SECTIONS = {"teach.md": "For instructors", "framework.md": "The framework"}
"""Page -> the section of README.md on it."""
README = PurePosixPath("README.md")


def markdown_files(tree: Tree) -> list[PurePosixPath]:
    """The Markdown files that become pages unchanged, sorted."""
    found = [path for path in tree.root.glob("*.md") if path.name != "README.md"]
    for folder in FOLDERS:
        found += (tree.root / folder).rglob("*.md")
    names = sorted(PurePosixPath(path.relative_to(tree.root).as_posix()) for path in found)
    exercises = {name for name in names if name.parts[0] == "homework" and len(name.parts) == 3}
    hidden = {name for name in names if any(part.startswith((".", "_")) for part in name.parts)}
    return [
        name
        for name in names
        if tree.shown(name) and str(name) not in PAGES_ELSEWHERE and name not in exercises | hidden
    ]


def write_docs(tree: Tree, listed: set[PurePosixPath]) -> None:
    """Write a page per Markdown file and per section in SECTIONS; pages not in a menu become Sphinx orphans."""
    for file in markdown_files(tree):
        text = (tree.root / file).read_text(encoding="utf-8")
        title, _, rest = _without_gaps(text).partition("\n")
        pictures = moving_places.wanted(file)
        for place in [one for one in pictures if not one.heading]:
            intro, between, below = rest.partition("\n## ")
            rest = f"{intro.rstrip()}\n\n{moving_places.raw(pictures.pop(place))}\n{between}{below}"
        front = "" if file in listed else "---\norphan: true\n---\n"
        text, _ = moving_places.with_pictures(relinked(f"{title}\n{rest}", file, file, tree), pictures)
        tree.write(file, front + text)
    for name, heading in SECTIONS.items():
        page = PurePosixPath(name)
        text = section((tree.root / README).read_text(encoding="utf-8"), heading)
        tree.write(page, relinked(text, README, page, tree))


def _without_gaps(text: str) -> str:
    """Promote third-level headings to second level on a page without any, such as the glossary."""
    levels = set(re.findall(r"^(#+) ", text, re.M))
    return re.sub(r"^### ", "## ", text, flags=re.M) if levels == {"#", "###"} else text


def section(text: str, heading: str) -> str:
    """A section of a Markdown text as a separate text; "" if there is none.

    >>> section("# A\\n\\n## B\\n\\nb\\n\\n### C\\n\\n## D\\n", "B")
    '# B\\n\\nb\\n\\n## C\\n'
    """
    hidden = re.sub(r"^(`{3}).*?^\1", lambda found: "\0" * len(found[0]), text, flags=re.M | re.S)
    start = re.search(rf"^## {re.escape(heading)}\s*$", hidden, re.M)
    if not start:
        return ""
    end = re.search(r"^## ", hidden[start.end() :], re.M)
    part = text[start.start() : start.end() + end.start() if end else len(text)]
    mask = hidden[start.start() : start.start() + len(part)]
    marks = [found.start() for found in re.finditer(r"^##", mask, re.M)]
    for place in reversed(marks):
        part = part[:place] + part[place + 1 :]
    return part.strip() + "\n"
