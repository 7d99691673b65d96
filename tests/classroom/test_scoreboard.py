"""What `check` says in lesson 6 of wrong convolutions that a test does not catch, and of a conv2d of a wrong im2col."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom.judge import Failure
from classroom.judge.homework import public_tests
from classroom.judge.tests import load_tests, run_tests

HOMEWORK = Path(__file__).resolve().parents[2] / "homework" / "06_convolution"

HEAD = "import numpy as np\n\n\ndef test_grouped_convolution(conv):\n    rng = np.random.default_rng(0)\n"
WHOLE = """
    x, weight = rng.integers(-9, 10, (2, 4, 5, 6)) * 1.0, rng.integers(-9, 10, (4, 2, 3, 3)) * 1.0
    bias = np.arange(1.0, 5)
"""
FRACTIONS = WHOLE.replace("* 1.0", "/ 7")
SLOW = """
    y = np.zeros((2, 4, 3, 4))
    for n, o, i, j in np.ndindex(2, 4, 3, 4):
        for c, a, b in np.ndindex(2, 3, 3):
            y[n, o, i, j] += weight[o, c, a, b] * x[n, o // 2 * 2 + c, i + a, j + b]
        y[n, o, i, j] += bias[o]
"""
WRITTEN = {
    "shape only": (
        WHOLE + "    assert conv(x, weight, bias, 2).shape == (2, 4, 3, 4)\n",
        "caught 1 of 10 wrong convolutions",
        "nothing but zeros passes",
    ),
    "returned": (
        WHOLE + SLOW + "    return bool(np.array_equal(conv(x, weight, bias, 2), y))\n",
        "caught 0 of 10 wrong convolutions",
        "nobody reads what a test returns",
    ),
    "one number": (
        WHOLE + SLOW + "    assert conv(x, weight, bias, 2)[0, 0, 0, 0] == y[0, 0, 0, 0]\n",
        "caught 3 of 10 wrong convolutions",
        "your call gave a wrong result, and the test did not look there",
    ),
    "equal biases": (
        WHOLE + "    bias[:] = 7\n" + SLOW + "    got = conv(x, weight, bias, 2)\n"
        "    assert got.shape == y.shape and np.allclose(got, y)\n",
        "caught 7 of 10 wrong convolutions. Not caught: every group takes the first bias; 1x1 kernels",
        "your inputs still give the right numbers",
    ),
    "fallen over, and equal biases": (
        WHOLE + "    bias[:] = 7\n" + SLOW + "    assert np.abs(conv(x, weight, bias, 2) - y).max() < 1e-9\n",
        "caught 6 of 10 wrong convolutions, and 1 with another error than AssertionError: where the last row is "
        "missing, line",
        "the comparison itself fell over",
    ),
    "== on fractions": (
        FRACTIONS + SLOW + "    assert (conv(x, weight, bias, 2) == y).all()\n",
        "your test says that a right convolution is wrong, and its assert has no message",
        "so == is too strict",
    ),
    "a wrong formula": (
        WHOLE + SLOW + "    assert np.allclose(conv(x, weight, bias, 2), y + 1), 'no'\n",
        'your test says that a right convolution is wrong. Its words: "no"',
        "rounding is not the reason",
    ),
    "another error than AssertionError": (
        WHOLE + SLOW + "    if not np.allclose(conv(x, weight, bias, 2).shape, y.shape):\n        assert False\n"
        "    if not np.allclose(conv(x, weight, bias, 2), y):\n        raise ValueError('wrong')\n",
        "with another error than AssertionError",
        "instead of raising ValueError",
    ),
    "no assert": (
        WHOLE + SLOW + "    np.allclose(conv(x, weight, bias, 2)[:, :, :3], y[:, :, :1])\n",
        "caught 0 of 10",
        "write an `assert`",
    ),
    "a window of too few columns": (
        WHOLE + "    y = np.zeros((2, 4, 3, 4))\n"
        "    for n, o, i, j in np.ndindex(*y.shape):\n"
        "        window = x[n, o // 2 * 2 : o // 2 * 2 + 2, i : i + 3, j : j + 2]\n"
        "        y[n, o, i, j] = (window * weight[o]).sum() + bias[o]\n"
        "    assert np.allclose(conv(x, weight, bias, 2), y)\n",
        "could not be broadcast together with shapes (2,3,2) (2,3,3)",
        "its window has as many channels, rows and columns",
    ),
    "a group that is too large": (
        WHOLE + "    y = np.zeros((2, 4, 3, 4))\n"
        "    for n, o, i, j in np.ndindex(*y.shape):\n"
        "        window = x[n, o * 2 : o * 2 + 2, i : i + 3, j : j + 3]\n"
        "        y[n, o, i, j] = (window * weight[o]).sum() + bias[o]\n"
        "    assert np.allclose(conv(x, weight, bias, 2), y)\n",
        "could not be broadcast together with shapes (0,3,3) (2,3,3)",
        "the window has no channels",
    ),
    "a list of biases": (
        WHOLE + "    conv(x, weight, [1.0, 2, 3, 4], 2)\n",
        "expected a numpy array of numbers with 1 axis, found list",
        "make an array of numbers, with a shape like (O,)",
    ),
    "groups forgotten": (
        WHOLE + "    conv(x, weight, bias)\n",
        "raised TypeError: conv() missing 1 required positional argument: 'groups'",
        "conv has four arguments",
    ),
    "weights of all channels": (
        WHOLE + "    conv(x, np.ones((4, 4, 3, 3)), bias, 2)\n",
        "raised ValueError: conv: expected weight (O, C/groups, kh, kw)",
        "make weight of shape (4, 2, 3, 3)",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
def test_the_first_failure_counts_what_is_caught_and_says_why(kind: str, tmp_path: Path) -> None:
    text, happened, why = WRITTEN[kind]
    submission = tmp_path / "hw06_conv.py"
    submission.write_text(HEAD + text)
    tests = load_tests(HOMEWORK / "public.py", public=True)
    mine = [test for test in tests if test.exercise == "grouped_convolution_test"]
    first = next(outcome.error for outcome in run_tests(submission, mine, seed=0) if outcome.error)
    assert isinstance(first, Failure)
    assert happened in first.message
    assert why in str(first.cause)


SOLUTION = (HOMEWORK / "judge" / "solution.py").read_text(encoding="utf-8")
PLANES = "(windows @ kernels[g].T).T.reshape(-1, rows, cols)"
MADE = {  # what is wrong in the solution -> is im2col blamed?
    "the order of the channels": ("window.reshape(-1)", "window.transpose(1, 2, 0).reshape(-1)", True),
    "windows as columns": ("    return result\n", "    return result.T.copy()\n", True),
    "the product": (PLANES, "(windows @ kernels[g].T).reshape(-1, rows, cols)", False),
    "im2col is not written": (
        "    channels, height, width = x.shape\n",
        "    raise NotImplementedError\n",
        False,
    ),
}


@pytest.mark.parametrize(
    "kind", ["the product", *(pytest.param(kind, marks=pytest.mark.slow) for kind in MADE if kind != "the product")]
)
def test_conv2d_of_a_wrong_im2col_is_told_to_mend_that_first(kind: str, tmp_path: Path) -> None:
    old, new, blamed = MADE[kind]
    assert SOLUTION.count(old) >= 1
    submission = tmp_path / "hw06_conv.py"
    head, _, tail = SOLUTION.rpartition("def im2col")
    submission.write_text(f"{head}def im2col{tail.replace(old, new, 1)}", encoding="utf-8")
    mine = [test for test in public_tests(HOMEWORK) if test.exercise == "conv2d"]
    first = next(outcome for outcome in run_tests(submission, mine, seed=0) if outcome.error)
    assert first.call is not None
    assert (first.call[0] == "im2col") is blamed
    assert ("mend it first" in str(getattr(first.error, "cause", ""))) is blamed
