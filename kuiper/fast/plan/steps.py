"""From operators to steps: a kernel for each, and fusion of what follows into it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.kernel import LOWERINGS, Step
from kuiper.fast.kernels.elementwise.activation import activation_of
from kuiper.fast.kernels.elementwise.formula import channel_affine, is_addition
from kuiper.fast.plan.fallback import Fallback
from kuiper.fast.plan.trace import SpecTrace
from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph


class OperatorPacks(NamedTuple):
    """An operator's repacked weights by the way of packing, and the constant inputs that they were made for."""

    constants: list[Any]
    packs: dict[str, np.ndarray]


def steps_of(
    graph: RuntimeGraph, trace: SpecTrace, dynamic: dict[str, Any], packs_of: dict[str, OperatorPacks]
) -> list[Step]:
    """A step for each operator whose result is not constant, in execution order.

    Parameters
    ----------
    dynamic : see Fallback.
    packs_of : by operator name; shared with plans for other shapes.
    """
    steps = []
    for op in graph.operators:
        reads, writes = [o.name for o in op.inputs], [o.name for o in op.outputs]
        inputs, outputs = [trace.specs[name] for name in reads], [trace.specs[name] for name in writes]
        if op.layer is None or all(spec.constant for spec in outputs):
            continue
        step = Step([op], inputs, outputs, reads, writes, _known_packs(op, inputs, packs_of))
        lowering = LOWERINGS.get(type(op.layer))  # a student's layer is of another class
        step.kernel = (lowering(step) if lowering is not None else None) or Fallback(step, dynamic)
        steps.append(step)
    return steps


def _known_packs(op: Operator, inputs: list[Spec], packs_of: dict[str, OperatorPacks]) -> dict[str, np.ndarray]:
    """The operator's repacked weights; none where its constant inputs differ from those that they were made for."""
    constants = [spec.value for spec in inputs if spec.constant]
    known = packs_of.setdefault(op.name, OperatorPacks(constants, {}))
    same = len(known.constants) == len(constants) and all(
        x is y or np.array_equal(x, y) for x, y in zip(known.constants, constants)
    )
    return known.packs if same else {}


def fused(steps: list[Step], returned: set[str]) -> list[Step]:
    """The steps, with BatchNorm, addition and activation fused into the step before where its kernel can.

    The steps themselves change. A step that takes over another runs in the other's turn, when all its inputs exist.
    `returned` are operands that must be kept.
    """
    readers: dict[str, list[Step]] = {}
    for step in steps:
        for name in step.reads:
            readers.setdefault(name, []).append(step)
    gone: set[int] = set()
    moved: dict[int, Step] = {}
    for step in steps:
        if id(step) in gone or step.kernel.epilogue is None:
            continue
        last = step
        while True:
            name = step.writes[0]
            following = readers.get(name, [])
            if len(following) != 1 or name in returned or id(following[0]) in gone:
                break
            after = following[0]
            if not _take_over(step, after, name):
                break
            gone.add(id(after))
            step.writes, step.outputs = after.writes, after.outputs
            step.operators = [*step.operators, *after.operators]
            last = after
        if last is not step:
            gone.add(id(step))
            moved[id(last)] = step
    return [moved.get(id(step), step) for step in steps if id(step) not in gone or id(step) in moved]


def _take_over(step: Step, after: Step, name: str) -> bool:
    """Fuse `after`, which reads the result `name`, into `step` and its kernel; False, and nothing changed, if not."""
    kernel, epilogue = step.kernel, step.kernel.epilogue
    assert epilogue is not None
    if epilogue.activation is not None or len(after.writes) != 1:
        return False
    known = not isinstance(after.kernel, Fallback)
    affine = channel_affine(after) if known and not epilogue.residual else None
    if affine is not None and kernel.fold(*affine):
        return True
    if known and not epilogue.residual and is_addition(after):
        other = [i for i, each in enumerate(after.reads) if each != name]
        if len(other) == 1 and _same(after.inputs[other[0]], after.outputs[0]):
            epilogue.residual = True
            step.reads = [*step.reads, after.reads[other[0]]]
            step.inputs = [*step.inputs, after.inputs[other[0]]]
            return True
    activation = activation_of(after.layer) if known and len(after.reads) == 1 else None
    if activation is None or after.outputs[0].dtype != step.outputs[0].dtype:
        return False
    epilogue.activation = activation
    return True


def _same(one: Spec, other: Spec) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and not one.constant
