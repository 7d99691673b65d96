"""Hidden tests of lesson 2: sizes of 1, every dtype, extreme values, larger random inputs."""

from __future__ import annotations

import itertools

import numpy as np

from classroom.judge import Student, expect, expect_raises, task

DTYPES = ("bool", "uint8", "int16", "int64", "float16", "float64", "complex64")
SMALL_SHAPES = tuple(itertools.product((1, 3), (1, 2), (1, 4)))


def in_order(x: np.ndarray, row_major: bool) -> np.ndarray:
    """(C, H, W) -> (C*H*W,), channel by channel."""
    return np.concatenate([channel.ravel(order="C" if row_major else "F") for channel in x])


def laid_out(values: np.ndarray, shape: tuple[int, ...], row_major: bool) -> np.ndarray:
    """(C*H*W,) -> (C, H, W), channel by channel."""
    channels = np.split(values, shape[0])
    return np.stack([channel.reshape(shape[1:], order="C" if row_major else "F") for channel in channels])


def bordered(x: np.ndarray, pads: tuple[int, ...], value: float) -> np.ndarray:
    """(C, H, W) -> (C, up + H + bottom, left + W + right)."""
    up, bottom, left, right = pads
    return np.pad(x, ((0, 0), (up, bottom), (left, right)), constant_values=value)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """Random numbers of both signs, as far as the dtype has them."""
    return rng.integers(0 if dtype == "uint8" else -90, 91, shape).astype(dtype)


def sizes(rng: np.random.Generator, low: int, high: int) -> tuple[int, int, int]:
    """Three random sizes, all different, each at least `low` and less than `high`."""
    c, h, w = (int(n) for n in rng.permutation(np.arange(low, high))[:3])
    return c, h, w


@task("flatten")
def axes_of_one(student: Student, rng: np.random.Generator) -> None:
    """Shapes with one channel, one row or one column flatten in the same orders."""
    for shape in SMALL_SHAPES:
        x = rng.standard_normal(shape).astype(np.float32)
        for row_major in (True, False):
            expect(student.flatten(x, row_major), in_order(x, row_major), what=f"flatten of {shape}")


@task("flatten")
def every_dtype_is_kept(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers, truth values, half, double and complex numbers come out with the dtype they came with."""
    for dtype in DTYPES:
        x = numbers(rng, sizes(rng, 2, 6), dtype)
        for row_major in (True, False):
            expect(student.flatten(x, row_major), in_order(x, row_major), what=f"flatten of {dtype}")


@task("flatten")
def a_large_block_with_nan_and_infinity(student: Student, rng: np.random.Generator) -> None:
    """A block of some thousand numbers, nan and infinities among them, keeps every value in its place."""
    x = rng.standard_normal(sizes(rng, 11, 24))
    x.reshape(-1)[rng.integers(0, x.size, 9)] = [np.nan, np.inf, -np.inf] * 3
    expect(student.flatten(x, False), in_order(x, False))
    expect(student.flatten(x), x.reshape(-1))
    expect(student.flatten(row_major=True, x=x), x.reshape(-1))


@task("padding")
def random_borders(student: Student, rng: np.random.Generator) -> None:
    """Random shapes, sizes of 1 among them, with random pads and values of either sign."""
    for low, high in ((1, 4), (2, 9), (9, 19)):
        x = rng.standard_normal(sizes(rng, low, high)).astype(np.float32)
        pads = tuple(int(n) for n in rng.permutation(7)[:4])
        value = float(rng.standard_normal())
        got = student.padding(x, pads, value)
        expect(got, bordered(x, pads, value), what=f"{x.shape} with pads {pads}")


@task("padding")
def one_side_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A border on one side alone leaves the other three as they are."""
    x = rng.standard_normal((3, 2, 4))
    for side in range(4):
        pads = tuple(int(n) for n in np.eye(4, dtype=int)[side] * rng.integers(1, 5))
        expect(student.padding(x, pads, -1.5), bordered(x, pads, -1.5), what=f"pads {pads}")
    expect(student.padding(x, (0, 0, 0, 0), 2.0), x, what="pads (0, 0, 0, 0)")


@task("padding")
def border_of_minus_infinity(student: Student, rng: np.random.Generator) -> None:
    """A border of -inf, which max-pooling asks for, or of nan is written as it is; no value means 0."""
    x = rng.standard_normal((2, 3, 5)).astype(np.float32)
    for value in (float("-inf"), float("nan"), -0.25):
        expect(student.padding(x, (1, 0, 2, 1), value), bordered(x, (1, 0, 2, 1), value), what=f"value {value}")
    expect(student.padding(x, (3, 0, 0, 1)), bordered(x, (3, 0, 0, 1), 0.0), what="the result without value")


@task("padding")
def the_dtype_of_x_decides(student: Student, rng: np.random.Generator) -> None:
    """The result has the dtype of x, also where `value` is of another type."""
    for dtype in DTYPES:
        x = numbers(rng, sizes(rng, 1, 5), dtype)
        for value in (1.0, 1, 0.0):
            got = student.padding(x, (0, 2, 1, 0), value)
            expect(got, bordered(x, (0, 2, 1, 0), value), what=f"padding of {dtype} with {value!r}")


@task("padding")
def each_negative_pad_is_refused(student: Student, rng: np.random.Generator) -> None:
    """One negative pad raises an error, on every side, whatever the other pads are."""
    for shape in ((1, 1, 1), (2, 1, 1), (3, 4, 5)):
        x = rng.standard_normal(shape)
        for side in range(4):
            pads = [int(n) for n in rng.integers(0, 4, 4)]
            pads[side] = -1
            expect_raises(student.padding, x, pads, 1.0)
            pads[side ^ 1] = 1
            expect_raises(student.padding, x, tuple(pads), 1.0)


@task("reshape")
def random_shapes_in_both_orders(student: Student, rng: np.random.Generator) -> None:
    """Larger blocks take new shapes, in both orders, axes of one among them."""
    a, b, c = sizes(rng, 5, 12)
    x = rng.standard_normal((a, b, c))
    for shapes in ((b, c, a), (c, a, b), (1, b, a * c), (a * b, 1, c), (a * c, b, 1), (a, b, c)):
        for row_major in (True, False):
            got = student.reshape(x, shapes, row_major)
            what = f"reshape of {x.shape} to {shapes}, row_major={row_major}"
            expect(got, laid_out(in_order(x, row_major), shapes, row_major), what=what)


@task("reshape")
def every_dtype_is_kept_in_a_new_shape(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers, truth values, half, double and complex numbers keep their dtype; row_major is True if not said."""
    for dtype in DTYPES:
        x = numbers(rng, (2, 6, 5), dtype)
        expect(student.reshape(x, [4, 15]), x.reshape(1, 4, 15), what=f"reshape of {dtype}")
        expected = laid_out(in_order(x, False), (3, 4, 5), False)
        expect(student.reshape(x, [3, 4, 5], False), expected, what=f"reshape of {dtype}, column by column")


@task("reshape")
def one_element_more_or_less_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A shape that holds one element more or fewer, a whole multiple, or none, raises an error."""
    x = rng.standard_normal(sizes(rng, 2, 6))
    n = x.size
    for shapes in ((n + 1,), (n - 1,), (2, n), (2, n, 1), (0, n), (0,)):
        for row_major in (True, False):
            expect_raises(student.reshape, x, shapes, row_major)
