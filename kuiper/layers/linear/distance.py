"""Lengths and distances of vectors: normalize to length 1, distances between pairs, the cosine between them.

The length of v is its p-norm, (sum |v_i|^p)^(1/p): p = 2 is Euclid's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import single
from kuiper.errors import ParameterError
from kuiper.layers.arrays.shape import integers
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known, per_broadcast, per_output, size
from kuiper.layers.families import ARITHMETIC, NORMALIZATION
from kuiper.layers.layer import Layer
from kuiper.layers.normalization.norms import norm
from kuiper.layers.registry import registry


@registry.register("F.normalize")
class Normalize(Layer):
    """(...) -> (...): x / max(length, eps), the length taken along `dim`, so that it becomes 1.

    Parameters
    ----------
    p : of the p-norm that measures the length.
    dim : one dimension or several.
    eps : the length that shorter vectors are taken to have.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html

    >>> Normalize(dim=0).forward(np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    """

    family = NORMALIZATION
    flops = per_output(3)

    def __init__(self, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12) -> None:
        self.p, self.dims, self.eps = as_power(p), integers(dim), eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Divide x by its length along dim."""
        check_dtype("normalize", x, "fc")
        # a length in float16 is rounded before it is compared, as PyTorch does: there the usual eps is 0
        length = norm(x, self.p, self.dims if x.ndim else (), keepdim=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return x / np.maximum(length, length.dtype.type(self.eps))


@registry.register("F.pairwise_distance", "nn.PairwiseDistance")
class PairwiseDistance(Layer):
    """(..., n), (..., n) -> (...): the p-norm of x1 - x2 + eps along the last axis.

    Parameters
    ----------
    p : of the norm.
    eps : added to every difference, so that none is 0.
    keepdim : leave the last axis with size 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html

    >>> PairwiseDistance(eps=0.0).forward(np.array([[4.0, 6.0]]), np.array([1.0, 2.0])).tolist()
    [5.0]
    """

    family = ARITHMETIC
    flops = per_broadcast(4)  # subtract, add eps, square, add up

    def __init__(self, p: Any = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self.p, self.eps, self.keepdim = as_power(p), eps, keepdim

    def forward(self, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        """Measure the differences."""
        kind = dtypes.float_type(dtypes.result_type(x1, x2))
        difference = np.asarray(np.subtract(x1, x2)).astype(kind, copy=False)
        difference = difference + difference.dtype.type(self.eps)
        return norm(difference, self.p, (-1,) if difference.ndim else (), self.keepdim)


@registry.register("F.cosine_similarity", "nn.CosineSimilarity", "torch.cosine_similarity")
@registry.register("aten::cosine_similarity", inputs=("x x dim eps",))
class CosineSimilarity(Layer):
    """(..., n, ...), (..., n, ...) -> (..., ...): x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html

    >>> CosineSimilarity(dim=0).forward(np.array([3.0, 4.0]), np.array([4.0, 3.0])).item()
    0.96
    """

    family = ARITHMETIC
    flops = per_broadcast(6)  # three sums of products: x1 . x2, |x1|^2 and |x2|^2

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim, self.eps = int(dim), eps

    def forward(self, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        """Compute the cosine of the angle between x1 and x2."""
        kind = dtypes.result_type(x1, x2)
        x1, x2 = (np.asarray(x, kind) for x in np.broadcast_arrays(x1, x2))
        check_dtype("cosine_similarity", x1, "f")
        axes = (self.dim,) if x1.ndim else ()
        units = [x / np.maximum(norm(x, 2, axes, keepdim=True), self.eps) for x in (single(x1), single(x2))]
        return np.asarray((units[0] * units[1]).sum(axes), kind)


@registry.register("torch.cdist")
@registry.register("aten::cdist", inputs=("x x p compute_mode",))
class Cdist(Layer):
    """(..., P, n), (..., R, n) -> (..., P, R): the distance of every row of x1 from every row of x2.

    Parameters
    ----------
    p : of the norm.
    compute_mode : a way to compute it, which changes no result.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cdist.html
    """

    family = ARITHMETIC

    def __init__(self, p: Any = 2.0, compute_mode: Any = None) -> None:
        self.distance = PairwiseDistance(p, eps=0.0)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Subtract, square, add up: for each of n numbers of every pair."""
        return 3 * size(outputs[0]) * known(inputs[0])[-1]

    def forward(self, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        """Measure all pairs."""
        return self.distance.forward(x1[..., :, None, :], x2[..., None, :, :])


def as_power(p: Any) -> float:
    """The p of a norm: a number, or PNNX's texts inf and -inf. Raises ParameterError.

    >>> as_power("inf"), as_power(2)
    (inf, 2.0)
    """
    try:
        return float(p)
    except (TypeError, ValueError):
        raise ParameterError("p", "a number, inf or -inf", repr(p)) from None
