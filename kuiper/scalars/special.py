"""Functions that numpy lacks: erf, lgamma, softmax.

This erf is right to the last digits of its element type. On float32 the fast engine runs another one, kuiper.scalars.
steps.erf: ten plain ufuncs, which err by 2e-7 and take a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# One row per interval of |x|: numerator and denominator of the approximation, highest power first.
_SMALL = (
    (
        1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (
        2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
        2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
        3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
    ),
)  # fmt: skip
_SHORT = (
    (
        -1.3202021715909100e-08, 4.6847349021571890e-06, 3.7960748531764676e-04, 3.8496158823412186e-03,
        5.4316905876733219e-02, 1.8520343317486618e-01, 1.1283791693778418e+00,
    ),
    (
        6.3110179628769728e-05, 1.3075689111182850e-03, 1.5462093804246065e-02, 1.1395847380726842e-01,
        4.9746568299964578e-01, 1.0,
    ),
)  # fmt: skip
"""erf(x) / x as a fraction in x*x, fitted on |x| <= 4 by least squares, the points reweighted until the largest
relative error was near its least: 2.0e-9."""
_BLOCK = 1 << 14  # elements that stay in the cache while the polynomials run over them


def erf(x: np.ndarray) -> np.ndarray:
    """The error function 2/sqrt(pi) * integral of exp(-t*t) from 0 to x, shape and float type of `x` kept.

    |x| < 0.46875:  x P(x*x) / Q(x*x);  up to 6:  sign(x) (1 - exp(-x*x) R(|x|) / S(|x|));  beyond it is 1.
    That has an error below 1e-15. For float32 and float16 one fraction x T(x*x) / U(x*x) on |x| <= 4 is exact enough:
    computed in float64 and rounded at the end, it errs by half a unit of float32 and little more, in a third of the
    time.

    Parameters: x, an array of real numbers, any shape; integers count as float32. Raises TypeError for complex ones.
    Source: W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969), 631-637.

    >>> erf(np.array([0.0, 1.0, -np.inf])).round(6).tolist()
    [0.0, 0.842701, -1.0]
    """
    x = np.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"erf: expected real numbers, found {x.dtype}")
    if x.dtype.kind != "f":
        x = x.astype(np.float32)
    flat = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(flat)
    compute = _erf_exact if x.dtype == np.float64 else _erf_short
    for start in range(0, flat.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        result[part] = compute(flat[part].astype(np.float64))
    return result.reshape(x.shape)


def _erf_short(x: np.ndarray) -> np.ndarray:
    x = np.clip(x, -4.0, 4.0)  # erf(4) is 1 in float32. NaN passes through.
    return x * _ratio(_SHORT, x * x)


def _erf_exact(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    small = size < 0.46875
    # min keeps exp and the powers finite; erf(6) is 1 in float64. NaN passes through.
    y = np.minimum(size, 6.0)
    result = np.copysign(1.0 - np.exp(-y * y) * _ratio(_MIDDLE, y), x)
    if small.any():
        near = x[small]
        result[small] = near * _ratio(_SMALL, near * near)
    return result


def _ratio(coefficients: tuple[Sequence[float], Sequence[float]], x: np.ndarray) -> np.ndarray:
    return _horner(coefficients[0], x) / _horner(coefficients[1], x)


def _horner(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    total = coefficients[0] * x
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    return total + coefficients[-1]


_G = 7.0
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
)  # fmt: skip


def lgamma(x: np.ndarray) -> np.ndarray:
    """(...) -> (...): log |gamma(x)|, of the real floating type of x; inf at 0, -1, -2, ...

    With t = x + 6.5 and A(x) a sum of nine fractions it is log(2 pi)/2 + (x - 1/2) log(t) - t + log A(x) for x >= 1/2.
    Elsewhere |gamma(x) gamma(1 - x)| = pi / |sin(pi x)| leads back to that. Computed in float64, where the error is
    some 1e-15, and rounded at the end.

    Sources: C. Lanczos, A precision approximation of the gamma function, SIAM J. Numer. Anal. B 1 (1964), 86-96;
    W. H. Press et al., Numerical Recipes, section 6.1; the coefficients for g = 7, n = 9 are P. Godfrey's (2001).

    >>> np.exp(lgamma(np.array([5.0, 0.5]))).round(6).tolist()
    [24.0, 1.772454]
    """
    wide = np.asarray(x, np.float64)
    mirrored = wide < 0.5
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result = _lgamma_right(np.where(mirrored, 1 - wide, wide))
        if mirrored.any():
            from_integer = wide - np.round(wide)  # sin has the same size there, and keeps every digit
            size = np.abs(np.sin(np.pi * from_integer))
            result = np.where(mirrored, np.log(np.pi) - np.log(size) - result, result)
            result = np.where(mirrored & (from_integer == 0), np.inf, result)
        return np.where(np.isinf(wide), np.inf, result).astype(x.dtype)


def _lgamma_right(x: np.ndarray) -> np.ndarray:
    fractions = _LANCZOS[0] + sum(c / (x - 1 + k) for k, c in enumerate(_LANCZOS[1:], start=1))
    t = x + (_G - 0.5)
    return 0.5 * np.log(2 * np.pi) + (x - 0.5) * np.log(t) - t + np.log(fractions)


def softmax(x: np.ndarray, axis: int | tuple[int, ...] = -1, out: np.ndarray | None = None) -> np.ndarray:
    """(...) -> (...): e^x / sum of e^x along `axis`, so that the elements along it are positive and sum to 1.

    out : the array for the result, which may be x; None: a new one.

    >>> softmax(np.array([0.0, 0.0, 1000.0]))
    array([0., 0., 1.])
    """
    powers = np.exp(below_max(x, axis, out), out)
    result: np.ndarray = np.divide(powers, powers.sum(axis, keepdims=True), out)
    return result


def below_max(x: np.ndarray, axis: int | tuple[int, ...] = -1, out: np.ndarray | None = None) -> np.ndarray:
    """(...) -> (...): x minus its largest element along `axis`: the same softmax, and e^x cannot overflow."""
    with np.errstate(invalid="ignore"):  # a row of -inf gives NaN, as in PyTorch
        result: np.ndarray = np.subtract(x, x.max(axis, keepdims=True, initial=-np.inf), out)
    return result
