"""Products of 8-bit integers: rows of x are rounded as they come, and meet the integers of a weight.

    x[m, i] ~ scale[m, i // block] * values[m, i]                  block: the weight's; a whole row where it has none
    y[m, o] = sum over blocks b of float32(n[m, o, b]) * (scale[m, b] * weight.scale[o, b])
    n[m, o, b] = sum over i in block b of values[m, i] * weight.values[o, i]              a whole number, exact

Symmetric, as weights are: the largest magnitude of a block becomes 127, numbers are rounded to the nearest, ties to
even. A block without any magnitude of SMALLEST or more counts as 0. A block with NaN or infinity has the scale NaN, so
all outputs of its row are NaN.

Source: T. Dettmers et al., LLM.int8(), 2022, https://arxiv.org/abs/2208.07339 (vector-wise quantisation).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.errors import ParameterError
from kuiper.quantize.weights import LARGEST, QuantizedWeight

ACTIVATION_BITS = (8, 32)
"""For each number of x; 32: x stays as it is."""
SMALLEST = 2.0**-100
"""127 over anything smaller might not be a float32."""
EXACT = (1 << 24) // LARGEST**2
"""Products of two values whose sums float32 holds exactly, in any order."""


def check_activations(bits: int, weight: Any) -> None:
    """Raise ParameterError unless x can have so many bits beside a weight."""
    if bits not in ACTIVATION_BITS:
        raise ParameterError("activation_bits", "8 or 32", repr(bits))
    if bits == 8 and not (isinstance(weight, QuantizedWeight) and weight.scale is not None and weight.ndim == 2):
        found = weight.values if isinstance(weight, QuantizedWeight) else weight
        raise ParameterError(
            "activation_bits", "8 only beside an int8 weight (rows, numbers)", f"8 beside {found.dtype} {found.shape}"
        )


def quantized_rows(x: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray]:
    """(..., K) float32 -> values (..., K) int8, and scales (..., K / block) float32.

    >>> values, scale = quantized_rows(np.array([[2.54, -1, 0, np.inf]], np.float32), 2)
    >>> values.tolist(), scale
    ([[127, -50, 0, 0]], array([[0.02,  nan]], dtype=float32))
    """
    block = max(block, 1)
    parts = x.reshape(*x.shape[:-1], x.shape[-1] // block, block)
    most = np.abs(parts).max(-1)
    finite = np.isfinite(most)
    counts = finite & (most >= SMALLEST)
    divisor = np.where(counts, most, np.float32(1))
    scale = np.where(counts, divisor / np.float32(LARGEST), np.where(finite, np.float32(0), np.float32(np.nan)))
    factor = np.where(counts, np.float32(LARGEST) / divisor, np.float32(0))
    numbers = np.where(finite[..., None], parts, np.float32(0)) * factor[..., None]
    return np.rint(numbers).astype(np.int8).reshape(x.shape), scale


def integer_product(
    values: np.ndarray, scale: np.ndarray, weight: QuantizedWeight, rows: slice = slice(None)
) -> np.ndarray:
    """x @ weight[rows].T, (..., rows) float32, of an x that quantized_rows made of the weight's blocks.

    Sums of whole numbers are computed by BLAS, in float32 where that is exact, else in float64, which is.
    """
    assert weight.scale is not None, "an int8 weight has scales"
    exact: Any = np.float32 if weight.block <= EXACT else np.float64
    few = weight.values[rows]
    of_weight = weight.scale[rows].reshape(len(few), -1)
    y = np.zeros((*values.shape[:-1], len(few)), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for number in range(scale.shape[-1]):
            part = slice(number * weight.block, (number + 1) * weight.block)
            sums = values[..., part].astype(exact) @ few[:, part].astype(exact).T
            y += sums.astype(np.float32, copy=False) * (scale[..., number, None] * of_weight[:, number])
    return y
