"""Operators that PNNX leaves as PyTorch's core has them, all of whose options are inputs."""

import numpy as np
import pytest

import kuiper

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")


class Views(torch.nn.Module):
    def forward(self, x):
        return (
            *(
                x.mT,
                x[0].T,
                torch.movedim(x, 0, 2),
                torch.movedim(x, (0, 1), (1, 0)),
                torch.ravel(x),
                x.view_as(x.clone()),
            ),
            *(torch.flipud(x), torch.fliplr(x), torch.broadcast_to(x, (2, x.size(0), 4, 5)), torch.atleast_2d(x[0, 0])),
            *(torch.diag_embed(x), torch.tril(x), torch.triu(x, 1), torch.trace(x[0]), torch.scalar_tensor(x.size(0))),
        )


class Joins(torch.nn.Module):
    def forward(self, x):
        grid = torch.meshgrid(x[0, 0], x[0, 1], indexing="xy")
        return (
            *(torch.hstack((x, x)), torch.vstack((x, x)), torch.dstack((x, x)), torch.column_stack((x, x)), *grid),
            *(*torch.hsplit(x, 2), *torch.vsplit(x, (1,)), *torch.dsplit(x, (1, 2))),
        )


class Chosen(torch.nn.Module):
    def forward(self, x):
        i = torch.arange(3)
        return (
            *(torch.take(x, i), torch.index_copy(x, 1, i, x[:, 1:]), torch.index_fill(x, 2, i, 1.0)),
            *(torch.nonzero(x > 0.5), *torch.where(x > 0.5), torch.argwhere(x), torch.repeat_interleave(i)),
            *(x.masked_scatter(x > 0.5, -x), torch.linspace(-1, 1, x.size(0), dtype=torch.float64)),
        )


@pytest.mark.parametrize("model", [Views(), Joins(), Chosen()], ids=["views", "joins", "chosen"])
def test_exported_operators_at_another_size(model, export):
    x, y = torch.rand(3, 4, 5), torch.rand(6, 4, 5)
    graph = kuiper.load(export(model.eval(), x, dynamic=(y,)))
    for sample in (x, y):
        for got, expected in zip(graph(sample.numpy()), model(sample), strict=True):
            np.testing.assert_allclose(got, expected.numpy(), 1e-6, strict=True)


class Drawn(torch.nn.Module):
    def forward(self, x):
        n = x.size(0)
        drawn = (torch.rand(n), torch.randn(2, n), torch.randint(1, 5, (n, 2)), torch.randperm(n), torch.bernoulli(x))
        return (
            *drawn,
            torch.rand_like(x),
            torch.randn_like(x),
            torch.randint_like(x, 10),
            torch.normal(0.0, 1.0, (n, 2)),
        )


def test_exported_random_numbers_have_shape_and_type(export):
    x, y = torch.rand(3, 4, 5), torch.rand(6, 4, 5)
    graph = kuiper.load(export(Drawn().eval(), x, dynamic=(y,)))
    for sample in (x, y):
        for got, expected in zip(graph(sample.numpy()), Drawn()(sample), strict=True):
            assert (got.shape, got.dtype) == (tuple(expected.shape), expected.numpy().dtype)
