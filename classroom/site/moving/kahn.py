"""Lesson 4: Kahn's algorithm, with a counter on each node, the list of ready nodes, and the order as it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from classroom.site.moving.scene import Frame, Panel, Part, PartState, Scene
from classroom.site.moving.shapes import arrow, box, rect, words

EXAMPLE = {"image": ["conv", "pool"], "conv": ["relu"], "pool": ["add"], "relu": ["add"], "add": ["out"], "out": []}
"""A network in which two ways join: each node, and those that read its result."""
POSITIONS = {"image": (36.0, 92.0), "conv": (118.0, 52.0), "pool": (118.0, 132.0), "relu": (200.0, 52.0),
          "add": (270.0, 92.0), "out": (336.0, 92.0)}  # fmt: skip
STEPS = ("1. A counter of 0: the node is ready.", "2. Take a ready node into the order.",
         "3. Its successors count down by 1.", "4. Go on until no node is ready.")  # fmt: skip
READY, TAKE, COUNT, END = range(4)
"""Places in STEPS."""


@dataclass(frozen=True)
class Moment:
    """Which of STEPS it is (-1: none), the counters, the ready nodes, the order so far, and the node looked at."""

    step: int
    missing: Mapping[str, int]
    ready: tuple[str, ...]
    order: tuple[str, ...]
    looked_at: str
    say: str


def scene() -> Scene:
    """Kahn's algorithm on the example, step by step."""
    moments = count_down(EXAMPLE)
    busiest = max(range(len(moments)), key=lambda i: (moments[i].step == COUNT and moments[i].looked_at == "add", -i))
    return Scene("kahn", "Kahn: count what is missing", [_network(), _steps()],
                 [_frame(moment) for moment in moments], busiest)  # fmt: skip


def count_down(successors: Mapping[str, Sequence[str]]) -> list[Moment]:
    """The steps of Kahn's algorithm, first come, first served."""
    missing = {name: sum(name in followers for followers in successors.values()) for name in successors}
    ready = [name for name in successors if not missing[name]]
    order: list[str] = []
    moments: list[Moment] = []

    def note(step: int, looked_at: str, say: str) -> None:
        moments.append(Moment(step, dict(missing), tuple(ready), tuple(order), looked_at, say))

    note(-1, "", "Each node counts the arrows that enter it: so many results it still waits for.")
    note(READY, "", f"{' and '.join(ready)} waits for nothing, so it is ready.")
    while ready:
        name = ready.pop(0)
        order.append(name)
        note(TAKE, name, f"We take {name} from the ready nodes. It is number {len(order)} of the order.")
        for follower in successors[name]:
            missing[follower] -= 1
            left = f"{missing[follower]} still missing: not yet" if missing[follower] else "nothing is missing any more"
            note(COUNT, follower, f"{follower} reads {name}: one result less to wait for. {left.capitalize()}.")
            if not missing[follower]:
                ready.append(follower)
                note(READY, follower, f"So {follower} is ready.")
    note(END, "", f"Nobody is ready, and all {len(order)} nodes were taken: the order is complete. "
         "Had some been left, they would wait for each other in a cycle.")  # fmt: skip
    return moments


def _frame(moment: Moment) -> Frame:
    states: dict[str, PartState] = {}
    for name in EXAMPLE:
        kind = "done" if name in moment.order else "active" if name in moment.ready else ""
        looked = " now" if name == moment.looked_at else ""
        states[name] = PartState((kind + looked).strip(), name)
        states[f"count {name}"] = PartState("bold" * bool(looked), str(moment.missing[name]))
    for source in moment.order:
        counted = source != moment.order[-1] or moment.step != TAKE
        for target in EXAMPLE[source]:
            states |= {f"{source}-{target}": PartState("done")} if counted else {}
    states |= {f"ready{i}": PartState("active", name) for i, name in enumerate(moment.ready)}
    states |= {f"slot{i}": PartState("done", name) for i, name in enumerate(moment.order)}
    states |= {f"line{moment.step}": PartState("now")} if moment.step >= 0 else {}
    return Frame(moment.say, states)


def _network() -> Panel:
    parts = []
    for source, followers in EXAMPLE.items():
        for target in followers:
            (x1, y1), (x2, y2) = POSITIONS[source], POSITIONS[target]
            parts.append(Part(f"{source}-{target}", arrow((x1 + 27, y1), (x2 - 28, y2))))
    for name, (x, y) in POSITIONS.items():
        parts += [Part(name, box(x, y, 54, 30), name, x, y), Part(f"count {name}", "", "", x, y - 25, 13.0)]
    ground = words("the network; above each node: how many results it waits for", 3, 8, 11.0, "start", "note")
    for row, (key, title, count) in enumerate((("ready", "ready", 2), ("slot", "the order", len(EXAMPLE)))):
        y = 170 + 58.0 * row
        ground += words(title, 3, y, 11.0, "start", "note")
        parts += [Part(f"{key}{i}", rect(3 + 59 * i, y + 10, 56, 26), "", 31 + 59 * i, y + 23, kind="ghost")
                  for i in range(count)]  # fmt: skip
    label = "image leads to conv and pool, conv to relu, relu and pool to add, add to out, each with a counter. Below "
    return Panel(368, 268, label + "it the ready nodes, and the order.", parts, ground)


def _steps() -> Panel:
    parts = [
        Part(f"line{i}", rect(2, 18 + 24 * i, 302, 24, 3), step, 8, 30 + 24 * i, 11.5, "start")
        for i, step in enumerate(STEPS)
    ]
    ground = words("what is done", 3, 8, 11.0, "start", "note")
    return Panel(306, 118, "Kahn's four steps: the one that is done now.", parts, ground)
