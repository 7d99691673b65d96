from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

WORDS, WIDTH = 50, 32


class Positions(nn.Module):
    """(N, L, E) -> the same: adds sines and cosines of the position."""

    def __init__(self, longest: int = 32) -> None:
        super().__init__()
        angle = torch.arange(longest)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
        self.register_buffer("table", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[: x.shape[1]]


class Encoder(nn.Module):
    """The encoder of "Attention Is All You Need" (https://arxiv.org/abs/1706.03762), with a padding mask."""

    def __init__(self, activation: str = "relu", norm_first: bool = False) -> None:
        super().__init__()
        self.embed, self.positions = nn.Embedding(WORDS, WIDTH), Positions()
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, activation=activation, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(WIDTH), enable_nested_tensor=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.positions(self.embed(words) * math.sqrt(WIDTH))
        return self.encoder(x, src_key_padding_mask=words == 0)


class Translator(nn.Module):
    """Encoder and decoder: the decoder sees its own past, and everything of the source."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.embed, self.positions = nn.Embedding(WORDS, WIDTH), Positions()
        layer = nn.TransformerDecoderLayer(WIDTH, 4, 64, batch_first=True)
        self.decoder, self.head = nn.TransformerDecoder(layer, 2), nn.Linear(WIDTH, WORDS)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        length = target.shape[1]
        future = torch.full((length, length), -math.inf).triu(1)
        y = self.positions(self.embed(target))
        # where PyTorch itself finds out that the mask is the causal one, pnnx loses it
        y = self.decoder(y, self.encoder(source), tgt_mask=future, tgt_is_causal=False)
        return self.head(y)


def sentences(n: int, length: int, seed: int = 0) -> torch.Tensor:
    words = torch.randint(1, WORDS, (n, length), generator=torch.Generator().manual_seed(seed))
    words[0, length - 2 :] = 0  # padding
    return words


@pytest.mark.parametrize("options", [{}, {"activation": "gelu", "norm_first": True}])
def test_encoder_exported_for_one_size_agrees_with_torch(sequence_network, options):
    network = sequence_network(lambda: Encoder(**options), [sentences(3, 8)])
    network.agree(sentences(3, 8, seed=1))
    assert {"nn.MultiheadAttention", "nn.LayerNorm", "nn.Embedding"} <= network.types


def test_encoder_takes_any_batch_and_length_when_these_are_open(sequence_network):
    network = sequence_network(Encoder, [sentences(3, 8)], [sentences(2, 11)])
    for n, length in [(3, 8), (1, 5), (4, 13)]:
        network.agree(sentences(n, length, seed=n))


def test_encoder_and_decoder_agree_with_torch(sequence_network):
    network = sequence_network(Translator, [sentences(3, 8), sentences(3, 6, seed=1)])
    network.agree(sentences(3, 8, seed=2), sentences(3, 6, seed=3))
