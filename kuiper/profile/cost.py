"""What every operator of a network costs: weights, operations, space."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kuiper.errors import KuiperError
from kuiper.graph import BOUNDARY, Attribute, Extent, MemoryPlan, Operator, Shape, declared_extents, memory_plan_of
from kuiper.layers.cost import Shapes, UnknownShapeError
from kuiper.quantize import SCALE, weights_of
from kuiper.runtime import RuntimeGraph


@dataclass(frozen=True)
class OperatorCost:
    """One operator's share. `flops` is None where its layer does not count (`counted` False) or a shape is unknown."""

    operator: Operator
    outputs: tuple[Shape | None, ...]
    parameters: int
    weight_bytes: Mapping[str, int]
    flops: int | None
    counted: bool
    bytes_out: int | None
    bytes_in: int | None = None
    bytes_of_weights: int = 0

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.operator.name

    @property
    def type(self) -> str:
        """The operator's type."""
        return self.operator.type

    @property
    def bytes_touched(self) -> int | None:
        """Inputs, outputs, and the weights that are read, each once: what must move to and from memory at the least."""
        if self.bytes_in is None or self.bytes_out is None:
            return None
        return self.bytes_in + self.bytes_out + self.bytes_of_weights


@dataclass(frozen=True)
class NetworkCost:
    """The operators in execution order and what they add up to. `memory_plan` is None where shapes stay open."""

    operators: Sequence[OperatorCost]
    memory_plan: MemoryPlan | None = field(repr=False, default=None)

    @property
    def parameters(self) -> int:
        """Numbers stored in the model; weights that operators share count once."""
        return sum(op.parameters for op in self.operators)

    @property
    def weight_bytes(self) -> dict[str, int]:
        """Element type -> bytes of the weights of that type."""
        total: Counter[str] = Counter()
        for op in self.operators:
            total.update(op.weight_bytes)
        return dict(total)

    @property
    def flops(self) -> int:
        """Operations of one forward pass, as far as they can be counted."""
        return sum(op.flops or 0 for op in self.operators)

    @property
    def not_counted(self) -> dict[str, list[str]]:
        """Operator type -> names of the operators whose layers do not count their operations."""
        return _by_type(op for op in self.operators if not op.counted)

    @property
    def partial(self) -> bool:
        """Whether `flops` lacks operators: their layers do not count, they have none, or a shape is not known."""
        return any(op.flops is None for op in self.operators)

    @property
    def open_shapes(self) -> dict[str, list[str]]:
        """Operator type -> names of the operators whose operations depend on a shape that is not known."""
        return _by_type(op for op in self.operators if op.counted and op.flops is None)


def network_cost(order: Sequence[Operator], extents: Mapping[str, Extent] | None = None) -> NetworkCost:
    """The costs of operators in execution order.

    Parameters
    ----------
    extents : operand name -> what is known of it, as `measured_extents` finds; by default what the file declares.
    """
    extents = declared_extents(order) if extents is None else extents
    shared = _shared_weights(order)
    return NetworkCost([operator_cost(op, extents, shared) for op in order], memory_plan_of(order, extents))


def operator_cost(op: Operator, extents: Mapping[str, Extent], shared: Sequence[np.ndarray] = ()) -> OperatorCost:
    """The costs of one operator, given what is known of its operands; weights that equal one of `shared` are free."""
    stored = _own_weights(op, shared)
    scales = {id(op.attributes[key + SCALE]) for key, weight in weights_of(op).items() if weight.scale is not None}
    weight_bytes: Counter[str] = Counter()
    for attribute in stored:
        weight_bytes[attribute.dtype.code] += math.prod(attribute.shape) * attribute.dtype.itemsize
    inputs, outputs = ([extents[operand.name] for operand in side] for side in (op.inputs, op.outputs))
    read = {operand.name: extent.bytes for operand, extent in zip(op.inputs, inputs)}
    written, total = _sum(extent.bytes for extent in outputs), sum(weight_bytes.values())
    counted, operations = _flops(op, [extent.shape for extent in inputs], [extent.shape for extent in outputs])
    return OperatorCost(
        operator=op,
        outputs=tuple(extent.shape for extent in outputs),
        parameters=sum(math.prod(attribute.shape) for attribute in stored if id(attribute) not in scales),
        weight_bytes=dict(weight_bytes),
        flops=operations,
        counted=counted,
        bytes_out=written,
        bytes_in=_sum(read.values()),
        bytes_of_weights=total if op.layer is None or written is None else op.layer.weights_read(total, written),
    )


def _flops(op: Operator, inputs: Shapes, outputs: Shapes) -> tuple[bool, int | None]:
    """Whether the operator's layer counts its operations, and how many they are, None where a shape is not known."""
    if op.type in BOUNDARY:
        return True, 0
    if op.layer is None:
        return False, None
    try:
        return True, op.layer.flops(inputs, outputs)
    except NotImplementedError:
        return False, None
    except (UnknownShapeError, IndexError, KuiperError):  # an operator that lacks inputs, or cannot take these
        return True, None


def cost_together(
    cost: NetworkCost, groups: Iterable[Sequence[Operator]], extents: Mapping[str, Extent]
) -> NetworkCost:
    """The costs of groups of operators that are computed together, each under the name of the group's first.

    Their work adds up; what one of a group makes and only others of it read does not move to memory and back.
    """
    parts = {op.name: op for op in cost.operators}
    return NetworkCost(
        [_together([parts[op.name] for op in group], group, extents) for group in groups], cost.memory_plan
    )


def _together(parts: Sequence[OperatorCost], group: Sequence[Operator], extents: Mapping[str, Extent]) -> OperatorCost:
    made = {operand.name for op in group for operand in op.outputs}
    members = {op.name for op in group}
    shown = [o.name for op in group for o in op.outputs if _is_read_outside(op, o.name, members)]
    weight_bytes: Counter[str] = Counter()
    for part in parts:
        weight_bytes.update(part.weight_bytes)
    known = [part.flops for part in parts if part.flops is not None]
    return replace(
        parts[0],
        outputs=tuple(extents[name].shape for name in shown),
        parameters=sum(part.parameters for part in parts),
        weight_bytes=dict(weight_bytes),
        flops=sum(known) if known else None,
        bytes_of_weights=sum(part.bytes_of_weights for part in parts),
        bytes_out=_sum(extents[name].bytes for name in shown),
        bytes_in=_sum(extents[name].bytes for name in {o.name for op in group for o in op.inputs} - made),
    )


def _is_read_outside(op: Operator, operand: str, members: Collection[str]) -> bool:
    """Whether an operator that is none of `members`, or nobody, reads an operand that `op` makes."""
    readers = [name for name, reader in op.output_operators.items() if any(o.name == operand for o in reader.inputs)]
    return not readers or any(name not in members for name in readers)


def measured_extents(graph: RuntimeGraph, *inputs: np.ndarray) -> dict[str, Extent]:
    """Operand name -> shape and element size in a forward pass on `inputs`. Raises what the pass raises."""
    kept = graph.forward(*inputs, keep=True).kept
    extents = declared_extents(graph.operators)
    for op in graph.operators:
        values = kept.get(op.name, ())
        for operand, value in zip(op.outputs, values if len(op.outputs) > 1 else (values,)):
            known = isinstance(value, (np.ndarray, np.generic))
            extents[operand.name] = Extent(value.shape, value.dtype.itemsize) if known else Extent(None, 0)
            operand.data = None  # the graph would hold on to every intermediate array
    return extents


def _sum(sizes: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    every = list(sizes)
    known = [size for size in every if size is not None]
    return sum(known) if len(known) == len(every) else None


def _shared_weights(order: Iterable[Operator]) -> list[np.ndarray]:
    """Matrices that stand in the file as operators of their own, because several modules use them."""
    found = [attribute.data for op in order if op.type == "pnnx.Attribute" for attribute in op.attributes.values()]
    return [weight for weight in found if weight.ndim > 1]


def _own_weights(op: Operator, shared: Sequence[np.ndarray]) -> list[Attribute]:
    """The operator's attributes without copies of `shared` ones: the file repeats a shared weight in every reader."""
    own = list(op.attributes.values())
    if op.type == "pnnx.Attribute":
        return own
    return [a for a in own if not any(a.shape == w.shape and np.array_equal(a.data, w) for w in shared)]


def _by_type(costs: Iterable[OperatorCost]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for cost in costs:
        names.setdefault(cost.type, []).append(cost.name)
    return names
