r"""Boxes back in the picture: why the solution is as it is.

letterbox: canvas = picture * scale + shift. So picture = (canvas - shift) / scale: the subtraction first. Two
corners, so `left, top` twice; x goes with `left`. Clip to W and H, not to W - 1: a corner at W is the right edge of
the last pixel. And clip *after* the way back; before it, the limits would be those of the canvas.

It is tempting to work scale and bars out anew from the sizes of picture and canvas. If letterbox does not enlarge small
pictures and the way back assumes that it does, all their boxes are wrong, in place and size. Two functions that must
agree need one source: what the first one returned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Failure, Mutant, Student, expect, task

from .shared import wrong


def restored(boxes: np.ndarray, scale: float, top: int, left: int, height: int, width: int) -> np.ndarray:
    """What restore has to give, in float64 and then in float32."""
    shift, high = np.array([left, top, left, top], np.float64), np.array([width, height, width, height], np.float64)
    return np.clip((boxes.astype(np.float64) - shift) / scale, 0, high).astype(np.float32)


def _bars(height: int, width: int) -> tuple[float, float]:
    """(left, top) of an enlarged picture in the middle of a canvas of 640x640."""
    scale = min(640 / height, 640 / width)
    return (640 - width * scale) // 2, (640 - height * scale) // 2


def restored_mistakes(
    boxes: np.ndarray, scale: float, top: int, left: int, height: int, width: int
) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these boxes."""
    shift, high = np.array([left, top, left, top], np.float64), np.array([width, height, width, height], np.float64)
    exact, right = boxes.astype(np.float64), restored(boxes, scale, top, left, height, width)
    back = (exact - shift) / scale
    tried = {
        "the picture's place on the canvas was not subtracted": np.clip(exact / scale, 0, high),
        "subtract the bars first, then divide: they are pixels of the canvas": np.clip(exact / scale - shift, 0, high),
        "top and left are exchanged: x has left, y has top": np.clip((exact - shift[[1, 0, 3, 2]]) / scale, 0, high),
        "that multiplies by the scale: the way back divides": np.clip((exact - shift) * scale, 0, high),
        "the boxes reach beyond the picture: clip x to 0..W and y to 0..H": back,
        "height and width are exchanged where it clips": np.clip(back, 0, high[[1, 0, 3, 2]]),
        "the picture's place was added: letterbox moved the picture by it, so subtract it": np.clip(
            (exact + shift) / scale, 0, high
        ),
        "that is the way to the canvas, times scale plus place: go back, minus place, then divided by scale": np.clip(
            exact * scale + shift, 0, high
        ),
        "only the first corner was moved: x2 and y2 are places on the canvas, too, no width and height": np.clip(
            (exact - [left, top, 0, 0]) / scale, 0, high
        ),
        "the scale is missing: divide by it after the subtraction": np.clip(exact - shift, 0, high),
        "the scale was worked out anew: divide by the one that is given, which letterbox returned": np.clip(
            (exact - shift) / min(640 / height, 640 / width), 0, high
        ),
        "scale and place were worked out anew: take those that are given, which letterbox returned": np.clip(
            (exact - [*_bars(height, width)] * 2) / min(640 / height, 640 / width), 0, high
        ),
        "the order is (x1, y1, x2, y2): subtract (left, top, left, top)": np.clip(
            (exact - [left, left, top, top]) / scale, 0, high
        ),
        "top was subtracted from x, too: x has left, y has top": np.clip((exact - top) / scale, 0, high),
        "left was subtracted from y, too: x has left, y has top": np.clip((exact - left) / scale, 0, high),
        "boxes still reach below 0: clip x to 0..W and y to 0..H": np.minimum(back, high),
        "boxes still reach beyond W or H: clip x to 0..W and y to 0..H": np.maximum(back, 0),
        "it clips to the canvas of 640 pixels: clip x to 0..W and y to 0..H of the picture": np.clip(back, 0, 640),
        "it clips x and y to the same size: x goes to W and y to H": np.clip(back, 0, max(width, height)),
        "x and y were both clipped to the smaller side: x goes to W and y to H": np.clip(back, 0, min(width, height)),
        "it clips before it goes back: clip last, in pixels of the picture": (np.clip(exact, 0, high) - shift) / scale,
        "it clips before it divides: clip last, in pixels of the picture": np.clip(exact - shift, 0, high) / scale,
        "the corners were cut off to whole pixels: leave them as they are": np.trunc(np.clip(back, 0, high)),
        "x reaches to W and y to H, the far edges of the last pixels: not to W - 1 and H - 1": np.clip(
            back, 0, high - 1
        ),
        "the corners were rounded: leave them as they are": np.clip(np.round(back), 0, high),
    }
    found = {cause: value.astype(np.float32) for cause, value in tried.items()}
    found["boxes of which nothing is left were dropped: every box keeps its row"] = right[
        (right[:, 2] > right[:, 0]) & (right[:, 3] > right[:, 1])
    ]
    if len(boxes) == 1:
        found["a single box lost its axis: every box keeps its row, so that one gives (1, 4)"] = right[0]
    found["that is x, y, width, height: the second corner stays a corner, x2 and y2"] = np.concatenate(
        [right[:, :2], right[:, 2:] - right[:, :2]], axis=1
    )
    found["the numbers are float64: make them float32"] = right.astype(np.float64)
    return wrong(found, right)


def expect_restored(
    student: Student, boxes: Any, scale: float, top: int, left: int, size: tuple[int, int], what: str = "the boxes"
) -> None:
    """Raise Failure unless the boxes lie in the picture where letterbox took them from."""
    given = np.asarray(boxes, np.float32)
    got = student.restore(given, scale, top, left, *size)
    expect(got, restored(given, scale, top, left, *size), rtol=1e-5, atol=1e-3, what=what)


@task("restore")
def random_boxes(student: Student, rng: np.random.Generator) -> None:
    """Pictures of any size that grew or shrank, and boxes all over the canvas."""
    for _ in range(8):
        height, width = rng.integers(50, 900, 2).tolist()
        scale = min(640 / height, 640 / width)
        top, left = (640 - round(height * scale)) // 2, (640 - round(width * scale)) // 2
        low = rng.uniform(-40, 600, (6, 2))
        boxes = np.concatenate([low, low + rng.uniform(5, 200, (6, 2))], 1)
        expect_restored(student, boxes, scale, top, left, (height, width), f"a picture of {height}x{width}")


@task("restore")
def parts_of_pixels(student: Student, rng: np.random.Generator) -> None:
    """Corners are real numbers, and stay so."""
    expect_restored(student, [[10.3, 20.7, 30.9, 41.1]], 1.6, 7, 3, (300, 200))


@task("restore")
def to_the_very_edge(student: Student, rng: np.random.Generator) -> None:
    """A box that covers the whole canvas becomes one that covers the whole picture, W wide and H high."""
    expect_restored(student, [[0, 0, 640, 640]], 2.0, 80, 0, (240, 320))
    expect_restored(student, [[0, 0, 640, 640]], 0.5, 0, 140, (1280, 720))


@task("restore")
def no_boxes(student: Student, rng: np.random.Generator) -> None:
    """No boxes give no boxes, of shape (0, 4)."""
    got = student.restore(np.zeros((0, 4), np.float32), 2.0, 80, 0, 240, 320)
    shape, dtype = getattr(got, "shape", None), getattr(got, "dtype", None)
    if shape != (0, 4) or dtype != np.float32:
        raise Failure(f"no boxes: expected an array (0, 4) of float32, got {shape} of {dtype}", (0, 4), got)
    expect_restored(student, [[90, 130, 200, 230]], 0.5, 20, 10, (800, 900))


MOVED = "    moved = (boxes - np.array([left, top, left, top])) / scale\n"
CLIPPED = "    return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)"

MUTANTS = [
    Mutant(
        "not_moved",
        "does not subtract the bars",
        old=MOVED,
        new="    moved = boxes / scale\n",
        breaks="order",
    ),
    Mutant(
        "divided_first",
        "divides before it subtracts",
        old=MOVED,
        new="    moved = boxes / scale - np.array([left, top, left, top])\n",
        breaks="order",
    ),
    Mutant(
        "exchanged",
        "subtracts top from x and left from y",
        old=MOVED,
        new="    moved = (boxes - np.array([top, left, top, left])) / scale\n",
        breaks="axes",
    ),
    Mutant(
        "multiplied",
        "multiplies by the scale",
        old=MOVED,
        new="    moved = (boxes - np.array([left, top, left, top])) * scale\n",
        breaks="order",
    ),
    Mutant(
        "not_scaled",
        "subtracts the bars and leaves the scale",
        old=MOVED,
        new="    moved = (boxes - np.array([left, top, left, top]))\n",
        breaks="order",
    ),
    Mutant(
        "first_corner",
        "moves the first corner only, as if the others were width and height",
        old=MOVED,
        new="    moved = (boxes - np.array([left, top, 0, 0])) / scale\n",
        breaks="axes",
    ),
    Mutant(
        "own_scale",
        ("works the scale out anew, from a canvas of 640 pixels and the picture"),
        old=MOVED,
        new=(
            "    gain = min(640 / height, 640 / width)\n"
            "    pad = np.array([(640 - width * gain) // 2, (640 - height * gain) // 2] * 2)\n"
            "    moved = (boxes - pad) / gain\n"
        ),
        breaks="given",
    ),
    Mutant(
        "not_clipped",
        "lets boxes reach beyond the picture",
        old=CLIPPED,
        new="    return moved.astype(np.float32)",
        breaks="clip",
    ),
    Mutant(
        "clipped_below",
        "clips at 0 only",
        old=CLIPPED,
        new="    return np.clip(moved, 0, None).astype(np.float32)",
        breaks="clip",
    ),
    Mutant(
        "clipped_above",
        "clips at the far edge only",
        old=CLIPPED,
        new="    return np.clip(moved, None, [width, height, width, height]).astype(np.float32)",
        breaks="clip",
    ),
    Mutant(
        "clipped_across",
        "clips x to the height and y to the width",
        old=CLIPPED,
        new="    return np.clip(moved, 0, [height, width, height, width]).astype(np.float32)",
        breaks="clip",
    ),
    Mutant(
        "clipped_on_the_canvas",
        "clips before it goes back",
        old=CLIPPED,
        new=(
            "    return np.clip(moved * scale, 0, [width, height, width, height]).astype(np.float32) / "
            "np.float32(scale)"
        ),
        breaks="clip",
    ),
    Mutant(
        "last_pixel",
        "clips to W - 1 and H - 1",
        old=CLIPPED,
        new=("    return np.clip(moved, 0, [width - 1, height - 1, width - 1, height - 1]).astype(np.float32)"),
        breaks="clip",
    ),
    Mutant(
        "whole_pixels",
        "rounds to whole pixels",
        old=CLIPPED,
        new="    return np.clip(np.round(moved), 0, [width, height, width, height]).astype(np.float32)",
        breaks="fractions",
    ),
    Mutant(
        "integers",
        "returns whole numbers",
        old=CLIPPED,
        new="    return np.clip(moved, 0, [width, height, width, height]).astype(np.int64)",
        breaks="dtype",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=CLIPPED,
        new="    return np.clip(moved, 0, [width, height, width, height])",
        breaks="dtype",
    ),
    Mutant(
        "boxes_dropped",
        "drops the boxes that reach beyond the picture",
        old=CLIPPED,
        new=(
            "    inside = (moved >= 0).all(axis=1) & (moved <= [width, height, width, "
            "height]).all(axis=1)\n"
            "    return moved[inside].astype(np.float32)"
        ),
        breaks="every",
    ),
    Mutant(
        "at_least_one",
        "fails without boxes",
        old=MOVED,
        new=("    moved = (boxes - np.array([left, top, left, top])) / scale\n    moved[0] += 0\n"),
        breaks="every",
    ),
    Mutant(
        "squeezed",
        "takes the axis of the boxes away where there is one box",
        old=CLIPPED,
        new=(
            "    cut = np.clip(moved, 0, [width, height, width, height]).astype(np.float32)\n"
            "    return cut[0] if len(cut) == 1 else cut"
        ),
        breaks="every",
    ),
    Mutant(
        "empty_boxes_dropped",
        "drops the boxes of which nothing is left",
        old=CLIPPED,
        new=(
            "    cut = np.clip(moved, 0, [width, height, width, height]).astype(np.float32)\n"
            "    return cut[(cut[:, 2] > cut[:, 0]) & (cut[:, 3] > cut[:, 1])]"
        ),
        breaks="every",
    ),
    Mutant(
        "square_canvas",
        "works the bars out anew, for a canvas that is square",
        old=MOVED,
        new=(
            "    side = max(height, width) * scale\n"
            "    left, top = (side - width * scale) // 2, (side - height * scale) // 2\n"
            "    moved = (boxes - np.array([left, top, left, top])) / scale\n"
        ),
        breaks="given",
    ),
]
