r"""Reshape in both reading orders: why the solution is as it is.

A reshape is two walks over the same line of values: one that reads, one that writes. Writing column by column is the
reverse of reading so: cut the line into channels, each channel into W' columns of H' numbers, and turn each channel.
The check comes first, because the sizes are easy to name there and hard to guess from numpy's message. It asks
for negative sizes, too: two of them, as in (-4, -6), may have the right product.

**Typical mistakes.** Only one of the two walks goes by columns: then a second reshape does not restore `x`. The
columns are cut as (C', H', W') instead of (C', W', H'). `order="F"` again runs over three axes; for a single channel
it happens to be right, which makes the fault hard to see. `np.resize` repeats or drops numbers until they fit.

**Cost.** Row-major: a view. Column-major: one copy for reading; the writing is only a change of strides, so the
result is not contiguous.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_raises, task

from .shared import DTYPES, flattened, numbers, sizes


def laid_out(values: np.ndarray, shape: tuple[int, ...], row_major: bool) -> np.ndarray:
    """(C*H*W,) -> (C, H, W), channel by channel."""
    channels = np.split(values, shape[0])
    return np.stack([channel.reshape(shape[1:], order="C" if row_major else "F") for channel in channels])


def reshaped(x: np.ndarray, shape: tuple[int, ...], row_major: bool) -> np.ndarray:
    """(C, H, W) -> (C', H', W'), read and written in the same order."""
    return laid_out(flattened(x, row_major), shape, row_major)


def places(shape: tuple[int, int, int], row_major: bool) -> np.ndarray:
    """Which number of a line stands where in the block of this shape that it is laid out in."""
    return laid_out(np.arange(np.prod(shape)), shape, row_major)


def rows_mistakes(x: np.ndarray, shape: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, row by row."""
    _, rows, cols = shape
    return {
        "this is the column order: row_major is True when nobody says it": reshaped(x, shape, False),
        "x was read in one order and written in the other: with row_major=True do both row by row": (
            reshaped(x.reshape(1, 1, -1), shape, False)
        ),
        "the result has the sizes of x: they are to be those of `shapes`": x,
        "a size that is not given is 1 and stands in front, not behind": x.reshape(rows, cols, 1),
        "the result has two axes: it always has three": x.reshape(rows, cols),
        "the result has one axis: it always has three": x.reshape(-1),
    }


def one_mistakes(x: np.ndarray, shape: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x of one channel or row, column by column."""
    squeezed = "np.squeeze takes away every axis of 1: the result has three axes, also where some of them are 1"
    causes = {squeezed: np.squeeze(reshaped(x, shape, False)), **columns_mistakes(x, shape)}
    if len(x) > 1 or shape[0] == 1:
        return causes
    return {
        "one channel became several: order='F' is right where x and the result have one channel each, and no further": (
            x.reshape(shape, order="F")
        ),
        **causes,
    }


def layout_mistakes(x: np.ndarray, shape: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, which lies column by column in memory."""
    by_memory = "the numbers were read as they lie in memory, which is column by column here: read with order='C'"
    return {by_memory: x.reshape(shape, order="A"), f"{by_memory}, write so too": x.ravel("K").reshape(shape)}


def dtype_mistakes(x: np.ndarray, shape: tuple[int, int, int], row_major: bool) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, as to its dtype."""
    right = reshaped(x, shape, row_major)
    digits = "digits were lost on the way through a float: keep the dtype of x from the beginning"
    lost = {digits: right.astype(np.float64).astype(x.dtype)} if x.dtype == np.int64 and x.max() > 2**53 else {}
    return lost | {
        f"the numbers changed their type to {name}: keep the dtype of x": right.astype(name)
        for name in ("float64", "float32", "int64")
        if name != x.dtype
    }


def columns_mistakes(x: np.ndarray, shape: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, column by column."""
    channels, rows, cols = shape
    right = reshaped(x, shape, False)
    written_by_rows = flattened(x, False).reshape(shape)
    read_by_rows = reshaped(x.reshape(1, 1, -1), shape, False)
    if np.array_equal(written_by_rows, read_by_rows):
        mixed = {"x was read in one order and written in the other: do both column by column": read_by_rows}
    else:
        mixed = {
            "x was read within each channel, but written over all three axes, as numpy's order='F' and .T do: write "
            "inside one channel at a time": flattened(x, False).reshape(shape, order="F"),
            "x was read column by column, but the result was written row by row": written_by_rows,
            "x was read row by row, but the result was written column by column": read_by_rows,
            "x was read over all three axes, as numpy's order='F' and .T do, and written within each channel: read "
            "inside one channel at a time, too": laid_out(x.reshape(-1, order="F"), shape, False),
        }
    return {
        "x was read and written row by row: row_major=False has no effect": x.reshape(shape),
        **mixed,
        "rows and columns of the result are exchanged: swap its last two axes back": right.swapaxes(1, 2),
        "the numbers were laid out as (C', H', W') before the swap: lay them out as (C', W', H')": (
            flattened(x, False).reshape(channels, rows, cols).swapaxes(1, 2)
        ),
        "the column order ran over all three axes, as numpy's order='F' does: stay inside one channel at a time": (
            x.reshape(shape, order="F")
        ),
    }


@task("reshape")
def random_shapes_in_both_orders(student: Student, rng: np.random.Generator) -> None:
    """Larger blocks take new shapes, in both orders, axes of one among them."""
    a, b, c = sizes(rng, 5, 12)
    x = rng.standard_normal((a, b, c))
    for shapes in ((b, c, a), (c, a, b), (1, b, a * c), (a * b, 1, c), (a * c, b, 1), (a, b, c)):
        for row_major in (True, False):
            got = student.reshape(x, shapes, row_major)
            what = f"reshape of {x.shape} to {shapes}, row_major={row_major}"
            expect(got, reshaped(x, shapes, row_major), what=what)


@task("reshape")
def every_dtype_is_kept_in_a_new_shape(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers, truth values, half, double and complex numbers keep their dtype; row_major is True if not said."""
    for dtype in DTYPES:
        x = numbers(rng, (2, 6, 5), dtype)
        expect(student.reshape(x, [4, 15]), x.reshape(1, 4, 15), what=f"reshape of {dtype}")
        expected = reshaped(x, (3, 4, 5), False)
        expect(student.reshape(x, [3, 4, 5], False), expected, what=f"reshape of {dtype}, column by column")
    x = rng.integers(2**60, 2**61, (2, 6, 5))
    expect(student.reshape(x, [3, 4, 5], False), reshaped(x, (3, 4, 5), False), what="reshape of large int64")


@task("reshape")
def one_element_more_or_less_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A shape that holds one element more or fewer, a whole multiple, none, or two negative sizes raises an error."""
    x = rng.standard_normal(sizes(rng, 2, 6))
    n = x.size
    for shapes in ((n + 1,), (n - 1,), (2, n), (2, n, 1), (0, n), (0,), (-1, -n), (-n, 1, -1)):
        for row_major in (True, False):
            expect_raises(student.reshape, x, shapes, row_major)


BY_COLUMNS = "    by_columns = values.reshape(channels, cols, rows)\n"
FEWER = "    channels, rows, cols = (1,) * (3 - len(shapes)) + tuple(shapes)\n"
CHECK = "    if min(shapes) < 0 or channels * rows * cols != x.size:\n"

MUTANTS = [
    Mutant(
        "two_negative_sizes",
        "only the product is compared, and minus times minus is plus",
        old=CHECK,
        new=(
            "    if np.sum(np.less(shapes, 0)) == 2 and len(shapes) == 3:\n"
            "        channels, rows, cols = abs(channels), abs(rows), abs(cols)\n"
            "    elif min(shapes) < 0 or channels * rows * cols != x.size:\n"
        ),
        breaks="count",
    ),
    Mutant(
        "order_f_for_one_channel",
        "right where the result has one channel, too",
        old="    values = flatten(x, row_major)\n",
        new=(
            "    if len(x) == 1 and not row_major:\n"
            "        return x.reshape((channels, rows, cols), order='F')\n"
            "    values = flatten(x, row_major)\n"
        ),
        breaks="columns",
    ),
    Mutant(
        "list_of_the_caller",
        "the ones go into the list that the caller gave",
        old=FEWER,
        new=(
            "    while isinstance(shapes, list) and len(shapes) < 3:\n"
            "        shapes.insert(0, 1)\n"
            "    channels, rows, cols = (1,) * (3 - len(shapes)) + tuple(shapes)\n"
        ),
        breaks="argument",
    ),
    Mutant(
        "digits_lost",
        "a float64 has no room for the digits of a large int64",
        old="    values = flatten(x, row_major)\n",
        new=(
            "    values = flatten(x, row_major)\n"
            "    if x.dtype == np.int64:\n"
            "        values = values.astype(float).astype(x.dtype)\n"
        ),
        breaks="dtype",
    ),
    Mutant(
        "only_minus_one_refused",
        "numpy takes -2 for the missing size, too",
        old=CHECK,
        new=(
            "    if -1 in (channels, rows, cols) or (\n"
            "        min(channels, rows, cols) >= 0 and channels * rows * cols != x.size\n"
            "    ):\n"
        ),
        breaks="count",
    ),
    Mutant(
        "order_a",
        "order A is row by row for what numpy has just made, and not for a transposed array",
        old="    if row_major:\n        return values",
        new='    if row_major:\n        return x.reshape((channels, rows, cols), order="A")\n        return values',
        breaks="rows",
    ),
    Mutant(
        "only_the_object_false",
        "0 and numpy's False are false, and are not the object False",
        old="    values = flatten(x, row_major)\n",
        new="    row_major = row_major is not False\n    values = flatten(x, row_major)\n",
        breaks="columns",
    ),
    Mutant(
        "numpy_order_f",
        "the columns run over all three axes, reading and writing",
        old="    values = flatten(x, row_major)\n",
        new=(
            "    if not row_major:\n"
            '        return x.reshape((channels, rows, cols), order="F")\n'
            "    values = flatten(x, row_major)\n"
        ),
        breaks="columns",
    ),
    Mutant(
        "written_by_rows",
        "read column by column, written row by row",
        old="    return by_columns.swapaxes(1, 2)\n",
        new="    return values.reshape(channels, rows, cols)\n",
        breaks="columns",
    ),
    Mutant(
        "read_by_rows",
        "read row by row, written column by column",
        old="    values = flatten(x, row_major)\n",
        new="    values = flatten(x)\n",
    ),
    Mutant(
        "only_the_object_true",
        "1 and numpy's True are true, and are not the object True",
        old=("    if row_major:\n        return values"),
        new=("    values = flatten(x, row_major is True)\n    if row_major is True:\n        return values"),
        breaks="rows",
    ),
    Mutant(
        "written_over_all_axes",
        "reads each channel by columns, and writes all axes in reverse",
        old=BY_COLUMNS,
        new="    return values.reshape(cols, rows, channels).T\n" + BY_COLUMNS,
        breaks="columns",
    ),
    Mutant(
        "not_swapped_back",
        "the result has W' rows and H' columns",
        old="    return by_columns.swapaxes(1, 2)\n",
        new="    return by_columns\n",
        breaks="columns",
    ),
    Mutant(
        "sizes_not_exchanged",
        "laid out with H' columns of W' numbers instead of W' columns of H'",
        old=BY_COLUMNS,
        new="    by_columns = values.reshape(channels, rows, cols)\n",
        breaks="columns",
    ),
    Mutant(
        "always_swapped",
        "the row-major case goes through the column-major one",
        old=("    if row_major:\n        return values"),
        new=("    if False:\n        return values"),
        breaks="rows",
    ),
    Mutant(
        "flag_ignored",
        "only the row-major case was written",
        old=("    if row_major:\n        return values"),
        new=("    values = flatten(x)\n    if True:\n        return values"),
        breaks="columns",
    ),
    Mutant(
        "default_column_major",
        "the original course's default",
        old="def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = True)",
        new="def reshape(x: np.ndarray, shapes: Sequence[int], row_major: bool = False)",
        breaks="default",
    ),
    Mutant(
        "ones_behind",
        "missing sizes are the last ones: (H', W') becomes (H', W', 1)",
        old=FEWER,
        new="    channels, rows, cols = tuple(shapes) + (1,) * (3 - len(shapes))\n",
        breaks="axes",
    ),
    Mutant(
        "three_sizes_only",
        "(H', W') and (W',) fail",
        old=FEWER,
        new="    channels, rows, cols = shapes\n",
        breaks="axes",
    ),
    Mutant(
        "numpy_fills_in",
        "-1 is left to numpy, which finds the size that is missing",
        old=CHECK,
        new="    if -1 not in shapes and channels * rows * cols != x.size:\n",
        breaks="count",
    ),
    Mutant(
        "written_into_x",
        "x itself is rearranged: the result is right, and the caller's numbers have changed places",
        old="    values = flatten(x, row_major)\n",
        new="    values = flatten(x, row_major).copy()\n    x.flat = values\n",
        breaks="argument",
    ),
    Mutant(
        "tuples_only",
        "a tuple and a list cannot be added",
        old=FEWER,
        new="    channels, rows, cols = (1,) * (3 - len(shapes)) + shapes\n",
        breaks="axes",
    ),
    Mutant(
        "columns_in_float32",
        "an empty array for the columns, made in the type of the lesson's examples",
        old=BY_COLUMNS,
        new="    by_columns = values.reshape(channels, cols, rows).astype(np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "np_resize",
        "np.resize repeats or drops numbers until they fit",
        old=CHECK,
        new=(
            "    if channels * rows * cols != x.size:\n"
            "        return np.resize(x, (channels, rows, cols))\n"
            "    if False:\n"
        ),
        breaks="count",
    ),
    Mutant(
        "only_more_refused",
        "a smaller shape silently drops numbers",
        old=CHECK,
        new=(
            "    x = x.reshape(1, 1, -1)[:, :, : channels * rows * cols] if channels * rows * cols < "
            "x.size else x\n"
            "    if channels * rows * cols != x.size:\n"
        ),
        breaks="count",
    ),
    Mutant(
        "always_float32",
        "the type of the lesson's examples, instead of the dtype of x",
        old="    values = flatten(x, row_major)\n",
        new="    values = flatten(x, row_major).astype(np.float32)\n",
        breaks="dtype",
    ),
]
