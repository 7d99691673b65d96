"""The pictures of lesson 1: `python lessons/01_first_tests/figures.py` writes them into figures/."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import INK, Swatch, family
from kuiper.show.svg import Svg, element, picture, pill, text

FIGURES = Path(__file__).with_name("figures")
INPUT, CONVOLUTION, ACTIVATION, LINEAR = (family(t) for t in ("pnnx.Input", "nn.Conv2d", "nn.ReLU", "nn.Linear"))
GOOD, BAD = family("nn.BatchNorm2d"), family("pnnx.Attribute")
"""Green for what a test catches, red for what slips through."""


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


def arrow(x1: float, y1: float, x2: float, y2: float, **style: object) -> str:
    """A straight arrow, to the right or downwards."""
    across = y1 == y2
    tips = [(x2, y2), (x2 - 7, y2 - 4), (x2 - 7, y2 + 4)] if across else [(x2, y2), (x2 - 4, y2 - 7), (x2 + 4, y2 - 7)]
    line = element("line", x1=x1, y1=y1, x2=x2 - 6 * across, y2=y2 - 6 * (not across), stroke=INK, stroke_width=1.5,
                   **style)  # fmt: skip
    return line + element("polygon", points=" ".join(f"{a:g},{b:g}" for a, b in tips), fill=INK)


def inference() -> Svg:
    """Training with its way back, inference without."""
    parts = [
        text("Training: once, slowly", 175.0, 18.0, 14.0, font_weight="bold"),
        box(55.0, 75.0, 90.0, 44.0, INPUT, "images", "thousands"),
        arrow(100.0, 75.0, 132.0, 75.0),
        box(180.0, 75.0, 94.0, 44.0, BAD, "weights", "they change"),
        arrow(228.0, 75.0, 260.0, 75.0),
        box(303.0, 75.0, 84.0, 44.0, LINEAR, "answer"),
        arrow(303.0, 98.0, 303.0, 140.0),
        box(303.0, 163.0, 84.0, 44.0, ACTIVATION, "mistake", "vs. label"),
        element("path", d="M260 163H180V106", fill="none", stroke=INK, stroke_width=1.5, stroke_dasharray="5 4"),
        element("polygon", points="180,99 176,106 184,106", fill=INK),
        text("backwards: change", 178.0, 180.0, 11.0),
        text("the weights a little", 178.0, 194.0, 11.0),
        element("line", x1=368.0, y1=10.0, x2=368.0, y2=195.0, stroke=INK, stroke_width=0.8),
        text("Inference: often, fast", 545.0, 18.0, 14.0, font_weight="bold"),
        box(428.0, 75.0, 84.0, 44.0, INPUT, "image", "one"),
        arrow(470.0, 75.0, 498.0, 75.0),
        box(546.0, 75.0, 94.0, 44.0, GOOD, "weights", "fixed"),
        arrow(593.0, 75.0, 621.0, 75.0),
        box(664.0, 75.0, 84.0, 44.0, LINEAR, "answer", "it is a 4"),
        box(546.0, 163.0, 172.0, 44.0, CONVOLUTION, "model file", "read once, at the start"),
        element("line", x1=546.0, y1=141.0, x2=546.0, y2=106.0, stroke=INK, stroke_width=1.5),
        element("polygon", points="546,99 542,106 550,106", fill=INK),
    ]
    return picture(720, 205, "Training and inference", "Training leads back to the weights, inference does not", *parts)


def four_ideas() -> Svg:
    """A graph; one operator opened; its layer; tensors on the lines."""
    column, parts = 90.0, [text("graph", 90.0, 16.0, 14.0, font_weight="bold")]
    rows = [("nn.MaxPool2d", "pool"), ("torch.flatten", "torch.flatten_0"), ("nn.Linear", "classifier"),
            ("pnnx.Output", "output")]  # fmt: skip
    shapes = ["1 x 64 x 2 x 2", "1 x 256", "1 x 10"]
    for i, (kind, name) in enumerate(rows):
        y = 54.0 + 86 * i
        parts.append(box(column, y, 130.0, 40.0, family(kind), kind, name))
        if i < len(shapes):
            parts += [arrow(column, y + 20, column, y + 66), pill(shapes[i], column, y + 40)]
    parts.append(text("tensors: the numbers on the lines", 25.0, 350.0, 11.0, text_anchor="start"))

    for y1, y2 in ((206.0, 44.0), (246.0, 262.0)):
        parts.append(element("line", x1=155.0, y1=y1, x2=235.0, y2=y2, stroke=INK, stroke_dasharray="4 4"))
    parts += [
        text("operator: what the file says", 345.0, 16.0, 14.0, font_weight="bold"),
        element("rect", x=235.0, y=36.0, width=220.0, height=234.0, rx=8.0, fill=LINEAR.fill,
                stroke=LINEAR.border, stroke_width=1.5),
    ]  # fmt: skip
    facts = [("type", "nn.Linear"), ("name", "classifier"), ("parameters", "in_features = 256"),
             ("", "out_features = 10"), ("", "bias = True"), ("weights", "weight 10x256"), ("", "bias 10")]  # fmt: skip
    for i, (label, value) in enumerate(facts):
        y = 60.0 + 31 * i
        parts.append(text(label, 248.0, y, 11.0, LINEAR.text, text_anchor="start", font_weight="bold"))
        parts.append(text(value, 328.0, y, 10.5, LINEAR.text, text_anchor="start"))

    parts += [
        text("layer: who computes it", 605.0, 16.0, 14.0, font_weight="bold"),
        arrow(455.0, 152.0, 510.0, 152.0),
        box(605.0, 152.0, 186.0, 96.0, LINEAR, "Linear", "forward(x):", "multiply, add,", "give the result back"),
        text("tensor in", 605.0, 70.0, 11.0),
        arrow(605.0, 78.0, 605.0, 102.0),
        text("tensor out", 605.0, 236.0, 11.0),
        arrow(605.0, 202.0, 605.0, 228.0),
    ]
    return picture(720, 362, "Four ideas", "Graph, operator, layer and tensor in one small network", *parts)


def grid(x: float, y: float, values: list[list[int]], marked: set[tuple[int, int]], kind: Swatch) -> str:
    """Numbers in cells of 38 x 30 with the top left at (x, y); the marked ones are coloured."""
    parts = []
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            on = (i, j) in marked
            parts.append(
                element("rect", x=x + 38 * j, y=y + 30 * i, width=38.0, height=30.0, fill=kind.fill if on else "none",
                        stroke=INK, stroke_width=1.0)
            )  # fmt: skip
            weight = {"font_weight": "bold"} if on else {}
            parts.append(text(str(value), x + 38 * j + 19, y + 30 * i + 15, 13.0, kind.text if on else INK, **weight))
    return "".join(parts)


def matrix_product() -> Svg:
    """Row 0 times column 1 of A @ A."""
    a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    product = [[sum(a[i][k] * a[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    parts = [
        text("w: row 0", 77.0, 16.0, 12.0),
        grid(20.0, 30.0, a, {(0, 0), (0, 1), (0, 2)}, CONVOLUTION),
        text("@", 160.0, 75.0, 20.0),
        text("x: column 1", 243.0, 16.0, 12.0),
        grid(186.0, 30.0, a, {(0, 1), (1, 1), (2, 1)}, ACTIVATION),
        text("=", 326.0, 75.0, 20.0),
        text("y: row 0, column 1", 409.0, 16.0, 12.0),
        grid(352.0, 30.0, product, {(0, 1)}, GOOD),
        text("1·2 + 2·5 + 3·8 = 2 + 10 + 24 = 36", 243.0, 145.0, 13.0),
    ]
    return picture(486, 162, "One number of a matrix product", "Row 1 2 3 times column 2 5 8 is 36", *parts)


MISTAKES = ("x @ w + b", "w * x + b", "w.T @ x + b", "w @ x", "w @ x + w", "w @ x + b.T")
TESTS = (("all zeros", "000000"), ("w equals x", "011111"), ("w equals b", "111101"), ("all differ", "111111"))
"""Each test with one digit per mistake, 1 where it catches it; the notebook computes the same."""


def tests() -> Svg:
    """Which test catches which mistake: a row for each mistake, a column for each test."""
    parts = []
    for j, (test, _) in enumerate(TESTS):
        parts.append(text(test, 166.0 + 92 * j, 22.0, 13.0, font_weight="bold"))
    for i, mistake in enumerate(MISTAKES):
        y = 58.0 + 38 * i
        parts.append(text(mistake, 58.0, y, 13.0))
        for j, (_, caught) in enumerate(TESTS):
            good = caught[i] == "1"
            parts.append(box(166.0 + 92 * j, y, 86.0, 30.0, GOOD if good else BAD, "caught" if good else "slips by"))
    return picture(494, 272, "What four tests catch", "Zeros catch nothing, w equal to x misses x @ w", *parts)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "inference": inference(),
        "four_ideas": four_ideas(),
        "matrix_product": matrix_product(),
        "tests": tests(),
    }


if __name__ == "__main__":
    FIGURES.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(FIGURES / f"{name}.svg")
