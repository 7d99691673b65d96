"""Calls: what a bound kernel consists of, and how work is cut for threads and for the cache.

A span is a range of numbers; a block is an index, spans along some axes. What a thread computes at a time, so that it
stays in its cache, is a tile; for convolutions, whose tiles are some rows of one image, a band. (Those of
winograd.py are others: the squares of outputs that are transformed together.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.workspace import Workspace

Call = Callable[[], object]
"""Called without arguments; mostly a numpy function with its arrays. Running a plan is calling these."""
Stage = list[list[Call]]
"""The calls of each thread. Threads may run at the same time; stages run one after the other."""
Index = tuple[Any, ...]


def copy(source: np.ndarray, target: np.ndarray) -> Call:
    """target[...] = source."""
    return partial(np.copyto, target, source)


def copies(source: np.ndarray, target: np.ndarray, space: Workspace) -> Stage:
    """target[...] = source, on as many threads as it is worth."""
    nhwc = source.ndim == 4 and source.strides[1] < source.strides[3]
    if nhwc:  # walk both in memory order
        source, target = source.transpose(0, 2, 3, 1), target.transpose(0, 2, 3, 1)
    threads = space.threads_for(source.size * 0.4)
    return [[copy(source[part], target[part])] for part in blocks(source.shape, threads)]


def blocks(shape: Sequence[int], parts: int) -> list[Index]:
    """Indices that cut an array of `shape` along one axis into at most `parts` blocks of about the same size.

    >>> blocks((1, 5, 3), 2)
    [(slice(0, 1, None), slice(0, 3, None)), (slice(0, 1, None), slice(3, 5, None))]
    """
    for axis, extent in enumerate(shape):
        if extent >= parts:
            ahead = tuple(slice(0, n) for n in shape[:axis])
            return [(*ahead, slice(start, stop)) for start, stop in spans(extent, parts)]
    return [()]


def spans(extent: int, parts: int) -> Iterator[tuple[int, int]]:
    """range(extent) in at most `parts` ranges (start, stop) of about the same length, longer ones first.

    >>> list(spans(7, 3))
    [(0, 3), (3, 5), (5, 7)]
    """
    start = 0
    for part in range(min(parts, extent)):
        stop = start + extent // parts + (part < extent % parts) if extent >= parts else start + 1
        yield start, stop
        start = stop


def image_tiles(start: int, stop: int, count: int, limit: int) -> Iterator[tuple[slice, int, int]]:
    """Rows start ... stop - 1 of images of `count` rows, counted through: (images, first row, one after the last).

    A tile has at most `limit` rows, or one: some rows of one image, or all rows of several.

    >>> list(image_tiles(1, 8, 2, 4))
    [(slice(0, 1, None), 1, 2), (slice(1, 3, None), 0, 2), (slice(3, 4, None), 0, 2)]
    """
    while start < stop:
        image, row = divmod(start, count)
        whole = min(limit, stop - start) // count
        if row == 0 and whole > 0:
            yield slice(image, image + whole), 0, count
            start += whole * count
        else:
            last = min(count, row + max(1, limit), row + stop - start)
            yield slice(image, image + 1), row, last
            start += last - row
