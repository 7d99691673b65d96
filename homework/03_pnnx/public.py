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


def random_struct(rng: np.random.Generator, kind: int) -> dict[str, Any]:
    """A struct whose eight fields all hold something, as memory does."""
    few = int(rng.integers(1, 5))
    return {
        "type": kind,
        "b": bool(rng.integers(2)),
        "i": int(rng.integers(-1000, 1000)),
        "f": float(rng.standard_normal()),
        "s": str(rng.choice(WORDS)),
        "ai": rng.integers(-1000, 1000, few).tolist(),
        "af": rng.standard_normal(few).tolist(),
        "as_": rng.choice(WORDS, few).tolist(),
    }


def converted(params: dict[str, dict[str, Any]], fields: tuple[str | None, ...] = FIELDS) -> dict[str, tuple[int, Any]]:
    """What must come out when type k is read from fields[k]."""
    result: dict[str, tuple[int, Any]] = {}
    for name, parameter in params.items():
        field = fields[parameter["type"]]
        result[name] = (parameter["type"], None if field is None else parameter[field])
    return result


def expect_refusal(student: Student, params: dict[str, dict[str, Any]], name: str, kind: int) -> None:
    """A ValueError whose message holds the option's name and the type's number."""
    try:
        got = student.init_graph_params(params)
    except SubmissionError as error:
        if error.kind != "raise" or error.type == "NotImplementedError":
            raise
        if error.type != "ValueError":
            raise Failure(f"type {kind}: expected a ValueError, got {error.type}", "ValueError", error.type) from None
        for part in (name, str(kind)):
            if part not in error.message:
                message = f"type {kind}: expected a message that holds {part!r}, got {error.message!r:.120}"
                raise Failure(message, part, error.message) from None
        return
    raise Failure(f"type {kind}: expected a ValueError, got {got!r:.200}", "ValueError", got)


@task("init_graph_params")
def a_convolution(student: Student, rng: np.random.Generator) -> None:
    """The options of a convolution keep their names and get their values."""
    junk = {"b": False, "i": 77, "f": 0.25, "s": "junk", "ai": [9, 9], "af": [8.0], "as_": ["junk"]}
    params = {
        "bias": {**junk, "type": 1, "b": True},
        "groups": {**junk, "type": 2, "i": 1},
        "padding_mode": {**junk, "type": 4, "s": "zeros"},
        "kernel_size": {**junk, "type": 5, "ai": [3, 3]},
        "stride": {**junk, "type": 5, "ai": [2, 1]},
    }
    right = {"bias": (1, True), "groups": (2, 1), "padding_mode": (4, "zeros"), "kernel_size": (5, [3, 3])}
    right["stride"] = (5, [2, 1])
    expect(
        student.init_graph_params(params),
        right,
        mistakes={
            "The numbers stand where (type, value) pairs should: return a tuple of two for each name.": {
                name: value for name, (_, value) in right.items()
            },
            "The pairs hold lists instead of tuples: write (kind, value).": {
                n: list(pair) for n, pair in right.items()
            },
            "Lists must stay lists; a tuple came back.": {
                n: (kind, tuple(value)) if isinstance(value, list) else (kind, value)
                for n, (kind, value) in right.items()
            },
        },
    )


@task("init_graph_params")
def every_type_has_its_own_field(student: Student, rng: np.random.Generator) -> None:
    """Of the eight fields only the one that the type names is read; the others hold anything."""
    kinds = rng.permutation([1, 2, 3, 4, 5, 6, 7]).tolist()
    params = {f"option_{i}": random_struct(rng, kind) for i, kind in enumerate(kinds)}
    expect(
        student.init_graph_params(params),
        converted(params),
        mistakes={
            "Type 3 is a float: it stands in field f, not in i.": converted(params, (None, *"biis", "ai", "af", "as_")),
            "Type 7 is a list of strs: it stands in field as_, not in s.": converted(params, (*FIELDS[:7], "s")),
            "Types 5 to 7 are lists: fields ai, af, as_, not i, f, s.": converted(params, (*FIELDS[:5], *"ifs")),
        },
    )


@task("init_graph_params")
def null_keeps_its_name(student: Student, rng: np.random.Generator) -> None:
    """An option of type 0 is there, with the value None."""
    params = {"output_size": random_struct(rng, 0), "dim": random_struct(rng, 2)}
    right = converted(params)
    expect(
        student.init_graph_params(params),
        right,
        mistakes={"An option of type 0 was left out: it belongs into the result as (0, None).": {"dim": right["dim"]}},
    )


@task("init_graph_params")
def an_unknown_type_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A type other than 0 to 7 raises ValueError, and the message names the option and the type."""
    for kind in (8, int(rng.integers(20, 1000))):
        params = {"stride": random_struct(rng, 5), "mystery": {**random_struct(rng, 2), "type": kind}}
        expect_refusal(student, params, "mystery", kind)


@task("init_graph_params")
def lists_are_copied(student: Student, rng: np.random.Generator) -> None:
    """The reader empties its lists afterwards, and the result does not notice."""
    params = {f"option_{kind}": random_struct(rng, kind) for kind in (5, 6, 7)}
    right = converted(params)
    emptied: dict[str, tuple[int, Any]] = {name: (kind, []) for name, (kind, _) in right.items()}
    expect(
        student.twice_then_cleared(params),
        [right, right],
        mistakes={"The result shares its lists with params: copy each, list(values).": [emptied, emptied]},
    )


@task("parse_parameter")
def single_values(student: Student, rng: np.random.Generator) -> None:
    """Null, bool, int, float and str are told apart by their text alone."""
    texts = ["None", "True", "False", "3", "-1", "0.5", "1.000000e-5", "1e-05", "zeros", "torch.float", "inf"]
    right = [(0, None), (1, True), (1, False), (2, 3), (2, -1), (3, 0.5), (3, 1e-5), (3, 1e-5)]
    right += [(4, "zeros"), (4, "torch.float"), (4, "inf")]
    for text, expected in zip(texts, right, strict=True):
        expect(
            student.parse_parameter(text),
            expected,
            what=f"the result for {text!r}",
            mistakes={
                "bool('False') is True, as for every text that is not empty: compare with 'True'.": (1, True),
                "The text is returned as it came: turn it into a number or a bool.": (expected[0], text),
                "float() reads inf, but for PNNX it is a str: rule 5 comes before rule 6.": (3, float("inf")),
            },
        )


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
        mistakes = {
            "() and [] are null, and rule 2 comes before rule 4.": (5, []),
            "A list of one element is a list all the same.": (2, 1),
            "A list of ints has type 5, of floats 6, of strs 7: the single value's number plus 3.": (
                expected[0] - 3,
                expected[1],
            ),
        }
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
            "The type of the list is right, but elements of the other kinds were lost.": (
                expected[0],
                [expected[1][1]],
            ),
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
                expect(student.parse_parameter(text), expected, what=f"the result for {token!r}")
