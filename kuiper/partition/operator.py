"""A runtime operator as the model file had it, for the back ends."""

from __future__ import annotations

import numpy as np

from kuiper import pnnx
from kuiper.runtime import RuntimeOperator


def as_pnnx(operator: RuntimeOperator, casts_to: np.dtype | None = None) -> pnnx.Operator:
    """A runtime operator as the model file had it; weights are shared unless they are cast."""
    twin = pnnx.Operator(operator.type, operator.name, line=operator.line)
    twin.inputs = [pnnx.Operand(o.name, shape=o.shapes, dtype=o.type) for o in operator.input_operands]
    twin.outputs = [pnnx.Operand(o.name, shape=o.shapes, dtype=o.type) for o in operator.output_operands]
    twin.input_names = list(operator.input_names)
    for name, parameter in operator.params.items():
        twin.params[name] = pnnx.Parameter(pnnx.ParameterKind(int(parameter.type)), parameter.value)
    for name, attribute in operator.attributes.items():
        weights = attribute.get()
        cast = casts_to is not None and weights.dtype.kind == "f"
        twin.attributes[name] = pnnx.Attribute.from_array(weights.astype(casts_to) if cast else weights)
    return twin
