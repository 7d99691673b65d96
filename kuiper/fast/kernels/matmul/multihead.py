"""nn.MultiheadAttention: input projections, attention of every head, output projection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.calls import Stage
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel, Step, lowers
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.fast.kernels.matmul.attention import Heads, turned
from kuiper.fast.kernels.matmul.linear import product, transposed
from kuiper.fast.kernels.matmul.matrices import fit
from kuiper.layers.sequence.attention import MultiheadAttention


class MultiheadAttentionKernel(Kernel):
    """query (N, L, E), key (N, S, kdim), value (N, S, vdim) -> (N, L, E), the last operation a product with out_proj.

    Parameters
    ----------
    layer : the layer, whose weights are used.
    slots : the inputs that are query, key and value; projections of the same input are computed as one product.
    mask : (L, S), constant: numbers to add to the scores, or booleans, True where a key may NOT be seen.
    packs : as Step's.
    """

    label = "MultiheadAttention"

    def __init__(
        self,
        layer: MultiheadAttention,
        slots: tuple[int, int, int],
        mask: np.ndarray | None,
        packs: dict[str, np.ndarray],
    ) -> None:
        self.heads, self.batch_first, self.slots = layer.num_heads, layer.batch_first, slots
        self.weights = {}
        for slot in slots:
            name = f"projections {slot} of {slots}"
            if name not in packs:
                packs[name] = transposed(np.concatenate([w for w, s in zip(layer.projections, slots) if s == slot]))
            self.weights[slot] = packs[name]
        has_bias = layer.biases[0] is not None
        self.biases = {
            slot: np.concatenate([b for b, s in zip(layer.biases, slots) if s == slot]) if has_bias else None
            for slot in slots
        }
        if "out" not in packs:
            packs["out"] = transposed(layer.out_weight)
        self.out_weight = packs["out"]
        self.epilogue: Epilogue = Epilogue(layer.out_bias)
        if mask is not None:
            mask = turned(~mask if mask.dtype == bool else mask)
        self.mask = mask

    def by_sample(self, rank: int, inputs: Sequence[Spec]) -> bool:
        """Where the batch comes before the sequence."""
        return self.batch_first and rank == 3

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """One product for each distinct input, the heads, one product."""
        stages: list[Stage] = []
        embed = len(self.out_weight)
        projected: dict[int, np.ndarray] = {}
        for slot, weight in self.weights.items():
            x = inputs[slot].array
            projected[slot] = space.shared((*x.shape[:-1], weight.shape[1]))
            stages += product(x, weight, Epilogue(self.biases[slot]), projected[slot], None, space)
        found = space.shared(outputs[0].array.shape)
        scale = 1 / math.sqrt(embed // self.heads)
        q, k, v = map(self.by_heads, self.parts(projected))
        attention = Heads(q, k, v, self.by_heads(found), self.mask, scale, False, 1, space, stages)
        stages.append(attention.stage())
        residual = inputs[-1].array if self.epilogue.residual else None
        return stages + product(found, self.out_weight, self.epilogue, outputs[0].array, residual, space)

    def parts(self, projected: Mapping[int, np.ndarray]) -> list[np.ndarray]:
        """Query, key and value (..., E) among the projections of each slot's input; views."""
        embed = len(self.out_weight)
        start = dict.fromkeys(self.slots, 0)
        found = []
        for slot in self.slots:
            found.append(projected[slot][..., start[slot] : start[slot] + embed])
            start[slot] += embed
        return found

    def by_heads(self, x: np.ndarray) -> np.ndarray:
        """(N, L, E), or (L, N, E), or (L, E) -> (N or nothing, heads, L, E / heads); a view."""
        x = x.reshape(*x.shape[:-1], self.heads, -1)
        if x.ndim == 4 and not self.batch_first:
            x = x.swapaxes(0, 1)
        return x.swapaxes(-2, -3)


@lowers(MultiheadAttention)
def multihead_attention(step: Step) -> Kernel | None:
    """Only the output, no padding mask; attn_mask constant, (L, S)."""
    layer, specs = step.layer, step.inputs
    roles = dict(zip((role for role in layer.roles), range(len(specs))))
    plain = layer.bias_k is None and layer.bias_v is None and not layer.add_zero_attn
    if layer.returns != ("output",) or not plain or "query" not in roles or "mask" in roles:
        return None
    weights = [*layer.projections, layer.out_weight]
    if "key_padding_mask" in roles or not all(w.dtype == np.float32 for w in weights):
        return None
    slots = distinct(step, roles)
    if not fit(*(specs[slot] for slot in slots), *step.outputs):
        return None
    mask: Any = None
    if "attn_mask" in roles:
        spec = specs[roles["attn_mask"]]
        if not spec.constant or len(spec.shape or ()) != 2 or spec.dtype not in (np.float32, bool):
            return None
        mask = spec.value
    return MultiheadAttentionKernel(layer, slots, mask, step.packs)


def distinct(step: Step, roles: dict[Any, int]) -> tuple[int, int, int]:
    """The slots of query, key and value; where several hold the same operand, the first of these."""
    query = roles["query"]
    key = roles.get("key", query)
    slots = (query, key, roles.get("value", key))
    operands = step.operator.inputs
    if not operands:
        return slots
    names = [operand.name for operand in operands]
    first = [names.index(names[slot]) for slot in slots]
    return (first[0], first[1], first[2])
