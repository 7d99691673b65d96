"""The figures of lesson 15: `python3 course.py dev figures 15` writes them into figures/."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kuiper import pnnx
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, picture, text

DARK, PLAIN, LINE = "#1d2530", "#f6f4ef", "#8794a3"
BLUE, GREEN, ORANGE, ROSE, VIOLET = (
    (swatch.fill, swatch.border)
    for swatch in (
        palette.swatch_of(t) for t in ("nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU", "pnnx.Attribute", "nn.Linear")
    )
)
Colours = tuple[str, str]
WRITER = Path(__file__).parents[2] / "models" / "writer" / "writer.pnnx.param"


def note(content: str, x: float, y: float, size: float = 14.0, **more: object) -> str:
    """A line of text on the page."""
    return text(content, x, y, size, INK, **more)


def left(content: str, x: float, y: float, size: float = 14.0, **more: object) -> str:
    """A line of text on the page that begins at x."""
    return note(content, x, y, size, text_anchor="start", **more)


def cell(x: float, y: float, width: float, height: float, colours: Colours, label: str = "", size: float = 13.0) -> str:
    """A rectangle with a short text."""
    fill, border = colours
    rect = element("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=border, stroke_width=0.8)
    return rect + (text(label, x + width / 2, y + height / 2, size, DARK) if label else "")


def path(d: str, stroke: str = INK, width: float = 1.6, **more: object) -> str:
    """An open line."""
    return element("path", d=d, fill="none", stroke=stroke, stroke_width=width, **more)


def weights_of(name: str) -> np.ndarray:
    """A weight of the writer."""
    (operator,) = (op for op in pnnx.read(WRITER) if op.name == name)
    return operator.attributes["weight"].data


def draw_staircase() -> Svg:
    """The weights of a row, and how 4 bits round them."""
    row = weights_of("blocks.0.gate")[7]
    most, bits = float(np.abs(row).max()), 4
    steps = 2 ** (bits - 1) - 1
    scale = most / steps
    x0, x1, top, ground = 30.0, 376.0, 20.0, 110.0

    def across(weight: float) -> float:
        return (x0 + x1) / 2 + weight / most * (x1 - x0) / 2 * 0.94

    counts, edges = np.histogram(row, 31, (-most, most))
    marks = []
    for count, begin, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        tall = count / counts.max() * (ground - top)
        if count:
            marks.append(cell(across(begin), ground - tall, across(end) - across(begin), tall, BLUE))
    marks.append(path(f"M{x0:g} {ground:g}H{x1:g}", LINE, 1.0))
    marks.append(left("128 weights", 6, 12))
    low, high = 372.0, 152.0

    def up(value: float) -> float:
        return (low + high) / 2 - value / steps * (low - high) / 2 * 0.94

    line = ""
    for value in range(-steps, steps + 1):
        begin, end = across(max(value - 0.5, -steps) * scale), across(min(value + 0.5, steps) * scale)
        line += f"{'L' if line else 'M'}{begin:.1f} {up(value):.1f}L{end:.1f} {up(value):.1f}"
        marks.append(path(f"M{across(value * scale):.1f} {ground:g}V{ground + 6:g}", ORANGE[1], 2.0))
        marks.append(note(str(value), 14, up(value), 13.0))
    marks.append(path(f"M{across(-most):.1f} {up(-steps):.1f}L{across(most):.1f} {up(steps):.1f}", LINE, 1.2))
    marks.append(path(line, ORANGE[1], 2.4))
    marks.append(left("whole number", 34, high - 4))
    for value, label in ((-most, f"{-most:.2f}"), (0.0, "0"), (most, f"{most:.2f}")):
        marks.append(note(label, across(value), low + 18, 13.0))
    marks.append(note("weight", across(most / 2), low + 18, 13.0))
    begin, end = across(2.5 * scale), across(3.5 * scale)
    marks.append(path(f"M{begin:.1f} {up(-2) - 5:.1f}V{up(-2) + 5:.1f}M{begin:.1f} {up(-2):.1f}H{end:.1f}"
                      f"M{end:.1f} {up(-2) - 5:.1f}V{up(-2) + 5:.1f}", GREEN[1], 2.0))  # fmt: skip
    marks.append(note("one scale", (begin + end) / 2, up(-2) + 18))
    marks.append(left("4 bits: -7 to 7", across(0.5 * scale), up(-6)))
    description = (
        f"128 weights of a row between {-most:.2f} and {most:.2f}, most of them near 0. A staircase of {2 * steps + 1} "
        "steps gives each weight the nearest whole number; a step is one scale wide."
    )
    return picture(390, 400, "Weights and steps", description, *marks)


def draw_shared() -> Svg:
    """One scale for a matrix, one for a row, one for a block; and what an outlier spoils."""
    side, rows, columns, x0 = 30.0, 4, 8, 20.0
    marks = []
    outlier = (2, 5)
    ways = (("one scale for the matrix", rows, columns), ("one for each row", 1, columns), ("one for each 4", 1, 4))
    for number, (title, tall, wide) in enumerate(ways):
        top = 42.0 + number * 176
        count = rows // tall * (columns // wide)
        marks.append(left(title, x0, top - 20, 16.0, font_weight="bold"))
        scales = f"{count} scale{'s' * (count > 1)}"
        marks.append(left(scales, x0 + columns * side + 12, top + rows * side / 2))
        for row in range(rows):
            for column in range(columns):
                here = row // tall == outlier[0] // tall and column // wide == outlier[1] // wide
                colours = ORANGE if (row, column) == outlier else ROSE if here else GREEN
                label = "90" if (row, column) == outlier else ""
                marks.append(cell(x0 + column * side, top + row * side, side, side, colours, label, 14.0))
        for row in range(0, rows, tall):
            for column in range(0, columns, wide):
                marks.append(element("rect", x=x0 + column * side, y=top + row * side, width=wide * side,
                                     height=tall * side, fill="none", stroke=INK, stroke_width=2.2))  # fmt: skip
    y = 42.0 + 3 * 176 - 24
    for colours, label, x in ((ORANGE, "outlier", x0), (ROSE, "spoiled", x0 + 108), (GREEN, "as before", x0 + 222)):
        marks.append(cell(x, y - 9, 18, 18, colours))
        marks.append(left(label, x + 25, y))
    description = (
        "A matrix of 4 x 8 with an outlier in row 2. With one scale for the matrix all 31 other weights are spoiled; "
        "with one for each row the 7 others of its row; with one for each 4 the 3 others of its block."
    )
    return picture(360, y + 20, "Who shares a scale", description, *marks)


def errors_of(weight: np.ndarray, bits: int, ends: Sequence[float]) -> list[float]:
    """The relative error where each row's scale ends at so much of its largest magnitude, and the rest is cut."""
    most, wide = 2 ** (bits - 1) - 1, weight.astype(np.float64)
    found = []
    for end in ends:
        scale = np.abs(wide).max(axis=1, keepdims=True) * end / most
        off = np.clip(np.rint(wide / scale), -most, most) * scale - wide
        found.append(float(np.sqrt(np.square(off).sum() / np.square(wide).sum())))
    return found


def draw_clip() -> Svg:
    """The error against where the scale ends."""
    weight, ends = weights_of("blocks.0.gate"), np.linspace(0.5, 1.0, 51).tolist()
    x0, x1, y0, y1, top = 58.0, 372.0, 236.0, 22.0, 0.30
    marks = []
    for tick in range(0, 31, 5):
        y = y0 - tick / 100 / top * (y0 - y1)
        marks.append(path(f"M{x0:g} {y:.1f}H{x1:g}", INK, 0.5, stroke_opacity=0.4))
        marks.append(note(f"{tick} %", x0 - 8, y, 13.0, text_anchor="end"))
    for tick in range(5, 11):
        marks.append(note(f"{tick / 10:g}", x0 + (tick / 10 - 0.5) * 2 * (x1 - x0), y0 + 18, 13.0))
    said = []
    for bits, colours, place, shift in ((8, BLUE, 0.72, 26.0), (3, ROSE, 0.93, -18.0)):
        errors = errors_of(weight, bits, ends)
        spots = [
            (x0 + (end - 0.5) * 2 * (x1 - x0), y0 - error / top * (y0 - y1))
            for end, error in zip(ends, errors, strict=True)
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        marks.append(element("polyline", points=line, fill="none", stroke=colours[1], stroke_width=2.4))
        best = min(range(len(ends)), key=errors.__getitem__)
        marks.append(element("circle", cx=spots[best][0], cy=spots[best][1], r=5.0, fill=colours[1], stroke=INK))
        at = min(range(len(ends)), key=lambda n: abs(ends[n] - place))
        marks.append(note(f"{bits} bits", spots[at][0], spots[at][1] + shift))
        said.append(f"{bits} bits: least at {ends[best]:.2f}, {errors[best]:.1%}; at 1 it is {errors[-1]:.1%}")
    marks.append(note("end of the scale (1: the largest number)", (x0 + x1) / 2 - 16, y0 + 42))
    marks.append(left("error", 8, 8))
    return picture(390, 292, "Cutting what is large", "; ".join(said) + ".", *marks)


def draw_whole() -> Svg:
    """A dot product of whole numbers."""
    q, p = (50, -127, 3, 90), (127, 20, -64, 11)
    products = [a * b for a, b in zip(q, p, strict=True)]
    total, s, t = sum(products), 0.002, 0.02
    wide, x0 = 62.0, 96.0
    marks = []
    rows = (("q, int8", q, BLUE, 28.0), ("p, int8", p, GREEN, 76.0), ("q p, int32", products, VIOLET, 132.0))
    for label, numbers, colours, y in rows:
        marks.append(left(label, 6, y + 16))
        for n, number in enumerate(numbers):
            marks.append(cell(x0 + n * (wide + 6), y, wide, 32, colours, str(number), 14.0))
    for n in range(4):
        x = x0 + n * (wide + 6) + wide / 2
        marks += [note("×", x, 68, 14.0), note("=", x, 120, 14.0)]
        marks.append(path(f"M{x:g} 166V184", LINE, 1.4))
    end = x0 + 4 * wide + 18
    marks.append(path(f"M{x0 + wide / 2:g} 184H{end - wide / 2:g}", LINE, 1.4))
    middle = (x0 + end) / 2
    marks.append(path(f"M{middle:g} 184V202", LINE, 1.4))
    marks.append(left("sum, int32", 6, 218))
    marks.append(cell(middle - 50, 202, 100, 32, VIOLET, f"{total}", 14.0))
    marks.append(note(f"× s = {s:g}, × t = {t:g}", middle, 252, 14.0))
    marks.append(left("y, float32", 6, 282))
    marks.append(cell(middle - 50, 266, 100, 32, ORANGE, f"{total * s * t:.3f}", 14.0))
    description = (
        f"Whole numbers {', '.join(map(str, q))} and {', '.join(map(str, p))} give the products "
        f"{', '.join(map(str, products))} and the sum {total}, in int32. The two scales, {s} and {t}, are multiplied "
        f"once: {total * s * t:.3f}."
    )
    return picture(380, 312, "A dot product of whole numbers", description, *marks)


def draw_safetensors() -> Svg:
    """The three parts of a file, and what an offset counts from."""
    x0, wide = 12.0, 340.0
    marks = [
        cell(x0, 20, wide, 34, ORANGE, "8 bytes: the length of the header", 14.0),
        cell(x0, 54, wide, 122, BLUE),
        cell(x0, 176, wide, 34, GREEN, "bytes 0 to 5", 14.0),
        cell(x0, 210, wide, 34, VIOLET, "bytes 6 to 9", 14.0),
    ]
    lines = ('{"norm": {"dtype": "BF16",', '   "shape": [3], "data_offsets": [0, 6]},', ' "bias": {..., [6, 10]}}')
    for n, content in enumerate(lines):
        marks.append(text(content, x0 + 12, 84 + 30 * n, 14.0, DARK, text_anchor="start", font_family="monospace"))
    marks.append(path(f"M{x0 - 8:g} 176H{x0 + wide + 8:g}", ROSE[1], 3.0))
    marks.append(left("offsets count from the red line", x0, 268))
    description = (
        "A file: 8 bytes with the length of the header; the header, which names each tensor with its dtype, shape and "
        "offsets; then the bytes of norm, 0 to 5, and of bias, 6 to 9, counted from the end of the header."
    )
    return picture(376, 286, "A safetensors file", description, *marks)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "staircase": draw_staircase(),
        "shared": draw_shared(),
        "clip": draw_clip(),
        "whole": draw_whole(),
        "safetensors": draw_safetensors(),
    }
