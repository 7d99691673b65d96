"""The errors of the layers of lesson 6 name the parameter, what was expected, and what came."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.errors import InferStatus, KuiperError, ParameterError, ParseParameterAttrStatus
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool2d
from kuiper.layers.image.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d
from kuiper.layers.image.pooling import AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d
from kuiper.layers.linear.linear import Linear
from kuiper.layers.normalization.normalization import BatchNorm2d, LayerNorm

W = np.ones((4, 2, 3, 3))
ONE = np.ones(2)
Status = ParseParameterAttrStatus

OPTIONS = [
    (lambda: Conv2d(W, stride=0), "stride", "each >= 1", "0", Status.STRIDE),
    (lambda: Conv2d(W, stride=(1, 2, 3)), "stride", "a pair of integers", "(1, 2, 3)", Status.STRIDE),
    (lambda: Conv2d(W, stride=1.5), "stride", "an integer", "1.5", Status.STRIDE),
    (lambda: Conv2d(W, stride=True), "stride", "an integer", "True", Status.STRIDE),
    (lambda: Conv2d(W, stride=()), "stride", "an integer", "()", Status.STRIDE),
    (lambda: Conv2d(W, dilation=(1, 0)), "dilation", "each >= 1", "(1, 0)", Status.DILATION),
    (lambda: Conv2d(W, padding=-1), "padding", "each >= 0", "-1", Status.PADDING),
    (lambda: Conv2d(W, padding="full"), "padding", "an integer", "'full'", Status.PADDING),
    (lambda: Conv2d(W, padding="same", stride=2), "padding", "stride is (2, 2)", "'same'", Status.PADDING),
    (lambda: Conv2d(W, padding_mode="mirror"), "padding_mode", "reflect", "'mirror'", Status.PADDING_MODE),
    (lambda: Conv2d(W, groups=3), "groups", "a positive divisor", "3", Status.GROUPS),
    (lambda: Conv2d(W, groups=0), "groups", "a positive divisor", "0", Status.GROUPS),
    (lambda: Conv2d(W, groups=2, in_channels=3), "groups", "(3, 4)", "2", Status.GROUPS),
    (lambda: Conv2d(W, in_channels=3), "in_channels", "2", "3; weight (4, 2, 3, 3)", Status.IN_CHANNELS),
    (lambda: Conv2d(W, out_channels=3), "out_channels", "4", "3; weight (4, 2, 3, 3)", Status.OUT_CHANNELS),
    (lambda: Conv2d(W, kernel_size=(3, 2)), "kernel_size", "(3, 3)", "(3, 2); weight", Status.KERNEL),
    (lambda: Conv2d(W[0]), "weight", "4 axes", "(2, 3, 3)", Status.ATTR_WEIGHT),
    (lambda: Conv2d(W[:0]), "weight", "none empty", "(0, 2, 3, 3)", Status.ATTR_WEIGHT),
    (lambda: Conv2d(W, np.ones(2)), "bias", "shape (4,)", "(2,)", Status.ATTR_BIAS),
    (lambda: ConvTranspose2d(W, np.ones(4)), "bias", "shape (2,)", "(4,)", Status.ATTR_BIAS),
    (lambda: ConvTranspose2d(W, stride=2, output_padding=2), "output_padding", "less than stride", "2", Status.PADDING),
    (lambda: ConvTranspose2d(W, output_padding=-1), "output_padding", "each >= 0", "-1", Status.PADDING),
    (lambda: ConvTranspose2d(W, groups=3), "groups", "a positive divisor", "3", Status.GROUPS),
    (lambda: Conv1d(W), "weight", "3 axes", "(4, 2, 3, 3)", Status.ATTR_WEIGHT),
    (lambda: Conv1d(W[0], stride=(1, 1)), "stride", "an integer, each >= 1", "(1, 1)", Status.STRIDE),
    (lambda: Conv3d(W[None], dilation=(1, 1)), "dilation", "an integer or 3 integers", "(1, 1)", Status.DILATION),
    (lambda: AvgPool3d((2, 2)), "kernel_size", "an integer or 3 integers", "(2, 2)", Status.KERNEL),
    (lambda: AdaptiveAvgPool3d((2, 2)), "output_size", "(depth, rows, cols)", "(2, 2)", Status.OUT_HW),
    (lambda: MaxPool2d(0), "kernel_size", "each >= 1", "0", Status.KERNEL),
    (lambda: MaxPool2d("2"), "kernel_size", "an integer", "'2'", Status.KERNEL),
    (lambda: MaxPool2d(2, 0), "stride", "each >= 1", "0", Status.STRIDE),
    (lambda: MaxPool2d(3, padding=2), "padding", "at most half of kernel_size (3, 3)", "2", Status.PADDING),
    (lambda: AvgPool2d((4, 2), padding=(2, 2)), "padding", "at most half", "(2, 2)", Status.PADDING),
    (lambda: AvgPool2d(2, divisor_override=0), "divisor_override", "other than 0", "0", Status.OTHER),
    (lambda: AdaptiveAvgPool2d(-1), "output_size", "each >= 0", "-1", Status.OUT_HW),
    (lambda: AdaptiveAvgPool2d((2,)), "output_size", "(rows, cols)", "(2,)", Status.OUT_HW),
    (lambda: AdaptiveMaxPool2d(1.5), "output_size", "an integer", "1.5", Status.OUT_HW),
    (lambda: Linear(W), "weight", "(out_features, in_features)", "(4, 2, 3, 3)", Status.ATTR_WEIGHT),
    (lambda: Linear(W[0, 0], in_features=4), "in_features", "3", "4; weight (3, 3)", Status.OUT_FEATURES),
    (lambda: Linear(W[0, 0], out_features=4), "out_features", "3", "4; weight (3, 3)", Status.OUT_FEATURES),
    (lambda: BatchNorm2d(ONE, np.ones(3)), "running_var", "shape (2,)", "(3,)", Status.ATTR_RUNNING_VAR),
    (lambda: BatchNorm2d(None, ONE), "running_mean", "one number per channel", "none", Status.ATTR_RUNNING_MEAN),
    (lambda: BatchNorm2d(ONE, ONE, num_features=3), "running_mean", "shape (3,)", "(2,)", Status.ATTR_RUNNING_MEAN),
    (lambda: BatchNorm2d(ONE, ONE, affine=True), "weight", "one number per channel", "none", Status.ATTR_WEIGHT),
    (lambda: LayerNorm((2, 3), ONE), "weight", "shape (2, 3)", "(2,)", Status.ATTR_WEIGHT),
    (lambda: LayerNorm(2, ONE, np.ones(1)), "bias", "shape (2,)", "(1,)", Status.ATTR_BIAS),
    (lambda: LayerNorm(2, elementwise_affine=True), "weight", "shape (2,)", "none", Status.ATTR_WEIGHT),
    (lambda: LayerNorm(()), "normalized_shape", "at least one size", "()", Status.SHAPE),
]


@pytest.mark.parametrize(("make", "parameter", "expected", "found", "status"), OPTIONS)
def test_an_unusable_option_is_named_with_what_was_expected_and_found(make, parameter, expected, found, status):
    with pytest.raises(ParameterError) as caught:
        make()
    error = caught.value
    assert (error.parameter, error.status) == (parameter, status)
    assert expected in error.expected
    assert found in error.found


IMAGE = np.ones((1, 2, 5, 5))
INPUTS = [
    (Conv2d(W), np.ones((1, 3, 5, 5)), "Conv2d input: expected 2 channels.*found 3", InferStatus.CHANNEL),
    (Conv2d(W), np.ones((5, 5)), r"Conv2d input: expected \(N, C, H, W\).*found \(5, 5\)", InferStatus.DIMENSION),
    (Conv2d(W), np.ones((0, 2, 5, 5)), "Conv2d input: expected no empty axis", InferStatus.INPUT_EMPTY),
    (Conv2d(W, padding=3), np.ones((1, 2, 0, 5)), "expected no empty axis", InferStatus.INPUT_EMPTY),
    (Conv2d(W), np.ones((1, 2, 5, 2)), r"expected at least \(3, 3\).*found \(5, 2\)", InferStatus.OUTPUT_SIZE),
    (Conv2d(W, dilation=3), IMAGE, r"expected at least \(7, 7\).*found \(5, 5\)", InferStatus.OUTPUT_SIZE),
    (Conv2d(W), IMAGE.astype("f4"), "expected float32 like the input, found float64", InferStatus.DTYPE),
    (Conv2d(W), IMAGE > 0, "expected float or integer .* found bool", InferStatus.DTYPE),
    (Conv2d(W, padding=5, padding_mode="reflect"), IMAGE, "expected at most 4 .*found 5", InferStatus.SHAPE),
    (Conv2d(W, padding=6, padding_mode="circular"), IMAGE, "expected at most 5 .*found 6", InferStatus.SHAPE),
    (ConvTranspose2d(W), IMAGE, "ConvTranspose2d input: expected 4 channels.*found 2", InferStatus.CHANNEL),
    (ConvTranspose2d(W[:2], padding=4), IMAGE, r"output: expected .*found \(-1, -1\)", InferStatus.OUTPUT_SIZE),
    (
        Conv1d(W[0]),
        IMAGE,
        r"Conv1d input: expected \(N, C, L\) or \(C, L\), found \(1, 2, 5, 5\)",
        InferStatus.DIMENSION,
    ),
    (Conv3d(W[None]), IMAGE[None], "Conv3d input: expected 4 channels.*found 1", InferStatus.CHANNEL),
    (
        ConvTranspose1d(W[0], padding=3),
        np.ones((2, 2)),
        r"output: .*at least \(1,\), found \(-2,\)",
        InferStatus.OUTPUT_SIZE,
    ),
    (MaxPool1d(6), IMAGE[0], r"MaxPool1d input .*kernel_size=\(6,\).*found \(5,\)", InferStatus.OUTPUT_SIZE),
    (MaxPool2d(6), IMAGE, r"MaxPool2d input .*kernel_size=\(6, 6\).*found \(5, 5\)", InferStatus.OUTPUT_SIZE),
    (MaxPool2d(2), np.ones((5, 5)), "MaxPool2d input: expected", InferStatus.DIMENSION),
    (MaxPool2d(2), IMAGE[:0], "MaxPool2d input: expected no empty axis", InferStatus.INPUT_EMPTY),
    (MaxPool2d(2), IMAGE > 0, "MaxPool2d input: expected float or integer .*found bool", InferStatus.DTYPE),
    (AvgPool2d(6), IMAGE, r"AvgPool2d input .*kernel_size=\(6, 6\).*found \(5, 5\)", InferStatus.OUTPUT_SIZE),
    (AvgPool2d(2), IMAGE.astype("i4"), "AvgPool2d input: expected float elements, found int32", InferStatus.DTYPE),
    (AdaptiveAvgPool2d(2), np.ones(5), "AdaptiveAvgPool2d input: expected", InferStatus.DIMENSION),
    (AdaptiveAvgPool2d(2), IMAGE.astype("i8"), "expected float elements, found int64", InferStatus.DTYPE),
    (AdaptiveMaxPool2d(2), IMAGE[:, :, :0], "AdaptiveMaxPool2d input: expected no empty", InferStatus.INPUT_EMPTY),
    (Linear(W[0, 0]), np.ones((2, 4)), r"Linear input: expected in_features = 3 .*found \(2, 4\)", InferStatus.SHAPE),
    (Linear(W[0, 0], ONE), np.ones((2, 3)), r"Linear bias: expected \(3,\), found \(2,\)", InferStatus.SHAPE),
    (BatchNorm2d(ONE, ONE), np.ones((1, 3, 2, 2)), "expected num_features = 2 channels", InferStatus.CHANNEL),
    (BatchNorm2d(ONE, ONE), np.ones((2, 2)), r"expected 4 axes, found \(2, 2\)", InferStatus.DIMENSION),
    (LayerNorm(2), np.ones((2, 3)), r"expected last axes \(2,\).*found \(2, 3\)", InferStatus.SHAPE),
]


@pytest.mark.parametrize(("layer", "x", "message", "status"), INPUTS)
def test_an_input_that_does_not_fit_is_named_with_what_was_expected_and_found(layer, x, message, status):
    with pytest.raises(KuiperError, match=message) as caught:
        layer.forward(x)
    assert caught.value.status == status
