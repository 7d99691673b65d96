"""Read submissions: for each student and homework the file that counts, the submission time, and the faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from classroom.grading import notebook
from classroom.grading.errors import GradingError
from classroom.grading.intake import limits
from classroom.grading.intake.archives import ARCHIVES, OTHER_ARCHIVES, Found, Taken, archive_suffix, take
from classroom.grading.intake.choice import best_of, judged_file, path_of
from classroom.grading.intake.layouts import Layout, Source, look, person_of
from classroom.grading.intake.limits import Budget
from classroom.grading.intake.recognise import NOTEBOOK, PYTHON, WORKSHEET, Recogniser, defined, stub_of_lesson
from classroom.grading.intake.stamps import timestamp
from classroom.grading.late import Times, listed_time
from classroom.grading.records import Submission
from classroom.grading.roster import Person, Roster
from classroom.grading.safe import name_list
from classroom.grading.source_text import decoded
from classroom.register import Course, Lesson

MAX_FILE_BYTES = 512 << 10
MAX_TIMESTAMP_BYTES = 200
STAMP = "timestamp.txt"
MAX_FAULTS = 20
"""Maximum number of messages per student and per homework; the last says how many more there are."""
MAX_LOOKED_INTO = 100
"""Maximum number of files per student that are read although their names are not recognised."""
MAX_NAMES = 1000
"""Maximum number of other file names remembered."""
WRITTEN = (*PYTHON, NOTEBOOK, ".pdf", ".doc", ".docx", ".odt", ".rtf", ".md", ".zip", *ARCHIVES, *OTHER_ARCHIVES)
"""Files that may be meant as work; others (data, pictures) are reported only if there is nothing else."""
JUNK = {"thumbs.db", "desktop.ini", STAMP}


def lessons_with_homework(course: Course, names: Iterable[str] = ()) -> list[Lesson]:
    """The lessons with homework that can be graded, among those named (number, folder or file) or all.

    Raises GradingError for an unknown name, and if this copy of the course has no hidden tests.
    """
    there = [lesson for lesson in course.lessons if lesson.homework_file and lesson.exercises and lesson.homework()]
    judged = [one for one in there if (one.root / "homework" / one.folder / "judge").is_dir()]
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
    """The files and faults found for one homework of one student."""

    files: list[Found] = field(default_factory=list)
    notebooks: list[Found] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    handed_in: datetime | None = None


class Intake:
    """Reads the submissions for the given lessons.

    Parameters
    ----------
    lessons : lessons whose homework is looked for.
    times : submission times that take precedence over those in folders and archives.
    known : all lessons of the course, whose files are recognised; (): only `lessons`.
    roster : the class list; all in it have submissions, and others are `unknown`.

    A submission's time is what a course system recorded. Times in archives and of files are the students' to set: they
    only say which of a student's own files is the latest.
    """

    def __init__(
        self,
        lessons: list[Lesson],
        times: Times | None = None,
        known: Sequence[Lesson] = (),
        roster: Roster | None = None,
    ) -> None:
        self.lessons, self.times, self.roster = lessons, times or {}, roster or Roster(())
        self.recogniser = Recogniser(known or lessons)
        self.stubs = {lesson.folder: stub_of_lesson(lesson).encode() for lesson in lessons}
        self.layout = Layout("")
        self.joined: dict[str, str] = {}
        """What a course system calls a student -> how the class list does."""
        self.unknown: dict[str, str] = {}
        """Who is not in the class list -> why nobody there can be meant, if that is not plain."""
        self.late: dict[str, None] = {}
        """Whose work the course system calls late, without a time."""
        self.met: dict[str, Person] = {}
        """Who is not in the class list -> what the course system says about them."""

    def submissions(self, folder: Path) -> Iterator[tuple[str, list[Submission]]]:
        """(student, one submission per lesson), sorted by student; all of the class list too. Raises GradingError."""
        self.layout = look(folder, self.roster)
        by_student: dict[str, list[Source]] = {one.key: [] for one in self.roster.people}
        for source in self.layout.sources:
            by_student.setdefault(self._student(source), []).append(source)
        for student, own in sorted(by_student.items()):
            yield student, self.of_student(student, own)

    def _student(self, source: Source) -> str:
        if not self.roster:
            self.met.update(_met(source))
            return source.student
        found = person_of(source, self.roster)
        if isinstance(found, Person):
            self.joined[source.student] = found.key
            return found.key
        taken = {one.key for one in self.roster.people}
        student = f"{source.student} (unclear)" if source.student in taken else source.student
        self.unknown[student] = found
        return student

    def of_student(self, student: str, own: list[Source]) -> list[Submission]:
        """One submission per lesson; without files if nothing was handed in or could be read."""
        desk = _Desk(self, named=len(own) > 1)
        for source in own:
            desk.take(source)
        many = [source.path.name for source in own if not source.file]
        if len(many) > 1:
            desk.aside.append(f"Handed in as {len(many)} folders or archives: {', '.join(many)}")
        desk.sort_out()
        called = dict.fromkeys((student, *(source.student for source in own)))
        return [self._submission(called, lesson, desk, any(one.late for one in own)) for lesson in self.lessons]

    def _submission(self, called: Mapping[str, None], lesson: Lesson, desk: _Desk, late: bool) -> Submission:
        pile, stub, asked = desk.piles[lesson.folder], self.stubs[lesson.folder], self.recogniser.asked_of(lesson)
        faults = _some(pile.faults)
        best = {
            name: one
            for name, found in ((lesson.homework_file, pile.files), (WORKSHEET, pile.notebooks))
            if (one := best_of(found, stub, asked, faults)) is not None
        }
        files = {name: one.data for name, one in best.items()}
        judged = judged_file(files, lesson.homework_file, stub)
        if len(best) > 1 and judged != WORKSHEET:
            also = sorted(defined(notebook.code_of(files[WORKSHEET])) & asked)
            if also:
                here, there = path_of(best[lesson.homework_file]), path_of(best[WORKSHEET])
                faults.append(f"{here} was judged, and not {there}, which defines {', '.join(also)} too")
        if not files and not faults and not desk.recognised:
            faults = list(desk.aside)
        listed = (listed_time(self.times, one, lesson.folder) for one in called)
        time = next(filter(None, listed), None) or pile.handed_in
        if late and files and time is None:
            self.late[next(iter(called))] = None
        path = path_of(best[judged]) if judged else ""
        return Submission(next(iter(called)), lesson.folder, files, time, tuple(faults), path, tuple(desk.aside))


def _met(source: Source) -> dict[str, Person]:
    """What the course system says about a student, beside the name by which the work is known."""
    email = next((one for one in source.ids if "@" in one), "")
    number = next((one for one in source.ids if one not in (email, source.student)), "")
    if not (source.number or email or number):
        return {}
    return {source.student: Person("", source.name, number, email, platform_id=source.number)}


class _Desk:
    """Sorts one student's files by homework, and reports those that belong to none.

    named : there are several sources, so their names are part of the paths.
    """

    def __init__(self, intake: Intake, named: bool) -> None:
        self._intake, self._named, self._recogniser = intake, named, intake.recogniser
        self._budget, self._names, self._looked_into = Budget(), 0, 0
        self._others: dict[tuple[str, ...], None] = {}
        self.piles: dict[str, _Pile] = defaultdict(_Pile)
        self.aside: list[str] = []
        self.recognised = False

    def take(self, source: Source) -> None:
        """Read a folder, archive or single file; archives directly inside a folder are opened too."""
        above = (source.path.name,) if self._named and not source.file else ()
        inner: list[tuple[str, ...]] = []
        is_folder = source.path.is_dir() and not source.path.is_symlink()
        source = source if is_folder else replace(source, stamped=False)  # the student made the archive
        taken = take(source.path, self._wanted(above, inner if is_folder else None, source), self._budget, source.file)
        stamps = {one.path[0]: timestamp(decoded(one.data)) for one in taken.found if self._is_stamp(source, one.path)}
        self._sort(taken, above, source, stamps)
        for path in inner:
            wanted = self._wanted((*above, *path), None, source)
            taken = take(source.path.joinpath(*path), wanted, self._budget)
            self._sort(taken, (*above, *path), source, {"": stamps.get(path[0])})

    def _wanted(self, above: tuple[str, ...], archives: list[tuple[str, ...]] | None, source: Source) -> Any:
        """A function: path -> maximum size of the file, 0 if it is not wanted (which is remembered).

        archives : list to add archives to; None if they are not opened.
        """

        def wanted(path: tuple[str, ...]) -> int:
            name = path[-1].lower()
            self._names += 1
            if self._names > limits.MAX_MEMBERS:
                return 0
            if self._is_stamp(source, path):
                return MAX_TIMESTAMP_BYTES
            if name.startswith(".") or name in JUNK or self._is_the_course_s(path):
                return 0
            if archive_suffix(name) in ARCHIVES and archives is not None:
                archives.append(path)
                return 0
            if name.endswith((*PYTHON, NOTEBOOK)) and self._may_be_homework(path[-1]):
                return notebook.MAX_NOTEBOOK_BYTES if name.endswith(NOTEBOOK) else MAX_FILE_BYTES
            if len(self._others) < MAX_NAMES:
                self._others[(*above, *path)] = None
            return 0

        return wanted

    def _may_be_homework(self, name: str) -> bool:
        """Whether to read a file: its name is a homework's, or it could be and few such files were read so far."""
        if self._recogniser.named(name) or name.lower() == WORKSHEET:
            return True
        self._looked_into += 1
        return self._looked_into <= MAX_LOOKED_INTO

    def _is_the_course_s(self, path: tuple[str, ...]) -> bool:
        edited = path[-1] == WORKSHEET or any(path[-1] == one.homework_file for one in self._recogniser.lessons)
        return not edited and self._recogniser.is_the_course_s(path)

    @staticmethod
    def _is_stamp(source: Source, path: tuple[str, ...]) -> bool:
        """Whether it is nbgrader's timestamp.txt, rather than a file of the student's."""
        return source.stamped and len(path) == 2 and path[-1] == STAMP

    def _sort(self, taken: Taken, above: tuple[str, ...], source: Source, stamps: Mapping[str, Any]) -> None:
        """Sort the files of one source by homework; `stamps` : folder -> its time, "" for all."""
        for one in taken.found:
            if self._is_stamp(source, one.path):
                continue
            found = Found((*above, *one.path), one.data, one.time)
            if source.file and not archive_suffix(source.file):
                found = replace(found, time=None)  # it is the download's
            claims = self._recogniser.claims(found)
            if len(claims) == 1:
                pile = self.piles[claims[0].folder]
                same_name = source.file == found.name and not archive_suffix(source.file)
                called = (source.path.name,) if same_name else (source.path.name, *found.path)
                found = replace(found, called="/".join(called) if source.file else "")
                (pile.notebooks if found.name.lower().endswith(NOTEBOOK) else pile.files).append(found)
                time = source.handed_in or stamps.get(one.path[0]) or stamps.get("")
                pile.handed_in = max(filter(None, (pile.handed_in, time)), default=None)
                self.recognised = True
            elif claims:
                numbers = " or ".join(f"homework {lesson.number}" for lesson in dict.fromkeys(claims))
                self.aside.append(
                    f"{path_of(found)} was not judged: by its name and its functions it could be {numbers}. Hand in "
                    "one file for each homework, with the name that the course gave it"
                )
            elif damage := _notebook_fault(found):
                self.aside.append(f"{path_of(found)}: {damage}")
            else:
                self._others[found.path] = None
        for fault in taken.faults:
            lesson = self._recogniser.named(fault.path[-1]) if fault.path else None
            (self.piles[lesson.folder].faults if lesson else self.aside).append(fault.text)

    def sort_out(self) -> None:
        """Report files that belong to no homework: those that may be meant as work; all, if there is nothing else.

        They are reported first, so that many damaged archives cannot hide them.
        """
        told = list[str]()
        names = ["/".join(path) for path in self._others if not self.recognised or path[-1].lower().endswith(WRITTEN)]
        if self._names > limits.MAX_MEMBERS:
            told.append(f"more than {limits.MAX_MEMBERS} names: the rest was not looked at")
        packed = [name for name in names if archive_suffix(name) in ARCHIVES]
        rest = [name for name in names if name not in packed]
        if packed:
            said = f"Not opened, since archives in archives are not: {name_list(packed)}"
            told.append(f"{said}. Unpack them and hand in what is inside")
        if rest:
            told.append(f"Not recognised as homework: {name_list(rest)}")
        self.aside = _some([*told, *self.aside])
        for pile in self.piles.values():
            pile.files, pile.notebooks = _told_apart(pile.files), _told_apart(pile.notebooks)


def _told_apart(found: list[Found]) -> list[Found]:
    """The files; only those with equal paths keep the name that the course system gave them."""
    paths = Counter(one.path for one in found)
    return [one if paths[one.path] > 1 else replace(one, called="") for one in found]


def _some(told: list[str]) -> list[str]:
    """At most MAX_FAULTS sentences; if there are more, the last says how many."""
    if len(told) <= MAX_FAULTS:
        return list(told)
    kept = told[: MAX_FAULTS - 1]
    return [*kept, f"{len(told) - len(kept)} more things could not be taken: look into what was handed in"]


def _notebook_fault(found: Found) -> str:
    """Why a notebook cannot be read; "" if it can, and for other files."""
    try:
        if found.name.lower().endswith(NOTEBOOK):
            notebook.answers(found.data)
    except notebook.NotebookFault as fault:
        return str(fault)
    return ""
