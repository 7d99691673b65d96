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

from classroom.judge import Mutant, Student, expect, task

from .shared import KEEPS_TYPE


def shared(z: np.ndarray) -> np.ndarray:
    """(..., n) -> (..., n): shares row by row, in float64; floats keep their dtype, integers become float32."""
    rows = [np.exp(row - max(row)) for row in z.reshape(-1, z.shape[-1]).astype(np.float64)]
    shares = np.array([row / sum(row) for row in rows]).reshape(z.shape)
    return shares.astype(z.dtype if z.dtype.kind == "f" else np.float32)


def shares_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this square z of float64 with small scores."""
    powers = np.exp(z)
    return {
        "all are nan: z - 1000 makes every power 0, and z / z.max() divides by 0 where that is the largest score. "
        "Subtract each row's own largest score": np.full_like(z, np.nan),
        "the sum runs over the whole array: each row has a sum of its own (axis=-1)": powers / powers.sum(),
        "the sum runs down the columns: it belongs along the last axis (axis=-1)": powers / powers.sum(axis=0),
        "each row was divided by another row's sum: keepdims=True keeps the axis": powers / powers.sum(axis=-1),
        "these are the powers e^z: divide each row by its sum": powers,
        "each row was divided by its sum without np.exp: take the powers e^z first": _divided_scores(z),
        "z itself was divided by the sum of the powers: divide the powers e^z": z / powers.sum(axis=-1, keepdims=True),
        "z itself was divided by the sum of the powers: divide the powers, of which the sum is": (
            z / np.exp(z - z.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
        ),
        "the powers were squared for the sum: divide each row by the plain sum of its powers": (
            powers / np.sqrt((powers**2).sum(axis=-1, keepdims=True))
        ),
        **{
            f"the shares were rounded to {digits} digits, as a lesson does where it prints: leave round out": (
                shared(z).round(digits)
            )
            for digits in (2, 3, 4)
        },
        "-2 got the larger share: keep the sign of z, without np.abs and without another minus": shared(-z),
        **type_mistakes(z),
    }


def large_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for rows of large scores, if it is wrong there."""
    power = f"e^{z.max():.0f} is {'inf' if z.max() > 0 else '0'} in {z.dtype}"
    nan = f"{power}, and {'inf / inf' if z.max() > 0 else '0 / 0'} is nan: always subtract each row's largest score"
    wrong = {
        nan: _divided(z),
        "a row far below the number that was subtracted became 0 / 0: subtract each row's own largest score, "
        "z.max(axis=-1, keepdims=True), not that of the whole array and not that of np.abs(z)": _divided(z - z.max()),
        "the scores were cut off, so large ones became equal: subtract each row's largest score instead": shared(
            z.clip(-700, 700)
        ),
        "nan was replaced, and the row is no shares any more: subtract each row's largest score before np.exp": (
            np.nan_to_num(_divided(z))
        ),
        KEEPS_TYPE: shared(z).astype(np.float64 if z.dtype == np.float32 else np.float32),
    }
    with np.errstate(all="ignore"):
        above = np.exp(z - z.max(axis=-1, keepdims=True))
        wrong["the largest score was subtracted above the fraction's line only: sum up the same powers below it"] = (
            above / np.exp(z).sum(axis=-1, keepdims=True)
        )
    if z.dtype == np.float64:
        wrong[
            "float64 scores became float32, which has too few digits for scores of thousands: convert with as_float(z) "
            "alone, which changes integers only"
        ] = shared(z.astype(np.float32))
    right = shared(z)
    if (right == 0).any():
        wrong["a share of 0 became a little more: add nothing to the powers, and cut no difference off"] = (
            above + 1e-9
        ) / (above + 1e-9).sum(axis=-1, keepdims=True)
    return {
        cause: one
        for cause, one in wrong.items()
        if one.dtype != right.dtype or not np.allclose(one, right, atol=1e-11)
    }


def _divided_scores(z: np.ndarray) -> np.ndarray:
    """Each row over its sum, nan where that is 0."""
    with np.errstate(all="ignore"):
        return z / z.sum(axis=-1, keepdims=True)


def _divided(z: np.ndarray) -> np.ndarray:
    """The formula as it stands, nan where it overflows."""
    with np.errstate(all="ignore"):
        powers = np.exp(z)
        return powers / powers.sum(axis=-1, keepdims=True)


def type_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this z of floats, as to its dtype."""
    return {KEEPS_TYPE: shared(z.astype(np.float64)).astype(np.float64 if z.dtype == np.float32 else np.float32)}


def axis_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this z of any number of axes."""
    powers = np.exp(z)
    wrong = {
        f"the sum runs along axis {axis}: it belongs along the last one (axis=-1)": (
            powers / powers.sum(axis=axis, keepdims=True)
        )
        for axis in range(z.ndim - 1)
    }
    if z.ndim == 1:
        wrong["each number became a row of its own, as in a loop over z: where z has one axis, it is one row"] = (
            np.ones_like(z)
        )
    return {
        **wrong,
        "the sum runs over the whole array: each row has a sum of its own (axis=-1)": powers / powers.sum(),
        **type_mistakes(z),
    }


def small_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this z of float64 with shares near 0."""
    return {
        "small shares lost their digits: cut no difference off, round nothing, add nothing to the sum, and stay in "
        "float64": shared(z.clip(-50, 0)),
    }


def rounded_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this z of float64."""
    powers = np.exp(z - z.max(axis=-1, keepdims=True))
    total = powers.sum(axis=-1, keepdims=True)
    return {
        **{
            f"{tiny} or less was added to the sum, which is at least 1 and needs no help: leave it out": powers
            / (total + tiny)
            for tiny in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
        },
        "digits were lost on the way: float64 scores are computed in float64, with np.exp and without rounding": (
            shared(z.astype(np.float32)).astype(np.float64)
        ),
        **type_mistakes(z),
    }


def integers_mistakes(z: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this z of integers."""
    wrapped = z - z.max(axis=-1, keepdims=True)
    early = f"z - z.max(...) was taken while z was {z.dtype}, where not every difference fits: call as_float(z)"
    wraps = (wrapped > 0).any()
    return {
        **(
            {f"{early} first": _divided(wrapped), f"{early} before": _divided(wrapped.astype(np.float32))}
            if wraps
            else {}
        ),
        "the integers became float64: convert with as_float(z), which makes them float32": shared(z.astype(np.float64)),
        f"e^z of {z.dtype} is {np.exp(z[:0]).dtype}: call as_float(z) first": _divided(z),
    }


@task("softmax")
def along_the_last_axis_of_any_rank(student: Student, rng: np.random.Generator) -> None:
    """1 to 4 axes, sizes that are equal (3, 3, 3) and sizes of 1: every row along the last axis by itself."""
    for shape in ((6,), (3, 3, 3), (2, 1, 4, 5), (4, 1)):
        z = rng.uniform(-5, 5, shape)
        expect(student.softmax(z), shared(z), rtol=1e-9, atol=1e-12, what=f"softmax of {shape}")


@task("softmax")
def rows_far_apart_do_not_disturb_each_other(student: Student, rng: np.random.Generator) -> None:
    """One row near 5000, one near 0, one near -5000: each gives the shares that its differences say."""
    z = rng.uniform(0, 3, (3, 4))
    far = z + np.array([[5000.0], [0.0], [-5000.0]])
    expect(student.softmax(far), shared(z), rtol=1e-6, atol=1e-9)


@task("softmax")
def one_high_score_takes_all(student: Student, rng: np.random.Generator) -> None:
    """A row with a score 2000 above the others gives a 1 there and 0 elsewhere, in float32 too."""
    for kind in (np.float64, np.float32):
        place = int(rng.integers(0, 5))
        z, expected = np.zeros((1, 5), kind), np.zeros((1, 5), kind)
        z[0, place], expected[0, place] = 2000, 1
        expect(student.softmax(z), expected, atol=1e-12, what=f"softmax of {np.dtype(kind)}")


@task("softmax")
def whole_scores_become_float32(student: Student, rng: np.random.Generator) -> None:
    """Integer scores, unsigned ones too, give float32 shares."""
    for kind in (np.int64, np.uint8):
        z = rng.permuted(np.arange(12).reshape(2, 6), axis=1).astype(kind)
        expect(student.softmax(z), shared(z), rtol=1e-5, atol=1e-7, what=f"softmax of {np.dtype(kind)}")


_POWERS = "    powers = np.exp(z - z.max(axis=-1, keepdims=True))\n"
_SHARES = "    return powers / powers.sum(axis=-1, keepdims=True)\n"
_AS_FLOAT = "    z = as_float(z)\n"

MUTANTS = [
    Mutant(
        "only_above_80",
        "-1000 alone gives 0 / 0",
        old=_POWERS,
        new="    powers = np.exp(z - z.max(axis=-1, keepdims=True) if z.max() > 80 else z)\n",
        breaks="large",
    ),
    Mutant(
        "only_beyond_700",
        "float32 ends at e^88",
        old=_POWERS,
        new="    powers = np.exp(z - z.max(axis=-1, keepdims=True) if np.abs(z).max() > 700 else z)\n",
        breaks="large",
    ),
    Mutant(
        "differences_cut",
        "a guard against powers of 0",
        old=_POWERS,
        new="    powers = np.exp(np.clip(z - z.max(axis=-1, keepdims=True), -50, 0))\n",
        breaks="digits",
    ),
    Mutant(
        "two_kinds_of_integers",
        "the types that one thinks of: np.exp makes float16 of int8 and float64 of int32",
        old=_AS_FLOAT,
        new="    z = z.astype(np.float32) if z.dtype in (np.uint8, np.int64) else z\n",
        breaks="integers",
    ),
    Mutant(
        "rows_in_place",
        "reshape of an array that lies column by column is a copy",
        old=_AS_FLOAT,
        new=(
            "    z = as_float(z).copy(order='K')\n"
            "    for row in z.reshape(-1, z.shape[-1]):\n"
            "        row[:] = np.exp(row - row.max()) / np.exp(row - row.max()).sum()\n"
            "    return z\n"
        ),
        breaks="shares",
    ),
    Mutant(
        "overflows",
        "e^1000 is inf",
        old=_POWERS,
        new="    powers = np.exp(z)\n",
        breaks="large",
    ),
    Mutant(
        "a_thousand_less",
        "the same number for all scores, and every power is 0",
        old=_POWERS,
        new="    powers = np.exp(z - 1000)\n",
        breaks="shares",
    ),
    Mutant(
        "divided_by_the_largest",
        "no power is more than e, and the shares are others",
        old=_POWERS,
        new="    powers = np.exp(z / z.max(axis=-1, keepdims=True))\n",
        breaks="shares",
    ),
    Mutant(
        "largest_of_all",
        "a row far below the largest becomes 0 / 0",
        old=_POWERS,
        new="    powers = np.exp(z - z.max())\n",
        breaks="apart",
    ),
    Mutant(
        "mean",
        "enough for large scores, not for far ones",
        old=_POWERS,
        new="    powers = np.exp(z - z.mean(axis=-1, keepdims=True))\n",
        breaks="large",
    ),
    Mutant(
        "smallest",
        "the wrong end",
        old=_POWERS,
        new="    powers = np.exp(z - z.min(axis=-1, keepdims=True))\n",
        breaks="large",
    ),
    Mutant(
        "clipped",
        "no overflow, but other shares",
        old=_POWERS,
        new="    powers = np.exp(np.clip(z, -700, 700))\n",
        breaks="large",
    ),
    Mutant(
        "absolute",
        "large negative scores win",
        old=_POWERS,
        new="    powers = np.exp(np.abs(z) - np.abs(z).max(axis=-1, keepdims=True))\n",
        breaks="shares",
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
        breaks="last_axis",
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
        breaks="shares",
    ),
    Mutant(
        "not_divided",
        "powers instead of shares",
        old=_SHARES,
        new="    return powers\n",
        breaks="shares",
    ),
    Mutant(
        "length",
        "the square root of the squares",
        old=_SHARES,
        new="    return powers / np.sqrt((powers**2).sum(axis=-1, keepdims=True))\n",
        breaks="shares",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_AS_FLOAT,
        new="    z = z.astype(np.float32)\n",
        breaks="floats",
    ),
    Mutant(
        "half_to_float32",
        "float16 counts as too small, which nobody asked for",
        old=_AS_FLOAT,
        new="    z = z.astype(np.float32) if z.dtype.itemsize < 4 else as_float(z)\n",
        breaks="floats",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_AS_FLOAT,
        new="    z = z if z.dtype.kind == 'f' else z.astype(np.float64)\n",
        breaks="integers",
    ),
    Mutant(
        "powers_in_float32",
        "the powers as networks compute them, and the type of z at the end",
        old=_POWERS,
        new="    powers = np.exp((z - z.max(axis=-1, keepdims=True)).astype(np.float32)).astype(z.dtype)\n",
        breaks="digits",
    ),
    Mutant(
        "rounded",
        "a guard against 0 / 0 that shifts every share",
        old=_SHARES,
        new="    return powers / (powers.sum(axis=-1, keepdims=True) + 1e-8)\n",
        breaks="digits",
    ),
    Mutant(
        "nan_to_zero",
        "nan swept under the carpet",
        old=_POWERS,
        new="    powers = np.nan_to_num(np.exp(z))\n",
        breaks="large",
    ),
    Mutant(
        "two_axes_only",
        "rows of a matrix, in a loop: one axis and three are forgotten",
        old=_SHARES,
        new=(
            "    if z.ndim != 2:\n"
            "        return powers / powers.sum()\n"
            "    return powers / powers.sum(axis=-1, keepdims=True)\n"
        ),
        breaks="last_axis",
    ),
    Mutant(
        "integers_untouched",
        "unsigned differences wrap around",
        old=_AS_FLOAT,
        new="",
        breaks="integers",
    ),
]
