"""Homework 14: parts of a compiler: the size of a tile, fused calls, the text of a loop, shared rows.

Edit this file, then run `python3 course.py check choose_tile` (or the name of another task). You need numpy only; numba
makes machine code of what loop_nest writes, if it is installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Call = tuple[str, str, tuple[str, ...]]
"""(name of the result, operation, names of the operands), such as ("y", "add", ("a", "b"))."""

ELEMENTWISE = frozenset({"add", "mul", "relu", "sigmoid", "tanh"})
"""Operations that compute number i of the result from number i of each operand. All others need whole operands.

A short operand, such as a bias, is repeated.
"""


def run(text: str, x: np.ndarray, w: np.ndarray, bias: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """y, computed by the function `product` of such a text as loop_nest returns, as plain Python. (Given.)"""
    y = np.full((len(x), w.shape[1]), np.nan, x.dtype)
    defined_in(text)(x, w, bias, residual, y)
    return y


def seconds(text: str, x: np.ndarray, w: np.ndarray, bias: np.ndarray, residual: np.ndarray) -> float:
    """How long that takes as machine code, the least of five times. Raises ImportError without numba. (Given.)"""
    import numba

    numba.config.SLP_VECTORIZE = 1  # LLVM may put sums side by side into one register
    product, y, times = numba.njit(defined_in(text), fastmath=True), np.empty((len(x), w.shape[1]), x.dtype), []
    for _ in range(5):
        started = time.perf_counter()
        product(x, w, bias, residual, y)
        times.append(time.perf_counter() - started)
    return min(times)


def defined_in(text: str) -> Callable[..., Any]:
    """The function `product` that a text defines. (Given.)"""
    names: dict[str, Any] = {}
    exec(compile(text, "<loop_nest>", "exec"), names)
    return names["product"]


def choose_tile(registers: int, lanes: int, rows: int, channels: int) -> tuple[int, int]:
    """The tile (h, v) of sums with the most multiply-adds for each load that the registers can hold.

    A product of matrices (rows, depth) and (depth, channels) goes tile by tile: h rows of `channels`, and v vectors of
    `lanes` numbers side by side. For one step of the depth a tile loads its v vectors of weights and one number of each
    of its h rows, and makes h * v multiply-adds.

    Parameters
    ----------
    registers : vector registers of the processor.
    lanes : numbers in one of them, at least 1.
    rows, channels : of the product's result, at least 1.

    Rules
    -----
    fits : the h * v sums, the v vectors of weights and one number of x, spread over a register, have a register each.
    rows : h is at least 1, and no more than `rows`.
    channels : v is at least 1, and no more than the vectors that hold `channels` numbers, of which the last may be
        partly empty.
    best : of these tiles it is the one with the largest ratio of multiply-adds to loads, h * v / (h + v).
    ties : of several with the same ratio it is the one with fewer vectors.
    refused : fewer than 3 registers raise ValueError.
    form : the result is a tuple of two plain ints.

    >>> choose_tile(16, 8, 100, 100), choose_tile(16, 8, 100, 16)
    ((4, 3), (6, 2))
    """
    # <solution choose_tile>
    if registers < 3:
        raise ValueError(f"registers: expected 3 or more, got {registers}")
    best = 1, 1
    for v in range(1, -(-channels // lanes) + 1):
        h = min((registers - v - 1) // v, rows)
        if h < 1:
            break
        if h * v / (h + v) > best[0] * best[1] / sum(best):
            best = h, v
    return best
    # </solution>


def fuse(calls: Sequence[Call], sizes: Mapping[str, int], returned: Sequence[str]) -> list[list[str]]:
    """Groups of calls, each of which one loop computes, so that few values are written to memory.

    Parameters
    ----------
    calls : in an order in which they can run. An operand that no call makes is an input or a weight: it lies in memory.
    sizes : how many numbers each call makes.
    returned : names of calls whose values the caller gets. Each value is returned or read.

    Rules
    -----
    all : each call is in one group, by its name.
    written : a group writes the value of its last call to memory, and no other: what the others make is not returned,
        and only calls of the group read it.
    whole : a group has at most one call that is not in ELEMENTWISE, and that call reads no value of its group.
    size : all calls of a group make equally many numbers; what they read from memory may be shorter, such as a bias,
        which is repeated.
    order : the calls of a group stand in the order of `calls`, and the groups in an order in which they can run.
    fewest : there are as few groups as these rules allow.
    form : the result is a list of lists of strings.

    >>> layer = [("a", "matmul", ("x", "w")), ("b", "add", ("a", "bias")), ("y", "relu", ("b",))]
    >>> fuse(layer, {"a": 6, "b": 6, "y": 6}, ["y"]), fuse(layer, {"a": 6, "b": 6, "y": 6}, ["y", "b"])
    ([['a', 'b', 'y']], [['a', 'b'], ['y']])
    """
    # <solution fuse>
    readers: dict[str, list[str]] = {name: [] for name, _, _ in calls}
    for name, _, operands in calls:
        for operand in operands:
            readers.get(operand, []).append(name)
    operations = {name: operation for name, operation, _ in calls}
    last_of: dict[str, str] = {}
    taken = set()
    for name, operation, _ in reversed(calls):
        lasts = {last_of[reader] for reader in readers[name]}
        last = lasts.pop() if len(lasts) == 1 else name
        joins = (
            name not in returned
            and last != name
            and sizes[name] == sizes[last]
            and all(operations[reader] in ELEMENTWISE for reader in readers[name])
            and (operation in ELEMENTWISE or last not in taken)
        )
        last_of[name] = last if joins else name
        if operation not in ELEMENTWISE:
            taken.add(last_of[name])
    groups: dict[str, list[str]] = {name: [] for name, _, _ in calls}
    for name, _, _ in calls:
        groups[last_of[name]].append(name)
    return [group for group in groups.values() if group]
    # </solution>


def loop_nest(rows: int, depth: int, channels: int, tile: tuple[int, int], epilogue: Sequence[str] = ()) -> str:
    """The text of a function product(x, w, bias, residual, y) that computes y = x @ w tile by tile, and an epilogue.

    x is (rows, depth), w (depth, channels), bias (channels,), residual and y (rows, channels). The text is plain
    Python, of single numbers. numba makes machine code of it, in which LLVM puts sums that stand side by side into
    vector registers where it finds them.

    Parameters
    ----------
    rows, depth, channels : at least 1. They are numbers in the text, which is for these sizes only.
    tile : (h, w): sums for h rows and w columns are kept in variables. This w is a number of columns, not of vectors
        as in choose_tile, and has nothing to do with the array w.
    epilogue : what is done to each sum before it is stored, one after the other: "bias" adds the column's number of
        bias, "residual" adds the number of residual at the same place, "relu" replaces negative numbers by 0. Each
        occurs once at most.

    Rules
    -----
    result : y is x @ w.
    epilogue : then come the steps of `epilogue`, in their order.
    edges : rows and channels need not be multiples of the tile, and may be smaller than it: the last tiles are then
        smaller. No place outside of an array is named.
    loads : for each step of the depth a tile loads one number of the array x for each of its rows, and one number of
        the array w for each of its columns, each once; in all that is depth * (rows * tiles side by side + channels *
        tiles one below the other): 2 x 4 x 3 in one tile of (2, 3) makes 4 * (2 + 3) = 20 loads. Fewer are wrong, too:
        a larger tile makes fewer, but its sums may not fit.
    stores : each number of y is stored once, and none is read; for it one number of bias and one of residual are read
        at most.
    short : the tiles are counted by loops: where all sizes are multiples of the tile, three times as many rows, steps
        and channels make no more lines.
    language : the text has one function. In it stand loops `for NAME in range(...)`, assignments (= and +=) to
        variables and to numbers of y, whole and decimal numbers, variables, numbers of arrays such as x[i, k + 1], and
        of these sums, differences, products, max(a, b) and min(a, b). Comments may stand beside them, but no docstring.

    Example: one tile of 1 x 2, two steps
    -------
        print(loop_nest(1, 2, 2, (1, 2), ["relu"]))

        def product(x, w, bias, residual, y):
            for i in range(0, 1, 1):
                for j in range(0, 2, 2):
                    s0_0 = 0.0
                    s0_1 = 0.0
                    for k in range(2):
                        a0 = x[i + 0, k]
                        b0 = w[k, j + 0]
                        b1 = w[k, j + 1]
                        s0_0 += a0 * b0
                        s0_1 += a0 * b1
                    y[i + 0, j + 0] = max(s0_0, 0.0)
                    y[i + 0, j + 1] = max(s0_1, 0.0)
    """
    # <solution loop_nest>
    height, width = tile
    lines = ["def product(x, w, bias, residual, y):"]
    for top, bottom, h in cuts(rows, height):
        for left, right, v in cuts(channels, width):
            lines.append(f"    for i in range({top}, {bottom}, {h}):")
            lines.append(f"        for j in range({left}, {right}, {v}):")
            lines += [" " * 12 + line for line in lines_of_tile(h, v, depth, epilogue)]
    return "\n".join(lines) + "\n"
    # </solution>


# <solution>
def cuts(size: int, step: int) -> list[tuple[int, int, int]]:
    """(start, stop, step) of the whole tiles along an axis, and of the rest, if there are any."""
    whole = size // step * step
    return [cut for cut in ((0, whole, step), (whole, size, size - whole)) if cut[0] < cut[1]]


def lines_of_tile(h: int, w: int, depth: int, epilogue: Sequence[str]) -> list[str]:
    """One tile of h x w sums, whose first number is y[i, j]."""
    grid = [(r, c) for r in range(h) for c in range(w)]
    lines = [f"s{r}_{c} = 0.0" for r, c in grid]
    lines.append(f"for k in range({depth}):")
    lines += [f"    a{r} = x[i + {r}, k]" for r in range(h)]
    lines += [f"    b{c} = w[k, j + {c}]" for c in range(w)]
    lines += [f"    s{r}_{c} += a{r} * b{c}" for r, c in grid]
    for r, c in grid:
        value = f"s{r}_{c}"
        for step in epilogue:
            value = {
                "bias": f"{value} + bias[j + {c}]",
                "residual": f"{value} + residual[i + {r}, j + {c}]",
                "relu": f"max({value}, 0.0)",
            }[step]
        lines.append(f"y[i + {r}, j + {c}] = {value}")
    return lines


# </solution>
def share_rows(
    parts: Sequence[int], unit: int | None, pace: Sequence[float], take: float = 0.0, barrier: float = 0.0
) -> tuple[float, list[int]]:
    """(end, rows of each thread): when threads that share the rows of some parts are done, and who did how many.

    Parameters
    ----------
    parts : rows of each part of a pass; 0 or more.
    unit : so many rows are handed out at a time, at least 1; None: each thread has a fixed share.
    pace : how long each thread takes for a row. A thread whose core is busy with something else takes longer.
    take : how long it takes to take a unit.
    barrier : how long it takes after the last thread is done until all of them know.

    Rules
    -----
    counter : the thread that is free first takes the next `unit` rows of the part, or what is left of it.
    ties : of several that are free at the same time it is the one with the lowest number.
    time : a thread needs `take` and then its pace for each row of the unit; one that finds no row left needs no time.
    static : if unit is None, thread t of T has the rows from t * rows // T to (t + 1) * rows // T - 1 of each part, as
        one unit.
    barrier : all threads begin a part at one time, the first at 0: `barrier` after the last of them is done with the
        part before. One without rows takes as long as the barrier; the end is after the barrier of the last.
    default : take and barrier are 0 unless said.
    form : the result is a tuple of a float and a list of plain ints.

    >>> share_rows([8], 1, [1.0, 3.0]), share_rows([8], None, [1.0, 3.0])
    ((6.0, [6, 2]), (12.0, [4, 4]))
    """
    # <solution share_rows>
    threads = len(pace)
    begin, done = 0.0, [0] * threads
    for rows in parts:
        free = [begin] * threads
        first = 0
        for turn in range(threads if unit is None else -(-rows // unit)):
            if unit is None:
                thread, count = turn, (turn + 1) * rows // threads - turn * rows // threads
            else:
                thread, count = min(range(threads), key=free.__getitem__), min(unit, rows - first)
            if count:
                free[thread] += take + count * pace[thread]
                done[thread] += count
                first += count
        begin = max(free) + barrier
    return begin, done
    # </solution>
