"""The table of operators, docs/operators.md: every type, its options, and the file that computes it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from classroom.register import ROOT
from classroom.started import DOCUMENTED
from kuiper import registry

TABLE = ROOT / "docs" / "operators.md"
BY_THE_GRAPH = {
    "pnnx.Input": "An input of the network.",
    "pnnx.Output": "An output of the network.",
}
"""Types that RuntimeGraph itself handles."""

HEAD = """# Operators

{types} operator types, computed in `kuiper/layers/`. Options are those of PyTorch's operator of that name; one that
arrives as an input (`$weight=7` in the model file) is taken as well. A type that begins with `aten::` is one that PNNX
has no name for: all its options arrive as inputs. `tests/layers/` compares them with PyTorch, or with a slow loop.

This page is generated from the registry: `{command} dev operators`.

| types | options | what it computes | file |
|---|---|---|---|
"""


def computed_by(operator_type: str) -> Any:
    """What creates an operator of this type: a Layer class, or the module whose function does."""
    creator: Any = registry.find(operator_type)
    if isinstance(creator, functools.partial):
        creator = creator.func
    made_by = getattr(creator, "__self__", creator)
    return made_by if isinstance(made_by, type) else sys.modules[made_by.__module__]


def options_of(layer: Any) -> str:
    """The constructor's arguments with their defaults, as in a call; "" for a module.

    >>> from kuiper.layers.arrays.shape import Flatten
    >>> options_of(Flatten)
    'start_dim=1, end_dim=-1'
    """
    if not isinstance(layer, type):
        return ""
    return ", ".join(
        name if parameter.default is parameter.empty else f"{name}={parameter.default!r}"
        for name, parameter in inspect.signature(layer).parameters.items()
    )


def render() -> str:
    """The Markdown of the page."""
    types: dict[Any, list[str]] = defaultdict(list)
    for operator_type in registry:
        types[computed_by(operator_type)].append(operator_type)
    rows = [_row([name], "", text, "kuiper/runtime/graph.py") for name, text in BY_THE_GRAPH.items()]
    for layer in sorted(types, key=lambda one: (module_of(one), types[one][0].lower())):
        file = module_of(layer).replace(".", "/") + ".py"
        rows.append(_row(types[layer], options_of(layer), summary_of(layer), file))
    return HEAD.format(types=len(registry) + len(BY_THE_GRAPH), command=DOCUMENTED) + "".join(rows)


def module_of(layer: Any) -> str:
    """The module name of a class, or of the module itself."""
    return layer.__module__ if isinstance(layer, type) else layer.__name__


def summary_of(layer: Any) -> str:
    """The first paragraph of the docstring."""
    lines = inspect.cleandoc(layer.__doc__ or "").split("\n\n")[0].split("\n")
    return " ".join(line.strip() for line in lines)


def is_current(path: Path = TABLE) -> bool:
    """Whether the stored page is up to date."""
    return path.is_file() and path.read_text(encoding="utf-8") == render()


def write(path: Path = TABLE) -> None:
    """Write the page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(), encoding="utf-8", newline="\n")


def _row(types: list[str], options: str, summary: str, file: str) -> str:
    names = " ".join(f"`{name}`" for name in types)
    name = file.removeprefix("kuiper/layers/").removeprefix("kuiper/")
    cells = [names, f"`{options}`" if options else "", summary, f"[{name}](../{file})"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
