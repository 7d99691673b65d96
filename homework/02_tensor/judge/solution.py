"""Homework of lesson 2: flatten, padding and, as a stretch, reshape.

x is always (C, H, W): channels, rows, cols. All three can be called as those of kuiper.tensor, and a
network can run with your first two in their place: `python3 course.py demo --mine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def flatten(x: np.ndarray, row_major: bool = True) -> np.ndarray:
    """(C, H, W) -> (C*H*W,): one channel after the other, each read row by row, or column by column.

    Parameters
    ----------
    x : (C, H, W) of any numbers, no size 0, in any layout: also a transposed array.
    row_major : which of the two; 0 and numpy's False mean False, too, as 1 and numpy's True mean True.

    Rules
    -----
    rows : with `row_major` each channel is read row by row.
    columns : without it each channel is read column by column, and still one channel after the other.
    default : `row_major` is True unless said.
    one_axis : the result has one axis.
    dtype : the result has the dtype of `x`.
    argument : `x` stays as it was: neither its numbers nor its shape change.

    >>> x = np.arange(1, 13).reshape(2, 2, 3)  # channel 0: 1 2 3 / 4 5 6, channel 1: 7 8 9 / 10 11 12
    >>> flatten(x).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    >>> flatten(x, row_major=False).tolist()
    [1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12]
    """
    # <solution flatten>
    if not row_major:
        x = x.swapaxes(1, 2)
    return x.reshape(-1)
    # </solution>


def padding(x: np.ndarray, pads: Sequence[int], value: float | np.ndarray = 0.0) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right): a border of `value` around every channel.

    Parameters
    ----------
    x : (C, H, W) of any numbers, no size 0.
    pads : how many rows and columns to add on each side.
    value : what the border is filled with: a number, Python's or numpy's, or an array (C,) of one number for each
        channel; for `x` of integers whole numbers in their range.

    Rules
    -----
    sides : `pads` are (up, bottom, left, right).
    value : the border holds exactly `value` in every channel, also where that is infinite; `x` inside it is unchanged.
    each : where `value` is an array (C,), the border of channel c holds number c of it, whatever C, H and W are.
    default : `value` is 0 unless said.
    zero : a pad of 0 adds nothing on its side.
    channels : no channel is added.
    negative : a negative pad, whichever it is, raises ValueError.
    dtype : the result has the dtype of `x`, whatever the type of `value`.
    argument : `x` and `value` stay as they were: neither their numbers nor their shapes change.

    >>> padding(np.array([[[1, 2], [3, 4]]]), (1, 0, 0, 2), value=9).tolist()
    [[[9, 9, 9, 9], [1, 2, 9, 9], [3, 4, 9, 9]]]
    >>> padding(np.array([[[1]], [[2]]]), (0, 0, 1, 1), value=np.array([7, 8])).tolist()
    [[[7, 1, 7]], [[8, 2, 8]]]
    """
    # <solution padding>
    up, bottom, left, right = pads
    if min(pads) < 0:
        raise ValueError(f"pads: expected four numbers >= 0, got {tuple(pads)}")
    channels, rows, cols = x.shape
    border = np.reshape(value, (-1, 1, 1))
    padded = np.full((channels, up + rows + bottom, left + cols + right), border, x.dtype)
    padded[:, up : up + rows, left : left + cols] = x
    return padded
    # </solution>


def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = True) -> np.ndarray:
    """(C, H, W) -> (C', H', W'): read `x` as `flatten` does, and lay the values out again in the same order.

    Parameters
    ----------
    x : (C, H, W) of any numbers, no size 0, in any layout: also a transposed array.
    shapes : one to three sizes, as a tuple or a list.
    row_major : the order in which `x` is read and the result is written; 0 and numpy's False mean False, too, as 1 and
        numpy's True mean True.

    Rules
    -----
    rows : with `row_major` each channel is read, and written, row by row.
    columns : without it each channel is read, and written, column by column.
    default : `row_major` is True unless said.
    axes : `shapes` are (C', H', W'), or (H', W') for one channel, or (W',) for one row; the result has three axes.
    count : another number of elements than `x` has raises ValueError, and so does any negative size: neither -1 nor -2
        stands for what is missing.
    dtype : the result has the dtype of `x`.
    argument : `x` stays as it was, neither its numbers nor its shape change; so does `shapes` where it is a list.

    >>> x = np.arange(6).reshape(1, 2, 3)  # 0 1 2 / 3 4 5
    >>> reshape(x, (3, 2)).tolist()
    [[[0, 1], [2, 3], [4, 5]]]
    >>> reshape(x, (3, 2), row_major=False).tolist()
    [[[0, 4], [3, 2], [1, 5]]]
    """
    # <solution reshape>
    channels, rows, cols = (1,) * (3 - len(shapes)) + tuple(shapes)
    if min(shapes) < 0 or channels * rows * cols != x.size:
        raise ValueError(f"shapes: expected {x.size} elements as x {x.shape} has, got {tuple(shapes)}")
    values = flatten(x, row_major)
    if row_major:
        return values.reshape(channels, rows, cols)
    by_columns = values.reshape(channels, cols, rows)
    return by_columns.swapaxes(1, 2)
    # </solution>


def afterwards(name: str, *arguments: Any) -> list[Any]:
    """Given: the arguments as they are after a call of the function of this name."""
    globals()[name](*arguments)
    return list(arguments)
