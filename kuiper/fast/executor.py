"""The engine "fast": a plan for each set of input shapes, the layers where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from kuiper.fast.plan.batch import BatchPlan
from kuiper.fast.plan.fallback import PlanMismatchError
from kuiper.fast.plan.plan import Plan
from kuiper.fast.plan.planner import Planner
from kuiper.fast.plan.trace import PlanKey, plan_key
from kuiper.fast.tuning.choices import Choices
from kuiper.graph import Operator
from kuiper.runtime import EXECUTORS, LayerExecutor, RuntimeGraph
from kuiper.runtime.executor import NO_PLACES, OnOperator, Places
from kuiper.runtime.values import named_inputs

MISFITS = 3
"""Passes in a row that may not fit their plan before the layers compute inputs of these shapes."""


class PlanExecutor(LayerExecutor):
    """Plans, made at the first pass with inputs of new shapes.

    Where a plan turns out not to fit, as a shape depends on the numbers in the inputs, the layers compute the pass;
    after MISFITS such passes in a row they compute all further ones with inputs of these shapes.
    """

    def __init__(self, graph: RuntimeGraph, threads: int | None = None, choices: dict[str, str] | None = None) -> None:
        super().__init__(graph)
        self._choices = Choices.of_user(choices)
        self._planner = Planner(graph, threads, self._choices)
        self._misfits: Counter[PlanKey] = Counter()

    @property
    def choices(self) -> dict[str, str]:
        """As GraphExecutor says."""
        return self._choices.used

    def run(
        self, inputs: Mapping[str, Any], on_operator: OnOperator | None = None, places: Places = NO_PLACES
    ) -> list[Any]:
        """One pass, by a plan where the inputs are arrays and one is there that fits them, by the layers elsewhere."""
        if all(isinstance(x, np.ndarray) for x in inputs.values()):
            arrays = list(inputs.values())
            key = plan_key(arrays, places)
            on_operator = on_operator and _once(on_operator)
            try:
                plan = None if self._is_misfit(key) else self._plan_of_pass(key, inputs)
                if plan is not None:
                    results = plan.run(arrays, on_operator, places)
                    self._misfits.pop(key, None)
                    return results
            except PlanMismatchError:
                self._misfits[key] += 1
        return super().run(inputs, on_operator)

    def prepare(self, inputs: Mapping[str, Any], only_code: bool = False, places: Places = NO_PLACES) -> bool:
        """As GraphExecutor says; what is made behind the scenes is not waited for."""
        if not all(isinstance(x, np.ndarray) for x in inputs.values()):
            return False
        key = plan_key(list(inputs.values()), places)
        if self._is_misfit(key):
            return False
        return (self._code_of_pass if only_code else self._plan_of_pass)(key, inputs) is not None

    def plan_for(self, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan | None:
        """The plan for inputs (operand name -> array), by which later passes are computed; None where the layers do.

        If there is none yet it is made, for which kernels are timed: that may take seconds. Raises InferError for
        inputs that the network does not take.
        """
        given = named_inputs(inputs, self.graph.inputs)
        key = plan_key(list(given.values()))
        return None if self._is_misfit(key) else self._made(key, given)

    def _plan_of_pass(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan | None:
        """The plan that computes this pass; None: the layers do."""
        return self._made(key, inputs)

    def _code_of_pass(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | None:
        """The plan in machine code for this pass, if there is one."""
        return None

    def _made(self, key: PlanKey, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        """The plan for inputs of these shapes, made if there is none."""
        return self._planner.find(key) or self._planner.make(inputs)

    def _is_misfit(self, key: PlanKey) -> bool:
        """Whether plans for inputs of these shapes have failed to fit too often."""
        return self._misfits.get(key, 0) >= MISFITS


def _once(on_operator: OnOperator) -> OnOperator:
    """The same, called once for each operator: the layers begin anew where a plan did not fit."""
    told: set[str] = set()

    def tell(operator: Operator, seconds: float) -> None:
        if operator.name not in told:
            told.add(operator.name)
            on_operator(operator, seconds)

    return tell


EXECUTORS["fast"] = PlanExecutor
