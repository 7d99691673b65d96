from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.attention = (
            nn.LayerNorm(width, eps=1e-6),
            nn.MultiheadAttention(width, heads, batch_first=True),
        )
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class SmallViT(nn.Module):
    """The Vision Transformer's structure (https://arxiv.org/abs/2010.11929): patches as words, and a class token."""

    def __init__(self, size: int = 32, patch: int = 8, width: int = 48, heads: int = 4, depth: int = 3) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


@pytest.fixture(autouse=True)
def without_the_fast_path():
    """PyTorch's fast path for attention traces differently with and without gradients; its check refuses that."""
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(True)


def test_small_vit_exported_for_one_image_agrees_with_torch(network):
    fixed = network(SmallViT, (1, 3, 32, 32))
    fixed.compare((1, 3, 32, 32))
    assert {"nn.MultiheadAttention", "nn.LayerNorm", "torch.cat", "pnnx.Attribute"} <= fixed.types


def test_small_vit_takes_any_batch_when_that_is_open(network):
    open_network = network(SmallViT, (1, 3, 32, 32), (3, 3, 32, 32))
    for n in (1, 2, 5):
        open_network.compare((n, 3, 32, 32))
