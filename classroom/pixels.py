"""Recognise arrays that are pictures, and draw them."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kuiper.show import Svg

SIDE, SAMPLES, MARGIN, HEAD = 200, 256, 16.0, 50.0
"""As in show_tensor, beside whose maps a picture stands: its longer side, most rows or columns, the room around it."""


def is_picture(value: Any) -> bool:
    """Whether the value is a colour picture by its type alone: (H,W,3) of uint8."""
    return isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.ndim == 3 and value.shape[-1] == 3


def channel_axis(array: np.ndarray, pictures: bool) -> int | None:
    """The channel axis of one picture (H,W,3) or (3,H,W); None if it is not a picture.

    pictures : whether the exercise is about pictures, so that other dtypes, and channels first, count as pictures.
    """
    if array.ndim != 3 or array.dtype.kind not in "uif" or array.size == 0:
        return None
    if is_picture(array) or (pictures and array.shape[-1] == 3):
        return 2
    return 0 if pictures and array.shape[0] == 3 else None


def draw_picture(array: np.ndarray, axis: int, low: float, high: float, title: str) -> Svg:
    """A picture with channels on that axis -> SVG; `low` is black and `high` white."""
    from kuiper.show.palette import INK
    from kuiper.show.svg import element, picture, text, text_width
    from kuiper.vision.pictures import to_pillow

    values = np.moveaxis(array, axis, 2)
    step = -(-max(values.shape[:2]) // SAMPLES)
    with np.errstate(all="ignore"):
        shares = (values[::step, ::step].astype(np.float64) - low) / ((high - low) or 1.0)
    pixels = np.rint(np.nan_to_num(shares, nan=0.0).clip(0, 1) * 255).astype(np.uint8)
    file = io.BytesIO()
    to_pillow(pixels).save(file, "PNG")
    rows, columns = values.shape[:2]
    zoom = SIDE // max(rows, columns) or SAMPLES / max(rows, columns)
    width, height = float(columns * zoom), float(rows * zoom)
    facts = f"{'x'.join(map(str, array.shape))} {array.dtype}"
    href = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    place = {"x": MARGIN, "y": MARGIN + HEAD, "width": width, "height": height}
    return picture(
        2 * MARGIN + max(width, text_width(facts), text_width(title, 15)),
        2 * MARGIN + HEAD + height,
        title,
        f"A picture, {facts}.",
        text(title, MARGIN, MARGIN + 8, 15.0, text_anchor="start", font_weight="bold"),
        text(facts, MARGIN, MARGIN + 31, text_anchor="start"),
        element("image", href=href, preserveAspectRatio="none", style="image-rendering:pixelated", **place),
        element("rect", fill="none", stroke=INK, stroke_width=0.6, **place),
    )


def scale_of(array: np.ndarray) -> tuple[float, float]:
    """The values of black and white: 0 and 255 for bytes; else 0 and 1, or 0 and 255, if all values lie between."""
    if array.dtype == np.uint8:
        return 0.0, 255.0
    finite = array[np.isfinite(array)]
    least, largest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return next(((0.0, top) for top in (1.0, 255.0) if least >= 0 and largest <= top), (least, largest))
