"""Source pages: files with line numbers, highlighted if Pygments knows the language."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from classroom.site.tree import SOURCES, way

LEXERS = {".py": "python", ".toml": "toml", ".md": "markdown", ".json": "json", ".yml": "yaml", ".sh": "bash"}


def file(root: Path, path: PurePosixPath) -> str:
    """A text file as HTML; line N has the anchor LN."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    text = (root / path).read_text(encoding="utf-8", errors="replace")
    form = HtmlFormatter(linenos="inline", lineanchors="L", cssclass="highlight")
    code = highlight(text, get_lexer_by_name(LEXERS.get(path.suffix, "text")), form)
    # Pygments writes L-1; the anchors of the API pages are L1
    code = code.replace('id="L-', 'id="L').replace('name="L-', 'name="L').replace('href="#L-', 'href="#L')
    notes = "".join(f"<p>{note}</p>" for note in _notes(path))
    return f'<h1>{_heading(path)}</h1>{notes}<div class="source">{code}</div>'


def _heading(path: PurePosixPath) -> str:
    """The path, with line-break opportunities after folders and between words."""
    return re.sub(r"(?<=/)(?=.)|(?<=[^_/]_)(?=[^_])", "<wbr>", html.escape(str(path)))


def _notes(path: PurePosixPath) -> list[str]:
    page = SOURCES / f"{path}.html"
    if path.parts[0] == "kuiper" and path.suffix == ".py" and not path.name.startswith("__main"):
        parts = path.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not module.startswith(("kuiper.cli", "kuiper.main")) and "._" not in module:
            return [f'Documented in <a href="{way(page, PurePosixPath(f"api/{module}.html"))}">{module}</a>.']
    if path.parts[0] == "homework" and path.name.startswith("hw"):
        readme = way(page, path.with_name("README.html"))
        return [
            f'Edit this file in your own copy of the course: <code>{path}</code>. <a href="{readme}">The tasks</a>.'
        ]
    return []


def folder(root: Path, path: PurePosixPath, shown: Collection[str]) -> str:
    """A folder as HTML: a link to each file shown on the site."""
    page = SOURCES / f"{path}.html"
    inside = sorted(one for one in shown if PurePosixPath(one).parent == path)
    items = [
        f'<li><a href="{html.escape(way(page, SOURCES / f"{one}.html"))}">{PurePosixPath(one).name}</a></li>'
        for one in inside
    ]
    return f"<h1>{_heading(path)}/</h1><ul>{''.join(items)}</ul>"
