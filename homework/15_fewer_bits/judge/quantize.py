r"""A weight in 8 bits and a scale for each row or block: why the solution is as it is.

A reshape to (R, B, C / B) gives each block an axis of its own, so the largest magnitude is one `max` along the last
axis, and the scales broadcast back with an axis of size 1 after theirs. A row is a block as long as the row: the two
cases are one.

**Why 127 and not 128.** int8 reaches from -128 to 127. With 128 the largest number, if it is positive, becomes 128,
which int8 does not have: numpy's astype makes -128 of it, and the largest weight changes its sign. -128 stays unused,
so that w and -w are stored with the same magnitude, and so that 0 is 0.

**Why rint.** `astype(np.int8)` cuts off what is after the decimal point. Nearest is off by at most half a scale and on
average by nothing; cutting is off by up to a whole scale. np.floor is, too, and always in one direction, so that its
errors add up in a sum.

**Zeros.** A row of zeros has the largest magnitude 0, and 0 / 0 is NaN. What int8 is made of NaN depends on the
processor. So divide by 1 where the scale is 0; the scale itself stays 0.

**Typical mistakes.** `weight.max()` without abs: a row whose largest number is negative overflows. One scale for the
whole matrix: a single large row takes the others' precision. `max(axis=0)`: a scale for each column. It fits where the
matrix is square, but then y = W x cannot be multiplied by a scale after the sum, since each product has its own.

**And kuiper?** [weights.py](../../../kuiper/quantize/weights.py) does the same for weights of any number of axes, with
scales at both ends of float32's range handled, some rows at a time, so that a network larger than memory can be
converted. Block sizes of 32 are those of ggml's q8_0.

**Cost.** C / block scales of 4 bytes a row: 8 + 32 / block bits for each weight.
"""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from ..public import LENGTH_NOT_COUNT, drawn
from .shared import rounded

Quantized = tuple[np.ndarray, np.ndarray]


def quantized(weight: np.ndarray, block: int | None) -> Quantized:
    """What has to come out."""
    return rounded(weight, block)


def quantize_mistakes(weight: np.ndarray, block: int | None) -> dict[str, Quantized]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    values, scale = rounded(weight, block)
    once_values, once = rounded(weight.reshape(1, -1), None)
    once_values = once_values.reshape(weight.shape)
    column_values, columns = rounded(weight.T, None)
    row_values, rows = rounded(weight, None)
    with np.errstate(divide="ignore"):
        inverse = (1 / scale).astype(np.float32)
    cut = (
        "the value is cut, not rounded to nearest: astype(np.int8) drops all after the decimal point, so np.rint first"
    )
    shared = '(section "Who shares a scale?")'
    one = f"that is one scale for the whole matrix: each row (or block) has its own, max(axis=...) {shared}"
    each = f"that is a scale for each column: the largest magnitude of a ROW decides {shared}"
    alone = "each number has a scale of its own: take the largest along the LAST axis of (R, blocks, block)"
    cut_off = "a negative number can be the largest magnitude: np.abs first, and np.clip has nothing to cut off"
    flat = "the values are right, but the scales have the shape (R, blocks), (R, 1) for whole rows: keepdims=True"
    blocked = "the values are right, but still in blocks, (R, blocks, block): reshape them to (R, C) at the end"
    kept = "the scales are right, but keepdims=True left an axis of 1 at their end: reshape them to (R, blocks)"
    found: list[tuple[str, Quantized]] = [
        (cut, rounded(weight, block, rounding=math.trunc)),
        ("floor rounds down, -0.2 to -1: np.rint goes to the nearest", rounded(weight, block, rounding=math.floor)),
        ("ceil rounds up, 0.2 to 1: np.rint goes to the nearest", rounded(weight, block, rounding=math.ceil)),
        (
            "0.5 was added and then cut: right for positive numbers only; np.rint goes to the nearest",
            rounded(weight, block, rounding=lambda number: math.trunc(number + 0.5)),
        ),
        (
            "the largest magnitude becomes 128, which int8 does not have (it becomes -128): divide by 127",
            rounded(weight, block, most=128.0),
        ),
        (
            "divide by 127: with 128 the largest magnitude has to be cut off",
            rounded(weight, block, most=128.0, rounding=lambda number: int(np.clip(round(number), -127, 127))),
        ),
        (
            "divide by 127: with 128 the largest positive number has to be cut off, and -128 stays unused",
            rounded(weight, block, most=128.0, rounding=lambda number: int(np.clip(round(number), -128, 127))),
        ),
        ("int8 has no -255: divide by 127, for both signs", rounded(weight, block, most=255.0)),
        (
            "the range from smallest to largest was divided by 255: a scale is the largest magnitude / 127",
            rounded(weight, block, most=255.0, magnitude=lambda numbers: max(numbers) - min(numbers)),
        ),
        (
            "the range from smallest to largest was divided by 254: a scale is the largest magnitude / 127",
            rounded(weight, block, most=254.0, magnitude=lambda numbers: max(numbers) - min(numbers)),
        ),
        ("a negative number can be the largest magnitude: np.abs first", rounded(weight, block, magnitude=max)),
        (
            "a negative number can be the largest magnitude: np.abs first, not after max",
            rounded(weight, block, magnitude=lambda numbers: abs(max(numbers))),
        ),
        (
            "a scale is a magnitude, 0 or more: yours has the sign of the largest number, so take np.abs of it",
            rounded(weight, block, magnitude=lambda numbers: max(numbers, key=abs)),
        ),
        (
            cut_off,
            rounded(weight, block, rounding=lambda number: int(np.clip(round(number), -127, 127)), magnitude=max),
        ),
        (
            f"{cut_off}; int8's -128 stays unused",
            (rounded(weight, block, rounding=lambda number: int(np.clip(round(number), -128, 127)), magnitude=max)),
        ),
        ("the scale is returned upside down: weight ~ scale * values", (values, inverse)),
        ("the values are right; a block of zeros has the scale 0, not 1", (values, np.where(scale, scale, 1))),
        ("the weights were multiplied by the scale: values ~ weight / scale", times(weight, scale)),
        (flat, (values, scale[:, 0])),
        (blocked, (values.reshape(*scale.shape, -1), scale)),
        (kept, (values, scale[:, :, None])),
        (f"{kept}; and {blocked}", (values.reshape(*scale.shape, -1), scale[:, :, None])),
        ("values and scale are exchanged: first the values, then the scale", (scale, values)),  # type: ignore[list-item]
        (alone, rounded(weight, 1)),
        (
            "each number has a scale of its own, and the first of each block came back: take the largest along the "
            "LAST axis of (R, blocks, block)",
            (rounded(weight, 1)[0], np.abs(weight).reshape(*scale.shape, -1)[:, :, 0] / np.float32(127)),
        ),
        (one, (once_values, np.broadcast_to(once, scale.shape).copy())),
        (one, (once_values, once)),
        (one, (once_values, once[0])),
        (one, (once_values, once[0, 0])),
        (each, (column_values.T, columns.T)),
        (each, (column_values.T, columns)),
        (each, (column_values.T, columns[:, 0])),
        ("the block was not used: every `block` numbers of a row have a scale of their own", (row_values, rows)),
    ]
    if scale.shape[1] > 1:
        turned = weight.reshape(len(weight), -1, scale.shape[1]).swapaxes(1, 2).reshape(weight.shape)
        strided_values, strided = rounded(turned, block)
        strided_values = strided_values.reshape(len(weight), scale.shape[1], -1).swapaxes(1, 2).reshape(weight.shape)
        cause = "a block is `block` NEIGHBOURS: reshape to (R, C / block, block), and the largest along the last axis"
        found.append((cause, (strided_values, strided)))
        apart = weight.reshape(len(weight), scale.shape[1], -1).swapaxes(1, 2).reshape(weight.shape)
        apart_values, of_apart = rounded(apart, scale.shape[1])
        apart_values = apart_values.reshape(len(weight), -1, scale.shape[1]).swapaxes(1, 2).reshape(weight.shape)
        found.append((cause, (apart_values, of_apart)))
        if weight.shape[1] % scale.shape[1] == 0:
            swapped = rounded(weight, scale.shape[1])
            found.append((LENGTH_NOT_COUNT, swapped))
    wrong: dict[str, Quantized] = {}
    for cause, answer in found:
        if not same(answer, (values, scale)):
            shape = np.shape(answer[1])
            wrong[cause if cause not in wrong else f"{cause}; your scales are {shape}, not {scale.shape}"] = answer
    return wrong


def times(weight: np.ndarray, scale: np.ndarray) -> Quantized:
    """A wrong one: multiplied by the scale."""
    made = np.rint(weight * np.repeat(scale, weight.shape[1] // scale.shape[1], axis=1))
    return np.clip(made, -2e9, 2e9).astype(np.int64).astype(np.int8), scale


def same(a: Quantized, b: Quantized) -> bool:
    """Whether values and scales are alike."""
    return (
        a[0].shape == b[0].shape
        and np.array_equal(a[0], b[0])
        and np.shape(a[1]) == np.shape(b[1])
        and np.allclose(a[1], b[1])
    )


@task("quantize")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of rows, blocks and numbers in one, also 1 of each."""
    for rows, blocks, block in ((1, 1, 1), (1, 1, 9), (7, 3, 5), (40, 4, 8), (1, 16, 32), (5, 7, 1)):
        weight = drawn(rng, rows, blocks * block, block)
        got = student.quantize(weight, block)
        expect(got, rounded(weight, block), rtol=1e-6, what=f"quantize of {weight.shape}, blocks {block}")


@task("quantize")
def large_and_tiny_rows(student: Student, rng: np.random.Generator) -> None:
    """Rows of 1e30 and of 1e-30 side by side, and a row with a single number that is not 0."""
    weight = drawn(rng, 3, 8, 8) * np.array([[1e30], [1e-30], [1]], np.float32)
    weight[2] = 0
    weight[2, 5] = -3e-5
    expect(student.quantize(weight), rounded(weight, None), rtol=1e-6, what="quantize")


@task("quantize")
def what_was_given_stays(student: Student, rng: np.random.Generator) -> None:
    """Blocks of zeros between others, and a second call with the same weight."""
    weight = drawn(rng, 4, 12, 3)
    weight[1:3, 3:9] = 0
    for block in (3, 12, 3):
        if block == 3:
            expect(student.quantize(weight, block), rounded(weight, block), rtol=1e-6, what=f"blocks {block}")
    expect_refused(student.quantize, weight, 5)


@task("quantize")
def every_bad_number(student: Student, rng: np.random.Generator) -> None:
    """One NaN or infinity in a large weight, at any place, also beside zeros."""
    for bad in (np.nan, np.inf, -np.inf):
        weight = np.zeros((6, 10), np.float32)
        weight.flat[rng.integers(weight.size)] = bad
        expect_refused(student.quantize, weight, 5)
        expect_refused(student.quantize, weight)


SCALE = "    scale = (np.abs(parts).max(axis=2) / 127).astype(np.float32)\n"
VALUES = "    values = np.rint(parts / divisor[:, :, None])\n"
FINITE = "    if not np.isfinite(weight).all():\n"
FITS = "    if size < 1 or columns % size:\n"
RETURN = (
    "    return values.astype(np.int8).reshape(rows, columns), scale\n    # </solution>\n\n\ndef quantize_without_nan("
)

MUTANTS = [
    Mutant("cut", "truncates toward zero where it should round", VALUES, VALUES.replace("rint", "trunc"), "nearest"),
    Mutant("down", "rounds down", VALUES, VALUES.replace("rint", "floor"), "nearest"),
    Mutant("128", "divides by 128", SCALE, SCALE.replace("127", "128"), "scale"),
    Mutant("no_abs", "forgets negative numbers", SCALE, SCALE.replace("np.abs(parts)", "parts"), "scale"),
    Mutant(
        "no_abs_clipped",
        "forgets negative numbers, and cuts what is too large",
        SCALE,
        SCALE.replace("np.abs(parts)", "parts")
        + "    parts = np.clip(parts, -127 * scale[:, :, None], 127 * scale[:, :, None])\n",
        "scale",
    ),
    Mutant(
        "one_scale",
        "one scale for all rows",
        SCALE,
        SCALE + "    scale[:] = scale.max(axis=0)\n",
        "scale",
    ),
    Mutant(
        "whole_rows",
        "one scale for the row, whatever the block",
        SCALE,
        SCALE + "    scale[:] = scale.max(axis=1, keepdims=True)\n",
        "blocks",
    ),
    Mutant(
        "number_of_blocks",
        "takes the block for the number of blocks",
        "    size = columns if block is None else block\n",
        "    size = columns if block is None else columns // block if block > 0 and columns % block == 0 else block\n",
        "blocks",
    ),
    Mutant(
        "ones",
        "zeros have the scale 1",
        VALUES,
        VALUES + "    scale = divisor\n",
        "zeros",
    ),
    Mutant(
        "zero_by_zero",
        "divides zeros by their scale",
        VALUES,
        "    with np.errstate(all='ignore'):\n        values = np.rint(parts / scale[:, :, None])\n",
        "zeros",
    ),
    Mutant(
        "tiny",
        "zeros have a tiny scale",
        VALUES,
        VALUES + "    scale = np.maximum(scale, np.float32(1e-5) / 127)\n",
    ),
    Mutant(
        "in_place",
        "divides the weight itself",
        VALUES,
        "    parts /= divisor[:, :, None]\n    values = np.rint(parts)\n",
        "argument",
    ),
    Mutant("nan", "takes NaN and infinity", FINITE, "    if False:\n", "refused"),
    Mutant("infinite", "takes infinity", FINITE, "    if np.isnan(weight).any():\n", "refused"),
    Mutant("below", "takes a block below 1", FITS, "    if size and columns % size:\n", "refused"),
    Mutant(
        "short",
        "leaves a block that does not fit out",
        FITS,
        "    if size > 0 and columns % size:\n        size = columns\n    if size < 1:\n",
        "refused",
    ),
    Mutant("float64", "scales of float64", RETURN, RETURN.replace(", scale\n", ", scale.astype(float)\n"), "dtype"),
    Mutant(
        "int32", "values of int32", RETURN, RETURN.replace("values.astype(np.int8)", "values.astype(np.int32)"), "dtype"
    ),
    Mutant("list", "a list", RETURN, RETURN.replace("return ", "return [").replace("scale\n", "scale]\n"), "dtype"),
]
