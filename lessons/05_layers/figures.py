"""The pictures of lesson 5: `python lessons/05_layers/figures.py` writes them into figures/."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from kuiper.show.palette import INK, Swatch, family
from kuiper.show.svg import Svg, element, picture, pill, text

FIGURES = Path(__file__).with_name("figures")
INPUT, CONVOLUTION, ACTIVATION, LINEAR = (family(t) for t in ("pnnx.Input", "nn.Conv2d", "nn.ReLU", "nn.Linear"))
SHAPE, GOOD, BAD = family("torch.cat"), family("nn.BatchNorm2d"), family("pnnx.Attribute")


def box(x: float, y: float, width: float, height: float, kind: Swatch, *lines: str) -> str:
    """A box around (x, y) with lines of text, the first one bold."""
    parts = [
        element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=6.0, fill=kind.fill,
                stroke=kind.border, stroke_width=1.5)
    ]  # fmt: skip
    first = y - 7.5 * (len(lines) - 1)
    for i, line in enumerate(lines):
        weight = {"font_weight": "bold"} if i == 0 else {}
        parts.append(text(line, x, first + 15 * i, 12.0 if i == 0 else 10.5, kind.text, **weight))
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
            parts.append(text(cell, at + 8, y + 28 * i + 14, 11.0, fill, text_anchor="start"))
            at += width
    return "".join(parts)


def sigmoid(x: float) -> float:
    """1 / (1 + e^-x) for the small x of the picture."""
    return 1 / (1 + math.exp(-x))


def plot(
    left: float, title: str, function: Callable[[float], float], top: float, kind: Swatch, ticks: list[float]
) -> str:
    """One curve over -6..6, with the value `top` at the upper end of the frame."""
    width, height, y0 = 250.0, 130.0, 42.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (x + 6) / 12 * width, y0 + height * (1 - y / top)

    parts = [text(title, left + width / 2, 18.0, 13.0, font_weight="bold")]
    for tick in ticks:
        x, y = at(-6, tick)
        parts.append(element("line", x1=x, y1=y, x2=x + width, y2=y, stroke=INK, stroke_width=0.6,
                             **({"stroke_dasharray": "3 4"} if tick else {})))  # fmt: skip
        parts.append(text(f"{tick:g}", x - 8, y, 10.0, text_anchor="end"))
    axis = at(0, 0)[0]
    parts.append(element("line", x1=axis, y1=y0, x2=axis, y2=y0 + height, stroke=INK, stroke_width=0.6))
    for mark in (-6, -3, 0, 3, 6):
        parts.append(text(f"{mark}", at(mark, 0)[0], y0 + height + 14, 10.0))
    points = [at(i / 10, function(i / 10)) for i in range(-60, 61)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts.append(element("path", d=path, fill="none", stroke=kind.border, stroke_width=2.5))
    return "".join(parts)


def activations() -> Svg:
    """ReLU and sigmoid side by side."""
    parts = [
        plot(50.0, "ReLU(x) = max(x, 0)", lambda x: max(x, 0.0), 6.0, ACTIVATION, [0, 2, 4, 6]),
        plot(370.0, "sigmoid(x) = 1 / (1 + e^-x)", sigmoid, 1.0, CONVOLUTION, [0, 0.5, 1]),
    ]
    return picture(640, 200, "ReLU and sigmoid", "ReLU bends at zero, the sigmoid rises from 0 to 1", *parts)


def two_forwards() -> Svg:
    """The table of values, forward_operator around forward."""
    rows = [("2", "[[-1, 4]]"), ("3", "[[ 0, 4]]")]
    parts = [
        text("values", 95.0, 24.0, 13.0, font_weight="bold"),
        table(20.0, 70.0, (40.0, 110.0), rows[:1], {}),
        table(20.0, 150.0, (40.0, 110.0), rows[1:], {0: GOOD}),
        text("operand 2", 95.0, 58.0, 10.5),
        text("operand 3", 95.0, 138.0, 10.5),
        element("rect", x=250.0, y=40.0, width=440.0, height=168.0, rx=8.0, fill="none", stroke=CONVOLUTION.border,
                stroke_width=1.5),
        text("forward_operator(operator, values)", 470.0, 24.0, 13.0, font_weight="bold"),
        text("the bookkeeping, the same for every layer", 470.0, 194.0, 10.5),
        box(345.0, 84.0, 150.0, 48.0, CONVOLUTION, "gather", "inputs in slot order"),
        box(345.0, 152.0, 150.0, 48.0, CONVOLUTION, "store", "by output name"),
        box(590.0, 118.0, 160.0, 84.0, ACTIVATION, "forward(x)", "the mathematics:", "knows arrays only", "max(x, 0)"),
        arrow(172.0, 84.0, 268.0, 84.0),
        arrow(421.0, 88.0, 508.0, 102.0),
        arrow(509.0, 134.0, 423.0, 148.0),
        arrow(268.0, 157.0, 174.0, 163.0),
    ]  # fmt: skip
    return picture(710, 222, "Two forwards", "forward_operator gathers, calls forward, and stores", *parts)


def registry() -> Svg:
    """From an operator's type through the table to its layer."""
    rows = [("F.relu", "ReLU.from_operator"), ("nn.Conv2d", "Conv2d.from_operator"), ("nn.ReLU", "ReLU.from_operator"),
            ("nn.Sigmoid", "Sigmoid.from_operator"), ("torch.relu", "ReLU.from_operator")]  # fmt: skip
    parts = [
        text("operator", 75.0, 24.0, 13.0, font_weight="bold"),
        box(75.0, 120.0, 110.0, 48.0, ACTIVATION, "nn.ReLU", "block1.relu1"),
        text("registry: type and creator", 338.0, 24.0, 13.0, font_weight="bold"),
        table(200.0, 50.0, (100.0, 176.0), rows, {0: SHAPE, 2: ACTIVATION, 4: SHAPE}),
        text("layer", 620.0, 24.0, 13.0, font_weight="bold"),
        box(620.0, 120.0, 120.0, 48.0, LINEAR, "a new ReLU", "forward(x)"),
        arrow(132.0, 120.0, 198.0, 120.0),
        text("find", 165.0, 106.0, 11.0),
        arrow(478.0, 120.0, 558.0, 120.0),
        text("create", 518.0, 106.0, 11.0),
        text("grey: two more names for the same recipe", 338.0, 206.0, 10.5),
    ]
    return picture(700, 220, "The registry", "An operator's type leads to a creator, which makes its layer", *parts)


def safe_sides() -> Svg:
    """Where each form of the sigmoid overflows in float64."""
    left, right, low, high = 190.0, 690.0, 273.0, 607.0  # x from -1060 to 1060, with -709 and 709 marked
    parts = []
    for y, form, bad in ((48.0, "1 / (1 + e^-x)", (left, low)), (100.0, "e^x / (1 + e^x)", (high, right))):
        parts.append(text(form, 90.0, y, 13.0, font_weight="bold"))
        good = (low, right) if bad[0] == left else (left, high)
        for (a, b), kind, word in ((bad, BAD, "overflow"), (good, GOOD, "safe")):
            parts.append(element("rect", x=a, y=y - 16, width=b - a, height=32.0, fill=kind.fill, stroke=kind.border))
            parts.append(text(word, (a + b) / 2, y, 12.0, kind.text))
    parts.append(element("line", x1=left, y1=132.0, x2=right, y2=132.0, stroke=INK, stroke_width=1.2))
    for x, mark in ((low, "-709"), (440.0, "0"), (high, "709")):
        parts.append(element("line", x1=x, y1=127.0, x2=x, y2=137.0, stroke=INK, stroke_width=1.2))
        parts.append(text(mark, x, 149.0, 11.0))
    parts.append(text("x", right + 12, 132.0, 12.0))
    return picture(716, 162, "Two forms of the sigmoid", "Each form is safe on one side only", *parts)


def copy() -> Svg:
    """kuiper.registry, its copy with another ReLU, and the graph built with the copy."""
    rows = [("nn.Conv2d", "Conv2d"), ("nn.ReLU", "ReLU"), ("nn.Sigmoid", "Sigmoid")]
    mine = [rows[0], ("nn.ReLU", "CountingReLU"), rows[2]]
    parts = [
        text("kuiper.registry", 115.0, 24.0, 13.0, font_weight="bold"),
        table(20.0, 44.0, (95.0, 95.0), rows, {1: SHAPE}),
        text("stays as it is", 115.0, 144.0, 10.5),
        arrow(212.0, 86.0, 296.0, 86.0),
        pill("copy", 252.0, 68.0),
        text("my_registry", 408.0, 24.0, 13.0, font_weight="bold"),
        table(298.0, 44.0, (95.0, 125.0), mine, {1: ACTIVATION}),
        text("one row replaced", 408.0, 144.0, 10.5),
        arrow(520.0, 86.0, 586.0, 86.0),
        pill("load", 552.0, 68.0),
        box(645.0, 86.0, 114.0, 60.0, CONVOLUTION, "my_graph", "6 layers", "of our own"),
    ]
    return picture(715, 160, "A copy of the registry", "The copy is changed, the original is not", *parts)


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
