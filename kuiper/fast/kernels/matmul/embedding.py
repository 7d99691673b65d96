"""Embedding: rows of a table, by index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kuiper.errors import KuiperError
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.layers.sequence.embedding import Embedding, check_rows
from kuiper.quantize import QuantizedWeight

NANOSECONDS_PER_NUMBER = 0.15
"""Of a copied row."""


class EmbeddingKernel(Kernel):
    """indices (...) -> (..., D): rows of `weight` (R, D); of one in fewer bits those rows become float32.

    Raises the layer's InferError, with the operator's name, for an index out of range.
    """

    label = "Embedding"
    by_sample = always

    def __init__(self, name: str, weight: np.ndarray | QuantizedWeight) -> None:
        self.operator = name
        self.weight = weight if isinstance(weight, QuantizedWeight) else np.ascontiguousarray(weight)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """A check of the indices, then each thread fetches some of the rows."""
        indices, y = inputs[0].array, outputs[0].array
        check: Stage = [[partial(self._check, indices)]]
        target = y.reshape(-1, y.shape[-1])
        flat = np.may_share_memory(target, y)
        numbers = indices.reshape(-1)
        threads = space.threads_for(y.size * NANOSECONDS_PER_NUMBER)
        table = self.weight
        if isinstance(table, QuantizedWeight):
            if not (flat and np.may_share_memory(numbers, indices)):
                return [check, [[partial(_widen_rows, table, indices, y)]]]
            parts = spans(len(numbers), threads)
            return [check, [[partial(_widen_rows, table, numbers[a:b], target[a:b])] for a, b in parts]]
        if not (flat and target.flags.c_contiguous and np.may_share_memory(numbers, indices)):
            scratch = space.shared(y.shape)
            fetch: list[Call] = [
                partial(table.take, indices, 0, scratch, "clip"),
                partial(np.copyto, y, scratch),
            ]
            return [check, [fetch]]
        return [
            check,
            [
                [partial(table.take, numbers[start:stop], 0, target[start:stop], "clip")]
                for start, stop in spans(len(numbers), threads)
            ],
        ]

    def _check(self, indices: np.ndarray) -> None:
        try:
            check_rows("Embedding", indices, len(self.weight))
        except KuiperError as error:
            raise error.at(self.operator) from error.__cause__


def _widen_rows(table: QuantizedWeight, numbers: np.ndarray, rows: np.ndarray) -> None:
    rows[...] = table[numbers]


@lowers(Embedding)
def embedding(step: Step) -> Kernel | None:
    """Integer indices, weights as float32 or in fewer bits, no max_norm."""
    layer, (result,) = step.layer, step.outputs
    if len(step.inputs) != 1 or layer.max_norm is not None:
        return None
    if not isinstance(layer.weight, QuantizedWeight) and layer.weight.dtype != np.float32:
        return None
    given = step.inputs[0]
    if given.dtype is None or given.dtype.kind not in "iu" or result.shape is None or 0 in result.shape:
        return None
    return EmbeddingKernel(step.operator.name, layer.weight)
