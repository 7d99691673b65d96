"""A framework of your own: `load` reads a model file, and gives its network as a function. numpy is all it needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from . import parts
from .model import framework
from .options import refuse_others
from .weights import read_weights


def load(param: str | Path, bin: str | Path | None = None) -> Callable[[np.ndarray], np.ndarray]:
    """NAME.pnnx.param, and NAME.pnnx.bin beside it, -> the network: a function of x, (N, ...).

    Raises ValueError for an operator, or an option of it, that is not computed here.
    """
    param = Path(param)
    text = param.read_text(encoding="utf-8")
    refuse_others(text)
    return framework(parts, text, read_weights(text, bin or param.with_suffix(".bin")))
