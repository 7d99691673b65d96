"""Homework 4: an order of execution, and the memory that it needs.

Lesson: lessons/04_graph/04_graph.ipynb. Check: python3 course.py check find_cycle
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def find_cycle(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """The names on one cycle, in order; the empty list if there is none.

    Parameters
    ----------
    successors : each operator's name -> the names of the operators that read its result. The keys come in any order.
        You need not check that every successor is a key.

    Rules
    -----
    cycle : each name of the result leads to the next one, and the last leads to the first; of several cycles any will
        do, beginning at any of its names.
    once : a name is listed once; the first one is not repeated at the end.
    itself : an operator that leads to itself is a cycle of one.
    anywhere : a cycle is found wherever it is: behind an input, behind any successor, or in a part that no input leads
        to.
    none : a network without a cycle gives the empty list, even where two paths meet again, or where a name stands twice
        in a list, as in cat(x, x).
    result : the names come in a list.
    depth : a chain of 60,000 operators has its answer within seconds, without a RecursionError and with Python's own
        recursion limit, and so has a network in which paths part and meet again and again: no arrow is followed more
        than once, and no list is searched for a name.
    fresh : each call starts afresh.

    >>> find_cycle({"image": ["op1"], "op1": ["op2"], "op2": ["op1", "shown"], "shown": []})
    ['op1', 'op2']
    >>> find_cycle({"input": ["op1", "add"], "op1": ["add"], "add": []})
    []
    """
    # TODO find_cycle (Task 4.1)
    raise NotImplementedError("find_cycle: TODO")


def topological_order(successors: Mapping[str, Sequence[str]]) -> list[str]:
    """All names in an order in which each stands before all its successors.

    Parameters
    ----------
    successors : each operator's name -> the names of the operators that read its result. The keys come in any order,
        and the first one need not be an input.

    Rules
    -----
    arrows : each name stands before all its successors; of several right orders any will do.
    once : each name is in the order once, even with several inputs, without any arrow, and in parts that do not touch.
    twice : a name that stands twice in a list, as in cat(x, x), leads to the same order as if it stood there once.
    result : the names come in a list; no operators give the empty list.
    depth : a network of 60,000 operators, be it a chain, many inputs or a long cycle, has its order or its error within
        seconds, and no RecursionError, with Python's own recursion limit: nothing looks through all names again for
        each of them.
    fresh : each call starts afresh, after an error too.
    cycle : a cycle raises ValueError, wherever it is: behind an input, beside a part that could run, or of one
        operator.
    on_cycle : the error's message names an operator on a cycle; it may also name operators that wait behind the cycle,
        which are not on it.
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
    # TODO topological_order (Task 4.2)
    raise NotImplementedError("topological_order: TODO")


def peak_bytes(order: Sequence[str], reads: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> int:
    """The most bytes that are alive at any one step, when each result is released after the step that reads it last.

    Parameters
    ----------
    order : the operators' names, in the order in which they run: operator i runs at step i.
    reads : each operator's name -> the operators whose results it reads; the same one may stand there twice.
    sizes : each operator's name -> bytes of its result. Both dictionaries have the names in `order`, and no others.

    Rules
    -----
    busiest : the result is the number of bytes that are alive at the busiest step, an int.
    alive : every result that is alive counts, also one that the operator of the step does not read.
    together : an operator's inputs and its result are alive together while it runs.
    last : a result is released after the step that reads it last, with all others that are read last there.
    unread : a result that nobody reads is what the network returns, and stays to the end.
    once : a result counts once and is released once, also when it fills two slots, or two operators read it.
    order : the operators run as `order` says, whatever the order of the keys in the dictionaries.
    empty : no operators need 0 bytes.

    >>> order = ["input", "op1", "op2", "add"]
    >>> reads = {"input": [], "op1": ["input"], "op2": ["op1"], "add": ["op1", "op2"]}
    >>> peak_bytes(order, reads, {"input": 1000, "op1": 300, "op2": 300, "add": 300})
    1300
    """
    # TODO peak_bytes (Task 4.3, a bonus)
    raise NotImplementedError("peak_bytes: TODO")
