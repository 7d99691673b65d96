"""Back end "torch": PyTorch's eager mode, one call for each operator."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from kuiper import pnnx
from kuiper.errors import KuiperError
from kuiper.partition.backends.protocol import Backend, Network, Program
from kuiper.partition.errors import BackendError


class Torch(Backend):
    """Operators by the name that PNNX has from PyTorch, on tensors. Raises ModuleNotFoundError where there is none."""

    def __init__(self) -> None:
        self.torch: Any = importlib.import_module("torch")

    def refusal(self, operator: pnnx.Operator) -> str | None:
        """Torch has no operator of that name, or the operator makes a tuple or a list of tensors."""
        from kuiper.peers.torch_operators import torch_call

        if operator.type.startswith("prim::"):
            return f"torch: tuples and lists ({operator.type}) stay with the layers"
        try:
            torch_call(self.torch, operator)
        except KuiperError as error:
            return f"torch: {error.message}"
        except Exception as error:
            return f"torch: cannot make {operator.type}: {error}"
        return None

    def compile(self, network: Network) -> Program:
        """A program that calls torch's operators in order, without gradients."""
        from kuiper.peers.torch_network import torch_network

        module, count = torch_network(network.graph), len(network.outputs)
        if network.casts_to is not None:
            module = module.to(getattr(self.torch, network.casts_to.name))

        def run(inputs: Sequence[Any]) -> list[Any]:
            with self.torch.inference_mode():
                result = module(*inputs)
            values = list(result) if isinstance(result, tuple) else [result]
            if len(values) != count:
                raise BackendError(f"{network.name}: expected {count} output(s) of torch, found {len(values)}")
            return values

        return run

    def put(self, x: np.ndarray) -> Any:
        """A tensor with a copy of the array."""
        return self.torch.from_numpy(np.array(x))

    def get(self, x: Any) -> np.ndarray:
        """The array that shares the tensor's memory."""
        array: np.ndarray = x.numpy()
        return array
