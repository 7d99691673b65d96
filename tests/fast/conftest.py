"""What the tests of kernels share: a layer's kernel run beside the layer, its arrays laid out in every way."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import kuiper.fast.kernels
from kuiper.compiled import llvm
from kuiper.fast.kernels.base.buffer import Buffer, Halo, Spec, image_buffer
from kuiper.fast.kernels.base.kernel import LOWERINGS, Kernel, Step
from kuiper.fast.kernels.base.workspace import Workspace
from kuiper.graph import Operator
from kuiper.graph.alignment import aligned

assert kuiper.fast.kernels
LAYOUTS = ("nchw", "nhwc", "halo", "wide", "wide nchw")
"""Row by row; channel-last; that with a border of zeros; and both as a slice of an array with more channels."""


def spec_of(value: Any, constant: bool = False) -> Spec:
    """What a plan would know of an input."""
    if isinstance(value, np.ndarray):
        return Spec(value.shape, value.dtype, constant, value if constant else None)
    return Spec(None, None, True, value)


def step_of(layer: Any, inputs: Sequence[Any], results: Sequence[np.ndarray]) -> Step:
    """The operator with this layer; what is no array among the inputs is a constant."""
    operator = Operator(type(layer).__name__, "here", layer=layer)
    return Step([operator], [spec_of(x) for x in inputs], [spec_of(y) for y in results])


def results_of(layer: Any, inputs: Sequence[Any]) -> list[np.ndarray]:
    """The layer's outputs."""
    result = layer.forward(*inputs)
    return list(result) if isinstance(result, tuple) else [result]


def lower(layer: Any, *inputs: Any) -> Kernel | None:
    """The layer's kernel for these inputs, or None."""
    return LOWERINGS[type(layer)](step_of(layer, inputs, results_of(layer, inputs)))


def buffer_in(value: np.ndarray, layout: str) -> tuple[Buffer, np.ndarray]:
    """The value laid out so, and the whole array in which it lies."""
    if value.ndim != 4 or layout in ("nchw", "wide nchw"):
        around = 3 if layout.startswith("wide") and value.ndim else 0
        whole = np.full((*value.shape[:-1], value.shape[-1] + around) if value.ndim else (), 77, value.dtype)
        array = whole[..., 1 : 1 + value.shape[-1]] if around else whole
        array[...] = value
        return Buffer(array), whole
    n, c, h, w = value.shape
    halo = Halo(1, 2, 3, 1) if layout == "halo" else Halo()
    extra = 5 if layout == "wide" else 0
    whole = np.full((n, h + halo.up + halo.bottom, w + halo.left + halo.right, c + extra), 77, value.dtype)
    padded = whole[..., 2 : 2 + c] if extra else whole
    padded[...] = 0
    buffer = image_buffer(padded, halo)
    buffer.array[...] = value
    return buffer, whole


@dataclass
class Bound:
    """A kernel with its buffers; `run` gives copies of its outputs."""

    kernel: Kernel
    inputs: list[Buffer]
    outputs: list[Buffer]
    stages: list[list[list[Callable[[], object]]]]

    def run(self) -> list[np.ndarray]:
        """Spoil the outputs, compute, and check that nothing around the outputs and none of the inputs changed."""
        before = [buffer.array.copy() for buffer in self.inputs]
        for buffer in self.outputs:
            buffer.array[...] = -123
        around = [whole(buffer).copy() for buffer in self.outputs]
        for stage in self.stages:
            for thread in stage:
                for call in thread:
                    call()
        for buffer, old in zip(self.inputs, before):
            np.testing.assert_array_equal(buffer.array, old)
        results = [buffer.array.copy() for buffer in self.outputs]
        for buffer, old in zip(self.outputs, around):
            buffer.array[...] = -123
            np.testing.assert_array_equal(whole(buffer), old)
        return results


def whole(buffer: Buffer) -> np.ndarray:
    """The array that a buffer was cut from, its halo and what else lies beside it."""
    array: np.ndarray = buffer.array
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def bound(kernel: Kernel, inputs: Sequence[Any], results: Sequence[np.ndarray], layouts: Sequence[str], threads: int):
    """`kernel` with its inputs and its outputs laid out as `layouts` says, its scratch as a plan would give it."""
    buffers = [buffer_in(x, layouts[0])[0] for x in inputs if isinstance(x, np.ndarray)]
    outputs = [buffer_in(np.zeros_like(y), layouts[1])[0] for y in results]
    space = Workspace(threads)
    kernel.bind(buffers, outputs, space)
    return Bound(kernel, buffers, outputs, kernel.bind(buffers, outputs, space.settled()))


def compiled(made: Bound) -> Bound | None:
    """The same as machine code, on copies of its arrays in one piece of memory; None where there is no code for it.

    Some cases get code for this processor, others for an older one that it can stand in for, always the same ones.
    """
    from kuiper.compiled.code import MachineCode, object_of
    from kuiper.compiled.kernels import emit
    from kuiper.compiled.parts import Module
    from kuiper.compiled.passes import text_of
    from kuiper.compiled.plan import Stretch
    from kuiper.compiled.target import NAMED, host

    target = host()
    if target is None:
        return None
    buffers = [*made.inputs, *made.outputs]
    if (
        target.triple.startswith("x86_64")
        and zlib.crc32(repr([each.array.shape for each in buffers]).encode()) % 3 == 0
    ):
        target = replace(NAMED["avx2"], triple=target.triple)
    sizes = [-(-whole(buffer).nbytes // 64) * 64 + 64 for buffer in buffers]
    arena = aligned(sum(sizes))
    moved = [moved_to(buffer, arena[sum(sizes[:i]) : sum(sizes[: i + 1])]) for i, buffer in enumerate(buffers)]
    module = Module(target, arena, threads=2)
    inputs, outputs = moved[: len(made.inputs)], moved[len(made.inputs) :]
    if not emit(module, made.kernel, inputs, outputs):
        assert not module.parts, "refused after parts were added"
        return None
    module.settle()
    code = MachineCode(object_of(text_of(module), target), target)
    scratch = aligned(module.scratch_bytes + 64)
    stretch = Stretch(code, 0, len(module.parts), arena, module.outside(), scratch, 2)
    return Bound(made.kernel, inputs, outputs, [[[lambda: stretch.run(None)]], [[lambda: stretch.run(helped)]]])


def helped(calls: Sequence[Callable[[], None]]) -> None:
    """What a crew does, by threads that begin at once and are not waited for."""
    for call in calls:
        threading.Thread(target=call).start()


def moved_to(buffer: Buffer, memory: np.ndarray) -> Buffer:
    """A buffer of the same strides and numbers in other memory, with all that lies beside it."""
    base = whole(buffer)
    there = memory[: base.nbytes].view(base.dtype).reshape(base.shape)
    there[...] = base

    def like(array: np.ndarray | None) -> Any:
        if array is None:
            return None
        away = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        start = memory[away:].view(base.dtype) if array.size else there.reshape(-1)
        return np.lib.stride_tricks.as_strided(start, array.shape, array.strides)

    return Buffer(like(buffer.array), like(buffer.padded), buffer.halo)


@pytest.fixture(scope="session")
def beside(request: pytest.FixtureRequest) -> Callable[..., Kernel]:
    """beside(layer, *inputs, layouts, threads): the kernel, once it has given twice what the layer gives.

    With --all the same is asked of its machine code, where there is some; it is the same for any number of threads.
    """
    code_too = request.config.getoption("--all") and llvm.installed()

    def compare(
        layer: Any,
        *inputs: Any,
        layouts: Sequence[str] = ("nhwc", "nhwc"),
        threads: int = 1,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        kernel: Kernel | None = None,
    ) -> Kernel:
        expected = results_of(layer, inputs)
        kernel = kernel or LOWERINGS[type(layer)](step_of(layer, inputs, expected))
        assert kernel is not None, f"no kernel for {type(layer).__name__}"
        ready = bound(kernel, inputs, expected, layouts, threads)
        for made in [ready, compiled(ready)] if code_too and threads == 1 else [ready]:
            if made is None:
                continue
            first, second = made.run(), made.run()
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


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kernel uses all threads, however little there is to do."""
    monkeypatch.setattr("kuiper.fast.kernels.base.workspace.WORTH_FORKING", -1.0)


@pytest.fixture(scope="session")
def untimed() -> Callable[..., Any]:
    """untimed(patch, seed=None): the first candidate is taken, or some; nothing is timed, no file read or written."""

    def take(patch: pytest.MonkeyPatch, seed: int | None = None) -> None:
        rng = np.random.default_rng(seed)

        def some(candidates: Sequence[Kernel], *_: Any) -> Kernel:
            known = [each for each in candidates if not each.name.startswith("Compiled")]  # takes seconds
            return known[0 if seed is None else int(rng.integers(len(known)))]

        def some_plan(plans: dict[str, Any], _: Any) -> str:
            return list(plans)[0 if seed is None else int(rng.integers(len(plans)))]

        patch.setattr("kuiper.fast.tuning.choices.fastest", some)
        patch.setattr("kuiper.fast.plan.planner.fastest_of", some_plan)
        patch.setattr("kuiper.fast.plan.branches.WORTH_IT", -1.0 if seed else 1e9)
        patch.setattr("kuiper.fast.tuning.choices.default_file", lambda: None)

    return take
