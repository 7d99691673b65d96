"""Pieces of ten photographs, their colours taken away: what the classifier tells apart. Needs numpy and pillow.

Nothing is downloaded: the photographs lie in the wheels of scikit-learn and scikit-image. The left part of each is for
training, the right part is held out, so that no held-out piece shows a pixel that training saw.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from models.scenes import photographs

PHOTOGRAPHS = {
    "brick": ("skimage", "data/brick.png"),
    "cat": ("skimage", "data/chelsea.png"),
    "coffee": ("skimage", "data/coffee.png"),
    "coins": ("skimage", "data/coins.png"),
    "flower": ("sklearn", "datasets/images/flower.jpg"),
    "grass": ("skimage", "data/grass.png"),
    "gravel": ("skimage", "data/gravel.png"),
    "stars": ("skimage", "data/hubble_deep_field.jpg"),
    "temple": ("sklearn", "datasets/images/china.jpg"),
    "tissue": ("skimage", "data/ihc.png"),
}
"""Name of the class -> (package, path in it) of its photograph."""

LABELS = tuple(PHOTOGRAPHS)
SIZE = 64
TRAIN_SHARE = 0.64


def halves() -> tuple[list[Image.Image], list[Image.Image]]:
    """The photographs in grey, cut in two: the left parts for training, the right parts held out."""
    found = [picture.convert("L") for picture in photographs(tuple(PHOTOGRAPHS.values()))]
    cuts = [round(picture.width * TRAIN_SHARE) for picture in found]
    left = [picture.crop((0, 0, cut, picture.height)) for picture, cut in zip(found, cuts)]
    right = [picture.crop((cut, 0, picture.width, picture.height)) for picture, cut in zip(found, cuts)]
    return left, right


class Cutter:
    """Cuts pieces out of its pictures; the same ones in the same order for one seed."""

    def __init__(self, pictures: list[Image.Image], seed: int) -> None:
        self.pictures, self.random = pictures, np.random.default_rng(seed)

    def piece(self, label: int) -> np.ndarray:
        """(64, 64, 3) uint8: 48 to 96 pixels of the picture from a random place, turned, mirrored, and tinted.

        Brightness and contrast are set at random and a tint is laid over the grey, so that colour tells nothing.
        """
        picture = self.pictures[label]
        side = self.random.uniform(48, 96)
        angle = self.random.uniform(0, 2 * np.pi)
        reach = side / 2 * (abs(np.cos(angle)) + abs(np.sin(angle)))
        x, y = (self.random.uniform(reach, length - reach) for length in picture.size)
        step = side / SIZE
        flip = self.random.choice((-1, 1))
        a, b = step * np.cos(angle), -step * np.sin(angle) * flip
        d, e = step * np.sin(angle), step * np.cos(angle) * flip
        half = SIZE / 2
        matrix = (a, b, x - (a + b) * half, d, e, y - (d + e) * half)
        cut = picture.transform((SIZE, SIZE), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
        grey = np.asarray(cut, np.float32)
        spread = max(float(grey.std()), 4.0)
        levels = self.random.uniform(90, 165) + (grey - grey.mean()) / spread * self.random.uniform(25, 55)
        tint = self.random.uniform(0.75, 1.25, 3).astype(np.float32)
        noise = self.random.standard_normal((SIZE, SIZE, 1), np.float32) * np.float32(self.random.uniform(0, 5))
        return np.clip(levels[..., None] * tint + noise, 0, 255).astype(np.uint8)

    def batch(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(N, 64, 64, 3) uint8 and (N,) labels, the classes in turn."""
        labels = np.arange(count) % len(self.pictures)
        return np.stack([self.piece(label) for label in labels]), labels
