"""Public tests of homework 3: run them with `python3 course.py check init_graph_params`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task
from kuiper import pnnx

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.pnnx.param"
WORDS = ("zeros", "reflect", "same", "bilinear", "torch.float", "True", "3", "")
JUNK = {"type": 0, "b": True, "i": 77, "f": 0.25, "s": "junk", "ai": [9, 9], "af": [8.0], "as_": ["junk"]}
OWN_ERROR = "The look-up raised its own error: ask first whether the type is known, and raise ValueError."
OWN_ERRORS = dict.fromkeys(("KeyError", "IndexError", "TypeError"), OWN_ERROR)
ACCEPTED = "An unknown type was accepted: raise ValueError for every type other than 0 to 7."
CHANGED = {
    "KeyError": "The first of two conversions took something out of params: read with [...], not with pop.",
    "'tuple'": "params itself was changed: make a dict of your own for the result.",
    "tuple indices": "params itself was changed: make a dict of your own for the result.",
    "changed": "params itself was changed: make a dict of your own for the result.",
}


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


def expect_each(student: Student, params: dict[str, dict[str, Any]], oracle: Any) -> None:
    """Each option alone, then all together."""
    for name, parameter in params.items():
        alone = {name: parameter}
        expect(
            student.init_graph_params(alone), oracle.converted(alone), mistakes=oracle.option_mistakes(name, parameter)
        )
    expect(student.init_graph_params(params), oracle.converted(params), mistakes=oracle.options_mistakes(params))


@task("init_graph_params", "field", "value", "pair", "names", "copy")
def a_convolution(student: Student, oracle: Any) -> None:
    """The options of a convolution keep their names and get their values."""
    params = {
        "bias": {**JUNK, "type": 1, "b": False},
        "groups": {**JUNK, "type": 2, "i": 1},
        "padding_mode": {**JUNK, "type": 4, "s": "zeros"},
        "kernel_size": {**JUNK, "type": 5, "ai": [3, 3]},
        "stride": {**JUNK, "type": 5, "ai": [2, 1]},
    }
    expect_each(student, params, oracle)


@task("init_graph_params", "field", "value", "pair", "names", "copy")
def every_type_has_its_own_field(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Of the eight fields only the one that the type names is read; the others hold anything."""
    kinds = rng.permutation([1, 2, 3, 4, 5, 6, 7]).tolist()
    expect_each(student, {f"option_{i}": random_struct(rng, kind) for i, kind in enumerate(kinds)}, oracle)


@task("init_graph_params", "field", "value", "pair", "copy")
def the_other_fields_may_be_none(student: Student, oracle: Any) -> None:
    """A field that the type does not name is not asked: it may hold None."""
    values = (("b", True), ("i", 3), ("f", 0.5), ("s", "same"), ("ai", [1, 2]), ("af", [0.5]), ("as_", ["a", "b"]))
    cause = (
        "a field that the type does not name was used, and may hold anything: look at the type first, then at one field"
    )
    for kind, (field, value) in enumerate(values, 1):
        parameter = {**dict.fromkeys(JUNK), "type": kind, field: value}
        with likely({"NoneType": cause}):
            got = student.init_graph_params({"x": parameter})
        expect(got, {"x": (kind, value)}, mistakes=oracle.option_mistakes("x", parameter))


@task("init_graph_params", "value", "field", "pair", "copy")
def false_0_and_empty_are_values(student: Student, oracle: Any) -> None:
    """False, 0, 0.0, "" and empty lists are values, and 1.0 is no 1."""
    for kind, field, value in (
        (1, "b", False),
        (2, "i", 0),
        (2, "i", 1),
        (3, "f", 0.0),
        (3, "f", 1.0),
        (4, "s", ""),
        (5, "ai", []),
        (6, "af", [2.0, 3.0]),
        (7, "as_", []),
    ):
        parameter = {**JUNK, "type": kind, field: value}
        mistakes = oracle.option_mistakes("x", parameter)
        expect(student.init_graph_params({"x": parameter}), {"x": (kind, value)}, mistakes=mistakes)


@task("init_graph_params", "null", "pair", "value", "field")
def null_keeps_its_name(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """An option of type 0 is there, with the value None."""
    causes = {
        "KeyError": "Type 0 has no field: give (0, None) before you look one up.",
        "ValueError": "Type 0 is no unknown type: it gives (0, None).",
    }
    with likely(causes):
        expect_each(student, {"output_size": random_struct(rng, 0), "dim": random_struct(rng, 2)}, oracle)


@task("init_graph_params", "names", "pair", "value", "field")
def every_name_comes_back(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Names come back as they are, whatever they look like; no options give the empty dict."""
    params = {name: random_struct(rng, 2 + i % 2) for i, name in enumerate(("Dilation", "type", "as_", "", "a.b"))}
    expect(student.init_graph_params(params), oracle.converted(params), mistakes=oracle.names_mistakes(params))
    with likely({"StopIteration": "There may be no options at all.", "IndexError": "There may be no options at all."}):
        got = student.init_graph_params({})
    mistakes = {"Nothing came back: return the result, also where it is the empty dict.": None}
    expect(got, {}, what="the result for no options", mistakes=mistakes)


@task("init_graph_params", "copy", "unchanged", "pair", "field")
def lists_are_copied(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The reader empties its lists afterwards, and the result does not notice."""
    for kind in (5, 6, 7):
        params = {"option": random_struct(rng, kind)}
        with likely(CHANGED):
            got = student.twice_then_cleared(params)
        expect(got, [oracle.converted(params)] * 2, mistakes=oracle.cleared_mistakes(params))


@task("init_graph_params", "unchanged", "pair", "value", "field")
def a_second_conversion_gives_the_same(student: Student, oracle: Any) -> None:
    """The same params, converted twice, give the same twice: the first time has changed nothing in them."""
    params = {"bias": {**JUNK, "type": 1}, "scale": {**JUNK, "type": 3}, "mode": {**JUNK, "type": 4}}
    with likely(CHANGED):
        got = student.twice_then_cleared(params)
    expect(got, [oracle.converted(params)] * 2)


@task("init_graph_params", "unchanged")
def params_are_as_before(student: Student, rng: np.random.Generator) -> None:
    """After a conversion all fields of `params`, also those that were not asked, hold what they held."""
    params = {f"option_{kind}": random_struct(rng, kind) for kind in range(1, 8)}
    try:
        expect(student.params_after(params), params, what="params")
    except Failure as failure:
        failure.cause = CHANGED["changed"]
        raise


@task("init_graph_params", "unknown")
def an_unknown_type_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A type other than 0 to 7 raises ValueError, wherever it stands."""
    for kind in (8, -1, -2, -8, 10, int(rng.integers(20, 1000))):
        params = {"stride": random_struct(rng, 5), "mystery": {**random_struct(rng, 2), "type": kind}}
        for some in ({"mystery": params["mystery"]}, params):
            try:
                expect_refused(student.init_graph_params, some)
            except Failure as failure:
                if failure.expected != "ValueError":
                    failure.cause = ACCEPTED
                elif failure.got in OWN_ERRORS:
                    failure.cause = OWN_ERRORS[failure.got]
                raise


@task("init_graph_params", "message", "unknown")
def the_refusal_names_the_option(student: Student, rng: np.random.Generator) -> None:
    """The message of the ValueError names the option and its type."""
    kind = int(rng.integers(20, 1000))
    params = {"stride": random_struct(rng, 5), "mystery": {**random_struct(rng, 2), "type": kind}}
    try:
        with likely(OWN_ERRORS):
            student.init_graph_params(params)
    except SubmissionError as error:
        if error.kind != "raise" or error.type != "ValueError":
            raise
        said = error.message
    else:
        failure = Failure(f"type {kind}: expected a ValueError, and there was none", "ValueError", None)
        failure.cause = ACCEPTED
        raise failure
    for part, meaning in (("mystery", "the option's name"), (str(kind), "the type's number")):
        if part not in said:
            message = f"type {kind}: expected a message that holds {part!r}, got {said!r:.120}"
            failure = Failure(message, part, said)
            failure.cause = f"The message lacks {meaning}: put both into it, with an f-string."
            raise failure


def expect_values(student: Student, oracle: Any, *cases: tuple[str, tuple[int, Any]]) -> None:
    """Each text gives its (type, value)."""
    causes = {
        "IndexError": "text[0] fails where the text is empty: text[:1] does not, nor does startswith.",
        "for int()": "int() cannot read this text: with . or e in it, a number is a float; what does not begin with a "
        "digit, or with - and a digit, is a str.",
        "string to float": "float() cannot read this text: what does not begin with a digit, or with - and a digit, is "
        "a str.",
    }
    for text, expected in cases:
        with likely(causes):
            got = student.parse_parameter(text)
        what = f"the result for {text!r}"
        expect(got, expected, what=what, mistakes=oracle.value_mistakes(text, expected))


@task("parse_parameter", "null", "bool", "str", "float", "int", "pair", "order")
def single_values(student: Student, oracle: Any) -> None:
    """Null, bool, int, float and str are told apart by their text alone."""
    expect_values(
        student,
        oracle,
        ("None", (0, None)),
        ("True", (1, True)),
        ("False", (1, False)),
        ("3", (2, 3)),
        ("-1", (2, -1)),
        ("0.5", (3, 0.5)),
        ("1.000000e-5", (3, 1e-5)),
        ("1e-05", (3, 1e-5)),
        ("zeros", (4, "zeros")),
        ("torch.float", (4, "torch.float")),
    )


@task("parse_parameter", "null", "bool")
def small_letters_are_words(student: Student, oracle: Any) -> None:
    """none, true and false, and longer words that begin with True, are strs."""
    words = ("none", "null", "true", "false", "TrueFalse", "Nones")
    expect_values(student, oracle, *((word, (4, word)) for word in words))


@task("parse_parameter", "str")
def a_number_begins_with_a_digit(student: Student, oracle: Any) -> None:
    """A number begins with a digit, or with - and a digit; everything else is a str, nothing at all too."""
    for text in ("inf", "-inf", "nan", "-", "--1", "-a", ".5", "-.5", "+1", "+0.5", "e5", "same.pad", " 1", ""):
        expect_values(student, oracle, (text, (4, text)))


@task("parse_parameter", "int", "float", "str", "list", "pair")
def numbers_keep_their_digits(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Ints of any size keep every digit, in a list too, and a point or an e makes a float, whatever follows."""
    large = int(rng.integers(2**60, 2**62)) | 1
    expect_values(
        student,
        oracle,
        (str(large), (2, large)),
        (f"({large},1)", (5, [large, 1])),
        ("007", (2, 7)),
        ("3.0", (3, 3.0)),
        ("1.", (3, 1.0)),
        ("2e3", (3, 2000.0)),
        ("-4e0", (3, -4.0)),
    )


@task("parse_parameter", "list", "null", "pair", "order", "str")
def lists_of_one_kind(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Lists in round or square brackets, also of one element; empty ones are null."""
    ints = rng.integers(-9, 10, int(rng.integers(2, 6))).tolist()
    floats = (rng.integers(-99, 99, 3) / 8).tolist()
    expect_values(
        student,
        oracle,
        ("(3,3)", (5, [3, 3])),
        ("[1]", (5, [1])),
        ("(7)", (5, [7])),
        ("()", (0, None)),
        ("[]", (0, None)),
        ("(ij,jk)", (7, ["ij", "jk"])),
        (f"[{','.join(map(str, ints))}]", (5, ints)),
        (f"({','.join(map(str, floats))})", (6, floats)),
    )


@task("parse_parameter", "list", "pair")
def words_in_a_list_are_strs(student: Student, oracle: Any) -> None:
    """True, False and None are strs when they stand in a list."""
    for text in ("(True,False)", "[None]", "(None,None)", "[True]"):
        expect_values(student, oracle, (text, (7, text[1:-1].split(","))))


@task("parse_parameter", "list", "mixed", "pair", "str")
def nothing_is_stripped_or_dropped(student: Student, oracle: Any) -> None:
    """White space and brackets belong to their elements, and an empty element is one: all three lists hold strs."""
    expect_values(
        student,
        oracle,
        ("(1, 2)", (7, ["1", " 2"])),
        ("(1,)", (7, ["1", ""])),
        ("((a,b))", (7, ["(a", "b)"])),
    )


@task("parse_parameter", "mixed", "list", "pair")
def lists_of_several_kinds(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Numbers of both kinds become floats, none is lost; one str makes all of them strs."""
    i, f = int(rng.integers(1, 100)), float(rng.integers(1, 99) / 8)
    causes = {
        "could not convert": "An element cannot be read as the kind of the list: find the kind of all elements first.",
        "invalid literal": "An element cannot be read as the kind of the list: find the kind of all elements first.",
    }
    for text, expected, unread in (
        (f"({i},{f})", (6, [float(i), f]), [i, f]),
        (f"({f},{i})", (6, [f, float(i)]), [f, i]),
        (f"({i},a)", (7, [str(i), "a"]), [i, "a"]),
        (f"(b,{f})", (7, ["b", str(f)]), ["b", f]),
        ("(1.50,same,007)", (7, ["1.50", "same", "007"]), [1.5, "same", 7]),
    ):
        with likely(causes):
            got = student.parse_parameter(text)
        mistakes = oracle.mixed_mistakes(text, expected, unread)
        expect(got, expected, what=f"the result for {text!r}", mistakes=mistakes)


@task("parse_parameter", "percent", "order")
def a_percent_decides_first(student: Student, oracle: Any) -> None:
    """A text with a % is a str, also where it begins like a number or a list."""
    for text in ("5%", "%5", "10%d", "(1,%c,3)", "[%d]"):
        with likely({"": "a text with a % is a str, whatever else it looks like: this rule comes before all others."}):
            got = student.parse_parameter(text)
        expected = (4, text)
        expect(got, expected, what=f"the result for {text!r}", mistakes=oracle.value_mistakes(text, expected))


@task("parse_parameter", "order", "null", "bool", "list", "str", "float", "int", "pair")
def every_option_of_the_digit_network(student: Student) -> None:
    """Each key=value of models/digits/digits.pnnx.param reads as kuiper reads it."""
    tokens = dict.fromkeys(token for line in DIGITS.read_text().splitlines()[2:] for token in line.split())
    for token in tokens:
        key, equals, text = token.partition("=")
        if equals and key[0] not in "@$#" and key != "expr":
            parameter = pnnx.parse(text)
            expected = (int(parameter.kind), parameter.value)
            expect(student.parse_parameter(text), expected, what=f"the result for {token!r}")
