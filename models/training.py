"""What the training scripts share: fixed seeds, progress, and writing a trained network as PNNX files."""

from __future__ import annotations

import math
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn


def export(model: nn.Module, folder: Path, inputs: Sequence[Tensor], others: Sequence[Tensor]) -> int:
    """Write NAME.pnnx.param and NAME.pnnx.bin, NAME the folder's own; the number of bytes of the .bin.

    Dimensions in which `others` differ from `inputs` stay open in the file. pnnx's further files are not kept.
    """
    import pnnx

    name = folder.name
    with tempfile.TemporaryDirectory() as scratch:
        pnnx.export(model.eval(), str(Path(scratch, f"{name}.pt")), tuple(inputs), tuple(others))
        for file in (f"{name}.pnnx.param", f"{name}.pnnx.bin"):
            shutil.copyfile(Path(scratch, file), folder / file)
    return (folder / f"{name}.pnnx.bin").stat().st_size


def deterministic(seed: int) -> None:
    """Make torch give the same numbers on every run of one version on one kind of processor."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # sums in one order
    torch.use_deterministic_algorithms(True)


class Watch:
    """Prints how far a training is: call `watch(step, loss)` after each of the `steps` steps."""

    def __init__(self, steps: int, lines: int = 40) -> None:
        self.steps, self.every, self.mean = steps, max(1, steps // lines), math.nan
        self.start, self.processor = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        """Seconds by the clock."""
        return time.perf_counter() - self.start

    @property
    def processor_seconds(self) -> float:
        """Seconds of processor time."""
        return time.process_time() - self.processor

    def __call__(self, step: int, loss: float) -> None:
        """Note the loss of a step; a line now and then."""
        self.mean = loss if math.isnan(self.mean) else 0.98 * self.mean + 0.02 * loss
        if (step + 1) % self.every == 0 or step + 1 == self.steps:
            print(f"step {step + 1:5} of {self.steps}: loss {self.mean:.4f}, {self.seconds:.0f} s", flush=True)
