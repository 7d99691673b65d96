from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


class Unit(nn.Module):
    def __init__(self, inputs: int, outputs: int, kernel: int | tuple[int, int], **options: object) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, bias=False, **options)
        self.bn = nn.BatchNorm2d(outputs, eps=1e-3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.bn(self.conv(x)))


class Inception(nn.Module):
    """Four branches side by side; the third takes the later papers' pair of one-row and one-column kernels."""

    def __init__(self, inputs: int, one: int, three: tuple[int, int], five: tuple[int, int], pool: int) -> None:
        super().__init__()
        self.one = Unit(inputs, one, 1)
        self.three = nn.Sequential(Unit(inputs, three[0], 1), Unit(three[0], three[1], 3, padding=1))
        self.five = nn.Sequential(
            Unit(inputs, five[0], 1),
            Unit(five[0], five[1], (1, 5), padding=(0, 2)),
            Unit(five[1], five[1], (5, 1), padding=(2, 0)),
        )
        self.pool = Unit(inputs, pool, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = functional.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return torch.cat([self.one(x), self.three(x), self.five(x), self.pool(pooled)], 1)


class SmallInceptionNet(nn.Module):
    """GoogLeNet's structure (https://arxiv.org/abs/1409.4842) with three inception blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(Unit(3, 16, 7, stride=2, padding=3), nn.MaxPool2d(3, 2, ceil_mode=True))
        self.first = Inception(16, 8, (12, 16), (4, 8), 8)
        self.second = Inception(40, 16, (16, 24), (4, 12), 8)
        self.third = Inception(60, 24, (16, 32), (8, 16), 16)
        self.dropout, self.fc = nn.Dropout(0.2), nn.Linear(88, 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.second(self.first(self.stem(x)))
        x = self.third(functional.max_pool2d(x, kernel_size=3, stride=2, ceil_mode=True))
        return self.fc(self.dropout(torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1)))


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallInceptionNet, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_inception_net_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallInceptionNet, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"F.avg_pool2d", "F.max_pool2d", "F.adaptive_avg_pool2d", "torch.cat"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 97, 70)])
def test_small_inception_net_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
