"""The instructors' page: numbers worked out by hand, hidden tests kept out, and nothing of a stranger that acts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import made_up
from classroom.grading.disclosure import HAPPENED
from classroom.grading.history import HandIn
from classroom.grading.pairs import keep_pairs, kept_pairs
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.report.answers import Answers, without_docstrings
from classroom.grading.report.causes import NOT_LOADED, OTHER, Cause, causes_of, words_of
from classroom.grading.report.clusters import clusters_of
from classroom.grading.report.dashboard import embedded, report_data, report_page
from classroom.grading.report.gather import ClassRecord, gather
from classroom.grading.report.items import ENOUGH, discrimination, item_numbers, passes_of
from classroom.grading.report.needs_help import may_need_help
from classroom.grading.report.progress import attempts, homework_numbers, weeks
from classroom.grading.roster import Person
from classroom.grading.settings import Settings
from classroom.grading.similarity import Pair
from classroom.grading.store import Store
from classroom.register import Course, Exercise, Lesson

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)  # a Monday
LESSONS = tuple(
    Lesson(
        n, f"Lesson {n}", "", f"0{n}", (), (Exercise(f"a{n}", "First", 4), Exercise(f"b{n}", "Second", 2)), f"hw{n}.py"
    )
    for n in (1, 2, 3, 4)
)
COURSE = Course("A <course>", LESSONS)
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    '=HYPERLINK("http://evil")',
    "\u202egnp.exe\u2066 \x1b[31m",
    "\ud800",
    "${alert(1)} `",
    "'); DROP TABLE submissions; --",
)


def graded(
    student: str, points: Mapping[str, float], homework: str = "01", checks: Iterable[Check] = (), **rest: Any
) -> Graded:
    most = {"a": 4.0, "b": 2.0}
    of = {name: [check for check in checks if check.exercise == name] for name in points}
    grades = tuple(
        Grade(
            name,
            value,
            most[name[0]],
            Status.PASSED if value == most[name[0]] else Status.PARTIAL,
            checks=tuple(of[name]),
        )
        for name, value in points.items()
    )
    values = {"isolation": Isolation.STRONG, "late_days": 0, **rest}
    return Graded(student, homework, f"{student} {homework}", "s", grades, **values)


def record_of(
    results: Iterable[Graded] = (),
    hand_ins: Iterable[HandIn] = (),
    lessons: tuple[Lesson, ...] = LESSONS[:1],
    people: Mapping[str, Person] | None = None,
    pairs: Iterable[Pair] = (),
) -> ClassRecord:
    results = list(results)
    hand_ins = list(hand_ins)
    students = sorted({one.student for one in results} | {one.student for one in hand_ins} | set(people or ()))
    by_key = {(one.student, one.homework): one for one in results}
    return ClassRecord(tuple(students), people or {}, lessons, by_key, hand_ins, list(pairs), tuple(students))


def numbers_of(record: ClassRecord) -> Any:
    everyone = np.ones(len(record.students), bool)
    return item_numbers(record.items, record.shares, passes_of(record), everyone)


def test_difficulty_is_the_mean_share_of_those_who_wrote_an_answer() -> None:
    unwritten = replace(
        graded("d", {"a1": 0, "b1": 2}), grades=(Grade("a1", 0, 4, Status.MISSING), Grade("b1", 2, 2, Status.PASSED))
    )
    first, second = numbers_of(record_of([graded("a", {"a1": 4, "b1": 0}), graded("b", {"a1": 1, "b1": 1}), unwritten]))
    assert (first.count, first.difficulty) == (2, 0.625)
    assert (second.count, second.difficulty) == (3, 0.5)


def test_discrimination_leaves_the_item_out_of_the_total() -> None:
    draw = np.random.default_rng(1)
    own, other = draw.random(400), draw.random(400)
    alone = discrimination(own, other[:, None], np.array([2.0]))
    assert alone is not None
    assert abs(alone - np.corrcoef(own, other)[0, 1]) < 1e-12
    # two independent items correlate with their sum by some 0.7, and with what is left of it not at all
    assert np.corrcoef(own, own + other)[0, 1] > 0.6
    assert abs(alone) < 0.15


def test_discrimination_by_hand() -> None:
    own = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1.0])
    rest = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1.0])
    # cov = 0.4 - 0.25, s = 0.5 each
    assert discrimination(own, rest[:, None], np.array([3.0])) == pytest.approx(0.6)
    assert discrimination(1 - own, rest[:, None], np.array([3.0])) == pytest.approx(-0.6)


def test_too_few_and_equal_shares_have_no_discrimination() -> None:
    own = np.arange(10) / 9
    assert discrimination(own[: ENOUGH - 1], own[: ENOUGH - 1, None], np.ones(1)) is None
    assert discrimination(np.ones(10), own[:, None], np.ones(1)) is None
    assert discrimination(own, np.ones((10, 1)), np.ones(1)) is None
    assert discrimination(own, np.ones((10, 0)), np.ones(0)) is None


def attempt(student: str, hours: float, a: float, b: float = 0, homework: str = "01") -> HandIn:
    number = int(homework)
    points = {f"a{number}": (a, 4.0), f"b{number}": (b, 2.0)}
    return HandIn(student, homework, NOON + timedelta(hours=hours), points)


def test_the_first_pass_is_counted_in_attempts_and_hours() -> None:
    found = [
        attempt("a", 0, 4), attempt("a", 1, 0),  # passed at once; what comes later changes nothing
        attempt("b", 0, 1), attempt("b", 5, 2), attempt("b", 9, 4),
        attempt("c", 0, 0), attempt("c", 2, 3.9),
        HandIn("d", "01", NOON, None),
    ]  # fmt: skip
    first, second = numbers_of(record_of(hand_ins=found))
    assert first.first == pytest.approx(1 / 3)
    assert first.passed == pytest.approx(2 / 3)
    assert (first.attempts, first.hours) == (2, 4.5)
    assert (second.passed, second.attempts, second.hours) == (0, None, None)


def test_weeks_begin_on_monday_and_empty_ones_are_there() -> None:
    found = [attempt("a", 0, 4, 2), attempt("b", 24 * 6, 1, 2), attempt("a", 24 * 14, 4, 0)]
    stages = weeks(record_of(hand_ins=found), ["a", "b"])
    assert [(one.label, one.count, one.mean) for one in stages] == [
        ("2027-03-01", 2, 0.75), ("2027-03-08", 0, None), ("2027-03-15", 1, pytest.approx(4 / 6)),
    ]  # fmt: skip
    assert [one.count for one in weeks(record_of(hand_ins=found), ["b"])] == [1]
    assert weeks(record_of(hand_ins=[HandIn("a", "01", None, None)]), ["a"]) == []


def test_attempts_are_counted_for_each_homework_and_from_the_fifth_on_together() -> None:
    found = [attempt("a", k, k / 2) for k in range(7)] + [attempt("a", 0, 4, 2, "02")]
    stages = attempts(record_of(hand_ins=found, lessons=LESSONS[:2]), ["a"])
    assert [(one.label, one.count) for one in stages] == [
        ("1.", 2),
        ("2.", 1),
        ("3.", 1),
        ("4.", 1),
        ("5. and later", 3),
    ]
    assert stages[0].mean == 0.5


def test_lateness_and_points_of_a_homework_count_everybody_once() -> None:
    nothing = Graded("n", "01", "n", "s", (Grade("a1", 0, 4, Status.MISSING),), Isolation.STRONG, due=True)
    results = [
        graded("a", {"a1": 4, "b1": 2}),
        graded("b", {"a1": 2, "b1": 1}, late_days=1, factor=0.9),
        graded("c", {"a1": 0, "b1": 0.5}, late_days=9, factor=0.0),
        graded("d", {"a1": 4, "b1": 1}, late_days=None),
        nothing,
        replace(nothing, student="o", due=False),
    ]
    record = record_of(results)
    numbers = homework_numbers(record, LESSONS[0], record.students)
    assert numbers.late == (1, 1, 0, 1, 1, 1)
    assert sum(numbers.bins) == 4
    assert numbers.bins == (1, 0, 1, 0, 1, 1)
    assert numbers.mean == pytest.approx((1 + 0.45 + 0 + 5 / 6) / 4)


def low(student: str, *shares: float | None) -> list[Graded]:
    return [
        graded(student, {f"a{n}": 4 * share, f"b{n}": 2 * share}, f"0{n}", due=True)
        for n, share in enumerate(shares, 1)
        if share is not None
    ]


def test_the_rule_for_help_looks_at_the_last_three_homeworks() -> None:
    results = [
        *low("gone", 1, 1, None, None), *low("weak", 1, 0.4, 0.4, 1), *low("once", 1, 1, 1, 0),
        *low("early", 0, 1, 1, 1), *low("fine", 1, 1, 1, 1),
    ]  # fmt: skip
    found = may_need_help(record_of(results, lessons=LESSONS))
    assert [(one.student, one.why) for one in found] == [("gone", "not handed in: 3, 4"), ("weak", "below 50%: 2, 3")]


def test_homework_that_few_have_handed_in_and_that_is_not_due_counts_against_nobody() -> None:
    results = [replace(one, due=False) for one in [*low("a", 1, 1, 1), *low("b", 1), *low("c", 1)]]
    assert may_need_help(record_of(results, lessons=LESSONS)) == []


def wrong(
    exercise: str = "a1", cause: str = "", message: str = "values differ", public: bool = True, got: str = "5"
) -> Check:
    values = {"call": "a1(2)", "expected": "4", "got": got} if public else {}
    return Check(exercise, "t", public, False, message, cause=cause, **values)


def test_causes_are_counted_by_students_with_the_commonest_values() -> None:
    def answer(student: str, *checks: Check) -> Graded:
        return graded(student, {"a1": 1, "b1": 1}, checks=checks)

    twice = (wrong(cause="x was squared", got="16"), wrong(cause="x was squared", got="16"))
    results = [
        answer("a", *twice),
        answer("b", wrong(cause="x was squared", got="25")),
        answer("c", wrong()),
        answer("h", wrong(), wrong(cause="x was squared", got="36")),
        answer("d", wrong(message="raised IndexError (line 3): no", got="")),
        answer("e", wrong(message="raised MyOwnSecret: x", got="")),
        answer("f", wrong(message="raised NotImplementedError: TODO")),
        answer("g", wrong(public=False, cause="SECRET")),
    ]
    (found,) = causes_of(record_of(results)).values()
    assert [(one.words, one.known, one.students) for one in found] == [
        ("x was squared", True, ("a", "b", "h")), ("it raises IndexError", False, ("d",)),
        ("it raises an exception of its own", False, ("e",)), (OTHER, False, ("c",)),
    ]  # fmt: skip
    assert found[0].sample is not None
    assert found[0].sample.got == "16"


def test_a_file_that_cannot_be_imported_is_one_cause() -> None:
    told = "hw.py, line 3: it imports torch, which is not there"
    checks = [Check(name, "t", True, False, told) for name in ("a1", "b1")]
    found = causes_of(record_of([graded("a", {"a1": 0, "b1": 0}, checks=checks)]))
    assert [one.words for some in found.values() for one in some] == [NOT_LOADED] * 2


def test_words_of_a_hidden_or_passed_check_are_none() -> None:
    assert words_of(wrong(public=False, cause="SECRET", message=HAPPENED["load"])) == ""
    assert words_of(replace(wrong(cause="x"), passed=True)) == ""


def test_pairs_come_back_as_they_were_and_in_groups(tmp_path: Path) -> None:
    lines = (((1, 2), (5, 9)), ((3, 3),))
    pairs = [
        Pair("01", ("a", "b"), 1.0, 30, lines),
        Pair("01", ("b", "c"), 0.8, 25, lines),
        Pair("02", ("a", "d"), 0.9, 21, lines),
    ]
    with Store(tmp_path) as store:
        keep_pairs(store.base, pairs)
        keep_pairs(store.base, pairs)
        assert sorted(kept_pairs(store.base), key=str) == sorted(pairs, key=str)
        keep_pairs(store.base, [])
        assert kept_pairs(store.base) == []
    assert [one.students for one in clusters_of(pairs)] == [("a", "b", "c"), ("a", "d")]
    assert clusters_of(pairs) == clusters_of(pairs[::-1])


def test_names_alike_but_for_case_are_two_students_in_a_group() -> None:
    (found,) = clusters_of([Pair("01", ("ann", "Ann"), 1.0, 30, ((), ()))])
    assert found.students == ("Ann", "ann")


def test_a_docstring_goes_and_code_stays() -> None:
    text = 'class A:\n    """Doc\n    more"""\n    x = 1\n\ndef f(): "one line"; return 1\n\ndef g():\n    """alone"""'
    assert (
        without_docstrings(text) == 'class A:\n    x = 1\n\ndef f(): "one line"; return 1\n\ndef g():\n    """alone"""'
    )
    assert without_docstrings("def f(:") == "def f(:"


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """A made-up class of 60 for three of the real lessons, gathered; and its store, open."""
    from classroom import register

    course = register.load()
    lessons = course.lessons[1:4]
    made_up.fill(tmp_path, lessons, 60)
    with Store(tmp_path) as store:
        yield course, store, gather(store, course, Settings())


def test_a_made_up_class_is_the_same_every_time(made: Any, tmp_path: Path) -> None:
    course, _, record = made
    made_up.fill(tmp_path / "again", course.lessons[1:4], 60)
    with Store(tmp_path / "again") as store:
        assert gather(store, course, Settings()) == record
    assert len(record.students) == 60
    assert len(record.hand_ins) > 200
    assert np.nanmean(record.shares) == pytest.approx(0.7, abs=0.15)


def test_brief_results_give_the_same_statistics_as_whole_ones(made: Any) -> None:
    course, store, record = made
    exercises = {lesson.folder: lesson.exercises for lesson in course.lessons}
    whole = store.graded(Settings(), exercises)
    fully = replace(
        record,
        graded={(one.student, one.homework): one for one in whole if (one.student, one.homework) in record.graded},
    )
    assert causes_of(fully) == causes_of(record)
    assert np.array_equal(fully.shares, record.shares, equal_nan=True)
    assert [one.is_handed_in for one in fully.graded.values()] == [one.is_handed_in for one in record.graded.values()]


def test_a_typical_answer_is_the_commonest_wrong_one_of_the_students_with_the_cause(tmp_path: Path) -> None:
    from classroom import register
    from classroom.marked import without_marks
    from classroom.stubs import definitions_text

    course = register.load()
    lesson = course.lessons[1]
    judge = lesson.root / "homework" / lesson.folder / "judge" / "solution.py"
    solved = definitions_text(without_marks(judge.read_text(encoding="utf-8")), ["flatten"])
    texts = [
        "def flatten(x):\n    return x.T",
        "def flatten(y):  # mine, longer\n    return y.T",
        "def flatten(x):\n    pass",
        solved,
    ]
    with Store(tmp_path) as store:
        names = [f"s{number}" for number in range(len(texts))]
        for name, text in zip(names, texts):
            store.keep_submissions([Submission(name, lesson.folder, {lesson.homework_file: text.encode()})])
        found = Answers(store, course)
        cause = Cause(lesson.folder, "flatten", "x was turned", True, tuple(names), None)
        assert found.typical(cause) == texts[0]
        assert found.typical(replace(cause, students=("s3",))) == ""
        assert found.typical(replace(cause, students=("nobody",))) == ""
        assert "def flatten" in found.solution(lesson.folder, "flatten")


def test_the_page_says_nothing_of_hidden_tests_and_no_address(made: Any) -> None:
    course, store, record = made
    html = report_page(record, course, Answers(store, course), {})
    exercises = {lesson.folder: lesson.exercises for lesson in course.lessons}
    grades = [grade for one in store.graded(Settings(), exercises) for grade in one.grades]
    hidden = {check.name for grade in grades for check in grade.checks if not check.public}
    assert hidden
    assert not [name for name in hidden if name in html]
    assert "@example.edu" not in html


def test_the_numbers_of_a_section_are_those_of_its_students(made: Any) -> None:
    course, store, record = made
    data = report_data(record, course, Answers(store, course), {})
    assert [one["count"] for one in data["views"]] == [60, 20, 20, 20]
    mine = [k for k, student in enumerate(record.students) if record.section_of(student) == record.sections[0]]
    shares = record.shares[mine, 0]
    assert data["views"][1]["items"][0][1] == round(float(np.nanmean(shares)), 3)
    for place in range(len(data["views"][0]["causes"])):
        assert data["views"][0]["causes"][place] == sum(view["causes"][place] for view in data["views"][1:])


def data_of(html: str, name: str = "data") -> Any:
    return json.loads(re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', html, re.S)[0])


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_stranger_acts_on_the_page(tmp_path: Path, text: str) -> None:
    check = replace(wrong(cause=text, message=text), call=text, expected=text, got=text)
    one, other = (graded(name, {"a1": 1, "b1": 1}, checks=[check]) for name in (text, f"{text} 2"))
    people = {text: Person(text, text, "", text, text)}
    pair = Pair("01", (one.student, other.student), 1.0, 30, (((1, 1),), ((1, 1),)))
    record = record_of([one, other], people=people, pairs=[pair])
    with Store(tmp_path) as store:
        store.keep_submissions(
            [
                Submission(
                    name.student.encode("utf-8", "replace").decode(), "01", {"hw1.py": text.encode("utf-8", "replace")}
                )
                for name in (one, other)
            ]
        )
        html = report_page(record, COURSE, Answers(store, COURSE), {one.student: "a"})
    scripts = re.findall(r"<script[^>]*>", html)
    assert scripts == [
        '<script type="application/json" id="data">',
        '<script type="application/json" id="texts">',
        "<script>",
    ]
    assert html.count("</script>") == 3
    assert "<img" not in html
    assert "<svg" not in html
    html.encode("utf-8")
    for block in ("data", "texts"):
        inside = re.findall(rf'id="{block}">(.*?)</script>', html, re.S)[0]
        assert not re.search("[<>&\u2028\u2029]", inside)
        assert not re.search("[\x00-\x08\x1b\u202e\u2066\ud800]", str(json.loads(inside)))
    assert data_of(html)["students"][0][3] in ("feedback/a.html", "")


def test_the_only_script_is_the_one_that_the_page_names(made: Any) -> None:
    course, store, record = made
    html = report_page(record, course, Answers(store, course), {})
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html
    assert not re.search(
        r"\bsrc=|https?://(?!www\.w3\.org/2000/svg)|fetch\(|import\b|innerHTML|outerHTML|insertAdjacent|eval|Function\(|document\.write",
        script,
    )
    assert not re.search(r"\bsrc=|<link|url\(", html)


def test_the_page_is_the_same_for_the_same_results(made: Any) -> None:
    course, store, record = made
    pages = {report_page(record, course, Answers(store, course), {}, NOON) for _ in range(2)}
    assert len(pages) == 1
    assert "as of 2027-03-01 12:00 UTC" in pages.pop()


def test_embedded_data_comes_back_whole() -> None:
    value = ["</script>", "<!--", "]]>", "\u2028", "é", {"a & b": None}]
    assert json.loads(embedded(value)) == value
    with pytest.raises(ValueError, match="float"):
        embedded(float("nan"))


def test_a_class_without_results_has_a_page(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.keep_roster([Person("ann", "Ann")])
        record = gather(store, COURSE, Settings())
        html = report_page(record, COURSE, Answers(store, COURSE), {})
    data = data_of(html)
    assert data["students"] == [["Ann", "ann", -1, "", []]]
    assert data["items"] == []
