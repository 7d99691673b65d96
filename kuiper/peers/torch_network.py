"""A PNNX file -> torch.nn.Module: the network in PyTorch's eager mode, one call after the other."""

from __future__ import annotations

import importlib
from typing import Any

from kuiper import pnnx
from kuiper.errors import KuiperError
from kuiper.peers.torch_operators import torch_call


def torch_network(graph: pnnx.Graph) -> Any:
    """The graph as a torch module in inference mode: arrays of its inputs -> a tensor, or a tuple of them.

    Modules, weights and expressions are made here, once; a pass is one torch call per operator, and a value is
    released after its last reader. The weights are those of the file, so that what PNNX has folded stays folded.

    Raises KuiperError for an operator that torch has no name for, ModuleNotFoundError where there is no torch.
    """
    torch: Any = importlib.import_module("torch")
    places = {name: i for i, name in enumerate(graph.operands)}
    steps = [(op, _call(torch, op)) for op in graph if op.type not in ("pnnx.Input", "pnnx.Output")]
    last = {o.name: i for i, (op, _) in enumerate(steps) for o in (*op.inputs, *op.outputs)}
    outputs = [o.name for op in graph if op.type == "pnnx.Output" for o in op.inputs]
    dead: list[list[int]] = [[] for _ in steps]
    for name, i in last.items():
        if name not in outputs:
            dead[i].append(places[name])
    plan = [
        (call, [places[o.name] for o in op.inputs], [places[o.name] for o in op.outputs], gone)
        for (op, call), gone in zip(steps, dead)
    ]
    arguments = [places[o.name] for op in graph if op.type == "pnnx.Input" for o in op.outputs]
    results = [places[name] for name in outputs]

    class Network(torch.nn.Module):
        """The operators in the order of the file."""

        def __init__(self) -> None:
            super().__init__()
            for i, (call, *_) in enumerate(plan):
                held = getattr(call, "module", call)
                if isinstance(held, torch.nn.Module):
                    self.add_module(f"operator_{i}", held)

        def forward(self, *inputs: Any) -> Any:
            values: list[Any] = [None] * len(places)
            for place, x in zip(arguments, inputs):
                values[place] = x
            for call, sources, targets, gone in plan:
                result = call(*[values[i] for i in sources])
                if len(targets) == 1:
                    values[targets[0]] = result
                else:
                    for place, x in zip(targets, result):
                        values[place] = x
                for i in gone:
                    values[i] = None
            found = tuple(_leaves([values[i] for i in results]))
            return found[0] if len(found) == 1 else found

    return Network().eval()


def _call(torch: Any, op: pnnx.Operator) -> Any:
    try:
        if op.type == "pnnx.Attribute":
            return _constant(torch, next(iter(op.attributes.values())))
        return torch_call(torch, op)
    except KuiperError:
        raise
    except Exception as error:
        raise KuiperError(f"torch cannot make {op.type}: {error}", operator=op.name) from error


def _constant(torch: Any, attribute: pnnx.Attribute) -> Any:
    """A module without inputs that gives the stored array, so that exporters see it as a weight."""

    class Constant(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("data", torch.from_numpy(attribute.data.copy()))

        def forward(self) -> Any:
            return self.data

    return Constant()


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]
