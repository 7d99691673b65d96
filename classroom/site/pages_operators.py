"""The page of docs/operators.md, with a section per family and an anchor per type."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import PurePosixPath

from classroom.site.docstrings import arrows
from classroom.site.links import relinked
from classroom.site.tree import Tree

FILE = PurePosixPath("docs/operators.md")
CELL = re.compile(r"(?<!\\)\|")


def write_operators(tree: Tree) -> None:
    """Write the page, if the table exists."""
    path = tree.root / FILE
    if path.is_file():
        tree.write(FILE, relinked(page_text(path.read_text(encoding="utf-8")), FILE, FILE, tree))


def page_text(text: str) -> str:
    """The Markdown of docs/operators.md, with a section per source file, and each type in the index."""
    lines = text.splitlines()
    start = max(number for number, line in enumerate(lines) if line.startswith("|---"))
    parts = ["\n".join(lines[: start - 1]).rstrip()]
    rows = [[cell.strip() for cell in CELL.split(line)[1:-1]] for line in lines[start + 1 :] if line.startswith("|")]
    for link, group in groupby(sorted(rows, key=family), key=lambda row: row[-1]):
        parts.append(f"## {family_title(link)}\n\nComputed in {link}.\n\n{_table(list(group))}")
    return "\n\n".join(parts) + "\n"


def family(row: list[str]) -> str:
    """Sort key of a row: the heading of its family."""
    return family_title(row[-1]).lower()


def family_title(link: str) -> str:
    """The heading of a family: its file name in words.

    >>> family_title("[group_norm.py](../kuiper/layers/normalization/group_norm.py)")
    'Group norm'
    """
    name = link[1 : link.index("]")].removesuffix(".py").removesuffix("/layer").removesuffix("/graph")
    return name.replace("_", " ").replace("/", ", ").capitalize()


def _table(rows: list[list[str]]) -> str:
    head = "| types | besides | options | what it computes |\n|---|---|---|---|"
    return "\n".join(
        [
            head,
            *(
                f"| {_indexed(types)} | {besides} | {options} | {arrows(what)} |"
                for types, _, besides, options, what, _ in rows
            ),
        ]
    )


def _indexed(types: str) -> str:
    """Mark each type in a cell for the search index."""
    return " ".join(f"{{operator}}`{name}`" for name in re.findall(r"`([^`]+)`", types))
