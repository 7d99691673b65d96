"""What goes wrong in the cells of lesson 12 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

MASK_OF: Mistakes = {
    "axis 0 has the pictures, (N, K, H, W): which axis has the K classes?": lambda logits: logits.argmax(axis=0),
    "the last axis has the columns, (N, K, H, W): which axis has the K classes?": lambda logits: logits.argmax(axis=-1),
    "axis 2 has the rows, (N, K, H, W): which axis has the K classes?": lambda logits: logits.argmax(axis=2),
    "without an axis argmax counts through all numbers: name the axis of the classes": lambda logits: logits.argmax(),
    "these are the largest logits themselves: argmax says which class has them": lambda logits: logits.max(axis=1),
    "these are the smallest: the class with the largest logit is found": lambda logits: logits.argmin(axis=1),
    "the axis of the classes is still there, with one place: leave keepdims away": (
        lambda logits: logits.argmax(axis=1, keepdims=True)
    ),
    "this compares two classes, and there may be more: argmax along the axis of the classes": (
        lambda logits: logits[:, 1] > logits[:, 0]
    ),
    "only the first picture is there: leave the axis of the pictures, and take argmax along that of the classes": (
        lambda logits: logits[0].argmax(axis=0)
    ),
    "classes count from 0, as argmax does": lambda logits: logits.argmax(axis=1) + 1,
    "a logit above 0 says nothing by itself: the class with the largest wins, so argmax along their axis": (
        lambda logits: logits > 0
    ),
}


def _by_rows_and_columns(a: np.ndarray, b: np.ndarray) -> float:
    """`iou` of one picture, by loops."""
    both = either = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] and b[i, j]:
                both += 1
            if a[i, j] or b[i, j]:
                either += 1
    return both / either


IOU: Mistakes = {
    "divided by the pixels of a: which pixels of the union are missing there?": lambda a, b: (a & b).sum() / a.sum(),
    "divided by the pixels of b: which pixels of the union are missing there?": lambda a, b: (a & b).sum() / b.sum(),
    "a.sum() + b.sum() counts the pixels in both twice: in the union each counts once": (
        lambda a, b: (a & b).sum() / (a.sum() + b.sum())
    ),
    "that is Dice, which comes later: nothing is doubled here, and each pixel of the union counts once": (
        lambda a, b: 2 * (a & b).sum() / (a.sum() + b.sum())
    ),
    "divided by the number of all pixels: do those in neither mask belong to the union?": lambda a, b: (a & b).mean(),
    "== is True, too, where neither has the pixel, and .mean() divides by all pixels: count those in both masks": (
        lambda a, b: (a == b).mean()
    ),
    "== is True, too, where neither has the pixel: which operator asks for both?": lambda a, b: (
        (a == b).sum() / (a | b).sum()
    ),
    "upside down: the pixels in both are divided by those in either": lambda a, b: (a | b).sum() / (a & b).sum(),
    "each pixel was divided by itself: count first, (a & b).sum()": lambda a, b: (a & b) / (a | b),
    "divided by the larger of the two masks: which pixels of the smaller are missing there?": (
        lambda a, b: (a & b).sum() / max(a.sum(), b.sum())
    ),
    "divided by the smaller of the two masks: which pixels of the larger are missing there?": (
        lambda a, b: (a & b).sum() / min(a.sum(), b.sum())
    ),
    "len and .size count what is False, too: .sum() counts what is True": lambda a, b: (a & b).size / (a | b).size,
    "// rounds down to a whole number: /": lambda a, b: (a & b).sum() // (a | b).sum(),
    "a ^ b has the pixels of one mask alone: which pixels of the union are missing there?": lambda a, b: (
        (a & b).sum() / (a ^ b).sum()
    ),
    "an array has no count(): .sum() counts what is True": lambda a, b: (a & b).count() / (a | b).count(),
    "the answer was rounded: give it as it is": lambda a, b: round((a & b).sum() / (a | b).sum(), 2),
    "`and` and `or` ask about the whole array: & and | go pixel by pixel": (
        lambda a, b: (a and b).sum() / (a or b).sum()
    ),
    "/ comes before & and |: count each in brackets, (a & b).sum()": lambda a, b: a & b / a | b,
    "the pixels were added up along axis 0 alone, by sum(axis=0) or Python's sum: .sum() counts all of them": (
        lambda a, b: (a & b).sum(axis=0) / (a | b).sum(axis=0)
    ),
    "two axes were added up, and masks of several pictures have three: .sum() without axes counts all pixels": (
        lambda a, b: (a & b).sum(axis=(0, 1)) / (a | b).sum(axis=(0, 1))
    ),
    "the loops over rows and columns are for one picture: & and | take masks of any shape": _by_rows_and_columns,
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


def _in_place(
    pixels: np.ndarray,
    kernel: np.ndarray,
    stride: int,
    room: Callable[[int, int, int], int] = lambda n, k, s: (n - 1) * s + k,
    apart: Callable[[int, int], int] = lambda k, s: s,
    end: Callable[[int, int, int], int] = lambda i, k, s: i * s + k,
    kind: Any = float,
) -> np.ndarray:
    """`stamp_line` with a mistake, whose += may fail.

    room : number of pixels, the kernel's length and stride -> length of the result; apart : the kernel's length and
    stride -> how far apart stamps begin; end : place in the line, the kernel's length and how far apart -> where the
    stamp's place ends; kind : of the result's numbers.
    """
    result = np.zeros(room(len(pixels), len(kernel), stride), kind)
    step = apart(len(kernel), stride)
    for i, pixel in enumerate(pixels):
        result[i * step : end(i, len(kernel), step)] += pixel * kernel
    return result


def _by_pixel(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` that takes the pixels for their places."""
    result = np.zeros((len(pixels) - 1) * stride + len(kernel))
    for i in pixels:
        result[i * stride : i * stride + len(kernel)] += i * kernel
    return result


def _all_pixels(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` whose stamps are multiplied by all pixels."""
    result = np.zeros((len(pixels) - 1) * stride + len(kernel))
    for i in range(len(pixels)):
        result[i * stride : i * stride + len(kernel)] += pixels * kernel
    return result


def _in_one_place(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` that puts a whole stamp into one place."""
    result = np.zeros((len(pixels) - 1) * stride + len(kernel))
    for i in range(len(pixels)):
        result[i * stride] += pixels[i] * kernel
    return result


def _stretched(pixels: np.ndarray, kernel: np.ndarray, stride: int, room: int) -> np.ndarray:
    """`stamp_line` whose stamps lie one apart, and the numbers of each lie `stride` apart."""
    result = np.zeros(room)
    for i in range(len(pixels)):
        for j in range(len(kernel)):
            result[i + j * stride] += pixels[i] * kernel[j]
    return result


def _apart(pixels: np.ndarray, stride: int) -> np.ndarray:
    """The pixels, `stride` apart, with zeros between them."""
    wide = np.zeros((len(pixels) - 1) * stride + 1)
    wide[::stride] = pixels
    return wide


def _largest(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` that keeps the larger number where stamps overlap."""
    result = np.zeros((len(pixels) - 1) * stride + len(kernel))
    for i, pixel in enumerate(pixels):
        place = slice(i * stride, i * stride + len(kernel))
        result[place] = np.maximum(result[place], pixel * kernel)
    return result


def _plus(pixels: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """`stamp_line` that adds the pixel to the kernel."""
    result = np.zeros((len(pixels) - 1) * stride + len(kernel))
    for i, pixel in enumerate(pixels):
        result[i * stride : i * stride + len(kernel)] += pixel + kernel
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
    "no room for the last stamp, which begins at (len(pixels) - 1) * stride and is as long as the kernel": partial(
        _in_place, room=lambda n, k, s: n * s
    ),
    "after the beginning of the last stamp, (len(pixels) - 1) * stride, there is no room for its numbers": partial(
        _in_place, room=lambda n, k, s: (n - 1) * s
    ),
    "the result is as long as the pixels, and needs room for their stamps: where does the last one end?": partial(
        _in_place, room=lambda n, k, s: n
    ),
    "np.zeros_like(pixels) is as long as the pixels, and of their type: np.zeros(...), with room for the last stamp": (
        lambda pixels, kernel, stride: _in_place(pixels, kernel, stride, room=lambda n, k, s: n, kind=pixels.dtype)
    ),
    "the result is one place too short: count the places of the last stamp": partial(
        _in_place, room=lambda n, k, s: (n - 1) * s + k - 1
    ),
    "the length knows no stride: the last stamp begins at (len(pixels) - 1) * stride": partial(
        _in_place, room=lambda n, k, s: n + k - 1
    ),
    "len(pixels) * len(kernel) is for stamps side by side: the last one begins at (len(pixels) - 1) * stride": (
        partial(_in_place, room=lambda n, k, s: n * k)
    ),
    "the kernel's length counts once, for the last stamp: (len(pixels) - 1) * stride + len(kernel)": partial(
        _in_place, room=lambda n, k, s: (n - 1) * (s + k)
    ),
    "the stamps are len(kernel) apart: stamp i begins at i * stride": partial(_in_place, apart=lambda k, s: k),
    "the place of stamp i begins at i * stride, and so ends at i * stride + len(kernel)": partial(
        _in_place, end=lambda i, k, s: i + k
    ),
    "a stamp is as long as the kernel: its place ends len(kernel) behind its beginning, not one stride": partial(
        _in_place, end=lambda i, k, s: (i + 1) * s
    ),
    "a stamp is as long as the kernel, and kernels are not always 3 long: len(kernel)": partial(
        _in_place, end=lambda i, k, s: i * s + 3
    ),
    "a slice ends BEFORE its second number: how many places has yours, and how many does a stamp need?": partial(
        _in_place, end=lambda i, k, s: i * s + k - 1
    ),
    "a stamp's place is one too long: a slice ends BEFORE its second number": partial(
        _in_place, end=lambda i, k, s: i * s + k + 1
    ),
    "a slice without an end reaches to the end of the line: where does the stamp end?": partial(
        _in_place, end=lambda i, k, s: 10**6
    ),
    "result[i * stride] is one place, and a stamp needs as many as the kernel has": _in_one_place,
    "after the beginning of the last stamp there is room for one number: how many has a stamp?": partial(
        _in_place, room=lambda n, k, s: (n - 1) * s + 1
    ),
    "the result has room for a last stamp of 3 numbers, and kernels are not always 3 long": partial(
        _in_place, room=lambda n, k, s: (n - 1) * s + 3
    ),
    "the stamps stand one behind the other: stamp i begins at i * stride, and may lie upon the one before": (
        lambda pixels, kernel, stride: np.concatenate([pixel * kernel for pixel in pixels])
    ),
    "stride lies between two stamps, and not between the numbers of one: what does it multiply, i or j?": (
        lambda pixels, kernel, stride: _stretched(pixels, kernel, stride, (len(pixels) - 1) * stride + len(kernel))
    ),
    "stride lies between two stamps, and not between the numbers of one: where does stamp i begin?": (
        lambda pixels, kernel, stride: _stretched(pixels, kernel, stride, len(pixels) + (len(kernel) - 1) * stride)
    ),
    'np.convolve(mode="same") cuts the ends off: the result has room for the whole first and last stamp': (
        lambda pixels, kernel, stride: np.convolve(_apart(pixels, stride), kernel, mode="same")
    ),
    'np.convolve(mode="valid") keeps only what lies under a whole kernel: all stamps are wanted whole': (
        lambda pixels, kernel, stride: np.convolve(_apart(pixels, stride), kernel, mode="valid")
    ),
    "zeros lie between the pixels, but one too many: pixel i belongs at i * stride": (
        lambda pixels, kernel, stride: np.convolve(_apart(pixels, stride + 1), kernel)
    ),
    "each pixel is repeated, which is upsampling: where is the kernel?": (
        lambda pixels, kernel, stride: np.repeat(pixels, stride)
    ),
    "where stamps overlap the larger number stays: they add up": _largest,
    "the result has the type of the pixels, and the kernel may have fractions: np.zeros(...) without a type": (
        lambda pixels, kernel, stride: _in_place(pixels, kernel, stride, kind=pixels.dtype)
    ),
    "the result has the type of the kernel, and pixels may have fractions: np.zeros(...) without a type": (
        lambda pixels, kernel, stride: _in_place(pixels, kernel, stride, kind=kernel.dtype)
    ),
    "the result holds whole numbers only, and there may be fractions: np.zeros(...) without int": partial(
        _in_place, kind=int
    ),
    "`for i in pixels` gives the pixels: `for i, pixel in enumerate(pixels)` gives their places, too": _by_pixel,
    "one pixel makes one stamp: pixels[i] * kernel, and not all of them": _all_pixels,
    "the result is a whole stride too long: the last stamp begins at (len(pixels) - 1) * stride": partial(
        _stamped, room=lambda n, k, s: n * s + k
    ),
    "the result is too long: (len(pixels) - 1) * stride + len(kernel) places are enough": partial(
        _stamped, room=lambda n, k, s: n * s + k - 1
    ),
    "a stamp is the kernel TIMES the pixel": partial(_stamped, times=False),
    "a stamp is the kernel TIMES the pixel, and not plus": _plus,
    "the last pixel has not stamped": partial(_stamped, last=1),
    "only the first pixel has stamped: is `return` inside the loop?": (
        lambda pixels, kernel, stride: _stamped(pixels, kernel, stride, last=len(pixels) - 1)
    ),
}

ROWS_OF: Mistakes = {
    "the padding makes the result larger, as in a convolution: what does it do here?": lambda h, k, s, p=0: (
        (h - 1) * s + k + 2 * p
    ),
    "that is the size after a convolution; here stamps lie stride apart in the RESULT: where does the last one end?": (
        lambda h, k, s, p=0: (h + 2 * p - k) // s + 1
    ),
    "the last of `height` stamps begins at (height - 1) * stride, not at height * stride": (
        lambda h, k, s, p=0: h * s + k - 2 * p
    ),
    "height * stride is right only where the kernel is as long as the stride: where does the last stamp end?": (
        lambda h, k, s, p=0: h * s - 2 * p
    ),
    "height * stride is right only where the kernel is as long as the stride, and nothing is cut off": (
        lambda h, k, s, p=0: h * s
    ),
    "the last stamp has more than one row: how many?": lambda h, k, s, p=0: (h - 1) * s + 1 - 2 * p,
    "padding is cut off as it is, whatever the kernel: how many rows at both ends?": (
        lambda h, k, s, p=0: (h - 1) * s + k - p * (k // 2)
    ),
    "padding is cut off as it is, and not multiplied by itself: how many rows at both ends?": (
        lambda h, k, s, p=0: (h - 1) * s + k - 2 * p**2
    ),
    "padding may be more than 1: how many rows are cut off at both ends?": (
        lambda h, k, s, p=0: (h - 1) * s + k - (2 if p else 0)
    ),
    "padding is a number of rows, and not of kernels: how many rows are cut off at both ends?": (
        lambda h, k, s, p=0: (h - 1) * s + k - 2 * p * k
    ),
    "padding is cut off at BOTH ends: how many rows is that?": lambda h, k, s, p=0: (h - 1) * s + k - p,
    "nothing is cut off: where is the padding?": lambda h, k, s, p=0: (h - 1) * s + k,
    "the last stamp is as long as the kernel: plus kernel_size": lambda h, k, s, p=0: (h - 1) * s - 2 * p,
    "the last stamp is as long as the kernel: kernel_size, and not one less": (
        lambda h, k, s, p=0: (h - 1) * s + k - 1 - 2 * p
    ),
    "the last stamp is as long as the kernel: kernel_size, and not one more": (
        lambda h, k, s, p=0: (h - 1) * s + k + 1 - 2 * p
    ),
    "* comes before -: the brackets of (height - 1) * stride are missing": lambda h, k, s, p=0: h - 1 * s + k - 2 * p,
    "kernel_size and stride are exchanged: the stamps lie stride apart": lambda h, k, s, p=0: (h - 1) * k + s - 2 * p,
    "the stamps lie one row apart, and should lie stride apart: where does the last one begin?": (
        lambda h, k, s, p=0: h + k - 1 - 2 * p
    ),
    "the stamps lie stride apart, and not side by side: where does the last one begin?": (
        lambda h, k, s, p=0: h * k - 2 * p
    ),
    "kernel_size counts once, for the last stamp: each of those before it adds only the stride": (
        lambda h, k, s, p=0: (h - 1) * (s + k) - 2 * p
    ),
    "padding is cut off the result, not off the pixels: when is it cut, before the stamps or after them?": (
        lambda h, k, s, p=0: (h - 2 * p - 1) * s + k
    ),
    "padding is cut off the result, and not off the pixels: does the stride multiply it?": (
        lambda h, k, s, p=0: (h - p - 1) * s + k
    ),
    "padding is cut off the result once, and not off the stride of each stamp": (
        lambda h, k, s, p=0: (h - 1) * (s - 2 * p) + k
    ),
}

SKIP: Mistakes = {
    "beside's channels come first: [beside, below]": lambda beside, below: np.concatenate([below, beside], axis=1),
    "the last axis has the columns, (N, C, H, W): which axis has the channels?": (
        lambda beside, below: np.concatenate([beside, below], axis=-1)
    ),
    "without an axis numpy joins along axis 0, the pictures: which axis has the channels?": (
        lambda beside, below: np.concatenate([beside, below])
    ),
    "axis 2 has the rows, (N, C, H, W): which axis has the channels?": (
        lambda beside, below: np.concatenate([beside, below], axis=2)
    ),
    "np.concatenate takes ONE list of arrays, in brackets, and then the axis of the channels": (
        lambda beside, below: np.concatenate(beside, below)
    ),
    "np.concatenate takes ONE list of arrays, in brackets, before the axis": (
        lambda beside, below: np.concatenate(beside, below, axis=1)
    ),
    "np.stack makes a new axis: np.concatenate joins along one that is there": (
        lambda beside, below: np.stack([beside, below], axis=1)
    ),
    "np.stack makes a new axis in front: np.concatenate joins along one that is there": (
        lambda beside, below: np.stack([beside, below])
    ),
    "without an axis np.append makes one line of both: np.concatenate joins along an axis": np.append,
    "only the first picture is there: leave its axis, and join along that of the channels": (
        lambda beside, below: np.concatenate([beside[0], below[0]])
    ),
    "only the first picture is there: np.concatenate along the axis of the channels joins those of all pictures": (
        lambda beside, below: np.concatenate([beside[0], below[0]])[None]
    ),
    "these are still two arrays: np.concatenate makes one": (lambda beside, below: [beside, below]),
    "this adds, as ResNet does: U-Net puts channel beside channel": lambda beside, below: beside + below,
}
