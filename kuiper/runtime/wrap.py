"""From the file's graph to runtime operators (lesson 3), and the relations between them (lesson 4)."""

from __future__ import annotations

from kuiper import pnnx
from kuiper.errors import GraphError, KuiperError
from kuiper.runtime.operand import RuntimeAttribute, RuntimeOperand, RuntimeParameter
from kuiper.runtime.operator import RuntimeOperator
from kuiper.runtime.toolbox import Toolbox


def wrap_operators(graph: pnnx.Graph, toolbox: Toolbox) -> list[RuntimeOperator]:
    """One RuntimeOperator for each operator of the file, in file order, sharing one RuntimeOperand per operand."""
    operands = {name: RuntimeOperand(name, o.shape, o.dtype) for name, o in graph.operands.items()}
    return [
        RuntimeOperator(
            name=op.name,
            type=op.type,
            input_operands=[operands[o.name] for o in op.inputs],
            input_names=list(op.input_names),
            output_operands=[operands[o.name] for o in op.outputs],
            params=_params(op, toolbox),
            attributes={key: _attribute(a) for key, a in op.attributes.items()},
            toolbox=toolbox,
            line=op.line,
        )
        for op in graph.operators
    ]


def connect(operators: list[RuntimeOperator]) -> None:
    """Tell every operator which operators fill its slots (`producers`) and which read its outputs."""
    producer_of = {operand.name: op for op in operators for operand in op.output_operands}
    for op in operators:
        op.producers = [producer_of[operand.name] for operand in op.input_operands]
        for producer in op.producers:
            producer.output_operators[op.name] = op


def execution_order(operators: list[RuntimeOperator], toolbox: Toolbox) -> list[RuntimeOperator]:
    """The operators so that each comes after its producers.

    Raises GraphError for a cycle, and for an order that misses an operator or puts one before its producer: the
    function that finds the order may be a student's.
    """
    by_name = {op.name: op for op in operators}
    names = toolbox.topological_order({op.name: list(op.output_operators) for op in operators})
    unknown = [name for name in names if name not in by_name]
    if unknown or len(names) != len(by_name) or len(set(names)) != len(names):
        missing = sorted(by_name.keys() - set(names)) or unknown or "an operator listed twice"
        raise GraphError(f"execution order: expected each of {len(by_name)} operators once, found fault with {missing}")
    done: set[str] = set()
    for name in names:
        for producer in by_name[name].producers:
            if producer.name not in done:
                raise GraphError(f"execution order: expected {producer.name} before {name}, which reads it")
        done.add(name)
    return [by_name[name] for name in names]


def _attribute(attribute: pnnx.Attribute) -> RuntimeAttribute:
    weights = attribute.data.view()
    weights.flags.writeable = False
    return RuntimeAttribute(attribute.dtype, attribute.shape, weights)


def _params(op: pnnx.Operator, toolbox: Toolbox) -> dict[str, RuntimeParameter]:
    try:
        return toolbox.init_graph_params(op.params)
    except KuiperError as error:
        raise error.at(op.name) from None
