"""A conversation with a language model: what was said stays read, and only what is new is computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError
from kuiper.runtime import RuntimeGraph
from kuiper.text.cache import PIECE, Cache, read
from kuiper.text.sampling import Sampler
from kuiper.text.template import ChatTemplate, Message
from kuiper.text.vocabulary import Vocabulary, prompt_tokens
from kuiper.text.writing import ROOM, scores_of

SPARE = 4
"""A part in so many of the context is kept free for an answer, where it is not asked for less."""


class Reader:
    """A text that the network has read, of which the end may be taken back.

    words : its tokens; the cache holds their keys and values.
    kept : how many of them were there before the last `read`.
    """

    def __init__(self, graph: RuntimeGraph, room: int) -> None:
        self.graph, self.cache = graph, Cache.of(graph, room)
        self.words: list[int] = []
        self.kept = 0

    def read(self, words: Sequence[int], is_stopped: Callable[[], bool] = lambda: False) -> np.ndarray | None:
        """Make the text these tokens -> (V,), the scores of what follows; None if it was stopped on the way.

        What they have in common with the text so far is not computed again, but for the last of them. Raises as
        `forward`; the text is then what was read.
        """
        self.kept = common_prefix(self.words, words[:-1])
        self.cache.count = self.kept
        del self.words[self.kept :]
        logits = None
        for start in range(self.kept, len(words), PIECE):
            if is_stopped():
                return None
            logits = self.append(words[start : start + PIECE])
        return logits

    def append(self, words: Sequence[int]) -> np.ndarray:
        """Read further tokens -> (V,), the scores of what follows. Raises as `forward`."""
        logits = read(self.graph, words, self.cache)
        self.words += words
        return logits


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts have in common at their beginning.

    >>> common_prefix([1, 2, 3, 4], [1, 2, 4])
    2
    """
    return next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


@dataclass
class Reply:
    """What became of one message.

    text : the answer.
    end : why it ended: "stop", the network said so; "length", it had as many tokens as were asked for; "full", the
        context; "stopped", by the user.
    dropped : earlier messages that were left out, since the context was full.
    kept, read, written : tokens that had been read before, that were read, and that were written.
    read_seconds, write_seconds : how long that took.
    """

    text: str = ""
    end: str = "stop"
    dropped: int = 0
    kept: int = 0
    read: int = 0
    written: int = 0
    read_seconds: float = 0.0
    write_seconds: float = 0.0


class Chat:
    """A conversation.

    Parameters
    ----------
    graph : a network with the inputs and outputs of models/writer.
    tokens, template : those of the network; without a template messages and answers are one text.
    room : tokens that fit into the context.
    sampler, random : how to choose a token, and what choices are drawn from.
    stop : tokens that end an answer.
    system : a message that stays at the beginning.
    is_stopped : asked after each token and each piece of a message; whether the user has had enough of this answer.

    Raises as `Cache.of`.

    >>> import kuiper
    >>> from kuiper.text import Tokens
    >>> graph, tokens = kuiper.load("models/writer/writer.pnnx.param"), Tokens.load("models/writer/tokens.json")
    >>> Chat(graph, tokens, sampler=Sampler(temperature=0)).say("The class", 3).text
    ' definition'
    """

    def __init__(
        self,
        graph: RuntimeGraph,
        tokens: Vocabulary,
        template: ChatTemplate | None = None,
        *,
        room: int = ROOM,
        sampler: Sampler | None = None,
        random: np.random.Generator | None = None,
        stop: Collection[int] = (),
        system: str | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.tokens, self.template, self.stop, self.is_stopped = tokens, template, frozenset(stop), is_stopped
        self.sampler, self.random = sampler or Sampler(), random or np.random.default_rng(0)
        self.reader = Reader(graph, room)
        self.messages: list[Message] = [] if system is None else [{"role": "system", "content": system}]
        self._first = len(self.messages)

    @property
    def room(self) -> int:
        """Tokens that fit into the context."""
        return self.reader.cache.room

    def say(self, text: str, most: int, show: Callable[[str], None] = lambda piece: None) -> Reply:
        """The answer to a message, of at most `most` tokens; `show` is called with each piece as it is written.

        Where the context is full, the oldest messages are left out, and the conversation goes on without them.

        Raises KuiperError for a message that does not fit by itself, and as template, tokens and network do; the
        conversation is then as before.
        """
        before = list(self.messages)
        self.messages.append({"role": "user", "content": text})
        reply = Reply()
        try:
            words, reply.dropped = self._fitting(most)
            del self.messages[self._first : self._first + reply.dropped]
            for piece in self.tokens.stream(self._answer(words, most, reply)):
                reply.text += piece
                show(piece)
        except KuiperError:
            self.messages = before
            raise
        self.messages.append({"role": "assistant", "content": reply.text})
        return reply

    def _answer(self, words: list[int], most: int, reply: Reply) -> Iterator[int]:
        """The tokens of the answer; what becomes of it is noted in `reply`."""
        reader, started = self.reader, time.perf_counter()
        logits = reader.read(words, self.is_stopped)
        reply.kept, reply.read = reader.kept, len(reader.words) - reader.kept
        reply.read_seconds = time.perf_counter() - started
        started = time.perf_counter()
        reply.end = "stopped"
        while logits is not None and not self.is_stopped():
            token = self.sampler(scores_of(logits, self.tokens), self.random)
            if token in self.stop:
                reply.end = "stop"
                return
            reply.written += 1
            reply.write_seconds = time.perf_counter() - started
            yield token
            if reply.written == most or len(reader.words) == self.room:
                reply.end = "length" if reply.written == most else "full"
                return
            logits = reader.append([token])

    def _fitting(self, most: int) -> tuple[list[int], int]:
        """The conversation in tokens, and how many of the oldest messages had to go for an answer to fit, too.

        What is left is read anew, so enough of them go for half of the context to be free.
        """
        system, rest = self.messages[: self._first], self.messages[self._first :]
        words = self._tokens_of(self._texts([self.messages])[0])
        if len(words) + min(most, max(1, self.room // SPARE)) <= self.room:
            return words, 0
        drops = range(2, len(rest), 2)
        shorter = zip(self._texts([[*system, *rest[drop:]] for drop in drops]), drops)
        left = [(words, 0), *((self._tokens_of(text), drop) for text, drop in shorter)]
        words, drop = next((one for one in left if len(one[0]) <= self.room // 2), left[-1])
        if len(words) > self.room:
            expected = f"at most {self.room} tokens, the context, with the system's message and what stands around it"
            raise KuiperError(f"message: expected {expected}, found {len(words)}")
        return words, drop

    def _texts(self, conversations: list[list[Message]]) -> list[str]:
        """Each conversation as a text."""
        if self.template is not None:
            return self.template.render(conversations) if conversations else []  # starts a process
        return [
            "".join(one["content"] + "\n" * (one["role"] != "user") for one in conversation)
            for conversation in conversations
        ]

    def _tokens_of(self, text: str) -> list[int]:
        """A conversation's tokens; a template says itself what a text begins with."""
        words = prompt_tokens(self.tokens, text) if self.template is None else self.tokens.encode(text)
        if not words:
            raise KuiperError("message: expected at least one token, found an empty text")
        return words
