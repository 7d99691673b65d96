"""A plug: where one exercise is used, in a network or in the steps around it."""

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
    """Where one exercise is used.

    function : its name in the homework file.
    place : what it computes, for the table.
    attach : adds the student's function to the replacements.
    computes : selects the operators it is used for; None for a step before or after the network.
    result : whether it computes these operators' results, and not only something that they need.
    note : what is said below the table if it is used, if anything.
    """

    exercise: str
    function: str
    place: str
    attach: Attach
    computes: Computes | None = None
    result: bool = True
    note: Callable[[], str] = str


def same_type(exercise: str, y: Any, x: np.ndarray) -> np.ndarray:
    """The exercise's result as an array. Raises KuiperError unless its dtype is that of the input `x`."""
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
    """Replace the step that has the exercise's name."""
    return replace(replacements, steps={**replacements.steps, exercise: replacements.counted(exercise, function)})


def as_tool(tool: str) -> Attach:
    """Replace a function of the toolbox."""

    def attach(replacements: Replacements, exercise: str, function: Callable[..., Any]) -> Replacements:
        tools: dict[str, Any] = {tool: replacements.counted(exercise, function)}
        return replace(replacements, toolbox=replace(replacements.toolbox, **tools))

    return attach
