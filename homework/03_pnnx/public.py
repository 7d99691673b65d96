"""Public tests of homework 3: run them with `python3 course.py check init_graph_params`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, task
from kuiper import pnnx

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.pnnx.param"
FIELDS = (None, "b", "i", "f", "s", "ai", "af", "as_")
WORDS = ("zeros", "reflect", "same", "bilinear", "torch.float", "True", "3", "")
NO_STR = {
    0: "It is no str: None, () and [] are null, and rule 2 comes before rule 5.",
    1: "It is no str: True and False are bools, and rule 3 comes before rule 5.",
    **dict.fromkeys((2, 3), "It is no str: a number begins with a digit, or with - and a digit (rule 5)."),
    **dict.fromkeys((5, 6, 7), "It is no str: a list begins with ( or with [ (rule 4)."),
}
"""Type -> why a text of this type must not be returned as it is."""


def random_struct(rng: np.random.Generator, kind: int) -> dict[str, Any]:
    """A struct whose eight fields all hold something, as memory does."""
    few = int(rng.integers(1, 4))
    return {
        "type": kind,
        "b": bool(rng.integers(2)),
        "i": int(rng.integers(-99, 100)),
        "f": round(float(rng.standard_normal()), 2),
        "s": str(rng.choice(WORDS)),
        "ai": rng.integers(-99, 100, few).tolist(),
        "af": rng.standard_normal(few).round(2).tolist(),
        "as_": rng.choice(WORDS, few).tolist(),
    }


def converted(params: dict[str, dict[str, Any]]) -> dict[str, tuple[int, Any]]:
    """What must come out."""
    result: dict[str, tuple[int, Any]] = {}
    for name, parameter in params.items():
        field = FIELDS[parameter["type"]]
        result[name] = (parameter["type"], None if field is None else parameter[field])
    return result


def wrong_options(name: str, parameter: dict[str, Any]) -> dict[str, Any]:
    """Likely cause -> what it gives for this one option."""
    kind, field = parameter["type"], FIELDS[parameter["type"]]
    value = None if field is None else parameter[field]
    pairs: dict[str, Any] = {"The pair is a list: write (kind, value), which is a tuple.": [kind, value]}
    if kind == 0:
        pairs["Type 0 gives None itself, not its name as a str."] = (0, "None")
    if kind == 1:
        pairs["A bool came back as an int: return what field b holds, as it is."] = (1, int(value))
    if kind == 2:
        pairs["An int came back as a bool: return what field i holds, as it is."] = (2, bool(value))
    if kind == 7:
        letters = list(parameter["s"])
        pairs["A text was taken apart into letters: type 7 stands in field as_, not in s."] = (7, letters)
    if kind >= 5:
        pairs |= {
            "Lists must stay lists; a tuple came back: copy with list(values).": (kind, tuple(value)),
            "The list was sorted: copy with list(values), which keeps its order.": (kind, sorted(value)),
            "What stands twice in the list came back once: list(values) keeps all, a set or dict does not.": (
                kind,
                list(dict.fromkeys(value)),
            ),
            f"A list has a type of its own: return {kind}, as it came, not {kind - 3}.": (kind - 3, value),
        }
    if kind and not value:
        pairs[f"`value or None` makes None of {value!r}, which is a value: only type 0 gives None."] = (kind, None)
    place = f"stands in field {field}: see the table at the top of the file" if field else "has none: its value is None"
    pairs |= {
        f"Field {other} was read, but type {kind} {place}.": (kind, parameter[other]) for other in FIELDS[1:] if other
    }
    return {
        "The values stand where (type, value) pairs should: return a tuple of two for each name.": {name: value},
        f"The option was left out: type {kind} belongs into the result, too, as ({kind}, {value!r:.40}).": {},
        **{cause: {name: pair} for cause, pair in pairs.items()},
    }


def expect_options(student: Student, params: dict[str, dict[str, Any]]) -> None:
    """Each option alone, then all together."""
    for name, parameter in params.items():
        alone = {name: parameter}
        expect(student.init_graph_params(alone), converted(alone), mistakes=wrong_options(name, parameter))
    right, (first, *_, last) = converted(params), params
    mistakes = {
        "Only the first option came back: put the return behind the loop, not into it.": {first: right[first]},
        "Only the last option came back: make the result before the loop, not anew in each turn.": {last: right[last]},
    }
    expect(student.init_graph_params(params), right, mistakes=mistakes)


def expect_refusal(student: Student, params: dict[str, dict[str, Any]], name: str, kind: int) -> None:
    """A ValueError whose message holds the option's name and the type's number."""
    try:
        got = student.init_graph_params(params)
    except SubmissionError as error:
        if error.kind != "raise" or error.type == "NotImplementedError":
            raise
        mistakes = {
            f"The look-up raised its own {own}: ask first whether the type is known, and raise ValueError.": own
            for own in ("KeyError", "IndexError")
        }
        expect(error.type, "ValueError", what=f"type {kind}: the type of the error", mistakes=mistakes)
        for part, meaning in ((name, "the option's name"), (str(kind), "the type's number")):
            if part not in error.message:
                message = f"type {kind}: expected a message that holds {part!r}, got {error.message!r:.120}"
                failure = Failure(message, part, error.message)
                failure.cause = f"The message lacks {meaning}: put both into it, with an f-string."
                raise failure from None
        return
    failure = Failure(f"type {kind}: expected a ValueError, got {got!r:.200}", "ValueError", got)
    failure.cause = f"Type {kind} was accepted: raise ValueError for every type other than 0 to 7."
    raise failure


@task("init_graph_params")
def a_convolution(student: Student, rng: np.random.Generator) -> None:
    """The options of a convolution keep their names and get their values."""
    del rng
    junk = {"type": 0, "b": False, "i": 77, "f": 0.25, "s": "junk", "ai": [9, 9], "af": [8.0], "as_": ["junk"]}
    params = {
        "bias": {**junk, "type": 1, "b": True},
        "groups": {**junk, "type": 2, "i": 1},
        "padding_mode": {**junk, "type": 4, "s": "zeros"},
        "kernel_size": {**junk, "type": 5, "ai": [3, 3]},
        "stride": {**junk, "type": 5, "ai": [2, 1]},
    }
    expect_options(student, params)


@task("init_graph_params")
def every_type_has_its_own_field(student: Student, rng: np.random.Generator) -> None:
    """Of the eight fields only the one that the type names is read; the others hold anything."""
    kinds = rng.permutation([1, 2, 3, 4, 5, 6, 7]).tolist()
    expect_options(student, {f"option_{i}": random_struct(rng, kind) for i, kind in enumerate(kinds)})


@task("init_graph_params")
def null_keeps_its_name(student: Student, rng: np.random.Generator) -> None:
    """An option of type 0 is there, with the value None."""
    expect_options(student, {"output_size": random_struct(rng, 0), "dim": random_struct(rng, 2)})


@task("init_graph_params")
def an_unknown_type_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A type other than 0 to 7 raises ValueError, and the message names the option and the type."""
    for kind in (8, int(rng.integers(20, 1000))):
        params = {"stride": random_struct(rng, 5), "mystery": {**random_struct(rng, 2), "type": kind}}
        expect_refusal(student, {"mystery": params["mystery"]}, "mystery", kind)
        expect_refusal(student, params, "mystery", kind)


@task("init_graph_params")
def lists_are_copied(student: Student, rng: np.random.Generator) -> None:
    """The reader empties its lists afterwards, and the result does not notice."""
    for kind in (5, 6, 7):
        params = {"option": random_struct(rng, kind)}
        right, emptied = converted(params), {"option": (kind, [])}
        mistakes = {
            f"The result shares its list with params: copy every list, of type {kind} too, with list(values).": [
                emptied,
                emptied,
            ]
        }
        expect(student.twice_then_cleared(params), [right, right], mistakes=mistakes)


def wrong_values(text: str, expected: tuple[int, Any]) -> dict[str, Any]:
    """Likely cause -> what it gives for this text."""
    kind, value = expected
    wrong: dict[str, Any] = {
        "bool('False') is True, as for every text that is not empty: compare with 'True'.": (1, True),
        "float() reads inf, but for PNNX it is a str: rule 5 comes before rule 6.": (3, float("inf")),
        "The text is returned as it came: turn it into what its type says.": (kind, text),
    }
    if kind in NO_STR:
        wrong = {NO_STR[kind]: (4, text), **wrong}
    if kind == 2:
        wrong["A number without . and e is an int: rule 7."] = (3, float(value))
    if text in ("()", "[]"):
        wrong |= {
            "() and [] are null: rule 2 comes before rule 4.": (5, []),
            "Nothing split at the commas is [''], not []: () and [] are null, and rule 2 comes before rule 4.": (
                7,
                [""],
            ),
        }
    if kind >= 5:
        elements = text[1:-1].split(",")
        wrong |= {
            "A list of ints has type 5, of floats 6, of strs 7: the single value's number plus 3.": (kind - 3, value),
            "A list of one element is a list all the same: the brackets decide (rule 4).": (kind - 3, value[0]),
            "The elements are still text: read each of them as the kind of the list.": (kind, elements),
            "The brackets were read as elements: split what stands between them, text[1:-1].": (7, text.split(",")),
        }
    return wrong


@task("parse_parameter")
def single_values(student: Student, rng: np.random.Generator) -> None:
    """Null, bool, int, float and str are told apart by their text alone."""
    texts = ["None", "True", "False", "3", "-1", "0.5", "1.000000e-5", "1e-05", "zeros", "torch.float", "inf"]
    right = [(0, None), (1, True), (1, False), (2, 3), (2, -1), (3, 0.5), (3, 1e-5), (3, 1e-5)]
    right += [(4, "zeros"), (4, "torch.float"), (4, "inf")]
    for text, expected in zip(texts, right, strict=True):
        mistakes = wrong_values(text, expected)
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}", mistakes=mistakes)


@task("parse_parameter")
def lists_of_one_kind(student: Student, rng: np.random.Generator) -> None:
    """Lists in round or square brackets, also of one element; empty ones are null."""
    ints = rng.integers(-9, 10, int(rng.integers(2, 6))).tolist()
    floats = (rng.integers(-99, 99, 3) / 8).tolist()
    for text, expected in (
        ("(3,3)", (5, [3, 3])),
        ("[1]", (5, [1])),
        ("()", (0, None)),
        ("[]", (0, None)),
        ("(ij,jk)", (7, ["ij", "jk"])),
        (f"[{','.join(map(str, ints))}]", (5, ints)),
        (f"({','.join(map(str, floats))})", (6, floats)),
    ):
        mistakes = wrong_values(text, expected)
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}", mistakes=mistakes)


@task("parse_parameter")
def lists_of_several_kinds(student: Student, rng: np.random.Generator) -> None:
    """Numbers of both kinds become floats, none is lost; one str makes all of them strs."""
    i, f = int(rng.integers(1, 100)), float(rng.integers(1, 99) / 8)
    for text, expected, wrong in (
        (f"({i},{f})", (6, [float(i), f]), (6, [i, f])),
        (f"({f},{i})", (6, [f, float(i)]), (6, [f, i])),
        (f"({i},a)", (7, [str(i), "a"]), (7, [i, "a"])),
        (f"(b,{f})", (7, ["b", str(f)]), (7, ["b", f])),
    ):
        mistakes = {
            "Find the kind of the whole list first, then read every element as that kind.": wrong,
            "The type of the list is right, but elements of the other kinds were lost: leave none out.": (
                expected[0],
                [expected[1][1]],
            ),
            **wrong_values(text, expected),
        }
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}", mistakes=mistakes)


@task("parse_parameter")
def every_option_of_the_digit_network(student: Student, rng: np.random.Generator) -> None:
    """Each key=value of models/digits/digits.pnnx.param reads as kuiper reads it."""
    for line in DIGITS.read_text().splitlines()[2:]:
        for token in line.split():
            key, equals, text = token.partition("=")
            if equals and key[0] not in "@$#" and key != "expr":
                parameter = pnnx.parse(text)
                expected = (int(parameter.kind), parameter.value)
                mistakes = wrong_values(text, expected)
                expect(student.parse_parameter(text), expected, what=f"the result for {token!r}", mistakes=mistakes)
