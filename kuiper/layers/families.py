"""Families of operations: what kind of thing a layer does. Pictures give each a colour."""

from __future__ import annotations

from typing import Literal

Family = Literal[
    "input, output",
    "weight",
    "convolution",
    "pooling",
    "normalization",
    "linear, attention",
    "activation",
    "shape",
    "arithmetic",
]

ENDS: Family = "input, output"
WEIGHT: Family = "weight"
CONVOLUTION: Family = "convolution"
POOLING: Family = "pooling"
NORMALIZATION: Family = "normalization"
LINEAR: Family = "linear, attention"
ACTIVATION: Family = "activation"
SHAPE: Family = "shape"
ARITHMETIC: Family = "arithmetic"
