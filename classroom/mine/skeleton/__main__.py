"""`python -m {package}` reads digits and names patches; `python -m {package} MODEL [PICTURE or .npy]` runs a model."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from . import load
from .pictures import normalised, read_input

HERE = Path(__file__).parent


def main() -> None:
    """Run what the command line names, or both networks that came along."""
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) > 1:
        try:
            lines = answers(*map(Path, sys.argv[1:3]))
        except (OSError, ValueError) as error:
            sys.exit(f"{sys.argv[1]}: {error}")
        print("\n".join(lines))
        return
    print("{} of {} digits are read right.".format(*digits()))
    print("{} of {} patches of photographs are named right, by the ResNet of lesson 8.".format(*patches()))


def digits() -> tuple[int, int]:
    """How many of the scans in digits/ are read right, and how many there are."""
    with np.load(HERE / "digits" / "heldout.npz") as data:
        return right(
            load(HERE / "digits" / "digits.pnnx.param"), data["images"].astype(np.float32)[:, None], data["labels"]
        )


def patches() -> tuple[int, int]:
    """How many of the patches in classifier/ are named right, and how many there are."""
    with np.load(HERE / "classifier" / "heldout.npz") as data:
        images, labels = normalised(data["images"]), data["labels"]
    return right(load(HERE / "classifier" / "classifier.pnnx.param"), images, labels)


def right(network, images: np.ndarray, labels: np.ndarray) -> tuple[int, int]:
    """How often the highest score is that of the label, and of how many."""
    return int((network(images).argmax(axis=1) == labels).sum()), len(labels)


def answers(param: Path, given: Path | None = None) -> list[str]:
    """The lines to print: the model's operators, or what it says of an input. `param` may be the model's folder."""
    if param.is_dir():
        found = sorted(param.glob("*.pnnx.param"))
        if len(found) != 1:
            raise ValueError(f"expected one .pnnx.param file in this folder, found {len(found)}")
        (param,) = found
    if param.suffix != ".param":
        raise ValueError("expected a .pnnx.param file; the weights are taken from the .pnnx.bin file beside it")
    text = param.read_text(encoding="utf-8")
    network = load(param)
    if given is None:
        lines = [line for line in text.split("\n") if line.strip()]
        return [f"{param.name}: {len(lines) - 2} operators, all known. Give it a picture or a .npy file."]
    y = network(read_input(given, text))
    if y.ndim != 2:
        return [f"{param.name} gives an array of shape {y.shape}."]
    labels = param.with_name("labels.txt")
    names = labels.read_text(encoding="utf-8").split("\n") if labels.is_file() else [str(i) for i in range(y.shape[1])]
    if len(y) > 1:
        found = Counter(names[k] for k in y.argmax(axis=1))
        return [f"{name:12} {count} of {len(y)} pieces" for name, count in found.most_common(3)]
    powers = np.exp(y[0] - y[0].max())
    shares = powers / powers.sum()
    return [f"{names[k]:12} {shares[k]:.0%}" for k in np.argsort(-shares)[:3]]


if __name__ == "__main__":
    main()
