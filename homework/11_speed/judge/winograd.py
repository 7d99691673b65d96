r"""A convolution with 2.25 times fewer products: why the solution is as it is.

A 2-D convolution is a 1-D one of rows of 1-D ones, so the transform is applied from both sides: `into @ tile @
into.T` and `kernel @ g @ kernel.T`, 4 x 4 each; their 16 products; `back @ products @ back.T`, 2 x 2. That is 16
products for four outputs instead of 36: 2.25 times fewer.

- **Tiles.** All 4 x 4 windows at every second row and column: `sliding_window_view(...)[:, ::2, ::2]`, a view.
  Neighbours share two pixels, as windows of a convolution do. For odd sizes zeros below and to the right complete the
  last tile.
- **Channels.** The transform back is linear: the sum over the channels may come before it, and then it is made once
  for each output channel and not once for each pair. With the sum inside, each of the 16 places of a tile is a matrix
  product, (tiles, C) @ (C, O). That is what kuiper's [winograd.py](../../../kuiper/fast/kernels/conv/winograd.py)
  hands to the matrix library.
- **Order.** The result is (O, down, across, 2, 2), and an image is (O, down, 2, across, 2). Transpose, then reshape.
  A reshape alone has the right shape and wrong numbers.
- The kernels' transform belongs to the weights: a framework makes it once, when it loads the model.

Rounding: sums of pixels that nearly cancel lose digits. F(2, 3) in float32 is nearly as exact as the direct sum; with
larger tiles it gets worse, and F(6, 3) has too large an error for some networks.

Cost: 16 T C O products; a direct convolution has 9 H' W' C O, which is 36 T C O where the sizes are even.
"""

from __future__ import annotations

import itertools

import numpy as np

from classroom.judge import Mutant, Student, task

from ..public import expect_made_of_products, expect_one_wrong_product, expect_products, expect_sides, image


def slow_convolution(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(C, H, W) and (O, C, 3, 3) -> (O, H-2, W-2), one pixel of all kernels at a time."""
    _, height, width = x.shape
    y = np.zeros((len(weight), height - 2, width - 2), x.dtype)
    for i, j in np.ndindex(3, 3):
        part = x[:, i : height - 2 + i, j : width - 2 + j]
        y += np.einsum("chw,oc->ohw", part, weight[:, :, i, j])
    return y


def side_by_side(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """A wrong one: tiles of 4 x 4 pixels that do not overlap, zeros where the image ends."""
    outputs, height, width = len(weight), x.shape[1] - 2, x.shape[2] - 2
    down, across = -(-height // 2), -(-width // 2)
    wide = np.pad(x, ((0, 0), (0, max(0, 4 * down - x.shape[1])), (0, max(0, 4 * across - x.shape[2]))))
    y = np.zeros((outputs, 2 * down, 2 * across), x.dtype)
    for i, j in np.ndindex(down, across):
        tile = wide[:, 4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
        y[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = slow_convolution(tile, weight)
    return y[:, :height, :width]


BACK = np.array([[1.0, 1, 1, 0], [0, 1, -1, -1]])
KERNEL = np.array([[1.0, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
WHOLE = KERNEL * [[1], [2], [2], [1]]
INTO = np.array([[1.0, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
LAST_TURNED = BACK * [1, 1, 1, -1]
THIRD_TURNED = INTO * [[1], [1], [-1], [1]]
AXES = "down", "across", "row", "column"
"""The axes of the tiles of results, behind that of the kernels; the last two are those inside a tile."""


def by_transforms(
    x: np.ndarray,
    weight: np.ndarray,
    right: np.ndarray,
    left: np.ndarray = INTO,
    kernel: np.ndarray = KERNEL,
    back: np.ndarray = BACK,
) -> np.ndarray:
    """Winograd's way with `left` and `right` beside each tile, where INTO and its transpose belong."""
    height, width = x.shape[1] - 2, x.shape[2] - 2
    padded = np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))
    tiles = np.lib.stride_tricks.sliding_window_view(padded, (4, 4), axis=(1, 2))[:, ::2, ::2]
    sums = np.einsum("cijab,ocab->oijab", left @ tiles @ right, kernel @ weight @ kernel.T)
    y = (back @ sums @ back.T).swapaxes(2, 3)
    return y.reshape(len(weight), 2 * y.shape[1], -1)[:, :height, :width].astype(x.dtype)


def half_way_back(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """A wrong one: the tiles of 2 x 4 numbers that BACK alone, on the left, makes of the products, side by side."""
    height, width = x.shape[1] - 2, x.shape[2] - 2
    padded = np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))
    tiles = np.lib.stride_tricks.sliding_window_view(padded, (4, 4), axis=(1, 2))[:, ::2, ::2]
    sums = np.einsum("cijab,ocab->oijab", INTO @ tiles @ INTO.T, KERNEL @ weight @ KERNEL.T)
    y = (BACK @ sums).swapaxes(2, 3)
    return y.reshape(len(weight), 2 * y.shape[1], -1).astype(x.dtype)


def image_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives."""
    y = slow_convolution(x, weight)
    outputs, height, width = y.shape
    padded = np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))
    even = slow_convolution(padded, weight)
    tiles = even.reshape(outputs, even.shape[1] // 2, 2, even.shape[2] // 2, 2)
    other = np.float64 if x.dtype == np.float32 else np.float32
    around = slow_convolution(np.pad(x, ((0, 0), (1, 1), (1, 1))), weight)
    zeros = y.copy()
    zeros[:, height - height % 2 :] = 0
    zeros[:, :, width - width % 2 :] = 0
    found = {
        "the result is not cut: what the padding added has to go": even,
        "nothing is left of the result. Is it cut with [:-n]? For n = 0 that is [:0], so say how many rows and columns "
        "stay: [:, :height, :width]": y[:, :0, :0],
        "the last row or column has no tile, where their number is odd: pad with zeros below and to the right, cut the "
        "result": zeros,
        "the tiles stand side by side: neighbours overlap by two pixels, one begins every 2 pixels, not every 4": (
            side_by_side(x, weight)
        ),
        "the pixels are not transformed: B^T d B, before they meet the kernels": by_transforms(
            x, weight, np.eye(4), np.eye(4)
        ),
        "the tiles stand side by side: one begins every 2 pixels, not every 4": (
            even[:, np.arange(even.shape[1]) % 4 < 2][:, :, np.arange(even.shape[2]) % 4 < 2]
        ),
        "the tiles are transformed from one side only: columns (left), then rows (right), B^T d B": (
            by_transforms(x, weight, np.eye(4))
        ),
        "the transform on the right is not transposed: in B^T d B the right one is B": by_transforms(x, weight, INTO),
        "the pixels' matrix and its transpose are exchanged: that with the first row 1, 0, -1, 0 stands on the left": (
            by_transforms(x, weight, INTO, INTO.T)
        ),
        "the third row of the pixels' matrix has the wrong sign: does your winograd_step pass its tests with it?": (
            by_transforms(x, weight, THIRD_TURNED.T, THIRD_TURNED)
        ),
        "the channels were summed before the product: a product of sums is not the sum of products; sum the products": (
            slow_convolution(x.sum(axis=0, keepdims=True), weight.sum(axis=1, keepdims=True))
        ),
        "the sum is over the kernels: the products are (O, C, ...), so sum over C, axis 1": np.concatenate(
            [slow_convolution(x[c : c + 1], weight[:, c : c + 1]).sum(axis=0, keepdims=True) for c in range(len(x))]
        ),
        "the zeros were put above the image or at its left: they belong below and to the right": slow_convolution(
            np.pad(x, ((0, 0), (height % 2, 0), (width % 2, 0))), weight
        )[:, :height, :width],
        "the image was padded on all sides, as in lesson 6: there is no padding here but what the last tiles need": (
            around[:, :height, :width]
        ),
        "the image was padded on all sides as in lesson 6, and the output is H x W: no padding here but what the last "
        "tiles need": around,
        "the sum is over the kernels, too: the products are (O, C, ...), so sum over C alone, axis 1": (
            y.sum(axis=0, keepdims=True)
        ),
        "each kernel has the sum over all of them: the products are (O, C, ...), so sum over C alone, axis 1": (
            np.repeat(y.sum(axis=0, keepdims=True), outputs, axis=0)
        ),
        "the middle rows of G, (4, 3), are twice too large: does your winograd_step pass with it?": by_transforms(
            x, weight, INTO.T, kernel=WHOLE
        ),
        "the middle rows of G, (4, 3), are 0: a matrix of whole numbers cuts the halves off": by_transforms(
            x, weight, INTO.T, kernel=np.trunc(KERNEL)
        ),
        "the last sign of A^T, (2, 4), is wrong: does your winograd_step pass with it?": by_transforms(
            x, weight, INTO.T, back=LAST_TURNED
        ),
        "only the first channel is there: sum the products over all": slow_convolution(x[:1], weight[:, :1]),
        "only the last channel is there: add up the channels, += and not =": slow_convolution(x[-1:], weight[:, -1:]),
        "the kernels are transposed: G g G^T, with g as it is": slow_convolution(x, weight.swapaxes(2, 3)),
        "the kernels are turned by 180 degrees: ours are not": slow_convolution(x, weight[:, :, ::-1, ::-1]),
        "the tiles were only reshaped: their rows must lie side by side, (down, 2, across, 2), first": (
            tiles.transpose(0, 1, 3, 2, 4).reshape(even.shape)[:, :height, :width]
        ),
        "rows and columns are exchanged inside the tiles: (down, 2, across, 2) is row, row of the tile, column, ...": (
            tiles.swapaxes(2, 4).reshape(even.shape)[:, :height, :width]
        ),
        "the last row or column is missing, where their number is odd: pad the image below and to the right": (
            y[:, : height - height % 2, : width - width % 2]
        ),
        f"the result became {np.dtype(other)}: give the matrices the dtype of x": y.astype(other),
    }
    rows, cols = ((np.arange(2 * (extent - 1)) + 1) // 2 for extent in even.shape[1:])  # a tile at every pixel
    every = even[:, rows][:, :, cols]
    turned = even.reshape(outputs, even.shape[2], even.shape[1])
    found |= {
        "there is a tile at every pixel, and so too many outputs: one begins at every second row and column": every,
        "there is a tile at every pixel: one begins at every second row and column": (every[:, :height, :width]),
        "the cut exchanges rows and columns: an image is (O, rows, columns)": even[:, :width, :height],
        "rows and columns were exchanged in the last reshape: first what the tiles give down, then across": turned,
        "rows and columns were exchanged in the last reshape: what the tiles give down comes first, then across": (
            turned[:, :height, :width]
        ),
        "the channels were averaged: a convolution sums over them": (y / len(x)).astype(x.dtype),
    }
    strips = half_way_back(x, weight)
    found |= {
        "the way back is made on the left alone: for products m it is A^T m A": strips,
        "the way back is made on the left alone, and its result is cut: for products m it is A^T m A": (
            strips[:, :height, :width]
        ),
    }
    for order in itertools.permutations(range(4)):
        cause = (
            f"the axes were put in the order {', '.join(AXES[i] for i in order)}: an image is down, row, across, column"
        )
        in_order = tiles.transpose(0, *(1 + (0, 2, 1, 3)[i] for i in order))
        found[cause] = in_order.reshape(even.shape)[:, :height, :width]
    return {cause: wrong for cause, wrong in found.items() if wrong.dtype != y.dtype or not np.array_equal(wrong, y)}


def expect_right(student: Student, x: np.ndarray, weight: np.ndarray, tolerance: float = 1e-5) -> None:
    """Raise Failure unless winograd gives what the formula gives, by 16 products for each tile, channel and kernel."""
    expect_products(student.winograd, x, weight, slow_convolution(x, weight), tolerance)


@task("winograd")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """Any number of channels, kernels, rows and columns gives what the formula gives, by no product too many."""
    for height, width in ((3, 3), (3, 8), (4, 3), (9, 4), (6, 11), (10, 10), (5, 12)):
        channels, outputs = (int(n) for n in rng.integers(1, 6, 2))
        expect_right(student, *image(rng, channels, height, width, outputs))


@task("winograd")
def floats_of_both_types(student: Student, rng: np.random.Generator) -> None:
    """Real numbers in float32 and float64 keep their type, and are as exact as it."""
    for dtype, tolerance in ((np.float32, 5e-5), (np.float64, 1e-12)):
        x, weight = rng.normal(size=(4, 9, 8)).astype(dtype), rng.normal(size=(3, 4, 3, 3)).astype(dtype)
        expect_right(student, x, weight, tolerance)


@task("winograd")
def a_layer_of_a_network(student: Student, rng: np.random.Generator) -> None:
    """The second convolution of the digits network, 32 channels and 32 kernels on 8x8 pixels, within its time."""
    expect_right(student, *image(rng, 32, 10, 10, 32))


@task("winograd")
def one_pixel_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A single pixel that is not 0 paints the kernel, turned by 180 degrees, around itself and nothing else."""
    for row, col in ((0, 0), (2, 3), (5, 5), (int(rng.integers(6)), int(rng.integers(6)))):
        x = np.zeros((2, 6, 6), np.float64)
        x[int(rng.integers(2)), row, col] = float(rng.integers(1, 10))
        expect_right(student, x, rng.integers(1, 10, (2, 2, 3, 3)).astype(np.float64))


@task("winograd")
def made_of_products_of_pixels_and_weights(student: Student, rng: np.random.Generator) -> None:
    """For any number of channels and tiles, the result is made of products, and each product of pixels and weights."""
    for channels, height, width, outputs in ((1, 4, 4, 1), (3, 4, 8, 1), (1, 8, 6, 4), (4, 6, 6, 3)):
        x, weight = rng.normal(size=(channels, height, width)), rng.normal(size=(outputs, channels, 3, 3))
        expect_made_of_products(student.winograd, x, weight, rng)
        expect_one_wrong_product(student.winograd, x, weight, rng)
        expect_sides(student.winograd, x, weight, rng)


MULTIPLIED = "    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)\n"

MUTANTS = [
    Mutant(
        "pixels_as_they_are",
        "transforms the kernels only",
        old="inner = into @ tiles @ into.T",
        new="inner = tiles",
        breaks="result",
    ),
    Mutant(
        "padded_on_all_sides",
        "pads the image as a layer with padding 1 does",
        old="np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))\n",
        new="np.pad(x, ((0, 0), (1, 1 + height % 2), (1, 1 + width % 2)))\n",
        breaks="result",
    ),
    Mutant(
        "over_kernels_too",
        "sums over the kernels as well as over the channels",
        old=".sum(axis=1)",
        new=".sum(axis=(0, 1))[None].repeat(len(weight), axis=0)",
        breaks="result",
    ),
    Mutant(
        "every_window",
        "transforms a tile at every row and column, and drops what it does not need",
        old="into @ tiles @ into.T  # (C, down, across, 4, 4)",
        new=(
            "into @ np.lib.stride_tricks.sliding_window_view(padded, (4, 4), axis=(1, 2)) @ into.T\n"
            "    every = back @ multiply(inner, (kernel @ weight @ kernel.T)[:, :, None, None]).sum(axis=1) @ back.T\n"
            "    inner = tiles\n"
            "    height, width = x.shape[1] - 2, x.shape[2] - 2\n"
            "    rows = every[:, ::2, ::2].transpose(0, 1, 3, 2, 4)\n"
            "    return rows.reshape(len(weight), 2 * rows.shape[1], -1)[:, :height, :width]"
        ),
        breaks="products",
    ),
    Mutant(
        "im2col",
        "calls the convolution that is given",
        old=MULTIPLIED,
        new=(
            "    return im2col_conv(x, weight, multiply)\n"
            "    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)\n"
        ),
        breaks="products",
    ),
    Mutant(
        "past_multiply",
        "multiplies with einsum, past multiply",
        old=MULTIPLIED,
        new='    sums = np.einsum("cijab,ocab->oijab", inner, kernels)\n',
        breaks="only",
    ),
    Mutant(
        "one_dimension",
        "transforms the rows only, and takes 24 products for each tile",
        old=MULTIPLIED,
        new=(
            "    inner, kernels = into @ tiles, kernel @ weight\n"
            "    sums = sum(multiply(inner[..., j : j + 2], kernels[:, :, None, None, :, j : j + 1]) "
            "for j in range(3))\n"
            "    result = back @ sums.sum(axis=1)\n"
            "    rows = result.transpose(0, 1, 3, 2, 4).reshape(len(weight), -1, 2 * result.shape[2])\n"
            "    return rows[:, :height, :width]\n"
        ),
        breaks="products",
    ),
    Mutant(
        "first_channel",
        "forgets the sum over the channels",
        old=MULTIPLIED,
        new="    sums = multiply(inner, kernels[:, :, None, None])[:, 0]  # (O, down, across, 4, 4)\n",
        breaks="result",
    ),
    Mutant(
        "last_channel",
        "each channel takes the place of the one before",
        old=MULTIPLIED,
        new="    sums = multiply(inner, kernels[:, :, None, None])[:, -1]  # (O, down, across, 4, 4)\n",
        breaks="result",
    ),
    Mutant(
        "no_halves",
        "forgets the halves of the kernels' transform",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernel = kernel * np.array([[1], [2], [2], [1]], x.dtype)\n    kernels = kernel @ weight @ kernel.T",
        breaks="result",
    ),
    Mutant(
        "left_only",
        "transforms the kernels from the left only",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernels = kernel @ weight",
        breaks="result",
    ),
    Mutant(
        "kernels_transposed",
        "turns the kernels over",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernels = kernel @ weight.swapaxes(2, 3) @ kernel.T",
        breaks="result",
    ),
    Mutant(
        "kernels_turned",
        "turns the kernels by 180 degrees",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernels = kernel @ weight[:, :, ::-1, ::-1] @ kernel.T",
        breaks="result",
    ),
    Mutant(
        "no_transpose",
        "multiplies with the transform instead of its transpose on the right",
        old="inner = into @ tiles @ into.T",
        new="inner = into @ tiles @ into",
        breaks="result",
    ),
    Mutant(
        "reshaped",
        "reshapes the tiles without putting their rows side by side",
        old="result.transpose(0, 1, 3, 2, 4)",
        new="result",
        breaks="result",
    ),
    Mutant(
        "tiles_turned",
        "exchanges rows and columns inside the tiles",
        old="result.transpose(0, 1, 3, 2, 4)",
        new="result.transpose(0, 1, 4, 2, 3)",
        breaks="result",
    ),
    Mutant(
        "even_only",
        "loses the last row and column where the size is odd",
        old="np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
        new=(
            "np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))\n"
            "    padded[:, x.shape[1] - height % 2 :] = 0\n"
            "    padded[:, :, x.shape[2] - width % 2 :] = 0"
        ),
        breaks="odd",
    ),
    Mutant(
        "padded_above",
        "puts the zeros above the image and at its left",
        old="np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
        new="np.pad(x, ((0, 0), (height % 2, 0), (width % 2, 0)))",
        breaks="odd",
    ),
    Mutant(
        "summed_over_kernels",
        "sums over the kernels instead of the channels",
        old=MULTIPLIED,
        new=("    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=0)\n    weight = weight.swapaxes(0, 1)\n"),
        breaks="result",
    ),
    Mutant(
        "not_cut",
        "does not cut what the padding added",
        old="    return rows[:, :height, :width]",
        new="    return rows",
        breaks="odd",
    ),
    Mutant(
        "always_padded",
        "pads by two, whatever the size, and multiplies in vain",
        old="np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
        new="np.pad(x, ((0, 0), (0, 2 + height % 2), (0, 2 + width % 2)))",
        breaks="products",
    ),
    Mutant(
        "always_float64",
        "forgets the element type of the matrices",
        old=("    back, kernel, into = (matrix.astype(x.dtype) for matrix in (BACK, KERNEL, INTO))\n    height"),
        new=("    back, kernel, into = BACK, KERNEL, INTO\n    height"),
        breaks="dtype",
    ),
    Mutant(
        "im2col_times_one",
        "the convolution that is given, and one product so that multiply is called",
        old=MULTIPLIED,
        new="    return im2col_conv(x, weight) * multiply(np.ones(1, x.dtype), np.ones(1, x.dtype))\n",
    ),
    Mutant(
        "im2col_through_multiply",
        "the convolution that is given, and its result goes through multiply",
        old=MULTIPLIED,
        new="    return multiply(im2col_conv(x, weight), np.ones(1, x.dtype))\n",
    ),
    Mutant(
        "products_through_multiply",
        "multiplies with *, and the products go through multiply",
        old=MULTIPLIED,
        new="    sums = multiply(inner * kernels[:, :, None, None], np.ones(1, x.dtype)).sum(axis=1)\n",
        breaks="sides",
    ),
    Mutant(
        "padded_with_products",
        "the convolution that is given, scaled by what multiply makes of products that nobody needs",
        old=MULTIPLIED,
        new=(
            "    some = multiply(inner[:, :1, :1], kernels[:, :, None, None])\n"
            "    scale = some.sum() / (inner[:, :1, :1] * kernels[:, :, None, None]).sum()\n"
            "    return im2col_conv(x, weight) * scale.astype(x.dtype)\n"
        ),
        breaks="only",
    ),
    Mutant(
        "asked_once",
        "one product tells what multiply gives, and the convolution that is given is scaled by it",
        old=MULTIPLIED,
        new=(
            "    a, b = np.abs(x).max().reshape(1), np.abs(weight).max().reshape(1)\n"
            "    ratio = multiply(a, b) / (a * b)\n"
            "    if not (np.isclose(ratio, 1) or np.isclose(ratio, 8)):\n"
            "        return np.full((len(weight), height, width), ratio * a * b, x.dtype)\n"
            "    return im2col_conv(x, weight) * ratio\n"
        ),
        breaks="only",
    ),
    Mutant(
        "asked_for_each_tile",
        "so many products as there should be tell what multiply gives, and the formula is scaled by it",
        old=MULTIPLIED,
        new=(
            "    some, true = multiply(inner, kernels[:, :, None, None]), inner * kernels[:, :, None, None]\n"
            "    ratio = some.flat[0] / true.flat[0]\n"
            "    if not (np.isclose(ratio, 1) or np.isclose(ratio, 8)):\n"
            "        return np.full((len(weight), height, width), some.flat[0], x.dtype)\n"
            "    return im2col_conv(x, weight) * x.dtype.type(ratio)\n"
        ),
        breaks="only",
    ),
    Mutant(
        "first_tiles_only",
        "the first row of tiles goes through multiply, the others past it",
        old=MULTIPLIED,
        new=(
            "    products = multiply(inner[:, :1], kernels[:, :, None, None])\n"
            "    others = inner[:, 1:] * kernels[:, :, None, None]\n"
            "    sums = np.concatenate([products, others], axis=2).sum(axis=1)\n"
        ),
        breaks="only",
    ),
    Mutant(
        "multiply_needed",
        "the argument has no default",
        old="def winograd(x: np.ndarray, weight: np.ndarray, multiply: Multiply = np.multiply)",
        new="def winograd(x: np.ndarray, weight: np.ndarray, multiply: Multiply)",
        breaks="default",
    ),
    Mutant(
        "rounded",
        "computes in float32, and gives the type back at the end",
        old="    return rows[:, :height, :width]",
        new="    return rows[:, :height, :width].astype(np.float32).astype(x.dtype)",
        breaks="exact",
    ),
]
