"""`course dev new exercise`: the skeleton of an exercise that is judged at once, with TODO where its author writes.

What it makes is a whole little exercise, of which every part stands where it belongs. Its author replaces the
computation, the rules, the tests and the mutants by others, in four files: course.toml, judge/solution.py, public.py
and judge/NAME.py. Everything else is built.
"""

from __future__ import annotations

import json
import keyword
import re
from pathlib import Path
from typing import Any

from classroom import register
from classroom.dev.notebooks import METADATA, name_cells
from classroom.register import Lesson
from classroom.started import DOCUMENTED

ENTRY = """
[[lesson.exercise]]
id = "{name}"
title = "TODO: what the student makes, in a few words"
points = 2
section = "TODO: the heading in the lesson that it belongs to"
hints = [
  "TODO: a question that leads to the idea",
  "TODO: the approach",
  "TODO: the step, short of the finished code",
]
"""
SOLUTION_HEAD = '''"""Homework {number}: {title}.

Edit this file, then run `{command} check {name}`. You need numpy only.
"""

from __future__ import annotations

import numpy as np
'''
SOLUTION = '''

def {name}(x: np.ndarray, low: float = 0.0) -> np.ndarray:
    """TODO: (...) -> (...): each number, but at least `low`.

    Parameters
    ----------
    x : any shape, of any real numbers.

    Rules
    -----
    values : a number below `low` becomes `low`, every other one stays.
    default : `low` is 0 unless said.
    dtype : the result has the dtype of `x`.

    >>> {name}(np.array([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    # <solution {name}>
    return np.maximum(x, low).astype(x.dtype)
    # </solution>
'''
PUBLIC_HEAD = '''"""Public tests of lesson {number}."""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Student, expect, task
'''
PUBLIC = '''

@task("{name}", "values")
def {name}_of_three_numbers(student: Student) -> None:
    """TODO: -3, 1 and 5, at least 2, become 2, 2 and 5."""
    expect(student.{name}(np.array([-3.0, 1.0, 5.0]), 2.0), np.array([2.0, 2.0, 5.0]))


@task("{name}", "values", "default")
def {name}_without_a_bound(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """TODO: random numbers, with nothing said, are at least 0."""
    x = np.append(rng.standard_normal(6), [-0.5, 0.5])
    expect(student.{name}(x), oracle.{name}(x, 0.0), mistakes=oracle.{name}_mistakes(x, 0.0))


@task("{name}", "values", "dtype")
def {name}_keeps_the_dtype(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """TODO: float32 stays float32."""
    x = np.append(rng.standard_normal(6), [0.5, 2.0]).astype(np.float32)
    expect(student.{name}(x, 1.0), oracle.{name}(x, 1.0), mistakes=oracle.{name}_mistakes(x, 1.0))
'''
JUDGED = '''"""TODO: Why the solution is as it is.

TODO: the idea, the typical mistakes, what it costs. `reveal` shows this below the solution.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task


def {name}(x: np.ndarray, low: float) -> np.ndarray:
    """TODO: what is right, in another way than the solution's."""
    return np.where(x < low, low, x).astype(x.dtype)


def {name}_mistakes(x: np.ndarray, low: float) -> dict[str, np.ndarray]:
    """Likely cause -> what comes of it."""
    return {{
        "TODO: the smaller of the two was taken: take the larger": np.minimum(x, low).astype(x.dtype),
        "TODO: the sign was dropped: numbers below `low` become `low`": np.abs(x),
        "TODO: the numbers became float64: keep the dtype of x": np.where(x < low, low, x).astype(np.float64),
    }}


@task("{name}")
def larger_arrays(student: Student, rng: np.random.Generator) -> None:
    """TODO: larger arrays of other shapes and types."""
    for dtype in (np.float64, np.float32, np.int64):
        x = rng.integers(-9, 10, (3, 4, 5)).astype(dtype)
        expect(student.{name}(x, 1.0), {name}(x, 1.0), what=f"{name} of {{x.dtype}}")
    x = rng.standard_normal((40, 3))
    expect(student.{name}(x), {name}(x, 0.0))


RETURN = "    return np.maximum(x, low).astype(x.dtype)\\n"

MUTANTS = [
    Mutant("smaller", "TODO: at most", RETURN, "    return np.minimum(x, low).astype(x.dtype)\\n", "values"),
    Mutant("sign", "TODO: the sign dropped", RETURN, "    return np.abs(x)\\n", "values"),
    Mutant("zeros", "TODO: 0 for low", RETURN, "    return np.where(x < low, 0, x).astype(x.dtype)\\n", "values"),
    Mutant("minus_one", "TODO: another default", "low: float = 0.0", "low: float = -1.0", "default"),
    Mutant("dtype", "TODO: the type of the larger", RETURN, "    return np.maximum(x, np.float64(low))\\n", "dtype"),
    Mutant("list", "TODO: a list", RETURN, "    return np.maximum(x, low).tolist()\\n"),
    Mutant("largest", "TODO: one number", RETURN, "    return np.max(x, initial=low)\\n"),
    Mutant("whole", "TODO: whole numbers", RETURN, "    return np.maximum(x, low).astype(np.int64)\\n"),
]
'''
README = """# Homework {number}: {title}

TODO: what is written here, and why.

<!-- tasks -->
<!-- /tasks -->

## Check

```
{command} check {name}
```
"""
FIRST_CELL = (
    "# Worksheet {number}: {title}\n\nA place to try your functions in `{file}`, which lies beside this notebook."
)
LOADER = """import importlib

import {module} as homework
import numpy as np


def mine(name, *arguments):
    \"\"\"Call one of your functions, as it is saved now; before it is written, say so.\"\"\"
    try:
        return getattr(importlib.reload(homework), name)(*arguments)
    except NotImplementedError as todo:
        print(todo)"""

EXAMPLES = """import doctest

importlib.reload(homework)
doctest.run_docstring_examples(homework.{name}, vars(homework), name="{name}", verbose=True)"""
"""A question for any function: its docstring's examples are what it is asked and what comes out."""


class NewExerciseError(Exception):
    """An exercise of that name cannot be made."""


def new_exercise(root: Path, name: str, number: int) -> list[Path]:
    """Make the skeleton of the exercise `name` in lesson `number` -> the files that were written.

    Raises NewExerciseError if the name is no function's name or is taken; RegisterError, OSError.
    """
    course = register.load(root)
    lesson = course.lesson(number)
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name) or name in ("solution", "shared"):
        raise NewExerciseError(f"expected a function's name such as scaled_sum, found {name!r}")
    if any(name == one.id for other in course.lessons for one in other.exercises):
        raise NewExerciseError(f"course.toml has an exercise {name} already: take another name")
    folder = root / "homework" / lesson.folder
    file = lesson.homework_file or f"hw{number:02}_{lesson.folder.split('_', 1)[-1]}.py"
    said = {"name": name, "number": number, "title": lesson.title, "command": DOCUMENTED, "file": file}
    if (folder / "judge" / f"{name}.py").exists():
        raise NewExerciseError(f"homework/{lesson.folder}/judge/{name}.py is there already")
    (folder / "judge").mkdir(parents=True, exist_ok=True)
    written = [_registered(root / "course.toml", lesson, name, file)]
    written.append(_appended(folder / "judge" / "solution.py", SOLUTION_HEAD, SOLUTION, said))
    written.append(_appended(folder / "public.py", PUBLIC_HEAD, PUBLIC, said))
    written.append(_appended(folder / "judge" / f"{name}.py", JUDGED, "", said))
    if not (folder / "README.md").exists():
        written.append(_appended(folder / "README.md", README, "", said))
    written.append(_tried(folder / "worksheet.ipynb", said, len(lesson.exercises) + 1))
    return written


def _registered(path: Path, lesson: Lesson, name: str, file: str) -> Path:
    """course.toml with the exercise after the lesson's last one, and everything else as it was."""
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    begins = [found.start() for found in re.finditer(r"(?m)^\[\[lesson\]\]", text)]
    start, end = [*begins, len(text)][lesson.number - 1 : lesson.number + 1]
    block = text[start:end].rstrip("\n") + "\n"
    if not lesson.homework_file:
        head = re.search(r"(?m)^folder = .*\n", block)
        at = head.end() if head else len(block)
        block = f'{block[:at]}homework = "{file}"\n{block[at:]}'
    block += ENTRY.format(name=name)
    path.write_text(text[:start] + block + ("\n" if text[end:] else "") + text[end:], encoding="utf-8", newline="\n")
    return path


def _appended(path: Path, head: str, text: str, said: dict[str, Any]) -> Path:
    before = path.read_text(encoding="utf-8").rstrip("\n") + "\n" if path.exists() else head.format(**said)
    path.write_text(before + text.format(**said), encoding="utf-8", newline="\n")
    return path


def _tried(path: Path, said: dict[str, Any], place: int) -> Path:
    """The worksheet with a heading and a cell for the exercise at its end."""
    name = said["name"]
    if path.exists():
        book = json.loads(path.read_text(encoding="utf-8"))
    else:
        module = said["file"].removesuffix(".py")
        cells = [_cell("markdown", FIRST_CELL.format(**said)), _cell("code", LOADER.format(module=module))]
        book = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    heading = _cell("markdown", f"## Task {said['number']}.{place}: {name}\n\nThe examples of its docstring, tried.")
    book["cells"] += [heading, _cell("code", EXAMPLES.format(**said), exercise=name)]
    name_cells(book["cells"])
    path.write_text(
        json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8", newline="\n"
    )
    return path


def _cell(kind: str, source: str, **metadata: str) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": metadata, "source": source.splitlines(keepends=True), **more}
