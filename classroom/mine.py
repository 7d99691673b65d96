"""`demo --mine`: the network of digits with the student's solved exercises in the engine.

It runs in a process of its own with a time limit. When a result is wrong, each exercise is plugged in alone to find
the one that is to blame.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from classroom import demo, explain
from classroom.check import State, check, keep
from classroom.cli.base import show
from classroom.page import paragraph, say, styled
from classroom.plugs import PLUGS
from classroom.progress import Progress
from classroom.register import Course
from classroom.status import states_of
from classroom.tasks import Task, all_tasks

WORKER = Path(__file__).with_name("mine_worker.py")
SECONDS, SECONDS_ALONE = 60.0, 20.0
"""Time limits of the network with all exercises, and with one of them."""


@dataclass(frozen=True)
class Run:
    """What came of the network with some exercises plugged in; see mine_worker.answer."""

    error: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    reading: dict[str, Any] | None = None
    departure: dict[str, Any] | None = None
    calls: dict[str, int] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether everything was plugged in, and every layer gave what the reference gives."""
        return not self.error and not self.errors and self.departure is None and self.reading is not None


def run(tasks: Sequence[Task], seconds: float = SECONDS) -> Run:
    """The network with the code of these tasks, in a process of its own."""
    request = {
        "model": str(demo.MODEL),
        "held_out": str(demo.HELD_OUT),
        "plugs": [[task.id, str(task.file)] for task in tasks],
    }
    command = [sys.executable, "-P", str(WORKER), json.dumps(request)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=environment,
            check=False,
        )
        return Run(**json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return Run(error=f"no result within {seconds:g} s: is there a loop that never ends, or one that is very slow?")
    except (ValueError, TypeError):
        return Run(error=f"the process ended by itself (exit code {done.returncode}): does the code call exit?")


def show_mine(course: Course, progress: Progress, also: Sequence[Task]) -> int:
    """Run the network with what is solved (and `also`) and print what came of it. Returns the exit code."""
    solved = solved_tasks(course, progress)
    useless = [task.id for task in also if task.id not in PLUGS]
    wanted = [task for task in all_tasks(course) if task in (*solved, *also) and task.id in PLUGS]
    result = run(wanted)
    say(styled("A network reads handwritten digits, with your code in it", "bold"))
    say()
    if result.reading is not None:
        reading = reading_of(result.reading)
        say(demo.pictures(reading))
        say()
        say(demo.numbers(reading))
        say()
    show(table(course, wanted, result))
    others = [task.id for task in solved if task.id not in PLUGS] + useless
    if others:
        say()
        say(paragraph(f"No part of this network: {', '.join(dict.fromkeys(others))}."))
    say()
    if not wanted:
        say(paragraph("Nothing here is yours yet. The first exercises that this network can use are in the table."))
    elif result.good:
        say(styled("Every layer gives what the reference gives.", "good"))
    else:
        say(verdict(wanted, result))
        return 1
    return 0


def solved_tasks(course: Course, progress: Progress) -> list[Task]:
    """The tasks whose public tests have passed; those that were edited since are checked again."""
    states = states_of(course, progress.entries())
    tasks = all_tasks(course)
    again = check([task for task in tasks if states[task.id] is State.CHANGED])
    keep(again, progress, [])
    passed = {result.task.id for result in again if result.state is State.SOLVED}
    return [task for task in tasks if states[task.id] is State.SOLVED or task.id in passed]


def reading_of(answer: dict[str, Any]) -> demo.Reading:
    """The worker's answer with the digits it was about."""
    with np.load(demo.HELD_OUT) as data:
        images, labels = data["images"], data["labels"]
    predictions, confidences = np.array(answer["predictions"]), np.array(answer["confidences"])
    return demo.Reading(images, labels, predictions, confidences, answer["seconds"], 0, 0)


def table(course: Course, mine: Sequence[Task], result: Run) -> Table:
    """Exercise, whose code, where it works, how often it was called."""
    drawn = Table(box=None, pad_edge=False)
    for name in ("Exercise", "Whose code", "What it computes"):
        drawn.add_column(name, no_wrap=True)
    drawn.add_column("Calls", justify="right")
    ids = {task.id for task in mine}
    for task in all_tasks(course):
        if task.id in PLUGS:
            yours = task.id in ids and task.id not in result.errors
            calls = f"{result.calls.get(task.id, 0):,}" if yours and result.reading else ""
            drawn.add_row(task.id, "yours" if yours else "the reference", PLUGS[task.id].place, calls)
    return drawn


def verdict(tasks: Sequence[Task], result: Run) -> str:
    """What is wrong, where it begins, and whose fault it is."""
    parts = [styled("Something is wrong.", "bad")]
    parts += [explain.labelled(exercise, f"not plugged in: {error}") for exercise, error in result.errors.items()]
    if result.error:
        parts.append(explain.labelled("happened", result.error))
    if result.departure is not None:
        parts.append(explain.labelled("departs at", departed(result.departure)))
    if result.error or result.departure:
        parts += blamed([task for task in tasks if task.id not in result.errors])
    return "\n".join(parts)


def departed(found: dict[str, Any]) -> str:
    """Where the first difference is, in words."""
    place = f"{found['operator']} ({found['type']}), operator {found['step'] + 1} in the order"
    expected, got = tuple(found["expected"]), tuple(found["got"])
    if expected != got:
        return f"{place}: expected shape {expected}, got {got}. All before it agree."
    a, b = found["values"]
    return (
        f"{place}, shape {got}: the largest difference is {found['difference']:.4g}, at {found['where']}: "
        f"expected {a:.6g}, got {b:.6g}. All before it agree."
    )


def blamed(tasks: Sequence[Task]) -> list[str]:
    """Each exercise plugged in alone: those with which the network goes wrong."""
    parts = []
    for task in tasks:
        alone = run([task], SECONDS_ALONE)
        if not alone.good:
            at = f", at {alone.departure['operator']}" if alone.departure else ""
            parts.append(explain.labelled("to blame", f"{task.id}: plugged in alone it goes wrong too{at}"))
            parts.append(explain.labelled("then", f"{explain.COMMAND} check {task.id}"))
    return parts or [explain.labelled("to blame", "none alone: with any one of them the network is right")]
