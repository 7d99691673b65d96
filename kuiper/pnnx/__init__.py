"""The PNNX file format (lesson 3): graph, reader, writer."""

from kuiper.pnnx.graph import Attribute, Graph, Operand, Operator, Parameter, ParameterKind, Shape

__all__ = ["Attribute", "Graph", "Operand", "Operator", "Parameter", "ParameterKind", "Shape"]
