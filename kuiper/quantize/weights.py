"""A weight array in fewer bits: 8-bit integers with a scale for each row or block of a row, or 16-bit floats.

    w[row, i] ~ scale[row] * values[row, i]                     values: whole numbers from -127 to 127
    w[row, i] ~ scale[row, i // block] * values[row, i]         with a scale for each block of a row

Symmetric: there is no zero point, 0 stays 0. A row is all that one index of the first axis holds: of nn.Linear what
one output sees, of nn.Conv2d (O, C/groups, kh, kw) the kernel of one output channel.

Sources: B. Jacob et al., Quantization and training of neural networks for efficient integer-arithmetic-only inference,
2018, https://arxiv.org/abs/1712.05877 (scales for each channel); T. Dettmers et al., LLM.int8(), 2022,
https://arxiv.org/abs/2208.07339 (the largest magnitude of a row as 127); blocks as ggml's type q8_0, of 32 numbers
(https://github.com/ggml-org/ggml), whose scales are float16 where these are float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.errors import KuiperError, ParameterError

BITS = (8, 16, 32)
"""For each number of a weight."""
LARGEST = 127
"""Of the values: -128 is not used, so that w and -w have the same magnitude."""
MOST_FLOAT16 = 65504.0
PIECE = 1 << 18
"""Numbers that are made float32 at a time: a megabyte, which a core's second-level cache holds."""


@dataclass(frozen=True, eq=False)
class QuantizedWeight:
    """An array (R, ...) of float32 in fewer bits; an index gives rows of it as float32.

    values : (R, ...) int8, or float16.
    scale : float32, (R,) or (R, blocks), where `blocks` divides the numbers of a row; None beside float16.

    Raises ParameterError for values and scales of other types or shapes, and scales that are negative, NaN or infinite.

    >>> weight = QuantizedWeight(np.array([[2, -4], [1, 0]], np.int8), np.array([0.5, 8], np.float32))
    >>> weight[0], weight[np.array([1, 1])].tolist()
    (array([ 1., -2.], dtype=float32), [[8.0, 0.0], [8.0, 0.0]])
    """

    values: np.ndarray
    scale: np.ndarray | None = None

    def __post_init__(self) -> None:
        values, scale = self.values, self.scale
        if values.ndim < 1 or values.dtype != (np.float16 if scale is None else np.int8):
            expected = "float16 without scales, or int8 with them, (rows, ...)"
            raise ParameterError("weight", expected, f"{values.dtype} {values.shape}")
        if scale is not None:
            check_scale(scale, values.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array that it stands for."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """How many axes."""
        return self.values.ndim

    def __len__(self) -> int:
        return len(self.values)

    @property
    def block(self) -> int:
        """Numbers that share a scale; those of a row where it has one scale, or none."""
        size = math.prod(self.shape[1:])
        return size if self.scale is None or self.scale.ndim == 1 else size // max(self.scale.shape[1], 1)

    @property
    def nbytes(self) -> int:
        """Of values and scales."""
        return self.values.nbytes + (0 if self.scale is None else self.scale.nbytes)

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Rows as float32: of a slice, a number, or an array of numbers."""
        values: np.ndarray = self.values[rows].astype(np.float32, order="C")
        if self.scale is not None:
            scale = self.scale[rows]
            axes = self.scale.ndim - 1  # of the blocks, if there are some
            lead = scale.shape[: scale.ndim - axes]
            parts = values.reshape(*lead, *self.scale.shape[1:], self.block)
            parts *= scale[..., None]  # in place: `parts` is a view
        return values

    def pieces(self, size: int = PIECE) -> Iterator[slice]:
        """Slices of rows, in order, with about `size` numbers each."""
        step = max(1, size // max(1, math.prod(self.shape[1:])))
        return (slice(start, min(start + step, len(self))) for start in range(0, len(self), step))


def check_scale(scale: np.ndarray, shape: tuple[int, ...], name: str = "weight_scale") -> None:
    """Raise ParameterError unless `scale` can be that of a weight of `shape`; see QuantizedWeight."""
    rows, size = shape[0], math.prod(shape[1:])
    expected = f"float32 ({rows},), a scale for each row of the weight {shape}, or ({rows}, a divisor of {size})"
    fits = scale.shape == (rows,) or (
        scale.ndim == 2 and scale.shape[0] == rows and scale.shape[1] > 0 and size % scale.shape[1] == 0
    )
    if scale.dtype != np.float32 or not fits:
        raise ParameterError(name, expected, f"{scale.dtype} {scale.shape}")
    if not (np.isfinite(scale).all() and (scale >= 0).all()):
        raise ParameterError(name, "finite numbers of 0 or more", "others among them")


def dequantized(weight: Any) -> Any:
    """The float32 array that a QuantizedWeight stands for; anything else as it is."""
    return weight[:] if isinstance(weight, QuantizedWeight) else weight


def to_int8(weight: np.ndarray, block: int | None = None) -> QuantizedWeight:
    """(R, ...) -> 8-bit integers and a scale for each row, or for each `block` numbers of one.

    The largest magnitude of a row or block becomes 127 (or -127), so every number is off by half a scale at most. What
    is all 0 has the scale 0. A block that does not divide the numbers of a row is left out: rows then have one scale.

    Raises KuiperError for NaN, infinity, a block below 1, and what is no array (R, ...) of floats.

    >>> small = to_int8(np.array([[1.27, -0.5], [0, 0]], np.float32))
    >>> small.values.tolist(), small[0]
    ([[127, -50], [0, 0]], array([ 1.27, -0.5 ], dtype=float32))
    """
    if block is not None and block < 1:
        raise KuiperError(f"block: expected at least 1 number, found {block}")
    weight = _checked(weight)
    rows, size = weight.shape[0], math.prod(weight.shape[1:])
    blocks = size // block if block is not None and size and size % block == 0 else None
    parts = weight.reshape(rows, blocks or 1, size // (blocks or 1))
    most = np.abs(parts).max(-1, initial=0).astype(np.float64)
    scale = _rounded(most / LARGEST)
    with np.errstate(under="ignore"):
        values = np.rint(parts / np.where(scale > 0, scale, np.float32(1))[..., None]).astype(np.int8)
    return QuantizedWeight(values.reshape(weight.shape), scale if blocks else scale[:, 0])


def _rounded(scale: np.ndarray) -> np.ndarray:
    """float64 -> float32, so that 127 scales are never infinite nor, of the tiniest, less than the magnitude meant."""
    limits = np.finfo(np.float32)
    nearest = scale.astype(np.float32)
    high = nearest * np.float64(LARGEST) > limits.max
    low = (nearest < scale) & (nearest < limits.tiny)  # of these the next is half as large again, or twice as large
    nearest[high] = np.nextafter(nearest[high], np.float32(0))
    nearest[low] = np.nextafter(nearest[low], np.float32(1))
    return nearest


def to_float16(weight: np.ndarray) -> QuantizedWeight:
    """(R, ...) -> float16, rounded to nearest.

    Raises KuiperError for NaN, infinity, and magnitudes beyond 65504, which float16 does not have: they are refused,
    not saturated, because a network whose largest weights are wrong is of no use.
    """
    weight = _checked(weight)
    with np.errstate(over="ignore"):
        values = weight.astype(np.float16)
    if not np.isfinite(values).all():
        largest = np.abs(weight).max()
        raise KuiperError(
            f"weight: expected magnitudes up to {MOST_FLOAT16:.0f}, the largest float16, found {largest:.6g}; "
            "take 8 or 32 bits"
        )
    return QuantizedWeight(values)


def quantize(weight: np.ndarray, bits: int, block: int | None = None) -> QuantizedWeight | np.ndarray:
    """The weight in so many bits: 8 (see to_int8), 16 (to_float16), or 32, which leaves it as it is."""
    if bits not in BITS:
        raise KuiperError(f"bits: expected one of {', '.join(map(str, BITS))}, found {bits}")
    if block is not None and bits != 8:
        raise KuiperError(f"block: expected one only with 8 bits, which have scales, found {block} with {bits}")
    if bits == 32:
        return weight
    return to_int8(weight, block) if bits == 8 else to_float16(weight)


def _checked(weight: np.ndarray) -> np.ndarray:
    """The weight as float32. Raises KuiperError."""
    if weight.ndim < 1 or weight.dtype.kind != "f":
        raise KuiperError(f"weight: expected floats with an axis of rows, found {weight.dtype} {weight.shape}")
    with np.errstate(over="ignore"):
        narrow = weight.astype(np.float32, copy=False)
    if not np.isfinite(narrow).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(narrow))[0])
        raise KuiperError(f"weight: expected finite numbers, found {weight[where]} at {where}")
    return narrow


@dataclass(frozen=True)
class WeightFigures:
    """How far weights in fewer bits are from what they were.

    squares, errors : sums of the squares of the weights, and of the differences.
    largest : the largest difference, over the largest weight; of several arrays together, that of the worst.
    """

    squares: float = 0.0
    errors: float = 0.0
    largest: float = 0.0

    @property
    def rms(self) -> float:
        """The root of the mean square of the differences, over that of the weights."""
        return math.sqrt(self.errors / self.squares) if self.squares else 0.0

    def __add__(self, other: WeightFigures) -> WeightFigures:
        """Those of both arrays."""
        return WeightFigures(self.squares + other.squares, self.errors + other.errors, max(self.largest, other.largest))

    def __str__(self) -> str:
        return f"rms {self.rms:.3%}, largest {self.largest:.3%}"


def figures_of(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> WeightFigures:
    """The figures of one array, given in pieces: (before, after), of the same shape.

    >>> figures = figures_of([(np.array([3.0, 4.0]), np.array([3.0, 4.5]))])
    >>> figures.rms, figures.largest
    (0.1, 0.125)
    """
    squares = errors = most = furthest = 0.0
    for before, after in pairs:
        difference = after.astype(np.float64) - before
        squares += float(np.square(before, dtype=np.float64).sum())
        errors += float(np.square(difference).sum())
        most = max(most, float(np.abs(before).max(initial=0)))
        furthest = max(furthest, float(np.abs(difference).max(initial=0)))
    return WeightFigures(squares, errors, furthest / most if most else 0.0)
