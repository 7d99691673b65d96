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

from classroom.judge import Mutant, Student, expect, expect_refused, task
from kuiper.vision import resize as bilinear

from ..public import photograph
from .shared import wrong


def resized_to_fractions(image: np.ndarray, height: float, width: float) -> np.ndarray:
    """What the given resize_picture makes of sizes that are no whole numbers: one row or column too many."""
    work = image.astype(np.float32)
    for size in (height, width):
        length = len(work)
        place = np.clip((np.arange(size) + 0.5) * (length / size) - 0.5, 0, length - 1)
        low = place.astype(int)
        share = (place - low).astype(np.float32)[:, None, None]
        work = work[low] + (work[np.minimum(low + 1, length - 1)] - work[low]) * share
        work = work.swapaxes(0, 1)
    return np.rint(work).astype(np.uint8)


def prepared(image: np.ndarray, resize: int, crop: int, mistake: str = "") -> np.ndarray:
    """What preprocess has to give; or what it gives with one mistake."""
    mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    height, width = image.shape[:2]
    if mistake in ("square first", "square into crop"):
        square = min(height, width)
        top, left = round((height - square) / 2), round((width - square) / 2)
        image, height, width = image[top : top + square, left : left + square], square, square
    side = max(height, width) if mistake == "longer" else min(height, width)
    rows, cols = max(1, resize * height // side), max(1, resize * width // side)
    if mistake in ("round", "round and down"):
        rows, cols = round(resize * height / side), round(resize * width / side)
    if mistake == "factor":
        rows, cols = (resize if n == side else int(n * (resize / side)) for n in (height, width))
    if mistake == "factor of both":
        rows, cols = (int(resize / side * n) for n in (height, width))
    if mistake == "ratio":
        rows, cols = int(resize * (height / side)), int(resize * (width / side))
    if mistake == "ceil":
        rows, cols = -(-resize * height // side), -(-resize * width // side)
    if mistake == "squeezed":
        rows = cols = resize
    if mistake == "no crop":
        rows = cols = crop
    if mistake == "not resized":
        rows, cols = height, width
    asked = (cols, rows) if mistake.startswith("exchanged") else (rows, cols)
    if mistake == "twice":
        image = bilinear(image, rows, width)
    small = image if mistake == "resize forgotten" else bilinear(image, *asked)
    if mistake.startswith("fraction"):
        rows, cols = resize * height / side, resize * width / side
        small = resized_to_fractions(image, rows, cols)
    if mistake == "fraction, then size":
        rows, cols = small.shape[:2]
    if mistake == "exchanged before":
        rows, cols = cols, rows
    top, left = round((rows - crop) / 2), round((cols - crop) / 2)
    if mistake in ("down", "round and down"):
        top, left = (rows - crop) // 2, (cols - crop) // 2
    if mistake == "up":
        top, left = (rows - crop + 1) // 2, (cols - crop + 1) // 2
    if mistake == "halves":
        top, left = rows // 2 - crop // 2, cols // 2 - crop // 2
    if mistake == "rounded halves":
        top, left = round(rows / 2) - round(crop / 2), round(cols / 2) - round(crop / 2)
    if mistake == "given":
        top, left = round((height - crop) / 2), round((width - crop) / 2)
    if mistake == "corner":
        top = left = 0
    if mistake == "place of rows":
        left = top
    if mistake == "place of columns":
        top = left
    if mistake == "corner exchanged":
        top, left = left, top
    bottom, right = top + crop, left + crop
    if mistake == "negative ends":
        bottom, right = -top, -left
    if mistake == "both ends":
        bottom, right = rows - top, cols - left
    cut = small[top:bottom, left:right].astype(np.float64)
    if mistake == "square into crop":
        cut = bilinear(image, crop, crop).astype(np.float64)
    if mistake == "cut enlarged":
        share = max(1, round(crop * side / resize))
        top, left = round((height - share) / 2), round((width - share) / 2)
        cut = bilinear(image[top : top + share, left : left + share], crop, crop).astype(np.float64)
    cut = cut[..., ::-1] if mistake == "bgr" else cut
    cut = cut // 255 if mistake == "whole" else cut / {"bytes": 1, "256": 256}.get(mistake, 255)
    cut = np.round(cut) if mistake == "rounded" else cut
    mean = np.zeros(3) if mistake == "mean" else mean / 255 if mistake == "mean of bytes" else mean
    std = np.ones(3) if mistake == "std" else std
    if mistake == "one colour":
        mean, std = mean.mean(), std.mean()
    cut = cut / std - mean if mistake == "std first" else (cut - mean) / std
    x = cut.reshape(3, *cut.shape[:2]) if mistake == "reshape" else cut.transpose(2, 0, 1)
    x = x.swapaxes(1, 2) if mistake == "turned" else x
    x = x[::-1] if mistake == "bgr last" else x
    return x[None].astype(np.float32)


PLACE_CAUSES = {
    "round": "the longer side was rounded to the nearest: it is floor(resize * longer / shorter)",
    "factor": "resize / shorter was rounded before the longer side was multiplied with it: resize * longer // shorter",
    "factor of both": "resize / shorter was rounded before a side was multiplied with it: resize * side // shorter",
    "ratio": "longer / shorter was rounded before it was multiplied with resize: resize * longer // shorter",
    "ceil": "the longer side was rounded up: it is floor(resize * longer / shorter)",
    "fraction": "the longer side is no whole number, and resize_picture took it as it came: / gives a fraction, and "
    "the side is floor(resize * longer / shorter)",
    "fraction, then size": "the longer side was no whole number, and resize_picture made it a pixel larger: it is "
    "floor(resize * longer / shorter)",
    "longer": "the longer side was resized to `resize`: it is the shorter one",
    "squeezed": "both sides became `resize`: the longer one is resize * longer // shorter, and is cut afterwards",
    "no crop": "the whole picture was squeezed into crop x crop: resize it in proportion, then cut the middle out",
    "up": (
        "the crop begins a pixel too far: it begins at round((n - crop) / 2), and Python's round takes a half to the "
        "even number, 2.5 to 2"
    ),
    "square first": "a square was cut out before resizing: resize the whole picture first, then cut out its middle",
    "square into crop": "a square was cut out and resized to crop x crop: resize the whole picture first, then cut",
    "cut enlarged": "the middle was cut out of the given picture and then resized, without what lies around it: resize "
    "the whole picture first, then cut",
    "twice": "the picture was resized in two calls, and rounded to bytes between them: one call takes both sides",
    "both ends": "as much was cut off at the end as at the beginning, too little if the rest is odd: the cut ends "
    "at top + crop and left + crop",
    "negative ends": "the cut ends at -top and -left, which is wrong where the rest is odd, and leaves nothing where "
    "it is 0, as -0 is 0: it ends at top + crop and left + crop",
    "not resized": "the picture was not resized before the cut: resize_picture(image, rows, cols) comes first",
    "resize forgotten": "the cut comes from the picture as it was given: resize it first, with resize_picture",
    "exchanged": "height and width are exchanged: resize_picture takes the height first, then the width",
    "exchanged before": "height and width are exchanged: resize_picture wants (image, height, width)",
    "corner": "the crop is the upper left corner: it comes from the middle",
    "down": "the crop begins a pixel off: the beginning is round((n - crop) / 2), not (n - crop) // 2",
    "round and down": (
        "the longer side was rounded to the nearest, and the beginning of the crop down: they are "
        "floor(resize * longer / shorter) and round((n - crop) / 2)"
    ),
    "halves": "n and crop were halved and rounded one by one: halve their difference, round((n - crop) / 2)",
    "rounded halves": "n and crop were halved and rounded one by one: halve the difference, round((n - crop) / 2)",
    "corner exchanged": "the first row and the first column are exchanged: the first row comes from the height, "
    "(rows - crop) / 2, and the first column from the width",
    "place of rows": "rows and columns begin at one number: the first column comes from the width, (cols - crop) / 2",
    "place of columns": "rows and columns begin at one number: the first row comes from the height, (rows - crop) / 2",
    "given": "the crop begins where the middle of the given picture is: n is the height or width after resizing",
}
BEYOND = {
    "place of rows": "the cut begins to the right of the picture: the first column comes from the width, "
    "(cols - crop) / 2",
    "place of columns": "the cut begins below the picture: the first row comes from the height, (rows - crop) / 2",
}
"""Mistake -> the cause to name where exchanged corners give the same, which is nothing."""
NUMBER_CAUSES = {
    "bgr": "the channels are in the order blue, green, red: keep red first",
    "bgr last": "the planes are in the order blue, green, red: channel 0 is red, so turn nothing round at the end",
    "mean of bytes": "MEAN was subtracted from bytes: it is on a scale from 0 to 1, so divide by 255 first",
    "bytes": "the pixels are still 0..255: divide by 255 before anything else",
    "256": "the pixels were divided by 256: the largest byte is 255, and becomes 1",
    "whole": "the pixels became whole numbers: / divides, and // cuts off what follows the point",
    "rounded": "the pixels were rounded to 0 and 1: divide by 255 and leave the fractions as they are",
    "mean": "the mean was not subtracted",
    "std": "the difference was not divided by the standard deviation",
    "one colour": "one number was taken for all colours: MEAN and STD have one for each, so calculate with the arrays",
    "std first": "divided by STD first: subtract MEAN, then divide",
    "reshape": "reshape does not move axes, it only cuts the row of numbers elsewhere: transpose(2, 0, 1)",
    "turned": "rows and columns are exchanged: the axes become (channel, row, column), transpose(2, 0, 1)",
}


def place_mistakes(image: np.ndarray, resize: int, crop: int) -> dict[str, np.ndarray]:
    """Likely cause -> what a wrong size or place gives for this picture."""
    found = {cause: prepared(image, resize, crop, mistake) for mistake, cause in PLACE_CAUSES.items()}
    if resize > min(image.shape[:2]):
        as_given = found.pop(PLACE_CAUSES["resize forgotten"])
        found["the cut comes from the picture as it was given: a small picture is resized, too, and grows"] = as_given
    for mistake, cause in BEYOND.items():
        one, other = PLACE_CAUSES[mistake], PLACE_CAUSES["corner exchanged"]
        if other in found and np.array_equal(found[one], found[other]):  # both lie beyond the edge
            del found[one]
            found[cause] = found.pop(other)
    return wrong(found, prepared(image, resize, crop))


def number_mistakes(image: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what wrong numbers or axes give for this picture, a square, of which nothing is cut."""
    side = len(image)
    right = prepared(image, side, side)
    found = {cause: prepared(image, side, side, mistake) for mistake, cause in NUMBER_CAUSES.items()}
    with np.errstate(invalid="ignore"):
        rounded = np.rint(right).astype(np.uint8).astype(np.float32)
    found["resize_picture rounds to bytes: resize the bytes first, and normalise what it gives"] = rounded
    nothing = "nothing is left of the picture: a cut that ends at -top ends at 0 where top is 0; it ends at top + crop"
    found[nothing] = right[:, :, :0, :0]
    found["the axis of the batch is missing: put it in front, [None]"] = right[0]
    found["the channels are still the last axis: transpose(2, 0, 1)"] = right.transpose(0, 2, 3, 1)
    found["the numbers are float64: make them float32"] = right.astype(np.float64)
    return wrong(found, right)


def expect_prepared(student: Student, image: np.ndarray, resize: int, crop: int) -> None:
    """Raise Failure unless the student's preparation of `image` is right."""
    what = f"preprocess of {image.shape} with resize={resize}, crop={crop}"
    expect(student.preprocess(image, resize, crop), prepared(image, resize, crop), atol=1e-5, what=what)


@task("preprocess")
def pictures_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    """Wide, tall and square pictures, made smaller and larger, agree with the description."""
    for _ in range(8):
        height, width = (int(n) for n in rng.integers(5, 40, 2))
        resize = int(rng.integers(4, 24))
        crop = int(rng.integers(1, resize + 1))
        expect_prepared(student, photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_middle_of_an_odd_rest(student: Student, rng: np.random.Generator) -> None:
    """Where an odd number of pixels is cut away, round decides on which side there is one more."""
    for height, width, resize, crop in ((9, 12, 9, 6), (15, 11, 11, 6), (10, 17, 10, 3)):
        expect_prepared(student, photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_longer_side_is_rounded_down(student: Student, rng: np.random.Generator) -> None:
    """The longer side is floor(resize * longer / shorter), whatever the rest of the division is."""
    for height, width, resize in ((7, 13, 5), (19, 11, 8), (6, 35, 7), (23, 8, 9), (98, 49, 8)):
        expect_prepared(student, photograph(rng, height, width), resize, resize - 1)


@task("preprocess")
def black_and_white(student: Student, rng: np.random.Generator) -> None:
    """Black, white and single-coloured pictures become the numbers that (byte / 255 - mean) / std gives."""
    for colour in ((0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 128, 255)):
        image = np.empty((6, 9, 3), np.uint8)
        image[:] = colour
        expect_prepared(student, image, 4, 4)


@task("preprocess")
def a_photograph_for_imagenet(student: Student, rng: np.random.Generator) -> None:
    """A larger picture with 256 and 224, the sizes of ImageNet, gives (1, 3, 224, 224) in float32."""
    expect_prepared(student, photograph(rng, 300, 451), 256, 224)


@task("preprocess")
def one_pixel_too_large(student: Student, rng: np.random.Generator) -> None:
    """A crop of exactly `resize` is fine, one pixel more is not, for wide and for tall pictures."""
    for shape in ((10, 30), (30, 10), (12, 12)):
        image = photograph(rng, *shape)
        expect_prepared(student, image, 7, 7)
        expect_refused(student.preprocess, image, 7, 8)


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
        breaks="shorter",
    ),
    Mutant(
        "height_counts",
        "takes the height for the shorter side",
        old="shorter = min(height, width)",
        new="shorter = height",
        breaks="shorter",
    ),
    Mutant(
        "squeezed",
        "resizes to a square, which changes the shape of things",
        old=SIZES,
        new="rows, cols = resize, resize",
        breaks="longer",
    ),
    Mutant(
        "longer_rounded",
        "rounds the longer side to the nearest",
        old=SIZES,
        new="rows, cols = round(resize * height / shorter), round(resize * width / shorter)",
        breaks="longer",
    ),
    Mutant(
        "factor_rounded",
        "multiplies the longer side by a factor that is rounded already: 98 * (8 / 49) is less than 16",
        old=SIZES,
        new=(
            "factor = resize / shorter\n"
            "    rows = resize if height == shorter else int(height * factor)\n"
            "    cols = resize if width == shorter else int(width * factor)"
        ),
        breaks="longer",
    ),
    Mutant(
        "ratio_rounded",
        "multiplies by a ratio that is rounded already: 7 * (61 / 7) is less than 61",
        old=SIZES,
        new="rows, cols = int(resize * (height / shorter)), int(resize * (width / shorter))",
        breaks="longer",
    ),
    Mutant(
        "longer_rounded_up",
        "rounds the longer side up",
        old=SIZES,
        new="rows, cols = -(-resize * height // shorter), -(-resize * width // shorter)",
        breaks="longer",
    ),
    Mutant(
        "factor_first",
        "computes resize // shorter first, in whole numbers",
        old=SIZES,
        new=("rows, cols = (max(resize, height * (resize // shorter)), max(resize, width * (resize // shorter)))"),
        breaks="longer",
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
        breaks="middle",
    ),
    Mutant(
        "one_direction",
        "cuts from the middle in one direction only",
        old=CORNER,
        new="top, left = round((rows - crop) / 2), 0",
        breaks="middle",
    ),
    Mutant(
        "rounded_down",
        "rounds the corner down, in whole numbers",
        old=CORNER,
        new="top, left = (rows - crop) // 2, (cols - crop) // 2",
        breaks="middle",
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
        breaks="resizing",
    ),
    Mutant(
        "no_crop",
        "resizes straight to the size of the crop",
        old=CUT,
        new="cut = resize_picture(image, crop, crop)",
        breaks="resizing",
    ),
    Mutant(
        "nearest",
        "takes the nearest pixel in place of a weighted mean",
        old="resize_picture(image, rows, cols)[",
        new="image[np.arange(rows) * height // rows][:, np.arange(cols) * width // cols][",
        breaks="resizing",
    ),
    Mutant(
        "bgr",
        "blue first, as OpenCV reads files",
        old=NUMBERS,
        new="x = (cut[..., ::-1].astype(np.float32) / 255 - MEAN) / STD",
        breaks="axes",
    ),
    Mutant(
        "bgr_mean",
        "the means in the order blue, green, red",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN[::-1]) / STD[::-1]",
        breaks="numbers",
    ),
    Mutant(
        "bytes",
        "forgets to divide by 255",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) - MEAN) / STD",
        breaks="numbers",
    ),
    Mutant(
        "whole_division",
        "divides bytes by 255 in whole numbers",
        old=NUMBERS,
        new="x = ((cut // 255).astype(np.float32) - MEAN) / STD",
        breaks="numbers",
    ),
    Mutant(
        "std_first",
        "divides by STD before it subtracts MEAN",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 / STD - MEAN",
        breaks="numbers",
    ),
    Mutant(
        "no_mean",
        "forgets the mean",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 / STD",
        breaks="numbers",
    ),
    Mutant(
        "no_std",
        "forgets the standard deviation",
        old=NUMBERS,
        new="x = cut.astype(np.float32) / 255 - MEAN",
        breaks="numbers",
    ),
    Mutant(
        "times_std",
        "multiplies by STD",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN) * STD",
        breaks="numbers",
    ),
    Mutant(
        "own_mean",
        "subtracts the picture's own mean and divides by its own deviation",
        old=NUMBERS,
        new=(
            "x = cut.astype(np.float32) / 255\n"
            "    x = (x - x.mean(axis=(0, 1))) / np.maximum(x.std(axis=(0, 1)), np.float32(1e-6))"
        ),
        breaks="numbers",
    ),
    Mutant(
        "grey",
        "one mean for all three channels",
        old=NUMBERS,
        new="x = (cut.astype(np.float32) / 255 - MEAN.mean()) / STD.mean()",
        breaks="numbers",
    ),
    Mutant(
        "reshaped",
        "reshapes to (3, H, W), which mixes pixels and channels",
        old="x.transpose(2, 0, 1)[None]",
        new="x.reshape(3, crop, crop)[None]",
        breaks="axes",
    ),
    Mutant(
        "turned",
        "exchanges rows and columns on the way",
        old="x.transpose(2, 0, 1)[None]",
        new="x.T[None]",
        breaks="axes",
    ),
    Mutant(
        "channels_last",
        "leaves the channels at the end",
        old="x.transpose(2, 0, 1)[None]",
        new="x[None]",
        breaks="axes",
    ),
    Mutant(
        "no_batch",
        "gives (3, crop, crop)",
        old="x.transpose(2, 0, 1)[None]",
        new="x.transpose(2, 0, 1)",
        breaks="axes",
    ),
    Mutant(
        "float64",
        "forgets the element type",
        old=NUMBERS,
        new="x = (cut / 255 - MEAN.astype(float)) / STD.astype(float)",
        breaks="dtype",
    ),
    Mutant(
        "no_check",
        "cuts less than asked for when the crop does not fit",
        old=FITS,
        new="",
        breaks="fits",
    ),
    Mutant(
        "check_too_strict",
        "refuses a crop that just fits",
        old="if crop > resize:",
        new="if crop >= resize:",
        breaks="fits",
    ),
    Mutant(
        "check_longer",
        "compares the crop with the longer side of the file",
        old="if crop > resize:",
        new="if crop > max(image.shape[:2]):",
        breaks="fits",
    ),
]
