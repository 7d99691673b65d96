"""pnnx.Expression -> a chain of ONNX operators, from the tree that the expression room parses."""

from __future__ import annotations

from collections.abc import Mapping

from kuiper.expression.parser import TokenNode, parse
from kuiper.expression.polish import reverse_polish
from kuiper.expression.source import source_text
from kuiper.expression.tokens import TokenType
from kuiper.partition.onnx.builder import Builder
from kuiper.partition.operator import CannotExpressError, Operator

ONNX_NAMES: Mapping[str, str] = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "div": "Div",
    "pow": "Pow",
    "neg": "Neg",
    "abs": "Abs",
    "sqrt": "Sqrt",
    "exp": "Exp",
    "log": "Log",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "erf": "Erf",
    "reciprocal": "Reciprocal",
    "floor": "Floor",
    "ceil": "Ceil",
    "minimum": "Min",
    "maximum": "Max",
}
"""Functions of one or two floating-point values that have an ONNX operator of the same meaning."""


def write_expression(model: Builder, op: Operator) -> None:
    """Every function of the tree as a node; numbers become constants of the expression's type."""
    stack: list[str] = []
    for token in reverse_polish(parse(source_text(op.source.params["expr"].value))):
        count = len(token.children)
        values, stack = stack[len(stack) - count :], stack[: len(stack) - count]
        stack.append(_value(model, op, token, values))
    model.add("Identity", stack[0], outputs=op.outputs)


def _value(model: Builder, op: Operator, node: TokenNode, values: list[str]) -> str:
    kind = node.token.type
    if kind is TokenType.OPERAND:
        return op.inputs[node.num_index]
    if kind is TokenType.FUNCTION:
        if node.text == "square":
            return model.add("Mul", values[0], values[0])
        if node.text == "rsqrt":
            return model.add("Reciprocal", model.add("Sqrt", values[0]))
        if node.text in ONNX_NAMES:
            return model.add(ONNX_NAMES[node.text], *values)
    elif isinstance(node.token.value, (int, float)) and not isinstance(node.token.value, bool):
        return model.constant(node.token.value, op.dtype)
    raise CannotExpressError(f"pnnx.Expression: {node.text}")
