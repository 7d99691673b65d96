"""A narrow YOLOv5 finds handwritten digits in photographs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.sheet import enlarged
from classroom.gallery.terminal import in_columns
from classroom.page import say, styled
from kuiper.errors import KuiperError
from kuiper.vision import (
    Detections,
    Letterbox,
    Truth,
    average_precision,
    detect,
    draw_boxes,
    iou,
    non_maximum_suppression,
    read_labels,
)
from kuiper.vision import decode as decode_heads

SIZE = 256
"""Side of the network's input in pixels."""
CONFIDENCE, OVERLAP = 0.25, 0.45
"""Minimum score of a box; maximum IoU of two boxes in non-maximum suppression."""
FOUND = 0.5
"""Minimum IoU with a true box to count as found."""
MIN_CONFIDENCE, MEASURED_OVERLAP = 0.001, 0.6
"""Score and IoU thresholds for average precision, which ranks all boxes by score."""
STUDENT_ITEMS = 4
SHOWN = 4
MARGIN = 8
"""Margin in pixels around the digits when a picture is cropped for a student's code."""
MIN_CROP = 160, 208
"""Minimum height and width of the crop: digits much larger than in training would not be found."""


@dataclass(frozen=True)
class AnnotatedImage:
    """A photograph (H,W,3) with its ground truth: boxes (K,4) and labels (K,)."""

    image: np.ndarray
    boxes: np.ndarray
    labels: np.ndarray


class DetectPiece(Piece):
    """(N, 3, 256, 256) -> (N, 4032, 15): which digits are where. An item is an AnnotatedImage."""

    name = "detect"
    title = "A narrow YOLOv5 finds handwritten digits in photographs"
    summary = "finds handwritten digits in photographs"
    lessons = "9"
    network = "detector"
    options = frozenset({"--picture", "--model"})
    few = (
        f"{STUDENT_ITEMS} photographs only, as code of your own may be slow; "
        "each is cut, so that letterbox has to fit it in."
    )
    seconds = 120.0

    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """All photographs; for a student's code a few, cropped so that their shape is not the network's."""
        data = self.held_out()
        ends = np.cumsum(data["counts"])[:-1]
        parts = zip(data["images"], np.split(data["boxes"], ends), np.split(data["labels"], ends))
        scenes = [AnnotatedImage(*part) for part in parts]
        return [cropped(scene) for scene in scenes[:STUDENT_ITEMS]] if mine else scenes

    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Detect in one photograph at a time."""
        found, everything, seconds = [], [], []
        for scene in items:
            started = time.perf_counter()
            boxes, rows, place = self.find(pipeline, scene.image)
            seconds.append(time.perf_counter() - started)
            found.append(boxes)
            candidates = detect(rows, confidence=MIN_CONFIDENCE, iou=MEASURED_OVERLAP, multi_label=True)
            corners = restore(candidates.boxes, *place, *scene.image.shape[:2])
            everything.append(Detections(corners, candidates.scores, candidates.classes))
            callbacks.advance()
        precision = average_precision(everything, [Truth(scene.boxes, scene.labels) for scene in items])
        return {
            "found": [[x.tolist() for x in (one.boxes, one.scores, one.classes)] for one in found],
            "map50": precision.at_50,
            "map50_95": precision.at_50_to_95,
            "seconds": float(np.median(seconds)),
        }

    def find(self, pipeline: Pipeline, image: np.ndarray) -> tuple[Detections, np.ndarray, tuple[float, int, int]]:
        """The detections in a photograph, all rows of the network's output, and the letterbox (scale, top, left)."""
        placed = pipeline.step("letterbox", image, SIZE, SIZE)
        try:
            canvas, scale, top, left = placed
            x = np.asarray(canvas).transpose(2, 0, 1)[None] / np.float32(255)
        except (TypeError, ValueError) as error:
            raise KuiperError(f"letterbox: expected (canvas (256,256,3), scale, top, left): {error}") from error
        rows = rows_of(pipeline, x)
        candidates = from_left_to_right(detect(rows, confidence=CONFIDENCE, iou=1.0))
        boxes, scores, classes = candidates.boxes, candidates.scores, candidates.classes
        chosen = pipeline.step("non_maximum_suppression", boxes, scores, classes, OVERLAP)
        stay = np.asarray(chosen, np.intp).reshape(-1)
        corners = np.asarray(pipeline.step("restore", boxes[stay], scale, top, left, *image.shape[:2]), np.float32)
        return Detections(corners, scores[stay], classes[stay]), rows, (scale, top, left)

    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in words."""
        return f"mAP@0.5 {answer['map50']:.1%}, mAP@0.5:0.95 {answer['map50_95']:.1%}"

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print what was found in some photographs; then hits, wrong boxes and mAP over all."""
        names = read_labels(str(self.folder / "labels.txt"))
        found = [Detections(*(np.array(x) for x in one)) for one in answer["found"]]
        rows, drawings = [["picture", "it found, from left to right", "and really"]], []
        for number, (one, scene) in enumerate(list(zip(found, items))[:SHOWN], 1):
            ordered = from_left_to_right(one)
            said = ", ".join(f"{names[c]} {s:.0%}" for c, s in zip(ordered.classes, ordered.scores)) or "nothing"
            truth = " ".join(names[label] for label in scene.labels[np.argsort(scene.boxes[:, 0], kind="stable")])
            rows.append([str(number), said, truth])
            large = enlarged(scene.image, 2 * SIZE)
            times = large.shape[0] / scene.image.shape[0]
            drawings.append((f"detect_{number}", draw_boxes(large, scaled(one, times), names)))
        say(in_columns(rows))
        say()
        hits = sum(matches(one, scene) for one, scene in zip(found, items))
        total, wrong = sum(len(scene.labels) for scene in items), sum(map(len, found)) - hits
        say(
            f"{styled(f'{hits} of {total}', 'bold')} digits found in {len(items)} held-out photographs, "
            f"{wrong} box{'es' * (wrong != 1)} wrong."
        )
        say(
            f"mAP@0.5 {answer['map50']:.1%}, mAP@0.5:0.95 {answer['map50_95']:.1%}; "
            f"{answer['seconds'] * 1e3:.0f} ms for one photograph."
        )
        if len(items) <= STUDENT_ITEMS:
            say(f"The mAP of {len(items)} photographs says little: one box more or less moves it far.")
        return drawings


def letterbox(image: np.ndarray, height: int, width: int) -> tuple[np.ndarray, float, int, int]:
    """(H,W,3) bytes -> canvas (height,width,3) with the whole picture centred, scale, top, left."""
    box = Letterbox.fit((image.shape[0], image.shape[1]), (height, width))
    return box.apply(image), min(height / image.shape[0], width / image.shape[1]), box.top, box.left


def decode(raw: np.ndarray, anchors: np.ndarray, stride: int) -> np.ndarray:
    """One head (A*(5+K),h,w) -> rows (A*h*w,5+K): centre, width, height in pixels, objectness, class scores."""
    size = raw.shape[1] * stride, raw.shape[2] * stride
    kinds = [(float(width), float(height)) for width, height in anchors]
    return decode_heads([raw[None]], size, [kinds])[0]


def suppress(boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, threshold: float) -> np.ndarray:
    """(M,4) corners, (M,), (M,) -> indices of the boxes kept, best first."""
    return non_maximum_suppression(boxes, scores, classes, threshold, most=len(boxes))


def restore(boxes: np.ndarray, scale: float, top: int, left: int, height: int, width: int) -> np.ndarray:
    """(M,4) corners on the canvas -> corners in the picture, clipped to it."""
    corners = (boxes.astype(np.float64) - [left, top, left, top]) / scale
    return np.clip(corners, 0, [width, height, width, height]).astype(np.float32)


DetectPiece.steps = {
    "letterbox": letterbox,
    "decode": decode,
    "non_maximum_suppression": suppress,
    "restore": restore,
}


def rows_of(pipeline: Pipeline, x: np.ndarray) -> np.ndarray:
    """(1,3,H,W) -> (boxes,5+K): the network's own output, or its raw heads through `decode` if that is replaced."""
    if not pipeline.replaced("decode"):
        return pipeline.network(x)[0][0]
    heads, anchors = heads_of(pipeline), anchors_of(pipeline)
    kept = pipeline.network(x, keep=heads).kept
    raw = sorted((kept[name][0] for name in heads), key=lambda head: -head.shape[1])
    parts = [pipeline.step("decode", head, kinds, x.shape[2] // head.shape[1]) for head, kinds in zip(raw, anchors)]
    try:
        return np.concatenate([np.asarray(part, np.float32) for part in parts])
    except (TypeError, ValueError) as error:
        raise KuiperError(f"decode: expected rows (boxes,5+classes): {error}") from error


def heads_of(pipeline: Pipeline) -> list[str]:
    """Names of the last three convolutions, the detection heads."""
    names = [op.name for op in pipeline.graph.operators if op.type == "nn.Conv2d"]
    return [name for name in names if name.startswith("detect.heads.")]


def anchors_of(pipeline: Pipeline) -> list[np.ndarray]:
    """The three anchors of each head, (3,2) width and height in pixels, smallest head first.

    They are constants of shape (1,3,1,1,2) in the network.
    """
    constants = [op.attributes["data"].data for op in pipeline.graph.operators if op.type == "pnnx.Attribute"]
    anchors = [x.reshape(-1, 2) for x in constants if x.shape == (1, 3, 1, 1, 2)]
    return sorted(anchors, key=lambda kinds: float(kinds.prod(1).sum()))


def cropped(scene: AnnotatedImage) -> AnnotatedImage:
    """Crop the photograph to its digits, so that `letterbox` and `restore` have something to do."""
    sizes = scene.image.shape[:2]
    top, bottom = span(scene.boxes[:, 1].min(), scene.boxes[:, 3].max(), MIN_CROP[0], sizes[0])
    left, right = span(scene.boxes[:, 0].min(), scene.boxes[:, 2].max(), MIN_CROP[1], sizes[1])
    image = np.ascontiguousarray(scene.image[top:bottom, left:right])
    return AnnotatedImage(image, scene.boxes - np.array([left, top, left, top], np.float32), scene.labels)


def span(first: float, last: float, least: int, size: int) -> tuple[int, int]:
    """The range of pixels to keep of a side of `size`: the given span plus MARGIN, but at least `least` pixels.

    >>> span(100.0, 130.0, 50, 256), span(0.0, 20.0, 50, 256)
    ((92, 142), (0, 50))
    """
    begin = max(0, min(int(first) - MARGIN, size - least))
    return begin, min(size, max(begin + least, int(np.ceil(last)) + MARGIN))


def from_left_to_right(found: Detections) -> Detections:
    """The same boxes, sorted by their left edges."""
    order = np.argsort(found.boxes[:, 0], kind="stable") if len(found) else np.zeros(0, np.intp)
    return Detections(found.boxes[order], found.scores[order], found.classes[order])


def scaled(found: Detections, times: float) -> Detections:
    """The same boxes in a picture enlarged by `times`."""
    return Detections(found.boxes * times, found.scores, found.classes)


def matches(found: Detections, scene: AnnotatedImage) -> int:
    """Number of boxes that match a digit of their class, at most one per digit."""
    left = set(range(len(scene.labels)))
    if not len(found):
        return 0
    overlaps = iou(found.boxes, scene.boxes)
    for box in np.argsort(-found.scores, kind="stable"):
        fitting = [i for i in left if scene.labels[i] == found.classes[box] and overlaps[box, i] >= FOUND]
        if fitting:
            left.remove(max(fitting, key=lambda i: overlaps[box, i]))
    return len(scene.labels) - len(left)


PIECE = DetectPiece()
