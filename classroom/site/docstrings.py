"""Convert docstrings to reStructuredText: the course's docstrings are plain text with `code` and >>> examples."""

from __future__ import annotations

import inspect
import re

PIECE = re.compile(r"`([^`\n]+)`|https?://[^\s,;)]*[^\s,;).]")
BULLET = re.compile(r"(- |\d+\. )")
STRUCTURE = re.compile(r"[^\w\s`\\]|\w+[.)](\s|$)|\(\w+\)(\s|$)")
"""What would start a list, title, directive or the like."""
UNDERLINE = re.compile(r"^-{3,}$")
OWN_LINE = re.compile(r"\n((?:Raises|Source:|Sources:) )")
PARAMETER = re.compile(r"^([\w*, ]+?)\s+:\s+(.*)$")
COLUMNS = re.compile(r"\S {2,}\S")
"""A gap of several spaces, found in tables but not in sentences."""


def restructured(lines: list[str]) -> list[str]:
    """The lines of a docstring as reStructuredText.

    Examples stay, indented blocks are literal, `x` is code, and characters special in reStructuredText are
    escaped. The word -> becomes an arrow.

    >>> restructured(["y = x*w, with `w` as weight_"])
    ['y = x\\\\*w, with ``w`` as weight\\\\_', '']
    """
    out: list[str] = []
    text = OWN_LINE.sub(r"\n\n\1", inspect.cleandoc("\n".join(lines)))
    for block in _blocks(text.split("\n")):
        out += [*_block(block), ""]
    return out


def _blocks(lines: list[str]) -> list[list[str]]:
    """Blocks of lines separated by blank lines; an indented block may contain blank lines."""
    blocks: list[list[str]] = []
    gap = True
    for line in lines:
        if not line.strip():
            gap = True
            continue
        if gap and blocks and line.startswith("    ") and blocks[-1][0].startswith("    "):
            blocks[-1] += ["", line]
        elif gap or not blocks:
            blocks.append([line])
        else:
            blocks[-1].append(line)
        gap = False
    return blocks


def _block(block: list[str]) -> list[str]:
    first = block[0]
    if first.startswith(">>>"):
        return block
    if first.startswith(" "):
        return ["::", "", *(f"    {line}" for line in inspect.cleandoc("\n".join(block)).split("\n"))]
    if len(block) > 1 and UNDERLINE.match(block[1]) and first[0].isalpha():
        return [f"**{first}**", "", *_items(block[2:])]
    if PARAMETER.match(first):
        return _items(block)
    if all(COLUMNS.search(line) for line in block):
        return ["::", "", *(f"    {line}" for line in block)]
    return _with_lists(block)


def _items(lines: list[str]) -> list[str]:
    """The lines of a section such as Parameters: `name : description` becomes a list item."""
    out: list[str] = []
    for line in lines:
        found = PARAMETER.match(line)
        if found and not line.startswith(" "):
            out.append(f"- ``{found[1]}``: {escaped(found[2])}")
        else:
            out.append(f"  {escaped(line.strip())}" if out else escaped(line.strip()))
    return out


def _with_lists(block: list[str]) -> list[str]:
    """A paragraph, with any list items in it as a list."""
    out: list[str] = []
    listed = False
    for line in block:
        marker = BULLET.match(line)
        if marker:
            if out and not listed:
                out.append("")
            listed = True
            out.append(f"{marker[0]}{escaped(line[marker.end() :])}")
        elif listed:
            out.append(" " * (len(line) - len(line.lstrip()) or 2) + escaped(line.strip()))
        else:
            out.append(escaped(line.strip()))
    return out


def escaped(line: str) -> str:
    """A line with only `code` and URLs marked up, and everything else escaped."""
    out, end = [], 0
    for found in PIECE.finditer(line):
        out += [_plain(line[end : found.start()]), _piece(found, line)]
        end = found.end()
    text = "".join([*out, _plain(line[end:])])
    return f"\\{text}" if STRUCTURE.match(text) else text


def _piece(found: re.Match[str], line: str) -> str:
    if found[1] is None:
        marked = f"`{_plain(found[0])} <{_plain(found[0])}>`__"
    elif found[1].strip() == found[1]:
        marked = f"``{found[1]}``"
    else:
        return _plain(found[0])
    before, after = line[: found.start()], line[found.end() :]
    left = "" if not before or before[-1].isspace() else "\\ "
    right = "" if not after or after[0].isspace() else "\\ "
    return f"{left}{marked}{right}"


def _plain(text: str) -> str:
    return re.sub(r"([\\*_|`@]|:(?=:))", r"\\\1", arrows(text))


def arrows(text: str) -> str:
    """Replace the word -> by an arrow character, which is not broken across lines.

    >>> arrows('(n) -> (), as "i->" says')
    '(n) \u2192 (), as "i->" says'
    """
    return re.sub(r"(?<!\S)->(?!\S)", "\u2192", text)
