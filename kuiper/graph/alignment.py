"""Arrays that begin at a line of the cache, as BLAS and machine code read them fastest."""

from __future__ import annotations

import mmap

import numpy as np

ALIGNMENT = 64
"""Bytes; a cache line, and the widest vector of any processor."""


def aligned(size: int) -> np.ndarray:
    """`size` bytes that begin at a line of the cache.

    >>> aligned(100).shape, aligned(100).ctypes.data % ALIGNMENT
    ((100,), 0)
    """
    piece = np.empty(size + ALIGNMENT, np.uint8)
    start = -piece.ctypes.data % ALIGNMENT
    return piece[start : start + size]


def reserved(size: int) -> np.ndarray:
    """`size` bytes at addresses of their own, which take no memory until something is written there.

    Large arrays of numpy's own may take some: Linux may put a page of 2 MiB where the C library notes their size.

    >>> reserved(100).shape, reserved(100).ctypes.data % ALIGNMENT
    ((100,), 0)
    """
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
    return np.frombuffer(mmap.mmap(-1, max(size, 1), **private), np.uint8, size)


def readable(array: np.ndarray) -> np.ndarray:
    """The array itself, or a copy that begins at a line of the cache if its elements lie at addresses of other types.

    numpy computes with such elements in a slow way, and some calls copy all of them first.
    """
    if array.flags.aligned:
        return array
    copy = aligned(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
