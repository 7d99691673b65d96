"""What is drawn of a graph: the same nodes from a pnnx.Graph and from a RuntimeGraph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kuiper.errors import GraphError, KuiperError
from kuiper.graph import topological_order
from kuiper.show.palette import Family


@dataclass
class Node:
    """One operator as it is drawn. `inputs` are operand names by slot, `outputs` names and labels."""

    name: str
    type: str
    inputs: list[str]
    outputs: list[tuple[str, str]]
    options: str = ""
    family: Family | None = None
    width: float = 0.0
    x: float = 0.0
    y: float = 0.0
    exits: dict[str, float] = field(default_factory=dict)  # operand -> x from the middle of the box


def nodes_in_order(graph: Any) -> list[Node]:
    """A graph's operators, each after those it reads from.

    Operands that nothing produces, as in a part of a graph, come from a node of their own.
    Raises KuiperError for what is no graph, GraphError for a cycle or two operators of one name.
    """
    return _in_order(_nodes(graph))


def _nodes(graph: Any) -> list[Node]:
    operators = getattr(graph, "operators", None)
    if not isinstance(operators, Iterable):
        raise KuiperError(f"show_graph: expected a pnnx.Graph or a RuntimeGraph, found {type(graph).__name__}")
    nodes = [_node(op) for op in (operators.values() if isinstance(operators, dict) else operators)]
    made = {operand for node in nodes for operand, _ in node.outputs}
    outside = dict.fromkeys(operand for node in nodes for operand in node.inputs if operand not in made)
    return [Node(f"from outside: {name}", "pnnx.Input", [], [(name, "")]) for name in outside] + nodes


def _node(op: Any) -> Node:
    if not hasattr(op, "name") or not hasattr(op, "type"):
        raise KuiperError(f"show_graph: expected operators with name and type, found {type(op).__name__}")
    inputs = op.inputs if hasattr(op, "inputs") else getattr(op, "inputs", ())
    outputs = op.outputs if hasattr(op, "outputs") else getattr(op, "outputs", ())
    options = [f"{key}={getattr(value, 'value', value)}" for key, value in getattr(op, "params", {}).items()]
    options += [f"@{key}={_label(value)}" for key, value in getattr(op, "attributes", {}).items()]
    return Node(op.name, op.type, [x.name for x in inputs], [(x.name, _label(x)) for x in outputs], "\n".join(options))


def _label(operand: Any) -> str:
    """Shape and type of an operand or attribute, of either graph; whatever is unknown is left out."""
    shape = getattr(operand, "shape", getattr(operand, "shapes", None))
    dtype = getattr(operand, "dtype", getattr(operand, "type", None))
    sizes = "" if shape is None else "x".join("?" if size < 0 else str(size) for size in shape) or "scalar"
    return f"{sizes} {getattr(dtype, 'code', '')}".strip()


def _in_order(nodes: Sequence[Node]) -> list[Node]:
    readers: dict[str, list[str]] = {}
    for node in nodes:
        for operand in node.inputs:
            readers.setdefault(operand, []).append(node.name)
    by_name = {node.name: node for node in nodes}
    if len(by_name) < len(nodes):
        raise GraphError("show_graph: expected operators with different names, found two of one name")
    successors = {n.name: [r for operand, _ in n.outputs for r in readers.get(operand, ())] for n in nodes}
    return [by_name[name] for name in topological_order(successors)]
