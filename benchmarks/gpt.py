"""A GPT of any size as a torch module. Source: Radford et al., Language models are unsupervised multitask learners"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    """(N,L,E) -> (N,L,E): every position gathers from itself and those before it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        n, length, width = x.shape
        parts = self.qkv(x).split(width, dim=2)
        q, k, v = (part.view(n, length, self.heads, width // self.heads).transpose(1, 2) for part in parts)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, length, width))


class Block(nn.Module):
    """(N,L,E) -> (N,L,E): attention and a perceptron, each normalised before and added to what came."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """(N,L) words -> (N,L,words) scores of the next word."""

    def __init__(self, layers: int = 6, width: int = 384, heads: int = 6, words: int = 1000, length: int = 128) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Compute."""
        x = self.words(words) + self.positions(torch.arange(words.shape[1]))
        return self.head(self.norm(self.blocks(x)))
