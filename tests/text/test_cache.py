"""Reading a text in steps gives what reading it at once gives, whatever the steps and the room."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper import KuiperError, RuntimeGraph, ShapeError
from kuiper.layers.sequence.attention import attention_weights, causal
from kuiper.text import Cache, attention_of, forward, results_of

HELD_OUT = Path(__file__).resolve().parents[2] / "models" / "writer" / "heldout.npz"


def read(graph: RuntimeGraph, words: list[int], steps: list[int], room: int) -> tuple[np.ndarray, Cache]:
    cache, done, logits = Cache.of(graph, room), 0, []
    for step in steps:
        logits.append(forward(graph, words[done : done + step], cache))
        done += step
    return np.concatenate(logits), cache


@pytest.mark.slow
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 9), st.integers(0, 7))
@settings(max_examples=10, deadline=None)
def test_logits_do_not_depend_on_the_steps(
    writer: RuntimeGraph, words: np.ndarray, steps: list[int], spare: int, text: int
) -> None:
    length = sum(steps)
    whole, cache_of_whole = read(writer, words[text, :length].tolist(), [length], length)
    found, cache = read(writer, words[text, :length].tolist(), steps, length + spare)
    np.testing.assert_allclose(found, whole, rtol=0, atol=1e-4)
    assert cache.count == length
    np.testing.assert_allclose(cache.keys[:, :, :, :length], cache_of_whole.keys, rtol=0, atol=1e-4)
    assert not cache.keys[:, :, :, length:].any()
    assert not cache.values[:, :, :, length:].any()


def test_a_whole_room_token_by_token_gives_torchs_numbers(writer: RuntimeGraph, words: np.ndarray) -> None:
    with np.load(HELD_OUT, allow_pickle=False) as stored:
        expected = stored["logits"][0]
    found, _ = read(writer, words[0, : len(expected)].tolist(), [1] * len(expected), len(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_words_that_do_not_fit_are_refused_and_change_nothing(writer: RuntimeGraph) -> None:
    cache = Cache.of(writer, 4)
    forward(writer, [1, 2, 3], cache)
    before = cache.keys.copy()
    for words in ([], [4, 5]):
        with pytest.raises(KuiperError, match=rf"expected 1 to 1 tokens \(room left\), found {len(words)}"):
            forward(writer, words, cache)
    assert cache.count == 3
    np.testing.assert_array_equal(cache.keys, before)


def test_keys_of_another_shape_are_refused(writer: RuntimeGraph) -> None:
    cache = Cache.of(writer, 4)
    new = np.zeros((4, 1, 2, 5, 32), np.float32)
    for keys, values in ((new, new), (new[:3, :, :, :2], new[:3, :, :, :2]), (new[0], new[0]), (new, new[:, :, :, :2])):
        with pytest.raises(ShapeError, match="new keys and values"):
            cache.append(keys, values)
    assert cache.count == 0


def test_a_network_of_another_form_is_refused(parrot: type) -> None:
    graph = parrot([1], 4)
    good = [operand.shape for operand in graph.inputs]
    others = [
        [(1, 3, 224, 224)],
        [],
        [None] * 4,
        good[:3],
        [good[0], good[1], (2, -1, 1, -1, 1), good[3]],
        [good[0], (1, 5, 1, -1, 1), (1, 5, 1, -1, 1), good[3]],
        [good[0], (-1, -1, 1, -1, 1), (-1, -1, 1, -1, 1), good[3]],
        [good[0], (1, -1, 1, 7, 1), (1, -1, 1, 7, 1), good[3]],
    ]
    for shapes in others:
        graph.inputs = [SimpleNamespace(shape=shape) for shape in shapes]
        with pytest.raises(ShapeError, match="the inputs of a language model: expected words"):
            Cache.of(graph, 8)
    with pytest.raises(KuiperError, match="room: expected at least 1 token, found 0"):
        Cache.of(parrot([1], 4), 0)


@pytest.mark.parametrize("room", [2**45, 2**62])
def test_a_room_that_no_memory_holds_is_refused_with_what_it_takes(writer: RuntimeGraph, room: int) -> None:
    with pytest.raises(KuiperError, match=rf"expected a number of tokens that memory holds, found {room}, .*[0-9] GiB"):
        Cache.of(writer, room)


def test_outputs_of_another_form_are_refused(parrot: type, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = parrot([1], 4)
    cache = Cache.of(graph, 8)
    whole = parrot.__call__
    for change in (lambda out: out[:2], lambda out: [out[0][0], *out[1:]], lambda out: [out[0][:, :1], *out[1:]]):
        monkeypatch.setattr(
            parrot, "__call__", lambda self, *inputs, change=change, into=(): change(whole(self, *inputs))
        )
        with pytest.raises(ShapeError, match="the outputs of a language model"):
            forward(graph, [1, 2], cache)
    assert cache.count == 0


@pytest.mark.parametrize("returned", [[4], [0, 4, 5], [0, 5]])
def test_a_network_that_gives_no_new_keys_and_values_is_refused(returned: list[int], tmp_path: Path) -> None:
    lines = [
        "pnnx.Input words 0 1 0 #0=(1,?)i64",
        "pnnx.Input keys 0 1 1 #1=(1,1,1,?,1)f32",
        "pnnx.Input values 0 1 2 #2=(1,1,1,?,1)f32",
        "pnnx.Input count 0 1 3 #3=(1)i64",
        "F.relu all_keys 1 1 1 4 $input=1",
        "F.relu all_values 1 1 2 5 $input=2",
        *(f"pnnx.Output out{number} 1 0 {number}" for number in returned),
    ]
    param = tmp_path / "net.pnnx.param"
    param.write_text("\n".join(["7767517", f"{len(lines)} 6", *lines]) + "\n")
    graph = kuiper.load(param, engine="fast")
    cache = Cache.of(graph, 8)
    for planned in (True, False):
        with pytest.raises(ShapeError, match="the outputs of a language model: expected logits"):
            forward(graph, [1, 2], cache, planned=planned)
    assert cache.count == 0


def test_results_of_a_text_are_those_behind_its_logits(writer: RuntimeGraph, words: np.ndarray) -> None:
    text = words[0, :7].tolist()
    results = results_of(writer, text)
    np.testing.assert_allclose(results["head"], forward(writer, text, Cache.of(writer, 7)), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(results["words"], writer.operator("words").attributes["weight"].data[text])


@pytest.mark.parametrize("block", range(4))
def test_a_blocks_attention_is_what_its_queries_find_and_what_its_last_layer_reads(
    writer: RuntimeGraph, words: np.ndarray, block: int
) -> None:
    text = words[0, :7].tolist()
    q, k, v, found = attention_of(writer, text, block)
    assert (q.shape, k.shape, v.shape) == ((4, 7, 32), (2, 7, 32), (2, 7, 32))
    weights = attention_weights(q, np.repeat(k, 2, axis=0), causal(7, 7), 32**-0.5)
    np.testing.assert_allclose(found, weights @ np.repeat(v, 2, axis=0), rtol=0, atol=1e-5)
    out = writer.operator(f"blocks.{block}.attention.out").attributes["weight"].data
    y = found.swapaxes(0, 1).reshape(7, 128) @ out.T
    np.testing.assert_allclose(y, results_of(writer, text)[f"blocks.{block}.attention.out"], rtol=0, atol=1e-4)


@pytest.mark.parametrize("block", [-1, 4])
def test_a_block_that_is_not_there_is_refused(writer: RuntimeGraph, block: int) -> None:
    with pytest.raises(KuiperError, match=f"block: expected one of the 4 with attention, from 0 on, found {block}"):
        attention_of(writer, [1, 2], block)
