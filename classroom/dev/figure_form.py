"""The form of the lessons' figures: an SVG that fits the page, needs nothing else, and reads on white and on black."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

WIDEST = 720
PAGES = {"white": "#ffffff", "black": "#0d1117"}
TEXT, LINE = 3.0, 2.5
"""Smallest contrast, as WCAG counts it, of text and of lines."""
PHONE, SMALLEST = 358, 8.5
"""Width of a figure on a phone (390 pixels, less the margins), and of its smallest letters there."""
PLACEHOLDER = "TODO"
"""What stands where the author of a lesson has to write, as `dev new lesson` leaves it."""
SVG = "{http://www.w3.org/2000/svg}"


def faults(path: Path, where: str) -> Iterator[str]:
    """What is wrong with the form of a figure, each in a sentence that begins with `where`."""
    try:
        root = ET.fromstring(path.read_bytes())
    except (OSError, ET.ParseError) as error:
        yield f"{where}: expected an SVG picture, found no XML ({error}): draw it again with `dev figures`"
        return
    for rule in RULES:
        for fault in rule(root):
            yield f"{where}: {fault}"


def has_a_title(root: ET.Element) -> Iterator[str]:
    """A figure is an SVG with a title, which screen readers read out."""
    if root.tag != f"{SVG}svg":
        yield f"expected the element svg of http://www.w3.org/2000/svg at the top, found {root.tag}"
    if not root.findtext(f"{SVG}title"):
        yield "expected a title inside, found none: picture() of kuiper.show.svg takes one"


def is_drawn(root: ET.Element) -> Iterator[str]:
    """No placeholder of `dev new lesson` is left."""
    for element in root.iter():
        if PLACEHOLDER in (element.text or ""):
            yield f"draw what stands as {element.text!r} in figures.py"


def fits_the_page(root: ET.Element) -> Iterator[str]:
    """A figure is at most WIDEST pixels wide, and scales."""
    width = _number(root, "width")
    if not 0 < width <= WIDEST:
        yield f"expected a width of 1 to {WIDEST} pixels, found {width:g}: draw it narrower"
    if not root.get("viewBox"):
        yield "expected a viewBox, found none: without one it does not scale on a phone"


def needs_nothing_else(root: ET.Element) -> Iterator[str]:
    """A figure has no scripts and loads nothing."""
    for element in root.iter():
        names = [element.tag] if element.tag in (f"{SVG}script", f"{SVG}foreignObject") else []
        links = [value for key, value in element.items() if key.rpartition("}")[2] == "href"]
        names += [link for link in links if not link.startswith(("data:", "#"))]
        names += ["@import"] if "@import" in (element.text or "") else []
        for name in names:
            yield f"expected a picture that needs nothing else, found {name}: draw it with plain shapes and texts"


def reads_on_both_pages(root: ET.Element) -> Iterator[str]:
    """Texts and lines of a figure can be told from their ground on a white and on a black page."""
    for fault in unreadable(root):
        yield f"{fault} cannot be told apart: take a colour of kuiper.show.palette, or put a box behind the text"


def reads_on_a_phone(root: ET.Element) -> Iterator[str]:
    """The smallest text of a figure can be read where the figure is as wide as a phone."""
    width = _number(root, "width")
    sizes = {_number(element, "font-size") for element in root.iter() if element.get("font-size")}
    smallest = min(sizes, default=math.inf)
    shown = smallest * min(1, PHONE / width) if width else smallest
    if shown < SMALLEST:
        widest = PHONE * smallest / SMALLEST
        yield (
            f"expected text of at least {SMALLEST:g} pixels on a phone, found {shown:.1f}: with text of {smallest:g} a "
            f"figure is at most {widest:.0f} wide; let what stands side by side stand one below the other"
        )


RULES = (has_a_title, is_drawn, fits_the_page, needs_nothing_else, reads_on_both_pages, reads_on_a_phone)


def luminance(colour: str) -> float:
    """0 (black) to 1 (white), as WCAG defines it, of #rgb or #rrggbb."""
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
        return _number(shape, name)

    kind = shape.tag.removeprefix(SVG)
    if kind in ("rect", "image"):
        return number("x"), number("y"), number("x") + number("width"), number("y") + number("height")
    if kind in ("circle", "ellipse"):
        rx, ry = (number("r") or number("rx")), (number("r") or number("ry"))
        return number("cx") - rx, number("cy") - ry, number("cx") + rx, number("cy") + ry
    points = [float(value) for value in re.findall(r"-?\d+(?:\.\d+)?", shape.get("points", ""))]
    return (min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])) if points else (0, 0, 0, 0)


def colour_of(element: ET.Element, name: str) -> str | None:
    """The attribute as a colour; None if it is no colour in numbers."""
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


def _number(element: ET.Element, name: str) -> float:
    value = element.get(name, "0").removesuffix("px")
    return float(value) if re.fullmatch(r"-?[\d.]+", value) else 0.0
