"""Public tests of lesson 1's homework: what `course check` runs, small inputs first."""

from __future__ import annotations

import numpy as np

from classroom.judge import Failure, SubmissionError, expect, task

GRID = np.arange(1, 10).reshape(3, 3)
LESSON = np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])
KEEPS_TYPE = "floats keep their type: convert with as_float(x) alone, which changes integers only"


def product(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix product as three loops, the slow and obvious way."""
    y = np.zeros((w.shape[0], x.shape[1]), np.result_type(w, x))
    for i in range(w.shape[0]):
        for j in range(x.shape[1]):
            for k in range(w.shape[1]):
                y[i, j] += w[i, k] * x[k, j]
    return y


def axby_mistakes(w: np.ndarray, x: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these matrices, which are square."""
    y = product(w, x)
    return {
        "w * x multiplies element by element; the matrix product is w @ x": w * x + b,
        "this is x @ w + b: write w first": product(x, w) + b,
        "the bias is missing: add b": y,
        "b was subtracted: add it": y - b,
        "b was transposed: add it as it is": y + b.T,
        "w was transposed: take it as it is": product(w.T, x) + b,
        "x was transposed: take it as it is": product(w, x.T) + b,
        "only the first row of b was added, to every row: add the whole of b": y + b[0],
        "only the first column of b was added, to every column: add the whole of b": y + b[:, :1],
        "this is w @ (x + b), where w multiplies b too: add b after the product": product(w, x + b),
        "the whole numbers became float32: leave the conversion out": (y + b).astype(np.float32),
        "the whole numbers became float64: leave the conversion out": (y + b).astype(np.float64),
    }


@task("axby")
def the_lessons_numbers_come_out(student, rng):
    """With w = x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] and a bias with rows 1, 2, 3, y is what the lesson says."""
    b = np.repeat([[1], [2], [3]], 3, axis=1)
    expect(student.axby(GRID, GRID, b), LESSON, mistakes=axby_mistakes(GRID, GRID, b))


@task("axby")
def w_comes_before_x(student, rng):
    """w @ x + b, where w and x differ: each row of w meets each column of x."""
    w, x, b = np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([[1, 2], [3, 4]])
    expect(
        student.axby(w, x, b),
        product(w, x) + b,
        mistakes={
            "these are the lesson's numbers, whatever goes in: compute them from w, x and b": LESSON,
            **axby_mistakes(w, x, b),
        },
    )


@task("axby")
def the_shapes_need_not_be_square(student, rng):
    """(2, 3) @ (3, 4) + (2, 4) gives (2, 4), for whatever numbers."""
    w, x, b = (rng.integers(-9, 10, shape) for shape in ((2, 3), (3, 4), (2, 4)))
    expect(student.axby(w, x, b), product(w, x) + b)


@task("e_power_minus")
def e_to_minus_one_is_0_3679(student, rng):
    """e^-x of 0, 1, 2 and of -1 is 1, 0.3679, 0.1353 and 2.7183."""
    x = np.array([0.0, 1.0, 2.0, -1.0])
    expected = np.array([1.0, 0.36787944117144233, 0.1353352832366127, 2.718281828459045])
    expect(
        student.e_power_minus(x),
        expected,
        rtol=1e-6,
        mistakes={
            "this is e^x: the sign of x is missing": np.exp(x),
            "this is -e^x: the minus belongs to x, not to the power": -np.exp(x),
            "this is e^-|x|: negative numbers keep their sign": np.exp(-np.abs(x)),
            "this is e^-x - 1, which np.expm1 gives: take np.exp": np.expm1(-x),
            "e was rounded to 2.718: take np.exp, which knows all its digits": 2.718**-x,
            "e was rounded to 2.72: take np.exp, which knows all its digits": 2.72**-x,
            KEEPS_TYPE: expected.astype(np.float32),
        },
    )


@task("e_power_minus")
def an_image_keeps_its_shape_and_type(student, rng):
    """224 x 224 random float32 numbers: the same shape, still float32, each element e^-x."""
    x = rng.standard_normal((224, 224)).astype(np.float32)
    exact = np.exp(-x.astype(np.float64))
    expected = exact.astype(np.float32)
    expect(
        student.e_power_minus(x),
        expected,
        rtol=1e-5,
        mistakes={
            KEEPS_TYPE: exact,
            "the rows were put into one: np.exp keeps the shape, so leave ravel or reshape out": expected.ravel(),
        },
    )


@task("e_power_minus")
def pixels_become_float32_first(student, rng):
    """uint8 pixels 0, 1, 2, 3 become float32 before the minus, so that -1 does not turn into 255."""
    x = np.arange(4, dtype=np.uint8)
    with np.errstate(over="ignore"):
        wrapped = np.exp((-x).astype(np.float32))
    exact = np.exp(-x.astype(np.float64))
    expect(
        student.e_power_minus(x),
        exact.astype(np.float32),
        rtol=1e-5,
        mistakes={
            "-x was taken while x was still uint8: call as_float(x) first": wrapped,
            "the integers became float64: convert with as_float(x), which makes them float32": exact,
        },
    )


@task("axpy")
def three_times_x_plus_four(student, rng):
    """With a = 3 and y = 4 everywhere, 0, 1, 2 become 4, 7, 10."""
    x, y = np.array([0.0, 1.0, 2.0]), np.full(3, 4.0)
    expect(
        student.axpy(3.0, x, y),
        np.array([4.0, 7.0, 10.0]),
        mistakes={
            "this is a * (x + y): only x is multiplied by a": 3 * (x + y),
            "this is x + a * y: x and y changed places": x + 3 * y,
            "this is a + x + y: a multiplies x": 3 + x + y,
            "y was subtracted: add it": 3 * x - y,
            "np.dot adds the products up to one number: multiply element by element with *": np.float64(
                3 * np.dot(x, y)
            ),
        },
    )


@task("axpy")
def every_element_of_a_block(student, rng):
    """a * x + y for random blocks (2, 3, 4) of float32, in float32."""
    x, y = (rng.standard_normal((2, 3, 4)).astype(np.float32) for _ in range(2))
    a = float(rng.uniform(-2, 2))
    exact = a * x.astype(np.float64) + y
    expect(
        student.axpy(a, x, y),
        exact.astype(np.float32),
        rtol=1e-5,
        atol=1e-6,
        mistakes={
            "a was cut to a whole number: take it as it is, without int(a)": int(a) * x + y,
            "the float32 numbers became float64: a is a plain number, so leave np.float64 and astype out": exact,
        },
    )


@task("axpy")
def the_arguments_stay_as_they_are(student, rng):
    """Called twice with the same arrays, axpy gives the same result twice."""
    x, y = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    right = 3 * x + y
    expect(
        student.axpy_twice(3.0, x, y),
        [right, right],
        mistakes={
            "y was changed by the first call: y += ... and out=y write into the caller's array": [right, 3 * x + right],
            "x was changed by the first call: x *= a writes into the caller's array": [right, 9 * x + y],
        },
    )


@task("softmax")
def equal_scores_share_evenly(student, rng):
    """Scores 0, 0 give 0.5, 0.5; each row is divided by its own sum."""
    z = np.array([[0.0, 0.0], [-2.0, 0.0]])
    powers = np.exp(z)
    expected = powers / np.array([[2.0], [1 + powers[1, 0]]])
    expect(
        student.softmax(z),
        expected,
        rtol=1e-6,
        mistakes={
            "the sum runs over the whole array: each row has a sum of its own (axis=-1)": powers / powers.sum(),
            "the sum runs down the columns: it belongs along the last axis (axis=-1)": powers / powers.sum(axis=0),
            "each row was divided by another row's sum: keepdims=True keeps the axis": powers / powers.sum(axis=-1),
            "these are the powers e^z: divide each row by its sum": powers,
            "the powers were squared for the sum: divide each row by the plain sum of its powers": (
                powers / np.sqrt((powers**2).sum(axis=-1, keepdims=True))
            ),
            "-2 got the larger share: keep the sign of z, without np.abs and without another minus": expected[:, ::-1],
            KEEPS_TYPE: expected.astype(np.float32),
        },
    )


@task("softmax")
def large_scores_do_not_overflow(student, rng):
    """Scores of 1000 and of -1000 give numbers, not nan."""
    z = np.array([[1000.0, 1000.0], [-1000.0, -1000.0], [1000.0, 999.0]])
    sure = 1 / (1 + np.exp(-1.0))
    expected = np.array([[0.5, 0.5], [0.5, 0.5], [sure, 1 - sure]])
    lost, cut = expected.copy(), expected.copy()
    lost[1], cut[2] = np.nan, 0.5
    mistakes = {
        "e^1000 is inf, and inf / inf is nan: subtract each row's largest score before np.exp": np.full((3, 2), np.nan),
        "one maximum was subtracted everywhere, so a row far below it became 0 / 0: subtract each row's own, "
        "z.max(axis=-1, keepdims=True)": lost,
        "the scores were cut off, so 1000 and 999 became equal: subtract each row's largest score instead": cut,
    }
    try:
        expect(student.softmax(z), expected, rtol=1e-6, mistakes=mistakes)
    except SubmissionError as error:
        if error.kind != "raise" or "broadcast" not in error.message:
            raise
        failure = Failure(f"line {error.line} raised {error.type}: {error.message}")
        failure.cause = "the maximum or the sum lost the last axis: keepdims=True keeps it, so that it fits z again."
        raise failure from None


@task("softmax")
def a_row_adds_up_to_one(student, rng):
    """Random float32 scores for ten digits: the same type, and shares in proportion to e^z."""
    z = rng.standard_normal((5, 10)).astype(np.float32)
    powers = np.exp(z.astype(np.float64))
    expected = np.stack([row / row.sum() for row in powers])
    mistakes = {KEEPS_TYPE: expected}
    expect(student.softmax(z), expected.astype(np.float32), rtol=1e-5, atol=1e-7, mistakes=mistakes)
