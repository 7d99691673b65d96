"""Public tests of lesson 5's homework: what `course check` runs, small inputs first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from classroom.judge import Failure, SubmissionError, expect, expect_raises, task

OVERFLOW = (
    "e^-x or e^x grows too large for the type, and np.where computes both its branches everywhere: "
    "take e^-|x|, which is never above 1, and build both halves of the curve from it"
)
KEEPS_TYPE = "floats keep their type: convert with as_float(x) alone, which changes integers only"
IN_PLACE = "the layer wrote into its input (x *= ..., x[...] = ..., out=x): compute in a new array"


@contextmanager
def likely(causes: Mapping[str, str]) -> Iterator[None]:
    """Turn an exception of the student's into a Failure with the likely cause whose words it has."""
    try:
        yield
    except SubmissionError as error:
        said = f"{error.type}: {error.message}"
        cause = next((cause for words, cause in causes.items() if words in said), None)
        if cause is None or error.kind != "raise":
            raise
        failure = Failure(f"line {error.line} raised {said}")
        failure.cause = cause
        raise failure from None


def expect_refused(cause: str, student_call: Callable[..., Any], *args: Any) -> None:
    """As expect_raises; a failure has this likely cause."""
    try:
        expect_raises(student_call, *args)
    except Failure as failure:
        failure.cause = cause
        raise


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
            KEEPS_TYPE: exact_sigmoid(x).astype(np.float32),
        },
    )


@task("sigmoid")
def large_numbers_do_not_overflow(student, rng):
    """The sigmoid of -1000 is 0 and that of 1000 is 1, in float32 too, and no step overflows."""
    for kind in (np.float64, np.float32):
        x = np.array([[-1000.0, 0.0], [1000.0, -100.0]], kind)
        expected = exact_sigmoid(x).astype(kind)
        with np.errstate(all="ignore"):
            mistakes = {
                "e^x / (1 + e^x) is inf / inf for a large x: take e^-|x|, which is never above 1": (
                    np.exp(x) / (1 + np.exp(x))
                ),
                "x was cut off, or e^-x changed, so small results are too large: take e^-|x| of x as it is": expected,
                KEEPS_TYPE: expected.astype(np.float32 if kind is np.float64 else np.float64),
                "the rows were put into one: keep the shape, without ravel, flatten or reshape": expected.ravel(),
            }
        with likely({"FloatingPointError: overflow": OVERFLOW}):
            got = student.sigmoid(x)
        expect(got, expected, rtol=1e-4, atol=1e-40, what=f"sigmoid of {x.dtype}", mistakes=mistakes)


@task("sigmoid")
def the_registry_finds_it_by_its_type(student, rng):
    """An operator of type nn.Sigmoid, F.sigmoid or torch.sigmoid is computed by the layer."""
    x = rng.standard_normal((2, 3, 4, 4)).astype(np.float32)
    for operator_type in ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid"):
        cause = (
            f"no class stands in `layers` under {operator_type}: write "
            '@layers.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid") above class Sigmoid'
        )
        with likely({"no layer is registered": cause}):
            got = student.run_layer(operator_type, x)
        expect(got, exact_sigmoid(x).astype(np.float32), rtol=1e-5, what=f"the output of {operator_type}")


@task("sigmoid")
def the_input_keeps_its_numbers(student, rng):
    """After the layer has run, its input is as before: another operator may read it, too."""
    x = np.array([[-2.0, 0.5], [3.0, -0.25]], np.float32)
    try:
        expect(student.input_after("nn.Sigmoid", x), x, what="the input")
    except Failure as failure:
        failure.cause = IN_PLACE
        raise


@task("sigmoid")
def integers_become_float32(student, rng):
    """Whole numbers 0, 1, 2 give float32 numbers."""
    for kind in (np.int64, np.uint8):
        x = np.arange(3, dtype=kind)
        with likely({"FloatingPointError: overflow": "-x was taken while x was unsigned: call as_float(x) first"}):
            got = student.sigmoid(x)
        mistakes = {"the integers became float64: call as_float(x) first, which makes them float32": exact_sigmoid(x)}
        expect(got, exact_sigmoid(x).astype(np.float32), rtol=1e-5, what=f"sigmoid of {x.dtype}", mistakes=mistakes)


@task("sigmoid")
def an_empty_input_is_refused(student, rng):
    """An array without elements raises an error instead of giving an empty answer."""
    cause = "an empty array goes through: raise ValueError if x.size == 0, for len(x) counts along the first axis only"
    expect_refused(cause, student.sigmoid, np.zeros((0,), np.float32))
    expect_refused(cause, student.sigmoid, np.zeros((1, 3, 0), np.float32))


@task("leaky_relu")
def without_a_parameter_the_slope_is_a_hundredth(student, rng):
    """-2, 0, 3 become -0.02, 0, 3 where the operator says nothing."""
    x = np.array([-2.0, 0.0, 3.0])
    expected = np.array([-0.02, 0.0, 3.0])
    with likely(
        {"KeyError: 'negative_slope'": "an operator need not have negative_slope: take 0.01 where it has none"}
    ):
        got = student.run_layer("nn.LeakyReLU", x)
    expect(
        got,
        expected,
        atol=1e-12,
        mistakes={
            "this is ReLU: the negative half has a slope": np.array([0.0, 0.0, 3.0]),
            "the slope went to the positive half": np.array([-2.0, 0.0, 0.03]),
            "without a parameter the slope is 0.01": np.array([-0.2, 0.0, 3.0]),
            "the slope went to both halves: where x > 0 the result is x": 0.01 * x,
            KEEPS_TYPE: expected.astype(np.float32),
        },
    )


@task("leaky_relu")
def the_slope_comes_from_the_operator(student, rng):
    """With negative_slope = 0.5 and 0.25 the number -2 becomes -1 and -0.5, under both types."""
    x = np.array([[-2.0, 1.0]], np.float32)
    causes = {
        "no layer is registered": 'write @layers.register("nn.LeakyReLU", "F.leaky_relu") above class LeakyReLU',
        "'Parameter'": 'the slope is a Parameter: take the number in it, operator.params["negative_slope"].value',
    }
    for operator_type, slope in (("nn.LeakyReLU", 0.5), ("F.leaky_relu", 0.25)):
        with likely(causes):
            got = student.run_layer(operator_type, x, {"negative_slope": slope})
        expect(
            got,
            np.array([[-2 * slope, 1.0]], np.float32),
            what=f"{operator_type} with negative_slope={slope}",
            mistakes={
                "the operator's negative_slope was not used: read it in from_operator, for a new layer each time": (
                    np.array([[-0.02, 1.0]], np.float32)
                ),
                "the slope became 0: take it as it is, without int(...)": np.array([[0.0, 1.0]], np.float32),
                "float32 became float64: keep the slope a plain number, without np.float64": np.array(
                    [[-2 * slope, 1.0]]
                ),
            },
        )


@task("leaky_relu")
def its_input_keeps_its_numbers(student, rng):
    """After the layer has run, its input is as before: another operator may read it, too."""
    x = np.array([[-2.0, 0.5], [3.0, -0.25]], np.float32)
    try:
        expect(student.input_after("nn.LeakyReLU", x), x, what="the input")
    except Failure as failure:
        failure.cause = IN_PLACE
        raise


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
    cause = "a parameter was ignored: raise ValueError if operator.params has another name than negative_slope"
    expect_refused(cause, student.run_layer, "nn.LeakyReLU", np.array([-1.0]), {"slope": 0.3})
