"""Scaled dot-product attention, tile by tile of queries, with the scores in the cache."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.calls import Call, Stage, copies, spans
from kuiper.fast.kernels.base.kernel import Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import all_but_last
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.matrices import NANOSECONDS_PER_MULTIPLY, blas_takes, fit, for_blas
from kuiper.layers.sequence.attention import ScaledDotProductAttention

CACHED = 1 << 17
"""Scores of a tile of heads and queries that are computed together."""
ENOUGH = 256
"""Queries for which a tile reads the keys once, even if it exceeds CACHED."""
QUERIES = 64
"""Queries of a causal tile: larger tiles compute more scores that are masked."""
LOWEST, SMALLEST = np.array(np.finfo(np.float32).min), np.array(np.finfo(np.float32).tiny)


@dataclasses.dataclass(frozen=True)
class QueryTile:
    """Queries of some heads of one sample that are computed together."""

    sample: tuple[int, ...]
    heads: slice
    queries: slice
    keys: int
    """The number of keys that the queries see, from the first on."""

    @property
    def scores(self) -> int:
        """The number of scores."""
        return (self.heads.stop - self.heads.start) * (self.queries.stop - self.queries.start) * self.keys


class Attention(Kernel):
    """query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev): softmax(query @ key.T * scale) @ value.

    Parameters
    ----------
    scale : factor of the scores.
    mask : broadcasts to (..., L, S): numbers to be added to the scores, or booleans, True where a key may be seen.
    causal : query l sees only keys 0 to l.
    group : the number of query heads that share a head of key and value.
    mask_slot : which input is the mask, where it is not constant.
    """

    by_sample = all_but_last(2)

    def __init__(
        self,
        scale: float,
        mask: np.ndarray | None = None,
        causal: bool = False,
        group: int = 1,
        mask_slot: int | None = None,
    ) -> None:
        self.scale, self.causal, self.group, self.mask_slot = scale, causal, group, mask_slot
        self.mask = None if mask is None else turned(mask)

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Copies of what BLAS does not take, then the attention."""
        stages: list[Stage] = []
        q, k, v = (buffer.array for buffer in inputs[:3])
        mask = self.mask
        if self.mask_slot is not None:
            given = inputs[self.mask_slot].array
            mask = space.shared(given.swapaxes(-1, -2).shape)
            stages.append(turning(given, mask, space))
        heads = Heads(q, k, v, outputs[0].array, mask, self.scale, self.causal, self.group, space, stages)
        return [*stages, heads.stage()]


class Heads:
    """Attention on bound arrays: q (..., heads, L, E), k, v (..., heads / group, S, E), mask (..., S, L) or None.

    The scores have the queries along their last axis: numpy finds maxima of columns faster than of rows. A product with
    ones sums them, several times faster than np.sum and with less rounding.
    Stages that must come first are added to `before`.
    """

    def __init__(
        self,
        q: np.ndarray,
        k: np.ndarray,
        v: np.ndarray,
        y: np.ndarray,
        mask: np.ndarray | None,
        scale: float,
        causal: bool,
        group: int,
        space: Workspace,
        before: list[Stage],
    ) -> None:
        heads = y.shape[:-2] or (1,)
        shared = (*heads[:-1], heads[-1] // group)
        k, v = for_blas(k, space, before), for_blas(v, space, before)
        self.q, self.y = in_groups(q, heads, group), in_groups(y, heads, group)
        self.k, self.v = in_groups(k, shared, 1), in_groups(v, shared, 1)
        scores = (*heads, k.shape[-2], q.shape[-2])
        self.mask = None if mask is None else in_groups(np.broadcast_to(mask, scores), heads, group)
        self.scale, self.causal, self.group, self.space = np.array(scale, np.float32), causal, group, space
        keys = k.shape[-2]
        self.most = max(CACHED // (group * keys), ENOUGH // group, 1)
        if causal:
            self.most = min(self.most, max(QUERIES, keys // 8))
        future = np.tri(self.most if causal else 0, k=-1, dtype=bool)
        self.future = np.where(future, np.float32(-np.inf), np.float32(0))

    def stage(self) -> Stage:
        """The tiles, balanced over the threads."""
        length, keys = self.q.shape[-2], self.k.shape[-2]
        threads = self.space.threads_for(math.prod(self.q.shape) * keys * NANOSECONDS_PER_MULTIPLY * 3)
        return [
            [call for tile in tiles for call in self._calls(tile, thread)]
            for thread, tiles in enumerate(shared_out(self._tiles(length, keys, threads), threads))
        ]

    def _tiles(self, length: int, keys: int, threads: int) -> Iterator[QueryTile]:
        *samples, heads = self.k.shape[:-3]
        pieces = -(-length // self.most)
        if math.prod(samples) * heads % threads:  # heads left over are shared by the threads
            pieces = max(pieces, min(threads, length))
        size = self.group * keys * -(-length // pieces)
        together = max(min(CACHED // size, -(-heads // threads)), 1)
        for sample in itertools.product(*map(range, samples)):
            for head in range(0, heads, together):
                some = slice(head, min(head + together, heads))
                for first, last in spans(length, pieces):
                    yield QueryTile(sample, some, slice(first, last), min(last, keys) if self.causal else keys)

    def _calls(self, tile: QueryTile, thread: int) -> list[Call]:
        """The calls for one tile; arrays are (heads, group, queries or keys, ...)."""
        with self.space.reused(thread):
            queries, keys = tile.queries, slice(0, tile.keys)
            q, y = (x[tile.sample][tile.heads, :, queries] for x in (self.q, self.y))
            k, v = (x[tile.sample][tile.heads, :, keys] for x in (self.k, self.v))
            heads, group, length, _ = q.shape
            scaled = self.space.own(thread, q.shape)
            scores = self.space.own(thread, (heads, group, tile.keys, length))
            line = self.space.own(thread, (heads, group, 1, length))
            result = y if blas_takes(y) else self.space.own(thread, y.shape)
            calls: list[Call] = [
                partial(np.multiply, q, self.scale, scaled),
                partial(np.matmul, k, scaled.swapaxes(-1, -2), scores),
                *self._hide(tile, scores),
                partial(np.maximum.reduce, scores, -2, None, line, True),
            ]
            if self.mask is not None:  # -inf - -inf is NaN
                calls.append(partial(np.maximum, line, LOWEST, out=line))
            calls += [
                partial(np.subtract, scores, line, scores),
                partial(np.exp, scores, scores),
                partial(np.matmul, np.ones((1, tile.keys), np.float32), scores, line),
            ]
            if self.mask is not None:  # a query that sees no key gets 0 / SMALLEST
                calls.append(partial(np.maximum, line, SMALLEST, out=line))
            return [
                *calls,
                partial(np.matmul, scores.swapaxes(-1, -2), v, result),
                partial(np.divide, result, line.swapaxes(-1, -2), y),
            ]

    def _hide(self, tile: QueryTile, scores: np.ndarray) -> list[Call]:
        """Add the mask, or -inf for the future."""
        queries = tile.queries
        if self.mask is not None:
            mask = self.mask[tile.sample][tile.heads, :, : tile.keys, queries]
            return [partial(np.add, scores, mask, scores)]
        if self.causal and tile.keys > queries.start:
            diagonal = scores[..., queries.start :, :]
            return [partial(np.add, diagonal, self.future[: diagonal.shape[-2], : diagonal.shape[-1]], diagonal)]
        return []


def in_groups(x: np.ndarray, heads: tuple[int, ...], group: int) -> np.ndarray:
    """(..., n, m) -> (*heads but the last, heads / group, group, n, m): a view, leading axes broadcast to `heads`."""
    lead, matrix = x.shape[:-2] or (1,), x.shape[-2:]
    x = x.reshape(lead + matrix)
    x = x if lead == heads else np.broadcast_to(x, heads + matrix)
    return x.reshape(*heads[:-1], heads[-1] // group, group, *matrix)


def shared_out(tiles: Iterable[QueryTile], threads: int) -> list[list[QueryTile]]:
    """The tiles of each thread: the largest first, each to the thread with the least work."""
    of_thread: list[list[QueryTile]] = [[] for _ in range(threads)]
    work = [0] * threads
    for tile in sorted(tiles, key=lambda tile: -tile.scores):
        thread = work.index(min(work))
        of_thread[thread].append(tile)
        work[thread] += tile.scores
    return of_thread


def turned(mask: np.ndarray) -> np.ndarray:
    """(..., L, S) -> (..., S, L): the numbers to add to the scores, 0 and -inf for booleans."""
    numbers = np.where(mask, np.float32(0), np.float32(-np.inf)) if mask.dtype == bool else mask
    return np.ascontiguousarray(numbers.swapaxes(-1, -2), np.float32)


def turning(mask: np.ndarray, numbers: np.ndarray, space: Workspace) -> Stage:
    """The stage that computes numbers = turned(mask)."""
    across = mask.swapaxes(-1, -2)
    if mask.dtype != bool:
        return copies(across, numbers, space)
    return [[partial(np.copyto, numbers, np.float32(-np.inf)), partial(np.copyto, numbers, 0, where=across)]]


@lowers(ScaledDotProductAttention)
def attention(step: Step) -> Kernel | None:
    """float32 arrays; the mask is the layer's own or a fourth input."""
    layer, specs = step.layer, step.inputs
    if len(specs) not in (3, 4) or not fit(*specs[:3], *step.outputs):
        return None
    shapes: list[Any] = [spec.shape for spec in specs[:3]]
    group = 1
    if layer.enable_gqa:
        if min(map(len, shapes)) < 3:
            return None
        q, k, v = (shape[-3] for shape in shapes)
        if k != v or q % k:
            return None
        group = q // k
    mask: Any = layer.attn_mask if len(specs) == 3 else specs[3]
    if mask is not None and (layer.is_causal or mask.dtype not in (np.float32, bool) or len(mask.shape) < 2):
        return None
    scale = 1 / math.sqrt(max(shapes[0][-1], 1)) if layer.scale is None else layer.scale
    return Attention(scale, layer.attn_mask, layer.is_causal, group, 3 if len(specs) == 4 else None)


def masked_attention(step: Step) -> Kernel | None:
    """The kernel for a mask that arrives as the fourth input."""
    late = step.layer
    if late.kind is not ScaledDotProductAttention or late.roles != ["x", "x", "x", "attn_mask"]:
        return None
    operator = dataclasses.replace(step.operator, layer=late.kind(**late.options))
    return attention(Step([operator], step.inputs, step.outputs))
