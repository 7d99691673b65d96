"""Attacks on what surrounds the judge: class lists, exports of course systems, points by hand, comments and pages.

Each names what somebody gains if it works. Attacks on the sandbox, the codec and archives stand in their own tests.
"""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.feedback.mail import mail_csv
from classroom.grading.grade import GradingRun, Options
from classroom.grading.intake import limits
from classroom.grading.intake.gradescope_export import Submitter, read_metadata
from classroom.grading.intake.reader import Intake
from classroom.grading.records import Check, Grade, Graded, Isolation, Status, Submission
from classroom.grading.report.answers import Answers
from classroom.grading.report.dashboard import report_page
from classroom.grading.report.gather import gather
from classroom.grading.roster import MAX_CELL, Person, Roster, read_roster
from classroom.grading.settings import Settings
from classroom.grading.store import Store

FORMULAS = tuple("=+-@＝＋－＠|%\t\r\n")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="names and files that other systems do not have")


def read(tmp_path: Path, text: str | bytes) -> list[Person]:
    (tmp_path / "class.csv").write_bytes(text.encode() if isinstance(text, str) else text)
    return read_roster(tmp_path / "class.csv")


# ---------------------------------------------------------------------------------------------------- the class list


@pytest.mark.parametrize(
    "text",
    [
        'login,name\nann,"Ann\nbo,Bo\ncy,Cy\n',
        'login,name\nann,"Ann\nbo,Bo"x\n',
        'login;name\nann;"Ann "the" Smith"\nbo;Bo\n',
    ],
    ids=["never closed", "closed in another's row", "closed too early"],
)
def test_a_quote_in_a_name_hides_nobody_below_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(GradingError, match=r"class\.csv, line \d: .*(quote|expected after|end of data)"):
        read(tmp_path, text)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_an_encoding_that_is_not_known_names_no_wrong_people(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(GradingError, match=r"class\.csv, line \d"):
        read(tmp_path, "login,name\nann,Ann\n".encode(encoding))


@pytest.mark.parametrize("sign", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_spreadsheet_s_separator_and_mark_change_nobody(tmp_path: Path, sign: str, encoding: str) -> None:
    rows = [["login", "name, first and last", "name"], ["ann", "x", f"Smith{sign} Ann"], ["bo", "", "Bo"]]
    text = f"sep={sign}\r\n" + "".join(sign.join(f'"{one}"' for one in row) + "\r\n" for row in rows)
    people = read(tmp_path, text.encode(encoding))
    assert [one.login for one in people] == ["ann", "bo"]
    assert people[0].name == f"Smith{sign} Ann".replace("\t", " ").replace("  ", " ")


@pytest.mark.parametrize(
    ("first", "second"),
    [("Zo\u0308e", "Z\u00f6e"), ("ann", "an\u200bn"), ("ann", " ann\u00a0"), ("ann", "\u202eann")],
    ids=["composed", "a space that nobody sees", "spaces", "turned round"],
)
def test_logins_that_look_the_same_are_no_two_people(tmp_path: Path, first: str, second: str) -> None:
    with pytest.raises(GradingError, match=r"line 3: the login .* is that of line 2 too"):
        read(tmp_path, f"login,name\n{first},A\n{second},B\n")


@pytest.mark.parametrize(
    "address",
    ["ann@x.org, all@x.org", "ann@x.org;all@x.org", "Ann <ann@x.org>", "ann@x.org\nBcc: all@x.org",
     "ann@x.org all@x.org", "ann@x.org?cc=all@x.org", "all", "a@b@c", '"ann@x.org,all"@x.org'],
)  # fmt: skip
def test_no_page_is_mailed_to_others(tmp_path: Path, address: str) -> None:
    (tmp_path / "class.csv").open("w", encoding="utf-8", newline="").close()
    with (tmp_path / "class.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["login", "email"], ["ann", address]])
    (one,) = read_roster(tmp_path / "class.csv")
    (row,) = csv.DictReader(mail_csv({"ann": "ann"}, {"ann": one}).splitlines())
    assert row == {"name": "ann", "email": "", "file": "feedback/ann.html"}


def test_an_address_of_one_person_is_mailed_to() -> None:
    for address in ("ann@x.org", "ann.o'hara+kuiper@mail.x-y.org", "zoë@uni-köln.de"):
        (row,) = csv.DictReader(mail_csv({"ann": "ann"}, {"ann": Person("ann", "", "", address)}).splitlines())
        assert row["email"] == address


NAMES = [
    "</title><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "--></main></body></html><base href=https://evil.example/>",
    '" style="background:url(https://evil.example)" x="',
    "\u202eecilA",
    "__proto__",
    "constructor",
    "con.html",
    "=HYPERLINK(1)",
    "x" * MAX_CELL,
    "Ы" * MAX_CELL,
    "a\u0301" * (MAX_CELL // 2),
]
LOGINS = [
    "../../../outside",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:\\x",
    "-rf",
    "nul",
    "STRASSE",
    "straße",
    "ann",
    "ANN",
    "ann (unclear)",
    "<img src=x>.py",
    "@everyone",
]


class Elements(HTMLParser):
    """The elements of a page, and its attributes that could act."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.acting: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.acting += [
            (name, value)
            for name, value in attrs
            if name.startswith("on") or name in ("src", "srcset", "action", "formaction", "data", "ping", "background")
            if value is not None
        ]
        self.acting += [
            (name, value)
            for name, value in attrs
            if name in ("href", "style") and value and re.search(r"(?i)^\s*(javascript|data|https?|//)|url\(", value)
        ]


@pytest.fixture
def hostile(teacher: Any, tmp_path: Path) -> Path:
    """A class with hostile names, logins and file names, graded -> the folder of results.

    Raises AssertionError if anything is written elsewhere.
    """
    out, folder = tmp_path / "inner" / "out", tmp_path / "inner" / "s"
    folder.mkdir(parents=True)
    with (tmp_path / "class.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["login", "name", "student id", "email", "section"])
        for place, (login, name) in enumerate(zip(LOGINS, NAMES)):
            rows.writerow([login, name, f"{name[:200]}{place}", f"{name[:200]}{place}@x.org", name])
    for student in ("ann", "<svg onload=alert(1)>", "=cmd()", "__proto__", "ann (unclear)"):
        own = folder / student
        own.mkdir()
        (own / "hw01_numbers.py").write_text(
            f"def double(x):\n    return '</script><!-- {student}'\n", encoding="utf-8"
        )
        (own / "<img src=x onerror=alert(1)>.py").write_text("import nothing\n", encoding="utf-8")
        (own / "essay <script>alert(1)<\u2044script>\u202e.pdf").write_text("x", encoding="utf-8")
    before = everything_in(tmp_path)
    run = GradingRun(teacher.course, out, Options(seed=1, roster=tmp_path / "class.csv"))
    with Store(out) as store:
        said = run.take_in(folder, store)
        suites = run.suites(store)
        for digest in run.jobs(store, suites, None):
            store.keep(_judged(store[digest], suites[store[digest].homework].version))
        said += run.report(store, force=True)
        run.report_page(store)
        (out / "mail.csv").write_text(mail_csv(run.pages(store), store.people()), encoding="utf-8")
    assert not [line for line in said if re.search("[\x00-\x08\x1b\u202e]", line)]
    assert {path for path in everything_in(tmp_path) - before if out not in (path, *path.parents)} == set()
    return out


def everything_in(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def _judged(one: Submission, suite: str) -> Graded:
    """A result in which every text is hostile."""
    told = dict(zip(("message", "call", "expected", "got", "hint"), NAMES))
    check = Check("double", "whole_numbers", True, False, **told, cause=NAMES[5])
    exercises = (("double", 2.0, (check,)), ("turn", 3.0, ()), ("power", 4.0, ()))
    grades = tuple(Grade(name, 0.0, top, Status.FAILED, NAMES[0], checks) for name, top, checks in exercises)
    return Graded(one.student, one.homework, one.digest, suite, grades, Isolation.STRONG)


@pytest.mark.slow
@LINUX
def test_no_name_acts_in_a_page_a_table_or_a_folder(hostile: Path) -> None:
    pages = sorted(path.name for path in (hostile / "feedback").iterdir())
    assert len({name.casefold() for name in pages}) == len(pages) >= len(LOGINS)
    assert not [name for name in pages if not re.fullmatch(r"\w[\w.-]*\.html", name) or len(name.encode()) > 120]
    for path in (*hostile.glob("*.html"), *hostile.glob("feedback/*.html")):
        html = path.read_text(encoding="utf-8")
        page = Elements(html)
        assert page.acting == [], path.name
        assert not {"img", "base", "iframe", "object", "embed", "form"} & set(page.found), path.name
        assert html.count("<script") == {"report.html": 3, "summary.html": 1}.get(path.name, 0)
        assert not re.search("[\x00-\x08\x1b\u202e]", html), path.name
    tables = [*hostile.glob("*.csv"), *hostile.glob("exports/**/*.csv")]
    assert {path.name for path in tables} >= {"grades.csv", "totals.csv", "mail.csv", "canvas.csv", "nbgrader.csv"}
    for path in tables:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert {len(row) for row in rows} == {len(rows[0])}, path.name
        assert not [one for row in rows for one in row if one.startswith(FORMULAS)], path.name


# ------------------------------------------------------------------------------------------- exports of course systems


def test_a_name_that_yaml_folds_is_whole_and_gives_no_other_field() -> None:
    yaml = pytest.importorskip("yaml", reason="writes the export, and is not installed")
    long = "Maximiliane von und zu der langen Strasse und weiter und weiter und weiter"
    names = [
        f"{long} bis hier",
        f"{long} email: lee@x.org",
        f'{long}\' \u00e9 :sid: "7" \\',
        f'{long}\n:email: "x"',
        f"{long}: it's",
    ]
    people = [{":name": name, ":sid": "", ":email": ""} for name in names]
    export = {
        "submission_1": {":submitters": people, ":created_at": "2027-03-01 12:00:00 Z"},
        "submission_2": {":submitters": []},
    }
    text = yaml.dump(export, sort_keys=False, allow_unicode=True)
    found = read_metadata(text)
    assert found["submission_1"][0] == tuple(Submitter(name.replace("\n", " ")) for name in names)
    assert found["submission_1"][1] is not None


@pytest.mark.parametrize(
    "value",
    ["!ruby/object:Gem::Installer {}", "*other", "&other x", "<<: *other", "{email: lee@x.org}", "[lee@x.org]",
     "|", ">-", "'never closed", '"never closed', "!!python/object/apply:os.system [touch owned]"],
)  # fmt: skip
def test_what_is_no_plain_name_in_gradescope_s_export_is_run_by_nobody_and_hides_nobody(value: str) -> None:
    text = (
        f"---\nsubmission_1:\n  :submitters:\n  - :name: {value}\n    :sid: ''\n    :email: eve@x.org\n"
        "  :created_at: 2027-03-01 12:00:00 Z\nsubmission_2:\n  :submitters:\n  - :name: Lee\n    :email: lee@x.org\n"
    )
    found = read_metadata(text)
    assert [one.email for one in found["submission_2"][0]] == ["lee@x.org"]
    assert [one.email for one in found["submission_1"][0]] in (["eve@x.org"], [""], [])


def test_a_folder_that_gradescope_did_not_write_is_nobody_s(tmp_path: Path, teacher: Any) -> None:
    export = tmp_path / "assignment_1_export"
    for name in ("submission_1", "..x", "submission_.._etc"):
        (export / name).mkdir(parents=True)
        (export / name / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    (export / "submission_metadata.yml").write_text(
        "submission_1:\n  :submitters:\n  - :email: ann@x.org\n'submission_../../../etc':\n  :submitters:\n"
        "  - :email: lee@x.org\n",
        encoding="utf-8",
    )
    found = dict(
        Intake(
            [teacher.lesson], roster=Roster([Person("ann", email="ann@x.org"), Person("lee", email="lee@x.org")])
        ).submissions(export)
    )
    assert bool(found["ann"][0].files)
    assert not found["lee"][0].files


def test_a_repository_without_a_login_stops_no_class(teacher: Any, tmp_path: Path) -> None:
    clones = tmp_path / "hw1-submissions"
    for name in ("hw1-ann", "hw1-", "hw1--", "hw1-x.git"):
        (clones / name / ".git").mkdir(parents=True)
        (clones / name / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    found = dict(Intake([teacher.lesson]).submissions(clones))
    assert len(found) == 4
    assert "" not in found
    assert found["ann"][0].files


@LINUX
def test_a_student_s_folder_that_is_a_link_is_read_by_nobody(teacher: Any, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "s"
    secret.mkdir()
    folder.mkdir()
    (secret / "hw01_numbers.py").write_text("SECRET = 1\n", encoding="utf-8")
    (folder / "ann").mkdir()
    (folder / "ann" / "hw01_numbers.py").symlink_to(secret / "hw01_numbers.py")
    (folder / "ann" / "more").symlink_to(secret, target_is_directory=True)
    (folder / "eve").symlink_to(secret, target_is_directory=True)
    with zipfile.ZipFile(folder / "bo.zip", "w") as archive:
        link = zipfile.ZipInfo("hw01_numbers.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(secret / "hw01_numbers.py"))
    found = {student: own[0] for student, own in Intake([teacher.lesson]).submissions(folder)}
    assert found.keys() == {"ann", "bo", "eve"}
    assert not [data for one in found.values() for data in one.files.values()]
    assert all("link" in " ".join((*one.faults, *one.aside)) for one in found.values())


def test_times_that_students_made_count_nowhere(teacher: Any, tmp_path: Path) -> None:
    folder, early = tmp_path / "s", "2001-01-01 00:00:00 UTC"
    for student in ("ann", "bo"):
        own = folder / student
        (own / ".git").mkdir(parents=True) if student == "ann" else own.mkdir(parents=True)
        (own / "hw01_numbers.py").write_text(f"# handed in {early}\n{teacher.solution}", encoding="utf-8")
        (own / "timestamp.txt").write_text(early, encoding="utf-8")
        (own / "times.csv").write_text(f"login,time\n{student},{early}\n", encoding="utf-8")
        (own / "submission_metadata.yml").write_text(f"submission_1:\n  :created_at: {early}\n", encoding="utf-8")
        os.utime(own / "hw01_numbers.py", (1e9, 1e9))
    with zipfile.ZipFile(folder / "cy.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("ps1/hw01_numbers.py", (2001, 1, 1, 0, 0, 0)), teacher.solution)
        archive.writestr("ps1/timestamp.txt", early)
    found = {student: own[0] for student, own in Intake([teacher.lesson]).submissions(folder)}
    assert {student: one.handed_in for student, one in found.items()} == {"ann": None, "bo": None, "cy": None}
    assert all(one.files for one in found.values())


@pytest.mark.slow
def test_a_bomb_of_one_student_takes_nothing_from_the_next(
    teacher: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_TOTAL_BYTES", 1 << 20)
    folder = tmp_path / "s"
    for student in ("ann", "bo"):
        (folder / student).mkdir(parents=True)
    for place in range(12):
        with zipfile.ZipFile(folder / "ann" / f"{place}.zip", "w") as archive:
            archive.writestr(f"hw01_numbers_{place}.py", os.urandom(200_000))
            archive.writestr("zeros/hw01_numbers.py", b"")
    with zipfile.ZipFile(folder / "ann" / "zeros.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw01_numbers.py", bytes(64 << 20))
    (folder / "bo" / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    found = {student: own[0] for student, own in Intake([teacher.lesson]).submissions(folder)}
    assert found["bo"].files == {"hw01_numbers.py": teacher.solution.encode()}
    assert (found["bo"].faults, found["bo"].aside) == ((), ())
    told = " ".join((*found["ann"].faults, *found["ann"].aside))
    assert "the rest was not looked at" in told or "unpacks to far more" in told


# -------------------------------------------------------------------------------------- points and comments by hand


@pytest.fixture
def results(teacher: Any, tmp_path: Path) -> Path:
    """The folder of results of one student."""
    folder, out = tmp_path / "s" / "ann", tmp_path / "out"
    folder.mkdir(parents=True)
    (folder / "hw01_numbers.py").write_text(teacher.solution, encoding="utf-8")
    run = GradingRun(teacher.course, out, Options(seed=1))
    with Store(out) as store:
        run.take_in(tmp_path / "s", store)
        suites = run.suites(store)
        for digest in run.jobs(store, suites, None):
            store.keep(_judged(store[digest], suites[store[digest].homework].version))
        run.report(store)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("points", ["nan", "inf", "-inf", "-0.5", "1e400", "2.0000001", "two", "\u0662\u0662"])
@pytest.mark.parametrize("how", ["override", "comment"])
def test_points_that_are_no_points_are_refused(mini: Any, results: Path, how: str, points: str) -> None:
    before = (results / "grades.csv").read_bytes()
    words = ["--why", "seen", points] if how == "override" else ["seen", "--points", points]
    said = mini.run(how, "ann", "double", *words, "--out", str(results))
    assert said.exit_code == 2, said.output
    assert (results / "grades.csv").read_bytes() == before
    with Store(results) as store:
        assert store.overrides() == {}
        assert not store.base.execute("SELECT * FROM comments").fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("text", NAMES)
def test_a_reason_and_a_comment_are_text_on_the_page_and_in_the_tables(mini: Any, results: Path, text: str) -> None:
    out = ["--out", str(results)]
    for words in (
        ["override", *out, "--why", f"\x1b[31m{text}", "ann", "double", "1"],
        ["comment", *out, "--", "ann", "1", text],
    ):
        said = mini.run(*words)
        assert said.exit_code == 0, said.output
    html = (results / "feedback" / "ann.html").read_text(encoding="utf-8")
    assert Elements(html).acting == []
    assert not {"img", "base", "script"} & set(Elements(html).found)
    assert "\x1b" not in html + (results / "grades.csv").read_text(encoding="utf-8")
    with (results / "grades.csv").open(encoding="utf-8", newline="") as file:
        assert not [one for row in csv.reader(file) for one in row if one.startswith(FORMULAS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "deadline",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31", "2027-02-30", "-1", "=1", "inf"],
)
def test_no_deadline_breaks_the_results(mini: Any, results: Path, deadline: str) -> None:
    path = mini.root / "course.toml"
    settings = "[grading.deadlines]\n01_numbers = 2026-03-01T12:00:00Z\n"
    path.write_text(path.read_text(encoding="utf-8") + settings, encoding="utf-8")
    said = mini.run("extend", "ann", "1", deadline, "--out", str(results))
    assert said.exit_code in (0, 2), said.output
    assert said.exception is None or isinstance(said.exception, SystemExit)
    assert mini.run("extend", "ann", "1", "none", "--out", str(results)).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("student", ["%", "_nn", "ann' OR '1'='1", "*", "ANN", "ann\u200b", "", "../ann"])
@pytest.mark.parametrize("command", [["forget"], ["comment"], ["override"]])
def test_a_pattern_is_nobody_s_name(mini: Any, results: Path, command: list[str], student: str) -> None:
    more = {"forget": [], "comment": ["double", "text"], "override": ["double", "1", "--why", "x"]}[command[0]]
    before = everything_in(results)
    said = mini.run(*command, student, *more, "--out", str(results))
    assert said.exit_code == 2, said.output
    assert everything_in(results) == before
    with Store(results) as store:
        assert len(store) == 1


# ------------------------------------------------------------------------------------------------------- report pages

CODE = [
    'def double(x):\n    return "</script><script>alert(1)</script>"\n',
    "def double(x):\n    return '<!--<script>' + ']]>' + '\u2028'\n",
    "def double(x):\n    # </pre><img src=x onerror=alert(1)>\n    return x  # \u202e\n",
    "def double(x):\n    return " + "(" * 3000 + "x" + ")" * 3000 + "\n",
    "def double(x):\n    return [" + "1, " * 200_000 + "]\n",
    "def double(x):\n" + "".join(f"{' ' * (n + 1)}if x:\n" for n in range(90)) + " " * 95 + "return 1\n",
    "def double(x):\n    return f'{x!r:{\"<b>\"}}'\x0c\n",
    "# -*- coding: utf-7 -*-\ndef double(x):\n    return '+ADw-script+AD4-'\n",
]


@pytest.mark.parametrize("text", CODE, ids=range(len(CODE)))
def test_code_beside_a_likely_cause_is_text_and_has_an_end(teacher: Any, tmp_path: Path, text: str) -> None:
    check = Check("double", "whole_numbers", True, False, "values differ", "double(1)", "2", "3", cause="x was squared")
    with Store(tmp_path / "out") as store:
        store.keep_suites({"01_numbers": "s"})
        for student in ("ann", "bo", "cy"):
            one = Submission(student, "01_numbers", {"hw01_numbers.py": text.encode()})
            store.keep_submissions([one])
            grade = Grade("double", 0.0, 2.0, Status.FAILED, "", (check,))
            store.keep(Graded(student, "01_numbers", one.digest, "s", (grade,), Isolation.STRONG))
        record = gather(store, teacher.course, Settings())
        html = report_page(record, teacher.course, Answers(store, teacher.course), {})
    assert html.count("<script") == html.count("</script>") == 3
    assert len(html) < 1_000_000
    inside = re.findall(r'type="application/json" id="\w+">(.*?)</script>', html, re.DOTALL)
    assert not re.search("[<>&\u2028\u2029\u202e]", "".join(inside))
    shown = str([json.loads(one) for one in inside])
    assert "x was squared" in shown
    if len(text) < 200 and "utf-7" not in text:
        assert "def double(x)" in shown


@pytest.mark.parametrize("section", ["__proto__", "constructor", "toString", "All", "", "-1", "</option><script>"])
def test_a_section_s_name_is_no_part_of_the_page_s_program(teacher: Any, tmp_path: Path, section: str) -> None:
    people = [Person("ann", "__proto__", section=section), Person("bo", "constructor", section="B")]
    with Store(tmp_path / "out") as store:
        store.keep_roster(people)
        record = gather(store, teacher.course, Settings())
        html = report_page(record, teacher.course, Answers(store, teacher.course), {})
    assert html.count("<script") == 3
    data = json.loads(re.findall(r'id="data">(.*?)</script>', html, re.DOTALL)[0])
    assert [row[0] for row in data["students"]] == ["__proto__", "constructor"]
    assert len(data["views"]) == 1 + len({one.section for one in people} - {""})
