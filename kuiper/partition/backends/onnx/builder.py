"""The nodes and constants of an ONNX model in the making; nothing here needs the onnx package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kuiper.graph import Operand

Value = str | Operand
"""A value in the model: an operand of the network, or the name of one that was made on the way."""


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

    def add(self, kind: str, *inputs: Value, outputs: Sequence[Operand] = (), **attributes: Any) -> str:
        """A new node -> the name of its first output, made up unless `outputs` says it."""
        names = [operand.name for operand in outputs] or [f"value {len(self.nodes)}"]
        reads = [value if isinstance(value, str) else value.name for value in inputs]
        self.nodes.append(OnnxNode(kind, reads, names, attributes))
        return names[0]
