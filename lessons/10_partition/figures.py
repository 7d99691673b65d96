"""The figures of lesson 10: `python lessons/10_partition/figures.py` writes them all beside itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import kuiper
from kuiper.partition import Device, NodeGraph, partition
from kuiper.show.palette import INK, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text

HERE = Path(__file__).parent
DIGITS = HERE.parents[1] / "models" / "digits" / "digits.pnnx.param"
COLORS = {
    "ACC": (swatch_of("nn.Conv2d").fill, swatch_of("nn.Conv2d").border),
    "CPU": (swatch_of("nn.ReLU").fill, swatch_of("nn.ReLU").border),
    "open": ("#eef1f5", INK),
}
DEEPER = {"ACC": "#98c1ee", "CPU": "#f5b97e"}
ROSE = swatch_of("pnnx.Attribute").border
DARK = "#1d2530"
OPS = ["input", "conv", "relu", "sigmoid", "conv", "resize", "conv", "relu", "add", "softmax"]
BLOCKED = (3, 5, 9)
ROW = 36.0
"""Height of a node's row in the picture of Tengine's steps."""


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {
        "graph": graph(),
        "split": split(),
        "boundary": boundary(),
        "five": five(),
        "waves": waves(),
        "late": late(),
        "deadlock": deadlock(),
        "twin": branches(*TWIN_BY_RANGES),
        "levels": branches(*TWIN_BY_LEVELS),
        "digits": digits(),
        "flow": flow(),
        "cut": flow(cut=True),
    }


def box(label: str, x: float, y: float, width: float, device: str, height: float = 30.0, fill: str = "") -> str:
    """A rounded box in a device's colours, centred at (x, y)."""
    ground, border = COLORS[device]
    shape = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=5, fill=fill or ground,
                    stroke=border, stroke_width=1.5)  # fmt: skip
    return shape + text(label, x, y, 12.0, DARK)


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
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


def down(x: float, y: float, length: float, color: str = INK) -> str:
    """An arrow down."""
    return path(f"M{x:g} {y:g}V{y + length - 5:g}", color) + head(x, y + length, 0, 1, color)


def graph() -> Svg:
    """The ten nodes, their tensors, and which of them the accelerator does not know."""
    step, x, top, parts = 50.0, 110.0, 24.0, []
    for v, op in enumerate(OPS):
        y = top + v * step
        parts += [box(op, x, y, 92, "CPU" if v in BLOCKED else "ACC"), note(str(v), x - 62, y, 13.0)]
        side = {"text_anchor": "end"} if v == 1 else {"text_anchor": "start"}
        parts += [down(x, y + 15, step - 30), note(f"t{v}", x + (-8 if v == 1 else 8), y + 24, 12.0, **side)]
    start, end = top + 1.5 * step - 4, top + 8 * step
    parts += [path(f"M{x:g} {start:g}H230V{end:g}H{x + 51:g}", ROSE), head(x + 46, end, -1, 0, ROSE)]
    parts += [pill("t1", 230, (start + end) / 2, 12.0)]
    parts += [box("known", 310, 24, 78, "ACC", 26), box("blocked", 310, 58, 78, "CPU", 26)]
    return picture(
        360,
        516,
        "A network of ten nodes",
        "input, conv, relu, sigmoid, conv, resize, conv, relu, add, softmax in a chain; add also reads tensor 1, which "
        "conv made. sigmoid, resize and softmax are blocked.",
        *parts,
    )


def span(first: int, stop: int, x: float, label: str, device: str) -> str:
    """A box beside the rows first to stop - 1."""
    y = 40 + (first + stop) / 2 * ROW
    return box(label, x, y, 74, device, (stop - first) * ROW - 6)


def split() -> Svg:
    """Tengine's steps on the ten nodes: ranges, parts, merged parts."""
    names = (("nodes", 74), ("ranges", 176), ("parts", 290), ("merged", 378))
    parts = [note(name, x, 18, 13.0, font_weight="bold") for name, x in names]
    for v, op in enumerate(OPS):
        y = 40 + (v + 0.5) * ROW
        parts += [box(op, 74, y, 84, "CPU" if v in BLOCKED else "ACC", 26), note(str(v), 18, y)]
    for first, stop, label in (
        (0, 3, "before|the first"),
        (3, 5, "1 other:|too few"),
        (5, 9, "3 others"),
        (9, 10, "0 others"),
    ):
        y, end = 40 + first * ROW + 4, 40 + stop * ROW - 4
        parts.append(path(f"M126 {y:g}H136V{end:g}H126"))
        for k, words in enumerate(label.split("|")):
            middle = (y + end) / 2 + 17 * (k - label.count("|") / 2)
            parts.append(note(words, 144, middle, text_anchor="start"))
    for first, stop, device in ((0, 3, "ACC"), (3, 5, "CPU"), (5, 6, "CPU"), (6, 9, "ACC"), (9, 10, "CPU")):
        parts.append(span(first, stop, 290, device, device))
    for first, stop, device in ((0, 3, "ACC"), (3, 6, "CPU"), (6, 9, "ACC"), (9, 10, "CPU")):
        parts.append(span(first, stop, 378, device, device))
    parts += [path(f"M8 {40 + v * ROW:g}H240", COLORS["CPU"][1], stroke_dasharray="3 4") for v in BLOCKED]
    return picture(
        424,
        408,
        "Tengine's split of ten nodes",
        "Ranges begin at the blocked nodes 3, 5, 9. Parts: ACC 0-2, CPU 3-4, CPU 5, ACC 6-8, CPU 9. Merged: ACC 0-2, "
        "CPU 3-5, ACC 6-8, CPU 9.",
        *parts,
    )


def boundary() -> Svg:
    """Four sub-graphs with what enters and leaves each; tensor 1 leaves although its own sub-graph reads it."""
    rows = (
        ("ACC", (0, 1, 2), "in 0", "out 1, 2", "waits 0"),
        ("CPU", (3, 4, 5), "in 2", "out 5", "waits 1"),
        ("ACC", (6, 7, 8), "in 1, 5", "out 8", "waits 2"),
        ("CPU", (9,), "in 8", "out 9", "waits 1"),
    )
    parts, width, step = [], 318.0, 132.0
    for i, (device, nodes, *lines) in enumerate(rows):
        y = 62 + i * step
        shape = element("rect", x=10.0, y=y - 26, width=width, height=52.0, rx=10, fill="none",
                        stroke=COLORS[device][1], stroke_width=1.6, stroke_dasharray="6 4")  # fmt: skip
        parts += [shape, note(f"sub-graph {i}, {device}", 14, y - 42, 13.0, text_anchor="start", font_weight="bold")]
        for k, v in enumerate(nodes):
            parts.append(box(f"{v} {OPS[v]}", 66 + 103 * k, y, 92, device, 28))
        parts.append(note(" | ".join(lines), 14, y + 42, text_anchor="start"))
    for i, name in enumerate(("t2", "t5", "t8")):
        y = 62 + i * step + 26
        parts += [down(272, y, step - 52), pill(name, 272, y + 40, 12.0)]
    parts += [path(f"M328 62H392V{62 + 2 * step:g}H333", ROSE), head(328, 62 + 2 * step, -1, 0, ROSE)]
    parts.append(pill("t1", 392, 62 + step, 12.0))
    return picture(
        424,
        516,
        "Inputs and outputs",
        "Sub-graph 0 hands over tensors 1 and 2; 1 goes past sub-graph 1 to sub-graph 2, which also reads 5; 8 goes to "
        "sub-graph 3.",
        *parts,
    )


def five() -> Svg:
    """Five sub-graphs and the tensors that go from one to the other."""
    places = {0: (50, 84), 1: (156, 28), 2: (156, 140), 3: (262, 28), 4: (368, 84)}
    bent = ((0, 1, "t1", 92), (0, 2, "t2", 92), (2, 4, "t4", 316), (3, 4, "t5", 316))
    parts = [right(184, 28, 50), pill("t3", 206, 28, 12.0)]
    for source, target, name, x in bent:
        (x1, y1), (x2, y2) = places[source], places[target]
        side = 1 if y2 > y1 else -1
        y = y2 - 10 * side if target == 4 else y2
        parts += [path(f"M{x1 + 28} {y1}H{x}V{y}H{x2 - 33}"), head(x2 - 28, y, 1, 0), pill(name, x, (y1 + y) / 2, 12.0)]
    parts += [box(str(i), x, y, 56, "CPU" if i in (0, 4) else "ACC", 34) for i, (x, y) in places.items()]
    return picture(424, 168, "Five sub-graphs", "Sub-graph 0 leads to 1 and 2, 1 to 3, and 2 and 3 to 4.", *parts)


def waves() -> Svg:
    """The ready counts of the five sub-graphs after each wave."""
    parts = []
    table = (("sub-graph", *"01234"), ("wait count", *"01112"), ("at the start", *"00000"),
             ("after wave 0: 0", *"01100"), ("after wave 1: 1, 2", *"01111"),
             ("after wave 2: 3", *"01112"))  # fmt: skip
    ran = (set(), set(), set(), {0}, {0, 1, 2}, {0, 1, 2, 3})
    for k, (name, *counts) in enumerate(table):
        y = 20 + 32 * k + 8 * (k > 1)
        parts.append(note(name, 164, y, 13.0, text_anchor="end"))
        for i, count in enumerate(counts):
            x = 198 + 48 * i
            full = k > 1 and count == table[1][i + 1] and i not in ran[k]
            parts.append(box(count, x, y, 30, "ACC", 24, DEEPER["ACC"]) if full else
                         note("ran" if i in ran[k] else count, x, y, 13.0))  # fmt: skip
    parts.append(path("M12 70H414"))
    parts += [
        box("", 153, 226, 30, "ACC", 20, DEEPER["ACC"]),
        note("runs in the next wave", 176, 226, text_anchor="start"),
    ]
    return picture(
        424,
        244,
        "Waves",
        "Waves: 0; 1 and 2; 3; 4. The count of 4 is 1 after wave 1 and 2 after wave 2.",
        *parts,
    )


def late() -> Svg:
    """Four nodes in the order of a file: add stands before the sigmoid that it reads."""
    x, top, step, parts = 190.0, 24.0, 56.0, []
    for v, op in enumerate(("input", "conv", "add", "sigmoid")):
        y = top + v * step
        parts += [box(op, x, y, 92, "CPU" if op == "sigmoid" else "ACC"), note(str(v), x - 62, y, 13.0)]
        if v in (1, 2):
            parts += [down(x, y - step + 15, step - 30), note(f"t{v - 1}", x + 8, y - step / 2, text_anchor="start")]
    line = top + 2.5 * step
    parts.append(path(f"M8 {line:g}H352", COLORS["CPU"][1], stroke_dasharray="3 4"))
    parts += [note("part 0, ACC", 8, top + step, 13.0, text_anchor="start", font_weight="bold")]
    parts += [note("part 1, CPU", 8, top + 3 * step, 13.0, text_anchor="start", font_weight="bold")]
    conv, add, sigmoid = (top + v * step for v in (1, 2, 3))
    parts += [path(f"M{x + 46:g} {conv:g}H316V{sigmoid + 6:g}H{x + 51:g}"), head(x + 46, sigmoid + 6, -1, 0)]
    parts += [path(f"M{x + 46:g} {sigmoid - 8:g}H268V{add:g}H{x + 51:g}", ROSE), head(x + 46, add, -1, 0, ROSE)]
    parts += [pill("t1", 316, (conv + add) / 2, 12.0), pill("t3", 268, line, 12.0)]
    return picture(
        360,
        216,
        "add stands before the sigmoid that it reads",
        "input, conv, add, sigmoid. conv makes tensor 1 for add and the sigmoid; the sigmoid makes tensor 3 for add. "
        "Part 0 is input, conv and add on the accelerator, part 1 the sigmoid on the CPU.",
        *parts,
    )


def deadlock() -> Svg:
    """Two sub-graphs that wait for each other."""
    parts = []
    for x, device, nodes in ((84.0, "ACC", ("0 input", "1 conv", "2 add")), (330.0, "CPU", ("3 sigmoid",))):
        parts.append(element("rect", x=x - 70, y=54.0, width=140.0, height=118.0, rx=10, fill="none",
                             stroke=COLORS[device][1], stroke_width=1.6, stroke_dasharray="6 4"))  # fmt: skip
        parts += [note(f"{device}:", x, 20, 13.0), note("waits for 1, got 0", x, 38, 13.0)]
        y = 78.0 if len(nodes) > 1 else 113.0
        parts += [box(name, x, y + 35 * k, 92, device, 26) for k, name in enumerate(nodes)]
    parts += [path("M130 113H202V100H278", INK), head(284, 100, 1, 0), pill("t1", 207, 96, 12.0)]
    parts += [path("M284 126H222V148H136", ROSE), head(130, 148, -1, 0, ROSE), pill("t3", 207, 148, 12.0)]
    return picture(
        414,
        186,
        "A deadlock",
        "The accelerator's sub-graph with input, conv and add needs tensor 3 of the CPU's sub-graph; that one needs "
        "tensor 1 of the accelerator's.",
        *parts,
    )


TWIN = {0: (0, 0.5, "input"), 1: (1, 0, "conv"), 2: (2, 0, "sigmoid"), 3: (3, 0, "conv"), 4: (4, 0, "relu"),
        5: (5, 0, "conv"), 6: (1, 1, "conv"), 7: (2, 1, "sigmoid"), 8: (3, 1, "conv"), 9: (4, 1, "relu"),
        10: (6, 0.5, "add")}  # fmt: skip
TWIN_ARROWS = ((0, 1), (0, 6), (1, 2), (2, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9), (5, 10), (9, 10))


TWIN_BY_RANGES = (
    {0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 2, 6: 2, 7: 3, 8: 4, 9: 4, 10: 4},
    "part",
    "Two branches in five sub-graphs",
    "Two branches, each with a sigmoid. By ranges of numbers: nodes 0-1, 2, 3-6, 7, 8-10.",
)
TWIN_BY_LEVELS = (
    {1: 0, 6: 0, 2: 1, 7: 1, 3: 2, 4: 2, 5: 2, 8: 2, 9: 2, 10: 2},
    "level",
    "Two branches in three sub-graphs",
    "Two branches, each with a sigmoid. By levels: both first convolutions, both sigmoids, all the rest.",
)
"""What `branches` gets: a number beside each node, its name, and the picture's title and description."""


def branches(number: Mapping[int, int], name: str, title: str, description: str) -> Svg:
    """Two branches between input and add, each node with the number of its sub-graph or its level."""
    parts = []
    place = {v: (112 + 130 * y, 28 + 48 * x) for v, (x, y, _) in TWIN.items()}
    for a, b in TWIN_ARROWS:
        (x1, y1), (x2, y2) = place[a], place[b]
        bend = y1 + 24 if a == 0 else y2 - 24
        d = f"M{x1:g} {y1 + 14:g}V{bend:g}H{x2:g}V{y2 - 19:g}" if x1 != x2 else f"M{x1:g} {y1 + 14:g}V{y2 - 19:g}"
        parts += [path(d), head(x2, y2 - 14, 0, 1)]
    for v, (x, y) in place.items():
        device = "CPU" if v in (2, 7) else "ACC"
        deep = number.get(v, 0) % 4 >= 2
        ground = "open" if v not in number else device
        parts.append(box(f"{v} {TWIN[v][2]}", x, y, 84, ground, 28, DEEPER[device] if deep else ""))
        label, side = f"{name} {number[v]}" if v in number else "in none", -1 if TWIN[v][1] == 0 else 1
        anchor = "end" if side < 0 else "start"
        parts.append(
            note(label, x + 48 * side, y, 11.0, text_anchor=anchor, font_weight="bold" if v in number else "normal")
        )
    return picture(354, 342, title, description, *parts)


SHORT = {"pnnx.Expression": "expression", "nn.AdaptiveAvgPool2d": "mean", "nn.Linear": "linear",
         "torch.flatten": "flatten", "nn.MaxPool2d": "max pool"}  # fmt: skip


def digits() -> Svg:
    """The digits network in its six sub-graphs, as kuiper splits it."""
    network = NodeGraph.from_runtime(kuiper.load(DIGITS))
    acc = Device("ACC", operators={"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "pnnx.Expression"})
    found = partition(network, [acc, Device("CPU")])
    width, row, top, parts = 116.0, 24.0, 42.0, []
    column = {"ACC": 134.0, "CPU": 338.0}
    place: dict[int, tuple[int, float, float]] = {}
    parts += [note(name, x, 14, 14.0, font_weight="bold") for name, x in column.items()]
    for part in found.subgraphs:
        x = column[part.device.name]
        aside = 14 if part.device.name == "ACC" else x + width / 2 + 14
        parts.append(note(str(part.index), aside, top, 14.0, font_weight="bold"))
        for v in part.nodes:
            place[v] = part.index, x, top
            kind = network.nodes[v].type
            label = SHORT.get(kind, kind.removeprefix("nn.").lower())
            parts.append(box(f"{v} {label}", x, top, width, part.device.name, 21))
            top += row
        top += 16
    for part in found.subgraphs:
        for lane, tensor in enumerate(part.inputs):
            maker = place.get(network.producer[tensor])
            if maker is not None:
                reader = min(v for v in part.nodes if tensor in network.nodes[v].inputs)
                parts += crossing(tensor, maker, place[reader], width, lane)
    counts = ", ".join(f"{part.device.name} {len(part.nodes)}" for part in found.subgraphs)
    return picture(424, top, "The digits network in six sub-graphs", f"Nodes by device: {counts}.", *parts)


FLOW = (("conv", 2, 30), ("resize", 20, 4), ("add", 10, 12))
"""Three nodes in a chain, with their microseconds on ACC and on the CPU."""


def flow(cut: bool = False) -> Svg:
    """Three nodes between ACC and CPU as a flow network; `cut`: with its minimum cut, conv on ACC and the rest not."""
    xs, parts = (70.0, 205.0, 340.0), []
    on_cpu = (False, True, True)
    for x, (_, acc, cpu), away in zip(xs, FLOW, on_cpu, strict=True):
        for y, label, lost in ((43.0, cpu, away), (149.0, acc, not away)):
            gone = cut and lost
            parts.append(path(f"M{x:g} {y:g}v76", ROSE if gone else INK, stroke_dasharray="3 4" if gone else "none"))
            parts.append(pill(str(label), x + (20 if gone else 0), y + ((56 if y < 100 else 28) if gone else 38), 13.0))
    for k, x in enumerate(xs[:2]):
        gone = cut and on_cpu[k] != on_cpu[k + 1]
        parts.append(path(f"M{x + 42:g} 134h51", ROSE if gone else INK, stroke_dasharray="3 4" if gone else "none"))
        parts.append(pill("11", x + (50 if gone else 67.5), 134 - (28 if gone else 0), 13.0))
    parts += [box("ACC", 205, 28, 354, "ACC"), box("CPU", 205, 240, 354, "CPU")]
    for x, (name, _, _), away in zip(xs, FLOW, on_cpu, strict=True):
        parts.append(box(name, x, 134, 84, ("CPU" if away else "ACC") if cut else "open"))
    if cut:
        parts.append(path("M8 204H138V76H402", ROSE, stroke_width=2.4))
        parts.append(note("cut: 2 + 11 + 4 + 12 = 29", 205, 278, 14.0, fill=ROSE, font_weight="bold"))
    return picture(
        410,
        296 if cut else 268,
        "A placement is a cut",
        "ACC above, CPU below, conv, resize, add between. The line from ACC to a node has its time on the CPU, 30, 4, "
        "12; the line to the CPU its time on ACC, 2, 20, 10; a line between two nodes the copy, 11."
        + (" The minimum cut leaves conv with ACC, and resize and add with the CPU: 2 + 11 + 4 + 12 = 29." * cut),
        *parts,
    )


def crossing(
    tensor: int, maker: tuple[int, float, float], reader: tuple[int, float, float], width: float, lane: int
) -> Sequence[str]:
    """A tensor from the box that makes it to the other column, or along a lane left of its own column."""
    (_, x, y), (_, end, target) = maker, reader
    if x == end:
        edge, into = x - width / 2, target - 5 * (lane - 1)
        bend = edge - 36 + 10 * lane
        drawn = [path(f"M{edge:g} {y:g}H{bend:g}V{into:g}H{edge - 5:g}", ROSE)]
        return [*drawn, head(edge, into, 1, 0, ROSE), pill(str(tensor), bend, y + 46, 12.0)]
    side = 1 if x < end else -1
    edge, bend = end - side * width / 2, (x + end) / 2 + side * 26
    drawn = [
        path(f"M{x + side * width / 2:g} {y:g}H{bend:g}V{target:g}H{edge - 5 * side:g}"),
        head(edge, target, side, 0),
    ]
    return [*drawn, note(str(tensor), bend + side * 14, (y + target) / 2)]


if __name__ == "__main__":
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
