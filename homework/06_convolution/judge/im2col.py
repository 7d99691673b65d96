r"""A convolution as one matrix product: why the solution is as it is.

Row `i * W' + j` holds the window whose upper left corner is (i * sh, j * sw) of the padded image. A slice takes it
from all channels at once, with shape (C, kh, kw), and `reshape(-1)` reads that with the channel outermost: the order
in which `weight[o].reshape(-1)` lies, too. That the two orders agree is all that matters to the product. Typical
mistakes:

- `order="F"` or a transposed window: numpy then reads the channels innermost.
- H' used as the length of a line: rows land on one another as soon as H' and W' differ. Square images hide it.
- Rows and columns of stride, padding or kernel size exchanged. Square cases hide it, too.
- `np.empty` without a dtype: float64, and every later product is twice as slow.
- No check: for a kernel larger than the image the formula gives 0 or less, and one gets an empty array here and a
  puzzling error somewhere else. The check must use the padded size, and `<= 0` in either direction.

Cost: H' * W' * C * kh * kw copied numbers, about kh * kw / (sh * sw) times the image. The loop runs once per window;
`np.lib.stride_tricks.sliding_window_view` does the same without a Python loop, and kuiper's `windows` uses it.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_raises, task

from .shared import Pair, pair


def rows_of(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> np.ndarray:
    """The rows of im2col by index arithmetic."""
    (kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding
    channels, height, width = x.shape
    padded = np.zeros((channels, height + 2 * ph, width + 2 * pw), x.dtype)
    padded[:, ph : ph + height, pw : pw + width] = x
    tops = np.arange((height + 2 * ph - kh) // sh + 1) * sh
    lefts = np.arange((width + 2 * pw - kw) // sw + 1) * sw
    row = tops[:, None, None, None, None] + np.arange(kh)[:, None]
    col = lefts[None, :, None, None, None] + np.arange(kw)
    taken = padded[np.arange(channels)[:, None, None], row, col]
    return taken.reshape(len(tops) * len(lefts), channels * kh * kw)


@task("im2col")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """The rows are right for any sizes of image, kernel, stride and padding."""
    for _ in range(30):
        kernel_size, stride = pair(rng, 1, 5), pair(rng, 1, 4)
        padding = pair(rng, 0, 3)
        height, width = (int(rng.integers(max(1, k - 2 * p), 10)) for k, p in zip(kernel_size, padding, strict=True))
        x = rng.integers(-99, 100, (int(rng.integers(1, 5)), height, width)).astype(np.float32)
        got = student.im2col(x, kernel_size, stride, padding)
        what = f"im2col of {x.shape} with kernel_size={kernel_size}, stride={stride}, padding={padding}"
        expect(got, rows_of(x, kernel_size, stride, padding), what=what)


@task("im2col")
def steps_that_do_not_come_out_even(student: Student, rng: np.random.Generator) -> None:
    """A last window that would stick out of the image is left out."""
    for size in (6, 7, 8, 9):
        x = rng.integers(-99, 100, (2, size, size + 1)).astype(np.float64)
        expect(student.im2col(x, (2, 3), (3, 4), (1, 0)), rows_of(x, (2, 3), (3, 4), (1, 0)))


@task("im2col")
def every_element_type(student: Student, rng: np.random.Generator) -> None:
    """The rows have the element type of the image."""
    for dtype in (np.int64, np.float32, np.uint8, np.float64):
        x = rng.integers(0, 100, (2, 4, 3)).astype(dtype)
        expect(student.im2col(x, (2, 2), (1, 1), (1, 0)), rows_of(x, (2, 2), (1, 1), (1, 0)))


@task("im2col")
def stride_one_and_no_padding_unless_said(student: Student, rng: np.random.Generator) -> None:
    """Without stride and padding the window moves by one pixel over the image alone."""
    x = rng.standard_normal((2, 5, 6)).astype(np.float32)
    expect(student.im2col(x, (2, 2)), rows_of(x, (2, 2), (1, 1), (0, 0)))


@task("im2col")
def a_window_that_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """A kernel higher or wider than the padded image raises an exception, and one that just fits does not."""
    x = rng.standard_normal((1, 2, 4)).astype(np.float32)
    expect_raises(student.im2col, x, (5, 1), (1, 1), (1, 0))
    expect_raises(student.im2col, x, (1, 6), (2, 2), (3, 0))
    expect_raises(student.im2col, x, (7, 7), (1, 1), (0, 0))
    expect(student.im2col(x, (4, 4), (3, 3), (1, 0)), rows_of(x, (4, 4), (3, 3), (1, 0)))


@task("im2col")
def images_as_large_as_a_photograph(student: Student, rng: np.random.Generator) -> None:
    """Three channels of some 60x80 pixels are done within the time that a call may take."""
    x = rng.standard_normal((3, int(rng.integers(56, 64)), int(rng.integers(72, 90)))).astype(np.float32)
    expect(student.im2col(x, (7, 5), (2, 2), (3, 2)), rows_of(x, (7, 5), (2, 2), (3, 2)))


FITS = (
    "    if rows < 1 or cols < 1:\n"
    '        raise ValueError(f"im2col: a kernel {kh}x{kw} does not fit into {height}x{width} '
    'with padding {ph}, {pw}")\n'
)

MUTANTS = [
    Mutant(
        "stride_ignored",
        "moves by one pixel",
        old="padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]",
        new="padded[:, i : i + kh, j : j + kw]",
    ),
    Mutant(
        "stride_swapped",
        "stride is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kh, kw), (sw, sh), (ph, pw) = kernel_size, stride, padding",
    ),
    Mutant(
        "padding_swapped",
        "padding is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kh, kw), (sh, sw), (pw, ph) = kernel_size, stride, padding",
    ),
    Mutant(
        "kernel_swapped",
        "kernel_size is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kw, kh), (sh, sw), (ph, pw) = kernel_size, stride, padding",
    ),
    Mutant(
        "channels_last",
        "pixel by pixel instead of channel by channel",
        old="window.reshape(-1)",
        new="window.transpose(1, 2, 0).reshape(-1)",
    ),
    Mutant(
        "column_by_column",
        "reads each window column by column",
        old="window.reshape(-1)",
        new="window.swapaxes(1, 2).reshape(-1)",
    ),
    Mutant(
        "order_f",
        "numpy's order F puts the channels innermost",
        old="window.reshape(-1)",
        new='window.reshape(-1, order="F")',
    ),
    Mutant(
        "down_first",
        "the windows go down first",
        old="result[i * cols + j]",
        new="result[j * rows + i]",
    ),
    Mutant(
        "columns",
        "one column per window",
        old=("    return result\n\n\n# conv2d"),
        new=("    return np.ascontiguousarray(result.T)\n\n\n# conv2d"),
    ),
    Mutant(
        "row_length",
        "numbers the rows with H' instead of W'",
        old="result[i * cols + j]",
        new="result[(i * rows + j) % len(result)]",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old="np.empty((rows * cols, channels * kh * kw), x.dtype)",
        new="np.empty((rows * cols, channels * kh * kw))",
    ),
    Mutant(
        "edge_padding",
        "repeats the border instead of zeros",
        old="np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new='np.pad(x, ((0, 0), (ph, ph), (pw, pw)), mode="edge")',
    ),
    Mutant(
        "padding_above_only",
        "all padding above and at the left",
        old="np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new="np.pad(x, ((0, 0), (2 * ph, 0), (2 * pw, 0)))",
    ),
    Mutant(
        "ceil",
        "counts a last window that sticks out, on a border of zeros",
        old="    padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))\n",
        new=(
            "    rows, cols = -(-(height + 2 * ph - kh) // sh) + 1, -(-(width + 2 * pw - kw) // sw) + 1\n"
            "    padded = np.pad(x, ((0, 0), (ph, ph + sh), (pw, pw + sw)))\n"
        ),
    ),
    Mutant(
        "last_window",
        "misses the last window of each line",
        old="for i, j in np.ndindex(rows, cols):",
        new=("result[:] = 0\n    for i, j in np.ndindex(rows, max(1, cols - 1)):"),
    ),
    Mutant(
        "no_check",
        "returns something empty when nothing fits",
        old=FITS,
        new="    rows, cols = max(rows, 0), max(cols, 0)\n",
    ),
    Mutant(
        "check_too_strict",
        "refuses a kernel that just fits",
        old="if rows < 1 or cols < 1:",
        new="if rows < 2 or cols < 2:",
    ),
    Mutant(
        "check_without_padding",
        "compares the kernel with the image before it is padded",
        old="if rows < 1 or cols < 1:",
        new="if kh > height or kw > width:",
    ),
    Mutant(
        "check_rows_only",
        "checks one direction",
        old="if rows < 1 or cols < 1:",
        new=("cols = max(cols, 0)\n    if rows < 1:"),
    ),
    Mutant(
        "default_stride",
        "moves by a whole window unless told otherwise, as pooling does",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new=("(kh, kw), (ph, pw) = kernel_size, padding\n    sh, sw = kernel_size if stride == (1, 1) else stride"),
    ),
    Mutant(
        "first_channel",
        "every channel is the first",
        old="window.reshape(-1)",
        new="np.broadcast_to(window[:1], window.shape).reshape(-1)",
    ),
]
