"""What goes wrong in the cells of lesson 12 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]


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
    "a and b are True and False, which numpy does not subtract: count first, .sum(), and subtract counts; or take |": (
        lambda a, b: (a & b).sum() / (a + b - (a & b)).sum()
    ),
    "/ comes before & and |: count each in brackets, (a & b).sum()": lambda a, b: a & b / a | b,
    "the pixels were added up along axis 0 alone, by sum(axis=0) or Python's sum: .sum() counts all of them": (
        lambda a, b: (a & b).sum(axis=0) / (a | b).sum(axis=0)
    ),
    "two axes were added up, and masks of several pictures have three: .sum() without axes counts all pixels": (
        lambda a, b: (a & b).sum(axis=(0, 1)) / (a | b).sum(axis=(0, 1))
    ),
    "that is the mean of the IoUs of single rows or pictures: count over all pixels, and divide once": (
        lambda a, b: np.mean([(one & other).sum() / (one | other).sum() for one, other in zip(a, b, strict=True)])
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
    kind: Any = float,
) -> np.ndarray:
    """`stamp_line` with a mistake.

    room : number of pixels, the kernel's length and stride -> length of the result; apart : of two stamps, if not
    stride; added : to what is there, or instead of it; times : whether the kernel is multiplied by the pixel;
    last : how many of the last pixels are forgotten; kind : of the result's numbers, to which all are cut.
    """
    result = np.zeros(room(len(pixels), len(kernel), stride), kind)
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
    "fractions are cut off where the result has the type of the pixels: np.zeros(...) without a type": (
        lambda pixels, kernel, stride: _stamped(pixels, kernel, stride, kind=pixels.dtype)
    ),
    "fractions are cut off where the result has the type of the kernel: np.zeros(...) without a type": (
        lambda pixels, kernel, stride: _stamped(pixels, kernel, stride, kind=kernel.dtype)
    ),
    "the result holds whole numbers only, so fractions are cut off: np.zeros(...) without int": partial(
        _stamped, kind=int
    ),
    "range with a step of stride leaves pixels out: every pixel stamps, and the stride is between their stamps": (
        lambda pixels, kernel, stride: _stamped(np.where(np.arange(len(pixels)) % stride, 0, pixels), kernel, stride)
    ),
    "only the first `stride` numbers of the kernel are stamped: a stamp has all of them, and may reach into the next": (
        lambda pixels, kernel, stride: _stamped(pixels, kernel * (np.arange(len(kernel)) < stride), stride)
    ),
    "a slice ends at a place of the line, and not at a length: where does stamp i end?": partial(
        _in_place, end=lambda i, k, s: k
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


def _gathered(
    place: int,
    pixels: np.ndarray,
    kernel: np.ndarray,
    stride: int,
    index: Callable[[int, int, int], int] = lambda place, i, stride: place - i * stride,
    inside: Callable[[int, int], bool] = lambda index, length: 0 <= index < length,
    last: int = 0,
    whole: bool = False,
) -> Any:
    """`number_at` with a mistake.

    index : place, pixel and stride -> which number of the kernel; inside : whether there is one; last : how many of
    the last pixels are forgotten; whole : whether the sum is a whole number.
    """
    total: Any = 0
    for i, pixel in enumerate(pixels[: len(pixels) - last]):
        k = index(place, i, stride)
        if inside(k, len(kernel)):
            total += pixel * kernel[k]
    return int(total) if whole else total


def _first_found(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that returns the product of the first pixel whose stamp lies there."""
    for i, pixel in enumerate(pixels):
        if 0 <= place - i * stride < len(kernel):
            return pixel * kernel[place - i * stride]
    return 0


def _last_found(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that keeps the product of the last pixel whose stamp lies there."""
    total = 0
    for i, pixel in enumerate(pixels):
        if 0 <= place - i * stride < len(kernel):
            total = pixel * kernel[place - i * stride]
    return total


def _without_pixel(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that adds up the kernel's numbers alone."""
    return _gathered(place, np.ones_like(pixels), kernel, stride)


def _counted(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> int:
    """`number_at` that counts the stamps."""
    return int(_gathered(place, np.ones_like(pixels), np.ones_like(kernel), stride))


def _first_index(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> int:
    """`number_at` that returns the first index of the kernel that it finds."""
    return next((place - i * stride for i in range(len(pixels)) if 0 <= place - i * stride < len(kernel)), 0)


def _until_none(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that ends at the first pixel whose stamp does not lie there."""
    total: Any = 0
    for i, pixel in enumerate(pixels):
        if not 0 <= place - i * stride < len(kernel):
            break
        total += pixel * kernel[place - i * stride]
    return total


def _at_the_place(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that reads the kernel's number at the place of the result."""
    total: Any = 0
    for i, pixel in enumerate(pixels):
        if 0 <= place - i * stride < len(kernel):
            total += pixel * kernel[place]
    return total


def _pixels_for_places(place: int, pixels: np.ndarray, kernel: np.ndarray, stride: int) -> Any:
    """`number_at` that takes the pixels for their places."""
    total: Any = 0
    for i in pixels:
        if 0 <= place - i * stride < len(kernel):
            total += i * kernel[place - i * stride]
    return total


NUMBER_AT: Mistakes = {
    "an index below 0 counts from the end of the kernel: skip pixels whose stamp begins behind the place": partial(
        _gathered, inside=lambda k, n: k < n
    ),
    "some stamps end before the place, and their index is not in the kernel: how large may place - i * stride be?": (
        partial(_gathered, inside=lambda k, n: k >= 0)
    ),
    "each pixel is asked for a number, also where its stamp does not lie at the place: is the index in the kernel?": (
        partial(_gathered, inside=lambda k, n: True)
    ),
    "index len(kernel) is one too many: the kernel's indices end at len(kernel) - 1": partial(
        _gathered, inside=lambda k, n: 0 <= k <= n
    ),
    "index 0 is left out: it is the kernel's first number": partial(_gathered, inside=lambda k, n: 0 < k < n),
    "the kernel's last number is left out: its index is len(kernel) - 1": partial(
        _gathered, inside=lambda k, n: 0 <= k < n - 1
    ),
    "kernels are not always 3 long: len(kernel)": partial(_gathered, inside=lambda k, n: 0 <= k < 3),
    "the stamps are one place apart here: where does stamp i begin?": partial(
        _gathered, index=lambda place, i, stride: place - i
    ),
    "stamp i begins at i * stride, so place lies place - i * stride behind its beginning": partial(
        _gathered, index=lambda place, i, stride: place + i * stride
    ),
    "upside down: place - i * stride, and not i * stride - place": partial(
        _gathered, index=lambda place, i, stride: i * stride - place
    ),
    "abs makes an index of one below 0: skip pixels whose stamp begins behind the place": partial(
        _gathered, index=lambda place, i, stride: abs(place - i * stride)
    ),
    "int(...) drops fractions: give the sum as it is": partial(_gathered, whole=True),
    "the stride multiplies i alone: place - i * stride has no brackets": partial(
        _gathered, index=lambda place, i, stride: (place - i) * stride
    ),
    "the place is one of the result, and not of the pixels: it is not multiplied by the stride": partial(
        _gathered, index=lambda place, i, stride: place * stride - i
    ),
    "stride says how far apart stamps begin: it multiplies i, and is not taken off once": partial(
        _gathered, index=lambda place, i, stride: place - i - stride
    ),
    "the index is rounded down to one that another place has: place - i * stride, without //": partial(
        _gathered, index=lambda place, i, stride: place // stride - i
    ),
    "the kernel is read backwards: index place - i * stride, as it is": (
        lambda place, pixels, kernel, stride: _gathered(place, pixels, kernel[::-1], stride)
    ),
    "the last pixel is not asked": partial(_gathered, last=1),
    "only the first pixel is asked: is `return` inside the loop?": (
        lambda place, pixels, kernel, stride: _gathered(place, pixels[:1], kernel, stride)
    ),
    "break ends the loop at the first pixel without a stamp there, and others may have one: continue": _until_none,
    "a stamp is as long as the kernel, and not as the stride: which indices has the kernel?": (
        lambda place, pixels, kernel, stride: _gathered(
            place, pixels, kernel, stride, inside=lambda k, n: 0 <= k < min(n, stride)
        )
    ),
    "the kernel is read at the place of the result: which of its numbers does pixel i have there?": _at_the_place,
    "that is an index of the kernel: pixel times the kernel's number there, added up": _first_index,
    "several stamps may lie there: add up all of them. Is `return` in the loop?": _first_found,
    "several stamps may lie there: the last one replaces the others, where += adds up": _last_found,
    "these are the kernel's numbers alone: each times its pixel": _without_pixel,
    "that is how many stamps lie there: add up their numbers, pixel times kernel": _counted,
    "`for i in pixels` gives the pixels: `for i, pixel in enumerate(pixels)` gives their places, too": (
        _pixels_for_places
    ),
    "the whole line is in the answer: which of its numbers was asked for?": (
        lambda place, pixels, kernel, stride: _stamped(pixels, kernel, stride)
    ),
    "np.convolve knows no stride: which pixels have a stamp at the place?": (
        lambda place, pixels, kernel, stride: np.convolve(pixels, kernel)[place]
    ),
}


def _bordered(
    run: Callable[[np.ndarray], np.ndarray],
    x: np.ndarray,
    multiple: int,
    missing: Callable[[int, int], int] = lambda size, multiple: -size % multiple,
    before: Callable[[int], int] = lambda n: 0,
    after: Callable[[int], int] = lambda n: n,
    cut: Callable[[np.ndarray, int, int], np.ndarray] = lambda y, height, width: y[:, :, :height, :width],
    swapped: bool = False,
    **options: Any,
) -> np.ndarray:
    """`any_size` with a mistake.

    missing : size and multiple -> rows to add; before, after : of them, how many above and below; cut : the result,
    height and width -> what is left of it; swapped : rows and columns are; options : of np.pad.
    """
    height, width = x.shape[2:]
    below, right = missing(height, multiple), missing(width, multiple)
    if swapped:
        below, right = right, below
    border = [(0, 0), (0, 0), (before(below), after(below)), (before(right), after(right))]
    return cut(run(np.pad(x, border, **(options or {"mode": "edge"}))), height, width)


def _one_way(run: Callable[[np.ndarray], np.ndarray], x: np.ndarray, multiple: int, axis: int) -> np.ndarray:
    """`any_size` with a border along one axis alone."""
    border = [(0, -x.shape[each] % multiple if each == axis else 0) for each in range(4)]
    return run(np.pad(x, border, mode="edge"))[:, :, : x.shape[2], : x.shape[3]]


def _in_the_middle(run: Callable[[np.ndarray], np.ndarray], x: np.ndarray, multiple: int) -> np.ndarray:
    """`any_size` with half of the border at each end, and the cut that goes with it."""
    height, width = x.shape[2:]
    below, right = -height % multiple, -width % multiple
    border = [(0, 0), (0, 0), (below // 2, below - below // 2), (right // 2, right - right // 2)]
    y = run(np.pad(x, border, mode="edge"))
    return y[:, :, below // 2 : below // 2 + height, right // 2 : right // 2 + width]


def _cut_off(run: Callable[[np.ndarray], np.ndarray], x: np.ndarray, multiple: int) -> np.ndarray:
    """`any_size` that makes the picture smaller."""
    height, width = (size // multiple * multiple for size in x.shape[2:])
    return run(x[:, :, :height, :width])


def _as_in_the_example(run: Callable[[np.ndarray], np.ndarray], x: np.ndarray, multiple: int) -> np.ndarray:
    """`any_size` with the border of the text's example."""
    return run(np.pad(x, [(0, 0), (0, 0), (0, 12), (0, 3)], mode="edge"))[:, :, : x.shape[2], : x.shape[3]]


ANY_SIZE: Mistakes = {
    'run saw no border, or one of zeros: pad first, with mode="edge", then run, then cut': partial(
        _bordered, mode="constant"
    ),
    'the border mirrors the picture: mode="edge" repeats the last row and column': partial(_bordered, mode="reflect"),
    'the border mirrors the picture, the last row and column first: mode="edge" repeats those two alone': partial(
        _bordered, mode="symmetric"
    ),
    "12 rows and 3 columns are the example of the text: how many are missing here?": _as_in_the_example,
    "the border is still on: the last two axes of the result have more places than those of x": partial(
        _bordered, cut=lambda y, height, width: y
    ),
    "the wrong end is cut off: the border is below and at the right, so the FIRST rows and columns stay": partial(
        _bordered, cut=lambda y, height, width: y[:, :, -height:, -width:]
    ),
    "a slice that ends at -0 is empty: where nothing is missing, nothing may be cut. Cut to :height and :width": (
        partial(_bordered, cut=lambda y, height, width: y[:, :, : height - y.shape[2], : width - y.shape[3]])
    ),
    "the border is above and at the left, and belongs below and at the right: (0, missing)": partial(
        _bordered, before=lambda n: n, after=lambda n: 0
    ),
    "the border is on all sides, and belongs below and at the right alone: (0, missing)": partial(
        _bordered, before=lambda n: n
    ),
    "the border is above and at the left, as is what was cut off, and belongs below and at the right": partial(
        _bordered, before=lambda n: n, after=lambda n: 0, cut=lambda y, height, width: y[:, :, -height:, -width:]
    ),
    "half of the border is above and at the left: all of it belongs below and at the right": partial(
        _bordered, before=lambda n: n // 2, after=lambda n: n - n // 2
    ),
    "half of the border is above and at the left, as is what was cut off: all of it belongs below and at the right": (
        _in_the_middle
    ),
    "only the rows got a border: columns may be missing, too": partial(_one_way, axis=2),
    "only the columns got a border: rows may be missing, too": partial(_one_way, axis=3),
    "size % multiple is what is too much: how many are missing to the NEXT multiple?": partial(
        _bordered, missing=lambda size, multiple: size % multiple
    ),
    "where nothing is missing, a whole multiple is added: multiple - size % multiple is never 0, and -size % multiple "
    "is": partial(_bordered, missing=lambda size, multiple: multiple - size % multiple),
    "the multiple itself is missing nowhere: how many rows are there up to the next one?": partial(
        _bordered, missing=lambda size, multiple: multiple
    ),
    "the picture was made 16 in size: take `multiple`": partial(_bordered, missing=lambda size, multiple: -size % 16),
    "the missing rows and columns are exchanged: x.shape is (N, C, H, W)": partial(_bordered, swapped=True),
    "run is missing: the border was put on and cut off": lambda run, x, multiple: x,
    "only the first picture is there: leave the axes N and C whole": lambda run, x, multiple: _bordered(
        run, x, multiple
    )[:1],
    "rows and columns were cut off x until it fitted: ADD a border, and cut it off the result": _cut_off,
}
