"""Attention (lesson 13): each position of a sequence gathers what it needs from all positions.

Source: Vaswani et al., "Attention Is All You Need" (2017), https://arxiv.org/abs/1706.03762
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import InferError, InputCountError, ParameterError, RankError, ShapeError
from kuiper.graph import Operator, Shape
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.scalars import softmax

MOST_NUMBERS = 1 << 19
"""Of the scores, keys and values of the heads that are computed together: 2 MiB."""


def attention_weights(query: np.ndarray, key: np.ndarray, mask: np.ndarray | None, scale: float) -> np.ndarray:
    """(..., L, E), (..., S, E) -> (..., L, S): softmax(query @ key.T * scale + mask), so that each row sums to 1.

    A mask of booleans is True where position l may see position s. A row of which everything is masked gives NaN.
    """
    # scaling the query is cheaper than scaling the L*S scores
    scores = (query * query.dtype.type(scale)) @ key.swapaxes(-1, -2)
    if mask is not None and mask.dtype != bool:
        scores = scores + mask
    elif mask is not None and np.broadcast_shapes(mask.shape, scores.shape) != scores.shape:
        scores = np.where(mask, scores, -np.inf)
    elif mask is not None:
        np.copyto(scores, -np.inf, where=~mask)  # in place: of a long text the scores take most of a pass's memory
    return softmax(scores, out=scores).astype(query.dtype, copy=False)


def causal(length: int, source: int) -> np.ndarray:
    """(L, S), True where s <= l: a position sees itself and what came before.

    >>> causal(2, 3).tolist()
    [[True, False, False], [True, True, False]]
    """
    return np.tri(length, source, dtype=bool)


def heads_together(query: np.ndarray, key: np.ndarray) -> list[slice]:
    """(..., heads, L, E), (..., S, E) -> the heads in runs of which each has at most MOST_NUMBERS, or one head.

    >>> heads_together(np.empty((1, 3, 1024, 8)), np.empty((1, 3, 1024, 8)))
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    heads = query.shape[-3] if query.ndim > 2 else 1
    if query.ndim < 3 or (key.ndim > 2 and key.shape[-3] > heads):
        return [slice(None)]
    each = math.prod(query.shape[:-3]) * key.shape[-2] * (query.shape[-2] + 2 * key.shape[-1])
    count = max(1, MOST_NUMBERS // max(each, 1))
    if count >= heads:
        return [slice(None)]
    return [slice(first, min(first + count, heads)) for first in range(0, heads, count)]


def heads_of(x: np.ndarray, some: slice) -> np.ndarray:
    """Some heads of (..., heads, n, m); all of x where it has one, or none of its own, for all heads."""
    return x[..., some, :, :] if x.ndim > 2 and x.shape[-3] > 1 else x


@registry.register("F.scaled_dot_product_attention")
class ScaledDotProductAttention(Layer):
    """query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev): softmax(query @ key.T * scale) @ value.

    Parameters
    ----------
    attn_mask : broadcasts to (..., L, S); True where position l may see position s, or numbers added to the scores. A
        position that may see nothing gives zeros.
    is_causal : position l sees positions 0 to l only.
    scale : 1 / sqrt(E) when None.
    enable_gqa : query has a multiple of the heads of key and value (axis -3); neighbouring ones share a head.
    dropout_p : acts in training only; must be 0.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html

    >>> q, k, v = np.zeros((1, 2)), np.zeros((4, 2)), np.arange(4.0).reshape(4, 1)
    >>> ScaledDotProductAttention().forward(q, k, v).tolist()
    [[1.5]]
    """

    family = LINEAR

    def __init__(
        self,
        attn_mask: np.ndarray | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> None:
        if dropout_p:
            raise ParameterError("dropout_p", "0 (export the model after model.eval())", repr(dropout_p))
        if attn_mask is not None and is_causal:
            raise ParameterError("is_causal", "False where there is an attn_mask", "True")
        self.attn_mask, self.is_causal, self.scale, self.enable_gqa = attn_mask, is_causal, scale, enable_gqa

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """For each of the L*S scores a product over E, 6 for the scale, the mask and the softmax, and one over Ev."""
        query, key, value = map(known, inputs[:3])
        return math.prod(query[:-1]) * key[-2] * (2 * query[-1] + 6 + 2 * value[-1])

    def forward(self, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Attend. Raises ShapeError when query, key and value do not fit together."""
        check_dtype("scaled_dot_product_attention", query, "f", key, value)
        if min(query.ndim, key.ndim, value.ndim) < 2 or key.shape[-2:] != (value.shape[-2], query.shape[-1]):
            found = f"{query.shape}, {key.shape} and {value.shape}"
            raise ShapeError("scaled_dot_product_attention", "(..., L, E), (..., S, E) and (..., S, Ev)", found)
        q, k, v = single(query), single(key), single(value)
        mask = causal(query.shape[-2], key.shape[-2]) if self.is_causal else self.attn_mask
        parts = []
        for some in heads_together(q, k):  # of a long text the scores take most of a pass's memory
            q_some, k_some, v_some = heads_of(q, some), k, v
            if self.enable_gqa:
                shared = np.arange(query.shape[-3])[some] // (query.shape[-3] // key.shape[-3])
                k_some, v_some = (x.take(shared, axis=-3) for x in (k, v))
            elif k.ndim > 2:
                k_some, v_some = heads_of(k, some), heads_of(v, some)
            parts.append(self._attend(q_some, k_some, v_some, None if mask is None else heads_of(mask, some)))
        y = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-3)
        return y.astype(query.dtype, copy=False)

    def _attend(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        """Query, key and value of the same heads -> what each of them gathers."""
        scale = 1 / math.sqrt(max(q.shape[-1], 1)) if self.scale is None else self.scale
        weights = attention_weights(q, k, mask, scale)
        if mask is not None:
            blind = ~mask if mask.dtype == bool else mask == -np.inf
            np.copyto(weights, 0, where=blind.all(-1, keepdims=True))
        y: np.ndarray = weights @ v
        return y


Roles = tuple[str | None, ...]
ROLES = ("query", "key", "value", "attn_mask", "key_padding_mask")
"""What the inputs of a MultiheadAttention are when nothing else is known; see roles_of."""


@registry.register("nn.MultiheadAttention")
class MultiheadAttention(Layer):
    """query (N, L, E), key (N, S, kdim), value (N, S, vdim) -> (N, L, E), and the weights (N, L, S) if asked for.

    Query, key and value are projected to E numbers, which num_heads heads share among them; each head attends by
    itself (softmax(q @ k.T / sqrt(E / num_heads)) @ v), and out_proj mixes what they found.

    Inputs: query, key, value, attn_mask, key_padding_mask. Without value, value = key; without key, key = query.
    attn_mask is (L, S) or (N * num_heads, L, S), key_padding_mask (N, S): True where a position may NOT be seen, or
    numbers added to the scores.

    Parameters
    ----------
    embed_dim, num_heads, kdim, vdim : E, and the sizes of key and value (E when None).
    batch_first : axes as above; otherwise (L, N, E), (S, N, kdim), (S, N, vdim). Without N in either case.
    in_proj_weight : (3E, E), for query, key and value; or q_proj_weight (E, E), k_proj_weight (E, kdim),
        v_proj_weight (E, vdim) where those sizes differ. in_proj_bias : (3E).
    bias_k, bias_v : (1, 1, E), one more position at the end of the projected key and value; add_zero_attn : and one
        of zeros.
    out_proj_weight, out_proj_bias : (E, E), (E).
    bias, add_bias_kv : what the model file says of the weights.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html

    >>> layer = MultiheadAttention(2, 1, np.eye(2), in_proj_weight=np.tile(np.eye(2), (3, 1)), batch_first=True)
    >>> [y.shape for y in layer.forward(np.ones((4, 3, 2)))]
    [(4, 3, 2), (4, 3, 3)]
    """

    family = LINEAR

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        out_proj_weight: np.ndarray,
        out_proj_bias: np.ndarray | None = None,
        in_proj_weight: np.ndarray | None = None,
        q_proj_weight: np.ndarray | None = None,
        k_proj_weight: np.ndarray | None = None,
        v_proj_weight: np.ndarray | None = None,
        in_proj_bias: np.ndarray | None = None,
        bias_k: np.ndarray | None = None,
        bias_v: np.ndarray | None = None,
        add_zero_attn: bool = False,
        batch_first: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        bias: bool | None = None,
        add_bias_kv: bool | None = None,
    ) -> None:
        if num_heads < 1 or embed_dim % num_heads:
            raise ParameterError("num_heads", f"a divisor of embed_dim = {embed_dim}", repr(num_heads))
        self.widths = (kdim or embed_dim, vdim or embed_dim)
        joint = (None,) * 3 if in_proj_weight is None else np.split(in_proj_weight, 3)
        one = [w if w is not None else j for w, j in zip((q_proj_weight, k_proj_weight, v_proj_weight), joint)]
        for name, weight, size in zip("qkv", one, (embed_dim, *self.widths)):
            if weight is None or weight.shape != (embed_dim, size):
                found = "none" if weight is None else str(weight.shape)
                raise ParameterError(f"in_proj_weight or {name}_proj_weight", f"({embed_dim}, {size})", found)
        self.projections: list[Any] = one
        self.biases: Any = (None,) * 3 if in_proj_bias is None else np.split(in_proj_bias, 3)
        self.out_weight, self.out_bias = out_proj_weight, out_proj_bias
        self.bias_k, self.bias_v, self.add_zero_attn = bias_k, bias_v, add_zero_attn
        self.num_heads, self.batch_first = num_heads, batch_first
        self.roles: Roles = ROLES
        self.returns: tuple[str, ...] = ("output", "weights")

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """The layer for `operator`; which input and output is what, is found out from the graph."""
        layer = super().from_operator(operator)
        assert isinstance(layer, cls)
        layer.roles = roles_of(operator, layer.num_heads, layer.widths, layer.batch_first)
        layer.returns = returns_of(operator, operator.inputs[layer.roles.index("query")].shape)
        return layer

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Four projections with bias, and the attention between them."""
        given = {role: shape for role, shape in zip(self.roles, inputs) if role is not None}
        query = known(given["query"])
        key = known(given.get("key", query))
        value = known(given.get("value", key))
        embed, rows = query[-1], math.prod(query[:-1])
        projections = sum(math.prod(x[:-1]) * embed * (2 * x[-1] + 1) for x in (query, key, value, query))
        sequence = key[-2] if len(key) == 2 or self.batch_first else key[0]
        return projections + rows * sequence * (4 * embed + 6 * self.num_heads)

    def forward(self, *inputs: np.ndarray) -> Any:
        """Attend: the output and the weights, a mean over the heads, or what else `returns` says."""
        given = {role: x for role, x in zip(self.roles, inputs) if role is not None}
        query = given["query"]
        key = given.get("key", query)
        sequences = [query, key, given.get("value", key)]
        check_dtype("MultiheadAttention", query, "f", *sequences[1:], *self.projections)
        batched = query.ndim == 3
        if query.ndim not in (2, 3) or any(x.ndim != query.ndim for x in sequences):
            raise RankError("MultiheadAttention", "query, key and value of 2 or 3 axes", [x.shape for x in sequences])
        if not batched:
            sequences = [x[None] for x in sequences]
        elif not self.batch_first:
            sequences = [x.swapaxes(0, 1) for x in sequences]
        y, weights = self._attend([single(x) for x in sequences], given)
        if not batched:
            y, weights = y[0], weights[0]
        elif not self.batch_first:
            y = y.swapaxes(0, 1)
        y, weights = y.astype(query.dtype, copy=False), weights.astype(query.dtype, copy=False)
        results = {"output": y, "weights of each head": weights}
        if "weights" in self.returns:
            results["weights"] = weights.mean(-3)
        found = tuple(results[name] for name in self.returns)
        return found if len(found) > 1 else found[0]

    def _attend(self, sequences: list[np.ndarray], given: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(N, L, E), (N, S, kdim), (N, S, vdim) -> (N, L, E) and the weights (N, heads, L, S)."""
        n, length, embed = sequences[0].shape
        mask = self._mask(given, n, length, sequences[1].shape[1])
        q, k, v = (
            x @ single(w).T if b is None else x @ single(w).T + b
            for x, w, b in zip(sequences, self.projections, self.biases)
        )
        k, v = self._more_positions(k, self.bias_k), self._more_positions(v, self.bias_v)
        if mask is not None:
            mask = np.pad(mask, [(0, 0)] * 3 + [(0, k.shape[1] - mask.shape[-1])])
        q, k, v = (x.reshape(n, -1, self.num_heads, embed // self.num_heads).swapaxes(1, 2) for x in (q, k, v))
        weights = attention_weights(q, k, mask, 1 / math.sqrt(embed // self.num_heads))
        if mask is not None and self.returns == ("output",):
            # as PyTorch has it: a position that may see nothing gives NaN where the weights are asked for, else zeros
            weights = np.where((mask == -np.inf).all(-1, keepdims=True), weights.dtype.type(0), weights)
        y = (weights @ v).swapaxes(1, 2).reshape(n, length, embed) @ single(self.out_weight).T
        if self.out_bias is not None:
            y += self.out_bias
        return y, weights

    def _more_positions(self, x: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        """(N, S, E) -> (N, S', E): x, then bias_k or bias_v, then zeros, where there are such."""
        n, _, embed = x.shape
        parts = [x]
        if bias is not None:
            parts.append(np.broadcast_to(single(bias), (n, 1, embed)))
        if self.add_zero_attn:
            parts.append(np.zeros((n, 1, embed), x.dtype))
        return np.concatenate(parts, axis=1) if len(parts) > 1 else x

    def _mask(self, given: dict[str, np.ndarray], n: int, length: int, source: int) -> np.ndarray | None:
        """The masks as one array (1 or N, 1 or heads, 1 or L, S) to add to the scores, or None."""
        heads = self.num_heads
        layouts = {
            "attn_mask": {
                (length, source): (1, 1, length, source),
                (n * heads, length, source): (n, heads, length, source),
            },
            "key_padding_mask": {(n, source): (n, 1, 1, source), (source,): (1, 1, 1, source)},
        }
        total: np.ndarray | None = None
        for role, mask in given.items():
            if role == "mask":
                role = mask_role(mask.shape, n, length, source)
            if role == "mask":  # N = L: booleans usually mark padding, and the file calls it attn_mask otherwise
                role = "key_padding_mask" if mask.dtype == bool else "attn_mask"
            if role not in layouts:
                continue
            layout = layouts[role].get(mask.shape)
            if layout is None:
                raise ShapeError(f"MultiheadAttention {role}", " or ".join(map(str, layouts[role])), mask.shape)
            if mask.dtype.kind not in "bf":
                raise InferError(f"MultiheadAttention {role}: expected bool or float, found {mask.dtype}")
            number = np.where(mask, np.float32(-np.inf), np.float32(0)) if mask.dtype == bool else mask
            total = number.reshape(layout) if total is None else total + number.reshape(layout)
        return total


def roles_of(operator: Operator, num_heads: int, widths: Sequence[int], batch_first: bool) -> Roles:
    """What each input of an exported nn.MultiheadAttention is, which only shapes and types tell.

    PNNX writes an attention's inputs in the order in which PyTorch first touched them: a mask of booleans may come
    before the query, weights shared with another module come along, and the last input bears the name $attn_mask
    whatever it is:

        nn.MultiheadAttention  a  2 1 5 0 6 ... $attn_mask=0 #5=(3,5)bool #0=(3,5,8)f32     5 is key_padding_mask
        nn.MultiheadAttention  a  2 1 0 4 5 ... $attn_mask=4 #0=(3,5,8)f32 #4=(3,5)f32      4 is key_padding_mask
        nn.MultiheadAttention  a  2 1 3 0 6 ... #3=(24,8)f32 #0=(3,5,8)f32                  3 is in_proj_weight

    One role per slot: one of ROLES; "mask" for a mask that only the running network shows to be one or the other;
    None for a shared weight, which the operator holds as its own too. `widths` are kdim and vdim.
    """
    operands, names = operator.inputs, operator.input_names
    weights = {attribute.shape for attribute in operator.attributes.values()}
    slots = [
        slot
        for slot, operand in enumerate(operands)
        if names[slot] is not None
        or operand.shape not in weights
        or operand.producer is None
        or operand.producer.type != "pnnx.Attribute"
    ]
    boolean = {slot for slot in slots if (dtype := operands[slot].dtype) is not None and dtype.code == "bool"}
    if len(boolean) == len(slots):
        raise InputCountError("nn.MultiheadAttention: expected a query, found none")
    first, *others = [slot for slot in slots if slot not in boolean]
    query = operands[first].shape
    n, length = sizes(query, batch_first)

    def is_mask(slot: int) -> bool:
        shape, named = operands[slot].shape, names[slot] == "attn_mask"
        if shape is None or query is None:
            return named
        if len(shape) != len(query) or shape[-1] not in widths:
            return True
        return named and (not boolean or shape[0] == n * num_heads)

    masks = [slot for slot in slots if slot in boolean or (slot in others and is_mask(slot))]
    sequences = [first] + [slot for slot in others if slot not in masks]
    _, source = sizes(operands[sequences[min(1, len(sequences) - 1)]].shape, batch_first)
    found: dict[int, str] = dict(zip(sequences, ROLES))
    found |= {slot: mask_role(operands[slot].shape, n, length, source) for slot in masks}
    if len(masks) == 2:
        found |= dict(zip(masks, _tell_apart(found[masks[0]], found[masks[1]], masks[0] in boolean)))
    return tuple(found.get(slot) for slot in range(len(operands)))


def returns_of(operator: Operator, query: Shape | None) -> tuple[str, ...]:
    """What each output operand is: "output", which has the query's shape, "weights" or "weights of each head".

    They come in the order in which they are used, and those that nobody uses are missing.
    """
    first = ["output", "weights"]
    shapes = [operand.shape for operand in operator.outputs]
    if query is None or None in shapes:
        return tuple(first[: len(shapes)])
    if len(shapes) == 2 and shapes[1] == query != shapes[0]:
        first.reverse()
    elif len(shapes) == 1 and shapes[0] != query:
        first = ["weights"]
    each = [shape is not None and len(shape) == len(query) + 1 for shape in shapes]
    return tuple("weights of each head" if heads else name for name, heads in zip(first, each))


def mask_role(shape: Shape | None, n: int, length: int, source: int) -> str:
    """The role of a mask of this shape beside N sequences of L and S positions; "mask" when it may be either.

    >>> mask_role((5, 5), 3, 5, 5), mask_role((3, 5), 3, 5, 5), mask_role((5, 5), 5, 5, 5)
    ('attn_mask', 'key_padding_mask', 'mask')
    """
    if shape is None or len(shape) > 2:
        return "attn_mask"
    if len(shape) < 2:
        return "key_padding_mask"
    fits = [role for role, rows in (("attn_mask", length), ("key_padding_mask", n)) if shape == (rows, source)]
    return fits[0] if len(fits) == 1 else "mask"


def _tell_apart(first: str, second: str, first_is_boolean: bool) -> tuple[str, str]:
    """The roles of two masks: they differ. PyTorch touches the padding first among booleans, last among numbers."""
    attn, padding = "attn_mask", "key_padding_mask"
    attn_first = not first_is_boolean if first == second else (first == attn or second == padding)
    return (attn, padding) if attn_first else (padding, attn)


def sizes(sequence: Shape | None, batch_first: bool) -> tuple[int, int]:
    """(N, length) of a sequence of this shape; without batch axis N = 1; -1 for what is not known."""
    if sequence is None or len(sequence) < 2:
        return -1, -1
    if len(sequence) == 2:
        return 1, sequence[0]
    return (sequence[0], sequence[1]) if batch_first else (sequence[1], sequence[0])
