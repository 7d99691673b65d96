"""RoIAlign and deformable convolution against slow loops that follow their definitions."""

import math
import zipfile

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import InferError, ParameterError, ShapeError
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.detection import DeformConv2d, RoIAlign


def pixel_between(image, y, x):
    """The number at (y, x) of an image (H, W), zeros around it: a weighted mean of the four pixels around the place."""
    total = 0.0
    for row in (math.floor(y), math.floor(y) + 1):
        for col in (math.floor(x), math.floor(x) + 1):
            if 0 <= row < image.shape[0] and 0 <= col < image.shape[1]:
                total += (1 - abs(y - row)) * (1 - abs(x - col)) * image[row, col]
    return total


def roi_align(x, boxes, output_size, scale, ratio, aligned):
    """RoIAlign, one point at a time."""
    height, width = x.shape[2:]
    result = np.zeros((len(boxes), x.shape[1], *output_size))
    for k, c, i, j in np.ndindex(*result.shape):
        x1, y1, x2, y2 = (v * scale - (0.5 if aligned else 0) for v in boxes[k, 1:])
        box_height, box_width = (y2 - y1, x2 - x1) if aligned else (max(y2 - y1, 1), max(x2 - x1, 1))
        cell_height, cell_width = box_height / output_size[0], box_width / output_size[1]
        rows = ratio if ratio > 0 else math.ceil(cell_height)
        cols = ratio if ratio > 0 else math.ceil(cell_width)
        for a in range(rows):
            for b in range(cols):
                y = y1 + i * cell_height + (a + 0.5) * cell_height / rows
                z = x1 + j * cell_width + (b + 0.5) * cell_width / cols
                if -1 <= y <= height and -1 <= z <= width:
                    inside = min(max(y, 0), height - 1), min(max(z, 0), width - 1)
                    result[k, c, i, j] += pixel_between(x[int(boxes[k, 0]), c], *inside) / (rows * cols)
    return result


def deform_conv(x, offset, mask, weight, bias, stride, padding, dilation, groups):
    """Deformable convolution, one product at a time."""
    out_channels, per_group, kh, kw = weight.shape
    parts = offset.shape[1] // (2 * kh * kw)
    result = np.zeros((len(x), out_channels, *offset.shape[2:]))
    for n, o, h, w in np.ndindex(*result.shape):
        result[n, o, h, w] = bias[o]
        for c, i, j in np.ndindex(per_group, kh, kw):
            channel = o // (out_channels // groups) * per_group + c
            tap = channel // (x.shape[1] // parts) * kh * kw + i * kw + j
            y = h * stride[0] - padding[0] + i * dilation[0] + offset[n, 2 * tap, h, w]
            z = w * stride[1] - padding[1] + j * dilation[1] + offset[n, 2 * tap + 1, h, w]
            share = 1 if mask is None else mask[n, tap, h, w]
            result[n, o, h, w] += weight[o, c, i, j] * share * pixel_between(x[n, channel], y, z)
    return result


@given(
    output_size=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    scale=st.sampled_from([1.0, 0.5]),
    ratio=st.sampled_from([-1, 0, 1, 2]),
    aligned=st.booleans(),
    corners=st.lists(st.floats(-6, 14), min_size=4, max_size=4),
)
@example(output_size=(3, 1), scale=1.0, ratio=-1, aligned=False, corners=[0.0, 0.0, 0.0, -2.0])
@settings(max_examples=60, deadline=None)
def test_roi_align_is_the_mean_of_its_points(output_size, scale, ratio, aligned, corners):
    x = np.random.default_rng(0).normal(size=(2, 1, 5, 6))
    x1, x2, y1, y2 = *sorted(corners[:2]), *sorted(corners[2:])
    boxes = np.array([[1, x1, y1, x2, y2], [0, 0, 0, 3, 2]])
    got = RoIAlign(output_size, scale, ratio, aligned).forward(x, boxes)
    np.testing.assert_allclose(got, roi_align(x, boxes, output_size, scale, ratio, aligned), atol=1e-9)


def test_a_box_of_whole_pixels_gives_the_pixels():
    x = np.arange(12.0).reshape(1, 1, 3, 4)
    y = RoIAlign((3, 4), aligned=True).forward(x, np.array([[0.0, 0, 0, 4, 3]]))
    np.testing.assert_allclose(y, x)


def test_boxes_may_come_as_one_array_for_each_image():
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 6)).astype(np.float32)
    first, second = np.float32([[0, 0, 4, 4], [1, 1, 3, 5]]), np.float32([[2, 0, 5, 5]])
    rows = np.float32([[0, 0, 0, 4, 4], [0, 1, 1, 3, 5], [1, 2, 0, 5, 5]])
    layer = RoIAlign(2)
    np.testing.assert_array_equal(layer.forward(x, [first, second]), layer.forward(x, rows), strict=True)


def test_no_boxes_give_no_rows():
    assert RoIAlign(2).forward(np.zeros((1, 3, 4, 4), np.float32), np.zeros((0, 5), np.float32)).shape == (0, 3, 2, 2)


def test_a_box_of_an_image_that_is_not_there_is_refused():
    with pytest.raises(InferError, match="expected images 0 to 0 in column 0"):
        RoIAlign(2).forward(np.zeros((1, 1, 4, 4)), np.array([[1.0, 0, 0, 2, 2]]))


@pytest.mark.parametrize(
    ("x", "boxes", "what"),
    [((1, 4, 4), (1, 5), "input"), ((1, 1, 0, 4), (1, 5), "input"), ((1, 1, 4, 4), (1, 4), "boxes")],
)
def test_shapes_that_roi_align_cannot_read_are_refused(x, boxes, what):
    with pytest.raises(ShapeError, match=what):
        RoIAlign(2).forward(np.zeros(x), np.zeros(boxes))


@pytest.mark.parametrize("size", [0, (1, 2, 3)])
def test_an_impossible_output_size_is_refused(size):
    with pytest.raises(ParameterError, match="output_size"):
        RoIAlign(size)


@given(
    kernel=st.sampled_from([(1, 1), (2, 1), (2, 3)]),
    stride=st.sampled_from([(1, 1), (2, 1)]),
    padding=st.sampled_from([(0, 0), (1, 2)]),
    dilation=st.sampled_from([(1, 1), (1, 2)]),
    groups=st.sampled_from([1, 2]),
    parts=st.sampled_from([1, 2, 4]),
    masked=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_deform_conv_reads_each_tap_where_the_offset_says(kernel, stride, padding, dilation, groups, parts, masked):
    random = np.random.default_rng(0)
    x, taps = random.normal(size=(2, 4, 4, 6)), kernel[0] * kernel[1]
    size = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip((4, 6), kernel, stride, padding, dilation)]
    offset = random.normal(size=(2, 2 * taps * parts, *size)) * 2
    mask = random.uniform(size=(2, taps * parts, *size)) if masked else None
    weight, bias = random.normal(size=(2, 4 // groups, *kernel)), random.normal(size=2)
    got = DeformConv2d(weight, bias, stride, padding, dilation, groups).forward(x, offset, mask)
    expected = deform_conv(x, offset, mask, weight, bias, stride, padding, dilation, groups)
    np.testing.assert_allclose(got, expected, atol=1e-9)


def test_without_offsets_it_is_the_plain_convolution():
    random = np.random.default_rng(0)
    x, weight = random.normal(size=(2, 4, 6, 7)), random.normal(size=(6, 2, 3, 3))
    y = DeformConv2d(weight, stride=2, padding=1, groups=2).forward(x, np.zeros((2, 18, 3, 4)))
    np.testing.assert_allclose(y, Conv2d(weight, stride=2, padding=1, groups=2).forward(x), atol=1e-12)


@pytest.mark.parametrize(
    ("x", "offset", "mask", "message"),
    [
        ((1, 3, 5, 5), (1, 18, 3, 3), None, r"input: expected \(N, 2, H, W\)"),
        ((1, 2, 2, 2), (1, 18, 1, 1), None, "input: expected an image larger than the kernel"),
        ((1, 2, 5, 5), (1, 17, 3, 3), None, r"offset: expected \(1, 18\*D, 3, 3\)"),
        ((1, 2, 5, 5), (1, 54, 3, 3), None, "where D divides the 2 channels"),
        ((1, 2, 5, 5), (1, 18, 3, 3), (1, 8, 3, 3), r"mask: expected \(1, 9, 3, 3\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(x, offset, mask, message):
    layer = DeformConv2d(np.zeros((2, 2, 3, 3)))
    with pytest.raises(ShapeError, match=message):
        layer.forward(np.zeros(x), np.zeros(offset), None if mask is None else np.zeros(mask))


def test_a_weight_of_another_shape_than_the_parameters_say_is_refused():
    with pytest.raises(ParameterError, match=r"weight: expected \(2, 2, 1, 1\)"):
        DeformConv2d(np.zeros((2, 2, 3, 3)), in_channels=2, out_channels=2, kernel_size=[1, 1])


PARAM = """7767517
6 5
pnnx.Input x 0 1 0 #0=(1,2,5,5)f32
pnnx.Input offset 0 1 1 #1=(1,18,5,5)f32
pnnx.Input boxes 0 1 2 #2=(2,5)f32
torchvision.ops.DeformConv2d conv 2 1 0 1 3 bias=True dilation=(1,1) groups=1 in_channels=2 kernel_size=(3,3) \
out_channels=3 padding=(1,1) stride=(1,1) @bias=(3)f32 @weight=(3,2,3,3)f32 #3=(1,3,5,5)f32
torchvision.ops.RoIAlign roi 2 1 3 2 4 aligned=True output_size=(2,2) sampling_ratio=-1 spatial_scale=1.000000e+00 \
#4=(2,3,2,2)f32
pnnx.Output out 1 0 4
"""


def test_a_model_file_with_both_runs(tmp_path):
    random = np.random.default_rng(0)
    weight, bias, x, offset = (
        random.normal(size=s).astype(np.float32) for s in ((3, 2, 3, 3), 3, (1, 2, 5, 5), (1, 18, 5, 5))
    )
    boxes = np.float32([[0, 0, 0, 4, 4], [0, 1, 0.5, 3, 4.5]])
    (tmp_path / "net.pnnx.param").write_text(PARAM)
    with zipfile.ZipFile(tmp_path / "net.pnnx.bin", "w") as archive:
        archive.writestr("conv.weight", weight.tobytes())
        archive.writestr("conv.bias", bias.tobytes())
    (got,) = kuiper.load(tmp_path / "net.pnnx.param")(x, offset, boxes)
    features = deform_conv(x, offset, None, weight, bias, (1, 1), (1, 1), (1, 1), 1)
    np.testing.assert_allclose(got, roi_align(features, boxes, (2, 2), 1.0, -1, True), atol=1e-4)
    assert got.dtype == np.float32
