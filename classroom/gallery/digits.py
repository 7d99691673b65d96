"""The default demo: a network reads handwritten digits, with nothing but kuiper and numpy."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece, StepFunction
from classroom.gallery.pipeline import Pipeline
from classroom.page import fitting, say, side_by_side, styled
from kuiper.errors import KuiperError
from kuiper.show import digit
from kuiper.vision import softmax, top_classes

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
    lessons = "1 to 8"
    network = "digits"
    options = frozenset({"--picture"})
    draws = False
    checked = 4
    steps: ClassVar[dict[str, StepFunction]] = {"softmax": softmax}

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
        probabilities = pipeline.step("softmax", logits)
        return {
            "predictions": probabilities.argmax(axis=1).tolist(),
            "confidences": probabilities.max(axis=1).tolist(),
            "seconds": float(np.median(seconds)),
        }

    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in words."""
        right = sum(found == label for found, (_, label) in zip(answer["predictions"], items))
        return f"{right} of {len(items)} scans are right"

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print four digits as characters, accuracy and time."""
        reading = reading_of(answer, items)
        say(digits_text(reading))
        say()
        say(numbers(reading))
        return []


GUESSES = 3
"""Digits named for a picture of the user's own."""
LEAST_CONTRAST = 24
"""Levels of 255 between paper and ink; below it a picture is blank."""


def scan_of(grey: np.ndarray) -> np.ndarray:
    """(H,W) grey levels with one digit on plain ground -> (8,8) of 0..16 as in the data, strokes from edge to edge.

    Raises KuiperError for a picture without strokes.
    """
    border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    ink = np.abs(grey.astype(np.float64) - np.median(border))
    if ink.max() < LEAST_CONTRAST:
        raise KuiperError(
            f"expected a dark digit on light paper, or the reverse, found levels within {ink.max():.0f} of 255 of "
            f"the border's: is it blank?"
        )
    ink = np.where(ink > 0.35 * ink.max(), ink / ink.max(), 0)
    rows, cols = (np.flatnonzero(ink.any(axis=axis)) for axis in (1, 0))
    strokes = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    side = max(strokes.shape)
    top, left = (side - strokes.shape[0]) // 2, (side - strokes.shape[1]) // 2
    square = np.zeros((side, side))
    square[top : top + strokes.shape[0], left : left + strokes.shape[1]] = strokes
    small = means(means(square, 8).T, 8).T
    return (16 * small / small.max()).astype(np.float32)


def means(x: np.ndarray, parts: int) -> np.ndarray:
    """(H,W) -> (parts,W): H is cut into equal parts; each number counts for as much of it as lies in a part.

    >>> means(np.array([[0.0], [3.0], [6.0]]), 2).ravel().tolist()
    [1.0, 5.0]
    """
    edges = np.linspace(0, len(x), parts + 1)
    overlap = np.minimum.outer(edges[1:], np.arange(len(x)) + 1.0) - np.maximum.outer(edges[:-1], np.arange(len(x)))
    return np.clip(overlap, 0, None) @ x / (len(x) / parts)


def tell_own(pipeline: Pipeline, picture: np.ndarray) -> None:
    """Print a picture (H,W,3) of one digit as the network gets it, and what it reads. Raises KuiperError."""
    scan = scan_of(picture.mean(axis=2))
    (logits,) = pipeline.network(scan[None, None])
    say(fitting(digit(scan), sys.stdout.encoding))
    say()
    guesses = top_classes(logits[0], GUESSES, [str(number) for number in range(10)])
    say(", ".join(f"{guess.label} {guess.probability:.0%}" for guess in guesses))
    say()
    say("So the network sees it: 8x8. It reads one digit on plain paper, and always says")
    say("one of ten. For several digits: demo detect --picture FILE")


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
