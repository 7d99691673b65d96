"""The launcher's main function: set up the environment unless it is ready, then run the command inside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from classroom.launcher.environment import clean_variables
from classroom.launcher.install import set_up
from classroom.launcher.lock import one_at_a_time
from classroom.launcher.paths import OPTIONS, Paths
from classroom.launcher.stamp import is_ready
from classroom.launcher.trouble import Stop, sentence_of
from classroom.started import COMMAND, VARIABLE

SETUP_LISTS: dict[tuple[str, ...], str] = {(): "cli", **{(option,): name for name, option in OPTIONS.items()}}
"""Arguments of `setup` -> the list to install."""
SETUP_USAGE = f"""usage: {COMMAND} setup [--grading | --lessons | --site | --dev]
Installs, and does nothing else.
  (nothing)   what the command line needs
  --grading   what grading needs too
  --lessons   JupyterLab and the notebooks' packages too
  --site      what builds the course's site too
  --dev       the test tools too"""


def main(root: str, arguments: list[str]) -> int:
    """Run `course ARGUMENTS` for the course in `root`. Returns the exit code: 2 for known errors, which are printed."""
    paths = Paths.of(Path(root), os.environ)
    try:
        if arguments[:1] == ["setup"]:
            return only_set_up(paths, tuple(arguments[1:]))
        ensure(paths, "cli")  # a command that needs more installs it itself
        return run(paths, arguments)
    except Stop as stop:
        print(f"\n{stop}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. The next start mends what is half done.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no reader: the last flush must not fail
        return 0
    except OSError as error:
        print(f"\n{sentence_of(error, paths)}", file=sys.stderr)
    return 2


def only_set_up(paths: Paths, options: tuple[str, ...]) -> int:
    """`setup`, with or without an option: only install."""
    if {"--help", "-h"} & {*options}:
        print(SETUP_USAGE)
        return 0
    if options not in SETUP_LISTS:
        raise Stop(SETUP_USAGE)
    ensure(paths, SETUP_LISTS[options])
    print(f"The environment is ready: {paths.venv}")
    return 0


def ensure(paths: Paths, name: str) -> None:
    """Ensure that everything in the list `name` is installed. Fast if it is."""
    if is_ready(paths, name):
        return
    paths.venv.parent.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(paths.lock):
        if not is_ready(paths, name):
            set_up(paths, name)


def run(paths: Paths, arguments: list[str]) -> int:
    """Replace this process by `course ARGUMENTS`; on Windows, wait for it and return its exit code."""
    command = [str(paths.python), "-P", "-m", "classroom", *arguments]
    variables = {**clean_variables(os.environ), VARIABLE: COMMAND}
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, variables)
    try:
        return subprocess.call(command, env=variables)
    except KeyboardInterrupt:
        return 130
