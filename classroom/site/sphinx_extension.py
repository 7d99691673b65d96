"""The Sphinx extension for this site: formulas as MathML, docstrings, operators in the search, links to the source."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from classroom.site import code_links as links
from classroom.site import front, math_font, sources, sphinx_settings
from classroom.site.docstrings import restructured
from classroom.site.tree import SOURCES

logger = logging.getLogger(__name__)

PRIMED = re.compile("<msup>(<m[in]>[^<]*</m[in]>)<m[io]>\u2032</m[io]></msup>")
"""A prime as a superscript: the character is raised already, and would be tiny and too high."""
JOINER = "\u2060"
"""Word joiner: prevents a line break."""
LONG_VALUE = 160
"""Longer values of constants are hidden."""
SHORT = 20
"""Table cells up to this length that contain a number are not wrapped."""
BLOCKS = {"task": ["blocks", "tasks"], "no.": ["blocks", "of-lessons"]}
"""Heading of a table's first column -> classes: its rows are blocks on a narrow screen."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything with Sphinx."""
    app.add_config_value("course_root", "", "env")
    app.add_config_value("course_sources", [], "html")
    app.add_role("operator", operator)
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_display, None))
    app.connect("builder-inited", _dark_code, priority=100)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-skip-member", _skipped)
    app.connect("autodoc-process-signature", _signature)
    app.connect("doctree-read", links.name_annotations)
    app.connect("doctree-read", _short_cells)
    app.connect("doctree-read", _tables_of_blocks)
    app.connect("doctree-read", _without_long_values)
    app.connect("doctree-read", _without_modules)
    app.connect("html-collect-pages", _source_pages)
    app.connect("html-page-context", _math_font, priority=400)
    app.connect("html-page-context", _front, priority=400)
    app.connect("html-page-context", _some, priority=400)
    app.connect("html-page-context", _menu_once, priority=400)
    app.connect("html-page-context", _menu_levels, priority=900)
    app.connect("build-finished", _without_comments, priority=AFTER)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


AFTER = 900
"""Sphinx gives what the configuration lists the priority 800."""


def _without_comments(app: Sphinx, error: Any) -> None:
    """Take the comments out of the style sheets that are made here: readers load them with every page."""
    if error is None:
        for name in ("pygments.css", *sphinx_settings.SHEETS):
            path = Path(app.outdir, "_static", name)
            text = re.sub(r"\s*/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            path.write_text(text, encoding="utf-8", newline="\n")


def _dark_code(app: Sphinx) -> None:
    """Set the dark code style, a setting of Furo's that does not exist yet when conf values are read."""
    app.config.pygments_dark_style = "a11y-high-contrast-dark"


def operator(name: str, raw: str, text: str, line: int, inliner: Any, options: Any = None, content: Any = ()) -> tuple:
    """The role {operator}: an operator type as code, with an anchor, listed in the index and the search."""
    target = nodes.target("", "", ids=[text])
    inliner.document.note_explicit_target(target, target)
    index = addnodes.index(entries=[("single", text, text, "main", None)])
    return [index, target, nodes.literal(raw, text)], []


def mathml(tex: str, block: bool) -> str:
    """Convert a LaTeX formula to MathML. Raises MathError for unsupported commands.

    >>> mathml("x^2", block=False)[:6], "<msup>" in mathml("x^2", block=False)
    ('<math ', True)
    """
    # the converter supports \\bigl( and \\bigr) but not \\big(, and writes H' with a straight apostrophe
    sized = re.sub(r"\\([bB]igg?)(?![A-Za-z])", r"\\\1l", tex)
    primed = re.sub(r"(?<=[A-Za-z)])'(?![A-Za-z'^])", r"^{\\prime}", sized)
    lines = tex2mathml(primed, as_block=block).split("\n")
    drawn = "".join(line.strip() for line in lines)
    drawn = PRIMED.sub("<mrow>\\1<mo lspace='0.1em' rspace='0'>\u2032</mo></mrow>", drawn)
    drawn = drawn.replace('<mo stretchy="false">|</mo>', '<mo stretchy="false" lspace="0" rspace="0">|</mo>')
    drawn = drawn.replace("<mo>&ApplyFunction;</mo>", '<mspace width="0.17em"/>')  # behind sin; XML has no such entity
    return drawn.replace("<math", f"<math data-tex={_quoted(tex)}", 1)


def _quoted(text: str) -> str:
    return '"' + html.escape(" ".join(text.split())) + '"'


def _formula(translator: Any, node: Any, block: bool) -> str:
    try:
        return mathml(node.astext(), block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_formula(translator, node, block=False) + (JOINER if _is_glued(node) else ""))
    raise nodes.SkipNode


def _is_glued(node: nodes.math) -> bool:
    """Whether punctuation follows, which must not start the next line."""
    after = node.next_node(descend=False, siblings=True)
    return after is not None and bool(re.match(r"[^\w\s]", after.astext()))


def _display(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{_formula(translator, node, block=True)}</div>\n')
    raise nodes.SkipNode


def _docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = restructured(lines)


def _skipped(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Skip inherited members: numpy's functions, and the fields of a named tuple."""
    if what != "class":
        return None
    thing = getattr(thing, "__func__", thing)
    foreign = callable(thing) and not str(getattr(thing, "__module__", "kuiper")).startswith("kuiper")
    return True if foreign or str(thing.__doc__).startswith("Alias for field number") else None


def _signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Shorten type names to their last part; drop the signature of protocols, which are not called."""
    if getattr(thing, "_is_protocol", False):
        return "", returned
    return re.sub(r"~(?:\w+\.)+", "", signature) if signature else signature, returned


def _without_long_values(app: Sphinx, doctree: Any) -> None:
    """Hide values of constants that are long or contain memory addresses, which differ between builds."""
    for node in list(doctree.findall(addnodes.desc_annotation)):
        value = node.astext().strip()
        if value.startswith("=") and (len(value) > LONG_VALUE or "<" in value or " at 0x" in value):
            node.parent.remove(node)


def _without_modules(app: Sphinx, doctree: Any) -> None:
    """Remove modules from the index: they have a page of their own that lists them."""
    for node in doctree.findall(addnodes.index):
        node["entries"] = [entry for entry in node["entries"] if not entry[1].startswith("module; ")]


def _short_cells(app: Sphinx, doctree: Any) -> None:
    """Mark short table cells that must not wrap, such as "20.4 (20.2 to 20.7)"."""
    for cell in doctree.findall(nodes.entry):
        words = cell.astext()
        if len(words) <= SHORT and re.search(r"\d", words):
            cell["classes"].append("short")


def _tables_of_blocks(app: Sphinx, doctree: Any) -> None:
    """Mark tables of lessons and of exercises, whose rows a narrow screen shows as blocks."""
    for table in doctree.findall(nodes.table):
        head = table.next_node(nodes.entry)
        table["classes"] += BLOCKS.get(head.astext(), []) if head is not None else []


def _math_font(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the math font to pages with formulas."""
    if doctree is not None and any(doctree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block)))):
        app.add_css_file(math_font.FILE.name)


def _front(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the style sheet of the front page's exhibits to it; its scripts stand beside them."""
    if page == "index":
        app.add_css_file(front.STYLES)


def _some(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the style sheets and scripts that only some pages need to those that do, after those of all pages."""
    for name, mark in sphinx_settings.SOME.items():
        if mark in context.get("body", ""):
            if name.endswith(".css"):
                app.add_css_file(name, priority=AFTER)
            else:
                app.add_js_file(name, AFTER, loading_method="defer")


def _menu_once(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Cache the menu per folder for pages that it does not list: it is the same, and slow to render."""
    if doctree is not None and not page.startswith("api/kuiper"):
        return
    make = context["toctree"]
    where = PurePosixPath(page)
    # the menu has no entry among the sources, so there only the depth matters
    key = len(where.parts) if page.startswith(f"{SOURCES}/") else where.parent
    menus: dict[Any, str] = app.__dict__.setdefault("course_menus", {})

    def menu(**options: Any) -> str:
        if key not in menus:
            menus[key] = make(**options)
        return menus[key]

    context["toctree"] = menu


def _menu_levels(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Set the heading level of the menu's captions for screen readers."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def _source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    root = Path(app.config.course_root)
    if not root.is_dir():
        raise ExtensionError(f"course_root: expected the course's folder, found {root}")
    for path in app.config.course_sources:
        page = PurePosixPath(path)
        body = sources.folder(root, page, app.config.course_sources) if (root / page).is_dir() else None
        yield f"{SOURCES / page}", {"title": path, "body": body or sources.file(root, page)}, "page.html"
