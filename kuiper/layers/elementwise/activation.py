"""Activations: functions that act on every element, and softmax, which acts along one dimension.

Each takes (...) and returns the same shape, floating-point unless said.
Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import single
from kuiper.errors import ParameterError, RankError
from kuiper.graph import Operator
from kuiper.layers.checks import check_dtype
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.mathematics import erf


def as_float(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): x itself, or float32 where x holds integers or booleans."""
    return x.astype(dtypes.as_float(x.dtype), copy=False)


@registry.register("nn.ReLU", "F.relu", "torch.relu")
class ReLU(Layer):
    """(...) -> (...): max(x, 0); the element type stays.

    >>> ReLU().forward(np.array([-1.0, 0.0, 2.0]))
    array([0., 0., 2.])
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0)."""
        return np.maximum(x, 0)


@registry.register("nn.ReLU6", "F.relu6")
class ReLU6(Layer):
    """(...) -> (...): min(max(x, 0), 6); the element type stays."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute min(max(x, 0), 6)."""
        return np.clip(x, 0, 6)


@registry.register("nn.LeakyReLU", "F.leaky_relu")
class LeakyReLU(Layer):
    """(...) -> (...): x where x > 0, negative_slope * x elsewhere."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0) + negative_slope * min(x, 0)."""
        check_dtype(type(self).__name__, x, "f")
        return np.where(x > 0, x, x * x.dtype.type(self.negative_slope))


@registry.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")
class Sigmoid(Layer):
    """(...) -> (...): 1 / (1 + e^-x), between 0 and 1.

    e^-x overflows for a large negative x. Written as e^min(x, 0) / (1 + e^-|x|), no exponent is ever positive: for
    x >= 0 that is 1 / (1 + e^-x), and for x < 0 it is e^x / (1 + e^x), the same number.

    >>> Sigmoid().forward(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute 1 / (1 + e^-x) without overflow."""
        x = as_float(x)
        return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


@registry.register("nn.Tanh", "F.tanh", "torch.tanh")
class Tanh(Layer):
    """(...) -> (...): (e^x - e^-x) / (e^x + e^-x), between -1 and 1."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute tanh(x)."""
        return np.tanh(as_float(x))


@registry.register("nn.SiLU", "F.silu")
class SiLU(Layer):
    """(...) -> (...): x * sigmoid(x).

    Because sigmoid(x) = (1 + tanh(x/2)) / 2, one tanh is enough, in half the time of two exponentials.
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x * sigmoid(x)."""
        check_dtype("SiLU", x, "fc")
        half = x / 2
        return half * (1 + np.tanh(half))


@registry.register("nn.Hardsigmoid", "F.hardsigmoid")
class Hardsigmoid(Layer):
    """(...) -> (...): min(max(x + 3, 0), 6) / 6, straight lines near the sigmoid."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute relu6(x + 3) / 6."""
        check_dtype("Hardsigmoid", x, "f")
        return np.clip(x + 3, 0, 6) / 6


@registry.register("nn.Hardswish", "F.hardswish")
class Hardswish(Layer):
    """(...) -> (...): x * hardsigmoid(x)."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x * relu6(x + 3) / 6."""
        check_dtype("Hardswish", x, "f")
        return x * (np.clip(x + 3, 0, 6) / 6)


@registry.register("nn.GELU", "F.gelu")
class GELU(Layer):
    """(...) -> (...): x * P(Z <= x) for a standard normal Z.

    Parameters
    ----------
    approximate : "none" computes x/2 * (1 + erf(x / sqrt 2)); "tanh" computes
        x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
    """

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise ParameterError("approximate", "'none' or 'tanh'", repr(approximate))
        self.approximate = approximate

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x * P(Z <= x)."""
        check_dtype("GELU", x, "f")
        wide = single(x)  # the cube of a float16 overflows from 41 on
        if self.approximate == "tanh":
            curve = np.tanh(float(np.sqrt(2 / np.pi)) * wide * (1 + 0.044715 * wide * wide))
        else:
            curve = erf(wide / float(np.sqrt(2)))
        return (wide / 2 * (1 + curve)).astype(x.dtype, copy=False)


@registry.register("nn.Softmax", "F.softmax", "torch.softmax")
class Softmax(Layer):
    """(...) -> (...): e^x / sum of e^x along `dim`, so that the elements along it are positive and sum to 1.

    The largest element is subtracted first, which changes nothing but keeps e^x from overflowing.

    Parameters
    ----------
    dim : counted with the batch, so 1 is the channels; negative counts from the end. None means 0 for an input of
        rank 0, 1 or 3, and 1 otherwise.
    """

    dtype: np.dtype | None = None
    """The type that x gets first: PyTorch's argument of that name. None keeps x's own."""

    def __init__(self, dim: int | None = None) -> None:
        self.dim = dim

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """As for every layer; PNNX does not write `dtype`, but it tells by an output of another type than the input."""
        layer = super().from_operator(operator)
        types = [operand.dtype for operand in (*operator.inputs[:1], *operator.outputs)]
        if isinstance(layer, Softmax) and None not in types and types[-1] != types[0]:
            layer.dtype = types[-1].compute if types[-1] else None
        return layer

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute softmax(x) along dim."""
        shifted, axes = self._shifted(x)
        powers = np.exp(shifted)
        return (powers / powers.sum(axes, keepdims=True)).astype(self.dtype or x.dtype, copy=False)

    def _shifted(self, x: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
        """x minus its largest element along the dimension, in float32 at least; and the dimension, none for 0-d."""
        x = x.astype(self.dtype or x.dtype, copy=False)
        check_dtype(type(self).__name__, x, "f")
        dim = self.dim if self.dim is not None else int(x.ndim not in (0, 1, 3))
        axes = (int(dim),) if x.ndim else ()
        wide = single(x)
        with np.errstate(invalid="ignore"):  # a row of -inf gives NaN, as in PyTorch
            return wide - wide.max(axes, keepdims=True, initial=-np.inf), axes


@registry.register("nn.LogSoftmax", "F.log_softmax", "torch.log_softmax")
class LogSoftmax(Softmax):
    """(...) -> (...): log(softmax(x)) along `dim`, as x - log(sum of e^x), which never takes log(0)."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute log(softmax(x)) along dim."""
        shifted, axes = self._shifted(x)
        total = np.exp(shifted).sum(axes, keepdims=True)
        with np.errstate(divide="ignore"):  # a dimension of size 0 has the sum 0
            return (shifted - np.log(total)).astype(self.dtype or x.dtype, copy=False)


@registry.register("nn.Softmin", "F.softmin")
class Softmin(Softmax):
    """(...) -> (...): softmax(-x) along `dim`: the smallest element gets the largest share."""

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
            expected = "(N, C, H, W) or (C, H, W)"
            raise RankError("Softmax2d input", expected, x.shape)
        return super().forward(x)


@registry.register("nn.Identity")
class Identity(Layer):
    """(...) -> (...): x."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Give x back."""
        return x


@registry.register(
    *("nn.Dropout", "nn.Dropout1d", "nn.Dropout2d", "nn.Dropout3d", "nn.AlphaDropout", "nn.FeatureAlphaDropout"),
    *("F.dropout", "F.dropout1d", "F.dropout2d", "F.dropout3d", "F.alpha_dropout", "F.feature_alpha_dropout"),
    "torch.dropout",
)
class Dropout(Identity):
    """(...) -> (...): x, because dropout acts in training only."""

    def __init__(self, p: float = 0.5, training: bool = False, inplace: bool = False) -> None:
        if training:
            raise ParameterError("training", "False (export the model after model.eval())", "True")
