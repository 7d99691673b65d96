"""Terms of the glossary on the pages that link to them, so that a definition opens where it is needed."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from classroom.site.links import slug

GLOSSARY = "lessons/glossary"
LINK = re.compile(r'<a class="reference internal" href="((?:[^"#]*/)?glossary\.html#([^"]+))"')
TERM = re.compile(r"^### +(.+?)\s*$\n+(.*?)(?=^### |^<a id|\Z)", re.M | re.S)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", _terms, priority=750)


def definitions(text: str) -> dict[str, tuple[str, str]]:
    """The glossary's Markdown -> anchor: (term, definition as HTML with code and without links).

    >>> definitions("# Glossary\\n\\n### arity\\n\\nHow many `x`; see [add](a.md).\\n")
    {'arity': ('arity', 'How many <code>x</code>; see add.')}
    """
    found = {}
    for term, words in TERM.findall(text):
        line = html.escape(" ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).split()), quote=False)
        line = re.sub(r"\*(?! )([^*]+)\*", r"<i>\1</i>", re.sub(r"`([^`]+)`", r"<code>\1</code>", line))
        found[slug(term)] = (term, line)
    return found


def _terms(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    body = context.get("body", "")
    if doctree is None or page == GLOSSARY or "glossary.html#" not in body:
        return
    known = app.__dict__.get("course_terms")
    if known is None:
        file = Path(app.config.course_root, f"{GLOSSARY}.md")
        known = app.__dict__["course_terms"] = definitions(file.read_text(encoding="utf-8"))
    used: dict[str, tuple[str, str]] = {}

    def renew(found: re.Match[str]) -> str:
        if found[2] not in known:
            return found[0]
        used[found[2]] = known[found[2]]
        return f'<a class="reference internal glossary-term" href="{found[1]}"'

    body = LINK.sub(renew, body)
    if used:
        data = json.dumps(used, ensure_ascii=False).replace("</", "<\\/")
        body += f'<script type="application/json" id="glossary-terms">{data}</script>\n'
    context["body"] = body
