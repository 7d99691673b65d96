"""The viewer of a network's graph: equal blocks folded, values at every operator, and files of the reader's own.

README.md beside this file says how it is made.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from classroom.register import ROOT
from classroom.site.viewer.drawing import COLOURS
from classroom.site.viewer.errors import ViewerError
from classroom.site.viewer.figure import figure
from kuiper import dtypes
from kuiper.graph import BOUNDARY
from kuiper.layers import registry
from kuiper.show.palette import swatch_of

__all__ = ["FAMILIES", "LOADED", "MARK", "NAMES", "OWN", "PAGE", "ViewerError", "assets", "families_script", "snippet"]

STATIC = Path(__file__).with_name("static")
FAMILIES = PurePosixPath("viewer-families.js")
"""The script that tells the page the family of every operator type; made when the site is built."""
MARK = "viewer-graph"
"""The class of an element that the scripts make a viewer of."""
PAGE = PurePosixPath("viewer.md")
"""The page where a reader opens files of their own."""
OWN = '<div class="viewer-graph-own moving"></div>\n<noscript><p>This takes JavaScript.</p></noscript>'
"""Where a reader can open files of their own."""

LOADED = ("viewer.css", "viewer-start.js")
"""What a page with a viewer loads at once; the rest follows when one comes near."""


def _file(model: str) -> Path:
    return ROOT / "models" / model / f"{model}.pnnx.param"


UNKNOWN = "unknown to kuiper"
"""Family of the types that kuiper has no layer for, in files of the reader's own."""
GRAPHS = {f"graph_{model}": model for model in ("digits", "classifier", "detector", "segmenter", "writer")}
NAMES = tuple(name for name, model in GRAPHS.items() if _file(model).is_file())
"""Names for `snippet`: the networks that are in models/."""


def snippet(name: str, root: str = "") -> str:
    """The HTML of one viewer, to be inserted into a page verbatim.

    `root` : relative path from the page to the site's root, where the files with values are.

    Raises ViewerError for a name not in NAMES.

    >>> snippet("graph_digits").startswith('<figure class="moving viewer-graph')
    True
    """
    if name not in NAMES:
        raise ViewerError(f"viewer {name!r}: expected one of {', '.join(NAMES)}")
    return figure(name, GRAPHS[name], _file(GRAPHS[name]), root)


def assets() -> list[Path]:
    """The style sheet and the scripts, without the one that is made."""
    return sorted(STATIC.iterdir())


def families_script() -> str:
    """The script `FAMILIES`: operator type -> family, family -> colour, and the number types that files may name."""
    members: dict[str, list[str]] = {}
    for kind in [*BOUNDARY, *registry]:
        members.setdefault(swatch_of(kind).name, []).append(kind)
    value = {
        "members": members,
        "other": UNKNOWN,
        "colours": COLOURS | {UNKNOWN: COLOURS[swatch_of(UNKNOWN).name]},
        "dtypes": {code: code for code in dtypes.DTYPES} | dtypes.OLD_CODES,
    }
    return f"globalThis.KuiperViewer.families = {json.dumps(value, separators=(',', ':'))};\n"
