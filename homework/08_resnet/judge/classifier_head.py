r"""From planes to probabilities: mean, linear, softmax: why the solution is as it is.

Four lines, one for each step, and a shape for each:

| step | shape |
|---|---|
| `features = x.mean(axis=(2, 3))` | (N, C) |
| `scores = features @ weight.T + bias` | (N, K) |
| `powers = np.exp(scores - scores.max(axis=1, keepdims=True))` | (N, K) |
| `powers / powers.sum(axis=1, keepdims=True)` | (N, K), rows that add up to 1 |

The weights lie as (K, C), one row for each class. Where K = C the product works without the transpose as well, and is
wrong; tests with equal sizes catch what an error message does not. `reshape` in place of the transpose always works,
and is wrong unless K or C is 1.

Softmax does not change when the same number is subtracted from all scores of a row, because e^-m is a factor of every
power and of their sum. With the largest score of **the row** as m, no exponent is positive, so nothing overflows, and
the largest power is 1, so the sum is never 0. One m for the whole batch saves the first and loses the second: a row
far below the others becomes 0 / 0.

`axis=1` without `keepdims=True` gives shape (N,), which numpy lines up with the classes: an error, or for N = K wrong
numbers. Softmax along axis 0 counts the axes without the batch. In a batch of one it makes every class certain.

Cost: N * C * H * W additions, N * C * K multiplications, N * K powers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, task

from ..public import network
from .shared import wrong


def shares(scores: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Softmax, in float64."""
    scores = scores.astype(np.float64)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def logarithms(scores: np.ndarray) -> np.ndarray:
    """The logarithm of softmax."""
    less = scores - scores.max(axis=1, keepdims=True)
    return less - np.log(np.exp(less).sum(axis=1, keepdims=True))


def sigmoid(scores: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-score)."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-scores))


def risky(scores: np.ndarray, highest: Any) -> np.ndarray:
    """Softmax after `highest` has been subtracted, whatever comes of it."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - highest)
        return powers / powers.sum(axis=1, keepdims=True)


def probabilities(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """What the head has to give, in float64 and then in the type of `x`."""
    wide = [a.astype(np.float64) for a in (x, weight, bias)]
    features = wide[0].sum(axis=(2, 3)) / (x.shape[2] * x.shape[3])
    return shares(np.einsum("nc,kc->nk", features, wide[1]) + wide[2]).astype(x.dtype)


def head_mistakes(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> dict[str, np.ndarray]:
    """Likely cause -> what it gives for these planes and this layer."""
    features, pixels = x.mean(axis=(2, 3)), x.shape[2] * x.shape[3]
    scores = features @ weight.T + bias
    expected = probabilities(x, weight, bias)
    pixel_scores = np.einsum("nchw,kc->nkhw", x, weight) + bias[:, None, None]
    found: dict[str, Any] = {
        "softmax along the batch: each row adds up to 1, so axis=1, and keepdims=True": shares(scores, 0),
        "softmax over the whole array: every picture by itself, axis=1": shares(scores, None),
        "the exponential overflows: subtract the largest score of each row first": risky(scores, 0),
        "scores were clipped, and those beyond became equal: subtract the largest score of each row instead": shares(
            np.clip(scores, -700, 700)
        ),
        "one maximum for the whole batch: subtract the largest score of each row from that row": risky(
            scores, scores.max()
        ),
        "the maximum ran along the batch: subtract the largest score of each row, axis=1": risky(
            scores, scores.max(axis=0)
        ),
        "the mean can lie thousands below the largest score, which then overflows: subtract the largest": risky(
            scores, scores.mean(axis=1, keepdims=True)
        ),
        "one sum for the whole batch: divide each row by its own sum, axis=1 with keepdims=True": (
            (powers := np.exp(scores - scores.max(axis=1, keepdims=True))) / powers.sum()
        ),
        "these are the scores: softmax is missing": scores,
        "these are the scores less the largest: np.exp of them, divided by its sum, is still missing": (
            scores - scores.max(axis=1, keepdims=True)
        ),
        "these are the powers of e: divide each row by its sum": np.exp(scores - scores.max(axis=1, keepdims=True)),
        "these are the logarithms of the probabilities: e^score is divided by the sum": logarithms(scores),
        "the scores were divided by the largest: subtract it, scores - scores.max(axis=1, keepdims=True)": shares(
            scores / scores.max(axis=1, keepdims=True)
        ),
        "that is the sigmoid of each score: softmax divides e^score by the sum over the classes": sigmoid(scores),
        "the scores themselves were divided by their sum: softmax divides e^score by the sum of e^score": (
            scores / scores.sum(axis=1, keepdims=True)
        ),
        "softmax came at each pixel, and the mean after it: first the mean of each plane, softmax last": shares(
            pixel_scores
        ).mean(axis=(2, 3)),
        "sums in place of means: divide by the pixels of a plane": shares(pixels * features @ weight.T + bias),
        "the largest number of each plane in place of its mean": shares(x.max(axis=(2, 3)) @ weight.T + bias),
        "the bias is missing": shares(features @ weight.T),
        "the bias came after softmax: it belongs to the scores, before np.exp": shares(features @ weight.T) + bias,
        "the smallest score was subtracted, and the largest still overflows: subtract the largest of each row": risky(
            scores, scores.min(axis=1, keepdims=True)
        ),
        "the classes are the first axis: a row for each picture, (N, K)": expected.T.copy(),
        "softmax came before the linear layer: it makes probabilities of the scores, so it comes last": (
            shares(features) @ weight.T + bias
        ),
        "every picture has the probabilities of the first": np.repeat(expected[:1], len(x), axis=0),
    }
    if len(x) in (1, len(bias)):  # else numpy does not add them
        found["the bias is one number for each class, a column: add (K,) as it is, without a new axis"] = shares(
            features @ weight.T + bias[:, None]
        )
        found["weight @ means.T is (K, N), a row for each class: means @ weight.T has a row for each picture"] = shares(
            weight @ features.T + bias
        )
    if len(x) == 1:
        found["the axis of the batch is missing: a row for each picture, (N, K), also of one picture"] = expected[0]
    if len(weight) == x.shape[1]:
        found["the linear layer comes without weights"] = shares(features)
        found["weight is (K, C), one row for each class: the product needs weight.T"] = shares(features @ weight + bias)
    for axis in (1, 2, 3):
        if (means := x.mean(axis=axis)).shape[2] == weight.shape[1]:  # then they fit the linear layer
            found[f"the mean ran over axis {axis} alone: a plane is rows and columns, axis=(2, 3)"] = shares(
                means @ weight.T + bias
            )
    for axes in ((1, 2), (1, 3)):
        if (means := x.mean(axis=axes)).shape[1] == weight.shape[1]:
            cause = f"the mean ran over axes {axes[0]} and {axes[1]}: a plane is rows and columns, axes 2 and 3"
            found[cause] = shares(means @ weight.T + bias)
    mistakes = {cause: np.asarray(value, x.dtype) for cause, value in found.items()}
    other = "float64" if x.dtype == np.float32 else "float32"
    mistakes[f"the numbers changed their type to {other}: keep the dtype of x"] = expected.astype(other)
    mistakes["that is the number of the likeliest class: the probabilities of all classes are asked for, (N, K)"] = (
        expected.argmax(axis=1)
    )
    return wrong(mistakes, expected)


def expect_head(student: Student, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, tolerance: float = 1e-9) -> None:
    """Raise Failure unless the student's head on `x` is right."""
    what = f"classifier_head of {x.shape} for {len(weight)} classes"
    got = student.classifier_head(x, weight, bias)
    expect(got, probabilities(x, weight, bias), atol=tolerance, what=what)


@task("classifier_head")
def any_shapes(student: Student, rng: np.random.Generator) -> None:
    """Any number of pictures, channels, pixels and classes, one of each among them."""
    for shape, classes in (
        ((1, 1, 1, 1), 2),
        ((1, 3, 5, 1), 3),
        ((5, 2, 1, 4), 7),
        ((2, 9, 3, 3), 2),
        ((6, 4, 2, 3), 6),
    ):
        expect_head(student, *network(rng, shape, classes))


@task("classifier_head")
def as_many_classes_as_channels(student: Student, rng: np.random.Generator) -> None:
    """N, C and K of one size, where a wrong axis or a missing transpose gives no error, only wrong numbers."""
    expect_head(student, *network(rng, (5, 5, 3, 4), 5))


@task("classifier_head")
def scores_far_apart(student: Student, rng: np.random.Generator) -> None:
    """Rows whose scores are thousands apart from each other's, in one batch, stay finite and right."""
    x, weight, bias = network(rng, (4, 3, 2, 2), 5)
    x[0] *= 4000
    x[1] *= -4000
    expect_head(student, x, weight, bias, 1e-6)


@task("classifier_head")
def equal_scores_and_a_clear_winner(student: Student, rng: np.random.Generator) -> None:
    """Equal scores share equally; a score that is 10,000 above the others takes all."""
    x = np.ones((2, 3, 2, 2))
    expect_head(student, x, np.zeros((8, 3)), np.full(8, -3.0))
    bias = np.zeros(8)
    bias[int(rng.integers(8))] = 10_000.0
    expect_head(student, x, np.zeros((8, 3)), bias)


@task("classifier_head")
def floats_of_both_types(student: Student, rng: np.random.Generator) -> None:
    """float32 stays float32 and float64 stays float64, and both are as exact as their type."""
    for dtype, tolerance in ((np.float32, 1e-5), (np.float64, 1e-12)):
        expect_head(student, *network(rng, (3, 16, 4, 4), 10, dtype), tolerance)


@task("classifier_head")
def a_large_batch(student: Student, rng: np.random.Generator) -> None:
    """100 pictures, 256 channels and 1,000 classes, within the time limit."""
    expect_head(student, *network(rng, (100, 256, 2, 2), 1000, np.float32), 1e-4)


POWERS = "np.exp(scores - scores.max(axis=1, keepdims=True))"
SHARES = "return powers / powers.sum(axis=1, keepdims=True)"
FEATURES = "features = x.mean(axis=(2, 3))"
SCORES = "features @ weight.T + bias"

MUTANTS = [
    Mutant(
        "overflow",
        "softmax as the formula says, without subtracting the maximum",
        old=POWERS,
        new="np.exp(scores)",
        breaks="large",
    ),
    Mutant(
        "one_maximum",
        "one maximum for the whole batch: the others underflow, and 0 / 0 is nan",
        old=POWERS,
        new="np.exp(scores - scores.max())",
        breaks="large",
    ),
    Mutant(
        "minimum",
        "subtracts the smallest score, so that the exponents grow",
        old=POWERS,
        new="np.exp(scores - scores.min(axis=1, keepdims=True))",
        breaks="large",
    ),
    Mutant(
        "clipped",
        "avoids the overflow by cutting the scores off",
        old=POWERS,
        new="np.exp(np.clip(scores, -80, 80))",
        breaks="large",
    ),
    Mutant(
        "along_batch",
        "counts the axes without the batch, which makes the classes axis 0: softmax along axis 0",
        old=(
            "np.exp(scores - scores.max(axis=1, keepdims=True))\n    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        new=(
            "np.exp(scores - scores.max(axis=0, keepdims=True))\n    return powers / powers.sum(axis=0, keepdims=True)"
        ),
        breaks="batch",
    ),
    Mutant(
        "whole_batch",
        "all probabilities of the batch together add up to 1",
        old=SHARES,
        new="return powers / powers.sum()",
        breaks="batch",
    ),
    Mutant(
        "maximum_on_top",
        "divides by the largest in place of the sum",
        old=SHARES,
        new="return powers / powers.max(axis=1, keepdims=True)",
        breaks="softmax",
    ),
    Mutant(
        "scores_only",
        "returns the scores",
        old=SHARES,
        new="return scores",
        breaks="softmax",
    ),
    Mutant(
        "sigmoid",
        "each class by itself, so that a row does not add up to 1",
        old=(
            "np.exp(scores - scores.max(axis=1, keepdims=True))\n    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        new=("np.exp(-np.abs(scores))\n    return np.where(scores >= 0, 1, powers) / (1 + powers)"),
        breaks="softmax",
    ),
    Mutant(
        "log_softmax",
        "the logarithm of the probabilities, as a training loss wants it",
        old=SHARES,
        new="return scores - scores.max(axis=1, keepdims=True) - np.log(powers.sum(axis=1, keepdims=True))",
        breaks="softmax",
    ),
    Mutant(
        "twice",
        "softmax of the softmax",
        old=SHARES,
        new=(
            "powers = np.exp(powers / powers.sum(axis=1, keepdims=True))\n"
            "    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        breaks="softmax",
    ),
    Mutant(
        "winner_takes_all",
        "1 for the best class and 0 for the others",
        old=SHARES,
        new="return (powers == 1).astype(x.dtype)",
        breaks="softmax",
    ),
    Mutant(
        "sum",
        "adds up the planes and does not divide",
        old=FEATURES,
        new="features = x.sum(axis=(2, 3))",
        breaks="mean",
    ),
    Mutant(
        "fixed_count",
        "divides by 7 * 7, the plane of ResNet18",
        old=FEATURES,
        new="features = x.sum(axis=(2, 3)) / np.asarray(49, x.dtype)",
        breaks="mean",
    ),
    Mutant(
        "max_pool",
        "keeps the largest number of each plane",
        old=FEATURES,
        new="features = x.max(axis=(2, 3))",
        breaks="mean",
    ),
    Mutant(
        "rows_only",
        "averages over the rows and takes the first column",
        old=FEATURES,
        new="features = x.mean(axis=2)[:, :, 0]",
        breaks="mean",
    ),
    Mutant(
        "no_transpose",
        "weight is used without transposing it",
        old=SCORES,
        new="(features @ weight if weight.shape[0] == weight.shape[1] else features @ weight.T) + bias",
        breaks="linear",
    ),
    Mutant(
        "reshaped",
        "reshapes weight to (C, K) where it should transpose",
        old=SCORES,
        new="features @ weight.reshape(weight.shape[::-1]) + bias",
        breaks="linear",
    ),
    Mutant(
        "no_bias",
        "forgets the bias",
        old=SCORES,
        new="features @ weight.T",
        breaks="linear",
    ),
    Mutant(
        "late_bias",
        "adds the bias after softmax",
        old=(
            "features @ weight.T + bias\n"
            "    powers = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
            "    return powers / powers.sum(axis=1, keepdims=True)"
        ),
        new=(
            "features @ weight.T\n"
            "    powers = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
            "    return powers / powers.sum(axis=1, keepdims=True) + bias"
        ),
        breaks="linear",
    ),
    Mutant(
        "first_picture",
        "gives every picture the probabilities of the first",
        old=SHARES,
        new="return np.repeat((powers / powers.sum(axis=1, keepdims=True))[:1], len(x), axis=0)",
        breaks="batch",
    ),
    Mutant(
        "always_float64",
        "forgets the element type",
        old=FEATURES,
        new="features = x.mean(axis=(2, 3), dtype=np.float64)",
        breaks="dtype",
    ),
    Mutant(
        "always_float32",
        "the type of a network's numbers, whatever comes",
        old=SHARES,
        new="return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)",
        breaks="dtype",
    ),
    Mutant(
        "first_row_of_weights",
        "the first class's weights for every class",
        old=SCORES,
        new="features @ weight[:1].T + bias",
        breaks="linear",
    ),
]
