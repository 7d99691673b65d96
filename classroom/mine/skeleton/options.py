"""Options that the parts do not have: a network with them is refused, because its numbers would be wrong."""

from __future__ import annotations

import re

from .format import parse_operator

ALWAYS = {
    "nn.Conv2d": {"dilation": "(1,1)", "padding_mode": "zeros"},
    "nn.MaxPool2d": {"ceil_mode": "False", "dilation": "(1,1)", "return_indices": "False"},
    "torch.flatten": {"end_dim": "-1", "start_dim": "1"},
}
"""Type -> option -> the only value for which there is a part."""
PAIRS = {
    "nn.Conv2d": {"padding", "stride"},
    "nn.MaxPool2d": {"kernel_size", "padding", "stride"},
    "nn.AdaptiveAvgPool2d": {"output_size"},
}
"""Type -> its options that must be two numbers, for rows and columns."""


def refuse_others(text: str) -> None:
    """Raise ValueError for the first option in a model file for which there is no part, such as dilation=(2,2)."""
    for line in filter(str.strip, text.splitlines()[2:]):
        kind, name, _, _, params, _ = parse_operator(line)
        for option, value in params.items():
            only = ALWAYS.get(kind, {}).get(option, value)
            if value != only:
                raise ValueError(f"{name}, a {kind}, has {option}={value}, and only {option}={only} is computed here")
            if option in PAIRS.get(kind, ()) and not re.fullmatch(r"\(\d+,\d+\)", value):
                raise ValueError(f"{name}, a {kind}, has {option}={value}, and two numbers were expected, as in (1,1)")
