"""Which animation or viewer is placed on which page, under which heading. The only place that says so."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType

from classroom.site import viewer


@dataclass(frozen=True)
class Placement:
    """An animation or a viewer in a file of the course, at the end of a heading's text ("": under the title)."""

    file: str
    heading: str
    name: str


PLACEMENTS = (
    Placement("lessons/03_pnnx", "A real network", "graph_digits"),
    Placement("lessons/04_graph", "Depth first: finish a node after its successors", "depth_first"),
    Placement("lessons/04_graph", "Kahn: count what is missing", "kahn"),
    Placement("lessons/04_graph", "How long does a value live?", "memory"),
    Placement("lessons/06_convolution", "im2col: windows as rows", "im2col"),
    Placement("lessons/07_expression", "A stack computes", "reverse_polish"),
    Placement("lessons/08_resnet", "A classifier is a graph", "graph_classifier"),
    Placement("lessons/09_yolov5", "The network", "graph_detector"),
    Placement("lessons/10_partition", "Waves", "subgraphs"),
    Placement("lessons/10_partition", "The fewest sub-graphs", "levels"),
    Placement("lessons/11_speed", "What a plan is", "memory"),
    Placement("lessons/12_unet", "Down, and up again", "graph_segmenter"),
    Placement("lessons/13_language_model", "The whole network", "graph_writer"),
    Placement("models/digits", "", "graph_digits"),
    Placement("models/classifier", "", "graph_classifier"),
    Placement("models/detector", "", "graph_detector"),
    Placement("models/segmenter", "", "graph_segmenter"),
    Placement("models/writer", "", "graph_writer"),
)
"""Folders of the course; each has one page."""


def drawing_module() -> ModuleType | None:
    """The module that draws the animations, or None if it is missing."""
    try:
        return importlib.import_module("classroom.site.moving")
    except ModuleNotFoundError:
        return None


def assets() -> list[Path]:
    """Style sheets and scripts for pages with animations."""
    module = drawing_module()
    return list(module.assets()) if module and hasattr(module, "assets") else []


def wanted(page: PurePosixPath) -> dict[str, str]:
    """Heading -> HTML of the animations and viewers of a page."""
    module = drawing_module()
    sources = [viewer] if module is None or not hasattr(module, "snippet") else [module, viewer]
    up = "../" * (len(page.parts) - 1)
    return {
        placement.heading: source.snippet(placement.name, up)
        for placement in PLACEMENTS
        for source in sources
        if page.parent == PurePosixPath(placement.file) and placement.name in source.NAMES
    }


def raw(snippet: str) -> str:
    """HTML as a raw block in Markdown."""
    return f"```{{raw}} html\n{snippet}\n```"
