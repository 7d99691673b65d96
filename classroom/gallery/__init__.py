"""`course demo`: trained networks run on held-out data, with the framework's code or a student's.

piece     base class of the pieces: network, data, how to run it, what to print
digits, classify, detect, segment, write     the pieces
pipeline  a network with its pre- and post-processing; a student's function may replace any step
show, own run a piece; with the user's own picture or network
plugs     where each exercise is plugged in
mine      `--mine`; isolated runs piece_worker in a process, departure finds the first wrong result
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classroom.gallery.piece import Piece

NAMES = ("digits", "classify", "detect", "segment", "write")
"""The pieces, each a module of this package with a PIECE in it."""
OUT = Path("demo")
"""The folder for pictures if none is given."""


def find(name: str) -> Piece:
    """The piece with that name. Raises KeyError.

    >>> find("digits").title
    'A network reads handwritten digits'
    """
    if name not in NAMES:
        raise KeyError(name)
    from classroom.gallery.piece import Piece

    found = importlib.import_module(f"{__name__}.{name}").PIECE
    assert isinstance(found, Piece)
    return found
