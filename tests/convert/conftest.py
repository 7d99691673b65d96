"""Folders as Hugging Face publishes them, made here: settings, random weights, one file or shards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SMALL: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 64,
    "rope_theta": 100.0,
}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], **SMALL}
QWEN = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], **SMALL}
OLD_ROPE = {"type": "linear", "factor": 4.0}
LLAMA3_ROPE = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}  # fmt: skip
YARN_ROPE = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 48, "beta_fast": 8, "beta_slow": 2}
FORMS: dict[str, tuple[dict[str, Any], str, int]] = {
    "llama": ({**LLAMA, "num_key_value_heads": 4}, "F32", 1),
    "llama without key heads": ({k: v for k, v in LLAMA.items() if k != "num_key_value_heads"}, "F32", 1),
    "llama, one key head, one layer": ({**LLAMA, "num_key_value_heads": 1, "num_hidden_layers": 1}, "F16", 1),
    "llama, tied, head width given": ({**LLAMA, "tie_word_embeddings": True, "head_dim": 10}, "BF16", 1),
    "llama with all biases": ({**LLAMA, "attention_bias": True, "mlp_bias": True}, "F32", 3),
    "llama, linear": ({**LLAMA, "rope_scaling": OLD_ROPE}, "F32", 1),
    "llama 3": (
        {**LLAMA, "head_dim": 16, "rope_parameters": {**LLAMA3_ROPE, "rope_theta": 100.0}, "tie_word_embeddings": True},
        "BF16",
        2,
    ),
    "qwen2": ({**QWEN, "use_sliding_window": False, "sliding_window": 32768, "max_window_layers": 1}, "BF16", 2),
    "qwen2, tied": ({**QWEN, "tie_word_embeddings": True, "layer_types": ["full_attention"] * 2}, "F16", 1),
    "qwen2, yarn": ({**QWEN, "head_dim": 16, "rope_scaling": YARN_ROPE}, "F32", 1),
}
"""Name -> settings, type of the stored weights, shards: every form that is supported."""
STORED = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def stored(array: np.ndarray, kind: str) -> np.ndarray:
    """float32 -> the elements as a file has them; bfloat16 are the upper halves of the bits."""
    if kind == "BF16":
        return (array.astype("<f4").view("<u4") >> 16).astype("<u2")
    return array.astype(STORED[kind])


def widened(array: np.ndarray, kind: str) -> np.ndarray:
    """What those elements mean."""
    if kind == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def safetensors_bytes(tensors: Mapping[str, tuple[str, tuple[int, ...], bytes]], metadata: bool = True) -> bytes:
    """A whole file: name -> (dtype, shape, bytes)."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}} if metadata else {}
    end = 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [end, end := end + len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(data for _, _, data in tensors.values())


def shapes_of(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor that such a folder has, as the families' documentation lists them."""
    width, hidden, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    head = config.get("head_dim") or width // heads
    key_heads = config.get("num_key_value_heads") or heads
    qwen, bias = config["model_type"] == "qwen2", config.get("attention_bias", False)
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], width)}
    for i in range(config["num_hidden_layers"]):
        products = {
            "self_attn.q_proj": (heads * head, width, qwen or bias),
            "self_attn.k_proj": (key_heads * head, width, qwen or bias),
            "self_attn.v_proj": (key_heads * head, width, qwen or bias),
            "self_attn.o_proj": (width, heads * head, bias),
            "mlp.gate_proj": (hidden, width, config.get("mlp_bias", False)),
            "mlp.up_proj": (hidden, width, config.get("mlp_bias", False)),
            "mlp.down_proj": (width, hidden, config.get("mlp_bias", False)),
        }
        for name, (rows, columns, biased) in products.items():
            shapes[f"model.layers.{i}.{name}.weight"] = (rows, columns)
            if biased:
                shapes[f"model.layers.{i}.{name}.bias"] = (rows,)
        shapes[f"model.layers.{i}.input_layernorm.weight"] = (width,)
        shapes[f"model.layers.{i}.post_attention_layernorm.weight"] = (width,)
    shapes["model.norm.weight"] = (width,)
    if not config.get("tie_word_embeddings", False):
        shapes["lm_head.weight"] = (config["vocab_size"], width)
    return shapes


class Published:
    """A folder and the numbers in it."""

    def __init__(self, folder: Path, config: dict[str, Any], weights: dict[str, np.ndarray]) -> None:
        self.folder, self.config, self.weights = folder, config, weights


def publish(
    folder: Path, config: dict[str, Any], kind: str = "F32", shards: int = 1, *, weights: dict[str, Any] | None = None
) -> Published:
    """Write the folder, with random weights that let errors show: attention is not flat, norms are not 1."""
    rng = np.random.default_rng(3)
    if weights is None:
        weights = {}
        for name, shape in shapes_of(config).items():
            spread = 1.5 * shape[-1] ** -0.5 if len(shape) == 2 else 0.3
            weights[name] = rng.normal("norm" in name, spread, shape).astype(np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    as_stored = {name: stored(array, kind) for name, array in weights.items()}
    tensors = {name: (kind, array.shape, array.tobytes()) for name, array in as_stored.items()}
    if shards == 1:
        (folder / "model.safetensors").write_bytes(safetensors_bytes(tensors))
    else:
        places = {name: f"model-{i % shards + 1:05}-of-{shards:05}.safetensors" for i, name in enumerate(tensors)}
        for shard in set(places.values()):
            part = {name: tensor for name, tensor in tensors.items() if places[name] == shard}
            (folder / shard).write_bytes(safetensors_bytes(part))
        index = {"metadata": {"total_size": 0}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return Published(folder, config, {name: widened(array, kind) for name, array in as_stored.items()})


@pytest.fixture(scope="session", params=FORMS, ids=lambda name: name.replace(" ", "_"))
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """A folder of each form."""
    config, kind, shards = FORMS[request.param]
    return publish(tmp_path_factory.mktemp("published") / "network", config, kind, shards)


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., Published]:
    """Makes one folder, a small Llama unless told otherwise: settings by name; None removes one."""

    def make(kind: str = "F32", shards: int = 1, weights: dict[str, Any] | None = None, **changed: Any) -> Published:
        config = {k: v for k, v in {**LLAMA, **changed}.items() if v is not None}
        return publish(tmp_path / "network", config, kind, shards, weights=weights)

    return make


@pytest.fixture(scope="session")
def publish_in() -> Callable[..., Published]:
    """Writes a folder of given settings and, if given, weights."""
    return publish


@pytest.fixture(scope="session")
def file_of() -> Callable[..., bytes]:
    """The bytes of a safetensors file."""
    return safetensors_bytes
