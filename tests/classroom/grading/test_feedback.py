"""The student's page: what it says, what it must not say, and that nothing on it acts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading.disclosure import HAPPENED
from classroom.grading.feedback import feedback_page
from classroom.grading.records import Check, Grade, Graded, Isolation, Status
from classroom.grading.words import numbers_of, standing
from classroom.register import Course, Exercise, Lesson

REGISTER = Course(
    "A course",
    (
        Lesson(
            1,
            "Numbers",
            "",
            "01_numbers",
            (),
            (Exercise("double", "Twice", 4), Exercise("extra", "More", 2, stretch=True)),
            "hw01.py",
        ),
        Lesson(2, "Shapes", "", "02_shapes", (), (Exercise("area", "An area", 3),), "hw02.py"),
    ),
)
HOSTILE = [
    "<script>alert(1)</script>",
    '"onload="alert(1)',
    "' onmouseover='alert(1)",
    "</pre></main><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "</style><style>body{display:none}",
    "javascript:alert(1)",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe\u2066",
    "\ud800",
]
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
VOID = {"meta", "br", "img", "link", "input"}
ELEMENTS = re.findall(
    r"\S+",
    "html head meta title style body main header footer section article nav div span p h1 h2 h3 a bdi b code pre ul li "
    "dl dt dd details summary table thead tbody tr th td figure figcaption br svg desc rect text path g",
)
ATTRIBUTES = re.findall(
    r"\S+",
    "lang charset name content http-equiv class id href style aria-hidden aria-label scope tabindex open xmlns width "
    "height viewbox role font-family x y fill font-size text-anchor dominant-baseline d stroke stroke-opacity rx",
)


class Page(HTMLParser):
    """A page as a browser's parser sees it: elements, attributes, text; every element closed in its order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.text += " "
        self.elements.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


def assert_harmless(html: str) -> Page:
    """Only elements and attributes of our own, no address but of this page and its neighbours, no control codes."""
    page = Page(html)
    assert page.elements <= set(ELEMENTS)
    assert {name for name, _ in page.attributes} <= set(ATTRIBUTES)
    for name, value in page.attributes:
        assert name != "href" or re.fullmatch(r"#homework-\d+|feedback/[\w.%-]+\.html", value)
        assert name != "style" or re.fullmatch(r"width: [\d.]+%", value)
    style = html.split("<style>")[1].split("</style>")[0]
    assert not re.search(r"url\(|@import|//|<", style)
    assert not [c for c in html if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")]
    html.encode("utf-8")
    return page


def check(public: bool = True, passed: bool = True, **rest: str) -> Check:
    return Check("double", rest.pop("name", "a_test"), public, passed, **rest)


def graded(*grades: Grade, student: str = "ann", homework: str = "01_numbers", **rest: object) -> Graded:
    values = {"isolation": Isolation.STRONG, "late_days": 0, **rest}
    return Graded(student, homework, "d", "s", grades, **values)  # type: ignore[arg-type]


def shown(*grades: Grade, **rest: object) -> str:
    """The page's text in one line."""
    return " ".join(assert_harmless(feedback_page("ann", [graded(*grades, **rest)], REGISTER)).text.split())


def test_points_are_told_for_each_homework_and_exercise_with_the_bonus_apart() -> None:
    first = graded(Grade("double", 3, 4, Status.PARTIAL), Grade("extra", 1.5, 2, Status.PARTIAL, stretch=True))
    second = graded(Grade("area", 3, 3, Status.PASSED), homework="02_shapes")
    text = " ".join(assert_harmless(feedback_page("ann", [first, second], REGISTER)).text.split())
    assert "6 of 7 points + 1.5 bonus" in text
    assert "Homework 1: Numbers 3 of 4 points + 1.5 bonus" in text
    assert "Homework 2: Shapes 3 of 3 points" in text
    assert "extra More 1.5 of 2 bonus" in text


def unbegun(homework: str = "02_shapes", **rest: object) -> Graded:
    return graded(Grade("area", 0, 3, Status.MISSING, "nothing was handed in"), homework=homework, **rest)


def text_of(results: Sequence[Graded]) -> str:
    return " ".join(assert_harmless(feedback_page("ann", results, REGISTER)).text.split())


def test_only_what_is_handed_in_or_due_is_counted_and_the_rest_is_one_line() -> None:
    first = graded(Grade("double", 3, 4, Status.PARTIAL))
    untouched = graded(
        Grade("area", 0, 3, Status.MISSING, "not written yet", (check(passed=False, message="raised"),)),
        homework="02_shapes",
        faults=("hw02_final.py is larger than 512 KB",),
    )
    said = "Nothing to judge yet, and not due: homework 2."
    written = "Handed in, with nothing written in it yet: homework 2."
    for rest, line, other in ((unbegun(), said, written), (untouched, written, said)):
        text = text_of([first, rest])
        assert "3 of 4 points" in text
        assert text.count(line) == 1
        assert other not in text
        assert "area" not in text
    assert "hw02_final.py is larger than 512 KB" in text_of([first, untouched])
    text = text_of([first, unbegun(due=True, deadline=NOON)])
    assert "3 of 7 points" in text
    assert "Nothing was handed in" in text
    assert "No points yet" in text_of([unbegun()])


def test_which_file_was_judged_when_it_came_and_the_deadline_are_told() -> None:
    came = datetime(2027, 3, 1, 10, 30, tzinfo=UTC)
    deadline = datetime(2027, 3, 1, 23, 59, tzinfo=timezone(timedelta(hours=1)))
    values = {"judged": "mine/hw1.py", "handed_in": came, "deadline": deadline}
    text = shown(Grade("double", 4, 4, Status.PASSED), **values)
    assert "Judged mine/hw1.py Handed in 2027-03-01 11:30 UTC+01:00 Deadline 2027-03-01 23:59 UTC+01:00" in text
    assert "Handed in 2027-03-01 10:30 UTC" in shown(Grade("double", 4, 4, Status.PASSED), handed_in=came)
    assert "Deadline" not in shown(Grade("double", 4, 4, Status.PASSED), judged="hw1.py")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((1, 2, 5), "1, 2 and 5"), ((1, 2), "1 and 2"), ((1, 3, 4, 5, 8), "1, 3 to 5 and 8")],
)
def test_homeworks_are_listed_by_their_numbers(numbers: tuple[int, ...], words: str) -> None:
    course = Course("A course", tuple(replace(REGISTER.lessons[0], number=n, folder=str(n)) for n in range(1, 9)))
    assert numbers_of([str(number) for number in numbers], course) == f"homework {words}"


def test_what_belongs_to_no_homework_is_told_once_at_the_top() -> None:
    aside = ("not recognised as homework: notes.pdf",)
    lost = graded(Grade("double", 0, 4, Status.UNREADABLE, aside[0]), faults=aside, aside=aside)
    also = replace(lost, homework="02_shapes")
    text = text_of([lost, also])
    assert text.count("notes.pdf") == 1
    assert "No points yet" in text
    assert "homework 1 and 2" in text
    text = text_of([replace(lost, due=True)])
    assert text.count("notes.pdf") == 1
    assert "Nothing of this homework was found" in text


def test_an_import_that_fails_is_told_once_for_the_whole_homework() -> None:
    why = "hw01.py, line 3: it imports torch, which is not there"
    checks = (
        check(passed=False, message=why),
        check(public=False, passed=False, message=HAPPENED["load"], hint="Negative numbers too."),
    )
    grades = [Grade(name, 0, 2, Status.FAILED, "0 of 1 public tests passed", checks) for name in ("double", "extra")]
    text = shown(*grades)
    assert text.count(why) == 1
    assert "hidden test failed" not in text
    assert "Negative numbers" not in text
    assert text.count("not passed") == 2


def test_a_homework_that_cannot_be_read_says_why_once() -> None:
    why = "hw01.py is saved as UTF-16, which Python cannot read: save it as UTF-8 and hand it in again"
    text = shown(*(Grade(name, 0, 2, Status.UNREADABLE, why) for name in ("double", "extra")), judged="hw01.py")
    assert text.count(why) == 1
    assert "0 of 4 points" in text


def test_a_failed_public_test_shows_the_call_expected_and_got() -> None:
    failed = check(
        passed=False, hint="2 gives 4.", message="wrong number", call="double(2)", expected="int 4", got="int 5"
    )
    text = shown(Grade("double", 0, 4, Status.FAILED, checks=(failed,)))
    assert "2 gives 4. wrong number called double(2) expected int 4 got int 5" in text
    assert text.count("2 gives 4.") == 1


def test_a_hidden_test_shows_its_hint_and_nothing_else() -> None:
    secrets = {"name": "SECRET1", "message": "SECRET2", "call": "SECRET3", "expected": "SECRET4", "got": "SECRET5"}
    hidden = check(public=False, passed=False, hint="Negative numbers too.", **secrets)
    passed = check(public=False, hint="SECRET6", name="SECRET7")
    html = feedback_page("ann", [graded(Grade("double", 2, 4, Status.PARTIAL, checks=(hidden, passed)))], REGISTER)
    assert "Negative numbers too." in html
    assert "SECRET" not in html


def test_hidden_tests_with_one_hint_are_told_once() -> None:
    hidden = check(public=False, passed=False, hint="Negative numbers too.")
    text = shown(Grade("double", 0, 4, Status.FAILED, checks=(hidden, hidden)))
    assert text.count("Negative numbers too.") == 1
    assert "2 hidden tests failed" in text


def test_a_hidden_test_without_a_hint_gets_a_general_one() -> None:
    assert "sizes of 1" in shown(Grade("double", 0, 4, Status.FAILED, checks=(check(public=False, passed=False),)))


@pytest.mark.parametrize("hidden", [(), (check(public=False, passed=False),), (check(public=False),)])
def test_passed_public_tests_are_never_called_all_tests(hidden: tuple[Check, ...]) -> None:
    grade = Grade("double", 1, 4, Status.PARTIAL, checks=(check(), *hidden))
    assert "public tests passed (1 of 1)" in standing(grade)
    assert "all tests passed" not in shown(grade).lower()


def test_lateness_is_told_with_what_it_costs() -> None:
    text = shown(Grade("double", 4, 4, Status.PASSED), late_days=2, factor=0.8)
    assert "Handed in 2 days late: 4 points × 0.8 = 3.2." in text
    assert "Homework 1: Numbers 3.2 of 4 points" in text
    assert "1 day late; no points are deducted." in shown(Grade("double", 4, 4, Status.PASSED), late_days=1)
    assert "late" not in shown(Grade("double", 4, 4, Status.PASSED), late_days=None)


def test_faults_and_messages_are_told() -> None:
    text = shown(Grade("double", 0, 4, Status.UNREADABLE, "line 3 is not Python"), faults=("a.zip holds a link",))
    assert "a.zip holds a link" in text
    assert "line 3 is not Python" in text


def test_what_the_judge_could_not_judge_is_no_grade_and_tells_no_inside() -> None:
    broken = Grade("double", 0, 4, Status.INFRASTRUCTURE, "Traceback: /srv/judge")
    text = shown(broken)
    assert "not judged yet" in text
    assert "no fault of yours" in text
    assert "– of 4" in text
    assert "srv" not in text


def test_an_exercise_that_was_not_begun_lists_no_failures() -> None:
    failed = check(passed=False, message="raised NotImplementedError")
    text = shown(Grade("double", 0, 4, Status.MISSING, "not written yet", checks=(failed,)), due=True)
    assert text.count("not written yet") == 1
    assert "nothing handed in" not in text
    assert "NotImplementedError" not in text


def test_nothing_is_said_twice() -> None:
    passed = Grade("double", 4, 4, Status.PASSED, "1 of 1 public tests passed; judged from the worksheet", (check(),))
    text = shown(passed)
    assert "1 of 1" in text
    assert "1 of 1 public tests passed" not in text
    assert "judged from the worksheet" in text
    told = "a.zip cannot be read: it is cut off"
    assert shown(Grade("double", 0, 4, Status.UNREADABLE, told), faults=(told,)).count(told) == 1


def test_a_file_that_cannot_be_loaded_is_told_once_for_all_tests() -> None:
    broken = [check(name=name, passed=False, message="hw01.py, line 3: NameError") for name in ("one", "two", "three")]
    text = shown(Grade("double", 0, 4, Status.FAILED, checks=tuple(broken)))
    assert text.count("hw01.py, line 3: NameError") == 1
    assert "3 public tests failed, all in this way" in text
    broken[2] = check(passed=False, message="hw01.py, line 3: NameError", call="double(2)")
    assert shown(Grade("double", 0, 4, Status.FAILED, checks=tuple(broken))).count("NameError") == 3


def test_an_override_of_what_was_not_begun_lists_no_failures() -> None:
    failed = check(passed=False, message="raised NotImplementedError (line 4): TODO")
    text = shown(Grade("double", 3, 4, Status.OVERRIDDEN, "sent by mail", (failed, check(public=False, passed=False))))
    assert "sent by mail" in text
    assert "NotImplementedError" not in text
    assert "hidden test failed" not in text


def test_a_bonus_has_a_column_of_its_own() -> None:
    both = (Grade("double", 4, 4, Status.PASSED), Grade("extra", 2, 2, Status.PASSED, stretch=True))
    results = [graded(*both), graded(Grade("area", 3, 3, Status.PASSED), homework="02_shapes")]
    cells = re.findall('<td class="n">(.*?)</td>', feedback_page("ann", results, REGISTER))
    assert cells == ["4", "4", "2", "3", "3", "0"]


def test_a_homework_that_the_register_does_not_know_is_shown_by_its_folder() -> None:
    assert "03_gone" in shown(Grade("old", 1, 2, Status.PARTIAL), homework="03_gone")


def everywhere(text: str) -> list[Graded]:
    """A result in which every text is this one."""
    texts = {"message": text, "call": text, "expected": text, "got": text, "hint": text}
    checks = tuple(Check(text, text, public, passed, **texts) for public in (True, False) for passed in (True, False))
    return [graded(Grade(text, 1, 2, Status.PARTIAL, text, checks), student=text, homework=text, faults=(text,))]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_stranger_acts_on_the_page(text: str) -> None:
    page = assert_harmless(feedback_page(text, everywhere(text), REGISTER))
    if text.isprintable():
        assert page.text.count(text) >= 8


@given(st.text(st.characters(codec=None, categories=None), max_size=30))
def test_no_text_breaks_the_page(text: str) -> None:
    html = feedback_page(text, everywhere(text), REGISTER).replace("\u200c", "").replace("\u200d", "").replace("\t", "")
    assert_harmless(html)


def test_a_text_without_end_is_cut() -> None:
    assert len(feedback_page("x" * 10**6, everywhere("x" * 10**6), REGISTER)) < 300_000


def test_the_page_is_whole_by_itself() -> None:
    html = feedback_page("ann", [graded(Grade("double", 4, 4, Status.PASSED))], REGISTER)
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert 'name="viewport"' in html
    assert html == feedback_page("ann", [graded(Grade("double", 4, 4, Status.PASSED))], REGISTER)


def test_how_many_tests_passed_is_told_for_each_kind() -> None:
    checks = (check(), check(passed=False), check(public=False, passed=False))
    grade = Grade("double", 1, 4, Status.PARTIAL, checks=checks)
    assert standing(grade) == "1 of 2 public tests passed, 0 of 1 hidden test passed"
    assert standing(Grade("double", 0, 4, Status.MISSING, checks=checks)) == "not written yet"
