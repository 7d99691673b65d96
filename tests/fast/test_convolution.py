"""Convolution: every algorithm gives what the layer gives, for all options, layouts and numbers of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kuiper.fast.kernels.base.buffer import Halo
from kuiper.fast.kernels.conv.convolution import Convolution, Problem, rows_as_matrix
from kuiper.layers.image.convolution import Conv1d, Conv2d

RNG = np.random.default_rng(0)
LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def candidates_of(kernel):
    """All algorithms but the one that takes seconds to compile, which has tests of its own."""
    return [each for each in kernel.candidates() if not each.name.startswith("Compiled")]


@st.composite
def problems(draw):
    """A layer, and the shape of an image for it."""
    groups, per_group = draw(st.sampled_from([(1, 1), (1, 3), (1, 9), (2, 3), (3, 1), (4, 2), (8, 1)]))
    out = groups * draw(st.integers(1, 3))
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    options = {
        "stride": draw(st.tuples(st.integers(1, 3), st.integers(1, 3))),
        "padding": draw(st.tuples(st.integers(0, 3), st.integers(0, 3))),
        "dilation": draw(st.tuples(st.integers(1, 2), st.integers(1, 2))),
    }
    if draw(st.integers(0, 5)) == 0:
        options |= {"stride": 1, "padding": "same"}
    size = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    layer = Conv2d(
        numbers(out, per_group, *kernel), draw(st.sampled_from([None, numbers(out)])), groups=groups, **options
    )
    padded = [n + layer.pads[2 * i] + layer.pads[2 * i + 1] for i, n in enumerate(size)]
    assume(all(n >= (k - 1) * d + 1 for n, k, d in zip(padded, kernel, layer.dilation)))
    return layer, (draw(st.integers(1, 3)), groups * per_group, *size)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    problem=problems(),
    layouts=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
    band=st.sampled_from([64, 1 << 18]),
)
def test_every_algorithm_gives_what_the_layer_gives(beside, lowered, problem, layouts, threads, band):
    layer, shape = problem
    x = numbers(*shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1.0)
        patch.setattr("kuiper.fast.kernels.conv.gemm.BAND", band)
        for kernel in candidates_of(lowered(layer, x)):
            beside(layer, x, layouts=layouts, threads=threads, kernel=kernel, rtol=1e-4, atol=2e-5)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    size=st.tuples(st.integers(2, 13), st.integers(2, 13)),
    padding=st.sampled_from([0, 1, 2, (0, 1)]),
    layouts=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 3),
    band=st.sampled_from([1, 1 << 19]),
)
def test_winograd_gives_what_the_layer_gives_at_every_edge(beside, lowered, size, padding, layouts, threads, band):
    layer = Conv2d(numbers(9, 8, 3, 3), numbers(9), padding=padding)
    assume(all(n + 2 * p >= 4 for n, p in zip(size, layer.pads[::2])))
    x = numbers(2, 8, *size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1.0)
        patch.setattr("kuiper.fast.kernels.conv.winograd.BAND", band)
        patch.setattr("kuiper.fast.kernels.conv.winograd.FEW_TILES", 1)
        kernels = [k for k in candidates_of(lowered(layer, x)) if k.name.startswith("Winograd")]
        assert [kernel.name for kernel in kernels] == ["Winograd(m=2)", "Winograd(m=4)"]
        for kernel in kernels:
            beside(layer, x, layouts=layouts, threads=threads, kernel=kernel, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("layer", "names"),
    [
        (Conv2d(numbers(8, 8, 1, 1)), {"Pointwise"}),
        (Conv2d(numbers(8, 8, 1, 1), stride=2), {"Im2col"}),
        (Conv2d(numbers(8, 8, 1, 1), padding=1), {"Im2col"}),
        (Conv2d(numbers(8, 8, 3, 3)), {"Im2col", "Winograd"}),
        (Conv2d(numbers(8, 8, 3, 3), dilation=2), {"Im2col"}),
        (Conv2d(numbers(8, 1, 3, 3), groups=8), {"Depthwise"}),
        (Conv2d(numbers(16, 1, 3, 3), groups=8), {"Grouped"}),
        (Conv2d(numbers(8, 4, 3, 3), groups=2), {"Grouped"}),
    ],
)
def test_the_algorithms_that_fit(lowered, layer, names):
    assert {kernel.name.split("(")[0] for kernel in candidates_of(lowered(layer, numbers(1, 8, 9, 9)))} == names


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (Conv2d(numbers(4, 3, 2, 2), padding=1, padding_mode="reflect"), numbers(1, 3, 5, 5)),
        (Conv2d(numbers(4, 3, 2, 2)), numbers(3, 5, 5)),
        *((Conv2d(np.ones((4, 3, 2, 2), kind)), np.ones((1, 3, 5, 5), kind)) for kind in ("i8", "f8", "f2", "c8")),
    ],
)
def test_what_is_left_to_the_layer(lowered, layer, x):
    assert lowered(layer, x) is None


def test_a_border_mode_without_a_border_is_plain(lowered):
    assert isinstance(lowered(Conv2d(numbers(4, 3, 2, 2), padding_mode="reflect"), numbers(1, 3, 5, 5)), Convolution)


def test_one_axis_is_left_to_the_layer(lowered):
    from kuiper.fast.kernels.base.kernel import LOWERINGS

    assert Conv1d not in LOWERINGS


def test_a_norm_behind_it_changes_weights_and_bias_not_the_layer(lowered, beside):
    layer, x = Conv2d(numbers(9, 5, 3, 3), numbers(9), padding=1), numbers(1, 5, 6, 7)
    weight, bias = layer.weight.copy(), layer.bias.copy()
    kernel = lowered(layer, x)
    factor, shift = numbers(9), numbers(9)
    kernel.fold(factor, shift)
    np.testing.assert_array_equal(layer.weight, weight)
    np.testing.assert_array_equal(layer.bias, bias)
    scaled = Conv2d(weight * factor[:, None, None, None], bias * factor + shift, padding=1)
    for each in candidates_of(kernel):
        beside(scaled, x, kernel=each, rtol=1e-4, atol=1e-4)


def test_keys_tell_problems_apart_and_name_equal_ones_alike(lowered):
    def key(layer, *shape):
        return lowered(layer, numbers(*shape)).problem.key

    weight = numbers(4, 4, 3, 3)
    keys = [
        key(Conv2d(weight, **options), *shape)
        for options, shape in [
            ({}, (1, 4, 9, 9)),
            ({}, (2, 4, 9, 9)),
            ({}, (1, 4, 9, 8)),
            ({"padding": 1}, (1, 4, 9, 9)),
            ({"padding": "same"}, (1, 4, 9, 8)),
            ({"stride": 2}, (1, 4, 9, 9)),
            ({"dilation": 2}, (1, 4, 9, 9)),
        ]
    ]
    assert len(set(keys)) == len(keys)
    assert key(Conv2d(weight), 1, 4, 9, 9) == key(Conv2d(numbers(4, 4, 3, 3)), 1, 4, 9, 9) == keys[0]


def test_operations_are_multiplications_and_additions():
    sizes = {"size": (5, 5), "out_size": (3, 4), "kernel": (3, 2), "stride": (1, 1), "dilation": (1, 1)}
    problem = Problem(2, 6, out_channels=4, pads=Halo(), groups=2, weight=numbers(4, 3, 3, 2), **sizes)
    assert problem.flops == 2 * 2 * 3 * 4 * 4 * 3 * 3 * 2


@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)),
    cut=st.tuples(*[st.integers(0, 1)] * 4),
    order=st.permutations(range(3)),
    spread=st.sampled_from([None, 0, 1, 2]),
)
def test_rows_are_a_matrix_where_their_order_allows_it(shape, cut, order, spread):
    whole = np.arange(np.prod([n + c for n, c in zip(shape, cut)])).reshape([n + c for n, c in zip(shape, cut)])
    pixels = whole[tuple(slice(c, None) for c in cut)].transpose(*order, 3)
    if spread is not None and pixels.shape[spread] == 1:
        pixels = np.broadcast_to(pixels, [4 if i == spread else n for i, n in enumerate(pixels.shape)])
    matrix = rows_as_matrix(pixels)
    if matrix is not None:
        np.testing.assert_array_equal(matrix, pixels.reshape(-1, pixels.shape[-1]))
    elif not any(cut) and list(order) == [0, 1, 2]:
        assert spread is not None
