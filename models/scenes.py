"""Photographs with handwritten digits pasted in: the pictures that the detector and the segmenter learn from.

Nothing is downloaded: the digits are the scans in scikit-learn's wheel, the photographs are those that the wheels of
scikit-learn, scikit-image and matplotlib carry. Both are split before anything is drawn, so that a held-out scene shows
neither a digit nor a photograph that training saw. Needs numpy, pillow and, to read the data, those three packages.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import numpy as np
from PIL import Image

SPLIT_SEED = 7
HELD_OUT_SCANS = 360

TRAIN_PHOTOGRAPHS = (
    ("sklearn", "datasets/images/china.jpg"),
    ("sklearn", "datasets/images/flower.jpg"),
    ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
    *(("skimage", f"data/{name}") for name in ("astronaut.png", "hubble_deep_field.jpg", "ihc.png", "retina.jpg")),
    *(("skimage", f"data/{name}") for name in ("camera.png", "grass.png", "coins.png", "moon.png", "cell.png")),
)
"""(package, path in it) of the photographs that training uses."""

HELD_OUT_PHOTOGRAPHS = tuple(
    ("skimage", f"data/{name}") for name in ("coffee.png", "chelsea.png", "rocket.jpg", "brick.png", "gravel.png")
)
"""(package, path in it) of the photographs that only held-out scenes show; all are CC0 or in the public domain."""


@dataclass
class Scene:
    """A picture and what is in it.

    image : (S, S, 3) uint8, red, green, blue.
    boxes : (K, 4) float32, left, top, right, bottom of each digit in pixels.
    labels : (K,) int64, 0..9.
    mask : (S, S) uint8, 0 where the photograph is, 1 + digit where a digit is.
    """

    image: np.ndarray
    boxes: np.ndarray
    labels: np.ndarray
    mask: np.ndarray


def photographs(files: tuple[tuple[str, str], ...]) -> list[Image.Image]:
    """The photographs in colour, none larger than 640 pixels."""
    found = []
    for package, path in files:
        with (resources.files(package) / path).open("rb") as file:
            picture = Image.open(file).convert("RGB")
        picture.thumbnail((640, 640), Image.Resampling.LANCZOS)
        found.append(picture)
    return found


def scans() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The 1,797 scans as (training, held out), each (N, 8, 8) of 0..1 and (N,) labels; split as for `digits`."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    images, labels = (digits.images / 16).astype(np.float32), digits.target.astype(np.int64)
    x, x_held, y, y_held = train_test_split(
        images, labels, test_size=HELD_OUT_SCANS, random_state=SPLIT_SEED, stratify=labels, shuffle=True
    )
    return (x, y), (x_held, y_held)


class Painter:
    """Draws scenes from its photographs and scans; the same ones in the same order for one seed.

    sizes : the smallest and the largest height of a scan in pixels; heights are drawn evenly on a logarithmic scale.
    """

    def __init__(
        self,
        pictures: list[Image.Image],
        images: np.ndarray,
        labels: np.ndarray,
        seed: int,
        sizes: tuple[float, float] = (16, 90),
    ) -> None:
        self.pictures, self.images, self.labels, self.sizes = pictures, images, labels, sizes
        self.random = np.random.default_rng(seed)

    def scene(self, size: int, most: int) -> Scene:
        """A square picture of `size` pixels with 1 to `most` digits that hardly touch."""
        image, mask = self.background(size), np.zeros((size, size), np.uint8)
        boxes: list[tuple[int, int, int, int]] = []
        labels = []
        for _ in range(self.random.integers(1, most + 1)):
            which = self.random.integers(len(self.labels))
            alpha = self.glyph(self.images[which])
            place = self.place(alpha.shape, size, boxes)
            if place is None:
                continue
            left, top, right, bottom = place
            region = image[top:bottom, left:right]
            colour = self.colour(region[alpha > 0.5].mean(axis=0))
            region += (colour - region) * alpha[..., None]
            mask[top:bottom, left:right][alpha > 0.5] = 1 + self.labels[which]
            boxes.append(place)
            labels.append(self.labels[which])
        noise = self.random.standard_normal((size, size, 1), np.float32) * np.float32(self.random.uniform(0, 6))
        pixels = np.clip(image + noise, 0, 255).astype(np.uint8)
        return Scene(pixels, np.array(boxes, np.float32).reshape(-1, 4), np.array(labels, np.int64), mask)

    def background(self, size: int) -> np.ndarray:
        """(size, size, 3) float32 of 0..255: a piece of a photograph, at times mirrored, its colours changed."""
        picture = self.pictures[self.random.integers(len(self.pictures))]
        side = self.random.uniform(0.35, 1) * min(picture.size)
        left, top = (self.random.uniform(0, length - side) for length in picture.size)
        piece = picture.resize((size, size), Image.Resampling.BILINEAR, (left, top, left + side, top + side))
        image = np.asarray(piece, np.float32)[:, :: self.random.choice((-1, 1))].copy()
        gain, shift = self.random.uniform(0.7, 1.3, 3), self.random.uniform(-25, 25)
        return np.clip(image * gain.astype(np.float32) + np.float32(shift), 0, 255)

    def glyph(self, scan: np.ndarray) -> np.ndarray:
        """(8, 8) scan -> (h, w) float32 of 0..1: enlarged, turned and slanted a little, cut to its strokes."""
        low, high = np.log(self.sizes)
        scale = np.exp(self.random.uniform(low, high)) / 8
        angle, slant = self.random.uniform(-0.25, 0.25), self.random.uniform(-0.15, 0.15)
        wide = scale * self.random.uniform(0.85, 1.15)
        padded = Image.fromarray(np.pad(scan, 3).astype(np.float32))
        side = int(14 * max(scale, wide))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        matrix = np.diag([1 / wide, 1 / scale]) @ turn @ np.array([[1, slant], [0, 1]])
        offset = 7 - matrix @ [side / 2, side / 2]
        rows = np.column_stack([matrix, offset]).ravel()
        grown = padded.transform((side, side), Image.Transform.AFFINE, tuple(rows), Image.Resampling.BICUBIC)
        alpha = np.clip((np.asarray(grown) - 0.5) * max(2.0, 0.8 * scale) + 0.5, 0, 1)
        ys, xs = (np.flatnonzero((alpha > 0.5).any(axis=axis)) for axis in (1, 0))
        return alpha[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]

    def place(self, shape: tuple[int, ...], size: int, taken: list[tuple[int, int, int, int]]) -> tuple | None:
        """Left, top, right, bottom where the glyph covers no other digit; None if 20 tries find no such place."""
        height, width = shape
        if max(height, width) >= size:
            return None
        for _ in range(20):
            left, top = self.random.integers(size - width), self.random.integers(size - height)
            box = int(left), int(top), int(left) + width, int(top) + height
            if not any(min(box[2], b[2]) > max(box[0], b[0]) and min(box[3], b[3]) > max(box[1], b[1]) for b in taken):
                return box
        return None

    def colour(self, behind: np.ndarray) -> np.ndarray:
        """(3,) float32: a random colour at least 70 of 255 lighter or darker than what is behind the digit."""
        weights = np.array([0.299, 0.587, 0.114])
        while True:
            colour = self.random.uniform(0, 255, 3)
            if abs((colour - behind) @ weights) > 70:
                return colour.astype(np.float32)
