"""Where the exercises fit into the engine: each is an argument or a registry's entry, and nothing is patched.

kuiper.load(model, toolbox=settings.toolbox, registry=settings.registry)
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import kuiper
from kuiper.layers.convolution import Conv2d
from kuiper.layers.linear import Linear
from kuiper.layers.windows import as_batch, like_input


@dataclass(frozen=True)
class Settings:
    """What a graph is loaded with, and how often each exercise's code was called."""

    toolbox: kuiper.Toolbox = field(default_factory=kuiper.Toolbox)
    registry: kuiper.LayerRegisterer = field(default_factory=kuiper.registry.copy)
    calls: Counter[str] = field(default_factory=Counter)

    def counted(self, exercise: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, each call of it counted."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls[exercise] += 1
            return function(*args, **kwargs)

        return call


Attach = Callable[[Settings, str, Any], Settings]


@dataclass(frozen=True)
class Plug:
    """One exercise's place in the engine.

    `function` is a name in the homework file; `attach` puts what has that name into the settings.
    """

    exercise: str
    function: str
    place: str
    attach: Attach


def as_tool(tool: str) -> Attach:
    """The function stands in for that of the toolbox."""

    def attach(settings: Settings, exercise: str, function: Callable[..., Any]) -> Settings:
        tools: dict[str, Any] = {tool: settings.counted(exercise, function)}
        return replace(settings, toolbox=replace(settings.toolbox, **tools))

    return attach


def layer_found_by_type(settings: Settings, exercise: str, layers: Any) -> Settings:
    """nn.Sigmoid by the layer that the student's own registry, `layers`, makes for it."""

    class FoundLayer(kuiper.Layer):
        def __init__(self, operator: kuiper.RuntimeOperator) -> None:
            self.mine = settings.counted(exercise, layers.create(operator).forward)

        def forward(self, *inputs: Any) -> Any:
            return self.mine(*inputs)

    settings.registry.override("nn.Sigmoid", lambda operator: FoundLayer(operator))
    return settings


def linear_by_axby(settings: Settings, exercise: str, axby: Callable[..., Any]) -> Settings:
    """nn.Linear of (N, in_features) as w @ x + b, with the batch for w and the weights, turned, for x."""
    axby = settings.counted(exercise, axby)

    class LinearByAxby(Linear):
        def forward(self, x: np.ndarray) -> np.ndarray:
            if x.ndim != 2 or self.weight.ndim != 2 or self.bias is None or self.bias.shape != self.weight.shape[:1]:
                return super().forward(x)
            bias = np.broadcast_to(self.bias, (len(x), len(self.bias))).copy()
            return axby(x, self.weight.T, bias)

    settings.registry.override("nn.Linear", LinearByAxby)
    return settings


def convolution_by_im2col(settings: Settings, exercise: str, im2col: Callable[..., Any]) -> Settings:
    """nn.Conv2d as one matrix product per sample and group of the padded image's im2col."""
    im2col = settings.counted(exercise, im2col)

    class ConvolutionByIm2col(Conv2d):
        def forward(self, x: np.ndarray) -> np.ndarray:
            if self.dilation != (1, 1) or x.dtype != self.weight.dtype:
                return super().forward(x)
            batch = self._pad(as_batch("Conv2d", x, self.in_channels))
            groups = batch.reshape(len(batch), self.groups, -1, *batch.shape[2:])
            planes = [
                [weight @ im2col(image, self.kernel_size, self.stride).T for weight, image in zip(self.kernels, sample)]
                for sample in groups
            ]
            sizes = ((n - k) // s + 1 for n, k, s in zip(batch.shape[2:], self.kernel_size, self.stride))
            y = np.array(planes, batch.dtype).reshape(len(batch), self.out_channels, *sizes)
            return like_input(self._add_bias(y), x)

    settings.registry.override("nn.Conv2d", ConvolutionByIm2col)
    return settings


PLUGS = {
    plug.exercise: plug
    for plug in (
        Plug("axby", "axby", "nn.Linear", linear_by_axby),
        Plug("flatten", "flatten", "torch.flatten", as_tool("flatten")),
        Plug("padding", "padding", "the borders of nn.Conv2d", as_tool("padding")),
        Plug("init_graph_params", "for_kuiper", "the options of each operator", as_tool("init_graph_params")),
        Plug("topological_order", "topological_order", "the order of execution", as_tool("topological_order")),
        Plug("sigmoid", "layers", "nn.Sigmoid", layer_found_by_type),
        Plug("im2col", "im2col", "the windows of nn.Conv2d", convolution_by_im2col),
        Plug("sine", "parse_expression", "the trees of pnnx.Expression", as_tool("parse_expression")),
    )
}
"""The exercises that a network of digits uses, in the course's order."""
