"""What the search can find: a record per section of a lesson or guide, exercise, term, operator and name of the API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from classroom.site.search.words import SYNONYMS

DATA = "search-data.js"
STATIC = Path(__file__).with_name("static")
KINDS = ("lesson", "exercise", "term", "operator", "guide", "network", "teaching", "API")
"""What a record is, as the page of results names it; static/search.js has what each counts."""
GUIDES = ("first_steps", "framework", "viewer")
"""What students are to read besides; other pages of text are for those who teach or take part."""
LEFT_OUT = ("index", "lessons/index", "homework/index", "api/index", "CHANGELOG", "search", "genindex")
SPHINX_SCRIPTS = ("doctools.js", "sphinx_highlight.js")
LONGEST = 1500
"""Characters of a record's text: longer ones are cut, but all their words stay among `names`."""


@dataclass(frozen=True)
class Record:
    """Something that can be found.

    kind : one of KINDS. title : its heading. page : the title of its page. address : page and anchor, from the site's
    root. text : what it says, of which results show a part. names : more words that find it, such as names in its code.
    """

    kind: str
    title: str
    page: str
    address: str
    text: str
    names: str = ""


def setup(app: Sphinx) -> None:
    """Register with Sphinx, in place of its own search."""
    app.connect("builder-inited", _without_sphinx_search)
    app.connect("html-collect-pages", _page)
    app.connect("html-page-context", _without_its_scripts, priority=900)
    app.connect("build-finished", _write)


def _without_sphinx_search(app: Sphinx) -> None:
    app.builder.search = False  # type: ignore[attr-defined]


def _without_its_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Leave out the scripts that mark what Sphinx's search found, and those that they need."""
    context["script_files"] = [
        one for one in context["script_files"] if not str(getattr(one, "filename", one)).endswith(SPHINX_SCRIPTS)
    ]


def _page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    yield "search", {"title": "Search"}, "search.html"


def _write(app: Sphinx, error: Any) -> None:
    static = Path(app.outdir, "_static")
    for name in ("searchtools.js", "language_data.js"):
        (static / name).unlink(missing_ok=True)
    if error is None:
        found = [record for name in sorted(app.env.found_docs) for record in of_page(name, app.env.get_doctree(name))]
        (static / DATA).write_text(script(found), encoding="utf-8", newline="\n")


def script(records: list[Record]) -> str:
    """The JavaScript that sets KUIPER_SEARCH to the records and the synonyms."""
    rows = [[KINDS.index(one.kind), *list(asdict(one).values())[1:]] for one in records]
    value = {"kinds": KINDS, "records": rows, "synonyms": SYNONYMS}
    return f"globalThis.KUIPER_SEARCH = {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"


def kind_of(page: str) -> str:
    """What the records of a page are, "" if they are not to be found.

    >>> kind_of("lessons/04_graph/04_graph"), kind_of("homework/04_graph/README"), kind_of("homework/README")
    ('lesson', 'exercise', 'teaching')
    """
    parts = PurePosixPath(page).parts
    if page in LEFT_OUT or parts[-1] == "worksheet":
        return ""
    if parts[0] == "lessons":
        return "term" if parts[-1] == "glossary" else "lesson"
    if parts[0] == "homework":
        return "exercise" if len(parts) > 2 else "teaching"
    if page == "docs/operators":
        return "operator"
    if parts[0] in ("api", "kuiper"):
        return "API"
    if page in GUIDES:
        return "guide"
    return "network" if parts[0] in ("models", "benchmarks") else "teaching"


def of_page(page: str, doctree: nodes.document) -> Iterator[Record]:
    """The records of one page."""
    kind, title = kind_of(page), doctree.next_node(nodes.title)
    if not kind or title is None:
        return
    address, name = f"{page}.html", title.astext()
    if kind == "API" and page.startswith("api/"):
        yield from _of_module(name, address, doctree)
        return
    if kind == "operator":
        yield from _of_operators(name, address, doctree)
        return
    for section in doctree.findall(nodes.section):
        head = section.next_node(nodes.title)
        text, names = _said(section)
        anchor = "" if section.parent is doctree else f"#{section['ids'][0]}"
        if head is not None and (text or names) and not (kind == "term" and not anchor):
            yield Record(kind, head.astext(), name, address + anchor, text, f"{names} {_above(section)}".strip())


def _above(section: nodes.section) -> str:
    """The heading of the section that a sub-section stands in, such as Hints; "" if that is the page's title."""
    outer = section.parent
    head = outer.next_node(nodes.title) if isinstance(outer, nodes.section) else None
    return head.astext() if head is not None and isinstance(outer.parent, nodes.section) else ""


def _said(section: nodes.section) -> tuple[str, str]:
    """What a section says without its sub-sections: its text, and the other words in it and its code."""
    text, names = [], set()
    for child in section.children:
        if isinstance(child, (nodes.section, nodes.title)):
            continue
        for one in child.findall(lambda node: isinstance(node, (nodes.paragraph, nodes.entry))):
            if not isinstance(one, nodes.entry):
                text.append(" ".join(one.astext().split()))
        for one in child.findall(nodes.literal_block):
            names |= set(re.findall(r"[A-Za-z_][A-Za-z_0-9.]{2,}", one.astext()))
    joined = " ".join(text)
    names |= set(re.findall(r"\w{3,}", joined[LONGEST:].lower()))
    return joined[:LONGEST], " ".join(sorted(names))


def _of_module(name: str, address: str, doctree: nodes.document) -> Iterator[Record]:
    """A module, and every name that it documents."""
    words = [one.astext() for one in doctree.findall(nodes.paragraph) if one.parent.tagname == "section"]
    first = next((text for text in words if not text.startswith("In ")), "")
    yield Record("API", name, "API", address, " ".join(first.split()))
    for signature in doctree.findall(addnodes.desc_signature):
        ids = signature.get("ids", ())
        if not ids or not isinstance(signature.parent, addnodes.desc):
            continue
        content = next(iter(signature.parent.findall(addnodes.desc_content)), None)
        paragraph = next(iter(content.findall(nodes.paragraph)), None) if content is not None else None
        text = " ".join(paragraph.astext().split()) if paragraph is not None else ""
        yield Record("API", ids[0].removeprefix(f"{name}."), name, f"{address}#{ids[0]}", text[:200])


def _of_operators(name: str, address: str, doctree: nodes.document) -> Iterator[Record]:
    """The operator types of the table, each with what it computes."""
    for row in doctree.findall(nodes.row):
        cells = [" ".join(cell.astext().split()) for cell in row.findall(nodes.entry)]
        for target in row.findall(nodes.target):
            for anchor in target["ids"]:
                yield Record("operator", anchor, name, f"{address}#{anchor}", cells[-1], cells[2])
