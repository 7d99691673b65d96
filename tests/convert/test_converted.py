"""What `convert` writes: one network for every engine, tables shared, weights aligned; and what it needs for that."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper import KuiperError, pnnx
from kuiper.compiled import llvm
from kuiper.convert import convert, read_model
from kuiper.pnnx import archive
from kuiper.text import Cache, Sampler, Tokens, attention_of, forward, write

WRITER = Path(__file__).resolve().parents[2] / "models" / "writer"
QWEN = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "tie_word_embeddings": True}


@pytest.mark.slow
@pytest.mark.skipif(not llvm.installed(), reason="the compiler needs llvmlite, of the extra speed")
@pytest.mark.parametrize("settings", [QWEN, {"attention_bias": True}], ids=["qwen2", "llama"])
def test_machine_code_computes_what_the_layers_compute(folder_of, settings):
    param = convert(folder_of(**settings).folder).param
    found = []
    for engine in ("simple", "compiled"):
        graph = kuiper.load(param, engine=engine)
        cache = Cache.of(graph, 9)
        found.append(
            np.concatenate([forward(graph, [3, 1, 4, 1, 5], cache), *(forward(graph, [i], cache) for i in (9, 2))])
        )
    np.testing.assert_allclose(found[1], found[0], atol=2e-5 * np.abs(found[0]).max())


@pytest.fixture(scope="module")
def republished(publish_in, tmp_path_factory) -> Path:
    """models/writer as Hugging Face would publish it, converted."""
    trained = pnnx.read(WRITER / "writer.pnnx.param")
    names = {"words": "model.embed_tokens", "head": "lm_head", "rmsnorm_8": "model.norm"}
    for i in range(4):
        at = f"model.layers.{i}"
        names |= {f"blocks.{i}.attention.{part}": f"{at}.self_attn.{part}_proj" for part in "qkv"}
        names |= {f"blocks.{i}.{part}": f"{at}.mlp.{part}_proj" for part in ("gate", "up", "down")}
        names[f"blocks.{i}.attention.out"] = f"{at}.self_attn.o_proj"
        names[f"rmsnorm_{2 * i}"] = f"{at}.input_layernorm"
        names[f"rmsnorm_{2 * i + 1}"] = f"{at}.post_attention_layernorm"
    config = {
        "model_type": "llama", "hidden_size": 128, "intermediate_size": 320, "num_hidden_layers": 4, "vocab_size": 1024,
        "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5,
        "max_position_embeddings": 192,
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("republished")
    weights = {f"{new}.weight": trained.operator(old).attributes["weight"].raw for old, new in names.items()}
    publish_in(folder, config, weights=weights)
    return convert(folder, folder / "out").param


def test_the_writers_own_weights_give_its_logits(republished):
    with np.load(WRITER / "heldout.npz", allow_pickle=False) as stored:
        words, expected = stored["words"][0, :64].tolist(), stored["logits"][0]
    graph = kuiper.load(republished)
    found = forward(graph, words, Cache.of(graph, 64))
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_the_writer_writes_the_same_text_when_converted(republished):
    tokens = Tokens.load(WRITER / "tokens.json")
    texts = [
        "".join(write(kuiper.load(param), tokens, "The function returns", 30, sampler=Sampler(temperature=0)))
        for param in (WRITER / "writer.pnnx.param", republished)
    ]
    assert texts[0] == texts[1]
    assert len(texts[0]) > 30


def test_the_writers_attention_is_that_of_its_converted_self(republished):
    for one, other in zip(
        *(attention_of(kuiper.load(param), [3, 1, 4, 1, 5], 2) for param in (WRITER / "writer.pnnx.param", republished))
    ):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_tied_table_is_stored_once_and_read_by_both(folder_of):
    made = convert(folder_of(tie_word_embeddings=True).folder)
    graph = pnnx.read(made.param)
    (table,) = [op for op in graph if any(a.shape == (50, 24) for a in op.attributes.values())]
    assert [op.type for op in table.outputs[0].consumers] == ["F.embedding", "F.linear"]
    assert made.parameters == sum(a.raw.size for op in graph for a in op.attributes.values()) - len(_speeds(graph))


def _speeds(graph: pnnx.Graph) -> np.ndarray:
    return graph.operator("speeds").attributes["data"].raw


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_weights_become_float32_that_lie_aligned(folder_of, kind):
    published = folder_of(kind)
    graph = pnnx.read(convert(published.folder).param)
    attributes = [(op, a) for op in graph for a in op.attributes.values()]
    assert all(a.dtype.code == "f32" and a.data.ctypes.data % 64 == 0 for _, a in attributes)
    product = graph.operator("model.layers.1.mlp.down_proj").attributes["weight"]
    np.testing.assert_array_equal(product.data, published.weights["model.layers.1.mlp.down_proj.weight"])


def test_a_folder_can_be_computed_without_writing_anything(folder_of):
    published = folder_of("F32")
    architecture, graph = read_model(published.folder)
    assert (architecture.layers, architecture.key_heads, architecture.positions) == (2, 2, 64)
    direct, converted = kuiper.load(graph), kuiper.load(convert(published.folder).param)
    texts = [forward(network, [1, 2, 3], Cache.of(network, 3)) for network in (direct, converted)]
    np.testing.assert_array_equal(*texts)


def test_memory_is_needed_for_a_piece_not_for_the_weights(folder_of, monkeypatch):
    monkeypatch.setattr(archive, "PIECE", 1 << 18)
    folder = folder_of("BF16", vocab_size=4000, hidden_size=256, head_dim=64, intermediate_size=2048).folder
    tracemalloc.start()
    try:
        made = convert(folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.bytes > 20_000_000
    assert peak < made.bytes / 8


@pytest.mark.slow
def test_only_numpy_is_needed(folder_of):
    code = f"""
import sys
from kuiper.convert import convert
convert({str(folder_of("BF16").folder)!r})
print([name for name in ("torch", "transformers", "safetensors", "pnnx", "tokenizers") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_are_named_after_the_folder_and_lie_in_it_unless_told_otherwise(folder_of, tmp_path):
    folder = folder_of().folder
    named = folder.rename(folder.with_name("Qwen2.5-0.5B"))
    assert convert(named).param == named / "Qwen2.5-0.5B.pnnx.param"
    made = convert(named, tmp_path / "new" / "place")
    assert (made.param, made.bin) == tuple(
        tmp_path / "new" / "place" / f"Qwen2.5-0.5B.pnnx.{s}" for s in ("param", "bin")
    )
    assert made.bytes == made.param.stat().st_size + made.bin.stat().st_size


def test_a_folder_that_cannot_be_written_is_an_error_in_words(folder_of, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KuiperError, match="expected a folder to write to"):
        convert(folder_of().folder, tmp_path / "file")


def test_nothing_is_written_for_a_folder_that_is_refused(folder_of, tmp_path):
    folder = folder_of(hidden_act="gelu").folder
    with pytest.raises(KuiperError):
        convert(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert json.loads((folder / "config.json").read_text())["hidden_act"] == "gelu"
