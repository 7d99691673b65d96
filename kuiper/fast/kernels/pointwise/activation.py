"""Activation layers: what function each one is, and the kernel for one that is not fused into another operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage
from kuiper.fast.kernels.base.kernel import ImageLayout, Kernel, Step, lowers
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.pointwise import curves
from kuiper.fast.kernels.pointwise.curves import Activation
from kuiper.fast.kernels.pointwise.walk import thread_tiles, walk
from kuiper.layers.elementwise import activation as simple
from kuiper.layers.elementwise import elementwise
from kuiper.layers.elementwise import gates_and_shrinks as gates

__all__ = ["Activation", "ActivationKernel", "activation_of"]


def _bounded(low: Any, high: Any) -> Activation | None:
    for bound in (low, high):
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, (int, float))):
            return None
    return None if low is high is None else curves.clamp(low, high)


_ACTIVATIONS: dict[type, Callable[[Any], Activation | None]] = {
    simple.ReLU: lambda layer: curves.clamp(0, None),
    simple.ReLU6: lambda layer: curves.clamp(0, 6),
    simple.LeakyReLU: lambda layer: curves.leaky_relu(layer.negative_slope),
    simple.Sigmoid: lambda layer: curves.SIGMOID,
    simple.Tanh: lambda layer: curves.TANH,
    simple.SiLU: lambda layer: curves.SILU,
    simple.Hardsigmoid: lambda layer: curves.HARDSIGMOID,
    simple.Hardswish: lambda layer: curves.HARDSWISH,
    simple.GELU: lambda layer: curves.GELU_TANH if layer.approximate == "tanh" else curves.GELU,
    simple.Identity: lambda layer: curves.IDENTITY,
    simple.Dropout: lambda layer: curves.IDENTITY,
    gates.RReLU: lambda layer: curves.leaky_relu(layer.negative_slope),
    gates.ELU: lambda layer: curves.exponential_unit(layer.alpha),
    gates.CELU: lambda layer: curves.exponential_unit(layer.alpha, slope=1 / layer.alpha),
    gates.SELU: lambda layer: curves.exponential_unit(layer.alpha, layer.scale),
    gates.Softplus: lambda layer: curves.softplus(layer.beta, layer.threshold),
    gates.Mish: lambda layer: curves.MISH,
    gates.Hardtanh: lambda layer: _bounded(layer.min_val, layer.max_val),
    elementwise.Clamp: lambda layer: _bounded(layer.min, layer.max),
    elementwise.ClampMin: lambda layer: _bounded(layer.min, None),
    elementwise.ClampMax: lambda layer: _bounded(None, layer.max),
}


def activation_of(layer: Any) -> Activation | None:
    """The function of every element that `layer` computes on float32; None where it is no such layer.

    >>> activation_of(simple.SiLU()).name, activation_of(simple.Softmax())
    ('silu', None)
    """
    find = _ACTIVATIONS.get(type(layer))
    return find(layer) if find else None


class ActivationKernel(Kernel):
    """(...) -> (...): an activation by itself, tile by tile."""

    layout: ImageLayout = "like input"

    def __init__(self, activation: Activation) -> None:
        self.activation = activation

    @property
    def name(self) -> str:
        """The activation's name."""
        return self.activation.name

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The activation's calls for every tile."""
        target, x = walk(outputs[0].array, inputs[0].array)
        stage: Stage = []
        for thread, parts in enumerate(thread_tiles(x.shape, space, self.activation.nanoseconds)):
            calls: list[Call] = []
            for part in parts:
                with space.tile(thread):
                    calls += self._tile(x[part], target[part], space, thread)
            stage.append(calls)
        return [stage]

    def _tile(self, x: np.ndarray, target: np.ndarray, space: Workspace, thread: int) -> list[Call]:
        return self.activation.calls(x, target, lambda: space.own(thread, target.shape), spoil=False)


@lowers(*(layer for layer in _ACTIVATIONS if layer not in (simple.Identity, simple.Dropout)))
def lower(step: Step) -> Kernel | None:
    """An activation of one array of float32."""
    activation = activation_of(step.layer)
    if activation is None or len(step.inputs) != 1 or len(step.outputs) != 1:
        return None
    return ActivationKernel(activation) if step.inputs[0].is_float and step.outputs[0].is_float else None
