"""What can be said about a graph as a whole: the operators on a cycle, and what deserves a warning."""

from __future__ import annotations

from kuiper.graph import Graph, Operator

NORMAL_LEFTOVERS = {"prim::TupleConstruct", "prim::TupleUnpack", "prim::DictConstruct", "prim::ListConstruct"}


def find_cycle(graph: Graph) -> list[Operator]:
    """Operators each of which the next one reads, and the last the first; empty when there is no cycle.

    Remove operators whose inputs are all there until none is left (Kahn); what remains waits for something that
    remains, so following the inputs must come back to where it was. The cycle begins with the operator that stands
    first in the file. O(operators + slots), no recursion.
    """
    waiting = {op.name: len(op.inputs) for op in graph}
    ready = [op for op in graph if not op.inputs]
    for op in ready:  # grows while it is read
        del waiting[op.name]
        for operand in op.outputs:
            for consumer in operand.consumers:
                waiting[consumer.name] -= 1
                if waiting[consumer.name] == 0:
                    ready.append(consumer)
    if not waiting:
        return []
    op = next(op for op in graph if op.name in waiting)
    seen: dict[str, Operator] = {}
    while op.name not in seen:
        seen[op.name] = op
        op = next(o.producer for o in op.inputs if o.producer is not None and o.producer.name in waiting)
    path = list(seen)
    cycle = path[path.index(op.name) :]
    members = set(cycle)
    first = next(op.name for op in graph if op.name in members)
    at = cycle.index(first) + 1
    return [seen[name] for name in reversed(cycle[at:] + cycle[:at])]


def warnings_of(graph: Graph) -> list[str]:
    """Sentences about what is allowed but rarely meant.

    Inputs that nothing reads; operators that PNNX left as TorchScript wrote them.
    """
    sentences = []
    for op in graph:
        if op.type == "pnnx.Input":
            unused = [operand.name for operand in op.outputs if not operand.consumers]
            sentences += [f"{op.name}: nothing reads operand {name}, an input of the network" for name in unused]
        elif op.type.startswith(("aten::", "prim::")) and op.type not in NORMAL_LEFTOVERS:
            sentences.append(f"{op.name}: PNNX left {op.type} as TorchScript wrote it")
    return sentences
