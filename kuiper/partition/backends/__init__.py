"""Back ends: what computes the sub-graphs of a device. The optional ones import their packages when they are opened."""

from __future__ import annotations

from functools import cache

from kuiper.errors import missing_module
from kuiper.partition.backends.array_module import CuPy
from kuiper.partition.backends.onnxruntime import OnnxRuntime
from kuiper.partition.backends.protocol import Backend, Fast, Program, Simple
from kuiper.partition.backends.torch import Torch
from kuiper.partition.errors import BackendError

BACKENDS: dict[str, type[Backend]] = {
    "simple": Simple,
    "fast": Fast,
    "onnxruntime": OnnxRuntime,
    "torch": Torch,
    "cupy": CuPy,
}
"""Back ends by the name that a Device gives."""

__all__ = ["BACKENDS", "Backend", "Program", "is_universal", "open_backend"]


def open_backend(backend: str | Backend) -> Backend:
    """The back end of that name, or the given one. Raises BackendError where it is not known or not installed."""
    return backend if isinstance(backend, Backend) else _opened(backend)


def is_universal(backend: str | Backend) -> bool:
    """Whether a back end computes every operator, found without opening it. Raises BackendError for unknown names."""
    return (backend if isinstance(backend, Backend) else _known(backend)).universal


def _known(name: str) -> type[Backend]:
    if not isinstance(name, str) or name not in BACKENDS:
        raise BackendError(f"backend: expected {', '.join(BACKENDS)}, or a Backend, found {name!r}")
    return BACKENDS[name]


@cache
def _opened(name: str) -> Backend:
    try:
        return _known(name)()
    except ModuleNotFoundError as error:
        raise BackendError(f"backend {name}: {missing_module(name, error)}") from error
