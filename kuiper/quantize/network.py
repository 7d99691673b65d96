"""A network whose weights are in fewer bits: how an operator holds them, and how they are made.

    nn.Linear fc 1 1 0 1 bias=True @bias=(128)f32 @weight=(128,32)i8 @weight_scale=(128)f32 #0=(1,32)f32 #1=(1,128)f32

A weight of 8 bits is an attribute of type i8, and its scales are one named like it with `_scale` behind: float32,
(rows,) or (rows, blocks). A weight of 16 bits is of type f16, and the operator's output is declared as f32: that tells
it from a network that computes in half precision, whose outputs are f16. PNNX itself has no such pairs: its tools read
the file as a network with integer weights and a surplus attribute.

    nn.Linear fc 1 1 0 1 activation_bits=8 bias=True @bias=(128)f32 @weight=(128,32)i8 @weight_scale=(128)f32 ...

A product with the parameter `activation_bits=8` rounds its input too (activations.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from kuiper import dtypes
from kuiper.errors import KuiperError, ParameterError
from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, Shape
from kuiper.graph.operator import copied_operators
from kuiper.quantize.activations import ACTIVATION_BITS
from kuiper.quantize.weights import PIECE, QuantizedWeight, WeightFigures, dequantized, figures_of, quantize

SCALE = "_scale"
"""Behind the name of a weight: that of its scales."""
ACTIVATIONS = "activation_bits"
"""The parameter of a product that rounds its input."""
KINDS = frozenset(["linear", "embedding", *(f"conv{t}{n}d" for t in ("", "transpose") for n in (1, 2, 3))])
"""Operators, modules as well as functions, whose `weight` holds most of a network's numbers."""
_OF_TABLES = frozenset(["linear", "embedding"])
"""Those that take a weight in fewer bits as an input of that name, too: from a table that several of them share."""
_FLOATS = ("f32", "f16", "bf16")


def kind_of(op: Operator) -> str:
    """What it computes, whether it is a module or a function.

    >>> kind_of(Operator("nn.ConvTranspose2d", "up")), kind_of(Operator("F.conv_transpose2d", "up"))
    ('convtranspose2d', 'convtranspose2d')
    """
    return op.type.partition(".")[2].replace("_", "").lower()


def weights_of(op: Operator) -> dict[str, QuantizedWeight]:
    """The operator's weights in fewer bits, by name.

    Raises ParameterError, which names the scales, where these are of another type or shape.
    """
    found: dict[str, QuantizedWeight] = {}
    declared = op.outputs[0].dtype if op.outputs else None
    for key, attribute in op.attributes.items():
        scale = op.attributes.get(key + SCALE)
        if attribute.dtype.code == "i8" and scale is not None:
            try:
                found[key] = QuantizedWeight(attribute.data, scale.data)
            except ParameterError as error:
                raise ParameterError(
                    key + error.parameter.removeprefix("weight"), error.expected, error.found
                ) from None
        elif attribute.dtype.code == "f16" and declared is not None and declared.code == "f32":
            found[key] = QuantizedWeight(attribute.data)
    return found


def dequantized_operator(op: Operator) -> Operator:
    """The operator with its weights as float32, for those who know no other; itself where they are.

    It does not round its input then.
    """
    found = weights_of(op)
    if kind_of(op) == "linear" and ACTIVATIONS in op.params:
        op = replace(op, params={key: value for key, value in op.params.items() if key != ACTIVATIONS})
    if not found:
        return op
    scales = {key + SCALE for key, weight in found.items() if weight.scale is not None}
    kept = {key: attribute for key, attribute in op.attributes.items() if key not in scales}
    whole = {key: Attribute.from_array(dequantized(weight)) for key, weight in found.items()}
    return replace(op, attributes=kept | whole)


def read_as_weight(operand: Operand) -> bool:
    """Whether nothing but products and look-ups of rows read it, and each of them as its weight."""
    return bool(operand.consumers) and all(
        kind_of(reader) in _OF_TABLES
        and all(name == "weight" for o, name in zip(reader.inputs, reader.input_names) if o is operand)
        for reader in operand.consumers
    )


def without_own_tables(graph: Graph) -> Graph:
    """The graph, of which no module is given its own weight as an input too, as PNNX writes a shared one.

        pnnx.Attribute  table    0 1 19 @data=(50,24)f32
        nn.Linear       lm_head  2 1 19 118 119 ... @weight=(50,24)f32

    A table that nothing else reads goes, or it would stay in float32 beside the weight in fewer bits.
    """
    dropped = set[str]()
    for op in graph:
        own = op.attributes.get("weight")
        if own is None or kind_of(op) not in _OF_TABLES:
            continue
        surplus = [o for o, name in zip(op.inputs, op.input_names) if name is None and _holds(o.producer, own)]
        kept = [slot for slot, operand in enumerate(op.inputs) if operand not in surplus]
        if surplus and kept:
            op.inputs, op.input_names = [op.inputs[i] for i in kept], [op.input_names[i] for i in kept]
            dropped |= {operand.name for operand in surplus}
    graph.connect()
    unread = {name for name in dropped if not graph.operands[name].consumers}
    graph.operators = [op for op in graph if not unread.intersection(o.name for o in op.outputs)]
    return graph.connect()


def _holds(producer: Operator | None, weight: Attribute) -> bool:
    """Whether it is a table of these very numbers; the reader makes one attribute of equal bytes."""
    return producer is not None and producer.type == "pnnx.Attribute" and producer.attributes.get("data") is weight


def small_weights(operators: Iterable[Operator], bits: int = 8) -> list[tuple[Operator, str]]:
    """(operator, name) of the weights among a graph's operators that `quantize_network` puts into fewer bits.

    Arrays of floats with two axes or more: `weight` of KINDS, and tables that only products and look-ups of rows read.
    What computes in another type than float32 stays; for 16 bits the file has to say that it does.
    """
    found = []
    for op in operators:
        table = op.type == "pnnx.Attribute" and read_as_weight(op.outputs[0])
        key = "data" if table else "weight"
        attribute = op.attributes.get(key)
        if attribute is None or not (table or kind_of(op) in KINDS):
            continue
        declared = op.outputs[0].dtype if op.outputs else None
        fits = bits == 8 if declared is None else declared.code == "f32"
        if fits and attribute.dtype.code in _FLOATS and len(attribute.shape) > 1 and 0 not in attribute.shape:
            found.append((op, key))
    return found


@dataclass(frozen=True)
class StoredWeight:
    """A weight that was put into fewer bits: of which operator, its name and shape, and what that did to it."""

    operator: str
    name: str
    shape: Shape
    block: int
    bytes_before: int
    bytes_after: int
    figures: WeightFigures


class _InFewerBits:
    """How a weight of float32, float16 or bfloat16 is put into fewer bits, some rows at a time."""

    def __init__(self, attribute: Attribute, bits: int, block: int | None) -> None:
        self.shape, self.bits = attribute.shape, bits
        self._attribute, self._block = attribute, block
        size = math.prod(self.shape[1:])
        self.block = block if block is not None and size % block == 0 else size

    def before(self, rows: slice) -> np.ndarray:
        """Rows as they were, in float32."""
        whole = dtypes.widen(self._attribute.raw[rows], self._attribute.dtype)
        return whole.astype(np.float32, copy=False)

    def after(self, rows: slice) -> QuantizedWeight:
        """The same rows in fewer bits."""
        made = quantize(self.before(rows), self.bits, self._block)
        assert isinstance(made, QuantizedWeight), "32 bits change nothing"
        return made

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(before, after) of all rows, some at a time."""
        step = max(1, PIECE // math.prod(self.shape[1:]))
        for start in range(0, self.shape[0], step):
            rows = slice(start, start + step)
            yield self.before(rows), dequantized(self.after(rows))

    def values(self) -> Attribute:
        """The attribute of the values."""
        return self._made("i8" if self.bits == 8 else "f16", self.shape, lambda rows: self.after(rows).values)

    def scales(self) -> Attribute:
        """The attribute of the scales, of 8 bits."""
        size = math.prod(self.shape[1:])
        shape = (self.shape[0],) if self.block == size and self._block != size else (self.shape[0], size // self.block)
        return self._made("f32", shape, lambda rows: self.after(rows).scale)

    def _made(self, code: str, shape: Shape, made: Callable[[slice], Any]) -> Attribute:
        dtype = dtypes.DTYPES[code]
        rows = MadeRows(shape, dtype.storage, made, math.prod(self.shape[1:]))
        return Attribute(dtype, shape, cast(Any, rows))


class MadeRows:
    """An array whose rows are made when they are asked for: made(slice of rows) gives them, each of so many numbers."""

    def __init__(self, shape: Shape, dtype: np.dtype, made: Callable[[slice], Any], numbers: int) -> None:
        self.shape, self.dtype, self.numbers, self._made = shape, dtype, numbers, made

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Some rows, as an array, for which little more memory is needed than it has."""
        start, stop, _ = rows.indices(self.shape[0])
        found = np.empty((max(0, stop - start), *self.shape[1:]), self.dtype)
        step = max(1, PIECE // max(1, self.numbers))
        for at in range(start, stop, step):
            found[at - start : at - start + step] = self._made(slice(at, min(at + step, stop)))
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """All of them."""
        return np.asarray(self[:], dtype)


@dataclass(frozen=True)
class QuantizedNetwork:
    """A graph, the weights that were put into fewer bits there, and the names of products that round their input."""

    graph: Graph
    weights: list[StoredWeight]
    rounding: tuple[str, ...] = ()

    @property
    def figures(self) -> WeightFigures:
        """Of all these weights together."""
        return sum((weight.figures for weight in self.weights), WeightFigures())


def quantize_network(graph: Graph, bits: int, block: int | None = None, activations: int = 32) -> QuantizedNetwork:
    """The same network with `small_weights` in so many bits; all else is shared with `graph`.

    Arrays of the new graph are made some rows at a time as they are asked for: `pnnx.write` needs memory for a piece,
    whatever the size of the network. Bytes before count four for each number.

    bits : 8 (one scale for each row, or for each `block` numbers of one), 16, or 32: weights in fewer bits become
        float32 again.
    activations : 8, beside 8 bits for weights: nn.Linear and F.linear with such weights round their input too; 32: none
        does.

    Raises KuiperError, which names the operator, for NaN, infinity and what float16 cannot hold; for activations of 8
    bits where no operator takes them.
    """
    quantize(np.zeros((1, 1), np.float32), bits, block)  # refuses other numbers of bits, and blocks that mean nothing
    if activations not in ACTIVATION_BITS:
        raise KuiperError(f"activations: expected 8 or 32 bits, found {activations}")
    if activations == 8 and bits != 8:
        raise KuiperError(f"activations: expected 8 bits only beside weights of 8 bits, found weights of {bits}")
    result = without_own_tables(Graph(copied_operators(graph), warnings=list(graph.warnings)).connect())
    if bits == 32:
        for op in result:
            op.attributes = dequantized_operator(op).attributes
    chosen = small_weights(result, bits) if bits != 32 else []
    stored = []
    for op, key in chosen:
        attribute = op.attributes[key]
        made = _InFewerBits(attribute, bits, block)
        try:
            figures = figures_of(made.pieces())
        except KuiperError as error:
            raise error.at(op.name) from None
        new = {key: made.values()} | ({key + SCALE: made.scales()} if bits == 8 else {})
        op.attributes = {**op.attributes, **new}
        sizes = 4 * math.prod(attribute.shape), sum(math.prod(a.shape) * a.dtype.itemsize for a in new.values())
        stored.append(StoredWeight(op.name, key, attribute.shape, made.block, *sizes, figures))
    return QuantizedNetwork(result, stored, _with_activations(result, activations))


def _with_activations(graph: Graph, bits: int) -> tuple[str, ...]:
    """Have products round their input, or not; -> the names of those that do. Raises KuiperError where none can."""
    found = []
    for op in graph:
        if kind_of(op) != "linear":
            continue
        op.params = {key: value for key, value in op.params.items() if key != ACTIVATIONS}
        if bits == 8 and _weight_is_int8(op):
            op.params[ACTIVATIONS] = Parameter.of(bits)
            found.append(op.name)
    if bits == 8 and not found:
        raise KuiperError("activations: expected nn.Linear or F.linear with a weight of 8 bits, found none")
    return tuple(found)


def _weight_is_int8(op: Operator) -> bool:
    """Whether the weight of a product is in 8 bits: its own, or a table."""
    weight = weights_of(op).get("weight")
    for operand, name in zip(op.inputs, op.input_names):
        if name == "weight" and operand.producer is not None and read_as_weight(operand):
            weight = weights_of(operand.producer).get("data")
    return weight is not None and weight.scale is not None and weight.ndim == 2
