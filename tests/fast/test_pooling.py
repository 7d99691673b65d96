"""Pooling kernels give what the layers give, for every option and layout, NaN and infinities included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kuiper.errors import ShapeError
from kuiper.fast.kernels.base.calls import image_tiles
from kuiper.fast.kernels.pooling import windows
from kuiper.fast.kernels.pooling.adaptive import Boxes, ImageMean, MeanOf
from kuiper.fast.kernels.pooling.windows import PoolKernel
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveMaxPool2d
from kuiper.layers.image.pooling import AvgPool2d, MaxPool2d
from kuiper.layers.reduction.reduction import Mean

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
WAYS = st.tuples(LAYOUT, LAYOUT)
LANES = st.integers(1, 2)
PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))
ORDINARY = st.floats(-8, 8, width=16)
SPECIAL = ORDINARY | st.sampled_from([np.nan, np.inf, -np.inf])


@st.composite
def images(draw, numbers=ORDINARY):
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 9), st.integers(1, 9)))
    return draw(arrays.arrays(np.float32, shape, elements=numbers))


@st.composite
def options(draw):
    kernel = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    padding = tuple(draw(st.integers(0, k // 2)) for k in kernel)
    stride = draw(st.none() | PAIR)
    return {"kernel_size": kernel, "stride": stride, "padding": padding, "ceil_mode": draw(st.booleans())}


def fits(layer, x) -> None:
    try:
        layer.forward(x)
    except ShapeError:
        assume(False)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    x=images(SPECIAL), options=options(), dilation=PAIR, ways=WAYS, threads=LANES, limit=st.sampled_from([1, 40, 10**6])
)
def test_the_largest_of_each_window(beside, x, options, dilation, ways, threads, limit):
    layer = MaxPool2d(**options, dilation=dilation)
    fits(layer, x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "CACHED", limit)
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)
        beside(layer, x, layouts=ways, threads=threads, rtol=0, atol=0)


@settings(max_examples=100, deadline=None)
@given(
    x=images(),
    options=options(),
    count_include_pad=st.booleans(),
    divisor=st.none() | st.sampled_from([1, 7, -2]),
    ways=WAYS,
    threads=LANES,
    limit=st.sampled_from([1, 40, 10**6]),
)
def test_the_mean_of_each_window(beside, x, options, count_include_pad, divisor, ways, threads, limit):
    layer = AvgPool2d(**options, count_include_pad=count_include_pad, divisor_override=divisor)
    fits(layer, x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "CACHED", limit)
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)
        beside(layer, x, layouts=ways, threads=threads)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_the_mean_of_a_window_with_an_infinity_or_nan_is_one(beside, special):
    x = np.ones((1, 2, 6, 6), np.float32)
    x[0, 1, 2, 3] = special
    for layer in (AvgPool2d(2), AdaptiveAvgPool2d(1), AdaptiveAvgPool2d(4), Mean([2, 3])):
        beside(layer, x)


@settings(max_examples=80, deadline=None)
@given(
    x=images(),
    size=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    kind=st.sampled_from([AdaptiveAvgPool2d, AdaptiveMaxPool2d]),
    ways=WAYS,
    threads=LANES,
)
def test_windows_that_are_not_alike(beside, x, size, kind, ways, threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)
        beside(kind(size), x, layouts=ways, threads=threads)


@pytest.mark.parametrize(("size", "kernel"), [(1, ImageMean), (3, PoolKernel), (4, Boxes)])
def test_adaptive_pools_by_size(lowered, size, kernel):
    assert isinstance(lowered(AdaptiveAvgPool2d(size), np.zeros((1, 2, 6, 9), np.float32)), kernel)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(x=images(), dims=st.lists(st.integers(-4, 3), unique_by=lambda n: n % 4), keepdim=st.booleans(), threads=LANES)
def test_means_over_any_axes(beside, x, dims, keepdim, threads):
    layouts = ("nhwc", "nchw")
    kernel = beside(Mean(dims or None, keepdim), x, layouts=layouts, threads=threads)
    assert isinstance(kernel, ImageMean if {n % 4 for n in dims} == {2, 3} else MeanOf)


@pytest.mark.parametrize("dims", [(2, 3), (-1, -2)])
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_mean_of_a_large_image_is_exact_enough(beside, dims, keepdim, threads, layouts):
    x = np.random.default_rng(0).random((1, 3, 700, 800), np.float32) + 1
    kernel = beside(Mean(dims, keepdim), x, layouts=("nhwc", "nchw"), threads=threads, rtol=1e-6)
    assert isinstance(kernel, ImageMean)


IMAGE = np.zeros((1, 2, 6, 6), np.float32)


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (MaxPool2d(2, return_indices=True), IMAGE),
        (MaxPool2d(2), IMAGE[0]),
        (MaxPool2d(2), IMAGE.astype(np.float64)),
        (MaxPool2d(2), IMAGE.astype(np.int64)),
        (AvgPool2d(2), IMAGE[0]),
        (AvgPool2d(2), IMAGE.astype(np.float16)),
        (AdaptiveAvgPool2d(1), IMAGE[0]),
        (AdaptiveMaxPool2d(1, return_indices=True), IMAGE),
        (Mean([1]), IMAGE.astype(np.float64)),
        (Mean(dtype="torch.double"), IMAGE),
    ],
)
def test_other_types_ranks_and_options_are_left_to_the_layer(lowered, layer, x):
    assert lowered(layer, x) is None


@given(sizes=st.tuples(st.integers(1, 5), st.integers(1, 6)), limit=st.integers(0, 20), data=st.data())
def test_tiles_hold_every_row_once_and_in_order(sizes, limit, data):
    images, count = sizes
    start = data.draw(st.integers(0, images * count))
    stop = data.draw(st.integers(start, images * count))
    rows = []
    for part, first, last in image_tiles(start, stop, count, limit):
        assert (last - first) * (part.stop - part.start) <= max(limit, 1)
        rows += [image * count + row for image in range(part.start, part.stop) for row in range(first, last)]
    assert rows == list(range(start, stop))


@pytest.mark.parametrize(
    "options", [{"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2, "ceil_mode": True}]
)
def test_pools_are_pytorchs(beside, options):
    torch = pytest.importorskip("torch", reason="compares with torch, which is not installed")
    x = np.random.default_rng(0).standard_normal((2, 5, 9, 7)).astype(np.float32)
    for kind, function in ((MaxPool2d, torch.max_pool2d), (AvgPool2d, torch.nn.functional.avg_pool2d)):
        kernel = beside(kind(**options), x)
        assert isinstance(kernel, PoolKernel)
        theirs = function(torch.from_numpy(x), **options).numpy()
        np.testing.assert_allclose(kind(**options).forward(x), theirs, rtol=1e-5, atol=1e-6)
