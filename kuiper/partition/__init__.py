"""One graph on several devices (lesson 10): devices, sub-graphs, the order in which they run, and their execution."""

from kuiper.partition.backends import BACKENDS, Backend
from kuiper.partition.cost import Cost, Link
from kuiper.partition.device import Device
from kuiper.partition.errors import BackendError, DeadlockError, ForeignArrayError, PartitionError, SubGraphError
from kuiper.partition.execution.executor import Executor
from kuiper.partition.execution.running import Stats, Transfer
from kuiper.partition.invariants import verify
from kuiper.partition.node_graph import Node, NodeGraph, TensorInfo, TensorKind
from kuiper.partition.scheduler import schedule
from kuiper.partition.split import partition
from kuiper.partition.subgraph import Partition, SubGraph, cost_of

__all__ = [
    "BACKENDS",
    "Backend",
    "BackendError",
    "Cost",
    "DeadlockError",
    "Device",
    "Executor",
    "ForeignArrayError",
    "Link",
    "Node",
    "NodeGraph",
    "Partition",
    "PartitionError",
    "Stats",
    "SubGraph",
    "SubGraphError",
    "TensorInfo",
    "TensorKind",
    "Transfer",
    "cost_of",
    "partition",
    "schedule",
    "verify",
]
