from __future__ import annotations

import functools

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


def unit(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: bool = True) -> nn.Sequential:
    """Convolution, BatchNorm and, if asked for, ReLU."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), *([nn.ReLU(inplace=True)] if act else []))


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)
        self.relu, self.sigmoid = nn.ReLU(), nn.Sigmoid()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.sigmoid(self.fc2(self.relu(self.fc1(self.avgpool(x)))))


class Block(nn.Module):
    """1x1, grouped 3x3, squeeze and excite in Y, 1x1, and the shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int, group_width: int, squeeze: bool) -> None:
        super().__init__()
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = unit(inputs, outputs, 1, stride, act=False)
        self.body = nn.Sequential(
            unit(inputs, outputs, 1),
            unit(outputs, outputs, 3, stride, outputs // group_width),
            *([SqueezeExcite(outputs, round(inputs / 4))] if squeeze else []),
            unit(outputs, outputs, 1, act=False),
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu((x if self.shortcut is None else self.shortcut(x)) + self.body(x))


WIDTHS = {"X": (32, 64, 160, 400), "Y": (48, 104, 208, 440)}
GROUP_WIDTH = {"X": 16, "Y": 8}


class SmallRegNet(nn.Module):
    """RegNet X or Y with 400 MF (https://arxiv.org/abs/2003.13678): real widths and groups, fewer blocks in a stage."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        layers: list[nn.Module] = [unit(3, 32, 3, 2)]
        inputs = 32
        for outputs, repeats in zip(WIDTHS[kind], (1, 2, 2, 2), strict=True):
            for i in range(repeats):
                layers.append(Block(inputs, outputs, 2 if i == 0 else 1, GROUP_WIDTH[kind], kind == "Y"))
                inputs = outputs
        self.features = nn.Sequential(*layers)
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(inputs, 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.avgpool(self.features(x)).flatten(start_dim=1))


@pytest.fixture(scope="module", params=["X", "Y"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def open_network(kind, network):
    return network(functools.partial(SmallRegNet, kind), (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_regnet_exported_for_one_image_agrees_with_torch(kind, network):
    fixed = network(functools.partial(SmallRegNet, kind), (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert ("nn.Sigmoid" in fixed.types) == (kind == "Y"), "only Y has squeeze and excite"
    convolutions = [o.params for o in fixed.graph.operators if o.type == "nn.Conv2d"]
    grouped = [p for p in convolutions if p["groups"].value > 1]
    assert {p["in_channels"].value // p["groups"].value for p in grouped} == {GROUP_WIDTH[kind]}


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_regnet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
