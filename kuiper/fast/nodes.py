"""From the operators of a graph to the nodes of a plan: a kernel for each, and operators fused into the one before."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuiper.fast.kernel import LOWERINGS, Kernel, Node
from kuiper.fast.kernels.activation import activation_of
from kuiper.fast.kernels.convolution import Convolution
from kuiper.fast.kernels.pointwise import channel_affine, is_addition
from kuiper.fast.place import Spec
from kuiper.fast.simple import Simple
from kuiper.fast.trace import Trace
from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph


@dataclass(eq=False)
class Step:
    """One kernel of a plan: what it reads and writes, by operand name, and the operators that it stands for."""

    kernel: Kernel
    inputs: list[str]
    outputs: list[str]
    node: Node
    operators: list[Operator] = field(default_factory=list)


Packs = tuple[list[Any], dict[str, np.ndarray]]
"""An operator's constant inputs, and its weights as kernels want them."""


def steps_of(graph: RuntimeGraph, trace: Trace, passing: dict[str, Any], packs: dict[str, Packs]) -> list[Step]:
    """A step for each operator whose result is not constant, in execution order.

    Parameters
    ----------
    passing : see Simple.
    packs : operator name -> its repacked weights, for plans of other shapes to use.
    """
    steps = []
    for op in graph.operators:
        outputs = [trace.specs[o.name] for o in op.outputs]
        if op.layer is None or all(spec.constant for spec in outputs):
            continue
        inputs = [trace.specs[o.name] for o in op.inputs]
        node = Node(op, inputs, outputs, _packs_of(op, inputs, packs))
        lowering = LOWERINGS.get(type(op.layer))  # a student's layer is of another class
        kernel = (lowering(node) if lowering is not None else None) or Simple(node, passing)
        names = [o.name for o in op.inputs], [o.name for o in op.outputs]
        steps.append(Step(kernel, *names, node, [op]))
    return steps


def _packs_of(op: Operator, inputs: list[Spec], packs: dict[str, Packs]) -> dict[str, np.ndarray]:
    """The operator's repacked weights; none yet where weights that are inputs follow from the shapes and differ now."""
    constants = [spec.value for spec in inputs if spec.constant]
    before, known = packs.setdefault(op.name, (constants, {}))
    same = len(before) == len(constants) and all(x is y or np.array_equal(x, y) for x, y in zip(before, constants))
    return known if same else {}


def fused(steps: list[Step], returned: set[str]) -> list[Step]:
    """The steps with every BatchNorm, addition and activation computed by the step before it, where that can.

    A step that takes over another moves to the other's place in the order, where all its inputs are there.
    `returned` are operands that somebody else reads: they must not vanish.
    """
    readers: dict[str, list[Step]] = {}
    for step in steps:
        for name in step.inputs:
            readers.setdefault(name, []).append(step)
    gone: set[int] = set()
    moved: dict[int, Step] = {}
    for step in steps:
        if id(step) in gone or step.kernel.epilogue is None:
            continue
        last = step
        while True:
            name = step.outputs[0]
            following = readers.get(name, [])
            if len(following) != 1 or name in returned or id(following[0]) in gone:
                break
            after = following[0]
            if not _takes(step, after, name):
                break
            gone.add(id(after))
            step.outputs, step.operators = after.outputs, [*step.operators, *after.operators]
            step.node = dataclasses.replace(step.node, outputs=after.node.outputs)
            last = after
        if last is not step:
            gone.add(id(step))
            moved[id(last)] = step
    return [moved.get(id(step), step) for step in steps if id(step) not in gone or id(step) in moved]


def _takes(step: Step, after: Step, name: str) -> bool:
    """Make `step` compute `after` too, which reads its result `name`; False where it cannot."""
    kernel, epilogue = step.kernel, step.kernel.epilogue
    assert epilogue is not None
    if epilogue.activation is not None or len(after.outputs) != 1:
        return False
    known = not isinstance(after.kernel, Simple)
    if isinstance(kernel, Convolution) and not epilogue.residual:
        affine = channel_affine(after.node)
        if known and affine is not None:
            kernel.scale(*affine)
            return True
    if known and not epilogue.residual and is_addition(after.node):
        other = [i for i, each in enumerate(after.inputs) if each != name]
        if len(other) == 1 and _same(after.node.inputs[other[0]], after.node.outputs[0]):
            epilogue.residual = True
            step.inputs = [*step.inputs, after.inputs[other[0]]]
            step.node = dataclasses.replace(step.node, inputs=[*step.node.inputs, after.node.inputs[other[0]]])
            return True
    activation = activation_of(after.node.layer) if known and len(after.inputs) == 1 else None
    if activation is None or after.node.outputs[0].dtype != step.node.outputs[0].dtype:
        return False
    epilogue.activation = activation
    return True


def _same(one: Spec, other: Spec) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and not one.constant
