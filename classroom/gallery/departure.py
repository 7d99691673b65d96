"""Find the first step where a student's code differs from the framework's: both run every step on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.pipeline import Pipeline, Replacements, call_student

RTOL, ATOL = 1e-3, 1e-4
Departure = dict[str, Any]
"""place: name of the operator or exercise; type: the operator's, "" for a step; step: index in execution order;
value: index of the output, if several; then expected and got (texts or shapes), or difference, where and values."""


class CheckingPipeline(Pipeline):
    """A pipeline that runs both and passes on the framework's results; `departures` are in execution order."""

    def __init__(self, model: Path, steps: Mapping[str, Callable[..., Any]], replacements: Replacements) -> None:
        self.departures: list[Departure] = []
        super().__init__(model, steps, replacements)

    def load(self, model: Path) -> Any:
        """Load both networks."""
        return Both(kuiper.load(model, engine="simple"), self.replacements.load(model), self.departures)

    def step(self, exercise: str, *args: Any) -> Any:
        """The framework's result, after comparing the student's with it."""
        expected = self.steps[exercise](*args)
        if self.replaced(exercise):
            found = difference(expected, call_student(exercise, self.replacements.steps[exercise], args))
            if found is not None:
                self.departures.append({"place": exercise, "type": "", **found})
        return expected


class Both:
    """Two graphs of one network, called as one."""

    def __init__(self, reference: kuiper.RuntimeGraph, mine: kuiper.RuntimeGraph, departures: list[Departure]) -> None:
        self.reference, self.mine, self.departures = reference, mine, departures
        self.inputs, self.operators = reference.inputs, reference.operators

    def __call__(self, *inputs: Any, keep: Iterable[str] = (), planned: bool = False) -> Any:
        """The reference's outputs, with all results kept, so of no plan; records the first that differs."""
        outputs = self.reference(*inputs, keep=True)
        found = departure(self.reference.operators, outputs.kept, self.mine(*inputs, keep=True).kept)
        if found is not None:
            self.departures.append(found)
        return outputs

    def prepare(self, *inputs: Any, **options: Any) -> bool:
        """False: both compute layer by layer, for all results are kept."""
        return False


def departure(
    operators: Iterable[kuiper.RuntimeOperator], expected: Mapping[str, Any], got: Mapping[str, Any]
) -> Departure | None:
    """The first operator whose result differs from the expected one, or None."""
    for step, op in enumerate(operators):
        if op.name in expected:
            found = difference(expected[op.name], got[op.name])
            if found is not None:
                return {"place": op.name, "type": op.type, "step": step, **found}
    return None


def difference(expected: Any, got: Any) -> Departure | None:
    """How two results (arrays, numbers, or tuples and lists of them) differ; None if they agree.

    Numbers may differ by RTOL and ATOL, bytes (pixels) by 1.

    >>> difference((1.0, np.zeros(2)), (1.0, np.array([0.0, 3.0])))["where"]
    [1]
    """
    if not isinstance(expected, tuple):
        return _difference(expected, got)
    if not isinstance(got, (tuple, list)) or len(got) != len(expected):
        count = f"{len(got)} values" if isinstance(got, (tuple, list)) else f"one {type(got).__name__}"
        return {"expected": f"{len(expected)} values", "got": count}
    for number, (a, b) in enumerate(zip(expected, got)):
        found = _difference(a, b)
        if found is not None:
            return {**found, "value": number}
    return None


def _difference(expected: Any, got: Any) -> Departure | None:
    a = np.asarray(expected)
    try:
        b = np.asarray(got)
        numbers = b.astype(complex if a.dtype.kind == "c" else float)
    except (TypeError, ValueError):
        return {"expected": f"{a.dtype} {a.shape}", "got": type(got).__name__}
    if a.shape != b.shape:
        return {"expected": f"shape {a.shape}", "got": f"shape {b.shape}"}
    pixels = a.dtype == np.uint8
    a = a.astype(numbers.dtype)
    with np.errstate(all="ignore"):
        same = (a == numbers) | (np.isnan(a) & np.isnan(numbers))
        apart = np.where(same, 0.0, np.abs(a - numbers))
        apart = np.where(np.isnan(apart), np.inf, apart)
        allowed = 1.0 if pixels else np.where(np.isfinite(a), ATOL + RTOL * np.abs(a), 0.0)
        wrong = apart > allowed
    if not wrong.any():
        return None
    where = np.unravel_index(apart.argmax(), apart.shape)
    return {
        "shape": list(a.shape),
        "difference": float(apart[where]),
        "where": [int(i) for i in where],
        "values": [float(np.real(a[where])), float(np.real(numbers[where]))],
    }
