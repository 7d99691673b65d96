from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

pytestmark = pytest.mark.slow


class ChannelNorm(nn.LayerNorm):
    """(N, C, H, W) -> the same: LayerNorm over the channels."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNeXtBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.expand, self.gelu = nn.Linear(channels, 4 * channels), nn.GELU()
        self.reduce = nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(torch.rand(channels, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.reduce(self.gelu(self.expand(y))).permute(0, 3, 1, 2)
        return x + self.scale * y


class SmallConvNeXt(nn.Module):
    """ConvNeXt's structure (https://arxiv.org/abs/2201.03545), narrower and with five blocks."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 64, 128), depths: tuple[int, ...] = (1, 1, 2, 1)) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, widths[0], 4, 4), ChannelNorm(widths[0], eps=1e-6)]
        for i, (width, depth) in enumerate(zip(widths, depths, strict=True)):
            if i:
                layers += [ChannelNorm(widths[i - 1], eps=1e-6), nn.Conv2d(widths[i - 1], width, 2, 2)]
            layers += [ConvNeXtBlock(width) for _ in range(depth)]
        self.features = nn.Sequential(*layers)
        self.norm, self.head = ChannelNorm(widths[-1], eps=1e-6), nn.Linear(widths[-1], 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.features(x).mean([-2, -1], keepdim=True)
        return self.head(torch.flatten(self.norm(x), 1))


@pytest.fixture(scope="module")
def open_network(network):
    return network(SmallConvNeXt, (1, 3, 64, 64), (3, 3, 96, 96))


def test_small_convnext_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallConvNeXt, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"nn.LayerNorm", "nn.GELU", "nn.Linear", "torch.mean", "pnnx.Attribute"} <= fixed.types


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (4, 3, 64, 64), (2, 3, 96, 70)])
def test_small_convnext_with_open_dimensions_takes_any_batch_and_size(open_network, shape):
    open_network.compare(shape)
