"""Products with constant weights give what the layer gives, with every epilogue, layout and number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.elementwise.activation import activation_of
from kuiper.fast.kernels.matmul import linear
from kuiper.fast.kernels.matmul.linear import cuts
from kuiper.layers.elementwise.activation import GELU, ReLU, SiLU
from kuiper.layers.linear.linear import Linear

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    lead=st.lists(st.integers(1, 5), max_size=3),
    rows=st.sampled_from([1, 2, 7, 40]),
    features=st.integers(1, 70),
    out=st.integers(1, 70),
    bias=st.booleans(),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
    cached=st.sampled_from([1, 300, 1 << 15]),
)
def test_any_leading_axes(beside, lead, rows, features, out, bias, ways, threads, cached):
    layer = Linear(numbers(0, out, features), numbers(1, out) if bias else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CACHED", cached)
        beside(layer, numbers(2, *lead, rows, features), layouts=ways, threads=threads, atol=2e-5)


def test_one_axis(beside):
    beside(Linear(numbers(0, 5, 3), numbers(1, 5)), numbers(2, 3), threads=2)


class Fused:
    """What an epilogue stands for: activation(x @ weight.T + bias + residual)."""

    def __init__(self, layer, activation, residual):
        self.layer, self.activation, self.residual = layer, activation, residual

    def forward(self, x, *residual):
        y = self.layer.forward(x)
        y = y + residual[0] if self.residual else y
        return y if self.activation is None else self.activation.forward(y)


@pytest.mark.slow
@pytest.mark.parametrize("activation", [None, ReLU(), GELU(), GELU("tanh"), SiLU()])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(5, 24), (2, 20, 24), (1, 2, 9, 24)])
@pytest.mark.parametrize("ways", [("nchw", "nchw"), ("wide nchw", "wide nchw"), ("halo", "wide")])
def test_the_epilogue_is_what_follows(beside, lowered, activation, residual, bias, shape, ways):
    layer = Linear(numbers(0, 48, 24), numbers(1, 48) if bias else None)
    x = numbers(2, *shape)
    kernel = lowered(layer, x)
    kernel.epilogue.residual = residual
    kernel.epilogue.activation = None if activation is None else activation_of(activation)
    inputs = [x, numbers(3, *shape[:-1], 48)] if residual else [x]
    for threads in (1, 2):
        beside(Fused(layer, activation, residual), *inputs, kernel=kernel, layouts=ways, threads=threads, atol=2e-5)


def test_plans_for_other_shapes_share_the_packed_weight(lowered):
    layer = Linear(numbers(0, 4, 3), None)
    packs: dict[str, np.ndarray] = {}
    weights = []
    for rows in (1, 5):
        kernel = lowered(layer, numbers(1, rows, 3))
        kernel.packs = packs
        weights.append(kernel.scaled()[0])
    assert weights[0] is weights[1]


@pytest.mark.parametrize(
    ("weight", "bias", "x"),
    [
        (numbers(0, 3), None, numbers(1, 2, 3)),
        (numbers(0, 4, 3), numbers(2, 1), numbers(1, 2, 3)),
        (numbers(0, 4, 3), None, numbers(1, 0, 3)),
        (np.ones((4, 3)), None, np.ones((2, 3))),
        (np.ones((4, 3), np.int64), None, np.ones((2, 3), np.int64)),
    ],
    ids=["a vector", "one bias for all", "no rows", "float64", "integers"],
)
def test_what_has_no_kernel(lowered, weight, bias, x):
    assert lowered(Linear(weight, bias), x) is None


@given(rows=st.integers(1, 100), columns=st.integers(1, 100), threads=st.integers(1, 4))
def test_the_threads_parts_cover_the_product_once(rows, columns, threads):
    seen = np.zeros((rows, columns), int)
    parts = list(cuts(seen.shape, threads))
    for part in parts:
        seen[part] += 1
    assert (seen == 1).all()
    assert len(parts) <= threads
