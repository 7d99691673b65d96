"""The planner: makes a plan for every set of input shapes, and keeps the most recent ones.

Words of the files that it calls: packs are weights that a kernel has repacked (steps.py); a constant has one value for
all inputs of these shapes (Spec, in kernels/base/buffer.py); dynamic values are no arrays, and so have no memory of the
plan's (fallback.py); a stretch is a run of small steps whose parallel branches the threads share (branches.py).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.fast import threads as thread_pools
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.plan.batch import BatchPlan, fastest_of, is_by_sample
from kuiper.fast.plan.branches import known_stretches, stretches_of
from kuiper.fast.plan.heads import with_shared_heads
from kuiper.fast.plan.plan import Draft, Plan
from kuiper.fast.plan.steps import OperatorPacks, fused, steps_of
from kuiper.fast.plan.trace import PlanKey, SpecTrace, plan_key
from kuiper.fast.tuning.choices import Choices
from kuiper.runtime import RuntimeGraph

MOST_PLANS = 8
"""Plans kept for one graph; each has memory of its own."""


class Planner:
    """Plans for one built graph, by the shapes of its inputs.

    Parameters
    ----------
    graph : the built graph.
    threads : how many threads a plan may use; None: OMP_NUM_THREADS, or one per core. Plans of numpy's calls use one
        where threadpoolctl is not installed: BLAS, with threads of its own, could not be held to one in each.
    choices : the algorithms known to be the fastest.
    """

    def __init__(
        self,
        graph: RuntimeGraph,
        threads: int | None = None,
        choices: Choices | None = None,
    ) -> None:
        self.graph = graph
        self.threads = threads or thread_pools.default_threads()
        self.choices = choices or Choices()
        self._packs_of: dict[str, OperatorPacks] = {}
        self._plans: OrderedDict[PlanKey, Plan | BatchPlan] = OrderedDict()
        self._traces: OrderedDict[PlanKey, SpecTrace] = OrderedDict()
        self._making, self._tracing = threading.Lock(), threading.Lock()

    def find(self, key: PlanKey) -> Plan | BatchPlan | None:
        """The plan for inputs of these shapes and dtypes, if it has been made; strides do not matter to it."""
        key = PlanKey(key.inputs)
        with self._making:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
            return plan

    def make(self, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        """The plan for inputs (operand name -> array) of these shapes, made if necessary: kernels are timed."""
        key = plan_key(list(inputs.values()))
        with self._making:
            if key not in self._plans:
                self._plans[key] = self._make(inputs)
                if len(self._plans) > MOST_PLANS:
                    self._plans.popitem(last=False)
            return self._plans[key]

    def forget(self, key: PlanKey) -> None:
        """Drop the plan for inputs of these shapes, and its memory; with the last plan the repacked weights, too."""
        with self._making:
            self._plans.pop(PlanKey(key.inputs), None)
            if not self._plans:
                for known in self._packs_of.values():
                    known.packs.clear()

    @property
    def most_threads(self) -> int:
        """How many threads a plan of numpy's calls may use: BLAS, with threads of its own, has to be held to one."""
        return self.threads if thread_pools.blas.can_be_held else 1

    def draft(self, inputs: Mapping[str, np.ndarray]) -> Draft:
        """All that a plan for inputs of these shapes needs, but for the choice of its algorithms."""
        dynamic: dict[str, Any] = {}  # of one pass, by name: layers among the steps fill it, the plan reads it
        trace = self._trace(inputs)
        steps = with_shared_heads(steps_of(self.graph, trace, dynamic, self._packs_of), self._returned)
        steps = fused(steps, set(self._returned))
        return Draft(steps, trace.specs, list(inputs), self._returned, dynamic)

    def choose(self, step: Step, threads: int) -> None:
        """Give a step the fastest of its algorithms; they are timed if that is not known."""
        kernel = step.kernel
        if kernel.key:
            key = keyed(kernel.key, threads)
            step.kernel = self.choices.choose(kernel, step.inputs, step.outputs, key, threads)

    def _trace(self, inputs: Mapping[str, np.ndarray]) -> SpecTrace:
        key = plan_key(list(inputs.values()))
        with self._tracing:
            trace = self._traces.get(key)
            if trace is None:
                trace = self._traces[key] = SpecTrace(self.graph, inputs)
                if len(self._traces) > MOST_PLANS:
                    self._traces.popitem(last=False)
            return trace

    def _chosen(self, inputs: Mapping[str, np.ndarray], threads: int) -> Draft:
        """The draft, the algorithm of every step chosen."""
        draft = self.draft(inputs)
        for step in draft.steps:
            self.choose(step, threads)
        return draft

    def _make(self, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        whole = Plan(self._chosen(inputs, self.most_threads), self.most_threads)
        chosen: Plan | BatchPlan = whole
        if whole.threads > 1:
            chosen = self._with_batch(self._with_branches(whole, inputs), inputs)
        self.choices.keep()
        return chosen

    @cached_property
    def _fingerprint(self) -> str:
        """A hash of the operators, which identifies the network in the choices."""
        text = "\n".join(f"{op.type} {op.name}" for op in self.graph.operators)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def _key(self, what: str, plan: Plan, inputs: Mapping[str, np.ndarray]) -> str:
        """The key of a choice that is made for a whole plan."""
        shapes = plan_key(list(inputs.values())).inputs
        return keyed(f"{what} {self._fingerprint} {shapes} {len(plan.steps)} steps", plan.threads)

    @property
    def _returned(self) -> list[str]:
        return [operand.name for operand in self.graph.outputs]

    def _with_branches(self, whole: Plan, inputs: Mapping[str, np.ndarray]) -> Plan:
        """`whole`, or a plan with parallel branches if that is faster."""
        arrays = list(inputs.values())
        key = self._key("branches", whole, inputs)
        known = self.choices.find(key)
        if known is None:
            stretches = stretches_of(whole.layout, whole.stages, seconds_of(whole, arrays), whole.threads)
        else:
            stretches = known_stretches(whole.layout, known, whole.threads)
        if stretches:
            other = Plan(whole.draft, whole.threads, stretches)
            if known is not None or fastest_of({"serial": whole, "parallel": other}, arrays) == "parallel":
                self.choices.note(key, " ".join(map(str, stretches)))
                return other
        self.choices.note(key, "")
        return whole

    def _with_batch(self, whole: Plan, inputs: Mapping[str, np.ndarray]) -> Plan | BatchPlan:
        """`whole`, or a plan that splits the batch over the threads if that is faster."""
        batches = {x.shape[0] if x.ndim else 0 for x in inputs.values()}
        batch = batches.pop() if len(batches) == 1 else 0
        if batch < whole.threads or batch % whole.threads:
            return whole
        key = self._key("batch", whole, inputs)
        known = self.choices.find(key)
        plans: dict[str, Plan | BatchPlan] = {} if known not in (None, "whole") else {"whole": whole}
        if known != "whole":
            for samples in sorted({1, batch // whole.threads}):
                if known in (None, f"{samples} at a time"):
                    part = self._by_samples(whole, inputs, batch, samples)
                    if part is not None:
                        plans[f"{samples} at a time"] = part
        if known is None or not plans:
            plans["whole"] = whole
        name = fastest_of(plans, list(inputs.values())) if len(plans) > 1 else next(iter(plans))
        self.choices.note(key, name)
        return plans[name]

    def _by_samples(self, whole: Plan, inputs: Mapping[str, np.ndarray], batch: int, samples: int) -> BatchPlan | None:
        """Plans for `samples` at a time; None where samples depend on each other."""
        some = {name: x[:samples] for name, x in inputs.items()}
        try:
            draft = self._chosen(some, 1)
        except KuiperError:  # the network accepts no other batch size
            return None
        returned = [(whole.specs[name], draft.specs[name]) for name in self._returned]
        if not is_by_sample(whole.steps, draft.steps, batch, samples):  # nor are there any dynamic values, then
            return None
        if any(of_all.constant or of_all.shape is None or of_some.shape is None for of_all, of_some in returned):
            return None
        return BatchPlan([Plan(draft, 1) for _ in range(whole.threads)], samples, batch)


def keyed(what: str, threads: int) -> str:
    """The key of a choice for plans of so many threads, which users' caches call lanes.

    >>> keyed("convolution 1x8x5x5", 2)
    'convolution 1x8x5x5 lanes2'
    """
    return f"{what} lanes{threads}"


def seconds_of(plan: Plan, inputs: Sequence[np.ndarray], rounds: int = 3) -> list[float]:
    """The least seconds of each step over some passes."""
    best = [float("inf")] * len(plan.steps)
    plan.run(inputs)
    for _ in range(rounds):
        best = [min(pair) for pair in zip(best, _seconds_once(plan, inputs))]
    return best


def _seconds_once(plan: Plan, inputs: Sequence[np.ndarray]) -> list[float]:
    taken: list[float] = []
    plan.run(inputs, lambda _, seconds: taken.append(seconds))
    return taken
