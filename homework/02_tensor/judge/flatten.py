r"""Flatten, row-major and column-major: why the solution is as it is.

`reshape(-1)` reads an array in C order: the last axis changes fastest, the first slowest. For (C, H, W) that is
channel by channel, row by row, which is the row-major order. For the other order the row has to change fastest within
a channel, so the last two axes change places first: in (C, W, H) the rows of a channel are the columns of the old
one. The channel axis stays where it is, and so stays outermost.

Why `swapaxes` and not `reshape` to (C, W, H)? Reshape never changes the reading order: it cuts the same line of
numbers into other pieces. `swapaxes` changes which place is read next, by exchanging two strides.

**Typical mistakes.** `x.reshape(-1, order="F")` and `x.T.reshape(-1)` run over all three axes: the channel changes
fastest, and 1, 13, 5, 17, ... comes out of the example. `reshape(C, W, H)` gives the row-major order again. A round
trip through a list changes float32 into float64. An `if row_major:` the wrong way round passes on every test with one
row or one column, which is why the tests have neither.

**Cost.** Row-major: nothing is copied when `x` is contiguous; the result is a view. Column-major: every number is
copied once, O(C\*H\*W), and the reads jump through memory by a whole row.
"""

from __future__ import annotations

import itertools

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from .shared import DTYPES, flattened, numbers, sizes

WRONG_FLATTEN = {
    "each channel was read row by row: with row_major=False the row must change fastest. reshape(C, W, H) "
    "and order='K' keep the line as it lies in memory, and a transposed array that gets no name is lost": (
        lambda x: x.reshape(-1)
    ),
    "the column order ran over all three axes, as numpy's order='F' and .T do: stay inside one channel at a time": (
        lambda x: x.reshape(-1, order="F")
    ),
    "each channel was rotated: exchange its rows and columns instead, with swapaxes": (
        lambda x: np.rot90(x, axes=(1, 2)).reshape(-1)
    ),
    "the channels were mixed: finish one channel before the next begins": lambda x: x.swapaxes(0, 1).reshape(-1),
    "the first columns of all channels came first: finish one channel before the next begins": (
        lambda x: x.transpose(2, 0, 1).reshape(-1)
    ),
    "the channel changed fastest: finish one channel before the next begins": (
        lambda x: x.transpose(1, 2, 0).reshape(-1)
    ),
}
SMALL_SHAPES = tuple(itertools.product((1, 3), (1, 2), (1, 4)))


def flatten_mistakes(x: np.ndarray, row_major: bool) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    right = flattened(x, row_major)
    if row_major:
        wrong = {
            "each channel was read column by column: is the test of row_major the wrong way round?": flattened(x, False)
        }
    else:
        wrong = {cause: function(x) for cause, function in WRONG_FLATTEN.items()}
    return {
        **wrong,
        "the result has two axes: it must have one, (C*H*W,)": right[None],
        "the channels are still apart: the result must have one axis, (C*H*W,)": right.reshape(len(x), -1),
        "the rows, or columns, are still apart: the result must have one axis, (C*H*W,)": right.reshape(
            -1, x.shape[2 if row_major else 1]
        ),
        "the order is right, but the result still has three axes: return what reshape(-1) makes of them": (
            x if row_major else x.swapaxes(1, 2)
        ),
        "only the first channel was read: go over all of them": right[: x[0].size],
        "the numbers changed their type to float64: keep the dtype of x": right.astype(np.float64),
    }


def layout_mistakes(x: np.ndarray, row_major: bool) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, which lies column by column in memory."""
    by_memory = "the numbers came as they lie in memory, which is column by column here: read them with order='C'"
    return {by_memory: x.ravel("K"), **flatten_mistakes(x, row_major)}


def one_mistakes(x: np.ndarray, row_major: bool) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, which has an axis of 1."""
    by_rows = {
        "a single channel has rows and columns, too: where np.squeeze has taken its axis away, a loop over the "
        "channels goes over rows; a short cut for one channel needs both orders": x.reshape(-1),
        "np.squeeze takes away every axis of 1, and of one row in each channel the last two axes are then others": (
            x.reshape(-1, order="F")
        ),
    }
    no_axis = {"np.squeeze left no axis at all: the result has one, also of a single number": np.squeeze(x)}
    return {
        **({} if row_major else by_rows),
        **(no_axis if x.size == 1 else {}),
        "a short cut for one channel or row returns axes that are to be one: (C*H*W,)": np.squeeze(x),
        "a short cut for one channel leaves two axes: the result must have one, (C*H*W,)": x[0],
        **flatten_mistakes(x, row_major),
    }


def dtype_mistakes(x: np.ndarray, row_major: bool) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    digits = "digits were lost on the way through a float: keep the dtype of x from the beginning"
    through_float = flattened(x, row_major).astype(np.float64).astype(x.dtype)
    return (
        {digits: through_float}
        if x.dtype == np.int64
        else {
            f"the numbers changed their type to {name}: keep the dtype of x": flattened(x, row_major).astype(name)
            for name in ("float64", "float32", "int64")
        }
    )


@task("flatten")
def axes_of_one(student: Student, rng: np.random.Generator) -> None:
    """Shapes with one channel, one row or one column flatten in the same orders."""
    for shape in SMALL_SHAPES:
        x = rng.standard_normal(shape).astype(np.float32)
        for row_major in (True, False):
            expect(student.flatten(x, row_major), flattened(x, row_major), what=f"flatten of {shape}")


@task("flatten")
def every_dtype_is_kept(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers, truth values, half, double and complex numbers come out with the dtype they came with."""
    for dtype in DTYPES:
        x = numbers(rng, sizes(rng, 2, 6), dtype)
        for row_major in (True, False):
            expect(student.flatten(x, row_major), flattened(x, row_major), what=f"flatten of {dtype}")
    x = rng.integers(2**60, 2**61, (2, 3, 4))
    expect(student.flatten(x, False), flattened(x, False), what="flatten of large int64")


@task("flatten")
def a_large_block_with_nan_and_infinity(student: Student, rng: np.random.Generator) -> None:
    """A block of some thousand numbers, nan and infinities among them, keeps every value in its place."""
    x = rng.standard_normal(sizes(rng, 11, 24))
    x.reshape(-1)[rng.integers(0, x.size, 9)] = [np.nan, np.inf, -np.inf] * 3
    expect(student.flatten(x, False), flattened(x, False))
    expect(student.flatten(x), x.reshape(-1))
    expect(student.flatten(row_major=True, x=x), x.reshape(-1))


SWAP = "        x = x.swapaxes(1, 2)\n"
FLATTEN = "def flatten(x: np.ndarray, row_major: bool = True)"
READ = "    return x.reshape(-1)\n"

MUTANTS = [
    Mutant(
        "as_it_lies_in_memory",
        "order K is row by row for what numpy has just made, and not for a transposed array",
        old=READ,
        new="    return x.ravel('K') if row_major else x.reshape(-1)\n",
        breaks="rows",
    ),
    Mutant(
        "order_a",
        "the same with order A",
        old=READ,
        new="    return x.flatten('A') if row_major else x.reshape(-1)\n",
        breaks="rows",
    ),
    Mutant(
        "shape_in_place",
        "an AttributeError where the numbers do not lie one after the other",
        old=READ,
        new="    x = x.view() if row_major else x.copy()\n    x.shape = -1\n    return x\n",
        breaks="rows",
    ),
    Mutant(
        "only_the_object_false",
        "0 and numpy's False are false, and are not the object False",
        old="    if not row_major:\n        x = x.swapaxes(1, 2)\n",
        new="    if row_major is False:\n        x = x.swapaxes(1, 2)\n",
        breaks="columns",
    ),
    Mutant(
        "only_the_object_true",
        "1 and numpy's True are true, and are not the object True",
        old="    if not row_major:\n        x = x.swapaxes(1, 2)\n",
        new="    if row_major is not True:\n        x = x.swapaxes(1, 2)\n",
        breaks="rows",
    ),
    Mutant(
        "three_axes",
        "the axes are exchanged, and none is gone",
        old=READ,
        new="    return x\n",
        breaks="one_axis",
    ),
    Mutant(
        "rows_of_all_channels",
        "row by row, but the rows of all channels come together",
        old="    if not row_major:\n",
        new="    if row_major:\n        return x.swapaxes(0, 1).reshape(-1)\n    if not row_major:\n",
        breaks="rows",
    ),
    Mutant(
        "all_three_axes",
        "numpy's order='F': the columns run over all three axes",
        old=SWAP,
        new="        x = x.swapaxes(0, 2)\n",
        breaks="columns",
    ),
    Mutant(
        "channels_exchanged",
        "the wrong two axes: rows of all channels come together",
        old=SWAP,
        new="        x = x.swapaxes(0, 1)\n",
        breaks="columns",
    ),
    Mutant(
        "reshape_instead_of_swap",
        "a reshape to (C, W, H) moves no number",
        old=SWAP,
        new="        x = x.reshape(x.shape[0], x.shape[2], x.shape[1])\n",
        breaks="columns",
    ),
    Mutant(
        "column_major_by_default",
        "the original course's default",
        old=FLATTEN,
        new="def flatten(x: np.ndarray, row_major: bool = False)",
        breaks="default",
    ),
    Mutant(
        "a_column_of_w",
        "the place k * W + r, as if a column had W numbers",
        old=SWAP,
        new=(
            "        line = np.zeros(x.size, x.dtype)\n"
            "        for (c, r, k), one in np.ndenumerate(x):\n"
            "            line[c * x[0].size + k * x.shape[2] + r] = one\n"
            "        return line\n"
        ),
        breaks="columns",
    ),
    Mutant(
        "flag_inverted",
        "row-major and column-major exchanged",
        old=("    if not row_major:\n        x = x.swapaxes(1, 2)\n"),
        new=("    if row_major:\n        x = x.swapaxes(1, 2)\n"),
    ),
    Mutant(
        "flag_ignored",
        "only one order was written",
        old=("    if not row_major:\n        x = x.swapaxes(1, 2)\n"),
        new="",
        breaks="columns",
    ),
    Mutant(
        "always_float32",
        "the type of the lesson's examples, instead of the dtype of x",
        old=READ,
        new="    return x.reshape(-1).astype(np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "columns_in_float32",
        "an empty array for the columns, made in the type of the lesson's examples",
        old=SWAP,
        new="        x = x.swapaxes(1, 2).astype(np.float32)\n",
        breaks="dtype",
    ),
    Mutant(
        "through_a_list",
        "a list forgets float32, and numpy makes it float64",
        old=READ,
        new="    return np.array(x.reshape(-1).tolist())\n",
        breaks="dtype",
    ),
    Mutant(
        "one_row_of_a_matrix",
        "the result keeps a leading axis",
        old=READ,
        new="    return x.reshape(1, -1)\n",
        breaks="one_axis",
    ),
    Mutant(
        "channels_kept",
        "each channel is flat, but they are still apart",
        old=READ,
        new="    return x.reshape(len(x), -1)\n",
        breaks="one_axis",
    ),
    Mutant(
        "only_the_first_channel",
        "the loop over the channels is missing",
        old=READ,
        new="    return x[0].reshape(-1)\n",
    ),
    Mutant(
        "single_channel_special",
        "one channel taken for one row, which has one order only",
        old=SWAP,
        new="        x = x.swapaxes(1, 2) if len(x) > 1 else x\n",
    ),
    Mutant(
        "squeezed",
        "of a single channel np.squeeze leaves rows, and each of them is read by itself",
        old=SWAP,
        new="        return np.concatenate([one.flatten('F') for one in np.atleast_2d(np.squeeze(x))])\n",
        breaks="columns",
    ),
    Mutant(
        "digits_lost",
        "a float64 has no room for the digits of a large int64",
        old=READ,
        new="    return x.reshape(-1).astype(np.float64).astype(x.dtype) if x.dtype == np.int64 else x.reshape(-1)\n",
        breaks="dtype",
    ),
    Mutant(
        "columns_written_into_x",
        "x itself is rearranged: the result is right, and the caller's numbers have changed places",
        old=SWAP,
        new="        x.flat = x.swapaxes(1, 2).flatten()\n",
        breaks="argument",
    ),
    Mutant(
        "x_zeroed",
        "somebody cleans up what is not theirs",
        old=READ,
        new="    line = x.flatten()\n    x[...] = 0\n    return line\n",
        breaks="argument",
    ),
    Mutant(
        "nan_removed",
        "clean-up that nobody asked for",
        old=READ,
        new="    return np.nan_to_num(x.reshape(-1))\n",
    ),
]
