"""The viewer as HTML: a still drawing of the whole graph, and the text of its .param, which the page's scripts read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import kuiper
from classroom.site.moving.scene import data_script
from classroom.site.viewer.drawing import COLOURS, draw
from kuiper.graph import Operator
from kuiper.show.palette import swatch_of
from kuiper.show.svg import escape


def figure(name: str, model: str, file: Path, root: str) -> str:
    """The figure of a model file's graph; `root` : the way to the site's root.

    Raises KuiperError when the file cannot be read.
    """
    graph = kuiper.load(file)
    kinds = Counter(swatch_of(op.type).name for op in graph.operators)
    sizes = f"{len(graph.operators)} operators, {_weights(graph.operators):,} numbers in the file"
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    drawing = draw(graph, f"The graph of the {model} network, from its input at the top to its output below: {listed}.")
    data = {
        "title": f"the {model} network",
        "model": model,
        "file": file.name,
        "param": file.read_text(encoding="utf-8"),
        "root": root,
    }
    return "\n".join(
        [
            f'<figure class="moving viewer-graph" data-name="{escape(name)}">',
            f'<figcaption class="moving-title">The graph of the {escape(model)} network: {sizes}</figcaption>',
            _legend(kinds),
            f'<div class="viewer-still" tabindex="0" role="region" aria-label="Graph of the {escape(model)} network">',
            drawing.svg,
            "</div>",
            data_script(data),
            "</figure>",
        ]
    )


def _weights(operators: Iterable[Operator]) -> int:
    return sum(math.prod(w.shape) for op in operators for w in op.attributes.values())


def _legend(kinds: Counter[str]) -> str:
    items = (f'<li><span class="swatch {COLOURS[kind]}"></span>{escape(kind)} ({kinds[kind]})</li>'
             for kind in COLOURS if kinds[kind])  # fmt: skip
    return f'<ul class="viewer-legend">{"".join(items)}</ul>'
