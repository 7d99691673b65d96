from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


class Fire(nn.Module):
    def __init__(self, inputs: int, squeeze: int, expand: int) -> None:
        super().__init__()
        self.squeeze = nn.Sequential(nn.Conv2d(inputs, squeeze, 1), nn.ReLU(inplace=True))
        self.expand1x1 = nn.Sequential(nn.Conv2d(squeeze, expand, 1), nn.ReLU(inplace=True))
        self.expand3x3 = nn.Sequential(nn.Conv2d(squeeze, expand, 3, padding=1), nn.ReLU(inplace=True))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.squeeze(x)
        return torch.cat([self.expand1x1(x), self.expand3x3(x)], 1)


class SqueezeNet11(nn.Module):
    """https://arxiv.org/abs/1602.07360, version 1.1: its pools round up (ceil_mode)."""

    def __init__(self) -> None:
        super().__init__()

        def pool() -> nn.MaxPool2d:
            return nn.MaxPool2d(3, 2, ceil_mode=True)

        self.features = nn.Sequential(
            *(nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True), pool()),
            *(Fire(64, 16, 64), Fire(128, 16, 64), pool()),
            *(Fire(128, 32, 128), Fire(256, 32, 128), pool()),
            *(Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256), Fire(512, 64, 256)),
        )
        self.classifier = nn.Sequential(
            nn.Dropout(), nn.Conv2d(512, 1000, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.flatten(self.classifier(self.features(x)), 1)


@pytest.fixture(scope="module")
def open_network(network):
    return network(SqueezeNet11, (1, 3, 64, 64), (3, 3, 96, 96))


def test_squeezenet11_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SqueezeNet11, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"torch.cat", "nn.MaxPool2d", "nn.AdaptiveAvgPool2d", "torch.flatten"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 97, 70)])
def test_squeezenet11_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
