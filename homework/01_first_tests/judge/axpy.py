r"""y = a * x + y: why the solution is as it is.

The name is that of the BLAS routine, which overwrites y. In a graph that would be wrong: y may be read again by
another operator. `y += a * x` looks like `y = y + a * x` and is not: it writes into the array that the caller still
holds. It also keeps y's type, so a float64 sum is rounded to y's float32, and an integer y raises an error.
`axpy_twice` makes the difference visible: with the write in place the second call starts from another y.

A Python float as `a` does not widen a float32 array; `np.float64(a)` does.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, expect, task


@task("axpy")
def any_shape_and_any_factor(student, rng):
    """Random arrays of 1 to 4 axes; factors that are negative, zero and fractional."""
    for shape in ((1,), (6, 1), (3, 4, 2), (2, 3, 1, 5)):
        for a in (0.0, -1.0, float(rng.uniform(-5, 5))):
            x, y = rng.standard_normal(shape), rng.standard_normal(shape)
            expected = np.array([a * p + q for p, q in zip(x.flat, y.flat)]).reshape(shape)
            expect(student.axpy(a, x, y), expected, rtol=1e-12, atol=1e-12, what=f"axpy of {shape} with a = {a:g}")


@task("axpy")
def the_wider_type_wins(student, rng):
    """float32 with float64, and integers with a fractional factor, give float64; nothing is cut off."""
    wide, narrow = rng.standard_normal((3, 4)), rng.standard_normal((3, 4)).astype(np.float32)
    whole = rng.integers(1, 9, (3, 4))
    expect(student.axpy(2.0, wide, narrow), 2.0 * wide + narrow, rtol=1e-12, what="axpy of float64 and float32")
    expect(student.axpy(2.0, narrow, wide), 2.0 * narrow + wide, rtol=1e-6, what="axpy of float32 and float64")
    expect(student.axpy(0.5, whole, whole), 1.5 * whole, rtol=1e-12, what="axpy of integers with a = 0.5")


@task("axpy")
def neither_argument_is_written_to(student, rng):
    """Twice with the same random arrays: both results are a * x + y."""
    x, y = rng.standard_normal((4, 5)), rng.standard_normal((4, 5))
    right = -1.5 * x + y
    expect(student.axpy_twice(-1.5, x, y), [right, right], rtol=1e-12, atol=1e-12)


_AXPY = "    return a * x + y\n"

MUTANTS = [
    Mutant(
        "changes_y",
        "in place",
        old=_AXPY,
        new=("    y += a * x\n    return y\n"),
    ),
    Mutant(
        "out_is_y",
        "in place where the types agree",
        old=_AXPY,
        new="    return np.add(a * x, y, out=y if y.dtype == (a * x).dtype else None)\n",
    ),
    Mutant(
        "changes_x",
        "in place",
        old=_AXPY,
        new=("    x *= a\n    return x + y\n"),
    ),
    Mutant(
        "type_of_y",
        "cuts off what y's type cannot hold",
        old=_AXPY,
        new="    return (a * x + y).astype(y.dtype)\n",
    ),
    Mutant(
        "type_of_x",
        "cuts off what x's type cannot hold",
        old=_AXPY,
        new="    return (a * x + y).astype(x.dtype)\n",
    ),
    Mutant(
        "brackets",
        "a multiplies y too",
        old=_AXPY,
        new="    return a * (x + y)\n",
    ),
    Mutant(
        "swapped",
        "a multiplies y",
        old=_AXPY,
        new="    return x + a * y\n",
    ),
    Mutant(
        "minus",
        "the sign of y",
        old=_AXPY,
        new="    return a * x - y\n",
    ),
    Mutant(
        "whole_factor",
        "a cut to an integer",
        old=_AXPY,
        new="    return int(a) * x + y\n",
    ),
    Mutant(
        "float64_factor",
        "a float32 result becomes float64",
        old=_AXPY,
        new="    return np.float64(a) * x + y\n",
    ),
    Mutant(
        "dot",
        "the inner product of BLAS's dot",
        old=_AXPY,
        new="    return a * np.dot(x.ravel(), y.ravel())\n",
    ),
]
