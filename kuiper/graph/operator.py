"""The graph: operators joined by operands. The file is read into it, and what runs a network works on it.

Source: PNNX, https://github.com/pnnx/pnnx (ir.h)
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.errors import GraphError, KuiperError, ShapeError
from kuiper.graph.alignment import readable
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


LIST_OF = {
    ParameterKind.INT: ParameterKind.INTS,
    ParameterKind.FLOAT: ParameterKind.FLOATS,
    ParameterKind.STRING: ParameterKind.STRINGS,
    ParameterKind.COMPLEX: ParameterKind.COMPLEXES,
}
"""Kind of an element -> kind of a list of such."""
_KINDS: dict[type, ParameterKind] = {
    type(None): ParameterKind.NULL,
    bool: ParameterKind.BOOL,
    int: ParameterKind.INT,
    float: ParameterKind.FLOAT,
    complex: ParameterKind.COMPLEX,
    str: ParameterKind.STRING,
}
_ELEMENTS: tuple[type, ...] = (int, float, complex, str)
"""What a list may hold; each type can say what those before it say, and text says everything."""


@dataclass
class Parameter:
    """One `key=value` of an operator: None, bool, int, float, str, complex, or a list of one of the last four."""

    kind: ParameterKind
    value: Any = None

    @classmethod
    def of(cls, value: Any) -> Parameter:
        """The parameter that a Python value means, by the rules that the file's texts are read by.

        A list of several kinds takes the kind that can hold every element, int < float < complex < text; an empty one
        is None. Raises KuiperError for what is no parameter, such as an array or a list of lists.

        >>> Parameter.of((3, 3)).value, Parameter.of([1, 0.5]).value, Parameter.of(2.0).kind.name
        ([3, 3], [1.0, 0.5], 'FLOAT')
        """
        if not isinstance(value, (list, tuple)):
            value = _plain(value)
            return cls(_KINDS[type(value)], value)
        if not value:
            return cls(ParameterKind.NULL)
        elements = [_plain(element) for element in value]
        types = [type(element) if type(element) in _ELEMENTS else str for element in elements]
        widest = max(types, key=_ELEMENTS.index)
        try:
            return cls(LIST_OF[_KINDS[widest]], [widest(element) for element in elements])
        except (OverflowError, ValueError) as error:
            raise KuiperError(f"expected integers that {widest.__name__} can hold beside one: {error}") from None


def _plain(value: Any) -> Any:
    """A value of just one of the types of _KINDS, also for numpy's scalars and for subclasses."""
    if isinstance(value, np.generic):
        value = value.item()
    for kind in _KINDS:
        if isinstance(value, kind):
            return value if kind is type(None) else kind(value)
    expected = "None, a bool, int, float, complex, str, or a list of one of the last four"
    hint = "; an array is a weight: attributes={name: array}" if isinstance(value, np.ndarray) else ""
    raise KuiperError(f"expected {expected}, found {type(value).__name__} {value!s:.40}{hint}")


@dataclass
class Attribute:
    """One weight array: `raw` holds the stored elements (often a view of the file), `data` what layers compute with.

    `raw` may also be something with the array's shape and type that makes rows when they are asked for.
    """

    dtype: dtypes.DType
    shape: Shape
    raw: np.ndarray = field(repr=False)

    @cached_property
    def data(self) -> np.ndarray:
        """The weights with shape `shape`; read-only, shared with the file unless type or place need a copy."""
        weights = readable(dtypes.widen(np.asarray(self.raw), self.dtype)).view()
        weights.flags.writeable = False
        return weights

    @classmethod
    def from_array(cls, array: np.ndarray) -> Attribute:
        """An attribute that holds `array`; a 0-d array becomes (1). Raises KuiperError for a type PNNX lacks."""
        if not isinstance(array, (np.ndarray, np.generic)):
            raise KuiperError(f"expected a numpy array, found {type(array).__name__}; write np.asarray(...)")
        dtype = dtypes.of(array)
        raw = np.ascontiguousarray(array, dtype.storage)
        return cls(dtype, raw.shape, raw)


@dataclass(eq=False)
class Operand:
    """A value that flows, batch first: (N, C, H, W). One operator writes it, any number read it.

    shape, dtype : what the file says; None where it does not (scalars, lists, unknown shapes). The element type may be
        given as PNNX's code ("f32") or numpy's type.
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

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise GraphError(f"an operand: expected its name, as in Operand('0'), found {self.name!r:.60}")
        try:
            self.shape = None if self.shape is None else tuple(map(index, self.shape))
        except TypeError:
            expected = "whole numbers, -1 for an open dimension"
            raise GraphError(f"shape of operand {self.name}: expected {expected}, found {self.shape!r:.60}") from None
        if self.dtype is not None:
            try:
                self.dtype = dtypes.of_type(self.dtype)
            except KuiperError as error:
                raise GraphError(f"operand {self.name}: {error.message}") from None

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
    """One operation of the network, one line of the file.

    inputs : the operands it reads, by slot: the same operand may fill several.
    input_names : the name of each slot (`$weight=7`), None where the file gives none.
    outputs : the operands it writes.
    params, attributes : its options and its weights, by name. Plain values and arrays may be given: they become
        Parameters (see Parameter.of) and Attributes.
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
        if not self.input_names and isinstance(self.inputs, (list, tuple)):
            self.input_names = [None] * len(self.inputs)
        self.settle()

    def settle(self) -> None:
        """Make Parameters of plain options and Attributes of arrays. Raises GraphError for what no operator has."""
        if not isinstance(self.type, str) or not isinstance(self.name, str):
            expected = "its type and its name, as in Operator('nn.ReLU', 'relu')"
            raise GraphError(f"an operator: expected {expected}, found {self.type!r:.60} and {self.name!r:.60}")
        for side, operands in (("inputs", self.inputs), ("outputs", self.outputs)):
            for operand in operands if isinstance(operands, (list, tuple)) else [operands]:
                if not isinstance(operand, Operand) or operand is operands:
                    found = f"{type(operand).__name__} {operand!s:.60}"
                    raise GraphError(f"{side}: expected a list of Operands, found {found}", operator=self.name)
        if len(self.input_names) != len(self.inputs):
            expected = f"one for each of the {len(self.inputs)} inputs, None where it has none"
            raise GraphError(f"input_names: expected {expected}, found {self.input_names}", operator=self.name)
        self.params = self._made("parameter", self.params, Parameter, Parameter.of)
        self.attributes = self._made("attribute", self.attributes, Attribute, Attribute.from_array)

    def _made(self, what: str, values: dict[str, Any], kind: Any, make: Callable[[Any], Any]) -> dict[str, Any]:
        """`values`, with those that are not of this kind made into it."""
        made = {}
        for key, value in values.items():
            if not isinstance(value, kind):
                try:
                    made[key] = make(value)
                except KuiperError as error:
                    raise GraphError(f"{what} {key}: {error.message}", operator=self.name) from None
        return values | made if made else values

    @property
    def producers(self) -> list[Operator]:
        """The operator that fills each slot, without slots that nobody fills."""
        return [operand.producer for operand in self.inputs if operand.producer is not None]

    @property
    def output_operators(self) -> dict[str, Operator]:
        """The operators that read what this one writes, by name: its successors."""
        return {reader.name: reader for operand in self.outputs for reader in operand.consumers}


@dataclass
class Graph:
    """Operators in file order, and the operands between them by name, once `connect` or the reader has found them.

    `warnings` are sentences about what the reader met that is allowed but rarely meant.

    >>> x, y = Operand("0", shape=(1, 3), dtype="f32"), Operand("1")
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

        Raises GraphError for two operators or two operands of one name, an operand that not exactly one writes, and
        what is no operator.
        """
        for op in self.operators:
            _settle(op)
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


def _settle(op: Any) -> None:
    if not isinstance(op, Operator):
        expected = "Operators, as in Graph([Operator('pnnx.Input', 'in', [], [x]), ...])"
        raise GraphError(f"a graph: expected {expected}, found {type(op).__name__} {op!s:.60}")
    op.settle()


def copied_operators(operators: Iterable[Operator]) -> list[Operator]:
    """Operators and operands of their own, without layers; options and weights are shared."""
    twins: dict[int, Operand] = {}
    operators = list(operators)
    for op in operators:
        _settle(op)

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
    return "(" + ",".join("?" if size < 0 else str(size) for size in shape) + ")"
