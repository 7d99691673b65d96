"""Gradescope's results.json."""

from __future__ import annotations

from classroom.grading.records import Check, Grade, Graded, Status
from classroom.grading.safe import one_line, truncated
from classroom.grading.totals import total
from classroom.grading.words import (
    NO_HINT,
    exercise_of,
    lesson_of,
    remark,
    remarks,
    requirement,
    standing,
    stopped,
)
from classroom.register import Course, Lesson


def gradescope(graded: Graded, register: Course) -> dict[str, object]:
    """The results.json of one submission: one test per exercise, visible to the student after grades are published.

    Hidden tests are part of their exercise's text rather than tests with visibility "hidden", because with any of
    those Gradescope shows the student no total. Output and run time are not shown, since they could leak hidden
    inputs. Formats are "text", because Gradescope's default for the whole output is HTML.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    points = total(graded)
    lesson = lesson_of(graded.homework, register)
    return {
        "score": points.points,
        "output": "\n".join(remarks(graded)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "after_published",
        "stdout_visibility": "hidden",
        "extra_data": {"isolation": graded.isolation.value, "late_days": graded.late_days, "suite": graded.suite},
        "tests": [_test(grade, lesson, place, bool(stopped(graded))) for place, grade in enumerate(graded.grades, 1)],
    }


def _test(grade: Grade, lesson: Lesson | None, place: int, stopped_all: bool) -> dict[str, object]:
    title = exercise_of(grade, lesson).title
    name = one_line(f"{grade.exercise}: {title}" if title else grade.exercise)
    full = grade.points >= grade.max_points
    return {
        "score": round(grade.points, 6),
        "max_score": grade.max_points,
        "status": "passed" if full else "failed",
        "name": f"{name} (bonus)" if grade.stretch else name,
        "number": f"{lesson.number if lesson else 0}.{place}",
        "output": truncated("\n\n".join([standing(grade)] if stopped_all else _in_words(grade)), 20_000),
        "visibility": "after_published",
    }


def _in_words(grade: Grade) -> list[str]:
    words = [standing(grade)]
    if grade.status is Status.INFRASTRUCTURE or remark(grade):
        words.append(remark(grade) or grade.message)
    if grade.status is not Status.MISSING:
        words += [_failure(check) for check in grade.checks if not check.passed]
    return words


def _failure(check: Check) -> str:
    if not check.public:
        return f"hidden test failed: {check.hint or NO_HINT}"
    parts = [("", check.told), ("called: ", check.call), ("expected: ", check.expected), ("got: ", check.got)]
    return "\n".join([f"public test failed: {requirement(check)}", *(label + text for label, text in parts if text)])


def uploaded(graded: Graded, register: Course, hidden: str, isolation: str) -> dict[str, object]:
    """The results.json of an upload: public tests visible at once, points and hidden tests with visibility `hidden`.

    The entry with an exercise's points names no hidden input. Lateness is Gradescope's, and not deducted here; how long
    it took is not told, since it could leak hidden inputs. `isolation` : the sandbox's explanation.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    points, lesson = total(graded), lesson_of(graded.homework, register)
    whole, reached = bool(stopped(graded)), isolation.partition(". ")[0]
    tests: list[dict[str, object]] = []
    for place, grade in enumerate(graded.grades, 1):
        number = f"{lesson.number if lesson else 0}.{place}"
        tests += _public(grade, number)
        tests.append(_test(grade, lesson, place, whole) | {"visibility": hidden})
    return {
        "score": points.raw,
        "output": "\n".join([*remarks(graded), f"isolation: {graded.isolation.value} ({reached})"]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"isolation": graded.isolation.value, "suite": graded.suite},
        "tests": tests,
    }


def _public(grade: Grade, number: str) -> list[dict[str, object]]:
    """An entry without points for each public test, or one that says why there is none."""
    checks = [check for check in grade.checks if check.public]
    if not checks:
        name, words = one_line(grade.exercise), truncated(standing(grade), 20_000)
        return [{"name": name, "number": number, "status": "failed", "output": words, "visibility": "visible"}]
    return [
        {
            "name": one_line(f"{grade.exercise}: {check.name}"),
            "number": f"{number}.{place}",
            "status": "passed" if check.passed else "failed",
            "output": "" if check.passed else truncated(_failure(check), 20_000),
            "visibility": "visible",
        }
        for place, check in enumerate(checks, 1)
    ]
