"""Reductions, sorting, comparison and complex numbers in networks that pnnx exported with an open dimension."""

import numpy as np
import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


class Reductions(torch.nn.Module):
    def forward(self, x):
        whole = (x * 10).int()
        return (
            torch.sum(x, (0, 1), keepdim=True),
            torch.sum(x, 1, dtype=torch.float64),
            torch.mean(whole, 1, dtype=torch.float32),
            torch.mean(x, (1,), dtype=torch.float64),
            torch.prod(whole, 1),
            torch.prod(whole),
            torch.std(x),
            torch.std(x, 1, correction=2),
            torch.var(x, 1, correction=0),
            torch.var(x, unbiased=False),
            *torch.std_mean(x, 1, keepdim=True),
            *torch.var_mean(x, (0, 1), correction=0),
            torch.logsumexp(x, (0, 2), keepdim=True),
            torch.norm(x, float("inf")),
            torch.norm(x, 3, (0, 1), keepdim=True),
            torch.norm(x, 2, 1, dtype=torch.float64),
            torch.linalg.matrix_norm(x),
            torch.all(x > 0.1, 1),
            torch.any(x > 0.9, dim=(0, 1)),
            torch.count_nonzero(whole, 1),
            torch.amax(x, (0, 1), keepdim=True),
            *torch.aminmax(x, dim=1),
        )


class Orders(torch.nn.Module):
    def forward(self, x):
        whole = (x * 10).int()
        return (
            torch.max(x),
            *torch.max(x, 1),
            torch.min(x, 1, keepdim=True)[0],
            torch.min(x, -1).indices,
            torch.argmax(x),
            torch.argmin(x, 1, keepdim=True),
            *torch.topk(x, 2, dim=1, largest=False),
            torch.topk(x, 3, dim=1)[1],
            *torch.sort(x, 0, True),
            *torch.sort(whole, stable=True, dim=1, descending=True),
            torch.argsort(x, dim=1, stable=True),
            torch.median(x),
            *torch.median(x, 1, keepdim=True),
            *torch.kthvalue(x, 2, 1, True),
            torch.cumsum(whole, 1),
            torch.cumsum(x, 2, dtype=torch.float64),
            torch.cumprod(x, -1),
            *torch.cummax(x, 1),
            torch.logcumsumexp(x, 1),
        )


class Elementwise(torch.nn.Module):
    def forward(self, x):
        whole, y = (x * 10).int(), x.flip(0)
        return (
            x == y,
            x != 0.5,
            x > x.mean(),
            x < x.size(2),
            x >= float("-inf"),
            torch.logical_xor(x > 0.5, y),
            ~(x > 0.5),
            torch.bitwise_left_shift(3, whole),
            torch.bitwise_xor(whole, 5),
            torch.clamp(x, 0.2, 0.7),
            torch.clamp(x, max=x.size(2) - 3.5),
            torch.clamp(x, min=y),
            torch.clamp(whole, min=x.mean()),
            torch.clamp_min(x, 0.4),
            torch.clamp_max(x, y),
            torch.isnan(x / (x > 0.5)),
            torch.isclose(x, y, atol=0.1),
            torch.lerp(x, y, 0.3),
            torch.addcmul(x, y, y, value=2),
            torch.lgamma(x),
            torch.positive(x),
        )


class ComplexNumbers(torch.nn.Module):
    def forward(self, x):
        c = torch.complex(x, x.flip(0))
        return (
            torch.real(c.conj() * x),
            torch.imag(c.conj() * c.real),
            torch.real(c * c),
            torch.imag(c),
            torch.angle(c),
            torch.sum(c, 1).real,
            torch.std(c, 1),
            torch.norm(c, dim=1),
            torch.view_as_real(torch.polar(x, x)),
            torch.view_as_complex(x.reshape(-1, 2)).imag,
            torch.cross(x, x.flip(0), dim=1),
        )


@pytest.mark.parametrize("model", [Reductions, Orders, Elementwise, ComplexNumbers])
def test_an_exported_network_gives_what_pytorch_gives(export, model):
    torch.manual_seed(0)
    x, longer = torch.rand(2, 3, 4), torch.rand(2, 3, 6)
    graph = kuiper.load(export(model(), x, dynamic=(longer,)))
    for inputs in (x, longer):
        outputs, expected = graph(inputs.numpy()), model()(inputs)
        for number, (got, want) in enumerate(zip(outputs, expected, strict=True)):
            want = want.numpy()
            assert (got.dtype, got.shape) == (want.dtype, want.shape), number
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=str(number))
