"""The letterbox against YOLOv5's own arithmetic and torch's resizing; boxes there and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kuiper import KuiperError, ShapeError
from kuiper.vision import Letterbox

SIDE = st.integers(1, 2000)


@settings(max_examples=200, deadline=None)
@given(SIDE, SIDE, st.sampled_from([(640, 640), (320, 640), (416, 96)]), st.booleans(), st.booleans())
def test_sizes_and_bars_are_yolov5s(h: int, w: int, target: tuple[int, int], narrow: bool, scaleup: bool) -> None:
    box = Letterbox.fit((h, w), target, stride=32 if narrow else None, scaleup=scaleup)
    r = min(target[0] / h, target[1] / w)
    if not scaleup:
        r = min(r, 1.0)
    width, height = max(1, round(w * r)), max(1, round(h * r))
    dw, dh = target[1] - width, target[0] - height
    if narrow:
        dw, dh = dw % 32, dh % 32
    dw, dh = dw / 2, dh / 2
    top, bottom, left, right = round(dh - 0.1), round(dh + 0.1), round(dw - 0.1), round(dw + 0.1)
    assert (box.scaled, box.top, box.left) == ((height, width), top, left)
    assert box.target == (height + top + bottom, width + left + right)
    assert not narrow or (box.target[0] % 32, box.target[1] % 32) == (target[0] % 32, target[1] % 32)


@settings(max_examples=100, deadline=None)
@given(SIDE, SIDE, st.booleans(), st.integers(0, 2**32 - 1))
def test_boxes_come_back_to_where_they_were(h: int, w: int, scaleup: bool, seed: int) -> None:
    box = Letterbox.fit((h, w), (640, 640), scaleup=scaleup)
    x, y = (np.sort(np.random.default_rng(seed + i).uniform(0, side, (5, 2))) for i, side in enumerate((w, h)))
    boxes = np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], 1)
    placed = box.place(boxes)
    assert (placed >= 0).all()
    assert (placed <= 640).all()
    np.testing.assert_allclose(box.restore(placed), boxes, atol=1e-3 * max(1, h / 640, w / 640))


def test_a_box_beyond_the_picture_is_clipped() -> None:
    box = Letterbox.fit((480, 640), (640, 640))
    np.testing.assert_array_equal(box.restore(np.array([[-9, 0, 700, 640]])), [[0, 0, 640, 480]])


def test_a_small_picture_stays_small_without_scaleup() -> None:
    box = Letterbox.fit((100, 50), (640, 640), scaleup=False)
    assert (box.scaled, box.top, box.left) == ((100, 50), 270, 295)
    np.testing.assert_array_equal(box.restore(np.array([[295, 270, 345, 370]])), [[0, 0, 50, 100]])


@pytest.mark.parametrize("target", [(640, 640), (96, 96), (180, 270)])
def test_the_picture_lies_between_grey_bars(scene: np.ndarray, target: tuple[int, int]) -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    box = Letterbox.fit((180, 270), target)
    made = box.apply(scene)
    assert made.shape == (*target, 3)
    inner = made[box.top : box.top + box.scaled[0], box.left : box.left + box.scaled[1]]
    x = torch.from_numpy(scene.transpose(2, 0, 1)[None].astype(np.float64))
    expected = torch.nn.functional.interpolate(x, box.scaled, mode="bilinear", align_corners=False)
    assert np.abs(inner.transpose(2, 0, 1) - expected[0].numpy()).max() <= 0.501
    bars = made.copy()
    bars[box.top : box.top + box.scaled[0], box.left : box.left + box.scaled[1]] = 114
    assert (bars == 114).all()


def test_wrong_sizes_and_pictures_are_errors(scene: np.ndarray) -> None:
    with pytest.raises(KuiperError, match="at least 1"):
        Letterbox.fit((0, 5), (640, 640))
    with pytest.raises(ShapeError, match=r"expected 5x5 pixels, found \(180, 270\)"):
        Letterbox.fit((5, 5), (64, 64)).apply(scene)
    with pytest.raises(ShapeError, match=r"\(H,W,3\) of uint8"):
        Letterbox.fit((5, 5), (64, 64)).apply(np.zeros((5, 5, 3)))
