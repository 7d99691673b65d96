"""`kuiper convert`: what it says of what it made, and errors without a traceback."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("rich", reason="the command line needs typer and rich, which are not installed")

from typer.testing import CliRunner

import kuiper
from kuiper.cli import app


def call(*arguments: object):
    return CliRunner().invoke(app, ["convert", *map(str, arguments)])


def test_it_says_what_it_made(folder_of, tmp_path):
    done = call(folder_of("BF16", tie_word_embeddings=True).folder, "--output", tmp_path / "out")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "llama: 2 layers, width 24, 4 heads of 6 that share 2 of keys and values; 50 tokens, one table" in said
    assert "10.5 k (10,536)" in said
    param = tmp_path / "out" / "network.pnnx.param"
    assert str(param) in said.replace(" ", "")
    assert [op.type for op in kuiper.load(param).operators].count("nn.Linear") == 14


def test_settings_that_are_not_known_are_named(folder_of):
    done = call(folder_of(logit_softness=3).folder)
    assert done.exit_code == 0
    assert "kuiper does not know: logit_softness" in done.stderr


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model_type": "mamba"}, ["model_type", "llama, qwen2", "'mamba'"]),
        ({"vocab_size": 51}, ["(51,24)", "(50,24)"]),
    ],
)
def test_a_folder_that_is_refused_ends_in_one_sentence(folder_of, changed, words):
    published = folder_of()
    (published.folder / "config.json").write_text(json.dumps({**published.config, **changed}))
    done = call(published.folder)
    assert done.exit_code == 2
    assert all(word in done.stderr for word in words), done.stderr
    assert "Traceback" not in done.output


def test_a_converted_network_whose_published_weights_are_gone_is_converted_as_a_network(folder_of, tmp_path):
    folder = folder_of().folder
    assert call(folder).exit_code == 0
    (folder / "model.safetensors").unlink()
    done = call("--bits", 8, folder, "--output", tmp_path / "small")
    assert done.exit_code == 0, done.output
    assert "weights 16 in 8 bits" in " ".join(done.stdout.split())
