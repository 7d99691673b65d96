"""The original stubs, so that an exercise can be reset.

A student's folder may be an unpacked archive without git, and with git students commit their homework. So the course
contains its stubs a second time, in homework/stubs.zip, which `course dev build` writes.
"""

from __future__ import annotations

import ast
import contextlib
import re
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from classroom.fixed_zip import zipped
from classroom.progress import FOLDER, free_name, write_whole
from classroom.register import Lesson
from classroom.started import COMMAND
from classroom.tasks import HomeworkTask

ARCHIVE = "stubs.zip"
WORKSHEET = "worksheet.ipynb"
Block = tuple[int, int]
"""First and last line of a function or class, counted from 1, with the decorators and comments right above it."""
Places = Callable[[str], dict[str, Block]]
HEAD = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")
TODO = "NotImplementedError"
LIBRARIES = ("torch", "tensorflow", "jax", "onnxruntime", "ncnn")
"""Other frameworks: they compute what a homework asks for."""
"""What the stub raises."""
STATEMENT = re.compile(r"[^\s)\]}]")
"""Start of a top-level statement."""
DEFINITION = re.compile(r"(?:async\s+def|def|class)\b|@|# ")
"""Start of a top-level function, class, decorator or comment."""


class StubError(Exception):
    """A stub cannot be restored or packed."""


def pristine(task: HomeworkTask) -> str:
    """The original text of the task's homework file. Raises StubError."""
    return handed_out(task.lesson)


def handed_out(lesson: Lesson) -> str:
    """The original text of the lesson's homework file. Raises StubError."""
    data = packed(lesson, lesson.homework_file)
    if data is None:
        raise StubError(f"homework/{ARCHIVE} has no {lesson.folder}/{lesson.homework_file}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StubError(f"homework/{ARCHIVE} cannot be read: {error}") from None


def packed(lesson: Lesson, name: str) -> bytes | None:
    """A file of the lesson's homework as handed out; None if there is none of that name. Raises StubError."""
    try:
        with zipfile.ZipFile(lesson.root / "homework" / ARCHIVE) as stubs:
            return stubs.read(f"{lesson.folder}/{name}")
    except KeyError:
        return None
    except (OSError, zipfile.BadZipFile) as error:
        raise StubError(f"homework/{ARCHIVE} cannot be read: {error}") from None


def forbidden(lesson: Lesson) -> tuple[str, ...]:
    """Modules that the homework must not use, according to the original stub: the student's edits do not matter.

    If the stub does not import kuiper at the top, kuiper and LIBRARIES are forbidden: imports inside functions are for
    use after the homework, and no test runs them. If it does, the modules of its own lesson are forbidden.
    """
    try:
        text = handed_out(lesson)
    except StubError:
        file = lesson.stub()
        text = file.read_text(encoding="utf-8", errors="replace") if file else ""
    return lesson.modules if _imports_kuiper(text) else ("kuiper", *LIBRARIES)


def _imports_kuiper(source: str) -> bool:
    """Whether importing the file imports kuiper."""
    try:
        waiting: list[ast.AST] = [ast.parse(source)]
    except (SyntaxError, ValueError):
        return False
    names: list[str] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return any(name.partition(".")[0] == "kuiper" for name in names)


def untouched(task: HomeworkTask) -> bool:
    """Whether the functions of the exercise are unchanged."""
    try:
        stub, source = pristine(task), task.file.read_text(encoding="utf-8")
        names = names_of(stub, task.id)
        return bool(names) and definitions_text(source, names) == definitions_text(stub, names)
    except (StubError, OSError, SyntaxError, ValueError):
        return False


def written(task: HomeworkTask) -> bool:
    """Whether one of the functions of the exercise, at least, raises no NotImplementedError as the stub's does."""
    try:
        stub, source = pristine(task), task.file.read_text(encoding="utf-8")
        open_, now = ({name: _lines(text, *place) for name, place in blocks(text).items()} for text in (stub, source))
        names = [name for name in names_of(stub, task.id) if TODO in open_[name]]
        return any(name in now and TODO not in now[name] for name in names)
    except (StubError, OSError, SyntaxError, ValueError):
        return False


def names_of(stub: str, exercise: str) -> list[str]:
    """The stub's functions and classes for the exercise: those with "TODO exercise" in or above them."""
    mark = re.compile(rf"TODO {re.escape(exercise)}\b|\b{re.escape(exercise)}: TODO\b")
    return [name for name, (first, last) in blocks(stub).items() if mark.search(_lines(stub, first, last))]


def blocks(source: str) -> dict[str, Block]:
    """Name -> line range of every top-level function and class. Raises SyntaxError."""
    lines, found = _lines_of(source), {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            while first > 1 and lines[first - 2].startswith("#"):
                first -= 1
            found[node.name] = (first, node.end_lineno or node.lineno)
    return found


def definitions_text(source: str, names: Iterable[str]) -> str:
    """The source of the named functions and classes."""
    places = blocks(source)
    return "\n\n".join(_lines(source, *places[name]).rstrip("\n") for name in names if name in places)


def put_back(source: str, stub: str, names: Iterable[str], places: Places = blocks) -> str:
    """The source with the named functions restored from the stub; a missing one is appended.

    places : finds the functions in the source. Raises what it raises.
    """
    for name in names:
        fresh, place = definitions_text(stub, [name]) + "\n", places(source).get(name)
        if place is None:
            source = f"{source.rstrip()}\n\n\n{fresh}"
        else:
            lines = _lines_of(source)
            source = "".join(lines[: place[0] - 1]) + fresh + "".join(lines[place[1] :])
    return source


def blocks_at_margin(source: str, ends: re.Pattern[str] = STATEMENT) -> dict[str, Block]:
    """As `blocks`, for invalid Python: a function extends to the next unindented line that matches `ends`.

    >>> blocks_at_margin("def f(x):\\n    return (x\\n\\n\\ndef g(x):\\n    return x\\n")
    {'f': (1, 2), 'g': (5, 6)}
    """
    lines, found = _lines_of(source), {}
    for number, line in enumerate(lines, 1):
        head = HEAD.match(line)
        if head is None:
            continue
        first, above = number, number - 1
        while (
            above
            and lines[above - 1].strip()
            and (lines[above - 1][0] in "@#" or not STATEMENT.match(lines[above - 1]))
        ):
            if lines[above - 1][0] in "@#":
                first = above
            above -= 1
        last = next((below for below in range(number, len(lines)) if ends.match(lines[below])), len(lines))
        while not lines[last - 1].strip():
            last -= 1
        found[head[1]] = (first, last)
    return found


def readable(source: str) -> bool:
    """Whether the source is valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _restored(source: str, stub: str, names: Sequence[str]) -> str:
    """As `put_back`, also for invalid Python: tries several ways until the result is valid."""
    if readable(source):
        return put_back(source, stub, names)
    ways = [partial(blocks_at_margin, ends=ends) for ends in (STATEMENT, DEFINITION)]
    tries = [put_back(source, stub, names, places) for places in ways]
    return next((text for text in tries if readable(text)), tries[0])


def reset_exercise(task: HomeworkTask) -> Path | None:
    """Restore the functions of one exercise, leaving the rest of the file. Returns the backup of the old file.

    None if there was nothing to do. Raises StubError.
    """
    stub = pristine(task)
    names = names_of(stub, task.id)
    if not task.file.exists() or not names:
        return reset_file(task)
    try:
        source = task.file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise StubError(
            f"{task.file.name} is not text in UTF-8, so one exercise in it cannot be told from the others. "
            f"`{COMMAND} reset {task.file.name}` puts the whole file back and keeps a copy of yours"
        ) from None
    return _replace(task.lesson, task.file, source, _restored(source, stub, names))


def reset_file(task: HomeworkTask) -> Path | None:
    """Restore the whole homework file. Returns the backup of the old file, None if there was nothing to keep."""
    return _replace(task.lesson, task.file, _text_of(task.file), pristine(task))


def has_worksheet(lesson: Lesson) -> bool:
    """Whether the lesson was handed out with a worksheet. Raises StubError."""
    return packed(lesson, WORKSHEET) is not None


def reset_worksheet(lesson: Lesson) -> Path | None:
    """Restore the lesson's worksheet. Returns the backup of the old one, None if there was nothing to keep."""
    fresh = packed(lesson, WORKSHEET)
    if fresh is None:
        raise StubError(f"lesson {lesson.number} has no worksheet: homework/{ARCHIVE} has none of {lesson.folder}")
    file = lesson.root / "homework" / lesson.folder / WORKSHEET
    return _replace(lesson, file, _text_of(file), fresh.decode("utf-8"))


def backup(lesson: Lesson, original: Path) -> Path:
    """Copy a file to .course/backups, lesson and time in its name. Raises StubError; nothing is lost."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    folder = lesson.root / FOLDER / "backups"
    for place in (folder, original.parent):
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            copy = free_name(place / f"{lesson.folder}-{original.stem}-{stamp}{original.suffix}.txt")
            with copy.open("xb") as file:
                file.write(original.read_bytes())
            return copy
    raise StubError(f"no copy of {original.name} can be written, so nothing was changed")


def packed_stubs(files: Mapping[str, str]) -> bytes:
    """The bytes of homework/stubs.zip, the same for the same files: "02_tensor/hw02_tensor.py" -> text."""
    return zipped({name: text.encode() for name, text in files.items()})


def _text_of(file: Path) -> str | None:
    """The file's text, whatever its bytes are; None if there is no such file."""
    return file.read_bytes().decode("utf-8", "surrogateescape") if file.exists() else None


def _replace(lesson: Lesson, file: Path, old: str | None, fresh: str) -> Path | None:
    if old == fresh:
        return None
    copy = backup(lesson, file) if old is not None else None
    try:
        write_whole(file, fresh)
    except OSError as error:
        raise StubError(f"{file} cannot be written: {error.strerror}") from None
    return copy


def _lines(source: str, first: int, last: int) -> str:
    return "".join(_lines_of(source)[first - 1 : last])


def _lines_of(source: str) -> list[str]:
    """The lines as Python counts them: a form feed does not end a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", source)
