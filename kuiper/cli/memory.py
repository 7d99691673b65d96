"""`kuiper inspect --memory`: where the values of a pass lie, drawn into a file."""

from __future__ import annotations

from pathlib import Path

from kuiper.cli.inspection import Inspection
from kuiper.cli.text import note
from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan, Plan
from kuiper.show import Svg, show_memory


def draw_memory(found: Inspection, file: str, plan: Plan | BatchPlan | None) -> None:
    """Write the chart of the fast engine's plan, or of the course's where there is none. Raises KuiperError."""
    name = found.path.name.removesuffix(".param").removesuffix(".pnnx")
    chart = (
        of_course(found, f"{name}, simple engine") if plan is None else show_memory(plan, title=f"{name}, fast engine")
    )
    chart.save(Path(file))
    note(f"drew the memory plan into {file}")


def of_course(found: Inspection, title: str) -> Svg:
    """The plan of the course: every operator's output by itself. Raises KuiperError for shapes that are not known."""
    if found.cost.memory_plan is None:
        raise KuiperError("--memory: expected shapes that are known, found open ones (?); say them with --shape")
    return show_memory(found.cost.memory_plan, operators=found.operators, title=title)
