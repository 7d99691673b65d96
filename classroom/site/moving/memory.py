"""Lesson 4: the six values of simple_ops step by step, and their offsets in one block of memory."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import kuiper
from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import path, rect, words
from kuiper.graph import MemoryPlan, plan_memory
from kuiper.graph.memory import largest_first, neighbours

SIMPLE_OPS = """7767517
7 6
pnnx.Input input 0 1 0 #0=(1,3,16,16)f32
nn.ReLU op1 1 1 0 1 #1=(1,3,16,16)f32
nn.ReLU op2 1 1 1 2 #2=(1,3,16,16)f32
nn.ReLU op3 1 1 2 3 #3=(1,3,16,16)f32
nn.Sigmoid op4 1 1 2 4 #4=(1,3,16,16)f32
pnnx.Expression add 2 1 3 4 5 expr=add(@0,@1) #5=(1,3,16,16)f32
pnnx.Output output 1 0 5
"""
"""The lesson's network, as a file."""
LEFT, STEP, LINE, TOP = 50.0, 42.0, 18.0, 34.0
"""Pixels: where step 0 begins, the width of a step, the height of a value's line, where the charts begin."""
TALL = 132.0
"""Height of the block."""


@dataclass(frozen=True)
class PlannedNetwork:
    """The operators' names in execution order, and the memory plan of their results, named like them, in bytes."""

    operators: Sequence[str]
    plan: MemoryPlan

    def alive(self, step: int) -> list[str]:
        """The values alive during a step."""
        return [name for name, life in self.plan.lifetimes.items() if life.first <= step <= life.last]

    def bytes(self, step: int) -> int:
        """Their total size."""
        return sum(self.plan.sizes[name] for name in self.alive(step))

    def by_size(self) -> list[str]:
        """The values in the order in which kuiper's planner places them: the largest first, then the earliest."""
        return largest_first(self.plan.lifetimes, self.plan.sizes)


def network() -> PlannedNetwork:
    """simple_ops with kuiper's plan."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "simple_ops.pnnx.param")
        file.write_text(SIMPLE_OPS, encoding="utf-8")
        graph = kuiper.load(file)
    made = {operand.name: op.name for op in graph.operators for operand in op.outputs}
    lives = {made[name]: life for name, life in graph.lifetimes.items()}
    if graph.memory_plan is None:
        raise MovingError("memory: expected a size for each value of simple_ops")
    sizes = {made[name]: size for name, size in graph.memory_plan.sizes.items()}
    return PlannedNetwork([op.name for op in graph.operators], plan_memory(lives, sizes))


def scene() -> Scene:
    """First the lifetimes while the network runs; then the planner places the values, largest first."""
    net = network()
    first = Frame(f"simple_ops computes {len(net.plan.sizes)} values. Each begins at the step that writes it, "
                  "and ends at the step that reads it last. Let us run it.", {})  # fmt: skip
    frames = [first, *_living(net), *_placing(net)]
    return Scene("memory", "Six values, and the places that they share", [_lives(net), _block(net)],
                 frames, len(frames) - 1)  # fmt: skip


def _living(net: PlannedNetwork) -> list[Frame]:
    """One frame per step: the values alive, and their total size."""
    frames = []
    busiest = 0
    for step, name in enumerate(net.operators):
        alive, size = net.alive(step), net.bytes(step)
        states = {f"v{value}": _age(net, value, step) for value in net.plan.sizes}
        states |= {f"b{i}": PartState("teal") for i in range(step)} | {f"b{step}": PartState("now")}
        states["cursor"] = PartState("ring", None, step * STEP)
        say = f"Step {step}: {name} " + ("writes its value. " if name in net.plan.sizes else "hands the result over. ")
        say += f"Alive: {', '.join(alive)}, together {size:,} bytes."
        say += " No step needs more." if busiest < size == net.plan.lower_bound_bytes else ""
        busiest = max(busiest, size)
        frames.append(Frame(say, states))
    return frames


def _age(net: PlannedNetwork, name: str, step: int) -> PartState:
    life = net.plan.lifetimes[name]
    if life.first == step:
        return PartState("now")
    return PartState("ghost" if step < life.first else "orange" if step <= life.last else "plain")


def _placing(net: PlannedNetwork) -> list[Frame]:
    """One frame per value in the planner's order, each at the offset that kuiper's planner gives it."""
    names, plan = net.by_size(), net.plan
    bars = {f"b{step}": PartState("ghost") for step in range(len(net.operators))}
    say = f"Each value in a place of its own would take {plan.total_bytes:,} bytes. Now values that never live at the "
    say += "same time may share a place. The largest comes first, each as low as it is free all its life."
    frames = [Frame(say, bars)]
    states: PartStates = dict(bars)
    for count, name in enumerate(names, 1):
        so_far = plan_memory(plan.lifetimes, {n: plan.sizes[n] for n in names[:count]})
        life, offset = plan.lifetimes[name], so_far.offsets[name]
        mark = {f"v{name}": PartState("now"), f"p{name}": PartState("now")}
        say = f"{name} lives from step {life.first} to {life.last}: {_why(so_far, name)} "
        say += f"It takes {offset:,} to {offset + plan.sizes[name]:,}."
        frames.append(Frame(say, states | mark))
        states |= {f"{letter}{name}": PartState(_tint(plan, name)) for letter in "vp"}
    say = f"The block has {plan.planned_bytes:,} bytes instead of {plan.total_bytes:,}. "
    if plan.planned_bytes == plan.lower_bound_bytes:
        say += "It cannot be smaller: the busiest step needs as much."
    return [*frames, Frame(say, states)]


def _why(plan: MemoryPlan, name: str) -> str:
    """Why a value is not at offset 0: the values below it at the same time."""
    names = list(plan.sizes)
    alive = [names[i] for i in neighbours(plan.lifetimes, names)[names.index(name)]]
    below = [other for other in alive if plan.offsets[other] < plan.offsets[name]]
    if not below:
        return "offset 0 is free all that time."
    listed = " and ".join(below)
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
        ground += words(name, LEFT - 6, y + LINE / 2, 10.0, "end")
    parts.append(Part("cursor", rect(LEFT, TOP - 3, STEP, bottom - TOP + 6, 3), kind="hidden"))
    label = f"{len(plan.sizes)} values as lines, from the step that writes each to its last reader."
    return Panel(LEFT + STEP * len(net.operators) + 4, bottom + 6, label, parts, ground)


def _block(net: PlannedNetwork) -> Panel:
    """The panel of memory (x: steps, y: bytes): what is alive at each step, later each value at its offset."""
    plan, ground = net.plan, _steps(net.operators, "bytes: what is alive, and the block")
    scale, floor = TALL / plan.planned_bytes, TOP + TALL
    parts, right = [], LEFT + STEP * len(net.operators)
    for tick in range(0, plan.planned_bytes + 1, min(plan.sizes.values())):
        y = floor - tick * scale
        ground += path(f"M{LEFT:g} {y:.1f}H{right:g}", "grid") + words(f"{tick:,}", LEFT - 5, y, 10.0, "end")
    for step in range(len(net.operators)):
        tall = net.bytes(step) * scale
        parts.append(Part(f"b{step}", rect(LEFT + step * STEP + 1, floor - tall, STEP - 2, tall, 1), kind="hidden"))
    for name, life in plan.lifetimes.items():
        x, width = LEFT + STEP * life.first + 0.7, STEP * (life.last - life.first + 1) - 1.4
        tall = plan.sizes[name] * scale
        y = floor - plan.offsets[name] * scale - tall
        parts.append(Part(f"p{name}", rect(x, y, width, tall, 3), name, x + width / 2, y + tall / 2, 11.0,
                          kind="hidden"))  # fmt: skip
    label = (
        f"Steps to the right, bytes upwards: {len(plan.sizes)} values share a block of {plan.planned_bytes:,} bytes."
    )
    return Panel(right + 4, floor + 6, label, parts, ground)


def _steps(operators: Sequence[str], title: str) -> str:
    """The chart's title and step numbers."""
    marks = [words(str(i), LEFT + STEP * (i + 0.5), TOP - 10, 10.0, kind="note") for i in range(len(operators))]
    return (
        words(title, 2, 8, 11.0, "start", "note")
        + words("step", LEFT - 6, TOP - 10, 10.0, "end", "note")
        + "".join(marks)
    )
