"""Indexing: elements chosen by arrays of integers or booleans.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import as_array, converted, finite_or_not
from kuiper.errors import DTypeError, ParameterError, ShapeError
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.registry import registry


def index_tuple(indices: Any) -> tuple[Any, ...]:
    """What PNNX writes for `x[i, :, j]` -> a numpy index: [i, None, j], where None means the whole dimension.

    Indices that are constants stand in the file as text, `expr=[[0,2],None,[True,False]]`; the reader of parameters
    knows no lists in lists and splits it at each comma.

    >>> index_tuple(["[0", "2]", "None", "1"])
    (array([0, 2]), slice(None, None, None), array(1))
    """
    if isinstance(indices, np.ndarray):
        indices = [indices]
    if isinstance(indices, str) or (indices and any(isinstance(part, str) for part in indices)):
        text = indices if isinstance(indices, str) else "[" + ",".join(str(part) for part in indices) + "]"
        try:
            indices = ast.literal_eval(text)
        except (SyntaxError, ValueError) as error:
            raise ParameterError("expr", "a list of indices", text) from error
    return tuple(slice(None) if index is None else _index(index) for index in indices or ())


def _index(index: Any) -> np.ndarray:
    array = np.asarray(index, np.int64) if np.size(index) == 0 and isinstance(index, list) else as_array(index)
    if array.dtype == np.uint8:
        array = array.astype(bool)  # a mask of the days before PyTorch had booleans
    if array.dtype.kind not in "bi":
        raise DTypeError(f"index: expected integers or booleans, found {array.dtype}")
    return array


def check_indices(index: np.ndarray, size: int) -> None:
    """Raise ShapeError unless all of `index` are in 0 ... size - 1, InferError unless they are integers."""
    if index.dtype.kind not in "iu":
        raise DTypeError(f"index: expected integers, found {index.dtype}")
    wrong = index[(index < 0) | (index >= size)]
    if wrong.size:
        raise ShapeError("index", f"0 to {size - 1}", int(wrong[0]))


def places(index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """The numpy index of the elements (i, j, index[i, j, k]) for dim=2: `index` along dim, each one's own place else.

    >>> np.array([[5, 6], [7, 8]])[places(np.array([[1], [0]]), 1)].tolist()
    [[6], [7]]
    """
    own: list[Any] = list(np.indices(index.shape, sparse=True))
    own[dim] = index
    return tuple(own)


@registry.register("Tensor.index")
class Index(Movement):
    """(any shape), indices -> x[i, :, j]: indices broadcast against each other; a mask counts for as many dimensions.

    Parameters
    ----------
    expr : a list with an array of integers or booleans, or None (the whole dimension), for each dimension in turn.

    Source: https://docs.pytorch.org/cppdocs/notes/tensor_indexing.html

    >>> Index(expr=[None, np.array([2, 0])]).forward(np.arange(6).reshape(2, 3)).tolist()
    [[2, 0], [5, 3]]
    """

    def __init__(self, expr: Any) -> None:
        self.indices = index_tuple(expr)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements."""
        return np.asarray(x[self.indices])


@registry.register("torch.index_select", "Tensor.index_select")
class IndexSelect(Movement):
    """(..., n, ...), index (k) -> (..., k, ...): the elements index[0], index[1], ... of dimension dim.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.index_select.html
    """

    def __init__(self, dim: Any, index: Any) -> None:
        self.dim, self.index = int(dim), as_array(index)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements. Raises ShapeError for an index that is not there: negative ones do not count here."""
        if self.index.ndim > 1:
            raise ShapeError("index", "one dimension at most", f"shape {self.index.shape}")
        rows = np.atleast_1d(x)
        check_indices(self.index, rows.shape[self.dim])
        chosen = rows.take(self.index.reshape(-1), self.dim)
        return chosen if x.ndim else chosen.reshape(())


@registry.register("torch.gather", "Tensor.gather")
@registry.register("aten::gather", inputs=("x dim index _",))
class Gather(Movement):
    """(n, b), index (k, c) -> (k, c): y[i, j] = x[index[i, j], j] for dim=0; index is no larger than x in the others.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.gather.html

    >>> Gather(dim=1, index=np.array([[2], [0]])).forward(np.array([[5, 6, 7], [8, 9, 10]])).tolist()
    [[7], [8]]
    """

    def __init__(self, dim: Any, index: Any, sparse_grad: bool = False) -> None:
        self.dim, self.index = int(dim), as_array(index)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements. Raises ShapeError for an index that is not there, or one larger than x."""
        index = self.index
        if index.size == 0:
            return np.empty(index.shape, x.dtype)
        rows, index = np.atleast_1d(x), np.atleast_1d(index)
        check_sizes(index, rows.shape, self.dim)
        check_indices(index, rows.shape[self.dim])
        return rows[places(index, self.dim)].reshape(self.index.shape)


def check_sizes(index: np.ndarray, shape: tuple[int, ...], dim: int | None) -> None:
    """Raise ShapeError unless index has the rank of `shape` and is no larger, but perhaps in dimension dim."""
    free = None if dim is None else dim % len(shape)
    fits = len(shape) == index.ndim and all(
        k <= n for axis, (k, n) in enumerate(zip(index.shape, shape)) if axis != free
    )
    if not fits:
        besides = "" if dim is None else f" but in dimension {dim}"
        raise ShapeError("index", f"no larger than {shape}{besides}", f"shape {index.shape}")


@registry.register("torch.take_along_dim", "Tensor.take_along_dim")
@registry.register("aten::take_along_dim", inputs=("x indices dim",))
class TakeAlongDim(Movement):
    """(n, b), indices (k, b) -> (k, b): torch.gather where x and indices broadcast in the other dimensions.

    Parameters
    ----------
    dim : None flattens both first.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.take_along_dim.html
    """

    def __init__(self, indices: Any, dim: Any = None) -> None:
        self.indices, self.dim = as_array(indices), dim

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements. Raises ShapeError for an index that is not there."""
        if self.dim is None:
            return Gather(0, self.indices.reshape(-1)).forward(x.reshape(-1))
        check_indices(self.indices, x.shape[int(self.dim)])
        return np.take_along_axis(x, self.indices, int(self.dim))


@registry.register("torch.take", "Tensor.take")
@registry.register("aten::take", inputs=("x index",))
class Take(Movement):
    """(any shape), index (any shape) -> the shape of index: elements counted in row-major order, negative from the end.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.take.html
    """

    def __init__(self, index: Any) -> None:
        self.index = as_array(index)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements."""
        return np.asarray(x.reshape(-1)[self.index])


@registry.register("torch.masked_select", "Tensor.masked_select")
class MaskedSelect(Movement):
    """(...), mask (...) -> (k): the elements where the boolean mask is True; both broadcast.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.masked_select.html
    """

    def forward(self, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Take the elements."""
        x, mask = np.broadcast_arrays(x, check_mask(mask))
        return x[mask].reshape(-1)


def check_mask(mask: Any) -> np.ndarray:
    """The mask as an array. Raises InferError unless it is boolean."""
    mask = as_array(mask)
    if mask.dtype != bool:
        raise DTypeError(f"mask: expected booleans, found {mask.dtype}")
    return mask


@registry.register("torch.where", "Tensor.where")
class Where(Movement):
    """condition, input, other -> broadcast shape: input where condition is True, other elsewhere.

    The element types of input and other mix as PyTorch mixes them.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.where.html

    >>> Where(np.array([True, False]), 1, 0.5).forward().tolist()
    [1.0, 0.5]
    """

    def __init__(self, condition: Any, input: Any, other: Any) -> None:
        self.condition = as_array(condition)
        self.input, self.other = finite_or_not(input), finite_or_not(other)

    def forward(self) -> np.ndarray:
        """Choose the elements."""
        condition = self.condition.astype(bool) if self.condition.dtype == np.uint8 else check_mask(self.condition)
        dtype = dtypes.result_type(self.input, self.other)
        chosen = (converted(np.asarray(value), dtype) for value in (self.input, self.other))
        return np.asarray(np.where(condition, *chosen))


@registry.register("torch.nonzero", "Tensor.nonzero", "aten::nonzero", "torch.argwhere", "aten::argwhere")
class Nonzero(Movement):
    """(a, b, ...) -> (k, rank): the indices of the k elements that are not zero, in row-major order.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Find the elements."""
        return np.argwhere(x)


@registry.register("aten::nonzero_numpy", "aten::where")
class NonzeroByDimension(Movement):
    """(a, b, ...) -> for each dimension, (k): the indices of the k elements that are not zero.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html
    """

    def forward(self, x: np.ndarray) -> list[np.ndarray]:
        """Find the elements."""
        return list(np.nonzero(np.atleast_1d(x)))
