"""The figures of lesson 3. `python lessons/03_pnnx/figures.py` writes them into figures/."""

from __future__ import annotations

from pathlib import Path

from kuiper.show.palette import FAMILIES, INK, PILL, PILL_TEXT, Swatch, family
from kuiper.show.svg import Svg, element, picture, pill, text, text_width

FOLDER = Path(__file__).with_name("figures")
COLORS = {kind.name: kind for kind in FAMILIES}
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
    """One line of PyTorch, as ONNX and as PNNX write it."""
    parts = [text("y = body * gate + shortcut", 320, 18, 14, font_weight="bold")]
    parts += [text("ONNX: one node per step", 160, 52, 12), text("PNNX: one operator", 480, 52, 12)]
    for x, name in ((70, "body"), (170, "gate"), (270, "shortcut")):
        parts.append(pill(name, x, 82))
    parts += [arrow(70, 92, 108, 121), arrow(170, 92, 132, 121), box(120, 140, 100, 36, YELLOW, "Mul")]
    parts += [arrow(120, 159, 185, 195), arrow(270, 92, 215, 195), box(200, 215, 100, 36, YELLOW, "Add")]
    parts += [arrow(200, 234, 200, 262), pill("y", 200, 272)]
    for x, name in ((390, "body"), (480, "gate"), (570, "shortcut")):
        parts += [pill(name, x, 82), arrow(x, 92, 480 + (x - 480) * 0.6, 149)]
    parts += [box(480, 172, 230, 44, YELLOW, "pnnx.Expression", "expr=add(mul(@0,@1),@2)")]
    parts += [arrow(480, 195, 480, 262), pill("y", 480, 272)]
    description = "ONNX needs a Mul and an Add node; PNNX keeps the line as one Expression with three inputs."
    return picture(640, 290, "The same arithmetic in ONNX and in PNNX", description, *parts)


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
            width = max(text_width(token, 13) + 14, text_width(says, 12) + 4)
            parts.append(box(x + width / 2, y, width, 28, kind, token, size=13))
            parts.append(text(says, x + width / 2, y + 24, 12))
            x += width + 6
    description = "Type, name, counts, operands; then parameters, attributes (@), shapes (#), a slot's name ($)."
    return picture(408, 410, "One line of the file, token by token", description, *parts)


def relations() -> Svg:
    """The graph of two convolutions, with producer and consumers of two operands."""
    names = {
        "pnnx_input_0": ("pnnx.Input", 150, 26),
        "conv1": ("nn.Conv2d", 75, 124),
        "conv2": ("nn.Conv2d", 225, 124),
        "pnnx_expr_0": ("pnnx.Expression", 150, 222),
        "max": ("nn.MaxPool2d", 150, 320),
        "pnnx_output_0": ("pnnx.Output", 150, 414),
    }
    parts = [
        arrow(150, 46, 150, 64),
        *(arrow(150 + dx, 84, 150 + 5 * dx, 103) for dx in (-15, 15)),
        *(arrow(x, 144, x, 162) for x in (75, 225)),
        *(arrow(x, 182, 150 + (x - 150) * 0.4, 201) for x in (75, 225)),
        *(arrow(150, y, 150, y + 18) for y in (242, 280, 340)),
        arrow(150, 377, 150, 393),
        *(pill(f"operand {i}", x, y) for i, x, y in ((0, 150, 74), (1, 75, 172), (2, 225, 172), (3, 150, 270))),
        pill("operand 4", 150, 367),
    ]
    for name, (kind, x, y) in names.items():
        parts.append(box(x, y, 134, 40, family(kind), kind, name))
    notes = (
        (74, "operand 0", "producer   pnnx_input_0", "consumers  conv1, conv2"),
        (172, "operand 2", "producer   conv2", "consumers  pnnx_expr_0"),
        (270, "operand 3", "producer   pnnx_expr_0", "consumers  max"),
    )
    for y, *lines in notes:
        parts.append(element("rect", x=330.0, y=y - 32.0, width=240.0, height=64.0, rx=6.0, fill=PILL))
        parts += [
            text(line, 346, y - 18 + 18 * i, 12, PILL_TEXT, text_anchor="start", font_weight="bold" if not i else "")
            for i, line in enumerate(lines)
        ]
    description = "Boxes are operators, pills operands. Operand 0 has one producer and two consumers."
    return picture(590, 440, "Operators, and operands with producer and consumers", description, *parts)


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


STRUCTURES = (
    ("Operator", ("type, name, params,", "inputs, outputs, attributes"), "layer", "build(): computes", BLUE),
    ("Operand", ("name, shape, dtype,", "producer, consumers"), "data", "forward(): an array", YELLOW),
    ("Attribute", ("shape, dtype,", "bytes in the file"), "data", "the bytes as an array", ROSE),
)


def one_graph() -> Svg:
    """What the reader puts into each structure, and what is added to it until the network runs."""
    parts = [
        text("what is read", 112, 14, 13, font_weight="bold"),
        text("what is added", 325, 14, 13, font_weight="bold"),
    ]
    for row, (name, holds, added, says, kind) in enumerate(STRUCTURES):
        y = 64 + 84 * row
        parts += [box(112, y, 200, 66, kind, name, *holds, size=13), box(325, y, 160, 50, kind, added, says, size=13)]
        parts.append(text("+", 229, y, 18, font_weight="bold"))
    description = "The operators that are read get layers, operands and attributes get data."
    return picture(412, 272, "Three structures, from the file to the run", description, *parts)


def draw() -> dict[str, Svg]:
    """Every figure by its name."""
    return {
        "onnx_pnnx": onnx_pnnx(),
        "one_line": one_line(),
        "relations": relations(),
        "bin_layout": bin_layout(),
        "one_graph": one_graph(),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(FOLDER / f"{name}.svg")
