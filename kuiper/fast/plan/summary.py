"""A summary of a plan, step by step, for `inspect --engine fast` and other readers."""

from __future__ import annotations

from dataclasses import dataclass

from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.plan.batch import BatchPlan
from kuiper.fast.plan.plan import Plan


@dataclass(frozen=True)
class BufferSummary:
    """The bytes of a value with memory of its own: the operand, its offset in the arena and its size."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True)
class StepSummary:
    """One step of a plan.

    operators : names; the others are fused into the first.
    kernel : the algorithm, the layer where there is no kernel.
    outputs : shapes; None for anything but an array.
    buffers : where its outputs lie; for a view that is the value whose memory it shares.
    """

    operators: list[str]
    kernel: str
    outputs: list[tuple[int, ...] | None]
    buffers: list[BufferSummary]


def summary(plan: Plan | BatchPlan) -> list[StepSummary]:
    """The steps of a plan in order; of a batch plan, those of one part."""
    one = plan.parts[0] if isinstance(plan, BatchPlan) else plan
    return [
        StepSummary(
            [op.name for op in step.operators],
            one.kernel_name(number),
            [one.specs[name].shape for name in step.writes],
            buffers(one, step),
        )
        for number, step in enumerate(one.steps)
    ]


def buffers(plan: Plan, step: Step) -> list[BufferSummary]:
    """Where a step's outputs lie, each value with memory of its own once."""
    roots = dict.fromkeys(plan.layout.root(name).name for name in step.writes if name in plan.layout.values)
    return [BufferSummary(root, plan.memory.offsets[root], plan.memory.sizes[root]) for root in roots]
