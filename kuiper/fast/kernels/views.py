"""Operators that only look at memory in another way, and concatenation: nothing is computed.

Each kernel here takes the simple layer's own result for the view that it gives, so the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.fast.kernel import Join, Node, View, lowers
from kuiper.layers.arrays.joining import Cat, Chunk, Split, TensorSplit, Unbind
from kuiper.layers.arrays.shape import Expand, ExpandAs, Movedim, Permute, Squeeze, T, Transpose, Unflatten, Unsqueeze
from kuiper.layers.arrays.slicing import Narrow, Select, Slice
from kuiper.layers.elementwise.conversion import Clone, To, TypeAs
from kuiper.layers.elementwise.identity import Dropout, Identity


@lowers(Permute, Transpose, T, Movedim, Unsqueeze, Squeeze, Unflatten, Expand)
@lowers(Slice, Select, Narrow)
@lowers(Split, Chunk, TensorSplit, Unbind)
@lowers(Identity, Dropout, Clone)
def view(node: Node) -> View | None:
    """(any shape) -> one view, or several, of the same memory."""
    if len(node.inputs) != 1:
        return None
    layer, single = node.layer, len(node.outputs) == 1

    def part(slot: int) -> Callable[[np.ndarray], np.ndarray]:
        return lambda array: layer.forward(array) if single else layer.forward(array)[slot]

    return checked(node, *map(part, range(len(node.outputs))))


@lowers(ExpandAs)
def expand_as(node: Node) -> View | None:
    """(a, 1, b), other -> the shape of `other`, whose elements are not looked at."""
    shape = node.outputs[0].shape
    return None if shape is None else checked(node, lambda array: np.broadcast_to(array, shape))


@lowers(To, TypeAs)
def same_type(node: Node) -> View | None:
    """(...) -> (...): x, when it has the element type that is asked for already."""
    given, asked = node.inputs[0].dtype, node.outputs[0].dtype
    bfloat16 = getattr(getattr(node.layer, "dtype", None), "code", None) == "bf16"  # which rounds a float32
    return None if bfloat16 or given != asked else checked(node, lambda array: array)


def checked(node: Node, *views: Callable[[np.ndarray], Any]) -> View | None:
    """The kernel of these views; None unless each gives its output's shape, from memory that the input holds.

    A constant has no memory in a plan.
    """
    given = node.inputs[0]
    if given.shape is None or given.constant or any(output.shape is None for output in node.outputs):
        return None
    array = np.broadcast_to(np.zeros((), given.dtype), given.shape)  # one element that stands for all
    for function, output in zip(views, node.outputs):
        result = function(array)
        if result.shape != output.shape or result.dtype != output.dtype or not np.may_share_memory(result, array):
            return None
    return View(*views)


@lowers(Cat)
def cat(node: Node) -> Join | None:
    """(..., n1, ...), (..., n2, ...), ... -> (..., n1 + n2 + ..., ...) along `dim`, all of one element type."""
    result = node.outputs[0]
    if result.shape is None or any(x.shape is None or x.dtype != result.dtype for x in node.inputs):
        return None
    if any(len(x.shape or ()) != len(result.shape) or 0 in (x.shape or ()) for x in node.inputs):
        return None
    return Join(node.layer.dim % len(result.shape))
