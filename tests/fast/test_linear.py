"""Products with constant weights give what the simple layer gives, with every epilogue, layout and number of lanes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels import linear
from kuiper.fast.kernels.activation import activation_of
from kuiper.fast.kernels.linear import cuts
from kuiper.layers.elementwise.activation import GELU, ReLU, SiLU
from kuiper.layers.linear.linear import Linear

LAYOUT = st.sampled_from(["plain", "pixels", "halo", "wide", "wide plain"])


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.fixture(autouse=True)
def always_fork(monkeypatch):
    monkeypatch.setattr("kuiper.fast.workspace.WORTH_FORKING", 0)


@settings(max_examples=150, deadline=None)
@given(
    lead=st.lists(st.integers(1, 5), max_size=3),
    rows=st.sampled_from([1, 2, 7, 40]),
    features=st.integers(1, 70),
    out=st.integers(1, 70),
    bias=st.booleans(),
    ways=st.tuples(LAYOUT, LAYOUT),
    lanes=st.integers(1, 3),
    cached=st.sampled_from([1, 300, 1 << 15]),
)
def test_any_leading_axes(beside, lead, rows, features, out, bias, ways, lanes, cached):
    layer = Linear(numbers(0, out, features), numbers(1, out) if bias else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CACHED", cached)
        beside(layer, numbers(2, *lead, rows, features), layouts=ways, lanes=lanes, atol=2e-5)


def test_one_axis(beside):
    beside(Linear(numbers(0, 5, 3), numbers(1, 5)), numbers(2, 3), lanes=2)


class Fused:
    """What an epilogue stands for: activation(x @ weight.T + bias + residual)."""

    def __init__(self, layer, activation, residual):
        self.layer, self.activation, self.residual = layer, activation, residual

    def forward(self, x, *residual):
        y = self.layer.forward(x)
        y = y + residual[0] if self.residual else y
        return y if self.activation is None else self.activation.forward(y)


@pytest.mark.parametrize("activation", [None, ReLU(), GELU(), GELU("tanh"), SiLU()])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(5, 24), (2, 20, 24), (1, 2, 9, 24)])
@pytest.mark.parametrize("ways", [("plain", "plain"), ("wide plain", "wide plain"), ("halo", "wide")])
def test_the_epilogue_is_what_follows(beside, lowered, activation, residual, bias, shape, ways):
    layer = Linear(numbers(0, 48, 24), numbers(1, 48) if bias else None)
    x = numbers(2, *shape)
    kernel = lowered(layer, x)
    kernel.epilogue.residual = residual
    kernel.epilogue.activation = None if activation is None else activation_of(activation)
    inputs = [x, numbers(3, *shape[:-1], 48)] if residual else [x]
    for lanes in (1, 2):
        beside(Fused(layer, activation, residual), *inputs, kernel=kernel, layouts=ways, lanes=lanes, atol=2e-5)


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


@given(rows=st.integers(1, 100), columns=st.integers(1, 100), lanes=st.integers(1, 4))
def test_the_lanes_parts_cover_the_product_once(rows, columns, lanes):
    seen = np.zeros((rows, columns), int)
    parts = list(cuts(seen.shape, lanes))
    for part in parts:
        seen[part] += 1
    assert (seen == 1).all()
    assert len(parts) <= lanes
