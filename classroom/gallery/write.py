"""A small Llama continues a text, token by token, in the style of Python's documentation."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.terminal import Typewriter
from classroom.page import say, styled
from kuiper.errors import KuiperError
from kuiper.runtime import RuntimeGraph
from kuiper.text import Cache, Sampler, Tokens, forward, probabilities, top_p, write

PROMPT = "The function returns"
TOKENS, STUDENT_TOKENS = 100, 24
"""Tokens to generate; with a student's code."""
TEMPERATURE, TOP_P, SEED = 0.7, 0.9, 1
STUDENT_CONTEXT = 33
"""Tokens of held-out text that a student's code reads."""


@dataclass(frozen=True)
class GenerationRequest:
    """Prompt and sampling parameters."""

    prompt: str
    tokens: int
    temperature: float
    top_p: float
    seed: int


class Choice(Sampler):
    """Temperature, then the pipeline's `top_p`."""

    def __init__(self, pipeline: Pipeline, temperature: float, p: float) -> None:
        super().__init__(temperature=temperature, top_p=p)
        object.__setattr__(self, "pipeline", pipeline)

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """(V,) logits -> (V,) float64 probabilities to sample from. Raises KuiperError if they are invalid."""
        pipeline: Pipeline = self.__dict__["pipeline"]
        found = np.asarray(pipeline.step("top_p", probabilities(logits, self.temperature), self.top_p), np.float64)
        if found.shape != logits.shape or not np.isfinite(found).all() or found.min() < 0 or not found.any():
            raise KuiperError(f"top_p: expected {logits.shape} probabilities, found {found.shape} or none above 0")
        return found


class WritePiece(Piece):
    """Tokens and KV cache -> logits of the next. The first item is a GenerationRequest, the others held-out text."""

    name = "write"
    title = "A small Llama writes like Python's documentation"
    summary = "writes a text on, token by token"
    lessons = "13"
    network = "writer"
    options = frozenset({"--prompt", "--tokens", "--temperature", "--top-p", "--seed"})
    draws = False
    few = "A short text, and few words of held-out text, as code of your own may be slow."
    seconds = 120.0

    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """The request, and the held-out texts; for a student's code a few tokens of one. Raises KuiperError."""
        request = GenerationRequest(
            PROMPT if options.prompt is None else options.prompt,
            (STUDENT_TOKENS if mine else TOKENS) if options.tokens is None else options.tokens,
            TEMPERATURE if options.temperature is None else options.temperature,
            TOP_P if options.top_p is None else options.top_p,
            SEED if options.seed is None else options.seed,
        )
        if request.tokens < 1 or request.seed < 0:
            raise KuiperError(
                f"expected at least 1 token and a seed from 0 on, found {request.tokens} and {request.seed}"
            )
        words = self.held_out()["words"]
        return [request, *(words[:1, :STUDENT_CONTEXT] if mine else words)]

    def work(self, items: Sequence[Any]) -> int:
        """One per token, and one per held-out text."""
        return int(items[0].tokens) + len(items) - 1

    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Generate, then evaluate the held-out text."""
        tokens = Tokens.load(self.folder / "tokens.json")
        request, graph = items[0], cast(RuntimeGraph, pipeline.graph)
        sampler, random = Choice(pipeline, request.temperature, request.top_p), np.random.default_rng(request.seed)
        pieces = write(graph, tokens, request.prompt, request.tokens, sampler=sampler, random=random)
        emit, text = callbacks.text or (lambda piece: None), []
        emit(styled(request.prompt, "bold"))
        started = time.perf_counter()
        for piece in pieces:
            text.append(piece)
            emit(piece)
            callbacks.advance()
        seconds = time.perf_counter() - started
        lost, characters = 0.0, 0
        for words in items[1:]:
            logits = forward(graph, words[:-1].tolist(), Cache.of(graph, len(words)))
            lost += bits(logits, words[1:])
            characters += len(tokens.decode(words[1:].tolist()))
            callbacks.advance()
        return {
            "text": "".join(text),
            "told": callbacks.text is not None,
            "seconds": seconds,
            "bits": lost / characters if characters else None,
            "characters": characters,
        }

    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in words."""
        return "a text" if answer["bits"] is None else f"{answer['bits']:.3f} bits per character"

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print the text unless it was printed as it came, then the speed and the bits per token of held-out text."""
        request = items[0]
        if not answer["told"]:
            writer = Typewriter()
            writer(styled(request.prompt, "bold"))
            writer(answer["text"])
            writer.end()
        say()
        rate = request.tokens / answer["seconds"]
        say(
            f"{styled(str(request.tokens), 'bold')} tokens, {rate:.0f} a second; temperature {request.temperature:g}, "
            f"top p {request.top_p:g}, seed {request.seed}."
        )
        if answer["bits"] is not None:
            say(
                f"{styled(format(answer['bits'], '.2f'), 'bold')} bits per character on {answer['characters']:,} "
                "characters of held-out text."
            )
        return []


WritePiece.steps = {"top_p": top_p}


def bits(logits: np.ndarray, words: np.ndarray) -> float:
    """(T,V) logits and (T,) the actual next tokens -> the sum of -log2 of their probabilities, in bits."""
    top = logits.max(axis=-1, keepdims=True)
    logs = logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(logs, words[:, None], axis=-1).sum() / math.log(2))


PIECE = WritePiece()
