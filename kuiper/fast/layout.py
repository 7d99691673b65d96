"""Layout: which values lie in memory of their own, in what order, with what halo, and which lie inside others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kuiper.errors import KuiperError
from kuiper.fast.alone import image_place
from kuiper.fast.kernel import Join, View
from kuiper.fast.kernels.reshape import Reshape
from kuiper.fast.nodes import Step
from kuiper.fast.place import NO_HALO, Halo, Place, Spec


@dataclass(eq=False)
class Value:
    """One operand of a plan.

    home : the operand in whose memory it lies, with `look`, which finds it there; itself where it has its own.
    pixels : whether an image is stored channel-last.
    halo : its border of zeros, for values with memory of their own.
    first, last : the steps between which it must exist, -1 for the network's inputs.
    """

    name: str
    spec: Spec
    first: int
    last: int
    pixels: bool = False
    halo: Halo = NO_HALO
    home: str | None = None
    look: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def physical(self) -> tuple[int, ...]:
        """The shape of the array that holds it."""
        shape = self.spec.shape
        assert shape is not None
        if not self.pixels:
            return shape
        n, c, h, w = shape
        return n, self.halo.up + h + self.halo.bottom, self.halo.left + w + self.halo.right, c


@dataclass(eq=False)
class Layout:
    """The values of a plan by operand name. `inputs` and `returned` are operand names, in order."""

    steps: Sequence[Step]
    specs: Mapping[str, Spec]
    inputs: Sequence[str]
    returned: Sequence[str]
    values: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._collect()
        self._join()
        self._look()
        self._surround()
        self._settle()

    @property
    def roots(self) -> list[Value]:
        """The values that have memory of their own."""
        return [value for value in self.values.values() if value.home is None]

    def root(self, name: str) -> Value:
        """The value in whose memory `name` lies."""
        value = self.values[name]
        while value.home is not None:
            value = self.values[value.home]
        return value

    def hold(self, start: int, stop: int) -> None:
        """Let all that the steps start..stop read or write live through all of them: their order is not known."""
        for step in self.steps[start:stop]:
            for name in (*step.inputs, *step.outputs):
                if name in self.values:
                    root = self.root(name)
                    root.first, root.last = min(root.first, start), max(root.last, stop - 1)

    def places(self, arrays: Mapping[str, np.ndarray]) -> dict[str, Place]:
        """Where every value lies, given the arrays of the roots. Constants have places too."""
        found: dict[str, Place] = {}

        def place(name: str) -> Place:
            if name not in found:
                found[name] = self._place(self.values[name], arrays, place)
            return found[name]

        for name in self.values:
            place(name)
        for step in self.steps:
            for name in step.inputs:
                spec = self.specs[name]
                if spec.constant and spec.shape is not None:
                    found.setdefault(name, Place(np.asarray(spec.value)))
        return found

    def _place(self, value: Value, arrays: Mapping[str, np.ndarray], place: Callable[[str], Place]) -> Place:
        if value.home is None:
            array = arrays[value.name]
            return image_place(array, value.halo) if value.pixels else Place(array)
        assert value.look is not None
        home = place(value.home)
        seen = value.look(home.array)
        if home.padded is None or not keeps_planes(value.look, self.values[value.home].spec):
            return Place(seen)
        return Place(seen, value.look(home.padded.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1), home.halo)

    def _collect(self) -> None:
        """Every value, how it is stored, and how long it lives."""
        for name in self.inputs:
            self.values[name] = Value(name, self.specs[name], -1, -1)
        for number, step in enumerate(self.steps):
            for name in step.inputs:
                if name in self.values:
                    self.values[name].last = number
            for name in step.outputs:
                if self.specs[name].shape is not None and not self.specs[name].constant:
                    self.values[name] = Value(name, self.specs[name], number, number)
        for name in self.returned:
            if name in self.values:
                self.values[name].last = len(self.steps)
        for name in self.inputs:
            readers = [(s.kernel, s.inputs.index(name)) for s in self.steps if name in s.inputs]
            asked = any(not k.planes and (k.layout == "pixels" or k.halo(slot) is not None) for k, slot in readers)
            self.values[name].pixels = asked and self._is_image(name)
        for step in self.steps:
            layout = step.kernel.layout
            first = next((n for n in step.inputs if n in self.values), None)
            like = layout == "like input" and first is not None and self.values[first].pixels
            for name in step.outputs:
                if name in self.values:
                    self.values[name].pixels = (layout == "pixels" or like) and self._is_image(name)

    def _is_image(self, name: str) -> bool:
        shape = self.specs[name].shape
        return shape is not None and len(shape) == 4

    def _look(self) -> None:
        """Outputs of views lie where their input lies."""
        for step in self.steps:
            if isinstance(step.kernel, View) and step.inputs[0] in self.values:
                for name, look in zip(step.outputs, step.kernel.views):
                    self.values[name].home, self.values[name].look = step.inputs[0], look

    def _join(self) -> None:
        """What is concatenated is written where the concatenation lies, once for each value."""
        made_by = {name: step for step in self.steps for name in step.outputs}
        for step in self.steps:
            if not isinstance(step.kernel, Join):
                continue
            target, start = self.values[step.outputs[0]], 0
            for name in step.inputs:
                shape = self.specs[name].shape
                assert shape is not None
                part = (slice(None),) * step.kernel.axis + (slice(start, start + shape[step.kernel.axis]),)
                start += shape[step.kernel.axis]
                value, maker = self.values.get(name), made_by.get(name)
                if value is None or maker is None or value.home is not None or value.pixels != target.pixels:
                    continue
                if isinstance(maker.kernel, (View, Reshape)) or step.inputs.count(name) > 1:
                    continue
                value.home, value.look = target.name, _cut(part)

    def _surround(self) -> None:
        """Halos as wide as the widest that a kernel asks for."""
        for step in self.steps:
            for slot, name in enumerate(step.inputs):
                halo = step.kernel.halo(slot)
                if halo is None or name not in self.values:
                    continue
                value = self.values[name]
                while value.home is not None:
                    home = self.values[value.home]
                    if value.look is None or not keeps_planes(value.look, home.spec):
                        break
                    value = home
                if value.home is None and value.pixels:
                    value.halo |= halo

    def _settle(self) -> None:
        """Reshapes that turn out to be views; then every root lives as long as what lies in it."""
        arrays = {root.name: np.empty(root.physical, root.spec.dtype) for root in self.roots}
        for step in self.steps:
            if not isinstance(step.kernel, Reshape) or step.inputs[0] not in self.values:
                continue
            value = self.values[step.outputs[0]]
            if value.home is None:
                given = self._one(step.inputs[0], arrays)
                seen = step.kernel.view(given)
                if seen is not None and np.may_share_memory(seen, given):
                    value.home, value.look = step.inputs[0], _reshaping(step.kernel)
                    value.pixels, value.halo = False, NO_HALO
        for value in self.values.values():
            root = self.root(value.name)
            root.first, root.last = min(root.first, value.first), max(root.last, value.last)

    def _one(self, name: str, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        value = self.values[name]
        if value.home is None:
            return self._place(value, arrays, lambda _: Place(arrays[name])).array
        assert value.look is not None
        return value.look(self._one(value.home, arrays))


def keeps_planes(look: Callable[[np.ndarray], np.ndarray], spec: Spec) -> bool:
    """Whether a view of images takes whole planes (H, W) as they are: then their surroundings come with them.

    A view that names H or W, such as the rows from 0 to H, does not: it would cut the surroundings off.
    """
    if spec.shape is None or len(spec.shape) != 4:
        return False
    n, c, height, width = spec.shape
    try:
        return all(_keeps_planes(look, np.empty((n, c, height + k, width + k), spec.dtype)) for k in (0, 1))
    except (KuiperError, ValueError):  # it takes only images of this very size
        return False


def _keeps_planes(look: Callable[[np.ndarray], np.ndarray], images: np.ndarray) -> bool:
    plane = images.strides[1]
    seen = look(images)
    away = seen.__array_interface__["data"][0] - images.__array_interface__["data"][0]
    same = seen.ndim == 4 and seen.shape[2:] == images.shape[2:] and seen.strides[2:] == images.strides[2:]
    return same and away % plane == 0


def _cut(part: tuple[slice, ...]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: array[part]


def _reshaping(kernel: Reshape) -> Callable[[np.ndarray], np.ndarray]:
    def look(array: np.ndarray) -> np.ndarray:
        seen = kernel.view(array)
        assert seen is not None
        return seen

    return look
