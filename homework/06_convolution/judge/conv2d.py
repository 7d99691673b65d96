r"""A whole convolution layer: batch, stride, padding, groups, bias: why the solution is as it is.

For each sample and group: im2col of the group's channels gives (H'*W', depth * kh * kw), its kernels are (O/groups,
depth * kh * kw), and `windows @ kernels.T` is (H'*W', O/groups). Transpose, *then* reshape to (O/groups, H', W').
Reshaping without the transpose has the right shape and wrong numbers, the most frequent mistake of all.

Writing into `y[n, g]` of an array (N, groups, O/groups, H', W') makes the numbering of the output channels come out
by itself: reshaped to (N, O, H', W'), channel k of group g is g * (O/groups) + k. The bias is then added once, to the
whole, with the right index and no arithmetic. `bias[:, None, None]` gives it the axes (O, 1, 1); without them numpy
would line it up with W'.

The check comes first: with `groups=3` and four channels the integer divisions would quietly drop one.

Cost: N * O * (C/groups) * kh * kw * H' * W' multiplications. Groups divide it; nothing else in this lesson does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task

from .shared import Pair, backwards, pair


def reference(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None = None,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    groups: int = 1,
) -> np.ndarray:
    """The convolution of `x` from a stride of 1 and a padded image."""
    (ph, pw), (sh, sw) = padding, stride
    padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    none = np.zeros(len(weight), x.dtype)
    return np.ascontiguousarray(backwards(padded, weight, none if bias is None else bias, groups)[:, :, ::sh, ::sw])


def rounding_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for sums too large for half precision to hold exactly, without a bias."""
    half = reference(x, weight).astype(np.float16).astype(x.dtype)
    return {"the numbers were rounded on the way: .dtype of each step shows where": half}


def large_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for sums too large for float32 to hold exactly, without a bias."""
    single = reference(x.astype(np.float32), weight.astype(np.float32)).astype(x.dtype)
    return {"it was computed in float32: compute in the type of x": single}


def default_mistakes(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x without a padding."""
    padded = reference(x, weight, bias, padding=(1, 1))
    return {"it pads unless told otherwise: padding must be (0, 0) then": padded}


def product_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for an x of one sample and this weight, with stride 1 and no bias."""
    right = reference(x, weight)
    _, outputs, rows, cols = right.shape
    return {
        "the product is (H'*W', O): transpose it, then reshape it to (O, H', W') (lesson 6, im2col)": (
            right.reshape(outputs, -1).T.reshape(right.shape)
        ),
        "rows and columns of the result are exchanged: reshape to (O, H', W')": (
            right.reshape(1, outputs, cols, rows) if rows != cols else right
        ),
        "the kernels are rotated by 180 degrees: take them as they are": reference(x, weight[:, :, ::-1, ::-1]),
        "the first kernel was used for every output channel": reference(x, np.repeat(weight[:1], outputs, 0)),
        "only the first channel is added up": reference(x[:, :1], weight[:, :1]),
        "weight was reshaped to (-1, O), which mixes the kernels: make it (O, -1), and transpose that": reference(
            x, np.ascontiguousarray(weight.reshape(-1, outputs).T).reshape(weight.shape)
        ),
    }


def bias_mistakes(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, with stride 1 and no padding."""
    return {
        "the bias is missing": reference(x, weight),
        "every output channel got the first bias: give each its own, as in bias[:, None, None]": (
            reference(x, weight, np.repeat(bias[:1], len(bias)))
        ),
        "the bias lost what follows its point: add it as it is": reference(x, weight, np.trunc(bias)),
        "the bias was rounded: add it as it is": reference(x, weight, np.round(bias)),
    }


EACH_SAMPLE = "every sample got the result of the first: give im2col x[n], and write what comes of it into y[n]"
FIRST_CHANNELS = "every group looks at the channels of the first: those of group g begin at g * (C/groups)"
FIRST_KERNELS = "every group uses the kernels of the first: those of group g begin at g * (O/groups)"


def batch_mistakes(x: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this batch."""
    right = reference(x, weight)
    return {
        "the result holds the first sample only: go over all of them": right[:1],
        EACH_SAMPLE: np.repeat(right[:1], len(right), 0),
    }


def group_mistakes(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, with stride 1 and no padding."""

    def first(array: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate([np.split(array, groups, axis)[0]] * groups, axis)

    def in_turn(array: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate([np.take(array, range(g, array.shape[axis], groups), axis) for g in range(groups)], axis)

    right = reference(x, weight, bias, groups=groups)
    dealt = in_turn(np.arange(len(bias)), 0)  # the output channels of group 0, then those of group 1, if o % groups
    rest = reference(x, weight[dealt], bias[dealt], groups=groups)[:, np.argsort(dealt)]
    near = np.concatenate([x[:, g : g + x.shape[1] // groups] for g in range(groups)], 1)
    each = bias[:, None, None]
    later = np.repeat(np.arange(groups)[::-1], len(bias) // groups)[:, None, None]  # groups that come after o's own

    def alternating(y: np.ndarray) -> np.ndarray:
        return y.reshape(len(x), groups, -1, *y.shape[2:]).swapaxes(1, 2).reshape(y.shape)

    return {
        "every group takes the bias of the first: output channel k of group g has bias[g * (O/groups) + k]": (
            reference(x, weight, first(bias, 0), groups=groups)
        ),
        FIRST_CHANNELS: reference(first(x, 1), weight, bias, groups=groups),
        FIRST_KERNELS: reference(x, first(weight, 0), bias, groups=groups),
        "the output channels of the groups alternate: all of group 0 come first": alternating(right),
        "the results of the groups alternate: those of group 0 come first, then those of group 1": (
            alternating(right - each) + each
        ),
        "the bias was added in the loop over the groups, to output channels that had theirs already: add it once, "
        "after the loop": right + later * each,
        "each group takes every groups-th input channel: a group's are next to each other, g * (C/groups) and on": (
            reference(in_turn(x, 1), weight, bias, groups=groups)
        ),
        "group g begins at channel g: it begins at g * (C/groups)": reference(near, weight, bias, groups=groups),
        "each group takes every groups-th kernel: a group's are next to each other, g * (O/groups) and on": (
            reference(x, in_turn(weight, 0), bias, groups=groups)
        ),
        "output channel o was computed in group o % groups: a group's are next to each other, g * (O/groups) and on": (
            rest
        ),
        "the bias was added once for each group: once is enough, after all groups": (
            reference(x, weight, bias * groups, groups=groups)
        ),
    }


def geometry_mistakes(x: np.ndarray, weight: np.ndarray, stride: Pair, padding: Pair) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this x, without a bias."""
    (sh, sw), (rows, cols) = stride, reference(x, weight, None, stride, padding).shape[2:]
    steps = {
        "the strides are swapped: stride[0] goes down, stride[1] to the right": (sw, sh),
        "stride is ignored: give it to im2col": (1, 1),
        "the stride to the right is ignored: that is stride[1]": (sh, 1),
        "the stride down is ignored: that is stride[0]": (1, sw),
        "stride[0] is used in both directions: to the right it is stride[1]": (sh, sh),
        "stride[1] is used in both directions: down it is stride[0]": (sw, sw),
        "the windows lie side by side, as those of pooling: they are `stride` apart, not a kernel": weight.shape[2:],
    }
    wrong = {
        **{cause: (step, padding) for cause, step in steps.items()},
        "the paddings are swapped: padding[0] goes above and below": (stride, padding[::-1]),
        "padding is ignored: give it to im2col": (stride, (0, 0)),
        "the padding was added twice: im2col pads the image itself, so give it x as it is": (
            stride,
            (2 * padding[0], 2 * padding[1]),
        ),
    }
    begins = {
        "there are as many windows as there should be. Window (i, j) begins at row i * stride[0] and column "
        f"j * stride[1], but yours begins at row i * {down} and column j * {right}": reference(
            x, weight, None, (down, right), padding
        )[:, :, :rows, :cols]
        for down, right in steps.values()
        if (down, right) != stride != (1, 1)
    }
    turned = reference(x, weight, None, stride[::-1], padding)
    if stride[0] != stride[1] and turned[0, 0].size == rows * cols:
        begins["im2col was given the strides in the wrong order: stride[0] goes down"] = turned.reshape(
            *turned.shape[:2], rows, cols
        )
    return {
        cause: reference(x, weight, stride=other[0], padding=other[1])
        for cause, other in wrong.items()
        if other != (stride, padding)
    } | {cause: made for cause, made in begins.items() if made.shape[2:] == (rows, cols)}


def together_mistakes(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, stride: Pair, padding: Pair, groups: int
) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for this batch, stride, padding and groups."""
    right = reference(x, weight, bias, stride, padding, groups)
    parts = right.reshape(len(x), groups, -1, *right.shape[2:])
    mixed = parts.swapaxes(0, 1).reshape(right.shape)
    later = np.arange(len(x))[::-1, None, None, None]  # samples that come after this one
    wrong = {
        EACH_SAMPLE: np.repeat(right[:1], len(x), 0),
        "the bias was added in the loop over the samples, to samples that had it already: add it once, after the "
        "loop": right + later * bias[:, None, None],
    }
    if groups > 1:
        wrong["samples and groups are mixed up: a reshape keeps the order in which the numbers lie"] = mixed
        first = np.concatenate([np.split(x, groups, 1)[0]] * groups, 1)
        wrong[FIRST_CHANNELS] = reference(first, weight, bias, stride, padding, groups)
    if 1 < groups == x.shape[1] < len(weight):
        modulo = "output channel o sees the input channel of its group, o // (O/groups), and not o % groups"
        in_turn = x[:, np.arange(len(weight)) % groups]
        wrong[modulo] = reference(in_turn, weight, bias, stride, padding, len(weight))
    options = {
        "the paddings are swapped: padding[0] goes above and below": (stride, padding[::-1]),
        "the strides are swapped: stride[0] goes down, stride[1] to the right": (stride[::-1], padding),
        "stride is ignored: give it to im2col": ((1, 1), padding),
        "padding is ignored: give it to im2col": (stride, (0, 0)),
    }
    if weight.shape[2:] == (1, 1):
        options["a short cut for 1x1 kernels forgets stride and padding"] = ((1, 1), (0, 0))
    return wrong | {
        cause: reference(x, weight, bias, *other, groups)
        for cause, other in options.items()
        if other != (stride, padding)
    }


def problem(rng: np.random.Generator, groups: int, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, weight and bias of whole numbers with random shapes that fit together."""
    depth, outputs = int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    kernel_size = pair(rng, 1, 4)
    x = rng.integers(-9, 10, (int(rng.integers(1, 4)), groups * depth, *pair(rng, 4, 9))).astype(dtype)
    weight = rng.integers(-9, 10, (outputs, depth, *kernel_size)).astype(dtype)
    return x, weight, rng.integers(100, 200, outputs).astype(dtype) * np.arange(1, outputs + 1).astype(dtype)


@task("conv2d")
def any_convolution(student: Student, rng: np.random.Generator) -> None:
    """Values and element type are right for any shapes, stride, padding and groups."""
    for groups in (1, 2, 3, 4) * 4:
        x, weight, bias = problem(rng, groups, rng.choice([np.float32, np.float64]))
        stride, padding = pair(rng, 1, 4), pair(rng, 0, 3)
        got = student.conv2d(x, weight, bias, stride, padding, groups)
        what = f"conv2d of {x.shape} with weight {weight.shape}, {stride=}, {padding=}, {groups=}"
        expect(got, reference(x, weight, bias, stride, padding, groups), what=what)


@task("conv2d")
def a_bias_can_be_missing(student: Student, rng: np.random.Generator) -> None:
    """bias=None adds nothing, and it is what a call without a bias means."""
    x, weight, _ = problem(rng, 2, np.float32)
    expect(student.conv2d(x, weight, None, (1, 2), (1, 0), 2), reference(x, weight, None, (1, 2), (1, 0), 2))
    x, weight, _ = problem(rng, 1, np.float32)
    expect(student.conv2d(x, weight), reference(x, weight, None, (1, 1), (0, 0), 1))


@task("conv2d")
def one_kernel_for_each_channel(student: Student, rng: np.random.Generator) -> None:
    """groups=C, the depthwise convolution of mobile networks: every channel is filtered for itself."""
    channels = int(rng.integers(3, 9))
    x = rng.integers(-9, 10, (2, channels, 6, 5)).astype(np.float64)
    weight = rng.integers(-9, 10, (channels, 1, 3, 3)).astype(np.float64)
    bias = rng.integers(100, 200, channels).astype(np.float64)
    got = student.conv2d(x, weight, bias, (2, 1), (1, 1), channels)
    expect(got, reference(x, weight, bias, (2, 1), (1, 1), channels))


@task("conv2d")
def real_numbers(student: Student, rng: np.random.Generator) -> None:
    """Sums of real numbers agree to the last digits but a few."""
    x = rng.standard_normal((2, 8, 9, 7)).astype(np.float32)
    weight, bias = rng.standard_normal((6, 4, 3, 3)).astype(np.float32), rng.standard_normal(6).astype(np.float32)
    expected = reference(x.astype(np.float64), weight.astype(np.float64), bias.astype(np.float64), (1, 1), (1, 1), 2)
    got = student.conv2d(x, weight, bias, (1, 1), (1, 1), 2)
    expect(got, expected.astype(np.float32), rtol=1e-4, atol=1e-4)


@task("conv2d")
def shapes_that_do_not_fit_are_refused(student: Student, rng: np.random.Generator) -> None:
    """groups that do not divide C or O, and kernels of another depth than C/groups, raise ValueError."""
    x, bias = rng.standard_normal((1, 4, 5, 5)).astype(np.float32), np.zeros(4, np.float32)
    for outputs, depth, groups in ((4, 1, 3), (4, 3, 1), (4, 1, 2), (3, 2, 2)):
        weight = rng.standard_normal((outputs, depth, 3, 3)).astype(np.float32)
        expect_refused(student.conv2d, x, weight, bias[:outputs], (1, 1), (0, 0), groups)


RETURN = "return y if bias is None else y + bias[:, None, None]"
DIVIDES = "if x.shape[1] % groups or outputs % groups or depth != x.shape[1] // groups:"

MUTANTS = [
    Mutant(
        "pointwise_groups_forgotten",
        "a short cut for 1x1 kernels, in which every output channel sees all input channels",
        old="    kernels = weight.reshape(groups",
        new=(
            "    if (kh, kw) == (1, 1) and groups > 1:\n"
            "        weight = np.concatenate([weight] * groups, 1)\n"
            "        depth, groups = x.shape[1], 1\n"
            "    kernels = weight.reshape(groups"
        ),
        breaks="groups",
    ),
    Mutant(
        "depthwise_in_turn",
        "right where each channel has one kernel: with two, output channels 0 and 1 belong to input channel 0",
        old="    kernels = weight.reshape(groups",
        new=(
            "    if 1 < groups == x.shape[1] < outputs:\n"
            "        x = x[:, np.arange(outputs) % groups]\n"
            "        groups = outputs\n"
            "    kernels = weight.reshape(groups"
        ),
        breaks="groups",
    ),
    Mutant(
        "pointwise_stride_forgotten",
        "a short cut for 1x1 kernels without a padding",
        old="    outputs, depth, kh, kw = weight.shape\n",
        new=(
            "    outputs, depth, kh, kw = weight.shape\n"
            "    stride = (1, 1) if (kh, kw) == (1, 1) and padding == (0, 0) else stride\n"
        ),
        breaks="stride",
    ),
    Mutant(
        "pointwise_padding_forgotten",
        "a short cut for 1x1 kernels with a stride of 1",
        old="    outputs, depth, kh, kw = weight.shape\n",
        new=(
            "    outputs, depth, kh, kw = weight.shape\n"
            "    padding = (0, 0) if (kh, kw) == (1, 1) and stride == (1, 1) else padding\n"
        ),
        breaks="padding",
    ),
    Mutant(
        "whole_bias",
        "the lesson's biases are whole",
        old=RETURN,
        new="return y if bias is None else y + np.trunc(bias)[:, None, None]",
        breaks="bias",
    ),
    Mutant(
        "bias_in_group",
        "every group takes the first group's bias",
        old=RETURN,
        new="return y if bias is None else y + np.tile(bias[: outputs // groups], groups)[:, None, None]",
        breaks="bias",
    ),
    Mutant(
        "no_bias",
        "forgets the bias",
        old=RETURN,
        new="return y",
        breaks="bias",
    ),
    Mutant(
        "bias_needed",
        "fails without a bias",
        old=RETURN,
        new="return y + bias[:, None, None]",
        breaks="bias",
    ),
    Mutant(
        "bias_per_group",
        "adds the bias once for every group",
        old=RETURN,
        new="return y if bias is None else y + groups * bias[:, None, None]",
        breaks="bias",
    ),
    Mutant(
        "first_channels",
        "every group looks at the first channels",
        old="x[n, g * depth : (g + 1) * depth]",
        new="x[n, :depth]",
        breaks="groups",
    ),
    Mutant(
        "first_kernels",
        "the index of the group is missing: all use kernels[0]",
        old="kernels[g].T",
        new="kernels[0].T",
        breaks="groups",
    ),
    Mutant(
        "no_transpose",
        "reads (H'*W', O) as (O, H'*W')",
        old="(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
        new="(windows @ kernels[g].T).reshape(-1, rows, cols)",
        breaks="value",
    ),
    Mutant(
        "shuffled",
        "the outputs of the groups alternate",
        old="y = y.reshape(len(x), outputs, rows, cols)",
        new="y = y.swapaxes(1, 2).reshape(len(x), outputs, rows, cols)",
        breaks="groups",
    ),
    Mutant(
        "turned",
        "rows and columns exchanged in the result",
        old="(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
        new="(windows @ kernels[g].T).T.reshape(-1, cols, rows).swapaxes(1, 2).reshape(-1, rows, cols)",
        breaks="value",
    ),
    Mutant(
        "first_sample",
        "computes the first sample only",
        old="for n, g in np.ndindex(len(x), groups):",
        new=("y[:] = 0\n    for n, g in np.ndindex(1, groups):"),
        breaks="batch",
    ),
    Mutant(
        "stride_ignored",
        "stride never reaches im2col",
        old=("(kh, kw), stride, padding)\n        y[n, g]"),
        new=("(kh, kw), (1, 1), padding)[: rows * cols]\n        y[n, g]"),
        breaks="stride",
    ),
    Mutant(
        "padding_ignored",
        "padding never reaches im2col",
        old=("(kh, kw), stride, padding)\n        y[n, g]"),
        new=("(kh, kw), stride, (0, 0))\n        y[n, g]"),
        breaks="padding",
    ),
    Mutant(
        "flipped",
        "turns the kernels, as a mathematician's convolution does",
        old="weight.reshape(groups, outputs // groups, depth * kh * kw)",
        new="weight[:, :, ::-1, ::-1].reshape(groups, outputs // groups, depth * kh * kw)",
        breaks="value",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old="np.empty((len(x), groups, outputs // groups, rows, cols), x.dtype)",
        new="np.empty((len(x), groups, outputs // groups, rows, cols))",
        breaks="dtype",
    ),
    Mutant(
        "float32",
        "computes in the type of the lesson's networks",
        old="(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
        new="(windows.astype(np.float32) @ kernels[g].T.astype(np.float32)).T.reshape(-1, rows, cols)",
        breaks="precision",
    ),
    Mutant(
        "samples_and_groups_mixed_up",
        "groups outermost in the array, samples outermost in the result",
        old="    y = y.reshape(len(x), outputs, rows, cols)\n",
        new="    y = y.swapaxes(0, 1).reshape(len(x), outputs, rows, cols)\n",
        breaks="batch",
    ),
    Mutant(
        "first_sample_of_groups",
        "right for one group, and for one sample",
        old="im2col(x[n, g",
        new="im2col(x[n if groups == 1 else 0, g",
        breaks="batch",
    ),
    Mutant(
        "stride_lost_in_groups",
        "right for one group, and for a stride of 1",
        old="    outputs, depth, kh, kw = weight.shape\n",
        new="    outputs, depth, kh, kw = weight.shape\n    stride = stride if groups == 1 else (1, 1)\n",
        breaks="stride",
    ),
    Mutant(
        "float16",
        "sums in half precision",
        old="(windows @ kernels[g].T).T.reshape(-1, rows, cols)",
        new="(windows @ kernels[g].T).astype(np.float16).T.reshape(-1, rows, cols)",
        breaks="precision",
    ),
    Mutant(
        "no_check",
        "computes something for shapes that do not fit",
        old=DIVIDES,
        new=(
            "depth = min(depth, x.shape[1] // groups)\n"
            "    weight = weight[: outputs // groups * groups, :depth]\n"
            "    outputs = len(weight)\n"
            "    bias = None if bias is None else bias[:outputs]\n"
            "    if False:"
        ),
        breaks="shapes",
    ),
    Mutant(
        "check_without_depth",
        "never looks at the kernels' depth",
        old=DIVIDES,
        new=(
            "weight = weight[:, : x.shape[1] // groups]\n"
            "    depth = weight.shape[1]\n"
            "    if x.shape[1] % groups or outputs % groups:"
        ),
        breaks="shapes",
    ),
    Mutant(
        "other_error",
        "another exception than the rule names",
        old=DIVIDES,
        new=(
            "if x.shape[1] % groups or outputs % groups or depth != x.shape[1] // groups:\n"
            "        raise IndexError(groups)\n"
            "    if False:"
        ),
        breaks="shapes",
    ),
    Mutant(
        "padding_does_not_count",
        "a kernel larger than the image is refused, however wide the border is",
        old=DIVIDES,
        new=DIVIDES.replace("outputs % groups", "outputs % groups or kh > x.shape[2] or kw > x.shape[3]"),
        breaks="shapes",
    ),
    Mutant(
        "nothing_where_nothing_fits",
        "an empty result where no window fits",
        old="    kernels = weight.reshape(groups",
        new=(
            "    if rows < 1 or cols < 1:\n"
            "        return np.empty((len(x), outputs, max(rows, 0), max(cols, 0)), x.dtype)\n"
            "    kernels = weight.reshape(groups"
        ),
        breaks="shapes",
    ),
    Mutant(
        "stride_swapped",
        "stride is (cols, rows)",
        old="    outputs, depth, kh, kw = weight.shape\n",
        new="    outputs, depth, kh, kw = weight.shape\n    stride = stride[::-1]\n",
        breaks="stride",
    ),
    Mutant(
        "padding_swapped",
        "padding is (cols, rows)",
        old="    outputs, depth, kh, kw = weight.shape\n",
        new="    outputs, depth, kh, kw = weight.shape\n    padding = padding[::-1]\n",
        breaks="padding",
    ),
    Mutant(
        "default_padding",
        "pads so that the size stays, unless told otherwise",
        old="rows = output_size(x.shape[2], kh, stride[0], padding[0])",
        new=(
            "padding = (kh // 2, kw // 2) if padding == (0, 0) else padding\n"
            "    rows = output_size(x.shape[2], kh, stride[0], padding[0])"
        ),
    ),
    Mutant(
        "padding_unless_said",
        "pads by one pixel where nobody says it",
        old="    padding: tuple[int, int] = (0, 0),\n    groups: int = 1,\n",
        new="    padding: tuple[int, int] = (1, 1),\n    groups: int = 1,\n",
        breaks="defaults",
    ),
]
