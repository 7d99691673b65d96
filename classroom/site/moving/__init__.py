"""Step-by-step animations for the course's site.

README.md beside this file says how pages include them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from classroom.site.moving import (
    attention,
    cache,
    convolution,
    depth_first,
    im2col,
    kahn,
    levels,
    memory,
    residual,
    reverse_polish,
    sampling,
    subgraphs,
    suppression,
    winograd,
)
from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Scene
from classroom.site.moving.sliders import Adjustable

__all__ = ["NAMES", "MovingError", "assets", "snippet"]

SCENES: dict[str, Callable[[], Scene]] = {
    "depth_first": depth_first.scene,
    "kahn": kahn.scene,
    "memory": memory.scene,
    "im2col": im2col.scene,
    "reverse_polish": reverse_polish.scene,
    "residual": residual.scene,
    "subgraphs": subgraphs.scene,
    "waves": subgraphs.waves,
    "levels": levels.scene,
    "winograd": winograd.scene,
    "cache": cache.scene,
}
"""Name -> function that builds the picture with steps, in lesson order."""
ADJUSTABLE: dict[str, Callable[[], Adjustable]] = {
    "convolution": convolution.scene,
    "suppression": suppression.scene,
    "attention": attention.scene,
    "sampling": sampling.scene,
}
"""Name -> function that builds the picture with sliders, in lesson order."""
NAMES = (*SCENES, *ADJUSTABLE)
"""Names for `snippet`."""


def snippet(name: str, root: str = "") -> str:
    """The HTML of one animation, to be inserted into a page verbatim.

    `root` : relative path from the page to the site's root, for links; none has any so far.

    Raises MovingError for a name not in NAMES.

    >>> snippet("depth_first").startswith('<figure class="moving')
    True
    """
    if name not in NAMES:
        raise MovingError(f"moving picture {name!r}: expected one of {', '.join(NAMES)}")
    return (SCENES | ADJUSTABLE)[name]().html()


def assets() -> list[Path]:
    """The style sheets and scripts for the snippets, in loading order: first what the others share.

    >>> sorted({path.suffix for path in assets()})
    ['.css', '.js']
    """
    files = (Path(__file__).parent / "static").glob("moving*.*")
    return sorted(files, key=lambda path: (path.stem != "moving-figure", path.name))
