"""Activations: functions of every element, and two that look at more: PReLU and GLU.

Each takes (...) and returns the same shape and floating-point type, unless said. NaN stays NaN.
Source: https://docs.pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from kuiper.dtypes import as_float, float_type, single
from kuiper.errors import ChannelError, ParameterError, RankError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import per_output
from kuiper.layers.families import ACTIVATION
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.scalars import erf


class Activation(Layer):
    """(...) -> (...): a function of every element, the `curve`; float16 is computed in float32 and rounded once.

    The simplest have no curve but a `forward` of their own.
    """

    kinds: ClassVar[str] = "f"
    """The kinds of element that the curve is defined for, as numpy names them."""
    floating: ClassVar[bool] = False
    """Whether integers give float32; otherwise the element type stays."""
    family = ACTIVATION

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute the curve. Raises InferError for another kind of element."""
        check_dtype(type(self).__name__, x, self.kinds)
        dtype = float_type(x.dtype) if self.floating else x.dtype
        with np.errstate(over="ignore"):  # what is too large for the type is infinity, as in PyTorch
            return np.asarray(self.curve(single(x.astype(dtype, copy=False)))).astype(dtype, copy=False)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """The function of one element, for all at once."""
        raise NotImplementedError(f"{type(self).__name__}.curve")


@registry.register("nn.ReLU", "F.relu", "torch.relu")
class ReLU(Activation):
    """(...) -> (...): max(x, 0); the element type stays.

    >>> ReLU().forward(np.array([-1.0, 0.0, 2.0]))
    array([0., 0., 2.])
    """

    flops = per_output(1)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0)."""
        return np.maximum(x, 0)


@registry.register("nn.ReLU6", "F.relu6")
class ReLU6(Activation):
    """(...) -> (...): min(max(x, 0), 6); the element type stays."""

    flops = per_output(2)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute min(max(x, 0), 6)."""
        return np.clip(x, 0, 6)


@registry.register("nn.LeakyReLU", "F.leaky_relu")
class LeakyReLU(Activation):
    """(...) -> (...): x where x > 0, negative_slope * x elsewhere."""

    flops = per_output(2)

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0) + negative_slope * min(x, 0)."""
        return np.where(x > 0, x, x * x.dtype.type(self.negative_slope))


@registry.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")
class Sigmoid(Activation):
    """(...) -> (...): 1 / (1 + e^-x), between 0 and 1.

    e^-x overflows for a large negative x. Written as e^min(x, 0) / (1 + e^-|x|), no exponent is ever positive: for
    x >= 0 that is 1 / (1 + e^-x), and for x < 0 it is e^x / (1 + e^x), the same number.

    >>> Sigmoid().forward(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """

    flops = per_output(4)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute 1 / (1 + e^-x) without overflow."""
        x = as_float(x)
        y = single(x)
        return (np.exp(np.minimum(y, 0)) / (1 + np.exp(-np.abs(y)))).astype(x.dtype, copy=False)


@registry.register("nn.Tanh", "F.tanh", "torch.tanh")
class Tanh(Activation):
    """(...) -> (...): (e^x - e^-x) / (e^x + e^-x), between -1 and 1."""

    flops = per_output(1)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute tanh(x)."""
        return np.tanh(as_float(x))


@registry.register("nn.SiLU", "F.silu")
class SiLU(Activation):
    """(...) -> (...): x * sigmoid(x).

    Because sigmoid(x) = (1 + tanh(x/2)) / 2, one tanh is enough, in half the time of two exponentials.
    """

    kinds = "fc"
    flops = per_output(5)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x * sigmoid(x)."""
        half = x / 2
        return half * (1 + np.tanh(half))


@registry.register("nn.Hardsigmoid", "F.hardsigmoid")
class Hardsigmoid(Activation):
    """(...) -> (...): min(max(x + 3, 0), 6) / 6, straight lines near the sigmoid."""

    flops = per_output(4)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute relu6(x + 3) / 6."""
        return np.clip(x + 3, 0, 6) / 6


@registry.register("nn.Hardswish", "F.hardswish")
class Hardswish(Activation):
    """(...) -> (...): x * hardsigmoid(x)."""

    flops = per_output(5)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x * relu6(x + 3) / 6."""
        return x * (np.clip(x + 3, 0, 6) / 6)


@registry.register("nn.GELU", "F.gelu")
class GELU(Activation):
    """(...) -> (...): x * P(Z <= x) for a standard normal Z.

    Parameters
    ----------
    approximate : "none" computes x/2 * (1 + erf(x / sqrt 2)); "tanh" computes
        x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
    """

    flops = per_output(5)

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise ParameterError("approximate", "'none' or 'tanh'", repr(approximate))
        self.approximate = approximate

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x * P(Z <= x)."""
        if self.approximate == "tanh":
            return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)))
        return x / 2 * (1 + erf(x / math.sqrt(2)))


@registry.register("nn.ELU", "F.elu")
class ELU(Activation):
    """(...) -> (...): x where x > 0, alpha * (e^x - 1) elsewhere.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ELU.html

    >>> ELU(alpha=2.0).forward(np.array([-np.inf, 0.0, 3.0])).tolist()
    [-2.0, 0.0, 3.0]
    """

    flops = per_output(3)

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0) + alpha * (e^min(x, 0) - 1)."""
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))


@registry.register("nn.CELU", "F.celu")
class CELU(Activation):
    """(...) -> (...): x where x > 0, alpha * (e^(x/alpha) - 1) elsewhere: smooth at 0 for every alpha.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CELU.html
    """

    flops = per_output(4)

    def __init__(self, alpha: float = 1.0) -> None:
        if alpha == 0:
            raise ParameterError("alpha", "a number other than 0", "0")
        self.alpha = alpha

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0) + alpha * (e^(min(x, 0)/alpha) - 1)."""
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0) * (1 / self.alpha)))


@registry.register("nn.SELU", "F.selu", "torch.selu")
class SELU(Activation):
    """(...) -> (...): scale * ELU(x) with the scale and alpha that keep mean 0 and variance 1 from layer to layer.

    Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017), https://arxiv.org/abs/1706.02515;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.SELU.html
    """

    flops = per_output(4)
    alpha: ClassVar[float] = 1.6732632423543772848170429916717
    scale: ClassVar[float] = 1.0507009873554804934193349852946

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute scale * ELU(x)."""
        return self.scale * np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))


@registry.register("nn.Mish", "F.mish")
class Mish(Activation):
    """(...) -> (...): x * tanh(log(1 + e^x)).

    With e = e^x, tanh(log(1 + e)) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1) = n / (n + 2) for n = e * (e + 2): one
    exponential is enough. From x = 20 on the fraction is 1 to the last bit, even in float64.

    Source: Misra, "Mish" (2019), https://arxiv.org/abs/1908.08681;
    https://docs.pytorch.org/docs/stable/generated/torch.nn.Mish.html
    """

    flops = per_output(5)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x * n / (n + 2)."""
        e = np.exp(np.minimum(x, 20))
        n = e * (e + 2)
        with np.errstate(invalid="ignore"):  # -infinity gives NaN, as in PyTorch
            return x * (n / (n + 2))


@registry.register("nn.Softplus", "F.softplus")
class Softplus(Activation):
    """(...) -> (...): log(1 + e^(beta * x)) / beta, a smooth ReLU; x itself where beta * x > threshold.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softplus.html
    """

    flops = per_output(3)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta, self.threshold = beta, threshold

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute log(1 + e^(beta * x)) / beta."""
        z = x * x.dtype.type(self.beta)
        with np.errstate(divide="ignore"):  # beta = 0 gives infinity
            return np.where(z > self.threshold, x, np.log1p(np.exp(z)) / x.dtype.type(self.beta))


@registry.register("nn.Softsign", "F.softsign")
class Softsign(Activation):
    """(...) -> (...): x / (1 + |x|); float32 for integers, complex numbers too.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softsign.html
    """

    kinds = "fic"
    floating = True
    flops = per_output(3)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x / (1 + |x|)."""
        with np.errstate(invalid="ignore"):  # infinity gives NaN, as in PyTorch
            return x / (1 + np.abs(x))


@registry.register("nn.LogSigmoid", "F.logsigmoid")
class LogSigmoid(Activation):
    """(...) -> (...): log(1 / (1 + e^-x)), as min(x, 0) - log(1 + e^-|x|), in which no exponent is positive.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html
    """

    flops = per_output(4)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute log(sigmoid(x))."""
        return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@registry.register("nn.Tanhshrink", "F.tanhshrink")
class Tanhshrink(Activation):
    """(...) -> (...): x - tanh(x); float32 for integers, complex numbers too.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanhshrink.html
    """

    kinds = "fic"
    floating = True
    flops = per_output(2)

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x - tanh(x)."""
        return x - np.tanh(x)


@registry.register("nn.Hardshrink", "F.hardshrink", "torch.hardshrink")
class Hardshrink(Activation):
    """(...) -> (...): 0 where -lambd <= x <= lambd, x elsewhere.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardshrink.html
    """

    flops = per_output(1)

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Cut out the middle."""
        return np.where((x >= -self.lambd) & (x <= self.lambd), x.dtype.type(0), x)


@registry.register("nn.Softshrink", "F.softshrink")
class Softshrink(Activation):
    """(...) -> (...): x moved towards 0 by lambd, and 0 where it is nearer than that.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Softshrink.html

    >>> Softshrink(lambd=1.0).forward(np.array([-3.0, 0.5, 3.0])).tolist()
    [-2.0, 0.0, 2.0]
    """

    flops = per_output(2)

    def __init__(self, lambd: float = 0.5) -> None:
        if lambd < 0:
            raise ParameterError("lambd", "a number >= 0", str(lambd))
        self.lambd = lambd

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute x - clip(x, -lambd, lambd), without inf - inf."""
        near = np.clip(x, -self.lambd, self.lambd)
        return np.subtract(x, near, dtype=x.dtype)


@registry.register("nn.Hardtanh", "F.hardtanh")
class Hardtanh(Activation):
    """(...) -> (...): x between min_val and max_val, the nearer of the two elsewhere; integers stay integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html
    """

    kinds = "fi"
    flops = per_output(2)

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        if min_val > max_val:
            raise ParameterError("min_val", f"at most max_val = {max_val}", str(min_val))
        self.min_val, self.max_val = min_val, max_val

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Compute min(max(x, min_val), max_val)."""
        if x.dtype.kind == "u" and self.min_val < 0:
            raise ParameterError("min_val", f"a limit >= 0 for {x.dtype}", str(self.min_val))
        low, high = np.array([self.min_val, self.max_val]).astype(x.dtype)
        return np.clip(x, low, high)


@registry.register("nn.Threshold", "F.threshold", "torch.threshold")
class Threshold(Activation):
    """(...) -> (...): x where x > threshold, `value` elsewhere; integers stay integers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Threshold.html
    """

    kinds = "fi"
    flops = per_output(1)

    def __init__(self, threshold: float, value: float) -> None:
        self.threshold, self.value = threshold, value

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Replace what is not above the threshold."""
        threshold, value = np.array([self.threshold, self.value]).astype(x.dtype)
        return np.where(x <= threshold, value, x)


@registry.register("nn.RReLU", "F.rrelu", "torch.rrelu")
class RReLU(LeakyReLU):
    """(...) -> (...): LeakyReLU whose slope training draws from lower..upper; afterwards it is the middle of the two.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RReLU.html
    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__((lower + upper) / 2)


@registry.register("nn.PReLU", "F.prelu", "torch.prelu")
class PReLU(Layer):
    """(N, C, ...) -> (N, C, ...): x where x > 0, weight * x elsewhere, with a learned weight.

    Parameters
    ----------
    weight : one number for all elements, or C numbers, one per channel (axis 1).
    num_parameters : how many; what the model file says of the weight.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.PReLU.html

    >>> PReLU(np.array([0.5, 0.25])).forward(np.array([[-4.0, -4.0]])).tolist()
    [[-2.0, -1.0]]
    """

    flops = per_output(2)
    family = ACTIVATION

    def __init__(self, weight: np.ndarray, num_parameters: int | None = None) -> None:
        if weight.ndim > 1 or num_parameters not in (None, weight.size):
            expected = "a number or a list of them" if num_parameters is None else f"shape ({num_parameters},)"
            raise ParameterError("weight", expected, str(weight.shape))
        self.weight = weight

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Multiply what is negative. Raises ShapeError when x has another number of channels than the weight."""
        check_dtype("PReLU", x, "f", self.weight)
        weight = self.weight.reshape(-1)
        if weight.size != 1 and (x.ndim < 2 or x.shape[1] != weight.size):
            raise ChannelError("PReLU input", f"{weight.size} channels in axis 1, as the weight has", x.shape)
        per_channel = weight.reshape(-1, *(1,) * (x.ndim - 2)) if x.ndim > 1 else weight.reshape(())
        return np.where(x > 0, x, x * per_channel)


@registry.register("nn.GLU", "F.glu")
class GLU(Layer):
    """(..., 2n, ...) -> (..., n, ...): first half along `dim` times the sigmoid of the second, which is its gate.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GLU.html

    >>> GLU().forward(np.array([3.0, 5.0, 0.0, 1000.0])).tolist()
    [1.5, 5.0]
    """

    flops = per_output(5)
    family = ACTIVATION

    def __init__(self, dim: int = -1) -> None:
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute a * sigmoid(b). Raises ShapeError when `dim` has an odd size."""
        check_dtype("GLU", x, "f")
        if not -x.ndim <= self.dim < x.ndim or x.shape[self.dim] % 2:
            raise RankError("GLU input", f"an even size in dimension dim = {self.dim}", x.shape)
        value, gate = np.split(single(x), 2, axis=self.dim)
        return (value * Sigmoid().forward(gate)).astype(x.dtype, copy=False)
