"""Real networks on two back ends: what one does not take falls back to the other, and the outputs are the whole's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper.partition import Device, Executor, Link, NodeGraph, partition
from kuiper.partition.backends.array_module import ArrayModule

TOLERANCE = 1e-4
PACKAGES = {"onnxruntime": ("onnx", "onnxruntime"), "torch": ("torch",), "fast": ()}
MOBILE_BLOCKED = {"pnnx.Expression", "F.adaptive_avg_pool2d", "torch.flatten"}
YOLO_BLOCKED = {"nn.MaxPool2d", "nn.Upsample", "torch.split", "torch.cat"}


def device(name: str, blocked: Any = (), **options: Any) -> Device:
    """A device with that back end, or a skipped test where its packages are missing."""
    for package in PACKAGES[name]:
        pytest.importorskip(package, reason=f"back end {name} needs {package}, which is not installed")
    return Device("ACC", blocked=blocked, backend=name, speed=1e12, **options)


@pytest.fixture(scope="module")
def mobilenet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """MobileNetV2 for small images, random weights."""
    return _exported(
        tmp_path_factory, lambda networks: replace(networks.NETWORKS["mobilenet_v2"], shape=(1, 3, 32, 32))
    )


@pytest.fixture(scope="module")
def yolo(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """YOLOv5 with an eighth of the width: CSP blocks, SPPF, a pyramid of features, decoded boxes."""

    def make(networks: Any) -> Any:
        from benchmarks.yolo import YOLOv5s

        return networks.Network("tiny_yolo", "", lambda: YOLOv5s(64, 4, 8), (1, 3, 64, 64))

    return _exported(tmp_path_factory, make)


def _exported(factory: pytest.TempPathFactory, choose: Callable[[Any], Any]) -> Any:
    for package in ("torch", "pnnx"):
        pytest.importorskip(package, reason=f"exports a network with {package}, which is not installed")
    from benchmarks import networks

    param: Path = choose(networks).export(factory.mktemp("networks"))
    return kuiper.load(str(param), engine="simple")


def agree(graph: Any, x: np.ndarray, devices: list[Device], mode: str = "fewest", tolerance: float = TOLERANCE) -> Any:
    """Split, run twice, compare with the whole network -> the executor."""
    nodes = NodeGraph.from_runtime(graph, open_dimension=len(x))
    parts = partition(nodes, devices, mode, min_nodes=0, link=Link(1e-9, 1e12))
    executor = Executor(parts)
    (expected,) = graph(x)
    for _ in range(2):
        (found,) = executor.run([x])
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()
    assert expected.std() > 0.01, "the network's own output says too little"
    assert (executor.stats.transfers, executor.stats.bytes) == (parts.transfers, parts.bytes)
    assert executor.stats.left_bytes == 0
    return executor


def image(size: int) -> np.ndarray:
    return np.random.default_rng(3).random((1, 3, size, size)).astype(np.float32)


@pytest.mark.parametrize("mode", ["fewest", "tengine", "cost"])
@pytest.mark.parametrize("name", PACKAGES)
def test_digits_on_two_back_ends(name: str, mode: str) -> None:
    graph = kuiper.load("models/digits/digits.pnnx.param", engine="simple")
    x = np.random.default_rng(3).random((5, 1, 8, 8)).astype(np.float32) * 16
    executor = agree(graph, x, [device(name, {"nn.Sigmoid", "nn.MaxPool2d"}), Device("CPU")], mode)
    parts = executor.partition
    assert {part.device.name for part in parts.subgraphs} == {"ACC", "CPU"}
    assert {parts.graph.nodes[v].type for v in parts.fallbacks} == {"nn.Sigmoid", "nn.MaxPool2d"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_mobilenet_on_two_back_ends(name: str, mobilenet: Any) -> None:
    executor = agree(mobilenet, image(32), [device(name, MOBILE_BLOCKED), Device("CPU")])
    assert len(executor.partition.subgraphs) == 23
    assert executor.stats.transfers == 27


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["fewest", "tengine"])
@pytest.mark.parametrize("name", PACKAGES)
def test_yolo_on_two_back_ends(name: str, mode: str, yolo: Any) -> None:
    executor = agree(yolo, image(64), [device(name, YOLO_BLOCKED), Device("CPU")], mode)
    parts = executor.partition
    host = {parts.graph.nodes[v].type for part in parts.subgraphs if part.device.name == "CPU" for v in part.nodes}
    assert host >= YOLO_BLOCKED
    assert executor.stats.transfers > 20


@pytest.mark.parametrize("name", ["onnxruntime", "torch"])
def test_whole_networks_in_one_subgraph(name: str, mobilenet: Any, yolo: Any) -> None:
    """Every operator of the two can be handed over."""
    for graph, size in ((mobilenet, 32), (yolo, 64)):
        executor = agree(graph, image(size), [device(name), Device("CPU")])
        assert [part.device.name for part in executor.partition.subgraphs] == ["ACC"]


def test_yolo_on_three_back_ends(yolo: Any) -> None:
    ort = replace(device("onnxruntime"), name="ORT", operators={"nn.Conv2d", "nn.SiLU", "pnnx.Expression"})
    torch = replace(device("torch"), name="TORCH", operators={"torch.cat", "nn.MaxPool2d", "F.sigmoid"})
    executor = agree(yolo, image(64), [ort, torch, Device("CPU", backend="fast")])
    assert {part.device.name for part in executor.partition.subgraphs} == {"ORT", "TORCH", "CPU"}


def test_mobilenet_on_the_back_end_behind_cupy(mobilenet: Any) -> None:
    """With numpy as the module: what it cannot compute falls back by itself."""
    acc = Device("ACC", backend=ArrayModule(np, "numpy"))
    executor = agree(mobilenet, image(32), [acc, Device("CPU")])
    assert len(executor.partition.subgraphs) == 1


def test_yolo_on_the_back_end_behind_cupy_falls_back_for_views(yolo: Any) -> None:
    executor = agree(yolo, image(64), [Device("ACC", backend=ArrayModule(np, "numpy")), Device("CPU")])
    reasons = set(executor.partition.fallbacks.values())
    assert "numpy: no way to compute torch.split" in reasons


@pytest.mark.parametrize("name", ["onnxruntime", "torch"])
def test_a_float16_island_in_yolo_agrees_within_float16(name: str, yolo: Any) -> None:
    half = device(name, operators={"nn.Conv2d", "nn.SiLU"}, dtypes={"float16"}, cast=True)
    executor = agree(yolo, image(64), [half, Device("CPU")], tolerance=5e-2)
    assert executor.stats.casts == executor.stats.transfers + 1  # the network's input enters an island too
