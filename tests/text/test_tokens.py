"""Text falls into tokens and comes back whole; what cannot is explained."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError
from kuiper.text import Tokens
from kuiper.text.tokens import ASCII, BYTES, PIECES, merged

LETTERS = {letter: ASCII.index(letter.encode()) for letter in "hug pnbs"}
HUG = Tokens([(LETTERS["h"], LETTERS["u"]), (96, LETTERS["g"]), (LETTERS[" "], 97)])
"""96: "hu", 97: "hug", 98: " hug"."""
PRINTABLE = st.text(alphabet=ASCII.decode(), max_size=60)


def spelt(tokens: Tokens, text: str) -> list[str]:
    return [tokens.decode([token]) for token in tokens.encode(text)]


def test_pairs_are_joined_within_words_those_learnt_first_first() -> None:
    assert spelt(HUG, "hug hug hubs") == ["hug", " hug", " ", "hu", "b", "s"]
    assert spelt(HUG, "h ug") == ["h", " ", "u", "g"]


def test_of_two_ways_to_join_the_older_pair_wins() -> None:
    u, n, h = LETTERS["u"], LETTERS["n"], LETTERS["h"]
    assert spelt(Tokens([(u, n), (h, u)]), "hun") == ["h", "un"]
    assert spelt(Tokens([(h, u), (u, n)]), "hun") == ["hu", "n"]


@given(st.text(max_size=60))
def test_pieces_lose_nothing(text: str) -> None:
    assert "".join(PIECES.findall(text)) == text


@given(PRINTABLE)
@settings(max_examples=50)
def test_ascii_comes_back_and_no_pair_is_left_to_join(text: str) -> None:
    tokens = HUG.encode(text)
    assert HUG.decode(tokens) == text
    if " " not in text and "\n" not in text and text.isalpha():
        assert not set(pairwise(tokens)) & set(HUG.merges)


@given(st.text(max_size=40))
@settings(max_examples=50)
def test_bytes_write_every_text(text: str) -> None:
    tokens = Tokens([(0xC3, 0xA9), (ord("f"), 256)], BYTES)
    assert tokens.decode(tokens.encode(text)) == text


def test_a_pair_may_be_half_of_a_character() -> None:
    tokens = Tokens([(0xF0, 0x9F)], BYTES)
    assert len(tokens.encode("🙂")) == 3
    assert tokens.decode(tokens.encode("🙂")[:2]) == "\ufffd"


def test_a_file_gives_the_vocabulary_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({"merges": HUG.merges}))
    assert Tokens.load(file).encode("hug") == [97]
    file.write_text(json.dumps({"symbols": "bytes", "merges": [[104, 117]]}))
    assert Tokens.load(file).encode("hué") == [256, 0xC3, 0xA9]


@pytest.mark.parametrize("text", ["café", "a\tb", "\x00", "\ud800", "\u00a0"])
def test_a_character_without_a_token_is_named(text: str) -> None:
    wrong = next(character for character in text if character not in ASCII.decode())
    with pytest.raises(KuiperError, match="expected printable ASCII and line ends") as caught:
        HUG.encode(text)
    assert repr(wrong) in str(caught.value)


def test_half_a_surrogate_is_no_text_for_bytes_either() -> None:
    with pytest.raises(KuiperError, match="ud800"):
        Tokens([], BYTES).encode("a\ud800")


@pytest.mark.parametrize("wrong", [-1, 99])
def test_an_unknown_token_is_an_error(wrong: int) -> None:
    with pytest.raises(KuiperError, match=f"expected numbers from 0 to 98, found {wrong}"):
        HUG.decode([1, wrong])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"merges": 3}', '{"merges": [[1]]}', '{"merges": [], "symbols": "x"}', '{"merges": ["ab"]}'],
)
def test_a_file_of_something_else_is_explained(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(text)
    with pytest.raises(KuiperError, match=r'tokens\.json: expected JSON \{"merges"'):
        Tokens.load(file)


def test_a_file_that_is_not_there_is_explained(tmp_path: Path) -> None:
    with pytest.raises(KuiperError, match="No such file"):
        Tokens.load(tmp_path / "none.json")


@pytest.mark.parametrize("pair", [(96, 1), (-1, 3), (2, 500)])
def test_a_pair_of_tokens_that_do_not_exist_yet_is_an_error(pair: tuple[int, int]) -> None:
    with pytest.raises(KuiperError, match="two of the 96 tokens before it"):
        Tokens([pair])


def test_overlapping_pairs_are_joined_from_the_left() -> None:
    assert merged([5, 5, 5], (5, 5), 9) == [9, 5]
    assert merged([5, 5, 5, 5], (5, 5), 9) == [9, 9]
