"""What the tests of kernels share: a layer's kernel run beside the layer, its arrays laid out in every way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kuiper.fast.kernels  # noqa: F401
from kuiper.fast.alone import image_place
from kuiper.fast.kernel import LOWERINGS, Kernel, Node
from kuiper.fast.place import Halo, Place, Spec
from kuiper.fast.workspace import Workspace
from kuiper.runtime import RuntimeOperator

LAYOUTS = ("plain", "pixels", "halo", "wide", "wide plain")
"""Row by row; channel-last; that with a border of zeros; and both as a slice of an array with more channels."""


def spec_of(value: Any, constant: bool = False) -> Spec:
    """What a plan would know of an input."""
    if isinstance(value, np.ndarray):
        return Spec(value.shape, value.dtype, constant, value if constant else None)
    return Spec(None, None, True, value)


def node_of(layer: Any, inputs: Sequence[Any], results: Sequence[np.ndarray]) -> Node:
    """The operator with this layer; what is no array among the inputs is a constant."""
    return Node(
        RuntimeOperator("here", type(layer).__name__, layer=layer),
        [spec_of(x) for x in inputs],
        [spec_of(y) for y in results],
    )


def results_of(layer: Any, inputs: Sequence[Any]) -> list[np.ndarray]:
    """The simple layer's outputs."""
    result = layer.forward(*inputs)
    return list(result) if isinstance(result, tuple) else [result]


def lower(layer: Any, *inputs: Any) -> Kernel | None:
    """The layer's kernel for these inputs, or None."""
    return LOWERINGS[type(layer)](node_of(layer, inputs, results_of(layer, inputs)))


def place_in(value: np.ndarray, layout: str) -> tuple[Place, np.ndarray]:
    """The value laid out so, and the whole array in which it lies."""
    if value.ndim != 4 or layout in ("plain", "wide plain"):
        around = 3 if layout.startswith("wide") and value.ndim else 0
        whole = np.full((*value.shape[:-1], value.shape[-1] + around) if value.ndim else (), 77, value.dtype)
        array = whole[..., 1 : 1 + value.shape[-1]] if around else whole
        array[...] = value
        return Place(array), whole
    n, c, h, w = value.shape
    halo = Halo(1, 2, 3, 1) if layout == "halo" else Halo()
    extra = 5 if layout == "wide" else 0
    whole = np.full((n, h + halo.up + halo.bottom, w + halo.left + halo.right, c + extra), 77, value.dtype)
    padded = whole[..., 2 : 2 + c] if extra else whole
    padded[...] = 0
    place = image_place(padded, halo)
    place.array[...] = value
    return place, whole


@dataclass
class Bound:
    """A kernel with its places; `run` gives copies of its outputs."""

    kernel: Kernel
    inputs: list[Place]
    outputs: list[Place]
    stages: list[list[list[Callable[[], object]]]]

    def run(self) -> list[np.ndarray]:
        """Spoil the outputs, compute, and check that nothing around the outputs and none of the inputs changed."""
        before = [place.array.copy() for place in self.inputs]
        for place in self.outputs:
            place.array[...] = -123
        around = [whole(place).copy() for place in self.outputs]
        for stage in self.stages:
            for lane in stage:
                for call in lane:
                    call()
        for place, old in zip(self.inputs, before):
            np.testing.assert_array_equal(place.array, old)
        results = [place.array.copy() for place in self.outputs]
        for place, old in zip(self.outputs, around):
            place.array[...] = -123
            np.testing.assert_array_equal(whole(place), old)
        return results


def whole(place: Place) -> np.ndarray:
    """The array that a place was cut from, its halo and what else lies beside it."""
    array: np.ndarray = place.array
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def bound(kernel: Kernel, inputs: Sequence[Any], results: Sequence[np.ndarray], layouts: Sequence[str], lanes: int):
    """`kernel` with its first input and its outputs laid out as `layouts` says, its scratch as a plan would give it."""
    places = [place_in(x, layouts[0])[0] for x in inputs if isinstance(x, np.ndarray)]
    outputs = [place_in(np.zeros_like(y), layouts[1])[0] for y in results]
    space = Workspace(lanes)
    kernel.bind(places, outputs, space)
    return Bound(kernel, places, outputs, kernel.bind(places, outputs, space.settled()))


@pytest.fixture(scope="session")
def beside() -> Callable[..., Kernel]:
    """beside(layer, *inputs, layouts, lanes): the kernel, once it has given twice what the layer gives."""

    def compare(
        layer: Any,
        *inputs: Any,
        layouts: Sequence[str] = ("pixels", "pixels"),
        lanes: int = 1,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        kernel: Kernel | None = None,
    ) -> Kernel:
        expected = results_of(layer, inputs)
        kernel = kernel or LOWERINGS[type(layer)](node_of(layer, inputs, expected))
        assert kernel is not None, f"no kernel for {type(layer).__name__}"
        ready = bound(kernel, inputs, expected, layouts, lanes)
        first, second = ready.run(), ready.run()
        for y, again, wanted in zip(first, second, expected, strict=True):
            assert (y.shape, y.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_array_equal(y, again)
            np.testing.assert_allclose(y, wanted, rtol=rtol, atol=atol)
        return kernel

    return compare


@pytest.fixture(scope="session")
def lowered() -> Callable[..., Kernel | None]:
    """lowered(layer, *inputs): its kernel, or None."""
    return lower


@pytest.fixture(scope="session")
def layouts() -> tuple[str, ...]:
    """Every way in which the arrays of `beside` can lie."""
    return LAYOUTS
