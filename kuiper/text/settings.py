"""What a graph does not say of a language model: how long a text may be, which tokens end it, how to choose."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from kuiper.documents import Document, read_object
from kuiper.errors import KuiperError
from kuiper.text.sampling import Sampler
from kuiper.text.writing import ROOM

SETTINGS = "kuiper.json"
"""The file beside a converted network that holds its context, positions and stop."""
GENERATION = "generation_config.json"
"""A file that Hugging Face publishes: which tokens end a text, how its makers choose."""


@dataclass(frozen=True)
class LanguageSettings:
    """Of one network.

    context : tokens of text for which memory is reserved, and that the network sees at most.
    positions : the longest text for which the network was made; None: it does not say.
    stop : tokens that end a text.
    sampler : how its makers choose a token; None: they do not say.
    """

    context: int = ROOM
    positions: int | None = None
    stop: frozenset[int] = frozenset()
    sampler: Sampler | None = None

    @classmethod
    def load(cls, folder: Path) -> LanguageSettings:
        """Those of a network's folder: kuiper.json and generation_config.json, where they are.

        Raises ModelFormatError for values that are not possible.
        """
        found = cls()
        if (folder / SETTINGS).is_file():
            own = Document(folder / SETTINGS, read_object(folder / SETTINGS, "settings of a language model"))
            found = cls(own.size("context"), own.size("positions"), stop_tokens(own, "stop"))
        if (folder / GENERATION).is_file():
            theirs = Document(folder / GENERATION, read_object(folder / GENERATION, "settings of a language model"))
            stop = stop_tokens(theirs, "eos_token_id")
            found = replace(found, stop=found.stop | stop, sampler=_sampler(theirs))
        return found

    def store(self, folder: Path) -> None:
        """Write kuiper.json. Raises OSError."""
        values = {"context": self.context, "positions": self.positions, "stop": sorted(self.stop)}
        (folder / SETTINGS).write_text(json.dumps(values) + "\n", encoding="utf-8")


def stop_tokens(config: Document, key: str) -> frozenset[int]:
    """A setting that is a token, several, or none. Raises ModelFormatError."""
    found = config.get(key)
    several = found if isinstance(found, list) else [] if found is None else [found]
    if not all(type(token) is int and 0 <= token < 1 << 31 for token in several):
        raise config.fault(key, "a token, or a list of tokens")
    return frozenset(several)


def chosen_context(wanted: int | None, positions: int, usual: int = 2048) -> int:
    """The context that is wanted, or else the usual one where the network was made for it.

    Raises KuiperError for one above `positions` or below 1.

    >>> chosen_context(None, 8192), chosen_context(None, 512), chosen_context(4096, 8192)
    (2048, 512, 4096)
    """
    if wanted is None:
        return min(usual, positions)
    if not 1 <= wanted <= positions:
        expected = f"1 to {positions} tokens (max_position_embeddings)"
        raise KuiperError(f"context: expected {expected}, for which the network was made, found {wanted}")
    return wanted


def _sampler(config: Document) -> Sampler | None:
    """How a generation_config.json says to choose; None where it says nothing."""
    if not any(config.get(key) is not None for key in ("do_sample", "temperature", "top_k", "top_p")):
        return None
    if not config.flag("do_sample", False):
        return Sampler(temperature=0)
    top_k = config.get("top_k")
    if top_k is not None and (type(top_k) is not int or top_k < 0):
        raise config.fault("top_k", "a whole number from 0 on")
    try:
        return Sampler(config.number("temperature", 1.0), top_k or None, config.number("top_p", 1.0))
    except KuiperError as error:
        raise config.fault("top_p", "settings of a choice", error.message) from None
