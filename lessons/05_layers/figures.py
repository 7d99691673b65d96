"""The pictures of lesson 5: `python lessons/05_layers/figures.py` writes them into figures/."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from kuiper.show.palette import INK, Swatch, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text

FIGURES = Path(__file__).with_name("figures")
INPUT, CONVOLUTION, ACTIVATION, LINEAR = (swatch_of(t) for t in ("pnnx.Input", "nn.Conv2d", "nn.ReLU", "nn.Linear"))
SHAPE, GOOD, BAD = swatch_of("torch.cat"), swatch_of("nn.BatchNorm2d"), swatch_of("pnnx.Attribute")


def box(x: float, y: float, width: float, height: float, kind: Swatch, *lines: str) -> str:
    """A box around (x, y) with lines of text, the first one bold."""
    parts = [
        element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=6.0, fill=kind.fill,
                stroke=kind.border, stroke_width=1.5)
    ]  # fmt: skip
    first = y - 7.5 * (len(lines) - 1)
    for i, line in enumerate(lines):
        weight = {"font_weight": "bold"} if i == 0 else {}
        parts.append(text(line, x, first + 15 * i, 13.0 if i == 0 else 12.0, kind.text, **weight))
    return "".join(parts)


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight arrow in any direction."""
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    back_x, back_y = x2 - 7 * dx, y2 - 7 * dy
    points = [(x2, y2), (back_x - 4 * dy, back_y + 4 * dx), (back_x + 4 * dy, back_y - 4 * dx)]
    head = element("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in points), fill=INK)
    return element("line", x1=x1, y1=y1, x2=back_x, y2=back_y, stroke=INK, stroke_width=1.5) + head


def table(
    x: float, y: float, widths: tuple[float, float], rows: list[tuple[str, str]], marks: dict[int, Swatch]
) -> str:
    """Rows of two cells with the top left at (x, y); marked rows are coloured."""
    parts = []
    for i, row in enumerate(rows):
        at = x
        for cell, width in zip(row, widths, strict=True):
            kind = marks.get(i)
            parts.append(
                element("rect", x=at, y=y + 28 * i, width=width, height=28.0, fill=kind.fill if kind else "none",
                        stroke=INK, stroke_width=1.0)
            )  # fmt: skip
            fill = kind.text if kind else INK
            parts.append(text(cell, at + 8, y + 28 * i + 14, 12.5, fill, text_anchor="start"))
            at += width
    return "".join(parts)


def sigmoid(x: float) -> float:
    """1 / (1 + e^-x) for the small x of the picture."""
    return 1 / (1 + math.exp(-x))


def plot(
    title: str, function: Callable[[float], float], y0: float, top: float, kind: Swatch, ticks: list[float]
) -> str:
    """One curve over -6..6 in a frame whose upper end is at y0, for the value `top`."""
    left, width, height = 50.0, 330.0, 110.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (x + 6) / 12 * width, y0 + height * (1 - y / top)

    parts = [text(title, 200.0, y0 - 22, 14.0, font_weight="bold")]
    for tick in ticks:
        x, y = at(-6, tick)
        parts.append(element("line", x1=x, y1=y, x2=x + width, y2=y, stroke=INK, stroke_width=0.6,
                             **({"stroke_dasharray": "3 4"} if tick else {})))  # fmt: skip
        parts.append(text(f"{tick:g}", x - 8, y, 12.0, text_anchor="end"))
    axis = at(0, 0)[0]
    parts.append(element("line", x1=axis, y1=y0, x2=axis, y2=y0 + height, stroke=INK, stroke_width=0.6))
    for mark in (-6, -3, 0, 3, 6):
        parts.append(text(f"{mark}", at(mark, 0)[0], y0 + height + 14, 12.0))
    points = [at(i / 10, function(i / 10)) for i in range(-60, 61)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts.append(element("path", d=path, fill="none", stroke=kind.border, stroke_width=2.5))
    return "".join(parts)


def activations() -> Svg:
    """ReLU above, the sigmoid below."""
    parts = [
        plot("ReLU(x) = max(x, 0)", lambda x: max(x, 0.0), 38.0, 6.0, ACTIVATION, [0, 2, 4, 6]),
        plot("sigmoid(x) = 1 / (1 + e^-x)", sigmoid, 222.0, 1.0, CONVOLUTION, [0, 0.5, 1]),
    ]
    return picture(400, 356, "ReLU and sigmoid", "ReLU bends at zero, the sigmoid rises from 0 to 1", *parts)


def two_forwards() -> Svg:
    """The table of values, forward_operator around forward."""
    parts = [
        text("values", 200.0, 16.0, 13.0, font_weight="bold"),
        table(16.0, 32.0, (40.0, 110.0), [("2", "[[-1, 4]]")], {0: LINEAR}),
        table(234.0, 32.0, (40.0, 110.0), [("3", "[[ 0, 4]]")], {0: GOOD}),
        arrow(91.0, 62.0, 91.0, 118.0),
        arrow(309.0, 118.0, 309.0, 62.0),
        element("rect", x=6.0, y=82.0, width=388.0, height=180.0, rx=8.0, fill="none", stroke=CONVOLUTION.border,
                stroke_width=1.5),
        pill("forward_operator", 200.0, 82.0, 13.0),
        box(91.0, 144.0, 140.0, 50.0, CONVOLUTION, "gather", "in listed order"),
        box(309.0, 144.0, 140.0, 50.0, CONVOLUTION, "store", "by operand name"),
        box(200.0, 224.0, 190.0, 54.0, ACTIVATION, "forward(x)", "knows arrays only"),
        arrow(91.0, 170.0, 136.0, 196.0),
        arrow(264.0, 196.0, 309.0, 170.0),
    ]  # fmt: skip
    return picture(400, 270, "Two forwards", "forward_operator gathers, calls forward, and stores", *parts)


def registry() -> Svg:
    """From an operator's type through the table to its layer."""
    rows = [("F.relu", "makes a ReLU"), ("nn.Conv2d", "makes a Conv2d"), ("nn.ReLU", "makes a ReLU"),
            ("nn.Sigmoid", "makes a Sigmoid"), ("torch.relu", "makes a ReLU")]  # fmt: skip
    parts = [
        box(200.0, 28.0, 170.0, 46.0, ACTIVATION, "nn.ReLU", "operator block1.relu1"),
        arrow(200.0, 52.0, 200.0, 92.0),
        text("find", 212.0, 72.0, 12.0, text_anchor="start"),
        table(36.0, 94.0, (120.0, 208.0), [("type", "creator")], {}),
        table(36.0, 122.0, (120.0, 208.0), rows, {0: SHAPE, 2: ACTIVATION, 4: SHAPE}),
        arrow(200.0, 263.0, 200.0, 303.0),
        text("create", 212.0, 283.0, 12.0, text_anchor="start"),
        box(200.0, 328.0, 170.0, 46.0, LINEAR, "a new ReLU", "layer of block1.relu1"),
    ]
    return picture(400, 358, "The registry", "An operator's type leads to a creator, which makes its layer", *parts)


def safe_sides() -> Svg:
    """Where each form of the sigmoid overflows in float32, and where the edges are in float64."""
    left, right, low, high, middle = 10.0, 390.0, 110.0, 290.0, 200.0
    parts = []
    for y, form, bad in ((16.0, "1 / (1 + e^-x)", (left, low)), (92.0, "e^x / (1 + e^x)", (high, right))):
        parts.append(text(form, middle, y, 14.0, font_weight="bold"))
        good = (low, right) if bad[0] == left else (left, high)
        for (a, b), kind, word in ((bad, BAD, "overflow"), (good, GOOD, "safe")):
            parts.append(element("rect", x=a, y=y + 16, width=b - a, height=36.0, fill=kind.fill, stroke=kind.border))
            parts.append(text(word, (a + b) / 2, y + 34, 14.0, kind.text))
    for y, kind, edge in ((170.0, "float32", "88.7"), (206.0, "float64", "709.8")):
        parts.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke=INK, stroke_width=1.2))
        parts.append(text(kind, left, y + 16, 12.0, text_anchor="start"))
        for x, mark in ((low, f"-{edge}"), (middle, "0"), (high, edge)):
            parts.append(element("line", x1=x, y1=y - 5, x2=x, y2=y + 5, stroke=INK, stroke_width=1.2))
            parts.append(text(mark, x, y + 16, 12.0))
    parts.append(text("x", right - 4, 186.0, 12.0))
    parts.append(text("(not to scale)", right, 242.0, 12.0, text_anchor="end"))
    return picture(400, 252, "Two forms of the sigmoid", "Each form is safe on one side only", *parts)


def copy() -> Svg:
    """kuiper.registry, its copy with another ReLU, and the graph built with the copy."""
    rows = [(kind, f"{kind[3:]}.from_operator") for kind in ("nn.Conv2d", "nn.ReLU", "nn.Sigmoid")]
    mine = [rows[0], ("nn.ReLU", "WatchedReLU.from_operator"), rows[2]]
    parts = []
    for y, name, content, mark, note in (
        (0.0, "kuiper.registry", rows, SHAPE, "unchanged"),
        (166.0, "my_registry", mine, ACTIVATION, "one row replaced"),
    ):
        parts.append(text(f"{name}: {note}", 200.0, y + 14, 14.0, font_weight="bold"))
        parts.append(table(50.0, y + 30, (94.0, 206.0), content, {1: mark}))
    for y, word in ((116.0, "copy"), (282.0, "load")):
        parts.append(arrow(200.0, y, 200.0, y + 46))
        parts.append(pill(word, 242.0, y + 22, 12.0))
    parts.append(box(200.0, 358.0, 240.0, 56.0, CONVOLUTION, "my_graph", "its ReLU layers are ours"))
    return picture(400, 390, "A copy of the registry", "The copy is changed, the original is not", *parts)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "activations": activations(),
        "two_forwards": two_forwards(),
        "registry": registry(),
        "safe_sides": safe_sides(),
        "copy": copy(),
    }


if __name__ == "__main__":
    FIGURES.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(FIGURES / f"{name}.svg")
