"""`python -m mine`: how many of the 360 scans in digits/ this framework reads right."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import load


def main() -> None:
    """Read all of them, in one batch."""
    folder = Path(__file__).with_name("digits")
    network = load(folder / "digits.pnnx.param")
    with np.load(folder / "heldout.npz") as data:
        images, labels = data["images"].astype(np.float32)[:, None], data["labels"]
    right = int((network(images).argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are read right.")


if __name__ == "__main__":
    main()
