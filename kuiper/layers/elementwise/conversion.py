"""Conversion: the same elements as another element type, and copies.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import as_array, converted
from kuiper.errors import ParameterError
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.cost import moves
from kuiper.layers.families import ARITHMETIC
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry

_SHORT = {
    "half": "f16",
    "float": "f32",
    "double": "f64",
    "short": "i16",
    "int": "i32",
    "long": "i64",
    "chalf": "c32",
    "cfloat": "c64",
    "cdouble": "c128",
}
_BY_NAME = {d.torch: d for d in dtypes.DTYPES.values()} | {name: dtypes.DTYPES[code] for name, code in _SHORT.items()}
_NUMBERED = ["u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c32", "c64", "c128", "bool"]
_BY_NUMBER = dict(enumerate(_NUMBERED)) | {15: "bf16"}


def element_type(dtype: Any) -> dtypes.DType | None:
    """The element type of PyTorch's name for it, or of the number that PyTorch's core uses; None for None.

    Raises ParameterError for any other.

    >>> element_type("torch.long").code, element_type("torch.float16").code, element_type(11).code
    ('i64', 'f16', 'bool')
    """
    if dtype is None:
        return None
    if isinstance(dtype, str) and dtype.removeprefix("torch.") in _BY_NAME:
        return _BY_NAME[dtype.removeprefix("torch.")]
    if isinstance(dtype, int) and dtype in _BY_NUMBER:
        return dtypes.DTYPES[_BY_NUMBER[dtype]]
    raise ParameterError("dtype", f"None or torch. with one of {', '.join(_BY_NAME)}", repr(dtype))


def numpy_type(dtype: Any, default: Any = np.float32) -> np.dtype:
    """The numpy type that layers compute with for PyTorch's name of an element type; `default` for None."""
    kind = element_type(dtype)
    return np.dtype(default) if kind is None else kind.compute


def round_to_bfloat16(x: np.ndarray) -> np.ndarray:
    """float32 -> the nearest float32 whose last 16 bits are 0 (halves to the even neighbour), which bfloat16 can hold.

    >>> round_to_bfloat16(np.array([1.001, 3.14159], np.float32)).tolist()
    [1.0, 3.140625]
    """
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(x), x, nearest.astype(np.uint32).view(np.float32)).reshape(x.shape)


@registry.register("Tensor.to")
class To(Layer):
    """(...) -> (...): x as another element type.

    Parameters
    ----------
    dtype : PyTorch's name, such as "torch.float"; None keeps the type.
    copy, memory_format, device, non_blocking : where the elements lie in memory, which changes no result.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html

    >>> To(dtype="torch.long").forward(np.array([1.7, -1.7])).tolist()
    [1, -1]
    """

    family = ARITHMETIC
    flops = moves

    def __init__(
        self,
        dtype: Any = None,
        copy: bool = False,
        memory_format: Any = None,
        device: Any = None,
        non_blocking: bool = False,
    ) -> None:
        self.dtype, self.copy = element_type(dtype), copy

    def forward(self, x: Any) -> np.ndarray:
        """Convert x."""
        x = as_array(x)
        y = x if self.dtype is None else converted(x, self.dtype.compute)
        if self.dtype is not None and self.dtype.code == "bf16":
            y = round_to_bfloat16(y)
        return y.copy() if self.copy and y is x else y


@registry.register("Tensor.type_as")
class TypeAs(Layer):
    """(...), other -> (...): x as the element type of `other`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type_as.html
    """

    family = ARITHMETIC
    flops = moves

    def forward(self, x: Any, other: Any) -> np.ndarray:
        """Convert x."""
        return converted(as_array(x), as_array(other).dtype)


@registry.register("torch.clone", "Tensor.clone", "Tensor.contiguous", "Tensor.detach", "aten::detach")
@registry.register("aten::contiguous", inputs=("x _",))
class Clone(Movement):
    """(...) -> (...): a copy of x, so that what is done to one leaves the other.

    Layers never write to an input, so nothing depends on it here. `memory_format` changes no result.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.clone.html
    """

    def __init__(self, memory_format: Any = None) -> None:
        self.memory_format = memory_format

    def forward(self, x: Any) -> np.ndarray:
        """Give x."""
        return as_array(x)


@registry.register("Tensor.copy")
@registry.register("aten::copy", inputs=("x x _",))
class Copy(Movement):
    """(a, b), src -> (a, b): `src` broadcast to x's shape, as x's element type.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.copy_.html
    """

    def forward(self, x: np.ndarray, src: Any) -> np.ndarray:
        """Compute what x.copy_(src) leaves in x."""
        return np.broadcast_to(converted(np.asarray(src), x.dtype), x.shape)
