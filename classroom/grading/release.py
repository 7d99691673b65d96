"""Write the students' copy of the course, without hidden tests and mutants, as a folder and a zip.

If course.toml allows it, worked solutions are included in an archive that `reveal` reads (classroom/solutions.py).

Only files tracked by git are included, as in the working tree; without git, everything but GENERATED. A stub that
differs from homework/stubs.zip stops the release: it may contain part of a solution.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from classroom import solutions
from classroom.fixed_zip import entry
from classroom.grading.errors import GradingError
from classroom.register import Course, Solutions
from classroom.started import COMMAND
from classroom.stubs import StubError, pristine
from classroom.tasks import all_tasks, files_of

KEPT_BACK = (
    "homework/*/judge/**",
    f"homework/{solutions.ARCHIVE}",
    "homework/mutation.md",
    "classroom/dev/**",
    "tests/classroom/**",
    "tests/lessons/**",
    "benchmarks/grading.py",
    "benchmarks/honest/**",
    ".ci/**",
    "results/**",
)
"""Patterns of files that are not released. `**` matches any number of folders."""
GENERATED = re.compile(
    r"(^|/)(\.[^/]+|__pycache__|[^/]*\.egg-info|build|dist|venv|node_modules|\.?env|results\.sqlite.*)(/|$)|\.py[co]$"
)
"""Files that are not part of the course, if there is no git to ask: hidden, environments, generated."""
NAME = "course"
"""The folder inside the zip."""
EXECUTABLE = {"course.py"}


def released_files(course: Course) -> list[PurePosixPath]:
    """The files for students, relative to the course's folder, sorted. Raises GradingError."""
    root = course.lessons[0].root
    return sorted(path for path in known_files(root) if not is_kept_back(path) and (root / path).is_file())


def is_kept_back(path: PurePosixPath) -> bool:
    """Whether a file is kept from students.

    >>> is_kept_back(PurePosixPath("homework/01_first_tests/judge/solution.py"))
    True
    """
    return any(_regex(pattern).fullmatch(path.as_posix()) for pattern in KEPT_BACK)


def write_release(course: Course, folder: Path, solved: bool = False) -> tuple[Path, Path, int]:
    """Write FOLDER/course and FOLDER/course.zip -> (folder, zip, number of files). The zip is reproducible.

    `solved` : homework may be solved here; the stubs of homework/stubs.zip are released instead. Raises GradingError
    if homework is solved and may not be, or if something other than a release is in the way; OSError.
    """
    root, target = course.lessons[0].root, folder / NAME
    edited = edited_stubs(course)
    if edited and not solved:
        name = min(edited).name
        raise GradingError(
            f"{name} is not as homework/stubs.zip has it: put it back ({COMMAND} reset {name} keeps a copy of it), "
            f"or, if the worked solution was changed on purpose, {COMMAND} dev build"
        )
    files = sorted({*released_files(course), *edited})
    packed = solutions.pack_solutions(course) if course.release.solutions is not Solutions.NONE else None
    if target.exists():
        if not (target / "course.toml").is_file() or (target / ".git").exists() or target.resolve() == root.resolve():
            raise GradingError(f"{target} is there already and is no release: take another folder")
        if any((target / "homework").glob("*/judge")):
            raise GradingError(f"{target} holds solutions, so it is no release: take another folder")
        shutil.rmtree(target)
    for path in files:
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path in edited:
            copy.write_bytes(edited[path])
        else:
            shutil.copyfile(root / path, copy)
        copy.chmod(0o755 if path.name in EXECUTABLE else 0o644)
    if packed is not None:
        path = PurePosixPath("homework", solutions.ARCHIVE)
        (target / path).write_bytes(packed)
        files = sorted([*files, path])
    return target, _zip(target, folder / f"{NAME}.zip", files), len(files)


def _zip(source: Path, target: Path, files: Iterable[PurePosixPath]) -> Path:
    """Write a zip without compression: compressed bytes differ between zlib versions."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in files:
            info = entry(f"{NAME}/{path.as_posix()}")
            info.external_attr = (0o100755 if path.name in EXECUTABLE else 0o100644) << 16
            archive.writestr(info, (source / path).read_bytes(), zipfile.ZIP_STORED)
    return target


def known_files(root: Path) -> list[PurePosixPath]:
    """The files tracked by git, without links."""
    if (root / ".git").exists():
        command = ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z", "--cached"]
        try:
            found = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "surrogateescape")
        except (OSError, subprocess.CalledProcessError) as error:
            raise GradingError(f"git cannot say which files belong to the course: {error}") from error
        names = [PurePosixPath(name) for name in found.split("\0") if name]
    else:
        names = [PurePosixPath(path.relative_to(root).as_posix()) for path in root.rglob("*")]
        names = [name for name in names if name.as_posix() == ".gitignore" or not GENERATED.search(name.as_posix())]
    return [name for name in names if not (root / name).is_symlink()]


def edited_stubs(course: Course) -> dict[PurePosixPath, bytes]:
    """Homework files that differ from the original -> the original. Raises GradingError."""
    root, edited = course.lessons[0].root, {}
    tasks = [task for task in all_tasks(course) if task.exists]
    first = {task.file: task for task in tasks}
    for file in files_of(tasks):
        try:
            handed_out = pristine(first[file]).encode()
        except StubError as error:
            raise GradingError(f"{error}: {COMMAND} dev build writes it") from error
        if not file.is_file() or file.read_bytes().replace(b"\r\n", b"\n") != handed_out:
            edited[PurePosixPath(file.relative_to(root).as_posix())] = handed_out
    return edited


def _regex(pattern: str) -> re.Pattern[str]:
    parts = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*|\*)", pattern)))
