"""Layers whose options arrive as inputs: where those are constants, the kernel of the layer with these options."""

from __future__ import annotations

import dataclasses

from kuiper.fast.kernel import LOWERINGS, Join, Kernel, Node, lowers
from kuiper.fast.kernels.attention import masked_attention
from kuiper.layers.binding import X
from kuiper.layers.layer import Bound, Layer


@lowers(Bound)
def bound(node: Node) -> Kernel | None:
    """The kernel of the layer inside, whose options all come after the inputs of `forward`; nothing is converted."""
    wrapper: Bound = node.layer
    count = wrapper.slots.count(X)
    if not count or wrapper.slots[:count] != [X] * count:
        return None
    if wrapper.asked is not None and (node.inputs[0].dtype is None or wrapper.converts(node.inputs[0].dtype)):
        return None
    if not all(node.inputs[slot].constant for slot in wrapper.late):
        return masked_attention(node)
    return kernel_of(node, wrapper.made([spec.value for spec in node.inputs]), count)


def kernel_of(node: Node, layer: Layer, count: int) -> Kernel | None:
    """The kernel of `layer` on the first `count` inputs of the node; None where it has none."""
    lowering = LOWERINGS.get(type(layer))
    if lowering is None:
        return None
    operator = dataclasses.replace(node.operator, layer=layer)
    kernel = lowering(dataclasses.replace(node, operator=operator, inputs=node.inputs[:count]))
    return None if isinstance(kernel, Join) and count < len(node.inputs) else kernel  # which would join the options too
