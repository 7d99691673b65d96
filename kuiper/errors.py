"""Every error a caller of kuiper can meet: what was expected, what came, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from enum import Enum, auto
from typing import ClassVar, TypeVar

Self = TypeVar("Self", bound="KuiperError")
Key = TypeVar("Key", bound="str | type")
Value = TypeVar("Value")


class InferStatus(Enum):
    """Why a layer could not compute its outputs; each kind of InferError has one."""

    INPUT_EMPTY = auto()
    INPUT_COUNT = auto()
    DIMENSION = auto()
    OUTPUT_SIZE = auto()
    SHAPE = auto()
    CHANNEL = auto()
    DTYPE = auto()
    VALUE = auto()


class ParseParameterAttrStatus(Enum):
    """Which parameter or attribute of an operator was missing or unusable; the values are their names."""

    STRIDE = ("stride",)
    PADDING = ("padding", "output_padding", "pad")
    KERNEL = ("kernel_size",)
    IN_CHANNELS = ("in_channels",)
    OUT_CHANNELS = ("out_channels",)
    EPS = ("eps",)
    NUM_FEATURES = ("num_features",)
    DIM = ("dim",)
    EXPR = ("expr",)
    OUT_HW = ("output_size",)
    SHAPE = ("shape", "normalized_shape")
    GROUPS = ("groups", "num_groups")
    SCALE = ("scale_factor",)
    RESIZE_MODE = ("mode",)
    DILATION = ("dilation",)
    PADDING_MODE = ("padding_mode",)
    ATTR_BIAS = ("bias",)
    ATTR_WEIGHT = ("weight",)
    ATTR_RUNNING_MEAN = ("running_mean",)
    ATTR_RUNNING_VAR = ("running_var",)
    OUT_FEATURES = ("in_features", "out_features")
    OTHER = ("",)


class KuiperError(Exception):
    """Base of every error that kuiper raises on purpose.

    Parameters
    ----------
    message : one sentence, without the place.
    operator : name of the operator where it happened, once that is known.
    """

    def __init__(self, message: str, *, operator: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.operator = operator

    def at(self: Self, operator: str) -> Self:
        """Name the operator where the error happened, unless one is named already."""
        if self.operator is None:
            self.operator = operator
        return self

    def __str__(self) -> str:
        return f"{self.operator}: {self.message}" if self.operator else self.message


class ModelFormatError(KuiperError):
    """A model file that is not what the PNNX format says.

    Parameters
    ----------
    file, line : where; `line` counts from 1 and is None where the fault belongs to no line, as in a missing file.
    expected, found : what the format asks for at that place, and what stands there.
    """

    def __init__(self, file: object, line: int | None, expected: str, found: str) -> None:
        place = f"{file}:{line}" if line is not None else str(file)
        super().__init__(f"{place}: expected {expected}, found {found}")
        self.file, self.line, self.expected, self.found = str(file), line, expected, found


class UnsupportedOperatorError(KuiperError):
    """The model uses operator types that the registry does not know; all of them at once.

    Parameters
    ----------
    types : operator type -> names of the operators that have it.
    similar : operator type -> registered types that look like it.
    """

    def __init__(self, types: Mapping[str, Iterable[str]], similar: Mapping[str, Iterable[str]] | None = None) -> None:
        self.types = {kind: list(names) for kind, names in types.items()}
        lines = []
        for kind, names in self.types.items():
            some = ", ".join(names[:3] + ["..."] * (len(names) > 3))
            like = ", ".join((similar or {}).get(kind, ()))
            lines.append(f"  {kind}" + (f" ({some})" if some else "") + (f"; similar: {like}" if like else ""))
        super().__init__(
            f"{len(self.types)} operator type(s) have no layer:\n"
            + "\n".join(lines)
            + "\nWrite a kuiper.Layer for each, add it to kuiper.registry.copy() with .add(type, layer), "
            + "and give that as registry=..."
        )


class ParameterError(KuiperError):
    """An operator's parameter or attribute is missing or has a value that its layer cannot use."""

    def __init__(self, parameter: str, expected: str, found: str, *, operator: str | None = None) -> None:
        super().__init__(f"parameter {parameter}: expected {expected}, found {found}", operator=operator)
        self.parameter, self.expected, self.found = parameter, expected, found

    @property
    def status(self) -> ParseParameterAttrStatus:
        """The course's word for the parameter."""
        of_name = (status for status in ParseParameterAttrStatus if self.parameter in status.value)
        return next(of_name, ParseParameterAttrStatus.OTHER)


class InferError(KuiperError):
    """A layer cannot compute on the inputs that came."""

    status: ClassVar[InferStatus] = InferStatus.VALUE
    """The course's word for the kind of error."""


class InputCountError(InferError):
    """There are more inputs, or fewer, than expected."""

    status = InferStatus.INPUT_COUNT


class OutputCountError(InferError):
    """A layer gave more outputs, or fewer, than its operator has."""

    status = InferStatus.OUTPUT_SIZE


class DTypeError(InferError):
    """An array has an element type that does not fit."""

    status = InferStatus.DTYPE


class ShapeError(InferError):
    """An array has a shape that does not fit."""

    status = InferStatus.SHAPE

    def __init__(self, what: str, expected: str, found: object, *, operator: str | None = None) -> None:
        super().__init__(f"{what}: expected {expected}, found {found}", operator=operator)
        self.what, self.expected, self.found = what, expected, found


class RankError(ShapeError):
    """An array has more dimensions, or fewer, than expected."""

    status = InferStatus.DIMENSION


class ChannelError(ShapeError):
    """An array has more channels, or fewer, than expected."""

    status = InferStatus.CHANNEL


class EmptyError(ShapeError):
    """An array has no elements, or there is no array."""

    status = InferStatus.INPUT_EMPTY


class OutputSizeError(ShapeError):
    """The output would have a size that is not possible."""

    status = InferStatus.OUTPUT_SIZE


class GraphError(KuiperError):
    """The graph cannot be ordered, built or run: a cycle, a wrong state, an unknown name."""


class ExpressionError(KuiperError):
    """A text that is not an expression of PNNX's language, with the position of the fault.

    Parameters
    ----------
    text : the whole expression.
    position : index of the first character that does not fit.
    """

    def __init__(self, message: str, text: str = "", position: int | None = None) -> None:
        where = "" if position is None else f"\n  {text}\n  {' ' * position}^"
        super().__init__(f"{message}{where}")
        self.text, self.position = text, position


def add_new(table: MutableMapping[Key, Value], key: Key, value: Value, taken: str) -> None:
    """table[key] = value. Raises KuiperError, in the words `taken`, where the table has that name or class already.

    >>> add_new({"sin": 1}, "sin", 2, "stands in the table already")
    Traceback (most recent call last):
    kuiper.errors.KuiperError: sin stands in the table already
    """
    if key in table:
        raise KuiperError(f"{key.__name__ if isinstance(key, type) else key} {taken}")
    table[key] = value


def unique(taken: str, *pairs: tuple[Key, Value]) -> dict[Key, Value]:
    """A dict of these pairs. Raises KuiperError, in the words `taken`, for a name or class that comes twice."""
    table: dict[Key, Value] = {}
    for key, value in pairs:
        add_new(table, key, value, taken)
    return table


def missing_module(package: str, error: ModuleNotFoundError, who: str = "it") -> str:
    """Why an optional package cannot be used, when importing it or preparing for it met a missing module.

    who : what needs the module, if that is not the package itself.

    >>> missing_module("torch", ModuleNotFoundError(name="torch"))
    'not installed (no module torch)'
    >>> missing_module("onnxruntime", ModuleNotFoundError(name="onnx"))
    'cannot be used: it needs onnx, which is not installed (no module onnx)'
    """
    top = (error.name or "a module").partition(".")[0]
    if top == package:
        return f"not installed (no module {error.name})"
    return f"cannot be used: {who} needs {top}, which is not installed (no module {error.name})"
