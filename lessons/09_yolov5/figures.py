"""The figures of lesson 9: `python lessons/09_yolov5/figures.py` writes them all beside itself."""

from __future__ import annotations

import re
from pathlib import Path

import kuiper
from kuiper.show.palette import INK, Swatch, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text

HERE = Path(__file__).parent
DETECTOR = HERE.parents[1] / "models" / "detector" / "detector.pnnx.param"
DARK, ROSE, BLUE = "#1d2530", swatch_of("pnnx.Attribute").border, swatch_of("nn.Conv2d").border
ORANGE, GREEN = swatch_of("nn.ReLU").border, swatch_of("nn.BatchNorm2d").border
SAND = "#e9dcc3"


def draw() -> dict[str, Svg]:
    """The figures: file name without its ending -> picture."""
    return {
        "network": network(),
        "letterbox": letterbox(),
        "row": row(),
        "order": order(),
        "cell": cell(),
        "iou": overlap(),
        "suppression": suppression(),
        "precision": precision(),
    }


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


def frame(x: float, y: float, width: float, height: float, color: str = INK, **more: object) -> str:
    """A rectangle without filling."""
    return element("rect", x=float(x), y=float(y), width=float(width), height=float(height), fill="none", stroke=color,
                   **{"stroke_width": 1.4, **more})  # fmt: skip


def block(x: float, y: float, width: float, height: float, fill: str, color: str, **more: object) -> str:
    """A filled rectangle."""
    return element("rect", x=float(x), y=float(y), width=float(width), height=float(height), fill=fill, stroke=color,
                   **{"stroke_width": 1.4, **more})  # fmt: skip


# --- the network, its operators put together to parts

Parts = dict[str, list[kuiper.RuntimeOperator]]
WIDTH, HEIGHT, STEP = 88.0, 36.0, 48.0
LEFT, MIDDLE, RIGHT = 62.0, 222.0, 382.0
BETWEEN = (142.0, 302.0)
PLACES = {
    "input": (62, 0), "first.0": (169, 0), "first.1": (275, 0), "first.2": (RIGHT, 0),
    "first.3": (LEFT, 1), "first.4": (LEFT, 2), "second.0": (MIDDLE, 2), "second.1": (MIDDLE, 3), "third.0": (RIGHT, 3),
    "third.1": (RIGHT, 4), "third.2": (RIGHT, 5), "narrow1": (RIGHT, 6), "up 1": (BETWEEN[1], 7),
    "cat up": (MIDDLE, 8), "merge1": (MIDDLE, 9), "narrow2": (MIDDLE, 10), "up 2": (BETWEEN[0], 11),
    "cat fine": (LEFT, 12), "merge2": (LEFT, 13), "down1": (BETWEEN[0], 14),
    "cat down": (MIDDLE, 15), "merge3": (MIDDLE, 16), "down2": (BETWEEN[1], 17),
    "cat coarse": (RIGHT, 18), "merge4": (RIGHT, 19),
    "detect.heads.0": (LEFT, 20), "detect.heads.1": (MIDDLE, 20), "detect.heads.2": (RIGHT, 20), "detect": (MIDDLE, 21),
}  # fmt: skip
"""Where each part stands: x, and the row. Strides 8, 16 and 32 go down on the left, in the middle, on the right."""
JOINS = {"merge1": "cat up", "merge2": "cat fine", "merge3": "cat down", "merge4": "cat coarse"}


def own_part(operator: kuiper.RuntimeOperator) -> str:
    """The part that an operator's name tells, "" if it tells none; PNNX renames folded convolutions."""
    if operator.type == "pnnx.Input":
        return "input"
    found = re.match(r"detect\.heads\.\d|(?:first|second|third)\.\d|(?:merge|narrow|down)\d", operator.name)
    return found[0] if found else ""


def parts_of(graph: kuiper.RuntimeGraph) -> tuple[dict[str, str], list[kuiper.RuntimeOperator]]:
    """(part of each operator by name, operators in order): what has no name of its own goes where it is read."""
    order = [operator for operator in graph.operators if operator.type not in ("pnnx.Attribute", "pnnx.Output")]
    maker = {operand.name: operator for operator in order for operand in operator.outputs}
    readers: dict[str, list[str]] = {}
    for operator in order:
        for operand in operator.inputs:
            if operand.name in maker:
                readers.setdefault(maker[operand.name].name, []).append(operator.name)
    part = {operator.name: own_part(operator) for operator in order}
    ups = [operator.name for operator in order if operator.type == "nn.Upsample"]
    part.update({name: f"up {number}" for number, name in enumerate(ups, 1)})
    for operator in reversed(order):
        read_by = {part[name] for name in readers.get(operator.name, [])}
        if part[operator.name]:
            continue
        if len(read_by) != 1 or read_by & {"detect"} or not readers.get(operator.name):
            part[operator.name] = "detect"
            continue
        (where,) = read_by
        sources = {part[maker[operand.name].name] for operand in operator.inputs}
        outside = operator.type == "torch.cat" and where in JOINS and where not in sources
        part[operator.name] = JOINS[where] if outside else where
    return part, order


def label_of(name: str, operators: list[kuiper.RuntimeOperator]) -> tuple[str, Swatch]:
    """What stands in a part's box, and the colours of its first operator."""
    kinds = [operator.type for operator in operators]
    if name == "input":
        return "input", swatch_of(kinds[0])
    if name == "detect":
        return "decode", swatch_of("pnnx.Expression")
    if kinds[0] in ("nn.Upsample", "torch.cat"):
        return ("up x2" if kinds[0] == "nn.Upsample" else "cat"), swatch_of(kinds[0])
    convolutions = [operator for operator in operators if operator.type == "nn.Conv2d"]
    if len(convolutions) > 1:
        return (
            ("pools", swatch_of("nn.MaxPool2d")) if "nn.MaxPool2d" in kinds else ("block", swatch_of("nn.BatchNorm2d"))
        )
    params = convolutions[0].params
    size, stride = params["kernel_size"].value[0], params["stride"].value[0]
    return f"{size}x{size}" + (f" /{stride}" if stride > 1 else ""), swatch_of("nn.Conv2d")


def network() -> Svg:
    """The parts of the detector and what flows between them, read from its file."""
    graph = kuiper.load(DETECTOR)
    part, order = parts_of(graph)
    made = {operand.name: operator.name for operator in order for operand in operator.outputs}
    members: Parts = {}
    for operator in order:
        members.setdefault(part[operator.name], []).append(operator)
    edges = {(part[made[operand.name]], part[operator.name]): operand.name
             for operator in order for operand in operator.inputs if operand.name in made}  # fmt: skip
    lines = [line(a, b) for a, b in edges if a != b]
    boxes = [box(name, *label_of(name, operators), shape_of(operators)) for name, operators in members.items()]
    said = (("backbone", BETWEEN[0], 4.5), ("neck: up", BETWEEN[0], 8.5), ("and down", BETWEEN[1], 13.5),
            ("heads", BETWEEN[0], 20))  # fmt: skip
    marks = [note(content, x, y_of(row), 13.0, font_weight="bold") for content, x, row in said]
    marks += [note(f"stride {s}", x, y_of(22) - 8, 12.0) for x, s in ((LEFT, 8), (MIDDLE, 16), (RIGHT, 32))]
    return picture(
        444,
        y_of(22) + 6,
        "The detector's graph",
        f"{len(order)} operators in {len(members)} parts. The backbone narrows the picture to strides 8, 16 and 32; "
        "the neck enlarges twice, joins, narrows twice, joins; three heads give 45 channels each.",
        *lines, *boxes, *marks,
    )  # fmt: skip


def y_of(row: float) -> float:
    """The middle of a row of the network."""
    return 24 + STEP * row


def shape_of(operators: list[kuiper.RuntimeOperator]) -> str:
    """Shape of what the last operator makes, without the batch."""
    return "x".join(str(size) for size in operators[-1].outputs[0].shape[1:])


def box(name: str, label: str, kind: Swatch, shape: str) -> str:
    """A part: its label and the shape that it gives."""
    x, row = PLACES[name]
    y = y_of(row)
    ground = block(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, kind.fill, kind.border, rx=5)
    return ground + text(label, x, y - 7, 12.0, kind.text) + text(shape, x, y + 9, 11.0, kind.text)


def line(source: str, target: str) -> str:
    """An arrow between two parts: along the row, straight down, or down and into the target's side."""
    (x1, r1), (x2, r2) = PLACES[source], PLACES[target]
    y1, y2 = y_of(r1), y_of(r2)
    if r1 == r2:
        return path(f"M{x1 + WIDTH / 2:g} {y1:g}H{x2 - WIDTH / 2 - 5:g}") + head(x2 - WIDTH / 2, y2, 1, 0)
    if x1 == x2:
        return path(f"M{x1:g} {y1 + HEIGHT / 2:g}V{y2 - HEIGHT / 2 - 5:g}") + head(x2, y2 - HEIGHT / 2, 0, 1)
    side = 1 if x1 < x2 else -1
    edge = x2 - side * WIDTH / 2
    return path(f"M{x1:g} {y1 + HEIGHT / 2:g}V{y2:g}H{edge - 5 * side:g}") + head(edge, y2, side, 0)


# --- letterbox


def letterbox() -> Svg:
    """A small and a large picture, and what becomes of them in a canvas of 640x640, to scale."""
    parts, unit = [], 0.14
    for k, (height, width, scale, top) in enumerate(((240, 320, 2.0, 80), (854, 1280, 0.5, 106))):
        middle, x, side = 84 + 128.0 * k, 262.0, 640 * unit
        y, inner = middle - side / 2, round(height * scale)
        small_x, small_y = 98 - width * unit / 2, middle - height * unit / 2
        parts.append(block(small_x, small_y, width * unit, height * unit, SAND, SAND))
        parts.append(note(f"{height} x {width}", 98, small_y - 9, 12.5))
        parts += [note("scale", 223, middle - 34, 12.5), note(f"{scale:g}", 223, middle - 17, 12.5)]
        parts += [path(f"M200 {middle:g}H246"), head(252, middle, 1, 0)]
        parts.append(block(x, y, side, side, "#727272", "#727272"))
        parts.append(block(x, y + top * unit, side, inner * unit, SAND, SAND))
        parts.append(text(f"{inner} x 640", x + side / 2, middle, 12.5, DARK))
        for size, at in ((top, y + top * unit / 2), (640 - top - inner, y + side - (640 - top - inner) * unit / 2)):
            parts.append(note(f"{size} rows", x + side + 6, at, 12.5, text_anchor="start"))
    parts.append(note("canvas 640 x 640", 262 + 320 * unit, 16, 12.5))
    return picture(
        434,
        280,
        "Letterbox",
        "A picture of 240x320 is doubled and gets bars of 80 rows above and below; one of 854x1280 is halved "
        "and gets 106 above and 107 below. The bars have the grey 114.",
        *parts,
    )


def order() -> Svg:
    """Which cell and anchor each row of a head's answers belongs to."""
    parts, size = [], 40.0
    colors = (swatch_of("nn.Conv2d"), swatch_of("nn.ReLU"))
    for a, kind in enumerate(colors):
        left = 46 + 214.0 * a
        parts.append(note(f"anchor {a}", left + 1.5 * size, 14, 12.5, font_weight="bold"))
        for j in range(3):
            parts.append(note(f"j={j}", left + (j + 0.5) * size, 34, 12.0))
        for i in range(2):
            parts.append(note(f"i={i}", left - 20, 44 + (i + 0.5) * size, 12.0))
            for j in range(3):
                parts.append(block(left + j * size, 44 + i * size, size, size, kind.fill, kind.border))
                place = (a * 2 + i) * 3 + j
                parts.append(text(str(place), left + (j + 0.5) * size, 44 + (i + 0.5) * size, 14.0, DARK))
    for place in range(12):
        kind = colors[place // 6]
        parts.append(block(16 + 32.5 * place, 146, 32.5, 28, kind.fill, kind.border))
        parts.append(text(str(place), 16 + 32.5 * (place + 0.5), 160, 13.0, DARK))
    parts.append(note("rows of the answer: (a * 2 + i) * 3 + j", 211, 194, 12.5))
    return picture(
        422,
        206,
        "The order of the rows",
        "A head of 2x3 cells and two anchors: rows 0 to 5 are the cells of anchor 0, row by row; 6 to 11 those of "
        "anchor 1.",
        *parts,
    )


# --- one row, and where it comes from


def row() -> Svg:
    """45 channels of a head are three kinds of box; each has 15 numbers."""
    colors = (swatch_of("nn.Conv2d"), swatch_of("nn.ReLU"), swatch_of("nn.BatchNorm2d"))
    parts = [note("one cell of a head: 45 channels", 20, 16, 13.0, text_anchor="start")]
    for k, kind in enumerate(colors):
        x = 20 + 130 * k
        parts.append(block(x, 30, 130, 40, kind.fill, kind.border))
        parts.append(text(f"anchor {k}:", x + 65, 42, 12.0, DARK))
        parts.append(text(f"channels {15 * k}-{15 * k + 14}", x + 65, 58, 12.0, DARK))
    parts += [path("M20 72V104M150 72L410 104", colors[0].border)]
    names = ["x", "y", "w", "h", "obj", *(str(d) for d in range(10))]
    for k, name in enumerate(names):
        shade = colors[0].fill if k < 4 else "#fbf0b8" if k == 4 else "#e2e5ea"
        parts += [block(20 + 26 * k, 106, 26, 28, shade, colors[0].border), text(name, 33 + 26 * k, 120, 12.0, DARK)]
    for first, stop, label, y in ((0, 4, "where", 160), (4, 5, "anything?", 178), (5, 15, "if so, which class", 160)):
        parts.append(path(f"M{23 + 26 * first} 140V146H{17 + 26 * stop}V140"))
        if label == "anything?":
            parts.append(path("M137 146V168"))
        parts.append(note(label, 20 + 13 * (first + stop), y, 12.0))
    return picture(
        430,
        192,
        "From channels to a row",
        "A cell of a head has 45 channels: 15 for each of three anchors. They are x, y, w, h, objectness and the "
        "scores of ten classes.",
        *parts,
    )


# --- a cell and an anchor


def cell() -> Svg:
    """Where the centre of a box may lie, and how large the box may be."""
    size, left, top = 64.0, 30.0, 34.0
    parts = [note("row 1, column 2", left + 2.5 * size, 18, 13.0)]
    for k in range(6):
        parts.append(path(f"M{left + k * size:g} {top}V{top + 4 * size:g}", stroke_width=0.9))
        if k < 5:
            parts.append(path(f"M{left} {top + k * size:g}H{left + 5 * size:g}", stroke_width=0.9))
    x, y = left + 2 * size, top + size
    parts.append(block(x, y, size, size, swatch_of("nn.Conv2d").fill, BLUE))
    parts.append(frame(x - size / 2, y - size / 2, 2 * size, 2 * size, ORANGE, stroke_dasharray="6 4"))
    centre_x, centre_y = x + 0.9 * size, y + 0.3 * size
    parts.append(frame(centre_x - 31, centre_y - 55, 62, 110, ROSE, stroke_width=2.2))
    parts.append(element("circle", cx=centre_x, cy=centre_y, r=4.5, fill=ROSE))
    said = ("centre (dot): cell + 2s - 0.5, so it lies", "in the dashed square, two cells wide", "",
            "width and height: anchor times (2s)^2,", "so between 0 and 4 times the anchor")  # fmt: skip
    parts += [note(content, 42, 318 + 19 * k, 13.0, text_anchor="start") for k, content in enumerate(said)]
    parts += [
        path("M30 310V345", ORANGE, stroke_width=4, stroke_dasharray="7 4"),
        path("M30 367V402", ROSE, stroke_width=4),
    ]
    for wide, high, mark in ((24, 36, {"stroke_width": 2.4}), (96, 144, {"stroke_dasharray": "6 4"})):
        parts.append(frame(90 - wide / 2, 488 - high / 2, wide, high, ROSE, **mark))
    parts += [
        note("anchor", 90, 520, 12.0),
        note("4 times the anchor", 150, 488, 12.0, text_anchor="start"),
    ]
    return picture(
        380,
        574,
        "A cell and its box",
        "The cell of row 1 and column 2. The centre of its box lies in a square of two cells around it; the box is an "
        "anchor whose sides are multiplied by 0 to 4.",
        *parts,
    )


# --- overlap and suppression


def overlap() -> Svg:
    """Two boxes, what they have in common, and what they cover together."""
    kind = swatch_of("nn.Conv2d")
    parts = [block(30, 30, 80, 120, kind.fill, BLUE), block(38, 38, 80, 120, kind.fill, BLUE)]
    parts += [block(38, 38, 72, 112, "#98c1ee", BLUE), frame(30, 30, 80, 120, BLUE), frame(38, 38, 80, 120, BLUE)]
    parts += [text("56 x 36", 74, 88, 11.0, DARK), text("= 2016", 74, 104, 11.0, DARK)]
    lines = ("box 0: 60 x 40 = 2400", "box 1: 60 x 40 = 2400", "in common: 2016", "together: 2400 + 2400 - 2016 = 2784",
             "IoU = 2016 / 2784 = 0.72")  # fmt: skip
    for k, content in enumerate(lines):
        bold = {"font_weight": "bold"} if k == 4 else {}
        parts.append(note(content, 160, 42 + 26 * k, 12.5, text_anchor="start", **bold))
    said = "Two boxes of 60x40 that have 56x36 in common: IoU 0.72."
    return picture(450, 176, "Intersection over union", said, *parts)


BOXES = ((20, 20, 60, 80), (24, 24, 64, 84), (36, 24, 76, 84), (100, 30, 140, 90), (104, 32, 144, 96))
SCORES = (0.9, 0.8, 0.7, 0.6, 0.5)
STEPS = (
    ("five boxes of one class", "", (), ()),
    ("0 is the best and stays", "1 overlaps it by 0.72 and goes", (0,), (1,)),
    ("2 is the best of the rest", "overlaps 0 by 0.39, so it stays", (0, 2), (1,)),
    ("3 stays", "4 overlaps it by 0.73 and goes", (0, 2, 3), (1, 4)),
)


def suppression() -> Svg:
    """Non-maximum suppression of five boxes, step by step."""
    parts: list[str] = []
    labels = ((23, 8), (30, 96), (74, 8), (120, 18), (124, 108))
    for k, (title, more, stay, gone) in enumerate(STEPS):
        top = 50.0 + 200 * k
        parts += [note(title, 8, top - 34, 14.0, text_anchor="start", font_weight="bold"),
                  note(more, 8, top - 15, 12.5, text_anchor="start")]  # fmt: skip
        for i in (4, 3, 2, 1, 0):
            x1, y1, x2, y2 = (1.3 * at for at in BOXES[i])
            color = GREEN if i in stay else INK if i in gone else BLUE
            mark = {"stroke_dasharray": "3 4"} if i in gone else {"stroke_width": 3.2 if i in stay else 1.8}
            parts.append(frame(30 + x1, top + y1, x2 - x1, y2 - y1, color, **mark))
        for i, (x, y) in enumerate(labels):
            said = f"{i} gone" if i in gone else f"{i}: {SCORES[i]}"
            parts.append(pill(said, 30 + 1.3 * x, top + 1.3 * y, 12.0))
    return picture(
        300,
        812,
        "Non-maximum suppression",
        "Five boxes with scores 0.9 to 0.5. Box 0 stays and 1 goes; 2 stays, since 1 has gone and 0 is far enough; 3 "
        "stays and 4 goes.",
        *parts,
    )


# --- average precision

HITS = (True, True, False, True, False)
TRUE = 4
"""Of five boxes, the best score first, which are hits; and how many true things there are."""


def precision() -> Svg:
    """Precision and recall after each of five boxes, and the average precision of four true things."""
    hit, miss = swatch_of("nn.BatchNorm2d"), swatch_of("torch.cat")
    parts = [note(name, 8, y, 12.5, text_anchor="start")
             for name, y in (("score", 16), ("box", 44), ("precision", 76), ("recall", 98))]  # fmt: skip
    found: list[float] = []
    for k, (right, score) in enumerate(zip(HITS, SCORES), 1):
        x, kind, hits = 62 + 60.0 * k, hit if right else miss, sum(HITS[:k])
        parts += [note(f"{score}", x, 16, 12.5), block(x - 26, 30, 52, 28, kind.fill, kind.border, rx=5)]
        parts.append(text("hit" if right else "miss", x, 44, 13.0, kind.text))
        parts += [note(f"{hits}/{k}", x, 76, 12.5), note(f"{hits}/{TRUE}", x, 98, 12.5)]
        found += [hits / k] if right else []
    base, full, left = 252.0, 100.0, 84.0
    mean = sum(found) / TRUE
    for k in range(TRUE):
        x, value = left + 17 + 68 * k, found[k] if k < len(found) else 0.0
        parts.append(frame(x, base - full, 48, full, INK, stroke_width=1.0, stroke_dasharray="2 4"))
        if value:
            parts.append(block(x, base - full * value, 48, full * value, hit.fill, hit.border))
        else:
            parts += [note("never", x + 24, base - 36, 12.0), note("found", x + 24, base - 20, 12.0)]
        parts.append(note(f"{value:g}", x + 24, base - full - 12, 13.0, font_weight="bold"))
        parts.append(note(f"{('first', 'second', 'third', 'fourth')[k]} 7", x + 24, base + 16, 12.0))
    parts.append(path(f"M{left} {base}H{left + 282}"))
    line_y = base - full * mean
    parts.append(path(f"M{left} {line_y:g}H{left + 282}", ROSE, stroke_width=2.2, stroke_dasharray="7 4"))
    parts.append(note("mean", 8, line_y - 9, 12.5, text_anchor="start"))
    parts.append(note(f"{mean:.2f}", 8, line_y + 9, 13.0, text_anchor="start", font_weight="bold"))
    return picture(
        400,
        282,
        "Average precision",
        "Five boxes, of which the first, the second and the fourth are hits, for four true things. These were found "
        "at a precision of 1, 1 and 0.75, and the fourth never; the mean is 0.69.",
        *parts,
    )


if __name__ == "__main__":
    folder = HERE / "figures"
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
