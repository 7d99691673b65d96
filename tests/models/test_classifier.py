"""The classifier of pieces of photographs: kuiper computes what torch computed, and its numbers are true."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.vision import IMAGENET, read_labels

NAME = "classifier"


def normalised(images):
    return np.stack([IMAGENET(image.transpose(2, 0, 1)) for image in images])


@pytest.mark.slow
def test_logits_are_torchs(graph, held_out):
    (logits,) = graph(normalised(held_out["images"][:20]))
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, held_out["logits"][:20], rtol=0, atol=1e-4)


@pytest.mark.slow
def test_batch_size_may_change_from_call_to_call(graph, held_out):
    x = normalised(held_out["images"][:6])
    for size in (1, 3, 2):
        np.testing.assert_allclose(graph(x[:size])[0], held_out["logits"][:size], rtol=0, atol=1e-4)


def test_accuracy_on_the_stored_pieces_is_the_one_reported(graphs, held_out, metrics):
    logits = graphs["simple"](normalised(held_out["images"]))[0]
    np.testing.assert_allclose(logits, held_out["logits"], rtol=0, atol=1e-4)
    assert int((logits.argmax(1) == held_out["labels"]).sum()) == metrics["stored_correct"]
    assert len(held_out["labels"]) == metrics["stored_pieces"]


def test_every_class_has_a_name_and_its_share_of_the_pieces(folder, held_out, metrics):
    names = read_labels(str(folder / "labels.txt"))
    assert names == list(metrics["by_class"])
    assert np.bincount(held_out["labels"]).tolist() == [10] * len(names)


def test_readme_reports_the_measured_numbers(readme, metrics):
    assert metrics["heldout_accuracy"] == metrics["heldout_correct"] / metrics["heldout_pieces"]
    assert f"{metrics['heldout_correct']:,} of {metrics['heldout_pieces']:,}" in readme
    assert f"{metrics['heldout_accuracy']:.1%}" in readme.replace(" %", "%")
    assert f"{metrics['parameters']:,}" in readme
    for name, accuracy in metrics["by_class"].items():
        assert f"| {name} | {accuracy:.1%} |" in readme.replace(" %", "%")


def test_it_is_a_residual_network(graphs):
    types = {operator.type for operator in graphs["simple"].operators}
    assert {"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "pnnx.Expression", "nn.AdaptiveAvgPool2d", "nn.Linear"} <= types


@pytest.mark.slow
def test_stored_pieces_are_cut_from_the_held_out_parts(held_out):
    for package in ("sklearn", "skimage"):
        pytest.importorskip(package, reason="the photographs lie in its wheel, which is not installed")
    from models.classifier import patches

    pictures = patches.halves()[1]
    assert [picture.height for picture in pictures] == [picture.height for picture in patches.halves()[0]]
    images, labels = patches.Cutter(pictures, 18).batch(10)
    np.testing.assert_array_equal(labels, held_out["labels"][:10])
    assert np.abs(images.astype(int) - held_out["images"][:10]).mean() < 1  # Pillow's versions may round otherwise
