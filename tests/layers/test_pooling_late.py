"""Pools whose options are inputs, and max unpooling, compute what PyTorch computes."""

from __future__ import annotations

import numpy as np
import pytest

import kuiper
from kuiper.errors import KuiperError
from kuiper.graph import Operand, Operator
from kuiper.layers import registry
from kuiper.layers.image.pooling import MaxUnpool

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional


class Global(torch.nn.Module):
    """Pools over the whole image, as many networks write global pooling."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.avg_pool, self.max_pool = getattr(F, f"avg_pool{axes}d"), getattr(F, f"max_pool{axes}d")

    def forward(self, x):
        return self.avg_pool(x, x.shape[2:]), self.max_pool(x, x.shape[2:])


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_window_as_large_as_the_image_fits_every_image(export, axes):
    model = Global(axes).eval()
    small, large = (torch.rand(n, 2, *[size] * axes) for n, size in ((1, 5), (2, 7)))
    graph = kuiper.load(export(model, small, dynamic=(large,)))
    for x in (small, large):
        for found, expected in zip(graph(x.numpy()), model(x), strict=True):
            np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5)


def test_the_options_come_in_pytorchs_order():
    x = np.arange(16.0).reshape(1, 4, 4)
    operator = Operator("aten::avg_pool2d", "pool", [Operand(str(i)) for i in range(7)], [Operand("y")])
    found = registry.create(operator).forward(x, [3, 2], [2, 1], [1, 0], True, False, None)
    expected = torch.ops.aten.avg_pool2d(torch.from_numpy(x), [3, 2], [2, 1], [1, 0], True, False, None)
    np.testing.assert_allclose(found, expected.numpy())


class Unpool(torch.nn.Module):
    """Max pooling and back to a size of its own."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.pool, self.unpool = getattr(F, f"max_pool{axes}d"), getattr(F, f"max_unpool{axes}d")
        self.size = (7, 6, 7)[:axes]

    def forward(self, x):
        values, indices = self.pool(x, 2, return_indices=True)
        return self.unpool(2 * values, indices, 2, output_size=self.size)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.filterwarnings("ignore")
def test_unpooling_puts_the_maxima_back(export, axes):
    model = Unpool(axes).eval()
    x = torch.rand(2, 3, *(6, 7, 6)[:axes])
    [found] = kuiper.load(export(model, x))(x.numpy())
    np.testing.assert_array_equal(found, model(x).numpy())


@pytest.mark.parametrize("index", [-1, 16])
def test_an_index_outside_the_output_is_refused_as_pytorch_refuses_it(index):
    x, indices = np.ones((1, 1, 1)), np.array([[[index]]])
    with pytest.raises(RuntimeError):
        torch.ops.aten.max_unpool2d(torch.from_numpy(x), torch.from_numpy(indices), [4, 4])
    with pytest.raises(KuiperError, match=rf"expected 0 to 15, found {index}"):
        MaxUnpool([4, 4]).forward(x, indices)


def test_indices_of_another_shape_are_refused():
    with pytest.raises(KuiperError, match="expected one index for each number"):
        MaxUnpool([4, 4]).forward(np.ones((1, 2, 2)), np.zeros((1, 2, 1), np.int64))
