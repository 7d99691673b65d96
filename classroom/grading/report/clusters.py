"""Groups of students whose answers to one homework are alike: pairs, joined where they share a student."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from classroom.grading.similarity import Pair


@dataclass(frozen=True)
class Cluster:
    """A connected group of the graph whose edges are similar pairs; `pairs` most similar first."""

    homework: str
    students: tuple[str, ...]
    pairs: tuple[Pair, ...]


def clusters_of(pairs: Iterable[Pair]) -> list[Cluster]:
    """The groups of each homework, the largest first.

    >>> alike = lambda *names: Pair("hw", names, 1.0, 20, ((), ()))
    >>> [one.students for one in clusters_of([alike("a", "b"), alike("c", "d"), alike("b", "e")])]
    [('a', 'b', 'e'), ('c', 'd')]
    """
    group: dict[tuple[str, str], tuple[str, str]] = {}

    def head(one: tuple[str, str]) -> tuple[str, str]:
        while group.setdefault(one, one) != one:
            group[one] = group[group[one]]
            one = group[one]
        return one

    pairs = list(pairs)
    for pair in pairs:
        first, second = (head((pair.homework, student)) for student in pair.students)
        group[max(first, second)] = min(first, second)
    members, edges = defaultdict[tuple[str, str], set[str]](set), defaultdict[tuple[str, str], list[Pair]](list)
    for pair in pairs:
        key = head((pair.homework, pair.students[0]))
        members[key] |= set(pair.students)
        edges[key].append(pair)
    found = [
        Cluster(
            key[0],
            tuple(sorted(members[key])),
            tuple(sorted(edges[key], key=lambda p: (-p.share, -p.shared, p.students))),
        )
        for key in members
    ]
    return sorted(found, key=lambda one: (-len(one.students), -one.pairs[0].share, one.homework, one.students))
