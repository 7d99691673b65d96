"""The small Llama: kuiper computes what torch computed, step by step as all at once, and its numbers are true."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper import KuiperError
from kuiper.text import Tokens

NAME = "writer"


@pytest.fixture(scope="module")
def tokens(folder):
    return Tokens.load(folder / "tokens.json")


def empty_cache(batch=1, room=1):
    return tuple(np.zeros((4, batch, 2, room, 32), np.float32) for _ in range(2))


def at_once(graph, words):
    return graph(words, *empty_cache(len(words)), np.array([0]))


def bits(logits, words):
    logs = logits - np.logaddexp.reduce(logits.astype(np.float64), axis=-1, keepdims=True)
    return -np.take_along_axis(logs, words[..., None], -1).sum() / np.log(2)


def test_logits_are_torchs(graph, held_out):
    expected = held_out["logits"]
    logits, keys, values = at_once(graph, held_out["words"][:1, : expected.shape[1]])
    assert keys.shape == values.shape == (4, 1, 2, expected.shape[1], 32)
    assert np.abs(logits - expected).max() <= 1e-4 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize(("lengths", "room"), [([1] * 12, 16), ([5, 1, 1, 5], 12), ([11, 1], 40)])
def test_one_step_after_the_other_gives_what_all_at_once_gives(graph, held_out, lengths, room):
    words = held_out["words"][1:3, : sum(lengths)]
    expected = at_once(graph, words)
    cache = empty_cache(2, room)
    done, logits = 0, []
    for length in lengths:
        now, *new = graph(words[:, done : done + length], *cache, np.array([done]))
        for kept, part in zip(cache, new):
            kept[:, :, :, done : done + length] = part
        done += length
        logits.append(now)
    np.testing.assert_allclose(np.concatenate(logits, 1), expected[0], rtol=0, atol=1e-4)
    for kept, whole in zip(cache, expected[1:]):
        np.testing.assert_allclose(kept[:, :, :, :done], whole, rtol=0, atol=1e-4)


@pytest.mark.slow
def test_places_that_are_not_in_use_make_no_difference(graph, held_out):
    words, rubbish = held_out["words"][:1, :6], tuple(1e3 + cache for cache in empty_cache(1, 9))
    np.testing.assert_array_equal(graph(words, *rubbish, np.array([0]))[0].shape, (1, 6, 1024))
    np.testing.assert_allclose(graph(words, *rubbish, np.array([0]))[0], at_once(graph, words)[0], rtol=0, atol=1e-4)


@pytest.mark.slow
def test_a_later_token_changes_nothing_before_it(graph, held_out):
    words = held_out["words"][:1, :10].copy()
    before = at_once(graph, words)[0]
    words[0, 7] = (words[0, 7] + 1) % 1024
    after = at_once(graph, words)[0]
    np.testing.assert_allclose(after[:, :7], before[:, :7], rtol=0, atol=1e-5)
    assert np.abs(after[:, 7:] - before[:, 7:]).max() > 0.1


def test_bits_per_character_of_the_stored_text_are_those_reported(graphs, held_out, tokens, metrics):
    words = held_out["words"]
    total = bits(at_once(graphs["fast"], words[:, :-1])[0], words[:, 1:])
    characters = sum(len(tokens.decode(row[1:].tolist())) for row in words)
    assert characters == metrics["stored_characters"]
    assert total / characters == pytest.approx(metrics["stored_bits_per_character"], abs=1e-3)


def test_readme_reports_the_measured_numbers(readme, metrics):
    assert f"{metrics['bits_per_character']:.2f} bits" in readme
    assert f"{metrics['perplexity_per_token']:.1f}" in readme
    for name in ("parameters", "heldout_characters", "words"):
        assert f"{metrics[name]:,}" in readme


def test_tokens_give_the_text_back(tokens, held_out):
    text = tokens.decode(held_out["words"].ravel().tolist())
    assert tokens.decode(tokens.encode(text)) == text
    assert len(tokens) == 1024
    every = tokens.decode(range(1024))
    assert tokens.decode(tokens.encode(every)) == every


def test_tokens_join_the_pairs_that_were_learnt_first():
    from models.writer.tokens import learn

    tokens = learn("low low low lower lowest ", 96 + 3)
    assert tokens.pieces[-3:] == [b"ow", b"low", b" low"]
    assert [tokens.pieces[t] for t in tokens.encode("low lowest")] == [b"low", b" low", b"e", b"s", b"t"]


def test_learnt_pairs_are_stored_and_read(tmp_path):
    from models.writer.tokens import learn, save

    save(learn("low low low lower lowest ", 96 + 3), tmp_path / "tokens.json")
    assert Tokens.load(tmp_path / "tokens.json").encode("low low") == [97, 98]


def test_a_character_without_token_is_an_error(tokens):
    with pytest.raises(KuiperError, match="é"):
        tokens.encode("café")


def test_it_is_a_llama(graphs):
    types = {operator.type for operator in graphs["simple"].operators}
    assert {"nn.Embedding", "nn.RMSNorm", "F.scaled_dot_product_attention", "F.silu", "nn.Linear"} <= types


@pytest.mark.slow
def test_text_of_the_same_python_is_split_in_the_same_way(held_out, tokens, metrics):
    import platform

    if platform.python_version() != metrics["python"]:
        pytest.skip(f"the text is that of Python {metrics['python']}, this is {platform.python_version()}")
    from models.writer.text import is_held_out, modules, topics

    held = "\n".join(modules(is_held_out).values())
    training = "\n".join(text for name, text in topics().items() if not is_held_out(name))
    pieces = [tokens.decode(row[1:-1].tolist()) for row in held_out["words"]]
    assert sum(piece in held for piece in pieces) >= 4
    assert not any(piece in training for piece in pieces)
