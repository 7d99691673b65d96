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

import numpy as np

from classroom.judge import Mutant, Student, task

from .. import public


@task("fold_batchnorm")
def without_a_bias(student: Student, rng: np.random.Generator) -> None:
    """A convolution without bias gets one."""
    weight = rng.normal(size=(5, 2, 3, 1))
    public.expect_folded(student, weight, None, public.statistics_of(rng, 5, np.float64), 1e-3)


@task("fold_batchnorm")
def the_type_stays(student: Student, rng: np.random.Generator) -> None:
    """float32 gives float32, for groups and for kernels of any size; as many channels as kernels do not mix them up."""
    for shape in ((6, 1, 3, 3), (4, 4, 1, 1), (3, 3, 3, 3), (1, 7, 2, 5)):
        weight, bias = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[0]).astype(np.float32)
        public.expect_folded(student, weight, bias, public.statistics_of(rng, shape[0], np.float32), 1e-5)


@task("fold_batchnorm")
def a_variance_of_zero(student: Student, rng: np.random.Generator) -> None:
    """A channel that never changes has variance 0: eps alone stands under the root."""
    weight, bias = rng.normal(size=(3, 2, 3, 3)), rng.normal(size=3)
    gamma, beta, mean, _ = public.statistics_of(rng, 3, np.float64)
    public.expect_folded(student, weight, bias, (gamma, beta, mean, np.zeros(3)), 0.01)


FACTOR = "    factor = gamma / np.sqrt(var + weight.dtype.type(eps))\n"
FOLDED = "    return weight * factor[:, None, None, None], (before - mean) * factor + beta"

MUTANTS = [
    Mutant(
        "no_eps",
        "leaves eps out",
        old=FACTOR,
        new="    factor = gamma / np.sqrt(np.maximum(var, 1e-20)).astype(weight.dtype)\n",
    ),
    Mutant(
        "eps_outside",
        "adds eps to the root",
        old=FACTOR,
        new="    factor = gamma / (np.sqrt(var) + weight.dtype.type(eps))\n",
    ),
    Mutant(
        "no_root",
        "divides by the variance",
        old=FACTOR,
        new="    factor = gamma / (var + weight.dtype.type(eps))\n",
    ),
    Mutant(
        "multiplied_by_root",
        "multiplies by the root",
        old=FACTOR,
        new="    factor = gamma * np.sqrt(var + weight.dtype.type(eps))\n",
    ),
    Mutant(
        "bias_forgotten",
        "forgets the convolution's own bias",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (0 * before - mean) * factor + beta",
    ),
    Mutant(
        "bias_not_scaled",
        "adds the convolution's bias as it is",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], before - mean * factor + beta",
    ),
    Mutant(
        "mean_not_scaled",
        "subtracts the mean as it is",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], before * factor - mean + beta",
    ),
    Mutant(
        "mean_added",
        "adds the mean",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (before + mean) * factor + beta",
    ),
    Mutant(
        "beta_scaled",
        "scales beta, too",
        old=FOLDED,
        new="    return weight * factor[:, None, None, None], (before - mean + beta) * factor",
    ),
    Mutant(
        "wrong_axis",
        "scales the input channels where there are as many",
        old=FOLDED,
        new=(
            "    return weight * factor.reshape((1, -1, 1, 1) if weight.shape[0] == weight.shape[1] "
            "else (-1, 1, 1, 1)), (before - mean) * factor + beta"
        ),
    ),
    Mutant(
        "last_axis",
        "lets numpy line the channels up with the columns of the kernel",
        old=FOLDED,
        new=(
            "    return weight * (factor if weight.shape[3] == len(factor) else factor[:, None, None, "
            "None]), (before - mean) * factor + beta"
        ),
    ),
    Mutant(
        "always_float64",
        "gives float64",
        old=FOLDED,
        new=("    return weight.astype(np.float64) * factor[:, None, None, None], (before - mean) * factor + beta"),
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
    ),
]
