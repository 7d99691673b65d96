"""A tokenizer.json of any kind, by Hugging Face's library `tokenizers`, where that is installed (the extra `llm`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kuiper.documents import read_bytes
from kuiper.errors import KuiperError, ModelFormatError, missing_module
from kuiper.text.tokenizer_json import LARGEST

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EXTRA = 'pip install -e ".[llm]"'
"""How what `kuiper chat` needs beyond the other commands is installed."""


class LibraryTokens:
    """A vocabulary as the library reads it. Texts are neither cut nor padded, whatever the file says.

    >>> import pytest
    >>> Tokenizer = pytest.importorskip("tokenizers").Tokenizer
    >>> tokens = LibraryTokens(Tokenizer(pytest.importorskip("tokenizers.models").WordLevel({"a": 0, "b": 1}, "b")))
    >>> len(tokens), tokens.encode("a"), tokens.decode([0])
    (2, [0], 'a')
    """

    may_be_padded = True

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        self.special = {token for token, one in added.items() if one.special}
        self._size = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1

    @classmethod
    def load(cls, path: Path) -> LibraryTokens:
        """The vocabulary of a tokenizer.json.

        Raises ModelFormatError for a file that is too large or that the library does not take, KuiperError where the
        library is not installed.
        """
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise KuiperError(f"{path}: tokenizers is {missing_module('tokenizers', error)}: {EXTRA}") from error
        text = read_bytes(path, "a tokenizer", LARGEST)
        return cls(_guarded(lambda: Tokenizer.from_str(text.decode("utf-8")), path))

    def __len__(self) -> int:
        """One more than the greatest token."""
        return self._size

    def token(self, content: str) -> int | None:
        """The token that a text is as a whole, as the end of a message; None where there is none."""
        found: int | None = self.tokenizer.token_to_id(content)
        return found

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """The tokens of a text; with `add_special_tokens` those around it, too. KuiperError for half a character."""
        encoding = _guarded(lambda: self.tokenizer.encode(text, add_special_tokens=add_special_tokens), "text")
        return list(encoding.ids)

    def decode(self, tokens: Sequence[int], *, skip_special_tokens: bool = False) -> str:
        """The text of the tokens; bytes that are no UTF-8 become U+FFFD. Raises KuiperError for an unknown token."""
        wrong = [token for token in tokens if not 0 <= token < len(self)]
        if wrong:
            raise KuiperError(f"tokens: expected numbers from 0 to {len(self) - 1}, found {wrong[0]}")
        text = _guarded(lambda: self.tokenizer.decode(list(tokens), skip_special_tokens=skip_special_tokens), "tokens")
        return str(text)

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """What the tokens add to the text, special ones left out, in whole characters, as soon as they are there.

        A token's text may depend on the one before it: at the beginning of a text some have no space. So those that
        were shown last are decoded again with the new ones.
        """
        shown: list[int] = []
        new: list[int] = []
        for token in tokens:
            if token in self.special:
                continue
            new.append(token)
            text = self._added_by(shown, new)
            if text and not text.endswith("\ufffd"):
                yield text
                shown, new = new, []
        if text := self._added_by(shown, new):
            yield text

    def _added_by(self, shown: list[int], new: list[int]) -> str:
        """The text of new tokens behind others."""
        return self.decode(shown + new)[len(self.decode(shown)) :]


def _guarded(work: Any, what: object) -> Any:
    """The result; whatever the library raises, its panics too, which are no Exceptions, becomes a ModelFormatError."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        raise ModelFormatError(what, None, "what the library tokenizers takes", f"{error!s:.200}") from None
