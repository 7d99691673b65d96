"""Which homework a file belongs to: by its name if possible, else by the functions that it defines."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from classroom.grading import notebook
from classroom.grading.intake.archives import Found
from classroom.grading.source_text import decoded
from classroom.register import Lesson
from classroom.stubs import StubError, blocks, names_of, pristine
from classroom.tasks import HomeworkTask

WORKSHEET = "worksheet.ipynb"
PYTHON = (".py", ".pyw", ".txt")
NOTEBOOK = ".ipynb"
FOLDERS = ("kuiper", "classroom", "lessons", "homework", "tests", "benchmarks", "models", "docs", "requirements")
"""What students get of the course; anything else beside it, such as submissions, is not the course's."""
ANYWHERE = ("course.py", "conftest.py", "public.py", "stubs.zip", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Files of the course, in whatever folder they lie."""
_ENDINGS = re.compile(r"(?:\.(?:pyw?|txt|ipynb))+$", re.I)
_NUMBER = re.compile(r"(?<![^\W\d_])(?:hw|homework|lesson|assignment)[ _.-]*0*(\d{1,3})(?!\d)", re.I)
_SHEET = re.compile(r"worksheet[ _]?0*(\d{1,3})(?!\d)", re.I)
"""Asked last: `worksheet-1` and `worksheet (1)` are what a browser or a course system makes of a second one."""
_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*=[ \t]*lambda\b", re.M)


class Recogniser:
    """Recognises the homework files of some lessons, and the course's own files.

    Parameters
    ----------
    lessons : all lessons whose homework may be handed in, whether graded in this run or not.
    """

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.lessons = [lesson for lesson in lessons if lesson.homework_file]
        self._names = {lesson.folder: _names(lesson) for lesson in self.lessons}
        self._numbered = {lesson.number: lesson for lesson in self.lessons}
        self._asked = {lesson.folder: _asked(lesson) for lesson in self.lessons}
        for lesson in self.lessons:
            self._asked[lesson.folder] -= {
                name for other in self.lessons if other is not lesson for name in _all_names(other)
            }
        self._own = set[tuple[str, str]]().union(*(own_files(root) for root in {one.root for one in self.lessons}))

    def named(self, name: str) -> Lesson | None:
        """The lesson that a file name refers to, such as hw1.py, homework-1_final.py or 01_first_tests."""
        stem = unicodedata.normalize("NFKC", _ENDINGS.sub("", name))
        plain = _plain(stem)
        found = {
            one.folder for one in self.lessons for called in self._names[one.folder] if f"_{called}_" in f"_{plain}_"
        }
        numbers = {int(number) for number in _NUMBER.findall(stem)}
        found |= {self._numbered[number].folder for number in numbers if number in self._numbered}
        if len(found) != 1 or len(numbers) > 1:
            return None
        return next(lesson for lesson in self.lessons if lesson.folder in found)

    def defining(self, text: str) -> list[Lesson]:
        """The lessons with exercises for which the text defines functions."""
        names = defined(text)
        return [lesson for lesson in self.lessons if names & self._asked[lesson.folder]]

    def asked_of(self, lesson: Lesson) -> frozenset[str]:
        """The functions that this homework asks for and no other does."""
        return frozenset(self._asked[lesson.folder])

    def is_the_course_s(self, path: Sequence[str]) -> bool:
        """Whether the path is that of a course file that is handed out and not meant to be edited."""
        folder, name = path[-2] if len(path) > 1 else "", path[-1]
        notebook_s = self._is_a_lesson_s(name) and name == f"{folder}{NOTEBOOK}"
        return notebook_s or (folder, name) in self._own or ("", name) in self._own

    def claims(self, found: Found) -> list[Lesson]:
        """The lessons whose homework a file could be: one if it is clear, none if there is no evidence.

        If the name and the functions disagree, both are returned.
        """
        is_notebook = found.name.lower().endswith(NOTEBOOK)
        text = notebook.code_of(found.data) if is_notebook else decoded(found.data)
        by_name, by_content = self._by_name(found, is_notebook), self.defining(text)
        if by_name is not None:
            return [by_name] if not by_content or by_name in by_content else [by_name, *by_content]
        if len(by_content) > 1:
            by_folder = [lesson for lesson in by_content for part in found.path[:-1] if self.named(part) is lesson]
            return by_folder if len(by_folder) == 1 else by_content
        return by_content

    def _by_name(self, found: Found, is_notebook: bool) -> Lesson | None:
        """The lesson by file name; for a worksheet also by the folders above, its heading, and its number."""
        if not is_notebook:
            return self.named(found.name)
        if not self._is_a_lesson_s(found.name) and (lesson := self.named(found.name)):
            return lesson
        folders = found.path[:-1] if found.name.lower().startswith("worksheet") else ()
        by_folder = next((lesson for part in reversed(folders) if (lesson := self.named(part))), None)
        number = _SHEET.search(found.name)
        inside = notebook.lesson_number(found.data) or (int(number[1]) if number else 0)
        return by_folder or self._numbered.get(inside)

    def _is_a_lesson_s(self, name: str) -> bool:
        return any(name == f"{lesson.folder}{NOTEBOOK}" for lesson in self.lessons)


def defined(text: str) -> set[str]:
    """The top-level functions and classes of a text, even if it is not valid Python.

    >>> sorted(defined("def f(x):\\n    def g(): pass\\nclass C: pass\\nh = lambda x: x\\n"))
    ['C', 'f', 'h']
    """
    return {first or second for first, second in _DEFINED.findall(text)}


@cache
def own_files(root: Path) -> frozenset[tuple[str, str]]:
    """(folder, name) of the course's files that are handed out and not edited; ("", name): in any folder."""
    found = {("", name) for name in ANYWHERE}
    for top in FOLDERS:
        for folder, _, names in os.walk(root / top):
            found |= {(Path(folder).name, name) for name in names}
    return frozenset(found)


def stub_of_lesson(lesson: Lesson) -> str:
    """The original homework file, "" if there is none."""
    try:
        return pristine(HomeworkTask(lesson, lesson.exercises[0], f"{lesson.number}.1"))
    except StubError:
        stub = lesson.stub()
        return stub.read_text(encoding="utf-8", errors="replace") if stub else ""


def _asked(lesson: Lesson) -> set[str]:
    stub = stub_of_lesson(lesson)
    return {name for exercise in lesson.exercises for name in names_of(stub, exercise.id)}


def _all_names(lesson: Lesson) -> Iterable[str]:
    return blocks(stub_of_lesson(lesson))


def _plain(name: str) -> str:
    """The name in lower case with "_" between words."""
    return re.sub(r"[\W_]+", "_", name.lower())


def _names(lesson: Lesson) -> tuple[str, str]:
    return _plain(lesson.homework_file.removesuffix(".py")), _plain(lesson.folder)
