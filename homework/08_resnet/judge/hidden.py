"""Hidden tests of homework 8: sizes that do not divide, both types, scores far apart, pictures of any shape."""

from __future__ import annotations

import numpy as np

from classroom.judge import Student, expect, expect_raises, public_of, task

public = public_of(__file__)


# --- adaptive_avg_pool


@task("adaptive_avg_pool")
def any_sizes(student: Student, rng: np.random.Generator) -> None:
    """Any number of windows on any plane, sizes of 1 among them, gives the means of the formula's windows."""
    for _ in range(12):
        shape = tuple(int(n) for n in (*rng.integers(1, 4, 2), *rng.integers(1, 12, 2)))
        size = int(rng.integers(1, 12)), int(rng.integers(1, 12))
        public.expect_pooled(student, rng.integers(-99, 100, shape).astype(np.float64), size, 1e-12)


@task("adaptive_avg_pool")
def more_windows_than_rows(student: Student, rng: np.random.Generator) -> None:
    """Where h or w is larger than the plane, windows of one or two numbers repeat and overlap."""
    x = rng.integers(-99, 100, (2, 2, 3, 2)).astype(np.float64)
    for size in ((5, 3), (3, 7), (8, 2), (4, 4)):
        public.expect_pooled(student, x, size, 1e-12)


@task("adaptive_avg_pool")
def borders_are_exact(student: Student, rng: np.random.Generator) -> None:
    """Borders that are whole numbers stay so: a rounded step must not push one into the next row."""
    for length, count in ((58, 14), (30, 22), (30, 26), (36, 28), (14, 50)):
        line = rng.integers(-99, 100, length).astype(np.float64)
        public.expect_pooled(student, line.reshape(1, 1, -1, 1), (count, 1), 1e-12)
        public.expect_pooled(student, line.reshape(1, 1, 1, -1), (1, count), 1e-12)


@task("adaptive_avg_pool")
def both_types_of_float(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        public.expect_pooled(student, rng.normal(size=(2, 3, 9, 8)).astype(dtype), (4, 3), tolerance)


@task("adaptive_avg_pool")
def the_planes_of_a_network(student: Student, rng: np.random.Generator) -> None:
    """512 planes of 7x7, as ResNet18 has them, and of 10x13, as a larger picture gives, within the time limit."""
    for shape, size in (((2, 512, 7, 7), (1, 1)), ((1, 512, 10, 13), (7, 7))):
        public.expect_pooled(student, rng.normal(size=shape).astype(np.float32), size, 1e-5)


@task("adaptive_avg_pool")
def one_pixel_at_a_time(student: Student, rng: np.random.Generator) -> None:
    """A single pixel that is not 0 is seen by the windows it lies in, and by no other."""
    for size in ((3, 3), (4, 5), (2, 2)):
        x = np.zeros((1, 2, 7, 8))
        x[0, int(rng.integers(2)), int(rng.integers(7)), int(rng.integers(8))] = float(rng.integers(1, 100))
        public.expect_pooled(student, x, size, 1e-12)


# --- classifier_head


@task("classifier_head")
def any_shapes(student: Student, rng: np.random.Generator) -> None:
    """Any number of pictures, channels, pixels and classes, one of each among them."""
    for shape, classes in (
        ((1, 1, 1, 1), 2),
        ((1, 3, 5, 1), 3),
        ((5, 2, 1, 4), 7),
        ((2, 9, 3, 3), 2),
        ((6, 4, 2, 3), 6),
    ):
        public.expect_head(student, *public.network(rng, shape, classes))


@task("classifier_head")
def as_many_classes_as_channels(student: Student, rng: np.random.Generator) -> None:
    """N, C and K of one size, where a wrong axis or a missing transpose gives no error, only wrong numbers."""
    public.expect_head(student, *public.network(rng, (5, 5, 3, 4), 5))


@task("classifier_head")
def scores_far_apart(student: Student, rng: np.random.Generator) -> None:
    """Rows whose scores are thousands apart from each other's, in one batch, stay finite and right."""
    x, weight, bias = public.network(rng, (4, 3, 2, 2), 5)
    x[0] *= 4000
    x[1] *= -4000
    public.expect_head(student, x, weight, bias, 1e-6)


@task("classifier_head")
def equal_scores_and_a_clear_winner(student: Student, rng: np.random.Generator) -> None:
    """Equal scores share equally; a score that is 10,000 above the others takes all."""
    x = np.ones((2, 3, 2, 2))
    public.expect_head(student, x, np.zeros((8, 3)), np.full(8, -3.0))
    bias = np.zeros(8)
    bias[int(rng.integers(8))] = 10_000.0
    public.expect_head(student, x, np.zeros((8, 3)), bias)


@task("classifier_head")
def floats_of_both_types(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        public.expect_head(student, *public.network(rng, (3, 16, 4, 4), 10, dtype), tolerance)


@task("classifier_head")
def a_large_batch(student: Student, rng: np.random.Generator) -> None:
    """100 pictures, 256 channels and 1,000 classes, within the time limit."""
    public.expect_head(student, *public.network(rng, (100, 256, 2, 2), 1000, np.float32), 1e-4)


# --- preprocess


@task("preprocess")
def pictures_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    """Wide, tall and square pictures, made smaller and larger, agree with the description."""
    for _ in range(8):
        height, width = (int(n) for n in rng.integers(5, 40, 2))
        resize = int(rng.integers(4, 24))
        crop = int(rng.integers(1, resize + 1))
        public.expect_prepared(student, public.photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_middle_of_an_odd_rest(student: Student, rng: np.random.Generator) -> None:
    """Where an odd number of pixels is cut away, round decides on which side there is one more."""
    for height, width, resize, crop in ((9, 12, 9, 6), (15, 11, 11, 6), (10, 17, 10, 3)):
        public.expect_prepared(student, public.photograph(rng, height, width), resize, crop)


@task("preprocess")
def the_longer_side_is_rounded_down(student: Student, rng: np.random.Generator) -> None:
    """The longer side is floor(resize * longer / shorter), whatever the rest of the division is."""
    for height, width, resize in ((7, 13, 5), (19, 11, 8), (6, 35, 7), (23, 8, 9)):
        public.expect_prepared(student, public.photograph(rng, height, width), resize, resize - 1)


@task("preprocess")
def black_and_white(student: Student, rng: np.random.Generator) -> None:
    """Black, white and single-coloured pictures become the numbers that (byte / 255 - mean) / std gives."""
    for colour in ((0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 128, 255)):
        image = np.empty((6, 9, 3), np.uint8)
        image[:] = colour
        public.expect_prepared(student, image, 4, 4)


@task("preprocess")
def a_photograph_for_imagenet(student: Student, rng: np.random.Generator) -> None:
    """A larger picture with 256 and 224, the sizes of ImageNet, gives (1, 3, 224, 224) in float32."""
    public.expect_prepared(student, public.photograph(rng, 300, 451), 256, 224)


@task("preprocess")
def one_pixel_too_large(student: Student, rng: np.random.Generator) -> None:
    """A crop of exactly `resize` is fine, one pixel more is not, for wide and for tall pictures."""
    for shape in ((10, 30), (30, 10), (12, 12)):
        image = public.photograph(rng, *shape)
        public.expect_prepared(student, image, 7, 7)
        expect(expect_raises(student.preprocess, image, 7, 8), "ValueError", what="the type of the exception")
