"""Layers around other layers: options that arrive as inputs, and operations as the file declares them.

Where those inputs are constants, the layer inside can be made once, and its kernel be used.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from kuiper.fast.kernel import LOWERINGS, Join, Kernel, Node, lowers
from kuiper.fast.kernels.attention import masked_attention
from kuiper.layers.late_pooling import LatePool
from kuiper.layers.layer import Layer, _Late
from kuiper.layers.leftovers import Leftover
from kuiper.layers.operation import Operation, _Declared


@lowers(_Late)
def late(node: Node) -> Kernel | None:
    """The kernel of the layer whose options are constant inputs, all of which come after those of `forward`."""
    wrapper = node.layer
    surplus = set(wrapper.late) | wrapper.dropped
    count = len(node.inputs) - len(surplus)
    if surplus != set(range(count, len(node.inputs))):
        return None
    if not all(node.inputs[slot].constant for slot in wrapper.late):
        return masked_attention(node)
    options = {name: node.inputs[slot].value for slot, name in wrapper.late.items()}
    return kernel_of(node, wrapper.layer(**wrapper.options, **options), count)


@lowers(_Declared)
def declared(node: Node) -> Kernel | None:
    """The kernel of an operation that converts nothing, its options as inputs put in their places."""
    wrapper, given = node.layer, node.inputs[0].dtype
    if given is None or (wrapper.asked is not None and wrapper.natural_type(given) not in (None, wrapper.asked)):
        return None
    layer, options = wrapper.layer, node.inputs[1:]
    if not options or not isinstance(layer, Operation):
        return kernel_of(node, layer, len(node.inputs))
    names = next((names for names in layer.schemas if len(names) == len(options)), None)
    if names is None or not all(option.constant for option in options):
        return None
    return kernel_of(node, type(layer)(**dict(zip(names, (x.value for x in options)))), 1)


@lowers(LatePool)
def late_pool(node: Node) -> Kernel | None:
    """The kernel of the pool whose options are all constant inputs."""
    options = node.inputs[1:]
    if not all(option.constant for option in options):
        return None
    return kernel_of(node, node.layer.pool(*(option.value for option in options)), 1)


@lowers(Leftover)
def leftover(node: Node) -> Kernel | None:
    """The kernel of the layer that computes PyTorch's core function, whose options are constant inputs after x."""
    wrapper = node.layer
    names = wrapper.signatures.get(len(node.inputs), [])
    count = names.count("x")
    if not isinstance(wrapper.layer, type) or names[:count] != ["x"] * count:
        return None
    options: dict[str, Any] = {}
    for name, spec in zip(names[count:], node.inputs[count:]):
        if name != "_" and not spec.constant:
            return None
        if name != "_" and spec.value is not None:
            options[name] = spec.value
    return kernel_of(node, wrapper.layer(**options), count)


def kernel_of(node: Node, layer: Layer, count: int) -> Kernel | None:
    """The kernel of `layer` on the first `count` inputs of the node; None where it has none."""
    lowering = LOWERINGS.get(type(layer))
    if lowering is None:
        return None
    layer.toolbox = node.operator.toolbox
    operator = dataclasses.replace(node.operator, layer=layer)
    kernel = lowering(dataclasses.replace(node, operator=operator, inputs=node.inputs[:count]))
    return None if isinstance(kernel, Join) and count < len(node.inputs) else kernel  # which would join the options too
