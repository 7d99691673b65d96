r"""The memory of the busiest step: why the solution is as it is.

**Why it is right.** Go through the steps and keep one number: the bytes alive. At a step the new result comes, *then*
the peak is taken, and *then* those go that are read here for the last time. In this order, because an operator writes
its result while it still reads its inputs. Who goes when is found in advance: in one pass over all readings, the last
one overwrites the earlier ones. What nobody reads keeps its first entry, the last step.

**Cost.** Like the number of operators plus the number of readings. Adding up all lifetimes at each step is right,
too, but quadratic.

**Typical mistakes**

| mistake | what shows it |
|---|---|
| the sum of all results | any chain of three |
| inputs go before the result is counted | one operator: the peak must be input plus output |
| only what one operator reads and writes | a shortcut that passes by the busiest step |
| each reader lets the result go | a result with two readers |
| the first reader lets it go | a shortcut |
| two results with the same last reader, one forgotten | add |
| a result without a reader goes at once | a network with two outputs |

**What it means.** No memory plan can do with less: at that step, all these values must exist. kuiper reports the
number as `plan.lower_bound_bytes`. How much a plan really needs also depends on where the values lie: gaps between
boxes may be too small for the next one. To find the best plan is NP-hard; "largest first, at the lowest free place"
comes close and is quick. The bound itself depends on the order: another right order of the same network may have a
lower peak.
"""

from __future__ import annotations

from classroom.judge import Mutant, expect, task

from .. import public


@task("peak_bytes")
def random_networks(student, rng):
    """The busiest step of random networks, with several inputs, several outputs, and results that are read twice."""
    for steps in (2, 3, 5, 8, 8, 13, 21, 34, 34, 55):
        public.expect_peak(student, *public.run_of(rng, steps, int(rng.integers(1, 3))))


@task("peak_bytes")
def one_operator(student, rng):
    """One operator needs what its result needs."""
    size = int(rng.integers(1, 1 << 40))
    expect(student.peak_bytes(["op"], {"op": []}, {"op": size}), size)


@task("peak_bytes")
def a_long_skip(student, rng):
    """A result that is read at once and again much later is alive in between."""
    for length in (4, 9, 30):
        order = [f"op{i}" for i in range(length)]
        reads = {name: [order[i - 1]] if i else [] for i, name in enumerate(order)}
        start = int(rng.integers(0, length - 2))
        reads[order[-1]] = [order[start], order[-2]] if rng.integers(2) else [order[-2], order[start]]
        sizes = {name: int(rng.integers(1, 100)) for name in reversed(order)}
        sizes[order[start]] = 1000
        public.expect_peak(student, order, reads, sizes)


@task("peak_bytes")
def one_operand_in_two_slots(student, rng):
    """cat(x, x) reads x twice, and lets it go once."""
    for _ in range(4):
        a, b, c, d = (f"op{i}" for i in rng.permutation(100)[:4].tolist())
        sizes = {name: int(rng.integers(50, 100)) for name in (d, b, a, c)}
        public.expect_peak(student, [a, b, c, d], {a: [], b: [a, a], c: [b, b, b], d: [c, c]}, sizes)


MUTANTS = [
    Mutant(
        "nothing is ever let go",
        "the sum of all results is the space without reuse",
        old="        alive -= leaving.get(step, 0)\n",
        new="",
    ),
    Mutant(
        "inputs go before the output comes",
        "an operator needs its inputs while it writes its output",
        old=("        alive += sizes[name]\n        peak = max(peak, alive)\n        alive -= leaving.get(step, 0)\n"),
        new=("        alive += sizes[name] - leaving.get(step, 0)\n        peak = max(peak, alive)\n"),
    ),
    Mutant(
        "what nobody reads goes at once",
        "what the network returns must live to the end",
        old="    last = dict.fromkeys(order, len(order) - 1)",
        new="    last = {name: step for step, name in enumerate(order)}",
    ),
    Mutant(
        "the first reader lets go",
        "the last reader counts",
        old="            last[source] = step",
        new="            last[source] = min(last[source], step)",
    ),
    Mutant(
        "each reader lets go",
        "a result that is read twice is subtracted twice",
        old="        alive -= leaving.get(step, 0)",
        new="        alive -= sum(sizes[source] for source in reads[name])",
    ),
    Mutant(
        "only inputs and output of one operator",
        "results that are read later are alive, too",
        old="        peak = max(peak, alive)",
        new="        peak = max(peak, sizes[name] + sum(sizes[source] for source in set(reads[name])))",
    ),
    Mutant(
        "what is left at the end",
        "the busiest step is asked for, not the last",
        old="    return peak",
        new="    return alive",
    ),
    Mutant(
        "the order of the sizes",
        "operators run in the order of `order`, not of the dictionary",
        old="    last = dict.fromkeys(order, len(order) - 1)",
        new=("    order = list(sizes)\n    last = dict.fromkeys(order, len(order) - 1)"),
    ),
    Mutant(
        "one result leaves per step",
        "two results may have the same last reader",
        old="        leaving[step] = leaving.get(step, 0) + sizes[name]",
        new="        leaving[step] = sizes[name]",
    ),
    Mutant(
        "only the first input of each operator is read",
        "an operator reads all its inputs",
        old="        for source in reads[name]:",
        new="        for source in reads[name][:1]:",
    ),
    Mutant(
        "an operator in two slots counts twice",
        "cat(x, x) has one x in memory",
        old="        peak = max(peak, alive)",
        new=(
            "        double = sum(sizes[s] for s in reads[name]) - sum(sizes[s] for s in "
            "set(reads[name]))\n"
            "        peak = max(peak, alive + double)"
        ),
    ),
]
