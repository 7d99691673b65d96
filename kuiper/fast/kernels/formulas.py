"""Expressions and functions of the table as programs on float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.expression.functions import FUNCTIONS, call
from kuiper.expression.parser import TokenNode
from kuiper.expression.polish import fold
from kuiper.expression.tokens import TokenType
from kuiper.fast.kernels.program import Operand, Program, Value
from kuiper.fast.place import Spec
from kuiper.scalars.function import Function
from kuiper.scalars.steps import NotCompiled


def operand(spec: Spec, values: dict[int, Value], slot: int) -> Operand:
    """What an operator's input is in a program. Raises NotCompiled for what is no array of float32 and no number."""
    if spec.is_float:
        return values[slot]
    if spec.constant and spec.shape is None and _is_number(spec.value):
        return spec.value
    raise NotCompiled(f"input {slot}")


def evaluate(order: Sequence[TokenNode], inputs: Sequence[Spec], program: Program, values: dict[int, Value]) -> Operand:
    """The result of an expression in reverse Polish order. Raises NotCompiled where a function or operand is unknown.

    Numbers among themselves stay Python's, as in kuiper.expression.
    """

    def leaf(node: TokenNode) -> Operand:
        if node.token.type is TokenType.OPERAND:
            return operand(inputs[node.num_index], values, node.num_index)
        if node.token.type in (TokenType.INTEGER, TokenType.FLOAT):
            return node.token.value
        raise NotCompiled(node.text)

    def function(node: TokenNode, operands: list[Operand]) -> Operand:
        if node.token.type is not TokenType.FUNCTION:
            raise NotCompiled(node.text)
        return apply(program, FUNCTIONS[node.text], operands)

    return fold(order, leaf, function)


def apply(program: Program, function: Function, operands: Sequence[Operand]) -> Operand:
    """The result of one function. Raises NotCompiled for one without steps, or without a number as its result."""
    if any(isinstance(x, Value) for x in operands):
        if function.steps is None:
            raise NotCompiled(function.name)
        return function.steps(program.apply, *operands)
    try:
        result = call(function.name, *operands)
    except KuiperError:
        raise NotCompiled(function.name) from None
    if not _is_number(result):
        raise NotCompiled(function.name)
    return result


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, (bool, np.generic))
