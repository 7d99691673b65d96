"""The process in which a piece runs with a student's code: `python worker.py REQUEST`, both ways JSON.

The request is {"piece": name, "wishes": Wishes, "plugs": [[exercise, homework file], ...], "check_only": bool}. A line
"." comes for each part of the work that is done, and the answer after them. What the student's code prints goes
nowhere; whatever it raises becomes a sentence of the answer.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))

import kuiper
from classroom import gallery
from classroom.gallery.departure import CheckingPipeline
from classroom.gallery.piece import Callbacks, DemoOptions
from classroom.gallery.pipeline import Pipeline, Replacements
from classroom.gallery.plugs import PLUGS
from classroom.judge.tests import load_file


def answer(request: dict[str, Any], advance: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Run the piece with the plugs of the request -> what came of it, and where it departs from the reference."""
    callbacks = Callbacks(advance)
    piece = gallery.find(request["piece"])
    replacements, errors = plugged(request["plugs"])
    result: dict[str, Any] = {"errors": errors, "error": "", "answer": None, "departure": None}
    try:
        items = piece.sample(DemoOptions(**request["options"]), mine=True)
        checking = CheckingPipeline(piece.model, piece.steps, replacements)
        piece.look(checking, items[: piece.checked], callbacks)
        result["departure"] = next(iter(checking.departures), None)
        replacements.calls.clear()
        if not request["check_only"]:
            result["answer"] = piece.look(Pipeline(piece.model, piece.steps, replacements), items, callbacks)
    except BaseException as error:
        result["error"] = error_sentence(error)
    result["calls"] = dict(replacements.calls)
    return result


def plugged(plugs: list[tuple[str, str]]) -> tuple[Replacements, dict[str, str]]:
    """The settings with these exercises in their places, and a sentence for each that could not be put there."""
    replacements, errors = Replacements(), {}
    modules: dict[str, ModuleType] = {}
    for exercise, file in plugs:
        plug = PLUGS[exercise]
        try:
            if file not in modules:
                modules[file] = load_file(Path(file))
            if not hasattr(modules[file], plug.function):
                errors[exercise] = f"{Path(file).name} has no {plug.function}"
                continue
            replacements = plug.attach(replacements, exercise, getattr(modules[file], plug.function))
        except BaseException as error:
            errors[exercise] = error_sentence(error)
    return replacements, errors


def error_sentence(error: BaseException) -> str:
    """What was raised, without the course's own way to say that it was an error."""
    said = str(error) or type(error).__name__
    return said if isinstance(error, kuiper.KuiperError) else f"{type(error).__name__}: {said}"


def main() -> None:
    """Answer the one request on what was standard output."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        json.dump(answer(json.loads(sys.argv[1]), lambda: print(".", file=out, flush=True)), out)
    os._exit(0)  # whatever threads the student's code has left


if __name__ == "__main__":
    main()
