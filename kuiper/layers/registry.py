"""The registry (lesson 5): operator type -> the layer that computes it, as a value."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, TypeVar, cast, get_args

from kuiper.errors import KuiperError, UnsupportedOperatorError, add_new
from kuiper.graph import Operator
from kuiper.layers.families import Family
from kuiper.layers.layer import Creator, Layer, named
from kuiper.toolbox import Toolbox

LayerClass = TypeVar("LayerClass", bound=type[Layer])


class ForeignLayer(Layer):
    """A layer that does not derive from Layer, such as a student's own: an object with forward_operator is enough."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def forward_operator(self, operator: Operator, values: MutableMapping[str, Any]) -> None:
        """As the wrapped layer; its exceptions become errors that name the operator."""
        with named(operator, [values.get(operand.name) for operand in operator.inputs]):
            self.wrapped.forward_operator(operator, values)


class LayerRegisterer:
    """Operator types and the creators of their layers.

    A creator takes an Operator and returns the Layer for it; for a Layer class that is `from_operator`.

    >>> from kuiper.layers import registry
    >>> mine = registry.copy()
    >>> mine.override("nn.ReLU", mine.find("nn.Sigmoid"))      # `registry` itself stays as it was
    """

    def __init__(self) -> None:
        self._creators: dict[str, Creator] = {}

    def register(self, *types: str, inputs: tuple[str, ...] = ()) -> Callable[[LayerClass], LayerClass]:
        """Class decorator: the layer computes operators of these `types`. A type that is taken is refused.

        inputs : for types whose options are inputs without a name, what the inputs are, in place of Layer.inputs. The
            class keeps it, for all registries.
        """

        def decorate(layer: LayerClass) -> LayerClass:
            if isinstance(inputs, str):
                raise KuiperError(
                    f"{layer.__name__}: inputs: expected a tuple of texts, found {inputs!r}; write ({inputs!r},)"
                )
            if inputs:
                layer.inputs_of = {**layer.inputs_of, **dict.fromkeys(types, inputs)}
            for operator_type in types:
                self.add(operator_type, layer)
            return layer

        return decorate

    def add(self, operator_type: str, creator: Creator | type[Layer]) -> None:
        """Add one type. Raises KuiperError when it is taken: replacing one is `override`."""
        taken = "is registered already; use override to replace its layer"
        add_new(self._creators, operator_type, _creator(creator), taken)

    def override(self, operator_type: str, creator: Creator | type[Layer]) -> None:
        """Replace the creator of a type that is registered. Raises UnsupportedOperatorError when it is not."""
        self.find(operator_type)
        self._creators[operator_type] = _creator(creator)

    def find(self, operator_type: str) -> Creator:
        """The creator for a type. Raises UnsupportedOperatorError."""
        if operator_type not in self._creators:
            raise UnsupportedOperatorError({operator_type: []}, self.similar(operator_type))
        return self._creators[operator_type]

    def similar(self, *types: str) -> dict[str, list[str]]:
        """Registered types that look like each of these, where there are some."""
        by_lower = {kind.lower(): kind for kind in self._creators}
        found = {kind: difflib.get_close_matches(kind.lower(), by_lower, 2, 0.85) for kind in types}
        return {kind: [by_lower[name] for name in names] for kind, names in found.items() if names}

    def layer_class(self, operator_type: str) -> type[Layer] | None:
        """The class that a type is registered with; None where a function makes its layer."""
        made_by = getattr(self.find(operator_type), "__self__", None)
        return made_by if isinstance(made_by, type) and issubclass(made_by, Layer) else None

    def create(self, operator: Operator, toolbox: Toolbox | None = None) -> Layer:
        """The layer for `operator`, whatever goes wrong becoming a KuiperError that names the operator.

        Raises UnsupportedOperatorError, or ParameterError for a value that the layer cannot use.
        """
        try:
            made = self.find(operator.type)(operator)
            layer = made if isinstance(made, Layer) else ForeignLayer(made)
            if toolbox is not None:
                layer.toolbox = toolbox
            layer.check(operator)
            return layer
        except KuiperError as error:
            raise error.at(operator.name) from error.__cause__
        except Exception as error:
            message = f"{operator.type} cannot be made from its parameters and weights: {error}"
            raise KuiperError(message, operator=operator.name) from error

    def copy(self) -> LayerRegisterer:
        """A registry with the same entries; changing one does not change the other."""
        twin = LayerRegisterer()
        twin._creators = dict(self._creators)
        return twin

    def __contains__(self, operator_type: str) -> bool:
        return operator_type in self._creators

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._creators))

    def __len__(self) -> int:
        return len(self._creators)


def _creator(creator: Creator | type[Layer]) -> Creator:
    if not isinstance(creator, type):
        return creator
    if not hasattr(creator, "from_operator"):
        expected = "expected a class with from_operator, as kuiper.Layer has, or a function: operator -> layer"
        raise KuiperError(f"{creator.__name__}: {expected}")
    if issubclass(creator, Layer):
        if creator.family not in get_args(Family):
            families = ", ".join(get_args(Family))
            raise KuiperError(f"{creator.__name__}.family: expected one of {families}, found {creator.family!r}")
        if not callable(creator.flops):
            expected = "expected a rule such as per_output(1), or a method"
            raise KuiperError(f"{creator.__name__}.flops: {expected}, found {creator.flops!r}")
    return cast(type[Layer], creator).from_operator


registry = LayerRegisterer()
"""The course's own layers; `import kuiper.layers` fills it."""
