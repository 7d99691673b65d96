from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


def unit(
    inputs: int, outputs: int, kernel: int, stride: int = 1, dilation: int = 1, groups: int = 1, act: type = nn.ReLU
) -> nn.Sequential:
    """Convolution that keeps the size at stride 1, BatchNorm, activation."""
    padding = dilation * (kernel // 2)
    conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, dilation, groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), act())


def enlarge(x: torch.Tensor, size: torch.Size) -> torch.Tensor:
    return functional.interpolate(x, size=size, mode="bilinear", align_corners=False)


class Bottleneck(nn.Module):
    def __init__(self, inputs: int, planes: int, stride: int, dilation: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            unit(inputs, planes, 1),
            unit(planes, planes, 3, stride, dilation),
            unit(planes, 4 * planes, 1, act=nn.Identity),
        )
        self.shortcut = unit(inputs, 4 * planes, 1, stride, act=nn.Identity) if inputs != 4 * planes else nn.Identity()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.body(x) + self.shortcut(x))


class Pyramid(nn.Module):
    """ASPP: a 1x1 convolution, three dilated ones, and the mean of the whole map, side by side."""

    def __init__(self, inputs: int, outputs: int, rates: tuple[int, ...] = (12, 24, 36)) -> None:
        super().__init__()
        dilated = [unit(inputs, outputs, 3, dilation=rate) for rate in rates]
        self.branches = nn.ModuleList([unit(inputs, outputs, 1), *dilated])
        self.pooling = nn.Sequential(nn.AdaptiveAvgPool2d(1), unit(inputs, outputs, 1))
        self.project = nn.Sequential(unit(5 * outputs, outputs, 1), nn.Dropout(0.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = [branch(x) for branch in self.branches]
        return self.project(torch.cat([*maps, enlarge(self.pooling(x), x.shape[-2:])], 1))


class SmallDeepLabV3(nn.Module):
    """DeepLabV3 (https://arxiv.org/abs/1706.05587) on a narrow ResNet whose last two stages dilate, not stride."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            *(unit(3, 16, 7, 2), nn.MaxPool2d(3, 2, 1)),
            *(Bottleneck(16, 16, 1, 1), Bottleneck(64, 32, 2, 1)),
            *(Bottleneck(128, 48, 1, 1), Bottleneck(192, 48, 1, 2)),
            *(Bottleneck(192, 64, 1, 2), Bottleneck(256, 64, 1, 4)),
        )
        self.head = nn.Sequential(Pyramid(256, 32), unit(32, 32, 3), nn.Conv2d(32, classes, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return enlarge(self.head(self.backbone(x)), x.shape[-2:])


class InvertedResidual(nn.Module):
    def __init__(self, inputs: int, hidden: int, outputs: int, kernel: int, stride: int, dilation: int = 1) -> None:
        super().__init__()
        self.residual = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            unit(inputs, hidden, 1, act=nn.Hardswish),
            unit(hidden, hidden, kernel, stride, dilation, hidden, nn.Hardswish),
            unit(hidden, outputs, 1, act=nn.Identity),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.residual else self.body(x)


class SmallLiteRASPP(nn.Module):
    """LR-ASPP (https://arxiv.org/abs/1905.02244, figure 10) on a few blocks of MobileNetV3, the last ones dilated."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.low = nn.Sequential(
            *(unit(3, 16, 3, 2, act=nn.Hardswish), InvertedResidual(16, 48, 24, 3, 2)),
            *(InvertedResidual(24, 72, 40, 5, 2), InvertedResidual(40, 120, 40, 5, 1)),
        )
        self.high = nn.Sequential(
            *(InvertedResidual(40, 160, 64, 3, 2), InvertedResidual(64, 192, 64, 5, 1, dilation=2)),
            unit(64, 160, 1, act=nn.Hardswish),
        )
        self.cbr = unit(160, 32, 1)
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(160, 32, 1, bias=False), nn.Sigmoid())
        self.low_classifier, self.high_classifier = nn.Conv2d(40, classes, 1), nn.Conv2d(32, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low = self.low(x)
        high = self.high(low)
        high = enlarge(self.cbr(high) * self.scale(high), low.shape[-2:])
        return enlarge(self.low_classifier(low) + self.high_classifier(high), x.shape[-2:])


@pytest.fixture(scope="module", params=[SmallDeepLabV3, SmallLiteRASPP], ids=lambda make: make.__name__)
def make(request):
    return request.param


@pytest.fixture(scope="module")
def open_network(make, network):
    return network(make, (1, 3, 64, 64), (3, 3, 96, 80))


def test_small_segmentation_network_exported_for_one_image_agrees_with_torch(make, network):
    fixed = network(make, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    dilations = {tuple(o.params["dilation"].value) for o in fixed.graph.operators if o.type == "nn.Conv2d"}
    expected = {1, 2, 4, 12, 24, 36} if make is SmallDeepLabV3 else {1, 2}
    assert dilations == {(d, d) for d in expected}


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 99, 70)])
def test_small_segmentation_network_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
