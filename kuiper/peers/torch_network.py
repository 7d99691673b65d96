"""A PNNX file -> torch.nn.Module: the network in PyTorch's eager mode, one call after the other."""

from __future__ import annotations

import importlib
from typing import Any

from kuiper.graph import BOUNDARY, Graph
from kuiper.layers import LayerRegisterer
from kuiper.layers.layer import FunctionLayer
from kuiper.peers.torch_operators import torch_call
from kuiper.quantize import dequantized_operator
from kuiper.runtime import RuntimeGraph


def torch_network(graph: Graph) -> Any:
    """The graph as a torch module in inference mode: tensors of its inputs -> a tensor, or a tuple of them.

    Modules, weights and expressions are made here, once; a pass is one torch call per operator. The weights are those
    of the file, so that what PNNX has folded stays folded.

    Raises KuiperError for an operator that torch has no name for, ModuleNotFoundError where there is no torch.
    """
    torch: Any = importlib.import_module("torch")
    calls = LayerRegisterer()
    for kind in {op.type for op in graph} - set(BOUNDARY):
        calls.add(kind, lambda op: FunctionLayer(torch_call(torch, dequantized_operator(op))))
    runtime = RuntimeGraph.from_graph(graph, registry=calls)
    runtime.build()
    names = [operand.name for operand in runtime.inputs]

    class Network(torch.nn.Module):
        """The operators in the order of the file."""

        def __init__(self) -> None:
            super().__init__()
            for i, op in enumerate(runtime.operators):
                call = op.layer.function if isinstance(op.layer, FunctionLayer) else None
                held = getattr(call, "module", call)
                if isinstance(held, torch.nn.Module):  # so that the network holds its weights
                    self.add_module(f"operator_{i}", held)

        def forward(self, *inputs: Any) -> Any:
            found = tuple(_leaves(runtime.executor.run(dict(zip(names, inputs)))))
            return found[0] if len(found) == 1 else found

    return Network().eval()


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]
