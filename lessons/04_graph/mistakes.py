"""What goes wrong in the cells of lesson 4 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Network = Mapping[str, Sequence[str]]


def _before_or_same(names: list[str], successors: Network) -> bool:
    in_order = all(names.index(a) <= names.index(b) for a in names for b in successors[a] if b in names)
    return in_order and sorted(names) == sorted(successors)


def _without_a_look_at_the_names(names: list[str], successors: Network) -> bool:
    return all(names.index(a) < names.index(b) for a in successors for b in successors[a])


def _as_a_set(names: list[str], successors: Network) -> bool:
    return set(names) == set(successors) and _without_a_look_at_the_names(names, successors)


ORDER: Mistakes = {
    "names.index fails for a name that is not there: compare sorted(names) with sorted(successors) first": (
        _without_a_look_at_the_names
    ),
    "a set does not see that a name stands twice: sorted() keeps both": _as_a_set,
    "no name stands before itself, so where an operator leads to itself no order is right: < and not <=": (
        _before_or_same
    ),
}


def _pre_order(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    met = [name]
    for follower in successors[name]:
        if follower not in entered:
            met += _pre_order(follower, successors, entered)
    return met


def _new_set(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered = entered | {name}
    finished = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _new_set(follower, successors, entered)
    return [*finished, name]


def _added_last(name: str, successors: Network, entered: set[str]) -> list[str]:
    finished = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _added_last(follower, successors, entered)
    entered.add(name)
    return [*finished, name]


POST_ORDER: Mistakes = {
    "a name is written down when it is entered: it finishes after its successors, so it comes last": _pre_order,
    "entered | {name} is another set, which the walk on the next branch does not see: use entered.add(name)": _new_set,
    "add `name` to entered before its successors are entered, or a walk that comes back never ends": _added_last,
}


def _two_moves_in_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] < len(successors[name]):
        follower = successors[name][looked[name]]
        looked[name] += 1
        if follower not in looked:
            looked[follower] = 0
            path.append(follower)
    if looked[name] == len(successors[name]):
        path.remove(name)
    return path, looked


def _entered_again(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    return [*path, follower], {**looked, follower: 0}


MOVE: Mistakes = {
    "a move looks at one successor or finishes a node: this one does both where the last successor is new": (
        _two_moves_in_one
    ),
    "a successor that was entered before is a key of `looked`: it does not join the path again": _entered_again,
}


def _whole_path(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    return "new" if follower not in looked else path if follower in path else "done"


def _all_open(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    return "new" if follower not in looked else path[path.index(follower) :]


LOOK: Mistakes = {
    "the names before `follower` only lead to the cycle: cut the path at `follower`": _whole_path,
    "a done name is a key of `looked`, too, but it is not on the path": _all_open,
    "an open name is a key of `looked`, too: ask whether it is on the path": lambda follower, path, looked: (
        "done" if follower in looked else "new"
    ),
}
