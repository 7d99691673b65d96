"""A grading run: read submissions, judge the new ones, store every result, write tables and pages."""

from __future__ import annotations

import csv
import hashlib
import io
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classroom.grading.cluster import run_dask
from classroom.grading.dated import TIME, read_dated, read_extensions, times_of
from classroom.grading.errors import GradingError
from classroom.grading.feedback.comments import comments
from classroom.grading.feedback.rules import load_rules
from classroom.grading.intake.bulk import laid_out
from classroom.grading.intake.layouts import sources
from classroom.grading.intake.reader import Intake, lessons_with_homework
from classroom.grading.judging import Job
from classroom.grading.pairs import keep_pairs
from classroom.grading.records import Graded, Isolation
from classroom.grading.roster import Roster, read_roster
from classroom.grading.runner import run_local
from classroom.grading.safe import cell, file_names, name_list
from classroom.grading.settings import Settings, load_settings
from classroom.grading.store import Store, holds_results
from classroom.grading.suite import Suite, suite_of
from classroom.grading.totals import overridden
from classroom.grading.workplace import workplace
from classroom.progress import write_whole
from classroom.register import Course, Lesson

REPORT = "report.html"
"""The instructors' page of statistics."""
COLUMNS = ("student", "homework", "exercise", "points", "max_points", "status", "isolation", "late", "message")


@dataclass(frozen=True)
class Options:
    """Options of a grading run; see `course grade --help`.

    shard : (i, n): only the i-th of n parts of the class, by hash of student name, counted from 1.
    """

    homeworks: tuple[str, ...] = ()
    processes: int = 1
    shard: tuple[int, int] = (1, 1)
    fresh: bool = False
    retry_infrastructure: bool = False
    seed: int | None = None
    dask: str = ""
    times: Path | None = None
    roster: Path | None = None
    extensions: Path | None = None


@dataclass
class GradingRun:
    """A grading run: one method per stage, with callbacks for progress.

    taken : called with each student whose files were read. judged : called with each result and whether it is new.
    """

    course: Course
    out: Path
    options: Options
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.settings = load_settings(self.course.lessons[0].root)

    def check(self, folder: Path) -> None:
        """Raise GradingError if this copy of the course or that folder has nothing to grade."""
        lessons_with_homework(self.course, self.options.homeworks)
        if holds_results(folder):
            raise GradingError(f"{folder} holds results, not submissions: name the folder of what was handed in")
        if folder.is_dir():
            sources(folder)
        elif not folder.name.lower().endswith(".zip"):
            raise GradingError(f"{folder}: expected a folder of submissions, or a course system's .zip of them")

    def take_in(self, folder: Path, store: Store, taken: Callable[[str], None] = lambda student: None) -> list[str]:
        """Read all submissions of this shard into the store -> messages about what was not. Raises GradingError.

        A submission without files takes no earlier one's place: a course system's download is of one homework.
        """
        if self.options.roster:
            store.keep_roster(read_roster(self.options.roster))
        roster = Roster(store.roster().values())
        if self.options.extensions:
            for (student, homework), deadline in read_extensions(
                self.options.extensions, self.course, self.settings, roster
            ).items():
                store.extend(student, homework, deadline)
        lessons = lessons_with_homework(self.course, self.options.homeworks)
        listed = read_dated(self.options.times, TIME, self.course, roster) if self.options.times else []
        intake = Intake(lessons, times_of(listed), self.course.lessons, roster)
        seen, there, kept = set[str](), store.with_work(), 0
        with laid_out(folder, self.out) as download:
            for student, submissions in intake.submissions(download.folder):
                seen.add(student)
                if not in_shard(student, self.options.shard):
                    continue
                for one in submissions:
                    if one.files or one.faults or (student, one.homework) not in there:
                        store.keep_submissions([one])
                    else:
                        kept += 1
                taken(student)
        for called, student in intake.joined.items():
            if called != student and called not in seen:
                store.rename_student(called, student)
        store.keep_met(intake.met)
        lines = _told(intake, download.refused, folder)
        timeless = self._timeless(store, lessons)
        if timeless:
            lines.append(
                f"{timeless} submissions have a deadline, and no time that a course system recorded: nothing is "
                "deducted without --times"
            )
        store.keep_unclaimed(str(folder), lines)
        seen |= set(intake.joined)
        strangers = [row.names[0] for row in listed if not seen & set(row.names)]
        if strangers:
            lines.append(f"{self.options.times} names students who are not in {folder}: {name_list(strangers)}")
        if kept:
            lines.append(f"{kept} submissions of earlier runs are kept, for {folder} holds none in their place")
        return lines

    def _timeless(self, store: Store, lessons: Sequence[Lesson]) -> int:
        """How many submissions with files for homework with a deadline have no time."""
        dated = {lesson.folder for lesson in lessons} & self.settings.deadlines.keys()
        return sum(one.homework in dated and bool(one.files) and not one.handed_in for one in store.submissions())

    def suites(self, store: Store) -> dict[str, Suite]:
        """Homework -> suite, for every homework with submissions."""
        seed = self._seed(store)
        wanted = {one.folder for one in lessons_with_homework(self.course, self.options.homeworks)}
        there = {one.homework for one in store.submissions() if one.files} & wanted
        lessons = [lesson for lesson in self.course.lessons if lesson.folder in there]
        return {lesson.folder: suite_of(lesson, self.settings, seed, store.meta) for lesson in lessons}

    def _seed(self, store: Store) -> int:
        """The run's seed: the one given, else that of earlier runs, else a new random one."""
        asked = self.options.seed
        if asked is None and store.meta("seed") is None and self.options.shard[1] > 1:
            raise GradingError("--shard needs --seed N, the same for all shards, so that their results can be merged")
        kept = int(store.meta("seed", str(secrets.randbits(48) if asked is None else asked)) or 0)
        if asked is not None and kept != asked:
            raise GradingError(f"{self.out} was graded with --seed {kept}: take another folder, or that seed")
        return kept

    def changed(self, store: Store, suites: dict[str, Suite]) -> list[str]:
        """The homeworks that were judged by other suites."""
        kept = store.suites()
        return sorted(name for name in suites.keys() & kept.keys() if suites[name].version != kept[name])

    def jobs(self, store: Store, suites: dict[str, Suite], isolation: Isolation | None) -> list[str]:
        """Make these suites current -> digests of the submissions to judge.

        With `fresh` all of them, else those not judged yet or judged in weaker isolation.
        """
        store.keep_suites({name: suite.version for name, suite in suites.items()})
        if self.options.retry_infrastructure:
            store.forget_infrastructure()
        if isolation is not None:
            store.forget_weaker(isolation)
        open_ones = []
        for one in store.submissions():
            suite = suites.get(one.homework)
            if suite is None or not one.files or not in_shard(one.student, self.options.shard):
                continue
            if self.options.fresh:
                store.forget(one.digest, suite.version)
            if not store.is_judged(one.digest, suite.version):
                open_ones.append(one.digest)
        return open_ones

    def judge(self, store: Store, suites: dict[str, Suite], digests: Iterable[str]) -> Iterator[Graded]:
        """Judge the submissions; store each result before yielding it. Only this process writes the store."""
        jobs = (Job(one, suites[one.homework]) for one in map(store.__getitem__, digests))
        with workplace(self.out) as folder:
            cluster = self.options.dask
            results = run_dask(jobs, cluster) if cluster else run_local(jobs, self.options.processes, folder)
            for graded in results:
                store.keep(graded)
                yield graded

    def exported(self, store: Store) -> list[Graded]:
        """All results with the points that a person has set."""
        exercises = {lesson.folder: lesson.exercises for lesson in self.course.lessons}
        return overridden(store.graded(self.settings, exercises), store.overrides())

    def graded(self, store: Store) -> list[Graded]:
        """All results with the points that a person has set, by student and homework."""
        from classroom.grading.reports import in_order  # needs jinja2

        return in_order(self.exported(store))

    def pages(self, store: Store) -> dict[str, str]:
        """Write the students' pages alone -> student -> name of the page without suffix."""
        from classroom.grading.reports import write_feedback  # needs jinja2

        rules = load_rules(self.course.lessons[0].root)
        return write_feedback(self.out, self.graded(store), self.course, comments(store.base), rules)

    def report_page(self, store: Store) -> Path:
        """Write report.html, what the class teaches -> its path."""
        from classroom.grading.report.answers import Answers  # needs jinja2
        from classroom.grading.report.dashboard import report_page
        from classroom.grading.report.gather import gather

        record = gather(store, self.course, self.settings)
        names = file_names(record.with_pages)
        write_whole(self.out / REPORT, report_page(record, self.course, Answers(store, self.course), names))
        return self.out / REPORT

    def report(self, store: Store, force: bool = False) -> list[str]:
        """Write grades.csv, the pages and the exports from the store -> messages to print."""
        exercises = {lesson.folder: lesson.exercises for lesson in self.course.lessons}
        graded, overrides = store.graded(self.settings, exercises), store.overrides()
        write_whole(self.out / "grades.csv", grades_csv(overridden(graded, overrides)))
        students = len({one.student for one in graded})
        lines = [f"grades of {students} students: {self.out / 'grades.csv'}"]
        left = store.unjudged()
        lines += [f"{left} submissions are not judged yet and stand nowhere: grade again"] if left else []
        from classroom.grading.reports import write_reports  # needs jinja2

        shown = write_reports(
            self.out,
            graded,
            self.course,
            overrides=overrides,
            submissions=store,
            force=force,
            comments=comments(store.base),
            rules=load_rules(self.course.lessons[0].root),
            compared=lambda found: keep_pairs(store.base, found.pairs),
            people=store.people(),
            unclaimed=store.unclaimed(),
        )
        return [*lines, *shown]


def _told(intake: Intake, refused: Sequence[str], folder: Path) -> list[str]:
    """Sentences about what was found and is of no student, or of one whom the class list does not know."""
    layout, lines = intake.layout, []
    if layout.strays:
        lines.append(f"left aside, because they are of no student: {name_list(layout.strays)}")
    lines += [f"left aside: {text}" for text in layout.unclear]
    lines += [f"not read of {folder.name}: {text}" for text in refused]
    if intake.unknown:
        who = [f"{name} ({why})" if why else name for name, why in intake.unknown.items()]
        lines.append(f"graded, but not on the class list: {name_list(who, 20)}")
    if intake.late:
        late = name_list(list(intake.late), 20)
        lines.append(f"late, as the course system says, and not by how much; --times tells it: {late}")
    if intake.roster:
        nothing = [one.key for one in intake.roster.people if one.key not in intake.joined.values()]
        if nothing:
            lines.append(f"on the class list, and handed in nothing here: {name_list(nothing, 20)}")
    elif layout.name == "Moodle":
        lines.append("Moodle's numbers are others in each assignment: --roster puts a student's homeworks together")
    return lines


def in_shard(student: str, shard: tuple[int, int]) -> bool:
    """Whether the student is in part i of n; the same on every machine.

    >>> sum(in_shard("ann", (i, 3)) for i in (1, 2, 3))
    1
    """
    number, count = shard
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % count == number - 1


def grades_csv(graded: Iterable[Graded]) -> str:
    """grades.csv: a row per exercise of each submission; points are after the late deduction."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in graded:
        for grade in one.grades:
            points = round(grade.points * one.factor, 2)
            late = "" if one.late_days is None else one.late_days
            row = (one.student, one.homework, grade.exercise, points, grade.max_points, grade.status.value)
            rows.writerow([cell(value) for value in (*row, one.isolation.value, late, grade.message)])
    return text.getvalue()
