"""Floating-point operations from shapes alone: what the `flops` of layers are made of.

A multiplication and an addition are two operations (2 x MACs); a function such as exp counts as one; what only moves
data counts 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.graph import Shape

Shapes = Sequence[Shape | None]
FlopsRule = Callable[[Any, Shapes, Shapes], int]
"""(layer, shapes of the inputs, shapes of the outputs) -> operations: the method `flops` of a layer."""


class UnknownShapeError(Exception):
    """A shape that the rule needs is not known before the network runs."""


def known(shape: Shape | None) -> Shape:
    """The shape itself. Raises UnknownShapeError where it, or one of its dimensions, is not known."""
    if shape is None or min(shape, default=0) < 0:
        raise UnknownShapeError
    return shape


def size(shape: Shape | None) -> int:
    """How many elements an array of this shape has. Raises UnknownShapeError.

    >>> size((2, 3, 4))
    24
    """
    return math.prod(known(shape))


def per_output(count: int) -> FlopsRule:
    """A rule: `count` operations for every element of the outputs.

    >>> per_output(3)(None, [(2, 3)], [(2, 3)])
    18
    """
    return lambda layer, inputs, outputs: count * sum(map(size, outputs))


def per_input(count: int) -> FlopsRule:
    """A rule: `count` operations for every element of the first input."""
    return lambda layer, inputs, outputs: count * size(inputs[0])


def per_broadcast(count: int) -> FlopsRule:
    """A rule: `count` operations for every element that the inputs have when they are broadcast.

    >>> per_broadcast(4)(None, [(2, 1), (3,)], [(2,)])
    24
    """
    return lambda layer, inputs, outputs: count * math.prod(np.broadcast_shapes(*map(known, inputs)))


def moves(layer: Any, inputs: Shapes, outputs: Shapes, /) -> int:
    """The rule for what only moves data: 0."""
    return 0
