"""A sub-graph -> an ONNX model. Needs the onnx package only where the bytes are written."""

from __future__ import annotations

import importlib
from typing import Any

from kuiper.errors import KuiperError
from kuiper.graph import BOUNDARY, Operand, Operator
from kuiper.partition.backends.onnx.builder import Builder
from kuiper.partition.backends.onnx.operators import writes
from kuiper.partition.backends.writers import CannotExpressError
from kuiper.runtime import RuntimeGraph

ONNX_FLOATS = ("float16", "float32")
OPSET, IR_VERSION = 17, 8


def refusal(operator: Operator) -> str | None:
    """Why an operator cannot be written as ONNX, or None: its type, an option, or an operand not in ONNX_FLOATS."""
    try:
        _write(Builder(), operator)
    except KuiperError as error:
        return error.message
    return None


def onnx_model(graph: RuntimeGraph) -> bytes:
    """The model of a built sub-graph. Its inputs and outputs bear the operands' names; open dimensions stay open.

    Raises CannotExpressError, ModuleNotFoundError where onnx is missing.
    """
    onnx: Any = importlib.import_module("onnx")
    builder = Builder()
    for op in graph.operators:
        if op.type not in BOUNDARY:
            _write(builder, op)
    nodes = [onnx.helper.make_node(n.type, n.inputs, n.outputs, **n.attributes) for n in builder.nodes]
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in builder.constants.items()]
    inputs, outputs = ([_information(onnx, o) for o in operands] for operands in (graph.inputs, graph.outputs))
    made = onnx.helper.make_graph(nodes, "sub-graph", inputs, outputs, constants)
    model = onnx.helper.make_model(made, opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    content: bytes = model.SerializeToString()
    return content


def _write(builder: Builder, op: Operator) -> None:
    write, op = writes.find(op)
    for operand in (*op.inputs, *op.outputs):
        found = operand.dtype.torch if operand.dtype is not None else "an unknown type"
        if found not in ONNX_FLOATS:
            raise CannotExpressError(
                f"{op.type}: expected {' or '.join(ONNX_FLOATS)}, operand {operand.name} has {found}"
            )
    write(builder, op, op.layer)


def _information(onnx: Any, operand: Operand) -> Any:
    """Name, element type and extents of an input or output; None for an extent that only the run tells."""
    assert operand.dtype is not None
    kind = onnx.helper.np_dtype_to_tensor_dtype(operand.dtype.compute)
    extents = None if operand.shape is None else [None if size == -1 else size for size in operand.shape]
    return onnx.helper.make_tensor_value_info(operand.name, kind, extents)
