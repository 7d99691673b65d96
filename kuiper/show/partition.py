"""A partition as two pictures: the graph coloured by sub-graph, and who runs when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kuiper.errors import KuiperError
from kuiper.graph import Graph, Operand, Operator
from kuiper.partition import DeadlockError, NodeGraph, Partition, SubGraph, schedule
from kuiper.show.axes import Ruler
from kuiper.show.graph import show_graph
from kuiper.show.palette import Swatch, swatch_of
from kuiper.show.svg import Svg, element, escape, line, picture, shorten, text, text_width

HUES = (
    ("#cfe3fa", "#98c1ee", "#2f6db3"),
    ("#fde0c2", "#f5b97e", "#b8651b"),
    ("#e0d7f7", "#bfaeee", "#6a4fb3"),
    ("#d5edcf", "#a6d699", "#47843a"),
    ("#f8d5e0", "#eda5bf", "#b03a68"),
    ("#c6ebe8", "#88d3cd", "#1c7f7a"),
)
"""For each device two fills, which its sub-graphs take in turn, and the border."""
MOST_NAMED = 12
"""Sub-graphs that the legend names one by one; of more, it names the devices, since every box has its number."""
MOST_DRAWN = 60
"""Nodes that are drawn one by one; of a larger graph, each sub-graph is one box."""
WAVE, BAR, GAP, MARGIN, PAGE = 110.0, 30.0, 6.0, 16.0, 900.0


def show_partition(partition: Partition, *, title: str | None = None) -> Svg:
    """A Partition -> its graph, each box with the number and the colour of its sub-graph.

    Hues tell devices; sub-graphs of one device take a light and a darker fill in turn. Inputs and constants that are in
    no sub-graph have the colour of inputs. Of more than MOST_DRAWN nodes each sub-graph is one box, and lines are what
    is handed over. Raises KuiperError for what is no partition.

    >>> from kuiper.partition import Device, NodeGraph, partition
    >>> graph = NodeGraph.from_lists([["conv", [0], [1]], ["sigmoid", [1], [2]]], {0: {"kind": "input"}})
    >>> split = partition(graph, [Device("ACC", operators={"conv"}), Device("CPU")], min_nodes=0)
    >>> "sub-graph 1, CPU" in show_partition(split).text
    True
    """
    _check("show_partition", partition)
    kinds = _swatches(partition)
    graph = partition.graph
    if len(graph.nodes) > MOST_DRAWN and _runs(partition):
        drawing = _subgraphs(partition)
        swatches = dict(zip([op.name for op in drawing.operators[-len(kinds) :]], kinds))
    else:
        names = [f"{partition.subgraph_of[v]}: " if v in partition.subgraph_of else "" for v in range(len(graph.nodes))]
        labels = [
            f"{name}{node.name or f'node {v}'}" for v, (name, node) in enumerate(zip(names, graph.nodes, strict=True))
        ]
        drawing = _drawing(graph, labels)
        swatches = {labels[v]: swatch_of("pnnx.Input") for v in graph.sources}
        swatches |= {labels[v]: kinds[i] for v, i in partition.subgraph_of.items()}
    if len(kinds) > MOST_NAMED:
        by_device = sorted(swatches.items(), key=lambda item: _device_of(item[1]))
        swatches = {label: replace(kind, name=_device_of(kind)) for label, kind in by_device}
    heading = title or f"Graph of {len(graph.nodes)} nodes in {len(partition.subgraphs)} sub-graphs"
    return show_graph(drawing, title=heading, swatches=swatches)


def show_schedule(
    partition: Partition, times: Mapping[int, tuple[float, float]] | None = None, *, title: str | None = None
) -> Svg:
    """A Partition -> a Gantt chart: a row per device, a bar per sub-graph, time from left to right.

    Parameters
    ----------
    times : sub-graph -> seconds at which it started and ended, as measured; if not said, each wave of the schedule
        takes one unit.

    Raises DeadlockError when the waves do not reach every sub-graph, KuiperError for what is no partition.

    >>> from kuiper.partition import Device, NodeGraph, partition
    >>> graph = NodeGraph.from_lists([["conv", [0], [1]], ["sigmoid", [1], [2]]], {0: {"kind": "input"}})
    >>> "wave 0" in show_schedule(partition(graph, [Device("CPU")])).text
    True
    """
    _check("show_schedule", partition)
    waves = schedule(partition)
    if times is None:
        times = {i: (float(w), float(w + 1)) for w, wave in enumerate(waves) for i in wave}
        marks = [(w, f"wave {w}") for w in range(len(waves))]
    else:
        marks = []
    left = 2 * MARGIN + max(text_width(device.name, 12.0) for device in partition.devices)
    begin = min((start for start, _ in times.values()), default=0.0)
    length = max((end for _, end in times.values()), default=1.0) - begin or 1.0
    scale = max(min(WAVE, (PAGE - left) / length), 14.0) if marks else (PAGE - left - MARGIN) / length
    x = Ruler(begin, begin + length, left, left + length * scale)

    y = MARGIN + 8
    heading = title or f"{len(partition.subgraphs)} sub-graphs in {len(waves)} waves"
    body = [text(heading, MARGIN, y, 15.0, text_anchor="start", font_weight="bold")]
    y += 30
    body += _axis(marks, x, y)
    y += 14
    top = y
    kinds = _swatches(partition)
    for device in partition.devices:
        mine = [part for part in partition.subgraphs if part.device == device and part.index in times]
        lanes = _lanes(mine, times)
        body.append(text(device.name, MARGIN, y + BAR / 2 + GAP, 12.0, text_anchor="start", font_weight="bold"))
        for part in mine:
            start, end = map(x, times[part.index])
            body.append(_bar(part, kinds[part.index], start, y + GAP + lanes[part.index] * (BAR + GAP), end - start))
        y += max([lane + 1 for lane in lanes.values()], default=1) * (BAR + GAP) + GAP
        body.append(line(MARGIN, y, x.end, y, 0.7, stroke_dasharray="none"))
    if marks:
        body += [line(x(w), top, x(w), y, 0.7, stroke_dasharray="2 4") for w, _ in marks]
    order = "; ".join(f"wave {w}: " + ", ".join(_name(partition.subgraphs[i]) for i in wave) for w, wave in
                      enumerate(waves[:12])) + "; and so on" * (len(waves) > 12)  # fmt: skip
    width = max(x.end, MARGIN + text_width(heading, 15.0)) + MARGIN
    return picture(width, y + MARGIN, heading, f"Gantt chart by device. {order}.", *body)


def _check(what: str, partition: object) -> None:
    if not isinstance(partition, Partition):
        raise KuiperError(f"{what}: expected a Partition, found {type(partition).__name__}")


def _swatches(partition: Partition) -> list[Swatch]:
    """The colours of each sub-graph."""
    count = [0] * len(partition.devices)
    swatches = []
    for part in partition.subgraphs:
        device = [known.name for known in partition.devices].index(part.device.name)
        light, dark, border = HUES[device % len(HUES)]
        swatches.append(Swatch(f"sub-graph {_name(part)}", (light, dark)[count[device] % 2], border))
        count[device] += 1
    return swatches


def _device_of(kind: Swatch) -> str:
    """What the legend calls a sub-graph's colours where there are too many to name: its device."""
    return kind.name.partition(", ")[2] if kind.name.startswith("sub-graph ") else kind.name


def _name(part: SubGraph) -> str:
    return f"{part.index}, {part.device.name}"


def _runs(partition: Partition) -> bool:
    """Whether no sub-graphs wait for each other in a circle, which has no order from top to bottom."""
    try:
        schedule(partition)
    except DeadlockError:
        return False
    return True


def _subgraphs(partition: Partition) -> Graph:
    """A graph with an operator for each sub-graph, behind those for what the caller gives."""
    graph = partition.graph
    operands = {
        t: Operand(info.name or str(t), info.shape, None if info.operand is None else info.operand.dtype)
        for t, info in graph.tensors.items()
    }
    made = {t for part in partition.subgraphs for t in part.outputs}
    given = dict.fromkeys(t for part in partition.subgraphs for t in part.inputs if t not in made)
    sources = [Operator("pnnx.Input", f"input {operands[t].name}", [], [operands[t]]) for t in given]
    parts = [
        Operator(
            f"{len(part.nodes)} node{'s' * (len(part.nodes) != 1)} on {part.device.name}",
            f"{part.index}: {graph.nodes[part.nodes[0]].name} to {graph.nodes[part.nodes[-1]].name}"
            if part.nodes
            else f"{part.index}: empty",
            [operands[t] for t in part.inputs],
            [operands[t] for t in part.outputs],
        )
        for part in partition.subgraphs
    ]
    return Graph([*sources, *parts])


def _drawing(graph: NodeGraph, labels: Sequence[str]) -> Graph:
    """The graph with labels as names, and with shapes as the partitioner knows them."""
    operands = {
        tensor: Operand(info.name or str(tensor), info.shape, None if info.operand is None else info.operand.dtype)
        for tensor, info in graph.tensors.items()
    }
    return Graph([
        Operator(node.type, label, [operands[t] for t in node.inputs], [operands[t] for t in node.outputs])
        for label, node in zip(labels, graph.nodes, strict=True)
    ])  # fmt: skip


def _axis(marks: Sequence[tuple[int, str]], x: Ruler, y: float) -> list[str]:
    """Names of the waves where there is room for them, or the measured span in milliseconds."""
    if not marks:
        return [
            text("0 ms", x.start, y, 10.0, text_anchor="start"),
            text(f"{(x.high - x.low) * 1e3:.3g} ms", x.end, y, 10.0, text_anchor="end"),
        ]
    needed = text_width(marks[-1][1], 10.0) + 8
    every = max(1, -int(-needed // (x(1) - x(0))))
    return [text(name, x(w + 0.5), y, 10.0) for w, name in marks if w % every == 0]


def _lanes(parts: Sequence[SubGraph], times: Mapping[int, tuple[float, float]]) -> dict[int, int]:
    """Sub-graph -> its line in the device's row, so that no two bars overlap."""
    free: list[float] = []
    lanes: dict[int, int] = {}
    for part in sorted(parts, key=lambda part: (times[part.index], part.index)):
        start, end = times[part.index]
        lane = next((i for i, until in enumerate(free) if until <= start), len(free))
        free[lane : lane + 1] = [end]
        lanes[part.index] = lane
    return lanes


def _bar(part: SubGraph, kind: Swatch, x: float, y: float, width: float) -> str:
    nodes = f"{len(part.nodes)} node{'s' * (len(part.nodes) != 1)}"
    tip = f"sub-graph {_name(part)}: {nodes}, waits for {part.wait_count}"
    width = max(width - 3, 2.0)
    rect = element("rect", x=x, y=y, width=width, height=BAR, rx=min(5.0, width / 2), fill=kind.fill,
                   stroke=kind.border, stroke_width=1.5)  # fmt: skip
    label = next((words for words in (f"{part.index}: {nodes}", str(part.index)) if text_width(words) + 6 <= width), "")
    return element("g", element("title", escape(tip)), rect,
                   text(shorten(label, 40), x + width / 2, y + BAR / 2, 11.0, kind.text) if label else "")  # fmt: skip
