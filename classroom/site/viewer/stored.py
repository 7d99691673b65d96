"""What pages with a viewer load when asked, as scripts: values of every operator, and pictures to choose from.

The values are for one input of each network, and computed by kuiper when the site is built.
"""

from __future__ import annotations

import base64
import io
import json
from pathlib import PurePosixPath

import numpy as np

import kuiper
from classroom.live.values import sample, values_of
from classroom.register import ROOT
from classroom.site.viewer import GRAPHS, NAMES
from kuiper.vision.pictures import to_pillow

FOLDER = PurePosixPath("viewer")
"""Where the site has them."""
PICTURES = 4
"""Held-out pictures of a network that its page offers."""
WITHOUT_PICTURES = ("digits", "writer")
"""Networks whose pages ask for something else."""


def stored_scripts() -> dict[PurePosixPath, str]:
    """File of the site -> a script that gives a network's values or pictures to the viewer.

    Raises KuiperError, OSError.
    """
    models = [GRAPHS[name] for name in NAMES]
    values = {FOLDER / f"values-{model}.js": values_script(model) for model in models}
    seeing = [model for model in models if model not in WITHOUT_PICTURES]
    return values | {FOLDER / f"pictures-{model}.js": pictures_script(model) for model in seeing}


def pictures_script(model: str) -> str:
    """The script with the first PICTURES held-out pictures of a network, as the addresses of PNG files.

    >>> pictures_script("classifier")[:75]
    'globalThis.KuiperViewer.pictures["classifier"] = ["data:image/png;base64,iV'
    """
    with np.load(ROOT / "models" / model / "heldout.npz") as data:
        images = data["images"][:PICTURES]
    addresses = []
    for image in images:
        file = io.BytesIO()
        to_pillow(image).save(file, "PNG", optimize=True)
        addresses.append(f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}")
    return f'globalThis.KuiperViewer.pictures["{model}"] = {json.dumps(addresses)};\n'


def values_script(model: str) -> str:
    """The script for one network.

    >>> values_script("digits")[:62]
    'globalThis.KuiperViewer.stored["digits"] = {"words":"a held-ou'
    """
    graph = kuiper.load(ROOT / "models" / model / f"{model}.pnnx.param")
    words, inputs = sample(graph, model)
    value = json.dumps({"words": words, "of": values_of(graph, inputs)}, ensure_ascii=False, separators=(",", ":"))
    return f'globalThis.KuiperViewer.stored["{model}"] = {value};\n'
