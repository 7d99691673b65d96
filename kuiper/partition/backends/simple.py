"""Back end "simple": the layers, one operator after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kuiper import pnnx
from kuiper.engine import Engine, RuntimeGraph
from kuiper.partition.backends.protocol import Backend, Network, Program
from kuiper.runtime import GraphState
from kuiper.runtime.wrap import wrap_operators


class PartGraph(RuntimeGraph):
    """A sub-graph as a built RuntimeGraph: its operators come from memory, not from files.

    Raises UnsupportedOperatorError, ParameterError, GraphError.
    """

    def __init__(self, network: Network, engine: Engine = "simple") -> None:
        super().__init__(network.name, registry=network.registry, toolbox=network.toolbox, engine=engine)  # type: ignore[arg-type]
        self.source: pnnx.Graph = network.graph
        self.init()
        self.build()

    def init(self) -> None:
        """Wrap the operators."""
        self.operators = wrap_operators(self.source, self.toolbox)
        self.state = GraphState.NEED_BUILD

    def compute(self, inputs: Sequence[Any]) -> list[Any]:
        """One pass through the layers -> what the outputs hold, tuples and numbers as they are.

        Unlike `forward`, it takes any values, and keeps nothing of the pass: several threads may call it.
        """
        values = {operand.name: x for operand, x in zip(self.input_operands, inputs, strict=True)}
        for operator, dead in zip(self.operators, self._released_after, strict=True):
            if operator.layer is not None:
                operator.layer.forward_operator(operator, values)
            for name in dead:
                del values[name]
        return [values[operand.name] for operand in self.output_operands]


class Simple(Backend):
    """The framework's layers on numpy arrays."""

    universal = True

    def compile(self, network: Network) -> Program:
        """A program that calls the layers in order."""
        return PartGraph(network).compute
