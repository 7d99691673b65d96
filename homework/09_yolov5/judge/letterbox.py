r"""A picture of any shape in the network's canvas: why the solution is as it is.

Two scales would fill the canvas exactly, height / H and width / W. With the larger one the picture sticks out, so it
must be the smaller one, for both directions. Everything else follows from it: the new size (rounded, and at least 1,
or a picture of 1x2000 would have no row), the bars (what is left over, halved; `//` puts the odd pixel below or at
the right, since the upper bar gets the smaller half), one assignment into a block of a grey canvas.

The scale is returned as it was *wanted*, not as it came out after rounding: new height / H and new width / W differ a
little from it and from each other. For boxes that error is below a pixel. kuiper's `Letterbox` keeps the sizes
themselves and goes back by those, which is exact.

| mistake | what it does |
|---|---|
| the larger scale, or height with W | an error, or a picture that is cut; unnoticed as long as pictures are square |
| both sides resized to the canvas | all shapes distorted: the network finds less, and nothing tells you |
| picture in the corner | boxes are right only if the way back knows it |
| `int` instead of `round` | a grey row too many |
| bars first, resize afterwards | grey and picture mix at the edge |
| small pictures stay small | right in itself; wrong if the way back does not know |

Why 114? YOLOv5 is trained with bars of this grey; it lies near the mean of ImageNet's photographs. A word of warning
for later: OpenCV's `resize` wants (width, height).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task
from kuiper.vision import Letterbox, resize

from ..public import NAMES, pixels
from .shared import wrong

Boxed = tuple[np.ndarray, float, int, int]
GREY = 114


def boxed(image: np.ndarray, height: int, width: int, **other: Any) -> Boxed:
    """What letterbox has to give; or what it gives with another `scale`, `size`, `place` or `fill`."""
    scale = other.get("scale", min(height / image.shape[0], width / image.shape[1]))
    fitted = Letterbox.fit((image.shape[0], image.shape[1]), (height, width))
    inner = other.get("size", fitted.scaled)
    top, left = other.get("place", (fitted.top, fitted.left))
    canvas = np.full((height, width, 3), other.get("fill", GREY), np.uint8)
    canvas[top : top + inner[0], left : left + inner[1]] = resize(image, *inner)[: height - top, : width - left]
    return canvas, scale, top, left


def letterbox_mistakes(image: np.ndarray, height: int, width: int) -> dict[str, Boxed]:
    """Likely cause -> what it gives."""
    right = boxed(image, height, width)
    scale = right[1]
    exact = image.shape[0] * scale, image.shape[1] * scale
    cut = max(1, int(exact[0])), max(1, int(exact[1]))
    halves = max(1, int(exact[0] + 0.5)), max(1, int(exact[1] + 0.5))
    up = min(height, math.ceil(exact[0])), min(width, math.ceil(exact[1]))
    fitted = Letterbox.fit((image.shape[0], image.shape[1]), (height, width)).scaled
    bars = height - fitted[0], width - fitted[1]
    small = Letterbox.fit((image.shape[0], image.shape[1]), (height, width), scaleup=False)
    found: dict[str, Any] = {
        "the picture is stretched over the whole canvas: one scale for both directions": (
            boxed(image, height, width, size=(height, width), place=(0, 0))
        ),
        "the bars were halved before the new size was rounded: halve what the rounded size leaves over": (
            boxed(image, height, width, place=(int((height - exact[0]) / 2), int((width - exact[1]) / 2)))
        ),
        "all of the bar is at one side: put the picture in the middle": boxed(image, height, width, place=(0, 0)),
        "the bars are black: fill the canvas with GREY": boxed(image, height, width, fill=0),
        "the odd pixel of a bar belongs below, or at the right": (
            boxed(image, height, width, place=((bars[0] + 1) // 2, (bars[1] + 1) // 2))
        ),
        "a picture that is smaller than the canvas has to grow": (
            boxed(image, height, width, scale=min(scale, 1.0), size=small.scaled, place=(small.top, small.left))
        ),
        "a picture that is smaller than the canvas has to grow: min has a 1 too many": (
            boxed(image, height, width, scale=min(1, scale), size=small.scaled, place=(small.top, small.left))
        ),
        "the new size is rounded, not cut off": (
            boxed(image, height, width, size=cut, place=((height - cut[0]) // 2, (width - cut[1]) // 2))
        ),
        "half a pixel is rounded to the even number, as Python's round does": (
            boxed(image, height, width, size=halves, place=((height - halves[0]) // 2, (width - halves[1]) // 2))
        ),
        "the new size was rounded up: round it to the nearest whole number": (
            boxed(image, height, width, size=up, place=((height - up[0]) // 2, (width - up[1]) // 2))
        ),
    }
    tall, wide = image.shape[:2]
    other_scales = {
        "the scale is canvas / picture, height / H and width / W: yours is picture / canvas": min(
            tall / height, wide / width
        ),
        "the scale is canvas / picture, and the smaller of the two: yours is picture / canvas, and the larger": max(
            tall / height, wide / width
        ),
        "the scale sets the height beside H and the width beside W: yours has them crossed": min(
            height / wide, width / tall
        ),
        "the scale looks at the height alone: it is the smaller of height / H and width / W": height / tall,
        "the scale looks at the width alone: it is the smaller of height / H and width / W": width / wide,
    }
    for cause, tried in other_scales.items():
        size = max(1, round(tall * tried)), max(1, round(wide * tried))
        if size[0] <= height and size[1] <= width:
            place = (height - size[0]) // 2, (width - size[1]) // 2
            found[cause] = boxed(image, height, width, scale=tried, size=size, place=place)
    turned = min(height / wide, width / tall)
    size = max(1, round(wide * turned)), max(1, round(tall * turned))
    found["height and width of the picture are exchanged: image.shape is (H, W, 3)"] = boxed(
        image, height, width, scale=turned, size=size, place=((height - size[0]) // 2, (width - size[1]) // 2)
    )
    side = max(tall, wide)
    square = boxed(image, side, side, scale=1.0, size=(tall, wide), place=((side - tall) // 2, (side - wide) // 2))
    first = resize(square[0], height, width), scale, int(square[2] * scale), int(square[3] * scale)
    found["the bars were added before the resizing: resize the picture first, then put it on the canvas"] = first
    for name in ("float64", "float32", "int64"):
        found[f"the canvas holds {name}: make it uint8"] = (right[0].astype(name), *right[1:])
    return wrong(found, right)


def numbers_mistakes(image: np.ndarray, height: int, width: int) -> dict[str, tuple[float, float, float]]:
    """Likely cause -> scale, top and left that it gives beside the right canvas."""
    _, scale, top, left = boxed(image, height, width)
    inner = Letterbox.fit((image.shape[0], image.shape[1]), (height, width)).scaled
    bars = height - inner[0], width - inner[1]
    found: dict[str, Any] = {
        "top and left are exchanged in what is returned": (scale, left, top),
        "that is 1 / scale: return by what the picture is multiplied": (1 / scale, top, left),
        "that is the whole bar: top and left are half of it, where the picture begins": (scale, *bars),
        "top and left are halves: whole numbers come from //": (scale, bars[0] / 2, bars[1] / 2),
    }
    rounded = inner[0] / image.shape[0], inner[1] / image.shape[1]
    for name, value in (("height", rounded[0]), ("width", rounded[1]), ("smaller side", min(rounded))):
        cause = f"the scale was worked out again from the rounded {name}: return the one before rounding"
        found[cause] = (value, top, left)
    return wrong(found, (scale, top, left))


def clear(size: tuple[int, int], height: int, width: int) -> bool:
    """Whether no side comes to lie so near the middle between two whole numbers that rounding could go either way."""
    scale = min(height / size[0], width / size[1])
    return all(abs(side * scale % 1 - 0.5) > 0.02 for side in size)


def expect_boxed(student: Student, image: np.ndarray, height: int, width: int) -> None:
    """Raise Failure unless letterbox gives canvas, scale, top and left as it should."""
    what = f"a picture of {image.shape[0]}x{image.shape[1]} in {height}x{width}"
    got = student.letterbox(image, height, width)
    expect(got, boxed(image, height, width), rtol=1e-9, what=what, names=NAMES)


@task("letterbox")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Pictures and canvases of any size and shape."""
    done = 0
    while done < 12:
        (height, width), canvas = rng.integers(3, 60, 2).tolist(), rng.integers(20, 60, 2).tolist()
        if clear((height, width), *canvas):
            expect_boxed(student, pixels(rng, height, width), *canvas)
            done += 1


@task("letterbox")
def canvases_that_are_not_square(student: Student, rng: np.random.Generator) -> None:
    """The canvas may be wide or high: which side the picture touches depends on both."""
    for size, canvas in (((20, 30), (24, 64)), ((20, 30), (64, 24)), ((33, 12), (40, 41)), ((31, 50), (70, 50))):
        expect_boxed(student, pixels(rng, *size), *canvas)


@task("letterbox")
def rounded_sizes(student: Student, rng: np.random.Generator) -> None:
    """The new height, or width, is rounded to the nearest whole number."""
    for size in ((29, 41), (41, 29), (23, 57), (50, 37)):
        expect_boxed(student, pixels(rng, *size), 32, 32)


@task("letterbox")
def thin_pictures(student: Student, rng: np.random.Generator) -> None:
    """A picture so thin that nothing would be left of it keeps one row, or column."""
    for size in ((1, 200), (200, 1), (1, 1), (2, 150)):
        expect_boxed(student, pixels(rng, *size), 32, 32)


@task("letterbox")
def it_fits_exactly(student: Student, rng: np.random.Generator) -> None:
    """A picture of the canvas's shape leaves no bars."""
    for size in ((32, 48), (16, 24), (64, 96)):
        expect_boxed(student, pixels(rng, *size), 32, 48)


INNER = "    inner_height, inner_width = (max(1, round(size * scale)) for size in image.shape[:2])\n"
PLACE = "    top, left = (height - inner_height) // 2, (width - inner_width) // 2\n"
CANVAS = "    canvas = np.full((height, width, 3), GREY, np.uint8)\n"
SCALE = "    scale = min(height / image.shape[0], width / image.shape[1])\n"
RESIZED = "resize_picture(image, inner_height, inner_width)"
GIVEN = "    return canvas, scale, top, left"

MUTANTS = [
    Mutant(
        "stretched",
        "stretches the picture over the whole canvas",
        old=INNER,
        new="    inner_height, inner_width = height, width\n",
        breaks="scale",
    ),
    Mutant(
        "corner",
        "puts the picture into the upper left corner",
        old=PLACE,
        new="    top, left = 0, 0\n",
        breaks="middle",
    ),
    Mutant(
        "black",
        "leaves the bars black",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), 0, np.uint8)\n",
        breaks="grey",
    ),
    Mutant(
        "white",
        "fills the bars with the wrong grey",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), 128, np.uint8)\n",
        breaks="grey",
    ),
    Mutant(
        "larger_ratio",
        "takes the larger of the two scales, at which the picture does not fit",
        old=SCALE,
        new="    scale = max(height / image.shape[0], width / image.shape[1])\n",
        breaks="scale",
    ),
    Mutant(
        "exchanged_sides",
        "divides the height by the width",
        old=SCALE,
        new=(
            "    scale = min(height / image.shape[1], width / image.shape[0])\n"
            "    scale = min(scale, height / image.shape[0], width / image.shape[1])\n"
        ),
    ),
    Mutant(
        "height_only",
        "makes the height fit and cuts what is too wide",
        old=(
            "    scale = min(height / image.shape[0], width / image.shape[1])\n"
            "    inner_height, inner_width = (max(1, round(size * scale)) for size in image.shape[:2])\n"
        ),
        new=(
            "    scale = height / image.shape[0]\n"
            "    inner_height, inner_width = height, min(width, max(1, round(image.shape[1] * scale)))\n"
        ),
        breaks="scale",
    ),
    Mutant(
        "width_height",
        "calls resize with (width, height), as OpenCV has it",
        old=RESIZED,
        new=("resize_picture(image.swapaxes(0, 1), inner_width, inner_height).reshape(inner_height, inner_width, 3)"),
        breaks="resizing",
    ),
    Mutant(
        "cut_off",
        "cuts the new size off instead of rounding it",
        old=INNER,
        new="    inner_height, inner_width = (max(1, int(size * scale)) for size in image.shape[:2])\n",
        breaks="size",
    ),
    Mutant(
        "rounded_up",
        "rounds the new size up",
        old=INNER,
        new="    inner_height, inner_width = (-int(-size * scale // 1) for size in image.shape[:2])\n",
        breaks="size",
    ),
    Mutant(
        "no_least",
        "lets nothing be left of a thin picture",
        old=INNER,
        new="    inner_height, inner_width = (round(size * scale) for size in image.shape[:2])\n",
        breaks="least",
    ),
    Mutant(
        "odd_above",
        "puts the odd pixel above and at the left",
        old=PLACE,
        new="    top, left = (height - inner_height + 1) // 2, (width - inner_width + 1) // 2\n",
        breaks="middle",
    ),
    Mutant(
        "real_places",
        "returns the width of the bar as a real number",
        old=GIVEN,
        new="    return canvas, scale, (height - inner_height) / 2, (width - inner_width) / 2",
        breaks="returns",
    ),
    Mutant(
        "never_grows",
        "does not enlarge",
        old=SCALE,
        new="    scale = min(1.0, height / image.shape[0], width / image.shape[1])\n",
        breaks="scale",
    ),
    Mutant(
        "top_left_exchanged",
        "returns left before top",
        old=GIVEN,
        new="    return canvas, scale, left, top",
        breaks="returns",
    ),
    Mutant(
        "inverse",
        "returns 1 / scale",
        old=GIVEN,
        new="    return canvas, 1 / scale, top, left",
        breaks="returns",
    ),
    Mutant(
        "two_scales",
        "returns the scale of the rounded height",
        old=GIVEN,
        new="    return canvas, inner_height / image.shape[0], top, left",
        breaks="returns",
    ),
    Mutant(
        "bars_first",
        "adds the bars first, so that grey and picture mix at the edge",
        old=CANVAS,
        new=(
            "    high, wide = max(image.shape[0], round(height / scale)), max(image.shape[1], "
            "round(width / scale))\n"
            "    square = np.full((high, wide, 3), GREY, np.uint8)\n"
            "    a, b = (high - image.shape[0]) // 2, (wide - image.shape[1]) // 2\n"
            "    square[a : a + image.shape[0], b : b + image.shape[1]] = image\n"
            "    return resize_picture(square, height, width), scale, top, left\n"
            "    canvas = np.full((height, width, 3), GREY, np.uint8)\n"
        ),
        breaks="resizing",
    ),
    Mutant(
        "floats",
        "makes a canvas of floats",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), GREY, np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "nearest",
        "takes the nearest pixel instead of the given resize",
        old=RESIZED,
        new=(
            "image[np.arange(inner_height) * image.shape[0] // inner_height][\n"
            "        :, np.arange(inner_width) * image.shape[1] // inner_width\n"
            "    ]"
        ),
        breaks="resizing",
    ),
    Mutant(
        "halves_up",
        "rounds halves up, by adding a half and cutting off",
        old=INNER,
        new="    inner_height, inner_width = (max(1, int(size * scale + 0.5)) for size in image.shape[:2])\n",
        breaks="size",
    ),
    Mutant(
        "rounded_scale",
        "rounds the scale to two places",
        old=SCALE,
        new=(
            "    scale = min(height / image.shape[0], width / image.shape[1])\n    scale = round(scale, 2) or scale\n"
        ),
    ),
    Mutant(
        "numpys_scale",
        "returns a number of numpy's",
        old=GIVEN,
        new="    return canvas, np.float64(scale), top, left",
        breaks="returns",
    ),
]
