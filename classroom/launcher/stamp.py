"""The stamp: what is installed in the environment, and its interpreter. Without a stamp it is incomplete."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from classroom.launcher.paths import LISTS, Paths


def read(paths: Paths) -> dict[str, Any]:
    """The stamp; {} if missing or unreadable."""
    try:
        stamp = json.loads(paths.stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write(paths: Paths, lists: dict[str, str]) -> None:
    """Write which lists are installed, atomically."""
    new = paths.stamp.with_suffix(".new")
    stamp = {"root": str(paths.root), "python": interpreter_identity(paths), "lists": lists}
    new.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    os.replace(new, paths.stamp)


def interpreter_identity(paths: Paths) -> list[Any] | None:
    """Identify the interpreter without starting it: path, size, modification time. None if it is gone."""
    try:
        status = paths.python.stat()
    except OSError:
        return None
    return [os.path.realpath(paths.python), status.st_size, int(status.st_mtime)]


def is_sound(paths: Paths, stamp: dict[str, Any]) -> bool:
    """Whether the environment was created in this folder, and its interpreter is unchanged."""
    found = interpreter_identity(paths)
    return found is not None and stamp.get("python") == found and stamp.get("root") == str(paths.root)


def is_ready(paths: Paths, name: str) -> bool:
    """Whether the current list `name` is installed, itself or as part of a larger list."""
    stamp = read(paths)
    installed = stamp.get("lists", {})
    wider = list(LISTS)[list(LISTS).index(name) :]
    return any(installed.get(one) == paths.fingerprint(one) for one in wider) and is_sound(paths, stamp)


def other_course(paths: Paths, stamp: dict[str, Any]) -> Path | None:
    """The folder of another course that still uses this environment, or None.

    An environment inside this course's folder was copied or moved with it, and belongs to no other.
    """
    root = Path(str(stamp.get("root", paths.root)))
    if paths.venv.is_relative_to(paths.root) or not (root / "course.py").is_file():
        return None
    return None if root.samefile(paths.root) else root


def why_anew(paths: Paths, stamp: dict[str, Any]) -> str:
    """Why an existing environment is recreated, as the end of a sentence; "" at the first start."""
    if not os.path.lexists(paths.venv):
        return ""
    if not stamp:
        return "the one there is only half made"
    if interpreter_identity(paths) is None:
        return "its Python has vanished"
    return "this folder has moved" if stamp.get("root") != str(paths.root) else "its Python has changed"
