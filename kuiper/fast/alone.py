"""One kernel by itself, outside any plan: to time the candidates for a shape, and to test kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kuiper.fast.kernel import Kernel, Stage
from kuiper.fast.place import Halo, Place, Spec
from kuiper.fast.workspace import Workspace


@dataclass(frozen=True)
class Alone:
    """A kernel bound to arrays of its own."""

    inputs: list[Place]
    outputs: list[Place]
    stages: list[Stage]

    def run(self) -> None:
        """One pass, lane by lane on this thread."""
        for stage in self.stages:
            for lane in stage:
                for call in lane:
                    call()


def bind_alone(kernel: Kernel, inputs: Sequence[Spec], outputs: Sequence[Spec], lanes: int = 1) -> Alone:
    """`kernel` bound to places that are laid out as it asks: inputs hold their constant value, or small numbers."""
    places = [place_for(spec, kernel.halo(slot)) for slot, spec in enumerate(inputs)]
    for spec, place in zip(inputs, places):
        place.array[...] = spec.value if spec.constant else np.linspace(-1, 1, place.array.size).reshape(spec.shape)
    pixels = kernel.layout == "pixels" or (kernel.layout == "like input" and places[0].padded is not None)
    results = [place_for(spec, Halo() if pixels and len(spec.shape or ()) == 4 else None) for spec in outputs]
    space = Workspace(lanes)
    kernel.bind(places, results, space)
    settled = space.settled()
    return Alone(places, results, kernel.bind(places, results, settled))


def place_for(spec: Spec, halo: Halo | None) -> Place:
    """A place of its own for a value, zeros in it: channel-last with a halo, or row by row."""
    assert spec.shape is not None
    if halo is None or len(spec.shape) != 4:
        return Place(np.zeros(spec.shape, spec.dtype))
    n, c, h, w = spec.shape
    return image_place(np.zeros((n, halo.up + h + halo.bottom, halo.left + w + halo.right, c), spec.dtype), halo)


def image_place(padded: np.ndarray, halo: Halo) -> Place:
    """The place of an image whose channel-last array with halo is `padded`."""
    _, height, width, _ = padded.shape
    inside = padded[:, halo.up : height - halo.bottom, halo.left : width - halo.right]
    return Place(inside.transpose(0, 3, 1, 2), padded, halo)
