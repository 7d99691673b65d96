"""Operators without a kernel: the simple layer computes them, between arrays of the plan and values of one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.fast.kernel import Kernel, Node, Stage
from kuiper.fast.place import Place, Spec
from kuiper.fast.workspace import Workspace


class PlanMismatchError(Exception):
    """An operator's result has another shape than when the plan was made: it depends on the numbers, not on shapes."""


class Simple(Kernel):
    """One operator computed by its simple layer.

    passing : what in a pass is no array of the plan, by operand name (lists, integers that depend on the input);
        the same dictionary for all operators of a plan.
    """

    def __init__(self, node: Node, passing: dict[str, Any]) -> None:
        self.node, self.passing = node, passing

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """One call: gather the inputs, compute, copy the results to their places."""
        op = self.node.operator
        fixed: dict[str, Any] = {}
        late: list[str] = []
        for operand, spec, place in zip(op.inputs, self.node.inputs, inputs):
            if spec.constant:
                fixed[operand.name] = spec.value
            elif spec.shape is not None:
                fixed[operand.name] = place.array
            else:
                late.append(operand.name)
        given = [x for x in fixed.values() if isinstance(x, np.ndarray)]

        def compute() -> None:
            values = dict(fixed)
            values.update((name, self.passing[name]) for name in late)
            op.layer.forward_operator(op, values)  # type: ignore[union-attr]
            for operand, spec, place in zip(op.outputs, self.node.outputs, outputs):
                result = values[operand.name]
                if spec.shape is None:
                    self.passing[operand.name] = detached(result, given)
                else:
                    store(result, spec, place)

        return [[[compute]]]


def store(result: Any, spec: Spec, place: Place) -> None:
    """Copy a layer's result to its place. Raises PlanMismatchError when it is not what the plan expects."""
    if not isinstance(result, np.ndarray) or result.shape != spec.shape or result.dtype != spec.dtype:
        raise PlanMismatchError(f"expected {spec.shape} {spec.dtype}, got {getattr(result, 'shape', type(result))}")
    np.copyto(place.array, result)


def detached(value: Any, arrays: Sequence[np.ndarray]) -> Any:
    """`value` without memory of `arrays`: arrays in it that may share some are copied."""
    return copied(value, lambda array: any(np.may_share_memory(array, x) for x in arrays))


def copied(value: Any, where: Callable[[np.ndarray], bool] = lambda array: True) -> Any:
    """`value` with copies of those arrays in it for which `where` holds."""
    if isinstance(value, np.ndarray):
        return value.copy() if where(value) else value
    if isinstance(value, (tuple, list)):
        return type(value)(copied(item, where) for item in value)
    if isinstance(value, dict):
        return {key: copied(item, where) for key, item in value.items()}
    return value
