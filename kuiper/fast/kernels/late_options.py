"""Layers with options that arrive as inputs: where these are constant, the kernel of the layer with its options."""

from __future__ import annotations

import dataclasses

from kuiper.fast.kernels.base.kernel import LOWERINGS, Join, Kernel, Step, lowers
from kuiper.fast.kernels.matmul.attention import masked_attention
from kuiper.layers.binding import X
from kuiper.layers.layer import Bound, Layer


@lowers(Bound)
def bound(step: Step) -> Kernel | None:
    """The kernel of the layer, if its options come after its arrays and nothing is converted."""
    wrapper: Bound = step.layer
    count = wrapper.roles.count(X)
    if not count or wrapper.roles[:count] != [X] * count:
        return None
    if wrapper.asked is not None and (step.inputs[0].dtype is None or wrapper.converts(step.inputs[0].dtype)):
        return None
    if not all(step.inputs[slot].constant for slot in wrapper.late):
        return masked_attention(step)
    return kernel_of(step, wrapper.made([spec.value for spec in step.inputs]), count)


def kernel_of(step: Step, layer: Layer, count: int) -> Kernel | None:
    """The kernel of `layer` on the first `count` inputs of the step; None where it has none."""
    lowering = LOWERINGS.get(type(layer))
    if lowering is None:
        return None
    operator = dataclasses.replace(step.operator, layer=layer)
    kernel = lowering(Step([operator], step.inputs[:count], step.outputs, packs=step.packs))
    return None if isinstance(kernel, Join) and count < len(step.inputs) else kernel  # it would join the options too
