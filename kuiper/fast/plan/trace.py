"""Tracing: one pass through the layers that notes of every operand shape, dtype, and the value if it is constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph, run_layers
from kuiper.runtime.executor import NO_PLACES, Places


class SpecTrace:
    """The Spec of each operand of a graph for given inputs, found by a pass through the layers.

    specs : operand name -> Spec, with the value where it is the same for all inputs of these shapes.
    """

    def __init__(self, graph: RuntimeGraph, inputs: Mapping[str, Any]) -> None:
        self.specs: dict[str, Spec] = {name: spec_of(value) for name, value in inputs.items()}
        self._run(graph, dict(inputs))

    def _run(self, graph: RuntimeGraph, values: dict[str, Any]) -> None:
        run_layers(graph.operators, graph.released_after, values, lambda op, _: self._note(op, values))

    def _note(self, op: Operator, values: Mapping[str, Any]) -> None:
        assert op.layer is not None
        known = [self.specs[operand.name].constant for operand in op.inputs]
        constant = (all(known) and not op.layer.random) or op.layer.follows_shapes(known)
        for operand in op.outputs:
            self.specs[operand.name] = spec_of(values[operand.name], constant)


def spec_of(value: Any, constant: bool = False) -> Spec:
    """The Spec of a value."""
    if isinstance(value, np.ndarray):
        return Spec(value.shape, value.dtype, constant, value if constant else None)
    return Spec(None, None, constant, value if constant else None)


Strides = tuple[tuple[str, tuple[int, ...]], ...]
"""Names of results, and the strides in bytes of the places where they are wanted."""


class PlanKey(NamedTuple):
    """What a plan is made for: the inputs' shapes and dtypes, and the strides of arrays where results are wanted."""

    inputs: tuple[tuple[tuple[int, ...], str], ...]
    strides: Strides = ()


def plan_key(inputs: Sequence[np.ndarray], places: Places = NO_PLACES) -> PlanKey:
    """The key of a pass.

    places : operand name -> array in which this result is wanted.

    >>> plan_key([np.zeros((1, 3))])
    PlanKey(inputs=(((1, 3), 'float64'),), strides=())
    """
    return PlanKey(
        tuple((x.shape, x.dtype.name) for x in inputs), tuple((name, place.strides) for name, place in places.items())
    )
