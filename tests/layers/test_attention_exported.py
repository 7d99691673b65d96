"""nn.MultiheadAttention as pnnx exports it: which input is what is not said, and must be found out."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
from torch import nn  # noqa: E402


@pytest.fixture(autouse=True)
def without_the_fast_path():
    """PyTorch's fast path traces differently with and without gradients, which its own check of traces refuses."""
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(True)


class Attention(nn.Module):
    """One attention, called as `call` says."""

    def __init__(self, call, embed_dim=8, num_heads=2, **options):
        super().__init__()
        self.call = call
        self.attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True, **options)
        for parameter in self.attention.parameters():
            nn.init.normal_(parameter, std=0.4)


class WithMasks(Attention):
    def forward(self, x, mask, padding):
        return self.call(self.attention, x, mask, padding)


class Plain(Attention):
    def forward(self, x, y, z):
        return self.call(self.attention, x, y, z)


def check(graph, model, *tensors):
    with torch.no_grad():
        expected = model(*tensors)
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = graph(*(x.numpy() for x in tensors))
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-4, atol=1e-5, strict=True)


def inputs(n=3, length=5):
    padding = torch.zeros(n, length)
    padding[0, 3:] = 1
    padding[-1, 1] = 1
    return torch.randn(n, length, 8), torch.randn(length, length), padding


MASKED = {
    "numbers": lambda a, x, m, p: a(x, x, x, attn_mask=m)[0],
    "booleans": lambda a, x, m, p: a(x, x, x, attn_mask=m > 0.8)[0],
    "padding": lambda a, x, m, p: a(x, x, x, key_padding_mask=p > 0.5)[0],
    "padding and weights": lambda a, x, m, p: a(x, x, x, key_padding_mask=p > 0.5),
    "padding in numbers": lambda a, x, m, p: a(x, x, x, key_padding_mask=p * -9)[0],
    "both": lambda a, x, m, p: a(x, x, x, key_padding_mask=p > 0.5, attn_mask=m)[0],
    "both in numbers": lambda a, x, m, p: a(x, x, x, key_padding_mask=p * -9, attn_mask=m)[0],
    "both in booleans": lambda a, x, m, p: a(x, x, x, key_padding_mask=p > 0.5, attn_mask=m > 0.8)[0],
    "another key, padding": lambda a, x, m, p: a(x, x + 1, x + 1, key_padding_mask=p > 0.5)[0],
    "three sequences, padding": lambda a, x, m, p: a(x, x + 1, x + 2, key_padding_mask=p > 0.5)[0],
    "three sequences, both": lambda a, x, m, p: a(x, x + 1, x + 2, key_padding_mask=p > 0.5, attn_mask=m)[0],
}


QUICK = ("numbers", "padding", "both in booleans", "three sequences, both")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MASKED]
)
def test_masks_are_told_from_sequences_and_from_each_other(export, name):
    torch.manual_seed(1)
    model = WithMasks(MASKED[name]).eval()
    graph = kuiper.load(export(model, *inputs()))
    check(graph, model, *inputs())


@pytest.mark.parametrize(
    "name",
    [
        "both",
        *(
            pytest.param(n, marks=pytest.mark.slow)
            for n in ("numbers", "padding", "padding in numbers", "both in numbers")
        ),
    ],
)
def test_masks_are_told_apart_when_batch_and_length_are_open(export, name):
    torch.manual_seed(2)
    model = WithMasks(MASKED[name]).eval()
    graph = kuiper.load(export(model, *inputs(), dynamic=inputs(2, 7)))
    for n, length in [(3, 5), (2, 7), (4, 6)]:
        check(graph, model, *inputs(n, length))


def test_batch_first_is_not_taken_for_granted(export):
    torch.manual_seed(3)
    model = Plain(lambda a, x, y, z: a(x, y, z), bias=False, kdim=6, vdim=4, add_bias_kv=True, add_zero_attn=True)
    model.attention.batch_first = False
    tensors = torch.randn(5, 3, 8), torch.randn(4, 3, 6), torch.randn(4, 3, 4)
    check(kuiper.load(export(model.eval(), *tensors)), model, *tensors)


def test_sequences_without_a_batch(export):
    torch.manual_seed(4)
    model = Plain(lambda a, x, y, z: (*a(x, x, x), a(x, y, z, attn_mask=y[:, :4].transpose(0, 1) > 0)[0])).eval()
    tensors = torch.randn(4, 8), torch.randn(6, 8).abs() - 0.2, torch.randn(6, 8)
    check(kuiper.load(export(model, *tensors)), model, *tensors)


def test_weights_of_each_head_on_request(export):
    torch.manual_seed(5)
    model = Plain(lambda a, x, y, z: a(x, y, z, average_attn_weights=False)).eval()
    tensors = tuple(torch.randn(2, 5, 8) for _ in range(3))
    check(kuiper.load(export(model, *tensors)), model, *tensors)


@pytest.mark.parametrize(
    "call",
    [
        lambda a, x, y, z: a(x, y, z)[1],
        lambda a, x, y, z: a(x, y, z)[::-1],
        lambda a, x, y, z: a(x, y, z, average_attn_weights=False)[1],
        lambda a, x, y, z: a(x, y, z, need_weights=False)[0],
    ],
)
def test_outputs_in_another_order_or_fewer(export, call):
    torch.manual_seed(5)
    model = Plain(call).eval()
    tensors = torch.randn(2, 4, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 8)
    check(kuiper.load(export(model, *tensors)), model, *tensors)


def test_weights_shared_between_two_attentions(export):
    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = (nn.MultiheadAttention(8, 2, batch_first=True) for _ in range(2))
            self.second.in_proj_weight = self.first.in_proj_weight
            self.second.out_proj = self.first.out_proj
            nn.init.normal_(self.second.in_proj_bias)

        def forward(self, x, mask):
            return self.first(x, x, x)[0], self.second(x, x, x, attn_mask=mask)[0]

    torch.manual_seed(6)
    model, tensors = Shared().eval(), (torch.randn(3, 5, 8), torch.randn(5, 5))
    check(kuiper.load(export(model, *tensors)), model, *tensors)
