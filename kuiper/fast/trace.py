"""Tracing: one pass through the simple layers that notes what every operand is, which is all that a plan needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kuiper.expression.layer import ExpressionLayer
from kuiper.expression.parser import TokenNode
from kuiper.expression.tokens import TokenType
from kuiper.fast.place import Spec
from kuiper.runtime import RuntimeGraph, RuntimeOperator

LOOKS_AT_SHAPES = frozenset(
    {"aten::size", "Tensor.size", "Tensor.dim", "aten::dim", "aten::len", "Tensor.numel", "aten::numel"}
)
"""Operators whose results depend on their input's shape alone."""
RANDOM = ("rand", "normal", "bernoulli", "multinomial", "dropout", "poisson", "exponential", "uniform", "gumbel")
"""Parts of the names of operators that give something else at every call."""


class Trace:
    """What each operand of a graph is for given inputs.

    specs : operand name -> Spec, with the value where it is the same for all inputs of these shapes.
    """

    def __init__(self, graph: RuntimeGraph, inputs: Mapping[str, Any]) -> None:
        self.specs: dict[str, Spec] = {name: spec_of(value) for name, value in inputs.items()}
        self._run(graph, dict(inputs))

    def _run(self, graph: RuntimeGraph, values: dict[str, Any]) -> None:
        for step, op in enumerate(graph.operators):
            if op.layer is not None:
                self._note(op, values)
            for name in graph._released_after[step]:
                del values[name]

    def _is_of_shapes(self, op: RuntimeOperator) -> bool:
        """Whether the results follow from the shapes of the inputs: sizes, and what is computed from them."""
        if isinstance(op.layer, ExpressionLayer):
            return reads_sizes_alone(op.layer.order, [self.specs[o.name].constant for o in op.input_operands])
        return op.type in LOOKS_AT_SHAPES

    def _note(self, op: RuntimeOperator, values: dict[str, Any]) -> None:
        op.layer.forward_operator(op, values)  # type: ignore[union-attr]
        known = all(self.specs[operand.name].constant for operand in op.input_operands)
        random = any(word in op.type.lower() for word in RANDOM)
        for operand in op.output_operands:
            value = values[operand.name]
            constant = (known and not random) or self._is_of_shapes(op)
            self.specs[operand.name] = spec_of(value, constant)


def reads_sizes_alone(order: Iterable[TokenNode], constant: Sequence[bool]) -> bool:
    """Whether an expression, in reverse Polish order, looks at no more than the size of operands that are not constant.

    >>> from kuiper.expression.parser import parse
    >>> from kuiper.expression.polish import reverse_polish
    >>> [reads_sizes_alone(reverse_polish(parse(text)), [False]) for text in ("add(size(@0,1),2)", "int(@0)")]
    [True, False]
    """
    stack: list[bool] = []
    for node in order:
        if node.token.type is TokenType.OPERAND:
            stack.append(constant[node.num_index])
        else:
            values = [stack.pop() for _ in node.children][::-1]
            stack.append(all(values[1:] if node.text == "size" else values))
    return stack == [True]


def spec_of(value: Any, constant: bool = False) -> Spec:
    """The Spec of a value."""
    if isinstance(value, np.ndarray):
        return Spec(value.shape, value.dtype, constant, value if constant else None)
    return Spec(None, None, constant, value if constant else None)


Signature = tuple[tuple[tuple[int, ...], str], ...]


def signature(inputs: Sequence[np.ndarray]) -> Signature:
    """What a plan holds for: the shapes and dtypes of the inputs.

    >>> signature([np.zeros((1, 3))])
    (((1, 3), 'float64'),)
    """
    return tuple((x.shape, x.dtype.name) for x in inputs)
