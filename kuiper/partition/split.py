"""partition: one graph, several devices, sub-graphs in an order in which they can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kuiper.partition.cost import Cost, Link
from kuiper.partition.device import Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.modes.cheapest import split_cost
from kuiper.partition.modes.fewest import split_fewest
from kuiper.partition.modes.own import Grouping
from kuiper.partition.modes.tengine import split_tengine
from kuiper.partition.node_graph import NodeGraph
from kuiper.partition.subgraph import Partition, subgraphs

MODES = ("tengine", "fewest", "cost")


def partition(
    graph: NodeGraph,
    devices: Iterable[Device],
    mode: str = "fewest",
    *,
    min_nodes: int = 3,
    link: Link | None = None,
    limits: bool = True,
    grouping: Grouping | None = None,
) -> Partition:
    """Split a graph into sub-graphs, each for one of the devices.

    Parameters
    ----------
    graph : the network; `NodeGraph.from_runtime` and `NodeGraph.from_lists` make one.
    devices : the preferred one first; one that takes everything, such as a CPU, gives every node a place. The last such
        one is the host, to which nodes fall back; the result's `fallbacks` say why.
    mode : "tengine": the sub-graphs of Tengine-lite, from one accelerator and one device that takes everything;
        "fewest": each node on the first device that takes it, in as few sub-graphs as that allows, exactly so for two
        devices and by a greedy order for more; "cost": the least time by `cost_of`. To Tengine
        input and constant nodes are nodes like others; the other modes leave them out of all sub-graphs.
    min_nodes : mode "fewest": sub-graphs with fewer nodes go to the host, so a small network goes there as a whole; 0
        turns that off. A fully connected layer counts as 3. Tengine's own threshold is always 3.
    link : mode "cost": what a copy between devices takes. Speeds and starts are the devices' own; what was weighed
        stands in the result's `compared`.
    limits : mode "tengine": raise where the original's integers overflow.
    grouping : mode "fewest": a function of yours in the place of kuiper's: (for each node its predecessors, for each
        node its device's name) -> (device's name, nodes) of each sub-graph, in running order. `verify` says whether
        every node comes after what it reads.

    Raises PartitionError for bad arguments, nodes that no device takes, what the mode cannot do, and a grouping whose
    sub-graphs are not each some nodes of one device; GraphError for a cycle.

    >>> graph = NodeGraph.from_lists([["conv", [0], [1]], ["sigmoid", [1], [2]]], {0: {"kind": "input"}})
    >>> split = partition(graph, [Device("ACC", operators={"conv"}), Device("CPU")], min_nodes=0)
    >>> [(part.device.name, part.nodes, part.inputs, part.outputs) for part in split.subgraphs]
    [('ACC', [0], [0], [1]), ('CPU', [1], [1], [2])]
    """
    devices = list(devices) if isinstance(devices, Iterable) else []
    _check(graph, devices, mode, min_nodes)
    if grouping is not None and mode != "fewest":
        raise PartitionError(f"grouping: expected mode 'fewest' with it, found {mode!r}")
    compared: Mapping[str, Cost] = {}
    if mode == "tengine":
        parts, fallbacks = split_tengine(graph, devices, limits)
    else:
        if mode == "fewest":
            groups, fallbacks = split_fewest(graph, devices, min_nodes, grouping)
        else:
            groups, fallbacks, compared = split_cost(graph, devices, link or Link())
        parts = subgraphs(graph, devices, groups)
    return Partition(graph, devices, mode, parts, fallbacks, compared)


def _check(graph: NodeGraph, devices: list[Device], mode: str, min_nodes: int) -> None:
    if mode not in MODES:
        raise PartitionError(f"mode: expected {', '.join(MODES)}, found {mode!r}")
    if not isinstance(graph, NodeGraph):
        hint = "NodeGraph.from_runtime(graph) makes one"
        raise PartitionError(f"graph: expected a NodeGraph ({hint}), found {type(graph).__name__}")
    if not graph.nodes:
        raise PartitionError("graph: expected at least one node, found none")
    if not devices or not all(isinstance(device, Device) for device in devices):
        raise PartitionError(f"devices: expected one or more Devices, found {devices}")
    names = [device.name for device in devices]
    if len(set(names)) < len(names):
        raise PartitionError(f"devices: expected different names, found {', '.join(names)}")
    if not isinstance(min_nodes, (int, float)):
        raise PartitionError(f"min_nodes: expected a number, found {min_nodes!r}")
