"""Wire format between judge and worker: a frame is lengths, a JSON header, raw arrays. No pickle, no objects.

    frame = header length (4 bytes, little-endian), arrays' length (8 bytes), header, the arrays' bytes

Allowed: None, bool, int, float, str, list, tuple, sets of str, dicts with str keys, numpy arrays and scalars of the
types in ARRAYS, but no subclasses of them, whose methods could be anybody's. Only the dictionaries of the module
collections arrive too, as dicts. `read` builds every value itself and does not trust the sender. An array arrives row
by row, or column by column (numpy's order F) where it lies so at the sender's, as a transposed one does.
"""

from __future__ import annotations

import gc
import json
import math
import struct
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import IO, Any

import numpy as np

ARRAYS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}
MAX_HEADER_BYTES = 4 << 20
MAX_ARRAY_BYTES = 64 << 20
MAX_INT_BITS = 10_000
MAX_DEPTH = 40
DIMENSIONS = 32
_LENGTHS = struct.Struct("<IQ")
_NOT_FINITE = {"nan", "inf", "-inf"}
_AS_IS = {type(None), bool, str}
_DICTS = {dict, defaultdict, OrderedDict, Counter}


class CodecError(Exception):
    """A value cannot be encoded, or a frame is invalid."""


class _Uncollected:
    """No garbage collection inside `with`, in whatever thread: it would look through 60,000 new lists again and again.

    They hold no cycles: nothing is left behind.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._was = threading.Lock(), 0, False

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._was = gc.isenabled()
                gc.disable()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._was:
                gc.enable()


_uncollected = _Uncollected()


def encode(value: Any) -> bytes:
    """A value -> one frame. Raises CodecError naming a value that cannot be encoded."""
    arrays: list[bytes] = []
    with _uncollected:
        header = json.dumps(_pack(value, arrays, 0), allow_nan=False, check_circular=False).encode()
    size = sum(map(len, arrays))
    if len(header) > MAX_HEADER_BYTES:
        raise CodecError(
            f"expected at most {MAX_HEADER_BYTES >> 20} MB of lists and text, found {len(header) >> 20} MB"
        )
    if size > MAX_ARRAY_BYTES:
        raise CodecError(f"expected arrays of at most {MAX_ARRAY_BYTES >> 20} MB, found {size >> 20} MB")
    return b"".join([_LENGTHS.pack(len(header), size), header, *arrays])


def write(stream: IO[bytes], value: Any) -> None:
    """Encode and send one value."""
    stream.write(encode(value))
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Receive one value. Raises EOFError if the other side is gone, CodecError for an invalid frame."""
    header_length, body_length = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    if header_length > MAX_HEADER_BYTES or body_length > MAX_ARRAY_BYTES:
        raise CodecError(f"a frame of {header_length} + {body_length} bytes is too large")
    text, body = _exactly(stream, header_length), _Bytes(_exactly(stream, body_length))
    with _uncollected:
        try:
            header = json.loads(text, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise CodecError(f"a header that is no JSON: {error}") from None
        value = _unpack(header, body, 0)
    if body.at != body_length:
        raise CodecError("bytes that belong to no array")
    return value


def _exactly(stream: IO[bytes], count: int) -> bytes:
    parts = []
    while count:
        part = stream.read(min(count, 1 << 20))
        if not part:
            raise EOFError("the other side closed its end")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key that stands twice")
    return table


def _pack(value: Any, arrays: list[bytes], depth: int) -> Any:
    """Value -> JSON, in which everything but None, bool, int and str is {"kind": content}; exact types only."""
    if depth > MAX_DEPTH:
        raise CodecError(f"expected at most {MAX_DEPTH} levels of lists in lists")
    kind = type(value)
    if kind in _AS_IS:
        return value
    if kind is int:
        if value.bit_length() > MAX_INT_BITS:
            raise CodecError(f"expected integers of at most {MAX_INT_BITS} bits, found {value.bit_length()}")
        return value if value.bit_length() < 64 else {"int": str(value)}
    if kind is float:
        return {"float": value if math.isfinite(value) else repr(value)}
    if kind is list or kind is tuple:
        return {kind.__name__: [item if type(item) in _AS_IS else _pack(item, arrays, depth + 1) for item in value]}
    if kind is set:
        strange = {type(item).__name__ for item in value if type(item) is not str}
        if strange:
            raise CodecError(
                f"expected numbers, text, lists, tuples, dicts or numpy arrays, found a set of "
                f"{' and '.join(sorted(strange))}: make a list of it"
            )
        return {"set": sorted(value)}
    if kind in _DICTS:
        keys = {type(key).__name__ for key in value if type(key) is not str}
        if keys:
            raise CodecError(f"expected dicts whose keys are str, found keys of type {', '.join(sorted(keys))}")
        return {"dict": {key: _pack(item, arrays, depth + 1) for key, item in value.items()}}
    if kind is np.ndarray:
        return {"array": _array_header(value, arrays)}
    if isinstance(value, np.generic):
        return {"scalar": _array_header(np.asarray(value), arrays)}
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    raise CodecError(f"expected numbers, text, lists, tuples, sets of text, dicts or numpy arrays, found {name}")


def _array_header(array: np.ndarray, arrays: list[bytes]) -> list[Any]:
    code = array.dtype.str[1:]
    if code not in ARRAYS or not array.dtype.isnative or array.ndim > DIMENSIONS:
        raise CodecError(f"expected arrays of numbers or bools, found {array.dtype} in {array.ndim} dimensions")
    by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
    arrays.append(array.tobytes("F" if by_columns else "C"))
    return [code, list(array.shape), *(["F"] if by_columns else [])]


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise CodecError("an array longer than its bytes")
        self.at += count
        return self.data[self.at - count : self.at]


def _unpack(packed: Any, body: _Bytes, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise CodecError("a header nested too deeply")
    if packed is None or type(packed) in (bool, int):
        return packed
    if type(packed) is str:
        return _text(packed)
    if type(packed) is not dict or len(packed) != 1:
        raise CodecError("a header that holds something unknown")
    ((kind, content),) = packed.items()
    expected, unpack = _KINDS.get(kind, (type(None), None))
    if unpack is None or not isinstance(content, expected):
        raise CodecError(f"a value of unknown kind {kind!r:.80}")
    try:
        return unpack(content, body, depth)
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise CodecError(f"a {kind} that cannot be read: {error}") from None


def _float(content: float | str, body: _Bytes, depth: int) -> float:
    if type(content) is str and content not in _NOT_FINITE:
        raise CodecError(f"a float that is none: {content!r:.80}")
    return float(content)


def _array(content: list[Any], body: _Bytes, depth: int) -> np.ndarray:
    code, shape, *order = content
    if order not in ([], ["F"]):
        raise CodecError(f"an array in the order {order!r:.80}")
    if code not in ARRAYS or type(shape) is not list or len(shape) > DIMENSIONS:
        raise CodecError(f"an array of type {code!r:.80}")
    if any(type(n) is not int or n < 0 for n in shape):
        raise CodecError(f"an array of shape {shape!r:.200}")
    dtype = np.dtype(code)
    flat = np.frombuffer(bytearray(body.take(math.prod(shape) * dtype.itemsize)), dtype)
    if code == "b1" and flat.view(np.uint8).max(initial=0) > 1:
        raise CodecError("a bool that is neither True nor False")
    return flat.reshape(shape, order="F" if order else "C")


def _list(content: list[Any], body: _Bytes, depth: int) -> list[Any]:
    return [item if type(item) is str and item.isascii() else _unpack(item, body, depth + 1) for item in content]


def _set(content: list[Any], body: _Bytes, depth: int) -> set[str]:
    if any(type(item) is not str for item in content):
        raise CodecError("a set of something else than text")
    return {_text(item) for item in content}


def _text(content: str) -> str:
    if not content.isascii():
        try:
            content.encode()
        except UnicodeEncodeError:
            raise CodecError("text that is no Unicode") from None
    return content


_KINDS: dict[str, tuple[type | tuple[type, ...], Callable[[Any, _Bytes, int], Any]]] = {
    "int": (str, lambda content, body, depth: int(content)),
    "float": ((float, str), _float),
    "list": (list, _list),
    "tuple": (list, lambda content, body, depth: tuple(_list(content, body, depth))),
    "set": (list, _set),
    "dict": (
        dict,
        lambda content, body, depth: {_text(key): _unpack(item, body, depth + 1) for key, item in content.items()},
    ),
    "array": (list, _array),
    "scalar": (list, lambda content, body, depth: _array(content, body, depth).reshape(1)[0]),
}
