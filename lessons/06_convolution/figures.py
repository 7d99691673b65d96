"""The figures of lesson 6: `python lessons/06_convolution/figures.py` writes them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.pooling import AvgPool2d, MaxPool2d
from kuiper.layers.image.windows import im2col, windows
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text

HERE = Path(__file__).parent
HELD_OUT = HERE.parents[1] / "models" / "digits" / "heldout.npz"
DARK, PLAIN = "#1d2530", "#f6f4ef"
BLUE, GREEN, ORANGE, ROSE = (
    (swatch.fill, swatch.border)
    for swatch in (palette.swatch_of(t) for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute"))
)
IMAGE = np.arange(1.0, 17.0).reshape(4, 4)
KERNEL = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])

Fill = Callable[[int, int], str]


def grid(values: Any, x: float, y: float, cell: float, fill: Fill, size: float = 13.0) -> str:
    """(H, W) -> a table of coloured cells with their numbers; (x, y) is its upper left corner."""
    marks = []
    for (i, j), value in np.ndenumerate(np.asarray(values)):
        ground = fill(i, j)
        ink = palette.text_on(np.frombuffer(bytes.fromhex(ground[1:]), np.uint8))
        left, top = x + j * cell, y + i * cell
        marks.append(
            element("rect", x=left, y=top, width=cell, height=cell, fill=ground, stroke="#8794a3", stroke_width=0.7)
        )
        marks.append(
            text(f"{value:g}" if not isinstance(value, str) else value, left + cell / 2, top + cell / 2, size, ink)
        )
    return "".join(marks)


def frame(x: float, y: float, width: float, height: float, color: str, **more: Any) -> str:
    """An empty rectangle with a strong line."""
    return element("rect", x=x, y=y, width=width, height=height, fill="none", stroke=color, stroke_width=2.6, **more)


def note(content: str, x: float, y: float, size: float = 12.0, **more: Any) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def arrow(x: float, y: float, length: float) -> str:
    """An arrow to the right."""
    head = f"M{x + length - 7:g} {y - 5:g}L{x + length:g} {y:g}L{x + length - 7:g} {y + 5:g}"
    return element("path", d=f"M{x:g} {y:g}H{x + length:g}{head}", fill="none", stroke=INK, stroke_width=1.6)


def down(x: float, y: float, length: float) -> str:
    """An arrow downwards."""
    head = f"M{x - 5:g} {y + length - 7:g}L{x:g} {y + length:g}L{x + 5:g} {y + length - 7:g}"
    return element("path", d=f"M{x:g} {y:g}V{y + length:g}{head}", fill="none", stroke=INK, stroke_width=1.6)


def draw_pooling() -> Svg:
    """The four windows of a 4x4 image, and what max and average pooling make of them."""
    image = np.add.outer(np.arange(4.0), np.arange(1.0, 5.0))
    colors = (BLUE[0], GREEN[0], ORANGE[0], ROSE[0])
    cell, top = 40.0, 44.0
    marks = [grid(image, 16, top, cell, lambda i, j: colors[i // 2 * 2 + j // 2], 15.0)]
    marks += [
        frame(16 + j * 2 * cell + 1.5, top + i * 2 * cell + 1.5, 2 * cell - 3, 2 * cell - 3, colours[1])
        for (i, j), colours in zip(np.ndindex(2, 2), (BLUE, GREEN, ORANGE, ROSE), strict=True)
    ]
    marks.append(note("four 2x2 windows, stride 2", 16, 22, 14.0, text_anchor="start"))
    for y, name, pool in ((top, "largest", MaxPool2d(2)), (top + 96, "average", AvgPool2d(2))):
        marks.append(grid(pool.forward(image[None])[0], 250, y, cell, lambda i, j: colors[2 * i + j], 15.0))
        marks.append(note(name, 250 + 2 * cell + 12, y + cell, 14.0, text_anchor="start"))
        marks.append(arrow(188, y + cell, 50))
    description = "A 4x4 image in four coloured 2x2 windows; their maxima 3, 5, 5, 7 and averages 2, 4, 4, 6."
    return picture(410, 236, "Pooling", description, *marks)


def draw_convolution() -> Svg:
    """One window of the image 1..16, the kernel, and the number that the two make."""
    cell, top, left = 40.0, 44.0, 244.0
    result = Conv2d(KERNEL[None, None]).forward(IMAGE[None])[0]
    lower = top + 4 * cell + 66
    marks = [
        grid(IMAGE, 16, top, cell, lambda i, j: BLUE[0] if i < 3 and j > 0 else PLAIN, 15.0),
        frame(16 + cell, top, 3 * cell, 3 * cell, BLUE[1]),
        note("image x", 16 + 2 * cell, 22, 14.0),
        note("*", (16 + 4 * cell + left) / 2, top + 2 * cell, 22.0),
        grid(KERNEL, left, top + cell / 2, cell, lambda i, j: ORANGE[0], 15.0),
        note("kernel w", left + 1.5 * cell, 22, 14.0),
        down(16 + 2 * cell, top + 4 * cell + 12, 38),
        grid(result, 16 + cell, lower, cell, lambda i, j: GREEN[0] if (i, j) == (0, 1) else PLAIN, 15.0),
        frame(16 + 2 * cell, lower, cell, cell, GREEN[1]),
        note("result y", 16 + 2 * cell, lower + 2 * cell + 20, 14.0),
    ]
    sums = ("2*1 + 3*2 + 4*3", "+ 6*3 + 7*2 + 8*1", "+ 10*1 + 11*2 + 12*3", "= 128")
    marks += [note(line, 178, lower - 4 + 24 * k, 14.0, text_anchor="start") for k, line in enumerate(sums)]
    description = "The window 2 3 4, 6 7 8, 10 11 12 of the image times the kernel, number by number, adds up to 128."
    return picture(386, lower + 2 * cell + 40, "Convolution of one window", description, *marks)


def draw_im2col() -> Svg:
    """Three neighbouring windows of a scanned digit as rows, and their product with the kernel as a column."""
    scan = np.load(HELD_OUT)["images"][1].astype(np.float64)
    rows = im2col(windows(scan[None, None], (3, 3)))[0]
    sums = rows @ KERNEL.reshape(-1)
    cell, top, x_scan, x_rows = 28.0, 44.0, 122.0, 72.0
    x_column = x_rows + 9 * cell + 28
    x_sums = x_column + cell + 30
    lower = top + 8 * cell + 64
    x_kernel, y_kernel = x_rows + 3 * cell, lower + 5 * cell
    weights, weights_border = palette.swatch_of("nn.MaxPool2d").fill, palette.swatch_of("nn.MaxPool2d").border

    def heat(values: np.ndarray) -> Fill:
        return lambda i, j: palette.hexadecimal(palette.SEQUENTIAL[round(float(values[i, j]) / 16 * 120)])

    marks = [
        note("three windows of a scanned 4", x_scan + 4 * cell, 22, 14.0),
        grid(scan, x_scan, top, cell, heat(scan), 13.0),
        note("im2col: a row per window", x_rows + 4.5 * cell, lower - 18, 14.0),
        note("@", x_rows + 9 * cell + 14, lower + 1.5 * cell, 16.0),
        note("kernel", x_column + cell / 2, lower - 18, 14.0),
        grid(KERNEL.reshape(-1, 1), x_column, lower, cell, lambda i, j: weights, 13.0),
        note("=", x_column + cell + 15, lower + 1.5 * cell, 16.0),
        note("y", x_sums + 22, lower - 18, 14.0),
        grid(KERNEL, x_kernel, y_kernel, cell, lambda i, j: weights, 13.0),
        note("the kernel,", x_kernel - 10, y_kernel + 1.2 * cell, 14.0, text_anchor="end"),
        note("line by line", x_kernel - 10, y_kernel + 1.8 * cell, 14.0, text_anchor="end"),
        arrow(x_kernel + 3 * cell + 12, y_kernel + 1.5 * cell, x_column - x_kernel - 3 * cell - 24),
    ]
    frames = []
    for line in range(3):
        frames += [
            frame(x_kernel, y_kernel + line * cell, 3 * cell, cell, weights_border),
            frame(x_column, lower + 3 * line * cell, cell, 3 * cell, weights_border),
        ]
    for k, (window, (fill, border)) in enumerate(zip((14, 15, 16), (BLUE, GREEN, ROSE), strict=True)):
        i, j = divmod(window, 6)
        inset = 2.0 * k
        size = 3 * cell - 2 * inset
        frames.append(frame(x_scan + j * cell + inset, top + i * cell + inset, size, size, border))
        y = lower + k * cell
        row = rows[window : window + 1]
        marks += [
            grid(row, x_rows, y, cell, heat(row), 13.0),
            frame(x_rows + 1.3, y + 1.3, 9 * cell - 2.6, cell - 2.6, border),
            note(f"row {window}", x_rows - 8, y + cell / 2, 14.0, text_anchor="end"),
            element("rect", x=x_sums, y=y, width=44.0, height=cell, fill=fill, stroke="#8794a3", stroke_width=0.7),
            text(f"{sums[window]:g}", x_sums + 22, y + cell / 2, 14.0, DARK),
        ]
    description = (
        "Three overlapping 3x3 windows, each one pixel further to the right, and under them the nine numbers of each "
        "as a row. The 3x3 kernel, read line by line, is a column of nine weights. Rows times column gives a column of "
        "three numbers, one for each window."
    )
    return picture(x_sums + 60, lower + 9 * cell + 18, "im2col on a scanned digit", description, *marks, *frames)


def draw_channels() -> Svg:
    """Two channels, a 2x2 window through both, its row, and the kernel flattened in the same order."""
    cell, top, wide = 34.0, 44.0, 40.0
    planes = (np.arange(1, 10).reshape(3, 3), np.arange(10, 100, 10).reshape(3, 3))
    letters = (np.array([["a", "b"], ["c", "d"]]), np.array([["e", "f"], ["g", "h"]]))
    marks = []
    for c, (plane, names, (fill, border)) in enumerate(zip(planes, letters, (BLUE, ORANGE), strict=True)):
        x = 20 + c * 124.0
        marks.append(note(f"channel {c}", x + 1.5 * cell, 24))
        marks.append(grid(plane, x, top, cell, lambda i, j, fill=fill: fill if i < 2 and j < 2 else PLAIN))
        marks.append(frame(x, top, 2 * cell, 2 * cell, border))
        left = 282 + c * 92.0
        marks.append(note(f"w[o, {c}]", left + cell, 24))
        marks.append(grid(names, left, top, cell, lambda i, j, fill=fill: fill))
        start = 96 + c * 4 * wide
        for y, values in ((top + 134.0, plane[:2, :2]), (top + 180.0, names)):
            marks.append(grid(values.reshape(1, -1), start, y, wide, lambda i, j, fill=fill: fill))
            marks.append(frame(start + 1.5, y + 1.5, 4 * wide - 3, wide - 3, border))
    marks += [
        note("row (0, 0)", 86, top + 134 + wide / 2, text_anchor="end"),
        note("kernel", 86, top + 180 + wide / 2, text_anchor="end"),
        note("1a + 2b + 4c + 5d + 10e + 20f + 40g + 50h", 96 + 4 * wide, top + 242),
    ]
    description = (
        "The window in the upper left corner of two channels as a row: 1 2 4 5 of channel 0, then 10 20 40 50 of "
        "channel 1. The kernel stands in the same order: a b c d, then e f g h."
    )
    return picture(470, 308, "A row of im2col with two channels", description, *marks)


def draw_maps() -> Svg:
    """The 32 kernels of the digits network's first convolution, and their feature maps of a scanned 4."""
    graph = kuiper.load(HERE.parents[1] / "models" / "digits" / "digits.pnnx.param")
    scan = np.load(HELD_OUT)["images"][1].astype(np.float32)
    weight = graph.operator("convbn2d_0").attributes["weight"].data[:, 0]
    maps = graph.forward(scan[None, None], keep=["convbn2d_0"]).kept["convbn2d_0"][0]
    step, line, side, top = 120.0, 80.0, 64.0, 118.0

    shapes: dict[str, list[str]] = {}  # colour -> runs of squares as a path, so that the file stays small

    def heat(values: np.ndarray, x: float, y: float, width: int, colors: np.ndarray, low: float, high: float) -> str:
        levels = np.rint((values - low) / (high - low) * 24).astype(int) * (palette.LEVELS - 1) // 24
        cell = width // values.shape[1]
        for i, row in enumerate(levels):
            j = 0
            for level, equal in groupby(row):
                wide = len(list(equal))
                run = f"M{x + j * cell:g} {y + i * cell:g}h{wide * cell:g}v{cell:g}h-{wide * cell:g}z"
                shapes.setdefault(palette.hexadecimal(colors[level]), []).append(run)
                j += wide
        return element("rect", x=x, y=y, width=width, height=width, fill="none", stroke="#8794a3", stroke_width=0.7)

    marks = [
        heat(scan, 16, 16, 72, palette.SEQUENTIAL, 0, 16),
        note("a scanned 4", 104, 30, 15.0, text_anchor="start"),
        note("32 learned kernels and their feature maps", 104, 56, 15.0, text_anchor="start"),
        note("orange: above 0, blue: below 0", 104, 82, 15.0, text_anchor="start"),
    ]
    widest, highest = float(np.abs(weight).max()), float(np.abs(maps).max())
    for o in range(32):
        x, y = 16 + o % 4 * step, top + o // 4 * line
        marks.append(note(str(o), x + 18, y + 12, 14.0))
        marks.append(heat(weight[o], x, y + side - 36, 36, palette.DIVERGING, -widest, widest))
        marks.append(heat(maps[o], x + 42, y, side, palette.DIVERGING, -highest, highest))
    description = (
        "A scanned 4, and for each of the 32 kernels of the digits network's first convolution its nine weights and "
        "its 8x8 feature map."
    )
    fills = [element("path", d="".join(squares), fill=color) for color, squares in shapes.items()]
    return picture(16 + 4 * step, top + 8 * line, "What 32 learned kernels look for", description, *fills, *marks)


def draw_options() -> Svg:
    """Stride, padding and dilation: which pixels the first two windows touch."""
    cell, step = 30.0, 260.0
    first, second, both = BLUE[0], ORANGE[0], GREEN[0]

    def touched(size: int, starts: Sequence[int], gap: int) -> Fill:
        def fill(i: int, j: int) -> str:
            inside = [i in range(0, 2 * gap + 1, gap) and j - s in range(0, 2 * gap + 1, gap) for s in starts]
            return {(True, False): first, (False, True): second, (True, True): both}.get((inside[0], inside[1]), PLAIN)

        return fill

    marks, right = [], 16 + 7 * cell + 18
    panels = (("stride 2", 7, (0, 2), 1), ("padding 1", 7, (0, 1), 1), ("dilation 2", 7, (0, 1), 2))
    captions = (("7x7 image", "H' = 3"), ("5x5 image", "in zeros", "H' = 5"), ("7x7 image", "H' = 3"))
    for k, ((name, size, starts, gap), lines) in enumerate(zip(panels, captions, strict=True)):
        top = 16 + k * step - 24 * k
        values = np.full((size, size), "", dtype=object)
        if name == "padding 1":
            values[:] = "0"
            values[1:-1, 1:-1] = ""
        marks.append(grid(values, 16, top, cell, touched(size, starts, gap), 14.0))
        if name == "padding 1":
            marks.append(frame(16 + cell, top + cell, 5 * cell, 5 * cell, INK))
        marks.append(note(name, right, top + 16, 16.0, text_anchor="start", font_weight="bold"))
        marks += [note(line, right, top + 44 + 22 * i, 14.0, text_anchor="start") for i, line in enumerate(lines)]
    for i, (words, color) in enumerate((("first window", first), ("second window", second), ("both", both))):
        y = 156 + 26 * i
        marks.append(element("rect", x=right, y=y - 8, width=16.0, height=16.0, fill=color, stroke="#8794a3"))
        marks.append(note(words, right + 24, y, 14.0, text_anchor="start"))
    description = (
        "Three 7x7 grids with the pixels of the first two 3x3 windows coloured: two columns apart with stride 2, "
        "beginning in a border of zeros with padding 1, spread over 5x5 pixels with dilation 2."
    )
    return picture(386, 16 + 2 * (step - 24) + 7 * cell + 16, "Stride, padding, dilation", description, *marks)


def draw_groups() -> Svg:
    """Four input and four output channels, joined by 16 kernel planes or, in two groups, by 8."""
    width, height, gap, x = 66.0, 32.0, 46.0, 24.0

    def box(label: str, x: float, y: float, colours: tuple[str, str]) -> str:
        fill, border = colours
        rect = element("rect", x=x, y=y, width=width, height=height, rx=5, fill=fill, stroke=border, stroke_width=1.4)
        return rect + text(label, x + width / 2, y + height / 2, 15.0, DARK)

    marks = []
    for top, groups, title in ((50.0, 1, "groups = 1: 16 planes"), (290.0, 2, "groups = 2: 8 planes")):
        marks.append(note(title, x, top - 26, 15.0, text_anchor="start", font_weight="bold"))
        for o in range(4):
            colours = (BLUE, ORANGE)[o * groups // 4]
            for c in range(4):
                if c * groups // 4 == o * groups // 4:
                    d = f"M{x + width:g} {top + c * gap + height / 2:g}L{x + 216:g} {top + o * gap + height / 2:g}"
                    marks.append(element("path", d=d, stroke=colours[1], stroke_width=1.8, fill="none"))
            y = top + o * gap
            marks += [box(f"x[{o}]", x, y, colours), box(f"y[{o}]", x + 216, y, colours)]
            marks.append(note(f"+ b[{o}]", x + 216 + width + 10, y + height / 2, 15.0, text_anchor="start"))
    description = (
        "Above: every output channel is joined to every input channel. Below: y0 and y1 to x0 and x1 only, y2 and y3 "
        "to x2 and x3 only. In both, output channel o adds bias o."
    )
    return picture(386, 480, "Groups", description, *marks)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "pooling": draw_pooling(),
        "convolution": draw_convolution(),
        "im2col": draw_im2col(),
        "channels": draw_channels(),
        "maps": draw_maps(),
        "options": draw_options(),
        "groups": draw_groups(),
    }


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(HERE / "figures" / f"{name}.svg")
