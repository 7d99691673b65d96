"""Shape (lessons 5 and 6): the same elements under another shape, or some of them. Results may share x's memory.

Dimensions count the batch, from 0; negative ones count from the end.
Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper.errors import InferStatus, ShapeError
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

TO_THE_END = 2147483647
"""PNNX writes the largest 32-bit integer for `x[2:]`, and for "no index here" among several slices."""


def integers(value: Any) -> tuple[int, ...]:
    """An int, a list of ints or an array with 0 or 1 axes -> its ints; None -> none.

    >>> integers(3), integers([1, 2]), integers(np.array(4)), integers(None)
    ((3,), (1, 2), (4,), ())
    """
    return () if value is None else tuple(int(n) for n in np.ravel(value))


@registry.register("Tensor.reshape", "torch.reshape", "Tensor.view")
class Reshape(Layer):
    """(any shape) -> `shape`, elements in row-major order.

    Parameters
    ----------
    shape : -1, at most once, takes what is left; 0 keeps the input's size there (the literal 0 where that cannot be).

    >>> Reshape(shape=[0, -1]).forward(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, shape: Any) -> None:
        self.shape = integers(shape)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x.reshape(shape)."""
        kept = [x.shape[i] if n == 0 and i < x.ndim else n for i, n in enumerate(self.shape)]
        if x.size == 0 and -1 not in kept and math.prod(kept) != 0:
            kept = list(self.shape)
        return x.reshape(kept)


@registry.register("torch.flatten", "nn.Flatten")
class Flatten(Layer):
    """(..., a, b, c, ...) -> (..., a*b*c, ...): the dimensions start_dim to end_dim, both included, become one.

    Flattening each image of a batch, (N,C,H,W) -> (N, C*H*W), is the toolbox's `flatten`, sample by sample.
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Join the dimensions start_dim to end_dim. Raises ShapeError when they are not dimensions of x in order."""
        rank = max(x.ndim, 1)
        start, end = (dim + rank if dim < 0 else dim for dim in (int(self.start_dim), int(self.end_dim)))
        if not 0 <= start <= end < rank:
            expected = f"dimensions start_dim={self.start_dim} to end_dim={self.end_dim}"
            raise ShapeError("input", expected, f"shape {x.shape}", status=InferStatus.DIMENSION)
        if x.ndim == 4 and (start, end) == (1, 3) and len(x) > 0:
            return np.stack([self.toolbox.flatten(sample, True) for sample in x])
        return x.reshape(*x.shape[:start], math.prod(x.shape[start : end + 1]), *x.shape[end + 1 :])


@registry.register("Tensor.permute", "torch.permute")
class Permute(Layer):
    """(d0, d1, ...) -> (d[dims[0]], d[dims[1]], ...): the dimensions in another order."""

    def __init__(self, dims: Any) -> None:
        self.dims = integers(dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x with its dimensions in the order dims."""
        return x.transpose(self.dims)


@registry.register("torch.transpose", "Tensor.transpose")
class Transpose(Layer):
    """(..., a, ..., b, ...) -> (..., b, ..., a, ...): the dimensions dim0 and dim1 exchanged."""

    def __init__(self, dim0: int, dim1: int) -> None:
        self.dim0, self.dim1 = int(dim0), int(dim1)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Exchange two dimensions of x."""
        return x.swapaxes(self.dim0, self.dim1)


@registry.register("torch.unsqueeze", "Tensor.unsqueeze")
class Unsqueeze(Layer):
    """(a, b) -> (a, 1, b) for dim=1: a dimension of size 1 put in at `dim`."""

    def __init__(self, dim: int) -> None:
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put in one dimension."""
        return np.expand_dims(x, self.dim)


@registry.register("torch.squeeze", "Tensor.squeeze")
class Squeeze(Layer):
    """(a, 1, b) -> (a, b): dimensions of size 1 taken out, all of them or those of `dim`; others of `dim` stay."""

    def __init__(self, dim: Any = None) -> None:
        self.dim = None if dim is None else integers(dim)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take out dimensions of size 1."""
        if self.dim is None:
            return x.squeeze()
        return x.squeeze(tuple(dim for dim in self.dim if x.ndim and x.shape[dim] == 1))


@registry.register("Tensor.expand")
class Expand(Layer):
    """(a, 1, b) -> (a, n, b): dimensions of size 1 repeated, and new ones put in front, without a copy.

    Parameters
    ----------
    sizes : the result's shape; -1 keeps the input's size.
    """

    def __init__(self, sizes: Any) -> None:
        self.sizes = integers(sizes)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x with shape sizes."""
        new = len(self.sizes) - x.ndim
        sizes = tuple(x.shape[i - new] if n == -1 and i >= new else n for i, n in enumerate(self.sizes))
        return np.broadcast_to(x, sizes)


@registry.register("Tensor.slice")
class Slice(Layer):
    """(..., n, ...) -> (..., n', ...): the elements start, start + step, ... before end of dimension dim.

    PNNX joins `x[:, 3, ::2]` into one operator with lists: dims, starts, ends, steps, and selects for the dimensions
    that an index takes out. All count the dimensions of x. Where selects is shorter than dims (a fault of PNNX when an
    index is known only at run time), its entries belong to the dimensions with step 0.
    """

    def __init__(
        self,
        dim: Any = None,
        start: Any = None,
        end: Any = None,
        step: Any = None,
        dims: Any = None,
        starts: Any = None,
        ends: Any = None,
        steps: Any = None,
        selects: Any = None,
    ) -> None:
        if dims is None:
            self.cuts: dict[int, Any] = {int(dim): slice(*(None if n is None else int(n) for n in (start, end, step)))}
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

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the slices of x."""
        return x[self.index(x)]

    def index(self, x: np.ndarray) -> tuple[Any, ...]:
        """The numpy index that takes the slices of x."""
        cuts: list[Any] = [slice(None)] * x.ndim
        for axis, cut in self.cuts.items():
            cuts[axis] = cut
        return (*cuts, ...)


@registry.register("pnnx.SliceIndexes")
class SliceIndexes(Layer):
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
class Select(Layer):
    """(..., n, ...) -> (..., ...): element `index` of dimension dim, which goes."""

    def __init__(self, dim: int, index: Any) -> None:
        self.dim, self.index = int(dim), int(index)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take one element of a dimension. Raises ShapeError when it has no such element."""
        size = x.shape[self.dim]
        if not -size <= self.index < size:
            raise ShapeError("index", f"an index of dimension {self.dim} of {x.shape}", self.index)
        return x[Slice(dims=self.dim, starts=0, ends=0, steps=0, selects=self.index).index(x)]


@registry.register("nn.ChannelShuffle", "F.channel_shuffle")
class ChannelShuffle(Layer):
    """(N, g*k, ...) -> (N, k*g, ...): channel i*k + j goes to j*g + i, so that the g groups mix.

    Source: https://arxiv.org/abs/1707.01083
    """

    def __init__(self, groups: int) -> None:
        self.groups = groups

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Mix the groups. Raises ShapeError when the channels are no multiple of groups."""
        batch, channels, *rest = x.shape
        if channels % self.groups:
            expected = f"a multiple of groups={self.groups} channels"
            raise ShapeError("input", expected, f"{channels} in {x.shape}", status=InferStatus.CHANNEL)
        return x.reshape(batch, self.groups, channels // self.groups, *rest).swapaxes(1, 2).reshape(x.shape)
