"""Report what this machine has, and whether the course's files are intact."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from classroom.check import syntax_error
from classroom.judge import JudgeError, Student, SubmissionError
from classroom.page import width
from classroom.progress import Progress, parse
from classroom.register import Course
from classroom.sandbox.base import Bare
from classroom.sandbox.choose import memory_limit
from classroom.started import COMMAND
from classroom.tasks import all_tasks, files_of

PACKAGES = {
    "typer": f"needed by every command: {COMMAND} setup",
    "rich": f"needed by every command: {COMMAND} setup",
    "PIL": f"needed by `demo` for pictures: {COMMAND} setup",
    "jupyterlab": f"not needed before `lab`: {COMMAND} setup --lessons",
    "matplotlib": f"not needed before `lab`: {COMMAND} setup --lessons",
    "networkx": f"not needed before `lab`: {COMMAND} setup --lessons",
    "sphinx": f"not needed before `site`: {COMMAND} setup --site",
    "pytest": f"not needed before `test`: {COMMAND} setup --dev",
    "numba": "not needed: with it some layers are faster",
    "torch": "not needed: only tests that compare with it, and exporting a network of your own, use it",
}
"""Module -> message if it is missing."""


def facts(course: Course, progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield (name, fact) about the machine, the packages, the progress, the homework files, Jupyter's kernel."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "System", f"{platform.platform()}, {os.cpu_count()} cores"
    yield "numpy", f"{np.__version__}, BLAS {blas.get('name')} {blas.get('version')}"
    columns = shutil.get_terminal_size().columns
    yield "Terminal", f"encoding {sys.stdout.encoding}, {columns} columns, of which {width()} are used"
    yield "Course", str(course.lessons[0].root)
    for package, need in PACKAGES.items():
        yield package, "installed" if importlib.util.find_spec(package) is not None else f"not installed, {need}"
    yield "Memory", limited(memory_limit(Bare()))
    yield "Kernel", kernel()
    yield "Progress", kept(progress)
    for file in files_of(task for task in all_tasks(course) if task.exists):
        yield file.stem.split("_")[0], importable(file)


def limited(limit: int | None) -> str:
    """The memory limit of an exercise, in words.

    >>> limited(4 << 30)
    'an exercise that is checked may take 4 GB'
    """
    if limit is None:
        return "this system sets no limit: an exercise that is checked may take all of it"
    return f"an exercise that is checked may take {limit / (1 << 30):g} GB"


def kept(progress: Progress) -> str:
    """The state of the progress file; nothing is changed."""
    folder = progress.path.parent
    try:
        place = folder if folder.is_dir() else folder.parent
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        return f"cannot be kept in {folder}: {error.strerror}"
    if not progress.path.is_file():
        return "nothing kept yet"
    try:
        entries, sound = parse(progress.path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        entries, sound = {}, False
    if not sound:
        return f"{progress.path} is damaged; the next command sets it aside"
    return f"{progress.path.name}: {sum(bool(entry.solved) for entry in entries.values())} exercises solved"


def importable(file: Path) -> str:
    """Whether a homework file can be imported."""
    fault = syntax_error(file)
    if isinstance(fault, SyntaxError):
        return f"{file.name}: line {fault.lineno} is not Python ({fault.msg})"
    if fault is not None:
        return f"{file.name}: {fault.strerror}"
    try:
        Student(file).close()
    except (SubmissionError, JudgeError) as error:
        return str(error)
    return f"{file.name} can be imported"


def kernel() -> str:
    """The Python of the notebooks' kernel, according to Jupyter."""
    if importlib.util.find_spec("jupyter_client") is None:
        return f"none: {COMMAND} setup --lessons"
    from jupyter_client.kernelspec import KernelSpecManager

    try:
        specs = KernelSpecManager().get_all_specs()
    except (OSError, json.JSONDecodeError) as error:
        return f"Jupyter's kernels cannot be listed: {error}"
    found = []
    for name, spec in sorted(specs.items()):
        command = (spec.get("spec", {}).get("argv") or ["?"])[0]
        there = shutil.which(command) is not None
        own = command in ("python", f"python{sys.version_info[0]}")  # Jupyter then runs its own Python
        found.append(f"{name} ({'this Python' if own else command}{'' if own or there else ', which is not there'})")
    return ", ".join(found) or f"none: {COMMAND} setup --lessons"
