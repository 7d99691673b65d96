"""What a plan's machine code depends on, as one hash: the name of its file in the cache.

Code may only be used again where writing it again would give the same. So all that kernels could look at goes in: the
layers with their options and weights, the shapes, what the plan says of its memory and parts, the processor, LLVM's
release, and every line of kuiper itself.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from kuiper.graph import Operator

ROOT = Path(__file__).parents[1]


class UnknownValueError(Exception):
    """A value of a kind that is not understood: what depends on it is not cached."""


def identity_of(operators: Iterable[Operator], *about: object) -> str | None:
    """A hash of the operators' layers, of how they are connected, and of `about`.

    None where a layer is not kuiper's own, or holds what is not understood.
    """
    digest = _Digest()
    try:
        digest.add(about)
        digest.add(own_source())
        for op in operators:
            if op.layer is not None and type(op.layer).__module__.partition(".")[0] != "kuiper":
                return None
            digest.add([op.type, [x.name for x in op.inputs], [x.name for x in op.outputs], op.layer])
    except UnknownValueError:
        return None
    return digest.hash.hexdigest()


@cache
def own_source() -> str:
    """A hash of kuiper's files."""
    found = hashlib.sha256()
    for path in sorted(ROOT.rglob("*.py")):
        found.update(f"{path.relative_to(ROOT).as_posix()} {path.stat().st_size}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


class _Digest:
    """A hash of values: numbers, texts, arrays, and what is made of them."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []  # so that no two values have the same id

    def add(self, value: Any) -> None:
        """Raises UnknownValueError."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, np.dtype, type)):
            self._text(f"{type(value).__name__} {value!r}")
            return
        if id(value) in self._seen:
            self._text(f"again {self._seen[id(value)]}")
            return
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        if isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, Mapping):
            self._text(f"mapping {len(value)}")
            for key, item in value.items():
                self.add(key)
                self.add(item)
        elif isinstance(value, (list, tuple)):
            self._text(f"{type(value).__name__} {len(value)}")
            for item in value:
                self.add(item)
        elif isinstance(
            value, Operator
        ):  # by its place alone: a layer that knows its neighbours leads through the graph
            self.add([value.type, [x.name for x in value.inputs], [x.name for x in value.outputs]])
        elif isinstance(value, slice):
            self.add(["slice", value.start, value.stop, value.step])
        elif isinstance(value, partial):
            self.add(["partial", value.func, value.args, value.keywords])
        elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            self._function(value)
        else:
            self._object(value)

    def _text(self, text: str) -> None:
        encoded = text.encode("utf-8", "surrogatepass")
        self.hash.update(f"{len(encoded)} ".encode() + encoded)

    def _array(self, array: np.ndarray) -> None:
        if array.dtype.hasobject:
            raise UnknownValueError("an array of objects")
        self._text(f"array {array.dtype} {array.shape}")
        self.hash.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _function(self, function: Any) -> None:
        """One of kuiper's own functions or a library's is known by its name; a closure, by what it holds as well."""
        self._text(f"function {getattr(function, '__module__', '')} {getattr(function, '__qualname__', function)}")
        for cell in getattr(function, "__closure__", None) or ():
            self.add(cell.cell_contents)

    def _object(self, value: Any) -> None:
        kind = type(value)
        if not hasattr(value, "__dict__") or kind.__module__.partition(".")[0] != "kuiper":
            raise UnknownValueError(f"{kind.__module__}.{kind.__qualname__}")
        self._text(f"object {kind.__module__}.{kind.__qualname__}")
        self.add(vars(value))
