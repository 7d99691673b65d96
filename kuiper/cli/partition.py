"""`kuiper partition`: a network split over several devices, run there, and compared with the whole."""

from __future__ import annotations

import difflib
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

import kuiper
from kuiper.cli import arguments, options
from kuiper.cli.model import load_model, random_inputs
from kuiper.cli.pictures import check_picture
from kuiper.cli.text import complain, console, count, facts, note, seconds, several, shape_of, space, table
from kuiper.cli.waiting import progress
from kuiper.errors import KuiperError
from kuiper.partition import BACKENDS, Device, Executor, NodeGraph, Partition, Stats, partition
from kuiper.partition.split import MODES
from kuiper.peers import largest_difference

EXAMPLE = "Example: kuiper partition models/digits --device onnxruntime --operators nn.Conv2d,nn.ReLU --svg split.svg"
REPEATS = 5
"""Measured runs, after one that is not; the one of median time is shown."""


@dataclass
class Measured:
    """The run of median time, what it gave, and how long the whole network takes."""

    stats: Stats
    outputs: Sequence[np.ndarray]
    expected: Sequence[np.ndarray]
    whole: float


def partition_(
    model: options.Model,
    device: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"A back end to prefer: {', '.join(BACKENDS)}; repeatable. By default, fast."
        ),
    ] = None,
    operators: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPES", help="Operator types that the devices take; once for all, or once for each."),
    ] = None,
    blocked: Annotated[str, typer.Option(metavar="TYPES", help="Operator types that no device takes.")] = "",
    host: Annotated[str, typer.Option(metavar="NAME", help="What computes the rest: simple or fast.")] = "simple",
    mode: Annotated[str, typer.Option(help=f"How to split: {', '.join(MODES)}.")] = "fewest",
    min_work: Annotated[
        int, typer.Option(min=0, help="Mode fewest: smaller sub-graphs stay on the host; 0: none is too small.")
    ] = 3,
    float16: Annotated[bool, typer.Option("--float16", help="The devices compute in float16.")] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0.0, help="Largest difference, as a share of the largest output; 1e-4, 0.05 with --float16."),
    ] = None,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the graph, coloured by sub-graph.")] = None,
    gantt: Annotated[str | None, typer.Option(metavar="FILE", help="Draw who ran when, as measured.")] = None,
    shape: options.Shapes = None,
    bin: options.Bin = None,
    seed: options.Seed = 0,
) -> None:
    """Split a network over devices, run it on random input, and compare with the whole network.

    What a back end cannot compute falls back to the host. Several types are written with commas.
    """
    check_choice("--mode", mode, MODES)
    check_choice("--host", host, ("simple", "fast"))
    names = device or ["fast"]
    for name in names:
        check_choice("--device", name, tuple(BACKENDS))
    check_picture("--svg", svg)
    check_picture("--gantt", gantt)
    extents = arguments.shapes(shape or [])
    graph = load_model(model, bin, engine="simple")
    inputs = random_inputs(graph, extents, seed)
    nodes = NodeGraph.from_runtime(graph, inputs=inputs)
    devices = make_devices(nodes, names, operators or [], arguments.names(blocked), host, float16)
    split = partition(nodes, devices, mode, min_work=min_work)
    found = measure(graph, Executor(split), inputs)
    show(split, found, inputs)
    if svg is not None or gantt is not None:
        draw(split, found.stats, svg, gantt)
    limit = tolerance if tolerance is not None else 0.05 if float16 else 1e-4
    fault = largest_difference(found.expected, found.outputs).complaint(limit)
    if fault:
        complain(f"the split network {fault}")
        raise typer.Exit(1)


def check_choice(option: str, value: str, known: Sequence[str]) -> None:
    """Raise typer.BadParameter for a value that is none of those known."""
    if value not in known:
        raise typer.BadParameter(f"{option} is one of {', '.join(known)}, not {value!r}")


def make_devices(
    graph: NodeGraph, names: Sequence[str], types: Sequence[str], blocked: Sequence[str], host: str, float16: bool
) -> list[Device]:
    """A device for each back end, in order, and the host. Raises KuiperError for types that the network does not have.

    Tengine's split counts the inputs as nodes of the accelerator, so that a list of operators gets them as well.
    """
    lists = [arguments.names(text) for text in types]
    for text, one in zip(types, lists):
        if not one:
            raise KuiperError(f"--operators: expected at least one operator type, found {text!r}")
        for kind in one:
            if kind in blocked:
                raise KuiperError(f"{kind}: expected either in --operators or in --blocked, found in both")
    if len(lists) > 1 and len(lists) != len(names):
        raise KuiperError(f"expected --operators once, or once for each of {len(names)} devices, found {len(lists)}")
    known = {node.op for node in graph.nodes}
    for kind in (*blocked, *(kind for one in lists for kind in one)):
        if kind not in known:
            near = difflib.get_close_matches(kind, sorted(known), 3) or sorted(known)
            raise KuiperError(f"no operator of the network has the type {kind}; it has {several(near, 5)}")
    devices = []
    for i, name in enumerate(names):
        taken = lists[i if len(lists) > 1 else 0] if lists else None
        devices.append(
            Device(
                name if name not in names[:i] else f"{name} {names[:i].count(name) + 1}",
                operators=None if taken is None else {*taken, "pnnx.Input", "pnnx.Attribute"},
                blocked=blocked,
                dtypes={"float16"} if float16 else None,
                backend=name,
                cast=float16,
            )
        )
    return [*devices, Device("host", backend=host)]


def measure(graph: kuiper.RuntimeGraph, executor: Executor, inputs: Sequence[np.ndarray]) -> Measured:
    """The whole network by the layers and the sub-graphs in turns."""
    runs: list[tuple[float, Stats, Any]] = []
    whole = []
    with progress("running", 2 * (REPEATS + 1)) as advance:
        for _ in range(REPEATS + 1):
            started = time.perf_counter()
            expected = graph.forward(*inputs)
            whole.append(time.perf_counter() - started)
            advance()
            outputs = executor.run(list(inputs))
            runs.append((executor.stats.seconds, executor.stats, outputs))
            advance()
    _, stats, outputs = sorted(runs[1:], key=lambda run: run[0])[REPEATS // 2]
    return Measured(stats, outputs, list(expected), statistics.median(whole[1:]))


def show(split: Partition, found: Measured, inputs: Sequence[np.ndarray]) -> None:
    """The table of sub-graphs, and what the run was like."""
    rows = table(
        "sub-graph", "device", "operators", "from", "to", "reads", "hands over", "waits for", "time",
        right=("sub-graph", "operators", "reads", "hands over", "waits for", "time"), fold=("from", "to"),
    )  # fmt: skip
    for part in split.subgraphs:
        names = [split.graph.nodes[v].name for v in part.nodes] or ["-"]
        start, end = found.stats.times.get(part.index, (0.0, 0.0))
        numbers = [len(part.inputs), len(part.outputs), part.wait_count]
        rows.add_row(
            str(part.index), str(part.device), str(len(part.nodes)), names[0], names[-1], *map(str, numbers),
            seconds(end - start),
        )  # fmt: skip
    out = console()
    out.print(rows)
    out.print()
    out.print(facts(summary(split, found, inputs)))


def summary(split: Partition, found: Measured, inputs: Sequence[np.ndarray]) -> list[tuple[str, str]]:
    """What was measured, as (name, text)."""
    stats, graph = found.stats, split.graph
    placed = [f"{sum(len(p.nodes) for p in split.subgraphs if p.device == d)} on {d}" for d in split.devices]
    work = [sum(graph.nodes[v].work for p in split.subgraphs if p.device == d for v in p.nodes) for d in split.devices]
    total = sum(work) or 1.0
    rows = [
        ("input", ", ".join(f"{shape_of(x.shape)} {x.dtype}" for x in inputs) or "none"),
        ("sub-graphs", f"{len(split.subgraphs)} in mode {split.mode}"),
        ("operators", ", ".join(placed)),
        ("work", f"{count(total)}FLOP: " + ", ".join(f"{w / total:.0%} on {d}" for w, d in zip(work, split.devices))),
        ("transfers", f"{stats.transfers}, {space(stats.bytes)} from device to device"),
        ("concurrency", f"at most {stats.concurrency} sub-graph{'s' * (stats.concurrency != 1)} at a time"),
        ("memory", f"{space(stats.peak_bytes)} at most between the sub-graphs"),
        ("time", f"{seconds(stats.seconds)} in sub-graphs; {seconds(found.whole)} whole, by the simple layers"),
        ("difference", f"{largest_difference(found.expected, found.outputs).relative:.1e} of the largest output"),
    ]
    if stats.casts:
        rows.insert(-3, ("casts", f"{stats.casts} to and from float16"))
    return rows + [("falls back", text) for text in fallbacks(split)]


def fallbacks(split: Partition) -> list[str]:
    """Why nodes could run on the host alone, each reason once, with their number."""
    reasons: dict[str, list[str]] = {}
    for v, reason in split.blocked.items():
        if v not in split.graph.sources:
            reasons.setdefault(reason, []).append(split.graph.nodes[v].name)
    return [f"{several(names, 2)}: {reason}" for reason, names in reasons.items()]


def draw(split: Partition, stats: Stats, svg: str | None, gantt: str | None) -> None:
    """Write the pictures. Raises KuiperError."""
    from kuiper.show import show_partition, show_schedule  # only here: slow to import, and not always wanted

    if svg is not None:
        show_partition(split).save(svg)
        note(f"drew the graph into {svg}")
    if gantt is not None:
        show_schedule(split, stats.times).save(gantt)
        note(f"drew the schedule into {gantt}")
