"""The sections that a failed test sends its reader to are there."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from classroom import explain, register
from classroom.check import Result, State
from classroom.dev.soundness import find_homeworks
from classroom.judge import Failure, Outcome
from classroom.judge.homework import Homework, HomeworkError, public_tests
from classroom.tasks import tasks_of

try:
    HOMEWORKS = find_homeworks(register.ROOT)
except HomeworkError:
    HOMEWORKS = []


@pytest.mark.slow
@pytest.mark.parametrize("homework", [pytest.param(one, id=one.folder.name) for one in HOMEWORKS])
def test_a_section_to_read_again_is_a_heading_of_the_lesson(homework: Homework) -> None:
    notebook = homework.lesson.notebook()
    assert notebook is not None
    named = {test.section for test in homework.public if test.section} | named_by_causes(homework)
    there = headings_of(notebook)
    for section in named - there:
        other = explain.ELSEWHERE.fullmatch(section)
        assert other, f"{section} is no heading of {notebook.name}"
        elsewhere = register.load().lesson(int(other[1])).notebook()
        assert elsewhere is not None
        assert other[2] in headings_of(elsewhere), f"{other[2]} is no heading of {elsewhere.name}"


def headings_of(notebook: Path) -> set[str]:
    """The headings of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return {line.strip("# \n") for cell in cells for line in cell["source"] if line.startswith("#")}


def named_by_causes(homework: Homework) -> set[str]:
    """The sections that likely causes of the homework's tests and judges name."""
    files = [homework.folder / "public.py", *(homework.folder / "judge").glob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_bytes()))]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {section for text in texts for section in explain.SECTION.findall(" " + text)}


@pytest.mark.parametrize(
    ("cause", "section", "told"),
    [
        (
            'the list is the wrong way round (section "Depth first").',
            "Depth first",
            "the list is the wrong way round.\n",
        ),
        ("the list is the wrong way round.", "Of the test", "the list is the wrong way round.\n"),
        (None, "Of the test", ""),
    ],
)
def test_the_likely_cause_decides_what_to_read_again(cause: str | None, section: str, told: str) -> None:
    failure = Failure("wrong", 1, 2)
    failure.cause = cause
    task = tasks_of(register.load().lesson(1))[0]
    outcome = Outcome(replace(public_tests(task.file.parent)[0], section="Of the test"), failure)
    report = explain.report(Result(task, State.FAILED, (outcome,)))
    assert f'read again  lesson 1, "{section}"' in report
    assert ("likely why  " + told in report) == bool(cause)


@pytest.mark.parametrize("cause", [None, 'keys are turned, too (section "lesson 13, Where does a token stand?").'])
def test_a_section_may_be_one_of_another_lesson(cause: str | None) -> None:
    failure = Failure("wrong", 1, 2)
    failure.cause = cause
    task = tasks_of(register.load().lesson(15))[0]
    outcome = Outcome(replace(public_tests(task.file.parent)[0], section="lesson 13, Attention"), failure)
    report = explain.report(Result(task, State.FAILED, (outcome,)))
    heading = "Where does a token stand?" if cause else "Attention"
    assert f'read again  lesson 13, "{heading}"' in report
