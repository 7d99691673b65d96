r"""y = w @ x + b: why the solution is as it is.

`@` is the matrix product, `*` works element by element. Both run on square inputs and give grids of the same shape,
so a shape check sees nothing: only numbers do.

Typical mistakes: `x @ w` (invisible while w equals x, the trap of the original course's test), `w * x`, and a
transposed bias. None of them shows with zeros, and `b[0]` or `b.T` do not show with a bias that is the same
everywhere. Hence the tests' inputs: w unlike x, not symmetric, not square, a bias that differs from row to row and
from column to column.

m·n·k multiplications. The three loops of the lesson do the same work some thousand times slower: each step passes
through the Python interpreter, while `@` calls a library (BLAS) that also keeps the numbers close to the processor.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, expect, task


def product(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(m, k), (k, n) -> (m, n): for each place, a row times a column, added up."""
    return np.array([[(w[i] * x[:, j]).sum() for j in range(x.shape[1])] for i in range(w.shape[0])])


@task("axby")
def any_sizes_down_to_one(student, rng):
    """Whole numbers in grids of random sizes, 1 among them, give exactly w @ x + b."""
    sizes = [(1, 1, 1), (1, 5, 1), (4, 1, 3), *(tuple(int(n) for n in rng.integers(1, 9, 3)) for _ in range(4))]
    for m, k, n in sizes:
        w, x, b = (rng.integers(-50, 50, shape) for shape in ((m, k), (k, n), (m, n)))
        expect(student.axby(w, x, b), product(w, x) + b, what=f"axby of ({m},{k}) @ ({k},{n})")


@task("axby")
def large_float_grids_in_their_own_type(student, rng):
    """Square float32 and float64 grids of 40 x 40: the values within rounding, the type kept."""
    for kind in (np.float32, np.float64):
        w, x, b = (rng.standard_normal((40, 40)).astype(kind) for _ in range(3))
        exact = product(w.astype(np.float64), x.astype(np.float64)) + b
        expect(student.axby(w, x, b), exact.astype(kind), rtol=1e-4, atol=1e-4, what=f"axby of {np.dtype(kind)}")


_AXBY = "    return w @ x + b\n"

MUTANTS = [
    Mutant(
        "swapped",
        "the original test, w == x, lets it pass",
        old=_AXBY,
        new="    return x @ w + b\n",
    ),
    Mutant(
        "elementwise",
        "* taken for the matrix product",
        old=_AXBY,
        new="    return w * x + b\n",
    ),
    Mutant(
        "w_transposed",
        "columns of w instead of rows",
        old=_AXBY,
        new="    return w.T @ x + b\n",
    ),
    Mutant(
        "x_transposed",
        "rows of x instead of columns",
        old=_AXBY,
        new="    return w @ x.T + b\n",
    ),
    Mutant(
        "no_bias",
        "the bias forgotten",
        old=_AXBY,
        new="    return w @ x\n",
    ),
    Mutant(
        "minus_bias",
        "the sign of the bias",
        old=_AXBY,
        new="    return w @ x - b\n",
    ),
    Mutant(
        "bias_transposed",
        "the bias of row i added to column i",
        old=_AXBY,
        new="    return w @ x + b.T\n",
    ),
    Mutant(
        "bias_of_first_row",
        "one bias for all rows",
        old=_AXBY,
        new="    return w @ x + b[0]\n",
    ),
    Mutant(
        "bias_of_first_column",
        "one bias for all columns",
        old=_AXBY,
        new="    return w @ x + b[:, :1]\n",
    ),
    Mutant(
        "bias_inside",
        "brackets in the wrong place",
        old=_AXBY,
        new="    return w @ (x + b)\n",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_AXBY,
        new="    return (w @ x + b).astype(np.float32)\n",
    ),
    Mutant(
        "hard_coded",
        "the lesson's answer, whatever comes",
        old=_AXBY,
        new="    return np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])\n",
    ),
]
