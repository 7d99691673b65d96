"""Loops compiled to machine code by numba, where it is installed (the extra `speed`)."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

ARRAY, COUNT, NUMBER = "float32[::1]", "uint64", "float32"
"""Argument types as numba writes them."""

_one_at_a_time = threading.Lock()


def installed() -> bool:
    """Whether numba is installed, without importing it, which takes half a second."""
    return importlib.util.find_spec("numba") is not None


def machine_code(function: Callable[..., None], signature: str, folder: Path) -> Callable[..., None] | None:
    """`function` compiled for arguments of these types; None if numba does not work here.

    The code releases Python's lock. Products and sums may be one instruction, nothing
    else of the order of computation changes, so NaN and infinities are what they are in Python.

    Parameters
    ----------
    function : Python that numba knows; its closure holds constants.
    signature : as numba writes it, "void(float32[::1], uint64)".
    folder : where the code is cached for the next process, unless NUMBA_CACHE_DIR names another. If it cannot be
        written, numba tries other folders; failing these, every process compiles again.
    """
    try:
        numba: Any = importlib.import_module("numba")
    except (ImportError, OSError):  # or a numba that does not know this numpy
        return None
    if numba.config.DISABLE_JIT:  # it would return the Python function
        return None

    def compiled(cache: bool) -> Callable[..., None]:
        code: Callable[..., None] = numba.njit(signature, cache=cache, nogil=True, fastmath={"contract"})(function)
        return code

    with _one_at_a_time:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = before or str(folder)
        try:
            return compiled(cache=True)
        except (RuntimeError, OSError):  # no folder to cache it in
            return compiled(cache=False)
        finally:
            numba.config.CACHE_DIR = before


def flat(pixels: np.ndarray) -> np.ndarray:
    """(H, W, C) with any steps from row to row and from pixel to pixel -> all memory from its first number to its last.

    >>> flat(np.arange(24).reshape(2, 3, 4)[:, 1:, :2])
    array([ 4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
           21])
    """
    last = sum((extent - 1) * stride for extent, stride in zip(pixels.shape, pixels.strides)) // pixels.itemsize
    pixels = pixels.view()
    pixels.flags.writeable = True  # numba has another type for what may not be written, as an expanded image
    return as_strided(pixels, (last + 1,), (pixels.itemsize,))


def strides_of(pixels: np.ndarray) -> tuple[int, int]:
    """Numbers from one row to the next, and from one pixel to the next."""
    return pixels.strides[0] // pixels.itemsize, pixels.strides[1] // pixels.itemsize


def contiguous(array: np.ndarray) -> np.ndarray:
    """All numbers of it in one row, as the loop's signature wants them: a copy where they may not be written."""
    return np.require(array.reshape(-1), np.float32, ["C", "A", "W"])
