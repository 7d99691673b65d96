"""The instructors' page: numbers that are right, whom to look at, and words that accuse nobody."""

from __future__ import annotations

import base64
import csv
import hashlib
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from classroom.grading.charts import LABELS, distribution, histogram
from classroom.grading.errors import GradingError
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.reports import write_reports
from classroom.grading.similarity import Comparison, Pair, Uncompared
from classroom.grading.summary import NOT_COMPARED, PAIRS, summary_page
from classroom.grading.taken import FromCourse, Place
from classroom.register import Course, Exercise, Lesson

FOLDER = "01_numbers"
REGISTER = Course("A course", (Lesson(1, "Numbers", "", "01_numbers", (), (Exercise("double", "Twice", 4),), "hw.py"),))


def graded(student: str, points: float = 4, status: Status = Status.PASSED, **rest: object) -> Graded:
    checks = rest.pop("checks", ())
    grade = Grade("double", points, 4, status, str(rest.pop("message", "")), checks)  # type: ignore[arg-type]
    values = {"isolation": Isolation.STRONG, "late_days": 0, **rest}
    return Graded(student, "01_numbers", student, "s", (grade,), **values)  # type: ignore[arg-type]


def text_of(*results: Graded, found: Comparison = NOT_COMPARED) -> str:
    html = summary_page(results, REGISTER, {one.student: one.student for one in results}, found)
    return " ".join(re.sub("<[^>]*>", " ", html.split("</style>")[1]).split())


def test_mean_and_median_leave_out_what_was_not_handed_in_or_not_judged() -> None:
    text = text_of(
        graded("a", 4),
        graded("b", 1, Status.PARTIAL),
        graded("c", 1, Status.PARTIAL),
        graded("d", 0, Status.MISSING),
        graded("e", 0, Status.INFRASTRUCTURE),
    )
    assert "mean 2, median 1 of 4; 3 judged, 1 not written, 1 not judged yet" in text


def test_what_cannot_be_read_does_not_pull_the_mean_down() -> None:
    text = text_of(graded("a", 4), graded("b", 2, Status.PARTIAL), graded("c", 0, Status.UNREADABLE))
    assert "mean 3, median 3 of 4; 2 judged, 1 cannot be read" in text


def test_whose_archive_cannot_be_read_is_counted_for_no_homework() -> None:
    told = ("x.zip cannot be read",)
    lost = graded("x", 0, Status.UNREADABLE, message=told[0], faults=told, aside=told)
    text = text_of(graded("a", 4), lost)
    assert "1 submission of 2 students" in text
    assert "cannot be read" in text.split("Similar submissions")[0]
    assert "cannot be read" not in text.split("Similar submissions")[1]


def with_bonus(student: str, points: float, bonus: float) -> Graded:
    one = graded(student, points)
    return replace(one, grades=(*one.grades, Grade("extra", bonus, 3, Status.PASSED, stretch=True)))


def test_the_mean_of_a_homework_is_of_the_points_that_it_is_said_to_be_of() -> None:
    text = text_of(with_bonus("a", 4, 3), with_bonus("b", 3, 3))
    assert "All exercises, without bonus" in text
    assert "mean 3.5, median 3.5 of 4" in text
    means = re.findall(r"mean ([\d.]+), median ([\d.]+) of ([\d.]+)", text)
    assert len(means) == 3
    assert all(float(mean) <= float(most) and float(middle) <= float(most) for mean, middle, most in means)


def test_homework_that_nobody_handed_in_is_one_line() -> None:
    text = text_of(graded("a"), replace(graded("a", 0, Status.MISSING), homework="02_shapes"))
    assert "Nothing handed in yet: 02_shapes." in text
    assert text.count("02_shapes") == 1


def test_what_belongs_to_no_homework_is_one_row() -> None:
    aside = ("not recognised as homework: notes.pdf",)
    text = text_of(*(replace(graded("a", aside=aside), homework=name) for name in ("01_numbers", "02_shapes")))
    assert text.count("notes.pdf") == 1
    assert "Every submission could be read" not in text


def test_a_chart_counts_every_submission_once() -> None:
    points = [0, 0, 0.5, 1, 2, 2.5, 3.9, 4, 4, 5]
    assert histogram(points, 4) == [2, 2, 1, 1, 1, 3]
    assert sum(histogram(points, 4)) == len(points)


def test_a_chart_is_an_image_with_a_title_and_its_numbers_in_words() -> None:
    drawn = distribution("<double>", [0, 4, 4], 4)
    root = ElementTree.fromstring(drawn.text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{space}title") == "<double>"
    assert f"{LABELS[0]}: 1" in str(root.findtext(f"{space}desc"))
    assert f"{LABELS[-1]}: 2" in root.attrib["aria-label"]
    heights = [float(bar.attrib["height"]) for bar in root.iter(f"{space}rect")]
    assert heights[1] == 2 * heights[0]
    assert drawn == distribution("<double>", [4, 0, 4], 4)


def test_failures_are_counted_and_come_in_order() -> None:
    def checks(rare: bool, often: bool) -> tuple[Check, ...]:
        return Check("double", "rare", True, rare), Check("double", "often", False, often)

    text = text_of(graded("a", checks=checks(True, False)), graded("b", checks=checks(False, False)))
    assert "double often hidden 2 of 2 double rare public 1 of 2" in text


def test_what_was_not_handed_in_is_no_failure() -> None:
    text = text_of(graded("a", 0, Status.MISSING, checks=(Check("double", "t", True, False),)), graded("b"))
    assert "What fails most often" not in text


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (graded("x", 0, Status.INFRASTRUCTURE), "the judge did not work: grade it again"),
        (graded("x", 0, Status.UNREADABLE, message="line 3 is no Python"), "cannot be read: line 3 is no Python"),
        (graded("x", isolation=Isolation.WEAK), "isolation was weak"),
        (graded("x", faults=("a.zip holds a link",)), "a.zip holds a link"),
        (graded("x", late_days=None), "when it was handed in is not known"),
    ],
)
def test_what_needs_a_person_is_named(result: Graded, words: str) -> None:
    assert f"x Homework 1: Numbers {words}" in text_of(graded("fine"), result)
    assert "Every submission could be read and judged" in text_of(graded("fine"))


def test_a_damaged_archive_is_told_once_for_all_homeworks() -> None:
    told = "x.zip cannot be read: it is cut off"
    results = [
        replace(graded("x", 0, Status.UNREADABLE, message=told, faults=(told,), late_days=None), homework=homework)
        for homework in ("01_numbers", "02_shapes")
    ]
    text = text_of(graded("fine"), *results)
    assert text.count(told) == 1
    assert f"x 2 homeworks {told}" in text
    assert "is not known" not in text


def test_what_was_not_handed_in_is_not_counted_as_handed_in() -> None:
    stub = graded("b", 0, Status.MISSING, checks=(Check("double", "t", True, False),))
    text = text_of(graded("a"), stub, graded("c", 0, Status.MISSING))
    assert "2 submissions of 3 students" in text
    assert "Homework 1: Numbers 2 handed in" in text


def test_isolation_is_told_once_where_it_was_weak_for_all() -> None:
    nothing = replace(graded("s1", 0, Status.MISSING, isolation=Isolation.WEAK), homework="02_shapes")
    text = text_of(*(graded(f"s{i}", isolation=Isolation.WEAK) for i in range(5)), nothing)
    assert "Of 5 submissions, 5 with isolation weak" in text
    assert "isolation was weak" not in text


def test_the_slowest_come_first() -> None:
    text = text_of(*(graded(f"s{i}", seconds=float(i)) for i in range(1, 20)))
    slowest = text.split("Slowest submissions")[1].split("Points of all")[0]
    assert re.findall(r"(\d+)\.0 s", slowest) == [str(i) for i in range(19, 9, -1)]


def test_similar_pairs_are_advice_and_accuse_nobody() -> None:
    pair = Pair("01_numbers", ("a", "b"), 0.755, 31, (((2, 9), (12, 12)), ((1, 8),)))
    text = text_of(graded("a"), graded("b"), found=Comparison([pair], []))
    assert "Advice for a person, never a grade." in text
    assert "a b 76 % 31 fingerprints 2-9, 12 1-8" in text
    assert not re.search("plagiari|cheat|copied|guilty|fraud", text, re.IGNORECASE)
    many = text_of(graded("a"), graded("b"), found=Comparison([pair] * (PAIRS + 3), []))
    assert "3 more pairs, less alike, are left out" in many


def test_what_stands_in_the_course_is_advice_and_accuses_nobody() -> None:
    places = (Place("kuiper/graph/order.py", 30, 61), Place("lessons/04_graph/04_graph.ipynb cell 9", 1, 4))
    one = FromCourse("01_numbers", "a", "double", 0.844, 120, places, ((3, 20), (25, 25)))
    text = text_of(graded("a"), graded("b"), found=Comparison([], [], [one]))
    words = "kuiper/graph/order.py:30-61 lessons/04_graph/04_graph.ipynb cell 9:1-4 3-20, 25"
    assert f"a double 84 % 120 words and signs {words}" in text
    assert not re.search("plagiari|cheat|copied|guilty|fraud|stolen", text, re.IGNORECASE)
    many = text_of(graded("a"), graded("b"), found=Comparison([], [], [one] * (PAIRS + 3)))
    assert "3 more, with less in common, are left out" in many
    assert "the course's own code" not in text_of(graded("a"))


def test_what_could_not_be_compared_is_said_in_the_summary() -> None:
    found = [Uncompared("01_numbers", "a", "it runs <b>code</b> from a text, in line 3")]
    html = summary_page([graded("a"), graded("b")], REGISTER, {"a": "a", "b": "b"}, Comparison([], found * (PAIRS + 2)))
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))
    assert "Could not be compared in full" in text
    assert "a Homework 1: Numbers it runs &lt;b&gt;code&lt;/b&gt; from a text, in line 3" in text
    assert "2 more are left out" in text
    assert "Could not be compared" not in text_of(graded("a"), graded("b"))


def test_worksheets_are_compared_with_files_and_what_runs_a_text_is_said(teacher: Any) -> None:
    draw, signs = random.Random(7), "+-*/%@&|^"
    lines = "".join(f"    x = len(x {draw.choice(signs)} y) {draw.choice(signs)} x[{n}]\n" for n in range(40))
    answer = f"def double(x):\n{lines}    return x\n"
    cells = teacher.notebook(teacher.code("cell-02", *answer.splitlines()))
    files = {
        "ann": {"hw01_numbers.py": (teacher.stub + answer).encode()},
        "bo": {"worksheet.ipynb": cells},
        "cleo": {"hw01_numbers.py": b"exec(input())"},
    }
    submissions = {name: Submission(name, FOLDER, of) for name, of in files.items()}
    results = [
        Graded(name, FOLDER, one.digest, "1", (Grade("double", 0, 2, Status.FAILED),), Isolation.STRONG)
        for name, one in submissions.items()
    ]
    out, by_digest = teacher.root / "out", {one.digest: one for one in submissions.values()}
    said = write_reports(out, results, teacher.course, submissions=by_digest)
    assert "1 pair of submissions is alike: the summary names them, for you to look at" in said
    assert "1 submission could not be compared in full: the summary says why" in said
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", (out / "summary.html").read_text(encoding="utf-8")))
    assert "ann bo 100 %" in text
    assert "cleo Homework 1: Numbers it runs code from a text, in line 1" in text


def test_points_of_all_students_leave_a_cell_empty_without_a_grade() -> None:
    html = summary_page([graded("a"), graded("b", 0, Status.INFRASTRUCTURE)], REGISTER, {"a": "a", "b": "b"})
    cells = html.split("Points of all students")[1]
    assert re.findall(r'<td class="n[^"]*">(.*?)</td>', cells) == ["4", "4", "", ""]


def test_the_total_of_all_points_comes_first_and_every_column_can_be_sorted_by() -> None:
    results = [with_bonus("a", 4, 3), replace(with_bonus("a", 2, 0), homework="02_shapes"), with_bonus("b", 1, 0)]
    html = summary_page(results, REGISTER, {"a": "a", "b": "b"})
    table = html.split("Points of all students")[1]
    assert re.findall(r'<td class="n[^"]*">(.*?)</td>', table) == ["9", "7", "2", "1", "1", ""]
    assert len(re.findall("<button", table)) == 4


def test_the_only_script_is_the_one_that_the_page_names() -> None:
    html = summary_page([graded("<script>alert(1)</script>")], REGISTER, {"<script>alert(1)</script>": "a"})
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html
    assert not re.search(r"\bsrc=|https?:|fetch|import\b|innerHTML|eval", script)


def test_reports_are_the_same_whatever_the_order(tmp_path: Path) -> None:
    results = [graded("b"), graded("a", 2, Status.PARTIAL), graded("C")]
    for name, order in (("one", results), ("two", results[::-1])):
        write_reports(tmp_path / name, order, REGISTER)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 3 + 3 + 2 + 4
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_every_link_of_the_summary_leads_to_a_page(tmp_path: Path) -> None:
    names = ["ann", "Zoë Müller", "a/b", "50% #1?", "<b>"]
    write_reports(tmp_path, [graded(name) for name in names], REGISTER)
    html = (tmp_path / "summary.html").read_text(encoding="utf-8")
    here = re.findall('href="#([^"]*)"', html)
    assert {"look", "alike", "part1", "points"} <= set(here) <= set(re.findall('id="([^"]*)"', html))
    links = set(re.findall('href="([^"#][^"]*)"', html))
    assert {unquote(link) for link in links} == {f"feedback/{path.name}" for path in (tmp_path / "feedback").iterdir()}
    assert len(links) == len(names)


def test_a_persons_points_replace_the_judges(tmp_path: Path) -> None:
    overrides = {("ann", "01_numbers", "double"): (3.5, "The test was wrong.")}
    write_reports(tmp_path, [graded("ann", 0, Status.FAILED), graded("bo", 1)], REGISTER, overrides=overrides)
    page = (tmp_path / "feedback" / "ann.html").read_text(encoding="utf-8")
    assert "3.5 of 4 points" in page
    assert "points set by a person" in page
    assert "The test was wrong." in page
    assert "ann,,,ann,,3.5" in (tmp_path / "exports" / "canvas.csv").read_text(encoding="utf-8")


@pytest.mark.slow
def test_similar_submissions_are_found_on_the_way(tmp_path: Path) -> None:
    public = Path(__file__).with_name("honest").joinpath("graph_counter.py").read_text(encoding="utf-8")
    draw, signs = random.Random(3), "+-*/%@&|^"
    lines_drawn = (f"    x = len(x {draw.choice(signs)} y) {draw.choice(signs)} x[{n}]\n" for n in range(40))
    own = f"def mine(x, waiting):\n{''.join(lines_drawn)}    return waiting\n"
    results = [graded(name) for name in ("ann", "bo", "cy", "di")]
    submissions = {
        "ann": Submission("ann", "01_numbers", {"hw.py": own.encode()}),
        "bo": Submission("bo", "01_numbers", {"hw.py": own.replace("waiting", "todo").encode()}),
        "cy": Submission("cy", "01_numbers", {"hw.py": b"def double(x):\n    return x + x\n"}),
        "di": Submission("di", "01_numbers", {"hw.py": public.encode()}),
    }
    lines = write_reports(tmp_path, results, REGISTER, submissions=submissions)
    assert any("1 pair of submissions is alike" in line for line in lines)
    assert any("1 answer has much in common with the course's own code" in line for line in lines)
    assert "never a grade" in (tmp_path / "summary.html").read_text(encoding="utf-8")
    table = list(csv.DictReader((tmp_path / "similar.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["student"], row["other student"]) for row in table] == [("di", ""), ("ann", "bo")]
    assert re.fullmatch(r"tests/.*/honest/graph_counter.py:\d+-\d+(, .*)*", table[0]["where"])
    for name in "ann", "bo", "cy", "di":
        page = (tmp_path / "feedback" / f"{name}.html").read_text(encoding="utf-8")
        assert not re.search("alike|similar|in common|graph_counter", page.split("</style>")[-1])


def test_two_results_of_one_student_and_homework_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GradingError, match="one result for each student and homework, found several of ann in 01_num"):
        write_reports(tmp_path, [graded("ann"), graded("ann", 2)], REGISTER)


def test_nothing_graded_gives_an_empty_summary(tmp_path: Path) -> None:
    write_reports(tmp_path, [], REGISTER)
    assert "0 submissions of 0 students" in (tmp_path / "summary.html").read_text(encoding="utf-8")
