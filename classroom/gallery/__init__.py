"""`course demo`: networks that run on held-out data, by the framework's own code or by a student's.

piece     what each of them is: its network, its data, how it looks at them and what it tells
digits, classify, detect, segment, write     the pieces
bench     a network with the steps around it, any of which a student's function may replace
show, own the demo itself; with a picture or a network of the user's own
plugs     where the exercises fit in
mine      `--mine`; worker is its process, check finds where a result first departs
"""

from __future__ import annotations

import importlib

from classroom.gallery.piece import Piece

NAMES = ("digits", "classify", "detect", "segment", "write")
"""The pieces, each a module of this package with a PIECE in it."""


def find(name: str) -> Piece:
    """The piece of that name. Raises KeyError.

    >>> find("digits").title
    'A network reads handwritten digits'
    """
    if name not in NAMES:
        raise KeyError(name)
    found = importlib.import_module(f"{__name__}.{name}").PIECE
    assert isinstance(found, Piece)
    return found
