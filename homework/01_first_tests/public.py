"""Public tests of lesson 1's homework: what `course check` runs, small inputs first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, expect, likely, task

GRID = np.arange(1, 10).reshape(3, 3)
LESSON = np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])
TOO_LARGE = "math.exp stops where the power is too large for a float: np.exp gives inf there, as the rule says"
NO_KEEPDIMS = {
    "broadcast": "the maximum or the sum lost the last axis: keepdims=True keeps it, so that it fits z again"
}

ONE_AXIS = {
    "AxisError": "z may have one axis alone: the last one is axis=-1",
    "invalid index to scalar": "where z has one axis, its maximum, its sum and each z[i] are numbers, which take no "
    "index such as [:, None]: axis=-1 with keepdims=True fits any number of axes",
}
ONE_NUMBER = "this function takes one number: np.exp takes a whole array of any shape"
ANY_AXES = "x may have any number of axes, not the two that two nested loops go through: np.exp takes a whole array"
EXP_CAUSES = {
    "0-dimensional": ONE_NUMBER,
    "length-1": ONE_NUMBER,
    "size-1": ONE_NUMBER,
    "TypeError: bad operand": ONE_NUMBER,
    "name 'math'": "math is not imported here, and its exp takes one number: np.exp takes a whole array",
    "IndexError": ANY_AXES,
    "has no len()": ANY_AXES,
    "not iterable": ANY_AXES,
    "no attribute 'exp'": "an array has no method exp: np.exp takes it as its argument",
}
IN_PLACE = "+=, -= and *= keep the type of an array that cannot hold the result: make a new one"


MISTAKES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "x @ w + b": lambda w, x, b: x @ w + b,
    "w.T @ x + b": lambda w, x, b: w.T @ x + b,
    "w @ x + b[0]": lambda w, x, b: w @ x + b[0],
    "np.abs(w) @ x + b": lambda w, x, b: np.abs(w) @ x + b,
    "(w @ x + b).astype(np.int8)": lambda w, x, b: (w @ x + b).astype(np.int8),
}
"""The five that `telling_inputs` has to catch."""
WHY = {
    "x @ w + b": "on your w and x the order of the product does not matter, as where they are equal, both diagonal, or "
    "one a multiple of the identity",
    "w.T @ x + b": "your w is its own transpose, or all its numbers are alike: take numbers without symmetry",
    "w @ x + b[0]": "the rows of your b are alike",
    "np.abs(w) @ x + b": "your w has no negative number",
    "(w @ x + b).astype(np.int8)": "all your results are from -128 to 127",
}


COLUMN_OF_ALL = {
    f"({count},1)": "b.reshape(-1, 1) makes one column of all numbers of b: right for a b of (m,), but a b of (m, n) "
    "fits as it is"
    for count in (9, 4, 8)
}
"""For a b of (3, 3), (2, 2) and (2, 4): numpy's error names the shape that does not fit."""


@contextmanager
def other_numbers_of_a_transposed_array() -> Iterator[None]:
    """Give a Failure its likely cause if shape and type are right and some numbers are not."""
    try:
        yield
    except Failure as failure:
        if failure.where is not None:
            failure.cause = failure.cause or (
                "a transposed array lies column by column, and so does np.empty_like of it: its reshape(-1) is a copy, "
                "and what you write into that is lost. Compute the result as a whole, or into np.empty(x.shape, ...)"
            )
        raise


@contextmanager
def large_terms_that_do_not_cancel() -> Iterator[None]:
    """Give a Failure its likely cause if e^-30 is off by what rounding leaves of the power series' largest terms.

    Or if it was rounded to 0, which nearly equals the results of other mistakes.
    """
    try:
        yield
    except Failure as failure:
        if failure.where is not None and failure.got[failure.where] == 0:
            failure.cause = "the result was rounded: leave round out, and small numbers keep their digits"
        if failure.where is not None and 1e-9 < abs(failure.got[failure.where]) < 1e-2:
            failure.cause = failure.cause or (
                "the terms of the power series are so large here that their rounding is larger than the answer, as 'A "
                "second opinion' in lesson 1 says: take np.exp"
            )
        raise


@task("axby", "product", "bias", "dtype")
def the_lessons_numbers_come_out(student: Student, oracle: Any) -> None:
    """With w = x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] and a bias with rows 1, 2, 3, y is what the lesson says."""
    b = np.repeat([[1], [2], [3]], 3, axis=1)
    with likely(COLUMN_OF_ALL):
        got = student.axby(GRID, GRID, b)
    expect(got, LESSON, mistakes=oracle.axby_mistakes(GRID, GRID, b))


@task("axby", "product", "bias", "dtype")
def w_comes_before_x(student: Student, oracle: Any) -> None:
    """w @ x + b, where w and x differ: each row of w meets each column of x."""
    w, x, b = np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([[1, 2], [3, 4]])
    mistakes = {
        "these are the lesson's numbers, whatever goes in: compute them from w, x and b": LESSON,
        **oracle.axby_mistakes(w, x, b),
    }
    with likely(COLUMN_OF_ALL):
        got = student.axby(w, x, b)
    expect(got, np.array([[11, 7], [23, 15]]), mistakes=mistakes)


@task("axby", "product", "bias", "dtype")
def the_shapes_need_not_be_square(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """(2, 3) @ (3, 4) + (2, 4) gives (2, 4), for whatever numbers."""
    w, x, b = (rng.integers(-9, 10, shape) for shape in ((2, 3), (3, 4), (2, 4)))
    causes = {
        **COLUMN_OF_ALL,
        "matmul": "the inner sizes do not agree: w @ x fits as it is, x @ w and .T do not",
        "broadcast": "the shapes do not fit: w * x multiplies element by element, and b is added as it is, without .T",
    }
    with likely(causes):
        got = student.axby(w, x, b)
    expect(got, oracle.summed(w, x, b), mistakes=oracle.bias_mistakes(w, x, b))


@task("axby", "rows", "product", "bias", "dtype", section="Element by element")
def a_bias_of_one_axis_goes_to_the_rows(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With b = [100, 200] every number of row 0 gets 100, and every number of row 1 gets 200, whatever the shapes."""
    w, x, b = np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([100, 200])
    causes = {
        "broadcast": "b of (m,) is lined up with the columns: make a column of it, (m, 1), before you add it",
        "IndexError": "b has one axis here, one number for each row: b[i, j] and b[:, :1] need two",
        "matmul": "the inner sizes do not agree: w @ x fits as it is, x @ w and .T do not",
        "cannot reshape": "b has m numbers here, too few for (m, n): make a column of it, (m, 1), which + repeats",
        "NoneType": "the function returns nothing where b has one axis",
    }
    with likely(causes):
        got = student.axby(w, x, b)
        expect(got, np.array([[110, 105], [220, 211]]), what="b = [100, 200]", mistakes=oracle.rows_mistakes(w, x, b))
        for m, k, n in ((2, 3, 4), (3, 2, 1)):
            w, x, b = (rng.integers(-9, 10, shape) for shape in ((m, k), (k, n), (m,)))
            mistakes = oracle.one_column_mistakes(w, x, b) if n == 1 else None
            what = f"shapes ({m}, {k}), ({k}, {n}) and ({m},)"
            expect(student.axby(w, x, b), oracle.summed_by_row(w, x, b), what=what, mistakes=mistakes)


@task("axby", "bias", "dtype")
def zeros_leave_the_bias(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Where w is 0 everywhere, y is b."""
    w = np.zeros((3, 3), np.int64)
    x, b = rng.integers(1, 10, (2, 3, 3))
    expect(student.axby(w, x, b), b, mistakes=oracle.bias_mistakes(w, x, b))


@task("axby", "dtype", "product", "bias")
def floats_stay_what_they_are(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 grids give float32, float64 and float16 grids theirs, and all have their fractions."""
    for kind, tolerance in ((np.float32, 1e-4), (np.float64, 1e-4), (np.float16, 3e-2)):
        w, x, b = (rng.standard_normal((3, 3)).astype(kind) for _ in range(3))
        mistakes = oracle.axby_mistakes(w, x, b)
        expect(student.axby(w, x, b), oracle.summed(w, x, b), rtol=tolerance, atol=tolerance, mistakes=mistakes)


@task("axby", "dtype", "product", "bias", section="Element by element")
def numpy_chooses_the_type_of_the_sum(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float64 with float32 or int64 gives float64, in any order; uint8 stays uint8, large integers keep all digits."""
    w, x, b = rng.integers(1, 5, (3, 2, 2))
    large = x + 2**57
    kinds = np.float32, np.float64, np.uint8
    narrow, wide, pixels = (
        [(part / (1 if kind == np.uint8 else 3)).astype(kind) for part in (w, x, b)] for kind in kinds
    )
    for some in (
        (narrow[0], wide[1], narrow[2]),
        (wide[0], narrow[1], narrow[2]),
        (w, x, wide[2]),
        pixels,
        (w, large, b),
    ):
        what = "w of {} @ x of {} + b of {}".format(*(part.dtype for part in some))
        with likely({"Cannot cast": IN_PLACE}):
            got = student.axby(*some)
        expect(got, oracle.summed(*some), rtol=1e-6, what=what, mistakes=oracle.sum_types_mistakes(*some))


@task("telling_inputs", "form", "square", "small")
def they_are_small_square_arrays(student: Student) -> None:
    """w, x and b are three arrays of integers from -20 to 20, all (2, 2) or all (3, 3), the same at every call."""
    for name, first, second in zip("wxb", inputs_of(student), inputs_of(student), strict=True):
        if not np.array_equal(first, second):
            failure = Failure(f"{name} of a second call: expected {first.tolist()} again, got {second.tolist()}")
            failure.cause = "random numbers need a seed, np.random.default_rng(1), or they catch all five by chance"
            raise failure


@task("telling_inputs", "swapped", "transposed", "bias_once", "absolute", "narrow", "form", "square", "small")
def each_of_the_five_gives_itself_away(student: Student) -> None:
    """All five wrong versions are caught: each gives another result than w @ x + b."""
    inputs = inputs_of(student)
    missed = [name for name, wrong in MISTAKES.items() if not gives_itself_away(wrong, *inputs)]
    if missed:
        failure = Failure(f"{len(MISTAKES) - len(missed)} of {len(MISTAKES)} caught; not caught: {'; '.join(missed)}")
        failure.cause = WHY[missed[0]]
        if missed[0] == "np.abs(w) @ x + b" and (inputs[0] < 0).any():
            failure.cause = "the negative numbers of your w meet zeros in x, or cancel each other out"
        if missed[0] == "w.T @ x + b" and not np.array_equal(inputs[0], inputs[0].T):
            failure.cause = "your w differs from w.T, but your x hides it: take rows that differ by more than a factor"
        raise failure


def gives_itself_away(wrong: Callable[[Any, Any, Any], Any], w: np.ndarray, x: np.ndarray, b: np.ndarray) -> bool:
    """Whether a wrong version has another result than the right one on these inputs."""
    return not np.array_equal(wrong(w, x, b), w @ x + b)


def inputs_of(student: Student) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the student's function returns. Raises Failure unless it has the form asked for."""
    got = student.telling_inputs()
    if type(got) is not tuple or len(got) != 3:
        came = f"a tuple of {len(got)}" if type(got) is tuple else type(got).__name__
        failure = Failure(f"the result: expected a tuple of three, (w, x, b), got {came.replace('NoneType', 'None')}")
        failure.cause = "three arrays, separated by commas, make a tuple: end with return w, x, b"
        raise failure
    for name, array in zip("wxb", got, strict=True):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            what = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            failure = Failure(f"{name}: expected a numpy array of integers, got {what}")
            failure.cause = "np.array([[1, 2], [3, 4]]) makes one, as long as none of its numbers has a point"
            raise failure
    w, x, b = got
    if np.result_type(w, x, b) == np.int8:
        failure = Failure("the type of w @ x + b: expected one that holds the result, got int8 for w, x and b")
        failure.cause = (
            "sums of int8 have wrapped already, so that narrow code has nothing to lose: leave the dtype out"
        )
        raise failure
    if not w.shape == x.shape == b.shape or w.shape not in ((2, 2), (3, 3)):
        shapes = f"{w.shape}, {x.shape} and {b.shape}"
        failure = Failure(f"the shapes of w, x and b: expected three times (2, 2), or three times (3, 3), got {shapes}")
        failure.cause = "other shapes catch a mistake by an error, or not at all; here the numbers have to do it"
        raise failure
    for name, array in zip("wxb", got, strict=True):
        if array.min() < -20 or array.max() > 20:
            failure = Failure(f"{name}: expected numbers from -20 to 20, got {array.min()} to {array.max()}")
            failure.cause = "a result beyond 127 needs no larger numbers: it is a sum of products, and 20 * 20 is 400"
            raise failure
    return w.astype(np.int64), x.astype(np.int64), b.astype(np.int64)


@task("e_power_minus", "power", "floats", "digits", "shape")
def e_to_minus_one_is_0_3679(student: Student, oracle: Any) -> None:
    """e^-x of 0, 1, 2 and of -1 is 1, 0.3679, 0.1353 and 2.7183."""
    x = np.array([0.0, 1.0, 2.0, -1.0])
    expected = np.array([1.0, 0.36787944117144233, 0.1353352832366127, 2.718281828459045])
    with likely(EXP_CAUSES):
        got = student.e_power_minus(x)
    expect(got, expected, rtol=1e-10, mistakes=oracle.power_mistakes(x))


@task("e_power_minus", "digits", "power", "floats", "shape")
def far_from_zero_the_digits_count(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """e^-30, e^-20, e^20, e^-700, e^700 are right to ten digits, in float32 e^-80 and e^80 to five; e^1000 is inf."""
    x, expected = np.array([30.0]), np.array([9.357622968840175e-14])
    with large_terms_that_do_not_cancel():
        got = student.e_power_minus(x)
        expect(got, expected, rtol=1e-10, what="the result for 30", mistakes=oracle.series_mistakes(x))
    x = np.array([20.0, -20.0, float(rng.uniform(3, 15))])
    expected = np.array([2.061153622438558e-09, 485165195.4097903, oracle.powers(x)[2]])
    expect(student.e_power_minus(x), expected, rtol=1e-10, mistakes=oracle.digits_mistakes(x))
    x, expected = np.array([100.0, -100.0]), np.array([3.720075976020836e-44, 2.6881171418161356e43])
    with likely({"OverflowError": TOO_LARGE, **EXP_CAUSES}):
        got = student.e_power_minus(x)
        expect(got, expected, rtol=1e-10, what="the result for 100 and -100", mistakes=oracle.cut_mistakes(x))
        x, expected = np.array([700.0, -700.0]), np.array([9.859676543759770e-305, 1.0142320547350045e304])
        got = student.e_power_minus(x)
        expect(got, expected, rtol=1e-10, what="the result for 700 and -700", mistakes=oracle.cut_mistakes(x))
        x, expected = np.array([1000.0, -1000.0]), np.array([0.0, np.inf])
        got = student.e_power_minus(x)
        expect(got, expected, atol=1e-300, what="the result for 1000 and -1000", mistakes=oracle.cut_mistakes(x))
    x, expected = np.float32([80, -80]), np.float32([1.8048513878454153e-35, 5.540622384393510e34])
    expect(
        student.e_power_minus(x), expected, rtol=1e-5, what="the result for float32", mistakes=oracle.kept_mistakes(x)
    )


@task("e_power_minus", "shape", "power", "floats", "digits")
def blocks_keep_their_shape(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Blocks of one to four axes come out with the shape that they had, and so do transposed ones."""
    for shape in ((3,), (2, 3), (2, 1, 3, 2)):
        x = rng.uniform(-2, 2, shape).astype(np.float32)
        with likely(EXP_CAUSES):
            got = student.e_power_minus(x)
        mistakes = oracle.shape_mistakes(x)
        expect(got, oracle.powers(x), rtol=1e-5, what=f"the result for {shape}", mistakes=mistakes)
    x = rng.uniform(-2, 2, (2, 3, 4)).T
    with other_numbers_of_a_transposed_array():
        expect(student.e_power_minus(x), oracle.powers(x), rtol=1e-5, what="the result for block.T")


@task("e_power_minus", "floats", "power", "shape", "digits")
def floats_keep_their_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float16, float32 and float64 stay what they are."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-5), (np.float16, 1e-2)):
        x = rng.standard_normal((5, 7)).astype(kind)
        mistakes = oracle.kept_mistakes(x)
        expect(
            student.e_power_minus(x), oracle.powers(x), rtol=rtol, what=f"the result for {x.dtype}", mistakes=mistakes
        )


@task("e_power_minus", "integers", "power", "floats", "digits", "shape")
def pixels_become_float32_first(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """uint8 pixels 0, 1, 2, 3 become float32 before the minus, so that -1 does not become 255; so do all integers."""
    signed = rng.integers(-5, 6, (2, 3))
    for x in (
        *(np.arange(4).astype(kind) for kind in (np.uint8, np.uint16, np.uint32, np.uint64)),
        *(signed.astype(kind) for kind in (np.int64, np.int32, np.int16, np.int8)),
    ):
        mistakes = oracle.integers_mistakes(x)
        expect(
            student.e_power_minus(x), oracle.powers(x), rtol=1e-5, what=f"the result for {x.dtype}", mistakes=mistakes
        )


@task("axpy", "sum")
def three_times_x_plus_four(student: Student, oracle: Any) -> None:
    """With a = 3 and y = 4 everywhere, 0, 1, 2 become 4, 7, 10."""
    x, y = np.array([0.0, 1.0, 2.0]), np.full(3, 4.0)
    with likely({"matmul": "a is a plain number, and @ is for matrices: multiply every element with *"}):
        got = student.axpy(3.0, x, y)
    expect(got, np.array([4.0, 7.0, 10.0]), mistakes=oracle.axpy_mistakes(3.0, x, y))


@task("axpy", "sum", "dtype")
def every_element_of_a_block(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """a * x + y for random blocks (2, 3, 4) of float32, in float32, and for the same blocks transposed."""
    x, y = (rng.standard_normal((2, 3, 4)).astype(np.float32) for _ in range(2))
    a = float(rng.uniform(-2, 2))
    mistakes = oracle.axpy_mistakes(a, x, y)
    loop = "x and y may have more than one axis: a * x + y computes whole arrays, without a loop"
    with likely({"setting an array element": loop, "matmul": "multiply a and x element by element, with *"}):
        got = student.axpy(a, x, y)
    expect(got, oracle.added(a, x, y), rtol=1e-5, atol=1e-6, mistakes=mistakes)
    got = student.axpy(a, y.T, x.T)
    with other_numbers_of_a_transposed_array():
        expect(got, oracle.added(a, y.T, x.T), rtol=1e-5, atol=1e-6, what="the result for blocks .T")


@task("axpy", "new", "sum")
def the_arguments_stay_as_they_are(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Called twice with the same arrays, axpy gives the same result twice, whatever happened to the first one."""
    some, others = rng.uniform(1, 9, (2, 4))
    tens = np.array([10.0, 20.0])
    for a, x, y in ((3.0, tens / 10, tens), (3.0, some, others), (0.0, some, others), (2.0, 0 * some, others)):
        right = oracle.added(a, x, y)
        mistakes = oracle.written_mistakes(a, x, y)
        what = f"a = {a:g}" + ", x = 0" * (not x.any())
        got = student.axpy_twice(a, x, y)
        expect(got, [right, right], rtol=1e-12, what=what, names=("first call", "second call"), mistakes=mistakes)


@task("axpy", "dtype", "sum", "new")
def numpy_chooses_the_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 with float64 gives float64, integers times 2 stay integers, times 0.5 or 2.0 they become float64."""
    narrow, wide = rng.standard_normal((2, 3)).astype(np.float32), rng.standard_normal((2, 3))
    ones = np.ones((2, 3), np.int64)
    large = ones + 2**57
    for a, x, y in (
        (2.0, narrow, wide),
        (2.0, wide, narrow),
        (0.5, ones, ones),
        (2, ones, ones),
        (3, large, ones),
        (2.0, ones, ones),
        (1.0, ones, ones),
        (0.0, ones, ones),
        (0.0, wide, narrow),
        (0.5, narrow, 0 * wide),
    ):
        with likely({"Cannot cast": IN_PLACE}):
            got = student.axpy(a, x, y)
        what = f"{a} * {x.dtype} + {y.dtype}"
        expect(got, oracle.added(a, x, y), rtol=1e-6, what=what, mistakes=oracle.types_mistakes(a, x, y))


@task("softmax", "shares", "floats")
def equal_scores_share_evenly(student: Student, oracle: Any) -> None:
    """Scores 0, 0 give 0.5, 0.5; each row is divided by its own sum."""
    z = np.array([[0.0, 0.0], [-2.0, 0.0]])
    with likely({"no attribute 'exp'": EXP_CAUSES["no attribute 'exp'"]}):
        got = student.softmax(z)
    expect(got, oracle.shared(z), rtol=1e-6, mistakes=oracle.shares_mistakes(z))


@task("softmax", "large", "apart", "shares", "floats")
def large_scores_do_not_overflow(student: Student, oracle: Any) -> None:
    """Scores of 1000 and of -1000 give numbers, not nan, -1000 alone too, and in float32 100 does, and -200."""
    for z in (
        np.array([[1000.0, 1000.0], [-1000.0, -1000.0], [1000.0, 999.0]]),
        np.array([[-1000.0, -1000.0]]),
        np.float32([[100, 100], [100, 99]]),
        np.float32([[-200, -200]]),
    ):
        with likely(NO_KEEPDIMS):
            got = student.softmax(z)
        what = f"the result for {z.dtype} {z.tolist()}"
        expect(got, oracle.shared(z), rtol=1e-6, what=what, mistakes=oracle.large_mistakes(z))


@task("softmax", "large", "shares", "floats")
def a_score_far_above_its_row(student: Student, oracle: Any) -> None:
    """A score that is 2000 above the rest of its row gets 1, and the rest 0."""
    z = np.array([[0.0, 2000.0, 0.0]])
    expect(student.softmax(z), np.array([[0.0, 1.0, 0.0]]), rtol=1e-6, atol=1e-12, mistakes=oracle.large_mistakes(z))


@task("softmax", "apart", "large", "shares", "floats")
def three_rows_far_apart(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Rows near 5000, near 0 and near -5000 give the shares that the differences in each row say."""
    z = rng.uniform(0, 3, (3, 4)) + np.array([[5000.0], [0.0], [-5000.0]])
    with likely(NO_KEEPDIMS):
        got = student.softmax(z)
    expect(got, oracle.shared(z), rtol=1e-6, mistakes=oracle.large_mistakes(z))


@task("softmax", "floats", "shares")
def a_row_adds_up_to_one(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random float32 and float16 scores for ten digits: the same type, and shares in proportion to e^z."""
    for kind, rtol, atol in ((np.float32, 1e-5, 1e-7), (np.float16, 2e-2, 1e-3)):
        z = rng.standard_normal((5, 10)).astype(kind)
        with likely(NO_KEEPDIMS):
            got = student.softmax(z)
        what = f"the result for {z.dtype}"
        expect(got, oracle.shared(z), rtol=rtol, atol=atol, what=what, mistakes=oracle.type_mistakes(z))


@task("softmax", "last_axis", "shares", "floats")
def rows_run_along_the_last_axis(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """One axis is one row; of three and four axes the last one holds the rows, in a transposed block too."""
    for shape in ((4,), (3, 3, 3), (2, 1, 3, 4)):
        z = rng.uniform(-3, 3, shape)
        with likely({**NO_KEEPDIMS, **ONE_AXIS}):
            got = student.softmax(z)
        what = f"softmax of {shape}"
        expect(got, oracle.shared(z), rtol=1e-6, what=what, mistakes=oracle.axis_mistakes(z))
    z = rng.uniform(-3, 3, (2, 3, 4)).T
    with other_numbers_of_a_transposed_array():
        got, mistakes = student.softmax(z), oracle.axis_mistakes(z)
        expect(got, oracle.shared(z), rtol=1e-6, what="softmax of block.T", mistakes=mistakes)


@task("softmax", "digits", "shares", "floats")
def float64_has_all_its_digits(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The shares of float64 scores are right to nine digits, a share of e^-100 too."""
    z = rng.uniform(-5, 5, (2, 6))
    expect(student.softmax(z), oracle.shared(z), rtol=1e-9, mistakes=oracle.rounded_mistakes(z))
    z = np.array([[0.0, -60.0, -100.0]])
    mistakes = oracle.small_mistakes(z)
    expect(student.softmax(z), oracle.shared(z), rtol=1e-9, what="softmax of 0, -60, -100", mistakes=mistakes)


@task("softmax", "integers", "shares")
def integer_scores(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Integer scores of every width give float32 shares, and those of uint8 do not wrap around."""
    scores = rng.permutation(8).reshape(2, 4)
    kinds = (np.uint8, np.int64, np.int32, np.int16, np.int8, np.uint16, np.uint32, np.uint64)
    for z in (*(scores.astype(kind) for kind in kinds), np.int8([[100, -100, 99, 100]])):
        mistakes = oracle.integers_mistakes(z)
        expect(
            student.softmax(z),
            oracle.shared(z),
            rtol=1e-5,
            atol=1e-7,
            what=f"the result for {z.dtype}",
            mistakes=mistakes,
        )
