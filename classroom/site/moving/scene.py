"""A moving picture as data: panels made of parts, and frames with the state of each part.

All frames and the still picture share one drawing: a frame only changes classes, texts, places, shares and pictures of
parts. static/moving-figure.js does the same in the page as `Part.svg` here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from classroom.site.moving.errors import MovingError
from kuiper.show.svg import element, escape, number


@dataclass(frozen=True)
class PartState:
    """The state of a part in one frame: its classes, its text (None: as drawn), and its displacement.

    `share` : from 0 to 1: how long a part of class "bar" is, how strong the colour of one of class "shade".
    `drawn` : the data URL of its <image>, or the d of its <path>; None: as it was.
    """

    kind: str = ""
    text: str | None = None
    dx: float = 0.0
    dy: float = 0.0
    share: float | None = None
    drawn: str | None = None

    def data(self) -> list[Any]:
        """[kind, text, dx, dy, share] without trailing defaults; the kind is always included."""
        values: list[Any] = [self.kind, self.text, self.dx, self.dy, self.share]
        while len(values) > 1 and (values[-1] is None or (len(values) in (3, 4) and not values[-1])):
            values.pop()
        return values

    def style(self) -> str:
        """The CSS of the displacement and of the share."""
        moved = f"transform:translate({number(self.dx)}px,{number(self.dy)}px)" if self.dx or self.dy else ""
        share = f"--share:{self.share:g}" if self.share is not None else ""
        return ";".join(filter(None, (moved, share)))


DRAWN = re.compile(r'\b(href|d)="[^"]*"')
SIZE, ANCHOR = 12.0, "middle"
"""Of a part's text, where it does not say otherwise."""
PartStates = dict[str, PartState]
"""Key of a part -> its state."""


@dataclass(frozen=True)
class Part:
    """A shape with at most one line of text at (x, y) that may change from step to step.

    `kind` : its classes in frames that do not mention it.
    `size` : of its text, 0 for a part that never has one.
    """

    key: str
    shape: str = ""
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    size: float = SIZE
    anchor: str = ANCHOR
    kind: str = ""

    def svg(self, state: PartState | None) -> str:
        """The part in one state, with the data that the script needs to change it."""
        look = state or PartState(self.kind)
        said = self.text if look.text is None else look.text
        differs: dict[str, object] = {"font_size": self.size} if self.size != SIZE else {}
        differs |= {"text_anchor": self.anchor} if self.anchor != ANCHOR else {}
        line = element("text", escape(said) or " ", x=float(self.x), y=float(self.y), **differs) if self.size else ""
        own = {"class": f"part {look.kind}".strip(), "data-part": self.key, "data-kind": self.kind,
               "data-text": self.text, "style": look.style()}  # fmt: skip
        shape = DRAWN.sub(rf'\1="{look.drawn}"', self.shape) if look.drawn else self.shape
        return element("g", shape, line, **{name: value for name, value in own.items() if value})


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
            font_size=SIZE,
            text_anchor=ANCHOR,
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
        return figure("moving-steps", self.name, self.title, self.panels, self.frames[self.still], self.changes())

    def changes(self) -> list[tuple[str, dict[str, Any]]]:
        """For each frame its sentence, and the data of each part that is not as in the frame before; 0: as drawn."""
        changes, before = [], dict[str, Any]()
        for frame in self.frames:
            now = {key: state.data() for key, state in frame.states.items()}
            differ = {key: state for key, state in now.items() if state != before.get(key)}
            changes.append((frame.say, differ | dict.fromkeys(sorted(before.keys() - now.keys()), 0)))
            before = now
        return changes


def figure(kind: str, name: str, title: str, panels: Sequence[Panel], still: Frame, data: object) -> str:
    """The HTML of a moving picture: its title, its panels and sentence as in one frame, and the script's data."""
    drawn = "\n".join(panel.svg(still.states) for panel in panels)
    return "\n".join(
        [
            f'<figure class="moving {kind}" data-name="{escape(name)}">',
            f'<figcaption class="moving-title">{escape(title)}</figcaption>',
            f'<div class="moving-stage">\n<div class="moving-panels">\n{drawn}\n</div>',
            f'<p class="moving-say">{escape(still.say)}</p>\n</div>',
            data_script(data),
            "</figure>",
        ]
    )


def data_script(data: object) -> str:
    """Data for the page's script, as JSON with HTML characters escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json">{text}</script>'
