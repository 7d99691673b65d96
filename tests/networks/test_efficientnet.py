from __future__ import annotations

import functools

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


def unit(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: bool = True) -> nn.Sequential:
    """Convolution, BatchNorm and, if asked for, SiLU."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs, eps=1e-3), *([nn.SiLU(inplace=True)] if act else []))


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)
        self.silu, self.sigmoid = nn.SiLU(inplace=True), nn.Sigmoid()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.sigmoid(self.fc2(self.silu(self.fc1(self.avgpool(x))))) * x


class StochasticDepth(nn.Module):
    """Drops whole images' residuals while training; off, so absent from an export, afterwards."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.bernoulli(torch.full((len(x), 1, 1, 1), 0.8)) / 0.8 if self.training else x


class Block(nn.Module):
    """MBConv: 1x1 wider, depthwise, squeeze and excite, 1x1 narrower; fused: 3x3 wider, 1x1 narrower."""

    def __init__(self, fused: bool, inputs: int, outputs: int, kernel: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden = inputs * expand
        narrow = [unit(hidden, outputs, 1, act=False)]
        if fused and expand == 1:
            layers = [unit(inputs, outputs, kernel, stride)]
        elif fused:
            layers = [unit(inputs, hidden, kernel, stride), *narrow]
        else:
            wide = [unit(inputs, hidden, 1)] if expand != 1 else []
            depthwise = unit(hidden, hidden, kernel, stride, hidden)
            layers = [*wide, depthwise, SqueezeExcite(hidden, max(1, inputs // 4)), *narrow]
        self.body = nn.Sequential(*layers)
        self.residual = stride == 1 and inputs == outputs
        self.depth = StochasticDepth()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.depth(self.body(x)) + x if self.residual else self.body(x)


class SmallEfficientNet(nn.Module):
    """The stages of EfficientNet with real widths and fewer blocks; a stage is Block's arguments and a repeat count."""

    def __init__(self, stem: int, stages: list[tuple[bool, int, int, int, int, int]]) -> None:
        super().__init__()
        layers: list[nn.Module] = [unit(3, stem, 3, 2)]
        inputs = stem
        for fused, outputs, kernel, stride, expand, repeats in stages:
            for i in range(repeats):
                layers.append(Block(fused, inputs, outputs, kernel, stride if i == 0 else 1, expand))
                inputs = outputs
        self.features = nn.Sequential(*layers, unit(inputs, 640, 1))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(0.2, inplace=True), nn.Linear(640, 100))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


V1 = [  # B0 of https://arxiv.org/abs/1905.11946, table 1: fused, outputs, kernel, stride, expansion, repeats
    (False, 16, 3, 1, 1, 1),
    (False, 24, 3, 2, 6, 2),
    (False, 40, 5, 2, 6, 1),
    (False, 80, 3, 2, 6, 2),
    (False, 112, 5, 1, 6, 1),
    (False, 192, 5, 2, 6, 2),
    (False, 320, 3, 1, 6, 1),
]
V2 = [  # S of https://arxiv.org/abs/2104.00298, table 4
    (True, 24, 3, 1, 1, 2),
    (True, 48, 3, 2, 4, 2),
    (True, 64, 3, 2, 4, 1),
    (False, 128, 3, 2, 4, 2),
    (False, 160, 3, 1, 6, 1),
    (False, 256, 3, 2, 6, 1),
]


@pytest.fixture(scope="module", params=[(32, V1), (24, V2)], ids=["V1", "V2"])
def make(request):
    return functools.partial(SmallEfficientNet, *request.param)


@pytest.fixture(scope="module")
def open_network(make, network):
    return network(make, (1, 3, 96, 96), (3, 3, 64, 64))


def test_small_efficientnet_exported_for_one_image_agrees_with_torch(make, network):
    fixed = network(make, (1, 3, 96, 96))
    fixed.compare((1, 3, 96, 96))
    assert {"nn.SiLU", "nn.Sigmoid", "nn.AdaptiveAvgPool2d", "pnnx.Expression", "nn.Linear"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 96, 96), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_efficientnet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
