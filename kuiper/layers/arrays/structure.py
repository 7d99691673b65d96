"""Structure: weights that stand alone, and the tuples, lists and dicts that networks pass around."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper.errors import InferError, InputCountError
from kuiper.graph import Operator
from kuiper.layers.arrays.shape import Movement
from kuiper.layers.families import WEIGHT
from kuiper.layers.registry import registry
from kuiper.quantize import QuantizedWeight, dequantized, read_as_weight


@registry.register("pnnx.Attribute")
class StoredArray(Movement):
    """() -> the weights `data`, a tensor that the network holds outside every layer.

    A table in fewer bits stays so if none but F.linear and F.embedding read it, as their weight.
    """

    family = WEIGHT
    weights = ("data",)
    compact = ("data",)

    def __init__(self, data: np.ndarray | QuantizedWeight) -> None:
        self.data = data

    def check(self, operator: Operator) -> None:
        """Make float32 of a table that others read."""
        if isinstance(self.data, QuantizedWeight) and not read_as_weight(operator.outputs[0]):
            self.data = dequantized(self.data)

    def forward(self) -> np.ndarray | QuantizedWeight:
        """Give the weights."""
        return self.data


@registry.register("prim::TupleConstruct")
class TupleConstruct(Movement):
    """a, b, ... -> (a, b, ...)."""

    def forward(self, *inputs: Any) -> tuple[Any, ...]:
        """Make one tuple of the inputs."""
        return inputs


@registry.register("prim::ListConstruct")
class ListConstruct(Movement):
    """a, b, ... -> [a, b, ...]."""

    def forward(self, *inputs: Any) -> list[Any]:
        """Make one list of the inputs."""
        return list(inputs)


@registry.register("prim::DictConstruct")
class DictConstruct(Movement):
    """key1, value1, key2, value2, ... -> {key1: value1, key2: value2, ...}.

    >>> DictConstruct().forward("a", 1, "b", 2)
    {'a': 1, 'b': 2}
    """

    def forward(self, *inputs: Any) -> dict[str, Any]:
        """Make one dict of the inputs; an expression that looks like a number was a string key too."""
        if len(inputs) % 2:
            raise InputCountError(f"expected keys and values in turn, found {len(inputs)} inputs")
        return {str(key): value for key, value in zip(inputs[::2], inputs[1::2], strict=True)}


@registry.register("prim::TupleUnpack", "prim::ListUnpack")
class Unpack(Movement):
    """(a, b, ...) -> a, b, ...: one value per output operand.

    A sequence of one gives its element, which fills the single operand. An array passes: it is what an operation with
    one part (torch.split, torch.chunk, torch.unbind) gives.
    """

    def forward(self, sequence: Any) -> Any:
        """Take the tuple or list apart."""
        if isinstance(sequence, np.ndarray):
            return sequence
        if not isinstance(sequence, (tuple, list)):
            raise InferError(f"expected a tuple or a list to unpack, found {type(sequence).__name__}")
        return sequence[0] if len(sequence) == 1 else tuple(sequence)
