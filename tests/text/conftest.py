"""The writer, and networks small enough to know beforehand what they write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kuiper
from kuiper.text import Tokens

WRITER = Path(__file__).resolve().parents[2] / "models" / "writer"


@pytest.fixture(scope="session")
def writer() -> kuiper.RuntimeGraph:
    return kuiper.load(WRITER / "writer.pnnx.param", engine="simple")


@pytest.fixture(scope="session")
def tokens() -> Tokens:
    return Tokens.load(WRITER / "tokens.json")


@pytest.fixture(scope="session")
def words() -> np.ndarray:
    """Held-out text, (8,193) tokens."""
    with np.load(WRITER / "heldout.npz", allow_pickle=False) as stored:
        return stored["words"]


class Parrot:
    """A network of the writer's form that says `script` over and over; notes each call's words and count.

    Its keys and values are the words themselves, so that it can tell whether the cache holds what it read.
    """

    def __init__(self, script: Sequence[int], vocabulary: int) -> None:
        self.script, self.vocabulary, self.said = script, vocabulary, 0
        self.calls: list[tuple[list[int], int]] = []
        shapes = [(-1, -1), (1, -1, 1, -1, 1), (1, -1, 1, -1, 1), (1,)]
        self.inputs = [SimpleNamespace(shape=shape) for shape in shapes]

    def prepare(self, *inputs: np.ndarray, only_code: bool = False, into: Sequence[np.ndarray | None] = ()) -> bool:
        return not only_code

    def __call__(
        self,
        words: np.ndarray,
        keys: np.ndarray,
        values: np.ndarray,
        count: np.ndarray,
        planned: bool = True,
        into: Sequence[np.ndarray | None] = (),
    ) -> list[Any]:
        done = int(count[0])
        held = keys[0, 0, 0, :done, 0].astype(int).tolist()
        assert held == values[0, 0, 0, :done, 0].astype(int).tolist()
        self.calls.append((held + words[0].tolist(), done))
        logits = np.zeros((1, words.shape[1], self.vocabulary), np.float32)
        logits[0, -1, self.script[self.said % len(self.script)]] = 1e3
        self.said += 1
        new = words.astype(np.float32).reshape(1, 1, 1, -1, 1)
        return [logits, new, new.copy()]


@pytest.fixture(scope="session")
def parrot() -> type[Parrot]:
    return Parrot
