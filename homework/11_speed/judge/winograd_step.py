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

from ..public import expect_made_of_products, expect_one_wrong_product, expect_products, expect_sides


def slow_line(d: np.ndarray, g: np.ndarray) -> np.ndarray:
    """(4, T) and (3,) -> (2, T): two outputs for each column, by the formula."""
    y = np.zeros((2, d.shape[1]), d.dtype)
    for i, k, t in np.ndindex(2, 3, d.shape[1]):
        y[i, t] += g[k] * d[i + k, t]
    return y


def line_mistakes(d: np.ndarray, g: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives."""
    a, e = (d[0] - d[2]) * g[0], (d[1] - d[3]) * g[2]
    b, c = (d[1] + d[2]) * (g[0] + g[1] + g[2]) / 2, (d[2] - d[1]) * (g[0] - g[1] + g[2]) / 2
    minus, without = (d[2] - d[1]) * (g[0] + g[1] - g[2]) / 2, (d[1] + d[2]) * (g[0] + g[2]) / 2
    pixels = (d[2] - d[1]) * g.sum() / 2, (d[1] + d[2]) * (g[0] - g[1] + g[2]) / 2
    whole = (d[1] + d[2]) * (g.sum() // 2), (d[2] - d[1]) * ((g[0] - g[1] + g[2]) // 2)
    halves = (d[1] + d[2]) * (g[0] + g[1] + g[2] / 2), (d[2] - d[1]) * (g[0] - g[1] + g[2] / 2)
    same = (d[1] + d[2]) * (g[0] - g[1] + g[2]) / 2, (d[2] - d[1]) * (g[0] + g[1] + g[2]) / 2
    found = {
        "the third product has the wrong sign, in its pixels or in its weights: work out again what m2 - m3 must be": [
            a + b - c,
            b + c - e,
        ],
        "the halves were rounded: / 2, not // 2": [a + whole[0] + whole[1], whole[0] - whole[1] - e],
        "the two middle products are twice too large: what is half of (m2 + m3) + (m2 - m3)?": [
            a + 2 * (b + c),
            2 * (b - c) - e,
        ],
        "the second output subtracts the last product; or else that product's pixels are turned: d[1] - d[3]": [
            a + b + c,
            b - c + e,
        ],
        "the pixels of the first product are turned: d[0] - d[2]": [-a + b + c, b - c - e],
        "the second product is twice too large: the sum of the two equations gives it how many times?": [
            a + 2 * b + c,
            2 * b - c - e,
        ],
        "the third product is twice too large: the difference of the equations gives it how many times?": [
            a + b + 2 * c,
            b - 2 * c - e,
        ],
        "in the third product only the last weight is halved: / comes before + and -, so the sum needs brackets": [
            a + b + halves[1],
            b - halves[1] - e,
        ],
        "in the two middle products only the last weight is halved: / comes before +, so the sums need brackets": [
            a + halves[0] + halves[1],
            halves[0] - halves[1] - e,
        ],
        "a sign is wrong in the third product's sum of weights: work out again what m2 - m3 must be": [
            a + b + minus,
            b - minus - e,
        ],
        "a weight is missing in the second product: write out m2 + m3 and see where d[1] g[1] comes from": [
            a + without + c,
            without - c - e,
        ],
        "the pixels of the two middle products are exchanged: each sum of pixels meets the other's weights": [
            a + pixels[0] + pixels[1],
            pixels[0] - pixels[1] - e,
        ],
        "the weights of the two middle products are exchanged: each sum of weights meets the other's pixels": [
            a + pixels[1] + pixels[0],
            pixels[1] - pixels[0] - e,
        ],
        "the fourth product is missing in the second output: y[1] = m2 - m3 - m4": [a + b + c, b - c],
        "the two middle products have the same pixels: one has another sum of d[1] and d[2], with a minus": [
            a + b + same[0],
            b - same[0] - e,
        ],
        "the two middle products have the same pixels: in one of them d[1] and d[2] are added": [
            a + same[1] + c,
            same[1] - c - e,
        ],
        "the two middle products are half as large as they should be: is there a half with the pixels and with the "
        "weights? One is enough": [a + (b + c) / 2, (b - c) / 2 - e],
        "the second output subtracts the third product, too": [a + b + c, b + c - e],
        "the second output subtracts the second product, where the third belongs: are the two exchanged?": [
            a + b + c,
            c - b - e,
        ],
        "both middle products are 0: does a matrix of whole numbers cut the halves off? Give it a float type": [a, -e],
        "the kernel is turned around: g[0] meets the first pixel": list(slow_line(d, g[::-1])),
        "the two outputs are exchanged: y[0] begins with the first pixel": list(slow_line(d, g)[::-1]),
    }
    stacked = {cause: np.stack(wrong).astype(d.dtype) for cause, wrong in found.items()}
    other = np.float64 if d.dtype == np.float32 else np.float32
    stacked["the result lies on its side: y[0] has the first output of every tile, y[1] the second (axis=0)"] = (
        slow_line(d, g).T
    )
    if d.shape[1] > 1:
        right, only = slow_line(d, g), "only the first tile is computed: every column of d is a tile"
        stacked[only] = right[:, :1]
        stacked[f"{only}, and the result has an axis for them"] = right[:, 0]
        stacked["each column has the result of the first tile: each column of d is a tile"] = np.repeat(
            right[:, :1], d.shape[1], axis=1
        )
        stacked["all tiles but the first were left at 0: each column of d is one"] = np.hstack(
            [right[:, :1], 0 * right[:, 1:]]
        )
    stacked[f"the result became {np.dtype(other)}: give the matrices the dtype of d"] = slow_line(d, g).astype(other)
    return stacked


def expect_right(student: Student, d: np.ndarray, g: np.ndarray, tolerance: float = 1e-5) -> None:
    """Raise Failure unless winograd_step gives what the formula gives, by four products for each tile."""
    expect_products(student.winograd_step, d, g, slow_line(d, g), tolerance)


@task("winograd_step")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 2e-5), (np.float64, 1e-12)):
        d, g = rng.normal(size=(4, 7)).astype(dtype), rng.normal(size=3).astype(dtype)
        expect_right(student, d, g, tolerance)


@task("winograd_step")
def many_tiles(student: Student, rng: np.random.Generator) -> None:
    """A thousand tiles take four thousand products."""
    d = rng.integers(-99, 100, (4, 1000)).astype(np.float64)
    expect_right(student, d, rng.choice([-6.0, -5.0, 3.0, 4.0, 7.0, 8.0], 3, replace=False))


@task("winograd_step")
def single_pixels(student: Student, rng: np.random.Generator) -> None:
    """One pixel that is not 0 meets each weight at most once, and only where it should."""
    for place in range(4):
        d = np.zeros((4, 1))
        d[place] = float(rng.integers(1, 10))
        expect_right(student, d, rng.choice([-6.0, -5.0, 3.0, 4.0, 7.0, 8.0], 3, replace=False))


@task("winograd_step")
def products_of_pixels_and_weights(student: Student, rng: np.random.Generator) -> None:
    """For one tile and for many, the result is made of products, and each product of pixels and of weights."""
    for tiles in (1, 6, 40):
        d, g = rng.normal(size=(4, tiles)), rng.normal(size=3)
        expect_made_of_products(student.winograd_step, d, g, rng)
        expect_one_wrong_product(student.winograd_step, d, g, rng)
        expect_sides(student.winograd_step, d, g, rng)


STEP = "    products = multiply(into @ d, (kernel @ g)[:, None])\n    return back @ products"

MUTANTS = [
    Mutant(
        "six_products",
        "writes the formula down, with six products for each tile",
        old=STEP,
        new=("    return np.stack([sum(multiply(d[i + k], g[k : k + 1]) for k in range(3)) for i in range(2)])"),
        breaks="products",
    ),
    Mutant(
        "past_multiply",
        "multiplies with *, past multiply",
        old=STEP,
        new=("    products = (into @ d) * (kernel @ g)[:, None]\n    return back @ products"),
        breaks="only",
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
        breaks="result",
    ),
    Mutant(
        "last_sign",
        "adds the last product to the second output",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return back @ (products * np.array([1, 1, 1, -1], d.dtype)[:, None])"
        ),
        breaks="result",
    ),
    Mutant(
        "one_half",
        "halves only one of the two middle sums of weights",
        old=STEP,
        new=(
            "    products = multiply(into @ d, ((kernel * np.array([1, 2, 1, 1], d.dtype)[:, None]) @ g)[:, None])\n"
            "    return back @ products"
        ),
        breaks="result",
    ),
    Mutant(
        "pixels_exchanged",
        "exchanges the pixels of the two middle products",
        old=STEP,
        new="    products = multiply(into[[0, 2, 1, 3]] @ d, (kernel @ g)[:, None])\n    return back @ products",
        breaks="result",
    ),
    Mutant(
        "first_sign",
        "takes d2 - d0 for the pixels of the first product",
        old=STEP,
        new=(
            "    into = into * np.array([-1, 1, 1, 1], d.dtype)[:, None]\n"
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return back @ products"
        ),
        breaks="result",
    ),
    Mutant(
        "products_exchanged",
        "exchanges the two middle products",
        old=STEP,
        new=("    products = multiply(into @ d, (kernel @ g)[:, None])\n    return back[:, [0, 2, 1, 3]] @ products"),
        breaks="result",
    ),
    Mutant(
        "tiles_in_rows",
        "takes a row of d for a tile",
        old=STEP,
        new=(
            "    d = d.T\n"
            "    sums = np.stack([d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]])\n"
            "    return back @ multiply(sums, (kernel @ g)[:, None])"
        ),
        breaks="result",
    ),
    Mutant(
        "third_sign",
        "takes d1 - d2 for the pixels of the third product",
        old=STEP,
        new=(
            "    into = into * np.array([1, 1, -1, 1], d.dtype)[:, None]\n"
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return back @ products"
        ),
        breaks="result",
    ),
    Mutant(
        "whole_halves",
        "divides the sums of weights by 2 with //",
        old=STEP,
        new=(
            "    halves = np.array([1, 2, 2, 1], d.dtype)\n"
            "    products = multiply(into @ d, ((halves * (kernel @ g)) // halves)[:, None])\n"
            "    return back @ products"
        ),
    ),
    Mutant(
        "on_its_side",
        "puts the two outputs of a tile side by side",
        old=STEP,
        new=("    products = multiply(into @ d, (kernel @ g)[:, None])\n    return (back @ products).T"),
        breaks="result",
    ),
    Mutant(
        "second_sum",
        "adds the middle products in both outputs",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return (np.abs(back) * np.array([1, 1, 1, -1], d.dtype)) @ products"
        ),
        breaks="result",
    ),
    Mutant(
        "turned",
        "turns the kernel round",
        old=STEP,
        new=("    products = multiply(into @ d, (kernel @ g[::-1])[:, None])\n    return back @ products"),
        breaks="result",
    ),
    Mutant(
        "always_float64",
        "forgets the element type of the matrices",
        old=STEP,
        new=("    products = multiply(INTO @ d, (KERNEL @ g)[:, None])\n    return BACK @ products"),
        breaks="dtype",
    ),
    Mutant(
        "one_tile",
        "computes the first tile only",
        old=STEP,
        new=(
            "    products = multiply(into @ d, (kernel @ g)[:, None])\n"
            "    return np.repeat((back @ products)[:, :1], d.shape[1], axis=1)"
        ),
        breaks="result",
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
        breaks="result",
    ),
    Mutant(
        "formula_times_one",
        "the formula, and one product so that multiply is called",
        old=STEP,
        new=(
            "    plain = np.stack([g @ d[:3], g @ d[1:]])\n"
            "    return plain * multiply(np.ones(1, d.dtype), np.ones(1, d.dtype))"
        ),
    ),
    Mutant(
        "result_through_multiply",
        "the formula, and its result goes through multiply",
        old=STEP,
        new=("    plain = np.stack([g @ d[:3], g @ d[1:]])\n    return multiply(plain, np.ones(1, d.dtype))"),
    ),
    Mutant(
        "products_through_multiply",
        "multiplies with *, and the products go through multiply",
        old=STEP,
        new="    return back @ multiply((into @ d) * (kernel @ g)[:, None], np.ones(1, d.dtype))",
        breaks="sides",
    ),
    Mutant(
        "pixels_through_multiply",
        "each pixel goes through multiply with a 1, and meets the weights afterwards",
        old=STEP,
        new=("    d = multiply(d, np.ones(1, d.dtype))\n    return np.stack([g @ d[:3], g @ d[1:]])"),
    ),
    Mutant(
        "missing_product",
        "one of the four products is made with *",
        old=STEP,
        new=(
            "    products = multiply((into @ d)[:3], (kernel @ g)[:3, None])\n"
            "    return back @ np.concatenate([products, ((into @ d)[3] * g[2])[None]])"
        ),
        breaks="only",
    ),
    Mutant(
        "scaled_back",
        "asks multiply how large its products are, and makes them so",
        old=STEP,
        new=(
            "    plain = np.stack([g @ d[:3], g @ d[1:]])\n"
            "    some = multiply(d[:, :1], g[0])\n"
            "    return plain * (some.sum() / (d[:, :1] * g[0]).sum()).astype(d.dtype)"
        ),
        breaks="only",
    ),
    Mutant(
        "asked_for_each_tile",
        "so many products as there should be tell what multiply gives, and the formula is scaled by it",
        old=STEP,
        new=(
            "    plain = np.stack([g @ d[:3], g @ d[1:]])\n"
            "    a, b = np.abs(d).max(), np.abs(g).max()\n"
            "    some = multiply(np.full(d.shape, a), np.full(1, b))[0, 0]\n"
            "    ratio = some / (a * b)\n"
            "    if not (np.isclose(ratio, 1) or np.isclose(ratio, 8)):\n"
            "        return np.full_like(plain, some)\n"
            "    return plain * ratio"
        ),
        breaks="only",
    ),
    Mutant(
        "multiply_needed",
        "the argument has no default",
        old="def winograd_step(d: np.ndarray, g: np.ndarray, multiply: Multiply = np.multiply)",
        new="def winograd_step(d: np.ndarray, g: np.ndarray, multiply: Multiply)",
        breaks="default",
    ),
    Mutant(
        "rounded",
        "computes in float32, and gives the type back at the end",
        old=STEP,
        new=(
            "    d, g, wide = d.astype(np.float32), g.astype(np.float32), d.dtype\n"
            "    back, kernel, into = (matrix.astype(np.float32) for matrix in (BACK, KERNEL, INTO))\n"
            "    return (back @ multiply(into @ d, (kernel @ g)[:, None])).astype(wide)"
        ),
        breaks="exact",
    ),
]
