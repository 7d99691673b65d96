from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.exported import read_metadata, sources
from classroom.grading.intake import Intake, lessons_with_homework
from classroom.grading.notebook import lesson_number
from classroom.grading.records import Submission
from classroom.grading.settings import GradingError
from classroom.register import ROOT, load

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
    assert "of 4 files of this homework hw01_numbers (2).py counts" in one.faults[0]
    assert "old/hw01_numbers.py" in one.faults[0]
    assert one.handed_in is not None
    assert one.handed_in.timestamp() == 1.5e9


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
    assert any("2 folders or archives" in fault for fault in one.faults)


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
    assert not found["bo"].files


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
        assert list(students) == expected
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
    (teacher.file.parent / "judge" / "hidden.py").unlink()
    with pytest.raises(GradingError, match="holds no hidden tests"):
        lessons_with_homework(teacher.course)


@pytest.mark.parametrize("lesson", [lesson for lesson in load(ROOT).lessons if lesson.homework_file])
def test_every_worksheet_says_of_which_homework_it_is(lesson: Any) -> None:
    worksheet = ROOT / "homework" / lesson.folder / "worksheet.ipynb"
    assert lesson_number(worksheet.read_bytes()) == lesson.number
