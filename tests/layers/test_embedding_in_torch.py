"""Embeddings compute what PyTorch computes, and refuse numbers that name no row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kuiper
from kuiper.errors import KuiperError
from kuiper.layers.sequence.embedding import Embedding, EmbeddingBag

torch = pytest.importorskip("torch", reason="compares with PyTorch, which is not installed")
F = torch.nn.functional

TABLE = np.random.default_rng(0).standard_normal((10, 4)).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(shape=st.lists(st.integers(0, 3), max_size=3), dtype=st.sampled_from([np.int32, np.int64]))
def test_indices_of_any_shape(shape, dtype):
    indices = np.random.default_rng(1).integers(0, 10, shape).astype(dtype)
    expected = F.embedding(torch.from_numpy(np.asarray(indices)), torch.from_numpy(TABLE)).numpy()
    np.testing.assert_array_equal(Embedding(TABLE).forward(np.asarray(indices)), expected, strict=True)


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.5])
def test_max_norm_scales_long_rows_down(norm_type):
    indices = np.arange(10)
    expected = F.embedding(torch.from_numpy(indices), torch.from_numpy(TABLE.copy()), max_norm=1.2, norm_type=norm_type)
    found = Embedding(TABLE, max_norm=1.2, norm_type=norm_type).forward(indices)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5, strict=True)
    assert not np.array_equal(found, TABLE)


@pytest.mark.parametrize("indices", [[10], [-1], [0.5]])
def test_what_names_no_row_is_refused(indices):
    with pytest.raises((IndexError, RuntimeError)):
        F.embedding(torch.tensor(indices), torch.from_numpy(TABLE))
    with pytest.raises(KuiperError, match="Embedding input"):
        Embedding(TABLE).forward(np.array(indices))


def test_a_weight_that_contradicts_the_parameters_is_refused():
    with pytest.raises(KuiperError, match="num_embeddings"):
        Embedding(TABLE, num_embeddings=11, embedding_dim=4)


BAGS = [(m, o, False) for m in ("sum", "mean", "max") for o in ({}, {"padding_idx": 2}, {"include_last_offset": True})]


@pytest.mark.parametrize(("mode", "options", "weighted"), [*BAGS, ("sum", {}, True)])
def test_bags(mode, options, weighted):
    indices, offsets = np.array([1, 2, 2, 5, 9]), np.array([0, 2, 2, 5])
    factors = np.arange(5, dtype=np.float32) if weighted else None
    expected = F.embedding_bag(
        *map(torch.from_numpy, (indices, TABLE, offsets)),
        mode=mode,
        per_sample_weights=None if factors is None else torch.from_numpy(factors),
        **options,
    ).numpy()
    layer = EmbeddingBag(
        TABLE,
        offsets,
        mode=("sum", "mean", "max").index(mode),
        per_sample_weights=factors,
        include_last_offset=options.get("include_last_offset", False),
        padding_idx=options.get("padding_idx", -1),
    )
    found = layer.forward(indices)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6, strict=True)


class Bags(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.largest = (torch.nn.EmbeddingBag(10, 4, mode=mode) for mode in ("mean", "max"))

    def forward(self, indices):
        return self.mean(indices), self.largest(indices)


def test_exported_bags_agree(export):
    model, indices = Bags(), torch.tensor([[1, 4, 0], [2, 2, 9]])
    with torch.no_grad():
        expected = model(indices)
    for mine, theirs in zip(kuiper.load(export(model, indices))(indices.numpy()), expected, strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-6, strict=True)


class Tables(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(10, 4, padding_idx=1)

    def forward(self, indices, table):
        return self.words(indices), F.embedding(indices, table), F.embedding(indices[0, 1], self.words.weight)


def test_exported_embeddings_agree_for_other_lengths_too(export):
    model, indices, table = Tables(), torch.tensor([[1, 4, 0], [2, 2, 9]]), torch.from_numpy(TABLE)
    graph = kuiper.load(export(model, indices, table, dynamic=(torch.zeros(4, 7, dtype=torch.long), table)))
    for numbers in (indices, torch.arange(8).reshape(1, 8)):
        with torch.no_grad():
            expected = model(numbers, table)
        for mine, theirs in zip(graph(numbers.numpy(), TABLE), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs.numpy(), strict=True)
