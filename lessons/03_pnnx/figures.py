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
        text(line, x, top + 15 * i, size if i == 0 else 10.5, kind.text, font_weight=weights[i])
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
    (("$input=1", PURPLE, "slot input = operand 1"),),
)
ROWS = ("which operator", "how it computes", "its weights, in the .bin", "what flows", "(in the sigmoid's line)")


def one_line() -> Svg:
    """The line of the linear operator, token by token."""
    parts = []
    for row, (tokens, what) in enumerate(zip(TOKENS, ROWS, strict=True)):
        y, x = 24 + 62 * row, 196.0
        parts.append(label(what, 8, y, 12, font_weight="bold"))
        for token, kind, says in tokens:
            width = max(text_width(token, 12.5) + 16, text_width(says, 10.5) + 6)
            parts.append(box(x + width / 2, y, width, 26, kind, token, size=12.5))
            parts.append(text(says, x + width / 2, y + 23, 10.5))
            x += width + 8
    description = "Type, name, counts, operands; then parameters, attributes (@), a slot's name ($), shapes (#)."
    return picture(640, 310, "One line of the file, token by token", description, *parts)


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
    """The bytes of the .bin file of the linear model."""
    spans = (
        (92, GREY, "header", "73 bytes"),
        (110, ROSE, "linear.bias", "512 bytes"),
        (92, GREY, "header", "75 bytes"),
        (180, ROSE, "linear.weight", "16,384 bytes"),
        (120, BLUE, "directory", "where each lies"),
        (50, GREY, "end", ""),
    )
    starts = ("0", "73", "585", "660", "17,044", "")
    x, parts = 12.0, [label("byte", 12, 14, 10.5)]
    edges = []
    for (width, kind, name, size), start in zip(spans, starts, strict=True):
        parts.append(box(x + width / 2, 62, width - 3, 50, kind, *filter(None, (name, size)), size=11.5))
        if start:
            parts.append(text(start, max(x, 18), 29, 10.5))
        edges.append(x)
        x += width
    for target in (edges[0], edges[2]):
        start, end = edges[4] + 60, target + 24
        path = f"M{start:.1f} 88C{start:.1f} 132 {end:.1f} 132 {end:.1f} 96"
        parts.append(element("path", d=path, fill="none", stroke=INK, stroke_width=1.5))
        parts.append(element("polygon", points=f"{end:.1f},88 {end - 4:.1f},96 {end + 4:.1f},96", fill=INK))
    parts.append(text("a reader starts at the end, finds the directory, and from there every entry", 330, 140, 11.5))
    description = "Header, bias, header, weight, directory, end; the directory points back to the two headers."
    return picture(668, 154, "The bytes of the .bin file", description, *parts)


STRUCTURES = (
    ("Operator", "type, name, inputs, outputs, params, attributes", "layer", "build(): what computes", BLUE),
    ("Operand", "name, shape, dtype, producer, consumers", "data", "forward(): the array of a run", YELLOW),
    ("Attribute", "dtype, shape, bytes in the file", "data", "the bytes as an array", ROSE),
    ("Parameter", "kind, value", "init_graph_params", "init(): what the layer will see", ORANGE),
)


def one_graph() -> Svg:
    """What the reader puts into each structure, and what is added to it until the network runs."""
    parts = [
        text("what is read", 176, 16, 12.5, font_weight="bold"),
        text("what is added", 520, 16, 12.5, font_weight="bold"),
    ]
    for row, (name, holds, added, says, kind) in enumerate(STRUCTURES):
        y = 56 + 62 * row
        parts += [box(176, y, 330, 46, kind, name, holds), box(520, y, 240, 46, kind, added, says)]
        parts.append(arrow(346, y, 396, y) if name == "Parameter" else text("+", 371, y, 16, font_weight="bold"))
    parts.append(text("you", 371, 56 + 62 * 3 - 12, 11, font_weight="bold"))
    description = "The operators that are read get layers, the operands data; options pass through init_graph_params."
    return picture(652, 274, "Four structures, from the file to the run", description, *parts)


FIELDS = (
    ("b", "True"), ("i", "32767"), ("f", "1.5"), ("s", '"junk"'), ("ai", "[3, 3]"), ("af", "[0.5]"), ("as", '["x"]'),
)  # fmt: skip


def struct() -> Svg:
    """The struct of a parameter: the type says which field counts."""
    quiet = Swatch("", PILL, INK, PILL_TEXT)
    parts = [label("kernel_size=(3,3)", 12, 18, 13, font_weight="bold"), box(56, 78, 84, 52, ORANGE, "type", "5")]
    for i, (name, value) in enumerate(FIELDS, 1):
        x = 74 + 76 * i
        parts += [box(x, 78, 70, 52, ORANGE if i == 5 else quiet, name, value), text(str(i), x, 117, 11)]
    parts.append(text("type", 56, 117, 11))
    parts.append(
        element("path", d="M56 50C56 22 454 22 454 44", fill="none", stroke=INK, stroke_width=1.5)
        + element("polygon", points="454,51 450,43 458,43", fill=INK)
    )
    parts.append(text("type 5: field ai holds the value; the others hold whatever lay there", 330, 144, 11.5))
    description = "Eight fields: type is 5, so ai = [3, 3] is the value; b, i, f, s, af and as hold junk."
    return picture(660, 158, "A parameter as PNNX's reader stores it", description, *parts)


def draw() -> dict[str, Svg]:
    """Every figure by its name."""
    return {
        "onnx_pnnx": onnx_pnnx(),
        "one_line": one_line(),
        "relations": relations(),
        "bin_layout": bin_layout(),
        "one_graph": one_graph(),
        "struct": struct(),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(FOLDER / f"{name}.svg")
