"""Cells of a lesson that the reader fills in: checked where they stand, made up for where they are left out.

A lesson asks for a function in one cell, which ends in `check`; the next cell, folded, holds the lesson's own answer
under `unless_right`. So the notebook runs to its end whatever the reader has written, and goes on with what is right.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from kuiper.graph import Operator

Function = TypeVar("Function", bound=Callable[..., Any])

SHOWN = 12
"""Arrays of up to so many numbers are shown."""
CHOSEN = [np.dtype(each) for each in (bool, np.int8, np.uint8, np.int16, np.uint16)]
"""Types of arrays that somebody chose: where one of them is expected, no other will do."""
LONGEST = 60
"""Characters of a value that are shown."""
AT_A_GLANCE = 20
"""Characters of a list of lists that are shown; of a longer one the place that differs is."""
ADDRESS = re.compile(r"<(\w+) object.*? at 0x[0-9a-f]+>", re.I)
"""How Python shows what has no text of its own, as a generator: with an address that nobody can use."""
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_right: dict[str, Callable[..., Any]] = {}
"""The reader's functions that passed their last check, by name."""


def check(
    function: Callable[..., Any],
    *cases: tuple[tuple[Any, ...], Any],
    mistakes: Mapping[str, Callable[..., Any]] | None = None,
    dtype: type[np.generic] | type[int] | None = None,
    hidden: bool = False,
    keeps: str = "",
    layer: str = "",
) -> None:
    """Print how the reader's function does on `cases`, each (arguments, expected), and remember whether it is right.

    Arrays and floats may differ by rounding (1 part in a million); of arrays the shape counts too, and where booleans
    or whole numbers of 8 or 16 bits are expected, the element type. A list is no tuple, and no array. Where an
    exception's class is expected, the function must raise it.

    mistakes : likely cause -> a function with that mistake; the reader whose function does the same in every case is
        told the cause.
    dtype : the element type that a returned array must have, whatever the expected one has; int: a returned number must
        be a whole one, too, as an index and a size are, and not 6.0.
    hidden : strings are expected that would give the answer away: say how far one is right, and not what is expected.
    keeps : the parameters, "successors" or "path looked", that the function must leave as they were, since cells below
        use them too.
    layer : the reader writes a subclass of kuiper.Layer, for operators of this type. A case's first argument is then a
        dictionary of the operator's options, and the others are what `forward` gets, and must leave as it was. All
        layers are made before the first of them runs, as in a graph.

    >>> def half(x):
    ...     return x / 2
    >>> check(half, ((4,), 2.0), ((1,), 0.5))
    half: right, 2 of 2
    >>> check(half, ((4,), 2.0), ((1,), 1))
    half(1): expected 1, got 0.5 (1 of 2 right)
    >>> check(half, (("4",), TypeError), ((4,), 2.0))
    half: right, 2 of 2
    >>> check(list, (([],), ["cat"]))
    list([]): expected ['cat'], got [] (0 of 1 right)
    >>> check(half, ((4,), TypeError))
    half(4): expected TypeError, got 2.0 (0 of 1 right)
    >>> check(lambda x: ValueError, ((4,), ValueError))
    <lambda>(4): expected ValueError, got ValueError, which was returned: raise it instead (0 of 1 right)
    >>> def half(x):
    ...     x / 2
    >>> check(half, ((4,), 2.0))
    half(4) returned None: is a `return` missing? (0 of 1 right)
    >>> def half(x):
    ...     if x > 4:
    ...         return x / 2
    >>> check(half, ((8,), 4.0), ((4,), 2.0))
    half(4) returned None here: is a case missing? (1 of 2 right)
    >>> def half(x):
    ...     return x / 2
    >>> check(half, ((np.array([4.0]),), np.array([2.0])), dtype=np.float32)
    half([4.0]): expected [2.0], got [2.0]: the values are right, but they are float64 and not float32 (0 of 1 right)
    >>> check(half, ((4,), 2), dtype=int)
    half(4): expected 2, got 2.0: the value is right, but 2.0 is a float and not an int (0 of 1 right)
    >>> check(list, (([1, 2],), np.array([1, 2])))
    list([1, 2]): expected [1, 2], got [1, 2]: the values are right, but this is a list and not an array (0 of 1 right)
    >>> def half(x):
    ...     return x // 2
    >>> check(half, ((4,), 2), ((1,), 0.5), mistakes={"// drops what is left over": lambda x: (x - x % 2) / 2})
    half(1): expected 0.5, got 0 (1 of 2 right)
    likely why: // drops what is left over
    >>> check(list, (("ab",), ["b", "a"]))
    list('ab'): expected ['b', 'a'], got ['a', 'b']: the strings are right, but in another order (0 of 1 right)
    >>> check(lambda s: f"the {s} sat", (("cat",), "the cat ran"), hidden=True)
    <lambda>('cat'): right up to 'the cat ', but 'sat' is not what comes then (0 of 1 right)
    >>> def end(names):
    ...     return names.pop()
    >>> check(end, ((["a"],), "a"), keeps="names")
    end(['a']): the result is right, but `names` is [] afterwards: leave it as it was, for other cells (0 of 1 right)
    >>> import kuiper
    >>> class Scale(kuiper.Layer):
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...     def forward(self, x):
    ...         return self.factor + x
    >>> check(Scale, (({"factor": 2}, 2), 4), (({"factor": 3}, 5), 15), layer="my.Scale")
    Scale(factor=3).forward(5): expected 15, got 8 (1 of 2 right)
    """
    name = function.__name__
    _right.pop(name, None)
    given = [copy.deepcopy(arguments) for arguments, _ in cases]
    answers = _answers(function, given, layer)
    nothing = all(got is None or got is Ellipsis for got, _ in answers)
    if (nothing or layer) and _left_open(function) and any(expected is not None for _, expected in cases):
        print(f"{name}: not written yet")
        return
    kinds = {_kind(expected) for _, expected in cases}
    wrong, in_place = [], 0
    for (got, said), (arguments, expected), after in zip(answers, cases, given, strict=True):
        call = f"{name}({_listed(arguments)})"
        if layer:
            options = ", ".join(f"{option}={_short(value)}" for option, value in arguments[0].items())
            call = f"{name}({options}).forward({_listed(arguments[1:])})"
        if not (_refuses((got, said), expected) if _is_error(expected) else not said and _same(got, expected)):
            secret = hidden and got is not None
            wrong.append(
                call + (_how_far(got, said, expected) if secret else _instead(got, said, expected, kinds, nothing))
            )
        elif dtype is not None and (type_wrong := _not_of(dtype, got)):
            wrong.append(f"{call}: expected {_short(expected)}, got {_short(got)}: {type_wrong}")
        elif changed := _changed(function, keeps.split(), arguments, after, layer):
            others = "operators" if layer else "cells"
            wrong.append(f"{call}: the result is right, but {changed}: leave it as it was, for other {others}")
            in_place += 1
    if wrong:
        print(f"{wrong[0]} ({len(cases) - len(wrong)} of {len(cases)} right)")
        right = all(_same(got, expected, exact=False) for (got, _), (_, expected) in zip(answers, cases))
        after_calls = given if in_place == len(wrong) else None
        cause = _cause(answers, cases, mistakes or {}, right, after_calls, layer)
        if cause:
            print(f"likely why: {cause}")
        return
    _right[name] = function
    print(f"{name}: right, {len(cases)} of {len(cases)}")


def _blank() -> None: ...


def unless_right(function: Function) -> Function | Callable[..., Any]:
    """Decorate the lesson's own answer: the reader's function of the same name instead, if it passed its check."""
    return _right.get(function.__name__, function)


def _changed(function: Any, keeps: Sequence[str], before: tuple[Any, ...], after: tuple[Any, ...], layer: str) -> str:
    """Which of the parameters in `keeps`, or of a layer's inputs, the call changed, and what it is now; "" if none."""
    parameters = list(inspect.signature(function.forward if layer else function).parameters)
    if layer:
        keeps = parameters[1:]  # `self` stands where the case has the options
    named = zip(parameters, before, after, strict=False)
    return next(
        (f"`{name}` is {_short(now)} afterwards" for name, was, now in named if name in keeps and not _same(now, was)),
        "",
    )


def _answers(function: Any, given: Sequence[tuple[Any, ...]], layer: str) -> list[tuple[Any, str]]:
    """What `_answer` gives for each case's arguments; of a layer, for operators of type `layer`."""
    if not layer:
        return [_answer(function, arguments) for arguments in given]

    def made(options: dict[str, Any]) -> Any:
        return function.from_operator(Operator(layer, layer.rpartition(".")[2].lower(), params=dict(options)))

    def run(one: Any) -> Callable[..., Any]:
        return lambda *inputs: one.forward(*inputs)

    layers = [_answer(made, arguments[:1]) for arguments in given]
    return [
        (one, said) if said else _answer(run(one), arguments[1:])
        for (one, said), arguments in zip(layers, given, strict=True)
    ]


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """(what the function returns, what it did instead of returning something)."""
    try:
        got = function(*arguments)
    except RecursionError as error:  # its own words depend on the line at which the limit was met
        return error, "but it raised RecursionError: it called itself until too many calls waited"
    except Exception as error:
        words = str(error)
        return error, f"but it raised {type(error).__name__}{': ' * bool(words)}{words}"
    try:
        return _plain(got, (np.bool_, np.str_)), ""  # of numbers the type counts: float32 has fewer digits
    except RecursionError:
        return got, f"got a {type(got).__name__} that contains itself"


def _cause(
    answers: list[tuple[Any, str]],
    cases: Sequence[tuple[tuple[Any, ...], Any]],
    mistakes: Mapping[str, Callable[..., Any]],
    right: bool,
    changed: list[tuple[Any, ...]] | None,
    layer: str,
) -> str:
    """The mistake that gives every one of the answers, printed alike, or else with alike values; "" if none does.

    Where an exception is expected, two that fit are alike, whatever they say.

    right : whether the values are right, and only their kind is not: then a list and an array are no longer alike.
    changed : the arguments after the calls, where nothing else is wrong: then the mistake is one that leaves them so.
    """
    alike = ""
    for cause, mistaken in mistakes.items():
        copies = [copy.deepcopy(arguments) for arguments, _ in cases]
        with np.errstate(all="ignore"):
            others = _answers(mistaken, copies, layer)
        if changed is not None and not _same(copies, changed):
            continue
        pairs = [
            (one, other)
            for one, other, (_, expected) in zip(answers, others, cases, strict=True)
            if not (_is_error(expected) and _refuses(one, expected) and _refuses(other, expected))
        ]
        if right and any(
            isinstance(got, np.ndarray) != isinstance(other, np.ndarray) for (got, _), (other, _) in pairs
        ):
            continue
        if all(said == other_said and (said or _same(got, wrong, False)) for (got, said), (wrong, other_said) in pairs):
            if all(said or _short(got) == _short(wrong) for (got, said), (wrong, _) in pairs):
                return cause
            alike = alike or cause
    return alike


def _instead(got: Any, said: str, expected: Any, kinds: set[str], nothing: bool) -> str:
    """What came instead of `expected`, as the end of a sentence that begins with the call.

    kinds : what kinds of values the cases expect. `nothing` : whether the function returned None in all of them.
    """
    if got is None and not _is_error(expected):
        return " returned None: is a `return` missing?" if nothing else " returned None here: is a case missing?"
    if isinstance(got, Iterator):
        kind = "a generator" if inspect.isgenerator(got) else "an iterator, which gives its values one by one"
        return f": expected {_short(expected)}, got {kind}: make a list of it"
    if said:
        return f": expected {_short(expected)}, {said}"
    if _kind(got) != _kind(expected) and _kind(got) in kinds and not _same(got, expected, exact=False):
        return f": expected {_short(expected)}, got {_short(got)}"  # the right answer to another case
    return f": {_pair(got, expected)}"


def _how_far(got: Any, said: str, expected: str) -> str:
    """How far a string is right, as the end of a sentence that begins with the call, without the one expected.

    >>> _how_far("the cat", "", "the cat sat"), _how_far("the cat sat", "", "the cat")
    (": right up to 'the cat', but something is missing behind it", ": right up to 'the cat', but ' sat' is too much")
    >>> _how_far(["the cat"], "", "the cat"), _how_far("A cat", "", "the cat")
    (": expected a string, got ['the cat']", ": it should not begin with 'A'")
    >>> _how_far("the cats sat", "", "the cat sat")
    ": right up to 'the ', but 'cats' is not what comes then"
    """
    if said or not isinstance(got, str):
        return f": expected a string, {said or f'got {_short(got)}'}"
    place = next((i for i, (one, other) in enumerate(zip(got, expected)) if one != other), min(len(got), len(expected)))
    if place == len(got):
        return f": right up to {got!r}, but something is missing behind it"
    if place == len(expected):
        return f": right up to {expected!r}, but {got[place:]!r} is too much"
    if re.match(r"\w", got[place:]):
        place = len(re.sub(r"\w+$", "", got[:place]))  # a whole word is shown
    word = re.split(r"(?<=\S)(?=\s)", got[place:])[0]
    if place == 0:
        return f": it should not begin with {word!r}"
    return f": right up to {got[:place]!r}, but {word!r} is not what comes then"


def _left_open(function: Callable[..., Any]) -> bool:
    """Whether the function still ends in the `...` with which the lesson gives it, or the class has no method."""
    if isinstance(function, type):
        return not any(inspect.isroutine(each) for each in vars(function).values())
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return False
    last = definition.body[-1] if isinstance(definition, ast.FunctionDef) else None
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is Ellipsis


def _refuses(answer: tuple[Any, str], expected: type[Exception]) -> bool:
    """Whether the answer is an exception of this class that was raised, and not returned."""
    return bool(answer[1]) and isinstance(answer[0], expected)


def _is_error(expected: Any) -> bool:
    return isinstance(expected, type) and issubclass(expected, Exception)


def _same(got: Any, expected: Any, exact: bool = True) -> bool:
    """Whether the values are alike. `exact` : and no list stands for a tuple, no number for a boolean in an array."""
    if isinstance(expected, (list, tuple)):
        alike = isinstance(got, type(expected) if exact else (list, tuple)) and len(got) == len(expected)
        return alike and all(_same(one, other, exact) for one, other in zip(got, expected, strict=True))
    if isinstance(expected, (np.ndarray, np.generic, float, int)) and not isinstance(expected, bool):
        try:
            if exact and _is_no_array(got, expected):
                return False
            one, other = np.asarray(float(got) if isinstance(got, Fraction) else got), np.asarray(expected)
            rtol, atol = (1e-4, 1e-5) if np.float32 in (one.dtype, other.dtype) else (1e-6, 1e-9)
            if exact and _of_other_type(got, expected):
                return False
            return one.shape == other.shape and bool(np.allclose(one, other, rtol=rtol, atol=atol, equal_nan=True))
        except (TypeError, ValueError):
            return False
    if isinstance(expected, dict):
        alike = isinstance(got, dict) and got.keys() == expected.keys()
        return alike and all(_same(got[key], each, exact) for key, each in expected.items())
    return type(got) is type(expected) and (isinstance(got, Iterator) or bool(got == expected))


def _first_key(got: dict[Any, Any], expected: dict[Any, Any]) -> str:
    """The first key in which the dictionaries differ: one that is missing, one too many, or one with another value."""
    missing = [key for key in expected if key not in got]
    more = [key for key in got if key not in expected]
    if missing:
        return f"the key {_short(missing[0])} is missing, expected {_short(expected[missing[0]])} there"
    if more:
        return f"the key {_short(more[0])} is one too many, with {_short(got[more[0]])} there"
    key = next(key for key in expected if not _same(got[key], expected[key]))
    return f"at the key {_short(key)} {_pair(got[key], expected[key])}"


def _pair(got: Any, expected: Any) -> str:
    """What was expected, and what came. Of what does not fit a glance the place in which they differ first."""
    if isinstance(got, str) and isinstance(expected, str) and max(len(got), len(expected)) > LONGEST - 2:
        pairs = enumerate(zip(got, expected))
        place = next((i for i, (one, other) in pairs if one != other), min(len(got), len(expected)))
        return f"at character {place} expected {_around(expected, place)}, got {_around(got, place)}"
    if isinstance(got, dict) and isinstance(expected, dict):
        return _first_key(got, expected)
    if type(got) is type(expected) in (list, tuple):
        alike = _short(got) == _short(expected)
        if len(got) == len(expected) and (alike or _is_long(got) or _is_long(expected)):
            place = next(i for i, pair in enumerate(zip(got, expected)) if not _same(*pair))
            said = _pair(got[place], expected[place])
            return f"at [{place}]{' ' if said.startswith('expected') else ', '}{said}"
        if alike:
            return f"expected {len(expected)} elements, got {len(got)}"
    return f"expected {_short(expected)}, {_got(got, expected)}"


def _is_long(values: list[Any] | tuple[Any, ...]) -> bool:
    """Whether lists or dictionaries stand in the list, and it is more than a glance takes in."""
    nested = any(isinstance(each, (list, tuple, dict)) for each in values)
    return nested and sum(len(_short(each)) + 2 for each in values) > AT_A_GLANCE


def _around(text: str, place: int) -> str:
    """The string's characters around a place, quoted; `...` stands where others are left out.

    >>> _around("abcdefghij" * 9, 42)
    "...'hijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefg'..."
    >>> _around("abc", 3)
    "'abc'"
    """
    start = max(0, place - LONGEST // 4)
    stop = start + LONGEST
    return "..." * (start > 0) + repr(text[start:stop]) + "..." * (stop < len(text))


def _got(got: Any, expected: Any) -> str:
    """What came instead of `expected`, with the types where these differ."""
    one, other = _kind(got), _kind(expected)
    if _is_error(expected):
        returned = _is_error(got) or isinstance(got, Exception)
        return f"got {_short(got)}" + ", which was returned: raise it instead" * returned
    if one == other == "an array" and got.shape != expected.shape:
        return f"got {_short(got)}: its shape is {got.shape}, not {expected.shape}"
    if one == other == "an array" and got.size > SHOWN:
        return _first_difference(got, expected)
    if _same(got, expected, exact=False):
        return f"got {_short(got)}: {_exchanged(got, expected)}"
    if one == other == "a list of strings" and sorted(got) == sorted(expected):
        return f"got {_short(got)}: the strings are right, but in another order"
    empty = type(got) is type(expected) in (list, tuple) and not (got and expected)
    if one == other or empty or "nothing" in (one, other) or {one, other} == {"a number", "True or False"}:
        return f"got {_short(got)}"
    return f"got {_short(got)}, {_other_kind(got, expected)}"


def _other_kind(got: Any, expected: Any) -> str:
    """In which way the value is of another kind than `expected`, as the end of a sentence that shows it."""
    if isinstance(expected, tuple) and len(expected) > 1:
        named = zip(PLACES, expected)
        place = next((place for place, each in named if _same(got, each, exact=False)), "")
        if place:
            return f"which is the {place} of the {len(expected)} values alone: return all, separated by commas"
        if not isinstance(got, tuple):
            return f"which is {_kind(got)} and not a tuple of {len(expected)} values"
    kinds = [_kind(each) for each in expected] if type(got) is type(expected) in (list, tuple) else []
    uniform = len(set(kinds)) == 1
    if kinds and (uniform or len(got) == len(expected)):
        pairs = [
            (each, kind) for each, kind in zip(got, kinds[:1] * len(got) if uniform else kinds) if _kind(each) != kind
        ]
        if pairs and not (uniform and len(pairs) == len(got) and len(set(map(_kind, got))) == 1):
            return f"in which {_short(pairs[0][0])} is {_kind(pairs[0][0])} and not {pairs[0][1]}"
    elif kinds:
        return f"which has {len(got)} elements and not {len(expected)}"
    return f"which is {_kind(got)} and not {_kind(expected)}"


def _is_no_array(got: Any, expected: Any) -> bool:
    """Whether an array is expected, and `got` is a list or a tuple."""
    return isinstance(expected, np.ndarray) and isinstance(got, (list, tuple))


def _not_of(dtype: type[np.generic] | type[int], got: Any) -> str:
    """What in right values is of another type than `dtype`, as the end of a sentence; "" if nothing is."""
    if isinstance(got, np.ndarray):
        alike = got.dtype.kind in "iu" if dtype is int else got.dtype == dtype
        return "" if alike else f"the values are right, but they are {got.dtype} and not {np.dtype(dtype)}"
    if isinstance(got, (list, tuple)):
        said = next((said for each in got if (said := _not_of(dtype, each))), "")
        return said.replace("the value is", "the values are")
    if dtype is int and isinstance(got, (float, np.floating, Fraction)):
        return f"the value is right, but {_short(got)} is a {type(got).__name__} and not an int"
    return ""


def _of_other_type(got: Any, expected: Any) -> bool:
    """Whether an array of a type that nobody gets by chance is expected, and `got` is of another."""
    return isinstance(expected, np.ndarray) and expected.dtype in CHOSEN and np.asarray(got).dtype != expected.dtype


def _exchanged(got: Any, expected: Any, inside: bool = False) -> str:
    """What alone tells values from others: a list for a tuple or an array, a tuple, an array of another type."""
    if _is_no_array(got, expected):
        shown = _short(got) if inside else "this"
        return f"the values are right, but {shown} is a {type(got).__name__} and not an array"
    if _of_other_type(got, expected):
        more = ", as comparisons give" if expected.dtype == bool else ""
        return f"the values are right, but they are {np.asarray(got).dtype} and not {expected.dtype}{more}"
    if isinstance(expected, dict):
        pairs = [(got[key], each) for key, each in expected.items()]
    elif not isinstance(expected, (list, tuple)):
        return ""
    elif isinstance(got, type(expected)):
        pairs = list(zip(got, expected, strict=True))
    else:
        one, other = ("tuple", "list") if isinstance(expected, list) else ("list", "tuple")
        return f"the values are right, but {_short(got) if inside else 'this'} is a {one} and not a {other}"
    return next((said for each in pairs if (said := _exchanged(*each, inside=True))), "")


def _first_difference(got: np.ndarray, expected: np.ndarray) -> str:
    """How many numbers of a large array differ, and the first that does."""
    wrong = ~np.isclose(got, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
    if not wrong.any():
        return "got one that is off by more than rounding"
    place = [int(i) for i in np.argwhere(wrong)[0]]
    one, other = (float(f"{x[tuple(place)]:.6g}") for x in (got, expected))
    return (
        f"got one in which {wrong.sum():,} of {wrong.size:,} numbers differ, the first at {place}: {one}, not {other}"
    )


def _kind(value: Any) -> str:
    """What somebody would call the value: `a list of strings`, `an array`."""
    if value is None or value is Ellipsis:
        return "nothing"
    if isinstance(value, (list, tuple)):
        if not value:
            return f"an empty {type(value).__name__}"
        kinds = {_kind(each).partition(" of ")[0] for each in value}
        plural = {"True or False": "booleans", "nothing": "None"}
        inside = {plural.get(kind, f"{kind.split()[-1]}s") for kind in kinds}
        return f"a {type(value).__name__}" + (f" of {inside.pop()}" if len(inside) == 1 else "")
    if isinstance(value, np.ndarray):
        return "an array"
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, (int, float, Fraction, np.number)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a function" if callable(value) else f"a {type(value).__name__}"


def _listed(arguments: tuple[Any, ...]) -> str:
    """The arguments as they would be typed; arrays of several dtypes with these."""
    arrays = [value for value in arguments if isinstance(value, np.ndarray)]
    dtypes = len({array.dtype for array in arrays}) > 1
    return ", ".join(
        f"{_short(value)} {value.dtype}" if dtypes and isinstance(value, np.ndarray) else _short(value)
        for value in arguments
    )


def _short(value: Any) -> str:
    """The value in one line; a large array by its shape, a function by its name, an operator by what it reads.

    >>> _short("a  b"), _short("a" * 90)
    ("'a  b'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...")
    """
    if isinstance(value, np.ndarray):
        if value.size > SHOWN:
            return f"an array of shape {value.shape}"
        return str((value.astype(str).astype(float) if value.dtype.kind == "f" else value).tolist())
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, str):
        return _cut(repr(value))  # all its spaces count, two in a row as well
    if isinstance(value, Operator):
        return f"Operator({value.name!r}, inputs={[operand.name for operand in value.inputs]})"
    if isinstance(value, list) and any(map(callable, value)):
        text = f"[{', '.join(map(_short, value))}]"
    elif isinstance(value, dict):
        text = f"{{{', '.join(f'{_short(key)}: {_short(each)}' for key, each in value.items())}}}"
    else:
        text = getattr(value, "__name__", None) or " ".join(ADDRESS.sub(r"a \1", repr(_plain(value))).split())
    return _cut(text, 2 * LONGEST if isinstance(value, dict) else LONGEST)  # a network is of no use without its end


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _plain(value: Any, kinds: type[np.generic] | tuple[type[np.generic], ...] = np.generic) -> Any:
    """The value with Python's own numbers, booleans and strings for numpy's of these kinds, in lists and the like too.

    >>> _plain([np.int64(3), (np.float32(0.1), True)])
    [3, (0.1, True)]
    """
    if isinstance(value, kinds):
        return float(str(value)) if isinstance(value, np.floating) else value.item()
    if type(value) in (list, tuple, set):
        return type(value)(_plain(each, kinds) for each in value)
    if type(value) is dict:
        return {_plain(key, kinds): _plain(each, kinds) for key, each in value.items()}
    return value
