"""Hidden tests of lesson 5's homework: other shapes, types and magnitudes, new numbers for every seed."""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import expect, expect_raises, task

SIGMOID = ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")
LEAKY = ("nn.LeakyReLU", "F.leaky_relu")


def exact_sigmoid(x: np.ndarray) -> np.ndarray:
    """The sigmoid through the logarithm: e^-log(1 + e^-x), one element at a time."""
    logs = [math.log1p(math.exp(-v)) if v >= 0 else math.log1p(math.exp(v)) - v for v in x.ravel().tolist()]
    return np.exp(-np.array(logs)).reshape(x.shape)


def exact_leaky(x: np.ndarray, slope: float) -> np.ndarray:
    """x or slope * x, one element at a time."""
    return np.array([v if v > 0 else slope * v for v in x.ravel().tolist()]).reshape(x.shape)


@task("sigmoid")
def any_shape_in_its_own_type(student, rng):
    """Arrays of 1 to 5 axes, float32 and float64: shape and type stay."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-12)):
        for shape in ((1,), (5, 1), (2, 3, 4), (2, 1, 3, 5), (1, 2, 2, 3, 2)):
            x = rng.uniform(-8, 8, shape).astype(kind)
            expect(student.sigmoid(x), exact_sigmoid(x).astype(kind), rtol=rtol, what=f"sigmoid of {shape} {x.dtype}")


@task("sigmoid")
def small_results_are_right_too(student, rng):
    """From -80 to -20 the sigmoid is nearly e^x: tiny, but not 0 and not rounded to a multiple of 1e-8."""
    for kind in (np.float32, np.float64):
        x = rng.uniform(-80, -20, (4, 5)).astype(kind)
        expect(student.sigmoid(x), exact_sigmoid(x).astype(kind), rtol=1e-4, what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def the_smallest_numbers_of_the_type(student, rng):
    """Where e^-x is too large for the type, the sigmoid is still e^x and not 0, also when the registry's layer runs."""
    for kind, low, high in ((np.float32, -95, -90), (np.float64, -725, -712)):
        x = rng.uniform(low, high, (3, 4)).astype(kind)
        exact = np.array([math.exp(v) for v in x.ravel().tolist()]).reshape(x.shape).astype(kind)
        expect(student.run_layer("nn.Sigmoid", x), exact, rtol=1e-2, what=f"nn.Sigmoid of {x.dtype}")


@task("sigmoid")
def far_out_on_both_sides(student, rng):
    """Random numbers of up to 1e30, and both infinities, give 0 or 1 without an overflow."""
    for kind in (np.float32, np.float64):
        size = 10.0 ** rng.uniform(3, 30, (3, 4))
        signs = rng.choice([-1.0, 1.0], (3, 4))
        signs[0, :2] = -1, 1
        x = (signs * size).astype(kind)
        x[1, :2] = -np.inf, np.inf
        expect(student.sigmoid(x), (x > 0).astype(kind), what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def not_a_number_stays_one(student, rng):
    """NaN gives NaN, and its neighbours are computed as ever."""
    x = rng.standard_normal((3, 3))
    x[1, 1] = np.nan
    expected = np.array([np.nan if v != v else 1 / (1 + math.exp(-v)) for v in x.ravel()]).reshape(3, 3)
    expect(student.sigmoid(x), expected, rtol=1e-9)


@task("sigmoid")
def whole_numbers_of_every_kind(student, rng):
    """int8, uint8, int32 and bool become float32."""
    for kind in (np.int8, np.uint8, np.int32, np.bool_):
        x = rng.integers(0, 2 if kind is np.bool_ else 9, (3, 4)).astype(kind)
        x[0, 0] = 1
        expect(student.sigmoid(x), exact_sigmoid(x).astype(np.float32), rtol=1e-5, what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def the_operators_input_stays_as_it_is(student, rng):
    """After the layer has run, its input holds what it held before."""
    x = rng.standard_normal((2, 3, 5)).astype(np.float32)
    for operator_type in SIGMOID:
        expect(student.input_after(operator_type, x), x, what=f"the input of {operator_type}")


@task("sigmoid")
def an_operator_without_elements_is_refused(student, rng):
    """Empty inputs of any shape are errors when the registry's layer runs, too; one element is enough."""
    expect(student.run_layer("nn.Sigmoid", np.zeros((1, 1))), np.full((1, 1), 0.5))
    for shape in ((0,), (2, 0, 3), (0, 1, 8, 8)):
        expect_raises(student.run_layer, "nn.Sigmoid", np.zeros(shape, np.float64))


@task("sigmoid")
def a_chain_with_other_layers(student, rng):
    """ReLU, sigmoid, sigmoid: each operator gets the layer of its type."""
    x = rng.standard_normal((2, 4, 3))
    steps = [["nn.ReLU", {}], ["F.sigmoid", {}], ["nn.Sigmoid", {}]]
    expect(student.run_chain(steps, x), exact_sigmoid(exact_sigmoid(np.where(x > 0, x, 0.0))), rtol=1e-9)


@task("leaky_relu")
def any_slope(student, rng):
    """Slopes of 0, above 1, negative, and random ones, for 1 to 4 axes."""
    for shape in ((1,), (5, 1), (2, 3, 4), (2, 1, 3, 5)):
        for slope in (0.0, 1.5, -0.5, float(rng.uniform(0.01, 0.9))):
            x = rng.standard_normal(shape) * 3
            got = student.run_layer(LEAKY[int(rng.integers(2))], x, {"negative_slope": slope})
            expect(got, exact_leaky(x, slope), rtol=1e-9, atol=1e-12, what=f"{shape} with negative_slope={slope:g}")


@task("leaky_relu")
def its_own_type(student, rng):
    """float32 stays float32, float64 stays float64, whole numbers become float32."""
    for kind in (np.float32, np.float64, np.int64, np.int8):
        x = (rng.standard_normal((4, 5)) * 5).astype(kind)
        x[0, :2] = -3, 2
        expected = exact_leaky(x, 0.25).astype(kind if x.dtype.kind == "f" else np.float32)
        got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.25})
        expect(got, expected, rtol=1e-6, atol=1e-7, what=f"leaky_relu of {x.dtype}")


@task("leaky_relu")
def a_layer_with_and_a_layer_without(student, rng):
    """Made in random order: a layer with a slope of its own does not change the default of another."""
    slope = float(rng.uniform(0.2, 0.9))
    steps = [["nn.LeakyReLU", {"negative_slope": slope}], ["F.leaky_relu", {}]]
    if rng.integers(2):
        steps.reverse()
    x = rng.standard_normal((3, 4)) - 1
    expect(student.run_chain(steps, x), exact_leaky(x, slope * 0.01), rtol=1e-9, atol=1e-12)


@task("leaky_relu")
def its_input_stays_as_it_is(student, rng):
    """After the layer has run, its input holds what it held before."""
    x = rng.standard_normal((3, 5)) - 0.5
    expect(student.input_after("nn.LeakyReLU", x, {"negative_slope": 0.5}), x, what="the input")


@task("leaky_relu")
def a_second_parameter_is_refused(student, rng):
    """negative_slope together with a name that the layer does not know is an error."""
    params = {"negative_slope": 0.5, "inplace_scale": 2.0}
    expect_raises(student.run_layer, "F.leaky_relu", np.array([-1.0, 1.0]), params)
