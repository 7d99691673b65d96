"""What `write` yields: whole characters, all of them, the same for the same seed, and sense when the room is full."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper import KuiperError, RuntimeGraph, ShapeError
from kuiper.text import Cache, Sampler, Tokens, forward, write
from kuiper.text.tokens import BYTES

ROOT = Path(__file__).resolve().parents[2]


def test_greedy_writing_is_what_whole_passes_choose(writer: RuntimeGraph, tokens: Tokens) -> None:
    prompt = "The function returns"
    pieces = list(write(writer, tokens, prompt, 12, sampler=Sampler(temperature=0)))
    text = tokens.encode(prompt)
    for _ in range(12):
        logits = forward(writer, text, Cache.of(writer, len(text)))  # no memory of the pass before
        text.append(int(logits[-1].argmax()))
    assert pieces == [tokens.decode([token]) for token in text[-12:]]


def test_the_seed_decides(writer: RuntimeGraph, tokens: Tokens) -> None:
    texts = [
        "".join(write(writer, tokens, "Return", 20, sampler=Sampler(1.0, top_p=0.95), random=random))
        for random in (np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2), None, None)
    ]
    assert texts[0] == texts[1] != texts[2]
    assert texts[3] == texts[4]


def test_each_token_is_read_once(parrot: type) -> None:
    graph = parrot([7, 8, 9], 96)
    tokens = Tokens([])
    assert len("".join(write(graph, tokens, "ab", 5))) == 5
    a, b = tokens.encode("ab")
    assert graph.calls == [([a, b, 7, 8, 9, 7][: 2 + i], 0 if i == 0 else i + 1) for i in range(5)]


def test_text_comes_while_it_is_written(parrot: type) -> None:
    graph = parrot([7], 96)
    pieces = write(graph, Tokens([]), "a", 100)
    assert not graph.calls
    next(pieces)
    next(pieces)
    assert len(graph.calls) == 2


@pytest.mark.parametrize(("room", "length"), [(1, 1), (2, 2), (5, 5), (6, 1), (6, 4)])
def test_a_full_room_is_read_again_by_half(parrot: type, room: int, length: int) -> None:
    graph, tokens = parrot([7, 8, 9], 96), Tokens([])
    prompt = "abcdefgh"[:length]
    list(write(graph, tokens, prompt, 20, room=room))
    whole = tokens.encode(prompt) + [7, 8, 9] * 7
    for i, (seen, _) in enumerate(graph.calls):
        end = length + i
        assert seen == whole[end - len(seen) : end]  # the end of the text, without a gap
        assert len(seen) <= room
        assert len(seen) >= min(end, max(1, room // 2))
    again = [len(seen) for seen, count in graph.calls[1:] if count == 0]
    assert again
    assert set(again) == {max(1, room // 2)}


def test_no_half_character_and_none_lost(parrot: type) -> None:
    wanted = "é🙂a漢\n"
    script = list(wanted.encode())
    graph = parrot(script, 256)
    pieces = list(write(graph, Tokens([], BYTES), "x", len(script)))
    assert pieces == list(wanted)
    assert len(graph.calls) == len(script)


def test_what_is_no_character_is_marked(parrot: type) -> None:
    script = [0xFF, ord("a"), 0xC3]
    assert "".join(write(parrot(script, 256), Tokens([], BYTES), "x", 3)) == "\ufffda\ufffd"


def test_nothing_is_written_for_nought_tokens(parrot: type) -> None:
    graph = parrot([7], 96)
    assert list(write(graph, Tokens([]), "a", 0)) == []
    assert not graph.calls


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": ""}, "prompt: expected at least one character, found an empty text"),
        ({"prompt": "abcdefghi"}, "prompt: expected at most 8 tokens, the network's room, found 9"),
        ({"prompt": "é"}, "expected printable ASCII"),
        ({"count": -1}, "count: expected at least 0 tokens, found -1"),
        ({"room": 0}, "room: expected at least 1 token, found 0"),
    ],
)
def test_what_does_not_fit_is_refused_at_once(parrot: type, options: dict[str, object], message: str) -> None:
    graph = parrot([7], 96)
    arguments = {"prompt": "a", "count": 3, "room": 8} | options
    with pytest.raises(KuiperError, match=message):
        write(graph, Tokens([]), **arguments)
    assert not graph.calls


def test_a_classifier_is_refused(tokens: Tokens) -> None:
    digits = kuiper.load(ROOT / "models" / "digits" / "digits.pnnx.param")
    with pytest.raises(ShapeError, match="the inputs of a language model: expected words"):
        write(digits, tokens, "a", 3)


def test_the_vocabulary_of_another_network_is_refused(writer: RuntimeGraph) -> None:
    with pytest.raises(ShapeError, match="one for each of 96 tokens, found 1024"):
        list(write(writer, Tokens([]), "a", 3))
