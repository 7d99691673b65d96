"""Memory that begins at a line of the cache, and memory that is only reserved."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from kuiper.graph.alignment import ALIGNMENT, reserved

PAGEMAP = Path("/proc/self/pagemap")


def pages_in_memory(piece: np.ndarray) -> int:
    """How many of the pages of these bytes, of which the first begins where they do, are in memory."""
    with PAGEMAP.open("rb") as file:  # 8 bytes for each page; the highest bit: it is present
        file.seek(piece.ctypes.data // mmap.PAGESIZE * 8)
        entries = np.frombuffer(file.read(-(-piece.nbytes // mmap.PAGESIZE) * 8), np.uint64)
    return int((entries >> np.uint64(63)).sum())


@pytest.mark.skipif(not PAGEMAP.exists(), reason="this system does not say which pages are in memory")
def test_what_is_reserved_takes_memory_where_it_is_written() -> None:
    piece = reserved(50 << 20)
    assert pages_in_memory(piece) == 0
    piece[20 << 20] = 1
    assert 1 <= pages_in_memory(piece) <= (2 << 20) // mmap.PAGESIZE


def test_what_is_reserved_can_be_used_like_other_memory() -> None:
    one, other = (reserved(size).view(np.float32) for size in (40, 400))
    one[:], other[:] = 1, 2
    assert one.ctypes.data % ALIGNMENT == 0
    assert (one.sum(), other.sum()) == (10, 200)
    assert reserved(0).size == 0
