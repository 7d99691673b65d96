"""What a kernel is: one operator's computation, prepared for fixed shapes, then bound to fixed arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np

from kuiper.errors import add_new
from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec
from kuiper.fast.kernels.base.calls import Call, Stage, copies, copy
from kuiper.fast.kernels.base.rows import LongRow
from kuiper.fast.kernels.base.samples import SampleRule, beside_axis, by_element, never
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.graph import Operator

if TYPE_CHECKING:
    from kuiper.fast.kernels.elementwise.activation import ActivationSteps

ImageLayout = Literal["nhwc", "like input", "nchw"]


@dataclass(eq=False, slots=True)
class Step:
    """One kernel of a plan: the operators that it computes, what it reads and writes.

    operators : the first gives the step its kernel, the others are fused into it.
    inputs, outputs : what is known of the operands.
    reads, writes : the operands' names.
    packs : repacked weights by the way of packing, shared by plans for several input shapes.
    kernel : made by the function that is registered (see `lowers`) for the layer, else the Fallback on the layer;
        replaced by the algorithm that is chosen.
    """

    operators: list[Operator]
    inputs: list[Spec]
    outputs: list[Spec]
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    packs: dict[str, np.ndarray] = field(default_factory=dict)
    kernel: Kernel = field(init=False)

    @property
    def operator(self) -> Operator:
        """The operator whose kernel this is."""
        return self.operators[0]

    @property
    def layer(self) -> Any:
        """The layer of that operator."""
        return self.operator.layer


class Kernel:
    """One operator's computation for known shapes.

    A kernel is made for known shapes and then bound to arrays. Its weights are repacked once. `bind` returns what a
    forward pass repeats: stages, one after the other, each a list of calls per thread (calls.py). Scratch arrays come
    from a Workspace, for which a plan binds twice: to learn their sizes, then in earnest. Kernels read inputs and write
    outputs with any strides; what is declared below only helps the plan to lay values out so that it is fast.

    label : the algorithm's name where it is not the class's.
    output_layout : how output images are stored: channel-last ("nhwc"), channel-first ("nchw") or like the input.
    epilogue : what is done to the result before it is stored; the plan fuses the operators that follow into it. None:
        nothing can be fused.
    by_sample : whether it computes each sample by itself; see samples.py.
    """

    label: ClassVar[str] = ""
    output_layout: ImageLayout = "nchw"
    epilogue: Epilogue | None = None
    by_sample: ClassVar[SampleRule] = never

    def halo(self, slot: int) -> Halo | None:
        """The border of zeros with which input `slot` is read channel-last; None: it is read in any layout."""
        return None

    def prefers_nhwc(self, slot: int) -> bool:
        """Whether it is worth storing input `slot`, an image, channel-last, if it is an input of the network."""
        return self.output_layout == "nhwc" or self.halo(slot) is not None

    def fold(self, factor: np.ndarray, shift: np.ndarray) -> bool:
        """Make it compute factor * y + shift per channel (axis 1), as a BatchNorm behind it does; False: it cannot."""
        return False

    def candidates(self) -> Sequence[Kernel]:
        """This computation by each algorithm that may be the fastest here; a kernel without others is its own."""
        return [self]

    @property
    def name(self) -> str:
        """The algorithm, to tell candidates apart; it is what a choice stores, under `key`."""
        return self.label or type(self).__name__

    @property
    def key(self) -> str:
        """What the fastest of several candidates depends on, besides the threads; empty if there is never a choice."""
        return ""

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """The calls that compute `outputs` from `inputs`, with scratch arrays from `space`."""
        raise NotImplementedError(f"{type(self).__name__}.bind")


class View(Kernel):
    """An operator that costs nothing: its outputs are views of its first input.

    views : one function for each output, from the input's array to the output's, which must share its memory.
    """

    output_layout: ImageLayout = "like input"
    by_sample = by_element

    def __init__(self, *views: Callable[[np.ndarray], np.ndarray]) -> None:
        self.views = views


class Join(Kernel):
    """Concatenation along `axis`. Where it is possible, producers write into their part of the output directly.

    new : the inputs have no such axis, and get one of extent 1.
    """

    output_layout: ImageLayout = "like input"
    by_sample = beside_axis

    def __init__(self, axis: int, new: bool = False) -> None:
        self.axis, self.new = axis, new

    def parts(self, shapes: Iterable[tuple[int, ...]]) -> Iterator[tuple[int | slice, ...]]:
        """For inputs of these shapes, where each lies in the output: its index there."""
        start = 0
        for shape in shapes:
            stop = start + (1 if self.new else shape[self.axis])
            yield (*(slice(None),) * self.axis, start if self.new else slice(start, stop))
            start = stop

    def bind(self, inputs: Sequence[Buffer], outputs: Sequence[Buffer], space: Workspace) -> list[Stage]:
        """Copies of those inputs that do not lie in the output already."""
        stages: list[Stage] = []
        for buffer, index in zip(inputs, self.parts(each.array.shape for each in inputs)):
            part = outputs[0].array[index]
            if part.__array_interface__["data"] != buffer.array.__array_interface__["data"] and part.size:
                stages.append(copies(buffer.array, part, space))
        return stages


@dataclass
class Epilogue:
    """What follows a convolution or a product: y = activation(x + bias + residual).

    bias : one number per channel (the last axis), or None.
    residual : whether the step's last input is added.
    activation : f(x) = steps(factor * x) of every element, or None; a kernel that puts `factor` into its weights
        goes on with `activation.without_factor`, the steps alone.
    """

    bias: np.ndarray | None = None
    residual: bool = False
    activation: ActivationSteps | None = None
    _long: LongRow | None = field(default=None, repr=False, compare=False)

    def fold(self, factor: np.ndarray, shift: np.ndarray) -> None:
        """Take a following factor * y + shift, both (C,), into the bias; the factor of y itself is the kernel's."""
        self.bias = (shift if self.bias is None else self.bias * factor + shift).astype(np.float32)

    def columns(self, some: slice) -> Epilogue:
        """The part of it for some of the channels."""
        return Epilogue(None if self.bias is None else self.bias[some], self.residual, self.activation)

    def calls(
        self, source: np.ndarray, target: np.ndarray, residual: np.ndarray | None, space: Workspace, thread: int
    ) -> list[Call]:
        """target = activation(source + bias + residual); all (..., C); `source` may be `target`, and may be
        overwritten.
        """
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
            return calls + self.activation.calls(x, target, lambda: space.own(thread, target.shape))
        if x is not target:
            calls.append(copy(x, target))
        return calls

    def _row(self) -> LongRow:
        assert self.bias is not None
        if self._long is None or self._long.row is not self.bias:
            self._long = LongRow(self.bias)
        return self._long


Lowering = Callable[[Step], "Kernel | None"]
LOWERINGS: dict[type, Lowering] = {}
Lower = TypeVar("Lower", bound=Lowering)


def lowers(*layers: type) -> Callable[[Lower], Lower]:
    """Decorator: the function makes the kernel for operators whose layer is one of `layers` (not a subclass).

    It returns None for options, shapes or dtypes that its kernel does not know: the layer computes those. Raises
    KuiperError for a layer that has a kernel.
    """

    def register(function: Lower) -> Lower:
        lowering: Lowering = function
        for layer in layers:
            add_new(LOWERINGS, layer, lowering, "has a kernel already")
        return function

    return register
