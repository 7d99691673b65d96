"""Lesson 10: sub-graphs built node by node from levels, as few as possible."""

from __future__ import annotations

from collections.abc import Sequence

from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Frame, Panel, Part, PartState, Scene
from classroom.site.moving.shapes import arrow, box, rect, words
from kuiper.partition import Device, NodeGraph, partition
from kuiper.partition.modes.dependencies import Dependencies, dependencies_of
from kuiper.partition.modes.fewest import levels

NODES: tuple[tuple[str, list[int], list[int]], ...] = (
    ("input", [], [0]), ("conv", [0], [1]), ("sigmoid", [1], [2]), ("conv", [2], [3]), ("relu", [3], [4]),
    ("conv", [4], [5]), ("conv", [0], [6]), ("sigmoid", [6], [7]), ("conv", [7], [8]), ("relu", [8], [9]),
    ("add", [5, 9], [10]),
)  # fmt: skip
"""The lesson's two branches: operator, tensors read, tensors made."""
POSITIONS = ((0.5, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 1), (1, 2), (1, 3), (1, 4), (0.5, 6))
"""Column and row of each node."""
KNOWN = frozenset({"input", "conv", "relu", "add"})
DEVICES = ("ACC", "CPU")
TINT = {"ACC": "blue", "CPU": "orange"}
COLUMN, ROW, LEFT, TOP = 152.0, 40.0, 62.0, 34.0
"""Pixels: between columns and rows, and the middle of the first node."""
LINE = 46.0
"""Height of a sub-graph in the list."""


def scene() -> Scene:
    """Nodes get their levels one by one; nodes of the same level form a sub-graph."""
    graph = NodeGraph.from_lists(NODES, {0: {"kind": "input"}})
    dependencies = dependencies_of(graph)
    device_of = [int(op not in KNOWN) for op, _, _ in NODES]
    by_start = [levels(dependencies, device_of, start) for start in range(len(DEVICES))]
    start = min(range(len(DEVICES)), key=lambda d: max(by_start[d][v] for v in dependencies.order))
    level = by_start[start]
    frames = _growing(dependencies, device_of, level, start)
    devices = [Device("ACC", operators=KNOWN), Device("CPU")]
    fewest = partition(graph, devices, "fewest", min_nodes=0).subgraphs
    grown = [[v for v in dependencies.order if level[v] == n] for n in range(max(level) + 1)]
    if [part.nodes for part in fewest] != grown:
        raise MovingError(f"levels: expected {[part.nodes for part in fewest]}, found {grown}")
    ranges = len(partition(graph, devices, "tengine").subgraphs)
    other = max(by_start[1 - start][v] for v in dependencies.order) + 1
    say = f"{len(grown)} sub-graphs, where cutting the row of node numbers gives {ranges}. "
    say += f"With {DEVICES[1 - start]} as the start there would be {other}. Nothing needs fewer than the better."
    ended = {key: state for key, state in frames[-1].states.items() if state.kind != "active"}
    ended |= {f"n{v}": PartState(TINT[DEVICES[device_of[v]]]) for v in dependencies.order}
    for n, nodes in enumerate(grown):
        device = DEVICES[device_of[nodes[0]]]
        ended[f"g{n}"] = PartState(f"bold {TINT[device]}", _listed(device, nodes))
    return Scene("levels", "Sub-graphs grow: the fewest, by levels",
                 [_network(), _groups(len(grown))], [*frames, Frame(say, ended)], len(frames))  # fmt: skip


def _growing(dependencies: Dependencies, device_of: Sequence[int], level: Sequence[int], start: int) -> list[Frame]:
    """One frame per node in execution order: its level and why, and the sub-graph that it joins."""
    colours = {f"n{v}": PartState(TINT[DEVICES[device_of[v]]]) for v in range(len(NODES))}
    say = "Two branches, each with a sigmoid that ACC does not know. The devices take turns. "
    say += f"In which turn can each node run at the earliest? Let {DEVICES[start]} begin. The input needs no turn."
    frames = [Frame(say, colours)]
    states = dict(colours)
    members: dict[int, list[int]] = {}
    for v in dependencies.order:
        device, own = DEVICES[device_of[v]], level[v]
        members.setdefault(own, []).append(v)
        kind = TINT[device]
        now = {f"n{v}": PartState(f"now {kind}"), f"g{own}": PartState(f"now {kind}", _listed(device, members[own]))}
        arrows = {f"e{u}-{v}": PartState("active") for u in dependencies.before[v]}
        states[f"l{v}"] = PartState("bold", str(own))
        frames.append(Frame(_why(v, dependencies.before[v], device_of, level, start), states | now | arrows))
        states[f"g{own}"] = PartState(kind, _listed(device, members[own]))
    return frames


def _why(v: int, before: Sequence[int], device_of: Sequence[int], level: Sequence[int], start: int) -> str:
    """The sentence that explains the level of a node."""
    name, device = f"{NODES[v][0]} ({v})", DEVICES[device_of[v]]
    if not before:
        wait = "may run in the first turn" if device_of[v] == start else "has to wait one turn for its device"
        return f"{name} reads only the input: on {device} it {wait}, level {level[v]}."
    reasons = []
    for u in before:
        change = device_of[u] != device_of[v]
        sum_ = f"{level[u]} + 1" if change else f"{level[u]}"
        reasons.append(f"{NODES[u][0]} ({u}) on {DEVICES[device_of[u]]}: {sum_}")
    most = "; the most counts" if len(before) > 1 else ""
    return f"{name} runs on {device} after {', '.join(reasons)}{most}. Its level is {level[v]}."


def _listed(device: str, nodes: Sequence[int]) -> str:
    return f"{device}:  " + "  ".join(map(str, nodes))


def _middle(v: int) -> tuple[float, float]:
    column, row = POSITIONS[v]
    return LEFT + COLUMN * column, TOP + ROW * row


def _network() -> Panel:
    """The panel of nodes from top to bottom, with their levels."""
    maker = {tensor: v for v, (_, _, made) in enumerate(NODES) for tensor in made}
    parts = []
    for v, (_, read, _) in enumerate(NODES):
        for u in (maker[tensor] for tensor in read):
            (x1, y1), (x2, y2) = _middle(u), _middle(v)
            side = 22 if x1 < x2 else -22 if x1 > x2 else 0
            from_x, to_x = (x1 + side, x2) if u == 0 else (x1, x2 - side)
            parts.append(Part(f"e{u}-{v}", arrow((from_x, y1 + 13), (to_x, y2 - 14))))
    for v, (op, _, _) in enumerate(NODES):
        x, y = _middle(v)
        parts.append(Part(f"n{v}", box(x, y, 94, 26), f"{v} {op}", x, y))
        parts.append(Part(f"l{v}", "", "", x + 56, y, 14.0))
    ground = words("nodes, and their levels", 4, 9, 11.0, "start", "note")
    label = "Input, then two branches of conv, sigmoid, conv, relu, the left one with one more conv, which add joins."
    return Panel(290, TOP + ROW * 6 + 18, label, parts, ground)


def _groups(count: int) -> Panel:
    """The panel of sub-graphs: a box per level, filled with its nodes."""
    parts = []
    ground = words("sub-graphs: the nodes of one level", 4, 9, 11.0, "start", "note")
    for n in range(count):
        y = 24 + LINE * n
        parts.append(Part(f"g{n}", rect(64, y, 240, LINE - 14), "", 184, y + (LINE - 14) / 2, 14.0, kind="ghost"))
        ground += words(f"level {n}", 4, y + (LINE - 14) / 2, 12.0, "start")
    return Panel(308, 24 + LINE * count, f"{count} sub-graphs, one for each level, and their nodes.", parts, ground)
