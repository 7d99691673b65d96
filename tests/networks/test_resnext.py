from __future__ import annotations

import functools

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


class Bottleneck(nn.Module):
    """1x1, grouped 3x3, 1x1; the middle is `planes * per_group / 64` channels wide in each group."""

    def __init__(self, inputs: int, planes: int, stride: int, groups: int, per_group: int) -> None:
        super().__init__()
        width, outputs = planes * per_group // 64 * groups, 4 * planes
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class SmallNet(nn.Module):
    """ResNet-50's four stages of bottlenecks, half as wide and with fewer blocks."""

    def __init__(self, groups: int, per_group: int, blocks: tuple[int, ...] = (2, 1, 2, 1)) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True)]
        layers.append(nn.MaxPool2d(3, 2, 1))
        inputs = 32
        for stage, repeats in enumerate(blocks):
            planes = 32 * 2**stage
            for i in range(repeats):
                stride = 2 if stage and i == 0 else 1
                layers.append(Bottleneck(inputs, planes, stride, groups, per_group))
                inputs = 4 * planes
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inputs, 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(self.avgpool(self.features(x)), 1))


# ResNeXt 32x4d: https://arxiv.org/abs/1611.05431; Wide ResNet-50-2: https://arxiv.org/abs/1605.07146
SmallResNeXt = functools.partial(SmallNet, groups=32, per_group=4)
SmallWideResNet = functools.partial(SmallNet, groups=1, per_group=128)


@pytest.fixture(scope="module", params=[SmallResNeXt, SmallWideResNet], ids=["ResNeXt", "Wide ResNet"])
def make(request):
    return request.param


@pytest.fixture(scope="module")
def open_network(make, network):
    return network(make, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_network_exported_for_one_image_agrees_with_torch(make, network):
    fixed = network(make, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    groups = {o.params["groups"].value for o in fixed.graph.operators if o.type == "nn.Conv2d"}
    assert groups == {1, make.keywords["groups"]}


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_network_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
