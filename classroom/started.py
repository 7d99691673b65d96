"""How the course was started: COMMAND, which every message prints. Standard library only."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "COURSE_COMMAND"
"""Set by the launcher, or by the environment's program, to what the user typed, for the process of the command."""
DOCUMENTED = "python3 course.py"
"""The command in generated pages, which are read on other machines."""
LAUNCHER = "course.py"
PROGRAM = "course"
"""The program in the environment's scripts folder."""
LONG_PATH = 30
"""A longer path to the interpreter is replaced by a name on the PATH."""


def typed(script: str, words: Sequence[str]) -> str:
    """The command line up to the launcher, as the user can type it again; "" if it does not run the launcher.

    >>> typed("-m", ["python3", "-m", "classroom"])
    ''
    """
    if os.path.basename(script) == PROGRAM and os.path.isfile(script):
        return named(script)
    if os.path.basename(script) != LAUNCHER:
        return ""
    before = list(words[: words.index(script)]) if script in words else [sys.executable]
    if os.name == "nt":
        # A script cannot see that py.exe started it; on many machines bare `python` is only the Store's alias.
        return subprocess.list2cmdline(["py" if shutil.which("py") else "python", script])
    return shlex.join([short_name(before[0]), *before[1:], script])


def named(command: str) -> str:
    """The path to the environment's program if a shell does not find it by name; other commands unchanged."""
    if os.path.basename(command) == PROGRAM and os.path.isfile(command):
        return PROGRAM if on_the_path(PROGRAM, command) else shlex.quote(command)
    return command


def short_name(interpreter: str) -> str:
    """The interpreter as typed; a long path becomes a name on the PATH if that is the same interpreter.

    Its own name is tried first: with pyenv, every name on the PATH is that version's.
    """
    if len(interpreter) < LONG_PATH:
        return interpreter
    names = (Path(interpreter).name, "python3", "python")
    return next((name for name in names if on_the_path(name, interpreter)), interpreter)


def on_the_path(name: str, file: str) -> bool:
    """Whether a shell finds the file by that name."""
    found = shutil.which(name)
    return found is not None and os.path.exists(file) and os.path.samefile(found, file)


COMMAND = typed(sys.argv[0], sys.orig_argv) or named(os.environ.get(VARIABLE, "")) or PROGRAM
"""`python3 course.py`, `py course.py` on Windows, `course` or a path to it, whichever started this process."""
