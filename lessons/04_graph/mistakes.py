"""What goes wrong in the cells of lesson 4 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Network = Mapping[str, Sequence[str]]


def _before_or_same(names: list[str], successors: Network) -> bool:
    return sorted(names) == sorted(successors) and _whatever_the_names(names, successors)


def _without_a_look_at_the_names(names: list[str], successors: Network) -> bool:
    return all(names.index(a) < names.index(b) for a in successors for b in successors[a])


def _as_a_set(names: list[str], successors: Network) -> bool:
    return set(names) == set(successors) and _without_a_look_at_the_names(names, successors)


def _whatever_the_names(names: list[str], successors: Network) -> bool:
    """Goes through the arrows, and lets a name stand before itself, whatever the names are."""
    return all(names.index(a) <= names.index(b) for a in successors for b in successors[a])


def _decided_by_the_first_arrow(names: list[str], successors: Network) -> Any:
    if sorted(names) != sorted(successors):
        return False
    return next((names.index(a) < names.index(b) for a in successors for b in successors[a]), None)


def _decided_by_the_last_arrow(names: list[str], successors: Network) -> Any:
    if sorted(names) != sorted(successors):
        return False
    return [names.index(a) < names.index(b) for a in successors for b in successors[a]][-1]


def _neighbours_only(names: list[str], successors: Network) -> bool:
    return sorted(names) == sorted(successors) and all(b in successors[a] for a, b in pairwise(names))


def _as_many_names(names: list[str], successors: Network) -> bool:
    return len(names) == len(successors) and _without_a_look_at_the_names(names, successors)


def _in_the_order_of_the_keys(names: list[str], successors: Network) -> bool:
    return names == list(successors) and _without_a_look_at_the_names(names, successors)


def _names_not_compared(names: list[str], successors: Network, itself: bool = False) -> bool:
    """Goes along `names`, and looks for arrows back. itself : whether a name may lead to itself."""
    seen: set[str] = set()
    for name in names:
        if any(follower in seen or (follower == name and not itself) for follower in successors[name]):
            return False
        seen.add(name)
    return True


def _sorted_in_place(names: list[str], successors: Network) -> bool:
    names.sort()
    return names == sorted(successors) and _without_a_look_at_the_names(names, successors)


def _errors_caught(names: list[str], successors: Network, itself: bool = False) -> bool:
    try:
        return (_whatever_the_names if itself else _without_a_look_at_the_names)(names, successors)
    except ValueError:
        return False


def _placed_behind_what_it_reads(names: list[str], successors: Network) -> bool:
    placed: set[str] = set()
    for name in names:
        if any(name in successors[a] and a not in placed for a in successors):
            return False
        placed.add(name)
    return True


def _neighbours_only_backwards(names: list[str], successors: Network) -> bool:
    return sorted(names) == sorted(successors) and not any(a in successors[b] for a, b in pairwise(names))


ORDER: Mistakes = {
    "no arrow leads back, but a name may be missing, or stand twice: compare sorted(names) with sorted(successors), "
    "too": _names_not_compared,
    "no arrow leads back, but a name may be missing, or stand twice: compare sorted(names) with sorted(successors), "
    "too. And no name stands before itself: where an operator leads to itself no order is right": (
        lambda names, successors: _names_not_compared(names, successors, itself=True)
    ),
    "names.sort() changes `names`, whose order is the question: sorted(names) is a new list": _sorted_in_place,
    "as many names are not the same names, and names.index fails for one that is not there: compare sorted(names) "
    "with sorted(successors)": _as_many_names,
    "the names need not come in the order of the keys: compare sorted(names) with sorted(successors); names.sort() "
    "gives None": _in_the_order_of_the_keys,
    "names.index fails for a name that is not there: compare sorted(names) with sorted(successors) first": (
        _without_a_look_at_the_names
    ),
    "names.index fails for a name that is not there: compare sorted(names) with sorted(successors) first. And no name "
    "stands before itself: where an operator leads to itself no order is right": _whatever_the_names,
    "as many names are not the same names: compare sorted(names) with sorted(successors). And no name stands before "
    "itself: where an operator leads to itself no order is right": lambda names, successors: (
        len(names) == len(successors) and _whatever_the_names(names, successors)
    ),
    "a name that stands twice is not seen in a set, nor where a ValueError is caught: compare sorted(names) with "
    "sorted(successors)": _as_a_set,
    "a name that stands twice is not seen in a set, nor where a ValueError is caught: compare sorted(names) with "
    "sorted(successors). And no name stands before itself: where an operator leads to itself no order is "
    "right": lambda names, successors: set(names) == set(successors) and _whatever_the_names(names, successors),
    "one arrow decides here, but all of them have to point forwards: all(...), and not any(...); in a loop `return "
    "False` where one does not, and `return True` after the loop": (_decided_by_the_first_arrow),
    "the last arrow alone decides: in a loop `return False` where one leads back, and `return True` after the loop": (
        _decided_by_the_last_arrow
    ),
    "neighbours in the list need no arrow between them: look at each arrow, and not at each pair of neighbours": (
        _neighbours_only
    ),
    "no name stands before itself, so where an operator leads to itself no order is right: < and not <=": (
        _before_or_same
    ),
    "the arrows are right, but names that are missing, too many or there twice were not looked for: a caught "
    "ValueError finds some of them only. Compare sorted(names) with sorted(successors)": _errors_caught,
    "names that are missing, too many or there twice were not looked for: a caught ValueError finds some of them only. "
    "Compare sorted(names) with sorted(successors). And no name stands before itself": lambda names, successors: (
        _errors_caught(names, successors, itself=True)
    ),
    "each name stands after what it reads, but names that are missing, too many or there twice were not looked for: "
    "compare sorted(names) with sorted(successors)": _placed_behind_what_it_reads,
    "each name stands after what it reads, and there are as many as there should be, but one may stand twice: compare "
    "sorted(names) with sorted(successors)": lambda names, successors: (
        _placed_behind_what_it_reads(names, successors) and len(names) == len(successors)
    ),
    "no name stands twice, but one may be missing, or be too many: compare sorted(names) with sorted(successors)": (
        lambda names, successors: len(names) == len(set(names)) and _without_a_look_at_the_names(names, successors)
    ),
    "each of `names` is one of the network's, but is each of the network's in `names`, and once? Compare sorted(names) "
    "with sorted(successors)": lambda names, successors: (
        all(name in successors for name in names) and _without_a_look_at_the_names(names, successors)
    ),
    "these are the right names, in whatever order: now look at each arrow, too": lambda names, successors: (
        sorted(names) == sorted(successors)
    ),
    "turned round: for an arrow from a to b, a stands before b, place(a) < place(b)": lambda names, successors: (
        sorted(names) == sorted(successors)
        and all(names.index(a) > names.index(b) for a in names for b in successors[a])
    ),
    "successors[a] is a list: a second loop goes through it": lambda names, successors: (
        sorted(names) == sorted(successors) and all(names.index(a) < names.index(successors[a]) for a in successors)  # type: ignore[arg-type]
    ),
    "an arrow may lead back over several places, and a name to itself: look at each arrow, not at each pair of "
    "neighbours": _neighbours_only_backwards,
    "no arrow leads back and no name stands twice, but one may be missing, or be none of the network's: compare "
    "sorted(names) with sorted(successors)": lambda names, successors: (
        all(b in names and names.index(a) < names.index(b) for a in names for b in successors[a])
        and len(set(names)) == len(names)
    ),
    "`return True` is missing after the loop": lambda names, successors: (
        None if sorted(names) == sorted(successors) and _without_a_look_at_the_names(names, successors) else False
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


def _entered_or_not(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    return [*(one for follower in successors[name] for one in _entered_or_not(follower, successors, entered)), name]


def _returns_in_the_loop(name: str, successors: Network, entered: set[str]) -> Any:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _returns_in_the_loop(follower, successors, entered)
        return [*finished, name]
    return None


def _returns_under_the_if(name: str, successors: Network, entered: set[str]) -> Any:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _returns_under_the_if(follower, successors, entered)
            return [*finished, name]
    return None


def _last_branch(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished = _last_branch(follower, successors, entered)
    return [*finished, name]


def _turned_round(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _turned_round(follower, successors, entered)
    return [*finished, name][::-1]


def _root_not_entered(name: str, successors: Network, entered: set[str]) -> list[str]:
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            entered.add(follower)
            finished += _root_not_entered(follower, successors, entered)
    return [*finished, name]


def _lists_in_a_list(name: str, successors: Network, entered: set[str]) -> list[Any]:
    entered.add(name)
    finished: list[Any] = []
    for follower in successors[name]:
        if follower not in entered:
            finished.append(_lists_in_a_list(follower, successors, entered))
    return [*finished, name]


def _result_thrown_away(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished = []
    for follower in successors[name]:
        if follower not in entered:
            _result_thrown_away(follower, successors, entered)
            finished.append(follower)
    return [*finished, name]


def _every_successor_listed(name: str, successors: Network, entered: set[str]) -> list[str]:
    if name in entered:
        return []
    entered.add(name)
    for follower in successors[name]:
        _every_successor_listed(follower, successors, entered)
    return [*successors[name], name]


def _called_for_nothing(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    for follower in successors[name]:
        if follower not in entered:
            _called_for_nothing(follower, successors, entered)
    return [name]


def _name_in_the_loop(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += [*_name_in_the_loop(follower, successors, entered), name]
    return finished


def _never_entered(name: str, successors: Network, entered: set[str]) -> list[str]:
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _never_entered(follower, successors, entered)
    return [*finished, name]


def _name_at_each_successor(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _name_at_each_successor(follower, successors, entered)
        finished.append(name)
    return finished


def _first_branch(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    for follower in successors[name]:
        if follower not in entered:
            return [*_first_branch(follower, successors, entered), name]
    return [name]


def _last_branch_first(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished = [name]
    for follower in successors[name]:
        if follower not in entered:
            finished = _last_branch_first(follower, successors, entered) + finished
    return finished


def _last_to_finish_first(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished = _last_to_finish_first(follower, successors, entered) + finished
    return [name, *finished]


def _character_by_character(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _character_by_character(follower, successors, entered)
    finished += name
    return finished


def _walked(name: str, successors: Network, entered: set[str], joined: Callable[[list[str], str], Any]) -> Any:
    """The walk; joined : makes the result of what the branches finished and the name."""
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _walked(follower, successors, entered, joined)
    return joined(finished, name)


def _none_for_an_entered_one(name: str, successors: Network, entered: set[str]) -> Any:
    if name in entered:
        return None
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        finished += _none_for_an_entered_one(follower, successors, entered)
    return [*finished, name]


def _last_successor_first(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in reversed(successors[name]):
        if follower not in entered:
            finished += _last_successor_first(follower, successors, entered)
    return [*finished, name]


def _written_down_twice(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += [follower, *_written_down_twice(follower, successors, entered)]
    return [*finished, name]


POST_ORDER: Mistakes = {
    "`entered` does not grow along the walk: entered.add(name) before its successors are entered, and each call gets "
    "the same set": _never_entered,
    "the name is written down at each successor: it belongs at the end of the list, once, after the loop": (
        _name_at_each_successor
    ),
    "the `return` in the loop ends it at the first new successor: gather the names of all, and return after the loop": (
        _first_branch
    ),
    "a later branch is put in front of the earlier ones: what finishes later stands later, finished += ...": (
        _last_branch_first
    ),
    "this is the reverse of what was asked for: the name that finishes last stands last": _last_to_finish_first,
    "+= takes a string apart into its characters: append(name) keeps it whole": _character_by_character,
    "the call gives a list of names: append puts it in as one element, += its names": _lists_in_a_list,
    "what the call returns is thrown away, and only the successor itself kept: finished += post_order(...)": (
        _result_thrown_away
    ),
    "what the call returns is thrown away: finished += post_order(...)": _called_for_nothing,
    "every successor is kept, and what the calls return is thrown away: finished += post_order(...)": (
        _every_successor_listed
    ),
    "the name belongs at the end of the list, once, after the loop: a name without successors has to be there too": (
        _name_in_the_loop
    ),
    "a name that is in `entered` was entered again: is `if follower not in entered` missing, or did the function make "
    "a new set?": _entered_or_not,
    "the `return` stands in the loop: a name without successors returns nothing, and another stops at its first one": (
        _returns_in_the_loop
    ),
    "a name that enters no other returns None: does the `return` stand under the `if`, or is it `return "
    "finished.append(name)`? append gives None": _returns_under_the_if,
    "only the names of the last branch are kept: finished += ..., not finished = ...": _last_branch,
    "the list is turned round at every name: the order asked for is that in which names finish": _turned_round,
    "the name where the walk begins is never added to `entered`, so an arrow back enters it again": _root_not_entered,
    "a name is written down when it is entered: it finishes after its successors, so it comes last": _pre_order,
    "entered | {name} is another set, which the walk on the next branch does not see: use entered.add(name)": _new_set,
    "add `name` to entered before its successors are entered, or a walk that comes back never ends": _added_last,
    "a name that was entered before finishes nothing, which is an empty list: return [], and not None": (
        _none_for_an_entered_one
    ),
    "the walk is right, but enters the last successor first: go through successors[name] from its beginning": (
        _last_successor_first
    ),
    "`name` itself is missing: it finishes, too, after its successors": lambda name, successors, entered: _walked(
        name, successors, entered, lambda finished, name: finished
    ),
    "a list in a list: [*finished, name] takes the names out of it": lambda name, successors, entered: _walked(
        name, successors, entered, lambda finished, name: [finished, name]
    ),
    "the call already gives the successor's own name, as the last: it is written down twice": _written_down_twice,
    "`entered` is a set: entered.add(name)": lambda name, successors, entered: entered.append(name),
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


def _not_counted(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    return (path, looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _new_ones_counted(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    if follower in looked:
        return path, looked
    return [*path, follower], {**looked, name: looked[name] + 1, follower: 0}


def _on_to_the_next_new_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    while looked[name] < len(successors[name]):
        follower = successors[name][looked[name]]
        looked[name] += 1
        if follower not in looked:
            return [*path, follower], {**looked, follower: 0}
    return path[:-1], looked


def _without_counts(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    for follower in successors[path[-1]]:
        if follower not in looked:
            return [*path, follower], {**looked, follower: 0}
    return path[:-1], looked


def _from_the_first_again(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    for follower in successors[name]:
        if follower not in looked:
            return [*path, follower], {**looked, name: looked[name] + 1, follower: 0}
    return path[:-1], looked


def _path_alone(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1]
    return _never_finished(path, looked, successors)


def _never_finished(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    follower = successors[name][looked[name]]
    looked[name] += 1
    return (path, looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _forgotten(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], {other: count for other, count in looked.items() if other != name}
    return _never_finished(path, looked, successors)


def _one_too_early(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    if looked[path[-1]] == len(successors[path[-1]]) - 1:
        return path[:-1], looked
    return _never_finished(path, looked, successors)


def _first_of_the_path(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[0]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    return (path, looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _counted_first(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    looked[name] += 1
    follower = successors[name][looked[name]]
    return (path, looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _left_at_an_entered_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    follower = successors[name][looked[name]]
    looked[name] += 1
    return (path[:-1], looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _new_one_without_a_count(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    return (path, looked) if follower in looked else ([*path, follower], looked)


def _moved(
    path: list[str],
    looked: dict[str, int],
    successors: Network,
    count: int = 0,
    join: Callable[[list[str], str], Any] = lambda path, name: [*path, name],
    leave: Callable[[list[str]], Any] = lambda path: path[:-1],
) -> Any:
    """A move. count : of a new name; join, leave : the path after a name has joined it, after the last has left it."""
    name = path[-1]
    if looked[name] == len(successors[name]):
        return leave(path), looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    if follower in looked:
        return path, looked
    return join(path, follower), {**looked, follower: count}


def _count_of_the_successor(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    if follower not in looked:
        path, looked = [*path, follower], {**looked, follower: 0}
    looked[follower] += 1
    return path, looked


def _finished_without_successors_only(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    return (path[:-1], looked) if not successors[path[-1]] else _never_finished(path, looked, successors)


def _taken_off_at_once(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name, path = path[-1], path[:-1]
    if looked[name] == len(successors[name]):
        return path, looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    return (path, looked) if follower in looked else ([*path, follower], {**looked, follower: 0})


def _successor_taken_out(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    return successors[name].pop(0)  # type: ignore[attr-defined]


def _count_of_a_new_one_asked(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    follower = successors[name][looked[name]]
    looked[name] += 1
    return ([*path, follower], looked) if looked[follower] == 0 else (path, looked)


def _all_moves(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    while path:
        path, looked = _moved(path, looked, successors)
    return path, looked


MOVE: Mistakes = {
    "the last successor is never looked at: a name is finished when its count is the number of its successors, not one "
    "less": _one_too_early,
    "the last name of the path is the one that moves: path[-1], not path[0]": _first_of_the_path,
    "the count goes up before it is used: the first look is at successors[name][0]": _counted_first,
    "a successor that was entered before finishes nothing: a name leaves the path when it has none left, so ask for "
    "that first": _left_at_an_entered_one,
    "a new name gets a count, too: looked[follower] = 0": _new_one_without_a_count,
    "the count does not go up: looked[name] += 1 at each look": _not_counted,
    "the count goes up at each look, also if the successor was entered before": _new_ones_counted,
    "one move looks at one successor: this one goes on past those that were entered before": _on_to_the_next_new_one,
    "a loop over all successors begins at the first again: the count says which one comes next, and goes up by one": (
        _without_counts
    ),
    "a loop that skips what was entered before makes several looks at once: successors[name][looked[name]] is the one "
    "to look at": _from_the_first_again,
    "a finished name leaves the path, and both are returned all the same: return path, looked": _path_alone,
    "a name whose count has come to the number of its successors is finished: ask for that first": _never_finished,
    "a finished name leaves the path, and stays in `looked`: it was entered": _forgotten,
    "a move looks at one successor or finishes a node: this one does both where the last successor is new": (
        _two_moves_in_one
    ),
    "a successor that was entered before is a key of `looked`: it does not join the path again": _entered_again,
    "the last name leaves the path: path.pop(), and not path.pop(0)": lambda path, looked, successors: _moved(
        path, looked, successors, leave=lambda path: path[1:]
    ),
    "a new name has looked at nothing yet: its count begins at 0": lambda path, looked, successors: _moved(
        path, looked, successors, count=1
    ),
    "append changes the list and gives None: no `path =` in front of it": lambda path, looked, successors: _moved(
        path, looked, successors, join=lambda path, name: None
    ),
    "path.pop() gives the name that it takes off: no `path =` in front of it": lambda path, looked, successors: _moved(
        path, looked, successors, leave=lambda path: path[-1]
    ),
    "a new successor joins the path, too: path.append(follower)": lambda path, looked, successors: _moved(
        path, looked, successors, join=lambda path, name: path
    ),
    "first `path`, then `looked`": lambda path, looked, successors: _moved(path, looked, successors)[::-1],
    "the count that goes up is that of the name that looks, and not its successor's": _count_of_the_successor,
    "a name is finished when its count has come to the number of its successors, not only if it has none": (
        _finished_without_successors_only
    ),
    "path.pop() takes the name off at each move: path[-1] reads it, and it leaves the path when it is finished": (
        _taken_off_at_once
    ),
    "`successors` stays as it is: successors[name][looked[name]] is the next one": _successor_taken_out,
    "a new name has no count yet: ask `follower not in looked`": _count_of_a_new_one_asked,
    "that is the whole walk: one move is asked for, the loop around it comes later": _all_moves,
}


def _whole_path(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    return "new" if follower not in looked else path if follower in path else "done"


def _all_open(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    return "new" if follower not in looked else path[path.index(follower) :]


def _counts_asked(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower in path:
        return path[path.index(follower) :]
    return "done" if looked.get(follower) else "new"


def _closed(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return [*path[path.index(follower) :], follower] if follower in path else "done"


def _behind_it(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return path[path.index(follower) + 1 :] if follower in path else "done"


def _begun_elsewhere(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return [*path[path.index(follower) + 1 :], follower] if follower in path else "done"


def _against_the_arrows(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return [follower, *path[path.index(follower) + 1 :][::-1]] if follower in path else "done"


def _backwards(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return path[path.index(follower) :][::-1] if follower in path else "done"


def _last_left_out(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return path[path.index(follower) :] if follower in path[:-1] else "done"


def _exchanged_words(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower in path:
        return path[path.index(follower) :]
    return "new" if follower in looked else "done"


def _count_0_is_open(follower: str, path: list[str], looked: dict[str, int]) -> Any:
    if follower not in looked:
        return "new"
    return path[path.index(follower) :] if looked[follower] == 0 else "done"


def _counted_down(ready: Callable[[Sequence[str], dict[str, int]], list[str]]) -> Callable[..., Any]:
    """A count_down that subtracts rightly, and then asks which names are ready."""

    def count_down(name: str, missing: dict[str, int], successors: Network) -> Any:
        for follower in successors[name]:
            missing[follower] -= 1
        return missing, ready(successors[name], missing)

    return count_down


def _once_each(name: str, missing: dict[str, int], successors: Network) -> Any:
    ready = []
    for follower in dict.fromkeys(successors[name]):
        missing[follower] -= 1
        if missing[follower] == 0:
            ready.append(follower)
    return missing, ready


def _asked_first(name: str, missing: dict[str, int], successors: Network) -> Any:
    ready = []
    for follower in successors[name]:
        if missing[follower] == 0:
            ready.append(follower)
        missing[follower] -= 1
    return missing, ready


def _after_the_first(name: str, missing: dict[str, int], successors: Network) -> Any:
    follower = successors[name][0]
    missing[follower] -= 1
    return missing, [follower] if missing[follower] == 0 else []


def _own_counter(name: str, missing: dict[str, int], successors: Network) -> Any:
    missing[name] -= 1
    return missing, []


def _exchanged(name: str, missing: dict[str, int], successors: Network) -> Any:
    ready = []
    for follower in successors[name]:
        missing[follower] -= 1
        if missing[follower] == 0:
            ready.append(follower)
    return ready, missing


def _taken_out(name: str, missing: dict[str, int], successors: Network) -> Any:
    missing, ready = _exchanged(name, missing, successors)[::-1]
    return {other: count for other, count in missing.items() if other not in ready}, ready


def _everybody(name: str, missing: dict[str, int], successors: Network) -> Any:
    missing = {other: count - 1 for other, count in missing.items()}
    return missing, [other for other, count in missing.items() if count == 0]


def _on_and_on(name: str, missing: dict[str, int], successors: Network) -> Any:
    ready = []
    for follower in successors[name]:
        missing[follower] -= 1
        if missing[follower] == 0:
            ready += [follower, *_on_and_on(follower, missing, successors)[1]]
    return missing, ready


def _noted(found: Callable[[list[Any], str, str, int], Any], by: int = -1) -> Callable[..., Any]:
    """A count_down; found : the ready ones so far, the follower, `name` and the follower's count -> the ready ones."""

    def count_down(name: str, missing: dict[str, int], successors: Network) -> Any:
        ready: Any = []
        for follower in successors[name]:
            missing[follower] += by
            ready = found(ready, follower, name, missing[follower])
        return missing, ready

    return count_down


def _set_to(count: int, ready: bool) -> Callable[..., Any]:
    """A count_down that sets the counters, and takes all names for ready, or none."""

    def count_down(name: str, missing: dict[str, int], successors: Network) -> Any:
        for follower in successors[name]:
            missing[follower] = count
        return missing, list(successors[name]) if ready else []

    return count_down


def _all_its_arrows_each_time(name: str, missing: dict[str, int], successors: Network) -> Any:
    ready = []
    for follower in successors[name]:
        missing[follower] -= list(successors[name]).count(follower)
        if missing[follower] == 0:
            ready.append(follower)
    return missing, ready


def _own_ones_alone(name: str, missing: dict[str, int], successors: Network) -> Any:
    left = {follower: missing[follower] - 1 for follower in successors[name]}
    return left, [follower for follower in left if left[follower] == 0]


COUNT_DOWN: Mistakes = {
    "every counter goes down: only those at the ends of the arrows that leave `name` do": _everybody,
    "only `name` was taken: the names that become ready by it are taken later, by other calls": _on_and_on,
    "the counters are as before: missing[follower] -= 1 for each arrow": lambda name, missing, successors: (
        missing,
        [follower for follower in successors[name] if missing[follower] == 1],
    ),
    "the counters come first, then the list: return missing, ready": _exchanged,
    "a counter that has come to 0 stays in the dictionary": _taken_out,
    "that is every name whose counter is 0: only those that come to 0 now become ready": _counted_down(
        lambda followers, missing: [name for name, count in missing.items() if count == 0]
    ),
    "two arrows to the same name take away two: go through the list of successors, and not through a set": _once_each,
    "subtract first, and then ask whether the counter has come to 0": _asked_first,
    "the `return` stands in the loop, which ends at the first successor": _after_the_first,
    "a name with two arrows is ready once: ask right after each subtraction, and not in a second loop": _counted_down(
        lambda followers, missing: [follower for follower in followers if missing[follower] == 0]
    ),
    "the counters at the ends of the arrows that leave `name` go down: for follower in successors[name], "
    "missing[follower] -= 1": _own_counter,
    "+= takes a string apart into its characters: ready.append(follower) keeps it whole": _noted(
        lambda ready, follower, name, count: [*ready, *(follower if count == 0 else "")]
    ),
    "the counters go down: -= 1, and not += 1": _noted(
        lambda ready, follower, name, count: [*ready, follower] if count == 0 else ready, by=1
    ),
    "1 is subtracted: -= 1, and not = -1": _set_to(-1, ready=False),
    "one arrow takes away 1, and does not make the counter 0: missing[follower] -= 1": _set_to(0, ready=True),
    "ready is a name whose counter is 0: one with 1 left still waits": _noted(
        lambda ready, follower, name, count: [*ready, follower] if count <= 1 else ready
    ),
    "a name stands alone, and only the last one: ready.append(follower) gathers all in the list": _noted(
        lambda ready, follower, name, count: follower if count == 0 else ready
    ),
    "only the last one that becomes ready is kept: ready.append(follower) gathers all": _noted(
        lambda ready, follower, name, count: [follower] if count == 0 else ready
    ),
    "the names that become ready stand at the ends of the arrows: append(follower), and not `name`": _noted(
        lambda ready, follower, name, count: [*ready, name] if count == 0 else ready
    ),
    "each arrow takes away 1, and the loop comes to each of two: no count() in it": _all_its_arrows_each_time,
    "all counters are returned, also those that stay as they are: change `missing` itself": _own_ones_alone,
    "`name` was taken, and does not become ready: begin with an empty list": lambda name, missing, successors: (
        lambda left, ready: (left, [name, *ready])
    )(*_exchanged(name, missing, successors)[::-1]),
    "the names are right, but not in the order of the arrows: go through successors[name], no set and not the "
    "counters": lambda name, missing, successors: (lambda left, ready: (left, ready[::-1]))(
        *_exchanged(name, missing, successors)[::-1]
    ),
}


def _on_the_path(found: Callable[[str, list[str], dict[str, int]], Any]) -> Callable[..., Any]:
    """A look that knows new and done names, and then takes what it `found` for the cycle."""

    def look(follower: str, path: list[str], looked: dict[str, int]) -> Any:
        if follower not in looked:
            return "new"
        return found(follower, path, looked) if follower in path else "done"

    return look


LOOK: Mistakes = {
    "an index gives one name: the slice path[path.index(follower) :] takes all from there on": _on_the_path(
        lambda follower, path, looked: path[path.index(follower)]
    ),
    "these names come before the cycle, which begins with `follower`: path[path.index(follower) :]": _on_the_path(
        lambda follower, path, looked: path[: path.index(follower)]
    ),
    "the last name of the path is on the cycle, too: no -1 at the end of the slice": _on_the_path(
        lambda follower, path, looked: path[path.index(follower) : -1]
    ),
    "the names between `follower` and the last one are on the cycle, too: path[path.index(follower) :]": _on_the_path(
        lambda follower, path, looked: list(dict.fromkeys([follower, path[-1]]))
    ),
    "the cycle is a part of `path`: `looked` has done names, too": _on_the_path(
        lambda follower, path, looked: list(looked)[list(looked).index(follower) :]
    ),
    "the names come in the order of the path, along the arrows: this list goes back along it": _against_the_arrows,
    "the names come in the order of the path, `follower` first: this list is turned round": _backwards,
    "the last name of the path is open, too: an operator may lead to itself": _last_left_out,
    '"new" and "done" are exchanged: a name that is no key of `looked` is new': _exchanged_words,
    "a count says how many successors were looked at, not whether the name is open: ask whether it is on the path": (
        _count_0_is_open
    ),
    "a done name that has no successors has the count 0: ask whether it is a key, follower in looked": _counts_asked,
    "the first name is not repeated at the end": _closed,
    "the cycle begins with `follower` itself: path[path.index(follower) :]": _behind_it,
    "the names are right, but the list has to begin with `follower`": _begun_elsewhere,
    "the names before `follower` only lead to the cycle: cut the path at `follower`": _whole_path,
    "a done name is a key of `looked`, too, but it is not on the path": _all_open,
    "an open name is a key of `looked`, too: ask whether it is on the path": lambda follower, path, looked: (
        "done" if follower in looked else "new"
    ),
    "the slice ends where the cycle begins: it goes from there to the end, path[path.index(follower) :]": _on_the_path(
        lambda follower, path, looked: path[: path.index(follower) + 1]
    ),
    "the cycle is a part of the path: cut it at `follower`, and put nothing in front": _on_the_path(
        lambda follower, path, looked: [follower, *path]
    ),
    "the names stand in the order of the path, and not of the alphabet": _on_the_path(
        lambda follower, path, looked: sorted(path[path.index(follower) :])
    ),
    "that is `follower` alone: the names behind it on the path are on the cycle, too": _on_the_path(
        lambda follower, path, looked: [follower]
    ),
    "a new name is no key of `looked`, so it has no count: ask `follower not in looked`": (
        lambda follower, path, looked: (
            "new" if not looked[follower] else path[path.index(follower) :] if follower in path else "done"
        )
    ),
    "a count says how many successors were looked at: a done name may have any. Ask whether it is on the path": (
        lambda follower, path, looked: (
            "new" if follower not in looked else "done" if looked[follower] == 0 else path[path.index(follower) :]
        )
    ),
    "a done name is not on the path either: ask first whether it is a key of `looked`": lambda follower, path, looked: (
        path[path.index(follower) :] if follower in path else "new"
    ),
}
