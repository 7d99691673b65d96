"""Links of a Markdown text: from files of the course to pages of the site, never outwards by accident, never dead."""

from __future__ import annotations

import html
import posixpath
import re
from pathlib import PurePosixPath

from classroom.site.tree import Tree, way

CODE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[ \t]*$|`[^`\n]+`", re.M | re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]*)\)")
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>\n*')
OUTWARDS = re.compile(r"[a-z]+:")


def relinked(text: str, file: PurePosixPath, page: PurePosixPath, tree: Tree) -> str:
    """The Markdown of a file of the course as it has to stand on a page.

    A link to a file or folder leads to its page, or to a page that shows it as it stands; pictures are copied. Links in
    code stay, and so do those to other sites. A link to what is not there, or not for students, is a warning and only
    words.
    """
    code: list[str] = []

    def hide(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"\0{len(code) - 1}\0"

    def renew(found: re.Match[str]) -> str:
        return _link(found, file, page, tree)

    linked = LINK.sub(renew, CODE.sub(hide, text))
    return re.sub("\0([0-9]+)\0", lambda found: code[int(found[1])], without_double_anchors(linked))


def _link(found: re.Match[str], file: PurePosixPath, page: PurePosixPath, tree: Tree) -> str:
    picture, words, target = found.groups()
    address, hash_, anchor = target.partition("#")
    if OUTWARDS.match(target) or not address:
        return found[0]
    words = re.sub(r"\s*\n\s*", " ", words)  # MyST joins the lines of a picture's words without a blank
    path = PurePosixPath(posixpath.normpath(file.parent / address))
    if path in tree.pages:
        return f"[{words}]({way(page, tree.pages[path])}{hash_}{anchor})"
    if path.parts[:1] == ("..",) or not tree.shown(path):
        tree.warnings.append(f"{file}: expected behind the link {target!r} a file or folder that students get")
        return words
    if picture:
        tree.copy(path)
        return f"![{words}]({way(page, path)})"
    return f'<a href="{html.escape(way(page, tree.source(path)))}">{words}</a>'


def without_double_anchors(text: str) -> str:
    """Anchors that a heading of the same name has anyway are left out: an id may stand on a page once.

    >>> without_double_anchors('<a id="back-end"></a>\\n\\n### back end')
    '### back end'
    """
    headings = {slug(line) for line in re.findall(r"^#+ +(.+)$", text, re.M)}
    return ANCHOR.sub(lambda found: "" if found[1] in headings else found[0], text)


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST makes it.

    >>> slug("5. Winograd: fewer products")
    '5-winograd-fewer-products'
    """
    plain = re.sub(r"[^\w\u4e00-\u9fff\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")
