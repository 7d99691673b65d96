"""Lengths and distances of vectors: normalize to length 1, distances between pairs, the cosine between them.

The length of v is its p-norm, (sum |v_i|^p)^(1/p): p = 2 is Euclid's; inf gives the largest |v_i|, -inf the smallest,
0 the number of elements that are not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper import dtypes
from kuiper.errors import ParameterError
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.layers.shape import integers
from kuiper.layers.windows import check_dtype, single


def p_norm(x: np.ndarray, p: float, axes: tuple[int, ...], keepdims: bool) -> np.ndarray:
    """(..., n, ...) -> (..., ...) or (..., 1, ...): the p-norm over `axes`; a real number for complex ones too.

    >>> [float(p_norm(np.array([3.0, -4.0]), p, (0,), False)) for p in (0, 1, 2, float("inf"))]
    [2.0, 7.0, 5.0, 4.0]
    """
    axes = axes if x.ndim else ()
    size = np.abs(x)
    if p == 2:
        return np.sqrt(np.square(size).sum(axes, keepdims=keepdims))
    if p == np.inf:
        return size.max(axes, keepdims=keepdims)
    if p == -np.inf:
        return size.min(axes, keepdims=keepdims)
    if p == 0:
        return (size != 0).sum(axes, keepdims=keepdims).astype(size.dtype)
    with np.errstate(divide="ignore"):  # a negative p turns 0 to infinity
        return (size**p).sum(axes, keepdims=keepdims) ** (1 / p)


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

    def __init__(self, p: Any = 2.0, dim: Any = 1, eps: float = 1e-12) -> None:
        self.p, self.dims, self.eps = as_power(p), integers(dim), eps

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Divide x by its length along dim."""
        check_dtype("normalize", x, "fc")
        # a length in float16 is rounded before it is compared, as PyTorch does: there the usual eps is 0
        length = p_norm(single(x), self.p, self.dims, keepdims=True).astype(x.real.dtype, copy=False)
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

    def __init__(self, p: Any = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self.p, self.eps, self.keepdim = as_power(p), eps, keepdim

    def forward(self, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        """Measure the differences."""
        kind = dtypes.as_float(dtypes.result_type(x1, x2))
        difference = np.asarray(np.subtract(x1, x2)).astype(kind, copy=False)
        difference = difference + difference.dtype.type(self.eps)
        length = p_norm(single(difference), self.p, (-1,), self.keepdim)
        return np.asarray(length, difference.real.dtype)


@registry.register("F.cosine_similarity", "nn.CosineSimilarity", "torch.cosine_similarity")
class CosineSimilarity(Layer):
    """(..., n, ...), (..., n, ...) -> (..., ...): x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html

    >>> CosineSimilarity(dim=0).forward(np.array([3.0, 4.0]), np.array([4.0, 3.0])).item()
    0.96
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim, self.eps = int(dim), eps

    def forward(self, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        """Compute the cosine of the angle between x1 and x2."""
        kind = dtypes.result_type(x1, x2)
        x1, x2 = (np.asarray(x, kind) for x in np.broadcast_arrays(x1, x2))
        check_dtype("cosine_similarity", x1, "f")
        units = [x / np.maximum(p_norm(x, 2, (self.dim,), True), self.eps) for x in (single(x1), single(x2))]
        return np.asarray((units[0] * units[1]).sum(self.dim if x1.ndim else None), kind)


@registry.register("aten::cosine_similarity")
class AtenCosineSimilarity(Layer):
    """CosineSimilarity as PNNX leaves it where it finds no name for it: every argument an input, by position."""

    def forward(self, x1: np.ndarray, x2: np.ndarray, dim: int, eps: float) -> np.ndarray:
        """Compute the cosine of the angle between x1 and x2 along dim."""
        return CosineSimilarity(dim, eps).forward(x1, x2)


@registry.register("torch.cdist", "aten::cdist")
class Cdist(Layer):
    """(..., P, n), (..., R, n) -> (..., P, R): the distance of every row of x1 from every row of x2.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cdist.html
    """

    def __init__(self, p: Any = 2.0, compute_mode: Any = None) -> None:
        self.p = p

    def forward(self, x1: np.ndarray, x2: np.ndarray, p: Any = None, compute_mode: Any = None) -> np.ndarray:
        """Measure all pairs; as an aten operator it gets p as an input, by position."""
        norm = PairwiseDistance(self.p if p is None else p, eps=0.0)
        return norm.forward(x1[..., :, None, :], x2[..., None, :, :])


def as_power(p: Any) -> float:
    """The p of a norm: a number, or PNNX's texts inf and -inf. Raises ParameterError.

    >>> as_power("inf"), as_power(2)
    (inf, 2.0)
    """
    try:
        return float(p)
    except (TypeError, ValueError):
        raise ParameterError("p", "a number, inf or -inf", repr(p)) from None
