"""A formula of arrays as a list of ufunc calls, and in which arrays their results stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Shape = tuple[int, ...]


class ProgramValue(NamedTuple):
    """An array of a program: an input, or the result of an operation."""

    number: int
    shape: Shape


Argument = ProgramValue | int | float


@dataclass(frozen=True)
class UfuncCall:
    """result = function(*operands), the numbers among them as arrays of float32 without axes."""

    function: Callable[..., Any]
    operands: tuple[ProgramValue | np.ndarray, ...]
    result: ProgramValue

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
        """The result of `function`, which takes float32 and broadcasts like a ufunc, with `out=`."""
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


def registers(operations: list[UfuncCall]) -> dict[int, int]:
    """For the result of each operation the number of the array that holds it: 0 for the last one, few in all.

    A result may take the array of an operand that nobody reads later.

    >>> program = Program([(9,)])
    >>> half = program.apply(np.multiply, program.inputs[0], 0.5)
    >>> result = program.apply(np.multiply, half, program.apply(np.tanh, half))
    >>> registers(program.operations)
    {1: 0, 2: 1, 3: 0}
    """
    last_read = {value.number: place for place, operation in enumerate(operations) for value in operation.reads()}
    held: dict[int, int] = {}
    free: set[int] = {0}
    count = 1
    for place, operation in enumerate(operations):
        free |= {
            held[value.number]
            for value in operation.reads()
            if value.number in held and last_read[value.number] == place
        }
        if place == len(operations) - 1:
            free = {0}
        elif not free:
            free, count = {count}, count + 1
        register = min(free)
        free.remove(register)
        held[operation.result.number] = register
    return held
