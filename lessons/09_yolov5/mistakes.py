"""What goes wrong in the cells of lesson 9 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

STRIDES = (8, 16, 32)

COUNT: Mistakes = {
    "a grid has side // stride cells in EACH direction: square that": lambda side: 3 * sum(side // s for s in STRIDES),
    "a cell gives three rows, one for each anchor": lambda side: sum((side // s) ** 2 for s in STRIDES),
    "the grids were added before the square: square each, then add": lambda side: (
        3 * sum(side // s for s in STRIDES) ** 2
    ),
    "the strides were added: each grid has a stride of its own": lambda side: 3 * (side // sum(STRIDES)) ** 2,
    "times 3 counts for all three grids: brackets around their sum": lambda side: (
        3 * (side // 8) ** 2 + (side // 16) ** 2 + (side // 32) ** 2
    ),
    "^ is no power in Python: the square is ** 2": lambda side: 3 * sum((side // s) ^ 2 for s in STRIDES),
    "* 2 doubles: the square is ** 2": lambda side: 3 * sum(side // s * 2 for s in STRIDES),
    "the square comes after the division: (side // stride) ** 2": lambda side: 3 * sum(side**2 // s for s in STRIDES),
    "that is the grid of stride 8 alone: there are three, and a `return` ends a loop": lambda side: (
        3 * (side // 8) ** 2
    ),
    "/ counts parts of cells, too: a grid has whole ones, side // stride": lambda side: (
        3 * sum((side / s) ** 2 for s in STRIDES)
    ),
    "what is left of a cell was cut off too late: side // stride first, then the square": lambda side: (
        3 * sum(side**2 // s**2 for s in STRIDES)
    ),
    "a cell that is only partly in the picture does not count: // rounds down": lambda side: (
        3 * sum(math.ceil(side / s) ** 2 for s in STRIDES)
    ),
    "that is the grid of stride 32 alone: n = ... in a loop forgets those before, n += ... adds": lambda side: (
        3 * (side // 32) ** 2
    ),
    "the grid of stride 32 is missing: there are three, 8, 16 and 32": lambda side: (
        3 * ((side // 8) ** 2 + (side // 16) ** 2)
    ),
    "that is three grids of stride 8: the others have strides of 16 and 32": lambda side: 9 * (side // 8) ** 2,
    "the three grids are in the sum already: times 3 once, for the anchors": lambda side: (
        9 * sum((side // s) ** 2 for s in STRIDES)
    ),
    "these are the numbers: a row has 15 of them, and rows are asked for": lambda side: (
        45 * sum((side // s) ** 2 for s in STRIDES)
    ),
}


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


SILU: Mistakes = {
    "that is the sigmoid alone: times x": _sigmoid,
    "that is ReLU: SiLU is x * sigmoid(x), and below 0 a little less than 0": lambda x: np.maximum(x, 0),
    "below 0 it is not 0: x itself is multiplied, without a maximum": lambda x: np.maximum(x, 0) * _sigmoid(x),
    "this is x * sigmoid(-x): sigmoid(x) is 1 / (1 + np.exp(-x))": lambda x: x * _sigmoid(-x),
    "this divides by the sigmoid: multiply x by it": lambda x: x / _sigmoid(x),
    "the sigmoid was added: multiply x by it": lambda x: x + _sigmoid(x),
    "@ adds the products up: * multiplies number by number": lambda x: x @ _sigmoid(x),
    "the 1 + ... needs brackets: x / (1 + np.exp(-x))": lambda x: x / 1 + np.exp(-x),
    "max takes no arrays, and SiLU needs none: it is x times sigmoid(x)": lambda x: max(0, x),
    "math.exp takes a single number: np.exp takes an array": lambda x: x / (1 + math.exp(-x)),
}

UPSAMPLE: Mistakes = {
    "without an axis repeat gives one long row: name the axis, rows first and then columns": lambda x: x.repeat(2),
    "without an axis each repeat gives one long row: name an axis both times": lambda x: x.repeat(2).repeat(2),
    "the columns are missing: repeat along axis 3, too": lambda x: x.repeat(2, axis=2),
    "the rows are missing: repeat along axis 2, too": lambda x: x.repeat(2, axis=3),
    "axes 0 and 1 are pictures and channels: rows and columns are axes 2 and 3": (
        lambda x: x.repeat(2, axis=0).repeat(2, axis=1)
    ),
    "axis 1 has the channels: rows and columns are axes 2 and 3": lambda x: x.repeat(2, axis=1).repeat(2, axis=2),
    "whole pictures stand side by side, as np.tile puts them: repeat writes each pixel twice": lambda x: np.tile(
        x, (1, 1, 2, 2)
    ),
    "whole pictures stand side by side, and in one direction only: repeat writes each pixel twice": lambda x: (
        np.concatenate([x, x], 3)
    ),
    "reshape(N, C, 2H, 2W) takes the pixels in a row: repeat along axes 2 and 3 needs none": lambda x: x.repeat(
        4
    ).reshape(*x.shape[:2], 2 * x.shape[2], 2 * x.shape[3]),
    "two in each direction make four: repeat(2, ...) and not 4": lambda x: x.repeat(4, axis=2).repeat(4, axis=3),
    "four rows are no square: two rows, and two columns": lambda x: x.repeat(4, axis=2),
    "four in one direction is a strip: two rows, and two columns": lambda x: x.repeat(4, axis=3),
    "repeat makes a new array, and x stays as it is: return what repeat gives": lambda x: x,
    "repeat takes one axis at a time: repeat the result once more, along the other": lambda x: x.repeat(2, axis=(2, 3)),
}

Box = Sequence[float]


def _lengths(a: Box, b: Box) -> tuple[float, float]:
    """Of the part in common, negative where the boxes are apart."""
    return min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])


def _both(a: Box, b: Box) -> float:
    wide, high = _lengths(a, b)
    return max(0, wide) * max(0, high)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _around(a: Box, b: Box) -> float:
    """The area of the box around both."""
    return (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))


def _share(common: float, union: float) -> float:
    return common / union


def _unclipped(a: Box, b: Box, zero: Callable[[float, float], bool] = lambda wide, high: False) -> float:
    """With lengths that may be negative. `zero` : in which cases the answer is 0 all the same."""
    wide, high = _lengths(a, b)
    return 0.0 if zero(wide, high) else wide * high / (_area(a) + _area(b) - wide * high)


def _clipped_product(a: Box, b: Box) -> float:
    wide, high = _lengths(a, b)
    common = max(0, wide * high)
    return common / (_area(a) + _area(b) - common)


def _one_clipped(which: int, a: Box, b: Box) -> float:
    lengths = [max(0, length) if place == which else length for place, length in enumerate(_lengths(a, b))]
    common = lengths[0] * lengths[1]
    return common / (_area(a) + _area(b) - common)


def _absolute(a: Box, b: Box) -> float:
    wide, high = _lengths(a, b)
    common = abs(wide) * abs(high)
    return common / (_area(a) + _area(b) - common)


def _one_sided(a: Box, b: Box) -> float:
    """As if b lay to the right of a and below it."""
    common = max(0, a[2] - b[0]) * max(0, a[3] - b[1])
    return common / (_area(a) + _area(b) - common)


def _from_b(a: Box, b: Box) -> float:
    """As if b began to the right of a and below it."""
    common = max(0, min(a[2], b[2]) - b[0]) * max(0, min(a[3], b[3]) - b[1])
    return common / (_area(a) + _area(b) - common)


def _to_a(a: Box, b: Box) -> float:
    """As if a ended to the left of b and above it."""
    common = max(0, a[2] - max(a[0], b[0])) * max(0, a[3] - max(a[1], b[1]))
    return common / (_area(a) + _area(b) - common)


def _mixed(a: Box, b: Box) -> float:
    """x1 and y1 for the width, x2 and y2 for the height."""
    common = max(0, min(a[1], b[1]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[2], b[2]))
    return common / (_area(a) + _area(b) - common)


def _with_ends(a: Box, b: Box) -> float:
    common = max(0, _lengths(a, b)[0] + 1) * max(0, _lengths(a, b)[1] + 1)
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
    return common / (sum(areas) - common)


def _longer(a: Box, b: Box) -> float:
    """With + 1 for what is in common, and none for the areas."""
    common = max(0, _lengths(a, b)[0] + 1) * max(0, _lengths(a, b)[1] + 1)
    return common / (_area(a) + _area(b) - common)


def _sizes(a: Box, b: Box) -> float:
    """As if x2 and y2 were width and height."""
    one, other = ([x, y, x + w, y + h] for x, y, w, h in (a, b))
    return _both(one, other) / (_area(one) + _area(other) - _both(one, other))


def _reordered(a: Box, b: Box) -> float:
    """As if a box were x1, x2, y1, y2."""
    one, other = ([x1, y1, x2, y2] for x1, x2, y1, y2 in (a, b))
    return _share(_both(one, other), _area(one) + _area(other) - _both(one, other))


IOU: Mistakes = {
    "the lengths are negative where boxes are apart: max(0, ...) for each, before they are multiplied": _unclipped,
    "boxes are apart if ONE of the two lengths is negative: the other need not be": partial(
        _unclipped, zero=lambda wide, high: wide < 0 and high < 0
    ),
    "boxes are apart in height, too: max(0, ...) for both lengths": partial(_one_clipped, 0),
    "boxes are apart in width, too: max(0, ...) for both lengths": partial(_one_clipped, 1),
    "two negative lengths have a positive product: max(0, ...) for each length, before they are multiplied": (
        _clipped_product
    ),
    "abs makes an overlap of a gap: max(0, ...) for each length": _absolute,
    "the two areas count what is in common twice: subtract it once from their sum": lambda a, b: (
        _both(a, b) / (_area(a) + _area(b))
    ),
    "what is in common was subtracted twice, which leaves what is in only one of them: subtract it once": (
        lambda a, b: _both(a, b) / (_area(a) + _area(b) - 2 * _both(a, b))
    ),
    "divided by the area of one box: it is that of the union": lambda a, b: _both(a, b) / _area(a),
    "divided by the area of one of the boxes: it is that of the union": lambda a, b: _both(a, b) / _area(b),
    "that is the area of the union: divide what is in common by it": lambda a, b: _area(a) + _area(b) - _both(a, b),
    "divided by the box around both, which has corners that are in neither: the union is the sum of the areas, less "
    "what is in common": lambda a, b: _both(a, b) / _around(a, b),
    "that is the area in common: divide it by that of the union": _both,
    "min and max are exchanged: what is in common begins at the LARGER x1 and ends at the SMALLER x2": lambda a, b: (
        _around(a, b) / (_area(a) + _area(b) - _around(a, b))
    ),
    "b need not lie to the right of a, or below it: min and max find where the common part begins and ends": (
        _one_sided
    ),
    "the common part begins at the LARGER x1, which may be that of a: max(a[0], b[0]), and so for y": _from_b,
    "the common part ends at the SMALLER x2, which may be that of b: min(a[2], b[2]), and so for y": _to_a,
    "a box is x1, y1, x2, y2: x goes with x, places 0 and 2, and y with y, places 1 and 3": _mixed,
    "without brackets the common area is subtracted last: common / (sum of the areas - common)": lambda a, b: (
        _both(a, b) / (_area(a) + _area(b)) - _both(a, b)
    ),
    "without brackets only the first area divides: common / (sum of the areas - common)": lambda a, b: (
        _both(a, b) / _area(a) + _area(b) - _both(a, b)
    ),
    "// cuts off what follows the point: / divides": lambda a, b: _both(a, b) // (_area(a) + _area(b) - _both(a, b)),
    "that is Dice: without the 2, and divided by the union": lambda a, b: 2 * _both(a, b) / (_area(a) + _area(b)),
    "upside down: what is in common is divided by the union": lambda a, b: _share(
        _area(a) + _area(b) - _both(a, b), _both(a, b)
    ),
    "upside down: divide what is in common by the union, and no case of its own is needed for 0": lambda a, b: (
        (_area(a) + _area(b) - _both(a, b)) / _both(a, b) if _both(a, b) else 0.0
    ),
    "a box is x1, y1, x2, y2, and not x1, x2, y1, y2: place 1 is y1, and place 2 is x2": _reordered,
    "no + 1: corners lie on the edges of pixels, so x2 - x1 is the width": _with_ends,
    "no + 1: the part in common is as wide as the smaller x2 minus the larger x1": _longer,
    "x2 and y2 are a corner: the width is x2 - x1, the height y2 - y1": _sizes,
    "x2 and y2 are a corner: the area is (x2 - x1) * (y2 - y1)": lambda a, b: (
        _both(a, b) / (a[2] * a[3] + b[2] * b[3] - _both(a, b))
    ),
}


def _precision(hits: Sequence[bool], first: int = 1) -> np.ndarray:
    """Hits so far, divided by boxes so far; `first` : the number of the first box."""
    return np.cumsum(hits) / np.arange(first, len(hits) + first)


def _found(hits: Sequence[bool], precision: np.ndarray) -> np.ndarray:
    """The precision at the hits."""
    return precision[np.array(hits)]


def _counted_from_0(hits: Sequence[bool], total: int) -> float:
    """Box by box, of which the first has the number 0."""
    found, added = 0, 0.0
    for number, hit in enumerate(hits):
        if hit:
            found += 1
            added += found / number
    return added / total


def _counted_late(hits: Sequence[bool], total: int) -> float:
    """Box by box, where a hit is counted after its precision was added."""
    found, added = 0, 0.0
    for number, hit in enumerate(hits, 1):
        if hit:
            added += found / number
            found += 1
    return added / total


def _best_later(hits: Sequence[bool], total: int) -> float:
    raised = np.maximum.accumulate(_precision(hits)[::-1])[::-1]
    return float(_found(hits, raised).sum() / total)


AVERAGE: Mistakes = {
    "divided by the number of hits: what nobody found counts 0, so divide by total": lambda hits, total: (
        _found(hits, _precision(hits)).sum() / np.sum(hits)
    ),
    "divided by the number of hits, where there are any: what nobody found counts 0, so divide by total": (
        lambda hits, total: _found(hits, _precision(hits)).sum() / sum(hits) if any(hits) else 0.0
    ),
    "the precision at misses does not count: add it up at the hits alone": lambda hits, total: (
        _precision(hits).sum() / total
    ),
    "this is the mean over all boxes: add the precision up at the hits alone, and divide by total": (
        lambda hits, total: _precision(hits).mean()
    ),
    "divided by the number of boxes: it is a mean over the true things, so divide by total": lambda hits, total: (
        _found(hits, _precision(hits)).sum() / len(hits)
    ),
    "the first box has the number 1: np.arange(1, len(hits) + 1)": lambda hits, total: (
        _found(hits, _precision(hits, first=0)).sum() / total
    ),
    "the first box has the number 1: divide by np.arange(1, len(hits) + 1)": lambda hits, total: (
        (_precision(hits, first=0) * hits).sum() / total
    ),
    "the first box has the number 1: enumerate(hits, 1)": _counted_from_0,
    "a hit counts in its own precision: count it first, then add the precision up": _counted_late,
    "that is the recall at the end: the precision divides by all boxes so far, misses too": lambda hits, total: (
        sum(hits) / total
    ),
    "that is the precision after the last box: it counts at each hit": lambda hits, total: sum(hits) / len(hits),
    "hits so far, divided by total, is the recall: the precision is divided by the boxes so far": lambda hits, total: (
        _found(hits, np.cumsum(hits) / total).sum() / total
    ),
    "divided by ALL boxes: the precision after box k divides the hits so far by k": lambda hits, total: (
        _found(hits, np.cumsum(hits) / len(hits)).sum() / total
    ),
    "these are the precisions at the hits: add them up": lambda hits, total: _found(hits, _precision(hits)) / total,
    "// cuts off what follows the point: / divides": lambda hits, total: float(
        _found(hits, _precision(hits)).sum() // total
    ),
    "the sum is not divided: by total": lambda hits, total: _found(hits, _precision(hits)).sum(),
    "each precision was raised to the best that comes later: take it as it is": _best_later,
}
