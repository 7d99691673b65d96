"""The graph as the PNNX file describes it: operators joined by operands.

Source: PNNX, https://github.com/pnnx/pnnx (ir.h)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from kuiper import dtypes

Shape = tuple[int, ...]  # -1 marks a dimension that is known only when the network runs


class ParameterKind(IntEnum):
    """What a parameter's text means; the numbers are PNNX's own."""

    NULL = 0
    BOOL = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    INTS = 5
    FLOATS = 6
    STRINGS = 7
    COMPLEX = 10
    COMPLEXES = 11


@dataclass
class Parameter:
    """One `key=value` of an operator: None, bool, int, float, str, complex, or a list of one of the last five."""

    kind: ParameterKind
    value: Any = None


@dataclass
class Attribute:
    """One weight array: `raw` holds the stored elements (often a view of the file), `data` what layers compute with."""

    dtype: dtypes.DType
    shape: Shape
    raw: np.ndarray

    @property
    def data(self) -> np.ndarray:
        """The weights with shape `shape`; read-only, shared with the file where the type allows."""
        return dtypes.widen(self.raw, self.dtype)

    @classmethod
    def from_array(cls, array: np.ndarray) -> Attribute:
        """An attribute that holds `array`, whose element type must be one of PNNX's; a 0-d array becomes (1)."""
        dtype = dtypes.of(array)
        raw = np.ascontiguousarray(array, dtype.storage)
        return cls(dtype, raw.shape, raw)


@dataclass(eq=False)
class Operand:
    """A value that flows: written by one operator, read by any number.

    `shape` and `dtype` are None where the file does not say (scalars, lists, unknown shapes).
    `consumers` has one entry per slot that reads the operand: an operator that reads it twice stands there twice.
    """

    name: str
    producer: Operator | None = field(default=None, repr=False)
    consumers: list[Operator] = field(default_factory=list, repr=False)
    shape: Shape | None = None
    dtype: dtypes.DType | None = None


@dataclass(eq=False)
class Operator:
    """One line of the file.

    `inputs` is keyed by slot: the same operand may stand in several. `input_names[i]` is the name that slot i bears
    (`$weight=7`), or None where the file gives none. `line` is the operator's line in the file it was read from.
    """

    type: str
    name: str
    inputs: list[Operand] = field(default_factory=list, repr=False)
    outputs: list[Operand] = field(default_factory=list, repr=False)
    input_names: list[str | None] = field(default_factory=list, repr=False)
    params: dict[str, Parameter] = field(default_factory=dict, repr=False)
    attributes: dict[str, Attribute] = field(default_factory=dict, repr=False)
    line: int | None = field(default=None, repr=False)


@dataclass
class Graph:
    """Operators in file order, and the operands between them by name.

    `warnings` are sentences about what the reader met that is allowed but rarely meant.
    """

    operators: list[Operator] = field(default_factory=list)
    operands: dict[str, Operand] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators)

    def operator(self, name: str) -> Operator:
        """The operator of that name. Raises KeyError."""
        for op in self.operators:
            if op.name == name:
                return op
        raise KeyError(name)
