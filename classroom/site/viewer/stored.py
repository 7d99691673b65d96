"""Values of every operator for one input of each network, computed by kuiper when the site is built, as scripts."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import kuiper
from classroom.live.values import sample, values_of
from classroom.register import ROOT
from classroom.site.viewer import GRAPHS, NAMES

FOLDER = PurePosixPath("viewer")
"""Where the site has them."""


def stored_values() -> dict[PurePosixPath, str]:
    """File of the site -> a script that gives a network's values to the viewer. Raises KuiperError, OSError."""
    return {FOLDER / f"values-{GRAPHS[name]}.js": values_script(GRAPHS[name]) for name in NAMES}


def values_script(model: str) -> str:
    """The script for one network.

    >>> values_script("digits")[:62]
    'globalThis.KuiperViewer.stored["digits"] = {"words":"a held-ou'
    """
    graph = kuiper.load(ROOT / "models" / model / f"{model}.pnnx.param")
    words, inputs = sample(graph, model)
    value = json.dumps({"words": words, "of": values_of(graph, inputs)}, ensure_ascii=False, separators=(",", ":"))
    return f'globalThis.KuiperViewer.stored["{model}"] = {value};\n'
