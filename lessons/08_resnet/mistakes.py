"""What goes wrong in the cells of lesson 8 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]


def _cost(weights: Callable[..., int], k: int, c: int, o: int, h: int, w: int) -> tuple[int, int]:
    """What `weights` says, and so many multiplications for each pixel of the output."""
    return weights(k, c, o), weights(k, c, o) * h * w


def _each(k: int, c: int, o: int) -> int:
    return k * k * c * o


COST: Mistakes = {
    "one output channel has a kernel for each INPUT channel: times c": partial(_cost, lambda k, c, o: k * k * o),
    "these are the weights of one output channel: times o": partial(_cost, lambda k, c, o: k * k * c),
    "a kernel has k rows of k weights: k * k": partial(_cost, lambda k, c, o: k * c * o),
    "a kernel has k rows of k weights: k * k, not 2 * k": partial(_cost, lambda k, c, o: 2 * k * c * o),
    "the weights are those of one output channel: times o": lambda k, c, o, h, w: (k * k * c, _each(k, c, o) * h * w),
    "one output channel has weights for each INPUT channel: times c": lambda k, c, o, h, w: (
        k * k * o,
        _each(k, c, o) * h * w,
    ),
    "the biases are left out here: + o is too many": lambda k, c, o, h, w: (
        _each(k, c, o) + o,
        (_each(k, c, o) + o) * h * w,
    ),
    "the biases are left out here: the weights alone have + o too many": lambda k, c, o, h, w: (
        _each(k, c, o) + o,
        _each(k, c, o) * h * w,
    ),
    "a bias is added and multiplies nothing: the multiplications have + o too many": lambda k, c, o, h, w: (
        _each(k, c, o),
        (_each(k, c, o) + o) * h * w,
    ),
    "a weight is used at every place of its kernel, once for each pixel of the output: times h * w": (
        lambda k, c, o, h, w: (_each(k, c, o), _each(k, c, o))
    ),
    "a weight is used in every COLUMN of the output, too: times h * w, not h alone": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * h,
    ),
    "h rows of w pixels are h * w places, not h + w": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * (h + w),
    ),
    "these are the multiplications of one output channel: times o": (
        lambda k, c, o, h, w: (_each(k, c, o), k * k * c * h * w)
    ),
    "these are the multiplications of one input channel: times c": (
        lambda k, c, o, h, w: (_each(k, c, o), k * k * o * h * w)
    ),
    "these are the multiplications of one kernel: there are c * o of them": (
        lambda k, c, o, h, w: (_each(k, c, o), k * k * h * w)
    ),
    "this counts the numbers of the result: each takes k * k * c multiplications": (
        lambda k, c, o, h, w: (_each(k, c, o), o * h * w)
    ),
    "an output has h rows of w pixels: h * w, not a square": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * h * h,
    ),
    "o is in the weights already: times h * w, and not times o once more": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * o * h * w,
    ),
    "k * k is in the weights already: times h * w, and not times k * k once more": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * k * k * h * w,
    ),
    "c is in the weights already: times h * w, and not times c once more": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * c * h * w,
    ),
    "o is missing, and c was multiplied twice: each of o output channels has c kernels": partial(
        _cost, lambda k, c, o: k * k * c * c
    ),
    "additions are not counted: without the 2": lambda k, c, o, h, w: (_each(k, c, o), 2 * _each(k, c, o) * h * w),
    "h and w are those of the OUTPUT: nothing is left to subtract": lambda k, c, o, h, w: (
        _each(k, c, o),
        _each(k, c, o) * (h - k + 1) * (w - k + 1),
    ),
    "these are the pixels of the output: at each of them every weight multiplies, weights * h * w": (
        lambda k, c, o, h, w: (_each(k, c, o), h * w)
    ),
    "in the multiplications k * k is missing: every weight of a kernel multiplies": lambda k, c, o, h, w: (
        _each(k, c, o),
        c * o * h * w,
    ),
    "each of the o output channels has c kernels: c * o, not c + o": partial(_cost, lambda k, c, o: k * k * (c + o)),
    "the two are exchanged: weights first, then multiplications": (
        lambda k, c, o, h, w: (_each(k, c, o) * h * w, _each(k, c, o))
    ),
}


def _windows(start: Callable[..., Any], stop: Callable[..., Any], length: int, count: int) -> list[tuple[Any, Any]]:
    """[(start, stop), ...], each from i, the length and the count."""
    return [(start(i, length, count), stop(i, length, count)) for i in range(count)]


def _floor(i: int, length: int, count: int) -> int:
    return i * length // count


def _ceil(i: int, length: int, count: int) -> int:
    """Where window i ends."""
    return -(-(i + 1) * length // count)


BORDERS: Mistakes = {
    "length // count rounds too early, and gives all windows one length: i * length // count": partial(
        _windows, lambda i, n, m: i * (n // m), lambda i, n, m: (i + 1) * (n // m)
    ),
    "-(-length // count) rounds too early, and the windows go too far: i * length // count": partial(
        _windows, lambda i, n, m: i * -(-n // m), lambda i, n, m: (i + 1) * -(-n // m)
    ),
    "-(-length // count) rounds too early, and min hides that it goes too far: i * length // count": (
        partial(_windows, lambda i, n, m: i * -(-n // m), lambda i, n, m: min(n, (i + 1) * -(-n // m)))
    ),
    "every window has the same size and the same step here: both ends come from the parts, from i * length / count": (
        partial(_windows, lambda i, n, m: i * (n // m), lambda i, n, m: i * (n // m) + n - (m - 1) * (n // m))
    ),
    "the last window is longer, as it takes what is left over: all borders come from i * length / count": partial(
        _windows, lambda i, n, m: i * (n // m), lambda i, n, m: (i + 1) * (n // m) if i < m - 1 else n
    ),
    "in the start length // count rounds too early: i * length // count": partial(
        _windows, lambda i, n, m: i * (n // m), _ceil
    ),
    "in the end -(-length // count) rounds too early: -(-(i + 1) * length // count)": partial(
        _windows, _floor, lambda i, n, m: (i + 1) * -(-n // m)
    ),
    "in the end -(-length // count) rounds too early, and min hides that it goes too far: "
    "-(-(i + 1) * length // count)": partial(_windows, _floor, lambda i, n, m: min(n, (i + 1) * -(-n // m))),
    "length / count was rounded as a float, and 7 * (58 / 14) is a little more than 29: multiply first, and use //": (
        partial(_windows, lambda i, n, m: math.floor(i * (n / m)), lambda i, n, m: math.ceil((i + 1) * (n / m)))
    ),
    "length / count was rounded as a float, 7 * (58 / 14) is a little more than 29, and min saves the last window "
    "alone: multiply first, and use //": partial(
        _windows, lambda i, n, m: math.floor(i * (n / m)), lambda i, n, m: min(n, math.ceil((i + 1) * (n / m)))
    ),
    "the end was rounded down: a window takes the number that its part cuts, so round it up, -(-a // b)": partial(
        _windows, _floor, lambda i, n, m: (i + 1) * n // m
    ),
    "the start was rounded up: it rounds down, and only the end up": partial(
        _windows, lambda i, n, m: -(-i * n // m), _ceil
    ),
    "floor and ceil are exchanged: the start rounds down, and the end up": partial(
        _windows, lambda i, n, m: -(-i * n // m), lambda i, n, m: (i + 1) * n // m
    ),
    "+ 1 is one too many where a part ends at a whole number: -(-a // b) rounds up": partial(
        _windows, _floor, lambda i, n, m: (i + 1) * n // m + 1
    ),
    "round goes to the nearest: the start rounds down, and the end up": partial(
        _windows, lambda i, n, m: round(i * n / m), lambda i, n, m: round((i + 1) * n / m)
    ),
    "+ 1 is one too many where a part ends at a whole number, and min saves the last window alone: -(-a // b)": partial(
        _windows, _floor, lambda i, n, m: min(n, (i + 1) * n // m + 1)
    ),
    "the windows differ in length, and the end was made from the start: it comes from i + 1": partial(
        _windows, _floor, lambda i, n, m: i * n // m + -(-n // m)
    ),
    "/ leaves fractions: // rounds the start down, -(-a // b) the end up": partial(
        _windows, lambda i, n, m: i * n / m, lambda i, n, m: (i + 1) * n / m
    ),
    "the end is negative: -a // b needs another minus in front of it, -(-a // b)": partial(
        _windows, _floor, lambda i, n, m: -(i + 1) * n // m
    ),
    "-i + 1 is 1 - i: the minus is for all of i + 1, so -(-(i + 1) * length // count)": partial(
        _windows, _floor, lambda i, n, m: -(-i + 1) * n // m
    ),
    "-i + 1 is 1 - i: in -(-a // b) the a is (i + 1) * length, in brackets": partial(
        _windows, _floor, lambda i, n, m: -((-i + 1) * n // m)
    ),
    "without brackets 1 * length // count is computed first: in -(-a // b) the a is (i + 1) * length, in brackets": (
        partial(_windows, _floor, lambda i, n, m: -(-i + n // m))
    ),
    "the end is negative: in -(-a // b) the inner minus stands before a": partial(
        _windows, _floor, lambda i, n, m: -((i + 1) * n // m)
    ),
    "stop is the last number of the window: it is the first one after it": partial(
        _windows, _floor, lambda i, n, m: _ceil(i, n, m) - 1
    ),
    "each window ends where it starts: the end comes from i + 1": partial(
        _windows, _floor, lambda i, n, m: _ceil(i - 1, n, m)
    ),
    "that is one window for each NUMBER: there are `count` of them, range(count)": lambda n, m: [
        (_floor(i, n, m), _ceil(i, n, m)) for i in range(n)
    ],
    "that is one window too many: there are `count` of them, range(count)": lambda n, m: [
        (_floor(i, n, m), _ceil(i, n, m)) for i in range(m + 1)
    ],
    "the windows differ in length, and the end was made from the start, + 1: it comes from i + 1": partial(
        _windows, _floor, lambda i, n, m: _floor(i, n, m) + n // m + 1
    ),
    "windows are counted from 0: range(count)": partial(
        _windows, lambda i, n, m: _floor(i + 1, n, m), lambda i, n, m: _ceil(i + 1, n, m)
    ),
    "length and count are exchanged: the length is divided by the count": partial(
        _windows, lambda i, n, m: i * m // n, lambda i, n, m: -(-(i + 1) * m // n)
    ),
    "length and count are exchanged everywhere: `count` windows, range(count), and the length divided by count": (
        lambda n, m: [(i * m // n, -(-(i + 1) * m // n)) for i in range(n)]
    ),
    "that is the first window alone: a `return` in the loop ends it": lambda n, m: [(0, _ceil(0, n, m))],
    "np.array_split makes parts that do not overlap, and empty ones: both ends come from the formula": lambda n, m: [
        (int(part[0]), int(part[-1]) + 1) for part in np.array_split(np.arange(n), m)
    ],
}


def _cut(
    picture: np.ndarray,
    side: int,
    end: Callable[[int, int], int] = lambda size, side: size - side + 1,
    step: int | None = None,
) -> list[list[np.ndarray]]:
    """The squares, row by row. end : of `range`, from the size of an axis and the side; step : if not side."""
    rows, cols = (range(0, end(size, side), step or side) for size in picture.shape[:2])
    return [[picture[top : top + side, left : left + side] for left in cols] for top in rows]


def _flat(picture: np.ndarray, side: int, **wrong: Any) -> list[np.ndarray]:
    return [square for row in _cut(picture, side, **wrong) for square in row]


def _corners(picture: np.ndarray, side: int) -> list[tuple[int, int]]:
    rows, cols = (range(0, size - side + 1, side) for size in picture.shape[:2])
    return [(top, left) for top in rows for left in cols]


def _of_two_axes(picture: np.ndarray, side: int) -> list[np.ndarray]:
    _height, _width = picture.shape
    return [picture[top : top + side, left : left + side] for top, left in _corners(picture, side)]


def _of_three_axes(picture: np.ndarray, side: int) -> list[np.ndarray]:
    _height, _width, _colours = picture.shape
    return [picture[top : top + side, left : left + side] for top, left in _corners(picture, side)]


def _whole(picture: np.ndarray, side: int) -> np.ndarray:
    """The picture without the rows and columns at its edges that fill no square."""
    return picture[: len(picture) // side * side, : picture.shape[1] // side * side]


PATCHES: Mistakes = {
    "the last squares are missing: range stops before its end, so size - side + 1": partial(
        _flat, end=lambda size, side: size - side
    ),
    "squares at the edge are too small: leave them out, so `range` ends after the last start of a whole one": partial(
        _flat, end=lambda size, side: size
    ),
    "squares at the edge are too small where side is not 2: the last whole one starts at size - side": partial(
        _flat, end=lambda size, side: size - 1
    ),
    "the squares are 2x2, whatever `side` says: put side where 2 stands": lambda picture, side: _flat(picture, 2),
    "[..., rows, columns] cuts the last two axes: rows and columns are the first two, and colours come after them": (
        lambda picture, side: [
            picture[..., top : top + side, left : left + side] for top, left in _corners(picture, side)
        ]
    ),
    "the squares overlap: step by `side`": partial(_flat, step=1),
    "the squares overlap, and those at the edge are too small: step by `side`, to the last whole one": partial(
        _flat, step=1, end=lambda size, side: size
    ),
    "they come column by column: the inner loop goes to the right": lambda picture, side: [
        square for column in zip(*_cut(picture, side)) for square in column
    ],
    "a square ends at top + side and left + side, not at side": lambda picture, side: [
        picture[top:side, left:side] for top, left in _corners(picture, side)
    ],
    "a second pair of brackets cuts rows again: one pair for both, [top : top + side, left : left + side]": (
        lambda picture, side: [picture[top : top + side][left : left + side] for top, left in _corners(picture, side)]
    ),
    "reshape takes the numbers in a row: a square needs slices of rows and of columns": lambda picture, side: list(
        picture.reshape(-1, side, side)
    ),
    "reshape alone makes runs of numbers: cut each square with slices, or swap the two middle axes": (
        lambda picture, side: list(_whole(picture, side).reshape(-1, side, side, *picture.shape[2:]))
    ),
    "squares at the right edge are too small: range for the columns, too, ends at size - side + 1": (
        lambda picture, side: [
            picture[top : top + side, left : left + side]
            for top in range(0, len(picture) - side + 1, side)
            for left in range(0, picture.shape[1], side)
        ]
    ),
    "squares at the lower edge are too small: range for the rows, too, ends at size - side + 1": (
        lambda picture, side: [
            picture[top : top + side, left : left + side]
            for top in range(0, len(picture), side)
            for left in range(0, picture.shape[1] - side + 1, side)
        ]
    ),
    "a square ends `side` after its start, at r * side + side: r * side + 1 is one row or column": (
        lambda picture, side: [picture[top : top + 1, left : left + 1] for top, left in _corners(picture, side)]
    ),
    "reshape takes away the axis of the colours: a slice has the right shape already": lambda picture, side: [
        square.reshape(side, side) for square in _flat(picture, side)
    ],
    "one loop, or zip, goes along the diagonal: two loops, one inside the other": lambda picture, side: [
        picture[i : i + side, i : i + side] for i in range(0, len(picture) - side + 1, side)
    ],
    "i counts squares: square i begins at i * side": lambda picture, side: [
        picture[i : i + side, j : j + side]
        for i in range(picture.shape[0] // side)
        for j in range(picture.shape[1] // side)
    ],
    "the loops went `side` squares down and across: there are height // side and width // side": (
        lambda picture, side: [
            picture[i * side : (i + 1) * side, j * side : (j + 1) * side] for i in range(side) for j in range(side)
        ]
    ),
    "the columns went by the height: height and width are picture.shape[:2]": lambda picture, side: [
        picture[top : top + side, left : left + side]
        for top in range(0, len(picture) - side + 1, side)
        for left in range(0, len(picture) - side + 1, side)
    ],
    "height and width are exchanged: picture.shape[:2] is (height, width)": lambda picture, side: [
        picture[top : top + side, left : left + side]
        for top in range(0, picture.shape[1] - side + 1, side)
        for left in range(0, picture.shape[0] - side + 1, side)
    ],
    "a picture with colours has three axes: height, width = picture.shape[:2]": _of_two_axes,
    "a picture without colours has two axes: height, width = picture.shape[:2]": _of_three_axes,
    "each row of squares is a list of its own: one list holds all squares": _cut,
    "these are whole rows of the picture: slice the columns, too": lambda picture, side: [
        picture[top : top + side] for top in range(0, len(picture) - side + 1, side)
    ],
    "rows and columns are exchanged in the slice: rows first, picture[top : top + side, left : left + side]": (
        lambda picture, side: [picture[left : left + side, top : top + side] for top, left in _corners(picture, side)]
    ),
    "that is the first row of squares alone: a `return` in the outer loop ends it": lambda picture, side: _cut(
        picture, side
    )[0],
    "that is the first square alone: a `return` in the loop ends it": lambda picture, side: [picture[:side, :side]],
}


def _linear(x: np.ndarray, weight: np.ndarray, bias: Any) -> np.ndarray:
    return x @ weight.T + bias


def _shares(scores: np.ndarray) -> np.ndarray:
    """Softmax along the last axis."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


CLASS_MAP: Mistakes = {
    "the classes are still the last axis: bring them to the front": lambda planes, weight, bias: _linear(
        planes.transpose(1, 2, 0), weight, bias
    ),
    "rows and columns are exchanged, which .T does: only C, and then the classes, may move": (
        lambda planes, weight, bias: _linear(planes.T, weight, bias).transpose(2, 0, 1)
    ),
    "(1, 2, 0) does not undo itself: after `linear` the classes are axis 2, and become the first": (
        lambda planes, weight, bias: _linear(planes.transpose(1, 2, 0), weight, bias).transpose(1, 2, 0)
    ),
    "C is still the first axis, and `linear` takes it as the last: transpose lists the axes in a new order": _linear,
    "transpose(2, 0, 1) moves W to the front: list H first, then W, then C": lambda planes, weight, bias: _linear(
        planes.transpose(2, 0, 1), weight, bias
    ).transpose(2, 0, 1),
    "reshape moves no axis, it only cuts the row of numbers elsewhere: transpose moves one": (
        lambda planes, weight, bias: _linear(planes.reshape(*planes.shape[1:], len(planes)), weight, bias).transpose(
            2, 0, 1
        )
    ),
    "reshape moves no axis: on the way back, too, it takes transpose": lambda planes, weight, bias: _linear(
        planes.transpose(1, 2, 0), weight, bias
    ).reshape(len(weight), *planes.shape[1:]),
    "W is the first axis and the classes the last: .T turns rows and columns round, and only C may move": (
        lambda planes, weight, bias: _linear(planes.T, weight, bias)
    ),
    "the pixels stand in one row: reshape them to (K, H, W) at the end": lambda planes, weight, bias: (
        _linear(planes.reshape(len(planes), -1).T, weight, bias).T
    ),
    "@ multiplies along the last two axes, and C is the first: move it to the end": (
        lambda planes, weight, bias: weight @ planes + bias
    ),
    "this takes the mean first, which gives one score a class: here every pixel has its own": (
        lambda planes, weight, bias: _linear(planes.mean(axis=(1, 2)), weight, bias)
    ),
    "a bias of shape (K,) lies along the last axis, and here the classes are the first: bias[:, None]": (
        lambda planes, weight, bias: (weight @ planes.reshape(len(planes), -1) + bias).reshape(-1, *planes.shape[1:])
    ),
    "a bias of shape (K,) lies along the last axis, and the pixels stand in one row: bias[:, None], and reshape": (
        lambda planes, weight, bias: weight @ planes.reshape(len(planes), -1) + bias
    ),
    "scores may be negative: no ReLU or maximum with 0 comes last": lambda planes, weight, bias: np.maximum(
        _linear(planes.transpose(1, 2, 0), weight, bias).transpose(2, 0, 1), 0
    ),
    "reshape moves no axis, and .T turned rows and columns round: transpose names all three": (
        lambda planes, weight, bias: _linear(planes.T, weight, bias).reshape(*planes.shape[1:], -1).transpose(2, 0, 1)
    ),
    "the bias is missing": lambda planes, weight, bias: _linear(planes.transpose(1, 2, 0), weight, 0).transpose(
        2, 0, 1
    ),
    "the bias fits the classes where they are the last axis: add it before you move them": (
        lambda planes, weight, bias: _linear(planes.transpose(1, 2, 0), weight, 0).transpose(2, 0, 1) + bias
    ),
    "a bias of shape (K, 1) lies along rows, and the classes are the first of three axes: bias[:, None, None]": (
        lambda planes, weight, bias: np.tensordot(weight, planes, 1) + bias[:, None]
    ),
    "these are probabilities: scores are asked for, so no softmax": lambda planes, weight, bias: _shares(
        _linear(planes.transpose(1, 2, 0), weight, bias)
    ).transpose(2, 0, 1),
    "`linear` transposes weight itself: hand it over as it is": lambda planes, weight, bias: _linear(
        planes.transpose(1, 2, 0), weight.T, bias
    ).transpose(2, 0, 1),
}

Lines = Sequence[tuple[str, list[str], list[str]]]


def _successors(lines: Lines, note: Callable[[dict[str, list[str]], str, str, str], None]) -> dict[str, list[str]]:
    """`note` is told the dictionary, the writer, the reader and the operand of each connection."""
    writers = {operand: name for name, _, writes in lines for operand in writes}
    found: dict[str, list[str]] = {name: [] for name, _, _ in lines}
    for name, reads, _ in lines:
        for operand in reads:
            note(found, writers[operand], name, operand)
    return found


def _right(lines: Lines) -> dict[str, list[str]]:
    return _successors(lines, lambda found, writer, reader, _: found[writer].append(reader))


def _readers(lines: Lines) -> dict[str, list[str]]:
    """Operand -> who reads it."""
    return {
        operand: [name for name, reads, _ in lines if operand in reads] for _, _, writes in lines for operand in writes
    }


def _one_list(lines: Lines) -> dict[str, list[str]]:
    """Every reader in the order of the lines, under every name."""
    everything = [name for name, reads, _ in lines for _ in reads]
    return {name: everything for name, _, _ in lines}


def _later(lines: Lines) -> dict[str, list[str]]:
    return {name: [after for after, _, _ in lines[i + 1 :]] for i, (name, _, _) in enumerate(lines)}


def _one_pass(lines: Lines, ask: Callable[[dict[str, str], str], str | None]) -> dict[str, list[str]]:
    """Writers noted and readers looked up in the same loop; `ask` : who of the writers so far wrote an operand."""
    writers: dict[str, str] = {}
    found: dict[str, list[str]] = {name: [] for name, _, _ in lines}
    for name, reads, writes in lines:
        writers |= dict.fromkeys(writes, name)
        for writer in (ask(writers, operand) for operand in reads):
            if writer is not None:
                found[writer].append(name)
    return found


def _entries_in_the_loop(lines: Lines) -> dict[str, list[str]]:
    """With all writers known, but an entry only for the names that the loop has met."""
    writers = {operand: name for name, _, writes in lines for operand in writes}
    found: dict[str, list[str]] = {}
    for name, reads, _ in lines:
        found[name] = []
        for operand in reads:
            found[writers[operand]].append(name)
    return found


def _asked_for(lines: Lines, key: Callable[[dict[str, str], str], str]) -> Any:
    """The KeyError of an empty dictionary, asked for what `key` makes of the writers and the first operand read."""
    writers = {operand: name for name, _, writes in lines for operand in writes}
    return {}[key(writers, next(operand for _, reads, _ in lines for operand in reads))]


def _first_written(lines: Lines) -> dict[str, str]:
    return {name: writes[0] for name, _, writes in lines}


def _first_noted(lines: Lines) -> dict[str, list[str]]:
    """With the writer noted of the first operand alone that each line writes."""
    writers = {writes[0]: name for name, _, writes in lines if writes}
    found: dict[str, list[str]] = {name: [] for name, _, _ in lines}
    for name, reads, _ in lines:
        for operand in reads:
            found[writers[operand]].append(name)
    return found


def _tuples_noted(lines: Lines) -> dict[str, list[str]]:
    """With the writer noted of all operands of a line together."""
    writers = {tuple(writes): name for name, _, writes in lines}
    found: dict[str, list[str]] = {name: [] for name, _, _ in lines}
    for name, reads, _ in lines:
        for operand in reads:
            found[writers[(operand,)]].append(name)
    return found


SUCCESSORS_OF: Mistakes = {
    "this is who comes BEFORE each operator: add the reader under the writer's name": partial(
        _successors, note=lambda found, writer, reader, _: found[reader].append(writer)
    ),
    "these are operands: the names of the operators that read them are asked for": partial(
        _successors, note=lambda found, writer, _, operand: found[writer].append(operand)
    ),
    "these are the operands that each one writes: the operators that read them are asked for": lambda lines: {
        name: writes for name, _, writes in lines
    },
    "these are the operands that each one reads: the operators that read what IT writes are asked for": lambda lines: {
        name: reads for name, reads, _ in lines
    },
    "the keys are operands: put the readers under the name of the operator that writes the operand": _readers,
    "the keys are operands that are read: put the readers under the name of the operator that writes the operand": (
        lambda lines: {operand: readers for operand, readers in _readers(lines).items() if readers}
    ),
    "the readers come in the order of the lines, and `chunk` has its own in the order of what it writes: "
    "go through the lines once, and add each reader to its writers": lambda lines: {
        name: [reader for operand in writes for reader in _readers(lines)[operand]] for name, _, writes in lines
    },
    "an operator that writes nothing has an entry, too: an empty list": lambda lines: {
        name: _right(lines)[name] for name, _, writes in lines if writes
    },
    "output writes nothing, so writes[0] is not there, and `chunk` writes two: loop over `writes`": lambda lines: (
        _first_noted([(name, reads, [writes[0]]) for name, reads, writes in lines])
    ),
    "an operator that nobody follows has an entry, too: an empty list": lambda lines: {
        name: readers for name, readers in _right(lines).items() if readers
    },
    "a second reader takes the place of the first: append adds one to the list": partial(
        _successors, note=lambda found, writer, reader, _: found.update({writer: [reader]})
    ),
    "the readers come in the order of the lines: append adds at the end, insert(0, ...) in front": partial(
        _successors, note=lambda found, writer, reader, _: found[writer].insert(0, reader)
    ),
    "only the first operand of `reads` is looked at, and `add` reads two: loop over `reads`": lambda lines: _right(
        [(name, reads[:1], writes) for name, reads, writes in lines]
    ),
    "only the first operand of `writes` is looked at, and `chunk` writes two: loop over `writes`": lambda lines: {
        name: [reader for reader, reads, _ in lines if writes and writes[0] in reads] for name, _, writes in lines
    },
    "only the last operand of `writes` is looked at, and `chunk` writes two: loop over `writes`": lambda lines: {
        name: [reader for reader, reads, _ in lines if writes and writes[-1] in reads] for name, _, writes in lines
    },
    "a reader of what `chunk` writes second is looked up, and its writer was never noted: loop over `writes`": (
        _first_noted
    ),
    "all that `chunk` writes was noted as one key: note each operand in `writes` by itself": _tuples_noted,
    "an operand can have several readers, in any line: this is the first of them alone": lambda lines: {
        name: readers[:1] for name, readers in _right(lines).items()
    },
    "these are all later lines: only those that read the result follow": _later,
    "the readers come in the order of the lines, not of the alphabet: without sorted": lambda lines: {
        name: sorted(readers) for name, readers in _right(lines).items()
    },
    "+= adds the letters of a name one by one: append adds the name": partial(
        _successors, note=lambda found, writer, reader, _: found[writer].extend(reader)
    ),
    "each line is followed by the next one here: those follow that read what it writes": lambda lines: {
        name: [after for after, _, _ in lines[i + 1 : i + 2]] for i, (name, _, _) in enumerate(lines)
    },
    "this pairs each line with the next, which need not read it, and leaves the last out": lambda lines: {
        one[0]: [after[0]] for one, after in pairwise(lines)
    },
    "all names share ONE list, as dict.fromkeys(names, []) makes it: {name: [] for name in names} makes one each": (
        _one_list
    ),
    "two lists were compared as a whole: ask for each operand whether it is in `reads`": lambda lines: {
        name: [reader for reader, reads, _ in lines if reads == writes] for name, _, writes in lines
    },
    "`writes` is a list, and no list is in `reads`: ask for each operand in it": lambda lines: {
        name: [] for name, _, _ in lines
    },
    "output writes nothing, so writes[0] is not there, nor is a line after it: loop over `writes`": _first_written,
    "a name is no key yet when its first reader comes: begin with {name: [] for ...}": partial(
        _asked_for, key=lambda writers, operand: writers[operand]
    ),
    "a reader may stand before its writer, which then has no list yet: begin with {name: [] for ...}": (
        _entries_in_the_loop
    ),
    "a dictionary of writers is asked for an operand, and not for an operator's name": lambda lines: {}[lines[0][0]],
    "the dictionary has names of operators, and is asked for an operand: who writes it?": partial(
        _asked_for, key=lambda _, operand: operand
    ),
    "a line may read what a later line writes: note all writers first, then go through the readers": partial(
        _one_pass, ask=lambda writers, operand: writers[operand]
    ),
    "a line may read what a later line writes, and is lost here: note all writers first, then go through the readers": (
        partial(_one_pass, ask=lambda writers, operand: writers.get(operand))
    ),
    "reads and writes are lists: loop over the operands in them": lambda lines: {
        writes: name for name, _, writes in lines
    },
}
