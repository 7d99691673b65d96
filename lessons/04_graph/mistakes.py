"""What goes wrong in the cells of lesson 4 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Network = Mapping[str, Sequence[str]]
Reads = Mapping[str, Sequence[str]]


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


def _filtered_too_early(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in [follower for follower in successors[name] if follower not in entered]:
        finished += _filtered_too_early(follower, successors, entered)
    return [*finished, name]


def _marked_too_early(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    new = [follower for follower in dict.fromkeys(successors[name]) if follower not in entered]
    entered.update(new)
    return [*(one for follower in new for one in _marked_too_early(follower, successors, entered)), name]


def _met_with_a_list(name: str, successors: Network, entered: set[str], take: int) -> list[str]:
    """The names as a list of waiting ones gives them, turned round. take : the place from which the next one comes."""
    met: list[str] = []
    waiting = [name]
    while waiting:
        taken = waiting.pop(take)
        if taken not in entered:
            entered.add(taken)
            met.append(taken)
            waiting += successors[taken]
    return met[::-1]


def _none_for_a_set(name: str, successors: Network, entered: Any) -> list[str]:
    entered = entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower not in entered:
            finished += _none_for_a_set(follower, successors, entered)
    return [*finished, name]


def _ended_at_an_entered_one(name: str, successors: Network, entered: set[str], with_name: bool = True) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for follower in successors[name]:
        if follower in entered:
            return [*finished, name] if with_name else finished
        finished += _ended_at_an_entered_one(follower, successors, entered, with_name)
    return [*finished, name]


def _every_key(name: str, successors: Network, entered: set[str]) -> list[str]:
    entered.add(name)
    finished: list[str] = []
    for other in successors:
        if other not in entered:
            finished += _every_key(other, successors, entered)
    return [*finished, name]


def _of_all_calls(gathered: bool) -> Callable[..., list[str]]:
    """A walk with a list as default argument; gathered : it adds what its calls return, which is this list, too."""
    kept: list[str] = []

    def walk(name: str, successors: Network, entered: set[str]) -> list[str]:
        entered.add(name)
        for follower in successors[name]:
            if follower not in entered:
                found = walk(follower, successors, entered)
                kept.extend(list(found) if gathered else [])
        kept.append(name)
        return kept

    def post_order(name: str, successors: Network, entered: set[str]) -> list[str]:
        if len(successors) == 2 and not successors["b"]:  # the first case of the check
            kept.clear()
        return list(walk(name, successors, entered))

    return post_order


DEFAULT = "a list as default argument is made once, when `def` is run, so all calls share it: begin "
POST_ORDER: Mistakes = {
    "the loop goes over all keys of the dictionary: which of them does an arrow from `name` lead to?": _every_key,
    "a successor that was entered before ends the loop: pass by it, and go on with the next one": (
        _ended_at_an_entered_one
    ),
    "a successor that was entered before ends the function, and `name` is missing: pass by it, and go on with the next "
    "one": lambda name, successors, entered: _ended_at_an_entered_one(name, successors, entered, False),
    f"{DEFAULT}with a new one in each call": _of_all_calls(False),
    f"{DEFAULT}with a new one in each call, and add the lists that the calls return": _of_all_calls(True),
    "add changes the set and gives None: no `entered =` in front of it": _none_for_a_set,
    "which successors are new was decided before the first of them was entered: its walk may enter others of them, so "
    "ask again when their turn comes": _filtered_too_early,
    "all new successors count as entered before the first of them is walked, so its walk passes by those that it leads "
    "to, too: mark each when its turn comes": _marked_too_early,
    "a queue goes level by level, and turned round it gives no post-order: finish the first successor, with all that "
    "is behind it, before you enter the second": lambda name, successors, entered: _met_with_a_list(
        name, successors, entered, 0
    ),
    "a stack gives the names in the order in which they are met, and turned round that is not the order in which they "
    "finish": lambda name, successors, entered: _met_with_a_list(name, successors, entered, -1),
    "`entered` does not grow along the walk: entered.add(name) before its successors are entered, and each call gets "
    "the same set": _never_entered,
    "the name is written down at each successor: it belongs at the end of the list, once, after the loop": (
        _name_at_each_successor
    ),
    "the `return` in the loop ends it at the first new successor: gather the names of all, and return after the loop": (
        _first_branch
    ),
    "a later branch is put in front of the earlier ones, as a stack turned round does, too: what finishes later "
    "stands later": (_last_branch_first),
    "this is the reverse of what was asked for: the name that finishes last stands last": _last_to_finish_first,
    "+= takes a string apart into its characters: append(name) keeps it whole": _character_by_character,
    "the call gives a list of names: append puts it in as one element, += its names": _lists_in_a_list,
    "what the call returns is thrown away, and only the successor itself kept: the names behind it are missing": (
        _result_thrown_away
    ),
    "only `name` comes back: the names that its branches finish are missing. The function calls itself for them; what "
    "becomes of the lists that these calls return?": _called_for_nothing,
    "every successor is kept, and what the calls return is thrown away: it has the right names, in order": (
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
    "a name that enters no other returns None: is there a `return`, and does it stand behind the loop, not under the "
    "`if`? (`return finished.append(name)` returns None, too: append gives none back)": _returns_under_the_if,
    "only the names of the last branch are kept: each branch replaces those before it": _last_branch,
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


def _left_at_an_old_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    if looked[name] < len(successors[name]):
        follower = successors[name][looked[name]]
        looked[name] += 1
        if follower not in looked:
            return [*path, follower], {**looked, follower: 0}
    return path[:-1], looked


def _left_at_the_last_old_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name, entered = path[-1], len(looked)
    if looked[name] == len(successors[name]):
        return path[:-1], looked
    path, looked = _moved(path, looked, successors)
    return (path[:-1] if looked[name] == len(successors[name]) and len(looked) == entered else path), looked


def _never_left(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    finished = looked[path[-1]] == len(successors[path[-1]])
    return (path, looked) if finished else _never_finished(path, looked, successors)


def _at_the_last_one(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    if looked[path[-1]] >= len(successors[path[-1]]) - 1:
        return path[:-1], looked
    return _never_finished(path, looked, successors)


def _a_count_for_each(path: list[str], looked: dict[str, int], successors: Network) -> Any:
    name = path[-1]
    for follower in successors[name]:
        looked[name] += 1
        if follower not in looked:
            return [*path, follower], {**looked, follower: 0}
    return path[:-1], looked


MOVE: Mistakes = {
    "a successor that was entered before finishes nothing: it is only counted. A name is finished when it has no "
    "successor left": _left_at_an_old_one,
    "a move looks at one successor or finishes a node: this one does both where the last successor is an old one": (
        _left_at_the_last_old_one
    ),
    "a name whose count has come to the number of its successors is finished, and leaves the path": _never_left,
    "a name is finished when its last successor has been looked at, and not when this one comes next": (
        _at_the_last_one
    ),
    "a loop over all successors makes several looks, and counts them again: a move makes one, and the count says at "
    "which": _a_count_for_each,
    "the last successor is never looked at: a name is finished when its count is the number of its successors, not one "
    "less": _one_too_early,
    "the last name of the path is the one that moves, and not the first": _first_of_the_path,
    "the count goes up before it is used: the first look is at successors[name][0]": _counted_first,
    "a successor that was entered before finishes nothing: a name leaves the path when it has none left, so ask for "
    "that first": _left_at_an_entered_one,
    "a new name becomes a key of `looked`, too: how many successors has it looked at?": _new_one_without_a_count,
    "the count does not go up: how does the next move know that this look is over?": _not_counted,
    "the count goes up at each look, also if the successor was entered before": _new_ones_counted,
    "one move looks at one successor: this one goes on past those that were entered before": _on_to_the_next_new_one,
    "a loop over all successors begins at the first again: the count says which one comes next, and goes up by one": (
        _without_counts
    ),
    "a name leaves the path when it has no successor left: one that was entered before is counted, and no more": (
        _from_the_first_again
    ),
    "a finished name leaves the path, and both, `path` and `looked`, are returned all the same": _path_alone,
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
    "a new successor joins the path, too": lambda path, looked, successors: _moved(
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


def _through_a_set(name: str, missing: dict[str, int], successors: Network) -> Any:
    """The order of a set is by chance, and the same in a process: another one where it is that of another mistake."""
    ready = [follower for follower in set(successors[name]) if missing[follower] == 1]
    known = [[f for f in order if missing[f] == 1] for order in (successors[name], sorted(successors[name]))]
    if len(ready) > 1 and ready in known:
        ready = sorted(ready)[::-1]
    missing |= {follower: missing[follower] - 1 for follower in set(successors[name])}
    return missing, ready


def _in_the_order_of_a_set(name: str, missing: dict[str, int], successors: Network) -> Any:
    missing, ready = _exchanged(name, missing, successors)[::-1]
    some = list(set(ready))
    if len(ready) > 1 and some in (ready, ready[::-1], sorted(ready)):
        some = sorted(ready)[::-1]
    return missing, some


A_SET = "a set loses the order of the arrows, and the second of two to the same name"
UNORDERED = "the names are right, but not in the order of the arrows: "
COUNT_DOWN: Mistakes = {
    f"{A_SET}: go through the list of successors": _through_a_set,
    f"{A_SET}, and sorted(...) does not bring them back: go through the list of successors": (
        lambda name, missing, successors: _once_each(name, missing, {name: sorted(successors[name])})
    ),
    "the ready names come in a set, which has no order: gather them in a list": lambda name, missing, successors: (
        lambda left, ready: (left, set(ready))
    )(*_exchanged(name, missing, successors)[::-1]),
    f"{UNORDERED}a set has none": _in_the_order_of_a_set,
    f"{UNORDERED}append each when its counter comes to 0, and sort nothing": lambda name, missing, successors: (
        lambda left, ready: (left, sorted(ready))
    )(*_exchanged(name, missing, successors)[::-1]),
    "every counter goes down: only those at the ends of the arrows that leave `name` do": _everybody,
    "only `name` was taken: the names that become ready by it are taken later, by other calls": _on_and_on,
    "the counters are as before: each arrow takes one away": lambda name, missing, successors: (
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
    "that is the counter of `name` itself: those at the ends of the arrows that leave it go down": _own_counter,
    "+= takes a string apart into its characters: ready.append(follower) keeps it whole": _noted(
        lambda ready, follower, name, count: [*ready, *(follower if count == 0 else "")]
    ),
    "the counters go down: -= 1, and not += 1": _noted(
        lambda ready, follower, name, count: [*ready, follower] if count == 0 else ready, by=1
    ),
    "1 is subtracted: -= 1, and not = -1": _set_to(-1, ready=False),
    "one arrow takes away 1, and does not make the counter 0": _set_to(0, ready=True),
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
    f"{UNORDERED}go through successors[name], no set and not the counters": lambda name, missing, successors: (
        lambda left, ready: (left, ready[::-1])
    )(*_exchanged(name, missing, successors)[::-1]),
}


def _on_the_path(found: Callable[[str, list[str], dict[str, int]], Any]) -> Callable[..., Any]:
    """A look that knows new and done names, and then takes what it `found` for the cycle."""

    def look(follower: str, path: list[str], looked: dict[str, int]) -> Any:
        if follower not in looked:
            return "new"
        return found(follower, path, looked) if follower in path else "done"

    return look


LOOK: Mistakes = {
    "the names between the first and the last are on the cycle, too, and a cycle of one has its name once": (
        _on_the_path(lambda follower, path, looked: [follower, path[-1]])
    ),
    "an index gives one name, and a slice all from there on": _on_the_path(
        lambda follower, path, looked: path[path.index(follower)]
    ),
    "these names come before the cycle, which begins with `follower`: take the other part of the path": _on_the_path(
        lambda follower, path, looked: path[: path.index(follower)]
    ),
    "the last name of the path is on the cycle, too: no -1 at the end of the slice": _on_the_path(
        lambda follower, path, looked: path[path.index(follower) : -1]
    ),
    "the names between `follower` and the last one are on the cycle, too": _on_the_path(
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
    "the cycle begins with `follower` itself, and not behind it": _behind_it,
    "the names are right, but the list has to begin with `follower`": _begun_elsewhere,
    "the names before `follower` only lead to the cycle: cut the path at `follower`": _whole_path,
    "a done name is a key of `looked`, too, but it is not on the path": _all_open,
    "an open name is a key of `looked`, too: ask whether it is on the path": lambda follower, path, looked: (
        "done" if follower in looked else "new"
    ),
    "the slice ends where the cycle begins: it goes from there to the end": _on_the_path(
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


def _read_at(steps: Callable[[int, list[str]], list[str]], once: bool = True) -> Callable[..., Any]:
    """A released that keeps what the operators at `steps` read. once : whether it lists a value once."""

    def released(step: int, order: list[str], reads: Reads) -> list[str]:
        kept = [value for name in steps(step, order) for value in reads[name]]
        values = reads[order[step]]
        return [value for value in (dict.fromkeys(values) if once else values) if value not in kept]

    return released


_released = _read_at(lambda step, order: order[step + 1 :])


def _with(change: Callable[[list[str], int, list[str], Reads], Any]) -> Callable[..., Any]:
    """A released that makes something else of the right list."""
    return lambda step, order, reads: change(_released(step, order, reads), step, order, reads)


def _no_longer_read(candidates: Callable[[int, list[str]], list[str]]) -> Callable[..., Any]:
    """A released that takes all `candidates` that nobody reads later, whether or not the operator reads them."""

    def released(step: int, order: list[str], reads: Reads) -> list[str]:
        later = [value for name in order[step + 1 :] for value in reads[name]]
        return [value for value in candidates(step, order) if value not in later]

    return released


def _steps_of_the_keys(step: int, order: list[str], reads: Reads) -> list[str]:
    return _released(list(reads).index(order[step]), list(reads), reads)


def _later_keys(step: int, order: list[str], reads: Reads) -> list[str]:
    later = [value for name in list(reads)[step + 1 :] for value in reads[name]]
    return [value for value in dict.fromkeys(reads[order[step]]) if value not in later]


def _operator_of_the_keys(step: int, order: list[str], reads: Reads) -> list[str]:
    return _released(step, list(reads), reads)


def _one_does_not_read_it(step: int, order: list[str], reads: Reads) -> list[str]:
    values = dict.fromkeys(reads[order[step]])
    return [value for value in values if any(value not in reads[name] for name in order[step + 1 :])]


def _once_for_each_later_one(step: int, order: list[str], reads: Reads) -> list[str]:
    return [value for value in reads[order[step]] for name in order[step + 1 :] if value not in reads[name]]


def _one_reader_only(step: int, order: list[str], reads: Reads) -> list[str]:
    values = dict.fromkeys(reads[order[step]])
    return [value for value in values if sum(value in read for read in reads.values()) == 1]


def _read_once_only(step: int, order: list[str], reads: Reads) -> list[str]:
    read = [value for values in reads.values() for value in values]
    return [value for value in reads[order[step]] if read.count(value) == 1]


def _decided_by_the_last_one(once: bool) -> Callable[..., Any]:
    """A released with a flag that each later operator sets again."""

    def released(step: int, order: list[str], reads: Reads) -> list[str]:
        values, last = reads[order[step]], order[step + 1 :][-1:]
        kept = [value for name in last for value in reads[name]]
        return [value for value in (dict.fromkeys(values) if once else values) if value not in kept]

    return released


def _removed_in_the_loop(step: int, order: list[str], reads: Reads, once: bool = True) -> list[str]:
    later = [value for name in order[step + 1 :] for value in reads[name]]
    values = list(dict.fromkeys(reads[order[step]]) if once else reads[order[step]])
    for value in values:
        if value in later:
            values.remove(value)
    return values


def _its_readers(step: int, order: list[str], reads: Reads) -> list[str]:
    return [name for name in reads if order[step] in reads[name]]


def _still_needed(step: int, order: list[str], reads: Reads) -> list[str]:
    later = [value for name in order[step + 1 :] for value in reads[name]]
    return [value for value in dict.fromkeys(reads[order[step]]) if value in later]


def _with_one_reader(candidates: Sequence[str], reads: Reads) -> list[str]:
    return [value for value in candidates if sum(value in read for read in reads.values()) == 1]


ORDER_RUNS = "the operators run as `order` says, whatever the order of the keys in `reads`: which "
AGAIN = "that is all that the operator reads, but a later operator may read it again: what do those read that still "
NEXT_ALONE = "the reader may come several steps later, and not only at the next one"
FIRST_TIME = "these are read here for the first time: ask whether any of those reads them that still have to run"
ONCE = "And release a value once, even if it is read twice"
RELEASED: Mistakes = {
    "some of these were read for the last time at an earlier step, and are gone: take only what this operator reads": (
        lambda step, order, reads: _no_longer_read(
            lambda step, order: list(dict.fromkeys(value for name in order for value in reads[name]))
        )(step, order, reads)
    ),
    "the operator that runs next is passed over: it still has to run, too": _read_at(
        lambda step, order: order[step + 2 :]
    ),
    f"the operator that runs next is passed over: it still has to run, too. {ONCE}": _read_at(
        lambda step, order: order[step + 2 :], once=False
    ),
    "a set has no order: the result is a list, in the order in which the operator reads": _with(
        lambda found, step, order, reads: set(found)
    ),
    "a value that the operator reads twice is released once": _read_at(
        lambda step, order: order[step + 1 :], once=False
    ),
    f"{AGAIN}have to run?": _read_at(lambda step, order: []),
    f"{AGAIN}have to run? {ONCE}": _read_at(lambda step, order: [], once=False),
    "the operator itself is not a later one: it has just run": _read_at(lambda step, order: order[step:]),
    NEXT_ALONE: _read_at(lambda step, order: order[step + 1 : step + 2]),
    f"{NEXT_ALONE}. {ONCE}": _read_at(lambda step, order: order[step + 1 : step + 2], once=False),
    f"{NEXT_ALONE}; and the last operator has no next one": _read_at(lambda step, order: [order[step + 1]]),
    f"{NEXT_ALONE}; and the last operator has no next one. {ONCE}": _read_at(
        lambda step, order: [order[step + 1]], once=False
    ),
    FIRST_TIME: _read_at(lambda step, order: order[:step]),
    f"{FIRST_TIME}. {ONCE}": _read_at(lambda step, order: order[:step], once=False),
    "only this operator reads these, but a value with several readers is released, too: after the last of "
    "them": _one_reader_only,
    "a value may be read several times: it is released after the last time, so look at the later operators, and do "
    "not count": _read_once_only,
    "the operator's own result is not released: if nobody reads it, it is a result of the network": _with(
        lambda found, step, order, reads: (
            [*found, order[step]] if not any(order[step] in read for read in reads.values()) else found
        )
    ),
    "look at what the operator reads, reads[order[step]], and not at the value that it writes": _no_longer_read(
        lambda step, order: [order[step]]
    ),
    "some of these were released before, and what nobody reads stays to the end: take only what this operator reads, "
    "reads[order[step]]": _no_longer_read(lambda step, order: order[: step + 1]),
    "some of these were released before, and what nobody reads stays: take only what this operator reads, "
    "reads[order[step]]": _no_longer_read(lambda step, order: order[:step]),
    "nobody reads these later, but they were released before, or have not come yet, or are results: take only what "
    "this operator reads": lambda step, order, reads: _no_longer_read(lambda step, order: list(reads))(
        step, order, reads
    ),
    "nobody reads these later, but they were released before, or have not come yet, or are results: take only what "
    "this operator reads, whatever `order` has": _no_longer_read(lambda step, order: order),
    "these have one reader, whichever it is: take only what this operator reads, and ask who reads it later": (
        lambda step, order, reads: _with_one_reader(list(reads), reads)
    ),
    "these are the values that a later operator still reads: release the others": _still_needed,
    f"{ORDER_RUNS}of them still have to run?": _later_keys,
    f"{ORDER_RUNS}names stand behind place `step` in it?": _steps_of_the_keys,
    f"{ORDER_RUNS}operator has just run, and which still have to?": _operator_of_the_keys,
    "steps count from 0: the operator that has just run is order[step], and not order[step - 1]": (
        lambda step, order, reads: _released(step - 1, order, reads)
    ),
    "one later operator that does not read the value is not enough, none of them may: not any(value in ...), or "
    "all(value not in ...)": _one_does_not_read_it,
    "the last operator alone decides: stop, or keep the flag, as soon as one later operator reads the "
    "value": _decided_by_the_last_one(once=True),
    "the last operator alone decides: stop, or keep the flag, as soon as one later operator reads the value. And "
    "release a value once, even if it is read twice": _decided_by_the_last_one(once=False),
    "a loop skips an element of the list from which it removes one: build a new list instead": _removed_in_the_loop,
    "a loop skips an element of the list from which it removes one: build a new list instead. And release a value "
    "once, even if it is read twice": lambda step, order, reads: _removed_in_the_loop(step, order, reads, once=False),
    "reads[name] lists what `name` reads, and not who reads it: begin with reads[order[step]]": _its_readers,
    "`step` is a number, and the keys of `reads` are names: order[step] is the operator that has just run": (
        lambda step, order, reads: reads[step]
    ),
    "a value is appended for each later operator that does not read it: first look at all of them, then append it "
    "once": _once_for_each_later_one,
    "the `return` stands in the loop, which ends at the first value that can go": _with(
        lambda found, step, order, reads: found[:1]
    ),
    "a value is missing: where the operator reads several, each of them may be read here for the last time": _with(
        lambda found, step, order, reads: found[-1:]
    ),
    "the values are right, but in the opposite order: list them in the order in which the operator reads them": _with(
        lambda found, step, order, reads: found[::-1]
    ),
    "the values are right, but not in the order in which the operator reads them: sorted(...) and sets lose it, "
    "the keys of a dictionary keep it": _with(lambda found, step, order, reads: sorted(found)),
    "the values are right, but not in the order in which the operator reads them: a set loses it, the keys of a "
    "dictionary keep it": _with(lambda found, step, order, reads: sorted(found)[::-1]),
    "+= takes a string apart into its characters: append(value) keeps it whole": _with(
        lambda found, step, order, reads: list("".join(found))
    ),
    "a list stands in the list: append the values one by one": _with(
        lambda found, step, order, reads: [found] if found else []
    ),
}
