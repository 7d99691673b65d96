"""Back ends "simple" and "fast": the layers, one operator after the other, or plans of the fast engine."""

from __future__ import annotations

from kuiper.partition.backends.protocol import Backend, Program, program_of
from kuiper.runtime import RuntimeGraph


class Simple(Backend):
    """The framework's layers on numpy arrays."""

    universal = True

    def compile(self, graph: RuntimeGraph) -> Program:
        """A program that runs the sub-graph by its engine."""
        return program_of(graph)


class Fast(Simple):
    """Plans, made at the first pass with inputs of new shapes; the layers where no plan can be."""

    engine = "fast"
