"""The feedback page of one student: points, what passed, what failed and why, as far as students may see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from classroom.grading.feedback.comments import Comments
from classroom.grading.feedback.held_back import held_back
from classroom.grading.feedback.rules import AT_ONCE, FeedbackRules
from classroom.grading.pages import page
from classroom.grading.records import Check, Grade, Graded, Status
from classroom.grading.safe import one_line, truncated
from classroom.grading.totals import Total, total
from classroom.grading.words import (
    NO_HINT,
    NOT_HANDED_IN,
    days_late,
    exercise_of,
    lateness_remark,
    lesson_of,
    numbers_of,
    remark,
    requirement,
    standing,
    status_in_words,
    stopped,
    title_of,
    when,
)
from classroom.register import Course
from classroom.started import DOCUMENTED

VALUE = 4000
"""Maximum length of a call, expected or received value shown."""

MEND = (
    f"No test can run before it can be imported. Mend that line or take it out, let `{DOCUMENTED} check` import "
    "the file, and hand it in again."
)
"""What to do about a file that cannot be imported."""


@dataclass(frozen=True)
class Failed:
    """A public test that failed: what must hold, what happened, and the values (label, text)."""

    title: str
    message: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ExerciseFeedback:
    """One exercise on the feedback page, without errors of the judge itself.

    `hints` : hints of failed hidden tests, each with the number of tests that give it.
    `comments` : by hand.
    """

    grade: Grade
    title: str
    status: str
    standing: str
    message: str
    failed: tuple[Failed, ...]
    hints: tuple[tuple[str, int], ...]
    passed: tuple[str, ...]
    comments: tuple[str, ...] = ()


@dataclass(frozen=True)
class HomeworkFeedback:
    """One homework on the feedback page.

    facts : (label, text) about the judged file, submission time, deadline.
    whole : message about all exercises at once.
    comments : by hand, on the whole homework.
    held : when points, hidden tests and comments are shown; "" if they are.
    """

    anchor: str
    title: str
    total: Total
    facts: tuple[tuple[str, str], ...]
    lateness: str
    whole: str
    faults: tuple[str, ...]
    exercises: tuple[ExerciseFeedback, ...]
    comments: tuple[str, ...] = ()
    held: str = ""


def feedback_page(
    student: str,
    results: Sequence[Graded],
    register: Course,
    comments: Comments | None = None,
    rules: FeedbackRules = AT_ONCE,
    now: datetime | None = None,
) -> str:
    """The HTML page of one student for all homeworks in `results`.

    Homework that is neither written nor due gets one line, or a second one if files were handed in; their faults are
    at the top of the page. Hidden tests appear as hints only: their names, messages, calls and values are not read.
    Homework whose feedback is not released at the time `now` shows its public tests alone.
    """
    now = now or datetime.now(UTC)
    counted = [graded for graded in results if graded.counts]
    rest = [graded for graded in results if not graded.counts]
    told = [text for graded in results for text in (*graded.aside, *(() if graded.counts else graded.faults))]
    parts = [
        homework_feedback(graded, register, f"homework-{place}", comments, rules.held_until(graded.homework, now))
        for place, graded in enumerate(counted, 1)
    ]
    ready = [part.total for part in parts if part.total.complete and not part.held]
    return page(
        "feedback.html",
        course=register.title,
        student=one_line(student, 120),
        parts=parts,
        aside=[one_line(text, 600) for text in dict.fromkeys(told)],
        untouched=numbers_of([graded.homework for graded in rest if graded.is_handed_in], register),
        rest=numbers_of([graded.homework for graded in rest if not graded.is_handed_in], register),
        points=sum(one.regular for one in ready),
        most=sum(one.most for one in ready),
        bonus=sum(one.bonus for one in ready),
        scored=bool(ready) or not any(part.held for part in parts),
        waiting=sum(not part.total.complete for part in parts),
        regrade=rules.regrade,
        regrade_link=rules.is_link,
    )


def homework_feedback(
    graded: Graded,
    register: Course,
    anchor: str,
    comments: Comments | None = None,
    held_until: datetime | None = None,
) -> HomeworkFeedback:
    """One graded submission as shown on the feedback page; until `held_until`, if given, its public tests alone."""
    graded = graded if held_until is None else held_back(graded)
    own = comments if comments and held_until is None else {}
    lesson, said = lesson_of(graded.homework, register), _said_of_all(graded)
    faults = tuple(one_line(fault, 600) for fault in graded.faults if fault not in (*graded.aside, said))
    shown = () if said and not stopped(graded) else graded.grades
    return HomeworkFeedback(
        anchor,
        title_of(graded.homework, register),
        total(graded),
        _facts(graded),
        lateness_remark(graded) if held_until is None else days_late(graded),
        truncated(said),
        faults,
        tuple(
            exercise_feedback(
                grade,
                exercise_of(grade, lesson).title,
                bool(said),
                own.get((graded.student, graded.homework, grade.exercise), ()),
            )
            for grade in shown
        ),
        own.get((graded.student, graded.homework, ""), ()),
        when(held_until) if held_until else "",
    )


def _facts(graded: Graded) -> tuple[tuple[str, str], ...]:
    zone = graded.deadline.tzinfo if graded.deadline else None
    came = when(graded.handed_in, zone) if graded.handed_in else ""
    deadline = when(graded.deadline) if graded.deadline else ""
    facts = (("Judged", one_line(graded.judged, 200)), ("Handed in", came), ("Deadline", deadline))
    return tuple((label, text) for label, text in facts if text)


def _said_of_all(graded: Graded) -> str:
    """Message about all exercises: nothing handed in, or a file that cannot be read or imported; else ""."""
    statuses, messages = {grade.status for grade in graded.grades}, {grade.message for grade in graded.grades}
    untested = not any(grade.checks for grade in graded.grades)
    if untested and len(messages) == 1 and (statuses == {Status.MISSING} or statuses == {Status.UNREADABLE}):
        message = messages.pop()
        if message in graded.aside:
            return "Nothing of this homework was found in what you handed in."
        return f"{message.capitalize()}." if message == NOT_HANDED_IN else message
    return f"{why}. {MEND}" if (why := stopped(graded)) else ""


def exercise_feedback(
    grade: Grade, title: str, stopped_all: bool = False, comments: tuple[str, ...] = ()
) -> ExerciseFeedback:
    """One grade as shown on the page; `stopped_all` : the homework's message already says why no test could run."""
    failed = [check for check in grade.checks if not check.passed and _is_begun(grade) and not stopped_all]
    hints = Counter(one_line(check.hint, 600) or NO_HINT for check in failed if not check.public)
    return ExerciseFeedback(
        grade,
        title,
        status_in_words(grade),
        standing(grade),
        "" if stopped_all else truncated(remark(grade)),
        _together([_failed(check) for check in failed if check.public]),
        tuple(hints.items()),
        tuple(requirement(check) for check in grade.checks if check.public and check.passed),
        comments,
    )


def _is_begun(grade: Grade) -> bool:
    """Whether the exercise differs from the stub, regardless of overridden points."""
    public = [check for check in grade.checks if check.public]
    unwritten = all(check.message.startswith("raised NotImplementedError") for check in public)
    return grade.status is not Status.MISSING and not (public and unwritten)


def _together(failed: Sequence[Failed]) -> tuple[Failed, ...]:
    """Merge into one if all tests failed the same way before calling anything, as with a file that fails to load."""
    if len(failed) > 1 and len({one.message for one in failed}) == 1 and not any(one.values for one in failed):
        return (Failed(f"{len(failed)} public tests failed, all in this way:", failed[0].message, ()),)
    return tuple(failed)


def _failed(check: Check) -> Failed:
    values = (("called", check.call), ("expected", check.expected), ("got", check.got))
    return Failed(
        requirement(check),
        truncated(check.told),
        tuple((name, truncated(text, VALUE)) for name, text in values if text),
    )
