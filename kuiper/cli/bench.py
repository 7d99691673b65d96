"""`kuiper bench`: how long a forward pass takes on this machine, where the time goes, and what others take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import kuiper
from kuiper.cli import arguments, hotspots, options, versus
from kuiper.cli.model import find_model, load_model, model_name, random_inputs
from kuiper.cli.text import console, facts, flop, note, seconds, shape_of, warn
from kuiper.cli.waiting import progress
from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan, Plan
from kuiper.fast.plan.summary import summary
from kuiper.graph import Extent
from kuiper.peers import Workload, largest_difference
from kuiper.profile import (
    NetworkCost,
    Times,
    blas_threads,
    cost_together,
    forced_core,
    machine,
    measure_roof,
    measured_extents,
    network_cost,
    roofline_points,
    time_operators,
    time_passes,
    usable_cores,
)
from kuiper.runtime import EXECUTORS, LayerExecutor
from kuiper.show import show_roofline

EXAMPLE = "Example: kuiper bench resnet18.pnnx.param --vs torch,onnxruntime --profile --roofline resnet18.svg"


def bench(
    model: options.Model,
    shape: options.Shapes = None,
    repeat: Annotated[int, typer.Option("--repeat", "-r", min=1, help="Passes (with --vs: turns) measured.")] = 20,
    warmup: Annotated[int, typer.Option("--warmup", "-w", min=0, help="Passes before them that are not.")] = 3,
    vs: Annotated[
        str, typer.Option("--vs", metavar="NAMES", help="Measure these too, in turns: torch,onnxruntime,ncnn.")
    ] = "",
    engine: options.Engine = "auto",
    threads: Annotated[
        int | None,
        typer.Option("--threads", "-t", min=1, max=1024, help="Threads of everyone; by default, one a core."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, help="Largest difference of outputs, as a share of the largest.")
    ] = 1e-3,
    profile: Annotated[
        bool, typer.Option("--profile", help="Measure each operator too, in as many further passes.")
    ] = False,
    all_rows: Annotated[
        bool, typer.Option("--all", help="With --profile: every operator, not only the 20 slowest.")
    ] = False,
    roofline: Annotated[
        str | None, typer.Option("--roofline", metavar="FILE", help="Draw each operator's speed into this .svg file.")
    ] = None,
    bin: options.Bin = None,
    seed: options.Seed = 0,
) -> None:
    """Measure the time of forward passes on random input.

    The figures hold for this machine and its load now: compare only what was measured together.
    Where a plan computes the passes, its outputs are compared with the layers' first.
    With --vs, the exit code is 2 where none of those named could be measured.
    """
    shapes, names = arguments.shapes(shape or []), arguments.names(vs)
    arguments.check_choice("--engine", engine, tuple(EXECUTORS))
    threads = threads or usable_cores()
    versus.check_names(names)
    arguments.check_picture("--roofline", roofline)
    graph = load_model(model, bin, engine=engine, threads=threads)
    inputs = random_inputs(graph, shapes, seed, quiet=True)
    extents = measured_extents(graph, *inputs)
    cost = network_cost(graph.operators, extents)
    if engine != "simple":
        with blas_threads(threads):
            check_plan(graph, inputs, engine, tolerance)
    out = console()
    if names:
        workload = Workload(find_model(model), None if bin is None else Path(bin), inputs, threads, engine)
        found = versus.take_turns(workload, names, rounds=repeat, tolerance=tolerance)
        out.print(facts(pass_facts(inputs, found[0].times, cost, engine, threads)))
        out.print()
        versus.show(found)
    else:
        with progress("measuring", warmup + repeat) as advance, blas_threads(threads):
            times = time_passes(graph, inputs, repeat=repeat, warmup=warmup, on_pass=advance)
        out.print(facts(pass_facts(inputs, times, cost, engine, threads)))
    warn_of_forced_core()
    if profile or roofline is not None:
        show_operators(graph, inputs, cost, extents, repeat, threads, roofline, all_rows if profile else None)
    if names and all(one.fault for one in found[1:]):
        raise KuiperError(f"--vs: nothing to compare with: could not measure {', '.join(names)}")


def check_plan(graph: kuiper.RuntimeGraph, inputs: Sequence[np.ndarray], engine: str, tolerance: float) -> None:
    """Make the plan, and say so where its outputs are not the layers'; random layers have none to compare."""
    plan = plan_of(graph, inputs)
    if plan is None or any(op.layer is not None and op.layer.random for op in graph.operators):
        return
    values = {operand.name: x for operand, x in zip(graph.inputs, inputs, strict=True)}
    layers, planned = ([np.asarray(x) for x in way.run(values)] for way in (LayerExecutor(graph), graph.executor))
    complaint = largest_difference(layers, planned).complaint(tolerance)
    if complaint:
        warn(f"--engine {engine}: the plan {complaint}; the layers, --engine simple, are the reference")


def show_operators(
    graph: kuiper.RuntimeGraph,
    inputs: Sequence[np.ndarray],
    cost: NetworkCost,
    extents: Mapping[str, Extent],
    repeat: int,
    threads: int,
    svg: str | None,
    all_rows: bool | None,
) -> None:
    """Each operator's time against what the machine can do: as tables (unless `all_rows` is None), as a picture."""
    with progress("measuring operators", repeat) as advance, blas_threads(threads):
        times = time_operators(graph, inputs, repeat=repeat, on_pass=advance)
    roof = measure_roof(threads)
    plan = plan_of(graph, inputs)
    if plan is not None and times.keys() <= {group[0].name for group in plan.groups}:
        cost = cost_together(cost, plan.groups, extents)
    kernels = {step.operators[0]: step.kernel for step in summary(plan)} if plan is not None else {}
    if all_rows is not None:
        console().print()
        hotspots.show(graph, times, cost, roof, kernels, all_rows)
    if svg is not None:
        points = roofline_points(cost, times)
        if not points:
            raise KuiperError("--roofline: no operator of this network has operations that can be counted")
        show_roofline(points, roof, title=model_name(graph.param)).save(svg)
        note(f"drew {len(points)} operators into {svg}")


def plan_of(graph: kuiper.RuntimeGraph, inputs: Sequence[np.ndarray]) -> Plan | BatchPlan | None:
    """The plan that computes passes on these inputs; None where the layers do."""
    values = {operand.name: x for operand, x in zip(graph.inputs, inputs, strict=True)}
    plan: Plan | BatchPlan | None = graph.executor.plan_for(values)
    return plan


def pass_facts(
    inputs: Sequence[np.ndarray], times: Times, cost: NetworkCost, engine: str, threads: int
) -> list[tuple[str, str]]:
    """What was measured, on what, as (name, text)."""
    facts_ = machine()
    core = f" with kernels for {facts_['blas_core']}" if "blas_core" in facts_ else ""
    batch = inputs[0].shape[0] if inputs and inputs[0].ndim else 1
    rows = [
        ("machine", f"{facts_['system']}, {facts_['cores']} cores"),
        ("software", f"Python {facts_['python']}, numpy {facts_['numpy']}, {facts_['blas']}{core}"),
        ("engine", f"{engine}, {threads} thread{'s' * (threads != 1)}"),
        ("input", ", ".join(f"{shape_of(x.shape)} {x.dtype}" for x in inputs) or "none"),
        ("median", f"{seconds(times.median)} a pass, of {len(times.seconds)}"),
        ("range", f"{seconds(times.fastest)} to {seconds(times.slowest)}"),
        ("spread", f"{times.spread:.0%} of the median, over the middle half of the passes"),
        ("throughput", f"{batch / times.median:.3g} samples/s (batch {batch})"),
    ]
    if cost.flops:
        work = f"{flop(cost.flops)} a pass, {cost.flops / times.median / 1e9:.3g} GFLOP/s"
        rows.append(("work", "at least " * cost.partial + work))
    return rows


def warn_of_forced_core() -> None:
    """Say so where the environment makes the matrix library use another processor's kernels."""
    forced = forced_core()
    if forced is not None:
        used, natural = forced
        warn(
            f"OPENBLAS_CORETYPE makes numpy multiply with kernels for {used}; this processor would get {natural}. "
            "Unset the variable: these times say little about kuiper"
        )
