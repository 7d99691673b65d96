"""Picture files <-> arrays (H,W,3) of bytes. Needs Pillow, which the extra `cli` installs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kuiper.errors import KuiperError, ShapeError

if TYPE_CHECKING:
    from PIL.Image import Image


def open_picture(file: str | Path, mode: str = "RGB") -> Image:
    """A file -> Pillow's picture, upright as the camera's EXIF says, in `mode` ("RGB" or "L").

    Raises KuiperError without Pillow and for a file that is missing or damaged.
    """
    try:
        from PIL import Image, ImageOps
    except ModuleNotFoundError:
        raise KuiperError(needs_pillow(f"{file}: to read pictures")) from None
    try:
        with Image.open(file) as opened:
            return ImageOps.exif_transpose(opened).convert(mode)
    except FileNotFoundError:
        raise KuiperError(f"{file}: expected a picture, found no such file") from None
    except Exception as error:  # Pillow raises many kinds for damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise KuiperError(f"{file}: expected a file that can be read, found it damaged: {reason}") from error


def read_picture(file: str | Path) -> np.ndarray:
    """A file -> (H,W,3) bytes, red first. Raises KuiperError as open_picture does."""
    return np.asarray(open_picture(file))


def to_pillow(picture: np.ndarray) -> Image:
    """(H,W,3) bytes -> Pillow's picture. Raises KuiperError without Pillow, ShapeError for other arrays."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise KuiperError(needs_pillow("to resize and draw on pictures")) from None
    return Image.fromarray(checked(picture))


def shrink(image: Image, height: int, width: int) -> np.ndarray:
    """Pillow's picture -> (height,width) or (height,width,3) bytes, bilinear; where it shrinks, all pixels count."""
    from PIL.Image import Resampling

    return np.asarray(image.resize((width, height), Resampling.BILINEAR))


def save_picture(file: str | Path, picture: np.ndarray) -> None:
    """Write (H,W,3) bytes; the file's ending says how (.png). Raises KuiperError when it cannot be written."""
    made = to_pillow(picture)
    try:
        made.save(file)
    except (OSError, ValueError) as error:
        raise KuiperError(f"{file}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def checked(picture: np.ndarray) -> np.ndarray:
    """The picture, if it is (H,W,3) bytes and not empty. Raises ShapeError."""
    picture = np.asarray(picture)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
        raise ShapeError("picture", "(H,W,3) of uint8", f"{picture.shape} of {picture.dtype}")
    return np.ascontiguousarray(picture)


def needs_pillow(what: str) -> str:
    """The sentence for a machine without Pillow."""
    return f'{what} kuiper needs Pillow; install it: pip install -e ".[cli]"'
