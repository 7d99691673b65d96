"""The figures of lesson 2, drawn as SVG: `python lessons/02_tensor/figures.py` writes them beside itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kuiper.show.palette import INK, Swatch, swatch_of
from kuiper.show.svg import Svg, element, picture, text
from kuiper.tensor import flatten, padding, reshape

BLUE, ORANGE, GREEN = swatch_of("nn.Conv2d"), swatch_of("nn.ReLU"), swatch_of("nn.BatchNorm2d")
CHANNELS = (BLUE, ORANGE)
WIDTH = 480.0


def cell(
    content: object, x: float, y: float, width: float, height: float, look: Swatch | None = BLUE, largest: float = 12.0
) -> str:
    """One element of an array: a box with its number; `look` None leaves the ground empty."""
    fill, border = (look.fill, look.border) if look else ("none", INK)
    ink = look.text if look else INK
    box = element("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=border, stroke_width=0.8)
    return box + text(str(content), x + width / 2, y + height / 2, min(largest, width * 0.53), ink)


def grid(
    values: np.ndarray, x: float, y: float, size: float, look: Callable[[int, int], Swatch | None] = lambda r, k: BLUE
) -> str:
    """(H, W) -> its cells, row 0 on top."""
    return "".join(
        cell(value, x + k * size, y + r * size, size, size, look(r, k)) for (r, k), value in np.ndenumerate(values)
    )


def line(values: Sequence[object], x: float, y: float, width: float, look: Callable[[int], Swatch]) -> str:
    """Numbers as they lie in memory, one after another."""
    return "".join(cell(value, x + i * width, y, width, 24.0, look(i)) for i, value in enumerate(values))


def note(content: str, x: float, y: float, size: float = 12.0, **attributes: object) -> str:
    """Text that begins at x."""
    return text(content, x, y, size, **{"text_anchor": "start", **attributes})


def arrow(points: Sequence[tuple[float, float]], color: str = INK, width: float = 1.4) -> str:
    """A line through the points with a head at its end."""
    (x0, y0), (x1, y1) = points[-2:]
    length = float(np.hypot(x1 - x0, y1 - y0))
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    head = [(x1 - 7 * ux + 4 * side * uy, y1 - 7 * uy - 4 * side * ux) for side in (1, -1)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    path += f"M{head[0][0]:.1f} {head[0][1]:.1f}L{x1:.1f} {y1:.1f}L{head[1][0]:.1f} {head[1][1]:.1f}"
    return element("path", d=path, fill="none", stroke=color, stroke_width=width, stroke_linejoin="round")


def fives(i: int) -> Swatch:
    """Blue for the first five numbers of a line, orange for the next five."""
    return CHANNELS[i // 5]


def memory() -> Svg:
    """A (2, 5) array, the line that it is in memory, and the steps between neighbours."""
    size, left, top = 40.0, 70.0, 34.0
    parts = [
        note("what we think of: (2, 5)", left, 16, 14.0, font_weight="bold"),
        grid(np.arange(10).reshape(2, 5), left, top, size, lambda r, k: CHANNELS[r]),
        *(text(f"row {r}", left - 34, top + (r + 0.5) * size, 12.5) for r in range(2)),
        arrow([(left + 10, top + 96), (left + 50, top + 96)]),
        note("next column: 1 further", left + 60, top + 96, 12.5),
        arrow([(left + 5 * size + 14, top + 14), (left + 5 * size + 14, top + 66)]),
        note("next row: 5 further", left + 5 * size + 26, top + size, 12.5),
        note("what there is: one line of numbers", left, 170, 14.0, font_weight="bold"),
        line(range(10), left, 186, size, fives),
        *(text(f"{i}", left + (i + 0.5) * size, 222, 12.0) for i in range(10)),
        text("offset", left - 34, 222, 12.0),
        _span(left + 0.5 * size, left + 5.5 * size, 236, "from (0, 0) to (1, 0): 5"),
        _span(left + 7.5 * size, left + 8.5 * size, 236, "from (1, 2) to (1, 3): 1"),
    ]
    described = (
        "Rows of five stand one after the other in memory: the next row is 5 elements further, the next column 1."
    )
    return picture(WIDTH, 272, "A matrix and its memory, row-major", described, *parts)


def _span(x0: float, x1: float, y: float, label: str) -> str:
    return arrow([(x0, y), (x0, y + 8), (x1, y + 8), (x1, y - 2)]) + text(label, (x0 + x1) / 2, y + 22, 12.0)


def reshape_both_ways() -> Svg:
    """(2, 5) -> (5, 2), row by row and column by column."""
    size, x = 34.0, np.arange(10).reshape(1, 2, 5)
    parts = []
    for half, row_major in enumerate((True, False)):
        top, way = 14.0 + 226 * half, "row by row" if row_major else "column by column"
        parts.append(note(f"row_major={row_major}", 10, top, 14.0, font_weight="bold"))
        order = flatten(x, row_major).tolist()
        place = {value: i for i, value in enumerate(order)}
        result = reshape(x, (5, 2), row_major)[0]
        parts += [
            grid(x[0], 10, top + 18, size, lambda r, k, x=x, place=place: fives(place[int(x[0, r, k])])),
            arrow([(95, top + 92), (95, top + 124)]),
            note(f"read {way}", 108, top + 108, 12.5),
            line(order, 10, top + 132, size, fives),
            arrow([(356, top + 144), (392, top + 144)]),
            text(f"write {way}", 350, top + 174, 12.5, text_anchor="end"),
            grid(result, 400, top + 18, size, lambda r, k, result=result, place=place: fives(place[int(result[r, k])])),
        ]
    described = (
        "Row-major: 0 to 9 become 0 1, 2 3, 4 5, 6 7, 8 9. Column-major: 0 5 1 6 2 7 3 8 4 9 is read, and the first "
        "column gets 0 5 1 6 2, the second 7 3 8 4 9."
    )
    return picture(WIDTH, 436, "Reshape of (2, 5) to (5, 2), both ways", described, *parts)


def orders() -> Svg:
    """(2, 3, 4) filled with 1 to 24, and the two orders in which this course reads it.

    It is as wide as a telephone, so that its 24 numbers are drawn there in their own size.
    """
    x, size, step, left = np.arange(1, 25).reshape(2, 3, 4), 36.0, 28.0, 10.0
    parts, y = [], 14.0
    for title, row_major in (
        ("row-major: row by row", True),
        ("column-major: column by column", False),
    ):
        parts.append(note(title, left, y, 14.5, font_weight="bold"))
        for channel, look in enumerate(CHANNELS):
            corner, top = left + channel * (12 * step - 4 * size), y + 42
            values = flatten(x[channel : channel + 1], row_major).tolist()
            line_top = y + 190 + 62 * channel
            parts += [
                note(f"channel {channel}", corner, y + 26, 14.0),
                *(
                    cell(value, corner + k * size, top + r * size, size, size, look, 15.0)
                    for (r, k), value in np.ndenumerate(x[channel])
                ),
                _walk(corner, top, size, row_major, look.border),
                note(("the line: channel 0", "and then channel 1")[channel], left, line_top - 14, 14.0),
                *(cell(value, left + i * step, line_top, step, step, look, 15.0) for i, value in enumerate(values)),
            ]
        y += 314
    described = (
        "Row-major reads 1, 2, 3, 4, 5 and so on. Column-major reads 1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12, and only "
        "then 13."
    )
    return picture(356.0, y - 18, "Two orders of reading (2, 3, 4)", described, *parts)


def _walk(x: float, y: float, size: float, row_major: bool, color: str) -> str:
    """Arrows through the cells of a (3, 4) grid, beside the numbers, in reading order."""
    parts = []
    for lane in range(3 if row_major else 4):
        along = (lane + 0.87) * size
        if row_major:
            points = [(x + 5, y + along), (x + 4 * size - 5, y + along)]
        else:
            points = [(x + along, y + 5), (x + along, y + 3 * size - 5)]
        parts.append(arrow(points, color, 1.6))
    return "".join(parts)


def border() -> Svg:
    """One channel (4, 5) inside its border of pads (1, 2, 3, 4): 7 rows, 12 columns."""
    size, left, top = 30.0, 96.0, 36.0
    padded = padding(np.arange(1, 21).reshape(1, 4, 5), (1, 2, 3, 4))[0]
    bottom, right = top + 7 * size, left + 12 * size
    parts = [grid(padded, left, top, size, lambda r, k: BLUE if 1 <= r < 5 and 3 <= k < 8 else None)]
    for first, count, label in ((0, 3, "left 3"), (3, 5, "W = 5"), (8, 4, "right 4")):
        parts.append(_measure(left + first * size, left + (first + count) * size, top - 12, label))
    for first, count, label in ((0, 1, "up 1"), (1, 4, "H = 4"), (5, 2, "bottom 2")):
        y0, y1 = top + first * size, top + (first + count) * size
        parts.append(element("path", d=f"M{left - 12:.1f} {y0 + 3:.1f}V{y1 - 3:.1f}", stroke=INK, stroke_width=1.4))
        parts.append(text(label, left - 22, (y0 + y1) / 2, 12.0, text_anchor="end"))
    parts += [
        note("1 + 4 + 2 = 7 rows", left, bottom + 20),
        text("3 + 5 + 4 = 12 columns", right, bottom + 20, 12.0, text_anchor="end"),
    ]
    described = (
        "Four rows and five columns of numbers, one row of zeros above, two below, three columns left, four right."
    )
    return picture(WIDTH, bottom + 36, "Padding (4, 5) with up 1, bottom 2, left 3, right 4", described, *parts)


def _measure(x0: float, x1: float, y: float, label: str) -> str:
    rule = element("path", d=f"M{x0 + 3:.1f} {y:.1f}H{x1 - 3:.1f}", stroke=INK, stroke_width=1.4)
    return rule + text(label, (x0 + x1) / 2, y - 14, 12.0)


def sharing() -> Svg:
    """Which tensors share memory: a row-major reshape does, a column-major one does not."""
    parts, left = [], 20.0
    for name, x, width in (("x", 20.0, 60.0), ("x.reshape((5, 2))", 130.0, 160.0), ("x.flatten()", 340.0, 120.0)):
        parts.append(_name(name, x, 20, width))
        parts.append(arrow([(x + width / 2, 36), (x + width / 2, 62)]))
    parts += [
        line(range(10), left, 66, 44.0, lambda i: BLUE),
        note("one line of memory, three shapes", left, 106, 13.0),
        _name("x.reshape((5, 2), row_major=False)", left, 156, 290),
        arrow([(left + 145, 172), (left + 145, 198)]),
        line([0, 5, 1, 6, 2, 7, 3, 8, 4, 9], left, 202, 44.0, lambda i: ORANGE),
        note("another order: a copy, with memory of its own", left, 242, 13.0),
    ]
    described = (
        "x, its row-major reshape and its flatten point at the same ten numbers; the column-major reshape is a copy."
    )
    return picture(WIDTH, 256, "Who shares memory with whom", described, *parts)


def _name(content: str, x: float, y: float, width: float) -> str:
    box = element("rect", x=x, y=y - 15, width=width, height=30.0, rx=6.0, fill=GREEN.fill, stroke=GREEN.border)
    return box + text(content, x + width / 2, y, 13.0, GREEN.text)


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {
        "memory": memory(),
        "orders": orders(),
        "reshape": reshape_both_ways(),
        "padding": border(),
        "sharing": sharing(),
    }


if __name__ == "__main__":
    folder = Path(__file__).with_name("figures")
    folder.mkdir(exist_ok=True)
    for name, svg in draw().items():
        svg.save(folder / f"{name}.svg")
