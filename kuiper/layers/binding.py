"""Binding: what an operator has, put in the places of its layer's signature, once, when the graph is built.

An option may stand in the file as a parameter (`stride=(2,2)`), as a weight (`@weight=`), arrive as an input with a
name (`$weight=7`), or without one, as in PyTorch's own operators (aten::), all of whose options are inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from kuiper.dtypes import converted
from kuiper.errors import InferError, InferStatus, ParameterError
from kuiper.graph import Operator
from kuiper.layers.cost import UnknownShapeError, known
from kuiper.layers.layer import Layer, Shapes

X, SURPLUS = "x", "_"
"""Slots whose input goes to `forward`, and slots whose input changes no result."""


def bind(layer: type[Layer], operator: Operator) -> Layer:
    """The layer of an operator: itself where all options are known, else a Bound that waits for them.

    Raises ParameterError for an option that the layer does not know, or one that it needs and did not get, InferError
    for a number of inputs that it has no signature for.
    """
    accepted = _arguments(layer)
    options = _stored_options(layer, operator)
    slots = _slots(layer, operator, accepted)
    for name in options:
        if name not in accepted:
            expected = f"one of the parameters that {operator.type} knows ({', '.join(accepted) or 'none'})"
            raise ParameterError(name, expected, repr(options[name]))
    for name, parameter in accepted.items():
        if parameter.default is parameter.empty and name not in options and name not in slots:
            raise ParameterError(name, f"a value ({operator.type} cannot do without)", "none")
    asked = _asked_type(layer, operator)
    if asked is None and not layer.drops_unread and all(slot == X for slot in slots):
        return layer(**options)
    return Bound(layer, options, slots, asked, len(operator.outputs) if layer.drops_unread else None)


class Bound(Layer):
    """A layer of which something is known only when its inputs come.

    kind : the class of the layer.
    options : those that are known.
    slots : what each input is: the name of an option, X or SURPLUS.
    asked : the element type to which x is converted first, as the file declares; None: it stays as it is.
    outputs : how many of the outputs the file names; None: all.
    """

    def __init__(
        self,
        kind: type[Layer],
        options: Mapping[str, Any],
        slots: Sequence[str],
        asked: np.dtype | None = None,
        outputs: int | None = None,
    ) -> None:
        self.kind, self.options, self.slots, self.asked, self.outputs = kind, options, list(slots), asked, outputs
        self.late = {slot: name for slot, name in enumerate(slots) if name not in (X, SURPLUS)}
        self._known = None if self.late else kind(**options)

    def made(self, inputs: Sequence[Any]) -> Layer:
        """The layer with all its options, given the operator's inputs. None as an option is its default."""
        if self._known is not None:
            self._known.toolbox = self.toolbox
            return self._known
        options = dict(self.options)
        defaults = _arguments(self.kind)
        for slot, name in self.late.items():
            if inputs[slot] is not None or defaults[name].default is inspect.Parameter.empty:
                options[name] = inputs[slot]
        layer = self.kind(**options)
        layer.toolbox = self.toolbox
        return layer

    def given(self, inputs: Sequence[Any]) -> list[Any]:
        """Those of the operator's inputs that `forward` takes."""
        return [x for x, slot in zip(inputs, self.slots) if slot == X]

    def converts(self, dtype: np.dtype) -> bool:
        """Whether x of this element type is converted first."""
        return self.asked is not None and self.kind.natural_type(dtype) not in (None, self.asked)

    def forward(self, *inputs: Any) -> Any:
        """Make the layer, and compute."""
        layer, given = self.made(inputs), self.given(inputs)
        if self.asked is not None and self.converts(given[0].dtype):
            given[0] = converted(given[0], self.asked)
        result = layer.forward(*given)
        if self.outputs is None or not isinstance(result, tuple):
            return result
        return result[0] if self.outputs == 1 else result[: self.outputs]

    def flops(self, inputs: Shapes, outputs: Shapes) -> int:
        """Those of the layer; weights among the inputs count by their shape, other options are not known yet."""
        standing_in: list[Any] = [None] * len(inputs)
        for slot, name in self.late.items():
            if name not in self.kind.weights:
                raise UnknownShapeError(name)
            standing_in[slot] = np.broadcast_to(np.float32(0), known(inputs[slot]))
        return self.made(standing_in).flops(self.given(inputs), outputs)

    def follows_shapes(self, constant: Sequence[bool]) -> bool:
        """As the layer."""
        return not self.late and self.made(()).follows_shapes(self.given(constant))


_signature = lru_cache(maxsize=1024)(inspect.signature)  # 0.1 ms each, and a network asks for few many times


def _arguments(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return _signature(function).parameters


def _stored_options(layer: type[Layer], operator: Operator) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, parameter in operator.params.items():
        value = parameter.value
        if name in layer.weights and name not in operator.attributes and isinstance(value, bool):
            if value and name not in operator.input_names:
                raise ParameterError(name, f"the weights @{name}, as {name}=True says", "none")
            continue
        options[name] = value
    for name, attribute in operator.attributes.items():
        options[name.replace(".", "_")] = attribute.data  # @out_proj.bias: a dot cannot stand in an argument's name
    return options


def _slots(layer: type[Layer], operator: Operator, accepted: Mapping[str, Any]) -> list[str]:
    """What each input of the operator is: by the names of the slots, else by the signature with as many words."""
    slots = [name if name is not None and name in accepted else X for name in operator.input_names]
    signatures = layer.signatures_of.get(operator.type) or ((X, *layer.signatures) if layer.signatures else ())
    if signatures and all(slot == X for slot in slots):
        by_count = {len(words): words for words in map(str.split, signatures)}
        if len(slots) not in by_count:
            expected = " or ".join(map(str, sorted(by_count)))
            raise InferError(f"expected {expected} inputs, found {len(slots)}", status=InferStatus.INPUT_COUNT)
        return by_count[len(slots)]
    for slot in _tied_weights(layer, operator, slots):
        slots[slot] = SURPLUS
    return slots


def _tied_weights(layer: type[Layer], operator: Operator, slots: Sequence[str]) -> list[int]:
    """Slots filled by a weight that two modules share: the file repeats it as an attribute, so the input is surplus."""
    positional = _arguments(layer.forward).values()
    if any(p.kind is p.VAR_POSITIONAL for p in positional) or not operator.attributes:
        return []
    surplus = slots.count(X) - (len(positional) - 1)
    from_attribute = [
        slot
        for slot, producer in enumerate(operator.producers)
        if producer.type == "pnnx.Attribute" and slots[slot] == X
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
