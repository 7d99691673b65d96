"""Batch plans: every thread computes some of the samples through the whole network.

Threads then synchronize once per pass, not at every operator, and with few samples at a time the values stay in the
cache. Only for networks that compute every sample by itself, which is checked step by step.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.calls import Call
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.plan.plan import Plan
from kuiper.fast.threads import parallel
from kuiper.graph import Operator
from kuiper.runtime.executor import NO_PLACES, OnOperator, Places


def is_by_sample(whole: Sequence[Step], part: Sequence[Step], batch: int, samples: int) -> bool:
    """Whether every step computes each sample by itself: its kernel says so, and its shapes scale with the batch.

    whole, part : the steps for a batch of `batch`, and for one of `samples`.
    """
    if len(whole) != len(part):
        return False
    return all(_keeps_samples(one, other, batch, samples) for one, other in zip(whole, part))


def _keeps_samples(whole: Step, part: Step, batch: int, samples: int) -> bool:
    values = [*zip(whole.inputs, part.inputs), *zip(whole.outputs, part.outputs)]
    if whole.operators[0] is not part.operators[0] or not all(_grows(*each, batch, samples) for each in values):
        return False
    ranks = {len(spec.shape or ()) for spec in whole.inputs if not spec.constant}
    # broadcasting inputs of several ranks may put one's batch beside another axis of the other
    return len(ranks) == 1 and whole.kernel.by_sample(ranks.pop(), whole.inputs)


def _grows(whole: Spec, part: Spec, batch: int, samples: int) -> bool:
    """Whether the value's first axis is the batch, or it is the same constant for both."""
    if whole.constant or part.constant:
        same = whole.constant and part.constant and whole.shape == part.shape
        return same and (whole.value is part.value or bool(np.array_equal(whole.value, part.value)))
    if whole.shape is None or part.shape is None or not whole.shape or not part.shape:
        return False
    return whole.shape == (batch, *part.shape[1:]) and part.shape[0] == samples


class BatchPlan:
    """A network for a batch: single-threaded plans for some samples at a time.

    parts : one plan for each thread, all for the same number of samples; they take turns through the batch.
    samples, batch : how many samples at a time, and in all.
    """

    def __init__(self, parts: Sequence[Plan], samples: int, batch: int) -> None:
        self.parts, self.threads = list(parts), len(parts)
        self.samples, self.batch = samples, batch
        starts = range(0, batch, samples)
        self._turns = [list(starts[thread :: self.threads]) for thread in range(self.threads)]
        self._lock = threading.Lock()

    @property
    def groups(self) -> list[list[Operator]]:
        """The operators that are computed, and timed, together."""
        return self.parts[0].groups

    def run(
        self,
        inputs: Sequence[np.ndarray],
        on_operator: OnOperator | None = None,
        places: Places = NO_PLACES,
    ) -> list[Any]:
        """One pass, as Plan.run; `on_operator` gets each operator once, with the samples' seconds over the threads.

        places : not used.
        """
        results: dict[int, list[Any]] = {}
        taken: dict[str, float] = {}
        operators: dict[str, Operator] = {}

        def note(operator: Operator, seconds: float) -> None:
            operators[operator.name] = operator
            taken[operator.name] = taken.get(operator.name, 0.0) + seconds / self.threads

        def turn(plan: Plan, start: int) -> None:
            some = [x[start : start + self.samples] for x in inputs]
            results[start] = plan.run(some, None if on_operator is None else note)

        stage: list[list[Call]] = [
            [partial(turn, plan, start) for start in turns] for plan, turns in zip(self.parts, self._turns)
        ]
        with self._lock, parallel(self.threads) as run:
            run([stage])
        if on_operator is not None:
            for name, operator in operators.items():
                on_operator(operator, taken[name])
        ordered = [results[start] for start in sorted(results)]
        return [np.concatenate(parts) for parts in zip(*ordered)]


def fastest_of(plans: Mapping[str, Plan | BatchPlan], inputs: Sequence[np.ndarray], rounds: int = 3) -> str:
    """The name of the plan with the fastest pass, over some interleaved rounds."""
    best = dict.fromkeys(plans, float("inf"))
    for plan in plans.values():
        plan.run(inputs)
    for _ in range(rounds):
        for name, plan in plans.items():
            started = time.perf_counter()
            plan.run(inputs)
            best[name] = min(best[name], time.perf_counter() - started)
    return min(best, key=best.__getitem__)
