"""The folder in which submissions lie while they are judged: gone at the end, or at the next start."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from classroom.grading import runner
from classroom.grading.workplace import workplace
from classroom.register import ROOT

STAYS = """
import os, sys, tempfile
from pathlib import Path
from classroom.grading.workplace import workplace
tempfile.tempdir = sys.argv[1]
with workplace(Path(sys.argv[2])) as folder:
    (folder / "judging-x").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def begun(temporary: Path, out: Path) -> tuple[subprocess.Popen[str], Path]:
    """A run that is under way in a process of its own, and its folder."""
    command = [sys.executable, "-c", STAYS, str(temporary), str(out)]
    run = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    return run, Path(run.stdout.readline().strip())


def test_it_is_gone_at_the_end(temporary: Path) -> None:
    with workplace(temporary / "out") as folder:
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_is_gone_after_the_next_start_and_what_is_not_its_own_stays(
    temporary: Path, tmp_path: Path
) -> None:
    (killed, left), (other, others) = begun(temporary, tmp_path / "out"), begun(temporary, tmp_path / "other")
    for run in (killed, other):
        run.kill()
        run.communicate()
    (temporary / "judging-by-hand").mkdir()
    with workplace(tmp_path / "out") as folder:
        assert set(temporary.iterdir()) == {folder, others, temporary / "judging-by-hand"}
        assert left != folder


def test_a_run_that_is_under_way_keeps_its_folder(temporary: Path, tmp_path: Path) -> None:
    run, folder = begun(temporary, tmp_path / "out")
    with workplace(tmp_path / "out"):
        assert folder.is_dir()
    run.communicate("")
    assert not folder.exists()


@pytest.mark.slow
def test_submissions_lie_in_it_while_they_are_judged(teacher: Any, temporary: Path) -> None:
    seen: set[str] = set()
    with workplace(temporary / "out") as folder:
        jobs = iter([teacher.job(hw01_numbers="import time\ntime.sleep(0.5)\n")])
        judging = threading.Thread(target=lambda: list(runner.run_local(jobs, 1, folder)))
        judging.start()
        while judging.is_alive():
            seen |= {path.name for path in folder.rglob("*")}
            judging.join(0.02)
    assert "hw01_numbers.py" in seen
