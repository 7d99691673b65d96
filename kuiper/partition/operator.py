"""What back ends are told of an operator: as the model file had it, and its options one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.partition.errors import BackendError


class CannotExpressError(BackendError):
    """An operator, or one of its options, that a back end has no way to compute."""


class Operator:
    """A PNNX operator's inputs, outputs, options and weights by name."""

    def __init__(self, source: pnnx.Operator) -> None:
        self.source = source
        self.inputs, self.outputs = ([o.name for o in operands] for operands in (source.inputs, source.outputs))

    @property
    def dtype(self) -> np.dtype:
        """The floating-point type that it computes in."""
        operand = (self.source.outputs or self.source.inputs)[0]
        assert operand.dtype is not None
        return operand.dtype.compute

    @property
    def rank(self) -> int:
        """How many axes its first input has. Raises CannotExpressError where the file does not say."""
        shape = self.source.inputs[0].shape
        if shape is None:
            raise CannotExpressError(f"{self.source.type}: the file does not say how many axes its input has")
        return len(shape)

    def get(self, name: str, default: Any = None) -> Any:
        """An option's value."""
        parameter = self.source.params.get(name)
        return default if parameter is None or parameter.value is None else parameter.value

    def weight(self, name: str) -> np.ndarray | None:
        """A weight array, or None where there is none of that name."""
        attribute = self.source.attributes.get(name)
        return None if attribute is None else attribute.data

    def sizes(self, name: str, axes: int, default: int = 1) -> list[int]:
        """An option with a number for each of so many axes. Raises CannotExpressError for a text such as "same"."""
        value = self.get(name, default)
        if isinstance(value, str):
            raise CannotExpressError(f"{self.source.type}: {name}={value}")
        return list(value) if isinstance(value, (list, tuple)) else [value] * axes

    def expect(self, **options: Any) -> None:
        """Raise CannotExpressError unless every option that the file gives has the value named here."""
        for name, wanted in options.items():
            if self.get(name, wanted) != wanted:
                raise CannotExpressError(f"{self.source.type}: {name}={self.get(name)}")

    def expect_one_input(self) -> None:
        """Raise CannotExpressError where options come as inputs."""
        if len(self.inputs) != 1:
            raise CannotExpressError(f"{self.source.type}: {len(self.inputs)} inputs")
