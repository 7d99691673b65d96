"""What a network reads: an array from a .npy file, or a picture (with Pillow), normalised as for ImageNet."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
SHAPE = re.compile(r"#\S+=\((\S+?)\)")
"""A shape in the line of pnnx.Input, such as (?,3,64,64); `?` is any number."""


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


def sizes_of(text: str) -> list[str]:
    """The sizes of the input without the batch, as the model file has them; none if it does not say."""
    found = (SHAPE.search(line) for line in text.splitlines() if line.startswith("pnnx.Input"))
    return next((shape[1].split(",")[1:] for shape in found if shape), [])


def read_input(path: Path, text: str) -> np.ndarray:
    """The batch in a .npy file; of a picture its pieces, in the size that the model file `text` names, else 224.

    They keep their scale: a network that has learned from pieces knows no other. A smaller picture is enlarged.
    Raises ValueError if the model file names another shape.
    """
    sizes = sizes_of(text)
    asked = f"expected an array of shape (N, {', '.join(sizes)})"
    if path.suffix == ".npy":
        x = np.load(path, allow_pickle=False)
        if sizes and (x.ndim != len(sizes) + 1 or any(a not in ("?", str(b)) for a, b in zip(sizes, x.shape[1:]))):
            raise ValueError(f"{asked}, found {x.shape} in {path}")
        return x
    if sizes and (len(sizes) != 3 or sizes[0] not in ("?", "3")):
        raise ValueError(f"{asked} in a .npy file: this network does not read pictures of three colours")
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise SystemExit("pictures need Pillow: python -m pip install pillow; or give a .npy file") from None
    rows, cols = (int(size) if size.isdigit() else 224 for size in sizes[1:] or "??")
    with Image.open(path) as file:
        picture = file.convert("RGB")
    if picture.height < rows or picture.width < cols:
        picture = ImageOps.fit(picture, (cols, rows))
    return normalised(pieces(np.asarray(picture), rows, cols))
