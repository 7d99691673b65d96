from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

pytestmark = pytest.mark.slow

WINDOW = 4


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, inner: int) -> None:
        super().__init__()
        self.pool, self.down, self.up = (
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, inner, 1),
            nn.Conv2d(inner, channels, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(self.up(F.silu(self.down(self.pool(x)))))


class MBConv(nn.Module):
    """Inverted bottleneck with squeeze and excitation; `stride` 2 halves height and width."""

    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        wide = 2 * outer
        self.shortcut = (
            nn.Sequential(nn.AvgPool2d(3, stride, 1), nn.Conv2d(inner, outer, 1)) if stride > 1 else nn.Identity()
        )
        self.layers = nn.Sequential(
            nn.BatchNorm2d(inner),
            nn.Conv2d(inner, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.GELU(),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.GELU(),
            SqueezeExcite(wide, outer // 4),
            nn.Conv2d(wide, outer, 1),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shortcut(x) + self.layers(x)


class Attention(nn.Module):
    """(N, groups, pixels, C): attention among the pixels of each group, with a bias for each relative position."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.bias = nn.Parameter(torch.randn((2 * WINDOW - 1) ** 2, heads))
        places = torch.stack(torch.meshgrid(torch.arange(WINDOW), torch.arange(WINDOW), indexing="ij")).flatten(1)
        offset = places[:, :, None] - places[:, None, :] + WINDOW - 1
        self.register_buffer("index", offset[0] * (2 * WINDOW - 1) + offset[1])

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        n, groups, pixels, width = x.shape
        qkv = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (y.reshape(n, groups, pixels, self.heads, -1).permute(0, 1, 3, 2, 4) for y in qkv)
        scores = torch.einsum("bghic,bghjc->bghij", q * (width // self.heads) ** -0.5, k)
        bias = self.bias[self.index.view(-1)].view(pixels, pixels, self.heads).permute(2, 0, 1)
        y = torch.einsum("bghij,bghjc->bghic", F.softmax(scores + bias, dim=-1), v)
        return self.out(y.permute(0, 1, 3, 2, 4).reshape(n, groups, pixels, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class MaxViTBlock(nn.Module):
    """MBConv, then attention within windows ("block"), then among pixels that lie a window apart ("grid")."""

    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.convolution = MBConv(inner, outer, stride)
        self.block, self.grid = Attention(outer, 4), Attention(outer, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.convolution(x)
        n, channels, height, width = x.shape
        rows, columns = height // WINDOW, width // WINDOW
        y = x.reshape(n, channels, rows, WINDOW, columns, WINDOW).permute(0, 2, 4, 3, 5, 1)
        y = self.block(y.reshape(n, rows * columns, WINDOW * WINDOW, channels))
        y = y.reshape(n, rows * columns, WINDOW * WINDOW, channels).transpose(1, 2)
        y = y.reshape(n, WINDOW, WINDOW, rows, columns, channels).permute(0, 5, 3, 1, 4, 2)
        x = y.reshape(n, channels, height, width)
        y = x.reshape(n, channels, WINDOW, rows, WINDOW, columns).permute(0, 3, 5, 2, 4, 1)
        y = self.grid(y.reshape(n, rows * columns, WINDOW * WINDOW, channels))
        y = y.reshape(n, rows, columns, WINDOW, WINDOW, channels).permute(0, 5, 3, 1, 4, 2)
        return y.reshape(n, channels, height, width)


class SmallMaxViT(nn.Module):
    """MaxViT's structure (https://arxiv.org/abs/2204.01697): a convolutional stem, two blocks, windows of 4 x 4."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.GELU(), nn.Conv2d(16, 16, 3, 1, 1)
        )
        self.blocks = nn.Sequential(MaxViTBlock(16, 16, 2), MaxViTBlock(16, 32, 2))
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(32), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.stem(x)))


def test_small_maxvit_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallMaxViT, (1, 3, 64, 64))
    fixed.compare((1, 3, 64, 64))
    assert {"torch.einsum", "nn.LayerNorm", "nn.Tanh"} <= fixed.types


def test_small_maxvit_takes_any_batch_and_size_when_these_are_open(network):
    open_network = network(SmallMaxViT, (1, 3, 64, 64), (3, 3, 96, 128))
    for shape in [(1, 3, 64, 64), (2, 3, 32, 64), (3, 3, 96, 96)]:
        open_network.compare(shape)
