"""The colours of every picture, chosen to be readable on a white and on a black page."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

INK = "#74808d"
"""Text and lines that stand on the page itself: contrast of about 4 to white and to black."""
PILL, PILL_TEXT = "#eceff3", "#39434f"
"""A small label with a ground of its own."""


@dataclass(frozen=True)
class Family:
    """One family of operators, and the colours of its boxes."""

    name: str
    types: str  # regular expression, searched in the operator type without its prefix, in lower case
    fill: str
    border: str
    text: str = "#1d2530"


FAMILIES = (
    Family("input, output", r"^pnnx\.(input|output)$", "#4d5a68", "#8794a3", "#ffffff"),
    Family("weight", r"^pnnx\.attribute$", "#f8d5e0", "#b03a68"),
    Family("convolution", r"conv", "#cfe3fa", "#2f6db3"),
    Family("pooling", r"pool", "#c6ebe8", "#1c7f7a"),
    Family("normalization", r"norm(?!$)|.norm$", "#d5edcf", "#47843a"),
    Family("linear, attention", r"linear|mm$|^mv$|matmul|einsum|attention|lstm|gru|rnn|embed", "#e0d7f7", "#6a4fb3"),
    Family("activation", r"elu|silu|mish|swish|glu|sigmoid|tanh|softm|softplus|softsign|shrink|threshold",
           "#fde0c2", "#b8651b"),
    Family("shape", r"shape|view|permute|transpose|flatten|cat$|stack|split|chunk|slice|select|squeeze|unbind|expand"
           r"|repeat|roll|pad|shuffle|sample|interpolate|tile|flip|narrow|clone|fold|index|gather|tuple|list|dict",
           "#e2e5ea", "#626c78"),
    Family("arithmetic", r"", "#fbf0b8", "#94790a"),
)  # fmt: skip
"""The first family whose expression is found wins; the last takes all that is left."""


def family(operator_type: str) -> Family:
    """The family of an operator type.

    >>> family("nn.Conv2d").name, family("torch.cat").name, family("pnnx.Expression").name
    ('convolution', 'shape', 'arithmetic')
    """
    kind = operator_type.lower()
    bare = kind if kind.startswith("pnnx.") else re.split(r"[.:]", kind)[-1]
    return next(f for f in FAMILIES if re.search(f.types, bare))


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
