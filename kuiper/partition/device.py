"""Device: what a processor can compute, and how fast."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from kuiper.partition.backends import Backend, is_universal
from kuiper.partition.errors import PartitionError

FLOATS = frozenset({"float16", "float32", "float64"})


@dataclass(frozen=True)
class Device:
    """A processor that runs sub-graphs.

    Parameters
    ----------
    name : its name in pictures and messages.
    operators : the operator types it takes, and no others; None: all.
    blocked : operator types it refuses, whether or not `operators` has them.
    dtypes : the element types it takes ("float32", "uint8"); None: all. Quantised tensors pass as well, unless the
        list is empty.
    refuses : a rule of your own: Node -> why the device cannot take it, or None; for options such as a dilation.
    speed : operations (`Node.work`) per second.
    launch : seconds it takes to start one sub-graph.
    backend : what computes its sub-graphs: a name (see kuiper.partition.backends), or a Backend of your own. A node
        that the back end cannot compute is refused.
    cast : whether floating-point tensors of other types are cast to the one type in `dtypes` where they enter, and back
        where they leave; the device then takes them all.

    Raises PartitionError for a name that is empty, for a speed that is not above 0 and a launch below 0, for a cast
    without a type; BackendError for a back end that is not known.

    >>> acc = Device("ACC", operators={"conv", "relu"}, dtypes={"float32"})
    >>> acc.takes_operator("conv"), acc.takes_operator("sigmoid"), Device("CPU").takes_operator("sigmoid")
    (True, False, True)
    """

    name: str
    operators: Collection[str] | None = None
    blocked: Collection[str] = ()
    dtypes: Collection[str] | None = None
    refuses: Callable[[Any], str | None] | None = None
    speed: float = 1e9
    launch: float = 0.0
    backend: str | Backend = "simple"
    cast: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise PartitionError(f"device: expected a name, found {self.name!r}")
        for field in ("operators", "blocked", "dtypes"):
            value = getattr(self, field)
            if isinstance(value, str) or not isinstance(value, (Collection, type(None))):
                raise PartitionError(f"device {self.name}: {field}: expected a set of names, found {value!r}")
            object.__setattr__(self, field, None if value is None else frozenset(value))
        if not self.speed > 0 or not self.launch >= 0:
            found = f"speed {self.speed} and launch {self.launch}"
            raise PartitionError(
                f"device {self.name}: expected a speed above 0 and a launch of 0 or more, found {found}"
            )
        is_universal(self.backend)
        if self.cast and (self.dtypes is None or len(self.dtypes) != 1 or not set(self.dtypes) <= FLOATS):
            types = ", ".join(sorted(FLOATS))
            found = "none" if self.dtypes is None else ", ".join(sorted(self.dtypes)) or "an empty list"
            raise PartitionError(f"device {self.name}: cast: expected one of {types} in dtypes, found {found}")

    def __str__(self) -> str:
        return self.name

    @property
    def takes_everything(self) -> bool:
        """Whether nothing restricts it, as for a CPU: no list, no rule, no back end without some operators."""
        free = self.operators is None and not self.blocked and self.dtypes is None and self.refuses is None
        return free and is_universal(self.backend)

    @property
    def casts_to(self) -> np.dtype | None:
        """The type in which it holds floating-point numbers, or None where it takes them as they are."""
        return np.dtype(min(self.dtypes)) if self.cast and self.dtypes else None

    def takes_operator(self, type: str) -> bool:
        """Whether the lists allow an operator type."""
        return type not in self.blocked and (self.operators is None or type in self.operators)

    def takes_dtype(self, dtype: str | None, quantized: bool = False) -> bool:
        """Whether a tensor's element type is fine: listed, or quantised. Unknown (None) is fine only without a list."""
        if self.dtypes is None or dtype in self.dtypes or (self.cast and dtype in FLOATS):
            return True
        return quantized and bool(self.dtypes)
