from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

WORDS, WIDTH, HEADS = 60, 32, 4


class CausalAttention(nn.Module):
    """(N, L, E) -> (N, L, E): every position gathers from those before it; `written_out` does without F.sdpa."""

    def __init__(self, written_out: bool) -> None:
        super().__init__()
        self.written_out = written_out
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("past", torch.ones(32, 32).tril().bool())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, length, _ = x.shape
        q, k, v = (part.view(n, length, HEADS, -1).transpose(1, 2) for part in self.qkv(x).split(WIDTH, dim=2))
        if self.written_out:
            scores = q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5
            scores = scores.masked_fill(~self.past[:length, :length], float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, length, WIDTH))


class Block(nn.Module):
    def __init__(self, written_out: bool) -> None:
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), CausalAttention(written_out)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU("tanh"), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SmallGPT(nn.Module):
    """GPT-2's structure (Radford et al., 2019), two blocks; the head shares the weights of the word embedding."""

    def __init__(self, written_out: bool = False) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, WIDTH), nn.Embedding(32, WIDTH)
        self.blocks = nn.Sequential(*(Block(written_out) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.words(words) + self.positions(torch.arange(words.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def tokens(n: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, WORDS, (n, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("written_out", [False, True])
def test_small_gpt_exported_for_one_size_agrees_with_torch(sequence_network, written_out):
    network = sequence_network(lambda: SmallGPT(written_out), [tokens(2, 10)])
    network.agree(tokens(2, 10, seed=1))


@pytest.mark.parametrize("written_out", [False, True])
def test_small_gpt_takes_any_batch_and_length_when_these_are_open(sequence_network, written_out):
    network = sequence_network(lambda: SmallGPT(written_out), [tokens(2, 10)], [tokens(3, 14)])
    for n, length in [(2, 10), (1, 1), (4, 21)]:
        network.agree(tokens(n, length, seed=n))


def test_later_words_do_not_change_earlier_results(sequence_network):
    graph = sequence_network(SmallGPT, [tokens(2, 10)]).graph
    words = tokens(2, 10).numpy()
    changed = words.copy()
    changed[:, 6:] = (changed[:, 6:] + 1) % WORDS
    first, second = graph(words)[0], graph(changed)[0]
    assert abs(first[:, :6] - second[:, :6]).max() < 1e-5
    assert abs(first[:, 6:] - second[:, 6:]).max() > 0.1
