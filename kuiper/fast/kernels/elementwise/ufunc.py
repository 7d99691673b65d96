"""One function of small arrays that are not all float32: the arithmetic of positions, and masks of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np

from kuiper.errors import DTypeError
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.kernel import Kernel, Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.scalars import Function

LARGEST = 1 << 16
"""Elements of a result up to which the call's overhead, not the numbers, takes the time."""
IMAGE_RANK = 4
"""From this rank on, values may be stored channel-last."""


class UfuncKernel(Kernel):
    """(...), (...) -> the broadcast shape: a ufunc on its operands in one element type.

    slots : which of the operator's inputs the operands are.
    """

    def __init__(self, function: np.ufunc, slots: Sequence[int], dtype: np.dtype) -> None:
        self.function, self.slots, self.dtype = function, slots, dtype

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """An operand of another type is converted, then the one call."""
        calls: list[Call] = []
        operands = []
        for slot in self.slots:
            array = inputs[slot].array
            if array.dtype != self.dtype:
                converted = space.shared(array.shape, self.dtype.type)
                calls.append(partial(np.copyto, converted, array, casting="same_kind"))
                array = converted
            operands.append(array)
        calls.append(partial(self.function, *operands, out=outputs[0].array))
        return [[calls]]


def lower_ufunc(step: Step, function: Function, slots: Sequence[int]) -> Kernel | None:
    """The kernel for `function` of these inputs; None where its layer has to compute it."""
    operands = [step.inputs[slot] for slot in slots]
    ufunc, (result, *others) = function.compute, step.outputs
    if not isinstance(ufunc, np.ufunc) or function.check is not None or others or result.shape is None:
        return None
    if prod(result.shape) > LARGEST or len(result.shape) >= IMAGE_RANK:
        return None
    if any(one.shape is None or one.dtype is None or one.dtype.kind not in "bif" for one in operands):
        return None
    ones = [np.ones((1,) * len(one.shape or ()), one.dtype) for one in operands]
    try:
        computed = function.computed_in(*ones)
        if computed == np.float16 or function.of_arrays(*ones).dtype != result.dtype:
            return None
        with np.errstate(all="ignore"):  # arctanh(1) is infinite: only the type is asked for
            direct = ufunc(*(one.astype(computed) for one in ones)).dtype
    except DTypeError:
        return None
    return UfuncKernel(ufunc, slots, computed) if direct == result.dtype else None
