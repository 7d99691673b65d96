"""Notebooks in normal form: run from top to bottom, with the same bytes each time.

A notebook is stored with stable cell ids, execution counts 1, 2, 3, ..., outputs without times, no metadata but the
cells' tags and exercises and what follows from these, and in the regions built from course.toml (lesson_regions.py)
what that says. A cell tagged nbval-ignore-output measures something: its stored output stays until somebody clears it.
A worksheet (homework/*/worksheet.ipynb) is run with the worked solution.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.cells import unless_right
from classroom.dev.build import BuildError, stub_text
from classroom.front.places import lesson_at
from classroom.front.sheets import EXERCISE, questions, settings
from classroom.front.stand_in import Given
from classroom.judge.homework import Homework, HomeworkError
from classroom.lesson_words import HIDDEN, YOURS
from classroom.register import Lesson
from classroom.stubs import WORKSHEET

if TYPE_CHECKING:
    from nbformat import NotebookNode

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS_PER_CELL = 60
MEASURES = "nbval-ignore-output"


class NotebookError(Exception):
    """A notebook cannot be read, or does not run to its end."""


def notebooks(lessons: Iterable[Lesson]) -> list[Path]:
    """The notebooks and worksheets of lessons."""
    folders = [lesson.root / shelf / lesson.folder for lesson in lessons for shelf in ("lessons", "homework")]
    return [path for folder in folders for path in sorted(folder.glob("*.ipynb"))]


def is_worksheet(path: Path) -> bool:
    """Whether the notebook is a homework's worksheet."""
    return path.name == WORKSHEET


def regenerated(path: Path, rewrite: Callable[[str, int], str] | None = None) -> str:
    """The text that the notebook file `path` should have. Raises NotebookError if it does not run.

    rewrite : (source of a Markdown cell, its number) -> the source that it should have; not for worksheets.
    """
    notebook = read_notebook(path)
    for number, cell in enumerate(notebook.cells, 1):
        if rewrite is not None and cell.cell_type == "markdown" and not is_worksheet(path):
            cell.source = rewrite(cell.source, number)
    measured = {cell.id: cell.outputs for cell in notebook.cells if _measures(cell)}
    if is_worksheet(path):
        _answer(notebook, path)
    else:
        _execute(notebook, path)
    for cell in notebook.cells:
        if measured.get(cell.id):
            cell.outputs = measured[cell.id]
    return text(normal(notebook))


def _answer(notebook: NotebookNode, path: Path) -> None:
    """Run a worksheet with the worked solution. Raises NotebookError, also for a question that shows nothing."""
    import nbformat

    lesson = lesson_at(path)
    if lesson is None:
        raise NotebookError(f"{path} is the worksheet of no lesson in course.toml")
    known = {exercise.id for exercise in lesson.exercises}
    for cell in questions(notebook):
        if cell.metadata[EXERCISE] not in known:
            raise NotebookError(f"{path.name}, {cell.id}: {cell.metadata[EXERCISE]} is no exercise of the lesson")
    try:
        homework = Homework(lesson, path.parent)
        stub, solution = stub_text(homework), homework.solution.read_bytes()
    except (HomeworkError, BuildError) as error:
        raise NotebookError(str(error)) from error
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / homework.stub_name
        file.write_bytes(solution)
        given = Given(file.stem, stub, file, SECONDS_PER_CELL, SECONDS_PER_CELL, homework.without)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(given.code))
        _execute(notebook, path)
        del notebook.cells[0]
    for cell in questions(notebook):
        if not cell.outputs:
            raise NotebookError(f"{path.name}, {cell.id}: a question about {cell.metadata[EXERCISE]} shows nothing")


def answers_found_wrong(path: Path) -> list[str]:
    """Run a lesson with each folded answer in the place of what the reader fills in -> what its checks say then.

    Empty if every check finds the answer right. Raises NotebookError if the notebook does not run.
    """
    notebook = read_notebook(path)
    asked = [place for place, cell in enumerate(notebook.cells) if YOURS in cell.metadata.get("tags", [])]
    for place in asked:
        source = notebook.cells[place].source
        checks = _check_of(source)
        answer = notebook.cells[place + 1].source.replace(f"@{unless_right.__name__}\n", "", 1)
        notebook.cells[place].source = f"{source.removesuffix(checks)}\n{answer}\n\n\n{checks}"
    _execute(notebook, path)
    said = ["".join(output.get("text", "") for output in notebook.cells[place].outputs).strip() for place in asked]
    return [sentence for sentence in said if ": right, " not in sentence]


def _check_of(source: str) -> str:
    """The call of `check` with which a cell ends."""
    return str(ast.get_source_segment(source, ast.parse(source).body[-1]))


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook and give each cell a unique id. Raises NotebookError."""
    import nbformat

    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        # before nbformat sees them: it assigns random ids where they are missing
        name_cells(stored["cells"])
        return nbformat.reads(json.dumps({**stored, "nbformat_minor": 5}), as_version=4)
    except Exception as error:
        raise NotebookError(f"{path.name} is no notebook: {type(error).__name__} {error}") from error


def normal(notebook: NotebookNode) -> NotebookNode:
    """The notebook in normal form."""
    notebook.metadata = _node(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count = 0
    for cell in notebook.cells:
        cell.metadata = _node({key: cell.metadata[key] for key in ("tags", EXERCISE) if cell.metadata.get(key)})
        if cell.cell_type != "code":
            continue
        folded = {hidden: True for tag, hidden in HIDDEN.items() if tag in cell.metadata.get("tags", [])}
        if folded:
            cell.metadata["jupyter"] = _node(folded)
        count += 1
        cell.execution_count = count
        cell.outputs = _joined(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    return notebook


def text(notebook: NotebookNode) -> str:
    """The notebook as file text: keys sorted, newline at the end."""
    import nbformat

    return nbformat.writes(notebook, indent=1).rstrip("\n") + "\n"


def text_difference(stored: str, wanted: str, lines: int = 12) -> str:
    """The first lines of the diff of two texts."""
    found = difflib.unified_diff(stored.splitlines(), wanted.splitlines(), "stored", "regenerated", lineterm="", n=1)
    return "\n".join(line[:160] for line, _ in zip(found, range(lines)))


def _measures(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and MEASURES in cell.metadata.get("tags", [])


def _execute(notebook: NotebookNode, path: Path) -> None:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--IPKernelApp.log_level=40"],
    )
    try:
        with settings():
            client.execute()
    except (CellExecutionError, CellControlSignal, DeadKernelError, TimeoutError) as error:
        raise NotebookError(f"{path.name} does not run: {str(error).strip()[-1000:]}") from error


def name_cells(cells: list[dict[str, Any]]) -> None:
    """Keep existing ids, so that a new cell changes no other; a missing or duplicate id becomes cell-NN."""
    taken = {cell.get("id") for cell in cells}
    seen: set[str] = set()
    for place, cell in enumerate(cells):
        if not cell.get("id") or cell["id"] in seen:
            names = (f"cell-{number:02}" for number in itertools.count(place))
            cell["id"] = next(name for name in names if name not in taken | seen)
        seen.add(cell["id"])


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Merge consecutive outputs of the same stream: where they were split is arbitrary."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last is not None and output.output_type == "stream" and last.get("name") == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _node(value: Any) -> NotebookNode:
    import nbformat

    return nbformat.from_dict(value)
