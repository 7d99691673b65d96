"""ufuncs as machine code beside numpy's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the compiler needs llvmlite, of the extra speed")

from llvmlite import ir

from kuiper.compiled.builder import POINTER, VectorBuilder, function
from kuiper.compiled.code import MachineCode, object_of
from kuiper.compiled.target import NAMED, Target, host
from kuiper.compiled.ufuncs import FORMULAS, apply_with
from kuiper.scalars.steps import NotCompiled, clip

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3e38, -3e38, 88.7, 88.8, -87.4, -103.9, -104.1]
EXACT = {
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.abs, np.sqrt, np.floor, np.ceil, np.trunc, np.rint,
    np.maximum, np.minimum,
}  # fmt: skip
UNITS = {np.exp: 2, np.expm1: 4, np.log: 2, np.log1p: 4, np.tanh: 3}
"""How many units in the last place a result may be off."""


def targets() -> list[Target]:
    """This machine's processor, and as an older one where it can stand in for it."""
    found = host()
    if found is None:
        return []
    return [found, replace(NAMED["avx2"], triple=found.triple)] if found.triple.startswith("x86_64") else [found]


def run(target: Target, formula: Callable[..., object], *operands: np.ndarray) -> np.ndarray:
    """formula(builder, *vectors) of arrays whose length is a multiple of every number of lanes."""
    module = ir.Module("test")
    made = function(module, "test", [POINTER] * (1 + len(operands)), internal=False)
    b = VectorBuilder(made.append_basic_block("entry"), target)
    y, *xs = made.args
    size = 4 * target.lanes

    def some(at: object) -> None:
        b.write(formula(b, *(b.read(b.at(x, at)) for x in xs)), b.at(y, at))

    b.each(4 * operands[0].size, some, size)
    b.ret_void()
    result = np.empty_like(operands[0])
    code = MachineCode(object_of(str(module), target), target).function(
        "test", *[ctypes.c_void_p] * (1 + len(operands))
    )
    code(result.ctypes.data, *(x.ctypes.data for x in operands))
    return result


def numbers(count: int) -> np.ndarray:
    """Of all sizes and both signs, the special ones among them."""
    rng = np.random.default_rng(0)
    spread = rng.standard_normal(count) * 10.0 ** rng.uniform(-30, 30, count)
    near = rng.uniform(-110, 110, count)
    whole = np.concatenate([SPECIAL, spread, near, rng.uniform(-2, 2, count)]).astype(np.float32)
    return whole[: len(whole) // 32 * 32].copy()


@pytest.mark.parametrize("target", targets(), ids=lambda target: f"{target.lanes} lanes")
@pytest.mark.parametrize("ufunc", [u for u in FORMULAS if u is not clip], ids=lambda ufunc: ufunc.__name__)
def test_it_gives_what_numpy_gives(ufunc: np.ufunc, target: Target) -> None:
    x = numbers(4000)
    operands = [x] if ufunc.nin == 1 else [x, x[::-1].copy()]
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
        exact = ufunc(*(x.astype(np.float64) for x in operands))
    found = run(target, FORMULAS[ufunc], *operands)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    if ufunc in EXACT:
        np.testing.assert_array_equal(found, expected)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    unit = np.maximum(np.spacing(np.abs(expected[finite])), np.float32(2.0**-126))
    assert (np.abs(found[finite] - exact[finite]) / unit).max() <= UNITS[ufunc]


@pytest.mark.parametrize("target", targets(), ids=lambda target: f"{target.lanes} lanes")
@pytest.mark.parametrize(
    ("low", "high"), [(-1, 2), (0, np.inf), (-np.inf, 6), (2, -1), (-np.inf, np.inf), (np.nan, 1), (-1, np.nan)]
)
def test_clip_keeps_nan_and_lets_the_upper_bound_win(target: Target, low: float, high: float) -> None:
    x = numbers(100)
    found = run(target, lambda b, value: apply_with(b)(clip, value, low, high), x)
    np.testing.assert_array_equal(found, x.clip(low, high))


@pytest.mark.parametrize("target", targets(), ids=lambda target: f"{target.lanes} lanes")
def test_numbers_among_the_operands_are_constants(target: Target) -> None:
    x = numbers(100)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(target, lambda b, v: apply_with(b)(np.divide, 1, v), x), np.float32(1) / x)


def test_an_unknown_ufunc_is_refused_by_name() -> None:
    block = function(ir.Module("test"), "test", []).append_basic_block("entry")
    with pytest.raises(NotCompiled, match="arctan"):
        apply_with(VectorBuilder(block, NAMED["avx2"]))(np.arctan, None)
