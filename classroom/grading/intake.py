"""Take submissions in: for each student and homework the file that counts, when it was handed in, and what was wrong.

Of several files of one homework the one counts that comes first by these rules: it differs from the stub as handed out;
fewer folders above it; the later time; the later name (`hw01_numpy-1.py` after `hw01_numpy.py`). A worksheet notebook
is judged where no homework file is handed in, or only the untouched stub.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path

from classroom.grading import notebook
from classroom.grading.archives import ARCHIVES, Fault, Found, Taken, Wanted, archive_suffix, take
from classroom.grading.exported import Source, sources, timestamp
from classroom.grading.late import Times, time_of
from classroom.grading.records import Submission
from classroom.grading.settings import GradingError
from classroom.grading.source_text import meaning
from classroom.register import Course, Lesson
from classroom.stubs import StubError, pristine
from classroom.tasks import Task

LARGEST_FILE = 512 << 10
LARGEST_STAMP = 200
WORKSHEET = "worksheet.ipynb"
STAMP = "timestamp.txt"
MOST_FAULTS = 20
_COPY = r"(?:[ _]?\(\d+\)|[-_]\d+|[ _-]copy)?"
_NUMBER = re.compile(r"(?:hw|homework|worksheet|lesson)[ _-]?0*(\d{1,3})(?!\d)", re.I)
_NOTEBOOK = re.compile(r"(?:worksheet|hw|homework).*\.ipynb", re.I)


def lessons_with_homework(course: Course, names: Iterable[str] = ()) -> list[Lesson]:
    """The lessons whose homework can be graded, of those named (number, folder or file) or of all.

    Raises GradingError for a name that is none, and where the course's copy holds no hidden tests.
    """
    there = [lesson for lesson in course.lessons if lesson.homework_file and lesson.exercises and lesson.homework()]
    judged = [one for one in there if (one.root / "homework" / one.folder / "judge" / "hidden.py").is_file()]
    if not judged:
        raise GradingError("this copy of the course holds no hidden tests (homework/*/judge), so it cannot grade")
    chosen = []
    for name in names:
        bare = name.strip().lstrip("0")
        found = [one for one in judged if name in (one.folder, one.homework_file) or bare == str(one.number)]
        if not found:
            known = ", ".join(str(one.number) for one in judged)
            raise GradingError(f"no homework with hidden tests is called {name!r}; there are those of lessons {known}")
        chosen += found
    return sorted({one.folder: one for one in chosen}.values(), key=lambda one: one.number) or judged


@dataclass
class _Pile:
    """What was found of one student's homework."""

    files: list[Found] = field(default_factory=list)
    notebooks: list[Found] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    handed_in: datetime | None = None


class Intake:
    """Reads submissions to the given lessons.

    Parameters
    ----------
    lessons : whose homework is looked for.
    times : when students handed in, before what folders and archives say.
    """

    def __init__(self, lessons: list[Lesson], times: Times | None = None) -> None:
        self.lessons, self.times = lessons, times or {}
        self._stubs = {lesson.folder: _stub(lesson) for lesson in lessons}

    def submissions(self, folder: Path) -> Iterator[tuple[str, list[Submission]]]:
        """(student, one submission for each lesson) in the order of their names. Raises GradingError."""
        for student, own in groupby(sorted(sources(folder), key=lambda one: one.student), key=lambda one: one.student):
            yield student, self.of_student(student, list(own))

    def of_student(self, student: str, own: list[Source]) -> list[Submission]:
        """One submission for each lesson; its files are empty where nothing was handed in or could be read."""
        piles: dict[str, _Pile] = defaultdict(_Pile)
        for source in own:
            self._sort(_take_all(source.path, self._wanted), source, piles)
        if len(own) > 1:
            names = ", ".join(source.path.name for source in own)
            for pile in piles.values():
                pile.faults.append(f"handed in as {len(own)} folders or archives: {names}")
        return [self._submission(student, lesson, piles[lesson.folder]) for lesson in self.lessons]

    def _wanted(self, name: str) -> int:
        """How large a file of that name may be, 0 for one that is not asked for."""
        if name == STAMP:
            return LARGEST_STAMP
        if _NOTEBOOK.fullmatch(name):
            return notebook.LARGEST_NOTEBOOK
        return LARGEST_FILE if self._lesson_of_file(name) else 0

    def _lesson_of_file(self, name: str) -> Lesson | None:
        for lesson in self.lessons:
            stem = lesson.homework_file.removesuffix(".py")
            if re.fullmatch(re.escape(stem) + _COPY + r"\.py", name, re.I):
                return lesson
        return None

    def _lesson_of_notebook(self, found: Found) -> Lesson | None:
        """By the folders above it, then its own name, then its first heading."""
        by_folder = {lesson.folder: lesson for lesson in self.lessons}
        for part in reversed(found.path[:-1]):
            if part in by_folder:
                return by_folder[part]
        for part in reversed(found.path):
            number = _NUMBER.match(part)
            if number and (lesson := self._numbered(int(number[1]))):
                return lesson
        number_inside = notebook.lesson_number(found.data)
        return self._numbered(number_inside) if number_inside is not None else None

    def _numbered(self, number: int) -> Lesson | None:
        return next((lesson for lesson in self.lessons if lesson.number == number), None)

    def _sort(self, taken: Taken, source: Source, piles: dict[str, _Pile]) -> None:
        """Put what one source held onto the piles of its homeworks."""
        texts = {one.path[:-1]: one.data.decode("utf-8", "replace") for one in taken.found if one.name == STAMP}
        for found in taken.found:
            if found.name == STAMP:
                continue
            time = source.handed_in or timestamp(texts.get(found.path[:-1], ""))
            is_notebook = _NOTEBOOK.fullmatch(found.name) is not None
            lesson = self._lesson_of_notebook(found) if is_notebook else self._lesson_of_file(found.name)
            if lesson is not None:
                pile = piles[lesson.folder]
                (pile.notebooks if is_notebook else pile.files).append(found)
                pile.handed_in = max(filter(None, (pile.handed_in, time)), default=None)
        for fault in taken.faults:
            for lesson in self._meant(fault):
                piles[lesson.folder].faults.append(fault.text)

    def _meant(self, fault: Fault) -> list[Lesson]:
        """The homeworks that a fault is about: the file's own, or all."""
        lesson = None
        if fault.path:
            lesson = self._lesson_of_file(fault.path[-1]) or self._lesson_of_notebook(Found(fault.path, b""))
        return [lesson] if lesson else self.lessons

    def _submission(self, student: str, lesson: Lesson, pile: _Pile) -> Submission:
        stub, faults = self._stubs[lesson.folder], pile.faults[:MOST_FAULTS]
        best = {
            name: one
            for name, found in ((lesson.homework_file, pile.files), (WORKSHEET, pile.notebooks))
            if (one := _best(found, stub, faults)) is not None
        }
        files = {name: one.data for name, one in best.items()}
        judged = judged_file(files, lesson.homework_file, stub)
        time = time_of(self.times, student, lesson.folder) or pile.handed_in or (best[judged].time if judged else None)
        return Submission(student, lesson.folder, files, time, tuple(faults))


def judged_file(files: Mapping[str, bytes], homework_file: str, stub: bytes) -> str | None:
    """Which of the files is judged: the homework file, or the worksheet where that is missing or still the stub."""
    if homework_file in files and (WORKSHEET not in files or meaning(files[homework_file]) != meaning(stub)):
        return homework_file
    return WORKSHEET if WORKSHEET in files else None


def _best(found: list[Found], stub: bytes, faults: list[str]) -> Found | None:
    """The file that counts; what was left out is told in `faults`."""
    if not found:
        return None

    def order(one: Found) -> tuple[bool, int, float, str]:
        return one.data != stub, -len(one.path), one.time.timestamp() if one.time else 0.0, one.name

    best = max(found, key=order)
    others = sorted({"/".join(one.path) for one in found if one.data != best.data})
    if others:
        faults.append(f"of {len(found)} files of this homework {'/'.join(best.path)} counts, not {', '.join(others)}")
    return best


def _take_all(path: Path, wanted: Wanted) -> Taken:
    """What a folder or archive holds; archives right inside a folder are opened too, and none inside an archive."""
    taken = take(path, wanted)
    if path.is_dir() and not path.is_symlink():
        for inner in sorted(path.iterdir()):
            if inner.is_file() and archive_suffix(inner.name) in ARCHIVES:
                more = take(inner, wanted)
                taken.found += [Found((inner.name, *one.path), one.data, one.time) for one in more.found]
                taken.faults += more.faults
    return taken


def _stub(lesson: Lesson) -> bytes:
    try:
        return pristine(Task(lesson, lesson.exercises[0], f"{lesson.number}.1")).encode()
    except StubError:
        stub = lesson.stub()
        return stub.read_bytes() if stub else b""
