"""Operators without a kernel: the layer computes them, from the plan's buffers and the values of one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Kernel, Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.runtime.values import copied, overlaps


class PlanMismatchError(Exception):
    """A result is not the array, of that shape and type, that it was when the plan was made: it depends on the data."""


class Fallback(Kernel):
    """One operator computed by its layer.

    dynamic : the dynamic values of a pass by operand name: those without a shape, and so without a buffer (lists,
        integers that depend on the input). One dictionary for all operators of a plan.
    """

    def __init__(self, step: Step, dynamic: dict[str, Any]) -> None:
        self.step, self.dynamic = step, dynamic

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One call: gather the inputs, compute, copy the results to their buffers."""
        op = self.step.operator
        fixed: dict[str, Any] = {}
        late: list[str] = []
        for operand, spec, buffer in zip(op.inputs, self.step.inputs, inputs):
            if spec.constant:
                fixed[operand.name] = spec.value
            elif spec.shape is not None:
                fixed[operand.name] = buffer.array
            else:
                late.append(operand.name)
        given = [x for x in fixed.values() if isinstance(x, np.ndarray)]

        def compute() -> None:
            values = dict(fixed)
            values.update((name, self.dynamic[name]) for name in late)
            op.layer.forward_operator(op, values)
            for operand, spec, buffer in zip(op.outputs, self.step.outputs, outputs):
                result = values[operand.name]
                if spec.shape is None:
                    self.dynamic[operand.name] = copied(result, lambda array: overlaps(array, given))
                else:
                    store(result, spec, buffer)

        return [[[compute]]]


def store(result: Any, spec: Spec, buffer: Buffer) -> None:
    """Copy a layer's result to its buffer. Raises PlanMismatchError when it is not what the plan expects."""
    if not isinstance(result, np.ndarray) or result.shape != spec.shape or result.dtype != spec.dtype:
        raise PlanMismatchError(f"expected {spec.shape} {spec.dtype}, got {getattr(result, 'shape', type(result))}")
    np.copyto(buffer.array, result)
