"""What goes wrong in the cells of lesson 14 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]
Call = tuple[str, str, tuple[str, ...]]


def _loaded(group: Sequence[Call]) -> list[str]:
    """The operands that a group doesn't make, as often as they are read."""
    made = {name for name, _, _ in group}
    return [operand for _, _, operands in group for operand in operands if operand not in made]


def _read(group: Sequence[Call]) -> list[str]:
    return list(dict.fromkeys(operand for _, _, operands in group for operand in operands))


def _bytes(
    names: Callable[[Sequence[Call]], Sequence[str]],
    groups: Sequence[Sequence[Call]],
    sizes: Mapping[str, int],
    each: int = 4,
) -> int:
    """The bytes of what names(group) lists, for all groups."""
    return each * sum(sizes[name] for group in groups for name in names(group))


def _once(group: Sequence[Call]) -> list[str]:
    return list(dict.fromkeys(_loaded(group)))


def _of_operands(*places: int) -> Callable[[Sequence[Call]], list[str]]:
    """What a group moves where only the operands at these places of each call are counted."""
    return lambda group: [
        *dict.fromkeys(call[2][place] for call in group for place in places if call[2][place] in _loaded(group)),
        group[-1][0],
    ]


def _raises(error: type[Exception], words: str) -> Callable[..., Any]:
    """A function that raises this: its text would else depend on the names in the reader's code."""

    def function(*_: Any) -> Any:
        raise error(words)

    return function


def _made_so_far(groups: Any, sizes: Mapping[str, int]) -> int:
    made: set[str] = set()
    total = 0
    for group in groups:
        for name, _, operands in group:
            total += sum(sizes[one] for one in operands if one not in made)
            made.add(name)
        total += sizes[group[-1][0]]
    return 4 * total


def _kept_for_the_next_call(groups: Any, sizes: Mapping[str, int]) -> int:
    total = 0
    for group in groups:
        seen, before = set(), None
        for name, _, operands in group:
            seen |= {operand for operand in operands if operand != before}
            before = name
        total += sum(sizes[name] for name in seen | {before})
    return 4 * total


TRAFFIC: Mistakes = {
    "the first operand of a later call may come from memory, too: ask of each whether the group makes it": partial(
        _bytes,
        lambda group: dict.fromkeys(
            [*group[0][2], *(one for call in group[1:] for one in call[2][1:] if one in _loaded(group)), group[-1][0]]
        ),
    ),
    "what a group makes stays in a register for all its calls, and not for the next one alone": _kept_for_the_next_call,
    "these are numbers: each of them takes 4 bytes": partial(
        _bytes, lambda group: [*_once(group), group[-1][0]], each=1
    ),
    "an operand that two calls of a group read is loaded once: a set has each name once": partial(
        _bytes, lambda group: [*_loaded(group), group[-1][0]]
    ),
    "what a group makes and uses itself is neither loaded nor written: only its last value is": partial(
        _bytes, lambda group: [*_read(group), group[-1][0]]
    ),
    "every operand was added up: only what the group doesn't make itself is loaded, and each once": partial(
        _bytes, lambda group: [*(one for _, _, operands in group for one in operands), group[-1][0]]
    ),
    "a set of sizes has equal ones once: make the set of names, and add up the size of each": lambda groups, sizes: (
        4 * sum(sum({sizes[one] for one in _once(group)}) + sizes[group[-1][0]] for group in groups)
    ),
    "each call was counted by itself: what is made and used within a group is neither loaded nor written": partial(
        _bytes, lambda group: [one for call in group for one in (*dict.fromkeys(call[2]), call[0])]
    ),
    "what a group writes counts, too: add the size of its last value": partial(_bytes, _once),
    "what a group loads counts, too: add the operands that it doesn't make": partial(
        _bytes, lambda group: [group[-1][0]]
    ),
    "of a group all calls load operands, and not the first alone": partial(
        _bytes, lambda group: [*dict.fromkeys(group[0][2]), group[-1][0]]
    ),
    "an operand is loaded once by each group that reads it: begin with an empty set for each": lambda groups, sizes: (
        4 * sum(sizes[name] for name in {one for group in groups for one in _once(group)})
        + 4 * sum(sizes[group[-1][0]] for group in groups)
    ),
    "what another group makes has to be loaded: only what this group makes is in registers": lambda groups, sizes: (
        _bytes(
            lambda group: [
                *(one for one in _once(group) if all(one != call[0] for each in groups for call in each)),
                group[-1][0],
            ],
            groups,
            sizes,
        )
    ),
    "a call is (name, operation, operands): its name is call[0]": (
        lambda groups, sizes: sizes[groups[0][-1]]  # type: ignore[index]
    ),
    "one set for all groups has a value once that one group writes and another loads: begin an empty set for each": (
        lambda groups, sizes: _bytes(
            lambda calls: list(
                {*(one for group in groups for one in _once(group)), *(group[-1][0] for group in groups)}
            ),
            [[]],
            sizes,
        )
    ),
    "what any group makes was taken away, even from what is written: each group has a set of its own, and what it "
    "writes counts": lambda groups, sizes: _bytes(
        lambda calls: list(
            {one for group in groups for one in _read(group)} - {call[0] for each in groups for call in each}
        ),
        [[]],
        sizes,
    ),
    "a group is a list of calls: group[0] is its first call, and no name. A second loop goes over the calls": (
        lambda groups, sizes: sizes[groups[0][0]]  # type: ignore[index]
    ),
    "a group is a list of calls: group[2] is its third call, and no tuple of operands. A second loop goes over the "
    "calls": lambda groups, sizes: sum(sizes[one] for group in groups for one in group[2]),
    "a group is a list of calls, not a call: in the loop over groups goes one over calls": lambda groups, sizes: (
        4 * sum(sizes[one] for name, _, operands in groups for one in (*operands, name))
    ),
    "only one group was counted: is the `return` inside of the loop?": (
        lambda groups, sizes: _bytes(lambda group: [*_once(group), group[-1][0]], groups[:1], sizes)
    ),
    "all sizes were added up, each once: what one group writes and another loads is moved twice, and what a group "
    "makes and uses itself not at all": lambda groups, sizes: 4 * sum(sizes.values()),
    "what is written takes 4 bytes a number, too: only the loads were multiplied": lambda groups, sizes: sum(
        4 * sum(sizes[one] for one in _once(group)) + sizes[group[-1][0]] for group in groups
    ),
    "what is loaded takes 4 bytes a number, too: only the last term was multiplied": lambda groups, sizes: sum(
        sum(sizes[one] for one in _once(group)) + 4 * sizes[group[-1][0]] for group in groups
    ),
    "names were counted, and not numbers: sizes[name] says how many each has": lambda groups, sizes: sum(
        4 * (len(_once(group)) + 1) for group in groups
    ),
    "names were counted, and not numbers, nor bytes: sizes[name] says how many numbers each has": (
        lambda groups, sizes: sum(len(_once(group)) + 1 for group in groups)
    ),
    "operands is a tuple of names: a second loop takes them out of it": (
        lambda groups, sizes: sizes[groups[0][0][2]]  # type: ignore[index]
    ),
    "only the last group was counted: total += ..., and not total = ...": (
        lambda groups, sizes: _bytes(lambda group: [*_once(group), group[-1][0]], groups[-1:], sizes)
    ),
    "only the last group's value is written here: the line belongs into the loop, since each group writes one": (
        lambda groups, sizes: _bytes(_once, groups, sizes) + 4 * sizes[groups[-1][-1][0]]
    ),
    "all that is read and all that is made was added up: what a group makes and uses itself moves no bytes": partial(
        _bytes, lambda group: [*_read(group), *(name for name, _, _ in group)]
    ),
    "sets can be subtracted, lists cannot: {...} - made": lambda groups, sizes: [] - [],  # type: ignore[operator]
    "two slips: what another group makes has to be loaded, and an operand that two calls of a group read is loaded "
    "once": _made_so_far,
    "two slips: each number takes 4 bytes, and an operand that two calls of a group read is loaded once": partial(
        _bytes, lambda group: [*_loaded(group), group[-1][0]], each=1
    ),
    "of each group only the last call's operands were counted: gather those of all its calls": partial(
        _bytes,
        lambda group: [*dict.fromkeys(one for one in group[-1][2] if one in _loaded(group)), group[-1][0]],
    ),
    "these are the bytes of each group: add them up": lambda groups, sizes: [
        _bytes(lambda group: [*_once(group), group[-1][0]], [one], sizes) for one in groups
    ],
    "of a group the LAST value is written: the name of its last call, and not that of its first": partial(
        _bytes, lambda group: [*_once(group), group[0][0]]
    ),
    "a call has all the operands in call[2]: only the first of each was counted": partial(_bytes, _of_operands(0)),
    "a call has all the operands in call[2]: only the last of each was counted": partial(_bytes, _of_operands(-1)),
    "a call is a tuple of three, whose second is its operation, which has no size: its operands are call[2]": (
        lambda groups, sizes: sum(sizes[one] for group in groups for call in group for one in call)
    ),
    "a float32 takes 4 bytes, and not 8": partial(_bytes, lambda group: [*_once(group), group[-1][0]], each=8),
}

PER_LOAD: Mistakes = {
    "12 are the multiply-adds of the tile of 4x3: another tile makes another number": lambda h, v: 12 / (h + v),
    "that is the mean of rows and vectors: count the multiply-adds and the loads of a step, and divide": lambda h, v: (
        (h + v) / 2
    ),
    "upside down: multiply-adds divided by loads": lambda h, v: (h + v) / (h * v),
    "these are the multiply-adds: divide them by the loads of a step": lambda h, v: h * v,
    "these are the loads of a step: divide its multiply-adds by them": lambda h, v: h + v,
    "a ratio is no whole number: / and not //": lambda h, v: h * v // (h + v),
    "each multiply-add was given two loads of its own: in a tile one load serves a whole row or column": lambda h, v: (
        0.5
    ),
    "/ comes before +: put brackets around what is divided by": lambda h, v: h * v / h + v,
    "the sums are not loaded, as they stay in registers: leave them out of the loads": lambda h, v: (
        h * v / (h + v + h * v)
    ),
    "v counts vectors, of which one load brings eight numbers: no factor 8": lambda h, v: 8 * h * v / (h + 8 * v),
    "a number of x was loaded for each sum: one load serves its whole row of sums": lambda h, v: h * v / (h * v + v),
    "these are the registers, and not the loads: no sum is loaded, and each row loads a number of x": (
        lambda h, v: h * v / (h * v + v + 1)
    ),
    "one load too many: only numbers of x and vectors of weights are loaded": lambda h, v: h * v / (h + v + 1),
    "a multiply-add counts as one here, and not as two operations": lambda h, v: 2 * h * v / (h + v),
    "multiply-adds of vectors are counted, and not of the eight numbers in each": lambda h, v: 8 * h * v / (h + v),
    "one register holds the numbers of x in turn, but each row loads its own": lambda h, v: h * v / (v + 1),
    "a vector of weights was loaded for each sum: one load serves its whole column of sums": (
        lambda h, v: h * v / (h + h * v)
    ),
    "one vector of weights was loaded: a tile may be several vectors wide": lambda h, v: h * v / (h + 1),
    "the numbers of x are loaded, too": lambda h, v: h * v / v,
    "the vectors of weights are loaded, too": lambda h, v: h * v / h,
    "the loads of w were divided by those of x: above stand the multiply-adds, below all loads": (lambda h, v: v / h),
    "the loads of x were divided by those of w: above stand the multiply-adds, below all loads": (lambda h, v: h / v),
    "a tile makes a multiply-add for each of its sums, and not one in all": lambda h, v: 1 / (h + v),
    "two loads serve a tile of 1x1 only: a larger one makes more": lambda h, v: h * v / 2,
    "v counts vectors, and each is one load: no factor 8": lambda h, v: h * v / (h + 8 * v),
    "each of the h numbers of x is one load, though it fills eight places: no factor 8": lambda h, v: (
        h * v / (8 * h + v)
    ),
    "two slips: multiply-adds of vectors are counted, and not of the numbers in them; and a number of x is one load, "
    "though it fills eight places": lambda h, v: 8 * h * v / (8 * h + v),
    "numbers and vectors are both loaded, and not the larger of them alone": lambda h, v: h * v / max(h, v),
    "no factor 2: a multiply-add counts once, and so does a load": lambda h, v: h * v / (h + v) / 2,
    "a number is asked for, and no text: leave out the quotes": lambda h, v: f"{h * v}/{h + v}",
    "the result is not rounded: leave out the rounding": lambda h, v: round(h * v / (h + v), 2),
    "the depth multiplies both the multiply-adds and the loads, so it is not in the ratio": (
        lambda h, v: 24 * h * v / (h + v)
    ),
    "each load counts once, whatever it brings: no factor 8": lambda h, v: h * v / (8 * h + 8 * v),
    "these are the multiply-adds of all 24 steps: divide those of one step by its loads": (lambda h, v: 24 * h * v),
    "288 are the multiply-adds of twelve sums in 24 steps: count those of this tile in one step": lambda h, v: (
        288 / (h + v)
    ),
    "a constant: the ratio depends on h and on v, so both stand in the formula": lambda h, v: 12 / 7,
    "the depth is in the multiply-adds as well as in the loads: leave it out of both": (
        lambda h, v: h * v / (24 * (h + v))
    ),
    "for each load means a ratio: divide, and don't subtract": lambda h, v: h * v - (h + v),
}


def _phi(s: str, kind: str = "<8 x float>", zero: str = "zeroinitializer", end: str = ".next") -> str:
    return f"%{s} = phi {kind} [ {zero}, %before.k ], [ %{s}{end}, %end.k ]"


SUM_PHIS = {s: _phi(s) for s in ("s0.0", "s2.1")}
"""The lines that are asked for: in the notebook they would give the answer away."""

SUM_PHI: Mistakes = {
    "the loop comes back from its end: %end.k, and not %after.k, which is behind it": (
        lambda s: _phi(s).replace("%end.k", "%after.k")
    ),
    "a name has no value before its line: the sum begins at zeroinitializer": lambda s: _phi(s, zero=f"%{s}"),
    "a blank is missing before a bracket: [ value, block ], with one on each side": (
        lambda s: _phi(s).replace(".k ]", ".k]")
    ),
    "two slips: the braces of V were not filled in, as an f stands before the quotes; and a vector's zero is "
    "zeroinitializer": lambda s: _phi(s, "V", "0"),
    "the braces were not filled in: an f stands before the quotes": lambda s: _phi("{s}", "{V}"),
    "{s} was not filled in: an f stands before the quotes": lambda s: _phi("{s}"),
    "the name of the sum was not filled in: {s}, in an f-string": lambda s: _phi("s"),
    "the name s holds the whole name, as s0.0: {s} alone stands behind each %": lambda s: _phi(f"s.{s}"),
    "the name s holds the whole name, as s0.0: {s} alone stands behind each %, and no other s": (
        lambda s: _phi(f"s{s}")
    ),
    "the name s holds the whole name, as s0.0: {s} alone, with .next behind it, is the new sum": (
        lambda s: _phi(s, end="").replace(f"[ %{s},", f"[ %s.{s}.next,")
    ),
    "{s} and .next are the new sum's whole name: no further s stands between them": lambda s: _phi(s, end=".s.next"),
    "{s} was filled in for the new sum, and stands before .next alone: %{s}.next": lambda s: _phi(s).replace(
        f"%{s}.next", "%s.s.next"
    ),
    "a sum is a vector of eight floats, V, and no whole number": lambda s: _phi(s, "i64"),
    "a float32 is called `float` in IR: {V} in the f-string writes <8 x float>": lambda s: _phi(s, "<8 x f32>"),
    "a sum is a vector of eight floats, V, and no single one": lambda s: _phi(s, "float"),
    "a whole number stands for zero: for a vector it is zeroinitializer": lambda s: _phi(s, zero="0"),
    "two slips: a sum is a vector, V, and begins at zeroinitializer": lambda s: _phi(s, "i64", "0"),
    "a poison vector holds anything: a sum begins at zeroinitializer": lambda s: _phi(s, zero="poison"),
    "from the end of the loop comes the NEW sum, with .next: else it never changes": lambda s: _phi(s, end=""),
    "this is the counter's line: that of the sum s": lambda s: _phi("k", "i64", "0"),
    "the blocks are exchanged: zero comes from before the loop": (
        lambda s: f"%{s} = phi <8 x float> [ %{s}.next, %before.k ], [ zeroinitializer, %end.k ]"
    ),
    "the blocks are exchanged: zero comes from before the loop, %before.k, and the new sum from its end, %end.k": (
        lambda s: f"%{s} = phi <8 x float> [ zeroinitializer, %end.k ], [ %{s}.next, %before.k ]"
    ),
    "a sum is a vector, V, and begins at zeroinitializer; and the blocks belong to the loop, k: %before.k, %end.k": (
        lambda s: f"%{s} = phi i64 [ 0, %before.{s} ], [ %{s}.next, %end.{s} ]"
    ),
    "the blocks belong to the loop, k, and not to the sum: %before.k and %end.k": (
        lambda s: f"%{s} = phi <8 x float> [ zeroinitializer, %before.{s} ], [ %{s}.next, %end.{s} ]"
    ),
    "0.0 is a single number: a vector of zeros is zeroinitializer": lambda s: _phi(s, zero="0.0"),
    "from the end of the loop comes the new sum, and not the counter": (
        lambda s: f"%{s} = phi <8 x float> [ zeroinitializer, %before.k ], [ %k.next, %end.k ]"
    ),
    "LLVM reads this order, too; here it is the counter's that is asked for: before.k first": (
        lambda s: f"%{s} = phi <8 x float> [ %{s}.next, %end.k ], [ zeroinitializer, %before.k ]"
    ),
    "LLVM reads it without the blanks in the brackets, too; here they are asked for: [ zeroinitializer, %before.k ]": (
        lambda s: _phi(s).replace("[ ", "[").replace(" ]", "]")
    ),
    "a blank is missing behind the comma: ], [": lambda s: _phi(s).replace("], [", "],["),
    "a blank is missing before the last bracket": lambda s: _phi(s).replace("%end.k ]", "%end.k]"),
    "the last bracket is missing, and the blank before it": lambda s: _phi(s)[:-2],
    "the last bracket is missing": lambda s: _phi(s)[:-1],
    "no blank stands behind %: it is the first character of the name": lambda s: _phi(s).replace("%s", "% s", 1),
    "the blocks belong to the loop, k, and not to a sum s: %before.k and %end.k": (
        lambda s: _phi(s).replace(".k", ".s")
    ),
    "both blocks belong to the loop, k, the first one, too: %before.k": (
        lambda s: _phi(s).replace("%before.k", f"%before.{s}")
    ),
    "both blocks belong to the loop, k, the second one, too: %end.k": lambda s: _phi(s).replace("%end.k", f"%end.{s}"),
    "two slips: a sum is a vector of eight floats, V, and its zero is zeroinitializer": lambda s: _phi(s, "float", "0"),
    "two slips: a vector's zero is zeroinitializer; and the blocks belong to the loop, k: %before.k, %end.k": (
        lambda s: _phi(s, zero="0").replace(".k", f".{s}")
    ),
    "a word of IR: it is spelled zeroinitializer, with a z in the middle, too": (
        lambda s: _phi(s, zero="zeroinitialiser")
    ),
    "a line break stands at the end: loop joins the lines itself": lambda s: _phi(s) + "\n",
    "the type stands once, before the brackets: in them is the value alone": lambda s: _phi(
        s, zero="<8 x float> zeroinitializer"
    ),
    "the type stands once, before the brackets: in them are the values alone": lambda s: (
        f"%{s} = phi <8 x float> [ <8 x float> zeroinitializer, %before.k ], [ <8 x float> %{s}.next, %end.k ]"
    ),
    "the first block's name begins with %, too": lambda s: _phi(s).replace("%before", "before"),
    "the second block's name begins with %, too": lambda s: _phi(s).replace("%end", "end"),
    "the blocks' names begin with %, too": lambda s: _phi(s).replace("%before", "before").replace("%end", "end"),
    "the first % is missing: each name begins with one": lambda s: _phi(s)[1:],
    "a sum's name begins with %, too: %{s}, in both places": lambda s: _phi(s).replace(f"%{s}", s),
    "k is the counter: the name of the sum is %{s}": lambda s: _phi("k"),
    "the line begins with the name that gets the value: %{s} = phi ...": lambda s: _phi(s).partition(" = ")[2],
    "each name begins with %: sums and blocks": lambda s: _phi(s).replace("%", ""),
    "the new sum is a name, too, and begins with %": lambda s: _phi(s).replace(f"%{s}.next", f"{s}.next"),
    "V is a name of Python: {V} in the f-string writes <8 x float>": lambda s: _phi(s, "V"),
    "the new sum is called as the sum, with .next behind it: %{s}.next": lambda s: _phi(s).replace(
        f"%{s}.next", f"%next.{s}"
    ),
    "zeroinitializer is a word of IR, and no name: it has no %": lambda s: _phi(s, zero="%zeroinitializer"),
    "a vector of zeros is called zeroinitializer in IR": lambda s: _phi(s, zero="zeros"),
    "the new sum comes from the block that jumps back, %end.k": lambda s: _phi(s).replace("%end.k", "%loop.k"),
    "the line gives the sum its value, %{s}; the new sum, %{s}.next, is what goes in": (
        lambda s: f"%{s}.next = phi <8 x float> [ zeroinitializer, %before.k ], [ %{s}, %end.k ]"
    ),
    "the line gives the sum its value: %{s}, without .next, stands in front of =": (
        lambda s: f"%{s}.next = phi <8 x float> [ zeroinitializer, %before.k ], [ %{s}.next, %end.k ]"
    ),
    "a sum is a vector of eight floats: V and zeroinitializer, and no single number": (
        lambda s: _phi(s, "float", zero="0.0")
    ),
    "a comma stands between the two pairs of brackets": lambda s: _phi(s).replace("], [", "] ["),
    "no comma stands between the type and the first bracket": lambda s: _phi(s).replace("> [", ">, ["),
    "the name stands in the text as it is: put {s} there, in an f-string": lambda s: _phi("s0.0"),
    "the first name is filled in, the second not: %{s}.next": lambda s: _phi(s).replace(f"%{s}.next", "%s.next"),
    "the second name is filled in, the first not: %{s}": lambda s: _phi(s).replace(f"%{s} =", "%s ="),
    "the blocks' names end in .k, the name of their loop": lambda s: _phi(s).replace("e.k", "e").replace("d.k", "d"),
    "the pairs stand in square brackets": lambda s: _phi(s).replace("[", "(").replace("]", ")"),
    "a point stands between the name and next: %{s}.next": lambda s: _phi(s).replace(".next", "_next"),
    "the line begins with %, without blanks in front": lambda s: "  " + _phi(s),
    "nothing stands behind the last bracket: in IR a semicolon begins a comment": lambda s: _phi(s) + ";",
    "`phi` comes first, and then the type": (
        lambda s: f"%{s} = <8 x float> phi [ zeroinitializer, %before.k ], [ %{s}.next, %end.k ]"
    ),
    "a list of one line: the line itself is asked for": lambda s: [_phi(s)],
    "the type is missing: V, behind `phi`": lambda s: _phi(s, "").replace("phi  [", "phi ["),
}


def _lucas(n: int, a: int = 2, b: int = 1) -> tuple[int, int]:
    for _ in range(n):
        a, b = b, a + b
    return a, b


def _added_up(n: int, a: int = 2, b: int = 1, *, goes_on: bool = False) -> int:
    """The sum of the sums of all steps. goes_on : %b gets it, too."""
    total = 0
    for _ in range(n):
        total += a + b
        a, b = b, total if goes_on else a + b
    return total


def _sum_last(n: int) -> int:
    """As if the sum were made last in a step, of what %a and %b have become."""
    a, b, total = 2, 1, 0
    for _ in range(n):
        a, b = b, total
        total = a + b
    return total


UNBOUND = "cannot access local variable '{}' where it is not associated with a value"

PUZZLE: Mistakes = {
    "both phis take their values at once: %a gets the %b of the step before, and not the new sum": (
        lambda n: 3 * 2 ** (n - 1)
    ),
    "both phis take their values at once: the sum adds the %a and %b of this step, and %a changes only after it": (
        lambda n: 2**n
    ),
    "that is the %b of the last step, one sum too early: `ret` returns %sum, after n steps": lambda n: _lucas(n)[0],
    "that is the %a of the last step: `ret` returns %sum": lambda n: _lucas(n - 1)[0],
    "one step too many: k counts 0, 1, ... n - 1": lambda n: _lucas(n + 1)[1],
    "two slips: %sum is a new value in each step, = and not +=; and %a and %b change after it": lambda n: 3 * n,
    "%sum is a new value in each step, = and not +=: it is no sum of the steps before": _added_up,
    "%sum is a new value in each step, = and not +=: %b gets the last one, and not all of them together": (
        partial(_added_up, goes_on=True)
    ),
    "in a step %sum comes first, of the %a and %b that the step begins with: they change after it": (
        lambda n: _sum_last(n)
    ),
    **{
        f"`{name}` has no value in the first step yet: in a step the sum a + b comes first, and a and b change after "
        "it": _raises(UnboundLocalError, UNBOUND.format(name))
        for name in ("s", "sum", "total", "sum_", "c")
    },
    "from `before.k`, so in the first step, %a is 2 and %b is 1: they begin at 0 and 1 here": (
        lambda n: _lucas(n, 0, 1)[1]
    ),
    "from `before.k`, so in the first step, %a is 2 and %b is 1: they are exchanged here": lambda n: _lucas(n, 1, 2)[1],
    "from `before.k`, so in the first step, %a is 2 and %b is 1: both begin at 1 here": lambda n: _lucas(n, 1, 1)[1],
    "%a changes, too: from `end.k` it gets the %b of the step before": lambda n: 2 * n + 1,
    "%b changes, too: from `end.k` it gets the sum of the step before": lambda n: 3 if n == 1 else 2,
    "these are values of the first step: is the `return` inside of the loop, or did %a and %b not change?": lambda n: 3,
}

WAITING: Mistakes = {
    "each waits for the last of all, and not for those behind it in the list: max(arrivals) - time": lambda arrivals: (
        sum(max(arrivals[place:]) - time for place, time in enumerate(arrivals))
    ),
    "neighbours in the list do not wait for one another: each waits for the last, max(arrivals) - time": (
        lambda arrivals: sum(later - time for time, later in pairwise(arrivals))
    ),
    "turned round: a thread waits from its own time until the largest, max(arrivals) - time": lambda arrivals: sum(
        time - max(arrivals) for time in arrivals
    ),
    "that is the largest minus the smallest, what the first waits: all threads together": lambda arrivals: (
        max(arrivals) - min(arrivals)
    ),
    "a barrier opens for the largest of the times, which need not stand last": (
        lambda arrivals: sum(arrivals[-1] - time for time in arrivals)
    ),
    "a barrier opens for the largest of the times, which need not stand first": (
        lambda arrivals: sum(arrivals[0] - time for time in arrivals)
    ),
    "that is how late they come after the first: each waits until the last is there": (
        lambda arrivals: sum(time - min(arrivals) for time in arrivals)
    ),
    "that is the largest time for each thread: take off the time at which it arrived itself": lambda arrivals: (
        max(arrivals) * len(arrivals)
    ),
    "that is the working time: take each from the largest": sum,
    "that is when the barrier opens: how long has each thread waited then?": max,
    "the `return` stands in the loop, which ends at the first thread: move it below the loop": (
        lambda arrivals: max(arrivals) - arrivals[0]
    ),
    "the largest was taken away once: each thread waits from its own time until the largest": (
        lambda arrivals: sum(arrivals) - max(arrivals)
    ),
    "these are the times between neighbours in the list: each thread waits for the largest of all": (
        lambda arrivals: sum(abs(one - other) for one, other in pairwise(arrivals))
    ),
    "these are the times of each thread: add them up": lambda arrivals: [max(arrivals) - time for time in arrivals],
    "an array with the time of each thread: add them up": lambda arrivals: np.max(arrivals) - np.array(arrivals),
    "that is the mean of the threads: leave out the division": (
        lambda arrivals: sum(max(arrivals) - time for time in arrivals) / len(arrivals)
    ),
    "all times were taken from the largest at once: each thread waits from its own time until the largest": (
        lambda arrivals: max(arrivals) - sum(arrivals)
    ),
    "one time was taken off for all: each thread waits from its own time on": (
        lambda arrivals: len(arrivals) * max(arrivals) - min(arrivals)
    ),
    "the smallest was taken away once: each thread waits from its own time until the largest": (
        lambda arrivals: sum(arrivals) - min(arrivals)
    ),
    "that is the mean time of arrival: each thread waits from its own time until the largest": (
        lambda arrivals: sum(arrivals) / len(arrivals)
    ),
    "the first thread was left out, which need not be the last to arrive": (
        lambda arrivals: sum(max(arrivals) - time for time in arrivals[1:])
    ),
    "the last of the list was left out, which need not be the last to arrive": (
        lambda arrivals: sum(max(arrivals) - time for time in arrivals[:-1])
    ),
    "a set has equal times once: two threads may arrive at the same time": (
        lambda arrivals: sum(max(arrivals) - time for time in set(arrivals))
    ),
    "all but the last were given the wait of the first to arrive: each waits from its own time on": (
        lambda arrivals: (max(arrivals) - min(arrivals)) * (len(arrivals) - 1)
    ),
    "all were given the wait of the first to arrive: each waits from its own time on": (
        lambda arrivals: (max(arrivals) - min(arrivals)) * len(arrivals)
    ),
    "that is what the last but one waits: add up all threads": lambda arrivals: max(arrivals) - sorted(arrivals)[-2],
    "one thread too few was counted: the last to arrive waits for nobody, but max(arrivals) counts for it, too": (
        lambda arrivals: (len(arrivals) - 1) * max(arrivals) - sum(arrivals)
    ),
    "each thread's wait took the place of the one before: += adds them up": lambda arrivals: (
        max(arrivals) - arrivals[-1]
    ),
    "a thread waits for the last of all, and not for the last so far: max(arrivals)": (
        lambda arrivals: sum(max(arrivals[: place + 1]) - time for place, time in enumerate(arrivals))
    ),
    "a thread waits once, until the last is there, and not for each one that comes later": lambda arrivals: sum(
        max(later - time, 0) for time in arrivals for later in arrivals
    ),
    "the last to arrive was left out, but the others' own times are not taken off yet": lambda arrivals: (
        (len(arrivals) - 1) * max(arrivals)
    ),
    "arrivals is a plain list, and has no .max(): the function max(arrivals) finds the largest": (
        lambda arrivals: arrivals.max()  # type: ignore[attr-defined]
    ),
    "a number cannot be taken from a list: go through the times in a loop, and turn it round: max(arrivals) - time": (
        lambda arrivals: arrivals - max(arrivals)
    ),
    "a list cannot be taken from a number: go through the times in a loop": lambda arrivals: max(arrivals) - arrivals,
    "distances from the mean: a thread waits for the last one": (
        lambda arrivals: sum(abs(time - sum(arrivals) / len(arrivals)) for time in arrivals)
    ),
}
