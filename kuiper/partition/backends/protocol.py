"""What the executor asks of a back end: make a program of a sub-graph, and carry arrays in and out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kuiper import pnnx
from kuiper.layers import LayerRegisterer
from kuiper.toolbox import Toolbox

Program = Callable[[Sequence[Any]], Sequence[Any]]
"""A sub-graph made ready: its inputs, as the back end holds them -> its outputs, in order. Threads may share it."""


@dataclass(frozen=True)
class Network:
    """A sub-graph as a network of its own.

    Parameters
    ----------
    graph : its operators, with a pnnx.Input for each input and one pnnx.Output.
    name : how messages call it.
    registry, toolbox : the layers and functions that the whole graph was built with.
    casts_to : the type to which its weights and floating-point inputs were cast; None where they are as in the file.
    """

    graph: pnnx.Graph
    name: str
    registry: LayerRegisterer
    toolbox: Toolbox
    casts_to: np.dtype | None = None

    @property
    def inputs(self) -> list[pnnx.Operand]:
        """What it is given, in order."""
        return [operand for op in self.graph if op.type == "pnnx.Input" for operand in op.outputs]

    @property
    def outputs(self) -> list[pnnx.Operand]:
        """What it hands over, in order."""
        return [operand for op in self.graph if op.type == "pnnx.Output" for operand in op.inputs]


class Backend(ABC):
    """A way to compute sub-graphs, with arrays of its own kind.

    universal : whether it computes every operator for which there is a layer.
    """

    universal: ClassVar[bool] = False

    def refusal(self, operator: pnnx.Operator) -> str | None:
        """Why it cannot compute an operator, or None."""
        return None

    @abstractmethod
    def compile(self, network: Network) -> Program:
        """Make a sub-graph ready to run. Raises KuiperError for what it cannot compute."""

    def put(self, x: np.ndarray) -> Any:
        """A numpy array -> a copy of its own kind."""
        return np.array(x)

    def get(self, x: Any) -> np.ndarray:
        """An array of its own kind -> a numpy array, which nobody writes to."""
        return np.asarray(x)
