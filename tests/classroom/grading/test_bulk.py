"""A download as a .zip: what students can put into its names, links and sizes gains nothing and hides nothing."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.intake import bulk, limits
from classroom.grading.intake.bulk import laid_out
from classroom.grading.intake.reader import Intake
from classroom.grading.roster import Person, Roster

GOOD = "smithann_12_34_hw01_numbers.py"


def made(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(GOOD, "good = 1\n")
        for name, data in entries:
            archive.writestr(name, data)
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize("name", ["../evil.py", "/abs.py", "a/../../evil.py", "C:\\evil.py", "a//b.py", "..\\evil.py"])
def test_no_entry_leads_out(tmp_path: Path, name: str) -> None:
    path, room = made(tmp_path / "d.zip", (name, b"evil")), tmp_path / "room"
    with laid_out(path, room) as download:
        assert files(download.folder) == {GOOD: b"good = 1\n"}
        assert ["its path leads out of the archive" in text for text in download.refused] == [True]
    assert files(tmp_path) == {"d.zip": path.read_bytes()}


def test_a_link_is_no_entry(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("leebo_13_35_hw01_numbers.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with laid_out(made(tmp_path / "d.zip", (link, b"/etc/passwd")), tmp_path) as download:
        assert list(files(download.folder)) == [GOOD]
        assert download.refused == ["leebo_13_35_hw01_numbers.py: a link or device"]


def test_a_bomb_is_not_laid_out_and_the_others_are(tmp_path: Path) -> None:
    path = made(tmp_path / "d.zip", ("leebo_13_35_hw01.py", bytes(30 << 20)), ("wu_14_36_hw01.py", b"x = 1"))
    with laid_out(path, tmp_path) as download:
        assert set(files(download.folder)) == {GOOD, "wu_14_36_hw01.py"}
        assert download.refused == ["leebo_13_35_hw01.py: it unpacks to far more than it is"]


def test_bombs_of_one_student_over_several_archives_have_one_limit(
    teacher: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 1 << 20)
    folder = tmp_path / "s"
    folder.mkdir()
    for place in range(8):
        with zipfile.ZipFile(folder / f"leebo_13_{40 + place}_work.zip", "w") as archive:
            for number in range(4):
                archive.writestr(f"hw01_numbers_{number}.py", os.urandom(100_000))
    with zipfile.ZipFile(folder / "smithann_12_34_work.zip", "w") as archive:
        archive.writestr("hw01_numbers.py", teacher.solution)
    found = {student: own[0] for student, own in Intake([teacher.lesson]).submissions(folder)}
    assert any("the rest was not looked at" in text for text in (*found["leebo_13"].faults, *found["leebo_13"].aside))
    assert found["smithann_12"].files == {"hw01_numbers.py": teacher.solution.encode()}
    assert not found["smithann_12"].faults


def test_two_entries_of_one_name_are_told(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = made(tmp_path / "d.zip", (GOOD, b"second"))
    with laid_out(path, tmp_path) as download:
        assert files(download.folder) == {GOOD: b"good = 1\n"}
        assert download.refused == [f"{GOOD}: another entry has this name"]


@pytest.mark.parametrize("name", ["x" * 300 + ".py", "smithann_1_2_" + "é" * 150 + ".py"])
def test_a_name_that_no_file_system_takes_is_told(tmp_path: Path, name: str) -> None:
    with laid_out(made(tmp_path / "d.zip", (name, b"x")), tmp_path) as download:
        assert list(files(download.folder)) == [GOOD]
        assert ["its name is too long" in text for text in download.refused] == [True]


def test_names_with_control_codes_stay_on_one_line(teacher: Any, tmp_path: Path) -> None:
    path = made(tmp_path / "d.zip", ("eve\r\n\x1b[2J_66_77_hw01_numbers.py", b"x = 1\n"))
    with laid_out(path, tmp_path) as download:
        intake = Intake([teacher.lesson])
        found = dict(intake.submissions(download.folder))
        assert set(found) == {"smithann_12"}
        assert len(intake.layout.strays) == 1


def test_too_many_entries_and_too_many_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "d.zip", ("a_1_2_b.py", os.urandom(5000)))
    monkeypatch.setattr(bulk, "MAX_BYTES", 1000)
    with pytest.raises(GradingError, match="unpacks to more than fits"), laid_out(path, tmp_path):
        pass
    monkeypatch.setattr(bulk, "MAX_ENTRIES", 1)
    with pytest.raises(GradingError, match="2 entries; at most 1"), laid_out(path, tmp_path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["d.zip"]


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "d.zip").write_text("no archive", encoding="utf-8")
    with pytest.raises(GradingError, match="expected a download of submissions"), laid_out(tmp_path / "d.zip"):
        pass


def test_files_called_as_the_grader_s_own_are_one_more_file(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "s" / "ann"
    folder.mkdir(parents=True)
    for name in ("results.json", "run_autograder", "grades.csv", "results.sqlite", "submission_metadata.yml"):
        (folder / name).write_text('{"score": 1000}', encoding="utf-8")
    (folder / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    found = dict(Intake([teacher.lesson]).submissions(tmp_path / "s"))
    assert found["ann"][0].files == {"hw01_numbers.py": teacher.solution.encode()}
    assert list(found) == ["ann"]


def test_a_student_s_archive_that_looks_like_a_download_is_one_student_s(teacher: Any, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    with zipfile.ZipFile(tmp_path / "s" / "eve.zip", "w") as archive:
        archive.writestr("leebo_13_35_hw01_numbers.py", teacher.solution)
        archive.writestr("submission_metadata.yml", "submission_1:\n  :submitters:\n  - :email: lee@x.org\n")
    found = dict(Intake([teacher.lesson]).submissions(tmp_path / "s"))
    assert list(found) == ["eve"]


def test_a_student_who_is_alone_cannot_play_an_export(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "late" / "eve"
    (folder / "submission_1").mkdir(parents=True)
    (folder / "submission_1" / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    (folder / "submission_metadata.yml").write_text("submission_1:\n  :submitters:\n  - :email: lee@x.org\n")
    found = dict(
        Intake([teacher.lesson], roster=Roster([Person("lee", email="lee@x.org")])).submissions(tmp_path / "late")
    )
    assert {student: bool(own[0].files) for student, own in found.items()} == {"eve": True, "lee": False}


def test_what_only_the_instructor_may_know_stands_on_no_page(teacher: Any, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    for name in ("smithann_2_7_hw01_numbers.py", "leebo_LATE_2_8_hw01_numbers.py"):
        (folder / name).write_text(teacher.solution, encoding="utf-8")
    people = [Person("ann", "Smith, Ann", platform_id="1"), Person("bo", "Lee, Bo", platform_id="2")]
    intake = Intake([teacher.lesson], roster=Roster(people))
    found = dict(intake.submissions(folder))
    assert list(intake.late) == ["bo"]
    assert intake.unknown == {"smithann_2": "its number or login is that of bo, its name that of ann"}
    assert {(one.faults, one.aside) for own in found.values() for one in own} == {((), ())}
