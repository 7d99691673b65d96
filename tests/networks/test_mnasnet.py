from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


def unit(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: bool = True) -> nn.Sequential:
    """Convolution, BatchNorm and, if asked for, ReLU."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), *([nn.ReLU(inplace=True)] if act else []))


class InvertedResidual(nn.Module):
    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden = inputs * expand
        self.residual = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            unit(inputs, hidden, 1), unit(hidden, hidden, kernel, stride, hidden), unit(hidden, outputs, 1, act=False)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x) + x if self.residual else self.body(x)


class MNASNetHalf(nn.Module):
    """MNASNet-B1 (https://arxiv.org/abs/1807.11626, figure 7) at half its width, as published under the name 0.5."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [unit(3, 16, 3, 2), unit(16, 16, 3, groups=16), unit(16, 8, 1, act=False)]
        inputs = 8
        table = [  # outputs, kernel, stride, expansion, repeats
            (16, 3, 2, 3, 3),
            (24, 5, 2, 3, 3),
            (40, 5, 2, 6, 3),
            (48, 3, 1, 6, 2),
            (96, 5, 2, 6, 4),
            (160, 3, 1, 6, 1),
        ]
        for outputs, kernel, stride, expand, repeats in table:
            for i in range(repeats):
                layers.append(InvertedResidual(inputs, outputs, kernel, stride if i == 0 else 1, expand))
                inputs = outputs
        self.layers = nn.Sequential(*layers, unit(160, 1280, 1))
        self.classifier = nn.Sequential(nn.Dropout(0.2, inplace=True), nn.Linear(1280, 1000))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.layers(x).mean([2, 3]))


@pytest.fixture(scope="module")
def open_network(network):
    return network(MNASNetHalf, (1, 3, 64, 64), (3, 3, 96, 96))


def test_mnasnet_exported_for_one_image_agrees_with_torch(network):
    fixed = network(MNASNetHalf, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.Conv2d", "nn.ReLU", "torch.mean", "nn.Linear", "pnnx.Expression"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_mnasnet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
