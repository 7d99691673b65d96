"""Binding: which argument of its layer each parameter, weight and input of an operator is, found once, by build.

What arrives as an input is put there at each pass (see `Bound`); README.md says where options may stand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kuiper.errors import InputCountError, KuiperError, ParameterError
from kuiper.graph import Operator
from kuiper.quantize import SCALE, dequantized, weights_of

if TYPE_CHECKING:
    from kuiper.layers.layer import Layer

X, SURPLUS = "x", "_"
"""The roles of an input that goes to `forward`, and of one that changes no result."""


@dataclass(frozen=True)
class Binding:
    """What an operator gives the arguments of its layer.

    options : those that are known, by name: parameters and weights.
    roles : one per slot: X, SURPLUS, or the name of the option that the input is.
    asked : the element type to which x is converted first, as the file declares; None: it stays as it is.
    outputs : how many of the outputs the file names; None: all.
    """

    options: dict[str, Any]
    roles: list[str]
    asked: np.dtype | None = None
    outputs: int | None = None

    @property
    def complete(self) -> bool:
        """Whether the layer can be made now, and takes the inputs and gives the outputs as they are."""
        return self.asked is None and self.outputs is None and all(role == X for role in self.roles)


def bind(layer: type[Layer], operator: Operator) -> Binding:
    """Find the place of everything that an operator has.

    Raises ParameterError for an option that the layer does not know, or one that it needs and did not get, InferError
    for a number of inputs for which `Layer.inputs` has no text.
    """
    accepted = arguments(layer)
    options = _stored_options(layer, operator)
    roles = _roles(layer, operator, accepted)
    for name in options:
        if name not in accepted:
            expected = f"one of the parameters that {operator.type} knows ({', '.join(accepted) or 'none'})"
            raise ParameterError(name, expected, f"{name} = {options[name]!r}")
    for name in needed(layer):
        if name not in options and name not in roles:
            raise ParameterError(name, f"a value ({operator.type} cannot do without)", "none")
    outputs = len(operator.outputs) if layer.drops_unread else None
    return Binding(options, roles, _asked_type(layer, operator), outputs)


_signature = lru_cache(maxsize=1024)(inspect.signature)  # 0.1 ms each, and a network asks for few many times


def arguments(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The arguments of a function, or of a class's constructor, by name."""
    return _signature(function).parameters


def needed(function: Callable[..., Any]) -> list[str]:
    """The names of those arguments that have no default."""
    return [name for name, parameter in arguments(function).items() if parameter.default is parameter.empty]


def _stored_options(layer: type[Layer], operator: Operator) -> dict[str, Any]:
    options: dict[str, Any] = {}
    accepted = arguments(layer)
    for name, parameter in operator.params.items():
        value = parameter.value
        if name in layer.weights and name not in operator.attributes and isinstance(value, bool):
            if value and name not in operator.input_names:
                raise ParameterError(name, f"the weights @{name}, as {name}=True says", "none")
            continue
        options[name] = value
    attributes = {name.replace(".", "_"): name for name in operator.attributes}  # @out_proj.bias: no argument has a dot
    takes_scales = any(option in accepted and option.endswith(SCALE) for option in attributes)
    small = {} if takes_scales else weights_of(operator)
    scales = {name + SCALE for name, weight in small.items() if weight.scale is not None}
    for option, name in attributes.items():
        if name in small:
            options[option] = small[name] if option in layer.compact else dequantized(small[name])
        elif name not in scales:
            options[option] = operator.attributes[name].data
    return options


def _roles(layer: type[Layer], operator: Operator, accepted: Mapping[str, Any]) -> list[str]:
    """The role of each slot: by the slots' names, else by the text with as many words."""
    roles = [name if name is not None and name in accepted else X for name in operator.input_names]
    texts = layer.inputs_of.get(operator.type, layer.inputs)
    if texts and all(role == X for role in roles):
        by_count = {len(words): words for words in map(str.split, texts)}
        if len(roles) not in by_count:
            expected = " or ".join(map(str, sorted(by_count)))
            raise InputCountError(f"expected {expected} inputs, found {len(roles)}: {' | '.join(texts)}")
        for word in by_count[len(roles)]:
            if word not in (X, SURPLUS) and word not in accepted:
                known = ", ".join(accepted) or "none"
                raise KuiperError(f"{layer.__name__}: inputs: expected x, _ or an option ({known}), found {word}")
        return by_count[len(roles)]
    for slot in _tied_weights(layer, operator, roles):
        roles[slot] = SURPLUS
    return roles


def _tied_weights(layer: type[Layer], operator: Operator, roles: Sequence[str]) -> list[int]:
    """Slots filled by a weight that two modules share: the file repeats it as an attribute, so the input is surplus."""
    positional = arguments(layer.forward).values()
    if any(p.kind is p.VAR_POSITIONAL for p in positional) or not operator.attributes:
        return []
    surplus = roles.count(X) - (len(positional) - 1)
    from_attribute = [
        slot
        for slot, operand in enumerate(operator.inputs)
        if roles[slot] == X and operand.producer is not None and operand.producer.type == "pnnx.Attribute"
    ]
    return from_attribute[: max(surplus, 0)]


def _asked_type(layer: type[Layer], operator: Operator) -> np.dtype | None:
    """The type that `dtype=` asked for: what is declared for the output, unless that follows from the input's.

    Where the file declares no type for the input, it is seen when the input comes.
    """
    if layer.natural_type(np.dtype(np.float32)) is None or not operator.outputs or not operator.inputs:
        return None
    declared, given = operator.outputs[0].dtype, operator.inputs[0].dtype
    asked = None if declared is None else declared.compute
    if asked is not None and given is not None and layer.natural_type(given.compute) in (None, asked):
        return None
    return asked
