"""SVG shapes for the animations; colours come from the style sheet by class."""

from __future__ import annotations

from math import dist

from kuiper.show.svg import element, escape

Point = tuple[float, float]
TIP = 6.0
"""Length of an arrow's head."""


def rect(x: float, y: float, width: float, height: float, radius: float = 4.0, **more: object) -> str:
    """A box with its upper left corner at (x, y)."""
    corners = {"rx": float(radius)} if radius else {}
    return element("rect", x=float(x), y=float(y), width=float(width), height=float(height), **corners, **more)


def box(x: float, y: float, width: float, height: float) -> str:
    """A box centred at (x, y)."""
    return rect(x - width / 2, y - height / 2, width, height)


def words(content: str, x: float, y: float, size: float = 12.0, anchor: str = "middle", kind: str = "") -> str:
    """One line of text, vertically centred at `y`."""
    named = {"class": kind} if kind else {}
    return element("text", escape(content), x=float(x), y=float(y), font_size=size, text_anchor=anchor, **named)


def path(d: str, kind: str = "wire") -> str:
    """A path without fill."""
    return element("path", d=d, **{"class": kind})


def arrow(*points: Point) -> str:
    """An arrow through the points, with its head at the last one."""
    (x0, y0), (x, y) = points[-2:]
    length = dist((x0, y0), (x, y)) or 1.0
    dx, dy = (x - x0) / length * TIP, (y - y0) / length * TIP
    places = [*points[:-1], (x - dx, y - dy)]
    corners = [(x, y), (x - dx - dy * 0.6, y - dy + dx * 0.6), (x - dx + dy * 0.6, y - dy - dx * 0.6)]
    return path("M" + "L".join(map(_place, places))) + element("path", d=f"M{'L'.join(map(_place, corners))}Z",
                                                               **{"class": "tip"})  # fmt: skip


def _place(point: Point) -> str:
    return f"{point[0]:.4g} {point[1]:.4g}"
