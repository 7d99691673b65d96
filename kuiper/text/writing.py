"""A prompt in, the text that follows out, piece by piece as it is written."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.runtime import RuntimeGraph
from kuiper.text.cache import Cache, forward
from kuiper.text.sampling import Sampler
from kuiper.text.tokens import Tokens

ROOM = 192
"""Tokens that the network sees at most: as many as each piece of text had that models/writer was trained on."""


def write(
    graph: RuntimeGraph,
    tokens: Tokens,
    prompt: str,
    count: int,
    *,
    sampler: Sampler | None = None,
    random: np.random.Generator | None = None,
    room: int = ROOM,
) -> Iterator[str]:
    """The text of `count` further tokens, without the prompt, as pieces of whole characters.

    A character's bytes wait for its last one; bytes at the end that are no character become U+FFFD.
    When the room is full, the last half of its tokens is read again as the beginning of a new text, and writing goes
    on: the network forgets what stood before.

    Parameters
    ----------
    graph : a network with the inputs and outputs of models/writer.
    prompt : at least one token, at most `room`.
    sampler : how to choose; by default each token as often as the network finds it probable.
    random : what choices are drawn from; by default seeded with 0, so that the same call writes the same.
    room : tokens that the network sees at most.

    Raises, before anything is written, KuiperError for a prompt, count or room that does not fit and ShapeError for a
    network of another form; then ShapeError when it has not one score for each token.

    >>> import kuiper
    >>> graph, tokens = kuiper.load("models/writer/writer.pnnx.param"), Tokens.load("models/writer/tokens.json")
    >>> list(write(graph, tokens, "The class", 3, sampler=Sampler(temperature=0)))
    [' defin', 'i', 'tion']
    """
    words = tokens.encode(prompt)
    if not words:
        raise KuiperError("prompt: expected at least one character, found an empty text")
    cache = Cache.of(graph, room)
    if len(words) > room:
        raise KuiperError(f"prompt: expected at most {room} tokens, the network's room, found {len(words)}")
    if count < 0:
        raise KuiperError(f"count: expected at least 0 tokens, found {count}")
    return _characters(tokens, _write(graph, len(tokens), words, count, cache, sampler or Sampler(), random))


def _write(
    graph: RuntimeGraph,
    vocabulary: int,
    words: list[int],
    count: int,
    cache: Cache,
    sampler: Sampler,
    random: np.random.Generator | None,
) -> Iterator[int]:
    """The tokens, one after the other."""
    random = random or np.random.default_rng(0)
    recent = deque(words, maxlen=max(1, cache.room // 2))
    for _ in range(count):
        if cache.count + len(words) > cache.room:
            cache.count, words = 0, list(recent)
        logits = forward(graph, words, cache)
        if logits.shape[1] != vocabulary:
            raise ShapeError("logits", f"one for each of {vocabulary} tokens", f"{logits.shape[1]}")
        words = [sampler(logits[-1], random)]
        recent += words
        yield words[0]


def _characters(tokens: Tokens, written: Iterator[int]) -> Iterator[str]:
    """What the tokens add to the text, in whole characters."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for token in written:
        if text := decoder.decode(tokens.pieces[token]):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text
