"""The networks that are measured: their definitions, and their export by pnnx.

`python -m benchmarks.networks FOLDER [NAME ...]` writes NAME.pnnx.param and NAME.pnnx.bin there.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import kuiper
from kuiper.peers.convert import quiet
from kuiper.text.cache import Cache
from kuiper.text.writing import ROOM

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(__file__).resolve().parent / ".cache"
SEED = 20


@dataclass(frozen=True)
class Network:
    """One row of the table: how to make the module, and the shape of its input (images, or words where `words`)."""

    name: str
    title: str
    make: Callable[[], Any]
    shape: tuple[int, ...]
    words: int = 0

    def example(self) -> Any:
        """A random input of that shape, the same at every call."""
        import torch

        generator = torch.Generator().manual_seed(SEED)
        if self.words:
            return torch.randint(0, self.words, self.shape, generator=generator)
        return torch.rand(*self.shape, generator=generator)

    def inputs(self) -> list[np.ndarray]:
        """What a pass is measured with."""
        return [self.example().numpy()]

    def module(self) -> Any:
        """The torch module in inference mode; its weights are random, keep the signal's size, and never change."""
        import torch

        torch.manual_seed(SEED)
        module = self.make()
        _tests("conftest").randomise(module, torch.rand(1, *self.shape[1:]))
        return module.eval()

    def export(self, folder: Path = CACHE) -> Path:
        """The path of NAME.pnnx.param in `folder`, written there with its .bin by pnnx unless it exists already."""
        param = folder / f"{self.name}.pnnx.param"
        if not (param.exists() and param.with_suffix(".bin").exists()):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as scratch:
                made = export(self.module(), (self.example(),), Path(scratch))
                shutil.move(made.with_suffix(".bin"), param.with_suffix(".bin"))
                shutil.move(made, param)
        return param


@dataclass(frozen=True)
class OneToken:
    """models/writer in the middle of a text: one token, with what is kept of those before it."""

    name: str = "writer"
    title: str = "models/writer, one token"
    room: int = ROOM

    def inputs(self) -> list[np.ndarray]:
        """A token, random keys and values, of which half are in use, and how many those are."""
        graph = kuiper.load(self.export(), engine="simple")
        cache = Cache.of(graph, self.room)
        rng = np.random.default_rng(SEED)
        kept = [rng.standard_normal(cache.keys.shape, np.float32) for _ in range(2)]
        return [np.array([[7]]), *kept, np.array([self.room // 2])]

    def export(self, folder: Path = CACHE) -> Path:
        """The path of the file, which is part of the repository."""
        return ROOT / "models" / "writer" / "writer.pnnx.param"


def export(module: Any, inputs: Sequence[Any], folder: Path) -> Path:
    """net.pnnx.param in `folder`, with net.pnnx.bin beside it, as pnnx exports the module for these inputs."""
    import pnnx

    # pnnx also writes the network as a Python module, at times an invalid or empty one; the .param is complete then
    with quiet(), contextlib.suppress(SyntaxError, AttributeError):
        pnnx.export(module, str(folder / "net.pt"), tuple(inputs))
    return folder / "net.pnnx.param"


@cache
def _tests(name: str) -> ModuleType:
    """A file of tests/networks as a module: the tests define most of the networks; it needs pytest."""
    path = ROOT / "tests" / "networks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _yolo() -> Any:
    from benchmarks.yolo import YOLOv5s

    return YOLOv5s()


def _gpt() -> Any:
    from benchmarks.gpt import GPT

    return GPT()


NETWORKS: dict[str, Network | OneToken] = {
    network.name: network
    for network in (
        Network("resnet18", "ResNet18 224", lambda: _tests("test_resnet").ResNet18(), (1, 3, 224, 224)),
        Network("resnet18_batch8", "ResNet18 224, batch 8", lambda: _tests("test_resnet").ResNet18(), (8, 3, 224, 224)),
        Network("mobilenet_v2", "MobileNetV2 224", lambda: _tests("test_mobilenet").MobileNetV2(), (1, 3, 224, 224)),
        Network(
            "mobilenet_v3_small",
            "MobileNetV3-small 224",
            lambda: _tests("test_mobilenet").MobileNetV3Small(),
            (1, 3, 224, 224),
        ),
        Network("yolov5s", "YOLOv5s 640", _yolo, (1, 3, 640, 640)),
        Network("unet", "U-Net, base 32, 256", lambda: _tests("test_unet").UNet(width=32), (1, 3, 256, 256)),
        Network("gpt", "GPT, 6 layers, 384 wide, 128 words", _gpt, (1, 128), words=1000),
        OneToken(),
    )
}
"""Name -> network, in the order of the table."""


def main() -> None:
    """Export the networks that the command line names, by default all, into the folder that it names."""
    parser = argparse.ArgumentParser(description="Export the networks that are measured.")
    parser.add_argument("folder", nargs="?", type=Path, default=CACHE)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NETWORKS)}")
    typed = parser.parse_args()
    for name in typed.names or NETWORKS:
        print(NETWORKS[name].export(typed.folder))


if __name__ == "__main__":
    main()
