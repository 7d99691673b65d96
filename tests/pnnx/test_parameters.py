"""Parameters: text -> kind and value, against what PNNX's own reader says of 83 texts."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kuiper.errors import KuiperError
from kuiper.pnnx import Parameter, ParameterKind, parse, to_text
from kuiper.pnnx.parameters import is_mixed

GOLDEN = Path(__file__).parents[1] / "data" / "pnnx_param_golden.tsv"
KINDS = {
    "null": ParameterKind.NULL,
    "bool": ParameterKind.BOOL,
    "int": ParameterKind.INT,
    "float": ParameterKind.FLOAT,
    "str": ParameterKind.STRING,
    "ints": ParameterKind.INTS,
    "floats": ParameterKind.FLOATS,
    "strs": ParameterKind.STRINGS,
}
# Every text of which kuiper says something else than PNNX's reader, and why.
MIXED = "PNNX keeps the elements of one kind and drops the others"
COMPLEX = "PNNX's writer writes complex numbers, its reader keeps the real part"
BIG = "PNNX's reader stops with an exception at numbers beyond 32 bits"
DEVIATIONS = {
    "(None,None,3)": (ParameterKind.STRINGS, ["None", "None", "3"], MIXED),
    "(1,0.5)": (ParameterKind.FLOATS, [1.0, 0.5], MIXED),
    "(0.5,1)": (ParameterKind.FLOATS, [0.5, 1.0], MIXED),
    "(1.0,2)": (ParameterKind.FLOATS, [1.0, 2.0], MIXED),
    "(a,1)": (ParameterKind.STRINGS, ["a", "1"], MIXED),
    "(1,a)": (ParameterKind.STRINGS, ["1", "a"], MIXED),
    "(1,a,2.5)": (ParameterKind.STRINGS, ["1", "a", "2.5"], MIXED),
    "(inf,1.0)": (ParameterKind.FLOATS, [math.inf, 1.0], "among numbers, inf is a number"),
    "(-,1)": (ParameterKind.STRINGS, ["-", "1"], MIXED),
    "(1, 2)": (ParameterKind.STRINGS, ["1", " 2"], MIXED),
    "((1,2),(3,4))": (ParameterKind.STRINGS, ["(1", "2)", "(3", "4)"], MIXED),
    "[[1,2],[3]]": (ParameterKind.STRINGS, ["[1", "2]", "[3]"], MIXED),
    "(1,)": (ParameterKind.INTS, [1], "Python's list of one number; PNNX drops the 1 and keeps an empty string"),
    "(1": (ParameterKind.INTS, [1], "PNNX cuts the last character off, which is the 1"),
    "2147483648": (ParameterKind.INT, 2147483648, BIG),
    "9223372036854775807": (ParameterKind.INT, 9223372036854775807, BIG),
    "1e400": (ParameterKind.FLOAT, math.inf, BIG),
    "1e-50": (ParameterKind.FLOAT, 1e-50, BIG),
    "3+4j": (ParameterKind.COMPLEX, 3 + 4j, COMPLEX),
    "-1j": (ParameterKind.COMPLEX, -1j, COMPLEX),
    "2.000000e+00+3.000000e+00j": (ParameterKind.COMPLEX, 2 + 3j, COMPLEX),
    "(2.000000e+00+3.000000e+00j,1.000000e+00+-2.000000e+00j)": (ParameterKind.COMPLEXES, [2 + 3j, 1 - 2j], COMPLEX),
}


def golden_rows() -> list[list[str]]:
    return [line.split("\t") for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def value_of(kind: str, text: str):
    """The value that the golden table's second and third column mean."""
    if kind.endswith("s"):
        return [value_of(kind[:-1], element) for element in text[1:-1].split(",")]
    return {"null": lambda _: None, "bool": "True".__eq__, "int": int, "float": float, "str": str}[kind](text)


@pytest.mark.parametrize("row", golden_rows(), ids=lambda row: row[0])
def test_a_text_means_what_pnnx_says_unless_pnnx_loses_something(row):
    text, kind, value, *_ = row
    parameter = parse(text)
    if text in DEVIATIONS:
        expected_kind, expected, _ = DEVIATIONS[text]
        assert (parameter.kind, parameter.value) == (expected_kind, expected)
    else:
        assert (parameter.kind, parameter.value) == (KINDS[kind], value_of(kind, value))


def test_the_table_has_83_texts_and_every_deviation_is_one_of_them():
    texts = {row[0] for row in golden_rows()}
    assert len(texts) == 83
    assert texts >= DEVIATIONS.keys()


@pytest.mark.parametrize("row", [r for r in golden_rows() if len(r) > 3], ids=lambda row: row[0])
def test_a_list_keeps_as_many_elements_as_pnnx_counted(row):
    text, counts = row[0], row[3]
    counted = sum(int(count.split("=")[1]) for count in counts.split())
    after_the_last_comma = 1 if text == "(1,)" else 0
    assert len(parse(text).value) == counted - after_the_last_comma


@pytest.mark.parametrize("row", golden_rows(), ids=lambda row: row[0])
def test_what_was_read_can_be_written_and_reads_back(row):
    parameter = parse(row[0])
    back = parse(to_text(parameter))
    assert (back.kind, back.value) == (parameter.kind, parameter.value)


@pytest.mark.parametrize("text", ["(1,0.5)", "(a,1)", "(1,3+4j)", "[1,2.0]"])
def test_a_list_of_several_kinds_is_mixed(text):
    assert is_mixed(text)


@pytest.mark.parametrize("text", ["(1,2)", "(1,)", "(0.5,0.5)", "(a,b)", "1", "a,1", "(1,%c,3)", "()", ""])
def test_other_texts_are_not_mixed(text):
    assert not is_mixed(text)


def test_an_empty_text_is_an_empty_string():
    assert parse("") == Parameter(ParameterKind.STRING, "")


def test_ints_beside_complex_numbers_become_complex():
    assert parse("(1,0.5,3+4j)") == Parameter(ParameterKind.COMPLEXES, [1, 0.5, 3 + 4j])


@pytest.mark.parametrize("text", ["9" * 5000, "(1," + "9" * 5000 + ")", "-" + "9" * 5000])
def test_an_integer_of_thousands_of_digits_is_a_clean_error(text):
    with pytest.raises(KuiperError, match="digits"):
        parse(text)


FLOATS = st.floats(allow_nan=False)
PARAMETERS = st.one_of(
    st.builds(Parameter, st.just(ParameterKind.NULL)),
    st.builds(Parameter, st.just(ParameterKind.BOOL), st.booleans()),
    st.builds(Parameter, st.just(ParameterKind.INT), st.integers()),
    st.builds(Parameter, st.just(ParameterKind.FLOAT), FLOATS),
    st.builds(Parameter, st.just(ParameterKind.COMPLEX), st.builds(complex, FLOATS, FLOATS)),
    st.builds(Parameter, st.just(ParameterKind.INTS), st.lists(st.integers(), min_size=1, max_size=4)),
    st.builds(Parameter, st.just(ParameterKind.FLOATS), st.lists(FLOATS, min_size=1, max_size=4)),
    st.builds(
        Parameter,
        st.just(ParameterKind.COMPLEXES),
        st.lists(st.builds(complex, FLOATS, FLOATS), min_size=1, max_size=4),
    ),
    st.builds(
        Parameter,
        st.just(ParameterKind.STRING),
        st.from_regex(r"\A[a-z_.@(),%-]{1,8}\Z").filter(lambda s: s[0] not in "([" or "%" in s),
    ),
    st.builds(
        Parameter, st.just(ParameterKind.STRINGS), st.lists(st.from_regex(r"\A[a-z_.]{1,5}\Z"), min_size=1, max_size=4)
    ),
)


@pytest.mark.slow
@given(PARAMETERS)
@example(Parameter(ParameterKind.FLOAT, -0.0))
@example(Parameter(ParameterKind.FLOAT, sys.float_info.max))
@example(Parameter(ParameterKind.FLOAT, 5e-324))
@example(Parameter(ParameterKind.COMPLEX, complex(-0.0, -math.inf)))
def test_every_parameter_reads_back_as_it_was_written(parameter):
    back = parse(to_text(parameter))
    assert (back.kind, repr(back.value)) == (parameter.kind, repr(parameter.value))


@given(st.text(alphabet="0123456789.eEj+-()[],aInfT%x_ ", max_size=12) | st.text(max_size=8))
def test_any_text_is_read_and_what_was_read_is_written_and_reads_back_the_same(text):
    parameter = parse(text)
    back = parse(to_text(parameter))
    assert (back.kind, repr(back.value)) == (parameter.kind, repr(parameter.value))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterKind.STRING, "5"),
        (ParameterKind.STRING, "None"),
        (ParameterKind.STRING, "(a,b)"),
        (ParameterKind.STRINGS, ["a,b"]),
        (ParameterKind.STRINGS, ["1", "2"]),
        (ParameterKind.INTS, []),
        (ParameterKind.FLOAT, math.nan),
        (ParameterKind.INT, "three"),
        (ParameterKind.INTS, 3),
        (ParameterKind.INT, 10**4200),
        (99, 1),
    ],
)
def test_a_parameter_that_no_text_means_cannot_be_written(kind, value):
    with pytest.raises(KuiperError, match=r"cannot be written|digits"):
        to_text(Parameter(kind, value))
