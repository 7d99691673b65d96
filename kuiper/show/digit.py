"""A small grey image as text, for the terminal."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.errors import ShapeError
from kuiper.tensor import Tensor

SHADES = " ░▒▓█"
ASCII_SHADES = " .:-=+*#%@"


def digit(image: Any, *, width: int | None = None, ascii: bool = False) -> str:
    """(H, W) -> lines of characters: blank for the lowest value, full for the highest.

    A character is twice as high as wide, so the picture has `width` columns (2*W if not said) and half as many lines
    as its proportions ask for. `image` may be a Tensor and may have leading axes of length one; values that are not
    finite are blank. Raises ShapeError.

    >>> print(digit([[0, 16], [8, 4]]))
      ██
    ▒▒░░
    >>> print(digit([[0, 16], [8, 4]], ascii=True))
      @@
    ==::
    """
    pixels = np.asarray(image.data if isinstance(image, Tensor) else image)
    while pixels.ndim > 2 and pixels.shape[0] == 1:
        pixels = pixels[0]
    if pixels.ndim != 2 or pixels.size == 0 or pixels.dtype.kind not in "biuf":
        raise ShapeError("digit", "a grey image (H, W)", f"shape {pixels.shape} of {pixels.dtype}")
    rows, cols = pixels.shape
    width = 2 * cols if width is None else width
    if not isinstance(width, int) or width < 1:
        raise ShapeError("digit", "a width of 1 or more characters", f"{width!r}")
    height = max(1, round(width * rows / cols / 2))
    shades = ASCII_SHADES if ascii else SHADES
    levels = np.rint(_resized(_from_zero_to_one(pixels), height, width) * (len(shades) - 1)).astype(int)
    return "\n".join("".join(shades[level] for level in row) for row in levels)


def _from_zero_to_one(pixels: np.ndarray) -> np.ndarray:
    values = pixels.astype(np.float64)
    finite = np.isfinite(values)
    low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 0.0)
    if low == high:
        return np.zeros(values.shape)
    return (np.where(finite, values, low) - low) / (high - low)


def _resized(values: np.ndarray, height: int, width: int) -> np.ndarray:
    """(H, W) -> (height, width): each new pixel is the mean of the old ones that it covers or lies in."""
    return _resized_rows(_resized_rows(values, height).T, width).T


def _resized_rows(values: np.ndarray, count: int) -> np.ndarray:
    size = len(values)
    starts = np.arange(count) * size // count
    stops = np.maximum(-(-(np.arange(count) + 1) * size // count), starts + 1)
    return np.stack([values[start:stop].mean(axis=0) for start, stop in zip(starts, stops)])
