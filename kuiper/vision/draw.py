"""What a network found, drawn on the picture: boxes, masks, and lines of text below it.

Text is in Pillow's own font, which has Latin letters; other writing needs labels in Latin ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kuiper.errors import ShapeError
from kuiper.vision.classify import Guess
from kuiper.vision.colours import Colour, colour, text_on
from kuiper.vision.labels import name_of
from kuiper.vision.pictures import checked, to_pillow
from kuiper.vision.yolo import Detections

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SMALLEST = 0.01
"""Share of the picture from which a mask bears its name."""
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
Entry = tuple[Colour | None, str]
"""A line of the legend: the colour of its swatch, or None, and its text."""


def draw_boxes(picture: np.ndarray, found: Detections, labels: Sequence[str] | None = None) -> np.ndarray:
    """(H,W,3) bytes -> a copy with each box in its class's colour, and "name 0.87" at its top; the best on top.

    Raises ShapeError, KuiperError without Pillow.
    """
    image = to_pillow(picture)
    pen, font = _pen(image), _font(image.size)
    width = max(2, round(sum(image.size) * 0.0015))
    for i in reversed(range(len(found))):
        number = int(found.classes[i])
        x1, y1, x2, y2 = (round(float(v)) for v in found.boxes[i])
        x2, y2 = max(x2 - 1, x1), max(y2 - 1, y1)  # corners lie between pixels, Pillow's rectangles on them
        pen.rectangle((x1 - 1, y1 - 1, x2 + 1, y2 + 1), outline=BLACK, width=width + 2)
        pen.rectangle((x1, y1, x2, y2), outline=colour(number), width=width)
        _tag(pen, font, (x1, y1), f"{name_of(labels, number)} {found.scores[i]:.2f}", colour(number), image.size)
    return np.array(image)


def draw_mask(
    picture: np.ndarray,
    classes: np.ndarray,
    labels: Sequence[str] | None = None,
    *,
    background: int | None = 0,
    opacity: float = 0.5,
) -> np.ndarray:
    """(H,W,3) bytes and (H,W) classes -> (H+legend,W,3): pixels tinted in their class's colour, outlined, and a legend.

    The legend names the classes and their shares of the picture, the largest first. The name also stands on the mask
    itself where the class has at least 1 % of the picture. `background` is a class that stays as it is, without a name.
    Raises ShapeError, KuiperError without Pillow.
    """
    picture, classes = checked(picture), np.asarray(classes)
    if classes.shape != picture.shape[:2] or classes.dtype.kind not in "biu":
        raise ShapeError("classes", f"{picture.shape[:2]} whole numbers", f"{classes.shape} of {classes.dtype}")
    numbers, counts = np.unique(classes, return_counts=True)
    pixels = picture.astype(np.float32)
    edge = _edges(classes)
    entries: list[Entry] = []
    names: list[tuple[tuple[int, int], str]] = []
    for at in np.argsort(-counts, kind="stable"):
        number = int(numbers[at])
        if number == background:
            continue
        inside = classes == number
        pixels[inside] += (np.array(colour(number), np.float32) - pixels[inside]) * opacity
        pixels[inside & edge] = colour(number)
        name = name_of(labels, number)
        entries.append((colour(number), f"{name} {counts[at] / classes.size:.1%}"))
        if counts[at] >= SMALLEST * classes.size:
            names.append((_middle(inside), name))
    image = to_pillow(np.rint(pixels).astype(np.uint8))
    pen, font = _pen(image), _font(image.size)
    for place, name in names:
        pen.text(place, name, fill=WHITE, font=font, anchor="mm", stroke_width=2, stroke_fill=BLACK)
    return add_legend(np.asarray(image), entries or [(None, "nothing but background")])


def draw_guesses(picture: np.ndarray, guesses: Sequence[Guess]) -> np.ndarray:
    """(H,W,3) bytes -> (H+legend,W,3): the picture, and below it each class with its probability; see add_legend."""
    return add_legend(picture, [(None, f"{guess.label} {guess.probability:.1%}") for guess in guesses])


def add_legend(picture: np.ndarray, entries: Sequence[Entry]) -> np.ndarray:
    """(H,W,3) bytes -> (H+legend,W,3): entries side by side on white below the picture, as many in a row as fit.

    Where an entry is wider than the picture, white at the right makes room for it.
    """
    image = to_pillow(picture)
    pen, font = _pen(image), _font(image.size)
    line = sum(font.getmetrics())
    gap, swatch = line // 2, line
    x, y, places = gap, gap, []
    widths = [round(pen.textlength(text, font=font)) + (swatch + gap // 2 if ground else 0) for ground, text in entries]
    missing = max(0, *(width + 2 * gap - image.width for width in widths)) if widths else 0
    for width in widths:
        if x > gap and x + width + gap > image.width:
            x, y = gap, y + line + gap
        places.append((x, y))
        x += width + 2 * gap
    strip = to_pillow(np.full((y + line + gap, image.width + missing, 3), 255, np.uint8))
    pen = _pen(strip)
    for (ground, text), (x, y) in zip(entries, places):
        if ground:
            pen.rectangle((x, y, x + swatch - 1, y + line - 1), fill=ground, outline=BLACK)
            x += swatch + gap // 2
        pen.text((x, y), text, fill=BLACK, font=font)
    wide = np.pad(np.asarray(image), ((0, 0), (0, missing), (0, 0)), constant_values=255)
    return np.concatenate([wide, np.asarray(strip)])


def _tag(pen: ImageDraw, font: Any, corner: tuple[int, int], text: str, ground: Colour, size: tuple[int, int]) -> None:
    """Text on a ground of its own above the box's corner; inside the box where the picture ends."""
    width, height = round(pen.textlength(text, font=font)) + 6, sum(font.getmetrics()) + 2
    x = max(0, min(corner[0] - 1, size[0] - width))
    y = corner[1] - height if corner[1] >= height else max(0, min(corner[1], size[1] - height))
    pen.rectangle((x, y, x + width - 1, y + height - 1), fill=ground)
    pen.text((x + 3, y + 1), text, fill=text_on(ground), font=font)


def _pen(image: Any) -> ImageDraw:
    from PIL import ImageDraw

    return ImageDraw.Draw(image)


def _font(size: tuple[int, int]) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(max(12, round(sum(size) * 0.0125)))


def _edges(classes: np.ndarray) -> np.ndarray:
    """(H,W) -> (H,W) bool: whether the pixel above, below, left or right is of another class."""
    edge = np.zeros(classes.shape, bool)
    down, right = classes[1:] != classes[:-1], classes[:, 1:] != classes[:, :-1]
    edge[1:] |= down
    edge[:-1] |= down
    edge[:, 1:] |= right
    edge[:, :-1] |= right
    return edge


def _middle(inside: np.ndarray) -> tuple[int, int]:
    """(H,W) bool -> (x, y): of the pixels inside, the one that is nearest to their mean."""
    rows, columns = np.nonzero(inside)
    nearest = ((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2).argmin()
    return int(columns[nearest]), int(rows[nearest])
