"""Links from documented objects to their source lines, and from type names in signatures to their pages."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.nodes import find_pending_xref_condition

from classroom.site.tree import SOURCES


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The link to the source of a documented object, relative to the folder of the API pages."""
    if domain != "py" or not info["module"]:
        return None
    file = importlib.import_module(info["module"]).__file__ or ""
    line = lines_of(file).get(info["fullname"])
    if line is None:
        return None
    depth = len(info["module"].split(".")) - (not file.endswith("__init__.py"))
    path = PurePosixPath(Path(file).relative_to(Path(file).parents[depth]).as_posix())
    return f"../{SOURCES / path}.html#L{line}"


@functools.cache
def lines_of(file: str) -> dict[str, int]:
    """Qualified name of each class, function or method in a file, such as `Tensor.padding` -> its first line."""
    found: dict[str, int] = {}

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(f"{prefix}{node.name}", node.lineno)
            if isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")

    walk(ast.parse(Path(file).read_text(encoding="utf-8")).body, "")
    return found


def name_annotations(app: Sphinx, doctree: nodes.document) -> None:
    """Resolve type names in signatures: those that kuiper defines get their full name, others become plain text.

    Sphinx would link a name to any object with that name: `bytes` to an attribute of some class.
    """
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("refdomain") != "py" or not node.hasattr("refspecific"):
            continue
        full = full_name(node.get("py:module") or "", node["reftarget"])
        if full:
            node["reftarget"] = full
            del node["refspecific"]
        else:
            shown = find_pending_xref_condition(node, "*")
            node.replace_self(shown.children if shown else node.children)


def full_name(module: str, name: str) -> str | None:
    """The full name of what `name` means in a module of kuiper; None if kuiper does not define it.

    >>> full_name("kuiper.runtime.graph", "Operator")
    'kuiper.graph.operator.Operator'
    """
    if not module:
        return None
    thing: Any = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part, None)
    home, qualified = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", "")
    return f"{home}.{qualified}" if qualified and str(home).split(".")[0] == "kuiper" else None
