from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


class DenseLayer(nn.Module):
    def __init__(self, inputs: int, growth: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, 4 * growth, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * growth), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, *earlier: torch.Tensor) -> torch.Tensor:
        x = torch.cat(earlier, 1)
        x = self.conv1(functional.relu(self.norm1(x)))
        return self.conv2(functional.relu(self.norm2(x)))


class DenseBlock(nn.Module):
    def __init__(self, layers: int, inputs: int, growth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DenseLayer(inputs + i * growth, growth) for i in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = [x]
        for layer in self.layers:
            features.append(layer(*features))
        return torch.cat(features, 1)


class SmallDenseNet(nn.Module):
    """DenseNet-121's structure (https://arxiv.org/abs/1608.06993, table 1) with fewer layers and a smaller growth.

    BatchNorm stands before the convolution here, so pnnx cannot fold it and kuiper must compute it.
    """

    def __init__(self, growth: int = 12, blocks: tuple[int, ...] = (3, 4, 5, 3)) -> None:
        super().__init__()
        channels = 2 * growth
        layers: list[nn.Module] = [nn.Conv2d(3, channels, 7, 2, 3, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        layers.append(nn.MaxPool2d(3, 2, 1))
        for i, count in enumerate(blocks):
            layers.append(DenseBlock(count, channels, growth))
            channels += count * growth
            if i < len(blocks) - 1:
                layers += [nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, channels // 2, 1, bias=False)]
                layers.append(nn.AvgPool2d(2, 2))
                channels //= 2
        layers.append(nn.BatchNorm2d(channels))
        self.features, self.classifier = nn.Sequential(*layers), nn.Linear(channels, 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.adaptive_avg_pool2d(functional.relu(self.features(x)), (1, 1))
        return self.classifier(torch.flatten(x, 1))


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallDenseNet, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_densenet_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallDenseNet, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.BatchNorm2d", "nn.AvgPool2d", "F.relu", "torch.cat"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_densenet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
