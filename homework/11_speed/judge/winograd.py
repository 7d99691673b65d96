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

import numpy as np

from classroom.judge import Mutant, Student, task

from .. import public


@task("winograd")
def any_geometry(student: Student, rng: np.random.Generator) -> None:
    """Any number of channels, kernels, rows and columns gives what the formula gives, by no product too many."""
    for height, width in ((3, 3), (3, 8), (4, 3), (9, 4), (6, 11), (10, 10), (5, 12)):
        channels, outputs = (int(n) for n in rng.integers(1, 6, 2))
        x = rng.integers(-9, 10, (channels, height, width)).astype(np.float32)
        public.expect_image(student, x, rng.integers(-9, 10, (outputs, channels, 3, 3)).astype(np.float32))


@task("winograd")
def floats_of_both_types(student: Student, rng: np.random.Generator) -> None:
    """Real numbers in float32 and float64 keep their type, and are as exact as it."""
    for dtype, tolerance in ((np.float32, 5e-5), (np.float64, 1e-12)):
        x, weight = rng.normal(size=(4, 9, 8)).astype(dtype), rng.normal(size=(3, 4, 3, 3)).astype(dtype)
        public.expect_image(student, x, weight, tolerance)


@task("winograd")
def a_layer_of_a_network(student: Student, rng: np.random.Generator) -> None:
    """The second convolution of the digits network, 32 channels and 32 kernels on 8x8 pixels, within its time."""
    x, weight = rng.integers(-9, 10, (32, 10, 10)), rng.integers(-9, 10, (32, 32, 3, 3))
    public.expect_image(student, x.astype(np.float32), weight.astype(np.float32))


@task("winograd")
def one_pixel_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A single pixel that is not 0 paints the kernel, turned by 180 degrees, around itself and nothing else."""
    for row, col in ((0, 0), (2, 3), (5, 5), (int(rng.integers(6)), int(rng.integers(6)))):
        x = np.zeros((2, 6, 6), np.float64)
        x[int(rng.integers(2)), row, col] = float(rng.integers(1, 10))
        public.expect_image(student, x, rng.integers(1, 10, (2, 2, 3, 3)).astype(np.float64))


MULTIPLIED = "    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)\n"

MUTANTS = [
    Mutant(
        "im2col",
        "calls the convolution that is given",
        old=MULTIPLIED,
        new=(
            "    return im2col_conv(x, weight, multiply)\n"
            "    sums = multiply(inner, kernels[:, :, None, None]).sum(axis=1)  # (O, down, across, 4, 4)\n"
        ),
    ),
    Mutant(
        "past_multiply",
        "multiplies with einsum, past multiply",
        old=MULTIPLIED,
        new='    sums = np.einsum("cijab,ocab->oijab", inner, kernels)\n',
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
    ),
    Mutant(
        "first_channel",
        "forgets the sum over the channels",
        old=MULTIPLIED,
        new="    sums = multiply(inner, kernels[:, :, None, None])[:, 0]  # (O, down, across, 4, 4)\n",
    ),
    Mutant(
        "kernels_transposed",
        "turns the kernels over",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernels = kernel @ weight.swapaxes(2, 3) @ kernel.T",
    ),
    Mutant(
        "kernels_turned",
        "turns the kernels by 180 degrees",
        old="kernels = kernel @ weight @ kernel.T",
        new="kernels = kernel @ weight[:, :, ::-1, ::-1] @ kernel.T",
    ),
    Mutant(
        "no_transpose",
        "multiplies with the transform instead of its transpose on the right",
        old="inner = into @ tiles @ into.T",
        new="inner = into @ tiles @ into",
    ),
    Mutant(
        "reshaped",
        "reshapes the tiles without putting their rows side by side",
        old="result.transpose(0, 1, 3, 2, 4)",
        new="result",
    ),
    Mutant(
        "tiles_turned",
        "exchanges rows and columns inside the tiles",
        old="result.transpose(0, 1, 3, 2, 4)",
        new="result.transpose(0, 1, 4, 2, 3)",
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
    ),
    Mutant(
        "not_cut",
        "does not cut what the padding added",
        old="    return rows[:, :height, :width]",
        new="    return rows",
    ),
    Mutant(
        "always_padded",
        "pads by two, whatever the size, and multiplies in vain",
        old="np.pad(x, ((0, 0), (0, height % 2), (0, width % 2)))",
        new="np.pad(x, ((0, 0), (0, 2 + height % 2), (0, 2 + width % 2)))",
    ),
    Mutant(
        "always_float64",
        "forgets the element type of the matrices",
        old=("    back, kernel, into = (matrix.astype(x.dtype) for matrix in (BACK, KERNEL, INTO))\n    height"),
        new=("    back, kernel, into = BACK, KERNEL, INTO\n    height"),
    ),
]
