"""Which device takes which node, and why another does not; the host: the device to fall back to."""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.layers import registry
from kuiper.layers.linear.linear import Linear
from kuiper.partition.backends import is_universal, open_backend
from kuiper.partition.device import FLOATS, Device
from kuiper.partition.errors import PartitionError
from kuiper.partition.node_graph import Node, NodeGraph

UNITS_OF_FULLY_CONNECTED = 3


def units(node: Node) -> int:
    """What a node counts where a sub-graph may be too small: 3 for a fully connected layer, 1 for any other, as in
    Tengine.
    """
    fully_connected = node.type == "fc" or (node.type in registry and registry.layer_class(node.type) is Linear)
    return UNITS_OF_FULLY_CONNECTED if fully_connected else 1


def refusal(device: Device, graph: NodeGraph, index: int) -> str | None:
    """Why a device cannot run a node, or None: its type, the dtype of ALL its inputs and outputs, and its options."""
    if device.takes_everything:
        return None
    node = graph.nodes[index]
    if not device.takes_operator(node.type):
        return f"{device.name} does not take operator {node.type}"
    if device.dtypes is not None:
        for role, ids in (("input", node.inputs), ("output", node.outputs)):
            for tensor in ids:
                info = graph.tensors[tensor]
                if not device.takes_dtype(info.dtype, info.quantized):
                    return f"{device.name} does not take {info.dtype or 'an unknown dtype'} ({role} tensor {tensor})"
    return rule_refusal(device, graph, index)


def rule_refusal(device: Device, graph: NodeGraph, index: int) -> str | None:
    """Why a device's own rule, or its back end, refuses a node whose type and dtypes are fine; or None.

    A back end is asked of operators that have a layer, so not in a graph of lists. Raises BackendError where it is not
    installed.
    """
    node = graph.nodes[index]
    reason = device.refuses(node) if device.refuses is not None else None
    if reason is None and device.cast:
        typed = [f"{key}={value}" for key, value in node.params.items() if _names_a_float(value)]
        reason = f"{device.name} casts, and {typed[0]} names a type" if typed else None
    if reason is None and node.operator is not None and index not in graph.sources and not is_universal(device.backend):
        reason = open_backend(device.backend).refusal(node.operator)
    return reason


def _names_a_float(value: object) -> bool:
    """Whether an option is a floating-point type such as torch.float."""
    return isinstance(value, str) and value.removeprefix("torch.") in FLOATS | {"half", "float", "double"}


def host_of(devices: Sequence[Device]) -> int:
    """The number of the host, the device to fall back to: the last one that takes everything, or else the last."""
    return max((i for i, device in enumerate(devices) if device.takes_everything), default=len(devices) - 1)


def placements(
    graph: NodeGraph, order: Sequence[int], devices: Sequence[Device]
) -> tuple[list[tuple[int, ...]], dict[int, str]]:
    """For each node the numbers of the devices that take it, and node id -> why only the host does, if so.

    Raises PartitionError that names the nodes which no device takes.
    """
    host = host_of(devices)
    takers: list[tuple[int, ...]] = [()] * len(graph.nodes)
    everyone, only_host = tuple(range(len(devices))), (host,)
    choosy = [d for d, device in enumerate(devices) if not device.takes_everything]
    fallbacks: dict[int, str] = {}
    unplaced: list[str] = []
    for v in sorted(order):
        reasons = {d: reason for d in choosy if (reason := refusal(devices[d], graph, v)) is not None}
        takers[v] = tuple(d for d in everyone if d not in reasons) if reasons else everyone
        if takers[v] == only_host and len(devices) > 1:
            fallbacks[v] = "; ".join(reasons.values())
        elif not takers[v]:
            unplaced.append(f"{graph.label(v)}: " + "; ".join(reasons.values()))
    if unplaced:
        some = "\n  ".join(unplaced[:5] + ["..."] * (len(unplaced) > 5))
        raise PartitionError(f"expected a device for every node, found none for {len(unplaced)}:\n  {some}")
    return takers, fallbacks
