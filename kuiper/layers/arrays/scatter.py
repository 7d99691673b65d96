"""Scatter: x with elements replaced, or added to, at places that arrays of integers or booleans name.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import as_array, converted, finite_or_not
from kuiper.errors import DTypeError, ParameterError, ShapeError
from kuiper.layers.arrays.indexing import check_indices, check_mask, check_sizes, index_tuple, places
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.cost import Shapes, size
from kuiper.layers.registry import registry


def check_same_type(name: str, values: np.ndarray, x: np.ndarray) -> None:
    """Raise InferError unless `values` have x's element type."""
    if values.dtype != x.dtype:
        raise DTypeError(f"{name}: expected {x.dtype}, as x has, found {values.dtype}")


@registry.register("Tensor.index_put")
class IndexPut(Movement):
    """(any shape), indices, values -> x's shape: what `x[i, :, j] = values` leaves in x, or `+=` with accumulate.

    Parameters
    ----------
    indices : as in Tensor.index.
    values : broadcast to the shape of x[indices].
    accumulate : add to x; an element that is named twice gets both.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html

    >>> IndexPut(indices=[np.array([0, 0])], values=1.0, accumulate=True).forward(np.zeros(2)).tolist()
    [2.0, 0.0]
    """

    def __init__(self, indices: Any, values: Any, accumulate: bool = False) -> None:
        self.indices, self.values, self.accumulate = index_tuple(indices), values, accumulate

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put the values. Raises InferError when they have another element type than x."""
        if isinstance(self.values, np.ndarray):
            check_same_type("values", self.values, x)
        values = converted(np.asarray(self.values), x.dtype)
        y = x.copy()
        if self.accumulate:
            np.add.at(y, self.indices, values)
        else:
            y[self.indices] = values
        return y


@registry.register("Tensor.masked_fill", "torch.masked_fill")
class MaskedFill(Movement):
    """(...), mask (...) -> broadcast shape: `value` where the boolean mask is True, x elsewhere; x's element type.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_fill_.html
    """

    def __init__(self, mask: Any, value: Any) -> None:
        self.mask, self.value = check_mask(mask), as_scalar("value", value)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Fill in the value."""
        return np.asarray(np.where(self.mask, converted(self.value, x.dtype), x))


def as_scalar(name: str, value: Any) -> np.ndarray:
    """A number or a 0-d array as a 0-d array. Raises ShapeError for an array with axes, ParameterError for a text."""
    value = finite_or_not(value)
    if isinstance(value, (str, list)) or value is None:
        raise ParameterError(name, "a number", repr(value))
    array = np.asarray(value)
    if array.ndim:
        raise ShapeError(name, "a single number", f"shape {array.shape}")
    return array


@registry.register("torch.masked_scatter", "Tensor.masked_scatter", "aten::masked_scatter")
class MaskedScatter(Movement):
    """(...), mask (...), source -> broadcast shape: where the mask is True, the elements of `source` in turn.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html
    """

    def forward(self, x: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
        """Put the elements. Raises ShapeError when source has too few."""
        check_same_type("source", source, x)
        mask = np.broadcast_to(check_mask(mask), np.broadcast_shapes(x.shape, mask.shape))
        count = int(mask.sum())
        if source.size < count:
            raise ShapeError("source", f"{count} elements at least, as the mask has", source.size)
        y = np.broadcast_to(x, mask.shape).copy()
        y[mask] = source.reshape(-1)[:count]
        return y


REDUCTIONS: dict[str, np.ufunc] = {
    "add": np.add,
    "sum": np.add,
    "mean": np.add,
    "multiply": np.multiply,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


@registry.register("torch.scatter", "Tensor.scatter", "torch.scatter_reduce")
@registry.register("aten::scatter", inputs=("x dim index src", "x dim index src reduce"))
@registry.register("aten::scatter_reduce", inputs=("x dim index src reduce include_self",))
class Scatter(Movement):
    """(n, b), index (k, c), src (k, c) -> (n, b): y[index[i, j], j] = src[i, j] for dim=0; the rest as in x.

    Parameters
    ----------
    src, value : an array no smaller than index, or a number.
    reduce : combine with what is there instead: "add" or "sum", "multiply" or "prod", "mean", "amax", "amin".
    include_self : whether x's own element takes part in that.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
    and https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
    """

    weights = ("index", "src")
    reduce: Any = None

    def __init__(
        self, dim: Any, index: Any, src: Any = None, value: Any = None, reduce: Any = None, include_self: bool = True
    ) -> None:
        self.dim, self.index = int(dim), as_array(index)
        self.src = value if src is None else src
        self.reduce, self.include_self = reduce, include_self
        if reduce is not None and reduce not in REDUCTIONS:
            raise ParameterError("reduce", f"None or one of {', '.join(REDUCTIONS)}", repr(reduce))

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """One operation per element of the result where elements are combined."""
        return size(outputs[0]) if self.reduce else 0

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put the elements. Raises ShapeError for an index that is not there, or larger than x or src."""
        y, index = np.atleast_1d(x).copy(), np.atleast_1d(self.index)
        if index.size:
            check_sizes(index, y.shape, self.dim)
            check_indices(index, y.shape[self.dim])
            self._put(y, places(index, self.dim), self._values(x, index))
        return y.reshape(x.shape)

    def _values(self, x: np.ndarray, index: np.ndarray) -> np.ndarray:
        if not isinstance(self.src, np.ndarray) or (self.src.ndim == 0 and index.ndim > 1):
            return np.broadcast_to(converted(as_scalar("src", self.src), x.dtype), index.shape)
        check_same_type("src", self.src, x)
        src = np.atleast_1d(self.src)
        check_sizes(index, src.shape, None)
        return src[tuple(slice(n) for n in index.shape)]

    def _put(self, y: np.ndarray, where: tuple[Any, ...], values: np.ndarray) -> None:
        if self.reduce is None:
            y[where] = values
            return
        combine = REDUCTIONS[self.reduce]
        if not self.include_self:
            y[where] = neutral(combine, y.dtype)
        combine.at(y, where, values)
        if self.reduce == "mean":
            count = np.full(y.shape, int(self.include_self))
            np.add.at(count, where, 1)
            divide = np.floor_divide if y.dtype.kind in "iu" else np.divide
            y[...] = divide(y, np.maximum(count, 1)).astype(y.dtype)


def neutral(combine: np.ufunc, dtype: np.dtype) -> Any:
    """The number that `combine` with any other leaves the other: 0 for add, -inf for maximum."""
    if combine.identity is not None:
        return combine.identity
    if dtype.kind == "f":
        return -np.inf if combine is np.maximum else np.inf
    if dtype.kind == "b":
        return combine is not np.maximum
    return np.iinfo(dtype).min if combine is np.maximum else np.iinfo(dtype).max


@registry.register("torch.scatter_add", "Tensor.scatter_add")
class ScatterAdd(Scatter):
    """(n, b), index (k, c), src (k, c) -> (n, b): y[index[i, j], j] += src[i, j] for dim=0, beginning with x.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html

    >>> ScatterAdd(dim=0, index=np.array([0, 0, 1]), src=np.array([1, 2, 3])).forward(np.array([10, 20])).tolist()
    [13, 23]
    """

    reduce = "add"

    def __init__(self, dim: Any, index: Any, src: Any) -> None:
        super().__init__(dim, index, src, reduce="add")


class _AlongDim(Movement):
    """(..., n, ...), index (k) -> (..., n, ...): places index[0], index[1], ... of dimension dim changed."""

    def __init__(self, dim: Any, index: Any) -> None:
        self.dim, self.index = int(dim), np.atleast_1d(as_array(index))

    def begin(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A copy of x, and a view of it with dimension dim first."""
        y = x.copy()
        return y, np.moveaxis(y.reshape(1) if x.ndim == 0 else y, self.dim, 0)


@registry.register("torch.index_add", "Tensor.index_add")
@registry.register("aten::index_add", inputs=("x dim index source alpha",))
class IndexAdd(_AlongDim):
    """(..., n, ...), index (k), source (..., k, ...) -> (..., n, ...): alpha * source added at the places `index`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
    """

    weights = ("index", "source")

    def __init__(self, dim: Any, index: Any, source: Any, alpha: Any = 1) -> None:
        super().__init__(dim, index)
        self.source, self.alpha = as_array(source), alpha

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """One addition per element of source."""
        return self.source.size

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Add the elements. Raises ShapeError for an index that is not there."""
        check_same_type("source", self.source, x)
        y, rows = self.begin(x)
        check_indices(self.index, len(rows))
        source = np.moveaxis(np.atleast_1d(self.source), self.dim, 0)
        np.add.at(rows, self.index, source * x.dtype.type(self.alpha))
        return y


@registry.register("torch.index_copy", "Tensor.index_copy")
@registry.register("aten::index_copy", inputs=("x dim index source",))
class IndexCopy(_AlongDim):
    """(..., n, ...), index (k), source (..., k, ...) -> (..., n, ...): the places `index` replaced by source.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html
    """

    def __init__(self, dim: Any, index: Any, source: Any) -> None:
        super().__init__(dim, index)
        self.source = as_array(source)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Replace the elements. Raises ShapeError for an index that is not there."""
        check_same_type("source", self.source, x)
        y, rows = self.begin(x)
        check_indices(self.index, len(rows))
        rows[self.index] = np.moveaxis(np.atleast_1d(self.source), self.dim, 0)
        return y


@registry.register("torch.index_fill", "Tensor.index_fill")
@registry.register("aten::index_fill", inputs=("x dim index value",))
class IndexFill(_AlongDim):
    """(..., n, ...), index (k) -> (..., n, ...): the places `index`, negative ones from the end, filled with `value`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html
    """

    def __init__(self, dim: Any, index: Any, value: Any) -> None:
        super().__init__(dim, index)
        self.value = as_scalar("value", value)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Fill in the value."""
        y, rows = self.begin(x)
        rows[self.index] = converted(self.value, x.dtype)
        return y
