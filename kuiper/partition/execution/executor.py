"""Executor: run a partition, sub-graph by sub-graph, each by the back end of its device."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kuiper.partition.errors import PartitionError
from kuiper.partition.execution.running import Pass, Stats
from kuiper.partition.execution.tasks import make_tasks, runtime_of
from kuiper.partition.invariants import verify
from kuiper.partition.subgraph import Partition
from kuiper.runtime import Outputs
from kuiper.runtime.values import as_inputs, copied, leaves, named_inputs

MOST_WORKERS = 16


class Executor:
    """Runs a partition of a network.

    Every device has a memory of its own. What one sub-graph makes and another device reads is copied there, once, and
    counted; sub-graphs that wait for nothing run at the same time, on threads; a tensor is released after its last
    reader.

    Parameters
    ----------
    partition : of a graph that `NodeGraph.from_runtime` made.
    workers : threads; None: as many as the widest wave has sub-graphs, at most 16.

    Attributes
    ----------
    waves : the sub-graphs in waves, as `schedule` gives them; each starts as soon as it can, not with its wave.
    stats : what happened in the last run: transfers, bytes, order, concurrency, times and more, see Stats.

    Raises PartitionError for a partition that breaks an invariant or cannot run, DeadlockError, BackendError for a back
    end that is not installed, SubGraphError for a sub-graph that its back end cannot compute.

    >>> import kuiper
    >>> from kuiper.partition import Device, NodeGraph, partition
    >>> graph = NodeGraph.from_runtime(kuiper.load("models/digits/digits.pnnx.param"))
    >>> acc = Device("ACC", operators={"nn.Conv2d", "nn.ReLU", "pnnx.Expression"})
    >>> executor = Executor(partition(graph, [acc, Device("CPU")]))
    >>> executor.run([np.zeros((1, 1, 8, 8), np.float32)])[0].shape, executor.stats.transfers
    ((1, 10), 4)
    """

    def __init__(self, partition: Partition, *, workers: int | None = None) -> None:
        if not isinstance(partition, Partition):
            raise PartitionError(f"Executor: expected a Partition, found {type(partition).__name__}")
        if workers is not None and workers < 1:
            raise PartitionError(f"workers: expected at least 1, found {workers}")
        self._runtime = runtime_of(partition.graph)
        self.waves = verify(partition)
        self.partition = partition
        self.stats = Stats()
        self._tasks = make_tasks(partition)
        self._ids = {info.name: tensor for tensor, info in partition.graph.tensors.items()}
        self._pool = ThreadPoolExecutor(workers or min(max(map(len, self.waves)), MOST_WORKERS), "kuiper-sub-graph")

    def run(self, inputs: Any) -> Outputs:
        """The network's inputs, in order -> its outputs, as the whole graph gives them.

        `inputs` is a list of arrays, a dictionary from the operands' names, or the array of a network with one input.
        Several threads may run it at the same time. Raises InferError and ShapeError for inputs that do not fit,
        SubGraphError that names a sub-graph which failed; the executor can run again after that.
        """
        operands = self._runtime.outputs
        given = self._given(inputs)
        wanted = frozenset(self._ids[operand.name] for operand in operands)
        run = Pass(self.partition, self._tasks, given, wanted)
        try:
            run.through(self._pool)
        finally:
            self.stats = run.stats
        known = {**self._constants(), **given, **run.results}
        copies = (copied(known[self._ids[operand.name]]) for operand in operands)
        return Outputs([leaf for value in copies for leaf in leaves(value)], {})

    def _given(self, inputs: Any) -> dict[int, np.ndarray]:
        """Tensor -> array for the network's inputs."""
        operands = self._runtime.inputs
        if isinstance(inputs, Mapping):
            arrays = named_inputs(inputs, operands)
        else:
            arrays = as_inputs(inputs if isinstance(inputs, (list, tuple)) else [inputs], operands)
        return {self._ids[name]: array for name, array in arrays.items()}

    def _constants(self) -> dict[int, np.ndarray]:
        """Tensor -> array for constants, which a network may return."""
        graph = self.partition.graph
        constants = {}
        for v in graph.sources:
            op = graph.nodes[v].operator
            if op is not None and op.layer is not None:  # a pnnx.Input has none
                constants[graph.nodes[v].outputs[0]] = op.layer.forward()
        return constants
