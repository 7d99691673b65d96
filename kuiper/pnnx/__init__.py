"""The PNNX file format (lesson 3): reader, writer, and the archive of the weights."""

from kuiper.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind, Shape
from kuiper.pnnx.archive import Archive
from kuiper.pnnx.line import parse_operator
from kuiper.pnnx.parameters import parse, parse_parameter, to_text
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
    "parse_operator",
    "parse_parameter",
    "read",
    "to_text",
    "write",
]
