"""Every function of the language against PyTorch, over element types, special values and mixed operands."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.errors import InferError
from kuiper.expression import FUNCTIONS, evaluate, parse
from kuiper.expression.functions import call

pytestmark = pytest.mark.filterwarnings("ignore:Casting complex", "ignore:ComplexHalf")
torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]
INTEGERS = [0, 1, -1, 2, -2, 3, 5, 7, -7, 31, 100, -100]
FLOATS = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 7.25, 100.0, 1e-3, np.inf, -np.inf, np.nan, 0.3, -0.7]
VALUES: dict[str, list[Any]] = {
    "b": [True, False],
    "u": [0, 1, 2, 3, 5, 7, 31, 100, 255],
    "i": INTEGERS,
    "f": FLOATS,
    "c": [1 + 2j, -1 + 0.5j, 0.3 - 2j, 2 + 0.1j, -0.5 - 0.5j, 0.1 + 0.1j],
}
TOLERANCE = {"float16": 2e-3, "float32": 3e-6, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-11}
UNARY = [name for name, f in FUNCTIONS.items() if f.arity == (1,) and name != "int" and "." not in name]
BINARY = [name for name, f in FUNCTIONS.items() if f.arity == (2,)]
OPERATORS = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
TAKES_TENSORS = {"max", "maximum", "min", "minimum", "atan2", "logaddexp"}
BY_ZERO = {"floor_divide", "remainder", "fmod"}


def torch_function(name: str) -> Callable[..., Any]:
    return OPERATORS.get(name) or getattr(torch, name)


def data(dtype: str) -> np.ndarray:
    return np.array(VALUES[np.dtype(dtype).kind]).astype(dtype)


def tensor(value: Any) -> Any:
    return torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value


def check(name: str, *values: Any) -> None:
    """kuiper and PyTorch agree on type, shape and values; what PyTorch computes, kuiper does not refuse."""
    operands = [tensor(v) for v in values]
    if name in TAKES_TENSORS:
        operands = [v if isinstance(v, torch.Tensor) else torch.tensor(v) for v in operands]
    try:
        expected = torch_function(name)(*operands)
    except (RuntimeError, NotImplementedError, TypeError):
        return
    if expected.dtype == torch.complex32:  # numpy has no such type
        return
    got, want = call(name, *values), expected.numpy()
    assert (got.dtype, got.shape) == (want.dtype, want.shape), name
    tolerance = TOLERANCE.get(str(want.dtype), 0)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 1e-3, err_msg=name)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_a_unary_function_agrees_with_torch(name: str, dtype: str) -> None:
    x = data(dtype)
    check(name, x)
    check(name, np.asarray(x[1]))
    check(name, x[:0])


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_function_agrees_with_torch_on_every_pair_of_types(name: str) -> None:
    for left in DTYPES:
        for right in DTYPES:
            x, y = data(left)[:, None], data(right)[None]
            if name in BY_ZERO and y.dtype.kind in "iu":
                y = y[y != 0]
            if "c" in x.dtype.kind + y.dtype.kind:  # PyTorch adds a real infinity to a complex number as inf+nanj
                x, y = (v[np.isfinite(v) & (abs(v) < 50)] for v in (x, y))
                x = x[:, None]
            if name == "pow" and x.dtype.kind in "iu" and y.dtype.kind in "iu":
                y = y[y < 8]
            check(name, x, y)
            check(name, x, np.asarray(y.reshape(-1)[-1]))


@pytest.mark.parametrize("number", [True, 2, 3, -3, 1.5, -2.0, 0.125, 0.5])
@pytest.mark.parametrize("name", BINARY)
def test_a_number_beside_an_array_agrees_with_torch(name: str, number: float) -> None:
    for dtype in DTYPES[:-1]:
        x = data(dtype)
        if name == "pow" and (dtype == "bool" or (dtype == "float16" and number == 0.5)):
            continue  # PyTorch: bool to the power True is bool; the half of -inf is inf in float16 alone
        check(name, x, number)
        if not (name in BY_ZERO and x.dtype.kind in "biu") and name != "fmod":
            check(name, number, x)


def test_float16_beside_a_number_is_rounded_as_torch_rounds() -> None:
    x = np.random.default_rng(0).normal(size=500).astype(np.float16)
    for name in ("add", "sub", "mul", "div", "remainder", "fmod"):
        want = torch_function(name)(torch.from_numpy(x), 0.3).numpy()
        np.testing.assert_array_equal(call(name, x, 0.3), want, err_msg=name)


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        ("abs", ["bool"]),
        ("neg", ["bool"]),
        ("ceil", ["bool", "complex64"]),
        ("round", ["bool", "complex64"]),
        ("erf", ["complex64"]),
        ("sign", ["complex64"]),
    ],
)
def test_what_torch_refuses_is_refused(name: str, dtypes: list[str]) -> None:
    for dtype in dtypes:
        with pytest.raises((RuntimeError, NotImplementedError)):
            torch_function(name)(tensor(data(dtype)))
        with pytest.raises(InferError, match=f"{name}.*not defined for {dtype}"):
            call(name, data(dtype))


@pytest.mark.parametrize("name", ["sub", "floor_divide", "remainder", "fmod", "and", "lshift"])
def test_a_pair_that_torch_refuses_is_refused(name: str) -> None:
    x = np.array([True, False]) if name in ("sub", "floor_divide", "remainder", "fmod") else np.zeros(2, np.float32)
    with pytest.raises(RuntimeError):
        torch_function(name)(tensor(x), tensor(x))
    with pytest.raises(InferError, match=name):
        call(name, x, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_casts_agree_with_torch(dtype: str) -> None:
    x = data(dtype)
    x = x[np.isfinite(x)]
    for name in ("torch.bool", "torch.float", "torch.long"):
        want = tensor(x).to(getattr(torch, name.removeprefix("torch."))).numpy()
        got = call(name, x)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_halves_round_to_even_and_nan_has_no_sign() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32)
    assert call("round", x).tolist() == torch.round(tensor(x)).tolist() == [0, 2, 2, 0, -2]
    nan = np.array([np.nan], np.float32)
    assert call("sign", nan).tolist() == torch.sign(tensor(nan)).tolist() == [0]


@pytest.mark.slow
@given(st.lists(st.floats(0, allow_infinity=False), min_size=1))
def test_a_square_root_is_right_to_the_last_bit(values: list[float]) -> None:
    """By Python's own: on some processors PyTorch takes it from a library that is one bit off now and then."""
    assert call("sqrt", np.array(values)).tolist() == [math.sqrt(value) for value in values]


# IEEE arithmetic gives these one right answer each, so a tree of them has one too, to the last bit.
TREE_UNARY = ["abs", "neg", "square", "sign", "floor", "ceil", "round", "trunc", "reciprocal"]
TREE_BINARY = ["add", "sub", "mul", "div", "remainder", "fmod", "floor_divide"]


def _grow(trees: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    unary = st.tuples(st.sampled_from(TREE_UNARY), trees).map(lambda t: f"{t[0]}({t[1]})")
    binary = st.tuples(st.sampled_from(TREE_BINARY), trees, trees).map(lambda t: f"{t[0]}({t[1]},{t[2]})")
    return unary | binary


trees = st.recursive(st.sampled_from(["@0", "@1", "@2"]), _grow, max_leaves=8)


@given(trees, st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_a_random_tree_agrees_with_torch_to_the_last_bit(text: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    operands = [
        rng.normal(size=(3, 1)).round(1),
        rng.normal(size=(4,)).round(1),
        np.asarray(round(rng.normal(), 1)),
    ]

    class Names(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            return torch_function(name)

    names = Names({f"x{i}": tensor(x) for i, x in enumerate(operands)})
    want = eval(text.replace("@", "x"), {"__builtins__": {}}, names)  # the language is Python's own call syntax
    got = evaluate(parse(text), operands)
    assert got.shape == tuple(want.shape)
    np.testing.assert_array_equal(got, want.numpy())
