"""The PNNX file format (lesson 3): reader, writer, and the archive of the weights."""

from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind, Shape
from kuiper.pnnx.archive import Archive
from kuiper.pnnx.parameters import parse, to_text
from kuiper.pnnx.reader import read
from kuiper.pnnx.writer import write

__all__ = [
    "Archive",
    "Attribute",
    "Graph",
    "Operand",
    "Operator",
    "Parameter",
    "ParameterKind",
    "Shape",
    "parse",
    "read",
    "to_text",
    "write",
]
