"""One graph on several devices (lesson 10): devices, sub-graphs, the order in which they run, and their execution."""

from kuiper.partition.cost import Cost, Link, cost_of
from kuiper.partition.device import Device
from kuiper.partition.errors import DeadlockError, PartitionError
from kuiper.partition.executor import Executor
from kuiper.partition.invariants import verify
from kuiper.partition.node_graph import Node, NodeGraph, TensorInfo, TensorKind
from kuiper.partition.scheduler import schedule
from kuiper.partition.split import partition
from kuiper.partition.subgraph import Partition, SubGraph

__all__ = [
    "Cost",
    "DeadlockError",
    "Device",
    "Executor",
    "Link",
    "Node",
    "NodeGraph",
    "Partition",
    "PartitionError",
    "SubGraph",
    "TensorInfo",
    "TensorKind",
    "cost_of",
    "partition",
    "schedule",
    "verify",
]
