"""A conversation: only what is new is computed, the context is never exceeded, and it says why an answer ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, RuntimeGraph, ShapeError
from kuiper.text import Cache, Sampler, Tokens, forward, read, write
from kuiper.text.cache import PIECE
from kuiper.text.chat import Chat, Reader
from kuiper.text.template import Message

A, B, C = Tokens([]).encode("abc")
END = Tokens([]).encode("#")[0]


class Brackets:
    """A template without Jinja: (user:...)(assistant:..."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def render(self, conversations: Sequence[Sequence[Message]]) -> list[str]:
        self.asked.append(len(conversations))
        return ["".join(f"({m['role'][0]}:{m['content']})" for m in one) + "(a:" for one in conversations]


def chat(graph: object, **options: object) -> Chat:
    return Chat(graph, Tokens([]), Brackets(), **{"sampler": Sampler(0), "stop": [END], "room": 60, **options})


def shown(words: Sequence[int]) -> str:
    return Tokens([]).decode(words)


def test_an_answer_ends_with_a_stop_token_which_is_not_shown(parrot: type) -> None:
    graph, pieces = parrot([A, B, C, END], 96), []
    reply = chat(graph).say("hi", 9, pieces.append)
    assert (reply.text, pieces, reply.end, reply.written) == ("abc", ["a", "b", "c"], "stop", 3)
    assert shown(graph.calls[0][0]) == "(u:hi)(a:"


def test_a_second_message_computes_only_what_is_new(parrot: type) -> None:
    graph = parrot([A, B, END], 96)
    talk = chat(graph, system="s")
    first, second = talk.say("hi", 9), talk.say("ho", 9)
    words, done = graph.calls[3]
    assert shown(words) == "(s:s)(u:hi)(a:ab)(u:ho)(a:"
    assert shown(words[:done]) == "(s:s)(u:hi)(a:ab"
    assert (first.kept, first.read) == (0, 14)
    assert (second.kept, second.read) == (16, 10)
    assert [m["content"] for m in talk.messages] == ["s", "hi", "ab", "ho", "ab"]


def test_the_longest_answer_is_the_one_that_was_asked_for(parrot: type) -> None:
    graph = parrot([A], 96)
    reply = chat(graph).say("hi", 3)
    assert (reply.text, reply.end, reply.written, len(graph.calls)) == ("aaa", "length", 3, 3)


def test_a_full_context_ends_the_answer(parrot: type) -> None:
    reply = chat(parrot([A], 96), room=12).say("hi", 100)
    assert (reply.end, reply.written) == ("full", 12 - len("(u:hi)(a:") + 1)


def test_a_full_context_forgets_the_oldest_messages_but_not_the_systems(parrot: type) -> None:
    graph = parrot([A, B, END], 96)
    talk = chat(graph, system="s", room=50)
    dropped = [talk.say(text, 8).dropped for text in ("one", "two", "three", "four")]
    assert dropped == [0, 0, 4, 0]  # half of the context is free again
    starts = [shown(words) for words, _ in graph.calls[::3]]
    assert starts[2:] == ["(s:s)(u:three)(a:", "(s:s)(u:three)(a:ab)(u:four)(a:"]
    assert [m["content"] for m in talk.messages] == ["s", "three", "ab", "four", "ab"]


def test_a_message_that_does_not_fit_changes_nothing(parrot: type) -> None:
    graph = parrot([A, END], 96)
    talk = chat(graph, room=30)
    talk.say("hi", 9)
    with pytest.raises(KuiperError, match=r"message: expected at most 30 tokens, the context, .* found 47"):
        talk.say("x" * 40, 9)
    assert [m["content"] for m in talk.messages] == ["hi", "a"]
    assert talk.say("ho", 9).text == "a"
    with pytest.raises(KuiperError, match="expected printable ASCII"):
        talk.say("é", 9)
    assert len(talk.messages) == 4


def test_a_message_that_just_fits_is_answered_with_one_token(parrot: type) -> None:
    reply = chat(parrot([A], 96), room=27).say("x" * 20, 9)
    assert (reply.end, reply.text) == ("full", "a")


def test_a_message_is_rendered_twice_at_most(parrot: type) -> None:
    talk = chat(parrot([A, END], 96), room=60)
    for _ in range(6):
        talk.template.asked.clear()
        earlier = len(talk.messages) // 2
        reply = talk.say("hello", 9)
        assert talk.template.asked == ([1, earlier] if reply.dropped else [1])


def test_the_user_may_stop_an_answer_and_go_on(parrot: type) -> None:
    graph, wishes = parrot([A, B, C, END], 96), iter([False] * 3 + [True] + [False] * 99)
    talk = chat(graph, is_stopped=lambda: next(wishes))
    first = talk.say("hi", 9)
    assert (first.end, first.text) == ("stopped", "ab")
    assert talk.say("ho", 9).end == "stop"
    assert talk.messages[1]["content"] == "ab"


def test_the_user_may_stop_while_a_long_message_is_read(parrot: type) -> None:
    graph, wishes = parrot([A], 96), iter([False, True] + [False] * 99)
    talk = chat(graph, room=600, is_stopped=lambda: next(wishes))
    first = talk.say("x" * 400, 9)
    assert (first.end, first.text, first.read) == ("stopped", "", PIECE)
    second = talk.say("y", 1)
    assert (second.kept, second.text) == (PIECE, "a")


def test_without_a_template_the_text_goes_on(writer: RuntimeGraph, tokens: Tokens) -> None:
    talk = Chat(writer, tokens, sampler=Sampler(0))
    expected = "".join(write(writer, tokens, "The class", 12, sampler=Sampler(0)))
    assert talk.say("The class", 12).text == expected
    more = f"The class{expected}\nThe list"
    assert talk.say("The list", 8).text == "".join(write(writer, tokens, more, 8, sampler=Sampler(0)))


def test_an_empty_text_is_no_message(parrot: type) -> None:
    with pytest.raises(KuiperError, match="message: expected at least one token"):
        Chat(parrot([A], 96), Tokens([])).say("", 3)


def test_a_network_of_another_vocabulary_is_refused(writer: RuntimeGraph) -> None:
    with pytest.raises(ShapeError, match="one for each of 96 tokens, found 1024"):
        chat(writer).say("hi", 3)


# what has been read


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=4))
def test_what_was_read_before_does_not_change_the_scores(writer: RuntimeGraph, texts: list[list[int]]) -> None:
    reader = Reader(writer, 16)
    for words in texts:
        held = list(reader.words)
        found = reader.read(words)
        np.testing.assert_allclose(found, forward(writer, words, Cache.of(writer, 16))[-1], rtol=0, atol=1e-4)
        assert reader.words == words
        assert held[: reader.kept] == words[: reader.kept]
        assert reader.kept < len(words)


def test_a_text_in_passes_gives_what_one_pass_gives(
    writer: RuntimeGraph, words: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = words[0, :150].tolist()
    whole = forward(writer, text, Cache.of(writer, 150))[-1]
    for most in (1, 64, 149, 150):
        monkeypatch.setattr("kuiper.text.cache.PIECE", most)
        np.testing.assert_allclose(read(writer, text, Cache.of(writer, 400)), whole, rtol=0, atol=1e-4)


def test_layers_look_at_the_places_in_use_and_plans_at_all_which_never_move(parrot: type) -> None:
    seen = []

    class Seen(parrot):
        def __call__(
            self, words: np.ndarray, keys: np.ndarray, *rest: np.ndarray, planned: bool = True, **options: Any
        ) -> list:
            seen.append((planned, keys.shape[3], np.shares_memory(keys, memory)))
            assert keys.flags.c_contiguous or not planned
            return super().__call__(words, keys, *rest)

    graph = Seen([A], 96)
    cache = Cache.of(graph, 500)
    memory = cache.keys
    for count, planned in ((20, False), (200, False), (1, True), (1, False)):
        forward(graph, [A] * count, cache, planned=planned)
    assert cache.keys is memory
    assert seen == [(False, 1, True), (False, 20, True), (True, 500, True), (False, 221, True)]
    with pytest.raises(KuiperError, match=r"expected 1 to 278 tokens \(room left\), found 279"):
        read(graph, [A] * 279, cache)


def test_a_network_with_a_fixed_number_of_places_gets_all(parrot: type) -> None:
    class Fixed(parrot):
        def __call__(
            self, words: np.ndarray, keys: np.ndarray, *rest: np.ndarray, planned: bool = True, **options: Any
        ) -> list:
            assert keys.shape[3] == 300
            return super().__call__(words, keys, *rest)

    graph = Fixed([A], 96)
    for operand in graph.inputs[1:3]:
        operand.shape = (1, 1, 1, 300, 1)
    forward(graph, [A] * 5, Cache.of(graph, 300), planned=False)
    assert len(graph.calls) == 1


def test_only_passes_of_one_token_are_planned(parrot: type) -> None:
    noted = []

    class Noting(parrot):
        def __call__(self, words: np.ndarray, *rest: np.ndarray, planned: bool = True, **options: Any) -> list:
            noted.append((words.shape[1], planned))
            return super().__call__(words, *rest)

    chat(Noting([A], 96)).say("hi", 3)
    assert noted == [(9, False), (1, True), (1, True)]
