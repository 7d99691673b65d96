"""pnnx.Expression -> a Python function on torch tensors, made once: `add(@0,mul(@1,2))` is `x0 + x1 * 2`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kuiper.expression import FUNCTIONS, TokenNode, TokenType, fold, parse, reverse_polish

_SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floor_divide": "//",
    "remainder": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_TYPES = {"torch.bool", "torch.float", "torch.long"}


def torch_expression(torch: Any, text: str, inputs: int) -> Callable[..., Any]:
    """The function of `inputs` arguments that computes the expression with torch's operators.

    Raises ExpressionError for a text that is no expression.
    """
    source = f"lambda {', '.join(f'x{i}' for i in range(inputs))}: {python_source(text)}"
    names = {name: _on_numbers_too(torch, getattr(torch, name)) for name in FUNCTIONS if hasattr(torch, name)}
    code: Callable[..., Any] = eval(source, {**names, "torch": torch, "nan": float("nan"), "inf": float("inf")})
    return code


def python_source(text: str) -> str:
    """The expression in Python: infix operators, and functions by torch's names.

    Every word has been read by our own tokenizer, so that nothing but numbers, names and operators can be in it.

    >>> python_source("add(@0,mul(sqrt(@1),2))"), python_source("[size(@0,0),-1]")
    ('(x0 + (sqrt(x1) * 2))', '[x0.size(0), -1]')
    """
    return fold(reverse_polish(parse(text)), _leaf, _apply)


def _leaf(node: TokenNode) -> str:
    if node.token.type is TokenType.OPERAND:
        return f"x{node.num_index}"
    name = node.text
    if node.token.type is TokenType.NAME and name.startswith("torch.") and name.removeprefix("torch.").isidentifier():
        return name
    return repr(node.token.value)


def _apply(node: TokenNode, values: list[str]) -> str:
    name = node.text
    if node.token.type is TokenType.LEFT_LIST:
        return f"[{', '.join(values)}]"
    if name in _SYMBOLS:
        return f"({values[0]} {_SYMBOLS[name]} {values[1]})"
    if name == "neg":
        return f"(-{values[0]})"
    if name == "size":
        return f"{values[0]}.size({', '.join(values[1:])})"
    if name in _TYPES:
        return f"torch.as_tensor({values[0]}).to({name})"
    return f"{name}({', '.join(values)})"


def _on_numbers_too(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which takes Python numbers as 0-d tensors."""

    def call(*values: Any) -> Any:
        return function(*(x if isinstance(x, torch.Tensor) else torch.as_tensor(x) for x in values))

    return call
