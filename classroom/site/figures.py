"""Put drawn figures (SVG) into their page, so that they have its colours and font; without them it needs no file."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from classroom.site.figure_colours import colours_of, stylesheet

STYLES = "figure-colours.css"
HEAD = re.compile(r"<svg\b[^>]*>", re.S)
TOLD = re.compile(r"\s*<(title|desc)>[^<]*</\1>")
PROLOGUE = re.compile(r"^\s*(<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->)", re.S)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("doctree-resolved", _inline)
    app.connect("build-finished", _write_colours)


def drawing(svg: str, alt: str, number: int) -> str:
    """The HTML of a figure with its text alternative; `number` keeps its ids apart from others'.

    >>> drawing('<svg id="a"><title>T</title><g/></svg>', 'a "g"', 2)
    '<span class="drawing"><svg id="d2-a" role="img" aria-label="a &quot;g&quot;"><g/></svg></span>'
    """
    while found := PROLOGUE.match(svg):
        svg = svg[found.end() :]
    head = HEAD.search(svg)
    if head is None:
        raise ValueError("expected an <svg> element")
    opening = re.sub(r'\s(role|aria-label|xmlns)="[^"]*"', "", head[0])
    opening = f'{opening[:-1]} role="img" aria-label="{html.escape(alt)}">'
    body = TOLD.sub("", TOLD.sub("", svg[head.end() :], count=1), count=1)
    text = re.sub(r'\bid="([^"]+)"', rf'id="d{number}-\1"', opening + body)
    text = re.sub(r"url\(#", f"url(#d{number}-", re.sub(r'href="#', f'href="#d{number}-', text))
    return f'<span class="drawing">{text.strip()}</span>'


def _inline(app: Sphinx, doctree: nodes.document, page: str) -> None:
    seen: set[tuple[str, str]] = app.__dict__.setdefault("course_colours", set())
    for number, image in enumerate(list(doctree.findall(nodes.image)), 1):
        path = Path(app.srcdir, image["uri"])
        if path.suffix != ".svg" or not path.is_file():
            continue
        svg = path.read_text(encoding="utf-8")
        seen |= colours_of(svg)
        text = drawing(svg, image.get("alt", ""), number)
        image.replace_self(nodes.raw("", text, format="html"))


def _write_colours(app: Sphinx, error: Any) -> None:
    if error is None:
        colours = app.__dict__.get("course_colours", set())
        Path(app.outdir, "_static", STYLES).write_text(stylesheet(colours), encoding="utf-8", newline="\n")
