from __future__ import annotations

import functools
import itertools

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


def double(inputs: int, outputs: int) -> nn.Sequential:
    """Twice: convolution, BatchNorm, ReLU."""
    return nn.Sequential(
        *(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)),
        *(nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)),
    )


class UNet(nn.Module):
    """U-Net (https://arxiv.org/abs/1505.04597) with padded convolutions, four levels down and up, narrower.

    `up` names the way up: a transposed convolution, or a resize followed by a 1x1 convolution.
    """

    def __init__(self, up: str = "transpose", width: int = 8, classes: int = 3) -> None:
        super().__init__()
        sizes = [width * 2**i for i in range(5)]
        self.first = double(3, width)
        self.down = nn.ModuleList(double(a, b) for a, b in itertools.pairwise(sizes))
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList(self.way_up(up, b, a) for a, b in itertools.pairwise(sizes))
        self.merge = nn.ModuleList(double(2 * a, a) for a in sizes[:-1])
        self.head = nn.Conv2d(width, classes, 1)

    @staticmethod
    def way_up(kind: str, inputs: int, outputs: int) -> nn.Module:
        if kind == "transpose":
            return nn.ConvTranspose2d(inputs, outputs, 2, stride=2)
        align = {"align_corners": kind == "bilinear-aligned"} if kind.startswith("bilinear") else {}
        resize = nn.Upsample(scale_factor=2, mode=kind.split("-")[0], **align)
        return nn.Sequential(resize, nn.Conv2d(inputs, outputs, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = [self.first(x)]
        for down in self.down:
            kept.append(down(self.pool(kept[-1])))
        x = kept.pop()
        for up, merge in zip(reversed(self.up), reversed(self.merge), strict=True):
            x = merge(torch.cat([kept.pop(), up(x)], 1))
        return self.head(x)


BILINEAR = [pytest.param(name, marks=pytest.mark.slow) for name in ("bilinear", "bilinear-aligned")]


@pytest.fixture(scope="module", params=["transpose", *BILINEAR, "nearest"])
def way_up(request):
    return request.param


@pytest.fixture(scope="module")
def open_network(way_up, network):
    return network(functools.partial(UNet, way_up), (1, 3, 64, 64), (3, 3, 96, 80))


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (3, 3, 64, 64), (2, 3, 48, 96)])
def test_unet_with_open_dimensions_takes_any_batch_and_size(open_network, way_up, shape):
    open_network.compare(shape)
    assert ("nn.ConvTranspose2d" if way_up == "transpose" else "nn.Upsample") in open_network.types


def test_unet_exported_for_one_image_agrees_with_torch(way_up, network):
    network(functools.partial(UNet, way_up), (1, 3, 64, 64)).compare((1, 3, 64, 64))
