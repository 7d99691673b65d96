"""Slicing: part of an array, and an array with part of it replaced. Parts share x's memory.

Dimensions count the batch, from 0; negative ones count from the end.
Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import converted
from kuiper.errors import ShapeError
from kuiper.layers.arrays.shape import Movement, integers
from kuiper.layers.registry import registry

TO_THE_END = 2147483647
"""PNNX writes the largest 32-bit integer for `x[2:]`, and for "no index here" among several slices."""


class Cuts(Movement):
    """What an operator on slices says of them: of one in dim, start, end and step, of several in lists of these.

    PNNX joins `x[:, 3, ::2]` into one operator with lists: dims, starts, ends, steps, and selects for the dimensions
    that an index takes out; a single one has `select` and step 0. All count the dimensions of x. Where selects is
    shorter than dims (a fault of PNNX when an index is known only at run time), its entries belong to the dimensions
    with step 0.
    """

    def __init__(
        self,
        dim: Any = 0,
        start: Any = None,
        end: Any = None,
        step: Any = None,
        select: Any = None,
        dims: Any = None,
        starts: Any = None,
        ends: Any = None,
        steps: Any = None,
        selects: Any = None,
    ) -> None:
        if dims is None:
            bounds = slice(*(None if n is None else int(n) for n in (start, end, step)))
            index = TO_THE_END if select is None else int(select)
            self.cuts: dict[int, Any] = {int(dim): bounds if index == TO_THE_END else index}
            return
        where, step_of = integers(dims), integers(steps)
        select_of = list(integers(selects))
        if len(select_of) < len(where):
            left = iter(select_of)
            select_of = [next(left, TO_THE_END) if n == 0 else TO_THE_END for n in step_of]
        slices = map(slice, integers(starts), integers(ends), step_of)
        self.cuts = {
            axis: cut if index == TO_THE_END else index
            for axis, cut, index in zip(where, slices, select_of, strict=True)
        }

    def index(self, x: np.ndarray) -> tuple[Any, ...]:
        """The numpy index that takes the slices of x."""
        cuts: list[Any] = [slice(None)] * x.ndim
        for axis, cut in self.cuts.items():
            cuts[axis] = cut
        return (*cuts, ...)


@registry.register("Tensor.slice")
class Slice(Cuts):
    """(..., n, ...) -> (..., n', ...): the elements start, start + step, ... before end of dimension dim.

    >>> Slice(dim=0, start=1, end=TO_THE_END, step=2).forward(np.arange(6)).tolist()
    [1, 3, 5]
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the slices of x."""
        return x[self.index(x)]


@registry.register("Tensor.slice_copy")
class SliceCopy(Cuts):
    """(..., n, ...), src -> (..., n, ...): x with the slices that Tensor.slice would take replaced by `src`.

    It is what `x[:, 1:3] = src` leaves in x: src is broadcast, and converted to x's element type.

    >>> SliceCopy(dim=0, start=1, end=3, step=1).forward(np.zeros(4), np.array(5)).tolist()
    [0.0, 5.0, 5.0, 0.0]
    """

    def forward(self, x: np.ndarray, src: Any) -> np.ndarray:
        """Compute x with the slices replaced."""
        y = x.copy()
        y[self.index(x)] = converted(np.asarray(src), x.dtype)
        return y


@registry.register("torch.slice_scatter")
class SliceScatter(SliceCopy):
    """(..., n, ...), src (..., n', ...) -> (..., n, ...): x with one slice replaced by `src`, which has its shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.slice_scatter.html
    """

    def __init__(self, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> None:
        super().__init__(dim, start, end, step)

    def forward(self, x: np.ndarray, src: Any) -> np.ndarray:
        """Compute x with the slice replaced. Raises ShapeError when src has another shape than the slice."""
        wanted = x[self.index(x)].shape
        if np.shape(src) != wanted:
            raise ShapeError("src", f"shape {wanted}, the slice of {x.shape}", np.shape(src))
        return super().forward(x, src)


@registry.register("torch.select_scatter")
@registry.register("aten::select_scatter", inputs=("x x dim index",))
class SelectScatter(SliceScatter):
    """(..., n, ...), src (..., ...) -> (..., n, ...): x with element `index` of dimension dim replaced by `src`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.select_scatter.html
    """

    def __init__(self, dim: Any, index: Any) -> None:
        super().__init__(dim)
        self.cuts = {int(dim): int(index)}


@registry.register("pnnx.SliceIndexes")
class SliceIndexes(Movement):
    """(ints that are known only at run time) -> the list `indexes` with each @i replaced by input i.

    It feeds the lists of Tensor.slice.

    >>> SliceIndexes(indexes=["@0", 1]).forward(7)
    [7, 1]
    """

    def __init__(self, indexes: Any) -> None:
        self.indexes = indexes if isinstance(indexes, list) else [indexes]

    def forward(self, *inputs: Any) -> list[int]:
        """Fill in the inputs."""
        texts = (str(index) for index in self.indexes)
        return [int(inputs[int(text[1:])]) if text.startswith("@") else int(text) for text in texts]


@registry.register("Tensor.select", "torch.select")
class Select(Movement):
    """(..., n, ...) -> (..., ...): element `index` of dimension dim, which goes."""

    def __init__(self, dim: int, index: Any) -> None:
        self.dim, self.index = int(dim), int(index)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take one element of a dimension. Raises ShapeError when it has no such element."""
        size = x.shape[self.dim]
        if not -size <= self.index < size:
            raise ShapeError("index", f"an index of dimension {self.dim} of {x.shape}", self.index)
        return Slice(self.dim, select=self.index).forward(x)


@registry.register("torch.narrow", "Tensor.narrow")
class Narrow(Movement):
    """(..., n, ...) -> (..., length, ...): the elements start, ..., start + length - 1 of dimension dim.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.narrow.html
    """

    def __init__(self, dim: Any, start: Any, length: Any) -> None:
        self.dim, self.start, self.length = int(dim), int(start), int(length)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements. Raises ShapeError when the dimension does not have them."""
        size = x.shape[self.dim]
        start = self.start + size if self.start < 0 else self.start
        if not 0 <= start <= start + self.length <= size:
            found = f"start={self.start}, length={self.length}"
            raise ShapeError("start and length", f"a range of dimension {self.dim} of {x.shape}", found)
        return Slice(self.dim, start, start + self.length).forward(x)


@registry.register("torch.as_strided", "Tensor.as_strided")
@registry.register("aten::as_strided", inputs=("x size stride storage_offset",))
class AsStrided(Movement):
    """(any shape) -> `size`: element (i, j, ...) is x's element storage_offset + i*stride[0] + j*stride[1] + ...

    The elements of x are counted in row-major order. PyTorch counts them as they lie in memory, which is the same
    unless x is the result of a transposition, an expansion or a slice that was not copied.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.as_strided.html

    >>> AsStrided(size=[2, 2], stride=[1, 2]).forward(np.arange(4)).tolist()
    [[0, 2], [1, 3]]
    """

    def __init__(self, size: Any, stride: Any, storage_offset: Any = None) -> None:
        self.size, self.stride, self.offset = integers(size), integers(stride), int(storage_offset or 0)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the elements."""
        steps = zip(np.indices(self.size, sparse=True), self.stride, strict=True)
        place = sum((index * step for index, step in steps), np.asarray(self.offset))
        return x.reshape(-1)[np.broadcast_to(place, self.size)]
