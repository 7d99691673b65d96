"""Public tests of lesson 11: convolutions whose products are counted, plans of memory, and two layers in one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, likely, task

Life = tuple[int, int]
Network = tuple[dict[str, Life], dict[str, int]]


# --- winograd_step and winograd: convolutions whose products are counted


class Counter:
    """A multiply that counts its products, and keeps what was multiplied.

    scale : it gives so many times the product. answers : it gives these instead, one after the other.
    wrong : the place of one product, in the order in which they are made, that comes out ERROR too large.
    halves : so many of the products so far are by 1/2.
    """

    ERROR = 5.0
    LARGEST = 4_000_000

    def __init__(self, scale: int = 1, answers: np.ndarray | None = None, wrong: int | None = None) -> None:
        self._scale, self._answers, self._wrong, self.count, self.halves = scale, answers, wrong, 0, 0
        self._met: list[tuple[np.ndarray, np.ndarray]] = []
        self.__name__ = "multiply" if scale == 1 else f"multiply, {scale} times as large"
        if answers is not None:
            self.__name__ = "multiply, whose answers have nothing to do with the product"
        if wrong is not None:
            self.__name__ = "multiply, of whose products one is wrong"

    def __call__(self, a: Any, b: Any) -> Any:
        """The product, or what stands for it. Raises ValueError for what is no array, and for far too many products."""
        for x in (a, b):
            if not isinstance(x, (np.ndarray, np.generic, int, float)) or np.asarray(x).dtype.kind not in "iuf":
                raise ValueError(f"multiply: expected arrays of numbers, found {type(x).__name__}")
        size = np.broadcast(a, b).size
        if self.count + size > self.LARGEST:
            raise ValueError(f"multiply: {self.count + size:,} products, which no test needs")
        places = np.arange(self.count, self.count + size)
        self.count += size
        if any((np.abs(x) == 0.5).all() for x in (a, b)):
            self.halves += size
        if self._answers is None:
            products = self._scale * (a * b)
            if self._wrong in places:
                products = np.array(products)
                products.flat[self._wrong - places[0]] += self.ERROR
            return products
        a, b = np.broadcast_arrays(a, b)
        self._met.append((a.reshape(-1), b.reshape(-1)))
        return self._answers.take(places, mode="wrap").reshape(a.shape)

    @property
    def met(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the second number of every product."""
        first, second = zip(*self._met)
        return np.concatenate(first), np.concatenate(second)


Convolution = Callable[[np.ndarray, np.ndarray, Counter], Any]
"""(image, kernel, multiply) -> the student's result."""
OUTSIDE = "the result depends on more than what multiply gives: a product of pixels and weights was made outside of it"
PAST = "some products were not made by multiply: each one of a pixel and a weight belongs there"
NO_PRODUCT = "pixels meet weights in *, @, np.multiply or einsum: call multiply, the argument, there"


def most_products(image: np.ndarray, kernel: np.ndarray) -> int:
    """4 for each tile of a line; 16 for each tile of an image, channel and kernel."""
    if kernel.ndim == 1:
        return 4 * image.shape[1]
    return 16 * ceil((image.shape[1] - 2) / 2) * ceil((image.shape[2] - 2) / 2) * kernel.shape[0] * kernel.shape[1]


def too_many_tiles(image: np.ndarray, kernel: np.ndarray) -> list[int]:
    """The products with a tile for each window, for each output, or with one more at the edges than are needed."""
    height, width = image.shape[1] - 2, image.shape[2] - 2
    tiles = (height - 1) * (width - 1), height * width, (height // 2 + 1) * (width // 2 + 1)
    return [16 * count * kernel.shape[0] * kernel.shape[1] for count in tiles]


def plain_products(image: np.ndarray, kernel: np.ndarray) -> int:
    """The products without any trick: 3 for each output of a line; 9 for each output of an image and channel."""
    if kernel.ndim == 1:
        return 6 * image.shape[1]
    return 9 * (image.shape[1] - 2) * (image.shape[2] - 2) * kernel.shape[0] * kernel.shape[1]


def expect_count(counter: Counter, image: np.ndarray, kernel: np.ndarray) -> None:
    """Raise Failure for more products than the task allows, and for so few that no convolution is made of them."""
    most, plain = most_products(image, kernel), plain_products(image, kernel)
    least = plain // (3 if kernel.ndim == 1 else 9)
    if counter.count > most:
        failure = Failure(f"expected at most {most:,} products, counted {counter.count:,}", most, counter.count)
        failure.cause = "is multiply called only for transformed tiles and kernels? Transforms need no products of it"
        if kernel.ndim == 4 and 2 * counter.count == 3 * most:
            failure.cause = (
                "these are 24 for a tile. Either F(2, 3) is applied along one axis only: transform its columns and its "
                "rows. Or 16 are those of the tile, and 8 those of a transform that went through multiply, too"
            )
            if kernel.shape[1] == 1:  # then a transform through multiply makes more than 8
                failure.cause = (
                    "these are 24 for a tile: F(2, 3) along one axis only. Transform its columns and its rows"
                )
        if kernel.ndim == 4 and counter.count in too_many_tiles(image, kernel):
            failure.cause = (
                "too many tiles: one begins at every second row and column, so n output rows need ceil(n / 2) of them"
            )
        if counter.count == plain:
            failure.cause = (
                "these are the products of the formula itself: transform tiles and kernel before you multiply"
            )
        if kernel.ndim == 1 and 4 * counter.count == 5 * most:
            failure.cause = "these are five for each tile, one less than the formula has: save one more"
        if kernel.ndim == 1 and counter.halves:
            failure.cause = (
                f"{counter.halves} of them are by 1/2: a fixed factor needs no product of multiply, so use * or /"
            )
        raise failure
    if counter.count <= least:
        went = f"{counter.count:,} products went" if counter.count else "no product went"
        failure = Failure(f"{went} through multiply, where up to {most:,} belong", most, counter.count)
        failure.cause = PAST if counter.count else NO_PRODUCT
        raise failure


def expect_products(
    call: Convolution,
    image: np.ndarray,
    kernel: np.ndarray,
    right: np.ndarray,
    tolerance: float = 1e-5,
    what: str = "the result",
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Raise Failure unless the result is right, and multiply made as many products as the task allows."""
    counter = Counter()
    atol = tolerance * float(np.abs(right).max())
    expect(call(image, kernel, counter), right, atol=atol, what=what, mistakes=mistakes)
    expect_count(counter, image, kernel)


def expect_eight_times(call: Convolution, image: np.ndarray, kernel: np.ndarray, right: np.ndarray) -> None:
    """Raise Failure unless the result is 8 times as large when each product is."""
    what = "the result with a multiply that gives 8 times the product"
    past = {
        PAST: right,
        "multiply was used twice on the way to one result: the transforms need no products of it": 64 * right,
    }
    atol = 8e-5 * float(np.abs(right).max())
    plain, counter = call(image, kernel, Counter()), Counter(8)
    try:
        expect(call(image, kernel, counter), 8 * right, rtol=1e-5, atol=atol, what=what, mistakes=past)
    except Failure as failure:
        known = isinstance(plain, np.ndarray) and plain.shape == right.shape and np.allclose(plain, right, atol=atol)
        failure.cause = failure.cause or (PAST if known else None)
        raise
    expect_count(counter, image, kernel)


def expect_made_of_products(call: Convolution, image: np.ndarray, kernel: np.ndarray, rng: np.random.Generator) -> None:
    """Raise Failure unless the result is made of what multiply gives, and of nothing else that depends on the image.

    multiply gives numbers that have nothing to do with the product. Then the result must not change with image and
    kernel, and it must be linear in these numbers.
    """
    some, others = rng.uniform(1, 9, (2, most_products(image, kernel)))
    result, _ = _answered(call, image, kernel, some)
    what = "the result, when multiply gives the same numbers for another"
    for name, pair in {
        "image": (rng.normal(size=image.shape), kernel),
        "kernel": (image, rng.normal(size=kernel.shape)),
    }.items():
        _same(_answered(call, *pair, some)[0], result, f"{what} {name}", OUTSIDE)
    linear = "what multiply gives was not only added, subtracted and multiplied by fixed numbers"
    added, _ = _answered(call, image, kernel, some + others)
    second, _ = _answered(call, image, kernel, others)
    _same(added - second, result, "the result for the sum of two multiply, less the result for the second", linear)


def expect_one_wrong_product(
    call: Convolution, image: np.ndarray, kernel: np.ndarray, rng: np.random.Generator
) -> None:
    """Raise Failure unless a wrong product changes the result, by numbers that do not depend on image and kernel."""
    what = "what one wrong product adds to the result"
    one, other = (image, kernel), (rng.normal(size=image.shape), rng.normal(size=kernel.shape))
    counter = Counter()
    right = [_array(call(*one, counter)), _array(call(*other, Counter()))]
    expect_count(counter, image, kernel)
    for place in rng.integers(counter.count, size=3).tolist():
        added = [_array(call(*pair, Counter(wrong=place))) - y for pair, y in zip((one, other), right)]
        if not (np.abs(added[0]) > 1e-6).any():
            failure = Failure(f"one product came out {Counter.ERROR:g} too large, and the result did not change")
            failure.cause = PAST
            raise failure
        _same(added[1], added[0], f"{what}, for another image and kernel", OUTSIDE)


def expect_sides(call: Convolution, image: np.ndarray, kernel: np.ndarray, rng: np.random.Generator) -> None:
    """Raise Failure unless multiply gets a number that depends on the image alone, and one on the kernel alone."""
    some = rng.uniform(1, 9, most_products(image, kernel))
    first, second = _answered(call, image, kernel, some)[1]
    image_changed = _answered(call, rng.normal(size=image.shape), kernel, some)[1]
    kernel_changed = _answered(call, image, rng.normal(size=kernel.shape), some)[1]
    if not first.size == image_changed[0].size == kernel_changed[0].size:
        raise Failure("expected the same number of products for every image and kernel of one size")
    of_image = [~np.isclose(a, b, rtol=1e-9, atol=0) for a, b in zip((first, second), image_changed)]
    of_kernel = [~np.isclose(a, b, rtol=1e-9, atol=0) for a, b in zip((first, second), kernel_changed)]
    idle = (first == 0) | (second == 0)
    mixed = [a & b for a, b in zip(of_image, of_kernel)]
    fixed = [~a & ~b & ~idle for a, b in zip(of_image, of_kernel)]
    alike = (of_image[0] & of_image[1] | of_kernel[0] & of_kernel[1]) & ~mixed[0] & ~mixed[1]
    for wrong, said, cause in (
        (mixed[0] | mixed[1], "an argument that depends on image and kernel",
         "pixels and weights had met before: they may meet in multiply only"),
        (fixed[0] | fixed[1], "an argument that depends on neither image nor kernel",
         "a product with a fixed number is none of a pixel and a weight: multiply by it with *"),
        (alike, "two pixels, or two weights", "only a product of a pixel and a weight belongs in multiply"),
    ):  # fmt: skip
        if wrong.any():
            failure = Failure(
                f"expected that multiply gets sums of pixels and sums of weights; {int(wrong.sum()):,} of "
                f"{wrong.size:,} products got {said}"
            )
            failure.cause = cause
            raise failure


def _answered(call: Convolution, image: np.ndarray, kernel: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, Any]:
    """(the result when multiply gives these answers, what was multiplied)."""
    counter = Counter(answers=answers)
    result = _array(call(image, kernel, counter))
    expect_count(counter, image, kernel)
    return result, counter.met


def _array(result: Any) -> np.ndarray:
    if type(result) is not np.ndarray:
        raise Failure(f"expected a numpy array, got {type(result).__name__}", "an array", result)
    return result


def _same(got: np.ndarray, expected: np.ndarray, what: str, cause: str) -> None:
    try:
        expect(got, expected, rtol=1e-4, atol=1e-4 * float(np.abs(expected).max()), what=what)
    except Failure as failure:
        failure.cause = cause
        raise


# --- winograd_step

NO_DEFAULT = {
    "positional argument: 'multiply'": "multiply is np.multiply unless said: leave its default in the first line"
}
STEP_ERRORS = NO_DEFAULT | {
    "broadcast": "the sums of weights are (4,) and those of pixels (4, T): numpy lines up the LAST axes, so the "
    "weights' sums need another one",
    "out of bounds for axis 0 with size 2": "d is (4, T) and needs no .T: a column is a tile, so pixel k of "
    "all tiles is the row d[k]",
    "out of bounds for axis 1": "a column of d is a tile, so pixel k of all tiles is the row d[k]",
    "not enough values to unpack (expected 4": "a column of d is a tile, so pixel k of all tiles is the row d[k]",
    "mismatch in its core dimension": "a matrix of 4 columns goes with the pixels (4, T), one of 3 columns with g (3,)",
}


def line(rng: np.random.Generator, tiles: int) -> tuple[np.ndarray, np.ndarray]:
    """Tiles and a kernel of whole numbers in float64, no two weights alike."""
    d = rng.integers(-9, 10, (4, tiles)).astype(np.float64)
    return d, rng.choice([-7.0, -4.0, 2.0, 3.0, 5.0, 9.0], 3, replace=False)


def expect_line(
    student: Student, oracle: Any, d: np.ndarray, g: np.ndarray, tolerance: float = 1e-5, what: str = "the result"
) -> None:
    """Raise Failure unless winograd_step gives what the formula gives, by few enough products."""
    right, mistakes = oracle.slow_line(d, g), oracle.line_mistakes(d, g)
    expect_products(student.winograd_step, d, g, right, tolerance, what, mistakes)


@task("winograd_step", "result", "default", "dtype", "only", "products")
def the_tiles_of_the_example(student: Student, oracle: Any) -> None:
    """The tiles 1 2 3 4 and 0 0 1 1 with the kernel 1 10 100 give 321 432 and 100 110, by 8 products of multiply."""
    d, g = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]]), np.array([1.0, 10.0, 100.0])
    right = np.array([[321.0, 100.0], [432.0, 110.0]])
    mistakes = oracle.line_mistakes(d, g)
    with likely(STEP_ERRORS):
        got = student.winograd_step(d, g)
    expect(got, right, rtol=1e-5, mistakes=mistakes)
    expect_products(student.winograd_step, d, g, right, mistakes=mistakes)


@task("winograd_step", "result", "dtype", "only", "products")
def any_tiles(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Any number of tiles, with any kernel, gives what the formula gives, by 4 products of multiply for each tile."""
    for tiles in (1, 3):
        expect_line(student, oracle, *line(rng, tiles), what=f"the result for {tiles} tile(s)")


@task("winograd_step", "products", "result", "dtype", "only")
def four_products_for_two_outputs(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """multiply makes 4 products for each tile, not 6."""
    d, g = line(rng, 4)
    expect_products(student.winograd_step, d, g, oracle.slow_line(d, g))


@task("winograd_step", "only", "result", "dtype", "products")
def eight_times_the_product(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With a multiply that gives 8 times the product the result is 8 times as large."""
    d, g = line(rng, 3)
    expect_eight_times(student.winograd_step, d, g, oracle.slow_line(d, g))


@task("winograd_step", "only", "products")
def the_result_is_made_of_products(student: Student, rng: np.random.Generator) -> None:
    """The result is made of what multiply gives: if that does not change with image and kernel, neither does it."""
    d, g = rng.normal(size=(4, 3)), rng.normal(size=3)
    expect_made_of_products(student.winograd_step, d, g, rng)


@task("winograd_step", "only", "products")
def one_wrong_product(student: Student, rng: np.random.Generator) -> None:
    """A product that comes out too large changes the result, and by the same numbers for every image and kernel."""
    expect_one_wrong_product(student.winograd_step, rng.normal(size=(4, 3)), rng.normal(size=3), rng)


@task("winograd_step", "sides", "only", "products")
def pixels_on_one_side_and_weights_on_the_other(student: Student, rng: np.random.Generator) -> None:
    """multiply gets a number made of pixels and a number made of weights, nothing else."""
    d, g = rng.normal(size=(4, 3)), rng.normal(size=3)
    expect_sides(student.winograd_step, d, g, rng)


@task("winograd_step", "exact", "result", "dtype", "only", "products")
def as_exact_as_the_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 in, float32 out, and float64 in, float64 out; real numbers come out as exact as the type."""
    for dtype, tolerance in ((np.float32, 2e-5), (np.float64, 1e-12)):
        d, g = rng.normal(size=(4, 5)).astype(dtype), rng.normal(size=3).astype(dtype)
        expect_line(student, oracle, d, g, tolerance, f"the result in {np.dtype(dtype)}")


# --- winograd

ODD = "the last tile needs pixels that are not there: pad x with zeros below and to the right, to 2 * tiles + 2"
OF_KERNELS = "the transform of a kernel g is G g G^T: G (4, 3) on the left, its transpose on the right"
WAY_BACK = "the way back for products m is A^T m A: A^T (2, 4) on the left, its transpose on the right"
ONE_SIDE = "8 numbers are left of a tile, and 4 are its outputs: the way back, A^T m A, is made on both sides"
TILE_ERRORS = NO_DEFAULT | {
    "axes don't match": "the products are (O, C, down, across, 4, 4), so sum over C alone, axis 1: "
    "five axes are left. Or do the kernels lack the two of length 1, for down and across?",
    "size 4 is different from 3": OF_KERNELS,
    "size 3 is different from 4": OF_KERNELS,
    "3 (dim 1) != 4 (dim 0)": OF_KERNELS,
    "4,3)": OF_KERNELS,
    "4 (dim 1) != 3 (dim 0)": OF_KERNELS,
    "size 2 is different from 4": WAY_BACK,
    "4 (dim 1) != 2 (dim 0)": WAY_BACK,
    "array of size 8 into shape (1,2,2)": ONE_SIDE,
    "2,4) into shape (": ONE_SIDE,
    "4,2) into shape (": ONE_SIDE,
    "array of size 16 into shape (1,2,2)": "16 numbers are left of one tile, and 4 are its outputs: either its "
    "products were not transformed back, or the image was padded on all sides, as in lesson 6",
}
"""The errors of products of matrices where all tiles are whole."""
OVER_KERNELS = "the sum is over the kernels: the products are (O, C, ...), so sum over C, axis 1"
SUM_ERRORS = {
    "from shape (4,2,2) into shape (2,2,2)": OVER_KERNELS,
    "array of size 96 into shape (2,": OVER_KERNELS,
    "array of size 120 into shape (2,": "there is a tile at every pixel: one begins at every second row and column",
    "array of size 80 into shape (2,": "the tiles begin at every second column, but at every row",
    "array of size 72 into shape (2,": "the tiles begin at every second row, but at every column",
    "array of size 16 into shape (2,": "the tiles stand side by side: one begins every 2 pixels, not every 4",
    "broadcast": "tiles and kernels meet as (O, C, down, across, 4, 4): the transformed tiles "
    "are (C, down, across, 4, 4), and the transformed kernels need (O, C, 1, 1, 4, 4)",
}
"""The errors of four channels and two kernels on 6 x 8 pixels, whose sums and shapes went wrong."""
LEFT = (
    "the 2 x 2 outputs of the last tile are more than what is left of y: cut them, or make y larger and cut it at "
    "the end"
)
ODD_ERRORS = {
    "2,2) into shape (": LEFT,
    "window shape": ODD,
    "mismatch in its core dimension": ODD,
    "broadcast": ODD,
    "reshape": ODD,
}


def image(rng: np.random.Generator, channels: int, height: int, width: int, outputs: int) -> Any:
    """An image and kernels of whole numbers in float32."""
    x = rng.integers(-9, 10, (channels, height, width)).astype(np.float32)
    return x, rng.integers(-9, 10, (outputs, channels, 3, 3)).astype(np.float32)


def expect_image(
    student: Student, oracle: Any, x: np.ndarray, weight: np.ndarray, tolerance: float = 1e-5, what: str = "the result"
) -> None:
    """Raise Failure unless winograd gives what the formula gives, by few enough products."""
    right, mistakes = oracle.slow_convolution(x, weight), oracle.image_mistakes(x, weight)
    expect_products(student.winograd, x, weight, right, tolerance, what, mistakes)


@task("winograd", "result", "default", "dtype", "only", "products")
def one_tile(student: Student, oracle: Any) -> None:
    """The image 1..16 with the kernel of lesson 6 gives 110, 128, 182, 200, by 16 products of multiply."""
    x, weight = np.arange(1.0, 17.0).reshape(1, 4, 4), np.array([[[[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]]])
    right = np.array([[[110.0, 128.0], [182.0, 200.0]]])
    mistakes = oracle.image_mistakes(x, weight)
    with likely(TILE_ERRORS):
        got = student.winograd(x, weight)
    expect(got, right, rtol=1e-5, mistakes=mistakes)
    expect_products(student.winograd, x, weight, right, mistakes=mistakes)


@task("winograd", "result", "dtype", "only", "products")
def channels_and_kernels(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Several tiles, channels and kernels give what im2col_conv gives, by products of multiply."""
    # With three channels, kernels (O, C, 4, 4) would meet the tiles without an error.
    x, weight = image(rng, 4, 6, 8, 2)
    with likely(TILE_ERRORS | SUM_ERRORS):
        expect_image(student, oracle, x, weight, what=f"the result for {x.shape} and {weight.shape}")


@task("winograd", "odd", "result", "dtype", "only", "products")
def odd_sizes(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With an odd number of output rows or columns the last tiles reach over the edge, and the result is cut."""
    for height, width in ((3, 3), (4, 5)):
        x, weight = image(rng, 2, height, width, 2)
        with likely(ODD_ERRORS):
            expect_image(student, oracle, x, weight, what=f"the result for {height} x {width} pixels")


@task("winograd", "products", "odd", "result", "dtype", "only")
def sixteen_products_for_a_tile(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """multiply makes 16 products for each tile, channel and kernel, where im2col_conv makes 9 for each output."""
    for height, width in ((4, 6), (5, 6)):
        x, weight = image(rng, 2, height, width, 3)
        expect_products(student.winograd, x, weight, oracle.slow_convolution(x, weight))


@task("winograd", "only", "result", "dtype", "products")
def eight_times_each_product(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """With a multiply that gives 8 times the product the result is 8 times as large."""
    x, weight = image(rng, 2, 6, 4, 2)
    expect_eight_times(student.winograd, x, weight, oracle.slow_convolution(x, weight))


@task("winograd", "only", "products")
def the_image_is_made_of_products(student: Student, rng: np.random.Generator) -> None:
    """The result is made of what multiply gives: if that does not change with image and kernel, neither does it."""
    x, weight = rng.normal(size=(3, 6, 4)), rng.normal(size=(2, 3, 3, 3))
    expect_made_of_products(student.winograd, x, weight, rng)


@task("winograd", "only", "products")
def one_wrong_product_of_a_tile(student: Student, rng: np.random.Generator) -> None:
    """A product that comes out too large changes the result, and by the same numbers for every image and kernel."""
    x, weight = rng.normal(size=(3, 6, 4)), rng.normal(size=(2, 3, 3, 3))
    expect_one_wrong_product(student.winograd, x, weight, rng)


@task("winograd", "sides", "only", "products")
def pixels_meet_weights(student: Student, rng: np.random.Generator) -> None:
    """multiply gets a number made of pixels and a number made of weights, nothing else."""
    x, weight = rng.normal(size=(2, 6, 4)), rng.normal(size=(2, 2, 3, 3))
    expect_sides(student.winograd, x, weight, rng)


@task("winograd", "exact", "result", "dtype", "only", "products")
def real_numbers(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 in, float32 out, and float64 in, float64 out; real numbers come out as exact as the type."""
    for dtype, tolerance in ((np.float32, 5e-5), (np.float64, 1e-12)):
        x, weight = rng.normal(size=(3, 6, 4)).astype(dtype), rng.normal(size=(2, 3, 3, 3)).astype(dtype)
        expect_image(student, oracle, x, weight, tolerance, f"the result in {np.dtype(dtype)}")


# --- plan_memory

NEVER_AGAIN = (
    "bytes that are free again are not used again: of all the values placed so far, and not only the last one, those "
    "alive together with the new one are in its way, and no others; take the lowest gap between them"
)


def expect_plan(got: Any, lives: Mapping[str, Life], sizes: Mapping[str, int], student: Student | None = None) -> int:
    """Raise Failure unless `got` is a right plan -> the bytes of its block.

    student : is asked for other plans, where that tells the cause.
    """
    if type(got) is not dict or set(got) != set(sizes):
        missing = sorted(set(sizes) - set(got)) if type(got) is dict else []
        found = f"a dict without {missing[:3]}" if missing else f"{got!r:.200}"
        failure = Failure(f"expected a dict with the {len(sizes)} names of sizes, got {found}", "a dict", got)
        if type(got) is not dict and got is not None:
            failure.cause = "each name needs its own offset: {name: offset, ...}"
        raise failure
    for name, offset in got.items():
        if type(offset) is not int or offset < 0:
            failure = Failure(f"offset of {name!r}: expected an int of 0 or more, got {offset!r}", "an int", offset)
            failure.cause = "numpy's numbers are no plain ints: int(offset)" if isinstance(offset, np.integer) else None
            raise failure
    overlaps = []
    for a, b in itertools.combinations(sizes, 2):
        first, last = max(lives[a][0], lives[b][0]), min(lives[a][1], lives[b][1])
        if first <= last and got[a] < got[b] + sizes[b] and got[b] < got[a] + sizes[a]:
            bytes_together = min(got[a] + sizes[a], got[b] + sizes[b]) - max(got[a], got[b])
            overlaps.append((last - first, bytes_together, first, a, b))
    if overlaps:
        longer, _, step, *two = max(overlaps)
        said = " and ".join(f"{n!r} (steps {lives[n]}, bytes {got[n]} to {got[n] + sizes[n] - 1})" for n in two)
        failure = Failure(f"{said} overlap, and both are alive at step {step}", "no overlap", got)
        if not any(got.values()) and overlaps_in(student, ALIKE):
            failure.cause = "every value has the offset 0: those that are alive together need different bytes"
        elif max(shared for _, shared, *_ in overlaps) == 1:
            failure.cause = (
                "they share one byte: a value from start on fits below the next one if start + size <= offset"
            )
        elif paired_by_position(got, lives, sizes) and not overlaps_in(student, (*LONGER, *TOUCHING, *STEPPED, *STALE)):
            failure.cause = "lives and sizes have the same names, in another order: lives[name], sizes[name]"
        else:
            failure.cause = cause_of_overlap(student, [lives[n] for n in two], step, longer)
        raise failure
    return max((got[name] + size for name, size in sizes.items()), default=0)


NEARLY = 0.05
"""A block that is so much of the bound too long is nearly short enough."""
IN_THE_WAY = (
    "which line is wrong cannot be told from outside. Look at these two as the second of them gets its place. Is the "
    "first among those in its way, which are all that have a place already and share a step with it? And on the way "
    "up past them, sorted by their offsets: is the gap large enough, and does none of them lower the start?"
)
MEET = "Two values meet where each begins no later than the other ends"
UNSORTED = (
    "neither dict is in the order of the steps, in which your plan would be right: sort by first, sorted(lives, "
    "key=lives.get)"
)
OWN_SIZE = "a neighbour ends at its offset plus its OWN size, and not plus that of the new value"
TOO_SMALL = (
    "a value went where there is too little room: a free buffer, or a gap between two neighbours, must be as large as "
    "the value"
)
STILL_FREE = (
    "a buffer is given to two values at once: one that is taken is no longer free, up to the last step of the value "
    "that took it"
)
LOWERED = (
    "on the way up past neighbours, none of them may lower the start again: the next one may begin higher and still "
    "end lower"
)
Lives = tuple[Life, ...]
ALIKE: tuple[Lives, ...] = (((0, 1), (0, 1)),)
APART: tuple[Lives, ...] = (((0, 2), (1, 3)),)
INSIDE: tuple[Lives, ...] = (((0, 3), (1, 2)),)
LONGER = (*APART, *INSIDE)
TOUCHING: tuple[Lives, ...] = ((0, 1), (1, 2)), ((0, 0), (0, 0)), ((0, 0), (0, 1)), ((0, 1), (1, 1))
STEPPED: tuple[Lives, ...] = (((0, 5), (6, 11), (5, 6)),)
STALE: tuple[Lives, ...] = (((0, 0), (0, 0), (5, 6)),)
"""Small networks that tell mistakes apart: the lives of values of 10, 6 and 5 bytes. The last of STEPPED has to go
past a neighbour that begins where another does, and ends lower. In STALE a buffer is free at step 5, not at step 0."""


def cause_of_overlap(student: Student | None, two: list[Life], step: int, longer: int) -> str:
    """The likely cause of an overlap of two values that meet at a step, and at `longer` more, by plans of others."""
    if student is None:
        return IN_THE_WAY
    alike = overlaps_in(student, ALIKE)
    if alike and all(sorted(got.values()) == [0, sizes[max(got, key=got.__getitem__)]] for got, sizes in alike):
        return OWN_SIZE
    if overlaps_in(student, INSIDE) and not overlaps_in(student, APART):
        return f"{MEET}, and so where one lives inside the other, whichever you place first"
    if overlaps_in(student, LONGER):
        return IN_THE_WAY
    if not longer and overlaps_in(student, TOUCHING):
        one, other = sorted(two)
        return (
            f"lives that touch in one step were taken for apart: {one} and {other} are both alive at step "
            f"{step}. {MEET}, whichever you place first"
        )
    if not overlaps_in_steps(student) and overlaps_in_steps(student, mixed=True):
        return UNSORTED
    if overlaps_at(student, ((0, 1), (1, 2), (2, 3)), (5, 6, 10)):
        return TOO_SMALL
    if overlaps_at(student, ((0, 0), (1, 3), (2, 4)), (10, 6, 5)):
        return STILL_FREE
    stepped = overlaps_in(student, STEPPED)
    if stepped and all(got["v2"] in (got["v0"] + sizes["v0"], got["v1"] + sizes["v1"]) for got, sizes in stepped):
        return LOWERED
    return IN_THE_WAY


def overlaps_in(student: Student | None, cases: tuple[Lives, ...]) -> list[tuple[dict[str, int], dict[str, int]]]:
    """The student's plans of these networks that have an overlap, each with its sizes; their values in any order."""
    found: list[tuple[dict[str, int], dict[str, int]]] = []
    for case in cases:
        for order in itertools.permutations(range(len(case))):
            for some in itertools.permutations((10, 6, 5)[: len(case)]):
                sizes = {f"v{i}": some[i] for i in order}
                got = clashing(student, {f"v{i}": case[i] for i in order}, sizes)
                if got is not None:
                    found.append((got, sizes))
    return found


def overlaps_at(student: Student, case: Lives, sizes: tuple[int, ...]) -> bool:
    """Whether the student's plan of values with these lives and sizes, in this order, has an overlap."""
    names = [f"v{i}" for i in range(len(case))]
    return clashing(student, dict(zip(names, case)), dict(zip(names, sizes))) is not None


def overlaps_in_steps(student: Student, mixed: bool = False) -> bool:
    """Whether a plan of networks has an overlap whose dicts are both in the order of the steps, or mixed."""
    for seed in range(9):
        lives, sizes = network(np.random.default_rng(seed), 16, seed % 3)
        names = [*lives] if mixed else sorted(lives, key=lives.__getitem__)
        if clashing(student, {n: lives[n] for n in names}, {n: sizes[n] for n in names}) is not None:
            return True
    return False


def clashing(student: Student | None, lives: dict[str, Life], sizes: dict[str, int]) -> dict[str, int] | None:
    """The student's plan of a network if it has an overlap, else None."""
    if student is None:
        return None
    with student.aside():
        try:
            got = student.plan_memory(lives, sizes)
        except SubmissionError:
            return None
    return got if type(got) is dict and set(got) == set(lives) and clashes(got, lives, sizes) else None


def clashes(got: Mapping[str, int], lives: Mapping[str, Life], sizes: Mapping[str, int], shared: int = 1) -> bool:
    """Whether two values that share so many steps or more have a byte in common."""
    return any(
        min(lives[a][1], lives[b][1]) - max(lives[a][0], lives[b][0]) >= shared - 1
        and got[a] < got[b] + sizes[b]
        and got[b] < got[a] + sizes[a]
        for a, b in itertools.combinations(sizes, 2)
    )


def paired_by_position(got: Mapping[str, int], lives: Mapping[str, Life], sizes: Mapping[str, int]) -> bool:
    """Whether the plan would be right if the first life belonged to the first size, and so on."""
    others = (dict(zip(sizes, lives.values())), sizes), (lives, dict(zip(lives, sizes.values())))
    return [*lives] != [*sizes] and any(not clashes(got, *other) for other in others)


def could_sink(got: Mapping[str, int], lives: Mapping[str, Life], sizes: Mapping[str, int]) -> bool:
    """Whether a value fits into a gap below its place, all others staying where they are."""
    for name, (first, last) in lives.items():
        start = 0
        near = [n for n in sizes if n != name and lives[n][0] <= last and first <= lives[n][1]]
        for other in sorted(near, key=got.__getitem__):
            if start + sizes[name] <= got[other]:
                break
            start = max(start, got[other] + sizes[other])
        if start < got[name]:
            return True
    return False


def network(rng: np.random.Generator, steps: int, kind: int) -> Network:
    """The lives and sizes of the values of a network that computes one or two at each step, in no order.

    kind : 0 a classifier, whose values get smaller; 1 a decoder, whose values get larger; 2 first smaller, then larger.
    """
    names = [f"v{number}" for number in rng.permutation(10 * steps)[:steps]]
    bends = np.sort(rng.integers(0, steps, 4))
    base = int(rng.integers(2_000, 20_000))
    lives: dict[str, Life] = {}
    sizes: dict[str, int] = {}
    step = -1
    for name in names:
        step += int(step < 0 or rng.random() < 0.9)
        depth = int((bends <= step).sum())
        level = {0: -depth, 1: depth, 2: -min(depth, 4 - depth)}[kind]
        share = float(rng.choice([0.125, 0.5, 0.5, 1.0, 1.0, 1.0, 2.0]))
        sizes[name] = int(base * 2.0**level * share) + int(rng.integers(1, 64))
        length = int(rng.choice([1, 1, 1, 2, 2, 3, rng.integers(4, max(5, steps // 2))]))
        lives[name] = (step, min(steps - 1, step + length))
    one, other = (rng.permutation(names).tolist() for _ in range(2))
    return {name: lives[name] for name in one}, {name: sizes[name] for name in other}


def networks(rng: np.random.Generator, kinds: tuple[int, ...], count: int) -> list[Network]:
    """Networks of 20 to 44 steps, of one kind after the other."""
    return [network(rng, int(rng.integers(20, 45)), kinds[i % len(kinds)]) for i in range(count)]


def as_arrays(some: list[Network]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(lives (n, 2), sizes (n,)) of each network."""
    return [(np.array([lives[name] for name in sizes]), np.array([*sizes.values()])) for lives, sizes in some]


def expect_within(student: Student, some: list[Network], bounds: list[int], most: float) -> str:
    """Raise Failure unless the plans of the networks are right, and on average within `most` times their bounds.

    Returns by how much they are longer, in a sentence.
    """
    ratios, gaps = [], 0
    for (lives, sizes), bound in zip(some, bounds):
        plan = student.plan_memory(lives, sizes)
        height = expect_plan(plan, lives, sizes)
        gaps += could_sink(plan, lives, sizes)
        ratios.append(height / bound)
        if height == sum(sizes.values()):
            failure = Failure("no value shares memory with another", "a shorter block", "the sum of all sizes")
            failure.cause = NEVER_AGAIN
            raise failure
    mean = float(np.mean(ratios))
    if mean > most:
        above, allowed = f"{100 * (mean - 1):.1f} %", f"{100 * (most - 1):.0f} %"
        failure = Failure(
            f"the blocks of {len(some)} networks are on average {above} longer than the bound, expected at most "
            f"{allowed}",
            f"at most {allowed}",
            above,
        )
        failure.cause = "right, but not short enough: place the values in another order, each at its lowest free offset"
        if mean - most < NEARLY:
            failure.cause = (
                "right, and nearly short enough: compare your order with others, or place the values in several orders "
                "and return the shortest plan"
            )
        if gaps:
            failure.cause = (
                f"in {gaps} of {len(some)} networks a value would fit into a gap below its place: take the lowest gap "
                "that is large enough. A place above all that is in its way is too high, and in a list of buffers a "
                "small value blocks all of a large one"
            )
        raise failure
    reached = sum(ratio == 1 for ratio in ratios)
    return (
        f"your blocks are on average {100 * (mean - 1):.1f} % longer than the bound; of {len(some)} networks {reached} "
        "reach it"
    )


@task("plan_memory", "few", "within_100", "apart", "both_ends", "names", "offsets")
def three_values_in_160_bytes(student: Student) -> None:
    """a and c are never alive together and share their place, b is alive with both: 160 bytes are enough."""
    lives, sizes = {"a": (0, 1), "b": (1, 2), "c": (2, 3)}, {"a": 100, "b": 60, "c": 80}
    height = expect_plan(student.plan_memory(lives, sizes), lives, sizes, student)
    if height > 160:
        failure = Failure(f"expected a block of 160 bytes, got {height}", 160, height)
        failure.cause = NEVER_AGAIN if height == 240 else None
        if height <= 162:
            failure.cause = "a byte stays free between two values: one at start takes the bytes below start + size"
        raise failure


@task("plan_memory", "apart", "both_ends", "names", "offsets")
def nothing_overlaps(student: Student, rng: np.random.Generator) -> None:
    """Whatever the network, two values that are alive at the same step have no byte in common."""
    for steps in (1, 2, 3, 5, 8, 13, 30):
        for kind in (0, 1, 2):
            lives, sizes = network(rng, steps, kind)
            expect_plan(student.plan_memory(lives, sizes), lives, sizes, student)


@task("plan_memory", "both_ends", "apart", "names", "offsets")
def lives_that_touch(student: Student, rng: np.random.Generator) -> None:
    """The last step of one value is the first of the next: at this step both are alive."""
    lives = {f"v{i}": (2 * i, 2 * i + 2) for i in rng.permutation(6).tolist()}
    for _ in range(4):
        sizes = {name: int(rng.integers(1, 1000)) for name in lives}
        expect_plan(student.plan_memory(lives, sizes), lives, sizes, student)


@task("plan_memory", "both_ends", "apart", "names", "offsets")
def lives_that_begin_or_end_together(student: Student, rng: np.random.Generator) -> None:
    """An operator with several outputs writes them in one step, and values may be read for the last time together."""
    lives = {"a": (0, 0), "b": (0, 0), "c": (0, 2), "d": (1, 2), "e": (2, 2), "f": (2, 3), "g": (2, 3)}
    for _ in range(4):
        names = rng.permutation([*lives]).tolist()
        sizes = {name: int(rng.integers(1, 1000)) for name in names}
        expect_plan(student.plan_memory({name: lives[name] for name in names}, sizes), lives, sizes, student)


@task("plan_memory", "nothing", "names")
def no_values(student: Student) -> None:
    """No values give an empty dict."""
    with likely({"ValueError": "the largest of nothing does not exist: max(..., default=0)"}):
        got = student.plan_memory({}, {})
    expect(got, {}, what="the plan of no values")


@task("plan_memory", "within_100", "apart", "both_ends", "names", "offsets")
def within_twice_the_bound(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """On average the block is at most 100 % longer than the most that is alive at one step."""
    some = networks(rng, (0, 1, 2), 15)
    expect_within(student, some, oracle.lower_bounds(as_arrays(some)), 2.0)


@task("plan_memory", "within_25", "within_100", "apart", "both_ends", "names", "offsets")
def within_25_percent(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """On average over 30 networks the block is at most 25 % longer than the bound."""
    some = networks(rng, (0, 1, 2), 30)
    expect_within(student, some, oracle.lower_bounds(as_arrays(some)), 1.25)


@task("plan_memory", "within_10", "within_25", "within_100", "apart", "both_ends", "names", "offsets")
def within_10_percent(student: Student, rng: np.random.Generator, oracle: Any) -> str:
    """On average over 50 networks the block is at most 10 % longer than the bound."""
    some = networks(rng, (1, 2), 50)
    return expect_within(student, some, oracle.lower_bounds(as_arrays(some)), 1.1)


# --- fold_batchnorm

FOLD_ERRORS = {
    "truth value": "`if bias` asks for the truth of each of its numbers: ask `bias is None`",
    "NoneType": "bias may be None: that is a bias of zeros",
    "broadcast": "the four numbers (O,) belong to the first axis of weight (O, C, kh, kw), and numpy lines up the LAST "
    "axes: the factor needs more of them",
}


def expect_folded(
    student: Student,
    oracle: Any,
    weight: np.ndarray,
    bias: np.ndarray | None,
    statistics: tuple[np.ndarray, ...],
    *eps: float,
) -> None:
    """Raise Failure unless the folded layer's weight and bias are right; without eps for its default."""
    kernels, shift, size = oracle.folded(weight, bias, statistics, *eps)
    mistakes = oracle.folded_mistakes(weight, bias, statistics, *eps)
    with likely(FOLD_ERRORS):
        got = student.fold_batchnorm(weight, bias, *statistics, **dict(zip(["eps"], eps)))
    if type(got) is tuple and len(got) == 2 and got[1] is None:
        failure = Failure("the bias: expected an array, got None", shift, None)
        failure.cause = (
            "no bias is a bias of zeros: BatchNorm shifts it, and so the new convolution has one all the same"
        )
        raise failure
    if type(got) is not tuple or len(got) != 2:
        failure = Failure(f"expected a tuple (weight, bias), got {type(got).__name__}", "(weight, bias)", got)
        failure.cause = "two results are a tuple: return weight, bias" if type(got) is list and len(got) == 2 else None
        raise failure
    if [np.shape(part) for part in got] == [shift.shape, kernels.shape]:
        failure = Failure("expected a tuple (weight, bias), got (bias, weight)", "(weight, bias)", "(bias, weight)")
        failure.cause = "the two are swapped: the weight comes first, then the bias"
        raise failure
    tolerance = 1e-9 if weight.dtype == np.float64 else 2e-5
    atol = tolerance * float(np.abs(kernels).max())
    expect(got[0], kernels, rtol=tolerance, atol=atol, what="the weight", mistakes=mistakes)
    expect(got[1], shift, rtol=tolerance, atol=tolerance * size, what="the bias", mistakes=mistakes)


def statistics_of(rng: np.random.Generator, outputs: int, dtype: Any) -> Any:
    """gamma, beta, mean, var of a trained BatchNorm."""
    signs = rng.choice([-1.0, 1.0], outputs)
    found = signs * rng.uniform(0.5, 2, outputs), rng.normal(0, 3, outputs), rng.normal(0, 3, outputs)
    return tuple(x.astype(dtype) for x in (*found, rng.uniform(0.1, 4, outputs)))


@task("fold_batchnorm", "same", "no_bias", "form", "dtype")
def one_weight(student: Student, oracle: Any) -> None:
    """2 x, then 3 (y - 5) / 2 + 10, is 3 x + 2.5."""
    one = np.array([1.0])
    expect_folded(student, oracle, np.full((1, 1, 1, 1), 2.0), None, (3 * one, 10 * one, 5 * one, 4 * one), 0.0)


@task("fold_batchnorm", "same", "form", "dtype", "eps", "exact")
def every_channel_has_its_own(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Each output channel's kernel and bias are scaled and shifted by its own four numbers."""
    weight, bias = rng.normal(size=(4, 2, 3, 1)), rng.normal(size=4)
    expect_folded(student, oracle, weight, bias, statistics_of(rng, 4, np.float64), 0.1)


@task("fold_batchnorm", "channels", "same", "form", "dtype", "eps", "exact")
def as_many_outputs_as_something_else(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The four numbers belong to the first axis of the weight, also where others are as long."""
    weight, bias = rng.normal(size=(2, 2, 1, 2)), rng.normal(size=2)
    expect_folded(student, oracle, weight, bias, statistics_of(rng, 2, np.float64), 0.01)


@task("fold_batchnorm", "no_bias", "same", "form", "dtype", "eps", "exact")
def without_a_bias(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A convolution without bias gets one."""
    expect_folded(student, oracle, rng.normal(size=(5, 2, 3, 1)), None, statistics_of(rng, 5, np.float64), 1e-3)


@task("fold_batchnorm", "eps", "same", "form", "dtype", "exact")
def a_variance_of_zero(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """A channel that never changes has variance 0: eps alone stands under the root."""
    weight, bias = rng.normal(size=(3, 2, 1, 2)), rng.normal(size=3)
    gamma, beta, mean, _ = statistics_of(rng, 3, np.float64)
    expect_folded(student, oracle, weight, bias, (gamma, beta, mean, np.zeros(3)), 0.01)


@task("fold_batchnorm", "default", "eps", "same", "form", "dtype", "exact")
def an_eps_that_nobody_says(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Without eps it is 1e-5."""
    weight, bias = rng.normal(size=(2, 1, 1, 3)), rng.normal(size=2)
    gamma, beta, mean, var = statistics_of(rng, 2, np.float64)
    expect_folded(student, oracle, weight, bias, (gamma, beta, mean, var * 1e-4))


@task("fold_batchnorm", "dtype", "no_bias", "same", "form", "eps", "exact")
def the_type_stays(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 gives float32, with a bias and without."""
    weight, bias = rng.normal(size=(3, 2, 2, 2)).astype(np.float32), rng.normal(size=3).astype(np.float32)
    for one in (bias, None):
        expect_folded(student, oracle, weight, one, statistics_of(rng, 3, np.float32), 1e-5)
