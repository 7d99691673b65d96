"""A graph as a picture: operators as boxes from top to bottom, operands as lines with their shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kuiper.errors import GraphError, KuiperError
from kuiper.graph import BOUNDARY, Attribute, Graph, Operand, Operator, topological_order
from kuiper.runtime import RuntimeGraph
from kuiper.show.layout import BEND, Layering, layered
from kuiper.show.palette import INK, SWATCHES, Swatch, swatch_of
from kuiper.show.svg import Svg, element, escape, legend, number, picture, pill, pill_width, shorten, text, text_width

BOX, LABELS = 40.0, 22.0
"""Heights of a box and of the strip below it where its operands' shapes stand."""
MARGIN, LETTERS = 16.0, 36
ARROW = 6.0
PORT = 16.0
"""Pixels between two lines that enter the same box."""


@dataclass
class Box:
    """An operator as it is drawn: its colours, the place of the box, and where its outputs leave it.

    exits : operand -> x from the middle of the box.
    """

    operator: Operator
    swatch: Swatch
    width: float = 0.0
    x: float = 0.0
    y: float = 0.0
    exits: dict[str, float] = field(default_factory=dict)


Wire = tuple[int, int, str]
"""A line from one box to another, by number, and the operand that it is."""


def show_graph(
    graph: Graph | RuntimeGraph, *, title: str | None = None, swatches: Mapping[str, Swatch] | None = None
) -> Svg:
    """A pnnx.Graph or a RuntimeGraph -> its picture: one box per operator, one line per input slot.

    Colours tell the family of an operator, labels shape and type of an operand ("1x64x56x56 f32"; ? = known only when
    the network runs). A box shows its parameters while the mouse rests on it. The same graph gives the same text.
    `swatches` (operator name -> colours) gives operators other colours than those of their types.
    Raises KuiperError when `graph` is no graph, GraphError when it has a cycle.

    >>> from kuiper.pnnx import Graph, Operand, Operator
    >>> x = Operand("0", shape=(1, 3))
    >>> graph = Graph([Operator("pnnx.Input", "in", [], [x]), Operator("nn.ReLU", "relu", [x])])
    >>> "relu" in show_graph(graph).text
    True
    """
    own = swatches or {}
    boxes = [Box(op, own.get(op.name) or swatch_of(op.type)) for op in operators_in_order(graph)]
    producer = {operand.name: i for i, box in enumerate(boxes) for operand in box.operator.outputs}
    wires = [(producer[o.name], i, o.name) for i, box in enumerate(boxes) for o in box.operator.inputs]
    late = {i for i, box in enumerate(boxes) if not box.operator.inputs and box.operator.type not in BOUNDARY}
    for box in boxes:
        _measure(box)
    edges = [(source, target) for source, target, _ in wires]
    layout = layered([_full_width(box) for box in boxes], edges, late)

    heading = title or f"Graph of {len(boxes)} operators"
    width = max([x + _full_width(box) / 2 for x, box in zip(layout.x, boxes)] + [300.0, text_width(title or "", 15)])
    width = max([width, *(x + BEND for bends in layout.bends for x in bends)])
    used = {box.swatch for box in boxes}
    head, top = _head(title, [kind for kind in dict.fromkeys([*SWATCHES, *own.values()]) if kind in used], width)
    tops = _tops(layout, edges, top)
    for box, x, layer in zip(boxes, layout.x, layout.layer):
        box.x, box.y = x + MARGIN, tops[layer]

    body = [*_lines(boxes, wires, layout, tops), *map(_labels, boxes), *map(_box, boxes)]
    labelled = any(box.operator.outputs and box.y == tops[-1] for box in boxes)
    bottom = tops[-1] + BOX + (LABELS if labelled else 0) if boxes else top
    return picture(width + 2 * MARGIN, bottom + MARGIN, heading, _description(boxes, wires), *head, *body)


def operators_in_order(graph: Graph | RuntimeGraph) -> list[Operator]:
    """A graph's operators, each after those it reads from.

    Operands that nothing produces, as in a part of a graph, come from an operator that is made here.
    Raises KuiperError for what is no graph, GraphError for a cycle or two operators of one name.
    """
    if not isinstance(graph, (Graph, RuntimeGraph)):
        raise KuiperError(f"show_graph: expected a pnnx.Graph or a RuntimeGraph, found {type(graph).__name__}")
    made = {operand.name for op in graph.operators for operand in op.outputs}
    outside = dict.fromkeys(o.name for op in graph.operators for o in op.inputs if o.name not in made)
    sources = [Operator("pnnx.Input", f"from outside: {name}", [], [Operand(name)]) for name in outside]
    by_name = {op.name: op for op in (*sources, *graph.operators)}
    if len(by_name) < len(sources) + len(graph.operators):
        raise GraphError("show_graph: expected operators with different names, found two of one name")
    readers: dict[str, list[str]] = {}
    for op in by_name.values():
        for operand in op.inputs:
            readers.setdefault(operand.name, []).append(op.name)
    successors = {op.name: [r for o in op.outputs for r in readers.get(o.name, ())] for op in by_name.values()}
    return [by_name[name] for name in topological_order(successors)]


def _head(title: str | None, kinds: Sequence[Swatch], width: float) -> tuple[list[str], float]:
    """The title, if any, and the colours that the picture uses, in as many lines as they need; and where they end."""
    y, marks = MARGIN, []
    if title:
        marks.append(text(title, MARGIN, y + 8, 15.0, text_anchor="start", font_weight="bold"))
        y += 28
    swatches, y = legend(kinds, MARGIN, y, width + MARGIN)
    return marks + swatches, y + 34


def _description(boxes: Sequence[Box], wires: Sequence[Wire]) -> str:
    """What a reader who cannot see the picture needs: how many boxes of which type, and what goes in and out."""
    operators = [box.operator for box in boxes]
    counts = Counter(op.type for op in operators)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common(8))
    inputs = [f"{op.name} {label(o)}".strip() for op in operators if op.type == "pnnx.Input" for o in op.outputs]
    some = ", ".join(inputs) or "none"
    return f"{len(boxes)} operators, {len(wires)} lines. Operators: {kinds or 'none'}. Inputs: {some}."


def label(value: Operand | Attribute) -> str:
    """Shape and type of an operand or a weight; what is not known is left out.

    >>> label(Operand("0", (1, -1, 16))), label(Operand("1"))
    ('1x?x16', '')
    """
    sizes = "" if value.shape is None else "x".join("?" if n < 0 else str(n) for n in value.shape) or "scalar"
    return f"{sizes} {value.dtype.code if value.dtype else ''}".strip()


def _measure(box: Box) -> None:
    """Set the width of the box and the places where its outputs leave it, far enough apart for their labels."""
    op = box.operator
    widths = [pill_width(label(operand)) if label(operand) else PORT for operand in op.outputs]
    x = -(sum(widths) + 6 * (len(widths) - 1)) / 2
    for operand, width in zip(op.outputs, widths):
        box.exits[operand.name] = x + width / 2
        x += width + 6
    lines = (text_width(shorten(op.type, LETTERS), 12), text_width(shorten(op.name, LETTERS), 10))
    ports = [PORT * len(op.inputs), *(2 * abs(exit) for exit in box.exits.values())]
    box.width = max(*lines, *ports, 64.0) + 20


def _full_width(box: Box) -> float:
    labels = [2 * abs(box.exits[operand.name]) + pill_width(label(operand)) for operand in box.operator.outputs]
    return max([box.width, *labels])


def _tops(layout: Layering, edges: Sequence[tuple[int, int]], top: float) -> list[float]:
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


def _lines(boxes: Sequence[Box], wires: Sequence[Wire], layout: Layering, tops: Sequence[float]) -> list[str]:
    arrivals: dict[int, list[tuple[float, int]]] = {}
    for i, (source, target, operand) in enumerate(wires):
        last = layout.bends[i][-1] if layout.bends[i] else layout.x[source] + boxes[source].exits[operand]
        arrivals.setdefault(target, []).append((last + MARGIN, i))
    entries: dict[int, float] = {}
    for target, lines in arrivals.items():
        entries |= _entries(boxes[target].x, sorted(lines))
    return [
        _line(boxes[source], boxes[target], operand, [x + MARGIN for x in layout.bends[i]], entries[i],
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


def _line(source: Box, target: Box, operand: str, bends: list[float], entry: float, tops: Sequence[float]) -> str:
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
    return element("g", element("title", escape(f"{operand}: {source.operator.name} → {target.operator.name}")), line,
                   element("polygon", points=head, fill=INK))  # fmt: skip


def _labels(box: Box) -> str:
    return "".join(
        pill(label(operand), box.x + box.exits[operand.name], box.y + BOX + 11)
        for operand in box.operator.outputs
        if label(operand)
    )


def _box(box: Box) -> str:
    op, kind = box.operator, box.swatch
    options = [f"{key}={parameter.value}" for key, parameter in op.params.items()]
    options += [f"@{key}={label(attribute)}" for key, attribute in op.attributes.items()]
    rect = element("rect", x=box.x - box.width / 2, y=box.y, width=box.width, height=BOX, rx=6.0, fill=kind.fill,
                   stroke=kind.border, stroke_width=1.5)  # fmt: skip
    return element(
        "g",
        element("title", escape("\n".join([f"{op.name} ({op.type})", *options]))),
        rect,
        text(shorten(op.type, LETTERS), box.x, box.y + 14, 12.0, kind.text, font_weight="bold"),
        text(shorten(op.name, LETTERS), box.x, box.y + 29, 10.0, kind.text),
    )
