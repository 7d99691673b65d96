"""The folder of pages for Sphinx, and which page each file of the course has."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from classroom.grading.release import is_kept_back
from classroom.register import Course, Lesson

SOURCES = PurePosixPath("source")
"""Folder of the site with the source pages."""
EXTRA = "extra"
"""Folder among the pages with files that go to the site as they are."""


class SiteError(Exception):
    """The site cannot be built; the message says what was expected and what was found."""


@dataclass
class Tree:
    """The folder of pages. Keys of `pages` are paths in the course's folder, values are paths in `folder`.

    `pages` : file or folder of the course -> its page. `sources` : files and folders without a page that pages link to;
    their source is shown. `warnings` : defects that a reader would notice, although the site can be built.
    """

    course: Course
    folder: Path
    pages: dict[PurePosixPath, PurePosixPath] = field(default_factory=dict)
    sources: set[PurePosixPath] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The course's folder."""
        return self.course.lessons[0].root

    def write(self, page: PurePosixPath, text: str) -> None:
        """Write a page."""
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")

    def add(self, file: PurePosixPath, content: bytes) -> None:
        """Add a file that is no page to the site."""
        path = self.folder / EXTRA / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def copy(self, path: PurePosixPath, to: PurePosixPath | None = None) -> None:
        """Copy a file of the course to the same path among the pages, or to `to`."""
        target = self.folder / (to or path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / path, target)

    def shown(self, path: PurePosixPath) -> bool:
        """Whether a file or folder may be on the site: it exists, and students get it."""
        judged = path.parts[:1] == ("homework",) and "judge" in path.parts
        return (self.root / path).exists() and not is_kept_back(path) and not judged

    def source(self, path: PurePosixPath) -> PurePosixPath:
        """The page that shows the source of a file or folder; it will be generated."""
        if not self.shown(path):
            raise SiteError(f"{path}: expected a file or folder that students get")
        self.sources.add(path)
        if (self.root / path).is_dir():
            self.sources |= {one for one in children(self.root, path) if self.shown(one)}
        return SOURCES / f"{path}.html"


def children(root: Path, folder: PurePosixPath) -> list[PurePosixPath]:
    """The text files of a folder, as paths in the course, sorted, without generated files."""
    names = sorted(path.name for path in (root / folder).iterdir() if path.is_file())
    return [folder / name for name in names if not name.startswith(".") and name.endswith((".py", ".md", ".toml"))]


def way(page: PurePosixPath, target: PurePosixPath) -> str:
    """The relative link from a page to a target.

    >>> way(PurePosixPath("lessons/01_first_tests/01.ipynb"), PurePosixPath("api/kuiper.tensor.rst"))
    '../../api/kuiper.tensor.rst'
    """
    return PurePosixPath(os.path.relpath(target, page.parent)).as_posix()


def lesson_page(lesson: Lesson) -> PurePosixPath:
    """The page of a lesson: its notebook, or a placeholder."""
    notebook = lesson.notebook()
    return PurePosixPath("lessons") / lesson.folder / (notebook.name if notebook else "index.md")


def homework_page(lesson: Lesson) -> PurePosixPath:
    """The page with a lesson's exercises."""
    return PurePosixPath("homework") / lesson.folder / "README.md"


def has_exercises(lesson: Lesson) -> bool:
    """Whether a lesson has exercises that exist already."""
    return lesson.stub() is not None and bool(lesson.exercises)
