"""A narrow U-Net decides for every pixel whether it belongs to a digit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.sheet import enlarged, sheet
from classroom.gallery.terminal import in_columns
from classroom.page import say, styled
from kuiper.errors import KuiperError
from kuiper.vision import compare_masks, draw_mask, read_labels, segment

STUDENT_ITEMS = 2
SHOWN = 4
LARGE = 256
"""Approximate size of a saved picture in pixels."""


class SegmentPiece(Piece):
    """(N, 3, H, W) -> (N, 2, H, W): which pixels belong to a digit. An item is a picture and its mask (H, W)."""

    name = "segment"
    title = "A narrow U-Net paints over the digits in photographs"
    summary = "finds the pixels of digits in photographs"
    lessons = "12"
    network = "segmenter"
    options = frozenset({"--picture", "--model"})
    few = f"{STUDENT_ITEMS} photographs only, as code of your own may be slow."
    seconds = 120.0

    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """All photographs; for a student's code a few."""
        data = self.held_out()
        items = list(zip(data["images"], data["masks"].astype(np.int64)))
        return items[:STUDENT_ITEMS] if mine else items

    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Segment one photograph at a time; then the mean IoU of each, and over all pixels."""
        masks, seconds = [], []
        for image, _ in items:
            started = time.perf_counter()
            x = image.transpose(2, 0, 1)[None] / np.float32(255)
            masks.append(segment(pipeline.network(x)[0][0]))
            seconds.append(time.perf_counter() - started)
            callbacks.advance()
        classes = len(self.names)
        each = [quality(pipeline, mask, truth, classes) for mask, (_, truth) in zip(masks, items)]
        together = quality(pipeline, np.vstack(masks), np.vstack([truth for _, truth in items]), classes)
        return {
            "masks": [mask.tolist() for mask in masks],
            "each": each,
            "mean_iou": together,
            "seconds": float(np.median(seconds)),
        }

    @property
    def names(self) -> list[str]:
        """The class names."""
        return read_labels(str(self.folder / "labels.txt"))

    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in words."""
        return f"a mean IoU of {answer['mean_iou']:.1%}"

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print the share of digit pixels in some photographs, and the mean IoU."""
        names, masks = self.names, [np.array(mask) for mask in answer["masks"]]
        rows = [["picture", *(f"{name}: found" for name in names[1:]), "really", "mean IoU"]]
        drawings = []
        for number, (mask, (image, truth)) in enumerate(list(zip(masks, items))[:SHOWN], 1):
            rows.append([str(number), f"{(mask > 0).mean():.1%}", f"{(truth > 0).mean():.1%}",
                         f"{answer['each'][number - 1]:.1%}"])  # fmt: skip
            drawings.append((f"segment_{number}", beside(image, mask, truth, names)))
        say(in_columns(rows))
        say()
        say(
            f"{styled('Mean IoU ' + format(answer['mean_iou'], '.1%'), 'bold')} over the pixels of {len(items)} "
            f"held-out photographs; {answer['seconds'] * 1e3:.0f} ms for one."
        )
        return drawings


def mean_iou(predicted: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """(H,W) and (H,W) -> mean over the classes that occur of intersection / union, in pixels."""
    return compare_masks(predicted, truth, classes).mean_iou


SegmentPiece.steps = {"mean_iou": mean_iou}


def quality(pipeline: Pipeline, mask: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """The pipeline's `mean_iou`. Raises KuiperError if the result is not a number."""
    found = pipeline.step("mean_iou", mask, truth, classes)
    try:
        return float(found)
    except (TypeError, ValueError) as error:
        raise KuiperError(f"mean_iou: expected a number, found {type(found).__name__}") from error


def beside(image: np.ndarray, mask: np.ndarray, truth: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """The picture, the predicted mask and the true mask, side by side."""
    large = enlarged(image, LARGE)
    times = large.shape[0] // image.shape[0]
    found, really = (x.repeat(times, axis=0).repeat(times, axis=1) for x in (mask, truth))
    true_names = [f"really {name}" for name in names]
    return sheet([large, draw_mask(large, found, names), draw_mask(large, really, true_names)], 3)


PIECE = SegmentPiece()
