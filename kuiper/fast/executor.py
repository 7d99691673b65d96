"""The engines "fast" and "auto": a plan for each set of input shapes, the layers where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kuiper.fast.plan.batch import BatchPlan
from kuiper.fast.plan.fallback import PlanMismatchError
from kuiper.fast.plan.plan import Plan
from kuiper.fast.plan.planner import Planner
from kuiper.fast.tuning.choices import Choices
from kuiper.runtime import EXECUTORS, LayerExecutor, RuntimeGraph
from kuiper.runtime.executor import OnOperator


class PlanExecutor(LayerExecutor):
    """Plans, made at the first pass with inputs of new shapes, or at the second.

    patient : the layers compute the first pass with inputs of new shapes: making a plan takes longer than a pass.
    """

    def __init__(
        self,
        graph: RuntimeGraph,
        threads: int | None = None,
        choices: dict[str, str] | None = None,
        patient: bool = False,
    ) -> None:
        super().__init__(graph)
        self._choices, self._patient = Choices.of_user(choices), patient
        self._planner = Planner(graph, threads, self._choices)
        self._seen: set[Any] = set()

    @property
    def choices(self) -> dict[str, str]:
        """The algorithms that were chosen so far, by the shapes that they are for."""
        return self._choices.used

    def run(self, inputs: Mapping[str, Any], on_operator: OnOperator | None = None) -> list[Any]:
        """One pass, by a plan where the inputs are arrays and no shape depends on the numbers in them."""
        if all(isinstance(x, np.ndarray) for x in inputs.values()):
            try:
                plan = self.plan_for(inputs)
                if plan is not None:
                    return plan.run(list(inputs.values()), on_operator)
            except PlanMismatchError:
                pass
        return super().run(inputs, on_operator)

    def plan_for(self, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan | None:
        """The plan for inputs (operand name -> array); None where the layers compute this pass."""
        arrays = list(inputs.values())
        plan = self._planner.find(arrays)
        if plan is None and self._patient:
            key = tuple((x.shape, x.dtype) for x in arrays)
            if key not in self._seen:
                self._seen.add(key)
                return None
        return plan or self._planner.make(inputs)


def _auto(graph: RuntimeGraph, **options: Any) -> PlanExecutor:
    return PlanExecutor(graph, **options, patient=True)


EXECUTORS |= {"fast": PlanExecutor, "auto": _auto}
