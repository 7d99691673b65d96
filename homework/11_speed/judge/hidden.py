"""Hidden tests of homework 11: more shapes and types, and memory within 10 % of the bound."""

from __future__ import annotations

import numpy as np

from classroom.judge import Student, expect, public_of, task

public = public_of(__file__)


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


def touching(rng: np.random.Generator, lives: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Random sizes for the values."""
    return {name: int(rng.integers(1, 1000)) for name in lives}


@task("plan_memory")
def lives_that_touch(student: Student, rng: np.random.Generator) -> None:
    """Two values that share one step only, or all steps, or of which one lives inside the other, do not overlap."""
    cases: list[dict[str, tuple[int, int]]] = [
        {f"v{i}": (i, i + 1) for i in range(8)},
        {f"v{i}": (2 * i, 2 * i + 2) for i in reversed(range(6))},
        {f"v{i}": (i, 12 - i) for i in range(6)},
        {f"v{i}": (3, 3) for i in range(5)},
        {"long": (0, 9), **{f"v{i}": (i, i) for i in range(10)}},
        {"only": (4, 7)},
    ]
    for lives in cases:
        for _ in range(4):
            sizes = touching(rng, lives)
            public.expect_plan(student.plan_memory(lives, sizes), lives, sizes)
    expect(student.plan_memory({}, {}), {})


@task("plan_memory")
def large_networks(student: Student, rng: np.random.Generator) -> None:
    """In networks of 300 steps nothing overlaps, and values that never meet share their places."""
    for kind in (0, 2):
        lives, sizes = public.network(rng, 300, kind)
        height = public.expect_plan(student.plan_memory(lives, sizes), lives, sizes)
        if height > 3 * public.lower_bound(lives, sizes):
            raise public.Failure(f"the block has {height:,} bytes, more than three times the bound")


@task("plan_memory")
def within_100_percent(student: Student, rng: np.random.Generator) -> None:
    """On average over 30 networks the block is at most 100 % longer than the bound."""
    public.expect_within(student, rng, (0, 1, 2), 30, 2.0)


@task("plan_memory")
def within_50_percent(student: Student, rng: np.random.Generator) -> None:
    """On average over 30 networks the block is at most 50 % longer than the bound."""
    public.expect_within(student, rng, (0, 1, 2), 30, 1.5)


@task("plan_memory")
def within_25_percent(student: Student, rng: np.random.Generator) -> None:
    """On average over 30 networks the block is at most 25 % longer than the bound."""
    public.expect_within(student, rng, (0, 1, 2), 30, 1.25)


@task("plan_memory")
def within_10_percent(student: Student, rng: np.random.Generator) -> None:
    """On average over 50 networks the block is at most 10 % longer than the bound."""
    public.expect_within(student, rng, (1, 2), 50, 1.1)


@task("fold_batchnorm")
def without_a_bias(student: Student, rng: np.random.Generator) -> None:
    """A convolution without bias gets one."""
    weight = rng.normal(size=(5, 2, 3, 1))
    public.expect_folded(student, weight, None, public.statistics_of(rng, 5, np.float64), 1e-3)


@task("fold_batchnorm")
def the_type_stays(student: Student, rng: np.random.Generator) -> None:
    """float32 gives float32, for groups and for kernels of any size; as many channels as kernels do not mix them up."""
    for shape in ((6, 1, 3, 3), (4, 4, 1, 1), (3, 3, 3, 3), (1, 7, 2, 5)):
        weight, bias = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[0]).astype(np.float32)
        public.expect_folded(student, weight, bias, public.statistics_of(rng, shape[0], np.float32), 1e-5)


@task("fold_batchnorm")
def a_variance_of_zero(student: Student, rng: np.random.Generator) -> None:
    """A channel that never changes has variance 0: eps alone stands under the root."""
    weight, bias = rng.normal(size=(3, 2, 3, 3)), rng.normal(size=3)
    gamma, beta, mean, _ = public.statistics_of(rng, 3, np.float64)
    public.expect_folded(student, weight, bias, (gamma, beta, mean, np.zeros(3)), 0.01)
