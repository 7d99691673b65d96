"""Lesson 4: depth-first traversal, with the call stack and the list of finished nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from classroom.site.moving.scene import Frame, Panel, Part, PartState, Scene
from classroom.site.moving.shapes import arrow, box, rect, words
from kuiper.graph import reverse_post_order

EXAMPLE = {"input": ["op1"], "op1": ["op3"], "op3": ["op4", "op5"], "op4": [], "op5": ["output"], "output": []}
"""The lesson's network: each node, and those that read its result."""
POSITIONS = {"input": (30.0, 66.0), "op1": (105.0, 66.0), "op3": (180.0, 66.0), "op4": (255.0, 34.0),
          "op5": (255.0, 98.0), "output": (330.0, 98.0)}  # fmt: skip
CODE = ("def visit(name):", "    for follower in successors[name]:", "        if follower not in finished:",
        "            visit(follower)", "    finished.append(name)")  # fmt: skip
ENTER, LOOK, CALL, FINISH = 0, 2, 3, 4
"""Lines of CODE."""
STACK = 22.0
LOW = 240.0
"""Height of one call in the stack, and where the stack stands."""


@dataclass(frozen=True)
class Moment:
    """One step of the traversal: the event, the pending calls, and the nodes finished so far."""

    line: int
    path: tuple[str, ...]
    finished: tuple[str, ...]
    say: str


def scene() -> Scene:
    """The traversal of the lesson's network, step by step."""
    moments = walk(EXAMPLE)
    order = reverse_post_order(EXAMPLE)
    frames = [_frame(moment) for moment in moments]
    backwards = {f"back{i}": PartState("done", name) for i, name in enumerate(order)}
    say = f"Now read the list backwards: {', '.join(order)}. Every node stands before its successors: a right order."
    done = {name: PartState("done") for name in (*EXAMPLE, *(f"{a}-{b}" for a in EXAMPLE for b in EXAMPLE[a]))}
    listed = {key: state for key, state in frames[-1].states.items() if key.startswith("slot")}
    frames.append(Frame(say, done | listed | backwards))
    deepest = max(range(len(moments)), key=lambda i: (len(moments[i].path), i))
    return Scene("depth_first", "Depth first: a node is finished after its successors",
                 [_network(), _calls()], frames, deepest)  # fmt: skip


class _Watched(dict[str, list[str]]):
    """A network that records which successors a traversal reads."""

    def __init__(self, successors: Mapping[str, Sequence[str]]) -> None:
        super().__init__({name: list(followers) for name, followers in successors.items()})
        self.asked: list[tuple[str, str | None]] = []

    def __getitem__(self, name: str) -> list[str]:
        return _Followers(name, super().__getitem__(name), self.asked)


class _Followers(list[str]):
    def __init__(self, name: str, followers: Sequence[str], asked: list[tuple[str, str | None]]) -> None:
        super().__init__(followers)
        self.name, self.asked = name, asked

    def __iter__(self) -> Iterator[str]:
        for follower in super().__iter__():
            self.asked.append((self.name, follower))
            yield follower
        self.asked.append((self.name, None))


def walk(successors: Mapping[str, Sequence[str]]) -> list[Moment]:
    """Record kuiper's own depth-first traversal from the first node, one successor at a time."""
    watched = _Watched(successors)
    reverse_post_order(watched)
    root = watched.asked[0][0]
    path, finished, entered = [root], list[str](), {root}
    say = "Nothing has been entered yet. We begin where no arrow ends."
    moments = [Moment(-1, (), (), say), Moment(ENTER, (root,), (), f'We enter {root}: the call visit("{root}") runs.')]
    for name, follower in watched.asked:
        if follower is None:
            path.pop()
            finished.append(name)
            moments.append(Moment(FINISH, (*path, name), tuple(finished), _finishing(name, path, finished, successors)))
        elif follower in entered:
            say = f"{name} looks at {follower}, which has been entered before: nothing to do."
            moments.append(Moment(LOOK, tuple(path), tuple(finished), say))
        else:
            entered.add(follower)
            path.append(follower)
            say = f"{name} has a successor that was not entered yet, so we enter {follower}. "
            say += f"{_listed(path[:-1])} {'wait' if len(path) > 2 else 'waits'}."
            moments.append(Moment(CALL, tuple(path), tuple(finished), say))
    return moments


def _finishing(name: str, path: Sequence[str], finished: Sequence[str], successors: Mapping[str, Sequence[str]]) -> str:
    why = "all its successors are finished" if successors[name] else "it has no successor"
    after = f"Then we are back in {path[-1]}." if path else "Nobody waits any more."
    return f"{name} is finished, because {why}. It is number {len(finished)} of the list. {after}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _frame(moment: Moment) -> Frame:
    *waiting, running = moment.path or ("",)
    states = {name: PartState("active") for name in waiting} | {name: PartState("done") for name in moment.finished}
    for source, followers in EXAMPLE.items():
        for target in followers:
            kind = "done" if target in moment.finished else "active" if target in moment.path else ""
            states |= {f"{source}-{target}": PartState(kind)} if kind else {}
    for i, name in enumerate(moment.path):
        last = i == len(moment.path) - 1
        kind = "done" if name in moment.finished else "now" if last else "active"
        word = "returns" if name in moment.finished else "runs" if last else "waits"
        states[f"call{i}"] = PartState(kind, f'visit("{name}")')
        states[f"word{i}"] = PartState("", word)
    if running:
        states[running] = PartState("done now" if running in moment.finished else "now")
    states |= {f"slot{i}": PartState("done", name) for i, name in enumerate(moment.finished)}
    states |= {f"line{moment.line}": PartState("now")} if moment.line >= 0 else {}
    return Frame(moment.say, states)


def _network() -> Panel:
    parts = []
    for source, followers in EXAMPLE.items():
        for target in followers:
            (x1, y1), (x2, y2) = POSITIONS[source], POSITIONS[target]
            parts.append(Part(f"{source}-{target}", arrow((x1 + 27, y1), (x2 - 28, y2))))
    parts += [Part(name, box(x, y, 54, 30), name, x, y) for name, (x, y) in POSITIONS.items()]
    ground = words("the network", 3, 8, 11.0, "start", "note")
    for row, (key, title) in enumerate((("slot", "finished, one after the other"), ("back", "read backwards"))):
        y = 138 + 50.0 * row
        ground += words(title, 3, y, 11.0, "start", "note")
        parts += [Part(f"{key}{i}", rect(3 + 59 * i, y + 10, 56, 26), "", 31 + 59 * i, y + 23, kind="ghost")
                  for i in range(len(EXAMPLE))]  # fmt: skip
    label = "The network: input leads to op1, op1 to op3, op3 to op4 and op5, op5 to output. Below it the list of "
    return Panel(360, 228, label + "finished nodes.", parts, ground)


def _calls() -> Panel:
    parts = []
    for i, line in enumerate(CODE):
        parts.append(Part(f"line{i}", rect(2, 18 + 18 * i, 300, 18, 3), line, 8, 27 + 18 * i, 11.0, "start", "code"))
    depth = max(len(moment.path) for moment in walk(EXAMPLE))
    for i in range(depth):
        y = LOW - STACK * (i + 1)
        parts.append(Part(f"call{i}", rect(2, y + 1, 150, STACK - 3), "", 77, y + STACK / 2, kind="hidden"))
        parts.append(Part(f"word{i}", "", "", 162, y + STACK / 2, 11.0, "start"))
    ground = words("the function", 3, 8, 11.0, "start", "note")
    ground += words("the stack of calls", 3, LOW - STACK * depth - 14, 11.0, "start", "note")
    return Panel(306, LOW + 2, "The function visit, and the stack of its calls: the one on top runs, the others wait.",
                 parts, ground)  # fmt: skip
