"""The pictures of lesson 15: `python3 course.py dev figures 15` writes them into figures/."""

from __future__ import annotations

from kuiper.show.palette import swatch_of
from kuiper.show.svg import Svg, element, picture, text


def idea() -> Svg:
    """TODO: what is seen."""
    colours = swatch_of("nn.Conv2d")
    box = element("rect", x=10, y=10, width=300, height=60, rx=8, fill=colours.fill, stroke=colours.border)
    return picture(320, 80, "The idea", "TODO: what is seen", box, text("TODO: draw it", 160, 40, 13.0, colours.text))


def draw() -> dict[str, Svg]:
    """Name -> picture."""
    return {"idea": idea()}
