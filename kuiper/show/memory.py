"""A memory plan as a chart: operators to the right, bytes of the arena upwards, a box for every value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kuiper.errors import KuiperError
from kuiper.fast import BatchPlan, Plan
from kuiper.graph import MemoryPlan, Operator, shape_text
from kuiper.runtime import GraphState, RuntimeGraph
from kuiper.show.axes import Axes, Ruler
from kuiper.show.palette import SWATCHES, UNTOLD, Swatch, swatch_of
from kuiper.show.svg import Svg, element, escape, legend, line, picture, shorten, text, text_width

LEFT, RIGHT, TOP, CHART = 78.0, 16.0, 74.0, 340.0
COLUMN = (13.0, 96.0)
"""Least and greatest width of a step."""
PAGE = 900.0
NAMED = 70
"""With more steps only some bear their names."""
LETTERS = 24
LABELLED = 40
"""How many values may bear names: the largest, where there is room."""
LINES = 6
"""Of the list of values that lie inside others."""
BOUND = "#d6336c"


@dataclass
class _Facts:
    """What is drawn: a memory plan, and what is known of its steps and values, by operand name."""

    memory: MemoryPlan
    steps: list[str]
    kinds: dict[str, Swatch] = field(default_factory=dict)
    shapes: dict[str, str] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    """Value with memory of its own -> the values that lie in it; the largest first."""
    scratch: int | None = None
    arenas: int = 1
    """How many such arenas there are."""


def show_memory(
    plan: Plan | BatchPlan | RuntimeGraph | MemoryPlan,
    *,
    operators: Sequence[Operator] = (),
    names: Sequence[str] | None = None,
    title: str | None = None,
) -> Svg:
    """A plan of memory -> its chart: the values alive at a step stand above it, each where it lies in the arena.

    The width of a box is a value's life, its height the bytes, its colour the family of the operator that computes it.
    The dashed line is the most that is alive at any one step: no placement of these values can do with less. Below it
    are listed the values that take no memory because they lie inside others. Boxes tell more while the mouse rests on
    them.

    Parameters
    ----------
    plan : of the fast engine (its first step is "input", its last "output"; where threads share a batch out, that of
        one thread), of a built graph, or any MemoryPlan.
    operators : those that the steps of a MemoryPlan are, for their names and colours; the other plans know theirs.
    names : what is written below the steps; by default the operators' names, or numbers.

    Raises KuiperError for what is no plan, for a graph whose shapes are open, and for too few operators or names.

    >>> from kuiper.graph import Lifetime, plan_memory
    >>> plan = plan_memory({"a": Lifetime(0, 1), "b": Lifetime(1, 2)}, {"a": 64, "b": 32})
    >>> "2 values, 96 B" in show_memory(plan, names=["in", "relu", "out"])
    True
    """
    facts = _facts(plan, operators)
    facts.steps = list(names) if names is not None else facts.steps
    least = max((life.last + 1 for life in facts.memory.lifetimes.values()), default=0)
    if len(facts.steps) < least:
        raise KuiperError(f"show_memory: expected operators or names for {least} steps, found {len(facts.steps)}")
    memory = facts.memory
    heading = title or "Memory plan"
    sizes = _sizes(facts)
    top = max(memory.planned_bytes, memory.lower_bound_bytes, 1)
    steps = max(len(facts.steps), 1)
    wide = min(max((PAGE - LEFT - RIGHT) / steps, COLUMN[0]), COLUMN[1])
    right = LEFT + wide * steps
    axes = Axes(Ruler(0, steps, LEFT, right), Ruler(0, top, TOP + CHART, TOP))
    parts = [
        text(heading, LEFT, 18.0, 15.0, text_anchor="start", font_weight="bold"),
        text(sizes, LEFT, 38.0, text_anchor="start"),
        *_grid(axes),
        *_boxes(facts, axes),
        *_bound(memory, axes, right),
    ]
    below, bottom = _names(facts.steps, axes)
    swatches = [kind for kind in SWATCHES if kind in facts.kinds.values()]
    kinds, bottom = legend(swatches, LEFT, bottom + 9, max(right, PAGE))
    nested, bottom = _inside(facts.inside, bottom + (21 if swatches else 7))
    width = max(right, LEFT + text_width(sizes), LEFT + text_width(heading, 15.0)) + RIGHT
    return picture(width, bottom + 6, heading, _description(facts, sizes), *parts, *below, *kinds, *nested)


def _facts(plan: object, operators: Sequence[Operator]) -> _Facts:
    if isinstance(plan, Plan):
        return _of_plan(plan)
    if isinstance(plan, BatchPlan):
        return replace(_of_plan(plan.parts[0]), arenas=len(plan.parts))
    if isinstance(plan, MemoryPlan):
        return _of_operators(plan, operators)
    if not isinstance(plan, RuntimeGraph) or plan.state is not GraphState.COMPLETE:
        raise KuiperError(f"show_memory: expected a plan or a built graph, found {type(plan).__name__}")
    memory = plan.memory_plan
    if memory is None:
        raise KuiperError("show_memory: expected a built graph whose file says all shapes, found no plan in it")
    facts = _of_operators(memory, plan.operators)
    operands = [operand for op in plan.operators for operand in op.outputs]
    facts.shapes = {o.name: shape_text(o.shape) for o in operands if o.shape is not None}
    return facts


def _of_operators(memory: MemoryPlan, operators: Sequence[Operator]) -> _Facts:
    if not operators:
        count = max((life.last + 1 for life in memory.lifetimes.values()), default=0)
        return _Facts(memory, [str(step) for step in range(count)])
    kinds = {operand.name: swatch_of(op.type) for op in operators for operand in op.outputs}
    return _Facts(memory, [op.name for op in operators], {name: kinds[name] for name in memory.sizes if name in kinds})


def _of_plan(plan: Plan) -> _Facts:
    values = plan.layout.values
    kinds = {name: swatch_of("pnnx.Input") for name in plan.layout.inputs}
    for step in plan.steps:
        kinds |= {name: swatch_of(step.operators[0].type) for name in step.writes}
    inside: dict[str, list[str]] = {}
    shapes = {}
    for name, value in values.items():
        shapes[name] = shape_text(value.spec.shape or ())
        if any(value.halo):
            shapes[name] += f" in a border of {', '.join(map(str, value.halo))}"
        if value.base is not None:
            inside.setdefault(plan.layout.root(name).name, []).append(name)
    steps = ["input", *(step.operators[0].name for step in plan.steps), "output"]
    kinds = {name: kind for name, kind in kinds.items() if name in plan.memory.sizes}
    inside = {name: inside[name] for name in sorted(inside, key=lambda name: -plan.memory.sizes[name])}
    return _Facts(plan.memory, steps, kinds, shapes, inside, plan.scratch_bytes)


def _grid(axes: Axes) -> list[str]:
    parts = []
    for tick in _ticks(int(axes.y.high)):
        parts += [axes.row(tick), text(_space(tick, 0), LEFT - 7, axes.y(tick), text_anchor="end")]
    return parts


def _boxes(facts: _Facts, axes: Axes) -> list[str]:
    """A box for each value, in the order of the plan; the largest with names, where these fit."""
    memory = facts.memory
    largest = sorted(memory.sizes, key=lambda name: -memory.sizes[name])[:LABELLED]
    parts = []
    for name, size in memory.sizes.items():
        life, kind = memory.lifetimes[name], facts.kinds.get(name, UNTOLD)
        tall = max(axes.y(0) - axes.y(size), 1.0)
        x, width = axes.x(life.first) + 1, axes.x(life.last + 1) - axes.x(life.first) - 2
        y, gap = axes.y(memory.offsets[name]) - tall, 0.5 if tall > 4 else 0.0
        look = {"fill": kind.fill, "stroke": kind.border, "stroke_width": 1.0 if tall > 3 else 0.5}
        tip = element("title", escape(_tip(facts, name)))
        parts.append(
            element("rect", tip, x=x, y=y + gap, width=width, height=tall - 2 * gap, rx=min(3.0, tall / 3), **look)
        )
        if name in largest:
            words = [f"#{name} {_space(size)}", f"#{name}"]
            if name in facts.inside:
                words.insert(0, f"{words[0]}, holds {_listed(facts.inside[name])}")
            parts += _label(words, x + width / 2, y + tall / 2, width, tall, kind)
    return parts


def _label(texts: Iterable[str], x: float, y: float, width: float, tall: float, kind: Swatch) -> list[str]:
    """The first of the texts that fits into the box, upright if it fits only so."""
    for words in texts:
        long = text_width(words, 10.0) + 6
        if long <= width and tall >= 13:
            return [text(words, x, y, 10.0, kind.text, pointer_events="none")]
        if long <= tall and width >= 11:
            turn = f"rotate(-90 {x:.1f} {y:.1f})"
            return [text(words, x, y, 10.0, kind.text, transform=turn, pointer_events="none")]
    return []


def _tip(facts: _Facts, name: str) -> str:
    memory = facts.memory
    life, start, size = memory.lifetimes[name], memory.offsets[name], memory.sizes[name]
    lines = [
        " ".join(part for part in (f"#{name}", facts.shapes.get(name, ""), _space(size)) if part),
        f"bytes {start:,} to {start + size:,}",
        f"steps {life.first} ({facts.steps[life.first]}) to {life.last} ({facts.steps[life.last]})",
    ]
    if name in facts.inside:
        lines.append(f"holds {_listed(facts.inside[name])}")
    return "\n".join(lines)


def _bound(memory: MemoryPlan, axes: Axes, right: float) -> list[str]:
    """The dashed line of the lower bound, and how it lies to the arena's height."""
    y = axes.y(memory.lower_bound_bytes)
    words = f"lower bound {_space(memory.lower_bound_bytes)}"
    if memory.planned_bytes == memory.lower_bound_bytes:
        words += ", which the plan reaches"
    dashed = line(LEFT, y, right, y, 1.5, BOUND, stroke_dasharray="6 4")
    return [dashed, text(words, LEFT, TOP - 14, fill=BOUND, text_anchor="start")]


def _names(steps: Sequence[str], axes: Axes) -> tuple[list[str], float]:
    """What stands below the steps, slanting, and where it ends."""
    every = -(-len(steps) // NAMED)
    shown = [(i, shorten(name, LETTERS)) for i, name in enumerate(steps) if i % every == 0] if steps else []
    y = axes.y(0) + 10
    parts = []
    longest = max((text_width(name, 10.0) for _, name in shown), default=0.0)
    flat = longest + 8 <= axes.x(every) - axes.x(0)
    for i, name in shown:
        x = axes.x(i + 0.5)
        look = {} if flat else {"text_anchor": "end", "transform": f"rotate(-60 {x:.1f} {y:.1f})"}
        parts.append(text(name, x, y, 10.0, **look))
    return parts, y + (8.0 if flat else longest * 0.87 + 8)


def _inside(inside: Mapping[str, Sequence[str]], y: float) -> tuple[list[str], float]:
    """The list of values that lie inside others, and where it ends."""
    lines = [f"#{name} holds {_listed(others)}" for name, others in inside.items()]
    if len(lines) > LINES:
        lines[LINES - 1 :] = [f"and {len(lines) - LINES + 1} more that hold others"]
    parts = []
    for words in lines:
        y += 16
        parts.append(text(shorten(words, 110), LEFT, y, text_anchor="start"))
    return parts, y + 8


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"#{name}" for name in names)


def _sizes(facts: _Facts) -> str:
    memory = facts.memory
    words = f"{len(memory.sizes)} values, {_space(memory.total_bytes)} one beside the other; arena "
    words += _space(memory.planned_bytes)
    if memory.total_bytes:
        words += f" ({memory.planned_bytes / memory.total_bytes:.0%})"
    if facts.scratch is not None:
        words += f"; scratch {_space(facts.scratch)} besides"
    return words if facts.arenas == 1 else f"{words}; each of {facts.arenas} threads has its own"


def _description(facts: _Facts, sizes: str) -> str:
    """The chart in words, for those who cannot see it."""
    memory = facts.memory
    largest = sorted(memory.sizes, key=lambda name: -memory.sizes[name])[:3]
    words = [f"{len(facts.steps)} steps to the right, bytes upwards. {sizes}."]
    words.append(f"At one step {_space(memory.lower_bound_bytes)} are alive: no placement can do with less.")
    if largest:
        words.append("Largest: " + ", ".join(f"#{name} {_space(memory.sizes[name])}" for name in largest) + ".")
    if facts.inside:
        words.append(f"{sum(map(len, facts.inside.values()))} values lie inside others.")
    return " ".join(words)


def _ticks(top: int) -> list[int]:
    """0 and at most six round numbers of bytes up to `top`.

    >>> _ticks(5 << 20) == [n << 20 for n in range(6)]
    True
    """
    unit = 1024 ** max(n for n in range(5) if n == 0 or top >= 1024**n)
    steps = (digit * 10**power * unit for power in range(4) for digit in (1, 2, 5))
    step = next(step for step in steps if top / step <= 6)
    return list(range(0, top + 1, step))


def _space(value: int, digits: int = 3) -> str:
    """Bytes in binary units; `digits` 0: no more than needed.

    >>> _space(5897704 * 4), _space(100), _space(2 << 20, 0), _space(1010 << 10)
    ('22.5 MiB', '100 B', '2 MiB', '1010 KiB')
    """
    for size, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= 0.9995 * size:
            form = ".0f" if value >= 999.5 * size else f"#.{digits}g" if digits else "g"
            return f"{value / size:{form}} {unit}".replace(". ", " ")
    return f"{value} B"
