"""The sections that a failed test sends its reader to are there."""

from __future__ import annotations

import json

import pytest

from classroom import register
from classroom.dev.soundness import find_homeworks
from classroom.judge.homework import Homework, HomeworkError

try:
    HOMEWORKS = find_homeworks(register.ROOT)
except HomeworkError:
    HOMEWORKS = []


@pytest.mark.parametrize("homework", [pytest.param(one, id=one.folder.name) for one in HOMEWORKS])
def test_a_section_to_read_again_is_a_heading_of_the_lesson(homework: Homework) -> None:
    notebook = homework.lesson.notebook()
    assert notebook is not None
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    headings = {line.strip("# \n") for cell in cells for line in cell["source"] if line.startswith("#")}
    assert {test.section for test in homework.public if test.section} <= headings
