"""Find pairs of submissions that share more code than chance explains: a hint for a person, never a grade.

Fingerprints of token sequences are chosen by winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for
document fingerprinting", SIGMOD 2003, https://doi.org/10.1145/872757.872770). Names, numbers, strings, comments,
grouping brackets and the order of functions do not matter; answers in a worksheet and code in strings passed to exec
are compared too. Ignored, as no sign of copying: code that was handed out, short fragments that more than a few
submissions have, and code that several have in common with the worked solution.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from classroom.grading import notebook
from classroom.grading.records import Submission
from classroom.grading.source_tokens import Code, code

GRAM = 10
"""Tokens per fingerprint: shorter matches are noise."""
WINDOW = 5
"""Of every WINDOW consecutive fingerprints at least one is kept: GRAM + WINDOW - 1 shared tokens are always found."""
MIN_SHARED = 20
"""Minimum number of shared fingerprints to report."""
MIN_SHARE = 0.5
"""Minimum fraction of the smaller submission's fingerprints that must be shared."""
FEW, MANY = 4, 40
"""A fingerprint of more submissions than COMMON of all, at least FEW and at most MANY, is a common form."""
COMMON = 0.1
STRETCH, COPIED = 8, 50
"""So many fingerprints in stretches of STRETCH and more, the same in both one after the other, are a copy, however much
beside it is somebody's own and however many have it: some 150 tokens."""
TOGETHER = 0.75
"""Minimum fraction of the shared fingerprints that must lie in such stretches."""
OBVIOUS = 2
"""A fingerprint of the worked solution counts only if at most this many submissions have it."""
NO_HASH = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True)
class Pair:
    """Two similar submissions of one homework.

    share : fraction of the smaller one's distinctive fingerprints that both have, 0 to 1.
    shared : number of those fingerprints.
    lines : their line ranges (first, last) in each of the two.
    """

    homework: str
    students: tuple[str, str]
    share: float
    shared: int
    lines: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Uncompared:
    """A submission that could not be compared completely, and why."""

    homework: str
    student: str
    why: str


@dataclass(frozen=True)
class Comparison:
    """Result of comparing the submissions of one homework: similar pairs, and what could not be compared."""

    pairs: list[Pair]
    uncompared: list[Uncompared]


def compare_submissions(submissions: Sequence[Submission], given: str = "", solution: str = "") -> Comparison:
    """Compare the submissions of one homework; parameters as for `similar_pairs`."""
    read = list[Code]()
    uncompared = []
    for one in submissions:
        text, fault = source(one)
        read.append(code(text))
        uncompared += [Uncompared(one.homework, one.student, why) for why in (fault, read[-1].left_out) if why]
    return Comparison(_pairs(submissions, read, code(given), code(solution)), uncompared)


def similar_pairs(submissions: Sequence[Submission], given: str = "", solution: str = "") -> list[Pair]:
    """The similar pairs among the submissions of one homework, most similar first.

    given : code that was handed out; ignored.
    solution : the worked solution; code shared with it counts only if at most OBVIOUS submissions have it.

    Submissions with equal fingerprints are grouped, and count as one when common fragments are looked for; in a group
    of more than FEW, the first is paired with each other one. Time is linear in the number of submissions: fingerprints
    are looked up in an index, and one that more than MANY different submissions have is ignored.
    """
    return compare_submissions(submissions, given, solution).pairs


def _pairs(submissions: Sequence[Submission], read: Sequence[Code], given: Code, solution: Code) -> list[Pair]:
    ignored, worked = grams(given)[0], set(grams(solution)[0].tolist())
    found = [fingerprints(one, ignored) for one in read]
    groups = _equal(found, worked)
    repeated = {place for group in groups for place in group[1:]}
    index: dict[int, list[int]] = defaultdict(list)
    for place, prints in enumerate(found):
        if place not in repeated:
            for value in prints:
                index[value].append(place)
    limit = max(FEW, min(MANY, int(COMMON * len(submissions))))
    shared = _together(places for value, places in index.items() if len(places) <= MANY and value not in worked)
    index = _telling(index, limit, worked)
    own = [prints.keys() & index.keys() for prints in found]
    alike = {
        pair: own[pair[0]] & own[pair[1]]
        for pair, count in _together(index.values()).items()
        if count >= MIN_SHARED
        and count >= MIN_SHARE * min(len(own[pair[0]]), len(own[pair[1]]))
        and not _scattered(found[pair[0]], found[pair[1]])
    }
    for first, second in (pair for pair, count in shared.items() if count >= MIN_SHARED and pair not in alike):
        if in_stretches(found[first], found[second], worked) >= COPIED:
            alike[first, second] = (found[first].keys() & found[second].keys()) - worked
    for group in groups:
        pairs = combinations(group, 2) if len(group) <= FEW else ((group[0], other) for other in group[1:])
        alike |= {pair: found[group[0]].keys() - worked for pair in pairs}
    reported = [
        Pair(
            submissions[first].homework,
            (submissions[first].student, submissions[second].student),
            1.0 if second in repeated else _share(both, own[first] | both, own[second] | both),
            len(both),
            (_ranges(found[first][value] for value in both), _ranges(found[second][value] for value in both)),
        )
        for (first, second), both in alike.items()
        if submissions[first].student != submissions[second].student
    ]
    return sorted(reported, key=lambda pair: (-pair.share, -pair.shared, pair.students))


def _equal(found: Sequence[Mapping[int, object]], worked: set[int]) -> list[list[int]]:
    """Groups of submissions with equal fingerprints, enough of them not in the worked solution."""
    same: dict[frozenset[int], list[int]] = defaultdict(list)
    for place, prints in enumerate(found):
        same[frozenset(prints)].append(place)
    return [group for prints, group in same.items() if len(group) > 1 and len(prints - worked) >= MIN_SHARED]


def _telling(index: dict[int, list[int]], limit: int, solution: set[int]) -> dict[int, list[int]]:
    """The index entries that are not common fragments."""
    return {
        value: places for value, places in index.items() if len(places) <= (OBVIOUS if value in solution else limit)
    }


def _together(holders: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """Pair of submissions -> number of fingerprints that both have."""
    count: Counter[tuple[int, int]] = Counter()
    for places in holders:
        count.update(combinations(places, 2))
    return count


def _scattered(first: Mapping[int, object], second: Mapping[int, object]) -> bool:
    """Whether the shared fingerprints are scattered, as when two people have the same idea independently."""
    count = in_stretches(first, second)
    return count < MIN_SHARED or count < TOGETHER * len(first.keys() & second.keys())


def _share(both: Collection[int], first: Collection[int], second: Collection[int]) -> float:
    return len(both) / min(len(first), len(second))


def in_stretches(first: Iterable[int], second: Iterable[int], worked: Collection[int] = ()) -> int:
    """Number of fingerprints in common runs of at least STRETCH, without those in `worked`.

    >>> in_stretches(range(20), [*range(100, 110), *range(5, 17), 3], {6})
    11
    """
    place_of = {value: place for place, value in enumerate(second)}
    count, stretch, last = 0, list[int](), -2
    for value in (*first, None):
        place = place_of.get(value, -2) if value is not None else -2
        if place != last + 1:
            count += sum(one not in worked for one in stretch) if len(stretch) >= STRETCH else 0
            stretch = []
        if place >= 0 and value is not None:
            stretch.append(value)
        last = place
    return count


def source(submission: Submission) -> tuple[str, str]:
    """(Python files and worksheet cells as one text, why something is missing from it).

    Invalid UTF-8 is replaced.
    """
    names = sorted(submission.files)
    texts = [submission.files[name].decode("utf-8", "replace") for name in names if name.endswith(".py")]
    try:
        for name in names:
            if name.endswith(".ipynb"):
                texts += notebook.answers(submission.files[name])
    except notebook.NotebookFault as fault:
        return "\n".join(texts), str(fault)
    return "\n".join(texts), ""


def fingerprints(read: Code, ignored: np.ndarray) -> dict[int, tuple[int, int]]:
    """Winnowed fingerprints in order, without ignored ones -> (first, last) line of the first occurrence."""
    values, lines = grams(read)
    if not len(values):
        return {}
    values = np.where(np.isin(values, ignored), NO_HASH, values)
    found: dict[int, tuple[int, int]] = {}
    for i in map(int, winnow(values)):
        if values[i] < NO_HASH:
            found.setdefault(int(values[i]), (lines[i], lines[i + GRAM - 1]))
    return found


def grams(read: Code) -> tuple[np.ndarray, list[int]]:
    """n tokens -> (n - GRAM + 1,) uint64 hashes of all GRAM-token windows, and the n tokens' lines."""
    found = read.tokens
    count = len(found) - GRAM + 1
    if count < 1:
        return np.zeros(0, np.uint64), []
    codes = np.array([zlib.crc32(token.text.encode("utf-8", "replace")) for token in found], np.uint64)
    hashes = np.zeros(count, np.uint64)
    for offset in range(GRAM):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + count]
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    return hashes ^ (hashes >> np.uint64(32)), [token.line for token in found]


def winnow(values: np.ndarray, width: int = WINDOW) -> np.ndarray:
    """(n,) hashes -> indices of the selected ones: the rightmost minimum of every window of `width`.

    >>> winnow(np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], np.uint64), 4).tolist()
    [3, 6, 8, 11, 15]
    """
    width = min(width, len(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    last_smallest = width - 1 - windows[:, ::-1].argmin(axis=1)
    return np.unique(np.arange(len(windows)) + last_smallest)


def _ranges(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Line ranges, with touching ones merged."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
