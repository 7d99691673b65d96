"""The figures of lesson 3. `python lessons/03_pnnx/figures.py` writes them into figures/."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import INK, PILL, PILL_TEXT, SWATCHES, Swatch, swatch_of
from kuiper.show.svg import Svg, element, picture, pill, text, text_width

FOLDER = Path(__file__).with_name("figures")
COLORS = {kind.name: kind for kind in SWATCHES}
BLUE, ROSE, ORANGE = COLORS["convolution"], COLORS["weight"], COLORS["activation"]
GREEN, PURPLE, YELLOW = COLORS["normalization"], COLORS["linear, attention"], COLORS["arithmetic"]
GREY, DARK = COLORS["shape"], COLORS["input, output"]


def box(x: float, y: float, width: float, height: float, kind: Swatch, *lines: str, size: float = 12.0) -> str:
    """A box whose middle is at (x, y), the first of its lines in bold."""
    rect = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=6.0, fill=kind.fill,
                   stroke=kind.border, stroke_width=1.5)  # fmt: skip
    top = y - (len(lines) - 1) * 7.5
    weights = ["bold"] + ["normal"] * len(lines)
    return rect + "".join(
        text(line, x, top + 15 * i, size if i == 0 else 11.5, kind.text, font_weight=weights[i])
        for i, line in enumerate(lines)
    )


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line from one point to another, with a head."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    x, y = x2 - 7 * ux, y2 - 7 * uy
    tip = f"{x2:.1f},{y2:.1f} {x - 4 * uy:.1f},{y + 4 * ux:.1f} {x + 4 * uy:.1f},{y - 4 * ux:.1f}"
    line = element("path", d=f"M{x1:.1f} {y1:.1f}L{x:.1f} {y:.1f}", fill="none", stroke=INK, stroke_width=1.5)
    return line + element("polygon", points=tip, fill=INK)


def label(content: str, x: float, y: float, size: float = 11.0, **attributes: object) -> str:
    """A line of text on the page, beginning at x."""
    return text(content, x, y, size, text_anchor="start", **attributes)


def onnx_pnnx() -> Svg:
    """One line of PyTorch, as ONNX and as PNNX write it, side by side."""
    parts = [text("y = body * gate + shortcut", 232, 16, 15, font_weight="bold")]
    parts += [label("ONNX: a node per step", 4, 50, 13.5, font_weight="bold")]
    parts += [pill(name, x, 82, 13.0) for name, x in (("body", 28), ("gate", 86), ("shortcut", 164))]
    parts += [arrow(28, 95, 50, 129), arrow(86, 95, 66, 129), box(58, 148, 84, 36, YELLOW, "Mul", size=14)]
    parts += [arrow(72, 167, 96, 199), arrow(164, 95, 130, 199), box(112, 218, 84, 36, YELLOW, "Add", size=14)]
    parts += [arrow(112, 237, 112, 260), pill("y", 112, 273, 13.0)]
    parts += [label("PNNX: one operator", 252, 50, 13.5, font_weight="bold")]
    for name, x in (("body", 278), ("gate", 340), ("shortcut", 420)):
        parts += [pill(name, x, 82, 13.0), arrow(x, 95, 356 + (x - 356) * 0.6, 129)]
    parts += [box(356, 154, 208, 48, YELLOW, "pnnx.Expression", "expr=add(mul(@0,@1),@2)", size=14)]
    parts += [arrow(356, 179, 356, 202), pill("y", 356, 215, 13.0)]
    description = "ONNX needs a Mul and an Add node; PNNX keeps the line as one Expression with three inputs."
    return picture(466, 292, "The same arithmetic in ONNX and in PNNX", description, *parts)


TOKENS = (
    (
        ("nn.Linear", BLUE, "type"),
        ("linear", BLUE, "name"),
        ("1", GREY, "inputs"),
        ("1", GREY, "outputs"),
        ("0", GREEN, "reads 0"),
        ("1", GREEN, "writes 1"),
    ),
    (
        ("bias=True", ORANGE, "parameter"),
        ("in_features=32", ORANGE, "parameter"),
        ("out_features=128", ORANGE, "parameter"),
    ),
    (("@bias=(128)f32", ROSE, "attribute"), ("@weight=(128,32)f32", ROSE, "attribute")),
    (("#0=(1,32)f32", YELLOW, "operand 0"), ("#1=(1,128)f32", YELLOW, "operand 1")),
    (("$input=1", PURPLE, "input = operand 1"),),
)
ROWS = (
    "which operator",
    "how it computes: parameters",
    "its weights, in the .bin: attributes",
    "the operands: shapes",
    "in the sigmoid's line: a slot",
)


def one_line() -> Svg:
    """The line of the linear operator, token by token."""
    parts = []
    for row, (tokens, what) in enumerate(zip(TOKENS, ROWS, strict=True)):
        y, x = 40 + 84 * row, 4.0
        parts.append(label(what, 4, y - 26, 13, font_weight="bold"))
        for token, kind, says in tokens:
            width = max(text_width(token, 13) + 10, text_width(says, 12) + 4)
            parts.append(box(x + width / 2, y, width, 28, kind, token, size=13))
            parts.append(text(says, x + width / 2, y + 24, 12))
            x += width + 5
    description = "Type, name, counts, operands; then parameters, attributes (@), shapes (#), a slot's name ($)."
    return picture(390, 410, "One line of the file, token by token", description, *parts)


def relations() -> Svg:
    """The graph of two convolutions; below it, producer and consumers of three operands."""
    names = {
        "pnnx_input_0": ("pnnx.Input", 190, 26),
        "conv1": ("nn.Conv2d", 100, 124),
        "conv2": ("nn.Conv2d", 280, 124),
        "pnnx_expr_0": ("pnnx.Expression", 190, 222),
        "max": ("nn.MaxPool2d", 190, 320),
        "pnnx_output_0": ("pnnx.Output", 190, 418),
    }
    parts = [
        arrow(190, 47, 190, 62),
        *(arrow(190 + dx, 86, 190 + 5 * dx, 103) for dx in (-18, 18)),
        *(arrow(x, 145, x, 160) for x in (100, 280)),
        *(arrow(x, 184, 190 + (x - 190) * 0.4, 201) for x in (100, 280)),
        *(arrow(190, y, 190, y + 15) for y in (243, 341)),
        *(arrow(190, y, 190, y + 17) for y in (282, 380)),
        *(pill(f"operand {i}", x, y, 13.0) for i, x, y in ((0, 190, 74), (1, 100, 172), (2, 280, 172), (3, 190, 270))),
        pill("operand 4", 190, 368, 13.0),
    ]
    for name, (kind, x, y) in names.items():
        parts.append(box(x, y, 150, 42, swatch_of(kind), kind, name, size=13.5))
    rows = (
        ("operand", "producer", "consumers"),
        ("0", "pnnx_input_0", "conv1, conv2"),
        ("2", "conv2", "pnnx_expr_0"),
        ("3", "pnnx_expr_0", "max"),
    )
    parts.append(element("rect", x=8.0, y=456.0, width=364.0, height=106.0, rx=6.0, fill=PILL))
    for i, row in enumerate(rows):
        for x, word in zip((22, 108, 244), row, strict=True):
            weight = "" if i else "bold"
            parts.append(text(word, x, 474 + 24 * i, 13.5, PILL_TEXT, text_anchor="start", font_weight=weight))
    description = "Boxes are operators, pills operands. Operand 0 has one producer and two consumers."
    return picture(380, 568, "Operators, and operands with producer and consumers", description, *parts)


def bin_layout() -> Svg:
    """Entries of digits.pnnx.bin, one below the other, and the directory at the end."""
    rows = (
        (GREY, 20, "header of the first entry"),
        (ROSE, 28, "convbn2d_0.bias: 128 bytes"),
        (GREY, 20, "header"),
        (ROSE, 44, "convbn2d_0.weight: 1,152 bytes"),
        (GREY, 20, "header"),
        (ROSE, 28, "convbn2d_1.bias: 128 bytes"),
        (None, 24, "and so on"),
        (BLUE, 40, "directory: where each entry begins"),
    )
    left, width, y = 8.0, 290.0, 4.0
    parts, headers = [], []
    for kind, height, says in rows:
        if kind is None:
            parts.append(text(says, left + width / 2, y + height / 2, 12.5))
        else:
            parts.append(element("rect", x=left, y=y, width=width, height=height - 3.0, rx=5.0, fill=kind.fill,
                                 stroke=kind.border, stroke_width=1.5))  # fmt: skip
            parts.append(text(says, left + width / 2, y + (height - 3) / 2, 12.5, kind.text))
        if kind is GREY:
            headers.append(y + 9)
        y += height
    start, edge = y - 20, left + width
    for i, end in enumerate(headers):
        reach = edge + 90 - 22 * i
        path = f"M{edge:.0f} {start - 6 * i:.0f}C{reach:.0f} {start:.0f} {reach:.0f} {end:.0f} {edge + 8:.0f} {end:.0f}"
        parts.append(element("path", d=path, fill="none", stroke=INK, stroke_width=1.5))
        points = f"{edge + 1:.0f},{end:.0f} {edge + 9:.0f},{end - 4:.0f} {edge + 9:.0f},{end + 4:.0f}"
        parts.append(element("polygon", points=points, fill=INK))
    description = "Header, bias, header, weight, and so on; the directory at the end points back to every header."
    return picture(400, y + 4, "The bytes of digits.pnnx.bin", description, *parts)


def draw() -> dict[str, Svg]:
    """Every figure by its name."""
    return {
        "onnx_pnnx": onnx_pnnx(),
        "one_line": one_line(),
        "relations": relations(),
        "bin_layout": bin_layout(),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(FOLDER / f"{name}.svg")
