"""Runtime twins of what the model file holds: values, weights and parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from kuiper.dtypes import DType
from kuiper.errors import ShapeError
from kuiper.tensor import Tensor


class RuntimeParameterType(IntEnum):
    """Kinds of parameter; the numbers are PNNX's."""

    UNKNOWN = 0
    BOOL = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    INT_ARRAY = 5
    FLOAT_ARRAY = 6
    STRING_ARRAY = 7
    COMPLEX = 10
    COMPLEX_ARRAY = 11


@dataclass
class RuntimeParameter:
    """One option of an operator: its kind, and its value as plain Python."""

    type: RuntimeParameterType
    value: Any = None


@dataclass
class RuntimeAttribute:
    """One weight array of an operator."""

    type: DType
    shape: tuple[int, ...]
    weight_data: np.ndarray = field(repr=False)

    def get(self) -> np.ndarray:
        """The weights, `shape`, read-only and shared: any number of layers may ask for them."""
        return self.weight_data


@dataclass(eq=False)
class RuntimeOperand:
    """The value between two operators, batch first: (N, C, H, W).

    `shapes` is what the file says (-1 = known only at run time; None = not said). `data` is the array of the last
    forward pass for the operands that were kept: the graph's inputs, outputs, and those asked for by name.
    """

    name: str
    shapes: tuple[int, ...] | None = None
    type: DType | None = None
    data: Any = field(default=None, repr=False)

    @property
    def datas(self) -> list[Tensor]:
        """The course's view of `data`: N Tensors, one per sample, that share its memory.

        Raises ShapeError when there is no array, or its rank is not 2, 3 or 4.
        """
        if not isinstance(self.data, np.ndarray) or not 2 <= self.data.ndim <= 4:
            found = f"shape {self.data.shape}" if isinstance(self.data, np.ndarray) else type(self.data).__name__
            raise ShapeError(
                f"operand {self.name}", "an array of rank 2, 3 or 4 (batch first), kept by the last forward", found
            )
        return [Tensor.from_array(sample) for sample in self.data]
