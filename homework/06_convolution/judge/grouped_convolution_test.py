r"""A test that tells a right grouped convolution from wrong ones: why the solution is as it is.

The expected values come from `slow_convolution`, the formula with one loop for each output index. It is slow, and so
plain that one believes it: that is what a reference is for. A test that compares `conv` with `conv`, for example each
group alone against all together, cannot see a fault that both sides share, such as a rotated kernel.

The inputs are chosen so that no two things can be mistaken for one another:

| if this is alike | this fault cannot be seen |
|---|---|
| input channels | a group reads the channels of another |
| kernels | all groups use the first group's kernels |
| numbers inside a kernel, or it has one row | the kernel is rotated, transposed, or its planes are exchanged |
| biases | every group takes the first group's: `bias[k]` instead of `bias[k + g * (O/groups)]` |
| biases are 0 | the bias is forgotten or added twice |
| samples, or there is one | only the first sample is computed |
| one input channel in each group | the bias is added once for each channel; planes in the wrong order |
| one output channel in each group | the outputs of the groups are interleaved (a "channel shuffle") |

Two more choices. First, *cases*: two and three groups, and a 1x1 kernel, because programs treat 1x1 specially (im2col
is not needed there) and forget the group's offset or the bias on that path. So each case has all of it: two samples,
groups, channels and outputs, and biases that differ. Second, *comparison*: the shape
first, because numpy either broadcasts different shapes silently or raises ValueError, which says nothing about the
convolution; then all numbers, with a tolerance far below the smallest bias. Whole numbers below 2^24 add exactly in
float32 in any order, so that a right convolution is never refused for its rounding.

Typical mistakes: `any()` for `all()`; a tolerance as large as the numbers, or as the smaller ones; only the sum
compared, which is the same after every exchange of channels; an assert inside `try`; state kept between two calls.

Cost: `slow_convolution` does N * O * H' * W' small products, some thousands here: well under a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, task

from ..public import BIASES, CHANNELS, KERNELS, OUTPUTS, Broken, Convolution, must_tell
from .shared import backwards


def product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A right grouped convolution: one matrix product for each group."""
    n, (outputs, channels, kh, kw) = len(x), weight.shape
    view = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))
    out = view.shape[2:4]
    rows = view.reshape(n, groups, channels, *out, kh, kw).transpose(0, 1, 3, 4, 2, 5, 6)
    rows = rows.reshape(n, groups, -1, channels * kh * kw)
    kernels = weight.reshape(groups, outputs // groups, -1)
    y = (rows @ kernels.swapaxes(1, 2)).swapaxes(2, 3).reshape(n, outputs, *out)
    return y + bias[:, None, None]


def by_group(x: np.ndarray, groups: int) -> np.ndarray:
    """(A, C, ...) -> (A, groups, C/groups, ...)."""
    return x.reshape(len(x), groups, -1, *x.shape[2:])


def first_kernels(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """Every group uses the kernels of the first."""
    return product(x, np.tile(weight[: len(weight) // groups], (groups, 1, 1, 1)), bias, groups)


def reading(choice: Callable[[np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution in which `choice` replaces the input channels (N, groups, C/groups, H, W)."""
    return lambda x, w, b, g: product(
        np.broadcast_to(choice(by_group(x, g), g), by_group(x, g).shape).reshape(x.shape), w, b, g
    )


def ending(change: Callable[[np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution whose result goes through `change`."""
    return lambda x, w, b, g: change(product(x, w, b, g), g)


def with_bias(choice: Callable[[np.ndarray, np.ndarray, int], np.ndarray]) -> Convolution:
    """A convolution with other biases."""
    return lambda x, w, b, g: product(x, w, choice(b, w, g), g)


def with_kernels(choice: Callable[[np.ndarray], np.ndarray]) -> Convolution:
    """A convolution with other kernels of the same shape."""
    return lambda x, w, b, g: product(x, choice(w), b, g)


def pointwise(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> np.ndarray:
    """A short cut for 1x1 kernels that forgets where a group begins."""
    same = reading(lambda x, g: x[:, :1])
    return (same if weight.shape[2:] == (1, 1) else product)(x, weight, bias, groups)


def off(y: np.ndarray, groups: int) -> np.ndarray:
    """`y` with its largest number too small by a hundredth."""
    y = y.astype(np.float64)
    y.flat[np.abs(y).argmax()] *= 0.99
    return y


def small_off(y: np.ndarray, groups: int) -> np.ndarray:
    """`y` with one of its small numbers too small by a hundredth: an eighth of those that are not 0 are nearer to 0."""
    y = y.astype(np.float64)
    by_size = np.argsort(np.abs(y), axis=None, kind="stable")[np.count_nonzero(y == 0) :]
    y.flat[by_size[len(by_size) // 8 :][:1]] *= 0.99
    return y


def at_1x1(name: str, advice: str) -> Broken:
    """A broken convolution that is right for kernels larger than 1x1."""
    conv, fault = BROKEN[name].conv, BROKEN[name].fault
    return Broken(
        lambda x, w, b, g: (conv if w.shape[2:] == (1, 1) else product)(x, w, b, g), f"for 1x1 kernels, {fault}", advice
    )


def zero(y: np.ndarray, *place: Any) -> np.ndarray:
    """`y` with zeros at a place."""
    y[place] = 0
    return y


ALL = slice(None)

BROKEN = {
    "first_bias": Broken(
        with_bias(lambda b, w, g: np.tile(b[: len(b) // g], g)), "every group takes the bias of the first", BIASES
    ),
    "no_bias": Broken(with_bias(lambda b, w, g: 0 * b), "the bias is forgotten", BIASES),
    "bias_twice": Broken(with_bias(lambda b, w, g: 2 * b), "the bias is added twice", BIASES),
    "bias_per_channel": Broken(
        with_bias(lambda b, w, g: w.shape[1] * b), "the bias is added once for every input channel", BIASES
    ),
    "bias_reversed": Broken(with_bias(lambda b, w, g: b[::-1]), "the biases come in the wrong order", BIASES),
    "first_kernels": Broken(first_kernels, "every group uses the kernels of the first", KERNELS),
    "flipped": Broken(with_kernels(lambda w: w[:, :, ::-1, ::-1]), "the kernels are rotated by 180 degrees", KERNELS),
    "by_columns": Broken(
        with_kernels(lambda w: w.reshape(*w.shape[:2], w.shape[3], w.shape[2]).swapaxes(2, 3)),
        "the kernels are read column by column",
        KERNELS,
    ),
    "depth_reversed": Broken(
        with_kernels(lambda w: w[:, ::-1]), "the channels of each kernel come in the wrong order", CHANNELS
    ),
    "one_channel": Broken(
        reading(lambda x, g: zero(x.copy(), ALL, ALL, slice(1, None))), "a group sees its first channel only", CHANNELS
    ),
    "first_channels": Broken(
        reading(lambda x, g: x[:, :1]), "every group looks at the channels of the first", CHANNELS
    ),
    "groups_ignored": Broken(
        reading(lambda x, g: x.sum(1, keepdims=True)), "every output channel sees all input channels", CHANNELS
    ),
    "swapped": Broken(reading(lambda x, g: x[:, ::-1]), "the groups look at one another's channels", CHANNELS),
    "interleaved": Broken(
        reading(lambda x, g: x.reshape(len(x), -1, g, *x.shape[3:]).swapaxes(1, 2)),
        "group g looks at channels g, g + groups, g + 2*groups, ...",
        CHANNELS,
    ),
    "shuffled": Broken(
        ending(lambda y, g: by_group(y, g).swapaxes(1, 2).reshape(y.shape)),
        "the output channels of the groups alternate",
        OUTPUTS,
    ),
    "first_sample": Broken(
        ending(lambda y, g: zero(y, slice(1, None))),
        "only the first sample of the batch is computed",
        "the batch has one sample only, or only one is compared",
    ),
    "same_sample": Broken(
        ending(lambda y, g: np.broadcast_to(y[:1], y.shape).copy()),
        "every sample gets the result of the first",
        "the batch has one sample only, or equal ones",
    ),
    "short": Broken(
        ending(lambda y, g: y[:, :, :-1]), "the last row of the result is missing", "the shape is not compared"
    ),
    "turned": Broken(
        ending(lambda y, g: np.ascontiguousarray(y.swapaxes(2, 3))),
        "rows and columns of the result are exchanged",
        "the shape is not compared, or not all numbers are",
    ),
    "last_column": Broken(
        ending(lambda y, g: zero(y, ..., -1)), "the last column is never written", "not all numbers are compared"
    ),
    "pointwise": Broken(
        pointwise, "1x1 kernels take a short cut that forgets the groups", "there is no case with 1x1 kernels: add one"
    ),
    "two_groups": Broken(
        reading(lambda x, g: x[:, np.minimum(np.arange(g), 1)]),
        "the third group looks at the channels of the second",
        "there is no case with three groups: add one",
    ),
    "third_bias": Broken(
        with_bias(lambda b, w, g: b.reshape(g, -1)[np.minimum(np.arange(g), 1)].reshape(-1)),
        "the third group takes the biases of the second",
        "the three groups have equal biases",
    ),
    "mirrored": Broken(
        ending(lambda y, g: y[..., ::-1]), "the columns of the result come mirrored", "not all numbers are compared"
    ),
    "off": Broken(ending(off), "one number is off by a hundredth of it", "the tolerance is too large"),
    "small_off": Broken(
        ending(small_off), "one number, among the smallest, is off by a hundredth of it", "the tolerance is too large"
    ),
}
BROKEN |= {
    "bias_at_1x1": at_1x1("no_bias", "the case of 1x1 kernels has no biases"),
    "sample_at_1x1": at_1x1("first_sample", "the case of 1x1 kernels has one sample"),
    "outputs_at_1x1": at_1x1("shuffled", "the case of 1x1 kernels has one output channel in each group"),
}


def judge(student: Student, rng: np.random.Generator, names: Sequence[str]) -> None:
    """Ask the student's test about some broken convolutions and two right ones, in random order."""
    must_tell(student, rng, [BROKEN[name] for name in names], [product, backwards])


@task("grouped_convolution_test")
def wrong_biases_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees a bias that is forgotten, added too often or given to the wrong channel."""
    judge(student, rng, ["first_bias", "no_bias", "bias_twice", "bias_per_channel", "bias_reversed"])


@task("grouped_convolution_test")
def wrong_kernels_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees kernels that are flipped, transposed, or taken from another group."""
    judge(student, rng, ["first_kernels", "flipped", "by_columns", "depth_reversed"])


@task("grouped_convolution_test")
def channels_of_other_groups_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees groups that look at the wrong input channels or write to the wrong output channels."""
    judge(student, rng, ["first_channels", "groups_ignored", "one_channel", "swapped", "interleaved", "shuffled"])


@task("grouped_convolution_test")
def wrong_samples_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees that only the first sample of a batch is right."""
    judge(student, rng, ["first_sample", "same_sample"])


@task("grouped_convolution_test")
def wrong_shapes_and_borders_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees a missing row, exchanged axes, columns never written or mirrored, and a number that is off."""
    judge(student, rng, ["short", "turned", "last_column", "mirrored", "off", "small_off"])


@task("grouped_convolution_test")
def special_cases_are_caught(student: Student, rng: np.random.Generator) -> None:
    """The test sees faults that only 1x1 kernels or a third group bring out."""
    judge(student, rng, ["pointwise", "bias_at_1x1", "sample_at_1x1", "outputs_at_1x1", "two_groups", "third_bias"])


VALUES = (
    '        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), f"groups={groups}, '
    'kernel {kh}x{kw}: wrong numbers"\n'
)
GOT = "        got = conv(x, weight, bias, groups)\n"
X = "        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)\n"
WEIGHT = "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n"
BIAS = "        bias = np.arange(1.0, 3 * groups + 1)\n"
CASES = "    for groups, kh, kw in ((2, 3, 2), (3, 2, 3), (2, 1, 1)):\n"
COMMENT = (
    "        # whole numbers, so that the order of the additions makes no difference; "
    "no two channels or kernels alike\n"
)
TO_WEIGHT = CASES + COMMENT + X + WEIGHT

MUTANTS = [
    Mutant(
        "asserts_nothing",
        "compares nothing",
        old=(
            '        assert got.shape == expected.shape, f"groups={groups}: expected shape '
            '{expected.shape}, got {got.shape}"\n'
            '        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), f"groups={groups}, '
            'kernel {kh}x{kw}: wrong numbers"\n'
        ),
        new="",
    ),
    Mutant(
        "shape_only",
        "compares the shape and no value",
        old=VALUES,
        new="",
    ),
    Mutant(
        "no_shape",
        "subtracts arrays of different shapes, which raises ValueError",
        old=(
            '        assert got.shape == expected.shape, f"groups={groups}: expected shape '
            '{expected.shape}, got {got.shape}"\n'
            '        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), f"groups={groups}, '
            'kernel {kh}x{kw}: wrong numbers"\n'
        ),
        new="        assert np.abs(got - expected).max() < 1e-6\n",
        breaks="assertion",
    ),
    Mutant(
        "always_raises",
        "refuses every convolution",
        old=VALUES,
        new=(
            '        assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), f"groups={groups}, '
            'kernel {kh}x{kw}: wrong numbers"\n'
            "        raise AssertionError('wrong')\n"
        ),
        breaks="right",
    ),
    Mutant(
        "value_error",
        "raises ValueError where an assert belongs",
        old=VALUES,
        new=("        if not np.allclose(got, expected):\n            raise ValueError('wrong numbers')\n"),
        breaks="assertion",
    ),
    Mutant(
        "against_itself",
        "takes what is expected from the convolution under test",
        old=GOT,
        new="        expected = got = conv(x, weight, bias, groups)\n",
    ),
    Mutant(
        "equal_channels",
        "all input channels are equal",
        old=X,
        new=("        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)\n        x[:] = x[:, :1]\n"),
        breaks="channels",
    ),
    Mutant(
        "equal_kernels",
        "all kernels are equal",
        old=WEIGHT,
        new=(
            "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n"
            "        weight[:] = weight[:1]\n"
        ),
        breaks="kernels",
    ),
    Mutant(
        "ones",
        "kernels of ones look the same in every direction",
        old=WEIGHT,
        new=(
            "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n        weight[:] = 1\n"
        ),
        breaks="kernels",
    ),
    Mutant(
        "no_bias",
        "a bias of zeros",
        old=BIAS,
        new="        bias = np.zeros(3 * groups)\n",
        breaks="bias",
    ),
    Mutant(
        "equal_bias",
        "the same bias for every channel",
        old=BIAS,
        new="        bias = np.full(3 * groups, 7.0)\n",
        breaks="bias",
    ),
    Mutant(
        "one_group",
        "groups=1 only",
        old=CASES,
        new="    for groups, kh, kw in ((1, 3, 2), (1, 2, 3), (1, 1, 1)):\n",
    ),
    Mutant(
        "two_groups",
        "never three groups",
        old=CASES,
        new="    for groups, kh, kw in ((2, 3, 2), (2, 2, 3), (2, 1, 1)):\n",
        breaks="three",
    ),
    Mutant(
        "no_pointwise",
        "never a 1x1 kernel",
        old=CASES,
        new="    for groups, kh, kw in ((2, 3, 2), (3, 2, 3), (2, 2, 2)):\n",
        breaks="pointwise",
    ),
    Mutant(
        "pointwise_without_biases",
        "the 1x1 case has biases of 0",
        old=BIAS,
        new="        bias = np.arange(1.0, 3 * groups + 1) * (kh > 1)\n",
        breaks="pointwise",
    ),
    Mutant(
        "pointwise_sample",
        "the 1x1 case has one sample",
        old=X,
        new=X.replace("(2, 2 * groups", "(2 if kh > 1 else 1, 2 * groups"),
        breaks="pointwise",
    ),
    Mutant(
        "pointwise_outputs",
        "the 1x1 case has one output channel in each group",
        old=WEIGHT + BIAS,
        new=(
            "        each = 3 if kh > 1 else 1\n"
            "        weight = rng.integers(-9, 10, (each * groups, 2, kh, kw)).astype(np.float64)\n"
            "        bias = np.arange(1.0, each * groups + 1)\n"
        ),
        breaks="pointwise",
    ),
    Mutant(
        "three_without_biases",
        "three groups have biases of 0",
        old=BIAS,
        new="        bias = np.arange(1.0, 3 * groups + 1) * (groups < 3)\n",
        breaks="three",
    ),
    Mutant(
        "one_case",
        "one kernel size, the favourite of short cuts",
        old=CASES,
        new="    for groups, kh, kw in ((2, 1, 1),):\n",
    ),
    Mutant(
        "one_sample",
        "a batch of one",
        old=X,
        new="        x = rng.integers(-9, 10, (1, 2 * groups, 5, 7)).astype(np.float64)\n",
        breaks="samples",
    ),
    Mutant(
        "equal_samples",
        "a batch of two equal samples",
        old=X,
        new=("        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)\n        x[1] = x[0]\n"),
        breaks="samples",
    ),
    Mutant(
        "one_channel_in_a_group",
        "one input channel in each group",
        old=(
            "        x = rng.integers(-9, 10, (2, 2 * groups, 5, 7)).astype(np.float64)\n"
            "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n"
        ),
        new=(
            "        x = rng.integers(-9, 10, (2, groups, 5, 7)).astype(np.float64)\n"
            "        weight = rng.integers(-9, 10, (3 * groups, 1, kh, kw)).astype(np.float64)\n"
        ),
        breaks="channels",
    ),
    Mutant(
        "one_kernel_in_a_group",
        "one output channel in each group",
        old=(
            "        weight = rng.integers(-9, 10, (3 * groups, 2, kh, kw)).astype(np.float64)\n"
            "        bias = np.arange(1.0, 3 * groups + 1)\n"
        ),
        new=(
            "        weight = rng.integers(-9, 10, (groups, 2, kh, kw)).astype(np.float64)\n"
            "        bias = np.arange(1.0, groups + 1)\n"
        ),
        breaks="outputs",
    ),
    Mutant(
        "tolerance",
        "a tolerance as large as the numbers",
        old=VALUES,
        new=(
            '        assert np.allclose(got, expected, rtol=1e-6, atol=1000), f"groups={groups}, '
            'kernel {kh}x{kw}: wrong numbers"\n'
        ),
    ),
    Mutant(
        "tolerance_of_tenths",
        "a tolerance of a tenth, for fractions",
        old=VALUES,
        new="        assert np.allclose(got, expected, rtol=0.1, atol=0.1)\n",
        breaks="numbers",
    ),
    Mutant(
        "tolerance_of_ones",
        "a tolerance of one, far below the largest numbers but not below all",
        old=VALUES,
        new="        assert np.allclose(got, expected, rtol=1e-6, atol=1)\n",
        breaks="numbers",
    ),
    Mutant(
        "tolerance_for_fractions",
        "fractions of a few units, and a tolerance of some hundredths",
        old=VALUES,
        new="        assert np.allclose(got / 20, expected / 20, rtol=1e-6, atol=0.06)\n",
        breaks="numbers",
    ),
    Mutant(
        "sum_of_each_row",
        "adds up each row of the result, and compares the sums",
        old=VALUES,
        new="        assert np.allclose(got.sum(axis=3), expected.sum(axis=3))\n",
        breaks="numbers",
    ),
    Mutant(
        "sum_only",
        "compares the sum of all numbers",
        old=VALUES,
        new="        assert np.isclose(got.sum(), expected.sum())\n",
    ),
    Mutant(
        "first_number",
        "compares one number",
        old=VALUES,
        new="        assert got.flat[0] == expected.flat[0]\n",
    ),
    Mutant(
        "first_sample",
        "compares the first sample",
        old=VALUES,
        new="        assert np.allclose(got[0], expected[0])\n",
        breaks="samples",
    ),
    Mutant(
        "all_but_the_last_column",
        "the border is left out, to be safe",
        old=VALUES,
        new="        assert np.allclose(got[..., :-1], expected[..., :-1])\n",
        breaks="numbers",
    ),
    Mutant(
        "common_part",
        "what both results have is compared",
        old=(
            '        assert got.shape == expected.shape, f"groups={groups}: expected shape '
            '{expected.shape}, got {got.shape}"\n'
        ),
        new=(
            "        rows, cols = np.minimum(got.shape[2:], expected.shape[2:])\n"
            "        got, expected = got[:, :, :rows, :cols], expected[:, :, :rows, :cols]\n"
        ),
        breaks="shape",
    ),
    Mutant(
        "bias_as_a_list",
        "a list of numbers instead of an array",
        old=GOT,
        new="        got = conv(x, weight, bias.tolist(), groups)\n",
        breaks="inputs",
    ),
    Mutant(
        "kernels_of_all_channels",
        "weight with C channels, as without groups",
        old=GOT,
        new="        got = conv(x, np.tile(weight, (1, groups, 1, 1)), bias, groups)\n",
        breaks="inputs",
    ),
    Mutant(
        "bias_for_each_group",
        "the outputs of a group have the same bias",
        old=BIAS,
        new="        bias = np.repeat(np.arange(1.0, groups + 1), 3)\n",
        breaks="bias",
    ),
    Mutant(
        "symmetric_kernels",
        "square kernels that read by columns are the same",
        old=TO_WEIGHT,
        new=(
            TO_WEIGHT.replace("(2, 3, 2), (3, 2, 3)", "(2, 3, 3), (3, 2, 2)")
            + "        weight = weight + weight.swapaxes(2, 3)\n"
        ),
        breaks="kernels",
    ),
    Mutant(
        "kernels_of_one_row",
        "one row reads the same by columns",
        old=CASES,
        new="    for groups, kh, kw in ((2, 1, 3), (3, 2, 1), (2, 1, 1)):\n",
        breaks="kernels",
    ),
    Mutant(
        "equal_planes",
        "every input channel of a group has the same weights",
        old=WEIGHT,
        new=WEIGHT + "        weight[:] = weight[:, :1]\n",
        breaks="channels",
    ),
    Mutant(
        "last_sample_last_column",
        "a corner that all broken ones of the lesson touch",
        old=VALUES,
        new="        assert np.allclose(got[-1, ..., -1], expected[-1, ..., -1])\n",
    ),
    Mutant(
        "border_only",
        "the middle is left out",
        old=VALUES,
        new=(
            "        for place in (0, -1):\n"
            "            assert np.allclose(got[..., place], expected[..., place])\n"
            "            assert np.allclose(got[..., place, :], expected[..., place, :])\n"
        ),
        breaks="numbers",
    ),
    Mutant(
        "sum_for_each_channel",
        "one sum for each sample and output channel",
        old=VALUES,
        new="        assert np.allclose(got.sum((2, 3)), expected.sum((2, 3)))\n",
        breaks="numbers",
    ),
    Mutant(
        "all_but_the_last_outputs",
        "two outputs of each group are thought to be enough",
        old=VALUES,
        new="        assert np.allclose(got[:, : 2 * groups], expected[:, : 2 * groups])\n",
    ),
    Mutant(
        "any_number",
        "any() where all() belongs",
        old=VALUES,
        new="        assert np.isclose(got, expected).any()\n",
    ),
    Mutant(
        "returns_its_verdict",
        "returns what it found instead of asserting it, and falls over where the shapes do not match",
        old=(
            '        assert got.shape == expected.shape, f"groups={groups}: expected shape '
            '{expected.shape}, got {got.shape}"\n' + VALUES
        ),
        new="        return np.allclose(got, expected, rtol=1e-6, atol=1e-6)\n",
    ),
    Mutant(
        "group_by_remainder",
        "deals the output channels out to the groups in turn",
        old="first = o // (outputs // groups) * channels",
        new="first = o % groups * channels",
        breaks="right",
    ),
    Mutant(
        "exact",
        "compares with the exact numbers of one way to add",
        old=VALUES,
        new=(
            "        x, weight = x / 7, weight / 3\n"
            "        assert (conv(x, weight, bias, groups) == slow_convolution(x, weight, bias, "
            "groups)).all()\n"
        ),
        breaks="right",
    ),
    Mutant(
        "swallows",
        "catches the error of its own assert",
        old=VALUES,
        new=(
            "        try:\n"
            "            assert np.allclose(got, expected)\n"
            "        except AssertionError:\n"
            "            print('wrong numbers')\n"
        ),
    ),
    Mutant(
        "counts_calls",
        "passes the first call and refuses all later ones",
        old="    rng = np.random.default_rng(6)\n",
        new=(
            "    test_grouped_convolution.calls = getattr(test_grouped_convolution, 'calls', 0) + 1\n"
            "    assert test_grouped_convolution.calls == 1\n"
            "    rng = np.random.default_rng(6)\n"
        ),
        breaks="right",
    ),
    Mutant(
        "wrong_formula",
        "expects a bias of the wrong channel",
        old="(window * weight[o]).sum() + bias[o]",
        new="(window * weight[o]).sum() + bias[o % (outputs // groups)]",
        breaks="right",
    ),
]
