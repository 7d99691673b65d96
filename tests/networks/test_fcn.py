from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

pytestmark = pytest.mark.slow


class Block(nn.Module):
    """Two 3x3 convolutions and the shortcut; `dilation` widens the view where a stride would cost resolution."""

    def __init__(self, inputs: int, outputs: int, stride: int, dilation: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, dilation, dilation, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(3))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[1](self.conv2(self.relu(self.norms[0](self.conv1(x)))))
        return self.relu(y + self.norms[2](self.shortcut(x)))


def head(inputs: int, classes: int) -> nn.Sequential:
    middle = inputs // 4
    return nn.Sequential(
        *(nn.Conv2d(inputs, middle, 3, padding=1, bias=False), nn.BatchNorm2d(middle), nn.ReLU()),
        *(nn.Dropout(0.1), nn.Conv2d(middle, classes, 1)),
    )


class SmallFCN(nn.Module):
    """FCN (https://arxiv.org/abs/1411.4038) on a small dilated ResNet: the classes of each pixel, and the auxiliary
    head's answer after the third stage."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            *(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)),
            *(Block(16, 16, 1, 1), Block(16, 32, 2, 1), Block(32, 64, 1, 2)),
        )
        self.last = Block(64, 128, 1, 4)
        self.classifier, self.auxiliary = head(128, classes), head(64, classes)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        size = x.shape[-2:]
        third = self.stem(x)
        maps = self.classifier(self.last(third)), self.auxiliary(third)
        main, auxiliary = (functional.interpolate(m, size=size, mode="bilinear", align_corners=False) for m in maps)
        return main, auxiliary


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallFCN, (1, 3, 64, 64), (3, 3, 96, 80))


def test_small_fcn_exported_for_one_image_agrees_with_torch(network):
    network(SmallFCN, (1, 3, 64, 64)).compare((1, 3, 64, 64))


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 99, 70)])
def test_small_fcn_with_open_dimensions_answers_in_the_size_of_its_input(open_network, shape):
    open_network.compare(shape)


def test_small_fcn_reads_the_size_to_enlarge_to_from_the_input(open_network):
    expressions = [o.params["expr"].value for o in open_network.graph.operators if o.type == "pnnx.Expression"]
    assert any("size(" in text for text in expressions)
