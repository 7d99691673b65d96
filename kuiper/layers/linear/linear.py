"""Linear (lesson 8): the fully connected layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.dtypes import single
from kuiper.errors import ParameterError, ShapeError
from kuiper.layers.checks import check_dtype
from kuiper.layers.cost import Shapes, known, size
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.quantize import QuantizedWeight, check_activations, dequantized, integer_product, quantized_rows


@registry.register("nn.Linear", "F.linear")
class Linear(Layer):
    """(..., in_features) -> (..., out_features): y = x @ weight.T + bias along the last axis.

    Parameters
    ----------
    weight : (out_features, in_features), in fewer bits too; F.linear also takes (in_features,), which gives (...).
    bias : (out_features,), or None.
    activation_bits : 8 beside a weight of 8 bits: x is rounded too, see kuiper.quantize.activations; 32: it is not.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html

    >>> Linear(np.array([[1.0, 2], [3, 4]]), np.array([10.0, 20])).forward(np.array([[1.0, 1]]))
    array([[13., 27.]])
    """

    family = LINEAR
    weights = ("weight", "bias")
    compact = ("weight",)

    def __init__(
        self,
        weight: np.ndarray | QuantizedWeight,
        bias: np.ndarray | None = None,
        in_features: int | None = None,
        out_features: int | None = None,
        activation_bits: int = 32,
    ) -> None:
        check_activations(activation_bits, weight)
        if weight.ndim not in (1, 2):
            raise ParameterError("weight", "shape (out_features, in_features)", str(weight.shape))
        of_weight = {"in_features": weight.shape[-1], "out_features": weight.shape[0] if weight.ndim == 2 else None}
        for name, value in (("in_features", in_features), ("out_features", out_features)):
            if value is not None and value != of_weight[name]:
                raise ParameterError(name, repr(of_weight[name]), f"{value!r}; weight {weight.shape} says otherwise")
        self.weight: np.ndarray | QuantizedWeight = weight if weight.ndim == 2 else dequantized(weight)
        self.bias, self.activation_bits = bias, activation_bits

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every output element sums in_features products, and the bias."""
        return size(outputs[0]) * (2 * self.weight.shape[-1] + (self.bias is not None))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The product. Raises ShapeError when the last axis of `x`, or the shape of `bias`, does not fit the weight."""
        check_dtype("Linear", x, "fic", self.weight[:0], self.bias)
        features = self.weight.shape[-1]
        if x.ndim == 0 or x.shape[-1] != features:
            raise ShapeError("Linear input", f"in_features = {features} numbers in the last axis", x.shape)
        y: Any = _product(single(x), self.weight, self.activation_bits)
        if self.bias is not None:
            if not _fits(self.bias.shape, y.shape):
                raise ShapeError("Linear bias", str(y.shape[-1:]), self.bias.shape)
            y += self.bias
        return np.asarray(y, x.dtype)


def _product(x: np.ndarray, weight: np.ndarray | QuantizedWeight, activation_bits: int) -> np.ndarray:
    """x @ weight.T; of a weight in fewer bits, some rows at a time become what is multiplied."""
    if not isinstance(weight, QuantizedWeight):
        return np.asarray(x @ single(weight).T)
    y = np.empty((*x.shape[:-1], len(weight)), np.float32)
    integers = quantized_rows(x, weight.block) if activation_bits == 8 else None
    for rows in weight.pieces():
        y[..., rows] = x @ weight[rows].T if integers is None else integer_product(*integers, weight, rows)
    return y


@registry.register("F.bilinear", "aten::bilinear")
class Bilinear(Layer):
    """(..., in1), (..., in2) -> (..., out): y[o] = x1 @ weight[o] @ x2 + bias[o]. weight (out, in1, in2), bias (out).

    PNNX has no nn.Bilinear of its own: it writes the operation that PyTorch runs, with weight and bias as inputs.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Bilinear.html

    >>> Bilinear().forward(np.array([1.0, 2]), np.array([3.0, 4]), np.eye(2)[None], None)
    array([11.])
    """

    family = LINEAR

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every output element sums in1 x in2 products of three numbers, and the bias."""
        _, in1, in2 = known(inputs[2])
        return size(outputs[0]) * (3 * in1 * in2 + (len(inputs) > 3 and inputs[3] is not None))

    def forward(self, x1: np.ndarray, x2: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
        """The product. Raises ShapeError when the last axes do not fit the weight."""
        check_dtype("Bilinear", x1, "f", x2, weight, bias)
        if x1.shape[:-1] != x2.shape[:-1] or weight.ndim != 3 or (x1.shape[-1:] + x2.shape[-1:]) != weight.shape[1:]:
            expected = "(..., in1), (..., in2) and weight (out, in1, in2)"
            raise ShapeError("Bilinear", expected, f"{x1.shape}, {x2.shape} and {weight.shape}")
        y = np.einsum("...i,oij,...j->...o", single(x1), single(weight), single(x2), optimize=True)
        return (y if bias is None else y + bias).astype(x1.dtype, copy=False)


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be added to one of shape `whole` without making it larger."""
    return len(shape) <= len(whole) and all(n in (1, m) for n, m in zip(shape[::-1], whole[::-1]))
