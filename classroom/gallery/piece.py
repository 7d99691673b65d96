"""Base class of the demo's pieces."""

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
"""File name without suffix, and the picture (H,W,3) of bytes."""


@dataclass(frozen=True)
class DemoOptions:
    """Options given on the command line; None if not given."""

    picture: str | None = None
    model: str | None = None
    prompt: str | None = None
    tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    def given(self) -> list[str]:
        """The options that were given, as typed.

        >>> DemoOptions(top_p=0.9).given()
        ['--top-p']
        """
        return [f"--{name.replace('_', '-')}" for name, value in asdict(self).items() if value is not None]


@dataclass(frozen=True)
class Callbacks:
    """Called with progress: `advance` after each of Piece.work's steps, `text` with text as it is generated."""

    advance: Callable[[], None] = lambda: None
    text: Callable[[str], None] | None = None


class Piece(ABC):
    """A network on held-out data.

    `sample` reads the data, `look` runs the network on them, `tell` prints the result. `look` may run in another
    process, so its answer must be JSON-serialisable.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """One-line description for the list of pieces."""
    lessons: ClassVar[str]
    network: ClassVar[str]
    """The folder in models/, and the stem of its files."""
    options: ClassVar[frozenset[str]] = frozenset()
    """Options (as in DemoOptions.given) that this piece accepts."""
    draws: ClassVar[bool] = True
    """Whether it saves pictures, which needs Pillow."""
    checked: ClassVar[int] = 1
    """Items on which a student's code is compared with the framework's, step by step."""
    few: ClassVar[str] = ""
    """Why a student's code runs on part of the held-out data only; "" if it runs on all."""
    seconds: ClassVar[float] = 60.0
    """Time limit with a student's code."""
    steps: ClassVar[Mapping[str, StepFunction]] = {}
    """Exercise -> the framework's function, of the same signature, for a step before or after the network."""

    @property
    def folder(self) -> Path:
        """The folder of the network and its held-out data."""
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
        """The items to run on; fewer for a student's code (`mine`). Raises OSError, KuiperError."""

    def work(self, items: Sequence[Any]) -> int:
        """How often `look` calls `advance` for these items."""
        return len(items)

    @abstractmethod
    def look(self, pipeline: Pipeline, items: Sequence[Any], callbacks: Callbacks) -> dict[str, Any]:
        """Run the network on the items -> JSON-serialisable answer. Raises KuiperError."""

    @abstractmethod
    def quality(self, answer: dict[str, Any], items: Sequence[Any]) -> str:
        """How good the answer is, in a few words."""

    @abstractmethod
    def tell(self, answer: dict[str, Any], items: Sequence[Any]) -> list[Drawing]:
        """Print the answer -> pictures to save."""
