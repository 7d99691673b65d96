"""What every operator of a network costs: weights, operations, space."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kuiper.graph import Attribute, MemoryPlan, Operator, lifetimes, plan_memory
from kuiper.profile.flops import Shape, UnknownShapeError, Work, flops
from kuiper.runtime import RuntimeGraph


@dataclass(frozen=True)
class Extent:
    """Shape of a value and the bytes of one element; None and 0 where they are not known."""

    shape: Shape | None
    itemsize: int

    @property
    def bytes(self) -> int | None:
        """Space of the value, or None when a dimension or the element type is not known."""
        if self.shape is None or any(extent < 0 for extent in self.shape) or not self.itemsize:
            return None
        return math.prod(self.shape) * self.itemsize


@dataclass(frozen=True)
class OperatorCost:
    """One operator's share. `flops` is None where no rule counts the type (`counted` False) or a shape is unknown."""

    name: str
    type: str
    outputs: tuple[Shape | None, ...]
    parameters: int
    weight_bytes: Mapping[str, int]
    flops: int | None
    counted: bool
    bytes_out: int | None
    bytes_in: int | None = None

    @property
    def bytes_touched(self) -> int | None:
        """Inputs, weights and outputs, each once: what must move between memory and processor at the least."""
        if self.bytes_in is None or self.bytes_out is None:
            return None
        return self.bytes_in + self.bytes_out + sum(self.weight_bytes.values())


@dataclass(frozen=True)
class NetworkCost:
    """The operators in execution order and what they add up to. `plan` is None where shapes stay open."""

    operators: Sequence[OperatorCost]
    plan: MemoryPlan | None = field(repr=False, default=None)

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
        """Operator type -> names of the operators whose operations no rule counts."""
        return _by_type(op for op in self.operators if not op.counted)

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
    costs = [operator_cost(op, extents, shared) for op in order]
    sizes = {name: extent.bytes for name, extent in extents.items()}
    is_open = any(extent.shape is not None and min(extent.shape, default=0) < 0 for extent in extents.values())
    known = {name: size for name, size in sizes.items() if size is not None}
    return NetworkCost(costs, None if is_open else plan_memory(lifetimes(order), known))


def operator_cost(op: Operator, extents: Mapping[str, Extent], shared: Sequence[np.ndarray] = ()) -> OperatorCost:
    """The costs of one operator, given what is known of its operands; weights that equal one of `shared` are free."""
    stored = _own_weights(op, shared)
    weight_bytes: Counter[str] = Counter()
    for attribute in stored:
        weight_bytes[attribute.dtype.code] += math.prod(attribute.shape) * attribute.dtype.itemsize
    inputs = tuple(extents[operand.name].shape for operand in op.inputs)
    outputs = [extents[operand.name] for operand in op.outputs]
    named: dict[str, Shape | None] = {name: shape for name, shape in zip(op.input_names, inputs) if name is not None}
    named.update({name: attribute.shape for name, attribute in op.attributes.items()})
    params = {name: parameter.value for name, parameter in op.params.items()}
    work = Work(op.type, inputs, tuple(extent.shape for extent in outputs), params, named)
    counted, operations = True, None
    try:
        operations = flops(work)
        counted = operations is not None
    except UnknownShapeError:
        pass
    read = {operand.name: extents[operand.name].bytes for operand in op.inputs}
    return OperatorCost(
        name=op.name,
        type=op.type,
        outputs=work.outputs,
        parameters=sum(math.prod(attribute.shape) for attribute in stored),
        weight_bytes=dict(weight_bytes),
        flops=operations,
        counted=counted,
        bytes_out=_sum([extent.bytes for extent in outputs]),
        bytes_in=_sum(read.values()),
    )


def cost_together(
    cost: NetworkCost, groups: Iterable[Sequence[Operator]], extents: Mapping[str, Extent]
) -> NetworkCost:
    """The costs of groups of operators that are computed together, each under the name of the group's first.

    Their work adds up; what one of a group makes and only others of it read does not move to memory and back.
    """
    parts = {op.name: op for op in cost.operators}
    return NetworkCost([_together([parts[op.name] for op in group], group, extents) for group in groups], cost.plan)


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
        bytes_out=_sum(extents[name].bytes for name in shown),
        bytes_in=_sum(extents[name].bytes for name in {o.name for op in group for o in op.inputs} - made),
    )


def _is_read_outside(op: Operator, operand: str, members: Collection[str]) -> bool:
    """Whether an operator that is none of `members`, or nobody, reads an operand that `op` makes."""
    readers = [name for name, reader in op.output_operators.items() if any(o.name == operand for o in reader.inputs)]
    return not readers or any(name not in members for name in readers)


def declared_extents(order: Iterable[Operator]) -> dict[str, Extent]:
    """Operand name -> shape and element size as the file says them."""
    return {
        operand.name: Extent(operand.shape, operand.dtype.compute.itemsize if operand.dtype else 0)
        for op in order
        for operand in op.outputs
    }


def measured_extents(graph: RuntimeGraph, *inputs: np.ndarray) -> dict[str, Extent]:
    """Operand name -> shape and element size in a forward pass on `inputs`. Raises what the pass raises."""
    kept = graph.forward(*inputs, keep=True).kept
    extents = declared_extents(graph.operators)
    for op in graph.operators:
        values = kept.get(op.name, ())
        for operand, value in zip(op.outputs, values if len(op.outputs) > 1 else (values,)):
            extents[operand.name] = _extent(value)
            operand.data = None  # the graph would hold on to every intermediate array
    return extents


def _extent(value: Any) -> Extent:
    if isinstance(value, (np.ndarray, np.generic)):
        return Extent(value.shape, value.dtype.itemsize)
    return Extent(None, 0)


def _sum(sizes: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


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
