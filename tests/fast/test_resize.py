"""Resizing kernels give what the layers give, for every mode, factor and layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kuiper.errors import ShapeError
from kuiper.fast.kernels.move import resize
from kuiper.fast.kernels.move.resize import AxisWeights, Resize
from kuiper.graph import Operand, Operator
from kuiper.layers import registry
from kuiper.layers.image.resize import (
    Upsample,
    UpsamplingBilinear2d,
)

LAYOUT = st.sampled_from(["nchw", "nhwc", "halo", "wide", "wide nchw"])
MODES = ["nearest", "nearest-exact", "bilinear", "bicubic", "area"]
FACTOR = st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0, 0.7, 2.3])


@st.composite
def images(draw):
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 9), st.integers(1, 9)))
    return draw(arrays.arrays(np.float32, shape, elements=st.floats(-8, 8, width=16)))


@st.composite
def options(draw):
    mode = draw(st.sampled_from(MODES))
    smooth = mode in ("bilinear", "bicubic")
    found = {"mode": mode, "align_corners": draw(st.booleans()) if smooth else None}
    found["antialias"] = smooth and draw(st.booleans())
    if draw(st.booleans()):
        return found | {"size": draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))}
    return found | {"scale_factor": draw(st.tuples(FACTOR, FACTOR)), "recompute_scale_factor": draw(st.booleans())}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    x=images(),
    options=options(),
    ways=st.tuples(LAYOUT, LAYOUT),
    threads=st.integers(1, 2),
    limit=st.sampled_from([1, 40, 10**6]),
)
def test_images_of_every_size_by_every_mode(beside, x, options, ways, threads, limit):
    layer = Upsample(**options)
    try:
        layer.forward(x)
    except ShapeError:
        assume(False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resize, "CACHED", limit)
        patch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", 0)
        beside(layer, x, layouts=ways, threads=threads, atol=1e-5)


@pytest.mark.parametrize("layer", [UpsamplingBilinear2d(scale_factor=2), UpsamplingBilinear2d(size=(5, 17))])
def test_corners_may_be_aligned(beside, layer):
    beside(layer, np.random.default_rng(0).standard_normal((2, 3, 7, 8)).astype(np.float32))


@pytest.mark.parametrize("scale_factor", [2.0, 3.0, 1.5])
def test_choosing_the_nearest_leaves_infinities_and_nan_where_they_are(beside, scale_factor):
    x = np.arange(2 * 36, dtype=np.float32).reshape(1, 2, 6, 6)
    x[0, 0, 2, 3], x[0, 1, 0, 0], x[0, 1, 5, 5] = np.nan, np.inf, -np.inf
    beside(Upsample(scale_factor=scale_factor), x, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("aten::_upsample_nearest_exact2d", ([9, 4], None, None)),
        ("aten::_upsample_nearest_exact2d", (None, [1.5, 2.0])),
        ("aten::_upsample_bilinear2d_aa", ([3, 4], False, None, None)),
        ("aten::_upsample_bicubic2d_aa", ([9, 4], True, 1.5, 0.5)),
    ],
)
def test_the_options_may_be_inputs(beside, kind, options):
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32)
    inputs = [Operand(str(slot)) for slot in range(1 + len(options))]
    beside(registry.create(Operator(kind, "resize", inputs, [Operand("y")])), x, *options, atol=1e-5)


@pytest.mark.parametrize("factor", [2, 3, 5])
def test_whole_factors_are_one_copy(lowered, factor):
    kernel = lowered(Upsample(scale_factor=factor), np.zeros((1, 2, 4, 5), np.float32))
    assert isinstance(kernel, Resize)
    assert kernel.copies
    (run,) = kernel.rows.whole
    assert run.weights.shape == (4, factor, 1)


@pytest.mark.parametrize("align_corners", [False, True])
def test_interpolation_between_elements_is_few_products(align_corners):
    layer = Upsample(scale_factor=2, mode="bilinear", align_corners=align_corners)
    axis, _ = layer.axes(np.zeros((1, 1, 64, 64), np.float32))
    assert len(AxisWeights(axis.inputs, layer.table(axis)).whole) <= 3


@given(inputs=st.integers(1, 12), outputs=st.integers(1, 20), mode=st.sampled_from(MODES), data=st.data())
def test_runs_are_the_matrix_of_weights_in_parts(inputs, outputs, mode, data):
    layer = Upsample(size=(outputs, outputs), mode=mode)
    axis, _ = layer.axes(np.zeros((1, 1, inputs, inputs), np.float32))
    table = AxisWeights(inputs, layer.table(axis))
    start = data.draw(st.integers(0, outputs - 1))
    stop = data.draw(st.integers(start + 1, outputs))
    matrix = np.zeros((stop - start, inputs), np.float32)
    for run in table.runs(start, stop):
        for i, weights in enumerate(run.weights):
            m, k = weights.shape
            top, left = run.start + i * m, run.left + i * run.step
            matrix[top : top + m, left : left + k] += weights
    np.testing.assert_array_equal(matrix, table.matrix[start:stop])


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (Upsample(scale_factor=2), np.zeros((1, 2, 5), np.float32)),
        (Upsample(scale_factor=2), np.zeros((1, 2, 3, 5, 2), np.float32)),
        (Upsample(scale_factor=2), np.zeros((1, 2, 3, 5), np.float64)),
        (Upsample(scale_factor=2), np.zeros((1, 2, 3, 5), np.uint8)),
    ],
)
def test_other_types_and_ranks_are_left_to_the_layer(lowered, layer, x):
    assert lowered(layer, x) is None


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_interpolation_is_pytorchs(beside, mode):
    torch = pytest.importorskip("torch", reason="compares with torch, which is not installed")
    x = np.random.default_rng(0).standard_normal((2, 5, 9, 7)).astype(np.float32)
    layer = Upsample(scale_factor=2, mode=mode)
    kernel = beside(layer, x, atol=1e-5)
    assert isinstance(kernel, Resize)
    theirs = torch.nn.functional.interpolate(torch.from_numpy(x), scale_factor=2, mode=mode).numpy()
    np.testing.assert_allclose(layer.forward(x), theirs, rtol=1e-4, atol=1e-5)
