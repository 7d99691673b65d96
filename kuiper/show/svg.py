"""SVG as text: a value that notebooks display, and the few elements that pictures are made of."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path

from kuiper.errors import KuiperError
from kuiper.show.palette import INK, PILL, PILL_TEXT, Swatch

MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
CHARACTER = 0.605
"""Width of one character of a monospaced font, in font sizes."""


class Svg(str):
    """The text of an SVG picture: notebooks display it, `save` writes it to a file.

    >>> Svg('<svg xmlns="http://www.w3.org/2000/svg"/>')
    <Svg of 41 characters>
    """

    __slots__ = ()

    @property
    def text(self) -> str:
        """The SVG as plain text."""
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write the picture to `path`, whose name ends in .svg. Raises KuiperError when it cannot be written."""
        path = svg_path(path)
        try:
            path.write_text(self.text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise KuiperError(f"cannot write the picture to {path}: {error.strerror}") from None
        return path

    def _repr_svg_(self) -> str:
        return self.text

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"<Svg of {len(self)} characters>"


def svg_path(path: str | Path) -> Path:
    """A path whose name ends in .svg, as viewers need. Raises KuiperError for another.

    >>> svg_path("net.svg").name
    'net.svg'
    """
    path = Path(path)
    if path.suffix.lower() != ".svg":
        raise KuiperError(f"expected a name that ends in .svg, found {path}")
    return path


def escape(text: str) -> str:
    """`text` as XML holds it; characters that XML does not know become the replacement character."""
    return html.escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def number(value: float) -> str:
    """Coordinates with one digit after the point, and none where it is zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def element(name: str, *children: str, **attributes: object) -> str:
    """`<name attributes>children</name>`; children are markup already, `font_size` becomes `font-size`."""
    texts = ((key.replace("_", "-"), number(v) if isinstance(v, float) else str(v)) for key, v in attributes.items())
    head = " ".join([name, *(f'{key}="{escape(text)}"' for key, text in texts)])
    return f"<{head}>{''.join(children)}</{name}>" if children else f"<{head}/>"


def text(content: str, x: float, y: float, size: float = 11.0, fill: str = INK, **attributes: object) -> str:
    """One line of text whose middle height is `y`; centred unless `text_anchor` says otherwise; "" for no words."""
    if not content:
        return ""
    attributes = {"text_anchor": "middle", "dominant_baseline": "central", "font_size": size, **attributes}
    return element("text", escape(content), x=float(x), y=float(y), fill=fill, **attributes)


def text_width(content: str, size: float = 11.0) -> float:
    """Width in pixels of a line in the pictures' font."""
    return CHARACTER * size * len(content)


def pill(content: str, x: float, y: float, size: float = 10.0) -> str:
    """A line of text centred at (x, y) on a ground of its own."""
    width, height = pill_width(content, size), size + 5
    ground = element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=height / 2, fill=PILL)
    return ground + text(content, x, y, size, PILL_TEXT)


def legend(kinds: Sequence[Swatch], x: float, y: float, right: float) -> tuple[list[str], float]:
    """A small box and a name for each kind, from (x, y) on, in as many lines as they need; and the top of the last."""
    marks, left = [], x
    for kind in kinds:
        needed = text_width(kind.name) + 34
        if x > left and x + needed > right:
            x, y = left, y + 20
        marks.append(
            element("rect", x=x, y=y, width=14.0, height=14.0, rx=3.0, fill=kind.fill, stroke=kind.border)
            + text(kind.name, x + 20, y + 7.5, text_anchor="start")
        )
        x += needed
    return marks, y


def line(x1: float, y1: float, x2: float, y2: float, width: float, stroke: str = INK, **attributes: object) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **attributes)


def pill_width(content: str, size: float = 10.0) -> float:
    """Width of a pill in pixels."""
    return text_width(content, size) + 12


def shorten(content: str, limit: int) -> str:
    """At most `limit` characters, the middle left out.

    >>> shorten("layer1.0.downsample.conv", 15)
    'layer1.…le.conv'
    """
    if len(content) <= limit:
        return content
    head = limit // 2
    return f"{content[:head]}…{content[len(content) - (limit - head - 1) :]}"


def picture(width: float, height: float, title: str, description: str, *children: str) -> Svg:
    """A whole SVG: transparent ground, and a title and a description for those who cannot see it."""
    width, height = float(round(width)), float(round(height))
    return Svg(
        element(
            "svg",
            "\n",
            element("title", escape(title)),
            element("desc", escape(description)),
            "\n",
            "\n".join(children),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {number(width)} {number(height)}",
            role="img",
            aria_label=f"{title}. {description}",
            font_family=MONO,
        )
    )
