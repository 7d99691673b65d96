"""Writers: one function for each class of layers, which asks for options that the class has."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from kuiper.errors import KuiperError
from kuiper.graph import Operator
from kuiper.layers import Layer
from kuiper.layers.binding import arguments
from kuiper.layers.elementwise.activation import GELU, ReLU
from kuiper.layers.elementwise.softmax import Softmax
from kuiper.partition.backends.array_module import makes
from kuiper.partition.backends.onnx.operators import writes
from kuiper.partition.backends.writers import CannotExpressError, Writers, expect


def expected(function: Any) -> Iterator[str]:
    """The names of the options that a function gives to `expect`."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "expect":
            yield from (str(keyword.arg) for keyword in node.keywords)


OPTIONS = [
    (function, layer, name)
    for writers in (writes, makes)
    for layer, function in writers.by_class.items()
    for name in expected(function)
]


@pytest.mark.parametrize(
    ("layer", "name"),
    [(layer, name) for _, layer, name in OPTIONS],
    ids=[f"{function.__name__} {layer.__name__} {name}" for function, layer, name in OPTIONS],
)
def test_a_function_asks_for_options_that_its_layers_have(layer: type[Layer], name: str) -> None:
    assert name in arguments(layer) or hasattr(layer, name)


def test_some_functions_ask_for_options() -> None:
    assert (GELU, "approximate") in {(layer, name) for _, layer, name in OPTIONS}


def test_an_option_that_the_layer_does_not_have_is_a_refusal() -> None:
    text = r"F\.softmax: expected an option dtype, Softmax has none"
    with pytest.raises(CannotExpressError, match=text):
        expect(Operator("F.softmax", "softmax"), Softmax(), dtype=None)


def test_a_second_function_for_a_class_is_refused() -> None:
    writers: Writers[Any] = Writers("no way to write {}")

    @writers(ReLU)
    def first(layer: Layer) -> str:
        return "first"

    with pytest.raises(KuiperError, match="ReLU has first already"):
        writers(GELU, ReLU)(lambda layer: "second")
    assert writers.by_class[ReLU] is first
