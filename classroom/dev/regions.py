"""Regions of Markdown that are built: what stands between the lines `<!-- NAME -->` and `<!-- /NAME -->`.

Around them an author writes by hand. The text of a region comes from course.toml, so that nothing is told twice.
"""

from __future__ import annotations

import re
from pathlib import Path


class RegionError(Exception):
    """The marks of a region are missing, doubled or in the wrong order."""


def replaced(text: str, name: str, body: str, where: str) -> str:
    """`text` with `body` between the marks of region `name`; `where` names the text in errors. Raises RegionError.

    >>> replaced("a\\n<!-- tasks -->\\nold\\n<!-- /tasks -->\\nb", "tasks", "new", "README.md")
    'a\\n<!-- tasks -->\\n\\nnew\\n\\n<!-- /tasks -->\\nb'
    """
    begin, end = _inside(text, name, where)
    body = body.strip("\n")
    return text[:begin] + (f"\n\n{body}\n\n" if body else "\n") + text[end:]


def content(text: str, name: str, where: str) -> str:
    """What stands in region `name`, without empty lines around it. Raises RegionError.

    >>> content("<!-- tasks -->\\n\\none\\n\\n<!-- /tasks -->", "tasks", "README.md")
    'one'
    """
    begin, end = _inside(text, name, where)
    return text[begin:end].strip("\n")


def written(path: Path, name: str, body: str) -> str:
    """The text that the Markdown file `path` should have, with `body` in region `name`. Raises RegionError, OSError."""
    return replaced(path.read_text(encoding="utf-8"), name, body, "/".join(path.parts[-2:]))


def _inside(text: str, name: str, where: str) -> tuple[int, int]:
    """Where the content of a region begins, after its first mark, and where it ends, before its last."""
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    places = []
    for mark in (first, last):
        found = list(re.finditer(rf"^{re.escape(mark)}[ \t]*$", text, re.MULTILINE))
        if len(found) != 1:
            raise RegionError(
                f"{where}: expected the line {mark} once, found it {_times(len(found))}: put {first} and {last} on "
                f"lines of their own where the built text belongs"
            )
        places.append(found[0])
    if places[0].start() > places[1].start():
        raise RegionError(
            f"{where}: expected {first} before {last}, found them the other way round: swap the two lines"
        )
    return places[0].end(), places[1].start()


def _times(count: int) -> str:
    return {0: "nowhere", 2: "twice"}.get(count, f"{count} times")
