r"""Two outputs of a convolution by four products: why the solution is as it is.

F(2, 3) computes y0 = d0 g0 + d1 g1 + d2 g2 and y1 = d1 g0 + d2 g1 + d3 g2 as

| product | pixels | weights |
|---|---|---|
| m1 | d0 - d2 | g0 |
| m2 | d1 + d2 | (g0 + g1 + g2) / 2 |
| m3 | d2 - d1 | (g0 - g1 + g2) / 2 |
| m4 | d1 - d3 | g2 |

y0 = m1 + m2 + m3 and y1 = m2 - m3 - m4. Write out m2 + m3 and m2 - m3: the first is d1 g1 + d2 (g0 + g2), the second
d1 (g0 + g2) + d2 g1; m1 and m4 take away what is too much. As matrices, `into` (4, 4) for the pixels, `kernel` (4, 3)
for the weights, `back` (2, 4) for the result: y = back @ ((kernel @ g) * (into @ d)). With a tile in each column of
d, the same line does T tiles: `kernel @ g` gets an axis of length 1, which the product stretches.

Other matrices do the same: each row of `kernel` may be multiplied by a number if the same row of `into` is divided by
it. The tests accept all of them, and only count.

Typical mistakes: the halves; the sign of m4; matrices of float64, which make every result float64 and the whole layer
half as fast.

Cost: 4 T products. The sums are free here, but not in life: they are why F(2, 3) gains less than the count promises.
"""

from __future__ import annotations

import numpy as np

from classroom.judge import Mutant, Student, task

from .. import public


@task("winograd_step")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 2e-5), (np.float64, 1e-12)):
        d, g = rng.normal(size=(4, 7)).astype(dtype), rng.normal(size=3).astype(dtype)
        public.expect_line(student, d, g, tolerance)


@task("winograd_step")
def many_tiles(student: Student, rng: np.random.Generator) -> None:
    """A thousand tiles take four thousand products."""
    d = rng.integers(-99, 100, (4, 1000)).astype(np.float64)
    public.expect_line(student, d, rng.choice([-6.0, -5.0, 3.0, 4.0, 7.0, 8.0], 3, replace=False))


@task("winograd_step")
def single_pixels(student: Student, rng: np.random.Generator) -> None:
    """One pixel that is not 0 meets each weight at most once, and only where it should."""
    for place in range(4):
        d = np.zeros((4, 1))
        d[place] = float(rng.integers(1, 10))
        public.expect_line(student, d, rng.choice([-6.0, -5.0, 3.0, 4.0, 7.0, 8.0], 3, replace=False))


STEP = "    products = multiply(into @ d, (kernel @ g)[:, None])\n    return back @ products"

MUTANTS = [
    Mutant(
        "six_products",
        "writes the formula down, with six products for each tile",
        old=STEP,
        new=("    return np.stack([sum(multiply(d[i + k], g[k : k + 1]) for k in range(3)) for i in range(2)])"),
    ),
    Mutant(
        "past_multiply",
        "multiplies with *, past multiply",
        old=STEP,
        new=("    products = (into @ d) * (kernel @ g)[:, None]\n    return back @ products"),
    ),
    Mutant(
        "no_halves",
        "forgets the halves of the kernel's transform",
        old=STEP,
        new=(
            "    products = multiply(into @ d, ((kernel * np.array([1, 2, 2, 1], d.dtype)[:, None]) @ "
            "g)[:, None])\n"
            "    return back @ products"
        ),
    ),
    Mutant(
        "last_sign",
        "adds the last product to the second output",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return back @ (products * np.array([1, 1, 1, -1], d.dtype)[:, None])"
        ),
    ),
    Mutant(
        "second_sum",
        "adds the middle products in both outputs",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return (np.abs(back) * np.array([1, 1, 1, -1], d.dtype)) @ products"
        ),
    ),
    Mutant(
        "turned",
        "turns the kernel round",
        old=STEP,
        new=("    products = multiply(into @ d, (kernel @ g[::-1])[:, None])\n    return back @ products"),
    ),
    Mutant(
        "always_float64",
        "forgets the element type of the matrices",
        old=STEP,
        new=("    products = multiply(INTO @ d, (KERNEL @ g)[:, None])\n    return BACK @ products"),
    ),
    Mutant(
        "one_tile",
        "computes the first tile only",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return np.repeat((back @ products)[:, :1], d.shape[1], axis=1)"
        ),
    ),
    Mutant(
        "counted_transform",
        "makes the transform of the tiles with multiply, too",
        old=STEP,
        new=(
            "    inner = multiply(into[:, :, None], d[None]).sum(axis=1)\n"
            "    return back @ multiply(inner, (kernel @ g)[:, None])"
        ),
    ),
    Mutant(
        "exchanged",
        "exchanges the two outputs",
        old=STEP,
        new=("    products = multiply(into @ d, (kernel @ g)[:, None])\n    return (back @ products)[::-1]"),
    ),
]
