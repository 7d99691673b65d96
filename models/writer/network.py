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
    """(N, T, C), and keys and values of P earlier tokens -> (N, T, C), and the keys and values of these T.

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
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        y = functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
        return self.out(y.transpose(1, 2).reshape(n, length, WIDTH)), k, v


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
    """The next T tokens, and what is kept of earlier ones -> scores of what follows each, and what to keep of them.

    words : (N, T) int64.
    keys, values : (LAYERS, N, KEY_HEADS, P, HEAD_WIDTH), room for P earlier tokens, P at least 1.
    count : (1,) int64, how many of the P places are in use, from the first on; what the others hold is ignored.
    -> logits (N, T, V), and the keys and values of the T tokens, (LAYERS, N, KEY_HEADS, T, HEAD_WIDTH): whoever calls
    writes them to the places from `count` on, and calls again with `count` greater by T.
    """

    def __init__(self, words: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(LAYERS))
        self.norm, self.head = RMSNorm(), nn.Linear(WIDTH, words, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("speeds", 1e4 ** (-torch.arange(0, HEAD_WIDTH, 2) / HEAD_WIDTH))

    def forward(self, words: Tensor, keys: Tensor, values: Tensor, count: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Compute."""
        length, room = words.shape[1], keys.shape[3]
        now = (torch.arange(length) + count)[:, None]
        angles = now * self.speeds
        angles = torch.cat([angles, angles], -1)
        cos, sin = angles.cos(), angles.sin()
        in_use = (torch.arange(room) < count)[None].expand(length, -1)
        mask = torch.cat([in_use, now.transpose(0, 1) <= now], 1)
        x = self.dropout(self.words(words))
        new_keys, new_values = [], []
        for i, block in enumerate(self.blocks):
            x, k, v = block(x, keys[i], values[i], cos, sin, mask)
            new_keys.append(k)
            new_values.append(v)
        return self.head(self.norm(x)), torch.stack(new_keys), torch.stack(new_values)


def empty_cache(batch: int = 1, room: int = 1) -> tuple[Tensor, Tensor]:
    """The keys and values at the start of a text, with room for so many tokens."""
    keys, values = torch.zeros(2, LAYERS, batch, KEY_HEADS, room, HEAD_WIDTH)
    return keys, values
