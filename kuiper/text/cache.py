"""What a language model keeps of the tokens that it has read, so that the next one costs a single short pass."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.graph import shape_text
from kuiper.layers.sequence.attention import ScaledDotProductAttention
from kuiper.runtime import RuntimeGraph

FORM = "words (N,T), keys and values (layers,N,heads,places,width), count (1), as models/writer has them"
OUTPUTS = "logits (N,T,V), keys and values of the T tokens"
PIECE = 128
"""Tokens of a long text that are read in one pass, at most."""
PLANNED = (PIECE, 16)
"""Tokens of passes for which machine code is made: a text is cut into such pieces, as messages have all lengths."""
FEW = 8
"""Tokens at the end of a text that are read one by one, if there is machine code for that."""
MOST_PLACES = 4096
"""Of a cache whose places machine code all looks at, in use or not, for more tokens than one."""


@dataclass
class Cache:
    """Keys and values (layers, 1, heads, room, width), of which the first `count` places are in use.

    The memory is reserved at once, and never moved.
    """

    keys: np.ndarray
    values: np.ndarray
    count: int = 0

    @classmethod
    def of(cls, graph: RuntimeGraph, room: int) -> Cache:
        """The empty cache for one text of at most `room` tokens.

        Raises ShapeError for a network whose inputs are not those of FORM, KuiperError for a room below 1, and for one
        that memory does not hold.
        """
        if room < 1:
            raise KuiperError(f"room: expected at least 1 token, found {room}")
        shapes = [operand.shape for operand in graph.inputs]
        found = " and ".join("?" if shape is None else shape_text(shape) for shape in shapes) or "none"
        known = [shape or () for shape in shapes]
        if [len(shape) for shape in known] != [2, 5, 5, 1] or known[1] != known[2]:
            raise ShapeError("the inputs of a language model", FORM, found)
        layers, batch, heads, places, width = known[1]
        if min(layers, heads, width) < 1 or batch > 1 or (places > 0 and places != room):
            raise ShapeError("the inputs of a language model", f"{FORM}, for one text and {room} places", found)
        shape = layers, 1, heads, room, width
        try:
            return cls(np.zeros(shape, np.float32), np.zeros(shape, np.float32))
        except (MemoryError, ValueError):  # ValueError: more bytes than an address can count
            size = 8 * math.prod(shape) / 2**30
            found = f"{room}, whose keys and values take {size:,.0f} GiB"
            raise KuiperError(f"room: expected a number of tokens that memory holds, found {found}") from None

    @property
    def room(self) -> int:
        """How many tokens fit."""
        return self.keys.shape[3]

    def places(self, count: int) -> tuple[None, np.ndarray, np.ndarray]:
        """Where a pass that reads `count` further tokens shall put its outputs: new keys and values behind the others.

        They are in the cache when `count` has grown by so many.
        """
        seen = slice(self.count, self.count + count)
        return None, self.keys[:, :, :, seen], self.values[:, :, :, seen]

    def append(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Write those of T further tokens, (layers, 1, heads, T, width), behind the others; raises ShapeError."""
        end = self.count + (keys.shape[3] if keys.ndim == 5 else 0)
        places = self.keys[:, :, :, self.count : end]
        if keys.shape != values.shape or keys.shape != places.shape:
            wanted = f"(layers,1,heads,T,width) that fit into {shape_text(self.keys.shape)} from place {self.count} on"
            raise ShapeError("new keys and values", wanted, f"{shape_text(keys.shape)} and {shape_text(values.shape)}")
        places[...] = keys
        self.values[:, :, :, self.count : end] = values
        self.count = end


def forward(graph: RuntimeGraph, words: Sequence[int], cache: Cache, *, planned: bool = True) -> np.ndarray:
    """T further tokens of a text -> (T, V): the scores of what follows each; the cache then holds them too.

    planned : False: the layers compute, as RuntimeGraph.forward says; True: where there is no plan yet. They look only
        at the places in use; a plan, for which all passes have to be alike, gets the whole cache.

    Raises KuiperError when they do not fit into the room, ShapeError for outputs of another form.
    """
    return _pass(graph, words, cache, (len(words),), planned)


def _pass(graph: RuntimeGraph, words: Sequence[int], cache: Cache, rows: Collection[int], planned: bool) -> np.ndarray:
    """As forward; `rows` says for how many tokens scores may come."""
    if not 1 <= len(words) <= cache.room - cache.count:
        raise KuiperError(f"words: expected 1 to {cache.room - cache.count} tokens (room left), found {len(words)}")
    text, count = np.array([words]), np.array([cache.count])
    places = cache.places(len(words))
    planned = planned and graph.prepare(text, cache.keys, cache.values, count, into=places)
    shape = graph.inputs[1].shape
    seen = slice(max(1, cache.count) if not planned and shape is not None and shape[3] < 0 else None)
    inputs = text, cache.keys[:, :, :, seen], cache.values[:, :, :, seen], count
    try:
        outputs = graph(*inputs, into=places) if planned else graph(*inputs, planned=False)
    except ShapeError as error:
        if not error.what.startswith("into"):
            raise
        raise ShapeError("the outputs of a language model", OUTPUTS, f"others ({error})") from error
    if len(outputs) != 3 or outputs[0].ndim != 3 or outputs[0].shape[0] != 1 or outputs[0].shape[1] not in rows:
        found = " and ".join(shape_text(x.shape) for x in outputs)
        raise ShapeError("the outputs of a language model", OUTPUTS, found)
    if outputs[1] is places[1] and outputs[2] is places[2]:
        cache.count += len(words)
    else:
        cache.append(outputs[1], outputs[2])
    for operand in getattr(graph, "outputs", ()):  # what stands in for a graph may have none
        operand.data = None  # the cache has them now
    return outputs[0][0]


def read(graph: RuntimeGraph, words: Sequence[int], cache: Cache) -> np.ndarray:
    """T further tokens, in passes of at most PIECE -> (V,), the scores of what follows the last. Else as forward.

    A single token is read by a plan. More are read by machine code where there is some for pieces of their number, else
    by the layers: a plan takes longer to make than a message to read. Graphs that `last_scores` made are enough.
    """
    if not 1 <= len(words) <= cache.room - cache.count:
        raise KuiperError(f"words: expected 1 to {cache.room - cache.count} tokens (room left), found {len(words)}")
    rest = words
    while rest:
        count, planned = _next_pass(graph, rest, cache)
        logits = _pass(graph, rest[:count], cache, (1, count), planned)
        rest = rest[count:]
    return logits[-1]


def _next_pass(graph: RuntimeGraph, words: Sequence[int], cache: Cache) -> tuple[int, bool]:
    """How many of the tokens to read next, and whether a plan does."""
    if len(words) == 1:
        return 1, True
    sizes = [size for size in PLANNED if size <= len(words) and cache.room <= MOST_PLACES]
    for size in sizes or [1] * (len(words) <= FEW):
        inputs = np.array([words[:size]]), cache.keys, cache.values, np.array([cache.count])
        if graph.prepare(*inputs, only_code=True, into=cache.places(size)):
            return size, True
    return min(len(words), PIECE), False


def results_of(graph: RuntimeGraph, words: Sequence[int]) -> dict[str, np.ndarray]:
    """Operator name -> what it makes of a text of T tokens that is read at once, without the batch axis.

    The cache is empty, with room for one token. Results that are no arrays, or have no batch of one, are left out.
    Raises as `Cache.of` and the network do.
    """
    empty = Cache.of(graph, 1)
    kept = graph.forward(np.array([words]), empty.keys, empty.values, np.array([0]), keep=True).kept
    return {name: made[0] for name, made in kept.items() if isinstance(made, np.ndarray) and made.shape[:1] == (1,)}


def attention_of(
    graph: RuntimeGraph, words: Sequence[int], block: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """T tokens -> a block's queries (H,T,D), keys and values (G,T,D), and what its attention makes of them (H,T,D).

    The text is read at once, as by `results_of`. Queries and keys are as attention gets them, after the rotation by
    their places. H is a multiple of G: with grouped queries, several heads of queries share the keys of one.
    Raises KuiperError where there is no such block (the first is 0), and what `results_of` raises.
    """
    found = [op for op in graph.operators if getattr(op.layer, "kind", type(op.layer)) is ScaledDotProductAttention]
    if not 0 <= block < len(found):
        raise KuiperError(f"block: expected one of the {len(found)} with attention, from 0 on, found {block}")
    made = results_of(graph, words)
    # before the keys and values of the text are the places of the cache
    q, k, v = (made[source.name][:, -len(words) :] for source in found[block].producers[:3])
    return q, k, v, made[found[block].name]
