"""How long reading a model takes, beside reading the same file in other ways.

`python -m benchmarks.loading [NAME]` measures one of the networks of this folder, by default resnet18.
"""

from __future__ import annotations

import argparse
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from benchmarks.networks import CACHE, NETWORKS
from kuiper import pnnx
from kuiper.profile import Times


def ways(param: Path) -> dict[str, Callable[[], Any]]:
    """Name -> what is measured; the file is in the system's cache throughout."""
    weights = param.with_suffix(".bin")

    def unzip() -> list[bytes]:
        with zipfile.ZipFile(weights) as archive:
            return [archive.read(name) for name in archive.namelist()]

    return {
        "parse and map (no CRC)": lambda: pnnx.read(param, verify=False),
        "parse, map and check CRCs": lambda: pnnx.read(param),
        "kuiper.load": lambda: kuiper.load(param),
        "numpy.fromfile of the .bin": lambda: np.fromfile(weights, np.uint8),
        "zipfile.read of every weight": unzip,
    }


def loading_times(param: Path, rounds: int = 20) -> dict[str, Times]:
    """The ways in turns, `rounds` times; one turn before them does not count."""
    measured = ways(param)
    seconds: dict[str, list[float]] = {name: [] for name in measured}
    for turn in range(rounds + 1):
        for name, call in measured.items():
            started = time.perf_counter()
            call()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {name: Times(taken) for name, taken in seconds.items()}


def table(times: dict[str, Times]) -> str:
    """Milliseconds, and ratios to the two usual ways to read the file, as Markdown."""
    by_numpy, by_zip = (times[name].median for name in list(times)[-2:])
    lines = ["| reading | ms | middle half | / numpy.fromfile | / zipfile.read |", "|---|--:|--:|--:|--:|"]
    for name, taken in times.items():
        low, high = taken.quartiles
        ratios = f"{taken.median / by_numpy:.2f} | {taken.median / by_zip:.2f}"
        lines.append(f"| {name} | {taken.median * 1e3:.2f} | {low * 1e3:.2f} to {high * 1e3:.2f} | {ratios} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How long reading a model takes.")
    parser.add_argument("name", nargs="?", choices=NETWORKS, default="resnet18")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the exported networks")
    typed = parser.parse_args()
    print(table(loading_times(NETWORKS[typed.name].export(typed.cache))))


if __name__ == "__main__":
    main()
