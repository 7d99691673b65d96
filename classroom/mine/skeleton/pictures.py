"""What a network reads: an array from a .npy file, or a picture (with Pillow), normalised as for ImageNet."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
INPUT = re.compile(r"#\S+=\(\S+?,3,(\d+),(\d+)\)f32")
"""The shape of a picture in the line of pnnx.Input."""


def normalised(images: np.ndarray) -> np.ndarray:
    """(N, H, W, 3) bytes -> (N, 3, H, W) float32."""
    return np.ascontiguousarray(((images.astype(np.float32) / 255 - MEAN) / STD).transpose(0, 3, 1, 2))


MOST = 10
"""Pieces of a picture in each direction."""


def pieces(picture: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """(H, W, 3) -> (N, rows, cols, 3): the pieces side by side, at most MOST x MOST around the middle."""
    down, across = min(picture.shape[0] // rows, MOST), min(picture.shape[1] // cols, MOST)
    top, left = (picture.shape[0] - down * rows) // 2, (picture.shape[1] - across * cols) // 2
    middle = picture[top : top + down * rows, left : left + across * cols]
    return middle.reshape(down, rows, across, cols, 3).swapaxes(1, 2).reshape(-1, rows, cols, 3)


def read_input(path: Path, text: str) -> np.ndarray:
    """The batch in a .npy file; of a picture its pieces, in the size that the model file `text` names, else 224.

    They keep their scale: a network that has learned from pieces knows no other. A smaller picture is enlarged.
    """
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise SystemExit("pictures need Pillow: python -m pip install pillow; or give a .npy file") from None
    found = next((INPUT.search(line) for line in text.splitlines() if line.startswith("pnnx.Input")), None)
    rows, cols = (int(found[1]), int(found[2])) if found else (224, 224)
    with Image.open(path) as file:
        picture = file.convert("RGB")
    if picture.height < rows or picture.width < cols:
        picture = ImageOps.fit(picture, (cols, rows))
    return normalised(pieces(np.asarray(picture), rows, cols))
