"""Tasks: the sub-graphs of a partition made ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError
from kuiper.partition.backends import Program
from kuiper.partition.cut import cut_out
from kuiper.partition.errors import SubGraphError
from kuiper.partition.memory import Memory
from kuiper.partition.node_graph import TensorKind
from kuiper.partition.subgraph import Partition, SubGraph


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
    """All tasks; `readers`: tensor -> numbers of those that take it; `dtypes`: tensor -> its type on the host."""

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
    readers: dict[int, list[int]] = {}
    for task in tasks:
        for tensor in task.inputs:
            readers.setdefault(tensor, []).append(task.part.index)
    operands = {tensor: info.operand for tensor, info in partition.graph.tensors.items()}
    dtypes = {tensor: o.dtype.compute for tensor, o in operands.items() if o is not None and o.dtype is not None}
    return Tasks(tasks, readers, dtypes)


def title(part: SubGraph, partition: Partition) -> str:
    """How messages call a sub-graph: its number, device, and first and last operator."""
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
    if not outputs:
        return Task(part, memory, None, inputs, outputs, waits)
    name = title(part, partition)
    try:
        program = memory.backend.compile(cut_out(graph, nodes, inputs, outputs, name, memory))
    except KuiperError as error:
        raise SubGraphError(f"{name} cannot be made ready: {error}", part.index) from error
    return Task(part, memory, program, inputs, outputs, waits)
