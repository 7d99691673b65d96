"""A class of made-up students, to try grading on: honest ones, wrong ones with the course's own mutants, hostile ones.

Every student is drawn from the seed and the number alone, so the same class can be made again anywhere.
"""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from classroom.judge.homework import Homework, homework_of
from classroom.register import Lesson

HONEST, WRONG, EMPTY, HOSTILE = "honest", "wrong", "empty", "hostile"
SHARES = {HONEST: 0.55, WRONG: 0.35, EMPTY: 0.05, HOSTILE: 0.05}
"""Parts of a class."""
TIME = (2027, 3, 1, 12, 0, 0)

HOSTILES = {
    "exit at import": "import os\nos._exit(0)\n",
    "exit in a call": "def __getattr__(name):\n    raise SystemExit(0)\n",
    "no python": "def f(:\n    a student's last save\n",
    "printed report": "print('{\"return\": 1}' * 1000)\nimport sys\nsys.exit(0)\n",
    "patched numpy": "import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True\n",
    "raises at import": "raise RuntimeError('x' * 10**6)\n",
    "memory": "x = bytearray(1 << 40)\n",
    "binary": "\0\1\2 no text at all",
}
"""Submissions that earn nothing, whatever they try, and end at once."""


@dataclass(frozen=True)
class Student:
    """One made-up student: how the submission was made, and which exercises are wrong in it.

    wrong : exercises that must not get all their points; all others must get theirs.
    """

    name: str
    kind: str
    texts: dict[str, str]
    wrong: frozenset[str]


def make_class(lessons: Sequence[Lesson], count: int, seed: int = 0) -> list[Student]:
    """A class of `count` students with a homework file for each lesson. Raises HomeworkError."""
    homeworks = [homework for lesson in lessons if (homework := homework_of(lesson)) is not None]
    solutions = {one.folder.name: one.solution.read_text(encoding="utf-8") for one in homeworks}
    return [_student(number, homeworks, solutions, seed) for number in range(count)]


def write_class(students: Sequence[Student], homeworks: dict[str, str], folder: Path) -> None:
    """Write the class as folders, .zip and .tar.gz; `homeworks` maps a homework's folder to its file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, student in enumerate(students):
        files = {f"homework/{name}/{homeworks[name]}": text.encode() for name, text in student.texts.items()}
        (_write_folder, _write_zip, _write_tar)[number % 3](folder, student.name, files)


def _student(number: int, homeworks: Sequence[Homework], solutions: dict[str, str], seed: int) -> Student:
    draw = random.Random(f"{seed} {number}")
    name, kind = f"student{number:05}", draw.choices(list(SHARES), list(SHARES.values()))[0]
    exercises = {one.folder.name: [exercise.id for exercise in one.exercises] for one in homeworks}
    everything = frozenset(name for ids in exercises.values() for name in ids)
    if kind == HONEST:
        # a name of its own in each, or all would be one submission
        return Student(name, kind, {key: f"{text}\n# {name}\n" for key, text in solutions.items()}, frozenset())
    if kind == EMPTY:
        texts = {one.folder.name: one.stub.read_text(encoding="utf-8") for one in homeworks}
        return Student(name, kind, texts, everything)
    if kind == HOSTILE:
        attack = HOSTILES[draw.choice(list(HOSTILES))]
        return Student(name, kind, {key: attack for key in solutions}, everything)
    texts, wrong = {}, set()
    for one in homeworks:
        text = solutions[one.folder.name]
        for exercise in draw.sample(exercises[one.folder.name], k=min(2, len(exercises[one.folder.name]))):
            mutants = [m for m in one.mutants if m.exercise == exercise and text.count(m.old) == 1]
            if mutants:
                mutant = draw.choice(mutants)
                text = text.replace(mutant.old, mutant.new)
                wrong.add(exercise)
        texts[one.folder.name] = text
    return Student(name, kind, texts, frozenset(wrong))


def _write_folder(folder: Path, name: str, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _write_zip(folder: Path, name: str, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, TIME), data, zipfile.ZIP_DEFLATED)


def _write_tar(folder: Path, name: str, files: dict[str, bytes]) -> None:
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime = len(data), 1_900_000_000
            archive.addfile(entry, io.BytesIO(data))
