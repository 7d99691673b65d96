"""pnnx.Expression -> a chain of ONNX operators, from the tree that the expression room parses."""

from __future__ import annotations

from collections.abc import Mapping

from kuiper.expression import TokenNode, TokenType, fold, parse, reverse_polish
from kuiper.graph import Operator
from kuiper.layers.elementwise.expression import ExpressionLayer
from kuiper.partition.onnx.builder import Builder, Value
from kuiper.partition.onnx.operators import float_type, writes
from kuiper.partition.writers import CannotExpressError

ONNX_NAMES: Mapping[str, str] = {
    **{"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow", "minimum": "Min", "maximum": "Max"},
    **{"neg": "Neg", "abs": "Abs", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "reciprocal": "Reciprocal"},
    **{"sin": "Sin", "cos": "Cos", "tan": "Tan", "tanh": "Tanh", "erf": "Erf", "floor": "Floor", "ceil": "Ceil"},
}
"""Functions of one or two floating-point values that have an ONNX operator of the same meaning."""


@writes(ExpressionLayer)
def write_expression(model: Builder, op: Operator, layer: ExpressionLayer) -> None:
    """Every function of the tree as a node; numbers become constants of the expression's type."""

    def leaf(node: TokenNode) -> Value:
        if node.token.type is TokenType.OPERAND:
            return op.inputs[node.num_index]
        if isinstance(node.token.value, (int, float)) and not isinstance(node.token.value, bool):
            return model.constant(node.token.value, float_type(op))
        raise CannotExpressError(f"{op.type}: {node.text}")

    def apply(node: TokenNode, values: list[Value]) -> Value:
        if node.text == "square":
            return model.add("Mul", values[0], values[0])
        if node.text == "rsqrt":
            return model.add("Reciprocal", model.add("Sqrt", values[0]))
        if node.text in ONNX_NAMES:
            return model.add(ONNX_NAMES[node.text], *values)
        raise CannotExpressError(f"{op.type}: {node.text}")

    model.add("Identity", fold(reverse_polish(parse(layer.text)), leaf, apply), outputs=op.outputs)
