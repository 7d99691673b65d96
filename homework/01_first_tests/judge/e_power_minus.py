r"""y = exp(-x): why the solution is as it is.

The order matters: first make it float, then change the sign. An unsigned type has no negative numbers, so -1 goes
around to 255 and e^-1 becomes e^255. numpy raises no error. `np.exp` of an int64 array alone would be right but
float64, twice the memory of what networks compute in; a network of float32 weights expects float32.

`np.e ** -x` is right as well, and slower. `2.718 ** -x` is not: the constant's error of 0.01 % grows with x.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, expect, task


@task("e_power_minus")
def every_rank_and_both_floats(student, rng):
    """Arrays of 1 to 4 axes, float32 and float64, small and large of both signs."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-10)):
        for shape in ((1,), (7, 1), (3, 5, 2), (2, 1, 4, 3)):
            x = rng.uniform(-20, 20, shape).astype(kind)
            expected = np.exp(-x.astype(np.float64)).astype(kind)
            expect(student.e_power_minus(x), expected, rtol=rtol, what=f"e_power_minus of {shape} {np.dtype(kind)}")


@task("e_power_minus")
def integers_of_every_kind(student, rng):
    """uint8, int8 and int64 become float32, negative ones too."""
    for kind in (np.uint8, np.int8, np.int64):
        x = rng.integers(0 if kind is np.uint8 else -20, 20, (6, 5)).astype(kind)
        x[0, 0] = 1
        expected = np.exp(-x.astype(np.float64)).astype(np.float32)
        expect(student.e_power_minus(x), expected, rtol=1e-5, what=f"e_power_minus of {np.dtype(kind)}")


_EXP = "    return np.exp(-as_float(x))\n"

MUTANTS = [
    Mutant(
        "no_minus",
        "e^x",
        old=_EXP,
        new="    return np.exp(as_float(x))\n",
    ),
    Mutant(
        "minus_outside",
        "-e^x",
        old=_EXP,
        new="    return -np.exp(as_float(x))\n",
    ),
    Mutant(
        "wraps_around",
        "-x while x is uint8",
        old=_EXP,
        new="    return np.exp(as_float(-x))\n",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_EXP,
        new="    return np.exp(-(x if x.dtype.kind == 'f' else x.astype(np.float64)))\n",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_EXP,
        new="    return np.exp(-x.astype(np.float32))\n",
    ),
    Mutant(
        "always_float64",
        "twice the memory",
        old=_EXP,
        new="    return np.exp(-x.astype(np.float64))\n",
    ),
    Mutant(
        "rough_e",
        "2.718 to the power of -x",
        old=_EXP,
        new="    return 2.718 ** -as_float(x)\n",
    ),
    Mutant(
        "absolute",
        "negative numbers lose their sign",
        old=_EXP,
        new="    return np.exp(-np.abs(as_float(x)))\n",
    ),
    Mutant(
        "minus_one",
        "expm1 taken for exp",
        old=_EXP,
        new="    return np.expm1(-as_float(x))\n",
    ),
    Mutant(
        "flattened",
        "a list of numbers, the shape lost",
        old=_EXP,
        new="    return np.exp(-as_float(x)).ravel()\n",
    ),
]
