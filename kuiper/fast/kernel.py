"""What a kernel is: one operator's computation, prepared for fixed shapes, then bound to fixed arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from kuiper.fast.place import Halo, Place, Spec
from kuiper.fast.rows import LongRow
from kuiper.fast.workspace import Workspace
from kuiper.graph import Operator

Call = Callable[[], object]
"""A numpy function with everything it needs: running a plan is calling these."""
Stage = list[list[Call]]
"""One list of calls per lane. Lanes may run at the same time; stages run one after the other."""
Layout = Literal["pixels", "like input", "rows"]


@dataclass(eq=False)
class Node:
    """One operator of the graph as the plan sees it."""

    operator: Operator
    inputs: list[Spec]
    outputs: list[Spec]
    packs: dict[str, np.ndarray] = field(default_factory=dict)
    """The operator's weights as kernels want them, by the way of packing: plans for several input shapes share them."""

    @property
    def layer(self) -> Any:
        """The simple layer that computes the same."""
        return self.operator.layer


class Kernel:
    """One operator's computation for known shapes.

    A kernel is made once (weights repacked) and bound to its arrays once; `bind` returns the calls that a forward pass
    repeats. It reads inputs with any strides and writes outputs with any strides; what it declares below only helps the
    plan to lay values out so that it is fast.

    layout : how the output is stored: images channel-last ("pixels"), as the first input is, or row by row.
    planes : whether it reads images fastest as they come, plane by plane.
    epilogue : what is done to the result before it is stored, for kernels that can: the plan fuses the operators that
        follow into it. None: cannot.
    """

    layout: Layout = "rows"
    planes: bool = False
    epilogue: Epilogue | None = None

    def halo(self, slot: int) -> Halo | None:
        """The border of zeros with which input `slot` is read channel-last; None: it is read as it lies."""
        return None

    def candidates(self) -> Sequence[Kernel]:
        """This computation by each algorithm that may be the fastest here, this kernel among them."""
        return [self]

    @property
    def name(self) -> str:
        """The algorithm, to tell candidates apart."""
        return type(self).__name__

    @property
    def key(self) -> str:
        """What the fastest of several candidates depends on, besides the lanes; where there is one only, nothing."""
        return ""

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """The calls that compute `outputs` from `inputs`, with scratch arrays from `space`."""
        raise NotImplementedError(f"{type(self).__name__}.bind")


class View(Kernel):
    """An operator that costs nothing: its outputs are views of its first input.

    views : one function for each output, from the input's array to the output's, which must share its memory.
    """

    layout: Layout = "like input"

    def __init__(self, *views: Callable[[np.ndarray], np.ndarray]) -> None:
        self.views = views


class Join(Kernel):
    """Concatenation along `axis`. Where it is possible, producers write into their part of the output at once."""

    layout: Layout = "like input"

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def bind(self, inputs: Sequence[Place], outputs: Sequence[Place], space: Workspace) -> list[Stage]:
        """Copies of those inputs that do not lie in the output already."""
        stages: list[Stage] = []
        start = 0
        for place in inputs:
            stop = start + place.array.shape[self.axis]
            part = outputs[0].array[(slice(None),) * self.axis + (slice(start, stop),)]
            start = stop
            if part.__array_interface__["data"] != place.array.__array_interface__["data"] and part.size:
                stages.append(copies(place.array, part, space))
        return stages


def copies(source: np.ndarray, target: np.ndarray, space: Workspace) -> Stage:
    """target[...] = source, by as many lanes as it is worth."""
    pixels = source.ndim == 4 and source.strides[1] < source.strides[3]
    if pixels:  # walk both in the order in which they lie
        source, target = source.transpose(0, 2, 3, 1), target.transpose(0, 2, 3, 1)
    lanes = space.lanes_for(source.size * 0.4)
    return [[_copy(source[part], target[part])] for part in blocks(source.shape, lanes)]


def _copy(source: np.ndarray, target: np.ndarray) -> Call:
    return partial(np.copyto, target, source)


Index = tuple[Any, ...]


def blocks(shape: Sequence[int], parts: int) -> list[Index]:
    """Indices that cut an array of `shape` along one axis into at most `parts` blocks of about the same size.

    >>> blocks((1, 5, 3), 2)
    [(slice(0, 1, None), slice(0, 3, None)), (slice(0, 1, None), slice(3, 5, None))]
    """
    for axis, extent in enumerate(shape):
        if extent >= parts:
            ahead = tuple(slice(0, n) for n in shape[:axis])
            return [(*ahead, slice(start, stop)) for start, stop in spans(extent, parts)]
    return [()]


def spans(extent: int, parts: int) -> Iterator[tuple[int, int]]:
    """range(extent) in at most `parts` runs (start, stop) of about the same length, longer ones first.

    >>> list(spans(7, 3))
    [(0, 3), (3, 5), (5, 7)]
    """
    start = 0
    for part in range(min(parts, extent)):
        stop = start + extent // parts + (part < extent % parts) if extent >= parts else start + 1
        yield start, stop
        start = stop


@dataclass
class Epilogue:
    """What follows a convolution or a product: y = activation(x + bias + residual).

    bias : one number per channel (the last axis), or None.
    residual : whether the node's last input is added.
    activation : an Activation (see kernels/activation.py), or None.
    """

    bias: np.ndarray | None = None
    residual: bool = False
    activation: Any = None
    _long: LongRow | None = field(default=None, repr=False, compare=False)

    def columns(self, some: slice) -> Epilogue:
        """The part of it for some of the channels."""
        return Epilogue(None if self.bias is None else self.bias[some], self.residual, self.activation)

    def calls(
        self, source: np.ndarray, target: np.ndarray, residual: np.ndarray | None, space: Workspace, lane: int
    ) -> list[Call]:
        """target = activation(source + bias + residual); all (..., C); `source` may be `target` and may be spoilt."""
        last = target if residual is None else source
        calls: list[Call] = []
        x = source
        if self.bias is not None:
            calls += self._row().calls(np.add, x, last)
            x = last
        if residual is not None:
            calls.append(partial(np.add, x, residual, target))
            x = target
        if self.activation is not None:
            return calls + self.activation.calls(x, target, lambda: space.own(lane, target.shape))
        if x is not target:
            calls.append(_copy(x, target))
        return calls

    def _row(self) -> LongRow:
        assert self.bias is not None
        if self._long is None or self._long.row is not self.bias:
            self._long = LongRow(self.bias)
        return self._long


Lowering = Callable[[Node], "Kernel | None"]
LOWERINGS: dict[type, Lowering] = {}
Lower = TypeVar("Lower", bound=Lowering)


def lowers(*layers: type) -> Callable[[Lower], Lower]:
    """Decorator: the function makes the kernel for operators whose simple layer is one of `layers` (not a subclass).

    It returns None for options, shapes or dtypes that its kernel does not know: the simple layer computes those.
    """

    def register(function: Lower) -> Lower:
        for layer in layers:
            assert layer not in LOWERINGS, f"{layer.__name__} has a kernel already"
            LOWERINGS[layer] = function
        return function

    return register
