"""Hidden tests of homework 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, task

FIELDS = (None, "b", "i", "f", "s", "ai", "af", "as_")
WORDS = ("zeros", "None", "()", "0", "1.5", "", "ünïcödé", "a=b", "%x", "type")
NAMES = ("stride", "type", "b", "as_", "output_size", "ünïcödé", "", "a.b", "__class__")


def random_struct(rng: np.random.Generator, kind: int, longest: int = 6) -> dict[str, Any]:
    """A struct whose eight fields all hold something, some of it large, empty or easily confused."""
    few = int(rng.integers(0, longest))
    struct = {
        "type": kind,
        "b": bool(rng.integers(2)),
        "i": int(rng.integers(-(2**62), 2**62)),
        "f": float(rng.standard_normal() * 10.0 ** rng.integers(-30, 30)),
        "s": str(rng.choice(WORDS)),
        "ai": rng.integers(-(2**31), 2**31, few).tolist(),
        "af": rng.standard_normal(few + 1).tolist(),
        "as_": rng.choice(WORDS, few + 2).tolist(),
    }
    keys = list(struct)
    rng.shuffle(keys)  # a struct is read by the names of its fields
    return {key: struct[key] for key in keys}


def converted(params: dict[str, dict[str, Any]]) -> dict[str, tuple[int, Any]]:
    """What must come out."""
    result: dict[str, tuple[int, Any]] = {}
    for name, parameter in params.items():
        field = FIELDS[parameter["type"]]
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
def many_options(student: Student, rng: np.random.Generator) -> None:
    """Two hundred options of all eight kinds, with names that are hard to confuse on purpose."""
    params = {f"{NAMES[i % len(NAMES)]}_{i}": random_struct(rng, int(rng.integers(8))) for i in range(200)}
    params |= {name: random_struct(rng, kind % 8) for kind, name in enumerate(NAMES)}
    expect(student.init_graph_params(params), converted(params))


@task("init_graph_params")
def values_that_look_like_nothing(student: Student, rng: np.random.Generator) -> None:
    """False, 0, 0.0, "" and empty lists are values, whatever the other fields hold."""
    nothing = (None, False, 0, 0.0, "", [], [], [])
    for kind in range(1, 8):
        struct = random_struct(rng, kind)
        struct |= {"b": True, "i": 5, "f": 2.5, "s": "junk", "ai": [1], "af": [1.5], "as_": ["junk"]}
        params = {"x": {**struct, FIELDS[kind]: nothing[kind]}, "y": random_struct(rng, 1 + kind % 7)}
        expect(student.init_graph_params(params), converted(params), what=f"the result for type {kind}")
    params = {"groups": {**random_struct(rng, 2), "i": 1}}
    expect(student.init_graph_params(params), {"groups": (2, 1)})
    expect(student.init_graph_params({}), {}, what="the result for no options")


@task("init_graph_params")
def extreme_values(student: Student, rng: np.random.Generator) -> None:
    """Long lists and numbers at the ends of their ranges come through as they are, in order."""
    floats = [float("inf"), float("-inf"), 5e-324, 1.7976931348623157e308, -1.0, 3.0]
    params = {
        "start": {**random_struct(rng, 2), "i": -(2**31)},
        "end": {**random_struct(rng, 2), "i": 2**63 - 1},
        "ends": {**random_struct(rng, 5), "ai": [2147483647, 0, -1, 2**40, 3, 3]},
        "scales": {**random_struct(rng, 6), "af": floats},
        "scale": {**random_struct(rng, 3), "f": 4.0},
        "table": {**random_struct(rng, 5), "ai": rng.integers(-9, 9, 20_000).tolist()},
        "names": {**random_struct(rng, 7), "as_": rng.choice(WORDS, 5_000).tolist()},
    }
    expect(student.init_graph_params(params), converted(params))


@task("init_graph_params")
def every_unknown_type_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Negative, complex and huge types are refused wherever the option stands, and the message names it."""
    for kind in (-1, -3, -8, 9, 10, 11, 16, 255, 2**31, int(rng.integers(100, 10**6))):
        names = [f"option_{i}" for i in range(6)]
        params = {name: random_struct(rng, int(rng.integers(8))) for name in names}
        culprit = str(rng.choice(names))
        params[culprit]["type"] = kind
        expect_refusal(student, params, culprit, kind)


@task("init_graph_params")
def nothing_is_shared(student: Student, rng: np.random.Generator) -> None:
    """A second conversion gives the same, and neither notices when the reader uses its lists again."""
    params = {f"option_{i}": random_struct(rng, i % 8) for i in range(40)}
    right = converted(params)
    expect(student.twice_then_cleared(params), [right, right])


@task("parse_parameter")
def the_order_of_the_rules(student: Student, rng: np.random.Generator) -> None:
    """Texts on which two rules fit, and the first decides."""
    for text, expected in (
        ("(1,%c,3)", (4, "(1,%c,3)")),
        ("%5", (4, "%5")),
        ("5%", (4, "5%")),
        ("(True,False)", (7, ["True", "False"])),
        ("(None,None)", (7, ["None", "None"])),
        ("[None]", (7, ["None"])),
        ("(None,3)", (7, ["None", "3"])),
        ("true", (4, "true")),
        ("none", (4, "none")),
        ("TrueFalse", (4, "TrueFalse")),
    ):
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}")


@task("parse_parameter")
def where_a_number_begins(student: Student, rng: np.random.Generator) -> None:
    """A number begins with a digit, or with - and a digit; everything else is a str."""
    for text in ("-", "--1", "-a", ".5", "-.5", "+1", "inf", "-inf", "nan", "e5", "-e5", "same.pad", "", "a1"):
        expect(student.parse_parameter(text), (4, text), what=f"the result for {text!r}")
    for text, expected in (
        ("007", (2, 7)),
        ("-0.0", (3, -0.0)),
        ("1.", (3, 1.0)),
        ("2e3", (3, 2000.0)),
        ("-1e-9", (3, -1e-9)),
        ("1.000000e+06", (3, 1e6)),
        ("2147483648", (2, 2147483648)),
    ):
        expect(student.parse_parameter(text), expected, what=f"the result for {text!r}")


@task("parse_parameter")
def random_numbers(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers are ints, all others floats, alone and in lists of up to 300."""
    for _ in range(20):
        i = int(rng.integers(-(2**40), 2**40))
        f = float(rng.standard_normal() * 10.0 ** rng.integers(-20, 20))
        expect(student.parse_parameter(str(i)), (2, i), what=f"the result for {i}")
        expect(student.parse_parameter(repr(f)), (3, f), what=f"the result for {f!r}")
    for count in (1, 2, int(rng.integers(3, 300))):
        ints = rng.integers(-1000, 1000, count).tolist()
        floats = (rng.standard_normal(count) * 1e-4).tolist()
        for opening, closing in ("()", "[]"):
            expect(student.parse_parameter(opening + ",".join(map(str, ints)) + closing), (5, ints))
            expect(student.parse_parameter(opening + ",".join(map(repr, floats)) + closing), (6, floats))


@task("parse_parameter")
def random_mixtures(student: Student, rng: np.random.Generator) -> None:
    """Ints among floats become floats; a single str, wherever it stands, makes every element a str."""
    for _ in range(12):
        count = int(rng.integers(2, 12))
        texts = [str(int(n)) for n in rng.integers(-99, 99, count)]
        texts[int(rng.integers(count))] = repr(float(rng.integers(-99, 99) / 8))
        text = f"[{','.join(texts)}]"
        expect(student.parse_parameter(text), (6, [float(t) for t in texts]), what=f"the result for {text!r}")
        texts[int(rng.integers(count))] = str(rng.choice(["same", "-", "None", "x.y", "True", ".5"]))
        text = f"({','.join(texts)})"
        expect(student.parse_parameter(text), (7, texts), what=f"the result for {text!r}")
