"""The map of the course: lesson, modules, homework, as they are on the disk."""

from __future__ import annotations

from pathlib import Path

from classroom.register import Course, Lesson


def material(lesson: Lesson) -> str:
    """What there is to learn from: the notebook, else the framework's own code, else nothing yet."""
    notebook = lesson.notebook()
    if notebook:
        return short(notebook, lesson.root)
    return together([short(path, lesson.root) for path in lesson.sources()]) or "not yet"


def homework(lesson: Lesson) -> str:
    """The exercises and their points, once their folder is there."""
    if not lesson.exercises:
        return "none"
    if not lesson.homework():
        return "not yet"
    return f"{', '.join(exercise.id for exercise in lesson.exercises)} ({lesson.points} points)"


def next_step(course: Course) -> str:
    """One sentence: what to do now."""
    first = course.lessons[0]
    if first.notebook():
        return f"Next: `python3 course.py lab` opens the lessons; begin with lesson {first.number}, {first.title}."
    for lesson in course.lessons:
        if lesson.sources():
            return f"Next: read {material(lesson)} (lesson {lesson.number}, {lesson.title})."
    return "Next: `python3 course.py map` shows what there is."


def rows(course: Course) -> list[tuple[str, str, str, str]]:
    """(number, title, material, homework) of every lesson."""
    return [(str(one.number), one.title, material(one), homework(one)) for one in course.lessons]


def short(path: Path, root: Path) -> str:
    """The path from the course's folder, with forward slashes; a folder ends in one."""
    text = path.relative_to(root).as_posix()
    return text + "/" if path.is_dir() else text


def together(paths: list[str]) -> str:
    """Paths with the folder named once where they share it.

    >>> together(["kuiper/layers/layer.py", "kuiper/layers/registry.py"])
    'kuiper/layers/layer.py, registry.py'
    """
    shown, last = [], None
    for path in paths:
        folder, _, name = path.rpartition("/")
        shown.append(name if name and folder == last else path)
        last = folder
    return ", ".join(shown)
