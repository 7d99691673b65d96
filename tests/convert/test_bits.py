"""Fewer bits by `convert`: language models as Hugging Face publishes them, and any PNNX network."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import kuiper
from kuiper import KuiperError, pnnx
from kuiper.compiled import llvm
from kuiper.convert import convert, convert_network
from kuiper.pnnx import archive
from kuiper.quantize import QuantizedWeight, network, quantize_network, weights_of
from kuiper.text import Cache, forward

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
@pytest.mark.parametrize(("bits", "block"), [(8, None), (8, 8), (16, None)])
@pytest.mark.parametrize("tied", [True, False])
def test_a_language_model_computes_what_the_rounded_weights_say(folder_of, tmp_path, kind, bits, block, tied):
    folder = folder_of(kind, tie_word_embeddings=tied).folder
    small = kuiper.load(convert(folder, tmp_path / "small", bits=bits, block=block).param, engine="simple")
    rounded = quantize_network(pnnx.read(tmp_path / "small" / "network.pnnx.param"), 32).graph
    exact = kuiper.load(convert(folder, tmp_path / "exact").param, engine="simple")
    logits = [forward(net, [3, 1, 4, 1, 5], Cache.of(net, 5)) for net in (small, kuiper.load(rounded), exact)]
    np.testing.assert_allclose(logits[0], logits[1], atol=2e-5 * np.abs(logits[1]).max())
    off = np.abs(logits[0] - logits[2]).max() / np.abs(logits[2]).max()
    if bits == 16 and kind != "F32":  # bfloat16 has fewer digits than float16, and these weights are of its range
        assert off == 0
    else:
        assert 1e-6 < off < (0.05 if bits == 8 else 0.005)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("block", [None, 8])
def test_all_products_of_a_language_model_round(folder_of, tmp_path, tied, block):
    engines = ["simple", "fast", *(["compiled"] if llvm.installed() else [])]
    folder = folder_of(tie_word_embeddings=tied).folder
    made = convert(folder, tmp_path / "small", bits=8, block=block, activations=8)
    graph = pnnx.read(made.param)
    linear = [op for op in graph if op.type in ("nn.Linear", "F.linear")]
    assert made.quantized is not None
    assert made.quantized.rounding == tuple(op.name for op in linear)
    assert all(op.params["activation_bits"].value == 8 for op in linear)
    plain = convert(folder, tmp_path / "plain", bits=8, block=block)
    found = {}
    for name, param in (("rounded", made.param), ("plain", plain.param)):
        for engine in engines:
            net = kuiper.load(param, engine=engine)
            found[name, engine] = forward(net, [3, 1, 4, 1, 5], Cache.of(net, 5))
    size = np.abs(found["plain", "simple"]).max()
    for engine in engines:
        difference = np.abs(found["rounded", engine] - found["plain", "simple"]).max()
        assert 1e-4 * size < difference < 0.1 * size
        np.testing.assert_allclose(found["rounded", engine], found["rounded", "simple"], atol=0.02 * size)


def test_only_matrices_take_fewer_bits(folder_of, tmp_path):
    made = convert(folder_of("BF16", attention_bias=True).folder, tmp_path / "small", bits=16)
    graph = pnnx.read(made.param)
    kinds = {(key, a.dtype.code) for op in graph for key, a in op.attributes.items() if len(a.shape) > 1}
    assert kinds == {("weight", "f16")}
    assert {a.dtype.code for op in graph for a in op.attributes.values() if len(a.shape) == 1} == {"f32"}
    assert all(a.raw.ctypes.data % 64 == 0 for op in graph for a in op.attributes.values())


def test_the_table_of_a_tied_model_is_stored_once(folder_of, tmp_path):
    made = convert(folder_of(tie_word_embeddings=True).folder, tmp_path / "small", bits=8)
    graph = pnnx.read(made.param)
    (table,) = [op for op in graph if any(a.shape == (50, 24) for a in op.attributes.values())]
    assert [op.type for op in table.outputs[0].consumers] == ["F.embedding", "F.linear"]
    assert weights_of(table)["data"].values.dtype == np.int8
    network = kuiper.load(made.param, engine="fast")
    cache = Cache.of(network, 4)
    for word in (1, 2, 3):
        forward(network, [word], cache)
    tables = [op.layer.data for op in network.operators if op.type == "pnnx.Attribute" and op.name != "speeds"]
    assert [type(data) for data in tables] == [QuantizedWeight]


def test_memory_is_needed_for_a_piece_not_for_the_weights(folder_of, monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "PIECE", 1 << 18)
    monkeypatch.setattr(network, "PIECE", 1 << 14)
    folder = folder_of("BF16", vocab_size=4000, hidden_size=256, head_dim=64, intermediate_size=2048).folder
    tracemalloc.start()
    try:
        made = convert(folder, tmp_path / "small", bits=8, block=32)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 5_500_000 < made.bytes < 6_500_000
    assert peak < made.bytes / 3


@pytest.fixture
def call():
    """The command: its outcome, and what it said on one line."""
    pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
    pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")
    from typer.testing import CliRunner

    from kuiper.cli import app

    def run(*arguments: object):
        done = CliRunner().invoke(app, ["convert", *map(str, arguments)])
        return done, " ".join(done.output.split())

    return run


@pytest.mark.parametrize(("options", "words", "most"), [
    (["--bits", 8], "9 in 8 bits, a scale for each row: 315 KiB as float32, 80.3 KiB now", 0.3),
    (["--bits", 8, "--block", 32], "32 numbers, for each row of convbn2d_0, block2.gate.expand, whose", 0.35),
    (["--bits", 16], "9 in 16 bits", 0.55),
    (["--bits", 32], "none in fewer bits", 1.01),
])  # fmt: skip
def test_any_network_takes_fewer_bits(call, tmp_path, options, words, most):
    done, said = call(*options, DIGITS, "-o", tmp_path / "out")
    assert done.exit_code == 0, said
    assert words in said
    before, after = (
        sum(path.stat().st_size for path in folder.glob("digits.pnnx.*")) for folder in (DIGITS, tmp_path / "out")
    )
    assert after < most * before
    assert f"({after / before:.0%})" in said
    x = np.random.default_rng(0).uniform(0, 16, (4, 1, 8, 8)).astype(np.float32)
    found, expected = (kuiper.load(folder / "digits.pnnx.param")(x)[0] for folder in (tmp_path / "out", DIGITS))
    np.testing.assert_allclose(found, expected, atol=0.03 * np.abs(expected).max())


def test_a_language_model_in_fewer_bits_says_so(call, folder_of, tmp_path):
    done, said = call("--bits", 8, "--block", 8, folder_of().folder, "-o", tmp_path / "out")
    assert done.exit_code == 0, said
    assert "16 in 8 bits, a scale for each 8 numbers" in said
    assert "rms 0." in said
    assert "activations" not in said


def test_a_language_model_whose_products_round_says_so(call, folder_of, tmp_path):
    done, said = call("--bits", 8, "--activations", 8, folder_of().folder, "-o", tmp_path / "out")
    assert done.exit_code == 0, said
    assert "activations in 8 bits before 15 products" in said


@pytest.mark.parametrize(("arguments", "words"), [
    (["--bits", 4, DIGITS], "--bits is one of 8, 16, 32, not 4"),
    (["--block", 32, DIGITS], "--block is a number from 1 on, beside --bits 8"),
    (["--bits", 16, "--block", 32, DIGITS], "--block is a number from 1 on, beside --bits 8"),
    (["--bits", 8, "--block", 0, DIGITS], "--block is a number from 1 on, beside --bits 8"),
    (["--bits", 8, DIGITS], "is a PNNX network: expected --bits and --output"),
    (["--activations", 8, DIGITS], "--activations is 32, or 8 beside --bits 8"),
    (["--bits", 16, "--activations", 8, DIGITS], "--activations is 32, or 8 beside --bits 8"),
    (["--bits", 8, "--activations", 16, DIGITS], "--activations is 32, or 8 beside --bits 8"),
    ([DIGITS, "-o", "somewhere"], "is a PNNX network: expected --bits and --output"),
    (["--bits", 8, DIGITS, "-o", DIGITS], "expected another folder than that of digits.pnnx.param"),
    (["--bits", 8, "nowhere", "-o", "somewhere"], "expected a model file, its stem, or a folder"),
])  # fmt: skip
def test_what_cannot_be_done_is_said(call, arguments, words):
    done, _ = call(*arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.output.replace("│", " ").split())
    assert not Path("somewhere").exists()


def test_nothing_is_written_of_a_network_that_cannot_be_rounded(tmp_path):
    graph = pnnx.read(DIGITS / "digits.pnnx.param")
    op = next(op for op in graph if op.type == "nn.Linear")
    op.attributes["weight"] = pnnx.Attribute.from_array(np.full((10, 256), 1e6, np.float32))
    pnnx.write(graph, tmp_path / "net.pnnx.param")
    with pytest.raises(KuiperError, match="classifier: weight: expected magnitudes up to 65504"):
        convert_network(tmp_path / "net.pnnx.param", tmp_path / "out", bits=16)
    assert not (tmp_path / "out").exists()
    assert convert_network(tmp_path / "net.pnnx.param", tmp_path / "out", bits=8).bytes > 0


def test_a_folder_that_cannot_be_written_is_an_error_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KuiperError, match="expected a folder to write to"):
        convert_network(DIGITS / "digits.pnnx.param", tmp_path / "file", bits=8)


@pytest.mark.slow
def test_what_tasks_read_comes_along_and_nothing_else(call, tmp_path):
    done, _ = call("--bits", 8, DIGITS.parent / "writer", "-o", tmp_path / "writer")
    assert done.exit_code == 0
    assert "beside it tokens.json" in " ".join(done.output.split())
    names = {path.name for path in (tmp_path / "writer").iterdir()}
    assert names == {"writer.pnnx.param", "writer.pnnx.bin", "tokens.json"}
    typed = ["run", str(tmp_path / "writer"), "--task", "write", "--prompt", "The class", "--tokens", "2"]
    from typer.testing import CliRunner

    from kuiper.cli import app

    assert CliRunner().invoke(app, typed).exit_code == 0

    made = convert_network(DIGITS.parent / "detector" / "detector.pnnx.param", tmp_path / "detector", bits=8)
    assert made.beside == ("labels.txt",)
    written = (tmp_path / "detector" / "labels.txt").read_bytes()
    assert written == (DIGITS.parent / "detector" / "labels.txt").read_bytes()


def test_what_a_converted_chat_needs_comes_along_when_its_network_is_rounded_later(tmp_path):
    (tmp_path / "whole").mkdir()
    for path in DIGITS.glob("digits.pnnx.*"):
        (tmp_path / "whole" / path.name).write_bytes(path.read_bytes())
    names = ("tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja", "kuiper.json")
    for name in (*names, "notes.txt"):
        (tmp_path / "whole" / name).write_text(name)
    made = convert_network(tmp_path / "whole" / "digits.pnnx.param", tmp_path / "small", bits=8)
    assert set(made.beside) == set(names)
    assert not (tmp_path / "small" / "notes.txt").exists()
