"""The figures of lesson 10: `python lessons/10_partition/figures.py` writes them all beside itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import kuiper
from kuiper.partition import Device, NodeGraph, partition
from kuiper.show.palette import INK, family
from kuiper.show.svg import Svg, element, picture, pill, text

HERE = Path(__file__).parent
DIGITS = HERE.parents[1] / "models" / "digits" / "digits.pnnx.param"
COLORS = {
    "ACC": (family("nn.Conv2d").fill, family("nn.Conv2d").border),
    "CPU": (family("nn.ReLU").fill, family("nn.ReLU").border),
}
DEEPER = {"ACC": "#98c1ee", "CPU": "#f5b97e"}
ROSE = family("pnnx.Attribute").border
DARK = "#1d2530"
OPS = ["input", "conv", "relu", "sigmoid", "conv", "resize", "conv", "relu", "add", "softmax"]
BLOCKED = (3, 5, 9)
CELL, LEFT = 62.0, 84.0


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {
        "graph": graph(),
        "split": split(),
        "boundary": boundary(),
        "waves": waves(),
        "deadlock": deadlock(),
        "levels": levels(),
        "digits": digits(),
    }


def box(label: str, x: float, y: float, width: float, device: str, height: float = 30.0, fill: str = "") -> str:
    """A rounded box in a device's colours, centred at (x, y)."""
    ground, border = COLORS[device]
    shape = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=5, fill=fill or ground,
                    stroke=border, stroke_width=1.5)  # fmt: skip
    return shape + text(label, x, y, 11.0, DARK)


def note(content: str, x: float, y: float, size: float = 11.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, **{"fill": INK, **more})  # type: ignore[arg-type]


def path(d: str, color: str = INK, **more: object) -> str:
    """A line without filling."""
    return element("path", d=d, fill="none", stroke=color, **{"stroke_width": 1.4, **more})


def head(x: float, y: float, dx: int, dy: int, color: str = INK) -> str:
    """The head of an arrow that comes to (x, y) in the direction (dx, dy), along an axis."""
    back_x, back_y = x - 7 * dx, y - 7 * dy
    corners = ((x, y), (back_x + 4 * dy, back_y + 4 * dx), (back_x - 4 * dy, back_y - 4 * dx))
    return element("polygon", points=" ".join(f"{a:g},{b:g}" for a, b in corners), fill=color)


def right(x: float, y: float, length: float, color: str = INK) -> str:
    """An arrow to the right."""
    return path(f"M{x:g} {y:g}H{x + length - 5:g}", color) + head(x + length, y, 1, 0, color)


def graph() -> Svg:
    """The ten nodes, their tensors, and which of them the accelerator does not know."""
    step, width, left, y, parts = 68.5, 52.0, 34.0, 84.0, []
    for v, op in enumerate(OPS):
        x = left + v * step
        parts += [box(op, x, y, width, "CPU" if v in BLOCKED else "ACC"), note(str(v), x, y - 26, 12.0)]
        if v < 9:
            parts += [right(x + width / 2, y, step - width), note(f"t{v}", x + step / 2, y - 12, 10.0)]
    start, end = left + 1.5 * step - 4, left + 8 * step
    parts += [path(f"M{start:g} {y:g}V{y + 42:g}H{end:g}V{y + 20:g}", ROSE), head(end, y + 15, 0, -1, ROSE)]
    parts += [pill("t1", (start + end) / 2, y + 42), note("t9", left + 9 * step + 38, y - 12, 10.0)]
    parts.append(right(left + 9 * step + width / 2, y, 24))
    parts += [box("known", 60, 18, 60, "ACC", 22), box("blocked", 138, 18, 68, "CPU", 22)]
    return picture(
        714,
        144,
        "A network of ten nodes",
        "input, conv, relu, sigmoid, conv, resize, conv, relu, add, softmax in a chain; add also reads tensor 1, which "
        "conv made. sigmoid, resize and softmax are blocked.",
        *parts,
    )


def span(first: int, stop: int, y: float, label: str, device: str) -> str:
    """A box over the cells first to stop - 1."""
    x = LEFT + (first + stop) / 2 * CELL
    return box(label, x, y, (stop - first) * CELL - 8, device)


def split() -> Svg:
    """Tengine's steps on the ten nodes: ranges, parts, merged parts."""
    parts = [note(name, 8, y, text_anchor="start") for name, y in (("nodes", 24), ("ranges", 74), ("parts", 134),
                                                                   ("merged", 184))]  # fmt: skip
    for v, op in enumerate(OPS):
        x = LEFT + (v + 0.5) * CELL
        parts += [box(op, x, 24, CELL - 8, "CPU" if v in BLOCKED else "ACC", 26), note(str(v), x, 50, 10.0)]
    for first, stop, label in ((0, 3, "before the first"), (3, 5, "work 1 < 3"), (5, 9, "work 3"), (9, 10, "work 0")):
        x, end = LEFT + first * CELL + 4, LEFT + stop * CELL - 4
        parts += [path(f"M{x:g} 66V76H{end:g}V66"), note(label, (x + end) / 2, 90, 10.0)]
    for first, stop, device in ((0, 3, "ACC"), (3, 5, "CPU"), (5, 6, "CPU"), (6, 9, "ACC"), (9, 10, "CPU")):
        parts.append(span(first, stop, 134, device, device))
    for first, stop, device in ((0, 3, "ACC"), (3, 6, "CPU"), (6, 9, "ACC"), (9, 10, "CPU")):
        parts.append(span(first, stop, 184, device, device))
    parts += [path(f"M{LEFT + v * CELL:g} 8V108", COLORS["CPU"][1], stroke_dasharray="3 4") for v in BLOCKED]
    return picture(
        718,
        206,
        "Tengine's split of ten nodes",
        "Ranges begin at the blocked nodes 3, 5, 9. Parts: ACC 0-2, CPU 3-4, CPU 5, ACC 6-8, CPU 9. Merged: ACC 0-2, "
        "CPU 3-5, ACC 6-8, CPU 9.",
        *parts,
    )


def boundary() -> Svg:
    """Four sub-graphs with what enters and leaves each; tensor 1 leaves although its own sub-graph reads it."""
    rows = (
        ("ACC", (0, 1, 2), "in 0", "out 2, 1", "waits 0"),
        ("CPU", (3, 4, 5), "in 2", "out 5", "waits 1"),
        ("ACC", (6, 7, 8), "in 1, 5", "out 8", "waits 2"),
        ("CPU", (9,), "in 8", "out 9", "waits 1"),
    )
    parts, width, step, top = [], 118.0, 178.0, 66.0
    for i, (device, nodes, *lines) in enumerate(rows):
        x = 84 + i * step
        shape = element("rect", x=x - width / 2, y=top, width=width, height=112.0, rx=10, fill="none",
                        stroke=COLORS[device][1], stroke_width=1.6, stroke_dasharray="6 4")  # fmt: skip
        parts += [shape, note(f"sub-graph {i}, {device}", x, top - 12)]
        for k, v in enumerate(nodes):
            parts.append(box(f"{v} {OPS[v]}", x, top + 22 + 34 * k, 88, device, 26))
        parts += [note(line, x, top + 130 + 16 * k, 10.5) for k, line in enumerate(lines)]
    for i, name in enumerate(("t2", "t5", "t8")):
        x = 84 + i * step + width / 2
        parts += [right(x, top + 74, step - width), pill(name, x + (step - width) / 2 - 2, top + 74)]
    x, end = 84 + width / 2, 84 + 2 * step
    parts += [path(f"M{x:g} {top + 34:g}H{x + 18:g}V24H{end - 80:g}V{top + 34:g}H{end - width / 2 - 5:g}", ROSE)]
    parts += [head(end - width / 2, top + 34, 1, 0, ROSE), pill("t1", (x + end) / 2 - 20, 24)]
    return picture(
        704,
        236,
        "Inputs and outputs",
        "Sub-graph 0 hands over tensors 2 and 1; 1 goes past sub-graph 1 to sub-graph 2, which also reads 5; 8 goes to "
        "sub-graph 3.",
        *parts,
    )


def waves() -> Svg:
    """Five sub-graphs, and their ready counts after each wave."""
    places = {0: (42, 120), 1: (136, 64), 2: (136, 176), 3: (230, 64), 4: (324, 120)}
    bent = ((0, 1, "t1", 76), (0, 2, "t2", 76), (2, 4, "t4", 280), (3, 4, "t5", 280))
    parts = [right(162, 64, 42), pill("t3", 181, 64)]
    for source, target, name, x in bent:
        (x1, y1), (x2, y2) = places[source], places[target]
        down = 1 if y2 > y1 else -1
        y = y2 - 10 * down if target == 4 else y2
        parts += [path(f"M{x1 + 26} {y1}H{x}V{y}H{x2 - 31}"), head(x2 - 26, y, 1, 0), pill(name, x, (y1 + y) / 2)]
    parts += [box(str(i), x, y, 52, "CPU" if i in (0, 4) else "ACC", 34) for i, (x, y) in places.items()]
    table = (("", "0", "1", "2", "3", "4"), ("wait count", "0", "1", "1", "1", "2"), ("at the start", *"00000"),
             ("after wave 0: 0", *"01100"), ("after wave 1: 1, 2", *"01111"),
             ("after wave 2: 3", *"01112"))  # fmt: skip
    ran = (set(), set(), set(), {0}, {0, 1, 2}, {0, 1, 2, 3})
    for k, (name, *counts) in enumerate(table):
        y = 36 + 32 * k + 8 * (k > 1)
        parts.append(note(name, 530, y, text_anchor="end"))
        for i, count in enumerate(counts):
            x = 556 + 34 * i
            full = k > 1 and count == table[1][i + 1] and i not in ran[k]
            parts.append(box(count, x, y, 26, "ACC", 24, DEEPER["ACC"]) if full else
                         note("ran" if i in ran[k] else count, x, y, 12.0 if k else 13.0))  # fmt: skip
    parts.append(path("M392 86H708"))
    return picture(
        716,
        226,
        "Waves",
        "Sub-graph 0 leads to 1 and 2, 1 to 3, and 2 and 3 to 4. Waves: 0; 1 and 2; 3; 4. The count of 4 is 1 after "
        "wave 1 and 2 after wave 2.",
        *parts,
    )


def deadlock() -> Svg:
    """Two sub-graphs that wait for each other."""
    parts = []
    for x, device, nodes in ((120.0, "ACC", ("0 input", "1 conv", "2 add")), (440.0, "CPU", ("3 sigmoid",))):
        parts.append(element("rect", x=x - 70, y=34.0, width=140.0, height=118.0, rx=10, fill="none",
                             stroke=COLORS[device][1], stroke_width=1.6, stroke_dasharray="6 4"))  # fmt: skip
        parts.append(note(f"{device}, waits for 1, got 0", x, 20))
        y = 58.0 if len(nodes) > 1 else 93.0
        parts += [box(name, x, y + 35 * k, 92, device, 26) for k, name in enumerate(nodes)]
    parts += [path("M166 93H272V80H383", INK), head(390, 80, 1, 0), pill("t1", 280, 80)]
    parts += [path("M390 106H288V128H172", ROSE), head(166, 128, -1, 0, ROSE), pill("t3", 280, 128)]
    return picture(
        560,
        166,
        "A deadlock",
        "The accelerator's sub-graph with input, conv and add needs tensor 3 of the CPU's sub-graph; that one needs "
        "tensor 1 of the accelerator's.",
        *parts,
    )


TWIN = {0: (0, 0.5, "input"), 1: (1, 0, "conv"), 2: (2, 0, "sigmoid"), 3: (3, 0, "conv"), 4: (4, 0, "relu"),
        5: (5, 0, "conv"), 6: (1, 1, "conv"), 7: (2, 1, "sigmoid"), 8: (3, 1, "conv"), 9: (4, 1, "relu"),
        10: (6, 0.5, "add")}  # fmt: skip
TWIN_ARROWS = ((0, 1), (0, 6), (1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9), (5, 10), (9, 10))


def levels() -> Svg:
    """Two branches: the five sub-graphs of Tengine, and three by levels."""
    panels = (
        ("ranges of ids: 5 sub-graphs", {0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 2, 6: 2, 7: 3, 8: 4, 9: 4, 10: 4}),
        ("levels: 3 sub-graphs", {1: 0, 6: 0, 2: 1, 7: 1, 3: 2, 4: 2, 5: 2, 8: 2, 9: 2, 10: 2}),
    )
    parts = []
    for k, (title, number) in enumerate(panels):
        top = 24 + 176 * k
        parts.append(note(title, 16, top, 13.0, text_anchor="start", font_weight="bold"))
        place = {v: (56 + 100 * x, top + 48 + 70 * y) for v, (x, y, _) in TWIN.items()}
        for a, b in TWIN_ARROWS:
            (x1, y1), (x2, y2) = place[a], place[b]
            bend = x1 + 52 if a == 0 else x2 - 58
            d = f"M{x1 + 34:g} {y1:g}H{bend:g}V{y2:g}H{x2 - 39:g}" if y1 != y2 else f"M{x1 + 34:g} {y1:g}H{x2 - 39:g}"
            parts += [path(d), head(x2 - 34, y2, 1, 0)]
        for v, (x, y) in place.items():
            device = "CPU" if v in (2, 7) else "ACC"
            deep = number.get(v, 0) % 4 >= 2
            parts.append(box(f"{v} {TWIN[v][2]}", x, y, 72, device, 28, DEEPER[device] if deep else ""))
            parts.append(note(str(number.get(v, "")), x, y - 22, 12.0, font_weight="bold"))
    for x in (206, 306):
        parts.append(path(f"M{x} 212V352", ROSE, stroke_dasharray="4 4"))
    return picture(
        712,
        362,
        "Five sub-graphs or three",
        "Two branches, each with a sigmoid. By ranges of ids: nodes 0-1, 2, 3-6, 7, 8-10. By levels: both first "
        "convolutions, both sigmoids, all the rest.",
        *parts,
    )


SHORT = {"pnnx.Expression": "expression", "nn.AdaptiveAvgPool2d": "mean", "nn.Linear": "linear",
         "torch.flatten": "flatten", "nn.MaxPool2d": "max pool"}  # fmt: skip


def digits() -> Svg:
    """The digits network in its six sub-graphs, as kuiper splits it."""
    network = NodeGraph.from_runtime(kuiper.load(DIGITS))
    acc = Device("ACC", operators={"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "pnnx.Expression"})
    found = partition(network, [acc, Device("CPU")])
    width, top, parts = 92.0, 40.0, []
    place: dict[int, tuple[int, float, float]] = {}
    for part in found.subgraphs:
        x = 54 + 114 * part.index + 24 * (part.index >= 4)
        parts.append(note(f"{part.index}, {part.device.name}", x, top - 12, 12.0, font_weight="bold"))
        for k, v in enumerate(part.nodes):
            place[v] = part.index, x, top + 14 + 24 * k
            kind = network.nodes[v].type
            label = SHORT.get(kind, kind.removeprefix("nn.").lower())
            parts.append(box(f"{v} {label}", *place[v][1:], width, part.device.name, 20))
    lane = 0
    for part in found.subgraphs:
        for tensor in part.inputs:
            column, x, y = place.get(network.producer[tensor], (part.index, 0.0, 0.0))
            if column < part.index:
                far = column < part.index - 1
                _, end, target = place[part.nodes[0]]
                parts += crossing(tensor, x + width / 2, y, end - width / 2, target, lane if far else -1)
                lane += far
    counts = ", ".join(f"{part.device.name} {len(part.nodes)}" for part in found.subgraphs)
    return picture(704, 350, "The digits network in six sub-graphs", f"Nodes by device: {counts}.", *parts)


def crossing(tensor: int, x: float, y: float, end: float, target: float, lane: int) -> Sequence[str]:
    """A tensor from the box that makes it to one in the next column (lane -1), or in a lane to one further away."""
    far = lane >= 0
    color, bend = (ROSE, end - 30 + 12 * lane) if far else (INK, x + 9)
    target += 3 + 6 * lane if far else -4
    y -= 0 if far else 4
    drawn = [path(f"M{x:g} {y:g}H{bend:g}V{target:g}H{end - 5:g}", color), head(end, target, 1, 0, color)]
    return [*drawn, pill(str(tensor), x + 90, y)] if far else [*drawn, note(str(tensor), x + 16, target - 9, 10.0)]


if __name__ == "__main__":
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
