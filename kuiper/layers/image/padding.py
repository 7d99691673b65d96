"""Padding: rows and columns added around an array, or taken away.

`pad` lists two numbers for each dimension, before and after, and starts at the LAST dimension: (left, right, top,
bottom, front, back). Negative numbers take elements away.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.errors import OutputSizeError, ParameterError, RankError, ShapeError
from kuiper.layers.arrays.shape import Movement, integers
from kuiper.layers.registry import registry


def constant(x: np.ndarray, dim: int, before: int, after: int, value: Any = 0) -> np.ndarray:
    """(..., n, ...) -> (..., before + n + after, ...): `value` in the border.

    >>> constant(np.array([1, 2, 3]), 0, 2, -1).tolist()
    [0, 0, 1, 2]
    """
    kept = _crop(x, dim, min(before, 0), min(after, 0))
    shape = list(kept.shape)
    shape[dim] += max(before, 0) + max(after, 0)
    y = np.full(shape, value, x.dtype)
    y[(slice(None),) * dim + (slice(max(before, 0), max(before, 0) + kept.shape[dim]),)] = kept
    return y


def reflect(x: np.ndarray, dim: int, before: int, after: int) -> np.ndarray:
    """(..., n, ...) -> (..., before + n + after, ...): a mirror at the first and the last element, which stay single.

    >>> reflect(np.array([1, 2, 3]), 0, 2, 1).tolist()
    [3, 2, 1, 2, 3, 2]
    """
    last = x.shape[dim] - 1
    if max(before, after) > last:
        raise ShapeError("pad", f"at most {last} for mode reflect and the input {x.shape}", max(before, after))
    positions = np.arange(-before, last + 1 + after)
    return x.take(last - np.abs(last - np.abs(positions)), dim)


def replicate(x: np.ndarray, dim: int, before: int, after: int) -> np.ndarray:
    """(..., n, ...) -> (..., before + n + after, ...): the first and the last element repeated.

    >>> replicate(np.array([1, 2, 3]), 0, 2, 1).tolist()
    [1, 1, 1, 2, 3, 3]
    """
    size = x.shape[dim]
    return x.take(np.clip(np.arange(-before, size + after), 0, size - 1), dim)


def circular(x: np.ndarray, dim: int, before: int, after: int) -> np.ndarray:
    """(..., n, ...) -> (..., before + n + after, ...): the array repeated, as on a ring.

    >>> circular(np.array([1, 2, 3]), 0, 2, 1).tolist()
    [2, 3, 1, 2, 3, 1]
    """
    kept = _crop(x, dim, min(before, 0), min(after, 0))
    size = kept.shape[dim]
    if max(before, after) > size:
        raise ShapeError("pad", f"at most {size} for mode circular and the input {x.shape}", max(before, after))
    return kept.take(np.arange(-max(before, 0), size + max(after, 0)) % size, dim)


def _crop(x: np.ndarray, dim: int, before: int, after: int) -> np.ndarray:
    return x[(slice(None),) * dim + (slice(-before, x.shape[dim] + after),)]


BORDERS: dict[str, Callable[..., np.ndarray]] = {
    "constant": constant,
    "reflect": reflect,
    "replicate": replicate,
    "circular": circular,
}
"""mode -> how it pads one dimension."""


def pad_array(x: np.ndarray, pad: tuple[int, ...], mode: str = "constant", value: Any = None) -> np.ndarray:
    """(..., n, m) -> (..., top + n + bottom, left + m + right) for pad = (left, right, top, bottom), and so on.

    Raises ShapeError where a dimension would get a negative size, where x has too few dimensions, and where the border
    is wider than the mode can fill. All modes but constant pad only what follows the batch (if any) and the channels.

    >>> pad_array(np.array([[1, 2], [3, 4]]), (1, 0, 0, 1)).tolist()
    [[0, 1, 2], [0, 3, 4], [0, 0, 0]]
    """
    count = len(pad) // 2
    if count > x.ndim:
        raise ShapeError("pad", f"at most {2 * x.ndim} numbers for the input {x.shape}", pad)
    if mode != "constant" and (count not in (1, 2, 3) or x.ndim not in (count + 1, count + 2)):
        expected = f"1, 2 or 3 pairs and as many dimensions after the channels of {x.shape}, as mode={mode} needs"
        raise RankError("pad", expected, pad)
    steps = [(x.ndim - 1 - i, pad[2 * i], pad[2 * i + 1]) for i in range(count)]
    for dim, before, after in steps:
        size = x.shape[dim]
        copies = mode in ("reflect", "replicate")  # which need one element at least to copy
        if min(size, size + before + after) < 1 if copies else size + min(before, 0) + min(after, 0) < 0:
            expected = f"no more elements taken away from dimension {dim} than the input {x.shape} has"
            raise OutputSizeError("pad", expected, (before, after))
    fill = () if value is None or mode != "constant" else (value,)
    for dim, before, after in steps:
        if before or after:
            x = BORDERS[mode](x, dim, before, after, *fill)
    return x


@registry.register("F.pad")
class Pad(Movement):
    """(..., n, m) -> (..., top + n + bottom, left + m + right), and so on for further pairs in `pad`.

    Parameters
    ----------
    pad : (left, right, top, bottom, front, back, ...), as many pairs as there are dimensions to pad.
    mode : constant, reflect, replicate or circular.
    value : what stands in a constant border; None is 0.

    >>> Pad((1, 2), value=9.0).forward(np.array([[1.0, 2.0]]))
    array([[9., 1., 2., 9., 9.]])
    """

    def __init__(self, pad: Any, mode: str = "constant", value: Any = None) -> None:
        if mode not in BORDERS:
            raise ParameterError("mode", f"one of {', '.join(BORDERS)}", repr(mode))
        self.pad, self.mode, self.value = integers(pad), mode, value
        if len(self.pad) % 2:
            raise ParameterError("pad", "two numbers for each dimension, before and after", repr(pad))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Pad x. Raises ShapeError when the padding does not fit its shape."""
        return pad_array(x, self.pad, self.mode, self.value)


@registry.register("nn.ConstantPad1d", "nn.ConstantPad2d", "nn.ConstantPad3d")
class ConstantPad(Pad):
    """(N, C, ...) -> (N, C, ...'): `value` around every channel; `padding` as `pad` of F.pad.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConstantPad2d.html
    """

    def __init__(self, padding: Any, value: Any = 0) -> None:
        super().__init__(padding, "constant", value)


@registry.register("nn.ZeroPad1d", "nn.ZeroPad2d", "nn.ZeroPad3d")
class ZeroPad(Pad):
    """(N, C, ...) -> (N, C, ...'): zeros around every channel.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ZeroPad2d.html
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, "constant", 0)


@registry.register("nn.ReflectionPad1d", "nn.ReflectionPad2d", "nn.ReflectionPad3d")
class ReflectionPad(Pad):
    """(N, C, ...) -> (N, C, ...'): a mirror at every border.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, "reflect")


@registry.register("nn.ReplicationPad1d", "nn.ReplicationPad2d", "nn.ReplicationPad3d")
class ReplicationPad(Pad):
    """(N, C, ...) -> (N, C, ...'): the elements at the border repeated.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, "replicate")


@registry.register("nn.CircularPad1d", "nn.CircularPad2d", "nn.CircularPad3d")
class CircularPad(Pad):
    """(N, C, ...) -> (N, C, ...'): every channel repeated, as on a ring.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CircularPad2d.html
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, "circular")
