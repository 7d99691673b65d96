"""The U-Net that finds the pixels of digits: kuiper computes what torch computed, and its numbers are true."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.vision import compare_masks, read_labels

NAME = "segmenter"
CLASSES = 2


def pictures(images):
    return images.transpose(0, 3, 1, 2).astype(np.float32) / 255


@pytest.mark.slow
def test_logits_are_torchs(graph, held_out):
    expected = held_out["logits"]
    (logits,) = graph(pictures(held_out["images"][: len(expected)]))
    assert logits.dtype == np.float32
    assert np.abs(logits - expected).max() <= 1e-4 * max(1, np.abs(expected).max())


def test_iou_on_the_stored_scenes_is_the_one_reported(graphs, held_out, metrics):
    found = np.concatenate([graphs["fast"](pictures(image[None]))[0].argmax(1) for image in held_out["images"]])
    agreement = compare_masks(found, held_out["masks"], CLASSES)
    assert len(found) == metrics["stored_scenes"]
    assert agreement.iou[1] == pytest.approx(metrics["stored_digit_iou"], abs=2e-3)
    assert agreement.mean_iou == pytest.approx(metrics["stored_mean_iou"], abs=2e-3)


@pytest.mark.slow
def test_picture_may_have_any_sides_that_16_divides(graphs, held_out):
    x = pictures(held_out["images"][:1])[:, :, :96, :112]
    simple, fast, compiled = (graph(x)[0] for graph in graphs.values())
    assert simple.shape == (1, CLASSES, 96, 112)
    for other in (fast, compiled):
        assert np.abs(simple - other).max() <= 1e-4 * np.abs(simple).max()


@pytest.mark.slow
def test_it_finds_most_of_what_is_there_in_a_piece_too(graphs, held_out):
    truth = held_out["masks"][:4, 16:112, 16:112]
    found = graphs["fast"](pictures(held_out["images"][:4, 16:112, 16:112]))[0].argmax(1)
    assert compare_masks(found, truth, CLASSES).iou[1] > 0.5


def test_a_picture_without_digits_has_next_to_none(graphs):
    ramp = np.linspace(0, 1, 128, dtype=np.float32)
    x = np.ascontiguousarray(np.broadcast_to(ramp, (1, 3, 128, 128)))
    assert graphs["fast"](x)[0].argmax(1).mean() < 0.05


def test_classes_have_names(folder, held_out):
    assert read_labels(str(folder / "labels.txt")) == ["photograph", "digit"]
    assert np.unique(held_out["masks"]).tolist() == [0, 1]


def test_readme_reports_the_measured_numbers(readme, metrics):
    text = readme.replace(" %", "%")
    assert metrics["mean_iou"] == pytest.approx((metrics["digit_iou"] + metrics["photograph_iou"]) / 2, abs=1e-4)
    for name in ("mean_iou", "digit_iou", "photograph_iou", "digit_dice", "pixel_accuracy", "digit_share"):
        assert f"{metrics[name]:.1%}" in text
    for name in ("heldout_digits", "parameters"):
        assert f"{metrics[name]:,}" in text


def test_it_is_a_u_net(graphs):
    types = [operator.type for operator in graphs["simple"].operators]
    assert types.count("nn.MaxPool2d") == types.count("nn.ConvTranspose2d") == types.count("torch.cat") == 4


def test_stored_scenes_show_what_was_held_out(held_out):
    for package in ("sklearn", "skimage"):
        pytest.importorskip(package, reason="digits and photographs lie in its wheel, which is not installed")
    from models import scenes

    _, (x, y) = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.HELD_OUT_PHOTOGRAPHS), x, y, 20, (24, 72))
    for image, mask in zip(held_out["images"][:3], held_out["masks"]):
        scene = painter.scene(len(image), 6)
        assert np.abs(scene.image.astype(int) - image).mean() < 1  # Pillow's versions may round otherwise
        assert ((scene.mask > 0) != mask).mean() < 0.002
