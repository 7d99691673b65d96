"""Public tests of homework 4."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.judge import Failure, Student, SubmissionError, expect, likely, task

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"
EXAMPLE = {"image": ["conv"], "conv": ["relu"], "relu": ["mask", "pool"], "mask": [], "pool": ["digit"], "digit": []}
SIMPLE_OPS = {"input": ["op1"], "op1": ["op2"], "op2": ["op3", "op4"], "op3": ["add"], "op4": ["add"],
              "add": ["output"], "output": []}  # fmt: skip
BEHIND_AN_IMAGE = {"image": ["op1"], "op1": ["op2"], "op2": ["op3"], "op3": ["op1", "shown"], "shown": []}
CYCLES = "A cycle has no order"
"""The section of the lesson to read again where the error of a cycle is wrong."""
DEEP = '(section "How deep may the walk go?")'
CALLS = '(section "A list instead of calls")'
FINISH = '(section "Depth first: finish a node after its successors")'
"""The sections to read again, as a likely cause names them."""
CAUSES = {
    "backwards": "the list is the wrong way round: inputs come first. Depth first, reverse the post-order at the end "
    f"{FINISH}.",
    "tuple": "the names are in a tuple: make a list of it.",
    "kept": "this name is from another call: begin each call with a new list, neither global nor a default argument.",
    "inputs": "there is nothing to refuse in this network: start with every node that has no predecessor, "
    "wherever its key stands.",
    "empty": "there is nothing to refuse in this network: without operators the order is the empty list.",
    "double": "there is nothing to refuse in this network: a name that stands twice in a list counts twice, both "
    "when predecessors are counted and when they are subtracted.",
    "double order": "a name that stands twice in a list counts twice, both when predecessors are counted and when they "
    "are subtracted.",
    "again": "it was taken twice. Two ways lead to it: whether it was entered, or is ready, has to be asked at the "
    "moment when you take it, since another way may have come there in the meantime.",
    "recursion": f"the function calls itself once for each operator. Keep what waits in a list of your own {DEEP}.",
    "limit": "the limit belongs to whoever calls your function, and is there to stop calls that would never end. Keep "
    f"what waits in a list of your own {DEEP}.",
    "no error": "the nodes on the cycle are never ready, so they are not in the order: compare its length before you "
    "return it.",
    "itself": "an operator that leads to itself is a cycle of one, since it can never be ready: count this arrow, too.",
    "no cycle": "a cycle was not found. With Kahn's counters the order comes out shorter than the dictionary; a walk "
    "has to call find_cycle. Raise ValueError.",
    "wrong error": "you refuse the right thing, but with another exception: raise {} with this message.",
    "nobody": "the message does not help to find the cycle: add the name of an operator on it; your find_cycle gives "
    "one, if it passes its own check.",
    "behind": "the message names operators that only wait behind the cycle: name those that your find_cycle gives.",
    "too many": "the message names an operator that has run before the cycle: name only those that are still waiting.",
    "unknown": "a successor that is no key was passed over: raise ValueError with its name.",
    "endless": "a name that was taken is taken again and again. Only a successor of the name just taken can become "
    "ready, and only at the moment when its counter arrives at 0.",
    "slow": "something is looked through again for each of the 60,000 names: all counters, or a list (`name in order`, "
    "`order.index(name)`). Look only at the successors of the name just taken; `in` on a set or a dictionary is one "
    "look.",
    "cycle[0]": "there is no cycle in this network, so find_cycle gives the empty list, which has no first name. The "
    "order is too short for another reason: did it begin at one input only? Begin at every node that has no "
    "predecessor, wherever its key stands.",
}


def expect_order(got: Any, successors: Mapping[str, Sequence[str]], mistakes: Mapping[str, Any] | None = None) -> None:
    """Raise Failure unless `got` is a list that has each name once, and each before its successors.

    mistakes : likely cause -> the wrong order that it gives.
    """
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
        failure = Failure(f"{twice!r} stands more than once in the order", "each name of the dictionary once", got)
        if all(len(set(followers)) == len(followers) for followers in successors.values()):
            failure.cause = CAUSES["again"]
        raise failure
    for name, followers in successors.items():
        for follower in followers:
            if place[name] >= place[follower]:
                found = f"stands at place {place[name]}, and {follower!r} at {place[follower]}"
                failure = Failure(f"{name!r} leads to {follower!r}, but {found}", f"{name!r} before {follower!r}", got)
                backwards = all(place[a] >= place[b] for a in successors for b in successors[a])
                failure.cause = cause_of(got, mistakes or {}) or (CAUSES["backwards"] if backwards else None)
                raise failure


def cause_of(got: list[str], mistakes: Mapping[str, Any]) -> str | None:
    """The likely cause of a wrong order, which is not empty."""
    try:
        expect(got, [], mistakes=mistakes)
    except Failure as failure:
        return failure.cause
    return None


def order_of(student: Student, successors: Mapping[str, Sequence[str]], causes: Mapping[str, str] | None = None) -> Any:
    """What the student's function returns; `causes` of exceptions, as for `likely`, and of a call that does not end."""
    limit = {"recursion limit": CAUSES["limit"]}
    with likely(limit | dict(causes or {}), timeout=CAUSES["slow" if len(successors) > 1000 else "endless"]):
        return student.topological_order(successors)


def cycle_of(student: Student, successors: Mapping[str, Sequence[str]], slow: str = "endless") -> Any:
    """What the student's function returns; `slow` is the likely cause of a call that does not end."""
    causes = {"is not in list": CYCLE_CAUSES["not on it"], "recursion limit": CAUSES["limit"]}
    if not successors:
        causes |= dict.fromkeys(("StopIteration", "IndexError", "KeyError"), CYCLE_CAUSES["nobody"])
    with likely(causes, timeout=CYCLE_CAUSES[slow]):
        return student.find_cycle(successors)


def refused_as(cause: str) -> dict[str, str]:
    """The likely cause of an error in a network without cycles; too deep a recursion has its own, and so has the first
    name of a cycle that is not there."""
    first = CAUSES["cycle[0]" if cause == "inputs" else cause]
    refused = dict.fromkeys(("ValueError", "KeyError"), CAUSES[cause])
    return refused | {"IndexError: list index": first, "RecursionError": CAUSES["recursion"]}


def error_message(student: Student, successors: Mapping[str, Sequence[str]], allowed: Sequence[str]) -> str:
    """Raise Failure unless the call raises one of the `allowed` exceptions; -> its message."""
    try:
        got = order_of(student, successors)
    except SubmissionError as error:
        if error.kind != "raise" or error.type == "NotImplementedError":
            raise
        if not error.is_a(*allowed):
            failure = Failure(
                f"expected {' or '.join(allowed)}, got {error.type}: {error.message:.200}",
                " or ".join(allowed),
                error.type,
            )
            named = set(re.findall(r"\w+", error.message))
            known = {*successors, *(name for followers in successors.values() for name in followers)}
            if error.type == "KeyError" and named and not named & known:
                failure.cause = CAUSES["kept"]
            elif error.type == "RecursionError":
                failure.cause = CAUSES["recursion"]
            elif "cycle" in named or named & known:
                failure.cause = CAUSES["wrong error"].format(failure.expected)
            raise failure from None
        return error.message
    failure = Failure(f"expected {' or '.join(allowed)}, got {got!r:.200}", " or ".join(allowed), got)
    failure.cause = CAUSES["no error"] if type(got) is list and len(got) < len(successors) else None
    raise failure


def expect_named(message: str, wanted: Collection[str], innocent: Collection[str]) -> None:
    """Raise Failure unless the message has one of the `wanted` names in it, if there are any, and no `innocent` one."""
    named = set(re.findall(r"\w+", message))
    if wanted and not named & set(wanted):
        some = f"{'one of ' * (len(wanted) > 1)}{', '.join(sorted(wanted)[:5])}"
        expected = f"a message that names {some}"
        raise Failure(f"expected {expected}, got {message!r:.200}", expected, message)
    if too_many := sorted(named & set(innocent)):
        text = f"the message names {too_many[0]}, which could have run: {message!r:.200}"
        raise Failure(text, f"none of {', '.join(sorted(innocent)[:5])}", message)


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


CYCLE_CAUSES = {
    "missed": "a cycle is there, and was not found: begin a walk at every name that is not done yet, and follow every "
    "successor.",
    "itself": "an operator that leads to itself is a cycle of one: look at the name itself, too, when you ask whether "
    "a successor is on the path.",
    "meet": "two paths that meet again are no cycle: ask whether the successor is on the open path, not whether it was "
    "seen before. Does a name leave your set of open ones when it leaves the path?",
    "double": "a name that stands twice in a list is no cycle: its second mention leads to a name that is done.",
    "nothing": "nothing came back: return the empty list where there is no cycle, after the loop over all names, and "
    "without operators, too.",
    "nobody": "there may be no operators: begin a walk at every name, with a loop, and not at the first one.",
    "kept": "an earlier network had some of these names, and with new names this cycle is found: begin each call with "
    "a new set of entered names, neither global nor a default argument.",
    "still open": "an earlier network had some of these names, and with new names nothing is found: begin each call "
    "with new sets and lists, neither global nor default arguments.",
    "pairs": "the pairs of the path came back: return the names alone.",
    "closed": "the first name is repeated at the end: leave it out.",
    "walked": "the last name stands twice, and between its two places lies the cycle: begin at the first, and leave "
    "out the second.",
    "alone": "a name alone is a cycle only if it leads to itself: return the open path, from the name that closes the "
    "cycle to the last one.",
    "not on it": "the successor was seen before, and is not on the open path: two paths meet there, which is no cycle. "
    "Does a name leave your set of open names when it leaves the path?",
    "tail": "the last names are a cycle, and those before them only lead to it: cut the path at the name that closes "
    "it.",
    "backwards": "the cycle is listed against its arrows: reverse it.",
    "unordered": "these names are on a cycle, but not in this order: go along the arrows.",
    "waiting": "some of these names are on no cycle: they lead to it, or wait behind it. In a walk, does a name leave "
    "the path when all its successors were looked at? If you count as Kahn does: what he leaves over waits behind the "
    "cycle, too, so the cycle has yet to be looked for among it.",
    "set": "a set has no order, and a cycle has: give the names in a list, along the arrows.",
    "raised": "find_cycle returns what it finds, the names on the cycle in a list. To raise the error is the part of "
    "topological_order.",
    "again": "this network is a hub with 60,000 successors. Either each time the walk comes back to the hub, its loop "
    "begins at the first successor again: go on where it left off, with a count or an iterator "
    f"{CALLS}. Or all successors are copied or searched at each visit.",
    "endless": "a name is entered again and again: enter only names that are new, neither on the path nor done, and go "
    f"on in a name's successors where you left off, not at the first one {CALLS}.",
    "slow": "either `name in path` on a list looks at every name of the path, at every arrow: keep these "
    "names in a set or a dictionary too, where `in` is one look. Or what one walk has finished is walked again by the "
    "next: keep the finished names from walk to walk, and ask of each successor whether it is done.",
    "paths": "names are entered again on every path that leads to them: a name that is done is not entered again "
    f"{FINISH}.",
}


def is_cycle(names: Sequence[str], successors: Mapping[str, Sequence[str]]) -> bool:
    """Whether each name leads to the next and the last to the first."""
    around = [*names[1:], *names[:1]]
    return bool(names) and all(b in successors.get(a, ()) for a, b in zip(names, around, strict=True))


def expect_cycle(got: Any, successors: Mapping[str, Sequence[str]], cycle: bool) -> None:
    """Raise Failure unless `got` is a cycle of this network, or the empty list where it has none."""
    wanted = "the names on a cycle" if cycle else "the empty list: there is no cycle"

    def failed(found: str, cause: str | None) -> Failure:
        failure = Failure(f"expected {wanted}, {found}", wanted, got)
        failure.cause = CYCLE_CAUSES.get(cause or "", cause)
        return failure

    if type(got) is not list or not all(type(name) is str for name in got):
        pairs = type(got) is list and all(isinstance(one, (list, tuple)) for one in got)
        cause = (
            CAUSES["tuple"] if type(got) is tuple
            else "set" if isinstance(got, (set, frozenset))
            else "pairs" if pairs
            else "nothing" if got is None and not cycle
            else None
        )  # fmt: skip
        raise failed(f"{'in a list, ' * cycle}got {type(got).__name__} {got!r:.200}", cause)
    if not got and cycle:
        others = {f for name, followers in successors.items() for f in followers if f != name}
        itself = any(name in followers and name in others for name, followers in successors.items())
        raise failed("got []", "itself" if itself and len(successors) < 9 else "missed")
    if got and not cycle:
        double = any(len(set(followers)) < len(followers) for followers in successors.values())
        raise failed(f"got {got!r:.200}", "double" if double else "meet")
    if not cycle:
        return
    if unknown := [name for name in got if name not in successors]:
        raise failed(f"got the name {unknown[0]!r}, which is no key of the dictionary", CAUSES["kept"])
    if len(set(got)) < len(got):
        closed = got[0] == got[-1] and is_cycle(got[:-1], successors)
        behind = is_cycle(got[got.index(got[-1]) : -1], successors)
        raise failed(f"got {got!r:.200}, with a name twice", "closed" if closed else "walked" if behind else None)
    if not is_cycle(got, successors):
        few = len(got) < 8
        cause = (
            "alone" if len(got) == 1
            else "backwards" if is_cycle(got[::-1], successors)
            else "tail" if few and any(is_cycle(got[i:], successors) for i in range(len(got)))
            else "unordered" if few and any(is_cycle(some, successors) for some in permutations(got))
            else "waiting" if few and any(is_cycle(s, successors) for n in range(1, len(got))
                                          for s in permutations(got, n))
            else None
        )  # fmt: skip
        a, b = next((a, b) for a, b in zip(got, [*got[1:], got[0]], strict=True) if b not in successors[a])
        raise failed(f"got {got!r:.200}: {a!r} does not lead to {b!r}", cause)


def look_for_cycle(student: Student, successors: Mapping[str, Sequence[str]], cycle: bool) -> None:
    """`expect_cycle` of what the student's function returns, which may be wrong because of an earlier call."""
    try:
        with likely(dict.fromkeys(("ValueError", "RuntimeError"), CYCLE_CAUSES["raised"]) if cycle else {}):
            got = cycle_of(student, successors)
        expect_cycle(got, successors, cycle)
    except Failure as failure:
        if type(failure.got) is list and bool(failure.got) != cycle:
            renamed = {f"{name}_": [f"{follower}_" for follower in successors[name]] for name in successors}
            with student.aside():
                if bool(student.find_cycle(renamed)) == cycle:
                    failure.cause = CYCLE_CAUSES["kept" if cycle else "still open"]
        raise


def shuffled(size: int) -> list[int]:
    """0 to size - 1, the same disorder each time: where the size is what is asked, one draw will do."""
    numbers: list[int] = np.random.default_rng(size).permutation(size).tolist()
    return numbers


@task("find_cycle", "cycle", "once", "result")
def a_cycle_behind_an_input(student: Student) -> None:
    """The result has the names of the cycle and no others, in order, each once."""
    late = {"image": ["first"], "first": ["second"], "second": ["op1"], "op1": ["op2"], "op2": ["op1"]}
    for successors in (BEHIND_AN_IMAGE, late, {"image": ["z"], "z": ["m"], "m": ["a"], "a": ["k"], "k": ["z"]}):
        look_for_cycle(student, successors, True)


@task("find_cycle", "itself", "cycle", "result", "once")
def an_operator_that_leads_to_itself(student: Student) -> None:
    """An operator that leads to itself is a cycle of one."""
    for successors in ({"image": ["same"], "same": ["same", "shown"], "shown": []}, {"c": ["c"]}):
        expect_cycle(cycle_of(student, successors), successors, True)


@task("find_cycle", "none")
def a_network_without_a_cycle(student: Student, rng: np.random.Generator) -> None:
    """Without a cycle the result is the empty list, even where paths meet and where a name stands twice."""
    shortcut = {"input": ["op1", "add"], "op1": ["add"], "add": []}
    twice = {"x": ["cat", "cat"], "cat": []}
    with likely({"ValueError": "there is nothing to refuse: without a cycle the result is the empty list."}):
        for successors in (EXAMPLE, SIMPLE_OPS, shortcut, twice, {}, {"alone": []}, network(rng, 12, 2, 0.7)):
            expect_cycle(cycle_of(student, successors), successors, False)


@task("find_cycle", "anywhere", "cycle", "once", "result")
def a_cycle_is_found_wherever_it_is(student: Student, rng: np.random.Generator) -> None:
    """Behind the second input, behind a second successor, or where no input leads: the cycle is found."""
    for successors in (
        {"a": ["b"], "b": ["c"], "c": ["a"]},
        {"free": ["end"], "end": [], "a": ["b"], "b": ["a"]},
        {"end": [], "mask": ["end"], "image": ["op1"], "op1": ["op2"], "op2": ["op1"]},
        {"image": ["end", "op1"], "end": [], "op1": ["end", "op2"], "op2": ["end", "op1"]},
    ):
        names = list(successors)
        mixed = {names[i]: successors[names[i]] for i in rng.permutation(len(names))}
        for some in (successors, mixed):
            look_for_cycle(student, some, True)


@task("find_cycle", "anywhere", "cycle", "once", "result", "none", "fresh")
def the_digits_network_with_an_arrow_back(student: Student) -> None:
    """The digits network has no cycle; with one arrow back, from its last operator to its third, it has."""
    operators = kuiper.load(DIGITS / "digits.pnnx.param").operators
    successors = {op.name: list(op.output_operators) for op in operators}
    look_for_cycle(student, successors, False)
    successors[operators[-1].name] = [operators[2].name]
    look_for_cycle(student, successors, True)


@task("find_cycle", "fresh", "cycle", "once", "result", "none")
def a_call_knows_nothing_of_those_before(student: Student) -> None:
    """Two networks with the same names, with a cycle and without: each call sees its own arrows alone."""
    chain, ring = {"a": ["b"], "b": ["c"], "c": []}, {"a": ["b"], "b": ["c"], "c": ["a"]}
    for successors, cycle in ((chain, False), (ring, True), (chain, False)):
        look_for_cycle(student, successors, cycle)


@task("find_cycle", "depth", "none")
def a_long_chain_without_a_cycle(student: Student) -> None:
    """60,000 operators in a chain have no cycle, and the answer comes within seconds."""
    chain = {f"op{i}": [f"op{i + 1}"] if i < 59_999 else [] for i in shuffled(60_000)}
    with likely({"RecursionError": CAUSES["recursion"]}):
        expect_cycle(cycle_of(student, chain, "slow"), chain, False)


@task("find_cycle", "depth", "none")
def a_ladder_of_diamonds(student: Student) -> None:
    """40 diamonds in a row, which have a million million paths, have no cycle, and no arrow is followed twice."""
    ladder = {f"n{i}": [f"l{i}", f"r{i}"] for i in range(40)} | {"n40": []}
    ladder |= {f"{side}{i}": [f"n{i + 1}"] for i in range(40) for side in "lr"}
    expect_cycle(cycle_of(student, ladder, "paths"), ladder, False)


@task("find_cycle", "depth", "none")
def a_long_chain_that_leads_to_one_name_again_and_again(student: Student) -> None:
    """60,000 operators in a chain, each of which leads to `shared` too, have their answer within seconds."""
    chain = {f"op{i}": ["shared", f"op{i + 1}"] if i < 59_999 else ["shared"] for i in range(60_000)}
    with likely({"RecursionError": CAUSES["recursion"]}):
        expect_cycle(cycle_of(student, {"shared": [], **chain}, "slow"), chain, False)


@task("find_cycle", "depth", "none")
def a_hub_with_many_successors(student: Student) -> None:
    """60,000 operators that read the same result have no cycle, and the arrow to each is followed once."""
    hub = {"hub": [f"op{i}" for i in range(60_000)], **{f"op{i}": ["end"] for i in range(60_000)}, "end": []}
    with likely({"RecursionError": CAUSES["recursion"]}):
        expect_cycle(cycle_of(student, hub, "again"), hub, False)


@task("topological_order", "arrows", "once", "result")
def the_networks_of_the_lesson(student: Student, oracle: Any) -> None:
    """The lesson's six operators, simple_ops and a shortcut come in a right order: add waits for all that it reads."""
    swapped = {**SIMPLE_OPS, "op2": ["op4", "op3"]}
    shortcut = {"x": ["conv", "add", "pool"], "conv": ["add"], "pool": ["conv"], "add": []}
    for successors in (EXAMPLE, SIMPLE_OPS, swapped, shortcut):
        got = order_of(student, successors, refused_as("inputs"))
        expect_order(got, successors, oracle.order_mistakes(successors))


@task("topological_order", "arrows", "once", "result")
def several_inputs_in_any_file_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Each name stands once and before its successors, with several inputs and with keys in any order."""
    joined = {"join": ["output"], "left": ["join"], "output": [], "right": ["op1"], "op1": ["join"]}
    single = ({name: list(dict.fromkeys(followers)) for name, followers in network(rng, nodes, 3, 0.7).items()}
              for nodes in (5, 8, 12, 20))  # fmt: skip
    for successors in (joined, *single):
        got = order_of(student, successors, refused_as("inputs"))
        expect_order(got, successors, oracle.order_mistakes(successors))


@task("topological_order", "once", "result", "arrows")
def operators_without_an_arrow(student: Student) -> None:
    """Operators without any arrow, and parts that do not touch, are in the order, too."""
    for successors in (
        {"alone": []},
        {"a": [], "b": ["c"], "c": [], "d": []},
        {"y": ["z"], "z": [], "b": [], "a": ["b"]},
    ):
        got = order_of(student, successors, refused_as("inputs"))
        expect_order(got, successors)


@task("topological_order", "result")
def no_operators_give_the_empty_list(student: Student) -> None:
    """A network without operators has an order, the empty list."""
    causes = refused_as("empty") | {"IndexError": CAUSES["empty"], "StopIteration": CAUSES["empty"]}
    got = order_of(student, {}, causes)
    expect(got, [], mistakes={CAUSES["tuple"]: (), "nothing came back: return the list, also where it is empty.": None})


@task("topological_order", "twice", "arrows", "once", "result")
def one_name_in_two_slots(student: Student, rng: np.random.Generator) -> None:
    """cat(x, x) reads one result twice: it still waits for its other predecessor, and comes once."""
    plain = {"x": ["cat", "cat"], "cat": []}
    other = {"x": ["cat", "cat"], "y": ["z"], "z": ["cat"], "cat": []}
    late = {"x": ["cat", "cat", "late"], "late": ["cat", "end"], "cat": ["end", "end"], "end": []}
    for successors in (plain, other, dict(reversed(other.items())), late, network(rng, 12, 1, 1.5)):
        got = order_of(student, successors, refused_as("double"))
        try:
            expect_order(got, successors)
        except Failure as failure:
            failure.cause = failure.cause or CAUSES["double order"]
            raise


@task("topological_order", "depth", "arrows", "once", "result")
def a_long_chain(student: Student) -> None:
    """A chain of 60,000 operators has an order within seconds, and no RecursionError."""
    numbers = shuffled(60_000)
    chain = {f"op{i}": [f"op{i + 1}"] if i < 59_999 else [] for i in numbers}
    expect_order(order_of(student, chain, refused_as("inputs")), chain)


@task("topological_order", "cycle", section=CYCLES)
def a_cycle_is_an_error(student: Student) -> None:
    """A cycle raises ValueError: behind an input, in a part of its own, of one operator, and of all of them."""
    for successors in (
        BEHIND_AN_IMAGE,
        {"free": ["end"], "end": [], "a": ["b"], "b": ["a"]},
        {"image": ["same"], "same": ["same", "shown"], "shown": []},
        {"a": ["b"], "b": ["c"], "c": ["a"]},
        {"c": ["c"]},
    ):
        try:
            error_message(student, successors, ["ValueError"])
        except Failure as failure:
            short = type(failure.got) is list and len(failure.got) < len(successors)
            itself = any(name in followers for name, followers in successors.items())
            if not isinstance(failure.got, str):
                failure.cause = CAUSES["no error" if short else "itself" if itself else "no cycle"]
            raise


@task("topological_order", "on_cycle", "cycle", section=CYCLES)
def the_error_names_the_cycle(student: Student) -> None:
    """The error of a cycle names an operator that is on it; one that waits behind it is not enough."""
    tail = {f"tail{i}": [f"tail{i + 1}"] for i in range(5)}
    behind = {"tail5": [], **tail, **BEHIND_AN_IMAGE, "shown": ["tail0", "last"], "last": []}
    for successors in (BEHIND_AN_IMAGE, behind):
        message = error_message(student, successors, ["ValueError"])
        try:
            expect_named(message, ["op1", "op2", "op3"], [])
        except Failure as failure:
            named = set(re.findall(r"\w+", message)) & set(successors)
            failure.cause = CAUSES["too many" if "image" in named else "behind" if named else "nobody"]
            raise


@task("topological_order", "innocent", "cycle", section=CYCLES)
def the_error_names_no_operator_that_could_run(student: Student) -> None:
    """The error of a cycle names none of the operators that could have run."""
    aside = {**BEHIND_AN_IMAGE, "mask": ["resized"], "resized": []}
    for successors in (BEHIND_AN_IMAGE, aside):
        message = error_message(student, successors, ["ValueError"])
        try:
            expect_named(message, [], ["image", "mask", "resized"])
        except Failure as failure:
            failure.cause = CAUSES["too many"]
            raise


@task("topological_order", "unknown")
def a_successor_that_is_not_there(student: Student) -> None:
    """A successor that the dictionary does not have raises ValueError or KeyError, and the message names it."""
    for successors in ({"input": ["op1", "ghost"], "op1": []}, {"op1": ["op2"], "op2": ["ghost"]}):
        try:
            message = error_message(student, successors, ["ValueError", "KeyError"])
            expect_named(message, ["ghost"], [])
        except Failure as failure:
            if not isinstance(failure.got, str):
                failure.cause = CAUSES["unknown"]
            elif "names" in failure.expected:
                failure.cause = "the message does not say which: add the successor's name."
            raise


@task("topological_order", "depth", "cycle", "on_cycle", "innocent", section=CYCLES)
def many_inputs_and_a_long_cycle(student: Student) -> None:
    """40,000 inputs in front of a cycle of 20,000 operators are an error within seconds, and one of these is named."""
    inputs, ring = ([f"{kind}{i}" for i in shuffled(size)] for kind, size in (("in", 40_000), ("op", 20_000)))
    successors = {name: [ring[0]] for name in inputs} | dict(zip(ring, ([name] for name in [*ring[1:], ring[0]])))
    expect_named(error_message(student, successors, ["ValueError"]), ring, inputs)


@task("topological_order", "fresh", "arrows", "result", "cycle")
def each_call_starts_afresh(student: Student) -> None:
    """A second call, with other arrows or after an error, knows nothing of the first."""
    forth, back = {"a": ["b"], "b": []}, {"a": [], "b": ["a"]}
    for successors in (forth, back):
        expect_order(order_of(student, successors), successors, {CAUSES["kept"]: ["a", "b"]})
    for successors in ({"a": ["b"], "b": ["a"]}, {"a": ["b", "c"], "b": [], "c": ["a"]}):
        error_message(student, successors, ["ValueError"])
    expect_order(order_of(student, back), back)


@task("topological_order", "arrows", "once", "result", "twice")
def the_digits_network_runs_in_this_order(student: Student) -> None:
    """kuiper runs the digits network in this order, and its results are those that PyTorch computed."""
    toolbox = kuiper.Toolbox(topological_order=student.topological_order)
    try:
        graph = kuiper.load(DIGITS / "digits.pnnx.param", toolbox=toolbox)
    except (kuiper.KuiperError, TypeError, ValueError) as error:
        raise Failure(f"kuiper cannot use the order: {error}") from None
    with np.load(DIGITS / "heldout.npz") as data:
        images, logits = data["images"][:16], data["logits"][:16]
    expect(graph(images[:, None].astype(np.float32))[0], logits, rtol=1e-3, atol=1e-3, what="the network's result")


def run_of(rng: np.random.Generator, steps: int, inputs: int) -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """A random order, what each operator reads, and sizes in no order."""
    order = [f"op{number}" for number in rng.permutation(10 * steps)[:steps]]
    reads: dict[str, list[str]] = {name: [] for name in order}
    for i in range(inputs, steps):
        reads[order[i]] = [order[j] for j in rng.integers(max(0, i - 6), i, rng.integers(1, 4))]
    return order, reads, {order[i]: int(rng.integers(1, 1000)) * 4 for i in rng.permutation(steps)}


def peak_of(student: Student, order: list[str], reads: dict[str, list[str]], sizes: dict[str, int]) -> Any:
    """What the student's function returns; an error about a result that nobody reads has its likely cause."""
    unread = set(order) - {source for sources in reads.values() for source in sources}
    cause = "nobody reads this result, so it has no last reader: begin with the last step for every name."
    with likely({f"KeyError: {name!r}": cause for name in unread}):
        return student.peak_bytes(order, reads, sizes)


def expect_peak(
    student: Student, oracle: Any, order: list[str], reads: dict[str, list[str]], sizes: dict[str, int], rule: str = ""
) -> None:
    """Compare with the definition. rule : the one that the test is about, whose cause is told first."""
    compare_peak(
        peak_of(student, order, reads, sizes),
        oracle.peak(order, reads, sizes),
        oracle.peak_mistakes(order, reads, sizes, rule),
    )


def compare_peak(got: Any, expected: int, mistakes: Mapping[str, Any]) -> None:
    """Compare with the bytes expected; a tuple has its own cause."""
    try:
        expect(got, expected, what="the peak", mistakes=mistakes)
    except Failure as failure:
        if type(got) is tuple and expected in got:
            failure.cause = "the bytes are right, but other values come with them: return the number of bytes alone."
        raise


@task("peak_bytes", "busiest", "alive", "together", "last", "unread", "once")
def six_operators_of_six_sizes(student: Student, oracle: Any) -> None:
    """A small network in which each result has another size: what is alive at its busiest step is counted."""
    reads = {"input": [], "op1": ["input"], "op2": ["input"], "op3": ["op1"], "op4": ["op2", "op1"],
             "add": ["op4", "op3"]}  # fmt: skip
    sizes = {"input": 39, "op1": 14, "op2": 33, "op3": 8, "op4": 44, "add": 26}
    expect_peak(student, oracle, list(reads), reads, sizes)


@task("peak_bytes", "busiest", "alive", "together", "last", "unread", "once")
def simple_ops_needs_9216_bytes(student: Student, oracle: Any) -> None:
    """Three of simple_ops' six results of 768 floats are alive at its busiest step: 9,216 bytes."""
    order = [name for name in SIMPLE_OPS if name != "output"]
    reads = {name: [source for source in order if name in SIMPLE_OPS[source]] for name in order}
    sizes = dict.fromkeys(order, 3072)
    compare_peak(peak_of(student, order, reads, sizes), 9216, oracle.peak_mistakes(order, reads, sizes))


@task("peak_bytes", "last", "alive", "busiest", "together", "once")
def a_result_with_two_readers(student: Student, oracle: Any) -> None:
    """A result that two operators read goes after the second of them, and not after the first."""
    reads = {"a": [], "b": ["a"], "add": ["a", "b"], "end": ["add"]}
    expect_peak(student, oracle, list(reads), reads, {"a": 10, "b": 4, "add": 7, "end": 13})


@task("peak_bytes", "together", "busiest", "last", "alive")
def inputs_and_result_are_alive_together(student: Student, oracle: Any) -> None:
    """While an operator runs, its input and its result are both there: 100 and 200 bytes make 300, at the end too."""
    expect_peak(student, oracle, ["input", "op1"], {"input": [], "op1": ["input"]}, {"input": 100, "op1": 200})
    reads = {"input": [], "op1": ["input"], "op2": ["op1"]}
    expect_peak(student, oracle, list(reads), reads, {"input": 100, "op1": 200, "op2": 50})


@task("peak_bytes", "alive", "last", "busiest", "together", "once")
def a_skip_over_the_busiest_step(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A result that is read at once and again much later is alive in between, while others come and go."""
    order = [f"op{i}" for i in range(8)]
    reads = {name: [order[i - 1]] if i else [] for i, name in enumerate(order)}
    reads["op7"] = ["op1", "op6"]
    sizes = {name: int(rng.integers(1, 100)) for name in order}
    expect_peak(student, oracle, order, reads, sizes | {"op1": 1000, "op4": 500, "op5": 400})


@task("peak_bytes", "last", "alive", "busiest", "together")
def two_results_with_the_same_last_reader(student: Student, oracle: Any) -> None:
    """Both inputs of add go after it, if nobody reads them later."""
    reads = {"a": [], "b": [], "add": ["a", "b"], "large": ["add"], "end": ["large"]}
    expect_peak(student, oracle, list(reads), reads, {"a": 40, "b": 60, "add": 10, "large": 95, "end": 8})


@task("peak_bytes", "unread", "busiest", "alive", "last", "together", "once")
def a_result_that_nobody_reads_stays(student: Student, oracle: Any) -> None:
    """What the network returns is alive to the end, also when it was computed early, or is an input."""
    reads = {"input": [], "early": ["input"], "skip": ["input"], "large": ["input"], "small": ["large"],
             "end": ["small", "skip"]}  # fmt: skip
    sizes = {"input": 8, "early": 16, "skip": 4, "large": 64, "small": 32, "end": 2}
    expect_peak(student, oracle, list(reads), reads, sizes, "unread")
    reads = {"unused": [], "input": [], "large": ["input"], "end": ["large"]}
    expect_peak(student, oracle, list(reads), reads, {"unused": 40, "input": 8, "large": 64, "end": 2}, "unread")


@task("peak_bytes", "busiest", "alive", "last", "together", "unread", "once")
def the_busiest_step_reads_nothing(student: Student, oracle: Any) -> None:
    """An operator that reads nothing has its step too: 10 and 200 bytes make 210, and one operator needs its 7."""
    reads = {"input": [], "op1": ["input"], "constant": []}
    expect_peak(student, oracle, list(reads), reads, {"input": 100, "op1": 10, "constant": 200})
    expect_peak(student, oracle, ["alone"], {"alone": []}, {"alone": 7})


@task("peak_bytes", "once", "last", "alive", "busiest", "together")
def one_result_in_two_slots(student: Student, oracle: Any) -> None:
    """cat(x, x) reads x twice, which is in memory once, and goes once, after its last reader; so does cat(a, b, a)."""
    reads = {"keep": [], "x": ["keep"], "cat": ["x", "x"], "wide": ["cat", "cat"], "end": ["wide", "keep"]}
    sizes = {"keep": 30, "x": 50, "cat": 20, "wide": 60, "end": 5}
    expect_peak(student, oracle, list(reads), reads, sizes, "once")
    reads = {"a": [], "b": [], "cat": ["a", "b", "a"], "wide": ["cat"], "end": ["wide"]}
    expect_peak(student, oracle, list(reads), reads, {"a": 50, "b": 20, "cat": 10, "wide": 100, "end": 5}, "once")
    reads = {"keep": [], "x": [], "a": ["x"], "cat": ["x", "x", "a"], "wide": ["cat"], "end": ["wide", "keep", "x"]}
    sizes = {"keep": 30, "x": 50, "a": 40, "cat": 45, "wide": 60, "end": 5}
    expect_peak(student, oracle, list(reads), reads, sizes)


@task("peak_bytes", "order", "busiest", "alive", "together", "last", "unread", "once")
def random_networks_in_any_order_of_keys(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """`order` alone says who runs when: the keys of reads and sizes come in other orders."""
    backwards = {"end": ["y", "z"], "z": ["x"], "y": ["w", "x"], "x": ["w"], "w": []}
    sizes = {"x": 5, "w": 30, "z": 15, "y": 40, "end": 10}
    expect_peak(student, oracle, ["w", "x", "y", "z", "end"], backwards, sizes, "order")
    for steps in (4, 6, 9):
        order, reads, sizes = run_of(rng, steps, 1)
        expect_peak(student, oracle, order, {name: reads[name] for name in sorted(order)}, sizes, "order")


@task("peak_bytes", "empty", "busiest")
def no_operators_need_nothing(student: Student) -> None:
    """Without operators 0 bytes are alive."""
    none = "there may be no operators: begin with a peak of 0."
    with likely({"ValueError": none, "IndexError": none, "KeyError": none, "StopIteration": none}):
        got = student.peak_bytes([], {}, {})
    expect(got, 0, what="the peak of no operators", mistakes={none: None})


@task("peak_bytes", "busiest", "alive", "together", "last", "unread", "once")
def the_digits_network_needs_24576_bytes(student: Student, oracle: Any) -> None:
    """The digits network at batch 1 needs 24,576 bytes at its busiest step."""
    operators = kuiper.load(DIGITS / "digits.pnnx.param").operators
    order = [op.name for op in operators]
    reads = {op.name: [producer.name for producer in op.producers] for op in operators}
    sizes = {op.name: sum(4 * math.prod((o.shape or (0,))[1:]) for o in op.outputs) for op in operators}
    compare_peak(peak_of(student, order, reads, sizes), 24576, oracle.peak_mistakes(order, reads, sizes))
