"""Build the site: fill a folder with pages, and run Sphinx on them."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from classroom.grading.errors import GradingError
from classroom.grading.release import edited_stubs, write_release
from classroom.register import Course
from classroom.site import (
    math_font,
    pages_api,
    pages_docs,
    pages_front,
    pages_homework,
    pages_lessons,
    pages_operators,
    progress,
    viewer,
)
from classroom.site.live.build import write_live
from classroom.site.live.runtime import verified
from classroom.site.tree import SiteError, Tree, has_exercises, homework_page, lesson_page
from classroom.site.viewer.stored import stored_scripts

MARK = ".course-site"
"""A file that marks a folder as a generated site, which may be replaced."""


@dataclass(frozen=True)
class Built:
    """A built site: its front page, warnings, why course.zip is missing ("" if it is not), and homework solved here.

    In course.zip, solved homework is replaced by the original stubs.
    """

    front: Path
    warnings: tuple[str, ...]
    without_course: str
    solved: tuple[str, ...]


def build(
    course: Course,
    out: Path,
    course_zip: bool = True,
    live: Path | None = None,
    instead: Mapping[str, str] | None = None,
) -> Built:
    """Write the site of a course to a folder, replacing an existing site.

    live : a folder with Pyodide's files, which the site then has in it; instead : see live.runtime.verified.

    Raises SiteError if something else is in the folder, or a page has a dead link; OSError.
    """
    if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
        raise SiteError(f"{out}: expected an empty folder or a site made by this command")
    if live is not None:
        verified(live, instead)  # before the pages are built, which takes long
    with tempfile.TemporaryDirectory(prefix="course-site-") as name:
        work = Path(name)
        trouble = _release(course, work) if course_zip else "it was not asked for"
        tree = fill(course, work / "pages", 0 if trouble else (work / "course.zip").stat().st_size)
        warnings = [*tree.warnings, *_sphinx(tree, work)]
        if not trouble:
            target = work / "html" / pages_front.DOWNLOAD
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / "course.zip", target)
        write_live(course, work / "html", live, instead)
        shutil.rmtree(work / "html" / "_sources", ignore_errors=True)  # Sphinx creates it, empty
        (work / "html" / MARK).write_text("`course site` made this folder and may replace it.\n")
        if out.exists():
            shutil.rmtree(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "html", out)
    solved = [] if trouble else [path.name for path in edited_stubs(course)]
    return Built(out / "index.html", tuple(warnings), trouble, tuple(solved))


def fill(course: Course, folder: Path, download: int = 0) -> Tree:
    """Write all pages of the course to a folder, for Sphinx; `download` : size of course.zip in bytes, or 0."""
    tree = Tree(course, folder)
    tree.pages.update(pages_of(tree))
    pages_lessons.write_lessons(tree)
    pages_homework.write_homework(tree)
    pages_docs.write_docs(tree, pages_front.menu_pages(tree))
    pages_operators.write_operators(tree)
    pages_api.write_api(tree)
    pages_front.write_front(tree, download)
    tree.write(math_font.FILE, math_font.stylesheet())
    tree.write(progress.REGISTER, progress.register_script(course))
    tree.write(viewer.FAMILIES, viewer.families_script())
    for file, script in stored_scripts().items():
        tree.add(file, script.encode())
    return tree


def pages_of(tree: Tree) -> dict[PurePosixPath, PurePosixPath]:
    """File or folder of the course -> its page; pages without a file map to themselves."""
    pages = {file: file for file in pages_docs.markdown_files(tree)}
    for one in (
        "first_steps.md",
        str(viewer.PAGE),
        "lessons/index.md",
        "homework/index.md",
        "api/index.md",
        *pages_docs.SECTIONS,
    ):
        pages[PurePosixPath(one)] = PurePosixPath(one)
    pages[PurePosixPath("README.md")] = pages_front.INDEX
    for folder in ("lessons", "homework"):
        pages[PurePosixPath(folder)] = pages[PurePosixPath(folder, "index.md")]
    pages[PurePosixPath("lessons/README.md")] = pages[PurePosixPath("lessons")]
    if tree.shown(pages_operators.FILE):
        pages[pages_operators.FILE] = pages_operators.FILE
    for lesson in tree.course.lessons:
        page = lesson_page(lesson)
        pages[page] = pages[page.parent] = pages[page.parent / f"{lesson.folder}.ipynb"] = page
        if has_exercises(lesson):
            page = homework_page(lesson)
            pages[page] = pages[page.parent] = page
            pages[page.with_name("worksheet.ipynb")] = page.with_name("worksheet.ipynb")
    for module in pages_api.modules(tree):
        page = pages_api.api_page(module)
        pages[page] = page
        if pages_api.is_package(module, tree):
            pages.setdefault(PurePosixPath(*module.split(".")), page)
    for readme in [one for one in pages if one.name == "README.md" and one.parts[0] in ("models", "benchmarks")]:
        pages.setdefault(readme.parent, readme)
    return pages


def _release(course: Course, work: Path) -> str:
    """Write work/course.zip, the students' copy -> "" or why that failed."""
    try:
        write_release(course, work, solved=True)
    except GradingError as error:
        return str(error)
    return ""


def _sphinx(tree: Tree, work: Path) -> list[str]:
    """Run Sphinx on the tree, into work/html -> its warnings, one line each."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    from classroom.site.sphinx_settings import settings

    warnings = io.StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=tree.folder,
            confdir=None,
            outdir=work / "html",
            doctreedir=work / "doctrees",
            buildername="html",
            confoverrides=settings(tree),
            status=None,
            warning=warnings,
        )
        app.build()
    return plain_warnings(warnings.getvalue(), tree.folder)


def plain_warnings(text: str, folder: PurePath) -> list[str]:
    """Sphinx's output lines without colours, and with paths relative to the folder.

    >>> plain_warnings("/tmp/x/pages/index.md:3: no such page\\n", PurePosixPath("/tmp/x/pages"))
    ['index.md:3: no such page']
    """
    text = re.sub("\x1b\\[[0-9;]*m", "", text)
    text = re.sub(re.escape(str(folder)) + r"[\\/]", "", text)
    return [line for line in text.splitlines() if line.strip()]
