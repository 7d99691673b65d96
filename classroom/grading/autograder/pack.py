"""Write what grades on upload: an archive for Gradescope for each homework, and a workflow for GitHub Actions."""

from __future__ import annotations

import json
import secrets
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from classroom.fixed_zip import entry
from classroom.grading.errors import GradingError
from classroom.grading.records import Isolation
from classroom.grading.release import known_files
from classroom.grading.settings import load_settings
from classroom.grading.suite import Suite, suite_of
from classroom.progress import write_whole
from classroom.register import Course, Lesson

FILES = Path(__file__).with_name("files")
SCRIPTS = ("setup.sh", "run_autograder")
HIDDEN = ("after_due_date", "after_published", "hidden")
"""Gradescope's visibilities for what hidden tests found."""
PACKED = ("classroom/", "kuiper/", "course.toml", "homework/stubs.zip", "pyproject.toml")
LEFT_OUT = ("classroom/dev/", "classroom/site/", "classroom/gallery/", "classroom/grading/templates/")


def write_autograder(
    course: Course,
    lesson: Lesson,
    folder: Path,
    hidden: str = HIDDEN[0],
    least: Isolation = Isolation.WEAK,
    seed: int | None = None,
) -> Path:
    """Write FOLDER/HOMEWORK/autograder.zip and its README.md -> the zip. Raises GradingError, OSError.

    hidden : when students see what hidden tests found. least : the isolation below which nothing is judged.
    seed : of the hidden tests' inputs; None: a new secret one.
    """
    if hidden not in HIDDEN:
        raise GradingError(f"expected {', '.join(HIDDEN[:-1])} or {HIDDEN[-1]}, found {hidden!r}")
    settings = replace(load_settings(lesson.root), worksheets=False)
    suite = suite_of(lesson, settings, secrets.randbits(48) if seed is None else seed)
    target = folder / lesson.folder / "autograder.zip"
    target.parent.mkdir(parents=True, exist_ok=True)
    readme = (FILES / "README.md").read_text(encoding="utf-8").replace("{title}", f"Homework {lesson.number}")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SCRIPTS:
            _add(archive, name, (FILES / name).read_bytes(), executable=True)
        _add(archive, "README.md", readme.encode())
        _add(archive, "upload.json", json.dumps(_upload(suite, hidden, least), indent=1).encode())
        for path in packed_files(course, lesson):
            _add(archive, f"course/{path.as_posix()}", (lesson.root / path).read_bytes())
    write_whole(target.with_name("README.md"), readme)
    return target


def _upload(suite: Suite, hidden: str, least: Isolation) -> Mapping[str, object]:
    known = {name: sorted(getattr(suite, name)) for name in ("given", "unwritten", "blanket")}
    return {
        "homework": suite.homework,
        "seed": suite.seed,
        "version": suite.version,
        "hidden": hidden,
        "least": least.value,
        "known": known,
    }


def packed_files(course: Course, lesson: Lesson) -> list[PurePosixPath]:
    """The files of the course that judging this homework takes, relative to the course's folder."""
    own = f"homework/{lesson.folder}/"
    wanted: tuple[str, ...] = (*PACKED, own)
    files = known_files(lesson.root)
    texts = [(lesson.root / path).read_text(encoding="utf-8") for path in files if _is_own_code(path, own)]
    if any("models" in text for text in texts):
        wanted = (*wanted, "models/")
    chosen = (path for path in files if path.as_posix().startswith(wanted))
    return sorted(
        path for path in chosen if not path.as_posix().startswith(LEFT_OUT) and (lesson.root / path).is_file()
    )


def _is_own_code(path: PurePosixPath, own: str) -> bool:
    return path.as_posix().startswith(own) and path.suffix == ".py"


def _add(archive: zipfile.ZipFile, name: str, data: bytes, executable: bool = False) -> None:
    info = entry(name)
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    archive.writestr(info, data, zipfile.ZIP_DEFLATED)


def write_workflow(folder: Path) -> list[Path]:
    """Write FOLDER/github/grade.yml, its collect.sh and README.md -> their paths. Raises OSError."""
    found = []
    for name in ("grade.yml", "collect.sh", "README.md"):
        source = FILES / "github" / name
        target = folder / "github" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(0o755 if name.endswith(".sh") else 0o644)
        found.append(target)
    return found
