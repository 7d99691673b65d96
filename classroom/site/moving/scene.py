"""An animation as data: panels made of parts, and frames with the state of each part at a step.

All steps and the still picture share one drawing: a frame only changes classes, texts and positions of parts.
static/moving-stepper.js does the same in the page as `Part.svg` here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from classroom.site.moving.errors import MovingError
from kuiper.show.svg import element, escape, number


@dataclass(frozen=True)
class PartState:
    """The state of a part at one step: its classes, its text (None: as drawn), and its displacement."""

    kind: str = ""
    text: str | None = None
    dx: float = 0.0
    dy: float = 0.0

    def data(self) -> list[Any]:
        """[kind, text, dx, dy] without trailing defaults; the kind is always included."""
        values: list[Any] = [self.kind, self.text, self.dx, self.dy]
        while len(values) > 1 and values[-1] in (None, 0.0):
            values.pop()
        return values


PartStates = dict[str, PartState]
"""Key of a part -> its state."""


@dataclass(frozen=True)
class Part:
    """A shape with at most one line of text at (x, y) that may change from step to step.

    `kind` : its classes in frames that do not mention it.
    """

    key: str
    shape: str = ""
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    size: float = 12.0
    anchor: str = "middle"
    kind: str = ""

    def svg(self, state: PartState | None) -> str:
        """The part in one state, with the data that the script needs to change it."""
        look = state or PartState(self.kind)
        said = self.text if look.text is None else look.text
        line = element("text", escape(said) or " ", x=float(self.x), y=float(self.y), font_size=self.size,
                       text_anchor=self.anchor)  # fmt: skip
        moved = {"style": f"transform:translate({number(look.dx)}px,{number(look.dy)}px)"} if look.dx or look.dy else {}
        own = {"class": f"part {look.kind}".strip(), "data-part": self.key, "data-kind": self.kind,
               "data-text": self.text, **moved}  # fmt: skip
        return element("g", self.shape, line, **own)


@dataclass(frozen=True)
class Panel:
    """One drawing: its size, label, static background, and its parts in drawing order."""

    width: float
    height: float
    label: str
    parts: Sequence[Part]
    ground: str = ""

    def svg(self, states: Mapping[str, PartState]) -> str:
        """The panel at one step."""
        return element(
            "svg",
            self.ground,
            *(part.svg(states.get(part.key)) for part in self.parts),
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
            width=float(self.width),
            height=float(self.height),
            role="img",
            aria_label=self.label,
        )


@dataclass(frozen=True)
class Frame:
    """One step: its caption, and the states of parts that differ from their defaults."""

    say: str
    states: Mapping[str, PartState]


@dataclass(frozen=True)
class Scene:
    """A complete animation; `still` : index of the frame for the still picture.

    Raises MovingError for a frame with unknown parts, and for duplicate keys.
    """

    name: str
    title: str
    panels: Sequence[Panel]
    frames: Sequence[Frame]
    still: int

    def __post_init__(self) -> None:
        keys = [part.key for panel in self.panels for part in panel.parts]
        if len(set(keys)) < len(keys):
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise MovingError(f"{self.name}: expected parts with different keys, found {', '.join(twice)} twice")
        for i, frame in enumerate(self.frames):
            if unknown := frame.states.keys() - set(keys):
                raise MovingError(f"{self.name}: frame {i} speaks of {', '.join(sorted(unknown))}, which no panel has")

    def html(self) -> str:
        """The figure: the still picture, and the frames as JSON for the script."""
        frame = self.frames[self.still]
        panels = "\n".join(panel.svg(frame.states) for panel in self.panels)
        return "\n".join(
            [
                f'<figure class="moving moving-steps" data-name="{escape(self.name)}">',
                f'<figcaption class="moving-title">{escape(self.title)}</figcaption>',
                f'<div class="moving-stage">\n<div class="moving-panels">\n{panels}\n</div>',
                f'<p class="moving-say">{escape(frame.say)}</p>\n</div>',
                data_script([[f.say, {key: state.data() for key, state in f.states.items()}] for f in self.frames]),
                "</figure>",
            ]
        )


def data_script(data: object) -> str:
    """Data for the page's script, as JSON with HTML characters escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json">{text}</script>'
