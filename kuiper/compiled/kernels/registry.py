"""Which kernels of plans there is machine code for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from kuiper.compiled.parts import Module
from kuiper.compiled.ufuncs import known
from kuiper.errors import add_new
from kuiper.fast.kernels.base.buffer import Buffer
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel
from kuiper.fast.kernels.elementwise.activation import ActivationSteps
from kuiper.fast.plan.plan import NOWHERE

Emit = Callable[[Module, Any, Sequence[Buffer], Sequence[Buffer]], "bool | str"]
"""emit(module, kernel, inputs, outputs): add the parts that compute it, or nothing and False.

True stands for the kernel's own algorithm; another one is returned by its name.
"""
EMITTERS: dict[type, tuple[Emit, str, bool]] = {}
"""Kernel -> its function; the kinds of numpy's types that its inputs may have, outputs being float32; and whether some
inputs may be no arrays."""
One = TypeVar("One", bound=Emit)


def emits(*kernels: type, inputs: str = "f", values: bool = False) -> Callable[[One], One]:
    """Decorator: the function writes the code for kernels of these classes, and of those derived from them.

    inputs : the kinds of numpy's types that it reads: "f" for float32, "b" for booleans.
    values : it does not look at inputs that are constants but no arrays: the kernel has taken them.

    It looks at everything first, and returns False before it has added anything where it does not know options, sizes
    or strides. Raises KuiperError for a class that has one.
    """

    def register(function: One) -> One:
        emit: tuple[Emit, str, bool] = function, inputs, values
        for kernel in kernels:
            add_new(EMITTERS, kernel, emit, "has machine code already")
        return function

    return register


def emit(module: Module, kernel: Kernel, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> str:
    """The algorithm's name if there is code for a kernel, and its parts are added; else an empty text."""
    entry = next((EMITTERS[kind] for kind in type(kernel).__mro__ if kind in EMITTERS), None)
    if entry is None:
        return ""
    found, kinds, values = entry
    looked_at = [x for x in inputs if x is not NOWHERE] if values else inputs
    if not all(_fits(x, kinds) for x in looked_at) or not all(_fits(y, "f") for y in outputs):
        return ""
    inputs = [_with_rows(module, buffer) for buffer in inputs]
    try:
        written = found(module, kernel, inputs, outputs)
        return written if isinstance(written, str) else kernel.name * written
    finally:
        module.release()


def _with_rows(module: Module, buffer: Buffer) -> Buffer:
    """A constant lies among the weights one number after the other, and its array has to say so."""
    return buffer if module.holds(buffer.array) else Buffer(np.ascontiguousarray(buffer.array))


def _fits(buffer: Buffer, kinds: str) -> bool:
    """Whether it is a non-empty array of one of these kinds; "f" means float32."""
    array = buffer.array
    return bool(array.size) and array.dtype.kind in kinds and (array.dtype.kind != "f" or array.dtype == np.float32)


def compiles(activation: ActivationSteps | None) -> bool:
    """Whether there is code for every step of an activation."""
    if not isinstance(activation, ActivationSteps):
        return activation is None
    return all(known(operation.function) for operation in activation.operations)


def epilogue_compiles(epilogue: Epilogue | None) -> bool:
    """Whether there is code for what follows a kernel."""
    return epilogue is None or compiles(epilogue.activation)
