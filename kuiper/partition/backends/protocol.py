"""What the executor asks of a back end: make a program of a sub-graph, and move arrays in and out.

The two that the framework has itself, "simple" and "fast", are here too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from kuiper.graph import Operator
from kuiper.runtime import RuntimeGraph

Program = Callable[[Sequence[Any]], Sequence[Any]]
"""A sub-graph made ready: its inputs, as the back end holds them -> its outputs, in order. Threads may share it."""


class Backend(ABC):
    """A way to compute sub-graphs, with arrays of its own kind.

    universal : whether it computes every operator for which there is a layer.
    engine : with which a sub-graph is built; see RuntimeGraph.
    """

    universal: ClassVar[bool] = False
    engine: ClassVar[str] = "simple"

    def refusal(self, operator: Operator) -> str | None:
        """Why it cannot compute an operator, which has its layer; or None."""
        return None

    @abstractmethod
    def compile(self, graph: RuntimeGraph) -> Program:
        """Make a sub-graph ready to run. Raises KuiperError for what it cannot compute.

        graph : the sub-graph as a built network of its own; the back end may give its operators other layers.
        """

    def put(self, x: np.ndarray) -> Any:
        """A numpy array -> a copy of its own kind."""
        return np.array(x)

    def get(self, x: Any) -> np.ndarray:
        """An array of its own kind -> a numpy array, which nobody writes to."""
        return np.asarray(x)


def program_of(graph: RuntimeGraph) -> Program:
    """The program that runs a graph by its executor; its values may be of any kind that the layers take."""
    names = [operand.name for operand in graph.inputs]
    return lambda inputs: graph.executor.run(dict(zip(names, inputs, strict=True)))


class Simple(Backend):
    """The framework's layers on numpy arrays."""

    universal = True

    def compile(self, graph: RuntimeGraph) -> Program:
        """A program that runs the sub-graph by its engine."""
        return program_of(graph)


class Fast(Simple):
    """Plans, made at the first pass with inputs of new shapes; the layers where no plan can be."""

    engine = "fast"
