"""Lesson 13: text in, text out, token by token. Tokens and choices are arrays; `write` calls the network."""

from kuiper.text.cache import Cache, attention_of, forward, results_of
from kuiper.text.sampling import Sampler, draw, probabilities, top_k, top_p
from kuiper.text.tokens import Tokens
from kuiper.text.writing import write

__all__ = [
    "Cache",
    "Sampler",
    "Tokens",
    "attention_of",
    "draw",
    "forward",
    "probabilities",
    "results_of",
    "top_k",
    "top_p",
    "write",
]
