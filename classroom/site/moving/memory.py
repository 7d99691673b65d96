"""Lessons 4 and 11: the values of the digits network step by step, and their offsets in one block of memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import kuiper
from classroom.register import ROOT
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import path, rect, words
from kuiper.graph import MemoryPlan, Operator, plan_memory
from kuiper.graph.memory import largest_first, neighbours

DIGITS = ROOT / "models" / "digits" / "digits.pnnx.param"
LARGE = 1024
"""Values with fewer floats are placed together in the last frame."""
LEFT, STEP, LINE, TOP = 44.0, 12.0, 10.0, 34.0
"""Pixels: where step 0 begins, the width of a step, the height of a value's line, where the charts begin."""
TALL = 230.0
"""Height of the block."""


@dataclass(frozen=True)
class PlannedNetwork:
    """The operators in execution order, and the memory plan of their outputs in floats for one image."""

    operators: Sequence[Operator]
    plan: MemoryPlan

    def alive(self, step: int) -> list[str]:
        """The values alive during a step."""
        return [name for name, life in self.plan.lifetimes.items() if life.first <= step <= life.last]

    def floats(self, step: int) -> int:
        """Their total size."""
        return sum(self.plan.sizes[name] for name in self.alive(step))

    def by_size(self) -> list[str]:
        """The values in the order in which kuiper's planner places them: the largest first, then the earliest."""
        return largest_first(self.plan.lifetimes, self.plan.sizes)


def network() -> PlannedNetwork:
    """The digits network with kuiper's plan for a batch of one."""
    graph = kuiper.load(DIGITS)
    operands = [operand for op in graph.operators for operand in op.outputs]
    sizes = {operand.name: math.prod((operand.shape or (1,))[1:]) for operand in operands}
    return PlannedNetwork(graph.operators, plan_memory(graph.lifetimes, sizes))


def scene() -> Scene:
    """First the lifetimes while the network runs; then the planner places the values, largest first."""
    net = network()
    first = Frame(f"The digits network computes {len(net.plan.sizes)} values. Each begins at the step that writes it, "
                  "and ends at the step that reads it last. Let us run it.", {})  # fmt: skip
    frames = [first, *_living(net), *_placing(net)]
    return Scene("memory", "The memory plan of the digits network, for one image", [_lives(net), _block(net)],
                 frames, len(frames) - 1)  # fmt: skip


def _living(net: PlannedNetwork) -> list[Frame]:
    """One frame per step: the values alive, and their total size."""
    frames = []
    busiest = 0
    for step, op in enumerate(net.operators):
        alive, floats = net.alive(step), net.floats(step)
        written = {operand.name for operand in op.outputs}
        states = {f"v{name}": _age(net, name, step, written) for name in net.plan.sizes}
        states |= {f"b{i}": PartState("teal") for i in range(step)} | {f"b{step}": PartState("now")}
        states["cursor"] = PartState("ring", None, step * STEP)
        say = f"Step {step}, {op.type}: "
        say += f"value {', '.join(written)} is written. " if written else "the result is handed over. "
        say += f"Alive: {', '.join('#' + name for name in alive)}, together {floats:,} floats."
        busiest = max(busiest, floats)
        say += " No step needs more." if floats == busiest == net.plan.lower_bound_bytes else ""
        frames.append(Frame(say, states))
    return frames


def _age(net: PlannedNetwork, name: str, step: int, written: set[str]) -> PartState:
    life = net.plan.lifetimes[name]
    if name in written:
        return PartState("now")
    return PartState("ghost" if step < life.first else "orange" if step <= life.last else "plain")


def _placing(net: PlannedNetwork) -> list[Frame]:
    """One frame per value in the planner's order, each at the offset that kuiper's planner gives it."""
    names, plan = net.by_size(), net.plan
    bars = {f"b{step}": PartState("ghost") for step in range(len(net.operators))}
    say = f"Each value in a place of its own would take {plan.total_bytes:,} floats. Now values that never live at the "
    say += (
        "same time may share a place. We place the largest first, each at the lowest offset that is free all its life."
    )
    frames = [Frame(say, bars)]
    states: PartStates = dict(bars)
    for count, name in enumerate(names, 1):
        if plan.sizes[name] < LARGE:
            break
        so_far = plan_memory(plan.lifetimes, {n: plan.sizes[n] for n in names[:count]})
        life, offset = plan.lifetimes[name], so_far.offsets[name]
        mark = {f"v{name}": PartState("now"), f"p{name}": PartState("now")}
        say = f"Value {name}, {plan.sizes[name]:,} floats, lives from step {life.first} to {life.last}: "
        say += f"{_why(so_far, name)} It takes {offset:,} to {offset + plan.sizes[name]:,}."
        frames.append(Frame(say, states | mark))
        states |= {f"{letter}{name}": PartState(_tint(plan, name)) for letter in "vp"}
    small = [name for name in names if plan.sizes[name] < LARGE]
    states |= {f"{letter}{name}": PartState(_tint(plan, name)) for name in small for letter in "vp"}
    say = f"The {len(small)} small values find room between the others. The block has {plan.planned_bytes:,} floats "
    say += f"instead of {plan.total_bytes:,}. "
    say += (
        "It cannot be smaller: the busiest step needs as much." if plan.planned_bytes == plan.lower_bound_bytes else ""
    )
    return [*frames, Frame(say, states)]


def _why(plan: MemoryPlan, name: str) -> str:
    """Why a value is not at offset 0: the values below it at the same time."""
    names = list(plan.sizes)
    alive = [names[i] for i in neighbours(plan.lifetimes, names)[names.index(name)]]
    below = [other for other in alive if plan.offsets[other] < plan.offsets[name]]
    if not below:
        return "place 0 is free all that time."
    listed = ", ".join(f"#{other}" for other in below)
    return f"{listed} {'lies' if len(below) == 1 else 'lie'} below it at that time."


def _tint(plan: MemoryPlan, name: str) -> str:
    return ("blue", "orange", "green", "violet")[list(plan.sizes).index(name) % 4]


def _lives(net: PlannedNetwork) -> Panel:
    """The panel of lifetimes: a line per value from the step that writes it to the last that reads it."""
    plan, ground = net.plan, _steps(net.operators, "values and their lives")
    parts = []
    bottom = TOP + LINE * len(plan.sizes)
    for row, (name, life) in enumerate(plan.lifetimes.items()):
        y = TOP + row * LINE
        x, width = LEFT + STEP * life.first, STEP * (life.last - life.first + 1)
        parts.append(Part(f"v{name}", rect(x, y + 1, width, LINE - 2, 2), kind="ghost"))
        ground += words(f"#{name}", LEFT - 6, y + LINE / 2, 10.0, "end")
    parts.append(Part("cursor", rect(LEFT, TOP - 3, STEP, bottom - TOP + 6, 3), kind="hidden"))
    label = (
        f"{len(plan.sizes)} values of the digits network as lines, from the step that writes each to its last reader."
    )
    return Panel(LEFT + STEP * len(net.operators) + 4, bottom + 6, label, parts, ground)


def _block(net: PlannedNetwork) -> Panel:
    """The panel of memory (x: steps, y: floats): what is alive at each step, later each value at its offset."""
    plan, ground = net.plan, _steps(net.operators, "floats: what is alive, and the block")
    scale, floor = TALL / plan.planned_bytes, TOP + TALL
    parts, right = [], LEFT + STEP * len(net.operators)
    for tick in range(0, plan.planned_bytes + 1, 2048):
        y = floor - tick * scale
        ground += path(f"M{LEFT:g} {y:.1f}H{right:g}", "grid") + words(f"{tick:,}", LEFT - 5, y, 10.0, "end")
    for step in range(len(net.operators)):
        tall = net.floats(step) * scale
        parts.append(Part(f"b{step}", rect(LEFT + step * STEP + 1, floor - tall, STEP - 2, tall, 1), kind="hidden"))
    for name, life in plan.lifetimes.items():
        x, width = LEFT + STEP * life.first + 0.7, STEP * (life.last - life.first + 1) - 1.4
        tall = plan.sizes[name] * scale
        y = floor - plan.offsets[name] * scale - tall
        named = f"#{name}" if tall > 12 else ""
        parts.append(Part(f"p{name}", rect(x, y, width, tall, min(3, tall / 3)), named, x + width / 2, y + tall / 2,
                          10.0, kind="hidden"))  # fmt: skip
    label = (
        f"Steps to the right, floats upwards: {len(plan.sizes)} values share a block of {plan.planned_bytes:,} floats."
    )
    return Panel(right + 4, floor + 6, label, parts, ground)


def _steps(operators: Sequence[Operator], title: str) -> str:
    """The chart's title and step numbers."""
    marks = [words(str(i), LEFT + STEP * (i + 0.5), TOP - 10, 10.0, kind="note") for i in range(0, len(operators), 4)]
    return (
        words(title, 2, 8, 11.0, "start", "note")
        + words("step", LEFT - 6, TOP - 10, 10.0, "end", "note")
        + "".join(marks)
    )
