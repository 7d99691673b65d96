"""Public tests of lesson 2: what flatten, padding and reshape must do, on the lesson's numbers and on random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_raises, task

ONE_TO_24 = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
BY_COLUMNS = [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12, 13, 17, 21, 14, 18, 22, 15, 19, 23, 16, 20, 24]
WRONG_FLATTEN = {
    "each channel was read row by row: with row_major=False the row must change fastest": lambda x: x.reshape(-1),
    "the column order ran over all three axes, as numpy's order='F' and .T do: stay inside one channel at a time": (
        lambda x: x.reshape(-1, order="F")
    ),
    "the channels were mixed: finish one channel before the next begins": lambda x: x.swapaxes(0, 1).reshape(-1),
}


def flattened(x: np.ndarray, row_major: bool) -> np.ndarray:
    """(C, H, W) -> (C*H*W,), one number at a time."""
    channels, rows, cols = x.shape
    if row_major:
        places = [(c, r, k) for c in range(channels) for r in range(rows) for k in range(cols)]
    else:
        places = [(c, r, k) for c in range(channels) for k in range(cols) for r in range(rows)]
    return np.array([x[place] for place in places], x.dtype)


def padded(x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right), one number at a time."""
    up, bottom, left, right = pads
    channels, rows, cols = x.shape
    result = np.full((channels, up + rows + bottom, left + cols + right), value).astype(x.dtype)
    for c, r, k in np.ndindex(x.shape):
        result[c, up + r, left + k] = x[c, r, k]
    return result


def reshaped(x: np.ndarray, shape: tuple[int, int, int], row_major: bool) -> np.ndarray:
    """(C, H, W) -> (C', H', W'), one number at a time."""
    _, rows, cols = shape
    result, values = np.empty(shape, x.dtype), flattened(x, row_major)
    for c, r, k in np.ndindex(shape):
        result[c, r, k] = values[c * rows * cols + (r * cols + k if row_major else k * rows + r)]
    return result


@contextmanager
def likely(causes: Mapping[str, str]) -> Iterator[None]:
    """Turn an exception of the student's into a Failure with the likely cause whose words it has."""
    try:
        yield
    except SubmissionError as error:
        said = f"{error.type}: {error.message}"
        cause = next((cause for words, cause in causes.items() if words in said), None)
        if cause is None or error.kind != "raise" or error.type == "NotImplementedError":
            raise
        failure = Failure(f"line {error.line} raised {said}")
        failure.cause = cause
        raise failure from None


def expect_refused(cause: str, student_call: Callable[..., Any], *args: Any) -> None:
    """As expect_raises; a failure has this likely cause."""
    try:
        expect_raises(student_call, *args)
    except Failure as failure:
        failure.cause = cause
        raise


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
        "only the first channel was read: go over all of them": right[: x[0].size],
        "the numbers changed their type to float64: keep the dtype of x": right.astype(np.float64),
    }


def padding_mistakes(x: np.ndarray, pads: Sequence[int], value: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    up, bottom, left, right = pads
    expected = padded(x, pads, value)
    first_only = np.full_like(expected, expected.dtype.type(value))
    first_only[0] = expected[0]
    return {
        "up and bottom are exchanged: pads are (up, bottom, left, right)": padded(x, (bottom, up, left, right), value),
        "left and right are exchanged: pads are (up, bottom, left, right)": padded(x, (up, bottom, right, left), value),
        "pads were read in PyTorch's order (left, right, up, bottom); here they are (up, bottom, left, right)": padded(
            x, (left, right, up, bottom), value
        ),
        "pads were read as (up, left, bottom, right); here they are (up, bottom, left, right)": padded(
            x, (up, left, bottom, right), value
        ),
        "pads were read clockwise, (up, right, bottom, left); here they are (up, bottom, left, right)": padded(
            x, (up, left, right, bottom), value
        ),
        "the border is 0: fill it with `value`": padded(x, pads, 0),
        "the border repeats the edge of x: fill it with `value`": np.pad(
            x, ((0, 0), (up, bottom), (left, right)), mode="edge"
        ),
        "the border lost what follows the point of `value`": padded(x, pads, int(value)),
        "x was written into the first channel only: write it into all of them": first_only,
        "the numbers changed their type to float64: keep the dtype of x": expected.astype(np.float64),
        "the numbers changed their type to float32: keep the dtype of x": expected.astype(np.float32),
    }


def reshape_mistakes(x: np.ndarray, shape: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, column by column."""
    channels, rows, cols = shape
    right = reshaped(x, shape, False)
    written_by_rows = flattened(x, False).reshape(shape)
    read_by_rows = reshaped(x.reshape(1, 1, -1), shape, False)
    if np.array_equal(written_by_rows, read_by_rows):
        mixed = {"x was read in one order and written in the other: do both column by column": read_by_rows}
    else:
        mixed = {
            "x was read column by column, but the result was written row by row": written_by_rows,
            "x was read row by row, but the result was written column by column": read_by_rows,
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


@task("flatten")
def one_to_24_row_by_row(student: Student, rng: np.random.Generator) -> None:
    """(2, 3, 4) filled with 1 to 24 flattens to 1, 2, 3, ... 24, with row_major=True and without it."""
    del rng
    expected = np.arange(1, 25, dtype=np.float32)
    expect(student.flatten(ONE_TO_24, True), expected, mistakes=flatten_mistakes(ONE_TO_24, True))
    mistakes = {"row_major is False when nobody says it: its default must be True": np.float32(BY_COLUMNS)}
    expect(student.flatten(ONE_TO_24), expected, what="the result without row_major", mistakes=mistakes)


@task("flatten")
def one_to_24_column_by_column(student: Student, rng: np.random.Generator) -> None:
    """(2, 3, 4) filled with 1 to 24 flattens to 1, 5, 9, 2, 6, 10, ... with row_major=False."""
    del rng
    expected = np.array(BY_COLUMNS, np.float32)
    expect(student.flatten(ONE_TO_24, False), expected, mistakes=flatten_mistakes(ONE_TO_24, False))


@task("flatten")
def random_numbers_in_both_orders(student: Student, rng: np.random.Generator) -> None:
    """Random numbers of random shape come out in the order of a slow loop, both ways, with the dtype of x."""
    x = rng.standard_normal(rng.integers(2, 6, 3)).astype(np.float32)
    for row_major in (True, False):
        got = student.flatten(x, row_major=row_major)
        expect(got, flattened(x, row_major), what=f"flatten of {x.shape}", mistakes=flatten_mistakes(x, row_major))


@task("padding")
def four_sides_of_their_own(student: Student, rng: np.random.Generator) -> None:
    """(3, 4, 5) with pads (1, 2, 3, 4) becomes (3, 7, 12), each side as wide as its own pad; value is 0 if not said."""
    del rng
    x, pads = np.arange(1, 61, dtype=np.float32).reshape(3, 4, 5), (1, 2, 3, 4)
    with likely({"into shape (4,4,5)": "the channels were padded too: pads has no entry for the first axis, leave it"}):
        got = student.padding(x, pads, 7.0)
    expect(got, padded(x, pads, 7.0), mistakes=padding_mistakes(x, pads, 7.0))
    mistakes = {"value is not 0 when nobody says it: its default must be 0": padded(x, pads, 1.0)}
    expect(student.padding(x, pads), padded(x, pads, 0.0), what="the result without value", mistakes=mistakes)


@task("padding")
def two_on_every_side(student: Student, rng: np.random.Generator) -> None:
    """Random (3, 4, 5) with pads (2, 2, 2, 2) and value 3.14 becomes (3, 8, 9) with a border of 3.14."""
    x, pads = rng.standard_normal((3, 4, 5)).astype(np.float32), (2, 2, 2, 2)
    expect(student.padding(x, pads, 3.14), padded(x, pads, 3.14), mistakes=padding_mistakes(x, pads, 3.14))


@task("padding")
def sides_without_a_border(student: Student, rng: np.random.Generator) -> None:
    """A pad of 0 adds nothing on its side, and whole numbers stay whole numbers."""
    x = rng.integers(-9, 10, (2, 3, 4))
    for pads in ((0, 0, 0, 0), (3, 0, 1, 2), (1, 2, 3, 0)):
        mistakes = padding_mistakes(x, pads, 5)
        causes = {
            "broadcast": "a slice that ends at -0 is empty: write up : up + rows instead of up : -bottom",
            "ValueError": "a pad of 0 was refused: raise ValueError only below 0",
        }
        with likely(causes):
            got = student.padding(x, list(pads), 5)
        expect(got, padded(x, pads, 5), what=f"pads {pads}", mistakes=mistakes)


@task("padding")
def negative_pads_are_refused(student: Student, rng: np.random.Generator) -> None:
    """A negative pad raises an error."""
    x = rng.standard_normal((2, 1, 1)).astype(np.float32)
    for pads in ((-1, 1, 0, 0), (0, -1, 0, 0), (0, 0, -1, 1), (1, 1, 1, -1)):
        cause = "not all of the four pads are checked one by one: raise ValueError if min(pads) < 0"
        expect_refused(cause, student.padding, x, pads, 0.0)


@task("reshape")
def two_by_five_to_five_by_two(student: Student, rng: np.random.Generator) -> None:
    """0 to 9 as (2, 5) become (5, 2): 0 1 / 2 3 / ... row by row, and 0 7 / 5 3 / 1 8 / 6 4 / 2 9 column by column."""
    del rng
    x = np.arange(10, dtype=np.float32).reshape(1, 2, 5)
    with likely({"unpack": "not all three sizes are given: put (1,) * (3 - len(shapes)) in front of shapes"}):
        got = student.reshape(x, (5, 2))
    mistakes = {
        "this is the column order: row_major is True when nobody says it": reshaped(x, (1, 5, 2), False),
        "x was read row by row and written column by column: with row_major=True write row by row, too": (
            reshaped(x.reshape(1, 1, -1), (1, 5, 2), False)
        ),
        "(5, 2) became (5, 2, 1): a size that is not given is 1 and stands in front": x.reshape(5, 2, 1),
        "the result has two axes: it always has three, here (1, 5, 2)": x.reshape(5, 2),
    }
    expect(got, x.reshape(1, 5, 2), mistakes=mistakes)
    expected = np.array([[[0, 7], [5, 3], [1, 8], [6, 4], [2, 9]]], np.float32)
    expect(student.reshape(x, (5, 2), False), expected, mistakes=reshape_mistakes(x, (1, 5, 2)))


@task("reshape")
def channels_stay_outermost(student: Student, rng: np.random.Generator) -> None:
    """(2, 3, 4) filled with 1 to 24 becomes (4, 3, 2), column by column with channel 0 = 1 2 / 5 6 / 9 10."""
    del rng
    got = student.reshape(ONE_TO_24, (4, 3, 2), row_major=False)
    expected = reshaped(ONE_TO_24, (4, 3, 2), False)
    assert expected[0].tolist() == [[1, 2], [5, 6], [9, 10]]
    expect(got, expected, mistakes=reshape_mistakes(ONE_TO_24, (4, 3, 2)))


@task("reshape")
def there_and_back(student: Student, rng: np.random.Generator) -> None:
    """Shapes of one, two and three sizes give three axes, in both orders, and a second reshape restores x."""
    a, b, c = (int(n) for n in rng.integers(2, 5, 3))
    x = rng.standard_normal((a, b, c)).astype(np.float32)
    for shapes in ((a * b * c,), (c, a * b), (b, c, a)):
        full = (1,) * (3 - len(shapes)) + shapes
        for row_major in (True, False):
            got = student.reshape(x, shapes, row_major)
            mistakes = {} if row_major else reshape_mistakes(x, full)
            what = f"reshape of {x.shape} to {shapes}, row_major={row_major}"
            expect(got, reshaped(x, full, row_major), what=what, mistakes=mistakes)
            expect(student.reshape(got, x.shape, row_major), x, what=f"{what}, and back")


@task("reshape")
def another_number_of_elements_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A shape with more or fewer elements than x raises an error."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for shapes in ((5, 5), (23,), (2, 3, 2), (4, 3, 2, 1)):
        for row_major in (True, False):
            cause = (
                "the elements were not counted: raise ValueError unless C' * H' * W' == x.size, neither more nor less"
            )
            expect_refused(cause, student.reshape, x, shapes, row_major)
