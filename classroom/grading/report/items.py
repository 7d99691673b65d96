"""Item statistics of classical test theory: how hard an exercise is, whether it tells students apart, when it passes.

Sources: Nunnally and Bernstein, "Psychometric Theory" (1994), chapter 8; Henrysson, "Correction of item-total
correlations in item analysis", Psychometrika 28 (1963), https://doi.org/10.1007/BF02289618.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from classroom.grading.report.gather import ClassRecord, Item

ENOUGH = 10
"""Fewer students than this say nothing about a correlation."""


@dataclass(frozen=True)
class ItemNumbers:
    """One exercise, for a group of students. None where too few wrote it.

    count : students who wrote an answer that was judged.
    difficulty : their mean share of the points, 0 (nobody solves it) to 1.
    discrimination : corrected item-total correlation, -1 to 1; None for fewer than ENOUGH.
    first : share of those who tried who passed at their first attempt. passed : who passed at all.
    attempts, hours : medians over those who passed: attempts up to the first pass, and hours from the first attempt.
    """

    count: int
    difficulty: float | None
    discrimination: float | None
    first: float | None
    passed: float | None
    attempts: float | None
    hours: float | None


@dataclass(frozen=True)
class Passes:
    """(students, items) attempt of the first pass: 0 for none, nan where nothing was tried; and hours up to it."""

    attempt: np.ndarray
    hours: np.ndarray


def passes_of(record: ClassRecord) -> Passes:
    """When each student first had all points of each exercise, from all attempts that were judged."""
    column = {(one.homework, one.exercise.id): place for place, one in enumerate(record.items)}
    attempt = np.full((len(record.students), len(record.items)), np.nan)
    hours = np.full_like(attempt, np.nan)
    began, count, key = None, 0, None
    for one in record.hand_ins:
        if (one.student, one.homework) != key:
            key, count, began = (one.student, one.homework), 0, one.handed_in
        row = record.place.get(one.student)
        if row is None or one.points is None:
            continue
        count += 1
        for name, (points, most) in one.points.items():
            place = column.get((one.homework, name))
            if place is None or attempt[row, place] > 0:
                continue
            attempt[row, place] = count if points >= most else 0
            if points >= most and one.handed_in is not None and began is not None:
                hours[row, place] = (one.handed_in - began).total_seconds() / 3600
    return Passes(attempt, hours)


def item_numbers(items: Sequence[Item], shares: np.ndarray, passes: Passes, rows: np.ndarray) -> list[ItemNumbers]:
    """The numbers of every item for the students in `rows`, a (students,) mask."""
    shares, attempt, hours = shares[rows], passes.attempt[rows], passes.hours[rows]
    weights = np.array([one.exercise.points for one in items], float)
    found = []
    for place, item in enumerate(items):
        own = shares[:, place]
        judged = own[~np.isnan(own)]
        tried = attempt[~np.isnan(attempt[:, place]), place]
        took = tried[tried > 0]
        waited = hours[:, place][~np.isnan(hours[:, place])]
        others = [k for k, one in enumerate(items) if one.homework == item.homework and k != place]
        found.append(
            ItemNumbers(
                len(judged),
                float(judged.mean()) if len(judged) else None,
                discrimination(own, shares[:, others], weights[others]),
                float((tried == 1).mean()) if len(tried) else None,
                float((tried > 0).mean()) if len(tried) else None,
                float(np.median(took)) if len(took) else None,
                float(np.median(waited)) if len(waited) else None,
            )
        )
    return found


def discrimination(item: np.ndarray, others: np.ndarray, points: np.ndarray) -> float | None:
    """Corrected item-total correlation: Pearson's r of an item's shares with the points of its homework's other items.

    r = cov(x, T - x) / (s_x s_(T - x)): the item itself is left out of the total, with which it would correlate even
    if it were drawn by chance (Henrysson 1963). An item not written counts as no points in the total.

    item : (n,) shares, nan where nothing was written. others : (n, k) those of the other items. points : (k,) theirs.
    None for fewer than ENOUGH students, for a homework of one item, and where all have the same.

    >>> x = np.arange(10) / 9
    >>> discrimination(x, np.stack([x, 1 - x], axis=1), np.array([3.0, 1.0]))
    1.0
    """
    judged = ~np.isnan(item) & ~np.isnan(others).all(axis=1) if others.shape[1] else np.zeros(len(item), bool)
    x, rest = item[judged], np.nan_to_num(others[judged]) @ points
    if len(x) < ENOUGH or np.ptp(x) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return round(float(np.corrcoef(x, rest)[0, 1]), 12)
