"""ResNet18 and YOLOv5s with random weights, from a picture to names and boxes, against torch's own way there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
pytest.importorskip("pnnx", reason="exports with pnnx, which is not installed")
pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")
pytest.importorskip("PIL", reason="reads pictures, and Pillow is not installed")

import torch
from PIL import Image
from torch.nn.functional import interpolate
from typer.testing import CliRunner

from benchmarks.networks import NETWORKS, Network
from benchmarks.yolo import YOLOv5s
from kuiper.cli import app
from kuiper.vision import read_labels, read_picture, save_picture


@pytest.fixture
def photo(tmp_path: Path, scene: np.ndarray) -> Path:
    save_picture(tmp_path / "photo.png", scene)
    return tmp_path / "photo.png"


def table_of(*arguments: object) -> list[list[str]]:
    """The cells of the table that `kuiper run` prints, at least two spaces apart."""
    result = CliRunner().invoke(app, ["run", *map(str, arguments)], env={"NO_COLOR": "1", "COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    _, _, body = result.stdout.partition("──\n")
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in body.splitlines()]


@pytest.mark.slow
def test_resnet18_names_what_torch_finds_most_probable(
    tmp_path: Path, photo: Path, scene: np.ndarray, export: Callable[..., Path]
) -> None:
    module = NETWORKS["resnet18"].module()
    resized = Image.fromarray(scene).resize((384, 256), Image.Resampling.BILINEAR).crop((80, 16, 304, 240))
    x = torch.from_numpy(np.array(resized)).permute(2, 0, 1)[None] / 255
    x = (x - torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)) / torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    with torch.inference_mode():
        scores = module(x)
    values, numbers = scores.softmax(1)[0].topk(5)
    rows = table_of(export(module, x), photo, "--task", "classify", "-o", tmp_path / "y.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), scores, atol=1e-4 * float(scores.abs().max()))
    names = read_labels("imagenet")
    assert [row[:3] for row in rows] == [[str(i + 1), str(n), names[n]] for i, n in enumerate(numbers.tolist())]
    np.testing.assert_allclose([float(row[3].rstrip("%")) / 100 for row in rows], values, atol=2e-4)


@pytest.fixture(scope="module")
def yolo() -> Any:
    """YOLOv5s an eighth as wide, all else as it is: 640 pixels, 25200 rows of 85."""
    module = Network("yolov5s", "an eighth", lambda: YOLOv5s(width=4), (1, 3, 640, 640)).module()
    with torch.no_grad():  # extents near the anchors', and few boxes that are sure of themselves
        for head in module.detect.heads:
            head.weight *= 0.3
            head.bias.view(3, 85)[:, 4] -= 3
    return module


@pytest.mark.slow
def test_yolov5s_boxes_are_those_that_torch_leads_to(
    tmp_path: Path,
    photo: Path,
    scene: np.ndarray,
    yolo: Any,
    export: Callable[..., Path],
    suppress: Callable[..., list],
) -> None:
    canvas = torch.full((1, 3, 640, 640), 114.0)
    pixels = torch.from_numpy(scene.transpose(2, 0, 1)[None].astype(np.float32))
    canvas[:, :, 106:533] = interpolate(pixels, (427, 640), mode="bilinear").round()
    with torch.inference_mode():
        y = yolo(canvas / 255)[0].numpy().astype(np.float64)
    score = y[:, 4] * y[:, 5:].max(1)
    limit = round(float(np.sort(score)[-200:-150].mean()), 4)
    sure = y[score > limit]
    boxes = np.concatenate([sure[:, :2] - sure[:, 2:4] / 2, sure[:, :2] + sure[:, 2:4] / 2], 1)
    scores, classes = sure[:, 4] * sure[:, 5:].max(1), sure[:, 5:].argmax(1)
    stay = suppress(boxes, scores, classes, 0.45, 300)[:20]
    expected = (boxes[stay] - [0, 106, 0, 106]) / [640 / 270, 427 / 180, 640 / 270, 427 / 180]
    expected = np.clip(expected, 0, [270, 180, 270, 180])

    param = export(yolo, torch.rand(1, 3, 640, 640))
    rows = table_of(param, photo, "--task", "detect", "--conf", limit, "--top", 20, "-o", tmp_path / "found.png")
    assert len(rows) == len(stay) > 5
    names = read_labels("coco")
    assert [row[0] for row in rows] == [names[classes[i]] for i in stay]
    np.testing.assert_allclose([float(row[1]) for row in rows], scores[stay], atol=2e-3)
    np.testing.assert_allclose([[float(v) for v in row[2:]] for row in rows], expected, atol=1.0)
    drawn = read_picture(tmp_path / "found.png")
    assert drawn.shape == scene.shape
    assert (drawn != scene).any()
