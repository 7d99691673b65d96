"""A picture's bytes -> the numbers that a network was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.errors import KuiperError, ShapeError


@dataclass(frozen=True)
class Normalization:
    """How a picture's bytes 0..255 become numbers: (x * scale - mean) / std, with one value or one per channel."""

    scale: float = 1 / 255
    mean: Sequence[float] = (0.0,)
    std: Sequence[float] = (1.0,)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """(C,H,W) of 0..255 -> (C,H,W) of float32. Raises ShapeError when mean or std do not fit C.

        >>> Normalization(mean=[0.5], std=[0.25])(np.full((1, 1, 1), 255)).item()
        2.0
        """
        for name, values in (("mean", self.mean), ("std", self.std)):
            if len(values) not in (1, x.shape[0]):
                raise ShapeError(name, f"1 value, or one for each of {x.shape[0]} channel(s)", f"{len(values)} values")
        if not all(np.isfinite([self.scale, *self.mean, *self.std])) or 0 in self.std:
            raise KuiperError("scale, mean, std: expected finite numbers, and std other than 0")
        mean, std = (np.asarray(v, np.float32).reshape(-1, 1, 1) for v in (self.mean, self.std))
        return (x.astype(np.float32) * np.float32(self.scale) - mean) / std


IMAGENET = Normalization(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
"""The mean and spread of ImageNet's red, green and blue: what torchvision's networks were trained with."""
