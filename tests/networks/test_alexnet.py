from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


class SmallAlexNet(nn.Module):
    """AlexNet in one column (https://arxiv.org/abs/1404.5997): all its convolutions, a narrower classifier."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True)),
            *(nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True)),
            *(nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2)),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            *(nn.Dropout(0.5), nn.Linear(256 * 6 * 6, width), nn.ReLU(inplace=True)),
            *(nn.Dropout(0.5), nn.Linear(width, width), nn.ReLU(inplace=True)),
            nn.Linear(width, 100),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallAlexNet, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_alexnet_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallAlexNet, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "nn.AdaptiveAvgPool2d", "nn.Linear"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_alexnet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)


@pytest.mark.parametrize(
    "shape", [(1, 3, 224, 224), (1, 3, 290, 325)], ids=["6x6 stays 6x6", "8x9 gives unequal windows"]
)
def test_small_alexnet_pools_maps_as_large_as_the_pool_and_larger(open_network, shape):
    open_network.compare(shape)
