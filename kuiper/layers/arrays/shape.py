"""Shape: the same elements under another shape. Results may share x's memory.

Dimensions count the batch, from 0; negative ones count from the end.
Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from kuiper.errors import ChannelError, ParameterError, RankError, ShapeError
from kuiper.layers.cost import moves
from kuiper.layers.families import SHAPE
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry


def integers(value: Any) -> tuple[int, ...]:
    """An int, a list of ints or an array with 0 or 1 axes -> its ints; None -> none.

    >>> integers(3), integers([1, 2]), integers(np.array(4)), integers(None)
    ((3,), (1, 2), (4,), ())
    """
    return () if value is None else tuple(int(n) for n in np.ravel(value))


class Movement(Layer):
    """An operation that puts elements elsewhere and computes nothing."""

    family = SHAPE
    flops = moves


@registry.register("Tensor.reshape", "torch.reshape", "Tensor.view", "torch.view")
class Reshape(Movement):
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


@registry.register("Tensor.reshape_as", "Tensor.view_as", "aten::view_as")
class ReshapeAs(Movement):
    """(any shape), other -> the shape of `other`, elements in row-major order.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.reshape_as.html
    """

    def forward(self, x: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Compute x.reshape(other.shape)."""
        return x.reshape(np.shape(other))


@registry.register("Tensor.unflatten", "torch.unflatten", "nn.Unflatten")
class Unflatten(Movement):
    """(..., a*b, ...) -> (..., a, b, ...): dimension `dim` becomes several.

    Parameters
    ----------
    sizes, unflattened_size : what it becomes, under PyTorch's two names for it; -1, at most once, takes what is left.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unflatten.html

    >>> Unflatten(dim=1, sizes=[2, -1]).forward(np.zeros((3, 8))).shape
    (3, 2, 4)
    """

    def __init__(self, dim: int, sizes: Any = None, unflattened_size: Any = None) -> None:
        self.dim, self.sizes = int(dim), integers(unflattened_size if sizes is None else sizes)
        if not self.sizes:
            raise ParameterError("sizes", "one size at least", "none")

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Part one dimension. Raises ShapeError when its size is not the product of the sizes."""
        old = x.shape[self.dim]
        known = math.prod(n for n in self.sizes if n != -1)
        sizes = [old // max(known, 1) if n == -1 else n for n in self.sizes]
        if math.prod(sizes) != old or self.sizes.count(-1) > 1:
            raise ShapeError(f"dimension {self.dim} of {x.shape}", f"the product of sizes={self.sizes}", old)
        dim = self.dim % x.ndim
        return x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1 :])


@registry.register("torch.flatten", "Tensor.flatten", "nn.Flatten")
class Flatten(Movement):
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
            raise RankError("input", expected, f"shape {x.shape}")
        if x.ndim == 4 and (start, end) == (1, 3) and len(x) > 0:
            return np.stack([self.toolbox.flatten(sample, True) for sample in x])
        return x.reshape(*x.shape[:start], math.prod(x.shape[start : end + 1]), *x.shape[end + 1 :])


@registry.register("aten::ravel")
class Ravel(Flatten):
    """(any shape) -> (number of elements): x as one row.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.ravel.html
    """

    def __init__(self) -> None:
        super().__init__(start_dim=0)


@registry.register("Tensor.permute", "torch.permute")
class Permute(Movement):
    """(d0, d1, ...) -> (d[dims[0]], d[dims[1]], ...): the dimensions in another order."""

    def __init__(self, dims: Any) -> None:
        self.dims = integers(dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x with its dimensions in the order dims."""
        return x.transpose(self.dims)


@registry.register("torch.transpose", "Tensor.transpose")
class Transpose(Movement):
    """(..., a, ..., b, ...) -> (..., b, ..., a, ...): the dimensions dim0 and dim1 exchanged."""

    def __init__(self, dim0: int, dim1: int) -> None:
        self.dim0, self.dim1 = int(dim0), int(dim1)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Exchange two dimensions of x."""
        return x.swapaxes(self.dim0, self.dim1)


@registry.register("torch.t", "Tensor.t")
class T(Movement):
    """(a, b) -> (b, a); an array with fewer than two dimensions stays as it is.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.t.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Exchange the two dimensions. Raises ShapeError when there are more."""
        if x.ndim > 2:
            raise RankError("input", "two dimensions at most", f"shape {x.shape}")
        return x.T


@registry.register("aten::numpy_T")
class NumpyT(Movement):
    """(a, b, c) -> (c, b, a): the dimensions in reverse order.

    Source: https://docs.pytorch.org/docs/stable/tensors.html#torch.Tensor.T
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Reverse the dimensions."""
        return x.T


@registry.register("aten::mT")
class MatrixTranspose(Transpose):
    """(..., a, b) -> (..., b, a): each matrix transposed.

    Source: https://docs.pytorch.org/docs/stable/tensors.html#torch.Tensor.mT
    """

    def __init__(self) -> None:
        super().__init__(-2, -1)


@registry.register("aten::mH")
class Adjoint(Movement):
    """(..., a, b) -> (..., b, a): each matrix transposed, and complex numbers conjugated.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.adjoint.html
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Exchange the last two dimensions of conj(x)."""
        return x.swapaxes(-1, -2).conj()


@registry.register("torch.movedim", "torch.moveaxis", "Tensor.movedim")
@registry.register("aten::movedim", inputs=("x source destination",))
class Movedim(Movement):
    """(a, b, c) -> (b, c, a) for source=0, destination=2: dimensions moved, the others in their order.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.movedim.html
    """

    def __init__(self, source: Any, destination: Any) -> None:
        self.source, self.destination = integers(source), integers(destination)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Move the dimensions."""
        return np.moveaxis(x, self.source, self.destination)


@registry.register("torch.unsqueeze", "Tensor.unsqueeze")
class Unsqueeze(Movement):
    """(a, b) -> (a, 1, b) for dim=1: a dimension of size 1 put in at `dim`."""

    def __init__(self, dim: int) -> None:
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put in one dimension."""
        return np.expand_dims(x, self.dim)


@registry.register("torch.squeeze", "Tensor.squeeze")
class Squeeze(Movement):
    """(a, 1, b) -> (a, b): dimensions of size 1 taken out, all of them or those of `dim`; others of `dim` stay."""

    def __init__(self, dim: Any = None) -> None:
        self.dim = None if dim is None else integers(dim)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take out dimensions of size 1."""
        if self.dim is None:
            return x.squeeze()
        return x.squeeze(tuple(dim for dim in self.dim if x.ndim and x.shape[dim] == 1))


class _AtLeast(Movement):
    rank: ClassVar[int]

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Put in dimensions of size 1."""
        return [np.atleast_1d, np.atleast_2d, np.atleast_3d][self.rank - 1](x)


@registry.register("aten::atleast_1d")
class Atleast1d(_AtLeast):
    """() -> (1); an array with more dimensions stays as it is.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_1d.html
    """

    rank = 1


@registry.register("aten::atleast_2d")
class Atleast2d(_AtLeast):
    """() -> (1, 1) and (a) -> (1, a); an array with more dimensions stays as it is.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_2d.html
    """

    rank = 2


@registry.register("aten::atleast_3d")
class Atleast3d(_AtLeast):
    """() -> (1, 1, 1), (a) -> (1, a, 1) and (a, b) -> (a, b, 1); an array with more dimensions stays as it is.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.atleast_3d.html
    """

    rank = 3


@registry.register("Tensor.expand", "torch.broadcast_to")
@registry.register("aten::broadcast_to", inputs=("x sizes",))
class Expand(Movement):
    """(a, 1, b) -> (a, n, b): dimensions of size 1 repeated, and new ones put in front, without a copy.

    Parameters
    ----------
    sizes : the result's shape; -1 keeps the input's size. `size` and `shape` are other names for it.
    """

    def __init__(self, sizes: Any = None, size: Any = None, shape: Any = None) -> None:
        self.sizes = next((integers(value) for value in (sizes, size, shape) if value is not None), ())

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x with shape sizes."""
        new = len(self.sizes) - x.ndim
        sizes = tuple(x.shape[i - new] if n == -1 and i >= new else n for i, n in enumerate(self.sizes))
        return np.broadcast_to(x, sizes)


@registry.register("Tensor.expand_as")
class ExpandAs(Movement):
    """(a, 1, b), other -> the shape of `other`, without a copy.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand_as.html
    """

    def forward(self, x: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Compute x with the shape of other."""
        return np.broadcast_to(x, np.shape(other))


@registry.register("nn.ChannelShuffle", "F.channel_shuffle")
class ChannelShuffle(Movement):
    """(N, g*k, ...) -> (N, k*g, ...): channel i*k + j goes to j*g + i, so that the g groups mix.

    Source: https://arxiv.org/abs/1707.01083
    """

    def __init__(self, groups: int) -> None:
        self.groups = groups

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Mix the groups. Raises ShapeError when the channels are no multiple of groups."""
        batch, channels, *rest = x.shape
        if channels % self.groups:
            raise ChannelError("input", f"a multiple of groups={self.groups} channels", f"{channels} in {x.shape}")
        return x.reshape(batch, self.groups, channels // self.groups, *rest).swapaxes(1, 2).reshape(x.shape)


class _OfShape(Movement):
    def follows_shapes(self, constant: Sequence[bool]) -> bool:
        """Always."""
        return True


@registry.register("aten::dim")
class Dim(_OfShape):
    """(any shape) -> its number of dimensions."""

    def forward(self, x: np.ndarray) -> int:
        """Count the dimensions."""
        return np.ndim(x)


@registry.register("aten::numel")
class Numel(_OfShape):
    """(any shape) -> its number of elements."""

    def forward(self, x: np.ndarray) -> int:
        """Count the elements."""
        return np.size(x)
