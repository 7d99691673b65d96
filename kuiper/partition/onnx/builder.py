"""The nodes and constants of an ONNX model in the making; nothing here needs the onnx package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


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
