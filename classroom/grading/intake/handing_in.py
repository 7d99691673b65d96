"""Write the submissions of a simulated class: folders and archives of all kinds, nbgrader's or Gradescope's layout."""

from __future__ import annotations

import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from classroom.grading.intake.recognise import WORKSHEET
from classroom.grading.population import SimulatedStudent
from classroom.register import Lesson

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
"""Submission time of all who are not late."""
Files = Mapping[str, bytes]


def write_class(students: Sequence[SimulatedStudent], lessons: Sequence[Lesson], folder: Path) -> None:
    """Students take turns: folder, .zip, .tar.gz, folder containing a .zip, folder nested two levels deep."""
    folder.mkdir(parents=True, exist_ok=True)
    forms = (_folder, _zip, _tar, _zip_in_folder, _deep_folder)
    for number, student in enumerate(students):
        forms[number % len(forms)](folder, student.name, _files(student, lessons), _time(student))


def write_nbgrader(students: Sequence[SimulatedStudent], lessons: Sequence[Lesson], folder: Path) -> None:
    """nbgrader's layout: FOLDER/submitted/STUDENT/HOMEWORK with timestamp.txt, beside nbgrader's other files."""
    (folder / "source").mkdir(parents=True, exist_ok=True)
    for student in students:
        for path, data in _files(student, lessons).items():
            target = folder / "submitted" / student.name / path.removeprefix("homework/")
            _write(target, data, _time(student))
            stamp = f"{_time(student):%Y-%m-%d %H:%M:%S.%f} UTC"
            target.with_name("timestamp.txt").write_text(stamp, encoding="utf-8")


def write_gradescope(students: Sequence[SimulatedStudent], lessons: Sequence[Lesson], folder: Path) -> None:
    """Gradescope's export: FOLDER/submission_NNN with submission_metadata.yml."""
    metadata = []
    for number, student in enumerate(students, 1):
        _folder(folder, f"submission_{number}", _files(student, lessons), _time(student))
        metadata += [
            f"submission_{number}:",
            "  :submitters:",
            f"  - :name: {student.name.title()}",
            f"    :sid: '{number}'",
            f"    :email: {student.name}@example.org",
            f"  :created_at: {_time(student):%Y-%m-%d %H:%M:%S.%f} Z",
            "  :score: 0.0",
        ]
    (folder / "submission_metadata.yml").write_text("---\n" + "\n".join(metadata) + "\n", encoding="utf-8")


def _time(student: SimulatedStudent) -> datetime:
    return NOON + timedelta(days=student.late)


def _files(student: SimulatedStudent, lessons: Sequence[Lesson]) -> dict[str, bytes]:
    """The student's files: path -> contents."""
    files = {}
    for lesson in lessons:
        text, folder = student.texts[lesson.folder], f"homework/{lesson.folder}"
        sheet = lesson.root / folder / WORKSHEET
        if student.in_worksheet and sheet.is_file():
            files[f"{folder}/{WORKSHEET}"] = _worksheet(sheet.read_bytes(), text)
        else:
            files[f"{folder}/{lesson.homework_file}"] = text.encode()
    return files


def _worksheet(sheet: bytes, text: str) -> bytes:
    """The worksheet with the homework file's text as its last cell."""
    notebook = json.loads(sheet)
    source = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("from __future__"))
    cell = {"cell_type": "code", "id": "mine", "metadata": {}, "execution_count": 1, "outputs": []}
    notebook["cells"].append({**cell, "source": source})
    return json.dumps(notebook).encode()


def _write(path: Path, data: bytes, time: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time.timestamp(), time.timestamp()))


def _folder(folder: Path, name: str, files: Files, time: datetime) -> None:
    for path, data in files.items():
        _write(folder / name / path, data, time)


def _deep_folder(folder: Path, name: str, files: Files, time: datetime) -> None:
    _folder(folder, f"{name}/my course/kuiper-main", files, time)


def _zip(folder: Path, name: str, files: Files, time: datetime) -> None:
    # a zip stores times without an offset; they are read as this machine's
    stamp = time.astimezone().timetuple()[:6]
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, stamp), data, zipfile.ZIP_DEFLATED)


def _zip_in_folder(folder: Path, name: str, files: Files, time: datetime) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    _zip(folder / name, "homework", files, time)


def _tar(folder: Path, name: str, files: Files, time: datetime) -> None:
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime = len(data), int(time.timestamp())
            archive.addfile(entry, io.BytesIO(data))


Layout = Callable[[Sequence[SimulatedStudent], Sequence[Lesson], Path], None]
LAYOUTS: dict[str, Layout] = {"plain": write_class, "nbgrader": write_nbgrader, "gradescope": write_gradescope}
"""Name -> function that writes a class's submissions."""
