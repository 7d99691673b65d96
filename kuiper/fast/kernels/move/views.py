"""Operators that only view memory differently, and concatenation: nothing is computed.

Each view is the layer's own result, so the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.kernel import Join, Step, View, lowers
from kuiper.layers.arrays.joining import Cat, Chunk, Split, Stack, TensorSplit, Unbind
from kuiper.layers.arrays.shape import Expand, ExpandAs, Movedim, Permute, Squeeze, T, Transpose, Unflatten, Unsqueeze
from kuiper.layers.arrays.slicing import Narrow, Select, Slice
from kuiper.layers.elementwise.conversion import Clone, To, TypeAs
from kuiper.layers.elementwise.identity import Dropout, Identity


@lowers(Permute, Transpose, T, Movedim, Unsqueeze, Squeeze, Unflatten, Expand)
@lowers(Slice, Select, Narrow)
@lowers(Split, Chunk, TensorSplit, Unbind)
@lowers(Identity, Dropout, Clone)
def view(step: Step) -> View | None:
    """(any shape) -> one view, or several, of the same memory."""
    if len(step.inputs) != 1:
        return None
    layer, single = step.layer, len(step.outputs) == 1

    def part(slot: int) -> Callable[[np.ndarray], np.ndarray]:
        return lambda array: layer.forward(array) if single else layer.forward(array)[slot]

    return checked(step, *map(part, range(len(step.outputs))))


@lowers(ExpandAs)
def expand_as(step: Step) -> View | None:
    """(a, 1, b), other -> the shape of `other`, whose elements are not read."""
    shape = step.outputs[0].shape
    return None if shape is None else checked(step, lambda array: np.broadcast_to(array, shape))


@lowers(To, TypeAs)
def same_type(step: Step) -> View | None:
    """(...) -> (...): x itself, where it already has the dtype asked for."""
    given, asked = step.inputs[0].dtype, step.outputs[0].dtype
    bfloat16 = getattr(getattr(step.layer, "dtype", None), "code", None) == "bf16"  # which rounds a float32
    return None if bfloat16 or given != asked else checked(step, lambda array: array)


def checked(step: Step, *views: Callable[[np.ndarray], Any]) -> View | None:
    """The kernel of these views; None unless each has its output's shape and shares the input's memory.

    Constants are no part of the arena, which a view lies in.
    """
    given = step.inputs[0]
    if given.shape is None or given.constant or any(output.shape is None for output in step.outputs):
        return None
    array = np.broadcast_to(np.zeros((), given.dtype), given.shape)  # one element that stands for all
    for function, output in zip(views, step.outputs):
        result = function(array)
        if result.shape != output.shape or result.dtype != output.dtype or not np.may_share_memory(result, array):
            return None
    return View(*views)


@lowers(Cat)
def cat(step: Step) -> Join | View | None:
    """(..., n1, ...), (..., n2, ...), ... -> (..., n1 + n2 + ..., ...) along `dim`, all of one element type.

    Empty arrays of one axis are left out, as those with which transformers begins a cache: the layer counts them for
    their type alone. What is joined to nothing else is a view.
    """
    result = step.outputs[0]
    if result.shape is None or any(x.shape is None or x.dtype != result.dtype for x in step.inputs):
        return None
    some = [x for x in step.inputs if x.shape != (0,)]
    if not some or any(len(x.shape or ()) != len(result.shape) or 0 in (x.shape or ()) for x in some):
        return None
    step.reads = [name for name, x in zip(step.reads, step.inputs) if x.shape != (0,)]
    step.inputs = some
    if len(some) == 1 and (kept := checked(step, lambda array: array)) is not None:
        return kept
    return Join(step.layer.dim % len(result.shape))


@lowers(Stack)
def stack(step: Step) -> Join | None:
    """k arrays (...) -> (..., k, ...) along a new dimension `dim`, all of one element type."""
    result = step.outputs[0]
    if not result.shape or any(not x.shape or 0 in x.shape or x.dtype != result.dtype for x in step.inputs):
        return None
    return Join(step.layer.dim % len(result.shape), new=True)
