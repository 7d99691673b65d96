r"""All values in one short block of memory: why the solution is as it is.

`place` is the whole of it. For the next value, take those that have a place already and share a step with it; walk
through them from the lowest offset up, keeping in `start` the lowest byte that is still free; stop at the first gap
that is large enough.

- Lives include both ends: the operator that reads a value for the last time writes its own result in the same step.
  Hence `<=`, on both sides.
- `max(start, ...)`: of two neighbours, which may overlap each other in bytes if they do not meet in time, the lower
  one may reach higher.
- Two values overlap in bytes unless one ends before the other begins, and in time likewise: a plan is a packing of
  rectangles.

Finding the shortest block is NP-hard, so the order is a matter of experience. In the tests' networks (mean of many
runs):

| plan | above the bound |
|---|---|
| a place for each value | 250 % |
| a list of buffers, the first free one that is large enough | 70 % |
| lowest free offset, in the order in which values are written | 15 % |
| lowest free offset, largest first | 3 % |
| the best of three orders: by size, by size times length, by length | 2 % |

Written in order, a small value soon sits in the middle of a place that a large one will need. Large first, the small
ones fill the gaps. One plan is made and used for every pass, so it pays to try several: kuiper's
[arena.py](../../../kuiper/fast/plan/arena.py) goes on and moves what sticks out at the top.

The bound itself cannot always be reached: three values may each fit, and yet not lie side by side at every step.

Source: Y. Pisarchyk, J. Lee, [Efficient memory management for deep neural net
inference](https://arxiv.org/abs/2001.03288), 2020.

Cost: n values with up to n neighbours each, sorted: n^2 log n.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Failure, Mutant, Student, expect, task

from ..public import Life, as_arrays, expect_plan, expect_within, network, networks


def lower_bounds(some: list[tuple[np.ndarray, np.ndarray]]) -> list[int]:
    """Of each network, (lives (n, 2), sizes (n,)): the most bytes that are alive at any one step."""
    bounds = []
    for lives, sizes in some:
        first, last = lives.T
        alive = (first <= first[:, None]) & (first[:, None] <= last)
        bounds.append(int((alive @ sizes).max()))
    return bounds


@task("plan_memory")
def lives_of_all_kinds(student: Student, rng: np.random.Generator) -> None:
    """Two values that share one step only, or all steps, or of which one lives inside the other, do not overlap."""
    cases: list[dict[str, Life]] = [
        {f"v{i}": (i, i + 1) for i in range(8)},
        {f"v{i}": (2 * i, 2 * i + 2) for i in reversed(range(6))},
        {f"v{i}": (i, 12 - i) for i in range(6)},
        {f"v{i}": (3, 3) for i in range(5)},
        {f"v{i}": (i // 3, i // 3 + i % 3) for i in range(9)},
        {"long": (0, 9), **{f"v{i}": (i, i) for i in range(10)}},
        {"only": (4, 7)},
    ]
    for lives in cases:
        for _ in range(4):
            sizes = {name: int(rng.integers(1, 1000)) for name in lives}
            expect_plan(student.plan_memory(lives, sizes), lives, sizes)
    expect(student.plan_memory({}, {}), {}, what="the plan of no values")


@task("plan_memory")
def large_networks(student: Student, rng: np.random.Generator) -> None:
    """In networks of 300 steps nothing overlaps, and values that never meet share their places."""
    for kind in (0, 2):
        lives, sizes = network(rng, 300, kind)
        height = expect_plan(student.plan_memory(lives, sizes), lives, sizes)
        if height > 3 * lower_bounds(as_arrays([(lives, sizes)]))[0]:
            raise Failure(f"the block has {height:,} bytes, more than three times the bound")


def within(student: Student, rng: np.random.Generator, kinds: tuple[int, ...], count: int, most: float) -> None:
    """Raise Failure unless the plans of so many networks are right, and within `most` times their bounds."""
    some = networks(rng, kinds, count)
    expect_within(student, some, lower_bounds(as_arrays(some)), most)


@task("plan_memory")
def within_100_percent(student: Student, rng: np.random.Generator) -> None:
    """On average over 30 networks the block is at most 100 % longer than the bound."""
    within(student, rng, (0, 1, 2), 30, 2.0)


@task("plan_memory")
def within_25_percent_again(student: Student, rng: np.random.Generator) -> None:
    """On average over 30 other networks the block is at most 25 % longer than the bound."""
    within(student, rng, (0, 1, 2), 30, 1.25)


@task("plan_memory")
def within_10_percent_again(student: Student, rng: np.random.Generator) -> None:
    """On average over 50 other networks the block is at most 10 % longer than the bound."""
    within(student, rng, (1, 2), 50, 1.1)


TOGETHER = "        together = [other for other in offsets if lives[other][0] <= last and first <= lives[other][1]]\n"
PLANS = "    plans = [place(order, lives, sizes) for order in (by_size, by_area, by_length)]\n"

MUTANTS = [
    Mutant(
        "no_reuse",
        "gives each value a place of its own",
        old=TOGETHER,
        new="        together = list(offsets)\n",
        breaks="within_100",
    ),
    Mutant(
        "touching",
        "reuses a place at the very step at which it is read for the last time",
        old=TOGETHER,
        new=("        together = [other for other in offsets if lives[other][0] < last and first < lives[other][1]]\n"),
        breaks="both_ends",
    ),
    Mutant(
        "half_touching",
        "looks at one end of the lives only with <",
        old=TOGETHER,
        new=(
            "        together = [other for other in offsets if lives[other][0] <= last and first < lives[other][1]]\n"
        ),
        breaks="both_ends",
    ),
    Mutant(
        "one_value_a_step",
        "of two values that are alive together one begins first",
        old=TOGETHER,
        new=(
            "        life = lives.__getitem__\n"
            "        together = [\n"
            "            o for o in offsets if life(o)[0] < first <= life(o)[1] or first < life(o)[0] <= last\n"
            "        ]\n"
        ),
        breaks="both_ends",
    ),
    Mutant(
        "starts_only",
        "asks only whether the other is alive when this one begins",
        old=TOGETHER,
        new=(
            "        together = [other for other in offsets if lives[other][0] <= first and first <= lives[other][1]]\n"
        ),
        breaks="apart",
    ),
    Mutant(
        "by_place",
        "takes the first life for the first size, whatever their names are",
        old="    length = {name: last",
        new="    lives = dict(zip(sizes, lives.values()))\n    length = {name: last",
        breaks="apart",
    ),
    Mutant(
        "one_byte_too_many",
        "takes a gap that is one byte too short",
        old="            if start + sizes[name] <= offsets[other]:\n",
        new="            if start + sizes[name] <= offsets[other] + 1:\n",
    ),
    Mutant(
        "unsorted",
        "looks at the neighbours in the order in which they were placed",
        old="sorted(together, key=offsets.__getitem__)",
        new="together",
    ),
    Mutant(
        "gap_too_small",
        "takes a gap without asking for its size",
        old="            if start + sizes[name] <= offsets[other]:\n",
        new="            if start < offsets[other]:\n",
        breaks="apart",
    ),
    Mutant(
        "start_moves_back",
        "forgets that an earlier neighbour may reach further up",
        old="            start = max(start, offsets[other] + sizes[other])\n",
        new="            start = offsets[other] + sizes[other]\n",
        breaks="apart",
    ),
    Mutant(
        "in_time",
        "places the values in the order in which they are written",
        old=PLANS,
        new="    plans = [place(sorted(sizes, key=lambda name: lives[name]), lives, sizes)]\n",
        breaks="within_10",
    ),
    Mutant(
        "smallest_first",
        "places the smallest first",
        old=PLANS,
        new="    plans = [place(by_size[::-1], lives, sizes)]\n",
    ),
    Mutant(
        "buffers",
        "keeps a list of buffers and takes a free one that is large enough",
        old=PLANS,
        new=(
            "    pool, found, top = [], {}, 0\n"
            "    for name in sorted(sizes, key=lambda name: lives[name]):\n"
            "        buffer = next((b for b in pool if b[2] < lives[name][0] and b[1] >= sizes[name]), "
            "None)\n"
            "        if buffer is None:\n"
            "            buffer = [top, sizes[name], 0]\n"
            "            pool.append(buffer)\n"
            "            top += sizes[name]\n"
            "        buffer[2] = lives[name][1]\n"
            "        found[name] = buffer[0]\n"
            "    plans = [found]\n"
        ),
        breaks="within_25",
    ),
    Mutant(
        "one_buffer_size",
        "makes all buffers as large as the largest value",
        old=PLANS,
        new="    plans = [place(by_size, lives, dict.fromkeys(sizes, max(sizes.values(), default=0)))]\n",
    ),
    Mutant(
        "by_name",
        "returns a list in the order of the names",
        old="    return min(plans, key",
        new=("    return [plans[0][name] for name in sorted(sizes)]\n    return min(plans, key"),
        breaks="names",
    ),
    Mutant(
        "small_networks_apart",
        "for fewer than ten values a plan is not worth it",
        old=TOGETHER,
        new=(
            "        few = len(sizes) < 10\n"
            "        together = [o for o in offsets if few or lives[o][0] <= last and first <= lives[o][1]]\n"
        ),
        breaks="few",
    ),
    Mutant(
        "numpy_offsets",
        "offsets from numpy are no plain ints",
        old="        offsets[name] = start\n",
        new="        offsets[name] = np.int64(start)\n",
        breaks="offsets",
    ),
    Mutant(
        "below_zero",
        "the block grows downwards",
        old="        offsets[name] = start\n",
        new="        offsets[name] = start - 1\n",
        breaks="offsets",
    ),
    Mutant(
        "largest_of_nothing",
        "there is always a value",
        old="for name in plan), default=0))",
        new="for name in plan)))",
        breaks="nothing",
    ),
    Mutant(
        "no_small_values",
        "what is small has room anywhere",
        old="    return min(plans, key",
        new=(
            "    plans = [{name: offset for name, offset in plan.items() if sizes[name] > 1000} for plan in plans]\n"
            "    return min(plans, key"
        ),
        breaks="names",
    ),
    Mutant(
        "powers_of_two",
        "sizes are rounded up to powers of two, as a buddy allocator does",
        old=PLANS,
        new=(
            "    rounded = {name: 1 << (size - 1).bit_length() for name, size in sizes.items()}\n"
            "    plans = [place(by_size, lives, rounded if len(sizes) > 9 else sizes)]\n"
        ),
        breaks="within_25",
    ),
]
