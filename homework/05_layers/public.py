"""Public tests of lesson 5's homework: what `course check` runs, small inputs first."""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import expect, expect_raises, task


def exact_sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), one element at a time, with the form that fits its sign."""
    values = [1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v)) for v in x.ravel().tolist()]
    return np.array(values).reshape(x.shape)


@task("sigmoid")
def zero_gives_one_half(student, rng):
    """The sigmoid of -1, 0, 1 and 2 is 0.2689, 0.5, 0.7311 and 0.8808."""
    x = np.array([-1.0, 0.0, 1.0, 2.0])
    expect(
        student.sigmoid(x),
        exact_sigmoid(x),
        rtol=1e-6,
        mistakes={
            "this is 1 / (1 + e^x): the sign of x is missing": exact_sigmoid(-x),
            "this is the sigmoid of |x|: negative numbers need their own half of the curve": exact_sigmoid(np.abs(x)),
            "this is tanh, a relative of the sigmoid between -1 and 1": np.tanh(x),
            "this is hardsigmoid, straight lines near the sigmoid": np.clip(x + 3, 0, 6) / 6,
        },
    )


@task("sigmoid")
def large_numbers_do_not_overflow(student, rng):
    """The sigmoid of -1000 is 0 and that of 1000 is 1, in float32 too, and no step overflows."""
    for kind in (np.float64, np.float32):
        x = np.array([[-1000.0, 0.0], [1000.0, -100.0]], kind)
        expect(student.sigmoid(x), exact_sigmoid(x).astype(kind), rtol=1e-4, atol=1e-40, what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def the_registry_finds_it_by_its_type(student, rng):
    """An operator of type nn.Sigmoid, F.sigmoid or torch.sigmoid is computed by the layer."""
    x = rng.standard_normal((2, 3, 4, 4)).astype(np.float32)
    for operator_type in ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid"):
        got = student.run_layer(operator_type, x)
        expect(got, exact_sigmoid(x).astype(np.float32), rtol=1e-5, what=f"the output of {operator_type}")


@task("sigmoid")
def integers_become_float32(student, rng):
    """Whole numbers 0, 1, 2 give float32 numbers."""
    for kind in (np.int64, np.uint8):
        x = np.arange(3, dtype=kind)
        expect(
            student.sigmoid(x),
            exact_sigmoid(x).astype(np.float32),
            rtol=1e-5,
            what=f"sigmoid of {x.dtype}",
            mistakes={"-x was taken while x was unsigned: call as_float(x) first": exact_sigmoid(-x)},
        )


@task("sigmoid")
def an_empty_input_is_refused(student, rng):
    """An array without elements raises an error instead of giving an empty answer."""
    expect_raises(student.sigmoid, np.zeros((0,), np.float32))
    expect_raises(student.sigmoid, np.zeros((1, 3, 0), np.float32))


@task("leaky_relu")
def without_a_parameter_the_slope_is_a_hundredth(student, rng):
    """-2, 0, 3 become -0.02, 0, 3 where the operator says nothing."""
    x = np.array([-2.0, 0.0, 3.0])
    expect(
        student.run_layer("nn.LeakyReLU", x),
        np.array([-0.02, 0.0, 3.0]),
        atol=1e-12,
        mistakes={
            "this is ReLU: the negative half has a slope": np.array([0.0, 0.0, 3.0]),
            "the slope went to the positive half": np.array([-2.0, 0.0, 0.03]),
            "without a parameter the slope is 0.01": np.array([-0.2, 0.0, 3.0]),
        },
    )


@task("leaky_relu")
def the_slope_comes_from_the_operator(student, rng):
    """With negative_slope = 0.5 and 0.25 the number -2 becomes -1 and -0.5, under both types."""
    x = np.array([[-2.0, 1.0]], np.float32)
    for operator_type, slope in (("nn.LeakyReLU", 0.5), ("F.leaky_relu", 0.25)):
        expect(
            student.run_layer(operator_type, x, {"negative_slope": slope}),
            np.array([[-2 * slope, 1.0]], np.float32),
            what=f"{operator_type} with negative_slope={slope}",
            mistakes={"the operator's negative_slope was not used": np.array([[-0.02, 1.0]], np.float32)},
        )


@task("leaky_relu")
def every_layer_keeps_its_own_slope(student, rng):
    """Two layers are made first and run afterwards: 0.5, then 0.1 turn -2 into -0.1."""
    steps = [["nn.LeakyReLU", {"negative_slope": 0.5}], ["nn.LeakyReLU", {"negative_slope": 0.1}]]
    expect(
        student.run_chain(steps, np.array([-2.0, 4.0])),
        np.array([-0.1, 4.0]),
        atol=1e-12,
        mistakes={
            "the second layer's slope replaced the first's: keep it in self, not in the class": np.array([-0.02, 4.0]),
        },
    )


@task("leaky_relu")
def an_unknown_parameter_is_refused(student, rng):
    """A parameter called slope is an error: ignoring it would give wrong numbers in silence."""
    expect_raises(student.run_layer, "nn.LeakyReLU", np.array([-1.0]), {"slope": 0.3})
