"""Layer (lesson 5): the code that does the arithmetic of an operator: its options, computation and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import numpy as np

from kuiper.dtypes import converted
from kuiper.errors import InferError, KuiperError, OutputCountError
from kuiper.graph import Operator
from kuiper.layers.binding import SURPLUS, Binding, X, arguments, bind
from kuiper.layers.cost import Shapes, UnknownShapeError, known
from kuiper.layers.families import ARITHMETIC, Family
from kuiper.quantize import dequantized
from kuiper.toolbox import Toolbox


class Layer:
    """What computes an operator. A subclass is its options (constructor) and its mathematics (`forward`).

    The constructor's arguments bear the names that PNNX gives the operator's parameters and attributes, so one class
    serves nn.X, F.x and torch.x alike: parameters and weights (`@weight=`) go to the argument of that name, and it is
    an error if there is none. So does an input whose name is an argument (`$weight=7`); every other input, with a name
    or without, goes to `forward`, in order, unless `inputs` says otherwise or it repeats a weight that the operator
    has.

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
    compact: ClassVar[tuple[str, ...]] = ()
    """Those of the weights that the layer takes in fewer bits, as a QuantizedWeight, where the file has them so; others
    become float32 before the layer is made."""
    inputs: ClassVar[tuple[str, ...]] = ()
    """Texts that say what unnamed inputs are, such as ("x", "x dim keepdim"): "x" goes to `forward`, "_" changes no
    result, any other word is an option. The text with as many words as there are inputs is meant; another number of
    inputs is an error. Without any text all of them go to `forward`."""
    inputs_of: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The same for single operator types, in place of `inputs`; see LayerRegisterer.register."""
    drops_unread: ClassVar[bool] = False
    """Whether the file leaves out trailing outputs that nobody reads."""

    family: Family = ARITHMETIC
    """What kind of operation it is: the colour of its box in pictures."""
    random: bool = False
    """Whether it gives something else at every call."""

    toolbox: Toolbox = Toolbox()
    """The course's functions that the layer calls; a graph with a student's functions sets its own."""

    def forward(self, *inputs: Any) -> Any:
        """Arrays in, one array out, or a tuple: a value per output operand, or more where `drops_unread`.

        Inputs are never written to.
        """
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def forward_operator(self, operator: Operator, values: MutableMapping[str, Any]) -> None:
        """Gather the operator's inputs from `values` in order, compute, and put one value per output operand there."""
        inputs = [values[operand.name] for operand in operator.inputs]
        store_outputs(operator, call(self, operator, inputs), values)

    def flops(self, inputs: Shapes, outputs: Shapes, /) -> int:
        """Floating-point operations for inputs and outputs of these shapes; see kuiper.layers.cost.

        Raises NotImplementedError where nobody has counted them, UnknownShapeError for a shape that it needs.
        """
        raise NotImplementedError(f"{type(self).__name__}.flops")

    def weights_read(self, stored: int, written: int) -> int:
        """Bytes of the weights that one pass reads, of `stored` bytes in all, for outputs of `written` bytes."""
        return stored

    def follows_shapes(self, constant: Sequence[bool]) -> bool:
        """Whether the result depends on no more than the shapes of those inputs that are not `constant`."""
        return False

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype | None:
        """The result's element type for inputs of type `dtype` when no `dtype=` is given; None: it cannot be given.

        PNNX drops `dtype=`: only the declared type of the output tells of it.
        """
        return None

    def check(self, operator: Operator) -> None:
        """Raise KuiperError for what can be known to fail before the operator runs."""

    @classmethod
    def from_operator(cls, operator: Operator) -> Layer:
        """The layer with the operator's parameters and weights as options.

        Raises ParameterError for a parameter that the layer does not know, or one that it needs and did not get.
        """
        binding = bind(cls, operator)
        return cls(**binding.options) if binding.complete else Bound(cls, binding)


class Bound(Layer):
    """A layer whose operator does not fit its `forward` as it is.

    Options that come as inputs are put in their places, x is converted to the declared type, outputs that the file
    leaves out are dropped.

    kind : the class of the layer.
    binding : what the operator says of it.
    """

    def __init__(self, kind: type[Layer], binding: Binding) -> None:
        self.kind, self.options, self.roles = kind, binding.options, binding.roles
        self.asked, self.outputs = binding.asked, binding.outputs
        self.family, self.random = kind.family, kind.random
        self.late = {slot: role for slot, role in enumerate(self.roles) if role not in (X, SURPLUS)}
        """Slot -> the option that comes there."""
        self.sources: dict[int, Operator | None] = {}
        """Slot -> the operator that writes it."""
        self._known = None if self.late else kind(**self.options)

    def made(self, inputs: Sequence[Any]) -> Layer:
        """The layer with all its options, given the operator's inputs. None as an option is its default."""
        layer = self._known
        if layer is None:
            accepted = arguments(self.kind)
            late = {
                name: inputs[slot] if name in self.kind.compact else dequantized(inputs[slot])
                for slot, name in self.late.items()
                if inputs[slot] is not None or accepted[name].default is accepted[name].empty
            }
            layer = self.kind(**{**self.options, **late})
        layer.toolbox = self.toolbox
        return layer

    def given(self, inputs: Sequence[Any]) -> list[Any]:
        """Those of the operator's inputs that `forward` takes."""
        return [x for x, role in zip(inputs, self.roles) if role == X]

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

    def flops(self, inputs: Shapes, outputs: Shapes, /) -> int:
        """Those of the layer: options by their values where the graph has them, weights by their shapes.

        Raises UnknownShapeError too where the count needs an option that is known only when the network runs.
        """
        values: list[Any] = [None] * len(inputs)
        complete = True
        for slot, name in self.late.items():
            source = self.sources.get(slot)
            if source is not None and source.layer is not None and not source.inputs:
                values[slot] = source.layer.forward()
            elif name in self.kind.weights:
                values[slot] = np.broadcast_to(np.float32(0), known(inputs[slot]))
            else:
                complete = False
        layer = object.__new__(self.kind)  # with the options of the file alone: most rules ask for no others
        vars(layer).update(self.options)
        if complete:
            with suppress(KuiperError, TypeError, ValueError):
                layer = self.made(values)
        try:
            return layer.flops(self.given(inputs), outputs)
        except (AttributeError, TypeError) as error:
            raise UnknownShapeError(str(error)) from error

    def follows_shapes(self, constant: Sequence[bool]) -> bool:
        """As the layer."""
        return self._known is not None and self._known.follows_shapes(self.given(constant))

    def check(self, operator: Operator) -> None:
        """As the layer, where it is known."""
        self.sources = {slot: operator.inputs[slot].producer for slot in self.late}
        if self._known is not None:
            self._known.check(operator)


class FunctionLayer(Layer):
    """A layer that is a function, such as one of another library: the same loop then runs the operators by it.

    >>> FunctionLayer(max).forward(2, 3)
    3
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        """Call the function."""
        return self.function(*inputs)


def call(layer: Layer, operator: Operator, inputs: list[Any]) -> Any:
    """`layer.forward(*inputs)`; whatever goes wrong becomes a KuiperError that names the operator."""
    with named(operator, inputs):
        return layer.forward(*inputs)


@contextmanager
def named(operator: Operator, inputs: Sequence[Any]) -> Iterator[None]:
    """Turn any exception of the block, which may run a student's code, into a KuiperError that names the operator."""
    try:
        yield
    except KuiperError as error:
        raise error.at(operator.name) from error.__cause__
    except Exception as error:
        shapes = ", ".join(map(_shape, inputs))
        raise InferError(
            f"{operator.type} cannot compute on inputs {shapes}: {error}", operator=operator.name
        ) from error


def _shape(value: Any) -> str:
    """The shape of an array; of a list or tuple those of its elements; of any other value the beginning of its text.

    >>> _shape((np.zeros((2, 3)), None))
    'a tuple of (2, 3), None'
    """
    if isinstance(value, (list, tuple)):
        more = ", ..." if len(value) > 4 else ""
        return f"a {type(value).__name__} of {', '.join(map(_shape, value[:4]))}{more}"
    shape = getattr(value, "shape", None)
    return f"{value!s:.40}" if shape is None else str(shape)


def store_outputs(operator: Operator, result: Any, values: MutableMapping[str, Any]) -> None:
    """Put a layer's result into `values`, one entry per output operand.

    A single output takes the result whole, also a tuple. Raises InferError when there are several and the result is
    not as many.
    """
    outputs = operator.outputs
    if len(outputs) == 1:
        values[outputs[0].name] = result
        return
    if not isinstance(result, (tuple, list)) or len(result) != len(outputs):
        found = len(result) if isinstance(result, (tuple, list)) else 1
        message = f"{operator.type}: expected {len(outputs)} outputs, the layer gave {found}"
        raise OutputCountError(message, operator=operator.name)
    for operand, value in zip(outputs, result, strict=True):
        values[operand.name] = value


Creator = Callable[[Operator], Layer]
"""What makes the layer of an operator; for a Layer class that is `from_operator`."""
