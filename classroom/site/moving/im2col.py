"""Lesson 6: windows of the image 1 to 16 as rows, and their product with the kernel as a column."""

from __future__ import annotations

import numpy as np

from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import rect, words
from kuiper.layers.image.convolution import Conv2d
from kuiper.layers.image.windows import im2col, windows

IMAGE = np.arange(1, 17).reshape(4, 4)
KERNEL = np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3]])
TINTS = ("blue", "green", "violet")
"""A colour per row of the kernel, to show which factors belong together."""
PIXEL = 36.0
ROW, COLUMN = (25.0, 28.0), (32.0, 22.0)
"""Width and height of a cell: of the rows, and of the kernel as a column."""


def scene() -> Scene:
    """Four windows become four rows; each row times the column gives one element of the result."""
    rows = im2col(windows(IMAGE[None, None], KERNEL.shape))[0]
    products = rows @ KERNEL.reshape(-1)
    result = Conv2d(KERNEL[None, None].astype(np.float32)).forward(IMAGE[None, None].astype(np.float32))[0, 0]
    if not np.array_equal(products.reshape(result.shape), result):
        raise MovingError(f"im2col: expected what Conv2d gives, {result.tolist()}, found {products.tolist()}")
    frames = _windows(rows, result.shape[1])
    column = {f"k{i}": PartState(_tint(i)) for i in range(KERNEL.size)}
    column |= {f"w{i}": PartState(_tint(i)) for i in range(KERNEL.size)}
    written = _rows(rows, len(rows))
    frames.append(Frame("The kernel is written as a column, in the same order: row by row. So partners meet.",
                        written | column))  # fmt: skip
    frames += _products(rows, products, written | column)
    answer = {f"y{i}": PartState("orange", f"{value:g}") for i, value in enumerate(result.reshape(-1))}
    shown = {f"p{i}": PartState("orange", str(value)) for i, value in enumerate(products)}
    say = f"One matrix product has given all {len(products)} numbers. In the shape of the places where the window "
    say += f"stood, they are the convolution: {result.astype(int).tolist()}."
    frames.append(Frame(say, written | column | shown | answer))
    return Scene("im2col", "im2col: every window becomes a row", [_picture(result.shape), _matrices(rows)], frames,
                 2 * len(rows))  # fmt: skip


def _tint(place: int) -> str:
    return TINTS[place // KERNEL.shape[1]]


def _rows(rows: np.ndarray, count: int) -> PartStates:
    """The first `count` rows filled in."""
    return {f"r{i}.{j}": PartState(_tint(j), str(rows[i, j])) for i in range(count) for j in range(rows.shape[1])}


def _window(number: int, width: int, order: np.ndarray) -> PartStates:
    """The window at one position: the frame, and its pixels in the colours of the kernel's rows."""
    i, j = divmod(number, width)
    states = {"ring": PartState("ring", None, j * PIXEL, i * PIXEL)}
    return states | {f"x{value}": PartState(_tint(place)) for place, value in enumerate(order)}


def _windows(rows: np.ndarray, width: int) -> list[Frame]:
    say = "An image of 4 x 4 pixels, and a kernel of 3 x 3 weights. How many windows of 3 x 3 are there in the image?"
    frames = [Frame(say, {})]
    for number, row in enumerate(rows):
        listed = ", ".join(map(str, row))
        i, j = divmod(number, width)
        say = f"Window {number + 1} stands at row {i}, column {j}. Its pixels, row by row, become row {number} of the "
        say += f"matrix: {listed}."
        marks = {f"r{number}.{place}": PartState(f"{_tint(place)} bold", str(value)) for place, value in enumerate(row)}
        frames.append(Frame(say, _window(number, width, row) | _rows(rows, number) | marks))
    return frames


def _products(rows: np.ndarray, products: np.ndarray, known: PartStates) -> list[Frame]:
    frames = []
    for number, (row, product) in enumerate(zip(rows, products, strict=True)):
        terms = " + ".join(f"{a}·{b}" for a, b in zip(row, KERNEL.reshape(-1)))
        marks = {f"row{number}": PartState("ring"), "column": PartState("ring")}
        shown = {f"p{i}": PartState("orange", str(products[i])) for i in range(number)}
        now = {f"p{number}": PartState("now", str(product))}
        frames.append(Frame(f"Row {number} times the column: {terms} = {product}.", known | marks | shown | now))
    return frames


def _picture(shape: tuple[int, ...]) -> Panel:
    """The panel with the image and window, the kernel, and the result."""
    left, top, right = 4.0, 22.0, 176.0
    parts = []
    for place, value in enumerate(IMAGE.reshape(-1)):
        i, j = divmod(place, IMAGE.shape[1])
        x, y = left + j * PIXEL, top + i * PIXEL
        parts.append(_cell(f"x{value}", x, y, PIXEL, PIXEL, str(value)))
    for place, value in enumerate(KERNEL.reshape(-1)):
        i, j = divmod(place, KERNEL.shape[1])
        parts.append(_cell(f"w{place}", right + j * PIXEL, top + i * PIXEL, PIXEL, PIXEL, str(value)))
    for place in range(shape[0] * shape[1]):
        i, j = divmod(place, shape[1])
        parts.append(_cell(f"y{place}", right + j * 54, 160 + i * 30.0, 54, 30, "", "ghost"))
    size = KERNEL.shape[0] * PIXEL
    parts.append(Part("ring", rect(left, top, size, size, 3), kind="hidden"))
    ground = words("image", left, 9, 11.0, "start", "note") + words("kernel", right, 9, 11.0, "start", "note")
    ground += words("result", right, 148, 11.0, "start", "note")
    return Panel(288, 224, "The image 1 to 16 with the window, the kernel, and the result.", parts, ground)


def _matrices(rows: np.ndarray) -> Panel:
    """The panel with the im2col matrix, the kernel as a column, and the column of products."""
    (wide, high), (broad, low) = ROW, COLUMN
    top, middle = 22.0, 22.0 + KERNEL.size * low / 2
    first, column = middle - len(rows) * high / 2, 4 + rows.shape[1] * wide + 24
    answers = column + broad + 24
    parts = [
        _cell(f"r{i}.{j}", 4 + j * wide, first + i * high, wide, high, "", "ghost")
        for i in range(len(rows))
        for j in range(rows.shape[1])
    ]
    for place, value in enumerate(KERNEL.reshape(-1)):
        parts.append(_cell(f"k{place}", column, top + place * low, broad, low, str(value), "hidden"))
    for i in range(len(rows)):
        parts.append(_cell(f"p{i}", answers, first + i * high, 42, high, "", "ghost"))
        parts.append(Part(f"row{i}", rect(4, first + i * high, rows.shape[1] * wide, high, 3), kind="hidden"))
    parts.append(Part("column", rect(column, top, broad, KERNEL.size * low, 3), kind="hidden"))
    ground = words("the windows as rows", 4, first - 13, 11.0, "start", "note")
    ground += words("kernel", column + broad / 2, 9, 11.0, kind="note")
    ground += words("@", column - 12, middle, 14.0) + words("=", answers - 12, middle, 14.0)
    ground += words("product", answers + 21, first - 13, 11.0, kind="note")
    return Panel(answers + 46, 224, "The matrix of windows, four rows of nine; the kernel as a column; their product.",
                 parts, ground)  # fmt: skip


def _cell(key: str, x: float, y: float, width: float, height: float, text: str, kind: str = "") -> Part:
    return Part(key, rect(x, y, width, height, 0), text, x + width / 2, y + height / 2, kind=kind)
