"""Values at a network's border: what goes in is checked, what comes out shares no memory with inputs or weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kuiper.errors import DTypeError, EmptyError, InferError, InputCountError, RankError, ShapeError
from kuiper.graph import Operand, shape_text


def as_inputs(given: Sequence[Any], operands: Sequence[Operand]) -> dict[str, np.ndarray]:
    """Operand name -> array for the network's inputs, given in order. Raises as as_input, and InputCountError."""
    if len(given) != len(operands):
        raise InputCountError(f"expected {len(operands)} input array(s), found {len(given)}")
    return {operand.name: as_input(x, operand) for x, operand in zip(given, operands, strict=True)}


def named_inputs(given: Mapping[str, Any], operands: Sequence[Operand]) -> dict[str, np.ndarray]:
    """Operand name -> array for the network's inputs, given by name. Raises as as_inputs."""
    names = [operand.name for operand in operands]
    if not isinstance(given, Mapping):
        example = ", ".join(f"{name!r}: x" for name in names)
        raise InputCountError(f"expected inputs by name, {{{example}}}, found {type(given).__name__}")
    if set(given) != set(names):
        raise InputCountError(f"expected inputs named {', '.join(names)}, found {', '.join(map(str, given)) or 'none'}")
    return as_inputs([given[name] for name in names], operands)


def as_input(x: Any, operand: Operand) -> np.ndarray:
    """`x` as the array that the network's input `operand` asks for; float64 becomes float32 where that is declared.

    Raises ShapeError for a wrong rank or an empty array, InferError for a type that cannot be converted.
    """
    what = f"input {operand.name}"
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise InferError(f"{what}: expected an array, found {type(x).__name__}: {error}") from error
    if array.dtype.kind not in "biufc":
        raise DTypeError(f"{what}: expected an array of numbers, found {array.dtype}")
    if operand.shape is not None and len(operand.shape) != array.ndim:
        raise RankError(what, f"rank {len(operand.shape)}, like {shape_text(operand.shape)}", shape_text(array.shape))
    if array.size == 0 and not (operand.shape and 0 in operand.shape):
        raise EmptyError(what, "at least one element", shape_text(array.shape))
    if operand.dtype is None or array.dtype == operand.dtype.compute:
        return array
    if not np.can_cast(array.dtype, operand.dtype.compute, "same_kind"):
        raise DTypeError(f"{what}: expected {operand.dtype.torch}, found {array.dtype}")
    return array.astype(operand.dtype.compute)


def own(value: Any, inputs: list[np.ndarray], places: Sequence[np.ndarray | None] = ()) -> Any:
    """`value` such that nobody else's array is in it: views of the caller's inputs and of the weights are copied.

    places : arrays of the caller's that may be in it.
    """

    def is_others(array: np.ndarray) -> bool:
        return (not array.flags.writeable or overlaps(array, inputs)) and not _is_among(array, places)

    return copied(value, is_others)


def parts_of(operand: Operand) -> list[Operand]:
    """The operand, or those that a tuple is made of, as `leaves` finds their values."""
    maker = operand.producer
    if maker is None or maker.type != "prim::TupleConstruct":
        return [operand]
    return [part for each in maker.inputs for part in parts_of(each)]


def put(outputs: Sequence[np.ndarray], into: Sequence[np.ndarray | None]) -> list[np.ndarray]:
    """The outputs, each in its array of `into` where it has one: it may be there already, else it is copied there.

    Raises ShapeError where shape or type are others, and for too many places.
    """
    if len(into) > len(outputs):
        raise ShapeError("into", f"at most {len(outputs)} place(s), one for each output", str(len(into)))
    places = [*into, *[None] * (len(outputs) - len(into))]
    made = [x.copy() if x is not place and _is_among(x, into) else x for x, place in zip(outputs, places)]
    for number, place in enumerate(places):
        if place is not None and made[number] is not place:
            if (made[number].shape, made[number].dtype) != (place.shape, place.dtype):
                expected, found = (f"{shape_text(x.shape)} of {x.dtype}" for x in (made[number], place))
                raise ShapeError(f"into, for output {number}", expected, found)
            place[...] = made[number]
            made[number] = place
    return made


def _is_among(array: np.ndarray, others: Sequence[np.ndarray | None]) -> bool:
    return any(array is other for other in others)


def copied(value: Any, where: Callable[[np.ndarray], bool] = lambda array: True) -> Any:
    """`value`, an array or nested tuples, lists and dicts of them, with the arrays for which `where` holds copied."""
    if isinstance(value, np.ndarray):
        return value.copy() if where(value) else value
    if isinstance(value, (tuple, list)):
        return type(value)(copied(item, where) for item in value)
    if isinstance(value, dict):
        return {key: copied(item, where) for key, item in value.items()}
    return value


def overlaps(array: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """Whether `array` may share memory with one of the others.

    >>> x = np.arange(6)
    >>> overlaps(x[:3], [x]), overlaps(x[:3], [x.copy()])
    (True, False)
    """
    return any(np.may_share_memory(array, other) for other in others)


def leaves(value: Any) -> list[Any]:
    """The values in nested tuples, lists and dicts, in order; numbers become 0-d arrays.

    >>> leaves((1, {"a": [2, 3]}))
    [array(1), array(2), array(3)]
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]
