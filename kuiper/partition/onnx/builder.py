"""The nodes and constants of an ONNX model in the making; nothing here needs the onnx package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.partition.errors import BackendError

FLOATS = ("float16", "float32")


class CannotExpressError(BackendError):
    """An operator, or one of its options, that the exporter has no ONNX operators for."""


@dataclass(frozen=True)
class OnnxNode:
    """One node of the model: type, names of what it reads and makes, attributes."""

    type: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: dict[str, Any]


@dataclass
class Builder:
    """Collects nodes and constants; values bear the names of PNNX's operands."""

    nodes: list[OnnxNode] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)

    def constant(self, array: Any, dtype: Any) -> str:
        """A new constant -> its name."""
        name = f"constant {len(self.constants)}"
        self.constants[name] = np.asarray(array, dtype)
        return name

    def add(self, kind: str, *inputs: str, outputs: Sequence[str] | None = None, **attributes: Any) -> str:
        """A new node -> the name of its first output, made up unless `outputs` says it."""
        names = list(outputs or [f"value {len(self.nodes)}"])
        self.nodes.append(OnnxNode(kind, inputs, names, attributes))
        return names[0]


class Operator:
    """What the writers ask of a PNNX operator: its inputs, outputs, options and weights by name."""

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
