"""Public tests of lesson 15: weights in 8 bits, products of whole numbers, a tensor of a file, a model's next token, a
chosen block.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

# --- quantize


def drawn(rng: np.random.Generator, rows: int, columns: int, block: int) -> np.ndarray:
    """(R, C) float32 weights that are far from halves of their scales, and as far apart in size as rows and blocks are.

    Each block has its largest magnitude, with either sign, at some place.
    """
    shape = rows, columns // block, block
    parts = rng.integers(-126, 127, shape) + rng.uniform(-0.4, 0.4, shape)
    place = rng.integers(0, block, shape[:2])
    np.put_along_axis(parts, place[..., None], rng.choice([-127.0, 127.0], (*shape[:2], 1)), axis=2)
    scale = np.exp(rng.uniform(-7, 2, (*shape[:2], 1)))
    return (parts * scale).astype(np.float32).reshape(rows, columns)


TINY = (
    "tiny weights have tiny scales: add nothing to a scale, and raise none to a least one; only where the scale is "
    "exactly 0 divide by something else"
)
NO_BLOCK = "block is None where the whole row shares a scale: it is as long as the row then"


SPREAD = (
    "more numbers came than the weight has: scales (R, blocks) line up with the wrong axes of (R, blocks, block), so "
    "give the scales an axis of 1 at their end"
)
ZEROS = (
    "a block of zeros has the scale 0, and 0 / 0 is NaN; what a cast to int8 makes of NaN is chance. Where the scale "
    'is 0, divide by something else, and return the 0 (section "A scale")'
)
REFUSED_RIGHT = (
    "if it is your own `raise`: nothing is wrong with this weight, and blocks of {block} divide a row of {columns}. A "
    "block divides where C % block is 0, not block % C"
)
LENGTH_NOT_COUNT = "`block` is how long a block is, not how many blocks a row has: a row has C / block of them"


def expect_unchanged(name: str, got: Any, given: Any, cause: str) -> None:
    """Raise Failure unless what was passed is after the call as it was before."""
    try:
        expect(got, given, what=f"{name} after the call")
    except Failure as failure:
        failure.cause = cause
        raise


def expect_quantized(
    student: Student, oracle: Any, weight: np.ndarray, block: int | None, what: str, *, no_nan: bool = False
) -> None:
    """Raise Failure unless quantize gives values and scales of the weight.

    no_nan : and casts no NaN.
    """
    rows, columns = weight.shape
    size = block or columns
    causes = {f"cannot reshape array of size {rows * size} into": LENGTH_NOT_COUNT} if size**2 != columns else {}
    causes |= {
        "could not be broadcast": "the largest magnitudes lost an axis: axis=..., keepdims=True keeps it, as size 1",
        f"into shape ({rows},{columns})": SPREAD,
        "ZeroDivisionError": "a block of zeros has the scale 0: divide by something else there",
        "encountered in cast": ZEROS,
        "NoneType": NO_BLOCK,
        "ValueError": REFUSED_RIGHT.format(block=size, columns=columns),
    }
    quantize = student.quantize_without_nan if no_nan else student.quantize
    with likely(causes):
        got = quantize(weight) if block is None else quantize(weight, block)
    expected, mistakes = oracle.quantized(weight, block), oracle.quantize_mistakes(weight, block)
    expect(got, expected, rtol=1e-6, what=what, names=("values", "scale"), mistakes=mistakes)


@task("quantize", "nearest", "scale", "dtype", section="A scale")
def the_numbers_of_the_lesson(student: Student, oracle: Any) -> None:
    """With 127, -50.2, 0.7 and -0.7 in a row the scale is 1 and the values are 127, -50, 1 and -1; half of it, 0.5."""
    weight = np.array([[127.0, -50.2, 0.7, -0.7]], np.float32)
    expect_quantized(student, oracle, weight, None, "the result for [[127, -50.2, 0.7, -0.7]]")
    expect_quantized(student, oracle, weight / 2, None, "the result for [[63.5, -25.1, 0.35, -0.35]]")


@task("quantize", "scale", "nearest", "dtype", section="A scale")
def a_scale_for_each_row(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random weights with a scale for each row, which the largest magnitude decides, also where that is negative."""
    for rows, columns in ((3, 8), (5, 5), (4, 33)):
        weight = drawn(rng, rows, columns, columns)
        expect_quantized(student, oracle, weight, None, f"the result for a weight ({rows}, {columns})")
    largest = np.take_along_axis(weight, np.abs(weight).argmax(axis=1)[:, None], axis=1)
    expect_quantized(student, oracle, -np.sign(largest) * weight, None, "the result where the largest is negative")


@task("quantize", "blocks", "scale", "nearest", "dtype")
def a_scale_for_each_block(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random weights with a scale for each 4, 2 or 1 numbers of a row, or for as many as the row has."""
    for rows, columns, block in ((2, 8, 4), (3, 12, 2), (2, 3, 1), (2, 6, 6)):
        weight = drawn(rng, rows, columns, block)
        expect_quantized(student, oracle, weight, block, f"the result for a weight ({rows}, {columns}), blocks {block}")


@task("quantize", "zeros", "dtype", "blocks", "scale", "nearest", section="A scale")
def blocks_of_zeros(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Zeros in a row, a block or all of the weight have the scale 0 and the values 0, and no NaN is cast.

    Others, even tiny ones, are as always.
    """
    try:
        expect_quantized(student, oracle, np.zeros((2, 4), np.float32), None, "the result for zeros", no_nan=True)
    except Failure as failure:
        failure.cause = failure.cause or "a row of zeros has the scale 0, exactly, and the values 0"
        raise
    weight = drawn(rng, 3, 8, 4)
    weight[0, :4], weight[1] = 0, 0
    expect_quantized(student, oracle, weight, 4, "the result for a weight (3, 8) with zeros, blocks 4", no_nan=True)
    try:
        expect_quantized(student, oracle, weight * np.float32(1e-12), 4, "the result for that weight times 1e-12")
    except Failure as failure:
        failure.cause = TINY  # the same weight was right before it became tiny
        raise


@task("quantize", "argument")
def the_weight_stays_as_it_was(student: Student, rng: np.random.Generator) -> None:
    """The weight is after the call what it was before, with blocks and without."""
    cause = (
        "the weight was changed in place. A reshape of it shares its numbers, so `parts /= ...` and out=parts write "
        "into the weight: make a new array, `parts / ...`"
    )
    for block in (None, 4):
        weight = drawn(rng, 2, 8, block or 8)
        expect_unchanged("weight", student.weight_afterwards(weight, block), weight, cause)


@task("quantize", "refused")
def a_block_that_does_not_fit(student: Student) -> None:
    """A block that is below 1 or does not divide the numbers of a row raises ValueError."""
    slips = {
        "ZeroDivisionError": "a block of 0 numbers means nothing: look at it before you divide by it",
        "IndexError": "an index ran past the last whole block: compare block and C before you cut the row, and raise "
        "ValueError (if the IndexError is your own `raise`: ValueError is asked for)",
    }
    for block, columns in ((3, 4), (8, 4), (5, 8), (0, 4), (-2, 4)):
        cause = f"a row of {columns} has no whole number of blocks of {block}: compare, and raise ValueError"
        if not block:
            cause = "a block of 0 numbers means nothing: raise ValueError. `block or C` takes 0 for None: ask `is None`"
        expect_refused(student.quantize, np.ones((2, columns), np.float32), block, cause=cause, instead=slips)


@task("quantize", "refused", section="A scale")
def numbers_that_have_no_scale(student: Student, rng: np.random.Generator) -> None:
    """NaN and infinity anywhere in the weight raise ValueError."""
    for bad in (np.nan, np.inf, -np.inf):
        weight = rng.standard_normal((3, 4), np.float32)
        weight[2, 1] = bad
        cause = f"{bad} has no nearest whole number, and makes the scale {bad}, too: np.isfinite tells"
        expect_refused(student.quantize, weight, cause=cause)


# --- dequantize


def stored(rng: np.random.Generator, rows: int, columns: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Values (R, C) int8 and scales (R, B) float32."""
    values = rng.integers(-127, 128, (rows, columns)).astype(np.int8)
    return values, np.exp(rng.uniform(-6, 2, (rows, blocks))).astype(np.float32)


def expect_dequantized(student: Student, oracle: Any, values: np.ndarray, scale: np.ndarray, what: str) -> None:
    """Raise Failure unless dequantize gives what values and scales stand for."""
    (rows, columns), blocks = values.shape, scale.shape[1]
    one_row, down = f"({values.size},)", f"({rows * columns // blocks},{blocks})"
    causes = {
        one_row: "np.repeat without an axis makes one long row of all scales: axis=1 repeats along each row",
        down: "np.repeat with axis=0 repeats rows: axis=1 repeats each scale along its row",
        "could not be broadcast": "each scale belongs to C / B neighbours: repeat it so often, or give the values an "
        "axis of blocks",
        "cannot reshape": "values (R, C) have the axes (R, B, C / B) in blocks",
        "ValueError": f"if it is your own `raise`: nothing is wrong with {values.shape} and scales {scale.shape}. B "
        "divides C where C % B is 0, not B % C",
    }
    if blocks**2 != columns:  # else B times is right, and the words are those of values that meet bare scales
        often = "each scale was repeated B times: how often is how long a block is, C / B"
        causes = {f"({rows},{blocks**2})": often} | causes
    with likely(causes):
        got = student.dequantize(values, scale)
    expect(
        got,
        oracle.dequantized(values, scale),
        rtol=1e-6,
        what=what,
        mistakes=oracle.dequantize_mistakes(values, scale),
    )


@task("dequantize", "product", "dtype")
def the_example(student: Student, oracle: Any) -> None:
    """4, 100, -1, 3 in two blocks with the scales 0.5 and 10 are 2, 50, -10, 30."""
    values, scale = np.array([[4, 100, -1, 3]], np.int8), np.array([[0.5, 10]], np.float32)
    expect_dequantized(student, oracle, values, scale, "the result")
    expect(student.dequantize(values, scale), np.array([[2, 50, -10, 30]], np.float32))


@task("dequantize", "product", "dtype")
def rows_and_blocks(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random values with one scale for each row, for each number, and for some numbers of a row."""
    for rows, columns, blocks in ((3, 5, 1), (2, 4, 4), (4, 6, 2), (2, 12, 4), (3, 3, 3)):
        values, scale = stored(rng, rows, columns, blocks)
        what = f"values ({rows}, {columns}) with scales ({rows}, {blocks})"
        expect_dequantized(student, oracle, values, scale, what)


@task("dequantize", "refused")
def scales_that_do_not_fit(student: Student, rng: np.random.Generator) -> None:
    """Scales of another number of rows, and of a number that does not divide the row, raise ValueError."""
    for rows, columns, shape in (
        (3, 4, (2, 1)),
        (3, 4, (4, 2)),
        (1, 4, (3, 1)),
        (2, 4, (1, 1)),
        (2, 4, (2, 3)),
        (2, 4, (2, 8)),
        (2, 4, (2, 0)),
    ):
        values = rng.integers(-127, 128, (rows, columns)).astype(np.int8)
        cause = f"scales {shape} don't fit to values ({rows}, {columns}): compare the shapes, and raise ValueError"
        slips = {"ZeroDivisionError": "a B of 0 divides nothing: look at it before you divide, and raise ValueError"}
        expect_refused(student.dequantize, values, np.ones(shape, np.float32), cause=cause, instead=slips)


# --- int8_matvec

MADE_OF = (
    "{task} is made of {part}, and yours is wrong: mend it first (python3 course.py check {part}), then look at {task} "
    "again"
)


def made_of(name: str, *parts: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the test, which blames the student's `parts` where one of them is wrong."""

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def told(student: Student, **given: Any) -> None:
            try:
                test(student=student, **given)
            except (Failure, SubmissionError) as error:
                if isinstance(error, Failure) or (error.kind == "raise" and error.type != "NotImplementedError"):
                    for part in parts:
                        compare_part(student, name, part)
                raise

        return told

    return decorated


def compare_part(student: Student, name: str, part: str) -> None:
    """Raise Failure where the student's quantize or dequantize is wrong on a small weight."""
    values = np.array([[127, -50, 3, -127], [0, 127, 127, 60]], np.int8)
    scale = np.array([[0.5, 2], [1, 0.25]], np.float32)
    weight = np.array([[63.5, -25, 6, -254], [0, 127, 31.75, 15]], np.float32)
    between = np.array([[63.5, -25.2, 5.4, -254], [-0.3, 127, 31.75, 14.9]], np.float32)  # off to both sides
    try:
        with student.aside():
            if part == "dequantize":
                expect(student.dequantize(values, scale), weight, rtol=1e-6, what="dequantize")
                return
            expect(student.quantize(between, 2), (values, scale), rtol=1e-6, what="quantize in blocks of 2")
            got = student.quantize(between[:1, :2])
            expect(got, (values[:1, :2], scale[:1, :1]), rtol=1e-6, what="quantize of a row")
            zeros = np.zeros((1, 2), np.int8), np.zeros((1, 1), np.float32)
            expect(student.quantize(np.zeros((1, 2), np.float32)), zeros, what="quantize of zeros")
    except Failure as failure:
        failure.cause = MADE_OF.format(task=name, part=part)
        raise
    except SubmissionError:
        return


VECTOR_ERRORS = {
    "not enough values to unpack": "quantize takes a matrix: x[None] is x as one of a single row",
    "tuple index out of range": "quantize takes a matrix: x[None] is x as one of a single row",
    "is out of bounds for array of dimension": "quantize takes a matrix: x[None] is x as one of a single row",
    "could not be broadcast": "give values and x an axis of blocks: (R, B, C / B) and (B, C / B)",
    "mismatch in its core dimension": "give values and x an axis of blocks: (R, B, C / B) and (B, C / B)",
    "cannot reshape": "values (R, C) take the axes (R, B, C / B), and x the axes (B, C / B)",
    "ValueError": "did your quantize refuse x? It takes a matrix of ONE row, x[None], in blocks of C / B numbers; a "
    "column, x[:, None], has rows of one number",
}


def expect_product(
    student: Student, oracle: Any, values: np.ndarray, scale: np.ndarray, x: np.ndarray, what: str
) -> None:
    """Raise Failure unless int8_matvec gives the product."""
    rows, blocks = scale.shape
    turned = {
        f"({rows},{blocks}) ({blocks},1)": "the scales of x are (1, B), and (R, B) times (1, B) needs no transpose",
        f"({blocks},1) ({rows},{blocks})": "the scales of x are (1, B), and (R, B) times (1, B) needs no transpose",
    }
    with likely(turned | VECTOR_ERRORS):
        got = student.int8_matvec(values, scale, x)
    expected = oracle.product(values, scale, x)
    tolerance = 2e-6 * float(np.abs(values).astype(float).sum(axis=1).max() * np.abs(scale).max() * np.abs(x).max())
    mistakes = oracle.product_mistakes(values, scale, x)
    try:
        expect(got, expected, rtol=1e-5, atol=tolerance, what=what, mistakes=mistakes)
    except Failure as failure:
        if np.ndim(got) == 0:
            failure.cause = "y has a number for each row, (R,): sum over the blocks of a row only, axis=1 of (R, B)"
        elif failure.of_type and got.dtype == np.float64:
            failure.cause = "int32 times float32 is float64 in numpy: .astype(np.float32) at the end"
        elif failure.cause and failure.cause.startswith("x was not rounded") and rounds_in_two_blocks(student):
            failure.cause = (
                "x has blocks of B numbers: quantize takes how long a block is, C / B. Here B is 1, and a number alone "
                "in its block is exact"
            )
        raise


def rounds_in_two_blocks(student: Student) -> bool:
    """Whether x is rounded where the weights have two blocks: then one block alone was quantized number by number."""
    x = np.array([127, 0.3, 0.3, 0.3, 0.3, 127, 0.3, 0.3], np.float32)
    with suppress(Failure, SubmissionError), student.aside():
        got = student.int8_matvec(np.ones((1, 8), np.int8), np.ones((1, 2), np.float32), x)
        expect(got, np.array([255.8], np.float32), rtol=1e-5)
        return False
    return True


@task("int8_matvec", "rounded", "scales", "whole", "dtype")
@made_of("int8_matvec", "quantize")
def a_scale_for_each_row_and_one_for_x(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random weights with a scale for each row, and a random x, which is rounded as they are."""
    for rows, columns in ((4, 6), (3, 3), (5, 40)):
        x = drawn(rng, 1, columns, columns)[0]
        expect_product(student, oracle, *stored(rng, rows, columns, 1), x, f"({rows}, {columns}) times x")


@task("int8_matvec", "rounded", "scales", "whole", "dtype")
@made_of("int8_matvec", "quantize")
def a_scale_for_each_block_of_both(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random weights with several scales in a row, and an x with as many."""
    for rows, columns, blocks in ((3, 8, 2), (2, 12, 3), (4, 4, 4), (2, 64, 2)):
        x = drawn(rng, 1, columns, columns // blocks)[0]
        what = f"({rows}, {columns}) with scales ({rows}, {blocks}) times x"
        expect_product(student, oracle, *stored(rng, rows, columns, blocks), x, what)


@task("int8_matvec", "scales", "whole", "dtype")
@made_of("int8_matvec", "quantize")
def an_x_that_is_exact(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """An x of whole multiples of its scales, so that rounding changes nothing: what counts is the scales."""
    for columns, blocks in ((6, 1), (8, 2), (12, 4)):
        x = np.rint(drawn(rng, 1, columns, columns // blocks)).reshape(blocks, -1)
        x = rng.integers(-127, 128, x.shape).astype(np.float32)
        x[:, -1] = 127
        x = (x * np.ldexp(np.float32(1), rng.integers(-4, 3, (blocks, 1)))).astype(np.float32).ravel()
        what = f"(3, {columns}) with scales (3, {blocks}) times an exact x"
        expect_product(student, oracle, *stored(rng, 3, columns, blocks), x, what)


@task("int8_matvec", "whole", "dtype")
@made_of("int8_matvec", "quantize")
def sums_that_need_room(student: Student, oracle: Any) -> None:
    """2, 3 or 1,000 products of 127 and 127, or of -127 and 127, are summed without overflow."""
    for columns in (2, 3, 1000):
        values = np.full((2, columns), 127, np.int8)
        values[1] = -127
        x = np.full(columns, 127, np.float32)
        expect_product(student, oracle, values, np.ones((2, 1), np.float32), x, f"{columns} times 127 * 127")


SCALED_FIRST = (
    "floats are multiplied or summed here, and each of them is rounded: sum the products of whole numbers first, and "
    "multiply each block's sum by its scales"
)
NARROW = "float32 has all whole numbers up to 2**24 only, so its sums are rounded: astype(np.int32) has more room"


def expect_sums(student: Student, values: np.ndarray, x_values: np.ndarray, whole: int, cause: str, what: str) -> None:
    """Raise Failure unless int8_matvec gives `whole` times the scales for each row; x has a 127 among its values."""
    scale, x_scale = np.linspace(0.1, 0.7, len(values), dtype=np.float32)[:, None], np.float32(0.3)
    try:
        with likely(VECTOR_ERRORS):
            got = student.int8_matvec(values, scale, x_values * x_scale)
        expect(got, (whole * scale * x_scale)[:, 0], rtol=1e-5, what=what)
    except Failure as failure:
        failure.cause = failure.cause or cause
        raise


def cancelling(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """int8 (R, 17) and (17,) whose products of a row add up to 0, though no two of them are a number and its negative.

    So floats that are made of them with scales leave a rest, also in float64. The first eight are random; the others,
    eight times 127 and a 1, make up for their sum.
    """
    p = rng.integers(-127, 128, 8)
    q = rng.integers(-127, 128, (rows, 8))
    often, once = np.divmod(63 - q @ p, 127)
    shares = (often[:, None] + np.arange(8)) // 8
    values = np.concatenate([q, shares, once[:, None] - 63], axis=1)
    return values.astype(np.int8), np.array([*p, *[127] * 8, 1], np.int8)


@task("int8_matvec", "whole", "dtype", "scales", "rounded")
@made_of("int8_matvec", "quantize")
def products_that_cancel(student: Student, rng: np.random.Generator) -> None:
    """Products that cancel leave exactly 0; beside 40,000 that cancel, one more is left exactly."""
    expect_sums(student, *cancelling(rng, 6), 0, SCALED_FIRST, "a product whose terms cancel")
    q, p = rng.integers(1, 128, (6, 20_000)).astype(np.int8), rng.integers(1, 128, 20_000).astype(np.int8)
    p[0], order = 127, rng.permutation(20_000)
    values = np.concatenate([q, -q[:, order], np.full((6, 1), 100, np.int8)], axis=1)
    x_values = np.concatenate([p, p[order], np.ones(1, np.int8)])
    expect_sums(student, values, x_values, 100, NARROW, "40,000 products that cancel, and 100")


@task("int8_matvec", "rounded", "dtype")
@made_of("int8_matvec", "quantize")
def what_is_small_beside_the_largest(student: Student, oracle: Any) -> None:
    """With 127 and 0.3 in x the 0.3 is rounded to 0; in a block of its own it isn't."""
    values, x = np.array([[1, 100], [0, 1]], np.int8), np.array([127, 0.3], np.float32)
    expect_product(student, oracle, values, np.ones((2, 1), np.float32), x, "the product with x = [127, 0.3]")
    what = "the product with x = [127, 0.3] in two blocks"
    expect_product(student, oracle, values, np.ones((2, 2), np.float32), x, what)


@task("int8_matvec", "dtype")
@made_of("int8_matvec", "quantize")
def an_x_of_zeros(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """An x of zeros gives zeros, and no NaN."""
    values, scale = stored(rng, 3, 4, 2)
    got = student.int8_matvec(values, scale, np.zeros(4, np.float32))
    mistakes = {"0 / 0 is NaN: quantize gives a block of zeros the scale 0": np.full(3, np.nan, np.float32)}
    expect(got, np.zeros(3, np.float32), mistakes=mistakes)


@task("int8_matvec", "argument")
def what_it_was_given_stays(student: Student, rng: np.random.Generator) -> None:
    """Values, scales and x are after the call what they were before."""
    values, scale = stored(rng, 3, 8, 2)
    x = drawn(rng, 1, 8, 4)[0]
    after = student.matvec_afterwards(values, scale, x)
    for name, got, given in zip(("values", "scale", "x"), after, (values, scale, x)):
        cause = f"{name} was changed in place, as by {name} *= ... or out={name}: make a new array, {name} * ..."
        expect_unchanged(name, got, given, cause)


# --- read_tensor


def file_of(tensors: Mapping[str, tuple[str, list[int], bytes]], *, spaces: int = 0, notes: bool = False) -> np.ndarray:
    """The bytes of a *.safetensors file: name -> (dtype, shape, bytes); spaces after the header."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}} if notes else {}
    end = 0
    for name, (dtype, shape, held) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(held)]}
        end += len(held)
    return joined(header, b"".join(held for _, _, held in tensors.values()), spaces)


def joined(header: Mapping[str, Any], held: bytes, spaces: int = 0) -> np.ndarray:
    """The bytes of a file with this header and these bytes of tensors."""
    written = json.dumps(header).encode() + b" " * spaces
    return np.frombuffer(len(written).to_bytes(8, "little") + written + held, np.uint8).copy()


def bf16(numbers: np.ndarray) -> bytes:
    """The upper halves of float32 numbers, whose lower halves should be 0."""
    return (numbers.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()


def upper_half(numbers: np.ndarray) -> np.ndarray:
    """float32 numbers with a lower half of 0."""
    halves = np.asarray(numbers, np.float32).view(np.uint32) & 0xFFFF0000
    return np.asarray(halves, np.uint32).view(np.float32)


CUT_OUT = (
    "a tensor is the bytes from its first offset up to its second, and both count from the end of the header. Two of "
    "them make a number of BF16 or F16, four one of F32"
)
READ_ERRORS = {
    "Expecting value: line 1 column 1 (char 0)": "what json.loads was given does not begin with the header's {: the "
    "header begins after the first 8 bytes. And str(...) of bytes writes b'...' around them: json.loads takes bytes as "
    "they are",
    "out of bounds for uint8": "a byte of `data` is a uint8, which ends at 255: make plain numbers of the bytes, or "
    "one of all eight, before you calculate",
    "JSONDecodeError": "the header is as many bytes as the first 8 say, the lowest byte first, and begins after them",
    "UnicodeDecodeError": "the header is as many bytes as the first 8 say, the lowest byte first, and begins after "
    "them; tensors are no text",
    "must be str, bytes": "json.loads takes bytes or text, and `data` is an array of numbers: make bytes of it first",
    "buffer size must be a multiple": CUT_OUT,
    "must be a divisor of the total size": CUT_OUT,
    "OverflowError": "the 8 bytes of the length: the lowest comes first, which is called little-endian",
    "MemoryError": "the 8 bytes of the length: the lowest comes first, which is called little-endian",
    "list index out of range": "a shape has any number of axes, also one or none: np.prod(shape) takes them all",
    "not understood": "numpy knows no BF16: take two bytes as a whole number of 16 bits, the upper half of a float32",
    "ValueError": "nothing is wrong with this file: a tensor is the bytes from start + first offset up to start + "
    "second offset, as many as its shape has numbers (one, if it has no axes), times 4 or 2",
    "KeyError": "an entry has the keys dtype, shape and data_offsets; the header may have __metadata__ beside tensors",
}


SHIFTED_OUT = "all became 0: 16 bits shifted by 16 are gone, so give them the room of 32 bits before the shift"
BYTES_AS_NUMBERS = (
    "{times} times as many numbers came as the shape has: each BYTE was taken for a number, but {times} of them make "
    "one of {dtype}. Look at the bytes as numbers of that type: a conversion leaves as many as there were"
)
OFFSET_AS_LENGTH = (
    "too many numbers came: the second offset says where a tensor ends, and you took it for the length. Its bytes are "
    "those from start + first offset up to start + second offset"
)
TAKEN_TOGETHER = (
    "half as many numbers came as the shape has: a number of {dtype} takes two bytes, and four were taken for one, as "
    "where two-byte numbers are looked at as float32, or numbers of 32 bits looked at as float64, which float is"
)


def sizes_that_tell(dtype: str, shape: list[int], offsets: list[int], held: int) -> dict[str, str]:
    """Words of numpy's error of reshape -> the likely cause, by how many numbers came instead of those of the shape.

    held : bytes of all tensors.
    """
    count, size = int(np.prod(shape)), 4 if dtype == "F32" else 2
    causes = {size * count: BYTES_AS_NUMBERS.format(times=size, dtype=dtype)}
    if size == 4:
        causes[2 * count] = "twice as many numbers came as the shape has: F32 takes four bytes a number, not two"
    if count % 2 == 0:
        eight = (
            "half as many numbers came as the shape has: F32 takes four bytes a number, not eight (float is float64)"
        )
        causes[count // 2] = eight if size == 4 else TAKEN_TOGETHER.format(dtype=dtype)
    first, last = offsets
    if first:
        causes.setdefault((min(first + last, held) - first) // size, OFFSET_AS_LENGTH)
    said = {f"cannot reshape array of size {number} into": cause for number, cause in causes.items()}
    return said | {
        "cannot reshape array": f"the shape has {count} numbers, which are {size * count} bytes in {dtype}, and the "
        "numbers that came are not as many. Which bytes did you cut out? A single byte of `data` is a uint8, in which "
        "sums wrap around at 256: make one whole number of the 8 bytes of the length"
    }


def reads_the_length_turned(student: Student, data: np.ndarray, name: str) -> bool:
    """Whether read_tensor takes the file if the 8 bytes of its length stand the other way round."""
    with student.aside():
        try:
            student.read_tensor(np.concatenate([data[7::-1], data[8:]]), name)
        except SubmissionError:
            return False
    return True


def expect_tensor(student: Student, oracle: Any, data: np.ndarray, name: str, what: str) -> None:
    """Raise Failure unless read_tensor gives that tensor."""
    file = data.tobytes()
    length = int.from_bytes(file[:8], "little")
    header = json.loads(file[8 : 8 + length])[name]
    try:
        told = sizes_that_tell(header["dtype"], header["shape"], header["data_offsets"], len(file) - 8 - length)
        with likely(told | READ_ERRORS):
            got = student.read_tensor(data, name)
    except (Failure, SubmissionError) as error:
        if "found >" in str(error):
            error.cause = "'>f4' says that the highest byte of a number comes first: in the file it comes last, '<f4'"
        elif reads_the_length_turned(student, data, name):
            error.cause = "the length's lowest byte comes first, and you take it for the highest"
        raise
    expected, mistakes = oracle.tensor(data, name), oracle.tensor_mistakes(data, name)
    if "BF16" in what and isinstance(got, np.ndarray) and got.dtype.kind in "fiu" and not got.any():
        mistakes = {SHIFTED_OUT: got}
    entry = json.dumps(header)
    try:
        expect(got, expected, what=f"{what}, a header of {length:,} bytes with {name}: {entry}", mistakes=mistakes)
    except Failure as failure:
        if failure.of_type and got.dtype == np.float16:
            failure.cause = "float16 is left as it is: the result is float32"
        raise


@task("read_tensor", "f32", "shape", "offsets")
def a_tensor_alone(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The only tensor of a file, with one axis or two."""
    for shape in ([4], [2, 3]):
        numbers = rng.standard_normal(shape).astype("<f4")
        data = file_of({"w": ("F32", shape, numbers.tobytes())})
        expect_tensor(student, oracle, data, "w", f"a tensor of shape {shape}")


@task("read_tensor", "offsets", "f32", "shape")
def one_of_several(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Each of several tensors, after a header with notes and with spaces at its end."""
    arrays = {name: rng.standard_normal(n).astype("<f4") for name, n in (("a", 3), ("b.weight", 5), ("c", 2))}
    for spaces, notes in ((0, False), (5, True)):
        tensors = {name: ("F32", [len(array)], array.tobytes()) for name, array in arrays.items()}
        data = file_of(tensors, spaces=spaces, notes=notes)
        for name in arrays:
            expect_tensor(student, oracle, data, name, f"tensor {name} of {', '.join(arrays)}")


@task("read_tensor", "length", "f32", "shape", "offsets")
def a_long_header(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A header of more than 255 bytes, and one of more than 65,535."""
    numbers = rng.standard_normal(3).astype("<f4")
    for spaces in (300, 70_000):
        data, short = (file_of({"w": ("F32", [3], numbers.tobytes())}, spaces=more) for more in (spaces, 0))
        length = int.from_bytes(data[:8].tobytes(), "little")
        try:
            expect_tensor(student, oracle, data, "w", f"a tensor after a header of {length:,} bytes")
        except (Failure, SubmissionError) as error:
            with suppress(Failure, SubmissionError), student.aside():
                expect(student.read_tensor(short, "w"), numbers)
                error.cause = (
                    f"this header is {length:,} bytes long: that takes more than a byte or two, read all 8. (A byte of "
                    "`data` is a uint8, in which shifts and sums lose what is beyond 255.)"
                )
            raise


@task("read_tensor", "length")
def a_header_longer_than_the_file(student: Student) -> None:
    """A length of more bytes than follow it raises ValueError, also where only its highest bytes say so.

    A file may end with its header.
    """
    for held, offsets, shape in ((4, [0, 4], [1]), (0, [0, 0], [0])):
        data = joined({"w": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}, bytes(held))
        for place in (3, 4, 6):
            damaged = data.copy()
            damaged[place] = 1
            length = int.from_bytes(damaged[:8].tobytes(), "little")
            cause = f"the first 8 bytes say {length:,}, and {data.size - 8} follow: compare, and raise ValueError"
            if place > 3:
                cause += ". All 8 of them count, not only the first four"
            expect_refused(student.read_tensor, damaged, "w", cause=cause)
    whole = joined({"w": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}, b"")
    for more in (1, 8):
        damaged = whole.copy()
        damaged[0] += more
        cause = (
            f"the first 8 bytes say {whole.size - 8 + more}, and {whole.size - 8} follow: compare, and raise "
            "ValueError. The 8 bytes of the length itself are not among those that follow"
        )
        expect_refused(student.read_tensor, damaged, "w", cause=cause)
    nothing = (
        "nothing is wrong with this file: its only tensor has no numbers, so it ends with its header. Refuse a length "
        "of MORE bytes than follow it, not one of as many"
    )
    with likely({"ValueError": nothing}):
        got = student.read_tensor(whole, "w")
    expect(np.size(got), 0, what="how many numbers a tensor of shape [0] has, at the end of its header")


@task("read_tensor", "shape", "f32", "offsets")
def axes_of_any_number(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """No axis, three axes, an axis of 1."""
    for shape in ([], [2, 1, 3], [1, 1]):
        numbers = rng.standard_normal(shape).astype("<f4")
        data = file_of({"w": ("F32", shape, np.asarray(numbers).tobytes())})
        expect_tensor(student, oracle, data, "w", f"a tensor of shape {shape}")


@task("read_tensor", "f16", "offsets", "shape")
def half_precision(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Numbers of float16 become the same numbers of float32."""
    numbers = rng.standard_normal((2, 3)).astype("<f2")
    data = file_of({"a": ("F16", [1], b"\x01\x02"), "w": ("F16", [2, 3], numbers.tobytes())})
    expect_tensor(student, oracle, data, "w", "a tensor of F16")


@task("read_tensor", "bf16", "offsets", "shape")
def the_upper_half(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """1 and -3 in BF16, and random numbers: two bytes that are the upper half of a float32."""
    for numbers in (np.array([[1.0, -3.0]], np.float32), upper_half(rng.standard_normal((3, 2)))):
        data = file_of({"a": ("BF16", [1], b"\x01\x02"), "w": ("BF16", list(numbers.shape), bf16(numbers))})
        expect_tensor(student, oracle, data, "w", "a tensor of BF16")


@task("read_tensor", "missing")
def a_name_that_is_not_there(student: Student) -> None:
    """A name that is not in the header raises KeyError, and so does __metadata__."""
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    notes = "the header's __metadata__ holds notes, and no tensor, whatever keys they have: raise KeyError by its name"
    for written in ({"format": "pt"}, {"dtype": "F32", "shape": "[1]", "data_offsets": "[0, 4]"}):
        data = joined({"__metadata__": written, "w": entry}, bytes(4))
        for name in ("v", "W", "__metadata__"):
            cause = notes if name == "__metadata__" else f"{name} is no tensor of this file: raise KeyError"
            slips = {"TypeError": f"there is no entry {name}, so .get(...) gives None: look first, and raise KeyError"}
            if name == "__metadata__":
                slips = {"TypeError": notes, "ValueError": notes}
            expect_refused(student.read_tensor, data, name, error="KeyError", cause=cause, instead=slips)


@task("read_tensor", "refused")
def what_does_not_fit(student: Student) -> None:
    """Other dtypes, too few or too many bytes for the shape, and offsets beyond the end raise ValueError."""
    slips = {"KeyError": "a dtype that your table has not: refuse it with ValueError"}
    slips["TypeError"] = "a dtype that your table has not, so .get(...) gives None: look first, and raise ValueError"
    for dtype, shape, offsets, held in (
        ("I32", [1], [0, 4], 4),
        ("F64", [1], [0, 8], 8),
        ("I16", [2], [0, 4], 4),
        ("F32", [2], [0, 4], 4),
        ("F32", [1], [0, 8], 8),
        ("BF16", [4], [0, 16], 16),
        ("F32", [2], [0, 8], 4),
        ("F32", [1], [0, 8], 4),
    ):
        data = joined({"w": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}, bytes(held))
        size, given = {"F32": 4, "BF16": 2}.get(dtype), offsets[1] - offsets[0]
        needed = (size or 0) * int(np.prod(shape))
        if size is None:
            fault = f"{dtype} is none of F32, F16 and BF16"
        elif needed != given:
            fault = f"the shape needs {needed} bytes, the offsets give {given}"
        else:
            fault = f"the offsets give {given} bytes, and only {held} follow the header"
        cause = f"w is {json.dumps(json.loads(data.tobytes()[8:-held])['w'])}: {fault}. Raise ValueError"
        expect_refused(student.read_tensor, data, "w", cause=cause, instead=slips)


# --- next_logits

TOLERANCE = 1e-4
FILES = ' (section "A network that others trained")'
"""Behind a likely cause about names and settings, where the test's section is one about the network."""
ATTENTION, NETWORK = "lesson 13, Attention", "lesson 13, The whole network"
PLAIN: dict[str, Any] = {
    "model_type": "llama", "vocab_size": 11, "hidden_size": 24, "intermediate_size": 12, "num_hidden_layers": 1,
    "num_attention_heads": 4, "num_key_value_heads": 4, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}  # fmt: skip
"""A Llama of one layer."""
LIGHT: dict[str, Any] = PLAIN | {"num_hidden_layers": 0}
"""A Llama of none."""
QWEN: dict[str, Any] = PLAIN | {"model_type": "qwen2"}


def published(
    rng: np.random.Generator, *, off: str = "", size: float = 1.0, store: str = "F32", **settings: Any
) -> dict[str, np.ndarray]:
    """A folder with random weights, which let mistakes show: attention is not flat, norms are not 1, biases are large.

    off : a part whose weights are 0. size : of the table's numbers. Settings that are ... are left out.
    """
    config = {key: value for key, value in settings.items() if value is not ...}
    hidden, inner, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    width = config.get("head_dim") or hidden // heads
    shared = (config.get("num_key_value_heads") or heads) * width
    parts = {"q": (heads * width, hidden), "k": (shared, hidden), "v": (shared, hidden), "o": (hidden, heads * width)}
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], hidden)}
    for n in range(config["num_hidden_layers"]):
        at = f"model.layers.{n}"
        shapes |= {f"{at}.{norm}_layernorm.weight": (hidden,) for norm in ("input", "post_attention")}
        shapes |= {f"{at}.self_attn.{part}_proj.weight": shape for part, shape in parts.items()}
        if config["model_type"] == "qwen2":
            shapes |= {f"{at}.self_attn.{part}_proj.bias": parts[part][:1] for part in "qkv"}
        shapes |= {f"{at}.mlp.{part}_proj.weight": (inner, hidden) for part in ("gate", "up")}
        shapes[f"{at}.mlp.down_proj.weight"] = (hidden, inner)
    shapes["model.norm.weight"] = (hidden,)
    if not config.get("tie_word_embeddings"):
        shapes["lm_head.weight"] = (config["vocab_size"], hidden)
    tensors = {}
    for name, shape in shapes.items():
        spread = 1.6 * shape[-1] ** -0.5 if len(shape) == 2 else 0.3
        if "embed" in name:
            spread = size
        numbers = rng.normal("norm" in name or "v_proj.bias" in name, spread, shape)
        numbers *= 0.0 if off and off in name else 1.0
        wide = numbers.astype("<f4")
        tensors[name] = (store, list(shape), bf16(wide) if store == "BF16" else wide.tobytes())
    written = np.frombuffer(json.dumps(config).encode(), np.uint8).copy()
    return {"config.json": written, "model.safetensors": file_of(tensors, spaces=int(rng.integers(0, 8)), notes=True)}


def compare_reader(student: Student, name: str) -> None:
    """Raise Failure where the student's read_tensor is wrong on a small file."""
    numbers = np.array([[1.0, -3.0, 0.5], [2.0, 4.0, -0.25]], "<f4")
    data = file_of({"a": ("F32", [1], bytes(4)), "w": ("F32", [2, 3], numbers.tobytes())}, spaces=3, notes=True)
    narrow = file_of({"w": ("BF16", [2, 3], bf16(numbers))}, notes=True)
    try:
        with student.aside():
            for file in (data, narrow):
                expect(student.read_tensor(file, "w"), numbers.astype(np.float32), what="read_tensor")
    except (Failure, SubmissionError) as error:
        failure = error if isinstance(error, Failure) else Failure("read_tensor raises on a file that is right")
        failure.cause = MADE_OF.format(task=name, part="read_tensor") + FILES
        raise failure from None


CONFIG_ERRORS = {
    "'rope_theta'": "without rope_theta in config.json it is 10000: config.get('rope_theta', 10000.0)",
    "'head_dim'": "without head_dim in config.json a head has hidden_size / num_attention_heads numbers",
    "'num_key_value_heads'": "without num_key_value_heads in config.json there are as many as heads of queries",
    "'tie_word_embeddings'": "without tie_word_embeddings in config.json there is an lm_head.weight",
}
MODEL_TIED = "where tie_word_embeddings is true no lm_head.weight is there: the table of the tokens is the head, too"
WHOLE = "a / gives a float: hidden_size // num_attention_heads is the int that shapes need"
NULL = "null in JSON is None: a setting that is null counts as missing, as head_dim may be"
NO_PATH = 'folder is a dict, no path: folder["config.json"] has the bytes of the file, as an array of uint8'
OTHER_ERRORS = {
    "NoneType": NULL,
    "must be str, bytes": "json.loads takes bytes or text: make bytes of the array first, .tobytes()",
    "JSONDecodeError": "that text is no JSON. str(array) is how numpy prints it: .tobytes() gives the bytes",
    "os.PathLike": NO_PATH,
    "FileNotFoundError": NO_PATH,
    "'float' object cannot be interpreted": WHOLE,
    "cannot reshape": "q has num_attention_heads heads, k and v have num_key_value_heads, of D numbers each; with "
    "head_dim in config.json heads * D need not be hidden_size. A reshape with -1 finds the number of heads itself",
}
REPEATED = "keys and values are repeated up to the number of query heads, and neighbouring heads share one"
TURNED = (
    "are the scores q @ k.swapaxes(-1, -2)? Of keys (heads, T, D) the last two axes change places; .T turns all three "
    "round"
)
SHAPES = "q, k, v are (heads, T, D), cosines and sines (T, D / 2), a mask (T, T), x (T, hidden_size)"
FIT = f"do the shapes fit? {SHAPES}"


def tensors_of(folder: Mapping[str, np.ndarray]) -> dict[str, tuple[int, ...]]:
    """Name -> shape, of what a folder has."""
    file = folder["model.safetensors"].tobytes()
    header = json.loads(file[8 : 8 + int.from_bytes(file[:8], "little")])
    return {name: tuple(entry["shape"]) for name, entry in header.items() if name != "__metadata__"}


def why_missing(key: str, config: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    """The likely cause of a KeyError with these words."""
    for words, cause in CONFIG_ERRORS.items():
        if key == words:
            return cause
    asked = key.strip("'\"").split(" ")[-1].rstrip(".:'\"")
    layer = re.search(r"layers\.(\d+)\.", key)
    if layer and int(layer[1]) >= config["num_hidden_layers"]:
        count = config["num_hidden_layers"]
        if not count:
            return "num_hidden_layers is 0 in this config.json: it has no layer"
        return f"num_hidden_layers is {count} here: layers are 0 to {count - 1}, and there is none numbered {layer[1]}"
    if "model.lm_head" in key:
        return "model. is in front of all names but lm_head.weight"
    if "lm_head.weight" in key:
        return MODEL_TIED
    if f"{asked}.weight" in names:
        return "the names of weights end in .weight"
    if f"model.{asked}" in names or f"model.{asked}.weight" in names:
        return "model. is in front of all names but lm_head.weight"
    if ".bias" in key:
        return "a bias that is not there: only in a qwen2 have q, k and v one, o, gate, up and down have none"
    if "." in asked:
        return "no tensor has this name: compare it with those in the docstring of next_logits, letter by letter"
    return "a name that is not there: the settings of config.json are those that the rules name"


def why_no_product(
    size: int, other: int, count: int, config: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> str:
    """The likely cause of a matrix product whose second factor has `size` rows, and should have `other`."""
    heads = config["num_attention_heads"]
    width = config.get("head_dim") or config["hidden_size"] // heads
    key_heads = config.get("num_key_value_heads") or heads
    found = sorted({name.split(".")[-2] for name, shape in shapes.items() if shape == (size, other)})
    said = []
    if found:
        which = f"{', '.join(found)} {'is' if len(found) == 1 else 'are'} ({size}, {other}) here"
        said.append(f"a weight is (outputs, inputs), so x @ weight.T: {which}")
    if size == key_heads * width and other == heads * width and key_heads != heads:
        said.append("q and k are cut into heads of D numbers, and heads of keys repeated, before they are multiplied")
    if size == count and other == width:
        said.append(TURNED)
    if size == heads * width and other == width and heads > 1:
        said.append("the heads are joined before o_proj, (T, heads * D)")
    if (size, other) == (key_heads, heads):
        said.append(REPEATED)
    return "; or ".join(said) or f"do the shapes fit? A weight is (outputs, inputs), so x @ weight.T. {SHAPES}"


def why_no_sum(first: tuple[int, ...], second: tuple[int, ...], count: int, config: Mapping[str, Any]) -> str:
    """The likely cause where arrays of two shapes don't fit number by number."""
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    width = config.get("head_dim") or hidden // heads
    if first == (count, hidden) and second == (count,):
        return "a mean for each token keeps its axis: mean(axis=-1, keepdims=True) is (T, 1)"
    if len(first) == 3 and first[0] == count and first[1] != count and second[-1] == first[2] and len(second) == 2:
        return "the heads come first, so that each is (T, D): reshape to (T, heads, D), then swapaxes(0, 1)"
    if first[-1:] == (width // 2,) and second[-1] == width:
        return "an angle belongs to a PAIR: cosines and sines are (T, D / 2), and so are the two halves of a head"
    if len(first) == 3 and len(second) == 3 and first[-1] == second[-1] == width // 2:
        return "cosines and sines are (T, D / 2): the same for all heads, and another for each token"
    if {first, second} == {(count, count), (count, heads, heads)}:
        return "scores are (heads, T, T): of q and k (T, heads, D) the first two axes have to change places"
    return FIT


def why_raised_by_model(error: SubmissionError, folder: Mapping[str, np.ndarray], ids: list[int]) -> str | None:
    """The likely cause of what next_logits raised on a folder that is right."""
    config, shapes = json.loads(folder["config.json"].tobytes()), tensors_of(folder)
    heads = config["num_attention_heads"]
    width = config.get("head_dim") or config["hidden_size"] // heads
    message = error.message or ""
    said = f"{error.type}: {message}"
    if error.type == "KeyError":
        return why_missing(message.split("; ")[0], config, shapes) + FILES
    if sizes := re.search(r"\(size (\d+) is different from (\d+)\)", message):
        return why_no_product(int(sizes[1]), int(sizes[2]), len(ids), config, shapes)
    if "remapped shapes" in message:
        batches = [int(one) for one in re.findall(r"->\((\d+),newaxis", message)]
        if len(batches) == 2 and batches[1] == width and width not in (heads, config.get("num_key_value_heads")):
            return TURNED
        too_often = len(batches) == 2 and batches[1] > batches[0]
        return f"{REPEATED}: heads of queries / heads of keys times each" if too_often else REPEATED
    if "could not be broadcast" in message:
        two = [tuple(int(n) for n in re.findall(r"\d+", one)) for one in re.findall(r"\(([\d, ]+)\)", message)]
        return why_no_sum(two[0], two[1], len(ids), config) if len(two) == 2 else FIT
    if (cause := next((cause for words, cause in OTHER_ERRORS.items() if words in said), None)) is not None:
        return cause
    if error.type == "ValueError" and "rope_scaling" in config:
        return "a setting of REFUSED that is false or null is off, and is not refused"
    return None


def expect_logits(
    student: Student,
    oracle: Any,
    folder: Mapping[str, np.ndarray],
    ids: list[int],
    what: str,
    earlier: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Raise Failure unless next_logits gives the scores. earlier : a folder of which it was asked before."""
    try:
        try:
            got = student.next_logits(dict(folder), ids)
        except SubmissionError as error:
            cause = why_raised_by_model(error, folder, ids) if error.kind == "raise" else None
            with likely({"": cause} if cause else {}):
                raise
        expected = oracle.logits(folder, ids)
        try:
            mistakes = oracle.logits_mistakes(folder, ids)
            if earlier is not None:
                kept = "the weights of an EARLIER call were kept: another folder has others under the same names"
                mistakes = {**mistakes, kept: oracle.logits(earlier, ids)}
            expect(got, expected, rtol=TOLERANCE, atol=TOLERANCE, what=what, mistakes=mistakes)
        except Failure as failure:
            if failure.of_type and got.dtype == np.float64:
                failure.cause = (
                    "float64 is left: .astype(np.float32) at the end (np.sqrt(D) and np.cos of angles are float64, and "
                    "make float64 of what they meet)"
                )
            array = isinstance(got, np.ndarray)
            shape = got.shape if failure.cause is None and array else ()
            if shape == (1, *expected.shape):
                failure.cause = "the scores are (V,), of the last token alone: x[-1]. x[-1:] keeps an axis of 1"
            elif shape == (len(ids), *expected.shape):
                failure.cause = "the scores of ALL tokens were returned: those of the last one are wanted, (V,)"
            elif shape == expected.shape and got.dtype.kind == "f" and np.isnan(got).any():
                failure.cause = (
                    "softmax of a row that is all -inf is NaN (does each token see itself?), and so is 0 * -inf: let "
                    "np.where put -np.inf in"
                )
            if failure.cause is None and isinstance(got, (int, np.integer)):
                failure.cause = "the scores of all V tokens are wanted, not the likeliest token"
            raise
    except (Failure, SubmissionError) as error:
        if isinstance(error, Failure) or (error.kind == "raise" and error.type != "NotImplementedError"):
            compare_reader(student, "next_logits")
        raise


@task("next_logits", "norm", "head", "dtype")
def a_model_without_layers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """No layer at all: what is left is the table, the last norm and the head."""
    earlier = None
    for ids in ([3], [7, 1, 4]):
        folder = published(rng, **LIGHT)
        expect_logits(student, oracle, folder, ids, f"0 layers, tokens {ids}", earlier)
        earlier = folder
    for eps in (0.2, 1e-3):
        folder = published(rng, size=0.3 * eps**0.5, **LIGHT | {"rms_norm_eps": eps})
        expect_logits(student, oracle, folder, [2, 5], f"0 layers, small numbers, rms_norm_eps {eps}")


@task("next_logits", "tied", "norm", "head", "dtype")
def the_table_as_head(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """No layer, and tie_word_embeddings: the file has no lm_head.weight."""
    folder = published(rng, size=0.4, **LIGHT | {"tie_word_embeddings": True})
    expect_logits(student, oracle, folder, [7, 1], "0 layers, tied")


@task("next_logits", "switch", "norm", "head", "dtype", section=NETWORK)
def a_layer_without_attention(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer whose o_proj is all 0, so that attention adds nothing: what counts is the switch."""
    for ids in ([5], [2, 9]):
        expect_logits(student, oracle, published(rng, off="o_proj", **PLAIN), ids, f"o_proj all 0, tokens {ids}")


@task("next_logits", "norm", "head", "dtype", section=NETWORK)
def one_token(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer and one token, which sees itself alone: no score, place or mask matters. down_proj is all 0."""
    for ids in ([5], [0]):
        expect_logits(student, oracle, published(rng, off="down_proj", **PLAIN), ids, f"one token, {ids}")


@task("next_logits", "attention", "rotated", "norm", "head", "dtype", section=ATTENTION)
def several_tokens(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer, three and five tokens: scores and places matter. down_proj is all 0."""
    for ids in ([5, 8, 2], [3, 1, 4, 1, 5]):
        folder = published(rng, off="down_proj", **PLAIN)
        expect_logits(student, oracle, folder, ids, f"{len(ids)} tokens, {ids}")


@task("next_logits", "rotated", "attention", "norm", "head", "dtype", section="lesson 13, Where does a token stand?")
def another_theta(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer with a rope_theta of 5, with one of 100, and without one, which is 10000."""
    for theta in (5.0, 100.0, ...):
        said = "no rope_theta" if theta is ... else f"rope_theta {theta}"
        folder = published(rng, off="down_proj", **PLAIN | {"rope_theta": theta})
        expect_logits(student, oracle, folder, [6, 2, 0, 9, 9, 1], f"6 tokens, {said}")


@task("next_logits", "attention", "rotated", "norm", "head", "dtype", section=ATTENTION)
def a_width_that_is_given(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer with a head_dim other than hidden_size / num_attention_heads, and with one that is null."""
    for width in (8, 2, None):
        folder = published(rng, off="down_proj", **PLAIN | {"head_dim": width})
        expect_logits(student, oracle, folder, [8, 2, 5], f"3 tokens, head_dim {json.dumps(width)}, hidden_size 24")


@task("next_logits", "groups", "attention", "rotated", "norm", "head", "dtype", section=ATTENTION)
def shared_keys_and_values(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One layer with four heads of queries, and two, one, or no number of those of keys and values."""
    for shared in (2, 1, ...):
        said = "no num_key_value_heads" if shared is ... else f"num_key_value_heads {shared}"
        folder = published(rng, off="down_proj", **PLAIN | {"num_key_value_heads": shared})
        expect_logits(student, oracle, folder, [8, 2, 5], f"3 tokens, {said}")


@task("next_logits", "biases", "attention", "rotated", "norm", "head", "dtype")
def a_qwen(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A qwen2 of one layer, whose q, k and v have biases."""
    for ids in ([4], [8, 2, 5]):
        expect_logits(student, oracle, published(rng, off="down_proj", **QWEN), ids, f"qwen2, tokens {ids}")


@task("next_logits", "layers", "attention", "rotated", "switch", "norm", "head", "dtype", section=NETWORK)
def two_layers_and_three(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Whole networks of two and three layers: the mask matters, as each token reads what earlier ones became."""
    for layers in (2, 3):
        folder = published(rng, **PLAIN | {"num_hidden_layers": layers})
        expect_logits(student, oracle, folder, [1, 10, 6, 4], f"{layers} layers, 4 tokens")


@task("next_logits", "layers", "groups", "biases", "tied", "attention", "rotated", "switch", "norm", "head", "dtype")
def as_it_is_published(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A qwen2 of two layers, with shared keys, a tied head, its own theta and eps, in bfloat16."""
    more = {"num_hidden_layers": 2, "num_key_value_heads": 2, "tie_word_embeddings": True, "rope_theta": 1e6}
    folder = published(rng, size=0.4, store="BF16", **QWEN | more | {"rms_norm_eps": 1e-6})
    expect_logits(student, oracle, folder, [1, 10, 6, 4, 4], "a qwen2 in bfloat16, 5 tokens")


@task("next_logits", "refused", "tied", "norm", "head", "dtype")
def settings_that_are_off(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Settings of REFUSED that are there, and null or false, change nothing. tie_word_embeddings may be missing."""
    more = {"rope_scaling": None, "attention_bias": False, "mlp_bias": False, "use_sliding_window": False}
    expect_logits(student, oracle, published(rng, **LIGHT | more), [3], f"0 layers, with {json.dumps(more)}")
    folder = published(rng, **LIGHT | {"tie_word_embeddings": ...})
    expect_logits(student, oracle, folder, [3], "0 layers, no tie_word_embeddings")


@task("next_logits", "refused")
def other_networks(student: Student, rng: np.random.Generator) -> None:
    """Another model_type, and settings that change the result, raise ValueError."""
    for more in (
        {"model_type": "mistral"},
        *({"model_type": kind} for kind in ("qwen3", "qwen2_moe", "llama4", "mllama")),
        {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
        *({name: True} for name in ("attention_bias", "mlp_bias", "use_sliding_window", "rope_interleaved")),
        {"rope_parameters": {}},
    ):
        said = json.dumps(more)
        cause = f"config.json has {said[1:-1]}, which this function does not compute: raise ValueError"
        if {} in more.values():
            cause += ". Python takes {} for false, but only false and null are off"
        if more.get("model_type", "mistral") != "mistral":
            cause += '. Only "llama" and "qwen2" themselves are allowed, not every name that contains one or begins so'
        folder = published(rng, **LIGHT | {"model_type": "llama"} | more)
        expect_refused(student.next_logits, folder, [1], cause=cause)


@task("next_logits", "refused")
def tokens_that_there_are_not(student: Student, rng: np.random.Generator) -> None:
    """No tokens, and ids that no row of the table belongs to, raise ValueError."""
    folder = published(rng, **LIGHT)
    early = "look at the ids before you use them as an index: none at all, and vocab_size itself, are refused as well"
    slips = {"IndexError": f"{early}. Raise ValueError"}
    for ids, cause in (
        ([], "without a token there is nothing to score: raise ValueError"),
        ([11], "the last of 11 tokens is 10: raise ValueError for 11, vocab_size and more"),
        ([-2, 3], "each of the ids counts, the first as well: raise ValueError for one that is below 0"),
        ([3, -1], "numpy counts -1 from the end, but there is no token -1: raise ValueError"),
    ):
        expect_refused(student.next_logits, folder, ids, cause=cause, instead=slips)


# --- choose_block


def uneven(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """(R, C) float32 weights of which some are much larger than others, so that the error grows with the block."""
    return (rng.standard_normal((rows, columns)) * np.exp(rng.uniform(-3, 2, (rows, columns)))).astype(np.float32)


PROBES = tuple(
    (uneven(np.random.default_rng(place), 3, 16) * np.float32(unit), [8, 2, 16, 4])
    for place, unit in enumerate((1, 0.05, 20))
)
"""Weights of different sizes and blocks on which a wrong choose_block is compared with known mistakes."""


def expect_chosen(
    student: Student, oracle: Any, weight: np.ndarray, blocks: list[int], bound: float, what: str
) -> None:
    """Raise Failure unless choose_block gives the right one."""
    expected, mistakes = oracle.chosen(weight, blocks, bound), oracle.chosen_mistakes(weight, blocks, bound)
    probed = oracle.probed_mistakes()
    try:
        with likely({"ZeroDivisionError": "a weight of zeros has no error: do not divide by its mean square"}):
            got = student.choose_block(weight, blocks, bound)
    except SubmissionError as error:
        if error.kind == "raise" and error.type != "NotImplementedError":
            error.cause = error.cause or why_raised(student, weight, blocks, bound)
        raise
    try:
        expect(got, expected, what=what, mistakes=mistakes)
    except Failure as failure:
        if leaves_out_divisors(student, weight.shape[1]):
            failure.cause = LEFT_OUT
        elif not failure.of_type:
            failure.cause = probed_cause(student, probed) or failure.cause
        raise


LEFT_OUT = (
    "a block that divides the row was left out, and the one as long as the row was not: a block divides where "
    "C % block is 0, not block % C"
)


def leaves_out_divisors(student: Student, columns: int) -> bool:
    """Whether choose_block takes the whole row as a block, but none of half of it, whatever the bound."""
    weight = np.ones((1, columns), np.float32)
    with suppress(SubmissionError), student.aside():
        whole, half = (student.choose_block(weight, [block], 1.0) for block in (columns, columns // 2))
        return whole == columns and half is None
    return False


BOUNDS = tuple(10.0 ** (n / 4) for n in range(-26, 0))
"""Bounds on which a wrong choose_block is compared with known mistakes, from 3e-7 to 0.6."""


def probed_cause(student: Student, mistakes: Mapping[str, list[int | None]]) -> str | None:
    """The mistake that gives the blocks that choose_block gives for all of PROBES."""
    with student.aside():
        try:
            got = [student.choose_block(weight, blocks, bound) for weight, blocks in PROBES for bound in BOUNDS]
            expect(got, [], mistakes=mistakes)  # never equal: only its likely cause counts
        except SubmissionError:
            return None
        except Failure as wrong:
            return wrong.cause
    return None


NONE_LEFT = "where no block is left, return None: no exception"
DOES_NOT_DIVIDE = "quantize refuses a block that does not divide the row: leave it out before"


def why_raised(student: Student, weight: np.ndarray, blocks: list[int], bound: float) -> str | None:
    """The likely cause of an exception of choose_block: what it does without the blocks that do not divide the row, and
    where each block is good enough, tells."""
    fitting = [block for block in blocks if weight.shape[1] % block == 0]

    def raises(blocks: list[int], bound: float) -> bool:
        with student.aside():
            try:
                student.choose_block(weight, blocks, bound)
            except SubmissionError:
                return True
        return False

    if raises([weight.shape[1]], 1e9):
        return None
    if raises(fitting, bound):
        return NONE_LEFT
    return DOES_NOT_DIVIDE if len(fitting) < len(blocks) else None


@task("choose_block", "fewest", "error", "none", "dtype")
@made_of("choose_block", "quantize", "dequantize")
def a_bound_between_two_errors(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Between the errors of two blocks, above all, and below: the largest block that is good enough, or None."""
    weight = uneven(rng, 4, 32)
    for bound in oracle.bounds(weight, [4, 8, 32]):
        what = f"the block for a weight (4, 32), blocks 8, 32 and 4, and the bound {bound:.4g}"
        expect_chosen(student, oracle, weight, [8, 32, 4], bound, what)


@task("choose_block", "divides", "fewest", "error", "none", "dtype")
@made_of("choose_block", "quantize", "dequantize")
def blocks_that_do_not_fit(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Blocks that do not divide the row are left out, and if none is left the result is None."""
    weight = uneven(rng, 3, 12)
    for bound in oracle.bounds(weight, [3, 6]):
        expect_chosen(student, oracle, weight, [24, 3, 5, 6], bound, f"the block of 24, 3, 5 and 6, bound {bound:.4g}")
    expect_chosen(student, oracle, weight, [5, 8], 1.0, "the block of 5 and 8")


@task("choose_block", "none")
@made_of("choose_block", "quantize", "dequantize")
def nothing_to_choose_from(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Where all blocks have too large an error, or there is none, the result is None."""
    weight = uneven(rng, 2, 8)
    expect_chosen(student, oracle, weight, [2, 4, 8], 1e-9, "the block for a bound that none keeps")
    expect_chosen(student, oracle, weight, [], 1.0, "the block where there is none to choose from")


@task("choose_block", "range", "fewest", "error", "none", "dtype")
@made_of("choose_block", "quantize", "dequantize")
def squares_that_float32_does_not_hold(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Weights of 1e-25 and of 1e25: the same block as for weights of 1."""
    for size in (1e-25, 1e25):
        weight = uneven(rng, 2, 16) * np.float32(size)
        answers = {bound: oracle.chosen(weight, [4, 16], bound) for bound in oracle.bounds(weight, [4, 16])}
        for bound in answers:
            what = f"the block of 4 and 16 for weights of {size:g}, bound {bound:.4g}"
            try:
                expect_chosen(student, oracle, weight, [4, 16], bound, what)
            except Failure as failure:
                if size < 1 and judges_right(student, np.ldexp(weight, 166), answers):  # as large as it is small
                    failure.cause = ADDED
                raise


ADDED = (
    "weights of 1e25 are judged right: float64 is used. But the squares of 1e-25 are 1e-50, and what is added to them "
    "to avoid 0 / 0, as 1e-12, outweighs them: compare without dividing, and add nothing"
)


def judges_right(student: Student, weight: np.ndarray, answers: Mapping[float, int | None]) -> bool:
    """Whether choose_block gives the right one of the blocks 4 and 16 for each bound."""
    with suppress(SubmissionError), student.aside():
        return all(student.choose_block(weight, [4, 16], bound) == answer for bound, answer in answers.items())
    return False


@task("choose_block", "error", "dtype")
@made_of("choose_block", "quantize", "dequantize")
def an_error_as_large_as_the_bound(student: Student, oracle: Any) -> None:
    """A weight that blocks of 4 keep exactly has the error 0 with them, which is at most the bound 0."""
    weight = np.array([[127, 64, 1, -5], [63.5, 2, 3, 4]], np.float32)
    try:
        expect_chosen(student, oracle, weight, [4, 2], 0.0, "the block of 4 and 2 for an exact weight and the bound 0")
    except Failure as failure:
        with suppress(Failure, SubmissionError), student.aside():
            expect(student.choose_block(weight, [4], 0.0), 4)
            failure.cause = (
                "the error need not shrink with the block: here it is 0 with blocks of 4, and larger with blocks of 2. "
                "One that fails does not end the search"
            )
        raise


@task("choose_block", "argument")
@made_of("choose_block", "quantize", "dequantize")
def the_blocks_stay_as_they_were(student: Student, rng: np.random.Generator) -> None:
    """`blocks` is after the call what it was before, in the same order."""
    blocks = [4, 16, 5, 2, 8]
    got = student.blocks_afterwards(uneven(rng, 2, 16), list(blocks), 0.01)
    cause = "`blocks` was changed in place: sorted(...) makes a list of your own, .sort() and .pop() do not"
    expect_unchanged("blocks", got, blocks, cause)


@task("choose_block", "zeros", "divides", "fewest", "dtype")
@made_of("choose_block", "quantize", "dequantize")
def a_weight_of_zeros(student: Student, oracle: Any) -> None:
    """A weight of zeros has no error with any block that divides its rows."""
    for bound in (0.0, 0.5):
        expect_chosen(student, oracle, np.zeros((2, 8), np.float32), [2, 8, 4], bound, "the block for zeros")
    expect_chosen(student, oracle, np.zeros((2, 8), np.float32), [3, 4, 16], 0.5, "the block of 3, 4 and 16 for zeros")
