"""A graph as a picture: operators as boxes from top to bottom, operands as lines with their shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from kuiper.show.layout import BEND, Layout, layered
from kuiper.show.nodes import Node, nodes_in_order
from kuiper.show.palette import FAMILIES, INK, Family, family
from kuiper.show.svg import Svg, element, escape, number, picture, pill, pill_width, shorten, text, text_width

BOX, LABELS = 40.0, 22.0
"""Heights of a box and of the strip below it where its operands' shapes stand."""
MARGIN, LETTERS = 16.0, 36
ARROW = 6.0
PORT = 16.0
"""Pixels between two lines that enter the same box."""


def show_graph(graph: Any, *, title: str | None = None, families: Mapping[str, Family] | None = None) -> Svg:
    """A pnnx.Graph or a RuntimeGraph -> its picture: one box per operator, one line per input slot.

    Colours tell the family of an operator, labels shape and type of an operand ("1x64x56x56 f32"; ? = known only when
    the network runs). A box shows its parameters while the mouse rests on it. The same graph gives the same text.
    `families` (operator name -> family) gives operators other colours than those of their types.
    Raises KuiperError when `graph` has no operators to draw, GraphError when it has a cycle.

    >>> from kuiper.pnnx import Graph, Operand, Operator
    >>> x = Operand("0", shape=(1, 3))
    >>> graph = Graph([Operator("pnnx.Input", "in", [], [x]), Operator("nn.ReLU", "relu", [x])])
    >>> "relu" in show_graph(graph).text
    True
    """
    nodes = nodes_in_order(graph)
    producer = {operand: i for i, node in enumerate(nodes) for operand, _ in node.outputs}
    wires = [(producer[operand], i, operand) for i, node in enumerate(nodes) for operand in node.inputs]
    late = {i for i, node in enumerate(nodes) if not node.inputs and family(node.type).name != "input, output"}
    own = families or {}
    for node in nodes:
        _measure(node)
        node.family = own.get(node.name) or family(node.type)
    edges = [(source, target) for source, target, _ in wires]
    layout = layered([_full_width(node) for node in nodes], edges, late)

    heading = title or f"Graph of {len(nodes)} operators"
    width = max([x + _full_width(node) / 2 for x, node in zip(layout.x, nodes)] + [300.0, text_width(title or "", 15)])
    width = max([width, *(x + BEND for bends in layout.bends for x in bends)])
    used = {node.family for node in nodes}
    head, top = _head(title, [kind for kind in dict.fromkeys([*FAMILIES, *own.values()]) if kind in used], width)
    tops = _tops(nodes, layout, edges, top)
    for node, x, layer in zip(nodes, layout.x, layout.layer):
        node.x, node.y = x + MARGIN, tops[layer]

    body = [*_lines(nodes, wires, layout, tops), *map(_labels, nodes), *map(_box, nodes)]
    bottom = tops[-1] + BOX + (LABELS if any(n.outputs and n.y == tops[-1] for n in nodes) else 0) if nodes else top
    return picture(width + 2 * MARGIN, bottom + MARGIN, heading, _description(nodes, wires), *head, *body)


def _head(title: str | None, kinds: Sequence[Family], width: float) -> tuple[list[str], float]:
    """The title, if any, and the colours that the picture uses, in as many lines as they need; and where they end."""
    y, marks = MARGIN, []
    if title:
        marks.append(text(title, MARGIN, y + 8, 15.0, text_anchor="start", font_weight="bold"))
        y += 28
    x = MARGIN
    for kind in kinds:
        needed = text_width(kind.name) + 34
        if x > MARGIN and x + needed > width + MARGIN:
            x, y = MARGIN, y + 20
        marks.append(
            element("rect", x=x, y=y, width=14.0, height=14.0, rx=3.0, fill=kind.fill, stroke=kind.border)
            + text(kind.name, x + 20, y + 7.5, text_anchor="start")
        )
        x += needed
    return marks, y + 34


def _description(nodes: Sequence[Node], wires: Sequence[tuple[int, int, str]]) -> str:
    """What a reader who cannot see the picture needs: how many boxes of which type, and what goes in and out."""
    counts: dict[str, int] = {}
    for node in nodes:
        counts[node.type] = counts.get(node.type, 0) + 1
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items(), key=lambda item: -item[1])[:8])
    inputs = [f"{n.name} {label}".strip() for n in nodes if n.type == "pnnx.Input" for _, label in n.outputs]
    some = ", ".join(inputs) or "none"
    return f"{len(nodes)} operators, {len(wires)} lines. Operators: {kinds or 'none'}. Inputs: {some}."


def _measure(node: Node) -> None:
    """Set the width of the box and the places where its outputs leave it, far enough apart for their labels."""
    widths = [pill_width(label) if label else PORT for _, label in node.outputs]
    x = -(sum(widths) + 6 * (len(widths) - 1)) / 2
    for (operand, _), width in zip(node.outputs, widths):
        node.exits[operand] = x + width / 2
        x += width + 6
    lines = (text_width(shorten(node.type, LETTERS), 12), text_width(shorten(node.name, LETTERS), 10))
    ports = [PORT * len(node.inputs), *(2 * abs(exit) for exit in node.exits.values())]
    node.width = max(*lines, *ports, 64.0) + 20


def _full_width(node: Node) -> float:
    labels = [2 * abs(node.exits[operand]) + pill_width(label) for operand, label in node.outputs]
    return max([node.width, *labels])


def _tops(nodes: Sequence[Node], layout: Layout, edges: Sequence[tuple[int, int]], top: float) -> list[float]:
    """y of each layer: more room where a line has to go far to the side."""
    gaps = [0.0] * max(layout.layer, default=0)
    for (source, target), bends in zip(edges, layout.bends):
        stops = [layout.x[source], *bends, layout.x[target]]
        for i, (start, end) in enumerate(pairwise(stops), layout.layer[source]):
            gaps[i] = max(gaps[i], abs(end - start))
    tops = [top]
    for sideways in gaps:
        tops.append(tops[-1] + BOX + LABELS + min(22 + 0.12 * sideways, 70))
    return tops


def _lines(
    nodes: Sequence[Node], wires: Sequence[tuple[int, int, str]], layout: Layout, tops: Sequence[float]
) -> list[str]:
    arrivals: dict[int, list[tuple[float, int]]] = {}
    for i, (source, target, operand) in enumerate(wires):
        last = layout.bends[i][-1] if layout.bends[i] else layout.x[source] + nodes[source].exits[operand]
        arrivals.setdefault(target, []).append((last + MARGIN, i))
    entries: dict[int, float] = {}
    for target, lines in arrivals.items():
        entries |= _entries(nodes[target].x, sorted(lines))
    return [
        _line(nodes[source], nodes[target], operand, [x + MARGIN for x in layout.bends[i]], entries[i],
              tops[layout.layer[source] : layout.layer[target]])
        for i, (source, target, operand) in enumerate(wires)
    ]  # fmt: skip


def _entries(x: float, lines: Sequence[tuple[float, int]]) -> dict[int, float]:
    """(where it comes from, number of the line) from left to right -> number: x at which it enters the box at `x`."""
    middle = (len(lines) - 1) / 2
    nearest = min(range(len(lines)), key=lambda i: abs(lines[i][0] - x))
    if len(lines) <= 3 and abs(lines[nearest][0] - x) < PORT:
        middle = nearest  # the line from right above goes straight down
    return {line: x + PORT * (place - middle) for place, (_, line) in enumerate(lines)}


def _line(source: Node, target: Node, operand: str, bends: list[float], entry: float, tops: Sequence[float]) -> str:
    """From the source's exit straight down beside boxes and labels, and to the side only between two layers."""
    x = source.x + source.exits[operand]
    path = [f"M{number(x)} {number(source.y + BOX)}"]
    ends = [*zip(bends, tops[1:]), (entry, target.y - ARROW)]
    for top, (to, y) in zip(tops, ends):
        start = top + BOX + LABELS
        middle = number((start + y) / 2)
        path.append(f"V{number(start)}C{number(x)} {middle} {number(to)} {middle} {number(to)} {number(y)}")
        x = to
    tip = f"{number(x)},{number(target.y)}"
    head = " ".join([tip, *(f"{number(x + dx)},{number(target.y - ARROW - 1)}" for dx in (4.0, -4.0))])
    line = element("path", d="".join(path), fill="none", stroke=INK, stroke_width=1.5)
    return element("g", element("title", escape(f"{operand}: {source.name} → {target.name}")), line,
                   element("polygon", points=head, fill=INK))  # fmt: skip


def _labels(node: Node) -> str:
    return "".join(
        pill(label, node.x + node.exits[operand], node.y + BOX + 11) for operand, label in node.outputs if label
    )


def _box(node: Node) -> str:
    kind = node.family or family(node.type)
    tip = "\n".join(line for line in (f"{node.name} ({node.type})", node.options) if line)
    rect = element("rect", x=node.x - node.width / 2, y=node.y, width=node.width, height=BOX, rx=6.0, fill=kind.fill,
                   stroke=kind.border, stroke_width=1.5)  # fmt: skip
    return element(
        "g",
        element("title", escape(tip)),
        rect,
        text(shorten(node.type, LETTERS), node.x, node.y + 14, 12.0, kind.text, font_weight="bold"),
        text(shorten(node.name, LETTERS), node.x, node.y + 29, 10.0, kind.text),
    )
