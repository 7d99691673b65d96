"""The lessons' figures: `draw()` in lessons/NN_name/figures.py returns what lessons/NN_name/figures/*.svg hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from classroom.judge.tests import load_file
from classroom.register import Lesson


class FigureError(Exception):
    """The figures cannot be drawn."""


def scripts(lessons: Iterable[Lesson]) -> list[Path]:
    """The figures.py of the lessons that have one."""
    paths = (lesson.root / "lessons" / lesson.folder / "figures.py" for lesson in lessons)
    return [path for path in paths if path.is_file()]


def drawn(script: Path) -> dict[Path, str]:
    """Draw the figures of one script: path -> SVG text. Raises FigureError."""
    try:
        pictures = dict(load_file(script).draw())
    except Exception as error:
        raise FigureError(f"{script.parent.name}/figures.py: {type(error).__name__}: {error}") from error
    if not pictures:
        raise FigureError(f"{script.parent.name}/figures.py: draw() gives no picture")
    return {script.parent / "figures" / f"{name}.svg": str.__str__(svg) for name, svg in pictures.items()}


def wrong(script: Path) -> list[str]:
    """Stored figures that are missing, out of date, or drawn by no script."""
    pictures = drawn(script)
    return outdated(pictures) + [
        f"figures/{path.name} is drawn by nobody: remove it" for path in surplus(script, pictures)
    ]


def outdated(pictures: Mapping[Path, str]) -> list[str]:
    """Pictures of which the stored figure is missing or another one."""
    problems = []
    for path, wanted in pictures.items():
        if not path.is_file():
            problems.append(f"{path.name} is missing")
        elif path.read_bytes() != wanted.encode():
            problems.append(f"{path.name} is not what figures.py draws")
    return problems


def surplus(script: Path, pictures: Iterable[Path]) -> list[Path]:
    """Figures in the folder that the script does not draw."""
    return sorted(set((script.parent / "figures").glob("*.svg")) - set(pictures))


def write(script: Path) -> list[Path]:
    """Write the figures that differ from the stored ones -> their paths."""
    changed = []
    for path, wanted in drawn(script).items():
        if not path.is_file() or path.read_bytes() != wanted.encode():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(wanted.encode())
            changed.append(path)
    return changed
