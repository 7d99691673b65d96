"""Long rows for broadcasting: a bias, scale or gate with one number per channel, repeated for many pixels.

A ufunc takes 0.2 to 0.4 ns for an element of (P, C) and a row (C,), because numpy's iterator copies the row into its
buffer of 8192 elements again and again. It copies nothing where rows have more than half of that, and an element takes
0.08 to 0.13 ns, as if there were no broadcasting. So (P, C) is seen as (P/r, r C), and the row is repeated r times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.calls import Call

LONG = 5000
"""Elements that a row should have at least."""


class LongRow:
    """A row (C,) that never changes, for many arrays (..., C).

    >>> x, row = np.ones((40, 40, 3), np.float32), LongRow(np.arange(3, dtype=np.float32))
    >>> _ = [call() for call in row.calls(np.add, x, x)]
    >>> x.sum(axis=(0, 1)).tolist()
    [1600.0, 3200.0, 4800.0]
    """

    def __init__(self, row: np.ndarray) -> None:
        self.row = row
        self._long: dict[int, np.ndarray] = {}

    def calls(self, function: Callable[..., Any], x: np.ndarray, out: np.ndarray) -> list[Call]:
        """out = function(x, row), for x and out of shape (..., C); x may be out."""
        pixels = x.size // max(self.row.size, 1)
        repeats = repeats_for(pixels, self.row.size)
        if repeats < 2 or not (x.flags.c_contiguous and out.flags.c_contiguous):
            return [partial(function, x, self.row, out=out)]
        long = self._long.setdefault(repeats, np.tile(self.row, repeats))
        x, out, whole = x.reshape(-1), out.reshape(-1), pixels // repeats * long.size
        wide = (-1, long.size) if whole > long.size else (-1,)
        calls: list[Call] = [partial(function, x[:whole].reshape(wide), long, out=out[:whole].reshape(wide))]
        if whole < x.size:
            calls.append(partial(function, x[whole:], long[: x.size - whole], out=out[whole:]))
        return calls


def repeats_for(pixels: int, channels: int) -> int:
    """How often to repeat a row: until it is long, and if possible so that it divides the pixels; or for all of them.

    >>> repeats_for(3136, 64), repeats_for(10, 64), repeats_for(10, 5000)
    (98, 10, 1)
    """
    least = -(-LONG // max(channels, 1))
    if pixels <= least:
        return pixels
    return min(range(least, min(4 * least, pixels + 1)), key=lambda repeats: pixels % repeats)


def lengthened(
    arrays: Sequence[np.ndarray], fixed: Sequence[bool], take: Callable[[tuple[int, ...]], np.ndarray]
) -> tuple[list[list[np.ndarray]], list[Call]]:
    """Arrays of one shape (..., P, C) -> the same elements in regions with long rows, and calls that repeat the rows.

    One region, the arrays themselves, where there is no row among them or where it would not pay.

    Parameters
    ----------
    arrays : as `walk` gives them: a row has the stride 0 along P.
    fixed : for each whether it never changes; its rows are repeated now, once.
    take : shape -> an array for the repeated rows of the others.
    """
    shape = arrays[0].shape
    pixels, channels = shape[-2:] if len(shape) > 1 else (0, 0)
    repeats = repeats_for(pixels, channels)
    kinds = [_kind(x) for x in arrays]
    if "row" not in kinds or "other" in kinds or repeats < 2 or pixels * channels < 3 * LONG:
        return [list(arrays)], []
    whole = pixels // repeats * repeats
    parts = [(0, whole, repeats)] + ([(whole, pixels, pixels - whole)] if whole < pixels else [])
    regions: list[list[np.ndarray]] = [[] for _ in parts]
    calls: list[Call] = []
    for x, kind, never_changes in zip(arrays, kinds, fixed):
        if kind == "row":
            row = x[tuple(slice(0, 1 if step == 0 else None) for step in x.strides)]
            size = (*row.shape[:-2], repeats, channels)
            long = np.empty(size, np.float32) if never_changes else take(size)
            calls += _repeat(row, long, never_changes)
        for region, (start, stop, pixels_in_row) in zip(regions, parts):
            new = (*shape[:-2], (stop - start) // pixels_in_row, pixels_in_row * channels)
            if kind == "row":
                piece = long[..., :pixels_in_row, :].reshape(*long.shape[:-2], 1, -1)
                region.append(np.broadcast_to(piece, new))
            else:
                region.append(x[..., start:stop, :].reshape(new))
    return regions, calls


def _repeat(row: np.ndarray, long: np.ndarray, now: bool) -> list[Call]:
    if now:
        np.copyto(long, row)
    return [] if now else [partial(np.copyto, long, row)]


def _kind(x: np.ndarray) -> str:
    """How (..., P, C) lies: "dense" along both axes, as one "row" for all P, as one "number", or in an "other" way."""
    if x.ndim < 2:
        return "other"
    outer, inner = x.strides[-2:]
    if outer == 0:
        return "number" if inner == 0 else "row"
    return "dense" if inner == x.itemsize and outer == inner * x.shape[-1] else "other"
