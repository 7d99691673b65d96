"""A made-up class, and its submissions as each course system exports them. The same seed gives the same class."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from classroom.grading.roster import Person

FIRST = ("Ann", "Zoë", "Bjørn", "Siobhán", "Nguyễn", "李", "Mary Jane", "Jean-Luc", "Þóra", "Ana")
LAST = ("O'Hara", "de la Cruz", "Smith", "van der Berg", "Łukasz", "Müller", "王", "St. John", "Smith-Jones", "Ng")
NAMES = (
    "hw01_numbers.py",
    "hw1.py",
    "HW01_Numbers (2).py",
    "homework-1_final.py",
    "hw01_numbers.py.txt",
    "solution.py",
)
"""Names that students give the file; the last says nothing, so its functions tell."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Student:
    """One student; `points` is what the file says that it is worth, None if nothing was handed in."""

    person: Person
    number: int
    points: float | None
    name: str
    late: int
    packed: bool
    again: bool

    @property
    def when(self) -> datetime:
        return NOON + timedelta(days=self.late, minutes=-1 - self.number % 50)

    def text(self, solution: str, points: float | None = None) -> bytes:
        worth = self.points if points is None else points
        return f"{solution}\n# worth {worth} of {self.person.login}\n".encode()

    def files(self, solution: str) -> list[tuple[str, bytes]]:
        """(name, content), an earlier attempt first; an archive if it was packed."""
        if self.points is None:
            return []
        if not self.packed:
            first = [("hw01_numbers.py", self.text(solution, 0.0))] if self.again else []
            return [*first, ("hw01_numbers-1.py" if self.again else self.name, self.text(solution))]
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(f"my work/{self.name}", self.text(solution))
            archive.writestr("notes.md", "nothing to judge")
        return [("work.zip", made.getvalue())]


def made_up(count: int, seed: int = 0) -> list[Student]:
    """A class in which names repeat, two logins differ by capitals alone, a fifth hands in nothing or late."""
    draw, students = random.Random(seed), []
    for number in range(count):
        name = f"{draw.choice(LAST)}, {draw.choice(FIRST)}"
        login = "S0000" if number == 1 else f"s{number:04d}"
        person = Person(login, name, f"{70_000 + number}", f"{login}.{number}@example.org", f"Section {number % 4}",
                        str(900_000 + number))  # fmt: skip
        points = None if draw.random() < 0.1 else float(draw.randint(0, 6)) / 2
        late = draw.randint(1, 3) if draw.random() < 0.15 else 0
        packed, again = draw.random() < 0.2, draw.random() < 0.15
        students.append(Student(person, number, points, draw.choice(NAMES), late, packed, again and not packed))
    return students


def write_roster(students: Sequence[Student], path: Path) -> None:
    """As Canvas's grade book has it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Email", "Section", "Homework 1 (77)"])
        rows.writerow(["    Points Possible", "", "", "", "", "", "6"])
        for one in students:
            who = one.person
            rows.writerow([who.name, who.platform_id, who.student_id, who.login, who.email, who.section, ""])


def write_times(students: Sequence[Student], path: Path) -> None:
    rows = [f"{one.person.login},{one.when.isoformat()}" for one in students if one.points is not None]
    path.write_text("\n".join(["login,time", *rows]) + "\n", encoding="utf-8")


Entries = Iterator[tuple[str, bytes]]


def canvas(students: Sequence[Student], solution: str) -> Entries:
    for one in students:
        called = re.sub(r"\W", "", one.person.name).lower()
        late = "LATE_" if one.late else ""
        for place, (name, data) in enumerate(one.files(solution)):
            yield f"{called}_{late}{one.person.platform_id}_{5_000_000 + 10 * one.number + place}_{name}", data


def _moodle(students: Sequence[Student], solution: str, sign: str) -> Entries:
    for one in students:
        last, first = one.person.name.split(", ")
        for name, data in one.files(solution):
            yield f"{first} {last}_{one.person.platform_id}_assignsubmission_file_{sign}{name}", data


def moodle(students: Sequence[Student], solution: str) -> Entries:
    yield from _moodle(students, solution, "/")


def moodle_flat(students: Sequence[Student], solution: str) -> Entries:
    yield from _moodle(students, solution, "")


def gradescope(students: Sequence[Student], solution: str) -> Entries:
    lines = ["---"]
    for one in students:
        files, folder = one.files(solution), f"assignment_5_export/submission_{10_000 + one.number}"
        for name, data in files:
            yield f"{folder}/{name}", data
        if files:
            quoted = one.person.name.replace("'", "''")
            lines += [f"submission_{10_000 + one.number}:", "  :submitters:", f"  - :name: '{quoted}'"]
            lines += [f"    :sid: '{one.person.student_id}'", f"    :email: {one.person.email}"]
            lines += [f"  :created_at: {one.when:%Y-%m-%d %H:%M:%S.%f} Z", "  :score: 0.0"]
    yield "assignment_5_export/submission_metadata.yml", ("\n".join(lines) + "\n").encode()


def nbgrader(students: Sequence[Student], solution: str) -> Entries:
    yield "gradebook.db", b""
    for one in students:
        for name, data in one.files(solution):
            yield f"submitted/{one.person.login}/ps1/{name}", data
        if one.points is not None:
            stamp = f"{one.when:%Y-%m-%d %H:%M:%S.%f} UTC".encode()
            yield f"submitted/{one.person.login}/ps1/timestamp.txt", stamp


def github(students: Sequence[Student], solution: str) -> Entries:
    for one in students:
        for name, data in one.files(solution):
            yield f"numbers-1-submissions/numbers-1-{one.person.login}/{name}", data
        if one.points is not None:
            yield f"numbers-1-submissions/numbers-1-{one.person.login}/.git/HEAD", b"ref: refs/heads/main\n"


def plain(students: Sequence[Student], solution: str) -> Entries:
    for one in students:
        for name, data in one.files(solution):
            yield f"{one.person.login}/{name}", data


LAYOUTS: dict[str, Callable[[Sequence[Student], str], Entries]] = {
    "plain": plain,
    "canvas": canvas,
    "moodle": moodle,
    "moodle flat": moodle_flat,
    "gradescope": gradescope,
    "nbgrader": nbgrader,
    "github": github,
}


def lay_out(entries: Entries, folder: Path) -> Path:
    """The export unpacked, as a browser or a person does; with the time of the download."""
    for name, data in entries:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1.9e9, 1.9e9))
    return folder


def pack(entries: Entries, path: Path) -> Path:
    """The export as it comes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def worth(data: bytes) -> float:
    """What a file says that it is worth."""
    found = re.search(rb"# worth ([\d.]+) of", data)
    assert found, "not a file of this class"
    return float(json.loads(found[1]))
