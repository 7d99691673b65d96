"""Lesson 9: the detector's boxes on the lesson's picture, and which stay at which threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import kuiper
from classroom.register import ROOT
from classroom.site.moving.pixels import data_url, image
from classroom.site.moving.scene import Frame, Panel, Part, PartState
from classroom.site.moving.shapes import path
from classroom.site.moving.sliders import Adjustable, Settings, Slider
from kuiper import vision

FOLDER = ROOT / "models" / "detector"
PICTURE, LEAST = 8, 0.25
"""Which of the held-out scenes the lesson takes, and the least score of a box that takes part."""
SCALE = 1.3
SIDE = 256 * SCALE
"""Pixels of the drawing for one of the picture, and for all of it."""
MOST, RIGHTMOST, LOWEST = 12, 274, 17
"""Labels are drawn for so many boxes, and where the last of them may begin: pixels from the left and from the top."""
OWN, ALL = "own class", "all classes"
WORDS = {
    OWN: "Boxes with a score above {score}: {count}, for {digits} digits. Kept: {stay}. Suppressed: {gone}, because "
    "each overlaps a kept box of its class by more than {threshold}.",
    ALL: "Boxes with a score above {score}: {count}, for {digits} digits. Kept: {stay}. Suppressed: {gone}, because "
    "each overlaps a kept box of any class by more than {threshold}.",
}


@dataclass(frozen=True)
class FoundDigits:
    """M boxes: corners (M,4) in pixels, (M,) scores and classes, what stands at each; and how many digits there are."""

    boxes: np.ndarray
    scores: np.ndarray
    classes: np.ndarray
    labels: list[str]
    digits: int


@cache
def found() -> FoundDigits:
    """The detector's boxes above LEAST on the lesson's picture, rounded as the page has them."""
    held_out = np.load(FOLDER / "heldout.npz")
    graph = kuiper.load(FOLDER / "detector.pnnx.param")
    rows = graph(held_out["images"][PICTURE].transpose(2, 0, 1)[None] / np.float32(255))[0][0]
    scores = rows[:, 4:5] * rows[:, 5:]
    likely = scores.max(axis=1) > LEAST
    digits = int(held_out["counts"][PICTURE])
    boxes = vision.corners(rows[likely, :4]).astype(np.float64).clip(0, held_out["images"].shape[1])
    best, classes = scores[likely].max(axis=1).astype(np.float64), scores[likely].argmax(axis=1)
    names = vision.read_labels(str(FOLDER / "labels.txt"))
    labels = [f"{names[c]} {score:.2f}" for c, score in zip(classes, best, strict=True)]
    return FoundDigits(boxes.round(1), best.round(3), classes, labels, digits)


def stay(settings: Settings) -> list[int]:
    """The boxes that stay, best first, by kuiper."""
    all_, score = found(), float(settings["score"])
    takes_part = np.flatnonzero(all_.scores > score)
    classes = all_.classes[takes_part] if settings["rivals"] == OWN else np.zeros(len(takes_part), int)
    kept = vision.non_maximum_suppression(
        all_.boxes[takes_part], all_.scores[takes_part], classes, float(settings["threshold"])
    )
    return takes_part[kept].tolist()


def scene() -> Adjustable:
    """The picture with all boxes, and sliders for the two thresholds and for who competes."""
    hundredths = [f"{i / 100:.2f}" for i in range(5, 101, 5)]
    sliders = (
        Slider("threshold", "Threshold", hundredths, "0.45"),
        Slider("score", "Least score", [value for value in hundredths if LEAST <= float(value) <= 0.85], "0.25"),
        Slider("rivals", "Rivals", (OWN, ALL), OWN),
    )
    all_ = found()
    data = {"boxes": all_.boxes.tolist(), "scores": all_.scores.tolist(), "classes": all_.classes.tolist(),
            "labels": all_.labels, "digits": all_.digits, "own": OWN, "scale": SCALE,
            "most": MOST, "rightmost": RIGHTMOST, "lowest": LOWEST}  # fmt: skip
    return Adjustable("suppression", "Suppression: one thing, one box", [_picture()], sliders, frame, data, WORDS)


def outline(chosen: Sequence[int]) -> str:
    """The d of a path around some boxes."""
    corners = (np.floor(SCALE * found().boxes[list(chosen)] * 10 + 0.5) / 10).tolist()
    return "".join(f"M{x1:g} {y1:g}H{x2:g}V{y2:g}H{x1:g}Z" for x1, y1, x2, y2 in corners)


def frame(settings: Settings) -> Frame:
    """The picture at some settings, with what kuiper keeps."""
    all_, kept = found(), stay(settings)
    gone = [i for i in np.flatnonzero(all_.scores > float(settings["score"])).tolist() if i not in kept]
    states = {"gone": PartState("gone", drawn=outline(gone)), "stay": PartState("stay", drawn=outline(kept))}
    for place, i in enumerate(kept if len(kept) <= MOST else ()):
        x1, y1 = np.floor(SCALE * all_.boxes[i, :2] + 0.5).tolist()
        states[f"label{place}"] = PartState("label", all_.labels[i], min(x1, RIGHTMOST), max(y1, LOWEST))
    say = WORDS[settings["rivals"]].format(count=len(kept) + len(gone), score=settings["score"], digits=all_.digits,
                                           stay=len(kept), gone=len(gone), threshold=settings["threshold"])  # fmt: skip
    return Frame(say, states)


def _picture() -> Panel:
    """The picture, a path around the boxes that go, one around those that stay, and the labels of these."""
    pixels = np.load(FOLDER / "heldout.npz")["images"][PICTURE]
    parts = [Part(key, path("M0 0", ""), size=0, kind=key) for key in ("gone", "stay")]
    parts += [Part(f"label{i}", "", "", 3, -8, 13.0, "start", "label") for i in range(MOST)]
    ground = image(data_url(pixels, "JPEG", quality=50), 0, 0, SIDE, SIDE)
    label = f"A photograph with {found().digits} digits pasted in, and the detector's boxes around them."
    return Panel(SIDE, SIDE, label, parts, ground)
