"""What goes wrong in the cells of lesson 6 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]


def _undefined(name: str) -> Any:
    raise NameError(f"name {name!r} is not defined")


OUTPUT_SIZE: Mistakes = {
    "the 1 counts the window at 0: add it after the division, outside the brackets": (
        lambda size, k, s=1, p=0: (size + 2 * p - k + 1) // s
    ),
    "the window at 0 counts, too: add 1": lambda size, k, s=1, p=0: (size + 2 * p - k) // s,
    "the border stands at both ends: 2 * padding": lambda size, k, s=1, p=0: (size + p - k) // s + 1,
    "the padding makes the line longer: add it to size, before the division": (
        lambda size, k, s=1, p=0: (size - k) // s + 1 + 2 * p // s
    ),
    "the padding counts pixels and not windows: add 2 * padding to size, before the division": (
        lambda size, k, s=1, p=0: (size - k) // s + 1 + 2 * p
    ),
    "the padding is missing": lambda size, k, s=1, p=0: (size - k) // s + 1,
    "/ keeps what is left over: // rounds down": lambda size, k, s=1, p=0: (size + 2 * p - k) / s + 1,
    "only kernel_size is divided: (size + 2 * padding - kernel_size) needs brackets": (
        lambda size, k, s=1, p=0: size + 2 * p - k // s + 1
    ),
    "only 2 * padding is divided: (size + 2 * padding - kernel_size) needs brackets": (
        lambda size, k, s=1, p=0: size - k + 2 * p // s + 1
    ),
    "a last window that sticks out is counted: // rounds down": lambda size, k, s=1, p=0: (
        -(-(size + 2 * p - k) // s) + 1
    ),
    "the last start is size + 2 * padding - kernel_size itself, and range stops before its end": (
        lambda size, k, s=1, p=0: len(range(0, size + 2 * p - k, s))
    ),
    "the padding makes the line longer: plus 2 * padding": lambda size, k, s=1, p=0: (size - 2 * p - k) // s + 1,
    "kernel_size is subtracted from the pixels, before the division": lambda size, k, s=1, p=0: (
        (size + 2 * p) // s - k + 1
    ),
    "a window needs kernel_size pixels: subtract it, before the division": lambda size, k, s=1, p=0: (
        (size + 2 * p) // s
    ),
    "kernel_size is missing: a window needs that many pixels, so subtract it, before the division": (
        lambda size, k, s=1, p=0: (size + 2 * p) // s + 1
    ),
    "windows that start less than kernel_size before the end stick out: the last start is size + 2 * padding - "
    "kernel_size": lambda size, k, s=1, p=0: len(range(0, size + 2 * p, s)),
    "the 1 is added, and not subtracted: it counts the window at 0": (
        lambda size, k, s=1, p=0: (size + 2 * p - k) // s - 1
    ),
    "stride and padding are both missing: add 2 * padding to size, and divide by the stride before you add 1": (
        lambda size, k, s=1, p=0: size - k + 1
    ),
    "the 1 is no part of the stride: // stride first, then + 1, outside the brackets": (
        lambda size, k, s=1, p=0: (size + 2 * p - k) // (s + 1)
    ),
    "the stride is missing: divide by it, before you add 1": lambda size, k, s=1, p=0: size + 2 * p - k + 1,
    "only the 1 is divided: // comes before + and -, so (size + 2 * padding - kernel_size) needs brackets": (
        lambda size, k, s=1, p=0: size + 2 * p - k + 1 // s
    ),
    "the windows stand stride apart: divide by it, and not by kernel_size": (
        lambda size, k, s=1, p=0: (size + 2 * p - k) // k + 1
    ),
    "the padding stands at both ends, and the line is there once: size + 2 * padding": (
        lambda size, k, s=1, p=0: (2 * size + p - k) // s + 1
    ),
    "the padding counts pixels, and at both ends: add 2 * padding to size, before the division": (
        lambda size, k, s=1, p=0: (size - k) // s + 1 + p
    ),
    "the 1 is added twice: once, after the division, for the window at 0": lambda size, k, s=1, p=0: (
        (size + 2 * p - k + 1) // s + 1
    ),
    "the border makes the line longer: add 2 * padding, and do not multiply by it": lambda size, k, s=1, p=0: (
        (size * 2 * p - k) // s + 1
    ),
    "round goes to the nearest whole number: // rounds down": lambda size, k, s=1, p=0: round(
        (size + 2 * p - k) / s + 1
    ),
    "the formula's W is called size here, its k kernel_size, its s stride and its p padding": (
        lambda size, k, s=1, p=0: _undefined("W")
    ),
    "% is what is left over: // divides and rounds down": lambda size, k, s=1, p=0: (size + 2 * p - k) % s + 1,
}


def _block(x: np.ndarray, w: np.ndarray, i: int, j: int) -> np.ndarray:
    return x[:, i : i + w.shape[1], j : j + w.shape[2]]


def _pixels(x: np.ndarray, w: np.ndarray, pixel: Callable[[int, int, int], tuple[int, int, int]]) -> float:
    """The sum of each weight times the pixel that is taken for it."""
    return sum(w[place] * x[pixel(*place)] for place in np.ndindex(*w.shape))


def _slid(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """`slide` of the lesson: (H,W) -> (H-2,W-2), for kernels of 3x3."""
    height, width = image.shape
    y = np.zeros((height - 2, width - 2), int)
    for i, j in np.ndindex(*y.shape):
        y[i, j] = (image[i : i + 3, j : j + 3] * kernel).sum()
    return y


NUMBER_AT: Mistakes = {
    "the bias is missing": lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum(),
    "the bias was added to every product: add it once, after the sum": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) * w + bias).sum()
    ),
    "only channel 0 was added up: the block has all channels": lambda x, w, bias, i, j: (
        (_block(x, w, i, j)[0] * w[0]).sum() + bias
    ),
    "each channel has a number of its own: the sum goes over the channels, too": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * w).sum(axis=(1, 2)) + bias
    ),
    "the block ends where a block at (0, 0) would: rows i : i + kh, columns j : j + kw": lambda x, w, bias, i, j: (
        (x[:, i : w.shape[1], j : w.shape[2]] * w).sum() + bias
    ),
    "i goes down and j to the right: x[:, i : ..., j : ...]": (
        lambda x, w, bias, i, j: (_block(x, w, j, i) * w).sum() + bias
    ),
    "the first axis of x is the channel: x[:, i : ..., j : ...]": lambda x, w, bias, i, j: (
        (x[i : i + w.shape[1], j : j + w.shape[2]] * w).sum() + bias
    ),
    "the first axis of x is the channel, x[:, i : ..., j : ...]; and not every kernel is 2x2": (
        lambda x, w, bias, i, j: (x[i : i + 2, j : j + 2] * w).sum() + bias
    ),
    "w is (C, kh, kw), so kh, kw = w.shape[1:]: the block has kh rows and kw columns": lambda x, w, bias, i, j: (
        (x[:, i : i + w.shape[0], j : j + w.shape[1]] * w).sum() + bias
    ),
    "the kernel is rotated by 180 degrees: take w as it is": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * w[:, ::-1, ::-1]).sum() + bias
    ),
    "the block has kw columns, and not as many as rows: kh, kw = w.shape[1:]": lambda x, w, bias, i, j: (
        (x[:, i : i + w.shape[1], j : j + w.shape[1]] * w).sum() + bias
    ),
    "not every kernel is 2x2: kh, kw = w.shape[1:]": lambda x, w, bias, i, j: (
        (x[:, i : i + 2, j : j + 2] * w).sum() + bias
    ),
    "x[:, i, j] is one pixel of each channel: take the rows i : i + kh and the columns j : j + kw": (
        lambda x, w, bias, i, j: (x[:, i, j] * w).sum() + bias
    ),
    "x[:, i, j] is one pixel of each channel: take the rows i : i + kh and the columns j : j + kw, and add up the "
    "products": lambda x, w, bias, i, j: x[:, i, j] * w + bias,
    "these are the products: add them up": lambda x, w, bias, i, j: _block(x, w, i, j) * w + bias,
    "@ is a product of matrices: * multiplies each pixel by its weight": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) @ w).sum() + bias
    ),
    "@ is a product of matrices: * multiplies each pixel by its weight, and .sum() adds the products up": (
        lambda x, w, bias, i, j: _block(x, w, i, j) @ w + bias
    ),
    "np.dot is a product of matrices: * multiplies each pixel by its weight": (
        lambda x, w, bias, i, j: np.dot(_block(x, w, i, j), w) + bias
    ),
    "the block is one row and one column too small: a slice stops before its end, i : i + kh": (
        lambda x, w, bias, i, j: (x[:, i : i + w.shape[1] - 1, j : j + w.shape[2] - 1] * w).sum() + bias
    ),
    "the bias is added, and no factor": lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum() * bias,
    "the block has kh rows, and not as many as columns: kh, kw = w.shape[1:]": lambda x, w, bias, i, j: (
        (x[:, i : i + w.shape[2], j : j + w.shape[2]] * w).sum() + bias
    ),
    "the block is larger than w, as with i : i + 3, or with i : alone: it is i : i + kh, j : j + kw, with kh, kw = "
    "w.shape[1:]": lambda x, w, bias, i, j: (x[:, i:, j:] * w).sum() + bias,
    "this is all of x, and the window is a block of it: x[:, i : i + kh, j : j + kw]": lambda x, w, bias, i, j: (
        (x * w).sum() + bias
    ),
    "the bias was added once for each channel: add it once, after the sum over all of them": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum() + len(x) * bias
    ),
    "the bias was added to the pixels: add it once, after the sum": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) + bias) * w
    ).sum(),
    "this adds along the first axis alone, as .sum(axis=0) and Python's own sum(...) do: .sum() without an axis adds "
    "up all of the block": lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum(axis=0) + bias,
    "this adds along the last axis alone: .sum() without an axis adds up all of the block": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum(axis=-1) + bias
    ),
    "this adds along the rows alone: .sum() without an axis adds up all of the block": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum(axis=1) + bias
    ),
    "Python's sum adds along one axis each time, and the block has three: .sum() adds up all of it": (
        lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum(axis=(0, 1)) + bias
    ),
    "the sum of the products is asked for, and not the largest one": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * w).max() + bias
    ),
    "the sum is asked for, and not the mean": lambda x, w, bias, i, j: (_block(x, w, i, j) * w).mean() + bias,
    "x and w were added up one by one: multiply each pixel by its weight first, then add": lambda x, w, bias, i, j: (
        _block(x, w, i, j).sum() * w.sum() + bias
    ),
    "the weights are missing: each pixel is multiplied by its own": lambda x, w, bias, i, j: (
        _block(x, w, i, j).sum() + bias
    ),
    "w[0] is the plane of channel 0: each channel meets its own": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * w[0]).sum() + bias
    ),
    "only the last channel is left: a `=` in the loop forgets the ones before, += adds": lambda x, w, bias, i, j: (
        (_block(x, w, i, j)[-1] * w[-1]).sum() + bias
    ),
    "the bias is added, and not subtracted": lambda x, w, bias, i, j: (_block(x, w, i, j) * w).sum() - bias,
    "windows stand one pixel apart, and not kh: the block begins at row i and column j": lambda x, w, bias, i, j: (
        (_block(x, w, i * w.shape[1], j * w.shape[2]) * w).sum() + bias
    ),
    "the second pair of brackets slices the rows once more: x[:, i : ..., j : ...]": lambda x, w, bias, i, j: (
        (x[:, i : i + w.shape[1]][:, j : j + w.shape[2]] * w).sum() + bias
    ),
    "x[:] is x itself, so each further pair of brackets slices the channels: x[:, i : ..., j : ...]": (
        lambda x, w, bias, i, j: (x[i : i + w.shape[1]][j : j + w.shape[2]] * w).sum() + bias
    ),
    "w is the same for every window: only x is sliced": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * _block(w, w, i, j)).sum() + bias
    ),
    "this is the window at (0, 0), whatever i and j are: the pixel for w[c, a, b] is x[c, i + a, j + b]": (
        lambda x, w, bias, i, j: _pixels(x, w, lambda c, a, b: (c, a, b)) + bias
    ),
    "i goes down and j to the right: the pixel for w[c, a, b] is x[c, i + a, j + b]": lambda x, w, bias, i, j: (
        _pixels(x, w, lambda c, a, b: (c, j + a, i + b)) + bias
    ),
    "the planes of the kernel are transposed: take w as it is": lambda x, w, bias, i, j: (
        (_block(x, w, i, j) * w.swapaxes(1, 2)).sum() + bias
    ),
    "(i, j) is the first pixel of the block, and not the one in its middle: i : i + kh, j : j + kw": (
        lambda x, w, bias, i, j: (
            (
                x[:, i - w.shape[1] // 2 : i + w.shape[1] // 2 + 1, j - w.shape[2] // 2 : j + w.shape[2] // 2 + 1] * w
            ).sum()
            + bias
        )
    ),
    "`slide` knows windows of 3x3 pixels alone, and w has other sizes: slice x yourself": lambda x, w, bias, i, j: (
        sum(_slid(*planes)[i, j] for planes in zip(x, w)) + bias
    ),
    "w is (C, kh, kw), three numbers: kh, kw = w.shape[1:]": lambda x, w, bias, i, j: [kh + kw for kh, kw in [w.shape]],
}

ROW: Mistakes = {
    "an array is asked for, and .tolist() or list(...) makes a list of it: reshape(-1) alone will do": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].reshape(-1).tolist()
    ),
    "this is the block itself: lay it out flat": lambda x, i, j, k: x[:, i : i + k, j : j + k],
    "the channels alternate: the block has its channels first, so reshape(-1) alone gives the order": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].transpose(1, 2, 0).reshape(-1)
    ),
    "the block was read backwards through its axes (order 'F', or .T): reshape(-1) alone gives the order": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].T.reshape(-1)
    ),
    "the channels alternate line by line: the block has its channels first, so reshape(-1) alone gives the order": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].swapaxes(0, 1).reshape(-1)
    ),
    "each channel was read column by column: line by line is the order of reshape(-1)": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].swapaxes(1, 2).reshape(-1)
    ),
    "only channel 0 is there: slice x[:, ...]": lambda x, i, j, k: x[0, i : i + k, j : j + k].reshape(-1),
    "i goes down and j to the right: x[:, i : ..., j : ...]": (
        lambda x, i, j, k: x[:, j : j + k, i : i + k].reshape(-1)
    ),
    "the first axis of x is the channel: x[:, i : ..., j : ...]": lambda x, i, j, k: x[i : i + k, j : j + k].reshape(
        -1
    ),
    "the block ends where the one at (0, 0) would: i : i + k, j : j + k": (
        lambda x, i, j, k: x[:, i:k, j:k].reshape(-1)
    ),
    "this has two axes, of which the first has one place: reshape(-1) leaves one axis": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].reshape(1, -1)
    ),
    "each channel has a line of its own: reshape(-1) makes one row of all": (
        lambda x, i, j, k: x[:, i : i + k, j : j + k].reshape(len(x), -1)
    ),
    "only line i of the window is there: it has the rows i : i + k": (
        lambda x, i, j, k: x[:, i, j : j + k].reshape(-1)
    ),
    "the block is one row and one column too small: a slice stops before its end, i : i + k": (
        lambda x, i, j, k: x[:, i : i + k - 1, j : j + k - 1].reshape(-1)
    ),
    "the block is one row and one column too large: a slice stops before its end, i : i + k": (
        lambda x, i, j, k: x[:, i : i + k + 1, j : j + k + 1].reshape(-1)
    ),
    "the windows stand one pixel apart, and not k: window (i, j) begins at row i and column j": (
        lambda x, i, j, k: x[:, i * k : i * k + k, j * k : j * k + k].reshape(-1)
    ),
    "the second pair of brackets slices the rows once more: x[:, i : ..., j : ...]": (
        lambda x, i, j, k: x[:, i : i + k][:, j : j + k].reshape(-1)
    ),
    "the block goes on to the edge of the image: it ends at i + k and j + k": lambda x, i, j, k: x[:, i:, j:].reshape(
        -1
    ),
    "the columns are those of a window at column 0: j : j + k": lambda x, i, j, k: x[:, i : i + k, :k].reshape(-1),
    "the rows are those of a window at row 0: i : i + k": lambda x, i, j, k: x[:, :k, j : j + k].reshape(-1),
    "the columns begin at j, and not at i: j : j + k": lambda x, i, j, k: x[:, i : i + k, i : i + k].reshape(-1),
    "this is all of x: slice the window first, x[:, i : i + k, j : j + k]": lambda x, i, j, k: x.reshape(-1),
    "x[:] is x itself, so each further pair of brackets slices the channels: x[:, i : ..., j : ...]": (
        lambda x, i, j, k: x[i : i + k][j : j + k].reshape(-1)
    ),
    "all columns are there: j : j + k": lambda x, i, j, k: x[:, i : i + k].reshape(-1),
    "windows have other sizes, too: k, and not 2": lambda x, i, j, k: x[:, i : i + 2, j : j + 2].reshape(-1),
    "C * k * k numbers are there, those of all channels: reshape(-1) counts them": lambda x, i, j, k: x[
        :, i : i + k, j : j + k
    ].reshape(k * k),
    "C * k * k numbers are there, and one axis is asked for: reshape(-1)": lambda x, i, j, k: x[
        :, i : i + k, j : j + k
    ].reshape(k, k),
    "this is a column, with two axes: reshape(-1) leaves one": lambda x, i, j, k: x[:, i : i + k, j : j + k].reshape(
        -1, 1
    ),
    "this has two axes: reshape(-1) leaves one": lambda x, i, j, k: x[:, i : i + k, j : j + k].reshape(k * k, -1),
    "the lines of all channels stand below each other: reshape(-1) makes one row of them": lambda x, i, j, k: (
        np.concatenate(list(x[:, i : i + k, j : j + k]))
    ),
    "x[:, i, j] is one pixel of each channel: the window is x[:, i : i + k, j : j + k]": lambda x, i, j, k: x[
        :, i, j
    ].reshape(-1),
    "only column j of the window is there: it has the columns j : j + k": lambda x, i, j, k: x[:, i : i + k, j].reshape(
        -1
    ),
    "the channels were added up: a row has the pixels of each": lambda x, i, j, k: sum(
        x[:, i : i + k, j : j + k]
    ).reshape(-1),
    "(i, j) is the first pixel of the window, and not the one in its middle: i : i + k, j : j + k": (
        lambda x, i, j, k: x[:, i - k // 2 : i + k // 2 + 1, j - k // 2 : j + k // 2 + 1].reshape(-1)
    ),
}


def _channels(group: int, depth: int) -> list[int]:
    return list(range(group * depth, (group + 1) * depth))


CHANNELS_OF: Mistakes = {
    "o % groups deals the output channels out in turn: a group's are next to each other, o // (outputs // groups)": (
        lambda o, channels, outputs, groups: _channels(o % groups, channels // groups)
    ),
    "o is an output channel and no group: its group is o // (outputs // groups)": (
        lambda o, channels, outputs, groups: _channels(o, channels // groups)
    ),
    "o // groups is not its group: a group has outputs // groups output channels": (
        lambda o, channels, outputs, groups: _channels(o // groups, channels // groups)
    ),
    "a group has channels // groups input channels: outputs // groups counts its output channels": (
        lambda o, channels, outputs, groups: _channels(o // (outputs // groups), outputs // groups)
    ),
    "the output channels of a group are outputs // groups: channels // groups counts its input channels": (
        lambda o, channels, outputs, groups: _channels(o // (channels // groups), channels // groups)
    ),
    "this is the first channel of the group alone: a list of channels // groups of them": (
        lambda o, channels, outputs, groups: [o // (outputs // groups) * (channels // groups)]
    ),
    "these are the channels of group 0, whatever o is: the list begins at group * (channels // groups)": (
        lambda o, channels, outputs, groups: _channels(0, channels // groups)
    ),
    "the list is one too long: range stops before its end, so that is the first channel of the next group": (
        lambda o, channels, outputs, groups: [
            *_channels(o // (outputs // groups), channels // groups),
            (o // (outputs // groups) + 1) * (channels // groups),
        ]
    ),
    "the list begins at the number of the group: its first channel is group * (channels // groups)": (
        lambda o, channels, outputs, groups: [o // (outputs // groups) + c for c in range(channels // groups)]
    ),
    "the list begins at o, which is an output channel: begin at group * (channels // groups)": (
        lambda o, channels, outputs, groups: [o + c for c in range(channels // groups)]
    ),
    "these are every groups-th input channel: a group's are next to each other": (
        lambda o, channels, outputs, groups: list(range(o // (outputs // groups), channels, groups))
    ),
    "this is the number of the group: list its channels, from group * (channels // groups) on": (
        lambda o, channels, outputs, groups: [o // (outputs // groups)]
    ),
    "/ makes a float of 2.0, which range does not take: divide with //": (
        lambda o, channels, outputs, groups: _channels(o // (outputs // groups), channels / groups)  # type: ignore[arg-type]
    ),
    "o counts from 0: its group is o // (outputs // groups), without - 1": (
        lambda o, channels, outputs, groups: _channels((o - 1) // (outputs // groups), channels // groups)
    ),
    "/ leaves a part of a group: o // (outputs // groups) rounds down": lambda o, channels, outputs, groups: [
        int(o / (outputs / groups) * (channels // groups)) + c for c in range(channels // groups)
    ],
    "these are all the channels: a group sees channels // groups of them": (
        lambda o, channels, outputs, groups: list(range(channels))
    ),
    "the list ends where it should, and begins too early: at group * (channels // groups)": (
        lambda o, channels, outputs, groups: list(
            range(o // (outputs // groups), (o // (outputs // groups) + 1) * (channels // groups))
        )
    ),
    "group * groups is no channel of its own: a group has channels // groups of them, so that is the factor": (
        lambda o, channels, outputs, groups: [o // (outputs // groups) * groups + c for c in range(channels // groups)]
    ),
    "the list is one too short: range stops before its end already, so the end is the next group's first channel": (
        lambda o, channels, outputs, groups: _channels(o // (outputs // groups), channels // groups)[:-1]
    ),
    "these are the two ends: list all of the group's channels, with range": lambda o, channels, outputs, groups: [
        o // (outputs // groups) * (channels // groups),
        (o // (outputs // groups) + 1) * (channels // groups),
    ],
    "the first and the last channel alone: list all of them, with range": lambda o, channels, outputs, groups: [
        o // (outputs // groups) * (channels // groups),
        (o // (outputs // groups) + 1) * (channels // groups) - 1,
    ],
    "channels count from 0: a group's first is group * (channels // groups), without + 1": (
        lambda o, channels, outputs, groups: [c + 1 for c in _channels(o // (outputs // groups), channels // groups)]
    ),
    "range takes where it begins and where it ends, and not how many: it ends at (group + 1) * (channels // groups)": (
        lambda o, channels, outputs, groups: list(
            range(o // (outputs // groups) * (channels // groups), channels // groups)
        )
    ),
    "without brackets only the 1 is multiplied: the list ends at (group + 1) * (channels // groups)": (
        lambda o, channels, outputs, groups: list(
            range(o // (outputs // groups) * (channels // groups), o // (outputs // groups) + channels // groups)
        )
    ),
    "a group has channels // groups input channels, and not `groups` of them": (
        lambda o, channels, outputs, groups: _channels(o // (outputs // groups), groups)
    ),
    "c // groups and o // groups are no groups: divide by how many channels a group has": (
        lambda o, channels, outputs, groups: [c for c in range(channels) if c // groups == o // groups]
    ),
    "a group has channels // groups input channels, so that is what c is divided by: outputs // groups counts its "
    "output channels": (
        lambda o, channels, outputs, groups: [
            c for c in range(channels) if c // (outputs // groups) == o // (outputs // groups)
        ]
    ),
    "channels are not dealt out in turn: a group's are next to each other, and o's group is o // (outputs // groups)": (
        lambda o, channels, outputs, groups: list(range(o % groups, channels, groups))
    ),
    "the list begins where it should, and is `groups` long: a group has channels // groups input channels": (
        lambda o, channels, outputs, groups: [
            o // (outputs // groups) * (channels // groups) + c for c in range(groups)
        ]
    ),
    "the list begins where it should, and is too long: a group has channels // groups input channels": (
        lambda o, channels, outputs, groups: [
            o // (outputs // groups) * (channels // groups) + c for c in range(channels)
        ]
    ),
    "the list begins where it should: it has channels // groups input channels, and outputs // groups counts outputs": (
        lambda o, channels, outputs, groups: [
            o // (outputs // groups) * (channels // groups) + c for c in range(outputs // groups)
        ]
    ),
    "a range is no list: list(range(...)) has its numbers": lambda o, channels, outputs, groups: range(
        o // (outputs // groups) * (channels // groups), (o // (outputs // groups) + 1) * (channels // groups)
    ),
    "an array is no list: list(range(...)) makes one": lambda o, channels, outputs, groups: np.array(
        _channels(o // (outputs // groups), channels // groups)
    ),
    "this is the number of the group, and a list is asked for: its channels, from group * (channels // groups) on": (
        lambda o, channels, outputs, groups: o // (outputs // groups)
    ),
    "[range(...)] is a list of one range: list(range(...)) has its numbers": lambda o, channels, outputs, groups: [
        range(o // (outputs // groups) * (channels // groups), (o // (outputs // groups) + 1) * (channels // groups))
    ],
    "groups count from 0: o's is o // (outputs // groups), without + 1": lambda o, channels, outputs, groups: _channels(
        o // (outputs // groups) + 1, channels // groups
    ),
    "groups count from 0: the list begins at group * (channels // groups), without - 1": (
        lambda o, channels, outputs, groups: _channels(o // (outputs // groups) - 1, channels // groups)
    ),
    "o counts from 0: its group is o // (outputs // groups), without + 1": lambda o, channels, outputs, groups: (
        _channels((o + 1) // (outputs // groups), channels // groups)
    ),
    "o % (outputs // groups) is the place of o in its group: the group is o // (outputs // groups)": (
        lambda o, channels, outputs, groups: _channels(o % (outputs // groups), channels // groups)
    ),
    "o is an output channel: list the input channels of its group": lambda o, channels, outputs, groups: [o],
}
