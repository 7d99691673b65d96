"""What goes wrong in the cells of lesson 12 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

MASK_OF: Mistakes = {
    "axis 0 has the pictures, (N, K, H, W): the classes lie along axis 1": lambda logits: logits.argmax(axis=0),
    "the last axis has the columns, (N, K, H, W): the classes lie along axis 1": lambda logits: logits.argmax(axis=-1),
    "axis 2 has the rows, (N, K, H, W): the classes lie along axis 1": lambda logits: logits.argmax(axis=2),
    "without an axis argmax counts through all numbers: the classes lie along axis 1": lambda logits: logits.argmax(),
    "these are the largest logits themselves: argmax says which class has them": lambda logits: logits.max(axis=1),
    "these are the smallest: the class with the largest logit is found": lambda logits: logits.argmin(axis=1),
    "the axis of the classes is still there, with one place: leave keepdims away": (
        lambda logits: logits.argmax(axis=1, keepdims=True)
    ),
    "this compares two classes, and there may be more: argmax along axis 1": (
        lambda logits: logits[:, 1] > logits[:, 0]
    ),
}

IOU: Mistakes = {
    "divided by the pixels of a: it is those of either, a | b": lambda a, b: (a & b).sum() / a.sum(),
    "divided by the pixels of b: it is those of either, a | b": lambda a, b: (a & b).sum() / b.sum(),
    "a.sum() + b.sum() counts the pixels in both twice: a | b has each once": (
        lambda a, b: (a & b).sum() / (a.sum() + b.sum())
    ),
    "that is Dice: divide the pixels in both by those in either, a | b": (
        lambda a, b: 2 * (a & b).sum() / (a.sum() + b.sum())
    ),
    "divided by the number of all pixels: it is those of either, a | b": lambda a, b: (a & b).mean(),
    "== also counts the pixels that are in neither mask: in both is a & b": lambda a, b: (a == b).mean(),
    "in both is a & b: == is True, too, where neither has the pixel": lambda a, b: (a == b).sum() / (a | b).sum(),
    "upside down: the pixels in both are divided by those in either": lambda a, b: (a | b).sum() / (a & b).sum(),
    "each pixel was divided by itself: count first, (a & b).sum()": lambda a, b: (a & b) / (a | b),
    "`and` and `or` ask about the whole array: & and | go pixel by pixel": (
        lambda a, b: (a and b).sum() / (a or b).sum()
    ),
}


def _stamped(
    pixels: np.ndarray,
    kernel: np.ndarray,
    stride: int,
    room: Callable[[int, int, int], int] = lambda n, k, s: (n - 1) * s + k,
    apart: int | None = None,
    added: bool = True,
    times: bool = True,
    last: int = 0,
) -> np.ndarray:
    """`stamp_line` with a mistake.

    room : number of pixels, the kernel's length and stride -> length of the result; apart : of two stamps, if not
    stride; added : to what is there, or instead of it; times : whether the kernel is multiplied by the pixel;
    last : how many of the last pixels are forgotten.
    """
    result = np.zeros(room(len(pixels), len(kernel), stride))
    for i, pixel in enumerate(pixels[: len(pixels) - last]):
        place = slice(i * (apart or stride), i * (apart or stride) + len(kernel))
        stamp = pixel * kernel if times else kernel
        result[place] = result[place] + stamp if added else stamp
    return result


def _too_short(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` with room for len(pixels) * stride numbers, whose last stamp does not fit."""
    result = np.zeros(len(pixels) * stride)
    for i, pixel in enumerate(pixels):
        result[i * stride : i * stride + len(kernel)] += pixel * kernel
    return result


STAMP_LINE: Mistakes = {
    "a stamp wipes out what lies below it: where stamps overlap they add up, +=": partial(_stamped, added=False),
    "the stamps are one place apart: stamp i begins at i * stride": partial(_stamped, apart=1),
    "np.convolve, and a loop with stamps one place apart, know no stride: stamp i begins at i * stride": (
        lambda pixels, kernel, stride: np.convolve(pixels, kernel)
    ),
    "the kernel comes out backwards: stamp it as it is": (
        lambda pixels, kernel, stride: _stamped(pixels, kernel[::-1], stride)
    ),
    "there is no room for the last stamp: it begins at (len(pixels) - 1) * stride, and is as long as the kernel": (
        _too_short
    ),
    "the result is a whole stride too long: the last stamp begins at (len(pixels) - 1) * stride": partial(
        _stamped, room=lambda n, k, s: n * s + k
    ),
    "the result is too long: (len(pixels) - 1) * stride + len(kernel) places are enough": partial(
        _stamped, room=lambda n, k, s: n * s + k - 1
    ),
    "a stamp is the kernel TIMES the pixel": partial(_stamped, times=False),
    "the last pixel has not stamped": partial(_stamped, last=1),
}

ROWS_OF: Mistakes = {
    "padding cuts here: minus 2 * padding": lambda h, k, s, p=0: (h - 1) * s + k + 2 * p,
    "that is the size after a convolution; here stamps lie stride apart in the RESULT: (height - 1) * stride + ...": (
        lambda h, k, s, p=0: (h + 2 * p - k) // s + 1
    ),
    "the last of `height` stamps begins at (height - 1) * stride, not at height * stride": (
        lambda h, k, s, p=0: h * s + k - 2 * p
    ),
    "height * stride is right only where the kernel is as long as the stride: (height - 1) * stride + kernel_size": (
        lambda h, k, s, p=0: h * s - 2 * p
    ),
    "padding is cut off at BOTH ends: 2 * padding": lambda h, k, s, p=0: (h - 1) * s + k - p,
    "nothing is cut off: minus 2 * padding": lambda h, k, s, p=0: (h - 1) * s + k,
    "the last stamp is as long as the kernel: plus kernel_size": lambda h, k, s, p=0: (h - 1) * s - 2 * p,
    "the last stamp is as long as the kernel: kernel_size, and not one less": (
        lambda h, k, s, p=0: (h - 1) * s + k - 1 - 2 * p
    ),
}

SKIP: Mistakes = {
    "beside's channels come first: [beside, below]": lambda beside, below: np.concatenate([below, beside], axis=1),
    "the last axis has the columns, (N, C, H, W): channels are joined along axis 1": (
        lambda beside, below: np.concatenate([beside, below], axis=-1)
    ),
    "without axis=1 numpy joins along axis 0, the pictures: channels are joined along axis 1": (
        lambda beside, below: np.concatenate([beside, below])
    ),
    "axis 2 has the rows, (N, C, H, W): channels are joined along axis 1": (
        lambda beside, below: np.concatenate([beside, below], axis=2)
    ),
    "np.concatenate takes ONE list of arrays: np.concatenate([beside, below], axis=1)": (
        lambda beside, below: np.concatenate(beside, below)
    ),
    "np.concatenate takes ONE list of arrays, in brackets: np.concatenate([beside, below], axis=1)": (
        lambda beside, below: np.concatenate(beside, below, axis=1)
    ),
    "np.stack makes a new axis: np.concatenate joins along one that is there": (
        lambda beside, below: np.stack([beside, below], axis=1)
    ),
    "this adds, as ResNet does: U-Net puts channel beside channel": lambda beside, below: beside + below,
}
