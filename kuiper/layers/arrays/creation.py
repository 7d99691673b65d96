"""Creation: arrays from a shape and a number, or from a range.

`dtype` is PyTorch's name of the element type; None means float32, or what is said otherwise.
Source: https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import as_array, converted, finite_or_not
from kuiper.errors import ParameterError
from kuiper.layers.arrays.shape import integers
from kuiper.layers.cost import moves, per_output
from kuiper.layers.elementwise.conversion import numpy_type
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

NEW = "dtype _ _ _"
"""How the inputs of PyTorch's functions that create an array end: element type, layout, device, pinned memory."""


class _Creation(Layer):
    family = ARITHMETIC
    flops = moves


@registry.register("torch.full")
@registry.register("aten::full", inputs=(f"size fill_value {NEW}",))
class Full(_Creation):
    """size -> (size): every element fill_value; dtype=None takes its type: bool, int64, float32 or complex64.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.full.html
    """

    def __init__(self, size: Any, fill_value: Any, dtype: Any = None) -> None:
        self.size, self.dtype, self.fill_value = integers(size), dtype, np.asarray(finite_or_not(fill_value))

    def forward(self) -> np.ndarray:
        """Make the array."""
        dtype = numpy_type(self.dtype, dtypes.result_type(self.fill_value.item()))
        return np.full(self.size, converted(self.fill_value, dtype))


@registry.register("torch.zeros", "torch.empty")
@registry.register("aten::empty", inputs=(f"size {NEW} _",))
class Zeros(Full):
    """size -> (size): zeros. torch.empty leaves the elements open; here they are 0 as well.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.zeros.html

    >>> Zeros(size=[2], dtype="torch.long").forward()
    array([0, 0])
    """

    def __init__(self, size: Any, dtype: Any = None) -> None:
        super().__init__(size, 0.0, dtype)


@registry.register("torch.ones")
class Ones(Full):
    """size -> (size): ones.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.ones.html
    """

    def __init__(self, size: Any, dtype: Any = None) -> None:
        super().__init__(size, 1.0, dtype)


@registry.register("torch.full_like", "Tensor.new_full", "Tensor.fill")
@registry.register("aten::full_like", inputs=(f"x fill_value {NEW} _",))
@registry.register("aten::new_full", inputs=(f"x size fill_value {NEW}",))
@registry.register("aten::fill", inputs=("x value",))
class FullLike(_Creation):
    """x -> (the shape of x): every element fill_value, of x's element type unless dtype says otherwise.

    Parameters
    ----------
    fill_value, value : the number, which Tensor.fill calls value.
    size : another shape than x's (Tensor.new_full).

    Source: https://docs.pytorch.org/docs/stable/generated/torch.full_like.html

    >>> FullLike(fill_value=2.7).forward(np.zeros(2, np.int64))
    array([2, 2])
    """

    def __init__(self, fill_value: Any = None, dtype: Any = None, size: Any = None, value: Any = None) -> None:
        number = value if fill_value is None else fill_value
        if number is None or np.ndim(number) > 0:
            raise ParameterError("fill_value", "a number", repr(number))
        self.fill_value, self.dtype = np.asarray(finite_or_not(number)), dtype
        self.sizes = () if size is None else (integers(size),)

    def forward(self, x: Any) -> np.ndarray:
        """Make the array."""
        dtype = numpy_type(self.dtype, as_array(x).dtype)
        return np.full(self.sizes[0] if self.sizes else np.shape(x), converted(self.fill_value, dtype))


@registry.register("torch.zeros_like", "torch.empty_like", "Tensor.new_zeros", "Tensor.new_empty", "aten::zero")
@registry.register("aten::empty_like", inputs=(f"x {NEW} _",))
class ZerosLike(FullLike):
    """x -> (the shape of x): zeros of x's element type, unless dtype says otherwise. Tensor.new_zeros gives a `size`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.zeros_like.html
    """

    def __init__(self, dtype: Any = None, size: Any = None) -> None:
        super().__init__(0, dtype, size)


@registry.register("torch.ones_like", "Tensor.new_ones")
class OnesLike(FullLike):
    """x -> (the shape of x): ones of x's element type, unless dtype says otherwise. Tensor.new_ones gives a `size`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.ones_like.html
    """

    def __init__(self, dtype: Any = None, size: Any = None) -> None:
        super().__init__(1, dtype, size)


@registry.register("torch.arange")
@registry.register("aten::arange", inputs=(f"end {NEW}", f"start end {NEW}", f"start end step {NEW}"))
class Arange(_Creation):
    """start, end, step -> (ceil((end - start) / step)): start, start + step, ... before end.

    dtype=None means int64 where all three are integers, float32 otherwise.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.arange.html

    >>> Arange(end=1, step=0.25).forward()
    array([0.  , 0.25, 0.5 , 0.75], dtype=float32)
    """

    def __init__(self, end: Any, start: Any = 0, step: Any = 1, dtype: Any = None) -> None:
        limits: list[Any] = [n.item() if isinstance(n, np.ndarray) else n for n in (start, end, step)]
        whole = all(isinstance(n, int) for n in limits)
        self.dtype = numpy_type(dtype, np.int64 if whole else np.float32)
        first, last, stride = limits
        if self.dtype == np.int64:
            limits = [int(n) for n in limits]
        self.start, self.end, self.step = limits
        if self.step == 0 or (last - first) * stride < 0:
            raise ParameterError("step", f"one that leads from {first} towards {last}", str(stride))

    def forward(self) -> np.ndarray:
        """Make the range."""
        start, step = self.start, self.step
        if self.dtype.kind == "i":
            count = math.ceil((self.end - start) / step) if self.dtype.itemsize < 8 else -((start - self.end) // step)
            return (int(start) + int(step) * np.arange(count)).astype(self.dtype)
        count = math.ceil((self.end - start) / step)
        return (start + step * np.arange(count, dtype=np.float64)).astype(self.dtype)


@registry.register("torch.linspace")
@registry.register("aten::linspace", inputs=(f"start end steps {NEW}",))
class Linspace(_Creation):
    """start, end -> (steps): numbers at equal distances from start to end, both included.

    The first half is counted from start and the second from end, so that both ends are exact. Where the element type
    is an integer, start and end lose their fraction first.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.linspace.html

    >>> Linspace(start=0, end=1, steps=3).forward()
    array([0. , 0.5, 1. ], dtype=float32)
    """

    flops = per_output(2)

    def __init__(self, start: Any, end: Any, steps: Any, dtype: Any = None) -> None:
        self.steps, self.dtype = int(steps), numpy_type(dtype)
        whole = int if self.dtype.kind in "iu" else float
        self.start, self.end = float(whole(start)), float(whole(end))

    def forward(self) -> np.ndarray:
        """Make the numbers."""
        return converted(self.numbers(), self.dtype)

    def numbers(self) -> np.ndarray:
        """The numbers in float64."""
        index = np.arange(self.steps, dtype=np.float64)
        if self.steps < 2:
            return self.start + index
        step = (self.end - self.start) / (self.steps - 1)
        half = index < self.steps // 2
        return np.where(half, self.start + step * index, self.end - step * (self.steps - 1 - index))


@registry.register("torch.logspace")
@registry.register("aten::logspace", inputs=(f"start end steps base {NEW}",))
class Logspace(Linspace):
    """start, end -> (steps): `base` to the power of numbers at equal distances from start to end.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.logspace.html
    """

    flops = per_output(3)

    def __init__(self, start: Any, end: Any, steps: Any, base: Any = 10.0, dtype: Any = None) -> None:
        super().__init__(start, end, steps, dtype)
        self.base = float(base)

    def forward(self) -> np.ndarray:
        """Make the numbers."""
        return converted(self.base ** self.numbers(), self.dtype)


@registry.register("torch.eye")
@registry.register("aten::eye", inputs=(f"n {NEW}", f"n m {NEW}"))
class Eye(_Creation):
    """n, m -> (n, m): ones on the main diagonal, zeros elsewhere; m=None means n.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.eye.html
    """

    def __init__(self, n: Any, m: Any = None, dtype: Any = None) -> None:
        self.n, self.m, self.dtype = int(n), int(n if m is None else m), numpy_type(dtype)

    def forward(self) -> np.ndarray:
        """Make the matrix."""
        return np.eye(self.n, self.m, dtype=self.dtype)


@registry.register("aten::scalar_tensor", inputs=(f"x {NEW}",))
class ScalarTensor(_Creation):
    """A number -> (): it as a 0-d array.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    """

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = dtype

    def forward(self, number: Any) -> np.ndarray:
        """Make the array."""
        return converted(np.asarray(number), numpy_type(self.dtype))
