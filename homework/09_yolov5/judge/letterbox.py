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
| small pictures stay small | right in itself; wrong if the way back does not know, as in the original course |

Why 114? YOLOv5 is trained with bars of this grey; it lies near the mean of ImageNet's photographs. A word of warning
for later: OpenCV's `resize` wants (width, height).
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, task

from .. import public


@task("letterbox")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Pictures and canvases of any size and shape."""
    done = 0
    while done < 12:
        (height, width), canvas = rng.integers(3, 60, 2).tolist(), rng.integers(20, 60, 2).tolist()
        if public.clear((height, width), *canvas):
            public.expect_boxed(student, public.pixels(rng, height, width), *canvas)
            done += 1


@task("letterbox")
def canvases_that_are_not_square(student: Student, rng: np.random.Generator) -> None:
    """The canvas may be wide or high: which side the picture touches depends on both."""
    for size, canvas in (((20, 30), (24, 64)), ((20, 30), (64, 24)), ((33, 12), (40, 41)), ((31, 50), (70, 50))):
        public.expect_boxed(student, public.pixels(rng, *size), *canvas)


@task("letterbox")
def rounded_sizes(student: Student, rng: np.random.Generator) -> None:
    """The new height, or width, is rounded to the nearest whole number."""
    for size in ((29, 41), (41, 29), (23, 57), (50, 37)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 32)


@task("letterbox")
def thin_pictures(student: Student, rng: np.random.Generator) -> None:
    """A picture so thin that nothing would be left of it keeps one row, or column."""
    for size in ((1, 200), (200, 1), (1, 1), (2, 150)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 32)


@task("letterbox")
def it_fits_exactly(student: Student, rng: np.random.Generator) -> None:
    """A picture of the canvas's shape leaves no bars."""
    for size in ((32, 48), (16, 24), (64, 96)):
        public.expect_boxed(student, public.pixels(rng, *size), 32, 48)


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
    ),
    Mutant(
        "corner",
        "puts the picture into the upper left corner",
        old=PLACE,
        new="    top, left = 0, 0\n",
    ),
    Mutant(
        "black",
        "leaves the bars black",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), 0, np.uint8)\n",
    ),
    Mutant(
        "white",
        "fills the bars with the wrong grey",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), 128, np.uint8)\n",
    ),
    Mutant(
        "larger_ratio",
        "takes the larger of the two scales, at which the picture does not fit",
        old=SCALE,
        new="    scale = max(height / image.shape[0], width / image.shape[1])\n",
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
    ),
    Mutant(
        "width_height",
        "calls resize with (width, height), as OpenCV has it",
        old=RESIZED,
        new=("resize_picture(image.swapaxes(0, 1), inner_width, inner_height).reshape(inner_height, inner_width, 3)"),
    ),
    Mutant(
        "cut_off",
        "cuts the new size off instead of rounding it",
        old=INNER,
        new="    inner_height, inner_width = (max(1, int(size * scale)) for size in image.shape[:2])\n",
    ),
    Mutant(
        "rounded_up",
        "rounds the new size up",
        old=INNER,
        new="    inner_height, inner_width = (-int(-size * scale // 1) for size in image.shape[:2])\n",
    ),
    Mutant(
        "no_least",
        "lets nothing be left of a thin picture",
        old=INNER,
        new="    inner_height, inner_width = (round(size * scale) for size in image.shape[:2])\n",
    ),
    Mutant(
        "odd_above",
        "puts the odd pixel above and at the left",
        old=PLACE,
        new="    top, left = (height - inner_height + 1) // 2, (width - inner_width + 1) // 2\n",
    ),
    Mutant(
        "real_places",
        "returns the width of the bar as a real number",
        old=GIVEN,
        new="    return canvas, scale, (height - inner_height) / 2, (width - inner_width) / 2",
    ),
    Mutant(
        "never_grows",
        "does not enlarge, as the original course's Letterbox",
        old=SCALE,
        new="    scale = min(1.0, height / image.shape[0], width / image.shape[1])\n",
    ),
    Mutant(
        "top_left_exchanged",
        "returns left before top",
        old=GIVEN,
        new="    return canvas, scale, left, top",
    ),
    Mutant(
        "inverse",
        "returns 1 / scale, as the original course's Letterbox",
        old=GIVEN,
        new="    return canvas, 1 / scale, top, left",
    ),
    Mutant(
        "two_scales",
        "returns the scale of the rounded height",
        old=GIVEN,
        new="    return canvas, inner_height / image.shape[0], top, left",
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
    ),
    Mutant(
        "floats",
        "makes a canvas of floats",
        old=CANVAS,
        new="    canvas = np.full((height, width, 3), GREY, np.float32)\n",
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
    ),
]
