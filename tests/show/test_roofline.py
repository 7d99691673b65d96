"""The roofline picture: points and roof where the numbers say, and words for those who cannot see it."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from kuiper.profile import Point, Roof
from kuiper.show import show_roofline

ROOF = Roof(peak=200e9, bandwidth=20e9, threads=2)
POINTS = [
    Point("conv <1>", "nn.Conv2d", 80.0, 150e9, 3e-3),
    Point("add", "pnnx.Expression", 0.1, 1e9, 1e-4),
    Point("fc", "nn.Linear", 0.5, 9e9, 1e-3),
]
SVG = "{http://www.w3.org/2000/svg}"


def draw(points: list[Point] = POINTS) -> ElementTree.Element:
    return ElementTree.fromstring(show_roofline(points, ROOF, title="net").text)


def scales(root: ElementTree.Element) -> tuple[tuple[float, float], tuple[float, float]]:
    """(pixels at 1, pixels per decade) of both axes, as the numbers written beside them say."""
    ticks: dict[str, list[tuple[float, float]]] = {"x": [], "y": []}
    for text in root.iter(f"{SVG}text"):
        try:
            power = math.log10(float(text.text or ""))
        except ValueError:
            continue
        along = "y" if text.get("text-anchor") == "end" else "x"
        ticks[along].append((power, float(text.get(along, "0"))))
    found = []
    for marks in (ticks["x"], ticks["y"]):
        (p, a), (q, b) = marks[0], marks[-1]
        step = (b - a) / (q - p)
        found.append((a - p * step, step))
    return found[0], found[1]


def test_every_circle_stands_where_the_axes_say() -> None:
    root = draw()
    (x0, dx), (y0, dy) = scales(root)
    circles = [c for c in root.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None]
    assert len(circles) == len(POINTS)
    by_name = {(c.findtext(f"{SVG}title") or "").split(" (")[0]: c for c in circles}
    for point in POINTS:
        circle = by_name[point.name]
        assert float(circle.get("cx", "0")) == pytest.approx(x0 + dx * math.log10(point.intensity), abs=0.2)
        assert float(circle.get("cy", "0")) == pytest.approx(y0 + dy * math.log10(point.speed / 1e9), abs=0.2)
    sizes = [float(by_name[p.name].get("r", "0")) for p in sorted(POINTS, key=lambda p: p.seconds)]
    assert sizes == sorted(sizes)


def test_the_roof_rises_with_the_bandwidth_and_ends_at_the_peak() -> None:
    root = draw()
    (x0, dx), (y0, dy) = scales(root)
    line = root.find(f"{SVG}polyline")
    assert line is not None
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("points", "").split()]
    for x, y in corners:
        intensity, speed = 10 ** ((x - x0) / dx), 10 ** ((y - y0) / dy) * 1e9
        assert speed == pytest.approx(min(200e9, 20e9 * intensity), rel=0.01)
    assert 10 ** ((corners[1][0] - x0) / dx) == pytest.approx(10.0, rel=0.01)


def test_the_picture_says_in_words_what_it_shows() -> None:
    root = draw()
    assert root.findtext(f"{SVG}title") == "net"
    description = root.findtext(f"{SVG}desc") or ""
    for words in ("3 operators", "200 GFLOP/s", "20 GB/s", "2 threads", "conv <1> 80 FLOP/byte, 150 GFLOP/s"):
        assert words in description
    assert root.get("role") == "img"


def test_the_same_points_in_any_order_give_the_same_picture() -> None:
    assert show_roofline(POINTS, ROOF).text == show_roofline(POINTS[::-1], ROOF).text


def test_everything_lies_inside_the_picture_even_far_from_the_roof() -> None:
    root = draw([Point("slow", "nn.ReLU", 1e-4, 3e3, 1.0), Point("fast", "nn.Conv2d", 9e4, 9e12, 1.0)])
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for circle in root.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx", "-1")) < width
        assert 0 < float(circle.get("cy", "-1")) < height


def test_names_keep_off_the_roof_and_off_each_other() -> None:
    speeds = {"im2col": 1.5e9, "matmul": 60e9, "NHWC": 120e9, "Winograd": 205e9, "threads": 320e9}
    points = [Point(name, "nn.Conv2d", 62.0, speed, 3e7 / speed) for name, speed in speeds.items()]
    root = draw([*points, Point("add", "nn.ReLU", 1.0, 19e9, 1e-4)])
    line = root.find(f"{SVG}polyline")
    assert line is not None
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("points", "").split()]
    names = [(text.text, float(text.get("x", "0")), float(text.get("y", "0"))) for text in root.iter(f"{SVG}text")]
    placed = {name: (x, y) for name, x, y in names if name in speeds or name == "add"}
    assert placed.keys() == {*speeds, "add"}
    heights = sorted(y for _, y in placed.values())
    assert all(upper - lower >= 9 for lower, upper in pairwise(heights))
    for name, (x, y) in placed.items():
        for place in np.linspace(x, x + 5 * len(name), 20):
            height = float(np.interp(place, *zip(*corners, strict=True)))
            assert place < corners[0][0] or abs(height - y) > 4, name
