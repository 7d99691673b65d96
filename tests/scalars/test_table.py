"""The table of scalar functions: its compiled forms against its formulas, and what the records say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kuiper.errors import DTypeError, KuiperError
from kuiper.expression import FUNCTIONS
from kuiper.scalars import EXPRESSION, OPERATORS, Function
from kuiper.scalars.steps import run
from kuiper.scalars.table import _named

ALL = {**EXPRESSION, **OPERATORS}
COMPILED = sorted(name for name, function in ALL.items() if function.steps)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("name", COMPILED)
def test_the_compiled_form_computes_what_the_formula_does(name: str) -> None:
    function = ALL[name]
    arrays = [RNG.uniform(1.1, 3, (2, 5)).astype(np.float32) for _ in range(function.arity[0])]
    if name in ("acos", "asin", "atanh"):
        arrays = [x / np.float32(4) for x in arrays]
    assert function.steps is not None
    got, want = function.steps(run, *arrays), function.of_arrays(*arrays)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "maximum", "log2", "frac", "hypot", "erf", "pow", "round"])
def test_functions_of_floats_that_ufuncs_compute_are_compiled(name: str) -> None:
    assert name in COMPILED


@pytest.mark.parametrize("name", ["eq", "isnan", "and", "gcd", "lgamma", "remainder", "sign", "conj"])
def test_functions_whose_result_is_no_float_or_that_are_no_ufuncs_are_not_compiled(name: str) -> None:
    assert name not in COMPILED


def test_every_record_bears_its_name_a_formula_and_a_cost() -> None:
    for table in (EXPRESSION, OPERATORS):
        for name, function in table.items():
            assert function.name == {"max": "maximum", "min": "minimum"}.get(name, name)
            assert function.formula
            assert function.flops > 0
            assert set(function.kinds) <= set("bifc")


def test_a_function_in_both_tables_is_one_record() -> None:
    for name in EXPRESSION.keys() & OPERATORS.keys():
        assert EXPRESSION[name] is OPERATORS[name]


def test_conversions_cost_nothing() -> None:
    assert {name for name, function in FUNCTIONS.items() if not function.flops} == FUNCTIONS.keys() - EXPRESSION.keys()


def test_numbers_give_a_number_and_arrays_an_array() -> None:
    half = Function("half", "x / 2", lambda x: x / 2, "f", (1,), floating=True)
    assert type(half(3.0)) is float
    assert half(np.float32(3)).dtype == np.float32
    with pytest.raises(DTypeError, match="half is not defined for complex64, only for float"):
        half(np.zeros(2, np.complex64))


@pytest.mark.parametrize(
    ("fields", "error", "fault"),
    [
        ({"compute": None}, ValueError, "mine: expected compute or compiled, found neither"),
        ({"compute": 3}, TypeError, "mine: compute: expected a function, found 3"),
        ({"compiled": np.float32(1)}, TypeError, "mine: compiled: expected a function, found"),
        ({"kinds": "float"}, ValueError, "mine: kinds: expected some of \"bifc\", found 'float'"),
        ({"kinds": ""}, ValueError, "mine: kinds: expected some of"),
        ({"arity": 1}, TypeError, "mine: arity: expected a tuple of integers, such as (1,), found 1"),
        ({"arity": ()}, TypeError, "mine: arity: expected a tuple of integers"),
        ({"arity": ("1",)}, TypeError, "mine: arity: expected a tuple of integers"),
    ],
)
def test_a_record_that_could_not_compute_is_refused(fields: dict[str, Any], error: type, fault: str) -> None:
    with pytest.raises(error, match=re.escape(fault)):
        Function(**{"name": "mine", "formula": "x", "compute": np.sin, "kinds": "f"} | fields)


def test_a_name_that_comes_twice_is_refused() -> None:
    sine = Function("sin", "sin(x)", np.sin, "f", (1,))
    with pytest.raises(KuiperError, match="sin stands in the table of scalar functions already"):
        _named(sine, ALL["cos"], sine)
