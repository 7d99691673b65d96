from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


def unit(
    inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: type[nn.Module] | None = None
) -> nn.Sequential:
    """Convolution, BatchNorm and, where one is named, an activation."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), *([act()] if act else []))


def rounded(channels: float) -> int:
    """The nearest multiple of 8 that is not below nine tenths."""
    value = max(8, int(channels + 4) // 8 * 8)
    return value + 8 if value < 0.9 * channels else value


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, rounded(channels / 4), 1)
        self.fc2 = nn.Conv2d(rounded(channels / 4), channels, 1)
        self.relu, self.hardsigmoid = nn.ReLU(), nn.Hardsigmoid()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.hardsigmoid(self.fc2(self.relu(self.fc1(self.avgpool(x)))))


class InvertedResidual(nn.Module):
    def __init__(
        self, inputs: int, hidden: int, outputs: int, kernel: int, stride: int, act: type[nn.Module], squeeze: bool
    ) -> None:
        super().__init__()
        self.residual = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            *([unit(inputs, hidden, 1, act=act)] if hidden != inputs else []),
            unit(hidden, hidden, kernel, stride, hidden, act),
            *([SqueezeExcite(hidden)] if squeeze else []),
            unit(hidden, outputs, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.residual else self.body(x)


class MobileNetV2(nn.Module):
    """https://arxiv.org/abs/1801.04381, table 2."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [unit(3, 32, 3, 2, act=nn.ReLU6)]
        inputs = 32
        table = [
            (1, 16, 1, 1),
            (6, 24, 2, 2),
            (6, 32, 3, 2),
            (6, 64, 4, 2),
            (6, 96, 3, 1),
            (6, 160, 3, 2),
            (6, 320, 1, 1),
        ]
        for expand, outputs, repeats, stride in table:
            for i in range(repeats):
                step = stride if i == 0 else 1
                layers.append(InvertedResidual(inputs, inputs * expand, outputs, 3, step, nn.ReLU6, False))
                inputs = outputs
        layers.append(unit(320, 1280, 1, act=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class MobileNetV3Small(nn.Module):
    """https://arxiv.org/abs/1905.02244, table 2."""

    def __init__(self) -> None:
        super().__init__()
        table = [  # kernel, hidden, outputs, squeeze and excite, activation, stride
            (3, 16, 16, True, nn.ReLU, 2),
            (3, 72, 24, False, nn.ReLU, 2),
            (3, 88, 24, False, nn.ReLU, 1),
            (5, 96, 40, True, nn.Hardswish, 2),
            (5, 240, 40, True, nn.Hardswish, 1),
            (5, 240, 40, True, nn.Hardswish, 1),
            (5, 120, 48, True, nn.Hardswish, 1),
            (5, 144, 48, True, nn.Hardswish, 1),
            (5, 288, 96, True, nn.Hardswish, 2),
            (5, 576, 96, True, nn.Hardswish, 1),
            (5, 576, 96, True, nn.Hardswish, 1),
        ]
        layers: list[nn.Module] = [unit(3, 16, 3, 2, act=nn.Hardswish)]
        inputs = 16
        for kernel, hidden, outputs, squeeze, act, stride in table:
            layers.append(InvertedResidual(inputs, hidden, outputs, kernel, stride, act, squeeze))
            inputs = outputs
        layers.append(unit(96, 576, 1, act=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(576, 1024), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(1024, 1000))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


@pytest.fixture(scope="module", params=[MobileNetV2, MobileNetV3Small], ids=lambda make: make.__name__)
def make(request):
    return request.param


@pytest.fixture(scope="module")
def open_network(make, network):
    return network(make, (1, 3, 64, 64), (3, 3, 96, 96))


EXPECTED_TYPES = {
    MobileNetV2: {"nn.ReLU6", "F.adaptive_avg_pool2d", "nn.Linear"},
    MobileNetV3Small: {"nn.Hardswish", "nn.Hardsigmoid", "nn.AdaptiveAvgPool2d", "pnnx.Expression"},
}


def test_mobilenet_exported_for_one_image_agrees_with_torch(make, network):
    fixed = network(make, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert EXPECTED_TYPES[make] <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_mobilenet_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
