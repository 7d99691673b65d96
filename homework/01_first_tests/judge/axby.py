r"""y = w @ x + b: why the solution is as it is.

`@` is the matrix product, `*` works element by element. Both run on square inputs and give grids of the same shape,
so a shape check sees nothing: only numbers do.

A bias of (m,) is the form in which a network's file keeps it, one number for each row of the result. numpy lines up
shapes from the right, so `w @ x + b` would need n numbers, one for each column: an error where m and n differ, and
where they are equal no error and wrong numbers. `b.reshape(len(w), -1)` makes a column of it, (m, 1), which is
broadcast along each row, and leaves (m, n) as it is; so does `b[:, None]` under an `if b.ndim == 1`.

Typical mistakes: `x @ w` (invisible while w equals x, the trap of the original course's test), `w * x`, and a
transposed bias. None of them shows with zeros, and `b[0]` or `b.T` do not show with a bias that is the same
everywhere. Hence the tests' inputs: w unlike x, not symmetric, not square, a bias that differs from row to row and
from column to column.

m·n·k multiplications. The three loops of the lesson do the same work some thousand times slower: each step passes
through the Python interpreter, while `@` calls a library (BLAS) that also keeps the numbers close to the processor.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, task

MADE_FLOATS = (
    "the numbers became float64: np.zeros, np.ones and np.empty make float64 unless you give them a dtype, "
    "astype(float) does it, and int64 with float32 is float64, too"
)


def product(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(m, k), (k, n) -> (m, n): for each place, a row times a column, added up."""
    return np.array([[(w[i] * x[:, j]).sum() for j in range(x.shape[1])] for i in range(w.shape[0])])


def summed(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, k), (k, n), (m, n) -> (m, n): the product of floats in float64, plus b, in the dtype of all three."""
    dtype = np.result_type(w, x, b)
    wide = np.float64 if dtype.kind == "f" else dtype
    return (product(w.astype(wide), x.astype(wide)) + b).astype(dtype)


def summed_by_row(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(m, k), (k, n), (m,) -> (m, n): number i of b is added to each number of row i."""
    return np.array([row + one for row, one in zip(product(w, x), b, strict=True)])


def rows_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for square matrices and a b of one axis."""
    y = product(w, x)
    return {
        "b went to the columns, because numpy lines up shapes from the right: make a column of it, (m, 1)": (y + b),
        "the bias is missing: add b": y,
        "only the first number of b was added": y + b[0],
        "this is the column of b alone: `w @ x + b if ... else c` takes all of `w @ x + b` as one choice, and c as the "
        "other. Put brackets around the choice: (b if ... else c)": b[:, None],
        MADE_FLOATS: summed_by_row(w, x, b).astype(np.float64),
    }


def one_column_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives where the product is (m, 1) and b is (m,)."""
    return {
        "the product has one column here, and as many numbers as b: (m, 1) + (m,) is (m, m). b.ndim tells a b of (m,) "
        "from one of (m, n), b.size does not": product(w, x) + b,
    }


def bias_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these matrices, of any sizes that fit."""
    y = summed(w, x, np.zeros_like(b))
    return {
        "the bias is missing: add b": y,
        "b was subtracted: add it": y - b,
        "only the first row of b was added, to every row: add the whole of b": y + b[0],
        "b[:, None] makes three axes of a b of (m, n): only a b of (m,) needs the second axis": y + b[:, None],
        "only the first column of b was added, to every column: add the whole of b": y + b[:, :1],
        MADE_FLOATS: (y + b).astype(np.float64),
        **{
            f"the numbers became {dtype}: leave the conversion out": (y + b).astype(dtype)
            for dtype in ("float16", "float32", "int64")
        },
    }


def axby_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these matrices, which are square."""
    y, nothing = summed(w, x, np.zeros_like(b)), np.zeros_like(b)
    return {
        "w * x multiplies element by element; the matrix product is w @ x": w * x + b,
        "this is x @ w + b: write w first": summed(x, w, b),
        "b was transposed: only a b of (m,) becomes a column, and one of (m, n) is added as it is": y + b.T,
        "w was transposed: take it as it is": summed(w.T, x, b),
        "x was transposed: take it as it is": summed(w, x.T, b),
        "this is b alone: `w @ x + c if ... else b` takes all of `w @ x + c` as one choice, and b as the other. Put "
        "brackets around the choice: (c if ... else b)": b,
        "this is w @ (x + b), where w multiplies b too: add b after the product": summed(w, x + b, nothing),
        **bias_mistakes(w, x, b),
    }


def sum_types_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for matrices of several types."""
    right = summed(w, x, b)
    names: dict[np.dtype, list[str]] = {}
    for name, part in (("w", w), ("x", x), ("b", b)):
        names.setdefault(part.dtype, []).append(name)
    return {
        **{
            f"the result became {dtype}, the type of {' and '.join(some)}: leave the choice to numpy": right.astype(
                dtype
            )
            for dtype, some in names.items()
            if dtype != right.dtype
        },
        "the integers went through float64, which has 53 bits of digits: leave the conversion out": (
            product(w.astype(np.float64), x.astype(np.float64)) + b
        ).astype(right.dtype),
        MADE_FLOATS: right.astype(np.float64),
        **{
            f"the numbers became {dtype}: leave the conversion out": right.astype(dtype)
            for dtype in ("float32", "int64")
        },
    }


@task("axby")
def any_sizes_down_to_one(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers in grids of random sizes, 1 among them, give exactly w @ x + b."""
    sizes = [(1, 1, 1), (1, 5, 1), (4, 1, 3), *(tuple(int(n) for n in rng.integers(1, 9, 3)) for _ in range(4))]
    for m, k, n in sizes:
        w, x, b = (rng.integers(-50, 50, shape) for shape in ((m, k), (k, n), (m, n)))
        expect(student.axby(w, x, b), summed(w, x, b), what=f"axby of ({m},{k}) @ ({k},{n})")


@task("axby")
def one_number_for_each_row_of_any_sizes(student: Student, rng: np.random.Generator) -> None:
    """A bias of (m,) goes to the rows, also where there is one row, one column, or as many of both."""
    for m, k, n in ((1, 3, 4), (4, 3, 1), (1, 2, 1), (3, 2, 3), (5, 1, 2)):
        w, x, b = (rng.integers(-50, 50, shape) for shape in ((m, k), (k, n), (m,)))
        expect(student.axby(w, x, b), summed_by_row(w, x, b), what=f"axby of ({m},{k}) @ ({k},{n}), b ({m},)")


@task("axby")
def large_float_grids_in_their_own_type(student: Student, rng: np.random.Generator) -> None:
    """Square float32 and float64 grids of 40 x 40: the values within rounding, the type kept."""
    for kind in (np.float32, np.float64):
        w, x, b = (rng.standard_normal((40, 40)).astype(kind) for _ in range(3))
        expect(student.axby(w, x, b), summed(w, x, b), rtol=1e-4, atol=1e-4, what=f"axby of {np.dtype(kind)}")


_AXBY = "    return w @ x + b.reshape(len(w), -1)\n"
_COLUMN = "    b = b.reshape(len(w), -1)\n"

MUTANTS = [
    Mutant(
        "bias_for_the_columns",
        "numpy lines up shapes from the right: an error, or the wrong numbers",
        old=_AXBY,
        new="    return w @ x + b\n",
        breaks="rows",
    ),
    Mutant(
        "bias_for_the_columns_of_squares",
        "turned where numpy complains, and only there",
        old=_AXBY,
        new="    try:\n        return w @ x + b\n    except ValueError:\n        return w @ x + b[:, None]\n",
        breaks="rows",
    ),
    Mutant(
        "bias_told_by_its_size",
        "a product of one column has as many numbers as a bias of (m,)",
        old=_AXBY,
        new="    y = w @ x\n    return y + (b if b.size == y.size else b[:, None])\n",
        breaks="rows",
    ),
    Mutant(
        "swapped",
        "the original test, w == x, lets it pass",
        old=_AXBY,
        new=_COLUMN + "    return x @ w + b\n",
        breaks="product",
    ),
    Mutant(
        "elementwise",
        "* taken for the matrix product",
        old=_AXBY,
        new=_COLUMN + "    return w * x + b\n",
        breaks="product",
    ),
    Mutant(
        "w_transposed",
        "columns of w instead of rows",
        old=_AXBY,
        new=_COLUMN + "    return w.T @ x + b\n",
        breaks="product",
    ),
    Mutant(
        "x_transposed",
        "rows of x instead of columns",
        old=_AXBY,
        new=_COLUMN + "    return w @ x.T + b\n",
        breaks="product",
    ),
    Mutant(
        "no_bias",
        "the bias forgotten",
        old=_AXBY,
        new=_COLUMN + "    return w @ x\n",
        breaks="bias",
    ),
    Mutant(
        "minus_bias",
        "the sign of the bias",
        old=_AXBY,
        new=_COLUMN + "    return w @ x - b\n",
        breaks="bias",
    ),
    Mutant(
        "bias_transposed",
        "the bias of row i added to column i",
        old=_AXBY,
        new=_COLUMN + "    return w @ x + b.T\n",
        breaks="bias",
    ),
    Mutant(
        "bias_in_one_column",
        "a column of all its numbers, right for a bias of (m,) alone",
        old=_AXBY,
        new="    return w @ x + b.reshape(-1, 1)\n",
        breaks="bias",
    ),
    Mutant(
        "bias_of_first_row",
        "one bias for all rows",
        old=_AXBY,
        new=_COLUMN + "    return w @ x + b[0]\n",
        breaks="bias",
    ),
    Mutant(
        "bias_of_first_column",
        "one bias for all columns",
        old=_AXBY,
        new=_COLUMN + "    return w @ x + b[:, :1]\n",
        breaks="bias",
    ),
    Mutant(
        "bias_inside",
        "brackets in the wrong place",
        old=_AXBY,
        new=_COLUMN + "    return w @ (x + b)\n",
        breaks="bias",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_AXBY,
        new=_COLUMN + "    return (w @ x + b).astype(np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "integers_through_float64",
        "a detour over floats, of which the integers do not come back",
        old=_AXBY,
        new=_COLUMN + "    return w.astype(float) @ x + b\n",
        breaks="dtype",
    ),
    Mutant(
        "type_of_w",
        "the result is made like w, and cuts off what w's type cannot hold",
        old=_AXBY,
        new=_COLUMN + "    return (w @ x + b).astype(w.dtype)\n",
        breaks="dtype",
    ),
    Mutant(
        "integers_through_float64_and_back",
        "the type is right again, and the last digits of large integers are lost",
        old=_AXBY,
        new=_COLUMN + "    return (w.astype(float) @ x.astype(float) + b).astype(np.result_type(w, x, b))\n",
        breaks="dtype",
    ),
    Mutant(
        "empty_result_is_float64",
        "np.zeros without a dtype, filled by three loops",
        old=_AXBY,
        new=(
            f"{_COLUMN}    y = np.zeros((len(w), x.shape[1]))\n"
            "    for i in range(w.shape[0]):\n"
            "        for j in range(x.shape[1]):\n"
            "            y[i, j] = sum(w[i, k] * x[k, j] for k in range(w.shape[1]))\n"
            "    return y + b\n"
        ),
        breaks="dtype",
    ),
    Mutant(
        "hard_coded",
        "the lesson's answer, whatever comes",
        old=_AXBY,
        new="    return np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])\n",
    ),
]
