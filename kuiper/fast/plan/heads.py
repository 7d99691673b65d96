"""Attention whose keys and values a graph repeats for each head of queries: it reads those that there are.

    key (N,H,S,E) -> unsqueeze (N,H,1,S,E) -> expand (N,H,G,S,E) -> reshape (N,H*G,S,E) -> attention

is what transformers makes of grouped queries, for all the places of a cache at every token.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kuiper.fast.kernels.base.buffer import Spec
from kuiper.fast.kernels.base.kernel import Step
from kuiper.fast.kernels.matmul.attention import Attention
from kuiper.layers.arrays.shape import Expand, Reshape, Unsqueeze
from kuiper.layers.layer import Layer


class _Repeated(NamedTuple):
    """What was repeated: its name, what is known of it, and for how many heads of queries each of its own serves."""

    name: str
    spec: Spec
    group: int


def with_shared_heads(steps: Sequence[Step], returned: Collection[str]) -> list[Step]:
    """The steps without such repetitions; steps of attention change. `returned` are operands that must be kept."""
    made_by = {name: step for step in steps for name in step.writes}
    changed = False
    for step in steps:
        if type(step.kernel) is not Attention or step.kernel.group != 1:
            continue
        key, value = (_repeated(name, made_by) for name in step.reads[1:3])
        if key is not None and value is not None and key.group == value.group:
            step.reads[1:3], step.inputs[1:3] = [key.name, value.name], [key.spec, value.spec]
            step.kernel.group = key.group
            changed = True
    return _read(steps, returned) if changed else list(steps)


def _repeated(name: str, made_by: Mapping[str, Step]) -> _Repeated | None:
    """What is repeated to make this operand. The shapes say all: only axes of 1 are added and widened."""
    reshape = made_by.get(name)
    expand = _source(reshape, Reshape, made_by)
    unsqueeze = _source(expand, Expand, made_by)
    if reshape is None or unsqueeze is None or _kind(unsqueeze) is not Unsqueeze:
        return None
    spec, many, wide, one = unsqueeze.inputs[0], reshape.outputs[0], reshape.inputs[0], unsqueeze.outputs[0]
    if spec.shape is None or wide.shape is None or len(spec.shape) < 3 or len(wide.shape) != len(spec.shape) + 1:
        return None
    *lead, heads, places, width = spec.shape
    group = wide.shape[-3]
    if one.shape != (*lead, heads, 1, places, width) or wide.shape != (*lead, heads, group, places, width):
        return None
    return _Repeated(unsqueeze.reads[0], spec, group) if many.shape == (*lead, heads * group, places, width) else None


def _source(step: Step | None, kind: type[Layer], made_by: Mapping[str, Step]) -> Step | None:
    """The step that makes the first input of one of this kind."""
    return made_by.get(step.reads[0]) if step is not None and _kind(step) is kind else None


def _kind(step: Step) -> type:
    """The class of the layer, also where some of its options are inputs."""
    kind: type = getattr(step.layer, "kind", type(step.layer))
    return kind


def _read(steps: Sequence[Step], returned: Collection[str]) -> list[Step]:
    """The steps that something reads."""
    needed, found = set(returned), list[Step]()
    for step in reversed(steps):
        if needed.intersection(step.writes):
            needed.update(step.reads)
            found.append(step)
    return found[::-1]
