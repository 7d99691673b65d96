from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

WORDS, WIDTH, HEADS, KEY_HEADS = 60, 32, 4, 2
HEAD_WIDTH = WIDTH // HEADS


class RMSNorm(nn.Module):
    """As Llama writes it: x / sqrt(mean of x*x) * weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def rotate(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Rotary position embedding: the pair (x[i], x[i + half]) turned by an angle that grows with the position."""
    left, right = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat((-right, left), dim=-1) * angles.sin()


class Attention(nn.Module):
    """Grouped-query attention: two heads of queries share one of keys and values."""

    def __init__(self, repeat: bool) -> None:
        super().__init__()
        self.repeat = repeat
        self.q, self.k, self.v, self.out = (
            nn.Linear(WIDTH, width, bias=False) for width in (WIDTH, *2 * (KEY_HEADS * HEAD_WIDTH,), WIDTH)
        )
        self.register_buffer("speeds", 1e4 ** (-torch.arange(0, HEAD_WIDTH, 2) / HEAD_WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, length, _ = x.shape
        angles = torch.arange(length)[:, None] * self.speeds
        angles = torch.cat((angles, angles), dim=-1)
        q, k, v = (p(x).view(n, length, -1, HEAD_WIDTH).transpose(1, 2) for p in (self.q, self.k, self.v))
        q, k = rotate(q, angles), rotate(k, angles)
        if self.repeat:
            k, v = (
                y[:, :, None].expand(n, KEY_HEADS, HEADS // KEY_HEADS, length, HEAD_WIDTH).reshape(n, HEADS, length, -1)
                for y in (k, v)
            )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=not self.repeat)
        return self.out(y.transpose(1, 2).reshape(n, length, WIDTH))


class Block(nn.Module):
    def __init__(self, repeat: bool) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = RMSNorm(), Attention(repeat), nn.RMSNorm(WIDTH, eps=1e-6)
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class SmallLlama(nn.Module):
    """Llama's structure (https://arxiv.org/abs/2302.13971, grouped queries of 2307.09288), narrow, two blocks."""

    def __init__(self, repeat: bool = False) -> None:
        super().__init__()
        self.words, self.blocks = nn.Embedding(WORDS, WIDTH), nn.Sequential(Block(repeat), Block(repeat))
        self.norm, self.head = RMSNorm(), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.blocks(self.words(words))))


def tokens(n: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, WORDS, (n, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("repeat", [False, True])
def test_small_llama_exported_for_one_size_agrees_with_torch(sequence_network, repeat):
    network = sequence_network(lambda: SmallLlama(repeat), [tokens(2, 10)])
    network.agree(tokens(2, 10, seed=1))
    assert {"F.scaled_dot_product_attention", "F.silu", "nn.Embedding"} <= network.types


@pytest.mark.parametrize("repeat", [False, True])
def test_small_llama_takes_any_batch_and_length_when_these_are_open(sequence_network, repeat):
    network = sequence_network(lambda: SmallLlama(repeat), [tokens(2, 10)], [tokens(3, 14)])
    for n, length in [(2, 10), (1, 1), (4, 21)]:
        network.agree(tokens(n, length, seed=n))
