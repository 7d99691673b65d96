"""Sorting: a dimension in order, and what stands at a certain place in that order.

NaN counts as larger than every number, and equal elements keep their order (PyTorch leaves it open in which order they
come for topk, kthvalue and the medians). A single number counts as a dimension of one element.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.errors import ParameterError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


def order(x: np.ndarray, dim: int, descending: bool = False) -> np.ndarray:
    """(..., n, ...) -> (..., n, ...) int64: the indices along `dim` that sort x, equal elements in their order.

    >>> order(np.array([2, 7, 2]), 0).tolist(), order(np.array([2, 7, 2]), 0, descending=True).tolist()
    ([0, 2, 1], [1, 0, 2])
    """
    check_dtype("order", x, "bif")
    if x.ndim == 0:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, dim, kind="stable").astype(np.int64, copy=False)
    # reversing an ascending order would reverse equal elements too, so they are reversed beforehand
    backwards = np.argsort(np.flip(x, dim), dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim).astype(np.int64, copy=False)


def pick(x: np.ndarray, indices: np.ndarray, dim: int) -> np.ndarray:
    """(..., n, ...), indices (..., k, ...) -> (..., k, ...): x at the indices along `dim`."""
    return x if x.ndim == 0 else np.take_along_axis(x, indices, dim)


class _Ordering(Layer):
    """An operation that needs the order of the elements along `dim`; None: of all elements."""

    family = ARITHMETIC
    dim: Any

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Sorting n elements takes n log2(n) comparisons."""
        shape = known(inputs[0])
        count = math.prod(shape)
        n = count if self.dim is None else shape[self.dim] if shape else 1
        return count * max(n - 1, 0).bit_length()


class _Sorting(_Ordering):
    drops_unread = True
    inputs = ("x", "x dim descending", "x stable dim descending")

    def __init__(self, dim: Any = -1, descending: bool = False, stable: bool = False) -> None:
        self.dim, self.descending = int(dim), bool(descending)


@registry.register("torch.sort", "Tensor.sort", "aten::sort")
class Sort(_Sorting):
    """(..., n, ...) -> values and indices, both (..., n, ...): the elements along `dim` in order.

    Parameters
    ----------
    dim : the dimension, negative ones from the end.
    descending : the largest first.
    stable : equal elements keep their order; here they always do.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sort.html
    """

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sort."""
        indices = order(x, self.dim, self.descending)
        return pick(x, indices, self.dim), indices


@registry.register("torch.argsort", "Tensor.argsort", "aten::argsort")
class Argsort(_Sorting):
    """(..., n, ...) -> (..., n, ...) int64: the indices that sort x along `dim`, with the options of Sort.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.argsort.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the order."""
        return order(x, self.dim, self.descending)


@registry.register("torch.msort", "aten::msort")
class Msort(_Ordering):
    """(n, ...) -> (n, ...): the elements along the first dimension in ascending order.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.msort.html
    """

    dim = 0

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Sort."""
        return pick(x, order(x, 0), 0)


@registry.register("torch.topk", "Tensor.topk")
class Topk(_Ordering):
    """(..., n, ...) -> values and indices, both (..., k, ...): the k largest elements along `dim`, the largest first.

    Parameters
    ----------
    k : how many, n at most.
    dim : the dimension, negative ones from the end.
    largest : False for the k smallest, the smallest first.
    sorted : False allows any order; here they are in order all the same.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.topk.html

    >>> [y.tolist() for y in Topk(k=2).forward(np.array([5, 9, 7]))]
    [[9, 7], [1, 2]]
    """

    drops_unread = True

    def __init__(self, k: Any, dim: Any = -1, largest: bool = True, sorted: bool = True) -> None:
        self.k, self.dim, self.largest = int(k), int(dim), bool(largest)

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pick the k first in order. Raises ParameterError when there are fewer."""
        check_dtype(type(self).__name__, x, "if")
        _check_place("k", self.k, 0, x, self.dim)
        indices = order(x, self.dim, descending=self.largest)
        if x.ndim:
            indices = np.take(indices, range(self.k), self.dim)
        return pick(x, indices, self.dim), indices


def _check_place(name: str, k: int, least: int, x: np.ndarray, dim: int) -> None:
    size = x.shape[dim] if x.ndim else 1
    if not least <= k <= size:
        raise ParameterError(name, f"{least} to {size}, the size of dimension {dim}", str(k))


def at_place(x: np.ndarray, k: Any, dim: int, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
    """(..., n, ...) -> values and indices, both (..., ...): the element that stands at place k in ascending order.

    k is an int, or an array (..., 1, ...) with a place for each row.
    """
    indices = order(x, dim)
    if x.ndim:
        shape = [1 if axis == dim % x.ndim else n for axis, n in enumerate(x.shape)]
        indices = np.take_along_axis(indices, np.broadcast_to(k, shape), dim)
    values = pick(x, indices, dim)
    return (values, indices) if keepdim or not x.ndim else (values.squeeze(dim), indices.squeeze(dim))


@registry.register("torch.kthvalue", "Tensor.kthvalue", "aten::kthvalue")
class Kthvalue(_Ordering):
    """(..., n, ...) -> values and indices, both (..., ...): the k-th smallest element along `dim`, counted from 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html
    """

    drops_unread = True
    inputs = ("x", "x k dim keepdim")

    def __init__(self, k: Any = 0, dim: Any = -1, keepdim: bool = False) -> None:
        self.k, self.dim, self.keepdim = int(k), int(dim), bool(keepdim)

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pick the element. Raises ParameterError when there are fewer than k."""
        check_dtype(type(self).__name__, x, "if")
        _check_place("k", self.k, 1, x, self.dim)
        return at_place(x, self.k - 1, self.dim, self.keepdim)


@registry.register("torch.median", "Tensor.median", "aten::median")
class Median(_Ordering):
    """(..., n, ...) -> values and indices, both (..., ...): the middle element along `dim`, the lower one of two.

    A NaN makes the median NaN. Without a dim: the median of all elements, alone.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.median.html

    >>> Median().forward(np.array([4, 1, 3, 2])).item()
    2
    """

    drops_unread = True
    inputs = ("x", "x dim keepdim")

    def __init__(self, dim: Any = None, keepdim: bool = False) -> None:
        self.dim, self.keepdim = None if dim is None else int(dim), bool(keepdim)

    def forward(self, x: np.ndarray) -> Any:
        """Compute the median."""
        check_dtype(type(self).__name__, x, "if")
        if self.dim is not None:
            return self.middle(x, self.dim, self.keepdim)
        return self.middle(x.reshape(-1), 0, False)[0] if x.size else np.array(np.nan, x.dtype)

    def middle(self, x: np.ndarray, dim: int, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
        """Values and indices along one dimension."""
        if x.ndim == 0:
            return at_place(x, 0, dim, keepdim)
        numbers = self.counted(x, dim)
        # the first NaN stands right after the last number
        return at_place(x, np.where(numbers == x.shape[dim], (x.shape[dim] - 1) // 2, numbers), dim, keepdim)

    def counted(self, x: np.ndarray, dim: int) -> np.ndarray:
        """(..., n, ...) -> (..., 1, ...): how many elements are numbers."""
        return (x == x).sum(dim, keepdims=True)


@registry.register("torch.nanmedian", "Tensor.nanmedian", "aten::nanmedian")
class NanMedian(Median):
    """(..., n, ...) -> values and indices, both (..., ...): the median along `dim` of the elements that are not NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nanmedian.html
    """

    def middle(self, x: np.ndarray, dim: int, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
        """Values and indices along one dimension."""
        if x.ndim == 0:
            return at_place(x, 0, dim, keepdim)
        return at_place(x, np.maximum(self.counted(x, dim) - 1, 0) // 2, dim, keepdim)


@registry.register("torch.mode", "Tensor.mode", "aten::mode")
class Mode(_Ordering):
    """(..., n, ...) -> values and indices, both (..., ...): the most frequent element along `dim`, and its last place.

    Of several that are equally frequent the smallest.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.mode.html

    >>> [y.item() for y in Mode().forward(np.array([3, 1, 2, 2, 1]))]
    [1, 4]
    """

    drops_unread = True
    inputs = ("x", "x dim keepdim")

    def __init__(self, dim: Any = -1, keepdim: bool = False) -> None:
        self.dim, self.keepdim = int(dim), bool(keepdim)

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sort, and find the longest run of equal elements."""
        check_dtype(type(self).__name__, x, "bif")
        if x.ndim == 0:
            return x, np.zeros((), np.int64)
        indices = np.moveaxis(order(x, self.dim), self.dim, -1)
        values = np.take_along_axis(np.moveaxis(x, self.dim, -1), indices, -1)
        place = np.arange(values.shape[-1])
        begins = np.concatenate([np.ones_like(values[..., :1], bool), values[..., 1:] != values[..., :-1]], -1)
        length = place - np.maximum.accumulate(np.where(begins, place, 0), -1)
        last = length.argmax(-1, keepdims=True)  # the first run that is as long as any
        picked = (np.take_along_axis(y, last, -1) for y in (values, indices))
        found, where = (np.moveaxis(y, -1, self.dim) for y in picked)
        return (found, where) if self.keepdim else (found.squeeze(self.dim), where.squeeze(self.dim))
