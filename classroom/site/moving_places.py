"""Which moving picture or viewer is placed on which page, and where in its text. The only place that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from classroom.site import moving, viewer


@dataclass(frozen=True)
class Placement:
    """A moving picture or a viewer in a file of the course, under a heading ("": under the title).

    `after` : words of a paragraph, a list or a foldable text under that heading; the picture stands below it. Without
    them it stands at the end of the heading's text: in a notebook, before the first cell of code.
    """

    file: str
    heading: str
    name: str
    after: str = ""


PLACEMENTS = (
    Placement("lessons/03_pnnx", "A real network", "graph_digits"),
    Placement(
        "lessons/04_graph",
        "Depth first: finish a node after its successors",
        "depth_first",
        "Reversed, it is a topological order",
    ),
    Placement("lessons/04_graph", "Kahn: count what is missing", "kahn", "Take a ready node"),
    Placement("lessons/04_graph", "A place for each value", "memory", "The plan of digits. Value 8 lies low"),
    Placement("lessons/06_convolution", "im2col: windows as rows", "im2col", "Three overlapping windows"),
    Placement("lessons/06_convolution", "Stride, padding, dilation", "convolution", "which takes the place of k"),
    Placement("lessons/07_expression", "A stack computes", "reverse_polish", "the stack holds 4; then"),
    Placement("lessons/08_resnet", "A classifier is a graph", "graph_classifier"),
    Placement("lessons/08_resnet", "Why an addition?", "residual", "the line around the layers"),
    Placement("lessons/09_yolov5", "The network", "graph_detector"),
    Placement("lessons/09_yolov5", "One thing, one box", "suppression", "With classes, this is the exercise"),
    Placement("lessons/10_partition", "Merging", "subgraphs", "Such a part"),
    Placement("lessons/10_partition", "Waves", "waves", "it waits for another wave"),
    Placement("lessons/10_partition", "The fewest sub-graphs", "levels", "From levels to sub-graphs"),
    Placement("lessons/11_speed", "Winograd: fewer products", "winograd", "An image's tiles overlap"),
    Placement(
        "lessons/12_unet", "A network in the shape of a U", "graph_segmenter", "goes down: fewer pixels, more channels"
    ),
    Placement("lessons/13_language_model", "Attention", "attention", "Two triangles of weights"),
    Placement("lessons/13_language_model", "The whole network", "graph_writer"),
    Placement("lessons/13_language_model", "A cache of keys and values", "cache", "Each token is read 96 times"),
    Placement("lessons/13_language_model", "A choice with chance in it", "sampling", "So temperature and"),
    Placement("models/digits", "", "graph_digits"),
    Placement("models/classifier", "", "graph_classifier"),
    Placement("models/detector", "", "graph_detector"),
    Placement("models/segmenter", "", "graph_segmenter"),
    Placement("models/writer", "", "graph_writer"),
)
"""Folders of the course; each has one page."""


def wanted(page: PurePosixPath) -> dict[Placement, str]:
    """The moving pictures and viewers of a page, and the HTML of each."""
    up = "../" * (len(page.parts) - 1)
    return {
        placement: source.snippet(placement.name, up)
        for placement in PLACEMENTS
        for source in (moving, viewer)
        if page.parent == PurePosixPath(placement.file) and placement.name in source.NAMES
    }


HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.M)
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$", re.M | re.S)
FOLDED = re.compile(r"^<details>.*?^</details>", re.M | re.S)


def with_pictures(text: str, pictures: dict[Placement, str], heading: str = "") -> tuple[str, str]:
    """A Markdown text with its moving pictures inserted, and the last heading in it; inserted ones leave `pictures`.

    `heading` : the one above the text.
    """
    hidden = FENCE.sub(lambda found: "\0" * len(found[0]), text)
    starts = [(0, heading), *((found.start(), found[1]) for found in HEADING.finditer(hidden))]
    stops = [*(start for start, _ in starts[1:]), len(text)]
    for number in reversed(range(len(starts))):
        (start, name), stop = starts[number], stops[number]
        section = text[start:stop]
        for placement in [one for one in pictures if name and one.heading == name and (one.after or number)]:
            end = _end(section, placement.after) if placement.after else len(section)
            if end >= 0:
                shown = raw(pictures.pop(placement))
                section = f"{section[:end].rstrip()}\n\n{shown}\n\n{section[end:].lstrip()}"
        text = text[:start] + section + text[stop:]
    return text, starts[-1][1]


def _end(section: str, words: str) -> int:
    """Where the paragraph, the list or the foldable text with some words ends; -1 if there is none."""
    place = section.find(words)
    if place < 0:
        return -1
    folded = next((found.end() for found in FOLDED.finditer(section) if found.start() <= place < found.end()), 0)
    gap = section.find("\n\n", place)
    return folded or (gap if gap >= 0 else len(section))


def raw(snippet: str) -> str:
    """HTML as a raw block in Markdown."""
    return f"```{{raw}} html\n{snippet}\n```"
