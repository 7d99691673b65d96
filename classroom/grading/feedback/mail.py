"""A mail-merge table: whom to send which page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from classroom.grading.exports.tables import csv_text

COLUMNS = ("name", "email", "file")
ADDRESS = re.compile(r"[^\s@,;:<>()\"\\?&]+@[^\s@,;:<>()\"\\?&]+")
"""One e-mail address, without anything that a header or a `mailto:` gives a meaning."""


class Addressee(Protocol):
    """What the table needs to know of a student."""

    @property
    def name(self) -> str:
        """The name as the class list has it."""

    @property
    def email(self) -> str:
        """The address; "" if unknown."""


def mail_csv(names: Mapping[str, str], people: Mapping[str, Addressee]) -> str:
    """mail.csv: a row per page, the file relative to the folder of results.

    The address is empty where none is known, and where a mail program could read more than one person's from it: then
    somebody else would get the page.

    names : student -> file name in `feedback/`. people : student -> who that is in the class list.
    """
    rows: list[tuple[str, str, str]] = [COLUMNS]
    for student, file in names.items():
        known = people.get(student)
        name, email = (known.name, known.email) if known else (student, "")
        rows.append((name or student, email if ADDRESS.fullmatch(email) else "", f"feedback/{file}.html"))
    return csv_text(rows)
