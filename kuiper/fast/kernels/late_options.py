"""Layers with options that arrive as inputs: where these are constant, the kernel of the layer with its options."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from kuiper.fast.kernels.base.kernel import LOWERINGS, Join, Kernel, Step, lowers
from kuiper.fast.kernels.elementwise.ufunc import lower_ufunc
from kuiper.fast.kernels.matmul.attention import masked_attention
from kuiper.layers.binding import SURPLUS, X
from kuiper.layers.elementwise.elementwise import Elementwise
from kuiper.layers.layer import Bound, Layer


@lowers(Bound)
def bound(step: Step) -> Kernel | None:
    """The kernel of the layer, if its options come after its arrays and nothing is converted.

    Where there are no such options, the step no longer reads what changes no result.
    """
    wrapper: Bound = step.layer
    count = wrapper.roles.count(X)
    if not wrapper.late and SURPLUS in wrapper.roles and not _converts(step):
        slots = [slot for slot, role in enumerate(wrapper.roles) if role == X]
        kernel = kernel_of(step, wrapper.made(()), slots) if slots else None
        if kernel is not None:
            step.inputs, step.reads = [step.inputs[i] for i in slots], [step.reads[i] for i in slots]
        return kernel
    # both values of a comparison may be arrays, although `forward` takes them as options
    if issubclass(wrapper.kind, Elementwise) and list(wrapper.roles) == ["input", "other"] and not wrapper.options:
        return lower_ufunc(step, wrapper.kind.function, range(2))
    if not count or wrapper.roles[:count] != [X] * count:
        return None
    if _converts(step):
        return None
    if not all(step.inputs[slot].constant for slot in wrapper.late):
        return masked_attention(step)
    return kernel_of(step, wrapper.made([spec.value for spec in step.inputs]), range(count))


def _converts(step: Step) -> bool:
    """Whether the layer may convert its input first."""
    dtype = step.inputs[0].dtype
    return step.layer.asked is not None and (dtype is None or step.layer.converts(dtype))


def kernel_of(step: Step, layer: Layer, slots: Sequence[int]) -> Kernel | None:
    """The kernel of `layer` on these inputs of the step; None where it has none."""
    lowering = LOWERINGS.get(type(layer))
    if lowering is None:
        return None
    operator = dataclasses.replace(step.operator, layer=layer)
    kernel = lowering(Step([operator], [step.inputs[i] for i in slots], step.outputs, packs=step.packs))
    return None if isinstance(kernel, Join) and len(slots) < len(step.inputs) else kernel  # it would join them all
