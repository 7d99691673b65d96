"""Loops as machine code, by numba where it is installed (the extra `speed`)."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_one_at_a_time = threading.Lock()


def installed() -> bool:
    """Whether numba is there. It is not imported for that: this takes half a second."""
    return importlib.util.find_spec("numba") is not None


def machine_code(function: Callable[..., None], signature: str, folder: Path) -> Callable[..., None] | None:
    """`function` compiled for arguments of these types; None where numba cannot be used.

    The code runs on the thread that calls it, without Python's lock. Products and sums may be one instruction, nothing
    else of the order of computation changes, so NaN and infinities are what they are in Python.

    Parameters
    ----------
    function : Python that numba knows; its closure holds constants.
    signature : as numba writes it, "void(float32[::1], uint64)".
    folder : where the code is kept for the next process, unless NUMBA_CACHE_DIR names another. If it cannot be written,
        numba looks for another place; if there is none, every process compiles anew.
    """
    try:
        numba: Any = importlib.import_module("numba")
    except (ImportError, OSError):  # also a numba that does not know this numpy
        return None
    if numba.config.DISABLE_JIT:  # it would give the Python function
        return None

    def compiled(cache: bool) -> Callable[..., None]:
        code: Callable[..., None] = numba.njit(signature, cache=cache, nogil=True, fastmath={"contract"})(function)
        return code

    with _one_at_a_time:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = before or str(folder)
        try:
            return compiled(cache=True)
        except (RuntimeError, OSError):  # no place to keep it
            return compiled(cache=False)
        finally:
            numba.config.CACHE_DIR = before
