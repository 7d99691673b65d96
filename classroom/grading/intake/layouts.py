"""Recognise the layouts in which other tools export submissions, and find each student's files.

- a folder, .zip or .tar.gz for each student, named after them;
- Canvas: files side by side, STUDENT_ID_FILEID_NAME, and STUDENT_LATE_ID_FILEID_NAME; a student is STUDENT_ID;
- nbgrader: submitted/STUDENT/ASSIGNMENT/..., the time in timestamp.txt;
- Gradescope: submission_NNN/..., students and times in submission_metadata.yml.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from classroom.grading.intake.archives import archive_suffix
from classroom.grading.late import parse_time, plain_name
from classroom.grading.settings import GradingError

NBGRADER = {"nbgrader_config.py", "gradebook.db", "source", "release", "autograded"}
"""Names beside `submitted` in an nbgrader course folder."""
METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 256 << 20
_TOP = re.compile(r"^(['\"]?)(submission_[\w-]+)\1:\s*$")
_CANVAS = re.compile(
    r"(?P<student>\w+?)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)"
    r"|(?P<anonymous>anon_[^\W_]+)_\d+_(?P<its_file>.+)"
    r"|(?P<name>\w+?)_(?:LATE_)?(?P<number>\d{3,})_(?P<one_file>.+\.(?:py|ipynb))"
)
"""A file in Canvas's bulk download; the last form lacks the file's own number.

Source: lib/content_zipper.rb of https://github.com/instructure/canvas-lms
"""
_FIELD = re.compile(r"^(\s*)(- )?:?(submitters|name|sid|email|created_at|history|results)['\"]?:\s*(.*?)\s*$")


@dataclass(frozen=True)
class Source:
    """A folder, archive or file of one student.

    handed_in : submission time, if the exporting tool says it.
    file : the student's own name for a single file.
    stamped : whether the tool wrote a timestamp.txt into each folder directly below.
    """

    student: str
    path: Path
    handed_in: datetime | None = None
    file: str = ""
    stamped: bool = False


def sources(folder: Path) -> list[Source]:
    """All students' folders, archives and files, sorted by student. Raises GradingError."""
    entries = _entries(folder)
    names = {entry.name for entry in entries}
    if METADATA in names:
        return _gradescope(folder, [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)])
    if "submitted" in names and names & NBGRADER:
        return [replace(source, stamped=True) for source in sources(folder / "submitted")]
    found = [source for entry in entries if (source := _source(entry)) is not None]
    if not found:
        raise GradingError(f"{folder}: expected a folder, .zip or .tar.gz for each student, found none")
    return found


def strays(folder: Path) -> list[str]:
    """Files in a folder of submissions that belong to no student. Raises GradingError."""
    entries = _entries(folder)
    names = {entry.name for entry in entries}
    if METADATA in names or ("submitted" in names and names & NBGRADER):
        return []
    return [entry.name for entry in entries if _source(entry) is None]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        raise GradingError(f"{folder}: expected a folder of submissions: {error.strerror}") from error


def _source(entry: os.DirEntry[str]) -> Source | None:
    """The source that a directory entry is; None for a file that belongs to no student."""
    path, is_folder = Path(entry.path), entry.is_dir()
    found = None if is_folder else _CANVAS.fullmatch(entry.name)
    if found and found["file"]:
        return Source(f"{found['student']}_{found['id']}", path, file=found["file"])
    if found and found["anonymous"]:
        return Source(found["anonymous"], path, file=found["its_file"])
    if is_folder or archive_suffix(entry.name):
        return Source(_student(entry.name, is_folder), path)
    return Source(f"{found['name']}_{found['number']}", path, file=found["one_file"]) if found else None


def timestamp(text: str) -> datetime | None:
    """The time in nbgrader's timestamp.txt; None if it cannot be parsed.

    Source: https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
    """
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        return None


def _student(name: str, folder: bool) -> str:
    return plain_name(name if folder else name[: -len(archive_suffix(name))]) or "unnamed"


def _gradescope(folder: Path, names: list[str]) -> list[Source]:
    path = folder / METADATA
    try:
        if path.stat().st_size > MAX_METADATA_BYTES:
            raise GradingError(f"{path}: larger than {MAX_METADATA_BYTES >> 20} MB")
        known = read_metadata(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise GradingError(f"{path}: {error.strerror}") from error
    found = []
    for name in names:
        if name not in known and not name.startswith("submission_"):
            continue
        students, time = known.get(name, ((), None))
        found += [Source(student, folder / name, time) for student in students or (plain_name(name),)]
    if not found:
        raise GradingError(f"{folder}: expected a folder submission_NNN for each entry of {METADATA}, found none")
    return sorted(found, key=lambda source: source.student)


def read_metadata(text: str) -> dict[str, tuple[tuple[str, ...], datetime | None]]:
    """Parse Gradescope's metadata: submission_NNN -> (students, time). What cannot be parsed is skipped.

    A student is identified by email, else student id, else name; each member of a group separately. This parses only
    the lines that Gradescope writes, not YAML in general.
    """
    found: dict[str, tuple[tuple[str, ...], datetime | None]] = {}
    current, section = "", ""
    people: list[dict[str, str]] = []
    time: datetime | None = None

    def close() -> None:
        if current:
            names = [one.get("email") or one.get("sid") or one.get("name") or "" for one in people]
            found[current] = (tuple(dict.fromkeys(plain_name(name) for name in names if name.strip())), time)

    for line in text.splitlines():
        top = _TOP.match(line)
        if top or (line[:1].strip() and not line.startswith(("-", "#", "'", '"'))):
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
