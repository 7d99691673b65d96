"""Tasks: the sub-graphs of a partition cut out of the network and made ready to run, each by its back end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kuiper import dtypes
from kuiper.errors import KuiperError
from kuiper.graph import Attribute, Graph, Operand, Operator
from kuiper.partition.backends import Program
from kuiper.partition.errors import PartitionError, SubGraphError
from kuiper.partition.execution.memory import Memory
from kuiper.partition.node_graph import NodeGraph, TensorKind
from kuiper.partition.scheduler import readers_of
from kuiper.partition.subgraph import Partition, SubGraph
from kuiper.quantize import dequantized_operator
from kuiper.runtime import RuntimeGraph


@dataclass(frozen=True)
class Task:
    """A sub-graph, the memory that it works in, and its program; None where there is nothing to compute.

    `inputs` are the tensors that its program takes, `outputs` those it gives, `waits` how many inputs another makes.
    """

    part: SubGraph
    memory: Memory
    program: Program | None
    inputs: list[int]
    outputs: list[int]
    waits: int


@dataclass(frozen=True)
class Tasks:
    """All tasks; `readers`: tensor -> numbers of those that take it; `dtypes`: tensor -> its type in numpy."""

    tasks: list[Task]
    readers: Mapping[int, list[int]]
    dtypes: Mapping[int, np.dtype]

    def memories_of(self, tensor: int) -> list[Memory]:
        """Where a tensor is read, each memory once, in the order of its readers."""
        return list(dict.fromkeys(self.tasks[i].memory for i in self.readers.get(tensor, ())))


def make_tasks(partition: Partition) -> Tasks:
    """Open a memory for each device and compile each sub-graph there.

    Raises BackendError for a back end that is not installed, SubGraphError for a sub-graph that it cannot compile.
    """
    memories = {device.name: Memory(device) for device in partition.devices}
    tasks = [_task(partition, part, memories[part.device.name]) for part in partition.subgraphs]
    readers = readers_of(task.inputs for task in tasks)
    operands = {tensor: info.operand for tensor, info in partition.graph.tensors.items()}
    dtypes = {tensor: o.dtype.compute for tensor, o in operands.items() if o is not None and o.dtype is not None}
    return Tasks(tasks, readers, dtypes)


def title(part: SubGraph, partition: Partition) -> str:
    """A sub-graph's name in messages: its number, device, and first and last operator."""
    names = [partition.graph.nodes[v].name for v in part.nodes]
    listed = f"{names[0]} to {names[-1]}" if len(names) > 1 else "".join(names) or "no operators"
    return f"sub-graph {part.index} on {part.device} ({listed})"


def _task(partition: Partition, part: SubGraph, memory: Memory) -> Task:
    graph = partition.graph
    nodes = [v for v in part.nodes if v not in graph.sources]
    read = {tensor for v in nodes for tensor in graph.nodes[v].inputs}
    made = {tensor for v in nodes for tensor in graph.nodes[v].outputs}
    inputs = [t for t in part.inputs if t in read]
    outputs = [t for t in part.outputs if t in made]
    waits = sum(graph.tensors[t].kind is TensorKind.VAR for t in inputs)
    name, program = title(part, partition), None
    try:
        if outputs:
            program = memory.backend.compile(cut_out(graph, nodes, inputs, outputs, name, memory))
    except KuiperError as error:
        raise SubGraphError(f"{name} cannot be made ready: {error}", part.index) from error
    return Task(part, memory, program, inputs, outputs, waits)


def runtime_of(graph: NodeGraph) -> RuntimeGraph:
    """The network that a graph was made from. Raises PartitionError where there is none."""
    if graph.runtime is None:
        raise PartitionError("expected a graph of NodeGraph.from_runtime, found one without operators: it cannot run")
    return graph.runtime


def cut_out(
    graph: NodeGraph, nodes: Sequence[int], inputs: Sequence[int], outputs: Sequence[int], name: str, memory: Memory
) -> RuntimeGraph:
    """Nodes, in order, as a built network of its own that reads and makes these tensors in a device's memory.

    Constants that the nodes read come along, so that they need not cross. Where the device casts, all floating-point
    weights have its type. Raises PartitionError for a graph that was not made from a network.
    """
    runtime, casts_to = runtime_of(graph), memory.device.casts_to
    operands: dict[int, Operand] = {}

    def operand(tensor: int) -> Operand:
        if tensor not in operands:
            known = graph.tensors[tensor].operand
            assert known is not None, "a tensor of a network"
            operands[tensor] = Operand(known.name, known.shape, _cast_type(known.dtype, casts_to))
        return operands[tensor]

    def copy(v: int) -> Operator:
        node = graph.nodes[v]
        assert node.operator is not None, "a node of a network"
        reads, makes = ([operand(t) for t in tensors] for tensors in (node.inputs, node.outputs))
        whole = node.operator if casts_to is None else dequantized_operator(node.operator)
        weights = {key: _cast(attribute, casts_to) for key, attribute in whole.attributes.items()}
        return replace(node.operator, inputs=reads, outputs=makes, attributes=weights, layer=None)

    read = dict.fromkeys(t for v in nodes for t in graph.nodes[v].inputs)
    constants = dict.fromkeys(graph.producer[t] for t in read if graph.tensors[t].kind is TensorKind.CONST)
    sources = [Operator("pnnx.Input", f"input {operand(t).name}", [], [operand(t)]) for t in inputs]
    result = Operator("pnnx.Output", "output", [operand(t) for t in outputs])
    parts = Graph([*sources, *map(copy, (*constants, *nodes)), result])
    options = {"registry": runtime.registry, "toolbox": runtime.toolbox, "engine": memory.backend.engine}
    network = RuntimeGraph.from_graph(parts, name, **options)
    network.build()
    return network


def _cast(attribute: Attribute, casts_to: np.dtype | None) -> Attribute:
    if casts_to is None or attribute.data.dtype.kind != "f":
        return attribute
    return Attribute.from_array(attribute.data.astype(casts_to))


def _cast_type(dtype: dtypes.DType | None, casts_to: np.dtype | None) -> dtypes.DType | None:
    if casts_to is None or dtype is None or dtype.compute.kind != "f":
        return dtype
    return dtypes.of(np.empty(0, casts_to))
