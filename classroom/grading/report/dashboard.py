"""The instructors' page: all statistics as data, and one file that shows them by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import numpy as np

from classroom.grading.charts import LABELS
from classroom.grading.pages import markup, page
from classroom.grading.report.answers import Answers
from classroom.grading.report.causes import Cause, causes_of
from classroom.grading.report.clusters import Cluster, clusters_of
from classroom.grading.report.gather import ClassRecord
from classroom.grading.report.items import ENOUGH, item_numbers, passes_of
from classroom.grading.report.needs_help import RULE, may_need_help
from classroom.grading.report.progress import LATE, Stage, attempts, homework_numbers, weeks
from classroom.grading.safe import clean, one_line, truncated
from classroom.grading.words import title_of, when
from classroom.register import Course

MOST_NAME, MOST_VALUE = 120, 800
"""Maximum characters of a name, and of a value that a test shows."""
MOST_CLUSTERS, MOST_TEXTS, MOST_PAIRS = 60, 240, 30
"""Maximum number of groups on the page, of their texts, and of pairs of one group."""


def report_page(
    record: ClassRecord, course: Course, answers: Answers, names: Mapping[str, str], now: datetime | None = None
) -> str:
    """The page. `names` : student -> file name in `feedback/` without suffix. `now` : the time that it tells."""
    data = report_data(record, course, answers, names)
    texts = cluster_texts(data["clusters"], answers)
    return page(
        "report.html",
        course=course.title,
        students=len(record.students),
        made=when((now or datetime.now(UTC)).replace(second=0, microsecond=0)),
        rule=RULE,
        enough=ENOUGH,
        data=markup(embedded(data)),
        texts=markup(embedded(texts)),
    )


def embedded(value: object) -> str:
    """A value as JSON for a script element of a data type: nothing in it can end the element or begin another.

    Source: "Restrictions for contents of script elements" of the HTML standard.

    >>> embedded("</script><!--&")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--\\\\u0026"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def report_data(record: ClassRecord, course: Course, answers: Answers, names: Mapping[str, str]) -> dict[str, Any]:
    """All that the page shows, as JSON knows it. Names are cleaned; e-mail addresses are not on the page."""
    causes = causes_of(record)
    listed = [cause for item in record.items for cause in causes.get((item.homework, item.exercise.id), ())]
    short = {lesson.folder: place for place, lesson in enumerate(record.lessons)}
    return {
        "labels": LABELS,
        "late": LATE,
        "sections": [one_line(section, 60) for section in record.sections],
        "students": [_student(record, student, names) for student in record.students],
        "homeworks": [
            {"number": lesson.number, "title": title_of(lesson.folder, course), "most": lesson.points}
            for lesson in record.lessons
        ],
        "deadlines": any(one.deadline is not None for one in record.graded.values()),
        "items": [
            {
                "id": item.exercise.id,
                "title": item.exercise.title,
                "homework": short[item.homework],
                "points": item.exercise.points,
                "bonus": item.exercise.stretch,
                "solution": answers.solution(item.homework, item.exercise.id)
                if causes.get((item.homework, item.exercise.id))
                else "",
                "causes": [_cause(one, answers) for one in causes.get((item.homework, item.exercise.id), ())],
            }
            for item in record.items
        ],
        "views": _views(record, listed),
        "help": [[record.place[one.student], _rounded(one.share), one.why] for one in may_need_help(record)],
        "clusters": [
            _cluster(one, record, short) for one in clusters_of(record.pairs)[:MOST_CLUSTERS] if one.homework in short
        ],
    }


def _student(record: ClassRecord, student: str, names: Mapping[str, str]) -> list[Any]:
    """[name, name in the results if another, section, page, points of each homework]."""
    name, section = one_line(record.name_of(student), MOST_NAME), record.section_of(student)
    login = one_line(student, MOST_NAME)
    points = []
    for lesson in record.lessons:
        one, whole = record.graded.get((student, lesson.folder)), record.totals.get((student, lesson.folder))
        known = one is not None and one.counts and whole is not None and whole.complete
        points.append(round(whole.points, 2) if known and whole else None)
    link = f"feedback/{quote(names[student])}.html" if student in names else ""
    return [name, "" if login == name else login, record.sections.index(section) if section else -1, link, points]


def _views(record: ClassRecord, causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """The numbers of all students, then of each section."""
    passes, shares = passes_of(record), record.shares
    sections = np.array([record.section_of(student) for student in record.students], dtype=object)
    masks = [np.ones(len(sections), bool), *(sections == name for name in record.sections)]
    found = []
    for mask in masks if len(sections) else masks[:1]:
        students = [student for student, here in zip(record.students, mask) if here]
        known = set(students)
        numbers = item_numbers(record.items, shares, passes, mask)
        homeworks = (homework_numbers(record, lesson, students) for lesson in record.lessons)
        found.append(
            {
                "count": len(students),
                "items": [[_rounded(value) for value in asdict(one).values()] for one in numbers],
                "homeworks": [[one.bins, one.late, _rounded(one.mean)] for one in homeworks],
                "weeks": _stages(weeks(record, students)),
                "attempts": _stages(attempts(record, students)),
                "causes": [len(known.intersection(one.students)) for one in causes],
            }
        )
    return found


def _stages(stages: Iterable[Stage]) -> list[list[Any]]:
    return [[one.label, one.count, _rounded(one.mean)] for one in stages]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _cause(cause: Cause, answers: Answers) -> dict[str, Any]:
    sample = cause.sample
    return {
        "words": one_line(cause.words, 400),
        "known": cause.known,
        "values": [truncated(text, MOST_VALUE) for text in (sample.call, sample.expected, sample.got)]
        if sample
        else [],
        "answer": answers.typical(cause),
    }


def _cluster(cluster: Cluster, record: ClassRecord, homeworks: Mapping[str, int]) -> dict[str, Any]:
    """A group: its homework, its students as rows (their names in results, if they are in no row), and its pairs."""
    place = {student: number for number, student in enumerate(cluster.students)}
    return {
        "homework": homeworks[cluster.homework],
        "folder": cluster.homework,
        "students": [record.place.get(student, -1) for student in cluster.students],
        "logins": list(cluster.students),
        "pairs": [
            [place[one.students[0]], place[one.students[1]], _rounded(one.share), *one.lines]
            for one in cluster.pairs[:MOST_PAIRS]
        ],
        "more": max(0, len(cluster.pairs) - MOST_PAIRS),
    }


def cluster_texts(clusters: Sequence[dict[str, Any]], answers: Answers) -> list[list[str]]:
    """The texts of each group's students, in its order; "" where there would be more than MOST_TEXTS on the page.

    Takes out of `clusters` what only this function needs.
    """
    left, found = MOST_TEXTS, []
    for one in clusters:
        folder, logins = one.pop("folder"), one.pop("logins")
        needed = {member for pair in one["pairs"] for member in pair[:2]}
        texts = []
        for member, login in enumerate(logins):
            wanted = member in needed and left > 0
            left -= wanted
            texts.append(clean(answers.whole(login, folder)) if wanted else "")
        found.append(texts)
    return found
