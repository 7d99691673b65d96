"""Lesson 10: ten nodes split into ranges, parts and sub-graphs; in a second picture their inputs, outputs and waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from classroom.site.moving.scene import Frame, Panel, Part, PartState, Scene
from classroom.site.moving.shapes import arrow, box, rect, words
from kuiper.partition import Device, NodeGraph, Partition, SubGraph, partition, schedule
from kuiper.partition.modes.tengine import COMPLEX, blocked_nodes, ranges
from kuiper.partition.subgraph import Group
from kuiper.partition.support import units

NODES: tuple[tuple[str, list[int], list[int]], ...] = (
    ("input", [], [0]), ("conv", [0], [1]), ("relu", [1], [2]), ("sigmoid", [2], [3]), ("conv", [3], [4]),
    ("resize", [4], [5]), ("conv", [5], [6]), ("relu", [6], [7]), ("add", [7, 1], [8]), ("softmax", [8], [9]),
)  # fmt: skip
"""The lesson's network: operator, tensors read, tensors made."""
KNOWN = frozenset({"input", "conv", "relu", "add"})
"""Operators that the accelerator supports."""
ROW, TOP, HIGH = 27.0, 22.0, 20.0
"""Pixels: from node to node, where the first one begins, and the height of a node."""
COLUMNS = {"range": 130.0, "part": 198.0, "merged": 270.0}
"""Where the columns begin; each is 62 wide."""
WIDE = 62.0
TINT = {"ACC": "blue", "CPU": "orange"}
TABLE = (("", 22.0), ("device", 72.0), ("reads", 130.0), ("hands over", 196.0), ("waits", 258.0), ("got", 304.0))
LINE = 32.0


def scene() -> Scene:
    """Tengine's split of the lesson's ten nodes."""
    graph, split, blocked, parts = _split()
    frames = _cutting(graph, split, blocked, parts)
    return Scene("subgraphs", "Ten nodes become four sub-graphs", [_network(split, blocked, parts)], frames,
                 len(frames) - 1)  # fmt: skip


def waves() -> Scene:
    """What the sub-graphs read and hand over, and their execution."""
    graph, split, blocked, parts = _split()
    frames = _boundaries(split, _cutting(graph, split, blocked, parts)[-1].states)
    frames += _waves(split, frames[-1].states)
    still = next(i for i, frame in enumerate(frames) if frame.say.startswith("Wave"))
    return Scene("waves", "Four sub-graphs: what they hand over, and when they run",
                 [_network(split, blocked, parts), _table(split)], frames, still)  # fmt: skip


def _split() -> tuple[NodeGraph, Partition, list[int], list[Group]]:
    """The lesson's network, its split, the blocked nodes, and the parts before neighbours merge."""
    graph = NodeGraph.from_lists(NODES, {0: {"kind": "input"}})
    devices = [Device("ACC", operators=KNOWN), Device("CPU")]
    blocked = list(blocked_nodes(graph, devices[0]))
    return graph, partition(graph, devices, "tengine"), blocked, ranges(graph, blocked, devices, 0, 1)


def _cutting(graph: NodeGraph, split: Partition, blocked: Sequence[int], parts: Sequence[Group]) -> list[Frame]:
    """Frames: blocked nodes, ranges, the parts of each range, and the merged parts."""
    stops = [*blocked, len(NODES)]
    names = ", ".join(f"{NODES[v][0]} ({v})" for v in blocked)
    nodes = {f"n{v}": PartState("orange" if v in blocked else "blue") for v in range(len(NODES))}
    cut = nodes | {f"range{i}": PartState("ghost") for i in range(len(stops))}
    frames = [
        Frame("Ten nodes in the order of their numbers. Each hands a tensor to the next; add also reads tensor 1, "
              "which the first conv has made.", {}),
        Frame(f"The accelerator ACC does not know {names}: these nodes are blocked. The CPU takes everything.", nodes),
        Frame("We cut in front of each blocked node. What lies before the first one goes to ACC.",
              cut | {"part0": PartState("now blue", "ACC")}),
    ]  # fmt: skip
    shown = cut | {"part0": PartState("blue", "ACC")}
    for number, (first, stop) in enumerate(pairwise(stops), 1):
        work = sum(units(graph.nodes[v]) for v in range(first, stop) if graph.nodes[v].type in KNOWN)
        new = {
            i: split.devices[device].name
            for i, (device, members) in enumerate(parts)
            if members and first <= members[0] < stop
        }
        say = f"Range {first} to {stop - 1}: ACC knows {work} of its nodes. "
        say += (f"That is worth the trip: only node {first} goes to the CPU." if work >= COMPLEX else
                f"With fewer than {COMPLEX}, the whole range stays on the CPU.")  # fmt: skip
        shown |= {f"range{number}": PartState("ghost", f"work {work}")}
        frames.append(Frame(say, shown | {f"part{i}": PartState(f"now {TINT[name]}", name) for i, name in new.items()}))
        shown |= {f"part{i}": PartState(TINT[name], name) for i, name in new.items()}
    found = {f"merged{part.index}": PartState(TINT[part.device.name], _name(part)) for part in split.subgraphs}
    joined = [part for part in split.subgraphs if sum(m[0] in part.nodes for _, m in parts if m) > 1]
    marks = {f"merged{part.index}": PartState(f"now {TINT[part.device.name]}", _name(part)) for part in joined}
    say = f"Neighbours on the same device become one. {len(parts)} parts become {len(split.subgraphs)} sub-graphs; "
    say += "; ".join(f"number {part.index} holds nodes {part.nodes[0]} to {part.nodes[-1]}" for part in joined) + "."
    return [*frames, Frame(say, shown | found | marks)]


def _name(part: SubGraph) -> str:
    return f"{part.index}: {part.device}"


def first_idea(split: Partition) -> list[tuple[list[int], list[int]]]:
    """For each sub-graph: tensors that it reads but does not produce, and those that it produces but does not read."""
    found = []
    for part in split.subgraphs:
        read = {t for v in part.nodes for t in NODES[v][1]}
        made = {t for v in part.nodes for t in NODES[v][2] if NODES[v][0] != "input"}
        found.append((sorted(read - made), sorted(made - read)))
    return found


def _boundaries(split: Partition, known: Mapping[str, PartState]) -> list[Frame]:
    """Frames: inputs and outputs of each sub-graph, first as one would naively define them, then correctly."""
    states = dict(known)
    states |= {f"merged{p.index}": PartState(TINT[p.device.name], _name(p)) for p in split.subgraphs}
    states |= {f"line{p.index}": PartState(TINT[p.device.name]) for p in split.subgraphs}
    states |= {f"name{p.index}": PartState("bold", str(p.index)) for p in split.subgraphs}
    states |= {f"device{p.index}": PartState("", p.device.name) for p in split.subgraphs}
    idea = first_idea(split)
    handed = {tensor for _, outputs in idea for tensor in outputs}
    caller = {t for v in range(len(NODES)) if NODES[v][0] == "input" for t in NODES[v][2]}
    missing = [(i, t) for i, (inputs, _) in enumerate(idea) for t in inputs if t not in handed | caller]
    tried = {f"in{i}": PartState("", _listed(inputs)) for i, (inputs, _) in enumerate(idea)}
    tried |= {f"out{i}": PartState("", _listed(outputs)) for i, (_, outputs) in enumerate(idea)}
    say = "A first idea: a sub-graph reads what it does not make itself, and hands over what it does not read itself. "
    say += " ".join(f"But then sub-graph {i} waits for tensor {t}, and nobody hands it over!" for i, t in missing)
    wrong = {f"in{i}": PartState("bold", _listed(idea[i][0])) for i, _ in missing}
    wrong |= {f"line{i}": PartState("rose") for i, _ in missing} | {"skip": PartState("rose", f"t{missing[0][1]}")}
    frames = [Frame(say, states | tried | wrong)]
    right = {f"in{p.index}": PartState("", _listed(p.inputs)) for p in split.subgraphs}
    right |= {f"out{p.index}": PartState("", _listed(p.outputs)) for p in split.subgraphs}
    right |= {f"wait{p.index}": PartState("", str(p.wait_count)) for p in split.subgraphs}
    makers = {f"out{p.index}": PartState("bold", _listed(p.outputs))
              for p in split.subgraphs if p.outputs != idea[p.index][1]}  # fmt: skip
    say = "So the rule needs a second half: what another sub-graph reads is handed over in any case. Each sub-graph "
    say += "waits for the tensors that others make; tensor 0 comes from the caller."
    return [*frames, Frame(say, states | right | makers)]


def _waves(split: Partition, known: Mapping[str, PartState]) -> list[Frame]:
    """Frames: kuiper's schedule; each wave runs the sub-graphs whose inputs are all ready."""
    got = dict.fromkeys(range(len(split.subgraphs)), 0)
    states = dict(known)
    states |= {f"got{i}": PartState("", "0") for i in got}
    say = "At the start nobody has got anything. A sub-graph runs when it has got as many tensors as it waits for."
    frames = [Frame(say, states)]
    for number, wave in enumerate(schedule(split)):
        running = {f"line{i}": PartState("now") for i in wave}
        running |= {f"merged{i}": PartState("now", _name(split.subgraphs[i])) for i in wave}
        news = []
        for i in wave:
            for tensor in split.subgraphs[i].outputs:
                for reader in split.subgraphs:
                    if tensor in reader.inputs:
                        got[reader.index] += 1
                        news.append(f"{reader.index} gets tensor {tensor}")
        states |= {f"got{i}": PartState("", str(count)) for i, count in got.items()}
        waited = split.subgraphs[wave[0]].wait_count
        say = f"Wave {number}: {' and '.join(f'sub-graph {i}' for i in wave)} has got {waited} of {waited}, and runs. "
        say += f"Then {', '.join(news)}." if news else "Its tensor is the network's result."
        frames.append(Frame(say, states | running))
        states |= {f"{key}{i}": PartState("done", _name(split.subgraphs[i]) if key == "merged" else None)
                   for i in wave for key in ("line", "merged")}  # fmt: skip
    say = "All have run. An empty wave with work left would be a deadlock."
    return [*frames, Frame(say, states)]


def _listed(tensors: Sequence[int]) -> str:
    return ", ".join(map(str, tensors))


def _network(split: Partition, blocked: Sequence[int], parts: Sequence[Group]) -> Panel:
    """The panel of nodes from top to bottom, with their ranges, parts and sub-graphs beside them."""
    drawn = []
    bottom = TOP + ROW * len(NODES)
    for v, (op, _, _) in enumerate(NODES):
        y = TOP + ROW * v + HIGH / 2
        if v:
            drawn.append(Part(f"t{v - 1}", arrow((46, y - ROW + HIGH / 2), (46, y - HIGH / 2 - 1))))
        drawn.append(Part(f"n{v}", box(46, y, 86, HIGH), f"{v} {op}", 46, y))
    start, end, tensor = _skip()
    y1, y2 = TOP + ROW * start + HIGH / 2, TOP + ROW * end + HIGH / 2
    drawn.append(Part("skip", arrow((89, y1), (104, y1), (104, y2), (91, y2)), f"t{tensor}", 113, (y1 + y2) / 2, 11.0))
    stops = [0, *blocked, len(NODES)]
    for number, (first, stop) in enumerate(pairwise(stops)):
        drawn.append(_span(f"range{number}", "range", range(first, stop)))
    drawn += [_span(f"part{i}", "part", nodes) for i, (_, nodes) in enumerate(parts) if nodes]
    drawn += [_span(f"merged{part.index}", "merged", part.nodes) for part in split.subgraphs]
    names = {"range": "ranges", "part": "parts", "merged": "sub-graphs"}
    ground = words("nodes", 46, 9, 11.0, kind="note")
    ground += "".join(words(name, COLUMNS[key] + WIDE / 2, 9, 11.0, kind="note") for key, name in names.items())
    label = "Ten nodes: " + ", ".join(op for op, _, _ in NODES) + "; beside them ranges, parts and sub-graphs."
    return Panel(334, bottom, label, drawn, ground)


def _skip() -> tuple[int, int, int]:
    """The skip connection: its producer, its consumer, and its tensor number."""
    maker = {tensor: v for v, (_, _, made) in enumerate(NODES) for tensor in made}
    return next((maker[t], v, t) for v, (_, read, _) in enumerate(NODES) for t in read if v > maker[t] + 1)


def _span(key: str, column: str, nodes: Sequence[int]) -> Part:
    """A box spanning the rows of some nodes."""
    x, y = COLUMNS[column], TOP + ROW * nodes[0] - 2
    tall = ROW * (nodes[-1] - nodes[0]) + HIGH + 4
    return Part(key, rect(x, y, WIDE, tall), "", x + WIDE / 2, y + tall / 2, 11.0, kind="hidden")


def _table(split: Partition) -> Panel:
    """The panel with a row per sub-graph: inputs, outputs, tensors it waits for and has received."""
    keys = ("name", "device", "in", "out", "wait", "got")
    drawn = []
    for part in split.subgraphs:
        y = TOP + 6 + LINE * (part.index + 0.5)
        drawn.append(Part(f"line{part.index}", rect(2, y - LINE / 2 + 2, 324, LINE - 4), kind="ghost"))
        drawn += [Part(f"{key}{part.index}", "", "", x, y, 13.0) for key, (_, x) in zip(keys, TABLE, strict=True)]
    ground = "".join(words(title, x, 16, 11.0, kind="note") for title, x in TABLE)
    label = "The sub-graphs: device, tensors that each reads and hands over, how many it waits for and has got."
    return Panel(330, TOP + 8 + LINE * len(split.subgraphs), label, drawn, ground)
