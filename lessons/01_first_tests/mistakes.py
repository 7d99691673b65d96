"""What goes wrong in the cells of lesson 1 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

import numpy as np

Mistakes = Mapping[str, Callable[..., Any]]

DOT: Mistakes = {
    "w and x are exchanged: take row i of w, w[i, k], and column j of x, x[k, j]": lambda w, x, i, j: sum(
        x[i, k] * w[k, j] for k in range(w.shape[1])
    ),
    "x stands in front of w: row i is one of w, column j is one of x": lambda w, x, i, j: sum(
        w[k, j] * x[i, k] for k in range(w.shape[1])
    ),
    "this is row i of x and column j of w: the row is one of w, the column one of x": (
        lambda w, x, i, j: x[i] @ w[:, j]
    ),
    "i and j are exchanged: i is the row of w, j the column of x": lambda w, x, i, j: sum(
        w[j, k] * x[k, i] for k in range(w.shape[1])
    ),
    "this is one product alone, as in w * x: add up w[i, k] * x[k, j] over all k": lambda w, x, i, j: w[i, j] * x[i, j],
    "w[k, i] walks down a column of w: along its row i it is w[i, k]": lambda w, x, i, j: sum(
        w[k, i] * x[k, j] for k in range(w.shape[0])
    ),
    "w[k, i] walks down a column of w: along its row i it is w[i, k], as far as w has columns": lambda w, x, i, j: sum(
        w[k, i] * x[k, j] for k in range(w.shape[1])
    ),
    "w[:, i] is a column of w: its row i is w[i]": lambda w, x, i, j: w[:, i] @ x[:, j],
    "these are the products alone: add them up": lambda w, x, i, j: w[i] * x[:, j],
    "this is the first product alone: `return` belongs after the loop": lambda w, x, i, j: w[i, 0] * x[0, j],
    "these are column i of w and row j of x: it is a row of w that meets a column of x": lambda w, x, i, j: (
        w[:, i] * x[j]
    ).sum(),
    "x[j, k] walks along a row of x: down its column j it is x[k, j]": lambda w, x, i, j: sum(
        w[i, k] * x[j, k] for k in range(w.shape[1])
    ),
    "k goes along the columns of w: range(w.shape[1]), whatever its size": lambda w, x, i, j: sum(
        w[i, k] * x[k, j] for k in range(3)
    ),
    "k goes along the columns of w: range(w.shape[1]). len(w) and w.shape[0] count its rows, x.shape[1] the columns of "
    "x": lambda w, x, i, j: sum(w[i, k] * x[k, j] for k in range(len(w))),
    "x[j] is a row of x: its column j is x[:, j]": lambda w, x, i, j: w[i] @ x[j],
    "x[j] is a row of x: np.dot needs its column j, x[:, j]": lambda w, x, i, j: np.dot(w[i], x[j]),
    "x[j] is a row of x: multiply w[i] by its column j, x[:, j], and add up": lambda w, x, i, j: (w[i] * x[j]).sum(),
    "the last product is missing: range(w.shape[1]) ends before w.shape[1] by itself": lambda w, x, i, j: sum(
        w[i, k] * x[k, j] for k in range(w.shape[1] - 1)
    ),
    "the first product is missing: k begins at 0, range(w.shape[1])": lambda w, x, i, j: sum(
        w[i, k] * x[k, j] for k in range(1, w.shape[1])
    ),
    "this is the whole matrix product: its number at [i, j] is asked for": lambda w, x, i, j: w @ x,
    "rows and columns are exchanged in both: w[i, k] has the row first, x[k, j] the column last": (
        lambda w, x, i, j: sum(w[k, i] * x[j, k] for k in range(w.shape[1]))
    ),
    "the two numbers of a pair are multiplied, not added: w[i, k] * x[k, j]": lambda w, x, i, j: (w[i] + x[:, j]).sum(),
    "two sums were multiplied: multiply pair by pair, then add up": lambda w, x, i, j: w[i].sum() * x[:, j].sum(),
    "this is the last product alone: add each to the total, total += ...": lambda w, x, i, j: w[i, -1] * x[-1, j],
    "w * x multiplies place by place, and needs equal shapes: take row w[i] and column x[:, j]": lambda w, x, i, j: (
        w * x
    )[i, j],
    "this is a whole row of the product: of x, take column j alone, x[:, j]": lambda w, x, i, j: w[i] @ x,
    "this is a whole column of the product: of w, take row i alone, w[i]": lambda w, x, i, j: w @ x[:, j],
    "one product is a number, and sum() wants several: sum(w[i, k] * x[k, j] for k in ...), without another loop": (
        lambda w, x, i, j: sum(w[i, 0] * x[0, j])
    ),
    "one too much: the total begins at 0, before the loop": lambda w, x, i, j: 1 + w[i] @ x[:, j],
    "k went past the last column: take range(w.shape[1]), without + 1; `for k in w` gives rows, not places": (
        lambda w, x, i, j: sum(w[i][k] * x[k][j] for k in w)
    ),
    "k went past the last column of w: take range(w.shape[1]), without + 1; `for k in w` gives rows, not places": (
        lambda w, x, i, j: sum(w[i, k] * x[k, j] for k in range(w.shape[1] + 1))
    ),
}


def _fails(test: Callable[..., Any], f: Callable[..., Any]) -> bool:
    try:
        test(f)
    except Exception:
        return True
    return False


SIX = ("x @ w + b", "w * x + b", "w.T @ x + b", "w @ x", "w @ x + w", "w @ x + b.T")
"""The names of the mistakes that the lesson collects."""


def _axby(w: Any, x: Any, b: Any) -> Any:
    """As all of these, it takes three arguments."""
    return w @ x + b


def _pairs_of_names(test: Callable[..., Any], candidates: Any) -> list[Any]:
    return [name for name, f in candidates if not _fails(test, f)]


def _run_one_by_one(test: Callable[..., Any], candidates: Any) -> list[Any]:
    for f in candidates.values():
        test(f)
    return list(candidates)


SURVIVORS: Mistakes = {
    "a test that catches a mistake raises an error, and that ends the loop: ask fails(test, f), which gives True or "
    "False": lambda test, candidates: [name for name, f in candidates.items() if not test(f)],
    "a test that catches a mistake raises an error, and nothing after it is run: ask fails(test, f)": _run_one_by_one,
    "the loop ends at the first f that is caught: leave out `break`, and go on with the others": (
        lambda test, candidates: list(takewhile(lambda name: not _fails(test, candidates[name]), candidates))
    ),
    "a dictionary gives its keys alone: candidates.items() gives pairs (name, f)": _pairs_of_names,
    "these are the ones that were caught: a survivor is one on which the test does NOT fail": (
        lambda test, candidates: [name for name, f in candidates.items() if _fails(test, f)]
    ),
    "these are the functions: their names are asked for, the keys of candidates": (
        lambda test, candidates: [f for f in candidates.values() if not _fails(test, f)]
    ),
    "nobody survived: fails(test, f) wants the test first, then the function, and gives True or False, never None": (
        lambda test, candidates: []
    ),
    "a name was tested, and not its function: candidates.items() gives both": lambda test, candidates: [
        name for name in candidates if not _fails(test, name)
    ],
    "others than `candidates` were tried: the loop goes over candidates.items()": lambda test, candidates: [
        name for name in SIX if not _fails(test, _axby)
    ],
    "these are all the names, caught or not: keep those for which fails(test, f) is False": (
        lambda test, candidates: list(candidates)
    ),
    "this is the first survivor alone: `return` belongs after the loop": lambda test, candidates: [
        name for name, f in candidates.items() if not _fails(test, f)
    ][:1],
    "each round began a new list, so the last f alone could enter: make it once, before the loop": (
        lambda test, candidates: [name for name, f in list(candidates.items())[-1:] if not _fails(test, f)]
    ),
}


def _close(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float = 0.0) -> bool:
    return bool(np.allclose(got, expected, rtol=rtol, atol=atol))


def _alike(got: np.ndarray, expected: np.ndarray) -> bool:
    return got.shape == expected.shape and got.dtype == expected.dtype


def _relative_differences(got: np.ndarray, expected: np.ndarray, tolerance: float = 1e-6) -> bool:
    with np.errstate(divide="ignore", invalid="ignore"):
        return _alike(got, expected) and bool((abs((got - expected) / expected) <= tolerance).all())


SAME: Mistakes = {
    "a tiny number passes as 0: give allclose atol=0 as well as rtol; left out, atol is 1e-8": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and _close(got, expected, tolerance, 1e-8)
    ),
    "the tolerance is a part of each expected number, not a distance: rtol=tolerance and atol=0": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and bool((abs(got - expected) <= tolerance).all())
    ),
    "the tolerance was given as atol: it is relative, so rtol=tolerance, and atol=0": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and _close(got, expected, 1e-5, tolerance)
    ),
    "the tolerance was given twice, and allclose adds up rtol and atol: rtol=tolerance, and atol=0": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and _close(got, expected, tolerance, tolerance)
    ),
    "a number that is too small passes, however far off it is: take abs(got - expected)": (
        lambda got, expected, tolerance=1e-6: (
            _alike(got, expected) and bool((got - expected <= tolerance * abs(expected)).all())
        )
    ),
    "`tolerance` is an argument: rtol=tolerance, and not 1e-6": lambda got, expected, tolerance=1e-6: (
        _alike(got, expected) and _close(got, expected, 1e-6)
    ),
    "only the numbers are compared: shapes and dtypes, too, have to be equal": lambda got, expected, tolerance=1e-6: (
        _close(got, expected, tolerance)
    ),
    "only the numbers are compared: shapes and dtypes, too, have to be equal, and with atol=0 no tiny number passes "
    "as 0": lambda got, expected, tolerance=1e-6: _close(got, expected, tolerance, 1e-8),
    "only the numbers are compared, and within allclose's own tolerances: compare shapes and dtypes, and give it "
    "rtol=tolerance and atol=0": lambda got, expected, tolerance=1e-6: bool(np.allclose(got, expected)),
    "got.ndim is the number of axes: (7, 3) and (1, 3) both have two, so compare got.shape": (
        lambda got, expected, tolerance=1e-6: (
            got.ndim == expected.ndim and got.dtype == expected.dtype and _close(got, expected, tolerance)
        )
    ),
    "rtol is 1e-5 where nobody says otherwise: give allclose rtol=tolerance": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and _close(got, expected, 1e-5)
    ),
    "allclose has its own tolerances, rtol=1e-5 and atol=1e-8, where nobody says otherwise: give it both": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and bool(np.allclose(got, expected))
    ),
    "the numbers must be equal to the last digit here: np.allclose with rtol=tolerance lets them differ a little": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and bool((got == expected).all())
    ),
    "an expected number may be negative, and then tolerance * expected is below 0: take abs(expected)": (
        lambda got, expected, tolerance=1e-6: (
            _alike(got, expected) and bool((abs(got - expected) <= tolerance * expected).all())
        )
    ),
    "the difference was divided by an expected 0, and 0 / 0 is no number: compare it with tolerance * abs(expected)": (
        _relative_differences
    ),
    "two equal numbers differ by 0, which is not below a tolerance of 0: compare with <=, not <": (
        lambda got, expected, tolerance=1e-6: (
            _alike(got, expected) and bool((abs(got - expected) < tolerance * abs(expected)).all())
        )
    ),
    "the tolerance is a part of the expected number, not of `got`: np.allclose takes `expected` as its second": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and _close(expected, got, tolerance)
    ),
    "got.size is how many numbers there are: (3, 1) and (1, 3) both have three, so compare got.shape": (
        lambda got, expected, tolerance=1e-6: (
            got.size == expected.size and got.dtype == expected.dtype and _close(got, expected, tolerance)
        )
    ),
    "the dtypes are not compared: got.dtype == expected.dtype": lambda got, expected, tolerance=1e-6: (
        got.shape == expected.shape and _close(got, expected, tolerance)
    ),
    "the shapes are not compared: got.shape == expected.shape": lambda got, expected, tolerance=1e-6: (
        got.dtype == expected.dtype and _close(got, expected, tolerance)
    ),
    "`or` is content with one of the three: all of them must hold, so `and`": lambda got, expected, tolerance=1e-6: (
        _close(got, expected, tolerance) if got.shape != expected.shape and got.dtype != expected.dtype else True
    ),
    "the numbers are not compared: np.allclose does it": lambda got, expected, tolerance=1e-6: _alike(got, expected),
    "one number that agrees is enough here, .any(): all of them must, .all()": (
        lambda got, expected, tolerance=1e-6: (
            _alike(got, expected) and bool(np.isclose(got, expected, rtol=tolerance, atol=0).any())
        )
    ),
    "the sums, means or largest numbers are compared: beside 1000 an error of 0.0005 in the 1 is not seen. Each number "
    "has a tolerance of its own, as in np.allclose": lambda got, expected, tolerance=1e-6: (
        _alike(got, expected) and bool(np.abs(got - expected).sum() <= tolerance * np.abs(expected).sum())
    ),
    "len is the number of rows: (1, 1) and (1, 3) both have one, so compare got.shape": (
        lambda got, expected, tolerance=1e-6: (
            len(got) == len(expected) and got.dtype == expected.dtype and _close(got, expected, tolerance)
        )
    ),
    "this is an array with an answer for each number: .all() makes one of them": (
        lambda got, expected, tolerance=1e-6: _alike(got, expected) and abs(got - expected) <= tolerance * abs(expected)
    ),
}


def _series(
    x: np.ndarray,
    numbers: range,
    step: Callable[[np.ndarray, np.ndarray, int], np.ndarray] = lambda term, x, n: term * x / n,
    late: bool = False,
) -> np.ndarray:
    """The sum of the terms for n in `numbers`; step : term, x and n -> the next term; late : each is added too late."""
    term, total = np.ones_like(x), np.ones_like(x)
    for n in numbers:
        total = total + term if late else total
        term = step(term, x, n)
        total = total if late else total + term
    return total


def _one_array(x: np.ndarray, terms: int = 30) -> np.ndarray:
    term = total = np.ones_like(x)
    for n in range(1, terms + 1):
        term *= x / n
        total += term
    return total


def _x_itself(x: np.ndarray, terms: int = 30) -> np.ndarray:
    x, total = x.copy(), np.ones_like(x)
    for n in range(1, terms + 1):
        x *= x / n
        total += x
    return total


EXP_SERIES: Mistakes = {
    "the terms were multiplied: add each, total = total + term": lambda x, terms=30: np.prod(
        [_series(x, range(1, n + 1)) - _series(x, range(1, n)) for n in range(1, terms + 1)], axis=0
    ),
    "x itself became the term, so x / n is another number in each round: keep the product in `term`": _x_itself,
    "the loop ends in its first round: `return` stands inside it": lambda x, terms=30: _series(x, range(1, 2)),
    "the last term is missing: range(1, terms) ends before `terms`": lambda x, terms=30: _series(x, range(1, terms)),
    "n begins at 0 here, and x / 0 is no number: range(1, terms + 1)": lambda x, terms=30: _series(x, range(terms)),
    "the division by n is missing": lambda x, terms=30: _series(x, range(1, terms + 1), lambda term, x, n: term * x),
    "each term is divided by its own n, not by `terms`": lambda x, terms=30: _series(
        x, range(1, terms + 1), lambda term, x, n: term * x / terms
    ),
    "// drops what is left over: divide with /": lambda x, terms=30: _series(
        x, range(1, terms + 1), lambda term, x, n: term * x // n
    ),
    "x**n is divided by n: it is n!, the product of 1 to n. Make each term of the one before: term * x / n": (
        lambda x, terms=30: _series(x, range(1, terms + 1), lambda term, x, n: x**n / n)
    ),
    "each term is x / n alone: multiply it by the term before, and keep the product in `term`": lambda x, terms=30: (
        _series(x, range(1, terms + 1), lambda term, x, n: x / n)
    ),
    "the 1 was added twice and the last term never: make the next term first, then add it": (
        lambda x, terms=30: _series(x, range(1, terms + 1), late=True)
    ),
    "nothing was added: total = total + term, in each round": lambda x, terms=30: np.ones_like(x),
    "this is the last term: add all of them to `total`, and return that": lambda x, terms=30: (
        _series(x, range(1, terms + 1)) - _series(x, range(1, terms))
    ),
    "this is the last x / n alone: keep term * x / n in `term`, and add it to `total`": lambda x, terms=30: x / terms,
    "the 1 in front is missing: `total` begins as ones": lambda x, terms=30: _series(x, range(1, terms + 1)) - 1,
    "one term too many: range(1, terms + 1) ends at `terms`": lambda x, terms=30: _series(x, range(1, terms + 2)),
    "term and total are one array with two names, so += and *= change both: begin each with an np.ones_like(x) of its "
    "own": _one_array,
    "term and total begin as one array, which *= changes for both: give each an np.ones_like(x) of its own": (
        lambda x, terms=30: _series(x, range(1, terms + 1)) - 1 + x
    ),
    "the last term alone was added: total = total + term stands inside the loop": lambda x, terms=30: (
        1 + _series(x, range(1, terms + 1)) - _series(x, range(1, terms))
    ),
    "each term is the one before it, times x / n, and not `total` times x / n": lambda x, terms=30: np.prod(
        [1 + x / n for n in range(1, terms + 1)], axis=0
    ),
    "turned round: times x / n, and not n / x": lambda x, terms=30: _series(
        x, range(1, terms + 1), lambda term, x, n: term * n / x
    ),
    "these are 30 terms, or all of them: `terms` says how many": lambda x, terms=30: _series(x, range(1, 31)),
    "x / n was added to the term: multiply it, term * x / n": lambda x, terms=30: _series(
        x, range(1, terms + 1), lambda term, x, n: term + x / n
    ),
    "terms is one number, and a loop needs all n up to it: range(1, terms + 1)": lambda x, terms=30: [n for n in terms],
    "n begins at 2 here: the first term to add is x / 1, so range(1, terms + 1)": lambda x, terms=30: _series(
        x, range(2, terms + 1)
    ),
}
