r"""y = exp(-x): why the solution is as it is.

The order matters: first make it float, then change the sign. An unsigned type has no negative numbers, so -1 goes
around to 255 and e^-1 becomes e^255. numpy raises no error. `np.exp` of an int64 array alone would be right but
float64, twice the memory of what networks compute in; a network of float32 weights expects float32.

`np.e ** -x` is right as well, and slower. `2.718 ** -x` is not: the constant's error of 0.01 % grows with x.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from .shared import KEEPS_TYPE

SERIES = (
    "{} terms of the power series are right near 0 and far off elsewhere, as 'A second opinion' in lesson 1 shows: "
    "take np.exp, which is right everywhere"
)


def powers(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): e^-x, computed in float64; floats keep their dtype, integers become float32."""
    return np.exp(-x.astype(np.float64)).astype(x.dtype if x.dtype.kind == "f" else np.float32)


def power_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of float64."""
    return {
        "this is e^x: the sign of x is missing": np.exp(x),
        "this is -e^x: the minus belongs to x, not to the power": -np.exp(x),
        "this is e^-|x|: negative numbers keep their sign": np.exp(-np.abs(x)),
        "this is -x: its power is missing, which np.exp gives": -x,
        "this is e^-x - 1, which np.expm1 gives: take np.exp": np.expm1(-x),
        **digits_mistakes(x),
    }


def series(x: np.ndarray, terms: int) -> np.ndarray:
    """(...) -> (...): the first terms of the power series of e^x, as the lesson adds them up."""
    term, total = np.ones_like(x), np.ones_like(x)
    for n in range(1, terms + 1):
        term = term * x / n
        total = total + term
    return total


def _one_over(x: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return 1 / x


def digits_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of float64, from few digits of e to many."""
    return {
        "the result was rounded (the round(4) of the examples is there for printing), or e was: take np.exp of x as it "
        "is": np.exp(-x).round(4),
        **{
            f"e was rounded to {e}: take np.exp, which knows all its digits": e**-x
            for e in (2.7, 2.71, 2.72, 2.718, 2.7183)
        },
        "digits are missing, as when e is rounded: take np.exp, which knows all of them": 2.718281828**-x,
        **series_mistakes(x),
        KEEPS_TYPE: powers(x).astype(np.float32),
    }


def series_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of float64, where it is the lesson's power series."""
    return {
        **{SERIES.format(terms): series(-x, terms) for terms in (10, 20, 29, 30, 50)},
        **{f"In 1 / e^x, {SERIES.format(terms)}": _one_over(series(x, terms)) for terms in (20, 30, 50, 100)},
    }


def cut_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of large float64."""
    cut = "x was cut off at {}: take it as it is, without np.clip; where e^-x is too large for the type, inf is right"
    return {cut.format(end): powers(x.clip(-end, end)) for end in (50, 80, 88, 100, 500, 700, 709)}


def shape_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, as to its shape."""
    right = powers(x)
    return {
        "the rows were put into one: np.exp keeps the shape, so leave ravel or reshape out": right.ravel(),
        "the axes of one were dropped: np.exp keeps the shape, so leave squeeze out": right.squeeze(),
        "the result is transposed: leave .T out": right.T,
        **kept_mistakes(x),
    }


def kept_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of floats, as to its dtype."""
    return {KEEPS_TYPE: powers(x).astype(np.float64 if x.dtype == np.float32 else np.float32)}


def integers_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of integers."""
    float64 = "the integers became float64: convert with as_float(x), which makes them float32"
    mistakes = {float64: np.exp(-x.astype(np.float64))}
    if x.dtype.kind == "u":
        wrapped = f"-x was taken while x was still {x.dtype}: call as_float(x)"
        with np.errstate(over="ignore"):
            mistakes |= {
                f"{wrapped} first": np.exp((-x).astype(np.float32)),
                f"{wrapped} before the minus": np.exp(-x),
            }
        mistakes[f"e^x was taken of {x.dtype}, in float16 or float64: call as_float(x) first"] = 1 / np.exp(x)
    elif x.dtype != np.int64:
        own = f"e^-x of {x.dtype} has numpy's own type for it: call as_float(x), which makes every integer float32"
        mistakes = {own: np.exp(-x), **mistakes}
    return mistakes


@task("e_power_minus")
def every_rank_and_both_floats(student: Student, rng: np.random.Generator) -> None:
    """Arrays of 1 to 4 axes, float32 and float64, small and large of both signs."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-10)):
        for shape in ((1,), (7, 1), (3, 5, 2), (2, 1, 4, 3)):
            x = rng.uniform(-20, 20, shape).astype(kind)
            expected = np.exp(-x.astype(np.float64)).astype(kind)
            expect(student.e_power_minus(x), expected, rtol=rtol, what=f"e_power_minus of {shape} {np.dtype(kind)}")


@task("e_power_minus")
def integers_of_every_kind(student: Student, rng: np.random.Generator) -> None:
    """uint8, int8 and int64 become float32, negative ones too."""
    for kind in (np.uint8, np.int8, np.int64):
        x = rng.integers(0 if kind is np.uint8 else -20, 20, (6, 5)).astype(kind)
        x[0, 0] = 1
        expected = np.exp(-x.astype(np.float64)).astype(np.float32)
        expect(student.e_power_minus(x), expected, rtol=1e-5, what=f"e_power_minus of {np.dtype(kind)}")


_EXP = "    return np.exp(-as_float(x))\n"

MUTANTS = [
    Mutant(
        "some_integers_only",
        "the types that one thinks of: np.exp makes float16 of int8 and float64 of int32",
        old=_EXP,
        new=(
            "    if x.dtype.kind == 'u' or x.dtype == int:\n        x = x.astype(np.float32)\n    return np.exp(-x)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "clipped",
        "a guard against overflow that takes digits away",
        old=_EXP,
        new="    return np.exp(-np.clip(as_float(x), -80, 80))\n",
        breaks="digits",
    ),
    Mutant(
        "math_exp",
        "OverflowError where numpy gives inf",
        old=_EXP,
        new=(
            "    import math\n\n"
            "    x = as_float(x)\n"
            "    return np.array([math.exp(-each) for each in x.ravel()]).astype(x.dtype).reshape(x.shape)\n"
        ),
        breaks="digits",
    ),
    Mutant(
        "flat_copy_filled",
        "reshape(-1) of an array that lies column by column is a copy",
        old=_EXP,
        new=(
            "    x = as_float(x)\n"
            "    y = np.zeros_like(x)\n"
            "    flat = y.reshape(-1)\n"
            "    for i, each in enumerate(x.reshape(-1)):\n"
            "        flat[i] = np.exp(-each)\n"
            "    return y\n"
        ),
        breaks="power",
    ),
    Mutant(
        "no_minus",
        "e^x",
        old=_EXP,
        new="    return np.exp(as_float(x))\n",
        breaks="power",
    ),
    Mutant(
        "minus_outside",
        "-e^x",
        old=_EXP,
        new="    return -np.exp(as_float(x))\n",
        breaks="power",
    ),
    Mutant(
        "wraps_around",
        "-x while x is uint8",
        old=_EXP,
        new="    return np.exp(as_float(-x))\n",
        breaks="integers",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_EXP,
        new="    return np.exp(-(x if x.dtype.kind == 'f' else x.astype(np.float64)))\n",
        breaks="integers",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_EXP,
        new="    return np.exp(-x.astype(np.float32))\n",
        breaks="floats",
    ),
    Mutant(
        "always_float64",
        "twice the memory",
        old=_EXP,
        new="    return np.exp(-x.astype(np.float64))\n",
        breaks="floats",
    ),
    Mutant(
        "half_to_float32",
        "float16 counts as too small, which nobody asked for",
        old=_EXP,
        new="    return np.exp(-(x.astype(np.float32) if x.dtype.itemsize < 4 else as_float(x)))\n",
        breaks="floats",
    ),
    Mutant(
        "rounded",
        "the examples are rounded, too",
        old=_EXP,
        new="    return np.exp(-as_float(x)).round(4)\n",
        breaks="digits",
    ),
    Mutant(
        "one_over_the_series",
        "all terms of e^x are positive for positive x, and no others were tried",
        old=_EXP,
        new=(
            "    x = as_float(x)\n"
            "    y, term = np.ones_like(x), np.ones_like(x)\n"
            "    for n in range(1, 101):\n"
            "        term = (term * x / n).astype(x.dtype)\n"
            "        y = y + term\n"
            "    return 1 / y\n"
        ),
        breaks="digits",
    ),
    Mutant(
        "rough_e",
        "2.718 to the power of -x",
        old=_EXP,
        new="    return 2.718 ** -as_float(x)\n",
        breaks="digits",
    ),
    Mutant(
        "absolute",
        "negative numbers lose their sign",
        old=_EXP,
        new="    return np.exp(-np.abs(as_float(x)))\n",
        breaks="power",
    ),
    Mutant(
        "minus_one",
        "expm1 taken for exp",
        old=_EXP,
        new="    return np.expm1(-as_float(x))\n",
        breaks="power",
    ),
    Mutant(
        "nine_digits_of_e",
        "the digits that one knows by heart",
        old=_EXP,
        new="    return 2.718281828 ** -as_float(x)\n",
        breaks="digits",
    ),
    Mutant(
        "series",
        "the first terms of the power series, which near 0 are all that counts",
        old=_EXP,
        new=(
            "    x = as_float(x)\n"
            "    y, term = np.zeros_like(x), np.ones_like(x)\n"
            "    for n in range(1, 25):\n"
            "        y, term = y + term, term * -x / n\n"
            "    return y\n"
        ),
        breaks="digits",
    ),
    Mutant(
        "one_over_e_to_x_of_pixels",
        "1 / e^x needs no minus, and numpy's own types for e^x: float16 for uint8",
        old=_EXP,
        new="    return 1 / np.exp(x)\n",
        breaks="integers",
    ),
    Mutant(
        "rows_for_all",
        "one row for each image, as a layer wants it",
        old=_EXP,
        new="    return np.exp(-as_float(x)).reshape(len(x), -1)\n",
        breaks="shape",
    ),
    Mutant(
        "axes_of_one_dropped",
        "squeeze, to be rid of the batch",
        old=_EXP,
        new="    return np.exp(-as_float(x)).squeeze()\n",
        breaks="shape",
    ),
    Mutant(
        "pixels_scaled",
        "pixels are divided by 255, as the digits network likes them, which nobody asked for",
        old=_EXP,
        new="    return np.exp(-(x / np.float32(255) if x.dtype == np.uint8 else as_float(x)))\n",
        breaks="integers",
    ),
    Mutant(
        "flattened",
        "a list of numbers, the shape lost",
        old=_EXP,
        new="    return np.exp(-as_float(x)).ravel()\n",
        breaks="shape",
    ),
]
