r"""A BatchNorm folded into the convolution before it: why the solution is as it is.

gamma (y - mean) / sqrt(var + eps) + beta is factor y + shift, with factor = gamma / sqrt(var + eps) and shift = beta
- mean factor. And y = sum of weight x + bias. So the factor goes into every weight of the output channel, and the
bias becomes bias factor + shift.

- factor belongs to the *output* channel, the first axis: `factor[:, None, None, None]`. Without the axes numpy lines
  it up with the columns of the kernel, and where the sizes agree nobody complains.
- eps stands under the root. A channel that never changed in training has variance 0, and then eps is all there is.
- A layer without bias gets one.

The pass saves a multiplication and an addition for each number of the activation, and, what counts more, a walk
through memory. It holds at inference only: in training, mean and variance change with every batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import statistics_of


def normalized(y: np.ndarray, statistics: Sequence[np.ndarray], eps: float) -> np.ndarray:
    """BatchNorm of (O,), one number for each channel, as its formula says."""
    gamma, beta, mean, var = (np.asarray(x, np.float64) for x in statistics)
    return gamma * (y - mean) / np.sqrt(var + eps) + beta


def parts(
    weight: np.ndarray, bias: np.ndarray | None, statistics: Sequence[np.ndarray], eps: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(O,) each: the old bias, what comes out of it, and how much more comes out of 1 more."""
    before = np.zeros(len(weight)) if bias is None else bias.astype(np.float64)
    at_zero = normalized(before, statistics, eps)  # what a layer gives for an input of zeros is its bias
    return before, at_zero, normalized(1 + before, statistics, eps) - at_zero


def folded(
    weight: np.ndarray, bias: np.ndarray | None, statistics: Sequence[np.ndarray], eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray, float]:
    """The new weight and bias, and the size of the numbers that the bias is the sum of."""
    before, at_zero, slope = parts(weight, bias, statistics, eps)
    mean = np.asarray(statistics[2], np.float64)
    size = float(np.abs(at_zero).max() + np.abs(slope * before).max() + np.abs(slope * mean).max())
    return (slope[:, None, None, None] * weight).astype(weight.dtype), at_zero.astype(weight.dtype), size


def alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same shape and the same numbers, but for the rounding of b's type."""
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-9 if b.dtype == np.float64 else 1e-5)


def folded_mistakes(
    weight: np.ndarray, bias: np.ndarray | None, statistics: Sequence[np.ndarray], eps: float = 1e-5
) -> dict[str, np.ndarray]:
    """Likely cause -> the weight or the bias that it gives, where that is wrong."""
    gamma, beta, mean, var = (np.asarray(x, np.float64) for x in statistics)
    before, at_zero, slope = parts(weight, bias, statistics, eps)
    factors = {
        "eps is left out, or not added to the variance": gamma / np.sqrt(np.maximum(var, 1e-30)),
        "eps is added to the root: it stands under it": gamma / (np.sqrt(var) + eps),
        "the variance is not a deviation yet: take its root": gamma / (var + eps),
        "gamma is forgotten: BatchNorm scales by it, too": 1 / np.sqrt(var + eps),
        "all channels got the gamma of the first: each has its own": gamma[:1] / np.sqrt(var + eps),
        "all channels got the factor of the first: each has its own": np.full(len(weight), slope[0]),
        "eps is an argument: take the one that is given, and not always 1e-5": gamma / np.sqrt(var + 1e-5),
        "the root is multiplied by: divide by it": gamma * np.sqrt(var + eps),
        "the weight is as it was: BatchNorm scales what comes out, and so every weight": np.ones(len(weight)),
    }
    kernels = {cause: factor[:, None, None, None] * weight for cause, factor in factors.items()}
    for axis, name in ((1, "input channels"), (3, "columns")):
        if weight.shape[axis] == len(weight):
            cause = f"the {name} were scaled: the four numbers belong to the output channels, the weight's first axis"
            kernels[cause] = np.moveaxis(np.moveaxis(weight, axis, -1) * slope, -1, axis)
    if weight.shape[3] == 1 < len(weight):  # numpy makes columns of the channels, and says nothing
        cause = "the factor lies along the last axis of the weight, as numpy lines it up, and belongs to the first"
        kernels[cause] = weight * slope
    shifts = {
        "the convolution's own bias is forgotten": at_zero - slope * before,
        "the bias is added as it is: BatchNorm scales it, too": at_zero - slope * before + before,
        "the mean is subtracted as it is: BatchNorm scales it, too": slope * before - mean + beta,
        "the mean is forgotten: BatchNorm subtracts it before it scales": slope * before + beta,
        "the mean is added: BatchNorm subtracts it": slope * (before + mean) + beta,
        "beta is forgotten: BatchNorm adds it last": slope * (before - mean),
        "beta is scaled, too: it is added last": slope * (before - mean + beta),
    }
    if bias is None:
        shifts = {"the bias is 0: a convolution without bias gets one": np.zeros(len(weight)), **shifts}
    new_weight, new_bias, _ = folded(weight, bias, statistics, eps)
    found = {
        **{cause: wrong for cause, wrong in kernels.items() if not alike(wrong, new_weight)},
        **{cause: wrong for cause, wrong in shifts.items() if not alike(wrong, new_bias)},
    }
    found = {cause: wrong.astype(weight.dtype) for cause, wrong in found.items()}
    found["the bias has the axes of a weight, and needs one: it is (O,), so scale it by the factor (O,)"] = new_bias[
        :, None, None, None
    ]
    other = np.float64 if weight.dtype == np.float32 else np.float32
    for name, right in {"weight": new_weight, "bias": new_bias}.items():
        found[f"the {name} became {np.dtype(other)}: keep the dtype of weight"] = right.astype(other)
    return found


def expect_right(
    student: Student,
    weight: np.ndarray,
    bias: np.ndarray | None,
    statistics: Sequence[np.ndarray],
    eps: float,
) -> None:
    """Raise Failure unless the folded layer's weight and bias are right."""
    kernels, shift, size = folded(weight, bias, statistics, eps)
    got = student.fold_batchnorm(weight, bias, *statistics, eps)
    tolerance = 1e-9 if weight.dtype == np.float64 else 2e-5
    atol = tolerance * max(size, float(np.abs(kernels).max()))
    expect(got, (kernels, shift), rtol=tolerance, atol=atol, names=("weight", "bias"))


@task("fold_batchnorm")
def with_and_without_a_bias(student: Student, rng: np.random.Generator) -> None:
    """A convolution without bias gets one, and one with a bias another one."""
    weight = rng.normal(size=(5, 2, 3, 1))
    for bias in (None, rng.normal(size=5)):
        expect_right(student, weight, bias, statistics_of(rng, 5, np.float64), 1e-3)


@task("fold_batchnorm")
def kernels_of_any_size(student: Student, rng: np.random.Generator) -> None:
    """float32 gives float32, for groups and for kernels of any size; as many channels as kernels do not mix them up."""
    for shape in ((6, 1, 3, 3), (4, 4, 1, 1), (3, 3, 3, 3), (1, 7, 2, 5)):
        weight, bias = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[0]).astype(np.float32)
        expect_right(student, weight, bias, statistics_of(rng, shape[0], np.float32), 1e-5)


@task("fold_batchnorm")
def channels_that_never_change(student: Student, rng: np.random.Generator) -> None:
    """Where some variances are 0, eps alone stands under the root."""
    weight, bias = rng.normal(size=(3, 2, 3, 3)), rng.normal(size=3)
    gamma, beta, mean, var = statistics_of(rng, 3, np.float64)
    expect_right(student, weight, bias, (gamma, beta, mean, var * [0, 1, 0]), 0.01)


FACTOR = "    factor = gamma / np.sqrt(var + weight.dtype.type(eps))\n"
FOLDED = "    return weight * factor[:, None, None, None], (before - mean) * factor + beta"

MUTANTS = [
    Mutant(
        "no_eps",
        "leaves eps out",
        old=FACTOR,
        new="    factor = gamma / np.sqrt(np.maximum(var, 1e-20)).astype(weight.dtype)\n",
        breaks="eps",
    ),
    Mutant(
        "eps_outside",
        "adds eps to the root",
        old=FACTOR,
        new="    factor = gamma / (np.sqrt(var) + weight.dtype.type(eps))\n",
        breaks="eps",
    ),
    Mutant(
        "no_root",
        "divides by the variance",
        old=FACTOR,
        new="    factor = gamma / (var + weight.dtype.type(eps))\n",
        breaks="same",
    ),
    Mutant(
        "multiplied_by_root",
        "multiplies by the root",
        old=FACTOR,
        new="    factor = gamma * np.sqrt(var + weight.dtype.type(eps))\n",
        breaks="same",
    ),
    Mutant(
        "bias_forgotten",
        "forgets the convolution's own bias",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (0 * before - mean) * factor + beta",
        breaks="same",
    ),
    Mutant(
        "bias_not_scaled",
        "adds the convolution's bias as it is",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], before - mean * factor + beta",
        breaks="same",
    ),
    Mutant(
        "mean_not_scaled",
        "subtracts the mean as it is",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], before * factor - mean + beta",
        breaks="same",
    ),
    Mutant(
        "mean_forgotten",
        "does not subtract the mean",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], before * factor + beta",
        breaks="same",
    ),
    Mutant(
        "gamma_forgotten",
        "divides by the root, and does not multiply by gamma",
        old=FACTOR,
        new="    factor = 1 / np.sqrt(var + weight.dtype.type(eps))\n",
        breaks="same",
    ),
    Mutant(
        "fixed_eps",
        "takes 1e-5 whatever eps is given",
        old=FACTOR,
        new="    factor = gamma / np.sqrt(var + weight.dtype.type(1e-5))\n",
    ),
    Mutant(
        "mean_added",
        "adds the mean",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (before + mean) * factor + beta",
        breaks="same",
    ),
    Mutant(
        "beta_scaled",
        "scales beta, too",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (before - mean + beta) * factor",
        breaks="same",
    ),
    Mutant(
        "wrong_axis",
        "scales the input channels where there are as many",
        old=FOLDED,
        new=(
            "    return weight * factor.reshape((1, -1, 1, 1) if weight.shape[0] == weight.shape[1] "
            "else (-1, 1, 1, 1)), (before - mean) * factor + beta"
        ),
        breaks="channels",
    ),
    Mutant(
        "last_axis",
        "lets numpy line the channels up with the columns of the kernel",
        old=FOLDED,
        new=(
            "    return weight * (factor if weight.shape[3] == len(factor) else factor[:, None, None, "
            "None]), (before - mean) * factor + beta"
        ),
        breaks="channels",
    ),
    Mutant(
        "always_float64",
        "gives float64",
        old=FOLDED,
        new=("    return weight.astype(np.float64) * factor[:, None, None, None], (before - mean) * factor + beta"),
        breaks="dtype",
    ),
    Mutant(
        "zeros_of_float64",
        "the bias that is missing has the default type of np.zeros",
        old="    before = np.zeros_like(mean) if bias is None else bias\n",
        new="    before = np.zeros(len(mean)) if bias is None else bias\n",
        breaks="dtype",
    ),
    Mutant(
        "bias_none",
        "returns no bias where there was none",
        old=FOLDED,
        new=(
            "    if bias is None:\n"
            "        return weight * factor[:, None, None, None], np.zeros_like(mean)\n"
            "    return weight * factor[:, None, None, None], (before - mean) * factor + beta"
        ),
        breaks="no_bias",
    ),
    Mutant(
        "torch_has_no_none",
        "there is always a bias",
        old="    before = np.zeros_like(mean) if bias is None else bias\n",
        new="    before = bias + 0\n",
        breaks="no_bias",
    ),
    Mutant(
        "another_eps",
        "the default of another framework",
        old="    eps: float = 1e-5,\n",
        new="    eps: float = 1e-3,\n",
        breaks="default",
    ),
    Mutant(
        "list_of_two",
        "two results are a list",
        old=FOLDED,
        new="    return [weight * factor[:, None, None, None], (before - mean) * factor + beta]",
        breaks="form",
    ),
    Mutant(
        "bias_as_a_column",
        "the bias keeps the axes of the weight",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], ((before - mean) * factor + beta)[:, None, None, None]",
        breaks="form",
    ),
    Mutant(
        "rounded",
        "computes in float32, and gives the type back at the end",
        old=FACTOR,
        new="    factor = (gamma / np.sqrt(var + weight.dtype.type(eps))).astype(np.float32).astype(weight.dtype)\n",
        breaks="exact",
    ),
]
