r"""Scores into shares, without overflow: why the solution is as it is.

Subtracting the same c from every score of a row multiplies every power by e^-c, above and below the fraction's line,
so the shares stay the same. With c the largest score of the row, every exponent is 0 or below: nothing overflows, and
the sum is at least 1, so nothing is divided by zero.

- The row's *mean* is not enough: a score far above the mean still overflows. The largest of the *whole array* is not
  either: a row 5000 below it becomes 0 / 0.
- `np.clip(z, -700, 700)` does not overflow, but makes 1000 and 999 equal.
- Without `keepdims=True` the sums have shape (..., m) and are stretched along the wrong axis; for a square array
  numpy does so without complaint.
- The largest is subtracted after the conversion: in uint8, `z - z.max()` goes around, too.

Three passes over the numbers: largest, powers, sum.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, expect, task


@task("softmax")
def along_the_last_axis_of_any_rank(student, rng):
    """1 to 4 axes, sizes that are equal (3, 3, 3) and sizes of 1: every row along the last axis by itself."""
    for shape in ((6,), (3, 3, 3), (2, 1, 4, 5), (4, 1)):
        z = rng.uniform(-5, 5, shape)
        rows = np.array([np.exp(row) / np.exp(row).sum() for row in z.reshape(-1, shape[-1])])
        expect(student.softmax(z), rows.reshape(shape), rtol=1e-9, atol=1e-12, what=f"softmax of {shape}")


@task("softmax")
def rows_far_apart_do_not_disturb_each_other(student, rng):
    """One row near 5000, one near 0, one near -5000: each gives the shares that its differences say."""
    z = rng.uniform(0, 3, (3, 4))
    expected = np.array([np.exp(row) / np.exp(row).sum() for row in z])
    far = z + np.array([[5000.0], [0.0], [-5000.0]])
    expect(student.softmax(far), expected, rtol=1e-6, atol=1e-9)


@task("softmax")
def one_high_score_takes_all(student, rng):
    """A row with a score 2000 above the others gives a 1 there and 0 elsewhere, in float32 too."""
    for kind in (np.float64, np.float32):
        place = int(rng.integers(0, 5))
        z, expected = np.zeros((1, 5), kind), np.zeros((1, 5), kind)
        z[0, place], expected[0, place] = 2000, 1
        expect(student.softmax(z), expected, atol=1e-12, what=f"softmax of {np.dtype(kind)}")


@task("softmax")
def whole_scores_become_float32(student, rng):
    """Integer scores, unsigned ones too, give float32 shares."""
    for kind in (np.int64, np.uint8):
        z = rng.permuted(np.arange(12).reshape(2, 6), axis=1).astype(kind)
        powers = np.exp(z.astype(np.float64))
        expected = np.stack([row / row.sum() for row in powers]).astype(np.float32)
        expect(student.softmax(z), expected, rtol=1e-5, atol=1e-7, what=f"softmax of {np.dtype(kind)}")


_POWERS = "    powers = np.exp(z - z.max(axis=-1, keepdims=True))\n"
_SHARES = "    return powers / powers.sum(axis=-1, keepdims=True)\n"
_AS_FLOAT = "    z = as_float(z)\n"

MUTANTS = [
    Mutant(
        "overflows",
        "e^1000 is inf",
        old=_POWERS,
        new="    powers = np.exp(z)\n",
    ),
    Mutant(
        "largest_of_all",
        "a row far below the largest becomes 0 / 0",
        old=_POWERS,
        new="    powers = np.exp(z - z.max())\n",
    ),
    Mutant(
        "mean",
        "enough for large scores, not for far ones",
        old=_POWERS,
        new="    powers = np.exp(z - z.mean(axis=-1, keepdims=True))\n",
    ),
    Mutant(
        "smallest",
        "the wrong end",
        old=_POWERS,
        new="    powers = np.exp(z - z.min(axis=-1, keepdims=True))\n",
    ),
    Mutant(
        "clipped",
        "no overflow, but other shares",
        old=_POWERS,
        new="    powers = np.exp(np.clip(z, -700, 700))\n",
    ),
    Mutant(
        "absolute",
        "large negative scores win",
        old=_POWERS,
        new="    powers = np.exp(np.abs(z) - np.abs(z).max(axis=-1, keepdims=True))\n",
    ),
    Mutant(
        "first_axis",
        "columns add up to 1",
        old=_SHARES,
        new="    return powers / powers.sum(axis=0, keepdims=True)\n",
    ),
    Mutant(
        "second_axis",
        "right for two axes, wrong for three",
        old=_SHARES,
        new="    return powers / powers.sum(axis=min(1, z.ndim - 1), keepdims=True)\n",
    ),
    Mutant(
        "whole_array",
        "all shares together add up to 1",
        old=_SHARES,
        new="    return powers / powers.sum()\n",
    ),
    Mutant(
        "no_keepdims",
        "row i divided by the sum of row j",
        old=_SHARES,
        new="    return powers / powers.sum(axis=-1)\n",
    ),
    Mutant(
        "not_divided",
        "powers instead of shares",
        old=_SHARES,
        new="    return powers\n",
    ),
    Mutant(
        "length",
        "the square root of the squares",
        old=_SHARES,
        new="    return powers / np.sqrt((powers**2).sum(axis=-1, keepdims=True))\n",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_AS_FLOAT,
        new="    z = z.astype(np.float32)\n",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_AS_FLOAT,
        new="    z = z if z.dtype.kind == 'f' else z.astype(np.float64)\n",
    ),
    Mutant(
        "integers_untouched",
        "unsigned differences wrap around",
        old=_AS_FLOAT,
        new="",
    ),
]
