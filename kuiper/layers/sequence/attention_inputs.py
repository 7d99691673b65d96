"""Which input and output of an exported nn.MultiheadAttention is what.

PNNX writes an attention's inputs in the order in which PyTorch first touched them: a mask of booleans may come before
the query, weights shared with another module come along, and the last input bears the name $attn_mask whatever it is:

    nn.MultiheadAttention  attention  2 1 5 0 6 ... $attn_mask=0 #5=(3,5)bool #0=(3,5,8)f32     5 is key_padding_mask
    nn.MultiheadAttention  attention  2 1 0 4 5 ... $attn_mask=4 #0=(3,5,8)f32 #4=(3,5)f32      4 is key_padding_mask
    nn.MultiheadAttention  attention  2 1 3 0 6 ... #3=(24,8)f32 #0=(3,5,8)f32                  3 is in_proj_weight

The outputs come in the order in which they are used, and those that nobody uses are missing. Only shapes and types
tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from kuiper.errors import InputCountError
from kuiper.graph import Operator, Shape

Roles = tuple[str | None, ...]
ROLES = ("query", "key", "value", "attn_mask", "key_padding_mask")
"""What the inputs are when nothing else is known."""


def roles_of(operator: Operator, num_heads: int, widths: Sequence[int], batch_first: bool) -> Roles:
    """One role per slot: one of ROLES; "mask" for a mask that only the running network shows to be one or the other;
    None for a shared weight, which the operator holds as its own too. `widths` are kdim and vdim.
    """
    operands, names = operator.inputs, operator.input_names
    weights = {attribute.shape for attribute in operator.attributes.values()}
    slots = [
        slot
        for slot, producer in enumerate(operator.producers)
        if producer.type != "pnnx.Attribute" or names[slot] is not None or operands[slot].shape not in weights
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
    """What each output operand is: "output", which has the query's shape, "weights" or "weights of each head"."""
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
    decided = {first, second} - {"mask"}
    if len(decided) == 1 and "mask" in (first, second):
        swap = (first == attn) or (second == padding)
        return (attn, padding) if swap else (padding, attn)
    if len(decided) == 2:
        return first, second
    return (padding, attn) if first_is_boolean else (attn, padding)


def sizes(sequence: Shape | None, batch_first: bool) -> tuple[int, int]:
    """(N, length) of a sequence of this shape; without batch axis N = 1; -1 for what is not known."""
    if sequence is None or len(sequence) < 2:
        return -1, -1
    if len(sequence) == 2:
        return 1, sequence[0]
    return (sequence[0], sequence[1]) if batch_first else (sequence[1], sequence[0])
