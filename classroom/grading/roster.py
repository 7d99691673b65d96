"""The class list: who is in the course, read from a CSV table of a course system or a plain one, and joined by any id.

Understood are the columns of Canvas's grade book, Moodle's participants and grading worksheet, Gradescope's roster,
GitHub Classroom's roster, and plain ones such as `login,name,email`.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from classroom.grading.errors import GradingError
from classroom.grading.late import plain_name
from classroom.grading.safe import one_line

MAX_BYTES = 32 << 20
MAX_PEOPLE = 100_000
MAX_CELL = 300
"""Maximum number of characters of a name, id, e-mail or section."""
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "login": ("login", "sis login id", "login id", "username", "user name", "github_username", "netid", "student"),
    "name": ("name", "full name", "student name", "display name"),
    "first": ("first name", "given name", "firstname", "first_name"),
    "last": ("last name", "surname", "family name", "lastname", "last_name"),
    "student_id": ("sid", "student id", "student_id", "id number", "idnumber", "sis user id", "student number",
                   "matriculation number", "id"),
    "email": ("email", "e-mail", "email address", "e-mail address", "mail"),
    "section": ("section", "sections", "section name", "section_name", "group", "groups"),
    "platform_id": ("platform_id", "identifier", "participant"),
    "role": ("role", "roles"),
}  # fmt: skip
"""Field -> the headings that mean it, in lower case; the first that is there counts."""
LEARNERS = {"", "student", "students", "learner", "participant", "0"}
"""Roles of those who are graded; others in a class list (teachers, assistants) are left out."""
NOBODY = {"points possible", "student, test", "test student"}
"""Rows in a grade book of Canvas that are of no person."""
_SEPARATOR = re.compile(r'"?sep=([,;\t])"?\r?\n')
"""The line by which a spreadsheet is told how cells are separated."""
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True)
class Person:
    """One person of the class list. What is not known is "".

    login : the name of the account. student_id : the number that the institution gave.
    platform_id : the number that the course system gave: Canvas's ID, Moodle's participant.
    """

    login: str
    name: str = ""
    student_id: str = ""
    email: str = ""
    section: str = ""
    platform_id: str = ""

    @property
    def key(self) -> str:
        """How the person is called in results: the login, else e-mail, student id, name."""
        return self.login or self.email or self.student_id or self.name


class Roster:
    """Finds people by login, id, e-mail or name.

    A text that names two people names nobody. Case matters only where it tells two people apart.
    """

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self._exact: dict[str, set[Person]] = defaultdict(set)
        self._folded: dict[str, set[Person]] = defaultdict(set)
        self._named: dict[str, set[Person]] = defaultdict(set)
        self._numbered: dict[str, set[Person]] = defaultdict(set)
        for one in self.people:
            for text in {one.login, one.student_id, one.email, one.key} - {""}:
                self._exact[text].add(one)
                self._folded[text.casefold()].add(one)
            for text in {joined(one.name), joined(turned(one.name))} - {""}:
                self._named[text].add(one)
            if one.platform_id:
                self._numbered[one.platform_id].add(one)

    def __bool__(self) -> bool:
        return bool(self.people)

    def find_id(self, text: str) -> Person | None:
        """The person whose login, student id or e-mail this is; None if nobody's or of several."""
        text = plain_name(text)
        found = self._exact.get(text) or self._folded.get(text.casefold()) or set()
        return next(iter(found)) if len(found) == 1 else None

    def find(self, text: str) -> Person | None:
        """The person whose login, id or e-mail, else whose full name this is; None if nobody's or of several."""
        found = self._named.get(joined(text), set())
        return self.find_id(text) or (next(iter(found)) if len(found) == 1 else None)

    def named(self, text: str) -> frozenset[Person]:
        """All people with this name, written as course systems write it in file names."""
        return frozenset(self._named.get(joined(text), ()))

    def numbered(self, number: str) -> Person | None:
        """The person to whom the course system gave this number."""
        found = self._numbered.get(number, set())
        return next(iter(found)) if len(found) == 1 else None


def joined(name: str) -> str:
    """A name without case, spaces and signs: what Canvas makes of "Smith, Ann" in file names.

    >>> joined("O'Hara, Ann-Zoë")
    'oharaannzoë'
    """
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", name).casefold())


def turned(name: str) -> str:
    """The other order of a name: "Smith, Ann" for "Ann Smith", and the other way round.

    >>> turned("Ann Mary Smith"), turned("Smith, Ann")
    ('Smith, Ann Mary', 'Ann Smith')
    """
    last, comma, first = name.partition(",")
    if comma:
        return f"{first.strip()} {last.strip()}"
    first, _, last = name.strip().rpartition(" ")
    return f"{last}, {first}" if first else name


def read_roster(path: Path) -> list[Person]:
    """The people of a class list in CSV, in its order. Raises GradingError that names the line."""
    rows, columns = read_table(path, COLUMNS, _by_canvas)
    if not {"login", "student_id", "email"} & columns.keys():
        raise GradingError(
            f"{path}, line 1: expected a column login, email or student id, as in login,name,email; found "
            f"{one_line(', '.join(rows[0][1].values()) if rows else 'no people', 120)}"
        )
    found: list[Person] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in rows:
        name = row.get("name", "") or " ".join(filter(None, (row.get("first", ""), row.get("last", ""))))
        if row.get("role", "").casefold() not in LEARNERS or name.casefold() in NOBODY:
            continue
        number = row.get("platform_id", "").removeprefix("Participant ").removeprefix("Teilnehmer/in")
        person = Person(row.get("login", ""), name, row.get("student_id", ""), row.get("email", ""),
                        row.get("section", ""), number)  # fmt: skip
        if not person.login and not person.student_id and not person.email:
            raise GradingError(f"{path}, line {line}: expected a login, an e-mail or a student id, found none")
        for field in ("login", "student_id", "email", "platform_id", "key"):
            value = getattr(person, field)
            if value and (field, value) in lines:
                what = "name" if field == "key" else field.replace("_", " ")
                raise GradingError(
                    f"{path}, line {line}: the {what} {one_line(value, 60)!r} is that of line {lines[field, value]} "
                    "too, and nobody can say whose work it is"
                )
            lines[field, value] = line
        found.append(person)
    if not found:
        raise GradingError(f"{path}: expected people below the first line, found none")
    return found


def _by_canvas(headings: list[str]) -> dict[str, int]:
    """Canvas's grade book means other things by "Student" (the name) and "ID" (its own number)."""
    if "student" in headings and "id" in headings and {"sis login id", "sis user id", "section"} & set(headings):
        return {"name": headings.index("student"), "platform_id": headings.index("id")}
    if "identifier" in headings and "github_username" in headings:
        return {"student_id": headings.index("identifier")}
    return {}


Rows = list[tuple[int, dict[str, str]]]


def read_table(
    path: Path,
    known: Mapping[str, tuple[str, ...]],
    special: Callable[[list[str]], dict[str, int]] = lambda headings: {},
) -> tuple[Rows, dict[str, int]]:
    """A CSV table of a spreadsheet or course system -> [(line, {field: text})], {field: its column}.

    Separated by commas, semicolons or tabs, which a first line `sep=;` may name; in UTF-8, or in UTF-16 with a byte
    order mark; lines without text are skipped. A quote that is not closed is an error: it would take the people below
    into one cell. `known` : field -> its headings. `special` : headings -> fields whose columns are known otherwise.

    Raises GradingError that names the line.
    """
    text = _text_of(path)
    told = _SEPARATOR.match(text)
    first = text.partition("\n")[0]
    sign = told[1] if told else max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    if told:
        next(reader)
    rows: Rows = []
    try:
        headings = [one_line(one, MAX_CELL).casefold() for one in next(reader, [])]
        columns = special(headings)
        taken = set(columns.values())
        for field, names in known.items():
            place = next((headings.index(name) for name in names if name in headings), None)
            if field not in columns and place is not None and place not in taken:
                columns[field] = place
                taken.add(place)
        for cells in reader:
            if not any(one.strip() for one in cells):
                continue
            if len(rows) >= MAX_PEOPLE:
                raise GradingError(f"{path}, line {reader.line_num}: more than {MAX_PEOPLE} rows")
            values = {field: cells[place] for field, place in columns.items() if place < len(cells)}
            rows.append((reader.line_num, {f: _cell(one, path, reader.line_num) for f, one in values.items()}))
    except csv.Error as error:
        raise GradingError(f"{path}, line {reader.line_num}: {error}: look at the quotes from there upwards") from error
    return rows, columns


def _text_of(path: Path) -> str:
    try:
        if not path.is_file():
            raise GradingError(f"{path}: expected a CSV table, found {'a folder' if path.is_dir() else 'nothing'}")
        if path.stat().st_size > MAX_BYTES:
            raise GradingError(f"{path}: larger than {MAX_BYTES >> 20} MB")
        data = path.read_bytes()
    except OSError as error:
        raise GradingError(f"{path}: {error.strerror}") from error
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GradingError(f"{path}, line {line}: expected UTF-8, found other bytes: save it as 'CSV UTF-8'") from error


def _cell(text: str, path: Path, line: int) -> str:
    """The text of a cell on one line. Raises GradingError for control codes and for what is far too long."""
    if _NOT_TEXT.search(text):
        raise GradingError(f"{path}, line {line}: expected text, found a control code in {one_line(text, 60)!r}")
    if len(text) > MAX_CELL:
        raise GradingError(f"{path}, line {line}: expected at most {MAX_CELL} characters, found {len(text)}")
    return plain_name(one_line(text.replace("\r", "\n"), MAX_CELL))
