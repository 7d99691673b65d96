"""Public tests of lesson 14: tiles that fit, groups of calls, the text of a loop, run and counted, and shared rows."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

# --- choose_tile


def counted(count: int, thing: str) -> str:
    """`1 group`, `2 groups`."""
    return f"{count:,} {thing}{'s' * (count != 1)}"


PROBES = (
    *((registers, 8, 1000, 1000) for registers in (7, 8, 11, 16, 17, 20, 26, 32, 45)),
    (32, 8, 2, 1000),
    (40, 8, 1000, 20),
    (40, 8, 1000, 16),
    (5, 16, 2, 1000),
    (32, 8, 8, 1000),
)
"""Problems on which a wrong choose_tile is compared with known mistakes: one answer alone may come of several."""
NOTHING_FOUND = (
    "no tile was found, but 3 registers hold 1 x 1: a tile fits if it needs `registers` of them (<=, and not <)"
)
ENDS_EARLY = "a range ends before its stop: {}, so the range goes to {} + 1"
MANY_CHOICES = 64, 8, 1000, 1000
ONE_CHOICE = {
    (64, 8, 1, 1000): ENDS_EARLY.format("h may be `rows`", "rows"),
    (64, 8, 1000, 8): ENDS_EARLY.format("v may be all vectors that the channels need", "their number"),
    (3, 8, 1000, 1000): NOTHING_FOUND,
}
"""Problems in which rows, vectors or registers leave a single choice -> why somebody may not find it."""
TILE_ERRORS = {
    "ZeroDivisionError": "h or v was 0: a tile has a row and a vector at least",
    "NoneType": NOTHING_FOUND,
    "UnboundLocalError": NOTHING_FOUND,
    "empty": NOTHING_FOUND,
}


def expect_tile(student: Student, oracle: Any, *problem: int) -> None:
    """Raise Failure unless choose_tile gives the best tile for (registers, lanes, rows, channels)."""
    said = ", ".join(map(counted, problem, ("register", "lane", "row", "channel")))
    try:
        with likely(TILE_ERRORS):
            got = student.choose_tile(*problem)
    except Failure as crashed:
        if crashed.cause == NOTHING_FOUND:
            crashed.cause = why_nothing(student, *problem)
        raise
    right, known = oracle.best_tile(*problem), [oracle.best_tile(*probe) for probe in PROBES]
    mistakes = oracle.tile_mistakes(problem, PROBES)
    try:
        expect(got, right, what=f"the tile for {said}", names=("h", "v"))
    except Failure as wrong:
        wrong.cause = known_mistake(student, got, [right, *known], mistakes) or tile_fault(got, right, problem)
        if not finds_a_tile(student, *problem) and finds_a_tile(student, *MANY_CHOICES):
            wrong.cause = why_nothing(student, *problem)
        if wrong.where is None and is_tile(got):
            wrong.message = f"the tile for {said}: expected {right}, got {got}"
        raise


def finds_a_tile(student: Student, *problem: int) -> bool:
    """Whether choose_tile gives a tile, a right one or not, of a row and a vector at least."""
    with student.aside():
        try:
            got = student.choose_tile(*problem)
        except SubmissionError:
            return False
    return not (got is None or (is_tile(got) and min(got) < 1))


def why_nothing(student: Student, registers: int, lanes: int, rows: int, channels: int) -> str:
    """Why choose_tile finds no tile for this problem: the limit that leaves one choice, if it is that one."""
    if finds_a_tile(student, *MANY_CHOICES):
        alone = dict(zip(ONE_CHOICE, (rows == 1, channels <= lanes, registers == 3)))
        for problem, cause in ONE_CHOICE.items():
            if alone[problem] and not finds_a_tile(student, *problem):
                return cause
    return "no tile was found, though some fit: a tile fits if h * v + v + 1 <= registers"


def is_tile(got: Any) -> bool:
    """Whether it is a tuple of two plain ints."""
    return type(got) is tuple and [type(each) for each in got] == [int, int]


def known_mistake(student: Student, got: Any, right: list[tuple[int, int]], mistakes: Mapping[str, Any]) -> str | None:
    """The mistake that gives this tile, and the student's tiles for all of PROBES, too."""
    try:
        expect([got, *(student.choose_tile(*probe) for probe in PROBES)], right, mistakes=mistakes)
    except SubmissionError:
        return None
    except Failure as wrong:
        return wrong.cause
    return None


def tile_fault(got: Any, right: tuple[int, int], problem: tuple[int, ...]) -> str | None:
    """What is wrong with a tile, whatever it came from."""
    registers, lanes, rows, channels = problem
    if got == list(right):
        return "a list: a tuple is asked for, as in `return h, v`"
    if type(got) in (tuple, list) and any(type(each) is float for each in got):
        return "h and v are whole numbers: is there a / for //, or a ceil or floor of numpy without int(...)?"
    if not is_tile(got):
        return None
    h, v = got
    if min(h, v) < 1:
        return "a tile has a row and a vector at least"
    if h > rows:
        return f"h is larger than `rows`: the product has {counted(rows, 'row')}"
    if (v - 1) * lanes >= channels:
        return f"v is too large: fewer vectors of {lanes} hold {counted(channels, 'channel')}"
    needed = h * v + v + 1
    if needed > registers:
        return f"{h} x {v} needs {needed} registers: {h * v} for sums, {v} for weights, 1 for the number of x"
    best, ratio = (a * b / (a + b) for a, b in (right, got))
    if math.isclose(best, ratio):
        return f"{h} x {v} has the same ratio as {right[0]} x {right[1]}: of these the one with fewer vectors is taken"
    return (
        f"{right[0]} x {right[1]} fits, too, and makes {best:.2f} multiply-adds for each load; {h} x {v} makes "
        f"{ratio:.2f}"
    )


@task("choose_tile", "best", "fits", "form")
def large_products_on_three_processors(student: Student, oracle: Any) -> None:
    """For a large product 16 registers of 8 hold 4 x 3 sums, 32 of 16 or of 4 hold 5 x 5."""
    for registers, lanes in ((16, 8), (32, 16), (32, 4)):
        expect_tile(student, oracle, registers, lanes, 1000, 1000)


@task("choose_tile", "fits", "refused", "form")
def the_fewest_registers(student: Student, oracle: Any) -> None:
    """Three registers hold 1 x 1, four hold 2 x 1 and five hold 3 x 1."""
    for registers in (3, 4, 5):
        try:
            expect_tile(student, oracle, registers, 8, 10, 8)
        except SubmissionError as refused:
            if refused.is_a("ValueError"):
                refused.cause = f"{registers} registers hold a tile: fewer than 3 are refused, and no others"
            raise


@task("choose_tile", "fits", "best", "form", "ties")
def any_number_of_registers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """For any number of registers the tile fits into them, and has the best ratio."""
    for registers in (7, 8, *rng.integers(9, 70, 6).tolist()):
        expect_tile(student, oracle, registers, 8, 1000, 1000)


@task("choose_tile", "rows", "fits", "best", "form", "ties")
def few_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A tile has no more rows than the product: for a single one, a matrix times a vector, h is 1."""
    for rows in (1, 2, 3):
        expect_tile(student, oracle, int(rng.choice([16, 32])), 8, rows, 1000)


@task("choose_tile", "channels", "fits", "best", "form", "ties")
def few_channels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A tile has no more vectors than the channels need, and the last may be partly empty: 20 channels need 3 of 8."""
    for channels in (20, 10, 8, 3):
        expect_tile(student, oracle, int(rng.choice([28, 32, 40])), 8, 1000, channels)


@task("choose_tile", "ties", "fits", "best", "form", "rows")
def the_same_ratio_twice(student: Student, oracle: Any) -> None:
    """2 rows of 1 vector load as often as 1 row of 2 vectors, and 4 x 3 as often as 3 x 4: fewer vectors win."""
    expect_tile(student, oracle, 5, 16, 2, 1000)
    for registers in (17, 18, 26, 28):
        expect_tile(student, oracle, registers, 16, 1000, 1000)


@task("choose_tile", "refused")
def too_few_registers(student: Student) -> None:
    """Fewer than 3 registers raise ValueError: a sum, a vector of weights and a number of x need one each."""
    cause = "the smallest tile, 1 x 1, needs 3 registers: raise ValueError below"
    crashed = f"nothing was refused: no tile fits, and the code that goes on without one raises {{}}; {cause}"
    instead = {name: crashed.format(name) for name in ("IndexError", "ZeroDivisionError")}
    for registers in (2, 1, 0):
        expect_no_crash(student, registers, {"NoneType": crashed.format("TypeError"), "UnboundLocalError": cause})
        try:
            expect_refused(student.choose_tile, registers, 8, 10, 10, cause=cause, instead=instead)
        except SubmissionError as returned:
            if returned.kind == "data":
                returned.cause = "an exception is raised, and not returned: raise ValueError(...)"
            raise


def expect_no_crash(student: Student, registers: int, causes: Mapping[str, str]) -> None:
    """Raise Failure if choose_tile does not refuse, but breaks off because it has found no tile."""
    with suppress(SubmissionError), likely(causes):
        student.choose_tile(registers, 8, 10, 10)


# --- fuse

Calls = list[tuple[str, str, tuple[str, ...]]]
ELEMENTWISE = {"add", "mul", "relu", "sigmoid", "tanh"}
UNREAD = "a value that is returned need not have a reader"
NOT_YET = "{} is made by a call, but its group is not known yet: in which direction do you go through the calls?"
FUSE_ERRORS = {
    "KeyError": "an operand may be an input or a weight, which no call makes: pass over it",
    "is not in list": "an operand may be an input or a weight, which no call makes: pass over it",
    "IndexError": UNREAD,
}
CHANGES = (
    "`calls` itself is changed: a loop that takes calls out of it passes over some, and leaves none to a later loop. "
    "Go through list(calls) or reversed(calls), or take them out of a copy"
)


def failure(said: str, cause: str | None = None) -> Failure:
    """A Failure with its likely cause."""
    made = Failure(said)
    made.cause = cause
    return made


def expect_groups(
    student: Student, oracle: Any, calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]
) -> int:
    """Raise Failure unless fuse gives groups that keep to the rules, and as few as possible -> the numbers written."""
    least = oracle.fewest(calls, sizes, returned)
    slow = "calls that are looked through again for each call take too long in a large network"
    try:
        with likely(fuse_errors(calls, returned), timeout=slow):
            got = student.fuse(calls, dict(sizes), list(returned))
    except Failure as crashed:
        if crashed.cause != FUSE_ERRORS["KeyError"] and changes_calls(student, calls, sizes, returned):
            crashed.cause = CHANGES
        raise
    try:
        expect_legal(got, calls, sizes, returned)
    except Failure as wrong:
        lost = "found it in none" in wrong.message or "none of them empty" in wrong.message
        if lost and changes_calls(student, calls, sizes, returned):
            wrong.cause = CHANGES
            raise
        if cuts_before_products(student):
            wrong.cause = (
                "each call joined the group before it, and only a product began another: readers, sizes and `returned` "
                "decide where a value may stay inside, and not the place in the list"
            )
        raise
    if len(got) > least:
        said, cause = one_too_many(got, calls, sizes, returned)
        if asks_last_calls_only(student):
            cause = (
                "only the last call of a group was asked for what it reads: any call of the group may read the value "
                "that joins"
            )
        cause = compares_operands(student) or one_operand_only(student) or cause
        raise failure(f"expected {counted(least, 'group')}, got {len(got)}: {got!r:.300}{said}", cause)
    return sum(sizes[group[-1]] for group in got)


def fuse_errors(calls: Calls, returned: Sequence[str]) -> dict[str, str]:
    """Words of an exception -> its likely cause, which depends on whether the key is the name of a call."""
    readers = readers_of(calls)
    found = {}
    for name, _, _ in calls:
        cause = UNREAD if name in returned and not readers[name] else NOT_YET.format(name)
        found.update({f"KeyError: {name!r}": cause, f"{name!r} is not in list": cause})
    return {**found, **FUSE_ERRORS}


def changes_calls(student: Student, calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]) -> bool:
    """Whether fuse takes calls out of the list that it is given: out of a tuple it cannot."""
    with student.aside():
        try:
            student.fuse(tuple(calls), dict(sizes), list(returned))
        except SubmissionError as refused:
            words = r"'tuple' object (has no attribute '(pop|remove|clear)'|does(n't| not) support item deletion)"
            return re.search(words, refused.message) is not None
    return False


def cuts_before_products(student: Student) -> bool:
    """Whether the student's groups end before each product, and nowhere else, whoever reads what."""
    networks = (  # calls, returned, groups that end before each product
        ("a matmul x v; b relu a; c matmul b w; y add a c", "y", [["a", "b"], ["c", "y"]]),
        ("a matmul x v; b relu x; y matmul a b", "y", [["a", "b"], ["y"]]),
        ("a matmul x v; b relu a", "ab", [["a", "b"]]),
    )
    with suppress(SubmissionError):
        for text, returned, groups in networks:
            calls = [(name, kind, tuple(read)) for name, kind, *read in map(str.split, text.split(";"))]
            if student.fuse(calls, {name: 8 for name, _, _ in calls}, list(returned)) != groups:
                return False
        return True
    return False


def asks_last_calls_only(student: Student) -> bool:
    """Whether a value joins only a group whose last call reads it, and not one where a call before that one does."""
    beside: Calls = [("a", "tanh", ("x",)), ("b", "relu", ("x",)), ("y", "add", ("a", "b"))]
    with student.aside(), suppress(SubmissionError):
        return (
            student.fuse(*chain("tanh", "tanh", "tanh"), ["v2"]) == [["v0"], ["v1", "v2"]]
            and student.fuse(beside, {name: 8 for name, _, _ in beside}, ["y"]) == [["a", "b", "y"]]
            and student.fuse(*chain("matmul", "relu"), ["v1"]) == [["v0", "v1"]]
        )
    return False


def compares_operands(student: Student) -> str | None:
    """The cause where a value joins its reader only if the reader's other operand is as large as it."""

    def joins(*calls: tuple[str, str, tuple[str, ...]], **sizes: int) -> bool:
        returned = [name for name, _, _ in calls if name != "a"]
        return ["a", "y"] in student.fuse(list(calls), {"a": 8, "y": 8, **sizes}, returned)

    a, c, y = ("a", "tanh", ("x",)), ("c", "tanh", ("x",)), ("y", "add", ("a", "c"))
    cause = "a short operand from memory does not prevent it: compare what the CALLS of a group make, and not operands"
    with student.aside(), suppress(SubmissionError, TypeError):
        if joins(c, a, y, c=8, x=8) and not joins(c, a, y, c=2, x=2):
            return cause
        if joins(a, y, c=8, x=8) and not joins(a, y):
            return cause
    return None


def one_operand_only(student: Student) -> str | None:
    """The cause where a value joins its reader as the first operand and not as the last, or the other way round."""
    with student.aside(), suppress(SubmissionError):
        first, last = (
            student.fuse([("a", "tanh", ("x",)), ("y", "add", read)], {"a": 8, "y": 8}, ["y"]) == [["a", "y"]]
            for read in (("a", "c"), ("c", "a"))
        )
        if first != last:
            return f"only the {'first' if first else 'last'} operand of a call was looked at: it reads all of them"
    return None


def readers_of(calls: Calls) -> dict[str, list[str]]:
    """The name of each call -> the calls that read it; one that reads it twice stands there twice."""
    readers: dict[str, list[str]] = {name: [] for name, _, _ in calls}
    for name, _, operands in calls:
        for operand in operands:
            readers.get(operand, []).append(name)
    return readers


def one_too_many(
    got: list[list[str]], calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]
) -> tuple[str, str]:
    """Of legal groups that are too many: which value could join the group of its readers, and the likely cause."""
    readers = readers_of(calls)
    group_of = {name: group for group in got for name in group}
    products = {name for name, operation, _ in calls if operation not in ELEMENTWISE}
    place = {name: number for number, (name, _, _) in enumerate(calls)}
    joinable = []
    for group in got:
        name = group[-1]
        others = [other for other in got if set(other) & set(readers[name])]
        if name in returned or len(others) != 1 or set(readers[name]) & products:
            continue
        if sizes[name] == sizes[others[0][-1]] and not (products & set(group) and products & set(others[0])):
            joinable.append((group, others[0]))
    if len(got) < len(calls):  # that products join none is told where all else has joined
        joinable.sort(key=lambda pair: len(pair[0]) == 1 and pair[0][0] in products)
    if not joinable:
        return "", (
            "a product that joins closes its group for other products: let all element-wise calls join first, then "
            "one product to each group"
        )
    group, other = joinable[0]
    name = group[-1]
    reader = readers[name][0]
    if len(got) == len(calls) and products & {*group, *other}:
        cause = "each call is a group of its own: a value that one group alone reads is made in its loop"
    elif name in products and all(len(each) == 1 for each in got if products & set(each)):
        cause = "a group may take one product: a product joins the group of its readers, as other calls do"
    elif len(readers[name]) > 1:
        cause = "a value may have several readers, if all of them are in one group: count groups, and not readers"
    elif place[reader] != place[name] + 1 and not products & set(group) and products & set(other):
        cause = (
            f"{name} and its reader do not stand side by side, and that group has a product, neither of which "
            "stops an element-wise call: go by readers, not the next call; refuse only a second product"
        )
    elif place[reader] != place[name] + 1:
        cause = f"{name} and its reader do not stand side by side in the list: go by readers, not by the next call"
    elif not products & {*group, *other}:
        cause = "a group needs no product: element-wise calls alone are a loop, too"
    elif products & set(other):
        cause = "an element-wise call may join a group that already has a product"
    else:
        cause = "an epilogue may be of any length: whatever is element-wise and reads the value is done in its loop"
    return f"; {name}, which only {group_of[reader]} reads, could join that group", cause


def expect_legal(got: Any, calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]) -> None:
    """Raise Failure unless the groups keep to all rules but `fewest`."""
    expect_each_once(got, calls)
    place = {name: number for number, (name, _, _) in enumerate(calls)}
    for group in got:
        if sorted(group, key=place.__getitem__) != group:
            raise failure(
                f"the calls of {group} do not stand in the order of the list",
                "a group that is gathered from the last call to the first has to be turned around"
                if sorted(group, key=place.__getitem__) == group[::-1]
                else "put the calls into their groups by going through the list from its beginning",
            )
        expect_one_loop(group, calls, sizes, returned)
    expect_order(got, calls)


def expect_each_once(got: Any, calls: Calls) -> None:
    """Raise Failure unless `got` is a list of lists of names, with each call in one of them."""
    wanted = [name for name, _, _ in calls]
    lists = type(got) is list and all(type(group) is list for group in got)
    if not lists or not all(type(name) is str for group in got for name in group) or not all(got):
        raise failure(f"expected lists of names in a list, none of them empty, got {got!r:.300}", form_cause(got))
    counts = Counter(name for group in got for name in group)
    if more := [name for name in counts if name not in wanted]:
        raise failure(
            f"{more[0]!r} is no call: {got!r:.300}",
            "inputs and weights lie in memory, and are in no group: only what a call makes is",
        )
    if missing := [name for name in wanted if not counts[name]]:
        readers = [reader for reader in readers_of(calls)[missing[0]] if counts[reader]]
        needed = f", and {readers[0]} reads it" if readers else ""
        cause = "a value that cannot join the group of its readers is not left out: it begins one of its own"
        if missing == wanted[-len(missing) :]:
            single = ", and so does a group of one call" if len(missing) == 1 else ""
            cause = f"the last group is still open when the calls end: it belongs to the result, too{single}"
        raise failure(f"expected {missing[0]} in one group, found it in none{needed}: {got!r:.300}", cause)
    if twice := [name for name in wanted if counts[name] > 1]:
        same = any(group.count(twice[0]) > 1 for group in got)
        raise failure(
            f"expected {twice[0]} in one group once, found it {counts[twice[0]]} times: {got!r:.300}",
            "a call that has two readers in a group, or reads a value twice, is in it once all the same"
            if same
            else "each call is computed once: one group makes what two groups read, and writes it to memory",
        )


def form_cause(got: Any) -> str | None:
    """Why groups may have come in another form."""
    if got is None:
        return "is a `return` missing? Printing the groups is not enough"
    if type(got) is dict:
        return "the groups are the values of that dictionary: list(groups.values())"
    if type(got) is not list:
        return None
    if any(type(name) is str for name in got):
        return 'each group is a list of its own, also if there is one only: [["a", "b", "y"]]'
    if not all(got):
        return "a call that joined another group has left its own one empty: leave out the empty ones"
    if any(type(name) is tuple for group in got for name in group):
        return "a group has the names of its calls, and not the calls: of (name, operation, operands) the first"
    if any(isinstance(group, (set, frozenset)) for group in got):
        return "a set has no order: put the names into a list, in the order of `calls`"
    return "a group is a list: list(...) makes one of a tuple"


def expect_one_loop(group: list[str], calls: Calls, sizes: Mapping[str, int], returned: Sequence[str]) -> None:
    """Raise Failure unless one loop can compute the group, and only its last value is needed in memory."""
    readers = readers_of(calls)
    operations = {name: operation for name, operation, _ in calls}
    for name in group[:-1]:
        if name in returned:
            raise failure(
                f"{name} is returned, but of {group} only {group[-1]} is written to memory",
                "the caller gets what is in `returned`: such a value is the last of its group",
            )
        outside = [reader for reader in readers[name] if reader not in group]
        if outside:
            raise failure(
                f"{outside[0]} reads {name}, but of {group} only {group[-1]} is written to memory",
                "a value joins the group of its readers only if all of them are in that group",
            )
    products = [name for name in group if operations[name] not in ELEMENTWISE]
    if len(products) > 1:
        raise failure(
            f"{products[0]} ({operations[products[0]]}) and {products[1]} ({operations[products[1]]}) are both in "
            f"{group}",
            "one loop computes one product, or another call that is not element-wise: note of each group whether "
            "it has one, and let no second one join",
        )
    for name, operation, operands in calls:
        read = [operand for operand in operands if operand in group]
        if name in products and read:
            raise failure(
                f"{name} ({operation}) reads {read[0]}, which is in its group {group}",
                "a product needs all numbers of its operands before its first sum is ready, so they are in memory: a "
                "value that a product reads is the last of its group",
            )
    for name in group:
        if sizes[name] != sizes[group[-1]]:
            raise failure(
                f"{name} makes {sizes[name]} numbers and {group[-1]} makes {sizes[group[-1]]}, but both are in {group}",
                "a loop makes one number of each value at every turn, and calls of different sizes need two loops: "
                "compare the sizes before a call joins",
            )


def expect_order(got: list[list[str]], calls: Calls) -> None:
    """Raise Failure unless the groups can run one after the other."""
    late = made_later(got, calls)
    if late is None:
        return
    place = {name: number for number, (name, _, _) in enumerate(calls)}
    cause = "groups that stand in the order of their last calls can run one after the other"
    if [group[0] for group in got] == sorted((group[0] for group in got), key=place.__getitem__):
        cause = f"the groups are sorted by their first calls: {cause}"
    elif made_later(got[::-1], calls) is None:
        cause = "groups that are made from the last call to the first have to be turned around"
    group, operand = late
    raise failure(f"{group} reads {operand}, which only a later group makes: {got!r:.300}", cause)


def made_later(got: list[list[str]], calls: Calls) -> tuple[list[str], str] | None:
    """The first group that reads what only a later one makes, and what that is."""
    group_of = {name: number for number, group in enumerate(got) for name in group}
    for number, group in enumerate(got):
        for name, _, operands in calls:
            late = [operand for operand in operands if name in group and group_of.get(operand, -1) > number]
            if late:
                return group, late[0]
    return None


OF_CHAIN = {"matmul": "w", "add": "bias", "mul": "scale"}


def chain(*operations: str, size: int = 100) -> tuple[Calls, dict[str, int]]:
    """Calls of which each reads the one before; a product, a sum and a multiplication read a weight, too."""
    calls: Calls = []
    for number, operation in enumerate(operations):
        before = calls[-1][0] if calls else "x"
        more = {name: (f"{of}{number}",) for name, of in OF_CHAIN.items()}.get(operation, ())
        calls.append((f"v{number}", operation, (before, *more)))
    return calls, {name: size for name, _, _ in calls}


@task("fuse", "fewest", "all", "whole", "form", "order", "written")
def a_layer_is_one_loop(student: Student, oracle: Any) -> None:
    """A product, its bias and its ReLU are one group; the next product begins another."""
    calls, sizes = chain("matmul", "add", "relu", "matmul", "add", "relu")
    expect_groups(student, oracle, calls, sizes, ["v5"])


@task("fuse", "fewest", "all", "whole", "form", "order", "written")
def element_wise_calls_alone(student: Student, oracle: Any) -> None:
    """Element-wise calls are fused without a product, too: before one they are a loop, after a softmax they join it."""
    expect_groups(student, oracle, *chain("mul", "add", "tanh", "matmul"), ["v3"])
    expect_groups(student, oracle, *chain("softmax", "mul", "add"), ["v2"])


@task("fuse", "written", "fewest", "all", "whole", "form", "order")
def a_value_that_is_read_twice(student: Student, oracle: Any) -> None:
    """A value that two groups read is written to memory, as is one that the caller gets."""
    calls, sizes = chain("matmul", "relu", "matmul", "relu", "matmul")
    calls[4] = ("v4", "matmul", ("v3", "v1"))
    expect_groups(student, oracle, calls, sizes, ["v4"])
    calls, sizes = chain("matmul", "add", "relu", "mul")
    expect_groups(student, oracle, calls, sizes, ["v3", "v1"])
    calls, sizes = chain("matmul", "relu", "matmul", "relu")
    calls.append(("v4", "add", ("v1", "v3")))
    expect_groups(student, oracle, calls, {**sizes, "v4": 100}, ["v4"])
    calls, sizes = chain("matmul", "relu", "mul")
    calls.append(("v3", "tanh", ("v1",)))
    expect_groups(student, oracle, calls, {**sizes, "v3": 100}, ["v2", "v3"])


@task("fuse", "fewest", "all", "written", "whole", "form", "order")
def read_twice_in_one_group(student: Student, oracle: Any) -> None:
    """SiLU, y sigmoid(y), reads y twice, but in one loop: product, bias, sigmoid and mul are one group."""
    calls, sizes = chain("matmul", "add", "sigmoid")
    calls.append(("v3", "mul", ("v1", "v2")))
    sizes["v3"] = 100
    expect_groups(student, oracle, calls, sizes, ["v3"])
    calls[3] = ("v3", "mul", ("v2", "v2"))
    expect_groups(student, oracle, calls, sizes, ["v3"])


@task("fuse", "whole", "fewest", "all", "written", "form", "order")
def two_products_meet(student: Student, oracle: Any) -> None:
    """Where two products are added, the sum is in the loop of one of them; the other one's group is written."""
    calls: Calls = [
        ("left", "matmul", ("x", "w0")),
        ("right", "matmul", ("x", "w1")),
        ("sum", "add", ("left", "right")),
        ("y", "relu", ("sum",)),
    ]
    expect_groups(student, oracle, calls, dict.fromkeys(("left", "right", "sum", "y"), 12), ["y"])


@task("fuse", "whole", "fewest", "all", "written", "form", "order")
def a_gate_beside_its_product(student: Student, oracle: Any) -> None:
    """What a gate reads and, after it, a product is written, though both are in one loop: a product needs all of it."""
    calls: Calls = [
        ("image", "relu", ("x",)),
        ("gate", "sigmoid", ("image",)),
        ("product", "matmul", ("image", "w0")),
        ("y", "mul", ("gate", "product")),
    ]
    expect_groups(student, oracle, calls, {name: 64 for name, _, _ in calls}, ["y"])


@task("fuse", "fewest", "all", "written", "whole", "form", "order")
def two_products_share_a_scale(student: Student, oracle: Any) -> None:
    """Where two products are scaled alike and added, the scale, both multiplications and the sum are one loop."""
    calls: Calls = [
        ("left", "matmul", ("x", "w0")),
        ("right", "matmul", ("x", "w1")),
        ("scale", "sigmoid", ("x",)),
        ("a", "mul", ("left", "scale")),
        ("b", "mul", ("right", "scale")),
        ("y", "add", ("a", "b")),
    ]
    expect_groups(student, oracle, calls, {name: 12 for name, _, _ in calls}, ["y"])


@task("fuse", "size", "fewest", "all", "written", "whole", "form", "order")
def a_gate_for_each_channel(student: Student, oracle: Any) -> None:
    """A gate of 8 numbers, made from an image of 800 and multiplied with it, is another loop than the image's."""
    calls: Calls = [
        ("image", "conv", ("x", "w0")),
        ("mean", "pool", ("image",)),
        ("score", "matmul", ("mean", "w1")),
        ("gate", "sigmoid", ("score",)),
        ("y", "mul", ("image", "gate")),
    ]
    sizes = {"image": 800, "mean": 8, "score": 8, "gate": 8, "y": 800}
    expect_groups(student, oracle, calls, sizes, ["y"])
    calls[1] = ("mean", "pool", ("x",))
    expect_groups(student, oracle, calls, sizes, ["y"])


@task("fuse", "order", "fewest", "all", "written", "whole", "form")
def the_shortcut_comes_first(student: Student, oracle: Any) -> None:
    """A call that stands early in the list, and is read by a late group only, does not bring that group forward."""
    calls: Calls = [
        ("short", "mul", ("x", "scale")),
        ("a", "conv", ("x", "w0")),
        ("b", "relu", ("a",)),
        ("c", "conv", ("b", "w1")),
        ("y", "add", ("short", "c")),
    ]
    expect_groups(student, oracle, calls, dict.fromkeys(("short", "a", "b", "c", "y"), 64), ["y"])


def network(rng: np.random.Generator, blocks: int) -> tuple[Calls, dict[str, int], list[str]]:
    """Calls of a network of random blocks: layers, shortcuts, SiLUs, gates, sums of two products, pooling."""
    calls: Calls = []
    sizes: dict[str, int] = {}

    def add(operation: str, *operands: str, size: int) -> str:
        name = f"t{len(calls)}"
        calls.append((name, operation, operands))
        sizes[name] = size
        return name

    size = 640
    x = add("conv", "image", "w", size=size)
    returned = []
    for _ in range(blocks):
        kind, before = int(rng.integers(7)), x
        if kind == 0:
            size = int(rng.choice([160, 320, 640]))
        if kind == 1:
            x = add("pool", x, size=size)
            continue
        x = add(str(rng.choice(["conv", "matmul"])), x, "w", size=size)
        if rng.integers(2):
            x = add("add", x, "bias", size=size)
        if kind == 2:
            x = add("mul", x, add("sigmoid", x, size=size), size=size)
        if kind == 3 and sizes[before] == size:
            x = add("add", *((x, before) if rng.integers(2) else (before, x)), size=size)
        if kind == 4:
            x = add("add", x, add("conv", before, "w", size=size), size=size)
        if kind == 5:
            gate = add("matmul", add("pool", x, size=8), "w", size=8)
            x = add("mul", x, add("sigmoid", gate, size=8), size=size)
        if kind == 6:
            returned.append(x)
        if rng.integers(3):
            x = add("relu", x, size=size)
    return calls, sizes, [*dict.fromkeys([*returned, x])]


@task("fuse", "fewest", "all", "written", "whole", "size", "order", "form")
def random_networks(student: Student, rng: np.random.Generator, oracle: Any) -> str:
    """Networks of random blocks become as few groups as the rules allow."""
    made = written = ready = 0
    for _ in range(12):
        calls, sizes, returned = network(rng, int(rng.integers(2, 9)))
        written += expect_groups(student, oracle, calls, sizes, returned)
        ready += oracle.by_ready_kernels(calls, sizes, returned)
        made += sum(sizes.values())
    return (
        f"of {made:,} numbers that the calls make, {written / made:.0%} are written to memory, and the rules allow no "
        f"fewer. One call after the other, as numpy runs them, writes all; a library whose kernels compute a product, "
        f"its bias and one activation at once writes {ready / made:.0%}"
    )


# --- loop_nest: the text is read and run here, statement by statement, and what it does to the arrays is counted

MOST_STEPS = 400_000
ARRAYS = ("x", "w", "bias", "residual", "y")
ALLOWED = (
    "loops `for NAME in range(...)`, assignments to variables and to numbers of y, and + - * max(a, b) min(a, b) of "
    "numbers, variables and numbers of the arrays"
)
Y_IS_READ = (
    "the steps of the epilogue are done to the sum, in its variable, and y is stored once, after them: y is never read"
)
Y_IS_NO_SUM = "add up in a variable, which begins at 0.0, and store it after the loop over the depth"
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


NO_REST = "an axis without a rest has no smaller tile: write its lines only where something is left"
NOT_FILLED_IN = "the braces were not filled in: an f stands before the quotes"
OWN_VARIABLE = "each sum is a variable of its own, such as s0_0: the language has no lists"
ONE_EACH = "one variable for each =: each sum gets its value in a line of its own, as in `s0_0 = 0.0`"
SIZES_ARE_NUMBERS = "sizes stand in the text as numbers, not as names: {depth} in an f-string writes the number"
SINGLE_NUMBERS = "the text names single numbers, y[i, j] and not all of y: loops go through them"
FOREIGN: dict[type[ast.AST], str] = {
    ast.List: OWN_VARIABLE,
    ast.Set: NOT_FILLED_IN,
    ast.ListComp: OWN_VARIABLE,
    ast.Assign: ONE_EACH,
    ast.Tuple: ONE_EACH,
    ast.While: "the language has `for` loops only: how often each runs is known before",
    ast.Expr: "a line that is only a value does nothing: the text needs no docstring",
    ast.Slice: SINGLE_NUMBERS,
    ast.MatMult: SINGLE_NUMBERS,
    ast.If: "no `if` is needed: a ReLU is max(a, 0.0), and the smaller tiles at the edges are lines of their own",
    ast.IfExp: "a ReLU is max(a, 0.0)",
    ast.Call: "the only functions are range, and max and min of two numbers",
    ast.Import: "the text needs no numpy: it names single numbers of the arrays only",
    ast.Return: "y is filled, and nothing is returned: leave out the line `return`",
}
RANGE = re.compile(r"\brange\((\d+), *(\d+)(?:, *(\d+))?\)")
SIZES = {"rows", "depth", "channels", "tile", "height", "width", "h", "w", "v"}
AXES = {"x": "x[i, k]", "w": "w[k, j]", "bias": "bias[j]", "residual": "residual[i, j]", "y": "y[i, j]"}
"""How each array is indexed by the row i, the step k of the depth, and the channel j."""


def beginning(value: Any) -> str:
    """How the value is printed, or the first hundred characters of that and `...`."""
    printed = repr(value)
    return printed if len(printed) <= 100 else f"{printed[:100]} ..."


MISSING_STEP = "the step {} of the epilogue is missing: a line for it stands before the store"


class Program:
    """A text that is run here on counted arrays; loads and stores: (array, place) -> how often.

    tile : the one that it was asked for; it helps to say what is wrong.
    empty_loop : the first line of the text whose range had no number in it; "" if there was none.
    loops_around : array -> in how many loops, one in the other, a number of it is loaded or stored at most.
    Raises Failure for what does not belong to the language, names a place that is not there, or reads y.
    """

    def __init__(self, text: Any, tile: tuple[int, int] = (1, 1)) -> None:
        self.tile, self.empty_loop, self._exchanged = tile, "", ""
        if type(text) is not str:
            cause = "lines are joined to one text by '\\n'.join(lines)" if isinstance(text, (list, tuple)) else None
            cause = "is a `return` missing? Printing the text is not enough" if text is None else cause
            raise failure(
                f"expected the text of a function, a str, got {type(text).__name__}: {beginning(text)}", cause
            )
        self.lines = text.splitlines()
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            number = getattr(error, "lineno", None) or 1
            cause = None
            if isinstance(error, IndentationError):
                cause = "each block is indented by four columns more than the line that opens it"
                if self._has_a_range_of_nothing():
                    cause = NO_REST
                elif not any(map(str.strip, self.lines[number:])) and self.lines[number - 1].rstrip().endswith(":"):
                    cause = "nothing stands in this loop: has its tile any rows and columns?"
            elif "expected ':'" in str(error.args[0]):
                cause = "a line that opens a block ends in a colon"
            elif "{" in self.line(number):
                cause = NOT_FILLED_IN
            elif len(self.lines) == 1 and text.count(":") > 1:
                cause = "all stands in one line: '\\n'.join(lines) puts a line break behind each"
            raise failure(f"{self.line(number)}: no Python: {error.args[0]}", cause) from None
        function = body[0] if len(body) == 1 else None
        if not isinstance(function, ast.FunctionDef) or function.name != "product":
            cause = None
            if any(isinstance(one, (ast.Import, ast.ImportFrom)) for one in body):
                cause = FOREIGN[ast.Import]
            elif isinstance(function, ast.FunctionDef):
                cause = f"the function is called product, and not {function.name}"
            raise failure(
                f"expected one function, product, and nothing else in the text, found {beginning(text)}", cause
            )
        names = [each.arg for each in function.args.args]
        if names != list(ARRAYS):
            raise failure(f"expected def product({', '.join(ARRAYS)}), got the arguments {names}")
        self._body = function.body

    def _has_a_range_of_nothing(self) -> bool:
        """Whether a range of plain numbers is empty, or its step is 0."""
        for start, stop, step in RANGE.findall("\n".join(self.lines)):
            if int(start) >= int(stop) or (step and int(step) == 0):
                return True
        return False

    @property
    def lines_with_stores(self) -> int:
        """How many lines of the text store a number of y."""
        nodes = (node for statement in self._body for node in ast.walk(statement))
        return sum(isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) for node in nodes)

    def corner(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The places of y where rows and columns are left of whole tiles; none if there is no whole tile."""
        whole = [size // step * step for size, step in zip(shape, self.tile)]
        places = np.ndindex(shape) if all(whole) else iter(())
        return [place for place in places if all(at >= end for at, end in zip(place, whole))]

    def run(
        self, exchanged: str = "", **arrays: np.ndarray
    ) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
        """Run it on these arrays -> (loads, stores), (array, *place) -> how often.

        exchanged : an array of which both indices are taken in the other order.
        """
        self._exchanged = exchanged
        self._arrays, self._variables, self._steps = arrays, dict[str, Any](), 0
        self._loops, self._range_of, self.loops_around = 0, dict[str, range](), dict[str, int]()
        self.loads, self.stores = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
        with np.errstate(all="ignore"):
            self._block(self._body)
        return self.loads, self.stores

    def line(self, number: int) -> str:
        """A line of the text, and its number."""
        text = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return f"line {number} of the text, `{text[:80]}`"

    def _wrong(self, node: Any, said: str, cause: str | None = None) -> Failure:
        return failure(f"{self.line(node.lineno)}: {said}", cause)

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._steps, self._statement = self._steps + 1, statement
            if self._steps > MOST_STEPS:
                raise self._wrong(statement, f"the text has not ended after {MOST_STEPS:,} statements")
            if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name) and not statement.orelse:
                numbers = self._range(statement.iter)
                self._range_of[statement.target.id] = numbers
                self._loops += 1
                for number in numbers:
                    self._variables[statement.target.id] = number
                    self._block(statement.body)
                self._loops -= 1
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self._store(statement.targets[0], self._value(statement.value))
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
                self._expect_begun(statement)
                before = self._value(statement.target)
                self._store(statement.target, before + self._value(statement.value))
            elif not isinstance(statement, ast.Pass):
                raise self._foreign(statement, "it")

    def _foreign(self, node: Any, said: str) -> Failure:
        return self._wrong(
            node, f"{said} does not belong to the language: {ALLOWED}", FOREIGN.get(type(getattr(node, "op", node)))
        )

    def _range(self, node: ast.expr) -> range:
        call = isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and not node.keywords
        bounds = [self._value(each) for each in node.args] if isinstance(node, ast.Call) and call else []
        if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds) or bounds[2:] == [0]:
            cause = "whole tiles are rows // h: / gives a decimal number" if float in map(type, bounds) else None
            cause = NO_REST if bounds[2:] == [0] else cause
            raise self._wrong(node, "expected range of one to three whole numbers", cause)
        numbers = range(*bounds)
        if not numbers and not self.empty_loop:
            self.empty_loop = self.line(node.lineno)
        return numbers

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in self._variables:
                cause = "a line before it has to give it a value: is the name the same in both?"
                if node.id in SIZES:
                    cause = SIZES_ARE_NUMBERS
                raise self._wrong(node, f"{node.id} is read before it has a value", cause)
            return self._variables[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self._value(node.left), self._value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("max", "min") and len(node.args) == 2:
            return (max if ast.unparse(node.func) == "max" else min)(*(self._value(each) for each in node.args))
        if isinstance(node, ast.Subscript):
            name, place = self._place(node)
            if name == "y":
                raise self._wrong(node, f"y{list(place)} is read", self._why_y())
            self.loads[name, *place] += 1
            return float(self._arrays[name][place])
        raise self._foreign(node, ast.unparse(node)[:60])

    def _expect_begun(self, statement: ast.AugAssign) -> None:
        """Raise Failure for a sum that begins at nothing, or stands in y."""
        target = statement.target
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "y":
            raise self._wrong(statement, "y is read, as += adds to what is there", self._why_y())
        if isinstance(target, ast.Name) and target.id not in self._variables:
            cause = "each sum begins at 0.0, in a line before the loop over the depth"
            raise self._wrong(statement, f"{target.id} is read before it has a value", cause)

    def _why_y(self) -> str:
        """Why the statement that is run may read y: for the epilogue, or to add up."""
        if isinstance(self._statement, ast.AugAssign) and isinstance(self._statement.value, ast.Name):
            return "y holds nothing before: a sum is stored by =, and not by +="
        names = {node.id for node in ast.walk(self._statement) if isinstance(node, ast.Name)}
        adds = isinstance(getattr(self._statement, "value", None), ast.BinOp)
        return Y_IS_NO_SUM if adds and not names & {"bias", "residual", "max", "min"} else Y_IS_READ

    def _place(self, node: ast.Subscript) -> tuple[str, tuple[int, ...]]:
        name = ast.unparse(node.value)
        if name not in ARRAYS:
            array = name.partition("[")[0]
            cause = f"both indices stand in one pair of brackets: {AXES[array]}" if array in ARRAYS else OWN_VARIABLE
            cause = SIZES_ARE_NUMBERS if name.endswith(".shape") else cause
            raise self._wrong(node, f"{name} is none of the arrays {', '.join(ARRAYS)}", cause)
        some = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        place = tuple(self._value(each) for each in some)
        if name == self._exchanged:
            place = place[::-1]
        shape = self._arrays[name].shape
        inside = len(place) == len(shape) and all(
            type(each) is int and 0 <= each < size for each, size in zip(place, shape)
        )
        if not inside:
            listed = ", ".join(map(str, place))
            said = f"{name}[{listed}] is no number of {name}, whose shape is {shape}"
            raise self._wrong(node, said, self._outside(name, place, some))
        self.loops_around[name] = max(self._loops, self.loops_around.get(name, 0))
        return name, place

    def _outside(self, name: str, place: tuple[Any, ...], indices: Sequence[ast.expr]) -> str:
        """Why a place may not be there. indices : as the text writes them."""
        shape = self._arrays[name].shape
        if len(place) != len(shape) or not all(type(each) is int for each in place):
            return f"{name} has {counted(len(shape), 'whole number')} as its index: {AXES[name]}"
        axis = next(number for number, (each, size) in enumerate(zip(place, shape)) if not 0 <= each < size)
        index = AXES[name].partition("[")[2].rstrip("]").split(", ")[axis]
        if index == "k":
            return "the loop over the depth goes too far, or another number than its own is the index k"
        height, width = self.tile
        step, what = (height, "rows") if index == "i" else (width, "channels")
        if self._goes_through_the_rest(indices[axis], shape[axis], step):
            count = "h rows" if index == "i" else "w columns"
            return (
                f"the tile for what is left is written, but with {count}: give it the {count.partition(' ')[2]} that "
                "are left"
            )
        if shape[axis] % step:
            return "the size is no multiple of the tile, so the last tile is smaller: write one for what is left"
        first = "row" if index == "i" else "column"
        return (
            f"{index} is the first {first} of a tile, and goes in steps of the tile: for {index} in range(0, {what}, "
            f"{'h' if index == 'i' else 'w'})"
        )

    def _goes_through_the_rest(self, index: ast.expr, size: int, step: int) -> bool:
        """Whether a variable of this index goes through what is left of whole tiles, and through nothing else."""
        whole = size // step * step
        ranges = (self._range_of.get(node.id) for node in ast.walk(index) if isinstance(node, ast.Name))
        starts = [each for each in ranges if each is not None and each.start == whole < size]
        return any(whole or each.step == size for each in starts)

    def _store(self, node: ast.expr, value: Any) -> None:
        if isinstance(node, ast.Name):
            self._variables[node.id] = value
        elif isinstance(node, ast.Subscript):
            name, place = self._place(node)
            if name != "y":
                raise self._wrong(node, f"{name} is written to; only y is")
            self.stores[name, *place] += 1
            self._arrays[name][place] = value
        else:
            raise self._foreign(node, "it")


def operands(rng: np.random.Generator, rows: int, depth: int, channels: int) -> dict[str, np.ndarray]:
    """Arrays of whole numbers, as float64; y holds NaN."""
    shapes = {"x": (rows, depth), "w": (depth, channels), "bias": (channels,), "residual": (rows, channels)}
    made = {name: rng.integers(-9, 10, shape).astype(np.float64) for name, shape in shapes.items()}
    return {**made, "y": np.full((rows, channels), np.nan)}


def expect_nest(
    student: Student,
    rng: np.random.Generator,
    oracle: Any,
    sizes: tuple[int, int, int],
    tile: tuple[int, int],
    epilogue: Sequence[str] = (),
) -> None:
    """Raise Failure unless the text of loop_nest computes what it should, with few loads and stores."""
    rows, depth, channels = sizes
    arrays = operands(rng, *sizes)
    given = [arrays[name] for name in ("x", "w", "bias", "residual")]
    right = oracle.product(*given, list(epilogue))
    mistakes = oracle.nest_mistakes(*given, list(epilogue), tile)
    causes = {"KeyError": 'epilogue may be any of "bias", "residual" and "relu", in any order, or empty'}
    with likely(causes):
        program = Program(student.loop_nest(*sizes, tile, list(epilogue)), tile)
    said = ", ".join(map(counted, sizes, ("row", "step", "channel")))
    what = f"y for {said}, tile {tile}, epilogue {list(epilogue)}"
    try:
        loads, stores = expect_product(program, arrays, right, what, mistakes)
    except Failure as wrong:
        exchanged = exchanged_indices(program, arrays, right)
        wrong.cause = exchanged or lost_step(student, program, sizes, epilogue, wrong.cause) or wrong.cause
        raise
    expect_few_stores(program, loads, stores, rows, depth, channels)
    expect_few_loads(program, loads, rows, depth, channels, tile)
    expect_no_larger_tile(student, loads, sizes, tile)


def expect_product(
    program: Program, arrays: Mapping[str, np.ndarray], right: np.ndarray, what: str, mistakes: Mapping[str, Any]
) -> tuple[Counter[Any], Counter[Any]]:
    """Raise Failure unless the program stores what is right in y -> (loads, stores)."""
    kept = {name: array.copy() for name, array in arrays.items()}
    loads, stores = program.run(**kept)
    unwritten = [place for place in np.ndindex(right.shape) if not stores["y", *place]]
    if unwritten:
        cause = "what is left at the right and at the bottom needs tiles, too: a range of whole tiles ends before it"
        if unwritten == program.corner(right.shape):
            cause = "right and bottom are done; the corner, where rows and columns are both left, is not"
        if not stores and program.empty_loop and not any(size < step for size, step in zip(right.shape, program.tile)):
            cause = f"nothing is stored, as {program.empty_loop} never runs: range(start, stop, step) ends before stop"
        cause = stored_after_a_loop(unwritten, right.shape, program.tile) or cause
        if not program.lines_with_stores:
            cause = "no line stores anything: after the loop over the depth each sum goes into its number of y"
        elif max(stores.values(), default=0) > 1:
            cause = stored_in_the_first_tiles(unwritten, right.shape, program.tile) or (
                "several sums of a tile go into the same number of y: that of row r and column c is y[i + r, j + c]"
            )
        said = f"{len(unwritten)} of {right.size} numbers are never stored, the first y{list(unwritten[0])}"
        raise failure(f"{what}: {said}", cause)
    expect(kept["y"], right, rtol=1e-9, atol=1e-9, what=what, mistakes=mistakes)
    return loads, stores


def stored_in_the_first_tiles(
    unwritten: Sequence[tuple[int, ...]], shape: tuple[int, ...], tile: tuple[int, int]
) -> str | None:
    """The cause where all tiles beside each other, or one below the other, store where the first of them does."""
    for axis, which, name in ((1, "leftmost", "j"), (0, "uppermost", "i")):
        if list(unwritten) == [place for place in np.ndindex(shape) if place[axis] >= tile[axis]]:
            return f"all tiles store in the place of the {which}: does {name} stand in the index y[i + r, j + c]?"
    return None


def stored_after_a_loop(
    unwritten: Sequence[tuple[int, ...]], shape: tuple[int, ...], tile: tuple[int, int]
) -> str | None:
    """The cause where of several tiles in a row, in a column or in all the last one alone is stored."""
    last = [max(0, size // step - 1) * step for size, step in zip(shape, tile)]
    said = "only the last tile{} is stored: the stores belong inside the loop over {}"
    for axes, of, name in (
        ([1], " of each row of tiles", "j"),
        ([0], " of each column of tiles", "i"),
        ([0, 1], "", "i and the one over j"),
    ):
        before = [place for place in np.ndindex(shape) if any(place[axis] < last[axis] for axis in axes)]
        if all(last[axis] for axis in axes) and list(unwritten) == before:
            return said.format(of, name)
    return None


def exchanged_indices(program: Program, arrays: Mapping[str, np.ndarray], right: np.ndarray) -> str | None:
    """The likely cause of a wrong result that is right once both indices of an array are exchanged."""
    for name in ("w", "x", "residual", "y"):
        kept = {each: array.copy() for each, array in arrays.items()}
        try:
            program.run(exchanged=name, **kept)
        except Failure:
            continue
        if np.array_equal(kept["y"], right):
            return f"the indices of {name} are exchanged: it is {AXES[name]}, with row i, step k and channel j"
    return None


def lost_step(
    student: Student, program: Program, sizes: tuple[int, int, int], epilogue: Sequence[str], cause: str | None
) -> str | None:
    """The cause where a step has no effect, though loop_nest knows it: a later one does not go on with its result."""
    marks = {"bias": "bias[", "residual": "residual[", "relu": "max("}
    for step in epilogue[:-1]:
        if cause == MISSING_STEP.format(repr(step)):
            with student.aside(), suppress(SubmissionError, Failure):
                alone = Program(student.loop_nest(*sizes, program.tile, [step]))
                if any(marks[step] in line for line in (*program.lines, *alone.lines)):
                    return f"a later step loses what {step!r} made: each step goes on with the result of the one before"
    return None


def expect_few_stores(
    program: Program, loads: Counter[Any], stores: Counter[Any], rows: int, depth: int, channels: int
) -> None:
    """Raise Failure unless each number of y is stored once, and the epilogue's numbers are read once for it."""
    several = [(place, count) for place, count in stores.items() if count > 1]
    if several:
        (_, *place), count = several[0]
        least = min(stores.values())
        if least >= depth > 1:
            cause = "the stores belong after the loop over the depth, and not into it"
        elif least > 1:
            cause = "a sum is stored, and then what the epilogue makes of it: store once, after the epilogue"
        else:
            cause = "tiles do not overlap: what is left is a smaller tile, which begins where the one before it ends"
        raise failure(f"y{place} is stored {count} times", cause)
    for name in ("bias", "residual"):
        count = sum(n for key, n in loads.items() if key[0] == name)
        if count > rows * channels:
            in_the_depth = program.loops_around[name] > program.loops_around["y"]
            raise failure(
                f"{counted(count, 'number')} of {name} are read for {counted(rows * channels, 'number')} of y",
                f"{name} belongs after the loop over the depth"
                if in_the_depth
                else f"{name} is read twice for a number of y: read it once, or keep it in a variable",
            )


def expect_few_loads(
    program: Program, loads: Counter[Any], rows: int, depth: int, channels: int, tile: tuple[int, int]
) -> None:
    """Raise Failure for more loads of x and w than such tiles make."""
    of_x, of_w = (sum(n for key, n in loads.items() if key[0] == name) for name in "xw")
    most = depth * crossings(pieces(rows, tile[0]), pieces(channels, tile[1]))
    if of_x + of_w > most:
        raise failure(
            f"expected {counted(most, 'load')} of x and w for {rows} x {depth} x {channels} and tiles of "
            f"{tile}, counted {of_x + of_w}",
            why_so_many(program.lines_with_stores, of_x, of_w, (rows, depth, channels), tile),
        )


def expect_no_larger_tile(
    student: Student, loads: Counter[Any], sizes: tuple[int, int, int], tile: tuple[int, int]
) -> None:
    """Raise Failure for fewer loads of x or of w than such tiles make: more sums are kept than were asked for."""
    (rows, depth, channels), (height, width) = sizes, tile
    heights, widths = pieces(rows, height), pieces(channels, width)
    for name, wanted in (("x", rows * len(widths)), ("w", channels * len(heights))):
        count = sum(n for key, n in loads.items() if key[0] == name)
        if count < depth * wanted:
            raise failure(
                f"expected {counted(depth * wanted, 'load')} of {name} for {rows} x {depth} x {channels} and tiles of "
                f"{tile}, counted {count}",
                why_so_few(student, sizes, tile),
            )


def why_so_few(student: Student, sizes: tuple[int, int, int], tile: tuple[int, int]) -> str:
    """The likely cause of so few loads of x or w."""
    with student.aside(), suppress(SubmissionError, Failure):
        sums = Program(student.loop_nest(1, 1, 64, (1, 2))).lines_with_stores  # as many columns as its tile has
        if sums in (2 * 4, 2 * 8, 2 * 16):
            return "the tile is larger than `tile`: w counts columns, and not vectors"
    if sizes[0] % tile[0] or sizes[2] % tile[1]:
        return (
            "a tile is larger than `tile`: its sums may not fit. Does what is left at an edge join the tile before it? "
            "Make a smaller tile of it"
        )
    return "the tile is larger than `tile`: its sums may not fit"


def pieces(size: int, step: int, one_by_one: bool = False) -> list[int]:
    """The sizes of the tiles along an axis; one_by_one : what is left is cut into tiles of 1."""
    whole, left = divmod(size, step)
    return [step] * whole + ([1] * left if one_by_one else [left] * (left > 0))


def crossings(heights: Sequence[int], widths: Sequence[int]) -> int:
    """Loads for one step of the depth: h + w for each tile of h x w."""
    return sum(height + width for height in heights for width in widths)


def why_so_many(lines: int, of_x: int, of_w: int, sizes: tuple[int, int, int], tile: tuple[int, int]) -> str:
    """The likely cause of so many loads of x and w. lines : of the text that store a number of y."""
    (rows, depth, channels), (height, width) = sizes, tile
    each = rows * depth * channels
    heights, widths = pieces(rows, height), pieces(channels, width)
    ones = pieces(rows, height, one_by_one=True), pieces(channels, width, one_by_one=True)
    whole = crossings([height] * (rows // height), [width] * (channels // width))
    left = rows * channels - (rows - rows % height) * (channels - channels % width)
    single = "what is left at the {} is computed one {} at a time: make one smaller tile of it"
    if lines == 1 and min(rows, height) * min(channels, width) > 1:
        return "there is no tile, but one sum at a time: write the lines of h * w sums, each a variable of its own"
    found = {
        crossings(pieces(rows, width), pieces(channels, height)): "h and w of the tile are exchanged: h are its rows",
        whole + 2 * left: single.format("edges", "sum"),
        crossings(*ones): single.format("edges", "row or column"),
        crossings(heights, ones[1]): single.format("right", "column"),
        crossings(ones[0], widths): single.format("bottom", "row"),
    }
    if (of_x + of_w) / depth in found:
        return found[(of_x + of_w) / depth]
    of_each = [of_x >= each > depth * rows * len(widths), of_w >= each > depth * channels * len(heights)]
    if all(of_each):
        return (
            "each multiply-add loads both of its numbers: load those of a step into variables first, one of x for each "
            "row of the tile and one of w for each column"
        )
    if any(of_each):
        name, used = ("x", "w sums of its row") if of_each[0] else ("w", "h sums of its column")
        return f"{name} is loaded for each multiply-add: load a number into a variable, and use it for the {used}"
    return "is each number of x and w loaded once for a tile and a step of the depth?"


@task("loop_nest", "result", "loads", "stores", "language")
def one_tile(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A product as large as the tile, 2 x 3, is right, with 2 + 3 loads for each step of the depth."""
    expect_nest(student, rng, oracle, (2, 4, 3), (2, 3))
    expect_nest(student, rng, oracle, (1, 1, 1), (1, 1))


@task("loop_nest", "result", "loads", "stores", "language")
def many_tiles(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A product of several tiles beside and below each other is right."""
    for sizes, tile in (((4, 3, 9), (2, 3)), ((6, 2, 2), (1, 2)), ((3, 5, 4), (3, 1))):
        expect_nest(student, rng, oracle, sizes, tile)


@task("loop_nest", "result", "loads", "stores", "language")
def a_large_tile(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A tile of 12 x 12 has 144 sums, each with a name of its own."""
    expect_nest(student, rng, oracle, (12, 2, 12), (12, 12))


@task("loop_nest", "edges", "result", "loads", "stores", "language")
def what_is_left(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Rows and channels that are no multiples of the tile, or fewer than it has, are right, too."""
    of_several = ((5, 3, 6), (3, 3)), ((4, 3, 8), (2, 3)), ((5, 3, 8), (3, 3))
    for sizes, tile in (((5, 3, 6), (2, 3)), ((4, 3, 7), (2, 3)), *of_several, ((2, 3, 3), (4, 5))):
        expect_nest(student, rng, oracle, sizes, tile)


@task("loop_nest", "epilogue", "result", "loads", "stores", "language")
def bias_and_relu(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The steps of the epilogue come after the sums: bias, residual, ReLU, one of them, or all three."""
    for epilogue in (["bias"], ["relu"], ["residual"], ["bias", "relu"], ["bias", "residual", "relu"]):
        expect_nest(student, rng, oracle, (4, 3, 6), (2, 3), epilogue)


@task("loop_nest", "epilogue", "result", "loads", "stores", "language")
def steps_in_their_order(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A ReLU before the residual is another function than one after it."""
    for epilogue in (["bias", "relu", "residual"], ["relu", "bias"], ["residual", "relu", "bias"]):
        expect_nest(student, rng, oracle, (4, 3, 6), (2, 3), epilogue)


@task("loop_nest", "short")
def loops_and_not_copies(student: Student) -> None:
    """Three times as many rows, steps and channels make no more lines."""
    small = Program(student.loop_nest(4, 2, 6, (2, 3), ["bias", "relu"])).lines
    large = Program(student.loop_nest(12, 6, 18, (2, 3), ["bias", "relu"])).lines
    if len(large) > len(small):
        raise failure(
            f"the text for 4 x 2 x 6 has {counted(len(small), 'line')}, the one for 12 x 6 x 18 has {len(large)}",
            "write loops into the text: for i in range(0, rows, h), for j in range(0, channels, w), for k in "
            "range(depth). Only the tile is written out",
        )


# --- share_rows

Parts = list[int]


SHARE_ERRORS = {
    "NoneType": "unit may be None: then each thread has a fixed share",
    "required positional argument": "take and barrier are 0 unless said: leave their defaults in the first line",
    "max() ": "a pass may have no parts, and a part no rows",
}


def expect_shares(
    student: Student, oracle: Any, *problem: Any, expected: tuple[float, list[int]] | None = None, **more: float
) -> None:
    """Raise Failure unless share_rows gives the end and the rows of each thread.

    expected : these; the oracle's if not given.
    """
    said = ", ".join([*map(str, problem), *(f"{name}={value}" for name, value in more.items())])
    right, mistakes = expected or oracle.shares(*problem, **more), oracle.share_mistakes(*problem, **more)
    timeout = "a unit of rows is handed out at each turn: does the first row that is left move on?"
    with likely(SHARE_ERRORS, timeout=timeout):
        got = student.share_rows(*problem, **more)
    names = "the end", "the rows by thread"
    expect(got, right, rtol=1e-9, what=f"share_rows({said})", names=names, mistakes=mistakes)


def in_quarters(rng: np.random.Generator) -> list[float]:
    """Three different paces from 1.25 to 4, of which sums are exact."""
    return (rng.choice(np.arange(5, 17), 3, replace=False) / 4).tolist()


@task("share_rows", "counter", "time", "form", "default", "ties")
def a_slow_thread_does_less(student: Student, oracle: Any) -> None:
    """Eight rows one by one, for threads that need 1 and 3 for a row: 6 and 2 of them, done at 6."""
    expect_shares(student, oracle, [8], 1, [1.0, 3.0], expected=(6.0, [6, 2]))
    expect_shares(student, oracle, [12], 1, [1.0, 2.5, 6.0])


@task("share_rows", "counter", "time", "form", "default", "ties")
def units_of_several_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A unit may have several rows, and the last one of a part what is left."""
    for rows, unit in ((10, 4), (7, 3), (5, 8), (int(rng.integers(20, 40)), 6)):
        expect_shares(student, oracle, [rows], unit, in_quarters(rng))


@task("share_rows", "ties", "counter", "time", "form", "default")
def two_are_free(student: Student, oracle: Any) -> None:
    """Of threads that are free at the same time the one with the lowest number takes the next rows."""
    expect_shares(student, oracle, [4], 1, [1.0, 1.0, 1.0])
    expect_shares(student, oracle, [4], 1, [2.0, 1.0])
    expect_shares(student, oracle, [12], 1, [1.0, 3.5, 2.0])


@task("share_rows", "static", "time", "form", "default")
def fixed_shares(student: Student, oracle: Any) -> None:
    """Without a unit all wait for the thread that is slow, whose share is as large as the others'."""
    expect_shares(student, oracle, [8], None, [1.0, 3.0])
    expect_shares(student, oracle, [10], None, [1.0, 2.0, 1.0, 4.0])
    expect_shares(student, oracle, [2], None, [1.0, 2.0, 1.0])


@task("share_rows", "time", "counter", "static", "form", "ties", "default")
def a_unit_has_to_be_taken(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Taking a unit costs `take`; a part of no rows or a share of none costs nothing."""
    pace = in_quarters(rng)
    for parts, unit in (([9], 1), ([9], 4), ([2], None), ([0], 2), ([0], None)):
        expect_shares(student, oracle, parts, unit, pace, take=0.5)


@task("share_rows", "barrier", "counter", "static", "time", "form", "ties", "default")
def a_barrier_behind_each_part(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """All threads wait after each part, and the barrier costs something itself, also after the last."""
    pace = [1.0, *in_quarters(rng)[1:]]
    for parts in ([7, 7, 4], [5, 0, 11], [1, 1, 1, 1], [0], []):
        for unit in (2, None):
            expect_shares(student, oracle, parts, unit, pace, barrier=0.25)


@task("share_rows", "default", "barrier", "counter", "time", "form", "ties")
def nothing_is_said(student: Student, oracle: Any) -> None:
    """Taking and the barrier cost nothing unless said."""
    expect_shares(student, oracle, [6, 6], 2, [1.0, 2.0])
