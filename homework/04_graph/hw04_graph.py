"""Homework 4: an order of execution, and the memory that it needs.

Lesson: lessons/04_graph/04_graph.ipynb. Check: python3 course.py check topological_order
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def topological_order(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """All names in an order in which each stands before all its successors.

    Parameters
    ----------
    successors : each operator's name -> the names of the operators that read its result. The keys come in any order,
        and the first one need not be an input.

    Rules
    -----
    arrows : each name stands before all its successors; of several right orders any will do.
    once : each name stands there once, with several inputs too, without any arrow, and in parts that do not touch.
    twice : a name that stands twice in a list, as in cat(x, x), leads to the same order as if it stood there once.
    result : the names come in a list; no operators give the empty list.
    depth : a network of 60,000 operators, be it a chain, many inputs or a long cycle, has its order or its error within
        seconds, and no RecursionError: nothing looks through all names again for each of them.
    fresh : each call starts afresh, after an error too.
    cycle : a cycle raises ValueError, wherever it is: behind an input, beside a part that could run, or of one
        operator.
    on_cycle : the error's message names an operator on a cycle; one that waits behind a cycle is not on it, and may be
        named as well.
    innocent : the error's message names no operator that could have run.
    unknown : a successor that is no key raises ValueError or KeyError, with this successor's name in its message; where
        there is a cycle too, either of the two errors will do.

    >>> topological_order({"input": ["op1"], "op1": ["op2", "add"], "op2": ["add"], "add": []})
    ['input', 'op1', 'op2', 'add']
    >>> topological_order({"input": ["op1"], "op1": ["op2"], "op2": ["op1"]})
    Traceback (most recent call last):
    ...
    ValueError: the graph has a cycle: op1 -> op2 -> op1
    """
    # TODO topological_order (Task 4.1)
    raise NotImplementedError("topological_order: TODO")


def peak_bytes(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The most bytes that are alive at any one step, when each result goes after the step that reads it last.

    Parameters
    ----------
    order : the operators' names, in the order in which they run: operator i runs at step i.
    reads : each operator's name -> the operators whose results it reads; the same one may stand there twice.
    sizes : each operator's name -> bytes of its result. Both dictionaries have the names in `order`, and no others.

    Rules
    -----
    busiest : the result is the number of bytes that are alive at the busiest step, an int.
    alive : all results that are alive count, those too that the operator of the step does not read.
    together : an operator's inputs and its result are alive together while it runs.
    last : a result goes after the step that reads it last, and so do all others that are read last there.
    unread : a result that nobody reads is what the network returns, and stays to the end.
    once : a result counts once and goes once, also when it is read in two slots, or by two operators.
    order : the operators run as `order` says, whatever the order in the dictionaries is.
    empty : no operators need 0 bytes.

    >>> order = ["input", "op1", "op2", "add"]
    >>> reads = {"input": [], "op1": ["input"], "op2": ["op1"], "add": ["op1", "op2"]}
    >>> peak_bytes(order, reads, {"input": 1000, "op1": 300, "op2": 300, "add": 300})
    1300
    """
    # TODO peak_bytes (Task 4.2, a bonus)
    raise NotImplementedError("peak_bytes: TODO")
