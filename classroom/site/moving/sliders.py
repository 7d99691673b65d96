"""A moving picture whose reader turns settings: sliders, and a function from their places to a frame.

Python draws the still picture with kuiper's numbers; in the page a script of the picture's own computes the frame for
any other setting. Tests compare both for many settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Frame, Panel, figure


@dataclass(frozen=True)
class Slider:
    """A setting with its values as the reader sees them, from left to right.

    `name` : what the address calls it.
    `start` : the value at first, and in the still picture.

    Raises MovingError where the values are not different, or do not include `start`.
    """

    name: str
    label: str
    values: Sequence[str]
    start: str

    def __post_init__(self) -> None:
        if len(set(self.values)) < len(self.values) or self.start not in self.values:
            raise MovingError(f"slider {self.name}: expected different values with {self.start} among them, "
                              f"found {', '.join(self.values)}")  # fmt: skip


Settings = Mapping[str, str]
"""Name of a slider -> its value."""


@dataclass(frozen=True)
class Adjustable:
    """A picture with sliders.

    `frame` : the picture at some settings.
    `data` : what the script of this picture, static/moving-NAME.js, computes with.
    `words` : the picture's sentences with {places} for numbers, so that both sides say the same.
    """

    name: str
    title: str
    panels: Sequence[Panel]
    sliders: Sequence[Slider]
    frame: Callable[[Settings], Frame]
    data: Mapping[str, object]
    words: Mapping[str, str]

    def start(self) -> dict[str, str]:
        """The settings at first."""
        return {slider.name: slider.start for slider in self.sliders}

    def all_settings(self) -> list[dict[str, str]]:
        """Every combination of the sliders' values."""
        names = [slider.name for slider in self.sliders]
        return [
            dict(zip(names, values, strict=True)) for values in product(*(slider.values for slider in self.sliders))
        ]

    def html(self) -> str:
        """The figure: the still picture, and sliders, words and data as JSON for the scripts."""
        sliders = [[slider.name, slider.label, list(slider.values), slider.start] for slider in self.sliders]
        data = {"sliders": sliders, "words": dict(self.words), **self.data}
        still = self.frame(self.start())
        return figure(f"moving-sliders moving-{self.name}", self.name, self.title, self.panels, still, data)
