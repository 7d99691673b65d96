from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

pytestmark = pytest.mark.slow

WINDOW = 4


def partition(x: torch.Tensor) -> torch.Tensor:
    """(N, H, W, C) -> (N * windows, WINDOW * WINDOW, C)."""
    n, height, width, channels = x.shape
    x = x.view(n, height // WINDOW, WINDOW, width // WINDOW, WINDOW, channels)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, WINDOW * WINDOW, channels)


def merge(x: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """(N * windows, WINDOW * WINDOW, C) -> (N, H, W, C)."""
    x = x.view(-1, height // WINDOW, width // WINDOW, WINDOW, WINDOW, x.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, height, width, x.shape[-1])


def relative_index() -> torch.Tensor:
    """(WINDOW^2, WINDOW^2): for each pair of pixels the number of their offset, of (2 * WINDOW - 1)^2."""
    places = torch.stack(torch.meshgrid(torch.arange(WINDOW), torch.arange(WINDOW), indexing="ij")).flatten(1)
    offset = places[:, :, None] - places[:, None, :] + WINDOW - 1
    return offset[0] * (2 * WINDOW - 1) + offset[1]


def shift_mask(height: int, width: int, shift: int) -> torch.Tensor:
    """(windows, WINDOW^2, WINDOW^2): -100 between pixels that are neighbours only because the image was rolled."""
    region = torch.zeros(1, height, width, 1)
    number = 0
    for rows in (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None)):
        for columns in (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None)):
            region[:, rows, columns] = number
            number += 1
    region = partition(region).squeeze(-1)
    return (region.unsqueeze(1) != region.unsqueeze(2)) * -100.0


class WindowAttention(nn.Module):
    """Attention within windows, shifted by `shift`, with a learned bias for each relative position."""

    def __init__(self, size: tuple[int, int], width: int, heads: int, shift: int) -> None:
        super().__init__()
        self.heads, self.shift = heads, shift
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn((2 * WINDOW - 1) ** 2, heads))
        self.register_buffer("index", relative_index())
        self.register_buffer("mask", shift_mask(*size, shift) if shift else None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, height, width, channels = x.shape
        if self.shift:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        windows = partition(x)
        qkv = self.qkv(windows).reshape(-1, WINDOW * WINDOW, 3, self.heads, channels // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        # with open dimensions pnnx crashes where q is scaled instead
        scores = q @ k.transpose(-2, -1) * (channels // self.heads) ** -0.5
        bias = self.bias[self.index.view(-1)].view(WINDOW**2, WINDOW**2, self.heads).permute(2, 0, 1)
        scores = scores + bias.unsqueeze(0)
        if self.shift:
            scores = scores.view(-1, len(self.mask), self.heads, WINDOW**2, WINDOW**2)
            scores = (scores + self.mask.unsqueeze(1).unsqueeze(0)).view(-1, self.heads, WINDOW**2, WINDOW**2)
        y = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(-1, WINDOW * WINDOW, channels)
        y = merge(self.out(y), height, width)
        return torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y


class Block(nn.Module):
    def __init__(self, size: tuple[int, int], width: int, heads: int, shift: int) -> None:
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), WindowAttention(size, width, heads, shift)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    """(N, H, W, C) -> (N, H/2, W/2, 2C): four neighbours become one."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.reduce = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        corners = [x[:, i::2, j::2] for i, j in ((0, 0), (1, 0), (0, 1), (1, 1))]
        return self.reduce(self.norm(torch.cat(corners, dim=-1)))


class SmallSwin(nn.Module):
    """The Swin Transformer's structure (https://arxiv.org/abs/2103.14030), two stages of two blocks."""

    def __init__(self, size: tuple[int, int] = (32, 32), width: int = 24) -> None:
        super().__init__()
        large, small = ((size[0] // n, size[1] // n) for n in (4, 8))
        self.patches, self.norm = nn.Conv2d(3, width, 4, 4), nn.LayerNorm(width)
        self.stages = nn.Sequential(
            Block(large, width, 3, 0),
            Block(large, width, 3, 2),
            Merging(width),
            Block(small, 2 * width, 6, 0),
            Block(small, 2 * width, 6, 2),
        )
        self.last, self.head = nn.LayerNorm(2 * width), nn.Linear(2 * width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stages(self.norm(self.patches(x).permute(0, 2, 3, 1)))
        return self.head(self.last(x).mean((1, 2)))


def test_small_swin_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallSwin, (1, 3, 32, 32))
    fixed.compare((1, 3, 32, 32))
    assert {"torch.roll", "nn.LayerNorm"} <= fixed.types


def test_small_swin_exported_for_a_batch_agrees_with_torch(network):
    network(lambda: SmallSwin((32, 64)), (3, 3, 32, 64)).compare((3, 3, 32, 64))


def test_small_swin_takes_any_batch_when_that_is_open(network):
    open_network = network(SmallSwin, (1, 3, 32, 32), (3, 3, 32, 32))
    for n in (1, 2, 3):
        open_network.compare((n, 3, 32, 32))
