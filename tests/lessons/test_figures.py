"""The lessons' figures: what figures.py draws, and readable on white paper and on a dark screen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from classroom import register
from classroom.dev import figures

SCRIPTS = figures.scripts(register.load().lessons)
PICTURES = sorted((register.ROOT / "lessons").glob("*/figures/*.svg"))
WIDEST = 720
PAGES = {"white": "#ffffff", "black": "#0d1117"}
TEXT, LINE = 3.0, 2.5
"""Smallest contrast, as WCAG counts it, of text and of lines."""
SVG = "{http://www.w3.org/2000/svg}"

every_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parent.name)
every_picture = pytest.mark.parametrize("path", PICTURES, ids=lambda path: f"{path.parts[-3]}/{path.stem}")


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """1 (the same) to 21 (black on white).

    >>> round(contrast("#000000", "#fff"))
    21
    """
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def extent(shape: ET.Element) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of a shape that can be a ground for text."""

    def number(name: str) -> float:
        return float(shape.get(name, "0").removesuffix("px"))

    kind = shape.tag.removeprefix(SVG)
    if kind in ("rect", "image"):
        return number("x"), number("y"), number("x") + number("width"), number("y") + number("height")
    if kind in ("circle", "ellipse"):
        rx, ry = (number("r") or number("rx")), (number("r") or number("ry"))
        return number("cx") - rx, number("cy") - ry, number("cx") + rx, number("cy") + ry
    points = [float(value) for value in re.findall(r"-?\d+(?:\.\d+)?", shape.get("points", ""))]
    return (min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])) if points else (0, 0, 0, 0)


def colour_of(element: ET.Element, name: str) -> str | None:
    value = element.get(name, "none")
    return value if re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", value) else None


def unreadable(root: ET.Element) -> list[str]:
    """Texts that cannot be told from their ground, and lines from the page."""
    grounds: list[tuple[tuple[float, float, float, float], str]] = []
    found = []
    for element in root.iter():
        kind = element.tag.removeprefix(SVG)
        if kind in ("text", "tspan"):
            x, y = float(element.get("x", "0")), float(element.get("y", "0"))
            below = [colour for (x0, y0, x1, y1), colour in grounds if x0 <= x <= x1 and y0 <= y <= y1]
            pages = {"its box": below[-1]} if below else PAGES
            colour = colour_of(element, "fill") or "#000000"
            if kind == "tspan" and colour_of(element, "fill") is None:
                continue
            said = f"{''.join(element.itertext())!r} in {colour}"
            found += [f"{said} on {page}" for page, ground in pages.items() if contrast(colour, ground) < TEXT]
        elif kind in ("rect", "circle", "ellipse", "polygon") and colour_of(element, "fill"):
            grounds.append((extent(element), colour_of(element, "fill") or ""))
        elif kind in ("line", "path", "polyline", "rect", "circle", "ellipse", "polygon"):
            stroke = colour_of(element, "stroke")
            if stroke:
                found += [
                    f"{kind} in {stroke} on {p}" for p, ground in PAGES.items() if contrast(stroke, ground) < LINE
                ]
    return found


def test_every_lesson_that_shows_figures_draws_them() -> None:
    assert {path.parent.parent for path in PICTURES} == {script.parent for script in SCRIPTS}
    assert PICTURES


@every_script
def test_the_stored_figures_are_what_the_script_draws(script: Path) -> None:
    assert not figures.wrong(script)


@every_script
def test_two_runs_draw_the_same(script: Path) -> None:
    assert figures.drawn(script) == figures.drawn(script)


@every_picture
def test_a_figure_is_an_svg_with_a_title(path: Path) -> None:
    root = ET.fromstring(path.read_bytes())
    title = root.find(f"{SVG}title")
    assert root.tag == f"{SVG}svg"
    assert title is not None
    assert title.text


@every_picture
def test_a_figure_fits_the_page(path: Path) -> None:
    root = ET.fromstring(path.read_bytes())
    assert 0 < float(root.get("width", "0").removesuffix("px")) <= WIDEST
    assert root.get("viewBox")


@every_picture
def test_a_figure_needs_nothing_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"<script|<foreignObject|@import|href=\"(?!data:|#)", text)


@every_picture
def test_a_figure_is_readable_on_white_and_on_black(path: Path) -> None:
    assert not unreadable(ET.fromstring(path.read_bytes()))


@pytest.mark.parametrize(
    ("drawing", "faults"),
    [
        ('<text x="5" y="5" fill="#74808d">a</text>', 0),
        ('<text x="5" y="5" fill="#ffffff">a</text>', 1),
        ('<text x="5" y="5" fill="#1d2530">a</text>', 1),
        ('<text x="5" y="5">a</text>', 1),
        ('<rect width="9" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#1d2530">a</text>', 0),
        ('<rect width="9" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#ffffff">a</text>', 1),
        ('<rect width="2" height="9" fill="#cfe3fa"/><text x="5" y="5" fill="#1d2530">a</text>', 1),
        ('<line stroke="#74808d"/>', 0),
        ('<line stroke="#000"/>', 1),
        ('<rect fill="none" stroke="#eeeeee"/>', 1),
        ('<rect fill="#cfe3fa" stroke="#000"/>', 0),
    ],
)
def test_what_disappears_is_found(drawing: str, faults: int) -> None:
    root = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{drawing}</svg>')
    assert len(unreadable(root)) == faults
