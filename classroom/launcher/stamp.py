"""The stamp: what is installed in the environment, and by which interpreter. No stamp means half made."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from classroom.launcher.paths import LISTS, Paths


def read(paths: Paths) -> dict[str, Any]:
    """The stamp; empty when there is none, or it is not to be read."""
    try:
        stamp = json.loads(paths.stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write(paths: Paths, lists: dict[str, str]) -> None:
    """Say which lists are installed, in one step."""
    new = paths.stamp.with_suffix(".new")
    stamp = {"root": str(paths.root), "python": interpreter_identity(paths), "lists": lists}
    new.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    os.replace(new, paths.stamp)


def interpreter_identity(paths: Paths) -> list[Any] | None:
    """What tells one interpreter from another without starting it: path, size, date. None when it vanished."""
    try:
        status = paths.python.stat()
    except OSError:
        return None
    return [os.path.realpath(paths.python), status.st_size, int(status.st_mtime)]


def is_sound(paths: Paths, stamp: dict[str, Any]) -> bool:
    """Whether the environment was made for this folder, and by the interpreter that it still has."""
    found = interpreter_identity(paths)
    return found is not None and stamp.get("python") == found and stamp.get("root") == str(paths.root)


def is_ready(paths: Paths, name: str) -> bool:
    """Whether the list `name`, as it reads today, is installed: itself, or a wider list that holds it."""
    stamp = read(paths)
    installed = stamp.get("lists", {})
    wider = list(LISTS)[list(LISTS).index(name) :]
    return any(installed.get(one) == paths.fingerprint(one) for one in wider) and is_sound(paths, stamp)


def other_course(paths: Paths, stamp: dict[str, Any]) -> Path | None:
    """The folder of another course that still uses this environment; None where nothing says so.

    One that lies in this course's own folder was copied or moved with it, and is nobody else's.
    """
    root = Path(str(stamp.get("root", paths.root)))
    if paths.venv.is_relative_to(paths.root) or not (root / "course.py").is_file():
        return None
    return None if root.samefile(paths.root) else root


def why_anew(paths: Paths, stamp: dict[str, Any]) -> str:
    """Why an environment that is there is made anew, as the end of a sentence; empty at the first start."""
    if not os.path.lexists(paths.venv):
        return ""
    if not stamp:
        return "the one there is only half made"
    if interpreter_identity(paths) is None:
        return "its Python has vanished"
    return "this folder has moved" if stamp.get("root") != str(paths.root) else "its Python has changed"
