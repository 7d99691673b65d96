"""`kuiper inspect --engine fast`: the plan by which the fast engine computes a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kuiper
from kuiper.cli.inspection import Inspection, zero_inputs
from kuiper.cli.text import console, facts, shape_of, space, table
from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan, Plan, PlanExecutor
from kuiper.fast.plan.summary import StepSummary, summary


def fast_plan(found: Inspection, shapes: Sequence[tuple[int, ...]]) -> Plan | BatchPlan:
    """The plan for inputs of zeros. Raises KuiperError for open shapes and for a network that cannot run."""
    graph = found.graph
    if graph.state is not kuiper.GraphState.COMPLETE:
        raise KuiperError("--engine fast: expected a network that can run, since the fast engine plans by a pass")
    zeros = zero_inputs(graph, shapes)
    if zeros is None:
        raise KuiperError("--engine fast: expected shapes that are known, found open ones (?); say them with --shape")
    plan = PlanExecutor(graph).plan_for({o.name: x for o, x in zip(graph.inputs, zeros)})
    assert plan is not None, "only the engine auto leaves passes to the layers"
    return plan


def show_plan(plan: Plan | BatchPlan) -> None:
    """The table of steps, and the plan's totals below it."""
    rows = table(
        "step", "operators", "kernel", "output", "buffer", "offset", "bytes",
        right=("step", "offset", "bytes"), fold=("operators", "kernel", "output"),
    )  # fmt: skip
    steps = summary(plan)
    for number, step in enumerate(steps):
        rows.add_row(
            str(number),
            ", ".join(step.operators),
            step.kernel,
            " ".join(shape_of(shape) for shape in step.outputs),
            "\n".join(f"#{buffer.name}" for buffer in step.buffers) or "-",
            "\n".join(f"{buffer.offset:,}" for buffer in step.buffers) or "-",
            "\n".join(f"{buffer.size:,}" for buffer in step.buffers) or "-",
        )
    out = console()
    out.print()
    out.print(rows)
    out.print()
    out.print(facts(totals(plan, steps)))


def totals(plan: Plan | BatchPlan, steps: Sequence[StepSummary]) -> list[tuple[str, str]]:
    """What the plan comes to, as (name, text)."""
    one = plan.parts[0] if isinstance(plan, BatchPlan) else plan
    operators = sum(len(step.operators) for step in steps)
    held, apart = space(one.memory.planned_bytes), space(one.memory.total_bytes)
    rows = [
        ("plan", f"{len(steps)} steps for {operators} operators, {plan.threads} thread{'s' * (plan.threads != 1)}"),
        ("arena", f"{held} for all buffers, inputs included; {apart} if each had its own space"),
        ("scratch", f"{space(one.scratch_bytes)} that kernels need while they run"),
    ]
    if isinstance(plan, BatchPlan):
        rows.insert(1, ("batch", f"shared out: each thread computes {plan.samples} of {plan.batch} at a time, alone"))
    if one.stretches:
        rows.insert(1, ("side by side", "; ".join(f"steps {each.start} to {each.stop - 1}" for each in one.stretches)))
    return rows


def plan_dict(plan: Plan | BatchPlan) -> dict[str, Any]:
    """The same for other programs."""
    one = plan.parts[0] if isinstance(plan, BatchPlan) else plan
    return {
        "threads": plan.threads,
        "samples_at_a_time": plan.samples if isinstance(plan, BatchPlan) else None,
        "arena_bytes": one.memory.planned_bytes,
        "scratch_bytes": one.scratch_bytes,
        "steps": [
            {
                "operators": step.operators,
                "kernel": step.kernel,
                "outputs": [None if shape is None else list(shape) for shape in step.outputs],
                "buffers": [{"name": b.name, "offset": b.offset, "bytes": b.size} for b in step.buffers],
            }
            for step in summary(plan)
        ],
    }
