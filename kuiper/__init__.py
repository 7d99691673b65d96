"""kuiper: an inference framework for PNNX networks, in Python and numpy.

>>> import kuiper, numpy as np
>>> graph = kuiper.load("models/digits/digits.pnnx.param")
>>> logits, = graph(np.zeros((1, 1, 8, 8), np.float32))
>>> logits.shape
(1, 10)
"""

from kuiper.engine import RuntimeGraph, load
from kuiper.errors import (
    ExpressionError,
    GraphError,
    InferError,
    InferStatus,
    KuiperError,
    ModelFormatError,
    ParameterError,
    ParseParameterAttrStatus,
    ShapeError,
    UnsupportedOperatorError,
)
from kuiper.layers import Layer, LayerRegisterer, registry
from kuiper.runtime import (
    GraphState,
    RuntimeAttribute,
    RuntimeOperand,
    RuntimeOperator,
    RuntimeParameter,
    Toolbox,
)
from kuiper.tensor import Tensor

__version__ = "0.1.0"

__all__ = [
    "ExpressionError",
    "GraphError",
    "GraphState",
    "InferError",
    "InferStatus",
    "KuiperError",
    "Layer",
    "LayerRegisterer",
    "ModelFormatError",
    "ParameterError",
    "ParseParameterAttrStatus",
    "RuntimeAttribute",
    "RuntimeGraph",
    "RuntimeOperand",
    "RuntimeOperator",
    "RuntimeParameter",
    "ShapeError",
    "Tensor",
    "Toolbox",
    "UnsupportedOperatorError",
    "__version__",
    "load",
    "registry",
]
