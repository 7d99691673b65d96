"""Lesson 13: text in, text out, token by token. Tokens and choices are arrays; `write` calls the network.

tokens      text <-> tokens, by pairs that were learnt (models/writer/tokens.py learns them)
sampling    scores -> probabilities -> one token: temperature, top-k, top-p
cache       the keys and values of what a network has read
writing     a prompt -> the text that follows, as it comes
"""

from kuiper.text.cache import Cache, forward
from kuiper.text.sampling import Sampler, draw, probabilities, top_k, top_p
from kuiper.text.tokens import Tokens
from kuiper.text.writing import write

__all__ = [
    "Cache",
    "Sampler",
    "Tokens",
    "draw",
    "forward",
    "probabilities",
    "top_k",
    "top_p",
    "write",
]
