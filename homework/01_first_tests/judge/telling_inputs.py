r"""Inputs that tell wrong code from right: why the solution is as it is.

Each mistake has inputs that hide it. `x @ w` hides where w and x commute, as equal ones do; `w.T` where w is symmetric;
the first row of the bias where all rows are alike; a lost sign where no weight is negative; int8 where the results are
small. Inputs that belong to none of these families catch all five at once. Outside of this task a shape that is not
square does most of the work: two of the five are errors there. A network's layers are often square, and then only the
numbers tell.

The mistake that nobody thought of is not on the list. That is why tests take random inputs too, of many shapes.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Failure, Mutant, Student, task

from ..public import inputs_of


@task("telling_inputs")
def the_slow_formula_differs_from_each_mistake(student: Student) -> None:
    """Number by number, with loops: each mistake has a number that differs."""
    w, x, b = inputs_of(student)
    k = range(len(w))
    right = [[sum(int(w[i, t] * x[t, j]) for t in k) + int(b[i, j]) for j in k] for i in k]
    if np.array_equal(x @ w + b, right):
        raise Failure("x @ w + b is right on these inputs")
    if np.array_equal(w.T @ x + b, right):
        raise Failure("w.T @ x + b is right on these inputs")
    if all(right[i][j] - b[i, j] + b[0, j] == right[i][j] for i in k for j in k):
        raise Failure("b[0] in the place of b is right on these inputs")
    if np.array_equal(np.abs(w) @ x + b, right):
        raise Failure("np.abs(w) in the place of w is right on these inputs")
    if all(-128 <= number <= 127 for row in right for number in row):
        raise Failure("int8 holds every result on these inputs")


_W, _X, _B = (
    "    w = np.array([[1, -2], [20, 5]])\n",
    "    x = np.array([[7, 20], [2, 9]])\n",
    "    b = np.array([[1, 2], [3, 5]])\n",
)
_RETURN = "    return w, x, b\n"

MUTANTS = [
    Mutant(
        "lesson_one_again",
        "w equals x, as in the lesson's first test",
        old=_W + _X,
        new="    w = x = np.array([[1, -2], [3, 20]])\n",
        breaks="swapped",
    ),
    Mutant(
        "multiple_of_the_identity",
        "w differs from x, and the order still does not matter",
        old=_X,
        new="    x = np.array([[9, 0], [0, 9]])\n",
        breaks="swapped",
    ),
    Mutant(
        "symmetric",
        "a symmetric w is its own transpose",
        old=_W + _X,
        new="    w, x = np.array([[1, -2], [-2, 20]]), np.array([[3, 20], [5, 17]])\n",
        breaks="transposed",
    ),
    Mutant(
        "bias_of_equal_rows",
        "the rows of b are alike",
        old=_B,
        new="    b = np.array([[1, 2], [1, 2]])\n",
        breaks="bias_once",
    ),
    Mutant(
        "weights_above_zero",
        "no weight is negative",
        old=_W,
        new="    w = np.array([[1, 2], [20, 5]])\n",
        breaks="absolute",
    ),
    Mutant(
        "negative_where_nothing_meets_it",
        "the negative weight meets a 0",
        old=_X,
        new="    x = np.array([[7, 20], [0, 0]])\n",
        breaks="absolute",
    ),
    Mutant(
        "small_results",
        "small numbers have small results",
        old=_W,
        new="    w = np.array([[1, -2], [3, 1]])\n",
        breaks="narrow",
    ),
    Mutant(
        "lists",
        "lists, which have no @",
        old=_RETURN,
        new="    return w.tolist(), x.tolist(), b.tolist()\n",
        breaks="form",
    ),
    Mutant(
        "floats",
        "floats, where whole numbers are asked for",
        old=_RETURN,
        new="    return w * 1.0, x * 1.0, b * 1.0\n",
        breaks="form",
    ),
    Mutant(
        "all_int8",
        "in int8 the right result wraps as well",
        old=_RETURN,
        new="    w, x, b = (each.astype(np.int8) for each in (w, x, b))\n    return w, x, b\n",
        breaks="form",
    ),
    Mutant(
        "drawn_anew",
        "random numbers without a seed, which may catch all five today",
        old=_W + _X + _B,
        new="    w, x, b = np.random.default_rng().integers(-20, 21, (3, 3, 3))\n",
        breaks="form",
    ),
    Mutant(
        "not_square",
        "shapes on which two of the five are errors",
        old=_W + _X,
        new="    w, x = np.array([[1, -2, 3], [20, 5, -6]]), np.array([[7, 20], [2, 9], [3, 4]])\n",
        breaks="square",
    ),
    Mutant(
        "bias_of_one_axis",
        "one number for each row, which numpy adds to the columns",
        old=_B,
        new="    b = np.array([1, 3])\n",
        breaks="square",
    ),
    Mutant(
        "random_and_large",
        "random inputs catch everything and are nothing to compute by hand",
        old=_W + _X + _B,
        new="    rng = np.random.default_rng(0)\n    w, x, b = (rng.integers(-99, 99, (4, 4)) for _ in range(3))\n",
        breaks="square",
    ),
    Mutant(
        "one_number_too_large",
        "a weight of 200, so that the result is large",
        old=_W,
        new="    w = np.array([[1, -2], [200, 5]])\n",
        breaks="small",
    ),
]
