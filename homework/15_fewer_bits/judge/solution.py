"""Homework 15: weights in fewer bits, the file they are published in, and what a published language model says next.

Edit this file, then run `python3 course.py check quantize` (or the name of another task). You need numpy only.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def file_of(tensors: Mapping[str, np.ndarray]) -> np.ndarray:
    """The bytes of a file *.safetensors with these float32 arrays, as (N,) uint8. (Given, for trying read_tensor.)"""
    header, held = {}, b""
    for name, tensor in tensors.items():
        offsets = [len(held), len(held) + tensor.nbytes]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        held += tensor.astype("<f4").tobytes()
    text = json.dumps(header).encode()
    return np.frombuffer(len(text).to_bytes(8, "little") + text + held, np.uint8)


def quantize(weight: np.ndarray, block: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(R, C) -> int8 values (R, C) and float32 scales (R, C / block), so that weight ~ scale * values.

    Parameters
    ----------
    weight : (R, C) float32, R and C at least 1.
    block : so many neighbours of a row share a scale; None: the whole row does, and the scales are (R, 1).

    Rules
    -----
    scale : the largest magnitude of a block, divided by 127.
    blocks : the first `block` numbers of a row share a scale, then the next ones, and so on.
    nearest : a value is the whole number nearest to weight / scale. (No test has two that are equally near.)
    zeros : a block that is all 0 has the scale 0 and the values 0, and no NaN is cast on the way: 0 / 0 is NaN, and
        what a cast to int8 makes of NaN is chance, 0 on one processor and perhaps not on another.
    refused : a block that is below 1 or does not divide C, and a weight with NaN or infinity in it, raise ValueError.
    dtype : the result is a tuple of an array of int8 and one of float32.
    argument : `weight` stays as it was.

    >>> values, scale = quantize(np.array([[63.5, -12.6], [0, 0]], np.float32))
    >>> values.tolist(), scale.tolist()
    ([[127, -25], [0, 0]], [[0.5], [0.0]])
    """
    # <solution quantize>
    rows, columns = weight.shape
    size = columns if block is None else block
    if size < 1 or columns % size:
        raise ValueError(f"block: expected a divisor of {columns}, got {size}")
    if not np.isfinite(weight).all():
        raise ValueError("weight: expected finite numbers")
    parts = weight.reshape(rows, columns // size, size)
    scale = (np.abs(parts).max(axis=2) / 127).astype(np.float32)
    divisor = np.where(scale > 0, scale, np.float32(1))
    values = np.rint(parts / divisor[:, :, None])
    return values.astype(np.int8).reshape(rows, columns), scale
    # </solution>


def quantize_without_nan(weight: np.ndarray, block: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Given: what quantize returns, where a NaN that is cast to whole numbers is an error instead of a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "invalid value encountered in cast")
        return quantize(weight, block)


def weight_afterwards(weight: np.ndarray, block: int | None = None) -> np.ndarray:
    """Given: the weight after a call of quantize."""
    quantize(weight, block)
    return weight


def dequantize(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(R, C) int8 and (R, B) float32 -> (R, C) float32: the numbers that values and scales stand for.

    Parameters
    ----------
    values : (R, C) int8.
    scale : (R, B) float32, where B divides C: a block is C / B neighbours of a row, as `quantize` makes them.

    Rules
    -----
    product : each value is multiplied by the scale of its row and block.
    dtype : the result is float32.
    refused : scales of more or fewer rows, and a B that does not divide C, raise ValueError. (0 divides
        nothing.)

    >>> values = np.array([[4, 100, -1, 3], [1, 2, 3, 4]], np.int8)
    >>> dequantize(values, np.array([[0.5, 10], [1, 2]], np.float32)).tolist()
    [[2.0, 50.0, -10.0, 30.0], [1.0, 2.0, 6.0, 8.0]]
    """
    # <solution dequantize>
    rows, columns = values.shape
    blocks = scale.shape[1]
    if len(scale) != rows or not blocks or columns % blocks:
        raise ValueError(f"scale: expected ({rows}, a divisor of {columns}), got {scale.shape}")
    return values * np.repeat(scale, columns // blocks, axis=1)
    # </solution>


def int8_matvec(values: np.ndarray, scale: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(R, C) int8, (R, B) float32 and x (C,) float32 -> y (R,) float32: a matrix times a vector, in whole numbers.

    x is quantized first, so that its products with the weights are products of whole numbers:

        y[r] = sum over blocks b of  scale[r, b] * x_scale[b] * (sum over the block of values[r, i] * x_values[i])

    Parameters
    ----------
    values, scale : the weights, as `quantize` gives them; B divides C.
    x : (C,) float32, finite.

    Rules
    -----
    rounded : x is quantized as a matrix of one row, in blocks as long as those of the weights, C / B numbers: the
        weights are multiplied by the rounded x, not by x itself.
    whole : the sum of a block is exact, as a sum of whole numbers is: it does not overflow, also where a block is
        100,000 numbers long, and of products that cancel nothing is left.
    scales : the sum of each block is multiplied by the block's two scales, and then the blocks are added.
    dtype : the result is (R,) float32.
    argument : `values`, `scale` and `x` stay as they were.

    >>> int8_matvec(np.array([[100, -100]], np.int8), np.array([[0.5]], np.float32), np.array([1.27, 0], np.float32))
    array([63.5], dtype=float32)
    """
    # <solution int8_matvec>
    rows, columns = values.shape
    blocks = scale.shape[1]
    x_values, x_scale = quantize(x[None], columns // blocks)
    parts = values.reshape(rows, blocks, -1).astype(np.int32)
    sums = (parts * x_values.reshape(blocks, -1)).sum(axis=2)
    return (sums * (scale * x_scale)).sum(axis=1).astype(np.float32)
    # </solution>


def matvec_afterwards(values: np.ndarray, scale: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """Given: `values`, `scale` and `x` after a call of int8_matvec."""
    int8_matvec(values, scale, x)
    return [values, scale, x]


def read_tensor(data: np.ndarray, name: str) -> np.ndarray:
    """(N,) uint8, the bytes of a file *.safetensors -> one of its tensors as float32.

        length of the header (8 bytes) | header | bytes of all tensors

    The length is a whole number without sign, its lowest byte first. The header is a JSON object, perhaps with spaces
    after it: `{"norm": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}`. A tensor's bytes are those
    from its first offset up to its second, its numbers stand row by row, the lowest byte of each first. The key
    `__metadata__`, if there is one, holds notes and no tensor.

    Parameters
    ----------
    data : as np.fromfile(path, np.uint8) reads it.
    name : of a tensor.

    Rules
    -----
    length : all of the first 8 bytes say how long the header is; where fewer bytes follow, raise ValueError.
    offsets : they count from the end of the header.
    shape : the result has the shape that the header says, of any number of axes.
    f32 : four bytes a number, taken as they are.
    f16 : two bytes a number, IEEE's half precision; the result is float32 all the same.
    bf16 : two bytes a number: the upper half of a float32, whose lower half is 0.
    missing : a name that is not in the header, and `__metadata__`, raise KeyError.
    refused : another dtype than these three, offsets beyond the end of the data, and offsets that leave more or fewer
        bytes than the shape needs, raise ValueError.

    Example
    -------
        header = b'{"bias": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}'
        data = len(header).to_bytes(8, "little") + header + bytes([0x80, 0x3F, 0x40, 0xC0])
        read_tensor(np.frombuffer(data, np.uint8), "bias")              # [ 1. -3.]: 0x3F80 and 0xC040
    """
    # <solution read_tensor>
    file = memoryview(data)
    start = 8 + int.from_bytes(file[:8], "little")
    if start > len(file):
        raise ValueError(f"the header: expected {start - 8} bytes, got {len(file) - 8}")
    header = json.loads(bytes(file[8:start]))
    if name == "__metadata__" or name not in header:
        raise KeyError(name)
    entry = header[name]
    size = {"F32": 4, "F16": 2, "BF16": 2}.get(entry["dtype"])
    if size is None:
        raise ValueError(f"{name}: expected F32, F16 or BF16, got {entry['dtype']}")
    first, last = entry["data_offsets"]
    held = file[start + first : start + last]
    if len(held) != last - first or len(held) != size * int(np.prod(entry["shape"])):
        raise ValueError(f"{name}: {len(held)} bytes for the shape {entry['shape']} of {entry['dtype']}")
    if entry["dtype"] == "BF16":
        numbers = (np.frombuffer(held, "<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        numbers = np.frombuffer(held, "<f4" if size == 4 else "<f2").astype(np.float32)
    return numbers.reshape(entry["shape"])
    # </solution>


def silu(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): x / (1 + e^-x). (Given.)"""
    with np.errstate(over="ignore"):
        return x / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    """(..., C) -> (..., C): e^x, divided by its sum along the last axis. (Given.)"""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def random_folder(seed: int = 0, **settings: Any) -> dict[str, np.ndarray]:
    """A tiny model with random weights, as it is published: the name of each file -> its bytes. (Given, for trying.)

    settings : of config.json, other than those below: random_folder(1, model_type="qwen2", num_key_value_heads=2)
    """
    config: dict[str, Any] = {"model_type": "llama", "vocab_size": 20, "hidden_size": 16, "intermediate_size": 24}
    config |= {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "rms_norm_eps": 1e-5}
    config |= {"rope_theta": 10000.0, "tie_word_embeddings": False} | settings
    size, inner, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    width = config.get("head_dim") or size // heads
    shared = (config.get("num_key_value_heads") or heads) * width
    parts = {"q": (heads * width, size), "k": (shared, size), "v": (shared, size), "o": (size, heads * width)}
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], size)}
    for n in range(config["num_hidden_layers"]):
        at = f"model.layers.{n}"
        shapes |= {f"{at}.{norm}_layernorm.weight": (size,) for norm in ("input", "post_attention")}
        shapes |= {f"{at}.self_attn.{part}_proj.weight": shape for part, shape in parts.items()}
        if config["model_type"] == "qwen2":
            shapes |= {f"{at}.self_attn.{part}_proj.bias": parts[part][:1] for part in "qkv"}
        shapes |= {f"{at}.mlp.{part}_proj.weight": (inner, size) for part in ("gate", "up")}
        shapes[f"{at}.mlp.down_proj.weight"] = (size, inner)
    shapes["model.norm.weight"] = (size,)
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (config["vocab_size"], size)
    rng = np.random.default_rng(seed)
    tensors = {
        name: rng.normal("norm" in name, 1.5 * shape[-1] ** -0.5 if len(shape) == 2 else 0.3, shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    return {"config.json": np.frombuffer(json.dumps(config).encode(), np.uint8), "model.safetensors": file_of(tensors)}


def folder_at(path: str) -> dict[str, np.ndarray]:
    """A folder that you have downloaded: the name of each of the two files -> its bytes. (Given, for trying.)"""
    return {name: np.fromfile(Path(path) / name, np.uint8) for name in ("config.json", "model.safetensors")}


REFUSED = ("rope_scaling", "rope_parameters", "rope_interleaved", "attention_bias", "mlp_bias", "use_sliding_window")
"""Settings that change the result in a way that is no part of the task. (Given.)"""


def next_logits(folder: Mapping[str, np.ndarray], ids: Sequence[int]) -> np.ndarray:
    """The folder of a Llama or Qwen2, and T tokens -> (V,) float32: a score for each token to come after them.

    This is the network of lesson 13. Its weights have these names, and shapes (outputs, inputs):

        model.embed_tokens.weight                                 a row for each token
        model.layers.0.input_layernorm.weight                     the norm before attention
        model.layers.0.self_attn.q_proj.weight                    and k_proj, v_proj, o_proj (which joins the heads)
        model.layers.0.self_attn.q_proj.bias                      and k_proj, v_proj, in qwen2 only
        model.layers.0.post_attention_layernorm.weight            the norm before the switch
        model.layers.0.mlp.gate_proj.weight                       and up_proj, down_proj
        model.norm.weight, lm_head.weight                         the last norm and the head

    Parameters
    ----------
    folder : a dict of the files "config.json", a JSON object with the settings named below, and "model.safetensors",
        each as (N,) uint8.
    ids : the tokens so far, each from 0 up to vocab_size - 1.

    Rules
    -----
    norm : x / sqrt(mean(x^2) + rms_norm_eps) * weight, for each token.
    layers : each of the num_hidden_layers adds twice to x: first attention of norm(x), then the switch of norm(x).
    attention : num_attention_heads heads, whose width D is head_dim or, where that is missing or null, hidden_size /
        num_attention_heads. Scores are divided by sqrt(D), and a token sees itself and those before it.
    rotated : queries and keys are turned by their place: the numbers i and i + D/2 of a head, by place * rope_theta ^
        (-2i/D). Without rope_theta it is 10000.
    groups : there are num_key_value_heads heads of keys and values, as many as of queries where that is missing. The
        first heads of queries share the first of them, the next ones the second, and so on, equally many each.
    switch : down(silu(gate(x)) * up(x)).
    biases : in a qwen2, q, k and v have one each; in a llama nothing has.
    head : the last norm and the head turn what became of the LAST token into the scores.
    tied : where tie_word_embeddings is true, there is no lm_head.weight: the table of the tokens takes its place.
        Where it is missing, it is false.
    dtype : the result is float32.
    refused : a model_type other than llama and qwen2, a setting of `REFUSED` that is there and neither false nor null,
        no ids at all, and an id that is below 0, or vocab_size or more, raise ValueError.

    Example
    -------
        next_logits(random_folder(), [3, 1, 4]).argmax()          # 2, the likeliest of the 20 tokens
    """
    # <solution next_logits>
    config = json.loads(bytes(folder["config.json"]))
    if config["model_type"] not in ("llama", "qwen2") or any(config.get(name) not in (None, False) for name in REFUSED):
        raise ValueError(f"expected a plain llama or qwen2, got {config}")
    if not ids or min(ids) < 0 or max(ids) >= config["vocab_size"]:
        raise ValueError(f"expected tokens below {config['vocab_size']}, got {ids}")
    heads = config["num_attention_heads"]
    key_heads = config.get("num_key_value_heads") or heads
    width = config.get("head_dim") or config["hidden_size"] // heads
    speeds = config.get("rope_theta", 10000.0) ** (-np.arange(0, width, 2) / width)
    angles = np.arange(len(ids))[:, None] * speeds
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    later = np.arange(len(ids)) > np.arange(len(ids))[:, None]

    def tensor(name: str) -> np.ndarray:
        return read_tensor(folder["model.safetensors"], name)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        mean = (x * x).mean(axis=-1, keepdims=True)
        return x / np.sqrt(mean + config["rms_norm_eps"]) * tensor(f"{name}.weight")

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        y = x @ tensor(f"{name}.weight").T
        return y + tensor(f"{name}.bias") if config["model_type"] == "qwen2" and name[-6] in "qkv" else y

    def rotate(x: np.ndarray) -> np.ndarray:
        left, right = np.split(x, 2, axis=-1)
        return np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)

    def attention(x: np.ndarray, at: str) -> np.ndarray:
        q, k, v = (linear(x, f"{at}.{p}_proj").reshape(len(x), -1, width).swapaxes(0, 1) for p in "qkv")
        k, v = (np.repeat(shared, heads // key_heads, axis=0) for shared in (rotate(k), v))
        scores = rotate(q) @ k.swapaxes(1, 2) / width**0.5
        scores[:, later] = -np.inf
        return linear((softmax(scores) @ v).swapaxes(0, 1).reshape(len(x), -1), f"{at}.o_proj")

    table = tensor("model.embed_tokens.weight")
    x = table[ids]
    for n in range(config["num_hidden_layers"]):
        at = f"model.layers.{n}"
        x = x + attention(norm(x, f"{at}.input_layernorm"), f"{at}.self_attn")
        y = norm(x, f"{at}.post_attention_layernorm")
        gate, up = linear(y, f"{at}.mlp.gate_proj"), linear(y, f"{at}.mlp.up_proj")
        x = x + linear(silu(gate) * up, f"{at}.mlp.down_proj")
    head = table if config.get("tie_word_embeddings") else tensor("lm_head.weight")
    return (norm(x[-1], "model.norm") @ head.T).astype(np.float32)
    # </solution>


def write_on(folder: Mapping[str, np.ndarray], ids: Sequence[int], count: int) -> list[int]:
    """Given: the next `count` tokens, each the likeliest by `next_logits`."""
    text = list(ids)
    for _ in range(count):
        text.append(int(next_logits(folder, text).argmax()))
    return text[len(ids) :]


def choose_block(weight: np.ndarray, blocks: Sequence[int], bound: float) -> int | None:
    """The block with which `quantize` needs the fewest bytes, and with which the error stays within a bound.

    The error is the root of the mean square of what dequantize(*quantize(weight, block)) differs from the weight,
    divided by the root of the mean square of the weight.

    Parameters
    ----------
    weight : (R, C) float32, finite.
    blocks : the blocks to choose from, each at least 1, in any order.
    bound : 0 or more.

    Rules
    -----
    error : the error with the chosen block is at most `bound`.
    fewest : of such blocks it is the one with the fewest bytes: a value takes one, a scale four.
    divides : a block that does not divide C is left out.
    none : where no block is left, the result is None.
    zeros : a weight that is all 0 has no error.
    range : weights of 1e-25 or 1e25, whose squares float32 does not hold, are judged like all others.
    dtype : the result is a plain int, or None.
    argument : `blocks` stays as it was.

    >>> weight = np.array([[1, 0.9, 0.011, 0.012]], np.float32)
    >>> choose_block(weight, [2, 4], 0.01), choose_block(weight, [2, 4], 0.002), choose_block(weight, [2, 4], 1e-5)
    (4, 2, None)
    """
    # <solution choose_block>
    squares = np.square(weight, dtype=np.float64).sum()
    for block in sorted(blocks, reverse=True):
        if weight.shape[1] % block == 0:
            difference = dequantize(*quantize(weight, block)) - weight
            if np.square(difference, dtype=np.float64).sum() <= bound**2 * squares:
                return int(block)
    return None
    # </solution>


def blocks_afterwards(weight: np.ndarray, blocks: list[int], bound: float) -> list[int]:
    """Given: `blocks` after a call of choose_block."""
    choose_block(weight, blocks, bound)
    return blocks
