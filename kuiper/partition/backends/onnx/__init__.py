"""Sub-graphs as ONNX models: the operators of convolutional networks, written with onnx.helper.

model.py        a sub-graph -> the bytes of a model, or why an operator cannot be written
builder.py      the nodes and constants of a model in the making
operators.py    one function for each kind of layer
"""

from kuiper.partition.backends.onnx.model import onnx_model, refusal

__all__ = ["onnx_model", "refusal"]
