"""A picture of any shape in a network's square: scaled, with grey bars, and the way back for boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError
from kuiper.vision.bilinear import resize
from kuiper.vision.pictures import checked

GREY = 114
Size = tuple[int, int]
"""(height, width) in pixels."""


@dataclass(frozen=True)
class Letterbox:
    """Where a picture of size `source` lies in a canvas of size `target`: scaled to `scaled`, at (`top`, `left`)."""

    source: Size
    target: Size
    scaled: Size
    top: int
    left: int

    @classmethod
    def fit(cls, source: Size, target: Size, *, stride: int | None = None, scaleup: bool = True) -> Letterbox:
        """The largest scale at which the picture fits, in the middle.

        Parameters
        ----------
        stride : leave out all bars but those that keep height and width multiples of this; None: fill `target`.
        scaleup : whether a picture that is smaller than the target grows.

        Raises KuiperError for sizes below 1.
        Source: https://github.com/ultralytics/yolov5, letterbox in utils/augmentations.py

        >>> Letterbox.fit((480, 640), (640, 640))
        Letterbox(source=(480, 640), target=(640, 640), scaled=(480, 640), top=80, left=0)
        """
        if min(*source, *target, 1 if stride is None else stride) < 1:
            raise KuiperError(
                f"letterbox: expected sizes and stride of at least 1, found {source} in {target}, {stride}"
            )
        ratio = min(t / s for s, t in zip(source, target))
        if not scaleup:
            ratio = min(ratio, 1.0)
        scaled = max(1, round(source[0] * ratio)), max(1, round(source[1] * ratio))
        bars = [t - s for s, t in zip(scaled, target)]
        if stride is not None:
            bars = [bar % stride for bar in bars]
        top, left = (round(bar / 2 - 0.1) for bar in bars)  # the odd pixel goes below and to the right
        return cls(source, (scaled[0] + bars[0], scaled[1] + bars[1]), scaled, top, left)

    def apply(self, picture: np.ndarray, fill: int = GREY) -> np.ndarray:
        """(H,W,3) bytes -> (target height, target width, 3) bytes. Raises ShapeError for a picture of another size."""
        picture = checked(picture)
        if picture.shape[:2] != self.source:
            raise ShapeError("picture", f"{self.source[0]}x{self.source[1]} pixels", f"{picture.shape[:2]}")
        canvas = np.full((*self.target, 3), fill, np.uint8)
        height, width = self.scaled
        canvas[self.top : self.top + height, self.left : self.left + width] = resize(picture, height, width)
        return canvas

    def place(self, boxes: np.ndarray) -> np.ndarray:
        """(M,4) corners x1, y1, x2, y2 in the picture -> the same boxes on the canvas, float32."""
        return (np.asarray(boxes, np.float64) * self._scale + self._shift).astype(np.float32)

    def restore(self, boxes: np.ndarray) -> np.ndarray:
        """(M,4) corners on the canvas -> in the picture, clipped to it, float32.

        The exact inverse of `place`: it takes the whole pixels by which the picture was moved and scaled, where
        YOLOv5's scale_boxes takes the fractions before rounding; the two differ by less than a pixel of the canvas.
        """
        boxes = (np.asarray(boxes, np.float64) - self._shift) / self._scale
        height, width = self.source
        return np.clip(boxes, 0, [width, height, width, height]).astype(np.float32)

    @property
    def _scale(self) -> np.ndarray:
        return np.tile(np.array(self.scaled[::-1]) / self.source[::-1], 2)

    @property
    def _shift(self) -> np.ndarray:
        return np.array([self.left, self.top, self.left, self.top], np.float64)
