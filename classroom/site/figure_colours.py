"""The colours of drawn figures, whose class is "ink", on a light and on a dark page.

A figure in a notebook is drawn so that it can be read on white and on black. On the site the page is known: its
colours become CSS variables. On a light page their values are the figure's own; on a dark one their lightness is turned
round: dark text on a pale box becomes light text on a dim one, of the same hue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kuiper.show.palette import INK

ON_LIGHT, ON_DARK = {INK: "#59636e"}, {INK: "#aab4be"}
"""What is told from white and black alike can be told better from the one."""
DARKEST, LIGHTEST = 0.24, 1.12
"""Lightness in OKLab of what is white, and of what is black, on a dark page; above 1 it is white."""
COLOUR = re.compile(r'\b(fill|stroke|stop-color|flood-color)="(#(?:[0-9a-fA-F]{3}){1,2})"')
_TO_CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
             (0.0883024619, 0.2817188376, 0.6299787005))  # fmt: skip
_TO_LAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
           (0.0259040371, 0.7827717662, -0.8086757660))  # fmt: skip
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES = ((4.0767416621, -3.3077115913, 0.2309699292), (-1.2684380046, 2.6097574011, -0.3413193965),
               (-0.0041960863, -0.7034186147, 1.7076147010))  # fmt: skip
Vector = tuple[float, float, float]


def on_light(colour: str) -> str:
    """`#rrggbb` as a figure has it -> what it is on a light page."""
    return ON_LIGHT.get(colour, colour)


def on_dark(colour: str) -> str:
    """`#rrggbb` as a figure has it -> what it is on a dark page: the same hue, light for dark and dark for light.

    Source: Ottosson, "A perceptual color space for image processing" (2020), https://bottosson.github.io/posts/oklab/

    >>> on_dark("#ffffff"), on_dark("#000000")
    ('#1f1f1f', '#ffffff')
    """
    if colour in ON_DARK:
        return ON_DARK[colour]
    lightness, a, b = _lab(colour)
    return _rgb((min(LIGHTEST - (LIGHTEST - DARKEST) * lightness, 1.0), a, b))


def _times(matrix: tuple[Vector, ...], x: Vector) -> Vector:
    first, second, third = (sum(one * two for one, two in zip(row, x, strict=True)) for row in matrix)
    return first, second, third


def _lab(colour: str) -> Vector:
    linear = []
    for at in (1, 3, 5):
        value = int(full(colour)[at : at + 2], 16) / 255
        linear.append(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)
    one, two, three = (value ** (1 / 3) for value in _times(_TO_CONES, (linear[0], linear[1], linear[2])))
    return _times(_TO_LAB, (one, two, three))


def _rgb(lab: Vector) -> str:
    one, two, three = (value**3 for value in _times(_FROM_LAB, lab))
    channels = []
    for value in _times(_FROM_CONES, (one, two, three)):
        shown = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
        channels.append(round(255 * min(max(shown, 0.0), 1.0)))
    return "#" + bytes(channels).hex()


def full(colour: str) -> str:
    """
    >>> full("#FAB"), full("#0123aB")
    ('#ffaabb', '#0123ab')
    """
    digits = colour[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(2 * digit for digit in digits))


def colours_of(svg: str) -> set[tuple[str, str]]:
    """The pairs (attribute, colour) in an SVG, as it has them.

    >>> colours_of('<g fill="#FFF" stroke="none"/>')
    {('fill', '#FFF')}
    """
    return set(COLOUR.findall(svg))


def stylesheet(pairs: Iterable[tuple[str, str]]) -> str:
    """The style sheet that gives these attributes of figures their colours by page; paper is light.

    Where it is missing a figure has the colours that it was drawn with.
    """
    pairs = sorted(pairs)
    colours = {colour: f"--c{number:x}" for number, colour in enumerate(sorted({full(colour) for _, colour in pairs}))}
    used = "".join(
        f'.ink [{name}="{colour}"]{{{name}:var({colours[full(colour)]},{colour})}}\n' for name, colour in pairs
    )
    light = "".join(f"{name}:{on_light(one)};" for one, name in colours.items() if on_light(one) != one)
    dark = "".join(f"{name}:{on_dark(one)};" for one, name in colours.items())
    return (
        "/* Made with the site: the colours of its figures, by page. */\n"
        f"{used}body{{{light}}}\n"
        f'@media screen{{body[data-theme="dark"]{{{dark}}}}}\n'
        f'@media screen and (prefers-color-scheme: dark){{body:not([data-theme="light"]){{{dark}}}}}\n'
    )
