"""The colours of every picture, chosen to be readable on a white and on a black page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kuiper.graph import BOUNDARY
from kuiper.layers import families, registry

INK = "#74808d"
"""Text and lines that stand on the page itself: contrast of about 4 to white and to black."""
PILL, PILL_TEXT = "#eceff3", "#39434f"
"""A small label with a ground of its own."""


@dataclass(frozen=True)
class Swatch:
    """The colours of some boxes, and what the legend calls these."""

    name: str
    fill: str
    border: str
    text: str = "#1d2530"


SWATCHES = (
    Swatch(families.ENDS, "#4d5a68", "#8794a3", "#ffffff"),
    Swatch(families.WEIGHT, "#f8d5e0", "#b03a68"),
    Swatch(families.CONVOLUTION, "#cfe3fa", "#2f6db3"),
    Swatch(families.POOLING, "#c6ebe8", "#1c7f7a"),
    Swatch(families.NORMALIZATION, "#d5edcf", "#47843a"),
    Swatch(families.LINEAR, "#e0d7f7", "#6a4fb3"),
    Swatch(families.ACTIVATION, "#fde0c2", "#b8651b"),
    Swatch(families.SHAPE, "#e2e5ea", "#626c78"),
    Swatch(families.ARITHMETIC, "#fbf0b8", "#94790a"),
)
"""The colours of each family of operators, in the order of the legend."""
_BY_NAME = {swatch.name: swatch for swatch in SWATCHES}
UNTOLD = _BY_NAME[families.CONVOLUTION]
"""The colours of a value of which nobody says what made it."""


def swatch_of(operator_type: str) -> Swatch:
    """The colours of an operator type's family, which its layer tells; a type without a layer counts as arithmetic.

    >>> swatch_of("nn.Conv2d").name, swatch_of("pnnx.Input").name, swatch_of("pnnx.Expression").name
    ('convolution', 'input, output', 'arithmetic')
    """
    if operator_type in BOUNDARY:
        return _BY_NAME[families.ENDS]
    layer = registry.layer_class(operator_type) if operator_type in registry else None
    return _BY_NAME[families.ARITHMETIC if layer is None else layer.family]


_ORANGES = ("#f6f4ef", "#f9d3a4", "#ec9243", "#b5510f", "#6b2a06")
_BLUES = ("#f6f4ef", "#b3d0ee", "#5b97d6", "#1f5fa8", "#0b2f66")
LEVELS = 253
"""Colours of a heat map; three more follow for nan, -inf and inf."""
NAN, MINUS_INF, PLUS_INF = LEVELS, LEVELS + 1, LEVELS + 2
_SPECIAL = np.array([(0x8C, 0x93, 0x9C), (0x0A, 0x7D, 0x4B), (0xC2, 0x18, 0x5B)], np.uint8)


def _ramp(anchors: tuple[str, ...]) -> np.ndarray:
    rgb = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in anchors], float)
    place = np.linspace(0, len(anchors) - 1, LEVELS)
    channels = [np.interp(place, np.arange(len(anchors)), rgb[:, i]) for i in range(3)]
    return np.concatenate([np.stack(channels, axis=1).round().astype(np.uint8), _SPECIAL])


SEQUENTIAL = _ramp(_ORANGES)
DIVERGING = _ramp(_BLUES[:0:-1] + _ORANGES)
"""(256, 3) bytes each; a positive number has the same hue in both."""


def hexadecimal(rgb: np.ndarray) -> str:
    """(3,) bytes -> '#rrggbb'."""
    return "#" + bytes(rgb.tolist()).hex()


def text_on(rgb: np.ndarray) -> str:
    """Dark or white, whichever is easier to read on the colour."""
    return "#1d2530" if float(rgb @ np.array([0.299, 0.587, 0.114])) > 130 else "#ffffff"
