"""The main job: a network reads handwritten digits, with nothing but kuiper and numpy."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kuiper
from classroom.page import fitting, say, side_by_side, styled
from classroom.register import ROOT
from kuiper.show import digit

MODEL = ROOT / "models" / "digits" / "digits.pnnx.param"
HELD_OUT = ROOT / "models" / "digits" / "heldout.npz"
SHOWN = 4
"""Digits drawn: four fit into 80 columns."""
SINGLES = 15
"""Digits read one at a time for the clock."""


@dataclass(frozen=True)
class Reading:
    """What the network made of the held-out digits, N of them.

    images (N, 8, 8) of 0..16; labels and predictions (N,); confidences (N,), the probability of the prediction;
    seconds: the median time for one digit that comes alone.
    """

    images: np.ndarray
    labels: np.ndarray
    predictions: np.ndarray
    confidences: np.ndarray
    seconds: float
    operators: int
    parameters: int

    @property
    def right(self) -> np.ndarray:
        """(N,) whether each digit was read correctly."""
        return self.predictions == self.labels


def read_digits(
    model: Path = MODEL,
    held_out: Path = HELD_OUT,
    *,
    registry: kuiper.LayerRegisterer = kuiper.registry,
    toolbox: kuiper.Toolbox | None = None,
) -> Reading:
    """Run the network on every held-out digit at once, then time single ones. Raises KuiperError or OSError.

    `registry` and `toolbox` are those of kuiper.load: with them a student's code computes.
    """
    with np.load(held_out) as data:
        images, labels = data["images"], data["labels"]
    graph = kuiper.load(model, registry=registry, toolbox=toolbox)
    x = images.astype(np.float32)[:, None]
    (logits,) = graph(x)
    seconds = []
    for one in x[:SINGLES]:
        started = time.perf_counter()
        graph(one[None])
        seconds.append(time.perf_counter() - started)
    probabilities = softmax(logits)
    return Reading(
        images,
        labels,
        probabilities.argmax(axis=1),
        probabilities.max(axis=1),
        float(np.median(seconds)),
        len(graph.operators),
        sum(attribute.get().size for operator in graph.operators for attribute in operator.attributes.values()),
    )


def softmax(logits: np.ndarray) -> np.ndarray:
    """(N, K) -> (N, K): exp(x_k) / sum_j exp(x_j); the maximum is taken off first, so that nothing overflows.

    >>> softmax(np.array([[1000.0, 1000.0]]))
    array([[0.5, 0.5]])
    """
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def chosen(reading: Reading) -> list[int]:
    """Which digits to draw: a wrong one if there is any, and right ones of different labels before it."""
    right, wrong = np.flatnonzero(reading.right), np.flatnonzero(~reading.right)
    _, first = np.unique(reading.labels[right], return_index=True)
    others = right[np.sort(first)]
    return [int(i) for i in (*others[: SHOWN - min(len(wrong), 1)], *wrong[:1])]


def picture(reading: Reading, index: int) -> str:
    """The digit with what the network said below it."""
    share = f"{reading.predictions[index]}  {reading.confidences[index]:.0%}"
    verdict = "" if reading.right[index] else f"wrong: a {reading.labels[index]}"
    drawn = fitting(digit(reading.images[index]), sys.stdout.encoding)
    return f"{drawn}\n{share}\n{verdict}"


def pictures(reading: Reading) -> str:
    """The digits that are drawn, side by side."""
    return side_by_side([picture(reading, index) for index in chosen(reading)])


def numbers(reading: Reading) -> str:
    """How many digits were read correctly, and how fast."""
    count, right = len(reading.labels), int(reading.right.sum())
    return (
        f"{styled(f'{right} of {count}', 'bold')} held-out digits read correctly ({right / count:.2%}), "
        f"{reading.seconds * 1e3:.1f} ms for one digit."
    )


def report(reading: Reading) -> str:
    """The numbers, in sentences."""
    return (
        f"{numbers(reading)}\n"
        f"The network has {reading.operators} operators and {reading.parameters:,} parameters. PyTorch trained it,\n"
        "PNNX wrote it down, and kuiper computed it here with numpy."
    )


def show() -> int:
    """Do the main job and print it. Returns the exit code."""
    try:
        reading = read_digits()
    except FileNotFoundError as error:
        print(f"course: {error.filename} is missing; the demo needs the course's folder", file=sys.stderr)
        return 2
    except kuiper.KuiperError as error:
        print(f"course: {error}", file=sys.stderr)
        return 2
    say(styled("A network reads handwritten digits", "bold"))
    say()
    say(pictures(reading))
    say()
    say(report(reading))
    return 0
