"""The pictures of lesson 1: `python lessons/01_first_tests/figures.py` writes them into figures/."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import INK, Swatch, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text

FIGURES = Path(__file__).with_name("figures")
INPUT, CONVOLUTION, ACTIVATION, LINEAR = (swatch_of(t) for t in ("pnnx.Input", "nn.Conv2d", "nn.ReLU", "nn.Linear"))
GOOD, BAD = swatch_of("nn.BatchNorm2d"), swatch_of("pnnx.Attribute")
"""Green for what a test catches, red for what slips through."""


def box(x: float, y: float, width: float, height: float, kind: Swatch, *lines: str) -> str:
    """A box around (x, y) with lines of text, the first one bold."""
    parts = [
        element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=6.0, fill=kind.fill,
                stroke=kind.border, stroke_width=1.5)
    ]  # fmt: skip
    first = y - 8.5 * (len(lines) - 1)
    for i, line in enumerate(lines):
        weight = {"font_weight": "bold"} if i == 0 else {}
        parts.append(text(line, x, first + 17 * i, 13.0 if i == 0 else 12.0, kind.text, **weight))
    return "".join(parts)


def arrow(x1: float, y1: float, x2: float, y2: float, **style: object) -> str:
    """A straight arrow, to the right or downwards."""
    across = y1 == y2
    tips = [(x2, y2), (x2 - 7, y2 - 4), (x2 - 7, y2 + 4)] if across else [(x2, y2), (x2 - 4, y2 - 7), (x2 + 4, y2 - 7)]
    line = element("line", x1=x1, y1=y1, x2=x2 - 6 * across, y2=y2 - 6 * (not across), stroke=INK, stroke_width=1.5,
                   **style)  # fmt: skip
    return line + element("polygon", points=" ".join(f"{a:g},{b:g}" for a, b in tips), fill=INK)


def inference() -> Svg:
    """Training with its way back above, inference without below."""
    left, middle, right = 75.0, 240.0, 405.0
    parts = [
        text("Training: once, slowly", 15.0, 18.0, 15.0, font_weight="bold", text_anchor="start"),
        box(left, 66.0, 120.0, 50.0, INPUT, "images", "thousands"),
        arrow(left + 62, 66.0, middle - 62, 66.0),
        box(middle, 66.0, 120.0, 50.0, BAD, "weights", "they change"),
        arrow(middle + 62, 66.0, right - 62, 66.0),
        box(right, 66.0, 120.0, 50.0, LINEAR, "answer", "wrong at first"),
        arrow(right, 92.0, right, 134.0),
        box(right, 161.0, 120.0, 50.0, ACTIVATION, "error", "against labels"),
        element("path", d="M343 161H240V100", fill="none", stroke=INK, stroke_width=1.5, stroke_dasharray="5 4"),
        element("polygon", points="240,93 236,101 244,101", fill=INK),
        text("change the weights", 230.0, 153.0, 12.0, text_anchor="end"),
        text("a little, and again", 230.0, 169.0, 12.0, text_anchor="end"),
        element("line", x1=15.0, y1=210.0, x2=465.0, y2=210.0, stroke=INK, stroke_width=0.8),
        text("Inference: often, fast", 15.0, 234.0, 15.0, font_weight="bold", text_anchor="start"),
        box(left, 282.0, 120.0, 50.0, INPUT, "image", "one"),
        arrow(left + 62, 282.0, middle - 62, 282.0),
        box(middle, 282.0, 120.0, 50.0, GOOD, "weights", "fixed"),
        arrow(middle + 62, 282.0, right - 62, 282.0),
        box(right, 282.0, 120.0, 50.0, LINEAR, "answer", "it is a 4"),
    ]
    return picture(480, 318, "Training and inference", "Training leads back to the weights, inference does not", *parts)


def four_ideas() -> Svg:
    """A graph; one operator opened; its layer; tensors on the lines."""
    column, parts = 85.0, [text("graph", 85.0, 16.0, 15.0, font_weight="bold")]
    rows = [("nn.MaxPool2d", "pool"), ("torch.flatten", "torch.flatten_0"), ("nn.Linear", "classifier"),
            ("pnnx.Output", "output")]  # fmt: skip
    shapes = ["1 x 64 x 2 x 2", "1 x 256", "1 x 10"]
    for i, (kind, name) in enumerate(rows):
        y = 60.0 + 92 * i
        parts.append(box(column, y, 150.0, 46.0, swatch_of(kind), kind, name))
        if i < len(shapes):
            parts += [arrow(column, y + 23, column, y + 69), pill(shapes[i], column, y + 43, 12.0)]
    parts.append(text("on the lines: tensors (here their shapes)", 10.0, 386.0, 13.0, text_anchor="start"))

    for y1, y2 in ((221.0, 37.0), (267.0, 214.0)):
        parts.append(element("line", x1=160.0, y1=y1, x2=205.0, y2=y2, stroke=INK, stroke_dasharray="4 4"))
    parts += [
        text("operator: what the file says", 337.0, 16.0, 14.0, font_weight="bold"),
        element("rect", x=205.0, y=37.0, width=265.0, height=177.0, rx=8.0, fill=LINEAR.fill,
                stroke=LINEAR.border, stroke_width=1.5),
    ]  # fmt: skip
    facts = [("type", "nn.Linear"), ("name", "classifier"), ("parameters", "in_features = 256"),
             ("", "out_features = 10"), ("", "bias = True"), ("weights", "weight 10x256"), ("", "bias 10")]  # fmt: skip
    for i, (label, value) in enumerate(facts):
        y = 56.0 + 23 * i
        if label:
            parts.append(text(label, 218.0, y, 12.5, LINEAR.text, text_anchor="start", font_weight="bold"))
        parts.append(text(value, 312.0, y, 12.5, LINEAR.text, text_anchor="start"))

    parts += [
        arrow(337.0, 215.0, 337.0, 278.0),
        text("layer:", 324.0, 246.0, 14.0, font_weight="bold", text_anchor="end"),
        text("who does it", 350.0, 246.0, 14.0, font_weight="bold", text_anchor="start"),
        box(337.0, 321.0, 200.0, 84.0, LINEAR, "Linear", "takes a tensor,", "multiplies and adds,", "returns a tensor"),
    ]
    return picture(480, 402, "Four ideas", "Graph, operator, layer and tensor in one small network", *parts)


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
