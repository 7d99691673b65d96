"""numpy's ufuncs on vectors of float32: what `apply` means where steps (kuiper.scalars.steps) become machine code.

exp, log, tanh and the like are polynomials: 1 to 4 units in the last place from the exact value, NaN for NaN, and the
right limits at infinity. Source of their numbers: S. L. Moshier, Cephes mathematical library
(https://www.netlib.org/cephes).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from kuiper.compiled.builder import I32, Value, VectorBuilder
from kuiper.scalars.steps import NotCompiled, clip

Formula = Callable[..., Value]


def apply_with(b: VectorBuilder) -> Callable[..., Value]:
    """The `apply` of steps that adds IR; operands are vectors, or numbers. Raises NotCompiled for an unknown ufunc."""

    def apply(ufunc: Callable[..., Any], *operands: Any) -> Value:
        formula = FORMULAS.get(ufunc)
        if formula is None:
            raise NotCompiled(getattr(ufunc, "__name__", str(ufunc)))
        if ufunc is clip:
            return formula(b, *operands)
        return formula(b, *(b.splat(x) if isinstance(x, (int, float)) else x for x in operands))

    return apply


def known(ufunc: Callable[..., Any]) -> bool:
    """Whether there is IR for it."""
    return ufunc in FORMULAS


def _clip(b: VectorBuilder, x: Value, low: float, high: float) -> Value:
    """As numpy: the upper bound wins where the lower one is above it; a bound that is NaN makes all NaN."""
    if math.isnan(low) or math.isnan(high):
        return b.splat(math.nan)
    if low != -math.inf:
        x = b.most(x, b.splat(low))
    return x if high == math.inf else b.least(x, b.splat(high))


def _maximum(b: VectorBuilder, x: Value, y: Value) -> Value:
    first = b.or_(b.fcmp_ordered(">", x, y), b.fcmp_unordered("uno", x, x))
    return b.select(first, x, y)


def _minimum(b: VectorBuilder, x: Value, y: Value) -> Value:
    first = b.or_(b.fcmp_ordered("<", x, y), b.fcmp_unordered("uno", x, x))
    return b.select(first, x, y)


def polynomial(b: VectorBuilder, x: Value, *coefficients: float) -> Value:
    """coefficients[0] x^n + ... + coefficients[n], by Horner's rule."""
    result = b.splat(coefficients[0])
    for number in coefficients[1:]:
        result = b.fmadd(result, x, b.splat(number))
    return result


MAGIC = 12582912.0
"""1.5 * 2^23: added to a float32 below 2^22, it leaves the nearest whole number in the last bits."""


def exp(b: VectorBuilder, x: Value) -> Value:
    """e^x = 2^n e^r with |r| <= log(2) / 2."""
    shifted, p = _power_and_rest(b, _clip(b, x, -104.0, 89.0))
    whole = b.sub(_bits(b, shifted), _ints(b, 0x4B400000))
    half = b.ashr(whole, _ints(b, 1))  # in two steps: 2^n alone may overflow where the product does not
    once = b.fmul(b.fadd(p, b.splat(1)), _power_of_two(b, half))
    return b.fmul(once, _power_of_two(b, b.sub(whole, half)))


def _power_and_rest(b: VectorBuilder, x: Value) -> tuple[Value, Value]:
    """n + MAGIC and e^r - 1, for x = n log(2) + r with whole n and |r| <= log(2) / 2."""
    shifted = b.fmadd(x, b.splat(1 / math.log(2)), b.splat(MAGIC))
    n = b.fsub(shifted, b.splat(MAGIC))
    r = b.fmadd(n, b.splat(-0.693359375), x)
    r = b.fmadd(n, b.splat(2.12194440e-4), r)
    p = polynomial(b, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5)
    return shifted, b.fmadd(p, b.fmul(r, r), r)


def _ints(b: VectorBuilder, number: int) -> Value:
    return ir.Constant(ir.VectorType(I32, b.target.lanes), [number] * b.target.lanes)


def _bits(b: VectorBuilder, x: Value) -> Value:
    return b.bitcast(x, ir.VectorType(I32, b.target.lanes))


def _power_of_two(b: VectorBuilder, n: Value) -> Value:
    return b.bitcast(b.shl(b.add(n, _ints(b, 127)), _ints(b, 23)), b.vector)


def tanh(b: VectorBuilder, x: Value) -> Value:
    """t / (t + 2) with t = e^2x - 1 = 2^n (e^r - 1) + (2^n - 1): near 0, where n is 0, no digit is lost.

    From 9.02 on the result is 1: t + 2 is the same float32 as t.
    """
    x = _clip(b, x, -9.02, 9.02)
    shifted, p = _power_and_rest(b, b.fadd(x, x))
    power = _power_of_two(b, _bits(b, shifted))  # what MAGIC has above its last bits is shifted out
    t = b.fmadd(power, p, b.fsub(power, b.splat(1)))
    return b.fdiv(t, b.fadd(t, b.splat(2)))


def log(b: VectorBuilder, x: Value) -> Value:
    """log(x) = e log(2) + log(m) with 1/sqrt(2) <= m < sqrt(2); NaN below 0, -inf at 0."""
    tiny = b.fcmp_ordered("<", x, b.splat(2.0**-126))
    scaled = b.select(tiny, b.fmul(x, b.splat(2.0**24)), x)
    bits = _bits(b, scaled)
    # the exponent that leaves m at least 1/sqrt(2)
    offset = b.sub(bits, _ints(b, 0x3F3504F3))
    exponent = b.ashr(offset, _ints(b, 23))
    m = b.bitcast(b.sub(bits, b.shl(exponent, _ints(b, 23))), b.vector)
    e = b.fsub(b.sitofp(exponent, b.vector), b.select(tiny, b.splat(24), b.splat(0)))
    r = b.fsub(m, b.splat(1))
    z = b.fmul(r, r)
    p = polynomial(
        b, r, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
        -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
    )  # fmt: skip
    p = b.fmul(b.fmul(p, r), z)
    p = b.fmadd(e, b.splat(-2.12194440e-4), p)
    p = b.fmadd(z, b.splat(-0.5), p)
    result = b.fmadd(e, b.splat(0.693359375), b.fadd(r, p))
    result = b.select(b.fcmp_ordered("==", x, b.splat(math.inf)), x, result)
    result = b.select(b.fcmp_ordered("==", x, b.splat(0)), b.splat(-math.inf), result)
    return b.select(b.fcmp_unordered("<", x, b.splat(0)), b.splat(math.nan), result)  # NaN too


def log1p(b: VectorBuilder, x: Value) -> Value:
    """log(1 + x), with what 1 + x loses to rounding put back."""
    u = b.fadd(x, b.splat(1))
    lost = b.fdiv(b.fsub(x, b.fsub(u, b.splat(1))), u)
    result = b.fadd(log(b, u), lost)
    plain = b.or_(b.fcmp_unordered("==", x, b.splat(math.inf)), b.fcmp_ordered("<=", x, b.splat(-1)))
    return b.select(plain, log(b, u), result)


def expm1(b: VectorBuilder, x: Value) -> Value:
    """e^x - 1: a polynomial near 0, where the difference would lose its digits."""
    near = polynomial(b, x, 1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5)
    near = b.fmadd(near, b.fmul(x, x), x)
    small = b.fcmp_ordered("<", b.intrinsic("fabs", x), b.splat(0.35))
    return b.select(small, near, b.fsub(exp(b, x), b.splat(1)))


FORMULAS: dict[Callable[..., Any], Formula] = {
    np.add: lambda b, x, y: b.fadd(x, y),
    np.subtract: lambda b, x, y: b.fsub(x, y),
    np.multiply: lambda b, x, y: b.fmul(x, y),
    np.divide: lambda b, x, y: b.fdiv(x, y),
    np.true_divide: lambda b, x, y: b.fdiv(x, y),
    np.negative: lambda b, x: b.fneg(x),
    np.abs: lambda b, x: b.intrinsic("fabs", x),
    np.sqrt: lambda b, x: b.intrinsic("sqrt", x),
    np.floor: lambda b, x: b.intrinsic("floor", x),
    np.ceil: lambda b, x: b.intrinsic("ceil", x),
    np.trunc: lambda b, x: b.intrinsic("trunc", x),
    np.rint: lambda b, x: b.intrinsic("rint", x),
    np.maximum: _maximum,
    np.minimum: _minimum,
    np.exp: exp,
    np.expm1: expm1,
    np.log: log,
    np.log1p: log1p,
    np.tanh: tanh,
    clip: _clip,
}
