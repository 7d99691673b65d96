"""The narrow YOLOv5 that finds digits: kuiper computes what torch computed, and its numbers are true."""

from __future__ import annotations

import numpy as np
import pytest

from kuiper.vision import Truth, average_precision, detect, iou, predictions

NAME = "detector"
SIDE = 256


def pictures(images):
    return images.transpose(0, 3, 1, 2).astype(np.float32) / 255


@pytest.fixture(scope="module")
def truth(held_out):
    ends = np.cumsum(held_out["counts"])
    starts = ends - held_out["counts"]
    return [Truth(held_out["boxes"][a:b], held_out["labels"][a:b]) for a, b in zip(starts, ends)]


@pytest.mark.slow
def test_rows_are_torchs(graph, held_out):
    expected = held_out["rows"]
    (rows,) = graph(pictures(held_out["images"][: len(expected)]))
    assert rows.dtype == np.float32
    assert rows.shape == (len(expected), 3 * (32**2 + 16**2 + 8**2), 5 + 10)
    assert np.abs(rows[..., :4] - expected[..., :4]).max() < 1e-4 * SIDE
    np.testing.assert_allclose(rows[..., 4:], expected[..., 4:], rtol=0, atol=1e-4)


def test_precision_on_the_stored_scenes_is_the_one_reported(graphs, held_out, truth, metrics):
    found = []
    for image in held_out["images"]:
        rows = predictions(graphs["fast"](pictures(image[None])), (SIDE, SIDE))[0]
        found.append(detect(rows, confidence=0.001, iou=0.6, multi_label=True))
    precision = average_precision(found, truth)
    assert len(found) == metrics["stored_scenes"]
    assert sum(len(picture.classes) for picture in truth) == metrics["stored_digits"]
    assert precision.at_50 == pytest.approx(metrics["stored_map50"], abs=5e-3)
    assert precision.at_50_to_95 == pytest.approx(metrics["stored_map50_95"], abs=5e-3)


def test_it_finds_large_digits_where_they_are(graphs, held_out, truth):
    hits = total = 0
    for image, there in zip(held_out["images"][:6], truth):
        found = detect(graphs["simple"](pictures(image[None]))[0][0])
        large = (there.boxes[:, 3] - there.boxes[:, 1]) > 30
        overlaps = iou(there.boxes[large], found.boxes) * (there.classes[large][:, None] == found.classes)
        hits, total = hits + int((overlaps > 0.5).any(axis=1).sum()), total + int(large.sum())
    assert total >= 10
    assert hits >= 0.7 * total


def test_a_picture_without_digits_has_none(graphs):
    ramp = np.linspace(0, 1, SIDE, dtype=np.float32)
    x = np.broadcast_to(ramp, (1, 3, SIDE, SIDE))
    assert len(detect(graphs["simple"](np.ascontiguousarray(x))[0][0])) == 0


def test_readme_reports_the_measured_numbers(readme, metrics):
    text = readme.replace(" %", "%")
    assert metrics["map50"] == pytest.approx(np.mean(metrics["ap50"]), abs=1e-4)
    for value in (metrics["map50"], metrics["map50_95"]):
        assert f"{value:.1%}" in text
    for value in (metrics["heldout_digits"], metrics["parameters"]):
        assert f"{value:,}" in text


def test_it_has_the_parts_of_yolov5(graphs):
    types = {operator.type for operator in graphs["simple"].operators}
    assert {"nn.Conv2d", "nn.SiLU", "nn.MaxPool2d", "nn.Upsample", "torch.cat", "pnnx.Attribute"} <= types


@pytest.mark.slow
def test_stored_scenes_show_what_was_held_out(held_out):
    for package in ("sklearn", "skimage"):
        pytest.importorskip(package, reason="digits and photographs lie in its wheel, which is not installed")
    from models import scenes

    _, (x, y) = scenes.scans()
    painter = scenes.Painter(scenes.photographs(scenes.HELD_OUT_PHOTOGRAPHS), x, y, 12)
    seen = 0
    for image, count in zip(held_out["images"][:3], held_out["counts"]):
        scene = painter.scene(SIDE, 8)
        assert scene.labels.tolist() == held_out["labels"][seen : seen + count].tolist()
        assert np.abs(scene.boxes - held_out["boxes"][seen : seen + count]).max() <= 1
        assert np.abs(scene.image.astype(int) - image).mean() < 1  # Pillow's versions may round otherwise
        seen += count
