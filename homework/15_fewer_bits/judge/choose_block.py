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

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import BOUNDS, PROBES, uneven
from .shared import error, restored, rounded

Measure = Callable[[np.ndarray, np.ndarray], float]
Choice = Callable[[list[int]], int]


def chosen(weight: np.ndarray, blocks: Sequence[int], bound: float) -> int | None:
    """What has to come out."""
    fitting = [block for block in blocks if weight.shape[1] % block == 0 and error(weight, block) <= bound]
    return max(fitting, default=None)


def bounds(weight: np.ndarray, blocks: Sequence[int]) -> list[float]:
    """Bounds above, below, between and little above the errors of these blocks; rounding moves no error so far."""
    errors = sorted(error(weight, block) for block in blocks)
    between = [(a * b) ** 0.5 for a, b in pairwise(errors) if b > 1.001 * a]
    above = [1.05 * a for a, b in pairwise(errors) if b > 1.1 * a]
    return [errors[0] / 2, *between, *above, 1.05 * errors[-1], 2 * errors[-1]]


ZEROS = (
    "a weight of zeros has no error, whatever the bound: 0 / 0 is NaN, and no comparison with NaN is true, so compare "
    "sums without dividing, with <="
)
WIDE = "float32 does not hold the squares of such numbers, but float64 does"


def chosen_mistakes(weight: np.ndarray, blocks: Sequence[int], bound: float) -> dict[str, int | None]:
    """Likely cause -> what it gives, where that is not what has to come out. Several causes may give the same block."""
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
        found.append((ZEROS, None))
    elif not bound and right is not None:
        found.append((f"with blocks of {right} the error is 0, and the bound 0: AT MOST is <=, and not <", None))
    found += [
        (f"with blocks of {block} the error is {errors[block]:.4g}, above the bound: {ERROR}", block)
        for block in fitting
        if errors[block] > bound
    ]
    found += [
        (
            f"blocks of {right} keep within the bound, too (error {errors[right]:.4g}), in fewer bytes than {block}",
            block,
        )
        for block in good
        if right is not None
    ]
    found += [
        ("that block does not divide the row", max(blocks, default=None)),
        ("where no block is good enough the result is None, not 0", 0),
        ("where no block is good enough the result is None, not -1", -1),
    ]
    if right is not None:
        found.append((f"with blocks of {right} the error is {errors[right]:.4g}, within the bound: {ERROR}", None))
    return {cause: answer for cause, answer in found if answer != right}


ERROR = "the error is the root of the mean square of all differences, over that of the whole weight"


def mean_square(numbers: np.ndarray) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.square(numbers, dtype=np.float64).mean()))


MEASURES: dict[str, Measure] = {
    "the largest difference was compared: it is the root of the MEAN square of all of them": (
        lambda off, weight: float(np.abs(off).max()) / mean_square(weight)
    ),
    "the largest difference was compared with the largest weight: of both it is the root of the MEAN square": (
        lambda off, weight: float(np.abs(off).max() / np.abs(weight).max())
    ),
    "the largest difference was compared, undivided: the root of the mean square is, over that of the weight": (
        lambda off, weight: float(np.abs(off).max())
    ),
    "the error is divided by the root of the mean square of the weight": lambda off, weight: mean_square(off),
    "the error is divided by the root of the mean square of the weight, and not by its largest number": (
        lambda off, weight: mean_square(off) / float(np.abs(weight).max())
    ),
    "the error is divided by the root of the mean square of the weight, and not by the mean of its magnitudes": (
        lambda off, weight: mean_square(off) / float(np.abs(weight).mean())
    ),
    "means of magnitudes were compared: of differences and weight it is the root of the mean SQUARE": (
        lambda off, weight: float(np.abs(off).mean() / np.abs(weight).mean())
    ),
    "the mean of the magnitudes of the differences was taken: it is the root of their mean SQUARE": (
        lambda off, weight: float(np.abs(off).mean()) / mean_square(weight)
    ),
    "mean squares were compared, without the root: take it, or square the bound": (
        lambda off, weight: (mean_square(off) / mean_square(weight)) ** 2
    ),
    "each row was compared by itself, and the mean of the rows taken: it is one mean square of ALL numbers": (
        lambda off, weight: float(np.mean([mean_square(a) / mean_square(b) for a, b in zip(off, weight)]))
    ),
    "each row was compared by itself, and the worst one counted: it is one mean square of ALL numbers": (
        lambda off, weight: max(mean_square(a) / mean_square(b) for a, b in zip(off, weight))
    ),
    "each difference was divided by its own weight: divide the root of the mean square by that of the weight": (
        lambda off, weight: mean_square(off / weight)
    ),
}
"""Likely cause -> what is compared with the bound, made of the differences and the weight."""
CHOICES: dict[str, Choice] = {
    "that block has the smallest error: the one with the fewest bytes, the largest block, is wanted": min,
    "that is the first block that is good enough, in the order of `blocks`: try the largest first": lambda good: good[
        0
    ],
    "that is the last block that is good enough, in the order of `blocks`: try the largest first": lambda good: good[
        -1
    ],
}
"""Likely cause -> which of the blocks that are good enough is taken."""
ONE_TRIED = "was every block tried? None is the answer after the loop; inside it, it ends the search at the first block"
GIVEN_UP: dict[str, Callable[[list[int]], list[int]]] = {
    ONE_TRIED: lambda blocks: sorted(blocks, reverse=True),
    f"{ONE_TRIED}; and the largest block comes first": list,
    f"{ONE_TRIED}; and the largest block comes first, not the smallest": sorted,
}
"""Likely cause -> the order of the blocks, of which only the first is tried."""


@cache
def probed_mistakes() -> dict[str, list[int | None]]:
    """Likely cause -> the blocks that come of it for all of PROBES: one block alone may come of several."""
    differences = {
        (place, block): restored(*rounded(weight, block)) - weight
        for place, (weight, blocks) in enumerate(PROBES)
        for block in blocks
    }

    def taken(measure: Measure, choice: Choice) -> list[int | None]:
        made: list[int | None] = []
        for place, (weight, blocks) in enumerate(PROBES):
            errors = {block: measure(differences[place, block], weight) for block in blocks}
            kept = ([block for block in blocks if errors[block] <= bound] for bound in BOUNDS)
            made += [choice(good) if good else None for good in kept]
        return made

    def relative(off: np.ndarray, weight: np.ndarray) -> float:
        return mean_square(off) / mean_square(weight)

    def given_up(order: Callable[[list[int]], list[int]]) -> list[int | None]:
        """What comes of a `return None` within the loop: the first block, if it is good enough."""
        made: list[int | None] = []
        for place, (weight, blocks) in enumerate(PROBES):
            first = order(blocks)[0]
            off = relative(differences[place, first], weight)
            made += [first if off <= bound else None for bound in BOUNDS]
        return made

    by_measure = {cause: taken(measure, max) for cause, measure in MEASURES.items()}
    by_choice = {cause: taken(relative, choice) for cause, choice in CHOICES.items()}
    return by_measure | by_choice | {cause: given_up(order) for cause, order in GIVEN_UP.items()}


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
    Mutant(
        "in_place",
        "sorts the list itself",
        ORDER,
        "    blocks.sort(reverse=True)\n    for block in blocks:\n",
        "argument",
    ),
    Mutant("as_given", "the first in the order given", ORDER, "    for block in blocks:\n", "fewest"),
    Mutant("smallest", "the smallest block", ORDER, "    for block in sorted(blocks):\n", "fewest"),
    Mutant("any_error", "the largest block, whatever its error", ENOUGH, "            if True:\n"),
    Mutant(
        "below",
        "wants an error below the bound",
        ENOUGH,
        "            if not squares or np.square(difference, dtype=np.float64).sum() < bound**2 * squares:\n",
        "error",
    ),
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
    Mutant(
        "magnitudes",
        "compares means of magnitudes",
        ENOUGH,
        "            if not squares or np.abs(difference).mean() <= bound * np.abs(weight).mean():\n",
    ),
    Mutant("not_squared", "forgets to square the bound", ENOUGH, ENOUGH.replace("bound**2", "bound"), "error"),
    Mutant(
        "zero_by_zero",
        "divides by 0",
        ENOUGH,
        "            if squares and np.square(difference, dtype=np.float64).sum() / squares <= bound**2:\n",
        "zeros",
    ),
    Mutant(
        "zeros_any",
        "the largest block for zeros, whether it divides or not",
        ORDER,
        "    if not squares:\n        return int(max(blocks))\n" + ORDER,
        "divides",
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
