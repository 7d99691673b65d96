"""A network's graph as the viewer needs it: kuiper.show's drawing, with classes instead of colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from classroom.site.viewer.errors import ViewerError
from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph
from kuiper.show import show_graph
from kuiper.show.graph import operators_in_order
from kuiper.show.palette import swatch_of
from kuiper.show.svg import element, escape, number

COLOURS = {
    "input, output": "dark", "weight": "rose", "convolution": "blue", "pooling": "teal", "normalization": "green",
    "linear, attention": "violet", "activation": "orange", "shape": "plain", "arithmetic": "yellow",
}  # fmt: skip
"""Family of operators -> its colour in the style sheet."""
MARGIN = 10.0
SMALL = "10"
"""The size of most texts, as the drawing has it; the picture's own."""
PIECE = re.compile(r"V(?P<start>\S+?)C(?P<x>\S+) \S+ (?P<to>\S+) \S+ (?P=to) (?P<y>[^V\s]+)")
"""A piece of a line: straight down, and then to the side."""
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Drawing:
    """The graph's SVG, and what its numbers stand for: operators by name, and edges as pairs of their numbers."""

    svg: str
    names: list[str]
    edges: list[tuple[int, int]]


def draw(graph: RuntimeGraph, label: str) -> Drawing:
    """A built graph -> its drawing; operator i is the element with data-op="i", an edge has data-from and data-to.

    Raises ViewerError when kuiper.show draws something other than one line per input and one box per operator.
    """
    operators = operators_in_order(graph)
    producer = {operand.name: i for i, op in enumerate(operators) for operand in op.outputs}
    edges = [(producer[operand.name], i) for i, op in enumerate(operators) for operand in op.inputs]
    root = ElementTree.fromstring(show_graph(graph))
    marks = [child for child in root if child.tag not in (f"{SVG}title", f"{SVG}desc")]
    groups = [i for i, mark in enumerate(marks) if mark.tag == f"{SVG}g"]
    if len(groups) != len(edges) + len(operators):
        raise ViewerError(f"graph: expected {len(edges)} lines and {len(operators)} boxes, found {len(groups)} groups")
    head = groups[0] if groups else len(marks)  # the legend stands before the first line
    lines = [marks[i] for i in groups[: len(edges)]]
    boxes = [marks[i] for i in groups[len(edges) :]]
    pills = [mark for mark in marks[head:] if mark.tag != f"{SVG}g"]
    body = [*_lines(lines, edges), *_pills(pills), *_boxes(boxes, operators)]
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    top = min(float(_found(box, "rect").attrib["y"]) for box in boxes) - MARGIN
    view = f"0 {number(top)} {number(width)} {number(height - top)}"
    svg = element("svg", *body, **{"class": "drawing"}, viewBox=view, width=width, height=height - top, role="img",
                  aria_label=label, text_anchor="middle", font_size=SMALL)  # fmt: skip
    return Drawing(svg, [op.name for op in operators], edges)


def _found(mark: ElementTree.Element, name: str) -> ElementTree.Element:
    child = mark.find(f"{SVG}{name}")
    if child is None:
        raise ViewerError(f"graph: expected a {name} in {ElementTree.tostring(mark)[:80]!r}")
    return child


def _lines(lines: Sequence[ElementTree.Element], edges: Sequence[tuple[int, int]]) -> Iterator[str]:
    for line, (source, target) in zip(lines, edges, strict=True):
        wire = element("path", d=shortened(_found(line, "path").attrib["d"]), **{"class": "wire"})
        tip = element("polygon", points=_found(line, "polygon").attrib["points"], **{"class": "tip"})
        yield element("g", wire, tip, **{"class": "edge", "data-from": source, "data-to": target})


def shortened(path: str) -> str:
    """The path of a line, with one step for all pieces that go straight down.

    >>> shortened("M4 90V112C4 134 4 134 4 157V203C4 220 9 220 9 240")
    'M4 90V203C4 220 9 220 9 240'
    """
    straight = PIECE.sub(lambda piece: f"V{piece['y']}" if piece["x"] == piece["to"] else piece[0], path)
    return re.sub(r"(?:V[^VC]+)+(?=V)", "", straight)


def _pills(pills: Sequence[ElementTree.Element]) -> Iterator[str]:
    """Labels with their grounds: shape and type of an operand."""
    for mark in pills:
        if mark.tag == f"{SVG}rect":
            yield _rect(mark, "pill")
        else:
            yield _text(mark)


def _boxes(boxes: Sequence[ElementTree.Element], operators: Sequence[Operator]) -> Iterator[str]:
    for i, (box, op) in enumerate(zip(boxes, operators, strict=True)):
        lines = [_text(mark) for mark in box.findall(f"{SVG}text")]
        kind = f"op {COLOURS[swatch_of(op.type).name]}"
        yield element("g", _rect(_found(box, "rect")), *lines, **{"class": kind, "data-op": i})


def _rect(mark: ElementTree.Element, kind: str = "") -> str:
    kept = {key: mark.attrib[key] for key in ("x", "y", "width", "height", "rx")}
    return element("rect", **({"class": kind} if kind else {}), **kept)


def _text(mark: ElementTree.Element) -> str:
    kept = {key: mark.attrib[key] for key in ("x", "y")}
    if mark.attrib["font-size"] != SMALL:
        kept["font_size"] = mark.attrib["font-size"]
    bold = {"class": "strong"} if mark.attrib.get("font-weight") == "bold" else {}
    return element("text", escape(mark.text or ""), **kept, **bold)
