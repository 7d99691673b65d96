"""A roofline: every operator by operations per byte and operations a second, below what the machine can do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kuiper.profile import Point, Roof
from kuiper.show.axes import Axes, Ruler
from kuiper.show.palette import INK, SWATCHES, Swatch, swatch_of
from kuiper.show.svg import Svg, element, escape, picture, shorten, text, text_width

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 66.0, 16.0, 58.0, 78.0
LABELLED = 6
"""How many operators bear their names: those that take the most time, where there is room."""


def show_roofline(points: Sequence[Point], roof: Roof, *, title: str = "Roofline") -> Svg:
    """Points under a roof -> picture with logarithmic axes: FLOP/byte to the right, GFLOP/s upwards.

    The area of a circle is the operator's share of the time. The roof is the measured speed of a copy (slope) and of
    a matrix product (flat); an operator can lie above it where its data stay in a cache, or where an algorithm such as
    Winograd's takes fewer operations than are counted.
    """
    axes = _axes(points, roof)
    total = sum(point.seconds for point in points) or 1.0
    slowest = sorted(points, key=lambda point: (-point.seconds, point.name))
    swatches = [f for f in SWATCHES if any(swatch_of(point.type) is f for point in points)]
    threads = f"{roof.threads} thread{'s' * (roof.threads != 1)}"
    facts = f"{_giga(roof.peak)} GFLOP/s matrix product, {_giga(roof.bandwidth)} GB/s copy, {threads}"
    description = (
        f"{len(points)} operators; roof: {facts}. Slowest: "
        + "; ".join(f"{p.name} {p.intensity:.3g} FLOP/byte, {_giga(p.speed)} GFLOP/s" for p in slowest[:5])
        + "."
    )
    head = [
        text(title, LEFT, 18.0, 15.0, text_anchor="start", font_weight="bold"),
        text(facts, LEFT, 38.0, text_anchor="start"),
    ]
    circles = [_circle(point, axes, point.seconds / total) for point in slowest]
    parts = [
        *head,
        *_grid(axes),
        *_roof(axes, roof),
        *circles,
        *_labels(slowest, axes, total, roof),
        *_legend(swatches),
    ]
    return picture(WIDTH, HEIGHT, title, description, *parts)


def _axes(points: Sequence[Point], roof: Roof) -> Axes:
    """Both axes logarithmic, from one power of ten to another."""
    right = _decades([point.intensity for point in points] + [roof.ridge], LEFT, WIDTH - RIGHT)
    return Axes(right, _decades([point.speed for point in points] + [roof.peak], HEIGHT - BOTTOM, TOP))


def _decades(numbers: Sequence[float], start: float, end: float) -> Ruler:
    low, high = math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers)) + 0.05)
    return Ruler(10.0**low, 10.0**high, start, end, log=True)


def _grid(axes: Axes) -> list[str]:
    """A line and a number for each power of ten, and what the axes mean."""
    parts = []
    for power in axes.x.powers:
        parts += [axes.column(power), text(f"{power:g}", axes.x(power), HEIGHT - BOTTOM + 13)]
    for power in axes.y.powers:
        parts += [axes.row(power), text(f"{power / 1e9:g}", LEFT - 7, axes.y(power), text_anchor="end")]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(text("FLOP/byte of inputs, weights and outputs", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 31))
    parts.append(text("GFLOP/s", 14.0, middle, transform=f"rotate(-90 14 {middle:g})"))
    return parts


def _roof(axes: Axes, roof: Roof) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in _corners(axes, roof))
    return [element("polyline", points=path, fill="none", stroke=INK, stroke_width=2.0, stroke_linejoin="round")]


def _corners(axes: Axes, roof: Roof) -> list[tuple[float, float]]:
    """The slope up to the ridge, then the flat, in the picture; the slope begins where it enters the picture."""
    low = max(axes.x.low, axes.y.low / roof.bandwidth)
    corners = [(low, roof.at(low)), (roof.ridge, roof.peak), (axes.x.high, roof.peak)]
    return [(axes.x(x), axes.y(y)) for x, y in corners]


def _circle(point: Point, axes: Axes, share: float) -> str:
    kind = swatch_of(point.type)
    facts = f"{point.name} ({point.type}): {point.intensity:.3g} FLOP/byte, {_giga(point.speed)} GFLOP/s"
    title = element("title", escape(f"{facts}, {share:.1%} of the time"))
    x, y = axes.x(point.intensity), axes.y(point.speed)
    look = {"fill": kind.fill, "fill_opacity": 0.85, "stroke": kind.border, "stroke_width": 1.2}
    return element("circle", title, cx=x, cy=y, r=_radius(share), **look)


def _radius(share: float) -> float:
    return 3.0 + 26.0 * math.sqrt(share)


def _labels(slowest: Sequence[Point], axes: Axes, total: float, roof: Roof) -> list[str]:
    """The names of the slowest operators beside their circles, where they lie on nothing and do not leave the picture.

    A box is (left, right, middle height, half height). A name crosses the roof only where there is no other room.
    """
    circles = [(axes.x(p.intensity), axes.y(p.speed), _radius(p.seconds / total)) for p in slowest]
    taken = [(x - r, x + r, y, r) for x, y, r in circles]
    corners = _corners(axes, roof)
    parts = []
    for point, (x, y, r) in zip(slowest[:LABELLED], circles):
        name = shorten(point.name, 26)
        width = text_width(name, 10.0)
        right, left = x + r + 4, x - r - 4 - width
        away = -1 if point.speed > roof.at(point.intensity) else 1  # from the roof
        places = [(side, y + by) for by in (0, 10 * away, -10 * away) for side in (right, left)]
        places += [(x - width / 2, y + (r + 9) * by) for by in (away, -away)]
        boxes = [(start, start + width, height, 5.0) for start, height in places]
        free = [box for box in boxes if _is_inside(box) and not any(_overlap(box, other) for other in taken)]
        if free:
            box = min(free, key=lambda box: _crosses(box, corners))
            taken.append(box)
            parts.append(text(name, box[0], box[2], 10.0, text_anchor="start"))
    return parts


def _is_inside(box: tuple[float, ...]) -> bool:
    return box[0] >= LEFT and box[1] <= WIDTH - RIGHT and TOP <= box[2] <= HEIGHT - BOTTOM - 6


def _crosses(box: tuple[float, ...], corners: Sequence[tuple[float, float]]) -> bool:
    """Whether the roof, which only rises to the right, goes through the box."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    first, last = (float(np.interp(x, xs, ys)) for x in box[:2])
    return box[1] > corners[0][0] and last < box[2] + box[3] and first > box[2] - box[3]


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and abs(a[2] - b[2]) < a[3] + b[3]


def _legend(swatches: Sequence[Swatch]) -> list[str]:
    """A dot and a name for each family of operators, in one line at the bottom."""
    parts, x, y = [], LEFT, HEIGHT - 18
    for kind in swatches:
        parts.append(element("circle", cx=x, cy=y, r=5.0, fill=kind.fill, stroke=kind.border, stroke_width=1.2))
        parts.append(text(kind.name, x + 10, y, 10.0, text_anchor="start"))
        x += text_width(kind.name, 10.0) + 26
    return parts


def _giga(value: float) -> str:
    return f"{value / 1e9:.3g}"
