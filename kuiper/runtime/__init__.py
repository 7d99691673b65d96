"""The runtime (lesson 4): a graph with a layer for each operator, and what executes it."""

from kuiper.runtime.executor import EXECUTORS, GraphExecutor, LayerExecutor, run_layers
from kuiper.runtime.graph import GraphState, Outputs, RuntimeGraph, load

__all__ = ["EXECUTORS", "GraphExecutor", "GraphState", "LayerExecutor", "Outputs", "RuntimeGraph", "load", "run_layers"]
