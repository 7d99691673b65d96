"""Element types that operations take, and in which they compute."""

from __future__ import annotations

import numpy as np

from kuiper import dtypes
from kuiper.errors import InferError, InferStatus


def check_kind(x: np.ndarray, kinds: str) -> None:
    """Raise InferError when x's element type is of none of the `kinds`: b(ool), i(nteger), f(loat), c(omplex)."""
    if x.dtype.kind.replace("u", "i") not in kinds:
        names = {"b": "booleans", "i": "integers", "f": "floats", "c": "complex numbers"}
        expected = " or ".join(names[kind] for kind in kinds)
        raise InferError(f"expected {expected}, found elements of type {x.dtype}", status=InferStatus.DTYPE)


def wide(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): float16 as float32, in which PyTorch computes it; integers too; other types as they are."""
    return x.astype(np.promote_types(dtypes.as_float(x.dtype), np.float32), copy=False)
