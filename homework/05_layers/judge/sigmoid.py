r"""A sigmoid that does not overflow, registered and found by its type: why the solution is as it is.

Two forms of the same function, the second made from the first by multiplying both sides of the fraction's line by
e^x:

    1 / (1 + e^-x)        safe for x >= 0, where e^-x is at most 1
    e^x / (1 + e^x)       safe for x < 0, where e^x is below 1

In both, the power that is safe is e^-|x|: call it `small`. The bottom is 1 + small on either side, the top is 1 or
small. So one power is enough, and no exponent is ever positive. kuiper's own layer writes the top as e^min(x, 0),
which is the same.

Typical mistakes:

- `1 / (1 + np.exp(-x))`: for x = -1000 the power is infinite and 1 / inf happens to be 0, so the *value* is right,
  with a warning. But e^x / (1 + e^x) for x = 1000 is inf / inf, not a number. The test makes every overflow an error,
  so that luck does not count.
- `np.where(x < 0, form_2, form_1)` on whole arrays: `np.where` chooses after *both* were computed for every element.
  Choose what goes into the power, not what comes out.
- `np.errstate(over="ignore")` around both forms gives the right numbers, and passes. But it silences every overflow in
  there, those of real mistakes, too, and both powers are computed for each element.
- Clipping x to -30..30 avoids the overflow and gives 9.4e-14 for every x below -30.
- `(1 + np.tanh(x / 2)) / 2` is exact on paper and never overflows, but for x = -20 it adds 1 and -0.99999999... and
  what is left is rounding. The same with 1 - sigmoid(-x). kuiper uses the tanh form inside SiLU, where the factor x
  follows and an error of 1e-8 does no harm; a sigmoid whose logarithm is taken later would suffer.
- Integers: `-x` in uint8 goes around to 255, and |-128| in int8 is -128. Convert first.
- `np.abs(x, out=x)` saves memory and overwrites the input. In a graph another operator may read it, and in the
  network of lesson 4, y = sigmoid(r) + r, one does.
- The registration. Without the decorator the class is fine and nobody finds it. The key is the operator's *type* as
  the file writes it, `nn.Sigmoid`, and not the class's name; exporters write `F.sigmoid` for the same thing.

One pass over the elements for each of abs, exp, where, add and divide: linear, and limited by memory rather than
arithmetic.
"""

from __future__ import annotations

import math

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

KEEPS_TYPE = "floats keep their type: convert with as_float(x) alone, which changes integers only"
STAYS_FLOAT32 = (
    "float32 stays float32: as_float(x) keeps it, but np.array of a list of Python numbers makes float64, and so do "
    "np.zeros(x.shape), astype(np.float64) and a product with whole numbers, such as 1 - (x < 0)"
)
OTHER_ORDER = (
    "the elements were taken in another order than reshape puts them back: leave order='K' or order='F' out, or "
    "compute on x as it is"
)
SIGMOID = ("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")


def exact_sigmoid(x: np.ndarray) -> np.ndarray:
    """The sigmoid through the logarithm: e^-log(1 + e^-x), one element at a time."""
    logs = [math.log1p(math.exp(-v)) if v >= 0 else math.log1p(math.exp(v)) - v for v in x.ravel().tolist()]
    return np.exp(-np.array(logs)).reshape(x.shape)


def sigmoid_in(x: np.ndarray, dtype: str) -> np.ndarray:
    """The sigmoid, rounded once to the type of the result."""
    return exact_sigmoid(x).astype(dtype)


def value_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x."""
    return {
        "this is 1 / (1 + e^x): the sign of x is missing, or the two halves are swapped": exact_sigmoid(-x),
        "this is 1 / 1 + e^-x: the sum below the line needs brackets": 1 + np.exp(-x),
        "this is the sigmoid of |x|: negative numbers need their own half of the curve, and they are known by the sign "
        "that x has before it becomes |x|": exact_sigmoid(np.abs(x)),
        "this is the sigmoid of -|x|: the form for negative numbers was taken for all, and np.where chooses for each": (
            exact_sigmoid(-np.abs(x))
        ),
        "this is a / 1 + e: what stands below the line needs brackets, a / (1 + e)": np.where(
            x < 0, 2 * np.exp(-np.abs(x)), 1 + np.exp(-np.abs(x))
        ),
        "below 0 this is e^x alone, which is right far below only: that half has a sum below the line, too": np.where(
            x < 0, np.exp(-np.abs(x)), exact_sigmoid(x)
        ),
        "below 0 this is 0.5, the sigmoid of 0: max(x, 0) forgets how far below each x is": (
            exact_sigmoid(np.maximum(x, 0))
        ),
        "above 0 this is 0.5, the sigmoid of 0: min(x, 0) forgets how far above each x is": (
            exact_sigmoid(np.minimum(x, 0))
        ),
        "this is softmax, which divides by a sum over all of x: the sigmoid takes each number for itself": (
            np.exp(x) / np.exp(x).sum()
        ),
        "this is tanh, a relative of the sigmoid between -1 and 1": np.tanh(x),
        "this is hardsigmoid, straight lines near the sigmoid": np.clip(x + 3, 0, 6) / 6,
        KEEPS_TYPE: sigmoid_in(x, "float32"),
    }


def large_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these large x."""
    with np.errstate(all="ignore"):
        infinite = np.exp(x) / (1 + np.exp(x))
    return {
        "e^x / (1 + e^x) is inf / inf for a large x: each of the two forms is safe on one side only": infinite,
        KEEPS_TYPE if x.dtype == np.float64 else STAYS_FLOAT32: (
            sigmoid_in(x, "float32" if x.dtype == np.float64 else "float64")
        ),
    }


def shape_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this float32 x."""
    return {
        "the axes were put into one: keep the shape, without ravel, flatten or reshape": (
            sigmoid_in(x, "float32").reshape(-1)
        ),
        STAYS_FLOAT32: exact_sigmoid(x),
        OTHER_ORDER: sigmoid_in(x.ravel(order="F").reshape(x.shape), "float32"),
    }


def integer_mistakes(x: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these whole numbers."""
    exact = exact_sigmoid(x)
    return {
        "the integers became float64: call as_float(x) first, which makes them float32": exact,
        "x holds integers, and so does np.zeros_like(x) or np.empty_like(x): begin with x = as_float(x)": (
            exact.astype(x.dtype)
        ),
        "the results were stored among whole numbers, which cut them: call as_float(x) first, not last": (
            exact.astype(x.dtype).astype(np.float32)
        ),
    }


@task("sigmoid")
def any_shape_in_its_own_type(student: Student, rng: np.random.Generator) -> None:
    """Arrays of 1 to 5 axes, float32 and float64: shape and type stay."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-9)):
        for shape in ((1,), (5, 1), (2, 3, 4), (2, 1, 3, 5), (1, 2, 2, 3, 2)):
            x = rng.uniform(-8, 8, shape).astype(kind)
            expect(student.sigmoid(x), exact_sigmoid(x).astype(kind), rtol=rtol, what=f"sigmoid of {shape} {x.dtype}")


@task("sigmoid")
def small_results_are_right_too(student: Student, rng: np.random.Generator) -> None:
    """From -80 to -20 the sigmoid is nearly e^x: tiny, but not 0 and not rounded to a multiple of 1e-8."""
    for kind, rtol in ((np.float32, 1e-5), (np.float64, 1e-9)):
        x = rng.uniform(-80, -20, (4, 5)).astype(kind)
        expect(student.sigmoid(x), exact_sigmoid(x).astype(kind), rtol=rtol, what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def the_smallest_numbers_of_the_type(student: Student, rng: np.random.Generator) -> None:
    """Where e^-x is too large for the type, the sigmoid is still e^x and not 0, also when the registry's layer runs."""
    for kind, low, high in ((np.float32, -95, -90), (np.float64, -725, -712)):
        x = rng.uniform(low, high, (3, 4)).astype(kind)
        exact = np.array([math.exp(v) for v in x.ravel().tolist()]).reshape(x.shape).astype(kind)
        expect(student.run_layer("nn.Sigmoid", x), exact, rtol=1e-2, what=f"nn.Sigmoid of {x.dtype}")


@task("sigmoid")
def far_out_on_both_sides(student: Student, rng: np.random.Generator) -> None:
    """Random numbers of up to 1e30, and both infinities, give 0 or 1 without an overflow."""
    for kind in (np.float32, np.float64):
        size = 10.0 ** rng.uniform(3, 30, (3, 4))
        signs = rng.choice([-1.0, 1.0], (3, 4))
        signs[0, :2] = -1, 1
        x = (signs * size).astype(kind)
        x[1, :2] = -np.inf, np.inf
        expect(student.sigmoid(x), (x > 0).astype(kind), what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def not_a_number_stays_one(student: Student, rng: np.random.Generator) -> None:
    """NaN gives NaN, and its neighbours are computed as usual."""
    x = rng.standard_normal((3, 3))
    x[1, 1] = np.nan
    expected = np.array([np.nan if v != v else 1 / (1 + math.exp(-v)) for v in x.ravel()]).reshape(3, 3)
    expect(student.sigmoid(x), expected, rtol=1e-9)


@task("sigmoid")
def whole_numbers_of_every_kind(student: Student, rng: np.random.Generator) -> None:
    """int8, uint8, int32 and bool become float32."""
    for kind in (np.int8, np.uint8, np.int32, np.bool_):
        x = rng.integers(0, 2 if kind is np.bool_ else 9, (3, 4)).astype(kind)
        x[0, 0] = 1
        expect(student.sigmoid(x), exact_sigmoid(x).astype(np.float32), rtol=1e-5, what=f"sigmoid of {x.dtype}")


@task("sigmoid")
def the_operators_input_stays_as_it_is(student: Student, rng: np.random.Generator) -> None:
    """After the layer has run, its input holds what it held before."""
    x = rng.standard_normal((2, 3, 5)).astype(np.float32)
    for operator_type in SIGMOID:
        expect(student.input_after(operator_type, x), x, what=f"the input of {operator_type}")


@task("sigmoid")
def an_operator_without_elements_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Empty inputs of any shape raise ValueError when the registry's layer runs, too; one element is enough."""
    expect(student.run_layer("nn.Sigmoid", np.zeros((1, 1))), np.full((1, 1), 0.5))
    for shape in ((0,), (2, 0, 3), (0, 1, 8, 8)):
        expect_refused(student.run_layer, "nn.Sigmoid", np.zeros(shape, np.float64))


@task("sigmoid")
def a_chain_with_other_layers(student: Student, rng: np.random.Generator) -> None:
    """ReLU, sigmoid, sigmoid: each operator gets the layer of its type."""
    x = rng.standard_normal((2, 4, 3))
    steps = [["nn.ReLU", {}], ["F.sigmoid", {}], ["nn.Sigmoid", {}]]
    expect(student.run_chain(steps, x), exact_sigmoid(exact_sigmoid(np.where(x > 0, x, 0.0))), rtol=1e-9)


_SIGMOID = (
    "        x = as_float(x)\n"
    "        small = np.exp(-np.abs(x))\n"
    "        return np.where(x < 0, small, 1) / (1 + small)\n"
)
_EMPTY = (
    "        if x.size == 0:\n"
    '            raise ValueError(f"Sigmoid: expected at least one element, found shape '
    '{x.shape}")\n'
)
_TYPES = '@layers.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")\n'

MUTANTS = [
    Mutant(
        "large_numbers_in_place",
        "numbers whose sigmoid is 0 or 1 anyway are cut off, in the array that others read",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        np.clip(x, -1000, 1000, out=x)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="input",
    ),
    Mutant(
        "flat_copy_filled",
        "reshape(-1) of an array that lies column by column is a copy",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        y = np.zeros_like(x)\n"
            "        flat = y.reshape(-1)\n"
            "        for i, v in enumerate(x.reshape(-1)):\n"
            "            small = np.exp(-abs(v))\n"
            "            flat[i] = (small if v < 0 else 1) / (1 + small)\n"
            "        return y\n"
        ),
        breaks="value",
    ),
    Mutant(
        "naive",
        "e^1000 overflows",
        old=_SIGMOID,
        new=("        x = as_float(x)\n        return 1 / (1 + np.exp(-x))\n"),
        breaks="stable",
    ),
    Mutant(
        "naive_in_silence",
        "the overflow hidden instead of avoided",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            '        with np.errstate(all="ignore"):\n'
            "            return 1 / (1 + np.exp(-x))\n"
        ),
        breaks="tiny",
    ),
    Mutant(
        "other_form",
        "quiet, and nan on the other side",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            '        with np.errstate(all="ignore"):\n'
            "            return np.exp(x) / (1 + np.exp(x))\n"
        ),
        breaks="stable",
    ),
    Mutant(
        "both_branches",
        "np.where computes both forms everywhere, so one overflows",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))\n"
        ),
        breaks="stable",
    ),
    Mutant(
        "through_tanh",
        "no overflow, but small results are rounded away",
        old=_SIGMOID,
        new=("        x = as_float(x)\n        return (1 + np.tanh(x / 2)) / 2\n"),
        breaks="tiny",
    ),
    Mutant(
        "one_minus",
        "1 - sigmoid(-x) loses small results",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        half = 1 / (1 + np.exp(-np.abs(x)))\n"
            "        return np.where(x < 0, 1 - half, half)\n"
        ),
        breaks="tiny",
    ),
    Mutant(
        "clipped",
        "no overflow, but a wrong number beyond 30",
        old=_SIGMOID,
        new=("        x = np.clip(as_float(x), -30, 30)\n        return 1 / (1 + np.exp(-x))\n"),
        breaks="tiny",
    ),
    Mutant(
        "clipped_far_out",
        "no overflow in either type, but the same number for all x below -80",
        old=_SIGMOID,
        new=("        x = np.clip(as_float(x), -80, 80)\n        return 1 / (1 + np.exp(-x))\n"),
        breaks="tiny",
    ),
    Mutant(
        "sign",
        "1 / (1 + e^x)",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x > 0, small, 1) / (1 + small)\n"
        ),
        breaks="value",
    ),
    Mutant(
        "one_half_of_the_curve",
        "the sigmoid of |x|",
        old=_SIGMOID,
        new="        return 1 / (1 + np.exp(-np.abs(as_float(x))))\n",
        breaks="value",
    ),
    Mutant(
        "one_far_above",
        "1 where the sum below the line is still seen",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x > 9, 1 + small, np.where(x < 0, small, 1)) / (1 + small)\n"
        ),
        breaks="value",
    ),
    Mutant(
        "hard",
        "hardsigmoid",
        old=_SIGMOID,
        new="        return np.clip(as_float(x) + 3, 0, 6) / 6\n",
        breaks="value",
    ),
    Mutant(
        "tanh",
        "tanh taken for the sigmoid",
        old=_SIGMOID,
        new="        return np.tanh(as_float(x))\n",
        breaks="value",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_SIGMOID,
        new=(
            "        x = x if x.dtype.kind == 'f' else x.astype(np.float64)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "wraps_around",
        "-x while x is unsigned",
        old=_SIGMOID,
        new=(
            "        small = np.exp(as_float(-np.abs(x.astype(np.int8) if x.dtype == bool else x)))\n"
            "        return np.where(x < 0, small, as_float(np.ones_like(x))) / (1 + small)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_SIGMOID,
        new=(
            "        x = x.astype(np.float32)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="dtype",
    ),
    Mutant(
        "always_float64",
        "twice the memory",
        old=_SIGMOID,
        new=(
            "        x = x.astype(np.float64)\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
    ),
    Mutant(
        "in_place",
        "the input is overwritten for whoever reads it next",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        negative = x < 0\n"
            "        np.abs(x, out=x)\n"
            "        small = np.exp(-x)\n"
            "        return np.where(negative, small, 1) / (1 + small)\n"
        ),
        breaks="input",
    ),
    Mutant(
        "nan_to_num",
        "hides what went wrong before it",
        old=_SIGMOID,
        new=(
            "        x = as_float(np.nan_to_num(x))\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="nan",
    ),
    Mutant(
        "two_masks",
        "NaN is neither above 0 nor below, so its place is never written",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        y = np.full_like(x, 0.5)\n"
            "        y[x >= 0] = 1 / (1 + np.exp(-x[x >= 0]))\n"
            "        y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))\n"
            "        return y\n"
        ),
        breaks="nan",
    ),
    Mutant(
        "zero_on_neither_side",
        "0 is neither above 0 nor below",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        y = x * 0\n"
            "        y[x > 0] = 1 / (1 + np.exp(-x[x > 0]))\n"
            "        y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))\n"
            "        return y\n"
        ),
    ),
    Mutant(
        "flattened",
        "the shape is lost",
        old=_SIGMOID,
        new=(
            "        x = as_float(x).ravel()\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="shape",
    ),
    Mutant(
        "absolute_value_of_integers",
        "|-128| is -128 in int8",
        old=_SIGMOID,
        new=(
            "        small = np.exp(-as_float(x if x.dtype == bool else np.abs(x)))\n"
            "        return np.where(x < 0, small, as_float(np.ones_like(x))) / (1 + small)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "negative_integers",
        "whole numbers are thought to be pixels",
        old=_SIGMOID,
        new=(
            "        x = as_float(x) if x.dtype.kind in 'fub' else as_float(np.maximum(x, 0))\n"
            "        small = np.exp(-np.abs(x))\n"
            "        return np.where(x < 0, small, 1) / (1 + small)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "float64_in_place",
        "what is float64 already is overwritten",
        old=_SIGMOID,
        new=(
            "        x = as_float(x)\n"
            "        negative = x < 0\n"
            "        size = np.abs(x, out=x) if x.dtype == np.float64 else np.abs(x)\n"
            "        small = np.exp(-size)\n"
            "        return np.where(negative, small, 1) / (1 + small)\n"
        ),
        breaks="input",
    ),
    Mutant(
        "first_and_last_axis",
        "misses (2, 0, 3)",
        old=_EMPTY,
        new='        if len(x) == 0 or x.shape[-1] == 0:\n            raise ValueError("empty")\n',
        breaks="empty",
    ),
    Mutant(
        "accepts_empty",
        "an empty answer instead of an error",
        old=_EMPTY,
        new="",
        breaks="empty",
    ),
    Mutant(
        "only_first_axis",
        "misses (1, 3, 0)",
        old=_EMPTY,
        new=('        if len(x) == 0:\n            raise ValueError("empty")\n'),
        breaks="empty",
    ),
    Mutant(
        "zeros_are_nothing",
        "x.any() asks for a number other than 0, not for an element",
        old=_EMPTY,
        new=('        if not x.any():\n            raise ValueError("empty")\n'),
    ),
    Mutant(
        "empty_asserted",
        "AssertionError instead of ValueError",
        old=_EMPTY,
        new="        assert x.size\n",
        breaks="empty",
    ),
    Mutant(
        "not_registered",
        "written, but not found",
        old=_TYPES,
        new="",
        breaks="types",
    ),
    Mutant(
        "wrong_name",
        "the class's name instead of the operator's type",
        old=_TYPES,
        new='@layers.register("Sigmoid")\n',
        breaks="types",
    ),
    Mutant(
        "one_type_only",
        "F.sigmoid is the same operation",
        old=_TYPES,
        new='@layers.register("nn.Sigmoid")\n',
        breaks="types",
    ),
    Mutant(
        "registered_in_a_copy",
        "a registry that nobody asks",
        old=_TYPES,
        new='@Registry().register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")\n',
        breaks="types",
    ),
]
