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

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import run_of

TOO_EARLY = (
    "a result is missing at the busiest step. Take the peak before the inputs go; let each result go once, after its "
    "last reader; what nobody reads stays."
)
KEPT = "too early: a result that nobody reads goes at once. The network returns it: keep it."
UNDONE = "a name in two slots of one operator is counted twice and subtracted once, so it never goes. Count both alike."
STEPS = "steps are places in `order`, not in `reads`: find the last readers along `order`."
READINGS = "the last key in `reads` that reads a result need not be its last reader: take the latest step in `order`."
BY_READS = "the operators ran in the order of `reads`. Go through `order`."
BY_SIZES = "the operators ran in the order of `sizes`. Go through `order`."


def peak(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """By the definition: at each step, the sum over all results that are alive."""
    busiest = 0
    for now in range(len(order)):
        alive = 0
        for first, name in enumerate(order[: now + 1]):
            readers = [step for step, reader in enumerate(order) if name in reads[reader]]
            if first <= now <= max(readers, default=len(order)):
                alive += sizes[name]
        busiest = max(busiest, alive)
    return busiest


def peak_mistakes(
    order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int], rule: str = ""
) -> dict[str, int | float]:
    """Likely cause -> what it gives here, where it is wrong; of causes that give the same, two are told together.

    rule : the one that a test is about, "unread", "once" or "order"; its causes come first, and without those that the
        tests before it tell.
    """
    right = peak(order, reads, sizes)
    wrong_peaks = _wrong_peaks(order, reads, sizes)
    sought = {
        "unread": {KEPT: wrong_peaks[KEPT]},
        "once": {UNDONE: wrong_peaks[UNDONE]},
        "order": {
            **_steps_of(order, reads, sizes),
            READINGS: _by_readings(order, reads, sizes),
            BY_READS: wrong_peaks[BY_READS],
            BY_SIZES: wrong_peaks[BY_SIZES],
        },
    }
    same: dict[int, list[str]] = {}
    for cause, wrong in sought.get(rule, {}).items():
        if wrong != right and not (cause.startswith(STEPS) and wrong in same):
            same.setdefault(wrong, []).append(cause)
    own = {" Or: ".join(found): wrong for wrong, found in same.items()}
    causes: dict[int, list[str]] = {}
    for cause, wrong in wrong_peaks.items():
        if wrong != right:
            causes.setdefault(wrong, []).append(cause)
    mistakes: dict[str, int | float] = {"the bytes came as a float: return an int.": float(right), **own}
    for wrong, found in causes.items():
        if wrong in own.values():
            continue
        if len(found) == 1:
            mistakes[found[0]] = wrong
        elif all(cause.startswith("too early") for cause in found):
            mistakes[TOO_EARLY] = wrong
        elif len(found) == 2:
            mistakes[" Or: ".join(found)] = wrong
    return mistakes


def _wrong_peaks(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> dict[str, int]:
    """Likely cause -> what it gives."""
    unread = [name for name in order if not any(name in sources for sources in reads.values())]
    closed = {**reads, **{name: [*reads[name], name] for name in unread}}
    widest = max(sizes[name] + sum(sizes[source] for source in set(reads[name])) for name in order)
    readers = {name: [step for step, reader in enumerate(order) if name in reads[reader]] for name in order}
    last = {name: max(steps, default=len(order) - 1) for name, steps in readers.items()}
    first = {name: min(steps, default=len(order) - 1) for name, steps in readers.items()}
    by_last = [[name for name in order if last[name] == step] for step in range(len(order))]
    by_first = [[name for name in order if first[name] == step] for step in range(len(order))]
    short = {name: sources[:1] for name, sources in reads.items()}
    looked_at = [now for now, name in zip(_levels(order, by_last, sizes), order, strict=True) if reads[name]]
    twice = [
        [name for name in gone for _ in range(max(reads[order[step]].count(name), 1))]
        for step, gone in enumerate(by_last)
    ]
    undone = [[name for name in gone if len(readers[name]) == sum(reads[each].count(name) for each in order)]
              for gone in by_last]  # fmt: skip
    down = {
        name: [step for step in steps for _ in range(reads[order[step]].count(name))] for name, steps in readers.items()
    }
    counted = {name: down[name][len(readers[name]) - 1] if readers[name] else len(order) - 1 for name in order}
    by_counted = [[name for name in order if counted[name] == step] for step in range(len(order))]
    shared = [[name for name in gone if len(readers[name]) < 2] for gone in by_last]
    held = _levels(order, by_last, sizes)
    double = [sum(sizes[s] for s in reads[name]) - sum(sizes[s] for s in set(reads[name])) for name in order]
    return {
        "every result stays to the end. Let each go after its last reader.": sum(sizes.values()),
        "this is the largest result alone. Add up all that is alive at the same step.": max(sizes.values()),
        "only what one operator reads and writes is counted. Others are alive, too: they are read later.": widest,
        KEPT: peak(order, closed, sizes),
        "too early: an operator's inputs and its own result are there together. Add the result, then take the peak, "
        "then let the inputs go.": max(
            now - sum(sizes[gone] for gone in leaving)
            for now, leaving in zip(_levels(order, by_last, sizes), by_last, strict=True)
        ),
        "too early: a result goes after its first reader. Let it go after the last.": max(
            _levels(order, by_first, sizes)
        ),
        "too early: what is read in two slots is counted down twice, and was counted once. Count both alike.": max(
            _levels(order, by_counted, sizes)
        ),
        "too early: each reader subtracts what it reads. Let a result go once, after its last reader.": max(
            _levels(order, [reads[name] for name in order], sizes)
        ),
        "too early: a result in two slots of its last reader goes twice. Let it go once.": max(
            _levels(order, twice, sizes)
        ),
        UNDONE: max(_levels(order, undone, sizes)),
        "the last step is left out. Take the peak at each step, the last one too.": max(
            _levels(order, by_last, sizes)[:-1], default=0
        ),
        "results of equal size count once, as in a set. Add up the sizes of all that are alive.": max(
            sum({sizes[name] for first, name in enumerate(order) if first <= step <= last[name]})
            for step in range(len(order))
        ),
        "the peak is taken only at operators that read something. Take it at each step.": max(looked_at, default=0),
        "this is what the last step holds. Keep the largest number on the way.": held[-1],
        "this is what is left after the last step. Keep the largest number on the way.": sum(
            sizes[name] for name in unread
        ),
        "this is what is left when all has gone. Keep the largest number on the way.": 0,
        "a result goes one step too late. It goes after the step that reads it last, before the next one begins.": max(
            _levels(order, [[], *by_last[:-1]], sizes)
        ),
        "an operator's inputs count twice at its step. They are among those that are alive already.": max(
            now + sum(sizes[source] for source in set(reads[name])) for now, name in zip(held, order, strict=True)
        ),
        "results are counted, and not their bytes. Add up sizes[name].": max(
            _levels(order, by_last, dict.fromkeys(order, 1))
        ),
        "a result that several operators read never goes. Let it go after the last of them.": max(
            _levels(order, shared, sizes)
        ),
        BY_SIZES: _in_order_of(sizes, reads, sizes),
        BY_READS: _in_order_of(reads, reads, sizes),
        "one result goes at each step, also where two have the same last reader. Let all of them go.": max(
            _levels(order, [leaving[-1:] for leaving in by_last], sizes)
        ),
        "only the first input of each operator is looked at. Go through all of reads[name].": (
            peak(order, short, sizes)
        ),
        "a result that an operator reads twice counts twice. It is in memory once.": max(
            now + more for now, more in zip(_levels(order, by_last, sizes), double, strict=True)
        ),
    }


def _levels(order: Sequence[str], leaving: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> list[int]:
    """The bytes alive at each step, when `leaving` go after it."""
    alive, found = 0, []
    for name, gone in zip(order, leaving, strict=True):
        alive += sizes[name]
        found.append(alive)
        alive -= sum(sizes[each] for each in gone)
    return found


def _in_order_of(names: Iterable[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The peak of the operators in the order of a dictionary, where a reader may come before what it reads."""
    order = list(names)
    last = dict.fromkeys(order, len(order) - 1)
    for step, name in enumerate(order):
        last |= dict.fromkeys(reads[name], step)
    return max(_levels(order, [[name for name in last if last[name] == step] for step in range(len(last))], sizes))


def _by_readings(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The peak, if a result goes after that reader whose key in `reads` comes last."""
    last = dict.fromkeys(order, len(order) - 1)
    for name, sources in reads.items():
        last |= dict.fromkeys(sources, order.index(name))
    return max(_levels(order, [[name for name in order if last[name] == step] for step in range(len(order))], sizes))


def _steps_of(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> dict[str, int]:
    """Likely cause -> what the last readers give, if their steps are counted along the keys of `reads`."""
    last = dict.fromkeys(order, len(order) - 1)
    for step, name in enumerate(reads):
        last |= dict.fromkeys(reads[name], step)
    leaving = [[name for name in order if last[name] == step] for step in range(len(order))]
    present: set[str] = set()
    there = []
    for name, gone in zip(order, leaving, strict=True):
        present.add(name)
        there.append(sum(sizes[each] for each in present))
        present -= set(gone)
    by_readers = [[name for name in set(reads[reader]) if last[name] == step] for step, reader in enumerate(order)]
    lives = [
        sum(sizes[name] for first, name in enumerate(order) if first <= step <= last[name])
        for step in range(len(order))
    ]
    return {
        STEPS: max(there),
        f"{STEPS} Else a result goes before it has come.": max(_levels(order, leaving, sizes)),
        f"{STEPS} Else a life may end before it begins.": max(lives),
        f"{STEPS} Else a result stays after its last reader.": max(_levels(order, by_readers, sizes)),
    }


def expect_peak(
    student: Student, order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]
) -> None:
    """Compare with the definition."""
    expect(student.peak_bytes(order, reads, sizes), peak(order, reads, sizes), what="the peak")


@task("peak_bytes")
def random_networks(student: Student, rng: np.random.Generator) -> None:
    """The busiest step of random networks, with several inputs, several outputs, and results that are read twice."""
    for steps in (2, 3, 5, 8, 8, 13, 21, 34, 34, 55):
        expect_peak(student, *run_of(rng, steps, int(rng.integers(1, 3))))


@task("peak_bytes")
def one_operator(student: Student, rng: np.random.Generator) -> None:
    """One operator needs what its result needs."""
    size = int(rng.integers(1, 1 << 40))
    expect(student.peak_bytes(["op"], {"op": []}, {"op": size}), size)


@task("peak_bytes")
def a_long_skip(student: Student, rng: np.random.Generator) -> None:
    """A result that is read at once and again much later is alive in between."""
    for length in (4, 9, 30):
        order = [f"op{i}" for i in range(length)]
        reads = {name: [order[i - 1]] if i else [] for i, name in enumerate(order)}
        start = int(rng.integers(0, length - 2))
        reads[order[-1]] = [order[start], order[-2]] if rng.integers(2) else [order[-2], order[start]]
        sizes = {name: int(rng.integers(1, 100)) for name in reversed(order)}
        sizes[order[start]] = 1000
        expect_peak(student, order, reads, sizes)


@task("peak_bytes")
def one_operand_in_two_slots(student: Student, rng: np.random.Generator) -> None:
    """cat(x, x) reads x twice, and lets it go once."""
    for _ in range(4):
        a, b, c, d = (f"op{i}" for i in rng.permutation(100)[:4].tolist())
        sizes = {name: int(rng.integers(50, 100)) for name in (d, b, a, c)}
        expect_peak(student, [a, b, c, d], {a: [], b: [a, a], c: [b, b, b], d: [c, c]}, sizes)


MUTANTS = [
    Mutant(
        "neighbouring slots alone count once",
        "cat(a, b, a) has the same result in two slots that do not stand side by side",
        old="        alive -= leaving.get(step, 0)\n",
        new=(
            "        for slot, source in enumerate(reads[name]):\n"
            "            if last[source] == step and (slot == 0 or reads[name][slot - 1] != source):\n"
            "                alive -= sizes[source]\n"
        ),
        breaks="once",
    ),
    Mutant(
        "an input that nobody reads goes at once",
        "only what has been computed is taken for a result",
        old="        alive -= leaving.get(step, 0)\n",
        new=(
            "        alive -= leaving.get(step, 0)\n"
            "        if step < len(order) - 1 and not reads[name]:\n"
            "            alive -= 0 if any(name in some for some in reads.values()) else sizes[name]\n"
        ),
        breaks="unread",
    ),
    Mutant(
        "sizes as floats",
        "bytes are counted, not measured",
        old="    alive = peak = 0\n",
        new="    alive = peak = 0.0\n",
        breaks="busiest",
    ),
    Mutant(
        "no operators were not thought of",
        "the first operator begins, if there is one",
        old="    alive = peak = 0\n",
        new="    alive, peak = 0, sizes[order[0]]\n",
        breaks="empty",
    ),
    Mutant(
        "the peak of the results alone",
        "the largest result taken for the busiest step",
        old="    return peak\n",
        new="    return max(sizes.values(), default=0)\n",
        breaks="alive",
    ),
    Mutant(
        "only steps that read",
        "the peak is taken in the loop over an operator's inputs, and a constant has none",
        old="        peak = max(peak, alive)\n",
        new="        peak = max(peak, alive) if reads[name] else peak\n",
        breaks="busiest",
    ),
    Mutant(
        "two slots let go twice",
        "a list of readers, in which one reader stands twice",
        old="        leaving[step] = leaving.get(step, 0) + sizes[name]\n",
        new=(
            "        readers = reads[order[step]].count(name)\n"
            "        leaving[step] = leaving.get(step, 0) + sizes[name] * max(readers, 1)\n"
        ),
        breaks="once",
    ),
    Mutant(
        "a result that nobody reads never comes",
        "only what is read is put into memory",
        old="        alive += sizes[name]\n",
        new="        alive += sizes[name] if any(name in sources for sources in reads.values()) else 0\n",
        breaks="unread",
    ),
    Mutant(
        "the order of the readings",
        "the readings are looked at in the order of their dictionary, so another one is the last",
        old=("    for step, name in enumerate(order):\n        for source in reads[name]:\n"),
        new=("    for name in reads:\n        step = order.index(name)\n        for source in reads[name]:\n"),
        breaks="order",
    ),
    Mutant(
        "steps of the readings",
        "the last readers are numbered along the dictionary, and not along the order",
        old=("    for step, name in enumerate(order):\n        for source in reads[name]:\n"),
        new=("    for step, name in enumerate(reads):\n        for source in reads[name]:\n"),
        breaks="order",
    ),
    Mutant(
        "nothing is ever let go",
        "the sum of all results is the space without reuse",
        old="        alive -= leaving.get(step, 0)\n",
        new="",
        breaks="last",
    ),
    Mutant(
        "inputs go before the output comes",
        "an operator needs its inputs while it writes its output",
        old=("        alive += sizes[name]\n        peak = max(peak, alive)\n        alive -= leaving.get(step, 0)\n"),
        new=("        alive += sizes[name] - leaving.get(step, 0)\n        peak = max(peak, alive)\n"),
        breaks="together",
    ),
    Mutant(
        "what nobody reads goes at once",
        "what the network returns must live to the end",
        old="    last = dict.fromkeys(order, len(order) - 1)",
        new="    last = {name: step for step, name in enumerate(order)}",
        breaks="unread",
    ),
    Mutant(
        "the first reader lets go",
        "the last reader counts",
        old="            last[source] = step",
        new="            last[source] = min(last[source], step)",
        breaks="last",
    ),
    Mutant(
        "each reader lets go",
        "a result that is read twice is subtracted twice",
        old="        alive -= leaving.get(step, 0)",
        new="        alive -= sum(sizes[source] for source in reads[name])",
        breaks="once",
    ),
    Mutant(
        "only inputs and output of one operator",
        "results that are read later are alive, too",
        old="        peak = max(peak, alive)",
        new="        peak = max(peak, sizes[name] + sum(sizes[source] for source in set(reads[name])))",
        breaks="alive",
    ),
    Mutant(
        "what is left at the end",
        "the busiest step is asked for, not the last",
        old="    return peak",
        new="    return alive",
        breaks="busiest",
    ),
    Mutant(
        "the order of the sizes",
        "operators run in the order of `order`, not of the dictionary",
        old="    last = dict.fromkeys(order, len(order) - 1)",
        new=("    order = list(sizes)\n    last = dict.fromkeys(order, len(order) - 1)"),
        breaks="order",
    ),
    Mutant(
        "one result leaves per step",
        "two results may have the same last reader",
        old="        leaving[step] = leaving.get(step, 0) + sizes[name]",
        new="        leaving[step] = sizes[name]",
        breaks="last",
    ),
    Mutant(
        "only the first input of each operator is read",
        "an operator reads all its inputs",
        old="        for source in reads[name]:",
        new="        for source in reads[name][:1]:",
        breaks="last",
    ),
    Mutant(
        "slots counted, readers subtracted once",
        "what an operator reads twice never comes to 0 readers",
        old="            last[source] = step\n",
        new=(
            "            twice = any(sources.count(source) > 1 for sources in reads.values())\n"
            "            last[source] = len(order) if twice else step\n"
        ),
        breaks="once",
    ),
    Mutant(
        "readers counted once, slots subtracted",
        "the readers are counted over set(reads[name]), and subtracted over reads[name]",
        old="            last[source] = step\n",
        new=(
            "            slots = [i for i, reader in enumerate(order) for one in reads[reader] if one == source]\n"
            "            last[source] = slots[len(set(slots)) - 1]\n"
        ),
        breaks="once",
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
        breaks="once",
    ),
]
