"""The runtime graph (lessons 3 and 4): operators, operands, execution order."""

from kuiper.runtime.graph import GraphState, Outputs, RuntimeGraph
from kuiper.runtime.operand import RuntimeAttribute, RuntimeOperand, RuntimeParameter, RuntimeParameterType
from kuiper.runtime.operator import RuntimeOperator
from kuiper.runtime.order import reverse_post_order, topological_order
from kuiper.runtime.plan import Lifetime, MemoryPlan, lifetimes, plan_memory
from kuiper.runtime.toolbox import Toolbox, init_graph_params

__all__ = [
    "GraphState",
    "Lifetime",
    "MemoryPlan",
    "Outputs",
    "RuntimeAttribute",
    "RuntimeGraph",
    "RuntimeOperand",
    "RuntimeOperator",
    "RuntimeParameter",
    "RuntimeParameterType",
    "Toolbox",
    "init_graph_params",
    "lifetimes",
    "plan_memory",
    "reverse_post_order",
    "topological_order",
]
