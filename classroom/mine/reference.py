"""The parts of a framework, by kuiper's own functions: with them `framework` is judged for itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kuiper
from classroom.mine.networks import Network
from kuiper import expression, pnnx
from kuiper.graph import topological_order
from kuiper.layers.elementwise.activation import ReLU, Sigmoid
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.pooling import MaxPool2d


def reference_parts() -> dict[str, Callable[..., Any]]:
    """The parts by name, each as the text of the task `framework` describes it."""
    return {
        "parse_operator": pnnx.parse_operator,
        "parse_parameter": parse_parameter,
        "topological_order": topological_order,
        "relu": ReLU().forward,
        "sigmoid": Sigmoid().forward,
        "conv2d": conv2d,
        "max_pool2d": max_pool2d,
        "adaptive_avg_pool": adaptive_avg_pool,
        "flatten": flatten,
        "evaluate": evaluate,
    }


def call_part(name: str, /, *args: Any, **options: Any) -> Any:
    """Call the part of that name."""
    return reference_parts()[name](*args, **options)


def by_position(name: str, args: Sequence[Any], options: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of a part, those with a keyword too, in the part's order. Raises TypeError as a call does."""
    return inspect.signature(reference_parts()[name]).bind(*args, **options).args


def parsed_lines(text: str) -> dict[str, Any]:
    """Every operator's line of a model file, one space between its words -> what parse_operator gives for it."""
    lines = [" ".join(line.split()) for line in text.splitlines()[2:]]
    return {line: pnnx.parse_operator(line) for line in lines if line}


def parse_parameter(text: str) -> tuple[int, Any]:
    """The text of an option -> (type, value), the type a plain number."""
    kind, value = pnnx.parse_parameter(text)
    return int(kind), value


def conv2d(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, stride: Any, padding: Any, groups: int
) -> np.ndarray:
    """(N, C, H, W) -> (N, O, H', W'): the convolution."""
    return Conv2d(weight, bias, stride, padding, groups=groups).forward(x)


def max_pool2d(x: np.ndarray, kernel_size: Any, stride: Any, padding: Any) -> np.ndarray:
    """(N, C, H, W) -> (N, C, H', W'): the largest number in each window."""
    return MaxPool2d(kernel_size, stride, padding).forward(x)


def adaptive_avg_pool(x: np.ndarray, size: Any) -> np.ndarray:
    """(N, C, H, W) -> (N, C, h, w): the means of h * w windows."""
    return AdaptiveAvgPool2d(size).forward(x)


def flatten(x: np.ndarray) -> np.ndarray:
    """(N, ...) -> (N, K): each sample as a row."""
    return x.reshape(len(x), -1)


def evaluate(text: str, operands: Sequence[Any]) -> Any:
    """The value of an expression."""
    return expression.evaluate(expression.parse(text), list(operands))


def answers(network: Network, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the network gives for each input, by kuiper's simple engine."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        graph = kuiper.load(network.save(Path(folder), "network"), engine="simple")
        return [graph(x)[0] for x in inputs]
