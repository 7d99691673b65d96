"""The figures of lesson 11: `python lessons/11_speed/figures.py` writes them all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from kuiper.graph import Lifetime, plan_memory
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text

HERE = Path(__file__).parent
DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, GREEN, ORANGE, ROSE, VIOLET = (
    (family.fill, family.border)
    for family in (palette.family(t) for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute", "nn.Linear"))
)
CHANNELS = (BLUE, GREEN, ROSE)


def note(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def left(content: str, x: float, y: float, size: float = 12.0, **more: object) -> str:
    """A line of text on the page that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def cell(x: float, y: float, size: float, fill: str, label: str = "", font: float = 9.5, **more: object) -> str:
    """A square with a short text."""
    look = {"stroke": LINE, "stroke_width": 0.7, **more}
    box = element("rect", x=x, y=y, width=size, height=size, fill=fill, **look)
    return box + (text(label, x + size / 2, y + size / 2, font, DARK) if label else "")


def frame(x: float, y: float, width: float, height: float, color: str) -> str:
    """An empty rectangle with a strong line."""
    return element("rect", x=x, y=y, width=width, height=height, fill="none", stroke=color, stroke_width=2.4)


def box(label: str, x: float, y: float, width: float, family: tuple[str, str], font: float = 12.0) -> str:
    """A rounded box with a text, centred at (x, y)."""
    fill, border = family
    rect = element("rect", x=x - width / 2, y=y - 14, width=width, height=28.0, rx=5.0, fill=fill, stroke=border)
    return rect + text(label, x, y, font, DARK)


def line(x: float, y: float, to_x: float, to_y: float, minus: bool = False) -> str:
    """A straight line; dashed where the number is subtracted."""
    look = {"stroke_dasharray": "5 4"} if minus else {}
    return element("path", d=f"M{x:g} {y:g}L{to_x:g} {to_y:g}", fill="none", stroke=INK, stroke_width=1.3, **look)


def draw_windows() -> Svg:
    """One window of an image of three channels, and the row that im2col makes of it, in both orders of memory."""
    size, top = 22.0, 46.0
    marks = [note("three channels, 5x5", 16 + 2.5 * size + 44, 20)]
    for c in (2, 1, 0):
        x, y = 16 + 44 * c, top + 24 * c
        for i in range(5):
            for j in range(5):
                inside = 1 <= i <= 3 and 1 <= j <= 3
                label = f"{'RGB'[c]}{(i - 1) * 3 + j}" if inside and c == 0 else ""
                marks.append(cell(x + j * size, y + i * size, size, CHANNELS[c][0] if inside else PLAIN, label, 9.0))
        marks.append(frame(x + size, y + size, 3 * size, 3 * size, CHANNELS[c][1]))
    rows = (
        ("channel after channel (NCHW): nine runs of 3", [(c, p) for c in range(3) for p in range(1, 10)], 3, 58.0),
        ("channel-last (NHWC): three runs of 9", [(c, p) for p in range(1, 10) for c in range(3)], 9, 148.0),
    )
    small, x0 = 17.0, 250.0
    for title, order, run, y in rows:
        marks.append(left(title, x0, y - 16))
        for k, (c, p) in enumerate(order):
            marks.append(cell(x0 + k * small, y, small, CHANNELS[c][0], f"{'RGB'[c]}{p}", 8.0))
        for k in range(0, 27, run):
            marks.append(frame(x0 + k * small + 1, y + 1, run * small - 2, small - 2, INK))
    marks.append(left("Each frame is one run of neighbours in memory, copied at once.", x0, 200))
    description = (
        "A 3x3 window on three channels has 27 numbers, a row of im2col. Stored channel after channel they lie in nine "
        "runs of three numbers, stored channel-last in three runs of nine."
    )
    return picture(716, 222, "im2col: one window becomes one row", description, *marks)


def draw_layouts() -> Svg:
    """A 2x3 image of three channels on the line of memory, in both orders."""
    size, x0 = 30.0, 16.0
    marks = []
    for k, c in enumerate((0, 1, 2)):
        x = x0 + 130 * k
        for i in range(2):
            for j in range(3):
                marks.append(cell(x + j * size, 34 + i * size, size, CHANNELS[c][0], f"{'RGB'[c]}{3 * i + j}", 11.0))
        marks.append(note(("red", "green", "blue")[k], x + 1.5 * size, 18))
    marks.append(left("the image: 3 channels, 2 x 3 pixels", x0 + 390, 64))
    tape = 38.0
    orders = (
        ("NCHW: a whole channel, then the next", [(c, p) for c in range(3) for p in range(6)], 134.0),
        ("NHWC: all channels of a pixel, then the next pixel", [(c, p) for p in range(6) for c in range(3)], 214.0),
    )
    for title, order, y in orders:
        marks.append(left(title, x0, y - 16))
        for k, (c, p) in enumerate(order):
            marks.append(cell(x0 + k * tape, y, tape, CHANNELS[c][0], f"{'RGB'[c]}{p}", 11.0))
            if p == 4:
                marks.append(frame(x0 + k * tape + 2, y + 2, tape - 4, tape - 4, INK))
    marks.append(left("Framed: pixel 4. Its three numbers lie 6 places apart, or side by side.", x0, 278))
    description = (
        "Memory as a line of 18 cells. In NCHW all red numbers come first, then green, then blue, so that the three "
        "numbers of a pixel lie six apart; in NHWC they lie side by side."
    )
    return picture(716, 298, "Two orders in memory", description, *marks)


def draw_winograd() -> Svg:
    """F(2, 3): pixels and weights, their sums, four products, two outputs."""
    ys = (64.0, 124.0, 184.0, 244.0)
    d, sums, weights, products, outputs = 40.0, 166.0, 322.0, 470.0, 640.0
    y_outputs = (104.0, 204.0)
    heads = {d: "pixels", sums: "sums", weights: "weights, made once", products: "products", outputs: "outputs"}
    marks = [note(content, x, 22) for x, content in heads.items()]
    pixels = ((0, False), (2, True)), ((1, False), (2, False)), ((2, False), (1, True)), ((1, False), (3, True))
    for k, pair in enumerate(pixels):
        marks += [line(d + 22, ys[i], sums - 38, ys[k], minus) for i, minus in pair]
        marks += [note("x", (sums + 38 + weights - 76) / 2, ys[k], 14.0), note("=", 424.0, ys[k], 14.0)]
    used = ((0, 0, False), (1, 0, False), (2, 0, False), (1, 1, False), (2, 1, True), (3, 1, True))
    marks += [line(products + 22, ys[k], outputs - 24, y_outputs[y], minus) for k, y, minus in used]
    inner = ("d0 - d2", "d1 + d2", "d2 - d1", "d1 - d3")
    kernels = ("g0", "(g0 + g1 + g2) / 2", "(g0 - g1 + g2) / 2", "g2")
    for k, (pixel, weight) in enumerate(zip(inner, kernels, strict=True)):
        marks.append(box(f"d{k}", d, ys[k], 44, BLUE))
        marks.append(box(pixel, sums, ys[k], 76, BLUE))
        marks.append(box(weight, weights, ys[k], 152, ORANGE, 11.0))
        marks.append(box(f"m{k + 1}", products, ys[k], 44, VIOLET))
    marks += [box(f"y{k}", outputs, y, 48, GREEN) for k, y in enumerate(y_outputs)]
    marks.append(left("y0 = m1 + m2 + m3", 16, 286))
    marks.append(left("y1 = m2 - m3 - m4", 216, 286))
    marks.append(left("dashed: subtracted", 416, 286))
    description = (
        "Four pixels d0 to d3 give d0-d2, d1+d2, d2-d1, d1-d3. Each is multiplied once, with g0, (g0+g1+g2)/2, "
        "(g0-g1+g2)/2, g2. y0 is the sum of the first three products, y1 the second minus the third minus the fourth."
    )
    return picture(690, 304, "Winograd F(2, 3)", description, *marks)


def draw_roofline() -> Svg:
    """A roof of 100 GFLOP/s and 10 GB/s with four operators under it."""
    x0, x1, y0, y1 = 58.0, 410.0, 300.0, 34.0

    def x(intensity: float) -> float:
        return x0 + (math.log10(intensity) + 2) / 5 * (x1 - x0)

    def y(speed: float) -> float:
        return y0 - (math.log10(speed) + 1) / 3.4 * (y0 - y1)

    grid = {"stroke": INK, "stroke_width": 0.5, "stroke_opacity": 0.4}
    marks = []
    for power in range(-2, 4):
        at = x(10.0**power)
        marks.append(element("line", x1=at, y1=y1, x2=at, y2=y0, **grid))
        marks.append(note(f"{10.0**power:g}", at, y0 + 15, 13.0))
    for speed in (0.1, 1, 10, 100):
        marks.append(element("line", x1=x0, y1=y(speed), x2=x1, y2=y(speed), **grid))
        marks.append(note(f"{speed:g}", x0 - 8, y(speed), 13.0, text_anchor="end"))
    roof = f"M{x(0.01):g} {y(0.1):g}L{x(10):g} {y(100):g}L{x1:g} {y(100):g}"
    marks.append(element("path", d=roof, fill="none", stroke=INK, stroke_width=2.6))
    marks.append(note("10 GB/s", x(0.35), y(13), 13.0))
    marks.append(note("100 GFLOP/s", x(100), y(100) - 13, 13.0))
    for intensity, speed, label, family, beside in (
        (1 / 12, 0.55, "add", ORANGE, 12),
        (5.0, 30.0, "1x1 conv", BLUE, 12),
        (80.0, 62.0, "3x3 conv", GREEN, -12),
        (80.0, 1.0, "3x3, loops", ROSE, -12),
    ):
        marks.append(
            element("circle", cx=x(intensity), cy=y(speed), r=7.0, fill=family[0], stroke=family[1], stroke_width=2.0)
        )
        anchor = "start" if beside > 0 else "end"
        marks.append(note(label, x(intensity) + beside, y(speed) + 2, 13.0, text_anchor=anchor))
    marks.append(note("intensity: FLOP per byte", (x0 + x1) / 2, y0 + 38, 13.0))
    marks.append(note("GFLOP/s", 14, (y0 + y1) / 2, 13.0, transform=f"rotate(-90 14 {(y0 + y1) / 2:g})"))
    description = (
        "Both axes logarithmic. The roof rises along 10 GB/s up to 10 FLOP/byte and is flat at 100 GFLOP/s beyond. An "
        "addition, 1/12 FLOP/byte, lies under the slope, a good 3x3 convolution just under the flat, loops far below."
    )
    return picture(424, 350, "A roofline", description, *marks)


LIVES = {
    "image": Lifetime(0, 1),
    "conv1": Lifetime(1, 3),
    "conv2": Lifetime(2, 3),
    "add": Lifetime(3, 4),
    "pool": Lifetime(4, 5),
}
SIZES = {"image": 60, "conv1": 80, "conv2": 80, "add": 80, "pool": 20}


def chart(
    title: str, x0: float, offsets: Mapping[str, int], steps: Sequence[str], scale: float, floor: float, top: int
) -> list[str]:
    """A plan: steps to the right, bytes upwards."""
    wide = 46.0
    marks = [note(title, x0 + wide * len(steps) / 2, 18, 12.5, font_weight="bold")]
    for tick in range(0, top + 1, 80):
        y = floor - tick * scale
        marks.append(
            element(
                "line", x1=x0, y1=y, x2=x0 + wide * len(steps), y2=y, stroke=INK, stroke_width=0.5, stroke_opacity=0.4
            )
        )
        marks.append(note(str(tick), x0 - 6, y, 10.5, text_anchor="end"))
    for k, (name, life) in enumerate(LIVES.items()):
        fill, border = (BLUE, GREEN, ORANGE, ROSE, VIOLET)[k]
        tall = SIZES[name] * scale
        x, y = x0 + wide * life.first + 1, floor - offsets[name] * scale - tall
        width = wide * (life.last - life.first + 1) - 2
        marks.append(element("rect", x=x, y=y, width=width, height=tall, rx=3.0, fill=fill, stroke=border))
        marks.append(text(name, x + width / 2, y + tall / 2, 11.0, DARK))
    marks += [note(step, x0 + wide * (k + 0.5), floor + 12, 11.0) for k, step in enumerate(steps)]
    return marks


def draw_memory() -> Svg:
    """Five values, each in a place of its own, and in one arena."""
    apart, offset = {}, 0
    for name, size in SIZES.items():
        apart[name] = offset
        offset += size
    plan = plan_memory(LIVES, SIZES)
    assert plan.planned_bytes == plan.lower_bound_bytes == 240
    scale, floor = 0.78, 280.0
    steps = ["0", "1", "2", "3", "4", "5"]
    marks = chart("a place for each: 320 bytes", 52.0, apart, steps, scale, floor, 320)
    marks += chart("places used again: 240 bytes", 408.0, plan.offsets, steps, scale, floor, 320)
    y = floor - 240 * scale
    bound = {"stroke": ORANGE[1], "stroke_width": 1.8, "stroke_dasharray": "6 4"}
    marks.append(element("line", x1=408.0, y1=y, x2=684.0, y2=y, **bound))
    marks.append(note("the bound: 240 are alive at step 3", 546.0, y - 12, 11.0))
    description = (
        "Left: five values stacked without sharing, 320 bytes. Right: the same five lives in 240 bytes, because values "
        "that never live together share a place. At step 3 three values of 80 bytes are alive: that is the lower bound."
    )
    return picture(716, 306, "A memory plan before and after", description, *marks)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "windows": draw_windows(),
        "layouts": draw_layouts(),
        "winograd": draw_winograd(),
        "roofline": draw_roofline(),
        "memory": draw_memory(),
    }


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(HERE / "figures" / f"{name}.svg")
