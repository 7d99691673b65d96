"""Convolutions around a depthwise one, computed in bands of rows: beside the layers, and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

import kuiper
from kuiper.compiled import executor
from kuiper.compiled.kernels import chains
from kuiper.compiled.kernels.chains import Bands, Chain, bands_of
from kuiper.compiled.plan import CompiledPlan
from kuiper.compiled.target import NAMED, Target, host
from kuiper.fast.kernels.base.buffer import Halo
from kuiper.fast.kernels.conv.convolution import Problem

pytestmark = pytest.mark.skipif(host() is None, reason="machine code is not made for this processor")
ACTIVATIONS = {"relu": "nn.ReLU", "relu6": "nn.ReLU6", "hardswish": "nn.Hardswish"}


def targets() -> dict[str, Target]:
    """This machine's processor, and as an older one where it can stand in for it."""
    found = host()
    if found is None:
        return {}
    x86 = found.triple.startswith("x86_64")
    return {"host": found} | ({"avx2": replace(NAMED["avx2"], triple=found.triple)} if x86 else {})


def chain_of(plan: CompiledPlan) -> Chain | None:
    """The plan's only chain."""
    found = [step.kernel for step in plan.steps if isinstance(step.kernel, Chain)]
    assert len(found) <= 1
    return found[0] if found else None


class Pair:
    """A network on the layers, and as machine code with its chain in these bands, whether that pays or not."""

    def __init__(
        self, patch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any, target: Target, threads: int,
        bands: Bands | None,
    ) -> None:  # fmt: skip
        patch.setattr(executor, "target_of_host", lambda: (target, ""))
        if bands is not None:
            patch.setattr(chains, "bands_of", lambda *_: bands)
            patch.setattr(chains, "winograd_pays", lambda _: False)
        self.layers, self.code = load(net, engine="simple"), load(net, engine="compiled", threads=threads)

    def run(self, x: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What both give; machine code at its second pass, with memory as the first left it."""
        self.code(x)
        return self.layers(x), self.code(x)

    @property
    def plan(self) -> CompiledPlan:
        """The compiled plan."""
        (plan,) = self.code.executor._compiled.values()
        return plan


def block(
    net: Any, channels: int, wide: int, out: int, kernel: int, stride: int, activation: str | None, residual: bool,
    first: int | None = 1, last: bool = True, dilation: int = 1, size: tuple[int, int] = (-1, -1), batch: int = -1,
) -> Any:  # fmt: skip
    """Convolution (`first`: its kernel size), depthwise convolution, 1x1 convolution, each of which may be missing."""

    def active(x: str) -> str:
        return net.op(ACTIVATIONS[activation], x) if activation else x

    x = before = net.input(batch, channels if first else wide, *size)
    if first:
        x = active(net.conv(x, channels, wide, first, padding=[first // 2] * 2, stride=[1, 1]))
    pads = dilation * (kernel // 2)
    x = net.conv(x, wide, wide, kernel, groups=wide, padding=[pads] * 2, stride=[stride] * 2, dilation=[dilation] * 2)
    x = active(x) if last or not residual else x  # an addition after the activation would be a step of its own
    if last:
        x = net.conv(x, wide, out, 1)
    if residual:
        x = net.expression("add(@0,@1)", x, before)
    net.returns(x)
    return net


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_bands_give_what_the_layers_give(
    load: Callable[..., Any], net: Any, near: Any, poison: Any, data: st.DataObject
) -> None:
    def draw(name: str, *values: Any) -> Any:
        return data.draw(st.sampled_from(values), name)

    channels, wide = draw("channels", 1, 3, 8, 17, 32), draw("wide", 2, 9, 16, 33, 40)
    kernel, stride, dilation = draw("kernel", 3, 5), draw("stride", 1, 2), draw("dilation", 1, 1, 2)
    height, width, batch = data.draw(st.integers(1, 19)), data.draw(st.integers(1, 19)), draw("batch", 1, 3)
    first, last = draw("ends", (1, True), (3, True), (1, False), (None, True))
    residual = stride == 1 and draw("residual", True, False)
    out = (channels if first else wide) if residual else draw("out", 1, 15, 24, 32)
    if residual and not last:
        wide = channels = max(channels, 2)
    made = block(net(data.draw(st.integers(0, 99))), channels, wide, out, kernel, stride,
                 draw("activation", None, *ACTIVATIONS), residual, first, last, dilation)  # fmt: skip
    rows = -(-height // stride)
    bands = Bands(data.draw(st.integers(1, rows), "rows"), 1)
    bands = Bands(bands.rows, data.draw(st.integers(1, -(-rows // bands.rows)), "strips"))
    x = made.numbers(batch, channels if first else wide, height, width)
    with pytest.MonkeyPatch.context() as patch:
        poison(patch)
        pair = Pair(patch, load, made, targets()[draw("target", *targets())], draw("threads", 1, 2), bands)
        expected, found = pair.run(x)
        near(found, expected, 1e-5)
        assert chain_of(pair.plan) is not None, "its convolutions are one step"
        assert len(pair.plan.steps) == 1
        assert all(pair.plan.compiled)


@pytest.mark.parametrize("target", targets().values(), ids=targets())
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_goes_where_the_windows_take_it(
    monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any, target: Target, value: float
) -> None:
    made = block(net(3), 4, 20, 4, 3, 1, "relu6", True)
    x = made.numbers(2, 4, 9, 8)
    x[1, 2, 4, 3] = value
    with np.errstate(all="ignore"):
        (expected,), (found,) = Pair(monkeypatch, load, made, target, 2, Bands(2, 2)).run(x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    spoilt = ~np.isfinite(expected)
    assert spoilt[1, :, 4, 3].any()
    assert not spoilt[0].any()
    assert not spoilt[1, :, 6:].any(), "rows that are no longer seen do not spoil others"


def test_an_empty_batch_is_refused_as_by_the_layers(
    monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any
) -> None:
    pair = Pair(monkeypatch, load, block(net(), 4, 8, 4, 3, 1, None, False), targets()["host"], 1, None)
    with pytest.raises(kuiper.ShapeError, match="at least one element"):
        pair.layers(np.zeros((0, 4, 5, 5), np.float32))
    with pytest.raises(kuiper.ShapeError, match="at least one element"):
        pair.code(np.zeros((0, 4, 5, 5), np.float32))


def test_what_lies_between_has_no_memory(monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any) -> None:
    made, x = block(net(), 4, 64, 4, 3, 1, "relu6", True), np.ones((1, 4, 20, 20), np.float32)
    plans = []
    for bands in (Bands(1, 1), None):
        with monkeypatch.context() as patch:
            pair = Pair(patch, load, made, targets()["host"], 1, bands)
            pair.run(x)
            plans.append(pair.plan)
    fused, apart = (plan.memory for plan in plans)
    assert fused.planned_bytes == fused.lower_bound_bytes == 2 * x.nbytes, "the input and the output"
    assert apart.planned_bytes > 8 * fused.planned_bytes
    ring, band = 3 * 22 * 64 * 4, 20 * 64 * 4
    assert plans[0].scratch_bytes == ring + band


def test_it_is_known_by_what_is_computed(monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any) -> None:
    """Not where others read what lies between, where it is returned, or where windows leave rows out."""
    x = np.ones((1, 4, 8, 8), np.float32)

    def steps(change: Callable[[Any, str, str], list[str]], kernel: int = 3, stride: int = 1) -> list[int]:
        made = net()
        wide = made.conv(made.input(-1, 4, -1, -1), 4, 16, 1)
        deep = made.conv(wide, 16, 16, kernel, groups=16, padding=[kernel // 2] * 2, stride=[stride] * 2)
        made.returns(*change(made, wide, deep))
        with monkeypatch.context() as patch:
            pair = Pair(patch, load, made, targets()["host"], 1, Bands(1, 1))
            for one, other in zip(*pair.run(x), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
            return [len(s.kernel.convolutions) if isinstance(s.kernel, Chain) else 1 for s in pair.plan.steps]

    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 5, 1)]) == [3]
    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 5, 3)]) == [2, 1], "the last one sees many pixels"
    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 6, 1, groups=2)]) == [2, 1], "nor is it dense"
    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 5, 1), wide]) == [1, 2]
    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 5, 1), deep]) == [2, 1]
    assert steps(lambda made, wide, deep: [made.conv(deep, 16, 5, 1)], 1, 2) == [1, 2], "rows that nobody sees"
    gate = steps(lambda made, wide, deep: [
        made.conv(made.expression("mul(@0,@1)", deep, made.op("F.sigmoid", made.op(
            "nn.AdaptiveAvgPool2d", deep, output_size=[1, 1]))), 16, 5, 1)])  # fmt: skip
    assert gate[0] == 2, "before squeeze and excitation it ends"
    assert gate.count(1) == len(gate) - 1


def test_without_machine_code_the_convolutions_run_one_by_one(
    monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any], net: Any
) -> None:
    """The residual's channels do not lie side by side, which the code wants."""
    made = net(5)
    x = made.input(2, 4, 9, 7)
    y = made.conv(made.op("nn.ReLU6", made.conv(x, 4, 20, 1)), 20, 20, 3, groups=20, padding=[1, 1])
    other = made.op("Tensor.reshape", made.input(2, 63 * 9, 7), shape=[2, 63, 9, 7])
    made.returns(made.expression("add(@0,@1)", made.conv(y, 20, 63, 1), other))
    pair = Pair(monkeypatch, load, made, targets()["host"], 1, Bands(2, 1))
    inputs = made.numbers(2, 4, 9, 7), made.numbers(2, 63 * 9, 7)
    (expected,), (found,) = pair.layers(*inputs), pair.code(*inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert chain_of(pair.plan) is not None
    number = next(i for i, step in enumerate(pair.plan.steps) if isinstance(step.kernel, Chain))
    assert not pair.plan.compiled[number]


# when it pays


def problem(channels: int, out: int, size: int, kernel: int = 1, stride: int = 1, batch: int = 1) -> Problem:
    """A convolution of square images; with more than a pixel it is depthwise."""
    groups, pad = (channels, kernel // 2) if kernel > 1 else (1, 0)
    weight, out_size = np.zeros((out, channels // groups, kernel, kernel), np.float32), -(-size // stride)
    return Problem(batch, channels, (size, size), out, (out_size, out_size), (kernel, kernel), (stride, stride), (1, 1),
                   Halo(pad, pad, pad, pad), groups, weight)  # fmt: skip


def inverted(size: int, narrow: int, wide: int, stride: int = 1, batch: int = 1) -> tuple[Problem, Problem, Problem]:
    """The three convolutions of an inverted residual."""
    return (problem(narrow, wide, size, batch=batch), problem(wide, wide, size, 3, stride, batch),
            problem(wide, narrow, -(-size // stride), batch=batch))  # fmt: skip


def with_cache(kilobytes: int) -> Target:
    return replace(NAMED["avx512"], level2=kilobytes << 10)


def test_large_images_are_worth_it_and_small_ones_are_not() -> None:
    assert bands_of(*inverted(56, 24, 144), with_cache(1024), 1) == Bands(1, 1)
    assert bands_of(*inverted(14, 40, 120), with_cache(1024), 1) is None, "92 KiB stay near the core"
    assert bands_of(*inverted(14, 40, 120, batch=8), with_cache(1024), 1) == Bands(1, 1), "736 KiB of a batch do not"


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("size", [7, 14, 28, 56, 112])
def test_it_is_a_matter_of_the_cache(size: int, threads: int) -> None:
    found = [bands_of(*inverted(size, 32, 192), with_cache(1 << n), threads) for n in range(4, 18)]
    worth = [n for n, bands in enumerate(found) if bands is not None]
    assert found[0] is None, "a band has no room in 16 KiB"
    assert found[-1] is None, "all of it stays in 128 MiB"
    assert worth == list(range(worth[0], worth[-1] + 1)) if worth else 24 * (threads - 1) > size


def test_bands_fill_the_tiles_of_products() -> None:
    assert [bands_of(*inverted(size, 16, 96, batch=64), with_cache(1024), 1) for size in (56, 14, 7)] == [
        Bands(1, 1), Bands(1, 1), Bands(2, 1)]  # fmt: skip


def test_few_rows_are_computed_twice() -> None:
    """Two rows for each strip but an image's first."""
    strips = {size: bands_of(*inverted(size, 16, 96), with_cache(256), 2) for size in (112, 56, 28)}
    assert strips == {112: Bands(1, 4), 56: Bands(1, 2), 28: Bands(1, 2)}
    assert bands_of(*inverted(14, 16, 192), with_cache(256), 2) is None, "2 of 14 rows would be"
    assert bands_of(*inverted(14, 16, 192, batch=4), with_cache(256), 2) == Bands(1, 1), "each thread has its images"
