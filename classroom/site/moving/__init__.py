"""Step-by-step animations for the course's site.

README.md beside this file says how pages include them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from classroom.site.moving import depth_first, im2col, kahn, levels, memory, reverse_polish, subgraphs
from classroom.site.moving.errors import MovingError
from classroom.site.moving.scene import Scene

__all__ = ["NAMES", "MovingError", "assets", "snippet"]

SCENES: dict[str, Callable[[], Scene]] = {
    "depth_first": depth_first.scene,
    "kahn": kahn.scene,
    "memory": memory.scene,
    "im2col": im2col.scene,
    "reverse_polish": reverse_polish.scene,
    "subgraphs": subgraphs.scene,
    "levels": levels.scene,
}
"""Name -> function that builds the animation, in lesson order."""
NAMES = tuple(SCENES)
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
    return SCENES[name]().html()


def assets() -> list[Path]:
    """The style sheets and scripts for the snippets, in loading order.

    >>> sorted({path.suffix for path in assets()})
    ['.css', '.js']
    """
    return sorted((Path(__file__).parent / "static").glob("moving*.*"))
