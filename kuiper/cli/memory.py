"""`kuiper inspect --memory`: where the values of a pass lie, drawn into a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import kuiper
from kuiper.cli.text import note
from kuiper.errors import KuiperError
from kuiper.inputs import concrete_shape
from kuiper.show import Svg, show_memory

if TYPE_CHECKING:
    from kuiper.cli.inspect import Inspection

ENGINES = ("simple", "fast")


def draw_memory(found: Inspection, file: str, engine: str, shapes: Sequence[tuple[int, ...]]) -> None:
    """Write the chart. Raises KuiperError, also for shapes that are not known and a network that cannot run."""
    name = found.path.name.removesuffix(".param").removesuffix(".pnnx")
    title = f"{name}, {engine} engine"
    chart = of_fast(found, shapes, title) if engine == "fast" else of_simple(found, title)
    chart.save(Path(file))
    note(f"drew the memory plan into {file}")


def of_simple(found: Inspection, title: str) -> Svg:
    """The plan of the course: every operator's output by itself."""
    if found.cost.plan is None:
        raise KuiperError("--memory: expected shapes that are known, found open ones (?); say them with --shape")
    return show_memory(found.cost.plan, operators=found.operators, title=title)


def of_fast(found: Inspection, shapes: Sequence[tuple[int, ...]], title: str) -> Svg:
    """The plan of the fast engine, made for inputs of zeros."""
    graph = found.graph
    if graph.state is not kuiper.GraphState.COMPLETE:
        raise KuiperError("--memory: expected a network that can run, since the fast engine plans by a pass")
    values = {}
    for i, operand in enumerate(graph.input_operands):
        shape = concrete_shape(operand, shapes[i] if shapes else None)
        if shape is None:
            raise KuiperError("--memory: expected shapes that are known, found open ones (?); say them with --shape")
        values[operand.name] = np.zeros(shape, operand.type.compute if operand.type else np.float32)
    plan = graph.plan_for(values)
    assert plan is not None, "only the engine auto leaves passes to the layers"
    return show_memory(plan, title=title)
