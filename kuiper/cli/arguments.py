"""Command-line strings -> values, and checks of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TypeVar

import typer

from kuiper.errors import KuiperError
from kuiper.show.svg import svg_path

T = TypeVar("T")


def shapes(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """`1,3,224,224`, `1x3x224x224` or `(1,3,224,224)` -> extents. Raises typer.BadParameter."""
    found = []
    for text in texts:
        parts = [part for part in re.split(r"[,x\s]+", text.strip().strip("()[]")) if part]
        if not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise typer.BadParameter(f"{text!r} is not a shape; write positive numbers, such as 1,3,224,224")
        found.append(tuple(int(part) for part in parts))
    return found


def floats(text: str) -> list[float]:
    """`0.485,0.456,0.406` or `1/255` -> numbers. Raises typer.BadParameter."""
    values = []
    for part in text.split(","):
        over, _, under = part.partition("/")
        try:
            values.append(float(over) / float(under or 1))
        except (ValueError, ZeroDivisionError):
            raise typer.BadParameter(f"{part.strip()!r} is not a number; write one, or several with commas") from None
    return values


def names(text: str) -> list[str]:
    """`torch, ncnn` -> names, each once.

    >>> names("torch, ncnn,torch")
    ['torch', 'ncnn']
    """
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def option(name: str) -> str:
    """The option of a parameter, as it is typed.

    >>> option("top_p")
    '--top-p'
    """
    return "--" + name.replace("_", "-")


def check_choice(option: str, value: str, known: Collection[str]) -> None:
    """Raise typer.BadParameter for a value that is none of those known."""
    if value not in known:
        raise typer.BadParameter(f"{option} is one of {', '.join(known)}, not {value!r}")


def each(option: str, values: Sequence[T], count: int) -> list[T]:
    """An option's values, one for each of so many devices; one value is for all. Raises KuiperError."""
    if len(values) not in (1, count):
        more = f", or once for each of {count} devices" if count > 1 else " for one device"
        raise KuiperError(f"expected {option} once{more}, found {len(values)}")
    return list(values) if len(values) == count else [values[0]] * count


def check_picture(option: str, file: str | None) -> None:
    """Refuse, before any work, a file to which no SVG can be written. Raises KuiperError."""
    if file is None:
        return
    try:
        folder = svg_path(file).resolve().parent
    except KuiperError as error:
        raise KuiperError(f"{option}: {error.message}") from None
    if not folder.is_dir():
        raise KuiperError(f"{option} {file}: expected an existing folder, found no {folder}")
