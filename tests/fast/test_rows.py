"""Rows that broadcast, repeated: the same results as broadcasting."""

import itertools

import numpy as np
import pytest

from kuiper.fast.kernels.base import rows
from kuiper.fast.kernels.base.rows import LongRow, lengthened, repeats_for
from kuiper.layers.elementwise.activation import PReLU
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.layers.normalization.normalization import BatchNorm2d

RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.normal(size=shape).astype(np.float32)


@pytest.fixture
def short(monkeypatch):
    """Rows are long from 8 elements on, so that small arrays show what happens to large ones."""
    monkeypatch.setattr(rows, "LONG", 8)


@pytest.mark.parametrize("pixels", [1, 2, 3, 4, 7, 12, 13])
@pytest.mark.parametrize("channels", [1, 3, 8, 20])
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.usefixtures("short")
def test_a_row_is_added_to_every_pixel(pixels, channels, in_place):
    x, row = numbers(1, pixels, channels), numbers(channels)
    expected = x + row
    out = x if in_place else np.zeros_like(x)
    calls = LongRow(row).calls(np.add, x, out)
    for call in calls:
        call()
    np.testing.assert_array_equal(out, expected)
    assert len(calls) <= 2


@pytest.mark.usefixtures("short")
def test_a_slice_of_a_wider_array_gets_its_row_too():
    whole, row = np.zeros((6, 9), np.float32), numbers(4)
    for call in LongRow(row).calls(np.add, whole[:, 2:6], whole[:, 2:6]):
        call()
    np.testing.assert_array_equal(whole[:, 2:6], np.tile(row, (6, 1)))
    assert not whole[:, :2].any()
    assert not whole[:, 6:].any()


def test_repeated_rows_are_shared_by_tiles_of_one_size():
    row, x = LongRow(numbers(16)), numbers(2, 1000, 16)
    first, second = (row.calls(np.add, tile, tile)[0].args[1] for tile in x)
    assert first is second
    assert first.size >= rows.LONG


@pytest.mark.parametrize(("pixels", "channels"), list(itertools.product([1, 5, 64, 997, 3136], [1, 3, 64, 6000])))
def test_repeats_make_a_row_long_where_there_are_pixels_enough(pixels, channels):
    repeats = repeats_for(pixels, channels)
    assert 1 <= repeats <= pixels
    assert repeats == pixels or repeats * channels >= rows.LONG


LAYERS = [
    (ExpressionLayer("mul(@0,@1)"), [(2, 3, 1, 1)]),
    (ExpressionLayer("sub(@1,mul(@0,2))"), [(3, 1, 1)]),
    (ExpressionLayer("add(mul(@0,tanh(@1)),@2)"), [(2, 3, 1, 1), (1, 1, 1, 1)]),
    (ExpressionLayer("mul(@0,@1)"), [(2, 1, "H", "W")]),
    (ExpressionLayer("mul(@0,@1)"), [("W",)]),
    (BatchNorm2d(numbers(3), abs(numbers(3)), numbers(3), numbers(3)), []),
    (PReLU(numbers(3)), []),
]


@pytest.mark.slow
@pytest.mark.parametrize(("layer", "shapes"), LAYERS)
@pytest.mark.parametrize("ways", list(itertools.product(["nchw", "nhwc", "halo", "wide", "wide nchw"], repeat=2)))
@pytest.mark.parametrize(("height", "width", "threads"), [(7, 5, 2), (1, 37, 1)])
@pytest.mark.usefixtures("short")
def test_kernels_with_long_rows_compute_what_the_layers_do(beside, layer, shapes, ways, height, width, threads):
    sizes = {"H": height, "W": width}
    others = [numbers(*(sizes.get(extent, extent) for extent in shape)) for shape in shapes]
    beside(layer, numbers(2, 3, height, width), *others, layouts=ways, threads=threads)


@pytest.mark.usefixtures("short")
def test_rows_of_weights_are_repeated_once_and_those_of_inputs_at_every_run():
    x, weight, gate = numbers(37, 3), numbers(3), numbers(3)
    arrays = [x, np.broadcast_to(weight, x.shape), np.broadcast_to(gate, x.shape)]
    regions, calls = lengthened(arrays, [False, True, False], lambda shape: np.zeros(shape, np.float32))
    assert len(calls) == 1
    calls[0]()
    for index, array in enumerate(arrays):
        pieces = np.concatenate([np.ravel(region[index]) for region in regions])
        np.testing.assert_array_equal(pieces, array.ravel())
    assert np.shares_memory(regions[0][0], x)
    assert len(regions) == 2


def test_arrays_without_rows_stay_as_they_are():
    x, column = numbers(200, 300), np.broadcast_to(numbers(200, 1), (200, 300))
    for arrays in ([x, x], [x, column], [x[:, :50], np.broadcast_to(numbers(50), (200, 50))]):
        regions, calls = lengthened(arrays, [False, False], np.zeros)
        assert not calls
        assert [each is array for each, array in zip(regions[0], arrays)] == [True, True]
