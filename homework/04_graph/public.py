"""Public tests of homework 4."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.judge import Failure, Student, SubmissionError, expect, task

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"
EXAMPLE = {"input": ["op1"], "op1": ["op3"], "op3": ["op4", "op5"], "op4": [], "op5": ["output"], "output": []}
SIMPLE_OPS = {"input": ["op1"], "op1": ["op2"], "op2": ["op3", "op4"], "op3": ["add"], "op4": ["add"],
              "add": ["output"], "output": []}  # fmt: skip
CAUSES = {
    "pre-order": "a node is written down when it is met for the first time. It must wait for all its predecessors: "
    "write it down when the last of them is done.",
    "backwards": "the list is the wrong way round: inputs come first. Depth first, reverse the post-order at the end.",
    "level by level": "a node is taken when its first predecessor is done. Count how many predecessors are missing, "
    "and take it at 0.",
    "tuple": "the names are in a tuple: return list(order).",
    "kept": "this name is from another call: begin each call with a new list, neither global nor a default argument.",
    "inputs": "there is nothing to refuse in this network: start with every node that has no predecessor, "
    "wherever its key stands.",
    "double": "there is nothing to refuse in this network: a name that stands twice in a list counts twice, both "
    "when predecessors are counted and when they are subtracted.",
    "no error": "the nodes on the cycle are never ready: raise ValueError if the order is shorter than the dictionary.",
    "wrong error": "a cycle was found, but the task asks for another exception: raise ValueError with this message.",
    "nobody": "the message does not help to find the cycle: add the name of an operator on it.",
    "too many": "input has run before the cycle: name only those that are still waiting.",
}


TOO_EARLY = (
    "some result goes too early. Let it go once, when the last operator that reads it has written its own result; "
    "what nobody reads stays."
)


def expect_order(got: Any, successors: Mapping[str, Sequence[str]]) -> None:
    """Raise Failure unless `got` is a list that has each name once, and each before its successors."""
    if type(got) is not list or not all(type(name) is str for name in got):
        failure = Failure(f"expected a list of names, got {type(got).__name__} {got!r:.200}", "a list of names", got)
        failure.cause = CAUSES["tuple"] if type(got) is tuple else None
        raise failure
    place = {name: i for i, name in enumerate(got)}
    if unknown := [name for name in got if name not in successors]:
        failure = Failure(
            f"the order has {unknown[0]!r}, which is no key of the dictionary", "each name of the dictionary once", got
        )
        failure.cause = CAUSES["kept"] if set(unknown) <= {*EXAMPLE, *SIMPLE_OPS} else None
        raise failure
    if lost := [name for name in successors if name not in place]:
        failure = Failure(f"{len(lost)} of {len(successors)} names are not in the order: {lost[0]!r}, for example",
                          "each name of the dictionary once", got)  # fmt: skip
        failure.cause = "the walk did not reach them: start from every node without predecessors, not from one only."
        raise failure
    if len(got) != len(place):
        twice = next(name for i, name in enumerate(got) if place[name] != i)
        raise Failure(f"{twice!r} stands more than once in the order", "each name of the dictionary once", got)
    for name, followers in successors.items():
        for follower in followers:
            if place[name] >= place[follower]:
                found = f"stands at place {place[name]}, and {follower!r} at {place[follower]}"
                failure = Failure(f"{name!r} leads to {follower!r}, but {found}", f"{name!r} before {follower!r}", got)
                failure.cause = likely_cause(got, successors)
                raise failure


def likely_cause(got: list[str], successors: Mapping[str, Sequence[str]]) -> str | None:
    """Which well-known wrong order this is."""
    place = {name: i for i, name in enumerate(got)}
    if all(place[a] >= place[b] for a in successors for b in successors[a]):
        return CAUSES["backwards"]
    walks = {"pre-order": (-1, 1), "pre-order, last first": (-1, -1), "level by level": (0, 1)}
    for name, (end, direction) in walks.items():
        if got == first_met(successors, end, direction):
            return CAUSES[name.split(",")[0]]
    return None


def first_met(successors: Mapping[str, Sequence[str]], end: int, direction: int) -> list[str]:
    """Names as a plain stack (end -1) or a plain queue (end 0) meets them first: a wrong order."""
    followed = {follower for followers in successors.values() for follower in followers}
    waiting = [name for name in successors if name not in followed][:: -1 if end else 1]
    met: dict[str, None] = {}
    while waiting:
        name = waiting.pop(end)
        if name not in met:
            met[name] = None
            waiting += successors[name][:: end * direction or 1]
    return list(met)


def order_of(student: Student, successors: Mapping[str, Sequence[str]]) -> Any:
    """The student's order of a network without cycles; an error that takes it for one with a cycle has a cause."""
    try:
        return student.topological_order(successors)
    except SubmissionError as error:
        if error.kind != "raise" or error.type not in ("ValueError", "KeyError"):
            raise
        twice = any(len(set(followers)) < len(followers) for followers in successors.values())
        failure = Failure(f"line {error.line} raised {error.type}: {error.message}")
        failure.cause = CAUSES["double" if twice else "inputs"]
        raise failure from None


def expect_error(student: Student, successors: Mapping[str, Sequence[str]], allowed: Sequence[str]) -> set[str]:
    """Raise Failure unless the call raises one of the `allowed` exceptions; -> the names that its message mentions."""
    return set(re.findall(r"\w+", error_message(student, successors, allowed)))


def error_message(student: Student, successors: Mapping[str, Sequence[str]], allowed: Sequence[str]) -> str:
    """Raise Failure unless the call raises one of the `allowed` exceptions; -> its message."""
    try:
        got = student.topological_order(successors)
    except SubmissionError as error:
        if error.kind != "raise" or error.type == "NotImplementedError":
            raise
        if error.type not in allowed:
            message = f"expected {' or '.join(allowed)}, got {error.type}: {error.message:.200}"
            failure = Failure(message, " or ".join(allowed), error.type)
            failure.cause = CAUSES["wrong error"] if "cycle" in error.message else None
            raise failure from None
        return error.message
    failure = Failure(f"expected {' or '.join(allowed)}, got {got!r:.200}", " or ".join(allowed), got)
    failure.cause = CAUSES["no error"] if type(got) is list and len(got) < len(successors) else None
    raise failure


def network(rng: np.random.Generator, nodes: int, inputs: int, arrows: float) -> dict[str, list[str]]:
    """A random network without cycles: names and keys in no order, some arrows double, about `arrows` a node."""
    names = [f"op{number}" for number in rng.permutation(10 * nodes)[:nodes]]
    successors: dict[str, list[str]] = {names[i]: [] for i in rng.permutation(nodes)}
    for i in range(inputs, nodes):
        for source in rng.integers(0, i, 1 + rng.poisson(arrows)):
            successors[names[source]].append(names[i])
    for followers in successors.values():
        rng.shuffle(followers)
    return successors


@task("topological_order")
def the_networks_of_the_lesson(student, rng):
    """The lesson's six operators and simple_ops come in a right order: add waits for op3 and for op4."""
    expect_order(student.topological_order(EXAMPLE), EXAMPLE)
    expect_order(student.topological_order(SIMPLE_OPS), SIMPLE_OPS)
    swapped = {**SIMPLE_OPS, "op2": ["op4", "op3"]}
    expect_order(student.topological_order(swapped), swapped)


@task("topological_order")
def several_inputs_in_any_file_order(student, rng):
    """Each name stands once and before its successors, with several inputs and with keys in any order."""
    joined = {"join": ["output"], "left": ["join"], "output": [], "right": ["op1"], "op1": ["join"]}
    expect_order(order_of(student, joined), joined)
    for nodes in (5, 8, 12, 20):
        successors = network(rng, nodes, 3, 0.7)
        expect_order(order_of(student, successors), successors)


@task("topological_order")
def a_chain_of_5000(student, rng):
    """A chain of 5,000 operators has an order: no recursion limit is met."""
    chain = {f"op{i}": [f"op{i + 1}"] for i in range(4999)} | {"op4999": []}
    try:
        expect_order(student.topological_order(chain), chain)
    except SubmissionError as error:
        if error.type != "RecursionError":
            raise
        failure = Failure("a chain of 5,000 operators: RecursionError", list(chain)[:3], "RecursionError")
        failure.cause = "the function calls itself once for each operator. Keep what waits in a list of your own."
        raise failure from None


@task("topological_order")
def a_cycle_is_an_error_that_names_it(student, rng):
    """A cycle raises ValueError, whose message names an operator on it and none that could have run."""
    successors = {"input": ["op1"], "op1": ["op2"], "op2": ["op3"], "op3": ["op1", "output"], "output": []}
    message = error_message(student, successors, ["ValueError"])
    named = set(re.findall(r"\w+", message))
    if not named & {"op1", "op2", "op3"}:
        failure = Failure(f"expected a message that names op1, op2 or op3, got {message!r:.200}", "a name", message)
        failure.cause = CAUSES["nobody"]
        raise failure
    if "input" in named:
        failure = Failure(f"the message names input, which could have run: {message!r:.200}", "op1 to op3", message)
        failure.cause = CAUSES["too many"]
        raise failure


@task("topological_order")
def the_digits_network_runs_in_this_order(student, rng):
    """kuiper runs the digits network in this order, and its results are those that PyTorch computed."""
    toolbox = kuiper.Toolbox(topological_order=student.topological_order)
    try:
        graph = kuiper.load(DIGITS / "digits.pnnx.param", toolbox=toolbox)
    except (kuiper.KuiperError, TypeError, ValueError) as error:
        raise Failure(f"kuiper cannot use the order: {error}") from None
    with np.load(DIGITS / "heldout.npz") as data:
        images, logits = data["images"][:16], data["logits"][:16]
    expect(graph(images[:, None].astype(np.float32))[0], logits, rtol=1e-3, atol=1e-3, what="the network's result")


def slow_peak(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """By the definition: at each step, the sum over all results that are alive."""
    peak = 0
    for now in range(len(order)):
        alive = 0
        for first, name in enumerate(order[: now + 1]):
            readers = [step for step, reader in enumerate(order) if name in reads[reader]]
            if first <= now <= max(readers, default=len(order)):
                alive += sizes[name]
        peak = max(peak, alive)
    return peak


def wrong_peaks(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> dict[str, int]:
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
    double = [sum(sizes[s] for s in reads[name]) - sum(sizes[s] for s in set(reads[name])) for name in order]
    return {
        "every result stays to the end. Let each go after its last reader.": sum(sizes.values()),
        "only what one operator reads and writes is counted. Others are alive, too: they are read later.": widest,
        "too early: a result that nobody reads goes at once. The network returns it: keep it.": slow_peak(
            order, closed, sizes
        ),
        "too early: an operator's inputs go before its output comes. Take the peak first, then let them go.": max(
            now - sum(sizes[gone] for gone in leaving)
            for now, leaving in zip(levels(order, by_last, sizes), by_last, strict=True)
        ),
        "too early: a result goes after its first reader. Let it go after the last.": max(
            levels(order, by_first, sizes)
        ),
        "too early: each reader subtracts what it reads. Let a result go once, after its last reader.": max(
            levels(order, [reads[name] for name in order], sizes)
        ),
        "this is what is left at the end. Keep the largest value on the way.": (
            levels(order, by_last, sizes)[-1] - sum(sizes[name] for name in by_last[-1])
        ),
        "the operators ran in the order of `sizes`. Go through `order`.": in_order_of_sizes(order, reads, sizes),
        "one result goes at each step, also where two have the same last reader. Let all of them go.": max(
            levels(order, [leaving[-1:] for leaving in by_last], sizes)
        ),
        "only the first input of each operator is looked at. Go through all of reads[name].": (
            slow_peak(order, short, sizes)
        ),
        "a result that an operator reads twice counts twice. It is in memory once.": max(
            now + more for now, more in zip(levels(order, by_last, sizes), double, strict=True)
        ),
    }


def levels(order: Sequence[str], leaving: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> list[int]:
    """The bytes alive at each step, when `leaving` go after it."""
    alive, found = 0, []
    for name, gone in zip(order, leaving, strict=True):
        alive += sizes[name]
        found.append(alive)
        alive -= sum(sizes[each] for each in gone)
    return found


def in_order_of_sizes(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The peak of the operators in the order of another dictionary, where a reader may come before what it reads."""
    last = dict.fromkeys(sizes, len(order) - 1)
    for step, name in enumerate(sizes):
        last |= dict.fromkeys(reads[name], step)
    return max(levels(list(sizes), [[name for name in last if last[name] == step] for step in range(len(last))], sizes))


def expect_peak(student: Student, order: list[str], reads: dict[str, list[str]], sizes: dict[str, int]) -> None:
    """Compare with the definition."""
    expected = slow_peak(order, reads, sizes)
    causes: dict[int, list[str]] = {}
    for cause, wrong in wrong_peaks(order, reads, sizes).items():
        causes.setdefault(wrong, []).append(cause)
    mistakes = {}
    for wrong, found in causes.items():
        if len(found) == 1:
            mistakes[found[0]] = wrong
        elif all(cause.startswith("too early") for cause in found):
            mistakes[TOO_EARLY] = wrong
    mistakes = {cause: wrong for cause, wrong in mistakes.items() if wrong != expected}
    expect(student.peak_bytes(order, reads, sizes), expected, what="the peak", mistakes=mistakes)


def run_of(rng: np.random.Generator, steps: int, inputs: int) -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """A random order, what each operator reads, and sizes in no order."""
    order = [f"op{number}" for number in rng.permutation(10 * steps)[:steps]]
    reads: dict[str, list[str]] = {name: [] for name in order}
    for i in range(inputs, steps):
        reads[order[i]] = [order[j] for j in rng.integers(max(0, i - 6), i, rng.integers(1, 4))]
    return order, reads, {order[i]: int(rng.integers(1, 1000)) * 4 for i in rng.permutation(steps)}


@task("peak_bytes")
def simple_ops_needs_9216_bytes(student, rng):
    """Three of simple_ops' six results of 768 floats are alive at its busiest step: 9,216 bytes."""
    order = [name for name in SIMPLE_OPS if name != "output"]
    reads = {name: [source for source in order if name in SIMPLE_OPS[source]] for name in order}
    expect_peak(student, order, reads, dict.fromkeys(order, 3072))


@task("peak_bytes")
def the_digits_network_needs_24576_bytes(student, rng):
    """The digits network at batch 1 needs 24,576 bytes at its busiest step."""
    operators = kuiper.load(DIGITS / "digits.pnnx.param").operators
    order = [op.name for op in operators]
    reads = {op.name: [producer.name for producer in op.producers] for op in operators}
    sizes = {op.name: sum(4 * math.prod((o.shape or (0,))[1:]) for o in op.outputs) for op in operators}
    expect_peak(student, order, reads, sizes)


@task("peak_bytes")
def a_result_that_nobody_reads_stays(student, rng):
    """What the network returns is alive to the end, also when it was computed early."""
    reads = {"input": [], "early": ["input"], "skip": ["input"], "large": ["input"], "small": ["large"],
             "end": ["small", "skip"]}  # fmt: skip
    expect_peak(student, list(reads), reads, {"input": 8, "early": 16, "skip": 4, "large": 64, "small": 32, "end": 2})
    expect_peak(student, *run_of(rng, 6, 1))
