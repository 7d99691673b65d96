"""Put drawn figures (SVG) into their page, in its colours and font; pictures load when they come near."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from classroom.site.figure_colours import colours_of, stylesheet

STYLES = "figure-colours.css"
HEAD = re.compile(r"<svg\b[^>]*>", re.S)
TOLD = re.compile(r"\s*<(title|desc)>[^<]*</\1>")
PROLOGUE = re.compile(r"^\s*(<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->)", re.S)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("doctree-resolved", _inline)
    app.connect("html-page-context", _near, priority=600)
    app.connect("build-finished", _write_colours)


def drawing(svg: str, alt: str, number: int) -> str:
    """The HTML of a figure with its text alternative; `number` keeps its ids apart from others'.

    >>> drawing('<svg id="a"><title>T</title><g/></svg>', 'a "g"', 2)
    '<span class="drawing"><svg id="d2-a" class="ink" role="img" aria-label="a &quot;g&quot;"><g/></svg></span>'
    """
    while found := PROLOGUE.match(svg):
        svg = svg[found.end() :]
    head = HEAD.search(svg)
    if head is None:
        raise ValueError("expected an <svg> element")
    own = re.search(r'\saria-label="([^"]+)"', head[0]) or re.search(r"<title[^>]*>([^<]+)</title>", svg)
    alt = alt or (html.unescape(own[1]) if own else "A drawing that this cell made")
    opening = re.sub(r'\s(role|aria-label|xmlns)="[^"]*"', "", head[0])
    opening = f'{opening[:-1]} class="ink" role="img" aria-label="{html.escape(alt)}">'
    body = TOLD.sub("", TOLD.sub("", svg[head.end() :], count=1), count=1)
    text = re.sub(r'\bid="([^"]+)"', rf'id="d{number}-\1"', opening + body)
    text = re.sub(r"url\(#", f"url(#d{number}-", re.sub(r'href="#', f'href="#d{number}-', text))
    return f'<span class="drawing">{shared_once(text.strip())}</span>'


def shared_once(svg: str) -> str:
    """The SVG with what most of its texts say alike said once, by the whole; it looks the same.

    >>> shared_once('<svg><text font-size="9">a</text><text font-size="9">b</text><text font-size="8">c</text></svg>')
    '<svg font-size="9"><text>a</text><text>b</text><text font-size="8">c</text></svg>'
    """
    texts = re.findall(r"<text\b[^>]*>", svg)
    for name in ("text-anchor", "font-size"):
        values = [found[0] for text in texts if (found := re.findall(rf'\s{name}="[^"]*"', text))]
        if not texts or len(values) < len(texts) or name in svg[: svg.index(">")]:
            continue
        common = max(sorted(set(values)), key=values.count)
        svg = re.sub(rf"(<text\b[^>]*?){re.escape(common)}(?=[\s>])", r"\1", svg)
        svg = svg.replace(">", f"{common}>", 1)
    return svg


def near(body: str, sources: Mapping[str, Path]) -> str:
    """The HTML with pictures that load when the reader comes near, and their sizes; `sources` : name -> file."""

    def renew(found: re.Match[str]) -> str:
        path = sources.get(found[2])
        if path is None or "loading=" in found[0]:
            return found[0]
        with Image.open(path) as picture:
            width, height = picture.size
        sized = "" if "width" in found[0] else f' width="{width}" height="{height}"'
        return f'<img loading="lazy"{sized}{found[1]}'

    return re.sub(r'<img\b((?=[^>]*\ssrc="[^"]*_images/([^"/]+\.(?:png|jpe?g))")[^>]*>)', renew, body)


def _near(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    if doctree is not None and "_images/" in context.get("body", ""):
        files = {name: Path(app.srcdir, uri) for uri, name in app.builder.images.items()}
        context["body"] = near(context["body"], files)


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
