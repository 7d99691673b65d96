"""A plug: one exercise's place in a network, or beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import kuiper
from classroom.gallery.pipeline import Replacements

Attach = Callable[[Replacements, str, Any], Replacements]
Computes = Callable[[kuiper.RuntimeOperator], bool]


@dataclass(frozen=True)
class Plug:
    """One exercise's place.

    function : a name in the homework file.
    place : what it computes, for the reader.
    attach : puts what has that name into the settings.
    computes : which operators it has a part in; None for a step before or after the network.
    """

    exercise: str
    function: str
    place: str
    attach: Attach
    computes: Computes | None = None


def same_type(exercise: str, y: Any, x: np.ndarray) -> np.ndarray:
    """The exercise's result as an array. Raises KuiperError where its element type is not that of `x`, its input."""
    y = np.asarray(y)
    if y.dtype != x.dtype:
        raise kuiper.KuiperError(f"{exercise}: expected {x.dtype} as in its input, got {y.dtype}")
    return y


def everything(operator: kuiper.RuntimeOperator) -> bool:
    """Every operator."""
    return True


def of_types(*types: str) -> Computes:
    """Operators of these types."""
    return lambda operator: operator.type in types


def as_step(replacements: Replacements, exercise: str, function: Callable[..., Any]) -> Replacements:
    """The function stands in for the step that has the exercise's name."""
    return replace(replacements, steps={**replacements.steps, exercise: replacements.counted(exercise, function)})


def as_tool(tool: str) -> Attach:
    """The function stands in for that of the toolbox."""

    def attach(replacements: Replacements, exercise: str, function: Callable[..., Any]) -> Replacements:
        tools: dict[str, Any] = {tool: replacements.counted(exercise, function)}
        return replace(replacements, toolbox=replace(replacements.toolbox, **tools))

    return attach
