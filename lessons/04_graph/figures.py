"""The figures of lesson 4. `python lessons/04_graph/figures.py` writes them to figures/ beside this file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import kuiper
from kuiper.graph import Lifetime, MemoryPlan, plan_memory, topological_order
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, pill, text

HERE = Path(__file__).parent
DIGITS = HERE.parents[1] / "models" / "digits" / "digits.pnnx.param"

PLAIN = ("#e2e5ea", "#626c78")  # fill and border: not yet reached
ACTIVE = ("#fde0c2", "#b8651b")  # at work now, or ready
DONE = ("#d5edcf", "#47843a")  # finished
WRONG = "#d6336c"
BLUE = ("#cfe3fa", "#2f6db3")
DARK = "#1d2530"

EXAMPLE = {"image": ["conv"], "conv": ["relu"], "relu": ["mask", "pool"], "mask": [], "pool": ["digit"], "digit": []}
SIMPLE_OPS = {"input": ["op1"], "op1": ["op2"], "op2": ["op3", "op4"], "op3": ["add"], "op4": ["add"],
              "add": ["output"], "output": []}  # fmt: skip
Point = tuple[float, float]


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "graph": graph(),
        "reverse_post_order": reverse_post_order(),
        "pre_order": pre_order(),
        "kahn": kahn(),
        "cycle": cycle(),
        "plan_simple_ops": plan_simple_ops(),
        "plan_digits": plan_digits(),
    }


def graph() -> Svg:
    """The example with the in-degree above each node."""
    places = example_places(32, 88, 86, 44)
    degrees = [
        pill(f"in: {sum(name in followers for followers in EXAMPLE.values())}", x, y - 27, 12.0)
        for name, (x, y) in places.items()
    ]
    degrees.append(text("in: how many arrows enter the node", 4, 168, 12.0, text_anchor="start"))
    description = (
        "image leads to conv, conv to relu, relu to mask and pool, pool to digit. In-degree 0 for image, else 1."
    )
    return picture(416, 178, "A network of six operators", description,
                   *arrows(EXAMPLE, places, 29, 15, tip=6.0), *boxes(places, 58, 28, {}, 12.5), *degrees)  # fmt: skip


FRAMES: tuple[tuple[str, list[str], list[str]], ...] = (
    ("1. Enter image, go to its successor conv.", ["image", "conv"], []),
    ("2. Go on to relu, then to its successor mask.", ["image", "conv", "relu", "mask"], []),
    ("3. mask has no successor: it is finished.", ["image", "conv", "relu"], ["mask"]),
    ("4. Back in relu: go to pool, then to digit.", ["image", "conv", "relu", "pool", "digit"], ["mask"]),
    ("5. digit is finished, and then pool is, too.", ["image", "conv", "relu"], ["mask", "digit", "pool"]),
    ("6. relu, conv, image finish on the way back.", [], ["mask", "digit", "pool", "relu", "conv", "image"]),
)


def reverse_post_order() -> Svg:
    """Depth first, frame by frame: the path that is still open, and the nodes that are finished."""
    width, height, head = 352.0, 150.0, 50.0
    parts = [*swatch(10, 14, PLAIN, "not entered"), *swatch(130, 14, ACTIVE, "entered, not finished"),
             *swatch(10, 36, DONE, "finished")]  # fmt: skip
    for i, (sentence, path, finished) in enumerate(FRAMES):
        left, top = 4.0, head + i * (height + 8)
        colors = dict.fromkeys(path, ACTIVE) | dict.fromkeys(finished, DONE)
        places = example_places(left + 36, top + 72, 69, 26)
        parts += [
            element("rect", x=left + 0.5, y=top + 0.5, width=width - 1, height=height - 1, rx=8.0, fill="none",
                    stroke=INK, stroke_opacity=0.45),
            text(sentence, left + 12, top + 18, 11.5, text_anchor="start", font_weight="bold"),
            *arrows(EXAMPLE, places, 27, 11, tip=5.0),
            *boxes(places, 54, 22, colors, 11.0),
            text("finished: " + (", ".join(finished) or "none yet"), left + 12, top + height - 16, 11.0,
                 text_anchor="start"),
        ]  # fmt: skip
    bottom = head + len(FRAMES) * (height + 8)
    parts.append(text("backwards: image, conv, relu, pool, digit, mask", 180, bottom + 14, 11.0,
                      font_weight="bold"))  # fmt: skip
    description = "Six frames. Nodes finish as mask, digit, pool, relu, conv, image; read it backwards."
    return picture(362, bottom + 32, "Depth first, frame by frame", description, *parts)


def pre_order() -> Svg:
    """simple_ops with the places that a plain stack gives: add stands before op4."""
    places = simple_ops_places(30, 90, 58, 46)
    numbers = {name: i for i, name in enumerate(["input", "op1", "op2", "op3", "add", "output", "op4"], 1)}
    wrong = {"op4": (PLAIN[0], WRONG), "add": (PLAIN[0], WRONG)}
    start, end = places["op4"], places["add"]
    edges = {name: [f for f in followers if name != "op4"] for name, followers in SIMPLE_OPS.items()}
    parts = [*arrows(edges, places, 24, 15, 6.0), arrow((start[0] + 24, start[1]), (end[0] - 24, end[1]), WRONG, 3.0)]
    parts += boxes(places, 48, 28, wrong, 12.0)
    parts += [pill(str(numbers[name]), x, y + (27 if name == "op4" else -27), 12.0) for name, (x, y) in places.items()]
    parts.append(text("7 leads to 5: add would run before op4", 205, 188, 12.5, INK, font_weight="bold"))  # fmt: skip
    description = "simple_ops numbered in pre-order: input 1, op1 2, op2 3, op3 4, add 5, output 6, op4 7."
    return picture(416, 202, "What a plain stack writes down", description, *parts)


def kahn() -> Svg:
    """Kahn's algorithm on simple_ops: the counters after each step."""
    names = list(SIMPLE_OPS)
    waiting = {name: sum(name in followers for followers in SIMPLE_OPS.values()) for name in names}
    left, top, wide, high = 78.0, 34.0, 48.0, 30.0
    parts = [text(name, left + wide * (i + 0.5), top - 16, 12.0, font_weight="bold") for i, name in enumerate(names)]
    done: list[str] = []
    for row, current in enumerate(["", *topological_order(SIMPLE_OPS)]):
        for follower in SIMPLE_OPS.get(current, []):
            waiting[follower] -= 1
        done += [current] if current else []
        y = top + high * (row + 0.5)
        label = f"{row}. {current}" if current else "start"
        parts.append(text(label, 6, y, 12.0, text_anchor="start"))
        for i, name in enumerate(names):
            kind = DONE if name in done else ACTIVE if waiting[name] == 0 else PLAIN
            word = "done" if name in done else str(waiting[name])
            parts.append(
                element("rect", x=left + wide * i + 2, y=y - high / 2 + 2, width=wide - 4, height=high - 4, rx=5.0,
                        fill=kind[0], stroke=kind[1])
                + text(word, left + wide * (i + 0.5), y, 12.0, DARK)
            )  # fmt: skip
    bottom = top + high * (len(names) + 1) + 22
    parts += [*swatch(6, bottom, PLAIN, "predecessors still missing"), *swatch(235, bottom, ACTIVE, "ready"),
              *swatch(320, bottom, DONE, "done")]  # fmt: skip
    description = "A table, one row per step, one column per node. add starts at 2 and is ready only after op3 and op4."
    return picture(418, bottom + 18, "Kahn's counters on simple_ops, step by step", description, *parts)


def cycle() -> Svg:
    """An arrow to a node on the open path, and one to a node that is done."""
    parts = [*swatch(8, 12, ACTIVE, "on the open path"), *swatch(170, 12, DONE, "done")]
    ring = {"image": (38.0, 66.0), "op1": (118.0, 66.0), "op2": (198.0, 66.0), "op3": (198.0, 122.0)}
    chain = {"image": ["op1"], "op1": ["op2"]}
    parts += [*arrows(chain, ring, 28, 14, 6.0), arrow((198, 80), (198, 108), INK, 1.5, 6.0),
              arrow((170, 118), (128, 82), WRONG, 3.0)]  # fmt: skip
    parts += boxes(ring, 56, 28, dict.fromkeys(ring, ACTIVE), 12.5)
    parts += [text("op1 is on the path:", 8, 112, 12.0, text_anchor="start"),
              text("op1, op2, op3", 8, 128, 12.0, text_anchor="start", font_weight="bold"),
              text("is a cycle", 8, 144, 12.0, text_anchor="start")]  # fmt: skip
    parts.append(element("line", x1=244.0, y1=36.0, x2=244.0, y2=152.0, stroke=INK, stroke_opacity=0.45))
    meet = {"input": (288.0, 60.0), "op1": (374.0, 60.0), "op2": (288.0, 112.0), "add": (374.0, 112.0)}
    parts += [*arrows({"input": ["op1"]}, meet, 28, 14, 6.0), arrow((374, 74), (374, 98), INK, 1.5, 6.0),
              arrow((288, 74), (288, 98), INK, 1.5, 6.0), arrow((316, 112), (346, 112), BLUE[1], 3.0)]  # fmt: skip
    colors = {"input": ACTIVE, "op2": ACTIVE, "op1": DONE, "add": DONE}
    parts += boxes(meet, 56, 28, colors, 12.5)
    parts.append(text("two paths meet at add", 332, 146, 12.0))
    description = "Left, op3 leads to op1 on the open path: a cycle. Right, op2 leads to add, which is done: none."
    return picture(418, 160, "Which arrow closes a cycle", description, *parts)


def plan_simple_ops() -> Svg:
    """Six values of 3,072 bytes in three places."""
    order = topological_order(SIMPLE_OPS)
    last = {name: max((order.index(f) for f in SIMPLE_OPS[name]), default=0) for name in order}
    values = order[:-1]
    lives = {name: Lifetime(order.index(name), last[name]) for name in values}
    plan = plan_memory(lives, dict.fromkeys(values, 3072))
    description = "Steps to the right, offsets up. Six values of 3,072 bytes share 9,216; at most three live at once."
    return chart("simple_ops: when each value lives, and where", description, plan, order, [0, 3072, 6144, 9216],
                 {name: name for name in values}, height=190.0)  # fmt: skip


def plan_digits() -> Svg:
    """The digits network at batch 1: 23 values in 24,576 bytes."""
    graph = kuiper.load(DIGITS)
    operands = [operand for op in graph.operators for operand in op.outputs]
    sizes = {operand.name: 4 * math.prod((operand.shape or (1,))[1:]) for operand in operands}
    plan = plan_memory(graph.lifetimes, sizes)
    steps = [str(step) for step in range(len(graph.operators))]
    large = {name: name for name, size in sizes.items() if size >= 4096}
    description = "Steps to the right, offsets up. 23 values of 85,416 bytes share a buffer of 24,576."
    return chart("digits at batch 1: when each value lives, and where", description, plan, steps,
                 [0, 8192, 16384, 24576], large, height=300.0)  # fmt: skip


def chart(
    title: str, description: str, plan: MemoryPlan, steps: Sequence[str], ticks: Sequence[int],
    labels: Mapping[str, str], height: float,
) -> Svg:  # fmt: skip
    """A memory plan: one box per value, its lifetime to the right, its place in the buffer upwards."""
    left, right, top = 54.0, 412.0, 26.0
    wide, scale = (right - left) / len(steps), height / ticks[-1]
    floor = top + height
    parts = [text("offset in bytes", 4, 10, 11.0, text_anchor="start")]
    for tick in ticks:
        y = floor - tick * scale
        parts.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke=INK, stroke_opacity=0.4))
        parts.append(text(f"{tick:,}", left - 8, y, 11.0, text_anchor="end"))
    every = 1 if len(steps) < 10 else 2  # a label for each step where there is room
    parts += [text(step, left + wide * (i + 0.5), floor + 14, 11.5) for i, step in enumerate(steps) if i % every == 0]
    kinds = (BLUE, ACTIVE, DONE)
    for i, (name, life) in enumerate(plan.lifetimes.items()):
        x, width = left + wide * life.first + 1.5, wide * (life.last - life.first + 1) - 3
        tall = max(plan.sizes[name] * scale, 1.0)
        y = floor - plan.offsets[name] * scale - tall
        gap = 1.0 if tall > 8 else 0.0
        fill, border = kinds[i % 3] if name in labels else PLAIN
        parts.append(element("rect", x=x, y=y + gap, width=width, height=tall - 2 * gap, rx=min(4.0, tall / 3),
                             fill=fill, stroke=border))  # fmt: skip
        if name in labels:
            parts.append(text(labels[name], x + width / 2, y + tall / 2, 12.5, DARK))
    parts.append(text("step of the execution order", (left + right) / 2, floor + 34, 12.0))
    bottom = floor + 48
    if len(labels) < len(plan.lifetimes):
        parts += swatch(left, bottom + 6, PLAIN, "a value of at most 1,024 bytes")
        parts.append(
            text("The other colours only tell neighbours apart.", left, bottom + 26, 12.0, text_anchor="start")
        )
        bottom += 44
    return picture(418, bottom, title, description, *parts)


def example_places(x: float, y: float, dx: float, dy: float) -> dict[str, Point]:
    """Where the nodes of EXAMPLE stand."""
    places = {"image": (x, y), "conv": (x + dx, y), "relu": (x + 2 * dx, y), "mask": (x + 3 * dx, y - dy)}
    return {**places, "pool": (x + 3 * dx, y + dy), "digit": (x + 4 * dx, y + dy)}


def simple_ops_places(x: float, y: float, dx: float, dy: float) -> dict[str, Point]:
    """Where the nodes of SIMPLE_OPS stand."""
    places = {"input": (x, y), "op1": (x + dx, y), "op2": (x + 2 * dx, y), "op3": (x + 3.2 * dx, y - dy)}
    ends = {"op4": (x + 3.2 * dx, y + dy), "add": (x + 4.6 * dx, y), "output": (x + 6.1 * dx, y)}
    return places | ends


def boxes(
    places: Mapping[str, Point], width: float, height: float, colors: Mapping[str, tuple[str, str]], size: float = 13.0
) -> list[str]:
    """A rounded box with its name at each place."""
    drawn = []
    for name, (x, y) in places.items():
        fill, border = colors.get(name, PLAIN)
        rect = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=6.0, fill=fill,
                       stroke=border, stroke_width=1.5)  # fmt: skip
        drawn.append(rect + text(name, x, y, size, DARK))
    return drawn


def arrows(
    successors: Mapping[str, Sequence[str]], places: Mapping[str, Point], across: float, down: float, tip: float = 7.0
) -> list[str]:
    """One arrow per edge, from the right side of a box to the left side of the next."""
    ends = [(places[name], places[follower]) for name, followers in successors.items() for follower in followers]
    return [arrow((a + across, b), (c - across, d), INK, 1.5, tip) for (a, b), (c, d) in ends]


def arrow(start: Point, end: Point, color: str, width: float, tip: float = 7.0) -> str:
    """A straight line with a head at its end."""
    length = math.dist(start, end)
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    neck = (end[0] - tip * dx, end[1] - tip * dy)
    corners = [end, *((neck[0] - s * dy * tip * 0.6, neck[1] + s * dx * tip * 0.6) for s in (1, -1))]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    line = element("line", x1=start[0], y1=start[1], x2=neck[0], y2=neck[1], stroke=color, stroke_width=width)
    return line + element("polygon", points=points, fill=color)


def swatch(x: float, y: float, kind: tuple[str, str], word: str) -> list[str]:
    """A small square of a colour, and what it means."""
    square = element("rect", x=x, y=y - 7, width=14.0, height=14.0, rx=3.0, fill=kind[0], stroke=kind[1])
    return [square, text(word, x + 20, y + 0.5, 11.0, text_anchor="start")]


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(HERE / "figures" / f"{name}.svg")
