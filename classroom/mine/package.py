"""The package that `course mine` writes: which exercises it is made of, its files, and whose a folder is."""

from __future__ import annotations

import hashlib
import json
import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from classroom import gallery
from classroom.register import Course
from classroom.started import COMMAND

SKELETON = Path(__file__).with_name("skeleton")
BONUS = "conv2d"
"""The exercise whose function is used where it is solved; without it the skeleton has one."""
DIGITS = ("digits.pnnx.param", "digits.pnnx.bin", "heldout.npz")
WRITTEN = "written.json"
"""In the package: its files with their hashes, as they were written."""
TAKEN = {"kuiper", "classroom", "homework", "lessons", "models", "tests", "docs", "benchmarks", "requirements", "build"}
"""Names that a package beside them must not have."""


@dataclass(frozen=True)
class FrameworkPart:
    """A part of the framework: the exercise that it is, and what it does there."""

    exercise: str
    does: str


PARTS = (
    FrameworkPart("flatten", "torch.flatten: each sample as a row"),
    FrameworkPart("padding", "the borders of images, for convolutions"),
    FrameworkPart("parse_parameter", "the options of an operator"),
    FrameworkPart("parse_operator", "the lines of the model file"),
    FrameworkPart("topological_order", "the order of execution"),
    FrameworkPart("sigmoid", "nn.Sigmoid, and the registry that finds it"),
    FrameworkPart("max_pool2d", "nn.MaxPool2d"),
    FrameworkPart("im2col", "the windows of nn.Conv2d"),
    FrameworkPart("functions", "pnnx.Expression"),
    FrameworkPart("adaptive_avg_pool", "nn.AdaptiveAvgPool2d"),
    FrameworkPart("framework", "all of them together"),
)
"""In the order of the course."""


class PackageError(Exception):
    """The package cannot be written there; the message says why, and what to do."""


def files_of_package(course: Course, solved: Collection[str] = ()) -> dict[str, bytes]:
    """Path inside the package -> content: the skeleton, the homework files as they are now, and the digits.

    solved : the exercises that are; with conv2d, a bonus, among them, it takes the place of the convolution given in
        parts.py.

    Raises PackageError.
    """
    used = {part.exercise for part in PARTS}
    sources = {path.name: path for path in sorted(SKELETON.iterdir()) if path.is_file()}
    for lesson in course.lessons:
        if used & {exercise.id for exercise in lesson.exercises}:
            sources[lesson.homework_file] = lesson.root / "homework" / lesson.folder / lesson.homework_file
    sources |= {f"digits/{name}": gallery.find("digits").folder / name for name in DIGITS}
    try:
        files = {name: path.read_bytes() for name, path in sources.items()}
    except OSError as error:
        raise PackageError(f"{error.filename} cannot be read: {error.strerror}") from error
    if BONUS in solved:
        files["parts.py"] = files["parts.py"].replace(b"OWN_CONV2D = False", b"OWN_CONV2D = True")
    return files


def write_package(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files into the folder; those that this command has not written, or not as they are now, stay.

    Raises PackageError before anything is written.
    """
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name) or folder.name in TAKEN:
        raise PackageError(f"a package cannot be called {folder.name!r}: take a name such as mine or my_framework")
    if folder.exists() and not folder.is_dir():
        raise PackageError(f"{folder} is a file: name another folder")
    before = written_before(folder)
    if before is None:
        raise PackageError(f"{folder} is there, and is not from this command: it stays as it is. Name another folder")
    for name in files:
        path = folder / name
        if path.exists() and before.get(name) != fingerprint(path.read_bytes()):
            said = "was changed since it was written" if name in before else "is not from this command"
            raise PackageError(
                f"{path} {said}: it stays as it is. `{COMMAND} mine {folder.name}2` writes another package"
            )
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        hashes = {name: fingerprint(content) for name, content in files.items()}
        (folder / WRITTEN).write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise PackageError(f"{folder} cannot be written: {error.strerror}") from error


def written_before(folder: Path) -> dict[str, str] | None:
    """File -> hash, as this command wrote them; {} for a new or empty folder; None if it did not write it."""
    if not folder.exists() or not any(folder.iterdir()):
        return {}
    try:
        hashes = json.loads((folder / WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return hashes if isinstance(hashes, dict) else None


def fingerprint(content: bytes) -> str:
    """A hash of a file's content."""
    return hashlib.sha256(content).hexdigest()
