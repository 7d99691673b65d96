"""What the writer reads: the reference topics and the docstrings that Python itself carries. Standard library only.

`help("TOPIC")` prints the topics; the docstrings are read from the sources beside `os.py`. All of it is part of Python,
copyright the Python Software Foundation, under the PSF licence (https://docs.python.org/3/license.html).
"""

from __future__ import annotations

import ast
import inspect
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

SHORTEST = 200
"""A docstring of fewer characters says too little to learn English from."""

LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo", "pydoc_data", "encodings", "ensurepip"}

PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "\t": "    "})


def plain(text: str) -> str:
    """The text in printable ASCII and line ends; what has no such form becomes '?'."""
    return "".join(c if c == "\n" or " " <= c <= "~" else "?" for c in text.translate(PLAIN)).strip() + "\n"


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module, its classes and functions that are long enough, without their indentation."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            if text and len(text) >= SHORTEST:
                yield inspect.cleandoc(text)


def documents() -> dict[str, str]:
    """Name -> text: one document per topic, one per module of the standard library that has docstrings."""
    from pydoc_data.topics import topics

    found = {f"topic {name}": plain(text) for name, text in sorted(topics.items())}
    library = Path(os.__file__).parent
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).parts
        if not LEFT_OUT & set(parts):
            text = "\n\n".join(docstrings(path.read_text(encoding="utf-8", errors="replace")))
            if text:
                found["module " + "/".join(parts)] = plain(text)
    return found


def split() -> tuple[str, str]:
    """The documents as (training, held out); a checksum of its name puts each of them into one of the two."""
    parts: tuple[list[str], list[str]] = ([], [])
    for name, text in documents().items():
        parts[zlib.crc32(name.encode()) % 16 == 0].append(text)
    return "\n\n".join(parts[0]), "\n\n".join(parts[1])
