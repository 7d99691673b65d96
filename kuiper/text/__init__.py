"""Lesson 13: text in, text out, token by token. Tokens and choices are arrays; `write` calls the network."""

from kuiper.text.bytepairs import BytePairs
from kuiper.text.cache import Cache, attention_of, forward, read, results_of
from kuiper.text.head import last_scores
from kuiper.text.library import LibraryTokens
from kuiper.text.sampling import Sampler, draw, probabilities, top_k, top_p
from kuiper.text.tokenizer_json import read_byte_pairs
from kuiper.text.tokens import Tokens
from kuiper.text.vocabulary import Vocabulary, load_vocabulary
from kuiper.text.writing import write

__all__ = [
    "BytePairs",
    "Cache",
    "LibraryTokens",
    "Sampler",
    "Tokens",
    "Vocabulary",
    "attention_of",
    "draw",
    "forward",
    "last_scores",
    "load_vocabulary",
    "probabilities",
    "read",
    "read_byte_pairs",
    "results_of",
    "top_k",
    "top_p",
    "write",
]
