"""Show where two arrays differ: as text for the terminal, and as a picture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from classroom import pixels
from classroom.page import side_by_side, styled, width

if TYPE_CHECKING:
    from kuiper.show import Svg

ROWS = 8
"""Maximum number of rows shown, around the first difference."""
NEAR = 1e-6
"""Cells with a smaller relative difference are not marked: the test's own tolerance is not known here."""
INDENT = 4
"""Indentation of the text by its caller."""
Window = tuple[slice, slice]


def comparable(expected: Any, got: Any) -> bool:
    """Whether the two arrays can be shown cell by cell."""
    arrays = isinstance(expected, np.ndarray) and isinstance(got, np.ndarray)
    return arrays and expected.shape == got.shape and expected.ndim > 0 and expected.size > 0


def differing(expected: np.ndarray, got: np.ndarray, where: tuple[int, ...] | None) -> np.ndarray:
    """Two arrays of one shape -> bool array of that shape: True where they differ.

    >>> differing(np.array([1, 2]), np.array([1, 3]), (1,)).tolist()
    [False, True]
    >>> differing(np.array([-np.inf, 1.0]), np.array([-9.0, 1.0]), None).tolist()
    [True, False]
    """
    if expected.dtype.kind in "fc" or got.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            close = np.isfinite(expected) & (np.abs(got - expected) <= NEAR * np.maximum(1, np.abs(expected)))
            same = close | (got == expected) | (np.isnan(got) & np.isnan(expected))
    else:
        same = got == expected
    marked = ~same
    if where is not None and len(where) == marked.ndim:
        marked[where] = True
    return marked


def in_text(expected: np.ndarray, got: np.ndarray, where: tuple[int, ...] | None) -> str:
    """Both arrays around the first difference; cells that differ are marked with >< (and in colour, if enabled).

    Vectors are shown one above the other. Otherwise the first plane (last two axes) that differs is shown, side by
    side if the terminal is wide enough; of a picture, one channel.
    """
    if pixels.is_picture(expected) and pixels.is_picture(got):
        place = where or next(iter(np.argwhere(expected != got).tolist()), [0, 0, 0])
        channel = int(place[2])
        title = f"[:, :, {channel}], its {('red', 'green', 'blue')[channel]}"
        return f"{title}\n{in_text(expected[:, :, channel], got[:, :, channel], tuple(place[:2]))}"
    plane, (row, col), planes = _first_plane(expected, got, where)
    if planes[0].shape[0] == 1:
        head = f"[{', '.join(map(str, (*plane, row)))}, :]\n" if plane else ""
        return head + _stacked(planes, col)
    cell = _cell_width(planes)
    one = _window(planes[0].shape, row, col, ((width() - INDENT - 3) // 2 - 8) // cell)
    columns = min(4, planes[0].shape[1])
    beside = one[1].stop - one[1].start >= columns
    window = one if beside else _window(planes[0].shape, row, col, (width() - INDENT - 8) // cell)
    titles = ["expected", "got"]
    blocks = [
        _grid(title, planes[i], planes[2], window, ("good", "bad")[i], planes[:2]) for i, title in enumerate(titles)
    ]
    body = side_by_side(blocks) if beside else "\n\n".join(blocks)
    head = _plane_name(plane, planes[0].shape, window)
    return f"{head}\n{body}" if head else body


def each_in_text(expected: np.ndarray, got: np.ndarray, where: tuple[int, ...] | None) -> tuple[str, str]:
    """Each array separately around the first difference: type and shape, which part is shown, and that part.

    >>> print(each_in_text(np.array([1, 2]), np.array([1, 3]), (1,))[1])
    int64 (2,)
     1  >3<
    """
    plane, (row, col), planes = _first_plane(expected, got, where)
    window = _window(planes[0].shape, row, col, (width() - INDENT - 8) // _cell_width(planes))
    head = _plane_name(plane, planes[0].shape, window)
    if expected.ndim == 1 and head:
        head = f"[{window[1].start}:{window[1].stop}], around the first difference"
    titles = (f"{array.dtype} {array.shape}" + (f", of which {head}" if head else "") for array in (expected, got))
    first, second = (_grid(title, planes[i], planes[2], window, "", planes[:2]) for i, title in enumerate(titles))
    return first, second


def in_picture(
    name: str, expected: Any, got: Any, where: tuple[int, ...] | None, *, pictures: bool = False
) -> Svg | None:
    """Draw expected, got and their difference; None if they are not arrays of numbers.

    Pictures are drawn side by side, with the largest difference over their channels; other arrays are heat maps, one
    below the other. `pictures` : whether the exercise is about pictures, so that arrays other than bytes may be one.
    """
    from kuiper.show.svg import element, picture, text

    arrays = [value for value in (expected, got) if isinstance(value, np.ndarray) and value.dtype.kind in "biufc"]
    if len(arrays) < 2 or any(array.ndim == 0 or array.size == 0 for array in arrays):
        return None
    wanted, came = (_sample(array, where) for array in arrays)
    axis = pixels.channel_axis(wanted, pictures)
    panels = _maps(wanted, came) if axis is None else _pictures(wanted, came, axis, pictures)
    head = text(name, 16.0, 20.0, 15.0, text_anchor="start", font_weight="bold")
    parts, x, y, widest, lowest = [head], 0.0, 36.0, 200.0, 0.0
    for drawn in panels:
        size = re.search(r'width="(\d+)" height="(\d+)"', drawn.text)
        assert size is not None
        width, height = float(size[1]), float(size[2])
        parts.append(element("g", drawn.text, transform=f"translate({x:.0f} {y:.0f})"))
        widest, lowest = max(widest, x + width), max(lowest, y + height)
        x, y = (x, y + height + 8) if axis is None else (x + width, y)
    described = "Expected, got" + ", and their difference" * (len(panels) > 2)
    return picture(widest, lowest + 8, name, described, *parts)


def _maps(expected: np.ndarray, got: np.ndarray) -> list[Svg]:
    from kuiper.show import show_tensor

    panels = [show_tensor(expected, title="expected"), show_tensor(got, title="got")]
    if comparable(expected, got):
        panels.append(show_tensor(_minus(got, expected), title="got - expected"))
    return panels


def _pictures(expected: np.ndarray, got: np.ndarray, axis: int, pictures: bool) -> list[Svg]:
    """`axis` is the channel axis of expected; got is drawn on expected's scale."""
    from kuiper.show import show_tensor

    low, high = pixels.scale_of(expected)
    panels = [pixels.draw_picture(expected, axis, low, high, "expected")]
    other = pixels.channel_axis(got, pictures)
    panels.append(show_tensor(got, title="got") if other is None else pixels.draw_picture(got, other, low, high, "got"))
    if comparable(expected, got):
        largest = np.abs(_minus(got, expected)).max(axis=axis)
        panels.append(show_tensor(largest, title="difference (max of R, G, B)"))
    return panels


def _minus(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    wide = np.complex128 if "c" in (expected.dtype.kind, got.dtype.kind) else np.float64
    with np.errstate(all="ignore"):
        return np.asarray(got.astype(wide) - expected.astype(wide))


def _sample(array: np.ndarray, where: tuple[int, ...] | None) -> np.ndarray:
    """The last three axes, at the leading indices of the first difference."""
    extra = array.ndim - 3
    if extra <= 0:
        return array
    inside = where is not None and len(where) == array.ndim
    return np.asarray(array[where[:extra] if inside and where is not None else (0,) * extra])


def _first_plane(
    expected: np.ndarray, got: np.ndarray, where: tuple[int, ...] | None
) -> tuple[tuple[int, ...], tuple[int, ...], list[np.ndarray]]:
    """The first plane (last two axes) that differs: its indices, the position in it, and the planes of expected, got
    and where they differ. A vector counts as a plane of one row."""
    marked = differing(expected, got, where)
    place = where if where is not None else tuple(int(i) for i in np.argwhere(marked)[0]) if marked.any() else None
    place = place or (0,) * expected.ndim
    if expected.ndim == 1:
        expected, got, marked, place = expected[None], got[None], marked[None], (0, *place)
    plane = place[:-2]
    return plane, place[-2:], [np.asarray(array[plane]) for array in (expected, got, marked)]


def _stacked(planes: list[np.ndarray], col: int) -> str:
    """Three (1, n) rows, one above the other: index, expected, got."""
    _, window = _window(planes[0].shape, 0, col, (width() - INDENT - 10 - 8) // _cell_width(planes))
    expected, got, marked = (plane[0, window] for plane in planes)
    texts = _written([expected, got])
    index = [str(i) for i in range(window.start, window.stop)]
    size = max(len(word) for word in (*texts[0], *texts[1], *index))
    before, after = "... " * (window.start > 0), " ..." * (window.stop < planes[0].shape[1])
    lines = [f"{'index':10}{' ' * len(before)}" + " ".join(f" {word:>{size}} " for word in index)]
    for name, words, style in (("expected", texts[0], "good"), ("got", texts[1], "bad")):
        cells = " ".join(_cell(word, size, bool(mark), style) for word, mark in zip(words, marked))
        lines.append(f"{name:10}{before}{cells}{after}")
    return "\n".join(line.rstrip() for line in lines)


def _grid(title: str, plane: np.ndarray, marked: np.ndarray, window: Window, style: str, both: list[np.ndarray]) -> str:
    shown, marks = plane[window], marked[window]
    words = _written([array[window].reshape(-1) for array in both])
    size = max(map(len, (*words[0], *words[1])))
    mine = iter(words[0] if plane is both[0] else words[1])
    rows, columns = window
    more = " ..." * (columns.stop < plane.shape[1])
    dots = "... " * (columns.start > 0)
    lines = [title]
    if rows.start > 0:
        lines.append("  ...")
    for row in range(shown.shape[0]):
        cells = " ".join(_cell(next(mine), size, bool(mark), style) for mark in marks[row])
        lines.append(f"{dots}{cells}{more}")
    if rows.stop < plane.shape[0]:
        lines.append("  ...")
    return "\n".join(lines)


def _cell(word: str, size: int, mark: bool, style: str) -> str:
    """One number, with space for the marks on both sides."""
    if not mark:
        return f" {word:>{size}} "
    shown = f">{word}<"
    return " " * (size - len(word)) + (styled(shown, style) if style else shown)


def _cell_width(planes: list[np.ndarray]) -> int:
    expected, got = planes[:2]
    rows, cols = (slice(0, 64),) * 2
    return max(len(word) for words in _written([expected[rows, cols], got[rows, cols]]) for word in words) + 3


def _window(shape: tuple[int, ...], row: int, col: int, columns: int) -> Window:
    """A window of ROWS x `columns` cells of the plane that contains (row, col)."""

    def part(size: int, at: int, most: int) -> slice:
        most = max(1, min(most, size))
        start = min(max(0, at - most // 2), size - most)
        return slice(start, start + most)

    return part(shape[0], row, ROWS), part(shape[1], col, columns)


def _plane_name(plane: tuple[int, ...], shape: tuple[int, ...], window: Window) -> str:
    """Which part of the array is shown; "" if all of it."""
    parts = [str(i) for i in plane]
    whole = window == (slice(0, shape[0]), slice(0, shape[1]))
    if whole:
        return f"[{', '.join([*parts, ':', ':'])}]" if parts else ""
    parts += [f"{one.start}:{one.stop}" for one in window]
    return f"[{', '.join(parts)}], around the first difference"


def _written(arrays: list[np.ndarray]) -> list[list[str]]:
    """Format the numbers of the arrays with just enough digits to tell them apart."""
    for digits in (4, 6, 9, 17):
        texts = [[_number(value, digits) for value in array.reshape(-1).tolist()] for array in arrays]
        first, second = (array.reshape(-1).tolist() for array in arrays)
        lost = any(a != b and a == a and b == b and x == y for a, b, x, y in zip(first, second, *texts))
        if not lost:
            break
    return texts


def _number(value: Any, digits: int) -> str:
    """A number as text.

    >>> _number(3.0, 4), _number(0.123456, 4), _number(True, 4)
    ('3', '0.1235', 'True')
    """
    return f"{value:.{digits}g}" if isinstance(value, float | complex) else str(value)
