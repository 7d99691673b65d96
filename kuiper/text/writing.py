"""A prompt in, the text that follows out, piece by piece as it is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.runtime import RuntimeGraph
from kuiper.text.cache import Cache, read
from kuiper.text.sampling import Choice, Sampler
from kuiper.text.vocabulary import Vocabulary

ROOM = 192
"""Tokens that the network sees at most: as many as each piece of text had that models/writer was trained on."""


def write(
    graph: RuntimeGraph,
    tokens: Vocabulary,
    prompt: str | Sequence[int],
    count: int,
    *,
    sampler: Choice | None = None,
    random: np.random.Generator | None = None,
    room: int = ROOM,
    stop: Collection[int] = (),
) -> Iterator[str]:
    """The text of `count` further tokens, without the prompt, as pieces of whole characters.

    A character's bytes wait for its last one; bytes at the end that are no character become U+FFFD.
    When the room is full, the last half of its tokens is read again as the beginning of a new text, and writing goes
    on: the network forgets what stood before.

    Parameters
    ----------
    graph : a network with the inputs and outputs of models/writer.
    prompt : a text or its tokens; at least one token, at most `room`.
    sampler : how to choose; by default each token as often as the network finds it probable.
    random : what choices are drawn from; by default seeded with 0, so that the same call writes the same.
    room : tokens that the network sees at most.
    stop : tokens that end the text before it has `count`; they are not shown.

    Raises, before anything is written, KuiperError for a prompt, count or room that does not fit and ShapeError for a
    network of another form; then ShapeError when it has not one score for each token.

    >>> import kuiper
    >>> from kuiper.text import Tokens
    >>> graph, tokens = kuiper.load("models/writer/writer.pnnx.param"), Tokens.load("models/writer/tokens.json")
    >>> list(write(graph, tokens, "The class", 3, sampler=Sampler(temperature=0)))
    [' defin', 'i', 'tion']
    """
    words = tokens.encode(prompt) if isinstance(prompt, str) else list(prompt)
    if not words:
        raise KuiperError("prompt: expected at least one character, found an empty text")
    cache = Cache.of(graph, room)
    if len(words) > room:
        raise KuiperError(f"prompt: expected at most {room} tokens, the network's room, found {len(words)}")
    if count < 0:
        raise KuiperError(f"count: expected at least 0 tokens, found {count}")
    return tokens.stream(_write(graph, tokens, words, count, cache, sampler or Sampler(), random, stop))


def _write(
    graph: RuntimeGraph,
    tokens: Vocabulary,
    words: list[int],
    count: int,
    cache: Cache,
    sampler: Choice,
    random: np.random.Generator | None,
    stop: Collection[int],
) -> Iterator[int]:
    """The tokens, one after the other."""
    random = random or np.random.default_rng(0)
    recent = deque(words, maxlen=max(1, cache.room // 2))
    for _ in range(count):
        if cache.count + len(words) > cache.room:
            cache.count, words = 0, list(recent)
        logits = read(graph, words, cache)
        words = [sampler(scores_of(logits, tokens), random)]
        if words[0] in stop:
            return
        recent += words
        yield words[0]


def scores_of(logits: np.ndarray, tokens: Vocabulary) -> np.ndarray:
    """(V,) -> the scores of the tokens that there are. Raises ShapeError when there is not one for each."""
    if len(logits) < len(tokens) or (len(logits) > len(tokens) and not tokens.may_be_padded):
        raise ShapeError("logits", f"one for each of {len(tokens)} tokens", f"{len(logits)}")
    return logits[: len(tokens)]
