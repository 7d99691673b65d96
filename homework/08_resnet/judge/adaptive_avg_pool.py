r"""As many windows as are asked for, whatever the size of the picture: why the solution is as it is.

An axis of H rows is cut into h parts of equal length H / h, and a window has every row that its part touches. Its
part begins at i * H / h, inside row floor(i * H / h), and ends at (i + 1) * H / h, so that the first row it does not
touch is the ceil of that. A helper for one axis, used for the rows and for the columns, is half of the work.

In whole numbers: `i * H // h` is the floor, and `-(-(i + 1) * H // h)` the ceil, because `//` rounds down and two
minus signs turn that round. `math.ceil((i + 1) * H / h)` is right, too. `math.ceil((i + 1) * (H / h))` is not: H / h
is rounded, the product makes the error larger, and 7 * (58 / 14) is a little more than 29. Its ceil is 30, one row
too many.

Typical mistakes:

- One size and one step for all windows, `step = H // h`, `size = H - (h - 1) * step`. It agrees for some sizes, such as
  those where h divides H, and not for others: 0 1 2 3 4 in three windows gives 1, 2, 3 in place of 0.5, 2, 3.5.
- Both borders rounded down. Then no two windows overlap, and 0 1 2 3 4 is cut into 0, 1 2, 3 4.
- Sums divided by one number for all windows. Windows differ in length.
- (h, w) taken for (w, h). Square sizes hide it.

A window is a box, so the mean over it can be computed one axis after the other: first means of rows, then means of
columns. That is what kuiper does, with h + w steps in place of h * w. It works because all windows in a line of the
result have the same number of columns.

Cost: each number is read once, or a few times where windows overlap: about N * C * H * W additions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from .shared import wrong

Bounds = list[tuple[int, int]]
"""First row and row after the last of every window."""


def right(length: int, count: int) -> Bounds:
    """The windows of an axis: floor(i * length / count) to ceil((i + 1) * length / count)."""
    found = []
    for i in range(count):
        end, rest = divmod((i + 1) * length, count)
        found.append((i * length // count, end + (rest > 0)))
    return found


def fixed(length: int, count: int) -> Bounds:
    """Windows of one size and one step."""
    step = length // count
    size = length - (count - 1) * step
    return [(i * step, i * step + size) for i in range(count)]


def both_down(length: int, count: int) -> Bounds:
    """Windows that end at floor: what does not divide belongs to the next one."""
    return [(i * length // count, (i + 1) * length // count) for i in range(count)]


def blocks(length: int, count: int) -> Bounds:
    """Windows of length // count, one after the other, and what is left over in none."""
    step = length // count
    return [(i * step, (i + 1) * step) for i in range(count)]


def rest_last(length: int, count: int) -> Bounds:
    """Windows of length // count, the last of which takes what is left over."""
    return [*blocks(length, count)[:-1], ((count - 1) * (length // count), length)]


def early_start(length: int, count: int) -> Bounds:
    """Windows that end as they should and begin at a multiple of length // count."""
    return [(i * (length // count), end) for i, (_, end) in enumerate(right(length, count))]


def late_end(length: int, count: int) -> Bounds:
    """Windows that begin as they should and end at a multiple of ceil(length / count)."""
    return [(start, (i + 1) * -(-length // count)) for i, (start, _) in enumerate(right(length, count))]


def minus_i(length: int, count: int) -> Bounds:
    """Windows that end at -(-i + 1) * length // count, where -(-(i + 1) * length // count) was meant."""
    return [(start, -(-i + 1) * length // count) for i, (start, _) in enumerate(right(length, count))]


def beyond(length: int, count: int) -> Bounds:
    """Windows that end one after ceil."""
    return [(start, end + 1) for start, end in right(length, count)]


def one_more(length: int, count: int) -> Bounds:
    """Windows that always end one after floor."""
    return [(i * length // count, min((i + 1) * length // count + 1, length)) for i in range(count)]


def both_up(length: int, count: int) -> Bounds:
    """Windows that begin at ceil: what a part cuts belongs to the window before it alone."""
    return [(-(-i * length // count), end) for i, (_, end) in enumerate(right(length, count))]


def exchanged(length: int, count: int) -> Bounds:
    """Windows from ceil to floor."""
    return [(-(-i * length // count), (i + 1) * length // count) for i in range(count)]


def rounded_step(length: int, count: int) -> Bounds:
    """Windows whose borders are multiples of a rounded length / count."""
    step = length / count
    return [(int(i * step), int(np.ceil((i + 1) * step))) for i in range(count)]


def nearest(length: int, count: int) -> Bounds:
    """Windows whose borders are rounded to the nearest row, and of one row at least."""
    starts = [min(round(i * length / count), length - 1) for i in range(count)]
    return [(start, max(round((i + 1) * length / count), start + 1)) for i, start in enumerate(starts)]


def pooled(x: np.ndarray, size: tuple[int, int], bounds: Callable[[int, int], Bounds] = right) -> np.ndarray:
    """The mean of every window, in float64 and then in the type of `x`."""
    y = np.empty((*x.shape[:2], *size))
    for i, (top, bottom) in enumerate(bounds(x.shape[2], size[0])):
        for j, (first, last) in enumerate(bounds(x.shape[3], size[1])):
            window = x[:, :, top:bottom, first:last].astype(np.float64)
            count = window.shape[2] * window.shape[3]
            y[:, :, i, j] = window.sum(axis=(2, 3)) / count if count else np.nan
    return y.astype(x.dtype)


def window(i: int, length: int, count: int) -> slice:
    """Window i of an axis, where i may be too large for it, which leaves nothing."""
    return slice(i * length // count, -(-(i + 1) * length // count))


def cut_by(
    x: np.ndarray, size: tuple[int, int], rows: Callable[[int, int], slice], columns: Callable[[int, int], slice]
) -> np.ndarray:
    """The means of windows whose rows and columns both come from (i, j); nan where a window is empty."""
    y = np.full((*x.shape[:2], *size), np.nan, x.dtype)
    for i, j in np.ndindex(*size):
        block = x[:, :, rows(i, j), columns(i, j)]
        if block.size:
            y[:, :, i, j] = block.mean(axis=(2, 3), dtype=np.float64)
    return y


def cut_mistakes(x: np.ndarray, size: tuple[int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives, of mistakes in which i and j, or the sizes of the axes, are mixed up."""
    (height, width), (h, w) = x.shape[2:], size

    def down(i: int, j: int) -> slice:
        return window(i, height, h)

    def across(i: int, j: int) -> slice:
        return window(j, width, w)

    def whole(i: int, j: int) -> slice:
        return slice(None)

    return {
        "the columns were cut with i, which counts rows: window j has columns from j * W // w on": cut_by(
            x, size, down, lambda i, j: window(i, width, w)
        ),
        "the rows were cut with j, which counts columns: window i has rows from i * H // h on": cut_by(
            x, size, lambda i, j: window(j, height, h), across
        ),
        "the windows have all columns: slice the columns of each window, too": cut_by(x, size, down, whole),
        "the windows have all rows: slice the rows of each window, too": cut_by(x, size, whole, across),
        "height and width of x are exchanged: its shape is (N, C, H, W)": cut_by(
            x, size, lambda i, j: window(i, width, h), lambda i, j: window(j, height, w)
        ),
        "h and w are exchanged in the borders: i * H // h for rows, j * W // w for columns": cut_by(
            x, size, lambda i, j: window(i, height, w), lambda i, j: window(j, width, h)
        ),
    }


def largest(x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The largest number of every window."""
    rows, columns = right(x.shape[2], size[0]), right(x.shape[3], size[1])
    return np.stack([np.stack([x[:, :, a:b, c:d].max(axis=(2, 3)) for c, d in columns], -1) for a, b in rows], -2)


def counts(length: int, count: int) -> np.ndarray:
    """How many rows each window has."""
    return np.array([b - a for a, b in right(length, count)])


def pooled_mistakes(x: np.ndarray, size: tuple[int, int]) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    expected = pooled(x, size)
    numbers = np.outer(counts(x.shape[2], size[0]), counts(x.shape[3], size[1]))
    other = "float64" if x.dtype == np.float32 else "float32"
    found = {
        "all windows have one size and one step: that is right for some sizes only. Where does part i of the rows "
        "begin, where does it end, and which rows does it touch?": pooled(x, size, fixed),
        "H // h rounds too early, so all windows have one size: i * H // h for rows, j * W // w for columns": pooled(
            x, size, blocks
        ),
        "the last window takes what is left over, which makes it longer: every border comes from i * H / h": pooled(
            x, size, rest_last
        ),
        "in the beginning H // h was rounded before it was multiplied with i: i * H // h": pooled(x, size, early_start),
        "in the end -(-H // h) was rounded before it was multiplied: -(-(i + 1) * H // h)": pooled(x, size, late_end),
        "-i + 1 is 1 - i: the minus is for all of i + 1, so -(-(i + 1) * H // h)": pooled(x, size, minus_i),
        "a window ends at floor: round its end up, so that it has what it touches": pooled(x, size, both_down),
        "H / h was rounded before i was multiplied with it: multiply first, i * H // h": pooled(x, size, rounded_step),
        "both borders are rounded to the nearest: the beginning is rounded down, the end up": pooled(x, size, nearest),
        "a window that ends at a whole number must not take the next one: round its end up with -(-a // b)": pooled(
            x, size, one_more
        ),
        "a window begins at ceil: round its beginning down, i * H // h, and only its end up": pooled(x, size, both_up),
        "floor and ceil are exchanged: the beginning is rounded down, the end up": pooled(x, size, exchanged),
        "size was read as (w, h): it is (h, w), h windows down and w across": pooled(x, size[::-1]),
        "these are the largest numbers of the windows: take their means": largest(x, size),
        "these are sums: divide each by the numbers in its own window": expected * numbers.astype(x.dtype),
        "every sum is divided by one number: windows differ in size, so divide each by its own count": (
            expected * (numbers / numbers.max()).astype(x.dtype)
        ),
        "every sum is divided by one number, ceil(H / h) * ceil(W / w): divide each by the numbers in its own window": (
            expected * (numbers / (-(-x.shape[2] // size[0]) * -(-x.shape[3] // size[1]))).astype(x.dtype)
        ),
        "all planes have one mean, as .mean() makes it of all axes: average over axis=(2, 3) alone": np.broadcast_to(
            expected.mean(axis=(0, 1)), expected.shape
        ).copy(),
        "all pictures have one mean: the batch is axis 0, so average over axis=(2, 3) alone": np.repeat(
            expected.mean(axis=0, keepdims=True), len(x), axis=0
        ),
        "each plane has one mean, and the axes of its windows are missing: the result is (N, C, h, w)": x.mean(
            axis=(2, 3)
        ),
        "each plane has one window, whatever size says: it has h * w of them": x.mean(axis=(2, 3), keepdims=True),
        "every picture has the result of the first": np.repeat(expected[:1], len(x), axis=0),
        "every channel has the mean of all channels: each is averaged for itself": np.repeat(
            expected.mean(axis=1, keepdims=True), x.shape[1], axis=1
        ),
        "the windows' axes stand in front, (h, w, N, C): .transpose(2, 3, 0, 1) moves them behind": expected.transpose(
            2, 3, 0, 1
        ).copy(),
        f"the numbers changed their type to {other}: keep the dtype of x": expected.astype(other),
        "the array that you fill has whole numbers, which drop all after the point: give it the dtype of x": (
            expected.astype(np.int64)
        ),
        "the windows go one number too far: a slice ends before its stop, so no + 1 after ceil": pooled(
            x, size, beyond
        ),
        **cut_mistakes(x, size),
    }
    return wrong(found, expected)


def expect_pooled(student: Student, x: np.ndarray, size: tuple[int, int], tolerance: float) -> None:
    """Raise Failure unless the student's pooling of `x` is right."""
    what = f"adaptive_avg_pool of {x.shape} to {size}"
    expect(student.adaptive_avg_pool(x, size), pooled(x, size), rtol=tolerance, atol=tolerance, what=what)


@task("adaptive_avg_pool")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of windows on any plane, sizes of 1 among them, gives the means of the formula's windows."""
    for _ in range(12):
        shape = tuple(int(n) for n in (*rng.integers(1, 4, 2), *rng.integers(1, 12, 2)))
        size = int(rng.integers(1, 12)), int(rng.integers(1, 12))
        expect_pooled(student, rng.integers(-99, 100, shape).astype(np.float64), size, 1e-12)


@task("adaptive_avg_pool")
def more_windows_than_rows(student: Student, rng: np.random.Generator) -> None:
    """Where h or w is larger than the plane, windows of one or two numbers repeat and overlap."""
    x = rng.integers(-99, 100, (2, 2, 3, 2)).astype(np.float64)
    for size in ((5, 3), (3, 7), (8, 2), (4, 4)):
        expect_pooled(student, x, size, 1e-12)


@task("adaptive_avg_pool")
def borders_are_exact(student: Student, rng: np.random.Generator) -> None:
    """Borders that are whole numbers stay so: a rounded step must not push one into the next row."""
    for length, count in ((58, 14), (30, 22), (30, 26), (36, 28), (14, 50)):
        line = rng.integers(-99, 100, length).astype(np.float64)
        expect_pooled(student, line.reshape(1, 1, -1, 1), (count, 1), 1e-12)
        expect_pooled(student, line.reshape(1, 1, 1, -1), (1, count), 1e-12)


@task("adaptive_avg_pool")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        expect_pooled(student, rng.normal(size=(2, 3, 9, 8)).astype(dtype), (4, 3), tolerance)


@task("adaptive_avg_pool")
def the_planes_of_a_network(student: Student, rng: np.random.Generator) -> None:
    """512 planes of 7x7, as ResNet18 has them, and of 10x13, as a larger picture gives, within the time limit."""
    for shape, size in (((2, 512, 7, 7), (1, 1)), ((1, 512, 10, 13), (7, 7))):
        expect_pooled(student, rng.normal(size=shape).astype(np.float32), size, 1e-5)


@task("adaptive_avg_pool")
def one_pixel_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A single pixel that is not 0 is seen by the windows it lies in, and by no other."""
    for size in ((3, 3), (4, 5), (2, 2)):
        x = np.zeros((1, 2, 7, 8))
        x[0, int(rng.integers(2)), int(rng.integers(7)), int(rng.integers(8))] = float(rng.integers(1, 100))
        expect_pooled(student, x, size, 1e-12)


SPANS = "[slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]"
END = "-(-(i + 1) * length // count)"
BEGIN = "i * length // count,"
MEANS = "x[:, :, rows, cols].mean(axis=(2, 3))"
EMPTY = "np.empty((*x.shape[:2], *size), x.dtype)"

MUTANTS = [
    Mutant(
        "fixed_window",
        "one size and one step for all windows",
        old=SPANS,
        new=(
            "[slice(i * (length // count), i * (length // count) + length - (count - 1) * (length // "
            "count)) for i in range(count)]"
        ),
        breaks="windows",
    ),
    Mutant(
        "blocks",
        "windows of length // count, and what is left over is dropped",
        old=SPANS,
        new=(
            "[slice(i * max(length // count, 1) % length, i * max(length // count, 1) % length + "
            "max(length // count, 1)) for i in range(count)]"
        ),
        breaks="windows",
    ),
    Mutant(
        "end_down",
        "both borders rounded down: the windows never overlap",
        old=END,
        new="max((i + 1) * length // count, i * length // count + 1)",
        breaks="windows",
    ),
    Mutant(
        "begin_up",
        "both borders rounded up",
        old=BEGIN,
        new="min(-(-i * length // count), length - 1),",
        breaks="windows",
    ),
    Mutant(
        "exchanged",
        "ceil for the beginning and floor for the end",
        old=SPANS,
        new=(
            "[slice(min(-(-i * length // count), (i + 1) * length // count), (i + 1) * length // "
            "count) for i in range(count)]"
        ),
        breaks="windows",
    ),
    Mutant(
        "always_one_more",
        "floor + 1 in place of ceil: one row too many where the sizes divide",
        old=END,
        new="(i + 1) * length // count + 1",
        breaks="windows",
    ),
    Mutant(
        "rounded",
        "round to the nearest in place of floor and ceil",
        old=SPANS,
        new=(
            "[slice(min(round(i * length / count), length - 1), max(round((i + 1) * length / count), "
            "round(i * length / count) + 1)) for i in range(count)]"
        ),
        breaks="windows",
    ),
    Mutant(
        "rounded_step",
        "multiplies by length / count as a float, whose error reaches the next row",
        old=SPANS,
        new=("[slice(int(i * (length / count)), int(np.ceil((i + 1) * (length / count)))) for i in range(count)]"),
        breaks="exact",
    ),
    Mutant(
        "float32_step",
        "multiplies by length / count as a float of 32 bits",
        old=SPANS,
        new=(
            "[slice(int(np.float32(i) * np.float32(length / count)), "
            "int(np.ceil(np.float32(i + 1) * np.float32(length / count)))) for i in range(count)]"
        ),
        breaks="exact",
    ),
    Mutant(
        "a_hundredth",
        "takes what is nearly a whole number for one, against errors of rounding",
        old=SPANS,
        new=(
            "[slice(int(i * (length / count) + 1e-2), int(np.ceil((i + 1) * (length / count) - 1e-2))) "
            "for i in range(count)]"
        ),
        breaks="exact",
    ),
    Mutant(
        "swapped",
        "size is (cols, rows)",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=("    size = size[::-1]\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
        breaks="sizes",
    ),
    Mutant(
        "square",
        "takes the first size for both directions",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=("    size = (size[0], size[0])\n    y = np.empty((*x.shape[:2], *size), x.dtype)\n"),
        breaks="sizes",
    ),
    Mutant(
        "axes_exchanged",
        "cuts the rows by the width",
        old="enumerate(spans(x.shape[2], size[0]))",
        new="enumerate(spans(x.shape[3], size[0]))",
        breaks="sizes",
    ),
    Mutant(
        "sum",
        "adds up and does not divide",
        old=MEANS,
        new="x[:, :, rows, cols].sum(axis=(2, 3))",
        breaks="mean",
    ),
    Mutant(
        "fixed_count",
        "divides every sum by one count, however large the window",
        old=MEANS,
        new="x[:, :, rows, cols].sum(axis=(2, 3)) / (-(-x.shape[2] // size[0]) * -(-x.shape[3] // size[1]))",
        breaks="mean",
    ),
    Mutant(
        "max",
        "keeps the largest number, as the layer before it does",
        old=MEANS,
        new="x[:, :, rows, cols].max(axis=(2, 3))",
        breaks="mean",
    ),
    Mutant(
        "mean_of_extremes",
        "the middle between the smallest and the largest number",
        old=MEANS,
        new="(x[:, :, rows, cols].max(axis=(2, 3)) + x[:, :, rows, cols].min(axis=(2, 3))) / 2",
        breaks="mean",
    ),
    Mutant(
        "summed_area_table",
        "takes differences of running sums, in which a large number swallows the small ones",
        old=MEANS,
        new=(
            "sum(sign * x[:, :, :a, :b].cumsum(axis=2).cumsum(axis=3)[:, :, -1, -1] if a and b else 0 * x[:, :, 0, 0] "
            "for sign, a, b in ((1, rows.stop, cols.stop), (-1, rows.start, cols.stop), (-1, rows.stop, cols.start), "
            "(1, rows.start, cols.start))) / ((rows.stop - rows.start) * (cols.stop - cols.start))"
        ),
        breaks="mean",
    ),
    Mutant(
        "one_channel",
        "averages over the channels too",
        old=MEANS,
        new="x[:, :, rows, cols].mean(axis=(1, 2, 3))[:, None]",
        breaks="planes",
    ),
    Mutant(
        "first_picture",
        "computes the first picture only",
        old=MEANS,
        new="x[:1, :, rows, cols].mean(axis=(2, 3))",
        breaks="planes",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=EMPTY,
        new="np.empty((*x.shape[:2], *size))",
        breaks="dtype",
    ),
    Mutant(
        "float16",
        "averages in half precision",
        old=MEANS,
        new="x[:, :, rows, cols].astype(np.float16).mean(axis=(2, 3))",
        breaks="dtype",
    ),
    Mutant(
        "global_only",
        "right for (1, 1), the one case of a classifier, and nothing else",
        old=MEANS,
        new="x.mean(axis=(2, 3))",
    ),
    Mutant(
        "not_more_than_there_are",
        "gives at most as many windows as there are rows and columns",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=(
            "    size = min(size[0], x.shape[2]), min(size[1], x.shape[3])\n"
            "    y = np.empty((*x.shape[:2], *size), x.dtype)\n"
        ),
        breaks="larger",
    ),
    Mutant(
        "larger_refused",
        "refuses more windows than there are rows or columns",
        old="    y = np.empty((*x.shape[:2], *size), x.dtype)\n",
        new=(
            "    if size[0] > x.shape[2] or size[1] > x.shape[3]:\n"
            '        raise ValueError(f"size {size} is larger than {x.shape[2:]}")\n'
            "    y = np.empty((*x.shape[:2], *size), x.dtype)\n"
        ),
        breaks="larger",
    ),
    Mutant(
        "always_float32",
        "the type of a network's numbers, whatever comes",
        old=EMPTY,
        new="np.empty((*x.shape[:2], *size), np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "largest_row",
        "the largest of the means of the rows",
        old=MEANS,
        new="x[:, :, rows, cols].mean(axis=3).max(axis=2)",
        breaks="mean",
    ),
]
