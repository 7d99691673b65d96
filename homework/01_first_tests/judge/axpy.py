r"""y = a * x + y: why the solution is as it is.

The name is that of the BLAS routine, which overwrites y. In a graph that would be wrong: y may be read again by
another operator. `y += a * x` looks like `y = y + a * x` and is not: it writes into the array that the caller still
holds. It also keeps y's type, so a float64 sum is rounded to y's float32, and an integer y raises an error.
`axpy_twice` makes the difference visible: with the write in place the second call starts from another y. A short cut
such as `return y if a == 0` gives out the caller's array, too.

A Python float as `a` does not widen a float32 array; `np.float64(a)` does.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task


def added(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """a, (...), (...) -> (...): floats computed in float64, in the dtype that numpy gives a * x + y."""
    dtype = (a * x.reshape(-1)[:1] + y.reshape(-1)[:1]).dtype
    return np.array([a * p + q for p, q in zip(x.ravel().tolist(), y.ravel().tolist())], dtype).reshape(x.shape)


def axpy_mistakes(a: float, x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these arrays of floats."""
    return {
        "this is a * (x + y): only x is multiplied by a": a * (x + y),
        "this is x + a * y: x and y changed places": x + a * y,
        "this is a + x + y: a multiplies x": a + x + y,
        "this is a + x * y: a multiplies x, and y is added": a + x * y,
        "this is a * x + x: y is to be added": a * x + x,
        "y was subtracted: add it": a * x - y,
        "y is missing: add it to a * x": a * x,
        "a is missing: multiply x by it": x + y,
        "np.dot adds the products up to one number: multiply element by element with *": np.float64(
            a * np.dot(x.ravel(), y.ravel())
        ),
        "x @ y is the dot product of x and y: multiply a and x with *, and add y": np.float64(
            np.dot(x.ravel(), y.ravel()) + a
        ),
        "a was cut to a whole number: take it as it is, without int(a)": int(a) * x + y,
        "the float32 numbers became float64: leave a the plain number that it is, without np.float64(a), np.array(a) "
        "and astype; np.zeros makes float64, too": (a * x.astype(np.float64) + y),
        "the float64 numbers became float32: leave the conversion out": added(a, x, y).astype(np.float32),
        "the blocks were put into one row: leave ravel or reshape out": added(a, x, y).ravel(),
    }


def types_mistakes(a: float, x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for arrays of several types."""
    right = added(a, x, y)
    if right.dtype.kind == "i":
        return {
            f"the integers became float64: a is {a}, and integers stay integers: leave out conversions, such as "
            "float(a) and as_float(x)": right.astype(np.float64),
            "the integers went through float64, which has 53 bits of digits: a is whole, so leave float(a) out": (
                (float(a) * x + y).astype(right.dtype)
            ),
        }
    if x.dtype.kind == "i" and a == int(a):
        short = f"a is {a}, a float, so the sum of integers is float64: leave int(a) and short cuts for {a:g} out"
        return {short: right.astype(y.dtype)}
    if not a:
        return {"where a is 0, the result has the type of y: make a short cut for no a": right.astype(y.dtype)}
    if not y.any():
        return {"where y is 0, the result has the type of x: make a short cut for no y": right.astype(x.dtype)}
    if x.dtype.kind == "i":
        cut = f"a or the sum was cut to {x.dtype}, the type of x and y: a is {a}, so leave the choice to numpy"
        return {cut: right.astype(x.dtype)}
    return {
        f"the sum was cut to {y.dtype}, the type of y: leave the choice to numpy": right.astype(y.dtype),
        f"the sum was cut to {x.dtype}, the type of x: leave the choice to numpy": right.astype(x.dtype),
        "the result became float32: leave the conversion out": right.astype(np.float32),
        "the numbers became float32 on the way: leave the conversion out": right.astype(np.float32).astype(np.float64),
    }


def written_mistakes(a: float, x: np.ndarray, y: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Likely cause -> what it gives for two calls in a row."""
    right = added(a, x, y)
    for what, number in (("a", a), ("x", x)):
        if not np.any(number):
            return {f"where {what} is 0, the result is y itself: make a new array there, too": [right, right + 1]}
    return {
        "y was changed by the first call: y += ... and out=y write into the caller's array": [
            right,
            added(a, x, right + 1),
        ],
        "x was changed by the first call: x *= a writes into the caller's array": [right, added(a, a * x, y)],
        "x was changed by the first call: x *= a, x += y and out=x write into the caller's array": [
            right,
            added(a, right + 1, y),
        ],
    }


@task("axpy")
def any_shape_and_any_factor(student: Student, rng: np.random.Generator) -> None:
    """Random arrays of 1 to 4 axes; factors that are negative, zero and fractional."""
    for shape in ((1,), (6, 1), (3, 4, 2), (2, 3, 1, 5)):
        for a in (0.0, -1.0, float(rng.uniform(-5, 5))):
            x, y = rng.standard_normal(shape), rng.standard_normal(shape)
            expect(
                student.axpy(a, x, y), added(a, x, y), rtol=1e-12, atol=1e-12, what=f"axpy of {shape} with a = {a:g}"
            )


@task("axpy")
def the_wider_type_wins(student: Student, rng: np.random.Generator) -> None:
    """float32 with float64, and integers with a fractional factor, give float64; nothing is cut off."""
    wide, narrow = rng.standard_normal((3, 4)), rng.standard_normal((3, 4)).astype(np.float32)
    whole = rng.integers(1, 9, (3, 4))
    expect(student.axpy(2.0, wide, narrow), 2.0 * wide + narrow, rtol=1e-12, what="axpy of float64 and float32")
    expect(student.axpy(2.0, narrow, wide), 2.0 * narrow + wide, rtol=1e-6, what="axpy of float32 and float64")
    expect(student.axpy(0.5, whole, whole), 1.5 * whole, rtol=1e-12, what="axpy of integers with a = 0.5")


@task("axpy")
def neither_argument_is_written_to(student: Student, rng: np.random.Generator) -> None:
    """Twice with the same random arrays: both results are a * x + y."""
    x, y = rng.standard_normal((4, 5)), rng.standard_normal((4, 5))
    right = -1.5 * x + y
    expect(student.axpy_twice(-1.5, x, y), [right, right], rtol=1e-12, atol=1e-12)


_AXPY = "    return a * x + y\n"

MUTANTS = [
    Mutant(
        "copy_for_0",
        "a new array, with the type of y",
        old=_AXPY,
        new="    if a == 0:\n        return y.copy()\n    return a * x + y\n",
        breaks="dtype",
    ),
    Mutant(
        "sum_for_1",
        "1.0 times integers is float64",
        old=_AXPY,
        new="    if a == 1:\n        return x + y\n    return a * x + y\n",
        breaks="dtype",
    ),
    Mutant(
        "whole_floats_to_int",
        "2.0 times integers is float64, too",
        old=_AXPY,
        new="    if int(a) == a:\n        a = int(a)\n    return a * x + y\n",
        breaks="dtype",
    ),
    Mutant(
        "short_cut_for_no_x",
        "nothing to add, so y itself is the result",
        old=_AXPY,
        new="    if not np.any(x):\n        return y\n    return a * x + y\n",
        breaks="new",
    ),
    Mutant(
        "flat_copy_filled",
        "reshape(-1) of an array that lies column by column is a copy",
        old=_AXPY,
        new=(
            "    result = np.zeros_like(x, dtype=(a * x[:1] + y[:1]).dtype)\n"
            "    flat = result.reshape(-1)\n"
            "    for i, (p, q) in enumerate(zip(x.reshape(-1), y.reshape(-1))):\n"
            "        flat[i] = a * p + q\n"
            "    return result\n"
        ),
        breaks="sum",
    ),
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
        breaks="new",
    ),
    Mutant(
        "changes_x",
        "in place",
        old=_AXPY,
        new=("    x *= a\n    return x + y\n"),
        breaks="new",
    ),
    Mutant(
        "out_is_x",
        "in place where the types agree",
        old=_AXPY,
        new="    return np.add(a * x, y, out=x if x.dtype == (a * x + y).dtype else None)\n",
        breaks="new",
    ),
    Mutant(
        "copy_of_the_wrong_one",
        "x is copied, y is written to",
        old=_AXPY,
        new=(
            "    x = a * x.copy()\n"
            "    if y.dtype != np.result_type(x, y):\n"
            "        return x + y\n"
            "    y += x\n"
            "    return y\n"
        ),
        breaks="new",
    ),
    Mutant(
        "copy_of_y",
        "no write into the caller's array, but still the type of y",
        old=_AXPY,
        new="    y = y.copy()\n    y += a * x\n    return y\n",
        breaks="dtype",
    ),
    Mutant(
        "type_of_y",
        "cuts off what y's type cannot hold",
        old=_AXPY,
        new="    return (a * x + y).astype(y.dtype)\n",
        breaks="dtype",
    ),
    Mutant(
        "type_of_x",
        "cuts off what x's type cannot hold",
        old=_AXPY,
        new="    return (a * x + y).astype(x.dtype)\n",
        breaks="dtype",
    ),
    Mutant(
        "short_cut_for_0",
        "nothing to add, so y itself is the result, and the caller changes it",
        old=_AXPY,
        new="    if a == 0:\n        return y.astype((a * x + y).dtype, copy=False)\n    return a * x + y\n",
        breaks="new",
    ),
    Mutant(
        "float_factor",
        "a is annotated as a float, so it is made one: integers become float64",
        old=_AXPY,
        new="    return float(a) * x + y\n",
        breaks="dtype",
    ),
    Mutant(
        "brackets",
        "a multiplies y too",
        old=_AXPY,
        new="    return a * (x + y)\n",
        breaks="sum",
    ),
    Mutant(
        "swapped",
        "a multiplies y",
        old=_AXPY,
        new="    return x + a * y\n",
        breaks="sum",
    ),
    Mutant(
        "minus",
        "the sign of y",
        old=_AXPY,
        new="    return a * x - y\n",
        breaks="sum",
    ),
    Mutant(
        "whole_factor",
        "a cut to an integer",
        old=_AXPY,
        new="    return int(a) * x + y\n",
        breaks="sum",
    ),
    Mutant(
        "float64_factor",
        "a float32 result becomes float64",
        old=_AXPY,
        new="    return np.float64(a) * x + y\n",
        breaks="dtype",
    ),
    Mutant(
        "rows_of_one_number",
        "a loop over the first axis, for arrays of one",
        old=_AXPY,
        new=(
            "    result = np.zeros(len(x), (a * x[:1] + y[:1]).dtype)\n"
            "    for i in range(len(x)):\n"
            "        result[i] = a * x[i] + y[i]\n"
            "    return result\n"
        ),
        breaks="sum",
    ),
    Mutant(
        "dot_of_x_and_y",
        "x and y multiplied, a added",
        old=_AXPY,
        new="    return x.ravel() @ y.ravel() + a\n",
        breaks="sum",
    ),
    Mutant(
        "dot",
        "the inner product of BLAS's dot",
        old=_AXPY,
        new="    return a * np.dot(x.ravel(), y.ravel())\n",
        breaks="sum",
    ),
]
