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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task

Shares = tuple[float, list[int]]


def shares(
    parts: Sequence[int], unit: int | None, pace: Sequence[float], take: float = 0.0, barrier: float = 0.0
) -> Shares:
    """(end, rows of each thread), with a heap of threads."""
    rows = [0] * len(pace)
    start = 0.0
    for size in parts:
        if unit is None:
            counts = np.diff([t * size // len(pace) for t in range(len(pace) + 1)]).tolist()
            ends = [start + (take + n * p if n else 0.0) for n, p in zip(counts, pace)]
            rows = [a + b for a, b in zip(rows, counts)]
        else:
            heap = [(start, thread) for thread in range(len(pace))]
            left = size
            while left > 0:
                count = min(unit, left)
                time, thread = heapq.heappop(heap)
                rows[thread] += count
                heapq.heappush(heap, (time + (take + count * pace[thread]), thread))
                left -= count
            ends = [time for time, _ in heap]
        start = max(ends) + barrier
    return start, rows


Choice = Callable[[list[float], list[int], int, int], Any]
Split = Callable[[int, int], list[int]]
Then = Callable[[list[float], int], list[float]]


def otherwise(
    parts: Sequence[int],
    unit: int | None,
    pace: Sequence[float],
    take: float,
    barrier: float,
    *,
    choice: Choice | None = None,
    split: Split | None = None,
    then: Then | None = None,
    empty: bool = False,
    once: bool = False,
    paced: bool = False,
    kept: bool = False,
    units: bool = False,
    full: bool = False,
) -> Shares:
    """As `shares`, with one thing done otherwise.

    choice : (times from which threads are free, their rows, a thread, a unit): who has the least takes the next unit.
    split : (rows, threads) -> the fixed shares.
    then : (times at which threads are done, who took the last unit) -> when each begins the next part.
    empty : who finds no row left, or has a share of none, pays `take` as well.
    once : a thread pays `take` for its first unit only.
    paced : `take` is multiplied by the thread's pace.
    kept : of the rows of a thread only its last unit is kept.
    units : of each thread its units are counted, and not the rows.
    full : a unit takes the time of `unit` rows, also where fewer are left.
    """
    threads = range(len(pace))
    rows, free = [0 for _ in threads], [0.0 for _ in threads]
    for size in parts:
        done, last, number, left = list(free), 0, 0, size
        counts = split(size, len(pace)) if split and unit is None else []
        counts = counts or [(t + 1) * size // len(pace) - t * size // len(pace) for t in threads]
        while left > 0:
            last = number % len(pace)
            count = counts[last] if unit is None else min(unit, left)
            if unit is not None and choice is not None:
                last = min(threads, key=lambda t: choice(done, rows, t, count))
            elif unit is not None:
                last = min(threads, key=done.__getitem__)
            pays = 0.0 if once and rows[last] else take * (pace[last] if paced else 1.0)
            paid = unit if full and unit is not None else count
            done[last] += pays + paid * pace[last] if count else 0.0
            rows[last] = count if kept else rows[last] + (min(count, 1) if units else count)
            number, left = number + 1, left - count
        if empty:
            done = [time + take if unit is not None or not counts[t] else time for t, time in enumerate(done)]
        free = then(done, last) if then else [max(done) + barrier for _ in threads]
    return max(free), rows


def share_mistakes(
    parts: Sequence[int], unit: int | None, pace: Sequence[float], take: float = 0.0, barrier: float = 0.0
) -> dict[str, Any]:
    """Likely cause -> what comes of it."""
    end, rows = shares(parts, unit, pace, take, barrier)
    problem = parts, unit, pace, take, barrier

    def all_from(time: float) -> list[float]:
        return [time + barrier] * len(pace)

    wrong: dict[str, Any] = {
        "a thread whose share is empty, or who finds no row left, needs no time: no `take` for it": otherwise(
            *problem, empty=True
        ),
        "a part without rows takes as long as the barrier, too": shares(
            [size for size in parts if size], unit, pace, take, barrier
        ),
        "the barrier after the last part is missing: the end is behind it": (end - barrier, rows) if parts else None,
        "there is a barrier after each part, and not one in all": (
            (end - barrier * (len(parts) - 1), rows) if len(parts) > 2 else None
        ),
        "a barrier too much: the first part begins at 0": (end + barrier, rows),
        "a part is done when all threads are, and not when the one is that took the last unit": otherwise(
            *problem, then=lambda done, last: all_from(done[last])
        ),
        "a part is done when the last thread is: the largest of the times, and not their sum": otherwise(
            *problem, then=lambda done, last: all_from(sum(done))
        ),
        "a part is done when the last thread is: the largest of the times, and not their mean": otherwise(
            *problem, then=lambda done, last: all_from(sum(done) / len(done))
        ),
        "taking a unit costs `take`, whoever takes it: only the rows are multiplied by the pace": otherwise(
            *problem, paced=True
        ),
        "a thread's rows are added up: += and not =, which keeps the last unit only": otherwise(*problem, kept=True),
        "all wait for the last: the next part begins at the largest of the times, and not at the smallest or at that "
        "of one thread": otherwise(*problem, then=lambda done, last: all_from(min(done))),
        "all wait for the last: the next part begins at the largest of the times, and not at that of the first thread "
        "of the list": otherwise(*problem, then=lambda done, last: all_from(done[0])),
        "all wait for the last: the next part begins at the largest of the times, and not at that of the last thread "
        "of the list": otherwise(*problem, then=lambda done, last: all_from(done[-1])),
        "a part begins where the one before it ended, and not at 0": (
            shares(parts[-1:], unit, pace, take, barrier)[0],
            rows,
        ),
        "taking a unit costs `take`, once for a unit and not for each row": shares(
            parts, unit, [each + take for each in pace], 0.0, barrier
        ),
        "taking a unit costs `take` each time, and not once for each thread": otherwise(*problem, once=True),
        "pace is the time for a row: n rows take n * pace, and not n / pace": shares(
            parts, unit, [1 / each for each in pace], take, barrier
        ),
        "the end is a float, also where no time passed: begin with 0.0, and not with 0": (0, rows) if not end else None,
        "the end is a float: no int(...) around it": (int(end), rows) if end else None,
        "the rows of each thread stand in a list, and not in a tuple": (end, tuple(rows)),
        "the end is a float, and the rows of each thread stand in a list: no int(...) and no tuple(...)": (
            (int(end), tuple(rows))
        ),
        "a list: a tuple is asked for, as in `return end, rows`": [end, rows],
        "rows are counted in whole numbers: begin at 0, not at 0.0"
        if unit
        else "rows are counted in whole numbers: // and not / for a share, and they begin at 0, not at 0.0": (
            (end, [float(each) for each in rows])
        ),
        "taking a unit costs `take`, at each unit" if unit else "a fixed share is one unit: it costs `take`, too": (
            shares(parts, unit, pace, 0.0, barrier)
        ),
        "the barrier costs `barrier`: after each part add it to the time at which the last thread is done": shares(
            parts, unit, pace, take, 0.0
        ),
        "the barrier costs `barrier` once after a part, and not for each thread": shares(
            parts, unit, pace, take, barrier * len(pace)
        ),
        "only the first part was done: does the `return` stand in the loop over the parts?": shares(
            parts[:1], unit, pace, take, barrier
        ),
        "these are the units of each thread: add up the rows that are in them": otherwise(*problem, units=True),
        "each thread has a pace of its own": shares(parts, unit, [pace[0]] * len(pace), take, barrier),
        "take and barrier are 0 unless said": None if barrier else shares(parts, unit, pace, take, 1.0),
        "the rows of each thread stand in the tuple first": (rows, end),
        "the parts were added up: the rows of each are handed out by themselves, and a barrier follows each": shares(
            [sum(parts)], unit, pace, take, barrier
        ),
        "the rows of a thread are those of all parts together": (end, shares(parts[-1:], unit, pace)[1]),
    }
    alone = otherwise(*problem, then=lambda done, last: done)
    waits = "no thread waits for the others after a part: all begin the next one at the same time, {}"
    wrong[waits.format("`barrier` after the last of them is done")] = alone[0], alone[1]
    wrong[waits.format("when the last is done, and the barrier after it")] = alone[0] + barrier, alone[1]
    wrong[waits.format("the latest, and not at its own time and a barrier later")] = otherwise(
        *problem, then=lambda done, last: [time + barrier for time in done]
    )
    wrong.update(mistakes_of_counters(parts, unit, pace, take, barrier) if unit else mistakes_of_shares(*problem))
    return {cause: answer for cause, answer in wrong.items() if answer is not None}


def mistakes_of_shares(
    parts: Sequence[int], unit: int | None, pace: Sequence[float], take: float, barrier: float
) -> dict[str, Any]:
    """Those with fixed shares."""
    problem = parts, unit, pace, take, barrier
    said = "thread t of T has the rows from t * rows // T to (t + 1) * rows // T - 1: "
    each = len(pace)
    done = sum(size // each * each for size in parts)
    divided = by_split(*problem, lambda n, T: [n / T] * T)
    units = [max(1, size // each) for size in parts]
    return {
        "without a unit each thread does its own share, however slow it is: no other takes over": (
            shares(parts, units[0], pace, take, barrier) if len(set(units)) == 1 else None
        ),
        f"only {done} of {sum(parts)} rows were done: a share is not rows // T for each, but from t * rows // T to "
        "(t + 1) * rows // T - 1": shares([size // each * each for size in parts], unit, pace, take, barrier),
        "a share has whole rows: // and not /": divided if any(size % each for size in parts) else None,
        f"{said}these are (t + 1) * rows // T - t * rows // T of them, and not (t + 1) * rows // T": by_split(
            *problem, lambda n, T: [(t + 1) * n // T for t in range(T)]
        ),
        f"{said}what is left over is not all the last one's": otherwise(
            *problem, split=lambda n, T: [n // T] * (T - 1) + [n - n // T * (T - 1)]
        ),
        f"{said}what is left over is not the first ones'": otherwise(
            *problem, split=lambda n, T: [n // T + (t < n % T) for t in range(T)]
        ),
        f"{said}that is not ceil(rows / T) for each": otherwise(
            *problem, split=lambda n, T: [max(0, min(-(-n // T), n - t * -(-n // T))) for t in range(T)]
        ),
    }


def by_split(
    parts: Sequence[int],
    unit: int | None,
    pace: Sequence[float],
    take: float,
    barrier: float,
    split: Callable[..., Any],
) -> tuple[float, list[Any]]:
    """With shares that need not make up the part. split : (rows, threads) -> what each thread does."""
    start, rows = 0.0, [0] * len(pace)
    for size in parts:
        counts = split(size, len(pace))
        rows = [a + b for a, b in zip(rows, counts)]
        start = max(start + (take + n * p if n else 0.0) for n, p in zip(counts, pace)) + barrier
    return start, rows


def mistakes_of_counters(
    parts: Sequence[int], unit: int, pace: Sequence[float], take: float, barrier: float
) -> dict[str, Any]:
    """Those with units."""
    problem = parts, unit, pace, take, barrier
    fixed, turns = shares(parts, None, pace, take, barrier), in_turn(*problem)
    said = "the thread that is free first takes the next rows"
    lowest = "of several threads that are free, the one with the lowest number comes first"
    alike = f"all threads have equally many rows, in turns or by fixed shares: with a unit, {said}"
    return {
        alike: fixed if fixed == turns else None,
        f"that is the fixed share of unit=None: with a unit, {said}": fixed,
        f"the threads take turns: {said}": turns,
        "the quickest thread takes every unit: it is the one that is free first, and that changes": otherwise(
            *problem, choice=lambda free, rows, t, count: pace[t]
        ),
        lowest: otherwise(*problem, choice=lambda free, rows, t, count: (free[t], -t)),
        f"{lowest}, not the one with fewer rows": otherwise(
            *problem, choice=lambda free, rows, t, count: (free[t], rows[t])
        ),
        f"{lowest}, not the quickest": otherwise(*problem, choice=lambda free, rows, t, count: (free[t], pace[t])),
        "a unit goes to the thread that would be done with it first. That may end earlier, but while it runs nobody "
        "knows how quick a thread will be: the one that is free first takes the unit": (
            otherwise(*problem, choice=lambda free, rows, t, count: free[t] + take + count * pace[t])
        ),
        "the last unit of a part has only what is left of it": shares(
            [-(-size // unit) * unit for size in parts], unit, pace, take, barrier
        ),
        "what is left of a part is a unit, too, if a smaller one": shares(
            [size // unit * unit for size in parts], unit, pace, take, barrier
        ),
        "the last unit of a part has fewer rows, and takes less time: multiply the pace by its rows, not by `unit`": (
            otherwise(*problem, full=True)
        ),
        "a unit has `unit` rows, and not one": shares(parts, 1, pace, take, barrier),
    }


def in_turn(parts: Sequence[int], unit: int, pace: Sequence[float], take: float, barrier: float) -> Shares:
    """One unit for each thread in turn, which begins anew at each part."""
    time, rows = 0.0, [0] * len(pace)
    for size in parts:
        done = [time] * len(pace)
        for number, first in enumerate(range(0, size, unit)):
            thread, count = number % len(pace), min(unit, size - first)
            done[thread] += take + count * pace[thread]
            rows[thread] += count
        time = max(done) + barrier
    return time, rows


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
    Mutant("mean", "goes on at the mean time", BARRIER, "        begin = sum(free) / threads + barrier\n", "barrier"),
    Mutant(
        "take_paced",
        "multiplies `take` by the pace",
        TIME,
        "                free[thread] += (take + count) * pace[thread]\n",
        "time",
    ),
    Mutant(
        "last_unit_kept",
        "keeps the rows of a thread's last unit",
        "                done[thread] += count\n",
        "                done[thread] = count\n",
        "counter",
    ),
    Mutant(
        "shares_handed_out",
        "hands the shares out by a counter",
        "        free = [begin] * threads\n",
        "        free, unit = [begin] * threads, unit or max(1, rows // threads)\n",
        "static",
    ),
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
        "done_first",
        "a unit for who would be done with it first",
        CHOICE,
        CHOICE.replace("key=free.__getitem__", "key=lambda t: free[t] + take + min(unit, rows - first) * pace[t]"),
        "counter",
    ),
    Mutant(
        "fewest_rows",
        "of several the one that has done fewer rows",
        CHOICE,
        CHOICE.replace("key=free.__getitem__", "key=lambda t: (free[t], done[t])"),
        "ties",
    ),
    Mutant(
        "quickest_of_several",
        "of several the quickest",
        CHOICE,
        CHOICE.replace("key=free.__getitem__", "key=lambda t: (free[t], pace[t])"),
        "ties",
    ),
    Mutant(
        "full_units",
        "the last unit is as large as the others",
        CHOICE,
        CHOICE.replace("min(unit, rows - first)", "unit"),
        "counter",
    ),
    Mutant(
        "paid_in_full",
        "the last unit takes the time of a whole one",
        TIME,
        TIME.replace("count * ", "(unit or count) * "),
        "time",
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
    Mutant(
        "rest_is_lost",
        "shares of rows // T, and nobody does what is left over",
        STATIC,
        "                thread, count = turn, rows // threads\n",
        "static",
    ),
    Mutant(
        "barrier_once",
        "adds one barrier for all parts",
        RETURN,
        "    return begin - barrier * max(0, len(parts) - 1), done\n",
        "barrier",
    ),
    Mutant(
        "taken_once",
        "a thread takes its first unit only",
        TIME,
        TIME.replace("take + ", "(0.0 if done[thread] else take) + "),
        "time",
    ),
    Mutant("as_speed", "rows per time", TIME, TIME.replace("count * ", "count / ")),
    Mutant("from_0", "an int for no parts", "begin, done = 0.0,", "begin, done = 0,", "form"),
    Mutant("float_rows", "rows as floats", "0.0, [0] * threads", "0.0, [0.0] * threads", "form"),
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
    Mutant(
        "finds_none",
        "who finds no row left has asked in vain",
        BARRIER,
        "        free = [time + take * (unit is not None) for time in free]\n" + BARRIER,
        "time",
    ),
    Mutant(
        "first_shares",
        "the first threads get what is left",
        STATIC,
        "                thread, count = turn, rows // threads + (turn < rows % threads)\n",
        "static",
    ),
    Mutant(
        "last_unit",
        "goes on when the last unit is done",
        BARRIER,
        "        begin = (free[thread] if rows else max(free)) + barrier\n",
        "barrier",
    ),
    Mutant(
        "begins_at_0",
        "each part begins at 0",
        "        free = [begin] * threads\n",
        "        free = [0.0] * threads\n",
        "barrier",
    ),
    Mutant(
        "no_barrier",
        "neither waits nor counts the barrier",
        "        free = [begin] * threads\n",
        "        free = free if begin else [begin] * threads\n        barrier = 0.0\n",
    ),
    Mutant("no_pace", "all are equally fast", TIME, TIME.replace("pace[thread]", "pace[0]")),
    Mutant("first_done", "goes on when the first is done", BARRIER, "        begin = min(free) + barrier\n"),
    Mutant("free_barrier", "the barrier costs nothing", BARRIER, "        begin = max(free)\n", "barrier"),
    Mutant(
        "between",
        "no barrier after the last",
        RETURN,
        "    return begin - (barrier if parts else 0), done\n",
        "barrier",
    ),
    Mutant(
        "no_rows",
        "no barrier after a part without rows",
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
