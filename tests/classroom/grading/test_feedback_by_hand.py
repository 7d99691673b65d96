"""Comments by hand, a time of release, requests for another look, and the table to mail pages by."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.feedback import feedback_page
from classroom.grading.feedback.comments import MOST, add_comment, comments, delete_comments
from classroom.grading.feedback.mail import mail_csv
from classroom.grading.feedback.rules import FeedbackRules, load_rules
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.reports import write_reports
from classroom.grading.roster import Person
from classroom.grading.store import Store
from classroom.register import Course, Exercise, Lesson

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
COURSE = Course("A course", (Lesson(1, "Numbers", "", "01_numbers", (), (Exercise("double", "Twice", 4),), "hw.py"),))
PUBLIC = Check(
    "double", "twice", True, False, "wrong number", "double(2)", "4", "5", "2 gives 4.", cause="x was squared"
)
HIDDEN = Check("double", "SECRET1", False, False, "SECRET2", hint="Negative numbers too.")


def graded(*checks: Check, points: float = 1.5, status: Status = Status.PARTIAL, **rest: Any) -> Graded:
    message = "0 of 1 public tests passed, 1 of 2 hidden tests passed"
    grade = Grade("double", points, 4, status, rest.pop("message", message), checks)
    return Graded("ann", "01_numbers", "d", "s", (grade,), Isolation.STRONG, **{"late_days": 0, **rest})


def text_of(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html.split("</style>")[1]).split())


HELD = FeedbackRules(released={"01_numbers": NOON})


def test_until_the_time_of_release_a_page_shows_public_tests_alone() -> None:
    one = graded(PUBLIC, HIDDEN, Check("double", "SECRET3", False, True), late_days=1, factor=0.9)
    said = {("ann", "01_numbers", "double"): ("SECRET4",), ("ann", "01_numbers", ""): ("SECRET5",)}
    before = text_of(feedback_page("ann", [one], COURSE, said, HELD, NOON - timedelta(seconds=1)))
    assert "2 gives 4. wrong number. Likely why: x was squared called double(2)" in before
    assert "Points, hidden tests and comments are shown from 2027-03-01 12:00 UTC" in before
    assert "Handed in 1 day late." in before
    assert not re.search("SECRET|Negative|hidden tests? (failed|passed)|1.35|1.5|0.9| of 4 points", before)
    after = text_of(feedback_page("ann", [one], COURSE, said, HELD, NOON))
    assert "1.35 of 4 points" in after
    assert "Negative numbers too." in after
    assert "SECRET4" in after
    assert "SECRET5" in after


def test_before_the_release_two_students_who_differ_in_hidden_tests_alone_have_the_same_page() -> None:
    passed = Check("double", "twice", True, True, hint="2 gives 4.")
    ones = [
        graded(passed, Check("double", "h", False, True), points=4.0, status=Status.PASSED, message="all"),
        graded(passed, HIDDEN, points=0.0, status=Status.FAILED, message="none"),
        graded(passed, HIDDEN, points=3.0, status=Status.OVERRIDDEN, message="by hand"),
    ]
    pages = {feedback_page("ann", [one], COURSE, {}, HELD, NOON - timedelta(1)) for one in ones}
    assert len(pages) == 1
    assert "by hand" not in pages.pop()


def test_an_import_that_fails_is_told_before_the_release_too_with_what_to_do() -> None:
    from classroom.grading.disclosure import HAPPENED

    why = "hw.py, line 3: it imports torch, which is not there"
    checks = (Check("double", "t", True, False, why), Check("double", "h", False, False, HAPPENED["load"]))
    one = graded(*checks, points=0.0, status=Status.FAILED)
    for now in (NOON - timedelta(1), NOON):
        text = text_of(feedback_page("ann", [one], COURSE, {}, HELD, now))
        assert text.count(why) == 1
        if now == NOON:
            assert "Mend that line or take it out" in text


@pytest.mark.parametrize(
    "text", ["https://example.edu/form?a=1&b=2", "mailto:ta@example.edu", "Ask in the lab on Monday."]
)
def test_a_request_for_another_look_is_a_link_or_a_sentence(text: str) -> None:
    html = feedback_page("ann", [graded(PUBLIC)], COURSE, {}, FeedbackRules(text))
    links = re.findall('<a href="([^#"][^"]*)"', html)
    shown = text.replace("&", "&amp;")
    assert links == ([shown] if ":" in text else [])
    assert shown in html


@pytest.mark.parametrize(
    "text",
    ["javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
     "java\\tscript:alert(1)", "https://a\\nb", "\\u202ehttps://a", "x" * 501],
)  # fmt: skip
def test_a_link_that_could_act_is_refused(mini: Any, text: str) -> None:
    mini.set("[feedback]", f'regrade = "{text}"')
    with pytest.raises(GradingError, match="expected regrade to be a link that begins with https://"):
        load_rules(mini.root)


@pytest.mark.parametrize("text", ["javascript:alert(1)", "java\tscript:x"])
def test_what_is_no_safe_link_would_be_shown_as_text_all_the_same(text: str) -> None:
    assert "<a href=" not in feedback_page("ann", [graded(PUBLIC)], COURSE, {}, FeedbackRules(text))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("regrad = 'x'", "regrad is no setting; did you mean regrade"),
        ("regrade = 3", "expected regrade to be a link"),
        ("released = 3", r"expected a table \[feedback.released\]"),
        ("released.nowhere = 2027-03-01T12:00:00Z", "there is no lesson with the folder nowhere"),
        ("released.01_numbers = 2027-03-01T12:00:00", "a time with its offset from UTC"),
    ],
)
def test_a_wrong_setting_is_told(mini: Any, lines: str, words: str) -> None:
    mini.set("[feedback]", lines)
    with pytest.raises(GradingError, match=words):
        load_rules(mini.root)


def test_the_settings_are_read(mini: Any) -> None:
    assert load_rules(mini.root) == FeedbackRules()
    mini.set("[feedback]", 'regrade = "Ask."\nreleased.01_numbers = 2027-03-01T12:00:00Z')
    assert load_rules(mini.root) == FeedbackRules("Ask.", {"01_numbers": NOON})


HOSTILE = [
    "</script><script>alert(1)</script>",
    "{{ 7 * 7 }} {% include 'style.css' %}",
    "<svg onload=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "red \x1b[31m \u202e reversed \u2066 \x00 \x07",
    "=cmd|'/c calc'!A1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_is_text_and_nothing_else(tmp_path: Path, text: str) -> None:
    with Store(tmp_path) as store:
        add_comment(store.base, "ann", "01_numbers", "double", text)
        kept = comments(store.base)
    html = feedback_page("ann", [graded(PUBLIC)], COURSE, kept)
    plain = feedback_page("ann", [graded(PUBLIC)], COURSE, {("ann", "01_numbers", "double"): ("plain",)})
    assert re.findall("<[a-z]+", html) == re.findall("<[a-z]+", plain)
    assert not re.search("[\x00\x07\x1b\u202e\u2066]", html)
    assert "49" not in html or "7 * 7" not in text


def test_comments_stay_in_order_and_are_deleted_where_they_stand(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for exercise, text in (("double", "one\n\ntwo"), ("double", " three "), ("", "whole"), ("turn", "other")):
            add_comment(store.base, "ann", "01_numbers", exercise, text)
        assert comments(store.base)["ann", "01_numbers", "double"] == ("one\n\ntwo", "three")
        assert delete_comments(store.base, "ann", "01_numbers", "double") == 2
        assert delete_comments(store.base, "Ann", "01_numbers", "turn") == 0
        assert len(comments(store.base)) == 2


@pytest.mark.parametrize("text", ["", "  \n", "\x1b[31m", "x" * (MOST + 1)])
def test_a_comment_without_words_or_end_is_refused(tmp_path: Path, text: str) -> None:
    with Store(tmp_path) as store, pytest.raises(GradingError, match="expected a comment"):
        add_comment(store.base, "ann", "01_numbers", "double", text)


def test_a_name_with_quotes_is_a_name(tmp_path: Path) -> None:
    name = "'); DROP TABLE comments; --"
    with Store(tmp_path) as store:
        add_comment(store.base, name, "01_numbers", "double", name)
        assert comments(store.base) == {(name, "01_numbers", "double"): (name,)}


def test_the_mail_table_names_every_page_and_holds_no_formula() -> None:
    people = {
        "ann": Person("ann", "=HYPERLINK(1)", "", "=cmd@example.edu"),
        "bo": Person("bo", "", "", "bo@example.edu"),
    }
    rows = list(csv.reader(io.StringIO(mail_csv({"ann": "ann", "bo": "bo", "-x": "-x"}, people))))
    assert rows[0] == ["name", "email", "file"]
    assert rows[1:] == [
        ["'=HYPERLINK(1)", "'=cmd@example.edu", "feedback/ann.html"],
        ["bo", "bo@example.edu", "feedback/bo.html"],
        ["'-x", "", "feedback/-x.html"],
    ]


def test_a_linked_feedback_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "feedback").symlink_to(elsewhere)
    with pytest.raises(GradingError, match="expected a folder, found a link"):
        write_reports(tmp_path, [graded(PUBLIC)], COURSE)
    assert list(elsewhere.iterdir()) == []


def test_a_linked_page_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback" / "ann.html").symlink_to(victim)
    (tmp_path / "feedback" / "ann.html.new").symlink_to(victim)
    write_reports(tmp_path, [graded(PUBLIC)], COURSE)
    assert victim.read_text() == "mine"
    assert not (tmp_path / "feedback" / "ann.html").is_symlink()


@pytest.fixture
def results(teacher: Any, tmp_path: Path) -> Path:
    """Results of two students of the small course."""
    out = tmp_path / "out"
    with Store(out) as store:
        store.keep_suites({"01_numbers": "s"})
        for name in ("ann", "bo"):
            one = Submission(name, "01_numbers", {"hw01_numbers.py": teacher.solution.encode()}, NOON)
            store.keep_submissions([one])
            grades = tuple(
                Grade(e.id, 1.0, e.points, Status.PARTIAL, "", (PUBLIC, HIDDEN), e.stretch)
                for e in teacher.lesson.exercises
            )
            store.keep(Graded(name, "01_numbers", one.digest, "s", grades, Isolation.STRONG))
        store.keep_roster([Person("ann", "Ann A.", "", "ann@example.edu"), Person("bo", "Bo B.")])
    return out


def test_a_comment_with_points_is_on_the_page_and_in_the_table(mini: Any, results: Path) -> None:
    said = mini.run("comment", "ann", "double", "Nearly: what of 0?", "--points", "2", "--out", str(results))
    assert said.exit_code == 0, said.output
    page = (results / "feedback" / "ann.html").read_text(encoding="utf-8")
    assert page.count("Nearly: what of 0?") == 2
    assert "ann,01_numbers,double,2,2,overridden" in (results / "grades.csv").read_text(encoding="utf-8")
    said = mini.run("comment", "ann", "1", "Good work.", "--out", str(results))
    assert "2 pages for students" in said.output
    assert "Good work." in (results / "feedback" / "ann.html").read_text(encoding="utf-8")
    assert "Good work." not in (results / "feedback" / "bo.html").read_text(encoding="utf-8")
    said = mini.run("comment", "ann", "1", "--delete", "--out", str(results))
    assert "1 comment deleted" in said.output
    assert "Good work." not in (results / "feedback" / "ann.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Ann", "double", "x"), "holds nothing of 'Ann'"),
        (("ann", "doubel", "x"), "doubel"),
        (("ann", "double", "x", "--points", "3"), "gives at most 2 points"),
        (("ann", "1", "x", "--points", "1"), "--points needs an exercise"),
        (("ann", "double", "  "), "expected a comment with words"),
        (("ann", "double", "x", "--delete"), "--delete takes neither"),
    ],
)
def test_a_comment_that_cannot_be_is_told(mini: Any, results: Path, arguments: tuple[str, ...], words: str) -> None:
    said = mini.run("comment", *arguments, "--out", str(results))
    assert said.exit_code == 2
    assert words in " ".join(said.stderr.split())


def test_the_mail_table_and_the_pages_are_written_by_feedback(mini: Any, results: Path) -> None:
    mini.set("[feedback]", "released.01_numbers = 2127-03-01T12:00:00Z")
    said = mini.run("feedback", str(results), "--mail")
    assert said.exit_code == 0, said.output
    assert (results / "mail.csv").read_text(encoding="utf-8") == (
        "name,email,file\nAnn A.,ann@example.edu,feedback/ann.html\nBo B.,,feedback/bo.html\n"
    )
    assert "are shown from 2127-03-01 12:00" in (results / "feedback" / "ann.html").read_text(encoding="utf-8")


def test_the_report_is_written(mini: Any, results: Path) -> None:
    said = mini.run("report", str(results))
    assert said.exit_code == 0, said.output
    assert "What the class teaches" in (results / "report.html").read_text(encoding="utf-8")
    assert mini.run("report", str(results / "nowhere")).exit_code == 2
