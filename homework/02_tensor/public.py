"""Public tests of lesson 2: what flatten, padding and reshape must do, on the lesson's numbers and on random ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

ONE_TO_24 = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
FEWER_SIZES = {
    "unpack": "not all three sizes are given: as many 1s as are missing stand in front of them",
    "concatenate": "shapes may be a list, too: make a tuple of it before you put another one in front",
}
FLOAT_INTO_INTEGERS = (
    "numpy adds no float to whole numbers in place: np.full(shape, value, x.dtype), or padded[...] = value, converts it"
)
ORDER = {
    "order must be": "numpy's flatten, ravel and reshape take a letter as `order`, and row_major is True or False: "
    "decide with `if row_major:`"
}
LAYOUT = {"AttributeError": "a transposed array cannot take another shape in place: make a new one with reshape"}
PER_CHANNEL = {
    "array of size 12": "each channel was given its new shape by itself, and has 12 numbers: put all of them in one "
    "line first, which is then cut into the new channels"
}
FALSE_BY_IDENTITY = "0 is false, and is not the object False: write `if row_major:`"
TRUE_BY_IDENTITY = "1 is true, and is not the object True: write `if row_major:`"
MIXED = np.float32([[[0, 5], [1, 6], [2, 7], [3, 8], [4, 9]]])  # (2, 5) read by columns, and written by rows
WRITTEN_INTO = (
    "{0} was written into, and the caller may still need it: {0}[...] = and {0} += change the caller's numbers. Write "
    "into an array of your own, such as {0}.copy()"
)
RESHAPED_IN_PLACE = (
    "{0}.shape = ... and {0}.resize(...) change the caller's array: {0}.reshape(...) leaves it as it was"
)
LIST_CHANGED = "insert, append and pop change the caller's list: put the ones in front of a list or tuple of your own"
SIZES_BY_HEART = "a block need not be (2, 3, 4): take the three sizes from x.shape"
ONE_CHANNEL = (
    "a single channel has rows and columns, too. np.squeeze takes its axis away, and a loop over the channels then "
    "goes over rows; a short cut for one channel needs both orders"
)
SQUEEZED = {
    "AxisError": ONE_CHANNEL,
    "axes don't match array": ONE_CHANNEL,
    "not enough values to unpack": ONE_CHANNEL,
    "too many indices": ONE_CHANNEL,
    "zero-dimensional": "nothing is left of the axes of (1, 1, 1) after np.squeeze: reshape(-1) leaves one",
}
SIZES = {"out of bounds": SIZES_BY_HEART, "cannot reshape": SIZES_BY_HEART}
ONE_SIZE = dict.fromkeys(
    ("unpack", "index", "axes", "AxisError", "broadcast"),
    "np.squeeze takes away every axis of 1: x has three axes, also where some of them are 1",
)
OF_THE_COLUMNS = (
    "numpy lines up shapes from the right, so `value` of (C,) meets the columns: which shape of it meets the channels?"
)
LARGE = np.int64([[[2**60 + 1, 2**60 + 2], [-(2**60) - 3, 4]]])  # a float64 has no room for these digits
BY_COLUMNS = [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12, 13, 17, 21, 14, 18, 22, 15, 19, 23, 16, 20, 24]


def expect_unchanged(got: Any, x: np.ndarray, call: str, name: str = "x") -> None:
    """Raise Failure unless the caller's array is as it was."""
    try:
        expect(got, x, what=f"{name} after {call}")
    except Failure as failure:
        reshaped = isinstance(got, np.ndarray) and got.shape != x.shape
        failure.cause = (RESHAPED_IN_PLACE if reshaped else WRITTEN_INTO).format(name)
        raise


@task("flatten", "rows", "one_axis")
def one_to_24_row_by_row(student: Student, oracle: Any) -> None:
    """(2, 3, 4) filled with 1 to 24 flattens to 1, 2, 3, ... 24 with row_major=True, and with 1."""
    expected = np.arange(1, 25, dtype=np.float32)
    with likely(ORDER):
        got = student.flatten(ONE_TO_24, True)
    expect(got, expected, mistakes=oracle.flatten_mistakes(ONE_TO_24, True))
    by_identity = {TRUE_BY_IDENTITY: np.float32(BY_COLUMNS)}
    for true in (1, np.True_):
        got = student.flatten(ONE_TO_24, true)
        expect(got, expected, what=f"flatten with row_major={true}", mistakes=by_identity)


@task("flatten", "default", "rows", "one_axis")
def rows_come_first_when_nothing_is_said(student: Student) -> None:
    """(2, 3, 4) filled with 1 to 24 flattens to 1, 2, 3, ... 24 without row_major, too."""
    mistakes = {"row_major is False when nobody says it: its default must be True": np.float32(BY_COLUMNS)}
    expect(student.flatten(ONE_TO_24), np.arange(1, 25, dtype=np.float32), mistakes=mistakes)


@task("flatten", "columns", "one_axis")
def one_to_24_column_by_column(student: Student, oracle: Any) -> None:
    """(2, 3, 4) filled with 1 to 24 flattens to 1, 5, 9, 2, 6, 10, ... with row_major=False, and with 0."""
    expected, mistakes = np.array(BY_COLUMNS, np.float32), oracle.flatten_mistakes(ONE_TO_24, False)
    place = "a column has H numbers, so the next one begins H places further"
    exchanged = "rows and columns are exchanged: there are H rows and W columns, and in x[c, r, k] the row stands first"
    in_place = (
        "the transpose of (3, 4) is (4, 3), which does not fit into x, and x is to stay as it was: give the "
        "transpose a name of its own"
    )
    causes = {
        "from shape (4,3) into shape (3,4)": in_place,
        "size 24": place,
        "list assignment": place,
        "with size 3": exchanged,
        "with size 4": exchanged,
    }
    with likely(causes):
        got = student.flatten(ONE_TO_24, False)
    expect(got, expected, mistakes=mistakes)
    by_identity = {FALSE_BY_IDENTITY: ONE_TO_24.reshape(-1)}
    for false in (0, np.False_):
        got = student.flatten(ONE_TO_24, false)
        expect(got, expected, what=f"flatten with row_major={false}", mistakes=by_identity)


@task("flatten", "rows", "one_axis")
def random_numbers_row_by_row(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random numbers of random shape come out row by row with row_major=True, from a transposed block too."""
    x = rng.standard_normal(rng.integers(2, 6, 3)).astype(np.float32)
    with likely(SIZES):
        got = student.flatten(x, row_major=True)
    mistakes = oracle.flatten_mistakes(x, True)
    expect(got, oracle.flattened(x, True), what=f"flatten of {x.shape}", mistakes=mistakes)
    with likely(LAYOUT):
        got = student.flatten(x.T, row_major=True)
    mistakes = oracle.layout_mistakes(x.T, True)
    expect(got, oracle.flattened(x.T, True), what=f"flatten of block.T, {x.T.shape}", mistakes=mistakes)


@task("flatten", "columns", "one_axis")
def random_numbers_column_by_column(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random numbers of random shape come out column by column with row_major=False, from a transposed block too."""
    x = rng.standard_normal(rng.integers(2, 6, 3)).astype(np.float32)
    with likely(SIZES):
        got = student.flatten(x, row_major=False)
    mistakes = oracle.flatten_mistakes(x, False)
    expect(got, oracle.flattened(x, False), what=f"flatten of {x.shape}", mistakes=mistakes)
    with likely(LAYOUT):
        got = student.flatten(x.T, row_major=False)
    mistakes = oracle.layout_mistakes(x.T, False)
    expect(got, oracle.flattened(x.T, False), what=f"flatten of block.T, {x.T.shape}", mistakes=mistakes)


@task("flatten", "rows", "columns", "one_axis")
def sizes_of_one(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Blocks of one channel, one row or one column, or of all three, come out in both orders."""
    for shape in ((1, 3, 4), (3, 1, 4), (4, 3, 1), (1, 1, 1)):
        x = rng.standard_normal(shape).astype(np.float32)
        for row_major in (True, False):
            with likely(SQUEEZED):
                got = student.flatten(x, row_major)
            what = f"flatten of {shape}, row_major={row_major}"
            expect(got, oracle.flattened(x, row_major), what=what, mistakes=oracle.one_mistakes(x, row_major))


@task("flatten", "dtype", "rows", "columns", "one_axis")
def whole_numbers_stay_whole_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """int16, float64 and large int64 come out with dtype and digits, row by row and column by column."""
    for dtype in (np.int16, np.float64):
        x = rng.integers(-9, 10, (2, 3, 4)).astype(dtype)
        for row_major in (True, False):
            what = f"flatten of {x.dtype}, row_major={row_major}"
            mistakes = oracle.dtype_mistakes(x, row_major)
            expect(student.flatten(x, row_major), oracle.flattened(x, row_major), what=what, mistakes=mistakes)
    for row_major in (True, False):
        mistakes = oracle.dtype_mistakes(LARGE, row_major)
        what = f"flatten of large int64, row_major={row_major}"
        expect(student.flatten(LARGE, row_major), oracle.flattened(LARGE, row_major), what=what, mistakes=mistakes)


@task("flatten", "argument")
def x_is_as_it_was_after_flatten(student: Student, rng: np.random.Generator) -> None:
    """x has the same shape and numbers after flatten as before, in both orders."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for row_major in (True, False):
        expect_unchanged(student.afterwards("flatten", x, row_major)[0], x, f"flatten with row_major={row_major}")


@task("padding", "sides", "value", "channels")
def four_sides_of_their_own(student: Student, oracle: Any) -> None:
    """(3, 4, 5) with pads (1, 3, 2, 5) becomes (3, 8, 12), each side as wide as its own pad."""
    x, pads = np.arange(1, 61, dtype=np.float32).reshape(3, 4, 5), (1, 3, 2, 5)
    one_number = "`value` is a plain number here, and elsewhere an array (C,): what you do with it must suit both"
    no_channels = "the result has no axis for the channels: it has three, (C, up + H + bottom, left + W + right)"
    sizes = "the sizes were taken from x.shape in another order: it is (channels, rows, cols)"
    causes = {
        "remapped": "np.pad wants a pair for every axis: (0, 0) for the channels, then (up, bottom) and (left, right)",
        "into shape (2,5,12)": "the first slice is for the channels here, which come before the rows: x goes into all "
        "of them",
        "into shape (5,3,4)": sizes,
        "into shape (3,5,4)": sizes,
        "into shape (4,4,5)": "the channels were padded too: pads has no entry for the first axis, leave it",
        "into shape (4,5)": no_channels,
        "array is 2-dimensional": no_channels,
        "from shape (3,)": "this is about the border, not x: numpy lines up a `value` of shape (C,) with the columns",
        "not subscriptable": one_number,
        "'float' object has no attribute": one_number,
        "cannot reshape": one_number,
        "has no len": one_number,
        "array is 0-dimensional": one_number,
        "between instances of 'tuple'": "pads is not one number but four, and each of them may be below 0: "
        "look at the smallest",
        "could not broadcast input array": "the place for x is not as large as x: it has H rows, from `up` on, and W "
        "columns, from `left` on; or the result is too small: it has up + H + bottom rows and left + W + right columns",
    }
    with likely(causes):
        got = student.padding(x, pads, -7.0)  # a number that x does not have
    expect(got, oracle.padded(x, pads, -7.0), mistakes=oracle.padding_mistakes(x, pads, -7.0))


@task("padding", "default", "sides", "channels")
def a_border_of_zeros_when_nothing_is_said(student: Student, oracle: Any) -> None:
    """(3, 4, 5) with pads (1, 2, 3, 4) and no value has a border of 0."""
    x, pads = np.arange(1, 61, dtype=np.float32).reshape(3, 4, 5), (1, 2, 3, 4)
    got = student.padding(x, pads)
    expect(got, oracle.padded(x, pads, 0.0), mistakes=oracle.default_mistakes(x, pads))


@task("padding", "value", "channels")
def two_on_every_side(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random (3, 4, 5) with pads (2, 2, 2, 2) and value 3.14 becomes (3, 8, 9) with a frame of 3.14, -2.5 or -inf."""
    x, pads = rng.standard_normal((3, 4, 5)).astype(np.float32), (2, 2, 2, 2)
    for value in (3.14, -2.5, -np.inf):
        mistakes = oracle.padding_mistakes(x, pads, value)
        expect(student.padding(x, pads, value), oracle.padded(x, pads, value), what=f"value {value}", mistakes=mistakes)


@task("padding", "sides", "value", "channels")
def one_channel_row_or_column(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Blocks of one channel, one row or one column, or of all three, get a border as wide as any other."""
    pads = (1, 3, 2, 5)
    for shape in ((1, 3, 4), (2, 1, 4), (2, 3, 1), (1, 1, 1)):
        x = rng.standard_normal(shape).astype(np.float32)
        with likely(ONE_SIZE):
            got = student.padding(x, pads, 7.0)
        mistakes = oracle.padding_mistakes(x, pads, 7.0)
        expect(got, oracle.padded(x, pads, 7.0), what=f"padding of {shape}", mistakes=mistakes)


@task("padding", "zero", "sides", "value", "channels")
def sides_without_a_border(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A pad of 0 adds nothing on its side."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for pads in ((0, 0, 0, 0), (3, 0, 1, 2), (1, 2, 3, 0)):
        causes = {
            "broadcast": "where `bottom` is 0, -bottom is 0, too, and a slice that ends there is empty: count its "
            "end from the beginning",
            "ValueError": "a pad of 0 was refused: raise ValueError only below 0",
        }
        with likely(causes):
            got = student.padding(x, list(pads), 5.0)
        mistakes = oracle.zero_mistakes(x, pads, 5.0)
        expect(got, oracle.padded(x, pads, 5.0), what=f"pads {pads}", mistakes=mistakes)


@task("padding", "dtype", "sides", "value", "channels")
def the_dtype_of_x_is_kept(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Integers, large and small, and float64 keep dtype and digits, of whatever size and type `value` is."""
    plain = "`value` may be an int, too: np.ndim(value) is 0 for every plain number"
    of_numpy = "`value` may be one of numpy's numbers, which is no float and no int: np.ndim(value) is 0 for it, too"
    for dtype, low, value in (
        (np.int64, 0, 5.0),
        (np.uint8, 240, 5.0),
        (np.float64, -9, 5),
        (np.float32, -9, 5),
        (np.int64, 2**60, 5.0),
        (np.int64, 2**60, 2**60 + 1),
        (np.float32, -9, np.float32(5)),
        (np.float64, -9, np.int64(5)),
    ):
        x = rng.integers(low, low + 10, (2, 3, 4)).astype(dtype)
        x[1, 1, 1] = low  # a 0 inside is no border
        with likely(
            {
                "not subscriptable": plain,
                "'int' object has no attribute": plain,
                "'int' has no len": plain,
                "invalid index to scalar": of_numpy,
                "too many indices": of_numpy,
                "has no len": of_numpy,
                "not iterable": of_numpy,
                "object of type 'numpy": of_numpy,
                "Cannot cast ufunc": FLOAT_INTO_INTEGERS,
            }
        ):
            got = student.padding(x, (1, 2, 3, 1), value)
        mistakes = oracle.padding_mistakes(x, (1, 2, 3, 1), value)
        expect(got, oracle.padded(x, (1, 2, 3, 1), value), what=f"padding of {x.dtype}", mistakes=mistakes)


@task("padding", "each", "zero", "sides", "value", "channels", "dtype")
def a_value_for_each_channel(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With an array of C values of any type, channel c has a border of number c, also where C is 1, H, W, H' or W'."""
    causes = {
        "requested shape (3,2)": "np.pad takes no value for each channel: make the result with np.full, or go channel "
        "by channel",
        "from shape (1,": "`value` is lined up with another axis: the channels come first, so which axes follow?",
        "broadcast": OF_THE_COLUMNS,
        "0-dimensional": "`value` may be an array of C numbers: float(value) and int(value) take one number only",
        "length-1": "`value` may be an array of C numbers: float(value) and int(value) take one number only",
        "ambiguous": "`value` may be an array of C numbers, of which `if value ...` asks for one answer",
        "reshape array": "`value` is a plain number, or has C numbers, and C varies: which sizes fit both?",
        "IndexError": "an array of C values has one axis, so one index is all that it takes; None makes a new axis",
    }
    for shape, pads, dtype, value in (
        ((2, 3, 4), (1, 2, 1, 3), np.float32, np.float32([7, -2])),
        ((3, 4, 5), (1, 2, 3, 4), np.float32, np.float32([7, -2, -np.inf])),
        ((3, 1, 1), (1, 1, 1, 1), np.float32, np.float32([7, -2, 4])),
        ((3, 3, 3), (1, 1, 2, 1), np.float32, np.array([7, -2, 4])),
        ((1, 3, 4), (1, 0, 2, 0), np.float32, np.array([7.0])),
        ((2, 3, 4), (1, 0, 0, 2), np.int16, np.array([7.0, -2.0])),
        ((2, 3, 4), (1, 2, 1, 3), np.int64, np.array([2**60 + 1, -(2**60) - 3])),
    ):
        x = (9 * rng.standard_normal(shape)).astype(dtype)
        x[0, 0, 0] = 0  # inside, and no border
        with likely(causes):
            got = student.padding(x, pads, value)
        mistakes = oracle.each_mistakes(x, pads, value)
        what = f"{x.dtype} {shape}, value {value.dtype} {value.tolist()}"
        expect(got, oracle.padded(x, pads, value), what=what, mistakes=mistakes)


@task("padding", "negative")
def negative_pads_are_refused(student: Student, rng: np.random.Generator) -> None:
    """A negative pad raises ValueError, on whichever side it stands."""
    x = rng.standard_normal((2, 1, 1)).astype(np.float32)
    for pads in ((-1, 1, 0, 0), (0, -1, 0, 0), (0, 0, -1, 1), (1, 1, 1, -1)):
        cause = (
            "a pad below 0 went through: look at each of the four and raise ValueError; print and return refuse nothing"
        )
        expect_refused(student.padding, x, pads, 0.0, cause=cause)


@task("padding", "argument")
def x_is_as_it_was_after_padding(student: Student, rng: np.random.Generator) -> None:
    """x and `value` have the same shape and numbers after padding, with one value and with one for each channel."""
    x = rng.standard_normal((1, 3, 4)).astype(np.float32)
    for value in (7.0, np.float32([7])):
        after, _, value_after = student.afterwards("padding", x, (1, 2, 3, 2), value)
        expect_unchanged(after, x, f"padding with value={value}")
        if isinstance(value, np.ndarray):
            expect_unchanged(value_after, value, f"padding with value={value}", "value")


WRONG_FLATTEN = (
    "your flatten reads x in a wrong order, and reshape does the same: mend it first (python3 course.py check "
    "flatten), then look at reshape again"
)


@contextmanager
def blamed_on_flatten(student: Student, x: np.ndarray, row_major: bool, got: Any, places: np.ndarray) -> Iterator[None]:
    """Say that flatten is wrong where `got` is what reshape gives with the student's flatten, and all else right.

    places : which number of the line stands where in the right result.
    """
    try:
        yield
    except Failure as failure:
        line = None
        with student.aside(), suppress(SubmissionError):  # what it raises, flatten's own check tells
            line = student.flatten(x, row_major)
        if isinstance(line, np.ndarray) and line.shape == (x.size,) and np.array_equal(got, line[places]):
            failure.cause = WRONG_FLATTEN
        raise


@task("reshape", "rows", "default", "axes")
def two_by_five_to_five_by_two(student: Student, oracle: Any) -> None:
    """0 to 9 as (2, 5) become (5, 2): 0 1 / 2 3 / 4 5 / 6 7 / 8 9, row by row when nothing is said."""
    x = np.arange(10, dtype=np.float32).reshape(1, 2, 5)
    with likely(FEWER_SIZES):
        got = student.reshape(x, (5, 2))
    with blamed_on_flatten(student, x, True, got, oracle.places((1, 5, 2), True)):
        expect(got, x.reshape(1, 5, 2), mistakes=oracle.rows_mistakes(x, (1, 5, 2)))
    by_identity = {
        TRUE_BY_IDENTITY: np.float32([[[0, 7], [5, 3], [1, 8], [6, 4], [2, 9]]]),
        f"x was read in one order and written in the other: {TRUE_BY_IDENTITY}": MIXED,
    }
    for true in (1, np.True_):
        got = student.reshape(x, (1, 5, 2), true)
        expect(got, x.reshape(1, 5, 2), what=f"reshape with row_major={true}", mistakes=by_identity)


@task("reshape", "columns")
def five_columns_to_two(student: Student, oracle: Any) -> None:
    """0 to 9 as (2, 5) become 0 7 / 5 3 / 1 8 / 6 4 / 2 9, column by column, with row_major=False and with 0."""
    x = np.arange(10, dtype=np.float32).reshape(1, 2, 5)
    expected = np.array([[[0, 7], [5, 3], [1, 8], [6, 4], [2, 9]]], np.float32)
    got = student.reshape(x, (1, 5, 2), False)
    with blamed_on_flatten(student, x, False, got, oracle.places((1, 5, 2), False)):
        expect(got, expected, mistakes=oracle.columns_mistakes(x, (1, 5, 2)))
    by_identity = {
        FALSE_BY_IDENTITY: x.reshape(1, 5, 2),
        f"x was read in one order and written in the other: {FALSE_BY_IDENTITY}": MIXED,
    }
    for false in (0, np.False_):
        got = student.reshape(x, (1, 5, 2), false)
        expect(got, expected, what=f"reshape with row_major={false}", mistakes=by_identity)


@task("reshape", "columns")
def channels_stay_outermost(student: Student, oracle: Any) -> None:
    """(2, 3, 4) filled with 1 to 24 becomes (4, 3, 2), column by column with channel 0 = 1 2 / 5 6 / 9 10."""
    with likely(PER_CHANNEL):
        got = student.reshape(ONE_TO_24, (4, 3, 2), row_major=False)
    expected = [
        [[1, 2], [5, 6], [9, 10]],
        [[3, 4], [7, 8], [11, 12]],
        [[13, 14], [17, 18], [21, 22]],
        [[15, 16], [19, 20], [23, 24]],
    ]
    with blamed_on_flatten(student, ONE_TO_24, False, got, oracle.places((4, 3, 2), False)):
        expect(got, np.float32(expected), mistakes=oracle.columns_mistakes(ONE_TO_24, (4, 3, 2)))


@task("reshape", "rows", "columns")
def one_channel_becomes_two(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One channel becomes two, and (1, 1, 1) stays, in both orders."""
    for shape, new in (((1, 4, 6), (2, 3, 4)), ((2, 1, 12), (3, 8, 1)), ((1, 1, 1), (1, 1, 1))):
        x = rng.standard_normal(shape).astype(np.float32)
        for row_major in (True, False):
            with likely(SQUEEZED | PER_CHANNEL):
                got = student.reshape(x, new, row_major)
            what = f"reshape of {shape} to {new}, row_major={row_major}"
            mistakes = {} if row_major else oracle.one_mistakes(x, new)
            with blamed_on_flatten(student, x, row_major, got, oracle.places(new, row_major)):
                expect(got, oracle.reshaped(x, new, row_major), what=what, mistakes=mistakes)


@task("reshape", "rows", "columns")
def there_and_back(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random numbers take a new shape in both orders, and a second reshape restores x, a transposed one too."""
    a, b, c = (int(n) for n in rng.integers(2, 5, 3))
    x = rng.standard_normal((a, b, c)).astype(np.float32)
    turned = rng.standard_normal((4, 3, 2)).astype(np.float32).T
    for row_major in (True, False):
        with likely(LAYOUT | PER_CHANNEL):
            got = student.reshape(turned, (4, 2, 3), row_major)
        expected, mistakes = oracle.reshaped(turned, (4, 2, 3), row_major), oracle.layout_mistakes(turned, (4, 2, 3))
        expect(got, expected, what=f"reshape of block.T, {row_major=}", mistakes=mistakes)
        got = student.reshape(x, (b, c, a), row_major)
        mistakes = {} if row_major else oracle.columns_mistakes(x, (b, c, a))
        what = f"reshape of {x.shape} to {(b, c, a)}, row_major={row_major}"
        expect(got, oracle.reshaped(x, (b, c, a), row_major), what=what, mistakes=mistakes)
        expect(student.reshape(got, x.shape, row_major), x, what=f"{what}, and back")


@task("reshape", "axes", "rows", "columns")
def three_axes_whatever_is_asked(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Shapes of one and two sizes, in a tuple or a list, give three axes: missing ones are 1 and stand in front."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for shapes, full in (((24,), (1, 1, 24)), ([4, 6], (1, 4, 6))):
        for row_major in (True, False):
            with likely(FEWER_SIZES):
                got = student.reshape(x, shapes, row_major)
            what = f"reshape of {x.shape} to {shapes}, row_major={row_major}"
            mistakes = oracle.rows_mistakes(x, full) if row_major else oracle.columns_mistakes(x, full)
            with blamed_on_flatten(student, x, row_major, got, oracle.places(full, row_major)):
                expect(got, oracle.reshaped(x, full, row_major), what=what, mistakes=mistakes)


@task("reshape", "dtype", "rows", "columns")
def another_dtype_is_kept(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """int64 and float64 keep dtype and digits, row by row and column by column."""
    for dtype in (np.int64, np.float64):
        x = rng.integers(-9, 10, (2, 3, 4)).astype(dtype)
        for row_major in (True, False):
            what = f"reshape of {x.dtype}, row_major={row_major}"
            mistakes = oracle.dtype_mistakes(x, (4, 3, 2), row_major)
            got = student.reshape(x, (4, 3, 2), row_major)
            expect(got, oracle.reshaped(x, (4, 3, 2), row_major), what=what, mistakes=mistakes)
    for row_major in (True, False):
        got, mistakes = student.reshape(LARGE, (2, 1, 2), row_major), oracle.dtype_mistakes(LARGE, (2, 1, 2), row_major)
        what = f"reshape of large int64, row_major={row_major}"
        expect(got, oracle.reshaped(LARGE, (2, 1, 2), row_major), what=what, mistakes=mistakes)


@task("reshape", "count")
def another_number_of_elements_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A shape with more or fewer elements than x raises ValueError, and so does one with a negative size, -1 or not."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    cause = (
        "a shape of another size went through: raise ValueError unless it holds as many numbers as x, neither more nor "
        "less; print and return refuse nothing"
    )
    minus = (
        "numpy takes any negative size for the one that is missing: raise ValueError if a size is below 0, -1 or not"
    )
    negative = ((4, -1), (-1,), (-4, -6), (-2, 3, 2), (3, -2), (-3,), (-2, -3, 4), (2, -3, -4), (-2, 3, -4), (-1, -24))
    two = "two minus signs make the right product, and yet no shape: raise ValueError if any size is below 0"
    for shapes in ((5, 5), (23,), (2, 3, 2), *negative):
        likely_cause = cause if min(shapes) > 0 else two if np.prod(shapes) == x.size else minus
        for row_major in (True, False):
            expect_refused(student.reshape, x, shapes, row_major, cause=likely_cause)


@task("reshape", "argument")
def x_is_as_it_was_after_reshape(student: Student, rng: np.random.Generator) -> None:
    """x has the same shape and numbers after reshape, in both orders, and a list of sizes is as it was."""
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for row_major in (True, False):
        got, shapes, _ = student.afterwards("reshape", x, [4, 6], row_major)
        try:
            expect_unchanged(got, x, f"reshape with row_major={row_major}")
        except Failure as failure:
            with student.aside(), suppress(SubmissionError):  # what it raises, flatten's own check tells
                if not np.array_equal(student.afterwards("flatten", x, row_major)[0], x):
                    failure.cause = "your flatten changes x: mend it first (python3 course.py check flatten)"
            raise
        try:
            expect(shapes, [4, 6], what=f"shapes after reshape with row_major={row_major}")
        except Failure as failure:
            failure.cause = LIST_CHANGED
            raise
