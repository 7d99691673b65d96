"""The torch module that is made from a file: the same numbers as the module that was exported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kuiper import pnnx
from kuiper.errors import KuiperError
from kuiper.peers.torch_network import torch_network

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


class Images(nn.Module):
    """Modules, functions and methods; an input read twice, a slice, a list of sizes, two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, 2, 1, groups=1), nn.GroupNorm(2, 8)
        self.up, self.fc = nn.Upsample(scale_factor=2), nn.Linear(8, 4)
        self.shift = nn.Parameter(torch.randn(8, 1, 1))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = F.relu(self.norm(self.conv(x))) * 0.5 + self.shift
        a, b = y.chunk(2, 1)
        y = torch.concat([b, torch.stack([a, a], 0).sum(0)], 1)
        y[:, 2:5, ..., 1:] = y[:, 1:4, ..., :-1] * 2
        y = F.pad(F.max_pool2d(self.up(y), 3, 2, 1), (1, 0, 0, 1), value=0.25)
        pooled = F.adaptive_avg_pool2d(y, (1, None))[:, :, 0, 1:]
        return self.fc(pooled.permute(0, 2, 1)).softmax(-1), y.mean((2, 3), keepdim=True).flatten(1)


class Sequences(nn.Module):
    """Recurrent layers and attention, whose inputs and outputs stand side by side in the file."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True, bidirectional=True)
        self.gru, self.attention = nn.GRU(16, 8, batch_first=True), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        y, (h, c) = self.lstm(self.embed(words))
        y, last = self.gru(y)
        y, _ = self.attention(y, y, y, need_weights=False)
        q = y.reshape(y.size(0), -1, 2, 4).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, q, q, is_causal=True)
        return y.sum((1, 2)) + torch.einsum("lne,lne->ne", h, c)[:, :4] + last[0, :, :4]


@pytest.mark.parametrize(
    ("make", "inputs"),
    [(Images, lambda: torch.randn(2, 3, 16, 16)), (Sequences, lambda: torch.randint(0, 11, (2, 5)))],
    ids=["images", "sequences"],
)
def test_the_module_made_from_the_file_computes_what_the_exported_one_does(
    make: Callable[[], nn.Module], inputs: Callable[[], torch.Tensor], export: Callable[..., Path]
) -> None:
    torch.manual_seed(0)
    model = make().eval()
    torch.backends.mha.set_fastpath_enabled(False)  # it traces differently with and without gradients
    try:
        param = export(model, inputs())
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
    network = torch_network(pnnx.read(param))
    x = inputs()
    with torch.inference_mode():
        expected, got = model(x), network(x)
    pairs = zip(expected, got, strict=True) if isinstance(expected, tuple) else [(expected, got)]
    for theirs, ours in pairs:
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)


def read(folder: Path, line: str) -> pnnx.Graph:
    file = folder / "net.pnnx.param"
    file.write_text(f"7767517\n3 2\npnnx.Input in 0 1 0 #0=(1,4)f32\n{line}\npnnx.Output out 1 0 1\n")
    return pnnx.read(file)


def test_modules_are_made_once_and_belong_to_the_network(tmp_path: Path) -> None:
    network = torch_network(read(tmp_path, "nn.Softmax sm 1 1 0 1 dim=1"))
    (held,) = network.children()
    assert isinstance(held, nn.Softmax)
    assert not network.training
    assert network(torch.zeros(1, 4)).tolist() == [[0.25] * 4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nn.Nothing op 1 1 0 1", "torch has nothing of the name nn.Nothing"),
        ("my.thing op 1 1 0 1", "torch has nothing of the name my.thing"),
        ("nn.Softmax op 1 1 0 1 speed=3", "torch cannot make nn.Softmax"),
    ],
)
def test_what_torch_does_not_know_is_named(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(KuiperError, match=reason) as caught:
        torch_network(read(tmp_path, line))
    assert str(caught.value).startswith("op: ")
