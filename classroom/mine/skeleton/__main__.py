"""`python -m mine`: how many of the 360 scans in digits/ this framework reads right.

`python -m mine MODEL.pnnx.param INPUT.npy` runs a network of yours on an array of yours, (N, ...), and prints what
comes out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from . import load


def main() -> None:
    """Read all digits, in one batch; or run the model and the input of the command line."""
    if len(sys.argv) == 3:
        print(load(sys.argv[1])(np.load(sys.argv[2])))
        return
    if len(sys.argv) > 1:
        raise SystemExit(f"usage: python -m {__package__} [MODEL.pnnx.param INPUT.npy]")
    folder = Path(__file__).with_name("digits")
    network = load(folder / "digits.pnnx.param")
    with np.load(folder / "heldout.npz") as data:
        images, labels = data["images"].astype(np.float32)[:, None], data["labels"]
    right = int((network(images).argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are read right.")


if __name__ == "__main__":
    main()
