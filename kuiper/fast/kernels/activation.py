"""Activation layers: what function each one is, and the kernel for one that is not fused into another operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kuiper.fast.kernel import Call, Kernel, Layout, Node, Stage, lowers
from kuiper.fast.kernels import curves
from kuiper.fast.kernels.curves import Activation
from kuiper.fast.kernels.walk import lane_tiles, walk
from kuiper.fast.place import Place
from kuiper.fast.workspace import Workspace
from kuiper.layers.elementwise import activation as simple
from kuiper.layers.elementwise import elementwise
from kuiper.layers.elementwise.identity import Dropout, Identity

__all__ = ["Activation", "Elementwise", "activation_of"]


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
    Identity: lambda layer: curves.IDENTITY,
    Dropout: lambda layer: curves.IDENTITY,
    simple.RReLU: lambda layer: curves.leaky_relu(layer.negative_slope),
    simple.ELU: lambda layer: curves.exponential_unit(layer.alpha),
    simple.CELU: lambda layer: curves.exponential_unit(layer.alpha, slope=1 / layer.alpha),
    simple.SELU: lambda layer: curves.exponential_unit(layer.alpha, layer.scale),
    simple.Softplus: lambda layer: curves.softplus(layer.beta, layer.threshold),
    simple.Mish: lambda layer: curves.MISH,
    simple.Hardtanh: lambda layer: _bounded(layer.min_val, layer.max_val),
    elementwise.Clamp: lambda layer: _bounded(layer.min, layer.max),
    elementwise.ClampMin: lambda layer: _bounded(layer.min, None),
    elementwise.ClampMax: lambda layer: _bounded(None, layer.max),
}


def activation_of(layer: Any) -> Activation | None:
    """The function of every element that `layer` computes on float32; None where it is no such layer.

    >>> activation_of(simple.SiLU()).name, activation_of(simple.GLU())
    ('silu', None)
    """
    find = _ACTIVATIONS.get(type(layer))
    return find(layer) if find else None


class Elementwise(Kernel):
    """(...) -> (...): an activation by itself, tile by tile."""

    layout: Layout = "like input"

    def __init__(self, activation: Activation) -> None:
        self.activation = activation

    @property
    def name(self) -> str:
        """The activation's name."""
        return self.activation.name

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """The activation's calls for every tile."""
        target, x = walk(outputs[0].array, inputs[0].array)
        stage: Stage = []
        for lane, parts in enumerate(lane_tiles(x.shape, space, self.activation.nanoseconds)):
            calls: list[Call] = []
            for part in parts:
                with space.tile(lane):
                    calls += self._tile(x[part], target[part], space, lane)
            stage.append(calls)
        return [stage]

    def _tile(self, x: np.ndarray, target: np.ndarray, space: Workspace, lane: int) -> list[Call]:
        return self.activation.calls(x, target, lambda: space.own(lane, target.shape), spoil=False)


@lowers(*(layer for layer in _ACTIVATIONS if layer not in (Identity, Dropout)))
def lower(node: Node) -> Kernel | None:
    """An activation of one array of float32."""
    activation = activation_of(node.layer)
    if activation is None or len(node.inputs) != 1 or len(node.outputs) != 1:
        return None
    return Elementwise(activation) if node.inputs[0].is_float and node.outputs[0].is_float else None
