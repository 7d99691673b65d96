r"""Threads that share the rows: why the solution is as it is.

`free` has, for each thread, the time from which it has nothing to do. One unit after the other goes to the thread
with the smallest of these times: that is what happens when each of them adds 1 to a common counter as soon as it is
free. `min(range(threads), key=...)` gives the first of several that are equal. A barrier sets all times to the largest.

With a fixed share for each, all wait for the thread that is slow: rows / T times the slowest pace. With a counter
the slow one takes fewer units, and all are done within one unit of each other. So the units should be small; but each
has to be taken, and on a processor that is an atomic addition, which makes the cores pass a cache line around. Between
the two lies a unit that is best; some units for each thread are enough. kuiper has
four for each thread ([product.py](../../../kuiper/compiled/kernels/product.py)), and begins with fixed shares, each
with a counter of its own, from which others take only when theirs is used up
([passes.py](../../../kuiper/compiled/passes.py)): so a thread mostly works on rows that lie in its own cache.

**Typical mistakes.** To go round, one unit for each thread in turn: that is a static split again. To count the end as
the time of the thread that took the last unit: another one may still be at work. To let the barrier reset the times to
those of the fastest.

**Cost.** Threads times units; with a heap it is log(threads).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task

Shares = tuple[float, list[int]]


def shares(
    parts: Sequence[int],
    unit: int | None,
    pace: Sequence[float],
    take: float = 0.0,
    barrier: float = 0.0,
    waits: bool = True,
) -> Shares:
    """(end, rows of each thread), with a heap of threads; waits : at the barriers between parts."""
    rows = [0] * len(pace)
    start = [0.0] * len(pace)
    for size in parts:
        if unit is None:
            bounds = [t * size // len(pace) for t in range(len(pace) + 1)]
            counts = np.diff(bounds).tolist()
            ends = [s + (take + n * p if n else 0.0) for s, n, p in zip(start, counts, pace)]
            rows = [a + b for a, b in zip(rows, counts)]
        else:
            heap = [(time, thread) for thread, time in enumerate(start)]
            heapq.heapify(heap)
            left = size
            while left > 0:
                count = min(unit, left)
                time, thread = heapq.heappop(heap)
                rows[thread] += count
                heapq.heappush(heap, (time + (take + count * pace[thread]), thread))
                left -= count
            ends = [time for time, _ in sorted(heap, key=lambda pair: pair[1])]
        start = [max(ends) + barrier] * len(pace) if waits else [end + barrier for end in ends]
    return max(start), rows


def share_mistakes(
    parts: Sequence[int], unit: int | None, pace: Sequence[float], take: float = 0.0, barrier: float = 0.0
) -> dict[str, Any]:
    """Likely cause -> what comes of it."""
    end, rows = shares(parts, unit, pace, take, barrier)
    wrong: dict[str, Any] = {
        "the barrier behind the last part is missing": (end - barrier, rows) if parts else None,
        "a barrier too much: the first part begins at 0": (end + barrier, rows),
        "no thread waits for the others behind a part: all begin the next one at the latest time": shares(
            parts, unit, pace, take, barrier, waits=False
        ),
        "taking a unit costs `take`, once for a unit and not for each row": shares(
            parts, unit, [each + take for each in pace], 0.0, barrier
        ),
        "taking a unit costs `take`, at each unit": shares(parts, unit, pace, 0.0, barrier),
        "the barrier costs `barrier`": shares(parts, unit, pace, take, 0.0),
        "the rows of each thread stand in the tuple first": (rows, end),
    }
    if unit is not None:
        wrong[
            "that is the fixed share of unit=None: with a unit, the thread that is free first takes the next rows"
        ] = shares(parts, None, pace, take, barrier)
        turns, in_turn = [0.0] * len(pace), [0] * len(pace)
        for size in parts:
            for number, first in enumerate(range(0, size, unit)):
                count, thread = min(unit, size - first), number % len(pace)
                turns[thread] += take + count * pace[thread]
                in_turn[thread] += count
            turns = [max(turns) + barrier] * len(pace)
        wrong["the threads take turns: the one that is free first takes the next unit"] = max(turns), in_turn
        full = [-(-size // unit) * unit for size in parts]
        wrong["the last unit of a part has only what is left of it"] = shares(full, unit, pace, take, barrier)
        whole = [size // unit * unit for size in parts]
        wrong["what is left of a part is a unit, too, if a smaller one"] = shares(whole, unit, pace, take, barrier)
        turned_end, turned = shares(parts, unit, list(pace)[::-1], take, barrier)
        wrong["of several threads that are free, the one with the lowest number comes first"] = turned_end, turned[::-1]
    return {cause: answer for cause, answer in wrong.items() if answer is not None}


@task("share_rows")
def any_pass(student: Student, rng: np.random.Generator) -> None:
    """Random parts, units, paces, costs."""
    for _ in range(30):
        threads = int(rng.integers(1, 6))
        parts = [int(n) for n in rng.integers(0, 40, rng.integers(0, 6))]
        unit = None if rng.integers(4) == 0 else int(rng.integers(1, 12))
        problem = parts, unit, rng.uniform(0.5, 5, threads).tolist(), float(rng.random()), float(rng.random())
        expect(student.share_rows(*problem), shares(*problem), rtol=1e-9, what=f"share_rows{problem}")


@task("share_rows")
def many_are_free(student: Student, rng: np.random.Generator) -> None:
    """Threads of equal pace, which are free at the same times."""
    for threads in (1, 2, 3, 7):
        problem = [int(n) for n in rng.integers(0, 30, 3)], 2, [2.0] * threads, 0.5, 0.25
        expect(student.share_rows(*problem), shares(*problem), rtol=1e-9, what=f"share_rows{problem}")


CHOICE = "                thread, count = min(range(threads), key=free.__getitem__), min(unit, rows - first)\n"
STATIC = "                thread, count = turn, (turn + 1) * rows // threads - turn * rows // threads\n"
TIME = "                free[thread] += take + count * pace[thread]\n"
BARRIER = "        begin = max(free) + barrier\n"
RETURN = "    return begin, done\n"

MUTANTS = [
    Mutant(
        "in_turn",
        "one unit for each thread in turn",
        CHOICE,
        CHOICE.replace("min(range(threads), key=free.__getitem__)", "turn % threads"),
        "counter",
    ),
    Mutant(
        "fastest",
        "the fastest thread takes all",
        CHOICE,
        CHOICE.replace("key=free.__getitem__", "key=pace.__getitem__"),
        "counter",
    ),
    Mutant(
        "full_units",
        "the last unit is as large as the others",
        CHOICE,
        CHOICE.replace("min(unit, rows - first)", "unit"),
        "counter",
    ),
    Mutant(
        "highest",
        "of several the one with the highest number",
        CHOICE,
        CHOICE.replace("range(threads)", "reversed(range(threads))"),
        "ties",
    ),
    Mutant(
        "rounded_up",
        "shares of ceil(rows / T)",
        STATIC,
        "                thread, count = turn, max(0, min(-(-rows // threads), rows - first))\n",
        "static",
    ),
    Mutant(
        "rest_at_the_end",
        "the last thread gets what is left",
        STATIC,
        "                thread, count = turn, rows // threads if turn < threads - 1 else rows - first\n",
        "static",
    ),
    Mutant("never_free", "nothing is taken for free", TIME, TIME.replace("take + ", ""), "time"),
    Mutant(
        "each_row",
        "takes each row",
        TIME,
        TIME.replace("take + count * pace[thread]", "count * (take + pace[thread])"),
        "time",
    ),
    Mutant(
        "empty_share",
        "an empty share costs something",
        "            if count:\n",
        "            if count >= 0:\n",
        "time",
    ),
    Mutant("no_pace", "all are equally fast", TIME, TIME.replace("pace[thread]", "pace[0]")),
    Mutant("first_done", "goes on when the first is done", BARRIER, "        begin = min(free) + barrier\n"),
    Mutant("free_barrier", "the barrier costs nothing", BARRIER, "        begin = max(free)\n", "barrier"),
    Mutant(
        "between",
        "no barrier behind the last",
        RETURN,
        "    return begin - (barrier if parts else 0), done\n",
        "barrier",
    ),
    Mutant(
        "no_rows",
        "no barrier behind a part without rows",
        BARRIER,
        "        begin = max(free) + barrier * (rows > 0)\n",
        "barrier",
    ),
    Mutant(
        "no_wait",
        "nobody waits for the others",
        "        free = [begin] * threads\n",
        "        free = list(free) if begin else [begin] * threads\n",
    ),
    Mutant(
        "needed",
        "take has no default",
        "take: float = 0.0, barrier: float = 0.0\n) -> tuple",
        "take: float, barrier: float\n) -> tuple",
        "default",
    ),
    Mutant(
        "other_default",
        "a barrier costs 1",
        "take: float = 0.0, barrier: float = 0.0\n) -> tuple",
        "take: float = 0.0, barrier: float = 1.0\n) -> tuple",
        "default",
    ),
    Mutant("list", "a list", RETURN, "    return [begin, done]\n", "form"),
    Mutant("numpy", "an array of rows", RETURN, "    import numpy as np\n    return begin, np.array(done)\n", "form"),
]
