r"""As many windows as are asked for, whatever the size of the picture: why the solution is as it is.

An axis of H rows is cut into h parts of equal length H / h, and a window has every row that its part touches. Its
part begins at i * H / h, inside row floor(i * H / h), and ends at (i + 1) * H / h, so that the first row it does not
touch is the ceil of that. A helper for one axis, used for the rows and for the columns, is half of the work.

In whole numbers: `i * H // h` is the floor, and `-(-(i + 1) * H // h)` the ceil, because `//` rounds down and two
minus signs turn that round. `math.ceil((i + 1) * H / h)` is right, too. `math.ceil((i + 1) * (H / h))` is not: H / h
is rounded, the product makes the error larger, and 7 * (58 / 14) is a little more than 29. Its ceil is 30, one row
too many.

Typical mistakes:

- One size and one step for all windows, `step = H // h`, `size = H - (h - 1) * step`, as in the original course. It
  agrees where h divides H, and for h = 1, and there only: 0 1 2 3 4 in three windows gives 1, 2, 3 in place of 0.5,
  2, 3.5.
- Both borders rounded down. Then no two windows overlap, and 0 1 2 3 4 is cut into 0, 1 2, 3 4.
- Sums divided by one number for all windows. Windows differ in length.
- (h, w) taken for (w, h). Square sizes hide it.

A window is a box, so the mean over it can be computed one axis after the other: first means of rows, then means of
columns. That is what kuiper does, with h + w steps in place of h * w. It works because all windows in a line of the
result have the same number of columns.

Cost: each number is read once, or a few times where windows overlap: about N * C * H * W additions.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, task

from .. import public


@task("adaptive_avg_pool")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of windows on any plane, sizes of 1 among them, gives the means of the formula's windows."""
    for _ in range(12):
        shape = tuple(int(n) for n in (*rng.integers(1, 4, 2), *rng.integers(1, 12, 2)))
        size = int(rng.integers(1, 12)), int(rng.integers(1, 12))
        public.expect_pooled(student, rng.integers(-99, 100, shape).astype(np.float64), size, 1e-12)


@task("adaptive_avg_pool")
def more_windows_than_rows(student: Student, rng: np.random.Generator) -> None:
    """Where h or w is larger than the plane, windows of one or two numbers repeat and overlap."""
    x = rng.integers(-99, 100, (2, 2, 3, 2)).astype(np.float64)
    for size in ((5, 3), (3, 7), (8, 2), (4, 4)):
        public.expect_pooled(student, x, size, 1e-12)


@task("adaptive_avg_pool")
def borders_are_exact(student: Student, rng: np.random.Generator) -> None:
    """Borders that are whole numbers stay so: a rounded step must not push one into the next row."""
    for length, count in ((58, 14), (30, 22), (30, 26), (36, 28), (14, 50)):
        line = rng.integers(-99, 100, length).astype(np.float64)
        public.expect_pooled(student, line.reshape(1, 1, -1, 1), (count, 1), 1e-12)
        public.expect_pooled(student, line.reshape(1, 1, 1, -1), (1, count), 1e-12)


@task("adaptive_avg_pool")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        public.expect_pooled(student, rng.normal(size=(2, 3, 9, 8)).astype(dtype), (4, 3), tolerance)


@task("adaptive_avg_pool")
def the_planes_of_a_network(student: Student, rng: np.random.Generator) -> None:
    """512 planes of 7x7, as ResNet18 has them, and of 10x13, as a larger picture gives, within the time limit."""
    for shape, size in (((2, 512, 7, 7), (1, 1)), ((1, 512, 10, 13), (7, 7))):
        public.expect_pooled(student, rng.normal(size=shape).astype(np.float32), size, 1e-5)


@task("adaptive_avg_pool")
def one_pixel_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A single pixel that is not 0 is seen by the windows it lies in, and by no other."""
    for size in ((3, 3), (4, 5), (2, 2)):
        x = np.zeros((1, 2, 7, 8))
        x[0, int(rng.integers(2)), int(rng.integers(7)), int(rng.integers(8))] = float(rng.integers(1, 100))
        public.expect_pooled(student, x, size, 1e-12)


SPANS = "[slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]"
END = "-(-(i + 1) * length // count)"
BEGIN = "i * length // count,"
MEANS = "x[:, :, rows, cols].mean(axis=(2, 3))"
EMPTY = "np.empty((*x.shape[:2], *size), x.dtype)"

MUTANTS = [
    Mutant(
        "fixed_window",
        "one size and one step for all windows, the original course's fault",
        old=SPANS,
        new=(
            "[slice(i * (length // count), i * (length // count) + length - (count - 1) * (length // "
            "count)) for i in range(count)]"
        ),
    ),
    Mutant(
        "blocks",
        "windows of length // count, and what is left over is dropped",
        old=SPANS,
        new=(
            "[slice(i * max(length // count, 1) % length, i * max(length // count, 1) % length + "
            "max(length // count, 1)) for i in range(count)]"
        ),
    ),
    Mutant(
        "end_down",
        "both borders rounded down: the windows never overlap",
        old=END,
        new="max((i + 1) * length // count, i * length // count + 1)",
    ),
    Mutant(
        "begin_up",
        "both borders rounded up",
        old=BEGIN,
        new="min(-(-i * length // count), length - 1),",
    ),
    Mutant(
        "exchanged",
        "ceil for the beginning and floor for the end",
        old=SPANS,
        new=(
            "[slice(min(-(-i * length // count), (i + 1) * length // count), (i + 1) * length // "
            "count) for i in range(count)]"
        ),
    ),
    Mutant(
        "always_one_more",
        "floor + 1 in place of ceil: one row too many where the sizes divide",
        old=END,
        new="(i + 1) * length // count + 1",
    ),
    Mutant(
        "rounded",
        "round to the nearest in place of floor and ceil",
        old=SPANS,
        new=(
            "[slice(min(round(i * length / count), length - 1), max(round((i + 1) * length / count), "
            "round(i * length / count) + 1)) for i in range(count)]"
        ),
    ),
    Mutant(
        "rounded_step",
        "multiplies by length / count as a float, whose error reaches the next row",
        old=SPANS,
        new=("[slice(int(i * (length / count)), int(np.ceil((i + 1) * (length / count)))) for i in range(count)]"),
    ),
    Mutant(
        "swapped",
        "size is (cols, rows)",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=("    size = size[::-1]\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
    ),
    Mutant(
        "square",
        "takes the first size for both directions",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=("    size = (size[0], size[0])\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
    ),
    Mutant(
        "axes_exchanged",
        "cuts the rows by the width",
        old="enumerate(spans(x.shape[2], size[0]))",
        new="enumerate(spans(x.shape[3], size[0]))",
    ),
    Mutant(
        "sum",
        "adds up and does not divide",
        old=MEANS,
        new="x[:, :, rows, cols].sum(axis=(2, 3))",
    ),
    Mutant(
        "fixed_count",
        "divides every sum by one count, however large the window",
        old=MEANS,
        new="x[:, :, rows, cols].sum(axis=(2, 3)) / (-(-x.shape[2] // size[0]) * -(-x.shape[3] // size[1]))",
    ),
    Mutant(
        "max",
        "keeps the largest number, as the layer before it does",
        old=MEANS,
        new="x[:, :, rows, cols].max(axis=(2, 3))",
    ),
    Mutant(
        "mean_of_extremes",
        "the middle between the smallest and the largest number",
        old=MEANS,
        new="(x[:, :, rows, cols].max(axis=(2, 3)) + x[:, :, rows, cols].min(axis=(2, 3))) / 2",
    ),
    Mutant(
        "one_channel",
        "averages over the channels too",
        old=MEANS,
        new="x[:, :, rows, cols].mean(axis=(1, 2, 3))[:, None]",
    ),
    Mutant(
        "first_picture",
        "computes the first picture only",
        old=MEANS,
        new="x[:1, :, rows, cols].mean(axis=(2, 3))",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=EMPTY,
        new="np.empty((*x.shape[:2], *size))",
    ),
    Mutant(
        "float16",
        "averages in half precision",
        old=MEANS,
        new="x[:, :, rows, cols].astype(np.float16).mean(axis=(2, 3))",
    ),
    Mutant(
        "global_only",
        "right for (1, 1), the one case of a classifier, and nothing else",
        old=MEANS,
        new="x.mean(axis=(2, 3))",
    ),
]
