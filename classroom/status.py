"""The map of the course: lessons, modules and homework on disk, and the student's progress."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from classroom.check import State, state_of
from classroom.page import paragraph
from classroom.progress import ProgressEntry
from classroom.register import Course, Lesson
from classroom.started import COMMAND
from classroom.tasks import HomeworkTask, all_tasks

MARKS = {State.SOLVED: "[x]", State.CHANGED: "[~]", State.OPEN: "[ ]"}
Entries = Mapping[str, ProgressEntry]


def material(lesson: Lesson) -> str:
    """The lesson's material: the command for the notebook and its minutes, else the code to read, else nothing yet."""
    if lesson.notebook():
        return f"lab {lesson.number}{f', {lesson.time} min' if lesson.time else ''}"
    return together([short_path(path, lesson.root) for path in lesson.sources()]) or "not yet"


def homework(lesson: Lesson, states: Mapping[str, State]) -> str:
    """The exercises with their marks, if they exist."""
    if not lesson.exercises:
        return "none"
    shown = [exercise for exercise in lesson.exercises if states.get(exercise.id, State.ABSENT) in MARKS]
    if not shown:
        return "not yet"
    return "\n".join(f"{MARKS[states[exercise.id]]} {exercise.id}{' +' * exercise.stretch}" for exercise in shown)


def states_of(course: Course, entries: Entries) -> dict[str, State]:
    """The state of every exercise according to the progress; nothing is run."""
    return {task.id: state_of(task, dict(entries)) for task in all_tasks(course)}


def solved_exercises(course: Course, entries: Entries) -> list[str]:
    """The exercises whose public tests passed; one edited since keeps its mark until a check fails."""
    return [name for name, state in states_of(course, entries).items() if state in (State.SOLVED, State.CHANGED)]


def rows(course: Course, entries: Entries) -> list[tuple[str, str, str, str]]:
    """(number, title, material, homework) of every lesson."""
    states = states_of(course, entries)
    return [(str(one.number), one.title, material(one), homework(one, states)) for one in course.lessons]


def score_line(course: Course, entries: Entries) -> str:
    """The score in a sentence or two; "" if there is no homework at all."""
    tasks = [task for task in all_tasks(course) if task.exists]
    if not tasks:
        return ""
    states = states_of(course, entries)
    solved = solved_exercises(course, entries)
    mine = [task for task in tasks if task.id in solved]
    text = f"Yours by the public tests: {len(mine)} of {len(tasks)} exercises, worth {_points(mine, False)} of "
    text += f"{_points(tasks, False)} points"
    if any(task.exercise.stretch for task in tasks):
        text += f", bonus (+) {_points(mine, True)} of {_points(tasks, True)}"
    if any(states[task.id] is State.CHANGED for task in tasks):
        text += f". [~] was edited since it passed: `{COMMAND} check --changed`"
    return text + "."


def current_lesson(course: Course, entries: Entries) -> int:
    """The current lesson: that of the exercise checked last, or the furthest one if the order is unknown."""
    tried = [task for task in all_tasks(course) if (entry := entries.get(task.id)) and (entry.attempts or entry.solved)]
    latest = max(tried, key=lambda task: (entries[task.id].last, task.lesson.number), default=None)
    return latest.lesson.number if latest else 1


def next_task(course: Course, entries: Entries) -> HomeworkTask | None:
    """The next exercise: an open one of the current lesson, else of a later one, else of an earlier one.

    Bonus exercises come last.
    """
    here = current_lesson(course, entries)

    def rank(task: HomeworkTask) -> tuple[bool, int]:
        number = task.lesson.number
        return task.exercise.stretch, 0 if number == here else 1 if number > here else 2

    return min(_open(course, entries), key=rank, default=None)


def next_step(course: Course, entries: Entries) -> str:
    """The next exercise and the commands for it, in a few lines."""
    task = next_task(course, entries)
    if task is None:
        return paragraph(_without_exercise(course))
    lesson = task.lesson
    lines = [paragraph(f"Next: {task.id}, {task.exercise.title} (lesson {lesson.number}, {task.points})")]
    if lesson.notebook():
        minutes = f" (about {lesson.time} minutes)" if lesson.time else ""
        lines.append(_step("read", f"{COMMAND} lab {lesson.number}{minutes}"))
    lines.append(_step("write", short_path(task.file, lesson.root)))
    lines.append(_step("check", f"{COMMAND} check {task.id}"))
    if not task.exercise.stretch:
        lines += _besides(course, entries, task)
    return "\n".join(lines)


def _besides(course: Course, entries: Entries, following: HomeworkTask) -> list[str]:
    """Lines on bonus exercises of the finished lesson, and on exercises left open earlier."""
    here, lines = current_lesson(course, entries), []
    others = [task for task in _open(course, entries) if task != following]
    bonus = [task for task in others if task.exercise.stretch and task.lesson.number == here]
    if bonus and following.lesson.number != here:
        names = ", ".join(f"{task.id} ({task.points.partition(',')[0]})" for task in bonus)
        checks = f"`{COMMAND} check {bonus[0].id}`"
        lines.append(_step("or", f"the bonus of lesson {here}, {names}: {checks}"))
    limit = min(here, following.lesson.number)
    earlier = [task.id for task in others if not task.exercise.stretch and task.lesson.number < limit]
    if earlier:
        names = ", ".join(earlier[:2])
        more = f" and {len(earlier) - 2} more are" if len(earlier) > 2 else " are" if len(earlier) == 2 else " is"
        lines.append(_step("earlier", f"{names}{more} not solved yet"))
    return lines


def _step(label: str, text: str) -> str:
    return paragraph(text, 10, f"  {label}")


def _open(course: Course, entries: Entries) -> list[HomeworkTask]:
    states = states_of(course, entries)
    return [task for task in all_tasks(course) if states[task.id] is State.OPEN]


def _without_exercise(course: Course) -> str:
    if any(task.exists for task in all_tasks(course)):
        runs = f"`{COMMAND} demo --mine` runs a network with your code, `{COMMAND} mine` your own framework."
        return f"All exercises are solved. {runs}"
    first = course.lessons[0]
    if first.notebook():
        return f"Next: `{COMMAND} lab` opens the lessons; begin with lesson {first.number}, {first.title}."
    for lesson in course.lessons:
        if lesson.sources():
            return f"Next: read {material(lesson)} (lesson {lesson.number}, {lesson.title})."
    return f"Next: `{COMMAND} map` shows what there is."


def _points(tasks: list[HomeworkTask], stretch: bool) -> int:
    return sum(task.exercise.points for task in tasks if task.exercise.stretch is stretch)


def short_path(path: Path, root: Path) -> str:
    """The path relative to the course's folder, with forward slashes; folders end in one."""
    text = path.relative_to(root).as_posix()
    return text + "/" if path.is_dir() else text


def together(paths: list[str]) -> str:
    """Paths as a list that names a shared folder only once.

    >>> together(["kuiper/layers/layer.py", "kuiper/layers/registry.py"])
    'kuiper/layers/layer.py, registry.py'
    """
    shown, last = [], None
    for path in paths:
        folder, _, name = path.rpartition("/")
        shown.append(name if name and folder == last else path)
        last = folder
    return ", ".join(shown)
