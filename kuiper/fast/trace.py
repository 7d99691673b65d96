"""Tracing: one pass through the simple layers that notes what every operand is, which is all that a plan needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kuiper.fast.place import Spec
from kuiper.runtime import RuntimeGraph, RuntimeOperator

LOOKS_AT_SHAPES = frozenset({"aten::size", "Tensor.size", "Tensor.dim", "aten::dim", "aten::len", "Tensor.numel"})
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

    def _note(self, op: RuntimeOperator, values: dict[str, Any]) -> None:
        op.layer.forward_operator(op, values)  # type: ignore[union-attr]
        known = all(self.specs[operand.name].constant for operand in op.input_operands)
        random = any(word in op.type.lower() for word in RANDOM)
        for operand in op.output_operands:
            value = values[operand.name]
            constant = (known and not random) or (is_of_shapes(op, value))
            self.specs[operand.name] = spec_of(value, constant)


def is_of_shapes(op: RuntimeOperator, value: Any) -> bool:
    """Whether a result follows from the shapes of the operator's inputs: sizes, and integers computed from sizes."""
    if op.type in LOOKS_AT_SHAPES:
        return True
    return op.type == "pnnx.Expression" and is_integers(value)


def is_integers(value: Any) -> bool:
    """A Python integer, or a list of them; arrays are none."""
    if isinstance(value, (list, tuple)):
        return all(map(is_integers, value))
    return type(value) is int


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


Lookup = Callable[[str], Spec]
