"""Where the moving pictures stand: page, heading, name. This table is the only place that says so."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType


@dataclass(frozen=True)
class Place:
    """A moving picture stands in a file of the course, after what is said under a heading ("": under the title)."""

    file: str
    heading: str
    name: str


PLACES = (
    Place("lessons/03_pnnx", "A real network", "graph_digits"),
    Place("lessons/04_graph", "Depth first: finish a node after its successors", "depth_first"),
    Place("lessons/04_graph", "How long does a value live?", "memory"),
    Place("lessons/06_convolution", "im2col: windows as rows", "im2col"),
    Place("lessons/07_expression", "A stack computes", "reverse_polish"),
    Place("lessons/08_resnet", "A classifier is a graph", "graph_classifier"),
    Place("lessons/09_yolov5", "The network", "graph_detector"),
    Place("lessons/10_partition", "Waves", "subgraphs"),
    Place("lessons/10_partition", "The fewest sub-graphs", "levels"),
    Place("lessons/11_speed", "What a plan is", "memory"),
    Place("lessons/12_unet", "Down, and up again", "graph_segmenter"),
    Place("lessons/13_language_model", "The network", "graph_writer"),
    Place("models/digits", "", "graph_digits"),
    Place("models/classifier", "", "graph_classifier"),
    Place("models/detector", "", "graph_detector"),
    Place("models/segmenter", "", "graph_segmenter"),
    Place("models/writer", "", "graph_writer"),
)
"""The files are folders here, each of which has one page."""


def pictures() -> ModuleType | None:
    """The module that draws them, where it is there."""
    try:
        return importlib.import_module("classroom.site.moving")
    except ModuleNotFoundError:
        return None


def assets() -> list[Path]:
    """Style sheets and scripts that pages with moving pictures need."""
    module = pictures()
    return list(module.assets()) if module and hasattr(module, "assets") else []


def wanted(page: PurePosixPath) -> dict[str, str]:
    """Heading -> raw HTML of the moving pictures of a page."""
    module = pictures()
    if module is None or not hasattr(module, "snippet"):
        return {}
    up = "../" * (len(page.parts) - 1)
    return {
        place.heading: module.snippet(place.name, up)
        for place in PLACES
        if page.parent == PurePosixPath(place.file) and place.name in module.NAMES
    }


def raw(snippet: str) -> str:
    """HTML as Markdown takes it over, unchanged."""
    return f"```{{raw}} html\n{snippet}\n```"
