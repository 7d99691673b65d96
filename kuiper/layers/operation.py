"""Operation: a layer that knows three habits of PNNX.

An aten:: operator, for which PNNX knows no better name, has its options as inputs without a name. Outputs that nobody
reads are left out when they come last. And `dtype=` is dropped: only the declared type of the output tells of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from kuiper import dtypes
from kuiper.errors import InferError, InferStatus
from kuiper.layers.conversion import converted
from kuiper.layers.layer import Layer
from kuiper.runtime.operator import RuntimeOperator


class Operation(Layer):
    """(...) -> what `compute` gives: one array, or a tuple of them.

    `schemas` names the options that may come as inputs after x, in order; the one of that many names is meant.

    >>> class Scale(Operation):
    ...     schemas = (("factor",),)
    ...     def __init__(self, factor=2.0):
    ...         self.factor = factor
    ...     def compute(self, x):
    ...         return self.factor * x
    >>> Scale().forward(2.0), Scale().forward(2.0, 5.0)
    (4.0, 10.0)
    """

    schemas: ClassVar[tuple[tuple[str, ...], ...]] = ()

    def forward(self, x: Any, *options: Any) -> Any:
        """Compute on x, with the options that came as inputs in place of the layer's own."""
        if not options:
            return self.compute(x)
        for names in self.schemas:
            if len(names) == len(options):
                return type(self)(**dict(zip(names, options, strict=True))).compute(x)
        known = " or ".join(str(1 + len(names)) for names in ((), *self.schemas))
        raise InferError(f"expected {known} inputs, found {1 + len(options)}", status=InferStatus.INPUT_COUNT)

    def compute(self, x: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError(f"{type(self).__name__}.compute")

    @classmethod
    def natural_type(cls, dtype: np.dtype) -> np.dtype | None:
        """The result's element type for inputs of type `dtype` when no `dtype=` is given; None: it cannot be given."""
        return None

    @classmethod
    def from_operator(cls, operator: RuntimeOperator) -> Layer:
        """The layer for `operator`, with as many outputs, and of the type, as the file declares."""
        return as_declared(super().from_operator(operator), operator, cls.natural_type)


def as_declared(layer: Layer, operator: RuntimeOperator, natural_type: Callable[[np.dtype], np.dtype | None]) -> Layer:
    """`layer`, so that its outputs are those that the file declares for `operator`.

    The type declared for the output was asked for with `dtype=` if it is not the one that follows from the input's;
    PyTorch then converts the input first. A layer with more outputs than the file names gives the first of them.

    Parameters
    ----------
    natural_type : the element type of the input -> that of the output when no `dtype=` is given.
    """
    declared, given = operator.output_operands[0].type, operator.input_operands[0].type
    asked = None if declared is None else declared.compute
    if asked is not None and given is not None and natural_type(given.compute) in (None, asked):
        asked = None
    return _Declared(layer, asked, natural_type, len(operator.output_operands))


class _Declared(Layer):
    def __init__(
        self, layer: Layer, asked: np.dtype | None, natural_type: Callable[[np.dtype], np.dtype | None], outputs: int
    ) -> None:
        self.layer, self.asked, self.natural_type, self.outputs = layer, asked, natural_type, outputs

    def forward(self, x: Any, *options: Any) -> Any:
        if self.asked is not None and self.natural_type(x.dtype) not in (None, self.asked):
            x = converted(x, self.asked)
        result = self.layer.forward(x, *options)
        if not isinstance(result, tuple):
            return result
        return result[0] if self.outputs == 1 else result[: self.outputs]


def check_kind(x: np.ndarray, kinds: str) -> None:
    """Raise InferError when x's element type is of none of the `kinds`: b(ool), i(nteger), f(loat), c(omplex)."""
    if x.dtype.kind.replace("u", "i") not in kinds:
        names = {"b": "booleans", "i": "integers", "f": "floats", "c": "complex numbers"}
        expected = " or ".join(names[kind] for kind in kinds)
        raise InferError(f"expected {expected}, found elements of type {x.dtype}", status=InferStatus.DTYPE)


def wide(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): float16 as float32, in which PyTorch computes it; integers too; other types as they are."""
    return x.astype(np.promote_types(dtypes.as_float(x.dtype), np.float32), copy=False)
