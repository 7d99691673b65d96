"""The viewer for the graph of a real network: its drawing, and details of each operator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import kuiper
from classroom.site.moving.graph_drawing import COLOURS, draw
from classroom.site.moving.scene import data_script
from kuiper.dtypes import DType
from kuiper.graph import Operator
from kuiper.show.palette import swatch_of
from kuiper.show.svg import escape


def figure(name: str, model: Path) -> str:
    """The figure of a model file's graph. Raises KuiperError when the file cannot be read."""
    graph = kuiper.load(model)
    title = model.name.removesuffix(".pnnx.param")
    kinds = Counter(swatch_of(op.type).name for op in graph.operators)
    sizes = f"{len(graph.operators)} operators and {_weights(graph.operators):,} weights"
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    drawing = draw(graph, f"The graph of the {title} network, from its input at the top to its output below: {listed}.")
    by_name = {op.name: op for op in graph.operators}
    ops = [operator_facts(by_name[name]) for name in drawing.names]
    return "\n".join(
        [
            f'<figure class="moving moving-graph" data-name="{escape(name)}">',
            f'<figcaption class="moving-title">The graph of the {escape(title)} network: {sizes}</figcaption>',
            _legend(kinds),
            '<div class="moving-body">',
            f'<div class="moving-view" tabindex="0" role="region" aria-label="Graph of the {escape(title)} network">',
            drawing.svg,
            "</div>\n</div>",
            data_script({"title": title, "ops": ops, "edges": drawing.edges}),
            "</figure>",
        ]
    )


def operator_facts(op: Operator) -> dict[str, Any]:
    """Details of an operator: name, type, parameters, input and output operands, weights with their sizes.

    >>> from kuiper.graph import Operand
    >>> operator_facts(Operator("nn.ReLU", "relu", [Operand("3", (1, 8))], [], ["input"]))["in"]
    [['#3', '1x8', 'input']]
    """
    slots = zip(op.inputs, op.input_names)
    return {
        "name": op.name,
        "type": op.type,
        "family": swatch_of(op.type).name,
        "params": [[key, str(param.value)] for key, param in op.params.items()],
        "in": [[f"#{x.name}", operand_label(x.shape, x.dtype), slot or ""] for x, slot in slots],
        "out": [[f"#{x.name}", operand_label(x.shape, x.dtype)] for x in op.outputs],
        "weights": [[key, operand_label(w.shape, w.dtype), math.prod(w.shape)] for key, w in op.attributes.items()],
    }


def operand_label(shape: Iterable[int] | None, dtype: DType | None) -> str:
    """Shape and dtype as in the drawing; "?" for what is known only at run time.

    >>> operand_label((-1, 3, 64, 64), None)
    '?x3x64x64'
    """
    sizes = "" if shape is None else "x".join("?" if size < 0 else str(size) for size in shape) or "scalar"
    return f"{sizes} {dtype.code if dtype else ''}".strip()


def _weights(operators: Iterable[Operator]) -> int:
    return sum(math.prod(w.shape) for op in operators for w in op.attributes.values())


def _legend(kinds: Counter[str]) -> str:
    items = (f'<li><span class="swatch {COLOURS[kind]}"></span>{escape(kind)} ({kinds[kind]})</li>'
             for kind in COLOURS if kinds[kind])  # fmt: skip
    return f'<ul class="moving-legend">{"".join(items)}</ul>'
