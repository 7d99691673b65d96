"""Embedding: a table that has one learned vector per word."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kuiper.errors import DTypeError, InferError, ParameterError, ShapeError
from kuiper.layers.cost import Shapes, moves, size
from kuiper.layers.families import LINEAR
from kuiper.layers.layer import Layer
from kuiper.layers.registry import registry
from kuiper.quantize import QuantizedWeight


@registry.register("nn.Embedding", "F.embedding")
class Embedding(Layer):
    """(...) of row numbers -> (..., embedding_dim): the rows of `weight` that the numbers name.

    Parameters
    ----------
    weight : (num_embeddings, embedding_dim), in fewer bits too.
    num_embeddings, embedding_dim : what the model file says of the weight.
    max_norm, norm_type : rows whose norm (the root of order norm_type of the sum of |w|^norm_type) exceeds max_norm
        are scaled down to it.
    padding_idx, scale_grad_by_freq, sparse : play a part in training only.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html

    >>> Embedding(np.array([[1.0, 2.0], [3.0, 4.0]])).forward(np.array([1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """

    family = LINEAR
    flops = moves
    weights: ClassVar[tuple[str, ...]] = ("weight",)
    compact: ClassVar[tuple[str, ...]] = ("weight",)

    def __init__(
        self,
        weight: np.ndarray | QuantizedWeight,
        num_embeddings: int | None = None,
        embedding_dim: int | None = None,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> None:
        if weight.ndim != 2:
            raise ParameterError("weight", "shape (num_embeddings, embedding_dim)", str(weight.shape))
        declared = (num_embeddings, embedding_dim)
        for name, value, extent in zip(("num_embeddings", "embedding_dim"), declared, weight.shape):
            if value is not None and value != extent:
                raise ParameterError(name, str(extent), f"{value!r}; weight {weight.shape} says otherwise")
        self.weight, self.max_norm, self.norm_type = weight, max_norm, norm_type

    def weights_read(self, stored: int, written: int) -> int:
        """The rows that are looked up: as much as is written, and no more than there is."""
        return min(stored, written)

    def forward(self, indices: np.ndarray) -> np.ndarray:
        """The rows. Raises InferError for an index that is not of an integer type or names no row."""
        check_rows("Embedding", indices, len(self.weight))
        rows = self.weight[indices]
        dtype = rows.dtype
        if self.max_norm is not None:
            norm = (np.abs(rows) ** self.norm_type).sum(-1, keepdims=True) ** (1 / self.norm_type)
            rows = np.where(norm > self.max_norm, rows * (self.max_norm / (norm + 1e-7)), rows)
        return rows.astype(dtype, copy=False)


BAG_INPUTS = "weight x offsets _ mode _ per_sample_weights include_last_offset"


@registry.register("aten::embedding_bag", inputs=(BAG_INPUTS, f"{BAG_INPUTS} padding_idx"))
class EmbeddingBag(Layer):
    """(n) row numbers in bags -> (bags, embedding_dim): the sum, mean or maximum of each bag's rows of `weight`.

    Bag i is indices[offsets[i] : offsets[i + 1]]; an empty one gives zeros. PNNX has no nn.EmbeddingBag of its own:
    it writes the operation that PyTorch runs, which has three more outputs for the benefit of training: here None.

    Parameters
    ----------
    weight : (num_embeddings, embedding_dim).
    offsets : where each bag starts; with include_last_offset also where the last one ends.
    mode : 0 sum, 1 mean, 2 maximum.
    per_sample_weights : (n), factors of the rows.
    padding_idx : a row that does not count; None and -1 mean none.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html

    >>> table = np.array([[1.0], [2.0], [4.0]])
    >>> EmbeddingBag(table, np.array([0, 2])).forward(np.array([0, 1, 2]))[0].tolist()
    [[3.0], [4.0]]
    """

    family = LINEAR
    weights: ClassVar[tuple[str, ...]] = ("weight", "per_sample_weights")

    def __init__(
        self,
        weight: np.ndarray,
        offsets: np.ndarray,
        mode: int = 0,
        per_sample_weights: np.ndarray | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = -1,
    ) -> None:
        self.weight, self.offsets, self.factors = weight, offsets, per_sample_weights
        self.reduce: Any = (np.sum, np.mean, np.max)[int(mode)]
        self.ends, self.padding_idx = bool(include_last_offset), -1 if padding_idx is None else int(padding_idx)

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Every number of the rows is added once; the factors are not counted."""
        return size(inputs[0]) * self.weight.shape[-1]

    def forward(self, indices: np.ndarray) -> tuple[Any, ...]:
        """The bags, and None for each of the outputs that training needs."""
        check_rows("EmbeddingBag", indices, len(self.weight))
        if indices.ndim != 1 or self.offsets.ndim != 1:
            found = f"{indices.shape}, {self.offsets.shape}"
            raise ShapeError("EmbeddingBag", "indices and offsets of one axis", found)
        rows = self.weight[indices]
        if self.factors is not None:
            rows = rows * self.factors[:, None]
        counts = np.ones(len(indices), bool) if self.padding_idx < 0 else indices != self.padding_idx
        ends = self.offsets[1:] if self.ends else [*self.offsets[1:], len(indices)]
        bags = [rows[start:end][counts[start:end]] for start, end in zip(self.offsets, ends)]
        nothing = np.zeros(self.weight.shape[1], self.weight.dtype)
        y = np.array([self.reduce(bag, axis=0) if len(bag) else nothing for bag in bags])
        return y.reshape(len(bags), self.weight.shape[1]).astype(self.weight.dtype), None, None, None


def check_rows(layer: str, indices: np.ndarray, rows: int) -> None:
    """Raise InferError unless `indices` holds integers from 0 to rows - 1."""
    if indices.dtype.kind not in "iu":
        raise DTypeError(f"{layer} input: expected integers, the numbers of rows, found {indices.dtype}")
    if indices.size and not (indices.min() >= 0 and indices.max() < rows):
        message = f"{layer} input: expected numbers from 0 to {rows - 1}, found {indices.min()} to {indices.max()}"
        raise InferError(message)
