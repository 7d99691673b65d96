"""Back ends "simple" and "fast": the layers, one operator after the other, or plans of the fast engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from kuiper.partition.backends.protocol import Backend, Network, Program
from kuiper.runtime import RuntimeGraph


class Simple(Backend):
    """The framework's layers on numpy arrays."""

    universal = True
    engine: ClassVar[str] = "simple"

    def compile(self, network: Network) -> Program:
        """A program that runs the sub-graph's own RuntimeGraph; its values may be of any kind that layers take."""
        graph = RuntimeGraph.from_graph(
            network.graph, network.name, registry=network.registry, toolbox=network.toolbox, engine=self.engine
        )
        graph.build()

        def run(inputs: Sequence[Any]) -> list[Any]:
            return graph.executor.run({o.name: x for o, x in zip(graph.inputs, inputs, strict=True)})

        return run


class Fast(Simple):
    """Plans, made at the first pass with inputs of new shapes; the layers where no plan can be."""

    engine = "fast"
