"""Find pairs of submissions that share more code than chance explains: a hint for a person, never a grade.

Fingerprints of token sequences are chosen by winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for
document fingerprinting", SIGMOD 2003, https://doi.org/10.1145/872757.872770). Names, numbers, strings, comments, types,
grouping brackets and the order of functions do not matter; answers in a worksheet and code in strings passed to exec
are compared too. Ignored, as no sign of copying: code that was handed out, short fragments that more than a few
submissions have, and code that several have in common with the worked solution. What an answer has of the course's own
sources is told as that (see taken.py), and makes no two students alike.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from classroom.grading import notebook
from classroom.grading.grams import GRAM, grams, hashes, token_codes
from classroom.grading.records import Submission
from classroom.grading.source_tokens import Code, code
from classroom.grading.taken import CourseIndex, FromCourse, answers, not_given, taken_from

WINDOW = 5
"""Of every WINDOW consecutive fingerprints at least one is kept: GRAM + WINDOW - 1 shared tokens are always found."""
MIN_SHARED = 20
"""Minimum number of shared fingerprints to report."""
MIN_SHARE = 0.5
"""Minimum fraction of the smaller submission's fingerprints that must be shared."""
FEW, MANY = 4, 40
"""A fingerprint of more submissions than COMMON of all, at least FEW and at most MANY, is a common form."""
COMMON = 0.1
STRETCH, COPIED = 8, 65
"""So many fingerprints in stretches of STRETCH and more, the same in both one after the other, are a copy, however much
beside it is somebody's own and however many have it: some 200 tokens."""
TOGETHER = 0.75
"""Minimum fraction of the shared fingerprints that must lie in such stretches."""
OBVIOUS = 2
"""A fingerprint of the worked solution counts only if at most this many submissions have it."""
WHOLE, LONG = 60, 110
"""A function of WHOLE tokens, some six lines, or a run of LONG, that is the same in several is a copy, if at most MANY
have it, or a tenth: two people who do a task by themselves have some 20 tokens in a row in common, and at most 51, in
the solutions under benchmarks/honest."""
LONG_WINDOW = 12
"""Of so many consecutive runs of LONG at least one is compared."""
VARIED = 0.7
"""Minimum fraction of a run's sequences of GRAM that differ from one another: loops in loops are all alike."""
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
    """Result of comparing the submissions of one homework: similar pairs, what is the course's, what was left out."""

    pairs: list[Pair]
    uncompared: list[Uncompared]
    taken: list[FromCourse] = field(default_factory=list)


@dataclass(frozen=True)
class Known:
    """What the course knows of one homework.

    given : code that was handed out; ignored.
    solution : the worked solution; code that submissions share with it counts only if at most OBVIOUS of them have it.
    exercises : exercise -> its functions and classes.
    index : the course's sources, or None to compare students alone.
    """

    given: str = ""
    solution: str = ""
    exercises: Mapping[str, Sequence[str]] = field(default_factory=dict)
    index: CourseIndex | None = None


@dataclass(frozen=True)
class Read:
    """A submission as tokens.

    own : (n,) bool, the tokens that were neither handed out nor are told as the course's.
    """

    code: Code
    own: np.ndarray


def compare_submissions(submissions: Sequence[Submission], known: Known = Known()) -> Comparison:
    """Compare the submissions of one homework with one another and with the course's sources.

    Submissions with equal fingerprints are grouped, and count as one when common fragments are looked for; in a group
    of more than FEW, the first is paired with each other one. Time is linear in the number of submissions: fingerprints
    are looked up in an index, and one that more than MANY different submissions have is ignored.
    """
    given = grams(code(known.given))[0]
    read, uncompared, taken = list[Read](), list[Uncompared](), list[FromCourse]()
    for one in submissions:
        texts, fault = source(one)
        found = code("\n".join(texts))
        own = not_given(token_codes(found.tokens), given)
        if known.index is not None:
            told, course = taken_from(known.index, one, found, answers(texts, known.exercises), given)
            taken += told
            own &= ~course
        read.append(Read(found, own))
        uncompared += [Uncompared(one.homework, one.student, why) for why in (fault, found.left_out) if why]
    return Comparison(_pairs(submissions, read, code(known.solution)), uncompared, sorted(taken, key=_most_first))


def _most_first(one: FromCourse) -> tuple[float, str, str]:
    return -one.share, one.student, one.exercise


def _pairs(submissions: Sequence[Submission], read: Sequence[Read], solution: Code) -> list[Pair]:
    """The similar pairs, most similar first."""
    worked = set(grams(solution)[0].tolist())
    found = [fingerprints(one) for one in read]
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
    for first, second in _same_runs(read, solution, repeated) - alike.keys():
        alike[first, second] = (found[first].keys() & found[second].keys()) - worked
    for group in groups:
        alike |= {pair: found[group[0]].keys() - worked for pair in _paired(group)}
    reported = [
        Pair(
            submissions[first].homework,
            (submissions[first].student, submissions[second].student),
            1.0 if second in repeated else _share(both, own[first] | both, own[second] | both),
            len(both),
            (_ranges(found[first][value] for value in both), _ranges(found[second][value] for value in both)),
        )
        for (first, second), both in alike.items()
        if both and submissions[first].student != submissions[second].student
    ]
    return sorted(reported, key=lambda pair: (-pair.share, -pair.shared, pair.students))


def _paired(group: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Each with each other one; in a group of more than FEW, the first with each."""
    return combinations(group, 2) if len(group) <= FEW else ((group[0], other) for other in group[1:])


def _same_runs(read: Sequence[Read], solution: Code, repeated: Collection[int]) -> set[tuple[int, int]]:
    """The pairs that have a function of WHOLE tokens or a run of LONG in common which the worked solution has not."""
    whole = Read(solution, np.ones(len(solution.tokens), bool))
    worked = {*hashes(token_codes(solution.tokens), LONG).tolist(), *_functions(whole)}
    holders: dict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(read):
        if place not in repeated:
            for value in {*_long_runs(one), *_functions(one)} - worked:
                holders[value].append(place)
    most = max(MANY, int(COMMON * len(read)))
    return {pair for group in holders.values() if 1 < len(group) <= most for pair in _paired(group)}


def _functions(read: Read) -> list[int]:
    """Hashes of the functions with WHOLE own tokens; methods and inner functions stand for themselves."""
    codes = token_codes(read.code.tokens)
    heads = [place for place, token in enumerate(read.code.tokens) if token.text in ("def", "class")]
    spans = pairwise([*heads, len(codes)])
    return [zlib.crc32(codes[a:b].tobytes()) for a, b in spans if read.own[a:b].sum() >= WHOLE]


def _long_runs(read: Read) -> list[int]:
    """Hashes of winnowed runs of LONG own tokens that are no repetitions."""
    codes = token_codes(read.code.tokens)
    if len(codes) < LONG:
        return []
    values, width = hashes(codes), LONG - GRAM + 1
    own = np.asarray(np.lib.stride_tricks.sliding_window_view(read.own, LONG).all(axis=1))
    chosen = winnow(np.where(own, hashes(codes, LONG), NO_HASH), LONG_WINDOW)
    varied = (len(np.unique(values[i : i + width])) >= VARIED * width for i in chosen)
    return [int(value) for i, value, good in zip(chosen, hashes(codes, LONG)[chosen], varied) if own[i] and good]


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


def source(submission: Submission) -> tuple[list[str], str]:
    """(Python files and worksheet cells, why something is missing from them).

    Invalid UTF-8 is replaced.
    """
    names = sorted(submission.files)
    texts = [submission.files[name].decode("utf-8", "replace") for name in names if name.endswith(".py")]
    try:
        for name in names:
            if name.endswith(".ipynb"):
                texts += notebook.answers(submission.files[name])
    except notebook.NotebookFault as fault:
        return texts, str(fault)
    return texts, ""


def fingerprints(read: Read) -> dict[int, tuple[int, int]]:
    """Winnowed fingerprints of its own tokens, in order -> (first, last) line of the first occurrence."""
    values, lines = grams(read.code)
    if not len(values):
        return {}
    theirs = np.lib.stride_tricks.sliding_window_view(read.own, GRAM).any(axis=1)
    values = np.where(theirs, values, NO_HASH)
    found: dict[int, tuple[int, int]] = {}
    for i in map(int, winnow(values)):
        if values[i] < NO_HASH:
            found.setdefault(int(values[i]), (lines[i], lines[i + GRAM - 1]))
    return found


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
