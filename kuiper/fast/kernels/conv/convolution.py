"""Convolution: what its algorithms share, and which of them can compute a given shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import ClassVar

import numpy as np

from kuiper.fast.kernels.base.buffer import Buffer, Halo
from kuiper.fast.kernels.base.calls import Index, Stage, copy
from kuiper.fast.kernels.base.kernel import Epilogue, Kernel, Step, lowers
from kuiper.fast.kernels.base.samples import always
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.layers.image.convolution import Conv2d

FEW_CHANNELS = 4
"""Channel count at or below which NCHW is faster."""


@dataclass(eq=False)
class Problem:
    """One convolution of known shapes: (N, C, H, W) -> (N, O, OH, OW), and its weights (O, C/groups, kh, kw)."""

    batch: int
    channels: int
    size: tuple[int, int]
    out_channels: int
    out_size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pads: Halo
    groups: int
    weight: np.ndarray = field(repr=False)
    packs: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def flops(self) -> float:
        """Multiplications and additions."""
        return 2.0 * self.batch * prod(self.out_size) * self.weight.size

    @property
    def key(self) -> str:
        """The shape and options in one line.

        For instance "1x64x56x56 o64 k3x3 s1x1 d1x1 p1,1,1,1 g1".
        """

        def by(pair: Sequence[int]) -> str:
            return "x".join(map(str, pair))

        shape = by((self.batch, self.channels, *self.size))
        options = f"k{by(self.kernel)} s{by(self.stride)} d{by(self.dilation)} p{','.join(map(str, self.pads))}"
        return f"{shape} o{self.out_channels} {options} g{self.groups}"

    def packed(self, name: str, pack: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The weights, repacked once."""
        if name not in self.packs:
            self.packs[name] = np.ascontiguousarray(pack(self.weight), np.float32)
        return self.packs[name]


class Convolution(Kernel):
    """A convolution; as it is, its algorithm is still to be chosen: each Algorithm is a subclass."""

    output_layout = "nhwc"
    epilogue: Epilogue
    by_sample = always

    def __init__(self, problem: Problem, epilogue: Epilogue) -> None:
        self.problem, self.epilogue = problem, epilogue

    def fold(self, factor: np.ndarray, shift: np.ndarray) -> bool:
        """Into the weights and the bias."""
        self.problem.weight = self.problem.weight * factor.reshape(-1, 1, 1, 1)
        self.epilogue.fold(factor, shift)
        return True

    def halo(self, slot: int) -> Halo | None:
        """The padding, around the image."""
        return self.problem.pads if slot == 0 else None

    @property
    def key(self) -> str:
        """The shape and options, and whether a residual is added."""
        return f"convolution {self.problem.key}{' residual' if self.epilogue.residual else ''}"

    def candidates(self) -> Sequence[Kernel]:
        """Every algorithm that can compute this: those of this folder, which are known once imported."""
        found = [
            algorithm(self.problem, self.epilogue, **options)
            for algorithm in Algorithm.known
            for options in algorithm.variants(self.problem)
        ]
        assert found, f"no algorithm for {self.problem.key}"
        return found


class Algorithm(Convolution):
    """One way to compute a convolution."""

    known: ClassVar[list[type[Algorithm]]] = []

    def __init_subclass__(cls) -> None:
        Algorithm.known.append(cls)

    def __init__(self, problem: Problem, epilogue: Epilogue, **options: object) -> None:
        super().__init__(problem, epilogue)
        self.options = options

    @classmethod
    def variants(cls, problem: Problem) -> list[dict[str, object]]:
        """The options worth timing; none where the algorithm does not apply."""
        raise NotImplementedError(f"{cls.__name__}.variants")

    @property
    def name(self) -> str:
        """For instance "Im2col(split=rows)"."""
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{super().name}({options})"

    def candidates(self) -> Sequence[Kernel]:
        """Only this one: it has been chosen."""
        return [self]

    def image(self, buffer: Buffer, space: Workspace) -> tuple[np.ndarray, list[Stage]]:
        """The input channel-last with its halo, and the stages that copy it there if it is stored differently."""
        halo = self.halo(0)
        assert halo is not None
        return padded_image(buffer, halo, space)


def padded_image(buffer: Buffer, halo: Halo, space: Workspace) -> tuple[np.ndarray, list[Stage]]:
    """The image channel-last with this halo, and the stages that copy it there if it is stored differently."""
    lying = buffer.around(halo)
    if lying is not None:
        return lying, []
    n, c, h, w = buffer.array.shape
    padded = space.shared((n, halo.up + h + halo.bottom, halo.left + w + halo.right, c))
    inside = padded[:, halo.up : halo.up + h, halo.left : halo.left + w]
    return padded, [within_zeros(buffer.nhwc, padded, inside)]


def within_zeros(source: np.ndarray, padded: np.ndarray, inside: np.ndarray) -> Stage:
    """inside = source, and zeros in the rest of `padded`, of which `inside` is a view."""
    return [[partial(padded.fill, 0), copy(source, inside)]]


def part_of(residual: np.ndarray | None, part: Index) -> np.ndarray | None:
    """The part of a residual that is added to a part of the output; None where there is no residual."""
    return None if residual is None else residual[part]


def rows_as_matrix(pixels: np.ndarray) -> np.ndarray | None:
    """(..., C) as a matrix (pixels, C) in the same memory; None where that takes a copy.

    >>> pixels = np.zeros((2, 5, 6, 4))
    >>> rows_as_matrix(pixels[:, :, :, 1:3]).shape, rows_as_matrix(pixels[:, :, 1:]) is None
    ((60, 2), True)
    """
    *extents, channels = pixels.shape
    step = pixels.strides[-2]
    expected = step
    for extent, stride in zip(reversed(extents), reversed(pixels.strides[:-1])):
        if extent > 1 and stride != expected:
            return None
        expected = stride * extent if extent > 1 else expected * extent
    return np.lib.stride_tricks.as_strided(pixels, (prod(extents), channels), (step, pixels.strides[-1]))


@lowers(Conv2d)
def convolution(step: Step) -> Kernel | None:
    """float32 images, padded with zeros if at all."""
    layer: Conv2d = step.layer
    x, y = step.inputs[0], step.outputs[0]
    plain = layer.padding_mode == "zeros" or not any(layer.pads)
    if not (plain and x.is_float and y.is_float and x.shape is not None and y.shape is not None):
        return None
    if len(step.inputs) != 1 or len(x.shape) != 4 or x.constant or layer.weight.dtype != np.float32:
        return None
    pads = Halo(*layer.pads)
    (kh, kw), (sh, sw), (dh, dw) = layer.kernel_size, layer.stride, layer.dilation
    problem = Problem(
        batch=x.shape[0],
        channels=x.shape[1],
        size=(x.shape[2], x.shape[3]),
        out_channels=y.shape[1],
        out_size=(y.shape[2], y.shape[3]),
        kernel=(kh, kw),
        stride=(sh, sw),
        dilation=(dh, dw),
        pads=pads,
        groups=layer.groups,
        weight=layer.weight,
        packs=step.packs,
    )
    return Convolution(problem, Epilogue(None if layer.bias is None else layer.bias.astype(np.float32)))
