"""The engine "compiled": plans as machine code; plans of numpy's calls where LLVM is not installed."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from kuiper.compiled import llvm
from kuiper.fast import BatchPlan, Plan, PlanExecutor
from kuiper.fast.plan.planner import MOST_PLANS
from kuiper.fast.plan.trace import PlanKey
from kuiper.runtime import EXECUTORS, RuntimeGraph

if TYPE_CHECKING:
    from kuiper.compiled.target import Target


class CompiledExecutor(PlanExecutor):
    """Plans in machine code, made at the first pass with inputs of new shapes.

    The planned engine serves, and says so once, where there is no LLVM (the extra `speed` brings it), and on processors
    whose vectors are not known.
    """

    def __init__(self, graph: RuntimeGraph, threads: int | None = None, choices: dict[str, str] | None = None) -> None:
        super().__init__(graph, threads, choices)
        self._compiled: OrderedDict[PlanKey, Plan] = OrderedDict()
        self._compiling = Lock()

    def _plan(self, key: PlanKey, inputs: Mapping[str, np.ndarray], patient: bool) -> Plan | BatchPlan | None:
        target = target_of_host()
        if self._is_misfit(key):
            return None
        if target is None:
            return super()._plan(key, inputs, patient)
        with self._compiling:
            plan = self._compiled.get(key)
            if plan is None:
                plan = self._compiled[key] = self._compile(inputs, target)
                if len(self._compiled) > MOST_PLANS:
                    self._compiled.popitem(last=False)
            self._compiled.move_to_end(key)
            return plan

    def _compile(self, inputs: Mapping[str, np.ndarray], target: Target) -> Plan:
        from kuiper.compiled.code import default_folder
        from kuiper.compiled.plan import CompiledPlan

        plan = CompiledPlan(self._planner.whole(inputs), target, default_folder())
        self._choices.keep()
        return plan


@cache
def target_of_host() -> Target | None:
    """The processor to compile for; None, and a warning, where that cannot be done."""
    if not llvm.installed():
        lacking = "llvmlite with LLVM 20 or later is not installed: the extra speed brings it"
    else:
        from kuiper.compiled.target import host

        found = host()
        if found is not None:
            return found
        lacking = "this processor's vectors are not known (AVX-512, AVX2 with FMA, and NEON are)"
    warnings.warn(f'engine "compiled": the planned engine computes instead, as {lacking}', stacklevel=2)
    return None


EXECUTORS["compiled"] = CompiledExecutor
