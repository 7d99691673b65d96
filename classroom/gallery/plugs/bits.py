"""Lesson 15: a network's weights in 8 bits; the piece runs a second time with them, see gallery/fewer_bits.py."""

from __future__ import annotations

import kuiper
from classroom.gallery.plugs.plug import Plug, as_step, of_types
from kuiper.quantize import small_weights

LINEAR = "nn.Linear"


def has_weight(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it has a weight that 8 bits are for."""
    return operator.type != "pnnx.Attribute" and bool(small_weights([operator]))


PLUGS = (
    Plug("quantize", "quantize", "weights in 8 bits, of a second run", as_step, has_weight, False),
    Plug("dequantize", "dequantize", "these weights as float32", as_step, has_weight, False),
    Plug("int8_matvec", "int8_matvec", "nn.Linear in that second run", as_step, of_types(LINEAR), False),
)
EXERCISES = tuple(plug.exercise for plug in PLUGS)
