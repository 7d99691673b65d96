from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402

WORDS = 60


class Classifier(nn.Module):
    """Words -> classes: an embedding, two layers of LSTM read in both directions, the last state of each direction."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 24, num_layers=2, bidirectional=True, batch_first=True)
        for parameter in self.lstm.parameters():
            nn.init.normal_(parameter, std=0.4)
        self.head = nn.Sequential(nn.LayerNorm(48), nn.Linear(48, 5))

    def forward(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        states, (last, _) = self.lstm(self.embed(words))
        return self.head(torch.cat([last[-2], last[-1]], dim=1)), states.mean(1)


def tokens(n: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, WORDS, (n, length), generator=torch.Generator().manual_seed(seed))


def test_lstm_classifier_exported_for_one_size_agrees_with_torch(sequence_network):
    network = sequence_network(Classifier, [tokens(2, 10)])
    network.agree(tokens(2, 10, seed=1))
    assert {"nn.LSTM", "nn.Embedding"} <= network.types


def test_lstm_classifier_takes_any_batch_and_length_when_these_are_open(sequence_network):
    network = sequence_network(Classifier, [tokens(2, 10)], [tokens(3, 14)])
    for n, length in [(2, 10), (1, 1), (4, 21)]:
        network.agree(tokens(n, length, seed=n))
