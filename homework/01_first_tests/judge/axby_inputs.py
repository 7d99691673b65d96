r"""Inputs that catch five mistakes: why the solution is as it is.

Each mistake makes no difference on some inputs, and the inputs have to lie outside all of these:

| mistake | it makes no difference where |
|---|---|
| `x @ w + b` | w and x commute: w = x, one of them 0 or the unit matrix, both diagonal |
| `w @ x + b[0]` | the rows of b are alike |
| `w @ x + w` | b = w |
| `np.maximum(w @ x + b, 0)` | no result is negative |
| `(w @ x + b).astype(np.int8)` | all results are from -128 to 127 |

The first three disappear as soon as nothing is equal, zero or symmetric, and random numbers do that for you. The last
two do not: with random numbers from -9 to 9 a result above 127 is rare. So the middle of the range is not enough; a
test needs the ends of it, which one has to think of. Here row 2 of `w` and column 0 of `x` are large (174 with the
bias), and column 2 of `x` is negative.

One case is enough for all five, as their inputs do not contradict one another. Where they do, write two cases.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, task

from ..public import ADDED, BIAS, LARGE, NEGATIVE, ORDER, Wrong, must_catch

BY_COLUMNS = "the columns of b are all alike: make every number of b another one"
RELATED = {
    "w transposed": Wrong(lambda w, x, b: w.T @ x + b, "transposes w, w.T @ x + b", ORDER),
    "x transposed": Wrong(lambda w, x, b: w @ x.T + b, "transposes x, w @ x.T + b", ORDER),
    "column": Wrong(
        lambda w, x, b: w @ x + b[:, :1], "adds the first column of b to every column, w @ x + b[:, :1]", BY_COLUMNS
    ),
    "b transposed": Wrong(lambda w, x, b: w @ x + b.T, "transposes b, w @ x + b.T", BIAS),
    "x added": Wrong(lambda w, x, b: w @ x + x, "adds x in place of b, w @ x + x", ADDED),
    "absolute": Wrong(
        lambda w, x, b: np.abs(w @ x + b), "drops the sign of negative results, np.abs(w @ x + b)", NEGATIVE
    ),
    "saturated": Wrong(lambda w, x, b: np.minimum(w @ x + b, 127), "stops at 127, np.minimum(w @ x + b, 127)", LARGE),
}


@task("axby_inputs")
def transposed_factors_are_caught(student: Student) -> None:
    """On the inputs w.T @ x + b and w @ x.T + b give something else than w @ x + b."""
    must_catch(student, "w transposed", "x transposed", among=RELATED)


@task("axby_inputs")
def other_wrong_biases_are_caught(student: Student) -> None:
    """On the inputs the first column of b for every column, b transposed, and x in place of b are seen."""
    must_catch(student, "column", "b transposed", "x added", among=RELATED)


@task("axby_inputs")
def lost_signs_and_ends_are_caught(student: Student) -> None:
    """On the inputs results without their sign, and results that stop at 127, are seen."""
    must_catch(student, "absolute", "saturated", among=RELATED)


_W = "    w = np.array([[1, 2, 3], [-4, 5, 6], [7, 8, 9]])\n"
_X = "    x = np.array([[9, 1, -2], [6, 4, -5], [7, 3, -8]])\n"
_B = "    b = np.array([[1, 2, 3], [5, 4, 7], [8, 6, 9]])\n"
_RETURN = "    return w, x, b\n"


def _mutant(name: str, why: str, old: str, new: str, breaks: str = "") -> Mutant:
    return Mutant(name, why, old=old, new=new, breaks=breaks)


MUTANTS = [
    _mutant("list", "a list holds three things, too", _RETURN, "    return [w, x, b]\n", "arrays"),
    _mutant(
        "rows",
        "lists of lists, as they are typed",
        _RETURN,
        "    return w.tolist(), x.tolist(), b.tolist()\n",
        "arrays",
    ),
    _mutant("floats", "networks compute with floats", _RETURN, "    return w.astype(float), x, b\n", "arrays"),
    _mutant("one_bias_for_all", "broadcasting makes a grid of it", _B, "    b = np.array([1, 2, 3])\n", "arrays"),
    _mutant(
        "lessons_sizes",
        "the lesson's test, whose grids are 2 x 2",
        _RETURN,
        "    return w[:2, :2], x[:2, :2], b[:2, :2]\n",
        "arrays",
    ),
    _mutant(
        "not_square",
        "sizes that differ catch x @ w by an error",
        _RETURN,
        "    return w[:2], x, b[:2]\n",
        "arrays",
    ),
    _mutant("tens", "far apart is easier to see", _X, _X + "    x = 10 * x\n", "range"),
    _mutant("one_too_large", "one number above 9", _W, _W.replace("8, 9]", "8, 90]"), "range"),
    _mutant(
        "w_is_x",
        "the lesson's first test",
        _X,
        "    w = x = np.array([[9, 9, -2], [9, 4, -5], [7, 3, -8]])\n",
        "order",
    ),
    _mutant(
        "unit_matrix",
        "a multiple of the unit matrix commutes with every x",
        _W,
        "    w = np.eye(3, dtype=int) * 9\n",
    ),
    _mutant(
        "both_diagonal",
        "numbers that differ, and zeros everywhere else",
        _W + _X,
        "    w, x = np.diag([9, 8, 7]), np.diag([9, -3, 5])\n",
    ),
    _mutant("same_rows", "one bias for each column", _B, "    b = np.array([[1, 2, 3]] * 3)\n", "bias"),
    _mutant("zeros", "the bias matters least", _B, "    b = np.zeros((3, 3), int)\n", "bias"),
    _mutant("b_is_w", "one array less to invent", _RETURN, "    return w, x, w\n", "added"),
    _mutant("positive", "no sign anywhere", _RETURN, "    return abs(w), abs(x), b\n", "negative"),
    _mutant("small", "from -3 to 3, to check by hand", _RETURN, "    return w // 3, x // 3, b\n", "large"),
    _mutant("same_columns", "one bias for each row", _B, "    b = np.array([[1] * 3, [2] * 3, [3] * 3])\n"),
    _mutant(
        "symmetric_bias",
        "a bias that is its own transpose",
        _B,
        "    b = np.array([[1, 2, 3], [2, 4, 5], [3, 5, 6]])\n",
    ),
    _mutant("b_is_x", "one array less to invent", _RETURN, "    return w, x, x\n"),
    _mutant(
        "symmetric_w",
        "a weight that is its own transpose",
        _W,
        "    w = np.array([[1, -4, 7], [-4, 5, 8], [7, 8, 9]])\n",
    ),
    _mutant(
        "symmetric_x",
        "an input that is its own transpose",
        _X,
        "    x = np.array([[9, 6, -2], [6, 4, -5], [-2, -5, -8]])\n",
    ),
    _mutant(
        "only_far_below",
        "results below -128 wrap around, too, but none is above 127",
        _X,
        "    x = np.array([[-9, 1, 2], [-6, 4, 0], [-7, 3, 1]])\n",
    ),
]
