"""The archives that a page unpacks: the course as students get it, as far as it runs there, and a network each.

They are made from the files of this course. Stubs are those of homework/stubs.zip, whatever is solved here; hidden
tests, worked solutions and their archive are never among them.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import zipfile
from pathlib import Path, PurePosixPath

from classroom.fixed_zip import zipped
from classroom.grading.release import released_files
from classroom.register import Course
from classroom.site.tree import SiteError
from classroom.stubs import StubError, handed_out

IN_PAGE = (
    r"course\.toml",
    r"kuiper/(?!cli/).*\.(py|txt)",
    r"classroom/\w+\.py",
    r"classroom/(judge|live|gallery|mine|sandbox)/.*\.py",
    r"classroom/grading/(__init__|course_table|errors|records|settings)\.py",
    r"classroom/launcher/(__init__|paths)\.py",
    r"models/__init__\.py",
    r"homework/stubs\.zip",
    r"homework/\w+/(expected\.zip|public\.py|hw\w+\.py)",
    r"lessons/\w+/mistakes\.py",
)
"""Files of the students' copy that a page needs, as patterns."""
MODEL = re.compile(r"models/(\w+)/[^/]+\.(param|bin|npz|txt|json)")
"""Files of a network; the group is its name."""
PACKAGES = {
    "rich": r"rich/(?!.*(markdown|syntax|traceback|progress|prompt|live|_emoji_codes))",
    "ipython": r"IPython/lib/pretty\.py$",
}
"""Pure Python packages of this environment that come along -> which of their files, as a pattern."""


def course_archive(course: Course) -> bytes:
    """course/... and packages/..., compressed. Raises SiteError, GradingError."""
    root = course.lessons[0].root
    wanted = re.compile("|".join(IN_PAGE))
    files = {path: (root / path).read_bytes() for path in released_files(course) if wanted.fullmatch(path.as_posix())}
    for lesson in course.lessons:
        stub = PurePosixPath("homework", lesson.folder, lesson.homework_file)
        if stub in files:
            try:
                files[stub] = handed_out(lesson).encode()
            except StubError:  # the page has no editor then, and what is here may be somebody's answer
                del files[stub]
    content = {f"course/{path}": data for path, data in files.items()}
    for lesson in course.lessons:  # lessons run in their folders
        content.setdefault(f"course/lessons/{lesson.folder}/.folder", b"")
    return zipped(content | _packages(), zipfile.ZIP_DEFLATED)


def model_archives(course: Course) -> dict[str, bytes]:
    """Network -> its files as an archive, course/models/NAME/..."""
    root = course.lessons[0].root
    found: dict[str, dict[str, bytes]] = {}
    for path in released_files(course):
        match = MODEL.fullmatch(path.as_posix())
        if match:
            found.setdefault(match[1], {})[f"course/{path}"] = (root / path).read_bytes()
    return {name: zipped(files, zipfile.ZIP_DEFLATED) for name, files in sorted(found.items())}


def _packages() -> dict[str, bytes]:
    """packages/... : the files of PACKAGES with their licences. Raises SiteError if one is not installed."""
    found: dict[str, bytes] = {}
    for name, pattern in PACKAGES.items():
        try:
            entries = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            raise SiteError(f"a page that runs Python needs {name}, which is not installed here") from None
        for entry in entries:
            path = PurePosixPath(entry.as_posix())
            licence = ".dist-info/" in str(path) and path.name.upper().startswith(("LICENSE", "COPYING"))
            if licence or (re.match(pattern, str(path)) and path.suffix == ".py"):
                found[f"packages/{path}"] = Path(str(entry.locate())).read_bytes()
    return found
