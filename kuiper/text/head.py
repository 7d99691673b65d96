"""The scores of the last token alone: all that a text which goes on needs of a pass over many tokens."""

from __future__ import annotations

from collections.abc import Container

from kuiper.graph import Graph, Operand, Operator, Parameter
from kuiper.graph.operator import copied_operators
from kuiper.quantize.network import kind_of

HEAD = "linear"
"""The kind of operator, module or function, that makes scores of each token's vector for itself."""
_TO_THE_END = 2**63 - 1  # as PNNX writes the end of an open slice


def last_scores(graph: Graph) -> Graph:
    """A language model's graph with logits (N,T,V) -> one with logits (N,1,V), of the last of the T tokens.

    The product that makes the scores gets the last row alone: of a hundred tokens, it then takes a hundredth of the
    work and the memory. Operators are copied, weights are shared. A graph whose scores something else makes stays as
    it is.

    >>> from kuiper import pnnx
    >>> graph = last_scores(pnnx.read("models/writer/writer.pnnx.param"))
    >>> graph.operator("head").inputs[0].producer.type
    'Tensor.slice'
    """
    made = Graph(copied_operators(graph), warnings=list(graph.warnings)).connect()
    head = _head(made)
    if head is None:
        return made
    slot, logits = _rows_of(head), head.outputs[0]
    x = head.inputs[slot]
    last = Operand(_unused("last_row", made.operands), x.shape and (*x.shape[:-2], 1, x.shape[-1]), x.dtype)
    logits.shape = logits.shape and (*logits.shape[:-2], 1, logits.shape[-1])
    where = {"dim": 1, "start": -1, "end": _TO_THE_END, "step": 1}
    options = {key: Parameter.of(value) for key, value in where.items()}
    name = _unused("last_row", {op.name for op in made})
    cut = Operator("Tensor.slice", name, [x], [last], ["input"], options)
    head.inputs[slot] = last
    made.operators.insert(made.operators.index(head), cut)
    return made.connect()


def _head(graph: Graph) -> Operator | None:
    """What makes the first of the outputs, if that is a head, nothing else reads the scores, and rows are (N,T,C)."""
    scores = graph.outputs[0]
    while scores.producer is not None and scores.producer.type == "prim::TupleConstruct":
        scores = scores.producer.inputs[0]
    head = scores.producer
    if head is None or kind_of(head) != HEAD or len(scores.consumers) != 1:
        return None
    slot = _rows_of(head)
    if head.input_names[slot] not in (None, "input"):
        return None
    shape = head.inputs[slot].shape or scores.shape
    return head if shape is not None and len(shape) == 3 else None


def _rows_of(head: Operator) -> int:
    """The slot of the tokens' vectors: PNNX puts a table that the head shares with the embedding before them."""
    slots = [slot for slot, operand in enumerate(head.inputs) if not _is_stored(operand)]
    return slots[0] if slots else 0


def _is_stored(operand: Operand) -> bool:
    return operand.producer is not None and operand.producer.type == "pnnx.Attribute"


def _unused(name: str, taken: Container[str]) -> str:
    """The name, lengthened until nothing is called so."""
    while name in taken:
        name += "_"
    return name
