"""What a piece of the gallery is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from classroom.gallery.pipeline import Pipeline
from classroom.register import ROOT

StepFunction = Callable[..., Any]
Drawing = tuple[str, np.ndarray]
"""The stem of a file's name, and the picture (H,W,3) of bytes that it will hold."""


@dataclass(frozen=True)
class DemoOptions:
    """What the user typed; None where nothing."""

    picture: str | None = None
    model: str | None = None
    prompt: str | None = None
    tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    def given(self) -> list[str]:
        """The options of which this is so, as they are typed.

        >>> DemoOptions(top_p=0.9).given()
        ['--top-p']
        """
        return [f"--{name.replace('_', '-')}" for name, value in asdict(self).items() if value is not None]


@dataclass(frozen=True)
class Callbacks:
    """Whom to tell while a piece is at work: `advance` after each of Piece.work, `text` as it is written."""

    advance: Callable[[], None] = lambda: None
    text: Callable[[str], None] | None = None


class Piece(ABC):
    """A network on held-out data.

    `sample` reads the data, `look` runs the network on them, `tell` prints what came of it. Between `look` and `tell`
    there may be another process, so an answer holds only what JSON can say.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """What it does, for the list of pieces."""
    lessons: ClassVar[str]
    network: ClassVar[str]
    """The folder in models/, and the stem of its files."""
    options: ClassVar[frozenset[str]] = frozenset()
    """Those of Wishes.given that mean something here."""
    draws: ClassVar[bool] = True
    """Whether it makes pictures, for which Pillow is needed."""
    checked: ClassVar[int] = 1
    """Items on which a student's code is compared with the framework's, step by step."""
    few: ClassVar[str] = ""
    """With a student's code: why the numbers are not those of all held-out data; "" where they are."""
    seconds: ClassVar[float] = 60.0
    """How long it may take with a student's code."""
    steps: ClassVar[Mapping[str, StepFunction]] = {}
    """Exercise -> the framework's function, of the same signature, for a step before or after the network."""

    @property
    def folder(self) -> Path:
        """Where the network lies, and its held-out data."""
        return ROOT / "models" / self.network

    @property
    def model(self) -> Path:
        """The network's file."""
        return self.folder / f"{self.network}.pnnx.param"

    def held_out(self) -> dict[str, np.ndarray]:
        """The arrays of heldout.npz. Raises OSError."""
        with np.load(self.folder / "heldout.npz") as data:
            return dict(data)

    @abstractmethod
    def sample(self, options: DemoOptions, *, mine: bool = False) -> list[Any]:
        """The items to look at; few where a student's code computes. Raises OSError, KuiperError."""

    def work(self, items: Sequence[Any]) -> int:
        """How often `look` advances on these items."""
        return len(items)

    @abstractmethod
    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """What the network makes of the items. Raises KuiperError."""

    @abstractmethod
    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print the answer; -> the pictures that go with it."""
