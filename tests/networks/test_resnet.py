from __future__ import annotations

from collections.abc import Callable

import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


class BasicBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + shortcut)


class ResNet18(nn.Module):
    """https://arxiv.org/abs/1512.03385, table 1, 18 layers."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        )
        stages = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        self.stages = nn.Sequential(
            *(nn.Sequential(BasicBlock(i, o, s), BasicBlock(o, o, 1)) for i, o, s in stages),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(self.avgpool(self.stages(self.stem(x))), 1))


@pytest.fixture(scope="module")
def open_network(network: Callable):
    return network(ResNet18, (1, 3, 64, 64), (3, 3, 96, 96))


def test_resnet18_exported_for_one_image_agrees_with_torch(network):
    fixed = network(ResNet18, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "nn.AdaptiveAvgPool2d", "nn.Linear"} <= fixed.types
    assert "nn.BatchNorm2d" not in fixed.types, "pnnx folds BatchNorm into the convolution before it"


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (5, 3, 64, 64), (2, 3, 96, 70)])
def test_resnet18_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)


@pytest.mark.slow
def test_resnet18_needs_the_memory_that_was_simulated_for_it(export: Callable):
    """Numbers of float32 at batch 1: without reuse, and alive at once."""
    graph = kuiper.load(export(ResNet18().eval(), torch.rand(1, 3, 224, 224)))
    assert graph.memory_plan.total_bytes == 4 * 5_897_704
    assert graph.memory_plan.lower_bound_bytes == 4 * 1_605_632
    assert graph.memory_plan.planned_bytes <= 4 * 2_887_144, "KuiperInfer's reuse"
