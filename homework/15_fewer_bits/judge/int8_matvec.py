r"""A matrix times a vector in whole numbers: why the solution is as it is.

In a block every weight has the same scale s and every x the same scale t, so s and t stand before the sum:

    sum of (s q_i) (t p_i)  =  s t (sum of q_i p_i)

What is left in the sum are whole numbers: exact, in any order. Two products of int8 can be 32,258, and int16 ends at
32,767; int32 holds 133,000 of them. So the products are made in int32 at once: `values @ x_values` of two int8 arrays
stays int8 in numpy, and wraps around without a word. float32 has all whole numbers up to 2^24 only, that is a thousand
such products; float64 has room, and takes twice the memory of int32.

With several blocks the two scales differ from block to block, so each block's sum is multiplied before the sums are
added. `scale * x_scale` is (R, B) times (1, B).

**x is rounded, too.** That costs precision once more: activations change with each input and have outliers, so their
scale is made at run time, from the vector itself, for each block. With blocks an outlier spoils one block.

**Typical mistakes.** One scale for all of x while the weights have blocks; the weights' scales alone; sums of blocks
that are added before their scales come in.

**Why it is done.** Processors have an instruction that takes 4 products of int8 and adds them to a sum of int32 (on
x86 vpdpbusd, on ARM sdot): a vector register holds four times as many of these numbers as of float32.
[kuiper](../../../kuiper/quantize/README.md) reads int8 weights, and makes them float32 in registers: x stays exact, and
where memory limits, as in decoding, it is as fast.

**Cost.** R C products of whole numbers, and 2 R B of floats.
"""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import drawn, stored
from .shared import restored, rounded


def product(values: np.ndarray, scale: np.ndarray, x: np.ndarray) -> np.ndarray:
    """What has to come out, with Python's whole numbers."""
    size = values.shape[1] // scale.shape[1]
    x_values, x_scale = rounded(x[None], size)
    return summed(values, scale, x_values[0], x_scale[0])


def summed(values: np.ndarray, scale: np.ndarray, x_values: np.ndarray, x_scale: np.ndarray) -> np.ndarray:
    """(R,): the sums of the blocks, each with its scales."""
    return parts_of(values, scale, x_values, x_scale).sum(axis=1).astype(np.float32)


def parts_of(values: np.ndarray, scale: np.ndarray, x_values: np.ndarray, x_scale: np.ndarray) -> np.ndarray:
    """(R, B) float64: what each block adds to each number of y."""
    size = values.shape[1] // scale.shape[1]
    parts = np.zeros(scale.shape)
    for row, block in np.ndindex(*scale.shape):
        here = slice(block * size, (block + 1) * size)
        whole = sum(a * b for a, b in zip(values[row, here].tolist(), x_values[here].tolist()))
        parts[row, block] = whole * float(scale[row, block]) * float(x_scale[block])
    return parts


def wrapped(values: np.ndarray, scale: np.ndarray, x: np.ndarray, dtype: type, wide: bool = False) -> np.ndarray:
    """A wrong one: products in a small type, and the sums, too, unless they are `wide`."""
    rows, blocks = scale.shape
    x_values, x_scale = rounded(x[None], values.shape[1] // blocks)
    parts, others = values.reshape(rows, blocks, -1), x_values.reshape(blocks, -1)
    sums = (parts.astype(np.int64) * others).astype(dtype).sum(axis=2, dtype=np.int64)
    return ((sums if wide else sums.astype(dtype)) * (scale * x_scale)).sum(axis=1).astype(np.float32)


def product_mistakes(values: np.ndarray, scale: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, where that is not what has to come out."""
    blocks = scale.shape[1]
    size = values.shape[1] // blocks
    x_values, x_scale = (part[0] for part in rounded(x[None], size))
    ones = np.ones_like(x_scale)
    whole_values, whole_scale = (part[0] for part in rounded(x[None], None))
    found = {
        "x was not rounded: quantize it, and multiply whole numbers": restored(values, scale) @ x,
        "x was cast to int8, which drops all after the decimal point: quantize x[None], a matrix of one row": summed(
            values, scale, x.astype(np.int64).astype(np.int8), ones
        ),
        "x was cast to int8 before it was quantized: quantize takes x[None] as it is": summed(
            values, scale, *cast_first(x, size)
        ),
        "products of int8 and int8 are int8 and wrap around: astype(np.int32) before the product": wrapped(
            values, scale, x, np.int8
        ),
        "each product of int8 and int8 wraps around before it is summed: astype(np.int32) before the product": wrapped(
            values, scale, x, np.int8, wide=True
        ),
        "int16 ends at 32,767, that is two products: np.int32": wrapped(values, scale, x, np.int16),
        "x / scale was cut, not rounded to nearest: astype(np.int8) drops what is behind the point, np.rint first": (
            summed(values, scale, *(part[0] for part in rounded(x[None], size, rounding=math.trunc)))
        ),
        "only the first row's scales were used: each row has its own": summed(
            values, np.broadcast_to(scale[:1], scale.shape), x_values, x_scale
        ),
        "only the first block's scales of the weights were used: each block has its own": summed(
            values, np.broadcast_to(scale[:, :1], scale.shape), x_values, x_scale
        ),
        "only the first scale of the weights was used: each row and block has its own": summed(
            values, np.broadcast_to(scale[:1, :1], scale.shape), x_values, x_scale
        ),
        "the scales of x are missing": summed(values, scale, x_values, ones),
        "the scales of the weights are missing": summed(values, np.ones_like(scale), x_values, x_scale),
        "both scales are missing": summed(values, np.ones_like(scale), x_values, ones),
        "the weights' scales were applied twice": summed(values, scale * scale, x_values, x_scale),
        "the scale of x was applied twice": summed(values, scale, x_values, x_scale * x_scale),
        "the two scales were added: they multiply": (
            summed(values, scale, x_values, ones) + summed(values, np.ones_like(scale), x_values, x_scale)
        ),
        "the scales divide: they multiply": summed(
            values, 1 / np.where(scale, scale, 1), x_values, 1 / np.where(x_scale, x_scale, 1)
        ),
        "x has one scale for all of it: quantize it in blocks as long as those of the weights, C / B": summed(
            values, scale, whole_values, np.broadcast_to(whole_scale, ones.shape)
        ),
        "only the first block's scales were used: each block has its own": summed(
            values,
            np.broadcast_to(scale[:, :1], scale.shape),
            x_values,
            np.broadcast_to(x_scale[:1], x_scale.shape),
        ),
        "only the first block's scale of x was used: each block has its own": summed(
            values, scale, x_values, np.broadcast_to(x_scale[:1], x_scale.shape)
        ),
        "the blocks were left out: with several of them, x and weights have a scale for each": summed(
            values, np.broadcast_to(scale[:, :1], scale.shape), whole_values, np.broadcast_to(whole_scale, ones.shape)
        ),
        "only the first block was multiplied": summed(
            values, scale * (np.arange(blocks) == 0), x_values, x_scale
        ),
        "the blocks' sums were added before their scales came in: multiply each block's sum first": sums_first(
            values, scale, x_values, x_scale
        ),
        "each kind of scale was summed by itself: multiply each block's sum by its two scales, and add the blocks": (
            (values.astype(np.int64) @ x_values.astype(np.int64)) * scale.sum(axis=1) * x_scale.sum()
        ),
        "the scales of x were summed by themselves: multiply each block's sum by its two scales, and add the blocks": (
            summed(values, scale, x_values, ones) * x_scale.sum()
        ),
        "the scales of the weights were summed by themselves: multiply each block's sum by its two scales, and add the "
        "blocks": summed(values, np.ones_like(scale), x_values, x_scale) * scale.sum(axis=1),
    }  # fmt: skip
    if blocks == 1 != size:
        cause = "x has blocks of B numbers: quantize takes how long a block is, C / B"
        other_values, other_scale = (part[0] for part in rounded(x[None], blocks))
        found[cause] = sums_first(values, scale, other_values, other_scale)
    elif blocks > 1:
        cause = "a block is C / B NEIGHBOURS: reshape values to (R, B, C / B) and those of x to (B, C / B)"
        order = np.arange(values.shape[1]).reshape(size, blocks).T.ravel()
        found[cause] = summed(values[:, order], scale, x_values[order], x_scale)
    if blocks == 1:
        found["each weight was multiplied by ALL of x: with values as (R, B, C / B), x has the axes (B, C / B)"] = (
            values.sum(axis=1, dtype=np.int64) * x_values.sum(dtype=np.int64) * scale[:, 0] * x_scale[0]
        )
    right = product(values, scale, x)
    least = 1e-4 * float(np.abs(right).max())
    wrong = {
        cause: np.asarray(wrong, np.float32)
        for cause, wrong in found.items()
        if np.abs(np.asarray(wrong, np.float64) - right).max() > least
    }
    return wrong | {
        "y has one axis, (R,): sum over the blocks, too": right[:, None],
        "y has one axis, (R,), and got a second one from the scales of x, (1, B): multiply them into the sums of the "
        "blocks, before these are added": right[None],
        "the rows were summed, axis 0: sum over the blocks, axis 1 of (R, B)": parts_of(
            values, scale, x_values, x_scale
        ).sum(axis=0).astype(np.float32),
    }  # fmt: skip


def cast_first(x: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """A wrong one: values and scales of what a cast to int8 leaves of x."""
    values, scale = rounded(x.astype(np.int64).astype(np.int8).astype(np.float32)[None], size)
    return values[0], scale[0]


def sums_first(values: np.ndarray, scale: np.ndarray, x_values: np.ndarray, x_scale: np.ndarray) -> np.ndarray:
    """A wrong one: all products of a row are added, and then multiplied by the sum of the blocks' scales."""
    return (values.astype(np.int64) @ x_values.astype(np.int64)) * (scale * x_scale).sum(axis=1)


def expect_right(student: Student, values: np.ndarray, scale: np.ndarray, x: np.ndarray) -> None:
    """Raise Failure unless the product is right."""
    largest = np.abs(values).astype(float).sum(axis=1).max() * float(np.abs(scale).max() * np.abs(x).max())
    what = f"values {values.shape} with scales {scale.shape} times x"
    got = student.int8_matvec(values, scale, x)
    expect(got, product(values, scale, x), rtol=1e-5, atol=2e-6 * largest, what=what)


@task("int8_matvec")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of rows, blocks and numbers in one, also 1 of each."""
    for rows, columns, blocks in ((1, 1, 1), (1, 9, 3), (9, 1, 1), (6, 40, 8), (3, 7, 7), (2, 256, 8)):
        expect_right(student, *stored(rng, rows, columns, blocks), drawn(rng, 1, columns, columns // blocks)[0])


@task("int8_matvec")
def a_very_long_block(student: Student) -> None:
    """100,000 products of 127 and 127 make 1.6 billion, which int32 holds; their negative, too."""
    values = np.full((2, 100_000), 127, np.int8)
    values[1] = -127
    expect_right(student, values, np.full((2, 1), 0.5, np.float32), np.full(100_000, 127, np.float32))


@task("int8_matvec")
def zeros_in_places(student: Student, rng: np.random.Generator) -> None:
    """Blocks of zeros in x, and blocks with the scale 0 in the weights, add nothing."""
    values, scale = stored(rng, 4, 12, 3)
    x = drawn(rng, 1, 12, 4)[0]
    x[4:8], scale[:2, 0] = 0, 0
    expect_right(student, values, scale, x)


PARTS = "    parts = values.reshape(rows, blocks, -1).astype(np.int32)\n"
SUMS = "    sums = (parts * x_values.reshape(blocks, -1)).sum(axis=2)\n"
RESULT = "    return (sums * (scale * x_scale)).sum(axis=1).astype(np.float32)\n"
ROUNDED = "    x_values, x_scale = quantize(x[None], columns // blocks)\n"

MUTANTS = [
    Mutant(
        "in_place",
        "multiplies the scales where they stand",
        RESULT,
        "    scale *= x_scale\n    return (sums * scale).sum(axis=1).astype(np.float32)\n",
        "argument",
    ),
    Mutant("int8", "products in int8", PARTS, PARTS.replace("int32", "int8"), "whole"),
    Mutant("float32", "sums in float32", SUMS, SUMS.replace("axis=2", "axis=2, dtype=np.float32"), "whole"),
    Mutant(
        "floats",
        "multiplies the scales in first",
        RESULT,
        "    weights = values.reshape(rows, blocks, -1) * scale[:, :, None]\n"
        "    others = x_values.reshape(blocks, -1) * x_scale[0][:, None]\n"
        "    return (weights * others).sum(axis=(1, 2)).astype(np.float32)\n",
        "whole",
    ),
    Mutant(
        "doubles",
        "multiplies the scales in first, in float64",
        RESULT,
        "    weights = values * np.repeat(scale.astype(np.float64), columns // blocks, axis=1)\n"
        "    others = x_values[0] * np.repeat(x_scale[0].astype(np.float64), columns // blocks)\n"
        "    return (weights @ others).astype(np.float32)\n",
        "whole",
    ),
    Mutant(
        "each_product",
        "multiplies each product by both scales, in float64",
        RESULT,
        "    scales = (scale.astype(np.float64) * x_scale)[:, :, None]\n"
        "    return (parts * x_values.reshape(blocks, -1) * scales).sum(axis=(1, 2)).astype(np.float32)\n",
        "whole",
    ),
    Mutant("int16", "sums in int16", SUMS, SUMS.replace("axis=2", "axis=2, dtype=np.int16"), "whole"),
    Mutant(
        "exact_x",
        "does not round x",
        ROUNDED,
        ROUNDED + "    x_values = x / np.repeat(np.where(x_scale > 0, x_scale, 1), columns // blocks)\n",
        "rounded",
    ),
    Mutant(
        "cut_x",
        "truncates x to whole numbers where it should round",
        ROUNDED,
        ROUNDED
        + "    x_values = np.trunc(x / np.repeat(np.where(x_scale > 0, x_scale, 1), columns // blocks) * 1.00001)\n",
        "rounded",
    ),
    Mutant("one_x", "one scale for all of x", ROUNDED, ROUNDED.replace(", columns // blocks", "")),
    Mutant("no_x_scale", "forgets the scale of x", RESULT, RESULT.replace("(scale * x_scale)", "scale")),
    Mutant("no_scale", "forgets the weights' scales", RESULT, RESULT.replace("(scale * x_scale)", "x_scale"), "scales"),
    Mutant("twice", "the weights' scales twice", RESULT, RESULT.replace("(scale *", "(scale * scale *"), "scales"),
    Mutant("first", "the first block's scales", RESULT, RESULT.replace("(scale *", "(scale[:, :1] *"), "scales"),
    Mutant(
        "sums_first",
        "adds the blocks first",
        RESULT,
        "    return (sums.sum(axis=1) * (scale * x_scale).sum(axis=1)).astype(np.float32)\n",
        "scales",
    ),
    Mutant("wide", "float64", RESULT, RESULT.replace(".astype(np.float32)", ""), "dtype"),
    Mutant("column", "(R, 1)", RESULT, RESULT.replace("sum(axis=1)", "sum(axis=1, keepdims=True)"), "dtype"),
]
