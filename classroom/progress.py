"""A student's progress in .course/progress.json, a plain file whose errors never stop a command.

Each write replaces the file atomically, so that a crash leaves the old or the new one. An unreadable file is renamed.
If the folder is not writable, progress is just not saved.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from classroom.started import COMMAND

FOLDER = ".course"
VERSION = 1


@dataclass(frozen=True)
class ProgressEntry:
    """Progress in one exercise.

    attempts, hints : number of checks run, of hints seen.
    solved : digest of the file that passed the public tests; "" if none.
    last : sequence number of its last check among all checks, from 1; 0 if unknown.
    """

    attempts: int = 0
    hints: int = 0
    solved: str = ""
    last: int = 0


def to_stderr(sentence: str) -> None:
    """Print to stderr; the default `note`."""
    print(f"course: {sentence}", file=sys.stderr)


class Progress:
    """The progress in one course folder. Reads the file on each access, and again before each change.

    Parameters
    ----------
    root : the course's folder.
    note : called with each error message about the file, once per message.
    """

    def __init__(self, root: Path, note: Callable[[str], None] = to_stderr) -> None:
        self.path = root / FOLDER / "progress.json"
        self._note, self._noted = note, set[str]()
        self._unsaved: dict[str, ProgressEntry] | None = None

    def entries(self) -> dict[str, ProgressEntry]:
        """Exercise -> entry; {} if nothing is stored yet."""
        if self._unsaved is not None:
            return dict(self._unsaved)
        try:
            text = self.path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            self._say(f"{self.path} cannot be read ({error.strerror}); your progress is not known")
            return {}
        except UnicodeDecodeError:
            text = ""
        entries, sound = parse(text)
        if not sound:
            self._set_aside(len(entries))
            if entries:
                self._write(entries)
        return entries

    def entry(self, exercise: str) -> ProgressEntry:
        """The entry of one exercise."""
        return self.entries().get(exercise, ProgressEntry())

    def update(self, exercise: str, change: Callable[[ProgressEntry], ProgressEntry]) -> ProgressEntry:
        """Change and store the entry of one exercise -> the new entry."""
        return self.update_all({exercise: change})[exercise]

    def update_all(self, changes: dict[str, Callable[[ProgressEntry], ProgressEntry]]) -> dict[str, ProgressEntry]:
        """Change several entries in one write -> the new entries."""
        before = self.entries()
        entries = before | {name: change(before.get(name, ProgressEntry())) for name, change in changes.items()}
        if any(entries[name] != before.get(name, ProgressEntry()) for name in changes):
            self._write(entries)
        return entries

    def _write(self, entries: dict[str, ProgressEntry]) -> None:
        table = {"version": VERSION, "exercises": {name: asdict(entry) for name, entry in sorted(entries.items())}}
        try:
            write_whole(self.path, json.dumps(table, indent=2) + "\n")
            self._unsaved = None
        except OSError as error:
            self._unsaved = entries
            self._say(f"your progress cannot be kept: {self.path.parent}: {error.strerror}; everything else works")

    def _set_aside(self, kept: int) -> None:
        saved = f"; what could be read ({kept} exercises) is kept" if kept else ""
        aside = free_name(self.path.with_name(f"progress.damaged-{time.strftime('%Y%m%d-%H%M%S')}.json"))
        try:
            os.replace(self.path, aside)
        except OSError as error:
            self._say(f"{self.path} is damaged, and cannot be set aside: {error.strerror}{saved}")
        else:
            restore = f"`{COMMAND} check --all` restores it"
            self._say(f"{self.path.name} was damaged and is now {aside.name}{saved}; {restore}")

    def _say(self, sentence: str) -> None:
        if sentence not in self._noted:
            self._noted.add(sentence)
            self._note(sentence)


def parse(text: str) -> tuple[dict[str, ProgressEntry], bool]:
    """The text of the file -> (entries, whether all of it was valid).

    >>> parse('{"version": 1, "exercises": {"flatten": {"hints": 2}, "padding": 3}}')
    ({'flatten': ProgressEntry(attempts=0, hints=2, solved='', last=0)}, False)
    """
    try:
        table = json.loads(text)
        exercises = table["exercises"].items()
        sound = table["version"] == VERSION
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}, False
    entries = {}
    for name, values in exercises:
        entry = _entry(values)
        if entry is None:
            sound = False
        else:
            entries[name] = entry
    return entries, sound


def _entry(values: Any) -> ProgressEntry | None:
    if not isinstance(values, dict):
        return None
    known = {field.name: type(field.default) for field in fields(ProgressEntry)}
    given = {name: value for name, value in values.items() if name in known}
    if any(type(value) is not known[name] for name, value in given.items()):
        return None
    if any(isinstance(value, int) and value < 0 for value in given.values()):
        return None
    return replace(ProgressEntry(), **given)


def digest(path: Path) -> str:
    """A short hash of a file's content; "" if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def write_whole(path: Path, text: str, safely: bool = True) -> None:
    """Write the file atomically; not `safely`, a power cut may lose it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            if safely:
                os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def free_name(path: Path) -> Path:
    """`path`, with a number added if it already exists."""
    count, candidate = 1, path
    while candidate.exists():
        count += 1
        candidate = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return candidate
