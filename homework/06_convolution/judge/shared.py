"""What the judges of lesson 6 share."""

from __future__ import annotations

import numpy as np

Pair = tuple[int, int]

BEGINS = "window (i, j) begins at pixel (i, j): it must begin at (i * stride[0], j * stride[1])"

TWICE = (
    "the padding was counted twice: output_size adds it itself, so give it the size of x, not that of the padded image"
)

UNPADDED = "the windows were counted without the padding: output_size takes that as its last argument"


def in_both(kernel_size: Pair, stride: Pair, padding: Pair) -> dict[str, tuple[Pair, Pair, Pair]]:
    """Likely cause -> the options, with one number of a pair in the place of both."""
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    down = {"kernel_size": "down", "stride": "down", "padding": "above and below"}
    right = {"kernel_size": "to the right", "stride": "to the right", "padding": "on the left and the right"}
    causes = {}
    for name, (first, second) in given.items():
        for place, number, other in (
            (0, first, f"{right[name]} it is {name}[1]"),
            (1, second, f"{down[name]} it is {name}[0]"),
        ):
            cause = f"{name}[{place}] is used in both directions: {other}"
            both = given | {name: (number, number)}
            causes[cause] = (both["kernel_size"], both["stride"], both["padding"])
    return causes


def backwards(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right grouped convolution that begins with the bias and adds the last pixel of the kernel first."""
    (n, _, height, width), (outputs, channels, kh, kw) = x.shape, weight.shape
    out = height - kh + 1, width - kw + 1
    y = np.zeros((n, outputs, *out), np.result_type(x, weight, bias)) + bias[:, None, None]
    for o, c, i, j in np.ndindex(*weight.shape):
        i, j, c = kh - 1 - i, kw - 1 - j, channels - 1 - c
        source = x[:, o // (outputs // groups) * channels + c]
        y[:, o] += weight[o, c, i, j] * source[:, i : i + out[0], j : j + out[1]]
    return y


def pair(rng: np.random.Generator, low: int, high: int) -> Pair:
    """Two whole numbers from low up to, but not including, high."""
    return int(rng.integers(low, high)), int(rng.integers(low, high))
