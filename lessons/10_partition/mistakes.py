"""What goes wrong in the cells of lesson 10 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
Above = Sequence[tuple[int, str]]


def _once(device: str, start: str, above: Above) -> int:
    """The largest level, and 1 more if any device differs."""
    most = max((one for one, _ in above), default=int(device != start))
    return most + any(other != device for _, other in above)


def _one_predecessor(place: int) -> Callable[..., int]:
    """A `level` that looks at the predecessor at this place alone."""

    def level(device: str, start: str, above: Above) -> int:
        return max([int(device != start), *(one + (other != device) for one, other in above[place:][:1])])

    return level


def _changes(device: str, start: str, above: Above) -> int:
    """How many predecessors have another device, whatever their levels."""
    return int(device != start) + sum(other != device for _, other in above)


def _computing(placed: Sequence[str], times: Mapping[str, Sequence[float]]) -> float:
    """The time to compute all nodes, without copies."""
    return sum(times[device][v] for v, device in enumerate(placed))


def _copying(placed: Sequence[str], copies: Mapping[tuple[int, int], float]) -> float:
    """The time of all copies."""
    return sum(cost for (u, v), cost in copies.items() if placed[u] != placed[v])


def _once_for_each_source(
    placed: Sequence[str], times: Mapping[str, Sequence[float]], copies: Mapping[tuple[int, int], float]
) -> float:
    """The cost where of several copies from one node only the last is paid."""
    seen = {u: cost for (u, v), cost in copies.items() if placed[u] != placed[v]}
    return _computing(placed, times) + sum(seen.values())


def _first_of_each_source(
    placed: Sequence[str], times: Mapping[str, Sequence[float]], copies: Mapping[tuple[int, int], float]
) -> float:
    """The cost where of several copies from one node only the first is paid."""
    return _once_for_each_source(placed, times, dict(reversed(copies.items())))


def _times_of_each_line(
    placed: Sequence[str], times: Mapping[str, Sequence[float]], copies: Mapping[tuple[int, int], float]
) -> float:
    """The cost where each line of `copies` adds the times of its two nodes."""
    return sum(times[placed[v]][v] for pair in copies for v in pair) + _copying(placed, copies)


def _readers_by_node(nodes: Sequence[Any], known: set[str]) -> list[int]:
    """The blocked nodes, and those that read a tensor with the number of one."""
    found = {v for v, (op, _, _) in enumerate(nodes) if op not in known}
    return [v for v, (_, reads, _) in enumerate(nodes) if v in found or found & set(reads)]


BLOCKED_NODES: Mistakes = {
    "a set has no order: sorted(...) makes a list of it": lambda nodes, known: {
        v for v, (op, _, _) in enumerate(nodes) if op not in known
    },
    "a node is a tuple, without names: `op, reads, makes = node`, or node[0] for its operator": lambda nodes, known: [
        v for v, node in enumerate(nodes) if node.operator not in known
    ],
    "a node is a tuple: `op, reads, makes = node`, or node[0] for its operator": lambda nodes, known: [
        v for v, node in enumerate(nodes) if node.op not in known
    ],
    "a node is a tuple and no dictionary: node[0] is its operator": lambda nodes, known: [
        v for v, node in enumerate(nodes) if node["operator"] not in known
    ],
    "each node counts as blocked: is its OPERATOR looked for, and in `known`? `op not in known`": lambda nodes, known: (
        list(range(len(nodes)))
    ),
    "a node is blocked for its own operator alone, and not for what it reads": _readers_by_node,
    "`for v in nodes` gives whole nodes: with enumerate(nodes) each comes with its number": lambda nodes, known: [
        v for v in nodes if nodes[v][0] not in known
    ],
    "`nodes` has whole nodes, so index finds no operator in it: enumerate(nodes) counts them": lambda nodes, known: [
        nodes.index(op) for op, _, _ in nodes if op not in known
    ],
    "those are the operators, in a set: give a list of the numbers of the nodes": lambda nodes, known: (
        {op for op, _, _ in nodes} - known
    ),
    "node 0 may be blocked, too: begin with it": lambda nodes, known: [
        v for v in range(1, len(nodes)) if nodes[v][0] not in known
    ],
    "those are the tensors that blocked nodes make: give the numbers of the nodes, their places in the list": (
        lambda nodes, known: [makes[0] for op, _, makes in nodes if op not in known]
    ),
    "those are the tensors that blocked nodes read: give the numbers of the nodes, their places in the list": (
        lambda nodes, known: [reads[0] for op, reads, _ in nodes if op not in known]
    ),
    "those are whole nodes: give their numbers, their places in the list (`enumerate` counts them)": (
        lambda nodes, known: [node for node in nodes if node[0] not in known]
    ),
    "nodes are numbered from 0, as places in a list are": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes, 1) if op not in known
    ],
    "that is the first blocked node alone: `return` in the loop ends it": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes) if op not in known
    ][:1],
    "that is the first blocked node alone: collect them in a list, and `return` it after the loop": (
        lambda nodes, known: next(([v] for v, (op, _, _) in enumerate(nodes) if op not in known), None)
    ),
    "that is the number of the first blocked node: collect all in a list, and `return` it after the loop": (
        lambda nodes, known: next((v for v, (op, _, _) in enumerate(nodes) if op not in known), None)
    ),
    "does the loop end at the first node? `return` and `break` end it": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes[:1]) if op not in known
    ],
    "that says of each node whether it is blocked: give the numbers of those that are": lambda nodes, known: [
        op not in known for op, _, _ in nodes
    ],
    "a whole node, or a list of tensors, was looked for in `known`: look for the operator, op in (op, reads, makes)": (
        lambda nodes, known: [v for v, node in enumerate(nodes) if node not in known]
    ),
    "those are tensors, the lists that blocked nodes make: give the numbers of the nodes, their places in the list": (
        lambda nodes, known: [makes for op, _, makes in nodes if op not in known]
    ),
    "a node behind a blocked one may be known: ask for each whether its own operator is": lambda nodes, known: [
        v for v in range(len(nodes)) if any(op not in known for op, _, _ in nodes[: v + 1])
    ],
    "enumerate gives (number, node): for v, (op, reads, makes) in enumerate(nodes)": lambda nodes, known: [
        v for v, op, _, _ in enumerate(nodes) if op not in known
    ],
    "`known` says what this accelerator knows: another one knows other operators": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes) if op not in {"input", "conv", "relu", "add"}
    ],
    "the sigmoid is not the only one: blocked is each operator that is not in `known`": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes) if op == "sigmoid"
    ],
    "a node has three parts, and its number comes from enumerate: for v, (op, _, _) in enumerate(nodes)": (
        lambda nodes, known: [v for v, op in nodes if op not in known]
    ),
    "that is how many nodes are blocked: give their numbers": lambda nodes, known: sum(
        op not in known for op, _, _ in nodes
    ),
    "those are tensors, the lists that blocked nodes read: give the numbers of the nodes, their places in the list": (
        lambda nodes, known: [reads for op, reads, _ in nodes if op not in known]
    ),
    "those are the operators: give the numbers of the nodes": lambda nodes, known: [
        op for op, _, _ in nodes if op not in known
    ],
    "those are the nodes that the accelerator knows": lambda nodes, known: [
        v for v, (op, _, _) in enumerate(nodes) if op in known
    ],
}


def _first_above(device: str, start: str, above: Above) -> int:
    """What the first predecessor asks for, if it is more than 0 or 1."""
    least = int(device != start)
    return next((one + (other != device) for one, other in above if one + (other != device) > least), least)


LEVEL: Mistakes = {
    "it is always [device != start]: take the LARGEST, max and not min. Or are the predecessors not looked at?": (
        lambda device, start, above: int(device != start)
    ),
    "does `return` stand in the loop? A predecessor behind may ask for more": _first_above,
    "each predecessor takes the place of the one before it: keep the largest. And [device != start] is missing": (
        lambda device, start, above: [0, *(one + (other != device) for one, other in above)][-1]
    ),
    "it is the predecessors' LEVELS that count, and not how many there are": lambda device, start, above: (
        int(device != start) + len(above)
    ),
    "in Python [other != device] is a list: use round brackets, one + (other != device)": lambda device, start, above: (
        max([device != start] + [one + [other != device] for one, other in above])  # noqa: RUF005
    ),
    "those are all that are asked for: the level is the largest of them, max(...)": lambda device, start, above: [
        device != start,
        *(one + (other != device) for one, other in above),
    ],
    "those are all that are asked for: the level is the largest, max(...)": lambda device, start, above: [
        int(device != start),
        *(one + (other != device) for one, other in above),
    ],
    "`above` may be empty, and max of nothing is an error: make one list of all, [device != start] first": (
        lambda device, start, above: max(int(device != start), max(above)[0])
    ),
    "max compares a boolean with a whole list: make one list of all, max([b, *...])": lambda device, start, above: max(
        device != start,
        [one + (other != device) for one, other in above],
    ),
    "a node waits for the last of its predecessors, and not for one after the other: the largest, no sum": (
        lambda device, start, above: max(int(device != start), sum(one + (other != device) for one, other in above))
    ),
    "both changes of device are missing: [device != start], and + [other != device] for each predecessor": (
        lambda device, start, above: max((one for one, _ in above), default=0)
    ),
    "[device != start] is missing: a node of the other device cannot run in turn 0": lambda device, start, above: max(
        (one + (other != device) for one, other in above), default=0
    ),
    "`above` may be empty: then [device != start] alone counts": lambda device, start, above: max(
        one + (other != device) for one, other in above
    ),
    "one later only where the device changes, not at every step": lambda device, start, above: max(
        [int(device != start), *(one + 1 for one, _ in above)]
    ),
    "one later where the device changes: + [other != device]": lambda device, start, above: max(
        [int(device != start), *(one for one, _ in above)]
    ),
    "the 1 belongs to the predecessor whose device differs: add it to that one's level, before the maximum": _once,
    "the node's device was compared with `start` at each predecessor: compare it with the predecessor's device": (
        lambda device, start, above: max([int(device != start), *(one + (device != start) for one, _ in above)])
    ),
    "[device != start] is no summand: it stands in the max, beside what the predecessors ask for": (
        lambda device, start, above: (
            int(device != start) + max((one + (other != device) for one, other in above), default=0)
        )
    ),
    "it is 0 for the device that starts, and 1 for the other: [device != start]": lambda device, start, above: max(
        [int(device == start), *(one + (other != device) for one, other in above)]
    ),
    "both brackets are exchanged: they are 1 where the devices differ": lambda device, start, above: max(
        [int(device == start), *(one + (other == device) for one, other in above)]
    ),
    "only the first predecessor is looked at: the largest of ALL that they ask for counts": _one_predecessor(0),
    "only the last predecessor is looked at: the largest of ALL that they ask for counts": _one_predecessor(-1),
    "what the predecessors ask for was added up: a node runs when the LAST of them has run, so the largest counts": (
        lambda device, start, above: int(device != start) + sum(one + (other != device) for one, other in above)
    ),
    "`above` has (level, device) of each predecessor: the level comes first": lambda device, start, above: max(
        [int(device != start), *(one + (other != device) for other, one in above)]
    ),
    "the least was taken: a node runs when ALL its predecessors have run, so the largest counts": (
        lambda device, start, above: max(
            int(device != start), min((one + (other != device) for one, other in above), default=0)
        )
    ),
    "the 1 was added where the devices are the same: [other != device] is 1 where they differ": (
        lambda device, start, above: max([int(device != start), *(one + (other == device) for one, other in above)])
    ),
    "a predecessor was compared with `start`: compare it with the node's own device": lambda device, start, above: max(
        [int(device != start), *(one + (other != start) for one, other in above)]
    ),
    "a node of the other device runs in turn 1 at the EARLIEST: its predecessors count, too": (
        lambda device, start, above: (
            1 if device != start else max((one + (other != device) for one, other in above), default=0)
        )
    ),
    "that counts predecessors on the other device: each asks for its LEVEL, and 1 more where the device differs": (
        _changes
    ),
    "a predecessor on the node's OWN device counts, too, with its level": lambda device, start, above: max(
        [int(device != start), *(one + 1 for one, other in above if other != device)]
    ),
    "a predecessor on the OTHER device counts, too, with 1 more than its level": lambda device, start, above: max(
        [int(device != start), *(one for one, other in above if other == device)]
    ),
    "+ comes before !=: put the comparison in brackets, one + (other != device)": lambda device, start, above: max(
        [int(device != start), *(one + other != device for one, other in above)]
    ),
    "`above` may be empty, and max(n, *[]) is max(n), of one number: give it a list, max([n, *...])": (
        lambda device, start, above: max(int(device != start), *(one + (other != device) for one, other in above))
    ),
    "`above` may be empty, and max(b, *[]) is max(b), of one boolean: give it a list, max([b, *...])": (
        lambda device, start, above: max(device != start, *(one + (other != device) for one, other in above))
    ),
    "max compares a number with a whole list: make one list of all, max([n, *...])": lambda device, start, above: max(
        int(device != start), [one + (other != device) for one, other in above]
    ),
    "the CPU may be the device that starts: device != start, whatever their names": lambda device, start, above: max(
        [int(device == "CPU"), *(one + (other != device) for one, other in above)]
    ),
}


def _one_by_one(made: set[int], read: set[int], wanted: set[int], returned: set[int]) -> list[int]:
    """A tensor once for each reason to hand it over."""
    return sorted([*(made - read), *(made & wanted), *(made & returned)])


HANDED_OVER: Mistakes = {
    "a tensor stands there twice, for two reasons: unite the sets, (made - read) | ..., before sorted": _one_by_one,
    "a tensor stands there twice, and two sorted lists in a row do not ascend: unite the SETS with |, then sort": (
        lambda made, read, wanted, returned: sorted(made - read) + sorted(made & (wanted | returned))
    ),
    "one reason is enough, not read here OR needed elsewhere: unite both with |": (
        lambda made, read, wanted, returned: sorted((made & (wanted | returned)) - read)
    ),
    "the first idea still holds for the rest: what is made and NOT read here goes out. Unite both, with |": (
        lambda made, read, wanted, returned: sorted(made & wanted)
    ),
    "that is what the network returns: what others read, and what nobody reads here, goes out as well": (
        lambda made, read, wanted, returned: sorted(made & returned)
    ),
    "one reason is enough: | unites, & keeps what is in all of them": lambda made, read, wanted, returned: sorted(
        made & wanted & returned
    ),
    "what others read is handed over EVEN IF it is read here: do not take it off": (
        lambda made, read, wanted, returned: sorted(made - read - wanted)
    ),
    "others read tensors that this sub-graph does not make, and what is made and not read here is missing": (
        lambda made, read, wanted, returned: sorted(wanted | returned)
    ),
    "not all of these are made here, and what is only read here stays inside": lambda made, read, wanted, returned: (
        sorted(made | wanted | returned)
    ),
    "only what is in `made` can be handed over, also if the network returns it": lambda made, read, wanted, returned: (
        sorted((made & wanted) | returned)
    ),
    "others read tensors that this sub-graph does not make; and `- read` takes off what they read": (
        lambda made, read, wanted, returned: sorted((made | wanted | returned) - read)
    ),
    "what is handed over was made here, and not only read here: made & (wanted | returned)": (
        lambda made, read, wanted, returned: sorted((made - read) | ((made | read) & (wanted | returned)))
    ),
    "^ takes what is in one of the two, so what is only read here: made - read": lambda made, read, wanted, returned: (
        sorted((made ^ read) | (made & (wanted | returned)))
    ),
    "sets are united with |, and not with +": lambda made, read, wanted, returned: sorted(
        (made - read) + (made & (wanted | returned))
    ),
    "print, .update(...) and .sort() give None: `return` the result itself": lambda made, read, wanted, returned: None,
    "a set has no .sort(): sorted(...) makes a list of it": lambda made, read, wanted, returned: (
        (made - read) | (made & (wanted | returned))
    ).sort(),
    "that is what it needs from outside: asked is what it hands over": lambda made, read, wanted, returned: sorted(
        read - made
    ),
    "that was the first idea: what others read, or the network returns, is handed over even if it is read here": (
        lambda made, read, wanted, returned: sorted(made - read)
    ),
    "both kinds are due, what others want AND what the network returns: | unites them, and neither `or` nor & does": (
        lambda made, read, wanted, returned: sorted((made - read) or made & (wanted | returned))
    ),
    "what no node here reads is handed over, too: the first idea holds for it": lambda made, read, wanted, returned: (
        sorted(made & (wanted | returned))
    ),
    "others read tensors that this sub-graph does not make: only those of `made` are handed over": (
        lambda made, read, wanted, returned: sorted((made - read) | wanted | returned)
    ),
    "others read tensors that this sub-graph does not make, and what the network returns is missing: made & (wanted | "
    "returned)": lambda made, read, wanted, returned: sorted((made - read) | wanted),
    "& binds before |, so all that the network returns is there, whoever makes it: made & (wanted | returned)": (
        lambda made, read, wanted, returned: sorted((made - read) | made & wanted | returned)
    ),
    "what the network returns is handed over, too, even if no other sub-graph reads it": (
        lambda made, read, wanted, returned: sorted((made - read) | made & wanted)
    ),
    "what another sub-graph reads is handed over, too, even if the network does not return it": (
        lambda made, read, wanted, returned: sorted((made - read) | made & returned)
    ),
    "what is read here alone stays inside": lambda made, read, wanted, returned: sorted(made),
    "what others read is handed over, and not what they do not read: made & wanted": (
        lambda made, read, wanted, returned: sorted(made - wanted)
    ),
    "a set has no order: sorted(...) makes a list of it": lambda made, read, wanted, returned: (
        (made - read) | (made & (wanted | returned))
    ),
    "a set has no order, and list(...) gives it none: sorted(...)": lambda made, read, wanted, returned: sorted(
        (made - read) | (made & (wanted | returned)), key=lambda tensor: tensor % 8
    ),
}


def _node_by_device(
    placed: Sequence[str], times: Mapping[str, Sequence[float]], copies: Mapping[tuple[int, int], float]
) -> float:
    """The cost where index finds the first node of a device for each of them."""
    return sum(times[device][placed.index(device)] for device in placed) + _copying(placed, copies)


PLACEMENT_COST: Mistakes = {
    "placed.index(device) is the FIRST node on it: for v, device in enumerate(placed)": _node_by_device,
    "all copies are added for each line that is paid: for (u, v), cost in copies.items()": (
        lambda placed, times, copies: (
            _computing(placed, times) + sum(placed[u] != placed[v] for u, v in copies) * sum(copies.values())
        )
    ),
    "the keys of `copies` are pairs, their values the costs: for (u, v), cost in copies.items()": (
        lambda placed, times, copies: sum(cost for _, _, cost in copies)
    ),
    "`for ... in copies` gives the keys alone: for (u, v), cost in copies.items()": lambda placed, times, copies: sum(
        cost for (_, _), cost in copies
    ),
    "not every pair of nodes has a copy: go through copies.items()": lambda placed, times, copies: (
        _computing(placed, times)
        + sum(copies[u, v] for u in range(len(placed)) for v in range(len(placed)) if placed[u] != placed[v])
    ),
    "times[device] is the list of all nodes: times[device][v] is the time of one": lambda placed, times, copies: sum(
        times[device] for device in placed
    ),
    "copies cost, so they are added": lambda placed, times, copies: (
        _computing(placed, times) - _copying(placed, copies)
    ),
    "each node runs on one device, the one in `placed`: not all times count": lambda placed, times, copies: (
        sum(sum(each) for each in times.values()) + _copying(placed, copies)
    ),
    "the cost is the SUM of computing and copying, and not the larger of them": lambda placed, times, copies: max(
        _computing(placed, times), _copying(placed, copies)
    ),
    "each node computes once, whether or not a copy begins at it: go through `placed` for the times": (
        lambda placed, times, copies: sum(times[placed[u]][u] for u, _ in copies) + _copying(placed, copies)
    ),
    "the nodes of a chain wait for one another, on both devices: add up all times, and not the larger sum alone": (
        lambda placed, times, copies: (
            max(sum(times[device][v] for v, device in enumerate(placed) if device == one) for one in times)
            + _copying(placed, copies)
        )
    ),
    "a copy is paid where the two devices differ, and not where they agree": lambda placed, times, copies: (
        _computing(placed, times) + sum(cost for (u, v), cost in copies.items() if placed[u] == placed[v])
    ),
    "a copy is paid where the devices of ITS two nodes differ, and node 0 need not be one of them": (
        lambda placed, times, copies: (
            _computing(placed, times) + sum(cost for (_, v), cost in copies.items() if placed[0] != placed[v])
        )
    ),
    "a copy is paid only where the devices of its two nodes differ": lambda placed, times, copies: (
        _computing(placed, times) + sum(copies.values())
    ),
    "a copy is paid between any two nodes of `copies`, and not only between neighbours": lambda placed, times, copies: (
        _computing(placed, times)
        + sum(cost for (u, v), cost in copies.items() if v == u + 1 and placed[u] != placed[v])
    ),
    "each pair in `copies` has its tensor, and is paid, also where two begin at one node": _once_for_each_source,
    "each pair in `copies` has its tensor, and is paid, also where one before it begins there": _first_of_each_source,
    "a node computes once: its time was added for each line of `copies` in which it stands": _times_of_each_line,
    "all copies were paid again for each node: does their loop stand inside the other one?": (
        lambda placed, times, copies: _computing(placed, times) + len(placed) * _copying(placed, copies)
    ),
    "only the dearest copy is paid: add them all up": lambda placed, times, copies: (
        _computing(placed, times) + max((cost for (u, v), cost in copies.items() if placed[u] != placed[v]), default=0)
    ),
    "a copy from the CPU to ACC is paid, too: wherever the two devices differ": lambda placed, times, copies: (
        _computing(placed, times)
        + sum(cost for (u, v), cost in copies.items() if (placed[u], placed[v]) == ("ACC", "CPU"))
    ),
    "a copy from ACC to the CPU is paid, too: wherever the two devices differ": lambda placed, times, copies: (
        _computing(placed, times)
        + sum(cost for (u, v), cost in copies.items() if (placed[u], placed[v]) == ("CPU", "ACC"))
    ),
    "each copy was paid twice: add it once for its pair, and not at both nodes": lambda placed, times, copies: (
        _computing(placed, times) + 2 * _copying(placed, copies)
    ),
    "each node is computed once, on the device where it is placed: times[device][v], and not all of times[device]": (
        lambda placed, times, copies: sum(sum(times[device]) for device in placed) + _copying(placed, copies)
    ),
    "those are the times on the other device: times[device][v] with the device where node v is placed": (
        lambda placed, times, copies: (
            sum(max(one[v] for name, one in times.items() if name != device) for v, device in enumerate(placed))
            + _copying(placed, copies)
        )
    ),
    "each node was computed where it is fastest, and the copies are forgotten: `placed` says where it is computed": (
        lambda placed, times, copies: sum(min(one[v] for one in times.values()) for v in range(len(placed)))
    ),
    "the least time of each device was taken: the time of node v is times[device][v]": lambda placed, times, copies: (
        sum(min(times[device]) for device in placed) + _copying(placed, copies)
    ),
    "each node was computed where it is fastest: `placed` says where it is computed": lambda placed, times, copies: (
        sum(min(one[v] for one in times.values()) for v in range(len(placed))) + _copying(placed, copies)
    ),
    "first the device, then the node: times[device][v]": lambda placed, times, copies: sum(
        times[v][device] for v, device in enumerate(placed)
    ),
    "a copy costs what `copies` says, and not 1": lambda placed, times, copies: (
        _computing(placed, times) + sum(placed[u] != placed[v] for u, v in copies)
    ),
    "only the first copy is paid: `return` in the loop ends it": lambda placed, times, copies: (
        _computing(placed, times) + sum([cost for (u, v), cost in copies.items() if placed[u] != placed[v]][:1])
    ),
    "does `return` stand in the loop over the copies? Then it ends after the first of them": (
        lambda placed, times, copies: (
            _computing(placed, times) + sum(cost for (u, v), cost in list(copies.items())[:1] if placed[u] != placed[v])
        )
    ),
    "the longest time was taken: the cost is the SUM of all times, as if the devices took turns": (
        lambda placed, times, copies: (
            max(times[device][v] for v, device in enumerate(placed))
            + sum(cost for (u, v), cost in copies.items() if placed[u] != placed[v])
        )
    ),
    "the copies are forgotten": lambda placed, times, copies: _computing(placed, times),
    "the time to compute is forgotten: times[device][node]": lambda placed, times, copies: sum(
        cost for (u, v), cost in copies.items() if placed[u] != placed[v]
    ),
}


Paths = Sequence[Sequence[str]]
Room = Mapping[str, int]


def _sending(amount: Callable[..., int], full: Callable[..., Sequence[str]] = lambda path, room: path) -> Callable:
    """A `flow` that sends `amount(path, room)` along each path, and takes it off the lines that `full` names."""

    def flow(paths: Paths, room: Room) -> list[int]:
        left, sent = dict(room), []
        for path in paths:
            sent.append(amount(path, left))
            for line in full(path, left):
                left[line] -= sent[-1]
        return sent

    return flow


def _least(path: Sequence[str], room: Room) -> int:
    """What fits along a path."""
    return min(room[line] for line in path)


def _measured_again(paths: Paths, room: Room) -> list[int]:
    """The amounts where what fits is measured again for each line, after the line before it has lost some."""
    left, sent = dict(room), []
    for path in paths:
        sent.append(_least(path, left))
        for line in path:
            left[line] -= _least(path, left)
    return sent


def _what_is_left(paths: Paths, room: Room) -> dict[str, int]:
    """The room that is left."""
    left = dict(room)
    for path in paths:
        amount = _least(path, left)
        for line in path:
            left[line] -= amount
    return left


def _leaving(left_of: Callable[[int, int], int]) -> Callable[..., list[int]]:
    """A `flow` after which each line of the path has left_of(its room, the amount)."""

    def flow(paths: Paths, room: Room) -> list[int]:
        left, sent = dict(room), []
        for path in paths:
            sent.append(_least(path, left))
            left.update({line: left_of(left[line], sent[-1]) for line in path})
        return sent

    return flow


def _in_alphabet(paths: Paths, room: Room) -> list[str]:
    """The first line of each path by its name."""
    left, sent = dict(room), []
    for path in paths:
        amount = min(path)
        for line in path:
            left[line] -= amount
        sent.append(amount)
    return sent


def _last_measured(paths: Paths, room: Room) -> list[int]:
    """The amounts where what fits is measured at each line, and the last of these is sent."""
    left, sent = dict(room), []
    for path in paths:
        for line in path:
            amount = _least(path, left)
            left[line] -= amount
        sent.append(amount)
    return sent


def _without_full_lines(paths: Paths, room: Room) -> list[int]:
    """The amounts where a line that is full is forgotten."""
    left, sent = dict(room), []
    for path in paths:
        sent.append(_least(path, left))
        for line in path:
            left[line] -= sent[-1]
            if not left[line]:
                del left[line]
    return sent


_flow = _sending(_least)

FLOW: Mistakes = {
    "the room stays as it was: take each amount off every line of its path": _sending(_least, lambda path, room: []),
    "only the narrowest line has lost the amount: take it off every line of the path": _sending(
        _least, lambda path, room: [min(path, key=room.__getitem__)]
    ),
    "only the first line has lost the amount: take it off every line of the path": _sending(
        _least, lambda path, room: path[:1]
    ),
    "only the last line has lost the amount: take it off every line of the path": _sending(
        _least, lambda path, room: path[-1:]
    ),
    "every line has lost the amount: take it off the lines of the path alone": _sending(
        _least, lambda path, room: list(room)
    ),
    "what fits is measured again while the lines lose it: keep it in a variable first": _measured_again,
    "no line of a path is full but the narrowest: take the amount off, room[line] -= amount": _leaving(
        lambda room, amount: 0
    ),
    "the room became the amount: take it off, room[line] -= amount": _leaving(lambda room, amount: amount),
    "the lines have won room instead of losing it: room[line] -= amount": _leaving(lambda room, amount: room + amount),
    "the widest line was taken: what fits is the LEAST that a line of the path can carry, min": _sending(
        lambda path, room: max(room[line] for line in path)
    ),
    "the rooms along a path were added up: its lines follow one another, so the least of them counts, min": _sending(
        lambda path, room: sum(room[line] for line in path)
    ),
    "the first line alone was looked at: the least of ALL lines of the path counts": _sending(
        lambda path, room: room[path[0]]
    ),
    "the last line alone was looked at: the least of ALL lines of the path counts": _sending(
        lambda path, room: room[path[-1]]
    ),
    "the least of all lines was taken: only those of the path count, min(room[line] for line in path)": _sending(
        lambda path, room: min(room.values())
    ),
    "min(path) is the first NAME in the alphabet: min(room[line] for line in path)": _in_alphabet,
    "min(path) is the first NAME, and not the narrowest line: min(room[line] for line in path)": _sending(
        lambda path, room: room[min(path)]
    ),
    "that is what arrives in all: return the list of amounts, one for each path": lambda paths, room: sum(
        _flow(paths, room)
    ),
    "that is what the first path carries: collect the amounts in a list, and `return` it after the loop": (
        lambda paths, room: _flow(paths, room)[0]
    ),
    "that is the first path alone: `return` in the loop ends it": lambda paths, room: _flow(paths, room)[:1],
    "that is what the last path carries: collect the amounts in a list, one for each path": lambda paths, room: _flow(
        paths, room
    )[-1],
    "a path that carries nothing has its 0 in the list": lambda paths, room: [n for n in _flow(paths, room) if n],
    "that is what the lines can still carry: return what was sent, a list with an amount for each path": _what_is_left,
    "each amount stands there once for every line: append it once for the path, behind the loop over its lines": (
        lambda paths, room: [amount for path, amount in zip(paths, _flow(paths, room), strict=True) for _ in path]
    ),
    "what fits is measured again at each line, and the last of these is kept: measure it once, before the loop": (
        _last_measured
    ),
    "min(path) is the first NAME, and nothing was taken off: min(room[line] for line in path)": lambda paths, room: [
        min(path) for path in paths
    ],
    "min(path) is the first NAME, no narrowest line, and the room stays as it was: room[line] -= amount": (
        lambda paths, room: [room[min(path)] for path in paths]
    ),
    "room[path] asks for a whole path: room[line] for each line in it": lambda paths, room: [
        room[path] for path in paths
    ],
    "the room stays as it was, and the amounts are added up: return a list, with one for each path": (
        lambda paths, room: sum(_least(path, room) for path in paths)
    ),
    "that is the least of all lines for each path: min(room[line] for line in path), the lines of THIS path": (
        lambda paths, room: [min(room[line] for path in paths for line in path)] * len(paths)
    ),
    "a full line stays in `room`, with 0: another path may ask for it": _without_full_lines,
    "return the amounts alone, in a list: no dictionary of paths": lambda paths, room: {
        tuple(path): amount for path, amount in zip(paths, _flow(paths, room), strict=True)
    },
    "return the amounts alone: the paths are known": lambda paths, room: list(
        zip(paths, _flow(paths, room), strict=True)
    ),
    "return the amounts alone, without the room": lambda paths, room: (_flow(paths, room), _what_is_left(paths, room)),
    "those are the rooms that are left: return what was sent, an amount for each path": lambda paths, room: list(
        _what_is_left(paths, room).values()
    ),
}
