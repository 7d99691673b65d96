"""Back end "fast": a plan of the fast engine for each sub-graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from kuiper.fast import PlanMismatchError
from kuiper.partition.backends.protocol import Backend, Network, Program
from kuiper.partition.backends.simple import PartGraph


class Fast(Backend):
    """Plans, made at the first pass with inputs of new shapes; the layers where no plan can be."""

    universal = True

    def compile(self, network: Network) -> Program:
        """A program that follows the plan for its inputs' shapes."""
        return partial(_run, PartGraph(network, "fast"))


def _run(graph: PartGraph, inputs: Sequence[Any]) -> list[Any]:
    """One pass by a plan; by the layers with a student's toolbox, for inputs that are no arrays, and where a shape
    depends on the numbers in the input."""
    if graph.engine != "simple" and all(isinstance(x, np.ndarray) for x in inputs):
        values = {operand.name: x for operand, x in zip(graph.input_operands, inputs, strict=True)}
        try:
            plan = graph.plan_for(values)
            if plan is not None:
                return plan.run(list(values.values()))
        except PlanMismatchError:
            pass
    return graph.compute(inputs)
