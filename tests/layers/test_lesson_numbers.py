"""The worked numbers of lesson 6 (and 8): each can be checked with pencil and paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kuiper import tensor
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveMaxPool2d
from kuiper.layers.image.convolution import Conv2d, ConvTranspose2d
from kuiper.layers.image.pooling import AvgPool2d, MaxPool2d
from kuiper.layers.image.windows import col2im, im2col, windows
from kuiper.layers.layer import Layer
from kuiper.layers.linear.linear import Linear
from kuiper.toolbox import Toolbox

IMAGE = np.arange(1.0, 17).reshape(1, 1, 4, 4)
KERNEL = np.array([[1.0, 2, 3], [3, 2, 1], [1, 2, 3]]).reshape(1, 1, 3, 3)
ROWS = """1 2 3 5 6 7 9 10 11
          2 3 4 6 7 8 10 11 12
          5 6 7 9 10 11 13 14 15
          6 7 8 10 11 12 14 15 16"""


def test_max_pool_of_the_lessons_image():
    image = np.array([[[[1.0, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7]]]])
    assert MaxPool2d(kernel_size=2, stride=2).forward(image).tolist() == [[[[3, 5], [5, 7]]]]


def test_im2col_gives_one_row_per_window():
    rows = im2col(windows(IMAGE, (3, 3)))
    assert rows[0].tolist() == [[float(n) for n in line.split()] for line in ROWS.splitlines()]


def test_im2col_puts_the_channels_of_a_window_one_after_the_other():
    two = np.concatenate([IMAGE, 100 + IMAGE], axis=1)
    first = [1, 2, 3, 5, 6, 7, 9, 10, 11]
    assert im2col(windows(two, (3, 3)))[0, 0].tolist() == first + [100 + n for n in first]


def test_col2im_counts_how_many_windows_see_each_pixel():
    rows = np.ones((1, 4, 9))
    counted = [[1, 2, 2, 1], [2, 4, 4, 2], [2, 4, 4, 2], [1, 2, 2, 1]]
    assert col2im(rows, (4, 4), (3, 3), (1, 1), (1, 1))[0, 0].tolist() == counted


def test_the_rows_times_the_kernel_column_are_the_convolution():
    assert (im2col(windows(IMAGE, (3, 3)))[0] @ KERNEL.ravel()).tolist() == [110, 128, 182, 200]


def test_convolution_of_one_channel():
    assert Conv2d(KERNEL).forward(IMAGE)[0, 0].tolist() == [[110, 128], [182, 200]]


def test_convolution_of_two_channels_adds_them():
    twice = Conv2d(np.repeat(KERNEL, 2, axis=1)).forward(np.repeat(IMAGE, 2, axis=1))
    assert twice[0, 0].tolist() == [[220, 256], [364, 400]]


def test_every_output_channel_of_every_group_takes_its_own_bias():
    weight = np.array([1.0, 10, 100, 1000]).reshape(4, 1, 1, 1)
    bias = np.array([0.1, 0.2, 0.3, 0.4])
    x = np.array([2.0, 3.0]).reshape(1, 2, 1, 1)
    y = Conv2d(weight, bias, groups=2).forward(x)
    assert y.ravel().tolist() == [2.1, 20.2, 300.3, 3000.4]


def test_groups_see_only_their_own_input_channels():
    weight = np.array([[1.0, 2], [3, 4]]).reshape(2, 2, 1, 1)
    x = np.array([1.0, 10, 100, 1000]).reshape(1, 4, 1, 1)
    assert Conv2d(weight, groups=2).forward(x).ravel().tolist() == [21, 4300]


def test_dilation_spreads_the_kernel():
    corners = Conv2d(np.ones((1, 1, 2, 2)), dilation=3).forward(IMAGE)
    assert corners.tolist() == [[[[1 + 4 + 13 + 16]]]]


def test_padding_same_puts_the_odd_column_at_the_right():
    row = np.array([[[[1.0, 2, 3]]]])
    assert Conv2d(np.ones((1, 1, 1, 2)), padding="same").forward(row).ravel().tolist() == [3, 5, 3]


@pytest.mark.parametrize(
    ("mode", "padded"),
    [
        ("zeros", [0, 1, 2, 3, 0]),
        ("reflect", [2, 1, 2, 3, 2]),
        ("replicate", [1, 1, 2, 3, 3]),
        ("circular", [3, 1, 2, 3, 1]),
    ],
)
def test_padding_modes_fill_the_border_each_in_its_way(mode, padded):
    row = np.array([[[[1.0, 2, 3]]]])
    assert Conv2d(np.ones((1, 1, 1, 1)), padding=(0, 1), padding_mode=mode).forward(row).ravel().tolist() == padded


def test_transposed_convolution_lays_down_multiples_of_the_kernel():
    kernel = np.array([[[[1.0, 2, 3]]]])
    y = ConvTranspose2d(kernel, stride=(1, 2)).forward(np.array([[[[1.0, 10]]]]))
    assert y.ravel().tolist() == [1, 2, 3 + 10, 20, 30]


def test_average_counts_the_padding_or_not():
    ones = np.ones((1, 1, 2, 2))
    assert AvgPool2d(2, 2, padding=1).forward(ones).ravel().tolist() == [0.25] * 4
    assert AvgPool2d(2, 2, padding=1, count_include_pad=False).forward(ones).ravel().tolist() == [1.0] * 4
    assert AvgPool2d(2, 2, padding=1, divisor_override=8).forward(ones).ravel().tolist() == [0.125] * 4


def test_adaptive_windows_overlap_where_the_sizes_do_not_divide():
    assert AdaptiveAvgPool2d((1, 3)).forward(np.arange(5.0).reshape(1, 1, 1, 5)).ravel().tolist() == [0.5, 2, 3.5]


@pytest.mark.parametrize("keep", [0, None])
def test_adaptive_output_size_0_or_none_keeps_the_inputs(keep):
    assert AdaptiveAvgPool2d((keep, 2)).forward(IMAGE).shape == (1, 1, 4, 2)


def test_the_padding_of_max_pool_never_wins():
    negative = np.full((1, 1, 2, 2), -5.0)
    assert MaxPool2d(2, 1, padding=1).forward(negative).max() == -5


def test_max_pool_passes_nan_on():
    image = np.array([[[[1.0, np.nan], [3, 4]]]])
    values, indices = MaxPool2d(2, return_indices=True).forward(image)
    assert np.isnan(values).all()
    assert np.isnan(MaxPool2d(2).forward(image)).all()
    assert indices.ravel().tolist() == [1]


def test_indices_name_the_first_of_equal_maxima():
    image = np.array([[[[1.0, 7, 7, 0]]]])
    for layer in (MaxPool2d((1, 4), return_indices=True), AdaptiveMaxPool2d(1, return_indices=True)):
        values, indices = layer.forward(image)
        assert (values.item(), indices.item(), indices.dtype) == (7, 1, np.int64)


def test_linear_has_one_row_of_weights_per_output():
    layer = Linear(np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([0.5, 0, 0]))
    assert layer.forward(np.array([[1.0, 1], [0, 1]])).tolist() == [[3.5, 7, 11], [2.5, 4, 6]]


@pytest.mark.parametrize(
    ("layer", "value"),
    [(Conv2d(KERNEL, padding=1), 0), (MaxPool2d(3, padding=1), -np.inf), (AvgPool2d(3, padding=1), 0)],
)
def test_the_padding_that_runs_is_the_toolboxs(layer: Layer, value):
    calls = []

    def padding(x, pads, value):
        calls.append((x.shape, tuple(pads), value))
        return tensor.padding(x, pads, value)

    layer.toolbox = replace(Toolbox(), padding=padding)
    layer.forward(np.repeat(IMAGE, 2, axis=0))
    assert calls == [((2, 4, 4), (1, 1, 1, 1), value)]


@pytest.mark.parametrize(
    "layer",
    [
        Conv2d(np.ones((1, 1, 1, 1))),
        MaxPool2d(1),
        AvgPool2d(1),
        AdaptiveAvgPool2d(0),
        ConvTranspose2d(np.ones((1, 1, 1, 1))),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_a_result_does_not_share_memory_with_the_input(layer: Layer):
    x = IMAGE.copy()
    y = layer.forward(x)
    assert not np.shares_memory(x, y)
    assert y.tolist() == x.tolist()
