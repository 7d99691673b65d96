from __future__ import annotations

import functools

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow

CONVOLUTIONS = {11: (1, 1, 2, 2, 2), 16: (2, 2, 3, 3, 3)}  # in each of the five stages, by depth


class SmallVGG(nn.Module):
    """VGG with 11 or 16 layers (https://arxiv.org/abs/1409.1556, table 1, columns A and D), a quarter as wide."""

    def __init__(self, depth: int, norm: bool) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 3
        for outputs, repeats in zip((16, 32, 64, 128, 128), CONVOLUTIONS[depth], strict=True):
            for _ in range(repeats):
                layers.append(nn.Conv2d(inputs, outputs, 3, padding=1))
                layers += [nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)] if norm else [nn.ReLU(inplace=True)]
                inputs = outputs
            layers.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            *(nn.Linear(128 * 7 * 7, 256), nn.ReLU(inplace=True), nn.Dropout(0.5)),
            *(nn.Linear(256, 256), nn.ReLU(inplace=True), nn.Dropout(0.5)),
            nn.Linear(256, 100),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


@pytest.fixture(scope="module", params=[(11, False), (16, True)], ids=["11 layers", "16 layers with batch norm"])
def make(request):
    return functools.partial(SmallVGG, *request.param)


@pytest.fixture(scope="module")
def open_network(make, network):
    return network(make, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_vgg_exported_for_one_image_agrees_with_torch(make, network):
    fixed = network(make, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.Conv2d", "nn.ReLU", "nn.MaxPool2d", "nn.AdaptiveAvgPool2d", "nn.Linear"} <= fixed.types
    assert "nn.BatchNorm2d" not in fixed.types, "pnnx folds BatchNorm into the convolution before it, bias or not"


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_vgg_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
