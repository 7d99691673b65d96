"""A text tried as a submission: its functions, beside the files that a student has there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from classroom.judge.homework import Homework
from classroom.judge.tests import Session


@contextmanager
def session_of(homework: Homework, text: str, seconds: float = 10.0) -> Iterator[Session]:
    """A session for a homework file with that text. `seconds` : time limit of a call."""
    with tempfile.TemporaryDirectory() as folder:
        for neighbour in homework.folder.glob("*.py"):
            if neighbour.name not in (homework.stub_name, "public.py"):
                shutil.copy(neighbour, folder)
        path = Path(folder) / homework.stub_name
        path.write_text(text, encoding="utf-8")
        with Session(path, seconds=seconds, without=homework.without) as session:
            yield session
