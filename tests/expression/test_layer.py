from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kuiper.errors import ExpressionError, ParameterError
from kuiper.expression import parse
from kuiper.graph import Operand, Operator, Parameter, ParameterKind
from kuiper.layers import Layer, registry
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.toolbox import Toolbox


def operator(expr: Any, inputs: int) -> Operator:
    return Operator(
        name="pnnx_expr_0",
        type="pnnx.Expression",
        inputs=[Operand(str(i)) for i in range(inputs)],
        outputs=[Operand("out")],
        params={"expr": Parameter(ParameterKind.STRING, expr)},
    )


def test_the_registry_knows_the_expression_layer() -> None:
    layer = registry.create(operator("add(@0,mul(@1,@2))", 3))
    assert isinstance(layer, ExpressionLayer)
    values: dict[str, Any] = {str(i): np.full((1, 2), i + 1, np.float32) for i in range(3)}
    layer.forward_operator(operator("add(@0,mul(@1,@2))", 3), values)
    np.testing.assert_array_equal(values["out"], np.full((1, 2), 7, np.float32))


def test_a_list_is_one_value_for_one_operand() -> None:
    values: dict[str, Any] = {"0": np.zeros((2, 3, 4))}
    this = operator("[size(@0,0),-1]", 1)
    registry.create(this).forward_operator(this, values)
    assert values["out"] == [2, -1]


@pytest.mark.parametrize(
    ("arrives", "expected"),
    [
        (2, 2),
        (-1, -1),
        (2.5, 2.5),
        (1e-05, 1e-05),
        (0.1, 0.1),
        (math.inf, math.inf),
        (True, True),
        (None, None),
        (2 + 3j, 2 + 3j),
        (2 - 3j, 2 - 3j),
        (complex(-1e-5, 1e20), complex(-1e-5, 1e20)),
        ("a", "a"),
        ([1, 2], [1, 2]),
        ([1.5, -2.0], [1.5, -2.0]),
        (["size(@0", "0)", "3", "mul(size(@0", "2)", "2)"], [2, 3, 8]),
        (["[1", "2]", "3"], [[1, 2], 3]),
        ("size(@0,1)", 3),
    ],
)
def test_the_text_is_recovered_from_whatever_type_the_reader_made_of_it(arrives: Any, expected: Any) -> None:
    result = registry.create(operator(arrives, 1)).forward(np.zeros((2, 3, 4)))
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "inputs", "position"),
    [("add(@0,@2)", 2, 7), ("@0", 0, 0), ("add(@0,@1),@0", 2, 10), ("sin(@0,@1)", 2, 0), ("log1p,@0,@1", 2, 9)],
)
def test_a_faulty_text_is_refused_when_the_layer_is_made(text: str, inputs: int, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        registry.create(operator(text, inputs))
    assert caught.value.position == position
    assert caught.value.operator == "pnnx_expr_0"


def test_an_expr_of_no_readable_type_is_refused() -> None:
    with pytest.raises(ParameterError, match="expr: expected a text, a number or a list"):
        registry.create(operator({"a": 1}, 0))


def test_the_expr_cannot_be_missing() -> None:
    without = operator("@0", 1)
    without.params = {}
    with pytest.raises(ParameterError, match="expr"):
        registry.create(without)


def test_the_toolbox_parser_stands_in_for_the_rooms_own() -> None:
    read: list[str] = []

    def mine(text: str) -> Any:
        read.append(text)
        return parse(text)

    layer = registry.create(operator("add(@0,1)", 1), Toolbox(parse_expression=mine))
    assert isinstance(layer, Layer)
    assert layer.forward(1) == layer.forward(1) == 2
    assert read == ["add(@0,1)"]


def test_a_layer_made_by_hand_computes() -> None:
    assert ExpressionLayer("sub(@1,@0)").forward(1, 5) == 4
