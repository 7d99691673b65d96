"""What goes wrong in the cells of lesson 2 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]


def offset(c: int, r: int, k: int, H: int, W: int) -> int:
    """The lesson's, under its own name: Python says that name where the function gets too many arguments."""
    return c * H * W + r * W + k


OFFSET: Mistakes = {
    "r * H: a row has W numbers, so r rows take r * W": lambda c, r, k, H, W: c * H * W + r * H + k,
    "this is column by column: row by row it is r * W + k": lambda c, r, k, H, W: c * H * W + k * H + r,
    "H counts one number for each row of a channel: a row has W": lambda c, r, k, H, W: c * H + r * W + k,
    "W counts one row of a channel: it has H of them": lambda c, r, k, H, W: c * W + r * W + k,
    "the channels before this one are missing: count their numbers, too": lambda c, r, k, H, W: r * W + k,
    "each row before this one takes W numbers: r * W": lambda c, r, k, H, W: c * H * W + r + k,
    "these are bytes: count numbers": lambda c, r, k, H, W: 4 * offset(c, r, k, H, W),
    "the first number has none before it: its offset is 0": lambda c, r, k, H, W: offset(c, r, k, H, W) + 1,
    "H and W are arguments: a block need not have 3 rows of 4": lambda c, r, k, H, W: offset(c, r, k, 3, 4),
    "the larger of H and W is not always W: a row has W numbers": lambda c, r, k, H, W: c * H * W + r * max(H, W) + k,
    "c and k are exchanged: a channel is the longest step, a column one number": lambda c, r, k, H, W: offset(
        k, r, c, H, W
    ),
    "row r has r rows before it, not r - 1: rows count from 0": lambda c, r, k, H, W: offset(c, r - 1, k, H, W),
    "H rows of W numbers are more than H + W": lambda c, r, k, H, W: c * (H + W) + r * W + k,
    "a whole channel takes more than one number": lambda c, r, k, H, W: c + r * W + k,
    "c is missing: c channels stand before this one, not always one": lambda c, r, k, H, W: offset(1, r, k, H, W),
    "k is missing: so many numbers of the row stand before it": lambda c, r, k, H, W: offset(c, r, 0, H, W),
    "row r has r rows before it, not r + 1: rows count from 0": lambda c, r, k, H, W: offset(c, r + 1, k, H, W),
    "channel c has c channels before it, not c + 1: they count from 0": lambda c, r, k, H, W: offset(c + 1, r, k, H, W),
    "channel c has c channels before it, not c - 1: they count from 0": lambda c, r, k, H, W: offset(c - 1, r, k, H, W),
    "channels, rows and columns all count from 0: no - 1": lambda c, r, k, H, W: offset(c - 1, r - 1, k - 1, H, W),
    "r and k are exchanged: a row before this one takes W numbers, a column one": lambda c, r, k, H, W: offset(
        c, k, r, H, W
    ),
    "c and r are exchanged: a channel takes H * W numbers, a row W": lambda c, r, k, H, W: offset(r, c, k, H, W),
    "the last part is the column: k, not c": lambda c, r, k, H, W: offset(c, r, c, H, W),
    "numbers are counted here, not bytes: the next column is one further": lambda c, r, k, H, W: offset(
        c, r, 4 * k, H, W
    ),
    "c channels take c * H * W numbers: r does not belong there": lambda c, r, k, H, W: c * r * W + r * W + k,
    "the rows before this one are missing, and c channels take c * H * W numbers: r does not belong there": (
        lambda c, r, k, H, W: c * r * W + k
    ),
    "a channel has H rows of W numbers, not H - 1 of W - 1": lambda c, r, k, H, W: c * (H - 1) * (W - 1) + r * W + k,
    "nothing is one less: a channel has H * W numbers, a row W": lambda c, r, k, H, W: (
        c * (H - 1) * (W - 1) + r * (W - 1) + k
    ),
    "a channel has H rows of W numbers, not W rows: H * W": lambda c, r, k, H, W: c * W * W + r * W + k,
    "a channel has H rows of W numbers, not H columns of H: H * W": lambda c, r, k, H, W: c * H * H + r * W + k,
    "channels and rows are counted apart: c * H * W and r * W, added": lambda c, r, k, H, W: c * r * H * W + k,
    "these three are to be added: one number is asked for": lambda c, r, k, H, W: (c * H * W, r * W, k),
}


def _popped(*shape: int) -> tuple[int, ...]:
    rest = list(shape)
    while rest[0] == 1:
        rest.pop(0)
    return tuple(rest)


def _cut(*shape: int) -> tuple[int, ...]:
    while shape[0] == 1:
        shape = shape[1:]
    return shape


def _removed(*shape: int) -> tuple[int, ...]:
    rest = list(shape)
    for n in rest:
        if n == 1:
            rest.remove(n)
    return tuple(rest)


def _without_front(*shape: int) -> tuple[int, ...]:
    """The right answer."""
    while len(shape) > 1 and shape[0] == 1:
        shape = shape[1:]
    return shape


def _without_both_ends(*shape: int) -> tuple[int, ...]:
    return _without_front(*_without_front(*shape)[::-1])[::-1]


def _without_last(*shape: int) -> tuple[int, ...]:
    rest = _without_front(*shape)
    return rest[:-1] if len(rest) > 1 and rest[-1] == 1 else rest


RAW_SHAPE: Mistakes = {
    "ones at the end were dropped, too: only those in front go": _without_both_ends,
    "a one at the end was dropped, too: only those in front go": _without_last,
    "every 1 was dropped: one behind a larger number stays, as in (3, 1) and (2, 1, 7)": (
        lambda *shape: tuple(n for n in shape if n > 1)
    ),
    "every 1 was dropped where another number was left: one behind a larger number stays, as in (3, 1) and (2, 1, 7)": (
        lambda *shape: tuple(n for n in shape if n > 1) or (1,)
    ),
    "a second 1 in front goes, too: (1, 1, N) is (N,)": lambda channels, rows, cols: (
        (rows, cols) if channels == 1 else (channels, rows, cols)
    ),
    "the rows were looked at before the channels: with 2 channels all three numbers stay": (
        lambda channels, rows, cols: (cols,) if rows == 1 else (rows, cols) if channels == 1 else (channels, rows, cols)
    ),
    "(cols) is a number: (cols,) with a comma is a tuple": lambda channels, rows, cols: (
        (channels, rows, cols) if channels > 1 else (rows, cols) if rows > 1 else cols
    ),
    "the last number stays, also where it is 1: (1, 1, 1) is (1,)": lambda *shape: (
        shape if shape[0] > 1 else shape[1:] if shape[1] > 1 else tuple(n for n in shape[2:] if n > 1)
    ),
    "ones at the end were dropped: those in front go": lambda channels, rows, cols: (
        (channels, rows, cols) if cols > 1 else (channels, rows) if rows > 1 else (channels,)
    ),
    "the ones behind the channels were dropped: with 2 channels all three numbers stay": lambda channels, rows, cols: (
        (channels,) if rows == cols == 1 else (channels, rows, cols) if channels > 1 else (rows, cols)[rows == 1 :]
    ),
    "the ones in front are still there": lambda *shape: shape,
    "as many channels as rows are no ones: (3, 3, 5) keeps its three numbers": lambda channels, rows, cols: (
        (cols,) if channels == rows else (rows, cols) if channels == 1 else (channels, rows, cols)
    ),
    "as many rows as columns are no ones: (1, 5, 5) is a matrix": lambda channels, rows, cols: (
        (channels, rows, cols) if channels > 1 else (cols,) if rows in (1, cols) else (rows, cols)
    ),
    "one row shows as a line, (1, 1, N) as (N,)": lambda channels, rows, cols: (
        (channels, rows, cols) if channels > 1 else (rows, cols) if cols > 1 else (rows,)
    ),
    "[...] is a list: a tuple is written (rows, cols), and of one number (cols,)": lambda channels, rows, cols: (
        [channels, rows, cols] if channels > 1 else [rows, cols] if rows > 1 else [cols]
    ),
    "the last number stays, also where it is 1: stop before the list is empty": _popped,
    "the last number stays, also where it is 1: stop while one is left": _cut,
    "a list was changed while a loop went through it, so the loop skips numbers: ask for the sizes": _removed,
    "the columns were asked for, too: (1, 3, 1) has three rows, so it stays a matrix, (3, 1)": (
        lambda channels, rows, cols: (
            (channels, rows, cols) if channels > 1 else (rows, cols) if rows > 1 and cols > 1 else (cols,)
        )
    ),
    "a column became a line: (1, 3, 1) is a matrix of three rows, (3, 1)": lambda channels, rows, cols: (
        (channels, rows, cols) if channels > 1 else (rows, cols) if rows > 1 and cols > 1 else (max(rows, cols),)
    ),
    "a single channel was asked for first, so a single row in it never is: ask for both before": (
        lambda channels, rows, cols: (rows, cols) if channels == 1 else (cols,) if rows == 1 else (channels, rows, cols)
    ),
    "`or` is enough if one of them is 1: a line has one channel AND one row": lambda channels, rows, cols: (
        (cols,) if channels == 1 or rows == 1 else (channels, rows, cols)
    ),
    "with 2 channels all three numbers stay: a 1 goes only if no larger number stands before it": (
        lambda channels, rows, cols: (
            (cols,)
            if channels == 1 and rows == 1
            else (rows, cols)
            if 1 in (channels, rows)
            else (channels, rows, cols)
        )
    ),
    "ones in front go whatever the columns are: (1, 3, 1) is (3, 1)": lambda channels, rows, cols: (
        ((rows, cols) if rows > 1 else (cols,)) if channels == 1 and cols > 1 else (channels, rows, cols)
    ),
    "ones in front go whatever the columns are, also of (1, 3, 1); and one row shows as a line": (
        lambda channels, rows, cols: (rows, cols) if channels == 1 and cols > 1 else (channels, rows, cols)
    ),
    "rows and cols are exchanged: rows come first": lambda channels, rows, cols: (
        (channels, rows, cols) if channels > 1 else (cols, rows) if rows > 1 else (cols,)
    ),
}


def _added(x: np.ndarray) -> Any:
    line: Any = []
    for k in range(x.shape[1]):
        line += x[:, k]
    return line


BY_COLUMNS: Mistakes = {
    "this is row by row: the row must change fastest, so in loops `for k` stands before `for r`": (
        lambda x: [x[r, k] for r in range(x.shape[0]) for k in range(x.shape[1])]
    ),
    "this is row by row, and not every block is 2 by 5: `for k` stands before `for r`, and x.shape has the sizes": (
        lambda x: [x[r, k] for r in range(2) for k in range(5)]
    ),
    "this is row by row, and not every block has 2 rows of 5: `for k` stands before `for r`, and x.shape has the "
    "sizes": lambda x: [x[r][k] for r in range(2) for k in range(5)],
    "the columns are still apart: one flat list is asked for": lambda x: x.T,
    "this is an array: its .tolist() is a list": lambda x: x.T.flatten(),
    "this is an array, and row by row: .tolist() makes a list, and the columns of x are the rows of x.T": (
        lambda x: x.flatten()
    ),
    "the numbers were sorted: each stays where it stands in its column": lambda x: sorted(x.reshape(-1).tolist()),
    "from right to left: column 0 comes first": lambda x: x[:, ::-1].T.reshape(-1).tolist(),
    "the second block has one row: take the sizes from x.shape": lambda x: [
        x[r, k] for k in range(5) for r in range(2)
    ],
    "rows and columns are exchanged: x[r, k] has the row first, and x.shape is (rows, columns)": (
        lambda x: [x[r, k] for k in range(x.shape[0]) for r in range(x.shape[1])]
    ),
    "each element is a whole column, and their number is not always 5: go through x.shape[1] columns, and x.shape[0] "
    "rows of each": lambda x: [x[:, k] for k in range(5)],
    "+= with an array adds numbers: extend(x[:, k]), or append one number after the other": _added,
    "a `return` inside the loops ends them after the first number: write it behind them": lambda x: [x[0, 0]],
    "a `return` inside the outer loop ends it after the first column: write it behind both": lambda x: list(x[:, 0]),
    "len(x) is the number of rows: the columns are x.shape[1]": lambda x: [
        x[r, k] for k in range(len(x)) for r in range(x.shape[0])
    ],
    "each element of x.T is a whole column: a second loop goes through it": lambda x: [int(v) for v in x.T],
    "there is a list around the list: reshape(-1) leaves one axis": lambda x: x.T.reshape(1, -1).tolist(),
    "reshape keeps the line and its order: the columns of x are the rows of x.T": lambda x: (
        x.reshape(5, 2).reshape(-1).tolist()
    ),
    "reshape keeps the line and its order, and .T of it mixes that: the columns of x are the rows of x.T": (
        lambda x: x.reshape(5, 2).T.reshape(-1).tolist()
    ),
    "the numbers of a column stay in their order, from top to bottom: nothing is sorted": lambda x: [
        v for column in x.T.tolist() for v in sorted(column)
    ],
    "only the first and the last row were read: a block may have three": lambda x: [
        x[r, k] for k in range(x.shape[1]) for r in sorted({0, x.shape[0] - 1})
    ],
    "only two rows were read: a block has x.shape[0] of them": lambda x: [
        x[r, k] for k in range(x.shape[1]) for r in range(min(2, x.shape[0]))
    ],
    "from bottom to top: the first row comes first": lambda x: x[::-1].T.reshape(-1).tolist(),
    "x is a numpy array here, not our Tensor: its shape is x.shape": lambda x: x.shapes,
}


def _wiped(x: np.ndarray, place: Any) -> np.ndarray:
    after = x.copy()
    after[place] = 0
    return after


def _in_place(x: np.ndarray, c: int) -> tuple[np.ndarray, np.ndarray]:
    after = x
    after[c] = 0
    return x, after


def _in_a_list(x: np.ndarray, c: int) -> tuple[np.ndarray, Any]:
    after = list(x)
    after[c] = 0
    return x, after


def _method(x: np.ndarray, c: int) -> tuple[np.ndarray, Any]:
    after: Any = x.copy
    after[c] = 0
    return x, after


def _in_zeros(x: np.ndarray, c: int) -> tuple[np.ndarray, np.ndarray]:
    after = np.zeros(x.shape)
    after[:c], after[c + 1 :] = x[:c], x[c + 1 :]
    return x, after


def _x_changed(x: np.ndarray, c: int) -> tuple[np.ndarray, np.ndarray]:
    before = x.copy()
    x[c] = 0
    return before, x


BEFORE_AFTER: Mistakes = {
    "the type is not that of x: x.copy() keeps it": _in_zeros,
    "x is a numpy array here, not our Tensor: its shape is x.shape": lambda x, c: (x, np.zeros(x.shapes)),
    "the zeros went into x itself, which another operator may read, too: write them into the copy": _x_changed,
    "the channels after c are 0, too: after[c:] is all from c on, after[c] is one": lambda x, c: (
        x,
        _wiped(x, np.s_[c:]),
    ),
    "that is the last channel: c need not be the last, after[c] is channel c": lambda x, c: (x, _wiped(x, -1)),
    "the other channels are 0, and c is not: it is the other way round": lambda x, c: (
        x,
        x - _wiped(x, c),
    ),
    "only the first row of the channel is 0: after[c] is all of it": lambda x, c: (x, _wiped(x, (c, 0))),
    "both show the zeros, since they share their memory: `=` gives an array a second name, [:] is a view of it, and "
    "only .copy() has memory of its own": _in_place,
    "channel c kept its numbers: after[c] = 0 writes into memory, while `channel = 0` only gives 0 a name": (
        lambda x, c: (x, x.copy())
    ),
    "the two are exchanged: x as it was comes first": lambda x, c: (_wiped(x, c), x),
    "that is row c of every channel: the first index is the channel's": lambda x, c: (x, _wiped(x, np.s_[:, c])),
    "that is column c of every channel: the first index is the channel's": lambda x, c: (x, _wiped(x, np.s_[..., c])),
    "the channel is gone: it stays, full of 0": lambda x, c: (x, np.delete(x, c, axis=0)),
    "every channel is 0 now: only channel c is meant": lambda x, c: (x, np.zeros_like(x)),
    "the second is channel c alone: all channels are asked for": lambda x, c: (x, 0 * x[c]),
    "channels count from 0: no - 1": lambda x, c: (x, _wiped(x, c - 1)),
    "channels count from 0: no + 1": lambda x, c: (x, _wiped(x, c + 1)),
    "that is a 0 in the channel's place: it stays a block of 0": _in_a_list,
    "the second is a list of channels: x.copy() stays an array": lambda x, c: (x, list(_wiped(x, c))),
    ".fill returns nothing: it writes into the array that it is called on": lambda x, c: (x, None),
    "x.copy is the method, and x.copy() its result": _method,
    "only the first number of the channel is 0: after[c] is all of it": lambda x, c: (x, _wiped(x, (c, 0, 0))),
    "the first is a list: x as it was is asked for": lambda x, c: (x.tolist(), _wiped(x, c)),
    "that is channel 0: c need not be the first, after[c] is channel c": lambda x, c: (x, _wiped(x, 0)),
    "a list in brackets: a pair is a tuple, `return x, after`": lambda x, c: [x, _wiped(x, c)],
}


def _in_one_place(row: np.ndarray, left: int, right: int, value: Any) -> np.ndarray:
    padded = np.full(left + len(row) + right, value, row.dtype)
    padded[left] = row
    return padded


def _one_after_the_other(row: np.ndarray, left: int, right: int, value: Any) -> np.ndarray:
    padded = np.full(left + len(row) + right, value, row.dtype)
    for number in row:
        padded[left] = number
    return padded


def _written(row: np.ndarray, size: int, value: Any, start: int, stop: int) -> np.ndarray:
    """A line of `size` times the value, with the row written into [start:stop]."""
    padded = np.full(size, value, row.dtype)
    padded[start:stop] = row
    return padded


PAD_ROW: Mistakes = {
    "the type is not that of `row`: give np.full row.dtype": lambda row, left, right, value: np.pad(
        row.astype(np.int64), (left, right), constant_values=value
    ),
    "the row is not there yet: a slice of `padded`, as long as the row, takes it": lambda row, left, right, value: (
        np.full(left + len(row) + right, value, row.dtype)
    ),
    "where `right` is 0, -right is 0, too, and the slice is empty: end it at left + len(row)": (
        lambda row, left, right, value: _written(row, left + len(row) + right, value, left, -right)
    ),
    "the slice ends at left + len(row), not at len(row)": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, len(row)
    ),
    "the slice ends at left + len(row), not at len(row) + right": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, len(row) + right
    ),
    "not every row has 3 numbers: this one has len(row)": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, left + 3
    ),
    "not every row has 2 numbers: this one has len(row)": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, left + 2
    ),
    "the slice ends at left + len(row): how many stand behind it says nothing": lambda row, left, right, value: (
        _written(row, left + len(row) + right, value, left, left + right)
    ),
    "the slice ends at left + len(row), not at `right`": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, right
    ),
    "the slice ends at left + len(row): behind the row the value goes on": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, left + len(row) + right
    ),
    "the row begins at `left`, not at 0": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, 0, len(row)
    ),
    "one too far: the places before the row are 0 to left - 1, so it begins at `left`": (
        lambda row, left, right, value: _written(row, left + len(row) + right, value, left + 1, left + 1 + len(row))
    ),
    "padded[left] is one place, for one number: a row needs a slice, which has a beginning and an end": _in_one_place,
    "all numbers went into the one place padded[left]: number i belongs at left + i": _one_after_the_other,
    "the border is full of `value`, and not of 0": lambda row, left, right, value: np.pad(row, (left, right)),
    "left and right are exchanged: the row begins at `left`": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, right, right + len(row)
    ),
    "one too early: `left` places stand before the row": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left - 1, left - 1 + len(row)
    ),
    "one place is missing: a slice stops BEFORE its end, left + len(row)": lambda row, left, right, value: _written(
        row, left + len(row) + right, value, left, left + len(row) - 1
    ),
    "the row is in reverse: its numbers stay in their order": lambda row, left, right, value: _written(
        row[::-1], left + len(row) + right, value, left, left + len(row)
    ),
    "row[0] is one number: all of `row` goes into the slice": lambda row, left, right, value: _written(
        np.full_like(row, row[0]), left + len(row) + right, value, left, left + len(row)
    ),
    "that is a list: return `padded` itself, which is an array": lambda row, left, right, value: np.pad(
        row, (left, right), constant_values=value
    ).tolist(),
    "the zeros of the row were replaced, too: only the border is `value`": lambda row, left, right, value: np.pad(
        np.where(row == 0, row.dtype.type(value), row), (left, right), constant_values=value
    ),
    "the row was sorted: its numbers stay in their order": lambda row, left, right, value: np.pad(
        np.sort(row), (left, right), constant_values=value
    ),
    "the result is as long as left + len(row) + right": lambda row, left, right, value: _written(
        row, left + right, value, left, left + len(row)
    ),
    "these are the numbers of `row` alone: write them into their place, and return all of `padded`": (
        lambda row, left, right, value: row
    ),
    "the row was added to the value: = writes it, += adds": lambda row, left, right, value: _written(
        row + row.dtype.type(value), left + len(row) + right, value, left, left + len(row)
    ),
    "that is only the place for the row: return all of `padded`": lambda row, left, right, value: np.full(
        len(row), value, row.dtype
    ),
}
