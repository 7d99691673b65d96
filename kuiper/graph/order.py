"""Execution order (lesson 4): every operator after those it reads from, for any graph without a cycle."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

from kuiper.errors import GraphError
from kuiper.graph.operator import Operator


def topological_order(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """Names in an order in which every name comes before its successors; O(V log V + E).

    Kahn's algorithm: take a node whose predecessors are all done; among several, the one that `successors` lists
    first, so that a file already in order keeps its order.

    Raises GraphError that names a cycle, or a successor that is no node.
    Source: A. B. Kahn, Topological sorting of large networks, CACM 5(11), 1962.

    >>> topological_order({"in": ["a", "b"], "b": ["out"], "a": ["b"], "out": []})
    ['in', 'a', 'b', 'out']
    """
    position = {name: i for i, name in enumerate(successors)}
    waiting = dict.fromkeys(successors, 0)
    for name, followers in successors.items():
        for follower in set(followers):
            _check_node(name, follower, successors)
            waiting[follower] += 1
    ready = [(position[name], name) for name, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(name)
        for follower in set(successors[name]):
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(ready, (position[follower], follower))
    if len(order) < len(successors):
        raise GraphError("the graph has a cycle: " + cycle_text(find_cycle(successors)))
    return order


def reverse_post_order(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """The depth-first order of the original course, for comparison: a stack instead of recursion; O(V+E).

    A node is finished when all its successors are; the order is the reverse of the finishing order.
    Raises GraphError that names a cycle, or a successor that is no node.

    >>> graph = {"in": ["op1"], "op1": ["op3"], "op3": ["op4", "op5"], "op4": [], "op5": ["out"], "out": []}
    >>> reverse_post_order(graph)
    ['in', 'op1', 'op3', 'op5', 'out', 'op4']
    """
    finished: dict[str, bool] = {}  # False while the node is on the stack's path
    post_order: list[str] = []
    for root in reversed(roots(successors)):
        stack = [(root, iter(successors[root]))]
        finished.setdefault(root, False)
        while stack:
            name, followers = stack[-1]
            for follower in followers:
                if follower not in finished:
                    _check_node(name, follower, successors)
                    finished[follower] = False
                    stack.append((follower, iter(successors[follower])))
                    break
                if not finished[follower]:
                    raise GraphError("the graph has a cycle: " + cycle_text(find_cycle(successors)))
            else:
                stack.pop()
                finished[name] = True
                post_order.append(name)
    if len(post_order) < len(successors):
        raise GraphError("the graph has a cycle: " + cycle_text(find_cycle(successors)))
    return post_order[::-1]


def _check_node(name: str, follower: str, successors: Mapping[str, Sequence[str]]) -> None:
    if follower not in successors:
        raise GraphError(f"{name} leads to {follower!r}, which is no node of the graph")


def successors_of(operators: Iterable[Operator]) -> dict[str, list[str]]:
    """Operator name -> names of the operators that read one of its outputs."""
    return {op.name: list(op.output_operators) for op in operators}


def roots(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that no other leads to, in the order of the mapping."""
    followed = {follower for followers in successors.values() for follower in followers}
    return [name for name in successors if name not in followed]


def find_cycle(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """The names along one cycle, from its member that is listed first; empty when there is none; O(V + E).

    Each name leads to the next, and the last to the first.

    >>> find_cycle({"in": ["b"], "a": ["b", "out"], "b": ["a"], "out": []})
    ['a', 'b']
    """
    done: set[str] = set()
    for start in successors:
        if start in done:
            continue
        path = [start]
        on_path = {start}
        pending = [iter(successors[start])]
        while pending:
            for follower in pending[-1]:
                if follower in on_path:
                    return _from_the_first(path[path.index(follower) :], successors)
                if follower not in done and follower in successors:
                    path.append(follower)
                    on_path.add(follower)
                    pending.append(iter(successors[follower]))
                    break
            else:
                pending.pop()
                on_path.discard(path[-1])
                done.add(path.pop())
    return []


def _from_the_first(cycle: list[str], listed: Iterable[str]) -> list[str]:
    members = set(cycle)
    start = cycle.index(next(name for name in listed if name in members))
    return [*cycle[start:], *cycle[:start]]


def cycle_text(cycle: Sequence[str]) -> str:
    """A cycle as its messages show it.

    >>> cycle_text(["a", "b"])
    'a -> b -> a'
    """
    return " -> ".join([*cycle, *cycle[:1]])


def execution_order(
    operators: Sequence[Operator], find_order: Callable[[Mapping[str, Sequence[str]]], list[str]]
) -> list[Operator]:
    """Connected operators so that each comes after its producers.

    find_order : topological_order, or a student's function in its place.

    Raises GraphError for a cycle, and for an order that misses an operator or puts one before its producer.
    """
    by_name = {op.name: op for op in operators}
    names = find_order(successors_of(operators))
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
