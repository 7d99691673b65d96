"""Homework 4: an order of execution, and the memory that it needs.

Lesson: lessons/04_graph/04_graph.ipynb. Check: python3 course.py check topological_order
"""

from __future__ import annotations

# <solution>
from collections import deque

# </solution>
from collections.abc import Mapping, Sequence


def topological_order(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """All names in an order in which each stands once, and before all its successors. Without recursion.

    Parameters
    ----------
    successors : each operator's name -> the names of the operators that read its result. There may be several inputs,
        operators that lead nowhere, and a name that stands twice in a list; the keys come in any order.

    Returns the names as a list. Where several orders are right, any of them will do.

    Raises ValueError when there is a cycle. Its message names at least one operator on a cycle, and none of those that
    could have run.
    Raises ValueError or KeyError when a successor is no key of the dictionary. Its message names that successor.

    >>> topological_order({"input": ["op1"], "op1": ["op2", "add"], "op2": ["add"], "add": []})
    ['input', 'op1', 'op2', 'add']
    >>> topological_order({"input": ["op1"], "op1": ["op2"], "op2": ["op1"]})
    Traceback (most recent call last):
    ...
    ValueError: the graph has a cycle: op1 -> op2 -> op1
    """
    # <solution topological_order>
    missing = dict.fromkeys(successors, 0)  # how many predecessors each still waits for
    for name, followers in successors.items():
        for follower in followers:
            if follower not in missing:
                raise ValueError(f"{name} leads to {follower!r}, which is no operator of the graph")
            missing[follower] += 1
    ready = deque(name for name, count in missing.items() if count == 0)
    order: list[str] = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for follower in successors[name]:
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
    if len(order) < len(successors):
        left = [name for name, count in missing.items() if count > 0]
        raise ValueError("the graph has a cycle: " + " -> ".join(find_cycle(successors, left)))
    return order


def find_cycle(successors: Mapping[str, Sequence[str]], left: Sequence[str]) -> list[str]:
    """The names along one cycle, first and last the same.

    Each node of `left` has a predecessor in `left`. So a walk against the arrows never ends, and must come to a node
    for the second time: what lies between is a cycle.
    """
    predecessor = {follower: name for name in left for follower in successors[name]}
    place: dict[str, int] = {}
    name = left[0]
    while name not in place:
        place[name] = len(place)
        name = predecessor[name]
    walk = [*place, name]
    return walk[place[name] :][::-1]
    # </solution>


def peak_bytes(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The most bytes that are alive at any one step, when each result goes after the step that reads it last.

    Parameters
    ----------
    order : the operators' names, in the order in which they run: operator i runs at step i.
    reads : each operator's name -> the operators whose results it reads; the same one may stand there twice.
    sizes : each operator's name -> bytes of its result.

    A result is alive from the step that computes it to the step that reads it last, both included. A result that nobody
    reads is what the network returns: it is alive to the end.

    >>> order = ["input", "op1", "op2", "add"]
    >>> reads = {"input": [], "op1": ["input"], "op2": ["op1"], "add": ["op1", "op2"]}
    >>> peak_bytes(order, reads, {"input": 1000, "op1": 300, "op2": 300, "add": 300})
    1300
    """
    # <solution peak_bytes>
    last = dict.fromkeys(order, len(order) - 1)  # for those that nobody reads
    for step, name in enumerate(order):
        for source in reads[name]:
            last[source] = step
    leaving: dict[int, int] = {}  # step -> bytes that go after it
    for name, step in last.items():
        leaving[step] = leaving.get(step, 0) + sizes[name]
    alive = peak = 0
    for step, name in enumerate(order):
        alive += sizes[name]
        peak = max(peak, alive)
        alive -= leaving.get(step, 0)
    return peak
    # </solution>
