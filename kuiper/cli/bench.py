"""`kuiper bench`: how long a forward pass takes on this machine, and where the time goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import typer

import kuiper
from kuiper.cli import arguments, options
from kuiper.cli.model import load_model, random_inputs
from kuiper.cli.text import console, count, facts, seconds, shape_of, table
from kuiper.cli.waiting import progress
from kuiper.profile import NetworkCost, Times, machine, measured_extents, network_cost, time_operators, time_passes

EXAMPLE = "Example: kuiper bench resnet18.pnnx.param --shape 8,3,224,224 --repeat 10 --profile"


def bench(
    model: options.Model,
    shape: options.Shapes = None,
    repeat: Annotated[int, typer.Option("--repeat", "-r", min=1, help="Passes that are measured.")] = 20,
    warmup: Annotated[int, typer.Option("--warmup", "-w", min=0, help="Passes before them that are not.")] = 3,
    profile: Annotated[
        bool, typer.Option("--profile", help="Measure each operator too, in as many further passes.")
    ] = False,
    all_rows: Annotated[
        bool, typer.Option("--all", help="With --profile: every operator, not only the 20 slowest.")
    ] = False,
    bin: options.Bin = None,
    seed: options.Seed = 0,
) -> None:
    """Measure the time of forward passes on random input.

    The figures hold for this machine and its load now: compare only what was measured together.
    """
    extents = arguments.shapes(shape or [])
    graph = load_model(model, bin)
    inputs = random_inputs(graph, extents, seed, quiet=True)
    cost = network_cost(graph.operators, measured_extents(graph, *inputs))
    with progress("measuring", warmup + repeat * (1 + profile)) as advance:
        times = time_passes(graph, inputs, repeat=repeat, warmup=warmup, on_pass=advance)
        per_operator = time_operators(graph, inputs, repeat=repeat, on_pass=advance) if profile else {}
    out = console()
    out.print(facts(pass_facts(inputs, times, cost)))
    if profile:
        out.print()
        show_profile(graph, per_operator, cost, all_rows)


def pass_facts(inputs: Sequence[np.ndarray], times: Times, cost: NetworkCost) -> list[tuple[str, str]]:
    """What was measured, on what, as (name, text)."""
    facts_ = machine()
    threads = f", BLAS threads: {facts_['blas_threads']}" if "blas_threads" in facts_ else ""
    batch = inputs[0].shape[0] if inputs and inputs[0].ndim else 1
    rows = [
        ("machine", f"{facts_['system']}, {facts_['cores']} cores"),
        ("software", f"Python {facts_['python']}, numpy {facts_['numpy']}, {facts_['blas']}{threads}"),
        ("input", ", ".join(f"{shape_of(x.shape)} {x.dtype}" for x in inputs) or "none"),
        ("median", f"{seconds(times.median)} a pass, of {len(times.seconds)}"),
        ("range", f"{seconds(times.fastest)} to {seconds(times.slowest)}"),
        ("spread", f"{times.spread:.0%} of the median, over the middle half of the passes"),
        ("throughput", f"{batch / times.median:.3g} samples/s (batch {batch})"),
    ]
    if cost.flops:
        rows.append(("work", f"{count(cost.flops)}FLOP a pass, {cost.flops / times.median / 1e9:.3g} GFLOP/s"))
    return rows


def show_profile(
    graph: kuiper.RuntimeGraph, per_operator: dict[str, Times], cost: NetworkCost, all_rows: bool, most: int = 20
) -> None:
    """Operators by time, then types by time."""
    total = sum(times.median for times in per_operator.values()) or 1.0
    costs = {op.name: op for op in cost.operators}
    slowest = sorted(per_operator, key=lambda name: -per_operator[name].median)
    rows = table(
        "operator", "type", "time", "share", "FLOPs", "GFLOP/s",
        right=("time", "share", "FLOPs", "GFLOP/s"), fold=("operator", "type"),
    )  # fmt: skip
    for name in slowest if all_rows else slowest[:most]:
        op, taken = costs[name], per_operator[name].median
        speed = f"{op.flops / taken / 1e9:.3g}" if op.flops and taken else "-"
        work = count(op.flops) if op.flops != 0 else "-"
        rows.add_row(name, op.type, seconds(taken), f"{taken / total:.1%}", work, speed)
    out = console()
    out.print(rows)
    if len(slowest) > most and not all_rows:
        rest = sum(per_operator[name].median for name in slowest[most:])
        out.print(f"and {len(slowest) - most} more with {rest / total:.1%} of the time (--all shows them)")
    out.print()
    show_types(per_operator, costs_by_type(graph), total)


def costs_by_type(graph: kuiper.RuntimeGraph) -> dict[str, list[str]]:
    """Operator type -> names of its operators."""
    names: dict[str, list[str]] = {}
    for op in graph.operators:
        names.setdefault(op.type, []).append(op.name)
    return names


def show_types(per_operator: dict[str, Times], types: dict[str, list[str]], total: float) -> None:
    """How the time divides among operator types."""
    taken = {
        kind: sum(per_operator[name].median for name in names if name in per_operator) for kind, names in types.items()
    }
    rows = table("type", "operators", "time", "share", right=("operators", "time", "share"), fold=("type",))
    for kind in sorted((k for k in taken if taken[k]), key=lambda k: -taken[k]):
        rows.add_row(kind, str(len(types[kind])), seconds(taken[kind]), f"{taken[kind] / total:.1%}")
    console().print(rows)
