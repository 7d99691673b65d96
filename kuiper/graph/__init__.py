"""The graph (lessons 3 and 4): operators and operands, their order, how long values live and where they may lie."""

from kuiper.graph.memory import (
    Extent,
    Lifetime,
    MemoryPlan,
    declared_extents,
    lifetimes,
    memory_plan_of,
    plan_memory,
    releases,
)
from kuiper.graph.operator import (
    BOUNDARY,
    Attribute,
    Graph,
    Operand,
    Operator,
    Parameter,
    ParameterKind,
    Shape,
    shape_text,
)
from kuiper.graph.order import find_cycle, reverse_post_order, topological_order

__all__ = [
    "BOUNDARY",
    "Attribute",
    "Extent",
    "Graph",
    "Lifetime",
    "MemoryPlan",
    "Operand",
    "Operator",
    "Parameter",
    "ParameterKind",
    "Shape",
    "declared_extents",
    "find_cycle",
    "lifetimes",
    "memory_plan_of",
    "plan_memory",
    "releases",
    "reverse_post_order",
    "shape_text",
    "topological_order",
]
