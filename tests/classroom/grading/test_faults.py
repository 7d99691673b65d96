"""The disk is full or the results are locked in the middle: nothing is lost, it is told, and the next run goes on."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from classroom.grading import grade, judging, store
from classroom.grading.errors import GradingError
from classroom.grading.judging import Job
from classroom.grading.records import Grade, Graded, Isolation, Status, Submission
from classroom.grading.reports import write_reports
from classroom.grading.store import FILE_NAME, Store
from classroom.grading.trouble import advice
from classroom.progress import write_whole
from classroom.register import ROOT

CLASS = [f"student{number}" for number in range(12)]
FOLDER = "01_numbers"


def submission(name: str) -> Submission:
    text = "".join(hashlib.sha256(f"{name} {line}".encode()).hexdigest() for line in range(60))
    return Submission(name, FOLDER, {"hw01_numbers.py": text.encode()})


def graded(one: Submission, suite: str = "s") -> Graded:
    grades = (Grade("double", 1.0, 2.0, Status.PARTIAL, "m" * 900), Grade("turn", 3.0, 3.0, Status.PASSED))
    power = Grade("power", 0.0, 4.0, Status.FAILED, stretch=True)
    return Graded(one.student, one.homework, one.digest, suite, (*grades, power), Isolation.STRONG)


def grading(folder: Path, limit: int | None = None) -> None:
    """A grading run in short: take in and judge what is missing. `limit` : pages that the disk has left."""
    with Store(folder) as results:
        if limit is not None:
            (pages,) = results.base.execute("PRAGMA page_count").fetchone()
            results.base.execute(f"PRAGMA max_page_count = {pages + limit}")
        results.keep_suites({FOLDER: "s"})
        for name in CLASS:
            results.keep_submissions([submission(name)])
        for name in CLASS:
            one = submission(name)
            if not results.is_judged(one.digest, "s"):
                assert results.keep(graded(one))


def rows_of(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    base = sqlite3.connect(folder / FILE_NAME)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    columns = {"results": "digest, suite, graded", "attempts": "*", "submissions": "*", "files": "*", "suites": "*"}
    found = {
        table: base.execute(f"SELECT {some} FROM {table} ORDER BY 1, 2").fetchall() for table, some in columns.items()
    }
    base.close()
    return found


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_point_loses_nothing(tmp_path: Path) -> None:
    grading(tmp_path / "whole")
    whole = rows_of(tmp_path / "whole")
    failed, kept = 0, set[int]()
    for limit in range(1, 200):
        folder = tmp_path / str(limit)
        with contextlib.suppress(sqlite3.OperationalError):
            grading(folder, limit)
            break
        failed += 1
        partly = rows_of(folder)
        assert all(set(partly[table]) <= {*whole[table], *_unjudged(whole, table)} for table in whole)
        kept.add(len(partly["results"]))
        grading(folder)
        assert rows_of(folder) == whole
    assert failed > 10
    assert len(kept) > 5


def _unjudged(whole: dict[str, list[tuple[object, ...]]], table: str) -> list[tuple[object, ...]]:
    """Attempts before they are judged."""
    return [(*row[:4], None) for row in whole["attempts"]] if table == "attempts" else []


@pytest.fixture
def quickly(teacher: Any, mini: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A class in a folder, and a `grade` that judges it without workers; `run()` grades it into tmp_path/out."""

    def judged(jobs: Iterable[Job], processes: int, folder: Path | None = None) -> Iterator[Graded]:
        return (graded(job.submission, job.suite.version) for job in jobs)

    sandbox = SimpleNamespace(explanation="")
    monkeypatch.setattr(grade, "run_local", judged)
    monkeypatch.setattr(judging, "this_sandbox", lambda: (sandbox, Isolation.STRONG))
    for name in CLASS:
        (tmp_path / "subs" / name).mkdir(parents=True)
        (tmp_path / "subs" / name / "hw01_numbers.py").write_text(f"{teacher.solution}\n# {name}\n", encoding="utf-8")
    out = tmp_path / "out"

    def run() -> Any:
        return mini.run("grade", str(tmp_path / "subs"), "--out", str(out), "--seed", "1")

    return SimpleNamespace(run=run, out=out)


def tables_of(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and "sqlite" not in path.name
    }


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 5, 11])
def test_a_grading_that_meets_a_full_disk_says_so_and_goes_on_afterwards(
    quickly: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at: int
) -> None:
    keep, kept = Store.keep, list[str]()

    def full(self: Store, one: Graded) -> bool:
        if len(kept) == at:
            raise sqlite3.OperationalError("database or disk is full")
        kept.append(one.digest)
        return keep(self, one)

    monkeypatch.setattr(Store, "keep", full)
    said = quickly.run()
    assert said.exit_code == 2
    assert "the disk is full" in said.stderr
    assert "What was judged before is kept, and the same command goes on" in " ".join(said.stderr.split())
    with Store(quickly.out) as results:
        assert results.unjudged() == len(CLASS) - at
    monkeypatch.setattr(Store, "keep", keep)
    said = quickly.run()
    assert said.exit_code == 0, said.output
    assert f"{len(CLASS) - at} submission{'s' * (len(CLASS) - at != 1)} to judge" in said.output
    grades = (quickly.out / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert len(grades) == 1 + 3 * len(CLASS)


@pytest.mark.slow
def test_pages_that_cannot_be_written_leave_old_or_new_ones_and_no_pieces(
    quickly: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quickly.run().exit_code == 0
    whole = tables_of(quickly.out)
    replace_file, count = os.replace, [0]
    for limit in range(0, len(whole), 4):
        count[0] = 0

        def full(source: Any, target: Any, limit: int = limit) -> None:
            count[0] += 1
            if count[0] > limit:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
            replace_file(source, target)

        with monkeypatch.context() as patch:
            patch.setattr("classroom.progress.os.replace", full)
            said = quickly.run()
        assert said.exit_code == 2
        assert "there is no room left on the disk" in " ".join(said.stderr.split())
        assert tables_of(quickly.out) == whole
    assert quickly.run().exit_code == 0
    assert tables_of(quickly.out) == whole


def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.html", "old")

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, text: str) -> None:
            self.file.write(text[:2])
            self.file.flush()
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("classroom.progress.os.fdopen", lambda *a, _open=os.fdopen, **k: Full(_open(*a, **k)))
        for safely in (True, False):
            with pytest.raises(OSError, match="No space"):
                write_whole(tmp_path / "a.html", "new", safely=safely)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.html", "old")]


def test_results_that_another_command_writes_are_waited_for(tmp_path: Path) -> None:
    grading(tmp_path)
    other = sqlite3.connect(tmp_path / FILE_NAME, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.4, other.rollback)
    timer.start()
    with Store(tmp_path) as results:
        results.override("student1", FOLDER, "double", 2, "right")
        assert len(results.overrides()) == 1
    timer.join()
    other.close()


@pytest.mark.slow
def test_results_that_stay_locked_are_told_and_unharmed(
    quickly: Any, mini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quickly.run().exit_code == 0
    before = rows_of(quickly.out)
    monkeypatch.setattr(store, "WAIT", 0.05)
    other = sqlite3.connect(quickly.out / FILE_NAME)
    other.execute("BEGIN IMMEDIATE")
    said = mini.run("override", "student1", "double", "2", "--why", "right", "--out", str(quickly.out))
    assert said.exit_code == 2
    assert "the results are locked: another command writes there" in " ".join(said.stderr.split())
    other.rollback()
    other.close()
    assert rows_of(quickly.out) == before
    assert mini.run("override", "student1", "double", "2", "--why", "right", "--out", str(quickly.out)).exit_code == 0


def test_a_full_database_is_told_as_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        grading(tmp_path, 3)
    assert "the disk is full" in advice(caught.value)


@pytest.mark.parametrize(("data", "words"), [(b"no database at all, " * 99, "damaged or no results"), (b"", "")])
def test_a_file_that_is_no_database_is_told(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / FILE_NAME).write_bytes(data)
    if not words:
        with Store(tmp_path) as results:
            assert len(results) == 0
        return
    with pytest.raises(GradingError, match=words):
        Store(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == data


FULL_DISK = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
import test_faults as here
from classroom.grading.trouble import advice
import sqlite3
try:
    here.grading(Path({out!r}))
except (sqlite3.Error, OSError, here.GradingError) as error:
    print(advice(error) if not isinstance(error, here.GradingError) else error)
    sys.exit(3)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("unshare"), reason="mounts a small disk, on Linux")
@pytest.mark.parametrize("kilobytes", [100, 160, 240, 320])
def test_a_real_disk_that_is_full_loses_nothing(tmp_path: Path, kilobytes: int) -> None:
    disk, saved = tmp_path / "disk", tmp_path / "saved"
    disk.mkdir()
    program = tmp_path / "program.py"
    program.write_text(FULL_DISK.format(tests=str(Path(__file__).parent), root=str(ROOT), out=str(disk / "out")))
    mount = f"mount -t tmpfs -o size={kilobytes}k none {disk}"
    script = f"{mount} && {sys.executable} {program}; code=$?; cp -r {disk} {saved}; exit $code"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=120)
    if not (saved / "out").exists():
        pytest.skip(f"no disk can be mounted here: {done.stderr[:200]}")
    assert done.returncode == 3, done.stderr
    assert "disk is full or cannot be written" in done.stdout or "no room left" in done.stdout
    grading(saved / "out")
    grading(tmp_path / "whole")
    assert rows_of(saved / "out") == rows_of(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX's")
def test_a_file_that_may_not_grow_is_told_without_a_traceback(tmp_path: Path) -> None:
    import resource

    grading(tmp_path / "out")
    program = tmp_path / "program.py"
    program.write_text(FULL_DISK.format(tests=str(Path(__file__).parent), root=str(ROOT), out=str(tmp_path / "new")))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))  # noqa: E731
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120, preexec_fn=limit)
    assert done.returncode == 3, done.stderr
    assert "disk is full or cannot be written" in done.stdout
    grading(tmp_path / "new")
    assert rows_of(tmp_path / "new") == rows_of(tmp_path / "out")


def test_a_report_beside_a_full_disk_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from classroom.register import Course, Exercise, Lesson

    lesson = Lesson(
        1, "Numbers", "", FOLDER, (), (Exercise("double", "", 2), Exercise("turn", "", 3)), "hw01_numbers.py"
    )
    results = [graded(submission(name)) for name in CLASS]
    write_reports(tmp_path, results, Course("A course", (lesson,)))
    before = tables_of(tmp_path)
    monkeypatch.setattr("classroom.progress.tempfile.mkstemp", _no_room)
    with pytest.raises(OSError, match="No space"):
        write_reports(tmp_path, results, Course("A course", (lesson,)))
    assert tables_of(tmp_path) == before


def _no_room(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
