"""The table of operators, docs/operators.md: what is known of each type."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from classroom.register import ROOT
from classroom.started import DOCUMENTED
from kuiper import Layer, registry
from kuiper.fast.kernels.base.kernel import LOWERINGS
from kuiper.partition.backends.array_module import makes
from kuiper.partition.backends.onnx.operators import writes

TABLE = ROOT / "docs" / "operators.md"
BY_THE_GRAPH = {
    "pnnx.Input": "An input of the network.",
    "pnnx.Output": "An output of the network.",
}
"""Types that RuntimeGraph itself handles."""

HAS: dict[str, Callable[[type[Layer]], bool]] = {
    "FLOPs": lambda layer: layer.flops is not Layer.flops,
    "kernel": LOWERINGS.__contains__,
    "ONNX": writes.__contains__,
    "cupy": makes.__contains__,
}
"""What a type may have beside the layer that computes it -> whether the layer's class has it."""

HEAD = """# Operators

{types} operator types, computed in `kuiper/layers/`. Options are those of PyTorch's operator of that name, where it
has one; an option that arrives as an input (`$weight=7` in the model file) is taken as well. A type that begins with
`aten::` is one that PNNX has no name for: all its options arrive as inputs. `tests/layers/` compares the operators with
PyTorch, or with a slow loop.

| besides | what it means | types |
|---|---|---|
| FLOPs | its operations are counted: `kuiper inspect`, `bench`, `partition` | {FLOPs} |
| kernel | the fast engine has a kernel for it, for some options at least; the layer computes the rest | {kernel} |
| ONNX | `kuiper partition` can give it to onnxruntime | {ONNX} |
| cupy | `kuiper partition` can give it to cupy | {cupy} |

This page is generated from the registry: `{command} dev operators`.

| types | family | besides | options | what it computes | file |
|---|---|---|---|---|---|
"""


def options_of(layer: type[Layer]) -> str:
    """The constructor's arguments with their defaults, as in a call.

    >>> from kuiper.layers.arrays.shape import Flatten
    >>> options_of(Flatten)
    'start_dim=1, end_dim=-1'
    """
    return ", ".join(
        name if parameter.default is parameter.empty else f"{name}={parameter.default!r}"
        for name, parameter in inspect.signature(layer).parameters.items()
    )


def types_by_class() -> dict[type[Layer], list[str]]:
    """Layer class -> the types that it computes, by module and name."""
    types: dict[type[Layer], list[str]] = defaultdict(list)
    for operator_type in registry:
        layer = registry.layer_class(operator_type)
        assert layer is not None, f"a function makes the layer of {operator_type}"
        types[layer].append(operator_type)
    return dict(sorted(types.items(), key=lambda item: (item[0].__module__, item[1][0].lower())))


def render() -> str:
    """The Markdown of the page."""
    types = types_by_class()
    rows = [
        _row([name], "input, output", "", "", text, "kuiper/runtime/graph.py") for name, text in BY_THE_GRAPH.items()
    ]
    for layer, names in types.items():
        besides = ", ".join(name for name, has in HAS.items() if has(layer))
        file = layer.__module__.replace(".", "/") + ".py"
        rows.append(_row(names, layer.family, besides, options_of(layer), summary_of(layer), file))
    counts = {name: sum(len(names) for layer, names in types.items() if has(layer)) for name, has in HAS.items()}
    return HEAD.format(types=len(registry) + len(BY_THE_GRAPH), command=DOCUMENTED, **counts) + "".join(rows)


def summary_of(layer: type[Layer]) -> str:
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


def _row(types: list[str], family: str, besides: str, options: str, summary: str, file: str) -> str:
    names = " ".join(f"`{name}`" for name in types)
    name = file.removeprefix("kuiper/layers/").removeprefix("kuiper/")
    cells = [names, family, besides, f"`{options}`" if options else "", summary, f"[{name}](../{file})"]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
