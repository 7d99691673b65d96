"""Pictures as data URLs, and their place in a drawing."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

from kuiper.show.svg import element


def data_url(pixels: np.ndarray, kind: str = "PNG", **options: Any) -> str:
    """(H,W), (H,W,3) or (H,W,4) bytes -> a URL that holds the picture; `options` are Pillow's for the kind."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, optimize=True, **options)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(file.getvalue()).decode()}"


def image(url: str, x: float, y: float, width: float, height: float) -> str:
    """A picture in a drawing, its pixels as squares."""
    return element("image", href=url, x=x, y=y, width=width, height=height, preserveAspectRatio="none")


def base64_bytes(values: np.ndarray) -> str:
    """Bytes for a page's script, row by row."""
    return base64.b64encode(values.astype(np.uint8).tobytes()).decode()
