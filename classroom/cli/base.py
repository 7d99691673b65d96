"""Shared by all commands: the Typer application, the course's folder, and error messages."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeVar, cast

import typer

from classroom import register
from classroom.launcher import add_list
from classroom.launcher.paths import OPTIONS
from classroom.launcher.trouble import Stop
from classroom.progress import Progress
from classroom.shown import show as show
from classroom.started import COMMAND
from classroom.tasks import HomeworkTask, UnknownTask, find, find_one

LEARN, HOMEWORK, MACHINE = "Learn", "Homework", "This machine"
"""Headings of the help."""
PASS_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}
"""For commands that pass their options on to another program."""
PASS_ALL_ON: dict[str, Any] = {**PASS_ON, "help_option_names": []}
"""For commands that pass on --help too."""
Command = TypeVar("Command", bound=Callable[..., None])

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build a deep-learning inference framework, lesson by lesson. Without a command: a trained network reads "
    "handwritten digits, then the map of the course, what you have solved, and the next step.",
    epilog=f"Begin with: {COMMAND} next. Every command explains itself: {COMMAND} check --help. "
    "The framework's own command is kuiper (kuiper --help).",
)


def stop(sentence: str) -> NoReturn:
    """Print an error message and exit with code 2."""
    print(f"course: {sentence}", file=sys.stderr)
    raise typer.Exit(2)


def needs(packages: str, *modules: str) -> Callable[[Command], Command]:
    """Declare the list in requirements/ that a command needs beyond `cli`, and modules to test for.

    The list is installed when the command runs, not when its help is shown.
    """

    def declare(command: Command) -> Command:
        @functools.wraps(command)
        def with_packages(*arguments: Any, **options: Any) -> None:
            add_packages(packages, modules)
            command(*arguments, **options)

        with_packages.needs = packages  # type: ignore[attr-defined]
        return cast(Command, with_packages)

    return declare


def add_packages(packages: str, modules: Iterable[str]) -> None:
    """Install a list if the environment is the course's own; exit with an error if a module is still missing."""
    try:
        add_list.add(register.ROOT, packages)
    except Stop as trouble:
        stop(str(trouble))
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        option = OPTIONS[packages]
        own = f'pip install -e ".[{option.removeprefix("--")}]"'
        stop(f"{missing[0]} is not installed: {COMMAND} setup {option}, or {own} in an environment of your own")


def the_course() -> register.Course:
    """The register; exits with an error message if it cannot be read."""
    try:
        return register.load(register.ROOT)
    except register.RegisterError as error:
        stop(str(error))


def the_progress() -> Progress:
    """The student's progress."""
    return Progress(register.ROOT)


def tasks_called(course: register.Course, names: list[str]) -> list[HomeworkTask]:
    """The tasks with these names, without duplicates."""
    try:
        found = [task for name in names for task in find(course, name)]
    except UnknownTask as error:
        stop(str(error))
    return list({task.id: task for task in found}.values())


def task_called(course: register.Course, name: str) -> HomeworkTask:
    """The single task with that name."""
    try:
        return find_one(course, name)
    except UnknownTask as error:
        stop(str(error))
