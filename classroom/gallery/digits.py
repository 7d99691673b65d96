"""The default demo: a network reads handwritten digits, with nothing but kuiper and numpy."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.page import fitting, say, side_by_side, styled
from kuiper.show import digit
from kuiper.vision import softmax

SHOWN = 4
"""Digits drawn: four fit into 80 columns."""
SINGLES = 15
"""Digits read one at a time, to measure the time."""


@dataclass(frozen=True)
class Reading:
    """Predictions for the N held-out digits.

    images (N, 8, 8) of 0..16; labels and predictions (N,); confidences (N,), the probability of the prediction;
    seconds: the median time for a single digit (batch of 1).
    """

    images: np.ndarray
    labels: np.ndarray
    predictions: np.ndarray
    confidences: np.ndarray
    seconds: float

    @property
    def right(self) -> np.ndarray:
        """(N,) whether each digit was read correctly."""
        return self.predictions == self.labels


class DigitsPiece(Piece):
    """(N, 1, 8, 8) of 0..16 -> (N, 10): which digit each scan shows. An item is a scan and its label."""

    name = "digits"
    title = "A network reads handwritten digits"
    summary = "reads scans of handwritten digits"
    lessons = "2 to 7"
    network = "digits"
    draws = False
    checked = 4

    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """All digits: each is cheap."""
        data = self.held_out()
        return list(zip(data["images"], data["labels"]))

    def work(self, items: Sequence[Any]) -> int:
        """1: all digits are read in one batch."""
        return 1

    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Read all in one batch, then single digits to measure the time."""
        x = np.array([image for image, _ in items], np.float32)[:, None]
        (logits,) = pipeline.network(x)
        callbacks.advance()
        seconds = []
        for one in x[:SINGLES]:
            started = time.perf_counter()
            pipeline.network(one[None])
            seconds.append(time.perf_counter() - started)
        probabilities = softmax(logits)
        return {
            "predictions": probabilities.argmax(axis=1).tolist(),
            "confidences": probabilities.max(axis=1).tolist(),
            "seconds": float(np.median(seconds)),
        }

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print four digits as characters, accuracy and time."""
        reading = reading_of(answer, items)
        say(digits_text(reading))
        say()
        say(numbers(reading))
        return []


def reading_of(answer: dict[str, Any], items: Sequence[Any]) -> Reading:
    """The answer as a Reading."""
    images, labels = (np.array(values) for values in zip(*items))
    predictions, confidences = np.array(answer["predictions"]), np.array(answer["confidences"])
    return Reading(images, labels, predictions, confidences, answer["seconds"])


def shown_digits(reading: Reading) -> list[int]:
    """Indices of the digits to draw: correct ones with different labels, then a wrong one if there is any."""
    right, wrong = np.flatnonzero(reading.right), np.flatnonzero(~reading.right)
    _, first = np.unique(reading.labels[right], return_index=True)
    others = right[np.sort(first)]
    return [int(i) for i in (*others[: SHOWN - min(len(wrong), 1)], *wrong[:1])]


def digit_text(reading: Reading, index: int) -> str:
    """The digit as text, with the prediction below it."""
    share = f"{reading.predictions[index]}  {reading.confidences[index]:.0%}"
    verdict = "" if reading.right[index] else f"wrong: a {reading.labels[index]}"
    drawn = fitting(digit(reading.images[index]), sys.stdout.encoding)
    return f"{drawn}\n{share}\n{verdict}"


def digits_text(reading: Reading) -> str:
    """The chosen digits side by side, as text."""
    return side_by_side([digit_text(reading, index) for index in shown_digits(reading)])


def numbers(reading: Reading) -> str:
    """Accuracy and time, in words."""
    count, right = len(reading.labels), int(reading.right.sum())
    return (
        f"{styled(f'{right} of {count}', 'bold')} held-out digits read correctly ({right / count:.2%}), "
        f"{reading.seconds * 1e3:.1f} ms for one digit."
    )


PIECE = DigitsPiece()
