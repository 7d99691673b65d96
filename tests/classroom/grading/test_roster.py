"""The class list: columns of all systems, joined by any id, and what somebody might smuggle in by it."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.dated import read_extensions, read_times
from classroom.grading.errors import GradingError
from classroom.grading.exports.canvas import canvas
from classroom.grading.exports.tables import csv_text
from classroom.grading.intake.layouts import look, person_of, readings
from classroom.grading.roster import MAX_PEOPLE, Person, Roster, read_roster
from classroom.grading.settings import load_settings

ANN = Person("ann", "Ann Smith", "77", "ann@x.org", "A", "1234")
BO = Person("bo", "Bo Lee", "78", "bo@x.org", "B", "1235")


def read(tmp_path: Path, text: str | bytes) -> list[Person]:
    (tmp_path / "class.csv").write_bytes(text.encode() if isinstance(text, str) else text)
    return read_roster(tmp_path / "class.csv")


FORMS = {
    "plain": "login,name,student_id,email,section\nann,Ann Smith,77,ann@x.org,A\n",
    "Canvas": "Student,ID,SIS User ID,SIS Login ID,Section,HW (5)\n    Points Possible,,,,,4\n"
    '"Smith, Ann",1234,77,ann,A,3\n"Student, Test",9,,testy,A,\n',
    "Moodle's participants": "First name,Last name,ID number,Email address,Groups\nAnn,Smith,77,ann@x.org,A\n",
    "Moodle's worksheet": "Identifier,Full name,Email address,Status,Grade\n"
    "Participant 1234,Ann Smith,ann@x.org,Draft,\n",
    "Gradescope": "First Name,Last Name,SID,Email,Role,Section\n"
    "Ann,Smith,77,ann@x.org,Student,A\nT,A,1,t@x.org,Instructor,A\n",
    "GitHub": '"identifier","github_username","github_id","name"\n"77","ann","99","Ann Smith"\n',
    "a spreadsheet's": "\ufeffLogin;Name;E-Mail\r\nann;Ann Smith;ann@x.org\r\n;;\r\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_columns_of_each_system_are_understood(tmp_path: Path, form: str) -> None:
    (one,) = read(tmp_path, FORMS[form])
    assert one.name in ("Ann Smith", "Smith, Ann")
    known = {"login": "ann", "student_id": "77", "email": "ann@x.org", "section": "A", "platform_id": "1234"}
    said = {field: getattr(one, field) for field in known}
    assert all(value in ("", known[field]) for field, value in said.items())
    assert sum(value != "" for value in said.values()) >= 2


def test_utf_16_of_a_spreadsheet_is_read_and_other_bytes_are_named(tmp_path: Path) -> None:
    assert read(tmp_path, "login\tname\nann\tZoë\n".encode("utf-16"))[0].name == "Zoë"
    with pytest.raises(GradingError, match="line 3: expected UTF-8"):
        read(tmp_path, b"login,name\nann,Ann\nbo,Zo\xeb\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("login,email\nann,a@x\nbo,a@x\n", "line 3: the email 'a@x' is that of line 2 too"),
        ("login,student_id\nann,7\nbo,7\n", "line 3: the student id '7' is that of line 2 too"),
        ("login,name\nann,A\nann,B\n", "line 3: the login 'ann' is that of line 2 too"),
        ("login,email\nann,\n,ann\n", "line 3: the name 'ann' is that of line 2 too"),
        ("login,name\n,Ann\n", "line 2: expected a login, an e-mail or a student id"),
        ("name,section\nAnn,A\n", "line 1: expected a column login, email or student id"),
        ("login,name\nann,A\0B\n", "line 2: expected text, found a control code"),
        ("login,name\nann," + "x" * 500 + "\n", "line 2: expected at most 300 characters, found 500"),
        ("login,name\nann," + "x" * 200_000 + "\n", "line [12]: "),
        ("", "line 1: expected a column"),
        ("login\n", "expected people below the first line"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(GradingError, match=said):
        read(tmp_path, text)


def test_a_huge_table_is_refused_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(GradingError, match=f"more than {MAX_PEOPLE} rows"):
        read(tmp_path, "login\n" + "".join(f"s{n}\n" for n in range(MAX_PEOPLE + 5)))
    with (tmp_path / "class.csv").open("wb") as file:
        file.truncate(64 << 20)
    with pytest.raises(GradingError, match="larger than 32 MB"):
        read_roster(tmp_path / "class.csv")
    assert time.monotonic() - started < 30


def test_a_name_with_line_ends_is_one_line(tmp_path: Path) -> None:
    (one, two) = read(tmp_path, 'login,name\nann,"Ann\r\nSmith"\nbo,"Bo\rLee"\n')
    assert (one.name, two.name) == ("Ann Smith", "Bo Lee")


def test_look_alikes_are_other_people(tmp_path: Path) -> None:
    roster = Roster(read(tmp_path, "login,name\nann,Ann Smith\n\u0430nn,\u0410nn Smith\nANN2,Ann\u200b Smith\n"))
    first, second = roster.find_id("ann"), roster.find_id("\u0430nn")
    assert first is not None
    assert second is not None
    assert first != second
    assert roster.find_id("a\u200bnn") is None


def test_capitals_matter_only_where_they_tell_two_people_apart() -> None:
    small, big, other = Person("ann"), Person("Ann"), Person("Bo")
    roster = Roster([small, big, other])
    assert (roster.find("ann"), roster.find("Ann"), roster.find("ANN"), roster.find("bo")) == (small, big, None, other)


def test_a_login_that_is_another_s_number_is_nobody_s() -> None:
    roster = Roster([Person("77", "Eve Evil"), ANN])
    assert roster.find_id("77") is None
    assert roster.find_id("ann") == ANN


@pytest.mark.parametrize("formula", ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "%0A", "＝1"])
def test_no_cell_of_the_class_list_acts_in_a_spreadsheet(tmp_path: Path, formula: str) -> None:
    (tmp_path / "class.csv").write_text(csv_of([["login", "name", "section"], ["ann", formula, formula]]), "utf-8")
    (one,) = read_roster(tmp_path / "class.csv")
    text = csv_text([[one.name, one.section]])
    assert text.startswith(("'", "1", "'%"))
    assert not text.startswith(("=", "+", "-", "@", "\t", "%", "＝"))


def csv_of(rows: list[list[str]]) -> str:
    import io

    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def test_no_name_of_the_class_list_passes_for_canvas_s_row_of_points() -> None:
    from tests.classroom.grading.test_exports import REGISTER, graded

    text = canvas([graded("ann")], REGISTER, {"ann": Person("ann", "Points Possible")})
    assert text.count("Points Possible") == 1


def put(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    return folder


def test_an_id_in_a_file_name_that_contradicts_its_name_is_nobody_s(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", "smithann_1235_7_hw01.py", "leebo_1235_8_hw01.py", "smithann_1234_9_hw01.py")
    roster = Roster([ANN, BO])
    found = {one.path.name: person_of(one, roster) for one in look(folder, roster).sources}
    assert found["leebo_1235_8_hw01.py"] == BO
    assert found["smithann_1234_9_hw01.py"] == ANN
    assert found["smithann_1235_7_hw01.py"] == "its number or login is that of bo, its name that of ann"


def test_whoever_calls_himself_by_another_s_number_hands_in_nothing_for_him(tmp_path: Path) -> None:
    forged, own = "lee_99_1234_5678_hw01.py", "lee_99_777_hw01.py"
    assert [(one.student, one.file) for one in readings(forged)] == [
        ("lee_99", "5678_hw01.py"),
        ("lee_99_1234", "hw01.py"),
    ]
    folder = put(tmp_path / "s", forged, own)
    found = look(folder)
    assert [one.path.name for one in found.sources] == [own]
    assert "could be of lee_99 or lee_99_1234: nothing of it was judged" in found.unclear[0]
    eve, lee = Person("eve", "lee_99", platform_id="1234"), Person("lee", "Lee", platform_id="99")
    roster = Roster([eve, lee])
    assert {one.path.name: one.number for one in look(folder, roster).sources if one.path.name == forged} == {}
    assert look(folder, roster).unclear
    (tmp_path / "t").mkdir()
    only = put(tmp_path / "t", forged)
    assert [person_of(one, Roster([eve])) for one in look(only, Roster([eve])).sources] == [eve]


def test_two_people_of_one_name_are_told_apart_by_ids_alone(tmp_path: Path) -> None:
    twin = Person("ann2", "Ann Smith", "79", "ann2@x.org")
    roster = Roster([ANN, twin])
    folder = put(
        tmp_path / "s", "Ann Smith_1234_assignsubmission_file_/a.py", "Ann Smith_9_assignsubmission_file_/a.py"
    )
    found = {one.number: person_of(one, roster) for one in look(folder, roster).sources}
    assert found == {"1234": ANN, "9": "2 people have this name: ann and ann2"}


def test_a_repository_s_login_is_not_its_end(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", *(f"hw1-{login}/.git/HEAD" for login in ("ann", "x-ann", "x-bo")))
    roster = Roster([Person("ann"), Person("bo")])
    found = {one.path.name: person_of(one, roster) for one in look(folder, roster).sources}
    assert found == {"hw1-ann": Person("ann"), "hw1-x-ann": "", "hw1-x-bo": ""}
    assert [one.student for one in look(folder).sources] == ["ann", "x-ann", "x-bo"]


def test_moodle_s_worksheet_tells_times(tmp_path: Path, teacher: Any) -> None:
    (tmp_path / "t.csv").write_text(
        "Identifier,Full name,Email address,Last modified (submission)\n"
        'Participant 1234,Ann Smith,ann@x.org,"Monday, 1 March 2027, 11:59 PM"\nParticipant 1235,Bo Lee,bo@x.org,-\n',
        encoding="utf-8",
    )
    times = read_times(tmp_path / "t.csv", teacher.course, Roster([ANN, BO]))
    assert times["ann", ""].isoformat().startswith("2027-03-01T23:59:00")
    assert ("bo", "") not in times


def test_a_row_that_names_two_people_is_refused(tmp_path: Path, teacher: Any) -> None:
    (tmp_path / "t.csv").write_text("login,email,time\nann,bo@x.org,2027-03-01T12:00Z\n", encoding="utf-8")
    with pytest.raises(GradingError, match="line 2: ann and bo are two people"):
        read_times(tmp_path / "t.csv", teacher.course, Roster([ANN, BO]))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("student,homework,deadline\nann,1,2020-01-01\n", "line 2: .* is not after the deadline of all"),
        ("student,homework,deadline\nann,99,2030-01-01\n", "line 2: no homework is called '99'"),
        ("student,homework,deadline\nann,,2030-01-01\n", "line 2: expected a homework"),
        ("student,homework,deadline\n,1,2030-01-01\n", "line 2: expected a student"),
        ("student,homework,deadline\neve,1,2030-01-01\n", "line 2: 'eve' is not in the class list"),
        ("student,homework,deadline\nann,1,whenever\n", "line 2: expected a time"),
        ("student,deadline\n", "line 2|expected the columns|^$"),
    ],
)
def test_a_wrong_extension_is_named_with_its_line(tmp_path: Path, teacher: Any, rows: str, said: str) -> None:
    path = teacher.root / "course.toml"
    path.write_text(path.read_text("utf-8") + "[grading.deadlines]\n01_numbers = 2027-03-01T12:00:00Z\n", "utf-8")
    (tmp_path / "e.csv").write_text(rows, encoding="utf-8")
    if rows.count("\n") == 1:
        assert not read_extensions(tmp_path / "e.csv", teacher.course, load_settings(teacher.root), Roster([ANN]))
        return
    with pytest.raises(GradingError, match=said):
        read_extensions(tmp_path / "e.csv", teacher.course, load_settings(teacher.root), Roster([ANN]))


def test_nobody_has_an_extension_of_a_homework_without_a_deadline(tmp_path: Path, teacher: Any) -> None:
    (tmp_path / "e.csv").write_text("student,homework,deadline\nann,1,2030-01-01\n", encoding="utf-8")
    with pytest.raises(GradingError, match=r"has no deadline in course\.toml"):
        read_extensions(tmp_path / "e.csv", teacher.course, load_settings(teacher.root))
