"""`kuiper run --task`: a photograph in; names, boxes or a mask out. Which options belong to which task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import typer
from rich.table import Table

from kuiper import vision
from kuiper.cli import arguments
from kuiper.cli.model import find_model
from kuiper.cli.text import shape_of, table
from kuiper.errors import KuiperError, ShapeError
from kuiper.graph import Operand
from kuiper.inputs import PICTURES
from kuiper.vision import IMAGENET, Normalization
from kuiper.vision.labels import LABELS, name_of
from kuiper.vision.pictures import shrink, to_pillow

MULTIPLE = 32
"""Height and width of what goes into a network that takes any: most networks halve them five times."""


@dataclass(frozen=True)
class Wishes:
    """What the user typed; None where nothing."""

    labels: str | None = None
    top: int | None = None
    conf: float | None = None
    iou: float | None = None
    normalization: Normalization | None = None
    prompt: str | None = None
    tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None

    def given(self) -> set[str]:
        """The options of tasks of which this is so."""
        names = [field.name for field in fields(self) if field.name != "normalization"]
        return {arguments.option(name) for name in names if getattr(self, name) is not None}


class PictureTask(ABC):
    """One picture on its way through a network: `read` makes the input, `answer` reads the outputs.

    model : the network's file; a labels.txt beside it may name the classes.
    """

    options: frozenset[str]
    """Those of Wishes.given that mean something here."""
    normalization = Normalization()

    def __init__(self, wishes: Wishes, model: Path) -> None:
        self.wishes = wishes
        self.beside = model.with_name(LABELS)
        self.picture = np.zeros((1, 1, 3), np.uint8)
        self.drawn = self.picture

    def read(self, files: Sequence[str], operands: Sequence[Operand]) -> list[np.ndarray]:
        """The network's only input, from the only file. Raises KuiperError."""
        if len(files) != 1 or Path(files[0]).suffix.lower() not in PICTURES:
            found = ", ".join(files) or "none"
            raise KuiperError(f"--task: expected one picture ({', '.join(PICTURES)}), found {found}")
        shapes = [operand.shape for operand in operands]
        if len(shapes) != 1 or shapes[0] is None or len(shapes[0]) != 4 or shapes[0][1] not in (3, -1):
            listed = " and ".join(shape_of(shape) for shape in shapes) or "none"
            raise ShapeError("--task", "a network with one input (N,3,H,W)", listed)
        self.picture = self.drawn = vision.read_picture(files[0])
        return [self.prepare((shapes[0][2], shapes[0][3]), self.wishes.normalization or self.normalization)]

    @abstractmethod
    def prepare(self, size: tuple[int, int], normalization: Normalization) -> np.ndarray:
        """The picture as (1,3,H,W); `size` is the network's height and width, negative where it takes any."""

    @abstractmethod
    def answer(self, outputs: Sequence[np.ndarray]) -> Table:
        """What the outputs say, as a table; `drawn` is then the picture that shows it."""

    def labels(self, count: int) -> list[str]:
        """The names of `count` classes: those wished for, else those beside the network if they are as many."""
        if self.wishes.labels is None and self.beside.is_file():
            names = vision.read_labels(str(self.beside))
            if len(names) == count:
                return names
        return vision.labels_for(count, self.wishes.labels)


class Classify(PictureTask):
    """What is in the picture: the most probable classes."""

    options = frozenset({"--labels", "--top"})
    normalization = IMAGENET

    def prepare(self, size: tuple[int, int], normalization: Normalization) -> np.ndarray:
        """Resized so that the network reads 224 of every 256 pixels of the shorter side, as torchvision does."""
        crop = (size[0] if size[0] > 0 else 224), (size[1] if size[1] > 0 else 224)
        return vision.preprocess(
            self.picture, resize=round(max(crop) * 256 / 224), crop=crop, normalization=normalization
        )

    def answer(self, outputs: Sequence[np.ndarray]) -> Table:
        """The first output with two axes holds the classes."""
        scores = _first(outputs, 2, "--task classify", "an output (N,classes)")
        guesses = vision.top_classes(scores[0], self.wishes.top or 5, self.labels(scores.shape[1]))
        self.drawn = vision.draw_guesses(self.picture, guesses)
        rows = table("rank", "class", "label", "probability", right=("rank", "class", "probability"), fold=("label",))
        for rank, guess in enumerate(guesses, 1):
            rows.add_row(str(rank), str(guess.number), guess.label, f"{guess.probability:.2%}")
        return rows


class Detect(PictureTask):
    """Where which things are: the boxes of a YOLOv5."""

    options = frozenset({"--labels", "--top", "--conf", "--iou"})

    def prepare(self, size: tuple[int, int], normalization: Normalization) -> np.ndarray:
        """The picture in a letterbox: as large as the network asks, up to 640 with narrow bars where it takes any."""
        height, width = self.picture.shape[:2]
        target = (size[0] if size[0] > 0 else 640), (size[1] if size[1] > 0 else 640)
        stride = MULTIPLE if min(size) < 0 else None
        self.box = vision.Letterbox.fit((height, width), target, stride=stride)
        return normalization(self.box.apply(self.picture).transpose(2, 0, 1))[None]

    def answer(self, outputs: Sequence[np.ndarray]) -> Table:
        """Boxes in the picture's own pixels."""
        rows = vision.predictions(outputs, self.box.target)[0]
        labels = self.labels(rows.shape[1] - 5)
        wishes = self.wishes
        found = vision.detect(
            rows,
            confidence=0.25 if wishes.conf is None else wishes.conf,
            iou=0.45 if wishes.iou is None else wishes.iou,
            most=wishes.top or 300,
        )
        found = vision.Detections(self.box.restore(found.boxes), found.scores, found.classes)
        self.drawn = vision.draw_boxes(self.picture, found, labels)
        numbers = ("score", "x1", "y1", "x2", "y2")
        listed = table("label", *numbers, right=numbers, fold=("label",), title=f"{len(found)} thing(s) found")
        for box, score, number in zip(found.boxes, found.scores, found.classes):
            listed.add_row(labels[number], f"{score:.3f}", *(f"{value:.1f}" for value in box))
        return listed


class Segment(PictureTask):
    """Which class each pixel is of."""

    options = frozenset({"--labels", "--conf"})

    def prepare(self, size: tuple[int, int], normalization: Normalization) -> np.ndarray:
        """The whole picture in the network's size; in a multiple of 32 near its own where the network takes any."""
        own = self.picture.shape[:2]
        height, width = (s if s > 0 else max(1, round(o / MULTIPLE)) * MULTIPLE for s, o in zip(size, own))
        return normalization(shrink(to_pillow(self.picture), height, width).transpose(2, 0, 1))[None]

    def answer(self, outputs: Sequence[np.ndarray]) -> Table:
        """The first output with four axes holds the scores; one channel says how probable class 1 is."""
        scores = _first(outputs, 4, "--task segment", "an output (N,classes,H,W)")[0]
        if len(scores) > 1 and self.wishes.conf is not None:
            raise KuiperError(f"--conf: expected an output (N,1,H,W) for a threshold, found {len(scores)} classes")
        height, width = self.picture.shape[:2]
        threshold = 0.5 if self.wishes.conf is None else self.wishes.conf
        classes = vision.segment(scores, (height, width), threshold)
        labels = self.labels(max(2, len(scores)))
        self.drawn = vision.draw_mask(self.picture, classes, labels)
        numbers, counts = np.unique(classes, return_counts=True)
        rows = table("class", "label", "pixels", "share", right=("class", "pixels", "share"), fold=("label",))
        for at in np.argsort(-counts, kind="stable"):
            number, count = int(numbers[at]), int(counts[at])
            rows.add_row(str(number), name_of(labels, number), str(count), f"{count / classes.size:.2%}")
        return rows


TASKS: dict[str, type[PictureTask]] = {"classify": Classify, "detect": Detect, "segment": Segment}
WRITE = "write"
"""The task without a picture; see write.py."""
OPTIONS = {name: task.options for name, task in TASKS.items()} | {
    WRITE: frozenset({"--prompt", "--tokens", "--temperature", "--top", "--top-p"})
}


def task_of(name: str | None, wishes: Wishes, model: str) -> PictureTask | None:
    """The task with a picture that the user named, or None. Raises KuiperError for a model that is not there.

    Raises typer.BadParameter, for options that do not belong to the task too.
    """
    if name is not None:
        arguments.check_choice("--task", name, OPTIONS)
    refuse(wishes.given() - (OPTIONS[name] if name is not None else {"--top"}), name)
    return None if name is None or name == WRITE else TASKS[name](wishes, find_model(model))


def refuse(surplus: Iterable[str], task: str | None) -> None:
    """Raise typer.BadParameter if there are any options that do not belong to the task."""
    if listed := ", ".join(sorted(surplus)):
        owner = f"--task {task}" if task is not None else "kuiper run without --task"
        raise typer.BadParameter(f"{listed} means nothing to {owner}")


def _first(outputs: Sequence[np.ndarray], axes: int, what: str, expected: str) -> np.ndarray:
    for x in outputs:
        if x.ndim == axes and x.size and x.dtype.kind == "f":
            return x
    raise ShapeError(what, expected, ", ".join(shape_of(x.shape) for x in outputs) or "none")
