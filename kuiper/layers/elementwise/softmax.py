"""Softmax and its kin: numbers along one dimension -> shares that sum to 1.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax.html
"""

from __future__ import annotations

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import RankError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_output
from kuiper.layers.families import ACTIVATION
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.scalars.special import below_max, softmax


@registry.register("nn.Softmax", "F.softmax", "torch.softmax")
class Softmax(Layer):
    """(...) -> (...): e^x / sum of e^x along `dim`, so that the elements along it are positive and sum to 1.

    The largest element is subtracted first, which changes nothing but keeps e^x from overflowing.

    Parameters
    ----------
    dim : counted with the batch, so 1 is the channels; negative counts from the end. None means 0 for an input of
        rank 0, 1 or 3, and 1 otherwise.
    """

    family = ACTIVATION
    flops = per_output(5)

    def __init__(self, dim: int | None = None) -> None:
        self.dim = dim

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype:
        """The input's; PyTorch's argument dtype= asks for another."""
        return dtype

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute softmax(x) along dim."""
        wide, axes = self._prepared(x)
        return softmax(wide, axes).astype(x.dtype, copy=False)

    def _prepared(self, x: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
        """x in float32 at least, and the dimension, none for 0-d."""
        check_dtype(type(self).__name__, x, "f")
        dim = self.dim if self.dim is not None else int(x.ndim not in (0, 1, 3))
        return single(x), (int(dim),) if x.ndim else ()


@registry.register("nn.LogSoftmax", "F.log_softmax", "torch.log_softmax")
class LogSoftmax(Softmax):
    """(...) -> (...): log(softmax(x)) along `dim`, as x - log(sum of e^x), which never takes log(0)."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute log(softmax(x)) along dim."""
        wide, axes = self._prepared(x)
        shifted = below_max(wide, axes)
        total = np.exp(shifted).sum(axes, keepdims=True)
        with np.errstate(divide="ignore"):  # a dimension of size 0 has the sum 0
            return (shifted - np.log(total)).astype(x.dtype, copy=False)


@registry.register("nn.Softmin", "F.softmin")
class Softmin(Softmax):
    """(...) -> (...): softmax(-x) along `dim`: the smallest element gets the largest share."""

    flops = per_output(6)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute softmax(-x) along dim."""
        check_dtype("Softmin", x, "fi")
        return super().forward(-x)


@registry.register("nn.Softmax2d")
class Softmax2d(Softmax):
    """(N,C,H,W) or (C,H,W) -> the same: softmax over the channels at each place."""

    def __init__(self) -> None:
        super().__init__(dim=-3)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute softmax(x) over the channels. Raises ShapeError for another number of axes."""
        if x.ndim not in (3, 4):
            raise RankError("Softmax2d input", "(N, C, H, W) or (C, H, W)", x.shape)
        return super().forward(x)
