"""The figures of lesson 11: `python lessons/11_speed/figures.py` writes them all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import kuiper
from kuiper.graph import Lifetime, plan_memory
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text

HERE = Path(__file__).parent
DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, GREEN, ORANGE, ROSE, VIOLET = (
    (swatch.fill, swatch.border)
    for swatch in (
        palette.swatch_of(t) for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute", "nn.Linear")
    )
)
CHANNELS = (BLUE, GREEN, ROSE)


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def left(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def cell(x: float, y: float, size: float, fill: str, label: str = "", font: float = 12.0) -> str:
    """A square with a short text."""
    box = element("rect", x=x, y=y, width=size, height=size, fill=fill, stroke=LINE, stroke_width=0.7)
    return box + (text(label, x + size / 2, y + size / 2, font, DARK) if label else "")


def frame(x: float, y: float, width: float, height: float, color: str) -> str:
    """An empty rectangle with a strong line."""
    return element("rect", x=x, y=y, width=width, height=height, fill="none", stroke=color, stroke_width=2.4)


def box(
    label: str, x: float, y: float, width: float, colours: tuple[str, str], font: float = 12.0, *, opened: bool = False
) -> str:
    """A rounded box with a text, centred at (x, y); one that is left open has no fill."""
    fill, border = ("none", INK) if opened else colours
    rect = element("rect", x=x - width / 2, y=y - 14, width=width, height=28.0, rx=5.0, fill=fill, stroke=border)
    return rect + text(label, x, y, font, INK if opened else DARK)


def line(x: float, y: float, to_x: float, to_y: float, minus: bool = False, *, opened: bool = False) -> str:
    """A straight line; dashed where the number is subtracted, faint where its sign is left open."""
    look: dict[str, object] = {"stroke_dasharray": "5 4"} if minus else {}
    look |= {"stroke_opacity": 0.5} if opened else {}
    return element("path", d=f"M{x:g} {y:g}L{to_x:g} {to_y:g}", fill="none", stroke=INK, stroke_width=1.3, **look)


def draw_windows() -> Svg:
    """One window of an image of three channels, and the runs of memory it lies in, in both orders."""
    size, wide, x0 = 26.0, 40.0, 18.0
    marks = [left("a window of 3x3 on three channels", x0, 16, 14.0)]
    for c in range(3):
        x, y = x0 + 147 * c, 34.0
        for i in range(5):
            for j in range(5):
                inside = 1 <= i <= 3 and 1 <= j <= 3
                label = f"{'RGB'[c]}{(i - 1) * 3 + j}" if inside else ""
                marks.append(cell(x + j * size, y + i * size, size, CHANNELS[c][0] if inside else PLAIN, label))
        marks.append(frame(x + size, y + size, 3 * size, 3 * size, CHANNELS[c][1]))
    orders = (
        ("channel after channel (NCHW): nine runs of 3", [(c, p) for c in range(3) for p in range(1, 10)], 3, 216.0),
        ("channel-last (NHWC): three runs of 9", [(c, p) for p in range(1, 10) for c in range(3)], 9, 394.0),
    )
    for title, order, run, y in orders:
        marks.append(left(title, x0, y - 18, 14.0))
        for k, (c, p) in enumerate(order):
            row, column = divmod(k, 9)
            x = x0 + column * wide + 32 * (column // run)
            marks.append(cell(x, y + 46 * row, wide, CHANNELS[c][0], f"{'RGB'[c]}{p}", 14.0))
            if k % run == run - 1:  # above all its cells
                marks.append(frame(x - (run - 1) * wide, y + 46 * row, run * wide, wide, INK))
    marks.append(left("A frame is one run of neighbours in memory.", x0, 546, 14.0))
    description = (
        "A 3x3 window on three channels has 27 numbers, a row of im2col. Stored channel after channel they lie in nine "
        "runs of three numbers, stored channel-last in three runs of nine."
    )
    return picture(460, 562, "im2col: where the numbers of a window lie", description, *marks)


def draw_layouts() -> Svg:
    """A 2x3 image of three channels on the line of memory, in both orders."""
    size, x0 = 36.0, 14.0
    marks = []
    for c in range(3):
        x = x0 + 150 * c
        for i in range(2):
            for j in range(3):
                marks.append(cell(x + j * size, 34 + i * size, size, CHANNELS[c][0], f"{'RGB'[c]}{3 * i + j}", 13.0))
        marks.append(frame(x + size + 2, 36 + size, size - 4, size - 4, INK))
        marks.append(note(("red", "green", "blue")[c], x + 1.5 * size, 18, 13.0))
    tape = 26.0
    orders = (
        ("NCHW: a whole channel, then the next", [(c, p) for c in range(3) for p in range(6)], 158.0),
        ("NHWC: all channels of a pixel, then the next pixel", [(c, p) for p in range(6) for c in range(3)], 232.0),
    )
    for title, order, y in orders:
        marks.append(left(title, x0, y - 16, 13.0))
        for k, (c, p) in enumerate(order):
            marks.append(cell(x0 + k * tape, y, tape, CHANNELS[c][0], f"{'RGB'[c]}{p}"))
            if p == 4:
                marks.append(frame(x0 + k * tape + 1, y + 1, tape - 2, tape - 2, INK))
    marks.append(left("Framed: the three numbers of pixel 4.", x0, 280, 13.0))
    description = (
        "Memory as a line of 18 cells. In NCHW all red numbers come first, then green, then blue, so that the three "
        "numbers of a pixel lie six apart; in NHWC they lie side by side."
    )
    return picture(496, 296, "Two orders in memory", description, *marks)


def draw_winograd() -> Svg:
    """F(2, 3): pixels and weights, their sums, four products, two outputs; the sums in the middle are left open."""
    ys = (64.0, 124.0, 184.0, 244.0)
    d, sums, weights, products, outputs = 28.0, 116.0, 226.0, 322.0, 438.0
    y_outputs = (104.0, 204.0)
    heads = {d: "pixels", sums: "sums", weights: "weights", products: "products", outputs: "outputs"}
    marks = [note(content, x, 22) for x, content in heads.items()]
    pixels = ((0, False), (2, True)), ((1, False), (2, False)), ((1, False), (2, False)), ((1, False), (3, True))
    for k, pair in enumerate(pixels):
        marks += [line(d + 18, ys[i], sums - 34, ys[k], minus, opened=k in (1, 2)) for i, minus in pair]
        marks += [note("x", 163.0, ys[k], 14.0), note("=", 293.0, ys[k], 14.0)]
    used = ((0, 0, False), (1, 0, False), (2, 0, False), (1, 1, False), (2, 1, True), (3, 1, True))
    marks += [line(products + 18, ys[k], outputs - 20, y_outputs[y], minus) for k, y, minus in used]
    inner = ("d0 - d2", "d1 ? d2", "d1 ? d2", "d1 - d3")
    kernels = ("g0", "g0 ? g1 ? g2", "g0 ? g1 ? g2", "g2")
    for k, (pixel, weight) in enumerate(zip(inner, kernels, strict=True)):
        marks.append(box(f"d{k}", d, ys[k], 36, BLUE))
        marks.append(box(pixel, sums, ys[k], 68, BLUE, opened=k in (1, 2)))
        marks.append(box(weight, weights, ys[k], 104, ORANGE, opened=k in (1, 2)))
        marks.append(box(f"m{k + 1}", products, ys[k], 36, VIOLET))
    marks += [box(f"y{k}", outputs, y, 40, GREEN) for k, y in enumerate(y_outputs)]
    marks.append(left("y0 = m1 + m2 + m3", 10, 288))
    marks.append(left("y1 = m2 - m3 - m4", 166, 288))
    marks.append(left("dashed: subtracted", 322, 288))
    marks.append(left("faint: the sign is left open", 10, 310))
    description = (
        "Four products: m1 is d0-d2 times g0, m4 is d1-d3 times g2. m2 and m3 each multiply a sum of d1 and d2 with a "
        "sum of g0, g1 and g2; which sums is left open. y0 is m1 plus m2 plus m3, y1 is m2 minus m3 minus m4."
    )
    return picture(468, 328, "Winograd F(2, 3)", description, *marks)


def draw_roofline() -> Svg:
    """A roof of 100 GFLOP/s and 10 GB/s with four operators under it."""
    x0, x1, y0, y1 = 62.0, 418.0, 330.0, 40.0

    def x(intensity: float) -> float:
        return x0 + (math.log10(intensity) + 2) / 5 * (x1 - x0)

    def y(speed: float) -> float:
        return y0 - (math.log10(speed) + 2) / 4.3 * (y0 - y1)

    grid = {"stroke": INK, "stroke_width": 0.5, "stroke_opacity": 0.4}
    marks = []
    for power in range(-2, 4):
        at = x(10.0**power)
        marks.append(element("line", x1=at, y1=y1, x2=at, y2=y0, **grid))
        marks.append(note(f"{10.0**power:g}", at, y0 + 15, 13.0))
    for speed in (0.01, 0.1, 1, 10, 100):
        marks.append(element("line", x1=x0, y1=y(speed), x2=x1, y2=y(speed), **grid))
        marks.append(note(f"{speed:g}", x0 - 8, y(speed), 13.0, text_anchor="end"))
    roof = f"M{x(0.01):g} {y(0.1):g}L{x(10):g} {y(100):g}L{x1:g} {y(100):g}"
    marks.append(element("path", d=roof, fill="none", stroke=INK, stroke_width=2.6))
    marks.append(note("10 GB/s", x(0.35), y(16), 13.0))
    marks.append(note("100 GFLOP/s", x(100), y(100) - 13, 13.0))
    for intensity, speed, label, colours, beside in (
        (1 / 12, 0.55, "add", ORANGE, 12),
        (16.0, 28.0, "1x1 conv", BLUE, 12),
        (80.0, 62.0, "3x3 conv", GREEN, 12),
        (80.0, 0.02, "3x3 conv, loops", ROSE, -12),
    ):
        marks.append(
            element("circle", cx=x(intensity), cy=y(speed), r=7.0, fill=colours[0], stroke=colours[1], stroke_width=2.0)
        )
        anchor = "start" if beside > 0 else "end"
        marks.append(note(label, x(intensity) + beside, y(speed) + 2, 13.0, text_anchor=anchor))
    marks.append(note("intensity: FLOP per byte", (x0 + x1) / 2, y0 + 38, 13.0))
    marks.append(note("GFLOP/s", 12, (y0 + y1) / 2, 13.0, transform=f"rotate(-90 12 {(y0 + y1) / 2:g})"))
    description = (
        "Both axes logarithmic. The roof rises along 10 GB/s up to 10 FLOP/byte and is flat at 100 GFLOP/s beyond. An "
        "addition, 1/12 FLOP/byte, lies under the slope; a 1x1 convolution of 64 channels under the beginning of the "
        "flat part, a good 3x3 convolution further right and just under it; the same convolution by loops reaches "
        "0.02 GFLOP/s, thousands of times less."
    )
    return picture(440, 380, "A roofline", description, *marks)


DIGITS = HERE.parents[1] / "models" / "digits" / "digits.pnnx.param"
STARTS = {
    "pnnx_input_0": "the image",
    "pnnx_expr_5": "divides by 16",
    "convbn2d_0": "3x3, 1 to 32 channels",
    "relu": "",
    "convbn2d_1": "3x3, 32 to 32 channels",
    "block1.relu1": "",
    "convbn2d_2": "3x3, 32 to 32 channels",
    "pnnx_expr_3": "adds operands 6 and 3",
    "block1.relu2": "",
}
"""The first operators of the digits network, and a word on each."""


def draw_start() -> Svg:
    """The beginning of the digits network, up to the end of its first block, with its operands."""
    graph = kuiper.load(DIGITS)
    operators = graph.operators[: len(STARTS)]
    assert [operator.name for operator in operators] == list(STARTS)
    middle, pitch, wide = 108.0, 54.0, 130.0
    marks, height = [], {}
    for k, operator in enumerate(operators):
        y = 22 + pitch * k
        swatch = palette.swatch_of(operator.type)
        colours = (swatch.fill, swatch.border) if k else (PLAIN, LINE)
        marks.append(box(operator.name, middle, y, wide, colours))
        marks.append(left(STARTS[operator.name], middle + wide / 2 + 12, y, 12.5))
        (operand,) = operator.outputs
        height[operand.name] = y + 27
        marks.append(arrow(f"M{middle:g} {y + 14:g}V{y + pitch - 20:g}", middle, y + pitch - 14, 0, 1))
        shape = "x".join(str(size) for size in operand.shape[1:])
        marks.append(left(f"{operand.name}: {shape}", middle + 10, height[operand.name] - 1, 12.0))
    (skip,) = (k for k, name in enumerate(STARTS) if name == "pnnx_expr_3")
    y, edge = 22 + pitch * skip, middle - wide / 2
    marks.append(arrow(f"M{middle:g} {height['3']:g}H18V{y:g}H{edge - 6:g}", edge, y, 1, 0))
    below = 22 + pitch * len(STARTS)
    marks.append(note(f"{len(graph.operators) - len(STARTS)} more operators", middle, below - 4, 12.5))
    description = (
        "The image is divided by 16 and goes through convbn2d_0 and relu, which give operand 3. It goes two ways: "
        "through the block's convbn2d_1, relu and convbn2d_2, and straight to the addition behind them. relu follows."
    )
    return picture(350, below + 14, "The beginning of the digits network", description, *marks)


def arrow(d: str, x: float, y: float, right: int, down: int) -> str:
    """A line along `d`, and its head with the tip at (x, y)."""
    wing = f"{x - 7 * right - 4 * down:g} {y - 7 * down - 4 * right:g}"
    other = f"{x - 7 * right + 4 * down:g} {y - 7 * down + 4 * right:g}"
    shaft = element("path", d=d, fill="none", stroke=INK, stroke_width=1.5)
    return shaft + element("path", d=f"M{wing}L{x:g} {y:g}L{other}Z", fill=INK)


LIVES = {
    "image": Lifetime(0, 1),
    "conv1": Lifetime(1, 3),
    "conv2": Lifetime(2, 3),
    "add": Lifetime(3, 4),
    "pool": Lifetime(4, 5),
}
SIZES = {"image": 60, "conv1": 80, "conv2": 80, "add": 80, "pool": 20}


def chart(title: str, top: float, offsets: Mapping[str, int], highest: int) -> tuple[list[str], float]:
    """A plan, steps to the right and bytes upwards, and where its byte 0 lies."""
    x0, wide, scale, steps = 48.0, 68.0, 0.75, 6
    floor = top + 26 + highest * scale
    marks = [left(title, x0, top, 14.0, font_weight="bold")]
    thin = {"stroke": INK, "stroke_width": 0.5, "stroke_opacity": 0.4}
    for tick in range(0, highest + 1, 80):
        y = floor - tick * scale
        marks.append(element("line", x1=x0, y1=y, x2=x0 + wide * steps, y2=y, **thin))
        marks.append(note(str(tick), x0 - 6, y, text_anchor="end"))
    for k, (name, life) in enumerate(LIVES.items()):
        fill, border = (BLUE, GREEN, ORANGE, ROSE, VIOLET)[k]
        tall = SIZES[name] * scale
        x, y = x0 + wide * life.first + 1, floor - offsets[name] * scale - tall
        width = wide * (life.last - life.first + 1) - 2
        marks.append(element("rect", x=x, y=y, width=width, height=tall, rx=3.0, fill=fill, stroke=border))
        marks.append(text(name, x + width / 2, y + tall / 2, 12.0 if tall < 20 else 13.0, DARK))
    marks.append(note("step", x0 - 6, floor + 14, text_anchor="end"))
    marks += [note(str(k), x0 + wide * (k + 0.5), floor + 14) for k in range(steps)]
    return marks, floor


def draw_memory() -> Svg:
    """Five values, each in a place of its own, and in one arena."""
    apart, offset = {}, 0
    for name, size in SIZES.items():
        apart[name] = offset
        offset += size
    plan = plan_memory(LIVES, SIZES)
    assert plan.planned_bytes == plan.lower_bound_bytes == 240
    above, _ = chart("a place for each: 320 bytes", 18.0, apart, 320)
    below, floor = chart("places used again: 240 bytes, the bound", 330.0, plan.offsets, 240)
    description = (
        "Above: five values stacked without sharing, 320 bytes. Below: the same five lives in 240 bytes, because "
        "values that never live together share a place. At step 3 three values of 80 bytes are alive: the lower bound."
    )
    return picture(472, floor + 30, "A memory plan before and after", description, *above, *below)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "windows": draw_windows(),
        "layouts": draw_layouts(),
        "winograd": draw_winograd(),
        "roofline": draw_roofline(),
        "start": draw_start(),
        "memory": draw_memory(),
    }


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(HERE / "figures" / f"{name}.svg")
