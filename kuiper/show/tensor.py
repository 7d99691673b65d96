"""A tensor as a picture: one heat map per channel, with numbers while they can be read."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.errors import ShapeError
from kuiper.show import palette
from kuiper.show.palette import INK
from kuiper.show.svg import Svg, element, number, picture, text, text_width
from kuiper.tensor import Tensor

NUMBERS_UP_TO = 16
"""Rows and columns up to which each number is written out."""
CHANNELS, PAGE, MARGIN, GAP = 8, 860.0, 16.0, 18.0
IMAGE, SAMPLES = 200, 256
"""Least side of a map without numbers in pixels, and the most rows or columns of one."""


def show_tensor(x: Any, *, title: str | None = None, names: Sequence[str] = ()) -> Svg:
    """(W,), (H,W) or (C,H,W), a Tensor or an array -> heat maps, channels side by side.

    Colours run from the smallest to the largest number; where negative ones occur, white is zero, blue below and
    orange above. nan, inf and -inf have colours of their own and are counted. Complex numbers appear by magnitude.
    `names` : what to call the channels, in their order; those without one are "channel 0", ...
    Raises ShapeError for other ranks.

    >>> "3.14" in show_tensor(np.array([[3.14, 0], [1, 2]])).text
    True
    """
    array = np.asarray(x.data if isinstance(x, Tensor) else x)
    if not 1 <= array.ndim <= 3 or array.dtype.kind not in "biufc":
        raise ShapeError("show_tensor", "numbers with 1 to 3 axes (one sample of a batch, x[0])",
                         f"shape {array.shape} of {array.dtype}")  # fmt: skip
    channels = (np.abs(array) if array.dtype.kind == "c" else array)[(np.newaxis,) * (3 - array.ndim)]
    scale = _Scale(channels)
    facts = (
        f"{'x'.join(map(str, array.shape))} {array.dtype.name}{' magnitudes' * (array.dtype.kind == 'c')}{scale.facts}"
    )

    maps, x_end, y = _maps(channels, scale, MARGIN + (50.0 if title else 28.0), names)
    head = [text(title, MARGIN, MARGIN + 8, 15.0, text_anchor="start", font_weight="bold")] if title else []
    head.append(text(facts, MARGIN, MARGIN + (31.0 if title else 7.0), text_anchor="start"))
    if len(channels) > CHANNELS:
        maps.append(text(f"... {len(channels) - CHANNELS} more channels", MARGIN, y + 6, text_anchor="start"))
        y += 24
    if scale.known:
        maps.append(scale.bar(MARGIN, y))
        y += 30
    width = max(x_end, MARGIN + text_width(facts), MARGIN + text_width(title or "", 15), 2 * MARGIN + 140)
    description = f"Heat maps of {min(len(channels), CHANNELS)} of {len(channels)} channels."
    return picture(width + MARGIN, y + MARGIN - 6, title or f"Tensor {facts}", description, *head, *maps)


class _Scale:
    """Which number has which colour."""

    def __init__(self, values: np.ndarray) -> None:
        finite = values[np.isfinite(values)]
        self.known = finite.size > 0
        low, high = (finite.min(), finite.max()) if self.known else (0, 0)
        others = [(int(count), name) for count, name in zip(_count_others(values), ("nan", "inf", "-inf")) if count]
        self.facts = f", {_written(low)} to {_written(high)}" if self.known else ""
        self.facts += "".join(f", {count} {name}" for count, name in others)
        diverging = bool(low < 0)
        self.colors = palette.DIVERGING if diverging else palette.SEQUENTIAL
        self.high = max(abs(float(low)), abs(float(high))) if diverging else float(high)
        self.low = -self.high if diverging else float(low)
        self.marks = [_written(self.low), "0", _written(self.high)] if diverging else [_written(low), _written(high)]

    def levels(self, values: np.ndarray) -> np.ndarray:
        """The colour's index for each number."""
        values = values.astype(np.float64)
        finite = np.isfinite(values)
        half_range = self.high / 2 - self.low / 2 or 1.0
        share = (np.where(finite, values, self.low) / 2 - self.low / 2) / half_range
        levels = np.rint(share.clip(0, 1) * (palette.LEVELS - 1)).astype(np.uint8)
        levels[np.isnan(values)] = palette.NAN
        levels[values == np.inf] = palette.PLUS_INF
        levels[values == -np.inf] = palette.MINUS_INF
        return levels

    def bar(self, x: float, y: float, width: float = 140.0, steps: int = 28) -> str:
        """The colours from low to high, with the numbers at the ends (and zero in the middle)."""
        step = width / steps
        parts = [
            element("rect", x=x + i * step, y=y, width=step + 0.3, height=10.0,
                    fill=palette.hexadecimal(self.colors[round(i * (palette.LEVELS - 1) / (steps - 1))]))
            for i in range(steps)
        ]  # fmt: skip
        parts.append(element("rect", x=x, y=y, width=width, height=10.0, fill="none", stroke=INK, stroke_width=0.6))
        anchors = ["start", "middle", "end"] if len(self.marks) == 3 else ["start", "end"]
        for i, (mark, anchor) in enumerate(zip(self.marks, anchors)):
            parts.append(text(mark, x + i * width / (len(self.marks) - 1), y + 19, 10.0, text_anchor=anchor))
        return element("g", *parts)


def _count_others(values: np.ndarray) -> tuple[int, int, int]:
    return int(np.isnan(values).sum()), int((values == np.inf).sum()), int((values == -np.inf).sum())


def _maps(channels: np.ndarray, scale: _Scale, y: float, names: Sequence[str] = ()) -> tuple[list[str], float, float]:
    """The channels' maps from left to right in as many lines as the page needs; where they end in x and in y."""
    if channels.size == 0:
        return [text("no elements", MARGIN, y + 6, text_anchor="start")], 0.0, y + 24
    channels = channels[:CHANNELS]
    written = [_written(value) for value in channels.flat] if max(channels.shape[1:]) <= NUMBERS_UP_TO else []
    cell = max([text_width(word, 10) + 10 for word in written] + [26.0])
    x, widest, bottom, parts = MARGIN, MARGIN, y, []
    caption = 18.0 if len(channels) > 1 else 0.0
    for index, values in enumerate(channels):
        picture_of, width, height = _cells(values, scale, cell) if written else _image(values, scale)
        if x > MARGIN and x + width > PAGE:
            x, y = MARGIN, bottom + GAP
        name = names[index] if index < len(names) else f"channel {index}"
        label = text(name, x, y + 6, 10.0, text_anchor="start") if caption else ""
        parts.append(label + element("g", picture_of, transform=f"translate({number(x)} {number(y + caption)})"))
        x += max(width, 70.0 if caption else 0.0, text_width(name, 10) if caption else 0.0) + GAP
        widest, bottom = max(widest, x - GAP), y + caption + height
    return parts, widest, bottom + GAP


def _cells(values: np.ndarray, scale: _Scale, width: float) -> tuple[str, float, float]:
    """(H, W) -> a grid of cells, each `width` wide, with the numbers in them; its width and its height."""
    rows, cols = values.shape
    height, parts = 26.0, []
    for (i, j), level in np.ndenumerate(scale.levels(values)):
        color = scale.colors[level]
        x, y = j * width, i * height
        parts.append(element("rect", x=x, y=y, width=width, height=height, fill=palette.hexadecimal(color), stroke=INK,
                             stroke_width=0.6))  # fmt: skip
        parts.append(text(_written(values[i, j]), x + width / 2, y + height / 2, 10.0, palette.text_on(color)))
    return "".join(parts), cols * width, rows * height


def _image(values: np.ndarray, scale: _Scale) -> tuple[str, float, float]:
    """(H, W) -> one coloured pixel per number, or for every k-th of a large map; its width and its height."""
    down, right = (-(-size // SAMPLES) for size in values.shape)
    levels = scale.levels(values[::down, ::right])
    zoom = IMAGE // max(values.shape) or SAMPLES / max(values.shape)
    height, width = (max(size * zoom, 24.0) for size in values.shape)
    data = base64.b64encode(_png(levels, scale.colors)).decode()
    parts = [
        element("image", width=width, height=height, href=f"data:image/png;base64,{data}", preserveAspectRatio="none",
                style="image-rendering:pixelated"),
        element("rect", width=width, height=height, fill="none", stroke=INK, stroke_width=0.6),
    ]  # fmt: skip
    if down > 1 or right > 1:
        parts.append(text(f"1 row in {down}, 1 column in {right}", 0, height + 9, 10.0, text_anchor="start"))
        height += 18
    return "".join(parts), width, height


def _png(levels: np.ndarray, colors: np.ndarray) -> bytes:
    """(H, W) indices and (256, 3) colours -> a PNG file. Source: https://www.w3.org/TR/png-3/"""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows, cols = levels.shape
    header = struct.pack(">IIBBBBB", cols, rows, 8, 3, 0, 0, 0)
    lines = np.pad(levels, ((0, 0), (1, 0))).tobytes()
    body = chunk(b"IHDR", header) + chunk(b"PLTE", colors.tobytes()) + chunk(b"IDAT", zlib.compress(lines, 9))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def _written(value: Any) -> str:
    """At most seven characters or so: whole numbers in full, others with three digits."""
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(int(value)) if abs(int(value)) < 10**6 else f"{float(value):.3g}"
    return f"{float(value) + 0.0:.3g}"
