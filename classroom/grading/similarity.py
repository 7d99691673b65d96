"""Pairs of submissions that share more code than chance explains: advice for a person, never a grade.

Fingerprints of token sequences are chosen by winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for
document fingerprinting", SIGMOD 2003, https://doi.org/10.1145/872757.872770). Names, numbers, texts, comments and the
order of functions do not matter. Left out is what is no sign of copying: the code that was handed out, what more than
a few different submissions have, and what several have that the worked solution has too.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from classroom.grading.records import Submission
from classroom.grading.tokens import tokens

GRAM = 10
"""Tokens of one fingerprint: what two submissions share in fewer is noise."""
WINDOW = 5
"""Of so many fingerprints in a row at least one is kept: GRAM + WINDOW - 1 shared tokens are always found."""
LEAST_SHARED = 20
"""Fingerprints that two submissions must share to be reported."""
LEAST_SHARE = 0.5
"""Part of the smaller submission's own fingerprints that must be shared."""
FEW, MANY = 4, 40
"""A fingerprint of more submissions than COMMON of all, at least FEW and at most MANY, is a common form."""
COMMON = 0.1
OBVIOUS = 2
"""A fingerprint of the worked solution is one in more submissions than these."""
NOTHING = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True)
class Pair:
    """Two students' submissions of one homework that are alike.

    share : part of the smaller one's distinctive fingerprints that both have, 0 to 1.
    shared : how many fingerprints that is.
    lines : where they stand, (first, last) in each of the two.
    """

    homework: str
    students: tuple[str, str]
    share: float
    shared: int
    lines: tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


def similar_pairs(submissions: Sequence[Submission], given: str = "", solution: str = "") -> list[Pair]:
    """The similar pairs among submissions of one homework, the most similar first.

    given : the file as it was handed out; what stands in it is nobody's own.
    solution : the worked solution; of what stands in it too, OBVIOUS submissions at most may have the same.

    Submissions that are equal in all that counts are put together, and count as one where a common form is looked for:
    of more than FEW of them the first is paired with each other one. Time grows with the number of submissions: a
    fingerprint is looked up in an index, and one that more than MANY different submissions have is not compared at all.
    """
    ignored, worked = grams(given)[0], set(grams(solution)[0].tolist())
    found = [fingerprints(source(one), ignored) for one in submissions]
    groups = _equal(found, worked)
    repeated = {place for group in groups for place in group[1:]}
    index: dict[int, list[int]] = defaultdict(list)
    for place, prints in enumerate(found):
        if place not in repeated:
            for value in prints:
                index[value].append(place)
    index = _telling(index, len(submissions), worked)
    own = [prints.keys() & index.keys() for prints in found]
    together: Counter[tuple[int, int]] = Counter()
    for places in index.values():
        together.update(combinations(places, 2))
    alike = {
        pair: own[pair[0]] & own[pair[1]]
        for pair, shared in together.items()
        if shared >= LEAST_SHARED and shared >= LEAST_SHARE * min(len(own[pair[0]]), len(own[pair[1]]))
    }
    for group in groups:
        pairs = combinations(group, 2) if len(group) <= FEW else ((group[0], other) for other in group[1:])
        alike |= {pair: found[group[0]].keys() - worked for pair in pairs}
    reported = [
        Pair(
            submissions[first].homework,
            (submissions[first].student, submissions[second].student),
            1.0 if second in repeated else len(both) / min(len(own[first]), len(own[second])),
            len(both),
            (_ranges(found[first][value] for value in both), _ranges(found[second][value] for value in both)),
        )
        for (first, second), both in alike.items()
        if submissions[first].student != submissions[second].student
    ]
    return sorted(reported, key=lambda pair: (-pair.share, -pair.shared, pair.students))


def _equal(found: Sequence[Mapping[int, object]], worked: set[int]) -> list[list[int]]:
    """Groups of submissions with the same fingerprints, of which enough are not the worked solution's."""
    same: dict[frozenset[int], list[int]] = defaultdict(list)
    for place, prints in enumerate(found):
        same[frozenset(prints)].append(place)
    return [group for prints, group in same.items() if len(group) > 1 and len(prints - worked) >= LEAST_SHARED]


def _telling(index: dict[int, list[int]], submissions: int, solution: set[int]) -> dict[int, list[int]]:
    """The entries of the index that are no common form."""
    limit = max(FEW, min(MANY, int(COMMON * submissions)))
    return {
        value: places for value, places in index.items() if len(places) <= (OBVIOUS if value in solution else limit)
    }


def source(submission: Submission) -> str:
    """The Python files of a submission as one text, with whatever is no UTF-8 replaced."""
    files = [submission.files[name] for name in sorted(submission.files) if name.endswith(".py")]
    return "\n".join(content.decode("utf-8", "replace") for content in files)


def fingerprints(text: str, ignored: np.ndarray) -> dict[int, tuple[int, int]]:
    """Source -> fingerprint -> (first, last) line of where it first stands, winnowed, without the ignored ones."""
    values, lines = grams(text)
    if not len(values):
        return {}
    values = np.where(np.isin(values, ignored), NOTHING, values)
    chosen = {int(place) for place in winnow(values)}
    return {
        int(values[i]): (lines[i], lines[i + GRAM - 1]) for i in sorted(chosen, reverse=True) if values[i] < NOTHING
    }


def grams(text: str) -> tuple[np.ndarray, list[int]]:
    """Source of n tokens -> (n - GRAM + 1,) uint64 hashes of its runs of GRAM tokens, and the n tokens' lines."""
    found = tokens(text)
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
    """(n,) hashes -> places of the chosen ones: the rightmost smallest of every `width` in a row.

    >>> winnow(np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], np.uint64), 4).tolist()
    [3, 6, 8, 11, 15]
    """
    width = min(width, len(values))
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    last_smallest = width - 1 - windows[:, ::-1].argmin(axis=1)
    return np.unique(np.arange(len(windows)) + last_smallest)


def _ranges(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges of lines, those that touch put together."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)
