"""The process in which a network runs with a student's code: `python mine_worker.py REQUEST`, both ways JSON.

The request is {"model": path, "held_out": path, "plugs": [[exercise, homework file], ...]}. What the student's code
prints goes nowhere; whatever it raises becomes a sentence of the answer.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

import numpy as np

import kuiper
from classroom.demo import read_digits
from classroom.judge.tests import load_file
from classroom.plugs import PLUGS, Settings

COMPARED = 4
"""Digits for which every layer's result is compared."""
RTOL, ATOL = 1e-3, 1e-4


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the network with the plugs of the request -> what it read, and where it departs from the reference."""
    model, held_out = Path(request["model"]), Path(request["held_out"])
    settings, errors = plugged(request["plugs"])
    result: dict[str, Any] = {"errors": errors, "error": "", "reading": None, "departure": None}
    toolbox, registry = settings.toolbox, settings.registry
    try:
        with np.load(held_out) as data:
            x = data["images"][:COMPARED, None].astype(np.float32)
        result["departure"] = departure(kuiper.load(model), kuiper.load(model, toolbox=toolbox, registry=registry), x)
        settings.calls.clear()
        reading = read_digits(model, held_out, toolbox=toolbox, registry=registry)
        result["reading"] = {
            "predictions": reading.predictions.tolist(),
            "confidences": reading.confidences.tolist(),
            "seconds": reading.seconds,
        }
    except BaseException as error:
        result["error"] = sentence(error)
    result["calls"] = dict(settings.calls)
    return result


def plugged(plugs: list[tuple[str, str]]) -> tuple[Settings, dict[str, str]]:
    """The settings with these exercises in their places, and a sentence for each that could not be put there."""
    settings, errors = Settings(), {}
    modules: dict[str, ModuleType] = {}
    for exercise, file in plugs:
        plug = PLUGS[exercise]
        try:
            if file not in modules:
                modules[file] = load_file(Path(file))
            if not hasattr(modules[file], plug.function):
                errors[exercise] = f"{Path(file).name} has no {plug.function}"
                continue
            settings = plug.attach(settings, exercise, getattr(modules[file], plug.function))
        except BaseException as error:
            errors[exercise] = sentence(error)
    return settings, errors


def departure(reference: kuiper.RuntimeGraph, mine: kuiper.RuntimeGraph, x: np.ndarray) -> dict[str, Any] | None:
    """The first operator, in the reference's order, whose result is not the reference's; None when there is none."""
    expected, got = reference(x, keep=True).kept, mine(x, keep=True).kept
    for step, op in enumerate(reference.operators):
        if op.name not in expected:
            continue
        a, b = np.asarray(expected[op.name]), np.asarray(got[op.name])
        found = {"operator": op.name, "type": op.type, "step": step, "expected": list(a.shape), "got": list(b.shape)}
        if a.shape != b.shape:
            return found
        with np.errstate(all="ignore"):
            difference = np.abs(a.astype(float) - b.astype(float))
            difference[np.isnan(difference)] = np.inf
        if (difference > ATOL + RTOL * np.abs(a)).any():
            where = np.unravel_index(difference.argmax(), difference.shape)
            return {
                **found,
                "difference": float(difference[where]),
                "where": [int(i) for i in where],
                "values": [float(a[where]), float(b[where])],
            }
    return None


def sentence(error: BaseException) -> str:
    """What was raised, without the course's own way to say that it was an error."""
    said = str(error) or type(error).__name__
    return said if isinstance(error, kuiper.KuiperError) else f"{type(error).__name__}: {said}"


def main() -> None:
    """Answer the one request on what was standard output."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        json.dump(answer(json.loads(sys.argv[1])), out)
    os._exit(0)  # whatever threads the student's code has left


if __name__ == "__main__":
    main()
