"""What goes wrong in the cells of lesson 10 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Above = Sequence[tuple[int, str]]


def _largest_first(device: str, start: str, above: Above) -> int:
    """The level after the predecessor of the largest level, whatever the others ask for."""
    most, other = max(above, default=(0, start))
    return most + (other != device)


def _once(device: str, start: str, above: Above) -> int:
    """The largest level, and 1 more if any device differs."""
    most = max((one for one, _ in above), default=int(device != start))
    return most + any(other != device for _, other in above)


def _computing(placed: Sequence[str], times: Mapping[str, Sequence[float]]) -> float:
    """The time to compute all nodes, without copies."""
    return sum(times[device][v] for v, device in enumerate(placed))


BLOCKED_NODES: Mistakes = {
    "those are the tensors that blocked nodes make: give the numbers of the nodes, their places in the list": (
        lambda nodes, known: [makes[0] for op, _, makes in nodes if op not in known]
    ),
    "those are the operators: give the numbers of the nodes": lambda nodes, known: [
        op for op, _, _ in nodes if op not in known
    ],
    "those are the nodes that the accelerator knows": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes) if op in known
    ],
}

COPY_SECONDS: Mistakes = {
    "the latency is forgotten: it passes before the first byte arrives": lambda size, latency, bandwidth: (
        size / bandwidth
    ),
    "the latency is a time already: only the bytes are divided by the bandwidth": lambda size, latency, bandwidth: (
        (latency + size) / bandwidth
    ),
    "the bytes follow when the latency has passed: add the two times": lambda size, latency, bandwidth: max(
        latency, size / bandwidth
    ),
    "bytes, divided by bytes per second, are seconds": lambda size, latency, bandwidth: latency + size * bandwidth,
}

LEVEL: Mistakes = {
    "[device != start] is missing: a node of the other device cannot run in turn 0": lambda device, start, above: max(
        (one + (other != device) for one, other in above), default=0
    ),
    "`above` may be empty: then [device != start] alone counts": lambda device, start, above: max(
        one + (other != device) for one, other in above
    ),
    "one later only where the device changes, not at every step": lambda device, start, above: max(
        [int(device != start), *(one + 1 for one, _ in above)]
    ),
    "one later where the device changes: + [other != device]": lambda device, start, above: max(
        [int(device != start), *(one for one, _ in above)]
    ),
    "the 1 belongs to the predecessor whose device differs: add it to that one's level, before the maximum": _once,
    "one on the other device may ask for a later turn than the one of the largest level: first add, then compare": (
        _largest_first
    ),
}

PLACEMENT_COST: Mistakes = {
    "a copy is paid where the two devices differ, and not where they agree": lambda placed, times, copies: (
        _computing(placed, times) + sum(cost for (u, v), cost in copies.items() if placed[u] == placed[v])
    ),
    "a copy is paid only where the devices of its two nodes differ": lambda placed, times, copies: (
        _computing(placed, times) + sum(copies.values())
    ),
    "the copies are forgotten": lambda placed, times, copies: _computing(placed, times),
    "the time to compute is forgotten: times[device][node]": lambda placed, times, copies: sum(
        cost for (u, v), cost in copies.items() if placed[u] != placed[v]
    ),
}
