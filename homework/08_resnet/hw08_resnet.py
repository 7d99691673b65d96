"""Homework 8: the last layers of a classifier, what is done to a picture before the first one, and a framework.

Edit this file, then run `python3 course.py check adaptive_avg_pool` (or the name of another task). You need numpy only.
Shapes: N pictures, C channels, planes of H rows and W columns, K classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
"""Mean and standard deviation of ImageNet's red, green and blue, on a scale from 0 to 1."""


def adaptive_avg_pool(x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """(N, C, H, W) -> (N, C, h, w): in every plane the means of h * w windows, whatever H and W are.

    Parameters
    ----------
    x : N pictures of C planes.
    size : (h, w), each at least 1.

    Rules
    -----
    windows : of n windows along L numbers, window i begins at place floor(i * L / n), and ends before place
        ceil((i + 1) * L / n).
    exact : these places are those of the exact fractions, also where L / n has to be rounded.
    sizes : h windows go down the H rows, and w go across the W columns.
    larger : h may be larger than H, and w than W; neighbouring windows then share numbers.
    mean : each result is the sum of the numbers in its window, divided by how many that window has; numbers outside of
        the window change nothing, however large they are.
    planes : each channel of each picture is averaged by itself.
    dtype : float32 stays float32 and float64 stays float64, and the means are as exact as that type allows.

    >>> x = np.arange(5.0).reshape(1, 1, 1, 5)
    >>> adaptive_avg_pool(x, (1, 3)).tolist()
    [[[[0.5, 2.0, 3.5]]]]
    >>> adaptive_avg_pool(x, (1, 1)).tolist()
    [[[[2.0]]]]
    """

    # TODO adaptive_avg_pool (Task 8.1)
    raise NotImplementedError("adaptive_avg_pool: TODO")


def classifier_head(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(N, C, H, W) -> (N, K): how probable each of K classes is, for each of N pictures.

    Parameters
    ----------
    x : (N, C, H, W), the planes of N pictures.
    weight, bias : (K, C) and (K,), a linear layer as PyTorch stores it.

    Rules
    -----
    mean : first comes the mean of each plane, (N, C).
    linear : the score of class k is its bias plus the sum over c of weight[k, c] * mean[c], (N, K).
    softmax : the probability of a class is e^score, divided by the sum of e^score over all classes.
    batch : a picture's probabilities do not depend on the other pictures, and add up to 1.
    large : scores from -10,000 to 10,000, in one batch or in one row, give probabilities that are finite and right.
    dtype : all in float32 gives float32, and all in float64 gives float64, as exact as scores of that type allow.

    >>> x = np.array([[[[1.0, 3.0]], [[0.0, 0.0]]]])  # (1, 2, 1, 2), the means are 2 and 0
    >>> weight = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])  # the scores are 2, 0 and 1
    >>> classifier_head(x, weight, np.zeros(3)).round(3).tolist()
    [[0.665, 0.09, 0.245]]
    """
    # TODO classifier_head (Task 8.2)
    raise NotImplementedError("classifier_head: TODO")


def preprocess(image: np.ndarray, resize: int, crop: int) -> np.ndarray:
    """(H, W, 3) uint8, red first -> (1, 3, crop, crop) float32: what the network was trained on.

    Parameters
    ----------
    image : a picture of any height and width.
    resize : what its shorter side becomes, in pixels.
    crop : how many rows, and how many columns, are cut out of that.

    Rules
    -----
    shorter : the shorter side becomes `resize`, whether it is the height or the width, and whether it shrinks or grows.
    longer : the longer side becomes floor(resize * longer / shorter).
    resizing : the whole picture is resized, once, by the given `resize_picture`.
    middle : of n rows the cut takes `crop` from row round((n - crop) / 2) on, with Python's round; likewise of columns.
    fits : a `crop` larger than `resize` raises ValueError, even where the longer side has room for it; an equal one
        does not.
    numbers : every byte is divided by 255, then MEAN is subtracted, and then it is divided by STD.
    axes : the axes of the result are batch, channel, row and column; channel 0 is red.
    dtype : the result is float32.

    >>> image = np.full((6, 9, 3), 255, np.uint8)  # a white picture
    >>> preprocess(image, 4, 2).shape  # 6 x 9 became 4 x 6 first
    (1, 3, 2, 2)
    >>> preprocess(image, 4, 2)[0, :, 0, 0].astype(float).round(2).tolist()
    [2.25, 2.43, 2.64]
    """
    # TODO preprocess (Task 8.3, a bonus)
    raise NotImplementedError("preprocess: TODO")


def resize_picture(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """(H, W, 3) uint8 -> (height, width, 3) uint8, bilinear: each pixel a weighted mean of four neighbours. (Given.)

    Output row i lies at (i + 0.5) * H / height - 0.5 in the input, between two rows; the nearer one weighs more. Then
    the same with the columns.
    """
    work = image.astype(np.float32)
    for size in (height, width):
        length = len(work)
        place = np.clip((np.arange(size) + 0.5) * (length / size) - 0.5, 0, length - 1)
        low = place.astype(int)
        share = (place - low).astype(np.float32)[:, None, None]
        work = work[low] + (work[np.minimum(low + 1, length - 1)] - work[low]) * share
        work = work.swapaxes(0, 1)  # the columns' turn, and the rows' again at the end
    return np.rint(work).astype(np.uint8)


# Task 8.4: a framework. `course.py mine` makes a package of it and of what you have solved since lesson 2.

TYPES = (
    "pnnx.Input",
    "pnnx.Output",
    "pnnx.Expression",
    "nn.Conv2d",
    "nn.ReLU",
    "nn.Sigmoid",
    "nn.MaxPool2d",
    "nn.AdaptiveAvgPool2d",
    "torch.flatten",
    "nn.Linear",
)
"""The operators of the networks that it has to run."""

PARTS = (
    "parse_operator",
    "parse_parameter",
    "topological_order",
    "relu",
    "sigmoid",
    "conv2d",
    "max_pool2d",
    "adaptive_avg_pool",
    "flatten",
    "evaluate",
)
"""What `parts` has."""

Operator = tuple[str, str, list[str], list[str], dict[str, str], dict[str, str]]
"""(type, name, inputs, outputs, params, attributes), as parse_operator of lesson 3 gives them."""


def framework(parts: Any, text: str, weights: Mapping[str, np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """A model file -> the network in it, as a function: x (N, ...) becomes what the network computes from it.

    Parameters
    ----------
    parts : the functions to call. Here you need parts.parse_operator(line) of lesson 3 and
        parts.topological_order(successors) of lesson 4; the others are for `compute`.
    text : the content of a .pnnx.param file: a line with 7767517, a line with two counts, then one line an operator.
    weights : "operator.attribute" -> array, such as "conv_1.weight".

    Rules
    -----
    lines : each line after the first two that is not empty is an operator; its type, its name and all else in it come
        from parts.parse_operator(line), and from no code of your own.
    order : the lines may come in any order; the operators are computed in the order that parts.topological_order gives.
    deep : a chain of 1,500 operators works, too, and no RecursionError ends it.
    ends : x is the operand that pnnx.Input writes, and what pnnx.Output reads is returned; there may be results that
        nobody reads.
    shared : a result can be read by several operators.
    kept : nothing changes an array that an operator reads, nor `weights` and the arrays in it: somebody else may read
        them later.
    once : for each x no operator is computed twice, no matter how many read its result.
    again : the function that you return can be called again, with another x and another N.
    unknown : a type that is not among TYPES raises ValueError, before the network is given any x.
    message : the error's message holds that type and the operator's name.

    Example
    -------
        text = "7767517\\n3 2\\npnnx.Input in 0 1 a\\nnn.ReLU relu 1 1 a b\\npnnx.Output out 1 0 b\\n"
        network = framework(parts, text, {})
        network(np.array([[-1.0, 2.0]]))             # [[0. 2.]]
    """
    # TODO framework (Task 8.4): `compute` below is the other half; with nn.ReLU in it the first test passes
    raise NotImplementedError("framework: TODO")


def compute(
    parts: Any, operator: Operator, inputs: Sequence[np.ndarray], weights: Mapping[str, np.ndarray]
) -> np.ndarray:
    """What one operator writes; `inputs` are the arrays that it reads, in the order of its line.

    The operator is of one of the eight types between the ends: pnnx.Input and pnnx.Output compute nothing.

    The parts take and give whole batches: parts.relu(x), parts.sigmoid(x), parts.flatten(x),
    parts.conv2d(x, weight, bias, stride, padding, groups), parts.max_pool2d(x, kernel_size, stride, padding),
    parts.adaptive_avg_pool(x, size), and parts.evaluate(text, operands) for an expression, whose operands are a list
    of arrays.

    Rules
    -----
    parts : every type but nn.Linear is computed by its part alone: what the part returns is the result, whatever that
        part computes, and an error that it raises reaches whoever called the network.
    options : stride, padding, groups, kernel_size and output_size are the operator's own. In params they are texts;
        parts.parse_parameter(text) gives (type, value), and the part takes that value as it is. The options besides
        these five always have the values that the parts assume, such as dilation=(1,1).
    weights : weight and bias are those that `weights` has under the operator's own name.
    bias : with bias=False there is no bias in `weights`; conv2d takes None for it.
    linear : nn.Linear is x @ weight.T + bias, with numpy, whatever axes x has before its last; without a bias it is
        x @ weight.T.
    expression : the text is the operator's option expr as it stands; @0 is the operator's first input, @1 its second,
        and they may be the same operand.
    """
    # TODO framework (Task 8.4): compute. What does each of the eight types call? ifs, or functions in a dict
    raise NotImplementedError("framework: TODO")


def run_framework(
    text: str, weights: dict[str, np.ndarray], inputs: list[np.ndarray], call: Callable[..., Any]
) -> list[np.ndarray]:
    """Given: make the network of the file once, and call it on each input in turn. The tests call this.

    call : the parts as one function: parts.relu(x) is call("relu", x).
    """
    parts = SimpleNamespace(**{name: partial(call, name) for name in PARTS})
    for array in weights.values():
        array.flags.writeable = False  # as those that `course.py mine` reads from a file
    network = framework(parts, text, weights)
    return [network(x) for x in inputs]


def run_deep(
    text: str,
    weights: dict[str, np.ndarray],
    inputs: list[np.ndarray],
    parsed: dict[str, Operator],
    call: Callable[..., Any],
) -> list[np.ndarray]:
    """Given: as run_framework, for a long file: `parsed` has its lines already, and ReLU and Sigmoid are computed here.

    The other parts run in another process: 3,000 calls to it would take longer than everything your code does.
    """

    def parse_operator(line: str) -> Operator:
        words = " ".join(line.split())
        return deepcopy(parsed[words]) if words in parsed else call("parse_operator", line)

    parts = SimpleNamespace(**{name: partial(call, name) for name in PARTS})
    parts.parse_operator = parse_operator
    parts.relu = lambda x: np.maximum(x, 0)
    parts.sigmoid = lambda x: 1 / (1 + np.exp(-x))
    network = framework(parts, text, weights)
    return [network(x) for x in inputs]
