"""The instructors' page: distribution of points, most frequent failures, submissions that need a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from urllib.parse import quote

from classroom.grading.charts import distribution
from classroom.grading.pages import markup, page
from classroom.grading.records import UNCOUNTED, Grade, Graded, Isolation, Status
from classroom.grading.safe import one_line
from classroom.grading.similarity import Comparison
from classroom.grading.totals import total
from classroom.grading.words import MEANING, exercise_of, lesson_of, numbers_of, title_of
from classroom.register import Course

SLOWEST, FAILURES, PAIRS = 10, 15, 200
"""Maximum number of rows per table."""
NOT_COMPARED = Comparison([], [])
UNREADABLE = MEANING[Status.UNREADABLE]


@dataclass(frozen=True)
class Distribution:
    """The distribution of points of an exercise or a whole homework: histogram and statistics."""

    title: str
    picture: object
    mean: float
    median: float
    most: float
    count: int
    left_out: str


@dataclass(frozen=True)
class HomeworkSummary:
    """One homework on the summary page."""

    title: str
    submissions: int
    late: int
    whole: Distribution | None
    exercises: tuple[Distribution, ...]
    failures: tuple[tuple[str, str, bool, int, int], ...]


@dataclass(frozen=True)
class Row:
    """A table row about one submission: student's name, feedback page, homework, remark."""

    student: str
    link: str
    homework: str
    words: str


def summary_page(
    results: Sequence[Graded],
    register: Course,
    names: Mapping[str, str],
    found: Comparison = NOT_COMPARED,
    unclaimed: Sequence[str] = (),
) -> str:
    """The HTML summary of all results.

    names : student -> file name in `feedback/`. unclaimed : what is of no student, in sentences.
    """
    by_homework: dict[str, list[Graded]] = defaultdict(list)
    for one in results:
        by_homework[one.homework].append(one)
    homeworks = sorted(name for name, own in by_homework.items() if any(one.counts for one in own))
    return page(
        "summary.html",
        course=register.title,
        submissions=sum(map(_handed_in, results)),
        students=len(names),
        isolation=_isolation(results),
        untouched=numbers_of(sorted(by_homework.keys() - set(homeworks)), register),
        parts=[_homework(homework, by_homework[homework], register) for homework in homeworks],
        needed=[*(Row("–", "", "", one_line(text, 600)) for text in unclaimed), *_needed(results, register, names)],
        pairs=[(pair, *(_link(student, names) for student in pair.students)) for pair in found.pairs[:PAIRS]],
        more_pairs=max(0, len(found.pairs) - PAIRS),
        taken=[(one, _link(one.student, names)) for one in found.taken[:PAIRS]],
        ranges=ranges,
        more_taken=max(0, len(found.taken) - PAIRS),
        uncompared=[
            Row(*_link(one.student, names), title_of(one.homework, register), one_line(one.why, 200))
            for one in found.uncompared[:PAIRS]
        ],
        more_uncompared=max(0, len(found.uncompared) - PAIRS),
        titles={homework: title_of(homework, register) for homework in homeworks},
        slowest=_slowest(results, register, names),
        columns=[_column(homework, by_homework[homework], register) for homework in homeworks],
        totals=_totals(results, homeworks, names),
    )


def ranges(lines: Iterable[tuple[int, int]]) -> str:
    """Line ranges in words.

    >>> ranges([(2, 9), (12, 12)])
    '2-9, 12'
    """
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in lines)


def _homework(homework: str, results: Sequence[Graded], register: Course) -> HomeworkSummary:
    lesson = lesson_of(homework, register)
    grades: dict[str, list[Grade]] = defaultdict(list)
    for one in results:
        lost_with_all = not one.is_handed_in and one.faults
        for grade in () if lost_with_all else one.grades:
            grades[grade.exercise].append(grade)
    exercises = []
    for name, found in grades.items():
        title = exercise_of(found[0], lesson).title
        label = f"{name}: {title}" if title else name
        exercises.append(_exercise(f"{label} (bonus)" if found[0].stretch else label, found))
    ready = [total(one) for one in results if _judged(one)]
    bonus = any(grade.stretch for grade in results[0].grades)
    title = "All exercises, without bonus" if bonus else "All exercises"
    whole = _distribution(title, [one.regular for one in ready], ready[0].most) if ready else None
    late = sum(bool(one.late_days) for one in results)
    return HomeworkSummary(
        title_of(homework, register),
        sum(map(_handed_in, results)),
        late,
        whole,
        tuple(exercises),
        tuple(_failures(results)),
    )


def _handed_in(graded: Graded) -> bool:
    return graded.is_handed_in


def _judged(graded: Graded) -> bool:
    """Whether its points count in statistics: it was written, readable and judged."""
    return total(graded).complete and any(grade.status not in UNCOUNTED for grade in graded.grades)


def _exercise(title: str, grades: Sequence[Grade]) -> Distribution:
    points = [grade.points for grade in grades if grade.status not in UNCOUNTED]
    missing = sum(grade.status is Status.MISSING for grade in grades)
    unread = sum(grade.status is Status.UNREADABLE for grade in grades)
    waiting = sum(grade.status is Status.INFRASTRUCTURE for grade in grades)
    left_out = ((missing, "not written"), (unread, UNREADABLE), (waiting, "not judged yet"))
    words = [f"{count} {what}" for count, what in left_out if count]
    return _distribution(title, points, grades[0].max_points, ", ".join(words))


def _distribution(title: str, points: Sequence[float], most: float, left_out: str = "") -> Distribution:
    drawn = markup(distribution(title, points, most))
    mean, middle = (fmean(points), median(points)) if points else (0.0, 0.0)
    return Distribution(one_line(title, 120), drawn, mean, middle, most, len(points), left_out)


def _failures(results: Iterable[Graded]) -> list[tuple[str, str, bool, int, int]]:
    """(exercise, test, public, failures, runs), most failures first."""
    ran: Counter[tuple[str, str, bool]] = Counter()
    failed: Counter[tuple[str, str, bool]] = Counter()
    for one in results:
        judged = (grade for grade in one.grades if grade.status not in UNCOUNTED)
        for check in (check for grade in judged for check in grade.checks):
            key = (check.exercise, check.name, check.public)
            ran[key] += 1
            failed[key] += not check.passed
    most = sorted((key for key in failed if failed[key]), key=lambda key: (-failed[key], key))[:FAILURES]
    return [(key[0], key[1], key[2], failed[key], ran[key]) for key in most]


def _isolation(results: Sequence[Graded]) -> str:
    """A remark on the isolation; "" if it was strong for all."""
    results = [one for one in results if one.is_handed_in]
    counts: Counter[Isolation] = Counter(one.isolation for one in results)
    del counts[Isolation.STRONG]
    if not counts:
        return ""
    words = " and ".join(f"{counts[kind]} with isolation {kind.value}" for kind in Isolation if counts[kind])
    return f"Of {len(results)} submissions, {words}: such a submission could have changed its own points."


def _needed(results: Sequence[Graded], register: Course, names: Mapping[str, str]) -> list[Row]:
    """Submissions that a person should look at; a damaged archive is a single row, not one per homework."""
    mixed = any(one.isolation is Isolation.STRONG for one in results)
    timed = any(one.late_days is not None and one.is_handed_in for one in results)
    alike: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    for one in results:
        alike[one.student, _needs_person(one, mixed, timed)].append(one)
    rows = []
    lost: dict[str, dict[str, None]] = defaultdict(dict)
    for one in results:
        lost[one.student] |= dict.fromkeys(one.aside)
    for student, told in lost.items():
        name, link = _link(student, names)
        rows += [Row(name, link, "", one_line(text, 300)) for text in told]
    for (_, words), found in alike.items():
        row = _row(found[0], register, names, words)
        if row is not None:
            rows.append(row if len(found) == 1 else replace(row, homework=f"{len(found)} homeworks"))
    return sorted(rows, key=lambda row: row.student.casefold())


def _needs_person(graded: Graded, mixed: bool, timed: bool) -> str:
    """Why a person should look at a submission; "" if no need.

    mixed : isolation was strong for some; if for none, a note at the top of the page says so once.
    timed : the time of some is known; if of none, nobody's is told apart.
    """
    if not graded.is_handed_in:
        return ""
    statuses = {grade.status for grade in graded.grades}
    messages = [grade.message for grade in graded.grades if grade.status is Status.UNREADABLE and grade.message]
    reasons = []
    if Status.INFRASTRUCTURE in statuses:
        reasons.append("the judge did not work: grade it again")
    if Status.UNREADABLE in statuses:
        told = one_line(messages[0], 160) if messages else ""
        reasons.append(told if UNREADABLE in told else f"{UNREADABLE}: {told}" if told else UNREADABLE)
    if mixed and graded.isolation is not Isolation.STRONG:
        reasons.append(f"isolation was {graded.isolation.value}")
    if timed and graded.late_days is None and total(graded).points:
        reasons.append("when it was handed in is not known, and no lateness was deducted")
    faults = [fault for fault in graded.faults if fault not in (*messages, *graded.aside)]
    return "; ".join([*reasons, *(one_line(fault, 300) for fault in faults)])


def _row(graded: Graded, register: Course, names: Mapping[str, str], words: str) -> Row | None:
    if not words:
        return None
    name, link = _link(graded.student, names)
    return Row(name, link, title_of(graded.homework, register), words)


def _link(student: str, names: Mapping[str, str]) -> tuple[str, str]:
    """A student's displayed name, and the relative link to their page; "" if there is none."""
    return one_line(student, 80), f"feedback/{quote(names[student])}.html" if student in names else ""


def _slowest(results: Sequence[Graded], register: Course, names: Mapping[str, str]) -> list[Row]:
    slow = sorted((one for one in results if one.seconds > 0), key=lambda one: -one.seconds)[:SLOWEST]
    rows = [_row(one, register, names, f"{one.seconds:.1f} s") for one in slow]
    return [row for row in rows if row]


def _column(homework: str, results: Sequence[Graded], register: Course) -> tuple[str, str, float]:
    """(heading, tooltip, maximum points) of a homework's column in the table of totals."""
    lesson = lesson_of(homework, register)
    heading = str(lesson.number) if lesson else one_line(homework, 20)
    return heading, title_of(homework, register), total(results[0]).most


def _totals(
    results: Sequence[Graded], homeworks: Sequence[str], names: Mapping[str, str]
) -> list[tuple[str, str, float | None, list[float | None]]]:
    """(name, link, sum, points per homework) of every student; None where there are no points yet."""
    points: dict[str, dict[str, float]] = defaultdict(dict)
    for one in results:
        if total(one).complete and one.counts:
            points[one.student][one.homework] = total(one).points
    return [
        (*_link(name, names), round(sum(own.values()), 6) if own else None, [own.get(one) for one in homeworks])
        for name in names
        for own in [points[name]]
    ]
