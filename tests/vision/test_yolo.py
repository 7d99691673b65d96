"""YOLOv5's outputs at full size: decoding against torch, choosing against a loop over 25200 rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kuiper import KuiperError, ShapeError
from kuiper.vision import Detections, decode, detect, predictions
from kuiper.vision.boxes import area
from kuiper.vision.yolo import ANCHORS, CANDIDATES

STRIDES = (8, 16, 32)


@pytest.fixture(scope="module")
def heads() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.normal(0, 2, (2, 255, 640 // s, 640 // s)).astype(np.float32) for s in STRIDES]


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """(25200,85) as an untrained network might give: few boxes above the threshold, many that overlap."""
    rng = np.random.default_rng(6)
    rows = rng.random((25200, 85)).astype(np.float32)
    rows[:, :2] *= 640
    rows[:, 2:4] = rows[:, 2:4] * 150 + 5
    rows[:, 4] **= 16
    return rows


def in_torch(heads: list[np.ndarray]) -> np.ndarray:
    """Detect as YOLOv5 writes it, with its grids and anchors relative to the stride."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
    found = []
    for head, stride, kinds in zip(heads, STRIDES, ANCHORS, strict=True):
        n, _, ny, nx = head.shape
        x = torch.from_numpy(head).view(n, 3, 85, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        yv, xv = torch.meshgrid(torch.arange(ny).float(), torch.arange(nx).float(), indexing="ij")
        grid = torch.stack((xv, yv), 2).expand(1, 3, ny, nx, 2) - 0.5
        anchors = torch.tensor(kinds).float() / stride
        anchor_grid = (anchors * stride).view(1, 3, 1, 1, 2).expand(1, 3, ny, nx, 2)
        xy, wh, conf = x.sigmoid().split((2, 2, 81), 4)
        y = torch.cat(((xy * 2 + grid) * stride, (wh * 2) ** 2 * anchor_grid, conf), 4)
        found.append(y.view(n, 3 * nx * ny, 85))
    return torch.cat(found, 1).numpy()


def test_heads_are_decoded_as_yolov5s_detect_does(heads: list[np.ndarray]) -> None:
    found = decode(heads, (640, 640))
    assert found.shape == (2, 25200, 85)
    np.testing.assert_allclose(found, in_torch(heads), rtol=1e-5, atol=1e-4)


def test_outputs_are_recognised_decoded_or_raw_in_any_order(heads: list[np.ndarray]) -> None:
    done = decode(heads, (640, 640))
    apart = [x.reshape(2, 3, 85, *x.shape[2:]).transpose(0, 1, 3, 4, 2) for x in heads]
    for outputs in ([done], [done, *apart], heads, heads[::-1], apart):
        np.testing.assert_array_equal(predictions(outputs, (640, 640)), done)


def test_a_grid_that_is_not_square_is_decoded(heads: list[np.ndarray]) -> None:
    oblong = [x[:, :, : x.shape[2] // 2] for x in heads]
    found = decode(oblong, (320, 640))
    whole = decode(heads, (640, 640)).reshape(2, -1, 85)
    upper = whole[0][:19200].reshape(3, 80, 80, 85)[:, :40].reshape(-1, 85)
    np.testing.assert_array_equal(found[0, : 3 * 40 * 80], upper)


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        ([(1, 84, 8400)], r"found \(1, 84, 8400\)"),
        ([(1, 1000)], r"found \(1, 1000\)"),
        ([(1, 255, 80, 80)], r"found \(1, 255, 80, 80\)"),
        ([], "found none"),
    ],
)
def test_other_outputs_are_refused(shapes: list[tuple[int, ...]], found: str) -> None:
    with pytest.raises(ShapeError, match=r"outputs of YOLOv5: expected .*" + found):
        predictions([np.zeros(shape, np.float32) for shape in shapes], (640, 640))


def test_heads_that_do_not_fit_the_input_are_refused(heads: list[np.ndarray]) -> None:
    with pytest.raises(ShapeError, match="630x640 divided by a stride"):
        decode(heads, (630, 640))
    with pytest.raises(ShapeError, match="3 arrays, one for each group of anchors"):
        decode(heads[:2], (640, 640))
    with pytest.raises(ShapeError, match=r"expected \(N,3\*\(5\+classes\),h,w\)"):
        decode([x[:, :254] for x in heads], (640, 640))


@pytest.mark.slow
@pytest.mark.parametrize(("confidence", "overlap"), [(0.25, 0.45), (0.6, 0.2), (0.5, 1.0)])
def test_25200_rows_are_chosen_as_a_loop_chooses(
    suppress: Callable[..., list[int]], rows: np.ndarray, confidence: float, overlap: float
) -> None:
    candidates = []
    for x, y, w, h, objectness, *shares in rows[rows[:, 4] > confidence].astype(np.float32):
        best = int(np.argmax(shares))
        score = np.float32(shares[best]) * objectness
        if score > confidence:
            candidates.append((x - w / 2, y - h / 2, x + w / 2, y + h / 2, score, best))
    table = np.array(candidates, np.float64)
    stay = suppress(table[:, :4], table[:, 4], table[:, 5], overlap, 300)
    found = detect(rows, confidence=confidence, iou=overlap)
    assert 20 < len(found) <= 300
    np.testing.assert_allclose(found.boxes, table[stay, :4], rtol=1e-6)
    np.testing.assert_allclose(found.scores, table[stay, 4], rtol=1e-6)
    assert found.classes.tolist() == table[stay, 5].tolist()
    assert (np.diff(found.scores) <= 0).all()


def test_with_many_labels_a_box_counts_for_each_class_above_the_threshold() -> None:
    row = np.array([[50, 50, 20, 20, 1.0, 0.9, 0.1, 0.8]])
    found = detect(row, confidence=0.25, multi_label=True)
    assert (found.classes.tolist(), found.scores.tolist()) == ([0, 2], [0.9, 0.8])
    assert detect(row, confidence=0.25).classes.tolist() == [0]


def test_no_thing_is_an_empty_result(rows: np.ndarray) -> None:
    found = detect(rows, confidence=1.0)
    assert isinstance(found, Detections)
    assert (len(found), found.boxes.shape, area(found.boxes).tolist()) == (0, (0, 4), [])


def test_unusable_rows_and_thresholds_are_refused(rows: np.ndarray) -> None:
    broken = rows.copy()
    broken[7, 9] = np.nan
    with pytest.raises(KuiperError, match="nan or infinity"):
        detect(broken)
    with pytest.raises(KuiperError, match=r"confidence: expected a number of 0 to 1, found 25"):
        detect(rows, confidence=25)
    with pytest.raises(ShapeError, match="of one picture"):
        detect(rows[None])


def test_the_best_candidates_stay_where_there_are_too_many(rows: np.ndarray) -> None:
    many = rows[:600]
    scores = many[:, 5:] * many[:, 4:5]
    assert (scores > 0).sum() > CANDIDATES
    found = detect(many, confidence=0, iou=1.0, multi_label=True)
    np.testing.assert_array_equal(found.scores, np.sort(scores.ravel())[::-1][:300])
