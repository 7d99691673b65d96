from __future__ import annotations

import json
import os
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.intake import limits
from classroom.grading.intake.layouts import read_metadata, sources, strays
from classroom.grading.intake.reader import Intake, lessons_with_homework
from classroom.grading.notebook import lesson_number
from classroom.grading.records import Submission
from classroom.grading.release import released_files
from classroom.register import ROOT, Exercise, Lesson, load

GRADESCOPE = """---
submission_101:
  :submitters:
  - :name: Ann O'Hara
    :sid: '0042'
    :email: ann@example.org
  :created_at: 2027-03-01 12:00:00.123456789 Z
  :score: 3.0
  :history:
  - :id: 7
    :created_at: 2026-01-01 00:00:00 Z
    :submitters:
    - :name: Somebody Else
submission_102:
  :submitters:
  - :name: Bo
    :sid:
    :email:
  - :name: "Cy"
    :sid: '7'
    :email:
  :created_at: 2027-03-02 12:00:00 Z
  :results:
    :name: no student
"""


def put(path: Path, text: str | bytes, time: float | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if time is not None:
        os.utime(path, (time, time))


def taken(teacher: Any, folder: Path, **options: Any) -> dict[str, Submission]:
    found = Intake([teacher.lesson], **options).submissions(folder)
    return {student: submissions[0] for student, submissions in found}


def test_files_are_found_at_any_depth_and_nothing_else_is_taken(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "course" / "homework" / "01_numbers" / "hw01_numbers.py", "a = 1\n")
    put(tmp_path / "s" / "ann" / "course" / "homework" / "01_numbers" / "public.py", "no")
    put(tmp_path / "s" / "ann" / "course" / "lessons" / "01_numbers" / "01_numbers.ipynb", "{}")
    put(tmp_path / "s" / "notes.txt", "no student")
    with zipfile.ZipFile(tmp_path / "s" / "bo.zip", "w") as archive:
        archive.writestr("x/HW01_Numbers (2).py", "b = 2\n")
    found = taken(teacher, tmp_path / "s")
    assert {name: dict(one.files) for name, one in found.items()} == {
        "ann": {"hw01_numbers.py": b"a = 1\n"},
        "bo": {"hw01_numbers.py": b"b = 2\n"},
    }
    assert not found["ann"].faults
    assert found["ann"].homework == "01_numbers"


def test_of_several_files_the_edited_then_the_highest_then_the_latest_counts(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "s" / "ann"
    put(folder / "hw01_numbers.py", teacher.stub, 3e9)
    put(folder / "old" / "hw01_numbers.py", "deeper\n", 2e9)
    put(folder / "hw01_numbers-1.py", "first\n", 1e9)
    put(folder / "hw01_numbers (2).py", "second\n", 1.5e9)
    (one,) = taken(teacher, tmp_path / "s").values()
    assert one.files["hw01_numbers.py"] == b"second\n"
    said = "Of 3 files of this homework hw01_numbers (2).py was judged, since it is the latest; not hw01_numbers-1.py"
    assert said in one.faults[0]
    assert "old/hw01_numbers.py" in one.faults[0]
    assert one.judged == "hw01_numbers (2).py"
    assert one.handed_in is None


def test_equal_copies_are_no_fault(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", "same\n")
    put(tmp_path / "s" / "ann" / "copy" / "hw01_numbers.py", "same\n")
    assert not taken(teacher, tmp_path / "s")["ann"].faults


def test_one_student_with_two_archives_is_one_student(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", "in the folder\n", 1e9)
    with zipfile.ZipFile(tmp_path / "s" / "ann.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("hw01_numbers.py", (2027, 1, 1, 0, 0, 0)), "in the archive\n")
    (one,) = taken(teacher, tmp_path / "s").values()
    assert one.files["hw01_numbers.py"] == b"in the archive\n"
    assert any("2 folders or archives" in fault for fault in one.aside)
    assert "ann.zip/hw01_numbers.py was judged, since it is the latest; not ann/hw01_numbers.py" in one.faults[0]


def test_an_archive_inside_a_student_s_folder_is_opened_and_none_inside_an_archive(
    teacher: Any, tmp_path: Path
) -> None:
    put(tmp_path / "s" / "ann" / "text.html", "moodle")
    with zipfile.ZipFile(tmp_path / "s" / "ann" / "handed_in.zip", "w") as archive:
        archive.writestr("hw01_numbers.py", "inside\n")
    with zipfile.ZipFile(tmp_path / "s" / "bo.zip", "w") as archive:
        archive.write(tmp_path / "s" / "ann" / "handed_in.zip", "deep.zip")
    found = taken(teacher, tmp_path / "s")
    assert found["ann"].files["hw01_numbers.py"] == b"inside\n"
    assert found["ann"].judged == "handed_in.zip/hw01_numbers.py"
    assert not found["ann"].aside
    assert not found["bo"].files
    assert found["bo"].faults == (
        "Not opened, since archives in archives are not: deep.zip. Unpack them and hand in what is inside",
    )


NAMES = """hw1.py hw01.py HW1.py hw_1.py hw-01.py homework1.py homework_01.py hw01_numbers_final.py hw01-numbers.py
hw01_numbers.py.txt hw01_numbers.txt hw01_numbers.PY hw01_numbers.py.py hw01numbers.py hw01_numbers-3.py lesson1.py
ann_hw01_numbers.py 01_numbers.py assignment1_ann_v2.py hw1_ann-smith_2027.pyw"""
SPACED = "Copy of hw01_numbers.py;hw01_numbers (1).py;hw01_numbers - Copy.py;Homework 1.py;hw01 numbers.py"
SPEECHLESS = ["solution.py", "numpy stuff.py", "untitled.txt", "hw.py", "hw1_hw2.py", "final2.ipynb"]


@pytest.mark.parametrize("name", [*NAMES.split(), *SPACED.split(";")])
def test_a_homework_is_known_by_any_name_that_says_it(teacher: Any, tmp_path: Path, name: str) -> None:
    put(tmp_path / "s" / "ann" / name, "a = 1\n")
    one = taken(teacher, tmp_path / "s")["ann"]
    assert dict(one.files) == {"hw01_numbers.py": b"a = 1\n"}
    assert (one.judged, one.faults, one.aside) == (name, (), ())


@pytest.mark.parametrize(
    "name", ["solution.py", "numpy stuff.py", "untitled.txt", "hw.py", "hw1_hw2.py", "final2.ipynb"]
)
def test_where_the_name_says_nothing_the_functions_tell(teacher: Any, tmp_path: Path, name: str) -> None:
    sheet = {"cells": [teacher.code("x", *teacher.solution.split("\n"))]}
    text = json.dumps(sheet) if name.endswith(".ipynb") else teacher.solution
    put(tmp_path / "s" / "ann" / name, text)
    put(tmp_path / "s" / "ann" / "kuiper" / "numbers.py", "def twice(x): return x\n")
    one = taken(teacher, tmp_path / "s")["ann"]
    assert list(one.files.values()) == [text.encode()]
    assert one.judged == name
    assert one.aside == ("Not recognised as homework: kuiper/numbers.py",)


def two_lessons(teacher: Any) -> list[Lesson]:
    """The small course with homework in its second lesson too."""
    lesson = replace(teacher.course.lesson(2), homework_file="hw02_more.py", exercises=(Exercise("mean", "Mean", 1),))
    stub = 'def mean(x):\n    raise NotImplementedError("mean: TODO")\n'
    put(teacher.root / "homework" / lesson.folder / "hw02_more.py", stub)
    return [teacher.lesson, lesson]


def test_what_could_be_two_homeworks_is_told_and_not_judged(teacher: Any, tmp_path: Path) -> None:
    lessons = two_lessons(teacher)
    mean = "def mean(x):\n    return sum(x) / len(x)\n"
    put(tmp_path / "s" / "ann" / "all.py", teacher.solution + mean)
    put(tmp_path / "s" / "bo" / "hw1.py", mean)
    put(tmp_path / "s" / "cy" / "hw2" / "mine.py", teacher.solution + mean)
    found = dict(Intake(lessons).submissions(tmp_path / "s"))
    for student, name in (("ann", "all.py"), ("bo", "hw1.py")):
        assert not [one.files for one in found[student] if one.files]
        assert {one.aside for one in found[student]} == {
            (
                f"{name} was not judged: by its name and its functions it could be homework 1 or homework 2. Hand in "
                "one file for each homework, with the name that the course gave it",
            )
        }
    assert [bool(one.files) for one in found["cy"]] == [False, True]


def test_other_homeworks_are_no_strangers_where_one_is_graded(teacher: Any, tmp_path: Path) -> None:
    lessons = two_lessons(teacher)
    put(tmp_path / "s" / "ann" / "hw1.py", teacher.solution)
    put(tmp_path / "s" / "ann" / "hw2.py", "def mean(x): return x\n")
    (one,) = dict(Intake(lessons[1:], known=lessons).submissions(tmp_path / "s"))["ann"]
    assert (one.judged, one.aside) == ("hw2.py", ())


def test_nothing_is_dropped_in_silence(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "Homework.pdf", "%PDF")
    put(tmp_path / "s" / "bo" / "hw01_numbers.py", teacher.solution)
    put(tmp_path / "s" / "bo" / "notes.docx", "PK")
    put(tmp_path / "s" / "bo" / "digits.npy", "data, not work")
    put(tmp_path / "s" / "cy" / "hw01_numbers.py", teacher.solution)
    put(tmp_path / "s" / "dee" / "data.npy", "nothing else")
    put(tmp_path / "s" / "eve" / "worksheet.ipynb", '{"cells": [')
    put(tmp_path / "s" / "flo" / "text.html", "typed into a form")
    put(teacher.root / "mine.py", "the instructor's own")
    put(tmp_path / "s" / "gus" / "mine.py", teacher.solution)
    found = taken(teacher, tmp_path / "s")
    assert found["ann"].faults == found["ann"].aside == ("Not recognised as homework: Homework.pdf",)
    assert (found["bo"].faults, found["bo"].aside) == ((), ("Not recognised as homework: notes.docx",))
    assert (found["cy"].faults, found["cy"].aside) == ((), ())
    assert found["dee"].aside == ("Not recognised as homework: data.npy",)
    assert "open it in Jupyter" in found["eve"].aside[0]
    assert found["flo"].aside == ("Not recognised as homework: text.html",)
    assert found["gus"].judged == "mine.py"


def test_the_whole_course_s_folder_holds_no_strangers(tmp_path: Path) -> None:
    course = load(ROOT)
    files = released_files(course)
    for path in files:
        if path.parts[0] in ("kuiper", "lessons", "homework", "classroom") and path.suffix in (".py", ".ipynb", ".zip"):
            put(tmp_path / "s" / "ann" / "course" / path, (ROOT / path).read_bytes())
    ((_, own),) = Intake(lessons_with_homework(course)).submissions(tmp_path / "s")
    assert {(one.faults, one.aside) for one in own} == {((), ())}
    wanted = [lesson.homework_file for lesson in course.lessons if lesson.homework_file]
    assert [one.judged.split("/")[-1] for one in own] == wanted


def test_of_files_alike_in_time_and_place_the_last_number_counts_and_none_called_old(
    teacher: Any, tmp_path: Path
) -> None:
    names = [f"hw01_numbers{end}.py" for end in ("", "-1", "-2", "-10", "_old", "_backup")]
    for name in [*names, "test_hw01_numbers.py"]:
        put(tmp_path / "s" / "ann" / name, f"def double(x): return {name!r}\n", 1e9)
    (one,) = taken(teacher, tmp_path / "s").values()
    assert one.judged == "hw01_numbers-10.py"
    assert "was judged, since its name is the last; not" in one.faults[0]


def test_a_file_without_the_homework_s_functions_comes_last(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", teacher.solution, 1e9)
    put(tmp_path / "s" / "ann" / "hw1_plots.py", "import numpy\n", 2e9)
    (one,) = taken(teacher, tmp_path / "s").values()
    assert one.judged == "hw01_numbers.py"
    assert "since the others define none of the homework's functions; not hw1_plots.py" in one.faults[0]


def test_a_worksheet_with_answers_beside_a_homework_file_is_told(teacher: Any, tmp_path: Path) -> None:
    sheet = teacher.notebook(teacher.code("a", "def turn(x):", "    return x[::-1]"))
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", teacher.solution)
    put(tmp_path / "s" / "ann" / "worksheet.ipynb", sheet)
    put(tmp_path / "s" / "bo" / "hw01_numbers.py", teacher.stub.replace("\n", "\r\n"))
    put(tmp_path / "s" / "bo" / "worksheet.ipynb", sheet)
    found = taken(teacher, tmp_path / "s")
    assert found["ann"].judged == "hw01_numbers.py"
    assert found["ann"].faults == ("hw01_numbers.py was judged, and not worksheet.ipynb, which defines turn too",)
    assert (found["bo"].judged, found["bo"].faults) == ("worksheet.ipynb", ())


def test_no_number_of_damaged_archives_hides_other_work(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", teacher.solution)
    put(tmp_path / "s" / "ann" / "report.pdf", "%PDF")
    for number in range(30):
        put(tmp_path / "s" / "ann" / f"old{number}.zip", "no archive")
    aside = taken(teacher, tmp_path / "s")["ann"].aside
    assert aside[0] == "Not recognised as homework: report.pdf"
    assert len(aside) == 20
    assert aside[-1] == "12 more things could not be taken: look into what was handed in"


CANVAS = {
    "smithann_1234_5678_hw01_numpy.py": ("smithann_1234", "hw01_numpy.py"),
    "smithann_LATE_1234_5678_hw01_numpy-1.py": ("smithann_1234", "hw01_numpy-1.py"),
    "smithann_1234_hw01_numpy.py": ("smithann_1234", "hw01_numpy.py"),
    "m\xfcllerzoe_77_5_homework.zip": ("m\xfcllerzoe_77", "homework.zip"),
    "anon_Ab3x_5678_hw01_numpy.py": ("anon_Ab3x", "hw01_numpy.py"),
}


def test_canvas_s_flat_download_with_its_names(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    for name in CANVAS:
        put(folder / name, "x")
    for name in ("hw01_numpy.py", "grades_2027_spring.csv"):
        put(folder / name, "of nobody")
    named = {source.path.name: (source.student, source.file) for source in sources(folder)}
    assert named == CANVAS
    assert strays(folder) == ["grades_2027_spring.csv", "hw01_numpy.py"]


def test_of_two_files_with_one_name_in_canvas_s_download_it_is_said_which(teacher: Any, tmp_path: Path) -> None:
    first, second = "smithann_1234_5_hw01_numbers.py", "smithann_LATE_1234_6_hw01_numbers.py"
    put(tmp_path / "s" / first, teacher.solution + "# first", 1e9)
    put(tmp_path / "s" / second, teacher.solution, 2e9)
    found = taken(teacher, tmp_path / "s")["smithann_1234"]
    assert found.judged == second
    assert found.faults == (
        f"Of 2 files of this homework {second} was judged, since its name is the last; not {first}",
    )
    (tmp_path / "t").mkdir()
    for number in (7, 8):
        with zipfile.ZipFile(tmp_path / "t" / f"leeann_99_{number}_mine.zip", "w") as archive:
            archive.writestr("hw01_numbers.py", f"{teacher.solution}x = {number}\n")
    (fault,) = taken(teacher, tmp_path / "t")["leeann_99"].faults
    assert "leeann_99_7_mine.zip/hw01_numbers.py" in fault
    assert "leeann_99_8_mine.zip/hw01_numbers.py" in fault


def test_canvas_s_files_are_put_together_by_student(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    put(folder / "smithann_1234_10_hw01_numbers.py", "def double(x): return 1\n", 1e9)
    put(folder / "smithann_1234_11_hw01_numbers-1.py", "def double(x): return 2\n", 1e9)
    put(folder / "smithann_99_12_hw01_numbers.py", teacher.solution, 1e9)
    put(folder / "lee_LATE_5_13_essay.pdf", "%PDF")
    with zipfile.ZipFile(folder / "wu_6_14_hw.zip", "w") as archive:
        archive.writestr("mine.py", teacher.solution)
    found = taken(teacher, folder)
    assert {name: one.judged for name, one in found.items()} == {
        "lee_5": "",
        "smithann_1234": "hw01_numbers-1.py",
        "smithann_99": "hw01_numbers.py",
        "wu_6": "mine.py",
    }
    assert found["lee_5"].aside == ("Not recognised as homework: essay.pdf",)


def test_a_time_that_a_student_wrote_is_not_believed(teacher: Any, tmp_path: Path) -> None:
    early = "2000-01-01 00:00:00 UTC"
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", "a\n", 1.7e9)
    put(tmp_path / "s" / "ann" / "timestamp.txt", early)
    put(tmp_path / "s" / "bo" / "ps1" / "hw01_numbers.py", "a\n", 1.7e9)
    put(tmp_path / "s" / "bo" / "ps1" / "timestamp.txt", early)
    assert {one.handed_in for one in taken(teacher, tmp_path / "s").values()} == {None}
    course = tmp_path / "nbgrader"
    put(course / "gradebook.db", "")
    put(course / "submitted" / "ann" / "ps1" / "mine" / "hw01_numbers.py", "a\n", 1.7e9)
    put(course / "submitted" / "ann" / "ps1" / "mine" / "timestamp.txt", early)
    put(course / "submitted" / "ann" / "ps1" / "timestamp.txt", "2027-03-01 12:00:00 UTC")
    put(course / "submitted" / "bo" / "timestamp.txt", early)
    with zipfile.ZipFile(course / "submitted" / "bo" / "ps1.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("hw01_numbers.py", (2027, 1, 1, 0, 0, 0)), "a\n")
        archive.writestr("timestamp.txt", early)
    with zipfile.ZipFile(course / "submitted" / "cy.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("ps1/hw01_numbers.py", (2027, 1, 1, 0, 0, 0)), "a\n")
        archive.writestr("ps1/timestamp.txt", early)
    put(course / "submitted" / "dee" / "ps1" / "timestamp.txt", "2027-03-01 12:00:00 UTC")
    with zipfile.ZipFile(course / "submitted" / "dee" / "ps1" / "mine.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("ps1/hw01_numbers.py", (2026, 1, 1, 0, 0, 0)), "a\n")
        archive.writestr("ps1/timestamp.txt", early)
    found = taken(teacher, course)
    assert found["ann"].handed_in == found["dee"].handed_in == datetime(2027, 3, 1, 12, tzinfo=UTC)
    assert found["cy"].handed_in is None
    assert found["bo"].handed_in is None


def test_many_archives_of_one_student_have_one_limit(
    teacher: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 5000)
    (tmp_path / "s" / "ann").mkdir(parents=True)
    for number in range(30):
        with zipfile.ZipFile(tmp_path / "s" / "ann" / f"{number}.zip", "w") as archive:
            archive.writestr("hw01_numbers.py", f"x = {number}\n" + "y = 1\n" * 200)
    (one,) = taken(teacher, tmp_path / "s").values()
    assert one.files
    assert sum("are taken of one student" in text for text in one.aside) == 1


def test_names_without_end_are_not_all_looked_at(teacher: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_MEMBERS", 50)
    (tmp_path / "s" / "ann").mkdir(parents=True)
    for number in range(5):
        with zipfile.ZipFile(tmp_path / "s" / "ann" / f"{number}.zip", "w") as archive:
            for member in range(20):
                archive.writestr(f"{member}/hw01_numbers.py", f"x = {number, member}\n")
    (one,) = taken(teacher, tmp_path / "s").values()
    assert "Of 45 files of this homework" in one.faults[0]
    assert one.aside == ("more than 50 names: the rest was not looked at",)


def test_an_archive_of_another_kind_is_its_student_s(teacher: Any, tmp_path: Path) -> None:
    for suffix in (".tar.xz", ".tar.bz2"):
        put(tmp_path / "s" / f"ann{suffix[-3:]}{suffix}", "packed")
    found = taken(teacher, tmp_path / "s")
    assert list(found) == ["ann.xz", "annbz2"]
    assert all("expected a folder, .zip or .tar.gz" in one.faults[0] for one in found.values())


def test_nbgrader_s_layout_with_its_times(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "gradebook.db", "")
    put(tmp_path / "submitted" / "ann" / "ps1" / "hw01_numbers.py", "a\n")
    put(tmp_path / "submitted" / "ann" / "ps1" / "timestamp.txt", "2027-03-01 12:00:00.5 UTC\n")
    put(tmp_path / "submitted" / "bo" / "ps1" / "worksheet.ipynb", teacher.notebook())
    found = taken(teacher, tmp_path)
    assert found["ann"].handed_in == datetime(2027, 3, 1, 12, 0, 0, 500000, tzinfo=UTC)
    assert list(found["bo"].files) == ["worksheet.ipynb"]


def test_gradescope_s_export_with_groups_and_times(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "submission_metadata.yml", GRADESCOPE)
    for number in (101, 102, 103):
        put(tmp_path / f"submission_{number}" / "hw01_numbers.py", f"n = {number}\n")
    found = taken(teacher, tmp_path)
    assert {name: one.files["hw01_numbers.py"] for name, one in found.items()} == {
        "ann@example.org": b"n = 101\n",
        "Bo": b"n = 102\n",
        "7": b"n = 102\n",
        "submission_103": b"n = 103\n",
    }
    assert found["ann@example.org"].handed_in == datetime(2027, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
    assert found["Bo"].handed_in == datetime(2027, 3, 2, 12, tzinfo=UTC)


def test_gradescope_s_names_are_those_that_yaml_reads() -> None:
    yaml = pytest.importorskip("yaml", reason="compares with a reader of YAML, which is not installed")
    for name, entry in yaml.safe_load(GRADESCOPE).items():
        people = entry[":submitters"]
        expected = [one[":email"] or one[":sid"] or one[":name"] for one in people]
        students, time = read_metadata(GRADESCOPE)[name]
        assert [one.key for one in students] == expected
        assert time is not None
        assert time.replace(microsecond=0) == entry[":created_at"].replace(microsecond=0)


def test_times_of_a_table_come_first(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann" / "hw01_numbers.py", "a\n")
    time = datetime(2027, 3, 1, tzinfo=UTC)
    assert taken(teacher, tmp_path / "s", times={("ann", "01_numbers"): time})["ann"].handed_in == time


def test_a_damaged_archive_is_a_fault_of_its_student_alone(teacher: Any, tmp_path: Path) -> None:
    put(tmp_path / "s" / "ann.zip", b"PK\3\4 no archive")
    put(tmp_path / "s" / "bo.rar", b"Rar!")
    put(tmp_path / "s" / "cy" / "hw01_numbers.py", "fine\n")
    put(tmp_path / "s" / "dee" / "hw01_numbers.py", "x" * (600 << 10))
    (tmp_path / "s" / "eve").mkdir()
    found = taken(teacher, tmp_path / "s")
    assert [bool(found[name].faults) for name in ("ann", "bo", "cy", "dee", "eve")] == [True, True, False, True, False]
    assert [bool(found[name].files) for name in ("ann", "bo", "cy", "dee", "eve")] == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("hw1.ipynb", True),
        ("deep/01_numbers/worksheet.ipynb", True),
        ("worksheet (1).ipynb", True),
        ("hw2/worksheet.ipynb", False),
        ("mine.ipynb", False),
        ("__MACOSX/worksheet.ipynb", False),
    ],
)
def test_a_worksheet_belongs_to_the_homework_of_its_folder_name_or_heading(
    teacher: Any, tmp_path: Path, path: str, expected: bool
) -> None:
    heading = b'{"cells": [{"cell_type": "markdown", "source": "# Worksheet 2: more"}]}'
    put(tmp_path / "s" / "ann" / path, teacher.notebook() if "(1)" in path else heading)
    assert bool(taken(teacher, tmp_path / "s")["ann"].files) is expected


@pytest.mark.skipif(os.name == "nt", reason="names as POSIX has them")
def test_a_name_of_stray_bytes_can_be_kept(teacher: Any, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/s/caf\xe9"
    os.makedirs(folder)
    put(tmp_path / "s" / "Zoe\u0308" / "hw01_numbers.py", "a\n")
    names = list(taken(teacher, tmp_path / "s"))
    assert names == ["Zo\xeb", "caf\\udce9"]
    assert all(name.encode() for name in names)


def test_what_is_no_folder_of_submissions_is_told(teacher: Any, tmp_path: Path) -> None:
    with pytest.raises(GradingError, match="found none"):
        sources(tmp_path / "course" / "homework" / "01_numbers" / "judge")
    with pytest.raises(GradingError, match="folder of submissions"):
        sources(tmp_path / "nowhere")


def test_a_homework_is_called_by_number_folder_or_file(teacher: Any) -> None:
    for name in ("1", "01", "01_numbers", "hw01_numbers.py"):
        assert lessons_with_homework(teacher.course, [name]) == [teacher.lesson]
    with pytest.raises(GradingError, match="no homework with hidden tests is called '2'"):
        lessons_with_homework(teacher.course, ["2"])
    shutil.rmtree(teacher.file.parent / "judge")
    with pytest.raises(GradingError, match="holds no hidden tests"):
        lessons_with_homework(teacher.course)


@pytest.mark.parametrize("lesson", [lesson for lesson in load(ROOT).lessons if lesson.homework_file])
def test_every_worksheet_says_of_which_homework_it_is(lesson: Any) -> None:
    worksheet = ROOT / "homework" / lesson.folder / "worksheet.ipynb"
    assert lesson_number(worksheet.read_bytes()) == lesson.number
