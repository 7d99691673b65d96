"""Layer (lesson 5): what every operator's computation looks like."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, ClassVar

from kuiper.errors import InferError, InferStatus, KuiperError, ParameterError
from kuiper.runtime.operator import RuntimeOperator
from kuiper.runtime.toolbox import Toolbox


class Layer:
    """One operation. A subclass is its options (constructor) and its mathematics (`forward`).

    The constructor's arguments bear the names that PNNX gives the operator's parameters and attributes, so one class
    serves nn.X, F.x and torch.x alike: whatever arrives as a parameter, as a weight (`@weight=`) or as a named input
    (`$weight=7`) goes to the constructor argument of that name; all other inputs go to `forward`, in order.

    >>> class Scale(Layer):
    ...     def __init__(self, factor=2.0):
    ...         self.factor = factor
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale(factor=3.0).forward(2.0)
    6.0
    """

    weights: ClassVar[tuple[str, ...]] = ()
    """Constructor arguments that are weight arrays; the file's boolean of the same name (bias=True) is not one."""

    toolbox: Toolbox = Toolbox()
    """The course's functions that the layer calls; a graph with a student's functions sets its own."""

    def forward(self, *inputs: Any) -> Any:
        """Arrays in, one array out, or a tuple with one value per output operand. Inputs are never written to."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def forward_operator(self, operator: RuntimeOperator, values: MutableMapping[str, Any]) -> None:
        """Gather the operator's inputs from `values` by slot, compute, and put one value per output operand there."""
        inputs = [values[operand.name] for operand in operator.input_operands]
        store_outputs(operator, call(self, operator, inputs), values)

    @classmethod
    def from_operator(cls, operator: RuntimeOperator) -> Layer:
        """The layer with the operator's parameters and weights as options.

        Raises ParameterError for a parameter that the layer does not know, or one that it needs and did not get.
        """
        accepted = _arguments(cls)
        options = _options(cls, operator)
        late = {slot: name for slot, name in enumerate(operator.input_names) if name is not None and name in accepted}
        dropped = _tied_weights(cls, operator, late)
        for name in options:
            if name not in accepted:
                known = ", ".join(accepted) or "none"
                raise ParameterError(
                    name, f"one of the parameters that {operator.type} knows ({known})", repr(options[name])
                )
        for name, parameter in accepted.items():
            if parameter.default is parameter.empty and name not in options and name not in late.values():
                raise ParameterError(name, f"a value ({operator.type} cannot do without)", "none")
        if late or dropped:
            layer: Layer = _Late(cls, options, late, dropped)
        else:
            layer = cls(**options)
        layer.toolbox = operator.toolbox
        return layer


class _Late(Layer):
    """A layer some of whose options arrive as inputs: made anew at each call, when they are known."""

    def __init__(self, layer: type[Layer], options: dict[str, Any], late: dict[int, str], dropped: set[int]) -> None:
        self.layer, self.options, self.late, self.dropped = layer, options, late, dropped

    def forward(self, *inputs: Any) -> Any:
        options = dict(self.options)
        options.update({name: inputs[slot] for slot, name in self.late.items()})
        layer = self.layer(**options)
        layer.toolbox = self.toolbox
        return layer.forward(
            *(x for slot, x in enumerate(inputs) if slot not in self.late and slot not in self.dropped)
        )


def call(layer: Layer, operator: RuntimeOperator, inputs: list[Any]) -> Any:
    """`layer.forward(*inputs)`; whatever goes wrong becomes a KuiperError that names the operator."""
    try:
        return layer.forward(*inputs)
    except KuiperError as error:
        raise error.at(operator.name) from error.__cause__
    except Exception as error:  # the layer may be a student's
        shapes = ", ".join(str(getattr(x, "shape", x)) for x in inputs)
        raise InferError(
            f"{operator.type} cannot compute on inputs {shapes}: {error}", operator=operator.name
        ) from error


def store_outputs(operator: RuntimeOperator, result: Any, values: MutableMapping[str, Any]) -> None:
    """Put a layer's result into `values`, one entry per output operand. Raises InferError when the numbers differ."""
    outputs = operator.output_operands
    if len(outputs) == 1:
        values[outputs[0].name] = result
        return
    if not isinstance(result, (tuple, list)) or len(result) != len(outputs):
        found = len(result) if isinstance(result, (tuple, list)) else 1
        message = f"{operator.type}: expected {len(outputs)} outputs, the layer gave {found}"
        raise InferError(message, operator=operator.name, status=InferStatus.OUTPUT_SIZE)
    for operand, value in zip(outputs, result, strict=True):
        values[operand.name] = value


_signature = lru_cache(maxsize=1024)(inspect.signature)  # 0.1 ms each, and a network asks for few many times


def _arguments(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return _signature(function).parameters


def _options(cls: type[Layer], operator: RuntimeOperator) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, parameter in operator.params.items():
        value = parameter.value
        if name in cls.weights and name not in operator.attributes and isinstance(value, bool):
            if value and name not in operator.input_names:
                raise ParameterError(name, f"the weights @{name}, as {name}=True says", "none")
            continue
        options[name] = value
    for name, attribute in operator.attributes.items():
        options[name.replace(".", "_")] = attribute.get()  # @out_proj.bias: a dot cannot stand in an argument's name
    return options


def _tied_weights(cls: type[Layer], operator: RuntimeOperator, late: dict[int, str]) -> set[int]:
    """Slots filled by a weight that two modules share: the file repeats it as an attribute, so the input is surplus."""
    positional = _arguments(cls.forward).values()
    if any(p.kind is p.VAR_POSITIONAL for p in positional) or not operator.attributes:
        return set()
    surplus = len(operator.input_operands) - len(late) - (len(positional) - 1)
    from_attribute = [
        slot
        for slot, producer in enumerate(operator.producers)
        if producer.type == "pnnx.Attribute" and slot not in late
    ]
    return set(from_attribute[: max(surplus, 0)])
