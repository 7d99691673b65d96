"""Texts of answers for the page: a typical wrong one beside the worked solution, and whole files of a cluster.

What a student wrote is read as text, and never run.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

from classroom.grading.report.causes import Cause
from classroom.grading.safe import truncated
from classroom.grading.similarity import source
from classroom.grading.source_tokens import code
from classroom.grading.store import Store
from classroom.marked import without_marks
from classroom.register import Course, Lesson
from classroom.stubs import StubError, blocks_at_margin, definitions_text, handed_out, names_of, readable

TRIED = 5
"""Students of a cause whose answers are looked at."""
MOST = 3000
"""Maximum characters of an answer."""
MOST_OF_FILE = 40_000
"""Maximum characters of a file of a cluster."""


class Answers:
    """The texts of a class's answers, read from the store."""

    def __init__(self, store: Store, course: Course) -> None:
        self._store = store
        self._lessons = {lesson.folder: lesson for lesson in course.lessons}
        self._digests = {
            (student, homework): digest
            for student, homework, digest in store.base.execute("SELECT student, homework, digest FROM submissions")
        }

    def solution(self, homework: str, exercise: str) -> str:
        """The worked solution of an exercise; "" if there is none here."""
        lesson = self._lessons.get(homework)
        return _definitions(_solution(lesson), _names(lesson, exercise)) if lesson else ""

    def typical(self, cause: Cause) -> str:
        """The answer that is commonest among some students with this cause, names and layout aside; "" if none is read.

        Of several the shortest. Whose it is, is not told. One that reads like the worked solution shows nothing: what
        it calls is wrong.
        """
        lesson = self._lessons.get(cause.homework)
        names = _names(lesson, cause.exercise) if lesson else ()
        alike = defaultdict[tuple[str, ...], list[str]](list)
        solved = _tokens(self.solution(cause.homework, cause.exercise))
        step = max(1, len(cause.students) // TRIED)
        for student in cause.students[::step][:TRIED]:
            text = _definitions(self.whole(student, cause.homework), names)
            if text and (tokens := _tokens(text)) != solved:
                alike[tokens].append(text)
        if not alike:
            return ""
        count = Counter({tokens: len(texts) for tokens, texts in alike.items()})
        best = min(alike, key=lambda tokens: (-count[tokens], len(tokens), tokens))
        return min(alike[best], key=lambda text: (len(text), text))

    def whole(self, student: str, homework: str) -> str:
        """Everything that the similarity check compared of a submission, as text."""
        digest = self._digests.get((student, homework))
        one = self._store.get(digest) if digest else None
        return truncated("\n".join(source(one)[0]), MOST_OF_FILE) if one else ""


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token.text for token in code(text).tokens)


def _definitions(text: str, names: Sequence[str]) -> str:
    """The named functions of a text, valid Python or not; of valid ones without the docstrings, which were given."""
    if not text or not names:
        return ""
    if readable(text):
        return truncated(without_docstrings(definitions_text(text, names)).strip("\n"), MOST)
    lines, found = text.splitlines(), []
    for name, (first, last) in blocks_at_margin(text).items():
        if name in names:
            found.append("\n".join(lines[first - 1 : last]))
    return truncated("\n\n".join(found).strip("\n"), MOST)


def without_docstrings(text: str) -> str:
    """Python without the docstrings of its functions and classes, unless nothing else is in them or it is not valid.

    >>> print(without_docstrings('def f():\\n    "What it does."\\n    return 1'))
    def f():
        return 1
    """
    if not readable(text):
        return text
    lines: list[str | None] = list(text.split("\n"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds) and len(node.body) > 1 and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno or 0
            if node.lineno < first and last < node.body[1].lineno:
                lines[first - 1 : last] = [None] * (last - first + 1)
    return "\n".join(line for line in lines if line is not None)


@cache
def _names(lesson: Lesson, exercise: str) -> tuple[str, ...]:
    try:
        return tuple(names_of(handed_out(lesson), exercise))
    except (StubError, SyntaxError, ValueError):
        return ()


@cache
def _solution(lesson: Lesson) -> str:
    path = lesson.root / "homework" / lesson.folder / "judge" / "solution.py"
    try:
        return without_marks(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""
