"""kuiper: an inference framework for PNNX networks, in Python and numpy.

>>> import kuiper, numpy as np
>>> graph = kuiper.load("models/digits/digits.pnnx.param")
>>> logits, = graph(np.zeros((1, 1, 8, 8), np.float32))
>>> logits.shape
(1, 10)
"""

from kuiper.compiled import CompiledExecutor as _CompiledExecutor  # noqa: F401  offers engines "compiled" and "auto"
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
from kuiper.fast import PlanExecutor as _PlanExecutor  # noqa: F401  offers engine "fast"
from kuiper.graph import Attribute as RuntimeAttribute
from kuiper.graph import Operand as RuntimeOperand
from kuiper.graph import Operator as RuntimeOperator
from kuiper.graph import Parameter as RuntimeParameter
from kuiper.layers import Layer, LayerRegisterer, registry
from kuiper.runtime import GraphState, RuntimeGraph, load
from kuiper.tensor import Tensor
from kuiper.toolbox import Toolbox

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
