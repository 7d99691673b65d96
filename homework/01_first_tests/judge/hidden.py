"""Hidden tests of lesson 1's homework: other sizes, types and magnitudes, new numbers for every seed."""

from __future__ import annotations

import numpy as np

from classroom.judge import expect, task


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


@task("e_power_minus")
def every_rank_and_both_floats(student, rng):
    """Arrays of 1 to 4 axes, float32 and float64, small and large of both signs."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-10)):
        for shape in ((1,), (7, 1), (3, 5, 2), (2, 1, 4, 3)):
            x = rng.uniform(-20, 20, shape).astype(kind)
            expected = np.exp(-x.astype(np.float64)).astype(kind)
            expect(student.e_power_minus(x), expected, rtol=rtol, what=f"e_power_minus of {shape} {np.dtype(kind)}")


@task("e_power_minus")
def integers_of_every_kind(student, rng):
    """uint8, int8 and int64 become float32, negative ones too."""
    for kind in (np.uint8, np.int8, np.int64):
        x = rng.integers(0 if kind is np.uint8 else -20, 20, (6, 5)).astype(kind)
        x[0, 0] = 1
        expected = np.exp(-x.astype(np.float64)).astype(np.float32)
        expect(student.e_power_minus(x), expected, rtol=1e-5, what=f"e_power_minus of {np.dtype(kind)}")


@task("axpy")
def any_shape_and_any_factor(student, rng):
    """Random arrays of 1 to 4 axes; factors that are negative, zero and fractional."""
    for shape in ((1,), (6, 1), (3, 4, 2), (2, 3, 1, 5)):
        for a in (0.0, -1.0, float(rng.uniform(-5, 5))):
            x, y = rng.standard_normal(shape), rng.standard_normal(shape)
            expected = np.array([a * p + q for p, q in zip(x.flat, y.flat)]).reshape(shape)
            expect(student.axpy(a, x, y), expected, rtol=1e-12, atol=1e-12, what=f"axpy of {shape} with a = {a:g}")


@task("axpy")
def the_wider_type_wins(student, rng):
    """float32 with float64, and integers with a fractional factor, give float64; nothing is cut off."""
    wide, narrow = rng.standard_normal((3, 4)), rng.standard_normal((3, 4)).astype(np.float32)
    whole = rng.integers(1, 9, (3, 4))
    expect(student.axpy(2.0, wide, narrow), 2.0 * wide + narrow, rtol=1e-12, what="axpy of float64 and float32")
    expect(student.axpy(2.0, narrow, wide), 2.0 * narrow + wide, rtol=1e-6, what="axpy of float32 and float64")
    expect(student.axpy(0.5, whole, whole), 1.5 * whole, rtol=1e-12, what="axpy of integers with a = 0.5")


@task("axpy")
def neither_argument_is_written_to(student, rng):
    """Twice with the same random arrays: both results are a * x + y."""
    x, y = rng.standard_normal((4, 5)), rng.standard_normal((4, 5))
    right = -1.5 * x + y
    expect(student.axpy_twice(-1.5, x, y), [right, right], rtol=1e-12, atol=1e-12)


@task("softmax")
def along_the_last_axis_of_any_rank(student, rng):
    """1 to 4 axes, sizes that are equal (3, 3, 3) and sizes of 1: every row along the last axis by itself."""
    for shape in ((6,), (3, 3, 3), (2, 1, 4, 5), (4, 1)):
        z = rng.uniform(-5, 5, shape)
        rows = np.array([np.exp(row) / np.exp(row).sum() for row in z.reshape(-1, shape[-1])])
        expect(student.softmax(z), rows.reshape(shape), rtol=1e-9, atol=1e-12, what=f"softmax of {shape}")


@task("softmax")
def rows_far_apart_do_not_disturb_each_other(student, rng):
    """One row near 5000, one near 0, one near -5000: each gives the shares that its differences say."""
    z = rng.uniform(0, 3, (3, 4))
    expected = np.array([np.exp(row) / np.exp(row).sum() for row in z])
    far = z + np.array([[5000.0], [0.0], [-5000.0]])
    expect(student.softmax(far), expected, rtol=1e-6, atol=1e-9)


@task("softmax")
def one_high_score_takes_all(student, rng):
    """A row with a score 2000 above the others gives a 1 there and 0 elsewhere, in float32 too."""
    for kind in (np.float64, np.float32):
        place = int(rng.integers(0, 5))
        z, expected = np.zeros((1, 5), kind), np.zeros((1, 5), kind)
        z[0, place], expected[0, place] = 2000, 1
        expect(student.softmax(z), expected, atol=1e-12, what=f"softmax of {np.dtype(kind)}")


@task("softmax")
def whole_scores_become_float32(student, rng):
    """Integer scores, unsigned ones too, give float32 shares."""
    for kind in (np.int64, np.uint8):
        z = rng.permuted(np.arange(12).reshape(2, 6), axis=1).astype(kind)
        powers = np.exp(z.astype(np.float64))
        expected = np.stack([row / row.sum() for row in powers]).astype(np.float32)
        expect(student.softmax(z), expected, rtol=1e-5, atol=1e-7, what=f"softmax of {np.dtype(kind)}")
