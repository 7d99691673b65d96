"""The planner of one graph: makes a plan for every set of input shapes, and keeps those used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kuiper.fast.choices import Choices
from kuiper.fast.kernels.convolution import Convolution
from kuiper.fast.nodes import Step, fused, steps_of
from kuiper.fast.plan import Plan
from kuiper.fast.pool import blas, default_lanes
from kuiper.fast.trace import Signature, Trace, signature
from kuiper.runtime import RuntimeGraph, RuntimeOperator

MOST_PLANS = 8
"""Plans that are kept for one graph: each has memory of its own."""


class Planner:
    """Plans for one built graph, by the shapes of its inputs.

    Parameters
    ----------
    graph : the built graph.
    known : operator -> whether its layer is the framework's own, for which a kernel may stand.
    lanes : threads; None: as many as there are cores, or as OMP_NUM_THREADS says.
    choices : the algorithms known to be the fastest.
    """

    def __init__(
        self,
        graph: RuntimeGraph,
        known: Callable[[RuntimeOperator], bool],
        lanes: int | None = None,
        choices: Choices | None = None,
    ) -> None:
        self.graph, self.known = graph, known
        self.lanes = lanes or default_lanes()
        self.choices = choices or Choices()
        self._packs: dict[str, dict[str, Any]] = {}
        self._plans: OrderedDict[Signature, Plan] = OrderedDict()
        self._making = threading.Lock()

    def find(self, inputs: Sequence[np.ndarray]) -> Plan | None:
        """The plan for inputs of these shapes, if it has been made."""
        key = signature(inputs)
        with self._making:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
            return plan

    def make(self, values: Mapping[str, np.ndarray]) -> Plan:
        """The plan for inputs (operand name -> array) of these shapes, made if need be."""
        key = signature(list(values.values()))
        with self._making:
            if key not in self._plans:
                self._plans[key] = self._make(values)
                if len(self._plans) > MOST_PLANS:
                    self._plans.popitem(last=False)
            return self._plans[key]

    def _make(self, values: Mapping[str, np.ndarray]) -> Plan:
        trace = Trace(self.graph, values)
        passing: dict[str, Any] = {}
        returned = [operand.name for operand in self.graph.output_operands]
        steps = fused(steps_of(self.graph, trace, self.known, passing, self._packs), set(returned))
        lanes = self.lanes if blas.can_be_held else 1
        for step in steps:
            self._choose(step, lanes)
        self.choices.keep()
        return Plan(steps, trace.specs, list(values), returned, passing, lanes)

    def _choose(self, step: Step, lanes: int) -> None:
        kernel = step.kernel
        if isinstance(kernel, Convolution):
            residual = " residual" if kernel.epilogue.residual else ""
            key = f"convolution {kernel.problem.key}{residual} lanes{lanes}"
            step.kernel = self.choices.choose(kernel, step.node.inputs, step.node.outputs, key, lanes)
