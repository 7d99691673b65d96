"""The runtime graph (lessons 3 and 4): operators, operands, execution order."""

from kuiper.runtime.operand import RuntimeAttribute, RuntimeOperand, RuntimeParameter, RuntimeParameterType
from kuiper.runtime.operator import RuntimeOperator
from kuiper.runtime.order import reverse_post_order, topological_order
from kuiper.runtime.toolbox import Toolbox, init_graph_params

__all__ = [
    "RuntimeAttribute",
    "RuntimeOperand",
    "RuntimeOperator",
    "RuntimeParameter",
    "RuntimeParameterType",
    "Toolbox",
    "init_graph_params",
    "reverse_post_order",
    "topological_order",
]
