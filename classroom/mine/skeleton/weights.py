"""The weights in a .pnnx.bin file: a zip archive that stores the bytes of each array under operator.attribute."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from .format import parse_operator

ELEMENTS = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8"}
"""PNNX's name of an element type -> numpy's; the bytes of a number stand in the file with the lowest first."""


def read_weights(text: str, path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a model: "operator.attribute" -> array, of the shape and type that `text` says: (32,1,3,3)f32."""
    weights = {}
    with zipfile.ZipFile(path) as archive:
        for line in filter(str.strip, text.splitlines()[2:]):
            _, name, _, _, _, attributes = parse_operator(line)
            for key, described in attributes.items():
                shape, _, element = described.rpartition(")")
                numbers = np.frombuffer(archive.read(f"{name}.{key}"), ELEMENTS[element])
                weights[f"{name}.{key}"] = numbers.reshape([int(size) for size in shape[1:].split(",") if size])
    return weights
