"""The graph: operators joined by operands. The file is read into it, and what runs a network works on it.

Source: PNNX, https://github.com/pnnx/pnnx (ir.h)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.errors import GraphError, KuiperError, ShapeError
from kuiper.tensor import Tensor

Shape = tuple[int, ...]  # -1 marks a dimension that is known only when the network runs

BOUNDARY = ("pnnx.Input", "pnnx.Output")
"""Types of operators that compute nothing: they stand for the caller."""


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
    """One `key=value` of an operator: None, bool, int, float, str, complex, or a list of one of the last four."""

    kind: ParameterKind
    value: Any = None


@dataclass
class Attribute:
    """One weight array: `raw` holds the stored elements (often a view of the file), `data` what layers compute with."""

    dtype: dtypes.DType
    shape: Shape
    raw: np.ndarray = field(repr=False)

    @cached_property
    def data(self) -> np.ndarray:
        """The weights with shape `shape`; read-only, shared with the file where the type allows."""
        weights = dtypes.widen(self.raw, self.dtype).view()
        weights.flags.writeable = False
        return weights

    @classmethod
    def from_array(cls, array: np.ndarray) -> Attribute:
        """An attribute that holds `array`; a 0-d array becomes (1). Raises KuiperError for a type PNNX lacks."""
        try:
            dtype = dtypes.of(array)
        except KeyError as error:
            raise KuiperError(f"attribute: {error.args[0]}") from None
        raw = np.ascontiguousarray(array, dtype.storage)
        return cls(dtype, raw.shape, raw)


@dataclass(eq=False)
class Operand:
    """A value that flows, batch first: (N, C, H, W). One operator writes it, any number read it.

    shape, dtype : what the file says; None where it does not (scalars, lists, unknown shapes).
    producer : the operator that writes it.
    consumers : one entry per slot that reads it: an operator that reads it twice stands there twice.
    data : its value in the last forward pass that gave it out: as an output, or because `keep` asked for it.
    """

    name: str
    shape: Shape | None = None
    dtype: dtypes.DType | None = None
    producer: Operator | None = field(default=None, repr=False)
    consumers: list[Operator] = field(default_factory=list, repr=False)
    data: Any = field(default=None, repr=False)

    @property
    def datas(self) -> list[Tensor]:
        """`data` as N Tensors, one per sample, that share its memory.

        Raises ShapeError when there is no array, or its rank is not 2, 3 or 4.
        """
        if not isinstance(self.data, np.ndarray) or not 2 <= self.data.ndim <= 4:
            found = f"shape {self.data.shape}" if isinstance(self.data, np.ndarray) else type(self.data).__name__
            raise ShapeError(
                f"operand {self.name}", "an array of rank 2, 3 or 4 (batch first), kept by the last forward", found
            )
        return [Tensor.from_array(sample) for sample in self.data]


@dataclass(eq=False)
class Operator:
    """One step of the computation, one line of the file.

    inputs : the operands it reads, by slot: the same operand may fill several.
    input_names : the name of each slot (`$weight=7`), None where the file gives none.
    outputs : the operands it writes.
    params, attributes : its options and its weights, by name.
    layer : the kuiper.Layer that computes it; None before the graph is built, and for pnnx.Input and pnnx.Output.
    line : where it stands in the file.
    """

    type: str
    name: str
    inputs: list[Operand] = field(default_factory=list, repr=False)
    outputs: list[Operand] = field(default_factory=list, repr=False)
    input_names: list[str | None] = field(default_factory=list, repr=False)
    params: dict[str, Parameter] = field(default_factory=dict, repr=False)
    attributes: dict[str, Attribute] = field(default_factory=dict, repr=False)
    layer: Any = field(default=None, repr=False)
    line: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.input_names:
            self.input_names = [None] * len(self.inputs)

    @property
    def producers(self) -> list[Operator]:
        """The operator that fills each slot, without slots that nobody fills."""
        return [operand.producer for operand in self.inputs if operand.producer is not None]

    @property
    def output_operators(self) -> dict[str, Operator]:
        """The operators that read an output, by name."""
        return {reader.name: reader for operand in self.outputs for reader in operand.consumers}


@dataclass
class Graph:
    """Operators in file order, and the operands between them by name, once `connect` or the reader has found them.

    `warnings` are sentences about what the reader met that is allowed but rarely meant.

    >>> x, y = Operand("0", shape=(1, 3)), Operand("1")
    >>> source = Operator("pnnx.Input", "in", [], [x])
    >>> graph = Graph([source, Operator("nn.ReLU", "relu", [x], [y]), Operator("pnnx.Output", "out", [y])]).connect()
    >>> graph.operands["1"].producer.name, [operand.name for operand in graph.outputs]
    ('relu', ['1'])
    """

    operators: list[Operator] = field(default_factory=list)
    operands: dict[str, Operand] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators)

    @property
    def inputs(self) -> list[Operand]:
        """What the caller gives, in the order of the file."""
        return [operand for op in self.operators if op.type == "pnnx.Input" for operand in op.outputs]

    @property
    def outputs(self) -> list[Operand]:
        """What the caller gets, in the order of the file."""
        return [operand for op in self.operators if op.type == "pnnx.Output" for operand in op.inputs]

    def operator(self, name: str) -> Operator:
        """The operator of that name. Raises GraphError that suggests a similar one."""
        return find_operator(self.operators, name)

    def connect(self) -> Graph:
        """Tell every operand which operator writes it and which read it; -> the graph itself.

        Raises GraphError for two operators or two operands of one name, and an operand that not exactly one writes.
        """
        _unique("operator", self.operators)
        operands = {id(operand): operand for op in self.operators for operand in (*op.inputs, *op.outputs)}.values()
        _unique("operand", operands)
        self.operands = {operand.name: operand for operand in operands}
        for operand in operands:
            operand.producer, operand.consumers = None, []
        for op in self.operators:
            for operand in op.outputs:
                if operand.producer is not None:
                    both = f"{operand.producer.name} and {op.name}"
                    raise GraphError(f"operand {operand.name}: expected one operator that writes it, found {both}")
                operand.producer = op
            for operand in op.inputs:
                operand.consumers.append(op)
        for operand in operands:
            if operand.producer is None:
                reader = operand.consumers[0].name
                raise GraphError(f"operand {operand.name}: expected an operator that writes it; {reader} reads it")
        return self


def _unique(what: str, things: Iterable[Operator] | Iterable[Operand]) -> None:
    names: set[str] = set()
    for thing in things:
        if thing.name in names:
            raise GraphError(f"expected {what}s of different names, found two {what}s called {thing.name!r}")
        names.add(thing.name)


def copied_operators(operators: Iterable[Operator]) -> list[Operator]:
    """Operators and operands of their own, without layers; options and weights are shared."""
    twins: dict[int, Operand] = {}

    def twin(operand: Operand) -> Operand:
        return twins.setdefault(id(operand), Operand(operand.name, operand.shape, operand.dtype))

    return [
        replace(op, inputs=[twin(o) for o in op.inputs], outputs=[twin(o) for o in op.outputs], layer=None)
        for op in operators
    ]


def find_operator(operators: Iterable[Operator], name: str) -> Operator:
    """The one of `operators` that has this name. Raises GraphError that suggests a similar one."""
    names = {op.name: op for op in operators}
    if name in names:
        return names[name]
    similar = difflib.get_close_matches(name, names, 3)
    raise GraphError(f"no operator is called {name!r}" + (f"; similar: {', '.join(similar)}" if similar else ""))


def shape_text(shape: Iterable[int]) -> str:
    """A shape as the file writes it, "?" for a dimension known only at run time.

    >>> shape_text((-1, 3, 224, 224))
    '(?,3,224,224)'
    """
    return "(" + ",".join("?" if extent < 0 else str(extent) for extent in shape) + ")"
