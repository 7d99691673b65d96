r"""The tile that a processor's registers can hold: why the solution is as it is.

A sum is loaded never, and stored once: that is what registers are for. What is loaded at each step of the depth are v
vectors of weights, each used for h rows, and h numbers of x, each used for v vectors. So a tile makes h v multiply-adds
with h + v loads. For one sum that is 1/2, which no memory can feed; it grows with the tile, and it is largest where h
and v are alike, as the area of a rectangle is for a given circumference.

How many sums there can be is said by the registers: h v sums, v vectors of weights, and one register for the number of
x, which is used for v multiply-adds and then gives way to the next row's. So h = (registers - v - 1) // v for each v,
and the few v are tried one after the other. With 16 registers that is 4 x 3, with 32 it is 5 x 5.

**Typical mistakes.** To forget the weights' registers or the one of x: then LLVM puts a sum into memory at each step,
which is slow, and no error. To take the tile with the most sums: a column of 30 sums has more of them than 5 x 5, and
loads a number for nearly each multiply-add. `channels // lanes` vectors leave out the last, partly empty one.

**And kuiper?** [target.py](../../../kuiper/compiled/target.py) takes 14 x 2 for 32 registers, and 6 x 2 for 16. That is
worse by this count: 28 multiply-adds with 16 loads instead of 25 with 10. But a processor makes two loads in a cycle,
and one or two multiply-adds of vectors: from a ratio of 1 or so on, the loads no longer limit. Nor does the time that a
multiply-add takes, about four cycles: eight sums keep two units busy, and both tiles have three times as many. What
differs is not in the count: networks' images have widths that are multiples of 7, and channels that are multiples of
32, so 14 x 2 seldom leaves an edge; and there are addresses and caches. Either may win: on one processor a pass of the
digits network takes 0.92 times as long with 5 x 5. A cost model is right until one measures: try it,
`demo digits --mine`.

**Cost.** One step for each number of vectors, at most half as many as registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

Tile = tuple[int, int]
Needs = Callable[[int, int], int]
Choice = Callable[..., Tile]


def best_tile(registers: int, lanes: int, rows: int, channels: int) -> Tile:
    """The best tile, by trying all that fit."""
    return max(_fitting(registers, lanes, rows, channels), key=lambda t: (t[0] * t[1] / sum(t), -t[1]))


def _fitting(
    registers: int, lanes: int, rows: int, channels: int, needs: Needs = lambda h, v: h * v + v + 1
) -> list[Tile]:
    """All tiles that need no more registers than there are, those with fewer vectors first."""
    return [
        (h, v)
        for v in range(1, min(-(-channels // lanes), registers) + 1)
        for h in range(1, min(rows, registers) + 1)
        if needs(h, v) <= registers
    ]


def _with(needs: Needs) -> Choice:
    """The choice by the right ratio among tiles that need so many registers."""
    return lambda *problem: max(_fitting(*problem, needs), key=lambda t: (t[0] * t[1] / sum(t), -t[1]))


def _by(key: Callable[[int, int], Any], begin: Sequence[Tile] = ()) -> Choice:
    """The choice of the first tile with the largest key, among those that fit, with as many rows as each v allows.

    begin : tiles that are tried before them.
    """
    return lambda *problem: max(
        (*begin, *dict((v, (h, v)) for h, v in _fitting(*problem)).values()), key=lambda t: key(*t)
    )


def _by_of_all(key: Callable[[int, int], Any], rows_first: bool = False) -> Choice:
    """The same among all tiles that fit. rows_first : they are tried row by row, and not vector by vector."""
    return lambda *problem: max(sorted(_fitting(*problem)) if rows_first else _fitting(*problem), key=lambda t: key(*t))


def _until_one_is_too_large(registers: int, lanes: int, rows: int, channels: int, rows_first: bool = False) -> Tile:
    """The best of the tiles that are tried before the first that does not fit."""
    heights, widths = range(1, rows + 1), range(1, -(-channels // lanes) + 1)
    tiles = ((h, v) for h in heights for v in widths) if rows_first else ((h, v) for v in widths for h in heights)
    best = 0, 1
    for h, v in tiles:
        if h * v + v + 1 > registers:
            break
        if h * v / (h + v) > best[0] * best[1] / sum(best):
            best = h, v
    return best


def _stretched(tile: Tile, lanes: int) -> Tile:
    """The tile with its columns counted in numbers, and not in vectors."""
    return tile[0], tile[1] * lanes


WHOLE = "ratios are no whole numbers: / and not //"
CHOICES: dict[str, Choice] = {
    "the number of x, spread over a register, needs one as well": _with(lambda h, v: h * v + v),
    "the v vectors of weights need v registers as well": _with(lambda h, v: h * v + 1),
    "sums alone were counted: weights and the number of x need registers, too": _with(lambda h, v: h * v),
    "a vector of weights stays in its register for all rows: v registers, and not one": _with(lambda h, v: h * v + 2),
    "a register was kept for a number of each row: one is enough, rows take turns": _with(lambda h, v: h * v + v + h),
    "one register always stays unused: a tile fits if it needs exactly `registers` of them, too (<=, and not <)": (
        _with(lambda h, v: h * v + v + 2)
    ),
    "that is the tile with the most sums: compare h * v / (h + v)": _by_of_all(lambda h, v: (h * v, -v)),
    "the search ends at the first tile that does not fit: one with another h and v may fit, so go on with the next v": (
        lambda *problem: _until_one_is_too_large(*problem)
    ),
    "the search ends at the first tile that does not fit: one with another h and v may fit, so go on with the next h": (
        lambda *problem: _until_one_is_too_large(*problem, rows_first=True)
    ),
    "of two with the same ratio that is the one with more vectors: with v in the outer loop, from 1 up, the first of "
    "them is the one with fewer; take a later one only if it is better": _by_of_all(
        lambda h, v: (round(h * v / (h + v), 9), v)
    ),
    "h and v are exchanged: rows come first": lambda *problem: best_tile(*problem)[::-1],
    "the last, partly empty vector was left out: channels / lanes is rounded up": lambda r, lanes, rows, channels: (
        best_tile(r, lanes, rows, max(lanes, channels // lanes * lanes))
    ),
    "v counts vectors of `lanes` numbers: it is at most ceil(channels / lanes)": lambda r, lanes, rows, channels: (
        best_tile(r, 1, rows, channels)
    ),
    "v is the number of vectors, and not of the numbers in them: it is not multiplied by `lanes`": (
        lambda r, lanes, rows, channels: _stretched(best_tile(r, lanes, rows, channels), lanes)
    ),
    "h goes up to `rows`: range(1, rows) ends one before it": lambda r, lanes, rows, channels: best_tile(
        r, lanes, max(1, rows - 1), channels
    ),
    "v goes up to ceil(channels / lanes): range(1, ...) ends one before its stop": (
        lambda r, lanes, rows, channels: best_tile(r, lanes, rows, max(1, (-(-channels // lanes) - 1) * lanes))
    ),
    "h is larger than `rows`": lambda r, lanes, rows, channels: best_tile(r, lanes, r, channels),
    "that is the tile nearest to a square, and another has a better ratio: compare h * v / (h + v)": _by(
        lambda h, v: -abs(h - v)
    ),
    "that is the largest square: a tile that is no square may have a better ratio, so compare h * v / (h + v)": (
        _by_of_all(lambda h, v: (-abs(h - v), h * v))
    ),
    "this tile loads most for each multiply-add: the ratio is upside down, or only the loads were counted. It is "
    "h * v / (h + v)": _by_of_all(lambda h, v: ((h + v) / (h * v), -v)),
    "where the registers hold more than `rows` rows, h is `rows`: such a v was left out": (
        lambda registers, lanes, rows, channels: max(
            ((h, v) for v in range(1, -(-channels // lanes) + 1) if 1 <= (h := (registers - v - 1) // v) <= rows),
            key=lambda t: (t[0] * t[1] / sum(t), -t[1]),
        )
    ),
    f"{WHOLE}, by which 1 x 1 is as good as others": _by(lambda h, v: h * v // (h + v), begin=[(1, 1)]),
    WHOLE: _by(lambda h, v: (h * v // (h + v), -v)),
    f"{WHOLE}, by which many tiles are equally good": _by_of_all(lambda h, v: (h * v // (h + v), -v)),
    f"{WHOLE}, by which the first of many equally good ones is taken": _by_of_all(
        lambda h, v: h * v // (h + v), rows_first=True
    ),
}
"""Likely cause -> the choice that comes of it."""


@cache
def _chosen(cause: str, problem: tuple[int, ...]) -> Tile | None:
    """The tile that comes of a cause; None if there is none."""
    try:
        return CHOICES[cause](*problem)
    except ValueError:
        return None


def tile_mistakes(problem: tuple[int, ...], probes: Sequence[tuple[int, ...]]) -> dict[str, list[Tile | None]]:
    """Likely cause -> the tiles that come of it, for the problem and for each of the probes."""
    return {cause: [_chosen(cause, each) for each in (problem, *probes)] for cause in CHOICES}


@task("choose_tile")
def every_processor(student: Student, rng: np.random.Generator) -> None:
    """Any registers, lanes, rows and channels."""
    for _ in range(40):
        registers, lanes = int(rng.integers(3, 130)), int(rng.choice([1, 2, 4, 8, 16, 64]))
        rows, channels = (int(n) for n in rng.integers(1, 200, 2))
        problem = registers, lanes, rows, channels
        expect(student.choose_tile(*problem), best_tile(*problem), what=f"choose_tile{problem}")


@task("choose_tile")
def the_least_of_everything(student: Student) -> None:
    """Three registers hold 1 x 1, and so does any processor for a single number."""
    for problem in ((3, 1, 1, 1), (3, 16, 99, 99), (64, 4, 1, 1), (32, 16, 1, 16), (32, 16, 1, 17)):
        expect(student.choose_tile(*problem), best_tile(*problem), what=f"choose_tile{problem}")
    for registers in (0, 1, 2):
        expect_refused(student.choose_tile, registers, 4, 1, 1)


HEIGHT = "        h = min((registers - v - 1) // v, rows)\n"
BETTER = "        if h * v / (h + v) > best[0] * best[1] / sum(best):\n"
VECTORS = "    for v in range(1, -(-channels // lanes) + 1):\n"

MUTANTS = [
    Mutant(
        "upside_down",
        "divides loads by multiply-adds",
        BETTER,
        "        if (h + v) / (h * v) > sum(best) / (best[0] * best[1]):\n",
        "best",
    ),
    Mutant(
        "tall_left_out",
        "leaves out what is too tall",
        HEIGHT,
        "        h = (registers - v - 1) // v\n        if h > rows:\n            continue\n",
        "best",
    ),
    Mutant("no_broadcast", "forgets the register of x", HEIGHT, HEIGHT.replace(" - 1", ""), "fits"),
    Mutant("no_weights", "forgets the registers of the weights", HEIGHT, HEIGHT.replace(" - v", ""), "fits"),
    Mutant("one_weight", "one register for all weights", HEIGHT, HEIGHT.replace(" - v - 1", " - 2"), "fits"),
    Mutant(
        "each_row", "a register for x of each row", HEIGHT, HEIGHT.replace("- v - 1) // v", "- v) // (v + 1)"), "fits"
    ),
    Mutant(
        "all_rows",
        "takes more rows than there are",
        HEIGHT,
        HEIGHT.replace("min((", "max((").replace("rows", "1"),
        "rows",
    ),
    Mutant(
        "rounded_down",
        "drops the last vector",
        VECTORS,
        VECTORS.replace("-(-channels // lanes)", "max(1, channels // lanes)"),
        "channels",
    ),
    Mutant(
        "numbers",
        "takes channels for vectors",
        VECTORS,
        VECTORS.replace("-(-channels // lanes)", "channels"),
        "channels",
    ),
    Mutant(
        "no_channels",
        "lets the registers limit the vectors alone",
        VECTORS,
        VECTORS.replace("-(-channels // lanes)", "registers"),
        "channels",
    ),
    Mutant(
        "no_single_row",
        "a range that ends before `rows`",
        HEIGHT,
        "        h = min((registers - v - 1) // v, rows - 1)\n        best = None if h < 1 and v == 1 else best\n",
        "rows",
    ),
    Mutant("a_row_less", "ends before `rows`", HEIGHT, HEIGHT.replace("rows)", "max(1, rows - 1))"), "best"),
    Mutant(
        "a_vector_less",
        "ends before the last vector",
        VECTORS,
        VECTORS.replace("-(-channels // lanes) + 1", "max(2, -(-channels // lanes))"),
        "best",
    ),
    Mutant("most_sums", "the most sums", BETTER, "        if h * v > best[0] * best[1]:\n", "best"),
    Mutant("whole_ratio", "divides without a remainder", BETTER, BETTER.replace(" / ", " // "), "best"),
    Mutant(
        "square",
        "the tile that is nearest to a square",
        BETTER,
        "        if abs(h - v) < abs(best[0] - best[1]) or best == (1, 1):\n",
        "best",
    ),
    Mutant("later", "takes the later of two", BETTER, BETTER.replace(" > ", " >= "), "ties"),
    Mutant("accepted", "1 x 1 for any processor", "    if registers < 3:\n", "    if registers < 0:\n", "refused"),
    Mutant("three", "three registers are too few", "    if registers < 3:\n", "    if registers <= 3:\n", "refused"),
    Mutant("two", "two registers are enough", "    if registers < 3:\n", "    if registers < 2:\n", "refused"),
    Mutant(
        "type",
        "another exception",
        '        raise ValueError(f"registers: ',
        '        raise TypeError(f"registers: ',
        "refused",
    ),
    Mutant(
        "in_numbers",
        "the width in numbers",
        "            best = h, v\n    return best\n",
        "            best = h, v\n    return best[0], best[1] * lanes\n",
        "fits",
    ),
    Mutant("list", "a list", "            best = h, v\n", "            best = [h, v]\n", "form"),
    Mutant(
        "numpy",
        "numpy's whole numbers",
        "            best = h, v\n",
        "            import numpy as np\n            best = np.int64(h), np.int64(v)\n",
        "form",
    ),
    Mutant(
        "exchanged",
        "vectors first",
        "            best = h, v\n    return best\n",
        "            best = h, v\n    return best[::-1]\n",
    ),
]
