"""Who is forgotten is in no table, no free page of the database, no page and no export; others are untouched."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from classroom.grading.errors import GradingError
from classroom.grading.feedback.comments import add_comment
from classroom.grading.forget import check_written, forget_student, remove_written
from classroom.grading.pairs import keep_pairs
from classroom.grading.records import Grade, Graded, Isolation, Status, Submission
from classroom.grading.roster import Person
from classroom.grading.similarity import Pair
from classroom.grading.store import FILE_NAME, Store

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
FOLDER = "01_numbers"
NAMES = ("ann", "Ann", "an?", "a*n", "%", "..", "../ann", "bo'; DELETE FROM results; --", "[a]nn")


def hand_in(store: Store, name: str, text: str) -> None:
    one = Submission(name, FOLDER, {"hw01_numbers.py": f"# {text}\n".encode()}, NOON)
    store.keep_submissions([one])
    grades = (Grade("double", 1.0, 2.0, Status.PARTIAL), Grade("turn", 0.0, 3.0, Status.FAILED))
    store.keep(
        Graded(
            name,
            FOLDER,
            one.digest,
            "s",
            (*grades, Grade("power", 0, 4, Status.FAILED, stretch=True)),
            Isolation.STRONG,
        )
    )


def fill(out: Path, names: tuple[str, ...]) -> None:
    with Store(out) as store:
        store.keep_suites({FOLDER: "s"})
        for name in names:
            hand_in(store, name, f"first of {name}")
            hand_in(store, name, f"last of {name}")
            add_comment(store.base, name, FOLDER, "double", f"for {name}")
            store.override(name, FOLDER, "turn", 2.0, f"reason of {name}")
            store.extend(name, FOLDER, NOON)
        keep_pairs(store.base, [Pair(FOLDER, (one, names[0]), 1.0, 30, ((), ())) for one in names[1:]])
        store.keep_roster(Person(name, f"Name of {name}", "", f"{name}@example.edu") for name in names)


def rows_of(store: Store) -> dict[str, list[tuple[object, ...]]]:
    names = [row[0] for row in store.base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: store.base.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names}


@pytest.mark.parametrize("name", [*NAMES, NAMES[0]])
def test_every_row_of_the_student_goes_and_no_other(tmp_path: Path, name: str) -> None:
    names = ("zoe", *dict.fromkeys(NAMES))
    fill(tmp_path, names)
    with Store(tmp_path) as store:
        before = rows_of(store)
        assert forget_student(store.base, name)
        after = rows_of(store)
        assert not [row for rows in after.values() for row in rows if name in row]
        lost = {table: len(before[table]) - len(after[table]) for table in before}
        assert lost["submissions"] == lost["comments"] == lost["overrides"] == lost["extensions"] == lost["pairs"] == 1
        assert lost["results"] == lost["files"] == lost["attempts"] == 2
        assert lost["roster"] == 1
        assert all(set(after[table]) <= set(before[table]) for table in after)
        assert forget_student(store.base, name) == {}


def test_nothing_is_left_in_the_file_of_the_database(tmp_path: Path) -> None:
    secret = "quetzalcoatl"
    fill(tmp_path, ("zoe", secret, *(f"student{n}" for n in range(40))))
    assert secret.encode() in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    with Store(tmp_path) as store:
        assert forget_student(store.base, secret)
        assert secret.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert secret.encode() not in (tmp_path / FILE_NAME).read_bytes()


def test_rows_in_a_table_that_somebody_adds_later_go_too(tmp_path: Path) -> None:
    fill(tmp_path, ("zoe", "ann"))
    with Store(tmp_path) as store:
        store.base.execute("CREATE TABLE later (student TEXT, what TEXT)")
        store.base.executemany("INSERT INTO later VALUES (?, 'x')", [("ann",), ("zoe",)])
        store.base.commit()
        assert forget_student(store.base, "ann")["later"] == 1
        assert store.base.execute("SELECT student FROM later").fetchall() == [("zoe",)]


def test_sentences_that_name_the_student_go_and_others_stay(tmp_path: Path) -> None:
    fill(tmp_path, ("zoe", "ann"))
    said = ["left aside: Name of ann's notes.pdf", "ann@example.edu is of two people", "left aside: zoe.pdf"]
    with Store(tmp_path) as store:
        store.keep_unclaimed("subs", said)
        assert forget_student(store.base, "ann")["unclaimed"] == 2
        assert store.unclaimed() == said[2:]


def test_files_that_nobody_knows_any_more_go_too(tmp_path: Path) -> None:
    fill(tmp_path, ("zoe", "ann"))
    with Store(tmp_path) as store:
        store.base.execute("INSERT INTO files VALUES ('of nobody', 'hw.py', x'00')")
        store.base.commit()
        forget_student(store.base, "ann")
        assert store.base.execute("SELECT COUNT(*) FROM files").fetchone() == (2,)


@pytest.fixture
def out(teacher: Any, tmp_path: Path) -> Path:
    fill(tmp_path / "out", ("ann", "Ann", "bo"))
    return tmp_path / "out"


def everything(folder: Path) -> bytes:
    return b"".join(path.name.encode() + path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_the_command_deletes_pages_tables_and_exports_and_says_what_is_left(mini: Any, out: Path) -> None:
    assert mini.run("feedback", str(out), "--mail").exit_code == 0
    assert mini.run("report", str(out)).exit_code == 0
    assert mini.run("override", "bo", "double", "2", "--why", "right", "--out", str(out)).exit_code == 0
    assert "Name of Ann" in (out / "report.html").read_text(encoding="utf-8")
    assert len(list((out / "feedback").iterdir())) == 3
    said = mini.run("forget", "Ann", "--out", str(out))
    assert said.exit_code == 0, said.output
    assert "deleted of Ann: 2 of attempts" in " ".join(said.output.split())
    assert "lie elsewhere and are still there" in " ".join(said.output.split())
    assert sorted(path.name for path in (out / "feedback").iterdir()) == ["ann.html", "bo.html"]
    left = everything(out)
    for trace in (b"Name of Ann", b"for Ann", b"reason of Ann", b"Ann@example.edu", b",Ann,", b"\nAnn,"):
        assert trace not in left
    assert b"Name of ann" in left
    assert (out / "report.html").is_file()
    assert (out / "mail.csv").is_file()
    assert (out / "exports" / "canvas.csv").is_file()


def test_the_last_student_leaves_no_page(mini: Any, out: Path) -> None:
    for name in ("ann", "Ann", "bo"):
        assert mini.run("forget", name, "--out", str(out)).exit_code == 0
    assert [path.name for path in out.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("name", ["a*", "..", "nobody", "AN", "%", "a?n", "../out", "/"])
def test_a_name_of_nobody_deletes_nothing(mini: Any, out: Path, name: str) -> None:
    mini.run("feedback", str(out))
    before = sorted(path.name for path in out.rglob("*.html"))
    said = mini.run("forget", name, "--out", str(out))
    assert said.exit_code == 2
    assert "holds nothing of" in said.stderr
    assert sorted(path.name for path in out.rglob("*.html")) == before
    with Store(out) as store:
        assert len(store) == 3


@pytest.mark.parametrize("name", ["feedback", "exports"])
def test_a_linked_folder_is_neither_emptied_nor_is_anything_deleted(
    mini: Any, out: Path, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis.html").write_text("mine")
    (out / name).symlink_to(elsewhere)
    said = mini.run("forget", "ann", "--out", str(out))
    assert said.exit_code == 2
    assert "nothing was deleted" in " ".join(said.stderr.split())
    assert (elsewhere / "thesis.html").read_text() == "mine"
    with Store(out) as store:
        assert len(store) == 3


def test_a_linked_table_is_deleted_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    (tmp_path / "out" / "feedback").mkdir(parents=True)
    (tmp_path / "out" / "grades.csv").symlink_to(tmp_path / "mine.csv")
    (tmp_path / "out" / "feedback" / "ann.html").symlink_to(tmp_path / "mine.csv")
    check_written(tmp_path / "out")
    assert remove_written(tmp_path / "out") == ["feedback", "grades.csv"]
    assert (tmp_path / "mine.csv").read_text() == "mine"
    assert list((tmp_path / "out").iterdir()) == []


def test_a_link_is_told_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "exports").symlink_to(tmp_path)
    with pytest.raises(GradingError, match="exports: expected a folder, found a link"):
        check_written(tmp_path)
