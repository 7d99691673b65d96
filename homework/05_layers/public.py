"""Public tests of lesson 5: what the layers Sigmoid and LeakyReLU must do, small inputs first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from classroom.judge import Failure, Student, SubmissionError, expect, expect_refused, likely, task

OVERFLOW = (
    "e^-x is too large for the type where x is far below 0, and e^x where it is far above. Either a form was used on "
    "its unsafe side, or np.where computed both: it does so for every element before it chooses"
)
ROUNDED = (
    "a small result was lost to rounding: next to 1 it is too small to be seen, so 1 must not be added to it and "
    "subtracted again, as 1 - ... and 1 + tanh do. Divide e^x by a sum instead"
)
CLIPPED = (
    "this is not e^x, which the sigmoid nearly is here. Was x clipped? Then every x below the limit gives one number: "
    "choose a form that is safe on this side, instead of another x"
)
OVERFLOWED = "e^-x became infinity here, and 1 / infinity is 0: an exponent that is never positive cannot overflow"
SILENCED = (
    "second best, if np.errstate in forward hides an overflow: it hides those of real mistakes, too. A form in which "
    "no exponent is positive does not need it"
)
IN_PLACE = "the layer wrote into its input (x *= ..., x[...] = ..., out=x): compute in a new array"
WHOLE = (
    "*= writes into an array of whole numbers, a copy of x or x itself, which cannot hold fractions: call as_float(x) "
    "first, and compute in a new array"
)
NOT_FOUND = (
    "no class stands in `layers` under this type: above class Sigmoid goes a decorator like that of ReLU, with the "
    "three types of the rule"
)
TRANSPOSED = (
    "a transposed array lies column by column, and so does np.empty_like of it: its reshape(-1) is a copy, and what "
    "you write into that is lost. Compute the result as a whole, or into np.empty(x.shape, ...)"
)
ONE_NUMBER = {
    "converted to Python scalars": "math.exp and float(...) take one number: np.exp takes an array",
    "truth value of an array": (
        "`if` wants one truth value, as max does, and a comparison of an array has one for each element: np.where "
        "chooses. (A loop over x goes along its first axis only.)"
    ),
}
ONE_TRUTH = f"{ONE_NUMBER['truth value of an array']} To ask whether x is empty, write x.size == 0, not `not x`"
NOT_EMPTY = "an x with NaN or infinity in it is refused: only an x without elements raises ValueError"
FEW_DIGITS = "float64 has more digits: was it computed in float32, or a small number added? Neither is needed here"
BETWEEN = (
    "far below 0 the sigmoid is e^x, and far above it is 1, but not exactly here: divide by the sum for every x, and "
    "for x < 0 in the form that neither adds 1 to a tiny number nor subtracts from 1"
)
ZERO_LEFT_OUT = "0 is neither below 0 nor above, so the masks x < 0 and x > 0 leave it out, and NaN, too"
RETURNED = "the error is returned, and nothing is refused: write raise ValueError(...), not return"
NAN_FOR_ALL = (
    "one NaN in x made the whole result NaN, as after np.isnan(x).any(): only its own element becomes NaN, and np.exp "
    "does that by itself"
)
NAN_LOST = (
    "NaN was replaced, or its place was never written (NaN is neither >= 0 nor < 0, so two masks leave it out): the "
    "result must be NaN, which tells the next layer that something went wrong"
)
WITHOUT = (
    "an operator without parameters is refused: only another name than negative_slope is an error, and where that one "
    "is missing, the slope is 0.01"
)
LETTERS = (
    'negative_slope itself is refused. Was its name compared with set("negative_slope")? That is a set of letters: '
    '{"negative_slope"} has the name'
)
NO_NUMBER = (
    "the layer got something else as its slope than a number, such as the operator itself: cls(...) takes the slope"
)
UNSET = (
    "this operator has no parameters, so a loop over them runs no step, and no line gives this name a value: set it to "
    "0.01 before"
)
NO_STEP = (
    "from_operator returns nothing here: it must return the layer, cls(...). (This operator has no parameters, so a "
    "`return` in a loop over them is never reached.)"
)
NONE = (
    "the slope is None, which .get gives where the operator has no negative_slope: it is 0.01 then, which cls() takes "
    "by itself"
)
LAST_DECIDES = (
    "only the last name decides here: a flag that each step of a loop sets anew forgets the names before. Raise "
    "ValueError in the loop, at once"
)
LEAKY_NOT_FOUND = 'write @layers.register("nn.LeakyReLU", "F.leaky_relu") above class LeakyReLU'
NO_LAYER = {
    "'dict' object has no attribute": (
        'operator.params is a dictionary: params["negative_slope"] looks the name up, and the number is in its .value'
    ),
    "'NoneType' object has no attribute 'forward_operator'": (
        "from_operator returns nothing: it must return the layer, cls(...)"
    ),
    "object has no attribute 'forward_operator'": (
        "from_operator returns the slope, or something else that is no layer: it must return the layer, cls(...)"
    ),
    "missing 1 required positional argument: 'values'": (
        "from_operator returns the class itself: call it, cls(...), to make a layer"
    ),
    "'Operator' object has no attribute": (
        "an operator's options are in operator.params, a dictionary of names and Parameters"
    ),
    "name 'operator' is not defined": (
        "forward has no operator: from_operator reads the slope, and the layer keeps it in self"
    ),
    "name 'self' is not defined": (
        "from_operator is a class method, and the layer is not there yet: give the slope to cls(...)"
    ),
    "'LeakyReLU' object has no attribute": "__init__ and forward must use one name: self.negative_slope",
    "name 'negative_slope' is not defined": "the layer keeps its slope in self: self.negative_slope",
    **ONE_NUMBER,
}


@contextmanager
def other_numbers_mean(cause: str) -> Iterator[None]:
    """Give a Failure this likely cause if shape and type are right, some numbers are not, and it has no other cause."""
    try:
        yield
    except Failure as failure:
        if failure.where is not None:
            failure.cause = failure.cause or cause
        raise


@contextmanager
def refusal_means(cause: str, student: Student, similar: Callable[[], Any]) -> Iterator[None]:
    """Give a ValueError this likely cause if a similar call, without what should not be refused, goes well."""
    try:
        yield
    except SubmissionError as error:
        if error.type == "ValueError":
            with student.aside(), suppress(SubmissionError):
                similar()
                error.cause = error.cause or cause
        raise


@task("sigmoid", "value", "dtype")
def zero_gives_one_half(student: Student, oracle: Any) -> None:
    """The sigmoid of -1, 0, 1 and 2 is 0.2689, 0.5, 0.7311 and 0.8808, and that of zeros alone is 0.5."""
    x = np.array([-1.0, 0.0, 1.0, 2.0])
    causes = {
        **ONE_NUMBER,
        "truth value of an array": ONE_TRUTH,
        "decorate() missing 1 required positional": (
            "@layers.register stands above the class without brackets: it takes the types, as above ReLU"
        ),
    }
    with likely(causes):
        got = student.sigmoid(x)
    expected = oracle.sigmoid_in(x, "float64")
    try:
        expect(got, expected, rtol=1e-9, mistakes=oracle.value_mistakes(x))
    except Failure as failure:
        if failure.where == (1,) and np.allclose(got[x != 0], expected[x != 0], rtol=1e-9):
            failure.cause = failure.cause or ZERO_LEFT_OUT
        elif failure.where is not None and np.allclose(got, expected, rtol=1e-6):
            failure.cause = failure.cause or FEW_DIGITS
        raise
    with likely({"ValueError": "zeros were taken for an empty input: ask for x.size == 0"}):
        got = student.sigmoid(np.zeros(3))
    expect(got, np.full(3, 0.5), rtol=1e-9, what="the sigmoid of three zeros")


@task("sigmoid", "stable", "value", "dtype")
def large_numbers_do_not_overflow(student: Student, oracle: Any) -> str:
    """The sigmoid of -1000, -1e30, -infinity is 0, that of 1000, 1e30, infinity 1, and numpy reports no overflow."""
    for dtype in ("float64", "float32"):
        for large in (1000.0, 1e30, np.inf):
            x = np.array([-large, 0.0, large, -100.0, 100.0], dtype)
            finite = partial(student.sigmoid, np.nan_to_num(x))
            with likely({"FloatingPointError: overflow": OVERFLOW}), refusal_means(NOT_EMPTY, student, finite):
                got = student.sigmoid(x)
            expected, mistakes = oracle.sigmoid_in(x, dtype), oracle.large_mistakes(x)
            expect(got, expected, atol=1e-6, what=f"sigmoid of {dtype}", mistakes=mistakes)
    with student.aside(), suppress(SubmissionError):
        return SILENCED if student.silences() is True else ""
    return ""


@task("sigmoid", "types", "value", section="From the type to the code")
def the_registry_finds_it_by_its_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """An operator of type nn.Sigmoid, F.sigmoid or torch.sigmoid is computed by the layer."""
    x = rng.standard_normal(5).astype(np.float32)
    for operator_type in ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid"):
        with likely({"no layer is registered": NOT_FOUND}):
            got = student.run_layer(operator_type, x)
        expect(got, oracle.sigmoid_in(x, "float32"), rtol=1e-5, what=f"the output of {operator_type}")


@task("sigmoid", "tiny", "value", "dtype")
def small_results_are_not_lost(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """The sigmoid of -50 is 1.9287e-22, and where e^-x is too large for the type, the sigmoid is still e^x, not 0."""
    got = student.sigmoid(np.array([-50.0]))
    with other_numbers_mean(CLIPPED if np.any(got) else ROUNDED):
        expect(got, np.array([1.9287e-22]), rtol=1e-4, what="the sigmoid of -50")
    for dtype, rtol, least in (("float32", 1e-5, -95), ("float64", 1e-9, -725)):
        for low, allowed in ((-80, rtol), (least, 1e-2)):
            x = rng.uniform(low, low + 5, 6).astype(dtype)
            causes = {"FloatingPointError: overflow": OVERFLOW, "no layer is registered": NOT_FOUND}
            with likely(causes):
                got = student.run_layer("nn.Sigmoid", x)
            with other_numbers_mean(CLIPPED if np.any(got) else OVERFLOWED):
                expect(got, oracle.sigmoid_in(x, dtype), rtol=allowed, what=f"sigmoid of {dtype} near {low}")


@task("sigmoid", "value", "tiny", "dtype")
def between_the_middle_and_the_edges(student: Student, oracle: Any) -> None:
    """From -30 to 30 the relative error is at most 1e-5 in float32 and 1e-9 in float64."""
    for dtype, rtol in (("float32", 1e-5), ("float64", 1e-9)):
        x = np.linspace(-30, 30, 250).astype(dtype)
        with other_numbers_mean(BETWEEN):
            expect(student.sigmoid(x), oracle.sigmoid_in(x, dtype), rtol=rtol, what=f"sigmoid of {dtype}")


@task("sigmoid", "nan", "dtype")
def not_a_number_stays_one(student: Student) -> None:
    """The sigmoid of NaN is NaN, and that of its neighbour is computed as usual."""
    half = partial(student.sigmoid, np.zeros(2))
    with refusal_means(NOT_EMPTY, student, half):
        for dtype, rtol in ((np.float32, 1e-5), (np.float64, 1e-9)):
            x, expected = np.array([0, np.nan], dtype), np.array([0.5, np.nan], dtype)
            got = student.sigmoid(x)
            try:
                expect(got, expected, rtol=rtol, mistakes={NAN_FOR_ALL: np.full(2, np.nan, dtype)})
            except Failure as failure:
                if failure.where == (1,):
                    failure.cause = failure.cause or NAN_LOST
                raise
        with other_numbers_mean(NAN_LOST):
            expect(student.sigmoid(np.float32([np.nan])), np.float32([np.nan]), what="the sigmoid of NaN alone")


@task("sigmoid", "shape", "value", section="The simplest layer")
def the_shape_is_kept(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Arrays of two, three and four axes come back with their shape, and so does a transposed block."""
    for shape in ((2, 1, 4), (3, 1), (1, 2, 3, 2)):
        x = rng.uniform(-5, 5, shape).astype(np.float32)
        expected, mistakes = oracle.sigmoid_in(x, "float32"), oracle.shape_mistakes(x)
        with likely(ONE_NUMBER):
            got = student.sigmoid(x)
        expect(got, expected, rtol=1e-5, what=f"sigmoid of {shape}", mistakes=mistakes)
    x = rng.uniform(-5, 5, (2, 3, 4)).astype(np.float32).T
    expected, mistakes = oracle.sigmoid_in(x, "float32"), oracle.shape_mistakes(x)
    with other_numbers_mean(TRANSPOSED):
        expect(student.sigmoid(x), expected, rtol=1e-5, what="sigmoid of block.T", mistakes=mistakes)


@task("sigmoid", "input", "types", section="Two forwards")
def the_input_keeps_its_numbers(student: Student) -> None:
    """After the layer has run, its input is as before, large numbers included: another operator may read it."""
    for dtype in (np.float32, np.float64):
        for numbers in ([[-2.0, 0.5], [3.0, -0.25]], [[-2000.0, 1e30], [np.inf, -np.inf]], [[np.nan, 100.0]]):
            x = np.array(numbers, dtype)
            finite = np.nan_to_num(x)
            with (
                likely({"no layer is registered": NOT_FOUND} | ONE_NUMBER),
                refusal_means(NOT_EMPTY, student, partial(student.input_after, "nn.Sigmoid", finite)),
                other_numbers_mean(IN_PLACE),
            ):
                expect(student.input_after("nn.Sigmoid", x), x, what=f"the input of {x.dtype}")


@task("sigmoid", "integers", "value")
def integers_become_float32(student: Student, oracle: Any) -> None:
    """Integers and bools give float32. (Beware of np.abs before as_float: in int8, |-128| is -128.)"""
    for numbers, dtype in (
        ([0, 1, 2], np.int64),
        ([0, 1, 2], np.uint8),
        ([0, 1, 60], np.uint16),
        ([0, 1], np.bool_),
        ([-3, -1, 2], np.int64),
        ([-128, -3, 2], np.int8),
    ):
        x = np.array(numbers).astype(dtype)
        whole = "-x or |x| was taken of whole numbers, whose type cannot hold it: call as_float(x) first"
        causes = {
            "FloatingPointError: overflow": f"{OVERFLOW}. Or {whole}",
            "boolean": "numpy does not negate truth values: call as_float(x) first",
        }
        with likely(causes | ONE_NUMBER):
            got = student.sigmoid(x)
        expected, mistakes = oracle.sigmoid_in(x, "float32"), oracle.integer_mistakes(x)
        expect(got, expected, rtol=1e-5, what=f"sigmoid of {x.dtype}", mistakes=mistakes)


@task("sigmoid", "empty")
def an_empty_input_is_refused(student: Student) -> None:
    """An array without elements raises ValueError instead of giving an empty answer."""
    cause = "raise ValueError if x.size == 0: len(x) counts along the first axis only, and x.any() looks at the numbers"
    for shape, dtype in (
        ((0,), np.float32),
        ((1, 3, 0), np.float32),
        ((2, 0, 3), np.float32),
        ((1, 2, 0, 3), np.float64),
        ((0, 2), np.int64),
    ):
        try:
            expect_refused(student.sigmoid, np.zeros(shape, dtype), cause=cause)
        except SubmissionError as error:
            if "found ValueError" in error.message:
                error.cause = error.cause or RETURNED
            raise


@task("leaky_relu", "default", "value", "dtype")
def without_a_parameter_the_slope_is_a_hundredth(student: Student) -> None:
    """-2, 0, 3 become -0.02, 0, 3 where the operator says nothing."""
    x, expected = np.array([-2.0, 0.0, 3.0]), np.array([-0.02, 0.0, 3.0])
    missing = "an operator need not have negative_slope: take 0.01 where it has none"
    number = "the default of .get is a plain number, without a .value: ask first whether negative_slope is in params"
    causes = {
        "KeyError: 'negative_slope'": missing,
        "'dict' object has no attribute": NO_LAYER["'dict' object has no attribute"],
        "and 'NoneType'": NONE,
        "for *: 'NoneType'": NONE,
        "'NoneType' object has no attribute 'value'": (
            "params.get gives None where the operator has no negative_slope: ask for that first, the slope is 0.01 then"
        ),
        "no layer is registered": LEAKY_NOT_FOUND,
        "object has no attribute 'value'": number,
        "UnboundLocalError": UNSET,
        **NO_LAYER,
        "'NoneType' object has no attribute 'forward_operator'": NO_STEP,
        "operand type(s) for *": NO_NUMBER,
    }
    with_slope = partial(student.run_layer, "nn.LeakyReLU", x, {"negative_slope": 0.01})
    with likely(causes), refusal_means(WITHOUT, student, with_slope):
        got = student.run_layer("nn.LeakyReLU", x)
    mistakes = {
        "this is ReLU: the negative half has a slope, 0.01 where the operator names none": np.array([0.0, 0.0, 3.0]),
        "the slope went to the positive half": np.array([-2.0, 0.0, 0.03]),
        "the positive half is missing: where x > 0 the result is x": np.array([-0.02, 0.0, 0.0]),
        "the slope was rounded to float32: leave it the plain number that it is": np.array(
            [-2 * float(np.float32(0.01)), 0.0, 3.0]
        ),
        "without a parameter the slope is 0.01": np.array([-0.2, 0.0, 3.0]),
        f"{NONE} (numpy makes nan of None)": np.array([np.nan, np.nan, 3.0]),
        "a minus sign or an |x| too much: slope * x is negative where x is": np.array([0.02, 0.0, 3.0]),
        "x was divided by the slope: multiply": np.array([-200.0, 0.0, 3.0]),
        "the slope went to both halves: where x > 0 the result is x": 0.01 * x,
        "the slope was added where x > 0, too: there the result is x": np.array([-0.02, 0.0, 3.03]),
        "where x is not above 0 the slope itself stands: it must be slope * x": np.array([0.01, 0.01, 3.0]),
        "where x is not above 0 stands -slope: it must be slope * x": np.array([-0.01, -0.01, 3.0]),
        "floats keep their type: convert with as_float(x) alone, which changes integers only": np.float32(expected),
    }
    expect(got, expected, atol=1e-12, mistakes=mistakes)


@task("leaky_relu", "slope", "value")
def the_slope_comes_from_the_operator(student: Student, oracle: Any) -> None:
    """With negative_slope = 0.5 and 0.25 the number -2 becomes -1 and -0.5, under both types."""
    x = np.array([-2.0, 1.0], np.float32)
    causes = {
        "no layer is registered": LEAKY_NOT_FOUND,
        **NO_LAYER,
        "'Parameter'": "the slope is a Parameter: take the number in it, its .value",
    }
    for operator_type, slope in (("nn.LeakyReLU", 0.5), ("F.leaky_relu", 0.25)):
        without = partial(student.run_layer, operator_type, x)
        with likely(causes), refusal_means(LETTERS, student, without):
            got = student.run_layer(operator_type, x, {"negative_slope": slope})
        whole = {"the slope became 0: take it as it is, without int(...)": np.array([0.0, 1.0], np.float32)}
        mistakes = whole | oracle.value_mistakes(x, slope)
        what = f"{operator_type} with negative_slope={slope}"
        expect(got, np.array([-2 * slope, 1.0], np.float32), what=what, mistakes=mistakes)


@task("leaky_relu", "value", "slope")
def steep_and_falling_slopes(student: Student, oracle: Any) -> None:
    """With slopes of 1.5, -0.5, 30 and -8 the number -2 becomes -3, 1, -60 and 16."""
    x = np.array([-2.0, 4.0], np.float32)
    for slope, becomes in ((1.5, -3.0), (-0.5, 1.0), (30.0, -60.0), (-8.0, 16.0)):
        got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": slope})
        mistakes = oracle.value_mistakes(x, slope)
        expect(got, np.array([becomes, 4.0], np.float32), what=f"negative_slope={slope}", mistakes=mistakes)


@task("leaky_relu", "value", "slope")
def infinity_and_nan_go_through(student: Student) -> None:
    """With negative_slope = 0.5 the numbers -infinity, infinity, NaN and -2 become -infinity, infinity, NaN and -1.

    With -0.5 the first becomes infinity, too.
    """
    x = np.float32([-np.inf, np.inf, np.nan, -2])
    got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.5})
    largest = np.finfo(np.float32).max
    mistakes = {
        "infinity times 0 is NaN: choose one of the halves, instead of adding one to 0 times the other": (
            np.float32([np.nan, np.nan, np.nan, -1])
        ),
        "infinity and NaN were replaced, as by np.nan_to_num: the slope works on them as on other numbers": (
            np.float32([-largest / 2, largest, 0, -1])
        ),
    }
    expected = np.float32([-np.inf, np.inf, np.nan, -1])
    try:
        expect(got, expected, what="leaky_relu of -inf, inf, nan, -2", mistakes=mistakes)
    except Failure as failure:
        if failure.where == (2,):
            failure.cause = failure.cause or NAN_LOST
        raise
    got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": -0.5})
    kept = {
        "-infinity was left as it is: the slope, and its sign, work on it, too": np.float32(
            [-np.inf, np.inf, np.nan, 1]
        )
    }
    expect(got, np.float32([np.inf, np.inf, np.nan, 1]), what="the result with negative_slope=-0.5", mistakes=kept)


@task("leaky_relu", "zero", "slope", "value")
def a_slope_of_zero_is_a_slope(student: Student) -> None:
    """With negative_slope = 0 the numbers -2 and 3 become 0 and 3, as ReLU makes them."""
    for slope in (0.0, 0):
        got = student.run_layer("nn.LeakyReLU", np.float32([-2, 3]), {"negative_slope": slope})
        cause = "0 was taken for a missing slope, since it is false: ask whether the parameter is there, or is None"
        expect(got, np.float32([0, 3]), what=f"negative_slope={slope}", mistakes={cause: np.float32([-0.02, 3])})


@task("leaky_relu", "shape", "value", "slope", section="The simplest layer")
def any_shape_and_any_slope(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """Random numbers of one to four axes, a transposed block among them, with a random slope."""
    for shape in ((4,), (2, 3), (2, 1, 3), (1, 2, 3, 2)):
        x, slope = rng.standard_normal(shape).astype(np.float32), float(rng.uniform(0.1, 0.9))
        x.flat[:2] = -1e-6, 1e-6
        with likely(ONE_NUMBER):
            got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": slope})
        expected, mistakes = oracle.leaky_in(x, slope, "float32"), oracle.value_mistakes(x, slope)
        expect(got, expected, rtol=1e-5, what=f"{shape} with negative_slope={slope:.3g}", mistakes=mistakes)
    x = rng.standard_normal((2, 3, 4)).astype(np.float32).T
    got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.5})
    expected, mistakes = oracle.leaky_in(x, 0.5, "float32"), oracle.value_mistakes(x, 0.5)
    with other_numbers_mean(TRANSPOSED):
        expect(got, expected, rtol=1e-5, what="leaky_relu of block.T", mistakes=mistakes)


@task("leaky_relu", "dtype", "value", "slope", section="The simplest layer")
def floats_keep_their_type(student: Student, rng: np.random.Generator, oracle: Any) -> None:
    """float32 stays float32, and float64 stays float64 with all its digits."""
    for dtype, rtol in (("float32", 1e-6), ("float64", 1e-12)):
        x = rng.uniform(-3, -1, 4).astype(dtype)
        got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 1 / 3})
        expect(got, oracle.leaky_in(x, 1 / 3, dtype), rtol=rtol, what=f"leaky_relu of {dtype}")


@task("leaky_relu", "integers", "value", "slope", section="A sigmoid that does not overflow")
def whole_numbers_become_float32(student: Student, oracle: Any) -> None:
    """-3, -1, 0, 2 with negative_slope = 0.25 become -0.75, -0.25, 0, 2 in float32, and truth values 0 and 1.

    uint16 stays what it is, as float32.
    """
    for dtype in ("int64", "int8"):
        x = np.array([-3, -1, 0, 2], dtype)
        with likely({"Cannot cast ufunc": WHOLE}):
            got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.25})
        mistakes = oracle.integer_mistakes(x, 0.25)
        expect(got, np.float32([-0.75, -0.25, 0, 2]), what=f"leaky_relu of {dtype}", mistakes=mistakes)
    x = np.array([False, True])
    got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.25})
    expect(got, np.float32([0, 1]), what="leaky_relu of bool", mistakes=oracle.integer_mistakes(x, 0.25))
    x = np.array([0, 3, 300], np.uint16)
    got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.25})
    expect(got, np.float32([0, 3, 300]), what="leaky_relu of uint16", mistakes=oracle.integer_mistakes(x, 0.25))


@task("leaky_relu", "input", section="Two forwards")
def its_input_keeps_its_numbers(student: Student) -> None:
    """After the layer has run, its input is as before: another operator may read it, too."""
    for dtype in (np.float32, np.float64):
        x = np.array([[-2.0, 0.5], [3.0, -0.25]], dtype)
        with other_numbers_mean(IN_PLACE):
            expect(student.input_after("nn.LeakyReLU", x), x, what=f"the input of {x.dtype}")


@task("leaky_relu", "own", "default", "slope", "value")
def every_layer_keeps_its_own_slope(student: Student) -> None:
    """Two layers are made first and run afterwards: 0.5, then 0.1 turn -2 into -0.1, and 0.5, then none, into -0.01."""
    steps = [["nn.LeakyReLU", {"negative_slope": 0.5}], ["nn.LeakyReLU", {"negative_slope": 0.1}]]
    mistakes = {
        "the second layer's slope replaced the first's: keep it in self, not in the class": np.float32([-0.02, 4]),
        "the second operator got the first one's layer: make a new one each time": np.float32([-0.5, 4]),
    }
    expect(student.run_chain(steps, np.float32([-2, 4])), np.float32([-0.1, 4]), atol=1e-6, mistakes=mistakes)
    got = student.run_chain([["nn.LeakyReLU", {"negative_slope": 0.5}], ["nn.LeakyReLU", {}]], np.float32([-2, 4]))
    earlier = "an operator without the parameter got an earlier one's slope: keep none in the class, it is 0.01 again"
    expect(got, np.float32([-0.01, 4]), atol=1e-6, mistakes={earlier: np.float32([-0.5, 4])})


@task("leaky_relu", "operator", "slope", "value")
def the_operator_keeps_its_parameters(student: Student) -> None:
    """Of two layers that are made from one operator, the second has the operator's slope, too."""
    got = student.run_second("nn.LeakyReLU", np.float32([-2, 4]), {"negative_slope": 0.5})
    popped = (
        "params.pop(...) and del take the slope out of the operator, and the next layer finds none: only look it up"
    )
    what = "the output of the second layer"
    expect(got, np.float32([-1, 4]), atol=1e-6, what=what, mistakes={popped: np.float32([-0.02, 4])})


@task("leaky_relu", "unknown")
def an_unknown_parameter_is_refused(student: Student) -> None:
    """A parameter called slope, alpha or inplace raises ValueError, alone and before or behind negative_slope."""
    cause = (
        "raise ValueError if operator.params has another name than negative_slope, whether that is there or not: look "
        "at all names before the layer is made, since a `return` in a loop over them ends it before the later ones"
    )
    missing = (
        "operator.params has no negative_slope here, and the look-up failed: look at the names first, and raise "
        "ValueError for one that is unknown"
    )
    returned = {"AttributeError": f"in from_operator {RETURNED}"}
    both: list[dict[str, Any]] = [{"negative_slope": 0.5, "slope": 0.3}, {"negative_slope": 0.5, "alpha": 0.3}]
    for params in both:  # first, since here no look-up of negative_slope fails
        expect_refused(student.run_layer, "nn.LeakyReLU", np.array([-1.0]), params, cause=cause, instead=returned)
    for params in ({"slope": 0.3, "negative_slope": 0.5}, {"inplace": False, "negative_slope": 0.5}):
        expect_refused(
            student.run_layer, "nn.LeakyReLU", np.array([-1.0]), params, cause=LAST_DECIDES, instead=returned
        )
    for params in (
        {"slope": 0.3},
        {"alpha": 0.3},
        {"inplace": False},
        {"negative_slopes": 0.3},
        {"Negative_Slope": 0.3},
    ):
        instead = returned | {"KeyError": missing}
        expect_refused(student.run_layer, "nn.LeakyReLU", np.array([-1.0]), params, cause=cause, instead=instead)
