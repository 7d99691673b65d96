"""Joining and splitting: several arrays into one, one into several.

The parts may share x's memory. A single part is given as an array, not as a tuple of one: it fills one operand.
Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from kuiper import dtypes
from kuiper.dtypes import as_array
from kuiper.errors import EmptyError, ParameterError, RankError, ShapeError
from kuiper.layers.arrays.shape import Movement, integers
from kuiper.layers.registry import registry

Parts = np.ndarray | tuple[np.ndarray, ...]


def gathered(inputs: tuple[Any, ...]) -> list[np.ndarray]:
    """The arrays to join: the inputs, or the elements of the one list that came. Raises InferError when none did."""
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs
    arrays = [as_array(x) for x in given]
    if not arrays:
        raise EmptyError("inputs", "one array at least", "none")
    return arrays


def parted(parts: Any) -> Parts:
    """A tuple of the parts; the part itself when there is one."""
    parts = tuple(parts)
    return parts[0] if len(parts) == 1 else parts


@registry.register("torch.cat", "torch.concat")
class Cat(Movement):
    """(..., n1, ...), (..., n2, ...), ... -> (..., n1 + n2 + ..., ...): the inputs one after another along `dim`.

    Sizes agree in all other dimensions. Element types mix as PyTorch mixes them; an input of shape (0,) counts for
    the type alone.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.cat.html

    >>> Cat(dim=-1).forward(np.array([[1], [2]]), np.array([[3, 4], [5, 6]]))
    array([[1, 3, 4],
           [2, 5, 6]])
    """

    def __init__(self, dim: int = 0) -> None:
        self.dim = int(dim)

    def forward(self, *inputs: Any) -> np.ndarray:
        """Join the inputs. Raises ShapeError for the first that does not fit."""
        every = gathered(inputs)
        arrays = [x for x in every if x.shape != (0,)] or every
        self._check([x.shape for x in arrays])
        return np.concatenate(arrays, self.dim, dtype=dtypes.result_type(*every), casting="unsafe")

    def _check(self, shapes: list[tuple[int, ...]]) -> None:
        first = shapes[0]
        if not -len(first) <= self.dim < len(first):
            raise RankError("input", f"a dimension {self.dim}", f"shape {first}")
        dim = self.dim % len(first)
        wanted = ", ".join("any" if i == dim else str(n) for i, n in enumerate(first))
        for number, shape in enumerate(shapes):
            if shape[:dim] + shape[dim + 1 :] != first[:dim] + first[dim + 1 :] or len(shape) != len(first):
                raise ShapeError(f"input {number}", f"shape ({wanted}), to join along dimension {dim}", shape)


@registry.register("torch.stack")
class Stack(Movement):
    """k arrays (a, b) -> (a, k, b) for dim=1: the inputs, all of one shape, along a new dimension `dim`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.stack.html
    """

    def __init__(self, dim: int = 0) -> None:
        self.dim = int(dim)

    def forward(self, *inputs: Any) -> np.ndarray:
        """Join the inputs. Raises ShapeError for the first whose shape differs."""
        arrays = gathered(inputs)
        for number, x in enumerate(arrays):
            if x.shape != arrays[0].shape:
                raise ShapeError(f"input {number}", f"shape {arrays[0].shape}, as input 0 has", x.shape)
        return np.stack(arrays, self.dim, dtype=dtypes.result_type(*arrays), casting="unsafe")


class _StackAs(Movement):
    """The inputs, which mix their element types as torch.cat does, joined by numpy's function `join`."""

    join: staticmethod

    def forward(self, *inputs: Any) -> np.ndarray:
        """Join the inputs."""
        arrays = gathered(inputs)
        dtype = dtypes.result_type(*arrays)
        return self.join([x.astype(dtype, copy=False) for x in arrays])


@registry.register("torch.hstack", "aten::hstack")
class Hstack(_StackAs):
    """(a, n1, ...), (a, n2, ...), ... -> (a, n1 + n2 + ..., ...): along dimension 1, or 0 where it is the only one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hstack.html
    """

    join = staticmethod(np.hstack)


@registry.register("torch.vstack", "aten::vstack")
class Vstack(_StackAs):
    """(n1, ...), (n2, ...), ... -> (n1 + n2 + ..., ...): along dimension 0; a (b) counts as a row, (1, b).

    Source: https://docs.pytorch.org/docs/stable/generated/torch.vstack.html
    """

    join = staticmethod(np.vstack)


@registry.register("torch.dstack", "aten::dstack")
class Dstack(_StackAs):
    """(a, b, n1), (a, b, n2), ... -> (a, b, n1 + n2 + ...): along dimension 2, which (a, b) has with size 1.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dstack.html
    """

    join = staticmethod(np.dstack)


@registry.register("torch.column_stack", "aten::column_stack")
class ColumnStack(_StackAs):
    """(a, n1), (a, n2), ... -> (a, n1 + n2 + ...): side by side; an (a) counts as a column, (a, 1).

    Source: https://docs.pytorch.org/docs/stable/generated/torch.column_stack.html
    """

    join = staticmethod(lambda arrays: np.hstack([x.reshape(-1, 1) if x.ndim < 2 else x for x in arrays]))


@registry.register("torch.meshgrid")
@registry.register("aten::meshgrid", inputs=("x", "x indexing"))
class Meshgrid(Movement):
    """(a), (b), ... -> as many arrays (a, b, ...): the coordinates of every point of the grid.

    Parameters
    ----------
    indexing : "ij" as above; "xy" gives (b, a, ...).

    Source: https://docs.pytorch.org/docs/stable/generated/torch.meshgrid.html
    """

    def __init__(self, indexing: Literal["ij", "xy"] = "ij") -> None:
        self.indexing = indexing

    def forward(self, *inputs: Any) -> Any:
        """Make the grid."""
        return tuple(np.meshgrid(*gathered(inputs), indexing=self.indexing))


@registry.register("torch.broadcast_tensors", "aten::broadcast_tensors")
class BroadcastTensors(Movement):
    """Arrays -> as many of their common broadcast shape, without a copy.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.broadcast_tensors.html
    """

    def forward(self, *inputs: Any) -> Any:
        """Broadcast the inputs."""
        arrays = gathered(inputs)
        common = np.broadcast_shapes(*(x.shape for x in arrays))
        return tuple(np.broadcast_to(x, common) for x in arrays)


@registry.register("torch.split", "Tensor.split")
class Split(Movement):
    """(..., n, ...) -> parts along `dim`.

    Parameters
    ----------
    split_size_or_sections : an int is the size of each part (the last takes what is left); a list names every size.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.split.html
    """

    def __init__(self, split_size_or_sections: Any, dim: int = 0) -> None:
        self.sections = split_size_or_sections
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> Parts:
        """Split x. Raises ShapeError when the named sizes do not add up to n."""
        size = x.shape[self.dim]
        if np.ndim(self.sections) == 0:
            step = int(self.sections)
            if step < 1 and size > 0:
                raise ParameterError("split_size_or_sections", "a size of 1 at least", str(step))
            return parted(np.split(x, range(step, size, max(step, 1)), self.dim))
        sections = integers(self.sections)
        if sum(sections) != size or min(sections, default=0) < 0:
            raise ShapeError("split_size_or_sections", f"sizes that add up to {size}", sections)
        return parted(np.split(x, np.cumsum(sections)[:-1], self.dim))


@registry.register("torch.chunk", "Tensor.chunk")
class Chunk(Movement):
    """(..., n, ...) -> at most `chunks` parts along `dim`, each of size ceil(n / chunks) but the last.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.chunk.html

    >>> [part.tolist() for part in Chunk(chunks=4).forward(np.arange(6))]
    [[0, 1], [2, 3], [4, 5]]
    """

    def __init__(self, chunks: Any, dim: int = 0) -> None:
        self.chunks, self.dim = int(chunks), int(dim)
        if self.chunks < 1:
            raise ParameterError("chunks", "1 at least", str(chunks))

    def forward(self, x: np.ndarray) -> Parts:
        """Split x."""
        size = x.shape[self.dim]
        if size == 0:
            return Split([0] * self.chunks, self.dim).forward(x)
        return Split(-(-size // self.chunks), self.dim).forward(x)


@registry.register("torch.tensor_split", "Tensor.tensor_split")
class TensorSplit(Movement):
    """(..., n, ...) -> parts along `dim`: `sections` of them, the first n % sections one longer; or cut at `indices`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor_split.html
    """

    def __init__(self, indices: Any = None, sections: Any = None, dim: int = 0) -> None:
        self.where = int(sections) if sections is not None else list(integers(indices))
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> Parts:
        """Split x."""
        return parted(np.array_split(x, self.where, self.dim))


@registry.register("aten::vsplit")
class Vsplit(Movement):
    """(n, ...), a number of parts or a list of places -> parts along dimension 0, as torch.tensor_split cuts them.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.vsplit.html
    """

    def forward(self, x: np.ndarray, at: Any) -> Parts:
        """Split x."""
        return parted(np.array_split(x, at, 0))


@registry.register("aten::hsplit")
class Hsplit(Movement):
    """(a, n, ...), a number of parts or a list of places -> parts along dimension 1, or 0 where it is the only one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hsplit.html
    """

    def forward(self, x: np.ndarray, at: Any) -> Parts:
        """Split x."""
        return parted(np.array_split(x, at, int(x.ndim > 1)))


@registry.register("aten::dsplit")
class Dsplit(Movement):
    """(a, b, n, ...), a number of parts or a list of places -> parts along dimension 2.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dsplit.html
    """

    def forward(self, x: np.ndarray, at: Any) -> Parts:
        """Split x."""
        return parted(np.array_split(x, at, 2))


@registry.register("torch.unbind", "Tensor.unbind")
class Unbind(Movement):
    """(a, n, b) -> n arrays (a, b) for dim=1: one per index of `dim`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.unbind.html
    """

    def __init__(self, dim: int = 0) -> None:
        self.dim = int(dim)

    def forward(self, x: np.ndarray) -> Parts:
        """Take x apart."""
        rows = np.moveaxis(x, self.dim, 0)
        return parted(rows[i, ...] for i in range(len(rows)))
