"""The trained digits network: kuiper computes what torch computed, and the numbers beside it are true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kuiper

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits"


@pytest.fixture(scope="module")
def graph():
    return kuiper.load(str(DIGITS / "digits.pnnx.param"))


@pytest.fixture(scope="module")
def held_out():
    with np.load(DIGITS / "heldout.npz", allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@pytest.fixture(scope="module")
def images(held_out):
    return held_out["images"].astype(np.float32)[:, np.newaxis]


@pytest.fixture(scope="module")
def metrics():
    return json.loads((DIGITS / "metrics.json").read_text())


def test_whole_batch_gives_torchs_logits(graph, images, held_out):
    (logits,) = graph(images)
    assert logits.dtype == np.float32
    assert logits.shape == (len(images), 10)
    np.testing.assert_allclose(logits, held_out["logits"], rtol=0, atol=1e-5)


def test_one_image_at_a_time_gives_torchs_logits(graph, images, held_out):
    rows = [graph(images[i : i + 1])[0] for i in range(0, len(images), 6)]
    np.testing.assert_allclose(np.concatenate(rows), held_out["logits"][::6], rtol=0, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 7, 64])
def test_batch_size_may_change_from_call_to_call(graph, images, held_out, size):
    for start in (0, size):
        (logits,) = graph(images[start : start + size])
        np.testing.assert_allclose(logits, held_out["logits"][start : start + size], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_accuracy_is_the_one_reported(graph, images, held_out, metrics):
    correct = int((graph(images)[0].argmax(axis=1) == held_out["labels"]).sum())
    assert correct == metrics["heldout_correct"]
    assert metrics["heldout_accuracy"] == correct / len(images) >= 0.99


def test_readme_reports_the_measured_accuracy(metrics):
    readme = (DIGITS / "README.md").read_text(encoding="utf-8")
    assert f"{metrics['heldout_correct']} of {metrics['heldout_images']}" in readme
    assert f"{metrics['heldout_accuracy']:.2%}" in readme.replace(" %", "%")
    assert f"{metrics['parameters']:,}" in readme


def test_held_out_scans_are_raw_and_every_digit_has_its_share(held_out, metrics):
    assert held_out["images"].shape == (metrics["heldout_images"], 8, 8)
    assert held_out["images"].dtype == np.uint8
    assert held_out["images"].max() == 16
    counts = np.bincount(held_out["labels"], minlength=10)
    assert len(counts) == 10
    assert counts.max() - counts.min() <= 2


def test_weights_are_small_enough_to_ship(metrics):
    size = (DIGITS / "digits.pnnx.bin").stat().st_size
    assert size == metrics["bin_bytes"] < 500_000


def test_network_uses_the_layers_that_the_lessons_build(graph):
    types = {operator.type for operator in graph.operators}
    assert types == {
        *("pnnx.Input", "pnnx.Output", "pnnx.Expression", "nn.Conv2d", "nn.ReLU", "nn.MaxPool2d"),
        *("nn.AdaptiveAvgPool2d", "nn.Sigmoid", "torch.flatten", "nn.Linear"),
    }
