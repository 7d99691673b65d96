"""Lessons 8, 9 and 12: layers of classifiers and U-Nets, and steps on pictures, boxes and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.gallery.pipeline import Replacements
from classroom.gallery.plugs.plug import Plug, as_step, of_types, same_type
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d
from kuiper.layers.image.convolution import ConvTranspose2d
from kuiper.layers.image.windows import as_batch, like_input

POOLINGS = ("nn.AdaptiveAvgPool2d", "F.adaptive_avg_pool2d")


def adaptive_pooling(replacements: Replacements, exercise: str, adaptive_avg_pool: Callable[..., Any]) -> Replacements:
    """nn.AdaptiveAvgPool2d and F.adaptive_avg_pool2d on batches of images."""
    adaptive_avg_pool = replacements.counted(exercise, adaptive_avg_pool)

    class MyAdaptiveAvgPool2d(AdaptiveAvgPool2d):
        def forward(self, x: np.ndarray) -> np.ndarray:
            if x.ndim not in (3, 4) or x.dtype not in (np.float32, np.float64):
                return super().forward(x)
            size = tuple(own or given for own, given in zip(self.output_size, x.shape[-2:]))
            y = adaptive_avg_pool(as_batch("AdaptiveAvgPool2d", x), size)
            return like_input(same_type(exercise, y, x), x)

    for operator_type in POOLINGS:
        replacements.registry.override(operator_type, MyAdaptiveAvgPool2d)
    return replacements


def transposed_convolutions(
    replacements: Replacements, exercise: str, transposed_convolution: Callable[..., Any]
) -> Replacements:
    """nn.ConvTranspose2d without groups, dilation or output padding."""
    transposed_convolution = replacements.counted(exercise, transposed_convolution)

    class MyConvTranspose2d(ConvTranspose2d):
        def forward(self, x: np.ndarray) -> np.ndarray:
            plain = self.groups == 1 and self.dilation == (1, 1) and self.output_padding == (0, 0)
            if not plain or x.dtype != self.weight.dtype:
                return super().forward(x)
            batch = as_batch("ConvTranspose2d", x, self.in_channels)
            y = transposed_convolution(batch, self.weight, self.bias, self.stride, self.padding)
            return like_input(same_type(exercise, y, x), x)

    replacements.registry.override("nn.ConvTranspose2d", MyConvTranspose2d)
    return replacements


PLUGS = (
    Plug("adaptive_avg_pool", "adaptive_avg_pool", "nn.AdaptiveAvgPool2d", adaptive_pooling, of_types(*POOLINGS)),
    Plug("classifier_head", "classifier_head", "features -> probabilities", as_step),
    Plug("preprocess", "preprocess", "a picture -> the input", as_step),
    Plug("letterbox", "letterbox", "a picture -> the canvas", as_step),
    Plug("decode", "decode", "the three heads -> boxes", as_step),
    Plug("non_maximum_suppression", "non_maximum_suppression", "which boxes stay", as_step),
    Plug("restore", "restore", "boxes -> in the picture", as_step),
    Plug(
        "transposed_convolution",
        "transposed_convolution",
        "nn.ConvTranspose2d",
        transposed_convolutions,
        of_types("nn.ConvTranspose2d"),
    ),
    Plug("mean_iou", "mean_iou", "how good a mask is", as_step),
)
