"""What layers ask of the element types of their inputs."""

from __future__ import annotations

import numpy as np

from kuiper.dtypes import KINDS, single
from kuiper.errors import DTypeError


def check_dtype(layer: str, x: np.ndarray, kinds: str, *weights: np.ndarray | None) -> None:
    """Raise InferError unless the kind of `x` is one of `kinds` and every weight array has the type of `x`.

    kinds : letters of kuiper.dtypes.KINDS; an unsigned integer is one too.
    """
    if x.dtype.kind.replace("u", "i") not in kinds:
        expected = " or ".join(KINDS[kind] for kind in kinds)
        raise DTypeError(f"{layer} input: expected {expected} elements, found {x.dtype}")
    for weight in weights:
        if weight is not None and weight.dtype != x.dtype:
            raise DTypeError(f"{layer} weights: expected {x.dtype} like the input, found {weight.dtype}")


def check_floats(layer: str, x: np.ndarray, *weights: np.ndarray | None) -> None:
    """As check_dtype, but float16 also goes with float32 weights, which a network in half precision keeps."""
    check_dtype(layer, single(x), "f", *(None if w is None else single(w) for w in weights))
