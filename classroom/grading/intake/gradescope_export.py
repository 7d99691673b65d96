"""Gradescope's submission_metadata.yml: who handed in what, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from classroom.grading.intake.stamps import timestamp
from classroom.grading.late import plain_name

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 256 << 20
MAX_FOLDS = 40
"""Maximum number of lines over which one text is folded."""
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_KEY = re.compile(r"\s*(- )?:?\w+:(\s|$)")
_TOP = re.compile(r"^(['\"]?)(submission_[\w-]+)\1:\s*$")
_FIELD = re.compile(r"^(\s*)(- )?:?(submitters|name|sid|email|created_at|history|results)['\"]?:\s*(.*?)\s*$")


@dataclass(frozen=True)
class Submitter:
    """One person who handed in, as Gradescope knows them."""

    name: str = ""
    sid: str = ""
    email: str = ""

    @property
    def key(self) -> str:
        """E-mail, else student id, else name."""
        return plain_name(self.email or self.sid or self.name)


def read_metadata(text: str) -> dict[str, tuple[tuple[Submitter, ...], datetime | None]]:
    """Parse Gradescope's metadata: submission_NNN -> (submitters, time). What cannot be parsed is skipped.

    Each member of a group is a submitter. This parses only the lines that Gradescope writes, not YAML in general.
    """
    found: dict[str, tuple[tuple[Submitter, ...], datetime | None]] = {}
    current, section = "", ""
    people: list[dict[str, str]] = []
    time: datetime | None = None

    def close() -> None:
        if current:
            known = [Submitter(**{key: plain_name(value) for key, value in one.items()}) for one in people]
            found[current] = (tuple({one.key: one for one in known if one.key}.values()), time)

    for line in _unfolded(text):
        top = _TOP.match(line)
        if top or (line[:1].strip() and not line.startswith(("-", "#"))):
            close()
            current, section, people, time = (top[2] if top else ""), "", [], None
            continue
        field = _FIELD.match(line)
        if not current or not field:
            continue
        indent, item, key, value = len(field[1]), bool(field[2]), field[3], _scalar(field[4])
        if indent == 2 and not item and key in ("submitters", "history", "results"):
            section = key
        elif indent == 2 and not item and key == "created_at":
            section, time = "", timestamp(value)
        elif section == "submitters" and key in ("name", "sid", "email"):
            if item or not people:
                people.append({})
            people[-1][key] = value
    close()
    return found


def _unfolded(text: str) -> Iterator[str]:
    """The lines, with long names whole again: writers of YAML fold what is longer than 80 characters.

    A quoted text goes on until its quote is closed; another one in all deeper lines that are no field.
    """
    lines = text.splitlines()
    place = 0
    while place < len(lines):
        line, place = lines[place], place + 1
        field = _FIELD.match(line)
        if field and field[4] and field[3] in ("name", "sid", "email"):
            opened, parts = _is_open(field[4]), [line.rstrip()]
            for more in lines[place : place + MAX_FOLDS]:
                deeper = len(more) - len(more.lstrip()) > len(field[1]) + len(field[2] or "")
                if not (deeper or not more.strip()) or (not opened and (not deeper or _KEY.match(more))):
                    break
                parts.append(more.strip())
                if opened and not _is_open(" ".join((field[4], *parts[1:]))):
                    break
            if not opened or not _is_open(" ".join((field[4], *parts[1:]))):
                line, place = " ".join(filter(None, parts)), place + len(parts) - 1
        yield line


def _is_open(text: str) -> bool:
    """Whether a quoted scalar is not closed yet."""
    return text[:1] in ("'", '"') and not _QUOTED.fullmatch(text)


def _scalar(text: str) -> str:
    """A YAML scalar on one line, without its quotes.

    >>> _scalar("'O''Neill'"), _scalar("null")
    ("O'Neill", '')
    """
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return "" if text in ("null", "~") else text
