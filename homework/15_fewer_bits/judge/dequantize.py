r"""Values and scales become weights again: why the solution is as it is.

np.repeat writes each scale as often as its block is long, so that a plain product is left; int8 times float32 is
float32. With an axis of blocks it works without the repeated scales, which take as much memory as the result:

    values.reshape(R, B, C // B) * scale[:, :, None]

**Typical mistakes.** np.tile instead of np.repeat: 1, 2, 1, 2 is not 1, 1, 2, 2; with one scale for each row the two
are the same. `values * scale` without either works for B = 1 and B = C and no other, so it passes where only rows were
tried. A B that does not divide C is an error of the file, and the earlier it is told, the better.

**What is lost** was lost in `quantize`: this product is exact but for the rounding of float32.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import stored
from .shared import restored


def dequantized(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """What has to come out."""
    return restored(values, scale).astype(np.float32)


def dequantize_mistakes(values: np.ndarray, scale: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    size = values.shape[1] // scale.shape[1]
    with np.errstate(over="ignore", divide="ignore"):
        found = {
            "the scales alternate, 1, 2, 1, 2, as np.tile or axes (C / B, B) give them: each scale belongs to "
            "NEIGHBOURS, 1, 1, 2, 2, as np.repeat or axes (B, C / B) give them": (values * np.tile(scale, (1, size))),
            "only the first scale of each row was used": values * scale[:, :1],
            "only the scales of the first row were used": values * np.repeat(scale[:1], size, axis=1),
            "the values were divided by the scale: weight ~ scale * values": values / np.repeat(scale, size, axis=1),
            "the scale was applied twice": values * np.square(np.repeat(scale, size, axis=1)),
            "the scale was cut to a whole number: int8 and float32 multiply to float32 by themselves": (
                values * np.repeat(scale, size, axis=1).astype(np.int8)
            ).astype(np.float32),
            "the product was cut to whole numbers: int8 and float32 multiply to float32 by themselves": (
                np.trunc(values * np.repeat(scale, size, axis=1))
            ),
        }
        halves = values.astype(np.float16) * np.repeat(scale, size, axis=1).astype(np.float16)
        found["float16 has 11 binary digits only: int8 and float32 multiply to float32 by themselves"] = halves
        found["the product was rounded to float16: int8 and float32 multiply to float32 by themselves"] = (
            values * np.repeat(scale, size, axis=1)
        ).astype(np.float16)
        narrow = (values * np.repeat(scale, size, axis=1)).astype(np.int64).astype(np.int8)
    found["the product was cut to int8: it is float32"] = narrow
    right = dequantized(values, scale)
    found = {cause: wrong for cause, wrong in found.items() if not np.allclose(wrong, right)}
    found["the product is right, but still in blocks, (R, B, C / B): reshape it to (R, C)"] = right.reshape(
        *scale.shape, -1
    )
    return {cause: wrong.astype(np.float32) for cause, wrong in found.items()}


@task("dequantize")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of rows, blocks and numbers in one, also 1 of each, and scales of 0."""
    for rows, columns, blocks in ((1, 1, 1), (1, 9, 3), (9, 1, 1), (6, 40, 8), (3, 7, 7), (2, 64, 2)):
        values, scale = stored(rng, rows, columns, blocks)
        scale.flat[0] = 0
        got = student.dequantize(values, scale)
        expect(got, dequantized(values, scale), rtol=1e-6, what=f"values {values.shape} with scales {scale.shape}")


@task("dequantize")
def every_shape_that_does_not_fit(student: Student, rng: np.random.Generator) -> None:
    """Rows that are too few, too many or one, and blocks that do not divide."""
    for rows, columns, shape in ((4, 6, (1, 1)), (1, 6, (2, 1)), (4, 6, (4, 4)), (4, 6, (4, 12)), (4, 6, (6, 4))):
        values, _ = stored(rng, rows, columns, 1)
        expect_refused(student.dequantize, values, np.ones(shape, np.float32))


PRODUCT = "    return values * np.repeat(scale, columns // blocks, axis=1)\n"
FITS = "    if len(scale) != rows or not blocks or columns % blocks:\n"

MUTANTS = [
    Mutant(
        "tile",
        "repeats the scales one after the other",
        PRODUCT,
        "    return values * np.tile(scale, (1, columns // blocks))\n",
        "product",
    ),
    Mutant("first", "the first scale of a row", PRODUCT, "    return values * scale[:, :1]\n", "product"),
    Mutant(
        "first_row",
        "the first row's scales",
        PRODUCT,
        PRODUCT.replace("repeat(scale,", "repeat(scale[:1],"),
        "product",
    ),
    Mutant("divided", "divides", PRODUCT, PRODUCT.replace("values * ", "values / "), "product"),
    Mutant("wide", "float64", PRODUCT, PRODUCT.replace("return values", "return values.astype(float)"), "dtype"),
    Mutant("rows", "takes any number of rows", FITS, "    if not blocks or columns % blocks:\n", "refused"),
    Mutant("zero", "divides by 0", FITS, FITS.replace("not blocks or ", ""), "refused"),
    Mutant(
        "blocks",
        "cuts what does not fit",
        FITS,
        "    if len(scale) == rows and (not blocks or columns % blocks):\n"
        "        blocks, scale = 1, np.ones((rows, 1), np.float32)\n"
        "    if len(scale) != rows:\n",
        "refused",
    ),
    Mutant(
        "another_error",
        "another exception",
        '        raise ValueError(f"scale: ',
        '        raise IndexError(f"scale: ',
        "refused",
    ),
]
