from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


def shuffle(x: torch.Tensor) -> torch.Tensor:
    """Interleave the two halves of the channels."""
    n, c, h, w = x.shape
    return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def pointwise(inputs: int, outputs: int) -> list[nn.Module]:
    return [nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]


def depthwise(channels: int, stride: int) -> list[nn.Module]:
    return [nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), nn.BatchNorm2d(channels)]


class Unit(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        half = outputs // 2
        inside = inputs if stride == 2 else half
        self.left = nn.Sequential(*depthwise(inputs, 2), *pointwise(inputs, half)) if stride == 2 else None
        self.right = nn.Sequential(*pointwise(inside, half), *depthwise(half, stride), *pointwise(half, half))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.left is None:
            left, x = x.chunk(2, dim=1)
        else:
            left = self.left(x)
        return shuffle(torch.cat((left, self.right(x)), 1))


class ShuffleNetV2Half(nn.Module):
    """https://arxiv.org/abs/1807.11164, table 5, 0.5x."""

    def __init__(self) -> None:
        super().__init__()
        stem = [nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        units: list[nn.Module] = []
        inputs = 24
        for outputs, repeats in [(48, 4), (96, 8), (192, 4)]:
            units += [Unit(inputs, outputs, 2), *(Unit(outputs, outputs, 1) for _ in range(repeats - 1))]
            inputs = outputs
        self.features = nn.Sequential(*stem, *units, *pointwise(192, 1024))
        self.fc = nn.Linear(1024, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.features(x).mean([2, 3]))


@pytest.fixture(scope="module")
def open_network(network):
    return network(ShuffleNetV2Half, (1, 3, 64, 64), (3, 3, 96, 96))


def test_shufflenet_exported_for_one_image_agrees_with_torch(network):
    fixed = network(ShuffleNetV2Half, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"torch.chunk", "nn.ChannelShuffle", "torch.mean"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_shufflenet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
