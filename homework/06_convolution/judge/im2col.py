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

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import BEGINS, TWICE, UNPADDED, Pair, in_both, pair


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


def in_windows(rows: np.ndarray, channels: int, kernel_size: Pair) -> np.ndarray:
    """(H'*W', C*kh*kw) -> (H'*W', C, kh, kw)."""
    return rows.reshape(-1, channels, *kernel_size)


def order_mistakes(x: np.ndarray, kernel_size: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for an x of one channel, with stride 1 and no padding."""
    right = rows_of(x, kernel_size, (1, 1), (0, 0))
    cols = x.shape[2] - kernel_size[1] + 1
    fewer = right.reshape(-1, cols, right.shape[1])[:-1, :-1].reshape(-1, right.shape[1])
    down = right.reshape(-1, cols, right.shape[1]).swapaxes(0, 1).reshape(right.shape)
    ends = right.reshape(-1, cols, right.shape[1])[:, -1]
    summed = np.zeros_like(right)
    for at, row in enumerate(right):
        summed[sum(divmod(at, cols))] = row
    return {
        "the windows go down before they go right: i is the row and j the column, and j moves fastest": down,
        "each window is read column by column: flatten it row by row": (
            in_windows(right, 1, kernel_size).swapaxes(2, 3).reshape(right.shape)
        ),
        "the last starts are H - kh and W - kw themselves, and range stops before its end: add 1": fewer,
        "some rows were never written: the last starts are H - kh and W - kw themselves, and range stops before its "
        "end: add 1": np.concatenate([fewer, np.zeros_like(right)])[: len(right)],
        "a line of windows goes into one row: count on after every window, inside the inner loop": (
            np.concatenate([ends, np.zeros_like(right)])[: len(right)]
        ),
        "window (i, j) was written into row i + j, over another one: i * W' + j windows come before it": summed,
        "each window is a column of the result: it must be a row": np.ascontiguousarray(right.T),
        "the result has more than two axes: one for the windows and one for their numbers": (
            in_windows(right, 1, kernel_size)[:, 0]
        ),
    }


def channel_mistakes(x: np.ndarray, kernel_size: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for an x of several channels, with stride 1 and no padding."""
    right = rows_of(x, kernel_size, (1, 1), (0, 0))
    windows = in_windows(right, len(x), kernel_size)
    return {
        "the channels alternate pixel by pixel: the channel is the outermost of the three axes of a window": (
            windows.transpose(0, 2, 3, 1).reshape(right.shape)
        ),
        "the channels alternate, and each window is read column by column, as numpy's order='F' does": (
            windows.transpose(0, 3, 2, 1).reshape(right.shape)
        ),
        "the channels alternate line by line: first all lines of channel 0, then all of channel 1": (
            windows.swapaxes(1, 2).reshape(right.shape)
        ),
        "every channel is the first one": rows_of(np.repeat(x[:1], len(x), 0), kernel_size, (1, 1), (0, 0)),
        "only the first channel was read": rows_of(x[:1], kernel_size, (1, 1), (0, 0)),
        "the channel's axis stands before those that count the windows: move it behind them, with transpose, before "
        "reshape": windows.swapaxes(0, 1).reshape(right.shape),
        "each channel has rows of its own: a row holds the window of all channels": (
            np.concatenate([rows_of(channel[None], kernel_size, (1, 1), (0, 0)) for channel in x])
        ),
    }


def pixel_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x and a 1x1 kernel."""
    return {
        "each pixel is a column of the result, as in x itself: it must be a row": x.reshape(len(x), -1),
        "the numbers of x stand in their old order: the channels of a pixel come together": x.reshape(-1, len(x)),
    }


def option_mistakes(x: np.ndarray, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x and a 1x1 kernel."""
    return {
        "a short cut for 1x1 kernels forgets stride and padding: both move these windows, too": (
            rows_of(x, (1, 1), (1, 1), (0, 0))
        ),
        **geometry_mistakes(x, (1, 1), stride, padding),
    }


def layout_mistakes(x: np.ndarray, kernel_size: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this transposed x, with stride 1 and no padding."""
    in_rows = "as_strided was given the strides of an array that lies row by row, and this one does not: use x.strides"
    as_it_lies = x.ravel("K").reshape(x.shape)
    right = rows_of(x, kernel_size, (1, 1), (0, 0))
    as_stored = in_windows(right, len(x), kernel_size).transpose(0, 3, 2, 1).reshape(right.shape)
    return {
        in_rows: rows_of(as_it_lies, kernel_size, (1, 1), (0, 0)),
        "each window was read in the order in which it lies in memory (order 'K' or 'A'), not in that of its axes: "
        "reshape(-1) or flatten() alone": as_stored,
        **channel_mistakes(x, kernel_size),
    }


def geometry_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    none = (0, 0)
    wrong = {
        "kernel_size is swapped: kernel_size[0] goes down, kernel_size[1] to the right": (
            kernel_size[::-1],
            stride,
            padding,
        ),
        "stride is ignored": (kernel_size, (1, 1), padding),
        "the strides are swapped: stride[0] goes down, stride[1] to the right": (kernel_size, stride[::-1], padding),
        "the paddings are swapped: padding[0] goes above and below": (kernel_size, stride, padding[::-1]),
        "no padding was added": (kernel_size, stride, none),
    }
    given = (kernel_size, stride, padding)
    wrong |= {cause: other for cause, other in in_both(*given).items() if other not in wrong.values()}
    mistakes = {cause: rows_of(x, *other) for cause, other in wrong.items() if other != given}
    if stride != (1, 1):
        sizes = list(zip(x.shape[1:], kernel_size, stride, padding, strict=True))
        rows, cols = ((n + 2 * p - k) // s + 1 for n, k, s, p in sizes)
        near, right = rows_of(x, kernel_size, (1, 1), padding), rows_of(x, *given)
        width = sizes[1][0] + 2 * padding[1] - kernel_size[1] + 1
        mistakes[BEGINS] = near.reshape(-1, width, near.shape[1])[:rows, :cols].reshape(right.shape)
    if any(padding):
        rows, cols = ((n - k) // s + 1 for n, k, s in zip(x.shape[1:], kernel_size, stride, strict=True))
        width = (x.shape[2] + 2 * padding[1] - kernel_size[1]) // stride[1] + 1
        right = rows_of(x, *given)
        mistakes[UNPADDED] = right.reshape(-1, width, right.shape[1])[:rows, :cols].reshape(-1, right.shape[1])
        rows, cols = ((n + 4 * p - k) // s + 1 for n, k, s, p in zip(x.shape[1:], *given, strict=True))
        mistakes[TWICE] = np.concatenate([right, np.zeros((rows * cols - len(right), right.shape[1]), right.dtype)])
    return mistakes


def border_mistakes(x: np.ndarray, kernel_size: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, with stride 1."""
    (ph, pw), none = padding, (0, 0)
    return {
        "no padding was added": rows_of(x, kernel_size, (1, 1), none),
        "np.pad(x, p) pads all axes alike, the channels too: give a pair for each axis, (0, 0) for the channels": (
            rows_of(np.pad(x, padding), kernel_size, (1, 1), none)
        ),
        "the border repeats the edge of the image: it must be 0": (
            rows_of(np.pad(x, ((0, 0), (ph, ph), (pw, pw)), mode="edge"), kernel_size, (1, 1), none)
        ),
        "all padding stands above and at the left: put `padding` on each of the four sides": (
            rows_of(np.pad(x, ((0, 0), (2 * ph, 0), (2 * pw, 0))), kernel_size, (1, 1), none)
        ),
        "the border is -inf, as in max pooling: im2col puts zeros there": (
            rows_of(np.pad(x, ((0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf), kernel_size, (1, 1), none)
        ),
    }


def last_mistakes(x: np.ndarray, kernel_size: Pair, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, without padding."""
    rest = [-(size - k) % s for size, k, s in zip(x.shape[1:], kernel_size, stride, strict=True)]
    larger = np.pad(x, ((0, 0), (0, rest[0]), (0, rest[1])))
    cause = "windows that stick out of the image were counted: output_size counts those that fit"
    return {cause: rows_of(larger, kernel_size, stride, (0, 0))}


def default_mistakes(x: np.ndarray, kernel_size: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x without stride and padding."""
    return {
        "the window moves by its own size when nobody says a stride: the default is (1, 1)": (
            rows_of(x, kernel_size, kernel_size, (0, 0))
        ),
        "zeros were added when nobody says a padding: the default is (0, 0)": rows_of(x, kernel_size, (1, 1), (1, 1)),
    }


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
    """A kernel higher or wider than the padded image raises ValueError, and one that just fits does not."""
    x = rng.standard_normal((1, 2, 4)).astype(np.float32)
    expect_refused(student.im2col, x, (5, 1), (1, 1), (1, 0))
    expect_refused(student.im2col, x, (1, 6), (2, 2), (3, 0))
    expect_refused(student.im2col, x, (7, 7), (1, 1), (0, 0))
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

LOOP = (
    "    for i, j in np.ndindex(rows, cols):\n"
    "        window = padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]\n"
    "        result[i * cols + j] = window.reshape(-1)\n"
)

MUTANTS = [
    Mutant(
        "pointwise_without_options",
        "a 1x1 kernel takes the image as it is, whatever stride and padding are",
        old="    padded = np.pad(",
        new="    if (kh, kw) == (1, 1):\n        return x.reshape(channels, -1).T\n    padded = np.pad(",
        breaks="stride",
    ),
    Mutant(
        "pointwise_stride_swapped",
        "a short cut for 1x1 kernels, in which stride is (cols, rows)",
        old="    padded = np.pad(",
        new=(
            "    if (kh, kw, ph, pw) == (1, 1, 0, 0):\n"
            "        return x[:, ::sw, ::sh].reshape(channels, -1).T\n"
            "    padded = np.pad("
        ),
        breaks="stride",
    ),
    Mutant(
        "whole_image",
        "a kernel as large as the image has one window, if nothing is padded",
        old="    padded = np.pad(",
        new="    if (kh, kw) == (height, width):\n        return x.reshape(1, -1)\n    padded = np.pad(",
        breaks="padding",
    ),
    Mutant(
        "strides_from_sizes",
        "as_strided with the strides of an array that lies row by row",
        old="    padded = np.pad(",
        new=(
            "    if (ph, pw) == (0, 0):\n"
            "        steps = sh * width, sw, height * width, width, 1\n"
            "        windows = np.lib.stride_tricks.as_strided(\n"
            "            x, (rows, cols, channels, kh, kw), [step * x.itemsize for step in steps]\n"
            "        )\n"
            "        return windows.reshape(rows * cols, -1)\n"
            "    padded = np.pad("
        ),
        breaks="channels",
    ),
    Mutant(
        "stride_ignored",
        "moves by one pixel",
        old="padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]",
        new="padded[:, i : i + kh, j : j + kw]",
        breaks="stride",
    ),
    Mutant(
        "stride_swapped",
        "stride is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kh, kw), (sw, sh), (ph, pw) = kernel_size, stride, padding",
        breaks="stride",
    ),
    Mutant(
        "padding_swapped",
        "padding is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kh, kw), (sh, sw), (pw, ph) = kernel_size, stride, padding",
        breaks="padding",
    ),
    Mutant(
        "kernel_swapped",
        "kernel_size is (cols, rows)",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new="(kw, kh), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        breaks="kernel",
    ),
    Mutant(
        "channels_last",
        "pixel by pixel instead of channel by channel",
        old="window.reshape(-1)",
        new="window.transpose(1, 2, 0).reshape(-1)",
        breaks="channels",
    ),
    Mutant(
        "column_by_column",
        "reads each window column by column",
        old="window.reshape(-1)",
        new="window.swapaxes(1, 2).reshape(-1)",
        breaks="lines",
    ),
    Mutant(
        "order_f",
        "numpy's order F puts the channels innermost",
        old="window.reshape(-1)",
        new='window.reshape(-1, order="F")',
        breaks="lines",
    ),
    Mutant(
        "order_k",
        "numpy's order K reads a transposed array as it lies in memory",
        old="window.reshape(-1)",
        new='window.flatten("K")',
        breaks="channels",
    ),
    Mutant(
        "border_exchanged",
        "rows and columns exchanged in np.pad alone",
        old="padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new="padded = np.pad(x, ((0, 0), (pw, pw), (ph, ph)))",
        breaks="padding",
    ),
    Mutant(
        "border_of_channels",
        "np.pad is given the pairs without the one for the channels in front",
        old="padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new="padded = np.pad(x, ((ph, ph), (pw, pw), (0, 0)))",
    ),
    Mutant(
        "stride_twice",
        "walks over the counted windows in steps of the stride",
        old="    result = np.empty(",
        new="    rows, cols, sh, sw = -(-rows // sh), -(-cols // sw), 1, 1\n    result = np.empty(",
        breaks="stride",
    ),
    Mutant(
        "counted_without_the_border",
        "the windows of the image alone, taken from the padded image",
        old="rows, cols = output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)",
        new="rows, cols = output_size(height, kh, sh), output_size(width, kw, sw)",
    ),
    Mutant(
        "channels_before_windows",
        "reshapes sliding_window_view, whose first axis is the channel",
        old="    return result\n",
        new=(
            "    view = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), axis=(1, 2))[:, ::sh, ::sw]\n"
            "    return view.reshape(rows * cols, -1)\n"
        ),
        breaks="channels",
    ),
    Mutant(
        "empty_slice",
        "-0 is 0, so without padding the slice is empty",
        old="    padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))\n",
        new=(
            "    padded = np.zeros((channels, height + 2 * ph, width + 2 * pw), x.dtype)\n"
            "    padded[:, ph:-ph, pw:-pw] = x\n"
        ),
    ),
    Mutant(
        "strides_exchanged_in_the_loop",
        "the windows are counted right, and taken elsewhere",
        old="padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw]",
        new="padded[:, i * sw : i * sw + kh, j * sh : j * sh + kw]",
        breaks="stride",
    ),
    Mutant(
        "range_without_its_end",
        "the last start is left out, as by range(0, height - kh)",
        old="    result = np.empty(",
        new="    rows, cols = rows - 1, cols - 1\n    result = np.empty(",
    ),
    Mutant(
        "end_of_range",
        "walks over the starts themselves, and range leaves out the last",
        old=LOOP,
        new=(
            "    result[:] = 0\n"
            "    starts = [(i, j) for i in range(rows - 1) for j in range(cols - 1)]\n"
            "    for k, (i, j) in enumerate(starts):\n"
            "        result[k] = padded[:, i * sh : i * sh + kh, j * sw : j * sw + kw].reshape(-1)\n"
        ),
        breaks="windows",
    ),
    Mutant(
        "one_row_per_line",
        "counts on after each line of windows only",
        old=LOOP,
        new="    result[:] = 0\n" + LOOP.replace("i * cols + j", "i"),
        breaks="windows",
    ),
    Mutant(
        "cold_border",
        "a border of -inf, as in max pooling",
        old="padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new="padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)), constant_values=-np.inf if x.dtype.kind == 'f' else 0)",
        breaks="padding",
    ),
    Mutant(
        "padding_counted_twice",
        "gives output_size the size of the padded image",
        old="rows, cols = output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)",
        new="rows, cols = output_size(height + 2 * ph, kh, sh, ph), output_size(width + 2 * pw, kw, sw, pw)",
    ),
    Mutant(
        "down_first",
        "the windows go down first",
        old="result[i * cols + j]",
        new="result[j * rows + i]",
        breaks="windows",
    ),
    Mutant(
        "columns",
        "one column per window",
        old="    return result\n",
        new="    return np.ascontiguousarray(result.T)\n",
        breaks="windows",
    ),
    Mutant(
        "row_length",
        "numbers the rows with H' instead of W'",
        old="result[i * cols + j]",
        new="result[(i * rows + j) % len(result)]",
        breaks="windows",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old="np.empty((rows * cols, channels * kh * kw), x.dtype)",
        new="np.empty((rows * cols, channels * kh * kw))",
        breaks="dtype",
    ),
    Mutant(
        "always_float32",
        "the type of the lesson's networks, instead of that of the image",
        old="np.empty((rows * cols, channels * kh * kw), x.dtype)",
        new="np.empty((rows * cols, channels * kh * kw), np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "index_error",
        "another exception than the rule names",
        old=FITS,
        new='    if rows < 1 or cols < 1:\n        raise IndexError("no window")\n',
        breaks="fits",
    ),
    Mutant(
        "padding_by_default",
        "one pixel of zeros unless told otherwise",
        old='    padding: tuple[int, int] = (0, 0),\n) -> np.ndarray:\n    """(C, H, W) -> (H\'*W\'',
        new='    padding: tuple[int, int] = (1, 1),\n) -> np.ndarray:\n    """(C, H, W) -> (H\'*W\'',
        breaks="defaults",
    ),
    Mutant(
        "pointwise_short_cut",
        "a 1x1 kernel takes the image as it is, which is the transposed answer",
        old="    padded = np.pad(",
        new=(
            "    if (kh, kw, sh, sw, ph, pw) == (1, 1, 1, 1, 0, 0):\n"
            "        return x.reshape(channels, -1)\n"
            "    padded = np.pad("
        ),
        breaks="windows",
    ),
    Mutant(
        "first_channel_padded",
        "one pair for the border of one channel",
        old="padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new=(
            "padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)), mode='edge')\n"
            "    padded[:1] = np.pad(x[:1], ((0, 0), (ph, ph), (pw, pw)))"
        ),
        breaks="padding",
    ),
    Mutant(
        "through_float32",
        "large whole numbers lose their last digits",
        old="padded = np.pad(x,",
        new="padded = np.pad(x.astype(np.float32).astype(x.dtype) if x.dtype.kind == 'i' else x,",
        breaks="dtype",
    ),
    Mutant(
        "edge_padding",
        "repeats the border instead of zeros",
        old="np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new='np.pad(x, ((0, 0), (ph, ph), (pw, pw)), mode="edge")',
        breaks="padding",
    ),
    Mutant(
        "padding_above_only",
        "all padding above and at the left",
        old="np.pad(x, ((0, 0), (ph, ph), (pw, pw)))",
        new="np.pad(x, ((0, 0), (2 * ph, 0), (2 * pw, 0)))",
        breaks="padding",
    ),
    Mutant(
        "ceil",
        "counts a last window that sticks out, on a border of zeros",
        old="    padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))\n",
        new=(
            "    rows, cols = -(-(height + 2 * ph - kh) // sh) + 1, -(-(width + 2 * pw - kw) // sw) + 1\n"
            "    padded = np.pad(x, ((0, 0), (ph, ph + sh), (pw, pw + sw)))\n"
        ),
        breaks="last",
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
        breaks="fits",
    ),
    Mutant(
        "check_too_strict",
        "refuses a kernel that just fits",
        old="if rows < 1 or cols < 1:",
        new="if rows < 2 or cols < 2:",
        breaks="fits",
    ),
    Mutant(
        "check_without_padding",
        "compares the kernel with the image before it is padded",
        old="if rows < 1 or cols < 1:",
        new="if kh > height or kw > width:",
        breaks="fits",
    ),
    Mutant(
        "check_rows_only",
        "checks one direction",
        old="if rows < 1 or cols < 1:",
        new=("cols = max(cols, 0)\n    if rows < 1:"),
        breaks="fits",
    ),
    Mutant(
        "default_stride",
        "moves by a whole window unless told otherwise, as pooling does",
        old="(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding",
        new=("(kh, kw), (ph, pw) = kernel_size, padding\n    sh, sw = kernel_size if stride == (1, 1) else stride"),
        breaks="defaults",
    ),
    Mutant(
        "first_channel",
        "every channel is the first",
        old="window.reshape(-1)",
        new="np.broadcast_to(window[:1], window.shape).reshape(-1)",
        breaks="channels",
    ),
]
