from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


class Unit(nn.Module):
    """Convolution, BatchNorm, ReLU; `same` pads so that a stride of 1 keeps the size."""

    def __init__(self, inputs: int, outputs: int, rows: int, columns: int, stride: int = 1, same: bool = True) -> None:
        super().__init__()
        padding = (rows // 2, columns // 2) if same else 0
        self.conv = nn.Conv2d(inputs, outputs, (rows, columns), stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.bn(self.conv(x)), inplace=True)


def chain(inputs: int, *units: tuple[int, int, int], shrink: bool = False) -> nn.Sequential:
    """Units (outputs, rows, columns) one after the other; with `shrink` the last one has stride 2 and no padding."""
    layers = []
    for i, (outputs, rows, columns) in enumerate(units):
        last = shrink and i == len(units) - 1
        layers.append(Unit(inputs, outputs, rows, columns, 2 if last else 1, not last))
        inputs = outputs
    return nn.Sequential(*layers)


def smoothed(x: torch.Tensor) -> torch.Tensor:
    return functional.avg_pool2d(x, kernel_size=3, stride=1, padding=1)


class BlockA(nn.Module):
    def __init__(self, inputs: int, pool: int) -> None:
        super().__init__()
        self.one = chain(inputs, (16, 1, 1))
        self.five = chain(inputs, (12, 1, 1), (16, 5, 5))
        self.three = chain(inputs, (16, 1, 1), (24, 3, 3), (24, 3, 3))
        self.pool = chain(inputs, (pool, 1, 1))
        self.outputs = 16 + 16 + 24 + pool

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.one(x), self.five(x), self.three(x), self.pool(smoothed(x))], 1)


class BlockB(nn.Module):
    """Halves the size."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.three = chain(inputs, (48, 3, 3), shrink=True)
        self.twice = chain(inputs, (16, 1, 1), (24, 3, 3), (24, 3, 3), shrink=True)
        self.outputs = 48 + 24 + inputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = functional.max_pool2d(x, kernel_size=3, stride=2)
        return torch.cat([self.three(x), self.twice(x), pooled], 1)


class BlockC(nn.Module):
    """7x7 kernels as pairs of one-row and one-column kernels."""

    def __init__(self, inputs: int, middle: int) -> None:
        super().__init__()
        self.one = chain(inputs, (32, 1, 1))
        self.seven = chain(inputs, (middle, 1, 1), (middle, 1, 7), (32, 7, 1))
        units = [(middle, 1, 1), (middle, 7, 1), (middle, 1, 7), (middle, 7, 1), (32, 1, 7)]
        self.twice = chain(inputs, *units)
        self.pool = chain(inputs, (32, 1, 1))
        self.outputs = 4 * 32

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.one(x), self.seven(x), self.twice(x), self.pool(smoothed(x))], 1)


class BlockD(nn.Module):
    """Halves the size."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.three = chain(inputs, (32, 1, 1), (48, 3, 3), shrink=True)
        self.seven = chain(inputs, (32, 1, 1), (32, 1, 7), (32, 7, 1), (32, 3, 3), shrink=True)
        self.outputs = 48 + 32 + inputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.three(x), self.seven(x), functional.max_pool2d(x, kernel_size=3, stride=2)], 1)


class BlockE(nn.Module):
    """Branches that part again, into a one-row and a one-column kernel."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.one = chain(inputs, (40, 1, 1))
        self.three = chain(inputs, (48, 1, 1))
        self.three_row, self.three_column = chain(48, (48, 1, 3)), chain(48, (48, 3, 1))
        self.twice = chain(inputs, (56, 1, 1), (48, 3, 3))
        self.double_row, self.double_column = chain(48, (48, 1, 3)), chain(48, (48, 3, 1))
        self.pool = chain(inputs, (24, 1, 1))
        self.outputs = 40 + 4 * 48 + 24

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        three, double = self.three(x), self.twice(x)
        three = torch.cat([self.three_row(three), self.three_column(three)], 1)
        double = torch.cat([self.double_row(double), self.double_column(double)], 1)
        return torch.cat([self.one(x), three, double, self.pool(smoothed(x))], 1)


class SmallInceptionV3(nn.Module):
    """Inception v3 (https://arxiv.org/abs/1512.00567): all five kinds of block, fewer of each, narrower."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            *(Unit(3, 8, 3, 3, 2, same=False), Unit(8, 8, 3, 3, same=False), Unit(8, 16, 3, 3), nn.MaxPool2d(3, 2)),
            *(Unit(16, 20, 1, 1), Unit(20, 48, 3, 3, same=False), nn.MaxPool2d(3, 2)),
        )
        a1 = BlockA(48, 8)
        a2 = BlockA(a1.outputs, 16)
        b = BlockB(a2.outputs)
        c1 = BlockC(b.outputs, 24)
        c2 = BlockC(c1.outputs, 32)
        d = BlockD(c2.outputs)
        e = BlockE(d.outputs)
        self.blocks = nn.Sequential(a1, a2, b, c1, c2, d, e)
        self.avgpool, self.dropout = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(0.5)
        self.fc = nn.Linear(e.outputs, 100)

    @staticmethod
    def transform(x: torch.Tensor) -> torch.Tensor:
        """From ImageNet's mean and deviation of each channel to 0.5 and 0.5, which the published weights expect."""
        red = torch.unsqueeze(x[:, 0], 1) * (0.229 / 0.5) + (0.485 - 0.5) / 0.5
        green = torch.unsqueeze(x[:, 1], 1) * (0.224 / 0.5) + (0.456 - 0.5) / 0.5
        blue = torch.unsqueeze(x[:, 2], 1) * (0.225 / 0.5) + (0.406 - 0.5) / 0.5
        return torch.cat((red, green, blue), 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.avgpool(self.blocks(self.stem(self.transform(x))))
        return self.fc(torch.flatten(self.dropout(x), 1))


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallInceptionV3, (1, 3, 139, 139), (3, 3, 112, 112))


def test_small_inception_v3_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallInceptionV3, (1, 3, 139, 139))
    fixed.compare((1, 3, 139, 139))
    assert {"nn.Conv2d", "F.relu", "F.avg_pool2d", "F.max_pool2d", "torch.cat", "pnnx.Expression"} <= fixed.types


def test_small_inception_v3_keeps_its_asymmetric_kernels(open_network):
    sizes = {tuple(o.params["kernel_size"].value) for o in open_network.graph.operators if o.type == "nn.Conv2d"}
    assert {(1, 1), (3, 3), (5, 5), (1, 7), (7, 1), (1, 3), (3, 1)} == sizes


@pytest.mark.parametrize("shape", [(1, 3, 139, 139), (4, 3, 139, 139), (2, 3, 112, 75)])
def test_small_inception_v3_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
