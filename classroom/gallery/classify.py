"""A small ResNet names surfaces: brick, fur, grass, gravel, ..."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from classroom.gallery.piece import Callbacks, DemoOptions, Drawing, Piece
from classroom.gallery.pipeline import Pipeline
from classroom.gallery.sheet import enlarged, sheet
from classroom.gallery.terminal import in_columns
from classroom.page import say, styled
from kuiper.errors import KuiperError
from kuiper.vision import IMAGENET, draw_guesses, read_labels, resize, softmax, top_classes
from kuiper.vision.classify import shorter_side
from kuiper.vision.colours import colour
from kuiper.vision.draw import add_legend

SIZE = 64
"""Side of the network's input in pixels."""
STUDENT_ITEMS = 10
"""Items classified with a student's code."""
SHOWN = 10
SHEET_WIDTH = 1000
"""Approximate width of the saved picture in pixels."""
WRONG = 3
"""Maximum number of wrong ones among those shown."""


class ClassifyPiece(Piece):
    """(N, 3, 64, 64) -> (N, 10): the class of each texture patch. An item is a picture and its label."""

    name = "classify"
    title = "A small ResNet names surfaces by their texture"
    summary = "says of which photograph a piece is cut"
    lessons = "8"
    network = "classifier"
    options = frozenset({"--picture", "--model"})
    few = (
        f"{STUDENT_ITEMS} pieces only, as code of your own may be slow; "
        "each lies between two others, for preprocess to find."
    )
    checked = 2

    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """All 64 x 64 patches; for a student's code one of each class, in the middle of a larger picture."""
        data = self.held_out()
        images, labels = list(data["images"]), data["labels"].tolist()
        if not mine:
            return list(zip(images, labels))
        _, first = np.unique(labels, return_index=True)
        return [(banded(images, i), labels[i]) for i in first.tolist()[:STUDENT_ITEMS]]

    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Classify one picture at a time."""
        probabilities, seconds = [], []
        for image, _ in items:
            started = time.perf_counter()
            x = np.asarray(pipeline.step("preprocess", image, SIZE, SIZE), np.float32)
            probabilities.append(class_probabilities(pipeline, x))
            seconds.append(time.perf_counter() - started)
            callbacks.advance()
        return {
            "probabilities": [row.tolist() for row in probabilities],
            "seconds": float(np.median(seconds)),
        }

    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in words."""
        right = sum(int(np.argmax(row)) == label for row, (_, label) in zip(answer["probabilities"], items))
        return f"{right} of {len(items)} pieces are right"

    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print some predictions, and the accuracy."""
        names = read_labels(str(self.folder / "labels.txt"))
        probabilities, labels = np.array(answer["probabilities"]), np.array([label for _, label in items])
        right = probabilities.argmax(axis=1) == labels
        rows, drawn = [["picture", "it says", "and really"]], []
        for number, index in enumerate(shown_items(right, labels), 1):
            guesses = top_classes(probabilities[index], 2, names)
            said = ", ".join(f"{guess.label} {guess.probability:.1%}" for guess in guesses)
            truth = names[labels[index]]
            rows.append([str(number), said, truth if right[index] else styled(f"{truth}: wrong", "bad")])
            drawing = draw_guesses(enlarged(items[index][0], 3 * SIZE), guesses)
            drawn.append(drawing if right[index] else add_legend(drawing, [(colour(1), f"really {truth}")]))
        say(in_columns(rows))
        say()
        count, good = len(labels), int(right.sum())
        say(
            f"{styled(f'{good} of {count}', 'bold')} held-out pieces named correctly ({good / count:.1%}), "
            f"{answer['seconds'] * 1e3:.1f} ms for one."
        )
        return [("classify", sheet(drawn, SHEET_WIDTH // drawn[0].shape[1]))]


def preprocess(image: np.ndarray, size: int, crop: int) -> np.ndarray:
    """(H,W,3) bytes -> (1,3,crop,crop) float32: shorter side to `size`, bilinear; centre cut out; normalised.

    As homework 8 asks: each pixel is interpolated from four only, unlike in kuiper.vision.preprocess.
    """
    height, width = shorter_side((image.shape[0], image.shape[1]), size)
    top, left = round((height - crop) / 2), round((width - crop) / 2)
    cut = resize(image, height, width)[top : top + crop, left : left + crop]
    return IMAGENET(cut.transpose(2, 0, 1))[None]


def classifier_head(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(N,C,H,W) -> (N,K): global average pooling, a linear layer, softmax."""
    return softmax(x.mean((2, 3)) @ weight.T + bias)


ClassifyPiece.steps = {"preprocess": preprocess, "classifier_head": classifier_head}


def class_probabilities(pipeline: Pipeline, x: np.ndarray) -> np.ndarray:
    """(1,3,H,W) -> (K,) class probabilities; by `classifier_head` from the last features if it is replaced."""
    if not pipeline.replaced("classifier_head"):
        return softmax(pipeline.network(x)[0])[0]
    pool, linear = head_of(pipeline)
    features = pool.producers[0].name
    kept = pipeline.network(x, keep=[features]).kept
    weight, bias = (linear.attributes[name].data for name in ("weight", "bias"))
    return np.asarray(pipeline.step("classifier_head", kept[features], weight, bias))[0]


def head_of(pipeline: Pipeline) -> tuple[Any, Any]:
    """The network's last pooling and its linear layer. Raises KuiperError."""
    for kind in ("nn.AdaptiveAvgPool2d", "nn.Linear"):
        if not any(op.type == kind for op in pipeline.graph.operators):
            raise KuiperError(f"expected a network that ends in nn.AdaptiveAvgPool2d and nn.Linear, found no {kind}")
    pool, linear = (
        [op for op in pipeline.graph.operators if op.type == kind][-1] for kind in ("nn.AdaptiveAvgPool2d", "nn.Linear")
    )
    return pool, linear


def banded(images: Sequence[np.ndarray], index: int) -> np.ndarray:
    """Patch `index` between its neighbours, all enlarged by 2, (128,384,3): `preprocess` has to crop it."""
    band = np.hstack([images[i % len(images)] for i in (index - 1, index, index + 1)])
    return band.repeat(2, axis=0).repeat(2, axis=1)


def shown_items(right: np.ndarray, labels: np.ndarray) -> list[int]:
    """Indices to show: the first correct one of each class, then the first wrong ones."""
    _, first = np.unique(labels[right], return_index=True)
    wrong = np.flatnonzero(~right)[:WRONG]
    return [int(i) for i in (*np.flatnonzero(right)[first][: SHOWN - len(wrong)], *wrong)]


PIECE = ClassifyPiece()
