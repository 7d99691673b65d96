"""A converted network computes what its architecture says: written here slowly, pair by pair and token by token."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kuiper
from kuiper.convert import convert
from kuiper.text import Cache, forward

LENGTH = 11


def angle_of(pair: int, width: int, config: dict) -> float:
    """Radians by which a pair of a head turns from one token to the next."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = rope.get("rope_type") or rope.get("type", "default")
    theta = config["rope_theta"]
    angle = 1 / theta ** (2 * pair / width)
    if kind == "linear":  # as if the text were shorter: position / factor
        return angle / rope["factor"]
    if kind == "llama3":
        wavelength, length = 2 * math.pi / angle, rope["original_max_position_embeddings"]
        if wavelength < length / rope["high_freq_factor"]:
            return angle
        if wavelength > length / rope["low_freq_factor"]:
            return angle / rope["factor"]
        smooth = length / wavelength - rope["low_freq_factor"]
        smooth /= rope["high_freq_factor"] - rope["low_freq_factor"]
        return (1 - smooth) * angle / rope["factor"] + smooth * angle
    if kind == "yarn":
        length = rope["original_max_position_embeddings"]
        # pair d with r = length / wavelength(d) rotations: theta^(2d/width) = length / (2 pi r)
        bounds = [width / 2 * math.log(length / (2 * math.pi * rope[b]), theta) for b in ("beta_fast", "beta_slow")]
        low, high = max(math.floor(bounds[0]), 0), min(math.ceil(bounds[1]), width - 1)
        ramp = min(max((pair - low) / (high - low), 0), 1)
        return (1 - ramp) * angle + ramp * angle / rope["factor"]
    assert kind == "default"
    return angle


def growth_of(config: dict) -> float:
    """YaRN's factor of queries and keys, https://arxiv.org/abs/2309.00071, equation 22."""
    rope = config.get("rope_scaling") or {}
    return 0.1 * math.log(rope["factor"]) + 1 if rope.get("type") == "yarn" else 1.0


def turned(head: np.ndarray, position: int, config: dict) -> np.ndarray:
    """(D,) -> (D,): numbers i and i + D/2 as one complex number, turned."""
    half = len(head) // 2
    pairs = head[:half] + 1j * head[half:]
    for i in range(half):
        pairs[i] *= growth_of(config) * np.exp(1j * position * angle_of(i, len(head), config))
    return np.concatenate([pairs.real, pairs.imag])


def logits_of(words: np.ndarray, config: dict, weights: dict[str, np.ndarray]) -> np.ndarray:
    """(T,) -> (T, vocabulary), in float64, one token after the other."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    heads = config["num_attention_heads"]
    key_heads = config.get("num_key_value_heads") or heads
    width = config.get("head_dim") or config["hidden_size"] // heads

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return x / math.sqrt(sum(v * v for v in x) / len(x) + config["rms_norm_eps"]) * w[f"{name}.weight"]

    def product(x: np.ndarray, name: str) -> np.ndarray:
        return w[f"{name}.weight"] @ x + w.get(f"{name}.bias", 0.0)

    kept: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in range(config["num_hidden_layers"])]
    rows = []
    for position, word in enumerate(words):
        x = w["model.embed_tokens.weight"][word]
        for i, seen in enumerate(kept):
            at = f"model.layers.{i}"
            y = norm(x, f"{at}.input_layernorm")
            q, k, v = (product(y, f"{at}.self_attn.{part}_proj").reshape(-1, width) for part in "qkv")
            seen.append((np.array([turned(head, position, config) for head in k]), v))
            mixed = []
            for h in range(heads):
                query, of = turned(q[h], position, config), h // (heads // key_heads)
                scores = np.array([query @ keys[of] / math.sqrt(width) for keys, _ in seen])
                shares = np.exp(scores - scores.max())
                shares /= shares.sum()
                mixed.append(sum(share * values[of] for share, (_, values) in zip(shares, seen)))
            x = x + product(np.concatenate(mixed), f"{at}.self_attn.o_proj")
            y = norm(x, f"{at}.post_attention_layernorm")
            gate = product(y, f"{at}.mlp.gate_proj")
            x = x + product(gate / (1 + np.exp(-gate)) * product(y, f"{at}.mlp.up_proj"), f"{at}.mlp.down_proj")
        head = w.get("lm_head.weight", w["model.embed_tokens.weight"])
        rows.append(head @ norm(x, "model.norm"))
    return np.array(rows)


@pytest.fixture(scope="module")
def words() -> np.ndarray:
    return np.random.default_rng(8).integers(0, 50, LENGTH)


@pytest.fixture(scope="module")
def expected(published, words) -> np.ndarray:
    return logits_of(words, published.config, published.weights)


@pytest.fixture(scope="module")
def param(published, tmp_path_factory):
    return convert(published.folder, tmp_path_factory.mktemp("converted")).param


def agree(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max(), rtol=0)


def test_the_reference_sees_the_order_of_words(published, words, expected):
    other = logits_of(words[::-1], published.config, published.weights)
    assert np.abs(other[-1] - expected[-1]).max() > 0.1


@pytest.mark.parametrize("engine", ["simple", "fast"])
def test_a_prompt_at_once_and_token_by_token_give_the_logits_of_the_definition(param, words, expected, engine):
    graph = kuiper.load(param, engine=engine)
    agree(forward(graph, words.tolist(), Cache.of(graph, LENGTH)), expected)
    cache = Cache.of(graph, 16)
    pieces = [forward(graph, words[:4].tolist(), cache), *(forward(graph, [int(word)], cache) for word in words[4:])]
    agree(np.concatenate(pieces), expected)
    assert cache.count == LENGTH


def test_several_texts_are_read_together(param, words, expected):
    graph = kuiper.load(param, engine="simple")
    shape = list(graph.inputs[1].shape)
    shape[1], shape[3] = 3, 1
    empty = np.zeros(shape, np.float32)
    together = np.stack([words, np.roll(words, 1), words])
    logits, keys, values = graph(together, empty, empty, np.array([0]))
    agree(logits[0], expected)
    agree(logits[2], expected)
    assert np.abs(logits[1] - logits[0]).max() > 0.1
    assert keys.shape == values.shape == (shape[0], 3, shape[2], LENGTH, shape[4])


@pytest.mark.slow
def test_transformers_gives_the_same_logits(published, param, words):
    torch = pytest.importorskip("torch", reason="compares with transformers, which needs torch")
    transformers = pytest.importorskip("transformers", reason="compares with transformers, which is not installed")
    network = transformers.AutoModelForCausalLM.from_pretrained(published.folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        expected = network(torch.from_numpy(words)[None]).logits[0].numpy()
    graph = kuiper.load(param, engine="simple")
    agree(forward(graph, words.tolist(), Cache.of(graph, LENGTH)), expected)
