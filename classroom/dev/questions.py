"""Whether the questions of a worksheet ask for work: right answers pass them, and answers without work none."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from classroom.dev.notebooks import NotebookError, read_notebook
from classroom.front.asked import Answer, SheetFault, answers
from classroom.front.sheets import EXERCISE, questions
from classroom.front.stand_in import Given
from classroom.judge.blanket import BLANKET_LINES, blanket
from classroom.judge.homework import Homework
from classroom.started import DOCUMENTED
from classroom.stubs import WORKSHEET
from classroom.tasks import tasks_of

SECONDS = 30.0
WITHOUT_WORK = ("raise ValueError('no')", "return first", "return None")
"""The trivial answers that are tried here; a kernel for each of all of them would take minutes."""


def ask(homework: Homework, text: str) -> list[Answer]:
    """The answers of a homework file to the worksheet in the folder. Raises NotebookError, SheetFault."""
    from classroom.front.cells import Sheet

    notebook = read_notebook(homework.folder / WORKSHEET)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / homework.stub_name
        file.write_text(text, encoding="utf-8")
        stub = homework.stub.read_text(encoding="utf-8")
        given = Given(file.stem, stub, file, SECONDS, SECONDS, homework.without)
        tasks = {task.id: task for task in tasks_of(homework.lesson)}
        return answers(Sheet(notebook, homework.folder, lambda: given, tasks), 2 * SECONDS)


def problems(homework: Homework) -> Iterator[str]:
    """A sentence for each question that right answers fail, or that is passed without any work."""
    sheet = homework.folder / WORKSHEET
    if not sheet.is_file():
        return
    try:
        cells = questions(read_notebook(sheet))
        mend = f"`{DOCUMENTED} dev notebooks {homework.lesson.number}`"
        if any(cell.execution_count is None or not cell.outputs for cell in cells):
            yield f"{WORKSHEET} has a question without its output: {mend} runs it"
            return
        asked = {cell.metadata[EXERCISE] for cell in cells}
        for exercise in homework.exercises:
            if exercise.id not in asked:
                yield f"{WORKSHEET}: no cell has the metadata {{{EXERCISE!r}: {exercise.id!r}}}"
        if not asked:
            return
        for answer in ask(homework, homework.solution.read_text(encoding="utf-8")):
            if not answer.passed and answer.difference is not None:
                happened = answer.difference.happened
                yield f"{WORKSHEET}, {answer.name}: the solution fails, {happened}: {mend} stores what it gives now"
        stub = homework.stub.read_text(encoding="utf-8")
        idle = {"the stub": stub} | {f"`{line}`": _chosen(stub, line) for line in WITHOUT_WORK}
        for name, text in idle.items():
            for answer in ask(homework, text):
                if answer.passed:
                    yield f"{WORKSHEET}, {answer.name}: {name} passes, so it asks nothing about {answer.exercise}"
    except (NotebookError, SheetFault) as error:
        yield f"{WORKSHEET}: {error}"


def _chosen(stub: str, line: str) -> str:
    return blanket(stub).replace("\n_blanket = 0\n", f"\n_blanket = {BLANKET_LINES.index(line)}\n")
