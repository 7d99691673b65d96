"""Back end "torch": PyTorch's eager mode, one call for each operator."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper.errors import KuiperError
from kuiper.graph import Operator
from kuiper.layers.layer import FunctionLayer
from kuiper.partition.backends.protocol import Backend, Program, program_of
from kuiper.peers.torch_operators import torch_call
from kuiper.runtime import RuntimeGraph


class Torch(Backend):
    """Operators by the name that PNNX has from PyTorch, on tensors. Raises ModuleNotFoundError where there is none."""

    def __init__(self) -> None:
        self.torch: Any = importlib.import_module("torch")

    def refusal(self, operator: Operator) -> str | None:
        """Torch has no operator of that name, or it is TorchScript's own (prim::), for tuples and lists."""
        if operator.type.startswith("prim::"):
            return f"torch: tuples and lists ({operator.type}) stay with the layers"
        try:
            torch_call(self.torch, operator)
        except KuiperError as error:
            return f"torch: {error.message}"
        return None

    def compile(self, graph: RuntimeGraph) -> Program:
        """A program that calls torch's operators in order, without gradients."""
        for op in graph.operators:
            if op.layer is not None:
                op.layer = FunctionLayer(torch_call(self.torch, op))
        program = program_of(graph)

        def run(inputs: Sequence[Any]) -> Sequence[Any]:
            with self.torch.inference_mode():
                return program(inputs)

        return run

    def put(self, x: np.ndarray) -> Any:
        """A tensor with a copy of the array."""
        return self.torch.from_numpy(np.array(x))

    def get(self, x: Any) -> np.ndarray:
        """The array that shares the tensor's memory."""
        array: np.ndarray = x.numpy()
        return array
