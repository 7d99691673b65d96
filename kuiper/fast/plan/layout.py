"""Memory layout: which values have memory of their own, in what order and with what halo, and which lie in others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kuiper.errors import KuiperError
from kuiper.fast.kernels.base.buffer import NO_HALO, Buffer, Halo, Spec, image_buffer
from kuiper.fast.kernels.base.kernel import Join, Step, View
from kuiper.fast.kernels.move.reshape import ReshapeKernel

SMALL_PART = 4
"""A part that is smaller than what it is joined to by more than this factor is copied if it is needed for longer."""


@dataclass(eq=False, slots=True)
class StoredValue:
    """One operand of a plan.

    base : the operand in whose array it lies, as `view` finds it there; that one may lie in another: see `root`. None
        where it has memory of its own.
    nhwc : whether an image is stored channel-last.
    halo : its border of zeros, for values with memory of their own.
    first, last : the steps between which it must exist, -1 for the network's inputs.
    """

    name: str
    spec: Spec
    first: int
    last: int
    nhwc: bool = False
    halo: Halo = NO_HALO
    base: str | None = None
    view: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def physical(self) -> tuple[int, ...]:
        """The shape of the array that holds it."""
        shape = self.spec.shape
        assert shape is not None
        if not self.nhwc:
            return shape
        n, c, h, w = shape
        return n, self.halo.up + h + self.halo.bottom, self.halo.left + w + self.halo.right, c


@dataclass(eq=False)
class MemoryLayout:
    """Where the values of a plan lie.

    inputs, returned : operand names, in order.
    values : operand name -> StoredValue: where the value lies, not its numbers.
    """

    steps: Sequence[Step]
    specs: Mapping[str, Spec]
    inputs: Sequence[str]
    returned: Sequence[str]
    values: dict[str, StoredValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._collect()
        self._join()
        self._view()
        self._surround()  # needs the bases: what asks for a halo around a view asks it of the view's base
        self._settle()  # needs the halos: whether a reshape is a view depends on the strides of what it reads

    @property
    def roots(self) -> list[StoredValue]:
        """The values that have memory of their own."""
        return [value for value in self.values.values() if value.base is None]

    def root(self, name: str) -> StoredValue:
        """The value in whose memory `name` lies."""
        value = self.values[name]
        while value.base is not None:
            value = self.values[value.base]
        return value

    def hold(self, start: int, stop: int) -> None:
        """Keep all that the steps start..stop read or write alive through all of them: their order is not known."""
        for step in self.steps[start:stop]:
            for name in (*step.reads, *step.writes):
                if name in self.values:
                    root = self.root(name)
                    root.first, root.last = min(root.first, start), max(root.last, stop - 1)

    def allows(self, root: str, array: np.ndarray) -> bool:
        """Whether what lies in a root is a part of it, too, if the root is this array, with other strides."""
        try:
            for name in self.values:
                if self.root(name).name == root:
                    self._one(name, {root: array})
        except NoViewError:
            return False
        return True

    def buffers(self, arrays: Mapping[str, np.ndarray]) -> dict[str, Buffer]:
        """The buffer of every value and constant, given the arrays of the roots."""
        found: dict[str, Buffer] = {}

        def buffer(name: str) -> Buffer:
            if name not in found:
                found[name] = self._place(self.values[name], arrays, buffer)
            return found[name]

        for name in self.values:
            buffer(name)
        for step in self.steps:
            for name in step.reads:
                spec = self.specs[name]
                if spec.constant and spec.shape is not None:
                    found.setdefault(name, Buffer(np.asarray(spec.value)))
        return found

    def _place(self, value: StoredValue, arrays: Mapping[str, np.ndarray], buffer: Callable[[str], Buffer]) -> Buffer:
        if value.base is None:
            array = arrays[value.name]
            return image_buffer(array, value.halo) if value.nhwc else Buffer(array)
        assert value.view is not None
        base = buffer(value.base)
        seen = value.view(base.array)
        if base.padded is None or not keeps_planes(value.view, self.values[value.base].spec):
            return Buffer(seen)
        return Buffer(seen, value.view(base.padded.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1), base.halo)

    def _collect(self) -> None:
        """Every value, its layout and its lifetime."""
        for name in self.inputs:
            self.values[name] = StoredValue(name, self.specs[name], -1, -1)
        for number, step in enumerate(self.steps):
            for name in step.reads:
                if name in self.values:
                    self.values[name].last = number
            for name in step.writes:
                if self.specs[name].shape is not None and not self.specs[name].constant:
                    self.values[name] = StoredValue(name, self.specs[name], number, number)
        for name in self.returned:
            if name in self.values:
                self.values[name].last = len(self.steps)
        for name in self.inputs:
            readers = [(s.kernel, s.reads.index(name)) for s in self.steps if name in s.reads]
            asked = any(kernel.prefers_nhwc(slot) for kernel, slot in readers)
            self.values[name].nhwc = asked and self._is_image(name)
        for step in self.steps:
            layout = step.kernel.output_layout
            first = next((n for n in step.reads if n in self.values), None)
            like = layout == "like input" and first is not None and self.values[first].nhwc
            for name in step.writes:
                if name in self.values:
                    self.values[name].nhwc = (layout == "nhwc" or like) and self._is_image(name)

    def _is_image(self, name: str) -> bool:
        shape = self.specs[name].shape
        return shape is not None and len(shape) == 4

    def _view(self) -> None:
        """Outputs of views lie in their input."""
        for step in self.steps:
            if isinstance(step.kernel, View) and step.reads[0] in self.values:
                for name, view in zip(step.writes, step.kernel.views):
                    self.values[name].base, self.values[name].view = step.reads[0], view

    def _join(self) -> None:
        """Producers of concatenated values write into the concatenation, each value once."""
        made_by = {name: step for step in self.steps for name in step.writes}
        for step in self.steps:
            if not isinstance(step.kernel, Join):
                continue
            target = self.values[step.writes[0]]
            shapes = [self.specs[name].shape or () for name in step.reads]
            for name, part in zip(step.reads, step.kernel.parts(shapes)):
                value, maker = self.values.get(name), made_by.get(name)
                if value is None or maker is None or value.base is not None or value.nhwc != target.nhwc:
                    continue
                if isinstance(maker.kernel, (View, ReshapeKernel)) or step.reads.count(name) > 1:
                    continue
                if value.last > target.last and _size(target) > SMALL_PART * _size(value):
                    continue  # it would keep the whole alive, such as the keys of all tokens for those of the last
                value.base, value.view = target.name, _cut(part)

    def _surround(self) -> None:
        """Halos as wide as the widest that any kernel asks for."""
        for step in self.steps:
            for slot, name in enumerate(step.reads):
                halo = step.kernel.halo(slot)
                if halo is None or name not in self.values:
                    continue
                value = self.values[name]
                while value.base is not None:
                    base = self.values[value.base]
                    if value.view is None or not keeps_planes(value.view, base.spec):
                        break
                    value = base
                if value.base is None and value.nhwc:
                    value.halo |= halo

    def _settle(self) -> None:
        """Reshapes that turn out to be views; then the lifetime of every root covers what lies in it."""
        arrays = {root.name: np.empty(root.physical, root.spec.dtype) for root in self.roots}
        for step in self.steps:
            if not isinstance(step.kernel, ReshapeKernel) or step.reads[0] not in self.values:
                continue
            value = self.values[step.writes[0]]
            if value.base is None and step.kernel.view(self._one(step.reads[0], arrays)) is not None:
                value.base, value.view = step.reads[0], _reshaping(step.kernel)
                value.nhwc, value.halo = False, NO_HALO
        for value in self.values.values():
            root = self.root(value.name)
            root.first, root.last = min(root.first, value.first), max(root.last, value.last)

    def _one(self, name: str, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        value = self.values[name]
        if value.base is None:
            return self._place(value, arrays, lambda _: Buffer(arrays[name])).array
        assert value.view is not None
        return value.view(self._one(value.base, arrays))


class NoViewError(Exception):
    """An array's strides do not allow a reshape without a copy."""


def _size(value: StoredValue) -> int:
    """Elements."""
    return int(np.prod(value.physical))


def keeps_planes(view: Callable[[np.ndarray], np.ndarray], spec: Spec) -> bool:
    """Whether a view of images keeps whole planes (H, W), so that the halo around them stays with them.

    A view that names H or W, such as the rows from 0 to H, does not: it would cut the halo off.
    """
    if spec.shape is None or len(spec.shape) != 4:
        return False
    n, c, height, width = spec.shape
    try:
        return all(_keeps_planes(view, np.empty((n, c, height + k, width + k), spec.dtype)) for k in (0, 1))
    except (KuiperError, ValueError):  # it takes only images of this size
        return False


def _keeps_planes(view: Callable[[np.ndarray], np.ndarray], images: np.ndarray) -> bool:
    plane = images.strides[1]
    seen = view(images)
    away = seen.__array_interface__["data"][0] - images.__array_interface__["data"][0]
    same = seen.ndim == 4 and seen.shape[2:] == images.shape[2:] and seen.strides[2:] == images.strides[2:]
    return same and away % plane == 0


def _cut(part: tuple[int | slice, ...]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: array[part]


def _reshaping(kernel: ReshapeKernel) -> Callable[[np.ndarray], np.ndarray]:
    def view(array: np.ndarray) -> np.ndarray:
        seen = kernel.view(array)
        if seen is None:
            raise NoViewError
        return seen

    return view
