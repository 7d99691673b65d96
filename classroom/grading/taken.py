"""Find what answers have in common with the course's own sources: a hint for a person, never a grade.

Everything in the course's repository is public: worked solutions, tests, the framework, the lessons. All of it is read
once into an index from short sequences of tokens to their places. An answer is the functions of an exercise, together
with the helpers that they call, in a file or in a worksheet; its tokens are looked up in the index, and places that lie
one behind the other in both are a match. What was handed out for the homework is nobody's and does not count.

Answers of a line or two have one way to be written, and are left alone: see PART.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from classroom.grading import notebook
from classroom.grading.grams import GRAM, hashes, token_codes
from classroom.grading.records import Submission
from classroom.grading.source_tokens import Code, code, one_kind_of_line_end

FOLDERS = ("homework", "kuiper", "lessons", "tests", "benchmarks")
"""Where the course's sources lie; of equal matches, the one in the first of these is named."""
HANDED_OUT = re.compile(r"homework/[^/]+/hw[^/]*\.py")
"""What students start from."""
COMMON = 12
"""Sequences in more than so many files of the course are common forms, such as a loop over the range of a length."""
RUN = 18
"""Minimum tokens of one match: two lines."""
GAP = 12
"""So many tokens may be changed inside a match, if none is added."""
PART = 45
"""Minimum tokens that an answer has in common with one file: four or five lines, so that shorter answers are never
reported. Of the 70 answers that people wrote by themselves (benchmarks/honest), all but four have fewer in common with
any file of the course, and none has half of it."""
SHARE = 0.5
"""Minimum fraction of the answer to report ..."""
MUCH = 130
"""... unless it is so many tokens, some 13 lines, of a longer answer."""
DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")
STATEMENT = re.compile(r"[^\s)\]}#]")
"""Start of a top-level statement."""
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class CourseSource:
    """A piece of the course: its path, with the number of the cell for a notebook, and its code."""

    path: str
    text: str


@dataclass(frozen=True)
class Place:
    """Lines `first` to `last` of a source.

    >>> str(Place("kuiper/tensor.py", 3, 9))
    'kuiper/tensor.py:3-9'
    """

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"


@dataclass(frozen=True)
class FromCourse:
    """An answer that has much in common with the course's sources.

    exercise : its id; "" for code outside all exercises.
    share : fraction of the answer's tokens, without those that were handed out. tokens : their number.
    places : where they stand in the course, most first. lines : (first, last) in what was handed in.
    """

    homework: str
    student: str
    exercise: str
    share: float
    tokens: int
    places: tuple[Place, ...]
    lines: tuple[tuple[int, int], ...]

    @property
    def where(self) -> str:
        """The places in words: FILE:LINES, FILE:LINES."""
        return ", ".join(map(str, self.places))


@dataclass(frozen=True)
class Match:
    """Answer tokens that stand in one file of the course.

    own : (n,) their indices, ascending. path, lines : where in the course.
    """

    own: np.ndarray
    path: str
    lines: tuple[tuple[int, int], ...]


def sources_of(root: Path) -> list[CourseSource]:
    """All code of the course in `root` but what students start from, notebooks cell by cell."""
    found = []
    for path in (path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".py" and not HANDED_OUT.fullmatch(name):
            found.append(CourseSource(name, path.read_text(encoding="utf-8", errors="replace")))
        elif path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts:
            cells = _cells(path)
            found += [CourseSource(f"{name} cell {number}", text) for number, text in enumerate(cells, 1)]
    return found


def _cells(path: Path) -> tuple[str, ...]:
    try:
        return notebook.answers(path.read_bytes())
    except notebook.NotebookFault:
        return ()


class CourseIndex:
    """All places of all GRAM-token sequences of the course. Time to look up an answer grows with its length alone."""

    def __init__(self, sources: Iterable[CourseSource]) -> None:
        read = [(one, found) for one in sources if len(found := code(one.text).tokens) >= GRAM]
        self.paths = [one.path for one, _ in read]
        codes = [token_codes(found) for _, found in read]
        starts = np.cumsum([0, *(len(one) for one in codes)])
        self.codes = np.concatenate([np.zeros(0, np.uint64), *codes])
        self.lines = np.array([token.line for _, found in read for token in found], np.int64)
        self.file = np.repeat(np.arange(len(read)), np.diff(starts))
        self.unit = _units(read)
        values = np.concatenate([np.zeros(0, np.uint64), *(hashes(one) for one in codes)])
        places = [np.arange(start, start + len(one) - GRAM + 1) for start, one in zip(starts, codes, strict=False)]
        spots = np.concatenate([np.zeros(0, np.int64), *places]).astype(np.int64)
        order = np.lexsort((spots, values))
        values, spots = values[order], spots[order]
        kept = _rare(values, self.file[spots])
        self.values, self.spots = values[kept], spots[kept]

    def matches(self, codes: np.ndarray, own: np.ndarray) -> list[Match]:
        """What the tokens with these codes have in common with each file, most first.

        own : (n,) bool, the tokens that count.
        """
        first, diagonals = self._seeds(codes, own)
        covered: dict[int, dict[int, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
        for start, end, diagonal in _runs(first, diagonals):
            same = np.arange(start, end)[self.codes[start + diagonal : end + diagonal] == codes[start:end]]
            if len(same) < RUN:
                continue
            for unit in np.unique(self.unit[same + diagonal]).tolist():
                inside = same[self.unit[same + diagonal] == unit]
                covered[int(self.file[inside[0] + diagonal])][unit].append(np.stack([inside, inside + diagonal]))
        found = []
        for file, units in covered.items():
            both = [np.concatenate(pieces, axis=1) for pieces in units.values()]
            both = [one for one in both if len(np.unique(one[0])) >= RUN]
            mine = np.unique(np.concatenate([np.zeros(0, np.int64), *(one[0] for one in both)]))
            mine = mine[own[mine]]
            lines = sorted((int(self.lines[one[1].min()]), int(self.lines[one[1].max()])) for one in both)
            found.append(Match(mine, self.paths[file], tuple(lines)))
        return sorted(found, key=lambda one: (-len(one.own), self.paths.index(one.path)))

    def _seeds(self, codes: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places in the answer that begin a sequence of the course, and how much further on that stands there."""
        values = hashes(codes)
        telling = np.flatnonzero(sliding_window_view(own, GRAM).any(axis=1)) if len(values) else np.zeros(0, np.int64)
        low, high = (np.searchsorted(self.values, values[telling], side) for side in ("left", "right"))
        counts = high - low
        first = np.repeat(telling, counts)
        steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return first, self.spots[np.repeat(low, counts) + steps] - first


@cache
def index_of(root: Path) -> CourseIndex:
    """The index of the course in `root`, made once."""
    return CourseIndex(sources_of(root))


def _units(read: Sequence[tuple[CourseSource, Sequence[object]]]) -> np.ndarray:
    """(n,) : for each token of all sources, the function or class at the margin in which it stands."""
    found, count = [np.zeros(0, np.int64)], 0
    for one, tokens in read:
        heads = [number for number, line in enumerate(_lines(one.text), 1) if DEFINITION.match(line)]
        lines = [getattr(token, "line", 0) for token in tokens]
        found.append(count + np.searchsorted(np.array(heads, np.int64), lines, "right"))
        count += len(heads) + 1
    return np.concatenate(found)


def _rare(values: np.ndarray, files: np.ndarray) -> np.ndarray:
    """(n,) sorted hashes and their files -> (n,) bool: those in at most COMMON files, and not often in those."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    in_files = np.zeros(len(counts), np.int64)
    width = int(files.max(initial=0)) + 1
    np.add.at(in_files, np.unique(inverse * width + files) // width, 1)
    return ((in_files <= COMMON) & (counts <= 4 * COMMON))[inverse]


def _runs(first: np.ndarray, diagonals: np.ndarray) -> list[tuple[int, int, int]]:
    """(start, end, diagonal) of the stretches with at most GAP changed tokens between two seeds of one diagonal."""
    if not len(first):
        return []
    order = np.lexsort((first, diagonals))
    first, diagonals = first[order], diagonals[order]
    new = np.flatnonzero((np.diff(diagonals) != 0) | (np.diff(first) > GRAM + GAP)) + 1
    starts, ends = np.concatenate([[0], new]), np.concatenate([new, [len(first)]]) - 1
    enough = first[ends] - first[starts] + GRAM >= RUN
    return list(
        zip(
            first[starts][enough].tolist(),
            (first[ends][enough] + GRAM).tolist(),
            diagonals[starts][enough].tolist(),
            strict=True,
        )
    )


def answers(texts: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[str]:
    """For each line of the joined texts, the exercise to which it belongs; "" for none.

    names : exercise -> its functions and classes. Helpers belong to the first exercise that uses them, directly or not.
    The texts need not be valid Python: what is at the margin is told by its first word.

    >>> answers(["def f(x):\\n    return g(x)", "def g(x):\\n    return x\\nprint(1)"], {"ex": ["f"]})
    ['ex', 'ex', 'ex', 'ex', '']
    """
    lines = [line for text in texts for line in _lines(text)]
    heads: list[str] = []
    words: dict[str, set[str]] = defaultdict(set)
    name = ""
    for line in lines:
        head = DEFINITION.match(line)
        if head or STATEMENT.match(line):
            name = head[1] if head else ""
        heads.append(name)
        if name:
            words[name] |= set(WORD.findall(line))
    owner: dict[str, str] = {one: exercise for exercise, asked in names.items() for one in asked}
    for exercise, asked in names.items():
        waiting = list(asked)
        while waiting:
            more = {one for one in words[waiting.pop()] if one in words and one not in owner}
            owner |= dict.fromkeys(more, exercise)
            waiting += more
    return [owner.get(one, "") for one in heads]


def _lines(text: str) -> list[str]:
    return one_kind_of_line_end(text).split("\n")


def taken_from(
    index: CourseIndex, submission: Submission, read: Code, exercise_of_line: Sequence[str], given: np.ndarray
) -> tuple[list[FromCourse], np.ndarray]:
    """(what this submission's answers have in common with the course, which of its tokens those are).

    read : its tokens. exercise_of_line : as `answers` gives it. given : hashes of what was handed out.
    """
    codes = token_codes(read.tokens)
    lines = np.array([token.line for token in read.tokens], np.int64)
    own = not_given(codes, given)
    found, mask = [], np.zeros(len(codes), bool)
    for exercise, places in _places(exercise_of_line, lines).items():
        counts = own[places]
        parts = _parts(index.matches(codes[places], counts), len(places))
        covered = np.zeros(len(places), bool)
        for match in parts:
            covered[match.own] = True
        number = int(covered.sum())
        if number < PART or (number < SHARE * counts.sum() and number < MUCH):
            continue
        mask[places[covered]] = True
        where = [Place(match.path, *span) for match in parts for span in match.lines]
        mine = _spans(lines[places[covered]].tolist())
        share = number / int(counts.sum())
        found.append(FromCourse(submission.homework, submission.student, exercise, share, number, tuple(where), mine))
    return found, mask


def not_given(codes: np.ndarray, given: np.ndarray) -> np.ndarray:
    """(n,) bool: the tokens outside every sequence that was handed out."""
    own = np.ones(len(codes), bool)
    for start in np.flatnonzero(np.isin(hashes(codes), given)):
        own[start : start + GRAM] = False
    return own


def _places(exercise_of_line: Sequence[str], lines: np.ndarray) -> dict[str, np.ndarray]:
    """Exercise -> indices of its tokens. Code in a text that is run may have more lines than the file."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(lines.tolist()):
        found[exercise_of_line[line - 1] if line <= len(exercise_of_line) else ""].append(place)
    return {exercise: np.array(places, np.int64) for exercise, places in found.items()}


def _parts(matches: Sequence[Match], length: int) -> list[Match]:
    """The matches that each add PART tokens to those before: first the one with most, and so on."""
    taken, free = [], np.ones(length, bool)
    waiting = list(matches)
    while waiting:
        best = max(waiting, key=lambda one: int(free[one.own].sum()))
        if free[best.own].sum() < PART:
            break
        taken.append(best)
        free[best.own] = False
        waiting.remove(best)
    return taken


def _spans(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Line numbers as ranges, with those that lie at most two lines apart in one."""
    joined: list[tuple[int, int]] = []
    for line in sorted(set(lines)):
        if joined and line <= joined[-1][1] + 2:
            joined[-1] = (joined[-1][0], line)
        else:
            joined.append((line, line))
    return tuple(joined)
