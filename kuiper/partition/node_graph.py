"""NodeGraph: what a partitioner needs to know of a network: nodes, the tensors between them, and their sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from operator import index
from typing import Any

import numpy as np

from kuiper.graph import Extent, Operand, Operator, Shape, declared_extents
from kuiper.partition.errors import PartitionError
from kuiper.profile import measured_extents, network_cost
from kuiper.runtime import GraphState, RuntimeGraph


class TensorKind(StrEnum):
    """Where a tensor's values come from: computed, constant, or given by the caller."""

    VAR = "var"
    CONST = "const"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor between nodes.

    bytes : its size; None where it is not known, as with a shape that is not known or has a -1 in it.
    operand : the network's operand that it stands for; None in a graph of lists.
    """

    kind: TensorKind = TensorKind.VAR
    dtype: str | None = "float32"
    quantized: bool = False
    bytes: int | None = None
    name: str = ""
    shape: Shape | None = None
    operand: Operand | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Node:
    """One operator: its type, ids of the tensors it reads and makes; `work`: its operations, for mode "cost".

    operator : the network's operator that it stands for; None in a graph of lists.
    options : its options in a graph of lists.
    """

    type: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    name: str = ""
    work: float = 1.0
    operator: Operator | None = field(default=None, repr=False, compare=False)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def params(self) -> Mapping[str, Any]:
        """The operator's options by name."""
        if self.operator is None:
            return self.options
        return {name: parameter.value for name, parameter in self.operator.params.items()}


KINDS = {"pnnx.Input": TensorKind.INPUT, "pnnx.Attribute": TensorKind.CONST}
"""Operator type -> the kind of its outputs, for those that are not computed."""
SOURCES = frozenset({"input", "const", *KINDS})
"""Types of nodes that compute nothing: their tensors are there before the network runs."""


@dataclass(frozen=True)
class NodeGraph:
    """Nodes by id (their place in the list), tensors by id, and the ids of the nodes whose outputs the graph returns.

    `runtime` is the RuntimeGraph it was made from, if any. Raises PartitionError for output nodes that are not
    there, for a tensor that is missing from `tensors`, and for one that two nodes make.
    """

    nodes: Sequence[Node]
    tensors: Mapping[int, TensorInfo]
    output_nodes: Sequence[int]
    runtime: RuntimeGraph | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for v in self.output_nodes:
            if not _is_count(v) or v >= len(self.nodes):
                raise PartitionError(f"output_nodes: expected ids of nodes, 0 to {len(self.nodes) - 1}, found {v!r}")
        producer: dict[int, int] = {}
        for i, node in enumerate(self.nodes):
            for tensor in (*node.inputs, *node.outputs):
                if tensor not in self.tensors:
                    raise PartitionError(f"{self.label(i)}: expected ids that `tensors` has, found {tensor!r}")
            for tensor in node.outputs:
                if tensor in producer:
                    other = f"nodes {producer[tensor]} and {i}" if producer[tensor] != i else f"node {i} twice"
                    raise PartitionError(f"tensor {tensor}: expected one node that makes it, found {other}")
                producer[tensor] = i

    @classmethod
    def from_lists(
        cls,
        nodes: Iterable[Sequence[Any]],
        tensors: Mapping[Any, Mapping[str, Any]] | None = None,
        output_nodes: Iterable[int] | None = None,
    ) -> NodeGraph:
        """A graph from plain lists.

        Parameters
        ----------
        nodes : [operator type, ids of tensors read, ids of tensors made] each; a dict with `name`, `work` and `params`
            may follow.
        tensors : tensor id -> {"kind": "var" | "const" | "input", "dtype": "float32", "quantized": False, "bytes": n
            or "shape": (...)}; these are the defaults; without `bytes` the size is that of the shape, and unknown
            without one or with a -1 in it.
        output_nodes : ids of nodes; by default, all that make a tensor that nobody reads.

        >>> graph = NodeGraph.from_lists([["input", [], [0]], ["conv", [0], [1]]], {0: {"kind": "input"}}, [1])
        >>> graph.nodes[1].type, graph.producer[1], graph.tensors[0].kind.value
        ('conv', 1, 'input')
        """
        made = [_node(i, entry) for i, entry in enumerate(nodes)]
        default = TensorInfo()
        infos = {tensor: default for node in made for ids in (node.inputs, node.outputs) for tensor in ids}
        for key, description in (tensors or {}).items():
            tensor = int(key) if isinstance(key, str) and key.isdecimal() else key
            if not _is_count(tensor):
                raise PartitionError(f"tensors: expected ids from 0 on, found {key!r}")
            infos[tensor] = _tensor(tensor, description)
        if output_nodes is None:
            read = {tensor for node in made for tensor in node.inputs}
            output_nodes = [i for i, node in enumerate(made) if any(t not in read for t in node.outputs)]
        return cls(made, infos, list(output_nodes))

    @classmethod
    def from_runtime(
        cls,
        graph: Any,
        work: Mapping[str, float] | None = None,
        *,
        open_dimension: int | None = None,
        inputs: Sequence[Any] | None = None,
    ) -> NodeGraph:
        """A RuntimeGraph's operators as nodes, in its order; pnnx.Output gives the graph's outputs.

        Parameters
        ----------
        graph : a RuntimeGraph that is built.
        work : operator name -> operations; by default, the FLOPs that kuiper.profile counts, 0 where it cannot.
        open_dimension : the length to assume where the file leaves a dimension open; None: the size is unknown.
        inputs : the network's inputs, in order: shapes are then those of a pass on them, not those of the file.

        Raises PartitionError when the graph is not built, and what the pass raises.
        """
        if getattr(graph, "state", None) is not GraphState.COMPLETE:
            found = getattr(getattr(graph, "state", None), "name", type(graph).__name__)
            raise PartitionError(f"NodeGraph.from_runtime: expected a RuntimeGraph in state COMPLETE, found {found}")
        if inputs is None:
            extents = _closed(declared_extents(graph.operators), open_dimension)
        else:
            extents = measured_extents(graph, *inputs)
        if work is None:
            work = {op.name: float(op.flops or 0) for op in network_cost(graph.operators, extents).operators}
        operators = [op for op in graph.operators if op.type != "pnnx.Output"]
        made = [(operand, op.type) for op in operators for operand in op.outputs]
        ids = {operand.name: i for i, (operand, _) in enumerate(made)}
        tensors = {}
        for i, (o, maker) in enumerate(made):
            kind, dtype = KINDS.get(maker, TensorKind.VAR), None if o.dtype is None else o.dtype.torch
            extent = extents[o.name]
            tensors[i] = TensorInfo(kind, dtype, bytes=extent.bytes, name=o.name, shape=extent.shape, operand=o)
        nodes = [
            Node(op.type, [ids[o.name] for o in op.inputs], [ids[o.name] for o in op.outputs], op.name,
                 work.get(op.name, 0.0), op)
            for op in operators
        ]  # fmt: skip
        returned = {operand.name for operand in graph.outputs}
        output_nodes = [i for i, op in enumerate(operators) if any(o.name in returned for o in op.outputs)]
        return cls(nodes, tensors, output_nodes, runtime=graph)

    @cached_property
    def producer(self) -> dict[int, int]:
        """Tensor id -> id of the node that makes it; tensors that nobody makes are missing."""
        return {tensor: i for i, node in enumerate(self.nodes) for tensor in node.outputs}

    @cached_property
    def sources(self) -> frozenset[int]:
        """Ids of the nodes that compute nothing: they read nothing, and make inputs or constants."""
        given = {tensor for tensor, info in self.tensors.items() if info.kind is not TensorKind.VAR}
        return frozenset(
            i for i, node in enumerate(self.nodes)
            if not node.inputs and (node.type in SOURCES or (node.outputs and given.issuperset(node.outputs)))
        )  # fmt: skip

    def label(self, node: int) -> str:
        """A node's name in messages: "node 3 (conv, layer1.0.conv1)"."""
        name = f", {self.nodes[node].name}" if self.nodes[node].name else ""
        return f"node {node} ({self.nodes[node].type}{name})"


def _closed(extents: Mapping[str, Extent], open_dimension: int | None) -> dict[str, Extent]:
    """The extents with `open_dimension` where the file leaves a dimension open; unchanged without one."""
    if open_dimension is None:
        return dict(extents)
    return {
        name: replace(extent, shape=extent.shape and tuple(open_dimension if n < 0 else n for n in extent.shape))
        for name, extent in extents.items()
    }


def _is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0 on."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 0)


def _node(number: int, entry: Sequence[Any]) -> Node:
    node = None
    try:
        kind, inputs, outputs, *rest = entry
        more = dict(*rest)
        name, work, options = more.pop("name", ""), more.pop("work", 1.0), more.pop("params", {})
        if isinstance(kind, str) and not more:
            node = Node(kind, list(inputs), list(outputs), name, work, options=options)
    except (TypeError, ValueError):
        pass
    if node is None:
        expected = "[operator type, tensors read, tensors made] and perhaps a dict of name, work and params"
        raise PartitionError(f"node {number}: expected {expected}, found {entry!r}")
    for tensor in (*node.inputs, *node.outputs):
        if not _is_count(tensor):
            raise PartitionError(f"node {number} ({kind}): expected tensor ids from 0 on, found {tensor!r}")
    if not isinstance(node.work, (int, float)) or not 0 <= node.work < math.inf:
        raise PartitionError(f"node {number} ({kind}): expected work of 0 or more, found {node.work!r}")
    return node


def _tensor(tensor: int, description: Mapping[str, Any]) -> TensorInfo:
    if not isinstance(description, Mapping):
        raise PartitionError(f"tensor {tensor}: expected a dict, found {description!r}")
    values = dict(description)
    known = {f.name for f in fields(TensorInfo)} - {"operand"}
    if not values.keys() <= known:
        odd = sorted(values.keys() - known)
        raise PartitionError(f"tensor {tensor}: expected {', '.join(sorted(known))}, found {', '.join(odd)}")
    try:
        values["kind"] = TensorKind(values.get("kind", "var"))
        if values.get("shape") is not None:
            values["shape"] = tuple(index(n) for n in values["shape"])
            dtype = values.get("dtype", TensorInfo().dtype)
            itemsize = 0 if dtype is None else np.dtype(dtype).itemsize
            if values.get("bytes") is None:
                values["bytes"] = Extent(values["shape"], itemsize).bytes
    except (ValueError, TypeError) as error:
        expected = "a kind of var, const or input, a dtype, and a shape of whole numbers"
        raise PartitionError(f"tensor {tensor}: expected {expected}: {error}") from None
    if values.get("bytes") is not None and not _is_count(values["bytes"]):
        raise PartitionError(f"tensor {tensor}: expected bytes of 0 or more, found {values['bytes']!r}")
    return TensorInfo(**values)
