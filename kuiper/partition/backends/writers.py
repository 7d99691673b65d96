"""How operators are expressed in another framework's words: functions keyed by the class of the operator's layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from kuiper.errors import KuiperError
from kuiper.graph import Operator
from kuiper.layers import Layer
from kuiper.layers.layer import Bound
from kuiper.partition.errors import BackendError


class CannotExpressError(BackendError):
    """An operator, or one of its options, that a back end has no way to compute."""


Writer = TypeVar("Writer", bound=Callable[..., Any])


class Writers(Generic[Writer]):
    """Layer class -> the function that expresses operators with such a layer; a subclass has one of its own or none.

    missing : the message for operators without one.

    >>> from kuiper.layers.elementwise.activation import ReLU
    >>> writes = Writers("no way to write {}")
    >>> @writes(ReLU)
    ... def write_relu(layer):
    ...     return "max(x, 0)"
    >>> write, op = writes.find(Operator("F.relu", "relu", layer=ReLU()))
    >>> write(op.layer)
    'max(x, 0)'
    """

    def __init__(self, missing: str) -> None:
        self.missing = missing
        self.by_class: dict[type[Layer], Writer] = {}

    def __call__(self, *layers: type[Layer]) -> Callable[[Writer], Writer]:
        """Decorator: the function expresses operators whose layer is one of these. Raises KuiperError for a second."""

        def register(function: Writer) -> Writer:
            for layer in layers:
                if layer in self.by_class:
                    here = getattr(self.by_class[layer], "__name__", "a function")
                    raise KuiperError(f"{layer.__name__} has {here} already; extend that, or leave the class out here")
                self.by_class[layer] = function
            return function

        return register

    def __contains__(self, layer: type[Layer]) -> bool:
        """Whether operators with a layer of this class can be expressed, with some options at least."""
        return layer in self.by_class

    def find(self, op: Operator) -> tuple[Writer, Operator]:
        """The function for a built operator, and the operator with a layer that has all its options.

        Raises CannotExpressError where no function knows the layer, and where options are known only when it runs.
        """
        layer = op.layer
        kind = layer.kind if isinstance(layer, Bound) else type(layer)
        if kind not in self.by_class:
            raise CannotExpressError(self.missing.format(op.type))
        if isinstance(layer, Bound):
            if layer.late:
                raise CannotExpressError(f"{op.type}: {', '.join(layer.late.values())} among its inputs")
            if layer.asked is not None:
                raise CannotExpressError(f"{op.type}: dtype={layer.asked}")
            op = replace(op, layer=layer.made(()), inputs=layer.given(op.inputs), input_names=[])
        return self.by_class[kind], op


def expect(op: Operator, layer: Layer, **options: Any) -> None:
    """Raise CannotExpressError unless the layer has these options, with these values.

    >>> from kuiper.layers.arrays.shape import Flatten
    >>> expect(Operator("torch.flatten", "flat"), Flatten(), start_dim=1, end_dim=-1)
    """
    for name, wanted in options.items():
        if not hasattr(layer, name):
            raise CannotExpressError(f"{op.type}: expected an option {name}, {type(layer).__name__} has none")
        found = getattr(layer, name)
        if found != wanted:
            raise CannotExpressError(f"{op.type}: {name}={found}")
