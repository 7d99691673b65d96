"""The U-Net that finds the pixels of digits: kuiper computes what torch computed, and its numbers are true."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.vision import compare_masks

NAME = "segmenter"


def pictures(images):
    return images.transpose(0, 3, 1, 2).astype(np.float32) / 255


def test_logits_are_torchs(graph, held_out):
    expected = held_out["logits"]
    (logits,) = graph(pictures(held_out["images"][: len(expected)]))
    assert logits.dtype == np.float32
    assert np.abs(logits - expected).max() <= 1e-4 * max(1, np.abs(expected).max())


def test_iou_on_the_stored_scenes_is_the_one_reported(graphs, held_out, metrics):
    found = np.concatenate([graphs["simple"](pictures(image[None]))[0].argmax(1) for image in held_out["images"]])
    agreement = compare_masks(found, held_out["masks"], 2)
    assert len(found) == metrics["stored_scenes"]
    assert agreement.iou[1] == pytest.approx(metrics["stored_digit_iou"], abs=2e-3)


def test_picture_may_have_any_sides_that_16_divides(graphs, held_out):
    x = pictures(held_out["images"][:1])[:, :, :96, :112]
    simple, fast = (graph(x)[0] for graph in graphs.values())
    assert simple.shape == (1, 2, 96, 112)
    assert np.abs(simple - fast).max() <= 1e-4 * np.abs(simple).max()


def test_far_from_the_border_a_piece_is_segmented_as_in_the_whole(graphs, held_out, metrics):
    truth = held_out["masks"][0, 16:112, 16:112]
    found = graphs["fast"](pictures(held_out["images"][:1])[:, :, 16:112, 16:112])[0][0].argmax(0)
    assert compare_masks(found, truth, 2).iou[1] > 0.5


def test_readme_reports_the_measured_numbers(readme, metrics):
    text = readme.replace(" %", "%")
    for name in ("digit_iou", "digit_dice", "photograph_iou", "pixel_accuracy"):
        assert f"{metrics[name]:.1%}" in text
    assert f"{metrics['parameters']:,}" in text


def test_it_is_a_u_net(graphs):
    types = {operator.type for operator in graphs["simple"].operators}
    assert {"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "nn.ConvTranspose2d", "torch.cat"} <= types


def test_stored_scenes_show_what_was_held_out(held_out):
    for package in ("sklearn", "skimage"):
        pytest.importorskip(package, reason="digits and photographs lie in its wheel, which is not installed")
    from models import scenes

    _, (x, y) = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.HELD_OUT_PHOTOGRAPHS), x, y, 20, (14, 44))
    for image, mask in zip(held_out["images"][:2], held_out["masks"]):
        scene = painter.scene(len(image), 4)
        assert np.abs(scene.image.astype(int) - image).mean() < 1  # Pillow's versions may round otherwise
        assert ((scene.mask > 0) != mask).mean() < 0.002
