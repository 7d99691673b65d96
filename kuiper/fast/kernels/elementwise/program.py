"""A formula of arrays as a list of ufunc calls, and in which arrays their results stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from kuiper.errors import KuiperError
from kuiper.fast.kernels.base.calls import Call

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ProgramValue(NDArrayOperatorsMixin):
    """An array of a program: an input, or the result of an operation. Operators and ufuncs refuse it: see `apply`.

    >>> Program([(2, 3)]).inputs[0] + 3
    Traceback (most recent call last):
    kuiper.errors.KuiperError: steps are noted, not computed at once: write apply(np.add, x, 3)
    """

    number: int
    shape: Shape

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **options: Any) -> Any:
        """Raises KuiperError: every ufunc and operator of values comes here."""
        words = ", ".join("x" if isinstance(operand, ProgramValue) else repr(operand) for operand in operands)
        raise KuiperError(f"steps are noted, not computed at once: write apply(np.{ufunc.__name__}, {words})")


Argument = ProgramValue | int | float


@dataclass(frozen=True)
class UfuncCall:
    """result = function(*operands), the numbers among them as arrays of float32 without axes."""

    function: Callable[..., Any]
    operands: tuple[ProgramValue | np.ndarray, ...]
    result: ProgramValue

    def __str__(self) -> str:
        """The function and its operands, values by their numbers."""
        operands = (str(x.number) if isinstance(x, ProgramValue) else repr(float(x)) for x in self.operands)
        return f"{self.function.__name__}({', '.join(operands)})"

    def reads(self) -> Iterable[ProgramValue]:
        """The arrays among the operands."""
        return (operand for operand in self.operands if isinstance(operand, ProgramValue))


class Program:
    """Operations in order, none of them twice; their operands are inputs, results of earlier ones, and numbers.

    >>> program = Program([(2, 3), (3,)])
    >>> x, y = program.inputs
    >>> program.apply(np.add, program.apply(np.multiply, x, 2), program.apply(np.exp, y)).shape
    (2, 3)
    >>> [operation.result.shape for operation in program.operations]
    [(2, 3), (3,), (2, 3)]
    """

    def __init__(self, shapes: Iterable[Shape]) -> None:
        self.inputs = [ProgramValue(number, shape) for number, shape in enumerate(shapes)]
        self.operations: list[UfuncCall] = []
        self._known: dict[tuple[Any, ...], ProgramValue] = {}

    def apply(self, function: Callable[..., Any], *operands: Argument) -> ProgramValue:
        """The result of `function`, which takes float32 and broadcasts like a ufunc, with `out=`.

        Raises KuiperError for a function of several results, and for an operand that is no value and no number.
        """
        name = getattr(function, "__name__", str(function))
        results = getattr(function, "nout", 1)
        if results != 1:
            raise KuiperError(f"apply({name}): expected a function with one result, found {results} results")
        for operand in operands:
            if not isinstance(operand, (ProgramValue, int, float, np.number)):
                raise KuiperError(f"apply({name}): expected values of the program and numbers, found {operand!r:.60}")
        key = (function, *(x if isinstance(x, ProgramValue) else repr(float(x)) for x in operands))
        if key not in self._known:
            shape = np.broadcast_shapes(*(x.shape for x in operands if isinstance(x, ProgramValue)))
            result = ProgramValue(len(self.inputs) + len(self.operations), shape)
            with np.errstate(over="ignore"):
                arrays = tuple(
                    x if isinstance(x, ProgramValue) else np.asarray(x, np.float64).astype("f4") for x in operands
                )
            self.operations.append(UfuncCall(function, arrays, result))
            self._known[key] = result
        return self._known[key]

    def split(self) -> tuple[list[UfuncCall], list[UfuncCall]]:
        """The operations on arrays smaller than the last result, which need no tiles, and those of its shape."""
        shape = self.operations[-1].result.shape
        return (
            [operation for operation in self.operations if operation.result.shape != shape],
            [operation for operation in self.operations if operation.result.shape == shape],
        )


def registers(operations: list[UfuncCall], given: Mapping[int, int] | None = None) -> dict[int, int]:
    """For the result of each operation the number of the array that holds it: 0 for the last one, few in all.

    A result takes the array of an operand that nobody reads later, where there is one.

    given : for inputs whose arrays may be overwritten once they are read, the numbers of these arrays.

    >>> program = Program([(9,)])
    >>> half = program.apply(np.multiply, program.inputs[0], 0.5)
    >>> result = program.apply(np.multiply, half, program.apply(np.tanh, half))
    >>> registers(program.operations), registers(program.operations, {0: 1})
    ({1: 0, 2: 1, 3: 0}, {1: 1, 2: 0, 3: 0})
    """
    last_read = {value.number: place for place, operation in enumerate(operations) for value in operation.reads()}
    held = dict(given or {})
    free = {0} - set(held.values())
    count = 1 + max(held.values(), default=0)
    for place, operation in enumerate(operations):
        read = {value.number for value in operation.reads() if last_read[value.number] == place}
        done = {held[number] for number in read if number in held}
        free |= done
        if place == len(operations) - 1:
            free = done = {0}
        elif not free:
            free, count = {count}, count + 1
        register = min(done or free)
        free.remove(register)
        held[operation.result.number] = register
    return {operation.result.number: held[operation.result.number] for operation in operations}


_BY_NAME = {np.maximum, np.minimum}
"""Ufuncs that take `out` by its name alone; for the others the name costs 0.15 us a call."""


def calls_on(operations: Iterable[UfuncCall], arrays: Mapping[int, np.ndarray]) -> list[Call]:
    """The operations on these arrays, by the numbers of their values."""
    result: list[Call] = []
    for operation in operations:
        operands = [arrays[x.number] if isinstance(x, ProgramValue) else x for x in operation.operands]
        out = arrays[operation.result.number]
        if operation.function in _BY_NAME:
            result.append(partial(operation.function, *operands, out=out))
        else:
            result.append(partial(operation.function, *operands, out))
    return result
