"""The element types of PNNX, and the rules by which PyTorch mixes them.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.errors import KuiperError


@dataclass(frozen=True)
class DType:
    """One element type.

    `code` is the name in the text file ("f32"), `number` pnnx's own number, `storage` the numpy type of the stored
    bytes (little-endian), `compute` the numpy type that layers see. They differ for bfloat16 and complex32, which
    numpy does not have: those are stored as integers and widened on reading.
    """

    code: str
    number: int
    storage: np.dtype
    compute: np.dtype
    torch: str

    @property
    def itemsize(self) -> int:
        """Bytes of one stored element."""
        return self.storage.itemsize


def _dtype(code: str, number: int, storage: str, compute: str, torch: str) -> DType:
    return DType(code, number, np.dtype(storage), np.dtype(compute), torch)


DTYPES: dict[str, DType] = {
    d.code: d
    for d in (
        _dtype("f32", 1, "<f4", "f4", "float32"),
        _dtype("f64", 2, "<f8", "f8", "float64"),
        _dtype("f16", 3, "<f2", "f2", "float16"),
        _dtype("i32", 4, "<i4", "i4", "int32"),
        _dtype("i64", 5, "<i8", "i8", "int64"),
        _dtype("i16", 6, "<i2", "i2", "int16"),
        _dtype("i8", 7, "i1", "i1", "int8"),
        _dtype("u8", 8, "u1", "u1", "uint8"),
        _dtype("bool", 9, "?", "?", "bool"),
        _dtype("c64", 10, "<c8", "c8", "complex64"),
        _dtype("c128", 11, "<c16", "c16", "complex128"),
        _dtype("c32", 12, "<u4", "c8", "complex32"),
        _dtype("bf16", 13, "<u2", "f4", "bfloat16"),
    )
}
OLD_CODES = {"cp64": "c64", "cp128": "c128", "cp32": "c32"}


def find(code: str) -> DType | None:
    """The type that a code of the text file names ("f32", "cp64"), or None."""
    return DTYPES.get(OLD_CODES.get(code, code))


def of(array: np.ndarray) -> DType:
    """The type of a numpy array. Raises KuiperError for one that PNNX does not have."""
    return of_type(array.dtype)


def of_type(given: Any) -> DType:
    """The type that a code of the text file names, or anything that numpy takes for a type. Raises KuiperError.

    >>> of_type("bf16").torch, of_type(np.float32).code
    ('bfloat16', 'f32')
    """
    if isinstance(given, DType):
        return given
    found = find(given) if isinstance(given, str) else None
    if found is None and given is not None:
        with suppress(TypeError, ValueError):
            compute = np.dtype(given)
            found = next((dtype for dtype in DTYPES.values() if dtype.compute == compute), None)
    if found is None:
        expected = f"one of {', '.join(DTYPES)}, or numpy's type of that kind"
        raise KuiperError(f"element type: expected {expected}, found {given!s:.60}")
    return found


def widen(raw: np.ndarray, dtype: DType) -> np.ndarray:
    """Stored elements -> the array that layers compute with; the same array where the two types agree."""
    if dtype.code == "bf16":
        return (raw.astype(np.uint32) << 16).view(np.float32)
    if dtype.code == "c32":
        halves = raw.reshape((*raw.shape, 1)).view(np.float16).astype(np.float32)
        return halves.view(np.complex64).reshape(raw.shape)
    return raw


KINDS = {"b": "bool", "i": "integer", "f": "float", "c": "complex"}
"""The kinds of element type, by the letters that numpy has for them; an unsigned integer is an integer."""

_BOOL, _INT, _FLOAT, _COMPLEX = range(4)
_CATEGORY = {"b": _BOOL, "i": _INT, "u": _INT, "f": _FLOAT, "c": _COMPLEX}
_DEFAULT = {_BOOL: np.dtype("?"), _INT: np.dtype("i8"), _FLOAT: np.dtype("f4"), _COMPLEX: np.dtype("c8")}


def _merge(a: np.dtype | None, b: np.dtype | None) -> np.dtype | None:
    if a is None or b is None or a == b:
        return a if b is None else b
    low, high = sorted((a, b), key=lambda t: _CATEGORY[t.kind])
    if _CATEGORY[low.kind] == _CATEGORY[high.kind] or _CATEGORY[low.kind] == _BOOL:
        return np.promote_types(a, b)
    if high.kind == "c" and low.kind == "f":
        return np.promote_types(a, b)
    return high


def result_type(*values: Any) -> np.dtype:
    """The element type of an operation on `values`, as PyTorch mixes them.

    Arrays with axes decide first; 0-d arrays and Python numbers count only when they are of a higher category
    (bool < integer < float < complex). Unlike numpy, int64 with float32 gives float32.

    >>> result_type(np.zeros(2, np.int64), 0.5)
    dtype('float32')
    >>> result_type(np.zeros(2, np.float16), np.float32(3))
    dtype('float16')
    """
    axes: np.dtype | None = None
    zero_d: np.dtype | None = None
    numbers: np.dtype | None = None
    for value in values:
        if isinstance(value, (np.ndarray, np.generic)):
            if value.ndim:
                axes = _merge(axes, value.dtype)
            else:
                zero_d = _merge(zero_d, value.dtype)
        else:
            numbers = _merge(numbers, _DEFAULT[_CATEGORY[np.asarray(value).dtype.kind]])
    result: np.dtype | None = None
    for candidate in (axes, zero_d, numbers):
        if candidate is None:
            continue
        if result is None:
            result = candidate
        elif _CATEGORY[candidate.kind] > _CATEGORY[result.kind]:
            # a complex number keeps the precision of the floats it meets
            result = (
                np.promote_types(result, np.complex64) if candidate.kind == "c" and result.kind == "f" else candidate
            )
    if result is None:
        raise ValueError("result_type needs at least one value")
    return result


def float_type(dtype: np.dtype) -> np.dtype:
    """The type in which a function like exp computes: integers and booleans become float32."""
    return dtype if dtype.kind in "fc" else np.dtype("f4")


def as_float(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): x itself, or float32 where x holds integers or booleans."""
    return x.astype(float_type(x.dtype), copy=False)


def single(x: np.ndarray) -> np.ndarray:
    """float16 -> float32, in which sums are formed before they are rounded; other types as they are."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def as_array(value: Any) -> np.ndarray:
    """An array as it is; a Python number as a 0-d array of the type that PyTorch gives it.

    >>> as_array(2).dtype, as_array(0.5).dtype
    (dtype('int64'), dtype('float32'))
    """
    return value if isinstance(value, np.ndarray) else np.asarray(value, result_type(value))


def finite_or_not(value: Any) -> Any:
    """The float that a text "inf", "-inf" or "nan" means, which PNNX's parameters leave as text; any other as it is."""
    return float(value) if isinstance(value, str) and value.lstrip("-") in ("inf", "nan") else value


def converted(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """(...) -> (...): x as `dtype`, or x itself if it is that; floats lose their fraction, complex their j part.

    The narrow integers take the lowest bits of the wide one: -1.0 is 255 as uint8.
    """
    if x.dtype.kind == "c" and dtype.kind in "iuf":
        x = x.real
    if x.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < 4:
        x = converted(x, np.dtype(np.int64))
    with np.errstate(invalid="ignore", over="ignore"):  # inf and NaN have no integer, and 1e9 no float16
        return x.astype(dtype, copy=False)


def common(*values: Any) -> list[np.ndarray]:
    """Arrays and numbers -> arrays of the one element type that PyTorch's mixing gives; shapes stay.

    >>> [x.dtype.name for x in common(np.zeros(2, np.int64), 0.5)]
    ['float32', 'float32']
    """
    numbers = [finite_or_not(value) for value in values]
    dtype = result_type(*numbers)
    return [converted(np.asarray(number), dtype) for number in numbers]
