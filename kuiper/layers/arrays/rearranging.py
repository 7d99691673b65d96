"""Rearranging: the elements of x in another order, or several times.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import as_array
from kuiper.errors import ParameterError, ShapeError
from kuiper.layers.arrays.shape import Movement, integers
from kuiper.layers.registry import registry


@registry.register("torch.flip", "Tensor.flip")
class Flip(Movement):
    """(...) -> (...): the dimensions `dims` from their end to their beginning.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.flip.html
    """

    def __init__(self, dims: Any) -> None:
        self.dims = integers(dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Turn the dimensions round."""
        return np.flip(x, self.dims)


@registry.register("aten::flipud")
class Flipud(Flip):
    """(n, ...) -> (n, ...): dimension 0 from its end to its beginning.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.flipud.html
    """

    def __init__(self) -> None:
        super().__init__(0)


@registry.register("aten::fliplr")
class Fliplr(Flip):
    """(a, n, ...) -> (a, n, ...): dimension 1 from its end to its beginning.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fliplr.html
    """

    def __init__(self) -> None:
        super().__init__(1)


@registry.register("torch.roll", "Tensor.roll")
class Roll(Movement):
    """(...) -> (...): element i goes to place i + shift of its dimension; those that leave at the end come in in front.

    Parameters
    ----------
    shifts, dims : one shift for each dimension; dims=None rolls x as one row, and gives it its shape back.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.roll.html

    >>> Roll(shifts=1).forward(np.array([[1, 2], [3, 4]])).tolist()
    [[4, 1], [2, 3]]
    """

    def __init__(self, shifts: Any, dims: Any = None) -> None:
        self.shifts, self.dims = integers(shifts), integers(dims)
        if len(self.shifts) != (len(self.dims) or 1):
            expected = f"a shift for each of {len(self.dims)} dims" if self.dims else "one shift, because dims is None"
            raise ParameterError("shifts", expected, repr(self.shifts))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Roll the dimensions."""
        return np.roll(x, self.shifts, self.dims) if self.dims else np.roll(x, self.shifts[0])


@registry.register("torch.rot90", "Tensor.rot90")
@registry.register("aten::rot90", inputs=("x k dims",))
class Rot90(Movement):
    """(a, b) -> (b, a) for an odd k: k quarter turns in the plane of two dimensions, from the first to the second.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.rot90.html
    """

    def __init__(self, k: Any = 1, dims: Any = (0, 1)) -> None:
        self.k, self.dims = int(k), integers(dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Turn the plane."""
        first, second = self.dims
        return np.rot90(x, self.k, (first, second))


@registry.register("Tensor.repeat")
class Repeat(Movement):
    """(a, b) -> (k*a, l*b) for sizes=[k, l]: x laid side by side; further sizes make dimensions in front.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.repeat.html

    >>> Repeat(sizes=[2, 2]).forward(np.array([1, 2])).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """

    def __init__(self, sizes: Any) -> None:
        self.sizes = integers(sizes)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Repeat x. Raises ShapeError when there are fewer sizes than dimensions."""
        if len(self.sizes) < np.ndim(x):
            raise ShapeError("sizes", f"a number for each dimension of {np.shape(x)}", self.sizes)
        return np.tile(as_array(x), self.sizes)


@registry.register("torch.tile", "Tensor.tile")
class Tile(Movement):
    """(a, b) -> (a, k*b) for dims=[k]: like Tensor.repeat, with ones in front where there are fewer numbers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tile.html
    """

    def __init__(self, dims: Any) -> None:
        self.dims = integers(dims)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Repeat x."""
        return np.tile(as_array(x), self.dims)


@registry.register("torch.repeat_interleave", "Tensor.repeat_interleave")
class RepeatInterleave(Movement):
    """(..., n, ...) -> (..., sum of repeats, ...): each element of dimension dim as often as `repeats` says, in a row.

    Parameters
    ----------
    repeats : a number for all, or one for each element.
    dim : None makes x one row first.
    output_size : the sum of the repeats, which spares PyTorch adding them up.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.repeat_interleave.html

    >>> RepeatInterleave(repeats=[1, 2]).forward(np.array([7, 8])).tolist()
    [7, 8, 8]
    """

    def __init__(self, repeats: Any, dim: Any = None, output_size: Any = None) -> None:
        self.repeats = np.asarray(integers(repeats), np.int64)
        self.dim = None if dim is None else int(dim)

    def forward(self, x: Any) -> np.ndarray:
        """Repeat the elements. Raises ShapeError when there are more or fewer repeats than elements."""
        x = as_array(x)
        x, dim = (x.reshape(-1), 0) if self.dim is None or x.ndim == 0 else (x, self.dim)
        if self.repeats.size not in (1, x.shape[dim]):
            raise ShapeError("repeats", f"a number, or {x.shape[dim]} of them", self.repeats.size)
        return np.repeat(x, self.repeats, dim)


@registry.register("aten::repeat_interleave", inputs=("x _",))
class RepeatIndices(Movement):
    """repeats (n) -> (sum of repeats): 0 repeats[0] times, then 1 repeats[1] times, ...

    Source: https://docs.pytorch.org/docs/stable/generated/torch.repeat_interleave.html
    """

    def forward(self, repeats: np.ndarray) -> np.ndarray:
        """Repeat the indices."""
        return np.repeat(np.arange(len(repeats), dtype=repeats.dtype), repeats)


@registry.register("aten::unfold", "aten::unfold_copy", inputs=("x dimension size step",))
class SlidingWindows(Movement):
    """(..., n, ...) -> (..., 1 + (n - size) // step, ..., size): the windows of dimension `dimension`, each a new row.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unfold.html

    >>> SlidingWindows(dimension=0, size=2, step=2).forward(np.arange(5)).tolist()
    [[0, 1], [2, 3]]
    """

    def __init__(self, dimension: Any, size: Any, step: Any) -> None:
        self.dim, self.size, self.step = int(dimension), int(size), int(step)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Take the windows."""
        windows = np.lib.stride_tricks.sliding_window_view(x, self.size, self.dim)
        return np.moveaxis(np.moveaxis(windows, self.dim % x.ndim, 0)[:: self.step], 0, self.dim % x.ndim)
