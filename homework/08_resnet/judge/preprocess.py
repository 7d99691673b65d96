r"""A picture as the network was trained on it: why the solution is as it is.

The order of the steps is the order in which the network was prepared for training, and each matters:

- *Sizes in whole numbers.* With `shorter = min(H, W)`, both sides are `resize * side // shorter`; for the shorter one
  that is `resize` exactly. `resize // shorter * side` rounds too early. Resizing both sides to `resize` squeezes the
  picture.
- *The middle.* `round((n - crop) / 2)` is what torchvision does. Python rounds halves to the even number, so an odd
  rest goes above or below by turns; `//` always rounds down, and is a pixel off for rests of 3, 7, 11, ...
- *Then numbers.* Divide by 255 as floats: `cut // 255` is 0 nearly everywhere. Subtract the mean before you divide by
  the deviation. MEAN and STD have shape (3,), which fits the last axis as long as the channels stand there; so
  transpose afterwards.
- *`transpose`, never `reshape`.* `reshape(3, H, W)` has the right shape and puts red, green and blue of neighbouring
  pixels into one plane.
- *float32.* bytes / 255 is float64, and a network that runs in float32 refuses it or runs at half the speed.

The check compares `crop` with `resize`, because the shorter side is exactly that. Without it a slice that is too long
gives a smaller picture, and no error.

Cost: 3 * H' * W' weighted means for the resized picture, and as many subtractions and divisions for the crop.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_raises, task

from .. import public


@task("preprocess")
def pictures_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    """Wide, tall and square pictures, made smaller and larger, agree with the description."""
    for _ in range(8):
        height, width = (int(n) for n in rng.integers(5, 40, 2))
        resize = int(rng.integers(4, 24))
        crop = int(rng.integers(1, resize + 1))
        public.expect_prepared(student, public.photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_middle_of_an_odd_rest(student: Student, rng: np.random.Generator) -> None:
    """Where an odd number of pixels is cut away, round decides on which side there is one more."""
    for height, width, resize, crop in ((9, 12, 9, 6), (15, 11, 11, 6), (10, 17, 10, 3)):
        public.expect_prepared(student, public.photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_longer_side_is_rounded_down(student: Student, rng: np.random.Generator) -> None:
    """The longer side is floor(resize * longer / shorter), whatever the rest of the division is."""
    for height, width, resize in ((7, 13, 5), (19, 11, 8), (6, 35, 7), (23, 8, 9)):
        public.expect_prepared(student, public.photograph(rng, height, width), resize, resize - 1)


@task("preprocess")
def black_and_white(student: Student, rng: np.random.Generator) -> None:
    """Black, white and single-coloured pictures become the numbers that (byte / 255 - mean) / std gives."""
    for colour in ((0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 128, 255)):
        image = np.empty((6, 9, 3), np.uint8)
        image[:] = colour
        public.expect_prepared(student, image, 4, 4)


@task("preprocess")
def a_photograph_for_imagenet(student: Student, rng: np.random.Generator) -> None:
    """A larger picture with 256 and 224, the sizes of ImageNet, gives (1, 3, 224, 224) in float32."""
    public.expect_prepared(student, public.photograph(rng, 300, 451), 256, 224)


@task("preprocess")
def one_pixel_too_large(student: Student, rng: np.random.Generator) -> None:
    """A crop of exactly `resize` is fine, one pixel more is not, for wide and for tall pictures."""
    for shape in ((10, 30), (30, 10), (12, 12)):
        image = public.photograph(rng, *shape)
        public.expect_prepared(student, image, 7, 7)
        expect(expect_raises(student.preprocess, image, 7, 8), "ValueError", what="the type of the exception")


SIZES = "rows, cols = resize * height // shorter, resize * width // shorter"
CORNER = "top, left = round((rows - crop) / 2), round((cols - crop) / 2)"
CUT = "cut = resize_picture(image, rows, cols)[top : top + crop, left : left + crop]"
NUMBERS = "x = (cut.astype(np.float32) / 255 - MEAN) / STD"
FITS = (
    "    if crop > resize:\n"
    '        raise ValueError(f"preprocess: a crop of {crop} does not fit into a shorter side '
    'of {resize}")\n'
)

MUTANTS = [
    Mutant(
        "longer_side",
        "resizes the longer side, and cuts less than asked for",
        old="shorter = min(height, width)",
        new="shorter = max(height, width)",
    ),
    Mutant(
        "height_counts",
        "takes the height for the shorter side",
        old="shorter = min(height, width)",
        new="shorter = height",
    ),
    Mutant(
        "squeezed",
        "resizes to a square, which changes the shape of things",
        old=SIZES,
        new="rows, cols = resize, resize",
    ),
    Mutant(
        "longer_rounded",
        "rounds the longer side to the nearest",
        old=SIZES,
        new="rows, cols = round(resize * height / shorter), round(resize * width / shorter)",
    ),
    Mutant(
        "factor_first",
        "computes resize // shorter first, in whole numbers",
        old=SIZES,
        new=("rows, cols = (max(resize, height * (resize // shorter)), max(resize, width * (resize // shorter)))"),
    ),
    Mutant(
        "sizes_exchanged",
        "asks for (width, height), as other libraries want it",
        old="resize_picture(image, rows, cols)",
        new="resize_picture(image, cols, rows)",
    ),
    Mutant(
        "upper_left",
        "cuts the upper left corner",
        old=CORNER,
        new="top, left = 0, 0",
    ),
    Mutant(
        "one_direction",
        "cuts from the middle in one direction only",
        old=CORNER,
        new="top, left = round((rows - crop) / 2), 0",
    ),
    Mutant(
        "rounded_down",
        "rounds the corner down, in whole numbers",
        old=CORNER,
        new="top, left = (rows - crop) // 2, (cols - crop) // 2",
    ),
    Mutant(
        "crop_first",
        "cuts first, and resizes what is left",
        old=CUT,
        new=(
            "side = min(shorter, max(1, shorter * crop // resize))\n"
            "    top, left = round((height - side) / 2), round((width - side) / 2)\n"
            "    cut = resize_picture(image[top : top + side, left : left + side], crop, crop)"
        ),
    ),
    Mutant(
        "no_crop",
        "resizes straight to the size of the crop",
        old=CUT,
        new="cut = resize_picture(image, crop, crop)",
    ),
    Mutant(
        "nearest",
        "takes the nearest pixel in place of a weighted mean",
        old="resize_picture(image, rows, cols)[",
        new="image[np.arange(rows) * height // rows][:, np.arange(cols) * width // cols][",
    ),
    Mutant(
        "bgr",
        "blue first, as OpenCV reads files",
        old=NUMBERS,
        new="x = (cut[..., ::-1].astype(np.float32) / 255 - MEAN) / STD",
    ),
    Mutant(
        "bgr_mean",
        "the means in the order blue, green, red",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN[::-1]) / STD[::-1]",
    ),
    Mutant(
        "bytes",
        "forgets to divide by 255",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) - MEAN) / STD",
    ),
    Mutant(
        "whole_division",
        "divides bytes by 255 in whole numbers",
        old=NUMBERS,
        new="x = ((cut // 255).astype(np.float32) - MEAN) / STD",
    ),
    Mutant(
        "std_first",
        "divides by STD before it subtracts MEAN",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 / STD - MEAN",
    ),
    Mutant(
        "no_mean",
        "forgets the mean",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 / STD",
    ),
    Mutant(
        "no_std",
        "forgets the standard deviation",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 - MEAN",
    ),
    Mutant(
        "times_std",
        "multiplies by STD",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN) * STD",
    ),
    Mutant(
        "own_mean",
        "subtracts the picture's own mean and divides by its own deviation",
        old=NUMBERS,
        new=(
            "x = cut.astype(np.float32) / 255\n"
            "    x = (x - x.mean(axis=(0, 1))) / np.maximum(x.std(axis=(0, 1)), np.float32(1e-6))"
        ),
    ),
    Mutant(
        "grey",
        "one mean for all three channels",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN.mean()) / STD.mean()",
    ),
    Mutant(
        "reshaped",
        "reshapes to (3, H, W), which mixes pixels and channels",
        old="x.transpose(2, 0, 1)[None]",
        new="x.reshape(3, crop, crop)[None]",
    ),
    Mutant(
        "turned",
        "exchanges rows and columns on the way",
        old="x.transpose(2, 0, 1)[None]",
        new="x.T[None]",
    ),
    Mutant(
        "channels_last",
        "leaves the channels at the end",
        old="x.transpose(2, 0, 1)[None]",
        new="x[None]",
    ),
    Mutant(
        "no_batch",
        "gives (3, crop, crop)",
        old="x.transpose(2, 0, 1)[None]",
        new="x.transpose(2, 0, 1)",
    ),
    Mutant(
        "float64",
        "forgets the element type",
        old=NUMBERS,
        new="x = (cut / 255 - MEAN.astype(float)) / STD.astype(float)",
    ),
    Mutant(
        "no_check",
        "cuts less than asked for when the crop does not fit",
        old=FITS,
        new="",
    ),
    Mutant(
        "check_too_strict",
        "refuses a crop that just fits",
        old="if crop > resize:",
        new="if crop >= resize:",
    ),
    Mutant(
        "check_longer",
        "compares the crop with the longer side of the file",
        old="if crop > resize:",
        new="if crop > max(image.shape[:2]):",
    ),
]
