"""Function: all that is known of one scalar function; and how values of different element types meet in it.

Values are numpy arrays and Python numbers. Python numbers among themselves stay Python numbers (sizes must stay exact
integers); with an array they follow its type.
Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.dtypes import KINDS, float_type, result_type
from kuiper.errors import DTypeError
from kuiper.scalars.steps import Steps, of_ufunc, run

Value = Any  # numpy array or Python number

_NUMBER_TYPES = {"b": np.dtype("?"), "i": np.dtype("i8"), "f": np.dtype("f8"), "c": np.dtype("c16")}


@dataclass(frozen=True, eq=False)
class Function:
    """(...), (...), ... -> the broadcast shape: `compute` of values of one common element type.

    name : in expressions, or after torch.
    formula : what it computes, for the reader.
    compute : takes arrays of one element type, gives an array; None: the steps do.
    kinds : the kinds of element that it is defined for: b(ool), i(nteger), f(loat), c(omplex).
    arity : how many values it takes, each number that is possible.
    floating : integers are computed as float32, like sin, instead of as integers, like add.
    exact : replaces `compute` where every value is a Python integer or bool.
    whole : a float among Python numbers gives an integer: how sizes are rounded.
    precise : a single number beside an array of float16 is not rounded to float16 first; PyTorch does so for some.
    check : called with the values, raises for those that PyTorch refuses although it is defined for their type.
    flops : operations per element of the result, as kuiper.layers.cost counts them.
    compiled : the steps on float32, see kuiper.scalars.steps; None: `compute`, if that is a ufunc of floats.

    >>> Function("sin", "sin(x)", np.sin, "bifc", (1,), floating=True)(np.zeros(2, np.int64))
    array([0., 0.], dtype=float32)
    """

    name: str
    formula: str
    compute: Callable[..., Any] | None
    kinds: str
    arity: tuple[int, ...] = (2,)
    floating: bool = False
    exact: Callable[..., Any] | None = None
    whole: bool = False
    precise: bool = False
    check: Callable[..., None] | None = None
    flops: int = 1
    compiled: Steps | None = None

    def __post_init__(self) -> None:
        """Raises ValueError or TypeError for a record that could not compute."""
        if self.compute is None and self.compiled is None:
            raise ValueError(f"{self.name}: expected compute or compiled, found neither")
        for field in ("compute", "compiled", "exact", "check"):
            if not (getattr(self, field) is None or callable(getattr(self, field))):
                raise TypeError(f"{self.name}: {field}: expected a function, found {getattr(self, field)!r}")
        if not self.kinds or set(self.kinds) - KINDS.keys():
            raise ValueError(f'{self.name}: kinds: expected some of "{"".join(KINDS)}", found {self.kinds!r}')
        if not (isinstance(self.arity, tuple) and self.arity and all(isinstance(count, int) for count in self.arity)):
            raise TypeError(f"{self.name}: arity: expected a tuple of integers, such as (1,), found {self.arity!r}")

    def __call__(self, *values: Value) -> Value:
        """An array, or a Python number if all values are. Raises DTypeError for a type it is not defined for."""
        for value in values:
            check_value(value)
        if self.check is not None:
            self.check(*values)
        return self._of_numbers(values) if all(map(is_number, values)) else self.of_arrays(*values)

    def of_arrays(self, *values: Value) -> np.ndarray:
        """An array, in the element type that PyTorch's mixing gives; float16 is computed in float32, rounded once."""
        dtype = self.computed_in(*values)
        wide = np.dtype(np.float32) if dtype == np.float16 else dtype
        arrays = [np.asarray(value) for value in values]
        with np.errstate(all="ignore"):
            if wide != dtype:
                arrays = [x if self.precise and not x.ndim else x.astype(dtype, copy=False) for x in arrays]
            result = self._compute(*(x.astype(wide, copy=False) for x in arrays))
            return result.astype(dtype) if wide != dtype and result.dtype == wide else result

    def computed_in(self, *values: Value) -> np.dtype:
        """The element type of the operands, by PyTorch's mixing. Raises DTypeError where it is not defined for it."""
        return self._computed_in(result_type(*values))

    @property
    def steps(self) -> Steps | None:
        """The compiled form, or None."""
        if self.compiled is not None or self.compute is None:
            return self.compiled
        types = f"{'f' * self.arity[0]}->f"
        return of_ufunc(self.compute) if types in getattr(self.compute, "types", ()) else None

    def _of_numbers(self, values: Sequence[Value]) -> Value:
        """Python numbers among themselves have Python's precision: 64 bits."""
        if self.exact is not None and all(isinstance(value, int) for value in values):
            return _in_64_bits(self.exact(*values))
        kind = max((np.asarray(value).dtype.kind for value in values), key="bifc".index)
        if self.floating and kind in "bi":
            kind = "f"
        elif kind == "b" and "b" not in self.kinds:
            kind = "i"  # Python's True is an integer
        dtype = self._computed_in(_NUMBER_TYPES[kind])
        with np.errstate(all="ignore"):
            result = self._compute(*(np.asarray(value, dtype) for value in values)).item()
        return int(result) if self.whole and isinstance(result, float) and math.isfinite(result) else result

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        if self.compute is not None:
            return np.asarray(self.compute(*arrays))
        assert self.compiled is not None
        return np.asarray(self.compiled(run, *arrays))

    def _computed_in(self, dtype: np.dtype) -> np.dtype:
        if dtype.kind.replace("u", "i") not in self.kinds:
            expected = " or ".join(KINDS[kind] for kind in self.kinds)
            raise DTypeError(f"{self.name} is not defined for {dtype}, only for {expected}")
        return float_type(dtype) if self.floating else dtype


def is_number(value: Value) -> bool:
    """True for a Python number; numpy's scalars count as arrays without axes."""
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)


def check_value(value: Value) -> None:
    """Raise TypeError for what is no number and no array of them, OverflowError for an integer beyond 64 bits."""
    if is_number(value):
        if isinstance(value, int):
            _in_64_bits(value)
    elif not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "biufc":
        raise TypeError(f"expected arrays or numbers, found {value!r:.60}")


def _in_64_bits(value: Any) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError("the result does not fit an integer of 64 bits")
    return value
