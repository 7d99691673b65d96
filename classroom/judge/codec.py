"""Plain data between judge and worker: one frame = lengths, a JSON header, raw arrays. No pickle, no objects.

    frame = header length (4 bytes, little-endian), arrays' length (8 bytes), header, the arrays' bytes

What may travel: None, bool, int, float, str, list, tuple, dict with str keys, and arrays of the types in ARRAYS.
"""

from __future__ import annotations

import json
import math
import struct
from typing import IO, Any

import numpy as np

ARRAYS = {"?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}
LARGEST_HEADER = 4 << 20
LARGEST_ARRAYS = 256 << 20
DEEPEST = 40
_LENGTHS = struct.Struct("<IQ")


class CodecError(Exception):
    """A value that may not travel, or a frame that is not one."""


def encode(value: Any) -> bytes:
    """A value -> one frame. Raises CodecError for what may not travel, naming it."""
    arrays: list[bytes] = []
    header = json.dumps(_pack(value, arrays, 0), allow_nan=False).encode()
    body = b"".join(arrays)
    if len(header) > LARGEST_HEADER or len(body) > LARGEST_ARRAYS:
        raise CodecError(f"expected at most {LARGEST_ARRAYS >> 20} MB, found {(len(header) + len(body)) >> 20} MB")
    return _LENGTHS.pack(len(header), len(body)) + header + body


def write(stream: IO[bytes], value: Any) -> None:
    """Encode and send one value."""
    stream.write(encode(value))
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Receive one value. Raises EOFError when the other side is gone, CodecError for a bad frame."""
    lengths = _exactly(stream, _LENGTHS.size)
    header_length, body_length = _LENGTHS.unpack(lengths)
    if header_length > LARGEST_HEADER or body_length > LARGEST_ARRAYS:
        raise CodecError(f"a frame of {header_length} + {body_length} bytes is too large")
    try:
        header = json.loads(_exactly(stream, header_length))
    except (ValueError, RecursionError) as error:
        raise CodecError(f"a header that is no JSON: {error}") from None
    return _unpack(header, _Bytes(_exactly(stream, body_length)), 0)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    parts = []
    while count:
        part = stream.read(min(count, 1 << 20))
        if not part:
            raise EOFError("the other side closed its end")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _pack(value: Any, arrays: list[bytes], depth: int) -> Any:
    """JSON where every value but None, bool, int and str is {"kind": content}; exact types only."""
    if depth > DEEPEST:
        raise CodecError(f"expected at most {DEEPEST} levels of lists in lists")
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if abs(value) < 1 << 63 else {"int": str(value)}
    if kind is float:
        return {"float": value if math.isfinite(value) else repr(value)}
    if kind in (list, tuple):
        return {kind.__name__: [_pack(item, arrays, depth + 1) for item in value]}
    if kind is dict and all(type(key) is str for key in value):
        return {"dict": {key: _pack(item, arrays, depth + 1) for key, item in value.items()}}
    if kind is np.ndarray and value.dtype.str[1:] in ARRAYS | {"b1"} and value.dtype.isnative:
        array = np.ascontiguousarray(value)
        arrays.append(array.tobytes())
        return {"array": [value.dtype.str[1:], list(value.shape)]}
    if isinstance(value, np.generic):
        return {"scalar": _pack(np.asarray(value), arrays, depth + 1)}
    raise CodecError(f"expected numbers, text, lists, tuples, dicts or numpy arrays, found {kind.__name__}")


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise CodecError("an array longer than its bytes")
        self.at += count
        return self.data[self.at - count : self.at]


def _unpack(packed: Any, body: _Bytes, depth: int) -> Any:
    if depth > DEEPEST + 2:
        raise CodecError("a header nested too deeply")
    if packed is None or isinstance(packed, (bool, int, str)):
        return packed
    if not isinstance(packed, dict) or len(packed) != 1:
        raise CodecError("a header that holds something unknown")
    ((kind, content),) = packed.items()
    try:
        if kind == "int":
            return int(content)
        if kind == "float":
            return float(content)
        if kind in ("list", "tuple"):
            items = [_unpack(item, body, depth + 1) for item in content]
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            return {str(key): _unpack(item, body, depth + 1) for key, item in content.items()}
        if kind == "array":
            return _array(content, body)
        if kind == "scalar":
            return _array(content["array"], body)[()]
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise CodecError(f"a {kind} that cannot be read: {error}") from None
    raise CodecError(f"a value of unknown kind {kind!r}")


def _array(content: Any, body: _Bytes) -> np.ndarray:
    code, shape = content
    if (code not in ARRAYS and code != "b1") or any(type(n) is not int or n < 0 for n in shape) or len(shape) > 32:
        raise CodecError(f"an array of type {code!r} and shape {shape!r}")
    dtype = np.dtype(code)
    return np.frombuffer(body.take(math.prod(shape) * dtype.itemsize), dtype).reshape(shape).copy()
