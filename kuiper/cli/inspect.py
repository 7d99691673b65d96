"""`kuiper inspect`: the operators of a network in execution order, and what they cost."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from kuiper.cli import arguments, options
from kuiper.cli.inspection import Inspection, examine
from kuiper.cli.model import find_model, model_name
from kuiper.cli.plan import fast_plan, plan_dict, show_plan
from kuiper.cli.text import console, count, facts, note, several, shape_of, space, table, warn
from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan, Plan
from kuiper.show import show_graph, show_memory

ENGINES = ("simple", "fast")
EXAMPLE = "Example: kuiper inspect resnet18.pnnx.param --shape 8,3,224,224 --svg resnet18.svg"


def inspect(
    model: options.Model,
    shape: options.Shapes = None,
    bin: options.Bin = None,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the graph into this .svg file.")] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw where values lie in memory into this .svg file.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="simple, or fast: show its plan too, and draw that with --memory.")
    ] = "simple",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for other programs instead of tables.")] = False,
) -> None:
    """Show a network's operators, shapes, weights, operations and memory.

    Networks with operators that kuiper does not know are shown as well.
    """
    arguments.check_choice("--engine", engine, ENGINES)
    arguments.check_picture("--svg", svg)
    arguments.check_picture("--memory", memory)
    shapes = arguments.shapes(shape or [])
    found = examine(find_model(model), bin, shapes)
    plan = fast_plan(found, shapes) if engine == "fast" else None
    if as_json:
        typer.echo(json.dumps(as_dict(found) | ({"plan": plan_dict(plan)} if plan else {}), indent=1))
    else:
        show(found)
        if plan is not None:
            show_plan(plan)
    for message in [*found.graph.warnings, *found.notes]:
        warn(message)
    if svg is not None:
        show_graph(found.graph).save(svg)
        console(stderr=True).print(f"drew the graph into {svg}", soft_wrap=True)
    if memory is not None:
        draw_memory(found, memory, plan)


def show(found: Inspection) -> None:
    """The table of operators, and the totals below it."""
    rows = table(
        "operator", "type", "output", "weights", "FLOPs", "bytes out",
        right=("weights", "FLOPs", "bytes out"), fold=("operator", "type", "output"),
    )  # fmt: skip
    for op in found.cost.operators:
        missing = op.type in found.unsupported
        rows.add_row(
            op.name,
            f"{op.type} (no layer)" if missing else op.type,
            " ".join(shape_of(s) for s in op.outputs) or "-",
            count(op.parameters) if op.parameters else "-",
            count(op.flops) if op.flops != 0 else "-",
            space(op.bytes_out) if op.outputs else "-",
            style="red" if missing else None,
        )
    out = console()
    out.print(rows)
    out.print()
    out.print(facts(totals(found)))


def totals(found: Inspection) -> list[tuple[str, str]]:
    """What the operators add up to, as (name, text)."""
    cost, graph = found.cost, found.graph
    stored = ", ".join(f"{space(size)} {code}" for code, size in cost.weight_bytes.items()) or "none"
    inputs = [o for op in found.operators if op.type == "pnnx.Input" for o in op.outputs]
    rows = [
        ("model", str(found.path)),
        ("inputs", ", ".join(f"{shape_of(o.shape)} {o.dtype.torch if o.dtype else '?'}" for o in inputs) or "none"),
        ("operators", f"{len(cost.operators)} of {len({op.type for op in cost.operators})} types"),
        ("weights", f"{cost.parameters:,} numbers, {stored}"),
        ("FLOPs", f"{'at least ' * cost.partial}{count(cost.flops)} for one pass (a multiply-add is 2)"),
    ]
    without_layer = {op.type for op in cost.operators if op.operator.layer is None}
    for why, known in (("no layer was made", False), ("no flops in the layer's class", True)):
        types = [kind for kind in cost.not_counted if (kind not in without_layer) == known]
        if types:
            rows.append(("", f"without {several(types, 5)}: {why}"))
    if cost.open_shapes:
        rows.append(("", f"without {several([n for ns in cost.open_shapes.values() for n in ns])}: shape not known"))
    if cost.memory_plan is None:
        rows.append(("activations", "not known: shapes are open"))
    else:
        plan = cost.memory_plan
        rows += [
            ("activations", f"{space(plan.total_bytes)} when each has its own space"),
            ("", f"{space(plan.planned_bytes)} if all shared one block, by this estimate"),
            ("", f"{space(plan.lower_bound_bytes)} alive at once, if each operator stores what it computes"),
        ]
    if found.unsupported:
        listed = "\n".join(f"{kind}: {several(names)}" for kind, names in found.unsupported.items())
        rows.append(("no layer for", listed))
    if found.fault:
        rows.append(("cannot run", found.fault))
    elif not found.unsupported:
        rows.append(("state", graph.state.name))
    return rows


def as_dict(found: Inspection) -> dict[str, Any]:
    """The same for other programs: plain numbers, null where something is not known."""
    cost, plan = found.cost, found.cost.memory_plan
    return {
        "model": str(found.path),
        "runs": not found.unsupported and found.fault is None,
        "fault": found.fault,
        "unsupported": {kind: list(names) for kind, names in found.unsupported.items()},
        "warnings": [*found.graph.warnings, *found.notes],
        "parameters": cost.parameters,
        "weight_bytes": cost.weight_bytes,
        "flops": cost.flops,
        "flops_not_counted": cost.not_counted,
        "activation_bytes": plan and {
            "without_reuse": plan.total_bytes,
            "planned": plan.planned_bytes,
            "lower_bound": plan.lower_bound_bytes,
        },
        "operators": [
            {
                "name": op.name,
                "type": op.type,
                "outputs": [None if s is None else list(s) for s in op.outputs],
                "parameters": op.parameters,
                "flops": op.flops,
                "bytes_out": op.bytes_out,
            }
            for op in cost.operators
        ],
    }  # fmt: skip


def draw_memory(found: Inspection, file: str, plan: Plan | BatchPlan | None) -> None:
    """Write the chart of the fast engine's plan, or else of the simple engine's. Raises KuiperError."""
    name, own = model_name(found.path), found.cost.memory_plan
    if plan is not None:
        chart = show_memory(plan, title=f"{name}, fast engine")
    elif own is not None:
        chart = show_memory(own, operators=found.operators, title=f"{name}, simple engine")
    else:
        raise KuiperError("--memory: expected shapes that are known, found open ones (?); say them with --shape")
    chart.save(file)
    note(f"drew the memory plan into {file}")
