"""Machine code of kernels, beyond what `tests/fast` compares: that there is some, and what it does with NaN."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper.fast.kernels
from kuiper.compiled.code import MachineCode, object_of
from kuiper.compiled.kernels import emit
from kuiper.compiled.parts import Module
from kuiper.compiled.passes import text_of
from kuiper.compiled.plan import Stretch
from kuiper.compiled.target import NAMED, Target, host
from kuiper.fast.kernels.base.buffer import Buffer, Spec
from kuiper.fast.kernels.base.kernel import LOWERINGS, Step
from kuiper.graph import Operator
from kuiper.graph.alignment import aligned
from kuiper.layers.elementwise.softmax import LogSoftmax, Softmax
from kuiper.layers.image.adaptive import AdaptiveAvgPool2d, AdaptiveMaxPool2d
from kuiper.layers.image.convolution import ConvTranspose2d
from kuiper.layers.normalization.group_norm import GroupNorm, InstanceNorm
from kuiper.layers.reduction.reduction import Mean
from kuiper.layers.sequence.attention import MultiheadAttention

assert kuiper.fast.kernels


def targets() -> list[Target]:
    """This machine's processor, and as an older one where it can stand in for it."""
    found = host()
    if found is None:
        return []
    return [found, NAMED["avx2"]] if found.triple.startswith("x86_64") else [found]


def numbers(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def laid_out(value: np.ndarray, memory: np.ndarray, channels_last: bool) -> np.ndarray:
    """The value's shape in that memory."""
    there = memory[: value.nbytes].view(np.float32)
    if not channels_last or value.ndim < 3:
        return there.reshape(value.shape)
    n, c, *places = value.shape
    return np.moveaxis(there.reshape(n, *places, c), -1, 1)


def run(
    layer: Any, inputs: Sequence[np.ndarray], target: Target, channels_last: tuple[bool, bool] = (False, False),
    threads: int = 1, constants: Sequence[np.ndarray] = (),
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """What the layer gives, and what its kernel's machine code gives; the inputs end with the constants."""
    expected = layer.forward(*inputs, *constants)
    expected = expected[0] if isinstance(expected, tuple) else expected
    values = [*inputs, expected]
    room = [-(-x.nbytes // 64) * 64 + 64 for x in values]
    arena = aligned(sum(room))
    arena.fill(255)  # NaN
    arrays = []
    for i, x in enumerate(values):
        memory = arena[sum(room[:i]) : sum(room[: i + 1])]
        arrays.append(laid_out(x, memory, channels_last[i == len(inputs)]))
    for array, x in zip(arrays, inputs):
        array[...] = x
    specs = [Spec(x.shape, x.dtype) for x in values]
    known = [Spec(x.shape, x.dtype, True, x) for x in constants]
    kernel = LOWERINGS[type(layer)](Step([Operator("test", "here", layer=layer)], [*specs[:-1], *known], specs[-1:]))
    assert kernel is not None
    module = Module(target, arena, threads)
    assert emit(module, kernel, [Buffer(x) for x in (*arrays[:-1], *constants)], [Buffer(arrays[-1])]), (
        "there is no code for it"
    )
    code = MachineCode(object_of(text_of(module), target), target)
    scratch = aligned(module.scratch_bytes + 64)
    scratch.fill(255)
    stretch = Stretch(code, 0, len(module.parts), arena, module.outside(), scratch, threads)
    for ask in [None] if threads == 1 else [None, helped]:
        arrays[-1][...] = -123
        stretch.run(ask)
    return expected, arrays[-1]


def helped(calls: Sequence[Callable[[], None]]) -> None:
    """What a crew does, by threads that begin at once and are not waited for."""
    for call in calls:
        threading.Thread(target=call).start()


WAYS = list(product([False, True], repeat=2))
on_targets = pytest.mark.parametrize("target", targets(), ids=lambda target: f"{target.lanes} lanes")


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("groups", "shape"), [(2, (2, 6, 5, 7)), (1, (1, 33, 3, 3)), (4, (3, 64, 2, 9)),
                                               (3, (2, 9, 40)), (7, (2, 35)), (2, (1, 4, 2, 3, 3))])  # fmt: skip
def test_groups_of_channels(target: Target, way: tuple[bool, bool], groups: int, shape: tuple[int, ...]) -> None:
    channels = shape[1]
    for layer in (
        GroupNorm(groups, numbers(1, channels), numbers(2, channels), 1e-5),
        GroupNorm(groups, None, None, 1e-3),
    ):
        expected, found = run(layer, [3 * numbers(0, *shape) + np.float32(5)], target, way, threads=2)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@on_targets
@pytest.mark.parametrize("way", WAYS)
def test_channels_by_themselves(target: Target, way: tuple[bool, bool]) -> None:
    expected, found = run(
        InstanceNorm(weight=numbers(1, 19), bias=numbers(2, 19)), [numbers(0, 2, 19, 6, 5)], target, way
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_spoils_its_group_and_no_other(target: Target, way: tuple[bool, bool], value: float) -> None:
    x = numbers(0, 2, 6, 5, 7)
    x[1, 2, 3, 4] = value
    with np.errstate(all="ignore"):
        expected, found = run(GroupNorm(2, None, None, 1e-5), [x], target, way)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert np.isnan(found).sum() == 3 * 5 * 7


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("way", [(False, False), (True, True)])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (-1,), (2, 3), (0, 2), (1, 3), (1, 2, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_means_over_other_axes(target: Target, way: tuple[bool, bool], axes: tuple[int, ...], keepdim: bool) -> None:
    x = numbers(0, 3, 21, 4, 37)
    x[2, 1, 3, 30], x[0, 5, 1, 2] = np.nan, np.inf
    expected, found = run(Mean(axes, keepdim), [x], target, way, threads=2)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [AdaptiveAvgPool2d, AdaptiveMaxPool2d])
@pytest.mark.parametrize(
    ("shape", "size"),
    [((2, 37, 11, 13), (4, 5)), ((1, 16, 5, 40), (3, 17)), ((1, 3, 7, 7), (9, 2)), ((1, 1, 6, 5), (4, 3))],
)
def test_windows_that_differ_in_size(target: Target, kind: Any, shape: tuple[int, ...], size: tuple[int, int]) -> None:
    x = numbers(0, *shape)
    x[0, 0, 2, 3], x[0, 0, 4, 1] = np.nan, -np.inf
    expected, found = run(kind(size), [x], target, (True, True), threads=2)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ((3, 3), {"stride": (2, 2), "padding": (1, 1), "output_padding": (1, 1)}),
        ((2, 3), {"stride": (3, 2), "dilation": (2, 3)}),
        ((1, 1), {"stride": (2, 3), "output_padding": (1, 2)}),
        ((2, 2), {"stride": (2, 2), "dilation": (2, 4), "padding": (1, 2)}),
        ((5, 4), {"stride": (3, 2), "padding": (4, 0)}),
    ],
)
@pytest.mark.parametrize(("channels", "out"), [(5, 37), (16, 3)])
def test_transposed_convolutions_of_any_stride_and_dilation(
    target: Target, kernel: tuple[int, int], options: dict[str, Any], channels: int, out: int
) -> None:
    x = numbers(0, 2, channels, 5, 6)
    x[1, 2, 3, 4] = np.nan
    layer = ConvTranspose2d(numbers(1, channels, out, *kernel), numbers(2, out), **options)
    expected, found = run(layer, [x], target, (True, True), threads=2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@on_targets
def test_a_transposed_convolution_whose_outputs_no_input_reaches(target: Target) -> None:
    layer = ConvTranspose2d(numbers(1, 3, 5, 1, 1), numbers(2, 5), stride=(3, 3), padding=(1, 1))
    expected, found = run(layer, [numbers(0, 1, 3, 2, 2)], target, (True, True))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize(
    ("shape", "heads", "options"),
    [
        ((2, 17, 24), 3, {"batch_first": True}),
        ((9, 2, 40), 5, {}),
        ((7, 8), 1, {}),
        ((3, 1, 32), 2, {"batch_first": True}),
    ],
)
def test_heads_between_their_projections(
    target: Target, shape: tuple[int, ...], heads: int, options: dict[str, Any]
) -> None:
    size = shape[-1]
    weights = {"in_proj_weight": numbers(1, 3 * size, size) / size**0.5, "in_proj_bias": numbers(2, 3 * size)}
    layer = MultiheadAttention(size, heads, numbers(3, size, size) / size**0.5, numbers(4, size), **weights, **options)
    layer.returns = ("output",)
    expected, found = run(layer, [numbers(0, *shape)], target, threads=2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [bool, np.float32])
def test_heads_with_a_constant_mask(target: Target, kind: type) -> None:
    hidden = np.triu(np.ones((9, 9), bool), 1)
    hidden[3] = True  # sees nothing
    mask = hidden if kind is bool else np.where(hidden, np.float32(-np.inf), numbers(1, 9, 9))
    layer = MultiheadAttention(12, 3, numbers(1, 12, 12), in_proj_weight=numbers(2, 36, 12), batch_first=True)
    layer.roles, layer.returns = ("query", "attn_mask"), ("output",)
    expected, found = run(layer, [numbers(0, 2, 9, 12)], target, constants=[mask])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.slow
@on_targets
@pytest.mark.parametrize("kind", [Softmax, LogSoftmax])
@pytest.mark.parametrize(
    ("shape", "axis", "channels_last"),
    [((2, 7, 5, 21), 1, False), ((2, 7, 5, 21), 2, True), ((3, 40), 0, False), ((2, 16, 3, 33), 3, True)],
)
def test_softmax_across_what_lies_side_by_side(
    target: Target, kind: Any, shape: tuple[int, ...], axis: int, channels_last: bool
) -> None:
    x = 5 * numbers(0, *shape)
    x.reshape(-1)[[3, 50]] = np.nan, -np.inf
    expected, found = run(kind(axis), [x], target, (channels_last, channels_last), threads=2)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6)
