"""Homework of lesson 5: layers, found by their operator's type. Check one with `python3 course.py check sigmoid`."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Given: what the lesson built. An operator describes, a layer computes, the registry leads from one to the other.


@dataclass
class Operand:
    """A value between two operators, known by its name."""

    name: str


@dataclass
class Parameter:
    """One option of an operator, as the model file gives it."""

    value: Any


@dataclass
class Operator:
    """One step of the computation, as the model file describes it."""

    type: str
    name: str
    inputs: list[Operand] = field(default_factory=list)
    outputs: list[Operand] = field(default_factory=list)
    params: dict[str, Parameter] = field(default_factory=dict)


class Layer:
    """What computes an operator."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The mathematics: array in, array out; x stays as it is."""
        raise NotImplementedError

    def forward_operator(self, operator: Operator, values: MutableMapping[str, Any]) -> None:
        """The bookkeeping: take the operator's inputs from `values`, compute, put the output there."""
        inputs = [values[operand.name] for operand in operator.inputs]
        values[operator.outputs[0].name] = self.forward(*inputs)

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """The layer for an operator; a layer with options reads them here."""
        return cls()


class Registry:
    """Operator type -> the creator of its layer, a function of the operator."""

    def __init__(self) -> None:
        self.creators: dict[str, Callable[[Operator], Layer]] = {}

    def register(self, *types: str) -> Callable[[type[Layer]], type[Layer]]:
        """Class decorator: the layer computes operators of these types."""

        def decorate(layer: type[Layer]) -> type[Layer]:
            if not (isinstance(layer, type) and issubclass(layer, Layer)):
                name = getattr(layer, "__name__", layer)
                raise TypeError(f"register: expected a class built on Layer, as class ReLU(Layer) is, found {name}")
            for operator_type in types:
                if not isinstance(operator_type, str):
                    raise TypeError(f"register: expected names of types, separated by commas, got {operator_type!r}")
                if operator_type in self.creators:
                    own = f"the decorator above class {layer.__name__} must name that class's own types, each once"
                    raise KeyError(f"{operator_type} is registered already: {own}")
                self.creators[operator_type] = layer.from_operator
            return layer

        return decorate

    def find(self, operator_type: str) -> Callable[[Operator], Layer]:
        """The creator for a type."""
        if operator_type not in self.creators:
            raise KeyError(f"no layer is registered for {operator_type}")
        return self.creators[operator_type]

    def create(self, operator: Operator) -> Layer:
        """The layer for an operator."""
        return self.find(operator.type)(operator)


layers = Registry()


def as_float(x: np.ndarray) -> np.ndarray:
    """x itself where it holds floats, otherwise x as float32."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


@layers.register("nn.ReLU", "F.relu", "torch.relu")
class ReLU(Layer):
    """(...) -> (...): max(x, 0). Given, as an example."""

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute max(x, 0)."""
        return np.maximum(x, 0)


# Task 5.1


# TODO sigmoid (Task 5.1): register the class, as ReLU is
class Sigmoid(Layer):
    """(...) -> (...): 1 / (1 + e^-x) for every element.

    Rules
    -----
    value : each element becomes 1 / (1 + e^-x); a relative error of 1e-5 in float32 and 1e-9 in float64 is allowed.
    stable : however large or small x is, infinity included, numpy reports no overflow: the function `sigmoid` below
        turns such a report into an error. (np.errstate in the layer hides it: that passes, but is second best.)
    tiny : small results must be right, too: the sigmoid of -50 is 1.9287e-22, not 0. Near the smallest numbers of the
        type, which have only a few bits, two digits are enough.
    nan : NaN stays NaN.
    shape : the result has the shape of `x`, which has at least one axis, and may be a transposed array.
    dtype : float32 stays float32, float64 stays float64; float16 is never passed.
    integers : whole numbers, negative ones too, and bool become float32 (`as_float` is given).
    empty : an input without elements, such as one of shape (1, 3, 0) or (2, 0, 3), raises ValueError: it mostly comes
        from a mistake made before, which an empty answer would hide.
    input : the layer does not write into `x`, however large its numbers are: another operator may read it, too.
    types : the layer is registered under "nn.Sigmoid", "F.sigmoid" and "torch.sigmoid".

    >>> Sigmoid().forward(np.array([-1000.0, 0.0, 1.0])).round(4)
    array([0.    , 0.5   , 0.7311])
    """

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute 1 / (1 + e^-x)."""
        # TODO sigmoid (Task 5.1)
        raise NotImplementedError("sigmoid: TODO")


# Task 5.2


@layers.register("nn.LeakyReLU", "F.leaky_relu")
class LeakyReLU(Layer):
    """(...) -> (...): x where x > 0, negative_slope * x elsewhere.

    Rules
    -----
    value : the result is x where x > 0 and negative_slope * x elsewhere, for slopes below 0 and above 1, and for an x
        of infinity or NaN, too; 0 times -infinity may give anything.
    slope : negative_slope comes from the operator's parameter of that name.
    default : the slope is 0.01 where the operator has no such parameter.
    zero : a slope of 0 is a slope, and not a missing one.
    operator : the operator keeps its parameters: a second layer that is made from it has the same slope.
    own : each operator has a layer with a slope of its own: a graph makes all layers first and runs them afterwards.
    unknown : a parameter of another name raises ValueError, alone or beside negative_slope, in any order: ignoring it
        would give wrong numbers silently.
    shape : the result has the shape of `x`, which has at least one axis and one element, and may be a transposed array.
    dtype : float32 stays float32, float64 stays float64; float16 is never passed.
    integers : whole numbers and bool become float32 (`as_float` is given).
    input : the layer does not write into `x`.

    >>> LeakyReLU(0.5).forward(np.array([-2.0, 0.0, 3.0]))
    array([-1.,  0.,  3.])
    """

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """The layer for an operator, with that operator's slope."""
        # TODO leaky_relu (Task 5.2): operator.params maps names to Parameters; the slope is .value of one
        raise NotImplementedError("leaky_relu: TODO")

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Compute x where x > 0, negative_slope * x elsewhere."""
        # TODO leaky_relu (Task 5.2)
        raise NotImplementedError("leaky_relu: TODO")


# Given: plain data in, plain data out. The tests call these.


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The sigmoid layer's mathematics; an overflow on the way is an error."""
    with np.errstate(over="raise"):
        return Sigmoid().forward(x)


def operator_of(operator_type: str, params: dict[str, Any] | None = None, number: int = 0) -> Operator:
    """An operator that reads operand `number` and writes the next one."""
    options = {name: Parameter(value) for name, value in (params or {}).items()}
    x, y = Operand(str(number)), Operand(str(number + 1))
    return Operator(operator_type, f"operator_{number}", [x], [y], options)


def run_layer(operator_type: str, x: np.ndarray, params: dict[str, Any] | None = None) -> np.ndarray:
    """Find the layer of a type in the registry, make it, run it on x."""
    return run_chain([[operator_type, params or {}]], x)


def run_chain(steps: list[list[Any]], x: np.ndarray) -> np.ndarray:
    """Make the layers of all steps [type, parameters], then run one after the other, as a graph does."""
    operators = [operator_of(kind, params, number) for number, (kind, params) in enumerate(steps)]
    made = [layers.create(operator) for operator in operators]
    values: dict[str, Any] = {"0": x}
    for operator, layer in zip(operators, made, strict=True):
        layer.forward_operator(operator, values)
    return values[str(len(steps))]


def run_second(operator_type: str, x: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """Make two layers from one operator, as two graphs of one network do, and run the second on x."""
    operator, values = operator_of(operator_type, params), {"0": x}
    layers.create(operator)
    layers.create(operator).forward_operator(operator, values)
    return values["1"]


def silences() -> bool:
    """Whether the sigmoid's forward switches numpy's reports off."""
    return not {"errstate", "seterr"}.isdisjoint(Sigmoid.forward.__code__.co_names)


def input_after(operator_type: str, x: np.ndarray, params: dict[str, Any] | None = None) -> np.ndarray:
    """x after its layer has run: it must be as before, because other operators may read it too."""
    run_layer(operator_type, x, params)
    return x
