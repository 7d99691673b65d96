"""A small Llama that carries its keys and values from call to call.

Source: https://arxiv.org/abs/2302.13971 (Llama), RMSNorm 1910.07467, rotary positions 2104.09864, SwiGLU 2002.05202,
grouped queries 2305.13245.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, KEY_HEADS, HIDDEN = 4, 128, 4, 2, 320
HEAD_WIDTH = WIDTH // HEADS


class RMSNorm(nn.Module):
    """(..., C) -> (..., C): x / sqrt(mean of x*x) * weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        """Compute."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """(N, heads, T, D) -> the same: the pair (x[i], x[i + D/2]) turned by an angle that grows with the position."""
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


class Attention(nn.Module):
    """(N, T, C), and keys and values of P earlier tokens -> (N, T, C), and those of all P + T.

    Grouped queries: each head of keys and values serves HEADS / KEY_HEADS heads of queries.
    """

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (
            nn.Linear(WIDTH, heads * HEAD_WIDTH, bias=False) for heads in (HEADS, KEY_HEADS, KEY_HEADS, HEADS)
        )

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, cos: Tensor, sin: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute."""
        n, length, _ = x.shape
        q, k, v = (p(x).view(n, length, -1, HEAD_WIDTH).transpose(1, 2) for p in (self.q, self.k, self.v))
        q = rotate(q, cos, sin)
        keys, values = torch.cat([keys, rotate(k, cos, sin)], 2), torch.cat([values, v], 2)
        y = functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
        return self.out(y.transpose(1, 2).reshape(n, length, WIDTH)), keys, values


class Block(nn.Module):
    """Attention, then SwiGLU: down(silu(gate(x)) * up(x)); the input added to each."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = RMSNorm(), Attention(), RMSNorm()
        self.gate, self.up = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor, cos: Tensor, sin: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute."""
        y, keys, values = self.attention(self.norm1(x), keys, values, cos, sin, mask)
        x = x + self.dropout(y)
        y = self.norm2(x)
        return x + self.dropout(self.down(functional.silu(self.gate(y)) * self.up(y))), keys, values


class Writer(nn.Module):
    """The next T tokens, and what is kept of P earlier ones -> scores of what follows each, and what to keep next.

    words : (N, T) int64.
    keys, values : (LAYERS, N, KEY_HEADS, P, HEAD_WIDTH), P = 0 at the start of a text.
    -> logits (N, T, V), keys and values (LAYERS, N, KEY_HEADS, P + T, HEAD_WIDTH).
    """

    def __init__(self, words: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(LAYERS))
        self.norm, self.head = RMSNorm(), nn.Linear(WIDTH, words, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("speeds", 1e4 ** (-torch.arange(0, HEAD_WIDTH, 2) / HEAD_WIDTH))

    def forward(self, words: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Compute."""
        length, past = words.shape[1], keys.shape[3]
        places = torch.arange(past + length)
        now = places[past:]
        angles = now[:, None] * self.speeds
        angles = torch.cat([angles, angles], -1)
        cos, sin = angles.cos(), angles.sin()
        mask = places[None] <= now[:, None]
        x = self.dropout(self.words(words))
        kept_keys, kept_values = [], []
        for i, block in enumerate(self.blocks):
            x, k, v = block(x, keys[i], values[i], cos, sin, mask)
            kept_keys.append(k)
            kept_values.append(v)
        return self.head(self.norm(x)), torch.stack(kept_keys), torch.stack(kept_values)


def nothing(batch: int = 1) -> tuple[Tensor, Tensor]:
    """The keys and values at the start of a text."""
    return (torch.zeros(LAYERS, batch, KEY_HEADS, 0, HEAD_WIDTH),) * 2
