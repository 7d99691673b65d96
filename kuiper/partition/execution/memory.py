"""Memories: every device has one, and an array in one of them can be read only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kuiper.partition.backends import open_backend
from kuiper.partition.device import Device
from kuiper.partition.errors import ForeignArrayError


class DeviceArray:
    """A value in the memory of one device: an array, a number, or a tuple, list or dict of them.

    Only that device's `Memory.open` gives access to it; numpy refuses it too.
    """

    __slots__ = ("__weakref__", "_memory", "_value")

    def __init__(self, memory: Memory, value: Any) -> None:
        self._memory, self._value = memory, value

    def __repr__(self) -> str:
        return f"DeviceArray(on {self._memory.device})"

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in the value."""
        return bytes_of(self._value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise ForeignArrayError(f"an array on {self._memory.device} is no numpy array; Memory.get copies it to one")


class Memory:
    """The memory of one device.

    A device that casts holds every array of floating-point numbers in its own type.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.backend = open_backend(device.backend)

    def hold(self, value: Any) -> DeviceArray:
        """What a program of this device has made, where it is."""
        return DeviceArray(self, value)

    def open(self, array: DeviceArray) -> Any:
        """The value as the device's own programs take it. Raises ForeignArrayError for an array of another device."""
        if not isinstance(array, DeviceArray):
            raise ForeignArrayError(f"{self.device}: expected a DeviceArray, found {type(array).__name__}")
        if array._memory is not self:
            raise ForeignArrayError(
                f"{self.device}: expected an array in its own memory, found one on {array._memory.device}; "
                "it has to be transferred"
            )
        return array._value

    def put(self, value: Any) -> DeviceArray:
        """A copy of a value of numpy arrays in this memory, in the device's type where it casts."""
        wanted = self.device.casts_to

        def carry(x: np.ndarray) -> Any:
            return self.backend.put(x if wanted is None or x.dtype.kind != "f" else x.astype(wanted))

        return self.hold(over_arrays(carry, value))

    def get(self, array: DeviceArray, dtype: np.dtype | None = None) -> Any:
        """A value as numpy arrays, which nobody writes to; what the device has cast comes back as `dtype`."""
        cast = self.device.casts_to is not None and dtype is not None and dtype.kind == "f"

        def carry(x: Any) -> np.ndarray:
            found = self.backend.get(x)
            return found.astype(dtype) if cast and found.dtype.kind == "f" else found

        return over_arrays(carry, self.open(array))


def bytes_of(value: Any) -> int:
    """Bytes of the arrays in a value, of numpy's kind or another.

    >>> bytes_of((np.zeros(3, np.float32), 2))
    12
    """
    sizes: list[int] = []
    over_arrays(lambda x: sizes.append(int(x.nbytes)), value)
    return sum(sizes)


def over_arrays(function: Callable[[Any], Any], value: Any) -> Any:
    """`value` with the function's result for every array in it; numbers, texts and None stay."""
    if isinstance(value, (tuple, list)):
        return type(value)(over_arrays(function, item) for item in value)
    if isinstance(value, dict):
        return {key: over_arrays(function, item) for key, item in value.items()}
    return function(value) if hasattr(value, "nbytes") else value
