r"""A layer that takes its option from the operator: why the solution is as it is.

`from_operator` runs once for each operator, when the graph is built; `forward` runs at each pass. What the operator
says belongs in the object between the two.

- `cls.negative_slope = ...` writes into the *class*. All layers of the class see it, and since a graph makes all
  layers before it runs the first, the last operator's slope wins everywhere. A test with one layer cannot see this.
- `slope or 0.01` takes a slope of 0 for "none". Ask `is None`.
- `operator.params.pop(...)` takes the slope out of the description of the network. The next graph that is made from it
  gets the default instead, without a word.
- `np.maximum(x, slope * x)` is a nice trick for slopes up to 1, and wrong above.
- `x * (x > 0) + slope * x * (x <= 0)` adds 0 times the other half, and 0 times infinity is NaN.
- An unknown parameter that is ignored gives numbers that look like an answer. The original framework ignored
  `dilation` in this way. An error at build time costs the user a minute; a wrong number may cost weeks.
- A Python float as slope does not widen a float32 array; `np.float64(slope)` does.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

LEAKY = ("nn.LeakyReLU", "F.leaky_relu")


def exact_leaky(x: np.ndarray, slope: float) -> np.ndarray:
    """x or slope * x, one element at a time."""
    return np.array([v if v > 0 else slope * v for v in x.ravel().tolist()]).reshape(x.shape)


def leaky_in(x: np.ndarray, slope: float, dtype: str) -> np.ndarray:
    """The leaky ReLU, rounded once to the type of the result."""
    return exact_leaky(x, slope).astype(dtype)


def value_mistakes(x: np.ndarray, slope: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this float32 x."""
    return {
        "this is the larger of x and slope * x, which is right for slopes up to 1 only: ask whether x > 0": (
            np.maximum(x, x * slope)
        ),
        "this is ReLU: the negative half has a slope": np.maximum(x, 0),
        "the slope went to the positive half": np.where(x > 0, x * slope, x),
        "the positive half is missing: where x > 0 the result is x": np.where(x > 0, np.float32(0), x * slope),
        "the slope went to both halves: where x > 0 the result is x": x * slope,
        "the operator's negative_slope was not used: read it, and give it to the constructor, cls(value); "
        "and forward must use self.negative_slope": leaky_in(x, 0.01, "float32"),
        "where x is not above 0 the slope itself stands: it must be slope * x": np.where(x > 0, x, np.float32(slope)),
        "the slope lost its sign: take it as it is": leaky_in(x, abs(slope), "float32"),
        "float32 became float64, as by np.zeros(x.shape), by np.float64(slope), or by a slope times truth values, "
        "(x <= 0) * slope: keep x.dtype, and multiply x by a plain number": exact_leaky(x, slope),
        "the elements were taken in another order than reshape puts them back: leave order='K' or order='F' out, or "
        "compute on x as it is": leaky_in(x.ravel(order="F").reshape(x.shape), slope, "float32"),
        "the axes were put into one: keep the shape": leaky_in(x, slope, "float32").reshape(-1),
    }


def integer_mistakes(x: np.ndarray, slope: float) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these whole numbers."""
    return {
        "the integers became float64: call as_float(x) first, which makes them float32": exact_leaky(x, slope),
        "the result was cut to whole numbers: call as_float(x) first": exact_leaky(x, slope).astype(x.dtype),
        "the products were stored among whole numbers, which cut them: call as_float(x) first, not last": (
            exact_leaky(x, slope).astype(x.dtype).astype(np.float32)
        ),
    }


@task("leaky_relu")
def any_slope(student: Student, rng: np.random.Generator) -> None:
    """Slopes of 0, above 1, negative, and random ones, for 1 to 4 axes."""
    for shape in ((1,), (5, 1), (2, 3, 4), (2, 1, 3, 5)):
        for slope in (0.0, 1.5, -0.5, float(rng.uniform(0.01, 0.9))):
            x = rng.standard_normal(shape) * 3
            got = student.run_layer(LEAKY[int(rng.integers(2))], x, {"negative_slope": slope})
            expect(got, exact_leaky(x, slope), rtol=1e-9, atol=1e-12, what=f"{shape} with negative_slope={slope:g}")


@task("leaky_relu")
def its_own_type(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32, float64 stays float64, whole numbers become float32."""
    for kind in (np.float32, np.float64, np.int64, np.int8):
        x = (rng.standard_normal((4, 5)) * 5).astype(kind)
        x[0, :2] = -3, 2
        expected = exact_leaky(x, 0.25).astype(kind if x.dtype.kind == "f" else np.float32)
        got = student.run_layer("nn.LeakyReLU", x, {"negative_slope": 0.25})
        expect(got, expected, rtol=1e-6, atol=1e-7, what=f"leaky_relu of {x.dtype}")


@task("leaky_relu")
def a_layer_with_and_a_layer_without(student: Student, rng: np.random.Generator) -> None:
    """Made in random order: a layer with a slope of its own does not change the default of another."""
    slope = float(rng.uniform(0.2, 0.9))
    steps = [["nn.LeakyReLU", {"negative_slope": slope}], ["F.leaky_relu", {}]]
    if rng.integers(2):
        steps.reverse()
    x = rng.standard_normal((3, 4)) - 1
    expect(student.run_chain(steps, x), exact_leaky(x, slope * 0.01), rtol=1e-9, atol=1e-12)


@task("leaky_relu")
def its_input_stays_as_it_is(student: Student, rng: np.random.Generator) -> None:
    """After the layer has run, its input holds what it held before."""
    x = rng.standard_normal((3, 5)) - 0.5
    expect(student.input_after("nn.LeakyReLU", x, {"negative_slope": 0.5}), x, what="the input")


@task("leaky_relu")
def one_operator_makes_two_layers(student: Student, rng: np.random.Generator) -> None:
    """The second layer that is made from an operator has its slope, too, under either type."""
    for operator_type in LEAKY:
        slope = float(rng.uniform(0.1, 0.9))
        x = rng.standard_normal((2, 3)) - 1
        got = student.run_second(operator_type, x, {"negative_slope": slope})
        expect(got, exact_leaky(x, slope), rtol=1e-9, atol=1e-12, what=f"the second layer with {slope:g}")


@task("leaky_relu")
def a_second_parameter_is_refused(student: Student, rng: np.random.Generator) -> None:
    """negative_slope together with names that the layer does not know raises ValueError, in whatever order."""
    names = ("negative_slope", "inplace_scale", "negative_slopes")
    for order in (*permutations(names), *permutations(names[:2])):
        expect_refused(student.run_layer, "F.leaky_relu", np.array([-1.0, 1.0]), dict.fromkeys(order, 0.5))


_READ = (
    '        slope = operator.params.get("negative_slope")\n'
    "        return cls() if slope is None else cls(slope.value)\n"
)
_UNKNOWN = '        unknown = sorted(set(operator.params) - {"negative_slope"})\n        if unknown:\n'
_DEFAULT = "    def __init__(self, negative_slope: float = 0.01) -> None:\n"
_LEAKY = "        x = as_float(x)\n        return np.where(x > 0, x, x * self.negative_slope)\n"
_LEAKY_TYPES = '@layers.register("nn.LeakyReLU", "F.leaky_relu")\n'

MUTANTS = [
    Mutant(
        "flat_copy_filled",
        "reshape(-1) of an array that lies column by column is a copy",
        old=_LEAKY,
        new=(
            "        x = as_float(x)\n"
            "        y = np.zeros_like(x)\n"
            "        flat = y.reshape(-1)\n"
            "        for i, v in enumerate(x.reshape(-1)):\n"
            "            flat[i] = v if v > 0 else v * self.negative_slope\n"
            "        return y\n"
        ),
        breaks="value",
    ),
    Mutant(
        "shared_by_the_class",
        "the last operator's slope for all layers",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            "        cls.negative_slope = 0.01 if slope is None else slope.value\n"
            "        return cls.__new__(cls)\n"
        ),
        breaks="own",
    ),
    Mutant(
        "zero_is_false",
        "a slope of 0 becomes 0.01",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            "        return cls((slope and slope.value) or 0.01)\n"
        ),
        breaks="zero",
    ),
    Mutant(
        "not_read",
        "the default whatever the operator says",
        old=_READ,
        new="        return cls()\n",
        breaks="slope",
    ),
    Mutant(
        "required",
        "an operator without a slope fails",
        old=_READ,
        new='        return cls(operator.params["negative_slope"].value)\n',
        breaks="default",
    ),
    Mutant(
        "parameter_not_value",
        "the Parameter object instead of the number in it",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            "        return cls() if slope is None else cls(slope)\n"
        ),
        breaks="slope",
    ),
    Mutant(
        "whole_number",
        "0.5 cut to 0",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            "        return cls() if slope is None else cls(int(slope.value))\n"
        ),
        breaks="slope",
    ),
    Mutant(
        "last_slope_kept",
        "where an operator names no slope, that of an earlier one",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            '        cls.last = getattr(cls, "last", 0.01) if slope is None else slope.value\n'
            "        return cls(cls.last)\n"
        ),
    ),
    Mutant(
        "popped",
        "the slope is taken out of the operator, and the next layer finds none",
        old=_READ,
        new=(
            '        slope = operator.params.pop("negative_slope", None)\n'
            "        return cls() if slope is None else cls(slope.value)\n"
        ),
        breaks="operator",
    ),
    Mutant(
        "positive_half_missing",
        "only the half below 0",
        old=_LEAKY,
        new="        return np.minimum(as_float(x), 0) * self.negative_slope\n",
        breaks="value",
    ),
    Mutant(
        "one_layer_for_all",
        "the first layer made is given to every operator",
        old=_READ,
        new=(
            '        slope = operator.params.get("negative_slope")\n'
            '        if "made" not in cls.__dict__:\n'
            "            cls.made = cls() if slope is None else cls(slope.value)\n"
            "        return cls.made\n"
        ),
        breaks="own",
    ),
    Mutant(
        "ignores_unknown",
        "wrong numbers in silence",
        old=_UNKNOWN,
        new=('        unknown = sorted(set(operator.params) - {"negative_slope"})\n        if False:\n'),
        breaks="unknown",
    ),
    Mutant(
        "ignores_a_second",
        "looks at the others only if the slope is missing",
        old=_UNKNOWN,
        new=(
            '        unknown = sorted(set(operator.params) - {"negative_slope"})\n'
            '        if unknown and "negative_slope" not in operator.params:\n'
        ),
        breaks="unknown",
    ),
    Mutant(
        "last_name_decides",
        "a flag that each step of the loop sets anew",
        old=_UNKNOWN,
        new=(
            "        unknown, wrong = sorted(operator.params), False\n"
            "        for name in operator.params:\n"
            '            wrong = name != "negative_slope"\n'
            "        if wrong:\n"
        ),
        breaks="unknown",
    ),
    Mutant(
        "default_of_a_tenth",
        "the wrong default",
        old=_DEFAULT,
        new="    def __init__(self, negative_slope: float = 0.1) -> None:\n",
        breaks="default",
    ),
    Mutant(
        "slope_alone",
        "the slope instead of slope * x",
        old=_LEAKY,
        new="        x = as_float(x)\n        return np.where(x > 0, x, x.dtype.type(self.negative_slope))\n",
        breaks="value",
    ),
    Mutant(
        "two_masks",
        "NaN is neither above 0 nor below, so its place is never written",
        old=_LEAKY,
        new=(
            "        x = as_float(x)\n"
            "        y = np.zeros_like(x)\n"
            "        y[x > 0] = x[x > 0]\n"
            "        y[x <= 0] = x[x <= 0] * self.negative_slope\n"
            "        return y\n"
        ),
        breaks="value",
    ),
    Mutant(
        "maximum",
        "right only for slopes up to 1",
        old=_LEAKY,
        new=("        x = as_float(x)\n        return np.maximum(x, x * self.negative_slope)\n"),
        breaks="value",
    ),
    Mutant(
        "swapped",
        "the slope on the positive half",
        old=_LEAKY,
        new=("        x = as_float(x)\n        return np.where(x < 0, x, x * self.negative_slope)\n"),
        breaks="value",
    ),
    Mutant(
        "relu",
        "no slope at all",
        old=_LEAKY,
        new="        return np.maximum(as_float(x), 0)\n",
        breaks="value",
    ),
    Mutant(
        "both_halves",
        "the slope everywhere",
        old=_LEAKY,
        new="        return as_float(x) * self.negative_slope\n",
        breaks="value",
    ),
    Mutant(
        "in_place",
        "the input is overwritten",
        old=_LEAKY,
        new=("        x = as_float(x)\n        x[x < 0] *= self.negative_slope\n        return x\n"),
        breaks="input",
    ),
    Mutant(
        "integers_to_float64",
        "numpy's own type for integers",
        old=_LEAKY,
        new="        return np.where(x > 0, x, x * self.negative_slope)\n",
        breaks="integers",
    ),
    Mutant(
        "always_float32",
        "rounds float64",
        old=_LEAKY,
        new=("        x = x.astype(np.float32)\n        return np.where(x > 0, x, x * self.negative_slope)\n"),
        breaks="dtype",
    ),
    Mutant(
        "float64_slope",
        "a float32 result becomes float64",
        old=_LEAKY,
        new=("        x = as_float(x)\n        return np.where(x > 0, x, x * np.float64(self.negative_slope))\n"),
        breaks="dtype",
    ),
    Mutant(
        "sum_of_both_halves",
        "infinity times 0 is not a number",
        old=_LEAKY,
        new=(
            "        x = as_float(x)\n"
            "        with np.errstate(invalid='ignore'):\n"
            "            return x * (x > 0) + x * self.negative_slope * (x <= 0)\n"
        ),
        breaks="value",
    ),
    Mutant(
        "truth_values_times_slope",
        "numpy makes float64 of a Python number times truth values",
        old=_LEAKY,
        new=(
            "        x = as_float(x)\n"
            "        return np.where(x > 0, x, 0) + np.where(x > 0, 0, x) * ((x <= 0) * self.negative_slope)\n"
        ),
    ),
    Mutant(
        "value_of_the_default",
        "takes .value of the number that stands for a missing parameter",
        old=_READ,
        new='        return cls(operator.params.get("negative_slope", 0.01).value)\n',
        breaks="default",
    ),
    Mutant(
        "nan_to_zero",
        "neither above 0 nor below, and so 0",
        old=_LEAKY,
        new=(
            "        x = as_float(x)\n"
            "        y = np.where(x > 0, x, x * self.negative_slope)\n"
            "        return np.where(np.isnan(x), np.zeros_like(x), y)\n"
        ),
        breaks="value",
    ),
    Mutant(
        "bool_as_it_is",
        "only numbers are converted",
        old=_LEAKY,
        new=(
            "        x = x.astype(np.float32) if x.dtype.kind in 'iu' else x\n"
            "        return np.where(x > 0, x, x * self.negative_slope)\n"
        ),
        breaks="integers",
    ),
    Mutant(
        "one_known_name",
        "refuses the name that the tests were seen to use",
        old=_UNKNOWN,
        new='        unknown = sorted(set(operator.params) & {"slope"})\n        if unknown:\n',
        breaks="unknown",
    ),
    Mutant(
        "flattened",
        "the shape is lost",
        old=_LEAKY,
        new=("        x = as_float(x).ravel()\n        return np.where(x > 0, x, x * self.negative_slope)\n"),
        breaks="shape",
    ),
    Mutant(
        "unknown_as_key_error",
        "another exception than the rule names",
        old=_UNKNOWN,
        new=(
            '        unknown = sorted(set(operator.params) - {"negative_slope"})\n'
            "        if unknown:\n"
            "            raise KeyError(unknown[0])\n"
            "        if False:\n"
        ),
        breaks="unknown",
    ),
    Mutant(
        "absolute_slope",
        "a slope is thought to be positive",
        old=_LEAKY,
        new=("        x = as_float(x)\n        return np.where(x > 0, x, x * abs(self.negative_slope))\n"),
        breaks="value",
    ),
    Mutant(
        "first_parameter",
        "whatever the operator says first is the slope",
        old=_UNKNOWN,
        new=(
            "        if operator.params:\n"
            "            return cls(next(iter(operator.params.values())).value)\n"
            "        unknown = []\n"
            "        if unknown:\n"
        ),
        breaks="unknown",
    ),
    Mutant(
        "not_registered",
        "the functional name is missing",
        old=_LEAKY_TYPES,
        new='@layers.register("nn.LeakyReLU")\n',
    ),
]
