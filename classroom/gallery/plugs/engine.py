"""Lessons 1 to 7: functions of the toolbox, and layers found in every network."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.pipeline import Replacements
from classroom.gallery.plugs.plug import Plug, as_step, as_tool, everything, of_types, same_type
from kuiper import expression
from kuiper.expression.source import source_text
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.pooling import MaxPool2d
from kuiper.layers.image.windows import as_batch, like_input
from kuiper.layers.linear.linear import Linear

SIGMOIDS = ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")
RELUS = ("nn.ReLU", "F.relu", "torch.relu")
HOMEWORK_FUNCTIONS = {"add", "sub", "mul", "div", "pow", "atan2", "max", "min", "sin", "sqrt", "abs", "neg"}
"""The functions in lesson 7's homework."""
PICTURE = 4
"""Channels that a picture has at most: red, green, blue, and how opaque it is."""


def layer_found_by_type(replacements: Replacements, exercise: str, layers: Any) -> Replacements:
    """Sigmoids computed by the layer that the student's registry `layers` creates."""
    return computed_by(replacements, exercise, SIGMOIDS, lambda operator: layers.create(operator))


def rectified_by_slope(replacements: Replacements, exercise: str, layers: Any) -> Replacements:
    """ReLUs computed by the layer that the student's registry creates for a LeakyReLU whose slope is 0."""

    def with_slope_zero(operator: kuiper.RuntimeOperator) -> Any:
        params = {"negative_slope": SimpleNamespace(value=0.0)}
        return layers.create(SimpleNamespace(type="nn.LeakyReLU", name=operator.name, params=params))

    return computed_by(replacements, exercise, RELUS, with_slope_zero)


def computed_by(
    replacements: Replacements, exercise: str, types: Sequence[str], create: Callable[[Any], Any]
) -> Replacements:
    """Operators of these types computed by the layers that `create` makes of them."""

    class StudentLayer(kuiper.Layer):
        def __init__(self, operator: kuiper.RuntimeOperator) -> None:
            self.mine = replacements.counted(exercise, create(operator).forward)

        def forward(self, x: np.ndarray) -> np.ndarray:
            return same_type(exercise, self.mine(x), x)

    for operator_type in types:
        replacements.registry.override(operator_type, lambda operator: StudentLayer(operator))
    return replacements


def linear_by_axby(replacements: Replacements, exercise: str, axby: Callable[..., Any]) -> Replacements:
    """nn.Linear on (..., in_features) as w @ x + b, with the input's rows as w and the transposed weights as x."""
    axby = replacements.counted(exercise, axby)

    class LinearByAxby(Linear):
        def forward(self, x: np.ndarray) -> np.ndarray:
            weight = self.weight
            if x.ndim < 2 or not isinstance(weight, np.ndarray) or weight.ndim != 2 or x.dtype != weight.dtype:
                return super().forward(x)
            rows = x.reshape(-1, x.shape[-1])
            bias = np.zeros((len(rows), len(weight)), x.dtype)
            if self.bias is not None:
                bias += self.bias
            y = same_type(exercise, axby(rows, weight.T, bias), x)
            return y.reshape(*x.shape[:-1], -1)

    replacements.registry.override("nn.Linear", LinearByAxby)
    return replacements


def convolutions(replacements: Replacements, exercise: str, function: Callable[..., Any]) -> Replacements:
    """nn.Conv2d by the student's im2col or conv2d: the picture's by im2col, deeper ones by conv2d if there is one.

    The toolbox's `padding` pads the picture; deeper convolutions pad for themselves. So each part that is the student's
    has its share of the network.
    """
    replacements = as_step(replacements, exercise, function)
    im2col, conv2d = (replacements.steps.get(name) for name in ("im2col", "conv2d"))

    class StudentConvolution(Conv2d):
        def forward(self, x: np.ndarray) -> np.ndarray:
            plain = self.dilation == (1, 1) and self.padding_mode == "zeros" and self.pads[::2] == self.pads[1::2]
            picture = self.in_channels <= PICTURE
            if not plain or x.dtype != self.weight.dtype or (im2col is None and (picture or conv2d is None)):
                return super().forward(x)
            batch = as_batch("Conv2d", x, self.in_channels)
            if conv2d is None or picture:
                y = self.by_im2col(self._pad(batch), (0, 0)) if picture else self.by_im2col(batch, self.pads[::2])
            else:
                bias = None if self.bias is None else self.bias.copy()
                y = conv2d(batch.copy(), self.weight.copy(), bias, self.stride, self.pads[::2], self.groups)
                y = same_type("conv2d", y, x)
            return like_input(y, x)

        def by_im2col(self, batch: np.ndarray, padding: tuple[int, ...]) -> np.ndarray:
            """(N, C, H, W) -> (N, O, H', W'): one matrix product per sample and group."""
            assert im2col is not None
            groups = batch.reshape(len(batch), self.groups, -1, *batch.shape[2:])
            planes = [
                [kernels @ im2col(image, self.kernel_size, self.stride, padding).T
                 for kernels, image in zip(self.kernels, sample)]
                for sample in groups
            ]  # fmt: skip
            along = zip(batch.shape[2:], self.kernel_size, self.stride, padding)
            sizes = ((n + 2 * p - k) // s + 1 for n, k, s, p in along)
            y = np.array(planes).reshape(len(batch), self.out_channels, *sizes)
            return self.add_bias(same_type("im2col", y, batch))

    replacements.registry.override("nn.Conv2d", StudentConvolution)
    return replacements


def max_pooling(replacements: Replacements, exercise: str, max_pool2d: Callable[..., Any]) -> Replacements:
    """nn.MaxPool2d on images, without dilation, partial windows and indices."""
    max_pool2d = replacements.counted(exercise, max_pool2d)

    class StudentMaxPool2d(MaxPool2d):
        def forward(self, x: np.ndarray) -> Any:
            plain = self.dilation == (1, 1) and not self.ceil_mode and not self.return_indices
            if not plain or x.dtype not in (np.float32, np.float64):
                return super().forward(x)
            y = max_pool2d(as_batch("MaxPool2d", x).copy(), self.kernel_size, self.stride, self.padding)
            return like_input(same_type(exercise, y, x), x)

    replacements.registry.override("nn.MaxPool2d", StudentMaxPool2d)
    return replacements


def trees_of_small_texts(replacements: Replacements, exercise: str, parse: Callable[..., Any]) -> Replacements:
    """Expressions in the homework's language by the student's parser, all others by the framework's."""
    parse = replacements.counted(exercise, parse)

    def read(text: str) -> Any:
        return parse(text) if in_small_language(text) else expression.parse(text)

    return replace(replacements, toolbox=replace(replacements.toolbox, parse_expression=read))


def in_small_language(text: str) -> bool:
    """Whether lesson 7's homework defines every function of the expression.

    >>> in_small_language("add(@0,mul(@1,2))"), in_small_language("exp(@0)"), in_small_language("[size(@0,1),-1]")
    (True, False, False)
    """
    words = re.findall(r"[^(),\s]+", text)
    return all(
        word in HOMEWORK_FUNCTIONS or re.fullmatch(r"@\d+|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", word) for word in words
    )


def has_small_text(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it is a pnnx.Expression in the homework's language."""
    return operator.type == "pnnx.Expression" and in_small_language(source_text(operator.params["expr"].value))


def flattens_images(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it is torch.flatten of (N,C,H,W) into rows, the only case the toolbox's function handles."""
    shapes = [operand.shape for operand in operator.inputs]
    return operator.type in ("torch.flatten", "nn.Flatten") and [len(shape or ()) for shape in shapes] == [4]


def lies_deeper(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it is a convolution of more channels than a picture has."""
    return operator.type == "nn.Conv2d" and int(operator.params["in_channels"].value) > PICTURE


def pads(operator: kuiper.RuntimeOperator) -> bool:
    """Whether it is a convolution or a pooling with padding."""
    value = operator.params["padding"].value if "padding" in operator.params else 0
    return operator.type in ("nn.Conv2d", "nn.MaxPool2d", "nn.AvgPool2d") and bool(np.any(value))


PLUGS = (
    Plug("axby", "axby", "nn.Linear", linear_by_axby, of_types("nn.Linear")),
    Plug("softmax", "softmax", "scores -> probabilities", as_step),
    Plug("flatten", "flatten", "torch.flatten", as_tool("flatten"), flattens_images),
    Plug("padding", "padding", "the borders of images", as_tool("padding"), pads, result=False),
    *(
        Plug(exercise, exercise, place, as_tool(exercise), everything, result=False)
        for exercise, place in (
            ("parse_parameter", "the options of each operator"),
            ("parse_operator", "the lines of the model file"),
            ("find_cycle", "whether there is a cycle"),
            ("topological_order", "the order of execution"),
        )
    ),
    Plug("sigmoid", "layers", "nn.Sigmoid, F.sigmoid", layer_found_by_type, of_types(*SIGMOIDS)),
    Plug("leaky_relu", "layers", "nn.ReLU, a LeakyReLU of slope 0", rectified_by_slope, of_types(*RELUS)),
    Plug("max_pool2d", "max_pool2d", "nn.MaxPool2d", max_pooling, of_types("nn.MaxPool2d")),
    Plug("im2col", "im2col", "the windows of nn.Conv2d", convolutions, of_types("nn.Conv2d")),
    Plug("conv2d", "conv2d", "nn.Conv2d after the first", convolutions, lies_deeper),
    Plug("functions", "parse_expression", "the trees of pnnx.Expression", trees_of_small_texts, has_small_text),
)
