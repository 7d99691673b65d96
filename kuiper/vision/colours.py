"""A colour for each class: eyes that confuse red and green tell them apart too."""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green, blue, 0..255."""

BASE: tuple[Colour, ...] = (
    (0, 114, 178),  # blue
    (213, 94, 0),  # vermilion
    (0, 158, 115),  # green
    (230, 159, 0),  # orange
    (86, 180, 233),  # sky
    (204, 121, 167),  # purple
    (240, 228, 66),  # yellow
)
"""The palette of M. Okabe and K. Ito, https://jfly.uni-koeln.de/color/, without its black."""

SHADES = ((0, 0.0), (0, 0.45), (255, 0.5))
"""Mixed with so much of black or white once BASE is used up; after all of them the colours come round again."""


def colour(number: int) -> Colour:
    """The colour of a class.

    >>> colour(0), colour(7), colour(21)
    ((0, 114, 178), (0, 63, 98), (0, 114, 178))
    """
    other, share = SHADES[number // len(BASE) % len(SHADES)]
    red, green, blue = (round(c * (1 - share) + other * share) for c in BASE[number % len(BASE)])
    return red, green, blue


def text_on(ground: Colour) -> Colour:
    """Black or white, whichever stands out more.

    >>> text_on((0, 0, 120)), text_on((240, 228, 66))
    ((255, 255, 255), (0, 0, 0))
    """
    light = luminance(ground)
    return (255, 255, 255) if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else (0, 0, 0)


def luminance(colour: Colour) -> float:
    """How light a colour is, 0..1.

    Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
    """
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (x / 255 for x in colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
