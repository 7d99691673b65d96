"""Elementwise functions, comparison, clamp and complex numbers against PyTorch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from kuiper.layers.elementwise import complex, elementwise
from kuiper.layers.elementwise.elementwise import LAYERS
from kuiper.scalars import OPERATORS

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")

DTYPES = {"b": ["?"], "i": ["u1", "i1", "i2", "i4", "i8"], "f": ["f2", "f4", "f8"], "c": ["c8", "c16"]}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, np.nan, np.inf, -np.inf]


def values(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 3, shape)
    x = np.where(rng.random(shape) < 0.3, rng.choice(SPECIAL, shape), x)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0 if dtype == "u1" else -5, 9, shape).astype(dtype)
    if np.dtype(dtype).kind == "c":  # PyTorch and numpy differ on numbers of which one part alone is infinite
        x = np.nan_to_num(x, nan=1, posinf=2, neginf=3) + 1j * rng.integers(-1, 2, shape)
    return np.asarray(x).astype(dtype)


def agree(got, expected):
    expected = expected.resolve_conj().numpy()
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind in "fc":
        tolerance = 2e-3 if expected.dtype == np.float16 else 2e-6
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


def in_torch(name):
    return getattr(torch, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, function in OPERATORS.items() if function.arity[0] < 3])
@given(data=st.data(), seed=st.integers(0, 999))
@settings(max_examples=10, deadline=None)
def test_a_function_of_arrays_is_pytorchs(name, data, seed):
    function = OPERATORS[name]
    shapes = data.draw(st_numpy.mutually_broadcastable_shapes(num_shapes=function.arity[0], max_dims=3, max_side=3))
    kinds = [data.draw(st.sampled_from(function.kinds)) for _ in shapes.input_shapes]
    types = [data.draw(st.sampled_from(DTYPES[kind])) for kind in kinds]
    if "c" in kinds:  # PyTorch makes a complex32 of float16, with which it can hardly compute
        types = ["f4" if dtype == "f2" else dtype for dtype in types]
    if name == "polar":  # PyTorch asks for two of one type
        types = [data.draw(st.sampled_from(["f4", "f8"]))] * 2
    inputs = [
        values(dtype, shape, seed + i) for i, (dtype, shape) in enumerate(zip(types, shapes.input_shapes, strict=True))
    ]
    agree(LAYERS[name]().forward(*inputs), in_torch(name)(*map(torch.from_numpy, inputs)))


COMPARED = ["eq", "ne", "lt", "le", "gt", "ge"]
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"]


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("other", [1, -1, 0.1, 2.5, float("inf")])
def test_a_comparison_with_a_number_is_pytorchs(name, dtype, other):
    x = np.concatenate([values(dtype, (40,), 3), np.array([other, 1]).clip(-3, 3).astype(dtype)])
    agree(LAYERS[name](other=other).forward(x), in_torch(name)(torch.from_numpy(x), other))


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8"])
@pytest.mark.parametrize("name", BITWISE)
def test_bitwise_functions_with_a_number_on_either_side_are_pytorchs(name, dtype):
    x = np.arange(0, 70).astype(dtype)
    agree(LAYERS[name](other=3).forward(x), in_torch(name)(torch.from_numpy(x), 3))
    agree(LAYERS[name](input=5, other=x).forward(), in_torch(name)(5, torch.from_numpy(x)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_lerp_addcmul_and_addcdiv_are_pytorchs(dtype):
    x, a, b = (np.random.default_rng(i).normal(2, 1, (3, 4)).astype(dtype) for i in range(3))
    tx, ta, tb = map(torch.from_numpy, (x, a, b))
    agree(LAYERS["lerp"]().forward(x, a, 0.3), torch.lerp(tx, ta, 0.3))
    agree(LAYERS["lerp"]().forward(x, a, b), torch.lerp(tx, ta, tb))
    agree(LAYERS["addcmul"]().forward(x, a, b, 2), torch.addcmul(tx, ta, tb, value=2))
    agree(LAYERS["addcdiv"]().forward(x, a, b, 0.5), torch.addcdiv(tx, ta, tb, value=0.5))


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.5, 2.5), (-2, None), (None, 0.1), (3, 1), (-1.5, 1), (float("nan"), 1)]
)
def test_clamp_between_numbers_is_pytorchs(dtype, low, high):
    x = values(dtype, (4, 9), 1)
    agree(elementwise.Clamp(min=low, max=high).forward(x), torch.clamp(torch.from_numpy(x), low, high))


@given(
    shapes=st_numpy.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3),
    types=st.lists(st.sampled_from(["u1", "i8", "f2", "f4"]), min_size=3, max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_clamp_between_arrays_is_pytorchs(shapes, types):
    x, low, high = (values(t, s, i) for i, (t, s) in enumerate(zip(types, shapes.input_shapes, strict=True)))
    agree(elementwise.Clamp(low, high).forward(x), torch.clamp(*map(torch.from_numpy, (x, low, high))))
    agree(elementwise.Clamp(max=high).forward(x), torch.clamp(torch.from_numpy(x), max=torch.from_numpy(high)))


def test_isclose_is_pytorchs():
    x, y = values("f4", (50,), 0), values("f4", (50,), 0) * np.float32(1.00001)
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    agree(elementwise.IsClose().forward(x, y), torch.isclose(tx, ty))
    agree(elementwise.IsClose(1e-3, 0.0, True).forward(x, y), torch.isclose(tx, ty, 1e-3, 0.0, True))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_complex_numbers_are_made_and_taken_apart_as_in_pytorch(dtype):
    x, y = values(dtype, (3, 1, 2), 0), values(dtype, (4, 2), 1)
    c = complex.Complex().forward(x, y)
    tc = torch.complex(torch.from_numpy(x), torch.from_numpy(y))
    agree(c, tc)
    agree(complex.Real().forward(c), torch.real(tc))
    agree(complex.Imag().forward(c), torch.imag(tc))
    agree(complex.ViewAsReal().forward(c), torch.view_as_real(tc))
    agree(complex.ViewAsComplex().forward(x), torch.view_as_complex(torch.from_numpy(x)))
    agree(complex.Real().forward(x), torch.real(torch.from_numpy(x)))
