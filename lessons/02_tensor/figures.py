"""The figures of lesson 2, drawn as SVG: `python lessons/02_tensor/figures.py` writes them beside itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kuiper.show.palette import INK, Swatch, family
from kuiper.show.svg import Svg, element, picture, text
from kuiper.tensor import flatten, padding, reshape

BLUE, ORANGE, GREEN = family("nn.Conv2d"), family("nn.ReLU"), family("nn.BatchNorm2d")
CHANNELS = (BLUE, ORANGE)
WIDTH = 720.0


def cell(content: object, x: float, y: float, width: float, height: float, look: Swatch | None = BLUE) -> str:
    """One element of an array: a box with its number; `look` None leaves the ground empty."""
    fill, border = (look.fill, look.border) if look else ("none", INK)
    ink = look.text if look else INK
    box = element("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=border, stroke_width=0.8)
    return box + text(str(content), x + width / 2, y + height / 2, min(12.0, width * 0.46), ink)


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
    size, left, top = 40.0, 150.0, 34.0
    parts = [
        note("what we think of: (2, 5)", left, 16),
        grid(np.arange(10).reshape(2, 5), left, top, size, lambda r, k: CHANNELS[r]),
        *(text(f"row {r}", left - 34, top + (r + 0.5) * size) for r in range(2)),
        arrow([(left + 10, top + 94), (left + 50, top + 94)]),
        note("next column: 1 element further", left + 60, top + 94),
        arrow([(left + 5 * size + 14, top + 14), (left + 5 * size + 14, top + 66)]),
        note("next row: 5 elements further", left + 5 * size + 26, top + size),
        note("what there is: one line of numbers", left, 164),
        line(range(10), left, 178, size, fives),
        *(text(f"{i}", left + (i + 0.5) * size, 212, 10.0) for i in range(10)),
        text("offset", left - 34, 212, 10.0),
        _span(left + 0.5 * size, left + 5.5 * size, 226, "from (0, 0) to (1, 0): 5"),
        _span(left + 7.5 * size, left + 8.5 * size, 226, "from (1, 2) to (1, 3): 1"),
    ]
    described = (
        "Rows of five stand one after the other in memory: the next row is 5 elements further, the next column 1."
    )
    return picture(WIDTH, 262, "A matrix and its memory, row-major", described, *parts)


def _span(x0: float, x1: float, y: float, label: str) -> str:
    return arrow([(x0, y), (x0, y + 8), (x1, y + 8), (x1, y - 2)]) + text(label, (x0 + x1) / 2, y + 21, 11.0)


def reshape_both_ways() -> Svg:
    """(2, 5) -> (5, 2), row by row and column by column."""
    size, x = 34.0, np.arange(10).reshape(1, 2, 5)
    parts = []
    for half, (row_major, title) in enumerate(((True, "row-major"), (False, "column-major"))):
        left = 10.0 + half * 365
        parts.append(note(f"{title}: row_major={row_major}", left, 14, 13.0, font_weight="bold"))
        order = flatten(x, row_major).tolist()
        place = {value: i for i, value in enumerate(order)}
        parts += [
            grid(x[0], left + 80, 32, size, lambda r, k, x=x, place=place: fives(place[int(x[0, r, k])])),
            arrow([(left + 165, 106), (left + 165, 128)]),
            note("read " + ("row by row" if row_major else "column by column"), left + 178, 117),
            line(order, left, 136, size, fives),
            arrow([(left + 165, 166), (left + 165, 188)]),
            note("write " + ("row by row" if row_major else "column by column"), left + 178, 177),
        ]
        result = reshape(x, (5, 2), row_major)[0]
        parts.append(
            grid(
                result, left + 131, 196, size, lambda r, k, result=result, place=place: fives(place[int(result[r, k])])
            )
        )
    described = (
        "Row-major: 0 to 9 become 0 1, 2 3, 4 5, 6 7, 8 9. Column-major: 0 5 1 6 2 7 3 8 4 9 is read, and the first "
        "column gets 0 5 1 6 2, the second 7 3 8 4 9."
    )
    return picture(WIDTH, 376, "Reshape of (2, 5) to (5, 2), both ways", described, *parts)


def orders() -> Svg:
    """(2, 3, 4) filled with 1 to 24, and three orders in which it can be read."""
    x, size = np.arange(1, 25).reshape(2, 3, 4), 38.0
    parts, y = [], 14.0
    for title, row_major in (
        ("row-major: each channel row by row", True),
        ("column-major: each channel column by column, then the next channel", False),
    ):
        parts.append(note(title, 10, y, 13.0, font_weight="bold"))
        for channel, left in enumerate((136.0, 484.0)):
            parts.append(grid(x[channel], left, y + 20, size, lambda r, k, c=channel: CHANNELS[c]))
            parts.append(text(f"channel {channel}", left - 44, y + 20 + 1.5 * size))
            parts.append(_walk(left, y + 20, size, row_major, CHANNELS[channel].border))
        parts.append(_by_channel(flatten(x, row_major), y + 150))
        y += 206
    parts.append(note("numpy's order='F' over all three axes: the channels are mixed", 10, y, 13.0, font_weight="bold"))
    parts.append(_by_channel(x.reshape(-1, order="F"), y + 18))
    described = (
        "Row-major reads 1, 2, 3, 4, 5 and so on. Column-major reads 1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12, and only "
        "then 13. Order F over three axes reads 1, 13, 5, 17: it jumps from channel to channel."
    )
    return picture(WIDTH, y + 50, "Three orders of reading (2, 3, 4)", described, *parts)


def _by_channel(values: np.ndarray, y: float) -> str:
    return line(values.tolist(), 10, y, 29.0, lambda i: CHANNELS[(int(values[i]) - 1) // 12])


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
    size, left, top = 34.0, 150.0, 60.0
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
    """Which tensors share memory: a row-major reshape does, a column-major one and padding do not."""
    parts, left = [], 330.0
    names = ("x: (2, 5)", "x.reshape((5, 2))", "x.flatten()")
    for i, name in enumerate(names):
        y = 22.0 + 34 * i
        parts.append(_name(name, 10, y, 180))
        parts.append(arrow([(196, y), (left - 8, 56)]))
    parts.append(line(range(10), left, 44, 37.0, lambda i: BLUE))
    parts.append(note("one line of memory, three shapes", left, 84))
    parts.append(_name("x.reshape((5, 2), row_major=False)", 10, 146, 262))
    parts.append(arrow([(278, 146), (left - 8, 146)]))
    parts.append(line([0, 5, 1, 6, 2, 7, 3, 8, 4, 9], left, 134, 37.0, lambda i: ORANGE))
    parts.append(note("another order: a copy, with memory of its own", left, 174))
    described = (
        "x, its row-major reshape and its flatten point at the same ten numbers; the column-major reshape is a copy."
    )
    return picture(WIDTH, 188, "Who shares memory with whom", described, *parts)


def _name(content: str, x: float, y: float, width: float) -> str:
    box = element("rect", x=x, y=y - 13, width=width, height=26.0, rx=6.0, fill=GREEN.fill, stroke=GREEN.border)
    return box + note(content, x + 8, y, 11.5, fill=GREEN.text)


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
