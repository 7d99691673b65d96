"""A network with its pre- and post-processing steps, any of which may be a student's code."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import kuiper


@dataclass(frozen=True)
class Replacements:
    """The parts replaced by a student's code, and how often each exercise was called.

    toolbox, registry : passed to kuiper.load.
    steps : exercise -> the student's function, for a step before or after the network.
    """

    toolbox: kuiper.Toolbox = field(default_factory=kuiper.Toolbox)
    registry: kuiper.LayerRegisterer = field(default_factory=kuiper.registry.copy)
    steps: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    def counted(self, exercise: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function so that its calls are counted."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls[exercise] += 1
            return function(*args, **kwargs)

        return call

    def load(self, model: Path, engine: str = "simple") -> kuiper.RuntimeGraph:
        """Load the network with these replacements. Raises KuiperError."""
        return kuiper.load(model, registry=self.registry, toolbox=self.toolbox, engine=engine)


class Pipeline:
    """A network with its pre- and post-processing steps.

    model : the network's file.
    steps : exercise -> the framework's function for a step before or after the network.
    replacements : a student's code; None: the framework's alone, which may then use its fast engine.

    Raises KuiperError.
    """

    def __init__(
        self, model: Path, steps: Mapping[str, Callable[..., Any]], replacements: Replacements | None = None
    ) -> None:
        self.replacements = replacements or Replacements()
        self.graph = self.load(model) if replacements else kuiper.load(model)
        self.steps = steps

    def load(self, model: Path) -> Any:
        """Load the network; the result is called like a RuntimeGraph."""
        return self.replacements.load(model)

    def replaced(self, exercise: str) -> bool:
        """Whether the step is a student's."""
        return exercise in self.replacements.steps

    def step(self, exercise: str, *args: Any) -> Any:
        """Run the step, with the student's function if there is one. Raises KuiperError for whatever that raises."""
        if self.replaced(exercise):
            return call_student(exercise, self.replacements.steps[exercise], args)
        return self.steps[exercise](*args)

    def network(self, *inputs: Any, keep: Iterable[str] = ()) -> Any:
        """Run the network; outputs as from RuntimeGraph.forward."""
        return self.graph(*inputs, keep=list(keep))

    def facts(self) -> str:
        """The size of the network in words, without constants that were not trained."""
        operators = self.graph.operators
        weights = [a for op in operators if op.type != "pnnx.Attribute" for a in op.attributes.values()]
        return f"{len(operators)} operators and {sum(a.data.size for a in weights):,} weights"


def call_student(exercise: str, function: Callable[..., Any], args: Iterable[Any]) -> Any:
    """Call a student's function with copies of the arrays; exceptions become KuiperErrors."""
    try:
        return function(*[x.copy() if isinstance(x, np.ndarray) else x for x in args])
    except Exception as error:
        said = f": {error}" if str(error) else ""
        raise kuiper.KuiperError(f"{exercise} raised {type(error).__name__}{said}") from error
