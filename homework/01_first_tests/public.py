"""Public tests of lesson 1's homework: what `course check` runs, small inputs first."""

from __future__ import annotations

import numpy as np

from classroom.judge import expect, task

GRID = np.arange(1, 10).reshape(3, 3)


def product(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix product as three loops, the slow and obvious way."""
    y = np.zeros((w.shape[0], x.shape[1]), np.result_type(w, x))
    for i in range(w.shape[0]):
        for j in range(x.shape[1]):
            for k in range(w.shape[1]):
                y[i, j] += w[i, k] * x[k, j]
    return y


@task("axby")
def the_lessons_numbers_come_out(student, rng):
    """With w = x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] and a bias with rows 1, 2, 3, y is what the lesson says."""
    b = np.repeat([[1], [2], [3]], 3, axis=1)
    expected = np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])
    expect(
        student.axby(GRID, GRID, b),
        expected,
        mistakes={
            "w * x multiplies element by element; the matrix product is w @ x": GRID * GRID + b,
            "the bias is missing: add b": expected - b,
            "b was transposed: add it as it is": expected - b + b.T,
        },
    )


@task("axby")
def w_comes_before_x(student, rng):
    """w @ x + b, where w and x differ: each row of w meets each column of x."""
    w, x, b = np.array([[1, 2], [3, 4]]), np.array([[0, 1], [5, 2]]), np.array([[1, 2], [3, 4]])
    expect(
        student.axby(w, x, b),
        product(w, x) + b,
        mistakes={
            "this is x @ w + b: the order of the two factors matters": product(x, w) + b,
            "w * x multiplies element by element; the matrix product is w @ x": w * x + b,
            "w was transposed": product(w.T, x) + b,
            "x was transposed": product(w, x.T) + b,
            "b was subtracted, or w multiplied b too": product(w, x) - b,
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
        },
    )


@task("e_power_minus")
def an_image_keeps_its_shape_and_type(student, rng):
    """224 x 224 random float32 numbers: the same shape, still float32, each element e^-x."""
    x = rng.standard_normal((224, 224)).astype(np.float32)
    exact = np.exp(-x.astype(np.float64))
    expect(student.e_power_minus(x), exact.astype(np.float32), rtol=1e-5)


@task("e_power_minus")
def pixels_become_float32_first(student, rng):
    """uint8 pixels 0, 1, 2, 3 become float32 before the minus, so that -1 does not turn into 255."""
    x = np.arange(4, dtype=np.uint8)
    with np.errstate(over="ignore"):
        wrapped = np.exp((-x).astype(np.float32))
    expect(
        student.e_power_minus(x),
        np.exp(-x.astype(np.float64)).astype(np.float32),
        rtol=1e-5,
        mistakes={"-x was taken while x was still uint8: call as_float(x) first": wrapped},
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
        },
    )


@task("axpy")
def every_element_of_a_block(student, rng):
    """a * x + y for random blocks (2, 3, 4) of float32, in float32."""
    x, y = (rng.standard_normal((2, 3, 4)).astype(np.float32) for _ in range(2))
    a = float(rng.uniform(-2, 2))
    exact = a * x.astype(np.float64) + y
    expect(student.axpy(a, x, y), exact.astype(np.float32), rtol=1e-5, atol=1e-6)


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
    expect(
        student.softmax(z),
        powers / np.array([[2.0], [1 + powers[1, 0]]]),
        rtol=1e-6,
        mistakes={
            "the sum runs over the whole array: each row has a sum of its own (axis=-1)": powers / powers.sum(),
            "the sum runs down the columns: it belongs along the last axis (axis=-1)": powers / powers.sum(axis=0),
            "each row was divided by another row's sum: keepdims=True keeps the axis": powers / powers.sum(axis=-1),
        },
    )


@task("softmax")
def large_scores_do_not_overflow(student, rng):
    """Scores of 1000 and of -1000 give numbers, not nan."""
    z = np.array([[1000.0, 1000.0], [-1000.0, -1000.0], [1000.0, 999.0]])
    sure = 1 / (1 + np.exp(-1.0))
    expect(student.softmax(z), np.array([[0.5, 0.5], [0.5, 0.5], [sure, 1 - sure]]), rtol=1e-6)


@task("softmax")
def a_row_adds_up_to_one(student, rng):
    """Random float32 scores for ten digits: the same type, and shares in proportion to e^z."""
    z = rng.standard_normal((5, 10)).astype(np.float32)
    powers = np.exp(z.astype(np.float64))
    expected = np.stack([row / row.sum() for row in powers])
    expect(student.softmax(z), expected.astype(np.float32), rtol=1e-5, atol=1e-7)
