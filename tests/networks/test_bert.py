from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

WORDS, WIDTH, HEADS = 60, 32, 4


class SelfAttention(nn.Module):
    """(N, L, E) -> (N, L, E), with a mask of numbers added to the scores."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        n, length, _ = x.shape
        q, k, v = (p(x).view(n, length, HEADS, -1).permute(0, 2, 1, 3) for p in (self.query, self.key, self.value))
        weights = torch.softmax(q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5 + mask, dim=-1)
        return self.out((weights @ v).permute(0, 2, 1, 3).reshape(n, length, WIDTH))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.norm1 = SelfAttention(), nn.LayerNorm(WIDTH, eps=1e-12)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.mlp(x))


class SmallBERT(nn.Module):
    """BERT's structure (https://arxiv.org/abs/1810.04805), two blocks: (words, kinds, mask) -> (sequence, pooled)."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions, self.kinds = (nn.Embedding(size, WIDTH) for size in (WORDS, 32, 2))
        self.norm, self.blocks = nn.LayerNorm(WIDTH, eps=1e-12), nn.ModuleList([Block(), Block()])
        self.pooler = nn.Linear(WIDTH, WIDTH)

    def forward(
        self, words: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        positions = torch.arange(words.shape[1]).unsqueeze(0)
        x = self.norm(self.words(words) + self.positions(positions) + self.kinds(kinds))
        hidden = (1.0 - mask[:, None, None, :].to(torch.float32)) * -10000.0
        for block in self.blocks:
            x = block(x, hidden)
        return x, torch.tanh(self.pooler(x[:, 0]))


def sentences(n: int, length: int, seed: int = 0) -> list[torch.Tensor]:
    """Pairs of sentences of different lengths, padded."""
    generator = torch.Generator().manual_seed(seed)
    words = torch.randint(1, WORDS, (n, length), generator=generator)
    place = torch.arange(length).expand(n, length)
    ends = torch.randint(length // 2, length + 1, (n, 1), generator=generator)
    return [words, (place > length // 3).long(), (place < ends).long()]


def test_small_bert_exported_for_one_size_agrees_with_torch(sequence_network):
    network = sequence_network(SmallBERT, sentences(2, 10))
    network.agree(*sentences(2, 10, seed=1))
    assert {"nn.Embedding", "nn.LayerNorm", "nn.GELU", "Tensor.to"} <= network.types


def test_small_bert_takes_any_batch_and_length_when_these_are_open(sequence_network):
    network = sequence_network(SmallBERT, sentences(2, 10), sentences(3, 14))
    for n, length in [(2, 10), (1, 4), (4, 21)]:
        network.agree(*sentences(n, length, seed=n))
