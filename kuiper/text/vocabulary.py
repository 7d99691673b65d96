"""What turns text into tokens and back, whatever its file; and which file lies beside a network."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text.bytepairs import BytePairs
from kuiper.text.library import EXTRA, LibraryTokens
from kuiper.text.tokenizer_json import TOKENIZER, read_byte_pairs
from kuiper.text.tokens import Tokens

TOKENS = "tokens.json"
"""The file of a vocabulary that was learnt here, as that of models/writer."""


def prompt_tokens(tokens: Vocabulary, text: str) -> list[int]:
    """The tokens of a text that stands alone, with those that the vocabulary puts around it."""
    if isinstance(tokens, (BytePairs, LibraryTokens)):
        return tokens.encode(text, add_special_tokens=True)
    return tokens.encode(text)


class Vocabulary(Protocol):
    """What Tokens, BytePairs and LibraryTokens have in common."""

    may_be_padded: bool
    """Whether a network may have more scores than there are tokens."""

    def __len__(self) -> int: ...

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. Raises KuiperError for a text that has none."""

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of the tokens. Raises KuiperError for an unknown token."""

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """What the tokens add to the text, in whole characters, as soon as they are there."""


def load_vocabulary(folder: Path) -> Tokens | BytePairs | LibraryTokens:
    """The vocabulary beside a network: that of tokens.json, or that of tokenizer.json.

    The latter is read by the library `tokenizers` where it is installed, else by `read_byte_pairs`. Raises KuiperError
    for a folder without either, and for a file that is damaged or not known.
    """
    if (folder / TOKENS).is_file():
        return Tokens.load(folder / TOKENS)
    path = folder / TOKENIZER
    if not path.is_file():
        raise KuiperError(f"{folder}: expected {TOKENS} or {TOKENIZER} beside the network, found neither")
    if importlib.util.find_spec("tokenizers") is not None:
        return LibraryTokens.load(path)
    try:
        return read_byte_pairs(path)
    except ModelFormatError as error:
        raise KuiperError(
            f"{error.message}\nThe library tokenizers, which reads more of them, is not installed: {EXTRA}"
        ) from None
