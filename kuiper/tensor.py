"""Tensor (lesson 2): a (channels, rows, cols) block of numbers, read row by row or column by column.

Row-major is the default everywhere; the original course's default was column-major. Column-major means column by column
WITHIN each channel, one channel after the other: it is not numpy's order="F", which runs over all three axes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.errors import DTypeError, InferError, ShapeError

Shape = tuple[int, ...]


def padding(x: np.ndarray, pads: Sequence[int], value: float = 0.0) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right), the border filled with `value`.

    `pads` is (up, bottom, left, right). Raises ShapeError unless these are four numbers >= 0.
    Source: https://numpy.org/doc/stable/reference/generated/numpy.pad.html

    >>> padding(np.ones((1, 1, 2)), (1, 0, 0, 1), value=7.0).tolist()
    [[[7.0, 7.0, 7.0], [1.0, 1.0, 7.0]]]
    """
    channels, rows, cols = _three_axes(x)
    up, bottom, left, right = _whole_numbers("pads", pads, "four numbers >= 0: up, bottom, left, right", {4})
    padded = np.empty((channels, up + rows + bottom, left + cols + right), x.dtype)
    _write(padded, value)
    padded[:, up : up + rows, left : left + cols] = x
    return padded


def flatten(x: np.ndarray, row_major: bool = True) -> np.ndarray:
    """(C, H, W) -> (C*H*W,), each channel read row by row, or column by column.

    The result shares `x`'s memory where the values stand in that order already; otherwise it is a copy.

    >>> x = np.arange(6).reshape(1, 2, 3)
    >>> flatten(x).tolist(), flatten(x, row_major=False).tolist()
    ([0, 1, 2, 3, 4, 5], [0, 3, 1, 4, 2, 5])
    """
    _three_axes(x)
    return (x if row_major else x.swapaxes(1, 2)).reshape(-1)


def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = True) -> np.ndarray:
    """(C, H, W) -> (C', H', W'): flatten `x`, then lay the values out again in the same reading order.

    `shapes` is (C', H', W'), (H', W') or (W',). Raises ShapeError when its size is not that of `x`.

    >>> x = np.arange(10).reshape(1, 2, 5)
    >>> reshape(x, (5, 2), row_major=False).tolist()
    [[[0, 7], [5, 3], [1, 8], [6, 4], [2, 9]]]
    """
    values = flatten(x, row_major)
    channels, rows, cols = _full_shape(shapes)
    if channels * rows * cols != x.size:
        raise ShapeError("reshape", f"a shape of {x.size} elements, as {x.shape} has", f"{shapes}")
    if row_major:
        return values.reshape(channels, rows, cols)
    return values.reshape(channels, cols, rows).swapaxes(1, 2)


class Tensor:
    """(channels, rows, cols) numbers, zero at first; float32 unless `dtype` says otherwise.

    `Tensor(2, 3, 4)` has 2 channels of 3 rows and 4 columns, `Tensor(3, 4)` one channel, `Tensor(4)` one row;
    `Tensor([2, 3, 4])` takes the shape as a list, and `Tensor()` is empty.

    What changes VALUES (`fill`, `transform`, `t[c, r, k] = v`) writes into the tensor's memory, and so into every array
    that shares it. What changes the SHAPE (`reshape`, `flatten`, `padding`) returns a new Tensor and leaves this one as
    it is; a row-major reshape or flatten moves no value, so the new Tensor shares the memory of a contiguous one.

    >>> x = Tensor(2, 5).fill(range(10))
    >>> x.shapes, x.raw_shapes
    ((1, 2, 5), (2, 5))
    >>> x.reshape((5, 2), row_major=False).slice(0).tolist()
    [[0.0, 7.0], [5.0, 3.0], [1.0, 8.0], [6.0, 4.0], [2.0, 9.0]]
    """

    def __init__(self, *shape: int | Sequence[int], dtype: Any = np.float32) -> None:
        sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self._data = np.zeros(_full_shape(sizes) if len(sizes) else (0, 0, 0), _number_type(dtype))

    @classmethod
    def from_array(cls, array: Any) -> Tensor:
        """(C,H,W), (H,W) or (W,) -> a Tensor that SHARES the array's memory: a change of one is seen in the other."""
        array = _as_array(array)
        _number_type(array.dtype)
        if not 1 <= array.ndim <= 3:
            raise ShapeError("array", "1 to 3 axes", f"{array.ndim} axes, shape {array.shape}")
        tensor = cls.__new__(cls)
        tensor._data = array[(np.newaxis,) * (3 - array.ndim)]
        return tensor

    @classmethod
    def rand(cls, *shape: int | Sequence[int], seed: int, dtype: Any = np.float32) -> Tensor:
        """A new Tensor of standard normal numbers (mean 0, deviation 1); the same seed gives the same numbers.

        >>> bool((Tensor.rand(2, 3, seed=1).data == Tensor.rand(2, 3, seed=1).data).all())
        True
        """
        tensor = cls(*shape, dtype=dtype)
        if tensor._data.dtype.kind != "f":
            raise DTypeError(f"rand: expected a floating dtype, found {tensor._data.dtype.name}")
        (seed,) = _whole_numbers("seed", (seed,), "one whole number >= 0", {1})
        return tensor.fill(np.random.default_rng(seed).standard_normal(tensor.shapes))

    def copy(self) -> Tensor:
        """A Tensor with the same values in memory of its own."""
        return Tensor.from_array(self._data.copy())

    @property
    def data(self) -> np.ndarray:
        """The array itself, always (C, H, W), not a copy."""
        return self._data

    @property
    def channels(self) -> int:
        """C."""
        return self._data.shape[0]

    @property
    def rows(self) -> int:
        """H."""
        return self._data.shape[1]

    @property
    def cols(self) -> int:
        """W."""
        return self._data.shape[2]

    @property
    def size(self) -> int:
        """C * H * W."""
        return self._data.size

    @property
    def empty(self) -> bool:
        """Whether there is no element at all."""
        return self.size == 0

    @property
    def shapes(self) -> Shape:
        """(C, H, W): always three numbers."""
        return self._data.shape

    @property
    def raw_shapes(self) -> Shape:
        """The shape without leading ones: (1, 1, N) -> (N,), (1, H, W) -> (H, W), any other -> (C, H, W)."""
        channels, rows, cols = self.shapes
        if channels == 1:
            return (cols,) if rows == 1 else (rows, cols)
        return (channels, rows, cols)

    def slice(self, channel: int) -> np.ndarray:
        """One channel, (H, W), as a view: writing to it writes to the tensor."""
        (channel,) = self._inside(("channel", channel, self.channels))
        return self._data[channel]

    def at(self, channel: int, row: int, col: int) -> Any:
        """The element at (channel, row, col), each counted from 0; the same as `t[channel, row, col]`."""
        return self._data[self._place((channel, row, col))]

    def index(self, offset: int) -> Any:
        """The element at `offset` when the tensor is read row by row."""
        (offset,) = self._inside(("offset", offset, self.size))
        return self._data[np.unravel_index(offset, self.shapes)]

    def raw_ptr(self, offset: int = 0) -> np.ndarray:
        """The memory from element `offset` on, as a one-axis view; what is a pointer in C++.

        Adding to the pointer is slicing, writing through it changes the tensor, and its address is `.ctypes.data`.
        Raises InferError when the elements do not lie one after another, as in a column-major reshape.

        >>> x = Tensor(2, 2, 2)
        >>> x.raw_ptr(4)[:2] = 9
        >>> x.slice(1).tolist()
        [[9.0, 9.0], [0.0, 0.0]]
        """
        if not self._data.flags.c_contiguous:
            raise InferError("raw_ptr: expected elements that lie one after another, found strides; take .copy() first")
        (offset,) = self._inside(("offset", offset, self.size + 1))
        return self._data.reshape(-1)[offset:]

    def values(self, row_major: bool = True) -> np.ndarray:
        """All elements, (C*H*W,), in reading order, as a copy."""
        return flatten(self._data, row_major).copy()

    def fill(self, values: Any, row_major: bool = True) -> Tensor:
        """Write one value everywhere, or C*H*W `values` in reading order; returns the tensor itself.

        >>> Tensor(2, 3).fill(range(6), row_major=False).slice(0).tolist()
        [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
        """
        array = _as_array(values)
        if array.ndim and array.size != self.size:
            raise ShapeError("fill", f"one value or {self.size}, as the tensor {self.shapes} has", f"{array.size}")
        _write(self._data, reshape(array.reshape(1, 1, -1), self.shapes, row_major) if array.ndim else array)
        return self

    def transform(self, function: Callable[[Any], Any]) -> Tensor:
        """Replace each element x by function(x), one number at a time; returns the tensor itself.

        >>> Tensor(3).fill([1, 2, 3]).transform(lambda x: x * x).values().tolist()
        [1.0, 4.0, 9.0]
        """
        return self.fill([function(x) for x in flatten(self._data).tolist()])

    def reshape(self, shapes: Sequence[int], row_major: bool = True) -> Tensor:
        """A Tensor of shape (C', H', W'), (H', W') or (W',) with the same values in the same reading order."""
        return Tensor.from_array(reshape(self._data, shapes, row_major))

    def flatten(self, row_major: bool = True) -> Tensor:
        """A Tensor of raw shape (C*H*W,), each channel read row by row, or column by column."""
        return Tensor.from_array(flatten(self._data, row_major))

    def padding(self, pads: Sequence[int], value: float = 0.0) -> Tensor:
        """A Tensor (C, up + H + bottom, left + W + right); `pads` is (up, bottom, left, right)."""
        return Tensor.from_array(padding(self._data, pads, value))

    def show(self) -> None:
        """Print the tensor channel by channel; a large one with its middle left out."""
        print(self)

    def __getitem__(self, place: tuple[int, int, int]) -> Any:
        return self._data[self._place(place)]

    def __setitem__(self, place: tuple[int, int, int], value: Any) -> None:
        place = self._place(place)
        _write(self._data[place[0], place[1], place[2] : place[2] + 1], value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._data, dtype) if copy else np.asarray(self._data, dtype)

    def __repr__(self) -> str:
        return f"Tensor({self.channels}, {self.rows}, {self.cols}, dtype={self._data.dtype.name})"

    def __str__(self) -> str:
        lines = [repr(self)]
        for channel, grid in enumerate(self._data[:8]):
            lines += [f"channel {channel}:", np.array2string(grid, precision=4, threshold=200, suppress_small=True)]
        if self.channels > 8:
            lines.append(f"... {self.channels - 8} more channels")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"

    def _place(self, place: tuple[int, int, int]) -> tuple[int, int, int]:
        if not isinstance(place, tuple) or len(place) != 3:
            raise ShapeError("index", "(channel, row, col)", f"{place!r}")
        axes = zip(("channel", "row", "col"), place, self.shapes, strict=True)
        channel, row, col = self._inside(*axes)
        return channel, row, col

    def _inside(self, *checks: tuple[str, Any, int]) -> list[int]:
        for name, index, size in checks:
            if not _is_whole(index) or not 0 <= index < size:
                expected = f"a whole number from 0 to {size - 1}" if size else "no index at all, as it has no element"
                raise ShapeError(f"{name} of a tensor {self.shapes}", expected, f"{index!r}")
        return [operator.index(index) for _, index, _ in checks]


def _as_array(values: Any) -> np.ndarray:
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ShapeError("values", "an array, or lists of equal length", f"{values!r:.60} ({error})") from None


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, (bool, np.ndarray))


def _whole_numbers(what: str, values: Any, expected: str, counts: set[int]) -> list[int]:
    numbers = list(values) if isinstance(values, (Sequence, np.ndarray)) else [values]
    if len(numbers) not in counts or not all(_is_whole(n) and n >= 0 for n in numbers):
        raise ShapeError(what, expected, f"{values!r}")
    return [operator.index(n) for n in numbers]


def _full_shape(shapes: Any) -> Shape:
    sizes = _whole_numbers("shape", shapes, "one to three sizes >= 0: (channels, rows, cols)", {1, 2, 3})
    return (1,) * (3 - len(sizes)) + tuple(sizes)


def _three_axes(x: np.ndarray) -> Shape:
    if getattr(x, "ndim", None) != 3:
        raise ShapeError("x", "three axes (channels, rows, cols)", f"shape {getattr(x, 'shape', type(x).__name__)}")
    return x.shape


def _number_type(dtype: Any) -> np.dtype:
    try:
        number = np.dtype(dtype)
    except TypeError:
        raise DTypeError(f"dtype: expected a numpy type of numbers, found {dtype!r}") from None
    if number.kind not in "biufc":
        raise DTypeError(f"dtype: expected numbers, found {number}")
    return number


def _write(target: np.ndarray, values: Any) -> None:
    if not target.flags.writeable:
        raise InferError("the tensor shares read-only memory; write to a .copy() of it")
    try:
        target[...] = values
    except (TypeError, ValueError, OverflowError) as error:
        raise InferError(f"expected values that fit into {target.dtype.name}: {error}") from None
