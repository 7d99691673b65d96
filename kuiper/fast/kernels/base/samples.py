"""Which kernels compute each sample of a batch by itself, so that threads may share the batch out.

A rule is asked of a kernel whose inputs all have the same rank and, like its outputs, the batch as their first axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kuiper.fast.kernels.base.buffer import Spec

SampleRule = Callable[[Any, int, Sequence[Spec]], bool]
"""(kernel, rank of the inputs, inputs with the constants among them) -> whether no sample depends on another."""


def never(kernel: Any, rank: int, inputs: Sequence[Spec]) -> bool:
    """Not known to."""
    return False


def always(kernel: Any, rank: int, inputs: Sequence[Spec]) -> bool:
    """Samples are never mixed, as in kernels for images (N, C, H, W)."""
    return True


def by_element(kernel: Any, rank: int, inputs: Sequence[Spec]) -> bool:
    """Elements are only mapped or moved: it is enough that no constant is broadcast along the batch."""
    return all(not spec.constant or len(spec.shape or ()) < rank or (spec.shape or (1,))[0] == 1 for spec in inputs)


def all_but_last(axes: int) -> SampleRule:
    """All axes but the last `axes` are only looped over."""
    return lambda kernel, rank, inputs: rank > axes


def beside_axis(kernel: Any, rank: int, inputs: Sequence[Spec]) -> bool:
    """Numbers are joined or compared along `kernel.axis` alone."""
    return kernel.axis % rank != 0
