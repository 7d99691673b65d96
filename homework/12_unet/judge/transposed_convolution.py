r"""Every pixel stamps a kernel: why the solution is as it is.

`np.tensordot(x[:, :, i, j], weight, axes=1)` multiplies (N, C) with (C, O, kh, kw) and sums over C: the stamps of
pixel (i, j) in all samples, (N, O, kh, kw). They go to rows `i * sh` to `i * sh + kh` of an array that has room for
all of them, and `+=` does the rest. Cutting comes last, and the bias after that: once for each pixel.

Where it goes wrong, and when nobody notices:

- `=` instead of `+=`: when the stride is at least as large as the kernel, as in every U-Net with 2x2 and stride 2.
- The weight read as (O, C, kh, kw): never if C and O differ, for then the shapes clash. With C = O the shapes fit, and
  the numbers are wrong.
- Padding added instead of cut: when padding is 0.
- `[p:-p]`: when padding is not 0; for 0 it is the empty slice.
- Rows and columns exchanged: in all square cases.
- The kernel rotated by 180 degrees: with symmetric kernels. The *gathering* way with an ordinary convolution needs it
  turned, stamping does not.
- The bias added with each stamp: without overlaps; and then it is missing in the gaps.
- `H * s` taken for the size: when kernel = stride, or when (k - s) / 2 is the padding.

So a good test has two different numbers for everything that can be two numbers.

**Why "transposed".** Write an image as one long row of numbers. A convolution is then a matrix product with a matrix
M that holds the kernel's numbers at the right places, and zeros. The product with M turned over its diagonal takes
something of the small size back to the large one, and is exactly this operation: whoever was read with weight w is
now written to with weight w. It gives back the *size*, not the image. PyTorch keeps the weight as it is for the
convolution in the other direction, hence (C, O): seen from there, O is the input.

**Three ways.** The solution *scatters*: one step for each input pixel. *Gathering* asks for each output pixel (r, c)
which (i, j) has a stamp that reaches it: i * sh + a = r + ph with 0 <= a < kh. No two steps write to the same place,
so threads can share the work without waiting for each other. The third way puts sh - 1 zeros between the rows, pads
by k - 1 - p, and does an ordinary convolution with the turned kernel: any fast convolution will do, but of its
products only one in sh * sw is not with a zero.

**Cost.** N * C * O * kh * kw * H * W products: those of a convolution whose *output* is H x W. The solution calls
numpy H * W times. Walking over the kernel's places instead takes kh * kw calls, each on all pixels at once:

    for a, b in np.ndindex(kh, kw):
        full[:, :, a : a + (height - 1) * sh + 1 : sh, b : b + (width - 1) * sw + 1 : sw] += \
            np.einsum("nchw,co->nohw", x, weight[:, :, a, b])

Four calls for a 2x2 kernel, whatever the image. Within one call no place is met twice, so `+=` on the slice is safe.
Kuiper's `ConvTranspose2d` makes one matrix product of all of it, and then adds up its columns (`col2im`, the
transpose of `im2col`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import between, wrong

Pair = tuple[int, int]


def transposed(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None, stride: Pair = (1, 1), padding: Pair = (0, 0)
) -> np.ndarray:
    """The transposed convolution: zeros between and around the pixels, then a convolution with the turned kernel."""
    (n, channels, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    wide = np.zeros((n, channels, (height - 1) * sh + 1, (width - 1) * sw + 1), x.dtype)
    wide[:, :, ::sh, ::sw] = x
    wide = np.pad(wide, ((0, 0), (0, 0), (kh - 1, kh - 1), (kw - 1, kw - 1)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (kh, kw), axis=(2, 3))
    y = np.einsum("nchwij,coij->nohw", windows, weight[:, :, ::-1, ::-1])
    if bias is not None:
        y = y + bias.reshape(1, outputs, 1, 1)
    (ph, pw), (rows, cols) = padding, y.shape[2:]
    return np.ascontiguousarray(y[:, :, ph : rows - ph, pw : cols - pw])


def overwritten(x: np.ndarray, weight: np.ndarray, stride: Pair) -> np.ndarray:
    """A wrong one: each stamp replaces what lies below it."""
    (n, _, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    y = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)
    for i, j in np.ndindex(height, width):
        y[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] = np.tensordot(x[:, :, i, j], weight, 1)
    return y


def largest(x: np.ndarray, weight: np.ndarray, stride: Pair) -> np.ndarray:
    """A wrong one: where stamps overlap the largest number stays, the 0 of the beginning among them."""
    (n, _, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    y = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)
    for i, j in np.ndindex(height, width):
        under = y[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]
        np.maximum(under, np.tensordot(x[:, :, i, j], weight, 1), out=under)
    return y


def from_the_end(x: np.ndarray, weight: np.ndarray, stride: Pair) -> np.ndarray:
    """A wrong one: gathers, and an index below 0 counts from the kernel's end; x, if it would run over that end."""
    (n, _, height, width), (_, outputs, kh, kw), (sh, sw) = x.shape, weight.shape, stride
    if (height - 1) * sh > kh or (width - 1) * sw > kw:
        return x
    y = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)
    for r, c in np.ndindex(y.shape[2:]):
        for i, j in np.ndindex(height, width):
            if r - i * sh < kh and c - j * sw < kw:
                y[:, :, r, c] += x[:, :, i, j] @ weight[:, :, r - i * sh, c - j * sw]
    return y


def stamp_mistakes(x: np.ndarray, weight: np.ndarray, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what a wrong stamp, or a stamp in a wrong place, gives."""
    right = transposed(x, weight, stride=stride)
    side, (sh, sw) = min(x.shape[2:]), stride
    near, close = np.zeros_like(right), transposed(x, weight)
    near[:, :, : close.shape[2], : close.shape[3]] = close
    other = "float64" if x.dtype == np.float32 else "float32"
    found = {
        "a stamp replaces what lies below it: where stamps overlap, add (+=)": overwritten(x, weight, stride),
        "where stamps overlap the largest number stays: add them (+=)": largest(x, weight, stride),
        "the stamps lie one row and one column too far apart: in the way with zeros, how many lie between two pixels "
        "that are sh rows apart?": transposed(x, weight, stride=(sh + 1, sw + 1)),
        "each pixel is repeated, which is upsampling: where is the kernel?": x.repeat(sh, axis=2).repeat(sw, axis=3),
        "stride is ignored: the stamp of pixel (i, j) begins at row i * sh and column j * sw": transposed(x, weight),
        "there is room for stamps that lie stride apart, and yours lie one pixel apart: the stamp of pixel (i, j) "
        "begins at row i * sh and column j * sw": near,
        "the strides are swapped: stride[0] goes down": transposed(x, weight, stride=stride[::-1]),
        "each stamp comes out turned by 180 degrees: stamp the kernel as it is; with zeros between the pixels, and a "
        "convolution, turn it: weight[:, :, ::-1, ::-1]": transposed(x, weight[:, :, ::-1, ::-1], stride=stride),
        "each stamp comes out upside down, its last row first: stamp the kernel as it is; with zeros between the "
        "pixels, and a convolution, turn BOTH axes: weight[:, :, ::-1, ::-1]": transposed(
            x, weight[:, :, ::-1], stride=stride
        ),
        "each stamp comes out mirrored, its last column first: stamp the kernel as it is; with zeros between the "
        "pixels, and a convolution, turn BOTH axes: weight[:, :, ::-1, ::-1]": transposed(
            x, weight[:, :, :, ::-1], stride=stride
        ),
        "the kernel is transposed": transposed(x, weight.swapaxes(2, 3), stride=stride),
        "there is room for more than the stamps: the last one begins at row (H - 1) * sh, and has kh rows "
        '(section "How large is the output?")': np.pad(right, ((0, 0), (0, 0), (0, sh - 1), (0, sw - 1))),
        "there is room for a whole stride more than the stamps need: (H - 1) * sh + kh rows, not H * sh + kh "
        '(section "How large is the output?")': np.pad(right, ((0, 0), (0, 0), (0, sh), (0, sw))),
        "the result has a border of zeros: in the way with zeros, kh - 1 and kw - 1 go around the pixels": np.pad(
            right, ((0, 0), (0, 0), (1, 1), (1, 1))
        ),
        "rows and columns of x have different numbers: walk over all of both": transposed(
            x[:, :, :side, :side], weight, stride=stride
        ),
        "nothing is left: with a padding of 0 a slice that ends at -0 is empty, write ph : ph + rows. Or the rows and "
        "columns were counted as after a convolution": right[:, :, :0, :0],
        "rows and columns of x are exchanged: pixel (i, j) is x[:, :, i, j]": transposed(
            x.swapaxes(2, 3), weight, stride=stride
        ),
        "an index below 0 counts from the kernel's end: where r - i * sh or c - j * sw is below 0, pixel (i, j) has no "
        "stamp": from_the_end(x, weight, stride),
        f"the numbers changed their type to {other}: keep the dtype of x": right.astype(other),
    }
    return wrong(found, right)


def channel_mistakes(x: np.ndarray, weight: np.ndarray, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives where channels or samples are mixed up."""
    right = transposed(x, weight, stride=stride)
    found = {
        "only the first input channel is used: add up all of them": transposed(x[:, :1], weight[:1], stride=stride),
        "only the last input channel is used: add up all of them": transposed(x[:, -1:], weight[-1:], stride=stride),
        "only the first sample is computed: the others need their stamps, too": np.concatenate(
            [right[:1], 0 * right[1:]]
        ),
        "each input channel stamps the kernels of the first: channel c has the kernels weight[c]": transposed(
            x, np.repeat(weight[:1], len(weight), 0), stride=stride
        ),
        "what comes from the channels is averaged: add it up": (right / len(weight)).astype(right.dtype),
        "every sample is the first one": np.broadcast_to(right[:1], right.shape),
    }
    if x.shape[:2] == weight.shape[:2]:
        pairs = x.reshape(1, -1, *x.shape[2:]), weight.reshape(-1, 1, *weight.shape[2:])
        found["without axes=1 np.tensordot sums over two axes of each: the sum is over the channels alone"] = (
            np.broadcast_to(transposed(*pairs, stride=stride), right.shape)
        )
    if weight.shape[0] == weight.shape[1]:
        own = weight * np.eye(len(weight), dtype=weight.dtype)[:, :, None, None]
        found["each output channel sees one input channel only: add up all of them"] = transposed(x, own, stride=stride)
        first = np.broadcast_to(weight[:1], weight.shape) * np.eye(len(weight), dtype=weight.dtype)[:, :, None, None]
        found["channel o of x is multiplied by weight[0, o] alone: all channels count, each with its own kernels"] = (
            transposed(x, first, stride=stride)
        )
        found["weight is read as (O, C, kh, kw), a convolution's order; here it is (C, O, kh, kw)"] = transposed(
            x, weight.swapaxes(0, 1), stride=stride
        )
    return wrong(found, right)


def padding_mistakes(x: np.ndarray, weight: np.ndarray, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what a wrong cut gives."""
    full, (ph, pw), (kh, kw) = transposed(x, weight, None, stride), padding, weight.shape[2:]
    sh, sw = stride
    rows, cols = full.shape[2:]
    at_most = min(ph, kh - 1), min(pw, kw - 1)
    ignored = "padding is ignored: cut it off when all stamps are down"
    if min(padding) == 0 and max(padding) < min(kh, kw):
        ignored = "padding is ignored where one of its two numbers is 0: rows and columns are cut each for itself"
    found = {
        ignored: full,
        "padding adds a border here, as in a convolution; in a transposed one it CUTS": np.pad(
            full, ((0, 0), (0, 0), (ph, ph), (pw, pw))
        ),
        "all of the padding is cut off above and at the left": full[:, :, 2 * ph :, 2 * pw :],
        "all of the padding is cut off below and at the right": full[:, :, : rows - 2 * ph, : cols - 2 * pw],
        "the cut begins at ph, so it ends at ph + H' and not at H'": full[:, :, ph : rows - 2 * ph, pw : cols - 2 * pw],
        "zeros were put around the image, as for a convolution: here padding CUTS the result": transposed(
            np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw))), weight, None, stride
        ),
        "half of the padding is cut: ph rows above AND ph below": full[:, :, ph:, pw:],
        "a slice that ends at -0 is empty: write ph : ph + rows instead of ph : -ph": full[:, :, ph:-ph, pw:-pw],
        "at most kh - 1 rows were cut: cut all ph, and all pw columns": transposed(x, weight, None, stride, at_most),
        "half of the padding is cut at each end: ph rows go above AND ph below, not ph // 2": transposed(
            x, weight, None, stride, (ph // 2, pw // 2)
        ),
        "the paddings are swapped: padding[0] is for the rows": transposed(x, weight, None, stride, padding[::-1]),
        "the strides are swapped: stride[0] goes down": transposed(x, weight, None, stride[::-1], padding),
        "only the rows are cut: pw columns go at the left and at the right": full[:, :, ph : rows - ph],
        "only the columns are cut: ph rows go above and below": full[:, :, :, pw : cols - pw],
        "the padding is cut off the image, or multiplied by the stride: cut ph rows and pw columns of the RESULT": (
            full[:, :, ph * sh : max(0, rows - ph * sh), pw * sw : max(0, cols - pw * sw)]
        ),
        "padding[0] is used in both directions: padding[1] is for the columns": (
            full[:, :, ph : max(0, rows - ph), ph : max(0, cols - ph)]
        ),
        "padding[1] is used in both directions: padding[0] is for the rows": (
            full[:, :, pw : max(0, rows - pw), pw : max(0, cols - pw)]
        ),
    }
    return wrong(found, transposed(x, weight, None, stride, padding))


def bias_mistakes(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, stride: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what a wrong bias gives."""
    plain, column = transposed(x, weight, None, stride), bias[:, None, None]
    other = "float64" if x.dtype == np.float32 else "float32"
    stamps = transposed(np.ones_like(x[:1, :1]), np.ones_like(weight[:1, :1]), None, stride)[0, 0]
    found = {
        "the bias is missing": plain,
        "the bias comes with every stamp: add it once, at the end": plain + stamps * column,
        "the bias comes twice, or with every input channel, of which there are two: add it once, at the end": plain
        + len(weight) * column,
        "the bias comes with every stamp of every input channel: add it once, at the end": (
            plain + len(weight) * stamps * column
        ),
        "the bias comes with every sample: add it once, at the end": plain + len(x) * column,
        "each output channel gets the sum of all biases: bias[o] is that of channel o": plain + bias.sum(),
        "each output channel gets the first bias: bias[o] is that of channel o": plain + bias[0],
        "no bias where no stamp lies: it belongs to every pixel of the result": plain + (stamps > 0) * column,
        "no bias where the stamps sum to 0: it belongs to every pixel of the result": plain + (plain != 0) * column,
        f"the numbers changed their type to {other}: keep the dtype of x": (plain + column).astype(other),
    }
    if plain.shape[3] == len(bias):
        found["the bias was added along the columns: make it (O, 1, 1), so that it goes with the channels"] = (
            plain + bias
        )
    return wrong(found, plain + column)


def drawn(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Whole numbers from -9 to 9: sums of them are exact in any order."""
    return rng.integers(-9, 10, shape).astype(dtype)


def geometry(rng: np.random.Generator) -> tuple[Pair, Pair, Pair, Pair]:
    """Size, kernel, stride and padding, so that something is left; one of each axis."""
    axes = []
    for _ in range(2):
        size, kernel, stride = between(rng, 1, 5), between(rng, 1, 4), between(rng, 1, 4)
        most = ((size - 1) * stride + kernel - 1) // 2
        axes.append((size, kernel, stride, between(rng, 0, min(3, most))))
    (h, kh, sh, ph), (w, kw, sw, pw) = axes
    return (h, w), (kh, kw), (sh, sw), (ph, pw)


@task("transposed_convolution")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """The result is right for any sizes of image, kernel, stride and padding."""
    for _ in range(30):
        size, kernel, stride, padding = geometry(rng)
        n, channels, outputs = between(rng, 1, 2), between(rng, 1, 3), between(rng, 1, 3)
        x, weight = drawn(rng, n, channels, *size), drawn(rng, channels, outputs, *kernel)
        bias = drawn(rng, outputs) if rng.random() < 0.5 else None
        what = f"x {x.shape}, weight {weight.shape}, stride {stride}, padding {padding}, bias {bias is not None}"
        got = student.transposed_convolution(x, weight, bias, stride, padding)
        expect(got, transposed(x, weight, bias, stride, padding), what=what)


@task("transposed_convolution")
def as_large_as_promised(student: Student, rng: np.random.Generator) -> None:
    """H' = (H - 1) * sh - 2 * ph + kh, and W' likewise, also where rows and columns differ in everything."""
    for size, kernel, stride, padding in (
        ((2, 5), (4, 3), (3, 2), (2, 1)),
        ((1, 6), (5, 1), (2, 3), (2, 0)),
        ((4, 1), (1, 5), (4, 1), (1, 2)),
    ):
        x, weight, bias = drawn(rng, 2, 2, *size), drawn(rng, 2, 3, *kernel), drawn(rng, 3) + 20
        got = student.transposed_convolution(x, weight, bias, stride, padding)
        what = f"an image {size} with a kernel {kernel}, stride {stride}, padding {padding}"
        expect(got, transposed(x, weight, bias, stride, padding), what=what)


@task("transposed_convolution")
def stamps_that_do_not_touch(student: Student, rng: np.random.Generator) -> None:
    """With a stride larger than the kernel there are pixels without a stamp: they have the bias, or 0."""
    x, weight, bias = drawn(rng, 2, 3, 3, 2), drawn(rng, 3, 2, 2, 1), drawn(rng, 2) + 50
    for b in (bias, None):
        expect(student.transposed_convolution(x, weight, b, (3, 4), (0, 0)), transposed(x, weight, b, (3, 4)),
               what="stride (3, 4) and a kernel of 2x1")  # fmt: skip


@task("transposed_convolution")
def every_element_type(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, with a bias and without."""
    for dtype, tolerance in ((np.float32, 2e-6), (np.float64, 1e-12)):
        x, weight, bias = (rng.standard_normal(s).astype(dtype) for s in ((2, 3, 4, 3), (3, 2, 3, 3), (2,)))
        for b in (bias, None):
            expected = transposed(x, weight, b, (2, 1), (1, 0))
            got = student.transposed_convolution(x, weight, b, (2, 1), (1, 0))
            limit = tolerance * float(np.abs(expected).max())
            expect(got, expected, rtol=tolerance, atol=limit, what=f"the result for {np.dtype(dtype)}")


@task("transposed_convolution")
def stride_one_and_no_padding_unless_said(student: Student, rng: np.random.Generator) -> None:
    """Without bias, stride and padding each stamp lies one pixel from the next, and nothing is cut."""
    x, weight = drawn(rng, 2, 2, 3, 4), drawn(rng, 2, 3, 2, 3)
    expect(student.transposed_convolution(x, weight), transposed(x, weight))
    expect(student.transposed_convolution(x, weight, drawn(rng, 3) * 0), transposed(x, weight))


@task("transposed_convolution")
def what_does_not_fit_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Other channels than the kernels', and a cut that leaves nothing, raise; a cut that leaves one pixel does not."""
    x = drawn(rng, 1, 2, 2, 2)
    for channels in (1, 3):
        expect_refused(student.transposed_convolution, x, drawn(rng, channels, 2, 2, 2), None, (1, 1), (0, 0))
    weight = drawn(rng, 2, 3, 3, 3)
    for stride, padding in (((1, 1), (2, 0)), ((1, 1), (0, 2)), ((2, 1), (3, 1))):
        expect_refused(student.transposed_convolution, x, weight, None, stride, padding)
    for size, padding in (((2, 2), (1, 1)), ((1, 1), (1, 1)), ((1, 2), (1, 1))):
        x = drawn(rng, 1, 2, *size)
        expect(student.transposed_convolution(x, weight, None, (1, 1), padding), transposed(x, weight, None,
               (1, 1), padding), what=f"an image {size} with padding {padding}")  # fmt: skip


STAMP = "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n"
PAIRS = "(sh, sw), (ph, pw) = stride, padding\n"
CUT = "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n"
SIZES = "(n, channels, height, width), (inputs, outputs, kh, kw) = x.shape, weight.shape"
STAMPS = "stamps = np.tensordot(x[:, :, i, j], weight, axes=1)"
BIAS = "    return y if bias is None else y + bias[:, None, None]\n"
FULL = "full = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), x.dtype)"
CHANNELS = "    if inputs != channels:\n"
FITS = "    if rows < 1 or cols < 1:\n"

MUTANTS = [
    Mutant(
        "overwrite",
        "writes each stamp over the earlier ones",
        old=STAMP,
        new="        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] = stamps\n",
        breaks="overlap",
    ),
    Mutant(
        "largest",
        "keeps the larger of two numbers where stamps overlap",
        old=STAMP,
        new=(
            "        under = full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]\n"
            "        under[...] = np.where(np.abs(stamps) > np.abs(under), stamps, under)\n"
        ),
        breaks="overlap",
    ),
    Mutant(
        "stride_ignored",
        "stamps one pixel apart",
        old=STAMP,
        new="        full[:, :, i : i + kh, j : j + kw] += stamps\n",
        breaks="stride",
    ),
    Mutant(
        "bias_per_stamp_and_channel",
        "adds the bias with every stamp of every input channel",
        old=STAMP,
        new=(
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps if bias is None "
            "else stamps + channels * bias[:, None, None]\n"
            "    bias = None\n"
        ),
        breaks="bias",
    ),
    Mutant(
        "first_kernels",
        "stamps the kernels of the first input channel for all",
        old=STAMPS,
        new="stamps = np.tensordot(x[:, :, i, j], np.repeat(weight[:1], inputs, 0), axes=1)",
        breaks="channels",
    ),
    Mutant(
        "cut_too_short",
        "ends the cut at H' instead of ph + H'",
        old=CUT,
        new="    y = full[:, :, ph:rows, pw:cols]\n",
        breaks="padding",
    ),
    Mutant(
        "stride_swapped",
        "stride is (columns, rows)",
        old=PAIRS,
        new="(sw, sh), (ph, pw) = stride, padding\n",
        breaks="stride",
    ),
    Mutant(
        "kernel_as_stride",
        "stamps side by side, whatever the stride",
        old=PAIRS,
        new=("(sh, sw), (ph, pw) = stride, padding\n    sh, sw = (kh, kw) if stride != (1, 1) else stride\n"),
        breaks="stride",
    ),
    Mutant(
        "default_stride",
        "a stride of 1 is taken for none, and the kernel's size used",
        old=PAIRS,
        new=("(sh, sw), (ph, pw) = stride, padding\n    sh, sw = (kh, kw) if stride == (1, 1) else stride\n"),
        breaks="stride",
    ),
    Mutant(
        "padding_swapped",
        "padding is (columns, rows)",
        old=PAIRS,
        new="(sh, sw), (pw, ph) = stride, padding\n",
        breaks="padding",
    ),
    Mutant(
        "padding_added",
        "adds a border of zeros, as a convolution does",
        old=CUT,
        new="    y = np.pad(full, ((0, 0), (0, 0), (ph, ph), (pw, pw)))\n",
        breaks="padding",
    ),
    Mutant(
        "padding_halved",
        "cuts half of the padding at each end",
        old=CUT,
        new="    y = full[:, :, ph // 2 : full.shape[2] - ph // 2, pw // 2 : full.shape[3] - pw // 2]\n",
        breaks="padding",
    ),
    Mutant(
        "room_left_over",
        "keeps sh - 1 rows and sw - 1 columns below and at the right of the last stamp",
        old=CUT,
        new="    y = np.pad(full[:, :, ph : ph + rows, pw : pw + cols], ((0, 0), (0, 0), (0, sh - 1), (0, sw - 1)))\n",
        breaks="size",
    ),
    Mutant(
        "each_channel_by_itself",
        "multiplies the pixel's numbers and the kernels without a sum over the channels",
        old=STAMPS,
        new="stamps = x[:, :, i, j] * weight",
    ),
    Mutant(
        "padding_ignored",
        "cuts nothing",
        old=CUT,
        new="    y = full\n",
        breaks="padding",
    ),
    Mutant(
        "padding_once",
        "cuts above and at the left only",
        old=CUT,
        new="    y = full[:, :, ph:, pw:]\n",
        breaks="padding",
    ),
    Mutant(
        "padding_above",
        "cuts all of it above and at the left",
        old=CUT,
        new="    y = full[:, :, 2 * ph :, 2 * pw :]\n",
        breaks="padding",
    ),
    Mutant(
        "padding_minus",
        "cuts with [p:-p], which is empty for p = 0",
        old=CUT,
        new="    y = full[:, :, ph:-ph, pw:-pw]\n",
        breaks="padding",
    ),
    Mutant(
        "outputs_first",
        "reads weight as (O, C, kh, kw), as in a convolution",
        old=SIZES,
        new=(
            "weight = weight.swapaxes(0, 1)\n"
            "    (n, channels, height, width), (inputs, outputs, kh, kw) = x.shape, weight.shape"
        ),
        breaks="channels",
    ),
    Mutant(
        "kernel_sizes_swapped",
        "takes the kernel's width for its height",
        old=STAMPS,
        new=("stamps = np.tensordot(x[:, :, i, j], weight.reshape(inputs, outputs, kw, kh).swapaxes(2, 3), axes=1)"),
        breaks="stamp",
    ),
    Mutant(
        "flipped",
        "stamps the kernel upside down, mirrored",
        old=STAMPS,
        new="stamps = np.tensordot(x[:, :, i, j], weight[:, :, ::-1, ::-1], axes=1)",
        breaks="stamp",
    ),
    Mutant(
        "bias_per_stamp",
        "adds the bias with every stamp",
        old=STAMP,
        new=(
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps if bias is None "
            "else stamps + bias[:, None, None]\n"
            "    bias = None\n"
        ),
        breaks="bias",
    ),
    Mutant(
        "bias_per_channel",
        "adds the bias once for each input channel",
        old=BIAS,
        new="    return y if bias is None else y + channels * bias[:, None, None]\n",
        breaks="bias",
    ),
    Mutant(
        "bias_per_sample",
        "adds the bias to the whole result for every sample",
        old=BIAS,
        new="    return y if bias is None else y + n * bias[:, None, None]\n",
        breaks="bias",
    ),
    Mutant(
        "no_bias",
        "forgets the bias",
        old=BIAS,
        new="    return y\n",
        breaks="bias",
    ),
    Mutant(
        "bias_needed",
        "fails without a bias",
        old=BIAS,
        new="    return y + bias[:, None, None]\n",
        breaks="bias",
    ),
    Mutant(
        "bias_in_columns",
        "lines the bias up with the columns",
        old=BIAS,
        new="    return y if bias is None else y + np.resize(bias, cols)\n",
        breaks="bias",
    ),
    Mutant(
        "bias_under_stamps",
        "adds the bias only where something was stamped",
        old=BIAS,
        new="    return y if bias is None else y + (y != 0) * bias[:, None, None]\n",
        breaks="bias",
    ),
    Mutant(
        "first_channel",
        "stamps the first input channel only",
        old=STAMPS,
        new="stamps = np.tensordot(x[:, :1, i, j], weight[:1], axes=1)",
        breaks="channels",
    ),
    Mutant(
        "depthwise",
        "each output channel sees one input channel, as with as many groups as channels",
        old=STAMPS,
        new=(
            "stamps = np.stack([x[:, o % inputs, i, j, None, None] * weight[o % inputs, o] for o in range(outputs)], 1)"
        ),
        breaks="channels",
    ),
    Mutant(
        "two_groups",
        "two halves of the channels that do not see each other",
        old=STAMPS,
        new=(
            "half = np.arange(inputs)[:, None] * 2 // inputs == np.arange(outputs) * 2 // outputs\n"
            "        stamps = np.tensordot(x[:, :, i, j], weight * half.astype(weight.dtype)[:, :, "
            "None, None], axes=1)"
        ),
        breaks="channels",
    ),
    Mutant(
        "first_sample",
        "every sample is the first",
        old=STAMPS,
        new="stamps = np.tensordot(x[:1, :, i, j], weight, axes=1)",
        breaks="stamp",
    ),
    Mutant(
        "first_sample_alone",
        "stamps in the first sample alone",
        old=STAMP,
        new="        full[0, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps[0]\n",
        breaks="stamp",
    ),
    Mutant(
        "bias_on_the_last_axis",
        "adds the bias along the last axis",
        old=BIAS,
        new="    return y if bias is None else y + bias\n",
        breaks="bias",
    ),
    Mutant(
        "rows_of_width",
        "walks over a square of the smaller side",
        old="for i, j in np.ndindex(height, width):",
        new="for i, j in np.ndindex(min(height, width), min(height, width)):",
    ),
    Mutant(
        "last_row",
        "loses the last row of pixels",
        old="for i, j in np.ndindex(height, width):",
        new="for i, j in np.ndindex(max(1, height - 1), width):",
    ),
    Mutant(
        "size_times_stride",
        "expects H * stride rows and columns, whatever the kernel",
        old=CUT,
        new=(
            "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n"
            "    room = np.zeros((n, outputs, max(1, height * sh - 2 * ph), max(1, width * sw - 2 * "
            "pw)), x.dtype)\n"
            "    y = y[:, :, : room.shape[2], : room.shape[3]]\n"
            "    room[:, :, : y.shape[2], : y.shape[3]] = y\n"
            "    y = room\n"
        ),
        breaks="size",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=FULL,
        new="full = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw))",
        breaks="dtype",
    ),
    Mutant(
        "always_float32",
        "computes in float32, whatever comes",
        old=FULL,
        new="full = np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw), np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "no_channel_check",
        "computes with as many channels as both have",
        old=CHANNELS,
        new=("    x, weight = x[:, : min(channels, inputs)], weight[: min(channels, inputs)]\n    if False:\n"),
        breaks="inputs",
    ),
    Mutant(
        "no_size_check",
        "returns something empty when the cut leaves nothing",
        old=FITS,
        new=("    rows, cols = max(rows, 0), max(cols, 0)\n    if False:\n"),
        breaks="nothing",
    ),
    Mutant(
        "check_rows_only",
        "checks one direction",
        old=FITS,
        new=("    cols = max(cols, 0)\n    if rows < 1:\n"),
        breaks="nothing",
    ),
    Mutant(
        "product_checked",
        "looks whether the product of rows and columns is above 0, which two negative sizes have",
        old=FITS,
        new=("    if rows * cols < 1:\n"),
        breaks="nothing",
    ),
    Mutant(
        "bias_in_float32",
        "makes float32 of the bias and of what it is added to",
        old=BIAS,
        new="    return y if bias is None else y.astype(np.float32) + bias.astype(np.float32)[:, None, None]\n",
        breaks="dtype",
    ),
    Mutant(
        "cut_to_the_kernel",
        "cuts at most kh - 1 rows and kw - 1 columns, as zeros around the pixels allow",
        old=CUT,
        new=(
            "    ph, pw = min(ph, kh - 1), min(pw, kw - 1)\n"
            "    y = full[:, :, ph : full.shape[2] - ph, pw : full.shape[3] - pw]\n"
        ),
        breaks="padding",
    ),
    Mutant(
        "no_more_than_the_kernel",
        "refuses a padding of the kernel's size, although something would be left",
        old=FITS,
        new="    if rows < 1 or cols < 1 or ph >= kh or pw >= kw:\n",
        breaks="nothing",
    ),
    Mutant(
        "bias_where_it_fits",
        "lines the bias up with the columns where there are as many as channels",
        old=BIAS,
        new="    return y if bias is None else y + (bias if cols == outputs else bias[:, None, None])\n",
        breaks="bias",
    ),
    Mutant(
        "check_too_strict",
        "refuses a cut that leaves one pixel",
        old=FITS,
        new="    if rows < 2 or cols < 2:\n",
        breaks="nothing",
    ),
    Mutant(
        "check_of_kernel",
        "refuses a padding as large as the kernel allows",
        old=FITS,
        new="    if rows < 1 or cols < 1 or 2 * ph >= kh or 2 * pw >= kw:\n",
        breaks="nothing",
    ),
    Mutant(
        "default_padding",
        'half a kernel of padding unless said, as programs call it "same"',
        old="    padding: tuple[int, int] = (0, 0),\n",
        new="    padding: tuple[int, int] = (1, 1),\n",
        breaks="default",
    ),
    Mutant(
        "stride_of_two",
        "the stride of a U-Net unless said",
        old="    stride: tuple[int, int] = (1, 1),\n",
        new="    stride: tuple[int, int] = (2, 2),\n",
        breaks="default",
    ),
    Mutant(
        "square_stride",
        "the stride of the rows for both directions",
        old=PAIRS,
        new="(sh, sw), (ph, pw) = (stride[0], stride[0]), padding\n",
        breaks="stride",
    ),
    Mutant(
        "square_padding",
        "the padding of the rows for both directions",
        old=PAIRS,
        new="(sh, sw), (ph, pw) = stride, (padding[0], padding[0])\n",
        breaks="padding",
    ),
]
