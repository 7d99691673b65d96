"""What the writer reads: the reference topics and the docstrings that Python itself carries. Standard library only.

`help("TOPIC")` prints the topics; the docstrings are read from the sources beside `os.py`. All of it is part of Python,
copyright the Python Software Foundation, under the PSF licence (https://docs.python.org/3/license.html).
"""

from __future__ import annotations

import ast
import inspect
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

SHORTEST = 200
"""A docstring of fewer characters says too little to learn English from."""

NO_PROSE = {"test", "tests", "turtledemo", "encodings", "pydoc_data"}
NOT_THE_LIBRARY = {"site-packages", "ensurepip", "idlelib", "lib2to3"}
"""Folders whose docstrings are not read."""

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


def topics() -> dict[str, str]:
    """Name -> text of each topic of `help()`."""
    from pydoc_data.topics import topics

    return {f"topic {name}": plain(text) for name, text in sorted(topics.items())}


def modules(chosen: Callable[[str], bool] = lambda name: True) -> dict[str, str]:
    """Name -> the docstrings of each module of the standard library that has some, if its name is `chosen`."""
    library, found = Path(os.__file__).parent, {}
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).parts
        name = "module " + "/".join(parts)
        if chosen(name) and not (NO_PROSE | NOT_THE_LIBRARY) & set(parts):
            text = "\n\n".join(docstrings(path.read_text(encoding="utf-8", errors="replace")))
            if text:
                found[name] = plain(text)
    return found


def is_held_out(name: str) -> bool:
    """Whether the document is held out: one in sixteen is, by a checksum of its name."""
    return zlib.crc32(name.encode()) % 16 == 0


def split() -> tuple[str, str]:
    """The documents as (training, held out).

    Several topics repeat parts of others: the held-out text goes without the paragraphs that training has too.
    """
    parts: tuple[list[str], list[str]] = ([], [])
    for name, text in (topics() | modules()).items():
        parts[is_held_out(name)].append(text)
    training, held_out = ("\n\n".join(texts) for texts in parts)
    known = {words_of(paragraph) for paragraph in training.split("\n\n")}
    return training, "\n\n".join(p for p in held_out.split("\n\n") if words_of(p) not in known)


def words_of(paragraph: str) -> tuple[str, ...]:
    """The words, wherever the lines are broken."""
    return tuple(paragraph.split())
