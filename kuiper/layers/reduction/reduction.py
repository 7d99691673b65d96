"""Reductions: one number in place of a whole dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import converted, single
from kuiper.layers.arrays.shape import integers
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_input
from kuiper.layers.elementwise.conversion import element_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


class Reduction(Layer):
    """(..., n, ...) -> (..., ...), or (..., 1, ...) with keepdim: `dim` reduced by the subclass' `reduce`.

    Parameters
    ----------
    dim : an int or several, negative ones from the end; none at all means every dimension.
    keepdim : leave the reduced dimensions with size 1.
    dtype : convert to this element type first.
    """

    family = ARITHMETIC
    flops = per_input(1)
    inputs: ClassVar[tuple[str, ...]] = ("x", "x dim keepdim", "x dim keepdim dtype")

    def __init__(self, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> None:
        self.dims, self.keepdim = integers(dim), bool(keepdim)
        kind = element_type(dtype)
        self.dtype = None if kind is None else kind.compute

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Reduce the dimensions."""
        x = x if self.dtype is None else converted(x, self.dtype)
        return np.asarray(self.reduce(x, every_axis(x, self.dims)))

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the reduction of x over axes, with self.keepdim."""
        raise NotImplementedError(f"{type(self).__name__}.reduce")


def every_axis(x: np.ndarray, dims: Sequence[int]) -> tuple[int, ...]:
    """The axes to reduce: `dims`, or all of x when there are none. A single number has none to reduce."""
    return () if x.ndim == 0 else tuple(dims) or tuple(range(x.ndim))


@registry.register("torch.mean", "Tensor.mean", "aten::mean")
class Mean(Reduction):
    """(..., n, ...) -> (..., ...): the sum over `dim`, divided by n; NaN where n = 0.

    PyTorch asks for a `dtype` where x holds integers. PNNX drops it; when nothing else tells, it was float32.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.mean.html

    >>> Mean(dim=[1]).forward(np.array([[1, 2], [3, 5]])).tolist()
    [1.5, 4.0]
    """

    inputs = ("x", "x dtype", "x dim keepdim dtype")

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype:
        """Floats stay."""
        return dtypes.float_type(dtype)

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute sum / count."""
        kind = dtypes.float_type(x.dtype)
        total = x.sum(axes, dtype=np.promote_types(kind, np.float32), keepdims=self.keepdim)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (total / np.float32(math.prod(x.shape[axis] for axis in axes))).astype(kind)


def total_type(dtype: np.dtype) -> np.dtype:
    """The element type of a sum or product: int64 for integers and booleans, which would overflow in their own."""
    return dtype if dtype.kind in "fc" else np.dtype(np.int64)


def _sum_type(dtype: np.dtype) -> np.dtype:
    return np.promote_types(dtype, np.float32) if dtype.kind == "f" else total_type(dtype)


@registry.register("torch.sum", "Tensor.sum", "aten::sum")
class Sum(Reduction):
    """(..., n, ...) -> (..., ...): the sum over `dim`; int64 for integers and booleans.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sum.html
    """

    inputs = ("x", "x dtype", "x dim keepdim dtype")

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype:
        """Integers become int64."""
        return total_type(dtype)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Reduce the dimensions; a dtype that was asked for stays, even a small one."""
        return super().forward(x).astype(self.dtype or total_type(x.dtype), copy=False)

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the sum; float16 is added up in float32."""
        return x.sum(axes, dtype=_sum_type(x.dtype), keepdims=self.keepdim)


@registry.register("torch.nansum", "Tensor.nansum", "aten::nansum")
class NanSum(Sum):
    """(..., n, ...) -> (..., ...): the sum over `dim` of the elements that are not NaN.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nansum.html
    """

    flops = per_input(2)  # compared and added

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the sum with 0 for NaN."""
        return super().reduce(np.where(np.isnan(x), x.dtype.type(0), x), axes)


@registry.register("torch.nanmean", "Tensor.nanmean", "aten::nanmean")
class NanMean(Mean):
    """(..., n, ...) -> (..., ...): the mean over `dim` of the elements that are not NaN; NaN where all are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nanmean.html
    """

    flops = per_input(2)  # compared and added

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute sum / count of the numbers."""
        check_dtype(type(self).__name__, x, "fc")
        numbers = ~np.isnan(x)
        count = numbers.sum(axes, keepdims=self.keepdim)
        total = single(x).sum(axes, where=numbers, keepdims=self.keepdim)
        with np.errstate(invalid="ignore"):
            return (total / count).astype(x.dtype)


@registry.register("torch.prod", "Tensor.prod", "aten::prod")
class Prod(Sum):
    """(..., n, ...) -> (..., ...): the product over `dim`; int64 for integers and booleans.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.prod.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the product; float16 is multiplied in float32."""
        return x.prod(axes, dtype=_sum_type(x.dtype), keepdims=self.keepdim)


@registry.register("torch.amax", "Tensor.amax", "aten::amax")
class Amax(Reduction):
    """(..., n, ...) -> (..., ...): the largest over `dim`; NaN wins.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.amax.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the maximum."""
        check_dtype(type(self).__name__, x, "bif")
        return x.max(axes, keepdims=self.keepdim)


@registry.register("torch.amin", "Tensor.amin", "aten::amin")
class Amin(Reduction):
    """(..., n, ...) -> (..., ...): the smallest over `dim`; NaN wins.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.amin.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute the minimum."""
        check_dtype(type(self).__name__, x, "bif")
        return x.min(axes, keepdims=self.keepdim)


@registry.register("torch.aminmax", "Tensor.aminmax", "aten::aminmax")
class Aminmax(Layer):
    """(..., n, ...) -> (..., ...) and (..., ...): the smallest and the largest over `dim`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.aminmax.html
    """

    family = ARITHMETIC
    flops = per_input(2)
    inputs = ("x", "x dim keepdim")
    drops_unread = True

    def __init__(self, dim: Any = None, keepdim: bool = False) -> None:
        self.parts = Amin(dim, keepdim), Amax(dim, keepdim)

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """Compute both."""
        return tuple(part.forward(x) for part in self.parts)


class _Truth(Reduction):
    def __init__(self, dim: Any = None, keepdim: bool = False) -> None:
        super().__init__(dim, keepdim)
        self.elementwise = dim is not None and not self.dims

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Reduce the dimensions; an empty list of them reduces none, unlike for other reductions."""
        result = x.astype(bool) if self.elementwise else super().forward(x)
        return result.astype(np.uint8) if x.dtype == np.uint8 else result


@registry.register("torch.all", "Tensor.all", "aten::all")
class AllTrue(_Truth):
    """(..., n, ...) -> (..., ...): True where no element over `dim` is 0; uint8 for uint8.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.all.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute whether all are true."""
        return x.astype(bool).all(axes, keepdims=self.keepdim)


@registry.register("torch.any", "Tensor.any", "aten::any")
class AnyTrue(_Truth):
    """(..., n, ...) -> (..., ...): True where an element over `dim` is not 0; uint8 for uint8.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.any.html
    """

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute whether one is true."""
        return x.astype(bool).any(axes, keepdims=self.keepdim)


@registry.register("torch.count_nonzero", "Tensor.count_nonzero", "aten::count_nonzero")
class CountNonzero(Reduction):
    """(..., n, ...) -> (..., ...) int64: how many elements over `dim` are not 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.count_nonzero.html
    """

    flops = per_input(2)  # compared and added
    inputs = ("x", "x dim")

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Count."""
        return x.astype(bool).sum(axes, dtype=np.int64)


@registry.register("torch.logsumexp", "Tensor.logsumexp", "aten::logsumexp")
class LogSumExp(Reduction):
    """(..., n, ...) -> (..., ...): log(sum of e^x) over `dim`, -inf where n = 0; float32 for integers.

    With m the largest element it is m + log(sum of e^(x - m)), in which no exponent is positive.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.logsumexp.html
    """

    flops = per_input(3)

    def reduce(self, x: np.ndarray, axes: tuple[int, ...]) -> Any:
        """Compute log(sum of e^x) without overflow."""
        kind = dtypes.float_type(x.dtype)
        x = single(x.astype(kind, copy=False))
        top = x.real.max(axes, keepdims=True, initial=-np.inf)
        top = np.where(np.isinf(top), top.dtype.type(0), top)  # infinities need no shift, and inf - inf is NaN
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            result = np.log(np.exp(x - top).sum(axes, keepdims=True)) + top
        return (result if self.keepdim else result.squeeze(axes)).astype(kind)
