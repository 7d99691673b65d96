"""`kuiper partition`: a network split over several devices, run there, and compared with the whole."""

from __future__ import annotations

import difflib
import runpy
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

import kuiper
from kuiper.cli import arguments, costs, options
from kuiper.cli.costs import BANDWIDTH, HOST_SPEED, LATENCY, LAUNCH, SPEED, Figures
from kuiper.cli.model import load_model, random_inputs
from kuiper.cli.text import complain, console, facts, flop, note, seconds, several, shape_of, space, table
from kuiper.cli.waiting import progress
from kuiper.errors import KuiperError
from kuiper.partition import BACKENDS, Device, Executor, Link, NodeGraph, Partition, Stats, partition, verify
from kuiper.partition.split import MODES
from kuiper.peers import largest_difference
from kuiper.profile import network_cost
from kuiper.show import show_partition, show_schedule

EXAMPLE = "Example: kuiper partition models/digits --device onnxruntime --operators nn.Conv2d,nn.ReLU --svg split.svg"
MODEL = "What mode cost assumes"
WARMUP = 2
"""Passes before those measured: back ends make plans, and fill caches."""


@dataclass(frozen=True)
class Measurement:
    """Some passes through the sub-graphs and through the whole network: the medians of their seconds, and the results.

    times : sub-graph -> its seconds.
    stats : of the pass of median time.
    """

    seconds: float
    times: Mapping[int, float]
    whole: float
    stats: Stats
    outputs: Sequence[np.ndarray]
    expected: Sequence[np.ndarray]
    passes: int


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
    mine: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Mode fewest: a Python file whose function fewest(predecessors, devices) makes the split, "
            "as lesson 10's homework asks for.",
        ),
    ] = None,
    min_nodes: Annotated[
        int,
        typer.Option(
            min=0, help="Mode fewest: sub-graphs of fewer operators (nn.Linear is 3) stay on the host; 0: none does."
        ),
    ] = 3,
    speed: Annotated[
        list[float] | None,
        typer.Option(
            metavar="GFLOP/S",
            help=f"The devices' speed, once for all, or once for each ({SPEED:g}).",
            rich_help_panel=MODEL,
        ),
    ] = None,
    host_speed: Annotated[
        float | None, typer.Option(metavar="GFLOP/S", help=f"The host's ({HOST_SPEED:g}).", rich_help_panel=MODEL)
    ] = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(metavar="GB/S", help=f"Of a transfer between two of them ({BANDWIDTH:g}).", rich_help_panel=MODEL),
    ] = None,
    latency: Annotated[
        float | None,
        typer.Option(metavar="US", help=f"Microseconds before a transfer begins ({LATENCY:g}).", rich_help_panel=MODEL),
    ] = None,
    launch: Annotated[
        float | None,
        typer.Option(
            metavar="US",
            help=f"Microseconds to start a sub-graph on a device ({LAUNCH:g}); the host: 0.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", "-r", min=1, help=f"Passes measured, after {WARMUP} that are not.")
    ] = 9,
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

    Mode cost finds where the whole takes the least time by a simple model:
    operations by speed, transfers, starts. Inputs and weights are everywhere.
    """
    arguments.check_choice("--mode", mode, MODES)
    arguments.check_choice("--host", host, ("simple", "fast"))
    names = device or ["fast"]
    for name in names:
        arguments.check_choice("--device", name, tuple(BACKENDS))
    arguments.check_picture("--svg", svg)
    arguments.check_picture("--gantt", gantt)
    figures = Figures(tuple(speed or ()), host_speed, bandwidth, latency, launch)
    if mode != "cost" and figures.given:
        raise typer.BadParameter(f"{figures.given[0]} means nothing to --mode {mode}; it belongs to --mode cost")
    if mine is not None and mode != "fewest":
        raise typer.BadParameter(f"--mine means nothing to --mode {mode}; it belongs to --mode fewest")
    grouping = None if mine is None else function_in(mine, "fewest")
    refused = arguments.names(blocked)
    taken = operator_lists(operators or [], refused, len(names))
    extents = arguments.shapes(shape or [])
    graph = load_model(model, bin, engine="simple")
    inputs = random_inputs(graph, extents, seed)
    nodes = NodeGraph.from_runtime(graph, inputs=inputs)
    check_types(nodes, [*refused, *(kind for one in taken if one for kind in one)])
    devices = make_devices(names, taken, refused, host, float16, figures)
    split = partition(nodes, devices, mode, min_nodes=min_nodes, link=figures.link, grouping=grouping)
    if grouping is not None:
        verify(split)
        kuipers = len(partition(nodes, devices, mode, min_nodes=min_nodes).subgraphs)
        note(f"{mine} splits the network into {len(split.subgraphs)} sub-graphs; kuiper's own function into {kuipers}")
    found = measure(graph, Executor(split), inputs, repeat=repeat)
    show(split, found, inputs, figures.link)
    if svg is not None:
        show_partition(split).save(svg)
        note(f"drew the graph into {svg}")
    if gantt is not None:
        show_schedule(split, found.stats.times).save(gantt)
        note(f"drew the schedule into {gantt}")
    limit = tolerance if tolerance is not None else 0.05 if float16 else 1e-4
    fault = largest_difference(found.expected, found.outputs).complaint(limit)
    if fault:
        complain(f"the split network {fault}")
        raise typer.Exit(1)


def function_in(file: str, name: str) -> Callable[..., Any]:
    """The function of that name in a Python file of the user's. Raises KuiperError."""
    path = Path(file)
    if not path.is_file():
        raise KuiperError(f"--mine: expected a Python file, found nothing called {file}")
    try:
        function = runpy.run_path(str(path)).get(name)
    except Exception as error:
        raise KuiperError(f"--mine: {file} raised {type(error).__name__}: {error}") from error
    if not callable(function):
        raise KuiperError(f"--mine: expected a function {name}(predecessors, devices) in {file}, found none")
    return cast("Callable[..., Any]", function)


def operator_lists(typed: Sequence[str], blocked: Sequence[str], count: int) -> list[list[str] | None]:
    """For each of so many devices the types that it takes; None: all. Raises KuiperError."""
    if not typed:
        return [None] * count
    lists: list[list[str] | None] = []
    for text in arguments.each("--operators", typed, count):
        taken = arguments.names(text)
        if not taken:
            raise KuiperError(f"--operators: expected at least one operator type, found {text!r}")
        for kind in taken:
            if kind in blocked:
                raise KuiperError(f"{kind}: expected either in --operators or in --blocked, found in both")
        lists.append(taken)
    return lists


def check_types(graph: NodeGraph, types: Sequence[str]) -> None:
    """Raise KuiperError for a type that the network does not have."""
    known = {node.type for node in graph.nodes}
    for kind in types:
        if kind not in known:
            near = difflib.get_close_matches(kind, sorted(known), 3) or sorted(known)
            raise KuiperError(f"no operator of the network has the type {kind}; it has {several(near, 5)}")


def make_devices(
    names: Sequence[str],
    operators: Sequence[Sequence[str] | None],
    blocked: Sequence[str],
    host: str,
    float16: bool,
    figures: Figures,
) -> list[Device]:
    """A device for each back end, in order, and the host. Raises KuiperError.

    Tengine's split counts the inputs as nodes of the accelerator, so that a list of operators gets them as well.
    """
    devices = [
        Device(
            name if name not in names[:i] else f"{name} {names[:i].count(name) + 1}",
            operators=None if taken is None else {*taken, "pnnx.Input", "pnnx.Attribute"},
            blocked=blocked,
            dtypes={"float16"} if float16 else None,
            speed=speed,
            launch=figures.start,
            backend=name,
            cast=float16,
        )
        for i, (name, taken, speed) in enumerate(zip(names, operators, figures.speeds(len(names)), strict=True))
    ]
    return [*devices, Device("host", backend=host, speed=figures.host)]


def measure(
    graph: kuiper.RuntimeGraph, executor: Executor, inputs: Sequence[np.ndarray], *, repeat: int
) -> Measurement:
    """The whole network by the layers and the sub-graphs, in turns, warm: WARMUP passes come first."""
    runs: list[tuple[Stats, Any]] = []
    whole = []
    with progress("running", 2 * (WARMUP + repeat)) as advance:
        for number in range(WARMUP + repeat):
            started = time.perf_counter()
            expected = graph.forward(*inputs)
            elapsed = time.perf_counter() - started
            advance()
            outputs = executor.run(list(inputs))
            advance()
            if number >= WARMUP:
                whole.append(elapsed)
                runs.append((executor.stats, outputs))
    stats, outputs = sorted(runs, key=lambda run: run[0].seconds)[repeat // 2]
    return Measurement(
        statistics.median(run.seconds for run, _ in runs),
        {i: statistics.median(run.times[i][1] - run.times[i][0] for run, _ in runs) for i in stats.times},
        statistics.median(whole),
        stats,
        outputs,
        list(expected),
        repeat,
    )


def show(split: Partition, found: Measurement, inputs: Sequence[np.ndarray], link: Link) -> None:
    """The table of sub-graphs, what the run was like, and what fell back."""
    rows = table(
        "sub-graph", "device", "operators", "from", "to", "reads", "hands over", "waits for", "time",
        right=("sub-graph", "operators", "reads", "hands over", "waits for", "time"), fold=("from", "to"),
    )  # fmt: skip
    for part in split.subgraphs:
        names = [split.graph.nodes[v].name for v in part.nodes] or ["-"]
        numbers = [len(part.inputs), len(part.outputs), part.wait_count]
        rows.add_row(
            str(part.index), str(part.device), str(len(part.nodes)), names[0], names[-1], *map(str, numbers),
            seconds(found.times.get(part.index, 0.0)),
        )  # fmt: skip
    out = console()
    out.print(rows)
    out.print()
    if split.compared:
        out.print(costs.compared(split))
        out.print()
        out.print(facts(costs.figures_of(split, link)))
    fell_back = [("falls back", text) for text in fallbacks(split)]
    out.print(facts(summary(split, found, inputs) + fell_back))


def summary(split: Partition, found: Measurement, inputs: Sequence[np.ndarray]) -> list[tuple[str, str]]:
    """What was measured, as (name, text)."""
    stats, graph = found.stats, split.graph
    placed = [f"{sum(len(p.nodes) for p in split.subgraphs if p.device == d)} on {d}" for d in split.devices]
    work = [sum(graph.nodes[v].work for p in split.subgraphs if p.device == d for v in p.nodes) for d in split.devices]
    total = sum(work) or 1.0
    operators = [node.operator for node in graph.nodes if node.operator is not None]
    partial = bool(network_cost(operators).not_counted)
    rows = [
        ("input", ", ".join(f"{shape_of(x.shape)} {x.dtype}" for x in inputs) or "none"),
        ("sub-graphs", f"{len(split.subgraphs)} in mode {split.mode}"),
        ("operators", ", ".join(placed)),
        (
            "work",
            f"{'at least ' * partial}{flop(total)}: "
            + ", ".join(f"{w / total:.0%} on {d}" for w, d in zip(work, split.devices)),
        ),
        ("transfers", f"{stats.transfers}, {space(stats.bytes)} from device to device"),
        ("concurrency", f"at most {stats.concurrency} sub-graph{'s' * (stats.concurrency != 1)} at a time"),
        ("memory", f"{space(stats.peak_bytes)} at most between the sub-graphs"),
        ("time", f"{seconds(found.seconds)} in sub-graphs; {seconds(found.whole)} whole, by the simple layers"),
        ("passes", f"{found.passes}, after {WARMUP} to warm up: times are medians"),
        ("difference", f"{largest_difference(found.expected, found.outputs).relative:.1e} of the largest output"),
    ]
    if stats.casts:
        rows.insert(-4, ("casts", f"{stats.casts} to and from float16"))
    return rows


def fallbacks(split: Partition) -> list[str]:
    """Why nodes run on the host, each reason once, with their names; in mode cost only what can run nowhere else."""
    reasons: dict[str, list[str]] = {}
    for v, reason in split.fallbacks.items():
        if v not in split.graph.sources:
            reasons.setdefault(reason, []).append(split.graph.nodes[v].name)
    return [f"{several(names, 2)}: {reason}" for reason, names in reasons.items()]
