r"""The block that needs the fewest bytes within a bound: why the solution is as it is.

A value takes a byte whatever the block is; there are C / block scales of four bytes in a row. So fewer bytes means a
larger block, and the blocks are tried from the largest down; the first one that is good enough is the answer.

The error of a whole weight is compared, squared: sum of squared differences <= bound^2 times the sum of squares. That
way a weight of zeros needs no case of its own, since 0 <= 0, while 0 / 0 is NaN, which is not below any bound.
The sums are taken in float64: a weight of millions of numbers loses digits in float32.

**Typical mistakes.** The first block that is good enough in the order they are given; the smallest block, which has
the smallest error and the most bytes; the largest difference instead of the root of the mean square.

**In real networks** blocks of 32 numbers are usual for 8 bits and for 4. Which weights can do with fewer bits is chosen
by what it does to the network's answers, not to its weights: a small error in the last layer can matter more than a
large one in the middle. Methods such as [GPTQ](https://arxiv.org/abs/2210.17323) round one column after the other, and
change those that are left, so that the layer's output stays.

**Cost.** Each block that is tried costs one pass over the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import NOT_DIVIDED, PEAK, uneven
from .shared import error, restored, rounded


def chosen(weight: np.ndarray, blocks: Sequence[int], bound: float) -> int | None:
    """What has to come out."""
    fitting = [block for block in blocks if weight.shape[1] % block == 0 and error(weight, block) <= bound]
    return max(fitting, default=None)


def bounds(weight: np.ndarray, blocks: Sequence[int]) -> list[float]:
    """Bounds above, below and between the errors of these blocks, all of them far from each."""
    errors = sorted(error(weight, block) for block in blocks)
    between = [(a * b) ** 0.5 for a, b in pairwise(errors) if b > 1.001 * a]
    return [errors[0] / 2, *between, 2 * errors[-1]]


WIDE = "float32 does not hold the squares of such numbers, but float64 does"


def chosen_mistakes(weight: np.ndarray, blocks: Sequence[int], bound: float) -> dict[str, int | None]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    fitting = [block for block in blocks if weight.shape[1] % block == 0]
    errors = {block: error(weight, block) for block in fitting}
    good = [block for block in fitting if errors[block] <= bound]
    right = chosen(weight, blocks, bound)
    found: list[tuple[str, int | None]] = []
    with np.errstate(all="ignore"):
        squares = np.square(np.float32(np.abs(weight).max(initial=0)))
    if np.any(weight) and not 0 < squares < np.inf:
        found += [(WIDE, max(fitting, default=None)), (f"{WIDE}: np.square(..., dtype=np.float64)", None)]
    if not np.any(weight):
        found.append(("a weight of zeros has no error, also for the bound 0: compare with <=, and 0 / 0 is NaN", None))
    found += [
        ("that block has the smallest error: the one with the fewest bytes, the largest block, is wanted", (
            min(good, default=None)
        )),
        ("that is the first block that is good enough, in the order of `blocks`: try the largest first", (
            good[0] if good else None
        )),
        ("the error with that block is above the bound", max(fitting, default=None)),
        ("that block does not divide the row", max(blocks, default=None)),
        (PEAK, max((block for block in fitting if peak(weight, block) <= bound), default=None)),
        (NOT_DIVIDED, max(
            (block for block in fitting if absolute(weight, block) <= bound), default=None
        )),
        ("the largest difference was compared: the error is the root of the MEAN square", max(
            (block for block in fitting if furthest(weight, block) <= bound), default=None
        )),
        ("where no block is good enough the result is None", min(fitting, default=None)),
        ("where no block is good enough the result is None, not 0", 0),
        ("a block is good enough here", None),
    ]  # fmt: skip
    return {cause: answer for cause, answer in found if answer != right}


def absolute(weight: np.ndarray, block: int) -> float:
    """The root of the mean square of what rounding changes."""
    return float(np.sqrt(np.square(restored(*rounded(weight, block)) - weight).mean()))


def furthest(weight: np.ndarray, block: int) -> float:
    """The largest difference, over the largest number."""
    return float(np.abs(restored(*rounded(weight, block)) - weight).max() / max(np.abs(weight).max(), 1e-30))


def peak(weight: np.ndarray, block: int) -> float:
    """The largest difference, over the root of the mean square of the weight."""
    usual = float(np.sqrt(np.square(weight, dtype=np.float64).mean()))
    return float(np.abs(restored(*rounded(weight, block)) - weight).max()) / usual if usual else 0.0


@task("choose_block")
def any_weights(student: Student, rng: np.random.Generator) -> None:
    """Random weights, blocks in any order, bounds between their errors."""
    for _ in range(6):
        rows, columns = int(rng.integers(1, 6)), int(rng.choice([8, 12, 24]))
        weight = uneven(rng, rows, columns)
        blocks = [int(n) for n in rng.permutation([2, 4, 5, 12, 24, 48])]
        for bound in bounds(weight, [block for block in blocks if columns % block == 0]):
            expect(
                student.choose_block(weight, blocks, bound), chosen(weight, blocks, bound), what=f"bound {bound:.4g}"
            )


@task("choose_block")
def large_weights(student: Student, rng: np.random.Generator) -> None:
    """Weights of 1e18 and of 1e-18, whose squares float32 does not hold."""
    for size in (1e18, 1e-18, 1e25):
        weight = uneven(rng, 2, 16) * np.float32(size)
        for bound in bounds(weight, [4, 16]):
            expect(
                student.choose_block(weight, [4, 16], bound), chosen(weight, [4, 16], bound), what=f"bound {bound:.4g}"
            )


ORDER = "    for block in sorted(blocks, reverse=True):\n"
FITS = "        if weight.shape[1] % block == 0:\n"
ENOUGH = "            if np.square(difference, dtype=np.float64).sum() <= bound**2 * squares:\n"

MUTANTS = [
    Mutant("as_given", "the first in the order given", ORDER, "    for block in blocks:\n", "fewest"),
    Mutant("smallest", "the smallest block", ORDER, "    for block in sorted(blocks):\n", "fewest"),
    Mutant("any_error", "the largest block, whatever its error", ENOUGH, "            if True:\n"),
    Mutant(
        "largest_difference",
        "compares the largest difference",
        ENOUGH,
        "            if not squares or np.abs(difference).max() <= bound * np.abs(weight).max() / 8:\n",
    ),
    Mutant(
        "peak",
        "compares the largest difference with the root of the mean square",
        ENOUGH,
        "            if np.square(difference, dtype=np.float64).max() <= bound**2 * squares / weight.size:\n",
    ),
    Mutant("not_divided", "does not divide by the weight", ENOUGH, ENOUGH.replace("squares", "weight.size")),
    Mutant("not_squared", "forgets to square the bound", ENOUGH, ENOUGH.replace("bound**2", "bound"), "error"),
    Mutant(
        "zero_by_zero",
        "divides by 0",
        ENOUGH,
        "            if squares and np.square(difference, dtype=np.float64).sum() / squares <= bound**2:\n",
        "zeros",
    ),
    Mutant("float32", "squares of float32", ENOUGH, ENOUGH.replace(", dtype=np.float64", ""), "range"),
    Mutant("refuses", "does not look whether the block divides", FITS, "        if True:\n", "divides"),
    Mutant(
        "zero",
        "0 where none is left",
        "                return int(block)\n    return None\n",
        "                return int(block)\n    return 0\n",
        "none",
    ),
    Mutant("numpy", "numpy's whole number", "return int(block)", "return np.int64(block)", "dtype"),
    Mutant("float", "a float", "return int(block)", "return float(block)", "dtype"),
]
